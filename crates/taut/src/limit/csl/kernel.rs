//! CSL in lanes: blocks of triangles, looked at, moved, or their motion noted.

use super::super::job::Sight;
use super::super::lanewise::{LaneSight, sound};
use super::super::sweeps::Mode;
use super::element::{CslForm, CslIdle, CslMotion, correction, polar, room, shape_gradients, wanted};
use crate::constraint::Block;
use crate::constraint::{edges, gather};
use crate::lanes::{BLOCK, Kernel, Lanes, Place, Real, Scalar, Shared, V3, Vertex};

/// Rest numbers of a triangle: its two edges in the material frame (m), 1/det, and (least, most) of U's three entries.
pub(super) const REST: usize = 11;

/// One sweep over blocks of one colour.
pub struct CslSweep<'a, T> {
    pub(super) blocks: &'a [Block<T, 3, REST, 0>],
    /// The number of the first block among all.
    pub(super) first: usize,
    pub(super) mode: Mode,
    /// Elements move by so many times what would bring them to their limits.
    pub(super) further: T,
    pub(super) motion: CslMotion,
    pub(super) p: Shared<'a, Vertex<T>>,
    /// Where motions are noted: three for each lane.
    pub(super) notes: Shared<'a, Vertex<T>>,
    pub(super) sight: &'a mut Sight,
}

/// A triangle's rest shape: edges and Q⁻¹.
#[inline(always)]
fn shape<T: Scalar, L: Lanes<T>>(
    token: L::Token,
    rest: &[[T; BLOCK]; REST],
    lane: usize,
) -> ([[L; 2]; 2], [[L; 2]; 2]) {
    let mut numbers = [L::load(token, &rest[0][lane..]); 5];
    for i in 1..5 {
        numbers[i] = L::load(token, &rest[i][lane..]);
    }
    let [a, b, c, d, per] = numbers;
    ([[a, b], [c, d]], [[d * per, -(b * per)], [-(c * per), a * per]])
}

#[inline(always)]
fn columns<L: Real>(e: &[V3<L>; 2], inverse: &[[L; 2]; 2]) -> [V3<L>; 2] {
    [e[0] * inverse[0][0] + e[1] * inverse[0][1], e[0] * inverse[1][0] + e[1] * inverse[1][1]]
}

/// (least, most) of U's entries.
#[inline(always)]
fn bounds<T: Scalar, L: Lanes<T>>(token: L::Token, rest: &[[T; BLOCK]; REST], lane: usize) -> [[L; 2]; 3] {
    let mut out = [[L::load(token, &rest[5][lane..]); 2]; 3];
    for i in 0..3 {
        out[i] = [L::load(token, &rest[5 + 2 * i][lane..]), L::load(token, &rest[6 + 2 * i][lane..])];
    }
    out
}

/// Takes out what cannot be computed with or moved, and counts it. What is left of b, and 1 where there is something.
#[inline(always)]
fn sift<L: Real>(b: &mut [L; 3], f: &[V3<L>; 2], w: &[L; 3], collapsed: L, seen: &mut LaneSight<L, 3>) -> L {
    let (zero, one) = (b[0].lit(0.0), b[0].lit(1.0));
    let sound = sound(f);
    let movable = L::select(zero.lt(w[0] + w[1] + w[2]), one, zero);
    let usable = zero.lt(sound * movable);
    let mut any = zero;
    for i in 0..3 {
        b[i] = L::select(usable, b[i], zero);
        seen.worst[i] = L::max(seen.worst[i], b[i].abs());
        any = any + b[i].abs();
    }
    seen.counts[0] = seen.counts[0] + (one - sound);
    seen.counts[1] = seen.counts[1] + sound * (one - movable);
    seen.counts[2] = seen.counts[2] + L::select(usable, collapsed, zero);
    any
}

impl<T: Scalar> Kernel<T> for CslSweep<'_, T> {
    #[inline(always)]
    fn run<L: Lanes<T>>(self, token: L::Token) {
        let zero = L::load(token, &[T::of(0.0); BLOCK]);
        let none = V3::new(zero, zero, zero);
        let (one, further) = (zero.lit(1.0), zero.lit(self.further.f64()));
        let mut seen = LaneSight::<L, 3>::new(zero);
        for (number, block) in self.blocks.iter().enumerate() {
            let mut lane = 0;
            while lane < BLOCK {
                // SAFETY: `Csl` packs places below the number of vertices; the vertices of one colour are this
                // thread's own until the workers meet.
                let mut p = unsafe { gather::<T, L, 3>(token, self.p, &block.places, lane) };
                let (q, inverse) = shape::<T, L>(token, &block.rest, lane);
                let f = columns(&edges(&p), &inverse);
                let w = [p[0][3], p[1][3], p[2][3]];
                let polar = polar(&f);
                let bounds = bounds::<T, L>(token, &block.rest, lane);
                let mut b = wanted(&polar.u, &bounds);
                let any = sift(&mut b, &f, &w, polar.collapsed, &mut seen);
                let moving = self.mode != Mode::Look && L::any(zero.lt(any));
                if moving || self.mode == Mode::Note {
                    let room = room(&polar.u, &bounds);
                    let mut motion = correction(self.motion, &polar, &q, &shape_gradients(&inverse), &w, &b, &room);
                    for k in 0..3 {
                        motion[k] = V3::select(zero.lt(any), motion[k], none);
                    }
                    if self.mode == Mode::Note {
                        note::<T, L>(&motion, self.notes, ((self.first + number) * BLOCK + lane) * 3);
                    } else {
                        // A lone free vertex goes where its rows, which it cannot all meet, are the least exceeded: no further.
                        let further = L::select(zero.lt(w[0] * w[1] + w[0] * w[2] + w[1] * w[2]), further, one);
                        for k in 0..3 {
                            p[k][0] = p[k][0] + motion[k].x * further;
                            p[k][1] = p[k][1] + motion[k].y * further;
                            p[k][2] = p[k][2] + motion[k].z * further;
                            // SAFETY: as above.
                            unsafe { L::scatter(p[k], self.p, &block.places[k][lane..]) };
                        }
                    }
                }
                lane += L::N;
            }
        }
        seen.fold::<T>(self.sight);
    }
}

