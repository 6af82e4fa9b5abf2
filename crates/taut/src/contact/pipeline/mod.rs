//! The contact pipeline: what a step does about surfaces that meet.
//!
//! | call | what happens |
//! | --- | --- |
//! | [`open`](ContactPipeline::open) | surfaces and colliders of the step are taken over; what intersects is found |
//! | [`begin_substep`](ContactPipeline::begin_substep) | where an interval begins: candidates, and contact rows of those that are near; rows follow their colliders |
//! | [`sweep`](ContactPipeline::sweep) | pushes what is too near apart; as often as the solver likes |
//! | [`end_interval`](ContactPipeline::end_interval) | the safety pass; again if vertices are moved again, until [`settle`](ContactPipeline::settle) |
//! | [`close`](ContactPipeline::close) | the report |
//!
//! An interval is a number of substeps for which one search serves.

mod motion;
mod rows;
mod search;
mod surfaces;
#[cfg(test)]
mod tests;
mod touching;

pub(crate) use surfaces::ModelSurfaces;
pub use touching::{Touch, Toucher};
pub(crate) use touching::{TouchInput, touching};

use super::bvh::Aabb;
use super::candidates::{NearPair, PairKind};
use super::kinematic::ColliderForm;
use super::safety::{self, KnownProofs, Motion, Role, Rounding, SafetyReport, SafetySettings};
use super::settings::Party;
use super::untangle::{self, Tangle};
use super::{Blockers, Collider, Contact, ContactReport, FrictionBudget, Meeting, MeshCollider};
use crate::lanes::{Scalar, V3, Vertex, xyz};
use motion::{Interval, IntervalMotion};
use rows::ContactRows;
use search::{Allowed, ContactCandidates, Search};
use std::collections::BTreeSet;
use std::sync::Arc;
use surfaces::Surfaces;

/// Mean edges that a vertex may go against all others in an interval: what flies apart has to be caught early.
const FAST: f64 = 2.0;

/// Mean edges that the features of a contact may go against each other until contacts are found anew.
const CALM: f64 = 1.0;

/// Mean edges that a collider is looked out for at most.
const AHEAD: f64 = 2.0;

/// The part of an interval's motion that a safety pass may take back before intervals become shorter, for the rest of
/// the step: contacts that were found too long ago push the wrong way.
const TAKEN_BACK: f64 = 0.002;

/// Mean edges that safety may take back of a vertex's motion in one substep: more stretches what is around it, and is
/// better felt by the solver, as a contact.
const MUCH: f64 = 0.005;

/// Searches for the sake of some vertices that must be put elsewhere, before there is one for all, which is the last.
const FEW: usize = 5;

/// Intervals of a step at most that are begun again, because safety took motion back: with half the substeps, or, where
/// there is but one, with contacts of what met.
const MOST_ROLLED_BACK: u32 = 4;

/// What safety passes of a step may look at, in pairs for each vertex, edge and triangle: beyond that motion is given
/// up.
const WORK: u64 = 400;

/// What they may look at to find out which motion must be: beyond that all is. In random small worlds a hundredth of it
/// was used at most, where a ball of 100 m/s takes a sheet along more than a fiftieth.
const MOST_WORK: u64 = 1_000_000;

/// What they may look at in an interval, likewise, where nothing but colliders moves: beyond that colliders are where
/// they should not be.
const STILL_WORK: u64 = 400;

/// Mean edges after which a vertex that goes so far in an interval against most others is held before anything else is:
/// everything would be near it, and near what it pulls along.
const RUNAWAY: f64 = 100.0;

/// Substeps at most for the sake of fast colliders and pins: in all, and over those that are asked for, which count as
/// some at least.
const MOST_SUBSTEPS: f64 = 200.0;
const MOST_TIMES: f64 = 3.0;
const FEWEST: u32 = 10;

