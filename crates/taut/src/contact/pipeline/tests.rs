//! Nothing that can meet is missing among the pairs, however the ways turn out.

use super::*;
use crate::contact::candidates::{PairKind, Pairs};
use crate::contact::ccd::{edge_edge_impact, vertex_triangle_impact};
use crate::contact::untangle::Exempt;
use crate::contact::{ColliderMesh, ContactMaterial, Pose, Shape};
use crate::lanes::V3;
use std::collections::BTreeSet;

/// Numbers in (−1, 1).
struct Dice(u64);

impl Dice {
    fn throw(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, size: f64) -> [f64; 3] {
        core::array::from_fn(|_| size * self.throw())
    }
}

const SIDE: usize = 9;

/// Positions, m, and triangles.
type SheetMesh = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// A sheet of 8 × 8 cm at height `y` (m).
fn sheet(y: f64, dice: &mut Dice) -> SheetMesh {
    let at = |i: usize| i as f64 * 0.01;
    let place = |k: usize| [at(k % SIDE), y, at(k / SIDE)];
    let shaken = |(p, d): ([f64; 3], [f64; 3])| core::array::from_fn(|k| p[k] + d[k]);
    let positions = (0..SIDE * SIDE).map(|k| shaken((place(k), dice.vector(0.0008)))).collect();
    let mut triangles = Vec::new();
    for k in (0..SIDE * (SIDE - 1)).filter(|k| k % SIDE != SIDE - 1).map(|k| k as u32) {
        let n = SIDE as u32;
        triangles.extend([[k, k + n, k + 1], [k + 1, k + n, k + n + 1]]);
    }
    (positions, triangles)
}

/// The surfaces of some sheets, and a state with their vertices, free, and the spare one.
fn bodies(sheets: &[SheetMesh]) -> (Arc<ModelSurfaces>, Vec<Vertex<f64>>) {
    let rest: Vec<[f64; 3]> = sheets.iter().flat_map(|s| &s.0).copied().collect();
    let shifted = |(i, s): (usize, &SheetMesh)| s.1.iter().map(|t| t.map(|v| v + (i * SIDE * SIDE) as u32)).collect();
    let x = rest.iter().map(|p| [p[0], p[1], p[2], 1.0]).chain([[0.0; 4]]).collect();
    (Arc::new(ModelSurfaces::new(rest, sheets.iter().enumerate().map(shifted))), x)
}

/// Opens a pipeline for bodies with their vertices at `x`.
fn open(
    pipeline: &mut ContactPipeline<f64>,
    surfaces: &Arc<ModelSurfaces>,
    colliders: &[Collider],
    meshes: &[MeshCollider],
    x: &[Vertex<f64>],
) {
    let contact = Contact { materials: vec![ContactMaterial::default()], ..Contact::default() };
    assert!(pipeline.open(&ContactInput {
        surfaces: Some(surfaces),
        contact: &contact,
        colliders,
        meshes,
        x,
        pins: Pins { targets: &[], v: &[], dt: 1.0 },
        version: 0
    }));
}

/// Pairs of features that meet on the straight ways of an interval, found by trying all.
fn hits(pipeline: &ContactPipeline<f64>) -> Vec<(PairKind, [u32; 4])> {
    let IntervalMotion { from, to, .. } = &pipeline.motion;
    let path = |&i: &u32| [V3::from(from[i as usize]), V3::from(to[i as usize])];
    let cloth = |party: usize| !pipeline.surfaces.parties[party].collider;
    let mut out = Vec::new();
    let bvhs = pipeline.surfaces.bvhs();
    for (i, f) in bvhs.iter().enumerate() {
        for (j, g) in bvhs.iter().enumerate().filter(|(j, _)| cloth(i) || cloth(*j)) {
            for v in &f.surface().vertices {
                for t in g.surface().triangles.iter().filter(|t| !t.contains(v)) {
                    if vertex_triangle_impact(path(v), [path(&t[0]), path(&t[1]), path(&t[2])], 0.0).is_some() {
                        out.push((PairKind::VertexTriangle, [*v, t[0], t[1], t[2]]));
                    }
                }
            }
            for [a, b] in f.surface().edges.iter().filter(|_| i <= j) {
                for [c, d] in g.surface().edges.iter().filter(|e| !e.contains(a) && !e.contains(b)) {
                    if edge_edge_impact([path(a), path(b)], [path(c), path(d)], 0.0).is_some() {
                        out.push((PairKind::EdgeEdge, [*a, *b, *c, *d]));
                    }
                }
            }
        }
    }
    out
}

