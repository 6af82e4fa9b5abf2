//! USD, as text (`.usda`) and binary (`.usdc`, `.usd`): meshes with their motion, texture coordinates, primvars and
//! subsets. One layer is read as it is: references, variants and skeletons are not followed, and that is said.

mod binary;
mod kind;
mod packed;
mod stage;
mod text;
mod xform;

use super::error::{ReadError, Result};
use super::pointcache::PointCache;
use super::{MeshFile, Options, Source};

/// Whether a file is USD by how it begins.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(text::MAGIC) || bytes.starts_with(binary::MAGIC)
}

pub(super) fn read(source: &Source, options: &Options) -> Result<MeshFile> {
    read_moving(source, options).map(|read| read.0)
}

/// The surface in its first pose, and how it moves if it does.
pub(super) fn read_moving(source: &Source, options: &Options) -> Result<(MeshFile, Option<PointCache>)> {
    let mut budget = source.budget;
    let stage = if source.bytes.starts_with(binary::MAGIC) {
        binary::read(source, &mut budget)?
    } else if source.bytes.starts_with(text::MAGIC) {
        text::read(source, &mut budget)?
    } else {
        let known = "it begins with neither \"#usda\" nor \"PXR-USDC\"; packed USD (.usdz) is not read";
        return Err(ReadError::file(source.name, known));
    };
    stage.into_file()?.assemble(source.name, &options.pick, budget)
}
