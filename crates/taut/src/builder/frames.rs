//! Material frames: which way weft and warp run in each triangle.

use crate::lanes::V3;
use crate::limit::RestTriangle;
use crate::mesh::TriMesh;

/// Which form of the strain rows to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrainForm {
    /// SBD Eq. 14 and 15: stretch solved in one step, shear free of stretch.
    #[default]
    Improved,
    /// SBD Eq. 9 and 10, the entries of Green's strain: as a comparison, and for finite elements.
    Plain,
    /// Stretch as in SBD Eq. 14, shear as in Eq. 10: the conditions of Baraff and Witkin. Cloth only; solids take the
    /// improved form for it.
    StretchShear,
}

/// Where a cloth's grain comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grain {
    /// From texture coordinates (SBD Eq. 37, 38), weft along u; where those are missing or unusable, weft along
    /// this direction.
    Uv([f64; 3]),
    /// Weft along this direction, laid into each triangle.
    Direction([f64; 3]),
}

impl Default for Grain {
    fn default() -> Self {
        Grain::Uv([1.0, 0.0, 0.0])
    }
}

/// What shape a cloth wants to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestShape {
    /// That of its mesh.
    #[default]
    Mesh,
    /// Flat, each triangle as its texture coordinates have it, in m: a sewn garment, whose mesh is only where it
    /// begins. Triangles without usable coordinates keep the mesh's shape.
    Uv,
}

/// The edges of a triangle in its material frame: Q = [q1, q2], q = (along weft, along warp), m.
pub(super) type Material = [[f64; 2]; 2];

/// The material coordinates of a mesh's triangles.
pub(super) struct Materials {
    /// Of every triangle.
    pub qs: Vec<Material>,
    /// Which had no usable texture coordinates.
    pub unusable: Unusable,
    /// Triangles in which v grows along another direction than across weft, and that direction (along weft, along
    /// warp).
    pub slants: Vec<(usize, [f64; 2])>,
}

/// The material coordinates of every triangle of a mesh whose vertices are at `positions`.
pub(super) fn materials(mesh: &TriMesh, positions: &[[f64; 3]], grain: Grain, rest: RestShape) -> Materials {
    if rest == RestShape::Uv && mesh.uv_triangles.len() == mesh.triangles.len() {
        return flat_materials(mesh, positions, grain);
    }
    let (direction, use_uvs) = match grain {
        Grain::Uv(d) => (d, mesh.uv_triangles.len() == mesh.triangles.len()),
        Grain::Direction(d) => (d, false),
    };
    let weft = |t: usize| if use_uvs { weft_from_uvs(mesh, positions, t) } else { None };
    let wefts: Vec<_> = (0..mesh.triangles.len()).map(weft).collect();
    let bad: Vec<usize> = match grain {
        Grain::Uv(_) => (0..wefts.len()).filter(|&t| wefts[t].is_none()).collect(),
        Grain::Direction(_) => Vec::new(),
    };
    // Random coordinates look usable in some triangles by chance: if many are not, trust none.
    let scrambled = use_uvs && bad.len() * 4 > wefts.len();
    let q = |t: usize| {
        let [e1, e2] = edges(mesh, positions, t);
        let axes = wefts[t].filter(|_| !scrambled).map(|w| w.axes);
        let [n1, n2] = axes.unwrap_or_else(|| axes_along(direction, e1, e2));
        [[n1.dot(e1), n2.dot(e1)], [n1.dot(e2), n2.dot(e2)]]
    };
    let qs = (0..mesh.triangles.len()).map(q).collect();
    let slanted = |t: usize| wefts[t].map(|w| (t, w.slant)).filter(|(_, s)| s[0].abs() > STRAIGHT);
    let slants = if scrambled { Vec::new() } else { (0..wefts.len()).filter_map(slanted).collect() };
    Materials { qs, unusable: if scrambled { Unusable::Scrambled(bad) } else { Unusable::Some(bad) }, slants }
}

/// The same where texture coordinates are the shape at rest.
fn flat_materials(mesh: &TriMesh, positions: &[[f64; 3]], grain: Grain) -> Materials {
    let (Grain::Uv(direction) | Grain::Direction(direction)) = grain;
    let flat = |t: usize| {
        let corner = |c: u32| mesh.uvs.get(c as usize).copied();
        let [a, b, c] = mesh.uv_triangles[t].map(corner);
        let (a, b, c) = (a?, b?, c?);
        let q = [[b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]];
        inverse2(&q).map(|_| q)
    };
    let flats: Vec<_> = (0..mesh.triangles.len()).map(flat).collect();
    let bad = (0..flats.len()).filter(|&t| flats[t].is_none()).collect();
    let as_mesh = |t: usize| {
        let [e1, e2] = edges(mesh, positions, t);
        let [n1, n2] = axes_along(direction, e1, e2);
        [[n1.dot(e1), n2.dot(e1)], [n1.dot(e2), n2.dot(e2)]]
    };
    let qs = flats.iter().enumerate().map(|(t, flat)| flat.unwrap_or_else(|| as_mesh(t))).collect();
    Materials { qs, unusable: Unusable::Some(bad), slants: Vec::new() }
}

