//! Meshes that move: animated colliders and bodies.

use std::io;
use std::path::Path;

use taut::mesh::TriMesh;

use super::budget::{Budget, held, held_by_mesh};
use super::error::{ReadError, Result, count};
use super::parts::Part;
use super::source::{Files, Folder, Source, unpack};
use super::{Options, alembic, gltf, obj, pointcache, read_unpacked, unpacked, usd, with_path};

pub use super::pointcache::PointCache;

/// A mesh whose vertices move in a given way while its triangles stay.
#[derive(Clone, Debug)]
pub struct AnimatedMesh {
    /// Triangles, texture coordinates and groups. Its positions are the rest pose, which need not occur in the motion.
    pub mesh: TriMesh,
    /// When the motion ends, s; 0 if there is none.
    pub duration: f64,
    /// Parts of it that have a name.
    pub parts: Vec<Part>,
    /// What was odd about the files.
    pub warnings: Vec<String>,
    motion: Motion,
    /// The vertices that were kept, if some were left out.
    kept: Option<Vec<u32>>,
}

#[derive(Clone, Debug)]
enum Motion {
    Still,
    Cache(PointCache),
    Scene(Box<gltf::Scene>),
}

impl AnimatedMesh {
    /// A mesh that does not move.
    pub fn still(mesh: TriMesh) -> Self {
        Self { mesh, duration: 0.0, parts: Vec::new(), warnings: Vec::new(), motion: Motion::Still, kept: None }
    }

    /// A mesh moved by a point cache, which must have as many points as the mesh has vertices.
    pub fn with_cache(mesh: TriMesh, cache: PointCache) -> Result<Self> {
        let vertices = mesh.positions.len();
        if cache.points() != vertices {
            let points = count(cache.points(), "point", "points");
            let message = format!("the cache has {points}, but its mesh has {}", count(vertices, "vertex", "vertices"));
            return Err(ReadError::file(cache.name(), message));
        }
        let (duration, warnings) = (cache.duration(), cache.warnings().to_vec());
        Ok(Self { duration, warnings, motion: Motion::Cache(cache), ..Self::still(mesh) })
    }

    /// The vertex indices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.mesh.triangles
    }

    /// The positions of all vertices at a time, m. Before the start and after the end the motion is held; a time that
    /// is not a number counts as 0. Replaces what `out` holds; always finite.
    pub fn positions_at(&self, seconds: f64, out: &mut Vec<[f64; 3]>) {
        let seconds = if seconds.is_nan() { 0.0 } else { seconds };
        match &self.motion {
            Motion::Still => out.clone_from(&self.mesh.positions),
            Motion::Cache(cache) => {
                cache.positions_at(seconds, out);
                self.keep(out);
            }
            Motion::Scene(scene) => {
                scene.positions_at(Some(seconds), out);
                self.keep(out);
                for (position, rest) in out.iter_mut().zip(&self.mesh.positions) {
                    // Each factor is finite, but products of huge ones need not be.
                    if !position.iter().all(|x| x.is_finite()) {
                        *position = *rest;
                    }
                }
            }
        }
    }

    /// Leaves of the positions of all vertices those of the ones that were kept.
    fn keep(&self, positions: &mut Vec<[f64; 3]>) {
        if let Some(kept) = &self.kept {
            *positions = kept.iter().filter_map(|&vertex| positions.get(vertex as usize).copied()).collect();
        }
    }

    /// Keeps only the triangles for which `keep` says so, and their vertices.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mesh = &mut self.mesh;
        let (mut triangle_to, mut vertex_to) =
            (vec![u32::MAX; mesh.triangles.len()], vec![u32::MAX; mesh.positions.len()]);
        let (mut triangles, mut uv_triangles, mut vertices) = (Vec::new(), Vec::new(), Vec::new());
        for (at, triangle) in mesh.triangles.iter().enumerate().filter(|(at, _)| keep(*at)) {
            triangle_to[at] = triangles.len() as u32;
            triangles.push(triangle.map(|vertex| {
                let to = &mut vertex_to[vertex as usize];
                if *to == u32::MAX {
                    *to = vertices.len() as u32;
                    vertices.push(vertex);
                }
                *to
            }));
            uv_triangles.extend(mesh.uv_triangles.get(at));
        }
        let renumber = |list: &mut Vec<u32>, to: &[u32]| {
            list.iter_mut().for_each(|number| *number = to.get(*number as usize).copied().unwrap_or(u32::MAX));
            list.retain(|&number| number != u32::MAX);
            list.sort_unstable();
        };
        mesh.groups.iter_mut().for_each(|group| renumber(&mut group.vertices, &vertex_to));
        self.parts.iter_mut().for_each(|part| renumber(&mut part.triangles, &triangle_to));
        mesh.positions = vertices.iter().map(|&vertex| mesh.positions[vertex as usize]).collect();
        (mesh.triangles, mesh.uv_triangles) = (triangles, uv_triangles);
        if let Some(before) = &self.kept {
            vertices.iter_mut().for_each(|vertex| *vertex = before[*vertex as usize]);
        }
        self.kept = Some(vertices);
    }
}

