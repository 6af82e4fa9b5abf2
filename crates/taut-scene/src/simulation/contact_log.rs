//! What contact between surfaces did: in a frame, and in all of a run.

use super::verify::Intersections;
use taut::{Blockers, ContactReport};

/// What contact between surfaces did in a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactLog {
    /// What it did in the last frame: pairs at its end, vertices stopped in all its steps, the share of motion removed
    /// in the mean step, and the most pairs in a step that could not be kept apart or were tangled.
    pub frame: ContactReport,
    /// The most that intersected at the end of a step of the last frame, if [checked](super::Simulation::verify).
    pub intersections: Option<u64>,
    /// Whether nothing intersected when the checks began, if there were any.
    pub began_free: Option<bool>,
    /// Frames so far.
    pub frames: u64,
    /// How often the guard stopped a vertex.
    pub stopped: u64,
    /// What the guard took back of all motion in the mean step, 0 to 1.
    pub removed: f64,
    /// Where colliders or pins left no room.
    pub impossible: Seen,
    /// What intersected when steps began.
    pub tangled: Seen,
    /// What intersected when steps ended, if checked.
    pub crossed: Seen,
    /// Of `crossed`, between which two the first was: see [`Crossing`](super::Crossing).
    pub crossed_between: [u32; 2],
    /// Of `impossible`, who left the first no room, by the engine's numbers.
    pub blockers: Blockers,
    /// How often a vertex was held where it was because nothing else could be proved.
    pub held: u64,
}

/// Something that happened now and then.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// Frames in which it did.
    pub frames: u64,
    /// The most pairs in a step.
    pub most: u64,
    /// When first and last, s.
    pub times: [f64; 2],
    /// Where first, m, if that is known.
    pub at: Option<[f64; 3]>,
}

impl Seen {
    fn add(&mut self, count: u64, at: Option<[f64; 3]>, time: f64) {
        if count == 0 {
            return;
        }
        if self.frames == 0 {
            (self.times[0], self.at) = (time, at);
        }
        self.times[1] = time;
        self.frames += 1;
        self.most = self.most.max(count);
    }

    fn numbers(&self) -> [u64; 7] {
        // No place is at a number that is none.
        let [x, y, z] = self.at.unwrap_or([f64::NAN; 3]).map(f64::to_bits);
        let [first, last] = self.times.map(f64::to_bits);
        [self.frames, self.most, first, last, x, y, z]
    }

    fn from_numbers([frames, most, first, last, x, y, z]: [u64; 7]) -> Self {
        let at = Some([x, y, z].map(f64::from_bits)).filter(|at| at.iter().all(|x| !x.is_nan()));
        Seen { frames, most, times: [first, last].map(f64::from_bits), at }
    }
}

/// Adds a step to what is known of its frame, of which `before` steps are.
pub(super) fn add_step(frame: &mut ContactReport, step: &ContactReport, before: u32) {
    let share = 1.0 / f64::from(before + 1);
    *frame = ContactReport {
        pairs: step.pairs,
        stopped: frame.stopped + step.stopped,
        removed: frame.removed + (step.removed - frame.removed) * share,
        impossible: frame.impossible.max(step.impossible),
        impossible_at: frame.impossible_at.or(step.impossible_at),
        impossible_between: match frame.impossible {
            0 => step.impossible_between,
            _ => frame.impossible_between,
        },
        held: frame.held + step.held,
        work: frame.work + step.work,
        tangled: frame.tangled.max(step.tangled),
        tangled_at: frame.tangled_at.or(step.tangled_at),
    };
}

impl ContactLog {
    /// Whether every step so far was [checked](super::Simulation::verify): a run may be taken up without.
    pub fn verified(&self) -> bool {
        self.began_free.is_some() && (self.frames == 0 || self.intersections.is_some())
    }

    /// Adds a frame that ended at a time, s.
    pub(super) fn add(&mut self, frame: ContactReport, crossed: Option<Intersections>, time: f64) {
        self.frame = frame;
        self.intersections = crossed.map(|crossed| crossed.count as u64);
        self.frames += 1;
        self.stopped += frame.stopped;
        self.removed += (frame.removed - self.removed) / self.frames as f64;
        self.held += frame.held;
        if self.impossible.frames == 0 {
            self.blockers = frame.impossible_between;
        }
        self.impossible.add(frame.impossible, frame.impossible_at, time);
        self.tangled.add(frame.tangled, frame.tangled_at, time);
        if let Some((count, first)) = crossed.and_then(|crossed| Some((crossed.count, crossed.first?))) {
            if self.crossed.frames == 0 {
                self.crossed_between = first.between;
            }
            self.crossed.add(count as u64, Some(first.at), time);
        }
    }

    /// What a person should know, a sentence each. `blockers` says who left cloth no room.
    pub fn warnings(&self, blockers: impl Fn(&Blockers) -> String) -> Vec<String> {
        let mut out = Vec::new();
        let Seen { most, times: [first, last], at, .. } = self.tangled;
        if most > 0 {
            let begun = format!("{most} pairs of triangles intersected at {first:.2} s{}", place(", the first at", at));
            out.push(match self.frame.tangled {
                0 => format!("{begun}; all were apart after {last:.2} s"),
                left => format!("{begun}; {left} still do at the end"),
            });
        }
        let Seen { frames, most, times: [first, _], at } = self.impossible;
        if most > 0 {
            out.push(format!(
                "{} left surfaces no room in {frames} frames, from {first:.2} s on, up to {most} pairs{}: there they may pass \
                 through each other",
                blockers(&self.blockers),
                place(", first at", at)
            ));
        }
        if self.held > 0 {
            out.push(format!(
                "vertices were held where they were, {} times, because no motion could be proved free of intersections: try \
                 more substeps",
                self.held
            ));
        }
        if self.removed > MUCH_REMOVED {
            let share = 100.0 * self.removed;
            out.push(format!(
                "{share:.1} % of all motion was taken back so that nothing intersects: try more substeps, or a larger \
                 thickness"
            ));
        }
        out
    }

