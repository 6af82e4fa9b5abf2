//! The parts on their own.

use super::chart::{NONE, flatten, sub};
use super::geodesic::Paths;
use super::sheet::RestSheet;
use super::{Inextensibility, build};
use crate::constraint::Sweep;
use crate::lanes::{Shared, Vertex, Width};

/// n × m squares cut in two, bent into space by `place` from (u, v) in metres, spacing `h`; `keep` says which squares
/// there are.
fn sheet(
    n: usize,
    m: usize,
    h: f64,
    place: impl Fn(f64, f64) -> [f64; 3],
    keep: impl Fn(usize, usize) -> bool,
) -> (RestSheet, Vec<[f64; 3]>) {
    let id = |i: usize, j: usize| (j * (n + 1) + i) as u32;
    let mut points = Vec::new();
    for j in 0..=m {
        for i in 0..=n {
            points.push(place(i as f64 * h, j as f64 * h));
        }
    }
    let cells = (0..m).flat_map(|j| (0..n).map(move |i| (i, j))).filter(|&(i, j)| keep(i, j));
    (woven(&points, cells, id), points)
}

/// x1 − x0 and x2 − x0 in the plane of the triangle, the first along x: no grain worth the name.
fn frame([a, b, c]: [[f64; 3]; 3]) -> [[f64; 2]; 2] {
    let d = |p: [f64; 3], q: [f64; 3]| [0, 1, 2].map(|k| q[k] - p[k]);
    let dot = |p: [f64; 3], q: [f64; 3]| (0..3).map(|k| p[k] * q[k]).sum::<f64>();
    let (e, f) = (d(a, b), d(a, c));
    let l = dot(e, e).sqrt();
    let x = dot(e, f) / l;
    [[l, 0.0], [x, (dot(f, f) - x * x).sqrt()]]
}

fn flat(u: f64, v: f64) -> [f64; 3] {
    [u, 0.0, v]
}

/// How far the sides of each triangle are from as long as at rest, in the chart; infinite where its vertices have
/// several charts.
fn length_errors(sheet: &RestSheet) -> Vec<f64> {
    let flat = flatten(sheet);
    let mut errors = Vec::new();
    for (t, tri) in sheet.triangles.iter().enumerate() {
        let charts = tri.map(|v| flat.chart[v as usize]);
        assert!(charts.iter().all(|&c| c != NONE));
        let mut worst = if charts[0] == charts[1] && charts[1] == charts[2] { 0.0 } else { f64::INFINITY };
        {
            let p = tri.map(|v| flat.place[v as usize]);
            for (k, e) in sheet.edges[t].iter().enumerate() {
                let d = sub(p[k + 1], p[0]);
                worst = worst.max((d[0].hypot(d[1]) / e[0].hypot(e[1]) - 1.0).abs());
            }
        }
        errors.push(worst);
    }
    errors
}

#[test]
fn a_bent_sheet_lies_flat_in_one_chart() {
    // A spiral: developable, rolled up once and a half.
    let (radius, h) = (0.1, 0.02);
    let roll = |u: f64, v: f64| [radius * (u / radius).cos(), v, radius * (u / radius).sin()];
    let (bent, _) = sheet(40, 20, h, roll, |_, _| true);
    assert_eq!(flatten(&bent).area.len(), 1);
    let worst = length_errors(&bent).into_iter().fold(0.0, f64::max);
    assert!(worst < 1e-9, "{worst}");
}

#[test]
fn a_ball_comes_apart_into_charts_that_fit() {
    let ball = |u: f64, v: f64| [u.cos() * v.cos(), v.sin(), u.sin() * v.cos()];
    let (round, _) = sheet(60, 24, 0.05, |u, v| ball(u, v - 0.6), |_, _| true);
    // Misfits of a quarter of a triangle are let through, at both ends of a side; along cuts sides are torn.
    let fit = length_errors(&round).into_iter().filter(|&e| e < 0.5).count();
    assert!(fit * 10 > round.triangles.len() * 8, "{fit} of {}", round.triangles.len());
    assert!(flatten(&round).area.len() < 40);
}