/// What contact needs in a step, and keeps from one to the next to use its memory again.
#[derive(Debug, Default)]
pub(crate) struct ContactPipeline<T> {
    surfaces: Surfaces,
    /// What intersected at the start of the step.
    tangle: Tangle,
    motion: IntervalMotion,
    candidates: ContactCandidates,
    rows: ContactRows<T>,
    safe: SafeMotion<T>,
    report: ContactReport,
    /// How far a pin goes in the step at most, but for the motion that all share, m.
    led: f64,
    /// Substeps that an interval may have at most, as the step has gone so far.
    longest: u32,
    /// How often an interval of this step was begun again, and whether one has to be.
    rolled_back: u32,
    again: bool,
    /// What met in the interval when it was gone through before.
    met: Vec<NearPair>,
    /// What the last step left free of intersections.
    proved: Option<Proved>,
    kept: Counted,
}

/// What is told of a step, as far as it has gone.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    report: ContactReport,
    /// Σ|motion| and Σ|motion taken back|, m.
    all: f64,
    removed: f64,
}

/// What the safety pass makes of an interval's motion.
#[derive(Debug, Default)]
struct SafeMotion<T> {
    /// Where vertices may go, m.
    x: Vec<[f64; 3]>,
    corrections: Vec<Correction<T>>,
    interval: IntervalSafety,
    /// Σ|motion| and Σ|motion taken back| of the step so far, m.
    all: f64,
    removed: f64,
    /// What safety passes may still look at in this step, in pairs; and in any case.
    budget: u64,
    most: u64,
    /// What they have looked at in this interval's pass.
    work: u64,
}

/// What safety passes have made of an interval so far.
#[derive(Debug, Default)]
struct IntervalSafety {
    passes: u32,
    stopped: Vec<u32>,
    /// Σ|motion| at first, and Σ|motion taken back| by all passes, m.
    motion: f64,
    removed: f64,
    /// As the last pass left it: pairs that could not be kept apart, and the first place.
    impossible: u64,
    at: Option<[f64; 3]>,
    between: Blockers,
    /// Vertices that were held at their starts.
    held: u64,
    /// Whether slides were not enough.
    truncated: bool,
    /// The most that a pass has taken back of a vertex's motion, m.
    most: f64,
}

impl<T> SafeMotion<T> {
    /// Takes note of work.
    fn spend(&mut self, work: u64) {
        self.most = self.most.saturating_sub(work);
        self.work += work;
    }
}

impl IntervalSafety {
    /// Adds a pass that lets vertices go to `x`, m, and was stopped by these.
    fn add(&mut self, report: &SafetyReport, x: &[[f64; 3]], between: Blockers) {
        if self.passes == 0 {
            self.motion = report.motion;
        }
        self.passes += 1;
        self.removed += report.removed;
        self.stopped.extend_from_slice(&report.stopped);
        self.impossible = (report.impossible.len() + report.strayed) as u64;
        self.at = report.impossible.first().map(|pair| x[pair[0] as usize]);
        self.held = report.held as u64;
        self.between = between;
        self.truncated |= report.truncated > 0 || report.held > 0;
        self.most = self.most.max(report.removed_most);
    }
}

/// A vertex that may not be where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correction<T> {
    pub vertex: u32,
    /// Where it goes, m.
    pub to: [T; 3],
    /// By how much it is moved, m; 0 if it was nowhere.
    pub by: [f64; 3],
}

/// A state that was left free of intersections, and what it was free of them among.
#[derive(Debug)]
struct Proved {
    /// The version of the state.
    version: u64,
    source: Arc<ModelSurfaces>,
    parties: Vec<Party>,
    colliders: Vec<ColliderForm>,
}

/// What a step is about.
pub(crate) struct ContactInput<'a, T> {
    /// Nothing if they are not to meet.
    pub surfaces: Option<&'a Arc<ModelSurfaces>>,
    pub contact: &'a Contact,
    pub colliders: &'a [Collider],
    pub meshes: &'a [MeshCollider],
    /// Positions (m) with inverse masses.
    pub x: &'a [Vertex<T>],
    pub pins: Pins<'a, T>,
    /// Which state that is: another after every change.
    pub version: u64,
}

