//! How far cloth is stretched, triangle by triangle: what bounds on stretch are about.

use crate::constraint::Batch;
use crate::element::{Element, Improved, TriStrain};
use crate::lanes::{BLOCK, Scalar, V3, Vertex, xyz};
use crate::model::{BodyKind, Model};
use crate::state::State;
use crate::{Body, StrainForm};

/// How far a triangle is stretched. Lengths are over those at rest − 1: above 0 is tension, below it compression.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TriangleStretch {
    /// Along the weft.
    pub weft: f64,
    /// Along the warp.
    pub warp: f64,
    /// The cosine of the angle between weft and warp.
    pub shear: f64,
    /// Along the direction in which it is stretched most.
    pub any: f64,
    /// Its area.
    pub area: f64,
    /// Its sides: from corner 0 to 1, 0 to 2, 1 to 2.
    pub sides: [f64; 3],
    /// What of it only held corners have a say in: nothing can move it.
    pub held: HeldParts,
}

/// What of a triangle only held corners have a say in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldParts {
    /// Its length along the weft.
    pub weft: bool,
    /// Its length along the warp.
    pub warp: bool,
    /// All of it.
    pub all: bool,
    /// Its sides.
    pub sides: [bool; 3],
}

/// The stretch of every triangle of cloth, in the order of [`Strains::triangles`](super::Strains::triangles): those of
/// a body are at its [`strains`](crate::Body::strains). Rest stretches count as rest.
pub fn stretches<T: Scalar>(model: &Model<T>, state: &State<T>) -> Vec<TriangleStretch> {
    state.assert_of(model);
    let e = &model.elements;
    let forms = [StrainForm::Improved, StrainForm::Plain, StrainForm::StretchShear];
    let batches = [&e.triangles, &e.plain_triangles, &e.stretch_shear_triangles].map(|batch| of_batch(batch, &state.x));
    let list = |body: &Body| {
        let at = forms.iter().position(|form| *form == body.form);
        at.and_then(|at| batches[at].get(body.elements.start as usize..body.elements.end as usize)).unwrap_or_default()
    };
    let cloth = model.bodies.iter().filter(|body| body.kind == BodyKind::Cloth);
    cloth.flat_map(list).copied().collect()
}

/// The stretch of all triangles of a batch, in the order of adding.
fn of_batch<T: Scalar>(batch: &Batch<T, 3, 6, 4>, x: &[Vertex<T>]) -> Vec<TriangleStretch> {
    let mut out = vec![TriangleStretch::default(); batch.count];
    for (block, source) in batch.blocks().iter().zip(&batch.source) {
        for lane in 0..BLOCK {
            let Some(to) = out.get_mut(source[lane] as usize) else { continue };
            let rest = block.rest.map(|r| r[lane].f64());
            let corners = block.places.map(|p| x[p[lane].index::<Vertex<T>>()]);
            let held = corners.map(|corner| corner[3] == T::of(0.0));
            *to = stretch(&rest, corners.map(|corner| V3::from(xyz(corner))), held);
        }
    }
    out
}

fn stretch(rest: &[f64; 6], [a, b, c]: [V3<f64>; 3], held: [bool; 3]) -> TriangleStretch {
    let [p, q] = [b - a, c - a];
    let [f, g] = TriStrain::<Improved>::columns(rest, &[p, q]);
    let (f, g) = (f * (1.0 / rest[4]), g * (1.0 / rest[5]));
    let (ff, gg, fg) = (f.norm2(), g.norm2(), f.dot(g));
    let (weft, warp) = (ff.sqrt(), gg.sqrt());
    let half = 0.5 * (ff - gg);
    let most = (0.5 * (ff + gg) + (half * half + fg * fg).sqrt()).sqrt();
    // The sides at rest, from the inverse of the map from sides to weft and warp.
    let [[r, s], [t, u]] = TriStrain::<Improved>::map(rest);
    let over = 1.0 / (r * u - s * t);
    let (p0, q0) = ([u * over * rest[4], -s * over * rest[5]], [-t * over * rest[4], r * over * rest[5]]);
    let rests = [p0, q0, [q0[0] - p0[0], q0[1] - p0[1]]];
    let sides = [p, q, c - b].map(|side| side.norm2().sqrt());
    let free = |by: [f64; 2]| {
        let parts = [-by[0] - by[1], by[0], by[1]].map(f64::abs);
        let largest = parts.iter().copied().fold(0.0, f64::max);
        (0..3).any(|k| !held[k] && parts[k] > SAY * largest)
    };
    TriangleStretch {
        weft: weft - 1.0,
        warp: warp - 1.0,
        shear: fg / (weft * warp).max(SQUEEZED),
        any: most - 1.0,
        area: f.cross(g).norm2().sqrt() - 1.0,
        sides: core::array::from_fn(|k| {
            sides[k] / (rests[k][0] * rests[k][0] + rests[k][1] * rests[k][1]).sqrt() - 1.0
        }),
        held: HeldParts {
            weft: !free([r, s]),
            warp: !free([t, u]),
            all: held == [true; 3],
            sides: [held[0] && held[1], held[0] && held[2], held[1] && held[2]],
        },
    }
}