#[test]
fn distances_on_a_flat_sheet_are_straight() {
    let (sheet, points) = sheet(40, 30, 0.1, flat, |_, _| true);
    let paths = Paths::new(&sheet.triangles, &sheet.edges, |_| true, points.len());
    let (distance, _) = paths.from(&[0], points.len());
    for (d, p) in distance.iter().zip(&points) {
        assert!((d - p[0].hypot(p[2])).abs() < 1e-9, "{d} at {p:?}");
    }
}

#[test]
fn distances_lead_around_a_slit() {
    // A row of squares is missing but for the last: the way from one side of it to the other leads around its end.
    let (sheet, points) = sheet(20, 20, 0.1, flat, |i, j| j != 10 || i == 19);
    let paths = Paths::new(&sheet.triangles, &sheet.edges, |_| true, points.len());
    let (from, to) = (9 * 21, 12 * 21);
    let (distance, source) = paths.from(&[from], points.len());
    // To the corner of the slit, across, and back: both corners at x = 1.9.
    let straight = 1.9f64.hypot(0.1) * 2.0 + 0.1;
    let found = distance[to as usize];
    assert!(found >= straight - 1e-9 && found < 1.02 * straight, "{found} {straight}");
    assert_eq!(source[to as usize], from);
}

/// Σ m x before and after: what coarse levels do keeps momentum, and leaves alone what is not stretched.
#[test]
fn levels_keep_momentum_and_pull_together() {
    let (sheet, points) = sheet(48, 48, 0.02, flat, |_, _| true);
    let built = build::build::<f64>(&sheet, &points, &[], &Inextensibility::within(0.01));
    let mut levels = built.levels;
    assert!(levels.list.len() >= 2);
    let run = |levels: &mut super::Hierarchy<f64, 3>, mut x: Vec<Vertex<f64>>| {
        let shared = Shared::new(&mut x);
        Sweep::alone(Width::W16, |sweep| levels.correct(sweep, shared, &[]));
        x
    };
    let stretched = |s: f64| -> Vec<Vertex<f64>> {
        points.iter().map(|p| [p[0] * s, 0.1 * p[2], 0.9 * p[2], 100.0]).chain([[0.0; 4]]).collect()
    };
    let width = |x: &[Vertex<f64>]| x[48][0] - x[0][0];
    let middle = |x: &[Vertex<f64>], k: usize| x.iter().take(points.len()).map(|p| p[k]).sum::<f64>();
    let (before, after) = (stretched(1.1), run(&mut levels, stretched(1.1)));
    for k in 0..3 {
        assert!((middle(&before, k) - middle(&after, k)).abs() < 1e-10, "momentum along {k}");
    }
    assert!(width(&after) < width(&before) - 0.02, "{} {}", width(&before), width(&after));
    // Squeezed: nothing to do.
    assert!(run(&mut levels, stretched(0.9)) == stretched(0.9), "squeezed cloth was moved");
}

/// Stiff cloth of `cells` (column and row) between `points`, each cut in two by diagonals in alternating directions;
/// `id` gives a corner's number.
fn woven(
    points: &[[f64; 3]],
    cells: impl Iterator<Item = (usize, usize)>,
    id: impl Fn(usize, usize) -> u32,
) -> RestSheet {
    let mut triangles = Vec::new();
    for (i, j) in cells {
        let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i, j + 1), id(i + 1, j + 1));
        triangles.extend(if (i + j) % 2 == 0 { [[a, b, c], [b, d, c]] } else { [[a, b, d], [a, d, c]] });
    }
    let edges = triangles.iter().map(|t| frame(t.map(|v: u32| points[v as usize]))).collect();
    let held = vec![[true; 2]; triangles.len()];
    RestSheet {
        triangles,
        edges,
        held,
        links: Vec::new(),
        mass: vec![0.01; points.len()],
        substeps: super::SubstepControl::STIFF,
        bounded: Vec::new(),
        bounded_edges: Vec::new(),
    }
}

/// A skirt, closed around: `around` vertices, `rows` of squares, waist first.
fn skirt(around: usize, rows: usize) -> (RestSheet, Vec<[f64; 3]>) {
    let (top, bottom, height) = (0.12, 0.35, 0.55);
    let mut points = Vec::new();
    for j in 0..=rows {
        for i in 0..around {
            let (a, t) = (core::f64::consts::TAU * i as f64 / around as f64, j as f64 / rows as f64);
            let r = top + (bottom - top) * t;
            points.push([r * a.cos(), -height * t, r * a.sin()]);
        }
    }
    let id = |i: usize, j: usize| (j * around + i % around) as u32;
    let cells = (0..rows).flat_map(|j| (0..around).map(move |i| (i, j)));
    (woven(&points, cells, id), points)
}

