//! Which triangle is nearest at each sample.
//!
//! Each pixel has [`SAMPLES`] sample points on a rotated pattern, so that edges of any slope get evenly spaced
//! steps. A sample is inside where all three edge functions are positive. Each edge function is computed from
//! its end points in one fixed order, whichever triangle asks: two triangles that share an edge see exactly
//! opposite values, so no sample on it is lost or taken twice.

use super::geometry::{Geometry, Lists};
use super::{BAND, View};
use glam::Vec3;

/// Sample points per pixel.
pub(crate) const SAMPLES: usize = 8;

/// Where they are, relative to the pixel's centre, in sixteenths: each has its own row and column.
const PATTERN: [[i8; 2]; SAMPLES] = [[1, -3], [-1, 3], [5, 1], [-3, -5], [-5, 5], [-7, -1], [3, 7], [7, -7]];

/// No triangle.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Where a sample is, relative to the pixel's centre, pixels.
pub(crate) fn offset(sample: usize) -> [f32; 2] {
    PATTERN[sample].map(|v| v as f32 / 16.0)
}

/// The samples of one band of rows.
#[derive(Default)]
pub(crate) struct Samples {
    /// One over the depth, 0 where there is nothing.
    pub inverse_depth: Vec<[f32; SAMPLES]>,
    /// The triangle seen.
    pub triangle: Vec<[u32; SAMPLES]>,
}

impl Samples {
    pub fn clear(&mut self, width: usize, rows: usize) {
        self.inverse_depth.clear();
        self.inverse_depth.resize(width * rows, [0.0; SAMPLES]);
        self.triangle.clear();
        self.triangle.resize(width * rows, [NOTHING; SAMPLES]);
    }
}

/// A triangle in the picture: after clipping there may be two for one of the scene.
struct Flat {
    /// Indices of its points.
    points: [u32; 3],
    /// The scene's triangle.
    source: u32,
}

/// Triangles in the picture, sorted by the bands they touch.
pub(crate) struct Bins {
    points: Vec<[f32; 3]>,
    flats: Vec<Flat>,
    bands: Lists,
}

impl Bins {
    pub fn sort(geometry: &Geometry, view: &View) -> Bins {
        let (points, flats) = flatten(geometry, view);
        let bands = view.height.div_ceil(BAND);
        let rows = |flat: &Flat| {
            let y = flat.points.map(|p| points[p as usize][1]);
            let lo = (y[0].min(y[1]).min(y[2]) - 1.0).max(0.0) as usize / BAND;
            let bottom = y[0].max(y[1]).max(y[2]) + 1.0;
            // Above the picture the range is empty; a cast alone would put it in the first band.
            let hi = if bottom < 0.0 { 0 } else { (bottom as usize / BAND + 1).min(bands) };
            lo.min(hi)..hi
        };
        let pairs = || {
            let each = |(i, flat): (usize, &Flat)| rows(flat).map(move |band| (band, i as u32));
            flats.iter().enumerate().flat_map(each)
        };
        let bands = Lists::gather(bands, pairs);
        Bins { points, flats, bands }
    }

    /// Draws all triangles of a band.
    pub fn fill(&self, band: usize, view: &View, samples: &mut Samples) {
        for &i in self.bands.of(band) {
            let flat = &self.flats[i as usize];
            let points = flat.points.map(|p| self.points[p as usize]);
            if let Some(plan) = Plan::new(points) {
                plan.fill(band * BAND, view, flat.source, samples);
            }
        }
    }
}

/// Projects all vertices and cuts off what is too near.
fn flatten(geometry: &Geometry, view: &View) -> (Vec<[f32; 3]>, Vec<Flat>) {
    let visible = |v: Vec3| v.z <= -view.near;
    let project = |v: &Vec3| if visible(*v) { view.project(*v) } else { [f32::NAN; 3] };
    let mut points: Vec<[f32; 3]> = geometry.vertices.iter().map(project).collect();
    let mut flats = Vec::with_capacity(geometry.triangles.len());
    for (source, triangle) in geometry.triangles.iter().enumerate() {
        let source = source as u32;
        let corners = geometry.corners(triangle);
        match corners.iter().filter(|v| visible(**v)).count() {
            3 => flats.push(Flat { points: triangle.vertices, source }),
            0 => {}
            _ => {
                let first = points.len() as u32;
                points.extend(clip(corners, view.near).iter().map(|v| view.project(*v)));
                let count = points.len() as u32 - first;
                flats.extend((2..count).map(|k| Flat { points: [first, first + k - 1, first + k], source }));
            }
        }
    }
    (points, flats)
}

/// The part of a triangle beyond the near plane. Cuts are computed from the visible end of an edge, so that
/// neighbours get the same point.
fn clip(corners: [Vec3; 3], near: f32) -> Vec<Vec3> {
    let cut = |from: Vec3, to: Vec3| {
        let t = (-near - from.z) / (to.z - from.z);
        let point = from + (to - from) * t;
        Vec3 { z: -near, ..point }
    };
    let mut kept = Vec::with_capacity(4);
    for i in 0..3 {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        match (a.z <= -near, b.z <= -near) {
            (true, true) => kept.push(a),
            (true, false) => kept.extend([a, cut(a, b)]),
            (false, true) => kept.push(cut(b, a)),
            (false, false) => {}
        }
    }
    kept
}

