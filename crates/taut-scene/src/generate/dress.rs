//! A dress with two straps.

use core::f64::consts::{PI, TAU};

use taut::mesh::{Group, TriMesh};

use super::error::{GenerateError, check_count, check_elements, check_length, check_point};
use super::planar::split_quad;
use glam::DVec3;

/// A dress with two straps, its axis along y, its front towards +z.
#[derive(Clone, Debug, PartialEq)]
pub struct DressParams {
    /// Half its width at the bust, at the waist and at the hem, m.
    pub radii: [f64; 3],
    /// Depth from front to back over width.
    pub depth: f64,
    /// Extent along y from bust to hem, m.
    pub height: f64,
    /// How far the straps rise above the bust, m.
    pub strap: f64,
    /// Vertices around, a multiple of 4 and at least 24.
    pub around: u32,
    /// Rows of quads from bust to hem, at least 3.
    pub along: u32,
    /// Quads across a strap: at least 1, and at most an eighth of `around`.
    pub strap_across: u32,
    /// Rows of quads along a strap, at least 4.
    pub strap_along: u32,
    /// The middle of its axis, from bust to hem, m.
    pub centre: [f64; 3],
}

impl Default for DressParams {
    /// A summer dress of 8,896 triangles: 0.9 m long, the straps another 0.26 m.
    fn default() -> Self {
        Self {
            radii: [0.17, 0.14, 0.36],
            depth: 0.62,
            height: 0.9,
            strap: 0.26,
            around: 92,
            along: 44,
            strap_across: 5,
            strap_along: 40,
            centre: [0.0; 3],
        }
    }
}

/// Where the waist is on the way from bust to hem.
const WAIST: f64 = 0.3;

/// Makes a dress whose outside is its front. Each strap is an arch in a plane across x from the front of the bust to
/// its back, with the shape of half an ellipse. Texture coordinates have u around and v down, or along the straps.
/// Groups: `hem`, `bust` and `straps`.
pub fn dress(params: &DressParams) -> Result<TriMesh, GenerateError> {
    check(params)?;
    let mut mesh = TriMesh { positions: body_positions(params), ..TriMesh::default() };
    body(&mut mesh, params);
    let before = mesh.positions.len() as u32;
    // Columns count from the back by way of +x; the front is at half of them.
    let (quarter, across) = (params.around / 4, params.strap_across);
    let middle = quarter + quarter * 5 / 8;
    for first in [middle - across / 2, params.around - middle - across.div_ceil(2)] {
        strap(&mut mesh, params, first);
    }
    let ring = |row: u32| (row * params.around..(row + 1) * params.around).collect();
    let straps = (before..mesh.positions.len() as u32).collect();
    let group = |name: &str, vertices| Group { name: name.to_owned(), vertices };
    mesh.groups = vec![group("bust", ring(0)), group("hem", ring(params.along)), group("straps", straps)];
    Ok(mesh)
}

fn check(params: &DressParams) -> Result<(), GenerateError> {
    params.radii.iter().try_for_each(|&radius| check_length("radii", radius))?;
    check_length("height", params.height)?;
    check_length("strap", params.strap)?;
    if !(0.05..=20.0).contains(&params.depth) {
        return Err(GenerateError::new("depth", params.depth, "from 0.05 to 20"));
    }
    check_count("around", params.around, 24)?;
    if !params.around.is_multiple_of(4) {
        return Err(GenerateError::new("around", params.around, "a multiple of 4"));
    }
    check_count("along", params.along, 3)?;
    check_count("strap_across", params.strap_across, 1)?;
    if params.strap_across > params.around / 8 {
        return Err(GenerateError::new("strap_across", params.strap_across, "at most an eighth of `around`"));
    }
    check_count("strap_along", params.strap_along, 4)?;
    check_elements("around, along", &[4, params.around, params.along])?;
    check_elements("strap_across, strap_along", &[4, params.strap_across, params.strap_along])?;
    check_point("centre", params.centre)
}

