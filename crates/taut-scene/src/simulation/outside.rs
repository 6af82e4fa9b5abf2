//! Cloth that begins inside of a body, or beneath a layer that it is worn over, is put outside by its shape alone:
//! before any time goes by, and without a velocity.

use super::ground::{Ground, Rim, has_inside, looks};
use super::links;
use super::skin::components;
use super::surface::volume;
use super::unsolved::diagonal;
use super::whole::{self, Give, Tie, draw_together};
use super::{ColliderObject, Object, ObjectKind, Simulation, pins};
use glam::DVec3;
use std::collections::HashMap;
use std::sync::Arc;
use taut::internals::contact::exact::IntersectionFinder;

/// What putting cloth outside came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PutOut {
    /// Vertices that were elsewhere before.
    pub vertices: usize,
    /// How far the furthest of them was put, m.
    pub furthest: f64,
}

/// Times at most that what still crosses is put further out.
const LOOKS: usize = 14;
/// Times that cloth is drawn together and put out again, for each of those.
const TURNS: usize = 24;
/// Rounds of drawing together in each turn.
const ROUNDS: usize = 6;
/// How much further from where it crosses something a vertex is put each time, as a factor and m.
const FURTHER: (f64, f64) = (1.5, 2e-4);
/// Cloth is put no further off than this share of the size of what it is put out of.
const FURTHEST: f64 = 0.03;
/// What is deeper beneath a layer than this share of that layer's size was not meant to be over it.
const DEEPEST: f64 = 0.1;
/// A body in more pieces than this is taken as a whole.
const MOST_PIECES: usize = 32;
/// Cloth without a limit is kept as long as it was, but for this share.
const STRETCH: f64 = 0.05;
/// More than the gap, so that nothing has to be looked at twice for rounding.
const AMPLE: f64 = 1.0 + 1e-6;

/// A surface that cloth belongs outside of.
struct Inner {
    positions: Arc<[[f64; 3]]>,
    triangles: Vec<[u32; 3]>,
    thickness: f64,
    /// The layer that it is; nothing for a body.
    layer: Option<u32>,
}

/// A cloth on its way out.
struct Outer {
    places: Vec<[f64; 3]>,
    held: Vec<bool>,
    edges: Vec<[u32; 2]>,
    ties: Vec<Tie>,
    /// How far off each vertex is put at least, m.
    gaps: Vec<f64>,
}

/// A surface as a cloth sees it on its way out.
struct Before<'a> {
    ground: Ground<'a>,
    deepest: f64,
    /// For each vertex of the cloth where it was when it was last looked at (m), and how far it may go before it has
    /// to be looked at again.
    clear: Vec<(DVec3, f64)>,
}

impl Simulation {
    /// Puts cloth out of bodies in the pose they are in, and out of the layers that it is worn over, the innermost
    /// first.
    pub(super) fn put_outside(&mut self) -> PutOut {
        let mut done = PutOut::default();
        if !self.scene.settings.contact.on {
            return done;
        }
        pins::put_on(&self.drive.pins, &self.drive.colliders, &mut *self.world);
        let mut inner: Vec<Inner> = self.drive.colliders.iter().filter(|c| !c.simple()).flat_map(pieces).collect();
        let pinned = self.drive.pinned();
        let layer = |object: usize| self.scene.settings.cloth.get(object).map_or(0, |cloth| cloth.surface.layer);
        let cloth = |&object: &usize| self.objects[object].kind == ObjectKind::Cloth;
        let mut order: Vec<usize> = (0..self.objects.len()).filter(cloth).collect();
        order.sort_by_key(|&object| layer(object));
        for at in order {
            let (object, thickness) = (&self.objects[at], self.thickness_of(at));
            let first = object.vertices.start;
            let before = self.world.positions(object.vertices.clone());
            let mut outer = Outer::new(object, before.clone(), self.limit_of(at));
            object.pinned(&pinned).iter().for_each(|&vertex| outer.held[(vertex - first) as usize] = true);
            let beneath = inner.iter().filter(|inner| thickness > 0.0 && inner.layer.is_none_or(|of| of < layer(at)));
            outer.ties.retain(|tie| tie.between.iter().any(|&vertex| !outer.held[vertex as usize]));
            outer.put_out(&object.info.triangles, &beneath.collect::<Vec<_>>(), thickness);
            let moved = |(a, b): (&[f64; 3], &[f64; 3])| DVec3::from(*a).distance((*b).into());
            let ways = || before.iter().zip(&outer.places).map(moved);
            done.vertices += ways().filter(|&way| way > 0.0).count();
            done.furthest = ways().fold(done.furthest, f64::max);
            self.world.set_positions(first, &outer.places);
            let (positions, triangles) = (outer.places.into(), object.info.triangles.clone());
            inner.push(Inner { positions, triangles, thickness, layer: Some(layer(at)) });
        }
        done
    }

