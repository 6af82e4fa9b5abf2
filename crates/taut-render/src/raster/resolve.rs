//! From samples to the few surfaces each pixel shows.
//!
//! Lighting every sample would cost eight times as much and look the same: samples that see the same smooth
//! surface are merged, and only silhouettes, creases and overlaps keep several surfaces per pixel.

use super::View;
use super::fill::{NOTHING, SAMPLES, Samples, offset};
use super::geometry::{Geometry, Triangle};
use crate::colour::Rgb;
use crate::math::smoothstep;
use crate::scene::{Field, Values, Wireframe};
use glam::Vec3;

/// In place of an item: the floor.
pub(crate) const FLOOR: u32 = u32::MAX;

/// A surface seen in a pixel.
#[derive(Clone, Copy)]
pub(crate) struct Fragment {
    /// Which pixel.
    pub pixel: u32,
    /// Which item, or the floor.
    pub item: u32,
    /// Its share of the pixel, 0 to 1.
    pub weight: f32,
    pub position: Vec3,
    /// Turned to the viewer.
    pub normal: Vec3,
    pub colour: Rgb,
}

/// The surface that fills most of a pixel.
#[derive(Clone, Copy, Default)]
pub(crate) struct Surface {
    /// Distance in front of the eye; 0 where there is only backdrop.
    pub depth: f32,
    pub normal: Vec3,
}

/// What is seen, pixel by pixel.
pub(crate) struct Seen {
    pub width: usize,
    pub height: usize,
    pub surfaces: Vec<Surface>,
}

impl Seen {
    pub fn new(width: usize, height: usize) -> Seen {
        Seen { width, height, surfaces: vec![Surface::default(); width * height] }
    }
}

/// Samples of one pixel that see one triangle.
#[derive(Clone, Copy)]
struct Share {
    triangle: u32,
    count: u32,
    /// Sum of the samples' offsets.
    x: f32,
    y: f32,
}

/// Resolves a band starting at row `y0`.
pub(crate) fn resolve(
    geometry: &Geometry,
    view: &View,
    samples: &Samples,
    y0: usize,
    out: &mut Vec<Fragment>,
    surfaces: &mut [Surface],
) {
    out.reserve(surfaces.len() + surfaces.len() / 8);
    let places = (0..surfaces.len() / view.width).flat_map(|row| (0..view.width).map(move |x| (x, row)));
    for (place, (x, row)) in places.enumerate() {
        let y = y0 + row;
        let first = out.len();
        let centre = [x as f32 + 0.5, y as f32 + 0.5];
        for share in shares(view, &samples.triangle[place], &samples.inverse_depth[place], centre) {
            let at = [centre[0] + share.x / share.count as f32, centre[1] + share.y / share.count as f32];
            let seen = match share.triangle {
                NOTHING => floor_fragment(view, at),
                triangle => Some(surface_fragment(geometry, view, triangle, at)),
            };
            if let Some(mut fragment) = seen {
                fragment.pixel = (y * view.width + x) as u32;
                fragment.weight = share.count as f32 / SAMPLES as f32;
                merge(out, first, fragment, view);
            }
        }
        if out.len() > first + 1 || samples.triangle[place][0] != samples.triangle[place][SAMPLES - 1] {
            for fragment in &mut out[first..] {
                fragment.normal = fragment.normal.normalize_or(Vec3::Z);
            }
        }
        surfaces[place] = dominant(&out[first..]);
    }
}

