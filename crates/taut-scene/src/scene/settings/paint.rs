//! Painted maps: lists of numbers beside a scene, and what of a cloth varies with them.

use super::cap::ShearCap;
use super::limit::Fraction;
use crate::scene::decode::Rule;
use taut::limit::StretchBounds;

const FACTOR: Rule = Rule::ANY.from(0.0).to(1e6);
const DENSITY: Rule = Rule::ANY.above(0.0).to(1e6);
const REST: Rule = Rule::ANY.from(0.01).to(100.0);
const STRAIN: Rule = Rule::ANY.from(0.0).to(100.0);
const TANGENT: Rule = Rule::ANY.from(0.0).to(1000.0);

section! {
    /// A map from a file beside the scene: a number for every vertex, in the mesh's order.
    pub struct MapFile {
        /// What it is called.
        name: String;
        /// A file in the scene's folder: NPY, or text with a number on each line.
        file: String;
        /// Of text with several columns the one with this name in the first line; the first if not given.
        column: Option<String> = None;
    }
}

section! {
    /// What of a cloth varies with a map: for each key what holds where the map is 0 and where it is 1, and in between
    /// what is between. A triangle has the mean of its corners.
    pub struct Vary {
        /// The name of a map of the mesh, of a file in `maps`, or of a group or material, which is 1 inside and 0
        /// outside.
        map: String;
        /// Factors on the mass.
        density: Option<[f64; 2]> = None => DENSITY;
        /// Factors on the stiffness along the weft.
        weft: Option<[f64; 2]> = None => FACTOR;
        /// Factors on the stiffness along the warp.
        warp: Option<[f64; 2]> = None => FACTOR;
        /// Factors on the stiffness in shear.
        shear: Option<[f64; 2]> = None => FACTOR;
        /// Factors on the stiffness in bending.
        bend: Option<[f64; 2]> = None => FACTOR;
        /// Factors on how fast motion along each kind of deformation dies.
        damping: Option<[f64; 2]> = None => FACTOR;
        /// Factors on the distance kept from other surfaces. Simple shapes keep their own.
        thickness: Option<[f64; 2]> = None => FACTOR;
        /// Factors on the friction against other surfaces. Simple shapes have their own.
        friction: Option<[f64; 2]> = None => FACTOR;
        /// Factors on the length along the weft that counts as unstretched: below 1 it shrinks.
        rest_weft: Option<[f64; 2]> = None => REST;
        /// Factors on the length along the warp that counts as unstretched.
        rest_warp: Option<[f64; 2]> = None => REST;
        /// How far it may be stretched along the weft, in place of all other limits: fractions, or text such as "2 %".
        max_weft: Option<[Fraction; 2]> = None => STRAIN;
        /// How far it may be stretched along the warp, likewise.
        max_warp: Option<[Fraction; 2]> = None => STRAIN;
        /// How far it may be sheared, likewise: text such as "20 deg", or the tangent of the angle.
        max_shear: Option<[ShearCap; 2]> = None => TANGENT;
    }
}

impl Vary {
    /// What it says about stretch where the map has a value from 0 to 1; ∞ where it says nothing.
    pub(crate) fn bounds(&self, at: f64) -> StretchBounds {
        let between = |[a, b]: [f64; 2]| if a.is_finite() && b.is_finite() { a + (b - a) * at } else { f64::INFINITY };
        let strain = |pair: &Option<[Fraction; 2]>| pair.map_or(f64::INFINITY, |pair| between(pair.map(|f| f.0)));
        StretchBounds {
            weft: strain(&self.max_weft),
            warp: strain(&self.max_warp),
            shear: self.max_shear.map_or(f64::INFINITY, |pair| between(pair.map(ShearCap::cosine))),
            ..StretchBounds::NONE
        }
    }

    /// Whether it says anything about stretch.
    pub(crate) fn limits(&self) -> bool {
        self.max_weft.is_some() || self.max_warp.is_some() || self.max_shear.is_some()
    }

    /// Whether it says anything at all.
    pub(crate) fn is_empty(&self) -> bool {
        let factors =
            [self.density, self.weft, self.warp, self.shear, self.bend, self.damping, self.rest_weft, self.rest_warp];
        !self.limits() && !self.meets() && factors.iter().all(Option::is_none)
    }

    /// Whether it says anything about how surfaces meet.
    pub(crate) fn meets(&self) -> bool {
        self.thickness.is_some() || self.friction.is_some()
    }

    /// The largest factors on thickness and friction.
    pub(crate) fn most_contact(&self) -> [f64; 2] {
        [self.thickness, self.friction].map(|pair| pair.map_or(1.0, |[a, b]| a.max(b)))
    }

    /// Factors on thickness and friction where the map has a value from 0 to 1, over the largest.
    pub(crate) fn contact(&self, at: f64) -> [f64; 2] {
        let of = |pair: Option<[f64; 2]>| match pair {
            Some([a, b]) if a.max(b) > 0.0 => (a + (b - a) * at) / a.max(b),
            _ => 1.0,
        };
        [of(self.thickness), of(self.friction)]
    }

    /// A material where the map has a value from 0 to 1.
    pub(crate) fn apply(&self, cloth: &mut taut::Cloth, at: f64) {
        let factor = |pair: Option<[f64; 2]>| pair.map_or(1.0, |[a, b]| a + (b - a) * at);
        let [weft, warp, shear, bend] = [self.weft, self.warp, self.shear, self.bend].map(factor);
        cloth.density *= factor(self.density);
        cloth.rest_stretch[0] *= factor(self.rest_weft);
        cloth.rest_stretch[1] *= factor(self.rest_warp);
        let k = &mut cloth.stiffness;
        // Shares of what a projection removes: no more than all of it.
        for (share, factor) in [(&mut k.weft, weft), (&mut k.warp, warp), (&mut k.shear, shear), (&mut k.bend, bend)] {
            *share = (*share * factor).min(1.0);
        }
        let (d, damping) = (&mut cloth.damping, factor(self.damping));
        for rate in [&mut d.weft, &mut d.warp, &mut d.shear, &mut d.area, &mut d.bend, &mut d.edge] {
            *rate *= damping;
        }
        let Some(elastic) = &mut cloth.elasticity else { return };
        let d = &mut elastic.damping;
        (d.stretch, d.shear, d.bend) = (d.stretch * damping, d.shear * damping, d.bend * damping);
        elastic.bend = elastic.bend.map(|rigidity| rigidity * bend);
        match &mut elastic.membrane {
            taut::Membrane::Continuum(m) => {
                (m.weft, m.warp, m.shear) = (m.weft * weft, m.warp * warp, m.shear * shear);
            }
            taut::Membrane::StretchShear { weft: a, warp: b, shear: c } => {
                (*a, *b, *c) = (*a * weft, *b * warp, *c * shear);
            }
            taut::Membrane::Links { .. } => {}
        }
    }
}
