//! The certificate: the same cloth everywhere. What a cloth does at rest and in motion is measured over a grid of
//! iterations, substeps, resolutions, tessellations and time steps, none of which is a property of cloth.
//!
//! Three numbers stand for it. A strip hangs from its upper edge: the **strain** of its middle third, ρ g L/2E by hand.
//! A strip hangs over an edge: the **droop** of its tip, the elastica's by hand. A strip swings: the **period** of its
//! first mode, a heavy chain's by hand.

mod report;

pub use report::report;

use crate::bend::Strip;
use crate::gauge::gradient;
use crate::rest::{build, settle};
use crate::swing::{LENGTH, Swing};
use crate::{Cloth, Cut, GRAVITY, LabError, Machine, Solver, elastica};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Strain of the middle of a strip that hangs under its own weight.
    Strain,
    /// Droop of a strip over an edge, over its length.
    Droop,
    /// Period of a swing, s.
    Period,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Quantity; 3] = [Quantity::Strain, Quantity::Droop, Quantity::Period];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Strain => "strain",
            Quantity::Droop => "droop",
            Quantity::Period => "period",
        }
    }
}

/// A side of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Iterations in a substep.
    Iterations,
    /// Substeps in a step.
    Substeps,
    /// Cells across a strip.
    Cells,
    /// How it is cut into triangles.
    Cut,
    /// Length of a step.
    Step,
}

/// What is varied. The last of each is the best resolved one.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Iterations in a substep.
    pub iterations: Vec<u32>,
    /// Substeps in a step.
    pub substeps: Vec<u32>,
    /// Cells across a strip.
    pub cells: Vec<u32>,
    /// How it is cut into triangles.
    pub cuts: Vec<Cut>,
    /// Lengths of steps, s.
    pub steps: Vec<f64>,
}

impl Default for Grid {
    /// 48 machines: two numbers of iterations (Newton's method needs about ten to solve a long step), two of substeps,
    /// three resolutions over a factor of four, two cuts, two steps.
    fn default() -> Grid {
        Grid {
            iterations: vec![10, 30],
            substeps: vec![1, 4],
            cells: vec![2, 4, 8],
            cuts: vec![Cut::Irregular, Cut::Regular],
            steps: vec![1.0 / 60.0, 1.0 / 120.0],
        }
    }
}

/// One machine of the grid, by the place of each of its settings, and what it measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Places in the grid: iterations, substeps, cells, cut, step.
    pub at: [usize; 5],
    /// The numbers, as in [`Quantity::ALL`]; NaN where nothing was measured.
    pub values: [f64; 3],
}

/// What was found over a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// The grid.
    pub grid: Grid,
    /// Its machines.
    pub cells: Vec<Cell>,
    /// The numbers by hand, as in [`Quantity::ALL`].
    pub by_hand: [f64; 3],
}

/// Measures the quantities over a grid, with a kind of solver. `done` hears how many machines have been tried of how
/// many.
pub fn certify(
    cloth: &Cloth,
    kind: &str,
    grid: &Grid,
    quantities: &[Quantity],
    mut done: impl FnMut(usize, usize),
) -> Result<Certificate, LabError> {
    let sizes = [grid.iterations.len(), grid.substeps.len(), grid.cells.len(), grid.cuts.len(), grid.steps.len()];
    let count: usize = sizes.iter().product();
    let mut cells = Vec::new();
    for number in 0..count {
        let mut rest = number;
        let at = sizes.map(|size| {
            let place = rest % size;
            rest /= size;
            place
        });
        let machine = grid.machine(kind, at);
        let mut values = [f64::NAN; 3];
        for &quantity in quantities {
            values[quantity as usize] = measure(cloth, &machine, quantity)?;
        }
        cells.push(Cell { at, values });
        done(number + 1, count);
    }
    Ok(Certificate { grid: grid.clone(), cells, by_hand: by_hand(cloth) })
}

impl Grid {
    fn machine(&self, kind: &str, [i, s, c, t, h]: [usize; 5]) -> Machine {
        let solver = Solver {
            iterations: Some(self.iterations[i]),
            substeps: Some(self.substeps[s]),
            tolerance: (kind != "pbd").then_some(1e-7),
            step: self.steps[h],
            more: if kind == "pbd" { "warm_start = true\n".into() } else { String::new() },
            kind: kind.into(),
        };
        Machine { cut: self.cuts[t], cells: self.cells[c], solver, ..Machine::default() }
    }
}

