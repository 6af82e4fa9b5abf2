//! What `taut lab swing` tells.

use super::{LENGTH, Swing, Swung, ZERO};
use crate::draw::Portrait;
use crate::{Cloth, Finding, GRAVITY, LabError, Machine, Outcome, Solver, Table, Tolerance};
use serde_json::json;
use taut_render::chart::Chart;

/// A way to swing.
struct Case {
    name: &'static str,
    integrator: &'static str,
    damping: f64,
    air: f64,
}

const fn case(name: &'static str, integrator: &'static str, damping: f64, air: f64) -> Case {
    Case { name, integrator, damping, air }
}

const CASES: [Case; 4] = [
    case("BDF-2", "bdf2", 0.0, 0.0),
    case("implicit Euler", "implicit-euler", 0.0, 0.0),
    case("BDF-2, damping 20 ms", "bdf2", 0.02, 0.0),
    case("BDF-2, in air", "bdf2", 0.0, 1.2),
];

/// Lets the cloth swing from `degrees` for some seconds with and without damping.
pub fn report(cloth: &Cloth, machine: &Machine, degrees: f64, seconds: f64) -> Result<Outcome, LabError> {
    let title =
        format!("Swing: {}, strip of 50 cm let go at {degrees}°, steps of {:.4} s", cloth.name, machine.solver.step);
    let mut outcome = Outcome::new(title);
    let mut table = Table::new("energy", &["case", "time_s", "energy_J", "mode_m"]);
    let mut energy =
        Chart::lines(&format!("{}: energy of a swing", cloth.name)).x("time", "s").y("energy above rest", "%");
    let mut place = Chart::lines(&format!("{}: first mode", cloth.name)).x("time", "s").y("place", "mm");
    for case in &CASES {
        let more = format!("integrator = {{ kind = \"{}\" }}\n", case.integrator);
        let solver = Solver { more, ..machine.solver.clone() };
        let machine = Machine { solver, ..machine.clone() };
        let test = Swing { cloth: cloth.clone(), machine, degrees, damping: case.damping, air: case.air, seconds };
        let (swung, simulation) = test.swing()?;
        let first = swung.course[0][1];
        let course = swung.course.iter();
        energy = energy.series(case.name, course.clone().map(|c| [c[0], 100.0 * c[1] / first]));
        place = place.series(case.name, course.clone().map(|c| [c[0], 1e3 * c[2]]));
        table.rows.extend(course.map(|c| vec![json!(case.name), json!(c[0]), json!(c[1]), json!(c[2])]));
        findings(&mut outcome, case, &test, &swung);
        if outcome.figures.is_empty() {
            outcome.scene("swing.toml", test.scene());
            outcome.picture("swing.png", "", &picture(&cloth.name, seconds, &simulation));
        }
    }
    outcome.tables.push(table);
    outcome.svg("energy.svg", "", energy.svg());
    outcome.svg("mode.svg", "", place.svg());
    Ok(outcome)
}

fn findings(outcome: &mut Outcome, case: &Case, test: &Swing, swung: &Swung) {
    let share = Tolerance::Share(0.02);
    let period = Finding::new(format!("{}: period", case.name), swung.period, "s");
    // A swing from an angle is slower than a small one by about θ²/16.
    let amplitude = 1.0 + test.degrees.to_radians().powi(2) / 16.0;
    let period = period.expect(Swing::chain_period() * amplitude, "of a heavy chain");
    outcome.find(if case.air == 0.0 { period.within(share) } else { period });
    let decay = Finding::new(format!("{}: energy lost", case.name), swung.decay, "1/s");
    let omega = 0.5 * ZERO * (GRAVITY / LENGTH).sqrt();
    outcome.find(match case.integrator {
        "implicit-euler" => decay.expect(omega * omega * test.machine.solver.step, "ω² h of the first mode"),
        _ => decay,
    });
}

fn picture(cloth: &str, seconds: f64, simulation: &taut_scene::simulation::Simulation) -> taut_render::Picture {
    let portrait = Portrait {
        title: &format!("{cloth} swinging"),
        note: &format!("after {seconds} s"),
        direction: [1.0, 0.15, 0.6],
        size: [560, 700],
        field: None,
        wireframe: false,
        floor: false,
    };
    portrait.draw(simulation)
}
