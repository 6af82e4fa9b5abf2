//! Where all vertices go in an interval.

use super::search::ContactCandidates;
use super::surfaces::Surfaces;
use crate::contact::candidates::{NearPair, PairKind};
use crate::contact::ccd::impact;
use crate::contact::kinematic::Kinematics;
use crate::contact::safety::{Motion, Role};
use crate::lanes::{Scalar, V3, Vertex, xyz};

/// Substeps that share one detection and one safety pass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Interval {
    pub first: u32,
    pub count: u32,
    /// Its start and end as parts (0 to 1) of the step.
    pub start: f64,
    pub end: f64,
    /// The length of a substep, s.
    pub h: f64,
}

impl Interval {
    /// The substep after it.
    pub fn next(&self) -> u32 {
        self.first + self.count
    }
}

/// An interval's motion. Lists have the model's vertices in its own order, the spare one, then those of colliders. They
/// are `f64` whatever the state is: results for an `f32` state are rounded before they are proved.
#[derive(Clone, Debug, Default)]
pub(super) struct IntervalMotion {
    pub interval: Interval,
    /// Where vertices begin, and where they would end with nothing in the way, m.
    pub from: Vec<[f64; 3]>,
    pub to: Vec<[f64; 3]>,
    pub roles: Vec<Role>,
}

impl IntervalMotion {
    /// Begins an interval with vertices at `x_start` whose first substep would bring them to `x`.
    pub fn look_ahead<T: Scalar>(
        &mut self,
        interval: Interval,
        kinematics: &Kinematics,
        x_start: &[Vertex<T>],
        x: &[Vertex<T>],
    ) {
        self.interval = interval;
        let (own, reach) = (kinematics.first - 1, f64::from(interval.count));
        self.from.clear();
        self.from.extend(x_start[..own + 1].iter().map(|&v| xyz(v)));
        self.to.clear();
        let ahead = |(from, &x): (&[f64; 3], &Vertex<T>)| {
            let x = xyz(x);
            let to = core::array::from_fn(|k| from[k] + (x[k] - from[k]) * reach);
            if to.iter().all(|c: &f64| c.is_finite()) { to } else { *from }
        };
        self.to.extend(self.from.iter().zip(x).map(ahead));
        self.roles.clear();
        self.roles.extend(x[..own + 1].iter().map(|v| match v[3].f64() {
            w if w > 0.0 => Role::Free(w),
            _ => Role::Pinned,
        }));
        self.place_kinematics(kinematics);
        self.roles.resize(self.from.len(), Role::Kinematic);
    }

    /// Takes over where the interval has brought the model's vertices; those that are nowhere stay at their starts.
    pub fn arrive<T: Scalar>(&mut self, kinematics: &mut Kinematics, x: &[Vertex<T>]) {
        let own = kinematics.first - 1;
        for i in 0..own {
            let to = xyz(x[i]);
            self.to[i] = if to.iter().all(|c| c.is_finite()) { to } else { self.from[i] };
        }
        self.to[own] = self.from[own];
        // Planes have to be seen from the ends of the way too.
        kinematics.look_at(self.from[..own].iter().chain(&self.to[..own]).copied());
        self.place_kinematics(kinematics);
    }

    /// Ends the interval after `count` substeps, at part `end` of the step.
    pub fn cut_short(&mut self, kinematics: &Kinematics, count: u32, end: f64) {
        let part = f64::from(count) / f64::from(self.interval.count);
        if part < 1.0 {
            for (from, to) in self.from.iter().zip(&mut self.to).take(kinematics.first - 1) {
                *to = core::array::from_fn(|k| from[k] + (to[k] - from[k]) * part);
            }
            self.interval = Interval { count, end, ..self.interval };
            self.place_kinematics(kinematics);
        }
    }

    /// Puts colliders where they are at the start and at the end of the interval.
    fn place_kinematics(&mut self, kinematics: &Kinematics) {
        for (part, list) in [(self.interval.start, &mut self.from), (self.interval.end, &mut self.to)] {
            list.truncate(kinematics.first);
            kinematics.place(part, list);
        }
    }

    /// This motion for the safety pass, with the first vertices of colliders.
    pub fn proposed<'a>(&'a self, found: &'a ContactCandidates, radii: &'a [f64], bodies: &'a [u32]) -> Motion<'a> {
        let IntervalMotion { from, to, roles, .. } = self;
        Motion { from, to, roles, regions: &found.regions, pairs: &found.pairs, radii, bodies, drift: [0.0; 3] }
    }

    /// How all of the model's vertices move, m: their mean way, if nothing is held or a collider; else not at all.
    pub fn drift(&self, own: usize) -> [f64; 3] {
        let free = self.from.len() == own + 1 && self.roles[..own].iter().all(|r| matches!(r, Role::Free(_)));
        if free { self.mean_way(own).into() } else { [0.0; 3] }
    }

