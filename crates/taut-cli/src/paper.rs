//! `taut paper`: the papers' figures and tables, run and checked.

use crate::fail::Failure;
use crate::flags::Say;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;
use taut_papers::{Claim, ENTRIES, Entry, Outcome, Size, Table, entry, page};
use taut_studio::duration;

/// Flags of `taut paper`.
#[derive(clap::Args)]
pub struct Args {
    /// `list`, `all`, or names of figures and tables, such as sbd-3 or csl-table-1.
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// The folder for numbers, pictures and charts; out/papers if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Coarse meshes and few frames: seconds instead of many minutes.
    #[arg(long)]
    small: bool,
    /// Write a page of all that the folder holds, from this run and earlier ones; pictures go to pictures/papers beside
    /// it.
    #[arg(long, value_name = "FILE")]
    docs: Option<PathBuf>,
    #[command(flatten)]
    say: Say,
}

/// Lists entries, or runs them.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.names.iter().any(|name| name == "list") {
        list(args.say);
        return Ok(());
    }
    let (size, folder) = if args.small { (Size::Small, "out/papers-small") } else { (Size::Full, "out/papers") };
    let dir = args.out.clone().unwrap_or_else(|| PathBuf::from(folder));
    let (mut all, mut broken) = (Vec::new(), Vec::new());
    for entry in wanted(&args.names)? {
        let begun = Instant::now();
        let failed = |error: taut_papers::Error| Failure::Failed(format!("{}: {error}", entry.name));
        let outcome = (entry.run)(size).map_err(failed)?;
        page::keep(&dir, entry, size, &outcome).map_err(failed)?;
        broken.extend(outcome.claims.iter().filter(|c| c.broken()).map(|c| format!("{}: {}", entry.name, c.says)));
        if args.say.json {
            all.push(json(entry, &outcome));
        } else if !args.say.quiet {
            print(entry, &outcome, begun.elapsed().as_secs_f64());
        }
    }
    if args.say.json {
        println!("{}", Value::Array(all));
    }
    if let Some(docs) = &args.docs {
        let missing = page::write(docs, &dir).map_err(|error| Failure::Failed(error.to_string()))?;
        if !missing.is_empty() && !args.say.quiet {
            eprintln!("{}: {} holds no result of {}", docs.display(), dir.display(), missing.join(", "));
        }
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::Failed(format!("claims no longer hold as far as they did:\n  {}", broken.join("\n  ")))),
    }
}

/// The entries that were asked for, in their order.
fn wanted(names: &[String]) -> Result<Vec<&'static Entry>, Failure> {
    if names.iter().any(|name| name == "all") {
        return Ok(ENTRIES.iter().collect());
    }
    let known = || ENTRIES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    let find = |name: &String| {
        entry(name).ok_or_else(|| {
            Failure::BadInput(format!(
                "there is no figure or table {name:?}; expected list, all, or some of {}",
                known()
            ))
        })
    };
    names.iter().map(find).collect()
}

fn list(say: Say) {
    if say.json {
        let one = |e: &Entry| json!({ "name": e.name, "paper": e.paper.title(), "figure": e.figure, "title": e.title });
        println!("{}", ENTRIES.iter().map(one).collect::<Value>());
        return;
    }
    for paper in taut_papers::Paper::ALL {
        println!("{} ({})", paper.title(), paper.authors());
        for entry in ENTRIES.iter().filter(|entry| entry.paper == paper) {
            println!("  {:<12} {:<8} {}", entry.name, entry.figure, entry.title);
        }
    }
}

fn json(entry: &Entry, outcome: &Outcome) -> Value {
    let claim = |c: &Claim| json!({ "says": c.says, "theirs": c.theirs, "ours": c.ours, "verdict": c.verdict.words(), "why": c.why, "broken": c.broken() });
    let table = |t: &Table| json!({ "title": t.title, "columns": t.columns, "rows": t.rows });
    json!({
        "name": entry.name,
        "claims": outcome.claims.iter().map(claim).collect::<Value>(),
        "tables": outcome.tables.iter().map(table).collect::<Value>(),
        "files": outcome.figures.iter().map(|figure| &figure.file).collect::<Vec<_>>(),
    })
}

fn print(entry: &Entry, outcome: &Outcome, seconds: f64) {
    println!("{} {}: {} ({})", entry.paper.title(), entry.figure, entry.title, duration(seconds));
    println!("  {}", outcome.setup);
    for claim in &outcome.claims {
        println!("  {:<14} {}", claim.verdict.words(), claim.says);
        println!("    paper: {}; taut: {}", claim.theirs, claim.ours);
    }
    for table in &outcome.tables {
        println!("  {}", table.title);
        table.lines().iter().for_each(|line| println!("    {line}"));
    }
}
