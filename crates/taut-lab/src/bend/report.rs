//! What `taut lab bend` tells.

use super::{Overhang, Strip};
use crate::draw::Portrait;
use crate::{Cloth, Cut, Finding, GRAVITY, LabError, Machine, Outcome, Table, Tolerance, elastica};
use taut::Bending;
use taut_render::chart::Chart;
use taut_scene::simulation::Simulation;

/// Cantilever and pure bending along `directions`, degrees from the weft.
pub fn report(cloth: &Cloth, machine: &Machine, directions: &[f64]) -> Result<Outcome, LabError> {
    let title =
        format!("Bending: {}, strip of 25 mm, {} mesh, {} cells along", cloth.name, machine.cut.name(), machine.cells);
    let mut outcome = Outcome::new(title);
    let mut table = Table::new(
        "bend",
        &[
            "direction_degrees",
            "given_Nm",
            "overhang_m",
            "droop_m",
            "angle_degrees",
            "d1388_Nm",
            "elastica_Nm",
            "arc_Nm",
            "curvature_per_m",
        ],
    );
    let mut chart = Chart::lines(&format!("{}: cantilever", cloth.name)).x("along", "mm").y("height", "mm");
    for &degrees in directions {
        let strip = Strip { cloth: cloth.clone(), machine: machine.clone(), degrees };
        let (found, simulation) = strip.cantilever()?;
        // An arc of a third of a turn, as long as the overhang.
        let (arc, bent) = strip.arc(found.overhang.length, 120.0)?;
        let Overhang { length, droop, angle, rest, .. } = found.overhang;
        let angles = [found.standard, found.exact, arc.rigidity, arc.curvature];
        table.push([degrees, strip.given(), length, droop, angle].into_iter().chain(angles));
        findings(&mut outcome, &strip, &found, &arc);
        if !(rest.still && arc.rest.still) {
            outcome.note(format!("at {degrees}°, a strip still moved in its last step"));
        }
        chart = chart.series(&format!("{degrees}° from the weft"), profile(&strip, &found.overhang, &simulation));
        let load = strip.cloth.density * GRAVITY * length.powi(3) / strip.given();
        let exact = elastica::shape(load).into_iter().step_by(8).map(|[x, y, _]| [1e3 * length * x, -1e3 * length * y]);
        chart = chart.series(&format!("elastica, {degrees}°"), exact);
        outcome.scene(format!("cantilever-{degrees}.toml"), strip.cantilever_scene(length));
        outcome.scene(format!("arc-{degrees}.toml"), strip.arc_scene(length, 120.0));
        if outcome.figures.is_empty() {
            let note = format!("overhang {:.1} mm, tip at {angle:.1}°", 1e3 * length);
            outcome.picture("cantilever.png", "", &picture(&cloth.name, "over the edge", &note, &simulation));
            let note = format!("radius {:.1} mm", 1e3 / arc.curvature);
            outcome.picture("arc.png", "", &picture(&cloth.name, "in pure bending", &note, &bent));
        }
    }
    let hinges = machine.bending == Bending::Hinges;
    if hinges && machine.cut == Cut::Regular {
        outcome.note(
            "with all diagonals one way, hinges couple bending with twist: a strip that is free to twist is up to a fifth softer; alternate the diagonals",
        );
    }
    if hinges && machine.cut == Cut::Alternating {
        outcome.note(
            "with alternating diagonals, hinges see every other row of vertices, and the rows between give way in zigzags: strips are up to a fifth softer (docs/measured/lab.md)",
        );
    }
    outcome.tables.push(table);
    outcome.svg("cantilever.svg", "", chart.svg());
    Ok(outcome)
}

fn findings(outcome: &mut Outcome, strip: &Strip, found: &super::Cantilever, arc: &super::Arc) {
    let degrees = strip.degrees;
    let along = match degrees {
        0.0 => "weft".to_owned(),
        90.0 => "warp".to_owned(),
        d => format!("{d}°"),
    };
    let three = Tolerance::Share(0.03);
    let rigidity =
        |what: String, value: f64| Finding::new(what, 1e6 * value, "µN·m").expect(1e6 * strip.given(), "given");
    let load = strip.cloth.density * GRAVITY * found.overhang.length.powi(3) / strip.given();
    outcome.findings.extend([
        Finding::new(format!("{along}: overhang"), 1e3 * found.overhang.length, "mm"),
        Finding::new(format!("{along}: bending length"), 500.0 * found.overhang.length, "mm"),
        Finding::new(format!("{along}: droop"), 1e3 * found.overhang.droop, "mm")
            .expect(1e3 * found.overhang.length * elastica::droop(load), "by the elastica"),
        rigidity(format!("{along}: B by D1388"), found.standard),
        rigidity(format!("{along}: B by the elastica"), found.exact),
        rigidity(format!("{along}: B in pure bending"), arc.rigidity),
    ]);
    // Between weft and warp nobody gave a figure.
    if degrees.rem_euclid(90.0) == 0.0 {
        let last = outcome.findings.len() - 2;
        outcome.findings[last..].iter_mut().for_each(|f| f.tolerance = Some(three));
    }
}

/// The strip's middle line from the edge on, mm: vertices by their distance along the strip, averaged across. As large
/// as it is under 1 g.
fn profile(strip: &Strip, overhang: &Overhang, simulation: &Simulation) -> Vec<[f64; 2]> {
    let rest = &simulation.objects()[0].info.rest;
    let now = simulation.positions(0);
    let right = rest.iter().map(|p| p[0]).fold(f64::NEG_INFINITY, f64::max);
    let Overhang { length, edge, .. } = *overhang;
    let cells = f64::from(strip.machine.cells.max(2));
    let mut sums = vec![[0.0; 3]; cells as usize + 1];
    for (r, p) in rest.iter().zip(&now).filter(|(r, _)| r[0] >= edge) {
        // Columns by their distance from the tip, which is one.
        let at = ((right - r[0]) / (right - edge) * (cells + 0.5)).round() as usize;
        if let Some(sum) = sums.get_mut(at) {
            *sum = [sum[0] + p[0], sum[1] + p[1], sum[2] + 1.0];
        }
    }
    let scale = 1e3 * length / (right - edge);
    let points = sums.into_iter().rev().filter(|s| s[2] > 0.0);
    points.map(|[x, y, n]| [scale * (x / n - edge), scale * y / n]).collect()
}

fn picture(cloth: &str, how: &str, note: &str, simulation: &Simulation) -> taut_render::Picture {
    let portrait = Portrait {
        title: &format!("{cloth} {how}"),
        note,
        direction: [0.35, 0.25, 1.0],
        size: [800, 560],
        field: None,
        wireframe: true,
        floor: false,
    };
    portrait.draw(simulation)
}
