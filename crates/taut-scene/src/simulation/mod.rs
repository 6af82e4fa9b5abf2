//! A scene under way: built from its file, advanced frame by frame, measured, saved and taken up again.
//!
//! ```
//! use taut_scene::scene::Scene;
//! use taut_scene::simulation::Simulation;
//!
//! let scene = Scene::open("hang", &["cloth.0.generate.nx=9".into(), "cloth.0.generate.ny=9".into()])?;
//! let mut simulation = Simulation::new(&scene, scene.precision(), 1)?;
//! while simulation.frame() < 10 {
//!     simulation.advance();
//! }
//! assert!(simulation.metrics().strain.weft.max < 0.1);
//! # Ok::<(), taut_scene::scene::SceneError>(())
//! ```

mod attachment;
mod build;
mod change;
mod clock;
mod colliders;
mod contact_log;
mod crease;
mod doubts;
mod drive;
mod engine;
mod extras;
mod follow;
mod grip;
mod ground;
mod hand;
mod initial;
mod join;
mod limits;
mod links;
mod maps;
mod metrics;
mod motion;
mod object;
mod outside;
mod pins;
mod pressure;
mod report;
mod retune;
mod room;
mod skin;
mod soft;
mod start;
mod surface;
mod tension;
mod thin;
mod unsolved;
mod verify;
mod weights;
mod weld;
mod whole;
mod world;

pub use change::Change;
pub use colliders::ColliderObject;
pub use contact_log::{ContactLog, Seen};
pub use engine::seconds;
pub use metrics::{Metrics, StrainSpreads};
pub use object::{Object, ObjectKind};
pub use report::{FrameReport, stage_names};
pub use start::StartReport;
pub use tension::{
    BodyLog, BodyTension, Peak, Record, SLACK, Tension, TensionLog, Way, WayLog, WayTension, amount, limit_words, place,
};
pub use verify::{Crossing, Intersections};

use crate::scene::advice::Timescale;
use crate::scene::settings::{Precision, Shape};
use crate::scene::{Scene, SceneError};
use crate::write::hash::Hash64;
use crate::write::{Checkpoint, CheckpointError, ObjectInfo, Setup};
use build::Bodies;
use clock::Clock;
use drive::Drive;
use engine::Engine;
use report::Tally;
use retune::Retuned;
use start::StartPhase;
use taut::limit::{LimitKind, LimitSpec, StretchBounds};
use taut::{ContactMaterial, Params};
use unsolved::Look;
use verify::ContactWatch;
use world::World;

/// A scene under way.
pub struct Simulation {
    scene: Scene,
    /// What tells it from others: see [`identity`](Self::identity).
    identity: u64,
    warnings: Vec<String>,
    objects: Vec<Object>,
    /// Model and state.
    world: World,
    /// The frame it is at.
    clock: Clock,
    /// What moves by the scene's will.
    drive: Drive,
    /// How surfaces meet, whether they do, and what was seen of it.
    watch: ContactWatch,
    /// What happened so far.
    tally: Tally,
    /// What came before frame 0.
    start: StartPhase,
    /// Rest lengths that change.
    retuned: Retuned,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation")
            .field("scene", &self.scene.name())
            .field("frame", &self.clock.frame)
            .finish_non_exhaustive()
    }
}

