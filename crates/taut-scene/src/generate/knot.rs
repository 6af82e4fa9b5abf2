//! A ribbon laid in a loose overhand knot.

use taut::mesh::TriMesh;

use super::error::{GenerateError, check_count, check_elements, check_length, check_point};
use super::planar::Plane;
use super::sheet::{SheetParams, sheet};

/// A ribbon that begins in a loose overhand knot.
#[derive(Clone, Debug, PartialEq)]
pub struct KnotParams {
    /// Length of the ribbon, m.
    pub length: f64,
    /// Width of the ribbon, m.
    pub width: f64,
    /// The distance left between the ribbon and itself where it crosses itself, m.
    pub gap: f64,
    /// Vertices along, at least 64: fewer cannot follow the knot.
    pub nx: u32,
    /// Vertices across, at least 2.
    pub ny: u32,
    /// The knot's middle, m.
    pub centre: [f64; 3],
}

impl Default for KnotParams {
    /// A ribbon of 2.4 m by 3 cm.
    fn default() -> Self {
        Self { length: 2.4, width: 0.03, gap: 0.01, nx: 321, ny: 5, centre: [0.0; 3] }
    }
}

/// Where on the curve the ribbon ends: far enough beyond the last crossing, at 1.93, to be taken hold of.
const END: f64 = 2.3;

/// The curve's middle, from its origin, in its own unit.
const MIDDLE: f64 = 0.5;

/// Makes the ribbon flat, as it is at rest, and gives the positions of its vertices in the knot. Groups as of a
/// [`sheet`]; `left` and `right` are the ends.
///
/// The knot lies in the xy-plane, and the ribbon stands on edge in it, so that it bends only the way ribbons do. It
/// follows Shastri's polynomial trefoil (t³ − 3t, t⁴ − 4t²), which crosses itself three times, and at crossings is
/// moved along z to go over or under itself in turn.
pub fn knot(params: &KnotParams) -> Result<(TriMesh, Vec<[f64; 3]>), GenerateError> {
    for (name, length) in [("length", params.length), ("width", params.width), ("gap", params.gap)] {
        check_length(name, length)?;
    }
    check_count("nx", params.nx, 64)?;
    check_count("ny", params.ny, 2)?;
    check_elements("nx, ny", &[2, params.nx, params.ny])?;
    check_point("centre", params.centre)?;
    let flat = sheet(&SheetParams {
        width: params.length,
        height: params.width,
        nx: params.nx,
        ny: params.ny,
        plane: Plane::Xz,
        centre: params.centre,
        ..SheetParams::default()
    })?;
    let curve = Curve::new();
    let size = params.length / curve.length();
    let [x, y, z] = params.centre;
    let place = |&[u, _, v]: &[f64; 3]| {
        let t = curve.at((u - x) / params.length + 0.5);
        let [cx, cy] = point(t);
        [x + size * cx, y + size * (cy - MIDDLE), v + 0.5 * (params.width + params.gap) * side(t)]
    };
    let start = flat.positions.iter().map(place).collect();
    // A sheet's v runs along −z; that is of no consequence here.
    debug_assert!(flat.positions.iter().all(|p| (p[2] - z).abs() <= params.width));
    Ok((flat, start))
}

fn point(t: f64) -> [f64; 2] {
    [t * (t * t - 3.0), t * t * (t * t - 4.0)]
}

/// Over (1) or under (−1) at the crossings, smoothly in between. They are at ±√3 and, where t² + s² = 4 and ts = −1, at
/// (√6 ± √2)/2 with either sign.
fn side(t: f64) -> f64 {
    const CROSSINGS: [(f64, f64); 6] = [
        (-1.931_851_652_578_136_6, -1.0),
        (-1.732_050_807_568_877_2, 1.0),
        (-0.517_638_090_205_041_5, -1.0),
        (0.517_638_090_205_041_5, 1.0),
        (1.732_050_807_568_877_2, -1.0),
        (1.931_851_652_578_136_6, 1.0),
    ];
    let next = CROSSINGS.partition_point(|crossing| crossing.0 <= t);
    let (Some(before), Some(after)) = (next.checked_sub(1).map(|at| CROSSINGS[at]), CROSSINGS.get(next)) else {
        return if t < 0.0 { CROSSINGS[0].1 } else { CROSSINGS[5].1 };
    };
    let part = (t - before.0) / (after.0 - before.0);
    before.1 + (after.1 - before.1) * part * part * (3.0 - 2.0 * part)
}

/// The curve's parameter by its length.
struct Curve {
    /// Length from the beginning to each of evenly spaced parameters.
    lengths: Vec<f64>,
}

/// Pieces of the curve that count as straight: enough for 1e-6 of its length.
const PIECES: u32 = 4096;

impl Curve {
    fn new() -> Self {
        let mut lengths = vec![0.0];
        for piece in 1..=PIECES {
            let [a, b] = [piece - 1, piece].map(|at| point(parameter(f64::from(at))));
            let step = ((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1])).sqrt();
            lengths.push(lengths[lengths.len() - 1] + step);
        }
        Curve { lengths }
    }

    fn length(&self) -> f64 {
        self.lengths[PIECES as usize]
    }

    /// The parameter at a share of the length, 0 to 1.
    fn at(&self, share: f64) -> f64 {
        let length = share * self.length();
        let next = self.lengths.partition_point(|&l| l <= length).clamp(1, PIECES as usize);
        let (before, after) = (self.lengths[next - 1], self.lengths[next]);
        parameter(next as f64 - 1.0 + (length - before) / (after - before))
    }
}

fn parameter(piece: f64) -> f64 {
    END * (2.0 * piece / f64::from(PIECES) - 1.0)
}
