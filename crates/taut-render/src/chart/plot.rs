//! Draws charts with axes.

use super::axis::Ruler;
use super::svg::{Anchor, Svg, escape, number};
use super::{Chart, Kind, series_colour};
use crate::colour::Rgb;
use crate::text::{TextStyle, text_width};
use crate::ticks::significant;
use std::fmt::Write;

/// The area inside the axes.
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// Draws the whole chart.
pub(crate) fn draw(chart: &Chart) -> String {
    let legend = place_legend(chart);
    let rows = legend.last().map_or(0.0, |entry| entry.1[1] + 1.0);
    let area = Area { left: 62.0, right: chart.width - 16.0, top: 34.0 + 18.0 * rows, bottom: chart.height - 44.0 };
    let tops = stacks(chart);
    let (x, y) = rulers(chart, &area, &tops);
    let attributes = format!(
        r#" data-x="{}" data-y="{}" data-units="{}" data-area="{},{},{},{}""#,
        x.describe(),
        y.describe(),
        escape(&format!("{}|{}", chart.x.unit, chart.y.unit)),
        number(area.left),
        number(area.top),
        number(area.right - area.left),
        number(area.bottom - area.top),
    );
    let mut svg = Svg::open(chart.width, chart.height, &chart.title, &attributes);
    svg.text("title", 0.0, 16.0, Anchor::Start, &chart.title);
    draw_legend(&mut svg, chart, &legend);
    draw_axes(&mut svg, chart, &area, &x, &y);
    // A nested picture cuts off what lies outside, without an id that could clash on the page.
    let [w, h] = [area.right - area.left, area.bottom - area.top].map(number);
    let (l, t) = (number(area.left), number(area.top));
    svg.raw(&format!(r#"<svg x="{l}" y="{t}" width="{w}" height="{h}" viewBox="{l} {t} {w} {h}">"#));
    match chart.kind {
        Kind::Lines => draw_lines(&mut svg, chart, &x, &y),
        Kind::Points => draw_points(&mut svg, chart, &x, &y),
        Kind::StackedAreas => draw_areas(&mut svg, chart, &tops, &x, &y),
        Kind::StackedBars => draw_bars(&mut svg, chart, &tops, &x, &y),
    }
    svg.raw("</svg>");
    draw_limits(&mut svg, chart, &area, &y);
    svg.close()
}

/// For stacked charts the upper edge of each series, point by point; what is not finite counts as nothing.
fn stacks(chart: &Chart) -> Vec<Vec<f64>> {
    if !matches!(chart.kind, Kind::StackedAreas | Kind::StackedBars) {
        return Vec::new();
    }
    let count = chart.series.first().map_or(0, |s| s.points.len());
    let mut sums = vec![0.0; count];
    let add = |series: &super::Series| {
        for (sum, point) in sums.iter_mut().zip(&series.points) {
            *sum += if point[1].is_finite() { point[1].max(0.0) } else { 0.0 };
        }
        sums.clone()
    };
    chart.series.iter().map(add).collect()
}

fn rulers(chart: &Chart, area: &Area, tops: &[Vec<f64>]) -> (Ruler, Ruler) {
    let points = || chart.series.iter().flat_map(|s| &s.points);
    let limits = chart.limits.iter().map(|l| l.value);
    let stacked = !tops.is_empty();
    let mut xs: Vec<f64> = points().map(|p| p[0]).collect();
    if chart.kind == Kind::StackedBars {
        let half = 0.5 * bar_step(chart);
        let ends = xs.iter().flat_map(|x| [x - half, x + half]).collect();
        xs = ends;
    }
    let ys: Vec<f64> = match stacked {
        true => tops.iter().flatten().copied().chain(limits).collect(),
        false => points().map(|p| p[1]).chain(limits).collect(),
    };
    let dots = chart.kind == Kind::Points;
    // Zero stays in view when it is not far: a flat line at 99 should not look like a drop to nothing.
    let (lo, hi) = ys.iter().filter(|v| v.is_finite()).fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
    let near_zero = stacked || (lo <= hi && (lo.abs().min(hi.abs()) < 0.6 * (hi - lo)));
    let x = Ruler::fit(&chart.x, xs.into_iter(), dots, false, [area.left, area.right]);
    let y = Ruler::fit(&chart.y, ys.into_iter(), true, near_zero && !dots, [area.bottom, area.top]);
    (x, y)
}

/// Where each legend entry starts (x, row); wraps like text. Empty when one unnamed series needs none.
fn place_legend(chart: &Chart) -> Vec<(usize, [f64; 2])> {
    if chart.series.len() < 2 {
        return Vec::new();
    }
    let style = TextStyle::new(12.0, Rgb::default());
    let (mut x, mut row) = (0.0, 0.0);
    let mut placed = Vec::new();
    for (i, series) in chart.series.iter().enumerate() {
        let width = 36.0 + text_width(&series.name, &style) as f64;
        if x > 0.0 && x + width > chart.width {
            (x, row) = (0.0, row + 1.0);
        }
        placed.push((i, [x, row]));
        x += width;
    }
    placed
}

fn draw_legend(svg: &mut Svg, chart: &Chart, placed: &[(usize, [f64; 2])]) {
    for &(i, [x, row]) in placed {
        let y = 35.0 + 18.0 * row;
        let (colour, x0, y0) = (series_colour(i).css(), number(x), number(y - 9.0));
        svg.raw(&format!(r#"<rect x="{x0}" y="{y0}" width="14" height="9" rx="2" fill="{colour}"/>"#));
        svg.text("soft", x + 19.0, y, Anchor::Start, &chart.series[i].name);
    }
}

fn draw_axes(svg: &mut Svg, chart: &Chart, area: &Area, x: &Ruler, y: &Ruler) {
    for (value, label) in y.ticks(5) {
        if let Some(place) = y.place(value) {
            svg.line("grid", [area.left, place], [area.right, place], "");
            svg.text("soft", area.left - 7.0, place + 4.0, Anchor::End, &label);
        }
    }
    for (value, label) in x.ticks(8) {
        if let Some(place) = x.place(value) {
            svg.line("axis", [place, area.bottom], [place, area.bottom + 4.0], "");
            svg.text("soft", place, area.bottom + 18.0, Anchor::Middle, &label);
        }
    }
    svg.line("axis", [area.left, area.bottom], [area.right, area.bottom], "");
    let middle = 0.5 * (area.left + area.right);
    svg.text("soft", middle, chart.height - 8.0, Anchor::Middle, &chart.x.caption());
    let (cy, caption) = (number(0.5 * (area.top + area.bottom)), escape(&chart.y.caption()));
    svg.raw(&format!(
        r#"<text class="soft" transform="translate(12 {cy}) rotate(-90)" text-anchor="middle">{caption}</text>"#
    ));
}

fn draw_limits(svg: &mut Svg, chart: &Chart, area: &Area, y: &Ruler) {
    let style = TextStyle::new(NOTE_SIZE as f32, Rgb::default());
    let mut notes: Vec<Note> = Vec::new();
    for limit in &chart.limits {
        let Some(place) = y.place(limit.value).filter(|p| (area.top..=area.bottom).contains(p)) else { continue };
        let colour = limit.series.map_or("currentColor".to_string(), |i| series_colour(i).css());
        svg.line("limit", [area.left, place], [area.right, place], &format!(r#" stroke="{colour}""#));
        let note = Note::beside(place, text_width(&limit.name, &style) as f64, area, &notes);
        svg.text("note soft", note.right, note.base, Anchor::End, &limit.name);
        notes.push(note);
    }
}

/// Size of the names of limits, in SVG units.
const NOTE_SIZE: f64 = 11.0;

/// Where the name of a limit stands.
struct Note {
    left: f64,
    right: f64,
    /// The line that the letters stand on.
    base: f64,
}

impl Note {
    /// At the right end above the line, or below it where the chart ends; left of those that are already there.
    fn beside(place: f64, width: f64, area: &Area, others: &[Note]) -> Note {
        let base = if place - 4.0 - NOTE_SIZE > area.top { place - 4.0 } else { place + NOTE_SIZE };
        let mut note = Note { left: area.right - 2.0 - width, right: area.right - 2.0, base };
        // Each time it moves past one of them, so this ends.
        while let Some(other) = others.iter().find(|other| note.covers(other)) {
            note.right = other.left - 10.0;
            note.left = note.right - width;
        }
        note
    }

    fn covers(&self, other: &Note) -> bool {
        (self.base - other.base).abs() < NOTE_SIZE && self.left < other.right && other.left < self.right
    }
}

fn draw_lines(svg: &mut Svg, chart: &Chart, x: &Ruler, y: &Ruler) {
    for (i, series) in chart.series.iter().enumerate() {
        let places = series.points.iter().map(|p| Some([x.place(p[0])?, y.place(p[1])?]));
        let path = line_path(&thin_out(places.collect()));
        let (colour, name) = (series_colour(i).css(), escape(&series.name));
        svg.raw(&format!(r#"<path class="series" data-name="{name}" stroke="{colour}" d="{path}"/>"#));
        // A series of one point would be lost among lines.
        if let [point] = series.points[..]
            && let (Some(cx), Some(cy)) = (x.place(point[0]), y.place(point[1]))
        {
            let (cx, cy) = (number(cx), number(cy));
            svg.raw(&format!(r#"<circle cx="{cx}" cy="{cy}" r="4.5" fill="{colour}"><title>{name}</title></circle>"#));
        }
    }
}

/// A path with a gap at each None. A point between gaps is a dot: a line without length, with round ends.
fn line_path(places: &[Option<[f64; 2]>]) -> String {
    let mut path = String::new();
    for (i, place) in places.iter().enumerate() {
        let Some([x, y]) = place.map(|p| p.map(number)) else { continue };
        let starts = i == 0 || places[i - 1].is_none();
        let _ = write!(path, "{}{x} {y}", if starts { "M" } else { "L" });
        if starts && places.get(i + 1).is_none_or(|next| next.is_none()) {
            path.push_str("h0");
        }
    }
    path
}

/// Long series have many points per column of pixels: only the first, lowest, highest and last of each are kept.
fn thin_out(places: Vec<Option<[f64; 2]>>) -> Vec<Option<[f64; 2]>> {
    if places.len() < 3000 {
        return places;
    }
    let column = |p: &Option<[f64; 2]>| p.map(|[x, _]| x.floor() as i64);
    let mut kept = Vec::new();
    let mut start = 0;
    while start < places.len() {
        let same = places[start..].iter().take_while(|p| column(p) == column(&places[start])).count();
        let part = &places[start..start + same];
        let height = |i: &usize| part[*i].map_or(0.0, |p| p[1]);
        let lowest = (0..same).min_by(|a, b| height(a).total_cmp(&height(b))).unwrap_or(0);
        let highest = (0..same).max_by(|a, b| height(a).total_cmp(&height(b))).unwrap_or(0);
        let mut chosen = [0, lowest, highest, same - 1];
        chosen.sort_unstable();
        let distinct = |k: &usize| *k == 0 || chosen[*k] != chosen[*k - 1];
        kept.extend((0..4).filter(distinct).map(|k| part[chosen[k]]));
        start += same;
    }
    kept
}

fn draw_points(svg: &mut Svg, chart: &Chart, x: &Ruler, y: &Ruler) {
    for (i, series) in chart.series.iter().enumerate() {
        let colour = series_colour(i).css();
        svg.raw(&format!(r#"<g fill="{colour}" fill-opacity=".8">"#));
        for point in &series.points {
            if let (Some(cx), Some(cy)) = (x.place(point[0]), y.place(point[1])) {
                let (cx, cy) = (number(cx), number(cy));
                let tip = escape(&format!("{}: {}, {}", series.name, significant(point[0]), significant(point[1])));
                svg.raw(&format!(r#"<circle cx="{cx}" cy="{cy}" r="3.2"><title>{tip}</title></circle>"#));
            }
        }
        svg.raw("</g>");
    }
}

fn draw_areas(svg: &mut Svg, chart: &Chart, tops: &[Vec<f64>], x: &Ruler, y: &Ruler) {
    let Some(first) = chart.series.first() else { return };
    let edge = |heights: &[f64]| -> Vec<Option<[f64; 2]>> {
        let at = |(p, h): (&[f64; 2], &f64)| Some([x.place(p[0])?, y.place(*h)?]);
        thin_out(first.points.iter().zip(heights).map(at).collect())
    };
    let floor = vec![0.0; first.points.len()];
    for (i, series) in chart.series.iter().enumerate() {
        let below = if i == 0 { &floor } else { &tops[i - 1] };
        let upper: Vec<[f64; 2]> = edge(&tops[i]).into_iter().flatten().collect();
        let lower: Vec<[f64; 2]> = edge(below).into_iter().flatten().rev().collect();
        let mut path = String::new();
        for (k, [px, py]) in upper.iter().chain(&lower).enumerate() {
            let _ = write!(path, "{}{} {}", if k == 0 { "M" } else { "L" }, number(*px), number(*py));
        }
        let (colour, name) = (series_colour(i).css(), escape(&series.name));
        if !path.is_empty() {
            svg.raw(&format!(r#"<path fill="{colour}" fill-opacity=".85" d="{path}Z"><title>{name}</title></path>"#));
        }
    }
}

fn draw_bars(svg: &mut Svg, chart: &Chart, tops: &[Vec<f64>], x: &Ruler, y: &Ruler) {
    let Some(first) = chart.series.first() else { return };
    let half = 0.4 * bar_step(chart);
    for (i, series) in chart.series.iter().enumerate() {
        let (colour, name) = (series_colour(i).css(), escape(&series.name));
        svg.raw(&format!(r#"<g fill="{colour}">"#));
        for (k, point) in first.points.iter().enumerate() {
            let below = if i == 0 { 0.0 } else { tops[i - 1][k] };
            let places = (x.place(point[0] - half), x.place(point[0] + half), y.place(tops[i][k]), y.place(below));
            if let (Some(x0), Some(x1), Some(y0), Some(y1)) = places {
                let [x0, w, y0, h] = [x0, x1 - x0, y0, y1 - y0].map(number);
                let tip = format!("{name}: {}", significant(tops[i][k] - below));
                svg.raw(&format!(r#"<rect x="{x0}" y="{y0}" width="{w}" height="{h}"><title>{tip}</title></rect>"#));
            }
        }
        svg.raw("</g>");
    }
}

/// The smallest distance between neighbouring bars.
fn bar_step(chart: &Chart) -> f64 {
    let points = chart.series.first().map_or(&[][..], |s| &s.points[..]);
    let steps = points.windows(2).map(|w| (w[1][0] - w[0][0]).abs()).filter(|d| *d > 0.0);
    let least = steps.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}
