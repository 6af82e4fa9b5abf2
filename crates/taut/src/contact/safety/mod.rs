//! The safety pass: from a state free of intersections and any candidate, motion that ends free of intersections.
//!
//! # Why it is safe
//! Surfaces that start free and move continuously can only come to intersect after a vertex has touched a triangle or
//! an edge an edge, of pairs that share no vertex. Pairs that one axis separates, on one side, in the boxes of their
//! starts and in those of their regions at the end cannot (see [`bvh`](super::bvh)), as long as vertices end in their
//! regions, and the pass holds them there. For every other pair it ends with a proof, valid in spite of rounding, of
//! one of these:
//!
//! 1. one direction separates the two features at the start and at the end, hence, all motion being straight,
//!    throughout;
//! 2. [continuous collision detection](super::ccd) finds them apart throughout;
//! 3. none of their vertices has moved.
//!
//! Vertices and edges with a radius are apart if the rest of the space between them is.
//!
//! So the straight way from start to end is free of contact, and its end free of intersections.
//!
//! # How motion is changed
//! First a few **slides**: a pair that fails is pushed apart along its direction at the start, by as much as is
//! missing, shared by inverse mass; the rest of the motion stays. This moves with whatever moves: layers that travel
//! together or ride on a collider are not slowed. Pairs that still fail are **truncated** in islands of vertices that
//! could meet: planes are fixed for all pairs, then every vertex is drawn back along its way, towards a base motion
//! known to be free, just so far that it stays on its side of all its planes (planar truncation). Base motions are the
//! island's mean displacement, that of a collider it meets, and, if those do not do, none at all. The last always does
//! where colliders stand still; where one moves, what it meets is taken along as it moves and turns, which always does
//! where there is but one.
//!
//! Where even that asks for more than a budget of work allows, or for places that pairs were not found for, what is not
//! proved is [held at its start](hold_back): motion is lost, not the proof.
//!
//! # What it cannot do
//! Kinematic vertices (colliders) move as they are told. If one enters a surface that could not be pushed away, the
//! pair is reported as **impossible**; all other pairs keep their proofs.

mod carry;
mod filter;
mod hold;
mod proof;
mod truncate;

use super::bvh::Aabb;
use super::candidates::{PairKind, Pairs};
use crate::lanes::V3;
pub(crate) use carry::carried;
use filter::{Ask, RelativeMotion, doubtful};
pub use hold::{KnownProofs, hold_back};
use proof::{Pair, SeparationProof};

/// How a vertex may be moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// By the safety pass, as it must; heavier ones less. Inverse mass in 1/kg.
    Free(f64),
    /// It follows its candidate, and is only held back where nothing else keeps surfaces apart.
    Pinned,
    /// It follows its candidate whatever happens: a collider's vertex.
    Kinematic,
}

/// What the results are stored in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// `f32`: positions are rounded to it *before* they are proved.
    Single,
    /// `f64`.
    #[default]
    Double,
}

impl Rounding {
    fn round(self, v: f64) -> f64 {
        match self {
            Rounding::Single => f64::from(v as f32),
            Rounding::Double => v,
        }
    }

    /// Half the distance of neighbouring numbers around 1.
    fn unit(self) -> f64 {
        match self {
            Rounding::Single => f64::from(f32::EPSILON) * 0.5,
            Rounding::Double => f64::EPSILON * 0.5,
        }
    }
}

/// How the safety pass works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SafetySettings {
    /// Features that start farther apart than this (m) end at least this far apart; those that start nearer come no
    /// nearer. A twentieth of the cloth's thickness is a good choice. Greater than 0.
    pub clearance: f64,
    /// The part of the room between two features that truncated motion may use up, 0 to 1.
    pub room: f64,
    /// Slides at most.
    pub slides: usize,
    /// What the results are stored in.
    pub rounding: Rounding,
    /// Work at most, in pairs looked at, a closer look at one being as much as [`CLOSER`]: beyond it nothing is moved
    /// any more, and motion is to be [held back](hold_back).
    pub budget: u64,
    /// Work at most even where nothing fails, and to hold motion back.
    pub most: u64,
}

/// What a closer look at a pair costs, in pairs looked at.
pub const CLOSER: u64 = 64;

