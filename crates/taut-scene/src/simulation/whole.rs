//! What is held between neighbours stays whole: edges of cloth between places that a skin draws apart.

use super::grip::Grip;
use super::skin::components;
use glam::DVec3;

/// An edge between two places, by their numbers, and how long it may be, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tie {
    pub between: [u32; 2],
    pub longest: f64,
}

/// Times that all edges are gone through at most.
const ROUNDS: usize = 400;
/// What of a limit is used: the rest is for rounding, and for threads that run askew to edges.
const USED: f64 = 0.9;
/// An edge that is longer than it may be by less than this share of its length is left.
const NEAR: f64 = 1e-5;

/// The edges of some places (m), each of which may be longer than it is by a share of its length.
pub(super) fn ties(edges: &[[u32; 2]], places: &[[f64; 3]], limit: f64) -> Vec<Tie> {
    let tie = |&[a, b]: &[u32; 2]| {
        let length = DVec3::from(places[a as usize]).distance(places[b as usize].into());
        Tie { between: [a, b], longest: length * (1.0 + USED * limit) }
    };
    edges.iter().map(tie).filter(|tie| tie.longest > 0.0).collect()
}

/// Draws places (m) together where an edge between them is too long, both as far. Where that has not come to an end,
/// what
/// hangs together goes towards the stiff piece that it was at `start` (m), until no edge is too long any more: lengths
/// between the two are between those of the two.
pub(super) fn keep_whole(places: &mut [[f64; 3]], ties: &[Tie], start: &[[f64; 3]]) {
    if draw_together(places, ties, 1.0, ROUNDS) {
        return;
    }
    let edges: Vec<[u32; 2]> = ties.iter().map(|tie| tie.between).collect();
    let piece = components(places.len(), &edges);
    let length = |x: &[[f64; 3]], [a, b]: [u32; 2]| DVec3::from(x[a as usize]).distance(x[b as usize].into());
    // How much of what is there may stay, by the piece.
    let mut stays = vec![1.0f64; places.len()];
    for tie in ties {
        let (now, then) = (length(places, tie.between), length(start, tie.between));
        if now > tie.longest {
            let stay = &mut stays[piece[tie.between[0] as usize] as usize];
            *stay = stay.min((tie.longest - then).max(0.0) / (now - then));
        }
    }
    for first in (0..places.len()).filter(|&first| stays[first] < 1.0) {
        let mine: Vec<usize> = (0..places.len()).filter(|&at| piece[at] as usize == first).collect();
        let weights: Vec<(u32, f64)> = mine.iter().map(|&at| (at as u32, 1.0)).collect();
        let Some(grip) = Grip::new(&weights, start) else { continue };
        let motion = grip.motion(places);
        for at in mine {
            let (stiff, now) = (DVec3::from(motion.carry(start[at])), DVec3::from(places[at]));
            places[at] = (stiff + stays[first] * (now - stiff)).into();
        }
    }
}

/// As far as a number of rounds goes; whether they were enough. Every tie may be so many times as long as it may be.
pub(super) fn draw_together(places: &mut [[f64; 3]], ties: &[Tie], give: f64, rounds: usize) -> bool {
    for _ in 0..rounds {
        let mut done = true;
        for tie in ties {
            let [a, b] = tie.between.map(|v| v as usize);
            let way = DVec3::from(places[b]) - DVec3::from(places[a]);
            let (length, longest) = (way.length(), tie.longest * give);
            if length > longest * (1.0 + NEAR) {
                let half = way * (0.5 * (length - longest) / length);
                places[a] = (DVec3::from(places[a]) + half).into();
                places[b] = (DVec3::from(places[b]) - half).into();
                done = false;
            }
        }
        if done {
            return true;
        }
    }
    false
}

/// How much longer ties may be in the turns of drawing together and putting out again, if that has not come to an end:
/// what cannot be as short as it should is then stretched alike all over, not torn at a corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Give {
    turns: u32,
    /// As a factor.
    pub factor: f64,
}

impl Give {
    /// None for the first turns.
    pub const NONE: Give = Give { turns: 0, factor: 1.0 };
    const FREE: u32 = 8;
    const MORE: f64 = 1.03;

    /// As much as it is after another turn that was not enough.
    pub fn after(self) -> Give {
        let more = if self.turns < Self::FREE { 1.0 } else { Self::MORE };
        Give { turns: self.turns + 1, factor: self.factor * more }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of 24 places of which one is drawn far out.
    #[test]
    fn a_ring_gives_as_a_whole_where_one_edge_would_tear() {
        let angle = |k: u32| f64::from(k) / 24.0 * std::f64::consts::TAU;
        let start: Vec<[f64; 3]> = (0..24).map(|k| [angle(k).cos(), 0.0, angle(k).sin()]).collect();
        let edges: Vec<[u32; 2]> = (0..24).map(|k| [k, (k + 1) % 24]).collect();
        let ties = ties(&edges, &start, 0.02);
        let mut places = start.clone();
        keep_whole(&mut places, &ties, &start);
        assert_eq!(places, start, "what is not too long is left, to the bit");
        places[0][0] += 0.1;
        keep_whole(&mut places, &ties, &start);
        let stretch = |&[a, b]: &[u32; 2]| {
            let length = |x: &[[f64; 3]]| DVec3::from(x[a as usize]).distance(x[b as usize].into());
            length(&places) / length(&start) - 1.0
        };
        let worst = edges.iter().map(stretch).fold(0.0, f64::max);
        assert!(worst < 0.02, "{worst}");
        assert!(places[0][0] > 1.0, "and goes where it can: {}", places[0][0]);
    }

    /// A long ring of which one half is carried away: rounds alone would not bring it together.
    #[test]
    fn a_band_that_is_torn_in_two_still_keeps_its_lengths() {
        let count = 400u32;
        let angle = |k: u32| f64::from(k) / f64::from(count) * std::f64::consts::TAU;
        let start: Vec<[f64; 3]> = (0..count).map(|k| [angle(k).cos(), 0.0, angle(k).sin()]).collect();
        let edges: Vec<[u32; 2]> = (0..count).map(|k| [k, (k + 1) % count]).collect();
        let ties = ties(&edges, &start, 0.02);
        let mut places = start.clone();
        places[..200].iter_mut().for_each(|p| *p = [p[0] + 3.0, p[1] + 1.0, p[2]]);
        assert!(!draw_together(&mut places.clone(), &ties, 1.0, ROUNDS), "an easy case would show nothing");
        keep_whole(&mut places, &ties, &start);
        for tie in &ties {
            let [a, b] = tie.between.map(|v| DVec3::from(places[v as usize]));
            assert!(a.distance(b) < tie.longest * 1.0001, "{:?}", tie.between);
        }
        let middle = places.iter().map(|p| p[0]).sum::<f64>() / f64::from(count);
        assert!((middle - 1.5).abs() < 1e-6, "it went along, by half of what one half did: {middle}");
    }
}
