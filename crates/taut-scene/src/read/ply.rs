//! PLY: text, and binary of either byte order.
//!
//! Read are the vertices' positions and texture coordinates (`s t`, `u v` or `texture_u texture_v`), the faces' corners
//! and per-corner texture coordinates (`texcoord`), and triangle strips; all other numbers of vertices but normals are
//! maps. All else is skipped.

use taut::mesh::TriMesh;

use super::budget::{held, held_after};
use super::bytes::Bytes;
use super::error::{ReadError, Result, count, quote};
use super::given::Given;
use super::maps::Columns;
use super::polygon::Triangulator;
use super::text::{Scanner, parse_number};
use super::{MeshFile, Options, Source};

/// Bytes and meaning of one number.
#[derive(Clone, Copy, PartialEq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn parse(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// What a property means to us.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Position(usize),
    Uv(usize),
    Corners,
    CornerUvs,
    Strips,
    /// A map, by its number.
    Map(usize),
    Skip,
}

struct Property {
    name: String,
    scalar: Scalar,
    /// For a list: how its length is stored.
    length: Option<Scalar>,
    role: Role,
}

struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

/// Numbers of the data part, text or binary.
enum Body<'a> {
    Text(Scanner<'a>),
    Binary(Bytes<'a>),
}

pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r\n")
}

pub(super) fn read(source: &Source, _: &Options) -> Result<MeshFile> {
    let mut scanner = Scanner::new(source.name, source.bytes);
    let (format, mut elements) = read_header(&mut scanner)?;
    let mut body = match format {
        "PLY text" => Body::Text(scanner),
        _ => Body::Binary(Bytes::new(source.name, source.bytes, scanner.offset(), format == "PLY binary, big-endian")),
    };
    let vertices = elements.iter().find(|e| e.name == "vertex").map_or(0, |e| e.count);
    let mut content = Content { claimed_vertices: vertices, ..Content::default() };
    content.find_maps(&mut elements);
    content.ignored = ignored(&elements);
    for element in &elements {
        content.read_element(element, &mut body, source)?;
    }
    content.finish(source, format)
}

fn read_header(scanner: &mut Scanner) -> Result<(&'static str, Vec<Element>)> {
    scanner.expect("ply")?;
    let mut format = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let word = scanner.expect_word("\"end_header\"")?;
        match word {
            b"format" => format = Some(read_format(scanner)?),
            b"comment" | b"obj_info" => {}
            b"element" => {
                let name = String::from_utf8_lossy(scanner.expect_word("the element's name")?).into_owned();
                let found = scanner.integer("the number of elements")?;
                let Ok(count) = u64::try_from(found) else {
                    return Err(scanner.fail(format!("the number of elements is {found}, expected 0 or more")));
                };
                elements.push(Element { name, count, properties: Vec::new() });
            }
            b"property" => {
                let Some(element) = elements.last_mut() else {
                    return Err(scanner.fail("found a property before the first element"));
                };
                element.properties.push(read_property(scanner, &element.name)?);
            }
            b"end_header" => break,
            _ => return Err(scanner.fail(format!("found {}, expected \"element\" or \"property\"", quote(word)))),
        }
        scanner.next_line();
    }
    let format = format.ok_or_else(|| scanner.fail("the header has no \"format\" line"))?;
    scanner.next_line();
    Ok((format, elements))
}

fn read_format(scanner: &mut Scanner) -> Result<&'static str> {
    match scanner.expect_word("the format")? {
        b"ascii" => Ok("PLY text"),
        b"binary_little_endian" => Ok("PLY binary, little-endian"),
        b"binary_big_endian" => Ok("PLY binary, big-endian"),
        found => Err(scanner.fail(format!(
            "the format is {}, expected ascii, binary_little_endian or binary_big_endian",
            quote(found)
        ))),
    }
}

fn read_property(scanner: &mut Scanner, element: &str) -> Result<Property> {
    let scalar = |scanner: &mut Scanner, word: &[u8]| {
        Scalar::parse(word).ok_or_else(|| scanner.fail(format!("{} is no type of number", quote(word))))
    };
    let mut word = scanner.expect_word("a type")?;
    let mut length = None;
    if word == b"list" {
        let stored = scanner.expect_word("the type of the list's length")?;
        let stored = scalar(scanner, stored)?;
        if matches!(stored, Scalar::F32 | Scalar::F64) {
            return Err(scanner.fail("the type of a list's length is a float, expected a whole number type"));
        }
        length = Some(stored);
        word = scanner.expect_word("the type of the list's items")?;
    }
    let scalar = scalar(scanner, word)?;
    let name = String::from_utf8_lossy(scanner.expect_word("the property's name")?).into_owned();
    let role = match (element, length.is_some(), name.as_str()) {
        ("vertex", false, "x") => Role::Position(0),
        ("vertex", false, "y") => Role::Position(1),
        ("vertex", false, "z") => Role::Position(2),
        ("vertex", false, "s" | "u" | "texture_u") => Role::Uv(0),
        ("vertex", false, "t" | "v" | "texture_v") => Role::Uv(1),
        ("face", true, "vertex_indices" | "vertex_index") => Role::Corners,
        ("face", true, "texcoord") => Role::CornerUvs,
        ("tristrips", true, "vertex_indices" | "vertex_index") => Role::Strips,
        _ => Role::Skip,
    };
    Ok(Property { name, scalar, length, role })
}

