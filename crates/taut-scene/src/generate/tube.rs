//! Open tubes and flared skirts: cloth that unrolls flat, sewn along one seam at the back.

use core::f64::consts::{PI, TAU};

use taut::mesh::{Group, TriMesh};

use super::error::{GenerateError, check_count, check_elements, check_length, check_point};
use super::planar::split_quad;

/// An open tube around the y axis.
#[derive(Clone, Debug, PartialEq)]
pub struct TubeParams {
    /// Radius, m.
    pub radius: f64,
    /// Extent along y, m.
    pub height: f64,
    /// Vertices around, at least 3.
    pub around: u32,
    /// Rows of quads from top to bottom, at least 1.
    pub along: u32,
    /// The tube's middle, m.
    pub centre: [f64; 3],
}

impl Default for TubeParams {
    /// A sleeve: radius 0.1 m, 0.5 m long.
    fn default() -> Self {
        Self { radius: 0.1, height: 0.5, around: 48, along: 40, centre: [0.0; 3] }
    }
}

/// How the cloth of a skirt is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SkirtPattern {
    /// One piece, sewn at the back. On the pattern the threads are straight, so the weft runs around at the front and
    /// turns towards the bias at the sides, as in a skirt cut from a circle.
    #[default]
    OnePiece,
    /// A narrow gore for each column of quads: weft around and warp down everywhere, at the price of a seam between
    /// every two columns.
    Gores,
}

/// A flared skirt around the y axis: the side of a truncated cone.
#[derive(Clone, Debug, PartialEq)]
pub struct SkirtParams {
    /// Radius at the waist, m.
    pub top_radius: f64,
    /// Radius at the hem, m; may be smaller than the other.
    pub bottom_radius: f64,
    /// Extent along y, m.
    pub height: f64,
    /// Vertices around, at least 3.
    pub around: u32,
    /// Rows of quads from waist to hem, at least 1.
    pub along: u32,
    /// The middle of the axis, m.
    pub centre: [f64; 3],
    /// How the cloth is cut.
    pub pattern: SkirtPattern,
}

impl Default for SkirtParams {
    /// A knee-long skirt: waist radius 0.12 m, hem radius 0.35 m, 0.55 m long.
    fn default() -> Self {
        Self {
            top_radius: 0.12,
            bottom_radius: 0.35,
            height: 0.55,
            around: 72,
            along: 24,
            centre: [0.0; 3],
            pattern: SkirtPattern::OnePiece,
        }
    }
}

/// Makes an open tube whose outside is its front. Texture coordinates unroll it without stretch: u around, v down
/// from the top, with the seam at the back (−z). Groups: `waist` (top) and `hem` (bottom).
pub fn tube(params: &TubeParams) -> Result<TriMesh, GenerateError> {
    check_length("radius", params.radius)?;
    skirt(&SkirtParams {
        top_radius: params.radius,
        bottom_radius: params.radius,
        height: params.height,
        around: params.around,
        along: params.along,
        centre: params.centre,
        pattern: SkirtPattern::OnePiece,
    })
}

/// Makes a flared skirt whose outside is its front. Texture coordinates unroll it without stretch, cut as
/// [`SkirtParams::pattern`] says: u around, v down from the waist, both zero at the waist's front (+z). Groups: `waist`
/// (top) and `hem` (bottom).
pub fn skirt(params: &SkirtParams) -> Result<TriMesh, GenerateError> {
    check_length("top_radius", params.top_radius)?;
    check_length("bottom_radius", params.bottom_radius)?;
    check_length("height", params.height)?;
    check_count("around", params.around, 3)?;
    check_count("along", params.along, 1)?;
    check_elements("around, along", &[2, params.around, params.along])?;
    check_point("centre", params.centre)?;
    let mut mesh = TriMesh { positions: positions(params), groups: groups(params), ..TriMesh::default() };
    let cone = Cone::new(params);
    match params.pattern {
        SkirtPattern::OnePiece => one_piece(&mut mesh, params, &cone),
        SkirtPattern::Gores => gores(&mut mesh, params, &cone),
    }
    Ok(mesh)
}

/// Rings from top to bottom, each from the back by way of +x, so that u, v and the outward normal are right-handed.
fn positions(params: &SkirtParams) -> Vec<[f64; 3]> {
    let [x, y, z] = params.centre;
    let around = f64::from(params.around);
    let directions: Vec<_> =
        (0..params.around).map(|column| libm::sincos(TAU * (f64::from(column) / around) - 0.5 * PI)).collect();
    let ring = |row: u32| {
        let down = f64::from(row) / f64::from(params.along);
        let radius = params.top_radius + (params.bottom_radius - params.top_radius) * down;
        let height = params.height * (0.5 - down);
        directions.iter().map(move |&(sin, cos)| [x + radius * cos, y + height, z + radius * sin])
    };
    (0..=params.along).flat_map(ring).collect()
}

