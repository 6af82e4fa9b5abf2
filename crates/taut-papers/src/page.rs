//! What was run, kept in a folder, and the page that is put together from it.

use crate::{Claim, ENTRIES, Entry, Error, Outcome, Paper, Size, Verdict};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;
use taut_scene::write::atomic::write_atomic;
use taut_studio::markdown_row;

/// An outcome as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// The entry's name.
    pub entry: String,
    /// The size it was run in: `full` or `small`.
    pub size: String,
    /// What came of it; figures are files beside it.
    pub outcome: Outcome,
}

/// Writes an outcome and its figures into a folder: `NAME.json`, `NAME*.png`, `NAME*.svg`.
pub fn keep(dir: &Path, entry: &Entry, size: Size, outcome: &Outcome) -> Result<(), Error> {
    std::fs::create_dir_all(dir)?;
    outcome.write_files(dir)?;
    let kept = Kept { entry: entry.name.into(), size: size.name().into(), outcome: outcome.clone() };
    write_atomic(dir, &format!("{}.json", entry.name), serde_json::to_string_pretty(&kept)?.as_bytes())?;
    Ok(())
}

/// Reads the outcome of an entry, with the bytes of its figures. Nothing if it was not run.
pub fn load(dir: &Path, entry: &Entry) -> Result<Option<Kept>, Error> {
    let path = dir.join(format!("{}.json", entry.name));
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| format!("cannot read {}: {error}", path.display()))?,
    };
    let mut kept: Kept = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    for figure in &mut kept.outcome.figures {
        // A name is no path: a kept file must not make us read or write elsewhere.
        if figure.file.contains(['/', '\\']) {
            return Err(format!("{}: {:?} is not the name of a file beside it", path.display(), figure.file).into());
        }
        figure.bytes = std::fs::read(dir.join(&figure.file))?;
    }
    Ok(Some(kept))
}

/// Writes the page from all that a folder holds, with its figures into `pictures/papers` beside it. Returns the names
/// of entries that were not run.
pub fn write(page: &Path, from: &Path) -> Result<Vec<&'static str>, Error> {
    let folder = page.parent().unwrap_or(Path::new("."));
    let pictures = folder.join("pictures").join("papers");
    std::fs::create_dir_all(&pictures)?;
    let mut all = Vec::new();
    for entry in ENTRIES {
        let kept = load(from, entry)?;
        for figure in kept.iter().flat_map(|kept| &kept.outcome.figures) {
            write_atomic(&pictures, &figure.file, &figure.bytes)?;
        }
        all.push((entry, kept));
    }
    let name = page.file_name().ok_or("the page needs a name")?.to_string_lossy();
    write_atomic(folder, &name, text(&all).as_bytes())?;
    Ok(all.iter().filter(|(_, kept)| kept.is_none()).map(|(entry, _)| entry.name).collect())
}

/// The page as Markdown.
fn text(all: &[(&Entry, Option<Kept>)]) -> String {
    let mut page = String::from(
        "# The papers, figure by figure\n\n\
         Made by `taut paper all --out DIR --docs docs/measured/papers.md`; do not edit. Every figure and table of the four \
         papers is a scene, a measurement, a picture and a checked condition (`crates/taut-papers`); a test runs each in a small \
         size and fails when a claim no longer holds as far as it is said to here. What a paper leaves open is said where it \
         matters. Where its formulas are wrong or silent, [Soft constraints](../design/soft-constraints.md), [Strain \
         limiters](../design/limiters.md) and [Strain Based Dynamics](../design/sbd.md) say what taut does instead. Times are of \
         one run on one thread of a machine with other work: their ratios mean something, they themselves little.\n\n",
    );
    summary(&mut page, all);
    for paper in Paper::ALL {
        let _ = write!(page, "\n## {} ({})\n", paper.title(), paper.authors());
        for (entry, kept) in all.iter().filter(|(entry, _)| entry.paper == paper) {
            section(&mut page, entry, kept.as_ref());
        }
    }
    page
}

/// All claims by verdict, each with its number.
fn summary(page: &mut String, all: &[(&Entry, Option<Kept>)]) {
    let claims: Vec<(&Entry, &Claim)> = all
        .iter()
        .flat_map(|(entry, kept)| kept.iter().flat_map(|k| &k.outcome.claims).map(move |claim| (*entry, claim)))
        .collect();
    let count = |verdict| claims.iter().filter(|(_, claim)| claim.verdict == verdict).count();
    let _ = writeln!(
        page,
        "Of {} claims {} hold, {} hold in part, {} do not.\n",
        claims.len(),
        count(Verdict::Holds),
        count(Verdict::InPart),
        count(Verdict::DoesNot)
    );
    page.push_str("| | claim | paper | taut | |\n| --- | --- | --- | --- | --- |\n");
    for verdict in [Verdict::DoesNot, Verdict::InPart, Verdict::Holds] {
        for (entry, claim) in claims.iter().filter(|(_, claim)| claim.verdict == verdict) {
            let place = format!("[{} {}](#{})", short(entry.paper), entry.figure, entry.name.replace('.', ""));
            let cells = [&place, &claim.says, &claim.theirs, &claim.ours, &said(claim)];
            let _ = writeln!(page, "{}", markdown_row(&cells));
        }
    }
}

fn said(claim: &Claim) -> String {
    match claim.verdict {
        Verdict::Holds => "holds".into(),
        other => format!("**{}**", other.words()),
    }
}

fn short(paper: Paper) -> &'static str {
    match paper {
        Paper::Sbd => "SBD",
        Paper::Soft => "Soft",
        Paper::Apsl => "APSL",
        Paper::Csl => "CSL",
    }
}

fn section(page: &mut String, entry: &Entry, kept: Option<&Kept>) {
    let anchor = entry.name.replace('.', "");
    let _ = write!(page, "\n<a id=\"{anchor}\"></a>\n### {}: {}\n", entry.figure, entry.title);
    let Some(Kept { size, outcome, .. }) = kept else {
        let _ = writeln!(page, "`taut paper {}` has not been run for this page yet.", entry.name);
        return;
    };
    let small = if size == "full" { "" } else { ", **in the small size of the tests**" };
    let _ = write!(page, "`taut paper {}`{small}. {}\n\n", entry.name, outcome.setup);
    for figure in &outcome.figures {
        let _ = write!(page, "![{0}](pictures/papers/{1})\n*{0}.*\n\n", figure.shows, figure.file);
    }
    page.push_str("| the paper says | paper | taut | |\n| --- | --- | --- | --- |\n");
    for claim in &outcome.claims {
        let _ = writeln!(page, "{}", markdown_row(&[&claim.says, &claim.theirs, &claim.ours, &said(claim)]));
    }
    let whys: Vec<&Claim> = outcome.claims.iter().filter(|claim| !claim.why.is_empty()).collect();
    if !whys.is_empty() {
        page.push_str("\nWhy they differ:\n");
        whys.iter().for_each(|claim| {
            let _ = writeln!(page, "- *{}*: {}.", claim.says, claim.why.trim_end_matches('.'));
        });
    }
    outcome.tables.iter().for_each(|table| {
        let _ = write!(page, "\n{}:\n\n{}", table.title, table.markdown());
    });
    outcome.notes.iter().for_each(|note| {
        let _ = write!(page, "\n{note}\n");
    });
}
