//! `fabric` and `elastic` of cloth and solids: stiffness in physical units.

use super::values::Each;
use crate::fabric::{self, Fabric};
use crate::scene::choose;
use crate::scene::decode::{Reader, Rule, Value};
use crate::scene::document::Node;
use serde_json::{Value as Json, json};

const MODULUS: Rule = Rule::ANY.from(0.0).to(1e15).unit("N/m");
const RIGIDITY: Rule = Rule::ANY.from(0.0).to(1e15).unit("N·m");
const PRESSURE: Rule = Rule::ANY.from(0.0).to(1e15).unit("Pa");
const SECONDS: Rule = Rule::ANY.from(0.0).to(1e6).unit("s");

variants! {
    /// How cloth resists, in physical units.
    pub enum ClothElastic default "continuum" {
        /// Finite elements of a St Venant–Kirchhoff material, with moduli along weft and warp.
        Continuum(Continuum) = "continuum",
        /// Lengths along weft and warp and the angle between them, each on its own, after Baraff and Witkin.
        StretchShear(StretchShear) = "stretch-shear",
        /// Springs: for meshes of quads.
        Links(Links) = "links",
    }
}

section! {
    /// Finite elements. Moduli are those of the material times the thickness.
    pub struct Continuum {
        /// Young's modulus along the weft.
        weft: f64 = 1000.0 => MODULUS;
        /// Young's modulus along the warp; that along the weft if not given.
        warp: Option<f64> = None => MODULUS;
        /// Contraction along the warp over extension along the weft, in a pull along the weft.
        poisson: f64 = 0.3 => Rule::ANY.from(-10.0).to(10.0);
        /// Shear modulus; that of a material with no direction if not given.
        shear: Option<f64> = None => MODULUS;
        /// Resistance to a change of area, beside the others.
        area: f64 = 0.0 => MODULUS;
        /// Bending rigidity along weft and warp, or one for both.
        bend: Each<2> = Each([1e-5; 2]) => RIGIDITY;
        /// Internal friction.
        damping: ElasticDamping = ElasticDamping::default();
    }
}

section! {
    /// Stretch and shear, each on its own: no contraction across a pull.
    pub struct StretchShear {
        /// Stretch along the weft.
        weft: f64 = 1000.0 => MODULUS;
        /// Stretch along the warp; that along the weft if not given.
        warp: Option<f64> = None => MODULUS;
        /// Shear.
        shear: f64 = 300.0 => MODULUS;
        /// Resistance to a change of area, beside the others.
        area: f64 = 0.0 => MODULUS;
        /// Bending rigidity along weft and warp, or one for both.
        bend: Each<2> = Each([1e-5; 2]) => RIGIDITY;
        /// Internal friction.
        damping: ElasticDamping = ElasticDamping::default();
    }
}

section! {
    /// Springs along weft and warp, on the diagonals, and past a vertex.
    pub struct Links {
        /// Spring constant along weft and warp.
        stretch: f64 = 1000.0 => MODULUS;
        /// Spring constant on diagonals.
        shear: f64 = 300.0 => MODULUS;
        /// Spring constant between next neighbours but one: resists bending.
        bend: f64 = 10.0 => MODULUS;
        /// Internal friction.
        damping: ElasticDamping = ElasticDamping::default();
    }
}

section! {
    /// Damping times: the force grows by this times the rate of the strain. Falling and turning are never damped.
    pub struct ElasticDamping + Default {
        /// Of stretch and area.
        stretch: f64 = 0.0 => SECONDS;
        /// Of shear.
        shear: f64 = 0.0 => SECONDS;
        /// Of bending.
        bend: f64 = 0.0 => SECONDS;
    }
}

impl From<&ElasticDamping> for taut::ElasticDamping {
    fn from(d: &ElasticDamping) -> Self {
        taut::ElasticDamping { stretch: d.stretch, shear: d.shear, bend: d.bend }
    }
}

impl From<&ClothElastic> for taut::ClothElasticity {
    fn from(elastic: &ClothElastic) -> Self {
        use taut::{ClothElasticity, Membrane, Orthotropic};
        match elastic {
            ClothElastic::Continuum(c) => {
                let same = Orthotropic::isotropic(c.weft, c.poisson);
                let (warp, shear) = (c.warp.unwrap_or(same.warp), c.shear.unwrap_or(same.shear));
                ClothElasticity {
                    membrane: Membrane::Continuum(Orthotropic { warp, shear, ..same }),
                    area: c.area,
                    bend: c.bend.0,
                    damping: (&c.damping).into(),
                }
            }
            ClothElastic::StretchShear(s) => ClothElasticity {
                membrane: Membrane::StretchShear { weft: s.weft, warp: s.warp.unwrap_or(s.weft), shear: s.shear },
                area: s.area,
                bend: s.bend.0,
                damping: (&s.damping).into(),
            },
            ClothElastic::Links(l) => ClothElasticity {
                membrane: Membrane::Links { stretch: l.stretch, shear: l.shear, bend: l.bend },
                area: 0.0,
                bend: [0.0; 2],
                damping: (&l.damping).into(),
            },
        }
    }
}

section! {
    /// How a soft body resists, in physical units: St Venant–Kirchhoff, the same in all directions.
    pub struct SolidElastic {
        /// Young's modulus.
        young: f64 = 1e5 => PRESSURE;
        /// Poisson's ratio.
        poisson: f64 = 0.3 => Rule::ANY.above(-1.0).to(0.499_999);
        /// Resistance to a change of volume, beside the strains'. Turns elements back that are inside out.
        volume: f64 = 1e4 => PRESSURE;
        /// Damping time: the force grows by this times the rate of the strain.
        damping: f64 = 0.0 => SECONDS;
    }
}

impl From<&SolidElastic> for taut::SolidElasticity {
    fn from(s: &SolidElastic) -> Self {
        taut::SolidElasticity { young: s.young, poisson: s.poisson, volume: s.volume, damping: s.damping }
    }
}

/// A fabric of the library, by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FabricName(pub &'static Fabric);

impl FabricName {
    fn names() -> Vec<(&'static str, &'static Fabric)> {
        fabric::all().iter().flat_map(|f| f.names().map(move |name| (name, f))).collect()
    }
}

impl Value for FabricName {
    fn expected(_: &Rule) -> String {
        "the name of a fabric (`taut fabrics` lists them)".into()
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        let (_, fabric) = choose::named(reader, node, &Self::expected(rule), &Self::names(), |(name, _)| name)?;
        Some(FabricName(fabric))
    }

    fn schema(_: &Rule) -> Json {
        let each = |(name, fabric): (&str, &Fabric)| json!({ "const": name, "description": fabric.about });
        json!({ "oneOf": Self::names().into_iter().map(each).collect::<Vec<_>>() })
    }

    fn json(&self) -> Json {
        self.0.name.into()
    }
}

impl From<&Fabric> for taut::ClothElasticity {
    fn from(fabric: &Fabric) -> Self {
        fabric.engine.elasticity()
    }
}
