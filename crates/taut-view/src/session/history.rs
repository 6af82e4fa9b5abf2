//! What plots show: some numbers of every frame.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use taut_scene::simulation::{Metrics, Simulation, Way};

/// Some numbers of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Its time, s.
    pub time: f64,
    /// The largest tension of cloth: along weft and warp, shear (a cosine), along any direction; and the largest strain
    /// of solids: stretch, volume.
    pub strain: [f64; 6],
    /// Kinetic, potential and elastic energy, J.
    pub energy: [f64; 3],
    /// Milliseconds of each stage of the step; empty for the first frame.
    pub stages: Vec<f32>,
}

/// Frames that plots show at most.
const MOST: usize = 600;

/// The last frames in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    samples: VecDeque<Sample>,
    contained: u64,
    metrics: String,
}

impl History {
    /// Adds the frame that a simulation is at, with the seconds its stages took.
    pub(super) fn add(&mut self, simulation: &Simulation, stages: &[f64]) {
        let m = simulation.metrics();
        // A simulation that went back has no past that fits.
        self.samples.retain(|sample| sample.time < m.time);
        if self.samples.len() == MOST {
            self.samples.pop_front();
        }
        self.samples.push_back(Sample {
            time: m.time,
            strain: {
                let [weft, warp, shear, any] = [Way::Weft, Way::Warp, Way::Shear, Way::Any]
                    .map(|way| m.tension.most(way).map_or(0.0, |body| body.way(way).most.value.max(0.0)));
                [weft, warp, shear, any, m.strain.stretch.max, m.strain.volume.max]
            },
            energy: [m.totals.kinetic, m.totals.potential, m.totals.elastic],
            stages: stages.iter().map(|seconds| (seconds * 1e3) as f32).collect(),
        });
        self.keep(&m);
    }

    /// Forgets what a simulation has yet to compute.
    pub(super) fn back_to(&mut self, simulation: &Simulation) {
        let now = simulation.metrics();
        self.samples.retain(|sample| sample.time <= now.time);
        self.keep(&now);
    }

    fn keep(&mut self, metrics: &Metrics) {
        self.contained = metrics.contained;
        self.metrics = metrics.to_json().to_string();
    }

    /// The frames, the last one last.
    pub fn samples(&self) -> impl ExactSizeIterator<Item = &Sample> {
        self.samples.iter()
    }

    /// How often a vertex was no longer finite and was put back.
    pub fn contained(&self) -> u64 {
        self.contained
    }

    /// All numbers of the last frame, as JSON.
    pub fn metrics(&self) -> &str {
        &self.metrics
    }
}
