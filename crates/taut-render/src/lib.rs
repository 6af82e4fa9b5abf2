//! Pictures, charts and reports for taut, made without a display or a GPU.
//!
//! - [`Renderer`] draws a [`Scene3`] seen by a [`Camera`] into a [`Picture`].
//! - [`Legend`] and the text functions of [`Picture`] explain what is seen.
//! - [`export`] writes PNG, GIF and APNG, and MP4 where ffmpeg is installed.
//! - [`chart`] draws SVG charts, [`report`] puts everything on one self-contained page.
//!
//! Lengths are metres, y points up, colours are computed in linear light.

mod camera;
pub mod chart;
mod colour;
pub mod export;
mod legend;
mod map;
mod math;
mod picture;
mod raster;
pub mod report;
mod scene;
mod text;
mod ticks;

pub use camera::{Bounds, Camera, Framing};
pub use colour::{Rgb, palette};
pub use legend::Legend;
pub use map::{ColourMap, Scale};
pub use picture::{Picture, Rect};
pub use raster::Renderer;
pub use scene::{Field, Floor, Item, Light, Markers, Material, Scene3, Style, Values, Wireframe};
pub use text::{Align, TextStyle, Weight, text_width};
