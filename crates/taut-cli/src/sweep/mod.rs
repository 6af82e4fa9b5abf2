//! `taut sweep`: a scene with every combination of values, each run a process of its own.
//!
//! A run's result is a file whose name says all it depends on (see `SweepRun::key`), so that one that is killed costs
//! itself, and a sweep that is repeated costs nothing. The Python package's `taut.sweep` writes and finds the same
//! files.

mod processes;
mod values;

use crate::fail::Failure;
use crate::flags::{Precision, Say, SceneFlags};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use taut_scene::scene::Scene;
use taut_scene::write::atomic::write_atomic;
use taut_studio::{Progress, SweepRun, Table};
use values::Vary;

/// Flags of `taut sweep`.
#[derive(clap::Args)]
pub struct Args {
    /// A scene file, or the name of a built-in scene.
    scene: String,
    /// A key of the scene and the values it takes, such as solver.substeps=5,20 or cloth.0.fabric=denim,cotton;
    /// repeatable.
    #[arg(long, value_name = "KEY=A,B,…", required_unless_present = "one")]
    vary: Vec<Vary>,
    /// Processes side by side, each on one thread; as many as --threads if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Run on a cluster instead: the address of a dask scheduler, such as tcp://host:8786. Needs the Python package.
    #[arg(long, value_name = "ADDRESS")]
    dask: Option<String>,
    /// The folder of the results.
    #[arg(long, value_name = "DIR", default_value = "out/sweep")]
    out: PathBuf,
    /// Be one of the processes: run the scene as it is.
    #[arg(long, hide = true)]
    one: bool,
    #[command(flatten)]
    flags: SceneFlags,
    #[command(flatten)]
    say: Say,
}

/// One run: its changes, the same as text of the command line, and the name of its result.
struct Planned {
    values: Vec<String>,
    sets: Vec<String>,
    key: String,
}

impl Args {
    /// The scene with changes on top of those of `--set`.
    fn run_of(&self, changes: &[String]) -> Result<SweepRun, Failure> {
        let sets: Vec<String> = self.flags.set.iter().chain(changes).cloned().collect();
        let scene = Scene::open_within(&self.scene, &sets, self.flags.input.memory())?;
        let precision = self.flags.precision(&scene);
        Ok(SweepRun::new(scene, Some(precision), self.flags.frames))
    }

    /// Every combination, the last key varying fastest.
    fn plan(&self) -> Result<Vec<Planned>, Failure> {
        let mut combinations: Vec<Vec<String>> = vec![Vec::new()];
        for vary in &self.vary {
            let with = |before: &Vec<String>, value: &String| before.iter().chain([value]).cloned().collect();
            combinations = combinations.iter().flat_map(|c| vary.values.iter().map(move |v| with(c, v))).collect();
        }
        let planned = |values: Vec<String>| {
            let sets: Vec<String> =
                self.vary.iter().zip(&values).map(|(v, value)| format!("{}={value}", v.key)).collect();
            Ok(Planned { key: self.run_of(&sets)?.key(), values, sets })
        };
        combinations.into_iter().map(planned).collect()
    }
}

/// Runs what is missing, and says what all came to.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.one {
        return one(args);
    }
    if let Some(address) = &args.dask {
        return on_cluster(args, address);
    }
    let plan = args.plan()?;
    std::fs::create_dir_all(&args.out).map_err(Failure::io("create", &args.out))?;
    let mut missing: Vec<&Planned> = plan.iter().filter(|p| known(&args.out, &p.key).is_none()).collect();
    let mut seen = std::collections::HashSet::new();
    missing.retain(|p| seen.insert(p.key.as_str()));
    let jobs = args.jobs.map_or_else(|| args.flags.threads(), usize::from);
    let mut progress = Progress::new("runs", 0, missing.len() as u64, args.say.quiet || args.say.json);
    processes::run_all(&missing, jobs, |p| command(args, p), |done| progress.at(done as u64, String::new))?;
    progress.finish();
    let results: HashMap<&str, Json> =
        plan.iter().filter_map(|p| Some((p.key.as_str(), known(&args.out, &p.key)?))).collect();
    let table = table(args, &plan, &results)?;
    write_atomic(&args.out, "table.csv", table.csv().as_bytes())?;
    if args.say.json {
        println!("{}", json!({ "columns": table.columns, "rows": table.rows, "computed": missing.len() }));
    } else if !args.say.quiet {
        table.lines().iter().for_each(|line| println!("{line}"));
        println!("{} runs, {} of them computed now, in {}", plan.len(), missing.len(), args.out.display());
    }
    Ok(())
}

