//! `taut bench stretch`: what it costs to keep cloth from stretching.
//!
//! A sheet (or a flag, or a skirt) of edges without bending runs for two seconds, once for each way to hold it. All
//! ways compute frame 1 in turn, then frame 2, and so on, so that a machine that slows down slows them all; the whole
//! is repeated, and of each frame the best time counts, for noise only ever adds. Stretch is that of every edge at the
//! end of every frame.

mod case;
mod growth;
mod way;

use super::clock;
use crate::fail::Failure;
use case::{Case, Mesh, What};
use growth::Growth;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use taut_render::chart::Chart;
use taut_scene::write::atomic::write_atomic;
use way::{Run, Way};

/// Flags.
#[derive(clap::Args)]
pub struct Args {
    /// Vertices a side; repeatable.
    #[arg(long = "size", value_name = "N", default_values_t = [43, 101], value_parser = clap::value_parser!(u32).range(5..=2001))]
    sizes: Vec<u32>,
    /// What to run; repeatable.
    #[arg(long = "scene", value_enum, default_values_t = [What::Hang])]
    scenes: Vec<What>,
    /// Which meshes; repeatable.
    #[arg(long = "mesh", value_enum, default_values_t = [Mesh::Regular, Mesh::Irregular])]
    meshes: Vec<Mesh>,
    /// Which ways; repeatable. Without, all but implicit ones and the reference.
    #[arg(long = "way", value_enum)]
    ways: Vec<Way>,
    /// Frames of 1/60 s.
    #[arg(long, default_value_t = 120)]
    frames: usize,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Rounds; more are steadier.
    #[arg(long, default_value_t = 2)]
    rounds: usize,
    /// Substeps of the ways with levels, tethers or a limit; 0 for as many as mesh and fabric need.
    #[arg(long, default_value_t = 0)]
    substeps: u32,
    /// The largest stretch to keep to.
    #[arg(long, default_value_t = 0.01)]
    max_stretch: f64,
    /// Folder for stretch.svg, quality against cost of the last case, and growth.svg, cost against size.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// One JSON object instead of tables.
    #[arg(long)]
    json: bool,
}

/// Measures and prints.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut results = Vec::new();
    let mut chart = None;
    let mut growth = Growth::default();
    for &scene in &args.scenes {
        for &mesh in &args.meshes {
            for &size in args.sizes.iter().filter(|_| scene != What::Skirt || mesh == Mesh::Regular) {
                let implicit = args.ways.iter().any(|w| w.implicit());
                let case = Case::new(scene, mesh, size, implicit, args.max_stretch)?;
                let runs = measure(&case, args);
                if !args.json {
                    print_table(&case, &runs, args.frames);
                }
                chart = Some(chart_of(&case, &runs));
                growth.add(&case, &runs);
                results.push(report(&case, &runs));
            }
        }
    }
    let ceiling = (args.threads > 1).then(|| ceiling(args.threads));
    if args.json {
        let growth = growth.json();
        println!(
            "{}",
            json!({ "stretch": results, "growth": growth, "frames": args.frames, "threads": args.threads, "threads_ceiling": ceiling })
        );
    } else {
        growth.print();
        if let Some(ceiling) = ceiling {
            println!("{} threads of nothing but arithmetic do {ceiling:.2} times the work of one here", args.threads);
        }
    }
    if let Some(dir) = &args.out {
        std::fs::create_dir_all(dir).map_err(Failure::io("create", dir))?;
        let charts = [("stretch.svg", chart), ("growth.svg", growth.chart())];
        for (name, chart) in charts.into_iter().filter_map(|(name, chart)| Some((name, chart?))) {
            write_atomic(Path::new(dir), name, chart.svg().as_bytes())?;
        }
    }
    Ok(())
}

fn measure(case: &Case, args: &Args) -> Vec<Run> {
    let ways = if args.ways.is_empty() { Way::USUAL.to_vec() } else { args.ways.clone() };
    let mut runs: Vec<Run> = ways.into_iter().map(|way| Run::new(case, way, args)).collect();
    for round in 0..args.rounds.max(1) {
        for run in &mut runs {
            run.start(case);
        }
        for frame in 0..args.frames {
            for run in &mut runs {
                run.frame(case, frame, round == 0);
            }
        }
    }
    runs
}

