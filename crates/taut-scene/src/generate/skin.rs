//! Skin: a layer of tetrahedra on a closed surface.

use taut::mesh::{Group, TetMesh, TriMesh};

use super::error::{GenerateError, check_count, check_elements, check_length};
use super::frames::{check_direction, surface_frame};
use super::geometry::{check_closed, check_mesh, check_positive, split_prism, triangle_normal, vertex_normals};
use glam::DVec3;

/// To which side of the surface the layer grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SkinDirection {
    /// The surface becomes the layer's outside.
    #[default]
    Inward,
    /// The surface becomes the layer's inside.
    Outward,
}

/// A layer of skin.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinParams {
    /// Thickness along the vertices' normals, m. At a sharp edge the layer is thinner across its faces.
    pub thickness: f64,
    /// Layers of prisms, three tetrahedra each, at least 1.
    pub layers: u32,
    /// To which side of the surface the layer grows.
    pub direction: SkinDirection,
    /// The direction that axis 1 of the frames follows where it can, of any length.
    pub up: [f64; 3],
}

impl Default for SkinParams {
    /// One layer of 5 mm inwards.
    fn default() -> Self {
        Self { thickness: 0.005, layers: 1, direction: SkinDirection::Inward, up: [0.0, 1.0, 0.0] }
    }
}

/// Grows a layer of tetrahedra on a closed surface.
///
/// Material frames follow the surface: axis 2 along the normal of the triangle the tetrahedron lies on, axis 1 tangent
/// and as near [`SkinParams::up`] as can be, axis 0 tangent across. Groups: `inner` and `outer`, the two sides.
pub fn skin(surface: &TriMesh, params: &SkinParams) -> Result<TetMesh, GenerateError> {
    check_length("thickness", params.thickness)?;
    check_count("layers", params.layers, 1)?;
    let up = check_direction("up", params.up)?;
    let triangles = u32::try_from(surface.triangles.len()).unwrap_or(u32::MAX);
    check_elements("surface, layers", &[3, triangles, params.layers])?;
    check_mesh("surface", &surface.positions, &surface.triangles)?;
    check_closed("surface", surface)?;
    let column = params.layers + 1;
    // Vertices that no triangle uses would be loose in the layer, and are left out.
    let (used, rank) = used_vertices(surface);
    let mut mesh = TetMesh { positions: positions(surface, &used, params), ..TetMesh::default() };
    for &triangle in &surface.triangles {
        let Some(normal) = triangle_normal(&surface.positions, triangle) else {
            return Err(GenerateError::new(
                "surface",
                format!("triangle {triangle:?} without area"),
                "triangles with area",
            ));
        };
        for layer in 0..params.layers {
            let [bottom, top] =
                [layer, layer + 1].map(|level| triangle.map(|vertex| rank[vertex as usize] * column + level));
            mesh.tets.extend(split_prism(bottom, top));
            mesh.frames.extend([surface_frame(normal, up); 3]);
        }
    }
    let side = |level: u32| (0..used.len() as u32).map(|place| place * column + level).collect();
    mesh.groups = vec![
        Group { name: "inner".to_owned(), vertices: side(0) },
        Group { name: "outer".to_owned(), vertices: side(params.layers) },
    ];
    let advice = "a thickness smaller than the surface's curvature and creases leave room for";
    check_positive("thickness", &mesh.positions, &mesh.tets, advice)?;
    Ok(mesh)
}

/// The vertices in triangles, ascending, and for each vertex its place among them.
fn used_vertices(surface: &TriMesh) -> (Vec<u32>, Vec<u32>) {
    let mut used: Vec<u32> = surface.triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let mut rank = vec![0; surface.positions.len()];
    for (place, &vertex) in (0..).zip(&used) {
        rank[vertex as usize] = place;
    }
    (used, rank)
}

/// For each vertex of the surface the vertices through the layer, from the inside out.
fn positions(surface: &TriMesh, used: &[u32], params: &SkinParams) -> Vec<[f64; 3]> {
    let normals = vertex_normals(&surface.positions, &surface.triangles);
    let column = |&vertex: &u32| {
        let (position, normal) = (DVec3::from(surface.positions[vertex as usize]), normals[vertex as usize]);
        (0..=params.layers).map(move |level| {
            // Whole steps from the surface, so that its own vertices stay exactly where they are.
            let steps = match params.direction {
                SkinDirection::Inward => -f64::from(params.layers - level),
                SkinDirection::Outward => f64::from(level),
            };
            (position + normal * (params.thickness * (steps / f64::from(params.layers)))).into()
        })
    };
    used.iter().flat_map(column).collect()
}
