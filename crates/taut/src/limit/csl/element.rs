//! The element problem of CSL, over any number type.

use crate::lanes::{Real, V3};

/// F = R U: where the material's axes point, and the stretch that remains.
#[derive(Clone, Copy, Debug)]
pub struct Polar<T> {
    /// The columns of R (3×2): orthonormal images of weft and warp.
    pub r: [V3<T>; 2],
    /// U: weft, warp, off-diagonal. The corotated strain is U − 1.
    pub u: [T; 3],
    /// 1 where the element has collapsed to a line or a point, else 0. R is then one of many.
    pub collapsed: T,
}

/// Below this squared length (rest is 1) columns are a point.
const POINT: f64 = 1e-12;
/// Below this squared ratio of area to squared length columns are a line.
const LINE: f64 = 1e-12;

/// The polar decomposition of the 3×2 matrix with columns `f`, in closed form.
///
/// With C = FᵀF and A = |f_0 × f_1| = det U, Cayley and Hamilton give U = (C + A 1)/tr U and tr U = √(tr C + 2A); and
/// F + cof F = R tr U, where the cofactors' columns are f_1 × n and n × f_0 with the unit normal n. Where a line has no
/// normal it gets one, where a point has no axes it gets the world's, so that the answer is always finite.
#[inline(always)]
pub fn polar<T: Real>(f: &[V3<T>; 2]) -> Polar<T> {
    let (aa, bb, ab) = (f[0].norm2(), f[1].norm2(), f[0].dot(f[1]));
    let (zero, one) = (aa.lit(0.0), aa.lit(1.0));
    let size = aa + bb;
    let cross = f[0].cross(f[1]);
    let area2 = cross.norm2();
    let area = area2.sqrt();
    let point = size.lt(size.lit(POINT));
    let line = area2.lt(size * size * size.lit(LINE));
    let collapsed = T::select(point, one, T::select(line, one, zero));
    let mut normal = cross * (one / T::select(line, one, area));
    let gone = zero.lt(collapsed);
    if T::any(gone) {
        normal = V3::select(gone, any_normal(f, aa, bb), normal);
    }
    let trace = (size + area * size.lit(2.0)).sqrt();
    let inverse = one / T::select(point, one, trace);
    let r = [(f[0] + f[1].cross(normal)) * inverse, (f[1] + normal.cross(f[0])) * inverse];
    let r = [
        V3::select(point, V3::lit(one, [1.0, 0.0, 0.0]), r[0]),
        V3::select(point, V3::lit(one, [0.0, 1.0, 0.0]), r[1]),
    ];
    Polar { r, u: [(aa + area) * inverse, (bb + area) * inverse, ab * inverse], collapsed }
}

/// A unit vector across the longer of two columns.
#[inline(always)]
fn any_normal<T: Real>(f: &[V3<T>; 2], aa: T, bb: T) -> V3<T> {
    let longer = V3::select(aa.lt(bb), f[1], f[0]);
    // Across the world axis that it leans to the least.
    let (x, y, z) = (longer.x.abs(), longer.y.abs(), longer.z.abs());
    let flat_x = V3::lit(aa, [1.0, 0.0, 0.0]);
    let other = V3::select(y.lt(z), V3::lit(aa, [0.0, 1.0, 0.0]), V3::lit(aa, [0.0, 0.0, 1.0]));
    let axis = V3::select(x.lt(T::min(y, z)), flat_x, other);
    let across = longer.cross(axis);
    let size = across.norm2();
    let usable = size.lit(0.0).lt(size);
    let unit = across * (size.lit(1.0) / T::select(usable, size, size.lit(1.0)).sqrt());
    V3::select(usable, unit, V3::lit(aa, [0.0, 0.0, 1.0]))
}

/// What an element wants: the change b of its strain, ε_lim − ε where a limit is exceeded and 0 elsewhere (CSL Eq. 9
/// with the sign of ERRATA). `bounds` are (least, most) of U's three entries.
#[inline(always)]
pub(super) fn wanted<T: Real>(u: &[T; 3], bounds: &[[T; 2]; 3]) -> [T; 3] {
    let mut b = *u;
    for i in 0..3 {
        let within = T::max(T::min(u[i], bounds[i][1]), bounds[i][0]);
        b[i] = within - u[i];
    }
    b
}

/// How far each component may change: (least, most) of the change.
#[inline(always)]
pub(super) fn room<T: Real>(u: &[T; 3], bounds: &[[T; 2]; 3]) -> [[T; 2]; 3] {
    let mut out = *bounds;
    for i in 0..3 {
        out[i] = [bounds[i][0] - u[i], bounds[i][1] - u[i]];
    }
    out
}

