//! From a snapshot to triangles for the graphics card.

use crate::session::{SideView, Surface};
use glam::DVec3;
use taut_render::{Bounds, Legend, Rgb, palette};
use taut_scene::write::vertex_normals;

/// A vertex as shaders get it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Vertex {
    /// Where, m.
    pub position: [f32; 3],
    /// The surface's direction, of length 1.
    pub normal: [f32; 3],
    /// sRGB, and how the surface looks: see [`CLOTH`] and its like.
    pub colour: [u8; 4],
}

/// Cloth, with two sides and a sheen.
const CLOTH: u8 = 255;
/// Smooth and dull.
const DULL: u8 = 128;
/// Colours that mean something: as little light and shade as possible.
const MAP: u8 = 0;

/// Everything that is drawn, as one mesh.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    /// Vertices.
    pub vertices: Vec<Vertex>,
    /// Triangles.
    pub indices: Vec<u32>,
    /// How many of the indices, from the first, throw shadows: those of what is inside of the ball.
    pub casters: usize,
    /// Edges, two vertices each.
    pub lines: Vec<u32>,
    /// The middle of everything and the radius of a ball around it, m.
    pub ball: (DVec3, f64),
    /// The height of the floor, m.
    pub floor: f64,
}

impl Geometry {
    /// What one side of a snapshot shows, with a heat map or without.
    pub fn of(side: &SideView, legend: Option<&Legend>, wireframe: bool) -> Self {
        let mut out = Geometry { ball: around(side), ..Geometry::default() };
        out.floor = floor(side, out.ball.1);
        for (at, shape) in side.shape.objects.iter().enumerate() {
            let base = shape.surface.colour.unwrap_or([200; 3]);
            let kind = if shape.cloth { CLOTH } else { DULL };
            let grey = palette::plaster().to_srgb8();
            let colour = |vertex: usize| match (legend, &side.values[at]) {
                (None, _) => tagged(base, kind),
                (Some(legend), Some(values)) => tagged(legend.scale.colour(f64::from(values[vertex])).to_srgb8(), MAP),
                (Some(_), None) => tagged(grey, DULL),
            };
            out.add_smooth(&side.positions[at], &shape.surface.triangles, colour, wireframe);
        }
        for near in [true, false] {
            for (surface, positions) in side.shape.colliders.iter().zip(&side.colliders) {
                if out.reaches(positions) == near {
                    let colour = surface.colour.unwrap_or_else(|| palette::plaster().to_srgb8());
                    out.add_creased(positions, &surface.triangles, tagged(colour, DULL));
                }
            }
            if near {
                out.casters = out.indices.len();
            }
        }
        let size = 0.008 * out.ball.1;
        side.pins.iter().take(MOST_PINS).for_each(|&place| out.add_ball(place.into(), size, palette::signal()));
        out
    }

    /// Whether all these places are inside of the ball, but for rounding.
    fn reaches(&self, positions: &[[f64; 3]]) -> bool {
        let (centre, radius) = self.ball;
        positions.iter().all(|&p| centre.distance(p.into()) <= 1.01 * radius)
    }

    /// A surface that looks smooth all over.
    fn add_smooth(
        &mut self,
        positions: &[[f64; 3]],
        triangles: &[[u32; 3]],
        colour: impl Fn(usize) -> [u8; 4],
        lines: bool,
    ) {
        let base = self.vertices.len() as u32;
        let normals = vertex_normals(positions, triangles);
        let vertex = |(at, (&position, &normal)): (usize, (&[f64; 3], &[f64; 3]))| Vertex {
            position: single(position),
            normal: single(normal),
            colour: colour(at),
        };
        self.vertices.extend(positions.iter().zip(&normals).enumerate().map(vertex));
        self.indices.extend(triangles.iter().flatten().map(|v| base + v));
        if lines {
            let mut edges: Vec<[u32; 2]> = triangles
                .iter()
                .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
                .map(|[a, b]| [a.min(b), a.max(b)])
                .collect();
            edges.sort_unstable();
            edges.dedup();
            self.lines.extend(edges.iter().flatten().map(|v| base + v));
        }
    }

