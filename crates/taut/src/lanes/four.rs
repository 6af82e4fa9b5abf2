//! Four numbers side by side, for work on vectors instead of lots of elements: a vector in space and a number of no
//! use.

use super::Width;
use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, f32x4};

/// Four numbers. Like lanes, they give the same bits on every instruction set.
pub trait Four: Copy {
    /// Proof that the CPU has the instructions.
    type Token: Copy;
    /// Loads four numbers from the start of `from`.
    fn load(token: Self::Token, from: &[f32]) -> Self;
    /// One number four times.
    fn splat(token: Self::Token, v: f32) -> Self;
    /// The numbers.
    fn numbers(self) -> [f32; 4];
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The difference.
    fn minus(self, other: Self) -> Self;
    /// The products.
    fn times(self, other: Self) -> Self;
}

/// A computation on fours.
pub trait FourKernel {
    /// Does the work. Must be `#[inline(always)]`, as must all it calls, to be compiled for the instruction set.
    fn run<F: Four>(self, token: F::Token);
}

impl Four for [f32; 4] {
    type Token = ();
    #[inline(always)]
    fn load(_: (), from: &[f32]) -> Self {
        [from[0], from[1], from[2], from[3]]
    }
    #[inline(always)]
    fn splat(_: (), v: f32) -> Self {
        [v; 4]
    }
    #[inline(always)]
    fn numbers(self) -> [f32; 4] {
        self
    }
    #[inline(always)]
    fn plus(self, o: Self) -> Self {
        [self[0] + o[0], self[1] + o[1], self[2] + o[2], self[3] + o[3]]
    }
    #[inline(always)]
    fn minus(self, o: Self) -> Self {
        [self[0] - o[0], self[1] - o[1], self[2] - o[2], self[3] - o[3]]
    }
    #[inline(always)]
    fn times(self, o: Self) -> Self {
        [self[0] * o[0], self[1] * o[1], self[2] * o[2], self[3] * o[3]]
    }
}

impl<S: Simd> Four for f32x4<S> {
    type Token = S;
    #[inline(always)]
    fn load(token: S, from: &[f32]) -> Self {
        Self::from_slice(token, &from[..4])
    }
    #[inline(always)]
    fn splat(token: S, v: f32) -> Self {
        SimdBase::splat(token, v)
    }
    #[inline(always)]
    fn numbers(self) -> [f32; 4] {
        self.to_array()
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }
}

/// Runs a kernel with an instruction set of `level`: on x86-64 AVX2 or none but the baseline, which has fours as well.
pub fn run_fours<K: FourKernel>(width: Width, level: Level, kernel: K) {
    if width != Width::W1 {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = level.as_avx2() {
            return simd.vectorize(
                #[inline(always)]
                || kernel.run::<f32x4<_>>(simd),
            );
        }
        #[cfg(not(target_arch = "x86_64"))]
        return fearless_simd::dispatch!(level, simd => kernel.run::<f32x4<_>>(simd));
    }
    let _ = level;
    kernel.run::<[f32; 4]>(());
}
