//! Limiters as part of a model: what is asked for, and what is made of it.

use super::rest::{RestEdge, RestTet, RestTriangle, rest_edges};
use super::{
    ApslSettings, Band, CslScheme, CslSettings, LimitError, Limiter, StrainLimits, StretchBounds, SweepSettings,
};
use crate::lanes::Scalar;

/// A limiter that a model is to have: which one, and for which bodies.
///
/// It acts in every substep. What it allows is also a bound that the end of every step keeps, together with contact
/// ([`LimitKind::bounds`]); of several, the least holds.
///
/// ```
/// use taut::limit::{LimitSpec, StrainLimits};
///
/// // Weft gives 4 %, warp 10 %, shear as it likes, on the first body only.
/// let spec = LimitSpec::csl(StrainLimits::new(0.04, 0.1, f64::INFINITY)).on(&[0]);
/// # let _ = spec;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LimitSpec {
    /// What is limited, and how.
    pub kind: LimitKind,
    /// Numbers of bodies, in the order of adding. Empty for all that have what is limited.
    pub bodies: Vec<usize>,
}

/// What a limiter in a step limits, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LimitKind {
    /// Weft, warp and shear strain of cloth, each on its own: [`Limiter::csl`].
    Csl(StrainLimits, CslSettings),
    /// Weft, warp and shear of cloth by the rows of Strain Based Dynamics: [`Limiter::sbd`].
    Sbd(StrainLimits, SweepSettings),
    /// Strain of the edges of cloth and soft bodies: [`Limiter::edges`].
    Edges(Band, SweepSettings),
    /// Areas of cloth, all at once: [`Limiter::areas`]. At the end of a step none changes by more than
    /// [`threshold`](ApslSettings::threshold) beyond the band.
    Areas(ApslSettings),
    /// Volumes of soft bodies, all at once: [`Limiter::volumes`]. Bounds at the end of a step likewise.
    Volumes(ApslSettings),
    /// Rates of weft, warp and shear strain of cloth, 1/s. After contact; changes velocities only, and not those of
    /// vertices that contact has stopped (CSL §4.1).
    Rate(StrainLimits, SweepSettings),
    /// Rates of the strain of edges, 1/s, likewise (Bridson).
    EdgeRate(Band, SweepSettings),
    /// Bounds on the stretch of cloth at the end of a step, whatever else acts on it, and nothing in the substeps: see
    /// [`StretchBounds`].
    Stretch(StretchBounds),
}

impl LimitSpec {
    /// What `kind` says, on all bodies that have it.
    pub fn new(kind: LimitKind) -> Self {
        LimitSpec { kind, bodies: Vec::new() }
    }

    /// Continuum-based strain limiting by Gauss–Seidel. In a step this starts from cloth that was within its limits a
    /// moment ago, so that a few sweeps are enough.
    pub fn csl(limits: StrainLimits) -> Self {
        LimitSpec::new(LimitKind::Csl(limits, CslSettings { sweeps: STEP, ..CslSettings::default() }))
    }

    /// The same by Jacobi with nodal averaging (CSL Eq. 12). `held` is the emphasis on elements with a fixed vertex, 1
    /// for none.
    pub fn csl_jacobi(limits: StrainLimits, held: f64) -> Self {
        let scheme = CslScheme::Jacobi { held };
        LimitSpec::new(LimitKind::Csl(limits, CslSettings { scheme, sweeps: STEP, ..CslSettings::default() }))
    }

    /// The rows of Strain Based Dynamics.
    pub fn sbd(limits: StrainLimits) -> Self {
        LimitSpec::new(LimitKind::Sbd(limits, STEP))
    }

    /// Lengths of edges.
    pub fn edges(band: Band) -> Self {
        LimitSpec::new(LimitKind::Edges(band, STEP))
    }

    /// Areas of triangles.
    pub fn areas(settings: ApslSettings) -> Self {
        LimitSpec::new(LimitKind::Areas(settings))
    }

    /// Volumes of tetrahedra.
    pub fn volumes(settings: ApslSettings) -> Self {
        LimitSpec::new(LimitKind::Volumes(settings))
    }

    /// Rates of strain, 1/s.
    pub fn rate(limits: StrainLimits) -> Self {
        LimitSpec::new(LimitKind::Rate(limits, STEP))
    }

