//! What may be: bands of strain.

use super::LimitError;
use super::error::bad;

/// The values that a strain may have. 0 is rest, 0.1 is ten percent longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The least, 0 or below; −∞ sets no limit.
    pub least: f64,
    /// The most, 0 or above; ∞ sets no limit.
    pub most: f64,
}

impl Band {
    /// No limit.
    pub const NONE: Band = Band { least: f64::NEG_INFINITY, most: f64::INFINITY };

    /// A limit in tension only, as in Provot's method and CSL §4.
    pub fn upto(most: f64) -> Self {
        Band { least: f64::NEG_INFINITY, most }
    }

    /// The same limit in tension and compression, or for shear to both sides.
    pub fn both(size: f64) -> Self {
        Band { least: -size, most: size }
    }

    /// How much shorter a length may be than at rest; ∞ sets no limit.
    pub(crate) fn shorter(self) -> f64 {
        -self.least.min(0.0)
    }

    /// Whether there is a limit at all.
    pub fn limits(self) -> bool {
        self.least > f64::NEG_INFINITY || self.most < f64::INFINITY
    }

    /// Bounds are numbers with zero between them. Rest must be allowed, or a solver could be asked for shapes that no
    /// row has a gradient towards.
    pub(super) fn check(self, name: &'static str) -> Result<(), LimitError> {
        let expected = "a band that contains 0";
        match self {
            Band { least, .. } if least.is_nan() || least > 0.0 => bad(name, least, expected),
            Band { most, .. } if most.is_nan() || most < 0.0 => bad(name, most, expected),
            _ => Ok(()),
        }
    }
}

/// Limits on the strain of a triangle (or, where a method says so, on its rate in 1/s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainLimits {
    /// Along weft.
    pub weft: Band,
    /// Along warp.
    pub warp: Band,
    /// Shear: the off-diagonal entry of the strain tensor for CSL, the cosine of the angle between the axes for SBD.
    pub shear: Band,
}

impl StrainLimits {
    /// No limits.
    pub const NONE: StrainLimits = StrainLimits { weft: Band::NONE, warp: Band::NONE, shear: Band::NONE };

    /// The paper's triple (weft, warp, shear): stretch limited in tension, shear to both sides.
    pub fn new(weft: f64, warp: f64, shear: f64) -> Self {
        StrainLimits { weft: Band::upto(weft), warp: Band::upto(warp), shear: Band::both(shear) }
    }

    /// The same, with compression limited as well: "forces the cloth to buckle" (CSL §6).
    pub fn both(weft: f64, warp: f64, shear: f64) -> Self {
        StrainLimits { weft: Band::both(weft), warp: Band::both(warp), shear: Band::both(shear) }
    }

    /// Limits can be used, and there is one for all elements or one for each.
    pub(super) fn check_all(limits: &[StrainLimits], elements: usize) -> Result<(), LimitError> {
        limits.iter().try_for_each(StrainLimits::check)?;
        if limits.len() == 1 || limits.len() == elements {
            return Ok(());
        }
        Err(LimitError::Length { list: "limits", found: limits.len(), expected: elements })
    }

    fn check(&self) -> Result<(), LimitError> {
        self.weft.check("weft limit")?;
        self.warp.check("warp limit")?;
        self.shear.check("shear limit")
    }
}

/// How far cloth may be stretched at the end of a step, whatever else acts on it, along soft directions too: the set of
/// all shapes within bounds on tension is convex, so that contact and bounds can be met together. (One on shear is not,
/// and is treated in the same way.) ∞ sets no bound, 0 is one.
///
/// Bounds on how much shorter lengths may become are met beside them as far as that can be: no motion is given up for
/// them, for cloth that may not become shorter cannot fold but along the edges of its triangles.
///
/// Weft and warp are threads: between them, on the bias, cloth gives by shear, and only bounds on shear or along any
/// direction hold that. What lies between held vertices alone has no bounds. What cannot be met is named in
/// [`InextensibilityReport::missed`](crate::InextensibilityReport::missed).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchBounds {
    /// Strain along weft, |F u| − 1.
    pub weft: f64,
    /// Strain along warp.
    pub warp: f64,
    /// Shear: the cosine of the angle between weft and warp, to both sides; 1 or more sets no bound.
    pub shear: f64,
    /// Strain along any direction: the larger singular value of F, less 1.
    pub any: f64,
    /// Strain of edges.
    pub edge: f64,
    /// How much shorter threads along weft may be than at rest, 1 − |F u|; 1 or more sets no bound.
    pub weft_shorter: f64,
    /// The same along warp.
    pub warp_shorter: f64,
    /// The same of edges.
    pub edge_shorter: f64,
    /// How much larger a triangle's area may be than at rest, over that.
    pub area: f64,
    /// How much smaller it may be; 1 or more sets no bound.
    pub area_less: f64,
    /// How much larger a tetrahedron's volume may be than at rest, over that.
    pub volume: f64,
    /// How much smaller it may be; 1 or more sets no bound.
    pub volume_less: f64,
}

impl StretchBounds {
    /// No bounds.
    pub const NONE: StretchBounds = StretchBounds {
        weft: f64::INFINITY,
        warp: f64::INFINITY,
        shear: f64::INFINITY,
        any: f64::INFINITY,
        edge: f64::INFINITY,
        weft_shorter: f64::INFINITY,
        warp_shorter: f64::INFINITY,
        edge_shorter: f64::INFINITY,
        area: f64::INFINITY,
        area_less: f64::INFINITY,
        volume: f64::INFINITY,
        volume_less: f64::INFINITY,
    };

    /// The same along weft and warp.
    pub fn threads(most: f64) -> Self {
        StretchBounds { weft: most, warp: most, ..StretchBounds::NONE }
    }

    /// Both bounds.
    pub fn and(&self, other: &StretchBounds) -> StretchBounds {
        StretchBounds {
            weft: self.weft.min(other.weft),
            warp: self.warp.min(other.warp),
            shear: self.shear.min(other.shear),
            any: self.any.min(other.any),
            edge: self.edge.min(other.edge),
            weft_shorter: self.weft_shorter.min(other.weft_shorter),
            warp_shorter: self.warp_shorter.min(other.warp_shorter),
            edge_shorter: self.edge_shorter.min(other.edge_shorter),
            area: self.area.min(other.area),
            area_less: self.area_less.min(other.area_less),
            volume: self.volume.min(other.volume),
            volume_less: self.volume_less.min(other.volume_less),
        }
    }

    pub(crate) fn check(&self) -> Result<(), LimitError> {
        let larger = [
            ("weft", self.weft),
            ("warp", self.warp),
            ("shear", self.shear),
            ("any", self.any),
            ("edge", self.edge),
            ("area", self.area),
            ("volume", self.volume),
        ];
        let smaller = [
            ("weft_shorter", self.weft_shorter),
            ("warp_shorter", self.warp_shorter),
            ("edge_shorter", self.edge_shorter),
            ("area_less", self.area_less),
            ("volume_less", self.volume_less),
        ];
        match larger.into_iter().chain(smaller).find(|(_, most)| most.is_nan() || *most < 0.0) {
            Some((name, most)) => bad(name, most, "0 or more"),
            None => Ok(()),
        }
    }
}

impl Default for StretchBounds {
    fn default() -> Self {
        StretchBounds::NONE
    }
}
