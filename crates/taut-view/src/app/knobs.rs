//! Controls for values of a scene.

use super::Viewer;
use eframe::egui;
use std::ops::RangeInclusive;

/// A number of the scene, and how a person sets it.
pub(super) struct Knob<'a> {
    /// What it is called.
    pub label: &'a str,
    /// Its unit, if it has one.
    pub unit: &'a str,
    /// What it does.
    pub about: &'a str,
    /// Its dotted path in the scene.
    pub path: String,
    /// What it is now.
    pub value: f64,
    /// From where to where the slider goes; the number beside it goes further.
    pub range: RangeInclusive<f64>,
    /// Whether equal ways on the slider are equal factors.
    pub factors: bool,
    /// Whether it is a whole number.
    pub whole: bool,
}

impl<'a> Knob<'a> {
    pub fn new(label: &'a str, path: String, value: f64, range: RangeInclusive<f64>) -> Self {
        Knob { label, unit: "", about: "", path, value, range, factors: false, whole: false }
    }

    pub fn unit(self, unit: &'a str) -> Self {
        Knob { unit, ..self }
    }

    pub fn about(self, about: &'a str) -> Self {
        Knob { about, ..self }
    }

    pub fn factors(self) -> Self {
        Knob { factors: true, ..self }
    }

    pub fn whole(self) -> Self {
        Knob { whole: true, ..self }
    }
}

impl Viewer {
    /// A slider for a value of the scene.
    pub(super) fn knob(&mut self, ui: &mut egui::Ui, knob: Knob) -> egui::Response {
        let mut value = knob.value;
        let smallest = if *knob.range.start() > 0.0 { *knob.range.start() } else { 1e-7 };
        let mut slider = egui::Slider::new(&mut value, knob.range)
            .logarithmic(knob.factors)
            .smallest_positive(smallest)
            .clamping(egui::SliderClamping::Never)
            .custom_formatter(|value, _| number(value))
            .text(knob.label);
        if !knob.unit.is_empty() {
            slider = slider.suffix(format!(" {}", knob.unit));
        }
        if knob.whole {
            slider = slider.integer();
        }
        let response = ui.add(slider);
        if response.changed() {
            let text = if knob.whole { format!("{}", value.round() as i64) } else { format!("{value:?}") };
            self.set(self.side, &knob.path, text);
        }
        if knob.about.is_empty() { response } else { response.on_hover_text(knob.about) }
    }
}

/// A number as short as a person writes it.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        0.0 => "0".into(),
        1e-3..1e5 => {
            let digits = (2.0 - size.log10().floor()).clamp(0.0, 6.0) as usize;
            let text = format!("{value:.digits$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
        _ => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_short_and_keep_three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.04, "0.04"),
            (1000.0, "1000"),
            (-12.345, "-12.3"),
            (2.5e-6, "2.50e-6"),
            (3.2e7, "3.20e7"),
            (1.0, "1"),
            (99999.0, "99999"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
