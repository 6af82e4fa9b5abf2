//! Closed surfaces, oriented outwards: colliders, and what a skin layer grows on. They have no texture coordinates.

use core::f64::consts::{FRAC_PI_2, TAU};
use std::collections::HashMap;

use taut::mesh::TriMesh;

use super::disc::{circle_point, disc_size, ring_size, ring_triangles};
use super::error::{GenerateError, MAX_LENGTH, check_count, check_elements, check_length, check_lengths, check_point};
use super::lattice::{ICOSAHEDRON_EDGE, Lattice, icosahedron, on_sphere};
use super::planar::split_quad;
use glam::DVec3;

/// How fine a sphere is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SphereDetail {
    /// Steps along each edge of the icosahedron, at least 1: n steps are 20 n² triangles.
    Divisions(u32),
    /// As many steps as make the edges about this long or a little shorter, m.
    EdgeLength(f64),
}

/// A sphere: an icosahedron whose faces are subdivided and pushed out.
#[derive(Clone, Debug, PartialEq)]
pub struct SphereParams {
    /// Radius, m.
    pub radius: f64,
    /// How fine the sphere is.
    pub detail: SphereDetail,
    /// The sphere's middle, m.
    pub centre: [f64; 3],
}

impl Default for SphereParams {
    /// A sphere of radius 0.25 m with 1,280 triangles.
    fn default() -> Self {
        Self { radius: 0.25, detail: SphereDetail::Divisions(8), centre: [0.0; 3] }
    }
}

/// Makes a sphere. All its vertices are on the sphere, so it is inscribed.
pub fn sphere(params: &SphereParams) -> Result<TriMesh, GenerateError> {
    check_length("radius", params.radius)?;
    check_point("centre", params.centre)?;
    let steps = match params.detail {
        SphereDetail::Divisions(steps) => steps,
        SphereDetail::EdgeLength(edge) => {
            check_length("detail", edge)?;
            // At most 1e12, which a cast saturates and the check on elements then refuses.
            (params.radius * ICOSAHEDRON_EDGE / edge).ceil().max(1.0) as u32
        }
    };
    check_count("detail", steps, 1)?;
    check_elements("detail", &[20, steps, steps])?;
    let (corners, faces) = icosahedron();
    let mut lattice = Lattice::default();
    let mut triangles = Vec::with_capacity(20 * steps as usize * steps as usize);
    for [a, b, c] in faces {
        let mut vertex = |i: u32, j: u32| {
            let weights = [(a, steps - i - j), (b, i), (c, j)];
            lattice.vertex(weights, || DVec3::from(params.centre) + on_sphere(&corners, weights) * params.radius)
        };
        for i in 0..steps {
            for j in 0..steps - i {
                let (right, up) = (vertex(i + 1, j), vertex(i, j + 1));
                triangles.push([vertex(i, j), right, up]);
                if i + j + 1 < steps {
                    triangles.push([right, vertex(i + 1, j + 1), up]);
                }
            }
        }
    }
    Ok(TriMesh { positions: lattice.positions, triangles, ..TriMesh::default() })
}

/// A box with edges along the axes.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxParams {
    /// Extent along x, y and z, m.
    pub size: [f64; 3],
    /// Quads along x, y and z, each at least 1.
    pub divisions: [u32; 3],
    /// The box's middle, m.
    pub centre: [f64; 3],
}

impl Default for BoxParams {
    /// A cube of half a metre, each face 8 × 8 quads.
    fn default() -> Self {
        Self { size: [0.5; 3], divisions: [8; 3], centre: [0.0; 3] }
    }
}

/// Makes the surface of a box.
pub fn box_surface(params: &BoxParams) -> Result<TriMesh, GenerateError> {
    check_lengths("size", params.size)?;
    params.divisions.iter().try_for_each(|&count| check_count("divisions", count, 1))?;
    for axis in 0..3 {
        check_elements("divisions", &[12, params.divisions[axis], params.divisions[(axis + 1) % 3]])?;
    }
    check_point("centre", params.centre)?;
    let mut mesh = TriMesh::default();
    let mut index = HashMap::new();
    for axis in 0..3 {
        for at_end in [false, true] {
            box_face(&mut mesh, &mut index, params, axis, at_end);
        }
    }
    Ok(mesh)
}

