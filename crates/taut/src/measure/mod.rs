//! Meters: what a state is, in numbers. All in f64 and in a fixed order, whatever the simulation's precision.

mod contacts;
mod energy;
mod field;
mod stretch;
#[cfg(feature = "global")]
mod tangent;

pub use crate::contact::{Touch, Toucher};
#[cfg(feature = "global")]
pub use crate::solve::global::Tangent;
pub use contacts::contacts;
pub use energy::{elastic_energy, firmness};
pub use field::{Field, FieldPlace};
pub use stretch::{HeldParts, TriangleStretch, stretches};
#[cfg(feature = "global")]
pub use tangent::tangent;

use crate::constraint::{Batch, Block, Visit};
use crate::element::{Element, RowValues};
use crate::lanes::{BLOCK, Scalar, V3, Vertex, xyz};
use crate::model::Model;
use crate::state::State;

/// The angular frequency of the fastest elastic mode about the rest shape with nothing held, rad/s; 0 if nothing has a
/// physical stiffness. Constraints of the user's own are left out. Found by the power method, a few percent low.
///
/// Explicit integrators ([`AlphaBeta`](crate::Integrator::AlphaBeta) with `alpha` or `beta` 0) are stable up to
/// substeps of 2/ω, less with damping: h² + 2 γ h ≤ 4/ω².
#[cfg(feature = "global")]
pub fn fastest_mode<T: Scalar>(model: &Model<T>) -> f64 {
    let rest: Vec<[f64; 3]> = model.user.iter().map(|&u| model.positions[u as usize]).collect();
    let masses: Vec<f64> = model.user.iter().map(|&u| model.masses[u as usize]).collect();
    crate::solve::global::fastest_mode(&model.elements, &rest, &masses)
}

/// Largest, mean and 99th percentile of magnitudes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The largest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// 99 of 100 are no larger.
    pub p99: f64,
}

impl Spread {
    /// Of the magnitudes of `values`; zeros if there are none. Values that are not finite count as infinite.
    pub fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            return Spread::default();
        }
        let mut sizes: Vec<f64> = values.iter().map(|v| if v.is_finite() { v.abs() } else { f64::INFINITY }).collect();
        let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
        let at = (sizes.len() * 99).div_ceil(100).max(1) - 1;
        let (_, &mut p99, above) = sizes.select_nth_unstable_by(at, f64::total_cmp);
        let max = above.iter().fold(p99, |m, &v| m.max(v));
        Spread { max, mean, p99 }
    }
}

/// Strains of every element, body by body in the order of adding. Stretch is length over rest length − 1; shear is the
/// cosine of the angle between the axes, the shear angle for small ones. The same measures whatever form of rows
/// a body has.
#[derive(Clone, Debug, Default)]
pub struct Strains {
    /// Triangles: weft, warp, shear, and area over rest area − 1. Those of a body are at its
    /// [`strains`](crate::Body::strains).
    pub triangles: Vec<[f64; 4]>,
    /// Tetrahedra: three stretches, three shears, signed volume over rest volume − 1; likewise.
    pub tetrahedra: Vec<[f64; 7]>,
    /// Edges: length over rest length − 1.
    pub edges: Vec<f64>,
    /// Hinges, then the three sides of each patch: angle from rest, rad.
    pub hinges: Vec<f64>,
}

