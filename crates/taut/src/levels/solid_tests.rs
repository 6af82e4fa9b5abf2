//! Levels of solids on their own: rotations, pieces, momentum.

use super::Inextensibility;
use super::rotation::{Mat3, determinant, matrix, nearest};
use super::solid::Solids;
use crate::constraint::Sweep;
use crate::lanes::{Shared, V3, Vertex, Width};
use crate::mesh::TetMesh;
use crate::{Model, ModelBuilder, Solid, SolidElasticity, SolidStiffness};

const GRAVITY: [f64; 3] = [0.0, -9.81, 0.0];

/// Cubes of side `h` from `from`, n of them along each axis, six tetrahedra each; `keep` says which cubes there are.
fn cubes(n: [usize; 3], h: f64, from: [f64; 3], keep: impl Fn([usize; 3]) -> bool) -> TetMesh {
    let id = |c: [usize; 3]| ((c[2] * (n[1] + 1) + c[1]) * (n[0] + 1) + c[0]) as u32;
    let all = |n: [usize; 3]| (0..n[0] * n[1] * n[2]).map(move |i| [i % n[0], i / n[0] % n[1], i / n[0] / n[1]]);
    let mut mesh = TetMesh::default();
    mesh.positions.extend(all(n.map(|n| n + 1)).map(|c| core::array::from_fn(|k| from[k] + c[k] as f64 * h)));
    // Six ways from corner to corner along the axes; turned so that volumes are positive.
    for c in all(n).filter(|&c| keep(c)) {
        for [p, q] in [[1, 3], [3, 2], [2, 6], [6, 4], [4, 5], [5, 1]] {
            let corner = |bits: usize| id([c[0] + (bits & 1), c[1] + (bits >> 1 & 1), c[2] + (bits >> 2)]);
            mesh.tets.push([corner(0), corner(p), corner(q), corner(7)]);
        }
    }
    mesh
}

fn stiff() -> Solid {
    Solid { stiffness: SolidStiffness { stretch: [1.0; 3], shear: [1.0; 3], volume: 0.0 }, ..Solid::default() }
}

fn model(parts: &[(&TetMesh, Solid)]) -> Model<f64> {
    let mut builder = ModelBuilder::new();
    for (k, (mesh, solid)) in parts.iter().enumerate() {
        builder.add_solid(&format!("part {k}"), mesh, solid).unwrap();
    }
    builder.build().unwrap()
}

/// Positions at rest, moved by `place`, in the model's order, with inverse masses and a spare.
fn vertices(model: &Model<f64>, pins: &[u32], place: impl Fn([f64; 3]) -> [f64; 3]) -> Vec<Vertex<f64>> {
    let one = |v: usize| {
        let [x, y, z] = place(model.positions[model.user[v] as usize]);
        let held = pins.contains(&(v as u32));
        [x, y, z, if held { 0.0 } else { 1.0 / model.masses[model.user[v] as usize] }]
    };
    (0..model.vertices()).map(one).chain([[0.0; 4]]).collect()
}

fn correct(solids: &mut Solids<f64>, mut x: Vec<Vertex<f64>>) -> Vec<Vertex<f64>> {
    let shared = Shared::new(&mut x);
    Sweep::alone(Width::W16, |sweep| solids.correct(sweep, shared));
    x
}

fn furthest(a: &[Vertex<f64>], b: &[Vertex<f64>]) -> f64 {
    let way = |(a, b): (&Vertex<f64>, &Vertex<f64>)| V3::new(b[0] - a[0], b[1] - a[1], b[2] - a[2]).norm2().sqrt();
    a.iter().zip(b).map(way).fold(0.0, f64::max)
}

fn turned(p: [f64; 3]) -> [f64; 3] {
    // By 0.6, 0.8 about z, then about x: exact enough.
    let q = [0.6 * p[0] - 0.8 * p[1], 0.8 * p[0] + 0.6 * p[1], p[2]];
    [q[0], 0.8 * q[1] - 0.6 * q[2], 0.6 * q[1] + 0.8 * q[2]]
}

