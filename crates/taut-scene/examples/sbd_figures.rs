//! Pictures of the Strain Based Dynamics paper's Fig. 3 and 4: `cargo run --release --example sbd_figures -- FOLDER`.
//! The scenes are those whose numbers `tests/sbd` checks.

#[path = "../tests/sbd/scenes.rs"]
mod scenes;

use scenes::{Running, figure_3, figure_4_hang, figure_4_tangle};
use std::path::Path;
use taut::SolidStiffness;
use taut_render::export::{SheetOptions, contact_sheet, png};
use taut_render::{Bounds, Camera, Framing, Item, Markers, Material, Picture, Renderer, Scene3, palette};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out/sbd".into());
    std::fs::create_dir_all(&folder)?;
    let soft = 0.001;
    let cases = [("stiff", [1.0, 1.0, 1.0]), ("low shear", [1.0, 1.0, soft]), ("low weft", [soft, 1.0, 1.0])];
    let mut pictures = Vec::new();
    for (name, [weft, warp, shear]) in cases {
        let mut cloth = figure_3(weft, warp, shear);
        cloth.run(240);
        pictures.push((draw(&cloth, [-0.75, -1.3, -0.3], [0.75, 0.45, 0.3], true), name.to_owned()));
    }
    save(&folder, "figure_3.png", &pictures, 3)?;
    let mut torus = figure_4_tangle(1);
    let mut pictures = Vec::new();
    for (frames, total) in [(0, 0), (1, 1), (2, 3), (117, 120)] {
        torus.run(frames);
        pictures.push((draw(&torus, [-0.6; 3], [0.6; 3], false), format!("{:.2} s", f64::from(total) / 60.0)));
    }
    save(&folder, "figure_4_recovery.png", &pictures, 4)?;
    let (low, high) = (0.002, 0.9);
    let cases = [
        ("e: all soft but volume", [low; 3], [low; 3], high),
        ("f: volume and ring soft", [low, high, high], [high; 3], low),
        ("g: shear high, stretch low", [low; 3], [high; 3], low),
        ("h: shear low, stretch high", [high; 3], [low; 3], low),
    ];
    let mut pictures = Vec::new();
    for (name, stretch, shear, volume) in cases {
        let mut torus = figure_4_hang(SolidStiffness { stretch, shear, volume });
        torus.run(180);
        pictures.push((draw(&torus, [-0.45, -0.75, -0.2], [0.45, 0.42, 0.2], false), name.to_owned()));
    }
    save(&folder, "figure_4_stiffness.png", &pictures, 4)
}

fn draw(running: &Running, lo: [f64; 3], hi: [f64; 3], cloth: bool) -> Picture {
    let positions = running.state.positions(&running.model);
    let body = &running.model.bodies[0];
    let colour = palette::cloth(if cloth { 0 } else { 2 });
    let material = if cloth { Material::cloth(colour) } else { Material::soft_body(colour) };
    let pins = (0..positions.len()).filter(|&v| cloth && running.state.pinned(&running.model, v as u32));
    let points: Vec<_> = pins.map(|v| positions[v]).collect();
    let markers = Markers { points, radius: 0.012, colour: palette::cloth(1) };
    let scene =
        Scene3 { items: vec![Item::new(&positions, &body.triangles, material)], markers: vec![markers], floor: None };
    let framing = Framing { direction: [0.15, 0.1, 1.0], aspect: 1.0, ..Framing::default() };
    let camera = Camera::framed(&Bounds { min: lo, max: hi }, &framing);
    Renderer::new(420, 420).with_threads(2).render(&scene, &camera)
}

fn save(
    folder: &str,
    name: &str,
    pictures: &[(Picture, String)],
    columns: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let sheet = contact_sheet(pictures, &SheetOptions { columns, cell_width: 420, ..SheetOptions::default() });
    png(std::fs::File::create(Path::new(folder).join(name))?, &sheet)?;
    Ok(())
}
