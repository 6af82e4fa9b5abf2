//! Packed elements: coloured so that no two of one colour share a vertex, in blocks that run lane-wide.

use super::colour::colours;
use crate::lanes::{BLOCK, Place, Scalar, Vertex};
use core::ops::Range;

/// [`BLOCK`] elements side by side, all of one colour.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub struct Block<T, const V: usize, const P: usize, const R: usize> {
    /// Vertices. Spare lanes of a colour's last block hold the model's spare vertex, which never moves.
    pub places: [[Place; BLOCK]; V],
    /// Rest numbers, as the element kind defines them.
    pub rest: [[T; BLOCK]; P],
    /// Stiffness of each row: the share of the error that one projection removes, 0 to 1.
    pub stiffness: [[T; BLOCK]; R],
}

/// How the rows of [`BLOCK`] elements answer to deformation: the energy is U = ½ cᵀ E c, and this holds E⁻¹.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub struct Elastic<T, const R: usize> {
    /// The diagonal of E⁻¹, per row, 1/J for rows without a unit; [`SLACK`] for rows that have no stiffness.
    pub compliance: [[T; BLOCK]; R],
    /// The entries of E⁻¹ between rows 0 and 1, 0 and 2, 1 and 2. Others are zero.
    pub coupling: [[T; BLOCK]; 3],
    /// Damping time γ of each row, s: the force is −Jᵀ E (c + γ ċ).
    pub gamma: [[T; BLOCK]; R],
}

/// The compliance of a row without stiffness: large enough to hold nothing, small enough for `f32` to compute with.
pub const SLACK: f64 = 1e30;

/// All elements of one kind.
#[derive(Clone, Debug)]
pub struct Batch<T, const V: usize, const P: usize, const R: usize> {
    // Not public, and made by `pack_moving` alone: sweeps trust the places in them without a check.
    blocks: Vec<Block<T, V, P, R>>,
    colours: Vec<Range<usize>>,
    /// The places in `blocks` are below this: arrays must be as long.
    span: usize,
    /// Bit k is set if elements may move their vertex k.
    moves: u32,
    /// Damping rate of each row, 1/s, parallel to `blocks`; empty if nothing is damped.
    pub damping: Vec<[[T; BLOCK]; R]>,
    /// Physical stiffness, parallel to `blocks`; empty if no row has any.
    pub elastic: Vec<Elastic<T, R>>,
    /// Where this batch's multipliers begin in the model's list of them: row r of block b is at
    /// `multipliers + b * R + r`, if the batch is elastic.
    pub multipliers: usize,
    /// For each lane the element's number in its kind, in the order it was added; [`u32::MAX`] in spare lanes.
    pub source: Vec<[u32; BLOCK]>,
    /// Bit r is set if row r has stiffness in any element.
    pub stiff_rows: u32,
    /// Bit r is set if row r has damping in any element.
    pub damped_rows: u32,
    /// Bit r is set if row r has physical stiffness in any element.
    pub elastic_rows: u32,
    /// Whether any elastic row of a block has a damping time; parallel to `elastic`.
    pub viscous: Vec<bool>,
    /// The number of elements.
    pub count: usize,
}

impl<T, const V: usize, const P: usize, const R: usize> Default for Batch<T, V, P, R> {
    fn default() -> Self {
        Batch {
            blocks: Vec::new(),
            colours: Vec::new(),
            span: 0,
            moves: 0,
            damping: Vec::new(),
            elastic: Vec::new(),
            multipliers: 0,
            source: Vec::new(),
            stiff_rows: 0,
            damped_rows: 0,
            elastic_rows: 0,
            viscous: Vec::new(),
            count: 0,
        }
    }
}

/// One element before packing.
#[derive(Clone, Debug)]
pub struct Loose<const V: usize, const P: usize, const R: usize> {
    /// Vertices, distinct.
    pub index: [u32; V],
    /// Rest numbers.
    pub rest: [f64; P],
    /// Stiffness of each row, 0 to 1.
    pub stiffness: [f64; R],
    /// Damping rate of each row, 1/s.
    pub damping: [f64; R],
    /// Physical stiffness, if it has any.
    pub elastic: Option<Compliance<R>>,
}