/// What pins do in a step of `dt` (s).
pub(crate) struct Pins<'a, T> {
    /// Where they are to go, m, by vertex.
    pub targets: &'a [(u32, Option<[T; 3]>)],
    /// How all vertices move at its start, m/s.
    pub v: &'a [Vertex<T>],
    pub dt: f64,
}

/// A substep, by number, of how many of length `h` (s), and how many of them one search may serve at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactSubstep {
    pub number: u32,
    pub of: u32,
    pub h: f64,
    pub every: u32,
    /// When the first begins and the last ends, as parts (0 to 1) of the step.
    pub within: [f64; 2],
}

impl ContactSubstep {
    /// When a substep begins, as a part (0 to 1) of the step.
    fn part(&self, number: u32) -> f64 {
        let [from, to] = self.within;
        if number == self.of { to } else { from + (to - from) * (f64::from(number) / f64::from(self.of)) }
    }
}

impl<T: Scalar> ContactPipeline<T> {
    /// Begins a step. False if no surfaces are to meet.
    pub fn open(&mut self, input: &ContactInput<T>) -> bool {
        self.report = ContactReport::default();
        (self.safe.all, self.safe.removed) = (0.0, 0.0);
        self.begin_span();
        self.tangle = Tangle::default();
        let own = input.x.len() - 1;
        let positions = input.x[..own].iter().map(|&v| xyz(v));
        let colliders = (input.colliders, input.meshes);
        let meets = self.surfaces.set(input.surfaces, input.contact, colliders, positions);
        let features = self.surfaces.features();
        (self.safe.budget, self.safe.most) = (WORK * features, MOST_WORK * features);
        self.led = if meets { farthest_led(input) } else { 0.0 };
        if meets && !self.known_free(input.version) {
            self.look_for_tangles(input.x);
        }
        meets
    }

    /// Begins a span of a step, whose substeps have numbers of their own.
    pub fn begin_span(&mut self) {
        self.longest = u32::MAX;
        (self.rolled_back, self.again) = (0, false);
        self.met.clear();
        self.motion.interval = Interval::default();
        self.safe.interval = IntervalSafety::default();
    }

    /// Keeps in mind what has been counted so far.
    pub fn keep(&mut self) {
        self.kept = Counted { report: self.report, all: self.safe.all, removed: self.safe.removed };
    }

    /// What has happened since counts no more. What it cost does.
    pub fn go_back(&mut self) {
        let (work, Counted { report, all, removed }) = (self.report.work, self.kept);
        self.report = ContactReport { work, ..report };
        (self.safe.all, self.safe.removed) = (all, removed);
    }

    /// Whether the last step ended where this one begins, and free.
    fn known_free(&self, version: u64) -> bool {
        let Surfaces { source, parties, kinematics, .. } = &self.surfaces;
        self.proved.as_ref().is_some_and(|p| {
            // As many colliders, if there are as many parties to one source.
            let mut colliders = kinematics.bodies.iter().zip(&p.colliders);
            (p.version == version && Arc::ptr_eq(&p.source, source) && p.parties == *parties)
                && colliders.all(|(now, left)| now.form.goes_on_from(left))
        })
    }

    /// Finds what intersects at the start of a step.
    fn look_for_tangles(&mut self, x: &[Vertex<T>]) {
        let (surfaces, from) = (&mut self.surfaces, &mut self.motion.from);
        let own = surfaces.own();
        from.clear();
        from.extend(x[..own + 1].iter().map(|&v| xyz(v)));
        surfaces.kinematics.place(0.0, from);
        let pad = |i: usize| surfaces.radii.get(i).copied().unwrap_or(0.0);
        let regions: Vec<Aabb> = from.iter().enumerate().map(|(i, p)| Aabb::around(&[*p], pad(i))).collect();
        surfaces.refit(&regions);
        let movable = |i: u32| (i as usize) < own && x[i as usize][3] > T::of(0.0);
        self.tangle = untangle::find(&surfaces.parts(), from, movable);
        self.report.tangled = self.tangle.pairs as u64;
        self.report.tangled_at = self.tangle.at;
    }

