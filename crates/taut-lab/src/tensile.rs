//! The tensile test: a strip is pulled, and its force set against its extension.
//!
//! A strip of 5 cm hangs from a clamp with a weight along its lower edge, far heavier than itself; gravity is the dial
//! that sets the pull. Strains are read in the middle third, by least squares. The strip is as long as the clamp's
//! influence reaches, which for cloth, stiff along its yarns and soft in shear, is √(E/G)/2 times the width and more
//! (Horgan's slow decay).

mod report;

pub use report::report;

use crate::gauge::gradient;
use crate::rest::{Rest, build};
use crate::{Cloth, LabError, Machine};
use taut_scene::simulation::Simulation;

/// Width of the strip, m.
pub const WIDTH: f64 = 0.05;
/// The strain at which moduli are read: at 2 ‰, those of a St Venant–Kirchhoff material differ by 0.3 ‰ from the
/// initial ones.
pub const SMALL: f64 = 2e-4;

/// A pull along one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensile {
    /// What is pulled.
    pub cloth: Cloth,
    /// Mesh and solver; `cells` are those across the strip.
    pub machine: Machine,
    /// The pull's direction from the weft, degrees: 0 along the weft, 90 along the warp, 45 on the bias.
    pub degrees: f64,
    /// Whether the cloth's strain limits act.
    pub limited: bool,
}

/// What a pull does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pull {
    /// Force per width in the middle of the strip, N/m.
    pub force: f64,
    /// Extension along the pull, as a fraction.
    pub along: f64,
    /// Extension across it, below zero for most cloth.
    pub across: f64,
    /// Turn of the strip's long side against the clamp's normal, rad: shear that an oblique pull brings.
    pub turn: f64,
    /// How it came to rest.
    pub rest: Rest,
}

impl Tensile {
    /// Length of the strip, m: between 12 and 40 times its width.
    pub fn length(&self) -> f64 {
        let widths = if self.limited { 3.0 } else { (2.5 * self.cloth.reach()).clamp(12.0, 40.0).round() };
        WIDTH * widths
    }

    /// The weight over the strip's mass. Limiters move vertices by their masses, one row after another: a heavy end
    /// would take them thousands of sweeps.
    fn weight(&self) -> f64 {
        if self.limited { 1.0 } else { 100.0 }
    }

    /// The scene.
    pub fn scene(&self) -> String {
        let length = self.length();
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        let mass = self.weight() * self.cloth.density * WIDTH * length;
        let cell = WIDTH / f64::from(self.machine.cells.max(1));
        let mut text = format!(
            "# A tensile test: {} pulled {}° from the weft.\n{}\n[air]\ndensity = 0\n\n[contact]\non = false\n\n[[cloth]]\nname = \"strip\"\n",
            self.cloth.name,
            self.degrees,
            self.machine.solver.toml()
        );
        text += &self.machine.sheet([WIDTH, length], cell, "upright");
        text += &self.cloth.toml();
        text += &format!("grain = [{sin:?}, {cos:?}, 0.0]\n");
        text += "\n[[pin]]\nbody = \"strip\"\nselect = \"top\"\n";
        text += &format!("\n[[weight]]\nbody = \"strip\"\nselect = \"bottom\"\nmass = {mass:?}\n\n");
        if self.limited {
            text += &self.cloth.limit_toml(1000);
        }
        text
    }

    /// Pulls with one force per width (N/m) after another, and hands back the strip under the last of them.
    pub fn pull(&self, forces: &[f64]) -> Result<(Vec<Pull>, Simulation), LabError> {
        let mut simulation = build("tensile", &self.scene())?;
        let length = self.length();
        // Half of the strip hangs below its middle.
        let mass_per_width = (self.weight() + 0.5) * self.cloth.density * length;
        let mut pulls = Vec::new();
        for &force in forces {
            let gravity = [0.0, -force / mass_per_width, 0.0];
            pulls.push(Pull { force, ..self.balance(&mut simulation, gravity) });
        }
        Ok((pulls, simulation))
    }