impl Default for SafetySettings {
    fn default() -> Self {
        SafetySettings {
            clearance: 1e-4,
            room: 0.9,
            slides: 8,
            rounding: Rounding::Double,
            budget: u64::MAX,
            most: u64::MAX,
        }
    }
}

/// A motion to be made safe. All slices have one entry for each vertex.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Positions at the start, m: free of intersections.
    pub from: &'a [[f64; 3]],
    /// Where vertices would like to go, m: anything.
    pub to: &'a [[f64; 3]],
    /// How they may be moved.
    pub roles: &'a [Role],
    /// Where they may end: what the pairs were found with. Must hold kinematic vertices' ends. If pairs were found with
    /// where vertices start as well, regions need not hold starts: things that move together then have fewer pairs; but
    /// what cannot stay at its start cannot be held there, see [`SafetyReport::unfinished`].
    pub regions: &'a [Aabb],
    /// Pairs that may meet.
    pub pairs: &'a Pairs,
    /// How far around itself a vertex or edge is solid, m: a ball is a vertex with a radius, a rod an edge whose
    /// vertices have one. Of a pair the greatest counts. Empty if there are none.
    pub radii: &'a [f64],
    /// The first vertex of each kinematic body, ascending: what moves as one takes along as one what it meets. Empty if
    /// there is but one.
    pub bodies: &'a [u32],
    /// How all moves that is held back, m: with nothing kinematic or pinned in it a fall is no motion that anything
    /// must lose.
    pub drift: [f64; 3],
}

/// What the safety pass did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SafetyReport {
    /// Vertices that do not end at their candidate, ascending.
    pub stopped: Vec<u32>,
    /// Σ|x − candidate|, m.
    pub removed: f64,
    /// The most that one vertex lost, m.
    pub removed_most: f64,
    /// Σ|candidate − start| of what is not kinematic, m.
    pub motion: f64,
    /// Pairs that failed at first.
    pub failed: Vec<(PairKind, [u32; 4])>,
    /// Slides made.
    pub slides: usize,
    /// Vertices in islands that were truncated.
    pub truncated: usize,
    /// Vertices that were held at their starts, because nothing else could be proved in time.
    pub held: usize,
    /// The work it took, as in [`SafetySettings::budget`].
    pub work: u64,
    /// Whether the budget was not enough: nothing is proved.
    pub exhausted: bool,
    /// Pairs with kinematic vertices that could not be kept apart.
    pub impossible: Vec<[u32; 4]>,
    /// Candidates that were not finite; they stay where they were.
    pub contained: usize,
    /// Kinematic vertices that leave their regions: pairs with them may be missing.
    pub strayed: usize,
    /// Vertices that would have to be held at their starts, or taken along by a collider, and where that is, m, which
    /// is not in their regions: if there are any nothing is proved, and the motion is to be made safe again with
    /// regions that hold these places too.
    pub unfinished: Vec<(u32, [f64; 3])>,
}

/// Makes a motion safe: writes to `x` where vertices may go. Slices in `motion` must be of one length.
pub fn make_safe(motion: &Motion, settings: &SafetySettings, x: &mut Vec<[f64; 3]>) -> SafetyReport {
    let mut report = SafetyReport::default();
    let proof = SeparationProof::new(motion, settings);
    admit(&proof, x, &mut report);
    let failed = slide(&proof, x, &mut report);
    // What has little room to be pushed is given more before motion is taken back.
    let narrow = |&i: &u32| !proof.kinematic(i) && !proof.may_stay(i as usize);
    report.unfinished =
        failed.iter().flat_map(|p| p.nodes).filter(narrow).map(|i| (i, motion.from[i as usize])).collect();
    if report.unfinished.is_empty() && !failed.is_empty() && !report.exhausted {
        truncate::truncate(&proof, &failed, x, &mut report);
    }
    report.work = proof.work();
    account(motion, x, &mut report);
    report
}

/// Takes over candidates that are finite, and holds them to their regions.
fn admit(proof: &SeparationProof, x: &mut Vec<[f64; 3]>, report: &mut SafetyReport) {
    let motion = proof.motion;
    x.clear();
    for i in 0..motion.from.len() {
        let finite = motion.to[i].iter().all(|c| c.is_finite());
        report.contained += usize::from(!finite);
        let wish = if finite { motion.to[i] } else { motion.from[i] };
        if motion.roles[i] == Role::Kinematic {
            report.strayed += usize::from(!motion.regions[i].holds(wish));
            x.push(wish);
        } else {
            x.push(proof.within(i, wish));
        }
    }
}

