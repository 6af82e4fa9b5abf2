//! All scenes that come with the program, with a picture of each.

use super::Viewer;
use crate::session::Document;
use crate::tiles;
use eframe::egui;
use taut_scene::scene::BUILTIN;

/// The scenes' pictures, once they are needed.
#[derive(Default)]
pub(super) struct Gallery {
    pictures: Option<egui::TextureHandle>,
    scenes: Vec<(&'static str, String, String)>,
}

impl Gallery {
    fn load(&mut self, context: &egui::Context) {
        if self.scenes.is_empty() {
            self.scenes = BUILTIN.iter().map(|b| (b.name, b.about())).map(|(n, (t, d))| (n, t, d)).collect();
        }
        if self.pictures.is_none()
            && let Some(image) = tiles::image()
        {
            let image = egui::ColorImage::from_rgb(image.size, &image.rgb);
            self.pictures = Some(context.load_texture("gallery", image, egui::TextureOptions::LINEAR));
        }
    }
}

impl Viewer {
    pub(super) fn gallery_window(&mut self, context: &egui::Context) {
        if !self.open.gallery {
            return;
        }
        self.gallery.load(context);
        let mut chosen = None;
        let mut open = true;
        let room = context.content_rect();
        egui::Window::new("Scenes")
            .open(&mut open)
            .default_pos([16.0, 40.0])
            .default_width((room.width() - 80.0).min(860.0))
            .default_height((room.height() - 120.0).min(620.0))
            .vscroll(true)
            .show(context, |ui| {
                ui.label(
                    "Click a scene, or drop a scene file or a mesh (OBJ, PLY, STL, glTF, Gmsh, VTK) on the window.",
                );
                ui.horizontal_wrapped(|ui| {
                    for (name, title, about) in &self.gallery.scenes {
                        if tile(ui, &self.gallery, name, title).on_hover_text(about.as_str()).clicked() {
                            chosen = Document::builtin(name);
                        }
                    }
                });
            });
        self.open.gallery = open;
        if let Some(document) = chosen {
            self.open.gallery = false;
            self.show(document);
        }
    }
}

/// A picture with a name that can be clicked.
fn tile(ui: &mut egui::Ui, gallery: &Gallery, name: &str, title: &str) -> egui::Response {
    let size = egui::vec2(160.0, 138.0);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click());
    let painter = ui.painter();
    let back = if response.hovered() { ui.visuals().widgets.hovered.bg_fill } else { ui.visuals().extreme_bg_color };
    painter.rect_filled(rect, 4.0, back);
    let picture = egui::Rect::from_min_size(rect.min, egui::vec2(160.0, 120.0)).shrink(2.0);
    if let (Some(pictures), Some([min, max])) = (&gallery.pictures, tiles::part(name)) {
        let part = egui::Rect::from_min_max(min.into(), max.into());
        painter.image(pictures.id(), picture, part, egui::Color32::WHITE);
    }
    let font = egui::FontId::proportional(12.0);
    let to = egui::pos2(rect.center().x, rect.max.y - 2.0);
    let text = if title.is_empty() { name } else { title };
    painter.text(to, egui::Align2::CENTER_BOTTOM, text, font, ui.visuals().text_color());
    response
}
