//! Every row's gradient against dual numbers, and what every row must leave alone.

mod common;

use common::Rng;
use taut::internals::element::{
    Edge, Element, Hinge, Improved, Patch, Plain, StretchShear, TetStrain, TriStrain, evaluate,
};
use taut::internals::lanes::{Dual, V3};

const STRETCHES: [f64; 3] = [1.0, 0.7, 1.3];

/// Vertex sets: random, nearly flat, nearly collapsed to a line or a point, and inside out.
fn shapes<const V: usize>(rng: &mut Rng) -> Vec<[V3<f64>; V]> {
    let mut out = Vec::new();
    for _ in 0..200 {
        let mut x = [V3::default(); V];
        for v in &mut x {
            *v = rng.vector(1.0);
        }
        let origin = x[0];
        let squeezed = |x: &[V3<f64>; V], s: [f64; 3]| x.map(|v| V3::new(v.x * s[0], v.y * s[1], v.z * s[2]) + origin);
        out.push(x);
        out.push(squeezed(&x, [1.0, 1.0, 1e-5]));
        out.push(squeezed(&x, [1.0, 1e-3, 1e-3]));
        out.push(squeezed(&x, [1e-4, 1e-4, 1e-4]));
        out.push(squeezed(&x, [1.0, 1.0, -1.0]));
    }
    out
}

fn check<E, const V: usize, const D: usize, const P: usize, const R: usize>(rest: impl Fn(&mut Rng) -> [f64; P])
where
    E: Element<V, D, P, R>,
{
    let mut rng = Rng(7);
    for x in shapes::<V>(&mut rng) {
        let rest = rest(&mut rng);
        let plain = evaluate::<E, f64, V, D, P, R>(&rest, &x);
        for k in 0..V {
            for axis in 0..3 {
                let mut dual = x.map(|v| V3::new(v.x, v.y, v.z).into()).map(|v: [f64; 3]| v.map(Dual::constant));
                dual[k][axis] = Dual::variable(dual[k][axis].value);
                let rows = evaluate::<E, Dual, V, D, P, R>(&rest.map(Dual::constant), &dual.map(V3::from));
                for r in 0..R {
                    let scale = (0..V).map(|k| plain.gradients[r][k].norm2()).sum::<f64>().sqrt().max(1.0);
                    let ours: [f64; 3] = plain.gradients[r][k].into();
                    let true_one = rows.values[r].derivative;
                    assert!(
                        (ours[axis] - true_one).abs() <= 1e-10 * scale,
                        "{} row {r} vertex {k} axis {axis}: {} but dual numbers say {true_one} (scale {scale:e}) at {x:?}",
                        E::NAME,
                        ours[axis],
                    );
                }
            }
        }
    }
}

fn numbers<const P: usize>(b: usize) -> impl Fn(&mut Rng) -> [f64; P] {
    move |rng| {
        let mut out = [0.0; P];
        for (i, v) in out.iter_mut().enumerate() {
            *v = if i < b { rng.within(-1.5, 1.5) } else { STRETCHES[i % 3] };
        }
        out
    }
}

#[test]
fn gradients_agree_with_dual_numbers() {
    check::<Edge, 2, 1, 2, 1>(|rng| [rng.within(0.2, 3.0), 1.1]);
    check::<TriStrain<Improved>, 3, 2, 6, 4>(numbers(4));
    check::<TriStrain<Plain>, 3, 2, 6, 4>(numbers(4));
    check::<TriStrain<StretchShear>, 3, 2, 6, 4>(numbers(4));
    check::<TetStrain<Improved>, 4, 3, 12, 7>(numbers(9));
    check::<TetStrain<Plain>, 4, 3, 12, 7>(numbers(9));
    check::<Hinge, 4, 3, 1, 1>(|rng| [rng.within(-3.0, 3.0)]);
    check::<Patch, 6, 5, 3, 3>(|rng| [0; 3].map(|_| rng.within(-3.0, 3.0)));
    check::<Patch, 6, 5, 3, 3>(|rng| [rng.within(-3.0, 3.0), rng.within(-3.0, 3.0), Patch::OPEN]);
}

/// The paper's formulas, written out once more from the text.
#[test]
fn rows_are_the_papers() {
    let mut rng = Rng(3);
    for _ in 0..100 {
        let b: [f64; 9] = core::array::from_fn(|_| rng.within(-1.0, 1.0));
        let x: [V3<f64>; 4] = core::array::from_fn(|_| rng.vector(1.0));
        let f = |i: usize| (0..3).fold(V3::default(), |s, k| s + (x[k + 1] - x[0]) * b[3 * i + k]);
        let s = |i: usize, j: usize| f(i).dot(f(j));
        let mut rest = [0.0; 12];
        rest[..9].copy_from_slice(&b);
        rest[9..].copy_from_slice(&STRETCHES);
        let improved = evaluate::<TetStrain<Improved>, f64, 4, 3, 12, 7>(&rest, &x).values;
        let plain = evaluate::<TetStrain<Plain>, f64, 4, 3, 12, 7>(&rest, &x).values;
        let pairs = [(0, 1), (0, 2), (1, 2)];
        for i in 0..3 {
            let (p, q) = pairs[i];
            assert!((plain[i] - (s(i, i) - STRETCHES[i].powi(2))).abs() < 1e-12, "Eq. 9");
            assert!((plain[3 + i] - s(p, q)).abs() < 1e-12, "Eq. 10");
            assert!((improved[i] - (s(i, i).sqrt() - STRETCHES[i])).abs() < 1e-12, "Eq. 14");
            assert!((improved[3 + i] - s(p, q) / (s(p, p) * s(q, q)).sqrt()).abs() < 1e-12, "Eq. 15");
        }
        let det = f(0).dot(f(1).cross(f(2)));
        assert!((improved[6] - (det - STRETCHES.iter().product::<f64>())).abs() < 1e-12, "Eq. 18");
    }
}

