//! Flat discs.

use core::f64::consts::{PI, TAU};

use taut::mesh::{Group, TriMesh};

use super::error::{GenerateError, check_count, check_elements, check_length, check_point};
use super::planar::{Pattern, Plane};
use super::scatter::{Region, scatter, spacing_for};

/// How a disc is cut into triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiscTessellation {
    /// Concentric rings of 6, 12, 18… vertices: six triangles meet at the centre, as at nearly every other vertex.
    #[default]
    Rings,
    /// Scattered points and their Delaunay triangulation: about as many vertices, no angle below 30°.
    Irregular {
        /// Another seed scatters the points elsewhere.
        seed: u64,
    },
}

/// A flat disc.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscParams {
    /// Radius, m.
    pub radius: f64,
    /// Rings of vertices around the centre, at least 1: n rings are 6 n² triangles.
    pub rings: u32,
    /// Lying or upright.
    pub plane: Plane,
    /// The disc's middle, m.
    pub centre: [f64; 3],
    /// How the disc is cut into triangles.
    pub tessellation: DiscTessellation,
}

impl Default for DiscParams {
    /// A disc of radius 0.5 m, lying at the origin, of 16 rings.
    fn default() -> Self {
        Self { radius: 0.5, rings: 16, plane: Plane::Xz, centre: [0.0; 3], tessellation: DiscTessellation::Rings }
    }
}

/// Makes a flat disc. Texture coordinates are (0, 0) at the centre. Groups: `centre`, one vertex, and `rim`.
pub fn disc(params: &DiscParams) -> Result<TriMesh, GenerateError> {
    check_length("radius", params.radius)?;
    check_count("rings", params.rings, 1)?;
    check_elements("rings", &[6, params.rings, params.rings])?;
    check_point("centre", params.centre)?;
    let (pattern, groups) = match params.tessellation {
        DiscTessellation::Rings => rings(params),
        DiscTessellation::Irregular { seed } => irregular(params, seed)?,
    };
    Ok(pattern.into_mesh(params.plane, [0.0; 2], params.centre, groups))
}

fn rings(params: &DiscParams) -> (Pattern, Vec<Group>) {
    let place = |ring: u32, step: u32| {
        let radius = params.radius * (f64::from(ring) / f64::from(params.rings));
        circle_point(radius, step, (6 * ring).max(1))
    };
    let points = (0..=params.rings).flat_map(|ring| (0..ring_size(ring)).map(move |step| place(ring, step))).collect();
    let rim = (0..ring_size(params.rings)).map(|step| ring_vertex(params.rings, step)).collect();
    (Pattern { points, triangles: ring_triangles(params.rings) }, disc_groups(0, rim))
}

fn irregular(params: &DiscParams, seed: u64) -> Result<(Pattern, Vec<Group>), GenerateError> {
    let radius = params.radius;
    let count = 1.0 + 3.0 * f64::from(params.rings) * f64::from(params.rings + 1);
    // Six points are the fewest that go round a disc whose centre is taken.
    let spacing = spacing_for(count, PI * radius * radius, TAU * radius).min(radius);
    let steps = ((PI / libm::asin(spacing / (2.0 * radius))) * (1.0 + 1e-9)) as u32;
    let given = core::iter::once([0.0; 2]).chain((0..steps).map(|step| circle_point(radius, step, steps)));
    let inside = |p: [f64; 2]| p[0] * p[0] + p[1] * p[1] < radius * radius;
    let region = Region { low: [-radius; 2], size: [2.0 * radius; 2], spacing, inside: &inside };
    let pattern = scatter(given.collect(), &region, seed)?;
    // Scattered points keep away from both the centre and the rim by more than half the spacing.
    let centre = pattern.group("", |p| p == [0.0; 2]).vertices.first().copied().unwrap_or(0);
    let inner = (radius - 0.25 * spacing) * (radius - 0.25 * spacing);
    let rim = pattern.group("", |p| p[0] * p[0] + p[1] * p[1] > inner).vertices;
    Ok((pattern, disc_groups(centre, rim)))
}

fn disc_groups(centre: u32, rim: Vec<u32>) -> Vec<Group> {
    vec![Group { name: "centre".to_owned(), vertices: vec![centre] }, Group { name: "rim".to_owned(), vertices: rim }]
}

/// One of `steps` points evenly around a circle, counter-clockwise from the first axis.
pub(super) fn circle_point(radius: f64, step: u32, steps: u32) -> [f64; 2] {
    let (sin, cos) = libm::sincos(TAU * (f64::from(step) / f64::from(steps)));
    [radius * cos, radius * sin]
}

/// How many vertices ring `ring` of a disc has; ring 0 is the centre.
pub(super) fn ring_size(ring: u32) -> u32 {
    if ring == 0 { 1 } else { 6 * ring }
}

/// How many vertices a disc of that many rings has.
pub(super) fn disc_size(rings: u32) -> u32 {
    1 + 3 * rings * (rings + 1)
}

/// The vertex at place `step` of ring `ring`, where `step` may be once around.
pub(super) fn ring_vertex(ring: u32, step: u32) -> u32 {
    if ring == 0 { 0 } else { disc_size(ring - 1) + step % (6 * ring) }
}

/// The triangles of a disc of concentric rings: six sectors, each cut like a triangle into equal rows.
pub(super) fn ring_triangles(rings: u32) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(6 * rings as usize * rings as usize);
    for ring in 1..=rings {
        for sector in 0..6 {
            let outer = |step| ring_vertex(ring, sector * ring + step);
            let inner = |step| ring_vertex(ring - 1, sector * (ring - 1) + step);
            for step in 0..ring {
                triangles.push([outer(step), outer(step + 1), inner(step)]);
                if step + 1 < ring {
                    triangles.push([inner(step), outer(step + 1), inner(step + 1)]);
                }
            }
        }
    }
    triangles
}
