//! `taut render`: a picture of a mesh file, or of a scene at a moment.

use crate::fail::Failure;
use crate::flags::{Say, SceneFlags, stem};
use clap::builder::TypedValueParser;
use serde_json::json;
use std::path::{Path, PathBuf};
use taut_render::{Bounds, Floor, Item, Material, Picture, Renderer, Scale, Scene3, Style, Wireframe, palette};
use taut_scene::read::read_mesh;
use taut_scene::scene::settings;
use taut_scene::simulation::Simulation;
use taut_studio::{Heat, HeatMap, Look, Progress, Shot, Viewpoint, advance_to};

/// Flags of `taut render`.
#[derive(clap::Args)]
pub struct Args {
    /// A mesh file, a scene file, or the name of a built-in scene.
    what: String,
    /// The frame of the scene; its last one if neither this nor --time is given.
    #[arg(long, value_name = "N", conflicts_with = "time")]
    frame: Option<u32>,
    /// The time of the scene, s.
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// What the colours show.
    #[arg(long, default_value = "cloth", value_parser = shown())]
    show: Heat,
    /// Show the painted map of this name.
    #[arg(long, value_name = "NAME", conflicts_with = "show")]
    map: Option<String>,
    /// The strain at the end of the colour scale; chosen to suit if not given.
    #[arg(long, value_name = "STRAIN", value_parser = positive)]
    strain_scale: Option<f64>,
    /// Draw the edges of triangles.
    #[arg(long)]
    wireframe: bool,
    /// On a dark backdrop.
    #[arg(long)]
    dark: bool,
    /// Width and height, pixels.
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "960x720")]
    size: [usize; 2],
    /// From the middle towards the camera: x,y,z.
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    direction: Option<[f64; 3]>,
    /// Where the camera is, m: x,y,z.
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    eye: Option<[f64; 3]>,
    /// Where the camera looks, m: x,y,z.
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    target: Option<[f64; 3]>,
    /// Vertical angle of view, degrees.
    #[arg(long, value_name = "DEGREES", value_parser = angle)]
    fov: Option<f64>,
    /// The PNG file to write; named after the mesh or scene if not given.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    flags: SceneFlags,
    #[command(flatten)]
    say: Say,
}

/// What the colours of a picture can show.
fn shown() -> impl clap::builder::TypedValueParser<Value = Heat> {
    let known = Heat::ALL.map(|heat| clap::builder::PossibleValue::new(heat.key()).help(heat.name()));
    clap::builder::PossibleValuesParser::new(known).map(|key| Heat::from_key(&key).unwrap_or_default())
}

fn vector(text: &str) -> Result<[f64; 3], String> {
    let parts: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    let finite = |v: &[f64; 3]| v.iter().all(|x| x.is_finite());
    <[f64; 3]>::try_from(parts).ok().filter(finite).ok_or("expected three numbers such as 0.5,0.4,1".into())
}

fn size(text: &str) -> Result<[usize; 2], String> {
    let (width, height) = text.split_once(['x', '×']).unwrap_or_default();
    match (width.parse(), height.parse()) {
        (Ok(width @ 16..=8192), Ok(height @ 16..=8192)) => Ok([width, height]),
        _ => Err("expected width and height from 16 to 8192, such as 960x720".into()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|v: &f64| *v > 0.0 && v.is_finite()).ok_or("expected a number above 0".into())
}

fn angle(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|v| (1.0..=150.0).contains(v)).ok_or("expected 1 to 150 degrees".into())
}

/// Draws the picture.
pub fn run(args: &Args) -> Result<(), Failure> {
    let path = Path::new(&args.what);
    let is_mesh = path.is_file() && path.extension().is_some_and(|end| !end.eq_ignore_ascii_case("toml"));
    let (picture, name, frame) = if is_mesh { mesh(args, path)? } else { scene(args)? };
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.png")));
    let file = out.file_name().and_then(|name| name.to_str());
    let file = file.ok_or_else(|| Failure::BadInput(format!("--out {} is not a file name", out.display())))?;
    let dir = out.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir).map_err(Failure::io("create", dir))?;
    taut_studio::save(dir, file, &picture)?;
    if args.say.json {
        let [width, height] = args.size;
        println!("{}", json!({ "picture": out.to_string_lossy(), "width": width, "height": height, "frame": frame }));
    } else if !args.say.quiet {
        println!("{}", out.display());
    }
    Ok(())
}

