//! Lanes over `fearless_simd` vectors.
//!
//! A vertex is four numbers in a row, so gather and scatter are whole-vertex loads and stores with a 4×4 transpose
//! between: measured faster than the CPU's gather instructions, and available on every target.
//!
//! No closures here or in kernels: a closure is compiled on its own, without the instruction set of its caller.

use super::{Kernel, Lanes, Place, Real, Shared, Vertex, Width};
use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, f32x4, f32x8, f32x16, f64x2, f64x4, f64x8};

macro_rules! real {
    ($wide:ident, $t:ident) => {
        impl<S: Simd> Real for $wide<S> {
            type Mask = <Self as SimdBase<S>>::Mask;
            const ATAN: &'static [f64] = <$t as Real>::ATAN;
            #[inline(always)]
            fn lit(self, v: f64) -> Self {
                Self::splat(self.token(), v as $t)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                SimdFloat::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                SimdBase::abs(self)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> Self::Mask {
                self.simd_lt(other)
            }
            #[inline(always)]
            fn any(mask: Self::Mask) -> bool {
                mask.any_true()
            }
            #[inline(always)]
            fn bits(mask: Self::Mask) -> u32 {
                mask.to_bitmask() as u32
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                mask.select(yes, no)
            }
        }
    };
}

real!(f32x4, f32);
real!(f32x8, f32);
real!(f32x16, f32);
real!(f64x4, f64);
real!(f64x8, f64);

/// Rows to columns; its own inverse.
#[inline(always)]
fn transpose<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (ac_lo, ac_hi) = (a.zip_low(c), a.zip_high(c));
    let (bd_lo, bd_hi) = (b.zip_low(d), b.zip_high(d));
    [ac_lo.zip_low(bd_lo), ac_lo.zip_high(bd_lo), ac_hi.zip_low(bd_hi), ac_hi.zip_high(bd_hi)]
}

impl<S: Simd> Lanes<f32> for f32x4<S> {
    const N: usize = 4;
    type Token = S;
    #[inline(always)]
    fn load(token: S, from: &[f32]) -> Self {
        Self::from_slice(token, &from[..4])
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        self.store_slice(&mut to[..4]);
    }
    #[inline(always)]
    unsafe fn gather(token: S, from: Shared<'_, Vertex<f32>>, places: &[Place]) -> [Self; 4] {
        // SAFETY: the caller's promise is the callee's.
        let [a, b, c, d] =
            unsafe { [from.read(places[0]), from.read(places[1]), from.read(places[2]), from.read(places[3])] };
        transpose([
            Self::load_array(token, a),
            Self::load_array(token, b),
            Self::load_array(token, c),
            Self::load_array(token, d),
        ])
    }
    #[inline(always)]
    unsafe fn scatter(value: [Self; 4], to: Shared<'_, Vertex<f32>>, places: &[Place]) {
        let rows = transpose(value);
        for i in 0..4 {
            // SAFETY: the caller's promise is the callee's.
            unsafe { to.write(places[i], rows[i].to_array()) };
        }
    }
}

/// Eight vertices at once, as four rows of two: on AVX2 this halves the shuffles of two lots of four.
impl<S: Simd> Lanes<f32> for f32x8<S> {
    const N: usize = 8;
    type Token = S;
    #[inline(always)]
    fn load(token: S, from: &[f32]) -> Self {
        Self::from_slice(token, &from[..8])
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        self.store_slice(&mut to[..8]);
    }
    #[inline(always)]
    unsafe fn gather(token: S, from: Shared<'_, Vertex<f32>>, places: &[Place]) -> [Self; 4] {
        let mut rows = [Self::splat(token, 0.0); 4];
        for i in 0..4 {
            // SAFETY: the caller's promise is the callee's.
            let (lo, hi) = unsafe { (from.read(places[i]), from.read(places[i + 4])) };
            rows[i] = f32x4::load_array(token, lo).combine(f32x4::load_array(token, hi));
        }
        transpose_halves(token, rows)
    }
    #[inline(always)]
    unsafe fn scatter(value: [Self; 4], to: Shared<'_, Vertex<f32>>, places: &[Place]) {
        let rows = transpose_halves(value[0].token(), value);
        for i in 0..4 {
            let (lo, hi) = rows[i].split();
            // SAFETY: the caller's promise is the callee's.
            unsafe {
                to.write(places[i], lo.to_array());
                to.write(places[i + 4], hi.to_array());
            }
        }
    }
}

