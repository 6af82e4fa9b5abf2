//! Energies over time: figures 1, 4 and 5.

use crate::Done;
use crate::hanging::{FRAME, Hanging, PROJECTION, Piece, alpha_beta, params};
use std::path::Path;
use taut::measure::Totals;
use taut::{Integrator, Membrane, Orthotropic, Params, Solver};
use taut_render::chart::Chart;

/// What is measured after each frame.
type Meter = fn(&Totals) -> f64;
type Line = Vec<[f64; 2]>;

fn total(t: &Totals) -> f64 {
    t.kinetic + t.potential + t.elastic
}

fn without_elastic(t: &Totals) -> f64 {
    t.kinetic + t.potential
}

/// Time and energy of every frame, and the most energy that gravity gave, J: what errors are measured by.
fn trace(piece: &Piece, how: Params, frames: u32, meter: Meter) -> Result<(Line, f64), Box<dyn std::error::Error>> {
    let mut cloth = Hanging::<f64>::new(piece, how)?;
    let mut line = vec![[0.0, meter(&cloth.totals())]];
    let start = cloth.totals().potential;
    let mut given = 0.0f64;
    for frame in 1..=frames {
        cloth.frame();
        let totals = cloth.totals();
        line.push([f64::from(frame) * FRAME, meter(&totals)]);
        given = given.max(start - totals.potential);
    }
    Ok((line, given))
}

fn save(folder: &Path, name: &str, chart: Chart) -> Done {
    std::fs::write(folder.join(name), Chart { width: 720.0, height: 380.0, ..chart }.svg())?;
    Ok(())
}

/// The largest distance between two traces.
fn apart(a: &Line, b: &Line) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a[1] - b[1]).abs()).fold(0.0, f64::max)
}

/// Energy over 500 frames of 15 × 15 vertices by four solvers, with as many iterations as they need and with few.
pub fn figure_1(folder: &Path) -> Done {
    let membrane = Membrane::Continuum(Orthotropic::isotropic(100.0, 0.3));
    let piece = Piece { nx: 15, ny: 15, density: 0.2, membrane, bend: 1e-4, gamma: 0.0 };
    let euler = Integrator::ImplicitEuler;
    for iterations in [25, 200] {
        let title = format!("Fig. 1: energy of a 15 × 15 cloth, {iterations} iterations");
        let mut chart = Chart::lines(&title).x("time", "s").y("total energy", "J");
        let exact = Params { tolerance: 1e-9, ..params(Solver::Newton, euler, 50) };
        let (newton, given) = trace(&piece, exact, 500, total)?;
        println!(
            "Fig. 1, {iterations} iterations: largest distance from Newton's energy, of the {given:.3} J given by gravity"
        );
        let cases = [
            ("NCG", Solver::NonlinearCg),
            ("projection", PROJECTION),
            ("CG, one Newton step", Solver::NewtonCg),
            ("exact, one Newton step", Solver::NewtonCholesky),
        ];
        for (name, solver) in cases {
            let (line, _) = trace(&piece, params(solver, euler, iterations), 500, total)?;
            let off = apart(&line, &newton);
            println!("  {name:<24} {:.2} %", 100.0 * off / given);
            chart = chart.series(name, line);
        }
        save(folder, &format!("soft-figure-1-{iterations}.svg"), chart.series("Newton to the end", newton))?;
    }
    Ok(())
}

/// The rubber of figure 4: springs of 2 N/m.
fn rubber() -> Piece {
    let membrane = Membrane::Links { stretch: 2.0, shear: 2.0, bend: 0.02 };
    Piece { nx: 10, ny: 10, density: 0.1, membrane, bend: 0.0, gamma: 0.0 }
}

