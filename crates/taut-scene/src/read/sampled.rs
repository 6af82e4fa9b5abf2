//! Meshes with samples over time, as USD and Alembic have them: into one surface and its motion.

use super::budget::Budget;
use super::error::{ReadError, Result, count, quote};
use super::groups::Groups;
use super::maps::Columns;
use super::parts::PartKind;
use super::pointcache::PointCache;
use super::polygon::Triangulator;
use super::{Clip, Given, MeshFile, Pick};
use glam::{DMat4, DVec3};
use std::collections::HashSet;
use std::sync::Arc;
use taut::mesh::TriMesh;

/// Values at increasing times, s.
pub(super) type Samples<T> = Vec<(f64, T)>;

/// Texture coordinates, and for each corner which.
pub(super) type CornerUvs = (Vec<[f64; 2]>, Vec<u32>);

/// A mesh of such a file.
#[derive(Clone, Debug, Default)]
pub(super) struct SampledMesh {
    /// What it is called.
    pub name: String,
    /// How many corners each face has.
    pub counts: Vec<u32>,
    /// The corners of all faces, one after another, as vertices.
    pub corners: Vec<u32>,
    /// Whether faces run clockwise, seen from outside.
    pub clockwise: bool,
    /// Where vertices are, in its own frame and the file's unit.
    pub points: Samples<Vec<[f32; 3]>>,
    /// Texture coordinates, and for each corner which.
    pub uvs: Option<CornerUvs>,
    /// From its own frame to the file's: its own first, then those that it is in.
    pub frames: Vec<Arc<Samples<DMat4>>>,
    /// Faces by name.
    pub sets: Vec<(PartKind, String, Vec<u32>)>,
    /// Numbers by name.
    pub painted: Vec<Painted>,
}

/// Numbers that a mesh is painted with.
#[derive(Clone, Debug)]
pub(super) struct Painted {
    pub name: String,
    pub on: On,
    /// How many numbers each has, 1 to 4.
    pub width: usize,
    pub values: Vec<f32>,
}

/// What has a number each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    Mesh,
    Faces,
    Vertices,
    Corners,
}

/// All meshes of a file, and what holds for them together.
#[derive(Clone, Debug, Default)]
pub(super) struct SampledFile {
    pub format: &'static str,
    pub meshes: Vec<SampledMesh>,
    /// From the file's axes and unit to y up and metres.
    pub to_world: DMat4,
    pub warnings: Vec<String>,
}

/// The value at a time: between samples what `mix` makes of two, held before the first and after the last.
fn at<T: Clone>(samples: &Samples<T>, time: f64, mix: impl Fn(&T, &T, f64) -> T) -> Option<T> {
    let next = samples.partition_point(|sample| sample.0 <= time);
    if next == 0 || next == samples.len() {
        return samples.get(next.saturating_sub(1)).map(|sample| sample.1.clone());
    }
    let ((before, a), (after, b)) = (&samples[next - 1], &samples[next]);
    Some(mix(a, b, (time - before) / (after - before)))
}

impl SampledMesh {
    /// From its own frame to the file's at a time, s.
    fn frame(&self, time: f64) -> DMat4 {
        let mix = |a: &DMat4, b: &DMat4, share: f64| *a * (1.0 - share) + *b * share;
        let chain = self.frames.iter().filter_map(|frame| at(frame, time, mix));
        chain.fold(DMat4::IDENTITY, |inner, outer| outer * inner)
    }

    /// Where vertices are at a time (s), m, added to a list.
    fn place(&self, time: f64, to_world: &DMat4, out: &mut Vec<[f32; 3]>) {
        let next = self.points.partition_point(|sample| sample.0 <= time);
        let (a, b) = (next.saturating_sub(1), next.min(self.points.len().saturating_sub(1)));
        let Some(((before, first), (after, second))) = self.points.get(a).zip(self.points.get(b)) else { return };
        let frame = *to_world * self.frame(time);
        let share = if after > before { ((time - before) / (after - before)).clamp(0.0, 1.0) } else { 0.0 };
        out.extend(first.iter().zip(second).map(|(a, b)| {
            let [a, b] = [a, b].map(|p| DVec3::from(p.map(f64::from)));
            frame.project_point3(a + (b - a) * share).to_array().map(|x| x as f32)
        }));
    }

