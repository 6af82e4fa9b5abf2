//! A scene under way that a person plays with: everything but the window.
//!
//! A session holds no physics. It steps [`Simulation`]s, and whatever is done to them is kept as text of a scene file:
//! values as `key=value`, what hands do as `[[pin]]` and `[[collider]]`. [`Session::written`] is that file.

pub(crate) mod bounds;
mod document;
mod edits;
mod history;
mod reach;
mod recorder;
mod side;
mod snapshot;

pub use bounds::Thread;
pub use document::Document;
pub use history::{History, Sample};
pub use reach::{ClothReach, Most, Reached};
pub use snapshot::{ObjectShape, PaintedMap, Shape, SideView, Snapshot, Surface};
pub use taut_studio::Heat;

use edits::{Drag, Edits};
use recorder::Recorder;
use serde::{Deserialize, Serialize};
use side::Side;
use std::path::PathBuf;
use taut_scene::write::Checkpoint;

/// How a session begins.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Start {
    /// What is shown.
    pub document: Document,
    /// Threads to compute with; results do not depend on it.
    pub threads: usize,
    /// Tells it from other sessions of the same window.
    pub number: u64,
    /// Whether time goes on at once.
    pub playing: bool,
    /// Whether it goes on behind the scene's end.
    pub endless: bool,
    /// What the colours show.
    #[serde(with = "crate::wire::heat")]
    pub heat: Heat,
}

