//! The interactive viewer of taut, on the desktop and in the browser.
//!
//! - [`session`]: a scene that a person plays with, without a window. It can be tested without a graphics card.
//! - [`wire`]: what a session shows as bytes, for browsers, where it runs apart from the page.
//! - with the feature `window`: `worker`, where a session runs; `camera` and `pick`, from the world to a picture, and
//!   from the pointer back; `tiles`, pictures of the built-in scenes; `geometry` and `gpu`, from a session to a picture
//!   on the graphics card; and `app`, the window around it.
//!
//! The viewer holds no physics: it steps the simulations of `taut-scene`. All that it does to a scene can be written in
//! a scene file, and [`Session::written`](session::Session::written) writes it.

#[cfg(feature = "window")]
pub mod app;
#[cfg(any(feature = "window", test))]
// Without a window nothing but their tests needs them.
#[cfg_attr(not(feature = "window"), allow(dead_code))]
mod camera;
#[cfg(feature = "window")]
mod files;
#[cfg(feature = "window")]
mod geometry;
#[cfg(feature = "window")]
mod gpu;
#[cfg(any(feature = "window", test))]
#[cfg_attr(not(feature = "window"), allow(dead_code))]
mod pick;
pub mod session;
#[cfg(any(feature = "window", test))]
mod tiles;
#[cfg(all(feature = "window", target_arch = "wasm32"))]
mod web;
pub mod wire;
#[cfg(any(feature = "window", test))]
// Without a window nothing but its tests needs it.
#[cfg_attr(not(feature = "window"), allow(dead_code, unused_imports))]
mod worker;

/// Opens a window and shows it until it is closed.
#[cfg(all(feature = "window", not(target_arch = "wasm32")))]
pub fn open(options: app::Options, size: [f32; 2]) -> Result<(), String> {
    use eframe::egui::ViewportBuilder;
    let title = format!("taut: {}", taut_scene::write::stem_of(&options.document.name));
    let viewport = ViewportBuilder::default()
        .with_title(title)
        .with_inner_size(size)
        .with_min_inner_size([320.0, 240.0])
        .with_drag_and_drop(true);
    let native = eframe::NativeOptions { viewport, renderer: eframe::Renderer::Wgpu, ..Default::default() };
    let create = move |context: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, Box<dyn std::error::Error + Send + Sync>> {
        let repaint = context.egui_ctx.clone();
        let worker = worker::Worker::new(options.start(), move || repaint.request_repaint())?;
        Ok(Box::new(app::Viewer::new(context, options, worker)?) as Box<dyn eframe::App>)
    };
    eframe::run_native("taut", native, Box::new(create)).map_err(|error| match error {
        eframe::Error::AppCreation(error) => error.to_string(),
        eframe::Error::Wgpu(error) => format!("{error}\n{}", app::NO_GPU),
        eframe::Error::WinitEventLoop(error) => {
            format!("no window can be opened ({error}): a graphical desktop is needed (X11 or Wayland on Linux). {ELSEWHERE}")
        }
        other => other.to_string(),
    })
}

/// What to do without a desktop.
#[cfg(all(feature = "window", not(target_arch = "wasm32")))]
const ELSEWHERE: &str =
    "On a machine without one, run it under Xvfb, or use `taut run` and `taut render`, which need none";
