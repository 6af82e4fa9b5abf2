//! What `taut lab tensile` tells.

use super::{Pull, SMALL, Tensile, knee, moduli, small_pull};
use crate::draw::Portrait;
use crate::{Cloth, Finding, LabError, Machine, Outcome, Table, Tolerance};
use taut_render::chart::Chart;
use taut_studio::Heat;

/// Points of a curve of force over extension.
const POINTS: usize = 15;
/// Directions in which the modulus is read, degrees from the weft.
const AROUND: [f64; 7] = [0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0];

/// Moduli, the modulus in all directions, and curves of force over extension along `directions` (degrees from the
/// weft), up to the strain limits if the cloth has some and `limited` asks for them.
pub fn report(cloth: &Cloth, machine: &Machine, directions: &[f64], limited: bool) -> Result<Outcome, LabError> {
    let limited = limited && cloth.limits.is_some();
    let title = format!("Tensile test: {}, {} mesh, {} cells across", cloth.name, machine.cut.name(), machine.cells);
    let mut outcome = Outcome::new(title);
    recovered(&mut outcome, cloth, machine)?;
    bias(&mut outcome, cloth, machine)?;
    let mut table = Table::new("curves", &["direction_degrees", "force_N_per_m", "along", "across", "turn_rad"]);
    let title = format!("{}: force against extension", cloth.name);
    let mut chart = Chart::lines(&title).x("extension", "%").y("force per width", "N/m");
    for &degrees in directions {
        let test = Tensile { cloth: cloth.clone(), machine: machine.clone(), degrees, limited };
        let (curve, simulation) = test.pull(&forces(cloth, degrees, limited))?;
        for p in &curve {
            table.push([degrees, p.force, p.along, p.across, p.turn]);
        }
        let start = [[0.0, 0.0]].into_iter();
        chart = chart.series(
            &format!("{degrees}° from the weft"),
            start.chain(curve.iter().map(|p| [100.0 * p.along, p.force])),
        );
        knees(&mut outcome, cloth, degrees, &curve, limited);
        outcome.scene(format!("tensile-{degrees}.toml"), test.scene());
        outcome.picture(format!("tensile-{degrees}.png"), "", &picture(&test, &curve, &simulation));
    }
    outcome.tables.push(table);
    outcome.svg("curves.svg", "", chart.svg());
    Ok(outcome)
}

/// What went in, found again.
fn recovered(outcome: &mut Outcome, cloth: &Cloth, machine: &Machine) -> Result<(), LabError> {
    let found = moduli(cloth, machine)?;
    let given = &cloth.membrane;
    let one = Tolerance::Share(0.01);
    let finding = |what: &str, value, unit, expected| Finding::new(what, value, unit).expect(expected, "given");
    outcome.findings.extend([
        finding("E weft", found.weft, "N/m", given.weft).within(one),
        finding("E warp", found.warp, "N/m", given.warp).within(one),
        finding("Poisson's ratio", found.poisson, "", given.poisson).within(Tolerance::Within(0.02)),
        finding("the other ratio", found.poisson_warp, "", given.poisson * given.warp / given.weft)
            .within(Tolerance::Within(0.02)),
        finding("G from the bias", found.shear, "N/m", given.shear).within(one),
    ]);
    if !found.rest.still {
        outcome.note(format!("a strip still moved {:.1e} m in its last step", found.rest.moved));
    }
    Ok(())
}

/// Young's modulus around the compass.
fn bias(outcome: &mut Outcome, cloth: &Cloth, machine: &Machine) -> Result<(), LabError> {
    let mut table =
        Table::new("directions", &["direction_degrees", "modulus_N_per_m", "expected", "contraction", "expected"]);
    let mut measured = Vec::new();
    for degrees in AROUND {
        let (modulus, contraction, _) = small_pull(cloth, machine, degrees)?;
        let row = [degrees, modulus, cloth.modulus(degrees), contraction, cloth.contraction(degrees)];
        table.push(row);
        measured.push([degrees, modulus]);
    }
    let off = measured.iter().map(|[d, e]| e / cloth.modulus(*d) - 1.0).max_by(|a, b| a.abs().total_cmp(&b.abs()));
    let off = off.unwrap_or(f64::NAN);
    outcome.find(
        Finding::new("E, all directions", 1.0 + off, "×")
            .expect(1.0, "the worst over the closed form")
            .within(Tolerance::Share(0.01)),
    );
    let exact = (0..=90).map(|d| [f64::from(d), cloth.modulus(f64::from(d))]);
    let chart = Chart::lines(&format!("{}: modulus by direction", cloth.name))
        .x("direction from the weft", "°")
        .y("E", "N/m")
        .log_y()
        .series("closed form", exact)
        .series("measured", measured);
    outcome.svg("directions.svg", "", chart.svg());
    outcome.tables.push(table);
    Ok(())
}

/// Forces per width that show all of a curve, N/m.
fn forces(cloth: &Cloth, degrees: f64, limited: bool) -> Vec<f64> {
    let end = match cloth.lock(degrees).filter(|_| limited) {
        Some(lock) => 1.6 * lock,
        None => 50.0 * SMALL,
    };
    (1..=POINTS).map(|i| cloth.modulus(degrees) * end * i as f64 / POINTS as f64).collect()
}

fn knees(outcome: &mut Outcome, cloth: &Cloth, degrees: f64, curve: &[Pull], limited: bool) {
    let Some(lock) = cloth.lock(degrees).filter(|_| limited) else { return };
    let what = format!("knee at {degrees}°");
    match knee(curve) {
        Some(strain) => {
            let why = if degrees.rem_euclid(90.0) == 0.0 { "the strain limit" } else { "yarns turned until they lock" };
            outcome.find(Finding::new(what, 100.0 * strain, "%").expect(100.0 * lock, why));
        }
        None => outcome.note(format!("{what}: the curve has none")),
    }
    let moving = curve.iter().filter(|p| !p.rest.still).count();
    if moving > 0 {
        outcome.note(format!("at {degrees}°, {moving} of {} points still moved", curve.len()));
    }
}

fn picture(test: &Tensile, curve: &[Pull], simulation: &taut_scene::simulation::Simulation) -> taut_render::Picture {
    let title = format!("{}, pulled {}° from the weft", test.cloth.name, test.degrees);
    let last = curve.last().copied().unwrap_or_default();
    let note = format!("{:.0} N/m, {:.2} % longer", last.force, 100.0 * last.along);
    let field = match test.degrees.rem_euclid(180.0) {
        0.0 => Heat::Weft,
        90.0 => Heat::Warp,
        _ => Heat::Shear,
    };
    let portrait = Portrait {
        title: &title,
        note: &note,
        direction: [0.25, 0.1, 1.0],
        size: [640, 760],
        field: Some(field),
        wireframe: true,
        floor: false,
    };
    portrait.draw(simulation)
}
