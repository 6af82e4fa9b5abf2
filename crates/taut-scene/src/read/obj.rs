//! Wavefront OBJ: positions, texture coordinates per corner, groups, materials.
//!
//! Faces may refer to vertices that come later in the file, so they are collected first and split into triangles
//! at the end. Normals, lines, points and curves are skipped.

use taut::mesh::TriMesh;

use super::budget::held;
use super::error::{ReadError, Result, count, quote};
use super::given::Given;
use super::groups::{Groups, MAX_GROUPS_AT_ONCE};
use super::maps::Map;
use super::parts::{Part, PartKind};
use super::polygon::Triangulator;
use super::text::{Scanner, parse_integer};
use super::{MeshFile, Options, Source};

/// What the format is called.
pub(super) const FORMAT: &str = "Wavefront OBJ";

/// Characters of an object's name that are kept.
const MAX_NAME: usize = 200;

/// Stands for "this corner has no texture coordinate".
const NO_UV: u32 = u32::MAX;

/// A face as the file has it.
struct Face {
    line: u64,
    /// Where its corners end in the list of all corners; they start where the previous face's end.
    end: usize,
    /// Which of the group statements it stands under.
    section: usize,
    /// Which material it has.
    material: Option<usize>,
}

#[derive(Default)]
struct Parser {
    positions: Vec<[f64; 3]>,
    uvs: Vec<[f64; 2]>,
    /// Colours that some programs write after a position, red, green and blue.
    colours: Vec<[f32; 3]>,
    /// Vertex and texture coordinate of each corner of each face.
    corners: Vec<[u32; 2]>,
    faces: Vec<Face>,
    groups: Groups,
    materials: Groups,
    object: Option<usize>,
    /// The name of the first object, and how many objects there are, a name each time it appears.
    objects: (String, usize),
    /// Whether any face is in a group of a `g` line.
    grouped: bool,
    material: Option<usize>,
    /// The groups of each stretch of faces.
    sections: Vec<Vec<usize>>,
    crowded: usize,
    /// Lines, points, curves and curved surfaces.
    not_faces: usize,
}

pub(super) fn read(source: &Source, _: &Options) -> Result<MeshFile> {
    let mut parser = Parser::default();
    parser.sections.push(Vec::new());
    parser.parse(source)?;
    parser.finish(source)
}

/// Only the vertex positions, for the frames of a sequence.
pub(super) fn read_positions(source: &Source) -> Result<Vec<[f64; 3]>> {
    let mut scanner = scanner(source);
    let mut positions = Vec::new();
    loop {
        if scanner.word() == Some(b"v") {
            positions.push(position(&mut scanner)?);
            source.budget.check(source.name, held(&positions))?;
        }
        if !scanner.next_line() {
            return Ok(positions);
        }
    }
}

fn scanner<'a>(source: &Source<'a>) -> Scanner<'a> {
    Scanner::new(source.name, source.bytes).with_comments(b'#').with_continuation()
}

fn position(scanner: &mut Scanner) -> Result<[f64; 3]> {
    Ok([scanner.number_here("x")?, scanner.number_here("y")?, scanner.number_here("z")?])
}

impl Parser {
    fn parse(&mut self, source: &Source) -> Result<()> {
        let mut scanner = scanner(source);
        loop {
            match scanner.word() {
                Some(b"v") => {
                    self.positions.push(position(&mut scanner)?);
                    self.colour(&mut scanner);
                }
                Some(b"vt") => {
                    let u = scanner.number_here("u")?;
                    let v = if scanner.line_is_done() { 0.0 } else { scanner.number_here("v")? };
                    self.uvs.push([u, v]);
                }
                // "fo" is what very old files call a face.
                Some(b"f" | b"fo") => self.face(source, &mut scanner)?,
                Some(b"g") => self.group(&mut scanner),
                Some(b"o") => self.named_object(&mut scanner),
                Some(b"usemtl") => self.named_material(&mut scanner),
                Some(b"l" | b"p" | b"curv" | b"curv2" | b"surf") => self.not_faces += 1,
                _ => {}
            }
            source.budget.check(source.name, self.held())?;
            if !scanner.next_line() {
                return Ok(());
            }
        }
    }

    /// Bytes of memory that it takes.
    fn held(&self) -> usize {
        let lists =
            held(&self.positions) + held(&self.uvs) + 2 * held(&self.colours) + held(&self.corners) + held(&self.faces);
        // The names of a section are a list of their own.
        let sections = held(&self.sections) + self.sections.len() * size_of::<[usize; MAX_GROUPS_AT_ONCE]>();
        lists + sections + self.groups.held() + self.materials.held()
    }

    /// Three numbers after a position are a colour; with four the first is a weight.
    fn colour(&mut self, scanner: &mut Scanner) {
        let (mut numbers, mut many) = ([0.0_f32; 4], 0);
        while let Some(number) = scanner.word().and_then(super::text::parse_number).filter(|_| many < 4) {
            numbers[many] = number as f32;
            many += 1;
        }
        if many >= 3 {
            self.colours.push([numbers[many - 3], numbers[many - 2], numbers[many - 1]]);
        }
    }

