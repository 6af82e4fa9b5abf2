use taut::mesh::TriMesh;
use taut_scene::generate::{Plane, SheetParams, Tessellation, sheet};

use crate::check::{area, assert_isometric, assert_near, border_edges, euler, least_angle, normal};

const TESSELLATIONS: [Tessellation; 3] =
    [Tessellation::Regular, Tessellation::Alternating, Tessellation::Irregular { seed: 5 }];

fn params(tessellation: Tessellation, plane: Plane) -> SheetParams {
    SheetParams { width: 0.7, height: 1.1, nx: 15, ny: 22, plane, centre: [1.0, 2.0, 3.0], tessellation }
}

fn only(mesh: &TriMesh, name: &str) -> [f64; 3] {
    let group = mesh.group(name).unwrap();
    assert_eq!(group.len(), 1, "{name}");
    mesh.positions[group[0] as usize]
}

#[test]
fn is_a_rectangle_with_its_own_shape_as_pattern() {
    for tessellation in TESSELLATIONS {
        for (plane, up) in [(Plane::Xz, 1), (Plane::Xy, 2)] {
            let mesh = sheet(&params(tessellation, plane)).unwrap();
            assert_near(area(&mesh), 0.77, 1e-12);
            assert_eq!(euler(mesh.positions.len(), &mesh.triangles), 1);
            assert_eq!(border_edges(&mesh), mesh.group("border").unwrap().len());
            assert_isometric(&mesh, 1e-12);
            assert!((0..mesh.triangles.len()).all(|triangle| normal(&mesh, triangle)[up] > 0.0));
            assert!(mesh.positions.iter().all(|p| p[up] == [1.0, 2.0, 3.0][up]));
        }
    }
}

#[test]
fn corners_are_where_their_names_say() {
    for tessellation in TESSELLATIONS {
        let upright = sheet(&params(tessellation, Plane::Xy)).unwrap();
        assert_eq!(only(&upright, "bottom_left"), [1.0 - 0.35, 2.0 - 0.55, 3.0]);
        assert_eq!(only(&upright, "top_right"), [1.0 + 0.35, 2.0 + 0.55, 3.0]);
        let lying = sheet(&params(tessellation, Plane::Xz)).unwrap();
        assert_eq!(only(&lying, "bottom_right"), [1.0 + 0.35, 2.0, 3.0 + 0.55]);
        assert_eq!(only(&lying, "top_left"), [1.0 - 0.35, 2.0, 3.0 - 0.55]);
        let corner_of = |vertex: u32| lying.uvs[vertex as usize];
        let mut corners: Vec<_> = lying.group("corners").unwrap().iter().map(|&vertex| corner_of(vertex)).collect();
        corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(corners, [[0.0, 0.0], [0.0, 1.1], [0.7, 0.0], [0.7, 1.1]]);
    }
}

#[test]
fn sides_hold_exactly_the_vertices_on_them() {
    for tessellation in TESSELLATIONS {
        let mesh = sheet(&params(tessellation, Plane::Xy)).unwrap();
        for (name, axis, side) in
            [("left", 0, 1.0 - 0.35), ("right", 0, 1.0 + 0.35), ("bottom", 1, 2.0 - 0.55), ("top", 1, 2.0 + 0.55)]
        {
            let on_side = (0..).zip(&mesh.positions).filter(|(_, p)| (p[axis] - side).abs() < 1e-9);
            let expected: Vec<u32> = on_side.map(|(index, _)| index).collect();
            assert_eq!(mesh.group(name).unwrap(), expected, "{name}");
            assert!(expected.len() >= 10, "{name}");
        }
        let sides = ["left", "right", "bottom", "top"];
        let together: usize = sides.iter().map(|name| mesh.group(name).unwrap().len()).sum();
        assert_eq!(mesh.group("border").unwrap().len(), together - 4);
    }
}

#[test]
fn grids_have_the_vertices_asked_for_and_differ_in_their_diagonals() {
    let regular = sheet(&params(Tessellation::Regular, Plane::Xy)).unwrap();
    let alternating = sheet(&params(Tessellation::Alternating, Plane::Xy)).unwrap();
    for mesh in [&regular, &alternating] {
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (15 * 22, 2 * 14 * 21));
        assert_eq!(mesh.group("top").unwrap().len(), 15);
        assert_eq!(mesh.group("left").unwrap().len(), 22);
    }
    // Slopes of the diagonals: all rising in one, as many falling in the other.
    let falling = |mesh: &TriMesh| {
        let sides = mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let slopes = sides.map(|(a, b)| {
            let (p, q) = (mesh.positions[a as usize], mesh.positions[b as usize]);
            (q[0] - p[0]) * (q[1] - p[1])
        });
        slopes.filter(|&slope| slope < -1e-9).count()
    };
    assert_eq!(falling(&regular), 0);
    assert_eq!(falling(&alternating), 14 * 21);
}

