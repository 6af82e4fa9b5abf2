//! The little maths a rasteriser needs besides vectors. Single precision: positions are taken relative to the eye in
//! double precision before they come here.

/// `a + t (b - a)`.
pub(crate) fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + t * (b - a)
}

/// 0 below `lo`, 1 above `hi`, a smooth cubic between.
pub(crate) fn smoothstep(lo: f32, hi: f32, x: f32) -> f32 {
    let t = ((x - lo) / (hi - lo)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
