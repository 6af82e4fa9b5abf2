//! Scene files: TOML in SI units, read with errors that a person can act on.
//!
//! ```
//! use taut_scene::scene::Scene;
//!
//! let text = r#"
//! [[cloth]]
//! name = "flag"
//! generate = { kind = "sheet", width = 1.5, plane = "upright" }
//! [[pin]]
//! body = "flag"
//! select = "left"
//! "#;
//! let scene = Scene::parse("flag.toml", text, None, &["cloth.flag.density=0.15".into()])?;
//! assert_eq!(scene.settings.cloth[0].material.density, Some(0.15));
//! let error = Scene::parse("flag.toml", &text.replace("select", "selct"), None, &[]).unwrap_err();
//! assert!(error.to_string().contains("did you mean `select`?"));
//! # Ok::<(), taut_scene::scene::SceneError>(())
//! ```

#[macro_use]
mod macros;
pub(crate) mod advice;
mod assets;
mod bounds;
mod builtin;
mod check;
mod choose;
mod decode;
mod document;
mod edit;
mod error;
mod overrides;
mod project;
mod schema;
pub mod settings;
mod suggest;
mod track;
mod units;

pub use builtin::{BUILTIN, Builtin, CONTACT_SCENES, builtin};
pub(crate) use check::Chains;
pub use error::{SceneError, harmless};
pub use project::{ProjectError, new_project};
pub use schema::schema;
pub use settings::Settings;
pub(crate) use suggest::did_you_mean;
pub use track::{Interpolation, KeyOptions, Keyed, Track};

use crate::read::Memory;
use crate::write::hash::Hash64;
use document::Node;
use error::{Problem, Sources};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// More text than this is not a scene that someone wrote, bytes.
pub const MAX_SCENE_BYTES: u64 = 16 << 20;

/// A scene that has been read and checked, all but the meshes it names.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Everything it says, defaults filled in.
    pub settings: Settings,
    sources: Sources,
    folder: Option<PathBuf>,
    root: Node,
    attached: Vec<(String, Arc<[u8]>)>,
    memory: Memory,
}

impl Scene {
    /// Reads a scene by path or, failing that, by the name of a built-in one. `sets` are changes of the form
    /// `key=value`, see [`Scene::parse`].
    pub fn open(which: &str, sets: &[String]) -> Result<Self, SceneError> {
        Scene::open_within(which, sets, Memory::default())
    }

    /// Like [`open`](Self::open), with another amount of memory that the scene and each file it names may take on top
    /// of 20 times
    /// its size on disk.
    pub fn open_within(which: &str, sets: &[String], memory: Memory) -> Result<Self, SceneError> {
        let path = Path::new(which);
        match builtin(which) {
            Some(found) if !path.is_file() => Scene::parse(&format!("{which}.toml"), found.text, None, sets),
            None if !path.exists() => {
                let names: Vec<&str> = BUILTIN.iter().map(|b| b.name).collect();
                let mut help: Vec<String> = suggest::did_you_mean(which, names.iter().copied()).into_iter().collect();
                help.push(format!("built-in scenes: {}", names.join(", ")));
                let message = format!("there is no file and no built-in scene called {}", decode::ticked(which));
                Err(SceneError::whole("", message, help))
            }
            _ => Scene::load_within(path, sets, memory),
        }
        .map(|scene| Scene { memory, ..scene })
    }

    /// Reads a scene file. Files it names are looked for in its folder.
    pub fn load(path: &Path, sets: &[String]) -> Result<Self, SceneError> {
        Scene::load_within(path, sets, Memory::default())
    }

    fn load_within(path: &Path, sets: &[String], memory: Memory) -> Result<Self, SceneError> {
        let name = path.to_string_lossy();
        let text = assets::read_text(path).map_err(|message| {
            // The folder of a project is easily given instead of the scene in it.
            let inside = path.join("scene.toml");
            let help = inside.is_file().then(|| format!("did you mean {}?", decode::ticked(&inside.to_string_lossy())));
            SceneError::whole(&name, message, help.into_iter().collect())
        })?;
        let folder = path.parent().map(|p| if p.as_os_str().is_empty() { PathBuf::from(".") } else { p.into() });
        Scene::parse_within(&name, &text, folder.as_deref(), sets, memory)
    }

