//! `report.html`: pictures, charts, results and the scene on one page.

use super::history::{History, Row};
use crate::flags::SceneFlags;
use serde_json::Value;
use taut_render::chart::{Chart, Limit};
use taut_render::report::{Report, ReportPicture, Table};
use taut_scene::simulation::{BodyLog, ObjectKind, Simulation, Way, amount, limit_words, place, stage_names};
use taut_studio::warnings;

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
    let counted = if frames < wanted { format!("stopped after {frames} of {wanted}") } else { frames.to_string() };
    let (fps, seconds) = (scene.settings.time.fps, simulation.time());
    format!("{about}{counted} frames, {fps} a second, {seconds:.2} s · {precision} · taut {version}")
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
        report.tables.extend(tensions(simulation));
        report.fact("change of area", format!("{:+.3}", 100.0 * number("/area_change")), "%");
    }
    if has(ObjectKind::Solid) {
        report.fact("change of volume", format!("{:+.3}", 100.0 * number("/volume_change")), "%");
        report.fact("inverted tetrahedra", &result["inverted"], "");
    }
    report.fact("intersections", &result["intersections"], "");
    let log = simulation.contact();
    if !simulation.scene().settings.contact.on {
        report.fact("contact between surfaces", "off", "");
    } else {
        report.fact("near pairs kept apart at the end", log.frame.pairs, "");
        report.fact("motion taken back so that nothing intersects", format!("{:.3}", 100.0 * log.removed), "%");
    }
    if let Some(limit) = simulation.metrics().limit {
        report.fact("sweeps of strain limiters in the last frame", limit.iterations, "");
        report.fact("strain beyond its limits, as they left it", format!("{:.2}", 100.0 * limit.after.worst()), "%");
    }
    report.quantity("kinetic energy", number("/energy/kinetic"), "J");
    report.quantity("energy of gravity, from the start", number("/energy/potential") - height_energy(rows), "J");
    if stores(rows) {
        report.quantity("elastic energy", number("/energy/elastic"), "J");
    }
    report.fact("state hash", result["state_hash"].as_str().unwrap_or_default(), "");
}

