//! Soft bodies: beams, balls and rings of tetrahedra.

use taut::mesh::boundary_triangles;
use taut::mesh::{Group, TetMesh, TriMesh};

use super::disc::{circle_point, disc_size, ring_size, ring_triangles};
use super::error::{GenerateError, check_count, check_elements, check_length, check_lengths, check_point};
use super::frames::frames_around;
use super::geometry::{check_mesh, check_positive, oriented, split_prism};
use super::lattice::{Lattice, icosahedron, on_sphere};
use glam::DVec3;

/// What to do about parameters whose tetrahedra come out flat.
const TOO_FINE: &str = "fewer divisions, or a larger body nearer the origin";

/// The six orders in which three axes can be taken.
const AXIS_ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// How each cell of a beam is cut into tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellSplit {
    /// A large one in the middle and four at corners, mirrored from cell to cell: no preferred diagonal.
    #[default]
    Five,
    /// Six alike around the diagonal, the same in every cell.
    Six,
}

/// A beam along the x axis: a box of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamParams {
    /// Extent along x, y and z, m.
    pub size: [f64; 3],
    /// Cells along x, y and z, each at least 1.
    pub cells: [u32; 3],
    /// How each cell is cut.
    pub split: CellSplit,
    /// The beam's middle, m.
    pub centre: [f64; 3],
}

impl Default for BeamParams {
    /// A metre long, a tenth high and wide, 20 × 2 × 2 cells.
    fn default() -> Self {
        Self { size: [1.0, 0.1, 0.1], cells: [20, 2, 2], split: CellSplit::Five, centre: [0.0; 3] }
    }
}

/// Makes a beam. Its material frames are the world axes, axis 0 along the beam. Groups: the end faces `start` (−x) and
/// `end` (+x).
pub fn beam(params: &BeamParams) -> Result<TetMesh, GenerateError> {
    check_lengths("size", params.size)?;
    params.cells.iter().try_for_each(|&count| check_count("cells", count, 1))?;
    let [nx, ny, nz] = params.cells;
    check_elements("cells", &[6, nx, ny, nz])?;
    check_point("centre", params.centre)?;
    // Slice by slice along the beam, which keeps neighbours' numbers near.
    let slice = (ny + 1) * (nz + 1);
    let positions = (0..=nx)
        .flat_map(|i| (0..=ny).flat_map(move |j| (0..=nz).map(move |k| [i, j, k])))
        .map(|corner| {
            let along = |axis: usize| f64::from(corner[axis]) / f64::from(params.cells[axis]) - 0.5;
            [0, 1, 2].map(|axis| params.centre[axis] + params.size[axis] * along(axis))
        })
        .collect();
    let mut mesh = TetMesh { positions, ..TetMesh::default() };
    let vertex = |[i, j, k]: [u32; 3]| i * slice + j * (nz + 1) + k;
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                let tets = cell_tets([i, j, k], params.split).into_iter().map(|tet| tet.map(vertex));
                mesh.tets.extend(tets.map(|tet| oriented(&mesh.positions, tet)));
            }
        }
    }
    mesh.groups = vec![
        Group { name: "start".to_owned(), vertices: (0..slice).collect() },
        Group { name: "end".to_owned(), vertices: (nx * slice..(nx + 1) * slice).collect() },
    ];
    check_positive("size", &mesh.positions, &mesh.tets, TOO_FINE)?;
    Ok(mesh)
}

/// The tetrahedra of one cell, as grid points, oriented either way.
fn cell_tets(cell: [u32; 3], split: CellSplit) -> Vec<[[u32; 3]; 4]> {
    match split {
        CellSplit::Six => AXIS_ORDERS.map(|order| staircase(cell, order)).to_vec(),
        CellSplit::Five => {
            let corners = [0_u32, 1, 2, 3, 4, 5, 6, 7]
                .map(|bits| [cell[0] + (bits & 1), cell[1] + (bits >> 1 & 1), cell[2] + (bits >> 2)]);
            let neighbour = |corner: [u32; 3], axis: usize| {
                let mut next = corner;
                next[axis] = 2 * cell[axis] + 1 - corner[axis];
                next
            };
            // Every face is cut between grid points whose coordinates have an even sum, from whichever side it is seen.
            let (even, odd): (Vec<_>, Vec<_>) =
                corners.into_iter().partition(|[i, j, k]| (i & 1) ^ (j & 1) ^ (k & 1) == 0);
            let mut tets = vec![[even[0], even[1], even[2], even[3]]];
            tets.extend(odd.iter().map(|&at| [at, neighbour(at, 0), neighbour(at, 1), neighbour(at, 2)]));
            tets
        }
    }
}

