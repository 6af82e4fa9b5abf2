//! The data file, read once.

use super::{Fabric, Figure, Figures, Published, Source};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: BTreeMap<String, Source>,
    method: BTreeMap<String, String>,
    fabric: Vec<RawFabric>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFabric {
    name: String,
    modulus: String,
    density: RawFigure,
    thickness: RawFigure,
    stiffness_weft: RawFigure,
    stiffness_warp: RawFigure,
    poisson: RawFigure,
    shear: RawFigure,
    bending_weft: RawFigure,
    bending_warp: RawFigure,
    limit_weft: RawFigure,
    limit_warp: RawFigure,
    limit_shear: RawFigure,
    friction: RawFigure,
    drape: Option<Drape>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFigure {
    #[serde(default)]
    estimated: bool,
    #[serde(default)]
    source: Vec<String>,
    published: Option<Published>,
    method: Option<String>,
    how: Option<String>,
}

/// The one figure that the engine does not have.
#[derive(Deserialize)]
struct Drape {
    value: f64,
    #[serde(flatten)]
    figure: RawFigure,
}

/// Reads the data: the fabrics in the file's order, or why it cannot be used.
pub(super) fn parse(text: &str) -> Result<Vec<Fabric>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let lists = Lists { sources: &file.source, methods: &file.method };
    file.fabric.into_iter().map(|raw| lists.fabric(raw)).collect()
}

/// What figures refer to by key.
struct Lists<'a> {
    sources: &'a BTreeMap<String, Source>,
    methods: &'a BTreeMap<String, String>,
}

impl Lists<'_> {
    fn fabric(&self, raw: RawFabric) -> Result<Fabric, String> {
        let Some(known) = taut::fabric::Fabric::named(&raw.name) else {
            return Err(format!("{}: the engine knows no such fabric", raw.name));
        };
        let figure = |value, figure| self.figure(value, figure).map_err(|wrong| format!("{}: {wrong}", raw.name));
        let taut::Orthotropic { weft, warp, poisson, shear } = known.membrane;
        let figures = Figures {
            density: figure(known.density, raw.density)?,
            thickness: figure(known.thickness, raw.thickness)?,
            stiffness_weft: figure(weft, raw.stiffness_weft)?,
            stiffness_warp: figure(warp, raw.stiffness_warp)?,
            poisson: figure(poisson, raw.poisson)?,
            shear: figure(shear, raw.shear)?,
            bending_weft: figure(known.bending[0], raw.bending_weft)?,
            bending_warp: figure(known.bending[1], raw.bending_warp)?,
            limit_weft: figure(known.limits[0], raw.limit_weft)?,
            limit_warp: figure(known.limits[1], raw.limit_warp)?,
            limit_shear: figure(known.limits[2], raw.limit_shear)?,
            friction: figure(known.friction, raw.friction)?,
            drape: raw.drape.map(|drape| figure(drape.value, drape.figure)).transpose()?,
        };
        Ok(Fabric {
            name: known.name,
            aliases: known.aliases,
            about: known.about,
            modulus: raw.modulus,
            figures,
            engine: known,
        })
    }

    fn figure(&self, value: f64, raw: RawFigure) -> Result<Figure, String> {
        let source = |key: &String| self.sources.get(key).cloned().ok_or(format!("no source called `{key}`"));
        let method = |key: String| self.methods.get(&key).cloned().ok_or(format!("no method called `{key}`"));
        let how: Vec<String> = raw.method.map(method).transpose()?.into_iter().chain(raw.how).collect();
        Ok(Figure {
            value,
            estimated: raw.estimated,
            sources: raw.source.iter().map(source).collect::<Result<_, _>>()?,
            published: raw.published,
            how: how.join("; "),
        })
    }
}
