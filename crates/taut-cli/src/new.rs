//! `taut new`: a folder to begin from.

use crate::fail::Failure;
use crate::flags::Say;
use serde_json::json;
use std::path::PathBuf;
use taut_scene::scene::new_project;

/// Flags of `taut new`.
#[derive(clap::Args)]
pub struct Args {
    /// The folder to make.
    dir: PathBuf,
    #[command(flatten)]
    say: Say,
}

/// Makes a folder with a commented scene, the schema that editors complete it with, a mesh and a README.
pub fn run(args: &Args) -> Result<(), Failure> {
    let files = new_project(&args.dir).map_err(|error| Failure::BadInput(error.to_string()))?;
    let scene = &files[0];
    if args.say.json {
        let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
        println!("{}", json!({ "scene": scene.to_string_lossy(), "files": files }));
    } else if !args.say.quiet {
        println!("{} is a scene to change as you like. Run it:", scene.display());
        println!("  taut run {} --out {}", scene.display(), args.dir.join("out").display());
    }
    Ok(())
}
