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
//! assert!(simulation.metrics().weft.max < 0.1);
//! # Ok::<(), taut_scene::scene::SceneError>(())
//! ```

mod build;
mod change;
mod colliders;
mod engine;
mod grip;
mod hand;
mod initial;
mod limits;
mod metrics;
mod motion;
mod pins;
mod surface;
mod touch;
mod unsolved;
mod verify;
mod weights;

pub use change::Change;
pub use colliders::ColliderObject;
pub use engine::seconds;
pub use metrics::Metrics;
pub use touch::{ContactLog, Seen};
pub use verify::{Crossing, Intersections};

use crate::scene::advice::Pace;
use crate::scene::settings::{Colour, Precision, Shape};
use crate::scene::{Scene, SceneError};
use crate::write::hash::Hash64;
use crate::write::{Checkpoint, CheckpointError, ObjectInfo, Setup};
use build::Bodies;
use engine::Engine;
use std::collections::HashMap;
use std::ops::Range;
use taut::limit::{LimitReport, LimitSpec};
use taut::mesh::Group;
use taut::{ContactMaterial, ContactReport, Params, Stage};
use unsolved::{Look, Unsolved};
use verify::Verifier;

/// What an object is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// Triangles.
    Cloth,
    /// Tetrahedra.
    Solid,
}

/// A cloth or solid: all of it that does not change.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is made of.
    pub kind: ObjectKind,
    /// Its name, mesh at rest, and the fields that [`Simulation::fields`] gives, as writers want it.
    pub info: ObjectInfo,
    /// Its vertex groups.
    pub groups: Vec<Group>,
    /// Its colour in pictures.
    pub colour: Colour,
    /// The triangles of its surface, by its own vertex numbers.
    pub surface: Vec<[u32; 3]>,
    /// For solids the tetrahedron behind each triangle of the surface, so that its fields can be shown; else empty.
    pub surface_tets: Vec<u32>,
    vertices: Range<u32>,
}

/// What happened in a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// The frame that was computed.
    pub frame: u32,
    /// Its time, s.
    pub time: f64,
    /// Steps it took.
    pub steps: u32,
    /// Seconds of work in each stage of the step, in the order of [`stage_names`].
    pub stage_seconds: Vec<f64>,
    /// How often a vertex was no longer finite and was put back.
    pub contained: u64,
    /// Vertices that touch a collider at its end.
    pub contacts: u64,
    /// What contact between surfaces did, see [`ContactLog::frame`].
    pub touch: ContactReport,
    /// The most that intersected at the end of a step, if it was [checked](Simulation::verify).
    pub intersections: Option<Intersections>,
    /// Threads that worked.
    pub threads: usize,
    /// Iterations of the solver, in all steps.
    pub iterations: u64,
    /// What the last solve left unsolved of the rows with a physical stiffness: see [`taut::StepReport::residual`].
    pub residual: f64,
    /// What the strain limiters did, in all steps together.
    pub limit: LimitReport,
    /// What kept cloth from stretching: as of the last step, rounds and passes of all, and the largest stretch at any step's end.
    pub hold: taut::HoldReport,
}

/// The names of a step's stages.
pub fn stage_names() -> Vec<&'static str> {
    Stage::ALL.iter().map(|stage| stage.name()).collect()
}

/// A scene under way.
pub struct Simulation {
    engine: Box<dyn Engine>,
    scene: Scene,
    objects: Vec<Object>,
    colliders: Vec<ColliderObject>,
    pins: Vec<pins::HeldVertices>,
    hand: Option<hand::Hand>,
    warnings: Vec<String>,
    frame: u32,
    skins: Vec<ContactMaterial>,
    verifier: Verifier,
    verify: bool,
    held: taut::HoldReport,
    /// The most in a step of the last frame, if they are chosen.
    substeps: u32,
    log: ContactLog,
    contained: u64,
    contacts: u64,
    limit: LimitReport,
    stage_seconds: Vec<f64>,
    unsolved: Unsolved,
    identity: u64,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation")
            .field("scene", &self.scene.name())
            .field("frame", &self.frame)
            .finish_non_exhaustive()
    }
}

