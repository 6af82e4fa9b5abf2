//! Where light comes from: places on one broad light, then places of the sky. Each has a depth picture of what it sees,
//! which gives soft shadows, sharper where things touch, and the shade under and between things.

use crate::camera::{Matrix, light_matrix};
use glam::DVec3;

/// Most lights.
pub(super) const LIGHTS: usize = 32;
/// Tiles in a row and in a column of the depth pictures: one for each light.
pub(super) const TILES: [u32; 2] = [8, 4];
/// Tangent of half the angle that the main light spans, 4 degrees: how soft its shadows are.
const SOFTNESS: f64 = 0.07;
/// The golden angle, radians: turning by it spreads points evenly.
const GOLDEN: f64 = 2.399_963_229_728_653;

/// Directions to all lights.
pub(super) struct Lights {
    towards: Vec<DVec3>,
    /// How many of them are the main light's; they come first.
    pub suns: usize,
}

impl Lights {
    /// All lights around a main one; few if drawing is slow.
    pub fn new(main: DVec3, few: bool) -> Self {
        let (suns, skies) = if few { (6, 8) } else { (16, 16) };
        let main = main.normalize_or_zero();
        let across = main.cross(if main.y.abs() > 0.9 { DVec3::X } else { DVec3::Y }).normalize_or_zero();
        let along = main.cross(across);
        let sun = |at: usize| {
            let away = SOFTNESS * ((at as f64 + 0.5) / suns as f64).sqrt();
            let (sin, cos) = (at as f64 * GOLDEN).sin_cos();
            (main + across * (away * cos) + along * (away * sin)).normalize_or_zero()
        };
        let sky = |at: usize| {
            // Evenly by height is evenly by area on a sphere; the lowest would only find the horizon.
            let rise = 0.1 + 0.9 * (at as f64 + 0.5) / skies as f64;
            let (sin, cos) = (at as f64 * GOLDEN).sin_cos();
            let level = (1.0 - rise * rise).sqrt();
            DVec3::new(level * cos, rise, level * sin)
        };
        Lights { towards: (0..suns).map(sun).chain((0..skies).map(sky)).collect(), suns }
    }

    pub fn count(&self) -> usize {
        self.towards.len()
    }

    /// From the world to each light's picture, which shows a ball.
    pub fn matrices(&self, centre: DVec3, radius: f64) -> [Matrix; LIGHTS] {
        std::array::from_fn(|at| self.towards.get(at).map_or([[0.0; 4]; 4], |&to| light_matrix(to, centre, radius)))
    }

    pub fn directions(&self) -> [[f32; 4]; LIGHTS] {
        std::array::from_fn(|at| self.towards.get(at).copied().unwrap_or_default().as_vec3().extend(0.0).to_array())
    }
}
