//! Which solids are stiff enough to be held, and what hangs together in them.

use super::Inextensibility;
use super::cluster::minus;
use super::sheet::{MARGIN, USUAL_LIMIT, modulus};
use crate::boundary::sorted_faces;
use crate::constraint::{Batch, Elements, Visit};
use crate::element::{Element, Quantity, RestShape};
use crate::lanes::{Scalar, V3};
use crate::sets::DisjointSets;

/// The number of no body.
pub(super) const NONE: u32 = u32::MAX;

/// Tetrahedra that hang together over their faces, all of them stiff.
pub(super) struct StiffBody {
    /// The corner of the box around it with the least coordinates, m.
    pub corner: [f64; 3],
    /// The longest side of the box, m.
    pub extent: f64,
    /// The mean length of an edge, m.
    pub edge: f64,
}

/// What is to be held of the solids in a model, in the model's vertex numbers.
pub(super) struct StiffBodies {
    pub list: Vec<StiffBody>,
    /// The body of each vertex, or [`NONE`]. What belongs to two bodies is a joint of theirs, and part of neither.
    pub of: Vec<u32>,
    /// Edges, each once.
    pub ties: Vec<[u32; 2]>,
    /// Tetrahedra with their volumes at rest, m³.
    pub tets: Vec<([u32; 4], f64)>,
}

impl StiffBodies {
    pub fn of<T: Scalar>(
        elements: &Elements<T>,
        place: &[[f64; 3]],
        mass: &[f64],
        settings: &Inextensibility,
        gravity: [f64; 3],
    ) -> Self {
        let mut gather = GatherSolids { tets: Vec::new(), corners: Vec::new() };
        elements.for_each(&mut gather);
        let GatherSolids { tets, corners } = gather;
        let faces = sorted_faces(&corners);
        let inner = || faces.chunk_by(|a, b| a.0 == b.0).filter(|f| f.len() > 1).map(|f| [f[0].1 / 4, f[1].1 / 4]);
        let whole = components(tets.len(), inner());
        let loads = loads(&tets, &corners, &whole, &faces, place, mass, gravity);
        let limit = if settings.max_stretch > 0.0 { settings.max_stretch } else { USUAL_LIMIT };
        let stiff: Vec<bool> =
            (0..tets.len()).map(|t| tets[t].modulus * limit >= MARGIN * loads[whole[t] as usize]).collect();
        let part = components(tets.len(), inner().filter(|pair| pair.iter().all(|&t| stiff[t])));
        let mut of = vec![NONE; place.len()];
        let mut joint = vec![false; place.len()];
        for (t, v) in (0..tets.len()).filter(|&t| stiff[t]).flat_map(|t| corners[t].map(|v| (t, v as usize))) {
            joint[v] |= of[v] != NONE && of[v] != part[t];
            of[v] = part[t];
        }
        (0..of.len()).filter(|&v| joint[v]).for_each(|v| of[v] = NONE);
        let tets = (0..tets.len()).filter(|&t| stiff[t]).map(|t| (corners[t], tets[t].volume)).collect();
        let mut bodies = StiffBodies { list: Vec::new(), of, ties: Vec::new(), tets };
        bodies.tie();
        bodies.number();
        bodies.measure(place);
        bodies
    }

    /// The edges of tetrahedra, within a body.
    fn tie(&mut self) {
        for (c, _) in &self.tets {
            for [a, b] in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(|e| e.map(|k| c[k])) {
                if self.of[a as usize] != NONE && self.of[a as usize] == self.of[b as usize] {
                    self.ties.push([a.min(b), a.max(b)]);
                }
            }
        }
        self.ties.sort_unstable();
        self.ties.dedup();
    }

    /// Numbers bodies from 0 in the order of their first vertices.
    fn number(&mut self) {
        let mut number = std::collections::BTreeMap::new();
        for of in self.of.iter_mut().filter(|of| **of != NONE) {
            let next = number.len() as u32;
            *of = *number.entry(*of).or_insert(next);
        }
        let none = || StiffBody { corner: [f64::INFINITY; 3], extent: 0.0, edge: 0.0 };
        self.list.resize_with(number.len(), none);
    }