#[test]
fn levels_leave_a_skirt_at_rest_alone() {
    let (sheet, points) = skirt(100, 33);
    let waist: Vec<u32> = (0..100).collect();
    let built = build::build::<f64>(&sheet, &points, &waist, &Inextensibility::within(0.01));
    for (name, levels) in [("levels", built.levels), ("boundary", built.boundary)] {
        assert!(!levels.list.is_empty(), "{name}");
        let rest: Vec<Vertex<f64>> = points
            .iter()
            .enumerate()
            .map(|(i, p)| [p[0], p[1], p[2], if i < 100 { 0.0 } else { 100.0 }])
            .chain([[0.0; 4]])
            .collect();
        let mut x = rest.clone();
        let shared = Shared::new(&mut x);
        Sweep::alone(Width::W16, |sweep| levels.correct(sweep, shared, &[]));
        let moved = |i: usize| (0..3).map(|k| (x[i][k] - rest[i][k]).powi(2)).sum::<f64>().sqrt();
        let worst = (0..points.len()).map(moved).fold(0.0, f64::max);
        // Means over pieces of a bent cloth are not where they are when it lies flat: a tenth of an edge, no more.
        assert!(worst < 0.1 * 0.017, "{name}: {worst}");
    }
}

/// Moving along is no turning; turning is, wherever the axis; and faster turning takes more substeps, up to a bound.
#[test]
fn cloth_that_turns_fast_takes_more_substeps() {
    let (sheet, points) = sheet(48, 48, 0.02, flat, |_, _| true);
    let probe = super::TurnProbe::new(&sheet);
    let moving = |f: &dyn Fn([f64; 3]) -> [f64; 3]| -> Vec<Vertex<f64>> {
        points.iter().map(|&p| f(p)).map(|v| [v[0], v[1], v[2], 0.0]).collect()
    };
    assert!(probe.rate(&moving(&|_| [30.0, -4.0, 5.0])) < 1e-9);
    // Across the plane of the sheet, every edge turns.
    let turning = |rate: f64| moving(&move |p| [rate * (p[2] - 3.0), 1.0, -rate * p[0]]);
    assert!((probe.rate(&turning(7.0)) - 7.0).abs() < 1e-9);
    assert_eq!(probe.rate(&moving(&|p| [f64::NAN, p[0], 0.0])), 0.0);
    // A sliver's short edge, whose ends tremble, is not the cloth.
    let mut thin = woven(&points, (0..48).flat_map(|j| (0..48).map(move |i| (i, j))), |i, j| (j * 49 + i) as u32);
    thin.edges[0] = [[1e-6, 0.0], [0.0, 0.02]];
    let mut trembling = turning(7.0);
    trembling[thin.triangles[0][0] as usize][0] += 0.01;
    assert!((super::TurnProbe::new(&thin).rate(&trembling) - 7.0).abs() < 0.1);
    let substeps = |rate: f64| super::SubstepControl::STIFF.substeps(1.0 / 60.0, probe.rate(&turning(rate)));
    assert_eq!([0.0, 5.0, 9.0, 12.0, 1e6].map(substeps), [10, 10, 12, 16, 25]);
    assert!(super::SubstepControl::soft(5000.0).substeps(1.0 / 60.0, 20.0) > 100, "soft cloth needs its own");
}

/// A dress, closed around: wide, narrow at the waist, wide again. It is curved both ways everywhere, and comes apart
/// into many charts.
fn dress(around: usize, rows: usize) -> (RestSheet, Vec<[f64; 3]>) {
    let mut points = Vec::new();
    for j in 0..=rows {
        for i in 0..around {
            let (a, t) = (core::f64::consts::TAU * i as f64 / around as f64, j as f64 / rows as f64);
            let r = 0.11 + 0.04 * (3.0 * core::f64::consts::PI * t).cos() + 0.3 * t * t;
            points.push([r * a.cos(), -1.1 * t, 0.7 * r * a.sin()]);
        }
    }
    let id = |i: usize, j: usize| (j * around + i % around) as u32;
    let cells = (0..rows).flat_map(|j| (0..around).map(move |i| (i, j)));
    (woven(&points, cells, id), points)
}

