//! How the time of a frame grows with the size of the cloth.

use super::case::{Case, Mesh, What};
use super::way::{Run, Way};
use serde_json::{Value, json};
use taut_render::chart::Chart;

/// One way through one kind of case, over several sizes.
struct Series {
    family: (What, Mesh),
    way: Way,
    name: String,
    /// Triangles and the median frame, ms.
    points: Vec<[f64; 2]>,
}

/// All ways.
#[derive(Default)]
pub struct Growth(Vec<Series>);

impl Growth {
    pub fn add(&mut self, case: &Case, runs: &[Run]) {
        for run in runs {
            let point = [case.triangles as f64, run.median_ms()];
            match self.0.iter_mut().find(|s| s.family == case.family() && s.way == run.way) {
                Some(series) => series.points.push(point),
                None => self.0.push(Series {
                    family: case.family(),
                    way: run.way,
                    name: format!("{}: {}", case.kind(), run.way.name()),
                    points: vec![point],
                }),
            }
        }
    }

    /// Those with more than one size.
    fn grown(&self) -> impl Iterator<Item = &Series> {
        self.0.iter().filter(|s| s.points.len() > 1)
    }

    pub fn print(&self) {
        for series in self.grown() {
            println!("{}: time per frame grows as triangles^{:.2}", series.name, exponent(&series.points));
        }
    }

    pub fn json(&self) -> Vec<Value> {
        let of = |s: &Series| json!({ "of": s.name, "exponent": exponent(&s.points), "points": s.points });
        self.grown().map(of).collect()
    }

    pub fn chart(&self) -> Option<Chart> {
        self.grown().next()?;
        let mut chart = Chart::lines("Time of a frame against size").x("triangles", "").y("median frame", "ms");
        chart = chart.log_x().log_y();
        (chart.width, chart.height) = (760.0, 460.0);
        for s in self.grown() {
            let name = format!("{} (exponent {:.2})", s.name, exponent(&s.points));
            chart = chart.series(&name, s.points.clone());
        }
        Some(chart)
    }
}

/// The slope of the straight line nearest to points of logarithms.
fn exponent(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::ln)).collect();
    let mean = |k: usize| logs.iter().map(|p| p[k]).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let sum = |f: &dyn Fn(&[f64; 2]) -> f64| logs.iter().map(f).sum::<f64>();
    sum(&|p| (p[0] - x) * (p[1] - y)) / sum(&|p| (p[0] - x).powi(2)).max(1e-300)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_is_its_exponent() {
        let points: Vec<[f64; 2]> = [3.0f64, 10.0, 500.0].map(|x| [x, 7.0 * x.powf(1.3)]).into();
        assert!((exponent(&points) - 1.3).abs() < 1e-12);
    }
}
