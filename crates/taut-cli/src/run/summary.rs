//! What a run comes to: one object for programs, a few lines for people.

use super::folder::Folder;
use super::short;
use serde_json::{Value, json};
use taut_scene::simulation::{Seen, Simulation, stage_names};

/// The object that `--json` prints: the last frame in numbers, and what it took to get there.
///
/// `intersections` are those at the end or, if every step was checked, the most at the end of any.
pub fn result(simulation: &mut Simulation) -> Value {
    let now = simulation.intersections().count as u64;
    let metrics = simulation.metrics();
    let frames = simulation.frame();
    let each = |seconds: f64| 1e3 * seconds / f64::from(frames.max(1));
    let stages = stage_names().into_iter().zip(simulation.stage_seconds());
    let line = metrics.to_json();
    let steps = u64::from(frames) * u64::from(simulation.scene().settings.time.steps);
    json!({
        "frames": frames,
        "steps": steps,
        "ms_per_frame": each(simulation.stage_seconds().iter().sum()),
        "stages": stages.map(|(name, &seconds)| (name.to_owned(), json!(each(seconds)))).collect::<Value>(),
        "strain": {
            "weft": line["strain"]["weft"],
            "warp": line["strain"]["warp"],
            "shear": line["strain"]["shear"],
        },
        "area_change": line["area_change"],
        "volume_change": line["volume_change"],
        "energy": line["energy"],
        "momentum": line["momentum"],
        "inverted": line["inverted"],
        "contacts": line["contacts"],
        "intersections": now.max(simulation.contact().crossed.most),
        "state_hash": line["state_hash"],
        "warnings": warnings(simulation),
    })
}

/// Everything that a person should know before trusting the result.
pub fn warnings(simulation: &Simulation) -> Vec<String> {
    let metrics = simulation.metrics();
    let mut warnings = simulation.warnings();
    if metrics.contained > 0 {
        let many = metrics.contained;
        warnings.push(format!("positions were no longer finite and were put back, {many} times: try more substeps"));
    }
    if metrics.inverted > 0 {
        warnings.push(format!("{} tetrahedra are inside out in the last frame", metrics.inverted));
    }
    let held = simulation.inextensibility();
    if held.unmet > 0 {
        let (steps, most) = (held.unmet, 100.0 * held.stretch);
        warnings.push(format!(
            "`solver.max_stretch` was not met at the end of every step (times: {steps}); cloth was stretched by {most:.2} % at \
             most: try more `solver.substeps` or `solver.rounds`"
        ));
    }
    warnings.extend(simulation.refused());
    warnings.extend(simulation.contact().warnings());
    warnings
}

/// What is said of a run that began free of intersections and did not stay so.
pub fn crossed(simulation: &Simulation) -> Option<String> {
    let log = simulation.contact();
    let Seen { frames, most, times: [first, _], at: [x, y, z] } = log.crossed;
    let [a, b] = log.crossed_between.map(|number| simulation.name_of(number));
    let who = if a == b { format!("of {a:?} with itself") } else { format!("of {a:?} and {b:?}") };
    (log.began_free == Some(true) && frames > 0).then(|| {
        format!(
            "the scene began free of intersections and did not stay so: up to {most} in {frames} frames, the first {who} at \
             {first:.3} s, at ({x:.4}, {y:.4}, {z:.4})"
        )
    })
}

/// The same for a person.
pub fn print(simulation: &Simulation, result: &Value, folder: &Folder, seconds: f64) {
    let number = |path: &str| result.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let (frames, each) = (simulation.frame(), number("/ms_per_frame"));
    println!("{}: {frames} frames in {}, {each:.1} ms each to simulate", simulation.scene().title(), short(seconds));
    if simulation.objects().iter().any(|object| object.info.tets.is_empty()) {
        let strain = ["weft", "warp", "shear"].map(|kind| 100.0 * number(&format!("/strain/{kind}/max")));
        let area = 100.0 * number("/area_change");
        let [weft, warp, shear] = strain;
        println!(
            "  largest strain at the end: weft {weft:.2} %, warp {warp:.2} %, shear {shear:.2} %; area {area:+.2} %"
        );
    }
    let held = simulation.inextensibility();
    if held.limited > 0 {
        let (most, substeps) = (100.0 * held.stretch, held.substeps);
        println!(
            "  held cloth was stretched by {most:.2} % at most, with {} levels and up to {substeps} substeps",
            held.levels
        );
    }
    if simulation.objects().iter().any(|object| !object.info.tets.is_empty()) {
        println!("  volume {:+.2} %", 100.0 * number("/volume_change"));
    }
    warnings(simulation).iter().for_each(|warning| println!("  warning: {warning}"));
    println!("  {}", folder.path("report.html").display());
}
