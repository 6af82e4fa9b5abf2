//! The settings of a scene: each control writes a value that a scene file can hold.

use super::Viewer;
use super::knobs::Knob;
use crate::session::Command;
use crate::session::bounds::toml;
use eframe::egui;
use serde_json::{Value as Json, json};
use taut_scene::scene::Scene;
use taut_scene::scene::settings::{Cloth, ClothElastic, Limit, Solid, Solver};

impl Viewer {
    pub(super) fn settings(&mut self, ui: &mut egui::Ui) {
        let scene = self.snapshot.sides[self.side].scene.clone();
        ui.heading(scene.title());
        if !scene.settings.scene.description.is_empty() {
            ui.label(scene.settings.scene.description.as_str());
        }
        if self.snapshot.sides.len() == 2 {
            ui.horizontal(|ui| {
                ui.label("settings of");
                ui.selectable_value(&mut self.side, 0, "left");
                ui.selectable_value(&mut self.side, 1, "right");
            });
        }
        ui.separator();
        egui::ScrollArea::vertical().show(ui, |ui| {
            ui.spacing_mut().slider_width = 100.0;
            self.warnings(ui);
            for (at, cloth) in scene.settings.cloth.iter().enumerate() {
                self.fabric_and_limits(ui, at, cloth);
            }
            for (at, solid) in scene.settings.solid.iter().enumerate() {
                let title = format!("Soft body: {}", solid.shape.name);
                egui::CollapsingHeader::new(title).default_open(at == 0).show(ui, |ui| self.solid(ui, at, solid));
            }
            egui::CollapsingHeader::new("World and wind").show(ui, |ui| self.world(ui, &scene));
            for (at, cloth) in scene.settings.cloth.iter().enumerate() {
                let title = format!("Stiffness of {}", cloth.shape.name);
                egui::CollapsingHeader::new(title).show(ui, |ui| self.cloth(ui, at, cloth));
            }
            egui::CollapsingHeader::new("All strain limits").show(ui, |ui| self.limits(ui, &scene));
            self.solver(ui, &scene);
            self.scene_text(ui, &scene);
        });
    }

    fn solver(&mut self, ui: &mut egui::Ui, scene: &Scene) {
        let solver = &scene.settings.solver;
        let header = egui::CollapsingHeader::new("Solver").show(ui, |ui| {
            let (old, mut kind) = (solver.kind(), solver.kind());
            egui::ComboBox::from_label("method").selected_text(kind).show_ui(ui, |ui| {
                for &name in Solver::KINDS {
                    ui.selectable_value(&mut kind, name, name);
                }
            });
            let params = solver.params();
            if kind != old {
                // Methods have keys of their own, so that those of the old one go.
                let precision = solver.precision().name();
                // Only some know how many they need.
                let substeps = match kind {
                    "auto" => 0,
                    _ if params.substeps > 0 => params.substeps,
                    _ => 20,
                };
                let table = format!("{{ kind = {kind:?}, substeps = {substeps}, precision = {precision:?} }}");
                self.set(self.side, "solver", table);
                return;
            }
            let least = if matches!(solver, Solver::Auto(_)) { 0.0 } else { 1.0 };
            let substeps = Knob::new("substeps", "solver.substeps".into(), f64::from(params.substeps), least..=60.0);
            let about = match least {
                0.0 => "In a step; 0 for as many as mesh and fabric need",
                _ => "In a step. More are stiffer and lose less motion; time grows with them",
            };
            let response = self.knob(ui, substeps.whole().about(about));
            self.note("substeps", response.rect);
            let iterations =
                Knob::new("iterations", "solver.iterations".into(), f64::from(params.iterations), 1.0..=100.0);
            self.knob(ui, iterations.whole().factors().about("In a substep, at most"));
        });
        self.note("solver", header.header_response.rect);
    }

    fn cloth(&mut self, ui: &mut egui::Ui, at: usize, cloth: &Cloth) {
        let path = |key: &str| format!("cloth.{at}.{key}");
        let material = cloth.material.params();
        let density = Knob::new("density", path("density"), material.density, 0.02..=2.0);
        self.knob(ui, density.unit("kg/m²").factors());
        match (&cloth.material.elastic, &cloth.material.fabric) {
            (Some(elastic), _) => self.elastic(ui, at, elastic),
            (None, Some(_)) => drop(ui.label("Stiffness is that of the fabric.")),
            (None, None) => self.shares(ui, at, cloth),
        }
    }

