use taut::internals::contact::exact::intersections;
use taut_scene::generate::{DressParams, dress};

use crate::check::{border_edges, corners, dot, euler, fault, normal};

#[test]
fn is_a_tube_with_two_handles() {
    let mesh = dress(&DressParams::default()).unwrap();
    // 92 × 44 quads around and 2 × 5 × 40 on the straps.
    assert_eq!(mesh.triangles.len(), 2 * (92 * 44 + 2 * 5 * 40));
    // A tube has 0, and each band between two places of its border takes one away.
    assert_eq!(euler(mesh.positions.len(), &mesh.triangles), -2);
    // The hem, the bust but for where the straps begin and end, and both sides of both straps.
    assert_eq!(border_edges(&mesh), 92 + (92 - 4 * 5) + 4 * 40);
    assert!(intersections(&mesh.positions, &mesh.triangles).is_empty());
}

#[test]
fn has_its_outside_out_and_is_alike_on_both_sides() {
    let params = DressParams { centre: [0.0, 1.0, 0.0], ..DressParams::default() };
    let mesh = dress(&params).unwrap();
    let body = (2 * params.around * params.along) as usize;
    for triangle in 0..mesh.triangles.len() {
        let [a, b, c] = corners(&mesh, triangle);
        let middle: [f64; 3] = std::array::from_fn(|k| (a[k] + b[k] + c[k]) / 3.0);
        // A strap is an arch: its outside faces away from the middle of its foot.
        let inside = if triangle < body { [0.0, middle[1], 0.0] } else { [middle[0], 1.45, 0.0] };
        let out = std::array::from_fn(|k| middle[k] - inside[k]);
        assert!(dot(normal(&mesh, triangle), out) > 0.0, "triangle {triangle} at {middle:?}");
    }
    let mirrored = |p: &[f64; 3]| {
        mesh.positions.iter().any(|q| (q[0] + p[0]).abs() + (q[1] - p[1]).abs() + (q[2] - p[2]).abs() < 1e-9)
    };
    assert!(mesh.positions.iter().all(mirrored));
}

#[test]
fn groups_are_where_their_names_say() {
    let mesh = dress(&DressParams::default()).unwrap();
    let heights = |name: &str| mesh.group(name).unwrap().iter().map(|&v| mesh.positions[v as usize][1]);
    assert!(heights("hem").all(|y| (y + 0.45).abs() < 1e-12) && heights("hem").count() == 92);
    assert!(heights("bust").all(|y| (y - 0.45).abs() < 1e-12) && heights("bust").count() == 92);
    assert!(heights("straps").all(|y| y > 0.45) && heights("straps").count() == 2 * 6 * 39);
    let top = heights("straps").fold(f64::MIN, f64::max);
    assert!((top - 0.71).abs() < 1e-12, "{top}");
}

#[test]
fn bad_parameters_are_named() {
    let with = |change: fn(&mut DressParams)| {
        let mut params = DressParams::default();
        change(&mut params);
        fault(dress(&params))
    };
    assert_eq!(with(|p| p.radii[1] = 0.0), "radii");
    assert_eq!(with(|p| p.depth = f64::NAN), "depth");
    assert_eq!(with(|p| p.around = 90), "around");
    assert_eq!(with(|p| p.strap_across = 12), "strap_across");
    assert_eq!(with(|p| p.strap_along = 3), "strap_along");
    assert_eq!(with(|p| (p.around, p.along) = (40_000, 40_000)), "around, along");
}
