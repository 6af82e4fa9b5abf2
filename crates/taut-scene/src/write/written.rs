//! From the mesh that is computed with to the mesh that is written: the one that was given, polygon by polygon and
//! vertex by vertex, in the axes and units that were asked for.

use super::clip::{FieldOn, Frame, ObjectFrame, ObjectInfo, Setup, UpAxis};
use std::borrow::Cow;

/// The faces of an object as they are written.
#[derive(Debug, Default)]
pub(crate) struct Faces {
    /// Where each face ends in `corners`; it starts where the one before ends.
    pub(crate) ends: Vec<u32>,
    /// Vertices of all corners.
    pub(crate) corners: Vec<u32>,
    /// Texture coordinates of all corners; empty if there are none.
    pub(crate) uvs: Vec<u32>,
    /// For each triangle the face that it is a part of; empty if faces are the triangles.
    of_triangle: Vec<u32>,
}

impl Faces {
    fn of_triangles(triangles: &[[u32; 3]], uvs: &[[u32; 3]]) -> Self {
        Faces {
            ends: (1..=triangles.len() as u32).map(|face| 3 * face).collect(),
            corners: triangles.as_flattened().to_vec(),
            uvs: uvs.as_flattened().to_vec(),
            of_triangle: Vec::new(),
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the corners of each face are in `corners`.
    pub(crate) fn spans(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start as usize..end as usize)
    }

    /// The face that a triangle is a part of.
    pub(crate) fn of_triangle(&self, triangle: usize) -> usize {
        self.of_triangle.get(triangle).map_or(triangle, |&face| face as usize)
    }

    /// How many corners each face has.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u32> {
        self.spans().map(|span| span.len() as u32)
    }

    /// For each of so many vertices its texture coordinate, if each has only one.
    pub(crate) fn vertex_uvs(&self, vertices: usize) -> Option<Vec<u32>> {
        let mut of = vec![u32::MAX; if self.uvs.is_empty() { 0 } else { vertices }];
        for (&uv, &vertex) in self.uvs.iter().zip(&self.corners) {
            let known = &mut of[vertex as usize];
            if *known != u32::MAX && *known != uv {
                return None;
            }
            *known = uv;
        }
        (!of.is_empty() && !of.contains(&u32::MAX)).then_some(of)
    }

    /// Values of triangles as values of faces: the mean of those that a face is made of.
    pub(crate) fn mean<'a>(&self, of_triangles: &'a [f32]) -> Cow<'a, [f32]> {
        if self.of_triangle.is_empty() {
            return Cow::Borrowed(of_triangles);
        }
        let mut sums = vec![(0.0_f64, 0_u32); self.len()];
        for (&face, &value) in self.of_triangle.iter().zip(of_triangles) {
            let sum = &mut sums[face as usize];
            *sum = (sum.0 + f64::from(value), sum.1 + 1);
        }
        Cow::Owned(sums.into_iter().map(|(sum, many)| (sum / f64::from(many.max(1))) as f32).collect())
    }
}

/// How one object comes to be written.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// For each vertex written the vertex of the frames; empty if they are the same.
    vertices: Vec<u32>,
    pub(crate) faces: Faces,
}

impl Written {
    /// Makes of an object, whose surface is given too, what is written of it.
    pub(crate) fn of(info: &mut ObjectInfo, surface: &[[u32; 3]], setup: &Frames) -> Self {
        let vertices = std::mem::take(&mut info.given.vertices);
        let mut faces = Faces {
            ends: std::mem::take(&mut info.given.ends),
            corners: std::mem::take(&mut info.given.corners),
            uvs: std::mem::take(&mut info.given.uvs),
            of_triangle: std::mem::take(&mut info.given.of_triangle),
        };
        if faces.ends.is_empty() {
            faces = Faces::of_triangles(surface, &info.uv_triangles);
        } else if !vertices.is_empty() {
            renumber(info, &faces, &vertices);
        }
        info.rest = if vertices.is_empty() { std::mem::take(&mut info.rest) } else { pick(&vertices, &info.rest) };
        info.rest.iter_mut().for_each(|p| *p = setup.point(*p));
        Written { vertices, faces }
    }
}