/// Transposes the low and the high halves, each for itself.
#[inline(always)]
fn transpose_halves<S: Simd>(token: S, rows: [f32x8<S>; 4]) -> [f32x8<S>; 4] {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = token.level().as_avx2() {
        let mut wide = [f32x8::splat(avx2, 0.0); 4];
        for i in 0..4 {
            wide[i] = f32x8::load_array(avx2, rows[i].to_array());
        }
        let wide = transpose_avx2(avx2, wide);
        let mut out = rows;
        for i in 0..4 {
            out[i] = f32x8::load_array(token, wide[i].to_array());
        }
        return out;
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = token;
    let ((a0, a1), (b0, b1), (c0, c1), (d0, d1)) = (rows[0].split(), rows[1].split(), rows[2].split(), rows[3].split());
    let (lo, hi) = (transpose([a0, b0, c0, d0]), transpose([a1, b1, c1, d1]));
    [lo[0].combine(hi[0]), lo[1].combine(hi[1]), lo[2].combine(hi[2]), lo[3].combine(hi[3])]
}

#[cfg(target_arch = "x86_64")]
fearless_simd::kernel!(
    /// [`transpose`] in both halves of 256 bits.
    #[inline(always)]
    fn transpose_avx2(token: Avx2, rows: [f32x8<fearless_simd::x86::Avx2>; 4]) -> [f32x8<fearless_simd::x86::Avx2>; 4] {
        use core::arch::x86_64::{_mm256_unpackhi_ps as high, _mm256_unpacklo_ps as low};
        let (a, b, c, d) = (rows[0].into(), rows[1].into(), rows[2].into(), rows[3].into());
        let (ac_lo, ac_hi, bd_lo, bd_hi) = (low(a, c), high(a, c), low(b, d), high(b, d));
        [
            low(ac_lo, bd_lo).simd_into(token),
            high(ac_lo, bd_lo).simd_into(token),
            low(ac_hi, bd_hi).simd_into(token),
            high(ac_hi, bd_hi).simd_into(token),
        ]
    }
);

impl<S: Simd> Lanes<f64> for f64x4<S> {
    const N: usize = 4;
    type Token = S;
    #[inline(always)]
    fn load(token: S, from: &[f64]) -> Self {
        Self::from_slice(token, &from[..4])
    }
    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        self.store_slice(&mut to[..4]);
    }
    #[inline(always)]
    unsafe fn gather(token: S, from: Shared<'_, Vertex<f64>>, places: &[Place]) -> [Self; 4] {
        // SAFETY: the caller's promise is the callee's.
        let [a, b, c, d] =
            unsafe { [from.read(places[0]), from.read(places[1]), from.read(places[2]), from.read(places[3])] };
        let (ab, cd) = (transpose_pair(token, a, b), transpose_pair(token, c, d));
        [ab[0].combine(cd[0]), ab[1].combine(cd[1]), ab[2].combine(cd[2]), ab[3].combine(cd[3])]
    }
    #[inline(always)]
    unsafe fn scatter([x, y, z, w]: [Self; 4], to: Shared<'_, Vertex<f64>>, places: &[Place]) {
        let (x, y, z, w) = (x.split(), y.split(), z.split(), w.split());
        // SAFETY: the caller's promise is the callee's.
        unsafe {
            to.write(places[0], row(x.0.zip_low(y.0), z.0.zip_low(w.0)));
            to.write(places[1], row(x.0.zip_high(y.0), z.0.zip_high(w.0)));
            to.write(places[2], row(x.1.zip_low(y.1), z.1.zip_low(w.1)));
            to.write(places[3], row(x.1.zip_high(y.1), z.1.zip_high(w.1)));
        }
    }
}

/// The components of two vertices.
#[inline(always)]
fn transpose_pair<S: Simd>(token: S, a: Vertex<f64>, b: Vertex<f64>) -> [f64x2<S>; 4] {
    let (a_xy, a_zw) = (f64x2::load_array(token, [a[0], a[1]]), f64x2::load_array(token, [a[2], a[3]]));
    let (b_xy, b_zw) = (f64x2::load_array(token, [b[0], b[1]]), f64x2::load_array(token, [b[2], b[3]]));
    [a_xy.zip_low(b_xy), a_xy.zip_high(b_xy), a_zw.zip_low(b_zw), a_zw.zip_high(b_zw)]
}

