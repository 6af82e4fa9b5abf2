//! Wind and drag on triangles.

use crate::constraint::{Lean, Lot, LotKernel, edges, point};
use crate::lanes::{Lanes, Real, Scalar, V3};

/// The air around the cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Air {
    /// Wind velocity, m/s.
    pub wind: [f64; 3],
    /// Density, kg/m³: 1.2 for air at sea level, 0 for none.
    pub density: f64,
    /// Drag coefficient across the cloth; a flat plate has about 1.2.
    pub across: f64,
    /// Drag coefficient along the cloth (skin friction), a few hundredths.
    pub along: f64,
}

impl Default for Air {
    fn default() -> Self {
        Air { wind: [0.0; 3], density: 0.0, across: 1.2, along: 0.03 }
    }
}

impl Air {
    /// Whether it does anything.
    pub fn acts(&self) -> bool {
        self.density > 0.0 && (self.across > 0.0 || self.along > 0.0)
    }
}

/// Lets the air push on velocities (array 1) of faces at positions (array 0, with inverse masses) for a time h.
///
/// With the air's velocity u relative to the triangle, split into u_n along the normal and u_t along the surface, the
/// force is `½ ρ A (c_n |u_n| u_n + c_t |u_t| u_t)`. It is taken implicitly in the triangle's mean velocity, so a
/// gale takes light cloth along and never beyond itself. Rest number of a face: how much of it the air sees.
#[derive(Clone, Copy, Debug)]
pub struct Blow {
    /// The air.
    pub air: Air,
    /// For how long, s.
    pub h: f64,
}

impl<T: Scalar> LotKernel<T, 3, 1, 0, 2> for Blow {
    type Compiled = Lean;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, 3, 1, 0, 2>) {
        let [cover] = lot.rest();
        let (x, mut v) = (lot.gather(0), lot.gather(1));
        self.blow(cover, &x, &mut v);
        lot.scatter(1, v);
    }
}

impl Blow {
    #[inline(always)]
    fn blow<L: Real>(&self, cover: L, x: &[[L; 4]; 3], v: &mut [[L; 4]; 3]) {
        let [a, b] = edges::<L, 3, 2>(x);
        let normal = a.cross(b);
        let twice_area = L::max(normal.norm2().sqrt(), cover.lit(1e-20));
        let n = normal * (cover.lit(1.0) / twice_area);
        let mean = (point(v[0]) + point(v[1]) + point(v[2])) * cover.lit(1.0 / 3.0);
        let u = V3::lit(cover, self.air.wind) - mean;
        let across = u.dot(n);
        let along = u - n * across;
        let mass = (x[0][3] + x[1][3] + x[2][3]) * cover.lit(1.0 / 9.0);
        let strength = twice_area * cover * cover.lit(0.25 * self.air.density * self.h);
        let push_n = implicit(strength * across.abs() * cover.lit(self.air.across), mass);
        let push_t = implicit(strength * along.norm2().sqrt() * cover.lit(self.air.along), mass);
        let impulse = n * (across * push_n) + along * push_t;
        for k in 0..3 {
            let p = point(v[k]) + impulse * (x[k][3] * cover.lit(1.0 / 3.0));
            (v[k][0], v[k][1], v[k][2]) = (p.x, p.y, p.z);
        }
    }
}

/// The impulse per relative velocity c, once the velocity that it changes is taken at the end: c/(1 + c w).
#[inline(always)]
fn implicit<L: Real>(c: L, w: L) -> L {
    c / (c.lit(1.0) + c * w)
}