/// A patch is three hinges, each with the triangle on its first side; an open side has no row.
#[test]
fn a_patch_is_three_hinges() {
    let mut rng = Rng(5);
    for _ in 0..100 {
        let x: [V3<f64>; 6] = core::array::from_fn(|_| rng.vector(1.0));
        let rest = [0.3, -0.7, 1.1];
        let patch = evaluate::<Patch, f64, 6, 5, 3, 3>(&rest, &x);
        for (row, vertices) in [[0, 1, 2, 3], [1, 2, 0, 4], [2, 0, 1, 5]].into_iter().enumerate() {
            let hinge = evaluate::<Hinge, f64, 4, 3, 1, 1>(&[rest[row]], &vertices.map(|v| x[v]));
            assert!((patch.values[row] - hinge.values[0]).abs() < 1e-12);
            for v in 0..6 {
                let by = vertices.iter().position(|&u| u == v).map_or(V3::default(), |k| hinge.gradients[0][k]);
                assert!((patch.gradients[row][v] - by).norm2() < 1e-18 * (1.0 + by.norm2()), "row {row}, vertex {v}");
            }
        }
        let open = evaluate::<Patch, f64, 6, 5, 3, 3>(&[0.3, -0.7, Patch::OPEN], &x);
        assert!(open.values[2] == 0.0 && open.gradients[2].iter().all(|g| g.norm2() == 0.0));
        assert_eq!(open.values[..2], patch.values[..2]);
    }
}

#[test]
fn hinge_angle_is_signed_and_smooth_through_flat() {
    let hinge = |lift: f64| {
        let x = [V3::new(0.0, 0.0, 0.0), V3::new(1.0, 0.0, 0.0), V3::new(0.5, 1.0, lift), V3::new(0.5, -1.0, lift)];
        evaluate::<Hinge, f64, 4, 3, 1, 1>(&[0.0], &x)
    };
    assert_eq!(hinge(0.0).values[0], 0.0);
    for lift in [1e-9, 1e-3, 0.5] {
        let angle = hinge(lift).values[0];
        assert!((angle.abs() - 2.0 * f64::atan(lift)).abs() < 1e-12, "{angle} at lift {lift}");
        assert_eq!(angle, -hinge(-lift).values[0], "odd in the lift");
    }
    // Raising x2 towards the normals' side (+z here) must raise the angle, at flat too.
    assert!(hinge(0.0).gradients[0][2].z > 0.0);
    assert!(hinge(0.1).values[0] > 0.0);
}

/// Taking the lengths of the normals and the direction of the edge for constant, as Baraff and Witkin do, changes
/// nothing in the gradient of the angle: both sine and cosine carry the factor 1/(|n1||n2|), and n1 × n2 is along the
/// edge.
#[test]
fn constant_normals_give_the_same_gradient() {
    let mut rng = Rng(11);
    for _ in 0..100 {
        let x: [V3<f64>; 4] = core::array::from_fn(|_| rng.vector(1.0));
        let normals = |x: &[V3<f64>; 4]| {
            let (e, a, b) = (x[1] - x[0], x[2] - x[0], x[3] - x[0]);
            (e.cross(a), b.cross(e))
        };
        let (n1, n2) = normals(&x);
        let edge = (x[1] - x[0]) * (1.0 / (x[1] - x[0]).norm2().sqrt());
        let lengths = (n1.norm2() * n2.norm2()).sqrt();
        let (sine, cosine) = (n1.cross(n2).dot(edge) / lengths, n1.dot(n2) / lengths);
        let exact = evaluate::<Hinge, f64, 4, 3, 1, 1>(&[0.0], &x).gradients[0];
        for v in 0..4 {
            for k in 0..3 {
                let moved = |h: f64| {
                    let mut y = x;
                    *[&mut y[v].x, &mut y[v].y, &mut y[v].z][k] += h;
                    let (n1, n2) = normals(&y);
                    (n1.cross(n2).dot(edge) / lengths, n1.dot(n2) / lengths)
                };
                // Sine and cosine are polynomials of degree four in a coordinate: differences of two widths are exact.
                let slope = |h: f64| {
                    let ((s1, c1), (s0, c0)) = (moved(h), moved(-h));
                    -(cosine * (s1 - s0) - sine * (c1 - c0)) / (2.0 * h)
                };
                let slope = (4.0 * slope(1e-2) - slope(2e-2)) / 3.0;
                let exact = [exact[v].x, exact[v].y, exact[v].z][k];
                assert!((slope - exact).abs() < 1e-9 * (1.0 + exact.abs()), "vertex {v}: {slope} {exact}");
            }
        }
    }
}
