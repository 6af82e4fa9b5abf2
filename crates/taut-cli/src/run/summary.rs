//! What a run comes to: one object for programs, a few lines for people.

use super::folder::Folder;
use super::short;
use crate::flags::tell;
use serde_json::{Value, json};
use taut_scene::simulation::{Seen, Simulation, Way, amount, limit_words, place, stage_names};
use taut_studio::{contained, warnings};

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
    let steps = u64::from(frames) * u64::from(simulation.steps());
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
        "failures": simulation.contact().verified().then(|| failures(simulation)),
    })
}

/// What must not be in a run that is verified: intersections, but for those of the beginning that come apart; limits
/// missed, by pins too; positions that were not finite; and steps that were left out. A sentence each.
fn failures(simulation: &Simulation) -> Vec<String> {
    let all = [crossed(simulation), left(simulation), overstretched(simulation), contained(simulation)];
    let tension = simulation.tension_log();
    let held = tension.held().into_iter().chain(tension.squeezed());
    all.into_iter().flatten().chain(held).chain(simulation.refused()).collect()
}

/// What is said of a run that began with intersections and ends with some.
fn left(simulation: &Simulation) -> Option<String> {
    let log = simulation.contact();
    let left = log.intersections.filter(|&left| left > 0 && log.began_free == Some(false))?;
    Some(format!("the scene began with intersections and did not come free of them: {left} are left at the end"))
}

/// What is said of a run that began free of intersections and did not stay so.
fn crossed(simulation: &Simulation) -> Option<String> {
    let log = simulation.contact();
    let Seen { frames, most, times: [first, _], at } = log.crossed;
    let [a, b] = log.crossed_between.map(|number| simulation.name_of(number));
    let who = if a == b { format!("of {a:?} with itself") } else { format!("of {a:?} and {b:?}") };
    (log.began_free == Some(true) && frames > 0).then(|| {
        format!(
            "the scene began free of intersections and did not stay so: up to {most} in {frames} frames, the first {who} at \
             {first:.3} s{}",
            at.map_or(String::new(), |at| format!(", at {}", place(at)))
        )
    })
}

/// The largest tension of each kind in the run, and what its limit is; nothing without cloth.
fn tension_words(simulation: &Simulation) -> Option<String> {
    let tension = simulation.tension_log();
    let many = tension.bodies.len() > 1;
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
    let all: Vec<String> = tension.told().filter_map(words).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// When and where the largest tension of each kind was; nothing without cloth.
fn tension_places(simulation: &Simulation) -> Option<String> {
    let tension = simulation.tension_log();
    let words = |way: Way| Some(format!("{}{}", way.name(), tension.most(way)?.way(way).most.when_and_where()));
    let all: Vec<String> = tension.told().filter_map(words).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// The largest compression of each kind, when and where; nothing if there was none.
fn compression_words(simulation: &Simulation) -> Option<String> {
    let tension = simulation.tension_log();
    let words = |way: Way| {
        let body = tension.most_compressed(way)?;
        let (of, bound) = (body.way(way).compression, way.shorter(&body.bounds));
        let limit = if bound.is_finite() { format!(" ({})", limit_words(way, bound)) } else { String::new() };
        Some(format!("{} {}{limit}{}", way.name(), amount(way, of.peak.value), of.when_and_where()))
    };
    let all: Vec<String> = tension.told().filter_map(words).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// What is said of the limit on stretch that was missed most, if any was in a frame that was written.
fn overstretched(simulation: &Simulation) -> Option<String> {
    let tension = simulation.tension_log();
    let missed = tension.missed();
    let (body, way) = missed.first()?;
    let more = match missed.len() {
        1 => String::new(),
        2 => "; another limit was missed, too".to_owned(),
        many => format!("; {} more limits were missed", many - 1),
    };
    Some(format!("{}{more}", tension.miss(body, *way)))
}

/// The same for a person.
pub fn print(simulation: &Simulation, result: &Value, folder: &Folder, seconds: f64) {
    let number = |path: &str| result.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let (frames, each) = (simulation.frame(), number("/ms_per_frame"));
    tell!("{}: {frames} frames in {}, {each:.1} ms each to simulate", simulation.scene().title(), short(seconds));
    if let Some(tension) = tension_words(simulation) {
        tell!("  tension at most: {tension}; area {:+.2} % at the end", 100.0 * number("/area_change"));
    }
    for (what, words) in
        [("largest:", tension_places(simulation)), ("compression at most:", compression_words(simulation))]
    {
        words.iter().for_each(|words| tell!("  {what} {words}"));
    }
    let held = simulation.inextensibility();
    if simulation.scene().settings.chosen().is_some() {
        tell!(
            "  implicit steps behind multigrid, because all cloth has a material; up to {} substeps",
            held.substeps.max(1)
        );
    } else if held.substeps > 0 {
        tell!("  {} levels of coarse nodes, up to {} substeps", held.levels, held.substeps);
    }
    if simulation.objects().iter().any(|object| !object.info.tets.is_empty()) {
        tell!("  volume {:+.2} %", 100.0 * number("/volume_change"));
    }
    warnings(simulation).iter().for_each(|warning| tell!("  warning: {warning}"));
    tell!("  {}", folder.path("report.html").display());
}
