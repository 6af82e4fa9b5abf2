//! `[scene]`, `[time]`, `[world]` and `[air]`.

use crate::scene::decode::Rule;
use crate::scene::track::Track;

section! {
    /// What the scene is, for people.
    pub struct About + Default {
        /// A title for reports.
        title: String = String::new();
        /// A sentence or two.
        description: String = String::new();
    }
}

section! {
    /// How long, and how many frames.
    pub struct Time + Default {
        /// Frames in a second: what is written and drawn.
        fps: f64 = 60.0 => Rule::ANY.from(1.0).to(10_000.0).unit("1/s");
        /// How long the scene is.
        duration: f64 = 4.0 => Rule::ANY.above(0.0).to(100_000.0).unit("s");
        /// How many frames follow the first one; counts more than `duration`.
        frames: Option<u32> = None => Rule::ANY.from(1.0).to(10_000_000.0);
        /// Steps that a frame is computed in, at least. Pins move in straight lines during a step: where they turn by more
        /// than 15° in a frame, there are more steps.
        steps: u32 = 1 => Rule::ANY.from(1.0).to(1000.0);
    }
}

impl Time {
    /// How many frames follow frame 0, which is the beginning.
    pub fn frame_count(&self) -> u32 {
        self.frames.unwrap_or((self.duration * self.fps).round().clamp(1.0, 1e9) as u32)
    }
}

section! {
    /// A phase before the first frame, of which nothing is written: colliders stand still as they are in the first
    /// frame, gravity grows, and cloth is slowed down until it is at rest.
    pub struct Start + Default {
        /// How long it lasts at most; 0 for none.
        duration: f64 = 0.0 => Rule::ANY.from(0.0).to(1000.0).unit("s");
        /// It is over when no vertex is faster than this.
        settled: f64 = 0.02 => Rule::ANY.from(0.0).to(1000.0).unit("m/s");
        /// How long gravity takes to grow from nothing to what it is.
        ramp: f64 = 0.25 => Rule::ANY.from(0.0).to(1000.0).unit("s");
        /// How fast motion dies.
        damping: f64 = 10.0 => Rule::ANY.from(0.0).to(1e4).unit("1/s");
        /// How much thinner mesh colliders are all around when it begins; they grow to their size within half of it.
        grow: f64 = 0.0 => Rule::ANY.from(0.0).to(10.0).unit("m");
        /// How fast bodies come at most, and cloth of its own: what has further to go takes longer, and so does all of
        /// it.
        speed: f64 = 1.0 => Rule::ANY.above(0.0).to(1000.0).unit("m/s");
        /// The pose in which mesh colliders begin, and pins that follow them are put on.
        from: StartFrom = StartFrom::First;
    }
}

choice! {
    /// The pose in which mesh colliders begin a start phase.
    pub enum StartFrom {
        /// That of the first frame.
        First = "first",
        /// That of the file's mesh, before any bone moves: they come to the first frame within half the phase.
        Bind = "bind",
        /// That of the file's mesh, on which cloth was modelled; cloth as a whole is put where the skin around each of
        /// its
        /// vertices is in the first frame, and comes to rest from there.
        Skin = "skin",
    }
}

section! {
    /// What holds everywhere.
    pub struct World + Default {
        /// Acceleration of everything that is free.
        gravity: [f64; 3] = [0.0, -9.81, 0.0] => Rule::ANY.from(-1e4).to(1e4).unit("m/s²");
    }
}

section! {
    /// Wind and drag.
    pub struct Air + Default {
        /// The wind's velocity.
        wind: Track<[f64; 3]> = Track::constant([0.0; 3]) => Rule::ANY.from(-1000.0).to(1000.0).unit("m/s");
        /// Density: 1.2 for air at sea level, 0 for none.
        density: f64 = 1.2 => Rule::ANY.from(0.0).to(10_000.0).unit("kg/m³");
        /// How strongly the air takes surfaces along.
        drag: Drag = Drag::default();
    }
}

section! {
    /// Drag coefficients.
    pub struct Drag + Default {
        /// Across the surface; a flat plate has about 1.2.
        across: f64 = taut::Air::default().across => Rule::ANY.from(0.0).to(100.0);
        /// Along the surface: skin friction, a few hundredths.
        along: f64 = taut::Air::default().along => Rule::ANY.from(0.0).to(100.0);
    }
}
