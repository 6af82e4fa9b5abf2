//! All elastic rows of a model in flat lists, in `f64`, whatever the model computes in.

use super::evaluate::{self, ARMS, ItemKind};
use super::stiffness::{ItemStiffness, stiffness};
use crate::constraint::{Batch, Elements, SLACK, Visit};
use crate::element::Element;
use crate::lanes::{BLOCK, Scalar, Vertex};
use crate::solve::user::{RowStrength, UserBatch, UserRows};
use core::ops::Range;
use std::sync::Arc;

/// An element with at least one elastic row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Item {
    /// Its vertices, the first `arms` of them.
    pub vertices: [u32; ARMS],
    pub arms: u8,
    /// Bit r is set if its row r is elastic. Its rows in the lists are these, in order.
    pub mask: u8,
    /// Its first row in the lists of rows.
    pub row: u32,
    /// Its first gradient (a vector) in the list of gradients: row by row, vertex by vertex.
    pub gradient: u32,
    /// Its first rest number.
    pub rest: u32,
}

impl Item {
    /// How many elastic rows it has.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.mask.count_ones() as usize
    }

    #[inline(always)]
    pub fn arms(&self) -> usize {
        self.arms as usize
    }

    /// Its rows in the lists of rows.
    #[inline(always)]
    pub fn range(&self) -> Range<usize> {
        self.row as usize..self.row as usize + self.rows()
    }

    /// Where the gradient of its `j`th elastic row at its vertex `k` is.
    #[inline(always)]
    pub fn gradient(&self, j: usize, k: usize) -> usize {
        self.gradient as usize + j * self.arms() + k
    }

    /// The element's own numbers of its elastic rows.
    #[inline(always)]
    pub fn own_rows(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..8).filter(move |r| mask >> r & 1 == 1)
    }
}

/// The rows and where they act.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub kinds: Vec<ItemKind>,
    pub items: Vec<Item>,
    /// How stiff each item is.
    pub blocks: Vec<ItemStiffness>,
    pub rest: Vec<f64>,
    /// Damping time γ of each row, s.
    pub gamma: Vec<f64>,
    /// The row of each multiplier in the model's list; `u32::MAX` for those of no row.
    pub slots: Vec<u32>,
    /// The row of each multiplier of the user's own rows; `u32::MAX` for those of no row.
    user_slots: Vec<u32>,
    /// How many gradients there are.
    pub gradients: usize,
    /// Whether any row is damped.
    pub viscous: bool,
    /// For each vertex its part of `touches`.
    starts: Vec<u32>,
    /// The items at each vertex, ascending: item · 8 + which of its vertices it is.
    touches: Vec<u32>,
}

impl Table {
    pub fn rows(&self) -> usize {
        self.gamma.len()
    }

    /// The row of multiplier `k` in the model's list, if it has one.
    pub fn row_at(&self, k: usize) -> Option<usize> {
        self.slots.get(k).filter(|&&row| row != u32::MAX).map(|&row| row as usize)
    }

    /// The same of the user's own rows.
    pub fn user_row(&self, k: usize) -> Option<usize> {
        self.user_slots.get(k).filter(|&&row| row != u32::MAX).map(|&row| row as usize)
    }

    /// The kind of item `e`. There is a handful of kinds.
    #[inline(always)]
    pub fn kind(&self, e: usize) -> Option<&ItemKind> {
        self.kinds.iter().find(|kind| kind.items.contains(&e))
    }

    /// Gathers the rows of `elements`, if any, and those of the user's own, over `vertices` vertices, of which the
    /// user's need the last to be held and none of the model's. Returns whether the topology is another than before.
    pub fn gather<T: Scalar>(&mut self, elements: Option<&Elements<T>>, user: &UserRows, vertices: usize) -> bool {
        let before = core::mem::take(&mut self.items);
        for list in [&mut self.rest, &mut self.gamma] {
            list.clear();
        }
        self.kinds.clear();
        self.slots.clear();
        self.slots.resize(elements.map_or(0, |e| e.multipliers) * BLOCK, u32::MAX);
        self.blocks.clear();
        (self.gradients, self.viscous) = (0, false);
        if let Some(elements) = elements {
            elements.for_each_elastic(&mut TableGather(self));
        }
        self.user_slots.clear();
        self.user_slots.resize(user.multipliers, u32::MAX);
        for batch in &user.batches {
            self.gather_user(batch, vertices as u32 - 1);
        }
        let same = before == self.items && self.starts.len() == vertices + 1;
        if !same {
            self.connect(vertices);
        }
        !same
    }