/// The view that the flags ask for.
fn view(args: &Args, view: Viewpoint) -> Viewpoint {
    let eye = args.eye.or(view.eye.filter(|_| args.direction.is_none()));
    Viewpoint {
        eye,
        target: args.target.or(view.target),
        direction: args.direction.unwrap_or(view.direction),
        fov: args.fov.unwrap_or(view.fov),
    }
}

fn style(args: &Args) -> Style {
    if args.dark { Style::dark() } else { Style::studio() }
}

/// A picture of a mesh file, and its name.
fn mesh(args: &Args, path: &Path) -> Result<(Picture, String, Option<u32>), Failure> {
    if args.show != Heat::Cloth {
        return Err(Failure::BadInput("a mesh file has no strain to show: it does not say how it is at rest".into()));
    }
    let file = read_mesh(path, &args.flags.input.options())?;
    let mut parts = Vec::new();
    parts.extend(file.surface.map(|mesh| (mesh.positions, mesh.triangles, Material::cloth(palette::indigo()))));
    parts.extend(file.tets.map(|mesh| {
        let surface = taut::mesh::boundary_triangles(&mesh.tets);
        (mesh.positions, surface, Material::soft_body(palette::sage()))
    }));
    let mut scene = Scene3::default();
    for (positions, triangles, material) in &parts {
        let item = Item::new(positions, triangles, *material);
        scene.items.push(if args.wireframe { item.with_wireframe(Wireframe::default()) } else { item });
    }
    let bounds: Bounds = scene.bounds();
    let lowest = if bounds.is_empty() { 0.0 } else { bounds.min[1] };
    scene.floor = Some(Floor { height: lowest - 0.02 * bounds.radius(), grid: None });
    let [width, height] = args.size;
    let points: Vec<[f64; 3]> = parts.iter().flat_map(|(positions, ..)| positions).copied().collect();
    let view = view(args, Viewpoint::from(&settings::Camera::default()));
    let camera = view.camera(&points, width as f64 / height as f64, 0.0);
    let renderer = Renderer::new(width, height).with_style(style(args)).with_threads(args.flags.threads());
    let name = path.file_stem().map_or("mesh".into(), |stem| stem.to_string_lossy().into_owned());
    Ok((renderer.render(&scene, &camera), name, None))
}

/// The painted map of a name.
fn painted(simulation: &Simulation, name: &str) -> Result<Heat, Failure> {
    Heat::of_map(simulation, name).ok_or_else(|| {
        let known = taut_studio::painted(simulation);
        let known = if known.is_empty() { "it has none".to_owned() } else { format!("its maps: {}", known.join(", ")) };
        Failure::BadInput(format!("--map {name:?}: nothing in this scene has a map called that\n  = {known}"))
    })
}

/// A picture of a scene, its name and the frame.
fn scene(args: &Args) -> Result<(Picture, String, Option<u32>), Failure> {
    let scene = args.flags.open(&args.what)?;
    let mut simulation = args.flags.build(&scene)?;
    let fps = scene.settings.time.fps;
    let frame = match (args.frame, args.time) {
        (Some(frame), _) => frame,
        (None, Some(time)) if (0.0..=1e6).contains(&time) => (time * fps).round() as u32,
        (None, Some(time)) => return Err(Failure::BadInput(format!("--time {time}: expected 0 to 1000000 s"))),
        (None, None) => simulation.frames(),
    };
    advance_to(&mut simulation, frame, Progress::new(&stem(&scene), 0, frame.into(), args.say.quiet));
    let shot = Shot::of(&simulation);
    let mut look = Look::new(&simulation, args.flags.threads());
    look.include(&shot);
    look.view = view(args, look.view);
    look.style = style(args);
    look.wireframe |= args.wireframe;
    let heat = args.map.as_deref().map_or(Ok(args.show), |name| painted(&simulation, name))?;
    let map = (heat != Heat::Cloth).then(|| {
        let fitting = || match heat {
            Heat::Use => Scale::up_to(1.0),
            Heat::Map(_) => heat.map_scale(&simulation),
            _ => look.scale(&[&shot], &[heat], f64::INFINITY),
        };
        HeatMap { heat, scale: args.strain_scale.map_or_else(fitting, Scale::around_zero) }
    });
    let at = |object: usize| heat.values(&simulation, object, &shot.fields[object], &shot.positions[object]);
    if map.is_some() && (0..shot.positions.len()).all(|object| at(object).is_none()) {
        return Err(Failure::BadInput(format!("--show {}: nothing in this scene has that", heat.key())));
    }
    Ok((look.draw(&shot, map.as_ref(), args.size), stem(&scene), Some(frame)))
}
