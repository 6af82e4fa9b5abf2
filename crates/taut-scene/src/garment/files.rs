//! A sewn garment as files: OBJ with the pattern as texture coordinates, and a scene to go on with.

use super::sewn::SewnMesh;
use std::fmt::Write;
use taut::mesh::TriMesh;

impl SewnMesh {
    /// The garment as OBJ: texture coordinates are the flat panels, m; a group for each panel.
    pub fn to_obj(&self, name: &str) -> String {
        let mut out = obj_of(name, &self.mesh);
        for uv in &self.mesh.uvs {
            let [u, v] = uv.map(|x| x as f32);
            let _ = writeln!(out, "vt {u} {v}");
        }
        let mut panel = u32::MAX;
        for (t, (corners, flat)) in self.mesh.triangles.iter().zip(&self.mesh.uv_triangles).enumerate() {
            if self.panels[t] != panel {
                panel = self.panels[t];
                let _ = writeln!(out, "g {}", self.mesh.groups[panel as usize].name.replace(char::is_whitespace, "_"));
            }
            let [a, b, c] = [0, 1, 2].map(|i| format!("{}/{}", corners[i] + 1, flat[i] + 1));
            let _ = writeln!(out, "f {a} {b} {c}");
        }
        out
    }
}

/// A name and vertices.
fn obj_of(name: &str, mesh: &TriMesh) -> String {
    let mut out = format!("o {}\n", name.replace(char::is_control, "_"));
    for p in &mesh.positions {
        let [x, y, z] = p.map(|x| x as f32);
        let _ = writeln!(out, "v {x} {y} {z}");
    }
    out
}

/// A surface as OBJ.
pub fn surface_obj(name: &str, mesh: &TriMesh) -> String {
    let mut out = obj_of(name, mesh);
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| v + 1);
        let _ = writeln!(out, "f {a} {b} {c}");
    }
    out
}

/// A scene of the garment `garment.obj` on the figure `body.obj`.
pub fn scene_text(title: &str, fabric: &str) -> String {
    let title = title.replace(['"', '\\'], "").replace(char::is_control, " ");
    format!(
        "# The garment as it was sewn and draped, on the body, to go on with.\n\
         [scene]\ntitle = \"{title}\"\n\n[time]\nduration = 1\nfps = 60\n\n\
         [[cloth]]\nname = \"garment\"\nmesh = \"garment.obj\"\nrest = \"uv\"   # the pattern, in metres\n\
         fabric = \"{fabric}\"\n\n\
         [[collider]]\nname = \"body\"\nshape = {{ kind = \"mesh\", mesh = \"body.obj\" }}\n"
    )
}
