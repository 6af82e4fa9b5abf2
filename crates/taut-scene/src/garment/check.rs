//! What can be wrong with a pattern, told with panel, edge and seam.

use super::curve::{Point, distance};
use super::pattern::{Curve, Edge, EdgeRef, Panel, Pattern, Seam, loop_area};
use std::collections::HashMap;
use std::fmt;

/// Why a pattern cannot be used: everything that was found, not only the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The file's name.
    pub file: String,
    /// What is wrong and where, a sentence each without a full stop.
    pub problems: Vec<String>,
}

impl PatternError {
    pub(super) fn one(file: &str, problem: impl Into<String>) -> Self {
        PatternError { file: file.to_owned(), problems: vec![problem.into()] }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().take(MOST_TOLD).enumerate() {
            write!(f, "{}{}: {problem}", if at > 0 { "\n" } else { "" }, self.file)?;
        }
        match self.problems.len().saturating_sub(MOST_TOLD) {
            0 => Ok(()),
            more => write!(f, "\n{}: and {more} more problems", self.file),
        }
    }
}

impl std::error::Error for PatternError {}

/// Problems that are told.
const MOST_TOLD: usize = 12;
/// Panels, edges of a panel, and seams, at most.
pub(super) const MOST_PANELS: usize = 500;
pub(super) const MOST_EDGES: usize = 1000;
pub(super) const MOST_SEAMS: usize = 10_000;
/// Sizes (m) of a panel that are no mistake of units.
const SIZES: [f64; 2] = [0.005, 20.0];
/// Lengths of a seam's sides over each other: beyond the first it is said, beyond the second it cannot be sewn.
const GATHERS: [f64; 2] = [2.5, 10.0];
/// An area over that of the square of its outline's length below which a panel is a line.
const FLATTEST: f64 = 1e-5;

impl Pattern {
    /// Finds what is wrong, and adds notes of what is odd.
    pub fn check(&mut self, file: &str) -> Result<(), PatternError> {
        let mut problems = Vec::new();
        if self.panels.is_empty() {
            problems.push("the pattern has no panels".to_owned());
        }
        let counts = [(self.panels.len(), MOST_PANELS, "panels"), (self.seams.len(), MOST_SEAMS, "seams")];
        for (count, most, what) in counts.into_iter().filter(|(count, most, _)| count > most) {
            problems.push(format!("the pattern has {count} {what}, expected at most {most}"));
        }
        if problems.is_empty() {
            self.check_names(&mut problems);
            self.panels.iter().for_each(|panel| panel.check(&mut problems));
            self.check_seams(&mut problems);
        }
        if problems.is_empty() {
            self.look_at_seams(&mut problems);
        }
        if problems.is_empty() { Ok(()) } else { Err(PatternError { file: file.to_owned(), problems }) }
    }

    fn check_names(&self, problems: &mut Vec<String>) {
        let mut seen = HashMap::new();
        for (at, panel) in self.panels.iter().enumerate() {
            if let Some(other) = seen.insert(&panel.name, at) {
                problems.push(format!("panels {other} and {at} are both called {:?}", panel.name));
            }
        }
    }

    /// Every edge that a seam names is there, and is sewn once.
    fn check_seams(&self, problems: &mut Vec<String>) {
        let mut used: HashMap<EdgeRef, usize> = HashMap::new();
        for (number, seam) in self.seams.iter().enumerate() {
            let name = self.seam_name(number);
            for &at in seam.sides.iter().flatten() {
                let Some(panel) = self.panels.get(at.panel) else {
                    problems.push(format!("{name}: there is no panel {}", at.panel));
                    continue;
                };
                if panel.edge(at.edge).is_none() {
                    let (name_of, count) = (&panel.name, panel.edges().count());
                    problems.push(format!(
                        "{name}: panel {name_of:?} has no edge {}, expected 0 to {}",
                        at.edge,
                        count.saturating_sub(1)
                    ));
                } else if let Some(other) = used.insert(at, number) {
                    let edge = self.edge_name(at);
                    problems.push(if other == number {
                        format!("{name}: {edge} is sewn to itself")
                    } else {
                        format!("{name}: {edge} is sewn already, by {}", self.seam_name(other))
                    });
                }
            }
            if seam.sides.iter().any(Vec::is_empty) {
                problems.push(format!("{name}: a side has no edge"));
            }
        }
    }

