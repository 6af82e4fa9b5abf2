//! Draws a gallery of procedural scenes: `cargo run --release --example gallery -- OUT_FOLDER`.

mod report;
mod shapes;

use shapes::Mesh;
use std::error::Error;
use std::f64::consts::TAU;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::time::Instant;
use taut_render::export::{self, GifOptions, Mp4Writer};
use taut_render::{
    Bounds, Camera, Floor, Framing, Legend, Markers, Material, Picture, Renderer, Scale, Scene3, Style, Values,
    Wireframe, palette,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: gallery OUT_FOLDER")?;
    let folder = Path::new(&folder);
    if folder.as_os_str() == "--time" {
        time_drape();
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    save(folder, "drape", &drape(1200, 900, Style::studio()))?;
    save(folder, "drape-dark", &drape(800, 600, Style::dark()))?;
    save(folder, "tablecloth", &tablecloth())?;
    save(folder, "torus", &torus())?;
    save(folder, "strain", &strain())?;
    save(folder, "wireframe", &wireframe())?;
    let frames = flag_frames(480, 360, 40);
    animate(folder, &frames)?;
    fs::write(folder.join("report.html"), report::page(folder)?)?;
    time_drape();
    Ok(())
}

fn save(folder: &Path, name: &str, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let file = File::create(folder.join(format!("{name}.png")))?;
    Ok(export::png(BufWriter::new(file), picture)?)
}

fn camera(scene: &Scene3, width: usize, height: usize, direction: [f64; 3]) -> Camera {
    let framing = Framing { direction, aspect: width as f64 / height as f64, ..Framing::default() };
    Camera::framed(&scene.bounds(), &framing)
}

fn drape_scene<'a>(cloth: &'a Mesh, ball: &'a Mesh) -> Scene3<'a> {
    Scene3 {
        items: vec![cloth.item(Material::cloth(palette::indigo())), ball.item(Material::solid(palette::plaster()))],
        floor: Some(Floor { height: 0.0, grid: None }),
        ..Scene3::default()
    }
}

fn drape(width: usize, height: usize, style: Style) -> Picture {
    let (cloth, ball) = (shapes::drape(100), shapes::sphere([0.0, 0.5, 0.0], 0.4, 48));
    let scene = drape_scene(&cloth, &ball);
    let camera = camera(&scene, width, height, [0.4, 0.35, 1.0]);
    Renderer::new(width, height).with_style(style).with_threads(2).render(&scene, &camera)
}

fn tablecloth() -> Picture {
    let (cloth, top) = (shapes::tablecloth(160), shapes::cuboid([0.0, 0.36, 0.0], [0.06, 0.36, 0.06]));
    let foot = shapes::cuboid([0.0, 0.02, 0.0], [0.25, 0.02, 0.25]);
    let scene = Scene3 {
        items: vec![
            cloth.item(Material::cloth(palette::terracotta())),
            top.item(Material::solid(palette::plaster())),
            foot.item(Material::solid(palette::plaster())),
        ],
        floor: Some(Floor { height: 0.0, grid: Some(0.25) }),
        ..Scene3::default()
    };
    let camera = camera(&scene, 800, 600, [0.5, 0.45, 1.0]);
    let mut picture = Renderer::new(800, 600).render(&scene, &camera);
    picture.title("Tablecloth", "160 × 160 vertices · grid 25 cm");
    picture
}

fn torus() -> Picture {
    let (torus, block) = (shapes::torus(0.5, 0.2, 96, 48), shapes::cuboid([-0.55, 0.15, -0.75], [0.2, 0.15, 0.2]));
    let scene = Scene3 {
        items: vec![torus.item(Material::soft_body(palette::sage())), block.item(Material::solid(palette::ochre()))],
        floor: Some(Floor { height: 0.0, grid: None }),
        ..Scene3::default()
    };
    Renderer::new(800, 600).render(&scene, &camera(&scene, 800, 600, [0.3, 0.6, 1.0]))
}

fn strain() -> Picture {
    let flag = shapes::flag(120, 80, 1.3);
    let values = shapes::flag_strain(&flag);
    let scale = Scale::fitting_around_zero(&values);
    let pole = shapes::cuboid([-0.015, 0.45, 0.0], [0.015, 0.65, 0.015]);
    let scene = Scene3 {
        items: vec![
            flag.item(Material::default()).with_field(Values::PerVertex(&values), scale),
            pole.item(Material::solid(palette::plaster())),
        ],
        markers: vec![Markers {
            points: vec![flag.positions[0], flag.positions[flag.positions.len() - 120]],
            radius: 0.022,
            colour: palette::signal(),
        }],
        ..Scene3::default()
    };
    let mut margins = Framing::default().margins;
    margins[1] = Legend::WIDTH;
    margins[2] = 0.15;
    let framing = Framing { direction: [0.3, 0.12, 1.0], margins, ..Framing::default() };
    let mut picture = Renderer::new(800, 600).render(&scene, &Camera::framed(&scene.bounds(), &framing));
    Legend::percent("weft strain", scale).draw(&mut picture);
    picture.title("Flag in wind", "limit 5 %, pins in red");
    picture.caption("frame 32 · 1.28 s");
    picture
}

fn wireframe() -> Picture {
    let (cloth, ball) = (shapes::drape(36), shapes::sphere([0.0, 0.5, 0.0], 0.4, 48));
    let areas: Vec<f64> = cloth.triangles.iter().map(|t| shapes::area(&cloth, t)).collect();
    let mean = areas.iter().sum::<f64>() / areas.len() as f64;
    let change: Vec<f64> = areas.iter().map(|a| (a / mean - 1.0).abs()).collect();
    let scale = Scale::fitting_up_to(&change);
    let scene = Scene3 {
        items: vec![
            cloth
                .item(Material::default())
                .with_field(Values::PerFace(&change), scale)
                .with_wireframe(Wireframe::default()),
            ball.item(Material::solid(palette::plaster())),
        ],
        floor: Some(Floor { height: 0.0, grid: None }),
        ..Scene3::default()
    };
    let mut margins = Framing::default().margins;
    margins[1] = Legend::WIDTH;
    let framing = Framing { direction: [0.4, 0.35, 1.0], margins, ..Framing::default() };
    let mut picture = Renderer::new(800, 600).render(&scene, &Camera::framed(&scene.bounds(), &framing));
    Legend::percent("area change", scale).draw(&mut picture);
    picture
}

/// A flag through one second.
fn flag_frames(width: usize, height: usize, count: usize) -> Vec<Picture> {
    let flags: Vec<Mesh> = (0..count).map(|i| shapes::flag(80, 54, i as f64 * TAU / 6.0 / count as f64)).collect();
    let pole = shapes::cuboid([-0.015, 0.45, 0.0], [0.015, 0.65, 0.015]);
    let mut bounds = Bounds::of(&pole.positions);
    flags.iter().for_each(|flag| bounds.include(&flag.positions));
    let framing = Framing { direction: [0.3, 0.15, 1.0], ..Framing::default() };
    let camera = Camera::framed(&bounds, &framing);
    let draw = |flag: &Mesh| {
        let scene = Scene3 {
            items: vec![flag.item(Material::cloth(palette::plum())), pole.item(Material::solid(palette::plaster()))],
            floor: Some(Floor { height: -0.2, grid: None }),
            ..Scene3::default()
        };
        Renderer::new(width, height).with_threads(2).render(&scene, &camera)
    };
    flags.iter().map(draw).collect()
}

/// Writes frames as GIF, animated PNG, MP4 and a contact sheet.
fn animate(folder: &Path, frames: &[Picture]) -> Result<(), Box<dyn Error>> {
    let open = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
    export::gif(open("flag.gif")?, frames, GifOptions::default())?;
    export::apng(open("flag-animated.png")?, frames, 25.0)?;
    let film = Mp4Writer::start(&folder.join("flag.mp4"), frames[0].width(), frames[0].height(), 25.0);
    let film = film.and_then(|mut film| {
        frames.iter().try_for_each(|frame| film.push(frame))?;
        film.finish()
    });
    if let Err(error) = film {
        println!("{error}");
    }
    let caption = |i: usize| format!("frame {i} · {:.2} s", i as f64 / 25.0);
    let cells: Vec<_> = (0..frames.len()).step_by(5).map(|i| (frames[i].clone(), caption(i))).collect();
    save(folder, "sheet", &export::contact_sheet(&cells, 4, 320))
}

/// Prints how long pictures of about 20 000 and a million triangles take.
fn time_drape() {
    time(&shapes::drape(96), 25);
    time(&shapes::drape(710), 3);
}

fn time(cloth: &Mesh, rounds: usize) {
    let ball = shapes::sphere([0.0, 0.5, 0.0], 0.4, 28);
    let scene = drape_scene(cloth, &ball);
    let count = cloth.triangles.len() + ball.triangles.len();
    let camera = camera(&scene, 800, 600, [0.4, 0.35, 1.0]);
    for threads in [1, 2] {
        let renderer = Renderer::new(800, 600).with_threads(threads);
        let timed = |_| {
            let start = Instant::now();
            std::hint::black_box(renderer.render(&scene, &camera));
            start.elapsed().as_secs_f64() * 1e3
        };
        let best = (0..rounds).map(timed).fold(f64::INFINITY, f64::min);
        println!("800×600, {count} triangles, {threads} thread(s): {best:.0} ms");
    }
}
