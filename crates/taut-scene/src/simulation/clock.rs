//! Frames, steps and seconds.

use crate::scene::settings::{Hold, Pin, Settings};

/// Steps are no longer than this (s) where pins that give follow something or move: they are told once in a step where
/// to pull, while colliders go along during all of it. What is pulled a whole frame ahead ends up inside the body.
const LONGEST_PULLED: f64 = 1.0 / 96.0;
/// Pins turn no farther in a step, rad (15°): they go in straight lines, what they follow does not, and a waistband that
/// cuts 45° short ends up inside the hips.
const FARTHEST_TURNED: f64 = std::f64::consts::PI / 12.0;

/// Steps in a frame at most for that.
const MOST_FOR_TURNS: f64 = 24.0;

/// The frame a simulation is at, and how long frames and steps are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// 0 is the beginning.
    pub frame: u32,
    /// Frames a second.
    fps: f64,
    /// Steps a frame.
    pub steps: u32,
}

impl Clock {
    /// For pins that turn by so much in a frame at most, rad.
    pub fn new(settings: &Settings, turned: f64) -> Self {
        let time = &settings.time;
        let pulls = |pin: &Pin| !matches!(pin.hold, Hold::Fast(_)) && (pin.follow.is_some() || pin.motion.is_some());
        let least = if settings.pin.iter().any(pulls) { (1.0 / (time.fps * LONGEST_PULLED)).ceil() as u32 } else { 1 };
        // A little more is no reason for another step.
        let turns = (turned / FARTHEST_TURNED - 1e-6).ceil().clamp(1.0, MOST_FOR_TURNS) as u32;
        Clock { frame: 0, fps: time.fps, steps: time.steps.max(least).max(turns) }
    }

    /// The time it is at, s.
    pub fn now(&self) -> f64 {
        self.time_of(self.frame)
    }

    /// The time of a frame, s.
    fn time_of(&self, frame: u32) -> f64 {
        f64::from(frame) / self.fps
    }

    /// The frame nearest to a time, s.
    pub fn frame_at(&self, seconds: f64) -> u32 {
        (seconds * self.fps).round() as u32
    }

    /// When the next frame begins and ends, s.
    pub fn span(&self) -> [f64; 2] {
        [self.now(), self.time_of(self.frame + 1)]
    }

    /// The length of a step, s.
    pub fn step_seconds(&self) -> f64 {
        1.0 / (self.fps * f64::from(self.steps))
    }

    /// When a step of the next frame begins and ends, s. The last one ends where the frame after it begins, to the bit:
    /// nothing may jump in between.
    pub fn step_span(&self, step: u32) -> [f64; 2] {
        [step, step + 1].map(|step| match step == self.steps {
            true => self.span()[1],
            false => self.now() + f64::from(step) * self.step_seconds(),
        })
    }

    /// When the last step before now began, s.
    pub fn last_step(&self) -> f64 {
        self.now() - self.step_seconds()
    }
}
