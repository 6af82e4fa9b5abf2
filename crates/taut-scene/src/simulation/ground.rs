//! A surface as what stands on it sees it: its nearest point, which side is outside, and places kept off it.

use super::whole::{Tie, draw_together};
use crate::generate::nearest::{Hit, Nearest};
use crate::write::vertex_normals;
use glam::DVec3;
use std::collections::HashMap;

/// Lengths below this have no direction, m.
const NOWHERE: f64 = 1e-9;
/// A corner's weight below this is none: the point is on an edge or a vertex.
const BESIDE: f64 = 1e-6;

/// A surface that vertices slide on or stay before.
pub(super) struct Ground<'a> {
    nearest: Nearest,
    positions: &'a [[f64; 3]],
    triangles: &'a [[u32; 3]],
    /// Away from it at its vertices.
    normals: Vec<[f64; 3]>,
    /// 1 if its triangles are seen counter-clockwise from outside, or −1.
    outwards: f64,
}

impl<'a> Ground<'a> {
    /// One with vertices at some positions, m.
    pub fn new(positions: &'a [[f64; 3]], triangles: &'a [[u32; 3]]) -> Self {
        let outwards = if super::surface::volume(positions, triangles) < 0.0 { -1.0 } else { 1.0 };
        let normals = vertex_normals(positions, triangles);
        Ground { nearest: Nearest::new(positions, triangles), positions, triangles, normals, outwards }
    }

    /// The point that is nearest to a place (m), and the direction outwards there.
    pub fn foot(&self, place: DVec3) -> Option<(DVec3, DVec3)> {
        let hit = self.nearest.find(place, None)?;
        let corners = self.triangles[hit.triangle].map(|v| DVec3::from(self.positions[v as usize]));
        let foot = (0..3).map(|k| hit.weights[k] * corners[k]).sum::<DVec3>();
        let (away, side) = (place - foot, self.side(&hit, corners));
        let away = if away.dot(side) < 0.0 { -away } else { away };
        let normal = if away.length() > NOWHERE { away } else { side };
        Some((foot, normal.try_normalize()?))
    }

    /// Outwards at a point of it. On an edge or vertex one triangle alone does not tell which side a place is on.
    fn side(&self, hit: &Hit, [a, b, c]: [DVec3; 3]) -> DVec3 {
        if hit.weights.iter().all(|&weight| weight > BESIDE) {
            return self.outwards * (b - a).cross(c - a);
        }
        let normal = |k: usize| DVec3::from(self.normals[self.triangles[hit.triangle][k] as usize]);
        self.outwards * (0..3).map(|k| hit.weights[k] * normal(k)).sum::<DVec3>()
    }

    /// How far places are outside of it, m; 0 without any triangle.
    pub fn distances(&self, places: &[[f64; 3]]) -> Vec<f64> {
        let from = |&place: &[f64; 3]| {
            self.foot(place.into()).map_or(0.0, |(foot, normal)| (DVec3::from(place) - foot).dot(normal))
        };
        places.iter().map(from).collect()
    }

    /// How far a place is to go to be so far outside (m); nothing if it is, or if it is deeper inside than it may be.
    fn lift(&self, place: DVec3, gap: f64, deepest: f64) -> Option<DVec3> {
        let (foot, normal) = self.foot(place)?;
        let distance = (place - foot).dot(normal);
        (distance < gap && distance > -deepest).then(|| (gap - distance) * normal)
    }
}

/// What keeps held places off the body that they follow.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptOff {
    /// How far off they are at least, m.
    pub gap: f64,
    /// What is deeper inside than this was not meant to be outside, m.
    pub deepest: f64,
    /// Edges of the cloth between them, by their places in the list.
    pub edges: Vec<[u32; 2]>,
    /// How long those may be.
    pub ties: Vec<Tie>,
}

/// Times that places are put out and drawn together again at most.
const TURNS: usize = 12;
/// Parts of an edge at whose ends it is looked at.
const PARTS: u32 = 4;

