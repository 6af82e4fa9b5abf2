//! How far cloth may be stretched and is, beside the controls for it.

use super::bounds::Thread;
use serde::{Deserialize, Serialize};
use taut_scene::simulation::{Record, Simulation, place};

/// The largest of something since settings last changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Most {
    /// How much.
    pub value: f64,
    /// In which frame, and where, m; nothing if there was none.
    pub seen: Option<(u32, [f64; 3])>,
}

impl Most {
    fn of(record: &Record, shown: impl Fn(f64) -> f64) -> Self {
        let there = record.peak.is_some();
        Most { value: shown(record.peak.value.max(0.0)), seen: there.then_some((record.frame, record.peak.at)) }
    }

    /// When and where, after what it is.
    pub fn when_and_where(&self) -> String {
        self.seen.map_or_else(String::new, |(frame, at)| format!(" in frame {frame}, at {}", place(at)))
    }
}

/// How far a cloth may be stretched along one of its threads or in shear, and how far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// How far it may be; nothing for as far as it goes. A fraction of the length, or for shear degrees off the right
    /// angle.
    pub most: Option<f64>,
    /// How far it is now, likewise.
    pub now: f64,
    /// How far it was at most, likewise.
    pub peak: Most,
    /// The largest compression: a fraction of the length; nothing for shear.
    pub compression: Most,
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
                peak: past.map(|past| Most::of(&past.most, |x| thread.shown(x))).unwrap_or_default(),
                compression: past.map(|past| Most::of(&past.compression, |x| x)).unwrap_or_default(),
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
