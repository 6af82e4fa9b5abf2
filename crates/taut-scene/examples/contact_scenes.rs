//! Runs the ten scenes of contact with several seeds of jitter, checks by exact arithmetic after every step that
//! nothing intersects, and prints a table. Fails if anything does.
//!
//! `cargo run --release -p taut-scene --example contact_scenes -- [NAME…] [KEY=VALUE…] [--seeds N] [--frames N]`

use std::process::ExitCode;
use taut_scene::scene::{CONTACT_SCENES, Scene, SceneError, builtin};
use taut_scene::simulation::Simulation;

struct Args {
    names: Vec<String>,
    sets: Vec<String>,
    seeds: u32,
    frames: Option<u32>,
}

impl Args {
    fn read() -> Result<Args, String> {
        let mut args = Args { names: Vec::new(), sets: Vec::new(), seeds: 10, frames: None };
        let mut rest = std::env::args().skip(1);
        while let Some(arg) = rest.next() {
            let mut number = || rest.next().and_then(|n| n.parse().ok()).ok_or(format!("{arg} wants a number"));
            match arg.as_str() {
                "--seeds" => args.seeds = number()?,
                "--frames" => args.frames = Some(number()?),
                set if set.contains('=') => args.sets.push(arg),
                name if CONTACT_SCENES.contains(&name) => args.names.push(arg),
                other => return Err(format!("{other}: expected some of {}", CONTACT_SCENES.join(", "))),
            }
        }
        if args.names.is_empty() {
            args.names = CONTACT_SCENES.map(str::to_owned).to_vec();
        }
        Ok(args)
    }
}

fn main() -> ExitCode {
    let args = match Args::read() {
        Ok(args) => args,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    println!(
        "| scene | seed | frames | intersections | removed % | stopped | impossible | tangled | ms/frame | contact ms |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut crossed = 0;
    for name in &args.names {
        for seed in 1..=args.seeds {
            match run(name, seed, &args) {
                Ok(found) => crossed += found,
                Err(error) => {
                    eprintln!("{error}");
                    return ExitCode::from(2);
                }
            }
        }
    }
    ExitCode::from(u8::from(crossed > 0))
}

/// Runs a scene and prints its line. Gives the number of frames with intersections.
fn run(name: &str, seed: u32, args: &Args) -> Result<u64, SceneError> {
    let mut sets = builtin(name).map(|scene| scene.with_seed(seed)).unwrap_or_default();
    sets.extend(args.sets.iter().cloned());
    let scene = Scene::open(name, &sets)?;
    let mut simulation = Simulation::new(&scene, scene.precision(), 1)?;
    let began = simulation.verify().count;
    let frames = args.frames.unwrap_or(simulation.frames());
    while simulation.frame() < frames {
        simulation.advance();
    }
    let log = simulation.contact();
    let each = 1e3 / f64::from(frames.max(1));
    let stages: Vec<f64> = simulation.stage_seconds().iter().map(|seconds| seconds * each).collect();
    // Detection, contacts and the guard.
    let contact = stages[1] + stages[4] + stages[5];
    println!(
        "| {name} | {seed} | {frames} | {} | {:.3} | {} | {} | {} | {:.1} | {contact:.1} |",
        log.crossed.most.max(began as u64),
        100.0 * log.removed,
        log.stopped,
        log.impossible.most,
        log.tangled.most,
        stages.iter().sum::<f64>(),
    );
    log.warnings(|blockers| simulation.blockers(blockers))
        .iter()
        .for_each(|warning| println!("  {name} {seed}: {warning}"));
    if let Some(first) = (log.crossed.frames > 0).then_some(log.crossed) {
        let [a, b] = log.crossed_between.map(|number| simulation.name_of(number));
        println!(
            "  {name} {seed}: {a:?} and {b:?} intersect in {} frames, first at {:.3} s: {:?}",
            first.frames, first.times[0], first.at
        );
    }
    Ok(log.crossed.frames + u64::from(began > 0))
}
