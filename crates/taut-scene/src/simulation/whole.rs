//! What is held between neighbours stays whole: edges of cloth between places that a skin draws apart.

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

/// Draws places (m) together where an edge between them is too long, both as far.
pub(super) fn keep_whole(places: &mut [[f64; 3]], ties: &[Tie]) {
    for _ in 0..ROUNDS {
        let mut done = true;
        for tie in ties {
            let [a, b] = tie.between.map(|v| v as usize);
            let way = DVec3::from(places[b]) - DVec3::from(places[a]);
            let length = way.length();
            if length > tie.longest * (1.0 + NEAR) {
                let half = way * (0.5 * (length - tie.longest) / length);
                places[a] = (DVec3::from(places[a]) + half).into();
                places[b] = (DVec3::from(places[b]) - half).into();
                done = false;
            }
        }
        if done {
            return;
        }
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
        keep_whole(&mut places, &ties);
        assert_eq!(places, start, "what is not too long is left, to the bit");
        places[0][0] += 0.1;
        keep_whole(&mut places, &ties);
        let stretch = |&[a, b]: &[u32; 2]| {
            let length = |x: &[[f64; 3]]| DVec3::from(x[a as usize]).distance(x[b as usize].into());
            length(&places) / length(&start) - 1.0
        };
        let worst = edges.iter().map(stretch).fold(0.0, f64::max);
        assert!(worst < 0.02, "{worst}");
        assert!(places[0][0] > 1.0, "and goes where it can: {}", places[0][0]);
    }
}
