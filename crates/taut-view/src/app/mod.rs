//! The window: panels around a picture. All it does to a scene it asks of a [`Worker`].

mod bar;
mod chooser;
mod fabric;
mod gallery;
mod keep;
mod knobs;
mod panel;
mod plots;
mod scene_view;
mod windows;

use crate::camera::Orbit;
use crate::geometry;
use crate::session::{Command, Document, Snapshot, Start};
use crate::worker::{Worker, now};
use chooser::Chooser;
use eframe::egui;
use gallery::Gallery;
use keep::Keeper;
use scene_view::Stage;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// How the window begins.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What it shows first.
    pub document: Document,
    /// Threads to compute with.
    pub threads: usize,
    /// Whether time stands still at first.
    pub paused: bool,
    /// What the colours show first.
    pub heat: crate::session::Heat,
    /// Takes a picture of the window's scene at a frame, saves it here and ends: for scripts.
    pub shot: Option<(u32, PathBuf)>,
}

impl Options {
    /// How the session begins.
    pub fn start(&self) -> Start {
        let (document, threads, heat) = (self.document.clone(), self.threads, self.heat);
        // A picture of a frame behind the scene's end is what was asked for.
        Start { document, threads, heat, playing: !self.paused, endless: self.shot.is_some(), ..Start::default() }
    }
}

/// What a person chose about the view; no part of the scene.
struct Look {
    camera: Option<Orbit>,
    /// Whether a person moved the camera: then it follows nothing any more.
    own: bool,
    wireframe: bool,
    turntable: bool,
    /// The strain at the end of the colour scale.
    strain: f64,
    /// The lowest floor so far, m: one that rose and sank with the cloth would be no floor.
    floor: f64,
}

/// What is open beside the picture.
#[derive(Default)]
struct Open {
    help: bool,
    gallery: bool,
    text: Option<String>,
    hint: bool,
    settings: bool,
    plots: bool,
    /// Whether the warnings over the picture were put away.
    warnings: bool,
}

/// What scripts ask for and look at.
#[derive(Default)]
struct Script {
    /// See [`Options::shot`].
    shot: Option<(u32, PathBuf)>,
    /// Where things are in the window, for those who press them.
    places: BTreeMap<&'static str, egui::Rect>,
    /// Pictures drawn so far.
    pictures: u64,
}

/// The window.
pub struct Viewer {
    worker: Worker,
    snapshot: Arc<Snapshot>,
    look: Look,
    open: Open,
    stage: Stage,
    gallery: Gallery,
    chooser: Chooser,
    keeper: Keeper,
    /// Which side's settings are shown.
    side: usize,
    /// What went wrong in the window itself.
    trouble: Option<String>,
    /// Files whose bytes have arrived.
    dropped: Arc<Mutex<Vec<Result<Document, String>>>>,
    script: Script,
    /// Whether the window has no room for panels.
    small: bool,
    clock: Clock,
}

/// When the window did what, s.
struct Clock {
    /// The last picture.
    last: f64,
    /// Between the last two pictures.
    passed: f64,
    /// The last time that something new came from the session.
    news: f64,
}

impl Viewer {
    /// Shows a session in a window that is about to be opened.
    pub fn new(context: &eframe::CreationContext<'_>, options: Options, mut worker: Worker) -> Result<Self, String> {
        let Some(graphics) = context.wgpu_render_state.as_ref() else {
            return Err(NO_GPU.into());
        };
        style(&context.egui_ctx);
        let (snapshot, _) = worker.latest();
        let open = Open { hint: options.shot.is_none(), settings: true, plots: true, ..Open::default() };
        Ok(Viewer {
            stage: Stage::new(graphics, options.shot.is_some()),
            look: Look::new(&snapshot),
            snapshot,
            worker,
            open,
            gallery: Gallery::default(),
            chooser: Chooser::default(),
            keeper: Keeper::default(),
            side: 0,
            trouble: None,
            dropped: Arc::default(),
            script: Script { shot: options.shot, ..Script::default() },
            small: false,
            clock: Clock { last: now(), passed: 0.0, news: now() },
        })
    }

    fn send(&mut self, command: Command) {
        self.worker.send(command);
    }

    /// Shows another scene.
    fn show(&mut self, document: Document) {
        self.trouble = None;
        self.worker.open(document, &self.snapshot);
    }

    /// Whether time goes on, as it was asked last.
    fn playing(&self) -> bool {
        self.worker.playing(&self.snapshot)
    }

