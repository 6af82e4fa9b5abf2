//! `taut view`: the interactive viewer.

use crate::fail::Failure;
use std::path::PathBuf;

/// Which scene is shown, and how the window begins.
#[derive(clap::Args)]
pub struct Args {
    /// A scene file, or the name of a built-in scene.
    #[arg(default_value = "drape")]
    scene: String,
    /// Change a value of the scene, such as cloth.0.density=0.2; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Threads to use; if not given all cores but one, which is the window's. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Begin with time standing still.
    #[arg(long)]
    paused: bool,
    /// What the colours show: weft, warp, shear, area, use, stretch or volume; the cloth's own colours if not given.
    #[arg(long, value_name = "WHAT")]
    heat: Option<String>,
    /// Width and height of the window, in points.
    #[arg(long, value_name = "WxH", default_value = "1280x800")]
    size: String,
    /// Save a picture here once the frame of --at is reached, and end: for scripts.
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// The frame of --picture.
    #[arg(long, value_name = "FRAME", default_value_t = 0, requires = "picture")]
    at: u32,
}

/// Opens the window.
#[cfg(feature = "view")]
pub fn run(args: &Args) -> Result<(), Failure> {
    use taut_view::app::Options;
    use taut_view::session::{Document, Heat};
    // Read here as well, for an error with the right code.
    taut_scene::scene::Scene::open(&args.scene, &args.set)?;
    let document = Document::open(&args.scene, &args.set).map_err(Failure::Failed)?;
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1));
    let options = Options {
        document,
        threads: args.threads.map_or_else(cores, usize::from),
        paused: args.paused,
        heat: args.heat.as_deref().map_or(Ok(Heat::Cloth), heat)?,
        shot: args.picture.clone().map(|path| (args.at, path)),
    };
    taut_view::open(options, size(&args.size)?).map_err(Failure::Failed)
}

#[cfg(feature = "view")]
fn heat(name: &str) -> Result<taut_view::session::Heat, Failure> {
    use taut_view::session::Heat;
    let known = Heat::ALL.into_iter().find(|heat| heat.key() == name);
    known.ok_or_else(|| {
        let names: Vec<&str> = Heat::ALL.iter().map(|heat| heat.key()).collect();
        Failure::BadInput(format!("--heat is {name:?}; expected one of {}", names.join(", ")))
    })
}

#[cfg(feature = "view")]
fn size(text: &str) -> Result<[f32; 2], Failure> {
    let parts: Vec<Option<f32>> = text.split('x').map(|part| part.parse().ok()).collect();
    match parts[..] {
        [Some(width), Some(height)] if (200.0..=10_000.0).contains(&width) && (200.0..=10_000.0).contains(&height) => {
            Ok([width, height])
        }
        _ => Err(Failure::BadInput(format!("--size is {text:?}; expected two numbers from 200 up, such as 1280x800"))),
    }
}

/// Says how to get the window.
#[cfg(not(feature = "view"))]
pub fn run(args: &Args) -> Result<(), Failure> {
    let _ = (&args.set, args.threads, args.paused, &args.heat, &args.size, &args.picture, args.at);
    Err(Failure::BadInput(format!(
        "this taut was built without its viewer, which takes some minutes more to build. From the source folder:\n  \
         cargo run --release --features view -- view {}\nor, to install it:\n  \
         cargo install --path crates/taut-cli --features view",
        args.scene
    )))
}
