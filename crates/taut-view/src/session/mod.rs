//! A scene under way that a person plays with: everything but the window.
//!
//! A session holds no physics. It steps [`Simulation`]s, and whatever is done to them is kept as text of a scene file: values as
//! `key=value`, what hands do as `[[pin]]` and `[[collider]]`. [`Session::written`] is that file.

mod document;
mod edits;
mod history;
mod recorder;
mod side;
mod snapshot;

pub use document::Document;
pub use history::{History, Sample};
pub use snapshot::{ObjectShape, Shape, SideView, Snapshot, Surface};
pub use taut_studio::Heat;

use edits::{Drag, Edits};
use recorder::Recorder;
use side::Side;
use std::path::PathBuf;

/// What can be asked of a session.
#[derive(Clone, Debug)]
pub enum Command {
    /// Shows another scene.
    Open(Document),
    /// Lets time go on, or stops it.
    Play(bool),
    /// Computes one frame.
    Step,
    /// Back to the beginning: settings stay, what hands did is forgotten.
    Reset,
    /// How fast time goes: 1 is real time.
    Speed(f64),
    /// Changes a value of the scene on one side, as `--set` does.
    Set {
        /// Which side: 0, or 1 for the other one of two.
        side: usize,
        /// The dotted path.
        path: String,
        /// A TOML value.
        value: String,
    },
    /// Replaces the scene's text; settings that were changed are forgotten.
    Text(String),
    /// Takes hold of a vertex.
    Grab {
        /// The object's number.
        object: usize,
        /// The vertex, by its object's numbers.
        vertex: u32,
    },
    /// Moves what is held to this far from where it was taken, m.
    Pull([f64; 3]),
    /// Lets go.
    LetGo,
    /// Pins a vertex where it is, or lets go the pins that hold it.
    TogglePin {
        /// The object's number.
        object: usize,
        /// The vertex, by its object's numbers.
        vertex: u32,
    },
    /// Throws a ball.
    Throw {
        /// From where, m.
        from: [f64; 3],
        /// How fast, m/s.
        velocity: [f64; 3],
        /// Its radius, m.
        radius: f64,
    },
    /// Shows two settings side by side, or one.
    Compare(bool),
    /// What the colours show.
    Heat(Heat),
    /// Puts an error or note away.
    Dismiss,
    /// Writes a point cache of what follows to a folder; ends with nothing.
    Record(Option<PathBuf>),
}

/// How fast a hand moves at most, in radii of what it holds a second.
const HAND: f64 = 5.0;

/// A scene under way that a person plays with.
pub struct Session {
    document: Document,
    edits: Edits,
    sides: Vec<Side>,
    threads: usize,
    playing: bool,
    speed: f64,
    /// When the next frame is due, s of the caller's clock.
    due: Option<f64>,
    drag: Option<Drag>,
    heat: Heat,
    recorder: Option<Recorder>,
    error: Option<String>,
    note: Option<String>,
    /// Counts what a picture may depend on.
    version: u64,
}

impl Session {
    /// Opens a scene, at its beginning and paused.
    pub fn new(document: Document, threads: usize) -> Result<Self, String> {
        let side = Side::open(&document, threads)?;
        Ok(Session {
            document,
            edits: Edits::default(),
            sides: vec![side],
            threads,
            playing: false,
            speed: 1.0,
            due: None,
            drag: None,
            heat: Heat::Cloth,
            recorder: None,
            error: None,
            note: None,
            version: 1,
        })
    }

    /// Does what is asked. What cannot be done changes nothing, and [`error`](Self::error) says why.
    pub fn apply(&mut self, command: Command) {
        self.version += 1;
        if let Err(error) = self.try_apply(command) {
            self.error = Some(error);
        }
    }

