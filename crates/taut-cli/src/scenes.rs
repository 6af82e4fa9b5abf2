//! `taut scenes`: what comes with the program.

use crate::fail::Failure;
use crate::flags::Say;
use serde_json::{Value, json};
use taut_scene::scene::BUILTIN;

/// Flags of `taut scenes`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    say: Say,
}

/// Lists the built-in scenes with a line about each.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.say.json {
        let each = BUILTIN.iter().map(|scene| {
            let (title, description) = scene.about();
            json!({ "name": scene.name, "title": title, "description": description })
        });
        println!("{}", Value::Array(each.collect()));
        return Ok(());
    }
    let width = BUILTIN.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    for scene in BUILTIN {
        let (title, description) = scene.about();
        let about = if description.is_empty() { title } else { description };
        println!("{:width$}  {}", scene.name, about.lines().next().unwrap_or_default());
    }
    if !args.say.quiet {
        println!("\nTry one: taut run {}", BUILTIN[0].name);
    }
    Ok(())
}
