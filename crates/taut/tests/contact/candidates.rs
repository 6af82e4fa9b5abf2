use crate::common::{Rng, sheet};
use crate::{all_pairs, swept_regions};
use taut::internals::contact::candidates::{NearPair, PairKind, Pairs, SurfaceBvh, near};
use taut::internals::contact::distance::{edge_edge, vertex_triangle};
use taut::internals::contact::surface::Surface;
use taut::internals::lanes::V3;

type P = [f64; 3];

/// Two crumpled sheets in one array of positions.
fn crumpled(rng: &mut Rng) -> (Vec<P>, Vec<[u32; 3]>, Vec<[u32; 3]>) {
    let mesh = sheet(8);
    let n = mesh.positions.len() as u32;
    let mut x = mesh.positions.clone();
    x.extend(mesh.positions.iter().map(|p| [p[0] + 0.03, p[1] + 0.1, p[2] - 0.02]));
    x.iter_mut().for_each(|p| (0..3).for_each(|k| p[k] += rng.within(-0.06, 0.06)));
    let other = mesh.triangles.iter().map(|t| t.map(|i| i + n)).collect();
    (x, mesh.triangles, other)
}

fn detect(x: &[P], surfaces: &[&[[u32; 3]]], deforms: &[bool], distance: f64) -> Vec<NearPair> {
    let regions = swept_regions(x, x, 0.5 * distance);
    let fields: Vec<SurfaceBvh> = surfaces.iter().map(|t| SurfaceBvh::new(Surface::new(t), &regions)).collect();
    let mut found = Vec::new();
    near(x, &all_pairs(&fields, deforms), distance, &mut found);
    found
}

fn brute(x: &[P], s: &Surface, t: &Surface, own: bool, distance: f64, out: &mut Vec<(PairKind, [u32; 4])>) {
    let at = |i: u32| V3::from(x[i as usize]);
    for (s, t) in if own { vec![(s, t)] } else { vec![(s, t), (t, s)] } {
        for &v in &s.vertices {
            for &[a, b, c] in &t.triangles {
                let d2 = vertex_triangle(at(v), [at(a), at(b), at(c)]).distance2;
                if ![a, b, c].contains(&v) && d2 < distance * distance {
                    out.push((PairKind::VertexTriangle, [v, a, b, c]));
                }
            }
        }
    }
    for (i, &[a, b]) in s.edges.iter().enumerate() {
        for (j, &[c, d]) in t.edges.iter().enumerate() {
            let found = edge_edge([at(a), at(b)], [at(c), at(d)]);
            let apart = ![c, d].contains(&a) && ![c, d].contains(&b) && (!own || i < j);
            if apart && found.distance2 < distance * distance && !found.weights.contains(&0.0) {
                out.push((PairKind::EdgeEdge, [a, b, c, d]));
            }
        }
    }
}

/// Which of two edges comes first is the search's to choose.
fn lesser_edge_first((kind, nodes): &mut (PairKind, [u32; 4])) {
    if *kind == PairKind::EdgeEdge && nodes[..2] > nodes[2..] {
        nodes.rotate_left(2);
    }
}

#[test]
fn near_pairs_are_those_of_a_search_through_all() {
    let mut rng = Rng(12);
    let mut total = 0;
    for round in 0..30 {
        let (x, s, t) = crumpled(&mut rng);
        let distance = rng.within(0.005, 0.08);
        let deforms = [true, round % 2 == 0];
        let found = detect(&x, &[&s, &t], &deforms, distance);
        let (fs, ft) = (Surface::new(&s), Surface::new(&t));
        let mut expected = Vec::new();
        brute(&x, &fs, &fs, true, distance, &mut expected);
        brute(&x, &fs, &ft, false, distance, &mut expected);
        if deforms[1] {
            brute(&x, &ft, &ft, true, distance, &mut expected);
        }
        expected.iter_mut().for_each(lesser_edge_first);
        expected.sort_unstable();
        let mut got: Vec<_> = found.iter().map(|n| (n.kind, n.nodes)).collect();
        got.iter_mut().for_each(lesser_edge_first);
        got.sort_unstable();
        total += expected.len();
        assert!(got == expected, "{} against {}", got.len(), expected.len());
        for n in &found {
            let sum = (0..4).fold(V3::default(), |s, i| s + V3::from(x[n.nodes[i] as usize]) * n.weights[i]);
            assert!((sum - V3::from(n.delta)).norm2().sqrt() < 1e-14);
            assert!((V3::from(n.delta).norm2().sqrt() - n.distance).abs() < 1e-15);
        }
    }
    assert!(total > 3000, "{total}");
}

