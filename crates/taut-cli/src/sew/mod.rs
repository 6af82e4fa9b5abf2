//! `taut sew`: from a pattern to a draped garment.

mod write;

use crate::fail::Failure;
use crate::flags::{InputFlags, Say, named_formats};
use serde_json::json;
use std::path::PathBuf;
use taut::fabric::Fabric;
use taut::mesh::TriMesh;
use taut_scene::garment::{Figure, Pattern, SewReport, SewnMesh, Stage, draw_together, place_around, scene_text};
use taut_scene::read::read_mesh;
use taut_scene::scene::{Scene, settings};
use taut_scene::simulation::{Simulation, seconds};
use taut_studio::Progress;

/// Flags of `taut sew`.
#[derive(clap::Args)]
pub struct Args {
    /// A pattern: JSON of GarmentCode (*_specification.json), or as this program writes it.
    pattern: PathBuf,
    /// What is dressed: a closed mesh in m, y up, standing as the pattern expects.
    #[arg(long, value_name = "MESH")]
    body: PathBuf,
    /// A fabric of the library: see `taut fabrics`.
    #[arg(long, value_name = "NAME", default_value = "cotton")]
    fabric: String,
    /// The wanted length of edges, m.
    #[arg(long, value_name = "M", default_value_t = 0.01, value_parser = length)]
    edge: f64,
    /// Frames (1/60 s) that it is draped for under gravity, at most.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    frames: u32,
    /// The folder to write into.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// File formats of the draped garment beside its OBJ: pc2, mdd, abc, usd, glb, ply, vtu.
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_value = "glb,abc")]
    formats: Vec<String>,
    #[command(flatten)]
    input: InputFlags,
    #[command(flatten)]
    say: Say,
}

fn length(text: &str) -> Result<f64, String> {
    let sound = |x: &f64| (0.002..=0.2).contains(x);
    text.parse().ok().filter(sound).ok_or("expected 0.002 to 0.2 m".into())
}

/// Panels are drawn together with edges of about this length (m), then cut finer.
const COARSE: f64 = 0.03;
/// How near to the pattern (a part of its lengths) cloth is drawn together: coarse, and fine.
const NEAR: [f64; 2] = [0.03, 0.02];
/// Draping ends where no vertex is faster than this, m/s.
const CALM: f64 = 0.02;
/// What is left of its motion after each frame: it hangs down, it does not swing.
const LEFT: f64 = 0.9;

/// Reads, sews, drapes, writes, tells.
pub fn run(args: &Args) -> Result<(), Failure> {
    let begun = seconds();
    let pattern = Pattern::open(&args.pattern).map_err(|error| Failure::BadInput(error.to_string()))?;
    let fabric = Fabric::named(&args.fabric).ok_or_else(|| {
        Failure::BadInput(format!("--fabric {}: there is no such fabric; `taut fabrics` lists them", args.fabric))
    })?;
    let formats = named_formats(args.formats.iter().map(String::as_str))?;
    let body = body(args)?;
    std::fs::create_dir_all(&args.out).map_err(Failure::io("create", &args.out))?;
    write::pattern(&args.out, &pattern)?;
    tell(args, || format!("{}: {} panels, {} seams", pattern.name, pattern.panels.len(), pattern.seams.len()));
    pattern.notes.iter().for_each(|note| tell(args, || format!("  note: {note}")));
    let figure = Figure::new(&body);
    let sewn = dress(args, &pattern, [&Figure::around(&body), &figure], fabric.thickness)?;
    let scene = scene_text(&pattern.name, fabric.name);
    write::start(&args.out, &sewn, &body, &scene)?;
    let (sewn, calm) = drape(args, sewn)?;
    let found = figure.crossings(&sewn.mesh);
    let report =
        SewReport::new(&pattern, &sewn, [fabric.limits[0], fabric.limits[1]], [found.own.len(), found.body.len()]);
    write::start(&args.out, &sewn, &body, &scene)?;
    write::results(&args.out, &formats, &pattern, &sewn, &body, &report)?;
    finish(args, &pattern, &report, fabric, calm, seconds() - begun)
}

fn tell(args: &Args, what: impl FnOnce() -> String) {
    if !args.say.quiet && !args.say.json {
        println!("{}", what());
    }
}