/// Measures all strains.
pub fn strains<T: Scalar>(model: &Model<T>, state: &State<T>) -> Strains {
    use crate::element::{Edge, Hinge, Improved, Patch, TetStrain, TriStrain};
    use crate::{BodyKind, StrainForm};
    state.assert_of(model);
    let e = &model.elements;
    let x = &state.x;
    // Rows are differences from the rest stretches; strains are relative to them.
    let triangle = |batch| {
        all_values::<TriStrain<Improved>, T, 3, 2, 6, 4>(batch, x, |v, rest| {
            let (s, t) = (rest[4], rest[5]);
            [v[0] / s, v[1] / t, v[2], v[3] / (s * t)]
        })
    };
    let tetrahedron = |batch| {
        all_values::<TetStrain<Improved>, T, 4, 3, 12, 7>(batch, x, |v, rest| {
            let [s, t, u] = [rest[9], rest[10], rest[11]];
            [v[0] / s, v[1] / t, v[2] / u, v[3], v[4], v[5], v[6] / (s * t * u)]
        })
    };
    let triangles = [triangle(&e.triangles), triangle(&e.plain_triangles), triangle(&e.stretch_shear_triangles)];
    let tetrahedra = [tetrahedron(&e.tetrahedra), tetrahedron(&e.plain_tetrahedra)];
    let mut out = Strains {
        edges: all_values::<Edge, T, 2, 1, 2, 1>(&e.edges, x, |v, rest| [v[0] / rest[1]]).into_flattened(),
        hinges: all_values::<Hinge, T, 4, 3, 1, 1>(&e.hinges, x, |v, _| v).into_flattened(),
        ..Strains::default()
    };
    out.hinges.extend(all_values::<Patch, T, 6, 5, 3, 3>(&e.patches, x, |v, _| v).into_flattened());
    for body in &model.bodies {
        let range = body.elements.start as usize..body.elements.end as usize;
        match (body.kind, body.form) {
            (BodyKind::Cloth, StrainForm::Improved) => out.triangles.extend(&triangles[0][range]),
            (BodyKind::Cloth, StrainForm::Plain) => out.triangles.extend(&triangles[1][range]),
            (BodyKind::Cloth, StrainForm::StretchShear) => out.triangles.extend(&triangles[2][range]),
            (BodyKind::Solid, StrainForm::Plain) => out.tetrahedra.extend(&tetrahedra[1][range]),
            (BodyKind::Solid, _) => out.tetrahedra.extend(&tetrahedra[0][range]),
        }
    }
    out
}

impl Strains {
    /// Strain of all triangles along weft, along warp, in shear, and their change of area.
    pub fn cloth(&self) -> [Spread; 4] {
        spreads(&self.triangles)
    }

    /// Strain of all tetrahedra along and between their axes, and their change of volume.
    pub fn solid(&self) -> [Spread; 7] {
        spreads(&self.tetrahedra)
    }

    /// Tetrahedra that are inside out.
    pub fn inverted(&self) -> usize {
        self.tetrahedra.iter().filter(|v| v[6] <= -1.0 || v[6].is_nan()).count()
    }
}

/// The spread of each column.
fn spreads<const R: usize>(list: &[[f64; R]]) -> [Spread; R] {
    core::array::from_fn(|r| Spread::of(&list.iter().map(|v| v[r]).collect::<Vec<_>>()))
}

/// The row values of all elements of a batch, in the order of adding.
fn all_values<E, T, const V: usize, const D: usize, const P: usize, const R: usize>(
    batch: &Batch<T, V, P, R>,
    x: &[Vertex<T>],
    relative: impl Fn([f64; R], &[f64; P]) -> [f64; R],
) -> Vec<[f64; R]>
where
    E: Element<V, D, P, R>,
    T: Scalar,
{
    let mut out = vec![[0.0; R]; batch.count];
    for (block, source) in batch.blocks().iter().zip(&batch.source) {
        for lane in 0..BLOCK {
            let Some(to) = out.get_mut(source[lane] as usize) else { continue };
            let (values, rest) = values_at::<E, T, V, D, P, R>(block, lane, x);
            *to = relative(values, &rest);
        }
    }
    out
}

/// The row values of one element, and its rest numbers.
fn values_at<E, T, const V: usize, const D: usize, const P: usize, const R: usize>(
    block: &Block<T, V, P, R>,
    lane: usize,
    x: &[Vertex<T>],
) -> ([f64; R], [f64; P])
where
    E: Element<V, D, P, R>,
    T: Scalar,
{
    let rest = block.rest.map(|r| r[lane].f64());
    let at = block.places.map(|p| V3::from(xyz(x[p[lane].index::<Vertex<T>>()])));
    let mut edges = [V3::default(); D];
    for k in 0..D {
        edges[k] = at[k + 1] - at[0];
    }
    let mut values = RowValues::default();
    E::rows(&rest, &mut E::columns(&rest, &edges), &mut values);
    (values.0, rest)
}