impl Property {
    /// A number of a map. Channels of colours are written in bytes, and mean 0 to 1.
    fn painted(&self, value: f64) -> f32 {
        let byte = self.scalar == Scalar::U8 && matches!(self.name.as_str(), "red" | "green" | "blue" | "alpha");
        if byte { (value / 255.0) as f32 } else { value as f32 }
    }
}

impl Body<'_> {
    /// Each row of a text file stands on its own line.
    fn start_row(&mut self, element: &str) -> Result<()> {
        let Self::Text(scanner) = self else { return Ok(()) };
        while scanner.line_is_done() {
            if !scanner.next_line() {
                return Err(scanner.fail(format!("the file ends where another {element} is expected")));
            }
        }
        Ok(())
    }

    fn end_row(&mut self) {
        if let Self::Text(scanner) = self {
            scanner.next_line();
        }
    }

    fn value(&mut self, scalar: Scalar, what: &str) -> Result<f64> {
        match self {
            Self::Text(scanner) => {
                let Some(word) = scanner.word() else {
                    return Err(scanner.fail(format!("the line ends where {what} is expected")));
                };
                parse_number(word).ok_or_else(|| scanner.fail(format!("{what} is {}, expected a number", quote(word))))
            }
            Self::Binary(bytes) => Ok(match scalar {
                Scalar::I8 => bytes.i8(what)?.into(),
                Scalar::U8 => bytes.u8(what)?.into(),
                Scalar::I16 => bytes.i16(what)?.into(),
                Scalar::U16 => bytes.u16(what)?.into(),
                Scalar::I32 => bytes.i32(what)?.into(),
                Scalar::U32 => bytes.u32(what)?.into(),
                Scalar::F32 => bytes.f32(what)?.into(),
                Scalar::F64 => bytes.f64(what)?,
            }),
        }
    }

    /// A list's length, which is at most what the rest of the file can hold.
    fn length(&mut self, length: Scalar, item: Scalar, what: &str) -> Result<usize> {
        let found = self.value(length, what)?;
        if found < 0.0 || found.fract() != 0.0 || !found.is_finite() {
            return Err(self.fail(format!("the length of {what} is {found}, expected a whole number")));
        }
        match self {
            Self::Text(scanner) if found as usize > scanner.remaining() => {
                let left = scanner.remaining();
                Err(scanner.fail(format!("{what} claims {found} items, but only {left} bytes follow")))
            }
            Self::Text(_) => Ok(found as usize),
            Self::Binary(bytes) => bytes.room_for(found as u64, item.size(), "list items"),
        }
    }

    fn fail(&self, message: String) -> ReadError {
        match self {
            Self::Text(scanner) => scanner.fail(message),
            Self::Binary(bytes) => bytes.fail(message),
        }
    }
}

/// What has been read so far.
#[derive(Default)]
struct Content {
    claimed_vertices: u64,
    positions: Vec<[f64; 3]>,
    uvs: Vec<[f64; 2]>,
    /// The vertices of all faces, one after another, and where each face ends.
    corners: Vec<u32>,
    ends: Vec<usize>,
    /// For each corner, if every face has them.
    corner_uvs: Vec<[f64; 2]>,
    faces_with_uvs: usize,
    strips: Vec<[u32; 3]>,
    maps: Columns,
    /// Names of properties that nothing is made of.
    ignored: Vec<String>,
}

const NORMALS: [&str; 3] = ["nx", "ny", "nz"];

/// Vertices' and faces' properties that nothing is made of, but for those that say how things look.
fn ignored(elements: &[Element]) -> Vec<String> {
    const LOOKS: [&str; 8] = [NORMALS[0], NORMALS[1], NORMALS[2], "red", "green", "blue", "alpha", "flags"];
    let ours = elements.iter().filter(|element| matches!(element.name.as_str(), "vertex" | "face"));
    let skipped = ours.flat_map(|element| &element.properties).filter(|property| property.role == Role::Skip);
    let names = skipped.map(|property| property.name.as_str()).filter(|name| !LOOKS.contains(name));
    names.take(super::MOST_NAMES).map(str::to_owned).collect()
}

