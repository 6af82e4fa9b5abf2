//! Binary PLY sequences: positions, velocities, normals, and vertex fields if there are any, and the
//! faces. PLY has a texture coordinate for each vertex: with seams there are none.

use super::names::identifiers;
use super::sequence::{Part, open_sequence};
use super::surface::vertex_normals;
use super::{FieldOn, Format, Holds};

pub(crate) const FORMAT: Format = Format {
    name: "ply",
    about: "a binary PLY per object and frame",
    holds: Holds::All,
    files: "ply/NAME_0000.ply, ply/NAME_0001.ply…",
    names: |_| Vec::new(),
    spool: None,
    check: super::anything,
    open: |clip, dir, start| open_sequence(clip, dir, start, "ply", encode),
};

fn encode(part: &Part) -> Vec<u8> {
    let info = &part.clip.objects()[part.object];
    let faces = part.clip.faces(part.object);
    let normals = part.clip.setup().details.normals;
    let normals =
        if normals { vertex_normals(part.frame.positions, part.clip.surface(part.object)) } else { Vec::new() };
    let uvs = faces.vertex_uvs(info.rest.len());
    let on_vertices = || info.fields.iter().zip(part.frame.fields).filter(|(field, _)| field.on == FieldOn::Vertices);
    let mut properties: Vec<&str> = vec!["x", "y", "z"];
    if info.velocities {
        properties.extend(["vx", "vy", "vz"]);
    }
    if !normals.is_empty() {
        properties.extend(["nx", "ny", "nz"]);
    }
    if uvs.is_some() {
        properties.extend(["s", "t"]);
    }
    let names = identifiers(properties.iter().copied().chain(on_vertices().map(|(field, _)| field.name.as_str())));
    let mut header = format!("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", info.rest.len());
    for name in &names {
        header += &format!("property float {name}\n");
    }
    let wide = faces.counts().any(|count| count > 127);
    let length = if wide { "int" } else { "uchar" };
    header += &format!("element face {}\nproperty list {length} int vertex_indices\nend_header\n", faces.len());
    let mut out = header.into_bytes();
    let float = |out: &mut Vec<u8>, v: f64| out.extend((v as f32).to_le_bytes());
    for vertex in 0..info.rest.len() {
        part.frame.positions[vertex].iter().for_each(|&v| float(&mut out, v));
        if info.velocities {
            part.frame.velocities[vertex].iter().for_each(|&v| float(&mut out, v));
        }
        normals.get(vertex).into_iter().flatten().for_each(|&v| float(&mut out, v));
        let uv = uvs.as_ref().map(|uvs| info.uvs[uvs[vertex] as usize]);
        uv.iter().flatten().for_each(|&v| float(&mut out, v));
        on_vertices().for_each(|(_, values)| float(&mut out, values[vertex]));
    }
    for span in faces.spans() {
        match wide {
            true => out.extend((span.len() as u32).to_le_bytes()),
            false => out.push(span.len() as u8),
        }
        out.extend(faces.corners[span].iter().flat_map(|i| i.to_le_bytes()));
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::write::testing::{Fixture, TempDir};

    #[test]
    fn the_layout_is_exact() {
        let dir = TempDir::new("ply_layout");
        let paths = Fixture::triangle().write("ply", dir.path(), 0..1).unwrap();
        let mut expected =
            b"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
            property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
                .to_vec();
        Fixture::triangle().floats(0, 0..1).iter().for_each(|v| expected.extend(v.to_le_bytes()));
        expected.extend([3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(std::fs::read(&paths[0]).unwrap(), expected);
    }

    #[test]
    fn velocities_and_vertex_fields_come_along() {
        let dir = TempDir::new("ply_fields");
        let paths = Fixture::tets().write("ply", dir.path(), 0..1).unwrap();
        let bytes = std::fs::read(&paths[0]).unwrap();
        let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        let header = std::str::from_utf8(&bytes[..end]).unwrap();
        assert!(header.contains("z\nproperty float vx\nproperty float vy\nproperty float vz\nproperty float heat\n"));
        assert_eq!(bytes.len() - end, 5 * 7 * 4 + 6 * 13);
    }
}
