//! Physical stiffness: from moduli in SI units to the compliance of rows.

use super::{BuildError, check_number};
use crate::constraint::{Compliance, SLACK};

/// A cloth's stiffness in physical units. The result does not depend on iterations, time step or mesh, but for what a
/// solver leaves unsolved and a mesh cannot resolve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothElasticity {
    /// Resistance to deformation in the cloth's own plane.
    pub membrane: Membrane,
    /// Resistance to a change of area beside the membrane's own, N/m: the energy is ½ k a (A/a − 1)² for an element
    /// with area a at rest and A now.
    pub area: f64,
    /// Bending rigidity along weft and along warp, N·m: the energy is ½ B κ² for each m² with curvature κ.
    pub bend: [f64; 2],
    /// Internal friction.
    pub damping: ElasticDamping,
}

/// How cloth resists in its own plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Membrane {
    /// Finite elements of a St Venant–Kirchhoff material: Green's strain in plane stress (soft constraints §9).
    Continuum(Orthotropic),
    /// Lengths along weft and warp and the product between them, each on its own, after Baraff and Witkin: no
    /// contraction across a pull.
    StretchShear {
        /// N/m.
        weft: f64,
        /// N/m.
        warp: f64,
        /// N/m.
        shear: f64,
    },
    /// Springs (soft constraints §8): along weft and warp, across the diagonals of quads, and between next neighbours
    /// in a row, each with a spring constant in N/m, at rest at the cloth's rest stretches. For meshes of quads cut in
    /// two; on others, every edge that does not follow the grain counts as a diagonal.
    Links {
        /// Of edges along weft or warp, N/m.
        stretch: f64,
        /// Of all other edges, and of the diagonals that the mesh does not have, N/m.
        shear: f64,
        /// Between every vertex and the next but one along weft or warp, N/m.
        bend: f64,
    },
}

/// A sheet with different moduli along weft and warp, in plane stress. Moduli are those of the material times the
/// sheet's thickness, N/m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orthotropic {
    /// Young's modulus along weft, N/m.
    pub weft: f64,
    /// Young's modulus along warp, N/m.
    pub warp: f64,
    /// Contraction along warp over extension along weft in a pull along weft. That of a pull along warp follows:
    /// `poisson` · `warp` / `weft`.
    pub poisson: f64,
    /// Shear modulus, N/m: force per width over shear angle.
    pub shear: f64,
}

impl Orthotropic {
    /// The same in all directions: Young's modulus times thickness (N/m) and Poisson's ratio.
    pub fn isotropic(young: f64, poisson: f64) -> Self {
        Orthotropic { weft: young, warp: young, poisson, shear: young / (2.0 * (1.0 + poisson)) }
    }
}

/// Damping times γ, s: the force of a row is −E (c + γ ċ) (soft constraints §6). Free fall and rigid motion are left
/// alone. Implicit integrators take ċ at the step's end and are stable with any γ; explicit ones
/// ([`AlphaBeta`](crate::Integrator::AlphaBeta) with `alpha` or `beta` 0) take it at its start, and bear no more than
/// about 1/(ω² h) for the fastest mode ω (rad/s).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElasticDamping {
    /// Of stretch and area (or springs along weft and warp), s.
    pub stretch: f64,
    /// Of shear (or springs on diagonals), s.
    pub shear: f64,
    /// Of bending, s.
    pub bend: f64,
}

/// A soft body's stiffness in physical units: St Venant–Kirchhoff, the same in all directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidElasticity {
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio, above −1 and below ½.
    pub poisson: f64,
    /// Resistance to a change of volume beside that of the strains, Pa: the energy is ½ k (det F − 1)² for each m³.
    /// Unlike them it knows inside from outside: it turns inverted elements back.
    pub volume: f64,
    /// Damping time of all rows, s.
    pub damping: f64,
}

/// Moduli beyond this are infinite to any precision.
const STIFFEST: f64 = 1e15;

fn check_modulus(body: &str, name: &'static str, unit: &'static str, k: f64) -> Result<(), BuildError> {
    check_number(body, name, k, unit, (0.0..=STIFFEST).contains(&k))
}

