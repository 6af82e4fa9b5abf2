//! A free sheet that tumbles, crumples and meets itself: no contact may give it energy.
//!
//! `cargo run --release -p taut --example tumble -- [n=11] [seconds=5] [iterations=12] [fabric …]` prints, for each
//! fabric, the most by which kinetic, elastic and potential energy together rise above their start, over the kinetic
//! energy that it starts with, with and without contact.

use taut::fabric::Fabric;
use taut::limit::LimitSpec;
use taut::mesh::TriMesh;
use taut::{Cloth, Contact, ContactMaterial, ModelBuilder, Params, Scratch, State, measure, step};

const FRAME: f64 = 1.0 / 60.0;

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut number = |name: &str, default: f64| {
        let at = words.iter().position(|w| w.starts_with(name));
        at.and_then(|at| words.remove(at)[name.len()..].parse().ok()).unwrap_or(default)
    };
    let (n, seconds) = (number("n=", 11.0) as usize, number("seconds=", 5.0));
    let iterations = number("iterations=", 12.0) as u32;
    println!(
        "{:16} {:>10} {:>12} {:>12} {:>8} {:>8} {:>9}",
        "fabric", "start J", "rise %", "no contact %", "stopped", "pairs", "removed"
    );
    for fabric in Fabric::all().iter().filter(|f| words.is_empty() || words.iter().any(|w| w == f.name)) {
        let with = tumble(fabric, n, seconds, iterations, true);
        let without = tumble(fabric, n, seconds, iterations, false);
        println!(
            "{:16} {:10.4} {:12.2} {:12.2} {:8} {:8} {:9.5}",
            fabric.name, with.start, with.rise, without.rise, with.stopped, with.pairs, with.removed
        );
    }
}

#[derive(Default)]
struct Tumble {
    start: f64,
    rise: f64,
    stopped: u64,
    pairs: u64,
    removed: f64,
}

fn tumble(fabric: &Fabric, n: usize, seconds: f64, iterations: u32, contact: bool) -> Tumble {
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &sheet(n), &Cloth::from(fabric)).expect("a sheet");
    builder.limit(LimitSpec::stretch(fabric.stretch_bounds()));
    let model = builder.build::<f32>().expect("a model");
    let mut state = State::new(&model);
    let velocities: Vec<[f64; 3]> = state
        .positions(&model)
        .iter()
        .map(|p| {
            let [x, z] = [p[0] - 0.5, p[2] - 0.5];
            let ripple = 2.0 * (5.0 * x + 1.0).sin() * (4.0 * z).cos();
            [2.0 * z - 1.5 * x, ripple - 6.0 * z + x, 2.0 * x * z - 1.5 * z]
        })
        .collect();
    state.set_velocities(&model, &velocities);
    let material = ContactMaterial { thickness: fabric.thickness, friction: fabric.friction, self_contact: true };
    let params = Params {
        iterations,
        contact: Contact { materials: if contact { vec![material] } else { Vec::new() }, ..Contact::default() },
        ..Params::fabric()
    };
    let mut scratch = Scratch::new(1);
    let first = measure::totals(&model, &state, params.gravity);
    let all = |t: &measure::Totals| t.kinetic + t.elastic + t.potential;
    let mut out = Tumble { start: first.kinetic, ..Tumble::default() };
    for _ in 0..(seconds / FRAME) as usize {
        let report = step(&model, &mut state, &mut scratch, &params, FRAME);
        let now = measure::totals(&model, &state, params.gravity);
        out.rise = out.rise.max((all(&now) - all(&first)) / first.kinetic * 100.0);
        out.stopped += report.contact.stopped;
        out.pairs += report.contact.pairs;
        out.removed = out.removed.max(report.contact.removed);
    }
    out
}

/// A square metre, n vertices a side, lying.
fn sheet(n: usize) -> TriMesh {
    let at = |i: usize| i as f64 / (n - 1) as f64;
    let positions = (0..n * n).map(|k| [at(k % n), 0.0, at(k / n)]).collect();
    let cell = |k: usize| {
        let (i, j) = (k % (n - 1), k / (n - 1));
        let [a, b, c, d] = [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)].map(|(i, j)| (j * n + i) as u32);
        if (i + j) % 2 == 0 { [[a, c, b], [b, c, d]] } else { [[a, c, d], [a, d, b]] }
    };
    let triangles = (0..(n - 1) * (n - 1)).flat_map(cell).collect();
    TriMesh { positions, triangles, ..TriMesh::default() }
}
