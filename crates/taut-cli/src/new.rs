//! `taut new`: a folder to begin from.

use crate::fail::Failure;
use crate::flags::Say;
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use taut_scene::write::atomic::write_atomic;

/// Flags of `taut new`.
#[derive(clap::Args)]
pub struct Args {
    /// The folder to make.
    dir: PathBuf,
    #[command(flatten)]
    say: Say,
}

const STARTER: &str = include_str!("starter.toml");

/// Makes a folder with a commented scene and the schema that editors complete it with.
pub fn run(args: &Args) -> Result<(), Failure> {
    let dir = &args.dir;
    let taken = match fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    };
    if taken {
        return Err(Failure::BadInput(format!("{} is there already and not an empty folder", dir.display())));
    }
    fs::create_dir_all(dir).map_err(Failure::io("create", dir))?;
    let scene = write_atomic(dir, "scene.toml", STARTER.as_bytes())?;
    let schema = write_atomic(dir, "scene.schema.json", format!("{:#}\n", taut_scene::scene::schema()).as_bytes())?;
    if args.say.json {
        println!("{}", json!({ "scene": scene.to_string_lossy(), "schema": schema.to_string_lossy() }));
    } else if !args.say.quiet {
        println!("{} is a scene to change as you like. Run it:", scene.display());
        println!("  taut run {} --out {}", scene.display(), dir.join("out").display());
    }
    Ok(())
}