    fn gather_user(&mut self, batch: &Arc<UserBatch>, held: u32) {
        let start = self.items.len();
        for (number, &strength) in batch.strength.iter().enumerate() {
            let RowStrength::Compliance { compliance, damping } = strength else { continue };
            let block = stiffness(&[compliance], [0.0; 3]);
            if block.mask == 0 {
                continue;
            }
            let mut item = Item {
                arms: batch.arity as u8 + 1,
                mask: block.mask,
                row: self.gamma.len() as u32,
                gradient: self.gradients as u32,
                rest: self.rest.len() as u32,
                ..Item::default()
            };
            item.vertices[0] = held;
            item.vertices[1..=batch.arity].copy_from_slice(batch.vertices_of(number as u32));
            self.rest.push(number as f64);
            self.viscous |= damping > 0.0;
            self.user_slots[batch.first + number] = self.gamma.len() as u32;
            self.gamma.push(damping);
            self.gradients += item.arms();
            self.items.push(item);
            self.blocks.push(block);
        }
        if self.items.len() > start {
            self.kinds.push(evaluate::user_kind(start..self.items.len(), batch));
        }
    }

    /// Lists the items at each vertex.
    fn connect(&mut self, vertices: usize) {
        self.starts = vec![0; vertices + 1];
        let ends = |item: &Item| (0..item.arms()).map(|k| item.vertices[k] as usize).collect::<Vec<_>>();
        for item in &self.items {
            for v in ends(item) {
                self.starts[v + 1] += 1;
            }
        }
        for v in 0..vertices {
            self.starts[v + 1] += self.starts[v];
        }
        self.touches = vec![0; self.starts[vertices] as usize];
        let mut next = self.starts.clone();
        for (e, item) in self.items.iter().enumerate() {
            for (k, v) in ends(item).into_iter().enumerate() {
                self.touches[next[v] as usize] = (e * 8 + k) as u32;
                next[v] += 1;
            }
        }
    }

    /// The items at a vertex, in a fixed order, each with which of its vertices it is.
    #[inline(always)]
    pub fn touching(&self, vertex: usize) -> impl Iterator<Item = (&Item, usize)> {
        self.touching_ids(vertex).map(|(e, k)| (&self.items[e], k))
    }

    /// The same by the items' numbers.
    #[inline(always)]
    pub fn touching_ids(&self, vertex: usize) -> impl Iterator<Item = (usize, usize)> {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        self.touches[range].iter().map(|&t| (t as usize / 8, t as usize % 8))
    }

    /// How many items share a vertex.
    #[inline(always)]
    pub fn valence(&self, vertex: usize) -> usize {
        (self.starts[vertex + 1] - self.starts[vertex]) as usize
    }
}

struct TableGather<'a>(&'a mut Table);

impl<T: Scalar> Visit<T> for TableGather<'_> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        let start = self.0.items.len();
        for (b, (block, elastic)) in batch.blocks().iter().zip(&batch.elastic).enumerate() {
            for lane in (0..BLOCK).filter(|&lane| batch.source[b][lane] != u32::MAX) {
                let compliance = elastic.compliance.map(|c| c[lane].f64());
                let block_of = stiffness(&compliance, elastic.coupling.map(|c| c[lane].f64()));
                let mut item = Item {
                    arms: V as u8,
                    mask: block_of.mask,
                    row: self.0.gamma.len() as u32,
                    gradient: self.0.gradients as u32,
                    rest: self.0.rest.len() as u32,
                    ..Item::default()
                };
                if item.mask == 0 {
                    continue;
                }
                for v in 0..V {
                    item.vertices[v] = block.places[v][lane].index::<Vertex<T>>() as u32;
                }
                self.0.rest.extend(block.rest.iter().map(|r| r[lane].f64()));
                for r in item.own_rows() {
                    let gamma = elastic.gamma[r][lane].f64();
                    let gamma = if gamma > 0.0 && gamma < SLACK { gamma } else { 0.0 };
                    self.0.viscous |= gamma > 0.0;
                    self.0.slots[(batch.multipliers + b * R + r) * BLOCK + lane] = self.0.gamma.len() as u32;
                    self.0.gamma.push(gamma);
                }
                self.0.gradients += item.rows() * V;
                self.0.items.push(item);
                self.0.blocks.push(block_of);
            }
        }
        if self.0.items.len() > start {
            self.0.kinds.push(evaluate::kind::<E, V, D, P, R>(start..self.0.items.len()));
        }
    }
}
