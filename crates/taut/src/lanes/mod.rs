//! The number types that kernels are written over. Nothing outside this folder knows the CPU.
//!
//! A kernel is a function generic over [`Real`]; it runs unchanged as `f32`, `f64`, [`Dual`] numbers and, through
//! [`Lanes`], as 4, 8 or 16 elements at once. Every operation is one correctly rounded IEEE operation or a fixed
//! sequence of them: no fused multiply-add, no hardware approximation, no platform maths library. That is why all
//! widths, instruction sets and targets give the same bits.

mod dual;
mod four;
mod shared;
mod vec3;
mod wide;

pub use dual::Dual;
pub use four::{Four, FourKernel, run_fours};
pub use shared::{Place, Shared, SharedVec};
pub use vec3::{V3, xyz};

use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};
pub use fearless_simd::Level;

/// Elements in one packed block, whatever the lane width that runs it.
pub const BLOCK: usize = 16;

/// One vertex: x, y, z in m and the inverse mass in 1/kg (0 holds the vertex), or a velocity and an unused zero.
pub type Vertex<T> = [T; 4];

/// A number: real, several reals side by side, or a real with a derivative.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The outcome of a comparison, one per lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask>;
    /// Coefficients of (atan √z)/√z on 0 ≤ z ≤ tan²(π/8), lowest first, as accurate as the type.
    const ATAN: &'static [f64];

    /// The constant `v` in all lanes. `self` only lends its instruction set.
    fn lit(self, v: f64) -> Self;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// `self < other`, false where either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// Whether the mask is set anywhere: lets a kernel pass over what is rare.
    fn any(mask: Self::Mask) -> bool;
    /// One bit for each lane, the first lowest: 1 where the mask is set.
    fn bits(mask: Self::Mask) -> u32;
    /// `yes` where the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// The greater of two numbers; `other` where the comparison fails, so a NaN in `self` is replaced.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }

    /// The lesser of two numbers; `other` where the comparison fails, so a NaN in `self` is replaced.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    /// The angle of the point (x, y) = (`x`, `self`) in (−π, π], and 0 at the origin. Exactly odd in `self`.
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
        let zero = self.lit(0.0);
        let (ax, ay) = (x.abs(), self.abs());
        let steep = ax.lt(ay);
        let (lo, hi) = (Self::select(steep, ax, ay), Self::select(steep, ay, ax));
        let hi = Self::select(zero.lt(hi), hi, self.lit(1.0));
        // Half the eighth: beyond tan(π/8) turn by −π/4, so that the polynomial only has to reach that far.
        let turned = (hi * self.lit(0.414_213_562_373_095_03)).lt(lo);
        let t = Self::select(turned, lo - hi, lo) / Self::select(turned, lo + hi, hi);
        let z = t * t;
        let mut p = self.lit(Self::ATAN[Self::ATAN.len() - 1]);
        for i in (0..Self::ATAN.len() - 1).rev() {
            p = p * z + self.lit(Self::ATAN[i]);
        }
        let a = t * p;
        let a = Self::select(turned, a + self.lit(FRAC_PI_4), a);
        let a = Self::select(steep, self.lit(FRAC_PI_2) - a, a);
        let a = Self::select(x.lt(zero), self.lit(PI) - a, a);
        Self::select(self.lt(zero), -a, a)
    }
}

/// What a simulation computes in: `f32` for speed, `f64` for study.
pub trait Scalar: Real<Mask = bool> + PartialOrd + Default + Send + Sync + core::fmt::Debug + 'static {
    /// `"f32"` or `"f64"`.
    const NAME: &'static str;
    /// The part of a number that its rounding is, at most.
    const EPSILON: f64;
    /// Rounds to this precision.
    fn of(v: f64) -> Self;
    /// Widens; exact.
    fn f64(self) -> f64;
    /// Neither infinite nor NaN.
    fn finite(self) -> bool;
    /// Runs a kernel in lanes of the given width, with an instruction set of `level`.
    fn run<K: Kernel<Self>>(width: Width, level: Level, kernel: K);
    /// The same for kernels that are large, or seldom matter: one by one, or as wide as one vector is.
    fn run_lean<K: Kernel<Self>>(width: Width, level: Level, kernel: K);
}

/// Several elements' numbers side by side, with the memory access that packed elements need.
pub trait Lanes<T: Scalar>: Real {
    /// Elements side by side; divides [`BLOCK`].
    const N: usize;
    /// Proof that the CPU has the instructions.
    type Token: Copy;
    /// Loads `N` numbers from the start of `from`.
    fn load(token: Self::Token, from: &[T]) -> Self;
    /// Stores `N` numbers to the start of `to`.
    fn store(self, to: &mut [T]);
    /// Loads `N` vertices, component by component.
    ///
    /// # Safety
    /// As [`Shared::read`], for each of the first `N` places.
    unsafe fn gather(token: Self::Token, from: Shared<'_, Vertex<T>>, places: &[Place]) -> [Self; 4];
    /// Stores `N` vertices.
    ///
    /// # Safety
    /// As [`Shared::write`], for each of the first `N` places.
    unsafe fn scatter(value: [Self; 4], to: Shared<'_, Vertex<T>>, places: &[Place]);
}

/// A computation that runs at any lane width.
pub trait Kernel<T: Scalar> {
    /// Does the work. Must be `#[inline(always)]`, as must all it calls, to be compiled for the instruction set.
    fn run<L: Lanes<T>>(self, token: L::Token);
}

/// How many elements a kernel treats at once. The results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Width {
    /// One by one.
    W1,
    /// Four.
    W4,
    /// Sixteen (two lots of eight in `f64`). Two or more vectors in flight hide latency: fastest even on AVX2. Four
    /// where the CPU has no wide instructions.
    #[default]
    W16,
}

impl Width {
    /// All of them, narrowest first.
    pub const ALL: [Width; 3] = [Width::W1, Width::W4, Width::W16];