fn groups(params: &SkirtParams) -> Vec<Group> {
    let ring = |row: u32| (row * params.around..(row + 1) * params.around).collect();
    vec![
        Group { name: "waist".to_owned(), vertices: ring(0) },
        Group { name: "hem".to_owned(), vertices: ring(params.along) },
    ]
}

/// The quad between two neighbours of this row and the ones below them, where `columns` vertices make a row:
/// counter-clockwise both in (u, v), as v runs down, and from outside.
fn quad(row: u32, columns: u32, left: u32, right: u32) -> [u32; 4] {
    let (upper, lower) = (row * columns, (row + 1) * columns);
    [upper + left, upper + right, lower + right, lower + left]
}

fn one_piece(mesh: &mut TriMesh, params: &SkirtParams, cone: &Cone) {
    let around = params.around;
    let columns = around + 1;
    for row in 0..=params.along {
        let down = f64::from(row) / f64::from(params.along);
        mesh.uvs.extend((0..columns).map(|column| cone.unroll(down, f64::from(column) - 0.5 * f64::from(around))));
    }
    for row in 0..params.along {
        for column in 0..around {
            let other = (row + column) % 2 == 1;
            let corners = quad(row, around, column, (column + 1) % around);
            mesh.triangles.extend(split_quad(corners, other));
            mesh.uv_triangles.extend(split_quad(quad(row, columns, column, column + 1), other));
        }
    }
}

/// All gores are alike, so they share the texture coordinates of one: two in each row.
fn gores(mesh: &mut TriMesh, params: &SkirtParams, cone: &Cone) {
    for row in 0..=params.along {
        let down = f64::from(row) / f64::from(params.along);
        mesh.uvs.extend([-0.5, 0.5].map(|side| cone.unroll(down, side)));
    }
    for row in 0..params.along {
        for column in 0..params.around {
            let other = (row + column) % 2 == 1;
            let corners = quad(row, params.around, column, (column + 1) % params.around);
            mesh.triangles.extend(split_quad(corners, other));
            mesh.uv_triangles.extend(split_quad(quad(row, 2, 0, 1), other));
        }
    }
}

/// The unrolling of a truncated pyramid with as many sides as the skirt has columns. The mesh is this pyramid, not the
/// cone around it, so unrolling the pyramid keeps every triangle's shape exactly.
struct Cone {
    /// Half a side of the waist, and how much longer it is at the hem, m.
    half_side: [f64; 2],
    /// The length of an edge from waist to hem, m.
    slant: f64,
    /// Half the angle that one side takes on the pattern; signed: negative if the skirt narrows downwards.
    half_angle: f64,
}

impl Cone {
    fn new(params: &SkirtParams) -> Self {
        let flare = params.bottom_radius - params.top_radius;
        let slant = (flare * flare + params.height * params.height).sqrt();
        let half = libm::sin(PI / f64::from(params.around));
        // On the pattern the edges meet in the apex, and half a side lies opposite the half angle.
        let half_angle = libm::asin(half * (flare / slant));
        Self { half_side: [half * params.top_radius, half * flare], slant, half_angle }
    }

    /// The pattern point that lies the fraction `down` of the way to the hem and `sides` sides from the middle.
    ///
    /// With the distance s from the apex and the angle θ this is (s sin θ, s cos θ − s₀). It is written so that it
    /// stays exact when the flare vanishes and the apex goes to infinity: s = half side / sin(half angle), so that only
    /// the ratio sin θ / sin(half angle) is needed, which tends to 2 `sides`.
    fn unroll(&self, down: f64, sides: f64) -> [f64; 2] {
        let half_side = self.half_side[0] + self.half_side[1] * down;
        let turn = self.half_angle * sides;
        if self.half_angle.abs() < 1e-150 {
            return [2.0 * half_side * sides, self.slant * down];
        }
        let (sin_turn, cos_turn) = libm::sincos(turn);
        let ratio = sin_turn / libm::sin(self.half_angle);
        // s sin 2α = 2 s sin α cos α and s (cos 2α − 1) = −2 s sin α sin α, with α = half angle × sides.
        [2.0 * half_side * ratio * cos_turn, self.slant * down - 2.0 * half_side * ratio * sin_turn]
    }
}
