//! Rows on the columns of a deformation gradient, shared by triangles and tetrahedra.

use super::{Row, Rows, Tension, gram};
use crate::lanes::{Real, V3};

/// Which form of stretch and of shear.
pub trait Form: Copy + Send + Sync + 'static {
    /// SBD Eq. 14 if true, Eq. 9 if not.
    const IMPROVED_STRETCH: bool;
    /// SBD Eq. 15 if true, Eq. 10 if not.
    const IMPROVED_SHEAR: bool;
    /// As [`Element::PROJECTED`](super::Element::PROJECTED).
    const PROJECTED: bool;
    /// As [`Element::ELASTIC`](super::Element::ELASTIC).
    const ELASTIC: bool;
    /// What a person calls such a triangle.
    const TRIANGLE: &'static str;
    /// What a person calls such a tetrahedron.
    const TETRAHEDRON: &'static str;
}

/// Stretch as √S_ii − s_i, solved in one step (SBD Eq. 14), shear as the cosine of the angle between the axes,
/// free of stretch (SBD Eq. 15).
#[derive(Clone, Copy, Debug)]
pub enum Improved {}
/// The entries of Green's strain as they are: S_ii − s_i² and S_ij (SBD Eq. 9 and 10).
#[derive(Clone, Copy, Debug)]
pub enum Plain {}

/// Stretch as √S_ii − s_i, shear as S_ij: the conditions of Baraff and Witkin.
#[derive(Clone, Copy, Debug)]
pub enum StretchShear {}

impl Form for Improved {
    const IMPROVED_STRETCH: bool = true;
    const IMPROVED_SHEAR: bool = true;
    const PROJECTED: bool = true;
    const ELASTIC: bool = false;
    const TRIANGLE: &'static str = "triangle strain";
    const TETRAHEDRON: &'static str = "tetrahedron strain";
}
impl Form for Plain {
    const IMPROVED_STRETCH: bool = false;
    const IMPROVED_SHEAR: bool = false;
    const PROJECTED: bool = true;
    const ELASTIC: bool = true;
    const TRIANGLE: &'static str = "plain triangle strain";
    const TETRAHEDRON: &'static str = "plain tetrahedron strain";
}
impl Form for StretchShear {
    const IMPROVED_STRETCH: bool = true;
    const IMPROVED_SHEAR: bool = false;
    const PROJECTED: bool = false;
    const ELASTIC: bool = true;
    const TRIANGLE: &'static str = "stretch-shear triangle strain";
    const TETRAHEDRON: &'static str = "stretch-shear tetrahedron strain";
}

/// How stretch rows resist by their tension: an entry of Green's strain in every direction alike, 2 σ I; a length only
/// across its column, σ/|f| (I − f fᵀ/|f|²). Compression resists nothing.
#[inline(always)]
pub(super) fn stretch_tension<F: Form, T: Real, const D: usize>(f: &[V3<T>; D], stress: &[T]) -> Tension<T, D> {
    let mut out = Tension::none(f[0].x);
    for i in 0..D {
        let pull = T::max(stress[i], stress[i].lit(0.0));
        if F::IMPROVED_STRETCH {
            let length2 = T::max(f[i].norm2(), pull.lit(COLLAPSED * COLLAPSED));
            out.metric[i][i] = pull / length2.sqrt();
            out.along[i] = out.metric[i][i] / length2;
        } else {
            out.metric[i][i] = pull * pull.lit(2.0);
        }
    }
    out
}

/// Adds how the product of columns i and j resists: the positive part of σ f_i·f_j, which is half of it.
#[inline(always)]
pub(super) fn shear_tension<T: Real, const D: usize>(i: usize, j: usize, stress: T, out: &mut Tension<T, D>) {
    let half = stress * stress.lit(0.5);
    out.metric[i][i] = out.metric[i][i] + half.abs();
    out.metric[j][j] = out.metric[j][j] + half.abs();
    out.metric[i][j] = out.metric[i][j] + half;
    out.metric[j][i] = out.metric[j][i] + half;
}

/// Below this length (rest is 1) a column has no direction that could be trusted.
const COLLAPSED: f64 = 1e-6;

/// Column i has length `s`: SBD Eq. 14 or 9. A collapsed column is pushed out along world axis i, so that a
/// collapsed element regains all its dimensions.
#[inline(always)]
pub(super) fn stretch<F: Form, T: Real, S: Rows<T, D>, const D: usize>(
    index: usize,
    i: usize,
    s: T,
    f: &mut [V3<T>; D],
    consumer: &mut S,
) {
    if !consumer.wants(index) {
        return;
    }
    let length2 = f[i].norm2();
    let length = length2.sqrt();
    let collapsed = length2.lt(s.lit(COLLAPSED * COLLAPSED));
    // One component is enough: the others of a collapsed column are as good as zero.
    let mut along = f[i];
    let component = [&mut along.x, &mut along.y, &mut along.z];
    if F::IMPROVED_STRETCH {
        *component[i] = T::select(collapsed, s.lit(1.0), *component[i]);
        let over = T::select(collapsed, s.lit(1.0), length);
        let gram = [[T::select(collapsed, s.lit(1.0), length2)]];
        let value = length - s;
        consumer.row(index, f, Row { value, along: [(i, along)], gram, over, push: value * over });
    } else {
        // The zero lies |length − s| away, a straight step goes (length + s)/(2 length) times as far: too far
        // without bound as the column collapses. Held to twice the distance.
        *component[i] = T::select(collapsed, s.lit(COLLAPSED), *component[i]);
        let held = T::select(collapsed, s.lit(COLLAPSED), length);
        let value = length * length - s * s;
        let over = s.lit(0.5);
        let most = held * (length - s) * s.lit(2.0);
        let push = T::select(most.abs().lt((value * over).abs()), most, value * over);
        consumer.row(index, f, Row { value, along: [(i, along)], gram: [[held * held]], over, push });
    }
}