impl Content {
    /// Bytes of memory that it takes.
    fn held(&self) -> usize {
        let faces = held(&self.corners) + held(&self.ends) + held(&self.corner_uvs) + held(&self.strips);
        // Columns grow together.
        held(&self.positions) + held(&self.uvs) + faces + self.maps.held()
    }

    /// What a list of so many items adds to it, bytes: the items as read, and what they mean.
    fn held_by_list(&self, role: Role, items: usize) -> usize {
        let meaning = match role {
            Role::Corners => held_after(&self.corners, items).saturating_sub(held(&self.corners)),
            Role::CornerUvs => held_after(&self.corner_uvs, items).saturating_sub(held(&self.corner_uvs)),
            // A part of a strip is a list of its own for a while.
            Role::Strips => {
                let triangles = held_after(&self.strips, items).saturating_sub(held(&self.strips));
                triangles.saturating_add(items.saturating_mul(8))
            }
            _ => 0,
        };
        meaning.saturating_add(items.saturating_mul(16))
    }

    /// Makes maps of the numbers of vertices that mean nothing else.
    fn find_maps(&mut self, elements: &mut [Element]) {
        let vertices = elements.iter_mut().filter(|element| element.name == "vertex");
        let numbers = vertices.flat_map(|element| &mut element.properties).filter(|property| {
            property.role == Role::Skip && property.length.is_none() && !NORMALS.contains(&property.name.as_str())
        });
        for property in numbers {
            if let Some(id) = self.maps.id(&property.name) {
                property.role = Role::Map(id);
            }
        }
    }

    fn read_element(&mut self, element: &Element, body: &mut Body, source: &Source) -> Result<()> {
        // Rows without properties take no bytes: a claimed count of 2⁶⁴ would keep us here forever.
        if element.properties.is_empty() {
            return Ok(());
        }
        let least: usize = element.properties.iter().map(|p| p.length.unwrap_or(p.scalar).size()).sum();
        if let Body::Binary(bytes) = body {
            bytes.room_for(element.count, least, &format!("elements of kind {}", quote(element.name.as_bytes())))?;
        }
        let has_uvs = element.name == "vertex"
            && [0, 1].iter().all(|&k| element.properties.iter().any(|p| p.role == Role::Uv(k)));
        let mut items = Vec::new();
        for _ in 0..element.count {
            body.start_row(&element.name)?;
            if element.name == "vertex" {
                self.maps.grow(1);
            }
            let (mut position, mut uv) = ([0.0; 3], [0.0; 2]);
            let faces_before = self.ends.len();
            for property in &element.properties {
                let target = match property.role {
                    Role::Position(axis) => &mut position[axis],
                    Role::Uv(axis) => &mut uv[axis],
                    Role::Map(map) => {
                        let value = property.painted(body.value(property.scalar, &property.name)?);
                        self.maps.set(map, self.positions.len(), value);
                        continue;
                    }
                    _ => {
                        self.read_other(property, body, source, &mut items)?;
                        continue;
                    }
                };
                *target = body.value(property.scalar, &property.name)?;
                if !target.is_finite() {
                    let message = format!("{} is {target}, expected a finite number", property.name);
                    return Err(body.fail(message));
                }
            }
            body.end_row();
            source.budget.check(source.name, self.held() + held(&items))?;
            if element.name == "vertex" {
                self.positions.push(position);
                if has_uvs {
                    self.uvs.push(uv);
                }
            }
            if self.ends.len() > faces_before + 1 {
                return Err(body.fail("a face has two lists of vertices".into()));
            }
        }
        Ok(())
    }

    /// Lists, and numbers without a meaning to us.
    fn read_other(
        &mut self,
        property: &Property,
        body: &mut Body,
        source: &Source,
        items: &mut Vec<f64>,
    ) -> Result<()> {
        let Some(stored) = property.length else {
            return body.value(property.scalar, &property.name).map(|_| ());
        };
        let length = body.length(stored, property.scalar, &property.name)?;
        items.clear();
        let more = self.held_by_list(property.role, length);
        source.budget.check(source.name, self.held().saturating_add(more))?;
        for _ in 0..length {
            items.push(body.value(property.scalar, &property.name)?);
        }
        match property.role {
            Role::Corners => self.face(items, body),
            Role::CornerUvs => self.face_uvs(items, body),
            Role::Strips => self.strip(items, body),
            _ => Ok(()),
        }
    }

    fn face(&mut self, items: &[f64], body: &Body) -> Result<()> {
        if items.len() < 3 {
            let found = count(items.len(), "corner", "corners");
            return Err(body.fail(format!("face has {found}, expected 3 or more")));
        }
        for &item in items {
            let vertex = self.vertex(item, body)?;
            self.corners.push(vertex);
        }
        self.ends.push(self.corners.len());
        Ok(())
    }