/// What bounds allow, as lines in a chart of these ways of being stretched.
fn limit_lines(simulation: &Simulation, ways: &[Way], value: impl Fn(f64) -> f64) -> Vec<Limit> {
    let mut lines: Vec<Limit> = Vec::new();
    for body in &simulation.tension_log().bodies {
        for (at, way) in ways.iter().enumerate() {
            let bound = way.bound(&body.bounds);
            let line = Limit { name: format!("{} limit", way.name()), value: value(bound), series: Some(at) };
            if bound.is_finite() && !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

/// How far each cloth was stretched in all frames but the first, when and where.
fn tensions(simulation: &Simulation) -> Vec<Table> {
    let row = |body: &BodyLog, way: Way| {
        let of = body.way(way);
        let bound = way.bound(&body.bounds);
        let (peak, some) = (of.most.peak, of.most.peak.is_some());
        let limit = if bound.is_finite() { amount(way, bound) } else { "–".to_owned() };
        let beyond = if bound.is_finite() { of.frames_beyond.to_string() } else { "–".to_owned() };
        let squeezed = Some(of.compression).filter(|squeezed| squeezed.peak.value > 0.0);
        let compression = squeezed
            .map_or("–".to_owned(), |most| format!("{}{}", amount(way, most.peak.value), most.when_and_where()));
        let shorter = way.shorter(&body.bounds);
        let compression = match shorter.is_finite() {
            true => {
                format!("{compression} ({}, beyond it in {} frames)", limit_words(way, shorter), of.frames_squeezed)
            }
            false => compression,
        };
        let held = if of.held.peak.is_some() { amount(way, of.held.peak.value.max(0.0)) } else { "–".to_owned() };
        let cells = vec![
            if some { amount(way, peak.value.max(0.0)) } else { "–".to_owned() },
            limit,
            if some { of.most.frame.to_string() } else { "–".to_owned() },
            if some { place(peak.at) } else { "–".to_owned() },
            beyond,
            compression,
            held,
        ];
        (way.name().to_owned(), cells)
    };
    let columns =
        ["largest", "limit", "in frame", "at (m)", "frames beyond the limit", "compression", "between pins alone"];
    let table = |body: &BodyLog| Table {
        title: format!("Tension of {:?} over all frames", body.name),
        columns: columns.map(str::to_owned).to_vec(),
        rows: simulation.tension_log().told().map(|way| row(body, way)).collect(),
    };
    simulation.tension_log().bodies.iter().map(table).collect()
}

/// Whether anything stores elastic energy.
fn stores(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.energy[2] > 0.0)
}

/// The potential energy at the beginning, J. Heights count from the origin, which says nothing: what matters is how
/// much has changed.
fn height_energy(rows: &[Row]) -> f64 {
    rows.first().map_or(0.0, |row| row.energy[1])
}

/// Charts over time.
fn charts(simulation: &Simulation, rows: &[Row]) -> Vec<String> {
    let has = |kind| simulation.objects().iter().any(|object| object.kind == kind);
    let stretched: Vec<Way> = simulation.tension_log().told().filter(|&way| way != Way::Shear).collect();
    let over = |of: &dyn Fn(&Row) -> f64| rows.iter().map(|row| [row.time, of(row)]).collect::<Vec<_>>();
    let mut tension = Chart::lines("Largest tension").x("time", "s").y("tension", "%");
    let mut shear = Chart::lines("Largest shear").x("time", "s").y("angle off the right one", "degrees");
    let degrees = |cosine: f64| cosine.clamp(-1.0, 1.0).asin().to_degrees();
    let percent = |value: f64| 100.0 * value;
    let mut solid = Chart::lines("Largest strain of solids").x("time", "s").y("strain", "%");
    let mut change = Chart::lines("Area and volume").x("time", "s").y("change", "%");
    if has(ObjectKind::Cloth) {
        for &way in &stretched {
            tension = tension.series(way.name(), over(&|row| percent(row.tension[way as usize].max(0.0))));
        }
        tension = tension.with_limits(limit_lines(simulation, &stretched, percent));
        shear = shear.series("shear", over(&|row| degrees(row.tension[Way::Shear as usize])));
        shear = shear.with_limits(limit_lines(simulation, &[Way::Shear], degrees));
        change = change.series("area of cloth", over(&|row| 100.0 * row.change[0]));
    }
    if has(ObjectKind::Solid) {
        solid = solid.series("stretch of solids", over(&|row| percent(row.solid)));
        change = change.series("volume of solids", over(&|row| 100.0 * row.change[1]));
    }
    let zero = height_energy(rows);
    let mut energy = Chart::lines("Energy")
        .x("time", "s")
        .y("energy", "J")
        .series("kinetic", over(&|row| row.energy[0]))
        .series("gravity, from the start", over(&|row| row.energy[1] - zero));
    if stores(rows) {
        energy = energy
            .series("elastic", over(&|row| row.energy[2]))
            .series("all", over(&|row| row.energy[0] + row.energy[1] - zero + row.energy[2]));
    }
    let mut stages = Chart::stacked_areas("Time per frame by stage").x("time", "s").y("time", "ms");
    // The first line is the beginning, which takes no time.
    let timed = rows.get(1..).unwrap_or_default();
    for (at, name) in stage_names().into_iter().enumerate() {
        stages = stages.series(name, timed.iter().map(|row| [row.time, row.stages[at]]));
    }
    let contact = Chart::lines("Contact between surfaces")
        .x("time", "s")
        .y("in a frame", "")
        .series("near pairs kept apart", over(&|row| row.contact[0]))
        .series("vertices stopped by the guard", over(&|row| row.contact[1]));
    let met = rows.iter().any(|row| row.contact[0] > 0.0);
    let contact = Some(contact).filter(|_| met);
    let cloth = Some([tension, shear]).filter(|_| has(ObjectKind::Cloth));
    let solid = Some(solid).filter(|_| has(ObjectKind::Solid));
    let first = cloth.iter().flatten().chain(&solid);
    first.chain([&change, &energy]).chain(&contact).chain([&stages]).map(Chart::svg).collect()
}
