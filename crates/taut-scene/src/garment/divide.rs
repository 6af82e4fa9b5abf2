//! How finely edges are divided, so that both sides of a seam have the same number of vertices.

use super::pattern::{Edge, EdgeRef, Panel, Pattern};
use std::collections::BTreeMap;

/// A part of an edge with vertices at equal distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    /// Where it begins and ends, as parts of the edge's length.
    pub span: [f64; 2],
    /// Into how many it is divided: none if it is so short that its ends are one vertex.
    pub count: usize,
}

/// A piece of each side of a seam: vertex k of the first meets vertex k of the second, or the k-th from its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SewnPiece {
    /// Number of the seam.
    pub seam: usize,
    /// Edges, and where on them.
    pub sides: [(EdgeRef, Piece); 2],
    /// Whether the second runs against its edge.
    pub against: bool,
}

/// How all edges are divided.
pub(super) struct Division {
    /// In the order in which they lie along each edge.
    pub edges: BTreeMap<EdgeRef, Vec<Piece>>,
    pub sewn: Vec<SewnPiece>,
    /// How many edges, or parts of them, are so short that their ends are one vertex.
    pub shut: usize,
    spacing: f64,
}

/// Ends of edges on the two sides of a seam that are nearer than this, as parts of its length, are one.
const SAME: f64 = 1e-6;
/// What is shorter than this, in spacings, is no edge: patterns that were made by a program have some of a millimetre
/// where a dart meets a seam, and triangles on them would be slivers.
const SHORTEST: f64 = 0.2;
/// But not if it is more than this part of its panel's outline.
const SMALL_PART: f64 = 0.05;

impl Division {
    /// With vertices about `spacing` (m) apart: no edge, nor the longer side of a seam, is coarser.
    pub fn new(pattern: &Pattern, spacing: f64) -> Self {
        let mut out = Division { edges: BTreeMap::new(), sewn: Vec::new(), shut: 0, spacing };
        let around = |panel: &Panel| panel.outline.iter().map(Edge::length).sum::<f64>();
        let around: Vec<f64> = pattern.panels.iter().map(around).collect();
        for seam in 0..pattern.seams.len() {
            out.sew(pattern, seam, &around);
        }
        for (panel, of) in pattern.panels.iter().enumerate() {
            for (edge, shape) in of.edges().enumerate() {
                let at = EdgeRef { panel, edge };
                if !out.edges.contains_key(&at) {
                    let count = out.count(shape.length(), around[panel]);
                    out.edges.insert(at, vec![Piece { span: [0.0, 1.0], count }]);
                }
            }
        }
        for pieces in out.edges.values_mut() {
            pieces.sort_by(|a, b| a.span[0].total_cmp(&b.span[0]));
        }
        out
    }

    /// Into how many parts a length (m) is divided, of an outline of such a length.
    fn count(&mut self, length: f64, around: f64) -> usize {
        if length < SHORTEST * self.spacing && length < SMALL_PART * around {
            self.shut += 1;
            return 0;
        }
        (length / self.spacing - 1e-9).ceil().clamp(1.0, 1e6) as usize
    }

    fn sew(&mut self, pattern: &Pattern, number: usize, around: &[f64]) {
        let seam = &pattern.seams[number];
        let sides = [Side::new(pattern, &seam.sides[0], false), Side::new(pattern, &seam.sides[1], !seam.same_way)];
        let mut ends: Vec<f64> = sides.iter().flat_map(|side| side.ends.iter().copied()).collect();
        ends.sort_by(f64::total_cmp);
        ends.dedup_by(|b, a| *b - *a < SAME);
        let longest = sides[0].length.max(sides[1].length);
        let around = seam.sides.iter().flatten().map(|at| around[at.panel]).fold(f64::MAX, f64::min);
        for pair in ends.windows(2) {
            let count = self.count(longest * (pair[1] - pair[0]), around);
            let [first, second] = [&sides[0], &sides[1]].map(|side| side.piece([pair[0], pair[1]], count));
            for (edge, piece) in [first, second] {
                self.edges.entry(edge).or_default().push(piece);
            }
            self.sewn.push(SewnPiece { seam: number, sides: [first, second], against: !seam.same_way });
        }
    }
}

/// One side of a seam, by its length from 0 to 1.
struct Side<'a> {
    edges: &'a [EdgeRef],
    /// Where edges begin and end: one more than there are edges.
    ends: Vec<f64>,
    length: f64,
    against: bool,
}

impl<'a> Side<'a> {
    fn new(pattern: &Pattern, edges: &'a [EdgeRef], against: bool) -> Self {
        let mut ends = vec![0.0];
        let mut length = 0.0;
        for &edge in edges {
            length += pattern.edge(edge).map_or(0.0, Edge::length);
            ends.push(length);
        }
        ends.iter_mut().for_each(|end| *end /= length.max(1e-300));
        if let Some(last) = ends.last_mut() {
            *last = 1.0;
        }
        Side { edges, ends, length, against }
    }

    /// The edge that a span lies on, and where on it.
    fn piece(&self, span: [f64; 2], count: usize) -> (EdgeRef, Piece) {
        let middle = 0.5 * (span[0] + span[1]);
        let at = (self.ends.partition_point(|&end| end <= middle)).clamp(1, self.edges.len()) - 1;
        let (low, high) = (self.ends[at], self.ends[at + 1]);
        let local = |s: f64| {
            let part = ((s - low) / (high - low)).clamp(0.0, 1.0);
            // Ends that are one count as such.
            if part < 10.0 * SAME {
                0.0
            } else if part > 1.0 - 10.0 * SAME {
                1.0
            } else {
                part
            }
        };
        let [a, b] = span.map(local);
        let span = if self.against { [1.0 - b, 1.0 - a] } else { [a, b] };
        (self.edges[at], Piece { span, count })
    }
}
