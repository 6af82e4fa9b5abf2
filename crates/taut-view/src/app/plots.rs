//! Curves over the last frames.

use super::{Viewer, knobs};
use crate::session::Sample;
use eframe::egui::{self, Color32};
use taut_scene::simulation::stage_names;

/// Colours that are told apart, also by the colour-blind (after Okabe and Ito).
const COLOURS: [[u8; 3]; 8] = [
    [230, 159, 0],
    [86, 180, 233],
    [0, 200, 140],
    [240, 228, 66],
    [120, 130, 255],
    [213, 94, 0],
    [204, 121, 167],
    [170, 170, 170],
];

/// A name, and a number of each frame.
struct Curve<'a> {
    name: &'a str,
    values: Vec<f64>,
}

fn colour(at: usize) -> Color32 {
    let [r, g, b] = COLOURS[at % COLOURS.len()];
    Color32::from_rgb(r, g, b)
}

impl Viewer {
    pub(super) fn plots(&mut self, ui: &mut egui::Ui) {
        let side = &self.snapshot.sides[self.side];
        let samples: Vec<&Sample> = side.history.samples().collect();
        let cloth = side.shape.objects.iter().any(|object| object.cloth);
        let solid = side.shape.objects.iter().any(|object| !object.cloth);
        let curve = |name, of: &dyn Fn(&Sample) -> f64| Curve { name, values: samples.iter().map(|s| of(s)).collect() };
        let names = ["weft", "warp", "shear", "any way", "stretch", "volume"];
        let shown = (0..6).filter(|&k| if k < 4 { cloth } else { solid });
        let strain: Vec<Curve> = shown.map(|k| curve(names[k], &move |s| 100.0 * s.strain[k])).collect();
        let energy: Vec<Curve> = ["kinetic", "potential", "elastic"]
            .into_iter()
            .enumerate()
            // Only differences of the potential energy mean anything.
            .map(|(k, name)| {
                let zero = if k == 1 { samples.iter().map(|s| s.energy[1]).fold(f64::INFINITY, f64::min) } else { 0.0 };
                curve(name, &move |s| s.energy[k] - zero)
            })
            .collect();
        let stages = stage_names();
        let time: Vec<Curve> = stages
            .iter()
            .enumerate()
            .map(|(k, name)| curve(name, &move |s| f64::from(s.stages.get(k).copied().unwrap_or(0.0))))
            .map(|curve| Curve { values: smooth(&curve.values), ..curve })
            .filter(|curve| curve.values.iter().any(|&v| v > 0.05))
            .collect();
        let times: Vec<f64> = samples.iter().map(|sample| sample.time).collect();
        // Those that have room.
        let count = (ui.available_width() / 250.0).clamp(1.0, 3.0).floor();
        let width = ((ui.available_width() - (count - 1.0) * ui.spacing().item_spacing.x) / count).max(60.0);
        let height = ui.available_height().max(60.0);
        ui.horizontal(|ui| {
            let title = if cloth { "largest tension (%)" } else { "largest strain (%)" };
            // With the least that an axis shows: what is rounding alone is no curve.
            let all = [(title, 0.01, strain), ("energy (J)", 1e-6, energy), ("time a frame (ms)", 0.1, time)];
            all.iter()
                .take(count as usize)
                .for_each(|(title, least, curves)| plot(ui, [width, height], (title, *least), &times, curves));
        });
    }
}

/// The median of each value and those just before it: times of single frames jump.
fn smooth(values: &[f64]) -> Vec<f64> {
    let median = |at: usize| {
        let mut some = values[at.saturating_sub(8)..=at].to_vec();
        some.sort_by(f64::total_cmp);
        some[some.len() / 2]
    };
    (0..values.len()).map(median).collect()
}

/// A little room for the numbers at the axes, pixels.
const LEFT: f32 = 38.0;
const BELOW: f32 = 14.0;

/// Round numbers from one to another, at most about `most` of them.
fn ticks(from: f64, to: f64, most: usize) -> Vec<f64> {
    let span = to - from;
    if !(span.is_finite() && span > 0.0 && most > 0) {
        return Vec::new();
    }
    let rough = span / most as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|step| *step >= rough * 0.999).unwrap_or(rough);
    let first = (from / step - 1e-9).ceil() as i64;
    let last = (to / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

fn plot(ui: &mut egui::Ui, size: [f32; 2], (title, least): (&str, f64), times: &[f64], curves: &[Curve]) {
    let (response, painter) = ui.allocate_painter(size.into(), egui::Sense::hover());
    let ink = ui.visuals().text_color();
    let font = egui::FontId::proportional(11.0);
    let rect = response.rect.shrink2(egui::vec2(4.0, 2.0));
    let area = egui::Rect::from_min_max(rect.min + egui::vec2(LEFT, 16.0), rect.max - egui::vec2(92.0, BELOW));
    painter.rect_filled(area, 2.0, ui.visuals().extreme_bg_color);
    let all = || curves.iter().flat_map(|curve| curve.values.iter().copied()).filter(|v| v.is_finite());
    let most = 1.04 * all().fold(0.0, f64::max).max(least);
    painter.text(rect.min, egui::Align2::LEFT_TOP, title, font.clone(), ink);
    let (begin, end) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
    let span = (end - begin).max(1e-9);
    let x = |time: f64| area.min.x + ((time - begin) / span).clamp(0.0, 1.0) as f32 * area.width();
    let y = |value: f64| area.max.y - (value / most).clamp(0.0, 1.0) as f32 * area.height();
    let (line, faint) = (egui::Stroke::new(1.0, ink.gamma_multiply(0.15)), ink.gamma_multiply(0.7));
    for value in ticks(0.0, most, (area.height() / 26.0).max(1.0) as usize) {
        painter.hline(area.x_range(), y(value), line);
        let to = egui::pos2(area.min.x - 4.0, y(value));
        painter.text(to, egui::Align2::RIGHT_CENTER, knobs::number(value), font.clone(), faint);
    }
    for time in ticks(begin, end, (area.width() / 60.0).max(1.0) as usize) {
        painter.vline(x(time), area.y_range(), line);
        let to = egui::pos2(x(time), area.max.y + 1.0);
        painter.text(to, egui::Align2::CENTER_TOP, format!("{} s", knobs::number(time)), font.clone(), faint);
    }
    for (at, curve) in curves.iter().enumerate() {
        let points = times.iter().zip(&curve.values).filter(|(_, v)| v.is_finite());
        let points: Vec<_> = points.map(|(&time, &v)| egui::pos2(x(time), y(v))).collect();
        painter.add(egui::Shape::line(points, egui::Stroke::new(1.5, colour(at))));
        let text = format!("{} {}", curve.name, knobs::number(curve.values.last().copied().unwrap_or(0.0)));
        let to = egui::pos2(area.max.x + 6.0, area.min.y + 12.5 * at as f32);
        painter.text(to, egui::Align2::LEFT_TOP, text, font.clone(), colour(at));
    }
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn ticks_are_round_and_neither_few_nor_many() {
        assert_eq!(ticks(0.0, 1.04, 4), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(0.0, 10.0, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        for (from, to) in [(0.0, 3.7e-5), (12.0, 22.0), (0.0, 9.99e7), (1.3, 1.31)] {
            for most in 1..8 {
                let found = ticks(from, to, most);
                assert!(found.len() <= most + 1 && found.iter().all(|t| (from - 1e-9..=to * (1.0 + 1e-9)).contains(t)));
            }
        }
        assert!(ticks(1.0, 1.0, 4).is_empty() && ticks(0.0, f64::NAN, 4).is_empty());
    }
}
