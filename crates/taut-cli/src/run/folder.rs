//! The folder a run writes to: it may hold other things, which stay as they are. One run at a time.
//!
//! `taut.json` lists the files that belong to the run. A name is put on the list before its file is written, so that
//! the list is complete whenever the process dies; a file that stands in the way and is not on the list is never
//! replaced.

use super::lock::Lock;
use crate::fail::Failure;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use taut_scene::read::load_regular;
use taut_scene::simulation::Simulation;
use taut_scene::write::atomic::{remove_if_there, write_atomic};

const LIST: &str = "taut.json";
/// A list longer than this is none, bytes.
const MOST_LIST: u64 = 64 << 20;

/// The folder a run writes to.
pub struct Folder {
    dir: PathBuf,
    files: BTreeSet<String>,
    identity: String,
    precision: &'static str,
    scene: String,
    /// What `taut.json` said before this run.
    before: Value,
    /// The result that it says now.
    saved: Value,
    _lock: Lock,
}

impl Folder {
    /// Opens or creates a folder for a run.
    pub fn open(dir: &Path, simulation: &Simulation, precision: &'static str) -> Result<Folder, Failure> {
        if dir.exists() && !dir.is_dir() {
            return Err(Failure::BadInput(format!("--out {} is a file; expected a folder", dir.display())));
        }
        fs::create_dir_all(dir).map_err(Failure::io("create", dir))?;
        let lock = Lock::take(dir)?;
        let path = dir.join(LIST);
        // Of a run that was killed between writing the list and giving it its name.
        remove_if_there(&path.with_extension("json.tmp"))?;
        let before = match load_regular(&path, MOST_LIST) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).ok().filter(|value: &Value| value["files"].is_array()).ok_or_else(
                    || Failure::BadInput(format!("{} is not a list of files as taut writes it", path.display())),
                )?
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Value::Null,
            Err(error) => return Err(Failure::io("read", &path)(error)),
        };
        let listed = before["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(Folder {
            dir: dir.into(),
            files: listed.filter(|name| is_inside(name)).map(str::to_owned).collect(),
            identity: format!("{:016x}", simulation.identity()),
            precision,
            scene: simulation.scene().name().to_owned(),
            before,
            saved: Value::Null,
            _lock: lock,
        })
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// What an earlier run of the same scene gave, if it was complete and had as many frames.
    pub fn result(&self, frames: u32) -> Option<Value> {
        let result = &self.before["result"];
        (self.before["identity"] == self.identity.as_str() && result["frames"] == frames).then(|| result.clone())
    }

    /// Removes a file that a run which was killed at its very end has left, and keeps its result.
    pub fn tidy(&mut self, left: &str) -> Result<(), Failure> {
        if self.files.contains(left) {
            remove_if_there(&self.dir.join(left))?;
            self.finish(self.before["result"].clone())?;
        }
        Ok(())
    }

    /// Refuses to continue a run that is known to be another one.
    pub fn check_same(&self) -> Result<(), Failure> {
        let was = |key: &str| self.before[key].as_str().unwrap_or_default().to_owned();
        if self.before.is_null() || was("identity") == self.identity {
            return Ok(());
        }
        let (was_precision, was_scene) = (was("precision"), was("scene"));
        let what = if was_scene != self.scene {
            format!("it is a run of {was_scene}, not of {}", self.scene)
        } else if was_precision != self.precision {
            format!("it was computed with {was_precision}, not {}", self.precision)
        } else {
            "the scene, its --set values or its meshes have changed since".into()
        };
        let dir = self.dir.display();
        Err(Failure::BadInput(format!("cannot resume {dir}: {what}\n  = without --resume, the run starts over")))
    }

    /// Removes the files of an earlier run.
    pub fn clear(&mut self) -> Result<(), Failure> {
        for name in std::mem::take(&mut self.files) {
            remove_if_there(&self.dir.join(name))?;
        }
        self.save(Value::Null)
    }

    /// Puts files on the list before they are written. Refuses if one is there that is not the run's own.
    pub fn claim(&mut self, names: &[String]) -> Result<(), Failure> {
        for name in names {
            if self.files.insert(name.clone()) && self.dir.join(name).symlink_metadata().is_ok() {
                let path = self.dir.join(name);
                let message = format!("{} is in the way: it is not from an earlier run", path.display());
                return Err(Failure::BadInput(format!(
                    "{message}\n  = choose another folder with --out, or move it away"
                )));
            }
        }
        self.save(Value::Null)
    }

    /// Adds files that a writer has made.
    pub fn made(&mut self, paths: &[PathBuf]) {
        let names = paths.iter().filter_map(|path| path.strip_prefix(&self.dir).ok()?.to_str());
        self.files.extend(names.map(|name| name.replace('\\', "/")).filter(|name| is_inside(name)));
    }

    /// Writes a whole file.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        self.claim(&[name.to_owned()])?;
        Ok(write_atomic(&self.dir, name, bytes)?)
    }

    /// Says that the run is over; `result` is null if it is to go on.
    pub fn finish(&mut self, result: Value) -> Result<(), Failure> {
        // Some were to come and did not, or were there for a while.
        let dir = &self.dir;
        self.files.retain(|name| dir.join(name).symlink_metadata().is_ok());
        self.save(result)
    }

    /// Takes off the list what is no longer there, and leaves the result as it is.
    pub fn forget_missing(&mut self) -> Result<(), Failure> {
        let result = self.saved.clone();
        self.finish(result)
    }

    fn save(&mut self, result: Value) -> Result<(), Failure> {
        let list = json!({
            "taut": env!("CARGO_PKG_VERSION"),
            "scene": self.scene,
            "identity": self.identity,
            "precision": self.precision,
            "files": self.files,
            "result": result,
        });
        write_atomic(&self.dir, LIST, format!("{list:#}\n").as_bytes())?;
        self.saved = list["result"].clone();
        Ok(())
    }
}

/// Whether a name on the list stays in the folder: the list may have been edited.
fn is_inside(name: &str) -> bool {
    let path = Path::new(name);
    !name.is_empty() && path.components().all(|part| matches!(part, Component::Normal(_))) && name != LIST
}

#[cfg(test)]
mod tests {
    use super::is_inside;

    #[test]
    fn a_list_cannot_name_files_elsewhere() {
        for name in ["", "..", "../x", "/etc/passwd", "a/../../b", "taut.json"] {
            assert!(!is_inside(name), "{name}");
        }
        assert!(is_inside("sheet.pc2") && is_inside("pictures/frame_0000.png"));
    }
}
