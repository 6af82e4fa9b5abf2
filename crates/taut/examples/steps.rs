//! A square metre of 101 × 101 vertices, hung by two corners: 600 steps with positions read after each. Prints
//! seconds and the state's hash. `crates/taut-py/examples/overhead.py` does the same from Python and compares the two.
//!
//! ```sh
//! cargo run --release -p taut --example steps -- [steps]
//! ```
//!
//! With `-` for the steps it reads how many from its input, line by line, and prints a line after each lot.

use std::io::BufRead;
use std::time::Instant;
use taut::mesh::TriMesh;
use taut::{Cloth, ModelBuilder, Params, Scratch, State, measure, step};

const SIDE: u32 = 101;

/// As `taut.limit.grid` of the Python package makes it.
fn sheet() -> TriMesh {
    let at = |i: u32| -0.5 + f64::from(i) / f64::from(SIDE - 1);
    let places = (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| [at(i), 0.0, at(j)]));
    let corners = (0..SIDE - 1).flat_map(|j| (0..SIDE - 1).map(move |i| j * SIDE + i));
    let first = corners.clone().map(|a| [a, a + SIDE, a + 1]);
    let second = corners.map(|a| [a + 1, a + SIDE, a + SIDE + 1]);
    TriMesh { positions: places.collect(), triangles: first.chain(second).collect(), ..TriMesh::default() }
}

fn main() -> Result<(), taut::BuildError> {
    let given = std::env::args().nth(1).unwrap_or_else(|| "600".to_owned());
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &sheet(), &Cloth::default())?;
    let model = builder.build::<f32>()?;
    let (mut state, mut scratch) = (State::new(&model), Scratch::new(1));
    state.set_pins(&model, &[0, SIDE - 1]);
    let params = Params { substeps: 5, ..Params::default() };
    let mut positions = vec![[0.0f32; 3]; model.vertices()];
    let mut go = |steps: u32| {
        let start = Instant::now();
        for _ in 0..steps {
            step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0);
            state.positions_into(&model, &mut positions);
        }
        println!("{:.4} {:016x}", start.elapsed().as_secs_f64(), measure::state_hash(&model, &state));
    };
    let number = |text: &str| text.trim().parse().unwrap_or(600);
    match given.as_str() {
        "-" => std::io::stdin().lock().lines().map_while(Result::ok).for_each(|line| go(number(&line))),
        steps => go(number(steps)),
    }
    Ok(())
}