/// Pushes failing pairs apart, pass by pass; returns those that fail in the end.
fn slide(proof: &SeparationProof, x: &mut [[f64; 3]], report: &mut SafetyReport) -> Vec<Pair> {
    let mut motion = RelativeMotion::default().to(proof, x);
    let mut failed = doubtful(proof, x, Ask::Ends(&motion));
    // Beyond the budget one pair that fails is enough to know that motion is to be held back.
    let mut any = false;
    failed.retain(|p| {
        let known = proof.spent() || (any && proof.exhausted());
        let failing = !known && proof.alterable(p) && !proof.proves(p, x);
        any |= failing;
        failing
    });
    report.failed = failed.iter().map(|p| (p.kind, p.nodes)).collect();
    report.exhausted = proof.spent() || (any && proof.exhausted());
    // The pass in which a vertex was last moved: a pair is judged again if that was the last one.
    let mut moved = vec![0u16; x.len()];
    for pass in 1..=proof.settings.slides.min(usize::from(u16::MAX)) {
        report.exhausted = proof.exhausted() && !failed.is_empty();
        if failed.is_empty() || report.exhausted {
            break;
        }
        report.slides = pass;
        for p in &failed {
            push_apart(proof, p, x);
            p.nodes.iter().for_each(|&i| moved[i as usize] = pass as u16);
        }
        motion = motion.to(proof, x);
        failed = doubtful(proof, x, Ask::EndsOf(&moved, pass as u16, &motion));
        failed.retain(|p| proof.alterable(p) && (proof.spent() || !proof.proves(p, x)));
    }
    failed
}

/// Moves a pair's vertices along its direction until what is missing between them is made up.
fn push_apart(proof: &SeparationProof, pair: &Pair, x: &mut [[f64; 3]]) {
    let Some(plane) = proof.plane(pair) else { return };
    let level = |x: &[[f64; 3]], i: u32| plane.n.dot(V3::from(x[i as usize]) - plane.origin);
    let (a, b) = pair.sides();
    let low = a.iter().map(|&i| level(x, i)).fold(f64::INFINITY, f64::min);
    let high = b.iter().map(|&i| level(x, i)).fold(f64::NEG_INFINITY, f64::max);
    let missing = plane.enough + plane.slack - (low - high);
    let (wa, wb) = (proof.mobility(a), proof.mobility(b));
    if !(missing > 0.0 && wa + wb > 0.0) {
        return;
    }
    let (low, high) = (low + missing * (wa / (wa + wb)), high - missing * (wb / (wa + wb)));
    for (side, to, sign) in [(a, low, 1.0), (b, high, -1.0)] {
        for &i in side {
            let short = to - level(x, i);
            if short * sign > 0.0 && matches!(proof.motion.roles[i as usize], Role::Free(_)) {
                let p: [f64; 3] = (V3::from(x[i as usize]) + plane.n * short).into();
                x[i as usize] = proof.within(i as usize, p);
            }
        }
    }
}

/// Counts what became of a motion that ends at `x` (m).
pub(crate) fn account(motion: &Motion, x: &[[f64; 3]], report: &mut SafetyReport) {
    report.stopped.clear();
    (report.motion, report.removed, report.removed_most) = (0.0, 0.0, 0.0);
    let distance = |a: [f64; 3], b: [f64; 3]| (V3::from(a) - V3::from(b)).norm2().sqrt();
    for i in 0..x.len() {
        if motion.roles[i] == Role::Kinematic {
            continue;
        }
        let (from, to) = (motion.from[i], motion.to[i]);
        let finite = to.iter().all(|c| c.is_finite());
        report.motion += if finite { distance(to, from) } else { 0.0 };
        if x[i] != to {
            report.stopped.push(i as u32);
            let lost = if finite { distance(x[i], to) } else { 0.0 };
            report.removed += lost;
            report.removed_most = report.removed_most.max(lost);
        }
    }
}
