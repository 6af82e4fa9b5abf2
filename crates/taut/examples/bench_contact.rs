//! What detection and the safety pass cost: a pleated sheet, 10,000 to 1,000,000 triangles, one thread.
//!
//! `cargo run --release -p taut --example bench_contact`
//!
//! Prints nanoseconds per triangle for every stage, best of several rounds. Close to linear means: the columns stay
//! level. `calm` and `wild` are the safety pass for small random motion and for motion that would make most layers
//! cross.

use std::time::Instant;
use taut::internals::contact::bvh::Aabb;
use taut::internals::contact::candidates::{Pairs, SurfaceBvh, near};
use taut::internals::contact::exact::IntersectionFinder;
use taut::internals::contact::safety::{Motion, Role, SafetyReport, SafetySettings, make_safe};
use taut::internals::contact::surface::Surface;

/// Distance between layers, m.
const LAYER: f64 = 0.002;
/// Length of an edge, m.
const EDGE: f64 = 0.01;
/// Features nearer than this are of interest, m.
const NEAR: f64 = 0.003;

fn main() {
    println!(
        "{:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "triangles", "pairs", "near", "build", "regions", "refit", "pairs", "narrow", "exact", "calm", "wild"
    );
    let sides: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    for side in if sides.is_empty() { vec![71, 101, 225, 708] } else { sides } {
        measure(side);
    }
}

fn measure(side: usize) {
    let (x, triangles) = pleated(side);
    let n = triangles.len() as f64;
    let around = |p: &[f64; 3]| Aabb::around(&[*p], 0.5 * NEAR);
    let mut regions: Vec<Aabb> = x.iter().map(around).collect();
    let start = Instant::now();
    let mut field = SurfaceBvh::new(Surface::new(&triangles), &regions);
    let build = start.elapsed().as_nanos() as f64;
    let mut finder = IntersectionFinder::new(&x, &triangles);
    let mut best = [f64::MAX; 7];
    let roles = vec![Role::Free(1.0); x.len()];
    let settings = SafetySettings::default();
    let (calm, wild) = (shaken(&x, 2e-4), shaken(&x, 1.4e-3));
    let mut out = Vec::new();
    let mut wild_report = SafetyReport::default();
    let (mut pairs, mut found) = (Pairs::default(), Vec::new());
    let rounds = (1_000_000 / triangles.len()).clamp(2, 20);
    for _ in 0..rounds {
        let mut clock = Instant::now();
        let mut lap = |i: usize| {
            best[i] = best[i].min(clock.elapsed().as_nanos() as f64);
            clock = Instant::now();
        };
        regions.clear();
        regions.extend(x.iter().map(around));
        lap(0);
        field.refit(&regions);
        lap(1);
        pairs.clear();
        field.self_pairs(&mut pairs);
        lap(2);
        found.clear();
        near(&x, &pairs, NEAR, &mut found);
        lap(3);
        assert!(finder.find(&x).is_empty(), "the pleated sheet is free of intersections");
        lap(4);
        // The safety pass: a calm motion in which few pairs fail, and a wild one in which most layers would cross.
        let mut safe = |to: &[[f64; 3]]| {
            let motion = Motion {
                from: &x,
                to,
                roles: &roles,
                regions: &regions,
                pairs: &pairs,
                radii: &[],
                bodies: &[],
                drift: [0.0; 3],
            };
            make_safe(&motion, &settings, &mut out)
        };
        safe(&calm);
        lap(5);
        wild_report = safe(&wild);
        lap(6);
    }
    print!("{:>9} {:>9} {:>9} {:>8.1}", triangles.len(), pairs.counts().iter().sum::<usize>(), found.len(), build / n);
    for b in best {
        print!(" {:>8.1}", b / n);
    }
    println!(
        "   ns per triangle; detection {:.2} ms; wild: {} failed, {} truncated, {:.2} % removed",
        best[..4].iter().sum::<f64>() * 1e-6,
        wild_report.failed.len(),
        wild_report.truncated,
        100.0 * wild_report.removed / wild_report.motion
    );
}

/// Every vertex moved by up to `size` (m) in every direction.
fn shaken(x: &[[f64; 3]], size: f64) -> Vec<[f64; 3]> {
    let wave = |i: usize, k: usize| ((i * (37 + 11 * k)) as f64 * 0.7).sin() * size;
    x.iter().enumerate().map(|(i, p)| [p[0] + wave(i, 0), p[1] + wave(i, 1), p[2] + wave(i, 2)]).collect()
}

/// A square sheet of side × side vertices in pleats.
fn pleated(side: usize) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut x = Vec::new();
    for j in 0..side {
        let (along, height) = pleat(j);
        for i in 0..side {
            // A little unevenness: no two features exactly parallel.
            let bump = 1e-4 * ((i * 7 + j * 13) as f64).sin();
            x.push([i as f64 * EDGE, height + bump, along]);
        }
    }
    let mut triangles = Vec::new();
    for j in 0..side as u32 - 1 {
        for i in 0..side as u32 - 1 {
            let a = j * side as u32 + i;
            let (b, c, d) = (a + 1, a + side as u32, a + side as u32 + 1);
            triangles.extend(if (i + j) % 2 == 0 { [[a, c, b], [b, c, d]] } else { [[a, d, b], [a, c, d]] });
        }
    }
    (x, triangles)
}

/// Where row `j` is, along the cloth and up: thirty rows forward, ten back on top of them, and on over both. Half of
/// the length is single, half three layers thick, at any size.
fn pleat(j: usize) -> (f64, f64) {
    let (period, row) = (j / 40, j % 40);
    let (along, height) = match row {
        0..10 => (row, 2.0),
        10..20 => (row, 2.0 - (row - 10) as f64 / 5.0),
        20..30 => (row, 0.0),
        _ => (60 - row, 1.0),
    };
    ((period * 20 + along) as f64 * EDGE, height * LAYER)
}