    fn face(&mut self, source: &Source, scanner: &mut Scanner) -> Result<()> {
        let start = self.corners.len();
        while let Some(word) = scanner.word() {
            let mut parts = word.split(|&b| b == b'/');
            let vertex = parts.next().unwrap_or_default();
            let vertex = index(scanner, vertex, self.positions.len(), "vertex", "vertices")?;
            let uv = match parts.next() {
                None | Some(b"") => NO_UV,
                Some(uv) => index(scanner, uv, self.uvs.len(), "texture coordinate", "texture coordinates")?,
            };
            self.corners.push([vertex, uv]);
            if self.corners.len() == self.corners.capacity() {
                source.budget.check(source.name, self.held())?;
            }
        }
        let found = self.corners.len() - start;
        if found < 3 {
            return Err(scanner.fail(format!("face has {}, expected 3 or more", count(found, "corner", "corners"))));
        }
        let section = self.sections.len() - 1;
        self.faces.push(Face {
            line: scanner.line_number(),
            end: self.corners.len(),
            section,
            material: self.material,
        });
        Ok(())
    }

    /// `g name name…`: the faces that follow are in these groups and in the current object.
    fn group(&mut self, scanner: &mut Scanner) {
        let mut names: Vec<usize> = self.object.into_iter().collect();
        while let Some(word) = scanner.word() {
            // Blender writes "(null)" for faces in no group.
            if word == b"(null)" || word == b"off" {
                continue;
            }
            if names.len() >= MAX_GROUPS_AT_ONCE {
                self.crowded += 1;
                break;
            }
            names.push(self.groups.id(&String::from_utf8_lossy(word)));
            self.grouped = true;
        }
        names.dedup();
        self.sections.push(names);
    }

    /// `o name`: a new object; its name may hold blanks.
    fn named_object(&mut self, scanner: &mut Scanner) {
        let name = String::from_utf8_lossy(scanner.rest_of_line());
        self.object = (!name.is_empty()).then(|| self.groups.id(&name));
        if self.objects.1 == 0 {
            self.objects.0 = name.chars().take(MAX_NAME).collect();
        }
        self.objects.1 += 1;
        self.sections.push(self.object.into_iter().collect());
    }

    /// `usemtl name`: what the faces that follow are made of.
    fn named_material(&mut self, scanner: &mut Scanner) {
        let name = String::from_utf8_lossy(scanner.rest_of_line());
        self.material = (!name.is_empty()).then(|| self.materials.id(&name));
    }

    fn finish(mut self, source: &Source) -> Result<MeshFile> {
        let file = source.name;
        if self.positions.is_empty() {
            return Err(ReadError::file(file, "no vertices found (lines that start with \"v\"): is this an OBJ file?"));
        }
        if self.faces.is_empty() {
            let found = count(self.positions.len(), "vertex", "vertices");
            return Err(ReadError::file(file, format!("found {found}, but no faces (lines that start with \"f\")")));
        }
        self.check_indices(file)?;
        let mut warnings = Vec::new();
        let bare = self.faces_without_uv();
        if bare > 0 && bare < self.faces.len() {
            warnings.push(format!(
                "{bare} of {} faces have no texture coordinates; those of the others are ignored",
                self.faces.len()
            ));
        }
        if self.crowded > 0 {
            let most = MAX_GROUPS_AT_ONCE;
            warnings
                .push(format!("{} of \"g\" lines name more than {most} groups; the rest are ignored", self.crowded));
        }
        if self.not_faces > 0 {
            let many = count(self.not_faces, "line, point or curve is", "lines, points and curves are");
            warnings.push(format!("{many} ignored: only faces are used"));
        }
        let maps = self.take_maps(&mut warnings);
        if source.bytes.starts_with(b"# Blender") && self.grouped {
            warnings.push(
                "its groups are sets of faces: a vertex group that was painted in Blender arrives as all vertices of all \
                 faces that it mostly covers; glTF with attributes, or PLY, has the painted numbers"
                    .into(),
            );
        }
        let (surface, parts, given) = self.triangulate(source, bare == 0, &mut warnings)?;
        Ok(MeshFile { format: FORMAT, surface: Some(surface), parts, given, maps, warnings, ..MeshFile::default() })
    }

    /// The colours, if every vertex has one.
    fn take_maps(&mut self, warnings: &mut Vec<String>) -> Vec<Map> {
        let colours = std::mem::take(&mut self.colours);
        if colours.len() != self.positions.len() {
            let (some, all) = (colours.len(), self.positions.len());
            warnings.extend((some > 0).then(|| format!("{some} of {all} vertices have a colour: they are ignored")));
            return Vec::new();
        }
        let channel = |(k, name): (usize, &str)| Map {
            name: name.to_owned(),
            values: colours.iter().map(|colour| colour[k]).collect(),
        };
        ["red", "green", "blue"].into_iter().enumerate().map(channel).collect()
    }

