//! Meshes from files.
//!
//! | format | extensions | what comes out |
//! | --- | --- | --- |
//! | Wavefront OBJ | `.obj` | triangles, texture coordinates per corner, groups |
//! | PLY | `.ply` | triangles, texture coordinates |
//! | STL | `.stl` | triangles, welded where vertices are equal |
//! | glTF | `.gltf`, `.glb` | triangles, texture coordinates, one group per node; motion |
//! | USD | `.usda`, `.usdc`, `.usd` | polygons, texture coordinates, primvars, subsets; motion |
//! | Alembic | `.abc` | polygons, texture coordinates, parameters, sets of faces; motion |
//! | Gmsh 2.x and 4.1 | `.msh` | tetrahedra, triangles, physical groups |
//! | TetGen | `.node`, `.ele` | tetrahedra; each file finds the other |
//! | legacy VTK | `.vtk` | tetrahedra, triangles |
//!
//! Any of them may be packed with gzip (`.obj.gz`). [`read_mesh`] reads from a path, [`read_bytes`] from memory;
//! [`animated`] holds what moves. Coordinates and axes are taken as the file has them.
//!
//! Readers trust nothing. Whatever the bytes, they return a mesh whose indices are in range and whose numbers are
//! finite, or a [`ReadError`]; they do not panic, and their memory and time stay within what the file's size explains:
//! 20
//! times its size on disk (at most [`MAX_FILE_BYTES`]) and [`Options::memory`] on top. Only regular files are opened.

mod alembic;
pub mod animated;
pub(crate) mod budget;
mod bytes;
mod cells;
mod contents;
mod error;
mod given;
mod gltf;
mod groups;
pub mod maps;
mod msh;
mod obj;
pub mod parts;
mod ply;
mod pointcache;
mod polygon;
mod sampled;
pub(crate) mod source;
mod stl;
mod tetgen;
mod text;
mod usd;
mod vtk;

use std::path::Path;

use taut::mesh::{TetMesh, TriMesh};

pub use budget::Memory;
pub use contents::Clip;
pub use error::{Place, ReadError, Result};
pub use given::{FaceSet, Given};
pub use maps::Map;
pub use parts::{Part, PartKind};
pub use source::{Files, Folder, MAX_FILE_BYTES, Source, load_regular, open_regular};

/// What a mesh file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshFile {
    /// The format, such as `"Gmsh 4.1 binary"`.
    pub format: &'static str,
    /// Its triangles, if it has any.
    pub surface: Option<TriMesh>,
    /// Its tetrahedra, if it has any. Their vertices are numbered apart from those of `surface`.
    pub tets: Option<TetMesh>,
    /// `surface` as the file has it: polygons and their corners, the object's name.
    pub given: Given,
    /// Parts of `surface` that have a name.
    pub parts: Vec<Part>,
    /// Numbers for every vertex of `surface`.
    pub maps: Vec<Map>,
    /// Its animations.
    pub clips: Vec<Clip>,
    /// What was odd about the file but could be read, one sentence each.
    pub warnings: Vec<String>,
}

/// Which meshes of a glTF, USD or Alembic file to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// Everything in the scene, placed by its nodes.
    #[default]
    All,
    /// The scene's first node with a mesh.
    First,
    /// Nodes with this name or with a mesh of this name.
    Named(String),
}

/// Choices that a file leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Which meshes to read; glTF, USD and Alembic only.
    pub pick: Pick,
    /// The name of the animation to play. If not given, the first one plays, and with it all those that move nothing
    /// which one before them moves: a root beside a skeleton. glTF only.
    pub animation: Option<String>,
    /// Accept a point cache that ends before the last sample it promises, as an interrupted run leaves it, and
    /// use the whole samples that are there.
    pub partial_cache: bool,
    /// Memory that reading may take on top of 20 times the size on disk of all files that are read.
    pub memory: Memory,
}

/// One file format: the only place that knows which reader takes what.
struct Format {
    name: &'static str,
    extensions: &'static [&'static str],
    /// Whether a file is surely of this format by how it begins.
    begins: fn(&[u8]) -> bool,
    read: fn(&Source, &Options) -> Result<MeshFile>,
}

