//! `report.html`: pictures, charts, results and the scene on one page.

use super::history::{History, Row};
use super::summary::warnings;
use crate::flags::SceneFlags;
use serde_json::Value;
use taut_render::chart::Chart;
use taut_render::report::{Report, ReportPicture};
use taut_scene::simulation::{ObjectKind, Simulation, stage_names};

/// The whole page.
pub fn page(
    simulation: &Simulation,
    history: &History,
    result: &Value,
    pictures: Vec<ReportPicture>,
    flags: &SceneFlags,
) -> String {
    let scene = simulation.scene();
    let mut report = Report {
        title: scene.title(),
        subtitle: subtitle(simulation, flags),
        warnings: warnings(simulation),
        pictures,
        charts: charts(simulation, &history.rows),
        scene: text(scene),
        ..Report::default()
    };
    facts(&mut report, simulation, result, &history.rows);
    report.html()
}

fn subtitle(simulation: &Simulation, flags: &SceneFlags) -> String {
    let scene = simulation.scene();
    let (version, precision) = (env!("CARGO_PKG_VERSION"), flags.precision(scene).name());
    let about = &scene.settings.scene.description;
    let about = if about.is_empty() { String::new() } else { format!("{} · ", about.trim().trim_end_matches('.')) };
    let (frames, wanted) = (simulation.frame(), simulation.frames());
    let frames = if frames < wanted { format!("stopped after {frames} of {wanted}") } else { frames.to_string() };
    format!("{about}taut {version} · {frames} frames of {:.4} s · {precision}", 1.0 / scene.settings.time.fps)
}

/// The scene with the changes that were made to it.
fn text(scene: &taut_scene::scene::Scene) -> String {
    let sets: String = scene.sets().iter().map(|set| format!("# --set {set}\n")).collect();
    format!("{sets}{}", scene.text())
}

/// The table of results.
fn facts(report: &mut Report, simulation: &Simulation, result: &Value, rows: &[Row]) {
    let number = |path: &str| result.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN);
    for object in simulation.objects() {
        let (triangles, tets) = (object.info.triangles.len(), object.info.tets.len());
        let elements = if tets > 0 { format!("{tets} tetrahedra") } else { format!("{triangles} triangles") };
        report.fact(&object.info.name, format!("{} vertices, {elements}", object.info.rest.len()), "");
    }
    report.fact("frames", simulation.frame(), "");
    report.fact("time per frame", format!("{:.2}", number("/ms_per_frame")), "ms");
    let has = |kind| simulation.objects().iter().any(|object| object.kind == kind);
    if has(ObjectKind::Cloth) {
        for kind in ["weft", "warp", "shear"] {
            let [max, p99, mean] = ["max", "p99", "mean"].map(|key| 100.0 * number(&format!("/strain/{kind}/{key}")));
            report.fact(&format!("{kind} strain: largest, p99, mean"), format!("{max:.2}, {p99:.2}, {mean:.2}"), "%");
        }
        report.fact("change of area", format!("{:+.3}", 100.0 * number("/area_change")), "%");
    }
    if has(ObjectKind::Solid) {
        report.fact("change of volume", format!("{:+.3}", 100.0 * number("/volume_change")), "%");
        report.fact("inverted tetrahedra", &result["inverted"], "");
    }
    report.quantity("kinetic energy", number("/energy/kinetic"), "J");
    report.quantity("energy of gravity, from the start", number("/energy/potential") - height_energy(rows), "J");
    report.fact("state hash", result["state_hash"].as_str().unwrap_or_default(), "");
}

/// The potential energy at the beginning, J. Heights count from the origin, which says nothing: what matters is how much
/// has changed.
fn height_energy(rows: &[Row]) -> f64 {
    rows.first().map_or(0.0, |row| row.energy[1])
}

/// Charts over time.
fn charts(simulation: &Simulation, rows: &[Row]) -> Vec<String> {
    let has = |kind| simulation.objects().iter().any(|object| object.kind == kind);
    let over = |of: &dyn Fn(&Row) -> f64| rows.iter().map(|row| [row.time, of(row)]).collect::<Vec<_>>();
    let mut strain = Chart::lines("Largest strain").x("time", "s").y("strain", "%");
    let mut change = Chart::lines("Area and volume").x("time", "s").y("change", "%");
    if has(ObjectKind::Cloth) {
        for (at, name) in ["weft", "warp", "shear"].into_iter().enumerate() {
            strain = strain.series(name, over(&|row| 100.0 * row.strain[at]));
        }
        change = change.series("area of cloth", over(&|row| 100.0 * row.change[0]));
    }
    if has(ObjectKind::Solid) {
        strain = strain.series("stretch of solids", over(&|row| 100.0 * row.strain[3]));
        change = change.series("volume of solids", over(&|row| 100.0 * row.change[1]));
    }
    let zero = height_energy(rows);
    let energy = Chart::lines("Energy")
        .x("time", "s")
        .y("energy", "J")
        .series("kinetic", over(&|row| row.energy[0]))
        .series("gravity, from the start", over(&|row| row.energy[1] - zero));
    let mut stages = Chart::stacked_areas("Time per frame by stage").x("time", "s").y("time", "ms");
    // The first line is the beginning, which takes no time.
    let timed = rows.get(1..).unwrap_or_default();
    for (at, name) in stage_names().into_iter().enumerate() {
        stages = stages.series(name, timed.iter().map(|row| [row.time, row.stages[at]]));
    }
    [strain, change, energy, stages].iter().map(Chart::svg).collect()
}
