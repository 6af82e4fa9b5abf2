//! Collects named vertex sets while a file is read.

use std::collections::HashMap;

use super::budget::{held, held_by_map};
use super::parts::{Part, PartKind};
use taut::mesh::Group;

/// At most this many groups hold one element: a line that names a million groups, followed by a million faces,
/// must not ask for 10¹² entries.
pub(crate) const MAX_GROUPS_AT_ONCE: usize = 8;

/// Vertex sets under construction.
#[derive(Default)]
pub(crate) struct Groups {
    ids: HashMap<String, usize>,
    sets: Vec<Set>,
    /// Bytes that names and lists of vertices take.
    lists: usize,
}

struct Set {
    name: String,
    vertices: Vec<u32>,
    /// Triangles, ascending.
    triangles: Vec<u32>,
    /// Repetitions are dropped when the list reaches this length, so that it stays within twice the set's size.
    tidy_at: usize,
}

impl Groups {
    /// Bytes of memory that they take.
    pub fn held(&self) -> usize {
        self.lists + held(&self.sets) + held_by_map(&self.ids)
    }

    /// The group of this name, made if it is new.
    pub fn id(&mut self, name: &str) -> usize {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        self.sets.push(Set { name: name.into(), vertices: Vec::new(), triangles: Vec::new(), tidy_at: 1024 });
        self.ids.insert(name.into(), self.sets.len() - 1);
        self.lists += 2 * name.len();
        self.sets.len() - 1
    }

    /// Adds vertices to a group.
    pub fn add(&mut self, id: usize, vertices: impl IntoIterator<Item = u32>) {
        let set = &mut self.sets[id];
        let before = held(&set.vertices);
        set.vertices.extend(vertices);
        self.lists += held(&set.vertices) - before;
        if set.vertices.len() >= set.tidy_at {
            set.tidy();
            set.tidy_at = (2 * set.vertices.len()).max(1024);
        }
    }

    /// Adds triangles that come after all those added before.
    pub fn add_triangles(&mut self, id: usize, triangles: impl IntoIterator<Item = u32>) {
        let set = &mut self.sets[id];
        let before = held(&set.triangles);
        set.triangles.extend(triangles);
        self.lists += held(&set.triangles) - before;
    }

    /// The sets of triangles, in the order of their first mention; they are then gone from here.
    pub fn take_parts(&mut self, kind: PartKind) -> Vec<Part> {
        let sets = self.sets.iter_mut().filter(|set| !set.triangles.is_empty());
        sets.map(|set| Part { kind, name: set.name.clone(), triangles: std::mem::take(&mut set.triangles) }).collect()
    }

    /// The groups that hold anything, in the order of their first mention.
    pub fn finish(self) -> Vec<Group> {
        let tidied = self.sets.into_iter().map(|mut set| {
            set.tidy();
            Group { name: set.name, vertices: set.vertices }
        });
        tidied.filter(|group| !group.vertices.is_empty()).collect()
    }
}

impl Set {
    fn tidy(&mut self) {
        self.vertices.sort_unstable();
        self.vertices.dedup();
    }
}
