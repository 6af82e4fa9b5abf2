//! Garments: from flat panels and seams to cloth on a body.
//!
//! | step | file |
//! | --- | --- |
//! | the pattern: panels, edges, seams; what is wrong with it | `pattern`, `curve`, `check` |
//! | read from GarmentCode's JSON and our own, shown as SVG and JSON | `garmentcode`, `show` |
//! | panels as triangles, both sides of a seam with equal counts | `divide`, `mesh` |
//! | sewn to one mesh | `sewn` |
//! | placed around a body | `height`, `place`, `proxy` |
//! | drawn together | `dress`, `crossings` |
//! | what came of it, as numbers and files | `report`, `files` |

mod check;
mod crossings;
mod curve;
mod divide;
mod dress;
mod files;
mod garmentcode;
mod height;
mod mesh;
mod pattern;
mod place;
mod proxy;
mod report;
mod sewn;
mod show;

pub use check::PatternError;
pub use crossings::Crossings;
pub use dress::{Figure, Stage, draw_together};
pub use files::{scene_text, surface_obj};
pub use pattern::{Curve, Edge, EdgeRef, Panel, Pattern, Placement, Seam};
pub use place::place_around;
pub use report::{CLOSED, PanelReport, SeamReport, SewReport};
pub use sewn::SewnMesh;

use crate::read::{Source, load_regular};
use serde_json::Value;
use std::path::Path;

/// The largest pattern file, bytes: a hundred times the largest that people have.
const MOST_BYTES: u64 = 16 << 20;

impl Pattern {
    /// Reads and checks a pattern file.
    pub fn open(path: &Path) -> Result<Pattern, PatternError> {
        let name = path.to_string_lossy();
        let bytes = load_regular(path, MOST_BYTES)
            .map_err(|error| PatternError::one(&name, format!("cannot be read: {error}")))?;
        Pattern::read(&Source::new(&name, &bytes))
    }

    /// Reads and checks a pattern that is in memory: JSON of GarmentCode or our own.
    pub fn read(source: &Source) -> Result<Pattern, PatternError> {
        let (file, bytes) = (source.name, source.bytes);
        if bytes.trim_ascii().is_empty() {
            return Err(PatternError::one(file, "the file is empty"));
        }
        if bytes.len() as u64 > MOST_BYTES {
            return Err(PatternError::one(file, format!("it is larger than {} MB", MOST_BYTES >> 20)));
        }
        let json: Value = serde_json::from_slice(bytes)
            .map_err(|error| PatternError::one(file, format!("it is not JSON: {error}")))?;
        let mut pattern = match json.get("format").and_then(Value::as_str) {
            Some(show::FORMAT) => serde_json::from_value(json)
                .map_err(|error| PatternError::one(file, format!("it is not a pattern: {error}")))?,
            Some(other) => {
                let message = format!("its format is {other:?}, expected {:?}", show::FORMAT);
                return Err(PatternError::one(file, message));
            }
            None => garmentcode::read(file, stem(source.file_name()), &json)?,
        };
        pattern.check(file)?;
        Ok(pattern)
    }
}

/// A file's name without its endings.
fn stem(name: &str) -> &str {
    let stem = name.split('.').next().unwrap_or(name);
    stem.strip_suffix("_specification").unwrap_or(stem)
}
