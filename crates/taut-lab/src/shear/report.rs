//! What `taut lab shear` tells.

use super::{Frame, Sheared, modulus};
use crate::draw::Portrait;
use crate::{Cloth, Finding, LabError, Machine, Outcome, Table, Tolerance};
use taut_render::chart::Chart;
use taut_studio::Heat;

/// The shear modulus, and force against angle up to `degrees`.
pub fn report(cloth: &Cloth, machine: &Machine, degrees: f64) -> Result<Outcome, LabError> {
    let title =
        format!("Picture frame: {}, {} mesh, {} cells along a side", cloth.name, machine.cut.name(), machine.cells);
    let mut outcome = Outcome::new(title);
    let given = cloth.membrane.shear;
    let found = modulus(cloth, machine)?;
    let finding = Finding::new("G", found, "N/m").expect(given, "given").within(Tolerance::Share(0.01));
    outcome.find(finding);
    let frame = Frame { cloth: cloth.clone(), machine: machine.clone(), degrees, points: 24 };
    let (curve, simulation) = frame.draw()?;
    let law = |angle: f64| given * angle.sin() * angle.cos();
    let mut table = Table::new("curve", &["angle_degrees", "energy_J", "force_N_per_m", "closed_form_N_per_m"]);
    for p in &curve {
        table.push([p.angle.to_degrees(), p.energy, p.force, law(p.angle)]);
    }
    // Slopes of parabolas err by a quarter of a percent where the curve ends; up to its middle they do not matter.
    let off = |p: &Sheared| p.force / law(p.angle) - 1.0;
    let middle = curve[1..curve.len().div_ceil(2)].iter().map(off).max_by(|a, b| a.abs().total_cmp(&b.abs()));
    outcome.find(
        Finding::new("force, first half", 1.0 + middle.unwrap_or(f64::NAN), "×")
            .expect(1.0, "the worst over G sin γ cos γ")
            .within(Tolerance::Share(0.01)),
    );
    if let Some([_, _, lock]) = cloth.limits {
        let lock = lock.atan().to_degrees();
        outcome.note(format!(
            "yarns lock at {lock:.1}°: a frame would force them on; `taut lab tensile --direction 45` finds that limit by a weight"
        ));
    }
    let exact = (0..=60).map(|i| degrees * f64::from(i) / 60.0).map(|d| [d, law(d.to_radians())]);
    let chart = Chart::lines(&format!("{}: force against shear", cloth.name))
        .x("shear angle", "°")
        .y("force per width", "N/m")
        .series("G sin γ cos γ", exact)
        .series("measured", curve.iter().map(|p| [p.angle.to_degrees(), p.force]));
    outcome.svg("curve.svg", "", chart.svg());
    outcome.tables.push(table);
    let portrait = Portrait {
        title: &format!("{} in the picture frame", cloth.name),
        note: &format!("sheared by {degrees:.0}°"),
        direction: [0.0, 0.0, 1.0],
        size: [800, 600],
        field: Some(Heat::Shear),
        wireframe: true,
        floor: false,
    };
    outcome.picture("shear.png", "", &portrait.draw(&simulation));
    outcome.scene("shear.toml", frame.scene());
    Ok(outcome)
}
