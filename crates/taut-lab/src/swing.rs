//! The swing: a strip hangs from its upper edge, is let go at an angle, and swings like a heavy chain.
//!
//! A chain's first mode has ω = j/2 √(g/L) and the shape J₀(j √(s/L)), s from the free end, j = 2.4048 the first zero
//! of J₀. Its place in the motion is the mean of the displacement weighted with that shape, which sees nothing of other
//! modes. Energy counts from rest. Implicit Euler takes ω² h of a slow mode's energy a second; that is not the cloth's
//! doing.

mod report;

pub use report::report;

use crate::rest::{build, settle};
use crate::{Cloth, GRAVITY, LabError, Machine, Solver};
use glam::DVec3;
use taut_scene::simulation::Simulation;

/// The first zero of J₀.
pub const ZERO: f64 = 2.404_825_557_695_773;
/// Width of the strip, m.
pub const WIDTH: f64 = 0.1;
/// Length of the strip, m.
pub const LENGTH: f64 = 0.5;

/// A strip that swings.
#[derive(Clone, Debug, PartialEq)]
pub struct Swing {
    /// What swings.
    pub cloth: Cloth,
    /// Mesh and solver; `cells` are those across the strip.
    pub machine: Machine,
    /// The angle it is let go at, degrees.
    pub degrees: f64,
    /// Damping time of stretch, shear and bending, s.
    pub damping: f64,
    /// Density of the air, kg/m³.
    pub air: f64,
    /// How long it is watched, s.
    pub seconds: f64,
}

/// What a swing does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Swung {
    /// Time (s), energy above rest (J), place of the first mode (m).
    pub course: Vec<[f64; 3]>,
    /// Period of the first mode, s; NaN if it did not come back.
    pub period: f64,
    /// The part of the energy that is lost in a second, from the logarithm's slope, 1/s.
    pub decay: f64,
}

impl Swing {
    /// The period of a chain, s: 4π/j √(L/g). Cloth with stiffness of its own swings a little faster.
    pub fn chain_period() -> f64 {
        2.0 * std::f64::consts::TAU / ZERO * (LENGTH / GRAVITY).sqrt()
    }

    /// The scene, let go at some angle.
    fn scene_at(&self, degrees: f64, solver: &Solver) -> String {
        let cell = WIDTH / f64::from(self.machine.cells.max(1));
        let mut text = format!(
            "# A swing: {} let go at {degrees}°.\n{}\n[world]\ngravity = [0, -{GRAVITY}, 0]\n\n[air]\ndensity = {:?}\n\n[contact]\non = false\n\n[[cloth]]\nname = \"strip\"\nrotate = {{ axis = [1, 0, 0], degrees = {degrees:?} }}\ntranslate = [0, 0, 0]\n",
            self.cloth.name,
            solver.toml(),
            self.air
        );
        text += &self.machine.sheet([WIDTH, LENGTH], cell, "upright");
        text += &self.cloth.toml_damped(self.damping);
        text + "\n[[pin]]\nbody = \"strip\"\nselect = \"top\"\n"
    }

    /// The scene.
    pub fn scene(&self) -> String {
        self.scene_at(self.degrees, &self.machine.solver)
    }

    /// Lets it swing.
    pub fn swing(&self) -> Result<(Swung, Simulation), LabError> {
        let mut simulation = build("swing", &self.scene())?;
        let ground = self.ground()?;
        let top = simulation.objects()[0].info.rest.iter().map(|p| p[1]).fold(f64::MIN, f64::max);
        let weights = weights(&simulation);
        let frames = (self.seconds / self.machine.solver.step).ceil() as u32;
        let mut course = Vec::new();
        for frame in 0..=frames {
            if frame > 0 {
                simulation.advance();
            }
            let m = simulation.metrics();
            // Turned about its middle, the strip hangs from another height than at rest.
            let fall = m.totals.potential - GRAVITY * self.mass() * (top - 0.5 * LENGTH);
            let place = mode(&simulation, &weights);
            course.push([simulation.time(), m.totals.kinetic + fall + m.totals.elastic - ground, place]);
        }
        let (period, decay) = (period(&course), decay(&course, Self::chain_period()));
        Ok((Swung { course, period, decay }, simulation))
    }

    /// Mass of the strip, kg.
    fn mass(&self) -> f64 {
        self.cloth.density * WIDTH * LENGTH
    }

