//! Writes a small animation in every format, and what a reader must find in it as `expected.json`.
//!
//! ```text
//! cargo run --release --example write_all -- OUT
//! python3.11 scripts/check_formats.py OUT
//! ```
//!
//! Three objects: a sheet of quads with texture coordinates, a seam and two materials, a second one with a name that
//! no file can have, and a body of tetrahedra with vertices inside. Nothing is simulated: the motion is a formula.

use std::error::Error;
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use taut_scene::read::{FaceSet, Given};
use taut_scene::write::atomic::{subfolder, write_atomic};
use taut_scene::write::{
    Clip, Details, FORMATS, FieldOn, Format, Frame, FrameWriter, ObjectFrame, ObjectInfo, Setup, format, identifiers,
};

const FPS: f64 = 30.0;
const FRAMES: usize = 24;
/// The number of the first frame.
const FIRST: u32 = 1001;
/// Where the caches in `killed/` end.
const KILLED_AT: usize = 10;
/// The frames whose numbers go into `expected.json`.
const SHOWN: [usize; 3] = [0, KILLED_AT - 1, FRAMES - 1];
const STRAINS: [&str; 4] = ["weft", "warp", "shear", "area"];

fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: write_all OUT")?;
    let objects = vec![sheet("sheet", 12, 0.0), sheet("flag/rød 2", 5, 1.5), body()];
    let mut objects = objects;
    objects[0].given.object = Some("Skirt.001".into());
    let (planned_frames, details) = (FRAMES, Details::ALL);
    let setup = Setup { objects, fps: FPS, planned_frames, first_frame: FIRST, details, ..Setup::default() };
    let given: Vec<Given> = setup.objects.iter().map(|object| object.given.clone()).collect();
    let clip = Clip::new(setup)?;
    for format in FORMATS {
        let mut writer = format.open(&clip, &out, 0)?;
        write_frames(&clip, writer.as_mut(), 0..FRAMES)?;
        let files = writer.finish()?;
        println!("{:4} {:3} files, the first is {}", format.name, files.len(), files[0].display());
    }
    leave_unfinished(&clip, &out)?;
    write_atomic(&out, "expected.json", expected(&clip, &given).to_string().as_bytes())?;
    Ok(())
}

/// A square sheet of `n` × `n` cells. The texture coordinates of its right half are moved away, which makes a seam.
fn sheet(name: &str, n: usize, shift: f64) -> ObjectInfo {
    let side = n + 1;
    let at = |i: usize| (i % side, i / side);
    let rest = (0..side * side).map(at).map(|(i, j)| [shift + i as f64 / n as f64, 0.5, j as f64 / n as f64]).collect();
    let uv = |half: f64| move |(i, j): (usize, usize)| [i as f64 / n as f64 + half, j as f64 / n as f64];
    let uvs = (0..side * side).map(at).map(uv(0.0)).chain((0..side * side).map(at).map(uv(0.5))).collect();
    let mut object = ObjectInfo { name: name.into(), rest, uvs, ..ObjectInfo::default() };
    for j in 0..n {
        for i in 0..n {
            let [a, b] = [j * side + i, (j + 1) * side + i];
            let moved = if i >= n / 2 { side * side } else { 0 };
            for triangle in [[a, b, a + 1], [a + 1, b, b + 1]] {
                object.triangles.push(triangle.map(|v| v as u32));
                object.uv_triangles.push(triangle.map(|v| (v + moved) as u32));
            }
            add_quad(&mut object.given, [a, b, b + 1, a + 1], moved);
        }
    }
    STRAINS.iter().fold(object, |object, name| object.with_field(name, FieldOn::Triangles)).with_velocities()
}

/// A face of four corners that is two triangles, of one of two materials.
fn add_quad(given: &mut Given, corners: [usize; 4], moved: usize) {
    let face = given.ends.len() as u32;
    given.corners.extend(corners.map(|v| v as u32));
    given.uvs.extend(corners.map(|v| (v + moved) as u32));
    given.ends.push(given.corners.len() as u32);
    given.of_triangle.extend([face; 2]);
    if given.materials.is_empty() {
        given.materials = ["denim", "silk"].map(|name| FaceSet { name: name.into(), faces: Vec::new() }).into();
    }
    given.materials[usize::from(moved > 0)].faces.push(face);
}

/// A cube of 2 × 2 × 2 cells, each of twelve tetrahedra around its centre. The centres come first and last, so that
/// the surface leaves out vertices at both ends of the list.
fn body() -> ObjectInfo {
    let centre = |c: usize| [0, 1, 2].map(|axis| 0.25 + 0.5 * (c >> axis & 1) as f64);
    let corner = |i: usize| [i % 3, i / 3 % 3, i / 9].map(|v| 0.5 * v as f64);
    let points = (0..4).map(centre).chain((0..27).map(corner)).chain((4..8).map(centre));
    let rest = points.map(|p| [p[0] - 2.0, p[1], p[2]]).collect();
    let mut tets = Vec::new();
    for cell in 0..8 {
        let middle = if cell < 4 { cell } else { 4 + 27 + cell - 4 };
        let base = 4 + (cell & 1) + 3 * (cell >> 1 & 1) + 9 * (cell >> 2);
        for (u, v, w) in [(1, 3, 9), (3, 9, 1), (9, 1, 3)] {
            for face in [[0, v, u + v, u], [w, w + u, w + u + v, w + v]] {
                let [a, b, c, d] = face.map(|offset| base + offset);
                tets.push([middle, a, b, c].map(|i| i as u32));
                tets.push([middle, a, c, d].map(|i| i as u32));
            }
        }
    }
    let object = ObjectInfo { name: "jelly".into(), rest, tets, ..ObjectInfo::default() };
    object.with_field("volume", FieldOn::Tets).with_field("height", FieldOn::Vertices).with_velocities()
}

