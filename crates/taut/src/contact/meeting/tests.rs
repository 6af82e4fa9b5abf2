//! Nothing that can meet is missing among the pairs, however the ways turn out.

use super::*;
use crate::contact::ccd::{edge_edge_impact, vertex_triangle_impact};
use crate::contact::detect::Kind;
use crate::mesh::TriMesh;
use crate::{Cloth, ModelBuilder, Pose, Shape};

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

/// A sheet of 8 × 8 cm at height `y` (m).
fn sheet(y: f64, dice: &mut Dice) -> TriMesh {
    let at = |i: usize| i as f64 * 0.01;
    let place = |k: usize| [at(k % SIDE), y, at(k / SIDE)];
    let shaken = |(p, d): ([f64; 3], [f64; 3])| core::array::from_fn(|k| p[k] + d[k]);
    let positions = (0..SIDE * SIDE).map(|k| shaken((place(k), dice.vector(0.0008)))).collect();
    let mut triangles = Vec::new();
    for k in (0..SIDE * (SIDE - 1)).filter(|k| k % SIDE != SIDE - 1).map(|k| k as u32) {
        let n = SIDE as u32;
        triangles.extend([[k, k + n, k + 1], [k + 1, k + n, k + n + 1]]);
    }
    TriMesh { positions, triangles, ..TriMesh::default() }
}

/// Pairs of features that meet on the straight ways of a meeting, found by trying all.
fn hits(meeting: &Meeting<f64>) -> Vec<(Kind, [u32; 4])> {
    let path = |&i: &u32| [V3::from(meeting.from[i as usize]), V3::from(meeting.to[i as usize])];
    let cloth = |side: usize| !meeting.sides[side].collider;
    let mut out = Vec::new();
    for (i, f) in meeting.fields.iter().enumerate() {
        for (j, g) in meeting.fields.iter().enumerate().filter(|(j, _)| cloth(i) || cloth(*j)) {
            for v in &f.surface().vertices {
                for t in g.surface().triangles.iter().filter(|t| !t.contains(v)) {
                    if vertex_triangle_impact(path(v), [path(&t[0]), path(&t[1]), path(&t[2])], 0.0).is_some() {
                        out.push((Kind::VertexTriangle, [*v, t[0], t[1], t[2]]));
                    }
                }
            }
            for [a, b] in f.surface().edges.iter().filter(|_| i <= j) {
                for [c, d] in g.surface().edges.iter().filter(|e| !e.contains(a) && !e.contains(b)) {
                    if edge_edge_impact([path(a), path(b)], [path(c), path(d)], 0.0).is_some() {
                        out.push((Kind::EdgeEdge, [*a, *b, *c, *d]));
                    }
                }
            }
        }
    }
    out
}

/// Whether a meeting's pairs have this one.
fn known(meeting: &Meeting<f64>, kind: Kind, [a, b, c, d]: [u32; 4]) -> bool {
    match kind {
        Kind::VertexTriangle => meeting.pairs.vertex_triangle.contains(&[a, b, c, d]),
        Kind::EdgeEdge => {
            let list = &meeting.pairs.edge_edge;
            list.contains(&[a, b, c, d]) || list.contains(&[c, d, a, b])
        }
    }
}

/// Two sheets slide over each other and over a box that turns; some vertices go where nobody expected, some have to stay. Intervals are
/// cut short or not.
#[test]
fn pairs_hold_all_that_can_meet() {
    let (mut dice, mut all, mut shortened, mut amended) = (Dice(77), 0, 0, 0);
    for round in 0..24 {
        let mut builder = ModelBuilder::new();
        for y in [0.0, 0.004] {
            builder.add_cloth("sheet", &sheet(y, &mut dice), &Cloth::default()).expect("a sheet");
        }
        let model = builder.build::<f64>().expect("a model");
        let turned = Pose { position: [0.04, -0.03, 0.04], rotation: [0.0, 0.05 * dice.throw(), 0.0, 1.0] };
        let mut solid = Collider::fixed(Shape::Box { half: [0.03, 0.028, 0.03] }, Pose::at([0.04, -0.032, 0.04]));
        solid.to = turned;
        let state = crate::State::new(&model);
        let (old, n) = (state.x.clone(), model.vertices());
        let fast = [0.0002, 0.002, 0.006][round % 3];
        let drift: Vec<[f64; 3]> = (0..2).map(|_| dice.vector(fast)).collect();
        let mut x = old.clone();
        for v in &mut x[..n] {
            let shift = drift[usize::from(v[1] > 0.002)];
            (0..3).for_each(|k| v[k] += shift[k]);
        }
        let mut meeting = Meeting::<f64>::default();
        assert!(meeting.open(
            &model,
            &Contact { skins: vec![Skin::default()], ..Contact::default() },
            &[solid],
            &[],
            &old
        ));
        meeting.detect(&old, &x, 0, 10, 10, 1e-3);
        shortened += usize::from(meeting.interval.count < 10);
        let wild = |dice: &mut Dice| if dice.throw() > 0.8 { 0.02 } else { 0.0005 };
        for i in 0..n {
            let size = wild(&mut dice);
            let by = dice.vector(size);
            (0..3).for_each(|k| meeting.to[i][k] += by[k]);
        }
        let some: Vec<u32> = (0..n as u32).filter(|_| dice.throw() > 0.95).collect();
        meeting.amend(&[]);
        some.iter().for_each(|&i| meeting.allow(i as usize, meeting.from[i as usize]));
        meeting.amend(&some);
        amended += usize::from(meeting.loose.contains(&true));
        assert!(some.iter().all(|&i| meeting.regions[i as usize].holds(meeting.from[i as usize])));
        assert!((0..n).all(|i| meeting.regions[i].holds(meeting.to[i])));
        for (kind, nodes) in hits(&meeting) {
            assert!(known(&meeting, kind, nodes), "round {round}: {kind:?} {nodes:?}");
            all += 1;
        }
    }
    assert!(all > 1000 && shortened > 5 && amended > 5, "{all} {shortened} {amended}");
}

/// Meshes that stand still are not fitted again; whatever changes about them, pairs are those of who sees them for the first time.
#[test]
fn meshes_that_stand_still_are_seen_where_they_are() {
    let mut dice = Dice(5);
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &sheet(0.0, &mut dice), &Cloth::default()).expect("a sheet");
    let model = builder.build::<f64>().expect("a model");
    let below = sheet(-0.003, &mut dice);
    let shape = Arc::new(crate::ColliderMesh::new(&below.positions, &below.triangles));
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
    let contact = Contact { skins: vec![Skin::default()], ..Contact::default() };
    let x = crate::State::new(&model).x;
    let see = |meeting: &mut Meeting<f64>, meshes: &[MeshCollider]| {
        assert!(meeting.open(&model, &contact, &[], meshes, &x));
        meeting.detect(&x, &x, 0, 1, 1, 1e-3);
        meeting.pairs.clone()
    };
    let mut meeting = Meeting::default();
    let mut sizes = BTreeSet::new();
    for (step, meshes) in steps.iter().enumerate() {
        let pairs = see(&mut meeting, meshes);
        assert!(pairs == see(&mut Meeting::default(), meshes), "step {step}");
        sizes.insert(pairs.len());
    }
    assert!(sizes.len() >= 5, "{sizes:?}");
}
