//! APSL as a cloth solver of its own (APSL §6).

use super::super::error::{LimitError, bad};
use super::super::rest::bend_edges;
use super::super::{Band, LimitKernels, LimitReport, LimitScratch, Limiter, RestTriangle, SweepSettings, edges_of};
use super::ApslSettings;

/// How [`ApslCloth`] steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApslClothParams {
    /// Acceleration of everything free, m/s².
    pub gravity: [f64; 3],
    /// Stiffness of the springs across edges, N/m.
    pub bend_stiffness: f64,
    /// No edge becomes shorter than this share of its rest length, 0 to 1: areas alone would let triangles become
    /// needles.
    pub least_edge: f64,
    /// Parts that a step is taken in, 1 to 10,000. Half as many parts leave far more than twice the change of area.
    pub substeps: u32,
    /// Velocity is damped at this rate, 1/s.
    pub damping: f64,
    /// How areas are preserved.
    pub areas: ApslSettings,
    /// How edges are kept long enough.
    pub edges: SweepSettings,
}

impl Default for ApslClothParams {
    fn default() -> Self {
        ApslClothParams {
            gravity: [0.0, -9.81, 0.0],
            bend_stiffness: 100.0,
            least_edge: 0.8,
            substeps: 4,
            damping: 0.1,
            areas: ApslSettings::default(),
            edges: SweepSettings { iterations: 10, tolerance: 1e-2, seed: 0 },
        }
    }
}

/// Cloth held together by its areas, with linear bending springs and least edge lengths.
#[derive(Clone, Debug)]
pub struct ApslCloth<T> {
    params: ApslClothParams,
    areas: Limiter<T>,
    springs: Limiter<T>,
    edges: Limiter<T>,
}

impl<T: LimitKernels> ApslCloth<T> {
    /// Cloth at rest at `positions` (m).
    pub fn new(positions: &[[f64; 3]], triangles: &[[u32; 3]], params: ApslClothParams) -> Result<Self, LimitError> {
        match &params {
            p if !(0.0..=1.0).contains(&p.least_edge) => return bad("least edge", p.least_edge, "a share, 0 to 1"),
            p if !(p.bend_stiffness >= 0.0 && p.bend_stiffness.is_finite()) => {
                return bad("bend stiffness", p.bend_stiffness, "0 N/m or more");
            }
            p if !(1..=10_000).contains(&p.substeps) => {
                return bad("substeps", f64::from(p.substeps), "1 to 10,000");
            }
            p if !(p.damping >= 0.0 && p.damping.is_finite()) => return bad("damping", p.damping, "0 1/s or more"),
            p if !p.gravity.iter().all(|g| g.is_finite()) => return bad("gravity", f64::NAN, "finite numbers"),
            _ => {}
        }
        let n = positions.len();
        let rest = RestTriangle::all(triangles, positions, [1.0, 0.0, 0.0]);
        let areas = Limiter::areas(n, &rest, params.areas)?;
        let across = if params.bend_stiffness > 0.0 { bend_edges(triangles, positions) } else { Vec::new() };
        // One sweep of rows with a compliance is a step of implicit springs, edge by edge: stable at any stiffness.
        let once = SweepSettings { iterations: 1, tolerance: 0.0, seed: params.edges.seed };
        let springs = Limiter::springs(n, &across, params.bend_stiffness, once)?;
        let least = Band { least: params.least_edge - 1.0, most: f64::INFINITY };
        let edges = Limiter::edges(n, &edges_of(triangles, positions), least, params.edges)?;
        Ok(ApslCloth { params, areas, springs, edges })
    }

    /// Advances positions `x` (m) and velocities `v` (m/s) of vertices with these inverse masses (1/kg) by `dt` (s).
    /// Vertices with inverse mass 0 move with their velocity. A vertex that would leave the range of numbers stays and
    /// stops. Returns what was done to areas, the worst of all parts.
    pub fn step(
        &mut self,
        x: &mut [[T; 3]],
        inverse_masses: &[T],
        v: &mut [[T; 3]],
        dt: f64,
        scratch: &mut LimitScratch<T>,
    ) -> LimitReport {
        let (parts, n) = (self.params.substeps, self.areas.vertices());
        let h = dt / f64::from(parts);
        // Also as a number of `T`.
        let usable = dt > 0.0 && T::of(h) > T::of(0.0) && T::of(h).finite() && (T::of(1.0) / T::of(h)).finite();
        if !usable || x.len().min(inverse_masses.len()).min(v.len()) < n {
            return LimitReport::default();
        }
        let (x, w, v) = (&mut x[..n], &inverse_masses[..n], &mut v[..n]);
        (0..parts).fold(LimitReport::none(), |all, _| all.join(&self.part((&mut *x, w), &mut *v, h, scratch)))
    }

    fn part(
        &mut self,
        (x, w): (&mut [[T; 3]], &[T]),
        v: &mut [[T; 3]],
        h: f64,
        scratch: &mut LimitScratch<T>,
    ) -> LimitReport {
        let calm = T::of(1.0 / (1.0 + self.params.damping * h));
        let kick = self.params.gravity.map(|g| T::of(g * h));
        for (_, v) in w.iter().zip(v.iter_mut()).filter(|(w, _)| **w > T::of(0.0)) {
            for k in 0..3 {
                v[k] = (v[k] + kick[k]) * calm;
            }
        }
        self.springs.set_step(h);
        let springs = self.springs.apply(x, w, v, &[], h, scratch);
        let edges = self.edges.apply(x, w, v, &[], h, scratch);
        let mut report = self.areas.apply(x, w, v, &[], h, scratch);
        report.contained += springs.contained + edges.contained;
        for (x, v) in x.iter_mut().zip(v.iter_mut()) {
            let to = [0, 1, 2].map(|k| x[k] + v[k] * T::of(h));
            if to.iter().all(|c| c.finite()) {
                *x = to;
            } else {
                *v = [T::of(0.0); 3];
                report.contained += 1;
            }
        }
        report
    }
}