fn time(frame: usize) -> f64 {
    frame as f64 / FPS
}

/// A wave that runs along x, and lifts everything a little.
fn positions(object: &ObjectInfo, time: f64) -> Vec<[f64; 3]> {
    let wave = |p: &[f64; 3]| {
        let phase = TAU * (p[0] - time);
        [p[0] + 0.05 * phase.cos(), p[1] + 0.1 * phase.sin() + 0.2 * time, p[2] + 0.03 * (phase + p[1]).sin()]
    };
    object.rest.iter().map(wave).collect()
}

fn velocities(object: &ObjectInfo, time: f64) -> Vec<[f64; 3]> {
    let [before, after] = [-1e-4, 1e-4].map(|dt| positions(object, time + dt));
    let rate = |(a, b): (&[f64; 3], &[f64; 3])| std::array::from_fn(|axis| (b[axis] - a[axis]) / 2e-4);
    before.iter().zip(&after).map(rate).collect()
}

/// Any numbers will do, as long as they differ.
fn fields(object: &ObjectInfo, time: f64) -> Vec<Vec<f64>> {
    let count = |on| match on {
        FieldOn::Vertices => object.rest.len(),
        FieldOn::Triangles => object.triangles.len(),
        FieldOn::Tets => object.tets.len(),
    };
    let value = |field: usize, element: usize| 0.1 * (time + field as f64 + 0.37 * element as f64).sin();
    let kinds = object.fields.iter().map(|field| count(field.on)).enumerate();
    kinds.map(|(field, count)| (0..count).map(|element| value(field, element)).collect()).collect()
}

fn write_frames(
    clip: &Clip,
    writer: &mut dyn FrameWriter,
    frames: std::ops::Range<usize>,
) -> Result<(), Box<dyn Error>> {
    for index in frames {
        let time = time(index);
        let data: Vec<_> =
            clip.setup().objects.iter().map(|o| (positions(o, time), velocities(o, time), fields(o, time))).collect();
        let fields: Vec<Vec<&[f64]>> = data.iter().map(|(_, _, f)| f.iter().map(Vec::as_slice).collect()).collect();
        let objects: Vec<ObjectFrame> = data
            .iter()
            .zip(&fields)
            .map(|((positions, velocities, _), fields)| ObjectFrame { positions, velocities, fields })
            .collect();
        writer.frame(&Frame { index, time, objects: &objects })?;
    }
    Ok(())
}

/// Caches as a kill leaves them: planned for all frames, but never finished.
fn leave_unfinished(clip: &Arc<Clip>, out: &Path) -> Result<(), Box<dyn Error>> {
    let dir = subfolder(out, "killed")?;
    for format in ["pc2", "mdd"].into_iter().filter_map(format).collect::<Vec<&'static Format>>() {
        let mut writer = format.open(clip, &dir, 0)?;
        write_frames(clip, writer.as_mut(), 0..KILLED_AT)?;
    }
    Ok(())
}

/// The faces of each material.
fn materials(given: &Given) -> Value {
    given.materials.iter().map(|set| (set.name.clone(), json!(set.faces))).collect::<serde_json::Map<_, _>>().into()
}

/// What a reader must find.
fn expected(clip: &Clip, given: &[Given]) -> Value {
    let setup = clip.setup();
    let names = identifiers(setup.objects.iter().map(ObjectInfo::title));
    let titles: Vec<String> = setup.objects.iter().map(|o| o.title().replace(['/', ' '], "_")).collect();
    let object = |(at, object): (usize, &ObjectInfo)| {
        let frame = |&frame: &usize| {
            let fields = fields(object, time(frame));
            let named = object.fields.iter().zip(fields).map(|(f, values)| (f.name.clone(), json!(values)));
            let (positions, velocities) = (positions(object, time(frame)), velocities(object, time(frame)));
            let fields = named.collect::<serde_json::Map<_, _>>();
            (frame.to_string(), json!({"positions": positions, "velocities": velocities, "fields": fields}))
        };
        json!({
            "name": object.title(),
            "stem": clip.stem(at),
            "identifier": names[at],
            "abc": titles[at],
            "surface": clip.surface(at),
            "tets": object.tets,
            "uvs": object.uvs,
            "uv_triangles": object.uv_triangles,
            "face_ends": given[at].ends,
            "face_corners": given[at].corners,
            "face_uvs": given[at].uvs,
            "face_of_triangle": given[at].of_triangle,
            "materials": materials(&given[at]),
            "frames": SHOWN.iter().map(frame).collect::<serde_json::Map<_, _>>(),
        })
    };
    let objects: Vec<Value> = setup.objects.iter().enumerate().map(object).collect();
    json!({"fps": FPS, "first": FIRST, "frames": FRAMES, "killed_at": KILLED_AT, "objects": objects})
}
