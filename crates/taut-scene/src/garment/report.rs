//! What came of sewing: seams, tension of panels, intersections; measured on the positions as they are written.

use super::dress::stretch;
use super::pattern::Pattern;
use super::sewn::SewnMesh;
use serde::Serialize;

/// A seam as it is on the body.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SeamReport {
    /// What it joins.
    pub name: String,
    /// Lengths of its two sides on the pattern, m.
    pub lengths: [f64; 2],
    /// How much longer the cloth beside it is along weft or warp than cut and than it gives, where it is most so, m:
    /// what the seam lacks to be closed. Below a millimetre it is closed.
    pub gap: f64,
    /// Where that is, m.
    pub at: [f64; 3],
}

/// A panel as it is on the body.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PanelReport {
    /// What people call it.
    pub name: String,
    /// How many triangles it has.
    pub triangles: usize,
    /// Length along the weft over that on the pattern, less one: of the worst triangle, and of the one that 99 in 100
    /// are below.
    pub weft: [f64; 2],
    /// Likewise along the warp.
    pub warp: [f64; 2],
}

/// How a garment moves at the end of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Motion {
    /// The root of the mean square of its vertices' speeds, m/s.
    pub mean: f64,
    /// The speed of the fastest, m/s.
    pub fastest: f64,
    /// Where that is, m.
    pub at: [f64; 3],
    /// Whether it hangs still: a mean of less than two centimetres in a second, for some frames on end.
    pub calm: bool,
}

impl Motion {
    /// From positions (m) before a time in seconds and after it; calm is for who has seen more frames.
    pub fn between(before: &[[f64; 3]], after: &[[f64; 3]], time: f64) -> Self {
        let mut out = Motion::default();
        for (a, b) in before.iter().zip(after) {
            let speed = (0..3).map(|k| (b[k] - a[k]) * (b[k] - a[k])).sum::<f64>().sqrt() / time;
            out.mean += speed * speed;
            if speed > out.fastest {
                (out.fastest, out.at) = (speed, *b);
            }
        }
        out.mean = (out.mean / before.len().max(1) as f64).sqrt();
        out
    }
}

/// What came of sewing a garment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SewReport {
    /// In the order of the pattern.
    pub seams: Vec<SeamReport>,
    /// In the order of the pattern.
    pub panels: Vec<PanelReport>,
    /// Intersections of the garment with itself and with the body, by exact arithmetic.
    pub intersections: [usize; 2],
    /// At the end of draping.
    pub motion: Motion,
}

/// A gap (m) below which a seam is closed.
pub const CLOSED: f64 = 1e-3;

impl SewReport {
    /// Measures a garment of cloth that gives so much along weft and warp (0.05 is 5 %); intersections are counted by
    /// who has the body.
    pub fn new(pattern: &Pattern, sewn: &SewnMesh, gives: [f64; 2], intersections: [usize; 2]) -> Self {
        let measured: Vec<Measured> = (0..sewn.mesh.triangles.len()).map(|t| Measured::new(sewn, t, gives)).collect();
        let mut at_vertex: Vec<(f64, usize)> = vec![(0.0, 0); sewn.mesh.positions.len()];
        for (t, of) in measured.iter().enumerate() {
            for v in sewn.mesh.triangles[t] {
                if of.excess > at_vertex[v as usize].0 {
                    at_vertex[v as usize] = (of.excess, t);
                }
            }
        }
        let seam = |(number, row): (usize, &Vec<u32>)| {
            let worst =
                row.iter().copied().max_by(|&a, &b| at_vertex[a as usize].0.total_cmp(&at_vertex[b as usize].0));
            SeamReport {
                name: pattern.seam_name(number),
                lengths: [0, 1].map(|side| pattern.side_length(&pattern.seams[number].sides[side])),
                gap: worst.map_or(0.0, |v| at_vertex[v as usize].0),
                at: worst.map_or([0.0; 3], |v| sewn.mesh.positions[v as usize]),
            }
        };
        let panel = |(number, panel): (usize, &super::Panel)| {
            let mine = || measured.iter().zip(&sewn.panels).filter(|(_, of)| **of as usize == number).map(|(m, _)| m);
            PanelReport {
                name: panel.name.clone(),
                triangles: mine().count(),
                weft: most(mine().map(|m| m.along[0]).collect()),
                warp: most(mine().map(|m| m.along[1]).collect()),
            }
        };
        SewReport {
            seams: sewn.seams.iter().enumerate().map(seam).collect(),
            panels: pattern.panels.iter().enumerate().map(panel).collect(),
            intersections,
            motion: Motion::default(),
        }
    }

    /// Seams that are not closed.
    pub fn open_seams(&self) -> impl Iterator<Item = &SeamReport> {
        self.seams.iter().filter(|seam| seam.gap >= CLOSED)
    }
}

/// The largest of some numbers, and the one that 99 in 100 are below.
fn most(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    let at = |part: f64| values.get((values.len() as f64 * part) as usize).or(values.last()).copied().unwrap_or(0.0);
    [at(1.0), at(0.99)]
}

/// A triangle as it is.
struct Measured {
    /// Length over that on the pattern along weft and warp, less one.
    along: [f64; 2],
    /// How much longer it is than cut and than the cloth gives, m.
    excess: f64,
}

impl Measured {
    fn new(sewn: &SewnMesh, t: usize, gives: [f64; 2]) -> Self {
        let mesh = &sewn.mesh;
        let flat = mesh.uv_triangles[t].map(|v| mesh.uvs[v as usize]);
        let q = [1, 2].map(|i| [flat[i][0] - flat[0][0], flat[i][1] - flat[0][1]]);
        let ([most, least], axis) = stretch(mesh, mesh.triangles[t], q);
        let along = |cos: f64| {
            let (a, b) = (most * cos, least * (1.0 - cos * cos).max(0.0).sqrt());
            (a * a + b * b).sqrt() - 1.0
        };
        let length = |q: [f64; 2]| (q[0] * q[0] + q[1] * q[1]).sqrt();
        let longest = length(q[0]).max(length(q[1])).max(length([q[1][0] - q[0][0], q[1][1] - q[0][1]]));
        let along = [along(axis[0]), along(axis[1])];
        let beyond = (along[0] - gives[0]).max(along[1] - gives[1]).max(0.0);
        Measured { along, excess: beyond * longest }
    }
}