/// In triangles squeezed to half their size weft and warp have no angle worth the name: shear counts as if their
/// lengths, over those at rest, had this product.
const SQUEEZED: f64 = 0.25;

/// A corner whose part in a length is below this share of the largest has no say in it.
const SAY: f64 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;
    use crate::{Cloth, Grain, ModelBuilder};

    fn triangle(cloth: &Cloth, moved: [[f64; 3]; 3], pins: &[u32]) -> TriangleStretch {
        let mesh = TriMesh {
            positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2]],
            ..TriMesh::default()
        };
        let mut builder = ModelBuilder::new();
        builder.add_cloth("cloth", &mesh, cloth).unwrap();
        let model = builder.build::<f64>().unwrap();
        let mut state = State::new(&model);
        (0..).zip(moved).for_each(|(vertex, place)| state.set_position(&model, vertex, place));
        state.set_pins(&model, pins);
        stretches(&model, &state)[0]
    }

    fn along_x() -> Cloth {
        Cloth { grain: Grain::Direction([1.0, 0.0, 0.0]), ..Cloth::default() }
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn tension_and_compression_have_their_signs() {
        let s = triangle(&along_x(), [[0.0; 3], [0.0, 0.0, 1.1], [0.0, 0.8, 0.0]], &[]);
        near(s.weft, 0.1);
        near(s.warp, -0.2);
        near(s.shear, 0.0);
        near(s.any, 0.1);
        near(s.sides[0], 0.1);
        near(s.sides[1], -0.2);
        near(s.sides[2], (0.5 * (1.21f64 + 0.64)).sqrt() - 1.0);
        assert_eq!(s.held, HeldParts::default());
    }

    #[test]
    fn the_bias_stretches_where_threads_do_not() {
        // Threads keep their lengths, their angle becomes 60°: the bias is stretched by √2 cos 30° − 1.
        let s = triangle(&along_x(), [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.75f64.sqrt(), 0.0]], &[]);
        near(s.weft, 0.0);
        near(s.warp, 0.0);
        near(s.shear, 0.5);
        near(s.any, 2f64.sqrt() * 0.75f64.sqrt() - 1.0);
    }

    #[test]
    fn rest_stretches_are_rest() {
        let cloth = Cloth { rest_stretch: [1.25, 0.5], ..along_x() };
        let s = triangle(&cloth, [[0.0; 3], [1.25, 0.0, 0.0], [0.0, 0.5, 0.0]], &[]);
        for value in [s.weft, s.warp, s.shear, s.any, s.sides[0], s.sides[1], s.sides[2]] {
            near(value, 0.0);
        }
    }

    #[test]
    fn what_lies_between_pins_alone_is_held() {
        let moved = [[0.0; 3], [1.5, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let s = triangle(&along_x(), moved, &[0, 1]);
        let sides = [true, false, false];
        assert_eq!(s.held, HeldParts { weft: true, warp: false, all: false, sides });
        assert!(triangle(&along_x(), moved, &[0, 1, 2]).held.all);
        // Along another grain, the free corner has a say in both.
        let cloth = Cloth { grain: Grain::Direction([1.0, 1.0, 0.0]), ..Cloth::default() };
        let held = triangle(&cloth, moved, &[0, 1]).held;
        assert!(!held.weft && !held.warp);
    }
}