/// What is known of the energy: if the reference ran, how far others are from it.
fn energy_off(run: &Run, runs: &[Run]) -> Option<f64> {
    runs.iter().find(|r| r.way == Way::Reference).map(|reference| run.energy_off(reference))
}

fn report(case: &Case, runs: &[Run]) -> Value {
    let of = |run: &Run| {
        json!({
            "way": run.way.name(),
            "ms_median": run.median_ms(),
            "ms_mean": run.mean_ms(),
            "ms_max": run.max_ms(),
            "over_first": run.ratio(&runs[0]),
            "ns_per_element_and_substep": run.per_element(case),
            "setup_s": run.setup,
            "peak_stretch": run.peak(),
            "mean_stretch": run.mean(),
            "soft_stretch": run.soft(),
            "energy": run.energy,
            "energy_off_reference": energy_off(run, runs),
            "jitter": run.jitter,
            "unmet": run.unmet,
            "substeps": run.substeps(),
            "most_substeps": run.most_substeps(),
            "levels": run.report.inextensibility.levels,
            "nodes": run.report.inextensibility.nodes,
            "tethers": run.report.inextensibility.tethers,
            "bytes_per_triangle": run.report.inextensibility.bytes as f64 / case.triangles as f64,
        })
    };
    json!({ "case": case.name(), "triangles": case.triangles, "build_s": case.seconds, "ways": runs.iter().map(of).collect::<Vec<_>>() })
}

fn print_table(case: &Case, runs: &[Run], frames: usize) {
    println!("{}; built in {:.2} s", case.name(), case.seconds);
    println!(
        "  {:<24} {:>8} {:>8} {:>8} {:>7} {:>5}  {:>9} {:>8} {:>8}  {:>8} {:>8} {:>6}  {:>7} {:>6} {:>6} {:>8}",
        "",
        "ms",
        "mean",
        "max",
        "ratio",
        "ns/e",
        "peak %",
        "mean %",
        "soft %",
        "J, 1/2",
        "J, end",
        "off %",
        "jitter",
        "unmet",
        "B/tri",
        "set-up s"
    );
    let or_none = |value: Option<f64>| value.map_or("–".to_string(), |v| format!("{:.2}", 100.0 * v));
    for run in runs {
        let energy = |at: usize| run.energy.get(at.saturating_sub(1)).copied().unwrap_or(f64::NAN);
        println!(
            "  {:<24} {:>8.2} {:>8.2} {:>8.2} {:>6.2}× {:>5.1}  {:>9.3} {:>8.3} {:>8}  {:>8.3} {:>8.3} {:>6}  {:>7.3} {:>6} {:>6.0} {:>8.2}",
            run.way.name(),
            run.median_ms(),
            run.mean_ms(),
            run.max_ms(),
            run.ratio(&runs[0]),
            run.per_element(case),
            100.0 * run.peak(),
            100.0 * run.mean(),
            or_none(run.soft()),
            energy(frames / 2),
            energy(frames),
            or_none(energy_off(run, runs)),
            run.jitter,
            run.unmet,
            run.report.inextensibility.bytes as f64 / case.triangles as f64,
            run.setup,
        );
    }
}

/// Peak stretch against time per frame.
fn chart_of(case: &Case, runs: &[Run]) -> Chart {
    let title = format!("Stretch against cost: {}", case.name());
    let mut chart = Chart::points(&title).x("time per frame", "ms").y("peak stretch", "%").log_x().log_y();
    (chart.width, chart.height) = (760.0, 460.0);
    for run in runs {
        chart = chart.series(run.way.name(), vec![[run.median_ms(), 100.0 * run.peak()]]);
    }
    chart
}

/// How many times the work of one thread `threads` do on this machine, at best: cores that share power, caches or
/// pipelines slow each other down.
fn ceiling(threads: usize) -> f64 {
    let work = || {
        let start = clock();
        let mut x = [1.0f32; 64];
        for i in 0..1_000_000 {
            let by = std::hint::black_box(i as f32 * 1e-12);
            x.iter_mut().for_each(|x| *x = *x * 0.999_999 + by);
        }
        std::hint::black_box(x);
        clock() - start
    };
    let together = || {
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            all.into_iter().map(|t| t.join().unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
        })
    };
    // Noise only ever adds.
    let (mut one, mut all) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..15 {
        (one, all) = (one.min(work()), all.min(together()));
    }
    threads as f64 * one / all
}
