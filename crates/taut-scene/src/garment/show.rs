//! A pattern as a person sees it: SVG, and JSON of our own.

use super::pattern::{Edge, EdgeRef, Panel, Pattern};
use std::fmt::Write;

/// What our own files say first.
pub(super) const FORMAT: &str = "taut pattern 1";

impl Pattern {
    /// The pattern as JSON that can be read again, with lengths in m.
    pub fn to_json(&self) -> String {
        let mut value = serde_json::json!({ "format": FORMAT });
        if let (Some(all), Ok(serde_json::Value::Object(own))) = (value.as_object_mut(), serde_json::to_value(self)) {
            all.extend(own);
        }
        format!("{value:#}\n")
    }

    /// The pattern as SVG, at scale: panels in a row, what is sewn together in one colour and with one number.
    pub fn to_svg(&self) -> String {
        let (mut x, mut high) = (GAP, 0.0f64);
        let mut body = String::new();
        for (at, panel) in self.panels.iter().enumerate() {
            let [low, top] = bounds(panel);
            high = high.max(top[1] - low[1]);
            let place = |p: [f64; 2]| [1000.0 * (p[0] - low[0]) + x, 1000.0 * (top[1] - p[1]) + GAP];
            self.draw(at, place, &mut body);
            x += 1000.0 * (top[0] - low[0]) + GAP;
        }
        let high = 1000.0 * high + 2.0 * GAP;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{x:.1}mm\" height=\"{high:.1}mm\" \
             viewBox=\"0 0 {x:.1} {high:.1}\" font-family=\"sans-serif\" font-size=\"14\">\n{body}</svg>\n"
        )
    }

    /// The pattern in words: its panels with their edges, its seams, its notes.
    pub fn to_words(&self) -> String {
        let mut out = String::new();
        for panel in &self.panels {
            let [low, top] = bounds(panel);
            let size = [0, 1].map(|k| 100.0 * (top[k] - low[k]));
            let _ = write!(
                out,
                "  panel {:?}: {:.1} × {:.1} cm, {:.3} m²",
                panel.name,
                size[0],
                size[1],
                panel.area().abs()
            );
            let count = |count: usize, one: &str, more: &str| match count {
                0 => String::new(),
                1 => format!(", 1 {one}"),
                _ => format!(", {count} {more}"),
            };
            out += &count(panel.holes.len(), "hole", "holes");
            out += &count(panel.lines.len(), "line", "lines");
            out += &count(panel.notches.len(), "notch", "notches");
            let [x, y] = panel.grain;
            if x.abs() > 1e-3 {
                let _ = write!(out, ", warp {:.0}° from upright", libm::atan2(x, y).to_degrees());
            }
            out.push('\n');
            for (number, edge) in panel.edges().enumerate().take(MOST_EDGES_TOLD) {
                let [[a, b], [c, d]] = [edge.from, edge.to].map(|p| p.map(|x| 100.0 * x));
                let length = 100.0 * edge.length();
                let label = if edge.label.is_empty() { String::new() } else { format!(" {:?}", edge.label) };
                let _ =
                    writeln!(out, "    edge {number:2}: {length:6.1} cm, ({a:.1}, {b:.1}) to ({c:.1}, {d:.1}){label}");
            }
            if let Some(more) = panel.edges().count().checked_sub(MOST_EDGES_TOLD + 1) {
                let _ = writeln!(out, "    and {} more edges", more + 1);
            }
        }
        for number in 0..self.seams.len() {
            let [a, b] = [0, 1].map(|side| 100.0 * self.side_length(&self.seams[number].sides[side]));
            let _ = writeln!(out, "  {}: {a:.1} to {b:.1} cm", self.seam_name(number));
        }
        if self.seams.is_empty() {
            out += "  no seams\n";
        }
        self.notes.iter().for_each(|note| out += &format!("  note: {note}\n"));
        out
    }

    fn draw(&self, at: usize, place: impl Fn([f64; 2]) -> [f64; 2], out: &mut String) {
        let panel = &self.panels[at];
        let path = |edges: &[Edge]| points(edges.iter().flat_map(Edge::sketch), &place) + "Z";
        let whole: String = std::iter::once(&panel.outline).chain(&panel.holes).map(|edges| path(edges)).collect();
        let _ = writeln!(out, "<path d=\"{whole}\" fill=\"#f4f1ea\" fill-rule=\"evenodd\" stroke=\"none\"/>");
        for (edge, of) in panel.edges().enumerate() {
            let line = points(of.sketch().into_iter().chain([of.to]), &place);
            let seam = self.seam_of(EdgeRef { panel: at, edge });
            let (colour, width) = seam.map_or(("#333333".into(), 1.0), |seam| (colour(seam), 3.0));
            let _ = writeln!(out, "<path d=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>");
            if let Some(seam) = seam {
                let [x, y] = place(of.points_at(&[0.5])[0]);
                let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{seam}</text>");
            }
        }
        for line in &panel.lines {
            let line = points(line.iter().copied(), &place);
            let _ = writeln!(out, "<path d=\"{line}\" fill=\"none\" stroke=\"#888888\" stroke-dasharray=\"6 4\"/>");
        }
        let [low, top] = bounds(panel);
        let middle = [0.5 * (low[0] + top[0]), 0.5 * (low[1] + top[1])];
        let [x, y] = place(middle);
        let (gx, gy) = (40.0 * panel.grain[0], -40.0 * panel.grain[1]);
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#333333\"/><circle cx=\"{0:.1}\" cy=\"{1:.1}\" r=\"4\"/>",
            x + gx,
            y + gy,
            x - gx,
            y - gy
        );
        let _ =
            writeln!(out, "<text x=\"{:.1}\" y=\"{y:.1}\" fill=\"#333333\">{}</text>", x + 8.0, escaped(&panel.name));
    }

    /// The seam that an edge belongs to.
    fn seam_of(&self, at: EdgeRef) -> Option<usize> {
        self.seams.iter().position(|seam| seam.sides.iter().flatten().any(|edge| *edge == at))
    }
}

/// Edges of a panel that are told.
const MOST_EDGES_TOLD: usize = 60;
/// Between panels, mm.
const GAP: f64 = 30.0;

/// The corners of the box around a panel, m.
fn bounds(panel: &Panel) -> [[f64; 2]; 2] {
    let start = [[f64::MAX; 2], [f64::MIN; 2]];
    panel
        .edges()
        .flat_map(Edge::sketch)
        .fold(start, |[low, high], p| [[low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])]])
}

fn points(points: impl Iterator<Item = [f64; 2]>, place: impl Fn([f64; 2]) -> [f64; 2]) -> String {
    let mut out = String::new();
    for (at, point) in points.enumerate() {
        let [x, y] = place(point);
        let _ = write!(out, "{}{x:.1} {y:.1}", if at == 0 { "M" } else { "L" });
    }
    out
}

/// A colour for a seam: neighbours in number are far apart in hue.
fn colour(seam: usize) -> String {
    format!("hsl({},70%,38%)", seam * 137 % 360)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
