//! `taut sew`: from a pattern to a draped garment.

mod again;
mod write;

use crate::fail::Failure;
use crate::flags::{InputFlags, Say, named_formats};
use serde_json::json;
use std::path::PathBuf;
use taut::fabric::Fabric;
use taut::mesh::TriMesh;
use taut_scene::garment::{Choice, Figure, Motion, Pattern, SewReport, SewnMesh, Stage, draw_together, place_around};
use taut_scene::read::read_mesh;
use taut_scene::scene::{Scene, settings};
use taut_scene::simulation::{Simulation, seconds};
use taut_studio::Progress;

/// Flags of `taut sew`.
#[derive(clap::Args)]
pub struct Args {
    /// A pattern: JSON of GarmentCode (*_specification.json) or as this program writes it, or a garment in TOML that
    /// names the seams of a DXF. Of several, each is sewn over those before it.
    #[arg(required = true)]
    pattern: Vec<PathBuf>,
    /// The size, if the pattern's file has several.
    #[arg(long, value_name = "NAME")]
    size: Option<String>,
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
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    frames: u32,
    /// The folder to write into.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// File formats of the draped garment beside its OBJ: pc2, mdd, abc, usd, glb, ply, vtu.
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_value = "glb,abc")]
    formats: Vec<String>,
    /// Do not sew again what was sewn into this folder already, of the same pattern, body, fabric and edge: drape it.
    #[arg(long)]
    resume: bool,
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
/// Draping ends where every seam is closed and the mean speed (m/s) of the garment has been below this for so many
/// frames on end. Single vertices at their limit may still tremble.
const CALM: (f64, u32) = (0.02, 6);
/// What is left of its motion after each frame: it hangs down, it does not swing.
const LEFT: f64 = 0.9;

/// Garments that are worn at once, at most.
const MOST: usize = 8;

/// A garment of an outfit.
struct Garment {
    /// In the scene, and of its files: `garment`, `garment_2`.
    name: String,
    pattern: Pattern,
    sewn: SewnMesh,
}

/// Reads, sews, drapes, writes, tells.
pub fn run(args: &Args) -> Result<(), Failure> {
    let begun = seconds();
    let patterns = patterns(args)?;
    let fabric = Fabric::named(&args.fabric).ok_or_else(|| {
        Failure::BadInput(format!("--fabric {}: there is no such fabric; `taut fabrics` lists them", args.fabric))
    })?;
    let formats = named_formats(args.formats.iter().map(String::as_str))?;
    let body = body(args)?;
    std::fs::create_dir_all(&args.out).map_err(Failure::io("create", &args.out))?;
    let mut outfit: Vec<Garment> = Vec::new();
    for (at, pattern) in patterns.into_iter().enumerate() {
        let name = if at == 0 { "garment".to_owned() } else { format!("garment_{}", at + 1) };
        write::pattern(&args.out, &name, &pattern)?;
        tell(args, || format!("{}: {} panels, {} seams", pattern.name, pattern.panels.len(), pattern.seams.len()));
        pattern.notes.iter().for_each(|note| tell(args, || format!("  note: {note}")));
        // What is worn under it is part of the body for it.
        let inner = || outfit.iter().map(|garment| &garment.sewn.mesh);
        let under = together(std::iter::once(&body).chain(inner()));
        let puffed: Vec<TriMesh> = inner().map(puffed).collect();
        let around = together(std::iter::once(&body).chain(&puffed));
        let sewn = sew(args, &name, &pattern, [&around, &under], fabric.thickness)?;
        outfit.push(Garment { name, pattern, sewn });
    }
    let scene = write::scene(&outfit, fabric.name);
    write::start(&args.out, &outfit, &body, &scene)?;
    let limits = [fabric.limits[0], fabric.limits[1]];
    let motions = drape(args, &mut outfit, limits)?;
    let all = together(outfit.iter().map(|garment| &garment.sewn.mesh));
    let found = Figure::new(&body).crossings(&all);
    let at = found.own.iter().chain(&found.body).next().map(|[t, _]| {
        let [x, y, z] = all.positions[all.triangles[*t as usize][0] as usize];
        format!("the first at ({x:.3}, {y:.3}, {z:.3})")
    });
    let reports = outfit.iter().zip(motions).map(|(garment, motion)| {
        let crossed = [found.own.len(), found.body.len()];
        SewReport { motion, ..SewReport::new(&garment.pattern, &garment.sewn, limits, crossed) }
    });
    let reports: Vec<SewReport> = reports.collect();
    write::start(&args.out, &outfit, &body, &scene)?;
    write::results(&args.out, &formats, &outfit, &body, &reports)?;
    finish(args, &outfit, &reports, at, fabric, seconds() - begun)
}