fn body(args: &Args) -> Result<TriMesh, Failure> {
    let file = read_mesh(&args.body, &args.input.options())?;
    let name = args.body.display();
    file.surface.ok_or_else(|| Failure::BadInput(format!("{name}: it has no triangles, expected a surface")))
}

/// Panels around the body, drawn together: coarse, then fine.
fn dress(args: &Args, pattern: &Pattern, figures: [&Figure; 2], thickness: f64) -> Result<SewnMesh, Failure> {
    let wrong = |what: String| Failure::BadInput(format!("{}: {what}", args.pattern.display()));
    let times = (COARSE / args.edge).round().clamp(1.0, 6.0) as usize;
    let mut sewn = SewnMesh::new(pattern, args.edge * times as f64).map_err(wrong)?;
    let placed = place_around(pattern, &mut sewn, figures[0]);
    sewn.notes.iter().chain(&placed).for_each(|note| tell(args, || format!("  note: {note}")));
    let together = |sewn: &mut SewnMesh, at: usize, most: usize, what: &str| -> Result<Stage, Failure> {
        let mut progress = Progress::new(what, 0, most as u64, args.say.quiet);
        let mut watch = |stage: &Stage| {
            progress.at(stage.number as u64, || {
                format!(", longest {:.2} of its pattern, {} stretched", stage.stretch, stage.stretched)
            });
            stage.number < most
        };
        let done = draw_together(sewn, figures[at], NEAR[at], thickness, &mut watch);
        progress.finish();
        done.map_err(|error| Failure::Failed(format!("the garment cannot be built: {error}")))
    };
    let coarse = together(&mut sewn, 0, 60, "sewing")?;
    tell(args, || stage_words("sewn", &coarse, &sewn));
    sewn = sewn.split(times);
    let fine = together(&mut sewn, 1, 12, "fitting")?;
    tell(args, || stage_words("fitted", &fine, &sewn));
    Ok(sewn)
}

fn stage_words(what: &str, stage: &Stage, sewn: &SewnMesh) -> String {
    format!(
        "{what} in {} stages: {} triangles, longest {:.3} of its pattern",
        stage.number,
        sewn.mesh.triangles.len(),
        stage.stretch
    )
}

/// Under gravity, with its fabric and its limits, until it is calm. Tells whether it is.
fn drape(args: &Args, mut sewn: SewnMesh) -> Result<(SewnMesh, bool), Failure> {
    let path = args.out.join("scene.toml");
    let scene = Scene::load(&path, &[])?;
    let mut simulation = Simulation::new(&scene, settings::Precision::F32, 1)?;
    let mut progress = Progress::new("draping", 0, args.frames.into(), args.say.quiet);
    let mut calm = false;
    while simulation.frame() < args.frames && !calm {
        simulation.advance();
        let (fastest, _) = simulation.slow_down(LEFT, f64::INFINITY);
        calm = fastest < CALM;
        progress.at(simulation.frame().into(), || format!(", fastest {fastest:.2} m/s"));
    }
    progress.finish();
    sewn.mesh.positions = simulation.positions(0);
    Ok((sewn, calm))
}

/// Says what came of it; what is not as it should be fails.
fn finish(
    args: &Args,
    pattern: &Pattern,
    report: &SewReport,
    fabric: &Fabric,
    calm: bool,
    took: f64,
) -> Result<(), Failure> {
    let [own, body] = report.intersections;
    let open: Vec<String> = report
        .open_seams()
        .map(|seam| {
            let [x, y, z] = seam.at;
            format!("{} lacks {:.1} mm at ({x:.3}, {y:.3}, {z:.3})", seam.name, 1000.0 * seam.gap)
        })
        .collect();
    if args.say.json {
        let limits = fabric.limits;
        let out = args.out.to_string_lossy();
        println!(
            "{}",
            json!({ "pattern": pattern.name, "fabric": fabric.name, "limits": limits, "out": out, "seconds": took,
                "calm": calm, "notes": pattern.notes, "report": report })
        );
    } else {
        tell(args, || write::words(report, fabric));
        tell(args, || format!("{} in {}", args.out.display(), taut_studio::duration(took)));
    }
    let crossed =
        (own + body > 0).then(|| format!("{own} intersections of the garment with itself, {body} with the body"));
    let wrong: Vec<String> = crossed.into_iter().chain(open).collect();
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Failed(wrong.join("\nerror: "))) }
}
