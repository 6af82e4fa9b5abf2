//! The data file, read once.

use super::{Fabric, Figure, Published, Source};
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
    #[serde(default)]
    aliases: Vec<String>,
    about: String,
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
    drape: Option<RawFigure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFigure {
    value: f64,
    #[serde(default)]
    estimated: bool,
    #[serde(default)]
    source: Vec<String>,
    published: Option<Published>,
    method: Option<String>,
    how: Option<String>,
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
        let figure = |figure| self.figure(figure).map_err(|wrong| format!("{}: {wrong}", raw.name));
        Ok(Fabric {
            density: figure(raw.density)?,
            thickness: figure(raw.thickness)?,
            stiffness_weft: figure(raw.stiffness_weft)?,
            stiffness_warp: figure(raw.stiffness_warp)?,
            poisson: figure(raw.poisson)?,
            shear: figure(raw.shear)?,
            bending_weft: figure(raw.bending_weft)?,
            bending_warp: figure(raw.bending_warp)?,
            limit_weft: figure(raw.limit_weft)?,
            limit_warp: figure(raw.limit_warp)?,
            limit_shear: figure(raw.limit_shear)?,
            friction: figure(raw.friction)?,
            drape: raw.drape.map(figure).transpose()?,
            name: raw.name,
            aliases: raw.aliases,
            about: raw.about,
            modulus: raw.modulus,
        })
    }

    fn figure(&self, raw: RawFigure) -> Result<Figure, String> {
        let source = |key: &String| self.sources.get(key).cloned().ok_or(format!("no source called `{key}`"));
        let method = |key: String| self.methods.get(&key).cloned().ok_or(format!("no method called `{key}`"));
        let how: Vec<String> = raw.method.map(method).transpose()?.into_iter().chain(raw.how).collect();
        Ok(Figure {
            value: raw.value,
            estimated: raw.estimated,
            sources: raw.source.iter().map(source).collect::<Result<_, _>>()?,
            published: raw.published,
            how: how.join("; "),
        })
    }
}
