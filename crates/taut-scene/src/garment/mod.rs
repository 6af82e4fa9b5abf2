//! Garments: from flat panels and seams to cloth on a body.
//!
//! | step | file |
//! | --- | --- |
//! | the pattern: panels, edges, seams; what is wrong with it | `pattern`, `curve`, `check` |
//! | read from GarmentCode's JSON, from DXF, from TOML that a person writes | `garmentcode`, `dxf`, `sheet` |
//! | shown as SVG, JSON and words | `show` |
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
mod dxf;
mod files;
mod garmentcode;
mod height;
mod mesh;
mod pattern;
mod place;
mod proxy;
mod report;
mod sewn;
mod sheet;
mod show;

pub use check::PatternError;
pub use crossings::Crossings;
pub use dress::{Figure, Stage, draw_together};
pub use files::{scene_text, surface_obj};
pub use pattern::{Curve, Edge, EdgeRef, Panel, Pattern, Placement, Seam};
pub use place::place_around;
pub use report::{CLOSED, Motion, PanelReport, SeamReport, SewReport};
pub use sewn::SewnMesh;

use crate::read::source::unpack;
use crate::read::{Folder, Source, load_regular};
use serde_json::Value;
use std::path::Path;

/// The largest pattern file, bytes: a hundred times the largest that people have.
const MOST_BYTES: u64 = 16 << 20;

/// Which of a file's patterns is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// A size by its name, of a file that has several; else the one that it was drafted in.
    pub size: Option<String>,
}

impl Pattern {
    /// Reads and checks a pattern file, and the files beside it that it names.
    pub fn open(path: &Path, choice: &Choice) -> Result<Pattern, PatternError> {
        let name = path.to_string_lossy();
        let bytes = load_regular(path, MOST_BYTES)
            .map_err(|error| PatternError::one(&name, format!("cannot be read: {error}")))?;
        let folder = Folder::new(path.parent().unwrap_or(Path::new("")));
        let files = |name: &str| folder.load(name);
        Pattern::read(&Source::with_files(&name, &bytes, &files), choice)
    }

    /// Reads and checks a pattern that is in memory, packed with gzip or not: JSON of GarmentCode or our own, DXF, or a
    /// garment in TOML.
    pub fn read(source: &Source, choice: &Choice) -> Result<Pattern, PatternError> {
        let file = source.name;
        let mut budget = source.budget;
        let bytes = unpack(file, source.bytes, &mut budget).map_err(|error| PatternError::one(file, error.message))?;
        let mut pattern = read_unchecked(&Source { bytes: &bytes, budget, ..*source }, choice)?;
        pattern.check(file)?;
        Ok(pattern)
    }
}

/// What is in a file, as it is there.
fn read_unchecked(source: &Source, choice: &Choice) -> Result<Pattern, PatternError> {
    let (file, bytes) = (source.name, source.bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(PatternError::one(file, "the file is empty"));
    }
    if bytes.len() as u64 > MOST_BYTES {
        return Err(PatternError::one(file, format!("it is larger than {} MB", MOST_BYTES >> 20)));
    }
    if sheet::is_sheet(source) {
        return sheet::read(source);
    }
    let name = stem(source.file_name());
    if source.extension() == "dxf" || dxf::is_dxf(bytes) {
        return dxf::read(source, name, choice.size.as_deref());
    }
    let json: Value = serde_json::from_slice(bytes)
        .map_err(|error| PatternError::one(file, format!("it is neither JSON nor DXF: {error}")))?;
    match json.get("format").and_then(Value::as_str) {
        Some(show::FORMAT) => serde_json::from_value(json)
            .map_err(|error| PatternError::one(file, format!("it is not a pattern: {error}"))),
        Some(other) => {
            let message = format!("its format is {other:?}, expected {:?}", show::FORMAT);
            Err(PatternError::one(file, message))
        }
        None => garmentcode::read(file, name, &json),
    }
}

/// A file's name without its endings.
fn stem(name: &str) -> &str {
    let stem = name.split('.').next().unwrap_or(name);
    stem.strip_suffix("_specification").unwrap_or(stem)
}