/// Total energy of rubber: three methods, four members of the family, and steps of six lengths at its middle.
pub fn figure_4(folder: &Path) -> Done {
    const FRAMES: u32 = 600;
    let euler = Integrator::ImplicitEuler;
    let mut chart = Chart::lines("Fig. 4: total energy of a 10 × 10 rubber cloth").x("time", "s").y("energy", "J");
    let cases = [
        ("NCG, implicit Euler", params(Solver::NonlinearCg, euler, 25)),
        ("projection, implicit Euler", params(PROJECTION, euler, 25)),
        ("projection, α = β = 0.6", params(PROJECTION, alpha_beta(0.6), 25)),
    ];
    println!("Fig. 4: share of the energy that gravity gave which is lost after 1 s, 5 s and 10 s");
    for (name, how) in cases {
        chart = chart.series(name, lost(&rubber(), how, FRAMES, name)?);
    }
    save(folder, "soft-figure-4.svg", chart)?;
    let mut chart = Chart::lines("α = β towards one half: total energy").x("time", "s").y("energy", "J");
    for share in [0.6, 0.55, 0.52, 0.5] {
        let name = format!("α = β = {share}");
        chart = chart.series(&name, lost(&rubber(), params(PROJECTION, alpha_beta(share), 25), FRAMES, &name)?);
    }
    save(folder, "soft-figure-4-sweep.svg", chart)?;
    println!("α = β = 0.5: drift in % of the energy given, per second, and largest deviation, over 10 s");
    let exact = Params { tolerance: 1e-9, ..params(Solver::Newton, alpha_beta(0.5), 50) };
    print_drift("Newton, h = 1/60 s", exact)?;
    for substeps in [1, 2, 4, 8, 16, 32] {
        let how = Params { substeps, ..params(PROJECTION, alpha_beta(0.5), 25) };
        print_drift(&format!("25 iterations, h = 1/{} s", 60 * substeps), how)?;
    }
    Ok(())
}

fn print_drift(name: &str, how: Params) -> Done {
    let (line, given) = trace(&rubber(), how, 600, total)?;
    let (drift, most) = drift(&line);
    println!("  {name:<28} {:+.4} %/s, {:.3} %", 100.0 * drift / given, 100.0 * most / given);
    Ok(())
}

/// The slope of a straight line through a trace (least squares), J/s, and its largest distance from where it began, J.
fn drift(line: &Line) -> (f64, f64) {
    let n = line.len() as f64;
    let mean = line.iter().fold([0.0; 2], |m, p| [m[0] + p[0] / n, m[1] + p[1] / n]);
    let (mut over, mut under, mut most) = (0.0, 0.0, 0.0f64);
    for p in line {
        over += (p[0] - mean[0]) * (p[1] - mean[1]);
        under += (p[0] - mean[0]).powi(2);
        most = most.max((p[1] - line[0][1]).abs());
    }
    (over / under, most)
}

/// A trace of the total energy; prints how much of it is lost.
fn lost(piece: &Piece, how: Params, frames: u32, name: &str) -> Result<Line, Box<dyn std::error::Error>> {
    let (line, given) = trace(piece, how, frames, total)?;
    let at = |second: usize| 100.0 * (line[0][1] - line[60 * second][1]) / given;
    println!("  {name:<28} {:6.2} % {:6.2} % {:6.2} %", at(1), at(5), at(10));
    Ok(line)
}

/// Total energy without the elastic part of 40 × 40 vertices with springs of 2000 N/m: damping, with 25 iterations of
/// projection as in the paper, and solved.
pub fn figure_5(folder: &Path) -> Done {
    let projected = params(PROJECTION, Integrator::ImplicitEuler, 25);
    // A millimetre a second is less than charts can show.
    let solved = Params { tolerance: 1e-3, ..params(Solver::Newton, Integrator::ImplicitEuler, 20) };
    damping(folder, "soft-figure-5.svg", "25 iterations", 600, &projected)?;
    damping(folder, "soft-figure-5-solved.svg", "solved", 180, &solved)
}

fn damping(folder: &Path, file: &str, how_well: &str, frames: u32, how: &Params) -> Done {
    let membrane = Membrane::Links { stretch: 2000.0, shear: 2000.0, bend: 20.0 };
    let piece = |gamma| Piece { nx: 40, ny: 40, density: 0.2, membrane, bend: 0.0, gamma };
    let midway = Params { integrator: alpha_beta(0.55), ..how.clone() };
    let cases = [
        ("regularised PBD", piece(0.0), how.clone()),
        ("γ = 10 h", piece(10.0 * FRAME), how.clone()),
        ("α = β = 0.55, γ = h", piece(FRAME), midway),
    ];
    let title = format!("Fig. 5: energy without the elastic part, 40 × 40 cloth, {how_well}");
    let mut chart = Chart::lines(&title).x("time", "s").y("kinetic and potential energy", "J");
    println!("Fig. 5, {how_well}: kinetic and potential energy (J) at 0.5 s, 1 s, 2 s, 3 s");
    for (name, piece, how) in cases {
        let (line, _) = trace(&piece, how, frames, without_elastic)?;
        let at = |frame: usize| line[frame][1];
        println!("  {name:<22} {:.3} {:.3} {:.3} {:.3}", at(30), at(60), at(120), at(180));
        chart = chart.series(name, line);
    }
    save(folder, file, chart)
}
