//! Named fabrics: what cotton, denim or silk weigh, how they stretch, shear and bend. Where each figure was published, or why it is an
//! estimate, is in the scene crate's `fabric` module and in docs/fabrics.md.

use crate::limit::StrainLimits;
use crate::{Cloth, ClothElasticity, ElasticDamping, Membrane, Orthotropic};

/// A cloth by name. *Weft* is the first direction of the material frame, *warp* the second; for knits they are the courses and the wales.
///
/// ```
/// use taut::{Cloth, fabric::Fabric};
///
/// let denim = Fabric::named("jeans").unwrap();
/// assert_eq!((denim.name, denim.density), ("denim", 0.324));
/// let cloth = Cloth::from(denim);
/// assert_eq!(cloth.density, 0.324);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// What people call it by, in kebab case.
    pub name: &'static str,
    /// Other names that [`named`](Self::named) knows it by.
    pub aliases: &'static [&'static str],
    /// A sentence about it.
    pub about: &'static str,
    /// Mass per area, kg/m².
    pub density: f64,
    /// Thickness, m.
    pub thickness: f64,
    /// How it stretches and shears, N/m.
    pub membrane: Orthotropic,
    /// Moment per width over curvature when the weft bends, and when the warp does, N·m.
    pub bending: [f64; 2],
    /// Strain along weft and warp at which it becomes nearly inextensible, and the tangent of the angle between the yarns and a right angle
    /// at which they lock.
    pub limits: [f64; 3],
    /// Coulomb's coefficient of friction on itself.
    pub friction: f64,
}

impl Fabric {
    /// Every fabric, the plainest first.
    pub fn all() -> &'static [Fabric] {
        &FABRICS
    }

    /// The fabric with this name or alias.
    pub fn named(name: &str) -> Option<&'static Fabric> {
        FABRICS.iter().find(|fabric| fabric.names().any(|known| known == name))
    }

    /// Its name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        core::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// How it resists, without internal friction.
    pub fn elasticity(&self) -> ClothElasticity {
        let membrane = Membrane::Continuum(self.membrane);
        ClothElasticity { membrane, area: 0.0, bend: self.bending, damping: ElasticDamping::default() }
    }

    /// The strains at which it becomes nearly inextensible. Shear is limited as limiters measure it: with the yarns' angle γ split evenly between
    /// both of them, it is sin ½γ.
    pub fn strain_limits(&self) -> StrainLimits {
        let [weft, warp, shear] = self.limits;
        StrainLimits::new(weft, warp, (0.5 * shear.atan()).sin())
    }
}

impl From<&Fabric> for Cloth {
    fn from(fabric: &Fabric) -> Self {
        Cloth { density: fabric.density, elasticity: Some(fabric.elasticity()), ..Cloth::default() }
    }
}

