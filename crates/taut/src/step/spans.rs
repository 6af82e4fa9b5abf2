//! Spans of a step, where bounds on stretch and contact cannot be met in one.
//!
//! What is drawn over an edge or around a limb goes along planes that are those of the interval's start. Where it has
//! far to go, planes and bounds contradict each other though there is a way: it takes several. So a span that ends
//! beyond its bounds is made anew, from where it began, as shorter ones, each with contacts and an end of its own;
//! after some that went well they become longer. Hard steps follow upon hard ones, so the next begins with spans as
//! short. Where no length helps, what is left of the step is made as it would have been, and what it misses is told.

use crate::state::Effort;

/// How many spans follow upon one that failed.
const FINER: f64 = 4.0;
/// Spans in a second at most: beyond that a pin at 10 m/s goes half a millimetre.
const FINEST: f64 = 16_384.0;
/// After so many spans that went well they become four times as long.
const CALM: u32 = 8;
/// Attempts at spans in a step at most; and no more once rounds of bounds are this many times as many as may be made
/// at once.
const MOST_ATTEMPTS: u32 = 192;
const MOST_ROUNDS: u64 = 12;
/// The shortest spans of a step that are made as they are, at most, before all that is left of it is: each gives up
/// what motion it must.
const MOST_LEAPS: u32 = 8;
/// Where no length helped, one step is made as it is, then, if it is in vain again, two, and so on up to so many,
/// before spans are tried again.
const MOST_PAUSE: u32 = 16;

/// A part of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// Where it begins and ends, 0 to 1.
    pub from: f64,
    pub to: f64,
    /// Whether it is made anew if it ends beyond its bounds.
    pub trial: bool,
}

/// How a step is gone through.
#[derive(Debug)]
pub(super) struct Spans {
    before: Effort,
    /// The step's length, where the next span begins, and how long spans are, in units: a power of two of them.
    units: u32,
    at: u32,
    size: u32,
    /// How many spans of this size went well in a row, and attempts of any.
    calm: u32,
    attempts: u32,
    /// Whether there are trials at all; whether the next span is none, as it has failed and cannot be shorter, and how
    /// often that was so; whether they have come to nothing.
    tries: bool,
    leap: bool,
    leaps: u32,
    vain: bool,
}

impl Spans {
    /// Of a step of `dt` seconds, after steps that took so much. Spans are tried, if they are, that may be as short as
    /// the substeps of a solver that needs `substeps` in each.
    pub fn new(before: Effort, dt: f64, substeps: u32, tries: bool) -> Self {
        let most = (FINEST * dt / f64::from(substeps)).min(65_536.0) as u32;
        let units = if tries && most > 1 { 1 << most.ilog2() } else { 1 };
        let tries = units > 1 && before.pause == 0;
        let size = if tries { (units / before.spans.next_power_of_two()).max(1) } else { units };
        Spans { before, units, at: 0, size, calm: before.calm, attempts: 0, tries, leap: false, leaps: 0, vain: false }
    }

    /// The next span, until the step is over.
    pub fn next(&self) -> Option<Span> {
        let part = |units: u32| f64::from(units) / f64::from(self.units);
        let short = self.tries && !self.vain;
        let to = if short { self.at + self.size } else { self.units };
        (self.at < self.units).then_some(Span { from: part(self.at), to: part(to), trial: short && !self.leap })
    }

    /// The span came to nothing: of so many substeps, those `failed` of an interval. `rounds` is how many the step has
    /// taken so far, over how many may be made at once.
    pub fn failed(&mut self, failed: u32, substeps: u32, rounds: u64) {
        // What went too far is an interval between two searches for contacts.
        let interval = f64::from(self.size) * f64::from(failed.max(1)) / f64::from(substeps.max(1));
        self.attempts += 1;
        self.calm = 0;
        self.leap = self.size <= 1;
        self.leaps += u32::from(self.leap);
        self.vain = self.leaps > MOST_LEAPS || self.attempts >= MOST_ATTEMPTS || rounds >= MOST_ROUNDS;
        self.size =
            1 << ((interval / FINER) as u32).clamp(1, self.size).ilog2().min(self.size.ilog2().saturating_sub(1));
    }