    fn vertices(&self) -> usize {
        self.points.first().map_or(0, |sample| sample.1.len())
    }

    /// Refuses what does not fit together.
    fn check(&self, file: &str) -> Result<()> {
        let fail =
            |message: String| Err(ReadError::item(file, format!("mesh {}", quote(self.name.as_bytes())), message));
        let (vertices, corners) = (self.vertices(), self.corners.len());
        let needed: u64 = self.counts.iter().map(|&n| u64::from(n)).sum();
        if needed != corners as u64 {
            return fail(format!("its faces have {needed} corners by their counts, but there are {corners}"));
        }
        if let Some(few) = self.counts.iter().position(|&n| n < 3) {
            return fail(format!("face {few} has {} corners, expected 3 or more", self.counts[few]));
        }
        if let Some(at) = self.corners.iter().position(|&v| v as usize >= vertices) {
            return fail(format!("corner {at} is vertex {}, but it has {vertices} vertices", self.corners[at]));
        }
        if let Some((time, other)) = self.points.iter().find(|sample| sample.1.len() != vertices) {
            let now = other.len();
            return fail(format!("it has {vertices} vertices at first and {now} at {time:.3} s: expected one mesh"));
        }
        if let Some((time, _)) = self.points.iter().find(|sample| !sample.1.iter().flatten().all(|x| x.is_finite())) {
            return fail(format!("a vertex is not at a finite place at {time:.3} s"));
        }
        match &self.uvs {
            Some((uvs, each)) if each.len() != corners || each.iter().any(|&uv| uv as usize >= uvs.len()) => {
                fail("its texture coordinates do not fit its corners".into())
            }
            _ => Ok(()),
        }
    }
}