impl Simulation {
    /// Builds a scene: reads and makes its meshes, pins its pins. It is then at frame 0, the beginning. The results
    /// do not depend on the number of threads.
    pub fn new(scene: &Scene, precision: Precision, threads: usize) -> Result<Self, SceneError> {
        let Bodies { builder, mut objects, starts, mut warnings } = Bodies::new(scene)?;
        let engine = match precision {
            Precision::F32 => engine::build::<f32>(builder, threads),
            Precision::F64 => engine::build::<f64>(builder, threads),
        };
        let mut engine = engine.map_err(build::builder(scene, "cloth"))?;
        warnings.extend(engine.warnings().iter().map(ToString::to_string));
        warnings.extend(scene.advice(pace(scene, engine.as_ref())));
        add_surfaces(&mut objects, engine.as_ref());
        for (base, places) in starts {
            (base..).zip(places).for_each(|(vertex, place)| engine.set_position(vertex, place));
        }
        initial::apply(scene, &objects, engine.as_mut());
        let mut collider = |at| ColliderObject::new(scene, at, &mut warnings);
        let colliders = (0..scene.settings.collider.len()).map(&mut collider).collect::<Result<Vec<_>, _>>()?;
        let pins = pins::pin_all(scene, &objects, &colliders, engine.as_mut())?;
        let skins = skins(scene);
        warnings.extend(unmet(&colliders, &skins));
        let verifier = Verifier::new(engine.bodies(), &skins, &colliders, engine.rest_positions().len() as u32);
        let identity = Self::identity_of(scene, precision, engine.as_ref(), &colliders);
        Ok(Simulation {
            engine,
            objects,
            colliders,
            pins,
            hand: None,
            warnings,
            frame: 0,
            skins,
            verifier,
            verify: false,
            held: taut::HoldReport::default(),
            substeps: 1,
            log: ContactLog::default(),
            contained: 0,
            contacts: 0,
            limit: LimitReport::none(),
            stage_seconds: vec![0.0; Stage::ALL.len()],
            unsolved: Unsolved::default(),
            identity,
            scene: scene.clone(),
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
        let steps = self.scene.settings.time.steps;
        let dt = self.step_seconds();
        let stage_seconds = vec![0.0; Stage::ALL.len()];
        let mut report = FrameReport { steps, stage_seconds, limit: LimitReport::none(), ..FrameReport::default() };
        for step in 0..steps {
            // The last step ends where the next frame begins, to the bit: nothing may jump in between.
            let at = |step: u32| match step == steps {
                true => self.time_of(self.frame + 1),
                false => self.time_of(self.frame) + f64::from(step) * dt,
            };
            let (from, to) = (at(step), at(step + 1));
            let hand = self.hand_vertex();
            pins::drive(&mut self.pins, &self.colliders, self.engine.as_mut(), hand, [from, to]);
            self.drive_hand(to);
            let mut params = self.params(from, to);
            change(&mut params);
            let done = self.engine.step(&params, dt);
            for (sum, seconds) in report.stage_seconds.iter_mut().zip(done.seconds) {
                *sum += seconds;
            }
            report.contained += done.contained;
            report.contacts = done.contacts;
            touch::add_step(&mut report.touch, &done.contact, step);
            if self.verify {
                let found = self.intersections_at(to);
                let most = report.intersections.filter(|most| most.count >= found.count);
                report.intersections = Some(most.unwrap_or(found));
            }
            report.threads = report.threads.max(done.threads);
            report.iterations += done.iterations;
            report.residual = done.residual;
            report.limit = report.limit.join(&done.limit);
            report.hold = report.hold.then(done.hold);
        }
        self.held = self.held.then(report.hold);
        self.substeps = report.hold.substeps;
        self.frame += 1;
        self.contained += report.contained;
        self.contacts = report.contacts;
        self.log.add(report.touch, report.intersections, self.time());
        // Whatever the number of threads, metrics are the same.
        self.limit = LimitReport { threads: 0, ..report.limit };
        if self.frame.is_multiple_of(unsolved::EVERY) {
            let look = self.look(report.residual);
            self.unsolved.watch(self.frame, look);
        }
        for (sum, seconds) in self.stage_seconds.iter_mut().zip(&report.stage_seconds) {
            *sum += seconds;
        }
        FrameReport { frame: self.frame, time: self.time(), ..report }
    }

    /// The strain limiters, in the order they act. Bodies are those of [`objects`](Self::objects), by number.
    pub fn limits(&self) -> &[LimitSpec] {
        self.engine.limits()
    }

    /// Replaces the strain limiters from the next frame on. The scene's text stays as it was.
    pub fn set_limits(&mut self, limits: &[LimitSpec]) -> Result<(), taut::BuildError> {
        self.engine.set_limits(limits)
    }

    /// What each of them did in the last step.
    pub fn limit_reports(&mut self) -> &[LimitReport] {
        self.engine.limit_reports()
    }

    /// What kept cloth from stretching, in all frames computed since it was made.
    pub fn held(&self) -> taut::HoldReport {
        self.held
    }

    /// How far from done the solver was, by what it left.
    fn look(&self, residual: f64) -> Look {
        let params = self.scene.settings.solver.params();
        // What something else carries presses on no row.
        if self.held.limited > 0 || !self.scene.settings.limit.is_empty() {
            return Look::GOOD;
        }
        let size = self.objects.iter().map(|object| unsolved::diagonal(&object.info.rest)).fold(0.0, f64::max);
        // As many as were asked for, or as were chosen last.
        let substeps = if params.substeps > 0 { params.substeps } else { self.substeps.max(1) };
        let h = self.step_seconds() / f64::from(substeps);
        Look::new(self.engine.as_ref(), &params, residual, size, h)
    }

    /// How to step from one time to another, s.
    fn params(&mut self, from: f64, to: f64) -> Params {
        let meshes = self.colliders.iter_mut().filter_map(|collider| collider.mesh_during(from, to)).collect();
        let settings = &self.scene.settings;
        let air = &settings.air;
        Params {
            gravity: settings.world.gravity,
            air: taut::Air {
                wind: air.wind.at(0.5 * (from + to)),
                density: air.density,
                across: air.drag.across,
                along: air.drag.along,
            },
            colliders: self.colliders.iter().filter_map(|collider| collider.during(from, to)).collect(),
            meshes,
            contact: taut::Contact { materials: self.skins.clone(), every: settings.contact.every },
            ..settings.solver.params()
        }
    }

    fn step_seconds(&self) -> f64 {
        let time = &self.scene.settings.time;
        1.0 / (time.fps * f64::from(time.steps))
    }

    fn time_of(&self, frame: u32) -> f64 {
        f64::from(frame) / self.scene.settings.time.fps
    }

    /// The scene it was built from.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The frame it is at; 0 is the beginning.
    pub fn frame(&self) -> u32 {
        self.frame
    }

    /// The time it is at, s.
    pub fn time(&self) -> f64 {
        self.time_of(self.frame)
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
        self.engine.positions(self.objects[object].vertices.clone())
    }

    /// Velocities of an object's vertices, m/s.
    pub fn velocities(&self, object: usize) -> Vec<[f64; 3]> {
        self.engine.velocities(self.objects[object].vertices.clone())
    }

    /// For every object the values of each of its fields, in the order of its [`Object::info`]: strains of triangles
    /// (weft, warp, shear, area) or of tetrahedra (the largest stretch, volume). Elements that the engine left out
    /// have zeros.
    pub fn fields(&self) -> Vec<Vec<Vec<f64>>> {
        let strains = self.engine.strains();
        let of = |(object, body): (&Object, &taut::Body)| {
            let mut out =
                vec![vec![0.0; object.info.triangles.len() + object.info.tets.len()]; object.info.fields.len()];
            for (element, &to) in body.strains.clone().zip(&body.strained) {
                let (element, to) = (element as usize, to as usize);
                match object.kind {
                    ObjectKind::Cloth => {
                        let values = strains.triangles[element];
                        out.iter_mut().zip(values).for_each(|(field, value)| field[to] = value);
                    }
                    ObjectKind::Solid => {
                        let values = &strains.tetrahedra[element];
                        out[0][to] = metrics::largest_stretch(values);
                        out[1][to] = values[6];
                    }
                }
            }
            out
        };
        self.objects.iter().zip(self.engine.bodies()).map(of).collect()
    }

    /// What intersects now: bodies themselves, each other, and colliders. Triangles are checked by exact arithmetic.
    /// With contact, what the scene says need not meet does not count.
    pub fn intersections(&mut self) -> Intersections {
        self.intersections_at(self.time())
    }

    /// What intersects at a time, s.
    fn intersections_at(&mut self, time: f64) -> Intersections {
        let vertices = self.engine.rest_positions().len() as u32;
        self.verifier.check(self.engine.positions(0..vertices), &self.colliders, time)
    }

    /// Counts what intersects after every step from now on; tells whether anything does now.
    pub fn verify(&mut self) -> Intersections {
        self.verify = true;
        let found = self.intersections();
        self.log.began_free.get_or_insert(found.count == 0);
        found
    }

    /// What contact between surfaces did so far.
    pub fn contact(&self) -> &ContactLog {
        &self.log
    }

    /// The name of a body or, counted on from the last body, of a collider: see [`Crossing::between`].
    pub fn name_of(&self, number: u32) -> &str {
        let number = number as usize;
        let collider = number.checked_sub(self.objects.len()).and_then(|at| self.colliders.get(at));
        let object = self.objects.get(number).map(|object| object.info.name.as_str());
        object.or(collider.map(|collider| collider.name.as_str())).unwrap_or_default()
    }

    /// What the frame is in numbers.
    pub fn metrics(&self) -> Metrics {
        let totals = self.engine.totals(self.scene.settings.world.gravity);
        Metrics {
            frame: self.frame,
            time: self.time(),
            contained: self.contained,
            contacts: self.contacts,
            touch: self.log.frame,
            intersections: self.log.intersections,
            limit: (!self.limits().is_empty()).then_some(self.limit),
            state_hash: self.state_hash(),
            ..Metrics::new(&self.engine.strains(), &totals)
        }
    }

    /// A fingerprint of all positions and velocities.
    pub fn state_hash(&self) -> u64 {
        self.engine.hash()
    }

    /// The colliders.
    pub fn colliders(&self) -> &[ColliderObject] {
        &self.colliders
    }

    /// Positions of the vertices of a collider's mesh now, m.
    pub fn collider_positions(&self, collider: usize) -> Vec<[f64; 3]> {
        self.colliders[collider].positions(self.time())
    }

    /// Where pictures mark held vertices, m. A body that is held all over needs no marks: they would hide it.
    pub fn marked_positions(&self) -> Vec<[f64; 3]> {
        let held = pins::held(&self.pins);
        let marked = self.objects.iter().map(|object| held_of(&held, object)).zip(&self.objects);
        let marked = marked.filter(|(mine, object)| mine.len() < object.vertices.len());
        marked.flat_map(|(mine, _)| mine).map(|&vertex| self.engine.position(vertex)).collect()
    }

    /// Whether all vertices of an object are held now: it is there to be seen, and nothing happens to it.
    pub fn held_all_over(&self, object: usize) -> bool {
        let object = &self.objects[object];
        held_of(&pins::held(&self.pins), object).len() == object.vertices.len()
    }

    /// Where the vertices are that are held now, m.
    pub fn held_positions(&self) -> Vec<[f64; 3]> {
        pins::held(&self.pins).into_iter().map(|vertex| self.engine.position(vertex)).collect()
    }

    /// What was odd about the meshes and how it was helped, what the scene asks for that has no effect or will not hold, and
    /// whether a solver has stayed far from done; a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.iter().cloned().chain(self.unsolved.warning()).collect()
    }

    /// Seconds of work so far in each stage of the step, in the order of [`stage_names`].
    pub fn stage_seconds(&self) -> &[f64] {
        &self.stage_seconds
    }

    /// What writers want to know before the first frame: frame 0 and all that follow.
    pub fn setup(&self) -> Setup {
        Setup {
            objects: self.objects.iter().map(|object| object.info.clone()).collect(),
            fps: self.scene.settings.time.fps,
            planned_frames: self.frames() as usize + 1,
            ..Setup::default()
        }
    }

    /// What tells this simulation from others: scene, changes, meshes and precision. Checkpoints carry it.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// The state, to go on from later. The checkpoint's frame is the next one to compute.
    pub fn save(&self) -> Checkpoint {
        let mut checkpoint = Checkpoint::new(self.identity, u64::from(self.frame) + 1, self.time());
        self.engine.save(&mut checkpoint);
        let counters = [self.contained, self.contacts].into_iter().chain(self.unsolved.to_numbers());
        checkpoint.put("counters", counters.collect::<Vec<u64>>());
        checkpoint.put("contact", self.log.numbers());
        checkpoint.put("limit", limits::numbers(&self.limit));
        checkpoint.put("stage_seconds", self.stage_seconds.clone());
        let late = pins::late_places(&self.pins);
        if !late.is_empty() {
            checkpoint.put("late_pins", late);
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
        let counters = checkpoint.take::<u64>("counters")?;
        let stage_seconds = checkpoint.take::<f64>("stage_seconds")?;
        let log = ContactLog::from_numbers(&checkpoint.take::<u64>("contact")?);
        let log = log.ok_or_else(|| checkpoint.unusable("what it says about contact is cut off".into()))?;
        let limit = limits::from_numbers(&checkpoint.take::<u64>("limit")?);
        let limit = limit.ok_or_else(|| checkpoint.unusable("what it says about limits is cut off".into()))?;
        let any_late = checkpoint.names().any(|name| name == "late_pins");
        let late = if any_late { checkpoint.take::<f64>("late_pins")? } else { Vec::new() };
        self.engine.restore(&mut checkpoint)?;
        self.hand = None;
        self.frame = frame;
        self.limit = limit;
        let last_step = self.time() - self.step_seconds();
        pins::rewind(&mut self.pins, last_step);
        if !pins::set_late_places(&mut self.pins, &self.colliders, &late) {
            return Err(checkpoint.unusable("what it says about pins is not of this scene".into()));
        }
        self.log = log;
        self.contained = counters.first().copied().unwrap_or(0);
        self.contacts = counters.get(1).copied().unwrap_or(0);
        self.unsolved = Unsolved::from_numbers(counters.get(2..).unwrap_or_default());
        self.stage_seconds = stage_seconds;
        self.stage_seconds.resize(Stage::ALL.len(), 0.0);
        Ok(())
    }
}

/// How the bodies' surfaces meet others, cloth first; none if they are not to.
fn skins(scene: &Scene) -> Vec<ContactMaterial> {
    let settings = &scene.settings;
    let contact = &settings.contact;
    let cloth = settings.cloth.iter().map(|cloth| contact.cloth(cloth));
    let all = cloth.chain(settings.solid.iter().map(|solid| contact.solid(solid)));
    if contact.on { all.collect() } else { Vec::new() }
}

/// Colliders that nothing meets.
fn unmet(colliders: &[ColliderObject], skins: &[ContactMaterial]) -> Vec<String> {
    if skins.iter().any(|skin| skin.thickness > 0.0) {
        return Vec::new();
    }
    let meshes = colliders.iter().filter(|collider| matches!(collider.shape(), Shape::Mesh(_)));
    let say = |c: &ColliderObject| {
        format!("nothing meets the mesh of collider {:?}: contact between surfaces is off", c.name)
    };
    meshes.map(say).collect()
}

/// How fast the model swings, and how short its substeps are.
fn pace(scene: &Scene, engine: &dyn Engine) -> Pace {
    let (time, params) = (&scene.settings.time, scene.settings.solver.params());
    let substep = 1.0 / (time.fps * f64::from(time.steps) * f64::from(params.substeps.max(1)));
    // The others hold whatever the steps.
    let matters = matches!(params.integrator, taut::Integrator::AlphaBeta { .. } | taut::Integrator::Newmark { .. });
    Pace { substep, fastest: if matters { engine.fastest_mode() } else { 0.0 } }
}

/// Those of all held vertices, ascending, that belong to an object.
fn held_of<'a>(held: &'a [u32], object: &Object) -> &'a [u32] {
    let at = |vertex: u32| held.partition_point(|&h| h < vertex);
    &held[at(object.vertices.start)..at(object.vertices.end)]
}

/// Fills in the surfaces, which the engine has found.
fn add_surfaces(objects: &mut [Object], engine: &dyn Engine) {
    for (object, body) in objects.iter_mut().zip(engine.bodies()) {
        let base = object.vertices.start;
        object.surface = body.triangles.iter().map(|t| t.map(|v| v - base)).collect();
        if object.kind == ObjectKind::Cloth {
            continue;
        }
        let mut behind: HashMap<[u32; 3], u32> = HashMap::new();
        for (number, tet) in body.tets.iter().enumerate() {
            for skip in 0..4 {
                let mut face: Vec<u32> = (0..4).filter(|&k| k != skip).map(|k| tet[k] - base).collect();
                face.sort_unstable();
                behind.insert([face[0], face[1], face[2]], number as u32);
            }
        }
        let tet = |t: &[u32; 3]| {
            let mut key = *t;
            key.sort_unstable();
            behind.get(&key).copied().unwrap_or(0)
        };
        object.surface_tets = object.surface.iter().map(tet).collect();
    }
}