    /// How tangled vertices are moved in this step: the model's number and m.
    pub fn pushes(&self) -> &[(u32, [f64; 3])] {
        &self.tangle.pushes
    }

    /// How many substeps colliders and pins need at least, so that none goes farther than half an edge in one: contact
    /// sees where things are at the ends of substeps, and what would have to be pushed over several edges at once is
    /// thrown about. No more than `MOST_TIMES` as many as are `asked` for anyway: what goes farther than that gives up
    /// motion, not time.
    pub fn least_substeps(&self, asked: u32) -> u32 {
        let (edge, way) = (self.surfaces.source.edge, self.surfaces.kinematics.farthest().max(self.led));
        let most = f64::from(asked.max(FEWEST)) * MOST_TIMES;
        if edge > 0.0 { (2.0 * way / edge).ceil().min(MOST_SUBSTEPS).min(most) as u32 } else { 0 }
    }

    /// Begins a substep that starts with vertices at `x_start` and, with nothing in the way, would bring them to `x`.
    pub fn begin_substep(&mut self, substep: &ContactSubstep, x_start: &[Vertex<T>], x: &[Vertex<T>]) {
        if substep.number == self.motion.interval.next() {
            self.begin_interval(substep, x_start, x);
        }
        let parts = [substep.part(substep.number), substep.part(substep.number + 1)];
        self.rows.begin(&self.surfaces, x_start, parts);
    }

    /// Searches for what is near, or will be, and makes contacts of it. The interval has as many substeps as one search
    /// may serve at most: until the features of a contact have gone two edges against each other, a collider or a pin
    /// two, or a vertex four against all.
    fn begin_interval(&mut self, substep: &ContactSubstep, x_start: &[Vertex<T>], x: &[Vertex<T>]) {
        let (first, left) = (substep.number, substep.of - substep.number);
        let most = substep.every.min(self.longest).clamp(1, left);
        let end = |count: u32| substep.part(first + count);
        let interval = Interval { first, count: most, start: substep.part(first), end: end(most), h: substep.h };
        let (surfaces, motion) = (&mut self.surfaces, &mut self.motion);
        motion.look_ahead(interval, &surfaces.kinematics, x_start, x);
        let edge = surfaces.source.edge;
        // As a float conversion, what is not a number or too great ends at the ends.
        let within = |edges: f64, way: f64, most: u32| ((edges * edge / way * f64::from(most)) as u32).clamp(1, most);
        // What a collider will meet has no contact yet, and cloth has room to be pushed by about two edges.
        let [from, to] = substep.within;
        let carried = surfaces.kinematics.farthest() * (to - from) * f64::from(most) / f64::from(substep.of);
        let led = carried.max(motion.farthest_pinned());
        let most = within(FAST, motion.farthest(surfaces), most).min(within(CALM, led, most));
        motion.cut_short(&surfaces.kinematics, most, end(most));
        self.candidates.search(surfaces, Search::of(motion, &self.tangle.exempt, &Allowed::default()));
        let way = self.rows.find(&mut self.candidates, surfaces, motion);
        let count = within(CALM, way, most);
        self.candidates.cut_short(surfaces, f64::from(count) / f64::from(most));
        motion.cut_short(&surfaces.kinematics, count, end(count));
        self.rows.add_met(&self.met, surfaces, motion);
        self.rows.add_pulls(&self.tangle.pulls, motion, surfaces.own());
    }

    /// One sweep over all contacts.
    pub fn sweep(&mut self, x: &mut [Vertex<T>], x_start: &[Vertex<T>], touched: &mut [bool], budget: FrictionBudget) {
        self.report.pairs = self.rows.sweep(x, x_start, touched, budget);
    }