/// Groups a pixel's samples by triangle; samples behind the floor count as nothing.
fn shares(
    view: &View,
    triangles: &[u32; SAMPLES],
    inverse_depth: &[f32; SAMPLES],
    centre: [f32; 2],
) -> impl Iterator<Item = Share> {
    let mut found = [Share { triangle: NOTHING, count: 0, x: 0.0, y: 0.0 }; SAMPLES];
    let mut count = 0;
    // Most pixels show one triangle, or none.
    let floor = view.floor_inverse_depth(view.ray(centre[0], centre[1]));
    let above = |s: usize| inverse_depth[s] > floor * 1.01;
    if triangles.iter().all(|t| *t == triangles[0]) && (triangles[0] == NOTHING || (above(0) && above(SAMPLES - 1))) {
        found[0] = Share { triangle: triangles[0], count: SAMPLES as u32, ..found[0] };
        return found.into_iter().take(1);
    }
    for s in 0..SAMPLES {
        let [ox, oy] = offset(s);
        let floor = view.floor_inverse_depth(view.ray(centre[0] + ox, centre[1] + oy));
        let triangle = if inverse_depth[s] < floor { NOTHING } else { triangles[s] };
        let slot = found[..count].iter().position(|f| f.triangle == triangle).unwrap_or(count);
        if slot == count {
            found[slot].triangle = triangle;
            count += 1;
        }
        found[slot].count += 1;
        found[slot].x += ox;
        found[slot].y += oy;
    }
    found.into_iter().take(count)
}

/// The floor as seen through a point of the picture, if it is; what no fragment covers is backdrop.
fn floor_fragment(view: &View, at: [f32; 2]) -> Option<Fragment> {
    let floor = view.floor.as_ref()?;
    let ray = view.ray(at[0], at[1]);
    let inverse = view.floor_inverse_depth(ray);
    if inverse <= 0.0 {
        return None;
    }
    let position = ray * (1.0 / inverse);
    let away = position - floor.centre;
    let colour = Rgb::default();
    (away.dot(away) < floor.extent * floor.extent).then_some(Fragment {
        pixel: 0,
        item: FLOOR,
        weight: 0.0,
        position,
        normal: view.up,
        colour,
    })
}

/// The triangle as seen through a point of the picture.
fn surface_fragment(geometry: &Geometry, view: &View, index: u32, at: [f32; 2]) -> Fragment {
    let triangle = &geometry.triangles[index as usize];
    let item = &geometry.items[triangle.item as usize];
    let corners = geometry.corners(triangle);
    let weights = weights_along(corners, view.ray(at[0], at[1]));
    let blend = |v: [Vec3; 3]| v[0] * weights[0] + v[1] * weights[1] + v[2] * weights[2];
    let position = blend(corners);
    let normal = blend(triangle.normals.map(|n| geometry.normals[n as usize]));
    let face = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let front = face.dot(position) <= 0.0;
    let mut colour = match item.field {
        Some(field) => field_colour(&field, triangle, geometry.bases[triangle.item as usize], weights),
        None if front => item.material.front,
        None => item.material.back,
    };
    if let Some(wire) = &item.wireframe {
        colour = colour.mix(wire.colour, wire.opacity * line_cover(wire, view, corners, weights));
    }
    let normal = facing(if front { normal } else { -normal }, position);
    Fragment { pixel: 0, item: triangle.item, weight: 0.0, position, normal, colour }
}

/// Barycentric weights of the point where a ray from the eye meets the triangle's plane: the volumes the ray spans
/// with the opposite edges. True in perspective, and untouched by clipping.
fn weights_along(corners: [Vec3; 3], ray: Vec3) -> [f32; 3] {
    let [a, b, c] = corners;
    let volumes = [ray.dot(b.cross(c)), ray.dot(c.cross(a)), ray.dot(a.cross(b))];
    let sum: f32 = volumes.iter().sum();
    let weights = volumes.map(|v| (v / sum).clamp(0.0, 1.0));
    let total: f32 = weights.iter().sum();
    // Seen edge on, the volumes vanish or say nothing.
    if total.is_finite() && total > 0.5 { weights.map(|w| w / total) } else { [1.0 / 3.0; 3] }
}

/// Interpolated normals can point away from the viewer near silhouettes: bent back just enough.
fn facing(normal: Vec3, position: Vec3) -> Vec3 {
    let away = position.normalize_or(Vec3::NEG_Z);
    let n = normal.normalize_or(-away);
    let turned = n.dot(away);
    if turned > -0.02 { (n - away * (turned + 0.02)).normalize_or(-away) } else { n }
}