/// Notes the motions of lanes' vertices, three in a row for each lane, from number `first`.
#[inline(always)]
fn note<T: Scalar, L: Lanes<T>>(motion: &[V3<L>; 3], notes: Shared<'_, Vertex<T>>, first: usize) {
    let mut lanes = [[T::of(0.0); BLOCK]; 3];
    for k in 0..3 {
        motion[k].x.store(&mut lanes[0]);
        motion[k].y.store(&mut lanes[1]);
        motion[k].z.store(&mut lanes[2]);
        for i in 0..L::N {
            let place = Place::new::<Vertex<T>>((first + 3 * i + k) as u32);
            // SAFETY: `Csl` asks for three notes for each lane of each block; blocks are this thread's own.
            unsafe { notes.write(place, [lanes[0][i], lanes[1][i], lanes[2][i], T::of(0.0)]) };
        }
    }
}

/// One sweep over blocks of one colour that limits the rate of strain, ε̇ = sym(RᵀḞ) (CSL §4.1).
pub struct CslRate<'a, T> {
    pub(super) blocks: &'a [Block<T, 3, REST, 0>],
    pub(super) looking: bool,
    pub(super) idle: CslIdle,
    pub(super) x: Shared<'a, Vertex<T>>,
    /// Velocities, with the inverse mass as the fourth number.
    pub(super) v: Shared<'a, Vertex<T>>,
    pub(super) sight: &'a mut Sight,
}

impl<T: Scalar> Kernel<T> for CslRate<'_, T> {
    #[inline(always)]
    fn run<L: Lanes<T>>(self, token: L::Token) {
        let zero = L::load(token, &[T::of(0.0); BLOCK]);
        let none = V3::new(zero, zero, zero);
        let one = zero.lit(1.0);
        let mut seen = LaneSight::<L, 3>::new(zero);
        for block in self.blocks {
            let mut lane = 0;
            while lane < BLOCK {
                // SAFETY: as in `CslSweep`, for both arrays.
                let x = unsafe { gather::<T, L, 3>(token, self.x, &block.places, lane) };
                // SAFETY: as above.
                let mut v = unsafe { gather::<T, L, 3>(token, self.v, &block.places, lane) };
                let (q, inverse) = shape::<T, L>(token, &block.rest, lane);
                let f = columns(&edges(&x), &inverse);
                let rate = columns(&edges(&v), &inverse);
                let w = [v[0][3], v[1][3], v[2][3]];
                let mut polar = polar(&f);
                let shear = (polar.r[0].dot(rate[1]) + polar.r[1].dot(rate[0])) * zero.lit(0.5);
                let strain = [polar.r[0].dot(rate[0]), polar.r[1].dot(rate[1]), shear];
                // The bounds of stretch are of U, 1 more than those of strain.
                let mut limits = bounds::<T, L>(token, &block.rest, lane);
                for i in 0..2 {
                    limits[i] = [limits[i][0] - one, limits[i][1] - one];
                }
                let mut b = wanted(&strain, &limits);
                let together = [f[0] + rate[0] * zero, f[1] + rate[1] * zero];
                let any = sift(&mut b, &together, &w, polar.collapsed, &mut seen);
                if !self.looking && L::any(zero.lt(any)) {
                    let gradients = shape_gradients(&inverse);
                    let free = zero.lt(w[0] * w[1] + w[0] * w[2] + w[1] * w[2]);
                    // The rows of a lone free vertex are those of sym(RᵀḞ): the derivatives of U at U = 1.
                    for i in 0..3 {
                        polar.u[i] = L::select(free, polar.u[i], if i < 2 { one } else { zero });
                    }
                    let room = room(&strain, &limits);
                    let how = CslMotion { form: CslForm::Linear, idle: self.idle };
                    let kick = correction(how, &polar, &q, &gradients, &w, &b, &room);
                    for k in 0..3 {
                        let kick = V3::select(zero.lt(any), kick[k], none);
                        v[k][0] = v[k][0] + kick.x;
                        v[k][1] = v[k][1] + kick.y;
                        v[k][2] = v[k][2] + kick.z;
                        // SAFETY: as above.
                        unsafe { L::scatter(v[k], self.v, &block.places[k][lane..]) };
                    }
                }
                lane += L::N;
            }
        }
        seen.fold::<T>(self.sight);
    }
}