impl Simulation {
    /// Builds a scene: reads and makes its meshes, pins its pins. It is then at frame 0, the beginning. The results
    /// do not depend on the number of threads.
    pub fn new(scene: &Scene, precision: Precision, threads: usize) -> Result<Self, SceneError> {
        room::check(scene)?;
        let Bodies { builder, mut objects, starts, mut warnings, pulls, extras, .. } = Bodies::new(scene)?;
        let engine = match precision {
            Precision::F32 => engine::build::<f32>(builder, threads),
            Precision::F64 => engine::build::<f64>(builder, threads),
        };
        let mut engine = engine.map_err(build::builder(scene, "cloth"))?;
        warnings.extend(engine.warnings().iter().map(ToString::to_string));
        warnings.extend(scene.advice(timescale(scene, engine.as_ref())));
        object::add_surfaces(&mut objects, engine.as_ref());
        starts.iter().for_each(|(base, places)| engine.set_positions(*base, places));
        initial::apply(scene, &objects, engine.as_mut());
        let drive = Drive::new(scene, &objects, engine.as_mut(), (pulls, extras), &mut warnings)?;
        let watch = ContactWatch::new(engine.as_ref(), materials(scene), &drive.colliders);
        warnings.extend(unmet(&drive.colliders, &watch.materials));
        warnings.extend(doubts::doubts(scene, precision, &objects, &watch.materials, &drive.colliders));
        warnings.extend(pins::far_points(scene, &drive.pins, &objects));
        warnings.extend(pins::far_from_leaders(scene, &drive.pins, &drive.colliders));
        warnings.extend(pins::inside_leaders(scene, &drive.pins, &drive.colliders));
        let bound = |body: usize| tightest(&LimitSpec::bounds_of_body(engine.limits(), body));
        warnings.extend(pins::pulled_apart(scene, &drive.pins, &objects, &drive.colliders, bound));
        let time = (scene.settings.time.frame_count(), scene.settings.time.fps);
        let turned = pins::fastest_turn(&drive.pins, &drive.colliders, time);
        Ok(Simulation {
            identity: Self::identity_of(scene, precision, engine.as_ref(), &drive.colliders),
            scene: scene.clone(),
            warnings,
            objects,
            world: World::new(engine),
            clock: Clock::new(&scene.settings, turned),
            drive,
            watch,
            tally: Tally::new(),
            start: StartPhase::default(),
            retuned: Retuned::new(scene, threads),
        })
    }

    /// What tells a simulation from others: see [`identity`](Self::identity).
    fn identity_of(scene: &Scene, precision: Precision, engine: &dyn Engine, colliders: &[ColliderObject]) -> u64 {
        let mut hash = Hash64::default();
        hash.word(scene.hash());
        hash.update(precision.name().as_bytes());
        // Mesh files are part of the scene too.
        engine.rest_positions().as_flattened().iter().for_each(|x| hash.word(x.to_bits()));
        colliders.iter().flat_map(ColliderObject::fingerprint).for_each(|x| hash.word(x.to_bits()));
        hash.finish()
    }

    /// Computes the next frame.
    pub fn advance(&mut self) -> FrameReport {
        self.advance_with(|_| ())
    }

    /// Computes the next frame with parameters that differ from the scene's: for comparing solvers from one state.
    pub fn advance_with(&mut self, change: impl Fn(&mut Params)) -> FrameReport {
        self.begin();
        self.retune(self.clock.span()[1]);
        let mut report = FrameReport::begin();
        for step in 0..self.clock.steps {
            self.drive.step(&mut *self.world, &self.clock, step);
            let [from, to] = self.clock.step_span(step);
            let settings = &self.scene.settings;
            let contact = taut::Contact { materials: self.watch.materials.clone(), every: settings.contact.every };
            let mut params = Params { contact, ..self.drive.params(settings, [from, to]) };
            change(&mut params);
            let done = self.world.step(&params, self.clock.step_seconds());
            let found = self.watch.on.then(|| self.watch.check(&*self.world, &self.drive.colliders, to));
            report.add(&done, found);
        }
        self.clock.frame += 1;
        self.tally.add(&report);
        self.watch.log.add(report.contact, report.intersections, self.time());
        let tension = self.tension();
        self.tally.tension.add(&tension, self.clock.frame, self.time());
        if self.clock.frame.is_multiple_of(unsolved::EVERY) {
            let look = self.look(report.residual);
            self.tally.unsolved.watch(self.clock.frame, look);
        }
        FrameReport { frame: self.clock.frame, time: self.time(), ..report }
    }