/// How a change of strain is turned into motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CslForm {
    /// The strain after the motion, measured anew, is on the limits: F' = R Θ (U + b) with the in-plane rotation Θ that
    /// keeps angular momentum. Agrees with the paper's to first order in b.
    #[default]
    Finite,
    /// The paper's linear system B Δt v = b with rows for momentum (CSL Eqs. 8, 10, 11): on the limits as long as R is
    /// not measured anew.
    Linear,
}

/// What happens to components of strain that are within their limits while others are corrected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CslIdle {
    /// They change as they like: the correction is the smallest motion, in kinetic energy, that puts the others on
    /// their limits. It takes energy out, never in.
    #[default]
    Free,
    /// They stay as they are (CSL Eq. 9). The motion is larger than it need be, and not along the shortest way: behind
    /// a simulator with little damping of its own, cloth so limited does not come to rest.
    Kept,
}

/// How an element moves towards its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CslMotion {
    /// How a change of strain is turned into motion.
    pub form: CslForm,
    /// What happens to components within their limits.
    pub idle: CslIdle,
}

impl CslMotion {
    /// The paper's: linear, and components within their limits kept.
    pub const PAPER: CslMotion = CslMotion { form: CslForm::Linear, idle: CslIdle::Kept };
}

/// The displacements (m) of an element's three vertices that change its strain by `b` and keep its linear and angular
/// momentum: CSL Eqs. 8, 10, 11, in closed form. (With [`CslIdle::Free`], first see [`least`].)
///
/// The strain rows say that the displacement gradient in the plane is G = b + ω J, J the quarter turn: a displacement
/// of the material point at d from the centre of mass of G d, plus a translation, which linear momentum makes zero.
/// Angular momentum leaves one equation for ω: with S = Σ m d dᵀ and l = U d, it is tr(S U J G) = 0, so **ω = tr(S U J
/// b)/tr(S U)**. S is positive definite and U semi-definite, so the divisor vanishes for a point only: the 6×6 system
/// always has this one solution, and no split into blocks is needed whose conditioning would depend on the mesh (ERRATA
/// to Appendix A). S ∝ Σ w_k e_k e_kᵀ over the edges e_k opposite to vertices with inverse masses w_k, which stays true
/// when one vertex is fixed (w = 0). With two fixed see [`swing`], which also looks at how far each component may
/// change, `room` = (least − ε, most − ε); with three nothing moves.
#[inline(always)]
pub(super) fn correction<T: Real>(
    motion: CslMotion,
    polar: &Polar<T>,
    q: &[[T; 2]; 2],
    gradients: &[[T; 2]; 3],
    w: &[T; 3],
    b: &[T; 3],
    room: &[[T; 2]; 3],
) -> [V3<T>; 3] {
    let (zero, one) = (b[0].lit(0.0), b[0].lit(1.0));
    let w = &relative(w);
    let s = second_moment(q, w);
    let change = if motion.idle == CslIdle::Free { least(&polar.u, &s, b, room) } else { *b };
    let x = in_plane(motion.form, &polar.u, &s, &change);
    // The change of F, of the edges, and of the vertices about the centre of mass.
    let df = [
        polar.r[0] * x[0][0] + polar.r[1] * x[1][0], //
        polar.r[0] * x[0][1] + polar.r[1] * x[1][1],
    ];
    let de = [df[0] * q[0][0] + df[1] * q[0][1], df[0] * q[1][0] + df[1] * q[1][1]];
    let pairs = [w[1] * w[2], w[0] * w[2], w[0] * w[1]];
    let all = pairs[0] + pairs[1] + pairs[2];
    let two_free = zero.lt(all);
    let per = one / T::select(two_free, all, one);
    let base = -(de[0] * (pairs[1] * per) + de[1] * (pairs[2] * per));
    let none = V3::new(zero, zero, zero);
    let mut out = [base, de[0] + base, de[1] + base];
    for k in 0..3 {
        out[k] = V3::select(two_free, out[k], none);
    }
    let one_free = T::select(two_free, zero, w[0] + w[1] + w[2]);
    if T::any(zero.lt(one_free)) {
        let alone = zero.lt(one_free);
        for k in 0..3 {
            let mine = T::select(alone, w[k], zero);
            if T::any(zero.lt(mine)) {
                out[k] = V3::select(zero.lt(mine), swing(polar, &gradients[k], b, room), out[k]);
            }
        }
    }
    for k in 0..3 {
        // Exactly: a fixed vertex must not move by a rounding error.
        out[k] = V3::select(zero.lt(w[k]), out[k], none);
    }
    out
}