/// What `near` leaves out of edges, it lists elsewhere: the least distance from one sheet to the other survives.
#[test]
fn edges_that_end_in_a_vertex_are_covered_by_it() {
    let mut rng = Rng(13);
    for _ in 0..200 {
        let (x, s, t) = crumpled(&mut rng);
        let at = |i: u32| V3::from(x[i as usize]);
        let (fs, ft) = (Surface::new(&s), Surface::new(&t));
        let e = fs.edges.iter().flat_map(|&a| ft.edges.iter().map(move |&b| (a, b)));
        let least = e.map(|(a, b)| edge_edge(a.map(at), b.map(at)).distance2.sqrt()).fold(f64::INFINITY, f64::min);
        let found = detect(&x, &[&s, &t], &[false, true], least * 1.001 + 1e-9);
        let between = |n: &&NearPair| (n.nodes[0] as usize) < x.len() / 2 || (n.nodes[3] as usize) < x.len() / 2;
        let got = found.iter().filter(between).map(|n| n.distance).fold(f64::INFINITY, f64::min);
        assert!(got <= least * (1.0 + 1e-12), "{got} against {least}");
    }
}

#[test]
fn the_order_depends_on_the_state_alone() {
    let mut rng = Rng(14);
    let (x, s, t) = crumpled(&mut rng);
    let first = detect(&x, &[&s, &t], &[true, true], 0.05);
    assert_eq!(detect(&x, &[&s, &t], &[true, true], 0.05), first);
    // Refitted from elsewhere and back, the hierarchy gives the same pairs in the same order.
    let moved: Vec<P> = x.iter().map(|p| [p[2] * 3.0, p[0], -p[1]]).collect();
    let (there, here) = (swept_regions(&moved, &moved, 0.1), swept_regions(&x, &x, 0.025));
    let mut field = SurfaceBvh::new(Surface::new(&s), &here);
    let (mut a, mut b) = (Pairs::default(), Pairs::default());
    field.self_pairs(&mut a);
    field.refit(&there);
    field.refit(&here);
    field.self_pairs(&mut b);
    assert_eq!(a, b);
}

#[test]
fn a_vertex_that_is_nowhere_is_near_nothing() {
    let mut rng = Rng(15);
    let (mut x, s, _) = crumpled(&mut rng);
    x[9] = [f64::NAN, 0.0, 0.0];
    x[20] = [0.0, f64::NEG_INFINITY, 0.0];
    let found = detect(&x, &[&s], &[true], 0.1);
    assert!(!found.is_empty() && found.iter().all(|n| !n.nodes.contains(&9) && !n.nodes.contains(&20)));
}

#[test]
fn a_surface_has_every_feature_once() {
    let s = Surface::new(&[[3, 1, 2], [1, 3, 7], [5, 5, 1], [2, 1, 9]]);
    assert_eq!(s.vertices, [1, 2, 3, 7, 9]);
    assert_eq!(s.edges, [[1, 2], [1, 3], [1, 7], [1, 9], [2, 3], [2, 9], [3, 7]]);
    assert_eq!(s.triangles, [[3, 1, 2], [1, 3, 7], [2, 1, 9]]);
}
