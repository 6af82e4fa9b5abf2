//! The figures of "Continuum-based Strain Limiting" (Thomaszewski, Pabst and Straßer 2009) and "Area Preserving Strain
//! Limiting" (Han 2015), as tables on the screen and pictures in `docs/pictures`:
//! `cargo run --release -p taut-scene --example limit_figures -- [NAME…]` with names out of
//! `base table-1 threads figure-6 figure-8 area-1 area-7`; all of them if none is named. docs/limiters.md tells what they show.

mod area;
mod clock;
mod draw;
#[path = "../../tests/limit_figures/scenes.rs"]
mod scenes;
mod strain;
mod table;

use std::path::Path;

type Done = Result<(), Box<dyn std::error::Error>>;

fn main() -> Done {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    type Figure = (&'static str, fn(&Path) -> Done);
    let figures: [Figure; 7] = [
        ("base", |_| table::base()),
        ("table-1", |_| table::table_1()),
        ("threads", |_| table::threads()),
        ("figure-6", strain::figure_6),
        ("figure-8", strain::figure_8),
        ("area-1", area::figure_1),
        ("area-7", area::figure_7),
    ];
    if let Some(unknown) = wanted.iter().find(|w| figures.iter().all(|f| f.0 != w.as_str())) {
        return Err(format!("there is no figure {unknown}; there are {:?}", figures.map(|f| f.0)).into());
    }
    for (name, figure) in figures {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            figure(&folder)?;
        }
    }
    Ok(())
}

/// Does all, two at a time, in their order.
fn in_pairs<A: Sync, B: Send>(list: &[A], work: impl Fn(&A) -> B + Sync) -> Vec<B> {
    let mut out: Vec<B> = Vec::with_capacity(list.len());
    for pair in list.chunks(2) {
        std::thread::scope(|scope| {
            let threads: Vec<_> = pair.iter().map(|a| scope.spawn(|| work(a))).collect();
            out.extend(threads.into_iter().filter_map(|t| t.join().ok()));
        });
    }
    out
}