    /// A surface whose sharp edges look sharp.
    fn add_creased(&mut self, positions: &[[f64; 3]], triangles: &[[u32; 3]], colour: [u8; 4]) {
        let smooth = vertex_normals(positions, triangles);
        for corners in triangles {
            let [a, b, c] = corners.map(|v| DVec3::from(positions[v as usize]));
            let flat = (b - a).cross(c - a).normalize_or_zero();
            for (&corner, place) in corners.iter().zip([a, b, c]) {
                let soft = DVec3::from(smooth[corner as usize]);
                let normal = if flat.dot(soft) > CREASE { soft } else { flat };
                self.indices.push(self.vertices.len() as u32);
                self.vertices.push(Vertex { position: single(place), normal: single(normal), colour });
            }
        }
    }

    /// A small ball, for marks.
    fn add_ball(&mut self, centre: DVec3, radius: f64, colour: Rgb) {
        let base = self.vertices.len() as u32;
        let colour = tagged(colour.to_srgb8(), DULL);
        for (ring, side) in (0..=RINGS).flat_map(|ring| (0..SIDES).map(move |side| (ring, side))) {
            let (sin, cos) = (std::f64::consts::PI * f64::from(ring) / f64::from(RINGS)).sin_cos();
            let (x, z) = (std::f64::consts::TAU * f64::from(side) / f64::from(SIDES)).sin_cos();
            let normal = DVec3::new(sin * x, cos, sin * z);
            let position = single(centre + normal * radius);
            self.vertices.push(Vertex { position, normal: single(normal), colour });
        }
        for (ring, side) in (0..RINGS).flat_map(|ring| (0..SIDES).map(move |side| (ring, side))) {
            let at = |ring: u32, side: u32| base + ring * SIDES + side % SIDES;
            let (a, b, c, d) = (at(ring, side), at(ring + 1, side), at(ring + 1, side + 1), at(ring, side + 1));
            self.indices.extend([a, b, c, a, c, d]);
        }
    }
}

/// A crease is where a triangle's direction and the mean around its corner differ by more than 35 degrees: the cosine.
const CREASE: f64 = 0.82;
const RINGS: u32 = 6;
const SIDES: u32 = 10;
/// More marks would hide what they are on.
const MOST_PINS: usize = 400;

fn tagged([r, g, b]: [u8; 3], kind: u8) -> [u8; 4] {
    [r, g, b, kind]
}

fn single(v: impl Into<DVec3>) -> [f32; 3] {
    v.into().as_vec3().to_array()
}

/// A ball around everything but planes and what has flown away.
pub fn around(side: &SideView) -> (DVec3, f64) {
    let mut all = Bounds::EMPTY;
    side.positions.iter().for_each(|positions| all.include(positions));
    let (centre, radius) = (DVec3::from(all.centre()), all.radius());
    for (_, positions) in seen(side) {
        let bounds = Bounds::of(positions);
        if centre.distance(bounds.centre().into()) <= 3.0 * (radius + bounds.radius()) {
            all.include(positions);
        }
    }
    (all.centre().into(), all.radius().clamp(1e-3, 1e4))
}

/// Colliders that are seen, but for floors.
fn seen(side: &SideView) -> impl Iterator<Item = (&Surface, &Vec<[f64; 3]>)> {
    side.shape.colliders.iter().zip(&side.colliders).filter(|(surface, _)| !surface.triangles.is_empty())
}

/// The floor's height: that of the scene, or just below everything.
fn floor(side: &SideView, radius: f64) -> f64 {
    let lowest = side.positions.iter().chain(&side.colliders).flatten().map(|p| p[1]).filter(|y| y.is_finite());
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    side.floor.unwrap_or(if lowest.is_finite() { lowest - 0.02 * radius } else { 0.0 })
}

/// Points that decide what is in view.
pub fn points(side: &SideView) -> Vec<[f64; 3]> {
    seen(side).map(|(_, positions)| positions).chain(&side.positions).flatten().copied().collect()
}