/// Half the width at a share of the way down: from bust to waist and from waist to hem along half waves, without a
/// kink.
fn radius([bust, waist, hem]: [f64; 3], down: f64) -> f64 {
    let wave = |from: f64, to: f64, part: f64| from + (to - from) * 0.5 * (1.0 - libm::cos(PI * part));
    if down < WAIST {
        wave(bust, waist, down / WAIST)
    } else {
        // A quarter wave: it flares towards the hem.
        waist + (hem - waist) * (1.0 - libm::cos(0.5 * PI * (down - WAIST) / (1.0 - WAIST)))
    }
}

/// Rings from top to bottom, each from the back by way of +x, as of a tube.
fn body_positions(params: &DressParams) -> Vec<[f64; 3]> {
    let [x, y, z] = params.centre;
    let angle = |column: u32| TAU * (f64::from(column) / f64::from(params.around)) - 0.5 * PI;
    let directions: Vec<_> = (0..params.around).map(|column| libm::sincos(angle(column))).collect();
    let ring = |row: u32| {
        let down = f64::from(row) / f64::from(params.along);
        let wide = radius(params.radii, down);
        let height = params.height * (0.5 - down);
        directions.iter().map(move |&(sin, cos)| [x + wide * cos, y + height, z + params.depth * wide * sin])
    };
    (0..=params.along).flat_map(ring).collect()
}

fn body(mesh: &mut TriMesh, params: &DressParams) {
    let (around, columns) = (params.around, params.around + 1);
    let mean = params.radii.iter().sum::<f64>() / 3.0 * (1.0 + params.depth) / 2.0;
    for row in 0..=params.along {
        let down = params.height * f64::from(row) / f64::from(params.along);
        mesh.uvs.extend((0..columns).map(|column| [TAU * mean * f64::from(column) / f64::from(around), down]));
    }
    for row in 0..params.along {
        for column in 0..around {
            let other = (row + column) % 2 == 1;
            let quad = |columns: u32, right: u32| {
                let (upper, lower) = (row * columns, (row + 1) * columns);
                [upper + column, upper + right, lower + right, lower + column]
            };
            mesh.triangles.extend(split_quad(quad(around, (column + 1) % around), other));
            mesh.uv_triangles.extend(split_quad(quad(columns, column + 1), other));
        }
    }
}

/// A strap from the front columns `first` and following to the back ones at the same x.
fn strap(mesh: &mut TriMesh, params: &DressParams, first: u32) {
    let (across, rows) = (params.strap_across, params.strap_along);
    let back = |column: u32| (params.around / 2 + params.around - column) % params.around;
    let base = mesh.positions.len() as u32;
    let columns = first..=first + across;
    for row in 1..rows {
        let (sin, cos) = libm::sincos(PI * f64::from(row) / f64::from(rows));
        for column in columns.clone() {
            let [x, y, z] = mesh.positions[column as usize];
            let middle = params.centre[2];
            mesh.positions.push([x, y + params.strap * sin, middle + (z - middle) * cos]);
        }
    }
    let vertex = |row: u32, at: u32| match row {
        0 => first + at,
        row if row == rows => back(first + at),
        row => base + (row - 1) * (across + 1) + at,
    };
    let uv = mesh.uvs.len() as u32;
    let mut along = 0.0;
    for row in 0..=rows {
        let place = |row: u32, at: u32| DVec3::from(mesh.positions[vertex(row, at) as usize]);
        let here = place(row, 0);
        if row > 0 {
            along += here.distance(place(row - 1, 0));
        }
        for at in 0..=across {
            let wide = place(row, at).distance(here);
            mesh.uvs.push([wide, -along]);
        }
    }
    for row in 0..rows {
        for at in 0..across {
            let other = (row + at) % 2 == 1;
            let quad = |vertex: &dyn Fn(u32, u32) -> u32| {
                [vertex(row + 1, at), vertex(row + 1, at + 1), vertex(row, at + 1), vertex(row, at)]
            };
            mesh.triangles.extend(split_quad(quad(&vertex), other));
            mesh.uv_triangles.extend(split_quad(quad(&|row, at| uv + row * (across + 1) + at), other));
        }
    }
}
