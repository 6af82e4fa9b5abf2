//! The figures of "Cloth Simulation Using Soft Constraints" (Frâncu and Moldoveanu 2015), as charts and pictures, and
//! their numbers: `cargo run --release -p taut-scene --example soft_figures -- FOLDER [FIGURE…]` with figures out of
//! `1 3 4 5 time`; all of them if none is named. docs/soft-constraints.md tells what they show.

mod energy;
mod hanging;
mod strain;
mod time;

use std::path::Path;

type Done = Result<(), Box<dyn std::error::Error>>;

fn main() -> Done {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "out/soft".into());
    let wanted: Vec<String> = arguments.collect();
    std::fs::create_dir_all(&folder)?;
    type Figure = (&'static str, fn(&Path) -> Done);
    let figures: [Figure; 5] = [
        ("1", energy::figure_1),
        ("3", strain::figure_3),
        ("4", energy::figure_4),
        ("5", energy::figure_5),
        ("time", |_| time::frames()),
    ];
    for (name, figure) in figures {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            figure(Path::new(&folder))?;
        }
    }
    Ok(())
}
