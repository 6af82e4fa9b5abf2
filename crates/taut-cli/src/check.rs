//! `taut check`: reads and builds a scene and says what is in it. Writes no files.

use crate::fail::Failure;
use crate::flags::{Say, SceneFlags, tell};
use serde_json::{Value, json};
use taut::limit::LimitSpec;
use taut_scene::simulation::{Intersections, Object, ObjectKind, Simulation};
use taut_scene::write::{Clip, format};

/// Flags of `taut check`.
#[derive(clap::Args)]
pub struct Args {
    /// A scene file, or the name of a built-in scene.
    scene: String,
    #[command(flatten)]
    flags: SceneFlags,
    #[command(flatten)]
    say: Say,
}

/// Reads and builds a scene.
pub fn run(args: &Args) -> Result<(), Failure> {
    let scene = args.flags.open(&args.scene)?;
    let mut simulation = args.flags.build(&scene)?;
    // What intersects is then among the warnings.
    let crossed = simulation.intersections();
    let clip = Clip::new(simulation.setup())?;
    for name in &scene.settings.output.formats {
        format(name.0).map_or(Ok(()), |format| format.check(&clip))?;
    }
    if args.say.json {
        println!("{}", describe(&simulation, &crossed));
    } else if !args.say.quiet {
        print(&simulation);
    }
    Ok(())
}

fn kind(object: &Object) -> &'static str {
    match object.kind {
        ObjectKind::Cloth => "cloth",
        ObjectKind::Solid => "solid",
    }
}

/// The names of the bodies that a limiter is for.
fn limited<'a>(simulation: &'a Simulation, limit: &LimitSpec) -> Vec<&'a str> {
    let fits = |object: &Object| match object.kind {
        ObjectKind::Cloth => limit.kind.fits_cloth(),
        ObjectKind::Solid => limit.kind.fits_solids(),
    };
    let objects = simulation
        .objects()
        .iter()
        .enumerate()
        .filter(|(at, object)| limit.bodies.contains(at) || limit.bodies.is_empty() && fits(object));
    objects.map(|(_, object)| object.info.name.as_str()).collect()
}

/// Everything as JSON.
fn describe(simulation: &Simulation, crossed: &Intersections) -> Value {
    let settings = &simulation.scene().settings;
    let body = |object: &Object| {
        json!({
            "name": object.info.name,
            "kind": kind(object),
            "vertices": object.info.rest.len(),
            "triangles": object.info.triangles.len(),
            "tetrahedra": object.info.tets.len(),
        })
    };
    let limit = |limit: &LimitSpec| json!({ "kind": limit.kind.name(), "bodies": limited(simulation, limit) });
    json!({
        "scene": simulation.scene().name(),
        "title": simulation.scene().title(),
        "bodies": simulation.objects().iter().map(body).collect::<Vec<_>>(),
        "colliders": simulation.colliders().iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
        "limits": simulation.limits().iter().map(limit).collect::<Vec<_>>(),
        "held": simulation.pinned_positions().len(),
        "frames": simulation.frames(),
        "fps": settings.time.fps,
        "formats": settings.output.formats.iter().map(|f| f.0).collect::<Vec<_>>(),
        "intersections": crossed.count,
        "warnings": simulation.warnings(),
    })
}

/// Everything for a person.
fn print(simulation: &Simulation) {
    let scene = simulation.scene();
    tell!("{}: {}", scene.name(), scene.title());
    for object in simulation.objects() {
        let (triangles, tets) = (object.info.triangles.len(), object.info.tets.len());
        let elements = if tets > 0 { format!("{tets} tetrahedra") } else { format!("{triangles} triangles") };
        tell!("  {} {:?}: {} vertices, {elements}", kind(object), object.info.name, object.info.rest.len());
    }
    for collider in simulation.colliders() {
        tell!("  collider {:?}", collider.name);
    }
    for limit in simulation.limits() {
        tell!("  limit {:?} on {}", limit.kind.name(), limited(simulation, limit).join(", "));
    }
    tell!("  {} vertices held at the beginning", simulation.pinned_positions().len());
    let time = &scene.settings.time;
    let seconds = f64::from(simulation.frames()) / time.fps;
    tell!("  {} frames, {} a second, {seconds:.2} s", simulation.frames(), time.fps);
    let formats: Vec<&str> = scene.settings.output.formats.iter().map(|f| f.0).collect();
    tell!("  written as {}", if formats.is_empty() { "nothing".into() } else { formats.join(", ") });
    let warnings = simulation.warnings();
    warnings.iter().for_each(|warning| tell!("  warning: {warning}"));
    let fine = warnings.is_empty();
    tell!("  {}", if fine { "nothing is wrong with it" } else { "it can be run" });
}