    /// The distance that a cloth keeps from others, of which half is its own, m.
    fn thickness_of(&self, object: usize) -> f64 {
        let materials = &self.watch.materials;
        materials.get(object).or(materials.last()).map_or(0.0, |material| material.thickness)
    }

    /// How far a cloth may be stretched.
    fn limit_of(&self, object: usize) -> f64 {
        let bounds = taut::limit::LimitSpec::bounds_of_body(self.world.limits(), object);
        super::tightest(&bounds).min(STRETCH)
    }
}

/// The pieces of a body that have an inside, each on its own: a piece may reach into another. Of very many, all
/// together.
fn pieces(collider: &ColliderObject) -> Vec<Inner> {
    let positions: Arc<[[f64; 3]]> = collider.positions(0.0).into();
    // Along a seam of its texture a body has every vertex twice.
    let mut known = HashMap::new();
    let same: Vec<u32> =
        (0..).zip(positions.iter()).map(|(at, p)| *known.entry(p.map(|x| (x + 0.0).to_bits())).or_insert(at)).collect();
    let all: Vec<[u32; 3]> = collider.mesh.triangles.iter().map(|t| t.map(|v| same[v as usize])).collect();
    let edges: Vec<[u32; 2]> = all.iter().flat_map(|&[a, b, c]| [[a, b], [b, c]]).collect();
    let piece = components(positions.len(), &edges);
    let mut sorted: Vec<(u32, [u32; 3])> = all.iter().map(|t| (piece[t[0] as usize], *t)).collect();
    sorted.sort_by_key(|(piece, _)| *piece);
    let own = |part: &[(u32, [u32; 3])]| part.iter().map(|(_, triangle)| *triangle).collect::<Vec<_>>();
    let mut parts: Vec<Vec<[u32; 3]>> = sorted.chunk_by(|a, b| a.0 == b.0).map(own).collect();
    if parts.len() > MOST_PIECES {
        parts = vec![all];
    }
    let thickness = collider.thickness();
    let one = |triangles| Inner { positions: positions.clone(), triangles, thickness, layer: None };
    parts.into_iter().filter(|triangles| has_inside(triangles)).map(one).collect()
}

impl Inner {
    /// 1 if its triangles are seen counter-clockwise from outside, or −1: away from the bodies beneath it, or else from
    /// its own middle.
    fn outwards(&self, bodies: &[&Inner]) -> f64 {
        let normals = crate::write::vertex_normals(&self.positions, &self.triangles);
        let grounds = bodies.iter().map(|body| Ground::new(&body.positions, &body.triangles));
        let grounds: Vec<Ground> = grounds.collect();
        let away = |place: DVec3| {
            let feet = grounds.iter().filter_map(|ground| ground.foot(place));
            let nearest = feet.min_by(|a, b| a.0.distance_squared(place).total_cmp(&b.0.distance_squared(place)));
            nearest.map_or(DVec3::ZERO, |(_, normal)| normal)
        };
        let facing = |(p, n): (&[f64; 3], &[f64; 3])| away((*p).into()).dot((*n).into());
        let facing: f64 = self.positions.iter().zip(&normals).map(facing).sum();
        if facing != 0.0 {
            return facing.signum();
        }
        let count = self.positions.len().max(1) as f64;
        let middle = self.positions.iter().map(|&p| DVec3::from(p)).sum::<DVec3>() / count;
        let about: Vec<[f64; 3]> = self.positions.iter().map(|&p| (DVec3::from(p) - middle).into()).collect();
        if volume(&about, &self.triangles) < 0.0 { -1.0 } else { 1.0 }
    }
}

impl Outer {
    /// A cloth at some places (m), which may be stretched by a share.
    fn new(object: &Object, places: Vec<[f64; 3]>, limit: f64) -> Outer {
        let edges = links::edges(object, &object.vertices.clone().collect::<Vec<_>>());
        let ties = whole::ties(&edges, &places, limit);
        let count = places.len();
        Outer { places, held: vec![false; count], edges, ties, gaps: vec![0.0; count] }
    }

