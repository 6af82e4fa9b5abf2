//! Files of a test: numbers, charts, pictures and the scenes that were run.

use crate::fail::Failure;
use serde_json::{Value, json};
use std::path::Path;
use taut_scene::write::atomic::write_atomic;
use taut_studio::{Finding, Outcome, Table};

/// Writes everything into a folder.
pub fn write(dir: &Path, test: &str, cloth: &str, outcome: &Outcome) -> Result<(), Failure> {
    std::fs::create_dir_all(dir).map_err(Failure::io("create", dir))?;
    write_atomic(dir, &format!("{test}.json"), format!("{:#}\n", json(test, cloth, outcome)).as_bytes())?;
    for table in &outcome.tables {
        write_atomic(dir, &format!("{}.csv", table.title), table.csv().as_bytes())?;
    }
    Ok(outcome.write_files(dir)?)
}

/// What a test of a cloth found as one object, with all tables.
pub fn json(test: &str, cloth: &str, outcome: &Outcome) -> Value {
    let finding = |f: &Finding| {
        json!({
            "what": f.what,
            "value": f.value,
            "unit": f.unit,
            "expected": f.expected.as_ref().map(|e| e.0),
            "why": f.expected.as_ref().map(|e| e.1.clone()),
            "deviation": f.deviation(),
            "holds": f.holds(),
        })
    };
    let table = |t: &Table| json!({ "name": t.title, "columns": t.columns, "rows": t.rows });
    json!({
        "test": test,
        "cloth": cloth,
        "title": outcome.setup,
        "findings": outcome.findings.iter().map(finding).collect::<Value>(),
        "notes": outcome.notes,
        "tables": outcome.tables.iter().map(table).collect::<Value>(),
    })
}
