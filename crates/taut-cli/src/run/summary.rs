//! What a run comes to: one object for programs, a few lines for people.

use super::folder::Folder;
use super::short;
use serde_json::{Value, json};
use taut_scene::simulation::{Seen, Simulation, Way, amount, limit_words, stage_names};

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
        "tension": simulation.tension_log().to_json(),
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
    let tension = simulation.tension_log();
    let missed = tension.missed();
    warnings.extend(missed.iter().take(MOST_MISSES).map(|(body, way)| tension.miss(body, *way)));
    if missed.len() > MOST_MISSES {
        warnings.push(format!("{} more limits on stretch were missed", missed.len() - MOST_MISSES));
    }
    warnings.extend(simulation.inextensibility().missed.map(|missed| blocked(simulation, &missed)));
    let given_up = simulation.inextensibility().given_up;
    if given_up > 0 {
        warnings.push(format!(
            "limits and contact could not be met otherwise: motion was given up, of vertices (times): {given_up}"
        ));
    }
    warnings.extend(tension.held());
    warnings.extend(simulation.refused());
    warnings.extend(simulation.contact().warnings());
    warnings
}

/// What keeps cloth beyond its limits, where that is worst.
fn blocked(simulation: &Simulation, missed: &taut::MissedBound) -> String {
    let pin = |vertex: u32| simulation.vertex_of(vertex).1;
    let pins = match missed.pins {
        [Some(a), Some(b)] => format!("the pins at its vertices {} and {}", pin(a), pin(b)),
        [Some(a), None] => format!("the pin at its vertex {}", pin(a)),
        _ => String::new(),
    };
    let why = match (pins.is_empty(), missed.touching) {
        (false, true) => format!("{pins} and what it touches hold it there"),
        (false, false) => format!("{pins} hold it there"),
        (true, true) => "what it touches holds it there".into(),
        (true, false) => "nothing that could be named holds it there: try more `solver.rounds`".into(),
    };
    let (name, _) = simulation.vertex_of(missed.corners[0]);
    let [x, y, z] = missed.at;
    format!(
        "{name:?} could not be brought within its limits at the end of a step: at worst {:.2} times as far as it may be, at \
         ({x:.4}, {y:.4}, {z:.4}); {why}",
        missed.used
    )
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

/// Misses that are named one by one.
const MOST_MISSES: usize = 5;

/// The largest tension of each kind in the run, and what its limit is; nothing without cloth.
fn tension_words(simulation: &Simulation) -> Option<String> {
    let tension = simulation.tension_log();
    let many = tension.bodies.len() > 1;
    let bounded = |way: Way| tension.bodies.iter().any(|body| way.bound(&body.bounds).is_finite());
    let words = |way: Way| {
        let body = tension.most(way)?;
        let bound = way.bound(&body.bounds);
        let limit = if bound.is_finite() { format!(" ({})", limit_words(way, bound)) } else { String::new() };
        let whose = if many { format!(" of {:?}", body.name) } else { String::new() };
        // Where threads keep their length and the angle between them does not, the bias gives.
        let of = body.way(Way::Any).most.peak.value;
        let threads = [Way::Weft, Way::Warp].map(|way| body.way(way).most.peak.value);
        let bias = way == Way::Any && of > 2.0 * threads[0].max(threads[1]).max(0.0);
        let bias = if bias { " on the bias" } else { "" };
        let peak = body.way(way).most.peak;
        Some(format!("{} {}{limit}{whose}{bias}", way.name(), amount(way, peak.value.max(0.0))))
    };
    let shown = Way::ALL.into_iter().filter(|&way| way != Way::Edge || bounded(way));
    let all: Vec<String> = shown.filter_map(words).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// What is said of the limit on stretch that was missed most, if any was in a frame that was written.
pub fn overstretched(simulation: &Simulation) -> Option<String> {
    let tension = simulation.tension_log();
    let missed = tension.missed();
    let (body, way) = missed.first()?;
    let more = if missed.len() > 1 { format!("; {} more limits were missed", missed.len() - 1) } else { String::new() };
    Some(format!("{}{more}", tension.miss(body, *way)))
}

/// The same for a person.
pub fn print(simulation: &Simulation, result: &Value, folder: &Folder, seconds: f64) {
    let number = |path: &str| result.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let (frames, each) = (simulation.frame(), number("/ms_per_frame"));
    println!("{}: {frames} frames in {}, {each:.1} ms each to simulate", simulation.scene().title(), short(seconds));
    if let Some(tension) = tension_words(simulation) {
        println!("  tension at most: {tension}; area {:+.2} % at the end", 100.0 * number("/area_change"));
    }
    let held = simulation.inextensibility();
    if held.substeps > 0 {
        println!("  {} levels of coarse nodes, up to {} substeps", held.levels, held.substeps);
    }
    if simulation.objects().iter().any(|object| !object.info.tets.is_empty()) {
        println!("  volume {:+.2} %", 100.0 * number("/volume_change"));
    }
    warnings(simulation).iter().for_each(|warning| println!("  warning: {warning}"));
    println!("  {}", folder.path("report.html").display());
}
