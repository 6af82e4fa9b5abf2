//! `taut compare`: scenes or settings side by side.

mod cases;
mod pictures;
mod report;

use crate::fail::Failure;
use crate::flags::{Say, SceneFlags};
use cases::Case;
use std::path::PathBuf;
use taut_scene::write::atomic::write_atomic;
use taut_studio::Progress;

/// Flags of `taut compare`.
#[derive(clap::Args)]
pub struct Args {
    /// Scenes, each a file or a built-in name, with changes of its own after a colon: hang hang:solver.substeps=40
    /// hang:solver.substeps=5,cloth.0.stiffness.shear=0.1
    #[arg(required = true, num_args = 2.., value_name = "SCENE[:KEY=VALUE,…]")]
    scenes: Vec<String>,
    /// The folder to write to.
    #[arg(long, value_name = "DIR", default_value = "out/compare")]
    out: PathBuf,
    /// Draw no pictures.
    #[arg(long)]
    no_pictures: bool,
    #[command(flatten)]
    flags: SceneFlags,
    #[command(flatten)]
    say: Say,
}

/// Simulates all in turns and shows them side by side.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut cases = cases::open(&args.scenes, &args.flags)?;
    advance(&mut cases, args.say.quiet);
    let made = if args.no_pictures { Vec::new() } else { pictures::draw(&cases, args.flags.threads()) };
    std::fs::create_dir_all(&args.out).map_err(Failure::io("create", &args.out))?;
    let mut shown = Vec::new();
    for picture in made {
        let bytes = taut_studio::png(&picture.picture);
        write_atomic(&args.out, &picture.file, &bytes)?;
        shown.push(taut_render::report::ReportPicture { caption: picture.caption, alt: picture.alt, bytes });
    }
    write_atomic(&args.out, "compare.csv", report::csv(&cases).as_bytes())?;
    write_atomic(&args.out, "compare.html", report::page(&cases, shown).as_bytes())?;
    if args.say.json {
        println!("{}", report::json(&cases));
    } else if !args.say.quiet {
        report::print(&cases);
        println!("  {}", args.out.join("compare.html").display());
    }
    Ok(())
}

/// All take turns, a frame of each: a machine that slows down slows them all, and times can be compared.
fn advance(cases: &mut [Case], quiet: bool) {
    let rounds = cases.iter().map(Case::frames).max().unwrap_or(0);
    let mut progress = Progress::new("compare", 0, rounds.into(), quiet);
    for round in 1..=rounds {
        for case in cases.iter_mut() {
            // Scenes with fewer frames a second wait for the others.
            case.advance_to((u64::from(round) * u64::from(case.frames())).div_ceil(rounds.into()) as u32);
        }
        progress.at(round.into(), String::new);
    }
    progress.finish();
}
