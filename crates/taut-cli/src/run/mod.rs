//! `taut run`: a scene in; an animation, pictures and numbers out.

mod folder;
mod history;
mod loading;
mod lock;
mod outputs;
mod pictures;
mod report;
mod spool;
mod stop;
mod summary;

use crate::fail::Failure;
use crate::flags::{Say, SceneFlags, named_formats, stem};
use folder::Folder;
use outputs::{CHECKPOINT, Outputs};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stop::Stop;
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;
use taut_scene::write::{Checkpoint, Clip, Format};
use taut_studio::{Progress, duration};

/// Flags of `taut run`.
#[derive(clap::Args)]
pub struct Args {
    /// A scene file, or the name of a built-in scene; `taut scenes` lists them.
    scene: String,
    /// The folder to write to; out/NAME if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on from the last checkpoint in the folder.
    #[arg(long)]
    resume: bool,
    /// File formats, whatever the scene says: pc2, mdd, abc, usd, glb, obj, ply, vtu.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    formats: Option<Vec<String>>,
    /// Draw no pictures.
    #[arg(long)]
    no_pictures: bool,
    /// Seconds between checkpoints; 0 for one after every frame. A frame that takes longer than half a second has one
    /// of its own.
    #[arg(long, value_name = "S", default_value_t = 5.0)]
    checkpoint: f64,
    /// Check by exact arithmetic after every step that nothing intersects, and every frame that no limit on stretch is
    /// missed by more than 1 % of itself, between pins too; end with 1 if one is, or if positions were not finite.
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    flags: SceneFlags,
    #[command(flatten)]
    say: Say,
}

/// Simulates a scene and writes everything about it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let begun = Instant::now();
    let scene = args.flags.open(&args.scene)?;
    let mut simulation = args.flags.build(&scene)?;
    let formats = formats(args, &scene)?;
    let setup = simulation.setup();
    let wanted = outputs::wanted(&formats, setup.details);
    let clip = Clip::new(setup.with(wanted))?;
    formats.iter().try_for_each(|format| format.check(&clip))?;
    let dir = args.out.clone().unwrap_or_else(|| Path::new("out").join(stem(&scene)));
    let mut folder = Folder::open(&dir, &simulation, args.flags.precision(&scene).name())?;
    if args.resume
        && let Some(result) = folder.result(simulation.frames())
    {
        folder.tidy(outputs::SPOOL)?;
        return already_done(args, &folder, &result);
    }
    let resumed = args.resume && resume(&folder, &mut simulation, args.say)?;
    if !resumed {
        folder.clear()?;
    } else if args.verify && !simulation.contact().verified() {
        return Err(unverified(&folder));
    }
    begin(args, &mut simulation, &mut folder)?;
    if args.verify {
        simulation.verify();
    }
    if let Some(text) = loading::page(&formats, &clip) {
        folder.write(loading::NAME, text.as_bytes())?;
    }
    let mut outputs = Outputs::open(&mut folder, &simulation, &clip, &formats, resumed, !args.no_pictures)?;
    let stop = Stop::listen(farewell(args, simulation.frames()));
    advance(args, &mut simulation, &mut outputs, &stop)?;
    let complete = simulation.frame() >= simulation.frames();
    let made = outputs.finish(&simulation, &mut folder, complete)?;
    let (mut spool, mut shown) = (made.spool, Vec::new());
    if let Some(spool) = &mut spool {
        shown = pictures::make(&simulation, spool, &mut folder, args.flags.threads(), args.say.quiet)?;
    }
    let result = summary::result(&mut simulation);
    let page = report::page(&simulation, &made.history, &result, shown, &args.flags);
    folder.write("report.html", page.as_bytes())?;
    folder.finish(if complete { result.clone() } else { serde_json::Value::Null })?;
    // Only now: a run that is killed while it draws draws again.
    if let Some(spool) = spool {
        spool.close(complete)?;
        folder.forget_missing()?;
    }
    if args.say.json {
        println!("{result}");
    } else if !args.say.quiet {
        summary::print(&simulation, &result, &folder, begun.elapsed().as_secs_f64());
    }
    if !complete {
        return Err(stopped(args, &simulation));
    }
    if args.verify { judge(&folder, &result) } else { Ok(()) }
}

/// Goes through the start phase, if there is one, and says how it ended.
fn begin(args: &Args, simulation: &mut Simulation, folder: &mut Folder) -> Result<(), Failure> {
    let Some(start) = simulation.begin() else { return Ok(()) };
    let place = start.place().filter(|_| !args.no_pictures);
    let drawn = place.map(|at| pictures::place(simulation, at, folder, args.flags.threads())).transpose()?;
    if !args.say.quiet {
        eprintln!("{}", started(&start, drawn));
    }
    Ok(())
}