/// Whether this pair is among some.
fn known(pairs: &Pairs, kind: PairKind, [a, b, c, d]: [u32; 4]) -> bool {
    let list = &pairs[kind].nodes;
    list.contains(&[a, b, c, d]) || kind == PairKind::EdgeEdge && list.contains(&[c, d, a, b])
}

/// Two sheets slide over each other and over a box that turns; some vertices go where nobody expected, some have to
/// stay. Intervals are cut short or not.
#[test]
fn pairs_hold_all_that_can_meet() {
    let (mut dice, mut all, mut shortened, mut amended) = (Dice(77), 0, 0, 0);
    for round in 0..24 {
        let (surfaces, old) = bodies(&[0.0, 0.004].map(|y| sheet(y, &mut dice)));
        let turned = Pose { position: [0.04, -0.03, 0.04], rotation: [0.0, 0.05 * dice.throw(), 0.0, 1.0] };
        let mut solid = Collider::fixed(Shape::Box { half: [0.03, 0.028, 0.03] }, Pose::at([0.04, -0.032, 0.04]));
        solid.to = turned;
        let n = old.len() - 1;
        let fast = [0.0002, 0.002, 0.006][round % 3];
        let drift: Vec<[f64; 3]> = (0..2).map(|_| dice.vector(fast)).collect();
        let mut x = old.clone();
        for v in &mut x[..n] {
            let shift = drift[usize::from(v[1] > 0.002)];
            (0..3).for_each(|k| v[k] += shift[k]);
        }
        let mut pipeline = ContactPipeline::<f64>::default();
        open(&mut pipeline, &surfaces, &[solid], &[], &old);
        pipeline.begin_interval(
            &ContactSubstep { number: 0, of: 10, h: 1e-3, every: 10, within: [0.0, 1.0] },
            &old,
            &x,
        );
        shortened += usize::from(pipeline.motion.interval.count < 10);
        let wild = |dice: &mut Dice| if dice.throw() > 0.8 { 0.02 } else { 0.0005 };
        for i in 0..n {
            let size = wild(&mut dice);
            let by = dice.vector(size);
            (0..3).for_each(|k| pipeline.motion.to[i][k] += by[k]);
        }
        let some: Vec<u32> = (0..n as u32).filter(|_| dice.throw() > 0.95).collect();
        let ContactPipeline { surfaces, motion, candidates, .. } = &mut pipeline;
        let mut allowed = Allowed::default();
        candidates.amend(surfaces, Search::of(motion, &Exempt::default(), &allowed), &[]);
        some.iter().for_each(|&i| allowed.add(i as usize, motion.from[i as usize]));
        candidates.amend(surfaces, Search::of(motion, &Exempt::default(), &allowed), &some);
        amended += usize::from(candidates.amended.contains(&true));
        assert!(some.iter().all(|&i| candidates.regions[i as usize].holds(motion.from[i as usize])));
        assert!((0..n).all(|i| candidates.regions[i].holds(motion.to[i])));
        for (kind, nodes) in hits(&pipeline) {
            assert!(known(&pipeline.candidates.pairs, kind, nodes), "round {round}: {kind:?} {nodes:?}");
            all += 1;
        }
    }
    assert!(all > 1000 && shortened > 5 && amended > 5, "{all} {shortened} {amended}");
}