/// Inverse masses over the largest: only ratios matter, and products of very small or large ones would leave `f32`.
#[inline(always)]
fn relative<T: Real>(w: &[T; 3]) -> [T; 3] {
    let most = T::max(T::max(w[0], w[1]), w[2]);
    let some = most.lit(0.0).lt(most);
    let per = most.lit(1.0) / T::select(some, most, most.lit(1.0));
    [w[0] * per, w[1] * per, w[2] * per]
}

/// S of [`correction`] up to a factor: xx, yy, xy.
#[inline(always)]
fn second_moment<T: Real>(q: &[[T; 2]; 2], w: &[T; 3]) -> [T; 3] {
    let across = [q[1][0] - q[0][0], q[1][1] - q[0][1]];
    let edges = [(w[0], across), (w[1], q[1]), (w[2], q[0])];
    let mut s = [w[0].lit(0.0); 3];
    for (w, e) in edges {
        s[0] = s[0] + w * e[0] * e[0];
        s[1] = s[1] + w * e[1] * e[1];
        s[2] = s[2] + w * e[0] * e[1];
    }
    s
}

/// The change of strain e with e_i = b_i where b_i is not 0, and otherwise such that the motion is least.
///
/// A change e moves the point at d by G d with G = e + ω(e) J, linear in e, which has the kinetic energy tr(G S Gᵀ) =
/// eᵀ H e up to a factor. Free components make that stationary, (H e)_i = 0: three equations with the others, by
/// Cramer's rule. They go only that part of the way on which none of them leaves its limits or changes more than what
/// is corrected, which a sliver's would do without bound. The energy falls all along that way, so that part of it is
/// still better than none.
#[inline(always)]
fn least<T: Real>(u: &[T; 3], s: &[T; 3], b: &[T; 3], room: &[[T; 2]; 3]) -> [T; 3] {
    let (zero, one) = (b[0].lit(0.0), b[0].lit(1.0));
    let mut g = [[[zero; 2]; 2]; 3];
    for i in 0..3 {
        let mut unit = [zero; 3];
        unit[i] = one;
        g[i] = in_plane(CslForm::Linear, u, s, &unit);
    }
    // Rows of G S, then products with rows of the other G.
    let size = s[0] + s[1];
    let some = zero.lt(size);
    let per = one / T::select(some, size, one);
    let mut h = [[zero; 3]; 3];
    for i in 0..3 {
        let mut gs = g[i];
        for r in 0..2 {
            gs[r] = [(g[i][r][0] * s[0] + g[i][r][1] * s[2]) * per, (g[i][r][0] * s[2] + g[i][r][1] * s[1]) * per];
        }
        for j in 0..3 {
            h[i][j] = gs[0][0] * g[j][0][0] + gs[0][1] * g[j][0][1] + gs[1][0] * g[j][1][0] + gs[1][1] * g[j][1][1];
        }
    }
    for i in 0..3 {
        let active = zero.lt(b[i].abs());
        for j in 0..3 {
            h[i][j] = T::select(active, if i == j { one } else { zero }, h[i][j]);
        }
    }
    let det = h[0][0] * cofactor(&h, 0, 0) + h[0][1] * cofactor(&h, 0, 1) + h[0][2] * cofactor(&h, 0, 2);
    let sound = zero.lit(SINGULAR).lt(det);
    let per = one / T::select(sound, det, one);
    let most = T::max(T::max(b[0].abs(), b[1].abs()), b[2].abs());
    let (mut e, mut part) = (*b, one);
    for j in 0..3 {
        // The right-hand side is b: rows that are free have b = 0.
        let sum = cofactor(&h, 0, j) * b[0] + cofactor(&h, 1, j) * b[1] + cofactor(&h, 2, j) * b[2];
        let active = zero.lt(b[j].abs());
        e[j] = T::select(active, zero, T::select(sound, sum * per, zero));
        let free = T::min(T::select(e[j].lt(zero), -room[j][0], room[j][1]), most);
        // A component that is beyond its limits has no room, and needs none: its e is 0 here.
        let free = T::select(active, most, T::max(free, zero));
        let beyond = free.lt(e[j].abs());
        part = T::select(beyond, T::min(part, free / T::select(beyond, e[j].abs(), one)), part);
    }
    for j in 0..3 {
        e[j] = T::select(zero.lt(b[j].abs()), b[j], e[j] * part);
    }
    e
}

