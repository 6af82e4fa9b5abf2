//! What `taut lab certificate` tells.

use super::{Cell, Certificate, Grid, Quantity, Side, certify};
use crate::{Cloth, Finding, LabError, Outcome, Table, Tolerance};
use serde_json::json;
use taut_render::Scale;
use taut_render::chart::HeatTable;

/// Measures over a grid and tells the largest deviations, with a heat map for each quantity.
pub fn report(
    cloth: &Cloth,
    kind: &str,
    grid: &Grid,
    quantities: &[Quantity],
    done: impl FnMut(usize, usize),
) -> Result<Outcome, LabError> {
    let found = certify(cloth, kind, grid, quantities, done)?;
    let title = format!("Certificate: {}, solver {kind}, {} machines", cloth.name, found.cells.len());
    let mut outcome = Outcome::new(title);
    for &quantity in quantities {
        findings(&mut outcome, &found, quantity);
        outcome.svg(format!("{}.svg", quantity.name()), "", heat(&found, cloth, kind, quantity).svg());
    }
    outcome.tables.push(table(&found));
    Ok(outcome)
}

fn findings(outcome: &mut Outcome, found: &Certificate, quantity: Quantity) {
    let name = quantity.name();
    let mut add = |what: &str, over: &[Side], most: Option<f64>| {
        let off = 100.0 * found.deviation(quantity, over);
        let finding = Finding::new(format!("{name}: {what}"), off, "%");
        outcome.find(match most {
            Some(most) => finding.expect(0.0, "at best").within(Tolerance::Within(most)),
            None => finding,
        });
    };
    // A period is the integrator's as much as the cloth's: its error falls with the step, and nothing was promised.
    let rest = quantity != Quantity::Period;
    add("over iterations and substeps", &[Side::Iterations, Side::Substeps], rest.then_some(2.0));
    let factor = found.grid.cells.iter().max().zip(found.grid.cells.iter().min()).map_or(1, |(a, b)| a / b.max(&1));
    add(&format!("over a factor {factor} in resolution"), &[Side::Cells], rest.then_some(5.0));
    add("over tessellations", &[Side::Cut], None);
    add("over time steps", &[Side::Step], None);
    let q = quantity as usize;
    let by_hand = found.by_hand[q];
    let off = |cell: &Cell| 100.0 * (cell.values[q] / by_hand - 1.0);
    let worst = found.cells.iter().map(off).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(f64::NAN);
    outcome.find(Finding::new(format!("{name}: of all, from the closed form"), worst, "%"));
}

/// Rows of mesh and step, columns of iterations and substeps; deviations from the closed form, %.
fn heat(found: &Certificate, cloth: &Cloth, kind: &str, quantity: Quantity) -> HeatTable {
    let grid = &found.grid;
    let columns: Vec<[usize; 2]> =
        (0..grid.substeps.len()).flat_map(|s| (0..grid.iterations.len()).map(move |i| [i, s])).collect();
    let mut rows = Vec::new();
    for h in 0..grid.steps.len() {
        for t in 0..grid.cuts.len() {
            rows.extend((0..grid.cells.len()).map(|c| [c, t, h]));
        }
    }
    let q = quantity as usize;
    let value = |[c, t, h]: [usize; 3], [i, s]: [usize; 2]| {
        let cell = found.cells.iter().find(|cell| cell.at == [i, s, c, t, h]);
        cell.map_or(f64::NAN, |cell| 100.0 * (cell.values[q] / found.by_hand[q] - 1.0))
    };
    HeatTable {
        title: format!("{}, {kind}: {} over the closed form, %", cloth.name, quantity.name()),
        rows: rows
            .iter()
            .map(|&[c, t, h]| format!("{} {}, 1/{:.0} s", grid.cuts[t].name(), grid.cells[c], 1.0 / grid.steps[h]))
            .collect(),
        columns: columns.iter().map(|&[i, s]| format!("{} × {} it", grid.substeps[s], grid.iterations[i])).collect(),
        values: rows.iter().map(|&row| columns.iter().map(|&column| value(row, column)).collect()).collect(),
        scale: Scale::around_zero(5.0),
    }
}

fn table(found: &Certificate) -> Table {
    let names = ["iterations", "substeps", "cells", "cut", "step_s", "strain", "droop", "period_s"];
    let mut table = Table::new("certificate", &names);
    for Cell { at: [i, s, c, t, h], values } in &found.cells {
        let grid = &found.grid;
        let mut row = vec![
            json!(grid.iterations[*i]),
            json!(grid.substeps[*s]),
            json!(grid.cells[*c]),
            json!(grid.cuts[*t].name()),
            json!(grid.steps[*h]),
        ];
        row.extend(values.map(|value| json!(value)));
        table.rows.push(row);
    }
    table
}