/// The sine of an angle (half a degree) below which directions are the same.
const STRAIGHT: f64 = 0.0087;

/// Triangles whose texture coordinates say nothing.
pub(super) enum Unusable {
    /// These; the others were used.
    Some(Vec<usize>),
    /// These, so many that none was used.
    Scrambled(Vec<usize>),
}

fn edges(mesh: &TriMesh, positions: &[[f64; 3]], t: usize) -> [V3<f64>; 2] {
    let [x0, x1, x2] = mesh.triangles[t].map(|i| V3::from(positions[i as usize]));
    [x1 - x0, x2 - x0]
}

/// Directions of threads in a triangle.
#[derive(Clone, Copy)]
struct Threads {
    /// Unit vectors along weft and warp.
    axes: [V3<f64>; 2],
    /// The direction in which v grows, (along weft, along warp).
    slant: [f64; 2],
}

/// Unit vectors along weft and warp from texture coordinates: t_u = the world direction in which u grows (Eq. 37),
/// and the in-plane perpendicular on the side of t_v (Eq. 38 after ERRATA). None where the coordinates are
/// degenerate, or stretch the triangle so unevenly that they cannot be meant as a pattern.
fn weft_from_uvs(mesh: &TriMesh, positions: &[[f64; 3]], t: usize) -> Option<Threads> {
    let corner = |c: u32| mesh.uvs.get(c as usize).copied();
    let [a, b, c] = mesh.uv_triangles[t].map(corner);
    let (a, b, c) = (a?, b?, c?);
    let (u1, v1, u2, v2) = (b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]);
    let det = u1 * v2 - u2 * v1;
    let [e1, e2] = edges(mesh, positions, t);
    let tu = (e1 * v2 - e2 * v1) * (1.0 / det);
    let tv = (e2 * u1 - e1 * u2) * (1.0 / det);
    // Singular values of [tu, tv] through its Gram matrix.
    let (uu, vv, uv) = (tu.norm2(), tv.norm2(), tu.dot(tv));
    let (mean, spread) = (0.5 * (uu + vv), (0.25 * (uu - vv) * (uu - vv) + uv * uv).sqrt());
    let (most, least) = (mean + spread, mean - spread);
    let usable = most.is_finite() && least > 0.0 && most < least * MOST_UNEVEN * MOST_UNEVEN;
    let n1 = tu * (1.0 / uu.sqrt());
    let n2 = tv - n1 * n1.dot(tv);
    let across = n2.norm2().sqrt();
    usable
        .then(|| Threads { axes: [n1, n2 * (1.0 / across)], slant: [n1.dot(tv), across].map(|part| part / vv.sqrt()) })
}

/// A pattern stretched by more than this in one direction over the other is none.
const MOST_UNEVEN: f64 = 8.0;

/// Unit vectors in the triangle: along `direction`, or, where that is perpendicular to the triangle, along the world
/// axis that lies flattest; and across.
fn axes_along(direction: [f64; 3], e1: V3<f64>, e2: V3<f64>) -> [V3<f64>; 2] {
    let normal = e1.cross(e2);
    let n = normal * (1.0 / normal.norm2().sqrt().max(1e-300));
    let into_plane = |d: V3<f64>| d - n * n.dot(d);
    let given = into_plane(V3::from(direction));
    let best = if given.norm2() > 1e-4 * V3::from(direction).norm2() {
        given
    } else {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let flattest =
            axes.into_iter().map(|a| into_plane(V3::from(a))).reduce(|a, b| if b.norm2() > a.norm2() { b } else { a });
        flattest.unwrap_or(e1)
    };
    let n1 = best * (1.0 / best.norm2().sqrt().max(1e-300));
    [n1, n.cross(n1)]
}

/// The rest numbers of B from the edges in the material frame: B_ik = (Q⁻¹)_ki. None without area.
pub(super) fn inverse2(q: &Material) -> Option<[f64; 4]> {
    RestTriangle { vertices: [0, 1, 2], edges: *q }.inverse()
}

/// Twice the area of a triangle over its squared edges (and likewise for tetrahedra) below which it counts as flat.
pub(super) const THINNEST: f64 = 1e-7;