impl<const V: usize, const P: usize> Loose<V, P, 0> {
    /// One without rows of its own.
    pub fn bare(index: [u32; V], rest: [f64; P]) -> Self {
        Loose { index, rest, stiffness: [], damping: [], elastic: None }
    }
}

/// The elasticity of one element, as in [`Elastic`].
#[derive(Clone, Copy, Debug)]
pub struct Compliance<const R: usize> {
    /// The diagonal of E⁻¹.
    pub diagonal: [f64; R],
    /// E⁻¹ between rows 0 and 1, 0 and 2, 1 and 2.
    pub coupling: [f64; 3],
    /// Damping time of each row, s.
    pub gamma: [f64; R],
}

impl<const R: usize> Compliance<R> {
    /// No stiffness at all.
    pub const NONE: Self = Compliance { diagonal: [SLACK; R], coupling: [0.0; 3], gamma: [0.0; R] };
}

impl<T, const V: usize, const P: usize, const R: usize> Batch<T, V, P, R> {
    /// The elements, colour by colour.
    pub fn blocks(&self) -> &[Block<T, V, P, R>] {
        &self.blocks
    }

    /// The blocks of each colour.
    pub fn colours(&self) -> &[Range<usize>] {
        &self.colours
    }

    /// Arrays that elements are swept over have at least this many vertices, the spare one counted.
    pub fn span(&self) -> usize {
        self.span
    }

    /// Bit k is set if elements may move their vertex k.
    pub fn moves(&self) -> u32 {
        self.moves
    }
}

/// One element of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Packed<'a, T, const V: usize, const P: usize, const R: usize> {
    batch: &'a Batch<T, V, P, R>,
    block: usize,
    lane: usize,
}

impl<T: Scalar, const V: usize, const P: usize, const R: usize> Packed<'_, T, V, P, R> {
    /// Its vertices.
    pub fn vertices(&self) -> [u32; V] {
        self.batch.blocks[self.block].places.map(|places| places[self.lane].index::<Vertex<T>>() as u32)
    }

    /// Its rest numbers.
    pub fn rest(&self) -> [f64; P] {
        self.batch.blocks[self.block].rest.map(|row| row[self.lane].f64())
    }

    /// The stiffness of row `r`, 0 to 1.
    pub fn stiffness(&self, r: usize) -> f64 {
        self.batch.blocks[self.block].stiffness[r][self.lane].f64()
    }

    /// The compliance of row `r`, if it has physical stiffness.
    pub fn compliance(&self, r: usize) -> Option<f64> {
        let compliance = self.batch.elastic.get(self.block)?.compliance[r][self.lane].f64();
        (compliance < SLACK).then_some(compliance)
    }
}

