//! Named fabrics: what cotton, denim or silk weigh, how they stretch, shear and bend.
//!
//! Every figure carries where it was published and how it was converted, or says that it is an estimate and why:
//! [`Figure::estimated`]. The values are the engine's ([`taut::fabric`]), what is known of each is in `fabrics.toml`;
//! `docs/reference/fabrics.md` shows it all.
//!
//! ```
//! use taut_scene::fabric;
//!
//! let denim = fabric::named("denim").unwrap();
//! assert_eq!(denim.figures.density.value, 0.324); // kg/m²
//! assert!(!denim.figures.density.estimated && denim.figures.friction.estimated);
//! let unknown = fabric::find("denmi").unwrap_err();
//! assert!(unknown.to_string().contains("did you mean `denim`?"));
//! ```

pub mod convert;
mod data;
mod show;
#[cfg(test)]
mod tests;

pub use show::{details, markdown, table};

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::OnceLock;

/// A cloth by name. Directions: *weft* is the first of the material frame, *warp* the second; for knits they are the
/// courses and the wales.
///
/// The membrane is linear and orthotropic, forces per width (N/m) over strains:
/// ε_weft = σ_weft/E_weft − ν' σ_warp/E_warp, ε_warp = σ_warp/E_warp − ν σ_weft/E_weft with ν'/E_warp = ν/E_weft,
/// γ = τ/G. At the strain limits the cloth is taken as nearly inextensible, which linear moduli cannot say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fabric {
    /// What people call it by, in kebab case.
    pub name: &'static str,
    /// Other names that [`named`] knows it by.
    pub aliases: &'static [&'static str],
    /// A sentence about it.
    pub about: &'static str,
    /// At which strain the moduli `stiffness_weft` and `stiffness_warp` hold: the initial ones, or a chord to a load.
    pub modulus: String,
    /// What is known about it.
    #[serde(flatten)]
    pub figures: Figures,
    /// The values alone, as the engine has them.
    #[serde(skip)]
    pub engine: &'static taut::fabric::Fabric,
}

/// What is known about a fabric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Mass per area, kg/m².
    pub density: Figure,
    /// Thickness, m.
    pub thickness: Figure,
    /// E_weft: force per width over strain for a pull along the weft (Young's modulus times thickness), N/m.
    pub stiffness_weft: Figure,
    /// E_warp: force per width over strain for a pull along the warp (Young's modulus times thickness), N/m.
    pub stiffness_warp: Figure,
    /// ν: contraction along the warp over extension along the weft, for a pull along the weft.
    pub poisson: Figure,
    /// G: force per width over the shear angle, N/m (per radian).
    pub shear: Figure,
    /// Moment per width over curvature when the weft bends, N·m.
    pub bending_weft: Figure,
    /// Moment per width over curvature when the warp bends, N·m.
    pub bending_warp: Figure,
    /// Strain along the weft at which the cloth becomes nearly inextensible, as a fraction.
    pub limit_weft: Figure,
    /// Strain along the warp at which the cloth becomes nearly inextensible, as a fraction.
    pub limit_warp: Figure,
    /// Shear γ (tangent of the angle between the yarns and a right angle) at which they lock.
    pub limit_shear: Figure,
    /// Coefficient of friction of the cloth on itself.
    pub friction: Figure,
    /// Drape coefficient by Cusick, %, where someone has published one. Not an input: what a simulation can be
    /// compared with.
    pub drape: Option<Figure>,
}

/// A value, and why we believe it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The value in SI units (the drape coefficient in %).
    pub value: f64,
    /// Whether it is an estimate rather than a measurement of this cloth; then `how` gives the reasoning.
    pub estimated: bool,
    /// Where the value, or what it was estimated from, was published. Empty only for estimates.
    pub sources: Vec<Source>,
    /// The value, or the mean of several, in the unit it was printed in, if that had to be converted.
    pub published: Option<Published>,
    /// How the value came from the sources.
    pub how: String,
}

