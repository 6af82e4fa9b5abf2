//! What a person should know before trusting what a simulation shows: on the console, in reports and in the viewer.

use taut_scene::simulation::Simulation;

/// Misses that are named one by one.
const MOST_MISSES: usize = 5;

/// Everything that a person should know before trusting the result.
pub fn warnings(simulation: &Simulation) -> Vec<String> {
    let metrics = simulation.metrics();
    let mut warnings = simulation.warnings();
    warnings.extend(contained(simulation));
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
    warnings.extend(tension.squeezed());
    warnings.extend(simulation.refused());
    warnings.extend(simulation.contact().warnings(|blockers| simulation.blockers(blockers)));
    warnings
}

/// What is said of positions that were no longer finite.
pub fn contained(simulation: &Simulation) -> Option<String> {
    let many = simulation.metrics().contained;
    let help = "try more substeps";
    (many > 0).then(|| format!("positions were no longer finite and were put back, {many} times: {help}"))
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
