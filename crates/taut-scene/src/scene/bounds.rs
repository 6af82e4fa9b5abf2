//! How far each cloth may be stretched at the end of a step: what holds if nobody asks, and who may change it.
//!
//! | from | weft, warp | shear | any direction | edges |
//! | --- | --- | --- | --- | --- |
//! | `fabric` | its own limits | its own limit | of fabrics without a direction instead of weft and warp | |
//! | `stiffness` 1 | 1 %, each on its own | | | 1 % where `edge` is 1 and neither weft nor warp is |
//! | `stiffness` below 1, or `elastic` | none | | | |
//! | `solver.max_stretch` | in place of the ones above for all cloth, soft ones too; "off" of all of them | | | |
//! | `solver.max_shear` | | likewise | | |
//! | `[[limit]]` | whatever it names of a cloth takes the place of all above for that cloth | | | |
//!
//! Solvers that are asked for by another name than "auto" and "multigrid" have no limits but those of `[[limit]]`.

use super::settings::{Cap, Cloth, Limit, Settings, ShearCap, Solver};
use taut::limit::{LimitSpec, StretchBounds};
use taut::{Membrane, Orthotropic, Params};

/// What cloth of unitless stiffness 1 may be stretched by.
const STIFF: f64 = 0.01;

/// Substeps in a second for soft bodies of shares: as many as "pbd" has at 60 steps a second.
const SHARES: f64 = 1200.0;

/// How far a shear modulus may be from that of a material without a direction: published figures are rounded.
const ROUNDED: f64 = 0.05;

/// Which bounds a limit names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub weft: bool,
    pub warp: bool,
    pub shear: bool,
    pub any: bool,
    pub edge: bool,
}

impl Named {
    fn or(self, other: Named) -> Named {
        Named {
            weft: self.weft || other.weft,
            warp: self.warp || other.warp,
            shear: self.shear || other.shear,
            any: self.any || other.any,
            edge: self.edge || other.edge,
        }
    }
}

impl Settings {
    /// The engine's limiters: those of `[[limit]]` in the order they act, then the bounds that hold by default, once
    /// for all cloth that has the same.
    pub fn limits(&self) -> Vec<LimitSpec> {
        let mut out: Vec<LimitSpec> = self.limit.iter().flat_map(|limit| limit.specs(self)).collect();
        let mut groups: Vec<(StretchBounds, Vec<usize>)> = Vec::new();
        for (at, cloth) in self.cloth.iter().enumerate() {
            let bounds = self.unnamed(cloth);
            match groups.iter_mut().find(|(known, _)| *known == bounds) {
                _ if bounds == StretchBounds::NONE => {}
                Some((_, bodies)) => bodies.push(at),
                None => groups.push((bounds, vec![at])),
            }
        }
        out.extend(groups.into_iter().map(|(bounds, bodies)| LimitSpec::stretch(bounds).on(&bodies)));
        out
    }

    /// The engine's parameters, as far as they are the solver's.
    pub(crate) fn step_params(&self) -> Params {
        if let Some(multigrid) = self.chosen() {
            return multigrid.params();
        }
        let mut params = self.solver.params();
        // The engine chooses substeps for cloth. Soft bodies of shares are as stiff as their substeps are many.
        if params.substeps == 0 && self.solid.iter().any(|solid| solid.material.elastic.is_none()) {
            let seconds = 1.0 / (self.time.fps * f64::from(self.time.steps));
            params.substeps = (SHARES * seconds - 1e-9).ceil().clamp(1.0, 10_000.0) as u32;
        }
        params
    }

    /// What `auto` takes where there is cloth, all that moves has a stiffness in physical units, and no key is set that
    /// only projection knows.
    pub fn chosen(&self) -> Option<Solver> {
        let Solver::Auto(auto) = &self.solver else { return None };
        let cloth = self.cloth.iter().all(|c| c.material.params().elasticity.is_some());
        let elastic = !self.cloth.is_empty() && cloth && self.solid.iter().all(|s| s.material.elastic.is_some());
        if elastic { auto.for_materials() } else { None }
    }

