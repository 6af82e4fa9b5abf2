//! Elements: each kind written once, as a pure function from positions and rest data to row values and gradients.
//!
//! An element has D+1 vertices and sees them as D **columns**, vectors that translation leaves alone:
//! `f_i = Σ_k B_ik (x_k − x_0)`, k = 1…D. For a triangle or tetrahedron these are the columns of the deformation
//! gradient F, with B = (Q⁻¹)ᵀ; for an edge, the edge over its rest length; for a hinge, the edge vectors themselves.
//! A **row** is a scalar function C(f) with gradients ∂C/∂f_i. The gradient at vertex k is Σ_i B_ik ∂C/∂f_i, and at
//! vertex 0 minus the sum of the others.
//!
//! Working on columns is what makes one kernel serve all consumers cheaply. In projection, for instance, rows are
//! solved one after another *in column space* with the D×D metric `A_ij = Σ_k w_k B_ik B_jk` (all vertices), which
//! is the same as projecting vertex by vertex, at a fraction of the arithmetic; vertices move once at the end.

mod edge;
mod evaluate;
mod hinge;
mod patch;
#[cfg(test)]
mod sample;
mod strain;
mod tetrahedron;
mod triangle;

pub use edge::Edge;
pub(crate) use evaluate::RowValues;
#[cfg(feature = "global")]
pub(crate) use evaluate::{Collect, in_columns};
pub use evaluate::{Evaluated, evaluate};
pub use hinge::Hinge;
pub use patch::Patch;
#[cfg(test)]
pub use sample::SampleSpring;
pub use strain::{Form, Improved, Plain, StretchShear};
pub use tetrahedron::TetStrain;
pub use triangle::TriStrain;

use crate::lanes::{Real, V3};

/// A kind of element with V = D+1 vertices, D columns, P rest numbers and R rows.
pub trait Element<const V: usize, const D: usize, const P: usize, const R: usize>:
    Copy + Send + Sync + 'static
{
    /// What a person calls it.
    const NAME: &'static str;
    /// What each row is.
    const ROWS: [RowKind; R];
    /// Whether the columns are the edge vectors x_k − x_0 themselves (B = 1).
    const IDENTITY: bool = false;
    /// How many of the first rows may have a compliance that couples them.
    const COUPLED: usize = 1;
    /// Whether the builder ever gives such elements a stiffness or damping of projection: kernels that no element needs
    /// take a minute to compile.
    const PROJECTED: bool = true;
    /// Whether the builder ever gives such elements a physical stiffness.
    const ELASTIC: bool = true;

    /// Whether all its rows are bending: their curvature across a sheet is all that matters of them.
    const BENDING: bool = {
        let (mut all, mut r) = (true, 0);
        while r < R {
            all &= matches!(Self::ROWS[r].quantity, Quantity::Bending);
            r += 1;
        }
        all
    };

    /// The element's shape at rest, for what is laid over cloth and solids: limiters, coarse levels.
    fn shape(_rest: &[f64; P]) -> RestShape {
        RestShape::Other
    }

    /// B, row by row: `f_i = Σ_k B[i][k] (x_{k+1} − x_0)`. Not called if [`IDENTITY`](Self::IDENTITY).
    fn map<T: Real>(rest: &[T; P]) -> [[T; D]; D];

    /// Gives each row the consumer wants, in order. The consumer may change the columns between rows.
    fn rows<T: Real, S: Rows<T, D>>(rest: &[T; P], columns: &mut [V3<T>; D], consumer: &mut S);

    /// What of the rows' curvature resists motion, for `stress` (J) along each: a positive semi-definite part of
    /// Σ_r stress_r ∂²C_r/∂f². Nothing if a kind has none to offer; solvers then need more steps.
    #[inline(always)]
    fn tension<T: Real>(_rest: &[T; P], columns: &[V3<T>; D], _stress: &[T; R]) -> Tension<T, D> {
        Tension::none(columns[0].x)
    }

    /// The columns of an element whose edge vectors are `edges`.
    #[inline(always)]
    fn columns<T: Real>(rest: &[T; P], edges: &[V3<T>; D]) -> [V3<T>; D] {
        let mut columns = *edges;
        if !Self::IDENTITY {
            let b = Self::map(rest);
            for i in 0..D {
                columns[i] = edges[0] * b[i][0];
                for k in 1..D {
                    columns[i] = columns[i] + edges[k] * b[i][k];
                }
            }
        }
        columns
    }

    /// From column gradients to the gradients at vertices 1…D; vertex 0 has minus their sum.
    #[inline(always)]
    fn spread<T: Real>(rest: &[T; P], columns: &[V3<T>; D]) -> [V3<T>; D] {
        let mut out = *columns;
        if !Self::IDENTITY {
            let b = Self::map(rest);
            for k in 0..D {
                out[k] = columns[0] * b[0][k];
                for i in 1..D {
                    out[k] = out[k] + columns[i] * b[i][k];
                }
            }
        }
        out
    }

    /// The metric A of the columns under the inverse masses `w` of all vertices.
    #[inline(always)]
    fn metric<T: Real>(rest: &[T; P], w: &[T; V]) -> [[T; D]; D] {
        let mut a = [[w[0]; D]; D];
        if Self::IDENTITY {
            for i in 0..D {
                a[i][i] = w[0] + w[i + 1];
            }
            return a;
        }
        let b = Self::map(rest);
        let mut base = [w[0]; D];
        for i in 0..D {
            base[i] = b[i][0];
            for k in 1..D {
                base[i] = base[i] + b[i][k];
            }
        }
        for i in 0..D {
            let mut weighted = b[i];
            for k in 0..D {
                weighted[k] = w[k + 1] * b[i][k];
            }
            let weighted_base = w[0] * base[i];
            for j in i..D {
                a[i][j] = weighted_base * base[j];
                for k in 0..D {
                    a[i][j] = a[i][j] + weighted[k] * b[j][k];
                }
                a[j][i] = a[i][j];
            }
        }
        a
    }
}