    /// As numbers, for a checkpoint.
    pub(super) fn numbers(&self) -> Vec<u64> {
        let optional = |value: Option<u64>| value.map_or([0, 0], |value| [1, value]);
        let frame = &self.frame;
        let place = |at: Option<[f64; 3]>| at.map_or([0; 4], |[x, y, z]| [1, x.to_bits(), y.to_bits(), z.to_bits()]);
        let mut out = vec![frame.pairs, frame.stopped, frame.removed.to_bits(), frame.impossible, frame.tangled];
        out.extend([frame.impossible_at, frame.tangled_at].into_iter().flat_map(place));
        out.extend(numbers_of(&frame.impossible_between));
        out.extend([frame.held, frame.work]);
        out.extend(optional(self.intersections));
        out.extend(optional(self.began_free.map(u64::from)));
        out.extend([self.frames, self.stopped, self.removed.to_bits()]);
        out.extend([self.impossible, self.tangled, self.crossed].iter().flat_map(Seen::numbers));
        out.extend(self.crossed_between.map(u64::from));
        out.extend(numbers_of(&self.blockers));
        out.push(self.held);
        out
    }

    /// What [`numbers`](Self::numbers) gave; nothing from a list that is none.
    pub(super) fn from_numbers(numbers: &[u64]) -> Option<Self> {
        let mut rest = numbers.iter().copied();
        let mut next = || rest.next();
        let (pairs, stopped, removed) = (next()?, next()?, f64::from_bits(next()?));
        let (impossible, tangled) = (next()?, next()?);
        let mut place = || {
            let (there, at) = (next()?, [next()?, next()?, next()?].map(f64::from_bits));
            Some((there > 0).then_some(at))
        };
        let (impossible_at, tangled_at) = (place()?, place()?);
        let impossible_between = blockers_from([next()?, next()?, next()?]);
        let (held, work) = (next()?, next()?);
        let frame = ContactReport {
            pairs,
            stopped,
            removed,
            impossible,
            impossible_at,
            impossible_between,
            held,
            work,
            tangled,
            tangled_at,
        };
        let mut optional = || Some((next()?, next()?)).map(|(there, value)| (there > 0).then_some(value));
        let (intersections, began_free) = (optional()?, optional()?.map(|free| free > 0));
        let (frames, stopped, removed) = (next()?, next()?, f64::from_bits(next()?));
        let mut seen = || {
            let mut all = [0; 7];
            for number in &mut all {
                *number = next()?;
            }
            Some(Seen::from_numbers(all))
        };
        let (impossible, tangled, crossed) = (seen()?, seen()?, seen()?);
        let crossed_between = [next()? as u32, next()? as u32];
        let blockers = blockers_from([next()?, next()?, next()?]);
        let held = next()?;
        Some(ContactLog {
            frame,
            intersections,
            began_free,
            frames,
            stopped,
            removed,
            impossible,
            tangled,
            crossed,
            crossed_between,
            blockers,
            held,
        })
    }
}

/// As numbers, for a checkpoint: 0 for none, else one more.
fn numbers_of(blockers: &Blockers) -> [u64; 3] {
    let [a, b] = blockers.colliders;
    [a, b, blockers.pin].map(|number| number.map_or(0, |n| 1 + u64::from(n)))
}

/// What [`numbers_of`] gave.
fn blockers_from(numbers: [u64; 3]) -> Blockers {
    let [a, b, pin] = numbers.map(|n| n.checked_sub(1).map(|n| n as u32));
    Blockers { colliders: [a, b], pin }
}

/// Motion beyond this share was not only kept from passing through things: it was visibly slowed.
const MUCH_REMOVED: f64 = 0.05;

/// A place in words, after others; nothing if it is not known.
fn place(before: &str, at: Option<[f64; 3]>) -> String {
    at.map_or(String::new(), |[x, y, z]| format!("{before} ({x:.3}, {y:.3}, {z:.3})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_not_known_is_not_called_the_origin() {
        let mut log = ContactLog::default();
        let impossible_between = Blockers { colliders: [Some(0), None], pin: Some(7) };
        let frame = ContactReport {
            impossible: 1,
            impossible_between,
            tangled: 2,
            held: 3,
            work: 4,
            ..ContactReport::default()
        };
        log.add(frame, None, 0.5);
        assert!(
            log.warnings(|_| String::new()).iter().all(|said| !said.contains("(0.000")),
            "{:?}",
            log.warnings(|_| String::new())
        );
        assert_eq!(ContactLog::from_numbers(&log.numbers()), Some(log));
        let known = ContactReport { tangled_at: Some([0.0; 3]), ..frame };
        let mut log = ContactLog::default();
        log.add(known, None, 0.5);
        assert!(
            log.warnings(|_| String::new())[0].contains("the first at (0.000, 0.000, 0.000)"),
            "{:?}",
            log.warnings(|_| String::new())
        );
    }
}