/// What can be asked of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Command {
    /// Shows another scene.
    Open(Document),
    /// Lets time go on, or stops it. From the scene's end it goes back to the beginning first.
    Play(bool),
    /// Whether time goes on behind the scene's end.
    Endless(bool),
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
    /// Changes how far a cloth may be stretched on one side: `[[limit]]` of the scene.
    Bound {
        /// Which side.
        side: usize,
        /// The cloth, by its number in the scene.
        cloth: usize,
        /// Along which threads, or in shear.
        thread: Thread,
        /// A fraction of the length, or for shear degrees off the right angle; nothing for as far as it goes.
        most: Option<f64>,
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
    Heat(#[serde(with = "crate::wire::heat")] Heat),
    /// Puts an error or note away.
    Dismiss,
    /// Asks for the scene file that says all that was done: [`Snapshot::written`].
    Write,
    /// Writes a point cache of what follows to a folder; ends with nothing.
    Record(Option<PathBuf>),
}

/// How fast a hand moves at most, in radii of what it holds a second.
const HAND: f64 = 5.0;

/// How time goes.
#[derive(Clone, Copy, Debug)]
struct Tempo {
    playing: bool,
    speed: f64,
    /// Whether it goes on behind the scene's end.
    endless: bool,
    /// When the next frame is due, s of the caller's clock.
    due: Option<f64>,
}

/// Where everything was before frames that nobody has seen yet.
struct Unseen {
    /// One for each side.
    before: Vec<Checkpoint>,
    /// When they were done, s of the caller's clock.
    done: f64,
}

/// A scene under way that a person plays with.
pub struct Session {
    number: u64,
    document: Document,
    edits: Edits,
    sides: Vec<Side>,
    threads: usize,
    tempo: Tempo,
    unseen: Option<Unseen>,
    drag: Option<Drag>,
    heat: Heat,
    recorder: Option<Recorder>,
    error: Option<String>,
    note: Option<String>,
    /// The scene file that was asked for, and how many were before it.
    written: Option<(u64, Result<String, String>)>,
    /// Commands so far.
    heard: u64,
    /// Counts what a picture may depend on.
    version: u64,
}

impl Session {
    /// Opens a scene, at its beginning and paused.
    pub fn new(document: Document, threads: usize) -> Result<Self, String> {
        Session::begin(Start { document, threads, ..Start::default() })
    }

    /// Opens a scene, at its beginning.
    pub fn begin(start: Start) -> Result<Self, String> {
        let Start { document, threads, number, playing, endless, heat } = start;
        let side = Side::open(&document, threads)?;
        Ok(Session {
            number,
            document,
            edits: Edits::default(),
            sides: vec![side],
            threads,
            tempo: Tempo { playing, speed: 1.0, endless, due: None },
            unseen: None,
            drag: None,
            heat,
            recorder: None,
            error: None,
            note: None,
            written: None,
            heard: 0,
            version: 1,
        })
    }

    /// Does what was asked at a moment, s of the clock that [`run`](Self::run) has. Who says stop while a frame is
    /// under way gets no more of it: frames that were done after that moment are taken back.
    pub fn hear(&mut self, command: Command, asked: f64) {
        if let (Command::Play(false), Some(unseen)) = (&command, self.unseen.take())
            && asked < unseen.done
        {
            self.take_back(unseen.before);
        }
        self.apply(command);
    }

    /// Does what is asked. What cannot be done changes nothing, and [`error`](Self::error) says why.
    pub fn apply(&mut self, command: Command) {
        self.version += 1;
        self.heard += 1;
        self.unseen = None;
        if let Err(error) = self.try_apply(command) {
            self.error = Some(error);
        }
    }

    fn try_apply(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::Open(document) => self.open(document)?,
            Command::Play(playing) => self.play(playing)?,
            Command::Endless(endless) => self.tempo.endless = endless,
            Command::Step if self.at_end() => self.note = Some(self.end_words()),
            Command::Step => self.advance()?,
            Command::Reset => self.reset()?,
            Command::Speed(speed) => self.tempo.speed = if speed.is_finite() { speed.clamp(0.01, 10.0) } else { 1.0 },
            Command::Set { side, path, value } => {
                let side = self.sides.get_mut(side).ok_or("there is only one side")?;
                side.set(&self.document, &self.edits, path, value)?;
            }
            Command::Bound { side, cloth, thread, most } => {
                let side = self.sides.get_mut(side).ok_or("there is only one side")?;
                let limits = bounds::changed(side.newest(), cloth, thread, most).ok_or("there is no such cloth")?;
                side.set(&self.document, &self.edits, "limit".into(), limits)?;
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
            Command::Write => {
                let before = self.written.as_ref().map_or(0, |(count, _)| *count);
                self.written = Some((before + 1, self.written()));
            }
        }
        Ok(())
    }

    fn play(&mut self, playing: bool) -> Result<(), String> {
        if playing && self.at_end() {
            self.reset()?;
        }
        (self.tempo.playing, self.tempo.due) = (playing, None);
        Ok(())
    }

    /// Whether the scene is over and time is not to go on behind that.
    fn at_end(&self) -> bool {
        !self.tempo.endless && self.frame() >= self.sides[0].simulation.frames()
    }

    fn end_words(&self) -> String {
        format!("The scene ends with frame {}. Play begins anew; \"Endless\" goes on.", self.frame())
    }

    /// Lets time go on as far as is due at `now`, for about `budget` at most (s of the caller's clock, which `clock`
    /// reads). Tells whether anything changed.
    pub fn run(&mut self, now: f64, budget: f64, clock: &dyn Fn() -> f64) -> bool {
        let mut changed = self.settle();
        if !self.tempo.playing {
            return changed;
        }
        let period = 1.0 / (self.fps() * self.tempo.speed);
        // What could not be computed in time is not made up for: everything is slower instead.
        let mut due = self.tempo.due.unwrap_or(now).max(now - period);
        let mut before = None;
        while due <= now && clock() - now <= budget && self.tempo.playing {
            before.get_or_insert_with(|| self.sides.iter().map(|side| side.simulation.save()).collect());
            if let Err(error) = self.advance() {
                self.error = Some(error);
            }
            due += period;
            changed = true;
            if self.at_end() {
                (self.tempo.playing, self.note) = (false, Some(self.end_words()));
            }
        }
        self.tempo.due = Some(due);
        // What a hand did in a frame, or a file has of it, is not taken back.
        let kept = self.drag.is_some() || self.recorder.is_some();
        self.unseen = before.filter(|_| !kept).map(|before| Unseen { before, done: clock() });
        changed
    }

    /// Goes back to where everything was.
    fn take_back(&mut self, before: Vec<Checkpoint>) {
        for (side, before) in self.sides.iter_mut().zip(before) {
            if let Err(error) = side.take_back(before) {
                self.error = Some(error);
            }
        }
    }

    /// When it wants to [`run`](Self::run) again, s of the caller's clock; nothing while it is paused.
    pub fn due(&self) -> Option<f64> {
        self.tempo.playing.then_some(self.tempo.due.unwrap_or(0.0))
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
        (self.sides, self.tempo.due) = (vec![side], None);
        (self.note, self.error) = (None, None);
    }

    fn reset(&mut self) -> Result<(), String> {
        (self.edits, self.drag, self.tempo.due, self.note) = (Edits::default(), None, None, None);
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