    /// Stiffness as shares, and damping rates.
    fn shares(&mut self, ui: &mut egui::Ui, at: usize, cloth: &Cloth) {
        let (k, d) = (&cloth.material.stiffness, &cloth.material.damping);
        ui.label("Stiffness: the share that one projection removes");
        for (name, value) in [
            ("weft", k.weft),
            ("warp", k.warp),
            ("shear", k.shear),
            ("area", k.area),
            ("bend", k.bend),
            ("edge", k.edge),
        ] {
            let knob = Knob::new(name, format!("cloth.{at}.stiffness.{name}"), value, 0.0..=1.0);
            self.knob(ui, Knob { factors: true, ..knob });
        }
        ui.label("Damping");
        for (name, value) in [("weft", d.weft), ("warp", d.warp), ("shear", d.shear), ("bend", d.bend)] {
            let knob = Knob::new(name, format!("cloth.{at}.damping.{name}"), value, 0.0..=1000.0);
            self.knob(ui, knob.unit("1/s").factors());
        }
    }

    /// Stiffness in physical units.
    fn elastic(&mut self, ui: &mut egui::Ui, at: usize, elastic: &ClothElastic) {
        let path = |key: &str| format!("cloth.{at}.elastic.{key}");
        let rows: Vec<(&str, f64, &str)> = match elastic {
            ClothElastic::Continuum(c) => {
                let shear = c.shear.unwrap_or(c.weft / (2.0 * (1.0 + c.poisson)));
                vec![("weft", c.weft, "N/m"), ("warp", c.warp.unwrap_or(c.weft), "N/m"), ("shear", shear, "N/m")]
            }
            ClothElastic::StretchShear(s) => {
                vec![("weft", s.weft, "N/m"), ("warp", s.warp.unwrap_or(s.weft), "N/m"), ("shear", s.shear, "N/m")]
            }
            ClothElastic::Links(l) => {
                vec![("stretch", l.stretch, "N/m"), ("shear", l.shear, "N/m"), ("bend", l.bend, "N/m")]
            }
        };
        ui.label("Stiffness in physical units");
        for (name, value, unit) in rows {
            self.knob(ui, Knob::new(name, path(name), value, 0.1..=1e5).unit(unit).factors());
        }
        let (bend, damping) = match elastic {
            ClothElastic::Continuum(c) => (Some(c.bend.0[0]), &c.damping),
            ClothElastic::StretchShear(s) => (Some(s.bend.0[0]), &s.damping),
            ClothElastic::Links(l) => (None, &l.damping),
        };
        if let Some(bend) = bend {
            self.knob(ui, Knob::new("bending", path("bend"), bend, 1e-7..=1e-2).unit("N·m").factors());
        }
        let knob = Knob::new("damping", path("damping.stretch"), damping.stretch, 0.0..=0.1);
        self.knob(ui, knob.unit("s").factors().about("Damping time of stretch and area"));
    }

    fn solid(&mut self, ui: &mut egui::Ui, at: usize, solid: &Solid) {
        let path = |key: &str| format!("solid.{at}.{key}");
        self.knob(
            ui,
            Knob::new("density", path("density"), solid.material.density, 10.0..=5000.0).unit("kg/m³").factors(),
        );
        match &solid.material.elastic {
            Some(elastic) => {
                self.knob(
                    ui,
                    Knob::new("stiffness", path("elastic.young"), elastic.young, 1e2..=1e8).unit("Pa").factors(),
                );
                self.knob(ui, Knob::new("Poisson's ratio", path("elastic.poisson"), elastic.poisson, 0.0..=0.49));
                self.knob(
                    ui,
                    Knob::new("volume", path("elastic.volume"), elastic.volume, 1e2..=1e8).unit("Pa").factors(),
                );
                self.knob(
                    ui,
                    Knob::new("damping", path("elastic.damping"), elastic.damping, 0.0..=0.1).unit("s").factors(),
                );
            }
            None => {
                let k = &solid.material.stiffness;
                for (key, value) in [("stretch", k.stretch.0[0]), ("shear", k.shear.0[0]), ("volume", k.volume)] {
                    self.knob(ui, Knob::new(key, path(&format!("stiffness.{key}")), value, 0.0..=1.0).factors());
                }
                self.knob(
                    ui,
                    Knob::new("damping", path("damping"), solid.material.damping, 0.0..=1000.0).unit("1/s").factors(),
                );
            }
        }
    }

