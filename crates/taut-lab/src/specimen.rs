//! What is tested.

use crate::LabError;
use taut::Orthotropic;
use taut_scene::fabric::{self, Fabric};

/// A cloth by its figures: a fabric of the library, or moduli of one's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// What reports call it.
    pub name: String,
    /// Mass per area, kg/m².
    pub density: f64,
    /// Moduli in its plane, N/m.
    pub membrane: Orthotropic,
    /// Bending rigidity along weft and along warp, N·m.
    pub bend: [f64; 2],
    /// Strain along weft, along warp, and shear (tangent of the angle) at which it hardly gives any more.
    pub limits: Option<[f64; 3]>,
}

impl Cloth {
    /// A fabric of the library.
    pub fn named(name: &str) -> Result<Cloth, LabError> {
        Ok(Cloth::from(fabric::find(name)?))
    }

    /// The lines of a `[[cloth]]` that make it so.
    pub(crate) fn toml(&self) -> String {
        match self.fabric() {
            Some(fabric) => format!("fabric = \"{}\"\n", fabric.name),
            None => self.toml_damped(0.0),
        }
    }

    /// The same by its figures, with a damping time (s) for all kinds of deformation.
    pub(crate) fn toml_damped(&self, damping: f64) -> String {
        let Orthotropic { weft, warp, poisson, shear } = self.membrane;
        format!(
            "density = {:?}\nelastic = {{ weft = {weft:?}, warp = {warp:?}, poisson = {poisson:?}, shear = {shear:?}, bend = {:?}, \
             damping = {{ stretch = {damping:?}, shear = {damping:?}, bend = {damping:?} }} }}\n",
            self.density, self.bend
        )
    }

    /// A `[[limit]]` that holds it at its limits, with so many sweeps; empty if it has none.
    pub(crate) fn limit_toml(&self, sweeps: u32) -> String {
        let Some([weft, warp, shear]) = self.limits else { return String::new() };
        // Yarns of unchanged length that have turned by γ have the strain sin(γ/2) between them.
        let shear = (0.5 * shear.atan()).sin();
        format!(
            "[[limit]]\nkind = \"csl\"\nweft = {weft:?}\nwarp = {warp:?}\nshear = {shear:?}\niterations = {sweeps}\ntolerance = 1e-4\n"
        )
    }

    /// The fabric of the library that has exactly these figures, if it is one.
    pub fn fabric(&self) -> Option<&'static Fabric> {
        fabric::named(&self.name).filter(|fabric| Cloth::from(*fabric) == *self)
    }

    /// Young's modulus along a direction that is `degrees` from the weft, N/m: 1/E = c⁴/E₁ + s⁴/E₂ + c²s² (1/G −
    /// 2ν/E₁).
    pub fn modulus(&self, degrees: f64) -> f64 {
        let (s, c) = degrees.to_radians().sin_cos();
        let (c2, s2) = (c * c, s * s);
        let m = &self.membrane;
        1.0 / (c2 * c2 / m.weft + s2 * s2 / m.warp + c2 * s2 * (1.0 / m.shear - 2.0 * m.poisson / m.weft))
    }

    /// Contraction across over extension along, for a pull `degrees` from the weft:
    /// ν(θ) = E(θ) (ν/E₁ − c²s² (1/E₁ + 1/E₂ + 2ν/E₁ − 1/G)).
    pub fn contraction(&self, degrees: f64) -> f64 {
        let (s, c) = degrees.to_radians().sin_cos();
        let m = &self.membrane;
        let bias = 1.0 / m.weft + 1.0 / m.warp + 2.0 * m.poisson / m.weft - 1.0 / m.shear;
        self.modulus(degrees) * (m.poisson / m.weft - c * c * s * s * bias)
    }

    /// Where a pull `degrees` from the weft comes to its end, as a strain, if the cloth has limits. Along the yarns it
    /// is their own limit; on the bias, yarns turn without stretching until they lock: λ² = 1 + 2 c s sin γ.
    pub fn lock(&self, degrees: f64) -> Option<f64> {
        let [weft, warp, shear] = self.limits?;
        let (s, c) = degrees.to_radians().sin_cos();
        let turn = (1.0 + 2.0 * (c * s).abs() * shear.atan().sin()).sqrt() - 1.0;
        Some(match (c.abs() < 1e-9, s.abs() < 1e-9) {
            (_, true) => weft,
            (true, _) => warp,
            _ => turn,
        })
    }

    /// The length √(E/G) times which an uneven load dies out along a strip, over the strip's width.
    pub(crate) fn reach(&self) -> f64 {
        let m = &self.membrane;
        (m.weft.max(m.warp) / m.shear.max(1e-12)).sqrt().max(1.0)
    }
}

impl From<&Fabric> for Cloth {
    fn from(fabric: &Fabric) -> Cloth {
        Cloth {
            name: fabric.name.to_owned(),
            density: fabric.figures.density.value,
            membrane: Orthotropic {
                weft: fabric.figures.stiffness_weft.value,
                warp: fabric.figures.stiffness_warp.value,
                poisson: fabric.figures.poisson.value,
                shear: fabric.figures.shear.value,
            },
            bend: [fabric.figures.bending_weft.value, fabric.figures.bending_warp.value],
            limits: Some([
                fabric.figures.limit_weft.value,
                fabric.figures.limit_warp.value,
                fabric.figures.limit_shear.value,
            ]),
        }
    }
}
