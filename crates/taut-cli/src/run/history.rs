//! `metrics.jsonl`: a line per frame, and the numbers of all frames for charts.

use crate::fail::Failure;
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use taut_scene::read::open_regular;
use taut_scene::simulation::{FrameReport, Metrics, Way, stage_names};
use taut_scene::write::atomic::AtomicFile;

/// What charts show of a frame.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Time, s.
    pub time: f64,
    /// Largest tension of cloth, in the order of [`Way::ALL`]; shear is a cosine.
    pub tension: [f64; Way::COUNT],
    /// Largest strain of solids.
    pub solid: f64,
    /// Change of area and of volume.
    pub change: [f64; 2],
    /// Kinetic, potential and elastic energy, J.
    pub energy: [f64; 3],
    /// Near pairs that contact kept apart, and vertices that the guard stopped.
    pub contact: [f64; 2],
    /// Milliseconds in each stage.
    pub stages: Vec<f64>,
}

impl Row {
    fn of(line: &Value) -> Row {
        let at = |path: &str| line.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN);
        Row {
            time: at("/time"),
            tension: Way::ALL.map(|way| at(&format!("/tension/{}/max", way.key()))),
            solid: at("/strain/stretch/max"),
            change: [at("/area_change"), at("/volume_change")],
            energy: [at("/energy/kinetic"), at("/energy/potential"), at("/energy/elastic")],
            contact: [at("/touch/pairs"), at("/touch/stopped")],
            stages: stage_names().iter().map(|stage| at(&format!("/ms/{stage}"))).collect(),
        }
    }
}

/// What was chosen to keep cloth from stretching, and what was reached, if anything was.
fn inextensibility(hold: &taut::InextensibilityReport) -> Option<Value> {
    (hold.substeps > 0).then(|| {
        json!({
            "substeps": hold.substeps,
            "warm_start": hold.warm_start,
            "levels": hold.levels,
            "nodes": hold.nodes,
            "charts": hold.charts,
            "tethers": hold.tethers,
            "limited": hold.limited,
            "bytes": hold.bytes,
            "rounds": hold.rounds,
            "unmet": hold.unmet,
            "stretch": hold.stretch,
            "used": hold.used,
            "given_up": hold.given_up,
            "missed": hold.missed.map(|missed| json!({
                "elements": missed.elements,
                "corners": missed.corners,
                "at": missed.at,
                "used": missed.used,
                "pins": missed.pins,
                "touching": missed.touching,
            })),
        })
    })
}

/// `metrics.jsonl`, open for writing.
pub struct History {
    file: File,
    path: PathBuf,
    /// One for each frame.
    pub rows: Vec<Row>,
}

impl History {
    /// Begins the file, or continues it after a frame.
    pub fn open(dir: &Path, name: &str, after: Option<u32>) -> Result<History, Failure> {
        let path = dir.join(name);
        let mut rows = Vec::new();
        let mut kept = AtomicFile::create(dir, name)?;
        if let Some(last) = after {
            let earlier = open_regular(&path).map_err(Failure::io("read", &path))?;
            // The line being written when the run was cut off is no line; what came after the checkpoint comes again.
            let lines = BufReader::new(earlier).lines().map_while(Result::ok);
            let parsed = lines.map_while(|line| Some((serde_json::from_str::<Value>(&line).ok()?, line)));
            for (value, line) in parsed.take_while(|(value, _)| value["frame"].as_u64() <= Some(last.into())) {
                rows.push(Row::of(&value));
                kept.put(format!("{line}\n").as_bytes())?;
            }
        }
        kept.commit()?;
        let file = OpenOptions::new().append(true).open(&path).map_err(Failure::io("open", &path))?;
        Ok(History { file, path, rows })
    }

    /// Adds a frame. The line is in the file when this returns.
    pub fn push(&mut self, metrics: &Metrics, report: Option<&FrameReport>) -> Result<(), Failure> {
        let mut line = metrics.to_json();
        if let Some(report) = report {
            let stages = stage_names().into_iter().zip(&report.stage_seconds);
            line["ms"] = stages.map(|(name, seconds)| (name.to_owned(), json!(1e3 * seconds))).collect::<Value>();
            line["steps"] = json!(report.steps);
            line["threads"] = json!(report.threads);
            line["iterations"] = json!(report.iterations);
            line["residual"] = json!(report.residual);
            if let Some(hold) = inextensibility(&report.inextensibility) {
                line["hold"] = hold;
            }
        }
        self.rows.push(Row::of(&line));
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(Failure::io("write", &self.path))
    }

    /// Waits until everything is on the disk.
    pub fn sync(&mut self) -> Result<(), Failure> {
        self.file.sync_data().map_err(Failure::io("write", &self.path))
    }
}