/// What is said of a start phase, of which a picture may have been drawn.
fn started(start: &taut_scene::simulation::StartReport, drawn: Option<&str>) -> String {
    let out = match (start.began, start.intersections) {
        (0, _) => String::new(),
        (began, left) => format!(", {left} of {began} intersections left"),
    };
    let put = match start.put_out {
        0.0 => String::new(),
        far => format!(", cloth put outside by up to {:.1} mm", 1000.0 * far),
    };
    let shown = drawn.map_or(String::new(), |name| format!("; pictures/{name} shows the place that is wrong"));
    let (seconds, highest, fastest) = (start.seconds, start.highest, start.fastest);
    format!(
        "start phase: {seconds:.2} s{out}{put}, nothing faster than {highest:.2} m/s, {fastest:.3} m/s at its end{shown}"
    )
}

/// What `--verify` makes of the result of a complete run.
fn judge(folder: &Folder, result: &serde_json::Value) -> Result<(), Failure> {
    let wrong = result["failures"].as_array().ok_or_else(|| unverified(folder))?;
    let wrong: Vec<&str> = wrong.iter().filter_map(|sentence| sentence.as_str()).collect();
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Failed(wrong.join("\n"))) }
}

/// Some of the steps that are there were not looked at.
fn unverified(folder: &Folder) -> Failure {
    Failure::BadInput(format!(
        "cannot verify {}: frames that are there were computed without --verify\n  = without --resume, the run starts \
         over",
        folder.dir().display()
    ))
}

/// The formats that the flags or the scene ask for.
fn formats(args: &Args, scene: &Scene) -> Result<Vec<&'static Format>, Failure> {
    match &args.formats {
        Some(names) => named_formats(names.iter().map(String::as_str)),
        None => named_formats(scene.settings.output.formats.iter().map(|name| name.0)),
    }
}

/// Takes up the state of the last checkpoint, if there is one.
fn resume(folder: &Folder, simulation: &mut Simulation, say: Say) -> Result<bool, Failure> {
    folder.check_same()?;
    let bad = |error: &dyn std::fmt::Display| {
        Failure::BadInput(format!("cannot resume: {error}\n  = without --resume, the run starts over"))
    };
    match Checkpoint::read(&folder.path(CHECKPOINT), simulation.identity()) {
        Err(error) if error.is_missing() => {
            if !say.quiet {
                eprintln!("there is no checkpoint in {}: starting at the beginning", folder.dir().display());
            }
            Ok(false)
        }
        Err(error) => Err(bad(&error)),
        Ok(checkpoint) => {
            simulation.restore(checkpoint).map_err(|error| bad(&error))?;
            if simulation.frame() > simulation.frames() {
                let (there, wanted) = (simulation.frame(), simulation.frames());
                return Err(bad(&format!("there are {there} frames already, more than the {wanted} asked for")));
            }
            Ok(true)
        }
    }
}

/// Computes and writes frames until the end, or until someone wants it to stop.
fn advance(args: &Args, simulation: &mut Simulation, outputs: &mut Outputs, stop: &Stop) -> Result<(), Failure> {
    let pause = Duration::try_from_secs_f64(args.checkpoint).unwrap_or(Duration::MAX);
    let total = simulation.frames();
    let name = stem(simulation.scene());
    let mut progress = Progress::new(&name, simulation.frame().into(), total.into(), args.say.quiet);
    let mut saved = Instant::now();
    if simulation.frame() == 0 {
        outputs.frame(simulation, None)?;
    }
    while simulation.frame() < total && !stop.wanted() {
        let begun = Instant::now();
        let report = stop.within(simulation.frame() + 1, || simulation.advance());
        let long = begun.elapsed() >= stop::PATIENCE;
        let strain = outputs.frame(simulation, Some(&report))?;
        progress.at(report.frame.into(), || format!(", largest tension {:.2} %", 100.0 * strain));
        if (long || saved.elapsed() >= pause) && report.frame < total {
            outputs.checkpoint(simulation)?;
            saved = Instant::now();
        }
    }
    progress.finish();
    outputs.checkpoint(simulation)
}

/// What a run that was stopped says last.
fn stopped(args: &Args, simulation: &Simulation) -> Failure {
    Failure::Failed(format!("stopped after frame {}{}", simulation.frame(), farewell(args, simulation.frames())))
}

/// How a run that was stopped goes on.
fn farewell(args: &Args, frames: u32) -> String {
    let mut again: Vec<String> = std::env::args().collect();
    if !args.resume {
        again.push("--resume".into());
    }
    if let Some(program) = again.first_mut() {
        *program = "taut".into();
    }
    let quoted = |arg: &String| if arg.contains([' ', '[', '"', '\'', '*']) { format!("'{arg}'") } else { arg.clone() };
    let again: Vec<String> = again.iter().map(quoted).collect();
    format!(" of {frames}; go on with: {}", again.join(" "))
}

/// There is nothing left to do.
fn already_done(args: &Args, folder: &Folder, result: &serde_json::Value) -> Result<(), Failure> {
    if args.say.json {
        println!("{result}");
    } else if !args.say.quiet {
        println!("{}: everything is there already", folder.dir().display());
    }
    if args.verify { judge(folder, result) } else { Ok(()) }
}

/// Seconds for people, with a decimal for short ones.
fn short(seconds: f64) -> String {
    if seconds < 60.0 { format!("{seconds:.1} s") } else { duration(seconds) }
}