/// How tension resists a change δf of columns: Σ_ij `metric`_ij δf_i·δf_j − Σ_i `along`_i (f_i·δf_i)².
#[derive(Clone, Copy, Debug)]
pub struct Tension<T, const D: usize> {
    /// Symmetric.
    pub metric: [[T; D]; D],
    /// What of it is not there along the columns themselves.
    pub along: [T; D],
}

impl<T: Real, const D: usize> Tension<T, D> {
    /// No resistance. `like` lends its instruction set.
    #[inline(always)]
    pub fn none(like: T) -> Self {
        let zero = like.lit(0.0);
        Tension { metric: [[zero; D]; D], along: [zero; D] }
    }
}

/// What a row is: nobody guesses it from numbers of vertices or constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowKind {
    /// What a person calls it.
    pub name: &'static str,
    /// What it measures.
    pub quantity: Quantity,
    /// How much its value changes with what it measures, at rest (per unit of strain, or per radian): 1 for most, 2 for
    /// an entry of Green's strain, f·f − s². With a compliance c over a size A (m², m³) the modulus is scale²/(c A).
    pub scale: f64,
}

/// What a row measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The length of an edge over that at rest − 1.
    Length,
    /// Stretch along an axis of the material, 0 being the weft of cloth and 1 its warp.
    Stretch(usize),
    /// The angle between two axes of the material.
    Shear(usize, usize),
    /// Area over that at rest − 1.
    Area,
    /// Volume over that at rest − 1.
    Volume,
    /// An angle between two triangles.
    Bending,
}

impl Quantity {
    /// Whether a row that measures it may depend on column `i` of its element.
    #[inline(always)]
    pub(crate) const fn depends_on(self, i: usize) -> bool {
        match self {
            Quantity::Length => i == 0,
            Quantity::Stretch(axis) => i == axis,
            Quantity::Shear(a, b) => i == a || i == b,
            _ => true,
        }
    }

    /// Its unit; `"1"` for strains.
    pub const fn unit(self) -> &'static str {
        match self {
            Quantity::Bending => "rad",
            _ => "1",
        }
    }
}

impl RowKind {
    /// A row whose value is what it measures.
    pub const fn new(name: &'static str, quantity: Quantity) -> Self {
        RowKind { name, quantity, scale: 1.0 }
    }

    /// A stretch along axis `axis`.
    const fn stretch<F: Form>(name: &'static str, axis: usize) -> Self {
        RowKind { name, quantity: Quantity::Stretch(axis), scale: if F::IMPROVED_STRETCH { 1.0 } else { 2.0 } }
    }
}

/// An element's shape at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RestShape {
    /// None that carries stretch.
    Other,
    /// An edge of this length, m.
    Edge(f64),
    /// A triangle: x1 − x0 and x2 − x0 in weft and warp, at the lengths that count as unstretched, m.
    Triangle([[f64; 2]; 2]),
    /// A tetrahedron.
    Tetrahedron {
        /// m³.
        volume: f64,
        /// Whether it is at rest at the size of the mesh.
        as_built: bool,
    },
}

