//! Files that a scene names: found in its folder, and nowhere else.

use super::MAX_SCENE_BYTES;
use crate::read::load_regular;
use std::path::{Component, Path, PathBuf};

/// The text of a scene file, or why there is none.
pub(crate) fn read_text(path: &Path) -> Result<String, String> {
    let bytes = load_regular(path, MAX_SCENE_BYTES).map_err(|error| match error.kind() {
        std::io::ErrorKind::IsADirectory => "this is a folder; expected a scene file".to_owned(),
        _ => format!("the file cannot be read: {error}"),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("the file is not text: byte {at} is not UTF-8; expected a scene file")
    })
}

impl super::Scene {
    /// The file that the text at a dotted path names.
    pub(crate) fn asset(&self, path: &str, file: &str) -> Result<PathBuf, super::SceneError> {
        find(self.folder.as_deref(), file, Path::is_file).map_err(|(message, help)| {
            let message = format!("`{path}` is {}; {message}", super::document::quoted(file));
            self.error(path, message, help.into_iter().collect())
        })
    }
}

impl super::Scene {
    /// The pattern of a sequence of files that the text at a dotted path names: `walk_####.obj`. Its folder is the
    /// scene's or within it; who reads the files must stay in it.
    pub(crate) fn asset_sequence(&self, path: &str, pattern: &str) -> Result<PathBuf, super::SceneError> {
        let name = Path::new(pattern);
        let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let found = find(self.folder.as_deref(), &folder.to_string_lossy(), Path::is_dir);
        let found = found.map_err(|(message, help)| {
            let message = format!("`{path}` is {}; {message}", super::document::quoted(pattern));
            self.error(path, message, help.into_iter().collect())
        })?;
        Ok(found.join(name.file_name().unwrap_or_default()))
    }
}

/// The path of a file in a folder. Names that lead elsewhere, also by way of links, are refused: a scene from
/// somebody else must not read what is not its own.
fn find(folder: Option<&Path>, file: &str, fits: fn(&Path) -> bool) -> Result<PathBuf, (String, Option<String>)> {
    let inside = "expected a file in the scene's folder";
    let Some(folder) = folder else {
        return Err(("a built-in scene has no folder to find files in".into(), None));
    };
    let relative = Path::new(file);
    let plain = |part: Component| matches!(part, Component::Normal(_) | Component::CurDir);
    // Backslashes and drive letters are ordinary characters here, but not where the scene may be opened next.
    if file.contains(['\\', ':']) || relative.is_absolute() {
        return Err((inside.into(), Some("write a relative path with forward slashes".into())));
    }
    if !relative.components().all(plain) {
        return Err((format!("{inside}, without `..`"), None));
    }
    let full = folder.join(relative);
    let root = folder.canonicalize().map_err(|error| (format!("the scene's folder cannot be read: {error}"), None))?;
    match full.canonicalize() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(("there is no such file in the scene's folder".into(), similar(&full)))
        }
        Err(error) => Err((format!("the file cannot be read: {error}"), None)),
        Ok(real) if !real.starts_with(&root) => Err((format!("{inside}, but this is a link out of it"), None)),
        Ok(real) if !fits(&real) => Err((format!("{inside}, but this is no file"), None)),
        Ok(real) => Ok(real),
    }
}

/// A file with a similar name beside it.
fn similar(path: &Path) -> Option<String> {
    let typed = path.file_name()?.to_str()?;
    let beside: Vec<String> = std::fs::read_dir(path.parent()?)
        .ok()?
        .take(1000)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    super::suggest::did_you_mean(typed, beside.iter().map(String::as_str))
}
