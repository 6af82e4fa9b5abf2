//! Properties of Alembic: what they are, and the headers that say so.

use super::ogawa::{Node, Ogawa};
use crate::write::WriteError;

/// Kinds of numbers, by their number in headers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    U32 = 5,
    I32 = 6,
    F32 = 10,
    F64 = 11,
}

/// What a property is.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// A few numbers in each sample.
    Scalar(Number, u32),
    /// A list in each sample, of so many numbers each.
    Array(Number, u32),
}

/// Properties side by side under one name.
#[derive(Default)]
pub(super) struct Compound {
    children: Vec<Node>,
    headers: Vec<u8>,
}

/// The time sampling that all animated properties have.
const SAMPLING: u32 = 1;
/// Bits of a header.
const HAS_SAMPLING: u32 = 0x100;
const HOMOGENEOUS: u32 = 0x400;
const CONSTANT: u32 = 0x800;

impl Compound {
    /// Adds a property whose samples have been written; a single one stands for all of `count`.
    pub(super) fn add(
        &mut self,
        file: &mut Ogawa,
        (name, meta): (&str, &str),
        shape: Shape,
        samples: &[Node],
        count: usize,
    ) -> Result<(), WriteError> {
        let (kind, number, extent) = match shape {
            Shape::Scalar(number, extent) => (1, number, extent),
            Shape::Array(number, extent) => (2, number, extent),
        };
        // Lists have their sizes beside them, which follow from the bytes if there is nothing.
        let nodes: Vec<Node> = match shape {
            Shape::Scalar(..) => samples.to_vec(),
            Shape::Array(..) => samples.iter().flat_map(|&sample| [sample, Node::NO_DATA]).collect(),
        };
        let group = file.group(&nodes)?;
        let hint = width_of(name.len().max(count).max(meta.len()));
        let mut info = kind | hint << 2 | (number as u32) << 4 | HAS_SAMPLING | HOMOGENEOUS;
        info |= extent << 12 | file.text(meta) << 20;
        if samples.len() == 1 {
            info |= CONSTANT;
        }
        self.headers.extend(info.to_le_bytes());
        put(&mut self.headers, hint, count as u32);
        put(&mut self.headers, hint, SAMPLING);
        self.put_name(hint, name);
        self.children.push(group);
        Ok(())
    }

    /// Adds properties under one name.
    pub(super) fn add_compound(
        &mut self,
        file: &mut Ogawa,
        (name, meta): (&str, &str),
        inner: Compound,
    ) -> Result<(), WriteError> {
        let group = inner.finish(file)?;
        let hint = width_of(name.len().max(meta.len()));
        self.headers.extend((hint << 2 | file.text(meta) << 20).to_le_bytes());
        self.put_name(hint, name);
        self.children.push(group);
        Ok(())
    }

    fn put_name(&mut self, hint: u32, name: &str) {
        put(&mut self.headers, hint, name.len() as u32);
        self.headers.extend(name.bytes());
    }

    /// Writes the group of all of them.
    pub(super) fn finish(mut self, file: &mut Ogawa) -> Result<Node, WriteError> {
        if self.children.is_empty() {
            return Ok(Node::NO_GROUP);
        }
        self.children.push(file.data(&[&self.headers])?);
        file.group(&self.children)
    }
}

/// How wide the numbers of a header are, by the largest: 1, 2 or 4 bytes.
fn width_of(largest: usize) -> u32 {
    match largest {
        0..256 => 0,
        256..65536 => 1,
        _ => 2,
    }
}

fn put(out: &mut Vec<u8>, hint: u32, number: u32) {
    out.extend(&number.to_le_bytes()[..1 << hint]);
}

/// Objects side by side.
pub(super) struct Object {
    children: Vec<Node>,
    headers: Vec<u8>,
}

impl Object {
    /// One with these properties.
    pub(super) fn new(properties: Node) -> Self {
        Self { children: vec![properties], headers: Vec::new() }
    }

    /// Adds another below it.
    pub(super) fn add(&mut self, file: &mut Ogawa, name: &str, meta: &str, object: Object) -> Result<(), WriteError> {
        let group = object.finish(file)?;
        self.children.push(group);
        self.headers.extend((name.len() as u32).to_le_bytes());
        self.headers.extend(name.bytes());
        self.headers.push(file.text(meta) as u8);
        Ok(())
    }

    /// Writes the group. Behind the headers come two hashes that nobody looks at.
    pub(super) fn finish(mut self, file: &mut Ogawa) -> Result<Node, WriteError> {
        self.children.push(file.data(&[&self.headers, &[0; 32]])?);
        file.group(&self.children)
    }
}
