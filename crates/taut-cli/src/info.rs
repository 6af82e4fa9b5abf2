//! `taut info`: what is in a mesh file or a pattern, and what is wrong with it.

use crate::fail::Failure;
use crate::flags::{InputFlags, Say, tell};
use serde_json::json;
use std::path::PathBuf;
use taut_scene::garment::{Choice, Pattern};
use taut_scene::inspect::{MeshInfo, inspect};
use taut_scene::read::read_mesh;

/// Flags of `taut info`.
#[derive(clap::Args)]
pub struct Args {
    /// A mesh file: OBJ, PLY, STL, glTF, Gmsh, TetGen or VTK; or a pattern: DXF, JSON, or a garment in TOML; also
    /// packed with gzip.
    mesh: PathBuf,
    /// The size of a pattern, if its file has several.
    #[arg(long, value_name = "NAME")]
    size: Option<String>,
    #[command(flatten)]
    input: InputFlags,
    #[command(flatten)]
    say: Say,
}

/// Reads a mesh and describes it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let name = args.mesh.to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    if [".dxf", ".json", ".toml"].iter().any(|ending| name.ends_with(ending)) {
        return pattern(args);
    }
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

/// Reads a pattern and describes it.
fn pattern(args: &Args) -> Result<(), Failure> {
    let choice = Choice { size: args.size.clone() };
    let pattern = Pattern::open(&args.mesh, &choice).map_err(|error| Failure::BadInput(error.to_string()))?;
    if args.say.json {
        println!("{}", json!({ "file": args.mesh.to_string_lossy(), "pattern": pattern }));
        return Ok(());
    }
    let (panels, seams) = (pattern.panels.len(), pattern.seams.len());
    tell!("{}: a pattern of {panels} panels and {seams} seams", args.mesh.display());
    tell!("{}", pattern.to_words().trim_end());
    Ok(())
}
