//! Ogawa, the container of Alembic: a tree of groups, whose leaves are data. Little-endian; children come before their
//! parents, and the root last, so that a file is written from front to back.
//!
//! | bytes | what |
//! | --- | --- |
//! | 5 + 1 | `Ogawa`, and 255 once the file is complete |
//! | 2 | version, 0 and 1 |
//! | 8 | where the root group is |
//! | … | data: length (8), bytes; groups: number of children (8), where each is (8), with the highest bit set for data |

use crate::write::WriteError;
use crate::write::atomic::AtomicFile;
use crate::write::hash::Hash64;
use std::path::{Path, PathBuf};

/// Where a group or data is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(u64);

impl Node {
    const DATA: u64 = 1 << 63;
    /// A group without children.
    pub(super) const NO_GROUP: Node = Node(0);
    /// Data of no bytes.
    pub(super) const NO_DATA: Node = Node(Self::DATA);
}

/// A file in the making.
pub(super) struct Ogawa {
    file: AtomicFile,
    /// Bytes so far.
    length: u64,
    /// Texts that headers refer to by number.
    texts: Vec<String>,
}

/// Place of the mark that says the file is complete, and of the root's place.
const COMPLETE_AT: u64 = 5;
const ROOT_AT: u64 = 8;

impl Ogawa {
    pub(super) fn create(dir: &Path, name: &str) -> Result<Self, WriteError> {
        let mut file = AtomicFile::create(dir, name)?;
        file.put(b"Ogawa\0\0\x01\0\0\0\0\0\0\0\0")?;
        Ok(Self { file, length: 16, texts: Vec::new() })
    }

    /// Adds data.
    pub(super) fn data(&mut self, parts: &[&[u8]]) -> Result<Node, WriteError> {
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        if bytes == 0 {
            return Ok(Node::NO_DATA);
        }
        let at = self.length;
        self.file.put(&(bytes as u64).to_le_bytes())?;
        parts.iter().try_for_each(|part| self.file.put(part))?;
        self.length += 8 + bytes as u64;
        Ok(Node(at | Node::DATA))
    }

    /// Adds a group.
    pub(super) fn group(&mut self, children: &[Node]) -> Result<Node, WriteError> {
        if children.is_empty() {
            return Ok(Node::NO_GROUP);
        }
        let at = self.length;
        let places: Vec<u8> = children.iter().flat_map(|child| child.0.to_le_bytes()).collect();
        self.file.put(&(children.len() as u64).to_le_bytes())?;
        self.file.put(&places)?;
        self.length += 8 + places.len() as u64;
        Ok(Node(at))
    }

    /// Adds a sample of a property: its bytes behind a key by which readers know equal ones.
    pub(super) fn sample(&mut self, bytes: &[u8]) -> Result<Node, WriteError> {
        let mut first = Hash64::default();
        let mut second = Hash64::default();
        second.word(1);
        let keys = [first.update(bytes).finish(), second.update(bytes).finish()].map(u64::to_le_bytes);
        self.data(&[keys.as_flattened(), bytes])
    }

    /// The number by which headers refer to a text. The few that there are stay far below the 254 that there may be.
    pub(super) fn text(&mut self, text: &str) -> u32 {
        if text.is_empty() {
            return 0;
        }
        let known = self.texts.iter().position(|known| known == text);
        known.unwrap_or_else(|| {
            self.texts.push(text.to_owned());
            self.texts.len() - 1
        }) as u32
            + 1
    }

    /// Adds all texts, one behind the other.
    pub(super) fn put_texts(&mut self) -> Result<Node, WriteError> {
        let bytes = self.texts.iter().flat_map(|text| std::iter::once(text.len() as u8).chain(text.bytes()));
        let bytes: Vec<u8> = bytes.collect();
        self.data(&[&bytes])
    }

    /// Completes the file.
    pub(super) fn finish(mut self, root: Node) -> Result<PathBuf, WriteError> {
        self.file.put_at(ROOT_AT, &root.0.to_le_bytes())?;
        self.file.put_at(COMPLETE_AT, &[0xff])?;
        self.file.commit()
    }
}
