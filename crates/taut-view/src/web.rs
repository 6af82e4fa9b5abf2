//! The page: the same window on a canvas, and what scripts on the page can ask.

use crate::app::{Options, Viewer};
use crate::session::{Command, Document, Session};
use crate::worker::Worker;
use std::cell::RefCell;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::*;

thread_local! {
    static STATUS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps what [`status`] tells.
pub(crate) fn publish(status: serde_json::Value) {
    STATUS.with(|kept| *kept.borrow_mut() = status.to_string());
}

/// What the window shows, in numbers, as JSON: the frame, strains, settings, the state's hash, and where buttons are.
/// For pages around the viewer and for tests.
#[wasm_bindgen]
pub fn status() -> String {
    STATUS.with(|kept| kept.borrow().clone())
}

/// Shows a scene, by its name among the built-in ones, on a canvas.
#[wasm_bindgen]
pub async fn start(canvas: web_sys::HtmlCanvasElement, scene: String) -> Result<(), JsValue> {
    let document = Document::builtin(&scene).ok_or_else(|| format!("there is no scene called {scene}"))?;
    let options = Options { document, threads: 1, ..Options::default() };
    let mut worker = Worker::new(options.start()).await?;
    let create = move |context: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, Box<dyn std::error::Error + Send + Sync>> {
        let repaint = context.egui_ctx.clone();
        worker.tell(move || repaint.request_repaint());
        Ok(Box::new(Viewer::new(context, options, worker)?) as Box<dyn eframe::App>)
    };
    let runner = eframe::WebRunner::new();
    runner.start(canvas.unchecked_into(), eframe::WebOptions::default(), Box::new(create)).await
}

/// Computes frames of a built-in scene without drawing anything: the state's hash and the median of their milliseconds,
/// as JSON. `sets` are changes of the form `key=value`, one a line.
#[wasm_bindgen]
pub fn measure(scene: &str, sets: &str, frames: u32) -> Result<String, String> {
    let mut document = Document::builtin(scene).ok_or_else(|| format!("there is no scene called {scene}"))?;
    let split = |set: &str| set.split_once('=').map(|(path, value)| (path.to_owned(), value.to_owned()));
    document.sets = sets.lines().filter_map(split).collect();
    let mut session = Session::new(document, 1)?;
    for _ in 0..frames {
        session.apply(Command::Step);
    }
    let view = session.snapshot(None);
    let mut times: Vec<f32> = view.sides[0].history.samples().skip(1).map(|s| s.stages.iter().sum()).collect();
    times.sort_by(f32::total_cmp);
    let milliseconds = times.get(times.len() / 2);
    let hash = format!("{:016x}", session.state_hash());
    Ok(serde_json::json!({ "scene": scene, "frames": frames, "hash": hash, "milliseconds": milliseconds }).to_string())
}
