//! The very last resort: what cannot be proved stays where it started.
//!
//! Truncation asks for places that pairs were not found for, and pairs found for these ask for others: nothing says
//! that this ends. Here it does. A pair none of whose vertices moves is proved, so holding the vertices of all pairs
//! that fail, and of those that fail then, ring by ring, comes to an end in which all pairs are proved but those with
//! colliders that move into what is held. Instead of at their starts they may be held where one collider takes all
//! along: what moves by one and the same map keeps apart. Where there are so many pairs that even that costs too much,
//! nothing is proved, and the report says so.

use super::filter::{Ask, RelativeMotion, doubtful};
use super::proof::{Pair, SeparationProof};
use super::{Motion, SafetyReport, SafetySettings, account, admit};
use crate::contact::candidates::PairKind;
use std::collections::BTreeSet;

/// Rings after which everything is held.
const RINGS: usize = 12;

/// What was proved of a motion when it was held back before: of the same motion with another base most is the same
/// again.
#[derive(Debug, Default)]
pub struct KnownProofs {
    /// Where vertices were to end, m.
    ends: Vec<[f64; 3]>,
    pairs: BTreeSet<(PairKind, [u32; 4])>,
}

impl KnownProofs {
    fn holds(&self, pair: &Pair, x: &[[f64; 3]]) -> bool {
        self.pairs.contains(&(pair.kind, pair.nodes))
            && pair.nodes.iter().all(|&i| self.ends[i as usize] == x[i as usize])
    }

    /// Takes note of pairs that were looked at, but for those that fail; both are in one order.
    fn learn(&mut self, looked_at: &[Pair], failing: &[Pair], x: &[[f64; 3]]) {
        let mut failing = failing.iter().peekable();
        let proved = looked_at.iter().filter(|&p| failing.next_if_eq(&p).is_none());
        self.pairs = proved.map(|p| (p.kind, p.nodes)).collect();
        self.ends = x.to_vec();
    }
}

/// Makes a motion safe by holding vertices at `base` (m), which regions must hold: their starts, or where one collider
/// takes them. Writes to `x` where vertices may go. Slices in `motion` must be of one length, and so must `base`. With
/// another base than starts, pairs that are not proved may be left without a kinematic vertex. `known` is of the same
/// motion, and learns.
pub fn hold_back(
    motion: &Motion,
    base: &[[f64; 3]],
    settings: &SafetySettings,
    known: &mut KnownProofs,
    x: &mut Vec<[f64; 3]>,
) -> SafetyReport {
    let mut report = SafetyReport::default();
    let proof = SeparationProof::new(motion, settings);
    admit(&proof, x, &mut report);
    let mut held = vec![0u16; x.len()];
    let relative = RelativeMotion::default().to(&proof, x);
    let mut doubtful = doubtful(&proof, x, Ask::Ends(&relative));
    doubtful.retain(|p| proof.alterable(p));
    let fails = |p: &&Pair| proof.spent() || (!known.holds(p, x) && !proof.proves(p, x));
    let mut failing: Vec<Pair> = doubtful.iter().filter(fails).copied().collect();
    known.learn(&doubtful, &failing, x);
    report.failed = failing.iter().map(|p| (p.kind, p.nodes)).collect();
    for ring in 1..=RINGS as u16 + 1 {
        if proof.spent() {
            break;
        }
        let free = |&i: &u32| !proof.kinematic(i) && held[i as usize] == 0;
        let mut more: Vec<u32> = failing.iter().flat_map(|p| p.nodes).filter(free).collect();
        if more.is_empty() {
            break;
        }
        if usize::from(ring) > RINGS {
            more = (0..x.len() as u32).filter(free).collect();
        }
        for i in more {
            (held[i as usize], x[i as usize]) = (ring, proof.within(i as usize, base[i as usize]));
        }
        let relative = RelativeMotion::default().to(&proof, x);
        // Those that failed before and have nothing left to hold are looked at in the end.
        failing = unproved(&proof, x, Ask::EndsOf(&held, ring, &relative));
    }
    report.held = held.iter().filter(|&&ring| ring > 0).count();
    let any: Vec<u16> = held.iter().map(|&ring| u16::from(ring > 0)).collect();
    let relative = RelativeMotion::default().to(&proof, x);
    let left = if proof.spent() { Vec::new() } else { unproved(&proof, x, Ask::EndsOf(&any, 1, &relative)) };
    report.exhausted = proof.spent();
    // A collider may come nearer than the clearance, as long as it does not touch.
    let touch = |p: &&Pair| !proof.never_within(p, |i| x[i as usize], proof.solid(&p.nodes));
    report.impossible = left.iter().filter(touch).map(|p| p.nodes).collect();
    report.work = proof.work();
    account(motion, x, &mut report);
    report
}

/// The pairs that are not proved and in which something could be moved.
fn unproved(proof: &SeparationProof, x: &[[f64; 3]], ask: Ask) -> Vec<Pair> {
    let mut left = doubtful(proof, x, ask);
    left.retain(|p| proof.alterable(p) && (proof.spent() || !proof.proves(p, x)));
    left
}
