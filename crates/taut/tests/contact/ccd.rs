use crate::common::Rng;
use taut::internals::contact::ccd::{Path, edge_edge_impact, vertex_triangle_impact};
use taut::internals::contact::distance::{edge_edge, vertex_triangle};
use taut::internals::lanes::V3;

type V = V3<f64>;

fn whole(rng: &mut Rng, size: i64) -> V {
    let mut c = || ((rng.next() % (2 * size as u64 + 1)) as i64 - size) as f64;
    V::new(c(), c(), c())
}

fn at(p: Path, t: f64) -> V {
    p[0] + (p[1] - p[0]) * t
}

/// The way of a point that is at `x` at time `t` and moves by `v` in all. Exact for small whole numbers and quarters.
fn through(x: V, v: V, t: f64) -> Path {
    [x - v * t, x + v * (1.0 - t)]
}

#[test]
fn planted_hits_are_never_missed_and_never_late() {
    let mut rng = Rng(10);
    for i in 0..200_000 {
        let size = [1, 3, 40, 1000][i % 4];
        // Everything is a multiple of 1/16 below 2^16: no rounding anywhere, the hit is exact.
        let t = (rng.next() % 17) as f64 / 16.0;
        let x = [whole(&mut rng, size), whole(&mut rng, size), whole(&mut rng, size), whole(&mut rng, size)];
        let v = [whole(&mut rng, size), whole(&mut rng, size), whole(&mut rng, size), whole(&mut rng, size)];
        let quarter = |r: &mut Rng, most: u64| (r.next() % (most + 1)) as f64 / 4.0;
        let (answer, exact) = if i % 2 == 0 {
            let u = quarter(&mut rng, 4);
            let w = quarter(&mut rng, ((1.0 - u) * 4.0) as u64);
            let p = x[0] + (x[1] - x[0]) * u + (x[2] - x[0]) * w;
            let paths = [through(x[0], v[0], t), through(x[1], v[1], t), through(x[2], v[2], t)];
            (vertex_triangle_impact(through(p, v[3], t), paths, 0.0), t)
        } else {
            let (u, w) = (quarter(&mut rng, 4), quarter(&mut rng, 4));
            // The second edge ends where its point at w is the first edge's point at u.
            let p = x[0] + (x[1] - x[0]) * u;
            let (b0, b1) = (p - x[2] * w, p + x[2] * (1.0 - w));
            let a = [through(x[0], v[0], t), through(x[1], v[1], t)];
            (edge_edge_impact(a, [through(b0, v[2], t), through(b1, v[3], t)], 0.0), t)
        };
        assert!(answer.is_some_and(|a| a <= exact), "{i}: hit at {exact}, answered {answer:?}");
    }
}

/// The least distance on the way, from below: between samples nothing comes nearer than its speed allows.
fn least_distance(paths: [Path; 4], distance: impl Fn([V; 4]) -> f64) -> (f64, f64) {
    let speed = |p: &Path| (p[1] - p[0]).norm2().sqrt();
    let fastest = paths.iter().map(speed).fold(0.0, f64::max);
    const N: usize = 400;
    let sampled = (0..=N).map(|k| distance(paths.map(|p| at(p, k as f64 / N as f64)))).fold(f64::INFINITY, f64::min);
    (sampled - 2.0 * fastest * 0.5 / N as f64, sampled)
}

#[test]
fn answers_agree_with_sampling() {
    let mut rng = Rng(11);
    let (mut free, mut near) = (0, 0);
    for i in 0..3000 {
        let clearance = if i % 3 == 0 { 0.0 } else { rng.within(0.0, 0.2) };
        let speed = rng.within(0.1, 3.0);
        let mut paths = [[V::default(); 2]; 4];
        for p in &mut paths {
            let from = rng.vector(1.0);
            *p = [from, from + rng.vector(speed)];
        }
        let [a, b, c, d] = paths;
        let (answer, (least, sampled)) = if i % 2 == 0 {
            let distance = |[a, b, c, d]: [V; 4]| vertex_triangle(a, [b, c, d]).distance2.sqrt();
            (vertex_triangle_impact(a, [b, c, d], clearance), least_distance(paths, distance))
        } else {
            let distance = |[a, b, c, d]: [V; 4]| edge_edge([a, b], [c, d]).distance2.sqrt();
            (edge_edge_impact([a, b], [c, d], clearance), least_distance(paths, distance))
        };
        if least > clearance {
            free += 1;
            assert_eq!(answer, None, "{i}: never nearer than {least}, clearance {clearance}");
        }
        if sampled < clearance {
            near += 1;
            assert!(answer.is_some(), "{i}: as near as {sampled}, clearance {clearance}");
        }
    }
    assert!(free > 500 && near > 200, "{free} free, {near} near");
}

