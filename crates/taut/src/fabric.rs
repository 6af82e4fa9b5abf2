//! Named fabrics: what cotton, denim or silk weigh, how they stretch, shear and bend. Where each figure was published,
//! or why it is an estimate, is in the scene crate's `fabric` module and in docs/reference/fabrics.md.

use crate::limit::{StrainLimits, StretchBounds};
use crate::{Cloth, ClothElasticity, ElasticDamping, Membrane, Orthotropic};

/// A cloth by name. *Weft* is the first direction of the material frame, *warp* the second; for knits they are the
/// courses and the wales.
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
    /// Strain along weft and warp at which it becomes nearly inextensible, and the tangent of the angle between the
    /// yarns and a right angle at which they lock.
    pub limits: [f64; 3],
    /// Coulomb's coefficient of friction on itself.
    pub friction: f64,
}

impl Fabric {
    /// Every fabric, the plainest first.
    pub fn all() -> &'static [Fabric] {
        FABRICS
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

    /// The strains at which it becomes nearly inextensible. Shear is limited as limiters measure it: with the yarns'
    /// angle γ split evenly between both of them, it is sin ½γ.
    pub fn strain_limits(&self) -> StrainLimits {
        let [weft, warp, shear] = self.limits;
        StrainLimits::new(weft, warp, (0.5 * shear.atan()).sin())
    }

    /// The same as bounds at the end of a step.
    pub fn stretch_bounds(&self) -> StretchBounds {
        let [weft, warp, shear] = self.limits;
        StretchBounds { weft, warp, shear: shear.atan().sin(), ..StretchBounds::NONE }
    }
}

impl From<&Fabric> for Cloth {
    fn from(fabric: &Fabric) -> Self {
        Cloth { density: fabric.density, elasticity: Some(fabric.elasticity()), ..Cloth::default() }
    }
}

macro_rules! fabrics {
    ($($name:literal $aliases:tt $about:literal
        $density:literal $thickness:literal $friction:literal
        ($weft:literal, $warp:literal, $poisson:literal, $shear:literal) $bending:tt $limits:tt;)*) => {
        static FABRICS: &[Fabric] = &[$(Fabric {
            name: $name,
            aliases: &$aliases,
            about: $about,
            density: $density,
            thickness: $thickness,
            membrane: Orthotropic { weft: $weft, warp: $warp, poisson: $poisson, shear: $shear },
            bending: $bending,
            limits: $limits,
            friction: $friction,
        },)*];
    };
}

