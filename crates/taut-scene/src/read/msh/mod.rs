//! Gmsh `.msh`, versions 2.x and 4.1, text and binary of either byte order.
//!
//! Physical groups become vertex groups under their names, or as `physical_DIM_TAG` if they have none. A file
//! without physical groups gives a group `entity_DIM_TAG` for each of its geometric entities instead.

mod input;
mod shapes;
mod v2;
mod v4;

use std::collections::HashMap;

use self::input::Input;
use self::shapes::{Shape, Use};
use super::budget::{held, held_by_map};
use super::cells::Cells;
use super::error::{Result, quote};
use super::groups::{Groups, MAX_GROUPS_AT_ONCE};
use super::{MOST_NAMES, MeshFile, Options, Source};

pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"$MeshFormat")
}

pub(super) fn read(source: &Source, _: &Options) -> Result<MeshFile> {
    let mut input = Input::new(source);
    input.scanner.expect("$MeshFormat")?;
    let (format, is_v4) = read_format(&mut input)?;
    let mut content = Content::default();
    while let Some(word) = input.scanner.any_word() {
        let Some(section) = word.strip_prefix(b"$") else {
            return Err(input.scanner.fail(format!("found {}, expected a section such as $Nodes", quote(word))));
        };
        match section {
            b"PhysicalNames" => content.read_names(&mut input)?,
            b"Entities" if is_v4 => v4::read_entities(&mut input, &mut content)?,
            b"Nodes" if is_v4 => v4::read_nodes(&mut input, &mut content)?,
            b"Elements" if is_v4 => v4::read_elements(&mut input, &mut content)?,
            b"Nodes" => v2::read_nodes(&mut input, &mut content)?,
            b"Elements" => v2::read_elements(&mut input, &mut content)?,
            _ => {
                input.skip_section(section)?;
                content.note_ignored(section);
                continue;
            }
        }
        input.scanner.expect(&format!("$End{}", String::from_utf8_lossy(section)))?;
    }
    content.finish(source.name, format)
}

/// The version, whether the file is binary, and in which byte order.
fn read_format(input: &mut Input) -> Result<(&'static str, bool)> {
    let scanner = &mut input.scanner;
    let version = scanner.number("the format's version")?;
    let is_v4 = version == 4.1;
    if !is_v4 && !(2.0..3.0).contains(&version) {
        return Err(scanner.fail(format!("the format's version is {version}, expected 2.2 or 4.1")));
    }
    let is_binary = match scanner.integer("the file type")? {
        0 => false,
        1 => true,
        found => return Err(scanner.fail(format!("the file type is {found}, expected 0 (text) or 1 (binary)"))),
    };
    let size = scanner.integer("the data size")?;
    if size != 8 && !(is_v4 && size == 4) {
        return Err(scanner.fail(format!("the data size is {size}, expected 8")));
    }
    if is_binary {
        input.start_binary(size as usize)?;
    }
    input.scanner.expect("$EndMeshFormat")?;
    Ok(match (is_v4, is_binary) {
        (false, false) => ("Gmsh 2 text", false),
        (false, true) => ("Gmsh 2 binary", false),
        (true, false) => ("Gmsh 4.1 text", true),
        (true, true) => ("Gmsh 4.1 binary", true),
    })
}

/// Dimension and number of a geometric entity or a physical group.
type Tag = (i64, i64);

/// What has been read so far.
#[derive(Default)]
struct Content {
    cells: Cells,
    nodes: NodeNumbers,
    /// The names of physical groups.
    names: HashMap<Tag, String>,
    /// The physical groups of each geometric entity; version 4 only.
    physical: HashMap<Tag, Vec<i64>>,
    physical_ids: HashMap<Tag, usize>,
    entity_ids: HashMap<Tag, usize>,
    entity_groups: Groups,
    /// Bytes of names and of lists of tags.
    tags: usize,
    /// Sections of values, by name.
    ignored: Vec<String>,
}

impl Content {
    /// Refuses a file that has become too large.
    fn check_memory(&self, input: &Input) -> Result<()> {
        // A name or a list of tags is an allocation of its own, of a few words.
        let names = (self.names.capacity() + self.physical.capacity()) * size_of::<[usize; 8]>();
        let maps = held_by_map(&self.names) + held_by_map(&self.physical);
        let ids = held_by_map(&self.physical_ids) + held_by_map(&self.entity_ids);
        let lists = held(&self.nodes.sorted) + self.cells.held() + 3 * self.entity_groups.held();
        input.check_memory(names + maps + ids + lists + self.tags)
    }

