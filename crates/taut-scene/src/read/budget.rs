//! How much memory reading a file may take: a fixed amount, and so much for each byte that was read from disk.
//!
//! A few bytes can claim to be billions: packed zeros, counts, parts that refer to one another. So readers say what
//! they are
//! about to hold, and what the file's own size does not explain is refused before it is there.

use super::error::{ReadError, Result};
use std::collections::HashMap;
use taut::mesh::{Group, TriMesh};

/// Bytes of memory for each byte on disk. Text meshes take 2 to 6 times their size, packed ones four times as much.
const PER_BYTE: u64 = 20;

/// Memory that any file may take on top of 20 times its size on disk, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(pub u64);

impl Default for Memory {
    /// 64 MB.
    fn default() -> Self {
        Memory(64 << 20)
    }
}

impl Memory {
    /// Refuses what takes `needed` bytes and was read from `stored` of them.
    pub(crate) fn check(self, file: &str, stored: usize, needed: u64) -> Result<()> {
        Budget::new(self, stored).check(file, usize::try_from(needed).unwrap_or(usize::MAX))
    }
}

/// What a file, with those it refers to, may take, and what of it is taken; bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    memory: Memory,
    /// As on disk.
    stored: u64,
    held: u64,
}

impl Budget {
    /// For a file of a size on disk, which is in memory.
    pub fn new(memory: Memory, stored: usize) -> Self {
        Budget { memory, stored: stored as u64, held: stored as u64 }
    }

    /// Another file was read, and is in memory.
    pub fn add_file(&mut self, stored: usize) {
        self.stored += stored as u64;
        self.hold(stored);
    }

    /// So much is held from now on.
    pub fn hold(&mut self, bytes: usize) {
        self.held = self.held.saturating_add(bytes as u64);
    }

    /// So much is held no longer.
    pub fn release(&mut self, bytes: usize) {
        self.held = self.held.saturating_sub(bytes as u64);
    }

    fn allowed(&self) -> u64 {
        self.memory.0.saturating_add(PER_BYTE.saturating_mul(self.stored))
    }

    /// What may still be taken, bytes.
    pub fn left(&self) -> usize {
        usize::try_from(self.allowed().saturating_sub(self.held)).unwrap_or(usize::MAX)
    }

    /// Refuses to hold `more` bytes on top of what is held.
    #[inline]
    pub fn check(&self, file: &str, more: usize) -> Result<()> {
        if more <= self.left() { Ok(()) } else { Err(self.refusal(file)) }
    }

    #[cold]
    fn refusal(&self, file: &str) -> ReadError {
        let [allowed, spare, stored] = [self.allowed(), self.memory.0, self.stored].map(megabytes);
        ReadError::file(
            file,
            format!(
                "reading it takes more than {allowed} of memory, which is {spare} and {PER_BYTE} times the {stored} read \
                 from disk; --memory allows more"
            ),
        )
    }
}

/// A size for people.
fn megabytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_048_576 => format!("{:.1} KB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MB", bytes as f64 / (1 << 20) as f64).replace(".0 ", " "),
    }
}

/// Bytes that a list takes, used or not, when a few more elements have come: a full one doubles.
#[inline]
pub(crate) fn held<T>(list: &Vec<T>) -> usize {
    held_after(list, A_FEW)
}

/// Bytes that a list takes when so many more elements have come.
#[inline]
pub(crate) fn held_after<T>(list: &Vec<T>, more: usize) -> usize {
    let (room, needed) = (list.capacity(), list.len().saturating_add(more));
    let after = if needed > room { needed.max(2 * room) } else { room };
    after.saturating_mul(size_of::<T>())
}

/// Elements that are added without asking in between.
const A_FEW: usize = 8;

/// Bytes that a surface takes.
pub(crate) fn held_by_mesh(mesh: &TriMesh) -> usize {
    let groups = mesh.groups.iter().map(|group| held(&group.vertices) + group.name.capacity() + size_of::<Group>());
    held(&mesh.positions) + held(&mesh.triangles) + held(&mesh.uvs) + held(&mesh.uv_triangles) + groups.sum::<usize>()
}

/// Bytes that a hash map takes when a few more entries have come: an eighth of its table is empty, and a full one is
/// there
/// with the new one, of twice its size, until that has everything.
pub(crate) fn held_by_map<K, V>(map: &HashMap<K, V>) -> usize {
    let each = size_of::<(K, V)>() + 1;
    let full = map.len() + A_FEW > map.capacity();
    map.capacity() * each * if full { 28 } else { 10 } / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_is_allowed_and_why() {
        let mut budget = Budget::new(Memory::default(), 1 << 20);
        assert_eq!(budget.left(), (64 + 20 - 1) << 20);
        assert!(budget.check("a.obj", budget.left()).is_ok());
        let said = budget.check("a.obj", budget.left() + 1).unwrap_err().to_string();
        assert_eq!(
            said,
            "a.obj: reading it takes more than 84 MB of memory, which is 64 MB and 20 times the 1 MB read from disk; \
             --memory allows more"
        );
        budget.hold(83 << 20);
        assert_eq!(budget.left(), 0);
        budget.add_file(1 << 20);
        budget.release(1 << 20);
        assert_eq!(budget.left(), 20 << 20);
        // Nothing overflows, whatever is asked for.
        budget.hold(usize::MAX);
        assert_eq!((budget.left(), Budget::new(Memory(u64::MAX), 7).left()), (0, usize::MAX - 7));
    }
}