    /// Finds where contacts would push vertices that are at `x`; see [`ContactRows::meet`].
    pub fn meet(&mut self, lists: [&[Vertex<T>]; 2], weight: Option<T>, f: impl FnMut(u32, Meeting<T>)) {
        self.rows.meet(lists, weight, f);
    }

    /// How many contacts touched in the last sweep.
    pub fn touching(&self) -> u64 {
        self.report.pairs
    }

    /// Forgets what contacts have pushed in this substep.
    pub fn forget_pushes(&mut self) {
        self.rows.forget_pushes();
    }

    /// How many substeps the interval has, if a substep, by number, is its last.
    pub fn interval_ends(&self, number: u32) -> Option<u32> {
        (number + 1 == self.motion.interval.next()).then_some(self.motion.interval.count)
    }

    /// Pushes apart, without friction, what is too near in a tile of vertices: by more than `slack` of what is wanted.
    /// `x_predicted` goes along by so `much` of it. Adds the vertices that it moves.
    pub fn part(
        &mut self,
        tile: u32,
        positions: [&mut [Vertex<T>]; 2],
        slack_and_much: [T; 2],
        moved: impl FnMut(u32),
    ) {
        self.rows.part(tile, positions, slack_and_much, moved);
    }

    /// Makes the motion of an interval that ends with vertices at `x` safe: returns how many substeps it had, and the
    /// vertices that may not be where they are. May be asked again with vertices elsewhere, until
    /// [`settle`](Self::settle).
    pub fn end_interval(&mut self, x: &[Vertex<T>]) -> (u32, &[Correction<T>]) {
        let own = self.surfaces.own();
        self.motion.arrive(&mut self.surfaces.kinematics, x);
        let rounding = if size_of::<T>() == size_of::<f32>() { Rounding::Single } else { Rounding::Double };
        let thickness = self.surfaces.parties.iter().map(|p| p.material.thickness);
        let thinnest = thickness.filter(|t| *t > 0.0).fold(0.01, f64::min);
        let settings = SafetySettings { clearance: 0.05 * thinnest, rounding, ..SafetySettings::default() };
        self.safe.work = 0;
        let report = self.make_safe(settings);
        self.report.work += self.safe.work;
        self.remember_met(&report, settings.clearance);
        let SafeMotion { x: safe, corrections, interval, .. } = &mut self.safe;
        interval.add(&report, safe, self.surfaces.blockers(&report.impossible, &self.motion.roles));
        corrections.clear();
        let mut correct = |vertex: u32, by| {
            corrections.push(Correction { vertex, to: safe[vertex as usize].map(T::of), by });
        };
        // Positions that are not numbers have not been counted as stopped, and are not where they are proved to be
        // either.
        (0..own).filter(|&i| !x[i].iter().all(|c| c.finite())).for_each(|i| correct(i as u32, [0.0; 3]));
        for vertex in report.stopped.into_iter().filter(|&i| (i as usize) < own) {
            let (to, was) = (safe[vertex as usize], self.motion.to[vertex as usize]);
            correct(vertex, core::array::from_fn(|k| to[k] - was[k]));
        }
        (self.motion.interval.count, corrections)
    }

    /// Keeps in mind what met in an interval that cannot be cut shorter: when it is gone through again, that will be
    /// contacts.
    fn remember_met(&mut self, report: &SafetyReport, clearance: f64) {
        if self.motion.interval.count > 1 || self.rolled_back == MOST_ROLLED_BACK {
            return;
        }
        let known: BTreeSet<[u32; 4]> = self.met.iter().map(|m| m.nodes).collect();
        for &(kind, nodes) in report.failed.iter().filter(|(_, nodes)| !known.contains(nodes)) {
            self.safe.budget = self.safe.budget.saturating_sub(safety::CLOSER);
            self.met.extend(self.motion.meeting(kind, nodes, clearance));
        }
    }