    fn measure(&mut self, place: &[[f64; 3]]) {
        let mut most = vec![[f64::NEG_INFINITY; 3]; self.list.len()];
        for (p, &b) in place.iter().zip(&self.of).filter(|p| *p.1 != NONE) {
            let corner = &mut self.list[b as usize].corner;
            for k in 0..3 {
                corner[k] = corner[k].min(p[k]);
                most[b as usize][k] = most[b as usize][k].max(p[k]);
            }
        }
        let mut count = vec![0.0; self.list.len()];
        for &[a, b] in &self.ties {
            let body = self.of[a as usize] as usize;
            self.list[body].edge += length(minus(place[b as usize], place[a as usize]));
            count[body] += 1.0;
        }
        for (b, body) in self.list.iter_mut().enumerate() {
            body.extent = minus(most[b], body.corner).into_iter().fold(0.0, f64::max);
            body.edge /= f64::max(count[b], 1.0);
        }
    }
}

fn length(d: [f64; 3]) -> f64 {
    V3::from(d).norm2().sqrt()
}

/// Which numbers below `count` hang together by `pairs`: for each the least that does.
fn components(count: usize, pairs: impl Iterator<Item = [usize; 2]>) -> Vec<u32> {
    let mut sets = DisjointSets::new(count);
    pairs.for_each(|[a, b]| sets.join(a as u32, b as u32));
    sets.names()
}

/// For each component the stress (Pa) in its skin if it were clamped at one end and stuck out sideways: 3 ρ g L²/t, as
/// in a beam or plate of length L and thickness t = 2 V/S.
fn loads(
    tets: &[Tet],
    corners: &[[u32; 4]],
    whole: &[u32],
    faces: &[([u32; 3], usize)],
    place: &[[f64; 3]],
    mass: &[f64],
    gravity: [f64; 3],
) -> Vec<f64> {
    let n = tets.len();
    let (mut volume, mut skin, mut kg) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let (mut least, mut most) = (vec![[f64::INFINITY; 3]; n], vec![[f64::NEG_INFINITY; 3]; n]);
    let mut tets_of = vec![0.0; place.len()];
    corners.iter().flatten().for_each(|&v| tets_of[v as usize] += 1.0);
    for t in 0..n {
        let c = whole[t] as usize;
        volume[c] += tets[t].volume;
        for v in corners[t].map(|v| v as usize) {
            kg[c] += mass[v] / tets_of[v];
            for k in 0..3 {
                least[c][k] = place[v][k].min(least[c][k]);
                most[c][k] = place[v][k].max(most[c][k]);
            }
        }
    }
    for alone in faces.chunk_by(|a, b| a.0 == b.0).filter(|f| f.len() == 1) {
        let [a, b, c] = alone[0].0.map(|v| V3::from(place[v as usize]));
        skin[whole[alone[0].1 / 4] as usize] += 0.5 * (b - a).cross(c - a).norm2().sqrt();
    }
    let pull = length(gravity);
    let g = if pull > 0.0 { pull } else { 9.81 };
    let load = |c: usize| {
        let long = minus(most[c], least[c]).into_iter().fold(0.0, f64::max);
        let thick = 2.0 * volume[c] / f64::max(skin[c], 1e-300);
        3.0 * kg[c] / f64::max(volume[c], 1e-300) * g * long * long / f64::max(thick, 1e-300)
    };
    (0..n).map(load).collect()
}

struct Tet {
    /// The least along the axes and between them, Pa; infinite where projected.
    modulus: f64,
    /// m³.
    volume: f64,
}

struct GatherSolids {
    tets: Vec<Tet>,
    corners: Vec<[u32; 4]>,
}

impl<T: Scalar> Visit<T> for GatherSolids {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        for e in batch.elements() {
            if let (RestShape::Tetrahedron { volume, as_built }, &[a, b, c, d]) =
                (E::shape(&e.rest()), &e.vertices()[..])
            {
                let strains = |r: &usize| matches!(E::ROWS[*r].quantity, Quantity::Stretch(_) | Quantity::Shear(..));
                let moduli = (0..R).filter(strains).map(|r| modulus::<E, T, V, D, P, R>(&e, r, volume));
                // What is at rest at another size than that of the mesh has another shape.
                let least = if as_built { moduli.fold(f64::INFINITY, f64::min) } else { 0.0 };
                self.tets.push(Tet { modulus: least, volume });
                self.corners.push([a, b, c, d]);
            }
        }
    }
}