    /// Waits until the gauge does not change any more: the weight may go on swaying, slowly, for so long a strip.
    fn balance(&self, simulation: &mut Simulation, gravity: [f64; 3]) -> Pull {
        let (length, mut calm) = (self.length(), 0);
        let mut pull = Pull::default();
        while calm < 3 && pull.rest.frames < self.most() {
            simulation.advance_with(|params| params.gravity = gravity);
            let third = |p: &[f64; 3]| p[1].abs() <= length / 6.0;
            let shape = &simulation.objects()[0].info.rest;
            let [[across, turn], [_, along]] = gradient(shape, &simulation.positions(0), [0, 1], third);
            let moved = (along - pull.along).abs();
            // Limiters stop at their tolerance, and come back to a slightly other place each time. Without them, what
            // is left is the sway of a heavy weight under little gravity: its period is ten minutes, and it turns the
            // strip by so little that strain on a coarse mesh changes by a thousandth. So still is what changes by a
            // hundredth of the promised 1 %, three times in a row.
            let little = if self.limited { 1e-3 } else { 1e-4 };
            calm = if moved <= little * along.abs() { calm + 1 } else { 0 };
            let rest = Rest { frames: pull.rest.frames + 1, moved: moved * length, still: calm == 3 };
            pull = Pull { force: 0.0, along, across, turn, rest };
        }
        pull
    }

    /// Steps to wait for rest, at most: 200 long ones, or half a minute.
    fn most(&self) -> u32 {
        (30.0 / self.machine.solver.step).clamp(200.0, 20_000.0) as u32
    }
}

/// What tensile tests find out about a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moduli {
    /// Young's modulus along the weft, N/m.
    pub weft: f64,
    /// Young's modulus along the warp, N/m.
    pub warp: f64,
    /// Contraction along the warp over extension along the weft, in a pull along the weft.
    pub poisson: f64,
    /// Contraction along the weft over extension along the warp, in a pull along the warp.
    pub poisson_warp: f64,
    /// Shear modulus, N/m, from the pull on the bias: 1/G = 4/E(45°) − 1/E₁ − 1/E₂ + 2 ν/E₁.
    pub shear: f64,
    /// How the strips came to rest.
    pub rest: Rest,
}

/// Young's modulus (N/m) and Poisson's ratio for a small pull in a direction, degrees from the weft.
pub fn small_pull(cloth: &Cloth, machine: &Machine, degrees: f64) -> Result<(f64, f64, Rest), LabError> {
    let test = Tensile { cloth: cloth.clone(), machine: machine.clone(), degrees, limited: false };
    let (pulls, _) = test.pull(&[SMALL * cloth.modulus(degrees)])?;
    let Pull { force, along, across, rest, .. } = pulls[0];
    Ok((force / along, -across / along, rest))
}

/// Moduli from small pulls along weft, warp and the bias.
pub fn moduli(cloth: &Cloth, machine: &Machine) -> Result<Moduli, LabError> {
    let (weft, poisson, a) = small_pull(cloth, machine, 0.0)?;
    let (warp, poisson_warp, b) = small_pull(cloth, machine, 90.0)?;
    let (bias, _, c) = small_pull(cloth, machine, 45.0)?;
    let shear = 1.0 / (4.0 / bias - 1.0 / weft - 1.0 / warp + 2.0 * poisson / weft);
    Ok(Moduli { weft, warp, poisson, poisson_warp, shear, rest: a.and(b).and(c) })
}

/// Where a curve of force over strain bends: the strain at which the line through its beginning meets the line through
/// its last third. Nothing for curves without a clear bend, whose end is not three times as steep as their beginning.
pub fn knee(curve: &[Pull]) -> Option<f64> {
    let third = curve.len() / 3;
    let (start, end) = (curve.get(..third)?, curve.get(curve.len() - third..)?);
    let ([a0, b0], [a1, b1]) = (line(start)?, line(end)?);
    // Compliances: the strain per force falls where the cloth locks.
    (b1 < b0 / 3.0).then(|| (a1 * b0 - a0 * b1) / (b0 - b1))
}

/// Strain over force as a line a + b f, by least squares.
fn line(points: &[Pull]) -> Option<[f64; 2]> {
    let n = points.len() as f64;
    let mean = |f: fn(&Pull) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (f, e) = (mean(|p| p.force), mean(|p| p.along));
    let sum = |g: &dyn Fn(&Pull) -> f64| points.iter().map(g).sum::<f64>();
    let (ff, fe) = (sum(&|p| (p.force - f).powi(2)), sum(&|p| (p.force - f) * (p.along - e)));
    (ff > 0.0).then(|| [e - fe / ff * f, fe / ff])
}
