//! Alembic (Ogawa): meshes with their motion, texture coordinates, painted numbers and sets of faces.

mod ogawa;
mod property;

use self::ogawa::{Archive, Group};
use self::property::{Header, Properties};
use super::error::{ReadError, Result};
use super::parts::PartKind;
use super::pointcache::PointCache;
use super::sampled::{CornerUvs, On, Painted, SampledFile, SampledMesh, Samples};
use super::{MeshFile, Options, Source};
use glam::DMat4;
use std::sync::Arc;

pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(ogawa::MAGIC)
}

pub(super) fn read(source: &Source, options: &Options) -> Result<MeshFile> {
    read_moving(source, options).map(|read| read.0)
}

/// The surface in its first pose, and how it moves if it does.
pub(super) fn read_moving(source: &Source, options: &Options) -> Result<(MeshFile, Option<PointCache>)> {
    if !begins(source.bytes) {
        let message = "it does not begin with \"Ogawa\": Alembic in its older form (HDF5) is not read";
        return Err(ReadError::file(source.name, message));
    }
    let mut archive = Archive::open(source)?;
    let mut file = SampledFile { format: "Alembic", to_world: DMat4::IDENTITY, ..SampledFile::default() };
    let top = archive.top;
    walk(&mut archive, (top, ""), &mut Vec::new(), &mut file.meshes, 0)?;
    file.assemble(source.name, &options.pick, archive.budget)
}

/// Objects within objects at most.
const DEEPEST: usize = 64;
/// Objects at most: a group may be named by many.
const MOST_OBJECTS: usize = 1 << 16;

/// Goes through an object and what is in it. `frames` are from where it is to the file's frame, outermost first.
fn walk(
    archive: &mut Archive,
    (object, name): (Group, &str),
    frames: &mut Vec<Arc<Samples<DMat4>>>,
    meshes: &mut Vec<SampledMesh>,
    depth: usize,
) -> Result<()> {
    archive.visited += 1;
    if depth > DEEPEST || archive.visited > MOST_OBJECTS {
        return Err(ReadError::file(archive.source.name, "its objects are too many or too deep within each other"));
    }
    let before = frames.len();
    let children = archive.children(object)?;
    if let Some(properties) = archive.child_group(object, 0)? {
        let own = Properties::read(archive, properties)?;
        if let Some(xform) = own.compound(archive, ".xform")? {
            frames.extend(xform_of(archive, &xform)?.map(Arc::new));
        }
        if let Some(geom) = own.compound(archive, ".geom")?.filter(|geom| geom.find("P").is_some()) {
            let mut mesh = mesh_of(archive, &geom, name)?;
            mesh.frames = frames.iter().rev().cloned().collect();
            mesh.sets = sets_of(archive, &children)?;
            meshes.push(mesh);
        }
    }
    for (group, child) in children {
        // A mesh is called what its place is called, if that is there for it alone.
        let called = child.strip_suffix("Shape").filter(|plain| *plain == name).unwrap_or(&child);
        walk(archive, (group, called), frames, meshes, depth + 1)?;
    }
    frames.truncate(before);
    Ok(())
}

/// Where an object is in what it is in: operations, and the numbers that they have in every sample.
fn xform_of(archive: &mut Archive, xform: &Properties) -> Result<Option<Samples<DMat4>>> {
    let (Some(ops), Some(values)) = (xform.find(".ops").cloned(), xform.find(".vals").cloned()) else {
        return Ok(None);
    };
    let ops = archive.samples_of(&ops)?.into_iter().next().map(|sample| sample.1).unwrap_or_default();
    let samples = archive.samples_of(&values)?;
    let mut out = Vec::new();
    for (time, numbers) in samples {
        let mut left = numbers.as_slice();
        let mut matrix = DMat4::IDENTITY;
        for &code in &ops {
            // The high half of a byte is the kind: factors, a shift, a turn about an axis, a matrix, turns about x, y,
            // z.
            let count = [3, 3, 4, 16, 1, 1, 1][usize::from(code as u8 >> 4).min(6)];
            let Some((own, rest)) = left.split_at_checked(count) else { break };
            left = rest;
            matrix *= property::operation(code as u8 >> 4, own);
        }
        if matrix.is_finite() {
            out.push((time, matrix));
        }
    }
    Ok(Some(out).filter(|out| !out.is_empty()))
}