impl SampledFile {
    /// One surface with what is on it, and how it moves if it does. Only meshes that are picked.
    pub fn assemble(mut self, file: &str, pick: &Pick, mut budget: Budget) -> Result<(MeshFile, Option<PointCache>)> {
        let named = |mesh: &SampledMesh| matches!(pick, Pick::Named(name) if *name == mesh.name);
        match pick {
            Pick::All => {}
            Pick::First => self.meshes.truncate(1),
            Pick::Named(name) if !self.meshes.iter().any(named) => {
                let names: Vec<&str> = self.meshes.iter().take(24).map(|mesh| mesh.name.as_str()).collect();
                let message = format!("no mesh is called {}; there are: {}", quote(name.as_bytes()), names.join(", "));
                return Err(ReadError::file(file, message));
            }
            Pick::Named(_) => self.meshes.retain(named),
        }
        if self.meshes.iter().all(|mesh| mesh.corners.is_empty()) {
            return Err(ReadError::file(file, "the file holds no meshes with faces"));
        }
        self.meshes.iter().try_for_each(|mesh| mesh.check(file))?;
        let times = self.times();
        let points: usize = self.meshes.iter().map(SampledMesh::vertices).sum();
        // Samples, the first of them twice as wide, and what the faces become.
        let corners: usize = self.meshes.iter().map(|mesh| mesh.corners.len()).sum();
        let needed = points.saturating_mul(12 * times.len() + 40).saturating_add(corners.saturating_mul(128));
        budget.check(file, needed)?;
        budget.hold(needed);
        let mut positions = Vec::with_capacity(points * times.len());
        for &time in &times {
            self.meshes.iter().for_each(|mesh| mesh.place(time, &self.to_world, &mut positions));
        }
        if let Some(at) = positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            let message = format!("vertex {} is further away than single precision can hold", at % points.max(1));
            return Err(ReadError::file(file, message));
        }
        let (file_mesh, first) = (self.surface(file, &positions[..points], &budget)?, times.first().copied());
        let times: Vec<f64> = times.iter().map(|time| time - first.unwrap_or(0.0)).collect();
        let cache = (times.len() > 1).then(|| PointCache::from_times(file, times, points, positions));
        let clips = cache.iter().map(|cache| Clip { name: None, seconds: cache.duration(), plays: true }).collect();
        Ok((MeshFile { clips, ..file_mesh }, cache))
    }

    /// All times at which something is sampled, s, ascending.
    fn times(&self) -> Vec<f64> {
        let mut times: Vec<f64> = Vec::new();
        let mut seen = HashSet::new();
        for mesh in &self.meshes {
            times.extend(mesh.points.iter().filter(|_| mesh.points.len() > 1).map(|sample| sample.0));
            // What many meshes are in is looked at once.
            let new = mesh.frames.iter().filter(|frame| frame.len() > 1 && seen.insert(Arc::as_ptr(frame)));
            times.extend(new.flat_map(|frame| frame.iter().map(|sample| sample.0)));
        }
        times.retain(|time| time.is_finite());
        times.sort_by(f64::total_cmp);
        times.dedup_by(|b, a| *b - *a < 1e-7);
        if times.is_empty() { vec![0.0] } else { times }
    }

    fn surface(mut self, file: &str, positions: &[[f32; 3]], budget: &Budget) -> Result<MeshFile> {
        let mut mesh =
            TriMesh { positions: positions.iter().map(|p| p.map(f64::from)).collect(), ..TriMesh::default() };
        let (mut given, mut build) = (Given::default(), Built::default());
        let with_uvs = self.meshes.iter().all(|mesh| mesh.uvs.is_some() || mesh.corners.is_empty());
        let mut base = 0;
        for part in &self.meshes {
            build.columns.grow(part.vertices());
            let mirrored = (self.to_world * part.frame(part.points.first().map_or(0.0, |s| s.0))).determinant() < 0.0;
            build.add(part, (base, part.clockwise != mirrored, with_uvs), &mut mesh, &mut given);
            budget.check(file, build.columns.held() + build.groups.held() + build.materials.held())?;
            base += part.vertices() as u32;
        }
        if build.triangulator.fanned > 0 {
            let found = count(build.triangulator.fanned, "polygon crosses", "polygons cross");
            self.warnings.push(format!("{found} themselves or are too complex: their triangles may overlap"));
        }
        if build.left_out > 0 {
            let more = count(build.left_out, "list of numbers is", "lists of numbers are");
            self.warnings.push(format!("{more} left out: they do not fit the mesh, or there are too many"));
        }
        given.object = Some(&self.meshes).filter(|all| all.len() == 1).map(|all| all[0].name.clone());
        given.tidy();
        let mut parts = build.nodes;
        parts.extend(build.groups.take_parts(PartKind::Group));
        parts.extend(build.materials.take_parts(PartKind::Material));
        mesh.groups = build.groups.finish();
        let (surface, maps, warnings) = (Some(mesh), build.columns.finish(), self.warnings);
        Ok(MeshFile { format: self.format, surface, given, parts, maps, warnings, ..MeshFile::default() })
    }
}

/// What a surface is put together from.
#[derive(Default)]
struct Built {
    triangulator: Triangulator,
    groups: Groups,
    materials: Groups,
    nodes: Vec<super::Part>,
    columns: Columns,
    left_out: usize,
}

