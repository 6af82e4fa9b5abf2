//! Wavefront OBJ: rest meshes for the point caches, and sequences.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::atomic::write_atomic;
use super::sequence::{Part, open_sequence};
use super::{Clip, Format, Holds, WriteError};

pub(crate) const FORMAT: Format = Format {
    name: "obj",
    about: "a Wavefront OBJ per object and frame",
    holds: Holds::Positions,
    files: "obj/NAME_0000.obj, obj/NAME_0001.obj…",
    names: |_| Vec::new(),
    spool: None,
    check: super::anything,
    open: |clip, dir, start| open_sequence(clip, dir, start, "obj", encode),
};

fn encode(part: &Part) -> Vec<u8> {
    obj_bytes(part.clip, part.object, part.frame.positions)
}

/// The name of an object's rest mesh.
pub(crate) fn rest_name(clip: &Clip, object: usize) -> String {
    format!("{}.obj", clip.stem(object))
}

/// Writes an object at rest as `NAME.obj` in `dir`: the mesh that a point cache is put on.
pub(crate) fn write_rest(dir: &Path, clip: &Clip, object: usize) -> Result<PathBuf, WriteError> {
    let info = &clip.objects()[object];
    let mut bytes = obj_bytes(clip, object, &info.rest);
    let notes = info.notes.iter().map(|note| note.replace(char::is_control, " "));
    notes.for_each(|note| put(&mut bytes, format_args!("# {note}\n")));
    put_splits(&mut bytes, clip, object);
    let mut loose = vec![true; info.rest.len()];
    clip.surface(object).as_flattened().iter().for_each(|&vertex| loose[vertex as usize] = false);
    // Blender drops vertices that nothing refers to, such as those inside a body, and then the cache does not fit. A
    // line from such a vertex to itself keeps it, and is nothing to see. (It does not know points, `p`.)
    for vertex in (1..=loose.len()).filter(|vertex| loose[vertex - 1]) {
        put(&mut bytes, format_args!("l {vertex} {vertex}\n"));
    }
    write_atomic(dir, &rest_name(clip, object), &bytes)
}

/// Says of polygons which triangles they are computed as, where that is not a fan from their first corner: who measures
/// stretch has to know.
fn put_splits(out: &mut Vec<u8>, clip: &Clip, object: usize) {
    let faces = clip.faces(object);
    let mut triangles = vec![Vec::new(); faces.len()];
    for (number, triangle) in clip.surface(object).iter().enumerate() {
        triangles[faces.of_triangle(number)].push(*triangle);
    }
    for ((number, span), made) in (1..).zip(faces.spans()).zip(&triangles) {
        let corners = &faces.corners[span];
        let fan = corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]);
        if corners.len() > 3 && !fan.eq(made.iter().copied()) {
            let numbers: Vec<String> = made.as_flattened().iter().map(|v| (u64::from(*v) + 1).to_string()).collect();
            put(out, format_args!("# taut split: {number} {}\n", numbers.join(" ")));
        }
    }
}

/// An object in the given shape as OBJ text: all vertices in order, its surface, its texture coordinates.
///
/// Numbers are rounded to 32-bit floats, as in every other animation format.
fn obj_bytes(clip: &Clip, object: usize, positions: &[[f64; 3]]) -> Vec<u8> {
    let info = &clip.objects()[object];
    let mut out = Vec::with_capacity(positions.len() * 40);
    let name = line_of(info.title());
    put(&mut out, format_args!("o {}\n", if name.trim().is_empty() { clip.stem(object) } else { name.trim() }));
    for p in positions {
        let [x, y, z] = p.map(|v| v as f32);
        put(&mut out, format_args!("v {x} {y} {z}\n"));
    }
    for uv in &info.uvs {
        let [u, v] = uv.map(|c| c as f32);
        put(&mut out, format_args!("vt {u} {v}\n"));
    }
    put_faces(&mut out, clip, object);
    out
}