    /// Calls `f` for the model's vertices that are in contact with a collider, with how that moves there in the
    /// interval, m.
    pub fn for_each_carried(&self, f: impl FnMut(u32, V3<f64>)) {
        self.rows.for_each_carried(&self.motion, self.surfaces.own(), f);
    }

    /// The vertices that the safety pass has stopped in this interval so far, in no order, some more than once.
    pub fn stopped(&self) -> &[u32] {
        &self.safe.interval.stopped
    }

    /// The first substep of an interval that has to be gone through again; it is forgotten.
    pub fn begin_again(&mut self) -> Option<u32> {
        let again = core::mem::take(&mut self.again);
        if again {
            self.motion.interval.count = 0;
        }
        again.then_some(self.motion.interval.first)
    }

    /// Takes the last answer of [`end_interval`](Self::end_interval) for what becomes of the interval. If it has taken
    /// motion back that slides could not save, shorter intervals may, or contacts of what met: it [begins
    /// again](Self::begin_again), a few times in a step at most.
    pub fn settle(&mut self) {
        let count = self.motion.interval.count;
        let IntervalSafety { truncated, most, .. } = self.safe.interval;
        let much = most > MUCH * self.surfaces.source.edge;
        let helps = if count > 1 { truncated } else { much && !self.met.is_empty() };
        if helps && self.rolled_back < MOST_ROLLED_BACK {
            self.safe.interval = IntervalSafety::default();
            (self.again, self.rolled_back) = (true, self.rolled_back + 1);
            self.longest = (count / 2).max(1);
            return;
        }
        self.met.clear();
        let IntervalSafety { mut stopped, motion, removed, impossible, at, between, held, .. } =
            core::mem::take(&mut self.safe.interval);
        stopped.sort_unstable();
        stopped.dedup();
        self.longest = if removed > TAKEN_BACK * motion { (count / 2).max(1) } else { count.saturating_mul(2) };
        self.safe.all += motion;
        self.safe.removed += removed;
        self.report.stopped += stopped.len() as u64;
        self.report.impossible += impossible;
        self.report.impossible_at = self.report.impossible_at.or(at);
        self.report.held += held;
        if self.report.impossible_between == Blockers::default() {
            self.report.impossible_between = between;
        }
    }

    /// Makes an interval's motion safe. Pairs found when it began serve if all went about where they were expected to.
    fn make_safe(&mut self, settings: SafetySettings) -> SafetyReport {
        let (surfaces, candidates, motion) = (&mut self.surfaces, &mut self.candidates, &self.motion);
        let mut allowed = Allowed::default();
        let exempt = &self.tangle.exempt;
        let firsts = surfaces.kinematics.firsts();
        candidates.amend(surfaces, Search::of(motion, exempt, &allowed), &[]);
        let drift = motion.drift(surfaces.own());
        for searches in 1.. {
            if candidates.crowded || self.safe.most == 0 {
                break;
            }
            candidates.bound_all(&motion.from);
            let settings = SafetySettings { budget: self.safe.budget, most: self.safe.most, ..settings };
            let proposed = Motion { drift, ..motion.proposed(candidates, &surfaces.radii, &firsts) };
            let report = safety::make_safe(&proposed, &settings, &mut self.safe.x);
            self.safe.budget = self.safe.budget.saturating_sub(report.work);
            self.safe.spend(report.work);
            if report.unfinished.is_empty() && !report.exhausted {
                // With nothing kinematic, only what rounding does to places that all drift to cannot be proved.
                if drift != [0.0; 3] && !report.impossible.is_empty() {
                    break;
                }
                return report;
            }
            if report.exhausted || searches > FEW {
                break;
            }
            report.unfinished.iter().for_each(|&(i, place)| allowed.add(i as usize, place));
            if searches == FEW {
                for i in 0..surfaces.own() {
                    allowed.add(i, motion.from[i]);
                    allowed.add(i, motion.drifted(i, drift));
                }
                candidates.search(surfaces, Search::of(motion, exempt, &allowed));
            } else {
                let more: Vec<u32> = report.unfinished.iter().map(|u| u.0).collect();
                candidates.amend(surfaces, Search::of(motion, exempt, &allowed), &more);
            }
        }
        self.give_up(&settings)
    }