    /// Rates of the strain of edges, 1/s.
    pub fn edge_rate(band: Band) -> Self {
        LimitSpec::new(LimitKind::EdgeRate(band, STEP))
    }

    /// Bounds on stretch at the end of every step, and nothing in the substeps.
    pub fn stretch(bounds: StretchBounds) -> Self {
        LimitSpec::new(LimitKind::Stretch(bounds))
    }

    /// The same on these bodies only, by their numbers in the order of adding.
    pub fn on(self, bodies: &[usize]) -> Self {
        LimitSpec { bodies: bodies.to_vec(), ..self }
    }

    /// How far a body, by number, may be stretched at the end of a step if a model has all of `limits`.
    pub fn bounds_of_body(limits: &[LimitSpec], body: usize) -> StretchBounds {
        let here = |spec: &&LimitSpec| spec.bodies.is_empty() || spec.bodies.contains(&body);
        limits.iter().filter(here).fold(StretchBounds::NONE, |all, spec| all.and(&spec.kind.bounds()))
    }

    /// The same with other sweeps, where there are any.
    pub fn with_sweeps(mut self, to: SweepSettings) -> Self {
        match &mut self.kind {
            LimitKind::Csl(_, settings) => settings.sweeps = to,
            LimitKind::Sbd(_, sweeps)
            | LimitKind::Edges(_, sweeps)
            | LimitKind::Rate(_, sweeps)
            | LimitKind::EdgeRate(_, sweeps) => *sweeps = to,
            LimitKind::Areas(_) | LimitKind::Volumes(_) | LimitKind::Stretch(_) => {}
        }
        self
    }
}

impl LimitKind {
    /// What a person calls it: `csl`, `sbd`, `edges`, `area`, `volume`, `rate`, `edge-rate`, `stretch`.
    pub fn name(&self) -> &'static str {
        match self {
            LimitKind::Csl(..) => "csl",
            LimitKind::Sbd(..) => "sbd",
            LimitKind::Edges(..) => "edges",
            LimitKind::Areas(_) => "area",
            LimitKind::Volumes(_) => "volume",
            LimitKind::Rate(..) => "rate",
            LimitKind::EdgeRate(..) => "edge-rate",
            LimitKind::Stretch(_) => "stretch",
        }
    }

    /// Whether cloth has what is limited.
    pub fn fits_cloth(&self) -> bool {
        !matches!(self, LimitKind::Volumes(_))
    }

    /// Whether soft bodies have what is limited.
    pub fn fits_solids(&self) -> bool {
        matches!(self, LimitKind::Edges(..) | LimitKind::EdgeRate(..) | LimitKind::Volumes(_))
    }

    /// How far it lets cloth and soft bodies be stretched and squeezed at the end of a step. Rates have no bounds: they
    /// are about velocities, and act on those.
    pub fn bounds(&self) -> StretchBounds {
        match self {
            LimitKind::Stretch(bounds) => *bounds,
            LimitKind::Csl(limits, _) => StretchBounds {
                weft: limits.weft.most,
                warp: limits.warp.most,
                shear: cosine_of(limits.shear.most),
                weft_shorter: limits.weft.shorter(),
                warp_shorter: limits.warp.shorter(),
                ..StretchBounds::NONE
            },
            LimitKind::Sbd(limits, _) => StretchBounds {
                weft: limits.weft.most,
                warp: limits.warp.most,
                shear: limits.shear.most,
                weft_shorter: limits.weft.shorter(),
                warp_shorter: limits.warp.shorter(),
                ..StretchBounds::NONE
            },
            LimitKind::Edges(band, _) => {
                StretchBounds { edge: band.most, edge_shorter: band.shorter(), ..StretchBounds::NONE }
            }
            LimitKind::Areas(settings) => {
                let [area, area_less] = settings.bounds();
                StretchBounds { area, area_less, ..StretchBounds::NONE }
            }
            LimitKind::Volumes(settings) => {
                let [volume, volume_less] = settings.bounds();
                StretchBounds { volume, volume_less, ..StretchBounds::NONE }
            }
            LimitKind::Rate(..) | LimitKind::EdgeRate(..) => StretchBounds::NONE,
        }
    }

    /// Whether it changes velocities only.
    pub fn limits_rate(&self) -> bool {
        matches!(self, LimitKind::Rate(..) | LimitKind::EdgeRate(..))
    }
}

