//! How much of the sky's dome each place sees past everything else: the large, soft shading under and between
//! things that no single light gives.
//!
//! A handful of coarse shadow maps from directions spread over the dome. Each pixel looks at a few of them, at a place
//! shifted by its kind; averaging neighbours of all kinds makes it smooth.

use super::geometry::Geometry;
use super::shadow::{ShadowMap, disc_point};
use super::{View, run};
use crate::camera::Camera;
use crate::math::smoothstep;
use glam::Vec3;

/// Directions on the dome.
const DIRECTIONS: usize = 14;
/// Each pixel looks at every second of them.
const EVERY: usize = 2;
/// Texels along the longer side of a map.
const SIZE: usize = 192;
/// Tangent of half the angle that each direction stands for: together they cover the dome.
const SPREAD: f32 = 0.3;

/// Shadow maps from all over the sky.
pub(crate) struct Dome {
    maps: Vec<ShadowMap>,
    shifts: [[f32; 2]; 16],
    /// Beyond this distance from everything the sky is open, m.
    reach: f32,
}

impl Dome {
    pub fn build(geometry: &Geometry, camera: &Camera, view: &View, threads: usize) -> Dome {
        let direction = |i: usize| {
            // Evenly by height is evenly by area on a sphere; the lowest would only find the horizon.
            let rise = 0.1 + 0.9 * (i as f64 + 0.5) / DIRECTIONS as f64;
            let (sin, cos) = (i as f64 * 2.399_963_229_728_653).sin_cos();
            let level = (1.0 - rise * rise).sqrt();
            camera.direction_to_view([level * cos, rise, level * sin])
        };
        let mut maps: Vec<Option<ShadowMap>> = (0..DIRECTIONS).map(|_| None).collect();
        let jobs = maps.iter_mut().enumerate().collect();
        run(threads, jobs, || (), |_, (i, map)| *map = Some(ShadowMap::build(geometry, direction(i), 0.0, SIZE)));
        Dome {
            maps: maps.into_iter().flatten().collect(),
            shifts: std::array::from_fn(|kind| disc_point(kind, 16)),
            reach: 1.6 * view.bounds.radius(),
        }
    }

    /// The share of the sky's light that arrives at a surface, 0 to 1.
    pub fn open_at(&self, view: &View, p: Vec3, normal: Vec3, kind: usize) -> f32 {
        let away = view.bounds.distance(p) / self.reach;
        if away >= 1.0 {
            return 1.0;
        }
        let (mut open, mut all) = (0.0, 0.0);
        for (i, map) in self.maps.iter().enumerate().skip(kind % EVERY).step_by(EVERY) {
            // Along the surface, a coarse map cannot tell it from what stands on it.
            let weight = normal.dot(map.light()) - 0.06;
            if weight > 0.0 {
                all += weight;
                open += weight * map.is_open(p, normal, SPREAD, self.shifts[(kind + 5 * i) % 16]) as u32 as f32;
            }
        }
        // Facing down there is no sky; light from the floor is told by the material's ambient colour.
        let sees = smoothstep(0.0, 1.0, all) * (1.0 - smoothstep(0.3, 1.0, away));
        if all > 0.0 { 1.0 - sees * (1.0 - open / all) } else { 1.0 }
    }
}