/// The faces, behind the names of what they belong to.
fn put_faces(out: &mut Vec<u8>, clip: &Clip, object: usize) {
    let (given, faces) = (&clip.objects()[object].given, clip.faces(object));
    let mut groups = vec![Vec::new(); if given.groups.is_empty() { 0 } else { faces.len() }];
    for (number, set) in given.groups.iter().enumerate() {
        set.faces.iter().for_each(|&face| groups[face as usize].push(number));
    }
    let mut materials = vec![None; if given.materials.is_empty() { 0 } else { faces.len() }];
    for (number, set) in given.materials.iter().enumerate() {
        set.faces.iter().for_each(|&face| materials[face as usize] = Some(number));
    }
    let (no_groups, mut before) = (Vec::new(), (&Vec::new(), None));
    for (face, span) in faces.spans().enumerate() {
        let of = (groups.get(face).unwrap_or(&no_groups), materials.get(face).copied().flatten());
        if of.0 != before.0 {
            let names: Vec<String> = of.0.iter().map(|&g: &usize| word_of(&given.groups[g].name)).collect();
            put(out, format_args!("g {}\n", if names.is_empty() { "off".into() } else { names.join(" ") }));
        }
        if let Some(material) = of.1.filter(|_| of.1 != before.1) {
            put(out, format_args!("usemtl {}\n", line_of(&given.materials[material].name)));
        }
        before = of;
        put(out, format_args!("f"));
        for at in span {
            let vertex = u64::from(faces.corners[at]) + 1;
            match faces.uvs.get(at) {
                None => put(out, format_args!(" {vertex}")),
                Some(&uv) => put(out, format_args!(" {vertex}/{}", u64::from(uv) + 1)),
            }
        }
        put(out, format_args!("\n"));
    }
}

/// A name that stays on its line.
fn line_of(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}

/// A name that is one word.
fn word_of(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || c.is_whitespace() { '_' } else { c }).collect()
}

/// Writing to memory cannot fail.
fn put(out: &mut Vec<u8>, text: std::fmt::Arguments) {
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use crate::write::testing::{Fixture, TempDir};

    #[test]
    fn the_text_is_exact() {
        let dir = TempDir::new("obj_text");
        let paths = Fixture::quad().write("obj", dir.path(), 0..2).unwrap();
        let names: Vec<_> = paths.iter().map(|p| p.strip_prefix(dir.path()).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["obj/a_b_0000.obj", "obj/a_b_0001.obj"]);
        let expected = "o a/b\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 0.5 0\nvt 0 0.5\nvt 0.5 0.5\nvt 2 2\n\
                        f 1/1 2/2 3/3\nf 3/3 2/5 4/4\n";
        assert_eq!(std::fs::read_to_string(&paths[0]).unwrap(), expected);
        assert!(std::fs::read_to_string(&paths[1]).unwrap().contains("\nv 1 0.25 0\n"));
    }

    #[test]
    fn the_rest_mesh_refers_to_every_vertex() {
        let dir = TempDir::new("obj_rest");
        let mut fixture = Fixture::triangle();
        fixture.setup.objects[0].rest.insert(1, [7.0; 3]);
        fixture.setup.objects[0].triangles = vec![[0, 2, 3]];
        fixture.write("pc2", dir.path(), 0..1).unwrap();
        let text = std::fs::read_to_string(dir.path().join("tri.obj")).unwrap();
        assert_eq!(text, "o tri\nv 0 0 0\nv 7 7 7\nv 1 0 0\nv 0 1 0.1\nf 1 3 4\nl 2 2\n");
    }

    #[test]
    fn tetrahedra_become_their_boundary_on_all_vertices() {
        let dir = TempDir::new("obj_tet");
        let paths = Fixture::tets().write("obj", dir.path(), 0..1).unwrap();
        let text = std::fs::read_to_string(&paths[0]).unwrap();
        assert_eq!(text.matches("\nv ").count(), 5);
        assert_eq!(text.matches("\nf ").count(), 6);
    }
}
