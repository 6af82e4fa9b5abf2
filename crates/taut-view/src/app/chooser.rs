//! The dialog that opens files: the browser's own on a page, one of our own in a window, which needs nothing of the
//! desktop.

use super::Viewer;
use eframe::egui;

/// The endings of files that can be opened.
pub(super) const ENDINGS: &[&str] = &["toml", "obj", "ply", "stl", "gltf", "glb", "msh", "vtk", "vtu"];

#[cfg(target_arch = "wasm32")]
mod imp {
    use super::{ENDINGS, Viewer, egui};
    use crate::session::Document;
    use wasm_bindgen::JsCast as _;
    use wasm_bindgen::prelude::*;

    /// Nothing is kept: the dialog is the browser's.
    #[derive(Default)]
    pub struct Chooser;

    impl Chooser {
        pub fn close(&mut self) {}
    }

    impl Viewer {
        /// Lets a person choose a file.
        pub fn choose_file(&mut self, context: &egui::Context) {
            if let Err(error) = self.ask_browser(context) {
                self.trouble = Some(format!("the browser opens no dialog: {error:?}"));
            }
        }

        fn ask_browser(&self, context: &egui::Context) -> Result<(), JsValue> {
            let document = web_sys::window().and_then(|window| window.document()).ok_or("no document")?;
            let input: web_sys::HtmlInputElement = document.create_element("input")?.dyn_into()?;
            input.set_type("file");
            let endings: Vec<String> = ENDINGS.iter().map(|ending| format!(".{ending}")).collect();
            input.set_accept(&endings.join(","));
            let (to, chosen, repaint) = (self.dropped.clone(), input.clone(), context.clone());
            let changed = Closure::once_into_js(move || {
                let Some(file) = chosen.files().and_then(|files| files.get(0)) else { return };
                wasm_bindgen_futures::spawn_local(async move {
                    let name = file.name();
                    let read = wasm_bindgen_futures::JsFuture::from(file.array_buffer()).await;
                    let read = read.map(|buffer| js_sys::Uint8Array::new(&buffer).to_vec());
                    let read = read.map_err(|error| format!("{name}: {error:?}"));
                    let document = read.and_then(|bytes| Document::dropped(&name, bytes.into(), None));
                    to.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(document);
                    repaint.request_repaint();
                });
            });
            input.set_onchange(Some(changed.unchecked_ref()));
            input.click();
            Ok(())
        }

        /// The browser shows its own.
        pub fn chooser_window(&mut self, _: &egui::Context) {}
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod imp {
    use super::{ENDINGS, Viewer, egui};
    use crate::session::Document;
    use std::path::{Path, PathBuf};
    use taut_scene::read::{MAX_FILE_BYTES, load_regular};

    /// Entries of a folder that are listed at most.
    const MOST: usize = 2000;

    /// A folder whose files can be opened.
    #[derive(Default)]
    pub struct Chooser {
        folder: Option<Folder>,
    }

    struct Folder {
        path: PathBuf,
        /// As a person writes it.
        text: String,
        folders: Vec<String>,
        files: Vec<String>,
        trouble: Option<String>,
    }

    impl Folder {
        /// Lists a folder: what can be opened in it, and folders.
        fn read(path: &Path) -> Self {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let mut out =
                Folder { text: path.display().to_string(), path, folders: vec![], files: vec![], trouble: None };
            let entries = match std::fs::read_dir(&out.path) {
                Ok(entries) => entries,
                Err(error) => return Folder { trouble: Some(error.to_string()), ..out },
            };
            for entry in entries.flatten().take(MOST) {
                let name = entry.file_name().to_string_lossy().into_owned();
                let kind = std::fs::metadata(entry.path()).map(|found| found.file_type());
                let known = Path::new(&name).extension().and_then(|ending| ending.to_str());
                let known = known.is_some_and(|ending| ENDINGS.contains(&ending.to_ascii_lowercase().as_str()));
                match kind {
                    _ if name.starts_with('.') => {}
                    Ok(kind) if kind.is_dir() => out.folders.push(name),
                    Ok(kind) if kind.is_file() && known => out.files.push(name),
                    _ => {}
                }
            }
            out.folders.sort_by_key(|name| name.to_lowercase());
            out.files.sort_by_key(|name| name.to_lowercase());
            out
        }
    }

    impl Chooser {
        pub fn close(&mut self) {
            self.folder = None;
        }
    }

    impl Viewer {
        /// Lets a person choose a file.
        pub fn choose_file(&mut self, _: &egui::Context) {
            let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
            self.chooser.folder = Some(Folder::read(&here));
        }

        /// The dialog, if it is open.
        pub fn chooser_window(&mut self, context: &egui::Context) {
            let Some(folder) = &mut self.chooser.folder else { return };
            let (mut open, mut go, mut chosen) = (true, None, None);
            egui::Window::new("Open a scene or a mesh")
                .open(&mut open)
                .collapsible(false)
                .default_size([460.0, 380.0])
                .show(context, |ui| {
                    ui.horizontal(|ui| {
                        if ui.button("Up").clicked() {
                            go = folder.path.parent().map(Path::to_path_buf);
                        }
                        let line = egui::TextEdit::singleline(&mut folder.text).desired_width(f32::INFINITY);
                        let line = ui.add(line).on_hover_text("A folder, or a file; Enter opens it");
                        if line.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
                            let path = PathBuf::from(folder.text.trim());
                            let to = if path.is_dir() { &mut go } else { &mut chosen };
                            *to = Some(path);
                        }
                    });
                    if let Some(trouble) = &folder.trouble {
                        ui.colored_label(ui.visuals().error_fg_color, trouble);
                    }
                    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                        for name in &folder.folders {
                            if ui.selectable_label(false, format!("{name}/")).clicked() {
                                go = Some(folder.path.join(name));
                            }
                        }
                        for name in &folder.files {
                            if ui.selectable_label(false, egui::RichText::new(name).strong()).clicked() {
                                chosen = Some(folder.path.join(name));
                            }
                        }
                        if folder.files.is_empty() {
                            ui.weak(format!("no files here that can be opened ({})", ENDINGS.join(", ")));
                        }
                    });
                });
            if let Some(path) = go {
                self.chooser.folder = Some(Folder::read(&path));
            }
            if let Some(path) = chosen {
                match opened(&path) {
                    Ok(document) => self.show(document),
                    Err(error) => self.trouble = Some(error),
                }
                self.chooser.folder = None;
            } else if !open {
                self.chooser.folder = None;
            }
        }
    }

    /// A file of the disk, under the same limits as everywhere.
    fn opened(path: &Path) -> Result<Document, String> {
        let scene = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
        if scene {
            return Document::open(&path.to_string_lossy(), &[]);
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let bytes = load_regular(path, MAX_FILE_BYTES).map_err(|error| format!("{name}: {error}"))?;
        Document::dropped(&name, bytes.into(), path.parent().map(Path::to_path_buf))
    }
}

pub(super) use imp::Chooser;