    /// Where a vertex is that drifts from its start, m.
    pub fn drifted(&self, i: usize, drift: [f64; 3]) -> [f64; 3] {
        (V3::from(self.from[i]) + V3::from(drift)).into()
    }

    /// Whether a vertex does not end where it begins.
    pub fn moves(&self, i: usize) -> bool {
        self.from[i] != self.to[i]
    }

    /// The same motion, but that some of the model's vertices stay where they are.
    pub fn without(&self, own: usize, stays: impl Fn(usize) -> bool) -> Self {
        let mut motion = self.clone();
        (0..own).filter(|&i| stays(i)).for_each(|i| motion.to[i] = motion.from[i]);
        motion
    }

    /// Which free vertices of bodies go farther than `far` (m) against most others; none if none does.
    pub fn runaways(&self, surfaces: &Surfaces, far: f64) -> Option<Vec<bool>> {
        let own = surfaces.own();
        // Their mean way would be that of the farthest.
        let most = (0..own).filter(|&i| surfaces.meets(i)).map(|i| self.way(i)).collect();
        let usual = middle(most)?;
        let runs = |i: usize| {
            let free = matches!(self.roles[i], Role::Free(_)) && surfaces.meets(i);
            free && (self.way(i) - usual).norm2() > far * far
        };
        let all: Vec<bool> = (0..own).map(runs).collect();
        all.contains(&true).then_some(all)
    }

    /// How a vertex goes, m.
    pub fn way(&self, i: usize) -> V3<f64> {
        V3::from(self.to[i]) - V3::from(self.from[i])
    }

    /// How two features go against each other at places with these weights, m.
    pub fn relative_way(&self, nodes: &[u32; 4], weights: &[f64; 4]) -> V3<f64> {
        let ways = nodes.iter().zip(weights).map(|(&i, &w)| self.way(i as usize) * w);
        ways.fold(V3::new(0.0, 0.0, 0.0), |sum, w| sum + w)
    }

    /// Two features when they first come as near as `clearance` (m) on their ways; none if they do not, or touch then.
    pub fn meeting(&self, kind: PairKind, nodes: [u32; 4], clearance: f64) -> Option<NearPair> {
        let paths = nodes.map(|i| [V3::from(self.from[i as usize]), V3::from(self.to[i as usize])]);
        let t = impact(kind, paths, clearance)?;
        let found = kind.closest(paths.map(|[from, to]| from * (1.0 - t) + to * t));
        let distance = found.distance2.sqrt();
        (distance > 0.0).then(|| NearPair { kind, nodes, weights: found.weights, delta: found.delta.into(), distance })
    }

    /// The mean way of the first `own` vertices, the model's, m.
    pub fn mean_way(&self, own: usize) -> V3<f64> {
        (0..own).fold(V3::new(0.0, 0.0, 0.0), |sum, i| sum + self.way(i)) * (1.0 / own.max(1) as f64)
    }

    /// How far a pinned vertex goes at most, m.
    pub fn farthest_pinned(&self) -> f64 {
        let pinned = (0..self.roles.len()).filter(|&i| self.roles[i] == Role::Pinned);
        pinned.map(|i| self.way(i).norm2()).fold(0.0, f64::max).sqrt()
    }

    /// How far a vertex of a body goes at most, but for the motion that all share, m.
    pub fn farthest(&self, surfaces: &Surfaces) -> f64 {
        let mean = self.mean_way(surfaces.own());
        let meet = (0..surfaces.own()).filter(|&i| surfaces.meets(i));
        meet.map(|i| (self.way(i) - mean).norm2()).fold(0.0, f64::max).sqrt()
    }

    /// Σ wᵢ² / mᵢ. Held vertices count as a little movable, so that one that hardly takes part is not thrown far for
    /// the sake of others that cannot move.
    pub fn give(&self, nodes: &[u32; 4], weights: &[f64; 4]) -> f64 {
        let mobility = |&i: &u32| match self.roles[i as usize] {
            Role::Free(mobility) => mobility,
            _ => 0.0,
        };
        let most = nodes.iter().map(mobility).fold(0.0, f64::max);
        let of = |(i, &w): (&u32, &f64)| match self.roles[*i as usize] {
            Role::Free(mobility) => w * w * mobility,
            Role::Pinned => w * w * most / 64.0,
            Role::Kinematic => 0.0,
        };
        nodes.iter().zip(weights).map(of).sum()
    }
}

/// The middle one of all numbers along each axis; none of none.
fn middle(all: Vec<V3<f64>>) -> Option<V3<f64>> {
    let along = |pick: fn(&V3<f64>) -> f64| {
        let mut numbers: Vec<f64> = all.iter().map(pick).collect();
        let half = numbers.len() / 2;
        (!numbers.is_empty()).then(|| *numbers.select_nth_unstable_by(half, f64::total_cmp).1)
    };
    Some(V3::new(along(|v| v.x)?, along(|v| v.y)?, along(|v| v.z)?))
}
