//! What a frame is in numbers.

use super::limits::limit_json;
use super::tension::Tension;
use serde_json::{Value as Json, json};
use taut::ContactReport;
use taut::limit::LimitReport;
use taut::measure::{Spread, Strains, Totals};

/// How far all elements are strained, whichever way: longer or shorter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrainSpreads {
    /// Strain of cloth along the weft: length over rest length − 1.
    pub weft: Spread,
    /// Strain of cloth along the warp.
    pub warp: Spread,
    /// Shear of cloth: the cosine of the angle between weft and warp.
    pub shear: Spread,
    /// Change of area of the triangles of cloth.
    pub area: Spread,
    /// Strain of solids along their three axes, the largest of each tetrahedron.
    pub stretch: Spread,
    /// Change of volume of tetrahedra.
    pub volume: Spread,
}

impl StrainSpreads {
    pub(super) fn of(strains: &Strains) -> Self {
        let [weft, warp, shear, area] = strains.cloth();
        let stretches: Vec<f64> = strains.tetrahedra.iter().map(largest_stretch).collect();
        let volumes: Vec<f64> = strains.tetrahedra.iter().map(|tet| tet[6]).collect();
        StrainSpreads { weft, warp, shear, area, stretch: Spread::of(&stretches), volume: Spread::of(&volumes) }
    }
}

/// What a frame is in numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    /// The frame.
    pub frame: u32,
    /// Its time, s.
    pub time: f64,
    /// How far all elements are strained.
    pub strain: StrainSpreads,
    /// How far cloth is stretched: tension and compression apart, with where it is.
    pub tension: Tension,
    /// Energies, momenta, and changes of area and volume of all bodies together.
    pub totals: Totals,
    /// Tetrahedra that are inside out.
    pub inverted: usize,
    /// How often a vertex was no longer finite and was put back, since the beginning.
    pub contained: u64,
    /// Vertices that touch a collider.
    pub contacts: u64,
    /// What contact between surfaces did in the frame, see [`ContactLog::frame`](super::ContactLog::frame).
    pub contact: ContactReport,
    /// The most that intersected at the end of a step of the frame, if it was [checked](super::Simulation::verify).
    pub intersections: Option<u64>,
    /// What the strain limiters did in the frame; nothing if there are none.
    pub limit: Option<LimitReport>,
    /// A fingerprint of all positions and velocities.
    pub state_hash: u64,
}

impl Metrics {
    /// The largest tension of cloth along its threads, or strain of solids, for a progress bar.
    pub fn largest_stretch(&self) -> f64 {
        self.tension.threads().max(self.strain.stretch.max)
    }

    /// As a line of `metrics.jsonl`. Numbers that are not finite become null.
    pub fn to_json(&self) -> Json {
        let spread = |s: &Spread| json!({ "max": s.max, "mean": s.mean, "p99": s.p99 });
        let (strain, totals) = (&self.strain, &self.totals);
        let mut json = json!({
            "frame": self.frame,
            "time": self.time,
            "strain": {
                "weft": spread(&strain.weft),
                "warp": spread(&strain.warp),
                "shear": spread(&strain.shear),
                "area": spread(&strain.area),
                "stretch": spread(&strain.stretch),
                "volume": spread(&strain.volume),
            },
            "tension": self.tension.to_json(),
            "area_change": totals.area_change,
            "volume_change": totals.volume_change,
            "energy": { "kinetic": totals.kinetic, "potential": totals.potential, "elastic": totals.elastic },
            "momentum": totals.momentum,
            "angular_momentum": totals.angular_momentum,
            "inverted": self.inverted,
            "contained": self.contained,
            "contacts": self.contacts,
            "touch": {
                "pairs": self.contact.pairs,
                "stopped": self.contact.stopped,
                "removed": self.contact.removed,
                "impossible": self.contact.impossible,
                "held": self.contact.held,
                "work": self.contact.work,
                "tangled": self.contact.tangled,
            },
            "intersections": self.intersections,
            "state_hash": format!("{:016x}", self.state_hash),
        });
        if let Some(limit) = &self.limit {
            json["limit"] = limit_json(limit);
        }
        json
    }
}

/// The largest of a tetrahedron's three stretches, with its sign.
pub(super) fn largest_stretch(rows: &[f64; 7]) -> f64 {
    rows[..3].iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0)
}