    /// Energy at rest, J, with its middle at zero before it stretches.
    fn ground(&self) -> Result<f64, LabError> {
        let calm = Swing { air: 0.0, ..self.clone() };
        let mut simulation = build("swing", &calm.scene_at(0.0, &Solver::still()))?;
        settle(&mut simulation, 200, 1e-10, |_| ());
        let m = simulation.metrics();
        Ok(m.totals.potential + m.totals.elastic)
    }
}

/// J₀(x) by its series, for x up to its first zero.
fn bessel(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..20 {
        term *= -(0.5 * x / f64::from(k)).powi(2);
        sum += term;
    }
    sum
}

/// For each vertex its share of the area times the first mode's shape.
fn weights(simulation: &Simulation) -> Vec<f64> {
    let info = &simulation.objects()[0].info;
    let mut areas = vec![0.0; info.rest.len()];
    for triangle in &info.triangles {
        let [a, b, c] = triangle.map(|v| DVec3::from(info.rest[v as usize]));
        let area = 0.5 * (b - a).cross(c - a).length();
        triangle.iter().for_each(|&v| areas[v as usize] += area / 3.0);
    }
    let top = info.rest.iter().copied().max_by(|a, b| a[1].total_cmp(&b[1])).unwrap_or_default();
    let shape = |p: &[f64; 3]| {
        let down = (p[1] - top[1]).hypot(p[2] - top[2]) / LENGTH;
        bessel(ZERO * (1.0 - down).clamp(0.0, 1.0).sqrt())
    };
    let total: f64 = areas.iter().sum();
    info.rest.iter().zip(areas).map(|(p, area)| shape(p) * area / total).collect()
}

/// The place of the first mode, m: displacement across the strip from below its clamp.
fn mode(simulation: &Simulation, weights: &[f64]) -> f64 {
    let rest = &simulation.objects()[0].info.rest;
    let clamp = rest.iter().copied().max_by(|a, b| a[1].total_cmp(&b[1])).unwrap_or_default();
    simulation.positions(0).iter().zip(weights).map(|(p, w)| w * (p[2] - clamp[2])).sum()
}

/// The mean time between passages through zero in one direction; NaN with fewer than two.
fn period(course: &[[f64; 3]]) -> f64 {
    let mut times = Vec::new();
    for pair in course.windows(2) {
        let ([t0, _, q0], [t1, _, q1]) = (pair[0], pair[1]);
        if (q0 < 0.0) != (q1 < 0.0) {
            times.push(t0 + (t1 - t0) * q0 / (q0 - q1));
        }
    }
    match (times.first(), times.last()) {
        (Some(first), Some(last)) if times.len() > 2 => 2.0 * (last - first) / (times.len() - 1) as f64,
        _ => f64::NAN,
    }
}

/// The part of the energy lost in a second: minus the slope of its logarithm, by least squares, after the first `from`
/// seconds.
fn decay(course: &[[f64; 3]], from: f64) -> f64 {
    let points: Vec<[f64; 2]> =
        course.iter().filter(|c| c[0] >= from && c[1] > 0.0).map(|c| [c[0], c[1].ln()]).collect();
    let n = points.len().max(1) as f64;
    let mean: [f64; 2] = std::array::from_fn(|k| points.iter().map(|p| p[k]).sum::<f64>() / n);
    let sum = |f: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(f).sum::<f64>();
    -sum(&|p| (p[0] - mean[0]) * (p[1] - mean[1])) / sum(&|p| (p[0] - mean[0]).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_zero_is_one() {
        assert!(bessel(ZERO).abs() < 1e-14 && (bessel(1.0) - 0.765_197_686_557_966_6).abs() < 1e-15);
    }

    #[test]
    fn a_damped_oscillation_is_read_back() {
        let at = |i: u32| {
            let t = f64::from(i) * 0.01;
            [t, 3.0 * (-0.4 * t).exp(), (5.0 * t + 0.2).cos()]
        };
        let course: Vec<[f64; 3]> = (0..800).map(at).collect();
        // Linear interpolation of a cosine between samples errs by (5 · 0.01)²/8 of a sample, over six periods.
        assert!((period(&course) - std::f64::consts::TAU / 5.0).abs() < 1e-4, "{}", period(&course));
        assert!((decay(&course, 1.0) - 0.4).abs() < 1e-12);
    }
}