    /// Takes in what the session has come to.
    fn look_at_session(&mut self, seconds: f64) {
        let before = (self.snapshot.version, self.snapshot.sides.len());
        let (latest, trouble) = self.worker.latest();
        self.snapshot = latest;
        self.trouble = trouble.or(self.trouble.take());
        if self.snapshot.version != before.0 {
            self.clock.news = seconds;
        }
        if self.snapshot.version.0 != before.0.0 {
            // Another scene.
            self.look =
                Look { wireframe: self.look.wireframe, turntable: self.look.turntable, ..Look::new(&self.snapshot) };
            (self.open.text, self.open.warnings) = (None, false);
        } else if self.snapshot.sides.len() != before.1 {
            // Half as wide, or twice.
            self.look.frame();
        }
        self.side = self.side.min(self.snapshot.sides.len() - 1);
    }

    /// Notices where something is, for scripts that press it.
    fn note(&mut self, name: &'static str, rect: egui::Rect) {
        self.script.places.insert(name, rect);
    }

    /// Takes in what was dropped on the window.
    fn take_drops(&mut self, context: &egui::Context) {
        for file in context.input(|input| input.raw.dropped_files.clone()) {
            read_dropped(file, self.dropped.clone(), context.clone());
        }
        let arrived = std::mem::take(&mut *self.dropped.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        for document in arrived {
            match document {
                Ok(document) => self.show(document),
                Err(error) => self.trouble = Some(error),
            }
        }
    }

    /// What a page or script can know: the numbers on the screen and where things are.
    pub fn status(&self) -> serde_json::Value {
        let side = &self.snapshot.sides[0];
        let places = self.script.places.iter().map(|(name, r)| (*name, [r.min.x, r.min.y, r.max.x, r.max.y]));
        let stages = side.history.samples().last().map(|sample| sample.stages.iter().sum::<f32>());
        let limits = side.reach.iter().map(|cloth| cloth.threads.map(|t| (t.most, t.now, t.peak.value)));
        serde_json::json!({
            "scene": self.snapshot.name,
            "frame": self.snapshot.frame,
            "last": self.snapshot.last,
            "time": self.snapshot.time,
            "playing": self.playing(),
            "shown_playing": self.snapshot.playing,
            "heat": self.snapshot.heat.name(),
            "sides": self.snapshot.sides.len(),
            "hand": self.snapshot.hand,
            "error": self.snapshot.error.as_ref().or(self.trouble.as_ref()),
            "note": self.snapshot.note,
            "warnings": side.warnings,
            "limits": limits.collect::<Vec<_>>(),
            "camera": self.look.camera.map(|camera| camera.distance),
            "metrics": serde_json::from_str::<serde_json::Value>(side.history.metrics()).unwrap_or_default(),
            "settings": side.scene.to_json(),
            "milliseconds": stages,
            "pictures": self.script.pictures,
            "places": places.collect::<BTreeMap<_, _>>(),
            "handle": self.stage.handle(&self.snapshot, self.look.camera.as_ref()),
        })
    }
}

/// Dark panels around a pale picture, with text that is easy to read.
fn style(context: &egui::Context) {
    context.set_theme(egui::Theme::Dark);
    context.style_mut_of(egui::Theme::Dark, |style| {
        let grey = egui::Color32::from_gray;
        style.visuals.panel_fill = egui::Color32::from_rgb(30, 33, 38);
        style.visuals.window_fill = egui::Color32::from_rgb(36, 39, 45);
        style.visuals.extreme_bg_color = egui::Color32::from_rgb(20, 22, 26);
        style.visuals.widgets.noninteractive.fg_stroke.color = grey(205);
        style.visuals.widgets.inactive.fg_stroke.color = grey(225);
        style.spacing.item_spacing = egui::vec2(8.0, 4.0);
    });
}

/// What to do where nothing can be drawn.
pub const NO_GPU: &str = "there is no graphics card that can be used. On Linux, install your card's Vulkan or OpenGL driver, or \
    Mesa's software drivers (on Debian: apt install mesa-vulkan-drivers libgl1-mesa-dri). In a browser, switch on WebGL 2 \
    (hardware acceleration). Without any of them, `taut run` and `taut render` make pictures without a graphics card";

#[cfg(not(target_arch = "wasm32"))]
fn read_dropped(file: egui::DroppedFileHandle, to: Arc<Mutex<Vec<Result<Document, String>>>>, _: egui::Context) {
    let path = file.path().to_owned();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = path.parent().map(std::path::Path::to_path_buf);
    let read = file.bytes().map_err(|error| format!("{name}: {error}"));
    let document = read.and_then(|bytes| Document::dropped(&name, bytes.into(), folder));
    to.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(document);
}

#[cfg(target_arch = "wasm32")]
fn read_dropped(file: egui::DroppedFileHandle, to: Arc<Mutex<Vec<Result<Document, String>>>>, context: egui::Context) {
    let name = file.path().to_string_lossy().into_owned();
    wasm_bindgen_futures::spawn_local(async move {
        let read = file.bytes_async().await.map_err(|error| format!("{name}: {error}"));
        let document = read.and_then(|bytes| Document::dropped(&name, bytes.into(), None));
        to.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(document);
        context.request_repaint();
    });
}

impl Look {
    fn new(snapshot: &Snapshot) -> Self {
        let strain = snapshot.sides[0].scene.settings.output.pictures.strain_scale;
        Look { camera: None, own: false, wireframe: false, turntable: false, strain, floor: f64::INFINITY }
    }