    /// Gathers, and seams between what is far apart.
    fn look_at_seams(&mut self, problems: &mut Vec<String>) {
        for number in 0..self.seams.len() {
            let lengths = [0, 1].map(|side| self.side_length(&self.seams[number].sides[side]));
            let ratio = lengths[0].max(lengths[1]) / lengths[0].min(lengths[1]);
            let sides = format!("{:.1} cm to {:.1} cm", 100.0 * lengths[0], 100.0 * lengths[1]);
            let name = self.seam_name(number);
            if ratio > GATHERS[1] {
                problems.push(format!("{name} gathers {sides}, expected at most {:.0} to 1", GATHERS[1]));
            } else if ratio > GATHERS[0] {
                self.notes.push(format!("{name} gathers {sides}"));
            }
            let [gap, turned] = [false, true].map(|turn| self.seam_gap(&self.seams[number], turn));
            if gap > FAR {
                self.notes.push(format!("{name} is {gap:.2} m apart at the start"));
            }
            if gap > TWISTED[0] + TWISTED[1] * turned {
                self.notes.push(format!(
                    "{name} looks twisted: its ends are {:.0} cm apart at the start, and {:.0} cm the other way round",
                    100.0 * gap,
                    100.0 * turned
                ));
            }
        }
    }

    /// The mean distance (m) of a seam's ends where the panels are placed, with its second side turned or not.
    pub(super) fn seam_gap(&self, seam: &Seam, turned: bool) -> f64 {
        let end = |at: EdgeRef, last: bool| {
            let (panel, edge) = (self.panels.get(at.panel)?, self.edge(at)?);
            Some(panel.placement.place(if last { edge.to } else { edge.from }))
        };
        let ends = |side: &[EdgeRef], against: bool| {
            let (&first, &last) = (side.first()?, side.last()?);
            Some([end(first, against)?, end(last, !against)?])
        };
        let [Some(a), Some(b)] = [ends(&seam.sides[0], false), ends(&seam.sides[1], seam.same_way == turned)] else {
            return 0.0;
        };
        let far = |p: [f64; 3], q: [f64; 3]| (0..3).map(|k| (p[k] - q[k]) * (p[k] - q[k])).sum::<f64>().sqrt();
        0.5 * (far(a[0], b[0]) + far(a[1], b[1]))
    }
}

/// A seam is far apart beyond this, m.
const FAR: f64 = 1.5;
/// A seam is twisted if its gap (m) is so much, and so many times that of the other way round, beyond.
const TWISTED: [f64; 2] = [0.05, 1.3];

impl Panel {
    fn check(&self, problems: &mut Vec<String>) {
        let before = problems.len();
        let name = &self.name;
        let count = self.edges().count();
        if count > MOST_EDGES {
            problems.push(format!("panel {name:?} has {count} edges, expected at most {MOST_EDGES}"));
            return;
        }
        let points = self.edges().flat_map(Edge::sketch).chain(self.placement.axes.iter().map(|a| [a[0], a[1] + a[2]]));
        if !points
            .chain([self.grain])
            .flatten()
            .chain(self.placement.translation)
            .chain([self.placement.wrap])
            .all(|x| x.abs() < 1e6)
        {
            problems.push(format!("panel {name:?} has numbers that are not finite or beyond a million"));
            return;
        }
        let mut first = 0;
        for edges in std::iter::once(&self.outline).chain(&self.holes) {
            self.check_loop(first, edges, problems);
            first += edges.len();
        }
        if problems.len() > before {
            return;
        }
        let perimeter: f64 = self.outline.iter().map(Edge::length).sum();
        if loop_area(&self.outline).abs() < FLATTEST * perimeter * perimeter {
            problems.push(format!("panel {name:?} has no area"));
        } else if let Some([a, b]) = crossing(self) {
            problems.push(if a == b {
                format!("panel {name:?}: edge {a} crosses itself")
            } else {
                format!("panel {name:?}: edges {a} and {b} cross")
            });
        }
    }

