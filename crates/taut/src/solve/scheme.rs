//! Time integrators, all of them as projections (soft constraints §5).
//!
//! Each is one linear recipe around the solve. With the external forces' change of velocity `k` (gravity and air over
//! the time step h), the last step's multipliers λ and F = M⁻¹ Jᵀ λ at the last positions:
//!
//! ```text
//! x̃ = x + a₁ (x − x₋) + h (b₀ v + b₁ v₋) + h b₂ k + h² b₃ F        where the cloth would go
//! ṽ =                  c₀ v + c₁ v₋ + c₂ k + h c₃ F
//! x' = x̃ + s M⁻¹ J(x')ᵀ λ',   c(x') + γ ċ + E⁻¹ λ' = 0              the solve
//! v' = ṽ + (x' − x̃) · rate
//! ```
//! so that a solver only has to know x̃, ṽ, s and `rate`.

/// How a step goes from one moment to the next.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Integrator {
    /// Implicit Euler: the calmest. Also what projection without multipliers amounts to.
    #[default]
    ImplicitEuler,
    /// Forces weighted by `alpha` towards the new positions, velocities by `beta` towards the new velocities (soft
    /// constraints Eq. 15, 16): 0 and 0 is explicit Euler, ½ and ½ implicit midpoint, 1 and 1 implicit Euler, 0 and 1
    /// or 1 and 0 symplectic Euler.
    AlphaBeta {
        /// Weight of the new positions' forces, 0 to 1.
        alpha: f64,
        /// Weight of the new velocities, 0 to 1.
        beta: f64,
    },
    /// The backward differentiation formula of second order: keeps more motion than implicit Euler, as stable. The
    /// first step is implicit Euler.
    Bdf2,
    /// Newmark's family: `beta` ¼ and `gamma` ½ is the average acceleration, which keeps the energy of linear springs.
    Newmark {
        /// Weight of the new acceleration in positions, above 0 to ½.
        beta: f64,
        /// Weight of the new acceleration in velocities, 0 to 1.
        gamma: f64,
    },
}

/// An integrator's numbers for one time step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scheme {
    /// a₁: how much of the last step's displacement goes on.
    pub again: f64,
    /// h b₀, h b₁ (s): how far the velocities carry.
    pub carry: [f64; 2],
    /// h b₂ (s): how far the external change of velocity carries.
    pub kick: f64,
    /// h² b₃ (s²): how far the last step's elastic accelerations carry.
    pub force: f64,
    /// c₀, c₁.
    pub keep: [f64; 2],
    /// c₂.
    pub gain: f64,
    /// h c₃ (s).
    pub impulse: f64,
    /// s (s²): how far a new elastic acceleration carries. 0 for explicit schemes.
    pub reach: f64,
    /// 1/s: how much velocity a displacement by the solve means.
    pub rate: f64,
    /// h α (s): what a new elastic acceleration gives to the velocity where `reach` is 0 and the solve moves nothing.
    pub late: f64,
    /// s: by how much a force might be late before it gives more than the scheme takes. The scheme damps a slow swing
    /// of ω rad/s by ½ ω² times this, s⁻¹; a force that is late by as much feeds it by the same.
    pub lead: f64,
}

impl Integrator {
    /// The numbers for a time step `h` (s). `first` if there is no step before.
    pub(crate) fn scheme(self, h: f64, first: bool) -> Scheme {
        match self {
            Integrator::ImplicitEuler => alpha_beta(h, 1.0, 1.0),
            Integrator::AlphaBeta { alpha, beta } => alpha_beta(h, weight(alpha, 1.0), weight(beta, 1.0)),
            Integrator::Bdf2 if first => alpha_beta(h, 1.0, 1.0),
            Integrator::Bdf2 => {
                let two_thirds = 2.0 / 3.0 * h;
                Scheme {
                    again: 1.0 / 3.0,
                    carry: [two_thirds * 4.0 / 3.0, -two_thirds / 3.0],
                    kick: two_thirds * 2.0 / 3.0,
                    force: 0.0,
                    keep: [4.0 / 3.0, -1.0 / 3.0],
                    gain: 2.0 / 3.0,
                    impulse: 0.0,
                    reach: two_thirds * two_thirds,
                    rate: 1.0 / two_thirds,
                    late: 0.0,
                    lead: 0.0,
                }
            }
            Integrator::Newmark { beta, gamma } => {
                let (beta, gamma) = (weight(beta, 0.25).clamp(1e-3, 0.5), weight(gamma, 0.5));
                Scheme {
                    again: 0.0,
                    carry: [h, 0.0],
                    kick: 0.5 * h,
                    force: h * h * (0.5 - beta),
                    keep: [1.0, 0.0],
                    gain: 1.0,
                    impulse: h * (1.0 - gamma),
                    reach: h * h * beta,
                    rate: gamma / (beta * h),
                    late: 0.0,
                    lead: h * (gamma - 0.5).max(0.0),
                }
            }
        }
    }

    /// Whether swings that are far too fast for its steps are gone after one.
    #[cfg(feature = "global")]
    pub(crate) fn forgets(self) -> bool {
        let euler = Integrator::AlphaBeta { alpha: 1.0, beta: 1.0 };
        [Integrator::ImplicitEuler, Integrator::Bdf2, euler].contains(&self)
    }

    /// Whether the step before matters beyond its end.
    pub(crate) fn remembers(self) -> bool {
        self == Integrator::Bdf2
    }
}

impl Scheme {
    /// Whether the last step's elastic accelerations are used again.
    pub(crate) fn looks_back(&self) -> bool {
        self.force != 0.0 || self.impulse != 0.0
    }

    /// Whether this is implicit Euler with time step `h` (s), for which less has to be done.
    pub(crate) fn plain(&self, h: f64) -> bool {
        *self == alpha_beta(h, 1.0, 1.0)
    }
}

/// Soft constraints Eq. 15 and 16, solved for x̃ and ṽ. Gravity carries β h² into the positions: it is part of the new
/// velocity in Eq. 15, of which Eq. 16 takes β; the paper's candidate prints h².
fn alpha_beta(h: f64, alpha: f64, beta: f64) -> Scheme {
    let reach = h * h * alpha * beta;
    Scheme {
        again: 0.0,
        carry: [h, 0.0],
        kick: h * beta,
        force: h * h * beta * (1.0 - alpha),
        keep: [1.0, 0.0],
        gain: 1.0,
        impulse: h * (1.0 - alpha),
        reach,
        rate: if beta > 0.0 { 1.0 / (h * beta) } else { 1.0 / h },
        late: if reach > 0.0 { 0.0 } else { h * alpha },
        lead: h * (alpha + beta - 1.0).max(0.0),
    }
}

/// A number from 0 to 1; what is not a number becomes `else_`.
fn weight(x: f64, else_: f64) -> f64 {
    if x.is_nan() { else_ } else { x.clamp(0.0, 1.0) }
}
