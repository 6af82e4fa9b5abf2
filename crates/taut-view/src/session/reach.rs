//! How far cloth may be stretched and is, beside the controls for it.

use super::bounds::Thread;
use serde::{Deserialize, Serialize};
use taut_scene::simulation::Simulation;

/// How far a cloth may be stretched along one of its threads or in shear, and how far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// How far it may be; nothing for as far as it goes. A fraction of the length, or for shear degrees off the right angle.
    pub most: Option<f64>,
    /// How far it is now, likewise.
    pub now: f64,
    /// How far it was at most, since settings last changed, and in which frame.
    pub peak: (f64, u32),
    /// The largest compression since then: a fraction of the length; nothing for shear.
    pub compression: f64,
    /// Triangles that are beyond the limit now.
    pub beyond: u32,
}

/// How far a cloth may be stretched, and is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClothReach {
    /// Its name.
    pub name: String,
    /// Along weft and warp, and in shear.
    pub threads: [Reached; 3],
}

impl ClothReach {
    /// All cloth of a simulation, in the scene's order.
    pub(super) fn all(simulation: &Simulation) -> Vec<Self> {
        let (now, log) = (simulation.tension(), simulation.tension_log());
        let reached = |at: usize, thread: Thread| {
            let (body, way) = (&now.bodies[at], thread.way());
            let of = body.way(way);
            let past = log.bodies.get(at).map(|body| body.way(way));
            // What is bounded in every direction is bounded along its threads.
            let most = match thread {
                Thread::Shear => way.bound(&body.bounds),
                _ => way.bound(&body.bounds).min(body.bounds.any),
            };
            Reached {
                most: most.is_finite().then(|| thread.shown(most)),
                now: thread.shown(of.most.value.max(0.0)),
                peak: past.map_or((0.0, 0), |past| (thread.shown(past.most.peak.value.max(0.0)), past.most.frame)),
                compression: past.map_or(0.0, |past| past.compression.peak.value.max(0.0)),
                beyond: of.beyond,
            }
        };
        let all = now.bodies.iter().enumerate();
        all.map(|(at, body)| ClothReach {
            name: body.name.clone(),
            threads: Thread::ALL.map(|thread| reached(at, thread)),
        })
        .collect()
    }
}