/// One row of an element, with gradients at N of its columns.
#[derive(Clone, Copy, Debug)]
pub struct Row<T, const N: usize> {
    /// C, what should be zero.
    pub value: T,
    /// The columns that C depends on, and a direction for each: ∂C/∂f = direction / `over`.
    pub along: [(usize, V3<T>); N],
    /// The directions' scalar products. Apart, because most rows know them more cheaply than by computing them.
    pub gram: [[T; N]; N],
    /// What the directions must be divided by to be gradients. Apart, because projection can do without the division.
    pub over: T,
    /// C · `over`, held back where a straight step would overshoot without bound: a projection moves by
    /// `push / Σ A_ij gram_ij` times the directions.
    pub push: T,
}

/// The scalar products of directions that have no shortcut.
#[inline(always)]
fn gram<T: Real, const N: usize>(along: &[(usize, V3<T>); N]) -> [[T; N]; N] {
    let mut out = [[along[0].1.x; N]; N];
    for i in 0..N {
        for j in i..N {
            out[i][j] = along[i].1.dot(along[j].1);
            out[j][i] = out[i][j];
        }
    }
    out
}

/// What is done with rows.
pub trait Rows<T: Real, const D: usize> {
    /// Whether row `index` is to be computed at all.
    fn wants(&self, index: usize) -> bool;
    /// How strongly this element's row `index` is held; 1 where the consumer has no notion of that.
    #[inline(always)]
    fn strength(&self, _index: usize, like: T) -> T {
        like.lit(1.0)
    }
    /// Takes row `index`, computed at `columns`.
    fn row<const N: usize>(&mut self, index: usize, columns: &mut [V3<T>; D], row: Row<T, N>);
}

/// The one list of element kinds: `field: Type [vertices, columns, rest numbers, rows]`, in the order of a sweep.
macro_rules! element_kinds {
    ($callback:ident) => {
        $callback! {
            edges: $crate::element::Edge [2, 1, 2, 1],
            triangles: $crate::element::TriStrain<$crate::element::Improved> [3, 2, 6, 4],
            plain_triangles: $crate::element::TriStrain<$crate::element::Plain> [3, 2, 6, 4],
            stretch_shear_triangles: $crate::element::TriStrain<$crate::element::StretchShear> [3, 2, 6, 4],
            tetrahedra: $crate::element::TetStrain<$crate::element::Improved> [4, 3, 12, 7],
            plain_tetrahedra: $crate::element::TetStrain<$crate::element::Plain> [4, 3, 12, 7],
            hinges: $crate::element::Hinge [4, 3, 1, 1],
            patches: $crate::element::Patch [6, 5, 3, 3],
            #[cfg(test)] samples: $crate::element::SampleSpring [2, 1, 1, 1],
        }
    };
}
pub(crate) use element_kinds;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Dual;

    /// What rows say of their scale is how their values change with strain, at rest: `corners` is the shape at rest, of
    /// `rest`.
    fn check<E, const V: usize, const D: usize, const P: usize, const R: usize>(corners: [[f64; 3]; V], rest: [f64; P])
    where
        E: Element<V, D, P, R>,
    {
        for (r, row) in E::ROWS.iter().enumerate() {
            // x_along grows by ε x_of.
            let strained = |along: usize, of: usize| {
                let point = |p: [f64; 3]| {
                    let mut q = p.map(Dual::constant);
                    q[along].derivative += p[of];
                    V3::from(q)
                };
                let rows = evaluate::<E, Dual, V, D, P, R>(&rest.map(Dual::constant), &corners.map(point));
                assert!(rows.values[r].value.abs() < 1e-12, "{} {} is not at rest", E::NAME, row.name);
                rows.values[r].derivative
            };
            let slope = match row.quantity {
                Quantity::Length => strained(0, 0),
                Quantity::Stretch(axis) => strained(axis, axis),
                Quantity::Shear(a, b) => strained(a, b),
                Quantity::Area => strained(0, 0),
                Quantity::Volume => strained(2, 2),
                Quantity::Bending => continue,
            };
            assert!((slope - row.scale).abs() < 1e-12, "{} {}: {slope}", E::NAME, row.name);
        }
    }

    #[test]
    fn rows_change_with_strain_as_they_say() {
        let x = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        check::<Edge, 2, 1, 2, 1>([x[0], [2.0, 0.0, 0.0]], [0.5, 1.0]);
        check::<SampleSpring, 2, 1, 1, 1>([x[0], [2.0, 0.0, 0.0]], [0.5]);
        let flat = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        check::<TriStrain<Improved>, 3, 2, 6, 4>([x[0], x[1], x[2]], flat);
        check::<TriStrain<Plain>, 3, 2, 6, 4>([x[0], x[1], x[2]], flat);
        check::<TriStrain<StretchShear>, 3, 2, 6, 4>([x[0], x[1], x[2]], flat);
        let cube = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        check::<TetStrain<Improved>, 4, 3, 12, 7>(x, cube);
        check::<TetStrain<Plain>, 4, 3, 12, 7>(x, cube);
    }
}
