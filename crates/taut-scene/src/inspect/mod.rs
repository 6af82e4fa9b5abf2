//! What is in a mesh and what is wrong with it: the analysis behind `taut info`.
//!
//! Nothing here fails: a mesh with indices out of range or coordinates that are not numbers is described like any
//! other, and what cannot be measured on it is left out.

mod adjacency;
mod crossings;
mod geometry;
mod show;
mod surface;
mod uv;
mod volume;

pub use crossings::{Crossing, MOST_CROSSINGS};
pub(crate) use geometry::{axes_hint, units_hint};
pub(crate) use show::number;

use serde::Serialize;
use taut::mesh::{Group, TetMesh, TriMesh};

/// How many examples of each defect are named.
pub const EXAMPLES: usize = 5;

/// How often something occurs, and where first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Findings<T> {
    /// How many there are.
    pub count: usize,
    /// The first few, at most [`EXAMPLES`].
    pub first: Vec<T>,
}

impl<T> Findings<T> {
    fn add(&mut self, example: T) {
        self.count += 1;
        if self.first.len() < EXAMPLES {
            self.first.push(example);
        }
    }
}

/// The smallest box around all vertices, in the units of the file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bounds {
    /// The corner with the smallest coordinates.
    pub min: [f64; 3],
    /// The corner with the largest coordinates.
    pub max: [f64; 3],
}

impl Bounds {
    /// How long the box is along each axis.
    pub fn size(&self) -> [f64; 3] {
        std::array::from_fn(|k| self.max[k] - self.min[k])
    }
}

/// Shortest, average and longest edge, in the units of the file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EdgeLengths {
    /// The shortest edge.
    pub min: f64,
    /// The average over all edges.
    pub mean: f64,
    /// The longest edge.
    pub max: f64,
}

/// A group's name and size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupInfo {
    /// The group's name.
    pub name: String,
    /// How many vertices it has.
    pub vertices: usize,
}

/// What any mesh has.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CommonInfo {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of edges between them.
    pub edges: usize,
    /// The box around the vertices; none if there are none with finite coordinates.
    pub bounds: Option<Bounds>,
    /// Lengths of the edges; none without edges.
    pub edge_lengths: Option<EdgeLengths>,
    /// Parts that are not connected with each other.
    pub components: usize,
    /// Vertices that no triangle or tetrahedron uses.
    pub unreferenced: Findings<u32>,
    /// Vertices at exactly the place of an earlier one: seams that are not sewn, or parts that only touch.
    pub duplicate_positions: Findings<u32>,
    /// Vertices with a coordinate that is not a finite number.
    pub not_finite: Findings<u32>,
    /// Triangles or tetrahedra with an index beyond the vertices. They are left out of everything else.
    pub bad_indices: Findings<usize>,
    /// The named vertex sets.
    pub groups: Vec<GroupInfo>,
    /// What the size says about the unit of length, if it does not look like metres.
    pub units_hint: Option<String>,
    /// What its place and proportions say about which way is up, if that does not look like y.
    pub axes_hint: Option<String>,
}

/// The state of a mesh's texture coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UvState {
    /// There are none.
    Missing,
    /// Their lists do not fit the mesh: wrong length, indices out of range, numbers that are not finite.
    Broken,
    /// Shapes on the pattern have little to do with shapes on the mesh: useless as weft and warp.
    Scrambled,
    /// Lengths vary, as after an unwrap for painting: directions are usable, lengths are not.
    Distorted,
    /// Lengths agree with the mesh up to one scale, as on a sewing pattern.
    Consistent,
}

/// What is known about texture coordinates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UvInfo {
    /// Overall judgement.
    pub state: UvState,
    /// Triangles without area on the pattern.
    pub degenerate: Findings<usize>,
    /// Triangles that run clockwise on the pattern. All or half of them may be so by design; a few are a defect.
    pub flipped: Findings<usize>,
    /// The median of mesh length per pattern length, in units of the file; none without usable edges.
    pub scale: Option<f64>,
    /// The share of triangle edges whose scale is within a factor of 1.25 of the median, 0 to 1.
    pub near_median: f64,
    /// The share of triangle edges whose scale is off the median by more than a factor of 4, 0 to 1.
    pub far_from_median: f64,
    /// The median over all triangles of largest by smallest stretch from pattern to mesh: 1 for an exact pattern, below
    /// 2 for a usual unwrap. None if no triangle has an area on the pattern.
    pub anisotropy: Option<f64>,
    /// The share of edges between two triangles at which the pattern is cut, 0 to 1.
    pub seams: f64,
}

