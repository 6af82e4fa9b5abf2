//! Runs built-in scenes and prints what they are in numbers, twice a simulated second.
//!
//! `cargo run --release -p taut-scene --example scenes -- [NAME…] [KEY=VALUE…]`

use std::time::Instant;
use taut_scene::scene::{BUILTIN, Scene, SceneError};
use taut_scene::simulation::Simulation;

fn main() {
    let (sets, names): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a.contains('='));
    let names = if names.is_empty() { BUILTIN.iter().map(|b| b.name.to_owned()).collect() } else { names };
    for name in names {
        if let Err(error) = run(&name, &sets) {
            eprintln!("{error}");
            std::process::exit(2);
        }
    }
}

fn run(name: &str, sets: &[String]) -> Result<(), SceneError> {
    let scene = Scene::open(name, sets)?;
    let mut simulation = Simulation::new(&scene, scene.precision(), 1)?;
    let elements: usize = simulation.objects().iter().map(|o| o.info.triangles.len() + o.info.tets.len()).sum();
    println!("{name}: {elements} elements, {} frames; warnings: {:?}", simulation.frames(), simulation.warnings());
    let start = Instant::now();
    let every = (scene.settings.time.fps * 0.5) as u32;
    let mut inside = 0.0;
    while simulation.frame() < simulation.frames() {
        inside += simulation.advance().stage_seconds.iter().sum::<f64>();
        let m = simulation.metrics();
        if simulation.frame().is_multiple_of(every.max(1)) {
            let low = (0..simulation.objects().len())
                .flat_map(|i| simulation.positions(i))
                .fold(f64::MAX, |low, p| low.min(p[1]));
            println!(
                "  {:5.2} s  weft {:.3}/{:.3} warp {:.3}/{:.3} shear {:.3}/{:.3} stretch {:.3}/{:.3} volume {:+.3} \
                 kinetic {:.4} J  contacts {} inverted {} contained {} lowest {low:.3} m",
                m.time,
                m.strain.weft.max,
                m.strain.weft.p99,
                m.strain.warp.max,
                m.strain.warp.p99,
                m.strain.shear.max,
                m.strain.shear.p99,
                m.strain.stretch.max,
                m.strain.stretch.p99,
                m.totals.volume_change,
                m.totals.kinetic,
                m.contacts,
                m.inverted,
                m.contained,
            );
        }
    }
    println!("  {inside:.1} s in steps, {:.1} s in all", start.elapsed().as_secs_f64());
    Ok(())
}
