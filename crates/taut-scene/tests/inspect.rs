//! What `inspect` finds on meshes whose defects are known.

use taut::mesh::{TetMesh, TriMesh};
use taut_scene::inspect::{MeshInfo, SurfaceInfo, UvState, VolumeInfo, inspect};

fn surface(mesh: &TriMesh) -> SurfaceInfo {
    let info = inspect(mesh);
    assert!(!info.to_string().is_empty());
    match info {
        MeshInfo::Surface(info) => info,
        MeshInfo::Volume(_) => unreachable!(),
    }
}

fn volume(mesh: &TetMesh) -> VolumeInfo {
    match inspect(mesh) {
        MeshInfo::Volume(info) => info,
        MeshInfo::Surface(_) => unreachable!(),
    }
}

/// A sheet of n × n squares, 1 wide, with exact texture coordinates in units of `scale`.
fn sheet(n: usize, scale: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    for i in 0..=n {
        for k in 0..=n {
            let (x, y) = (i as f64 / n as f64, k as f64 / n as f64);
            mesh.positions.push([x, y, 0.0]);
            mesh.uvs.push([x / scale, y / scale]);
        }
    }
    for i in 0..n {
        for k in 0..n {
            let a = (i * (n + 1) + k) as u32;
            let b = a + n as u32 + 1;
            mesh.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        }
    }
    mesh.uv_triangles = mesh.triangles.clone();
    mesh
}

fn octahedron() -> TriMesh {
    let positions = vec![[1., 0., 0.], [-1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., -1.]];
    let triangles = vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    TriMesh { positions, triangles, ..TriMesh::default() }
}

#[test]
fn a_good_sheet_has_no_problems() {
    let mesh = sheet(8, 0.25);
    let info = surface(&mesh);
    assert_eq!((info.triangles, info.common.vertices, info.common.edges), (128, 81, 208));
    assert!((info.area - 1.0).abs() < 1e-12);
    assert_eq!((info.boundary_loops, info.boundary_edges, info.closed, info.volume), (1, 32, false, None));
    assert_eq!(info.common.components, 1);
    assert!((info.min_angle_degrees.unwrap() - 45.0).abs() < 1e-9);
    let lengths = info.common.edge_lengths.unwrap();
    assert!((lengths.min - 0.125).abs() < 1e-12 && (lengths.max - 0.125 * 2_f64.sqrt()).abs() < 1e-12);
    assert_eq!(info.uv.state, UvState::Consistent);
    assert!((info.uv.scale.unwrap() - 0.25).abs() < 1e-12);
    assert!(inspect(&mesh).problems().is_empty());
}

#[test]
fn a_closed_mesh_has_a_volume() {
    let info = surface(&octahedron());
    assert!(info.closed && (info.volume.unwrap() - 4.0 / 3.0).abs() < 1e-12);
    let mut inside_out = octahedron();
    inside_out.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert!((surface(&inside_out).volume.unwrap() + 4.0 / 3.0).abs() < 1e-12);
    assert!(inspect(&inside_out).problems().contains(&"the mesh is inside out: its triangles face inwards".into()));
}

#[test]
fn holes_and_parts_are_counted() {
    let without = |squares: [u32; 2]| {
        let mut mesh = TriMesh { uvs: Vec::new(), uv_triangles: Vec::new(), ..sheet(8, 1.0) };
        mesh.triangles.retain(|t| !squares.contains(&t[0]));
        surface(&mesh)
    };
    assert_eq!(without([30, 50]).boundary_loops, 3);
    // Two holes that touch in a corner: one boundary runs round both, like a figure of eight.
    let touching = without([30, 40]);
    assert_eq!((touching.boundary_loops, touching.non_manifold_vertices.first), (2, vec![40]));
    let mut two = octahedron();
    let other = octahedron();
    two.positions.extend(other.positions.iter().map(|p| [p[0] + 5.0, p[1], p[2]]));
    two.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + 6)));
    assert_eq!(surface(&two).common.components, 2);
}

#[test]
fn defects_are_found_and_named() {
    let mut mesh = octahedron();
    mesh.positions.extend([[1.0, 0.0, 0.0], [f64::NAN, 0.0, 0.0], [2.0, 2.0, 2.0]]);
    mesh.triangles[1].swap(0, 1);
    mesh.triangles.extend([[0, 2, 8], [4, 0, 2], [0, 0, 2], [0, 1, 99]]);
    let info = surface(&mesh);
    assert_eq!(info.common.duplicate_positions.first, [6]);
    assert_eq!(info.common.not_finite.first, [7]);
    assert_eq!(info.common.unreferenced.first, [6, 7]);
    assert_eq!(info.common.bad_indices.first, [11]);
    assert_eq!(info.duplicate_triangles.first, [9]);
    assert_eq!(info.degenerate_triangles.first, [10]);
    assert_eq!(info.non_manifold_edges.first, [[0, 2], [0, 4], [2, 4]]);
    assert_eq!(info.inconsistent_edges.first, [[1, 2], [1, 4]]);
    let problems = inspect(&mesh).problems();
    assert_eq!(problems[0], "1 vertex is not a finite point: 7");
    assert_eq!(problems[4], "3 edges have more than two triangles: [0, 2], [0, 4], [2, 4]");
}