/// The cofactor of an entry of a 3×3 matrix.
#[inline(always)]
fn cofactor<T: Real>(h: &[[T; 3]; 3], row: usize, column: usize) -> T {
    let (r0, r1, c0, c1) = ((row + 1) % 3, (row + 2) % 3, (column + 1) % 3, (column + 2) % 3);
    h[r0][c0] * h[r1][c1] - h[r0][c1] * h[r1][c0]
}

/// Determinants of H (of size 1) below this are rounding errors in `f32`: slivers, whose free components stay as they
/// are.
const SINGULAR: f64 = 1e-6;

/// The change of R ᵀF, row by row.
#[inline(always)]
fn in_plane<T: Real>(form: CslForm, u: &[T; 3], s: &[T; 3], b: &[T; 3]) -> [[T; 2]; 2] {
    let (zero, one) = (b[0].lit(0.0), b[0].lit(1.0));
    // P = S U.
    let p = [
        [s[0] * u[0] + s[2] * u[2], s[0] * u[2] + s[2] * u[1]],
        [s[2] * u[0] + s[1] * u[2], s[2] * u[2] + s[1] * u[1]],
    ];
    // tr(P J a) for a symmetric a = (xx, yy, xy). For a = b and for a = U + b it is the same, since U J U = det U J and
    // tr(S J) = 0; b has the smaller rounding errors.
    let turn = p[0][1] * b[0] - p[1][0] * b[1] + (p[1][1] - p[0][0]) * b[2];
    match form {
        CslForm::Linear => {
            let hold = p[0][0] + p[1][1];
            let some = zero.lt(hold);
            let omega = T::select(some, turn / T::select(some, hold, one), zero);
            [[b[0], b[2] - omega], [b[2] + omega, b[1]]]
        }
        CslForm::Finite => {
            let to = [u[0] + b[0], u[1] + b[1], u[2] + b[2]];
            let hold = p[0][0] * to[0] + p[1][1] * to[1] + (p[0][1] + p[1][0]) * to[2];
            let norm2 = turn * turn + hold * hold;
            let some = zero.lt(norm2);
            let per = one / T::select(some, norm2, one).sqrt();
            let (cos, sin) = (T::select(some, hold * per, one), T::select(some, turn * per, zero));
            [
                [cos * to[0] - sin * to[2] - u[0], cos * to[2] - sin * to[1] - u[2]],
                [sin * to[0] + cos * to[2] - u[2], sin * to[2] + cos * to[1] - u[1]],
            ]
        }
    }
}

/// How little a component that is within its limits counts in the second guess of [`swing`].
const IDLE: f64 = 1.0 / 64.0;

/// The motion of the only free vertex, whose shape function has the gradient `n` (1/m): least squares over the three
/// components (CSL Appendix A, in closed form).
///
/// The rows are the derivatives of U itself: with ω = (n × u)/tr U, dU = u nᵀ − ω J U. If components within their
/// limits count like the others, with b = 0, then |B u − b|² bounds the violation after the step from above and touches
/// it before: no step makes it worse. But steps are short where such a component could well give way. So it is tried
/// with those counting little, and again with those that this drives out put on their bounds, and the best of the three
/// is taken. The second guess alone meets limits soonest where they can be met, and goes in circles where not.
#[inline(always)]
fn swing<T: Real>(polar: &Polar<T>, n: &[T; 2], b: &[T; 3], room: &[[T; 2]; 3]) -> V3<T> {
    let (zero, one) = (b[0].lit(0.0), b[0].lit(1.0));
    let length2 = n[0] * n[0] + n[1] * n[1];
    let usable = zero.lt(length2);
    let per = one / T::select(usable, length2, one).sqrt();
    let rows = swing_rows(&polar.u, n[0] * per, n[1] * per);
    let (mut weight, mut target) = ([one; 3], *b);
    let mut u = least_squares(&rows, &target, &weight);
    let mut left = left_over(&rows, &u, room);
    for i in 0..3 {
        weight[i] = T::select(zero.lt(b[i].abs()), one, one.lit(IDLE));
    }
    for _ in 0..2 {
        let guess = least_squares(&rows, &target, &weight);
        let there = left_over(&rows, &guess, room);
        let mut total = zero;
        for i in 0..3 {
            total = total + there[i] * there[i];
        }
        let better = total.lt(left[0] * left[0] + left[1] * left[1] + left[2] * left[2]);
        for i in 0..3 {
            left[i] = T::select(better, there[i], left[i]);
            // Driven out: on its bound, which is where what it does less what is too much of it lies.
            let out = zero.lt(there[i].abs());
            let bound = rows[i][0] * guess[0] + rows[i][1] * guess[1] - there[i];
            weight[i] = T::select(out, one, weight[i]);
            target[i] = T::select(out, bound, target[i]);
        }
        u = [T::select(better, guess[0], u[0]), T::select(better, guess[1], u[1])];
    }
    (polar.r[0] * u[0] + polar.r[1] * u[1]) * T::select(usable, per, zero)
}