/// Sums over the whole state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// ½ Σ m v², J.
    pub kinetic: f64,
    /// −Σ m g·x, J, zero at the origin.
    pub potential: f64,
    /// ½ Σ cᵀ E c, J: what rows with a physical stiffness store.
    pub elastic: f64,
    /// Σ m v, kg m/s, of what is free.
    pub momentum: [f64; 3],
    /// Σ m x × v, kg m²/s, of what is free, about the origin.
    pub angular_momentum: [f64; 3],
    /// Area of all cloth over that at rest − 1.
    pub area_change: f64,
    /// Signed volume of all tetrahedra over that at rest − 1.
    pub volume_change: f64,
}

/// Measures sums over the whole state, with gravity `g` in m/s².
pub fn totals<T: Scalar>(model: &Model<T>, state: &State<T>, g: [f64; 3]) -> Totals {
    let mut out = Totals { elastic: elastic_energy(model, state), ..Totals::default() };
    let (g, mut p, mut l) = (V3::from(g), V3::<f64>::default(), V3::<f64>::default());
    for (user, &own) in model.own.iter().enumerate() {
        let (m, x, v) = (model.masses[user], state.x[own as usize], V3::from(xyz(state.v[own as usize])));
        let at = V3::from(xyz(x));
        out.potential -= m * g.dot(at);
        if x[3] > T::of(0.0) {
            out.kinetic += 0.5 * m * v.norm2();
            p = p + v * m;
            l = l + at.cross(v) * m;
        }
    }
    (out.momentum, out.angular_momentum) = (p.into(), l.into());
    (out.area_change, out.volume_change) = changes(model, state);
    out
}

/// Relative changes of all cloth's area and all solids' volume.
fn changes<T: Scalar>(model: &Model<T>, state: &State<T>) -> (f64, f64) {
    let (mut area, mut volume) = ([0.0; 2], [0.0; 2]);
    for body in &model.bodies {
        for (when, sum) in [true, false].into_iter().enumerate() {
            let at = |v: u32| V3::from(if sum { model.positions[v as usize] } else { state.position(model, v) });
            if body.tets.is_empty() {
                for t in body.triangles.iter().map(|t| t.map(at)) {
                    area[when] += 0.5 * (t[1] - t[0]).cross(t[2] - t[0]).norm2().sqrt();
                }
            }
            for t in body.tets.iter().map(|t| t.map(at)) {
                volume[when] += (t[1] - t[0]).dot((t[2] - t[0]).cross(t[3] - t[0])) / 6.0;
            }
        }
    }
    let change = |[rest, now]: [f64; 2]| if rest > 0.0 { now / rest - 1.0 } else { 0.0 };
    (change(area), change(volume))
}

/// A fingerprint of all positions and velocities, bit by bit, in the user's order (FNV-1a, 64 bits).
pub fn state_hash<T: Scalar>(model: &Model<T>, state: &State<T>) -> u64 {
    state.assert_of(model);
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for &own in &model.own {
        for v in [state.x[own as usize], state.v[own as usize]] {
            for c in v {
                for byte in c.f64().to_bits().to_le_bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
                }
            }
        }
    }
    hash
}

/// The number of elements of each kind, by name.
pub fn element_counts<T: Scalar>(model: &Model<T>) -> Vec<(&'static str, usize)> {
    struct Counts(Vec<(&'static str, usize)>);
    impl<T: Scalar> Visit<T> for Counts {
        fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, b: &Batch<T, V, P, R>)
        where
            E: Element<V, D, P, R>,
        {
            self.0.push((E::NAME, b.count));
        }
    }
    let mut counts = Counts(Vec::new());
    model.elements.for_each(&mut counts);
    counts.0
}