/// The overhang of the droop: where the elastica would touch the standard's plane, m.
fn overhang(cloth: &Cloth) -> f64 {
    (elastica::load_at(elastica::PLANE_DEGREES) * cloth.bend[0] / (cloth.density * GRAVITY)).cbrt()
}

fn by_hand(cloth: &Cloth) -> [f64; 3] {
    let strain = cloth.density * GRAVITY * 0.5 * LENGTH / cloth.membrane.warp;
    let amplitude = 1.0 + ANGLE.to_radians().powi(2) / 16.0;
    [strain, elastica::droop(elastica::load_at(elastica::PLANE_DEGREES)), amplitude * Swing::chain_period()]
}

/// The angle that the swing is let go at, degrees.
const ANGLE: f64 = 10.0;

fn measure(cloth: &Cloth, machine: &Machine, quantity: Quantity) -> Result<f64, LabError> {
    let swing = |degrees: f64, seconds: f64| Swing {
        cloth: cloth.clone(),
        machine: machine.clone(),
        degrees,
        damping: 0.0,
        air: 0.0,
        seconds,
    };
    match quantity {
        Quantity::Strain => {
            let mut simulation = build("strain", &swing(0.0, 0.0).scene())?;
            let size = by_hand(cloth)[0] * LENGTH;
            settle(&mut simulation, patience(machine, 10.0), 1e-6 * size, |_| ());
            let third = |p: &[f64; 3]| p[1].abs() <= LENGTH / 6.0;
            Ok(gradient(&simulation.objects()[0].info.rest, &simulation.positions(0), [0, 1], third)[1][1])
        }
        Quantity::Droop => {
            // Cells along the overhang: four times those across the wide strip.
            let machine = Machine { cells: 4 * machine.cells, ..machine.clone() };
            let strip = Strip { cloth: cloth.clone(), machine, degrees: 0.0 };
            Ok(strip.hang(overhang(cloth))?.0.droop / overhang(cloth))
        }
        Quantity::Period => Ok(swing(ANGLE, 2.6 * Swing::chain_period()).swing()?.0.period),
    }
}

/// Steps in so many seconds.
fn patience(machine: &Machine, seconds: f64) -> u32 {
    (seconds / machine.solver.step).ceil() as u32
}

impl Certificate {
    /// The largest deviation of a quantity over some sides of the grid: among machines that differ in nothing else,
    /// from the best resolved one of them, as a share.
    pub fn deviation(&self, quantity: Quantity, over: &[Side]) -> f64 {
        let q = quantity as usize;
        let mut worst: f64 = 0.0;
        for cell in &self.cells {
            if let Some(best) = self.cells.iter().find(|other| other.at == self.best(cell.at, over)) {
                let off = (cell.values[q] / best.values[q] - 1.0).abs();
                // What could not be measured at all is no agreement.
                worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
            }
        }
        worst
    }

    /// The machine that differs from one at `at` only over some sides, and is the best resolved of those.
    fn best(&self, at: [usize; 5], over: &[Side]) -> [usize; 5] {
        let grid = &self.grid;
        let last = [grid.iterations.len(), grid.substeps.len(), grid.cells.len(), grid.cuts.len(), grid.steps.len()];
        std::array::from_fn(|k| if over.iter().any(|side| *side as usize == k) { last[k] - 1 } else { at[k] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up certificate in which iterations change the strain by 1 %, cells by 4 %, and nothing else does.
    #[test]
    fn deviations_belong_to_their_sides() {
        let grid = Grid { iterations: vec![1, 9], substeps: vec![1, 2], cells: vec![2, 4], ..Grid::default() };
        let mut cells = Vec::new();
        for n in 0..32usize {
            let at = [n & 1, n >> 1 & 1, n >> 2 & 1, n >> 3 & 1, n >> 4 & 1];
            let strain = [1.01, 1.0][at[0]] * [0.96, 1.0][at[2]];
            cells.push(Cell { at, values: [strain, 2.0, f64::NAN] });
        }
        let certificate = Certificate { grid, cells, by_hand: [1.0; 3] };
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        near(certificate.deviation(Quantity::Strain, &[Side::Iterations, Side::Substeps]), 0.01);
        near(certificate.deviation(Quantity::Strain, &[Side::Cells]), 0.04);
        near(certificate.deviation(Quantity::Strain, &[Side::Cut, Side::Step]), 0.0);
        near(certificate.deviation(Quantity::Droop, &[Side::Cells]), 0.0);
        assert_eq!(certificate.deviation(Quantity::Period, &[Side::Cells]), f64::INFINITY);
    }
}
