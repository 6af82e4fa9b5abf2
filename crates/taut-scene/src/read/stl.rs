//! STL, text and binary. Vertices at the same place become one.

use taut::mesh::TriMesh;

use super::budget::{held, held_by_map};
use super::bytes::Bytes;
use super::error::{ReadError, Result, count};
use super::groups::Groups;
use super::text::Scanner;
use super::{MeshFile, Options, Source};
use std::collections::HashMap;

/// A binary file's free text and its number of triangles.
const HEADER: usize = 84;
/// A normal, three corners, and two bytes that mean different things to different programs.
const TRIANGLE: usize = 50;

/// Makes one vertex out of all corners with equal coordinates.
#[derive(Default)]
struct Welder {
    mesh: TriMesh,
    known: HashMap<[u64; 3], u32>,
}

impl Welder {
    /// Refuses a mesh that has become too large.
    fn check(&self, source: &Source) -> Result<()> {
        let lists = held(&self.mesh.positions) + held(&self.mesh.triangles);
        let known = held_by_map(&self.known);
        source.budget.check(source.name, lists + known)
    }

    fn vertex(&mut self, position: [f64; 3]) -> u32 {
        // Adding 0 turns −0 into 0: they are the same place.
        let position = position.map(|x| x + 0.0);
        *self.known.entry(position.map(f64::to_bits)).or_insert_with(|| {
            self.mesh.positions.push(position);
            // Three corners take 36 bytes or more, so that the largest file has fewer than 2³² of them.
            self.mesh.positions.len() as u32 - 1
        })
    }
}

pub(super) fn read(source: &Source, _: &Options) -> Result<MeshFile> {
    let (format, surface, warnings) = if is_text(source.bytes) {
        ("STL text", read_text(source)?, Vec::new())
    } else {
        let (surface, warnings) = read_binary(source)?;
        ("STL binary", surface, warnings)
    };
    if surface.triangles.is_empty() {
        return Err(ReadError::file(source.name, "the file holds no triangles"));
    }
    Ok(MeshFile { format, surface: Some(surface), warnings, ..MeshFile::default() })
}

/// Text starts with "solid", but so do some binary files: those have exactly the length they promise.
fn is_text(bytes: &[u8]) -> bool {
    let promised = bytes.get(80..HEADER).map(|raw| {
        let triangles = u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]);
        HEADER as u64 + TRIANGLE as u64 * u64::from(triangles)
    });
    bytes.trim_ascii_start().starts_with(b"solid") && promised != Some(bytes.len() as u64)
}

fn read_text(source: &Source) -> Result<TriMesh> {
    let mut scanner = Scanner::new(source.name, source.bytes);
    let mut welder = Welder::default();
    let mut groups = Groups::default();
    while let Some(word) = scanner.any_word() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(scanner.fail(format!("found {}, expected \"solid\"", super::error::quote(word))));
        }
        let name = String::from_utf8_lossy(scanner.rest_of_line()).into_owned();
        let first = welder.mesh.triangles.len();
        read_solid(source, &mut scanner, &mut welder, groups.held())?;
        if !name.is_empty() {
            let id = groups.id(&name);
            groups.add(id, welder.mesh.triangles[first..].iter().flatten().copied());
        }
    }
    Ok(TriMesh { groups: groups.finish(), ..welder.mesh })
}

/// Everything up to and including the line of "endsolid".
fn read_solid(source: &Source, scanner: &mut Scanner, welder: &mut Welder, groups: usize) -> Result<()> {
    let mut source = *source;
    source.budget.hold(groups);
    loop {
        let word = scanner.expect_word("\"facet\" or \"endsolid\"")?;
        if word.eq_ignore_ascii_case(b"endsolid") {
            scanner.rest_of_line();
            return Ok(());
        }
        if !word.eq_ignore_ascii_case(b"facet") {
            return Err(
                scanner.fail(format!("found {}, expected \"facet\" or \"endsolid\"", super::error::quote(word)))
            );
        }
        // The normal follows from the corners, and some programs write NaN for it: skip the rest of its line.
        scanner.expect("normal")?;
        scanner.next_line();
        scanner.expect("outer")?;
        scanner.expect("loop")?;
        let mut triangle = [0; 3];
        for corner in &mut triangle {
            scanner.expect("vertex")?;
            *corner = welder.vertex([scanner.number("x")?, scanner.number("y")?, scanner.number("z")?]);
        }
        scanner.expect("endloop")?;
        scanner.expect("endfacet")?;
        welder.mesh.triangles.push(triangle);
        welder.check(&source)?;
    }
}

fn read_binary(source: &Source) -> Result<(TriMesh, Vec<String>)> {
    let mut bytes = Bytes::new(source.name, source.bytes, 0, false);
    bytes.take(80, "the header")?;
    let claimed = bytes.u32("the number of triangles")?;
    let triangles = bytes.room_for(u64::from(claimed), TRIANGLE, "triangles")?;
    let mut welder = Welder::default();
    for _ in 0..triangles {
        bytes.take(12, "a normal")?;
        let mut triangle = [0; 3];
        for corner in &mut triangle {
            let mut position = [0.0; 3];
            for (coordinate, axis) in position.iter_mut().zip(["x", "y", "z"]) {
                *coordinate = bytes.finite(false, axis)?;
            }
            *corner = welder.vertex(position);
        }
        bytes.take(2, "a triangle's attributes")?;
        welder.mesh.triangles.push(triangle);
        welder.check(source)?;
    }
    let mut warnings = Vec::new();
    if bytes.remaining() > 0 {
        let extra = count(bytes.remaining(), "byte follows", "bytes follow");
        warnings.push(format!("{extra} the last triangle and were ignored"));
    }
    Ok((welder.mesh, warnings))
}