    /// The span is over.
    pub fn done(&mut self) {
        if self.vain || !self.tries {
            self.at = self.units;
            return;
        }
        self.attempts += 1;
        self.at += self.size;
        self.calm = if core::mem::take(&mut self.leap) { 0 } else { self.calm + 1 };
        let longer = self.size.saturating_mul(FINER as u32).min(self.units);
        if self.size == self.units {
            self.calm = 0;
        } else if self.calm >= CALM && self.at.is_multiple_of(longer) {
            (self.size, self.calm) = (longer, 0);
        }
    }

    /// What is to be known of it in the next step.
    pub fn effort(&self) -> Effort {
        let Effort { pause, vain, .. } = self.before;
        match () {
            () if pause > 0 => Effort { pause: pause - 1, vain, ..Effort::default() },
            () if self.vain => {
                let pause = (1u32 << vain.min(16)).min(MOST_PAUSE);
                Effort { pause, vain: vain.saturating_add(1), ..Effort::default() }
            }
            () => Effort { spans: self.units / self.size, calm: self.calm, ..Effort::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 1.0 / 60.0;

    /// Goes through a step of which spans fail that are longer than this part of it, or reach into `hard`.
    fn go(before: Effort, longest: f64, hard: [f64; 2]) -> (Vec<Span>, usize, Effort) {
        let (mut spans, mut made, mut failed) = (Spans::new(before, DT, 1, true), Vec::new(), 0);
        while let Some(span) = spans.next() {
            let misses = span.to - span.from > longest || (span.to > hard[0] && span.from < hard[1]);
            if misses && span.trial {
                failed += 1;
                spans.failed(1, 1, 0);
            } else {
                made.push(span);
                spans.done();
            }
            assert!(failed + made.len() < 300, "it ends");
        }
        (made, failed, spans.effort())
    }

    const NOWHERE: [f64; 2] = [2.0, 2.0];

    #[test]
    fn spans_cover_the_step_without_gaps() {
        for longest in [1.0, 0.3, 0.1, 0.02, 0.005] {
            for hard in [NOWHERE, [0.5, 0.51], [0.0, 1.0]] {
                let (made, ..) = go(Effort::default(), longest, hard);
                assert_eq!((made[0].from, made[made.len() - 1].to), (0.0, 1.0));
                assert!(made.windows(2).all(|w| w[0].to == w[1].from && w[0].from < w[0].to), "{made:?}");
            }
        }
    }

    #[test]
    fn a_step_that_goes_well_is_one_span() {
        let (made, failed, effort) = go(Effort::default(), 1.0, NOWHERE);
        assert_eq!((made.len(), failed, effort), (1, 0, Effort::default()));
    }

    #[test]
    fn the_next_step_begins_with_spans_as_short_and_then_with_longer_ones() {
        let (_, failed, effort) = go(Effort::default(), 0.3, NOWHERE);
        assert_eq!((failed, effort.spans), (1, 4));
        let (made, failed, effort) = go(effort, 0.3, NOWHERE);
        assert_eq!((made.len(), failed, effort), (4, 0, Effort::default()), "eight went well: the next begins longer");
        let (made, failed, effort) = go(effort, 0.3, NOWHERE);
        assert_eq!((made.len(), failed, effort.spans), (4, 1, 4));
    }

    #[test]
    fn a_place_where_no_length_helps_is_left_behind_by_short_spans() {
        let (made, _, effort) = go(Effort::default(), 1.0, [0.5, 0.503]);
        let as_they_are: Vec<_> = made.iter().filter(|p| !p.trial).collect();
        assert_eq!(as_they_are.len(), 1, "{made:?}");
        assert!(as_they_are[0].to - as_they_are[0].from < 0.01);
        assert_eq!(effort.pause, 0);
    }

    #[test]
    fn where_nothing_helps_steps_are_left_as_they_are_for_longer_and_longer() {
        let (mut effort, mut pauses) = (Effort::default(), Vec::new());
        for _ in 0..100 {
            let pausing = effort.pause > 0;
            let (made, failed, after) = go(effort, 0.0, NOWHERE);
            assert!(!pausing || (made.len(), failed) == (1, 0), "no trials");
            if !pausing {
                pauses.push(after.pause);
            }
            effort = after;
        }
        assert_eq!(pauses[..6], [1, 2, 4, 8, 16, 16]);
    }
}