/// What is known about a triangle mesh.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurfaceInfo {
    /// Counts, sizes and vertices.
    #[serde(flatten)]
    pub common: CommonInfo,
    /// Number of triangles.
    pub triangles: usize,
    /// Area of all triangles, in square units of the file.
    pub area: f64,
    /// Enclosed volume, in cubic units of the file; only for closed, consistently oriented meshes. Negative if the mesh
    /// is inside out.
    pub volume: Option<f64>,
    /// Whether there is no boundary.
    pub closed: bool,
    /// Loops of boundary edges.
    pub boundary_loops: usize,
    /// Edges with one triangle.
    pub boundary_edges: usize,
    /// Edges with three triangles or more, as pairs of vertices.
    pub non_manifold_edges: Findings<[u32; 2]>,
    /// Vertices where several sheets meet in a point.
    pub non_manifold_vertices: Findings<u32>,
    /// Edges whose two triangles disagree about which side is out.
    pub inconsistent_edges: Findings<[u32; 2]>,
    /// Triangles with the same vertices as an earlier one.
    pub duplicate_triangles: Findings<usize>,
    /// Triangles that use a vertex twice or have practically no area.
    pub degenerate_triangles: Findings<usize>,
    /// Pairs of triangles that intersect, by exact arithmetic; counted up to [`MOST_CROSSINGS`].
    pub intersections: Findings<Crossing>,
    /// The smallest angle of any triangle that is not degenerate, degrees; none without triangles.
    pub min_angle_degrees: Option<f64>,
    /// Texture coordinates.
    pub uv: UvInfo,
}

/// What is known about a tetrahedral mesh.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VolumeInfo {
    /// Counts, sizes and vertices.
    #[serde(flatten)]
    pub common: CommonInfo,
    /// Number of tetrahedra.
    pub tets: usize,
    /// Triangles on the outside.
    pub boundary_triangles: usize,
    /// Volume of all tetrahedra, inverted ones counted negative, in cubic units of the file.
    pub volume: f64,
    /// Area of the outside, in square units of the file.
    pub area: f64,
    /// Tetrahedra with negative volume.
    pub inverted: Findings<usize>,
    /// Tetrahedra that use a vertex twice or have practically no volume.
    pub degenerate_tets: Findings<usize>,
    /// Tetrahedra with the same vertices as an earlier one.
    pub duplicate_tets: Findings<usize>,
    /// Faces with three tetrahedra or more.
    pub non_manifold_faces: Findings<[u32; 3]>,
    /// Pairs of triangles on the outside that intersect, by exact arithmetic, numbered as they come; counted up to
    /// [`MOST_CROSSINGS`].
    pub intersections: Findings<Crossing>,
    /// The smallest angle between two faces of any tetrahedron that is not degenerate, degrees.
    pub min_dihedral_degrees: Option<f64>,
}

/// What is known about a mesh. Its `Display` is meant for a terminal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MeshInfo {
    /// Triangles.
    Surface(SurfaceInfo),
    /// Tetrahedra.
    Volume(VolumeInfo),
}

/// Something that can be inspected.
pub trait Inspect {
    /// Looks at everything.
    fn inspect(&self) -> MeshInfo;
}

impl Inspect for TriMesh {
    fn inspect(&self) -> MeshInfo {
        MeshInfo::Surface(surface::inspect(self))
    }
}

impl Inspect for TetMesh {
    fn inspect(&self) -> MeshInfo {
        MeshInfo::Volume(volume::inspect(self))
    }
}

/// Looks at everything about a mesh.
///
/// ```
/// use taut::mesh::TriMesh;
/// use taut_scene::inspect::{MeshInfo, inspect};
/// let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let sheet = TriMesh { positions, triangles: vec![[0, 1, 2]], ..TriMesh::default() };
/// let MeshInfo::Surface(info) = inspect(&sheet) else { unreachable!() };
/// assert_eq!((info.area, info.boundary_loops), (0.5, 1));
/// ```
pub fn inspect(mesh: &impl Inspect) -> MeshInfo {
    mesh.inspect()
}

impl MeshInfo {
    /// What is wrong with the mesh, one sentence each, worst first; empty if nothing is.
    pub fn problems(&self) -> Vec<String> {
        show::problems(self)
    }
}

fn group_infos(groups: &[Group]) -> Vec<GroupInfo> {
    groups.iter().map(|g| GroupInfo { name: g.name.clone(), vertices: g.vertices.len() }).collect()
}