#[test]
fn the_time_of_impact_is_found_to_the_last_digits() {
    let v = |x: f64, y: f64, z: f64| V::new(x, y, z);
    let still = |p: V| [p, p];
    let t = [still(v(0.0, 0.0, 0.0)), still(v(1.0, 0.0, 0.0)), still(v(0.0, 1.0, 0.0))];
    let hit = vertex_triangle_impact([v(0.2, 0.2, 1.0), v(0.2, 0.2, -2.0)], t, 0.0).unwrap();
    assert!(hit <= 1.0 / 3.0 && hit > 1.0 / 3.0 - 1e-14, "{hit}");
    let hit = vertex_triangle_impact([v(0.2, 0.2, 1.0), v(0.2, 0.2, -2.0)], t, 0.25).unwrap();
    assert!(hit <= 0.25 && hit > 0.25 - 1e-14, "{hit}");
    // Past the rim, however close.
    assert_eq!(vertex_triangle_impact([v(-1e-12, 0.2, 1.0), v(-1e-12, 0.2, -2.0)], t, 0.0), None);
    // A tumbling edge sweeps over a fixed one: tan(angle) = 2t − 1 ... reaches it at t = 1/2.
    let b = [still(v(-1.0, 0.0, 0.0)), still(v(1.0, 0.0, 0.0))];
    let a = [[v(0.0, 1.0, -1.0), v(0.0, -1.0, -1.0)], [v(0.0, 1.0, 1.0), v(0.0, -1.0, 1.0)]];
    let hit = edge_edge_impact(a, b, 0.0).unwrap();
    assert!(hit <= 0.5 && hit > 0.5 - 1e-14, "{hit}");
}

#[test]
fn touching_pairs_and_odd_numbers_end_on_the_safe_side() {
    let v = |x: f64, y: f64, z: f64| V::new(x, y, z);
    let away = |p: V| [p, p + v(0.0, 0.0, 1.0)];
    let still = |p: V| [p, p];
    let t = [still(v(0.0, 0.0, 0.0)), still(v(1.0, 0.0, 0.0)), still(v(0.0, 1.0, 0.0))];
    assert_eq!(vertex_triangle_impact(away(v(0.2, 0.2, 0.0)), t, 0.0), Some(0.0), "touching, though it leaves");
    assert_eq!(vertex_triangle_impact(away(v(0.2, 0.2, 0.1)), t, 0.2), Some(0.0), "nearer than the clearance");
    let p = still(v(0.3, 0.3, 0.3));
    assert_eq!(edge_edge_impact([p, p], [p, p], 0.0), Some(0.0));
    for odd in [f64::NAN, f64::INFINITY, 1e100, 1e300, f64::MAX] {
        let p = [v(0.2, 0.2, 1.0), v(0.2, odd, -1.0)];
        let answer = vertex_triangle_impact(p, t, 0.0);
        // Far away is free, if the products still fit; what is not a number is not.
        assert!(
            answer.is_some_and(|t| (0.0..1.0).contains(&t)) || (odd == 1e100 && answer.is_none()),
            "{odd}: {answer:?}"
        );
        assert!(vertex_triangle_impact([p[1], p[0]], t, f64::NAN).is_none_or(|t| (0.0..=1.0).contains(&t)));
    }
    let nowhere = [v(f64::NAN, 0.0, 1.0); 2];
    assert_eq!(vertex_triangle_impact(nowhere, t, 0.0), Some(0.0));
}