/// The corners passed when stepping along one axis after the other (Freudenthal's or Kuhn's tetrahedron). The six
/// orders fill the cell, and neighbouring cells meet face to face.
fn staircase(cell: [u32; 3], order: [usize; 3]) -> [[u32; 3]; 4] {
    let mut corners = [cell; 4];
    for (step, axis) in order.into_iter().enumerate() {
        corners[step + 1] = corners[step];
        corners[step + 1][axis] += 1;
    }
    corners
}

/// A solid ball.
#[derive(Clone, Debug, PartialEq)]
pub struct BallParams {
    /// Radius, m.
    pub radius: f64,
    /// Shells around the centre, at least 1: n shells are 20 n³ tetrahedra.
    pub shells: u32,
    /// The ball's middle, m.
    pub centre: [f64; 3],
}

impl Default for BallParams {
    /// A ball of radius 0.2 m with 2,500 tetrahedra.
    fn default() -> Self {
        Self { radius: 0.2, shells: 5, centre: [0.0; 3] }
    }
}

/// Makes a ball. Its surface is the [`sphere`](super::sphere) of as many divisions. Material frames are the world axes.
/// Groups: `centre`, one vertex, and `surface`.
pub fn ball(params: &BallParams) -> Result<TetMesh, GenerateError> {
    check_length("radius", params.radius)?;
    check_count("shells", params.shells, 1)?;
    let shells = params.shells;
    check_elements("shells", &[20, shells, shells, shells])?;
    check_point("centre", params.centre)?;
    let (corners, faces) = icosahedron();
    let middle = corners.len() as u32;
    let mut lattice = Lattice::default();
    let mut surface = Vec::new();
    let mut tets = Vec::with_capacity(20 * (shells as usize).pow(3));
    let mut centre = 0;
    for [a, b, c] in faces {
        for tet in cone_tets(shells) {
            let vertices = tet.map(|[x, y, z]| {
                let outer = [(a, x - y), (b, y - z), (c, z)];
                let weights = [(middle, shells - x), outer[0], outer[1], outer[2]];
                let radius = params.radius * (f64::from(x) / f64::from(shells));
                let place = || DVec3::from(params.centre) + on_sphere(&corners, outer) * radius;
                let vertex = lattice.vertex(weights, place);
                if x == shells {
                    surface.push(vertex);
                } else if x == 0 {
                    centre = vertex;
                }
                vertex
            });
            tets.push(oriented(&lattice.positions, vertices));
        }
    }
    surface.sort_unstable();
    surface.dedup();
    let groups = vec![
        Group { name: "centre".to_owned(), vertices: vec![centre] },
        Group { name: "surface".to_owned(), vertices: surface },
    ];
    let mesh = TetMesh { positions: lattice.positions, tets, frames: Vec::new(), groups };
    check_positive("radius", &mesh.positions, &mesh.tets, TOO_FINE)?;
    Ok(mesh)
}

/// Cuts a tetrahedron into `steps`³: those staircases of a cubic grid that lie in `steps` ≥ x ≥ y ≥ z ≥ 0. On each of
/// its four faces they leave the regular pattern of `steps`² triangles, so that neighbours fit.
fn cone_tets(steps: u32) -> impl Iterator<Item = [[u32; 3]; 4]> {
    let inside = |tet: &[[u32; 3]; 4]| tet.iter().all(|&[x, y, z]| x >= y && y >= z);
    (0..steps)
        .flat_map(|x| (0..=x).flat_map(move |y| (0..=y).map(move |z| [x, y, z])))
        .flat_map(|cell| AXIS_ORDERS.map(|order| staircase(cell, order)))
        .filter(inside)
}

/// A solid ring lying around the y axis.
#[derive(Clone, Debug, PartialEq)]
pub struct TorusParams {
    /// Distance of the tube's middle from the axis, m.
    pub major_radius: f64,
    /// Radius of the tube, m; smaller than the other.
    pub minor_radius: f64,
    /// Slices around the axis, at least 3.
    pub segments: u32,
    /// Rings of vertices in each slice, at least 1: a torus has 18 `segments` `rings`² tetrahedra.
    pub rings: u32,
    /// The torus's middle, m.
    pub centre: [f64; 3],
}

