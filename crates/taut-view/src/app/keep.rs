//! What a person keeps: pictures, recordings, the scene.

use super::Viewer;
use crate::files::save;
use crate::gpu::Shot;
use crate::session::Command;
use eframe::egui;
use eframe::egui_wgpu::RenderState;
use taut_render::Picture;
use taut_render::export::{GifOptions, gif, png};

/// Pictures on their way to files.
#[derive(Default)]
pub(super) struct Keeper {
    wanted: bool,
    /// A scene file that was asked for: of which session, and how many were before it.
    scene: Option<(u64, u64)>,
    still: Option<Shot>,
    film: Option<Film>,
    /// What was done last.
    pub note: Option<String>,
}

impl Keeper {
    /// Pictures of a film so far.
    pub fn filmed(&self) -> Option<usize> {
        self.film.as_ref().map(|film| film.pictures.len())
    }

    /// Asks for a picture.
    pub fn want_picture(&mut self) {
        self.wanted = true;
    }
}

/// A film in the making. While it lasts, it says when time goes on, so that no frame is missing where drawing is slow.
#[derive(Default)]
struct Film {
    pictures: Vec<Picture>,
    coming: Option<Shot>,
    /// The frame that is filmed next.
    next: u32,
    /// Whether it is complete but for what is coming.
    over: bool,
    /// Whether pictures become files of their own.
    stills: bool,
    /// Whether time went on before, and does when it ends by itself.
    playing: bool,
}

/// A film ends by itself when it has so many pictures: they are kept in memory.
const MOST: usize = 400;
/// Pictures of a film in a second of simulated time.
const FILM_RATE: f64 = 20.0;

impl Viewer {
    pub(super) fn keeping(&mut self, ui: &mut egui::Ui) {
        let picture = ui.button("Picture").on_hover_text("To a PNG file (K)");
        self.note("screenshot", picture.rect);
        if picture.clicked() {
            self.keeper.want_picture();
        }
        let filming = self.keeper.film.is_some();
        if filming || self.snapshot.recording {
            if ui.button("Stop recording").clicked() {
                if let Some(film) = &mut self.keeper.film {
                    // Stop means stop: time stands still, too.
                    (film.over, film.playing) = (true, false);
                }
                self.keeper.note = None;
                self.send(Command::Record(None));
            }
        } else {
            ui.menu_button("Record", |ui| {
                for (name, stills) in [("Animated GIF", false), ("PNG pictures", true)] {
                    if ui.button(name).clicked() {
                        self.keeper.film = Some(Film { stills, playing: self.playing(), ..Film::default() });
                        self.send(Command::Play(false));
                        ui.close();
                    }
                }
                // Browsers have no folders to write to.
                #[cfg(not(target_arch = "wasm32"))]
                if ui.button("Point cache (PC2)").clicked() {
                    let folder = crate::files::fresh_folder(&format!("{}-cache", self.snapshot.stem()));
                    self.send(Command::Record(Some(folder)));
                    ui.close();
                }
            });
        }
        let button = ui.button("Save scene").on_hover_text("A scene file with the settings as they are");
        if button.clicked() {
            self.keeper.scene = Some((self.snapshot.version.0, self.snapshot.written.as_ref().map_or(0, |w| w.0)));
            self.send(Command::Write);
        }
    }

    fn told(&mut self, result: Result<String, String>) {
        match result {
            Ok(note) => self.keeper.note = Some(note),
            Err(error) => self.trouble = Some(error),
        }
    }

    /// Saves the scene file that was asked for, once the session has written it.
    fn keep_scene(&mut self) {
        let Some((session, before)) = self.keeper.scene else { return };
        let arrived = self.snapshot.written.as_ref().filter(|(count, _)| *count > before);
        if session != self.snapshot.version.0 {
            self.keeper.scene = None;
        } else if let Some((_, text)) = arrived {
            let saved = text.clone().and_then(|text| save(&self.snapshot.stem(), "toml", text.as_bytes()));
            self.keeper.scene = None;
            self.told(saved);
        }
    }