/// Reads a moving mesh that is in memory: glTF, USD or Alembic with or without animation, a point cache (`topology`
/// says how its points
/// are connected), or any other mesh file as one that does not move.
///
/// `fps` is the number of frames in a second for files that count in frames; others ignore it.
pub fn read_animated_bytes(
    source: &Source,
    topology: Option<&TriMesh>,
    fps: f64,
    options: &Options,
) -> Result<AnimatedMesh> {
    unpacked(&source.with_memory(options.memory), |source| read_animated_unpacked(source, topology, fps, options))
}

fn read_animated_unpacked(
    source: &Source,
    topology: Option<&TriMesh>,
    fps: f64,
    options: &Options,
) -> Result<AnimatedMesh> {
    let extension = source.extension();
    if gltf::begins(source.bytes) || extension == "gltf" {
        let gltf::Built { scene, mesh, parts, warnings, .. } = gltf::read_scene(source, options)?;
        let (duration, motion) = (scene.duration(), Motion::Scene(Box::new(scene)));
        return Ok(AnimatedMesh { duration, parts, warnings, motion, ..AnimatedMesh::still(mesh) });
    }
    if extension == "pc2" || extension == "mdd" {
        let mesh = topology.ok_or_else(|| {
            ReadError::file(source.name, "a point cache needs a mesh that says how its points are connected")
        })?;
        return AnimatedMesh::with_cache(mesh.clone(), PointCache::read_unpacked(source, fps, options)?);
    }
    let (file, cache) = if usd::begins(source.bytes) {
        usd::read_moving(source, options)?
    } else if alembic::begins(source.bytes) {
        alembic::read_moving(source, options)?
    } else {
        (read_unpacked(source, options)?, None)
    };
    let mesh = file.surface.ok_or_else(|| ReadError::file(source.name, "the file holds no triangles"))?;
    if let Some(cache) = cache {
        return Ok(AnimatedMesh {
            parts: file.parts,
            warnings: file.warnings,
            ..AnimatedMesh::with_cache(mesh, cache)?
        });
    }
    Ok(AnimatedMesh { parts: file.parts, warnings: file.warnings, ..AnimatedMesh::still(mesh) })
}

/// Reads a moving mesh from a path, like [`read_animated_bytes`]; a path such as `walk_####.obj`, if it is not
/// itself a file, is a sequence, see [`read_sequence`].
pub fn read_animated(
    path: impl AsRef<Path>,
    topology: Option<&TriMesh>,
    fps: f64,
    options: &Options,
) -> Result<AnimatedMesh> {
    let path = path.as_ref();
    let pattern = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    if !pattern.contains('#') || path.exists() {
        return with_path(path, |source| read_animated_bytes(source, topology, fps, options));
    }
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (first, last) = frames_on_disk(parent, &pattern)
        .map_err(|e| ReadError::file(&path.to_string_lossy(), format!("its folder cannot be read: {e}")))?
        .ok_or_else(|| ReadError::file(&path.to_string_lossy(), "no file fits this pattern"))?;
    let folder = Folder::new(parent);
    let animated = read_sequence(&pattern, Some(first), fps, options, &|name: &str| folder.load(name))?;
    if let Motion::Cache(cache) = &animated.motion
        && cache.times().len() as u64 <= u64::from(last - first)
    {
        let missing = frame_name(&pattern, first + cache.times().len() as u32);
        let message = format!("{missing} is missing, but later frames up to {last} exist");
        return Err(ReadError::file(&path.to_string_lossy(), message));
    }
    Ok(animated)
}

