//! The picture frame: a square whose sides are hinged rods is drawn along its diagonal, and the cloth in it shears.
//!
//! The sides keep their length, so yarns turn and do not stretch: pure shear by the angle γ. The force is what the
//! energy asks for: the couple on the rods, over the area, is dU/dγ/a², which for a St Venant–Kirchhoff material is G
//! sin γ cos γ.

mod report;

pub use report::report;

use crate::rest::{Rest, build, settle};
use crate::{Cloth, LabError, Machine};
use taut_scene::simulation::Simulation;

/// Side of the frame, m.
pub const SIDE: f64 = 0.2;
/// Seconds over which the frame moves by one point of its curve.
const HOLD: f64 = 1.0;

/// A picture frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// What is sheared.
    pub cloth: Cloth,
    /// Mesh and solver; `cells` are those along a side.
    pub machine: Machine,
    /// The largest shear angle, degrees.
    pub degrees: f64,
    /// Points of the curve, after the first at rest.
    pub points: u32,
}

/// One point of the curve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sheared {
    /// Shear angle γ, rad.
    pub angle: f64,
    /// Elastic energy, J.
    pub energy: f64,
    /// Shear force per width, N/m: the energy's slope over the area.
    pub force: f64,
    /// How it came to rest.
    pub rest: Rest,
}

impl Frame {
    /// The scene. The square stands on a corner, its rods along weft and warp; drawing it is a stretch along one
    /// diagonal and a squeeze along the other.
    pub fn scene(&self) -> String {
        let cell = SIDE / f64::from(self.machine.cells.max(1));
        let mut text = format!(
            "# A picture frame: {} sheared by up to {}°.\n{}\n[world]\ngravity = [0, 0, 0]\n\n[air]\ndensity = 0\n\n[contact]\non = false\n\n[[cloth]]\nname = \"square\"\nrotate = [0, 0, 45]\n",
            self.cloth.name,
            self.degrees,
            self.machine.solver.toml()
        );
        text += &self.machine.sheet([SIDE; 2], cell, "upright");
        text += &self.cloth.toml();
        text += "\n[[pin]]\nbody = \"square\"\nselect = \"border\"\nmotion.scale.factor = { interpolation = \"linear\", keys = [";
        for point in 0..=self.points {
            let [x, y] = stretches(self.angle(point));
            text += &format!("{{ time = {:?}, value = [{x:?}, {y:?}, 1.0] }}, ", HOLD * f64::from(point));
        }
        text + "] }\n"
    }

    /// The angle of a point of the curve, rad.
    fn angle(&self, point: u32) -> f64 {
        self.degrees.to_radians() * f64::from(point) / f64::from(self.points.max(1))
    }

    /// Draws the frame, point by point, and hands back the cloth at the end.
    pub fn draw(&self) -> Result<(Vec<Sheared>, Simulation), LabError> {
        let mut simulation = build("shear", &self.scene())?;
        let frames = (HOLD / self.machine.solver.step).round().max(1.0) as u32;
        let mut curve = vec![Sheared::default()];
        for point in 1..=self.points {
            let rest = settle(&mut simulation, frames, 0.0, |_| ());
            let energy = simulation.metrics().totals.elastic;
            curve.push(Sheared { angle: self.angle(point), energy, force: 0.0, rest });
        }
        slopes(&mut curve);
        Ok((curve, simulation))
    }
}

/// Stretches along both diagonals of a square whose sides keep their length and whose angle changes by γ (rad).
fn stretches(angle: f64) -> [f64; 2] {
    let half = std::f64::consts::FRAC_PI_4 + 0.5 * angle;
    [half.sin(), half.cos()].map(|part| std::f64::consts::SQRT_2 * part)
}

/// Fills in forces: slopes of the parabola through three neighbouring points of the energy.
fn slopes(curve: &mut [Sheared]) {
    for i in 1..curve.len() {
        let at = (i + 1).min(curve.len() - 1).max(2);
        let Some([a, b, c]) = curve.get(at - 2..=at).map(|p| [p[0], p[1], p[2]]) else { return };
        let (ab, bc) = ((b.energy - a.energy) / (b.angle - a.angle), (c.energy - b.energy) / (c.angle - b.angle));
        let bend = (bc - ab) / (c.angle - a.angle);
        let slope = ab + bend * (2.0 * curve[i].angle - a.angle - b.angle);
        curve[i].force = slope / (SIDE * SIDE);
    }
}

/// The shear modulus from the energy of a frame that has turned by one degree, N/m: U = ½ G a² sin² γ.
pub fn modulus(cloth: &Cloth, machine: &Machine) -> Result<f64, LabError> {
    let frame = Frame { cloth: cloth.clone(), machine: machine.clone(), degrees: 1.0, points: 1 };
    let (curve, _) = frame.draw()?;
    Ok(2.0 * curve[1].energy / (SIDE * curve[1].angle.sin()).powi(2))
}
