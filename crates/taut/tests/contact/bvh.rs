use crate::common::Rng;
use taut::internals::contact::bvh::{Aabb, BoxTree};

fn boxes(rng: &mut Rng, n: usize, size: f64) -> Vec<Aabb> {
    (0..n)
        .map(|i| {
            let p: [f64; 3] = rng.vector(1.0).into();
            // Some without extent, some not there at all.
            if i % 17 == 3 {
                Aabb::EMPTY
            } else {
                Aabb::around(&[p], if i % 5 == 0 { 0.0 } else { rng.within(0.0, size) })
            }
        })
        .collect()
}

fn sorted(mut v: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    v.sort_unstable();
    v
}

#[test]
fn all_pairs_once_at_every_size() {
    let mut rng = Rng(8);
    for n in [0, 1, 2, 7, 8, 9, 63, 64, 65, 72, 100, 513, 700, 1500] {
        let (a, moved) = (boxes(&mut rng, n, 0.1), boxes(&mut rng, n, 0.1));
        let c = boxes(&mut rng, n / 2 + 3, 0.2);
        let mut tree = BoxTree::new(n, |i| a[i as usize]);
        let other = BoxTree::new(c.len(), |i| c[i as usize]);
        // As built, and refitted to something else entirely.
        for b in [&a, &moved] {
            tree.refit(|i| b[i as usize]);
            let (mut own, mut mixed) = (Vec::new(), Vec::new());
            tree.self_pairs(|i, j| own.push((i.min(j), i.max(j))));
            tree.pairs(&other, |i, j| mixed.push((i, j)));
            let mut expected = (Vec::new(), Vec::new());
            for i in 0..n as u32 {
                let hit = |o: &Aabb| b[i as usize].overlaps(o);
                expected.0.extend((i + 1..n as u32).filter(|&j| hit(&b[j as usize])).map(|j| (i, j)));
                expected.1.extend((0..c.len() as u32).filter(|&j| hit(&c[j as usize])).map(|j| (i, j)));
            }
            assert_eq!(sorted(own), expected.0, "{n} boxes");
            assert_eq!(sorted(mixed), expected.1, "{n} boxes against {}", c.len());
        }
    }
}

#[test]
fn boxes_are_rounded_outwards() {
    let mut rng = Rng(9);
    for _ in 0..10_000 {
        let scale = 10f64.powf(rng.within(-30.0, 30.0));
        let (p, q): ([f64; 3], [f64; 3]) = (rng.vector(scale).into(), rng.vector(scale).into());
        let b = Aabb::around(&[p, q], 0.0);
        assert!(b.holds(p) && b.holds(q));
        // And by no more than one f32: the next smaller box does not hold them.
        assert!((0..3).all(|k| f64::from(b.lo[k].next_up()) > p[k].min(q[k])));
    }
    let far = Aabb::around(&[[1e300, -1e300, 0.0]], 1.0);
    assert!(far.lo.iter().chain(&far.hi).all(|c| c.is_finite()));
    assert_eq!(Aabb::around(&[[f64::NAN, 0.0, 0.0]], 0.0), Aabb::EMPTY);
    assert!(!Aabb::EMPTY.overlaps(&far) && !far.overlaps(&Aabb::EMPTY));
}

#[test]
fn huge_boxes_do_not_meet_the_slots_to_spare() {
    let world = Aabb { lo: [f32::NEG_INFINITY; 3], hi: [f32::INFINITY; 3] };
    let nowhere = Aabb { lo: [f32::NAN; 3], hi: [f32::NAN; 3] };
    for odd in [world, nowhere] {
        let tree = BoxTree::new(3, |_| odd);
        let mut count = 0;
        tree.self_pairs(|_, _| count += 1);
        tree.pairs(&tree, |_, _| count += 1);
        assert!(count <= 12);
    }
}

/// Moving boxes are apart only if one axis separates them on one side at the start and at the end.
#[test]
fn moving_boxes_are_apart_if_an_axis_separates_them_throughout() {
    let mut rng = Rng(12);
    let (starts, ends) = (boxes(&mut rng, 300, 0.1), boxes(&mut rng, 300, 0.1));
    let mut tree = BoxTree::new(300, |i| starts[i as usize]);
    tree.refit_moving(|i| [starts[i as usize], ends[i as usize]]);
    let real = |i: usize| [starts[i], ends[i]].iter().all(|b| b.lo[0] <= b.hi[0]);
    let above = |a: &Aabb, b: &Aabb, k: usize| a.lo[k] > b.hi[k];
    let separates = |i: usize, j: usize, k: usize| {
        (above(&starts[i], &starts[j], k) && above(&ends[i], &ends[j], k))
            || (above(&starts[j], &starts[i], k) && above(&ends[j], &ends[i], k))
    };
    let mut expected = Vec::new();
    for i in 0..300 {
        for j in i + 1..300 {
            if real(i) && real(j) && !(0..3).any(|k| separates(i, j, k)) {
                expected.push((i as u32, j as u32));
            }
        }
    }
    let mut found = Vec::new();
    tree.self_pairs(|i, j| found.push((i.min(j), i.max(j))));
    assert_eq!(sorted(found), expected);
}
