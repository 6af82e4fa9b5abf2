//! The limiters' kernels, compiled here once for each precision.
//!
//! Each holds several lane widths and instruction sets, which no user's crate should have to compile again.

use super::csl::{CslRate, CslSweep};
use super::rows::RowSweep;
use crate::element::{Edge, Improved, TriStrain};
use crate::lanes::{Scalar, Width};
use fearless_simd::Level;

pub type Triangle = TriStrain<Improved>;

/// What limiters need of a [`Scalar`]: `f32` and `f64`, and nothing else.
#[allow(private_interfaces)]
pub trait LimitKernels: Scalar {
    #[doc(hidden)]
    fn csl(width: Width, level: Level, kernel: CslSweep<'_, Self>);
    #[doc(hidden)]
    fn csl_rate(width: Width, level: Level, kernel: CslRate<'_, Self>);
    #[doc(hidden)]
    fn edges(width: Width, level: Level, kernel: RowSweep<'_, Edge, Self, 2, 1, 2, 1, false>);
    #[doc(hidden)]
    fn edge_rates(width: Width, level: Level, kernel: RowSweep<'_, Edge, Self, 2, 1, 2, 1, true>);
    #[doc(hidden)]
    fn triangles(width: Width, level: Level, kernel: RowSweep<'_, Triangle, Self, 3, 2, 6, 4, false>);
    #[doc(hidden)]
    fn triangle_rates(width: Width, level: Level, kernel: RowSweep<'_, Triangle, Self, 3, 2, 6, 4, true>);
}

macro_rules! kernels {
    ($t:ty) => {
        #[allow(private_interfaces)]
        impl LimitKernels for $t {
            fn csl(width: Width, level: Level, kernel: CslSweep<'_, Self>) {
                <$t>::run(width, level, kernel);
            }
            fn csl_rate(width: Width, level: Level, kernel: CslRate<'_, Self>) {
                <$t>::run_cold(width, level, kernel);
            }
            fn edges(width: Width, level: Level, kernel: RowSweep<'_, Edge, Self, 2, 1, 2, 1, false>) {
                <$t>::run(width, level, kernel);
            }
            fn edge_rates(width: Width, level: Level, kernel: RowSweep<'_, Edge, Self, 2, 1, 2, 1, true>) {
                <$t>::run_cold(width, level, kernel);
            }
            fn triangles(width: Width, level: Level, kernel: RowSweep<'_, Triangle, Self, 3, 2, 6, 4, false>) {
                <$t>::run(width, level, kernel);
            }
            fn triangle_rates(width: Width, level: Level, kernel: RowSweep<'_, Triangle, Self, 3, 2, 6, 4, true>) {
                <$t>::run_cold(width, level, kernel);
            }
        }
    };
}

kernels!(f32);
kernels!(f64);