/// Gives the triangles the numbers that their corners have in the file.
fn renumber(info: &mut ObjectInfo, faces: &Faces, vertices: &[u32]) {
    let spans: Vec<_> = faces.spans().collect();
    for (t, triangle) in info.triangles.iter_mut().enumerate() {
        let Some(span) = faces.of_triangle.get(t).and_then(|&face| spans.get(face as usize)) else { continue };
        for (k, vertex) in triangle.iter_mut().enumerate() {
            let uv = info.uv_triangles.get(t).map(|uvs| uvs[k]);
            let fits = |&at: &usize| vertices[faces.corners[at] as usize] == *vertex;
            let same_uv = |&at: &usize| faces.uvs.get(at).copied() == uv;
            let found = span.clone().filter(fits).find(same_uv).or_else(|| span.clone().find(fits));
            *vertex = found.map_or(*vertex, |at| faces.corners[at]);
        }
    }
}

fn pick<T: Copy>(vertices: &[u32], values: &[T]) -> Vec<T> {
    vertices.iter().map(|&vertex| values[vertex as usize]).collect()
}

/// The axes and units of the files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames {
    up: UpAxis,
    units_per_metre: f64,
}

impl Frames {
    pub(crate) fn of(setup: &Setup) -> Self {
        let metres = setup.metres_per_unit;
        // A tenth of a millimetre is 10000 units, to the bit.
        let inverse = (1.0 / metres).round();
        let units_per_metre = if inverse * metres == 1.0 { inverse } else { 1.0 / metres };
        Self { up: setup.up_axis, units_per_metre }
    }

    fn as_they_are(self) -> bool {
        self.up == UpAxis::Y && self.units_per_metre == 1.0
    }

    /// A point or velocity in metres with y up, as files have it.
    pub(crate) fn point(self, p: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = match self.up {
            UpAxis::Y => p,
            // Not −0.
            UpAxis::Z => [p[0], 0.0 - p[2], p[1]],
        };
        let k = self.units_per_metre;
        if k == 1.0 { [x, y, z] } else { [x * k, y * k, z * k] }
    }
}

/// What one object is in one frame, as written.
#[derive(Default)]
struct Owned {
    positions: Vec<[f64; 3]>,
    velocities: Vec<[f64; 3]>,
    fields: Vec<Vec<f64>>,
}

/// Hands on a frame as it is written.
pub(crate) fn with_written<T>(
    frame: &Frame,
    objects: &[ObjectInfo],
    written: &[Written],
    frames: Frames,
    take: impl FnOnce(&Frame) -> T,
) -> T {
    if frames.as_they_are() && written.iter().all(|object| object.vertices.is_empty()) {
        return take(frame);
    }
    let owned: Vec<Owned> =
        frame.objects.iter().zip(objects).zip(written).map(|((o, info), w)| expand(o, info, w, frames)).collect();
    let fields: Vec<Vec<&[f64]>> = owned.iter().map(|o| o.fields.iter().map(Vec::as_slice).collect()).collect();
    let shown = owned.iter().zip(&fields).map(|(o, fields)| ObjectFrame {
        positions: &o.positions,
        velocities: &o.velocities,
        fields,
    });
    let shown: Vec<ObjectFrame> = shown.collect();
    take(&Frame { objects: &shown, ..*frame })
}

fn expand(object: &ObjectFrame, info: &ObjectInfo, written: &Written, frames: Frames) -> Owned {
    let points = |values: &[[f64; 3]]| -> Vec<[f64; 3]> {
        match (values.is_empty(), written.vertices.is_empty()) {
            (true, _) => Vec::new(),
            (_, true) => values.iter().map(|&p| frames.point(p)).collect(),
            (_, false) => written.vertices.iter().map(|&v| frames.point(values[v as usize])).collect(),
        }
    };
    let field = |(on, values): (FieldOn, &&[f64])| match on {
        FieldOn::Vertices if !written.vertices.is_empty() => pick(&written.vertices, values),
        _ => values.to_vec(),
    };
    let kinds = info.fields.iter().map(|field| field.on);
    Owned {
        positions: points(object.positions),
        velocities: points(object.velocities),
        fields: kinds.zip(object.fields).map(field).collect(),
    }
}
