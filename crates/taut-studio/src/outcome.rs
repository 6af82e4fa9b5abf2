//! What came of a run: claims and findings, tables, figures.

use crate::Table;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;
use taut_render::Picture;
use taut_render::chart::Chart;
use taut_scene::write::WriteError;
use taut_scene::write::atomic::write_atomic;

/// How much of a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// It does not.
    DoesNot,
    /// Some of it, or less strongly.
    InPart,
    /// It does.
    Holds,
}

impl Verdict {
    /// What a person says.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::DoesNot => "does not hold",
            Verdict::InPart => "holds in part",
            Verdict::Holds => "holds",
        }
    }
}

/// Something a paper says, and what was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claim {
    /// What the paper says.
    pub says: String,
    /// Its number; empty if it gives none.
    pub theirs: String,
    /// Our number.
    pub ours: String,
    /// What was found.
    pub verdict: Verdict,
    /// The least that must be found: what [`Verdict`] this claim had when it was written down.
    pub expected: Verdict,
    /// Why the two differ; empty if they do not.
    pub why: String,
    /// Whether it depends on the speed of the machine: tests leave it alone.
    pub timed: bool,
}

impl Claim {
    /// What a paper says, with its number.
    pub fn new(says: &str, theirs: &str) -> Self {
        Claim {
            says: says.into(),
            theirs: theirs.into(),
            ours: String::new(),
            verdict: Verdict::DoesNot,
            expected: Verdict::Holds,
            why: String::new(),
            timed: false,
        }
    }

    /// Our number.
    pub fn ours(self, ours: impl Into<String>) -> Self {
        Claim { ours: ours.into(), ..self }
    }

    /// It holds if this does.
    pub fn holds(self, whole: bool) -> Self {
        self.checked(whole, false)
    }

    /// It holds if the first does, in part if the second does; which is as much as is expected.
    pub fn in_part(self, whole: bool, part: bool) -> Self {
        Claim { expected: Verdict::InPart, ..self }.checked(whole, part)
    }

    fn checked(self, whole: bool, part: bool) -> Self {
        let verdict = match (whole, part) {
            (true, _) => Verdict::Holds,
            (_, true) => Verdict::InPart,
            _ => Verdict::DoesNot,
        };
        Claim { verdict, ..self }
    }

    /// Why ours and theirs differ.
    pub fn because(self, why: &str) -> Self {
        Claim { why: why.into(), ..self }
    }

    /// It depends on the speed of the machine, and nothing is expected.
    pub fn timed(self) -> Self {
        Claim { timed: true, expected: Verdict::DoesNot, ..self }
    }

    /// Whether less was found than must be.
    pub fn broken(&self) -> bool {
        !self.timed && self.verdict < self.expected
    }
}

/// How far a finding may be from what is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// As a share of what is expected.
    Share(f64),
    /// In the unit of the finding.
    Within(f64),
}

/// A number that was found, beside what was expected.
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

/// A picture or chart, as a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// Its name: `sbd-3.png`.
    pub file: String,
    /// What can be seen, for those who cannot see it, and as its caption.
    pub shows: String,
    /// The bytes of a PNG or SVG file.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// What came of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// What was run, in a line or a paragraph.
    pub setup: String,
    /// What somebody says of it, and what was found.
    pub claims: Vec<Claim>,
    /// Numbers, beside what was expected.
    #[serde(skip)]
    pub findings: Vec<Finding>,
    /// Curves, grids and other numbers.
    pub tables: Vec<Table>,
    /// Pictures and charts.
    pub figures: Vec<Figure>,
    /// What else was learnt.
    pub notes: Vec<String>,
    /// The scenes that were run, by file name.
    #[serde(skip)]
    pub scenes: Vec<(String, String)>,
}

impl Outcome {
    /// What was run.
    pub fn new(setup: impl Into<String>) -> Self {
        Outcome { setup: setup.into(), ..Outcome::default() }
    }

    /// Adds a claim.
    pub fn claim(&mut self, claim: Claim) {
        self.claims.push(claim);
    }

    /// Adds a finding.
    pub fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Adds a remark.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Adds a picture as a PNG.
    pub fn picture(&mut self, file: impl Into<String>, shows: &str, picture: &Picture) {
        self.figures.push(Figure { file: file.into(), shows: shows.into(), bytes: crate::png(picture) });
    }

    /// Adds a chart as an SVG, wide enough to be read.
    pub fn chart(&mut self, file: &str, shows: &str, chart: Chart) {
        self.svg(file, shows, Chart { width: 720.0, height: 380.0, ..chart }.svg());
    }

    /// Adds a drawing as it is.
    pub fn svg(&mut self, file: impl Into<String>, shows: &str, svg: String) {
        self.figures.push(Figure { file: file.into(), shows: shows.into(), bytes: svg.into_bytes() });
    }

    /// Adds a scene that was run.
    pub fn scene(&mut self, file: impl Into<String>, text: String) {
        self.scenes.push((file.into(), text));
    }

    /// Whether every finding is as near as it should be to what is expected.
    pub fn holds(&self) -> bool {
        self.findings.iter().all(|finding| finding.holds() != Some(false))
    }

    /// A finding by name.
    pub fn finding(&self, what: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.what == what)
    }

    /// Writes its figures and scenes into a folder that is there.
    pub fn write_files(&self, dir: &Path) -> Result<(), WriteError> {
        let figures = self.figures.iter().map(|figure| (&figure.file, figure.bytes.as_slice()));
        let scenes = self.scenes.iter().map(|(name, text)| (name, text.as_bytes()));
        figures.chain(scenes).try_for_each(|(name, bytes)| write_atomic(dir, name, bytes).map(drop))
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.setup);
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
fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-3..1e5).contains(&size) {
        let digits = (3 - size.max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
        return format!("{value:.digits$}");
    }
    format!("{value:.3e}")
}
