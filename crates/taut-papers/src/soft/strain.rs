//! Fig. 3: finite elements against springs.

use super::hanging::{FRAME, PROJECTION, Piece, hanging, params};
use crate::{Claim, Error, Outcome, Size, Table};
use glam::DVec3;
use taut::measure::Spread;
use taut::{Integrator, Membrane, Orthotropic, Params};
use taut_render::export::contact_sheet;
use taut_render::{Legend, Picture, Scale};
use taut_studio::{Framed, Running, Surface, vertex_means};

/// Young's modulus times thickness, N/m.
const YOUNG: f64 = 100.0;
const POISSON: f64 = 0.3;

/// One Young's modulus, as finite elements and as springs, at two moments.
pub fn figure_3(size: Size) -> Result<Outcome, Error> {
    let n = size.pick(20, 40);
    let sheet = Orthotropic::isotropic(YOUNG, POISSON);
    // A spring along a square's side carries the stress over its width; those on diagonals carry the shear.
    let links = Membrane::Links { stretch: YOUNG, shear: sheet.shear, bend: 0.05 };
    let cases = [("finite elements", Membrane::Continuum(sheet), 5e-5), ("springs", links, 0.0)];
    let mut out = Outcome::new(format!(
        "{n} × {n} vertices of {YOUNG} N/m, let go lying, held by two corners, 4 steps of 25 iterations in a frame: strain at \
         0.5 s and at 4 s."
    ));
    let mut cloths = Vec::new();
    for (name, membrane, bend) in cases {
        let piece = Piece { nx: n, ny: n, density: 0.2, membrane, bend, gamma: 0.003 };
        let how = Params { substeps: 4, ..params(PROJECTION, Integrator::ImplicitEuler, 25) };
        cloths.push((name, hanging::<f64>(&piece, how)?));
    }
    let columns = ["", "mean", "99 of 100 below", "largest", "largest over mean", "angle between neighbours, °"];
    let mut table = Table::new("Size of strain at vertices, %, and folds", &columns);
    let (mut pictures, mut peaks, mut folds) = (Vec::new(), Vec::new(), Vec::new());
    for (frames, seconds) in [(30, 0.5), (210, 4.0)] {
        for (name, cloth) in &mut cloths {
            cloth.run(frames, FRAME);
            let triangles = cloth.model.bodies()[0].triangles.iter().map(|t| &t[..]);
            let strain = vertex_means(cloth.model.vertices(), triangles, &sizes(cloth));
            let Spread { max, mean, p99 } = Spread::of(&strain);
            let cells = [mean, p99, max].map(|v| format!("{:.1}", 100.0 * v));
            let fold = fold(cloth).to_degrees();
            table.row(
                &format!("{name}, {seconds} s"),
                cells.into_iter().chain([max / mean, fold].map(|v| format!("{v:.1}"))),
            );
            peaks.push(max / mean);
            folds.push(fold);
            pictures.push((draw(cloth, size), format!("{name}, {seconds} s")));
        }
    }
    out.picture(
        "soft-3.png",
        "Strain of finite elements and of springs",
        &contact_sheet(&pictures, 2, size.pixels(480)),
    );
    out.tables.push(table);
    let better = [peaks[0] < peaks[1] && peaks[2] < peaks[3], folds[2] < folds[3]];
    out.claim(
        Claim::new("finite elements offer more realistic folds than links of the same modulus, and distribute strain better", "pictures")
            .ours(format!(
                "angle between neighbours, root mean square, at 4 s {:.1}° against {:.1}°; largest over mean strain, at 0.5 s {:.1} against \
                 {:.1}, at 4 s {:.1} against {:.1}",
                folds[2], folds[3], peaks[0], peaks[1], peaks[2], peaks[3]
            ))
            .in_part(better == [true, true], better != [false, false])
            .because(
                "which of the two can be seen depends on the mesh. Springs crease along a fine one. The corners carry the same load either \
                 way, and at a point the strain of finite elements grows with the resolution",
            ),
    );
    Ok(out)
}

/// The size of each triangle's strain, in the order of the mesh: the root of the squares of stretches and half the
/// shear, twice.
fn sizes(cloth: &Running<f64>) -> Vec<f64> {
    let strains = cloth.strains().triangles;
    let body = &cloth.model.bodies()[0];
    let mut values = vec![0.0; body.triangles.len()];
    for (&to, [u, v, s, _]) in body.strained.iter().zip(strains) {
        values[to as usize] = (u * u + v * v + 0.5 * s * s).sqrt();
    }
    values
}

/// The angle between the normals of triangles that share a side, rad, root mean square.
fn fold(cloth: &Running<f64>) -> f64 {
    let x = cloth.positions();
    let normal = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| DVec3::from(x[v as usize]));
        (b - a).cross(c - a)
    };
    let triangles = &cloth.model.bodies()[0].triangles;
    let mut sides = std::collections::BTreeMap::new();
    let (mut sum, mut count) = (0.0, 0.0);
    for t in triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            if let Some(other) = sides.insert([a.min(b), a.max(b)], t) {
                let (n, m) = (normal(t), normal(other));
                sum += n.cross(m).length().atan2(n.dot(m)).powi(2);
                count += 1.0;
            }
        }
    }
    f64::sqrt(sum / f64::max(count, 1.0))
}

fn draw(cloth: &Running<f64>, size: Size) -> Picture {
    let scale = Scale::up_to(0.2);
    let part = Surface::cloth(cloth.positions(), &cloth.model.bodies()[0].triangles).mapped(&sizes(cloth), scale);
    let side = size.pixels(640);
    let view = Framed::around([-0.62, -1.05, -0.6], [0.68, 0.0, -0.4], [0.35, 0.15, 1.0], [side, side]);
    let mut picture = view.draw(&[part], &[]);
    Legend::percent("strain", scale).draw(&mut picture);
    picture
}