    /// Holds vertices at their starts: those that are far faster than all others, if that does; then those that must
    /// be, of all; then all that are faster than others; then all.
    fn give_up(&mut self, settings: &SafetySettings) -> SafetyReport {
        let edge = self.surfaces.source.edge;
        let runaways = self.hold_runaways(RUNAWAY * edge, settings).filter(|report| report.impossible.is_empty());
        let held = runaways.or_else(|| self.hold_some(settings)).or_else(|| self.hold_runaways(FAST * edge, settings));
        held.unwrap_or_else(|| self.hold_all(settings))
    }

    /// Holds vertices at their starts that go farther than `far` (m) against most others, and others if they must be,
    /// too. Nothing if there are none, or too many pairs even so.
    fn hold_runaways(&mut self, far: f64, settings: &SafetySettings) -> Option<SafetyReport> {
        let runaways = self.motion.runaways(&self.surfaces, far)?;
        let calm = self.motion.without(self.surfaces.own(), |i| runaways[i]);
        let asked = core::mem::replace(&mut self.motion, calm);
        let starts = self.motion.from.clone();
        let report = self.hold_back(&starts, settings, &mut KnownProofs::default());
        self.motion = asked;
        report.map(|report| self.as_asked(report))
    }

    /// Holds all at their starts. What it can still not look at counts as what colliders left no room for.
    fn hold_all(&mut self, settings: &SafetySettings) -> SafetyReport {
        let own = self.surfaces.own();
        let still = self.motion.without(own, |_| true);
        let asked = core::mem::replace(&mut self.motion, still);
        let starts = self.motion.from.clone();
        let (surfaces, candidates, motion) = (&mut self.surfaces, &mut self.candidates, &self.motion);
        let exempt = &self.tangle.exempt;
        candidates.search(surfaces, Search { still: true, ..Search::of(motion, exempt, &Allowed::default()) });
        candidates.bound_all(&motion.from);
        let firsts = surfaces.kinematics.firsts();
        let proposed = motion.proposed(candidates, &surfaces.radii, &firsts);
        let settings = SafetySettings { most: STILL_WORK * surfaces.features(), ..*settings };
        let known = &mut KnownProofs::default();
        let mut report = safety::hold_back(&proposed, &starts, &settings, known, &mut self.safe.x);
        if report.exhausted || candidates.crowded {
            let first = PairKind::ALL.into_iter().find_map(|kind| candidates.pairs[kind].nodes.first());
            report.impossible.extend(first);
        }
        report.held = own;
        self.safe.spend(report.work);
        self.motion = asked;
        self.as_asked(report)
    }

    /// A report of a motion of which some was left out, as one of the motion that was asked for.
    fn as_asked(&self, mut report: SafetyReport) -> SafetyReport {
        let firsts = self.surfaces.kinematics.firsts();
        let asked = self.motion.proposed(&self.candidates, &self.surfaces.radii, &firsts);
        safety::account(&asked, &self.safe.x, &mut report);
        report
    }