/// All patterns, which have seams.
fn patterns(args: &Args) -> Result<Vec<Pattern>, Failure> {
    if args.pattern.len() > MOST {
        let count = args.pattern.len();
        return Err(Failure::BadInput(format!("found {count} patterns, expected at most {MOST}")));
    }
    let choice = Choice { size: args.size.clone() };
    let open = |path: &PathBuf| {
        let pattern = Pattern::open(path, &choice).map_err(|error| Failure::BadInput(error.to_string()))?;
        if pattern.seams.is_empty() {
            let names: Vec<String> = pattern.panels.iter().take(20).map(|panel| format!("{:?}", panel.name)).collect();
            return Err(Failure::BadInput(format!(
                "{}: it names no seams; a garment file does, which takes panels from it (docs/guide/garment.md). Its \
                 panels: {}",
                path.display(),
                names.join(", ")
            )));
        }
        Ok(pattern)
    };
    args.pattern.iter().map(open).collect()
}

/// Surfaces as one.
fn together<'a>(meshes: impl Iterator<Item = &'a TriMesh>) -> TriMesh {
    let mut all = TriMesh::default();
    for mesh in meshes {
        let first = all.positions.len() as u32;
        all.positions.extend(&mesh.positions);
        all.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

/// How far outside of a garment (m) the coarse figure is that another is sewn around at first: it cuts corners.
const PUFFED: f64 = 0.02;

/// A garment a little larger, every vertex further out.
fn puffed(mesh: &TriMesh) -> TriMesh {
    let mut normals = vec![[0.0; 3]; mesh.positions.len()];
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        let [d, e]: [[f64; 3]; 2] = [b, c].map(|p| std::array::from_fn(|k| p[k] - a[k]));
        let normal = [d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]];
        t.iter().for_each(|&v| (0..3).for_each(|k| normals[v as usize][k] += normal[k]));
    }
    let out = |(p, n): (&[f64; 3], &[f64; 3])| -> [f64; 3] {
        let length = n.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        std::array::from_fn(|k| p[k] + PUFFED * n[k] / length)
    };
    let positions = mesh.positions.iter().zip(&normals).map(out).collect();
    TriMesh { positions, triangles: mesh.triangles.clone(), ..TriMesh::default() }
}