const NEWTON_PER_METRE: &str = "N/m, 0 to 1e15";
const SECONDS: &str = "s, 0 to 1e6";

impl ClothElasticity {
    pub(super) fn check(&self, body: &str) -> Result<(), BuildError> {
        let modulus = |name, k| check_modulus(body, name, NEWTON_PER_METRE, k);
        match self.membrane {
            Membrane::Continuum(m) => m.check(body)?,
            Membrane::StretchShear { weft, warp, shear } => {
                modulus("elasticity.weft", weft)?;
                modulus("elasticity.warp", warp)?;
                modulus("elasticity.shear", shear)?;
            }
            Membrane::Links { stretch, shear, bend } => {
                modulus("links.stretch", stretch)?;
                modulus("links.shear", shear)?;
                modulus("links.bend", bend)?;
            }
        }
        modulus("elasticity.area", self.area)?;
        for b in self.bend {
            check_modulus(body, "elasticity.bend", "N·m, 0 to 1e15", b)?;
        }
        let d = self.damping;
        for (name, d) in [("damping.stretch", d.stretch), ("damping.shear", d.shear), ("damping.bend", d.bend)] {
            check_number(body, name, d, SECONDS, (0.0..=1e6).contains(&d))?;
        }
        Ok(())
    }

    /// Of a triangle with rest area `a` (m²) and rest stretches `s`. In the rows of the element kind that
    /// [`Cloth::form`](super::Cloth::strain_form) names.
    pub(super) fn triangle(&self, a: f64, s: [f64; 2]) -> Compliance<4> {
        let mut out = Compliance::NONE;
        match self.membrane {
            Membrane::Continuum(m) => {
                // Rows are f·f − s², twice s² times Green's strain, and f·g, s s' times the shear.
                let scale = s.map(|s| 2.0 * s * s);
                out.diagonal[0] = over(m.weft * a) * scale[0] * scale[0];
                out.diagonal[1] = over(m.warp * a) * scale[1] * scale[1];
                if out.diagonal[0] < SLACK && out.diagonal[1] < SLACK {
                    out.coupling[0] = -m.poisson / (m.weft * a) * scale[0] * scale[1];
                }
                out.diagonal[2] = over(m.shear * a) * (s[0] * s[1]).powi(2);
            }
            Membrane::StretchShear { weft, warp, shear } => {
                out.diagonal[0] = over(weft * a) * s[0] * s[0];
                out.diagonal[1] = over(warp * a) * s[1] * s[1];
                out.diagonal[2] = over(shear * a) * (s[0] * s[1]).powi(2);
            }
            Membrane::Links { .. } => {}
        }
        out.diagonal[3] = over(self.area * a) * (s[0] * s[1]).powi(2);
        let d = self.damping;
        out.gamma = [d.stretch, d.stretch, d.shear, d.stretch];
        out.diagonal = out.diagonal.map(|c| c.min(SLACK));
        out
    }

    /// Of a hinge on an edge of length `l` (m) between triangles of `areas` (m²) together, with the edge's direction
    /// across at `across` in the material's axes (a unit vector).
    ///
    /// For a sheet bent to a cylinder, the angles at edges of length l between triangles of area A together are
    /// such that Σ ½ B (l²/A) φ² is ½ B κ² times the area: exactly for meshes of equilateral triangles in any
    /// direction, and for grids along their sides.
    pub(super) fn hinge(&self, l: f64, areas: f64, across: [f64; 2]) -> Compliance<1> {
        let rigidity = across_rigidity(self.bend, across);
        let diagonal = [over(rigidity * l * l / areas).min(SLACK)];
        Compliance { diagonal, coupling: [0.0; 3], gamma: [self.damping.bend] }
    }
}