    /// Each edge begins where the one before ends, and is an edge.
    fn check_loop(&self, first: usize, edges: &[Edge], problems: &mut Vec<String>) {
        let name = &self.name;
        if edges.len() < 2 {
            problems.push(format!("panel {name:?} has an outline of {} edges, expected 3 or more", edges.len()));
            return;
        }
        let size = extent(edges);
        if !(SIZES[0]..=SIZES[1]).contains(&size) {
            problems.push(format!(
                "panel {name:?} is {size} m across, expected {} to {} m: are its units right?",
                SIZES[0], SIZES[1]
            ));
            return;
        }
        for (at, edge) in edges.iter().enumerate() {
            let next = (at + 1) % edges.len();
            let (number, follower) = (first + at, first + next);
            let gap = distance(edge.to, edges[next].from);
            if gap > 1e-6 * size {
                problems.push(format!(
                    "panel {name:?}: the outline is open: edge {number} ends {:.2} cm from where edge {follower} \
                     begins",
                    100.0 * gap
                ));
            }
            let chord = distance(edge.from, edge.to);
            if chord < 1e-6 * size {
                problems.push(format!("panel {name:?}: edge {number} has no length"));
            }
            if let Curve::Arc { radius, .. } = edge.curve
                && radius < 0.499 * chord
            {
                problems.push(format!(
                    "panel {name:?}: edge {number} is an arc of radius {:.2} cm, expected at least half the {:.2} cm \
                     between its ends",
                    100.0 * radius,
                    100.0 * chord
                ));
            }
        }
    }
}

/// The larger side of the box around a loop, m.
fn extent(edges: &[Edge]) -> f64 {
    let points: Vec<Point> = edges.iter().flat_map(Edge::sketch).collect();
    let side = |k: usize| {
        let (low, high) = points.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p[k]), h.max(p[k])));
        high - low
    };
    side(0).max(side(1))
}

/// Two edges of a panel that cross each other.
fn crossing(panel: &Panel) -> Option<[usize; 2]> {
    let mut pieces: Vec<([Point; 2], usize)> = Vec::new();
    for (number, edge) in panel.edges().enumerate() {
        let points: Vec<Point> = edge.sketch().into_iter().chain([edge.to]).collect();
        pieces.extend(points.windows(2).map(|pair| ([pair[0], pair[1]], number)));
    }
    let low = |piece: &([Point; 2], usize)| piece.0[0][0].min(piece.0[1][0]);
    let high = |piece: &([Point; 2], usize)| piece.0[0][0].max(piece.0[1][0]);
    pieces.sort_by(|a, b| low(a).total_cmp(&low(b)));
    for (at, piece) in pieces.iter().enumerate() {
        for other in pieces[at + 1..].iter().take_while(|other| low(other) <= high(piece)) {
            if cross(piece.0, other.0) {
                return Some([piece.1.min(other.1), piece.1.max(other.1)]);
            }
        }
    }
    None
}

/// Whether two pieces cross within both.
fn cross([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    let side = |p: Point, q: Point, r: Point| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    let apart = |x: f64, y: f64| (x > 0.0 && y < 0.0) || (x < 0.0 && y > 0.0);
    apart(side(a, b, c), side(a, b, d)) && apart(side(c, d, a), side(c, d, b))
}
