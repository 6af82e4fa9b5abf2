use crate::common::{Rng, sheet};
use taut::internals::contact::exact::{
    IntersectionFinder, intersections, mesh_triangles_meet, segment_meets_triangle, segments_meet, triangles_meet,
};

type I = [i64; 3];

fn sub(a: I, b: I) -> I {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: I, b: I) -> I {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: I, b: I) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Whether the hulls of two sets of lattice points are disjoint, in whole numbers. Disjoint hulls have closest points,
/// and the line between those is perpendicular to the features they lie on: it runs between two vertices, from an edge
/// to a vertex across the edge, or across two edges. One of these directions separates, or none does.
fn disjoint(a: &[I], b: &[I]) -> bool {
    let within = |s: &[I]| {
        let s = s.to_vec();
        s.iter().flat_map(|&p| s.iter().map(move |&q| sub(p, q))).collect::<Vec<I>>()
    };
    let between: Vec<I> = a.iter().flat_map(|&p| b.iter().map(move |&q| sub(p, q))).collect();
    let edges: Vec<I> = within(a).into_iter().chain(within(b)).collect();
    let to_edges = edges.iter().flat_map(|&e| between.iter().map(move |&d| cross(cross(e, d), e)));
    let across = edges.iter().flat_map(|&e| edges.iter().map(move |&f| cross(e, f)));
    between.iter().copied().chain(to_edges).chain(across).any(|n| {
        let (low, high) = (|s: &[I]| s.iter().map(|&p| dot(n, p)).min(), |s: &[I]| s.iter().map(|&p| dot(n, p)).max());
        low(a) > high(b) || low(b) > high(a)
    })
}

fn lattice(rng: &mut Rng, size: u64) -> I {
    std::array::from_fn(|_| (rng.next() % size) as i64)
}

/// The lattice somewhere else and in another scale, still exact.
fn real(p: I) -> [f64; 3] {
    p.map(|c| c as f64 * 0.125 + 3.0)
}

#[test]
fn triangles_meet_as_in_whole_numbers() {
    let mut rng = Rng(5);
    let mut met = 0;
    for i in 0..60_000 {
        // Few places: points, lines, planes and corners coincide all the time.
        let size = 2 + i % 5;
        let p: [I; 6] = std::array::from_fn(|_| lattice(&mut rng, size));
        let (s, t) = ([p[0], p[1], p[2]], [p[3], p[4], p[5]]);
        let expected = !disjoint(&s, &t);
        met += usize::from(expected);
        assert_eq!(triangles_meet(s.map(real), t.map(real)), expected, "{s:?} {t:?}");
        let expected = !disjoint(&s[..2], &t);
        assert_eq!(segment_meets_triangle([real(s[0]), real(s[1])], t.map(real)), expected, "{:?} {t:?}", &s[..2]);
        let expected = !disjoint(&s[..2], &t[..2]);
        assert_eq!(segments_meet([real(s[0]), real(s[1])], [real(t[0]), real(t[1])]), expected, "{s:?} {t:?}");
    }
    assert!((12_000..54_000).contains(&met), "both answers occur: {met}");
}

#[test]
fn neighbours_meet_by_features_without_a_common_vertex() {
    let mut rng = Rng(6);
    for i in 0..60_000 {
        let size = 2 + i % 4;
        let p: [I; 5] = std::array::from_fn(|_| lattice(&mut rng, size));
        let x: Vec<[f64; 3]> = p.iter().copied().map(real).collect();
        let meet = |a: &[usize], b: &[usize]| {
            let at = |s: &[usize]| s.iter().map(|&i| p[i]).collect::<Vec<I>>();
            !disjoint(&at(a), &at(b))
        };
        // 0 is shared: edge 12 against triangle 034, edge 34 against 012.
        let expected = meet(&[1, 2], &[0, 3, 4]) || meet(&[3, 4], &[0, 1, 2]);
        assert_eq!(mesh_triangles_meet(&x, [0, 1, 2], [3, 4, 0]), expected, "{p:?}");
        // 01 is shared: far vertices 2 and 3.
        let far = meet(&[2], &[0, 1, 3]) || meet(&[3], &[0, 1, 2]);
        let expected = far || meet(&[0, 2], &[1, 3]) || meet(&[1, 2], &[0, 3]);
        assert_eq!(mesh_triangles_meet(&x, [0, 1, 2], [1, 0, 3]), expected, "{p:?}");
    }
}

#[test]
fn the_last_bit_decides() {
    let t = [[0.1, 0.7, 0.3], [5.3, -0.2, 0.9], [0.4, 4.1, -1.7]];
    // The middle of the triangle as rounding gives it is on the plane only by luck; one step either way is not. A
    // needle from there to far away meets the triangle from exactly one of the two sides.
    let far = [1.1, 1.3, 50.0];
    for k in 1..200 {
        let w = k as f64 / 600.0;
        let mut p: [f64; 3] = std::array::from_fn(|i| t[0][i] * (1.0 - 2.0 * w) + t[1][i] * w + t[2][i] * w);
        while !segment_meets_triangle([p, far], t) {
            p[2] = p[2].next_down();
        }
        while segment_meets_triangle([p, far], t) {
            p[2] = p[2].next_up();
        }
        p[2] = p[2].next_down();
        assert!(segment_meets_triangle([p, far], t), "{k}: the last place below the plane");
        assert!(!segment_meets_triangle([[p[0], p[1], p[2].next_up()], far], t));
    }
}

#[test]
fn a_mesh_is_searched_completely_and_in_order() {
    let mut rng = Rng(7);
    for _ in 0..40 {
        let mut mesh = sheet(9);
        mesh.positions.iter_mut().for_each(|p| (0..3).for_each(|k| p[k] += rng.within(-0.2, 0.2)));
        let (x, t) = (&mesh.positions, &mesh.triangles);
        let mut expected = Vec::new();
        for i in 0..t.len() {
            for j in i + 1..t.len() {
                if mesh_triangles_meet(x, t[i], t[j]) {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        assert!(!expected.is_empty());
        assert_eq!(intersections(x, t), expected);
        // A hierarchy made for another shape finds the same.
        assert_eq!(IntersectionFinder::new(&sheet(9).positions, t).find(x), expected);
    }
}

#[test]
fn flat_folded_and_touching_sheets() {
    let mesh = sheet(6);
    assert!(intersections(&mesh.positions, &mesh.triangles).is_empty(), "a flat sheet is free");
    let mut folded = mesh.clone();
    folded.positions.iter_mut().for_each(|p| p[0] = (p[0] - 0.4).abs());
    assert!(!intersections(&folded.positions, &folded.triangles).is_empty(), "folded onto itself it is not");
    folded.positions.iter_mut().zip(&mesh.positions).for_each(|(p, q)| p[1] = 1e-300_f64.max(1e-9 * q[0]));
    assert!(intersections(&folded.positions, &folded.triangles).is_empty(), "lifted by a nanometre it is");
}

#[test]
fn odd_input_is_passed_over() {
    let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [f64::NAN, 0.0, 0.0], [f64::INFINITY; 3]];
    let t = [[0, 1, 2], [0, 0, 1], [0, 1, 9], [0, 1, 3], [1, 2, 4], [2, 1, 0]];
    assert_eq!(intersections(&x, &t), [(0, 5)], "only the triangle that is there twice");
    assert!(intersections(&[], &[]).is_empty());
}