    /// The strain limiters, in the order they act, then the bounds that hold by default. Bodies are those of
    /// [`objects`](Self::objects), by number.
    pub fn limits(&self) -> &[LimitSpec] {
        self.world.limits()
    }

    /// Replaces the strain limiters and bounds from the next frame on. The scene's text stays as it was.
    pub fn set_limits(&mut self, limits: &[LimitSpec]) -> Result<(), taut::BuildError> {
        self.world.set_limits(limits)
    }

    /// What of the scene the engine could not step with, in words.
    pub fn refused(&self) -> Vec<String> {
        let problem = self.tally.problem.map(|problem| format!("steps were left out: {problem}"));
        let left = self.tally.left_out;
        let many = left.colliders + left.meshes;
        let colliders = (many > 0)
            .then(|| format!("{many} colliders have numbers that cannot be computed with, and were left out"));
        problem.into_iter().chain(colliders).collect()
    }

    /// How far cloth is stretched now, on the positions as they are.
    pub fn tension(&self) -> Tension {
        let positions = |object: &Object| self.world.positions(object.vertices.clone());
        Tension::of(&self.objects, self.world.bodies(), self.limits(), self.world.stretches(), positions)
    }

    /// How far cloth was stretched in all frames so far, from frame 1 on.
    pub fn tension_log(&self) -> &TensionLog {
        &self.tally.tension
    }

    /// What kept cloth from stretching, in all frames computed since it was made.
    pub fn inextensibility(&self) -> taut::InextensibilityReport {
        self.tally.inextensibility
    }

    /// How far from done the solver was, by what it left.
    fn look(&self, residual: f64) -> Look {
        let params = self.scene.settings.step_params();
        // What something else carries presses on no row.
        if self.tally.inextensibility.limited > 0 || !self.limits().is_empty() {
            return Look::GOOD;
        }
        let size = self.objects.iter().map(|object| unsolved::diagonal(&object.info.rest)).fold(0.0, f64::max);
        // As many as were asked for, or as were chosen last.
        let substeps = if params.substeps > 0 { params.substeps } else { self.tally.substeps.max(1) };
        Look::new(&self.world, &params, residual, size, self.clock.step_seconds() / f64::from(substeps))
    }

    /// The scene it was built from.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The frame it is at; 0 is the beginning.
    pub fn frame(&self) -> u32 {
        self.clock.frame
    }

    /// The time it is at, s.
    pub fn time(&self) -> f64 {
        self.clock.now()
    }

    /// How many steps a frame is computed in: what the scene asks for, or more where pins give, or turn fast.
    pub fn steps(&self) -> u32 {
        self.clock.steps
    }

    /// How many frames the scene asks for, after frame 0.
    pub fn frames(&self) -> u32 {
        self.scene.settings.time.frame_count()
    }

    /// The cloth and solids, in the scene's order, cloth first.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// Positions of an object's vertices, m.
    pub fn positions(&self, object: usize) -> Vec<[f64; 3]> {
        self.world.positions(self.objects[object].vertices.clone())
    }

    /// Velocities of an object's vertices, m/s.
    pub fn velocities(&self, object: usize) -> Vec<[f64; 3]> {
        self.world.velocities(self.objects[object].vertices.clone())
    }

    /// For every object the values of each of its fields, in the order of its [`Object::info`]: strains of triangles
    /// (weft, warp, shear, area) or of tetrahedra (the largest stretch, volume). Elements that the engine left out
    /// have zeros.
    pub fn fields(&self) -> Vec<Vec<Vec<f64>>> {
        self.world.fields(&self.objects)
    }

    /// What intersects now: bodies themselves, each other, and colliders. Triangles are checked by exact arithmetic.
    /// With contact, what the scene says need not meet does not count.
    pub fn intersections(&mut self) -> Intersections {
        let found = self.watch.check(&*self.world, &self.drive.colliders, self.clock.now());
        self.watch.last = Some((self.clock.frame, found));
        found
    }

