//! A surface as what stands on it sees it: its nearest point, which side is outside, and places kept off it.

use super::whole::{Give, Tie, draw_together};
use crate::generate::nearest::{Hit, Nearest};
use crate::write::vertex_normals;
use glam::DVec3;
use std::collections::HashMap;

/// Lengths below this have no direction, m.
const NOWHERE: f64 = 1e-9;
/// What is nearest to a rim is on a side of it if it is so much across the surface, as a share of its distance; else it
/// is beyond its end.
const ABREAST: f64 = 0.7;
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
    /// Where it ends.
    rim: Rim,
}

/// Where a surface that is open ends: what is nearest to it there is on neither side.
#[derive(Clone, Debug, Default)]
pub(super) struct Rim(Vec<bool>);

impl Rim {
    /// The vertices, of so many, at edges of one triangle alone.
    pub fn of(count: usize, triangles: &[[u32; 3]]) -> Rim {
        let mut rim = vec![false; count];
        let open = sides(triangles).into_iter().filter(|(_, count)| *count == 1);
        open.for_each(|(edge, _)| edge.iter().for_each(|&vertex| rim[vertex as usize] = true));
        Rim(rim)
    }

    /// Whether a point of a triangle is on it.
    fn has(&self, triangle: [u32; 3], weights: [f64; 3]) -> bool {
        let at = |vertex: u32| self.0.get(vertex as usize).copied().unwrap_or(false);
        triangle.iter().zip(weights).all(|(&vertex, weight)| weight < BESIDE || at(vertex))
            && weights.iter().any(|&weight| weight < BESIDE)
    }
}

impl<'a> Ground<'a> {
    /// One with vertices at some positions, m.
    pub fn new(positions: &'a [[f64; 3]], triangles: &'a [[u32; 3]]) -> Self {
        let outwards = if super::surface::volume(positions, triangles) < 0.0 { -1.0 } else { 1.0 };
        let normals = vertex_normals(positions, triangles);
        let (nearest, rim) = (Nearest::new(positions, triangles), Rim::default());
        Ground { nearest, positions, triangles, normals, outwards, rim }
    }

    /// The same with another outside, and with a rim.
    pub fn facing(self, outwards: f64, rim: Rim) -> Self {
        Ground { outwards, rim, ..self }
    }

    /// The point that is nearest to a place (m), and the direction outwards there.
    pub fn foot(&self, place: DVec3) -> Option<(DVec3, DVec3)> {
        let hit = self.nearest.find(place, None)?;
        let corners = self.triangles[hit.triangle].map(|v| DVec3::from(self.positions[v as usize]));
        let foot = (0..3).map(|k| hit.weights[k] * corners[k]).sum::<DVec3>();
        let (away, side) = (place - foot, self.side(&hit, corners));
        let askew = away.dot(side).abs() < ABREAST * away.length() * side.length();
        if askew && self.rim.has(self.triangles[hit.triangle], hit.weights) {
            return None;
        }
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

    /// How far a place is outside of it (m), and the direction outwards there.
    pub fn off(&self, place: DVec3) -> Option<(f64, DVec3)> {
        let (foot, normal) = self.foot(place)?;
        Some(((place - foot).dot(normal), normal))
    }

    /// How far places are outside of it, m; 0 without any triangle.
    pub fn distances(&self, places: &[[f64; 3]]) -> Vec<f64> {
        let from = |&place: &[f64; 3]| self.off(place.into()).map_or(0.0, |(distance, _)| distance);
        places.iter().map(from).collect()
    }

    /// How far a place is to go to be so far outside (m); nothing if it is, or if it is deeper inside than it may be.
    pub fn lift(&self, place: DVec3, gap: f64, deepest: f64) -> Option<DVec3> {
        let (distance, normal) = self.off(place)?;
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

/// Times that places are put out and drawn together again at most: enough for what a corner stretches to spread around
/// a waistband.
const TURNS: usize = 40;
/// Rounds of drawing together in each of those.
const ROUNDS: usize = 100;
/// Parts of an edge at whose ends it is looked at, at least and at most.
const PARTS: (f64, f64) = (4.0, 32.0);

/// At which shares of an edge (m) it is looked at whether it is half as far off a surface as its ends, which are so far
/// off (m): a corner does not fit in between.
pub(super) fn looks(length: f64, gap: f64) -> impl Iterator<Item = f64> {
    let parts = (length / gap).ceil().clamp(PARTS.0, PARTS.1) as u32;
    (1..parts).map(move |part| f64::from(part) / f64::from(parts))
}

impl KeptOff {
    /// Puts places (m) out of a surface, and the edges between them with them, and draws together what that stretched
    /// too far. The surface has the last word. What is out already stays where it is, to the bit. Gives how deep the
    /// deepest was, m.
    pub fn put_out(&self, places: &mut [[f64; 3]], ground: &Ground) -> f64 {
        let deepest = self.lift(places, ground);
        if deepest == 0.0 {
            return 0.0;
        }
        let mut give = Give::NONE;
        for _ in 0..TURNS {
            let whole = draw_together(places, &self.ties, give.factor, ROUNDS);
            if self.lift(places, ground) == 0.0 && whole {
                break;
            }
            give = give.after();
        }
        deepest
    }

    /// Puts every place and every edge out once. Gives how far the furthest had to go beyond rounding, m.
    fn lift(&self, places: &mut [[f64; 3]], ground: &Ground) -> f64 {
        let mut most: f64 = 0.0;
        let enough = self.gap * (1.0 - 1e-6);
        let mut off = vec![f64::NEG_INFINITY; places.len()];
        for (place, off) in places.iter_mut().zip(&mut off) {
            let Some((distance, normal)) = ground.off((*place).into()) else { continue };
            *off = distance;
            if distance < enough && distance > -self.deepest {
                let by = (enough - distance) * normal;
                *place = (DVec3::from(*place) + by * (self.gap / enough)).into();
                most = most.max(by.length());
                *off = enough;
            }
        }
        for &[a, b] in &self.edges {
            let [a, b] = [a, b].map(|v| v as usize);
            let [p, q] = [a, b].map(|v| DVec3::from(places[v]));
            let length = p.distance(q);
            if off[a] + off[b] > length + self.gap {
                continue;
            }
            for share in looks(length, self.gap) {
                let [p, q] = [a, b].map(|v| DVec3::from(places[v]));
                // Half as far is enough between two that are out.
                if let Some(by) = ground.lift(p.lerp(q, share), 0.5 * self.gap, self.deepest) {
                    (places[a], places[b]) = ((p + by).into(), (q + by).into());
                    (off[a], off[b]) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
                    most = most.max(by.length());
                }
            }
        }
        most
    }
}

/// How many triangles each edge belongs to.
fn sides(triangles: &[[u32; 3]]) -> HashMap<[u32; 2], u32> {
    let mut sides: HashMap<[u32; 2], u32> = HashMap::new();
    for &[a, b, c] in triangles {
        [[a, b], [b, c], [c, a]].iter().for_each(|&[a, b]| *sides.entry([a.min(b), a.max(b)]).or_default() += 1);
    }
    sides
}

/// Whether a surface has an inside: hardly any of its edges belong to one triangle alone.
pub(super) fn has_inside(triangles: &[[u32; 3]]) -> bool {
    let sides = sides(triangles);
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