#[test]
fn texture_coordinates_are_judged() {
    let mut mesh = sheet(8, 1.0);
    let n = mesh.uvs.len();
    // An unwrap that stretches smoothly by up to 2.
    mesh.uvs.iter_mut().for_each(|uv| *uv = [uv[0] + uv[0] * uv[0] / 2.0, uv[1]]);
    assert_eq!(surface(&mesh).uv.state, UvState::Distorted);
    let shuffled: Vec<_> = (0..n).map(|i| mesh.uvs[i * 37 % n]).collect();
    mesh.uvs = shuffled;
    assert_eq!(surface(&mesh).uv.state, UvState::Scrambled);
    mesh.uvs[3] = [f64::NAN, 0.0];
    assert_eq!(surface(&mesh).uv.state, UvState::Broken);
    mesh.uvs = vec![[0.5, 0.5]; n];
    assert_eq!(surface(&mesh).uv.state, UvState::Scrambled);
    let mut flipped = sheet(8, 1.0);
    flipped.uv_triangles[5].swap(0, 1);
    flipped.triangles[5].swap(0, 1);
    flipped.triangles[5].swap(0, 1);
    assert_eq!(surface(&flipped).uv.flipped.first, [5]);
    assert_eq!(surface(&octahedron()).uv.state, UvState::Missing);
}

#[test]
fn units_are_guessed() {
    let scaled = |s: f64| {
        let mut mesh = octahedron();
        mesh.positions.iter_mut().flatten().for_each(|x| *x *= s);
        surface(&mesh).common.units_hint.unwrap_or_default()
    };
    assert_eq!(scaled(0.85), "");
    assert_eq!(
        scaled(85.0),
        "its largest extent is 170.0000: probably centimetres, which `unit = \"cm\"` makes metres of"
    );
    assert!(scaled(850.0).contains("millimetres"));
    assert!(scaled(1e-4).contains("very small"));
}

/// `check` and `run` said it of a scene; who looked at the file alone was not told.
#[test]
fn a_file_in_which_z_seems_to_be_up_is_named() {
    let scaled = |by: [f64; 3], up: f64| {
        let mut mesh = octahedron();
        mesh.positions.iter_mut().for_each(|p| (0..3).for_each(|k| p[k] *= by[k]));
        mesh.positions.iter_mut().for_each(|p| p[2] += up);
        surface(&mesh)
    };
    let info = scaled([0.3, 0.2, 0.85], 0.85);
    let said = MeshInfo::Surface(info).to_string();
    assert!(said.contains("- it stands on z = 0 and is tall along z: if z is up in its file, `up = \"z\"`"), "{said}");
    // As tall, but around the origin; and as tall along y.
    assert_eq!(scaled([0.3, 0.2, 0.85], 0.0).common.axes_hint, None);
    assert_eq!(scaled([0.3, 0.85, 0.2], 0.2).common.axes_hint, None);
}

