//! `taut fabrics`: what cloths are known by name, and what is known of them.

use crate::fail::Failure;
use crate::flags::Say;
use serde_json::json;
use taut_scene::fabric;

/// Flags of `taut fabrics`.
#[derive(clap::Args)]
pub struct Args {
    /// A fabric to show in full, with the source of every figure; all as a table if not given.
    name: Option<String>,
    /// Print the page of the guide instead, in Markdown.
    #[arg(long, conflicts_with_all = ["json", "name"])]
    markdown: bool,
    #[command(flatten)]
    say: Say,
}

/// Lists the fabrics, or shows one.
pub fn run(args: &Args) -> Result<(), Failure> {
    let chosen = args.name.as_deref().map(fabric::find).transpose();
    let chosen = chosen.map_err(|unknown| Failure::BadInput(unknown.to_string()))?;
    match chosen {
        _ if args.markdown => print!("{}", fabric::markdown()),
        Some(one) if args.say.json => println!("{}", json!(one)),
        None if args.say.json => println!("{}", json!(fabric::all())),
        Some(one) => print!("{}", fabric::details(one)),
        None => {
            print!("{}", fabric::table());
            if !args.say.quiet {
                println!("All about one: taut fabrics {}", fabric::all()[0].name);
            }
        }
    }
    Ok(())
}