impl KeptOff {
    /// Puts places (m) out of a surface, and the edges between them with them, and draws together what that stretched
    /// too far. The surface has the last word. What is out already stays where it is, to the bit. Gives how deep the
    /// deepest was, m.
    pub fn put_out(&self, places: &mut [[f64; 3]], ground: &Ground) -> f64 {
        let deepest = self.lift(places, ground);
        if deepest == 0.0 {
            return 0.0;
        }
        for _ in 0..TURNS {
            let whole = draw_together(places, &self.ties, TURNS);
            if self.lift(places, ground) == 0.0 && whole {
                break;
            }
        }
        deepest
    }

    /// Puts every place and every edge out once. Gives how far the furthest had to go beyond rounding, m.
    fn lift(&self, places: &mut [[f64; 3]], ground: &Ground) -> f64 {
        let mut most: f64 = 0.0;
        let enough = self.gap * (1.0 - 1e-6);
        for place in places.iter_mut() {
            if let Some(by) = ground.lift(DVec3::from(*place), enough, self.deepest) {
                *place = (DVec3::from(*place) + by * (self.gap / enough)).into();
                most = most.max(by.length());
            }
        }
        for &[a, b] in &self.edges {
            let [a, b] = [a, b].map(|v| v as usize);
            for part in 1..PARTS {
                let [p, q] = [a, b].map(|v| DVec3::from(places[v]));
                // Half as far is enough between two that are out.
                let between = p.lerp(q, f64::from(part) / f64::from(PARTS));
                if let Some(by) = ground.lift(between, 0.5 * self.gap, self.deepest) {
                    (places[a], places[b]) = ((p + by).into(), (q + by).into());
                    most = most.max(by.length());
                }
            }
        }
        most
    }
}

/// Whether a surface has an inside: hardly any of its edges belong to one triangle alone.
pub(super) fn has_inside(triangles: &[[u32; 3]]) -> bool {
    let mut sides: HashMap<[u32; 2], u32> = HashMap::new();
    for &[a, b, c] in triangles {
        [[a, b], [b, c], [c, a]].iter().for_each(|&[a, b]| *sides.entry([a.min(b), a.max(b)]).or_default() += 1);
    }
    let open = sides.values().filter(|&&count| count == 1).count();
    !triangles.is_empty() && open <= sides.len() / 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{SphereDetail, SphereParams, sphere};

    /// A ring that is partly inside a ball: out with all its edges, hardly longer, and untouched where it is out.
    #[test]
    fn a_ring_is_put_out_with_its_edges() {
        let ball =
            sphere(&SphereParams { radius: 0.1, detail: SphereDetail::Divisions(8), ..Default::default() }).unwrap();
        assert!(has_inside(&ball.triangles) && !has_inside(&ball.triangles[..40]));
        let ground = Ground::new(&ball.positions, &ball.triangles);
        let angle = |k: u32| f64::from(k) / 24.0 * std::f64::consts::TAU;
        let ring: Vec<[f64; 3]> = (0..24).map(|k| [0.12 * angle(k).cos() + 0.03, 0.0, 0.12 * angle(k).sin()]).collect();
        let edges: Vec<[u32; 2]> = (0..24).map(|k| [k.min((k + 1) % 24), k.max((k + 1) % 24)]).collect();
        let off = KeptOff { gap: 0.001, deepest: 0.1, ties: super::super::whole::ties(&edges, &ring, 0.02), edges };
        let mut places = ring.clone();
        let deepest = off.put_out(&mut places, &ground);
        assert!((0.005..0.015).contains(&deepest), "{deepest}");
        assert!(ground.distances(&places).iter().all(|&d| d > 0.00099), "{:?}", ground.distances(&places));
        for &[a, b] in &off.edges {
            let [p, q] = [a, b].map(|v| DVec3::from(places[v as usize]));
            let [p0, q0] = [a, b].map(|v| DVec3::from(ring[v as usize]));
            assert!(ground.distances(&[p.midpoint(q).into()])[0] > 0.0, "{a}");
            assert!(p.distance(q) < 1.03 * p0.distance(q0), "{a}: {}", p.distance(q) / p0.distance(q0));
        }
        let again = places.clone();
        assert_eq!((off.put_out(&mut places, &ground), places), (0.0, again), "what is out stays");
    }
}