/// The smaller of two numbers that are not NaN: one instruction, where `f32::min` takes several.
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Takes over the samples that are inside and nearer. Masks in place of branches, one simple loop each: the form
/// that compilers turn into a few instructions for all samples at once.
fn take_nearer(
    least: &[f32; SAMPLES],
    here: &[f32; SAMPLES],
    source: u32,
    nearest: &mut [f32; SAMPLES],
    triangle: &mut [u32; SAMPLES],
) {
    let inside: [u32; SAMPLES] = std::array::from_fn(|s| if least[s] >= 0.0 { !0 } else { 0 });
    let nearer: [u32; SAMPLES] = std::array::from_fn(|s| if here[s] > nearest[s] { !0 } else { 0 });
    let mask: [u32; SAMPLES] = std::array::from_fn(|s| inside[s] & nearer[s]);
    *nearest =
        std::array::from_fn(|s| f32::from_bits((here[s].to_bits() & mask[s]) | (nearest[s].to_bits() & !mask[s])));
    *triangle = std::array::from_fn(|s| (source & mask[s]) | (triangle[s] & !mask[s]));
}

/// A triangle ready to fill.
struct Plan {
    /// Edge functions a x + b y + c, positive inside.
    edges: [[f64; 3]; 3],
    /// What an edge function must reach: 0 on edges that own their points, the smallest normal number on others.
    threshold: [f32; 3],
    /// One over the depth as a function of the place in the picture.
    depth: [f64; 3],
    /// Smallest and largest x and y.
    x: [f32; 2],
    y: [f32; 2],
}