/// dU for a unit motion along weft and along warp, of a vertex with the unit gradient (nx, ny).
#[inline(always)]
fn swing_rows<T: Real>(u: &[T; 3], nx: T, ny: T) -> [[T; 2]; 3] {
    let [uxx, uyy, uxy] = *u;
    let trace = uxx + uyy;
    let some = trace.lit(0.0).lt(trace);
    let inverse = trace.lit(1.0) / T::select(some, trace, trace.lit(1.0));
    let half = trace.lit(0.5);
    let (t, px, py) = (uxy * inverse, T::select(some, uxx * inverse, half), T::select(some, uyy * inverse, half));
    [[nx - ny * t, nx * t], [ny * t, ny - nx * t], [px * ny, py * nx]]
}

/// Three weighted equations for two unknowns: by Cauchy and Binet the solution is the mean of the three pairwise ones,
/// weighted by the weights and the squared determinants, in which nothing cancels.
#[inline(always)]
fn least_squares<T: Real>(rows: &[[T; 2]; 3], b: &[T; 3], weight: &[T; 3]) -> [T; 2] {
    let (zero, one) = (b[0].lit(0.0), b[0].lit(1.0));
    let (mut x, mut y, mut over) = (zero, zero, zero);
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let det = rows[i][0] * rows[j][1] - rows[i][1] * rows[j][0];
        let scale = weight[i] * weight[j] * det;
        over = over + scale * det;
        x = x + scale * (b[i] * rows[j][1] - b[j] * rows[i][1]);
        y = y + scale * (b[j] * rows[i][0] - b[i] * rows[j][0]);
    }
    let some = zero.lt(over);
    let per = T::select(some, one / T::select(some, over, one), zero);
    [x * per, y * per]
}

/// How far each component is beyond its limits after a motion.
#[inline(always)]
fn left_over<T: Real>(rows: &[[T; 2]; 3], u: &[T; 2], room: &[[T; 2]; 3]) -> [T; 3] {
    let mut out = [u[0]; 3];
    for i in 0..3 {
        let change = rows[i][0] * u[0] + rows[i][1] * u[1];
        out[i] = change - T::max(T::min(change, room[i][1]), room[i][0]);
    }
    out
}

/// The gradients of the shape functions at the three vertices, from Q⁻¹.
#[inline(always)]
pub(super) fn shape_gradients<T: Real>(inverse: &[[T; 2]; 2]) -> [[T; 2]; 3] {
    let [[a, b], [c, d]] = *inverse;
    [[-(a + b), -(c + d)], [a, c], [b, d]]
}

/// The displacements (m) that bring one triangle at `x` (m) to its limits, `bounds` being (least, most) of the entries
/// of U = 1 + strain (weft, warp, shear), `edges` the rest edges in the material frame (m) and `w` the inverse masses
/// (1/kg).
///
/// This is what [`Csl`](super::Csl) does to each element, for those who combine elements themselves.
pub fn element_correction<T: Real>(
    motion: CslMotion,
    x: &[V3<T>; 3],
    edges: &[[T; 2]; 2],
    w: &[T; 3],
    bounds: &[[T; 2]; 3],
) -> [V3<T>; 3] {
    let [[a, b], [c, d]] = *edges;
    let per = a.lit(1.0) / (a * d - b * c);
    let inverse = [[d * per, -(b * per)], [-(c * per), a * per]];
    let (e1, e2) = (x[1] - x[0], x[2] - x[0]);
    let f = [e1 * inverse[0][0] + e2 * inverse[0][1], e1 * inverse[1][0] + e2 * inverse[1][1]];
    let polar = polar(&f);
    let b = wanted(&polar.u, bounds);
    correction(motion, &polar, edges, &shape_gradients(&inverse), w, &b, &room(&polar.u, bounds))
}