// Name, aliases, about; density, thickness, friction, (membrane), [bending], [limits].
fabrics! {
    "cotton" [] "Plain-weave cotton of shirting and sheeting weight."
        0.1503 0.000318 0.5 (2800.0, 2800.0, 0.243, 36.0) [1e-05, 1.4e-05] [0.052, 0.052, 0.5];
    "polycotton" ["chino"] "Woven trouser cloth, 65 % cotton and 35 % polyester."
        0.22 0.00048 0.45 (4033.0, 4070.0, 0.24, 52.38) [1.3e-05, 2e-05] [0.052, 0.052, 0.5];
    "denim" ["jeans"] "Twill for jeans, sold as 11 oz: 99 % cotton, 1 % elastane, which makes the weft give."
        0.324 0.0009925 0.5 (410.5, 2027.0, 0.0101, 26.69) [1.708e-05, 1.708e-05] [0.05207, 0.05207, 0.5];
    "canvas" ["duck"] "Cotton duck No. 10, the heavy plain weave of tents, bags and paintings."
        0.4993 0.0011 0.5 (9200.0, 9200.0, 0.24, 120.0) [4.8e-05, 7.5e-05] [0.052, 0.052, 0.5];
    "linen" [] "Plain-weave linen of dress weight."
        0.185 0.00039 0.5 (3400.0, 3400.0, 0.24, 44.0) [8e-06, 1.6e-05] [0.052, 0.052, 0.5];
    "wool-suiting" ["suiting"]
        "Worsted of men's winter suits: the mean of the suitings that Kawabata's committee measured."
        0.2635 0.0007461 0.4 (8135.0, 8135.0, 0.28, 54.37) [1.331e-05, 1.331e-05] [0.06027, 0.06027, 0.5];
    "wool-tropical" []
        "Light worsted of men's summer suits: the mean of the suitings that Kawabata's committee measured."
        0.1887 0.0004964 0.4 (10360.0, 10360.0, 0.28, 48.24) [9.619e-06, 9.619e-06] [0.04731, 0.04731, 0.5];
    "wool" ["flannel"] "Plain-weave wool, thicker and looser than a worsted, between suiting and flannel."
        0.2348 0.000568 0.45 (7200.0, 7200.0, 0.277, 48.0) [1e-05, 2.1e-05] [0.06, 0.06, 0.5];
    "silk-habotai" ["silk", "habotai"] "Plain-weave silk of 8 momme, for linings and scarves."
        0.03472 5.3e-05 0.3 (1100.0, 1100.0, 0.38, 9.6) [9.6e-07, 1.1e-06] [0.052, 0.052, 0.5];
    "silk-charmeuse" ["charmeuse", "satin"] "Satin-weave silk of 19 momme, for gowns and sheets."
        0.08246 0.00013 0.25 (2600.0, 2600.0, 0.38, 9.6) [3.5e-06, 3.2e-06] [0.052, 0.052, 0.5];
    "chiffon" [] "Sheer plain-weave silk of 6 momme from hard-twisted yarns."
        0.02604 4e-05 0.35 (810.0, 820.0, 0.38, 9.6) [1e-06, 1.3e-06] [0.052, 0.052, 0.5];
    "polyester" ["taffeta"] "Plain woven polyester of tablecloth and lining weight."
        0.128 0.0002 0.3 (4004.0, 4055.0, 0.38, 9.595) [5.2e-06, 9.7e-06] [0.052, 0.052, 0.5];
    "nylon-ripstop" ["ripstop"] "Parachute cloth to MIL-C-7020 Type I, also for kites and spinnakers."
        0.0373 7.62e-05 0.3 (25000.0, 25000.0, 0.38, 9.6) [9.6e-07, 1.1e-06] [0.019, 0.019, 0.5];
    "jersey" ["t-shirt", "interlock"] "T-shirt knit: an interlock of 60 % cotton and 40 % polyester."
        0.187 0.00053 0.5 (20.66, 42.92, 0.2, 18.43) [5.6e-06, 8.6e-06] [0.6, 0.3, 0.8];
    "rib-knit" [] "Rib knit of underwear, 95 % cotton and 5 % elastane."
        0.276 0.00078 0.5 (85.74, 130.3, -0.0036, 41.59) [9.2e-06, 1.3e-05] [0.8, 0.4, 0.8];
    "ponte-knit" ["ponte"] "Ponte roma, the firm double knit of jackets: 60 % polyester, 40 % viscose."
        0.284 0.0008 0.5 (54.85, 77.53, 0.2, 15.95) [9.6e-06, 1.3e-05] [0.5, 0.25, 0.8];
    "swim-knit" ["spandex", "lycra"] "Swimsuit knit, 87 % nylon and 13 % elastane."
        0.204 0.00058 0.4 (95.05, 207.3, 0.0653, 30.39) [7.6e-06, 1.1e-05] [1.0, 1.0, 0.8];
    "blanket" ["fleece"] "Blanket of polyester, the nearest measured cloth to fleece."
        0.228 0.00065 0.6 (211.2, 341.3, 0.4331, 15.13) [5e-06, 8.6e-06] [0.3, 0.2, 0.8];
    "leather" ["nappa"] "Sheep nappa of garments."
        0.45 0.0008 0.6 (3200.0, 3200.0, 0.3, 1200.0) [4.7e-05, 4.7e-05] [0.3, 0.3, 0.3];
    "rubber" ["latex"] "Sheet of vulcanised natural rubber, half a millimetre thick."
        0.475 0.0005 1.0 (750.0, 750.0, 0.5, 250.0) [2.083e-05, 2.083e-05] [1.0, 1.0, 1.0];
}
