//! Substep control: how many substeps cloth needs.

use super::sheet::RestSheet;
use crate::lanes::{Scalar, Vertex};

/// How to step a model's cloth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubstepControl {
    /// The longest substep, s.
    longest: f64,
    /// Whether a substep begins with the forces of the one before.
    pub warm: bool,
}

/// Substeps are not made shorter than this for soft cloth, s: 200 in 1/60 s.
const SHORTEST: f64 = 1.0 / 12_000.0;
/// How far cloth turns in a substep, radians, as a root mean square over its edges ([`TurnProbe::rate`]). A straight
/// step out of a turn and back onto it is shorter than the turn, and so much of the motion is lost: a share of its
/// energy that grows with the square of this.
const TURN: f64 = 0.0125;
/// Substeps are not made shorter than this for cloth that turns fast, s: 25 in 1/60 s.
const SHORTEST_TURN: f64 = 1.0 / 1500.0;

impl SubstepControl {
    /// Cloth that is held wherever it resists: levels, tethers and the limit do the rest.
    pub const STIFF: SubstepControl = SubstepControl { longest: 1.0 / 600.0, warm: false };

    /// Where cloth is soft along a direction, nothing but sweeps over its elements carries forces along it: they have
    /// to go on where they were, and a substep must not be longer than half of what a wave needs from one element to
    /// the next, at `rate` (1/s). With twice that, sheets of 43, 101 and 317 vertices a side have the strain that they
    /// have in 160 substeps within a fiftieth, but straps of a dress do not.
    pub fn soft(rate: f64) -> SubstepControl {
        SubstepControl { longest: (0.5 / rate.max(1e-300)).clamp(SHORTEST, 1.0 / 900.0), warm: true }
    }

    /// The substeps in `dt` (s) of cloth that turns at `rate` (1/s).
    pub fn substeps(self, dt: f64, rate: f64) -> u32 {
        let longest = self.longest.min((TURN / rate).max(SHORTEST_TURN));
        (dt / longest - 1e-9).ceil().clamp(1.0, f64::from(u32::MAX)) as u32
    }
}

/// Some edges of the cloth, to see how fast it turns: their ends, and Σ of their squared lengths at rest, m².
#[derive(Debug, Default)]
pub(super) struct TurnProbe {
    edges: Vec<[u32; 2]>,
    size: f64,
}

/// Edges to look at, at most: a sample is enough for a mean.
const SAMPLE: usize = 512;

impl TurnProbe {
    pub fn new(sheet: &RestSheet) -> Self {
        let every = sheet.triangles.len().div_ceil(SAMPLE).max(1);
        let mut probe = TurnProbe::default();
        for (n, t) in (0..sheet.triangles.len()).step_by(every).enumerate() {
            let [a, b] = sheet.edges[t];
            let (k, by) = [(0, a), (1, [b[0] - a[0], b[1] - a[1]]), (2, b)][n % 3];
            probe.edges.push([sheet.triangles[t][k], sheet.triangles[t][(k + 1) % 3]]);
            probe.size += by[0] * by[0] + by[1] * by[1];
        }
        probe
    }

    /// √(Σ|vⱼ − vᵢ|² / Σl²) over edges between i and j, l long at rest, with velocities `v` (m/s); 1/s. What is short,
    /// and so turns at the least noise, counts for little.
    pub fn rate<T: Scalar>(&self, v: &[Vertex<T>]) -> f64 {
        let of = |&[i, j]: &[u32; 2]| {
            let (a, b) = (v[i as usize], v[j as usize]);
            (0..3).map(|k| (b[k].f64() - a[k].f64()).powi(2)).sum::<f64>()
        };
        let rate = (self.edges.iter().map(of).sum::<f64>() / self.size).sqrt();
        if rate.is_finite() { rate } else { 0.0 }
    }
}
