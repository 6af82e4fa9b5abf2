//! Files of a test: numbers, charts, pictures and the scenes that were run.

use crate::draw;
use crate::fail::Failure;
use std::path::{Path, PathBuf};
use taut_lab::Outcome;
use taut_scene::write::atomic::write_atomic;

/// Where a test goes that says nothing else.
pub fn folder(outcome: &Outcome) -> PathBuf {
    Path::new("out").join("lab").join(format!("{}-{}", outcome.test, outcome.cloth))
}

/// Writes everything into a folder.
pub fn write(dir: &Path, outcome: &Outcome) -> Result<(), Failure> {
    std::fs::create_dir_all(dir).map_err(Failure::io("create", dir))?;
    write_atomic(dir, &format!("{}.json", outcome.test), format!("{:#}\n", outcome.json()).as_bytes())?;
    for table in &outcome.tables {
        write_atomic(dir, &format!("{}.csv", table.name), table.csv().as_bytes())?;
    }
    for (name, text) in outcome.charts.iter().chain(&outcome.scenes) {
        write_atomic(dir, name, text.as_bytes())?;
    }
    for (name, picture) in &outcome.pictures {
        draw::save(dir, name, picture)?;
    }
    Ok(())
}