    fn check_indices(&self, file: &str) -> Result<()> {
        let mut start = 0;
        for face in &self.faces {
            for &[vertex, uv] in &self.corners[start..face.end] {
                let what = if vertex as usize >= self.positions.len() {
                    (vertex, "vertex", self.positions.len(), "vertex", "vertices")
                } else if uv != NO_UV && uv as usize >= self.uvs.len() {
                    (uv, "texture coordinate", self.uvs.len(), "texture coordinate", "texture coordinates")
                } else {
                    continue;
                };
                let (found, name, held, one, many) = what;
                let held = count(held, one, many);
                let message = format!("face refers to {name} {}, but the file has {held}", u64::from(found) + 1);
                return Err(ReadError::line(file, face.line, message));
            }
            start = face.end;
        }
        Ok(())
    }

    fn faces_without_uv(&self) -> usize {
        let mut start = 0;
        let is_bare = |face: &&Face| {
            let corners = &self.corners[start..face.end];
            start = face.end;
            corners.iter().any(|corner| corner[1] == NO_UV)
        };
        self.faces.iter().filter(is_bare).count()
    }

    fn triangulate(
        mut self,
        source: &Source,
        with_uvs: bool,
        warnings: &mut Vec<String>,
    ) -> Result<(TriMesh, Vec<Part>, Given)> {
        let triangles = self.corners.len() - 2 * self.faces.len();
        let starts = std::iter::once(0).chain(self.faces.iter().map(|face| face.end));
        let most = starts.zip(&self.faces).map(|(start, face)| face.end - start).max().unwrap_or(0);
        // The corners go into their groups once more.
        let given = Given::held_by(self.corners.len(), self.faces.len(), triangles);
        let split = triangles * if with_uvs { 24 } else { 12 } + Triangulator::held_by(most) + given;
        let before = self.held() - self.groups.held() - self.materials.held();
        let budget = |groups: &Groups, materials: &Groups| {
            source.budget.check(source.name, before + split + groups.held() + materials.held())
        };
        budget(&self.groups, &self.materials)?;
        let mut mesh = TriMesh { positions: self.positions, ..TriMesh::default() };
        mesh.triangles.reserve_exact(triangles);
        mesh.uv_triangles.reserve_exact(if with_uvs { triangles } else { 0 });
        let mut given = Given::with_room(self.corners.len(), self.faces.len(), triangles, with_uvs);
        let mut triangulator = Triangulator::default();
        let (mut outline, mut split, mut start) = (Vec::new(), Vec::new(), 0);
        for face in &self.faces {
            let corners = &self.corners[start..face.end];
            start = face.end;
            outline.clear();
            outline.reserve_exact(corners.len());
            outline.extend(corners.iter().map(|c| mesh.positions[c[0] as usize]));
            split.clear();
            triangulator.split(&outline, &mut split);
            let first = mesh.triangles.len() as u32;
            mesh.triangles.extend(split.iter().map(|t| t.map(|i| corners[i][0])));
            let added = first..mesh.triangles.len() as u32;
            given.push(corners.iter().map(|c| c[0]), split.len());
            if with_uvs {
                given.uvs.extend(corners.iter().map(|c| c[1]));
                mesh.uv_triangles.extend(split.iter().map(|t| t.map(|i| corners[i][1])));
            }
            for &group in &self.sections[face.section] {
                self.groups.add(group, corners.iter().map(|c| c[0]));
                self.groups.add_triangles(group, added.clone());
            }
            if let Some(material) = face.material {
                self.materials.add_triangles(material, added);
            }
            budget(&self.groups, &self.materials)?;
        }
        if triangulator.fanned > 0 {
            let found = count(triangulator.fanned, "polygon crosses", "polygons cross");
            warnings.push(format!("{found} themselves or are too complex: their triangles may overlap"));
        }
        mesh.uvs = if with_uvs { self.uvs } else { Vec::new() };
        let mut parts = self.groups.take_parts(PartKind::Group);
        parts.extend(self.materials.take_parts(PartKind::Material));
        mesh.groups = self.groups.finish();
        given.object = Some(self.objects.0).filter(|_| self.objects.1 == 1);
        given.tidy();
        Ok((mesh, parts, given))
    }
}

/// An index from 0 out of one from 1, or out of a negative one that counts back from the `held` elements so far.
/// Whether a positive index is in range shows only at the end of the file.
fn index(scanner: &Scanner, word: &[u8], held: usize, one: &str, many: &str) -> Result<u32> {
    let Some(found) = parse_integer(word) else {
        return Err(scanner.fail(format!("face refers to {one} {}, expected a whole number", quote(word))));
    };
    let zero_based = match found {
        1.. => found - 1,
        0 => return Err(scanner.fail(format!("face refers to {one} 0, but OBJ counts from 1"))),
        _ => match held as i64 + found {
            index @ 0.. => index,
            _ => {
                let held = count(held, one, many);
                return Err(scanner.fail(format!("face refers to {one} {found}, but only {held} come before it")));
            }
        },
    };
    match u32::try_from(zero_based) {
        Ok(index) if index != NO_UV => Ok(index),
        _ => Err(scanner.fail(format!("face refers to {one} {found}, which is more than any file can hold"))),
    }
}
