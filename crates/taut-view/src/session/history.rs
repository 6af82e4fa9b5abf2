//! What plots show: some numbers of every frame.

use std::collections::VecDeque;
use taut_scene::simulation::{Metrics, Simulation};

/// Some numbers of a frame.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Its time, s.
    pub time: f64,
    /// The 99th percentile of the strain of cloth: weft, warp, shear, area; and of solids: stretch, volume.
    pub strain: [f64; 6],
    /// Kinetic, potential and elastic energy, J.
    pub energy: [f64; 3],
    /// Milliseconds of each stage of the step; empty for the first frame.
    pub stages: Vec<f32>,
}

/// Frames that plots show at most.
const MOST: usize = 600;

/// The last frames in numbers.
#[derive(Clone, Debug, Default)]
pub struct History {
    samples: VecDeque<Sample>,
    metrics: Metrics,
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
            strain: [
                &m.strain.weft,
                &m.strain.warp,
                &m.strain.shear,
                &m.strain.area,
                &m.strain.stretch,
                &m.strain.volume,
            ]
            .map(|spread| spread.p99),
            energy: [m.totals.kinetic, m.totals.potential, m.totals.elastic],
            stages: stages.iter().map(|seconds| (seconds * 1e3) as f32).collect(),
        });
        self.metrics = m;
    }

    /// The frames, the last one last.
    pub fn samples(&self) -> impl ExactSizeIterator<Item = &Sample> {
        self.samples.iter()
    }

    /// All numbers of the last frame.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }
}
