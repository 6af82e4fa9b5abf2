use crate::common::Rng;
use taut::internals::contact::distance::{distance2_at_least, edge_edge, vertex_triangle};
use taut::internals::lanes::V3;

type V = V3<f64>;

fn unit(v: V) -> V {
    v * (1.0 / v.norm2().sqrt())
}

/// The least value of a convex function on [0, 1].
fn least(f: impl Fn(f64) -> f64) -> f64 {
    let (mut lo, mut hi) = (0.0, 1.0);
    for _ in 0..100 {
        let (a, b) = (lo + (hi - lo) / 3.0, hi - (hi - lo) / 3.0);
        if f(a) < f(b) { hi = b } else { lo = a }
    }
    f(0.5 * (lo + hi)).min(f(0.0)).min(f(1.0))
}

fn check(weights: [f64; 4], x: [V; 4], delta: V, split: usize) {
    let (a, b) = weights.split_at(split);
    assert!(a.iter().all(|w| (0.0..=1.0).contains(w)) && b.iter().all(|w| (-1.0..=0.0).contains(w)), "{weights:?}");
    // Sums of at most three numbers below 1: off by a few roundings.
    assert!((a.iter().sum::<f64>() - 1.0).abs() < 1e-15 && (b.iter().sum::<f64>() + 1.0).abs() < 1e-15);
    let sum = x[0] * weights[0] + x[1] * weights[1] + x[2] * weights[2] + x[3] * weights[3];
    let size = x.iter().map(|p| p.norm2()).fold(0.0, f64::max).sqrt();
    assert!((sum - delta).norm2().sqrt() <= 1e-14 * size, "delta is what the weights give");
}

/// A triangle of width 1 and height `h`, anywhere.
fn sliver(rng: &mut Rng, h: f64) -> [V; 3] {
    let (e, f) = (unit(rng.vector(1.0)), rng.vector(1.0));
    let up = unit(f - e * e.dot(f));
    let a = rng.vector(1.0);
    [a, a + e, a + e * rng.within(0.0, 1.0) + up * h]
}

#[test]
fn planted_distances_are_found_even_on_slivers() {
    let mut rng = Rng(1);
    for i in 0..20_000 {
        let h = 10f64.powf(rng.within(-6.0, 0.0));
        let t = sliver(&mut rng, h);
        let n = unit((t[1] - t[0]).cross(t[2] - t[0]));
        let d = 10f64.powf(rng.within(-8.0, 1.0));
        // Over the inside; over the edge 01, leaning outwards by any angle; beyond the vertex 1.
        let e = t[1] - t[0];
        let out = unit(e.cross(n));
        let (angle, s) = (rng.within(0.0, 3.1), rng.within(0.0, 1.0));
        let p = match i % 3 {
            0 => {
                let v = rng.within(0.0, 1.0) * (1.0 - s);
                t[0] + e * s + (t[2] - t[0]) * v + n * d
            }
            1 => t[0] + e * s + (n * angle.cos().abs() + out * angle.sin()) * d,
            _ => t[1] + unit(unit(e) + out * rng.within(0.0, 2.0) + n * rng.within(-1.0, 1.0)) * d,
        };
        let found = vertex_triangle(p, t);
        check(found.weights, [p, t[0], t[1], t[2]], found.delta, 1);
        // The plane's direction is known to 1e-16/h; over a width of 1 that moves the surface by as much.
        let slack = 1e-14 + 4e-15 / h;
        let got = found.distance2.sqrt();
        assert!((got - d).abs() <= slack, "{i}: planted {d:e}, found {got:e}, height {h:e}");
    }
}

#[test]
fn vertex_and_triangle_beat_a_search() {
    let mut rng = Rng(2);
    for _ in 0..300 {
        let t = [rng.vector(1.0), rng.vector(1.0), rng.vector(1.0)];
        let p = rng.vector(1.5);
        let got = vertex_triangle(p, t).distance2;
        let at = |u: f64, v: f64| (p - (t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * (v * (1.0 - u)))).norm2();
        let brute = least(|u| least(|v| at(u, v)));
        // The search stops within 1e-8 of the place, where the square is flat.
        assert!((got - brute).abs() <= 1e-12, "{got} against {brute}");
    }
}

#[test]
fn edges_beat_a_search_and_parallel_ones_are_measured() {
    let mut rng = Rng(3);
    for i in 0..3000 {
        let a = [rng.vector(1.0), rng.vector(1.0)];
        let u = a[1] - a[0];
        // Any; parallel; nearly parallel; of no length.
        let b0 = rng.vector(1.0);
        let tilt = 10f64.powf(rng.within(-16.0, -3.0));
        let b1 = match i % 4 {
            0 => rng.vector(1.0),
            1 => b0 + u * rng.within(-2.0, 2.0),
            2 => b0 + u * rng.within(-2.0, 2.0) + rng.vector(tilt),
            _ => b0,
        };
        let b = [b0, b1];
        let found = edge_edge(a, b);
        check(found.weights, [a[0], a[1], b[0], b[1]], found.delta, 2);
        let at = |s: f64, t: f64| (a[0] + u * s - b0 - (b1 - b0) * t).norm2();
        let brute = least(|s| least(|t| at(s, t)));
        let got = found.distance2;
        assert!(got <= brute + 1e-12 && got >= brute - 1e-12, "{i}: {got} against {brute}");
    }
}

#[test]
fn crossing_edges_and_points_on_triangles_are_at_distance_zero() {
    let v = |x: f64, y: f64, z: f64| V::new(x, y, z);
    assert_eq!(edge_edge([v(-1.0, 0.0, 0.0), v(1.0, 0.0, 0.0)], [v(0.0, -1.0, 0.0), v(0.0, 3.0, 0.0)]).distance2, 0.0);
    let t = [v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0), v(0.0, 4.0, 0.0)];
    assert_eq!(vertex_triangle(v(1.0, 1.0, 0.0), t).distance2, 0.0);
    let found = vertex_triangle(v(1.0, 1.0, 2.0), t);
    assert_eq!((found.distance2, found.weights), (4.0, [1.0, -0.5, -0.25, -0.25]));
}

#[test]
fn everything_in_one_point_is_finite() {
    let p = V::new(0.1, 0.2, 0.3);
    assert_eq!(vertex_triangle(p, [p; 3]).distance2, 0.0);
    assert_eq!(edge_edge([p; 2], [p; 2]).distance2, 0.0);
}

#[test]
fn the_cheap_bound_is_a_bound_and_not_idle() {
    let mut rng = Rng(4);
    let mut useful = 0;
    for i in 0..20_000 {
        let mut x = [V::default(); 4];
        x.iter_mut().for_each(|p| *p = rng.vector(1.0));
        let split = 1 + i % 2;
        x[..split].iter_mut().for_each(|p| p.y += rng.within(0.0, 3.0));
        let exact = if split == 1 {
            vertex_triangle(x[0], [x[1], x[2], x[3]]).distance2
        } else {
            edge_edge([x[0], x[1]], [x[2], x[3]]).distance2
        };
        let bound = distance2_at_least(x, split);
        assert!(bound <= exact * (1.0 + 1e-12) + 1e-15, "{bound} above {exact}");
        useful += usize::from(bound > 0.25 * exact);
    }
    assert!(useful > 10_000, "within a factor of two for most pairs: {useful}");
}