    fn limits(&mut self, ui: &mut egui::Ui, scene: &Scene) {
        let list = scene.to_json()["limit"].as_array().cloned().unwrap_or_default();
        for (at, limit) in list.iter().enumerate() {
            ui.horizontal(|ui| {
                ui.label(format!("{}. {}", at + 1, limit["kind"].as_str().unwrap_or("csl")));
                if ui.small_button("remove").clicked() {
                    let rest = list.iter().enumerate().filter(|(k, _)| *k != at).map(|(_, limit)| limit.clone());
                    self.set(self.side, "limit", toml(&rest.collect()));
                }
            });
            for key in ["weft", "warp", "shear", "any", "edge", "strain", "change", "rate"] {
                if let Some(value) = limit[key].as_f64() {
                    self.knob(ui, Knob::new(key, format!("limit.{at}.{key}"), value, 0.001..=0.5).factors());
                }
            }
        }
        ui.horizontal_wrapped(|ui| {
            ui.label("add");
            for &kind in Limit::KINDS {
                if ui.small_button(kind).clicked() {
                    let mut next = list.clone();
                    next.push(fresh_limit(kind));
                    self.set(self.side, "limit", toml(&Json::Array(next)));
                }
            }
        });
    }

    fn world(&mut self, ui: &mut egui::Ui, scene: &Scene) {
        let settings = &scene.settings;
        let (gravity, wind) = (settings.world.gravity, settings.air.wind.at(self.snapshot.time));
        self.part(ui, "gravity", "world.gravity", gravity, 1, (-20.0..=5.0, " m/s²"));
        for (k, name) in ["wind along x", "wind along y", "wind along z"].into_iter().enumerate() {
            self.part(ui, name, "air.wind", wind, k, (-15.0..=15.0, " m/s"));
        }
    }

    /// One component of a vector.
    fn part(
        &mut self,
        ui: &mut egui::Ui,
        name: &str,
        path: &str,
        mut vector: [f64; 3],
        component: usize,
        (range, unit): (std::ops::RangeInclusive<f64>, &str),
    ) {
        let slider = egui::Slider::new(&mut vector[component], range).suffix(unit).max_decimals(2).text(name);
        if ui.add(slider).changed() {
            self.set(self.side, path, format!("{vector:?}"));
        }
    }

    /// What was odd about the scene, and what a person should know before trusting what is seen.
    fn warnings(&mut self, ui: &mut egui::Ui) {
        let warnings = &self.snapshot.sides[self.side].warnings;
        if warnings.is_empty() {
            return;
        }
        let title = egui::RichText::new(format!("Warnings ({})", warnings.len())).color(ui.visuals().warn_fg_color);
        egui::CollapsingHeader::new(title).id_salt("warnings").default_open(true).show(ui, |ui| {
            for warning in warnings.iter().take(SHOWN) {
                ui.label(warning);
            }
            if warnings.len() > SHOWN {
                ui.weak(format!("and {} more: `taut check` lists them all", warnings.len() - SHOWN));
            }
        });
        ui.separator();
    }

    /// The scene file itself, for everything that has no slider.
    fn scene_text(&mut self, ui: &mut egui::Ui, scene: &Scene) {
        egui::CollapsingHeader::new("Scene file").show(ui, |ui| {
            if self.open.text.is_none() && ui.button("Edit").clicked() {
                self.open.text = Some(scene.written().unwrap_or_else(|_| scene.text().to_owned()));
            }
            let Some(text) = &mut self.open.text else { return };
            let mut used = false;
            let mut closed = false;
            ui.horizontal(|ui| {
                used = ui.button("Use").on_hover_text("Begins anew with this text").clicked();
                closed = ui.button("Close").clicked();
            });
            ui.add(egui::TextEdit::multiline(text).code_editor().desired_rows(20).desired_width(f32::INFINITY));
            let text = text.clone();
            if used {
                self.send(Command::Text(text));
            }
            if closed {
                self.open.text = None;
            }
        });
    }
}

/// A limiter of a kind, with figures to begin with.
fn fresh_limit(kind: &str) -> Json {
    match kind {
        "csl" | "sbd" => json!({ "kind": kind, "weft": 0.04, "warp": 0.04, "shear": 0.2 }),
        "edges" => json!({ "kind": kind, "strain": 0.04 }),
        "stretch" => json!({ "kind": kind, "weft": 0.01, "warp": 0.01 }),
        "rate" => json!({ "kind": kind, "weft": 0.5, "warp": 0.5 }),
        "edge-rate" => json!({ "kind": kind, "rate": 0.5 }),
        _ => json!({ "kind": kind }),
    }
}

/// Warnings that are shown.
const SHOWN: usize = 12;
