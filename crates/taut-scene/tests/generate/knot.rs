use taut::internals::contact::exact::intersections;
use taut_scene::generate::{KnotParams, knot};

use crate::check::{assert_isometric, fault, length, sub};

#[test]
fn is_flat_at_rest_and_begins_free_of_itself() {
    let (mesh, start) = knot(&KnotParams::default()).unwrap();
    assert_isometric(&mesh, 1e-11);
    assert_eq!(mesh.positions.len(), start.len());
    assert!(intersections(&start, &mesh.triangles).is_empty());
    // The ribbon is not much stretched: along its middle only by what it rises and falls at its crossings.
    let middle = 2 * 321..3 * 321;
    let run = |line: &[[f64; 3]]| line.windows(2).map(|w| length(sub(w[1], w[0]))).sum::<f64>();
    let along = run(&start[middle.clone()]) / run(&mesh.positions[middle]);
    assert!((1.0..1.1).contains(&along), "{along}");
}

/// Three crossings, over and under in turn: that makes it a knot and not a loop. Seen along z, the ribbon is a curve.
#[test]
fn crosses_itself_over_and_under_in_turn() {
    let params = KnotParams { ny: 2, ..KnotParams::default() };
    let (_, start) = knot(&params).unwrap();
    // Both edges of the ribbon lie on one another, seen along z.
    let mut line: Vec<[f64; 3]> = Vec::new();
    for p in start.iter().filter(|p| start.iter().any(|q| q[..2] == p[..2] && q[2] > p[2])) {
        line.push(*p);
    }
    assert_eq!(line.len(), params.nx as usize);
    let side = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let mut passes: Vec<(usize, bool)> = Vec::new();
    for i in 0..line.len() - 1 {
        for j in i + 2..line.len() - 1 {
            let ([a, b], [c, d]) = ([line[i], line[i + 1]], [line[j], line[j + 1]]);
            if side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0 {
                let above = a[2] > c[2];
                assert!((a[2] - c[2]).abs() > params.width + 0.9 * params.gap, "they touch at {a:?}");
                passes.extend([(i, above), (j, !above)]);
            }
        }
    }
    passes.sort_unstable();
    assert_eq!(passes.len(), 6, "{passes:?}");
    assert!(passes.windows(2).all(|w| w[0].1 != w[1].1), "{passes:?}");
}

#[test]
fn bad_parameters_are_named() {
    let bad = |params: KnotParams| fault(knot(&params));
    assert_eq!(bad(KnotParams { length: -1.0, ..Default::default() }), "length");
    assert_eq!(bad(KnotParams { gap: 0.0, ..Default::default() }), "gap");
    assert_eq!(bad(KnotParams { nx: 20, ..Default::default() }), "nx");
    assert_eq!(bad(KnotParams { nx: 100_000, ny: 100_000, ..Default::default() }), "nx, ny");
}
