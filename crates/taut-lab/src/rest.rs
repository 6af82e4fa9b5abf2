//! Building a test's scene, and waiting until nothing moves.

use crate::LabError;
use taut::Params;
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;

/// How a specimen came to rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rest {
    /// Steps it took.
    pub frames: u32,
    /// How far a vertex still moved in the last of them, m, at most.
    pub moved: f64,
    /// Whether that was little enough.
    pub still: bool,
}

impl Rest {
    /// Both together: the longer, and the less still.
    pub(crate) fn and(self, other: Rest) -> Rest {
        Rest {
            frames: self.frames.max(other.frames),
            moved: self.moved.max(other.moved),
            still: self.still && other.still,
        }
    }
}

/// Builds a scene from its text. Errors call it by the test's name.
pub(crate) fn build(test: &str, text: &str) -> Result<Simulation, LabError> {
    let scene = Scene::parse(&format!("{test}.toml"), text, None, &[])?;
    Ok(Simulation::new(&scene, scene.precision(), 1)?)
}

/// Steps until no vertex moves by `still` (m) in a step, or `most` steps were made. Parameters can differ from the
/// scene's.
pub(crate) fn settle(simulation: &mut Simulation, most: u32, still: f64, change: impl Fn(&mut Params)) -> Rest {
    let mut rest = Rest { frames: 0, moved: f64::INFINITY, still: false };
    let mut before = simulation.positions(0);
    while rest.frames < most && !rest.still {
        simulation.advance_with(&change);
        let now = simulation.positions(0);
        rest = Rest { frames: rest.frames + 1, moved: largest_move(&before, &now), still: false };
        rest.still = rest.moved < still;
        before = now;
    }
    rest
}

/// The largest change of a coordinate, m.
fn largest_move(before: &[[f64; 3]], now: &[[f64; 3]]) -> f64 {
    before.as_flattened().iter().zip(now.as_flattened()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