    /// Reads a scene from text. `name` is for messages; files it names are looked for in `folder`, and without one
    /// there must not be any. `sets` are changes such as `cloth.flag.stiffness.warp=0.2`: a dotted path, where
    /// elements of lists go by name or by number from 0, and a TOML value or bare text.
    pub fn parse(name: &str, text: &str, folder: Option<&Path>, sets: &[String]) -> Result<Self, SceneError> {
        Scene::parse_within(name, text, folder, sets, Memory::default())
    }

    fn parse_within(
        name: &str,
        text: &str,
        folder: Option<&Path>,
        sets: &[String],
        memory: Memory,
    ) -> Result<Self, SceneError> {
        memory.check(name, text.len(), document::held_by(text)).map_err(|error| {
            SceneError::whole(name, error.message, vec!["a scene of so many values is better split up".into()])
        })?;
        let sources = Sources { name: name.to_owned(), text: text.to_owned(), sets: sets.to_vec() };
        let fail = |problems: Vec<Problem>| SceneError::new(&sources, problems);
        let mut root = document::parse(text).map_err(fail)?;
        let mut reader = decode::Reader::default();
        for (at, set) in sets.iter().enumerate() {
            if let Err(problems) = overrides::apply(&mut root, set, at + 1) {
                reader.problems.extend(problems);
            }
        }
        let settings = decode::Value::decode(&mut reader, &root, &decode::Rule::ANY);
        if let Some(settings) = settings.as_ref().filter(|_| !reader.full()) {
            reader.problems.extend(check::problems(settings, &root));
        }
        match settings {
            Some(settings) if reader.problems.is_empty() => {
                let (folder, attached) = (folder.map(Path::to_path_buf), Vec::new());
                Ok(Scene { settings, sources, folder, root, attached, memory })
            }
            _ => Err(SceneError::new(&sources, reader.problems)),
        }
    }

    /// Brings along a mesh file that the scene names, for where there is no folder to find it in: a browser. Surfaces
    /// and soft bodies look here first.
    pub fn attach(mut self, name: &str, bytes: Arc<[u8]>) -> Self {
        self.attached.push((name.to_owned(), bytes));
        self
    }

    /// The bytes of a file that came along.
    pub(crate) fn attached(&self, name: &str) -> Option<&[u8]> {
        self.attached.iter().find(|file| file.0 == name).map(|file| &*file.1)
    }

    /// Memory that each file it names may take on top of 20 times its size on disk.
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// The folder in which files that the scene names are looked for.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The file's name, as it was given.
    pub fn name(&self) -> &str {
        &self.sources.name
    }

    /// The title, or else the file's name without its ending.
    pub fn title(&self) -> String {
        let title = &self.settings.scene.title;
        let stem = || Path::new(self.name()).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        if title.is_empty() { stem().unwrap_or_default() } else { title.clone() }
    }

    /// The text it was read from, without the changes of `--set`.
    pub fn text(&self) -> &str {
        &self.sources.text
    }

    /// The changes made to the text, each as `key=value`.
    pub fn sets(&self) -> &[String] {
        &self.sources.sets
    }

    /// The size of numbers that the scene asks for.
    pub fn precision(&self) -> settings::Precision {
        self.settings.solver.precision()
    }

    /// A hash of the text and its changes, for telling whether a checkpoint is of this scene.
    pub fn hash(&self) -> u64 {
        let mut hash = Hash64::default();
        hash.update(self.sources.text.as_bytes());
        self.sources.sets.iter().for_each(|set| {
            hash.update(set.as_bytes());
        });
        hash.finish()
    }

    /// Everything it says, defaults filled in, as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        decode::Value::json(&self.settings)
    }

    /// What it says that has no effect or will not hold, a sentence each.
    pub(crate) fn advice(&self, timescale: advice::Timescale) -> Vec<String> {
        advice::advice(&self.settings, &self.root, timescale)
    }

    /// The dotted path of an element of a list at the root, for messages.
    pub(crate) fn element_path(&self, list: &str, at: usize) -> String {
        self.root.element_path(list, at)
    }

    /// An error about the value at a dotted path.
    pub(crate) fn error(&self, path: &str, message: String, help: Vec<String>) -> SceneError {
        let span = Some(self.root.locate(path));
        SceneError::new(&self.sources, vec![Problem { span, message, help }])
    }
}
