//! How to load what a run has written, in the words of Blender's own dialogs: a file beside it.

use std::fmt::Write;
use taut_scene::write::{Clip, Format, UpAxis};

/// What the file is called.
pub const NAME: &str = "loading.txt";

/// How to load files of some formats; nothing without any.
pub fn page(formats: &[&'static Format], clip: &Clip) -> Option<String> {
    let setup = clip.setup();
    let (first, last) =
        (setup.first_frame as usize, (setup.first_frame as usize + setup.planned_frames).saturating_sub(1));
    let up = if setup.up_axis == UpAxis::Z { "z" } else { "y" };
    let mut text = format!("Frames {first} to {last}, {} in a second.\n", setup.fps);
    for format in formats {
        let told = of(format.name, first, up, setup.metres_per_unit);
        let _ = write!(text, "\n{} ({})\n{told}", format.files, format.about);
    }
    (!formats.is_empty()).then_some(text)
}

/// How files of one format are loaded.
fn of(format: &str, first: usize, up: &str, metres: f64) -> String {
    let plain = format!("Numbers alone: {up} is up, a unit is {metres} m.\n");
    match format {
        "pc2" | "mdd" => format!(
            "{plain}File, Import, Wavefront (.obj): NAME.obj, with the importer's settings as they are; or your own mesh of \
             the same vertices,\nwith its object where it was when it was exported. Modifiers, Add, Deform, Mesh Cache: \
             Format {}, File Path NAME.{format},\nTime Mapping Frame, Frame Start {first}; leave Forward and Up as they \
             are on NAME.obj. On a mesh that is z up itself,\nsuch as one that was exported to OBJ as y up: Forward +Z, \
             Up -Y.\n",
            format.to_uppercase()
        ),
        "abc" => format!(
            "{plain}File, Import, Alembic (.abc), with Set Frame Range. Blender takes y to be up. For motion blur: the \
             modifier\nMesh Sequence Cache, Velocity, Velocity Attribute .velocities.\n"
        ),
        "usd" | "usdc" => {
            "It says itself which way is up and how long a unit is.\nFile, Import, Universal Scene Description (.usd*). \
             Set Output, Frame Rate yourself.\n"
                .to_owned()
        }
        "glb" => "Always y up, in metres.\nFile, Import, glTF 2.0 (.glb/.gltf): frames are shape keys.\n".to_owned(),
        "obj" => format!("{plain}File, Import, Wavefront (.obj): a file for each frame, in obj/.\n"),
        "ply" => format!("{plain}File, Import, Stanford PLY (.ply): a file for each frame, in ply/.\n"),
        _ => format!("{plain}ParaView: scene.pvd.\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taut_scene::write::{FORMATS, ObjectInfo, Setup};

    #[test]
    fn every_format_is_told_how_to_load() {
        let rest = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let object = ObjectInfo { name: "a".into(), rest, triangles: vec![[0, 1, 2]], ..ObjectInfo::default() };
        let setup =
            Setup { objects: vec![object], fps: 24.0, planned_frames: 5, first_frame: 1001, ..Setup::default() };
        let clip = Clip::new(setup).unwrap();
        let formats: Vec<&'static Format> = FORMATS.iter().collect();
        let text = page(&formats, &clip).unwrap();
        assert!(text.starts_with("Frames 1001 to 1005, 24 in a second.\n"), "{text}");
        for words in ["Frame Start 1001", "Set Frame Range", "glTF 2.0", "scene.usdc", "ParaView"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert_eq!(page(&[], &clip), None);
    }
}