    /// What is said of intersections in the frame it is at, if they were looked for and there are any. Where surfaces
    /// are not to
    /// meet, only a beginning like that is odd.
    fn crossed(&self) -> Option<String> {
        let (frame, found) = self.watch.last.filter(|(frame, _)| *frame == self.clock.frame)?;
        let first = found.first.filter(|_| frame == 0 || self.scene.settings.contact.on)?;
        let [a, b] = first.between.map(|number| self.name_of(number));
        let (count, [x, y, z]) = (found.count, first.at);
        let when = if frame == 0 { "at the beginning".to_owned() } else { format!("in frame {frame}") };
        let bodies = self.objects.len();
        let body = first.between.map(|number| (number as usize).checked_sub(bodies)).into_iter().flatten().next();
        let inside = body.is_some_and(|number| !self.colliders()[number].simple());
        let help = if frame == 0 && inside && self.scene.settings.start.duration == 0.0 {
            "; `[start] duration = 2` brings cloth out of a body before the first frame"
        } else if frame == 0 && body.is_none() && a != b && self.scene.settings.start.duration == 0.0 {
            "; `[start] duration = 2` and a `layer` for each bring one over the other before the first frame"
        } else {
            ""
        };
        Some(format!("{count} intersections {when}, first of {a:?} with {b:?} at ({x:.3}, {y:.3}, {z:.3}){help}"))
    }

    /// Counts what intersects after every step from now on; tells whether anything does now.
    pub fn verify(&mut self) -> Intersections {
        self.watch.on = true;
        let found = self.intersections();
        self.watch.log.began_free.get_or_insert(found.count == 0);
        found
    }

    /// What contact between surfaces did so far.
    pub fn contact(&self) -> &ContactLog {
        &self.watch.log
    }

    /// The name of a body or, counted on from the last body, of a collider: see [`Crossing::between`].
    pub fn name_of(&self, number: u32) -> &str {
        let bodies = self.objects.iter().map(|object| &object.info.name);
        let mut names = bodies.chain(self.colliders().iter().map(|collider| &collider.name));
        names.nth(number as usize).map_or("", String::as_str)
    }

    /// Who left cloth no room, in words.
    pub fn blockers(&self, blockers: &taut::Blockers) -> String {
        // The engine has simple shapes first, then meshes.
        let (simple, meshes): (Vec<_>, Vec<_>) = self.colliders().iter().partition(|collider| collider.simple());
        let name = |number: u32| simple.iter().chain(&meshes).nth(number as usize).map(|c| format!("{:?}", c.name));
        let colliders = blockers.colliders.into_iter().flatten().filter_map(name);
        let pin = blockers.pin.map(|vertex| {
            let (body, number) = self.vertex_of(vertex);
            format!("the pin of vertex {number} of {body:?}")
        });
        let all: Vec<String> = colliders.chain(pin).collect();
        if all.is_empty() { "colliders or pins".into() } else { all.join(" and ") }
    }

    /// The name of the body that a vertex of the engine's belongs to, and its number there.
    pub fn vertex_of(&self, vertex: u32) -> (&str, u32) {
        let of = self.objects.iter().find(|object| object.vertices.contains(&vertex));
        of.map_or(("", vertex), |object| (&object.info.name, vertex - object.vertices.start))
    }

    /// What the frame is in numbers.
    pub fn metrics(&self) -> Metrics {
        Metrics {
            frame: self.clock.frame,
            time: self.time(),
            strain: StrainSpreads::of(self.world.strains()),
            tension: self.tension(),
            totals: self.world.totals(self.scene.settings.world.gravity),
            inverted: self.world.strains().inverted(),
            contained: self.tally.contained,
            contacts: self.tally.contacts,
            contact: self.watch.log.frame,
            intersections: self.watch.log.intersections,
            limit: self.limits().iter().any(in_substeps).then_some(self.tally.limit),
            state_hash: self.state_hash(),
        }
    }

    /// A fingerprint of all positions and velocities.
    pub fn state_hash(&self) -> u64 {
        self.world.hash()
    }

