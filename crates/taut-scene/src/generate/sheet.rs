//! Rectangular sheets of cloth.

use taut::mesh::{Group, TriMesh};

use super::error::{GenerateError, MAX_ELEMENTS, check_count, check_elements, check_length, check_point};
use super::planar::{Pattern, Plane, split_quad};
use super::scatter::{Region, scatter, spacing_for};

/// How a sheet is cut into triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tessellation {
    /// A grid whose quads are all cut from bottom left to top right.
    Regular,
    /// A grid whose quads are cut alternately, so that neither diagonal is stiffer than the other.
    #[default]
    Alternating,
    /// Scattered points and their Delaunay triangulation, without a preferred direction. About as many vertices as the
    /// grid would have; no angle is below 30°, unless the grid is so coarse that the whole sheet is a cell or two wide.
    Irregular {
        /// Another seed scatters the points elsewhere.
        seed: u64,
    },
}

/// A rectangular sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetParams {
    /// Extent along x (weft), m.
    pub width: f64,
    /// Extent along the other axis of the plane (warp), m.
    pub height: f64,
    /// Vertices along the width, at least 2.
    pub nx: u32,
    /// Vertices along the height, at least 2.
    pub ny: u32,
    /// Lying or upright.
    pub plane: Plane,
    /// The sheet's middle, m.
    pub centre: [f64; 3],
    /// How the sheet is cut into triangles.
    pub tessellation: Tessellation,
}

impl Default for SheetParams {
    /// A square metre, lying at the origin, 33 × 33 vertices.
    fn default() -> Self {
        Self {
            width: 1.0,
            height: 1.0,
            nx: 33,
            ny: 33,
            plane: Plane::Xz,
            centre: [0.0; 3],
            tessellation: Tessellation::Alternating,
        }
    }
}

/// Makes a rectangular sheet. Texture coordinates are (0, 0) at the bottom left corner and (width, height) at the top
/// right one.
///
/// Groups, as the pattern is seen with its normal towards you (upright: from +z; lying: from above with −z at the
/// top): the sides `left` (−x), `right` (+x), `top` (+y, or −z if lying) and `bottom`, each with its two corners; the
/// single vertices `top_left`, `top_right`, `bottom_left` and `bottom_right`; all four as `corners`; all sides as
/// `border`.
pub fn sheet(params: &SheetParams) -> Result<TriMesh, GenerateError> {
    check_length("width", params.width)?;
    check_length("height", params.height)?;
    check_count("nx", params.nx, 2)?;
    check_count("ny", params.ny, 2)?;
    check_elements("nx, ny", &[2, params.nx - 1, params.ny - 1])?;
    check_point("centre", params.centre)?;
    let pattern = match params.tessellation {
        Tessellation::Regular => grid(params, false),
        Tessellation::Alternating => grid(params, true),
        Tessellation::Irregular { seed } => irregular(params, seed)?,
    };
    let groups = groups(&pattern, params.width, params.height);
    Ok(pattern.into_mesh(params.plane, [params.width / 2.0, params.height / 2.0], params.centre, groups))
}

fn grid(params: &SheetParams, alternating: bool) -> Pattern {
    let (nx, ny) = (params.nx, params.ny);
    let mut points = Vec::with_capacity(nx as usize * ny as usize);
    for row in 0..ny {
        points.extend((0..nx).map(|column| [along(params.width, column, nx - 1), along(params.height, row, ny - 1)]));
    }
    let mut triangles = Vec::with_capacity(2 * (nx as usize - 1) * (ny as usize - 1));
    for row in 0..ny - 1 {
        for column in 0..nx - 1 {
            let first = row * nx + column;
            let quad = [first, first + 1, first + nx + 1, first + nx];
            triangles.extend(split_quad(quad, alternating && (row + column) % 2 == 1));
        }
    }
    Pattern { points, triangles }
}

/// The place after `step` of `steps` equal steps; the last is exactly at the end.
fn along(length: f64, step: u32, steps: u32) -> f64 {
    length * (f64::from(step) / f64::from(steps))
}

fn irregular(params: &SheetParams, seed: u64) -> Result<Pattern, GenerateError> {
    let size = [params.width, params.height];
    let shorter = size[0].min(size[1]);
    let count = f64::from(params.nx) * f64::from(params.ny);
    let wished = spacing_for(count, size[0] * size[1], 2.0 * (size[0] + size[1]));
    // The shorter side is cut evenly, so that on a slim sheet, too, border points are barely more than the spacing
    // apart.
    let spacing = shorter / (shorter / wished).round().max(1.0);
    // A slim sheet may need far more vertices than asked for; scattering makes 1.4 triangles for each spacing squared.
    if 1.4 * (size[0] / spacing) * (size[1] / spacing) > f64::from(MAX_ELEMENTS) {
        let expected = "a sheet less slim: its shorter side sets the vertices' spacing";
        return Err(GenerateError::new("width, height", format!("{} × {} m", size[0], size[1]), expected));
    }
    let inside = |p: [f64; 2]| p[0] > 0.0 && p[0] < size[0] && p[1] > 0.0 && p[1] < size[1];
    scatter(border(size, spacing), &Region { low: [0.0; 2], size, spacing, inside: &inside }, seed)
}

/// Points around the rectangle, the corners among them, at least the spacing apart.
fn border([width, height]: [f64; 2], spacing: f64) -> Vec<[f64; 2]> {
    // The tolerance keeps a side that is a whole number of spacings from losing one to rounding.
    let steps = |length: f64| (length / spacing * (1.0 + 1e-9)) as u32;
    let (nx, ny) = (steps(width).max(1), steps(height).max(1));
    let bottom = (0..nx).map(|step| [along(width, step, nx), 0.0]);
    let right = (0..ny).map(|step| [width, along(height, step, ny)]);
    let top = (0..nx).map(|step| [along(width, nx - step, nx), height]);
    let left = (0..ny).map(|step| [0.0, along(height, ny - step, ny)]);
    bottom.chain(right).chain(top).chain(left).collect()
}

fn groups(pattern: &Pattern, width: f64, height: f64) -> Vec<Group> {
    let left = |p: [f64; 2]| p[0] == 0.0;
    let right = |p: [f64; 2]| p[0] == width;
    let bottom = |p: [f64; 2]| p[1] == 0.0;
    let top = |p: [f64; 2]| p[1] == height;
    let horizontal = |p| left(p) || right(p);
    let vertical = |p| bottom(p) || top(p);
    vec![
        pattern.group("corners", |p| horizontal(p) && vertical(p)),
        pattern.group("left", left),
        pattern.group("right", right),
        pattern.group("top", top),
        pattern.group("bottom", bottom),
        pattern.group("top_left", |p| top(p) && left(p)),
        pattern.group("top_right", |p| top(p) && right(p)),
        pattern.group("bottom_left", |p| bottom(p) && left(p)),
        pattern.group("bottom_right", |p| bottom(p) && right(p)),
        pattern.group("border", |p| horizontal(p) || vertical(p)),
    ]
}