    /// The number of lanes.
    pub fn lanes(self) -> usize {
        match self {
            Width::W1 => 1,
            Width::W4 => 4,
            Width::W16 => 16,
        }
    }
}

macro_rules! scalar {
    ($t:ident, $atan:expr, hot $hot:ident, lean $lean:ident) => {
        impl Real for $t {
            type Mask = bool;
            const ATAN: &'static [f64] = &$atan;
            #[inline(always)]
            fn lit(self, v: f64) -> Self {
                v as $t
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $t::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $t::abs(self)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn any(mask: bool) -> bool {
                mask
            }
            #[inline(always)]
            fn bits(mask: bool) -> u32 {
                mask as u32
            }
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
        }

        impl Scalar for $t {
            const NAME: &'static str = stringify!($t);
            const EPSILON: f64 = $t::EPSILON as f64;
            #[inline(always)]
            fn of(v: f64) -> Self {
                v as $t
            }
            #[inline(always)]
            fn f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn finite(self) -> bool {
                self.is_finite()
            }
            fn run<K: Kernel<Self>>(width: Width, level: Level, kernel: K) {
                wide::$hot(width, level, kernel);
            }
            fn run_lean<K: Kernel<Self>>(width: Width, level: Level, kernel: K) {
                wide::$lean(width, level, kernel);
            }
        }

        impl Lanes<$t> for $t {
            const N: usize = 1;
            type Token = ();
            #[inline(always)]
            fn load(_: (), from: &[$t]) -> Self {
                from[0]
            }
            #[inline(always)]
            fn store(self, to: &mut [$t]) {
                to[0] = self;
            }
            #[inline(always)]
            unsafe fn gather(_: (), from: Shared<'_, Vertex<$t>>, places: &[Place]) -> [Self; 4] {
                // SAFETY: the caller's promise is the callee's.
                unsafe { from.read(places[0]) }
            }
            #[inline(always)]
            unsafe fn scatter(value: [Self; 4], to: Shared<'_, Vertex<$t>>, places: &[Place]) {
                // SAFETY: the caller's promise is the callee's.
                unsafe { to.write(places[0], value) }
            }
        }
    };
}

// Chebyshev fits of our own; error 6e-10 and 1.3e-18.
const ATAN_F32: [f64; 6] = [
    1.0,
    -0.333_333_068_930_485_1,
    0.199_981_830_410_832_06,
    -0.142_395_326_696_489_75,
    0.105_698_288_064_144_48,
    -0.060_263_052_276_584_59,
];
const ATAN_F64: [f64; 12] = [
    1.0,
    -0.333_333_333_333_331_2,
    0.199_999_999_999_408_9,
    -0.142_857_142_792_502_45,
    0.111_111_107_449_196_58,
    -0.090_908_968_090_640_27,
    0.076_920_453_309_022_25,
    -0.066_629_518_136_291_9,
    0.058_468_782_973_308_72,
    -0.050_351_024_566_015_52,
    0.037_965_257_453_865_93,
    -0.017_805_397_205_419_445,
];

scalar!(f32, ATAN_F32, hot f32_hot, lean f32_lean);
scalar!(f64, ATAN_F64, hot f64_hot, lean f64_lean);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atan2_is_as_accurate_as_the_type() {
        let mut worst = (0.0f64, 0.0f64);
        for i in 0..20_000 {
            let a = (i as f64 / 10_000.0 - 1.0) * 0.999_999 * core::f64::consts::PI;
            let r = 10f64.powi(i % 13 - 6);
            let (y, x) = (r * a.sin(), r * a.cos());
            worst.0 = worst.0.max((Real::atan2(y, x) - y.atan2(x)).abs());
            let (y, x) = (y as f32, x as f32);
            worst.1 = worst.1.max((Real::atan2(y, x) as f64 - (y as f64).atan2(x as f64)).abs());
        }
        assert!(worst.0 < 1e-15, "f64: {:e}", worst.0);
        assert!(worst.1 < 4e-7, "f32: {:e}", worst.1);
        assert_eq!(Real::atan2(0.0f64, 0.0), 0.0);
        assert_eq!(Real::atan2(0.0f64, -1.0), core::f64::consts::PI);
    }

    #[test]
    fn max_and_min_replace_nan() {
        assert_eq!(Real::max(f32::NAN, 2.0), 2.0);
        assert_eq!(Real::min(f64::NAN, 2.0), 2.0);
    }
}
