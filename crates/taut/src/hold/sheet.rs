//! What of a model is to be held: triangles, their shape at rest, and along which directions.

use super::Hold;
use super::pace::Pace;
use crate::element::Element;
use crate::lanes::{BLOCK, Scalar, Vertex};
use crate::model::{Model, Visit};
use crate::pack::{Batch, SLACK};

/// The triangles of all cloth in a model, in the model's vertex numbers.
pub(super) struct Sheet {
    /// Corners.
    pub triangles: Vec<[u32; 3]>,
    /// x1 − x0 and x2 − x0 at rest, in weft and warp, m.
    pub edges: Vec<[[f64; 2]; 2]>,
    /// Whether it is held along weft and along warp.
    pub held: Vec<[bool; 2]>,
    /// Edges that are held as such: ends, length at rest (m).
    pub links: Vec<([u32; 2], f64)>,
    /// Masses by vertex, kg.
    pub mass: Vec<f64>,
    /// How to step it.
    pub pace: Pace,
}

/// A triangle is held along a direction if the weight of the cloth, hung up by as much of its border as it is long, this many
/// times over stretches it by less than the limit.
pub(super) const MARGIN: f64 = 4.0;
/// Where no limit says how stiff is stiff.
pub(super) const USUAL_LIMIT: f64 = 0.01;
/// The least share of a row's error, removed by a sweep, that counts as held.
pub(super) const LEAST_SHARE: f64 = 0.5;

impl Sheet {
    pub fn of<T: Scalar>(model: &Model<T>, hold: &Hold, gravity: [f64; 3]) -> Self {
        let mut gather = Gather { found: Vec::new(), links: Vec::new() };
        model.elements.for_each(&mut gather);
        let Gather { found, links } = gather;
        let mass: Vec<f64> = model.user.iter().map(|&u| model.masses[u as usize]).collect();
        let pull = gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
        let limit = if hold.max_stretch > 0.0 { hold.max_stretch } else { USUAL_LIMIT };
        let total: f64 = found.iter().map(|f| area(&f.edges)).sum();
        let mut cloth: Vec<u32> = found.iter().flat_map(|f| f.corners).collect();
        cloth.sort_unstable();
        cloth.dedup();
        let heavy: f64 = cloth.iter().map(|&v| mass[v as usize]).sum();
        let weight = heavy * if pull > 0.0 { pull } else { 9.81 };
        // Force per width, N/m: the whole weight on an edge as long as the cloth.
        let load = weight / total.sqrt().max(1e-30);
        let stiff = |modulus: f64| modulus * limit >= MARGIN * load;
        let mut linked = vec![false; mass.len()];
        for ([a, b], _) in &links {
            (linked[*a as usize], linked[*b as usize]) = (true, true);
        }
        let by_links = |t: &[u32; 3]| t.iter().all(|&v| linked[v as usize]);
        let mut sheet =
            Sheet { triangles: Vec::new(), edges: Vec::new(), held: Vec::new(), links, mass, pace: Pace::STIFF };
        let (mut rates, mut soft) = (0.0, 0.0);
        for f in found {
            let all = by_links(&f.corners);
            let held = f.modulus.map(|m| all || stiff(m));
            let most = (0..2).filter(|&k| !held[k]).map(|k| f.modulus[k]).fold(0.0, f64::max);
            if most > 0.0 {
                // Waves over the edges of the triangle, 1/s: √(E/ρ) over the side of a square of two of it.
                let a = area(&f.edges);
                rates += a * (most * total / heavy.max(1e-300)).sqrt() / (2.0 * a).sqrt().max(1e-300);
                soft += a;
            }
            sheet.triangles.push(f.corners);
            sheet.edges.push(f.edges);
            sheet.held.push(held);
        }
        if soft > 0.0 {
            sheet.pace = Pace::soft(rates / soft);
        }
        if !sheet.held.iter().any(|h| h[0] || h[1]) {
            sheet.triangles.clear();
        }
        sheet
    }

    pub fn vertices(&self) -> usize {
        self.mass.len()
    }

    /// Whether a triangle is held by its edges.
    pub fn linked(&self) -> Vec<bool> {
        let mut linked = vec![false; self.mass.len()];
        for ([a, b], _) in &self.links {
            (linked[*a as usize], linked[*b as usize]) = (true, true);
        }
        self.triangles.iter().map(|t| t.iter().all(|&v| linked[v as usize])).collect()
    }
}

/// Of a triangle from its edges, m².
pub(super) fn area(edges: &[[f64; 2]; 2]) -> f64 {
    0.5 * (edges[0][0] * edges[1][1] - edges[0][1] * edges[1][0]).abs()
}

struct Found {
    corners: [u32; 3],
    edges: [[f64; 2]; 2],
    /// Along weft and warp, N/m; infinite where projected.
    modulus: [f64; 2],
}

struct Gather {
    found: Vec<Found>,
    links: Vec<([u32; 2], f64)>,
}

impl<T: Scalar> Visit<T> for Gather {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        for (b, block) in batch.blocks.iter().enumerate() {
            for lane in (0..BLOCK).filter(|&l| batch.source[b][l] != u32::MAX) {
                let at = |k: usize| block.places[k][lane].index::<Vertex<T>>() as u32;
                let rest = |k: usize| block.rest[k][lane].f64();
                let share = |r: usize| if E::SHARES { block.stiffness[r][lane].f64() } else { 0.0 };
                if (V, P) == (2, 2) && share(0) >= LEAST_SHARE {
                    self.links.push(([at(0), at(1)], rest(1) / rest(0)));
                }
                if (V, P) == (3, 6) {
                    let Some(edges) = edges([rest(0), rest(1), rest(2), rest(3)], [rest(4), rest(5)]) else { continue };
                    let area = area(&edges);
                    let modulus = [0, 1].map(|r| {
                        let compliance = batch.elastic.get(b).map_or(SLACK, |e| e.compliance[r][lane].f64());
                        let elastic = if compliance < SLACK { 1.0 / (compliance * area) } else { 0.0 };
                        if share(r) >= LEAST_SHARE { f64::INFINITY } else { elastic }
                    });
                    self.found.push(Found { corners: [at(0), at(1), at(2)], edges, modulus });
                }
            }
        }
    }
}

/// The edges of a triangle from its rest numbers B = Q⁻¹, at the lengths that count as unstretched.
fn edges(b: [f64; 4], stretch: [f64; 2]) -> Option<[[f64; 2]; 2]> {
    let d = 1.0 / (b[0] * b[3] - b[1] * b[2]);
    let q = [[b[3] * d, -b[1] * d], [-b[2] * d, b[0] * d]];
    let q = q.map(|e| [e[0] * stretch[0], e[1] * stretch[1]]);
    q.iter().flatten().all(|c| c.is_finite()).then_some(q)
}