/// Reads a sequence of OBJ or other mesh files whose names differ in a number, such as `walk_####.obj`: each `#` is a
/// digit, and numbers with more digits are longer. It starts at `first`, or if that is not given at 0 or 1, and ends
/// before the first file that is not found.
///
/// The first file gives triangles, texture coordinates and groups; of the others only the positions are used.
pub fn read_sequence(
    pattern: &str,
    first: Option<u32>,
    fps: f64,
    options: &Options,
    files: &Files,
) -> Result<AnimatedMesh> {
    pointcache::check_fps(pattern, fps)?;
    if !pattern.contains('#') {
        return Err(ReadError::file(
            pattern,
            "expected a name with # for the digits of the frame, as in walk_####.obj",
        ));
    }
    let exists = |frame: &u32| files(&frame_name(pattern, *frame)).is_ok();
    let first = first.or_else(|| [0, 1].into_iter().find(exists)).unwrap_or(0);
    let mut name = frame_name(pattern, first);
    // Every file allows for more; of each, only its positions stay.
    let mut budget = Budget::new(options.memory, 0);
    let bytes = Source::with_files(&name, &[], files).load(&name, &mut budget)?;
    let file = read_unpacked(&Source { budget, ..Source::with_files(&name, &bytes, files) }, &Options::default())?;
    budget.release(bytes.len());
    drop(bytes);
    let mesh = file.surface.ok_or_else(|| ReadError::file(&name, "the file holds no triangles"))?;
    budget.hold(held_by_mesh(&mesh));
    let points = mesh.positions.len();
    let mut positions: Vec<[f32; 3]> = Vec::new();
    let mut frames = 0;
    let mut frame_positions = mesh.positions.clone();
    loop {
        if frame_positions.len() != points {
            let found = count(frame_positions.len(), "vertex", "vertices");
            return Err(ReadError::file(&name, format!("found {found}, but the first frame has {points}")));
        }
        budget.check(&name, held(&positions) + held(&frame_positions) + 24 * points)?;
        positions.extend(frame_positions.iter().map(|p| p.map(|x| x as f32)));
        if let Some(i) = positions[positions.len() - points..].iter().flatten().position(|x| !x.is_finite()) {
            let message = format!("vertex {} is further away than single precision can hold", i / 3 + 1);
            return Err(ReadError::file(&name, message));
        }
        frames += 1;
        let Some(frame) = first.checked_add(frames) else { break };
        name = frame_name(pattern, frame);
        match files(&name) {
            Ok(stored) => {
                budget.add_file(stored.len());
                let mut with_kept = budget;
                with_kept.hold(held(&positions) + held(&frame_positions));
                let bytes = unpack(&name, &stored, &mut with_kept)?;
                let source = Source { budget: with_kept, ..Source::with_files(&name, &bytes, files) };
                frame_positions = read_frame(&source, file.format)?;
                budget.release(stored.len());
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => break,
            Err(e) => return Err(ReadError::file(&name, format!("cannot be read: {e}"))),
        }
    }
    let cache = PointCache::from_samples(pattern, fps, points, positions);
    Ok(AnimatedMesh { parts: file.parts, warnings: file.warnings, ..AnimatedMesh::with_cache(mesh, cache)? })
}

/// The positions in a frame of a sequence. Of OBJ files nothing else is looked at: a quad that is split along its
/// shorter diagonal in the first frame need not be in the next.
fn read_frame(source: &Source, format: &str) -> Result<Vec<[f64; 3]>> {
    if format == obj::FORMAT {
        return obj::read_positions(source);
    }
    let file = read_unpacked(source, &Options::default())?;
    Ok(file.surface.map(|mesh| mesh.positions).unwrap_or_default())
}

/// The pattern with its first run of `#` replaced by a number.
fn frame_name(pattern: &str, frame: u32) -> String {
    let (before, digits, after) = pattern_parts(pattern);
    format!("{before}{frame:0digits$}{after}")
}

fn pattern_parts(pattern: &str) -> (&str, usize, &str) {
    let start = pattern.find('#').unwrap_or(pattern.len());
    let digits = pattern[start..].bytes().take_while(|&b| b == b'#').count();
    (&pattern[..start], digits, &pattern[start + digits..])
}

/// The smallest and the largest number of the files that fit a pattern.
fn frames_on_disk(folder: &Path, pattern: &str) -> io::Result<Option<(u32, u32)>> {
    let (before, digits, after) = pattern_parts(pattern);
    let mut range: Option<(u32, u32)> = None;
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let number = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        let number = number.filter(|n| n.len() >= digits && n.bytes().all(|b| b.is_ascii_digit()));
        if let Some(frame) = number.and_then(|n| n.parse::<u32>().ok()) {
            let (low, high) = range.unwrap_or((frame, frame));
            range = Some((low.min(frame), high.max(frame)));
        }
    }
    Ok(range)
}