    /// What holds by default on a cloth, without what a limit names.
    fn unnamed(&self, cloth: &Cloth) -> StretchBounds {
        let mut bounds = self.defaults(cloth);
        let here = |limit: &&Limit| limit.bodies().is_empty() || limit.bodies().contains(&cloth.shape.name);
        let all = self.limit.iter().filter(here).map(|limit| limit.named(cloth));
        let named = all.fold(Named::default(), Named::or);
        // What has no direction is bounded in all of them. Who names one thread means that, and the other keeps its
        // bound.
        if !named.any && (named.weft || named.warp) {
            (bounds.weft, bounds.warp) = (bounds.weft.min(bounds.any), bounds.warp.min(bounds.any));
            bounds.any = f64::INFINITY;
        }
        let left = |bound: f64, named: bool| if named { f64::INFINITY } else { bound };
        let bounds = StretchBounds {
            weft: left(bounds.weft, named.weft),
            warp: left(bounds.warp, named.warp),
            shear: left(bounds.shear, named.shear),
            any: left(bounds.any, named.any),
            edge: left(bounds.edge, named.edge),
            ..bounds
        };
        painted(cloth, bounds)
    }

    /// What holds by default on a cloth.
    fn defaults(&self, cloth: &Cloth) -> StretchBounds {
        let Some((stretch, shear)) = self.solver.caps() else { return StretchBounds::NONE };
        let mut bounds = match stretch {
            Some(Cap::Off) => StretchBounds::NONE,
            other => material(cloth, other.map(Cap::most)),
        };
        if let Some(cap) = shear {
            bounds.shear = ShearCap::cosine(cap);
        }
        bounds
    }
}

/// What is painted takes the place of what holds for the whole: where it varies, the loosest of it.
fn painted(cloth: &Cloth, mut bounds: StretchBounds) -> StretchBounds {
    for vary in cloth.paint.vary.iter().filter(|vary| vary.limits()) {
        let [a, b] = [0.0, 1.0].map(|at| vary.bounds(at));
        // What has no direction is bounded in all of them, and would hold beside the painted ones.
        if bounds.any.is_finite() {
            (bounds.weft, bounds.warp) = (bounds.weft.min(bounds.any), bounds.warp.min(bounds.any));
            bounds.any = f64::INFINITY;
        }
        for (bound, named, most) in [
            (&mut bounds.weft, vary.max_weft.is_some(), a.weft.max(b.weft)),
            (&mut bounds.warp, vary.max_warp.is_some(), a.warp.max(b.warp)),
            (&mut bounds.shear, vary.max_shear.is_some(), a.shear.max(b.shear)),
        ] {
            if named {
                *bound = most;
            }
        }
    }
    bounds
}

/// What a cloth's material says, with another bound on lengths if there is one.
fn material(cloth: &Cloth, stretch: Option<f64>) -> StretchBounds {
    let material = &cloth.material;
    let isotropic = matches!(
        material.params().elasticity.map(|e| e.membrane),
        Some(Membrane::Continuum(moduli)) if is_isotropic(&moduli)
    );
    let lengths = |weft: f64, warp: f64, shear: f64| match isotropic {
        true => StretchBounds { any: weft.min(warp), shear, ..StretchBounds::NONE },
        false => StretchBounds { weft, warp, shear, ..StretchBounds::NONE },
    };
    let none = f64::INFINITY;
    match (&material.elastic, material.fabric) {
        (Some(_), _) => lengths(stretch.unwrap_or(none), stretch.unwrap_or(none), none),
        (None, Some(fabric)) => {
            let own = fabric.0.engine.stretch_bounds();
            lengths(stretch.unwrap_or(own.weft), stretch.unwrap_or(own.warp), own.shear)
        }
        (None, None) => {
            let k = &material.stiffness;
            let stiff = |share: f64| if share == 1.0 { STIFF } else { none };
            let edges = k.edge == 1.0 && k.weft < 1.0 && k.warp < 1.0;
            match edges {
                true => StretchBounds { edge: stretch.unwrap_or(STIFF), ..StretchBounds::NONE },
                false => lengths(stretch.unwrap_or(stiff(k.weft)), stretch.unwrap_or(stiff(k.warp)), none),
            }
        }
    }
}

/// Whether moduli are those of a material without a direction.
fn is_isotropic(moduli: &Orthotropic) -> bool {
    let Orthotropic { weft, warp, poisson, shear } = *moduli;
    let even = Orthotropic::isotropic(weft, poisson).shear;
    weft == warp && even.is_finite() && (shear - even).abs() <= ROUNDED * even.abs()
}