    /// Brings everything into view.
    fn frame(&mut self) {
        (self.camera, self.own) = (None, false);
    }

    /// A camera that a person moves.
    fn moved(&mut self) -> Option<&mut Orbit> {
        self.own = true;
        self.camera.as_mut()
    }

    /// Goes after what leaves the picture, gently.
    fn follow(&mut self, snapshot: &Snapshot, size: [f64; 2], seconds: f64) {
        let camera = *self.camera(snapshot, size[0] / size[1]);
        let edge = 0.02 * size[0].min(size[1]);
        let inside = |[x, y]: [f64; 2]| x > edge && x < size[0] - edge && y > edge && y < size[1] - edge;
        let mut places = snapshot.sides.iter().flat_map(|side| side.positions.iter().flatten());
        if !self.own && places.any(|&place| !camera.project(place.into(), size).is_some_and(inside)) {
            self.camera = Some(camera.towards(&framed(snapshot, size[0] / size[1]), (4.0 * seconds).min(0.5)));
        }
    }

    /// The camera: as the scene wants it, until a person moves it.
    fn camera(&mut self, snapshot: &Snapshot, aspect: f64) -> &mut Orbit {
        self.camera.get_or_insert_with(|| framed(snapshot, aspect))
    }
}

/// The scene's own camera, or one that sees everything from its direction.
fn framed(snapshot: &Snapshot, aspect: f64) -> Orbit {
    let side = &snapshot.sides[0];
    let camera = &side.scene.settings.camera;
    let points = geometry::points(side);
    let framed = Orbit::framing(&points, camera.direction, camera.fov, aspect);
    match (camera.eye, camera.target) {
        (Some(eye), target) => {
            let target = target.unwrap_or(framed.target.into());
            Orbit::of(&taut_render::Camera::look_at(eye, target, camera.fov))
        }
        (None, Some(target)) => Orbit { target: target.into(), ..framed },
        (None, None) => framed,
    }
}

impl eframe::App for Viewer {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let context = ui.ctx().clone();
        let seconds = now();
        (self.clock.passed, self.clock.last) = ((seconds - self.clock.last).min(0.1), seconds);
        self.look_at_session(seconds);
        self.take_drops(&context);
        self.keys(&context);
        if self.look.turntable
            && let Some(camera) = &mut self.look.camera
        {
            self.look.own = true;
            camera.turn(0.5 * self.clock.passed, 0.0);
            context.request_repaint();
        }
        // On a small screen the picture comes first.
        let room = context.content_rect().size();
        let small = room.x.min(1.4 * room.y) < 720.0;
        if small && !self.small {
            (self.open.settings, self.open.plots) = (false, false);
        }
        self.small = small;
        egui::Panel::top("bar").show(ui, |ui| self.bar(ui));
        if self.open.settings {
            egui::Panel::right("settings").default_size(300.0).show(ui, |ui| self.settings(ui));
        }
        if self.open.plots {
            egui::Panel::bottom("plots").default_size(150.0).show(ui, |ui| self.plots(ui));
        }
        let plain = egui::Frame::NONE;
        egui::CentralPanel::default().frame(plain).show(ui, |ui| match frame.wgpu_render_state() {
            Some(graphics) => self.pictures(ui, graphics),
            None => drop(ui.label(NO_GPU)),
        });
        self.windows(&context);
        if let Some(graphics) = frame.wgpu_render_state() {
            self.keep(&context, graphics);
        }
        // A frame that takes long is said to, and for how long.
        if self.playing() || self.worker.opening() {
            context.request_repaint_after(std::time::Duration::from_millis(250));
        }
        #[cfg(target_arch = "wasm32")]
        crate::web::publish(self.status());
    }
}
