//! Figure 3: finite elements against springs, as pictures.

use crate::Done;
use crate::hanging::{Hanging, PROJECTION, Piece, params};
use std::path::Path;
use taut::measure::{self, Spread};
use taut::{Integrator, Membrane, Orthotropic, Params};
use taut_render::export::{SheetOptions, contact_sheet, png};
use taut_render::{Bounds, Camera, Framing, Item, Legend, Material, Picture, Renderer, Scale, Scene3, Values, palette};

/// Young's modulus times thickness, N/m.
const YOUNG: f64 = 100.0;
const POISSON: f64 = 0.3;

/// 40 × 40 vertices of one Young's modulus, as finite elements and as springs, at two moments.
pub fn figure_3(folder: &Path) -> Done {
    let sheet = Orthotropic::isotropic(YOUNG, POISSON);
    // A spring along a square's side carries the stress over its width; those on diagonals carry the shear.
    let links = Membrane::Links { stretch: YOUNG, shear: sheet.shear, bend: 0.05 };
    let cases = [("finite elements", Membrane::Continuum(sheet), 5e-5), ("springs", links, 0.0)];
    let mut pictures = Vec::new();
    println!("Fig. 3: strain of 40 × 40 vertices, E = {YOUNG} N/m: mean, 99th percentile, largest");
    let mut cloths = Vec::new();
    for (name, membrane, bend) in cases {
        let piece = Piece { nx: 40, ny: 40, density: 0.2, membrane, bend, gamma: 0.003 };
        let how = Params { substeps: 4, ..params(PROJECTION, Integrator::ImplicitEuler, 25) };
        cloths.push((name, Hanging::<f64>::new(&piece, how)?));
    }
    for (frames, seconds) in [(30, 0.5), (210, 4.0)] {
        for (name, cloth) in &mut cloths {
            for _ in 0..frames {
                cloth.frame();
            }
            let strain = sizes(cloth);
            let Spread { max, mean, p99 } = Spread::of(&strain);
            println!("  {name:<16} {seconds} s: {:.1} % {:.1} % {:.1} %", 100.0 * mean, 100.0 * p99, 100.0 * max);
            pictures.push((draw(cloth, &strain), format!("{name}, {seconds} s")));
        }
    }
    let sheet = contact_sheet(&pictures, &SheetOptions { columns: 2, cell_width: 520, ..SheetOptions::default() });
    png(std::fs::File::create(folder.join("soft-figure-3.png"))?, &sheet)?;
    Ok(())
}

/// The size of each triangle's strain: the root of the squares of stretches and half the shear, twice.
fn sizes(cloth: &Hanging<f64>) -> Vec<f64> {
    let strains = measure::strains(&cloth.model, &cloth.state).triangles;
    strains.iter().map(|[u, v, s, _]| (u * u + v * v + 0.5 * s * s).sqrt()).collect()
}

fn draw(cloth: &Hanging<f64>, strain: &[f64]) -> Picture {
    let positions = cloth.state.positions(&cloth.model);
    let scale = Scale::up_to(0.2);
    let body = &cloth.model.bodies[0];
    // Strains come in the engine's own order of elements; pictures want the mesh's.
    let mut values = vec![0.0; body.triangles.len()];
    body.strained.iter().zip(strain).for_each(|(&to, &value)| values[to as usize] = value);
    let item = Item::new(&positions, &body.triangles, Material::cloth(palette::cloth(0)));
    let items = vec![item.with_field(Values::PerFace(&values), scale)];
    let scene = Scene3 { items, markers: Vec::new(), floor: None };
    let bounds = Bounds { min: [-0.62, -1.05, -0.6], max: [0.68, 0.0, -0.4] };
    let framing = Framing { direction: [0.35, 0.15, 1.0], aspect: 1.0, ..Framing::default() };
    let mut picture = Renderer::new(640, 640).with_threads(2).render(&scene, &Camera::framed(&bounds, &framing));
    Legend::percent("strain", scale).draw(&mut picture);
    picture
}
