//! What taut is for, first: the fabric of each cloth, and how far it may be stretched along weft and warp and in shear,
//! with what is reached beside each.

use super::Viewer;
use super::knobs::number;
use crate::session::{ClothReach, Command, Most, Reached, Thread};
use eframe::egui::{self, Color32};
use taut_scene::fabric;
use taut_scene::scene::settings::Cloth;

/// Beyond its limit.
const BEYOND: Color32 = Color32::from_rgb(255, 120, 100);

/// A stretch or a shear as a person reads it.
pub(super) fn words(thread: Thread, value: f64) -> String {
    match thread {
        Thread::Shear => format!("{}\u{b0}", number(rounded(value))),
        _ => format!("{} %", number(rounded(100.0 * value))),
    }
}

/// To a thousandth: below that is rounding of positions.
fn rounded(value: f64) -> f64 {
    (1000.0 * value).round() / 1000.0
}

impl Viewer {
    /// The fabric of a cloth and its limits.
    pub(super) fn fabric_and_limits(&mut self, ui: &mut egui::Ui, at: usize, cloth: &Cloth) {
        let Some(reach) = self.snapshot.sides[self.side].reach.get(at).cloned() else { return };
        if self.snapshot.sides[self.side].reach.len() > 1 {
            ui.strong(&reach.name);
        }
        self.fabrics(ui, at, cloth);
        ui.label("How far it may give, and what is reached:");
        for (thread, reached) in Thread::ALL.into_iter().zip(reach.threads) {
            self.limit(ui, at, thread, &reached);
        }
        compression(ui, &reach);
        ui.add_space(4.0);
    }

    /// One limit: whether there is one, its slider, and how far the cloth is from it.
    fn limit(&mut self, ui: &mut egui::Ui, cloth: usize, thread: Thread, reached: &Reached) {
        // Percent, or degrees.
        let (scale, unit, most, fresh) = match thread {
            Thread::Shear => (1.0, "\u{b0}", 60.0, 20.0),
            _ => (100.0, " %", 30.0, 0.01),
        };
        let mut next = None;
        let row = ui.horizontal(|ui| {
            let mut limited = reached.most.is_some();
            let about = "Unticked: as far as it goes";
            let tick = ui.add_sized([58.0, 18.0], egui::Checkbox::new(&mut limited, thread.key())).on_hover_text(about);
            if tick.changed() {
                next = Some(limited.then_some(fresh));
            }
            let mut value = scale * reached.most.unwrap_or(fresh);
            let slider = egui::Slider::new(&mut value, 0.0..=most)
                .logarithmic(true)
                .smallest_positive(0.1)
                .clamping(egui::SliderClamping::Never)
                .custom_formatter(|value, _| number(value))
                .suffix(unit);
            let slider =
                ui.add_enabled(limited, slider).on_hover_text("At the end of every step, in contact and folds too");
            if slider.changed() {
                next = Some(Some(value.max(0.0) / scale));
            }
            slider.rect
        });
        let colour = if reached.beyond > 0 { BEYOND } else { ui.visuals().text_color() };
        let peak = &reached.peak;
        let frame = peak.seen.map_or_else(String::new, |(frame, _)| format!(" in frame {frame}"));
        let text = format!("reaches {}, at most {}{frame}", words(thread, reached.now), words(thread, peak.value));
        let about = format!("{}{}", said(reached), after("; the most was", peak));
        ui.indent(("reached", cloth, thread.key()), |ui| {
            ui.colored_label(colour, text).on_hover_text(about);
        });
        if cloth == 0 {
            self.note(
                match thread {
                    Thread::Weft => "weft",
                    Thread::Warp => "warp",
                    Thread::Shear => "shear",
                },
                row.inner,
            );
        }
        if let Some(most) = next {
            self.send(Command::Bound { side: self.side, cloth, thread, most });
        }
    }

    /// Fabrics of the library.
    fn fabrics(&mut self, ui: &mut egui::Ui, at: usize, cloth: &Cloth) {
        let chosen = cloth.material.fabric.map(|fabric| fabric.0);
        let shown = chosen.map_or("none of the library", |fabric| fabric.name);
        let mut next = None;
        let combo = egui::ComboBox::from_id_salt(("fabric", at)).width(180.0).selected_text(shown);
        ui.horizontal(|ui| {
            ui.label("fabric");
            combo.show_ui(ui, |ui| {
                for fabric in fabric::all() {
                    let same = chosen.is_some_and(|chosen| chosen.name == fabric.name);
                    if ui.selectable_label(same, fabric.name).on_hover_text(fabric.about).clicked() {
                        next = Some(fabric);
                    }
                }
            });
        });
        let Some(fabric) = next else { return };
        self.set(self.side, &format!("cloth.{at}.fabric"), format!("{:?}", fabric.name));
        self.set(self.side, &format!("cloth.{at}.density"), format!("{:?}", fabric.figures.density.value));
        if cloth.material.elastic.is_some() {
            let elastic = format!(
                "{{ kind = \"continuum\", weft = {:?}, warp = {:?}, poisson = {:?}, shear = {:?}, bend = [{:?}, {:?}] }}",
                fabric.figures.stiffness_weft.value,
                fabric.figures.stiffness_warp.value,
                fabric.figures.poisson.value,
                fabric.figures.shear.value,
                fabric.figures.bending_weft.value,
                fabric.figures.bending_warp.value,
            );
            self.set(self.side, &format!("cloth.{at}.elastic"), elastic);
        }
    }
}

/// When and where the largest of something was, after what it is; nothing without any.
fn after(what: &str, most: &Most) -> String {
    most.seen.map_or_else(String::new, |_| format!("{what}{}", most.when_and_where()))
}

/// How a stretch is to its limit.
fn said(reached: &Reached) -> String {
    match (reached.most, reached.beyond) {
        (None, _) => "no limit".to_owned(),
        (Some(_), 0) => "within its limit".to_owned(),
        (Some(_), beyond) => format!("{beyond} triangles are beyond the limit now"),
    }
}

/// The largest compression, which nothing limits here.
fn compression(ui: &mut egui::Ui, reach: &ClothReach) {
    let [weft, warp, _] = reach.threads.map(|thread| words(Thread::Weft, thread.compression.value));
    let label = ui.weak(format!("compressed by at most {weft} (weft), {warp} (warp)"));
    let [weft, warp, _] = &reach.threads;
    let about = format!("{}{}", after("weft", &weft.compression), after("; warp", &warp.compression));
    if !about.is_empty() {
        label.on_hover_text(about);
    }
}