    /// Puts it out of what is beneath, as far as that can be done, and draws it together around that.
    fn put_out(&mut self, triangles: &[[u32; 3]], beneath: &[&Inner], thickness: f64) {
        let bodies: Vec<&Inner> = beneath.iter().filter(|inner| inner.layer.is_none()).copied().collect();
        let count = self.places.len();
        let furthest = beneath.iter().map(|inner| FURTHEST * diagonal(&inner.positions)).fold(0.0, f64::max);
        let of = |inner: &&'_ Inner| inner.thickness;
        self.gaps = vec![0.5 * (thickness + beneath.iter().map(of).fold(0.0, f64::max)); count];
        let mut surfaces: Vec<Before> = Vec::new();
        for inner in beneath {
            let new = Ground::new(&inner.positions, &inner.triangles);
            let (ground, deepest) = match inner.layer {
                None => (new, f64::INFINITY),
                Some(_) => {
                    let rim = Rim::of(inner.positions.len(), &inner.triangles);
                    (new.facing(inner.outwards(&bodies), rim), DEEPEST * diagonal(&inner.positions))
                }
            };
            surfaces.push(Before { ground, deepest, clear: vec![(DVec3::ZERO, -1.0); count] });
        }
        let mut crossing = Crossing::new(&self.places, triangles, beneath);
        let mut give = Give::NONE;
        for look in 0..LOOKS {
            let mut out = false;
            for _ in 0..TURNS {
                out = self.lift(&mut surfaces) == 0.0;
                if self.draw_together(give.factor) && out {
                    break;
                }
                (out, give) = (false, give.after());
            }
            if !out {
                self.lift(&mut surfaces);
            }
            let crosses = crossing.find(&self.places);
            if crosses.is_empty() || look + 1 == LOOKS {
                break;
            }
            for vertex in crosses {
                let gap = &mut self.gaps[vertex as usize];
                *gap = (*gap * FURTHER.0 + FURTHER.1).min(furthest);
                surfaces.iter_mut().for_each(|surface| surface.clear[vertex as usize].1 = -1.0);
            }
        }
    }

    /// What is held stays. Whether nothing was too long.
    fn draw_together(&mut self, give: f64) -> bool {
        let before = self.places.clone();
        for round in 0..ROUNDS {
            if draw_together(&mut self.places, &self.ties, give, 1) {
                return round == 0;
            }
            let held = self.held.iter().zip(&before).zip(&mut self.places).filter(|((held, _), _)| **held);
            held.for_each(|((_, before), place)| *place = *before);
        }
        false
    }

    /// Puts every vertex and every edge out once. Gives how far the furthest had to go, m.
    fn lift(&mut self, surfaces: &mut [Before]) -> f64 {
        let mut most: f64 = 0.0;
        for surface in surfaces {
            for vertex in 0..self.places.len() {
                let place = DVec3::from(self.places[vertex]);
                let clear = &mut surface.clear[vertex];
                if self.held[vertex] && clear.1 >= 0.0 || place.distance(clear.0) < clear.1 {
                    continue;
                }
                let gap = self.gaps[vertex];
                let Some((distance, normal)) = surface.ground.off(place) else { continue };
                *clear = (place, (distance - gap).max(0.0));
                if distance < gap && distance > -surface.deepest && !self.held[vertex] {
                    let by = (gap * AMPLE - distance) * normal;
                    *clear = (place + by, 0.0);
                    self.places[vertex] = (place + by).into();
                    most = most.max(by.length());
                }
            }
            for &[a, b] in &self.edges {
                let ends = [a, b].map(|v| v as usize);
                let [p, q] = ends.map(|v| DVec3::from(self.places[v]));
                let room = |v: usize| surface.clear[v].1 - surface.clear[v].0.distance(self.places[v].into());
                if ends.iter().all(|&v| self.held[v]) || ends.map(room).into_iter().sum::<f64>() > p.distance(q) {
                    continue;
                }
                // Half as far is enough between two that are out.
                let gap = self.gaps[ends[0]].min(self.gaps[ends[1]]);
                for share in looks(p.distance(q), gap) {
                    let [p, q] = ends.map(|v| DVec3::from(self.places[v]));
                    let Some(by) = surface.ground.lift(p.lerp(q, share), 0.5 * gap, surface.deepest) else { continue };
                    // One that is held leaves all of it to the other.
                    let ways = match ends.map(|v| self.held[v]) {
                        [true, _] => [DVec3::ZERO, by / share],
                        [_, true] => [by / (1.0 - share), DVec3::ZERO],
                        _ => [by; 2],
                    };
                    self.places[ends[0]] = (p + ways[0]).into();
                    self.places[ends[1]] = (q + ways[1]).into();
                    most = most.max(by.length());
                }
            }
        }
        most
    }
}