/// The result of that name, if it is there and whole.
fn known(dir: &Path, key: &str) -> Option<Json> {
    let text = std::fs::read(dir.join(format!("{key}.json"))).ok()?;
    serde_json::from_slice(&text).ok().filter(|found: &Json| found["key"] == *key)
}

/// A process that makes one run.
fn command(args: &Args, planned: &Planned) -> Result<Command, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::Failed(format!("cannot find myself: {error}")))?;
    let mut command = Command::new(program);
    command.args(["sweep", &args.scene, "--one", "--quiet", "--out"]).arg(&args.out);
    flags(args, &mut command);
    planned.sets.iter().for_each(|set| _ = command.args(["--set", set]));
    Ok(command)
}

/// What all runs have.
fn flags(args: &Args, command: &mut Command) {
    args.flags.set.iter().for_each(|set| _ = command.args(["--set", set]));
    if let Some(frames) = args.flags.frames {
        command.args(["--frames", &frames.to_string()]);
    }
    match args.flags.precision {
        Some(Precision::F32) => _ = command.args(["--precision", "f32"]),
        Some(Precision::F64) => _ = command.args(["--precision", "f64"]),
        None => {}
    }
}

/// Makes one run and keeps its result.
fn one(args: &Args) -> Result<(), Failure> {
    use std::io::Write;
    let run = args.run_of(&[])?;
    let key = run.key();
    let (result, picture) = run.run()?;
    std::fs::create_dir_all(&args.out).map_err(Failure::io("create", &args.out))?;
    write_atomic(&args.out, &format!("{key}.png"), &picture)?;
    write_atomic(&args.out, &format!("{key}.json"), result.to_string().as_bytes())?;
    let path = args.out.join("computed.log");
    let log = std::fs::OpenOptions::new().append(true).create(true).open(&path);
    let line = format!("{key} {}\n", std::process::id());
    log.and_then(|mut log| log.write_all(line.as_bytes())).map_err(Failure::io("write", &path))
}

/// The same by the Python package, which knows how to talk to clusters.
fn on_cluster(args: &Args, address: &str) -> Result<(), Failure> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let mut command = Command::new(&python);
    command.args(["-m", "taut", "sweep", &args.scene, "--dask", address, "--out"]).arg(&args.out);
    flags(args, &mut command);
    args.vary.iter().for_each(|vary| _ = command.args(["--vary", &vary.text()]));
    command.args(args.say.json.then_some("--json")).args(args.say.quiet.then_some("--quiet"));
    let done = command.status().map_err(|error| Failure::Failed(format!("cannot run {python}: {error}")))?;
    match done.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Failure::BadInput("the sweep on the cluster was refused; its message is above".into())),
        _ => Err(Failure::Failed(format!("the sweep on the cluster ended with {done}; it needs the Python package"))),
    }
}

/// A row for each run: its changes, and what it came to.
fn table(args: &Args, plan: &[Planned], results: &HashMap<&str, Json>) -> Result<Table, Failure> {
    let of = |p: &Planned| results.get(p.key.as_str()).and_then(|result| result["summary"].as_object());
    let names: Vec<&str> = plan.first().and_then(of).into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let columns: Vec<&str> = args.vary.iter().map(|vary| vary.key.as_str()).chain(names.iter().copied()).collect();
    let mut table = Table::new("table", &columns);
    for planned in plan {
        let lost = || Failure::Failed(format!("the result {} is gone from {}", planned.key, args.out.display()));
        let summary = of(planned).ok_or_else(lost)?;
        let changes = planned.values.iter().map(|value| values::plain(value));
        table.push(changes.chain(names.iter().map(|name| summary[*name].clone())));
    }
    Ok(table)
}