impl Default for TorusParams {
    /// A ring 0.8 m wide and 0.2 m thick, with 2,880 tetrahedra.
    fn default() -> Self {
        Self { major_radius: 0.3, minor_radius: 0.1, segments: 40, rings: 2, centre: [0.0; 3] }
    }
}

/// Makes a torus. Material frames are aligned to it: axis 0 along the ring's tangent, axis 1 radial, away from the y
/// axis, axis 2 up. Group: `surface`.
pub fn torus(params: &TorusParams) -> Result<TetMesh, GenerateError> {
    check_length("major_radius", params.major_radius)?;
    check_length("minor_radius", params.minor_radius)?;
    if params.minor_radius >= params.major_radius {
        let expected = format!("less than major_radius, {}", params.major_radius);
        return Err(GenerateError::new("minor_radius", params.minor_radius, expected));
    }
    check_count("segments", params.segments, 3)?;
    check_count("rings", params.rings, 1)?;
    check_elements("segments, rings", &[18, params.segments, params.rings, params.rings])?;
    check_point("centre", params.centre)?;
    let slice = disc_size(params.rings);
    let mut mesh = TetMesh { positions: torus_positions(params), ..TetMesh::default() };
    let triangles = ring_triangles(params.rings);
    for segment in 0..params.segments {
        let next = (segment + 1) % params.segments;
        let prism = |triangle: &[u32; 3]| {
            split_prism(triangle.map(|vertex| segment * slice + vertex), triangle.map(|vertex| next * slice + vertex))
        };
        mesh.tets.extend(triangles.iter().flat_map(prism));
    }
    let rim = slice - ring_size(params.rings);
    let surface = (0..params.segments).flat_map(|segment| (rim..slice).map(move |vertex| segment * slice + vertex));
    mesh.groups = vec![Group { name: "surface".to_owned(), vertices: surface.collect() }];
    check_positive("minor_radius", &mesh.positions, &mesh.tets, TOO_FINE)?;
    frames_around(&mut mesh, params.centre, [0.0, 1.0, 0.0])?;
    Ok(mesh)
}

/// Slices from +x by way of +z, so that each disc's front faces the next one.
fn torus_positions(params: &TorusParams) -> Vec<[f64; 3]> {
    let section: Vec<[f64; 2]> = (0..=params.rings)
        .flat_map(|ring| {
            let radius = params.minor_radius * (f64::from(ring) / f64::from(params.rings));
            (0..ring_size(ring)).map(move |step| circle_point(radius, step, ring_size(ring)))
        })
        .collect();
    let slice = |segment: u32| {
        let [cos, sin] = circle_point(1.0, segment, params.segments);
        section.iter().map(move |&[out, up]| {
            let radius = params.major_radius + out;
            (DVec3::from(params.centre) + DVec3::new(radius * cos, up, radius * sin)).into()
        })
    };
    (0..params.segments).flat_map(slice).collect()
}

/// The surface of a tetrahedral mesh as a mesh of its own, oriented outwards, with those vertices only that are on it,
/// and the groups' vertices that remain.
pub fn boundary_mesh(mesh: &TetMesh) -> Result<TriMesh, GenerateError> {
    check_mesh("mesh", &mesh.positions, &mesh.tets)?;
    let mut triangles = boundary_triangles(&mesh.tets);
    let mut kept: Vec<u32> = triangles.iter().flatten().copied().collect();
    kept.sort_unstable();
    kept.dedup();
    let renumbered = |vertex: &u32| kept.binary_search(vertex).ok().map(|place| place as u32);
    for vertex in triangles.iter_mut().flatten() {
        *vertex = renumbered(vertex).unwrap_or(*vertex);
    }
    let remaining = |group: &Group| Group {
        name: group.name.clone(),
        vertices: group.vertices.iter().filter_map(renumbered).collect(),
    };
    Ok(TriMesh {
        positions: kept.iter().map(|&vertex| mesh.positions[vertex as usize]).collect(),
        triangles,
        groups: mesh.groups.iter().map(remaining).collect(),
        ..TriMesh::default()
    })
}