/// A figure in the unit it was printed in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The number.
    pub value: f64,
    /// Its unit, one of those that [`convert::to_si`] knows.
    pub unit: String,
}

/// A publication.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Author, year, title, where.
    pub text: String,
    /// What of it was read to take the figures: the table itself, an abstract, a quotation.
    pub read: String,
}

/// A figure of a fabric by name: for tables.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The field's name, as in the data.
    pub key: &'static str,
    /// What it is, for people.
    pub label: &'static str,
    /// Its SI unit; empty for pure numbers.
    pub unit: &'static str,
    /// The figure.
    pub figure: &'a Figure,
}

impl Fabric {
    /// All figures, in the order of the data.
    pub fn entries(&self) -> Vec<Entry<'_>> {
        let entry = |key, label, unit, figure| Entry { key, label, unit, figure };
        let mut all = vec![
            entry("density", "density", "kg/m²", &self.figures.density),
            entry("thickness", "thickness", "m", &self.figures.thickness),
            entry("stiffness_weft", "stretch modulus, weft", "N/m", &self.figures.stiffness_weft),
            entry("stiffness_warp", "stretch modulus, warp", "N/m", &self.figures.stiffness_warp),
            entry("poisson", "Poisson's ratio", "", &self.figures.poisson),
            entry("shear", "shear modulus", "N/m", &self.figures.shear),
            entry("bending_weft", "bending rigidity, weft", "N·m", &self.figures.bending_weft),
            entry("bending_warp", "bending rigidity, warp", "N·m", &self.figures.bending_warp),
            entry("limit_weft", "strain limit, weft", "", &self.figures.limit_weft),
            entry("limit_warp", "strain limit, warp", "", &self.figures.limit_warp),
            entry("limit_shear", "shear limit", "", &self.figures.limit_shear),
            entry("friction", "friction on itself", "", &self.figures.friction),
        ];
        all.extend(self.figures.drape.iter().map(|drape| entry("drape", "drape coefficient", "%", drape)));
        all
    }

    /// The membrane's stiffness in plane stress, N/m: [C11, C12, C22, C33] with 1 the weft, 2 the warp and σ = C ε for
    /// ε = (ε_weft, ε_warp, γ).
    ///
    /// C11 = E_weft/d, C22 = E_warp/d, C12 = ν E_warp/d, C33 = G with d = 1 − ν² E_warp/E_weft.
    pub fn membrane(&self) -> [f64; 4] {
        let (weft, warp, poisson) =
            (self.figures.stiffness_weft.value, self.figures.stiffness_warp.value, self.figures.poisson.value);
        let d = 1.0 - poisson * poisson * warp / weft;
        [weft / d, poisson * warp / d, warp / d, self.figures.shear.value]
    }
}

/// Every fabric, the plainest first.
pub fn all() -> &'static [Fabric] {
    static ALL: OnceLock<Vec<Fabric>> = OnceLock::new();
    // A test reads the same text, so that what is embedded can be read.
    ALL.get_or_init(|| data::parse(include_str!("fabrics.toml")).unwrap_or_default())
}

/// The fabric with this name or alias.
pub fn named(name: &str) -> Option<&'static Fabric> {
    all().iter().find(|fabric| fabric.names().any(|known| known == name))
}

/// The fabric with this name or alias, or an error that suggests one.
pub fn find(name: &str) -> Result<&'static Fabric, UnknownFabric> {
    named(name).ok_or_else(|| UnknownFabric { name: name.to_owned() })
}

impl Fabric {
    /// Its name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.engine.names()
    }
}

/// There is no fabric with this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFabric {
    /// What was asked for.
    pub name: String,
}

impl fmt::Display for UnknownFabric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no fabric called `{}`", self.name)?;
        if let Some(hint) = crate::scene::did_you_mean(&self.name, all().iter().flat_map(Fabric::names)) {
            return write!(f, "; {hint}");
        }
        let names: Vec<&str> = all().iter().map(|fabric| fabric.name).collect();
        write!(f, "; there are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownFabric {}
