//! What is opened: a scene's text and where it came from.

use super::edits::Edits;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taut_scene::read::{self, Source};
use taut_scene::scene::{Scene, SceneError, builtin};

/// A scene's text and where it came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Its name, for messages and for files made from it.
    pub name: String,
    /// The text.
    pub text: String,
    /// Where files are that it names.
    pub folder: Option<PathBuf>,
    /// Files that it names and that are nowhere else.
    pub attached: Vec<(String, Arc<[u8]>)>,
    /// Changes, each as a path and a value.
    pub sets: Vec<(String, String)>,
}

impl Document {
    /// A scene file or, failing that, a built-in scene by its name. `sets` are changes of the form `key=value`.
    pub fn open(which: &str, sets: &[String]) -> Result<Self, String> {
        let scene = Scene::open(which, sets).map_err(|error| error.to_string())?;
        let split = |set: &String| set.split_once('=').map(|(path, value)| (path.to_owned(), value.to_owned()));
        Ok(Document {
            name: scene.name().to_owned(),
            text: scene.text().to_owned(),
            folder: scene.folder().map(Path::to_path_buf),
            attached: Vec::new(),
            sets: sets.iter().filter_map(split).collect(),
        })
    }

    /// A built-in scene.
    pub fn builtin(name: &str) -> Option<Self> {
        let found = builtin(name)?;
        Some(Document { name: format!("{name}.toml"), text: found.text.to_owned(), ..Document::default() })
    }

    /// A scene with a mesh that a person dropped: cloth held at its top, or a soft body that falls.
    fn of_mesh(name: &str, bytes: Arc<[u8]>) -> Result<Self, String> {
        let mesh = read::read_bytes(&Source::new(name, &bytes), &read::Options::default());
        let mesh = mesh.map_err(|error| error.to_string())?;
        let (body, positions) = match (&mesh.surface, &mesh.tets) {
            (_, Some(tets)) => ("solid", &tets.positions),
            (Some(surface), None) => ("cloth", &surface.positions),
            (None, None) => return Err(format!("{name}: there are neither triangles nor tetrahedra in it")),
        };
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        positions.iter().for_each(|p| (low, high) = (low.min(p[1]), high.max(p[1])));
        let quoted = serde_json::Value::from(name);
        let below = low - 0.25 * (high - low).max(1e-3);
        let text = format!(
            "# Made from a mesh.\n[[{body}]]\nname = \"mesh\"\nmesh = {quoted}\n\n\
             [[collider]]\nname = \"floor\"\nshape = \"plane\"\ntranslate = [0.0, {below:?}, 0.0]\n"
        );
        let stem = name.split('.').next().unwrap_or("mesh");
        let attached = vec![(name.to_owned(), bytes)];
        Ok(Document { name: format!("{stem}.toml"), text, attached, ..Document::default() })
    }

    /// What a person dropped: a scene file, or a mesh to make a scene of. `folder` is where it lies, if that is known.
    pub fn dropped(name: &str, bytes: Arc<[u8]>, folder: Option<PathBuf>) -> Result<Self, String> {
        if !name.to_ascii_lowercase().ends_with(".toml") {
            return Document::of_mesh(name, bytes).map(|document| Document { folder, ..document });
        }
        let text = String::from_utf8(bytes.to_vec()).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            format!("{name}: byte {at} is not UTF-8; expected a scene file")
        })?;
        Ok(Document { name: name.to_owned(), text, folder, ..Document::default() })
    }

    /// Reads the scene, with what hands added and with changes.
    pub(super) fn scene(&self, edits: &Edits, sets: &[(String, String)]) -> Result<Scene, SceneError> {
        let text = edits.appended_to(&self.text);
        let all: Vec<String> = sets.iter().chain(&edits.sets).map(|(path, value)| format!("{path}={value}")).collect();
        let scene = Scene::parse(&self.name, &text, self.folder.as_deref(), &all)?;
        Ok(self.attached.iter().fold(scene, |scene, (name, bytes)| scene.attach(name, bytes.clone())))
    }
}