/// What levels make of positions; vertices with mass but those that are held.
fn corrected(levels: &super::Hierarchy<f64, 3>, at: &[[f64; 3]], held: &[u32]) -> Vec<[f64; 3]> {
    let weight = |v: usize| if held.contains(&(v as u32)) { 0.0 } else { 100.0 };
    let with_weights = |(v, p): (usize, &[f64; 3])| [p[0], p[1], p[2], weight(v)];
    let mut x: Vec<Vertex<f64>> = at.iter().enumerate().map(with_weights).chain([[0.0; 4]]).collect();
    let shared = Shared::new(&mut x);
    Sweep::alone(Width::W16, |sweep| levels.correct(sweep, shared, &[]));
    x.iter().take(at.len()).map(|p| [p[0], p[1], p[2]]).collect()
}

fn furthest(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let way = |(p, q): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
    a.iter().zip(b).map(way).fold(0.0, f64::max)
}

/// The longest edge over its length at rest.
fn longest(sheet: &RestSheet, rest: &[[f64; 3]], at: &[[f64; 3]]) -> f64 {
    let length = |x: &[[f64; 3]], [a, b]: [u32; 2]| furthest(&[x[a as usize]], &[x[b as usize]]);
    let edges = sheet.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    edges.map(|e| length(at, e) / length(rest, e)).fold(0.0, f64::max)
}

#[test]
fn levels_leave_a_dress_of_many_charts_at_rest_alone() {
    let (sheet, points) = dress(80, 60);
    let charts = flatten(&sheet).area.len();
    assert!(charts > 20, "{charts} charts");
    let built = build::build::<f64>(&sheet, &points, &[], &Inextensibility::within(0.01));
    assert!(built.levels.list.len() >= 2);
    for levels in [built.levels, built.boundary] {
        let after = corrected(&levels, &points, &[]);
        let (moved, longest) = (furthest(&points, &after), longest(&sheet, &points, &after));
        assert!(moved < 0.1 * 0.015, "moved by {moved}");
        assert!(longest < 1.01, "stretched to {longest}");
    }
}

#[test]
fn levels_tear_no_edge_over_the_cuts_of_a_dress() {
    let (sheet, points) = dress(80, 60);
    let built = build::build::<f64>(&sheet, &points, &[], &Inextensibility::within(0.01));
    // Longer, and wider on one side.
    let pulled: Vec<[f64; 3]> = points.iter().map(|p| [p[0] * (1.05 + 0.2 * p[0]), 1.05 * p[1], p[2]]).collect();
    let after = corrected(&built.levels, &pulled, &[]);
    let (before, after) = (longest(&sheet, &points, &pulled), longest(&sheet, &points, &after));
    assert!(after < 1.02 * before, "stretched to {after}, from {before}");
    let middle = |x: &[[f64; 3]], k: usize| x.iter().map(|p| p[k]).sum::<f64>();
    for k in 0..3 {
        let after = corrected(&built.levels, &pulled, &[]);
        assert!((middle(&pulled, k) - middle(&after, k)).abs() < 1e-9, "momentum along {k}");
    }
}

#[test]
fn levels_do_not_close_a_slit() {
    // A row of squares is missing but for the last three; left of the middle, what is beyond it is folded over to the
    // right.
    let (n, h) = (40, 0.02);
    let (sheet, points) = sheet(n, n, h, flat, |i, j| j != 20 || i >= 37);
    let fold = |p: &[f64; 3]| if p[2] > 20.5 * h && p[0] < 0.4 { [0.8 - p[0], 0.0, p[2]] } else { *p };
    let folded: Vec<[f64; 3]> = points.iter().map(fold).collect();
    // One lip of the slit is held at its end: nothing to the other.
    for pins in [vec![], vec![20 * (n as u32 + 1)]] {
        let built = build::build::<f64>(&sheet, &points, &pins, &Inextensibility::within(0.01));
        assert!(built.levels.list.len() >= 2);
        for levels in [built.levels, built.boundary] {
            let moved = furthest(&folded, &corrected(&levels, &folded, &pins));
            // Means of pieces that are cut off at a border are not quite where they are in a plane: a part of an edge.
            assert!(moved < 0.3 * h, "moved by {moved}, {} held", pins.len());
        }
    }
}
