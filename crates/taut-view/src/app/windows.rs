//! What lies over the picture: help, hints, errors and notes.

use super::Viewer;
use super::bar::KEYS;
use crate::session::Command;
use eframe::egui;

impl Viewer {
    pub(super) fn windows(&mut self, context: &egui::Context) {
        self.gallery_window(context);
        self.chooser_window(context);
        self.warning_badge(context);
        self.help(context);
        self.hint(context);
        self.messages(context);
        if context.input(|input| !input.raw.hovered_files.is_empty()) {
            self.banner(context, "drop", egui::Color32::from_rgb(40, 70, 110), "Drop a scene file or a mesh");
        }
    }

    /// Warnings over the picture: how many, and the newest in a few words; the settings list them all.
    fn warning_badge(&mut self, context: &egui::Context) {
        let warnings = &self.snapshot.sides[self.side].warnings;
        let (Some(last), Some(picture)) = (warnings.last(), self.script.places.get("picture")) else { return };
        if self.open.warnings {
            return;
        }
        let mut words: String = last.chars().take(90).collect();
        if words.len() < last.len() {
            words.push('\u{2026}');
        }
        let many = if warnings.len() > 1 { format!("{} warnings. ", warnings.len()) } else { "Warning. ".to_owned() };
        let area = egui::Area::new(egui::Id::unique("warnings")).pivot(egui::Align2::CENTER_TOP);
        let area = area.fixed_pos(picture.center_top() + egui::vec2(0.0, 8.0)).constrain_to(*picture);
        let (text, all) = (format!("{many}{words}"), warnings.join("\n"));
        let shown = area.show(context, |ui| {
            ui.set_max_width((picture.width() - 40.0).min(560.0));
            let frame = egui::Frame::popup(ui.style()).fill(egui::Color32::from_rgb(96, 60, 16));
            frame.show(ui, |ui| {
                ui.visuals_mut().override_text_color = Some(egui::Color32::WHITE);
                ui.horizontal_wrapped(|ui| {
                    ui.label(text).on_hover_text(all);
                    ui.small_button("hide").clicked()
                })
            })
        });
        self.open.warnings = shown.inner.inner.inner;
    }

    fn help(&mut self, context: &egui::Context) {
        let mut open = self.open.help;
        let window = egui::Window::new("Keys").open(&mut open).resizable(false).collapsible(false);
        window.anchor(egui::Align2::CENTER_CENTER, [0.0; 2]).default_width(460.0).show(context, |ui| {
            egui::Grid::new("keys").striped(true).min_col_width(150.0).show(ui, |ui| {
                for (key, what) in KEYS {
                    ui.strong(*key);
                    ui.label(*what);
                    ui.end_row();
                }
            });
            ui.separator();
            ui.label("Save scene writes all that was done as a scene file, which taut run repeats to the bit.");
        });
        self.open.help = open;
    }

    /// What a person should know first; gone at the first touch.
    fn hint(&mut self, context: &egui::Context) {
        // What was just done is more important.
        self.open.hint &= self.keeper.note.is_none() && self.snapshot.note.is_none();
        if !self.open.hint {
            return;
        }
        let hint = "Drag the cloth. Drag beside it to turn the view. Space pauses, G shows more scenes, F1 all keys.";
        self.open.hint = !self.banner(context, "hint", egui::Color32::from_rgb(46, 52, 64), hint);
    }

    fn messages(&mut self, context: &egui::Context) {
        let error = self.trouble.clone().or_else(|| self.snapshot.error.clone());
        if let Some(error) = error {
            egui::Window::new("This cannot be used")
                .anchor(egui::Align2::LEFT_BOTTOM, [12.0, -12.0])
                .collapsible(false)
                .show(context, |ui| {
                    // Lines are not wrapped: some point at places in the line above.
                    let text = egui::Label::new(egui::RichText::new(error).monospace()).extend();
                    let room = 0.5 * context.content_rect().size();
                    ui.set_min_width(room.x.clamp(280.0, 620.0));
                    let scroll = egui::ScrollArea::both().max_height(room.y.min(320.0));
                    scroll.show(ui, |ui| ui.add(text));
                    ui.label("What was there before goes on.");
                    let close = ui.button("Close");
                    self.note("close", close.rect);
                    if close.clicked() {
                        self.trouble = None;
                        self.send(Command::Dismiss);
                    }
                });
        } else if let Some(note) = self.keeper.note.clone().or_else(|| self.snapshot.note.clone())
            && self.banner(context, "note", egui::Color32::from_rgb(40, 80, 60), &note)
        {
            self.keeper.note = None;
            self.send(Command::Dismiss);
        }
    }

    /// A few words over the picture; true when they were read.
    fn banner(&self, context: &egui::Context, id: &str, colour: egui::Color32, text: &str) -> bool {
        let Some(picture) = self.script.places.get("picture") else { return false };
        let area = egui::Area::new(egui::Id::unique(id)).pivot(egui::Align2::CENTER_BOTTOM);
        let area = area.fixed_pos(picture.center_bottom() - egui::vec2(0.0, 36.0)).constrain_to(*picture);
        let shown = area.show(context, |ui| {
            ui.set_max_width((picture.width() - 40.0).min(680.0));
            let frame = egui::Frame::popup(ui.style()).fill(colour).inner_margin(egui::vec2(10.0, 6.0));
            frame.show(ui, |ui| {
                ui.visuals_mut().override_text_color = Some(egui::Color32::WHITE);
                ui.horizontal_wrapped(|ui| {
                    ui.label(text);
                    ui.small_button("ok").clicked()
                })
            })
        });
        shown.inner.inner.inner
    }
}
