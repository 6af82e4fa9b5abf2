//! `taut info`: what is in a mesh file, and what is wrong with it.

use crate::fail::Failure;
use crate::flags::{InputFlags, Say, tell};
use serde_json::json;
use std::path::PathBuf;
use taut_scene::inspect::{MeshInfo, inspect};
use taut_scene::read::read_mesh;

/// Flags of `taut info`.
#[derive(clap::Args)]
pub struct Args {
    /// A mesh file: OBJ, PLY, STL, glTF, Gmsh, TetGen or VTK; also packed with gzip.
    mesh: PathBuf,
    #[command(flatten)]
    input: InputFlags,
    #[command(flatten)]
    say: Say,
}

/// Reads a mesh and describes it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let file = read_mesh(&args.mesh, &args.input.options())?;
    let parts: Vec<MeshInfo> =
        file.surface.as_ref().map(inspect).into_iter().chain(file.tets.as_ref().map(inspect)).collect();
    if args.say.json {
        let problems: Vec<String> = parts.iter().flat_map(MeshInfo::problems).collect();
        let name = args.mesh.to_string_lossy();
        println!(
            "{}",
            json!({
                "file": name,
                "format": file.format,
                "meshes": parts,
                "problems": problems,
                "contents": file.contents_json(),
                "warnings": file.warnings,
            })
        );
        return Ok(());
    }
    tell!("{}: {}", args.mesh.display(), file.format);
    parts.iter().for_each(|part| tell!("{}", part.to_string().trim_end_matches('\n')));
    file.contents().iter().for_each(|(label, text)| tell!("  {label:<15} {text}"));
    file.warnings.iter().for_each(|warning| tell!("  warning: {warning}"));
    Ok(())
}