/// Finds which vertices of a cloth are at triangles that cross something.
struct Crossing {
    finder: IntersectionFinder,
    cloth: Vec<[u32; 3]>,
    rest: Vec<[f64; 3]>,
}

impl Crossing {
    fn new(places: &[[f64; 3]], cloth: &[[u32; 3]], beneath: &[&Inner]) -> Crossing {
        let (mut positions, mut triangles) = (places.to_vec(), cloth.to_vec());
        for inner in beneath {
            let base = positions.len() as u32;
            positions.extend_from_slice(&inner.positions);
            triangles.extend(inner.triangles.iter().map(|t| t.map(|v| v + base)));
        }
        let finder = IntersectionFinder::new(&positions, &triangles);
        Crossing { finder, cloth: cloth.to_vec(), rest: positions.split_off(places.len()) }
    }

    /// In ascending order.
    fn find(&mut self, places: &[[f64; 3]]) -> Vec<u32> {
        let positions = [places, &self.rest].concat();
        let pairs = self.finder.find(&positions);
        let cloth = |triangle: u32| self.cloth.get(triangle as usize);
        let crosses = pairs.iter().filter_map(|&(a, b)| cloth(a).filter(|_| cloth(b).is_none()));
        let mut vertices: Vec<u32> = crosses.flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{SphereDetail, SphereParams, sphere};

    /// A ring of two rows around a ball, or two that reach into each other, and partly inside.
    fn outer(radius: f64, edges: &[[u32; 2]]) -> Outer {
        let place = |k: u32| {
            let angle = f64::from(k / 2) / 48.0 * std::f64::consts::TAU;
            [radius * angle.cos() + 0.02, if k.is_multiple_of(2) { 0.0 } else { 0.02 }, radius * angle.sin()]
        };
        let places: Vec<[f64; 3]> = (0..96).map(place).collect();
        let ties = whole::ties(edges, &places, 0.02);
        Outer { held: vec![false; 96], edges: edges.to_vec(), ties, gaps: vec![0.0; 96], places }
    }

    /// A ring that reaches into two balls which overlap, each a surface of its own: out of both, hardly stretched; and
    /// one that is too small for them is stretched alike all around.
    #[test]
    fn a_ring_is_put_out_of_a_body_in_pieces() {
        let ball = |at: f64| {
            let detail = SphereDetail::Divisions(8);
            let ball = sphere(&SphereParams { radius: 0.1, detail, ..Default::default() }).unwrap();
            let positions: Vec<[f64; 3]> = ball.positions.iter().map(|p| [p[0] + at, p[1], p[2]]).collect();
            Inner { positions: positions.into(), triangles: ball.triangles, thickness: 0.001, layer: None }
        };
        let body = [ball(0.0), ball(0.03)];
        let triangles: Vec<[u32; 3]> = (0..48)
            .flat_map(|k| {
                let (a, b) = (2 * k, 2 * ((k + 1) % 48));
                [[a, b, a + 1], [b, b + 1, a + 1]]
            })
            .collect();
        let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        edges.iter_mut().for_each(|edge| edge.sort_unstable());
        edges.sort_unstable();
        edges.dedup();
        let beneath: Vec<&Inner> = body.iter().collect();
        for (radius, most) in [(0.115, 1.06), (0.09, 1.5)] {
            let mut ring = outer(radius, &edges);
            let before = ring.places.clone();
            assert!(!Crossing::new(&ring.places, &triangles, &beneath).find(&ring.places).is_empty());
            ring.put_out(&triangles, &beneath, 0.001);
            assert_eq!(Crossing::new(&ring.places, &triangles, &beneath).find(&ring.places), [0; 0], "{radius}");
            let length = |x: &[[f64; 3]], [a, b]: [u32; 2]| DVec3::from(x[a as usize]).distance(x[b as usize].into());
            let stretch = |edge: &[u32; 2]| length(&ring.places, *edge) / length(&before, *edge);
            let worst = edges.iter().map(stretch).fold(0.0, f64::max);
            assert!(worst < most, "{radius}: {worst}");
        }
    }
}