/// A vertex from its two halves.
#[inline(always)]
fn row<S: Simd>(xy: f64x2<S>, zw: f64x2<S>) -> Vertex<f64> {
    let (xy, zw) = (xy.to_array(), zw.to_array());
    [xy[0], xy[1], zw[0], zw[1]]
}

/// A vector twice as wide: two halves, one after the other.
macro_rules! double {
    ($wide:ident, $half:ident, $t:ident, $n:literal) => {
        impl<S: Simd> Lanes<$t> for $wide<S> {
            const N: usize = $n;
            type Token = S;
            #[inline(always)]
            fn load(token: S, from: &[$t]) -> Self {
                Self::from_slice(token, &from[..$n])
            }
            #[inline(always)]
            fn store(self, to: &mut [$t]) {
                self.store_slice(&mut to[..$n]);
            }
            #[inline(always)]
            unsafe fn gather(token: S, from: Shared<'_, Vertex<$t>>, places: &[Place]) -> [Self; 4] {
                let (low, high) = (&places[..$n / 2], &places[$n / 2..$n]);
                // SAFETY: the caller's promise is the callee's.
                let (a, b) = unsafe { ($half::gather(token, from, low), $half::gather(token, from, high)) };
                [a[0].combine(b[0]), a[1].combine(b[1]), a[2].combine(b[2]), a[3].combine(b[3])]
            }
            #[inline(always)]
            unsafe fn scatter(value: [Self; 4], to: Shared<'_, Vertex<$t>>, places: &[Place]) {
                let (x, y, z, w) = (value[0].split(), value[1].split(), value[2].split(), value[3].split());
                // SAFETY: the caller's promise is the callee's.
                unsafe {
                    $half::scatter([x.0, y.0, z.0, w.0], to, &places[..$n / 2]);
                    $half::scatter([x.1, y.1, z.1, w.1], to, &places[$n / 2..$n]);
                }
            }
        }
    };
}

double!(f32x16, f32x8, f32, 16);
double!(f64x8, f64x4, f64, 8);

/// Runs a kernel in vectors of one type with the widest instruction set that suits them.
///
/// Not `fearless_simd::dispatch!`, which compiles a kernel for four instruction sets on x86-64. All kernels in all
/// widths and sets took minutes to compile, so each has the copies that pay, and one body each, whoever asks for it:
/// one by one, and on AVX2; what matters most in `f32` also on AVX-512, and four lanes on the baseline for CPUs that
/// have neither.
macro_rules! runner {
    ($name:ident, $t:ident, $elsewhere:ident: [$($narrow:ident)?] $($set:ident $wide:ident),+) => {
        #[cfg(target_arch = "x86_64")]
        pub(super) fn $name<K: Kernel<$t>>(width: Width, level: Level, kernel: K) {
            // Four lanes where there is a narrow body, the one wide body otherwise.
            let narrow = !stringify!($($narrow)?).is_empty() && width == Width::W4;
            if width != Width::W1 && !narrow {
                $(
                    if let Some(simd) = level.$set() {
                        return simd.vectorize(
                            #[inline(always)]
                            || kernel.run::<$wide<_>>(simd),
                        );
                    }
                )+
            }
            $(
                if width != Width::W1
                    && let Some(simd) = level.as_sse2()
                {
                    return simd.vectorize(
                        #[inline(always)]
                        || kernel.run::<$narrow<_>>(simd),
                    );
                }
            )?
            kernel.run::<$t>(());
        }
        #[cfg(not(target_arch = "x86_64"))]
        pub(super) fn $name<K: Kernel<$t>>(width: Width, level: Level, kernel: K) {
            match width {
                Width::W1 => kernel.run::<$t>(()),
                _ => fearless_simd::dispatch!(level, simd => kernel.run::<$elsewhere<_>>(simd)),
            }
        }
    };
}

#[cfg(feature = "avx512")]
runner!(f32_hot, f32, f32x4: [f32x4] as_avx512 f32x16, as_avx2 f32x16);
#[cfg(not(feature = "avx512"))]
runner!(f32_hot, f32, f32x4: [f32x4] as_avx2 f32x16);
runner!(f32_lean, f32, f32x4: [] as_avx2 f32x8);
runner!(f64_hot, f64, f64x4: [] as_avx2 f64x8);
runner!(f64_lean, f64, f64x4: [] as_avx2 f64x4);