impl Built {
    /// Adds a mesh whose vertices begin at a number, and whose faces are to be turned around or not.
    fn add(&mut self, part: &SampledMesh, how: (u32, bool, bool), mesh: &mut TriMesh, given: &mut Given) {
        let (base, turned, with_uvs) = how;
        let first_uv = mesh.uvs.len() as u32;
        let uv_of = part.uvs.as_ref().filter(|_| with_uvs).map(|(uvs, each)| {
            mesh.uvs.extend(uvs);
            each
        });
        let first = mesh.triangles.len() as u32;
        let (mut start, mut outline, mut split, mut ends) = (0, Vec::new(), Vec::new(), Vec::new());
        for &corners in &part.counts {
            let mut order: Vec<usize> = (start..start + corners as usize).collect();
            start += corners as usize;
            if turned {
                order.reverse();
            }
            let vertex = |&corner: &usize| base + part.corners[corner];
            outline.clear();
            outline.extend(order.iter().map(|corner| mesh.positions[vertex(corner) as usize]));
            split.clear();
            self.triangulator.split(&outline, &mut split);
            mesh.triangles.extend(split.iter().map(|t| t.map(|i| vertex(&order[i]))));
            given.push(order.iter().map(vertex), split.len());
            if let Some(each) = uv_of {
                given.uvs.extend(order.iter().map(|&corner| first_uv + each[corner]));
                mesh.uv_triangles.extend(split.iter().map(|t| t.map(|i| first_uv + each[order[i]])));
            }
            ends.push(mesh.triangles.len() as u32);
        }
        let triangles: Vec<u32> = (first..mesh.triangles.len() as u32).collect();
        self.nodes.push(super::Part { kind: PartKind::Node, name: part.name.clone(), triangles });
        let group = self.groups.id(&part.name);
        self.groups.add(group, base..base + part.vertices() as u32);
        for (kind, name, faces) in &part.sets {
            let sets = if *kind == PartKind::Material { &mut self.materials } else { &mut self.groups };
            let id = sets.id(name);
            let mut faces: Vec<usize> = faces.iter().map(|&f| f as usize).filter(|&f| f < ends.len()).collect();
            faces.sort_unstable();
            faces.dedup();
            for face in faces {
                let from = if face == 0 { first } else { ends[face - 1] };
                sets.add(id, (from..ends[face]).flat_map(|t| mesh.triangles[t as usize]));
                sets.add_triangles(id, from..ends[face]);
            }
        }
        part.painted.iter().for_each(|painted| self.paint(part, painted, base as usize));
    }

    /// Numbers of faces and corners become means at vertices.
    fn paint(&mut self, part: &SampledMesh, painted: &Painted, base: usize) {
        let (width, vertices) = (painted.width, part.vertices());
        let needed = match painted.on {
            On::Mesh => 1,
            On::Faces => part.counts.len(),
            On::Vertices => vertices,
            On::Corners => part.corners.len(),
        };
        if !(1..=4).contains(&width) || painted.values.len() != width * needed {
            self.left_out += 1;
            return;
        }
        let face_of = || part.counts.iter().enumerate().flat_map(|(face, &n)| std::iter::repeat_n(face, n as usize));
        let pairs: Vec<(usize, usize)> = match painted.on {
            On::Mesh => (0..vertices).map(|vertex| (vertex, 0)).collect(),
            On::Vertices => (0..vertices).map(|vertex| (vertex, vertex)).collect(),
            On::Faces => part.corners.iter().zip(face_of()).map(|(&vertex, face)| (vertex as usize, face)).collect(),
            On::Corners => part.corners.iter().enumerate().map(|(corner, &vertex)| (vertex as usize, corner)).collect(),
        };
        for channel in 0..width {
            let name = if width == 1 {
                painted.name.clone()
            } else {
                format!("{}.{}", painted.name, ["r", "g", "b", "a"][channel])
            };
            let Some(id) = self.columns.id(&name) else {
                self.left_out += 1;
                return;
            };
            let (mut sums, mut counts) = (vec![0.0f32; vertices], vec![0u32; vertices]);
            for &(vertex, from) in &pairs {
                sums[vertex] += painted.values[width * from + channel];
                counts[vertex] += 1;
            }
            for (vertex, (sum, count)) in sums.into_iter().zip(counts).enumerate() {
                self.columns.set(id, base + vertex, sum / count.max(1) as f32);
            }
        }
    }
}
