//! What a test found: numbers beside what was expected, tables, charts and pictures.

use serde_json::{Value, json};
use std::fmt::Write;
use taut_render::Picture;

/// How far a finding may be from what is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// As a share of what is expected.
    Share(f64),
    /// In the unit of the finding.
    Within(f64),
}

/// A number that a test found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is.
    pub what: String,
    /// The number.
    pub value: f64,
    /// Its unit, as it is written: "N/m".
    pub unit: &'static str,
    /// What it should be, and why.
    pub expected: Option<(f64, String)>,
    /// How far from that it may be.
    pub tolerance: Option<Tolerance>,
}

impl Finding {
    /// A number for its own sake.
    pub fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Finding {
        Finding { what: what.into(), value, unit, expected: None, tolerance: None }
    }

    /// What it should be, and why.
    pub fn expect(mut self, value: f64, why: impl Into<String>) -> Finding {
        self.expected = Some((value, why.into()));
        self
    }

    /// How far from that it may be.
    pub fn within(mut self, tolerance: Tolerance) -> Finding {
        self.tolerance = Some(tolerance);
        self
    }

    /// The difference from what is expected, over what is expected.
    pub fn deviation(&self) -> Option<f64> {
        self.expected.as_ref().map(|(expected, _)| self.value / expected - 1.0)
    }

    /// Whether it is as expected; nothing if nobody said how near that is.
    pub fn holds(&self) -> Option<bool> {
        let (expected, _) = self.expected.as_ref()?;
        Some(match self.tolerance? {
            Tolerance::Share(share) => (self.value / expected - 1.0).abs() <= share,
            Tolerance::Within(within) => (self.value - expected).abs() <= within,
        })
    }
}

/// Rows of values under names, for CSV and JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The file's name, without its ending.
    pub name: String,
    /// Names of the columns, with units.
    pub columns: Vec<String>,
    /// The values, row by row.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// A table without rows.
    pub fn new(name: &str, columns: &[&str]) -> Table {
        Table { name: name.into(), columns: columns.iter().map(|&c| c.into()).collect(), rows: Vec::new() }
    }

    /// As CSV.
    pub fn csv(&self) -> String {
        let cell = |value: &Value| match value {
            Value::String(text) => text.replace([',', '"', '\n'], " "),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let mut text = self.columns.join(",") + "\n";
        for row in &self.rows {
            text += &(row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n");
        }
        text
    }
}

/// What a test found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The test: "tensile".
    pub test: &'static str,
    /// The cloth's name.
    pub cloth: String,
    /// What was done, in a line.
    pub title: String,
    /// The numbers.
    pub findings: Vec<Finding>,
    /// What should be known about them.
    pub notes: Vec<String>,
    /// Curves and grids.
    pub tables: Vec<Table>,
    /// Charts as SVG text, by file name.
    pub charts: Vec<(String, String)>,
    /// Pictures, by file name.
    pub pictures: Vec<(String, Picture)>,
    /// The scenes that were run, by file name.
    pub scenes: Vec<(String, String)>,
}

impl Outcome {
    /// Whether everything is as near as it should be to what is expected.
    pub fn holds(&self) -> bool {
        self.findings.iter().all(|finding| finding.holds() != Some(false))
    }

    /// A finding by name.
    pub fn finding(&self, what: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.what == what)
    }

    /// As one JSON object, with all tables.
    pub fn json(&self) -> Value {
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
        let table = |t: &Table| json!({ "name": t.name, "columns": t.columns, "rows": t.rows });
        json!({
            "test": self.test,
            "cloth": self.cloth,
            "title": self.title,
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "notes": self.notes,
            "tables": self.tables.iter().map(table).collect::<Vec<_>>(),
        })
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.title);
        let wide = self.findings.iter().map(|f| f.what.chars().count()).max().unwrap_or(0);
        for f in &self.findings {
            let _ = write!(text, "  {:wide$}  {:>10} {:<5}", f.what, number(f.value), f.unit);
            if let Some((expected, why)) = &f.expected {
                let off = match f.tolerance {
                    Some(Tolerance::Within(_)) => format!("{:+.3}", f.value - expected),
                    _ => format!("{:+.2} %", 1e2 * (f.value / expected - 1.0)),
                };
                let verdict = f.holds().map_or("", |holds| if holds { "  ok" } else { "  OUT OF TOLERANCE" });
                let _ = write!(text, "  {:>10} {why}  {off:>9}{verdict}", number(*expected));
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(text, "  note: {note}");
        }
        text
    }
}

/// Four digits, with a power of ten where it is far from 1.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-3..1e5).contains(&size) {
        let digits = (3 - size.max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
        return format!("{value:.digits$}");
    }
    format!("{value:.3e}")
}