#[test]
fn tetrahedra_are_measured() {
    let positions = vec![[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [1., 1., 1.]];
    let mesh = TetMesh { positions, tets: vec![[0, 1, 2, 3], [1, 3, 2, 4]], ..TetMesh::default() };
    let info = volume(&mesh);
    assert_eq!((info.tets, info.common.edges, info.boundary_triangles, info.common.components), (2, 9, 6, 1));
    assert_eq!(info.inverted.first, [1]);
    assert!((info.volume - (1.0 / 6.0 - 1.0 / 3.0)).abs() < 1e-12);
    assert!((info.min_dihedral_degrees.unwrap() - 54.7356).abs() < 1e-3);
    let mut broken = mesh.clone();
    broken.tets.extend([[0, 1, 2, 2], [0, 1, 2, 50], [3, 2, 1, 0], [1, 2, 3, 0]]);
    let info = volume(&broken);
    assert_eq!((info.degenerate_tets.first, info.common.bad_indices.first), (vec![2], vec![3]));
    assert_eq!(info.duplicate_tets.first, [4, 5]);
    assert_eq!(info.non_manifold_faces.first[0], [0, 1, 2]);
}

#[test]
fn empty_and_absurd_meshes_are_described() {
    for mesh in [
        TriMesh::default(),
        TriMesh { positions: vec![[f64::INFINITY; 3]; 3], triangles: vec![[0, 1, 2]], ..TriMesh::default() },
    ] {
        surface(&mesh);
    }
    let huge = TriMesh {
        positions: vec![[1e300, 0., 0.], [0., 1e300, 0.], [-1e300, 0., 1e300]],
        triangles: vec![[0, 1, 2]],
        ..TriMesh::default()
    };
    surface(&huge);
    volume(&TetMesh::default());
    assert!(!inspect(&TetMesh::default()).to_string().is_empty());
}

#[test]
fn a_person_can_read_it() {
    let mut mesh = octahedron();
    mesh.positions.iter_mut().flatten().for_each(|x| *x *= 0.5);
    mesh.positions.push([0.25; 3]);
    let text = inspect(&mesh).to_string();
    let expected = "  triangles       8, 7 vertices, 12 edges
  size            1 × 1 × 1
  from, to        (-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)
  area            1.732
  volume          0.1667
  topology        1 part, closed
  edge lengths    0.7071 to 0.7071, mean 0.7071
  smallest angle  60.00°
  texture         no coordinates
  1 problem found:
    - 1 vertex is not used: 6
";
    assert_eq!(text, expected);
}

#[test]
fn it_serializes() {
    let json = serde_json::to_value(inspect(&octahedron())).unwrap();
    assert_eq!(
        (json["kind"].as_str(), json["vertices"].as_u64(), json["uv"]["state"].as_str()),
        (Some("surface"), Some(6), Some("missing"))
    );
}

/// A sheet and a second one that cuts it: exact counts come from the geometry, not from the checker.
#[test]
fn intersecting_triangles_are_counted_and_placed() {
    assert_eq!(surface(&sheet(8, 1.0)).intersections.count, 0);
    assert_eq!(surface(&octahedron()).intersections.count, 0);
    // A triangle that stands across the square (0, 0)–(1/2, 1/2) of a sheet of two by two, and touches no diagonal.
    let mut mesh = TriMesh { uvs: Vec::new(), uv_triangles: Vec::new(), ..sheet(2, 1.0) };
    let spike = mesh.positions.len() as u32;
    mesh.positions.extend([[0.3, 0.1, -1.0], [0.31, 0.1, -1.0], [0.3, 0.1, 1.0]]);
    mesh.triangles.push([spike, spike + 1, spike + 2]);
    let info = surface(&mesh);
    assert_eq!(info.intersections.count, 1);
    let first = info.intersections.first[0];
    assert_eq!(first.triangles, [0, 8], "{first:?}");
    assert!((first.at[0] - 1.0 / 3.0).abs() < 1e-9 && (first.at[1] - 1.0 / 6.0).abs() < 1e-9, "{first:?}");
    let said = MeshInfo::Surface(info).to_string();
    assert!(said.contains("1 pair of triangles intersects: 0 and 8 at (0.3333, 0.1667, 0)"), "{said}");
}

/// Two halves that were never sewn together touch along the seam, and do not intersect.
#[test]
fn seams_that_only_touch_do_not_intersect() {
    let half = sheet(3, 1.0);
    let mut both =
        TriMesh { positions: half.positions.clone(), triangles: half.triangles.clone(), ..TriMesh::default() };
    let base = both.positions.len() as u32;
    both.positions.extend(half.positions.iter().map(|p| [-p[0], p[1], 0.5 * p[0]]));
    both.triangles.extend(half.triangles.iter().map(|t| [t[0] + base, t[2] + base, t[1] + base]));
    let info = surface(&both);
    assert_eq!((info.common.duplicate_positions.count, info.intersections.count), (4, 0));
    // The same sheet twice, with vertices of its own, lies on itself everywhere.
    let mut twice =
        TriMesh { positions: half.positions.clone(), triangles: half.triangles.clone(), ..TriMesh::default() };
    twice.positions.extend(half.positions.clone());
    twice.triangles.extend(half.triangles.iter().map(|t| t.map(|v| v + base)));
    assert!(surface(&twice).intersections.count >= half.triangles.len());
}

#[test]
fn a_heap_of_one_triangle_does_not_take_for_ever() {
    let mut mesh = TriMesh::default();
    for i in 0..40_000 {
        let z = 1e-6 * f64::from(i);
        mesh.positions.extend([[0.0, 0.0, z], [1.0, 0.0, -z], [0.0, 1.0, -z]]);
        mesh.triangles.push([3 * i as u32, 3 * i as u32 + 1, 3 * i as u32 + 2]);
    }
    let info = surface(&mesh);
    assert_eq!(info.intersections.count, taut_scene::inspect::MOST_CROSSINGS);
    assert!(MeshInfo::Surface(info).to_string().contains("1000000 pairs of triangles and more intersect"));
}

#[test]
fn the_outside_of_a_solid_is_looked_at_too() {
    let tet = |d: f64| vec![[d, d, d], [d + 1.0, d, d], [d, d + 1.0, d], [d, d, d + 1.0]];
    let two = |apart: f64| TetMesh {
        positions: [tet(0.0), tet(apart)].concat(),
        tets: vec![[0, 1, 2, 3], [4, 5, 6, 7]],
        ..TetMesh::default()
    };
    assert_eq!(volume(&two(2.0)).intersections.count, 0);
    assert!(volume(&two(0.2)).intersections.count >= 3);
}
