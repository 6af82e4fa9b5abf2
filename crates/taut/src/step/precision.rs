//! The step, compiled once for each precision.

use super::{Params, Scratch, StepReport, step_in};
use crate::limit::LimitKernels;
use crate::model::Model;
use crate::state::State;

/// What a simulation can be run in: `f32` for speed, `f64` for study, and nothing else.
///
/// The step holds every kernel in every lane width and instruction set. It is compiled in the engine, once for each
/// precision, so that no user's crate has to compile it again.
pub trait Precision: LimitKernels {
    /// [`step`](crate::step()).
    #[doc(hidden)]
    fn step(
        model: &Model<Self>,
        state: &mut State<Self>,
        scratch: &mut Scratch<Self>,
        params: &Params,
        dt: f64,
    ) -> StepReport;
}

macro_rules! precision {
    ($t:ty) => {
        impl Precision for $t {
            fn step(
                model: &Model<Self>,
                state: &mut State<Self>,
                scratch: &mut Scratch<Self>,
                params: &Params,
                dt: f64,
            ) -> StepReport {
                step_in(model, state, scratch, params, dt)
            }
        }
    };
}

precision!(f32);
#[cfg(feature = "f64")]
precision!(f64);