    /// Remembers a section of values for nodes or elements, of which nothing is made.
    fn note_ignored(&mut self, section: &[u8]) {
        let name = String::from_utf8_lossy(section).into_owned();
        if section.ends_with(b"Data") && self.ignored.len() < MOST_NAMES && !self.ignored.contains(&name) {
            self.ignored.push(name);
        }
    }

    fn read_names(&mut self, input: &mut Input) -> Result<()> {
        for _ in 0..input.scanner.count("physical names", 6)? {
            let dimension = input.scanner.integer("a dimension")?;
            let tag = input.scanner.integer("a physical tag")?;
            let name = input.scanner.rest_of_line();
            let name = name.strip_prefix(b"\"").and_then(|n| n.strip_suffix(b"\"")).unwrap_or(name);
            self.tags += name.len();
            self.names.insert((dimension, tag), String::from_utf8_lossy(name).into_owned());
            self.check_memory(input)?;
        }
        Ok(())
    }

    /// Adds one element. `nodes` are all of its nodes, corners first, as indices.
    fn add_element(&mut self, shape: &Shape, nodes: &[u32]) {
        match shape.used_as {
            Use::Triangle => self.cells.triangles.push([nodes[0], nodes[1], nodes[2]]),
            Use::Quad => self.cells.polygon(&nodes[..4]),
            Use::Tet => self.cells.tets.push([nodes[0], nodes[1], nodes[2], nodes[3]]),
            Use::GroupsOnly => return,
            Use::Skip => return self.cells.skip(shape.plural),
        }
        if nodes.len() > shape.used_as.corners() {
            self.cells.note_curved();
        }
    }

    /// Puts nodes into the group of a physical tag.
    fn add_to_physical(&mut self, tag: Tag, nodes: &[u32]) {
        let id = *self.physical_ids.entry(tag).or_insert_with(|| {
            let unnamed = || format!("physical_{}_{}", tag.0, tag.1);
            self.cells.groups.id(&self.names.get(&tag).cloned().unwrap_or_else(unnamed))
        });
        self.cells.groups.add(id, nodes.iter().copied());
    }

    /// Puts nodes into the group of a geometric entity, and in version 4 into its physical groups.
    fn add_to_entity(&mut self, tag: Tag, nodes: &[u32]) {
        for k in 0..self.physical.get(&tag).map_or(0, Vec::len).min(MAX_GROUPS_AT_ONCE) {
            self.add_to_physical((tag.0, self.physical[&tag][k]), nodes);
        }
        let groups = &mut self.entity_groups;
        let id = *self.entity_ids.entry(tag).or_insert_with(|| groups.id(&format!("entity_{}_{}", tag.0, tag.1)));
        groups.add(id, nodes.iter().copied());
    }

    fn finish(mut self, file: &str, format: &'static str) -> Result<MeshFile> {
        if self.physical_ids.is_empty() && self.entity_ids.len() > 1 {
            self.cells.groups = self.entity_groups;
        }
        self.cells.warnings.extend(super::ignored_attributes(&self.ignored));
        self.cells.finish(file, format)
    }
}

/// Gmsh's node numbers, which may have gaps and any order, and the indices they stand for.
#[derive(Default)]
struct NodeNumbers {
    /// Number and index, ascending once `close` has been called.
    sorted: Vec<(i64, u32)>,
    is_dense: bool,
}

impl NodeNumbers {
    fn push(&mut self, number: i64) {
        // A node takes 4 bytes or more, so that the largest file has fewer than 2³² of them.
        self.sorted.push((number, self.sorted.len() as u32));
    }

    /// Gets ready to look numbers up.
    fn close(&mut self, input: &Input) -> Result<()> {
        self.sorted.sort_unstable();
        if let Some(pair) = self.sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(input.fail(format!("node {} is defined twice", pair[0].0)));
        }
        let first = self.sorted.first().map_or(0, |node| node.0);
        let last = self.sorted.last().map_or(0, |node| node.0);
        self.is_dense = last.checked_sub(first) == Some(self.sorted.len() as i64 - 1);
        Ok(())
    }

    fn index(&self, number: i64, input: &Input) -> Result<u32> {
        let found = if self.is_dense {
            number.checked_sub(self.sorted[0].0).and_then(|i| self.sorted.get(usize::try_from(i).ok()?))
        } else {
            self.sorted.binary_search_by_key(&number, |node| node.0).ok().map(|i| &self.sorted[i])
        };
        found.map(|node| node.1).ok_or_else(|| {
            input.fail(format!(
                "element refers to node {number}, which is not among the file's {} nodes",
                self.sorted.len()
            ))
        })
    }
}