    fn try_apply(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::Open(document) => self.open(document)?,
            Command::Play(playing) => (self.playing, self.due) = (playing, None),
            Command::Step => self.advance()?,
            Command::Reset => self.reset()?,
            Command::Speed(speed) => self.speed = if speed.is_finite() { speed.clamp(0.01, 10.0) } else { 1.0 },
            Command::Set { side, path, value } => {
                let side = self.sides.get_mut(side).ok_or("there is only one side")?;
                side.set(&self.document, &self.edits, path, value)?;
            }
            Command::Text(text) => {
                let document = Document { text, sets: Vec::new(), ..self.document.clone() };
                let next = Side::open(&document, self.threads)?;
                self.start(document, next);
            }
            Command::Grab { object, vertex } => self.grab(object, vertex),
            Command::Pull(offset) => self.pull(offset),
            Command::LetGo => self.let_go(),
            Command::TogglePin { object, vertex } => self.toggle_pin(object, vertex)?,
            Command::Throw { from, velocity, radius } => self.throw(from, velocity, radius)?,
            Command::Compare(on) => self.compare(on)?,
            Command::Heat(heat) => self.heat = heat,
            Command::Dismiss => (self.error, self.note) = (None, None),
            Command::Record(folder) => self.record(folder)?,
        }
        Ok(())
    }

    /// Lets time go on as far as is due at `now`, for about `budget` at most (s of the caller's clock, which `clock` reads). Tells
    /// whether anything changed.
    pub fn run(&mut self, now: f64, budget: f64, clock: &dyn Fn() -> f64) -> bool {
        let mut changed = self.settle();
        if !self.playing {
            return changed;
        }
        let period = 1.0 / (self.fps() * self.speed);
        // What could not be computed in time is not made up for: everything is slower instead.
        let mut due = self.due.unwrap_or(now).max(now - period);
        while due <= now && clock() - now <= budget {
            if let Err(error) = self.advance() {
                self.error = Some(error);
            }
            due += period;
            changed = true;
        }
        self.due = Some(due);
        changed
    }

    /// When it wants to [`run`](Self::run) again, s of the caller's clock; nothing while it is paused.
    pub fn due(&self) -> Option<f64> {
        self.playing.then_some(self.due.unwrap_or(0.0))
    }

    /// Builds what changed settings ask for; tells whether there were any.
    pub fn settle(&mut self) -> bool {
        let mut changed = false;
        for side in &mut self.sides {
            match side.settle(&self.document, &self.edits, self.threads) {
                Ok(built) => changed |= built,
                Err(error) => (self.error, changed) = (Some(error), true),
            }
        }
        self.version += u64::from(changed);
        changed
    }

    /// Computes one frame on every side.
    fn advance(&mut self) -> Result<(), String> {
        self.settle();
        let reached = self.drag.as_mut().map(Drag::reach);
        for side in &mut self.sides {
            reached.into_iter().for_each(|offset| side.simulation.pull(offset));
            side.advance();
        }
        self.version += 1;
        if let Some(drag) = &mut self.drag {
            drag.moved(self.sides[0].simulation.time());
        }
        match &mut self.recorder {
            Some(recorder) => recorder.frame(&self.sides[0].simulation),
            None => Ok(()),
        }
    }

    fn open(&mut self, document: Document) -> Result<(), String> {
        let next = Side::open(&document, self.threads)?;
        self.start(document, next);
        Ok(())
    }

    fn start(&mut self, document: Document, side: Side) {
        (self.document, self.edits, self.drag, self.recorder) = (document, Edits::default(), None, None);
        (self.sides, self.due) = (vec![side], None);
        (self.note, self.error) = (None, None);
    }

    fn reset(&mut self) -> Result<(), String> {
        (self.edits, self.drag, self.due) = (Edits::default(), None, None);
        self.record(None)?;
        self.sides.iter_mut().try_for_each(|side| side.restart(&self.document, self.threads))
    }

    fn grab(&mut self, object: usize, vertex: u32) {
        self.let_go();
        let places: Vec<_> = self.sides.iter_mut().map(|side| side.simulation.grab(object, vertex)).collect();
        if places.first().is_some_and(Option::is_some) {
            let simulation = &self.sides[0].simulation;
            let info = &simulation.objects()[object].info;
            let mut bounds = taut_render::Bounds::EMPTY;
            bounds.include(&info.rest);
            let most = HAND * bounds.radius() / self.fps();
            self.drag = Some(Drag::new(&info.name, vertex, simulation.time(), most));
        }
    }

    fn pull(&mut self, offset: [f64; 3]) {
        if let Some(drag) = self.drag.as_mut().filter(|_| offset.iter().all(|x| x.is_finite())) {
            drag.wanted = offset;
        }
    }

    fn let_go(&mut self) {
        self.sides.iter_mut().for_each(|side| side.simulation.let_go());
        if let Some(drag) = self.drag.take() {
            self.edits.add_drag(&drag);
        }
    }

    fn toggle_pin(&mut self, object: usize, vertex: u32) -> Result<(), String> {
        let simulation = &self.sides[0].simulation;
        let Some(found) = simulation.objects().get(object) else { return Ok(()) };
        let mut edits = self.edits.clone();
        match simulation.pins_of(object, vertex) {
            none if none.is_empty() => edits.add_pin(&found.info.name, vertex, simulation.time()),
            pins => pins.into_iter().for_each(|pin| edits.end_pin(pin, simulation.time())),
        }
        self.edit(edits)
    }

    fn throw(&mut self, from: [f64; 3], velocity: [f64; 3], radius: f64) -> Result<(), String> {
        let mut edits = self.edits.clone();
        edits.add_ball(from, velocity, radius, self.sides[0].simulation.time());
        self.edit(edits)
    }

    /// Goes on with other edits, or leaves everything as it is if one side cannot.
    fn edit(&mut self, edits: Edits) -> Result<(), String> {
        let forks: Result<Vec<_>, _> =
            self.sides.iter().map(|side| side.fork(&self.document, &edits, side.sets.clone(), self.threads)).collect();
        (self.sides, self.edits) = (forks?, edits);
        Ok(())
    }

    fn compare(&mut self, on: bool) -> Result<(), String> {
        self.sides.truncate(1);
        if on {
            let first = &self.sides[0];
            let other = first.fork(&self.document, &self.edits, first.sets.clone(), self.threads)?;
            self.sides.push(other);
        }
        Ok(())
    }

    fn record(&mut self, folder: Option<PathBuf>) -> Result<(), String> {
        if let Some(recorder) = self.recorder.take() {
            self.note = Some(recorder.finish()?);
        }
        if let Some(folder) = folder {
            let mut recorder = Recorder::new(&self.sides[0].simulation, &folder)?;
            recorder.frame(&self.sides[0].simulation)?;
            self.recorder = Some(recorder);
        }
        Ok(())
    }

    /// The scene file that says all that was done: settings of the first side, pins, drags and balls.
    pub fn written(&self) -> Result<String, String> {
        let side = &self.sides[0];
        let scene = self.document.scene(&self.edits, &side.sets).map_err(|error| error.to_string())?;
        scene.written().map_err(|error| error.to_string())
    }

    /// A fingerprint of all positions and velocities on the first side.
    pub fn state_hash(&self) -> u64 {
        self.sides[0].simulation.state_hash()
    }

    /// Rises whenever anything changes.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What could not be done last.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The frame it is at.
    pub fn frame(&self) -> u32 {
        self.sides[0].simulation.frame()
    }

    fn fps(&self) -> f64 {
        self.sides[0].scene.settings.time.fps
    }
}