const FORMATS: [Format; 9] = [
    Format { name: "OBJ", extensions: &["obj"], begins: |_| false, read: obj::read },
    Format { name: "PLY", extensions: &["ply"], begins: ply::begins, read: ply::read },
    Format { name: "STL", extensions: &["stl"], begins: |_| false, read: stl::read },
    Format { name: "glTF", extensions: &["gltf", "glb"], begins: gltf::begins, read: gltf::read },
    Format { name: "USD", extensions: &["usda", "usdc", "usd"], begins: usd::begins, read: usd::read },
    Format { name: "Alembic", extensions: &["abc"], begins: alembic::begins, read: alembic::read },
    Format { name: "Gmsh", extensions: &["msh"], begins: msh::begins, read: msh::read },
    Format { name: "TetGen", extensions: &["node", "ele"], begins: |_| false, read: tetgen::read },
    Format { name: "VTK", extensions: &["vtk"], begins: vtk::begins, read: vtk::read },
];

/// Reads a mesh file that is in memory.
///
/// The format follows from how the file begins or, for formats without a signature, from the extension.
pub fn read_bytes(source: &Source, options: &Options) -> Result<MeshFile> {
    unpacked(&source.with_memory(options.memory), |source| read_unpacked(source, options))
}

/// Hands on what a file holds, unpacked.
fn unpacked<T>(source: &Source, read: impl FnOnce(&Source) -> Result<T>) -> Result<T> {
    let mut budget = source.budget;
    let content = source::unpack(source.name, source.bytes, &mut budget)?;
    read(&Source { bytes: &content, budget, ..*source })
}

fn read_unpacked(source: &Source, options: &Options) -> Result<MeshFile> {
    if source.bytes.trim_ascii().is_empty() {
        return Err(ReadError::file(source.name, "the file is empty"));
    }
    let format = find_format(source)?;
    let mut file = (format.read)(source, options)?;
    let extension = source.extension();
    if !extension.is_empty() && !format.extensions.contains(&extension.as_str()) {
        file.warnings.push(format!("the name ends in .{extension}, but the content is {}", format.name));
    }
    Ok(file)
}

/// Reads a mesh file. Files that it refers to must lie in its folder.
pub fn read_mesh(path: impl AsRef<Path>, options: &Options) -> Result<MeshFile> {
    with_path(path.as_ref(), |source| read_bytes(source, options))
}

/// Names that are listed in a warning.
const MOST_NAMES: usize = 8;

/// What is said of things by name that a file has for each vertex or face, and nothing is made of.
fn ignored_attributes(names: &[String]) -> Option<String> {
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| error::quote(name.as_bytes())).collect();
    let verb = if shown.len() == 1 { "is" } else { "are" };
    (!shown.is_empty()).then(|| format!("{} {verb} ignored: nothing is made of it", shown.join(", ")))
}

/// Loads a file and hands it on as a [`Source`] whose other files come from its folder.
pub(crate) fn with_path<T>(path: &Path, read: impl FnOnce(&Source) -> Result<T>) -> Result<T> {
    let name = path.to_string_lossy();
    let bytes = source::load_file(path).map_err(|e| ReadError::file(&name, format!("cannot be read: {e}")))?;
    let folder = Folder::new(path.parent().unwrap_or(Path::new("")));
    read(&Source::with_files(&name, &bytes, &|file: &str| folder.load(file)))
}

fn find_format(source: &Source) -> Result<&'static Format> {
    if let Some(format) = FORMATS.iter().find(|format| (format.begins)(source.bytes)) {
        return Ok(format);
    }
    let extension = source.extension();
    FORMATS.iter().find(|format| format.extensions.contains(&extension.as_str())).ok_or_else(|| {
        let known: Vec<_> = FORMATS.iter().flat_map(|f| f.extensions).map(|e| format!(".{e}")).collect();
        let found = if extension.is_empty() { "no extension".into() } else { format!("the extension .{extension}") };
        ReadError::file(source.name, format!("it has {found}, expected one of {}", known.join(", ")))
    })
}
