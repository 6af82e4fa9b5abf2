//! `taut new`: a project to begin with.

use crate::generate::{self, DiscParams, DiscTessellation};
use std::fmt::{self, Write as _};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use taut::mesh::TriMesh;

/// Why a project was not made.
#[derive(Debug)]
pub struct ProjectError {
    /// The file or folder it is about.
    pub path: PathBuf,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for ProjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path.display(), self.message)
    }
}

impl std::error::Error for ProjectError {}

/// Makes a starter project in the folder `dir`, which must not exist or be empty: a commented scene, its schema, a mesh
/// and a README. Returns the files it made, the scene first. Nothing is ever overwritten.
pub fn new_project(dir: &Path) -> Result<Vec<PathBuf>, ProjectError> {
    let fail = |path: &Path, message: String| ProjectError { path: path.to_path_buf(), message };
    let files = [
        ("scene.toml", include_str!("../../project/scene.toml").to_owned()),
        ("scene.schema.json", format!("{:#}\n", super::schema())),
        ("README.md", include_str!("../../project/README.md").to_owned()),
        ("assets/napkin.obj", napkin().map_err(|error| fail(dir, error.to_string()))?),
    ];
    let taken = match fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    };
    if taken {
        return Err(fail(dir, "is there already and not an empty folder; nothing is overwritten".into()));
    }
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| dir.join(name)).collect();
    for (path, (_, text)) in paths.iter().zip(&files) {
        create(path, text).map_err(|error| fail(path, format!("cannot be made: {error}")))?;
    }
    Ok(paths)
}

/// Writes a file that must not exist, and the folders it is in.
fn create(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = fs::File::create_new(path)?;
    io::Write::write_all(&mut file, text.as_bytes())
}

/// A round napkin as an OBJ file.
fn napkin() -> Result<String, generate::GenerateError> {
    let tessellation = DiscTessellation::Irregular { seed: 1 };
    generate::disc(&DiscParams { radius: 0.4, rings: 24, tessellation, ..Default::default() }).map(|mesh| obj(&mesh))
}

fn obj(mesh: &TriMesh) -> String {
    let mut out =
        String::from("# A round napkin of 0.8 m, made by taut. Texture coordinates: weft along u.\no napkin\n");
    // Writing to a string cannot fail.
    for [x, y, z] in &mesh.positions {
        let _ = writeln!(out, "v {x:.6} {y:.6} {z:.6}");
    }
    for [u, v] in &mesh.uvs {
        let _ = writeln!(out, "vt {u:.6} {v:.6}");
    }
    for (triangle, uvs) in mesh.triangles.iter().zip(&mesh.uv_triangles) {
        out.push('f');
        for k in 0..3 {
            let _ = write!(out, " {}/{}", triangle[k] + 1, uvs[k] + 1);
        }
        out.push('\n');
    }
    out
}