fn mesh_of(archive: &mut Archive, geom: &Properties, name: &str) -> Result<SampledMesh> {
    let get = |name: &str| geom.find(name).cloned();
    let whole = |archive: &mut Archive, header: Option<Header>| -> Result<Vec<u32>> {
        let Some(header) = header else { return Ok(Vec::new()) };
        let first = archive.samples_of(&header)?.into_iter().next().map(|sample| sample.1).unwrap_or_default();
        Ok(first.into_iter().map(|x| if x < 0.0 { u32::MAX } else { x as u32 }).collect())
    };
    let points = match get("P") {
        Some(header) => archive.points_of(&header)?,
        None => Vec::new(),
    };
    let (counts, corners) = (whole(archive, get(".faceCounts"))?, whole(archive, get(".faceIndices"))?);
    let uvs = uvs_of(archive, geom, &corners)?;
    let painted = match geom.compound(archive, ".arbGeomParams")? {
        Some(params) => painted_of(archive, &params)?,
        None => Vec::new(),
    };
    // Faces of Alembic run clockwise.
    Ok(SampledMesh {
        name: name.to_owned(),
        counts,
        corners,
        clockwise: true,
        points,
        uvs,
        painted,
        ..SampledMesh::default()
    })
}

/// Texture coordinates, with or without numbers of their own.
fn uvs_of(archive: &mut Archive, geom: &Properties, corners: &[u32]) -> Result<Option<CornerUvs>> {
    let (values, indices, scope) = match geom.compound(archive, "uv")? {
        Some(parts) => {
            (parts.find(".vals").cloned(), parts.find(".indices").cloned(), geom.find("uv").map(Header::scope))
        }
        None => (geom.find("uv").cloned(), None, geom.find("uv").map(Header::scope)),
    };
    let Some(values) = values.filter(|header| header.extent == 2) else { return Ok(None) };
    let scope = scope.flatten().or_else(|| values.scope());
    let first = |list: Vec<(f64, Vec<f64>)>| list.into_iter().next().map(|sample| sample.1).unwrap_or_default();
    let uvs: Vec<[f64; 2]> = first(archive.samples_of(&values)?).as_chunks::<2>().0.to_vec();
    let indices = match indices {
        Some(header) => Some(first(archive.samples_of(&header)?)),
        None => None,
    };
    let of = |number: u32| match &indices {
        Some(list) => list.get(number as usize).map_or(u32::MAX, |&at| at as u32),
        None => number,
    };
    let each: Vec<u32> = match scope {
        Some(On::Vertices) => corners.iter().map(|&vertex| of(vertex)).collect(),
        _ => (0..corners.len() as u32).map(of).collect(),
    };
    Ok(each.iter().all(|&uv| (uv as usize) < uvs.len()).then_some((uvs, each)))
}

fn painted_of(archive: &mut Archive, params: &Properties) -> Result<Vec<Painted>> {
    let mut out = Vec::new();
    // Where vertices are at rest is no paint.
    for header in params.headers.iter().filter(|header| header.name != "Pref").cloned().collect::<Vec<_>>() {
        let (name, mut on) = (header.name.clone(), header.scope());
        let (values, indices) = match params.compound(archive, &name)? {
            Some(parts) => (parts.find(".vals").cloned(), parts.find(".indices").cloned()),
            None => (Some(header), None),
        };
        let Some(values) = values.filter(|values| (1..=4).contains(&values.extent) && values.is_number()) else {
            continue;
        };
        on = on.or_else(|| values.scope());
        let width = values.extent;
        let first = archive.samples_of(&values)?.into_iter().next().map(|sample| sample.1).unwrap_or_default();
        let mut list: Vec<f32> = first.iter().map(|&x| x as f32).collect();
        if let Some(indices) = indices {
            let which = archive.samples_of(&indices)?.into_iter().next().map(|sample| sample.1).unwrap_or_default();
            let spread = which.into_iter().flat_map(|at| (0..width).map(move |k| at as usize * width + k));
            list = spread.map(|at| list.get(at).copied().unwrap_or(f32::NAN)).collect();
        }
        out.push(Painted { name, on: on.unwrap_or(On::Vertices), width, values: list });
    }
    Ok(out)
}

/// Sets of faces below a mesh.
fn sets_of(archive: &mut Archive, children: &[(Group, String)]) -> Result<Vec<(PartKind, String, Vec<u32>)>> {
    let mut out = Vec::new();
    for (group, name) in children {
        let Some(properties) = archive.child_group(*group, 0)? else { continue };
        let own = Properties::read(archive, properties)?;
        let Some(faces) = own.compound(archive, ".faceset")?.and_then(|set| set.find(".faces").cloned()) else {
            continue;
        };
        let first = archive.samples_of(&faces)?.into_iter().next().map(|sample| sample.1).unwrap_or_default();
        out.push((PartKind::Material, name.clone(), first.into_iter().map(|x| x as u32).collect()));
    }
    Ok(out)
}