/// A pattern drawn together around what is under it, or as it was before.
fn sew(args: &Args, name: &str, pattern: &Pattern, under: [&TriMesh; 2], thickness: f64) -> Result<SewnMesh, Failure> {
    let [around, under] = under;
    let key = again::key(pattern, under, args.edge, thickness);
    let wrong = |what: String| Failure::BadInput(format!("{}: {what}", pattern.name));
    let coarse = SewnMesh::new(pattern, args.edge * args.times() as f64).map_err(wrong)?;
    if args.resume {
        let mut before = coarse.split(args.times());
        if again::load(&args.out, name, key, &mut before) {
            tell(args, || "sewn already: draped again".into());
            return Ok(before);
        }
    }
    let sewn = dress(args, pattern, coarse, [&Figure::around(around), &Figure::new(under)], thickness)?;
    again::save(&args.out, name, key, &sewn)?;
    Ok(sewn)
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

impl Args {
    /// Into how many parts the edges of the coarse mesh are cut.
    fn times(&self) -> usize {
        (COARSE / self.edge).round().clamp(1.0, 6.0) as usize
    }
}

/// Panels around the body, drawn together: coarse, then fine.
fn dress(
    args: &Args,
    pattern: &Pattern,
    mut sewn: SewnMesh,
    figures: [&Figure; 2],
    thickness: f64,
) -> Result<SewnMesh, Failure> {
    let placed = place_around(pattern, &mut sewn, figures[0]);
    sewn.notes.iter().chain(&placed).for_each(|note| tell(args, || format!("  note: {note}")));
    let draw = |sewn: &mut SewnMesh, at: usize, most: usize, what: &str| -> Result<Stage, Failure> {
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
    let coarse = draw(&mut sewn, 0, 60, "sewing")?;
    tell(args, || stage_words("sewn", &coarse, &sewn));
    sewn = sewn.split(args.times());
    let fine = draw(&mut sewn, 1, 6, "fitting")?;
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

/// Under gravity, with their fabric and its limits, until they are calm. Tells how each moves in the end.
fn drape(args: &Args, outfit: &mut [Garment], limits: [f64; 2]) -> Result<Vec<Motion>, Failure> {
    let path = args.out.join("scene.toml");
    let scene = Scene::load(&path, &[])?;
    let mut simulation = Simulation::new(&scene, settings::Precision::F32, 1)?;
    let mut progress = Progress::new("draping", 0, args.frames.into(), args.say.quiet);
    let (mut motions, mut still) = (vec![Motion::default(); outfit.len()], 0);
    let closed = |garment: &Garment| {
        SewReport::new(&garment.pattern, &garment.sewn, limits, [0; 2]).open_seams().next().is_none()
    };
    while simulation.frame() < args.frames && (still < CALM.1 || !outfit.iter().all(closed)) {
        simulation.advance();
        simulation.slow_down(LEFT, f64::INFINITY);
        let mut mean = 0.0f64;
        for (at, (garment, motion)) in outfit.iter_mut().zip(&mut motions).enumerate() {
            let now = simulation.positions(at);
            *motion = Motion::between(&garment.sewn.mesh.positions, &now, 1.0 / 60.0);
            garment.sewn.mesh.positions = now;
            mean = mean.max(motion.mean);
        }
        still = if mean < CALM.0 { still + 1 } else { 0 };
        progress.at(simulation.frame().into(), || format!(", {mean:.3} m/s in the mean"));
    }
    progress.finish();
    motions.iter_mut().for_each(|motion| motion.calm = still >= CALM.1);
    Ok(motions)
}

/// Says what came of it; what is not as it should be fails.
fn finish(
    args: &Args,
    outfit: &[Garment],
    reports: &[SewReport],
    crossed_at: Option<String>,
    fabric: &Fabric,
    took: f64,
) -> Result<(), Failure> {
    if args.say.json {
        let (limits, out) = (fabric.limits, args.out.to_string_lossy());
        let garments: Vec<_> = outfit
            .iter()
            .zip(reports)
            .map(|(garment, report)| {
                json!({ "pattern": garment.pattern.name, "name": garment.name, "notes": garment.pattern.notes,
                    "report": report })
            })
            .collect();
        println!(
            "{}",
            json!({ "fabric": fabric.name, "limits": limits, "out": out, "seconds": took, "garments": garments })
        );
    } else {
        for (garment, report) in outfit.iter().zip(reports) {
            if outfit.len() > 1 {
                tell(args, || format!("{}:", garment.name));
            }
            tell(args, || write::words(report, fabric));
        }
        tell(args, || format!("{} in {}", args.out.display(), taut_studio::duration(took)));
    }
    let [own, body] = reports.first().map_or([0; 2], |report| report.intersections);
    let crossed = crossed_at
        .map(|at| format!("{own} intersections of cloth with itself or other cloth, {body} with the body, {at}"));
    let open = reports.iter().flat_map(SewReport::open_seams).map(|seam| {
        let [x, y, z] = seam.at;
        format!("{} lacks {:.1} mm at ({x:.3}, {y:.3}, {z:.3})", seam.name, 1000.0 * seam.gap)
    });
    let wrong: Vec<String> = crossed.into_iter().chain(open).collect();
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Failed(wrong.join("\nerror: "))) }
}