/// Adds one face of a box, sharing the vertices made for other faces.
fn box_face(mesh: &mut TriMesh, index: &mut HashMap<[u32; 3], u32>, params: &BoxParams, axis: usize, at_end: bool) {
    let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
    let positions = &mut mesh.positions;
    let mut vertex = |i: u32, j: u32| {
        let mut cell = [0; 3];
        cell[axis] = if at_end { params.divisions[axis] } else { 0 };
        cell[first] = i;
        cell[second] = j;
        *index.entry(cell).or_insert_with(|| {
            let along = |axis: usize| f64::from(cell[axis]) / f64::from(params.divisions[axis]) - 0.5;
            positions.push([0, 1, 2].map(|axis| params.centre[axis] + params.size[axis] * along(axis)));
            positions.len() as u32 - 1
        })
    };
    for j in 0..params.divisions[second] {
        for i in 0..params.divisions[first] {
            let mut quad = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
            if !at_end {
                quad.reverse();
            }
            mesh.triangles.extend(split_quad(quad, (i + j) % 2 == 1));
        }
    }
}

/// A capsule along the y axis: a tube closed by half spheres.
#[derive(Clone, Debug, PartialEq)]
pub struct CapsuleParams {
    /// Radius, m.
    pub radius: f64,
    /// Length of the straight part, m; 0 makes a sphere.
    pub length: f64,
    /// Rings of vertices from each pole to the straight part, at least 1: n rings are 6 n vertices around.
    pub rings: u32,
    /// The capsule's middle, m.
    pub centre: [f64; 3],
}

impl Default for CapsuleParams {
    /// An upper arm: radius 0.05 m, the straight part 0.3 m long.
    fn default() -> Self {
        Self { radius: 0.05, length: 0.3, rings: 6, centre: [0.0; 3] }
    }
}

/// Makes a capsule. The half spheres are discs of concentric rings, bent, so that no vertex has many triangles; the
/// straight part has rows as high as its quads are wide, or a little less.
pub fn capsule(params: &CapsuleParams) -> Result<TriMesh, GenerateError> {
    check_length("radius", params.radius)?;
    if !(0.0..=MAX_LENGTH).contains(&params.length) {
        return Err(GenerateError::new("length", params.length, format!("a length from 0 to {MAX_LENGTH} m")));
    }
    check_count("rings", params.rings, 1)?;
    check_elements("rings", &[24, params.rings, params.rings])?;
    check_point("centre", params.centre)?;
    let around = ring_size(params.rings);
    let side = params.radius * TAU / f64::from(around);
    let rows = (params.length / side * (1.0 - 1e-9)).ceil() as u32;
    check_elements("length, rings", &[4, around, rows])?;
    Ok(TriMesh {
        positions: capsule_positions(params, rows),
        triangles: capsule_triangles(params, rows),
        ..TriMesh::default()
    })
}

/// The upper cap from its pole, then the rows of the straight part, then the lower cap from its pole.
fn capsule_positions(params: &CapsuleParams, rows: u32) -> Vec<[f64; 3]> {
    let place = |ring: u32, step: u32, middle: f64, side: f64| {
        let (sin, cos) = libm::sincos(FRAC_PI_2 * (f64::from(ring) / f64::from(params.rings)));
        let [x, y] = circle_point(params.radius * sin, step, ring_size(ring));
        (DVec3::from(params.centre) + DVec3::new(x, middle + side * params.radius * cos, -y)).to_array()
    };
    let half = params.length / 2.0;
    let cap = |rings: u32, middle: f64, side: f64| {
        (0..rings).flat_map(move |ring| (0..ring_size(ring)).map(move |step| place(ring, step, middle, side)))
    };
    let row = |row: u32| {
        let down = if rows == 0 { 0.0 } else { f64::from(row) / f64::from(rows) };
        let middle = params.length * (0.5 - down);
        // The equator itself, not a cosine that is only nearly zero.
        (0..ring_size(params.rings)).map(move |step| place(params.rings, step, middle, 0.0))
    };
    cap(params.rings, half, 1.0).chain((0..=rows).flat_map(row)).chain(cap(params.rings, -half, -1.0)).collect()
}

fn capsule_triangles(params: &CapsuleParams, rows: u32) -> Vec<[u32; 3]> {
    let around = ring_size(params.rings);
    let equator = disc_size(params.rings - 1);
    let mut triangles = ring_triangles(params.rings);
    for row in 0..rows {
        for column in 0..around {
            let vertex = |row: u32, column: u32| equator + row * around + column % around;
            let quad =
                [vertex(row, column), vertex(row + 1, column), vertex(row + 1, column + 1), vertex(row, column + 1)];
            triangles.extend(split_quad(quad, (row + column) % 2 == 1));
        }
    }
    // The lower cap's own vertices follow the last row, which serves as its rim.
    let last_row = equator + rows * around;
    let lower = |vertex: u32| if vertex < equator { last_row + around + vertex } else { last_row + vertex - equator };
    let below = ring_triangles(params.rings).into_iter().map(|[a, b, c]| [a, c, b].map(lower));
    triangles.extend(below);
    triangles
}
