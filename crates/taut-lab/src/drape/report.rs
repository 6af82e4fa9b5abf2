//! What `taut lab drape` tells.

use super::{Drape, Draped, Published, RADIUS, SUPPORT};
use crate::draw::Portrait;
use crate::{Cloth, Finding, LabError, Machine, Outcome, Table};
use serde_json::json;
use taut_render::chart::Chart;

/// Drapes some specimens of a cloth.
pub fn report(cloth: &Cloth, machine: &Machine, specimens: u32) -> Result<Outcome, LabError> {
    let title = format!(
        "Cusick drape test: {}, disc of 30 cm on plates of 18 cm, {} rings, {specimens} specimens",
        cloth.name, machine.cells
    );
    let mut outcome = Outcome::new(title);
    let mut table = Table::new(
        "drape",
        &["specimen", "coefficient_percent", "nodes", "depth_m", "intersections", "steps", "last_move_m"],
    );
    let mut chart =
        Chart::lines(&format!("Shadow of {}", cloth.name)).x("direction from the weft", "°").y("radius", "cm");
    let mut all: Vec<Draped> = Vec::new();
    for specimen in 1..=specimens.max(1) {
        let test = Drape { cloth: cloth.clone(), machine: machine.clone(), specimen };
        let (draped, simulation) = test.hang()?;
        table.push([
            json!(specimen),
            json!(draped.coefficient),
            json!(draped.nodes),
            json!(draped.depth),
            json!(draped.intersections),
            json!(draped.rest.frames),
            json!(draped.rest.moved),
        ]);
        let outline = draped.shadow.outline(360);
        chart = chart
            .series(&format!("specimen {specimen}"), outline.iter().enumerate().map(|(i, r)| [i as f64, 100.0 * r]));
        if specimen == 1 {
            let note = format!("{:.1} %, {} nodes", draped.coefficient, draped.nodes);
            let mut shadow = draped.shadow.picture(640, [SUPPORT, RADIUS]);
            shadow.title(&format!("Shadow of {}", cloth.name), &note);
            outcome.picture("shadow.png", "", &shadow);
            outcome.picture("drape.png", "", &picture(cloth, &note, &simulation));
            outcome.scene("drape.toml", test.scene());
        }
        all.push(draped);
    }
    findings(&mut outcome, &all, cloth);
    outcome.tables.push(table);
    let chart = chart.limit("disc", 100.0 * RADIUS).limit("plates", 100.0 * SUPPORT);
    outcome.svg("outline.svg", "", chart.svg());
    Ok(outcome)
}

fn picture(cloth: &Cloth, note: &str, simulation: &taut_scene::simulation::Simulation) -> taut_render::Picture {
    let title = format!("{} in the drape test", cloth.name);
    let direction = [0.3, 0.55, 1.0];
    let portrait =
        Portrait { title: &title, note, direction, size: [800, 600], field: None, wireframe: false, floor: true };
    portrait.draw(simulation)
}

fn findings(outcome: &mut Outcome, all: &[Draped], cloth: &Cloth) {
    let count = all.len().max(1) as f64;
    let mean = |f: &dyn Fn(&Draped) -> f64| all.iter().map(f).sum::<f64>() / count;
    let coefficient = mean(&|d| d.coefficient);
    let spread = (mean(&|d| (d.coefficient - coefficient).powi(2))).sqrt();
    outcome.find(Finding::new("drape coefficient", coefficient, "%"));
    outcome.find(Finding::new("spread of specimens", spread, "%"));
    outcome.find(Finding::new("nodes", mean(&|d| d.nodes as f64), ""));
    outcome.find(Finding::new("rim below the plates", mean(&|d| d.depth), "m"));
    for published in Published::of(&cloth.name) {
        let (low, high) = (published.low, published.high);
        let place = match (coefficient < low, coefficient > high) {
            (true, _) => format!("ours is {:.1} below", low - coefficient),
            (_, true) => format!("ours is {:.1} above", coefficient - high),
            _ => "ours is within".to_owned(),
        };
        outcome.note(format!("{}: {} ({}); {place}", published.what, published.band(), published.source));
    }
    if cloth.fabric().is_some() && Published::of(&cloth.name).next().is_none() {
        outcome.note("no published coefficient of this fabric is known here");
    }
    let touching: u64 = all.iter().map(|d| d.intersections).sum();
    if touching > 0 {
        outcome.note(format!(
            "{touching} pairs of triangles pass through each other: the test runs without contact, and so deep a fold would lie on itself"
        ));
    }
    let moving = all.iter().filter(|d| !d.rest.still).count();
    if moving > 0 {
        outcome.note(format!("{moving} specimens still moved after 12 s"));
    }
}