fn field_colour(field: &Field, triangle: &Triangle, base: u32, weights: [f32; 3]) -> Rgb {
    let value = match field.values {
        Values::PerFace(values) => values.get(triangle.face as usize).copied().unwrap_or(f64::NAN),
        Values::PerVertex(values) => (0..3)
            .map(|k| {
                let value = values.get((triangle.vertices[k] - base) as usize).copied().unwrap_or(f64::NAN);
                value * weights[k] as f64
            })
            .sum(),
    };
    field.scale.colour(value)
}

/// How much of a line along the triangle's edges covers the pixel. Each of the two triangles at an edge draws
/// its half.
fn line_cover(wire: &Wireframe, view: &View, corners: [Vec3; 3], weights: [f32; 3]) -> f32 {
    if corners.iter().any(|c| c.z > -view.near) {
        return 0.0;
    }
    let flat = corners.map(|c| view.project(c));
    // Weights of the flat triangle, from those in space.
    let seen: [f32; 3] = std::array::from_fn(|k| weights[k] / flat[k][2]);
    let total: f32 = seen.iter().sum();
    let side = |k: usize| {
        let (a, b) = (flat[(k + 1) % 3], flat[(k + 2) % 3]);
        (b[0] - a[0]).hypot(b[1] - a[1])
    };
    let [p, q, r] = flat;
    let area = ((q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1])).abs();
    let distance = (0..3).map(|k| seen[k] / total * area / side(k).max(1e-6)).fold(f32::INFINITY, f32::min);
    let half = 0.5 * wire.width;
    1.0 - smoothstep(half - 0.5, half + 0.5, distance)
}

/// Adds a fragment to the pixel's list, or to one that belongs to the same smooth surface.
fn merge(out: &mut Vec<Fragment>, first: usize, fragment: Fragment, view: &View) {
    for old in &mut out[first..] {
        if old.item != fragment.item {
            continue;
        }
        let size = -fragment.position.z / view.focal;
        let facing = old.normal.normalize_or(fragment.normal).dot(fragment.normal);
        // Six pixels' depth in one: beyond it, two layers are seen, not one steep one.
        let near = (old.position.z - fragment.position.z).abs() < 6.0 * size;
        if fragment.item == FLOOR || (facing > 0.9 && near) {
            let total = old.weight + fragment.weight;
            let share = fragment.weight / total;
            old.position = old.position * (1.0 - share) + fragment.position * share;
            old.normal = old.normal * (1.0 - share) + fragment.normal * share;
            old.colour = old.colour.mix(fragment.colour, share);
            old.weight = total;
            return;
        }
    }
    out.push(fragment);
}

fn dominant(fragments: &[Fragment]) -> Surface {
    let largest = fragments.iter().reduce(|best, f| if f.weight > best.weight { f } else { best });
    largest.map_or(Surface::default(), |f| Surface { depth: -f.position.z, normal: f.normal })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_true_in_perspective() {
        let corners = [Vec3::new(-1.0, 0.0, -1.0), Vec3::new(3.0, 0.0, -3.0), Vec3::new(0.0, 2.0, -2.0)];
        let wanted = [0.5, 0.3, 0.2];
        let point = corners[0] * 0.5 + corners[1] * 0.3 + corners[2] * 0.2;
        let found = weights_along(corners, point * (-1.0 / point.z));
        (0..3).for_each(|k| assert!((found[k] - wanted[k]).abs() < 1e-5, "{found:?}"));
    }

    #[test]
    fn edge_on_triangles_give_usable_weights() {
        let corners = [Vec3::NEG_Z, Vec3::new(0.0, 0.0, -2.0), Vec3::new(0.0, 0.0, -3.0)];
        let found = weights_along(corners, Vec3::NEG_Z);
        assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn normals_never_face_away() {
        let position = Vec3::new(0.0, 0.0, -2.0);
        for normal in [Vec3::new(1.0, 0.0, -0.3), Vec3::NEG_Z, Vec3::ZERO, Vec3::new(0.0, 1.0, 0.5)] {
            let bent = facing(normal, position);
            assert!(bent.dot(position) < 0.0 && (bent.length() - 1.0).abs() < 1e-5, "{bent:?}");
        }
    }
}
