//! Fabrics for people: a table, one fabric in full, and the page of the guide.

use super::{Entry, Fabric, Figure, Source, all};
use crate::inspect::number;
use std::fmt::Write;

/// How a column of the overview is headed, and how it shows a fabric's figure.
struct Column {
    head: &'static str,
    unit: &'static str,
    /// What SI values are multiplied by.
    scale: f64,
    figure: fn(&Fabric) -> &Figure,
}

const fn column(head: &'static str, unit: &'static str, scale: f64, figure: fn(&Fabric) -> &Figure) -> Column {
    Column { head, unit, scale, figure }
}

const COLUMNS: [Column; 12] = [
    column("weight", "g/m²", 1e3, |fabric| &fabric.figures.density),
    column("thick", "mm", 1e3, |fabric| &fabric.figures.thickness),
    column("E weft", "N/m", 1.0, |fabric| &fabric.figures.stiffness_weft),
    column("E warp", "N/m", 1.0, |fabric| &fabric.figures.stiffness_warp),
    column("ν", "", 1.0, |fabric| &fabric.figures.poisson),
    column("G", "N/m", 1.0, |fabric| &fabric.figures.shear),
    column("B weft", "µN·m", 1e6, |fabric| &fabric.figures.bending_weft),
    column("B warp", "µN·m", 1e6, |fabric| &fabric.figures.bending_warp),
    column("max weft", "%", 1e2, |fabric| &fabric.figures.limit_weft),
    column("max warp", "%", 1e2, |fabric| &fabric.figures.limit_warp),
    column("max shear", "%", 1e2, |fabric| &fabric.figures.limit_shear),
    column("friction", "", 1.0, |fabric| &fabric.figures.friction),
];

/// What the marks in the overview mean.
const LEGEND: &str = "~ is an estimate. E, G: force per width over strain; B: moment per width over curvature; \
                      max: strain at which the cloth hardly gives any more.";

/// All fabrics as a table for a terminal.
pub fn table() -> String {
    let mut rows = vec![heads(), units()];
    rows.extend(all().iter().map(cells));
    let widths: Vec<usize> =
        (0..=COLUMNS.len()).map(|i| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = format!("{:width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(line, "  {cell:>width$}");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let _ = writeln!(text, "\n{LEGEND}");
    text
}

/// One fabric: all figures with what is behind them.
pub fn details(fabric: &Fabric) -> String {
    let mut text = format!("{}: {}\n", fabric.name, fabric.about);
    if !fabric.aliases.is_empty() {
        let _ = writeln!(text, "also called {}", fabric.aliases.join(", "));
    }
    let _ = writeln!(text, "stretch moduli: {}\n", fabric.modulus);
    let mut sources = Numbered::default();
    for entry in fabric.entries() {
        let _ = writeln!(text, "{:22}  {}", entry.label, value(&entry));
        let _ = writeln!(text, "{:24}{}", "", behind(entry.figure, &mut sources));
    }
    text.push('\n');
    sources.list(&mut text, "");
    text
}

/// The page about fabrics, in Markdown: `docs/reference/fabrics.md`.
pub fn markdown() -> String {
    let mut text = INTRODUCTION.replace("LEGEND", LEGEND);
    for (i, row) in [heads(), units()].into_iter().chain(all().iter().map(cells)).enumerate() {
        let _ = writeln!(text, "| {} |", row.join(" | "));
        if i == 0 {
            let _ = writeln!(text, "| --- |{}", " ---: |".repeat(COLUMNS.len()));
        }
    }
    let mut sources = Numbered::default();
    for fabric in all() {
        section(fabric, &mut sources, &mut text);
    }
    text.push_str("\n## Sources\n");
    sources.list(&mut text, "\n");
    text
}

const INTRODUCTION: &str = "# Fabrics

<!-- Written by `taut fabrics --markdown`; the data are in crates/taut-scene/src/fabric/fabrics.toml. -->

What the named fabrics weigh and how they stretch, shear and bend, in SI units, with the publication behind every
figure. Where no measurement of a cloth was found, the figure is an *estimate*, marked ~, and the reasoning is given.
Two thirds are estimates: they give a cloth of the right kind, not a certain one. `taut fabrics NAME` says the same in the
terminal, `--json` for programs; `taut_scene::fabric::convert` turns a laboratory's sheet (KES, SiroFAST) into SI units.

Cloth is not linear: it gives easily until its crimp is gone, then hardly at all. Two figures stand for that: a modulus
(initial, or a chord up to a load; each fabric says which) and a strain limit. Weft and warp of knits are the courses and
the wales. Poisson's ratio is the contraction along the warp for a pull along the weft.

LEGEND

";

fn section(fabric: &Fabric, sources: &mut Numbered, text: &mut String) {
    let _ = writeln!(text, "\n## {}\n\n{} Stretch moduli: {}.", fabric.name, fabric.about, fabric.modulus);
    if !fabric.aliases.is_empty() {
        let _ = writeln!(text, "Also called {}.", fabric.aliases.join(", "));
    }
    let _ = writeln!(text, "\n| figure | value | from |\n| --- | --- | --- |");
    for entry in fabric.entries() {
        let _ = writeln!(text, "| {} | {} | {} |", entry.label, value(&entry), behind(entry.figure, sources));
    }
}

fn heads() -> Vec<String> {
    std::iter::once("fabric").chain(COLUMNS.iter().map(|column| column.head)).map(str::to_owned).collect()
}

fn units() -> Vec<String> {
    std::iter::once("").chain(COLUMNS.iter().map(|column| column.unit)).map(str::to_owned).collect()
}

fn cells(fabric: &Fabric) -> Vec<String> {
    let cell = |column: &Column| {
        let figure = (column.figure)(fabric);
        format!("{}{}", if figure.estimated { "~" } else { "" }, number(figure.value * column.scale))
    };
    std::iter::once(fabric.name.to_owned()).chain(COLUMNS.iter().map(cell)).collect()
}

/// A value with its unit.
fn value(entry: &Entry<'_>) -> String {
    let mark = if entry.figure.estimated { "~" } else { "" };
    format!("{mark}{} {}", number(entry.figure.value), entry.unit).trim_end().to_owned()
}

/// Why a figure is believed: how it came about, and from what.
fn behind(figure: &Figure, sources: &mut Numbered) -> String {
    let mut text = String::new();
    if figure.estimated {
        text.push_str("estimate: ");
    }
    text.push_str(&figure.how);
    if let Some(printed) = &figure.published {
        let _ = write!(text, " (in the source's unit: {} {})", printed.value, printed.unit);
    }
    for source in &figure.sources {
        let _ = write!(text, " [{}]", sources.number(source));
    }
    text
}

/// Sources in the order in which they are first named.
#[derive(Default)]
struct Numbered {
    seen: Vec<Source>,
}

impl Numbered {
    fn number(&mut self, source: &Source) -> usize {
        self.seen.iter().position(|seen| seen == source).unwrap_or_else(|| {
            self.seen.push(source.clone());
            self.seen.len() - 1
        }) + 1
    }

    fn list(&self, text: &mut String, before: &str) {
        for (i, source) in self.seen.iter().enumerate() {
            let _ = writeln!(text, "{before}[{}] {}. Read: {}.", i + 1, source.text, source.read);
        }
    }
}
