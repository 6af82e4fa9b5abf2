//! What came of an entry.

use serde::{Deserialize, Serialize};
use taut_render::Picture;
use taut_render::chart::Chart;

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

/// Numbers in rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Table {
    /// What they are, with their unit.
    pub title: String,
    /// What is in each column, the first that of the rows' names.
    pub columns: Vec<String>,
    /// Cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: &str, columns: &[&str]) -> Self {
        Table { title: title.into(), columns: columns.iter().map(|c| (*c).to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, name: &str, cells: impl IntoIterator<Item = String>) {
        self.rows.push(std::iter::once(name.to_owned()).chain(cells).collect());
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

/// What came of an entry.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// What was run.
    pub setup: String,
    /// What the paper says of it, and what was found.
    pub claims: Vec<Claim>,
    /// Numbers.
    pub tables: Vec<Table>,
    /// Pictures and charts.
    pub figures: Vec<Figure>,
    /// What else was learnt.
    pub notes: Vec<String>,
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

    /// Adds a remark.
    pub fn note(&mut self, note: &str) {
        self.notes.push(note.into());
    }

    /// Adds a picture as a PNG.
    pub(crate) fn picture(&mut self, file: &str, shows: &str, picture: &Picture) -> Result<(), crate::Error> {
        let mut bytes = Vec::new();
        taut_render::export::png(&mut bytes, picture)?;
        self.figures.push(Figure { file: file.into(), shows: shows.into(), bytes });
        Ok(())
    }

    /// Adds a chart as an SVG, wide enough to be read.
    pub(crate) fn chart(&mut self, file: &str, shows: &str, chart: Chart) {
        let svg = Chart { width: 720.0, height: 380.0, ..chart }.svg();
        self.figures.push(Figure { file: file.into(), shows: shows.into(), bytes: svg.into_bytes() });
    }

    /// The least of its verdicts: what can be said of the figure as a whole.
    pub fn verdict(&self) -> Verdict {
        self.claims.iter().map(|claim| claim.verdict).min().unwrap_or(Verdict::DoesNot)
    }
}