/// With no work left all is held, and nothing need be proved but of colliders, which are named where they run into it.
/// Pairs for that say nothing of what comes after.
#[test]
fn with_no_work_left_all_is_held() {
    let mut dice = Dice(3);
    let (surfaces, old) = bodies(&[0.0, 0.004].map(|y| sheet(y, &mut dice)));
    let n = old.len() - 1;
    let mut x = old.clone();
    for v in &mut x[..n] {
        let by = dice.vector(0.01);
        (0..3).for_each(|k| v[k] += by[k]);
    }
    for (rise, runs_in) in [(0.0, false), (0.04, true)] {
        let mut solid = Collider::fixed(Shape::Box { half: [0.03, 0.028, 0.03] }, Pose::at([0.04, -0.032, 0.04]));
        solid.to = Pose::at([0.04, -0.032 + rise, 0.04]);
        let mut pipeline = ContactPipeline::<f64>::default();
        open(&mut pipeline, &surfaces, &[solid], &[], &old);
        pipeline.begin_interval(&ContactSubstep { number: 0, of: 1, h: 1e-3, every: 1, within: [0.0, 1.0] }, &old, &x);
        pipeline.safe.most = 0;
        let corrections = pipeline.end_interval(&x).1.to_vec();
        assert_eq!(corrections.len(), n);
        assert!(corrections.iter().all(|c| c.to == xyz(old[c.vertex as usize])));
        let IntervalSafety { held, impossible, between, removed, .. } = pipeline.safe.interval;
        assert_eq!((held, impossible > 0, between.colliders[0]), (n as u64, runs_in, runs_in.then_some(0)));
        assert!(removed > 1e-3 * n as f64, "what was taken back is counted: {removed} m");
        let ContactPipeline { surfaces, motion, candidates, .. } = &mut pipeline;
        candidates.amend(surfaces, Search::of(motion, &Exempt::default(), &Allowed::default()), &[]);
        let hits = hits(&pipeline);
        assert!(hits.len() > 100, "{}", hits.len());
        assert!(hits.iter().all(|&(kind, nodes)| known(&pipeline.candidates.pairs, kind, nodes)));
    }
}

/// Meshes that stand still are not fitted again; whatever changes about them, pairs are those of who sees them for the
/// first time.
#[test]
fn meshes_that_stand_still_are_seen_where_they_are() {
    let mut dice = Dice(5);
    let (surfaces, x) = bodies(&[sheet(0.0, &mut dice)]);
    let below = sheet(-0.003, &mut dice);
    let shape = Arc::new(ColliderMesh::new(&below.0, &below.1));
    let still = MeshCollider::fixed(shape);
    let at = |y: f64| -> Arc<[[f64; 3]]> { still.from.iter().map(|p| [p[0], p[1] + y, p[2]]).collect() };
    let (near, far) = (at(0.0005), at(-0.05));
    let placed = |from: &Arc<[[f64; 3]]>, to: &Arc<[[f64; 3]]>, thickness: f64| MeshCollider {
        from: from.clone(),
        to: to.clone(),
        thickness,
        ..still.clone()
    };
    let through = at(0.003);
    let steps = [
        vec![still.clone()],
        vec![still.clone()],
        vec![placed(&still.from, &still.from, 0.02)],
        vec![placed(&near, &near, 0.002)],
        vec![placed(&near, &far, 0.002)],
        vec![placed(&far, &far, 0.002)],
        vec![],
        // What begins tangled is looked at with other boxes.
        vec![placed(&through, &through, 0.002)],
        vec![still.clone(), placed(&near, &near, 0.002)],
        vec![placed(&near, &near, 0.002), still.clone()],
        vec![still.clone()],
    ];
    let see = |pipeline: &mut ContactPipeline<f64>, meshes: &[MeshCollider]| {
        open(pipeline, &surfaces, &[], meshes, &x);
        pipeline.begin_interval(&ContactSubstep { number: 0, of: 1, h: 1e-3, every: 1, within: [0.0, 1.0] }, &x, &x);
        pipeline.candidates.pairs.clone()
    };
    let mut pipeline = ContactPipeline::default();
    let mut sizes = BTreeSet::new();
    for (step, meshes) in steps.iter().enumerate() {
        let pairs = see(&mut pipeline, meshes);
        assert!(pairs == see(&mut ContactPipeline::default(), meshes), "step {step}");
        sizes.insert(pairs.counts().iter().sum::<usize>());
    }
    assert!(sizes.len() >= 5, "{sizes:?}");
}