/// Columns i and j are perpendicular: SBD Eq. 15 (with the gradient of Eq. 36) or 10.
///
/// With the cosine c = f_i·f_j/(|f_i||f_j|) the straight step of Eq. 15 turns the axes by c/√(1−c²), which has no
/// bound as they become parallel and makes common scenes diverge. The turn needed is asin c; stepping by c never
/// overshoots, loses nothing at small shear, and still parts nearly parallel axes.
#[inline(always)]
pub(super) fn shear<F: Form, T: Real, S: Rows<T, D>, const D: usize>(
    index: usize,
    i: usize,
    j: usize,
    f: &mut [V3<T>; D],
    consumer: &mut S,
) {
    if !consumer.wants(index) {
        return;
    }
    let (fi, fj) = (f[i], f[j]);
    let dot = fi.dot(fj);
    let (li2, lj2) = (fi.norm2(), fj.norm2());
    if F::IMPROVED_SHEAR {
        let one = dot.lit(1.0);
        let area2 = li2 * lj2;
        let sound = dot.lit(COLLAPSED * COLLAPSED).lt(T::min(li2, lj2));
        let area2 = T::select(sound, area2, one);
        let dot = T::select(sound, dot, dot.lit(0.0));
        let inverse = one / area2;
        let gi = fj - fi * (dot * lj2 * inverse);
        let gj = fi - fj * (dot * li2 * inverse);
        let over = area2.sqrt();
        let sine2 = T::max(one - dot * dot * inverse, dot.lit(0.0));
        let across = -(dot * sine2);
        let mut row = Row {
            value: dot / over,
            along: [(i, gi), (j, gj)],
            gram: [[lj2 * sine2, across], [across, li2 * sine2]],
            over,
            push: dot * sine2.sqrt(),
        };
        let parallel = sine2.lt(dot.lit(PARALLEL));
        if T::any(parallel) {
            part(&mut row, parallel, fi);
        }
        consumer.row(index, f, row);
    } else {
        let (along, gram) = ([(i, fj), (j, fi)], [[lj2, dot], [dot, li2]]);
        consumer.row(index, f, Row { value: dot, along, gram, over: dot.lit(1.0), push: dot });
    }
}

/// Parallel axes have no direction in which to part, and would stay so for ever: they get one, across a direction
/// that no mesh is aligned with.
#[inline(always)]
fn part<T: Real>(row: &mut Row<T, 2>, parallel: T::Mask, axis: V3<T>) {
    let aside = axis.cross(V3::lit(axis.x, [0.36, 0.48, 0.8]));
    let size = aside.norm2();
    row.along[0].1 = V3::select(parallel, aside, row.along[0].1);
    row.along[1].1 = V3::select(parallel, -aside, row.along[1].1);
    for i in 0..2 {
        for j in 0..2 {
            row.gram[i][j] = T::select(parallel, if i == j { size } else { -size }, row.gram[i][j]);
        }
    }
    row.push = T::select(parallel, size * size.lit(0.5), row.push);
}

/// sin² of the angle below which axes count as parallel.
const PARALLEL: f64 = 1e-12;

/// The area of two columns is `target`: |f_0 × f_1| − s_0 s_1 (SBD Eq. 19, on the area itself: ERRATA to Eq. 54).
#[inline(always)]
pub(super) fn area<T: Real, S: Rows<T, 2>>(index: usize, target: T, f: &mut [V3<T>; 2], consumer: &mut S) {
    if !consumer.wants(index) {
        return;
    }
    let normal = f[0].cross(f[1]);
    let size = normal.norm2().sqrt();
    let value = size - target;
    // A square grows with the square of its side, so a straight step from a small one overshoots: held back below
    // a third of the target.
    let relax = T::min(size * size.lit(4.0) / (size + target), size.lit(1.0));
    let collapsed = size.lt(size.lit(COLLAPSED * COLLAPSED));
    let over = T::select(collapsed, size.lit(1.0), size);
    let along = [(0, f[1].cross(normal)), (1, normal.cross(f[0]))];
    consumer.row(index, f, Row { value, along, gram: gram(&along), over, push: value * size * relax });
}

/// The signed volume of three columns is `target`: det F − s_0 s_1 s_2 (SBD Eq. 18). Turns inverted elements back.
#[inline(always)]
pub(super) fn volume<T: Real, S: Rows<T, 3>>(index: usize, target: T, f: &mut [V3<T>; 3], consumer: &mut S) {
    if !consumer.wants(index) {
        return;
    }
    let (g0, g1, g2) = (f[1].cross(f[2]), f[2].cross(f[0]), f[0].cross(f[1]));
    let value = f[0].dot(g0) - target;
    // A straight step moves the columns by about |C|/|g|, without bound for a flat element. Held to about the columns'
    // own size, or to 1 if they are shorter.
    let along = [(0, g0), (1, g1), (2, g2)];
    let gram = gram(&along);
    let steep = gram[0][0] + gram[1][1] + gram[2][2];
    let calm = steep + value * value * value.lit(0.25) / T::max(steep.sqrt(), value.lit(1.0));
    let relax = T::select(calm.lit(0.0).lt(calm), steep / calm, calm.lit(0.0));
    consumer.row(index, f, Row { value, along, gram, over: value.lit(1.0), push: value * relax });
}