    /// Fetches pictures that were asked for, and saves those that have arrived.
    pub(super) fn keep(&mut self, context: &egui::Context, graphics: &RenderState) {
        self.keep_scene();
        if std::mem::take(&mut self.keeper.wanted) {
            self.keeper.still = self.stage.read(graphics);
        }
        if let Some(result) = self.keeper.still.as_ref().and_then(|still| still.poll(&graphics.device)) {
            self.keeper.still = None;
            let stem = format!("{}-{:04}", self.snapshot.stem(), self.snapshot.frame);
            let saved = result.and_then(|picture| save(&stem, "png", &encoded(&self.explained(picture))?));
            self.told(saved);
        }
        self.film(graphics);
        self.shoot(context, graphics);
        if self.keeper.still.is_some() || self.keeper.film.is_some() || self.script.shot.is_some() {
            context.request_repaint();
        }
    }

    /// A picture with its legend.
    fn explained(&self, mut picture: Picture) -> Picture {
        if let Some(legend) = self.snapshot.legend(self.look.strain) {
            legend.draw(&mut picture);
        }
        picture
    }

    fn film(&mut self, graphics: &RenderState) {
        let Some(mut film) = self.keeper.film.take() else { return };
        if let Some(result) = film.coming.as_ref().and_then(|coming| coming.poll(&graphics.device)) {
            film.coming = None;
            match result {
                Ok(picture) => film.take(self.explained(picture)),
                Err(error) => return self.trouble = Some(error),
            }
        }
        let fps = self.snapshot.sides[0].scene.settings.time.fps;
        let every = (fps / FILM_RATE).round().max(1.0) as u32;
        let frame = self.snapshot.frame;
        // One that is far behind went back to the beginning.
        let due = frame >= film.next || frame + every < film.next;
        // The scene's end is the film's.
        film.over |= due && !film.pictures.is_empty() && frame >= self.snapshot.last && !self.snapshot.endless;
        if film.coming.is_none() && due && !film.over {
            film.coming = self.stage.read(graphics);
            film.next = frame + every;
            (0..every).for_each(|_| self.send(Command::Step));
        }
        if !(film.over && film.coming.is_none()) {
            self.keeper.film = Some(film);
            return;
        }
        self.send(Command::Play(film.playing));
        let stem = self.snapshot.stem();
        let saved = if film.stills {
            film.pictures.iter().try_fold(String::new(), |_, picture| save(&stem, "png", &encoded(picture)?))
        } else {
            let options = GifOptions { frames_per_second: fps / f64::from(every), ..GifOptions::default() };
            let made = gif(Vec::new(), &film.pictures, options).map_err(|error| error.to_string());
            made.and_then(|bytes| save(&stem, "gif", &bytes))
        };
        self.told(saved);
    }

    /// Takes the picture that a script asked for, and ends.
    fn shoot(&mut self, context: &egui::Context, graphics: &RenderState) {
        let Some((frame, path)) = self.script.shot.clone() else { return };
        if self.snapshot.frame < frame {
            return;
        }
        let Some(readback) = self.stage.read(graphics) else { return };
        self.script.shot = None;
        // The one place that waits: the window is about to close.
        let picture = loop {
            if let Some(picture) = readback.poll(&graphics.device) {
                break picture;
            }
            std::thread::yield_now();
        };
        let saved = picture.and_then(|picture| {
            let bytes = encoded(&self.explained(picture))?;
            std::fs::write(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
        });
        if let Err(error) = saved {
            eprintln!("error: {error}");
        }
        context.send_viewport_cmd(egui::ViewportCommand::Close);
    }
}

fn encoded(picture: &Picture) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    png(&mut bytes, picture).map_err(|error| error.to_string())?;
    Ok(bytes)
}

impl Film {
    fn take(&mut self, picture: Picture) {
        // A window that was resized ends the film: pictures of one film have one size.
        let fits = self
            .pictures
            .first()
            .is_none_or(|first| (first.width(), first.height()) == (picture.width(), picture.height()));
        if fits {
            self.pictures.push(picture);
        }
        self.over |= !fits || self.pictures.len() >= MOST;
    }
}