static FABRICS: [Fabric; 20] = [
    Fabric {
        name: "cotton",
        aliases: &[],
        about: "Plain-weave cotton of shirting and sheeting weight.",
        density: 0.1503,
        thickness: 0.000318,
        membrane: Orthotropic { weft: 2800.0, warp: 2800.0, poisson: 0.243, shear: 36.0 },
        bending: [1e-05, 1.4e-05],
        limits: [0.052, 0.052, 0.5],
        friction: 0.5,
    },
    Fabric {
        name: "polycotton",
        aliases: &["chino"],
        about: "Woven trouser cloth, 65 % cotton and 35 % polyester.",
        density: 0.22,
        thickness: 0.00048,
        membrane: Orthotropic { weft: 4033.0, warp: 4070.0, poisson: 0.24, shear: 52.38 },
        bending: [1.3e-05, 2e-05],
        limits: [0.052, 0.052, 0.5],
        friction: 0.45,
    },
    Fabric {
        name: "denim",
        aliases: &["jeans"],
        about: "Twill for jeans, sold as 11 oz: 99 % cotton, 1 % elastane, which makes the weft give.",
        density: 0.324,
        thickness: 0.0009925,
        membrane: Orthotropic { weft: 410.5, warp: 2027.0, poisson: 0.0101, shear: 26.69 },
        bending: [1.708e-05, 1.708e-05],
        limits: [0.05207, 0.05207, 0.5],
        friction: 0.5,
    },
    Fabric {
        name: "canvas",
        aliases: &["duck"],
        about: "Cotton duck No. 10, the heavy plain weave of tents, bags and paintings.",
        density: 0.4993,
        thickness: 0.0011,
        membrane: Orthotropic { weft: 9200.0, warp: 9200.0, poisson: 0.24, shear: 120.0 },
        bending: [4.8e-05, 7.5e-05],
        limits: [0.052, 0.052, 0.5],
        friction: 0.5,
    },
    Fabric {
        name: "linen",
        aliases: &[],
        about: "Plain-weave linen of dress weight.",
        density: 0.185,
        thickness: 0.00039,
        membrane: Orthotropic { weft: 3400.0, warp: 3400.0, poisson: 0.24, shear: 44.0 },
        bending: [8e-06, 1.6e-05],
        limits: [0.052, 0.052, 0.5],
        friction: 0.5,
    },
    Fabric {
        name: "wool-suiting",
        aliases: &["suiting"],
        about: "Worsted of men's winter suits: the mean of the suitings that Kawabata's committee measured.",
        density: 0.2635,
        thickness: 0.0007461,
        membrane: Orthotropic { weft: 8135.0, warp: 8135.0, poisson: 0.28, shear: 54.37 },
        bending: [1.331e-05, 1.331e-05],
        limits: [0.06027, 0.06027, 0.5],
        friction: 0.4,
    },
    Fabric {
        name: "wool-tropical",
        aliases: &[],
        about: "Light worsted of men's summer suits: the mean of the suitings that Kawabata's committee measured.",
        density: 0.1887,
        thickness: 0.0004964,
        membrane: Orthotropic { weft: 10360.0, warp: 10360.0, poisson: 0.28, shear: 48.24 },
        bending: [9.619e-06, 9.619e-06],
        limits: [0.04731, 0.04731, 0.5],
        friction: 0.4,
    },
    Fabric {
        name: "wool",
        aliases: &["flannel"],
        about: "Plain-weave wool, thicker and looser than a worsted, between suiting and flannel.",
        density: 0.2348,
        thickness: 0.000568,
        membrane: Orthotropic { weft: 7200.0, warp: 7200.0, poisson: 0.277, shear: 48.0 },
        bending: [1e-05, 2.1e-05],
        limits: [0.06, 0.06, 0.5],
        friction: 0.45,
    },
    Fabric {
        name: "silk-habotai",
        aliases: &["silk", "habotai"],
        about: "Plain-weave silk of 8 momme, for linings and scarves.",
        density: 0.03472,
        thickness: 5.3e-05,
        membrane: Orthotropic { weft: 1100.0, warp: 1100.0, poisson: 0.38, shear: 9.6 },
        bending: [9.6e-07, 1.1e-06],
        limits: [0.052, 0.052, 0.5],
        friction: 0.3,
    },
    Fabric {
        name: "silk-charmeuse",
        aliases: &["charmeuse", "satin"],
        about: "Satin-weave silk of 19 momme, for gowns and sheets.",
        density: 0.08246,
        thickness: 0.00013,
        membrane: Orthotropic { weft: 2600.0, warp: 2600.0, poisson: 0.38, shear: 9.6 },
        bending: [3.5e-06, 3.2e-06],
        limits: [0.052, 0.052, 0.5],
        friction: 0.25,
    },
    Fabric {
        name: "chiffon",
        aliases: &[],
        about: "Sheer plain-weave silk of 6 momme from hard-twisted yarns.",
        density: 0.02604,
        thickness: 4e-05,
        membrane: Orthotropic { weft: 810.0, warp: 820.0, poisson: 0.38, shear: 9.6 },
        bending: [1e-06, 1.3e-06],
        limits: [0.052, 0.052, 0.5],
        friction: 0.35,
    },
    Fabric {
        name: "polyester",
        aliases: &["taffeta"],
        about: "Plain woven polyester of tablecloth and lining weight.",
        density: 0.128,
        thickness: 0.0002,
        membrane: Orthotropic { weft: 4004.0, warp: 4055.0, poisson: 0.38, shear: 9.595 },
        bending: [5.2e-06, 9.7e-06],
        limits: [0.052, 0.052, 0.5],
        friction: 0.3,
    },
    Fabric {
        name: "nylon-ripstop",
        aliases: &["ripstop"],
        about: "Parachute cloth to MIL-C-7020 Type I, also for kites and spinnakers.",
        density: 0.0373,
        thickness: 7.62e-05,
        membrane: Orthotropic { weft: 25000.0, warp: 25000.0, poisson: 0.38, shear: 9.6 },
        bending: [9.6e-07, 1.1e-06],
        limits: [0.019, 0.019, 0.5],
        friction: 0.3,
    },
    Fabric {
        name: "jersey",
        aliases: &["t-shirt", "interlock"],
        about: "T-shirt knit: an interlock of 60 % cotton and 40 % polyester.",
        density: 0.187,
        thickness: 0.00053,
        membrane: Orthotropic { weft: 20.66, warp: 42.92, poisson: 0.2, shear: 18.43 },
        bending: [5.6e-06, 8.6e-06],
        limits: [0.6, 0.3, 0.8],
        friction: 0.5,
    },
    Fabric {
        name: "rib-knit",
        aliases: &[],
        about: "Rib knit of underwear, 95 % cotton and 5 % elastane.",
        density: 0.276,
        thickness: 0.00078,
        membrane: Orthotropic { weft: 85.74, warp: 130.3, poisson: -0.0036, shear: 41.59 },
        bending: [9.2e-06, 1.3e-05],
        limits: [0.8, 0.4, 0.8],
        friction: 0.5,
    },
    Fabric {
        name: "ponte-knit",
        aliases: &["ponte"],
        about: "Ponte roma, the firm double knit of jackets: 60 % polyester, 40 % viscose.",
        density: 0.284,
        thickness: 0.0008,
        membrane: Orthotropic { weft: 54.85, warp: 77.53, poisson: 0.2, shear: 15.95 },
        bending: [9.6e-06, 1.3e-05],
        limits: [0.5, 0.25, 0.8],
        friction: 0.5,
    },
    Fabric {
        name: "swim-knit",
        aliases: &["spandex", "lycra"],
        about: "Swimsuit knit, 87 % nylon and 13 % elastane.",
        density: 0.204,
        thickness: 0.00058,
        membrane: Orthotropic { weft: 95.05, warp: 207.3, poisson: 0.0653, shear: 30.39 },
        bending: [7.6e-06, 1.1e-05],
        limits: [1.0, 1.0, 0.8],
        friction: 0.4,
    },
    Fabric {
        name: "blanket",
        aliases: &["fleece"],
        about: "Blanket of polyester, the nearest measured cloth to fleece.",
        density: 0.228,
        thickness: 0.00065,
        membrane: Orthotropic { weft: 211.2, warp: 341.3, poisson: 0.4331, shear: 15.13 },
        bending: [5e-06, 8.6e-06],
        limits: [0.3, 0.2, 0.8],
        friction: 0.6,
    },
    Fabric {
        name: "leather",
        aliases: &["nappa"],
        about: "Sheep nappa of garments.",
        density: 0.45,
        thickness: 0.0008,
        membrane: Orthotropic { weft: 3200.0, warp: 3200.0, poisson: 0.3, shear: 1200.0 },
        bending: [4.7e-05, 4.7e-05],
        limits: [0.3, 0.3, 0.3],
        friction: 0.6,
    },
    Fabric {
        name: "rubber",
        aliases: &["latex"],
        about: "Sheet of vulcanised natural rubber, half a millimetre thick.",
        density: 0.475,
        thickness: 0.0005,
        membrane: Orthotropic { weft: 750.0, warp: 750.0, poisson: 0.5, shear: 250.0 },
        bending: [2.083e-05, 2.083e-05],
        limits: [1.0, 1.0, 1.0],
        friction: 1.0,
    },
];
