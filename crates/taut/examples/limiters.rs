//! Times one iteration of each limiter over 3,600 triangles, on one thread, in lanes and one by one.
//!
//! Limits are at zero strain, so that every element works in every sweep. A sweep's time is that of 21 sweeps less that
//! of one, over twenty; rounds of all limiters follow each other, and the best of each counts, because noise only ever
//! adds.
//!
//! `cargo run --release -p taut --example limiters`

use std::time::Instant;
use taut::Width;
use taut::limit::{
    ApslSettings, Band, CslMotion, CslScheme, CslSettings, LimitScratch, Limiter, RestTriangle, StrainLimits,
    SweepSettings, edges_of,
};

const ROUNDS: usize = 500;

fn main() {
    let (positions, triangles) = sheet(45, 40);
    let rest = RestTriangle::all(&triangles, &positions, [1.0, 0.0, 0.0]);
    let edges = edges_of(&triangles, &positions);
    let n = positions.len();
    let start: Vec<[f32; 3]> = positions.iter().map(|&p| disturbed(p)).collect();
    let inverse_masses = vec![1000.0; n];
    let make = |iterations| -> Vec<(&'static str, usize, Limiter<f32>)> {
        let sweeps = SweepSettings { iterations, tolerance: 0.0, seed: 0 };
        let zero = [StrainLimits::both(0.0, 0.0, 0.0)];
        let csl = |scheme, motion| {
            let csl = Limiter::csl(n, &rest, &zero, CslSettings { scheme, motion, sweeps });
            csl.expect("sound")
        };
        vec![
            ("CSL-GS", rest.len(), csl(CslScheme::GaussSeidel, CslMotion::default())),
            ("CSL-GS, paper", rest.len(), csl(CslScheme::GaussSeidel, CslMotion::PAPER)),
            ("CSL-Jacobi", rest.len(), csl(CslScheme::Jacobi { held: 1.0 }, CslMotion::default())),
            ("SBD", rest.len(), Limiter::sbd(n, &rest, &zero, sweeps).expect("sound")),
            ("edges", edges.len(), Limiter::edges(n, &edges, Band::both(0.0), sweeps).expect("sound")),
        ]
    };
    for width in [Width::W16, Width::W1] {
        println!("{} triangles, {} edges, f32, {} lanes, one thread", rest.len(), edges.len(), width.lanes());
        let mut scratch = LimitScratch::new(1).with_width(width);
        let (few, many) = (make(1), make(21));
        let mut best = vec![[f64::INFINITY; 2]; few.len()];
        for _ in 0..ROUNDS {
            for i in 0..few.len() {
                for (which, limiter) in [&few[i].2, &many[i].2].into_iter().enumerate() {
                    let mut p = start.clone();
                    let clock = Instant::now();
                    limiter.apply_to_candidates(&mut p, &inverse_masses, &[], &mut scratch);
                    best[i][which] = best[i][which].min(clock.elapsed().as_secs_f64());
                }
            }
        }
        let best: Vec<f64> = best.iter().map(|[one, many]| (many - one) / 20.0).collect();
        println!("{:<16} {:>12} {:>14} {:>10}", "", "ms a sweep", "ns an element", "over SBD");
        for i in 0..few.len() {
            let (name, elements, _) = &few[i];
            let ns = best[i] * 1e9 / *elements as f64;
            println!("{name:<16} {:>12.4} {ns:>14.2} {:>10.2}", best[i] * 1e3, best[i] / best[3]);
        }
        println!();
    }
    apsl(&positions, &rest);
}

/// A sheet held at one side and drawn out to twice its length in one step.
fn apsl(positions: &[[f64; 3]], rest: &[RestTriangle]) {
    println!(
        "APSL, {} triangles drawn out to twice their length and more, threshold 2 %, 30 systems at most",
        rest.len()
    );
    println!("{:>7} {:>10} {:>10} {:>9} {:>11}", "alpha", "before", "after", "systems", "CG a system");
    for alpha in [1.5, 1.1, 1.01, 1.001] {
        let settings = ApslSettings { alpha, substeps: 30, ..ApslSettings::default() };
        let apsl = Limiter::<f64>::areas(positions.len(), rest, settings).expect("sound");
        let inverse_masses = vec![1000.0; positions.len()];
        let mut v: Vec<[f64; 3]> = positions.iter().map(|p| [p[0] * p[0] * 100.0, 0.0, 0.0]).collect();
        let fixed: Vec<bool> = positions.iter().map(|p| p[0] < 1e-9).collect();
        let report = apsl.apply(positions, &inverse_masses, &mut v, &fixed, 0.01, &mut LimitScratch::new(1));
        println!(
            "{alpha:>7} {:>8.1} % {:>8.2} % {:>9} {:>11.1}",
            100.0 * report.before.size,
            100.0 * report.after.size,
            report.iterations,
            report.cg_iterations as f64 / f64::from(report.iterations)
        );
    }
}

/// A grid of nx × ny cells, two triangles each, diagonals alternating.
fn sheet(nx: usize, ny: usize) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let id = |i: usize, j: usize| (j * (nx + 1) + i) as u32;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for j in 0..=ny {
        positions.extend((0..=nx).map(|i| [i as f64 / nx as f64, 0.0, j as f64 / nx as f64]));
    }
    for j in 0..ny {
        for i in 0..nx {
            let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i, j + 1), id(i + 1, j + 1));
            triangles.extend(if (i + j) % 2 == 0 { [[a, c, b], [b, c, d]] } else { [[a, d, b], [a, c, d]] });
        }
    }
    (positions, triangles)
}

/// A few percent of strain everywhere.
fn disturbed(p: [f64; 3]) -> [f32; 3] {
    let wave = |a: f64| 1.02 * a + 0.002 * (13.0 * a).sin();
    [wave(p[0]) as f32, (0.01 * (5.0 * p[0] + 3.0 * p[2]).sin()) as f32, wave(p[2]) as f32]
}