#[test]
fn irregular_sheets_have_no_slivers_and_about_the_vertices_asked_for() {
    for (width, height, nx, ny) in
        [(1.0, 1.0, 10, 10), (1.0, 1.0, 60, 60), (4.0, 1.0, 80, 20), (0.3, 3.0, 10, 100), (1.234, 0.777, 41, 29)]
    {
        for seed in 0..8 {
            let tessellation = Tessellation::Irregular { seed };
            let mesh = sheet(&SheetParams { width, height, nx, ny, tessellation, ..Default::default() }).unwrap();
            assert!(least_angle(&mesh) > 29.99, "{width} × {height}, seed {seed}: {}°", least_angle(&mesh));
            let ratio = mesh.positions.len() as f64 / f64::from(nx * ny);
            assert!((0.85..1.15).contains(&ratio), "{width} × {height}, {nx} × {ny}: ratio {ratio}");
        }
    }
}

#[test]
fn coarse_and_slim_irregular_sheets_are_sound() {
    for (width, height, nx, ny) in [
        (1.0, 1.0, 2, 2),
        (1.9, 1.0, 2, 2),
        (1.0, 1.0, 3, 2),
        (10.0, 0.01, 2, 2),
        (1e-6, 1e-6, 20, 20),
        (1e6, 1e6, 20, 20),
    ] {
        let tessellation = Tessellation::Irregular { seed: 3 };
        let mesh = sheet(&SheetParams { width, height, nx, ny, tessellation, ..Default::default() }).unwrap();
        assert_near(area(&mesh), width * height, 1e-12 * width * height);
        assert_eq!(euler(mesh.positions.len(), &mesh.triangles), 1);
        assert!(least_angle(&mesh) > 20.0, "{width} × {height}, {nx} × {ny}: {}°", least_angle(&mesh));
    }
}

#[test]
fn irregular_sheets_depend_on_their_seed_alone() {
    let make = |seed| sheet(&params(Tessellation::Irregular { seed }, Plane::Xz)).unwrap();
    assert_eq!(make(5), make(5));
    assert_ne!(make(5), make(6));
}

#[test]
fn neighbours_in_space_have_near_numbers() {
    let tessellation = Tessellation::Irregular { seed: 1 };
    let mesh = sheet(&SheetParams { nx: 100, ny: 100, tessellation, ..Default::default() }).unwrap();
    let mut gaps: Vec<u32> = mesh.triangles.iter().map(|&[a, b, c]| a.abs_diff(b).max(b.abs_diff(c))).collect();
    gaps.sort_unstable();
    // Numbered at random the median would be a third of the 10,000 vertices and more.
    assert!(gaps[gaps.len() / 2] < 100, "median gap {}", gaps[gaps.len() / 2]);
}

#[test]
fn bad_parameters_are_named() {
    let good = SheetParams::default();
    let irregular = Tessellation::Irregular { seed: 0 };
    let cases = [
        ("width", SheetParams { width: 0.0, ..good.clone() }),
        ("width", SheetParams { width: f64::NAN, ..good.clone() }),
        ("height", SheetParams { height: -1.0, ..good.clone() }),
        ("height", SheetParams { height: f64::INFINITY, ..good.clone() }),
        ("nx", SheetParams { nx: 1, ..good.clone() }),
        ("ny", SheetParams { ny: 0, ..good.clone() }),
        ("nx, ny", SheetParams { nx: u32::MAX, ny: u32::MAX, ..good.clone() }),
        ("centre", SheetParams { centre: [0.0, f64::NAN, 0.0], ..good.clone() }),
        ("width, height", SheetParams { width: 1e6, height: 1e-6, tessellation: irregular, ..good.clone() }),
    ];
    for (parameter, params) in cases {
        let error = sheet(&params).unwrap_err();
        assert_eq!(error.parameter, parameter, "{error}");
    }
    let error = sheet(&SheetParams { width: -2.0, ..good }).unwrap_err();
    assert_eq!(error.to_string(), "width: found -2, expected a length from 0.000001 to 1000000 m");
}