    /// The colliders.
    pub fn colliders(&self) -> &[ColliderObject] {
        &self.drive.colliders
    }

    /// Positions of the vertices of a collider's mesh now, m.
    pub fn collider_positions(&self, collider: usize) -> Vec<[f64; 3]> {
        self.colliders()[collider].positions(self.time())
    }

    /// Where pictures mark held vertices, m. A body that is held all over needs no marks: they would hide it.
    pub fn marked_positions(&self) -> Vec<[f64; 3]> {
        let held = self.drive.pinned();
        let marked = self.objects.iter().map(|object| (object.pinned(&held), object.vertices.len()));
        let marked = marked.filter(|(mine, all)| mine.len() < *all);
        marked.flat_map(|(mine, _)| self.world.places(mine)).collect()
    }

    /// Whether all vertices of an object are held now: it is there to be seen, and nothing happens to it.
    pub fn pinned_all_over(&self, object: usize) -> bool {
        let object = &self.objects[object];
        object.pinned(&self.drive.pinned()).len() == object.vertices.len()
    }

    /// Where the vertices are that are held now, m.
    pub fn pinned_positions(&self) -> Vec<[f64; 3]> {
        self.world.places(&self.drive.pinned())
    }

    /// What was odd about the meshes and how it was helped, what the scene asks for that has no effect or will not
    /// hold, and whether a solver has stayed far from done; what intersects, if that was [looked
    /// for](Self::intersections). A sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let start = self.start.warning().into_iter();
        let start = start.chain(self.retuned.warning());
        let said =
            self.warnings.iter().cloned().chain(start).chain(self.tally.unsolved.warning()).chain(self.crossed());
        said.map(|warning| crate::scene::harmless(&warning)).collect()
    }

    /// Seconds of work so far in each stage of the step, in the order of [`stage_names`].
    pub fn stage_seconds(&self) -> &[f64] {
        &self.tally.stage_seconds
    }

    /// What writers want to know before the first frame: frame 0 and all that follow.
    pub fn setup(&self) -> Setup {
        let collider = |c: &ColliderObject| ObjectInfo::from_triangles(&c.name, &c.mesh).with_velocities();
        let bodies = self.objects.iter().map(|object| object.info.clone());
        Setup {
            objects: bodies.chain(self.written_colliders().map(collider)).collect(),
            fps: self.scene.settings.time.fps,
            planned_frames: self.frames() as usize + 1,
            ..self.scene.settings.output.setup()
        }
    }

    /// The colliders that are written behind the bodies, if the scene wants them.
    fn written_colliders(&self) -> impl Iterator<Item = &ColliderObject> {
        let wanted = self.scene.settings.output.colliders;
        self.colliders().iter().filter(move |collider| wanted && collider.visible && !collider.plane)
    }

    /// Where the vertices of those colliders are in the frame it is at (m), and how fast (m/s).
    pub fn collider_frames(&self) -> Vec<[Vec<[f64; 3]>; 2]> {
        let (now, soon) = (self.time(), 0.01 / self.scene.settings.time.fps);
        let of = |collider: &ColliderObject| {
            let (before, after) = (collider.positions(now - soon), collider.positions(now + soon));
            let speed = |(a, b): (&[f64; 3], &[f64; 3])| std::array::from_fn(|k| (b[k] - a[k]) / (2.0 * soon));
            [collider.positions(now), before.iter().zip(&after).map(speed).collect()]
        };
        self.written_colliders().map(of).collect()
    }

    /// What tells this simulation from others: scene, changes, meshes and precision. Checkpoints carry it.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// The state, to go on from later. The checkpoint's frame is the next one to compute.
    pub fn save(&self) -> Checkpoint {
        let mut checkpoint = Checkpoint::new(self.identity, u64::from(self.clock.frame) + 1, self.time());
        self.world.save(&mut checkpoint);
        self.tally.save(&mut checkpoint);
        checkpoint.put("contact", self.watch.log.numbers());
        let late = pins::late_places(&self.drive.pins);
        if !late.is_empty() {
            checkpoint.put("late_pins", late);
        }
        let folds = self.drive.extras.numbers();
        if !folds.is_empty() {
            checkpoint.put("folds", folds);
        }
        checkpoint
    }

    /// Takes up a state that [`save`](Self::save) gave. Whatever follows has the same bits as if nothing had come
    /// between.
    pub fn restore(&mut self, mut checkpoint: Checkpoint) -> Result<(), CheckpointError> {
        let frame = checkpoint.frame.checked_sub(1).and_then(|frame| u32::try_from(frame).ok());
        let frame = frame.ok_or_else(|| checkpoint.unusable(format!("it is at frame {}", checkpoint.frame)))?;
        if checkpoint.scene != self.identity {
            return Err(checkpoint.unusable("it is of another scene, mesh or precision".into()));
        }
        let tally = self.tally.restored(&mut checkpoint, &self.tension())?;
        let log = ContactLog::from_numbers(&checkpoint.take::<u64>("contact")?);
        let log = log.ok_or_else(|| checkpoint.unusable("what it says about contact is cut off".into()))?;
        let mut numbers = |of: &str| {
            let there = checkpoint.names().any(|name| name == of);
            if there { checkpoint.take::<f64>(of) } else { Ok(Vec::new()) }
        };
        let (late, folds) = (numbers("late_pins")?, numbers("folds")?);
        self.clock.frame = frame;
        self.retune(self.clock.now());
        self.world.restore(&mut checkpoint)?;
        if !self.drive.rewind(&self.clock, &late) || !self.drive.extras.take(&folds) {
            return Err(checkpoint.unusable("what it says about pins is not of this scene".into()));
        }
        (self.tally, self.watch.log) = (tally, log);
        self.start.done = true;
        Ok(())
    }
}