impl Plan {
    /// None for triangles without area.
    fn new(points: [[f32; 3]; 3]) -> Option<Plan> {
        let p = points.map(|p| p.map(f64::from));
        let area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
        if area == 0.0 || !area.is_finite() {
            return None;
        }
        let mut edges = [[0.0; 3]; 3];
        let mut threshold = [0.0; 3];
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let swap = (points[i][0], points[i][1]) > (points[j][0], points[j][1]);
            let (from, to) = if swap { (p[j], p[i]) } else { (p[i], p[j]) };
            let owns = swap != (area > 0.0);
            let sign = if owns { 1.0 } else { -1.0 };
            threshold[k] = if owns { 0.0 } else { f32::MIN_POSITIVE };
            edges[k] = [from[1] - to[1], to[0] - from[0], from[0] * to[1] - to[0] * from[1]].map(|v| sign * v);
        }
        // The edge functions add up to the area everywhere, so they are the weights of their far corners.
        let depth = std::array::from_fn(|c| (0..3).map(|k| edges[k][c] * p[k][2]).sum::<f64>() / area.abs());
        let range = |axis: usize| {
            let v = points.map(|p| p[axis]);
            [v[0].min(v[1]).min(v[2]), v[0].max(v[1]).max(v[2])]
        };
        Some(Plan { edges, threshold, depth, x: range(0), y: range(1) })
    }

    fn fill(&self, y0: usize, view: &View, source: u32, samples: &mut Samples) {
        let width = view.width;
        let rows = samples.triangle.len() / width;
        let shift = |e: &[f64; 3]| -> [f32; SAMPLES] {
            std::array::from_fn(|s| (e[0] * offset(s)[0] as f64 + e[1] * offset(s)[1] as f64) as f32)
        };
        let shifts = self.edges.each_ref().map(shift);
        let depth_shift = shift(&self.depth);
        // The most an edge function can grow between a pixel's centre and its samples.
        let slack = self.edges.map(|e| (0.5 * (e[0].abs() + e[1].abs())) as f32);
        let top = (self.y[0] - 0.5).floor().max(y0 as f32) as usize;
        let bottom = ((self.y[1] + 0.5).ceil().max(0.0) as usize).min(y0 + rows);
        for y in top..bottom {
            let yc = y as f64 + 0.5;
            let (left, right) = self.span(yc, width);
            for x in left..right {
                let xc = x as f64 + 0.5;
                let at = |e: &[f64; 3]| (e[0] * xc + e[1] * yc + e[2]) as f32;
                let edge = self.edges.each_ref().map(at);
                if (edge[0] < -slack[0]) | (edge[1] < -slack[1]) | (edge[2] < -slack[2]) {
                    continue;
                }
                let depth = at(&self.depth);
                let place = (y - y0) * width + x;
                let (nearest, triangle) = (&mut samples.inverse_depth[place], &mut samples.triangle[place]);
                let here = depth_shift.map(|d| depth + d);
                let mut least = [0.0; SAMPLES];
                for s in 0..SAMPLES {
                    let reach = |k: usize| edge[k] + shifts[k][s] - self.threshold[k];
                    least[s] = smaller(smaller(reach(0), reach(1)), reach(2));
                }
                take_nearer(&least, &here, source, nearest, triangle);
            }
        }
    }

    /// The pixels of a row that may hold samples of the triangle.
    fn span(&self, yc: f64, width: usize) -> (usize, usize) {
        let (mut lo, mut hi) = ((self.x[0] as f64 - 0.5).floor(), (self.x[1] as f64 + 0.5).ceil());
        if hi - lo > 6.0 {
            for [a, b, c] in self.edges {
                // Where the edge function, at its largest within a pixel, reaches zero.
                let zero = -(b * yc + c + 0.5 * (a.abs() + b.abs())) / a;
                if a > 0.0 {
                    lo = lo.max((zero - 1.0).floor());
                } else if a < 0.0 {
                    hi = hi.min((zero + 1.0).ceil());
                }
            }
        }
        let right = hi.clamp(0.0, width as f64) as usize;
        ((lo.clamp(0.0, width as f64) as usize).min(right), right)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ViewBox;
    use super::*;

    fn view(width: usize, height: usize) -> View {
        let bounds = ViewBox { centre: Vec3::ZERO, axes: [Vec3::ZERO; 3], half: [1.0; 3] };
        View { width, height, focal: 1.0, near: 0.1, up: Vec3::Y, bounds, floor: None }
    }

    fn draw(triangles: &[[[f32; 3]; 3]], size: usize) -> Samples {
        let mut samples = Samples::default();
        samples.clear(size, size);
        for (i, points) in triangles.iter().enumerate() {
            if let Some(plan) = Plan::new(*points) {
                plan.fill(0, &view(size, size), i as u32, &mut samples);
            }
        }
        samples
    }

    #[test]
    fn triangles_of_a_fan_cover_each_sample_exactly_once() {
        // Odd coordinates, all orders: shared edges must neither lose samples nor take them twice.
        let rim: Vec<[f32; 3]> = (0..37)
            .map(|i| (i as f32 / 37.0 * std::f32::consts::TAU).sin_cos())
            .map(|(s, c)| [16.3 + 14.7 * s, 15.9 + 14.1 * c, 1.0])
            .collect();
        // Exactly on a sample: all 37 triangles meet there, and one must take it.
        let centre = [13.5 + 1.0 / 16.0, 11.5 - 3.0 / 16.0, 1.0];
        let mut counts = vec![0; 32 * 32 * SAMPLES];
        for i in 0..37 {
            let (a, b) = (rim[i], rim[(i + 1) % 37]);
            let points = if i % 2 == 0 { [centre, a, b] } else { [b, centre, a] };
            let drawn = draw(&[points], 32);
            drawn.triangle.iter().flatten().zip(&mut counts).for_each(|(t, n)| *n += (*t == 0) as u32);
        }
        let inside = |place: usize| {
            let (pixel, [ox, oy]) = (place / SAMPLES, offset(place % SAMPLES));
            let (x, y) = ((pixel % 32) as f32 + 0.5 + ox - 16.3, (pixel / 32) as f32 + 0.5 + oy - 15.9);
            (x / 14.7).hypot(y / 14.1)
        };
        for (place, count) in counts.iter().enumerate() {
            match inside(place) {
                r if r < 0.99 => assert_eq!(*count, 1, "sample {place}"),
                r if r > 1.0 => assert_eq!(*count, 0, "sample {place}"),
                _ => assert!(*count <= 1),
            }
        }
    }

    #[test]
    fn nearer_triangle_wins_in_either_order() {
        let near = [[0.0, 0.0, 0.5], [40.0, 0.0, 0.5], [0.0, 40.0, 0.5]];
        let far = near.map(|[x, y, _]| [x, y, 0.25]);
        for (order, winner) in [([near, far], 0), ([far, near], 1)] {
            assert!(draw(&order, 16).triangle.iter().flatten().all(|t| *t == winner));
        }
    }

    #[test]
    fn crossing_triangles_change_places_where_they_cross() {
        let slope = |z0: f32, z1: f32| [[-16.0, -16.0, z0], [48.0, -16.0, z1], [16.0, 200.0, 0.5 * (z0 + z1)]];
        let drawn = draw(&[slope(0.2, 0.8), slope(0.8, 0.2)], 32);
        for (pixel, samples) in drawn.triangle.iter().enumerate() {
            match pixel % 32 {
                0..15 => assert_eq!(*samples, [1; SAMPLES]),
                17.. => assert_eq!(*samples, [0; SAMPLES]),
                _ => {}
            }
        }
    }

    #[test]
    fn clipped_parts_keep_their_area() {
        let corners = [Vec3::new(0.0, 0.0, -2.0), Vec3::new(2.0, 0.0, -2.0), Vec3::new(0.0, 0.0, 2.0)];
        let kept = clip(corners, 1.0);
        assert_eq!(kept.len(), 4);
        assert!(kept.iter().all(|v| v.z <= -1.0));
        let area = (1..3).map(|i| (kept[i] - kept[0]).cross(kept[i + 1] - kept[0]).length()).sum::<f32>() / 2.0;
        assert!((area - 4.0 * (1.0 - 0.75 * 0.75)).abs() < 1e-5, "{area}");
        assert!(clip([corners[2]; 3], 1.0).is_empty());
    }
}