impl<T: Scalar, const V: usize, const P: usize, const R: usize> Batch<T, V, P, R> {
    /// The elements, in the order of the blocks.
    pub fn elements(&self) -> impl Iterator<Item = Packed<'_, T, V, P, R>> {
        let lanes = (0..self.blocks.len()).flat_map(|block| (0..BLOCK).map(move |lane| (block, lane)));
        let real = lanes.filter(|&(block, lane)| self.source[block][lane] != u32::MAX);
        real.map(|(block, lane)| Packed { batch: self, block, lane })
    }

    /// The same in another precision, without what is projected; nothing if no element has a physical stiffness.
    #[cfg(feature = "global")]
    pub(crate) fn elastic_in<U: Scalar>(&self) -> Batch<U, V, P, R> {
        if self.elastic.is_empty() {
            return Batch::default();
        }
        let wide = |list: [T; BLOCK]| list.map(|n| U::of(n.f64()));
        let place = |p: Place| Place::new::<Vertex<U>>(p.index::<Vertex<T>>() as u32);
        assert!(self.span.saturating_mul(size_of::<Vertex<U>>()) <= u32::MAX as usize, "too many vertices");
        Batch {
            blocks: self
                .blocks
                .iter()
                .map(|b| Block {
                    places: b.places.map(|list| list.map(place)),
                    rest: b.rest.map(wide),
                    stiffness: [[U::of(0.0); BLOCK]; R],
                })
                .collect(),
            colours: self.colours.clone(),
            span: self.span,
            moves: self.moves,
            damping: Vec::new(),
            elastic: self
                .elastic
                .iter()
                .map(|e| Elastic {
                    compliance: e.compliance.map(wide),
                    coupling: e.coupling.map(wide),
                    gamma: e.gamma.map(wide),
                })
                .collect(),
            multipliers: self.multipliers,
            source: self.source.clone(),
            stiff_rows: 0,
            damped_rows: 0,
            elastic_rows: self.elastic_rows,
            viscous: self.viscous.clone(),
            count: self.count,
        }
    }

    /// Colours and packs. `spare` is a vertex with no mass that no element uses; `loose` refers to vertices below it.
    pub fn pack(loose: &[Loose<V, P, R>], spare: u32) -> Self {
        Self::pack_moving(loose, spare, (1 << V) - 1)
    }

    /// The same for elements that move only those of their vertices whose bit is set in `moves`, and look at the
    /// others: these may be in many elements of one colour.
    ///
    /// Panics if an index is not below `spare`, or vertices are more than a [`Place`] can tell apart.
    pub fn pack_moving(loose: &[Loose<V, P, R>], spare: u32, moves: u32) -> Self {
        const { assert!(V < 32, "a bit for each vertex") };
        let span = spare as usize + 1;
        // Colouring looks at most indices, but not at all of them: those of its rare long tables go unchecked there.
        assert!(
            loose.iter().flat_map(|e| e.index).all(|v| v < spare),
            "an element refers to a vertex that there is not"
        );
        assert!(span.saturating_mul(size_of::<Vertex<T>>()) <= u32::MAX as usize, "too many vertices");
        let mut batch = Batch { count: loose.len(), span, moves, ..Batch::default() };
        let damped = loose.iter().any(|e| e.damping.iter().any(|&d| d > 0.0));
        let elastic = loose.iter().any(|e| e.elastic.is_some());
        let index: Vec<[u32; V]> = loose.iter().map(|e| e.index).collect();
        // Places of a colour are disjoint by its colouring, but for the spare vertex: that is in the last block of a
        // colour alone, which one worker treats.
        for members in colours(&index, spare as usize, moves) {
            let start = batch.blocks.len();
            for chunk in members.chunks(BLOCK) {
                batch.push_block(loose, chunk, spare, damped);
                if elastic {
                    batch.push_elastic(loose, chunk);
                }
            }
            batch.colours.push(start..batch.blocks.len());
        }
        batch
    }

    fn push_block(&mut self, loose: &[Loose<V, P, R>], chunk: &[u32], spare: u32, damped: bool) {
        let zero = T::of(0.0);
        // Spare lanes repeat the rest numbers of a sound element, so that they compute nothing odd.
        let first = &loose[chunk[0] as usize];
        let mut block = Block {
            places: [[Place::new::<Vertex<T>>(spare); BLOCK]; V],
            rest: first.rest.map(|r| [T::of(r); BLOCK]),
            stiffness: [[zero; BLOCK]; R],
        };
        let (mut damping, mut source) = ([[zero; BLOCK]; R], [u32::MAX; BLOCK]);
        for (lane, &id) in chunk.iter().enumerate() {
            let e = &loose[id as usize];
            source[lane] = id;
            for v in 0..V {
                block.places[v][lane] = Place::new::<Vertex<T>>(e.index[v]);
            }
            for p in 0..P {
                block.rest[p][lane] = T::of(e.rest[p]);
            }
            for r in 0..R {
                block.stiffness[r][lane] = T::of(e.stiffness[r]);
                damping[r][lane] = T::of(e.damping[r]);
                self.stiff_rows |= u32::from(e.stiffness[r] > 0.0) << r;
                self.damped_rows |= u32::from(e.damping[r] > 0.0) << r;
            }
        }
        self.blocks.push(block);
        self.source.push(source);
        if damped {
            self.damping.push(damping);
        }
    }

    fn push_elastic(&mut self, loose: &[Loose<V, P, R>], chunk: &[u32]) {
        let zero = T::of(0.0);
        let mut out =
            Elastic { compliance: [[T::of(SLACK); BLOCK]; R], coupling: [[zero; BLOCK]; 3], gamma: [[zero; BLOCK]; R] };
        let mut viscous = false;
        for (lane, &id) in chunk.iter().enumerate() {
            let Some(e) = &loose[id as usize].elastic else { continue };
            for r in 0..R {
                out.compliance[r][lane] = T::of(e.diagonal[r]);
                out.gamma[r][lane] = T::of(e.gamma[r]);
                self.elastic_rows |= u32::from(e.diagonal[r] < SLACK) << r;
                viscous |= e.gamma[r] > 0.0;
            }
            for c in 0..3 {
                out.coupling[c][lane] = T::of(e.coupling[c]);
            }
        }
        self.elastic.push(out);
        self.viscous.push(viscous);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loose(index: [u32; 2]) -> Loose<2, 1, 1> {
        Loose { index, rest: [1.0], stiffness: [1.0], damping: [0.0], elastic: None }
    }

    #[test]
    fn no_two_elements_of_a_colour_share_a_vertex_even_at_high_valence() {
        // A fan of 200 edges about vertex 0, and a ring.
        let mut elements: Vec<_> = (1..=200).map(|i| loose([0, i])).collect();
        elements.extend((1..200).map(|i| loose([i, i + 1])));
        let batch = Batch::<f32, 2, 1, 1>::pack(&elements, 201);
        let vertex = |b: usize, v: usize, lane: usize| batch.blocks[b].places[v][lane].index::<Vertex<f32>>();
        let mut seen_elements = 0;
        for colour in &batch.colours {
            let mut seen = std::collections::HashSet::new();
            for b in colour.clone() {
                for lane in 0..BLOCK {
                    if batch.source[b][lane] == u32::MAX {
                        assert_eq!(vertex(b, 0, lane), 201);
                        continue;
                    }
                    seen_elements += 1;
                    for v in 0..2 {
                        assert!(seen.insert(vertex(b, v, lane)), "a vertex twice in one colour");
                    }
                }
            }
        }
        assert_eq!(seen_elements, elements.len());
        assert!(batch.colours.len() >= 200, "a fan of 200 needs 200 colours");
    }

    /// Elements that only look at a vertex need no colours of their own for it, but one that moves it does.
    #[test]
    fn vertices_that_are_only_looked_at_may_be_in_many_elements_of_a_colour() {
        let tied: Vec<_> = (1..=40).map(|i| loose([0, i])).chain((1..=40).map(|i| loose([41, i]))).collect();
        let batch = Batch::<f32, 2, 1, 1>::pack_moving(&tied, 42, 0b10);
        assert_eq!(batch.colours.len(), 2);
        // A chain: each element looks at what the one before moves.
        let chain: Vec<_> = (0..40).map(|i| loose([i, i + 1])).collect();
        let batch = Batch::<f32, 2, 1, 1>::pack_moving(&chain, 42, 0b10);
        let vertex = |b: usize, v: usize, lane: usize| batch.blocks[b].places[v][lane].index::<Vertex<f32>>();
        for colour in &batch.colours {
            let real = |v: usize| {
                let lanes = colour.clone().flat_map(|b| (0..BLOCK).map(move |lane| (b, lane)));
                lanes.map(move |(b, lane)| vertex(b, v, lane)).filter(|&v| v != 42)
            };
            assert!(real(0).all(|seen| real(1).all(|moved| moved != seen)));
        }
    }

    /// Colouring alone would not look at index 10,000: vertex 0 has filled the first 64 colours.
    #[test]
    #[should_panic(expected = "a vertex that there is not")]
    fn a_vertex_that_there_is_not_is_refused_at_any_valence() {
        let mut elements: Vec<_> = (1..=64).map(|i| loose([0, i])).collect();
        elements.push(loose([0, 10_000]));
        Batch::<f32, 2, 1, 1>::pack(&elements, 100);
    }
}