fn times(a: &Mat3, b: &Mat3) -> Mat3 {
    core::array::from_fn(|i| core::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

/// R with R D, D symmetric, is nearest to R D where the sum of the two smallest eigenvalues of D is positive: mirrored,
/// flat or long as it may be; from any start.
#[test]
fn the_nearest_rotation_is_found_and_is_one() {
    let r = matrix([0.5, -0.5, 0.1, 0.7].map(|c: f64| c));
    assert!((determinant(&r) - 1.0).abs() < 1e-12, "a unit quaternion");
    let e = matrix([0.8, 0.0, 0.6, 0.0]);
    let back = |m: &Mat3| -> Mat3 { core::array::from_fn(|i| core::array::from_fn(|j| m[j][i])) };
    for d in
        [[3.0, 2.0, 1.0], [3.0, 2.0, -1.0], [1.0, 1.0, 0.0], [1e6, 1.0, 0.5], [1.0, 1.0, 1.0], [1e-20, 2e-20, 1e-20]]
    {
        let diagonal = core::array::from_fn(|i| core::array::from_fn(|j| if i == j { d[i] } else { 0.0 }));
        let a = times(&r, &times(&e, &times(&diagonal, &back(&e))));
        for start in [None, Some([1.0, 0.0, 0.0, 0.0]), Some([0.0, 1.0, 0.0, 0.0]), Some([0.5, -0.5, 0.1, 0.7])] {
            let found = matrix(nearest(&a, start));
            let off = (0..9).map(|k| (found[k / 3][k % 3] - r[k / 3][k % 3]).abs()).fold(0.0, f64::max);
            // What is long and thin says less of how it is turned about itself, by the ratio of its sides.
            let thin = d[0].abs() / (d[1] + d[2]);
            assert!(off < 1e-13 * thin.max(10.0), "{d:?} from {start:?}: off by {off}");
        }
    }
    let nowhere = nearest(&[[f64::NAN; 3]; 3], Some([1.0, 0.0, 0.0, 0.0]));
    assert!(nowhere.iter().all(|c| c.is_finite()) && matrix(nearest(&[[0.0; 3]; 3], None))[0][0].is_finite());
}

/// Two prongs a cube apart, on a stem: they lie in the same cells of the lattice, and do not become one.
#[test]
fn prongs_of_a_fork_are_not_tied() {
    let mesh = cubes([42, 7, 2], 1.0, [0.0; 3], |c| c[0] < 2 || c[1] != 3);
    let model = model(&[(&mesh, stiff())]);
    let mut solids = Solids::new(&model.at_rest(), &Inextensibility::within(0.01), GRAVITY, &[]);
    assert!(solids.levels.list.len() >= 2, "{} levels", solids.levels.list.len());
    let at = |v: usize| model.positions[model.user[v] as usize];
    let finest = &solids.levels.list[0];
    for n in 0..finest.nodes {
        let far = finest.transfer.entries(n).iter().map(|e| at(e.from as usize)).filter(|p| p[0] > 12.0);
        let prongs: Vec<bool> = far.map(|p| p[1] > 3.5).collect();
        assert!(prongs.windows(2).all(|p| p[0] == p[1]), "a node has both prongs");
    }
    // One prong bent: it is bent back, the other stays.
    let bent = |p: [f64; 3]| if p[1] > 3.5 && p[0] > 20.0 { [p[0], p[1] + 0.03 * (p[0] - 20.0), p[2]] } else { p };
    let before = vertices(&model, &[], bent);
    let after = correct(&mut solids, before.clone());
    let moved = |keep: &dyn Fn([f64; 3]) -> bool| {
        let pick = |x: &[Vertex<f64>]| (0..model.vertices()).filter(|&v| keep(at(v))).map(|v| x[v]).collect::<Vec<_>>();
        furthest(&pick(&before), &pick(&after))
    };
    let (bent, other) = (moved(&|p| p[0] > 12.0 && p[1] > 3.5), moved(&|p| p[0] > 40.0 && p[1] < 3.5));
    // A spacing beyond the bend the prong is off by 0.03 · 3.9: a good part of that; and none of it at the other's tip,
    // as far from the stem.
    assert!(
        bent > 0.1 * 0.03 * 3.9 && other < 0.01 * bent,
        "the bent prong moved by {bent}, the other's tip by {other}"
    );
}

/// Linear and angular momentum of what levels do to a bent beam: Σ m d and Σ m x × d vanish.
#[test]
fn levels_of_solids_keep_momentum_and_bend_back() {
    let mesh = cubes([30, 4, 4], 0.1, [5.0, -2.0, 1.0], |_| true);
    let model = model(&[(&mesh, stiff())]);
    let mut solids = Solids::new(&model.at_rest(), &Inextensibility::within(0.01), GRAVITY, &[]);
    let bent = |p: [f64; 3]| turned([p[0], p[1] + 0.02 * (p[0] - 6.5).powi(2), p[2]]);
    let before = vertices(&model, &[], bent);
    let after = correct(&mut solids, before.clone());
    let largest = furthest(&before, &after);
    assert!(largest > 0.005, "what is bent is not bent back: {largest}");
    let (mut push, mut torque, mut size) = (V3::new(0.0, 0.0, 0.0), V3::new(0.0, 0.0, 0.0), 0.0);
    for (a, b) in before.iter().zip(&after).filter(|p| p.0[3] > 0.0) {
        let (x, y) = (V3::new(a[0], a[1], a[2]), V3::new(b[0], b[1], b[2]));
        let d = (y - x) * (1.0 / a[3]);
        (push, torque) = (push + d, torque + x.cross(d));
        size += d.norm2().sqrt() * x.norm2().sqrt();
    }
    // Nodes of a finer level have moved when it looks at them: what is left is of second order, the product of two
    // displacements.
    let second = largest * largest / bent([6.5, 0.0, 0.0]).iter().map(|c| c * c).sum::<f64>().sqrt();
    assert!(push.norm2().sqrt() < 1e-13 * size, "momentum {push:?} of {size}");
    assert!(torque.norm2().sqrt() < second * size, "angular momentum {torque:?} of {size}");
}

/// Whatever is rigid is left alone, wherever it is and however it is turned, pinned or not, and so is what is mirrored
/// or inverted somewhere.
#[test]
fn what_is_rigid_or_inverted_is_left_alone() {
    let mesh = cubes([30, 4, 4], 0.1, [0.0; 3], |_| true);
    let model = model(&[(&mesh, stiff())]);
    let end: Vec<u32> =
        (0..model.vertices() as u32).filter(|&v| model.positions[model.user[v as usize] as usize][0] < 1e-9).collect();
    for pins in [&[], &end[..1], &end[..]] {
        let mut solids = Solids::new(&model.at_rest(), &Inextensibility::within(0.01), GRAVITY, pins);
        let moved = |solids: &mut Solids<f64>, place: &dyn Fn([f64; 3]) -> [f64; 3]| {
            let x = vertices(&model, pins, place);
            let after = correct(solids, x.clone());
            furthest(&x, &after)
        };
        let far = moved(&mut solids, &|p| turned(p).map(|c| c + 1000.0));
        assert!(far < 1e-9, "{} pins: a beam that is only turned and carried off moved by {far}", pins.len());
        assert_eq!(moved(&mut solids, &|p| [p[0], -p[1], p[2]]), 0.0, "mirrored");
        let bent = |p: [f64; 3]| [p[0], p[1] + 0.02 * p[0] * p[0], p[2]];
        assert!(moved(&mut solids, &bent) > 0.005, "bent");
        let dent = |p: [f64; 3]| if p == [3.0, 0.4, 0.4] { [2.8, 0.2, 0.2] } else { bent(p) };
        let rounded = |p: [f64; 3]| dent(p.map(|c| (c * 10.0).round() / 10.0));
        assert_eq!(moved(&mut solids, &rounded), 0.0, "a corner that is pushed in");
    }
}

/// Each body is judged, and has its lattice, on its own; held vertices of two bodies in one cube of both lattices are
/// two.
#[test]
fn bodies_do_not_know_each_other() {
    let beam = cubes([30, 4, 4], 0.1, [0.0; 3], |_| true);
    let beside = cubes([30, 4, 4], 0.1, [0.0, 0.0, 0.4], |_| true);
    let block = cubes([12, 12, 12], 1.0, [0.0, -20.0, 0.0], |_| true);
    let soft = |young: f64| Solid {
        elasticity: Some(SolidElasticity { young, poisson: 0.3, volume: 0.0, damping: 0.0 }),
        ..Solid::default()
    };
    let settings = Inextensibility::within(0.01);
    let pinned = |model: &Model<f64>| -> Vec<u32> {
        (0..model.vertices() as u32).filter(|&v| model.positions[model.user[v as usize] as usize][0] < 1e-9).collect()
    };
    let build = |parts: &[(&TetMesh, Solid)]| {
        let model = model(parts);
        let pins = pinned(&model);
        let solids = Solids::new(&model.at_rest(), &settings, GRAVITY, &pins);
        solids.levels.list.iter().map(|l| (l.nodes, l.held.len())).collect::<Vec<_>>()
    };
    let alone = build(&[(&beam, stiff())]);
    assert!(!alone.is_empty() && alone[0].1 > 1);
    // A large soft block is none of the beam's business, however heavy; nor is it held.
    assert_eq!(build(&[(&beam, stiff()), (&block, soft(1e5))]), alone);
    assert_eq!(build(&[(&beam, soft(1e12)), (&block, soft(1e5))]), alone);
    assert!(build(&[(&block, soft(1e5))]).is_empty());
    // Two beams that touch are twice one.
    let both: Vec<_> = alone.iter().map(|&(nodes, held)| (2 * nodes, 2 * held)).collect();
    assert_eq!(build(&[(&beam, stiff()), (&beside, stiff())]), both);
}
