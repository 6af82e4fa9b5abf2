//! glTF 2.0, as `.gltf` with external or embedded buffers and as `.glb`.
//!
//! A scene is flattened: each mesh is placed by its nodes and bent by its skin as the file stands, and becomes one
//! group named after its node. glTF repeats a vertex wherever normals or texture coordinates split; vertices that
//! are at the same place and move alike become one again, because cloth must hang together. Texture coordinates have
//! v upwards, as in OBJ.

mod accessor;
mod build;
mod container;
mod json;
mod primitive;
mod scene;
mod track;
mod transform;

use super::error::{Result, count};
use super::{MeshFile, Options, Source};
pub(super) use build::Built;
pub(super) use scene::Scene;

pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(container::GLB_MAGIC)
}

pub(super) fn read(source: &Source, options: &Options) -> Result<MeshFile> {
    let document = container::open(source)?;
    let Built { mesh, parts, maps, mut warnings, .. } = build::build(source.name, &document, options)?;
    if !document.root.animations.is_empty() {
        let many = count(document.root.animations.len(), "animation plays", "animations play");
        warnings.push(format!("as a body the mesh is taken as it stands: {many} for colliders alone"));
    }
    let clips = track::clips(source.name, &document, options);
    let format = if begins(source.bytes) { "glTF binary" } else { "glTF" };
    Ok(MeshFile { format, surface: Some(mesh), parts, maps, clips, warnings, ..MeshFile::default() })
}

/// The motion, and the mesh in its rest pose.
pub(super) fn read_scene(source: &Source, options: &Options) -> Result<Built> {
    let document = container::open(source)?;
    let mut built = build::build(source.name, &document, options)?;
    built.warnings.extend(track::what_plays(source.name, &document.root, options));
    Ok(built)
}

/// What names there are, for errors.
fn name_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<_> = names.take(SHOWN + 1).map(|name| super::error::quote(name.as_bytes())).collect();
    if names.is_empty() {
        return "the file names none".into();
    }
    if names.len() > SHOWN {
        names[SHOWN] = "…".into();
    }
    format!("the file has {}", names.join(", "))
}
