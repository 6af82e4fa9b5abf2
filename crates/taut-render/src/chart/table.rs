//! Tables of numbers coloured by size.

use super::svg::{Anchor, Svg, escape, number};
use crate::map::Scale;
use crate::ticks::significant;

/// A table whose cells are coloured: parameters along both sides, one number each.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatTable {
    /// Written above.
    pub title: String,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The numbers, row by row; missing ones and NaN stay empty.
    pub values: Vec<Vec<f64>>,
    /// Their colours.
    pub scale: Scale,
}

const CELL: [f64; 2] = [74.0, 30.0];
const NAMES: f64 = 130.0;
const TOP: f64 = 54.0;

impl HeatTable {
    /// The table as one `<svg>` element that needs nothing else.
    pub fn svg(&self) -> String {
        let width = NAMES + CELL[0] * self.columns.len() as f64 + 2.0;
        let height = TOP + CELL[1] * self.rows.len() as f64 + 2.0;
        let mut svg = Svg::open(width, height, &self.title, "");
        svg.text("title", 0.0, 16.0, Anchor::Start, &self.title);
        for (c, name) in self.columns.iter().enumerate() {
            svg.text("soft", NAMES + CELL[0] * (c as f64 + 0.5), TOP - 8.0, Anchor::Middle, name);
        }
        for (r, name) in self.rows.iter().enumerate() {
            let y = TOP + CELL[1] * r as f64;
            svg.text("soft", NAMES - 8.0, y + 0.5 * CELL[1] + 4.0, Anchor::End, name);
            for c in 0..self.columns.len() {
                let value = self.values.get(r).and_then(|row| row.get(c)).copied().unwrap_or(f64::NAN);
                self.draw_cell(&mut svg, NAMES + CELL[0] * c as f64, y, value);
            }
        }
        svg.close()
    }

    fn draw_cell(&self, svg: &mut Svg, x: f64, y: f64, value: f64) {
        if value.is_nan() {
            return;
        }
        let colour = self.scale.colour(value);
        // Black on light cells and white on dark ones, whatever the page.
        let ink = if colour.lightness() > 0.6 { "#111" } else { "#fff" };
        let (fill, text) = (colour.css(), escape(&significant(value)));
        let [w, h] = CELL.map(|v| number(v - 2.0));
        let (rx, ry, tx, ty) = (number(x + 1.0), number(y + 1.0), number(x + 0.5 * CELL[0]), number(y + 19.0));
        svg.raw(&format!(r#"<rect x="{rx}" y="{ry}" width="{w}" height="{h}" rx="3" fill="{fill}"/>"#));
        svg.raw(&format!(r#"<text x="{tx}" y="{ty}" text-anchor="middle" style="fill:{ink}">{text}</text>"#));
    }
}