/// The rigidity (N·m) of a hinge that bends along the unit vector `across`, for cloth with rigidities along weft and
/// warp.
///
/// Along the axes it is theirs, and on the bias their mean, so that grids along the grain are exact. In between it is
/// chosen for meshes whose edges run in all directions alike. Bent to a cylinder with the curvature κ at the angle θ to
/// `across`, a hinge of such a mesh turns by κ h (1 + 2 cos 2θ)/3, h being the triangles' height: those across the bend
/// turn most, but all turn, and each adds its own rigidity to the whole. With B̄ + ½ (B₁ − B₂) f(cos 2θ) the sum over
/// all directions is B₁ along the weft if the mean of f (1 + 2 cos 2θ)² is 3, as it is for f(C) = 3 C − 2 C³. (With f =
/// C, a plain interpolation, a sixth of the other direction's rigidity is mixed in: cotton was 7 % too stiff along the
/// weft.)
fn across_rigidity([weft, warp]: [f64; 2], across: [f64; 2]) -> f64 {
    let c = across[0] * across[0] - across[1] * across[1];
    let rigidity = 0.5 * (weft + warp) + 0.5 * (weft - warp) * c * (3.0 - 2.0 * c * c);
    // f reaches beyond 1 between the axes, which must not make a hinge push where one direction is far softer.
    rigidity.max(0.25 * weft.min(warp))
}

impl Orthotropic {
    fn check(&self, body: &str) -> Result<(), BuildError> {
        check_modulus(body, "elasticity.weft", NEWTON_PER_METRE, self.weft)?;
        check_modulus(body, "elasticity.warp", NEWTON_PER_METRE, self.warp)?;
        let squared = if self.weft > 0.0 { self.poisson * self.poisson * self.warp / self.weft } else { 0.0 };
        let sound = self.poisson.is_finite() && self.poisson.abs() < 10.0 && squared < 1.0 - 1e-9;
        let expected = "a number whose square times warp/weft is below 1 (|poisson| below 1 where they are equal)";
        check_number(body, "elasticity.poisson", self.poisson, expected, sound)?;
        check_modulus(body, "elasticity.shear", NEWTON_PER_METRE, self.shear)
    }
}

pub(super) fn check_spring(k: f64, gamma: f64) -> Result<(), BuildError> {
    check_modulus("", "spring stiffness", NEWTON_PER_METRE, k)?;
    check_number("", "spring damping", gamma, SECONDS, (0.0..=1e6).contains(&gamma))
}

/// Of a spring with constant `k` (N/m) and rest length `l` (m): the edge's row is its strain.
pub(super) fn spring(k: f64, l: f64, gamma: f64) -> Compliance<1> {
    Compliance { diagonal: [over(k * l * l).min(SLACK)], coupling: [0.0; 3], gamma: [gamma] }
}

impl SolidElasticity {
    pub(super) fn check(&self, body: &str) -> Result<(), BuildError> {
        check_modulus(body, "elasticity.young", "Pa, 0 to 1e15", self.young)?;
        check_modulus(body, "elasticity.volume", "Pa, 0 to 1e15", self.volume)?;
        let sound = self.poisson > -1.0 + 1e-9 && self.poisson < 0.5 - 1e-9;
        let expected = "above −1 and below 0.5; for what keeps its volume, give `volume` as well";
        check_number(body, "elasticity.poisson", self.poisson, expected, sound)?;
        check_number(body, "elasticity.damping", self.damping, SECONDS, (0.0..=1e6).contains(&self.damping))
    }

    /// Of a tetrahedron with rest volume `v` (m³) and rest stretches `s`, in plain rows.
    pub(super) fn tetrahedron(&self, v: f64, s: [f64; 3]) -> Compliance<7> {
        let mut out = Compliance { gamma: [self.damping; 7], ..Compliance::NONE };
        let scale = s.map(|s| 2.0 * s * s);
        let shear = self.young / (2.0 * (1.0 + self.poisson));
        for (n, (i, j)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            out.diagonal[n] = over(self.young * v) * scale[n] * scale[n];
            out.diagonal[3 + n] = over(shear * v) * (s[i] * s[j]).powi(2);
            if over(self.young * v) * scale[0].max(scale[1]).max(scale[2]).powi(2) < SLACK {
                out.coupling[n] = -self.poisson / (self.young * v) * scale[i] * scale[j];
            }
        }
        out.diagonal[6] = over(self.volume * v) * (s[0] * s[1] * s[2]).powi(2);
        out.diagonal = out.diagonal.map(|c| c.min(SLACK));
        out
    }
}

/// 1/k, and more than [`SLACK`] for nothing.
fn over(k: f64) -> f64 {
    if k > 0.0 { 1.0 / k } else { 2.0 * SLACK }
}