    fn vertex(&self, item: f64, body: &Body) -> Result<u32> {
        if item >= 0.0 && item < self.claimed_vertices as f64 && item.fract() == 0.0 && item <= f64::from(u32::MAX) {
            return Ok(item as u32);
        }
        Err(body.fail(match self.claimed_vertices {
            0 => format!("face refers to vertex {item}, but the file has no vertices"),
            n => format!("face refers to vertex {item}, but the file has vertices 0 to {}", n - 1),
        }))
    }

    /// Numbers u v u v… for the corners of the face in this row, whichever of the two lists comes first.
    fn face_uvs(&mut self, items: &[f64], body: &Body) -> Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        if let Some(bad) = items.iter().find(|x| !x.is_finite()) {
            return Err(body.fail(format!("texcoord is {bad}, expected a finite number")));
        }
        self.corner_uvs.extend(items.chunks_exact(2).map(|uv| [uv[0], uv[1]]));
        self.faces_with_uvs += 1;
        Ok(())
    }

    /// A strip of triangles; −1 starts a new one.
    fn strip(&mut self, items: &[f64], body: &Body) -> Result<()> {
        for part in items.split(|&item| item == -1.0) {
            let vertices = part.iter().map(|&item| self.vertex(item, body)).collect::<Result<Vec<_>>>()?;
            let triangles = vertices.windows(3).enumerate().map(|(i, w)| match i % 2 {
                0 => [w[0], w[1], w[2]],
                _ => [w[1], w[0], w[2]],
            });
            // Strips turn corners by repeating vertices.
            self.strips.extend(triangles.filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]));
        }
        Ok(())
    }

    fn finish(self, source: &Source, format: &'static str) -> Result<MeshFile> {
        let file = source.name;
        if self.positions.is_empty() {
            return Err(ReadError::file(file, "the file holds no vertices"));
        }
        if self.ends.is_empty() && self.strips.is_empty() {
            let found = count(self.positions.len(), "vertex", "vertices");
            return Err(ReadError::file(file, format!("found {found}, but no faces")));
        }
        let mut warnings: Vec<String> = super::ignored_attributes(&self.ignored).into_iter().collect();
        let per_corner = self.faces_with_uvs == self.ends.len()
            && self.corner_uvs.len() == self.corners.len()
            && self.strips.is_empty();
        if self.faces_with_uvs > 0 && !per_corner {
            warnings.push("not every corner of every face has texture coordinates: they are ignored".into());
        }
        let triangles = self.corners.len() - 2 * self.ends.len() + self.strips.len();
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let most = starts.zip(&self.ends).map(|(start, end)| end - start).max().unwrap_or(0);
        // Texture coordinates have triangles of their own.
        let given = Given::held_by(self.corners.len(), self.ends.len(), triangles);
        source.budget.check(file, self.held() + 24 * triangles + Triangulator::held_by(most) + given)?;
        let mut given = Given::with_room(self.corners.len(), self.ends.len(), triangles, per_corner);
        let mut triangulator = Triangulator::default();
        let mut mesh = TriMesh { positions: self.positions, ..TriMesh::default() };
        mesh.triangles.reserve_exact(triangles);
        mesh.uv_triangles.reserve_exact(if per_corner { triangles } else { 0 });
        let (mut outline, mut split, mut start) = (Vec::new(), Vec::new(), 0);
        for &end in &self.ends {
            let corners = &self.corners[start..end];
            outline.clear();
            outline.reserve_exact(corners.len());
            outline.extend(corners.iter().map(|&v| mesh.positions[v as usize]));
            split.clear();
            triangulator.split(&outline, &mut split);
            mesh.triangles.extend(split.iter().map(|t| t.map(|i| corners[i])));
            given.push(corners.iter().copied(), split.len());
            if per_corner {
                mesh.uv_triangles.extend(split.iter().map(|t| t.map(|i| (start + i) as u32)));
                given.uvs.extend(start as u32..end as u32);
            }
            start = end;
        }
        self.strips.iter().for_each(|strip| given.push(*strip, 1));
        mesh.triangles.extend(self.strips);
        if per_corner {
            mesh.uvs = self.corner_uvs;
        } else if !self.uvs.is_empty() {
            mesh.uv_triangles = mesh.triangles.clone();
            mesh.uvs = self.uvs;
            given.uvs = given.corners.clone();
        }
        given.tidy();
        let maps = self.maps.finish();
        Ok(MeshFile { format, surface: Some(mesh), given, maps, warnings, ..MeshFile::default() })
    }
}
