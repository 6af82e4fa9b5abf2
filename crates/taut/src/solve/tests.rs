//! What projection and damping must leave alone, for every kind of element, row by row.

use super::pbd::{Damp, Project};
use crate::constraint::{Batch, Loose, LotKernel, Sweep};
use crate::element::{Edge, Element, Hinge, Improved, Patch, Plain, TetStrain, TriStrain, evaluate};
use crate::lanes::{Scalar, Shared, V3, Vertex, Width};
use std::sync::Mutex;

fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn random(seed: &mut u64) -> V3<f64> {
    V3::new(noise(seed), noise(seed), noise(seed))
}

/// A rotation by three random angles.
fn turn(seed: &mut u64) -> impl Fn(V3<f64>) -> V3<f64> + use<> {
    let (a, b, c) = (noise(seed) * 3.0, noise(seed) * 3.0, noise(seed) * 3.0);
    move |p| {
        let p = V3::new(a.cos() * p.x - a.sin() * p.y, a.sin() * p.x + a.cos() * p.y, p.z);
        let p = V3::new(p.x, b.cos() * p.y - b.sin() * p.z, b.sin() * p.y + b.cos() * p.z);
        V3::new(c.cos() * p.x + c.sin() * p.z, p.y, c.cos() * p.z - c.sin() * p.x)
    }
}

/// Runs projection (`damp` = None) or damping of one element on its vertices; returns the new x or v.
fn run<E, const V: usize, const D: usize, const P: usize, const R: usize>(
    rest: [f64; P],
    row: usize,
    x: &[Vertex<f64>],
    damp: Option<&[Vertex<f64>]>,
) -> Vec<Vertex<f64>>
where
    E: Element<V, D, P, R>,
{
    let mut weight = [0.0; R];
    weight[row] = 1.0;
    let loose =
        Loose { index: core::array::from_fn(|k| k as u32), rest, stiffness: weight, damping: weight, elastic: None };
    let batch = Batch::<f64, V, P, R>::pack(&[loose], V as u32);
    let spare = [[0.0; 4]];
    let mut x: Vec<_> = x.iter().chain(&spare).copied().collect();
    let Some(v) = damp else {
        alone(Width::W16, &batch, [&mut x], &mut Project::<E, D>::new(batch.stiff_rows));
        x.truncate(V);
        return x;
    };
    let mut v: Vec<_> = v.iter().chain(&spare).copied().collect();
    alone(Width::W16, &batch, [&mut x, &mut v], &mut Damp::<E, f64, D, R>::new(&batch, 0.5));
    v.truncate(V);
    v
}

/// One sweep on one thread.
fn alone<T: Scalar, const V: usize, const P: usize, const R: usize, const A: usize>(
    width: Width,
    batch: &Batch<T, V, P, R>,
    arrays: [&mut Vec<Vertex<T>>; A],
    kernel: &mut (impl LotKernel<T, V, P, R, A> + Send),
) {
    let (arrays, kernel) = (arrays.map(|array| Shared::new(array)), Mutex::new(kernel));
    Sweep::alone(width, |sweep| sweep.run(batch, arrays, *kernel.lock().unwrap()));
}

/// Σ m d and Σ m x × d.
fn momenta(x: &[Vertex<f64>], d: impl Fn(usize) -> V3<f64>) -> (V3<f64>, V3<f64>) {
    let mut sums = (V3::default(), V3::default());
    for (k, x) in x.iter().enumerate() {
        let p = d(k) * (1.0 / x[3]);
        sums = (sums.0 + p, sums.1 + V3::new(x[0], x[1], x[2]).cross(p));
    }
    sums
}

fn vertex(p: V3<f64>, w: f64) -> Vertex<f64> {
    [p.x, p.y, p.z, w]
}

fn point(v: Vertex<f64>) -> V3<f64> {
    V3::new(v[0], v[1], v[2])
}

/// `at_rest` are vertices that satisfy all rows with rest numbers `rest`.
fn check<E, const V: usize, const D: usize, const P: usize, const R: usize>(at_rest: [V3<f64>; V], rest: [f64; P])
where
    E: Element<V, D, P, R>,
{
    let mut seed = 42;
    for _ in 0..50 {
        let (turned, shift) = (turn(&mut seed), random(&mut seed));
        let (spin, speed) = (random(&mut seed), random(&mut seed));
        let weights: [f64; V] = core::array::from_fn(|_| 0.5 + noise(&mut seed).abs());
        let still: [_; V] = core::array::from_fn(|k| vertex(turned(at_rest[k]) + shift, weights[k]));
        let bent: [_; V] = core::array::from_fn(|k| vertex(point(still[k]) + random(&mut seed) * 0.3, weights[k]));
        let rigid: [_; V] = core::array::from_fn(|k| vertex(spin.cross(point(bent[k])) + speed, 0.0));
        let wild: [_; V] = core::array::from_fn(|_| vertex(random(&mut seed), 0.0));
        for row in 0..R {
            let name = format!("{} {}", E::NAME, E::ROWS[row].name);
            let moved = run::<E, V, D, P, R>(rest, row, &still, None);
            let calmed = run::<E, V, D, P, R>(rest, row, &bent, Some(&rigid));
            for k in 0..V {
                assert!((point(moved[k]) - point(still[k])).norm2().sqrt() < 1e-12, "{name} moves a rigid motion");
                assert!((point(calmed[k]) - point(rigid[k])).norm2().sqrt() < 1e-12, "{name} damps a rigid motion");
            }
            let solved = run::<E, V, D, P, R>(rest, row, &bent, None);
            let (p, l) = momenta(&bent, |k| point(solved[k]) - point(bent[k]));
            assert!(p.norm2().sqrt() < 1e-12 && l.norm2().sqrt() < 1e-12, "{name} projection: {p:?} {l:?}");
            let value = |x: &[Vertex<f64>]| {
                let at: [V3<f64>; V] = core::array::from_fn(|k| point(x[k]));
                evaluate::<E, f64, V, D, P, R>(&rest, &at).values[row].abs()
            };
            // The plain form overshoots, which is why there is an improved one.
            let fine = value(&solved) <= value(&bent) || E::NAME.starts_with("plain");
            assert!(fine, "{name} does not get better: {} {}", value(&bent), value(&solved));
            let calmed = run::<E, V, D, P, R>(rest, row, &bent, Some(&wild));
            let (p, l) = momenta(&bent, |k| point(calmed[k]) - point(wild[k]));
            assert!(p.norm2().sqrt() < 1e-12 && l.norm2().sqrt() < 1e-12, "{name} damping: {p:?} {l:?}");
        }
    }
}