/// The cosine of the angle between weft and warp at a shear of CSL, which is sin ½γ for yarns at an angle γ off the
/// right one; none from γ = 90° on.
fn cosine_of(shear: f64) -> f64 {
    if shear < core::f64::consts::FRAC_1_SQRT_2 { (2.0 * shear.asin()).sin() } else { f64::INFINITY }
}

/// Sweeps in a step: one more next time is as good as one more now.
const STEP: SweepSettings = SweepSettings { iterations: 20, tolerance: 1e-3, seed: 0 };

/// The limiters of a model, in the order they act.
#[derive(Clone, Debug)]
pub(crate) struct Stack<T> {
    specs: Vec<LimitSpec>,
    /// What acts in every substep.
    pub limiters: Vec<Limiter<T>>,
    /// The number of each limiter's spec.
    of: Vec<usize>,
}

impl<T> Default for Stack<T> {
    fn default() -> Self {
        Stack { specs: Vec::new(), limiters: Vec::new(), of: Vec::new() }
    }
}

impl<T: Scalar> Stack<T> {
    /// Makes what is asked for, for `vertices` vertices and the elements that `parts` has for a limiter and its number.
    /// What `old` has of it already is taken over.
    pub fn new<E: From<LimitError>>(
        vertices: usize,
        specs: &[LimitSpec],
        old: &Stack<T>,
        parts: impl Fn(usize, &LimitSpec) -> Result<LimitParts, E>,
    ) -> Result<Self, E> {
        let mut stack = Stack { specs: specs.to_vec(), ..Stack::default() };
        for (number, spec) in specs.iter().enumerate() {
            let known = old.of.iter().position(|&o| old.specs[o] == *spec).map(|at| old.limiters[at].clone());
            let limiter = match known {
                Some(known) => Some(known),
                None => parts(number, spec)?.limiter(vertices, &spec.kind)?,
            };
            if let Some(limiter) = limiter {
                stack.limiters.push(limiter);
                stack.of.push(number);
            }
        }
        Ok(stack)
    }

    /// How far a body, by number, may be stretched at the end of a step.
    pub fn bounds(&self, body: usize) -> StretchBounds {
        LimitSpec::bounds_of_body(&self.specs, body)
    }

    pub fn specs(&self) -> &[LimitSpec] {
        &self.specs
    }
}

/// The elements that a limiter is for.
#[derive(Default)]
pub(crate) struct LimitParts {
    pub triangles: Vec<RestTriangle>,
    pub tets: Vec<RestTet>,
}

impl LimitParts {
    fn edges(&self) -> Vec<RestEdge> {
        let triangles = self.triangles.iter().flat_map(RestTriangle::sides);
        rest_edges(triangles.chain(self.tets.iter().flat_map(RestTet::sides)))
    }

    /// What acts in every substep, if anything does.
    fn limiter<T: Scalar>(&self, n: usize, kind: &LimitKind) -> Result<Option<Limiter<T>>, LimitError> {
        let triangles = &self.triangles;
        let limiter = match *kind {
            LimitKind::Stretch(bounds) => return bounds.check().map(|()| None),
            LimitKind::Csl(limits, settings) => Limiter::csl(n, triangles, &[limits], settings),
            LimitKind::Sbd(limits, sweeps) => Limiter::sbd(n, triangles, &[limits], sweeps),
            LimitKind::Edges(band, sweeps) => Limiter::edges(n, &self.edges(), band, sweeps),
            LimitKind::Areas(settings) => Limiter::areas(n, triangles, settings),
            LimitKind::Volumes(settings) => Limiter::volumes(n, &self.tets, settings),
            LimitKind::Rate(limits, sweeps) => {
                let settings = CslSettings { sweeps, ..CslSettings::default() };
                Limiter::csl(n, triangles, &[limits], settings).map(Limiter::into_rates)
            }
            LimitKind::EdgeRate(band, sweeps) => {
                Limiter::edges(n, &self.edges(), band, sweeps).map(Limiter::into_rates)
            }
        };
        limiter.map(Some)
    }
}