/// The least that cloth may be stretched in some direction; ∞ without a limit.
fn tightest(bounds: &StretchBounds) -> f64 {
    [bounds.weft, bounds.warp, bounds.any, bounds.edge].into_iter().fold(f64::INFINITY, f64::min)
}

/// Whether a limiter acts in every substep: bounds at the end of a step have nothing to say about sweeps.
fn in_substeps(spec: &LimitSpec) -> bool {
    !matches!(spec.kind, LimitKind::Stretch(_))
}

/// How the bodies' surfaces meet others, cloth first; none if they are not to.
fn materials(scene: &Scene) -> Vec<ContactMaterial> {
    let settings = &scene.settings;
    let contact = &settings.contact;
    let cloth = settings.cloth.iter().map(|cloth| contact.cloth(cloth));
    let all = cloth.chain(settings.solid.iter().map(|solid| contact.solid(solid)));
    if contact.on { all.collect() } else { Vec::new() }
}

/// Colliders that nothing meets.
fn unmet(colliders: &[ColliderObject], materials: &[ContactMaterial]) -> Vec<String> {
    if materials.iter().any(|material| material.thickness > 0.0) {
        return Vec::new();
    }
    let meshes = colliders.iter().filter(|collider| matches!(collider.shape(), Shape::Mesh(_)));
    let say = |c: &ColliderObject| {
        format!("nothing meets the mesh of collider {:?}: contact between surfaces is off", c.name)
    };
    meshes.map(say).collect()
}

/// How fast the model swings, and how short its substeps are.
fn timescale(scene: &Scene, engine: &dyn Engine) -> Timescale {
    let (time, params) = (&scene.settings.time, scene.settings.step_params());
    let substep = 1.0 / (time.fps * f64::from(time.steps) * f64::from(params.substeps.max(1)));
    // The others hold whatever the steps.
    let matters = matches!(params.integrator, taut::Integrator::AlphaBeta { .. } | taut::Integrator::Newmark { .. });
    Timescale { substep, fastest: if matters { engine.fastest_mode() } else { 0.0 } }
}