#[test]
fn rigid_motion_and_momenta_are_left_alone_by_every_row() {
    let x = [V3::new(0.0, 0.0, 0.0), V3::new(1.0, 0.0, 0.0), V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0)];
    let third = V3::new(0.3, 0.8, 0.0);
    // F = 1 with B the inverse of the edges: identity here, and for the skewed triangle by hand.
    let b = [1.0, 0.0, -0.3 / 0.8, 1.0 / 0.8, 1.0, 1.0];
    check::<Edge, 2, 1, 2, 1>([x[0], x[1] * 2.0], [0.5, 1.0]);
    check::<TriStrain<Improved>, 3, 2, 6, 4>([x[0], x[1], third], b);
    check::<TriStrain<Plain>, 3, 2, 6, 4>([x[0], x[1], third], b);
    let cube = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    check::<TetStrain<Improved>, 4, 3, 12, 7>(x, cube);
    check::<TetStrain<Plain>, 4, 3, 12, 7>(x, cube);
    let folded = [x[0], x[1], V3::new(0.4, 0.9, 0.0), V3::new(0.6, 0.0, 0.9)];
    let rest = evaluate::<Hinge, f64, 4, 3, 1, 1>(&[0.0], &folded).values;
    check::<Hinge, 4, 3, 1, 1>(folded, rest);
    let around = [folded[0], folded[1], folded[2], folded[3], V3::new(1.1, 1.2, -0.4), V3::new(-0.6, 0.5, 0.3)];
    let rest = evaluate::<Patch, f64, 6, 5, 3, 3>(&[0.0; 3], &around).values;
    check::<Patch, 6, 5, 3, 3>(around, rest);
}

/// The improved stretch is solved by one projection, the plain one is not (SBD §3.4).
#[test]
fn one_step_solves_the_improved_stretch() {
    let mut seed = 5;
    let rest = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    for _ in 0..50 {
        let x: [_; 3] = core::array::from_fn(|_| vertex(random(&mut seed), 1.0));
        let stretch = |x: &[Vertex<f64>]| (point(x[1]) - point(x[0])).norm2().sqrt() - 1.0;
        let improved = run::<TriStrain<Improved>, 3, 2, 6, 4>(rest, 0, &x, None);
        let plain = run::<TriStrain<Plain>, 3, 2, 6, 4>(rest, 0, &x, None);
        assert!(stretch(&improved).abs() < 1e-14);
        assert!(stretch(&plain).abs() > 1e-6);
    }
}

/// Elements squeezed to a point, a line or a plane come back, with all rows on, at full stiffness, in both precisions.
#[test]
fn collapsed_elements_recover() {
    fn recover<T: Scalar, E: Element<4, 3, 12, 7>>(squeeze: [f64; 3]) {
        let mut loose = Loose {
            index: [0, 1, 2, 3],
            rest: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
            stiffness: [1.0; 7],
            damping: [0.0; 7],
            elastic: None,
        };
        loose.stiffness[6] = 0.9;
        let batch = Batch::<T, 4, 12, 7>::pack(&[loose], 4);
        let corner = |k: usize, axis: usize| if k == axis + 1 { squeeze[axis] } else { 0.0 };
        let mut x: Vec<Vertex<T>> =
            (0..5).map(|k| [corner(k, 0), corner(k, 1), corner(k, 2), f64::from(k < 4)].map(T::of)).collect();
        for _ in 0..200 {
            alone(Width::W4, &batch, [&mut x], &mut Project::<E, 3>::new(0x7f));
            assert!(x.iter().flatten().all(|c| c.finite()), "{} {squeeze:?}: {x:?}", E::NAME);
        }
        let at: [V3<f64>; 4] = core::array::from_fn(|k| V3::new(x[k][0].f64(), x[k][1].f64(), x[k][2].f64()));
        let rest = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        let values = evaluate::<E, f64, 4, 3, 12, 7>(&rest, &at).values;
        // The plain shear's own zero at no length at all can hold the plain form back; it stays finite.
        let fine = values.iter().all(|v| v.abs() < 1e-3) || E::NAME.starts_with("plain");
        assert!(fine, "{} {squeeze:?}: {values:?}", E::NAME);
    }
    let shapes = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 1e-9],
        [1e-20, 1e-20, 1e-20],
        [1.0, 1.0, -1.0],
        [-1.0, -1.0, -1.0],
        [1.0, 1.0, -1e-3],
        [50.0, 50.0, -50.0],
    ];
    for squeeze in shapes {
        recover::<f32, TetStrain<Improved>>(squeeze);
        recover::<f64, TetStrain<Improved>>(squeeze);
        recover::<f64, TetStrain<Plain>>(squeeze);
    }
}