    /// Holds at their starts, or where all drifts, all vertices that could not be proved to move safely; or, if one
    /// collider moves into them there, takes them along with it, if that is better. Nothing if there are too many
    /// pairs.
    fn hold_some(&mut self, settings: &SafetySettings) -> Option<SafetyReport> {
        let starts = self.motion.from.clone();
        let drift = self.motion.drift(self.surfaces.own());
        let known = &mut KnownProofs::default();
        if drift != [0.0; 3] {
            let drifted: Vec<[f64; 3]> = (0..starts.len()).map(|i| self.motion.drifted(i, drift)).collect();
            let report = self.hold_back(&drifted, settings, known);
            if report.as_ref().is_some_and(|report| report.impossible.is_empty()) {
                return report;
            }
        }
        let report = self.hold_back(&starts, settings, known)?;
        let mut bodies = report.impossible.iter().flatten().filter_map(|&v| self.surfaces.kinematics.body_of(v));
        let Some(vertices) = bodies.next().map(|b| b.vertices.clone()) else { return Some(report) };
        if bodies.any(|b| b.vertices != vertices) {
            return Some(report);
        }
        let mut carried = safety::carried(&self.motion.from, &self.motion.to, vertices);
        for i in 0..carried.len() {
            if !matches!(self.motion.roles[i], Role::Free(_)) || carried[i].iter().any(|c| !c.is_finite()) {
                carried[i] = self.motion.from[i];
            }
        }
        let held = core::mem::take(&mut self.safe.x);
        let along = self.hold_back(&carried, settings, known);
        // Only colliders may be what is not proved.
        let kinematic = |pair: &[u32; 4]| pair.iter().any(|&v| self.surfaces.kinematics.body_of(v).is_some());
        let better = |along: &SafetyReport| {
            along.impossible.len() < report.impossible.len() && along.impossible.iter().all(kinematic)
        };
        let along = along.filter(better);
        if along.is_none() {
            self.safe.x = held;
        }
        Some(along.unwrap_or(report))
    }

    /// Holds what cannot be proved at `base`, m. Nothing if there are too many pairs.
    fn hold_back(
        &mut self,
        base: &[[f64; 3]],
        settings: &SafetySettings,
        known: &mut KnownProofs,
    ) -> Option<SafetyReport> {
        if self.safe.most == 0 {
            return None;
        }
        let (surfaces, candidates, motion) = (&mut self.surfaces, &mut self.candidates, &self.motion);
        let mut allowed = Allowed::default();
        (0..surfaces.own()).for_each(|i| allowed.add(i, base[i]));
        candidates.search(surfaces, Search::of(motion, &self.tangle.exempt, &allowed));
        if candidates.crowded {
            return None;
        }
        candidates.bound_all(&motion.from);
        let firsts = surfaces.kinematics.firsts();
        let proposed = motion.proposed(candidates, &surfaces.radii, &firsts);
        let settings = SafetySettings { most: self.safe.most, ..*settings };
        let report = safety::hold_back(&proposed, base, &settings, known, &mut self.safe.x);
        self.safe.spend(report.work);
        (!report.exhausted).then_some(report)
    }

    /// What happened in the step, which ends with a state of this version.
    /// Something may have been put elsewhere (`contained`) after it was proved free.
    pub fn close(&mut self, version: u64, contained: bool) -> ContactReport {
        let Surfaces { source, parties, kinematics, .. } = &self.surfaces;
        let free = !contained && !parties.is_empty() && self.tangle.pairs == 0 && self.report.impossible == 0;
        self.proved = free.then(|| Proved {
            version,
            source: source.clone(),
            parties: parties.clone(),
            colliders: kinematics.bodies.iter().map(|b| b.form.clone()).collect(),
        });
        let SafeMotion { all, removed, .. } = self.safe;
        ContactReport { removed: if all > 0.0 { (removed / all).min(1.0) } else { 0.0 }, ..self.report }
    }
}

/// How far a pin is to go at most, but for the mean motion of all vertices, m.
fn farthest_led<T: Scalar>(input: &ContactInput<T>) -> f64 {
    let Pins { targets, v, dt } = input.pins;
    let sum = v.iter().fold(V3::new(0.0, 0.0, 0.0), |sum, &v| sum + V3::from(xyz(v)));
    let mean = sum * (dt / v.len().max(1) as f64);
    let way = |(i, target): &(u32, Option<[T; 3]>)| {
        let to = V3::from((*target)?.map(|c| c.f64()));
        let way = (to - V3::from(xyz(input.x[*i as usize])) - mean).norm2();
        way.is_finite().then_some(way)
    };
    targets.iter().filter_map(way).fold(0.0, f64::max).sqrt()
}
