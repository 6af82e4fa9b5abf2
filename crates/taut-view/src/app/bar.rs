//! The bar above the picture, and the keys that do the same.

use super::Viewer;
use crate::session::{Command, Heat};
use eframe::egui::{self, Key};

/// Every key: what it is called, and what it does.
pub(super) const KEYS: &[(&str, &str)] = &[
    ("drag on cloth", "pull it"),
    ("drag elsewhere", "turn the view"),
    ("right drag, Shift + drag", "move the view"),
    ("wheel, pinch", "closer or away"),
    ("Space", "play or pause"),
    (".", "one frame"),
    ("R", "back to the beginning"),
    ("P", "pin or unpin what is under the pointer"),
    ("B", "throw a ball at the pointer"),
    ("V", "wind on or off, away from you"),
    ("1 2 3 4", "colours: fabric, weft, warp, shear"),
    ("5 6 7 8", "colours: area, use of limits, stretch, volume"),
    ("W", "wireframe"),
    ("F", "everything in view"),
    ("T", "turntable"),
    ("C", "compare two settings side by side"),
    ("K", "picture to a file"),
    ("S", "settings on or off"),
    ("G", "scenes"),
    ("O", "open a file"),
    ("? or F1", "this help"),
];

impl Viewer {
    pub(super) fn keys(&mut self, context: &egui::Context) {
        if context.egui_wants_keyboard_input() {
            return;
        }
        let pressed = |key: Key| context.input(|input| input.key_pressed(key) && !input.modifiers.command);
        if pressed(Key::Space) {
            self.send(Command::Play(!self.playing()));
        }
        if pressed(Key::Period) {
            self.send(Command::Play(false));
            self.send(Command::Step);
        }
        if pressed(Key::R) {
            self.send(Command::Reset);
        }
        let numbers = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8];
        for (key, heat) in numbers.into_iter().zip(Heat::ALL) {
            if pressed(key) {
                self.send(Command::Heat(heat));
            }
        }
        for (key, flag) in [
            (Key::W, &mut self.look.wireframe),
            (Key::T, &mut self.look.turntable),
            (Key::G, &mut self.open.gallery),
            (Key::S, &mut self.open.settings),
        ] {
            if pressed(key) {
                *flag = !*flag;
            }
        }
        if pressed(Key::F1) || pressed(Key::Questionmark) {
            (self.open.help, self.open.hint) = (!self.open.help, false);
        }
        if pressed(Key::F) {
            self.look.frame();
        }
        if pressed(Key::C) {
            self.send(Command::Compare(self.snapshot.sides.len() == 1));
        }
        if pressed(Key::K) {
            self.keeper.want_picture();
        }
        if pressed(Key::V) {
            self.toggle_wind();
        }
        if pressed(Key::O) {
            self.choose_file(context);
        }
        if pressed(Key::Escape) {
            (self.open.help, self.open.gallery, self.open.hint) = (false, false, false);
            self.chooser.close();
        }
    }

    /// Wind of six metres a second away from the viewer, or none.
    fn toggle_wind(&mut self) {
        let settings = &self.snapshot.sides[0].scene.settings;
        let blows = settings.air.wind.at(self.snapshot.time) != [0.0; 3];
        let away = self.look.camera.map_or([0.0, 0.0, 1.0], |camera| camera.direction().into());
        let wind = if blows { [0.0; 3] } else { [-6.0 * away[0], 0.0, -6.0 * away[2]] };
        for side in 0..self.snapshot.sides.len() {
            self.set(side, "air.wind", format!("{wind:?}"));
        }
    }

    pub(super) fn set(&mut self, side: usize, path: &str, value: String) {
        self.send(Command::Set { side, path: path.to_owned(), value });
    }

    pub(super) fn bar(&mut self, ui: &mut egui::Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.toggle_value(&mut self.open.gallery, "Scenes").on_hover_text("All scenes that come with taut (G)");
            let open = ui.button("Open …").on_hover_text("A scene file or a mesh (O)");
            self.note("open", open.rect);
            if open.clicked() {
                self.choose_file(ui.ctx());
            }
            ui.separator();
            let playing = self.playing();
            let play = ui.button(if playing { "Pause" } else { "Play" }).on_hover_text("Space");
            self.note("play", play.rect);
            if play.clicked() {
                self.send(Command::Play(!playing));
            }
            let step = ui.button("Step").on_hover_text("One frame (.)");
            self.note("step", step.rect);
            if step.clicked() {
                self.send(Command::Play(false));
                self.send(Command::Step);
            }
            let reset = ui.button("Reset").on_hover_text("Back to the beginning (R)");
            self.note("reset", reset.rect);
            if reset.clicked() {
                self.send(Command::Reset);
            }
            let mut speed = self.snapshot.speed;
            let slider = egui::Slider::new(&mut speed, 0.02..=1.0).logarithmic(true).suffix("×").max_decimals(2);
            if ui.add(slider).on_hover_text("Slow motion: how fast time goes").changed() {
                self.send(Command::Speed(speed));
            }
            let mut endless = self.snapshot.endless;
            let response =
                ui.toggle_value(&mut endless, "Endless").on_hover_text("Go on behind the scene's last frame");
            self.note("endless", response.rect);
            if response.changed() {
                self.send(Command::Endless(endless));
            }
            ui.separator();
            self.colours(ui);
            ui.toggle_value(&mut self.look.wireframe, "Mesh").on_hover_text("Edges of all triangles (W)");
            ui.toggle_value(&mut self.look.turntable, "Turn").on_hover_text("Turntable (T)");
            if ui.button("Frame").on_hover_text("Everything in view (F)").clicked() {
                self.look.frame();
            }
            let mut compare = self.snapshot.sides.len() == 2;
            let response = ui.toggle_value(&mut compare, "Compare").on_hover_text("Two settings, the same motion (C)");
            self.note("compare", response.rect);
            if response.changed() {
                self.send(Command::Compare(compare));
            }
            ui.separator();
            self.keeping(ui);
            ui.separator();
            ui.toggle_value(&mut self.open.settings, "Settings").on_hover_text("S");
            ui.toggle_value(&mut self.open.plots, "Plots");
            ui.toggle_value(&mut self.open.help, "?").on_hover_text("Keys (F1)");
        });
    }

    /// What the colours show.
    fn colours(&mut self, ui: &mut egui::Ui) {
        let mut heat = self.snapshot.heat;
        let maps = &self.snapshot.sides[0].shape.maps;
        let painted = maps.iter().zip(0u8..).map(|(map, at)| (Heat::Map(at), format!("painted: {}", map.name)));
        let strains = Heat::ALL.into_iter().map(|heat| (heat, heat.name().to_owned()));
        let choices: Vec<(Heat, String)> = strains.chain(painted).collect();
        let shown = choices.iter().find(|(choice, _)| *choice == heat).map_or(heat.name(), |(_, name)| name.as_str());
        let combo = egui::ComboBox::from_id_salt("heat").selected_text(shown).show_ui(ui, |ui| {
            for (choice, name) in &choices {
                ui.selectable_value(&mut heat, *choice, name.as_str());
            }
        });
        self.note("heat", combo.response.rect);
        if heat != self.snapshot.heat {
            self.send(Command::Heat(heat));
        }
        if !matches!(heat, Heat::Cloth | Heat::Use | Heat::Map(_)) {
            let mut percent = 100.0 * self.look.strain;
            let value = egui::DragValue::new(&mut percent).range(0.01..=1000.0).speed(0.05).prefix("± ").suffix(" %");
            if ui.add(value).on_hover_text("The strain at the ends of the colour scale").changed() {
                self.look.strain = 0.01 * percent;
            }
        }
    }
}
