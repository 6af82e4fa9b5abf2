//! Active sets: which blocks a round has to visit.
//!
//! A first round looks at everything. From then on only blocks are visited that have a vertex in a stretch of memory (a
//! tile of vertices) where something was moved in the round before.

use super::batch::{Batch, Block};
use super::lot::PerBlock;
use crate::lanes::{BLOCK, Place, Scalar, SharedVec, Vertex};
use crate::sets::Grouped;
use crate::team::{Worker, chunk};
use core::ops::Range;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Vertices in a tile.
pub(crate) const TILE: usize = 8;
/// Lists of blocks shorter than this are not worth sharing.
const WORTH_SHARING: usize = 256;
/// Most workers that look for what a round touched: each has sets of its own for it.
const SEEKERS: usize = 8;

/// Some blocks of a batch, or all.
#[derive(Clone, Copy, Debug)]
pub struct Active<'a> {
    /// Ascending, each once; nothing for all. Only an [`ActiveSet`] makes one.
    list: Option<&'a [AtomicU32]>,
    /// The number of the batch's first block in the list.
    first: usize,
}

impl<'a> Active<'a> {
    /// One worker's chunk of those of a colour.
    pub(super) fn chunk(self, worker: Worker<'_>, colour: Range<usize>) -> Chosen<'a> {
        let Active { list, first } = self;
        let Some(list) = list else { return Chosen { list: None, range: worker.chunk(colour), first } };
        let before = |end: usize| list.partition_point(|b| (b.load(Ordering::Relaxed) as usize) < first + end);
        Chosen { list: Some(list), range: worker.chunk(before(colour.start)..before(colour.end)), first }
    }
}

/// One worker's blocks of a colour: in a row, or places in a list of them.
pub(super) struct Chosen<'a> {
    list: Option<&'a [AtomicU32]>,
    range: Range<usize>,
    first: usize,
}

impl super::sweep::Numbers for Chosen<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.range.len()
    }

    #[inline(always)]
    fn get(&self, i: usize) -> usize {
        match self.list {
            Some(list) => list[self.range.start + i].load(Ordering::Relaxed) as usize - self.first,
            None => self.range.start + i,
        }
    }
}

/// What moves vertices beside sweeps: gets tiles, and adds the vertices that it moves.
pub(crate) type MoveBeside<'a> = &'a mut dyn FnMut(&[u32], &Marks);

/// Which blocks of some batches a round has to visit. The batches' blocks are numbered one after another.
#[derive(Debug, Default)]
pub(crate) struct ActiveSet {
    /// The blocks that have vertices in each tile.
    web: Grouped,
    /// Which elements of each block had something to move, a bit for each.
    moved: SharedVec<u16>,
    list: Vec<AtomicU32>,
    /// By worker.
    found: Vec<Seeker>,
    /// Tiles to be looked at by what moves vertices beside sweeps, as a set and as a list; and those in which it has
    /// moved something. The first worker's.
    kept: Marks,
    beside: Mutex<Vec<u32>>,
    moved_beside: Marks,
    listed: AtomicUsize,
    /// Blocks that the first round found something to move in.
    beyond: AtomicUsize,
}

/// What one worker has found that a round touched.
#[derive(Debug)]
struct Seeker {
    tiles: Marks,
    blocks: Marks,
}

/// A set of numbers: a bit for each. One worker at a time writes it.
#[derive(Debug, Default)]
pub(crate) struct Marks(Vec<AtomicU64>);

impl Marks {
    fn new(count: usize) -> Self {
        Marks((0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Adds a number.
    fn add(&self, number: u32) {
        let word = &self.0[number as usize / 64];
        word.store(word.load(Ordering::Relaxed) | 1 << (number % 64), Ordering::Relaxed);
    }

    fn word(&self, w: usize) -> u64 {
        self.0[w].load(Ordering::Relaxed)
    }

    fn add_word(&self, w: usize, word: u64) {
        self.0[w].store(self.word(w) | word, Ordering::Relaxed);
    }

    /// Adds the tile of a vertex.
    pub fn add_vertex(&self, vertex: u32) {
        self.add(vertex / TILE as u32);
    }

    /// Adds the tiles of those elements of a block whose bit is set in `lanes`.
    pub fn add_tiles<T: Scalar, const V: usize, const P: usize>(&self, block: &Block<T, V, P, 0>, mut lanes: u16) {
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            block.places.iter().for_each(|places| self.add(tile_of::<T>(places[lane])));
            lanes &= lanes - 1;
        }
    }

    fn clear(&self) {
        self.0.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }
}

/// The numbers of a word's bits that are set, ascending.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros());
        word &= word.wrapping_sub(1);
        bit
    })
}

/// The vertices of a tile.
pub(crate) fn vertices_of(tile: u32) -> Range<usize> {
    tile as usize * TILE..(tile as usize + 1) * TILE
}

fn tile_of<T: Scalar>(place: Place) -> u32 {
    (place.index::<Vertex<T>>() / TILE) as u32
}

/// All numbers in sets of the same size, for several workers to go through.
#[derive(Clone, Copy)]
struct Union<'a> {
    found: &'a [Seeker],
    set: fn(&Seeker) -> &Marks,
}

impl Union<'_> {
    fn word(self, w: usize) -> u64 {
        self.found.iter().fold(0, |all, found| all | (self.set)(found).0[w].load(Ordering::Relaxed))
    }

    /// Hands out the numbers of one chunk, ascending, with each number's place among all. Returns how many there are in
    /// all.
    fn chunk(self, id: usize, mut f: impl FnMut(usize, u32)) -> usize {
        let words = (self.set)(&self.found[0]).0.len();
        let total = (0..words).map(|w| self.word(w).count_ones() as usize).sum();
        // Whole words: that with a chunk's first number is the chunk's.
        let mine = chunk(0..total, id, self.found.len());
        let mut place = 0;
        for w in 0..words {
            let mut left = self.word(w);
            if !mine.contains(&place) {
                place += left.count_ones() as usize;
                continue;
            }
            while left != 0 {
                f(place, w as u32 * 64 + left.trailing_zeros());
                place += 1;
                left &= left - 1;
            }
        }
        total
    }
}

impl ActiveSet {
    /// Of the blocks of some batches, numbered one after another.
    pub fn new(batches: &[BatchTiles]) -> Self {
        let (mut pairs, mut blocks, mut span) = (Vec::new(), 0, 0);
        for batch in batches {
            pairs.extend(batch.pairs.iter().map(|&(tile, block)| (tile, block + blocks as u32)));
            (blocks, span) = (blocks + batch.blocks, batch.span.max(span));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let tiles = span / TILE + 1;
        ActiveSet {
            web: Grouped::new(tiles, pairs.iter().copied()),
            moved: SharedVec::new(vec![0; blocks]),
            list: (0..blocks).map(|_| AtomicU32::new(0)).collect(),
            found: (0..SEEKERS).map(|_| Seeker { tiles: Marks::new(tiles), blocks: Marks::new(blocks) }).collect(),
            beside: Mutex::default(),
            moved_beside: Marks::new(tiles),
            kept: Marks::new(tiles),
            listed: AtomicUsize::new(0),
            beyond: AtomicUsize::new(0),
        }
    }

    pub fn bytes(&self) -> usize {
        let found: usize = self.found.iter().map(|f| size_of_val(&*f.tiles.0) + size_of_val(&*f.blocks.0)).sum();
        self.web.bytes() + self.moved.bytes() + size_of_val(&*self.list) + found
    }
}

/// What an [`ActiveSet`] needs to know of a batch: the tiles of each block's vertices, with the block's number.
pub(crate) struct BatchTiles {
    pairs: Vec<(u32, u32)>,
    blocks: usize,
    span: usize,
}

impl BatchTiles {
    pub fn of<T: Scalar, const V: usize, const P: usize>(batch: &Batch<T, V, P, 0>) -> Self {
        let mut pairs = Vec::new();
        for (b, block) in batch.blocks().iter().enumerate() {
            for lane in (0..BLOCK).filter(|&l| batch.source[b][l] != u32::MAX) {
                for places in &block.places {
                    pairs.push((tile_of::<T>(places[lane]), b as u32));
                }
            }
        }
        BatchTiles { pairs, blocks: batch.blocks().len(), span: batch.span() }
    }
}

/// A round over an active set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// 0 for the first, over everything.
    pub number: u32,
    /// How many blocks it visits.
    pub count: usize,
}

impl Round {
    /// Who goes through it: all together, or, if it is short, one alone.
    pub fn workers(self, worker: Worker<'_>) -> Option<Worker<'_>> {
        if self.number == 0 || self.count >= WORTH_SHARING { Some(worker) } else { worker.alone() }
    }
}

impl ActiveSet {
    /// Where sweeps mark what they move, of a batch whose first block has this number.
    pub fn marks<T, const V: usize, const P: usize>(
        &self,
        batch: &Batch<T, V, P, 0>,
        first: usize,
    ) -> PerBlock<'_, u16, 1> {
        PerBlock::new(batch, self.moved.shared(), first)
    }

    /// The first round, over everything. Workers must meet before they [collect](Self::collect) what it touched.
    pub fn first(&self, worker: Worker<'_>) -> Round {
        if worker.id() == 0 {
            self.beyond.store(0, Ordering::Relaxed);
            self.kept.clear();
        }
        Round { number: 0, count: self.list.len() }
    }

    /// The blocks to visit in a round, for a batch whose first block has this number.
    pub fn blocks(&self, round: Round, first: usize) -> Active<'_> {
        Active { list: (round.number > 0).then(|| &self.list[..round.count]), first }
    }

    /// Lists the blocks that the last round may have changed. `tiles` adds those that elements of a block touch.
    /// `beside`, if there is something that moves vertices beside sweeps, is called by the first worker, alone, with
    /// the tiles in which the last round or it itself has moved something, ascending; it adds the vertices that it
    /// moves. If not `now`, these tiles are kept for later.
    pub fn collect(
        &self,
        worker: Worker<'_>,
        last: Round,
        tiles: impl Fn(usize, u16, &Marks),
        beside: Option<MoveBeside<'_>>,
        now: bool,
    ) -> Round {
        let Round { number, count } = last;
        let all = number == 0;
        let seekers = if count >= WORTH_SHARING { worker.of().min(SEEKERS) } else { 1 };
        let found = &self.found[..seekers];
        let seek = |work: &dyn Fn(usize)| {
            if worker.id() < seekers {
                work(worker.id());
            }
            if seekers > 1 {
                worker.sync();
            }
        };
        let moved = worker.read(self.moved.shared());
        seek(&|id| self.find_tiles(chunk(0..count, id, seekers), all, moved, &tiles, &found[id].tiles));
        if let Some(beside) = beside {
            if worker.id() == 0 {
                self.move_beside(found, now.then_some(beside));
            }
            if seekers > 1 {
                worker.sync();
            }
        }
        seek(&|id| self.find_blocks(found, id));
        seek(&|id| self.list_blocks(found, id));
        worker.sync();
        Round { number: number + 1, count: self.listed.load(Ordering::Relaxed) }
    }

    /// Lets `beside` move vertices in tiles that were found, in those that it moved before, and in those kept for it;
    /// or keeps them.
    fn move_beside(&self, found: &[Seeker], beside: Option<MoveBeside<'_>>) {
        let (tiles, kept, moved) = (&found[0].tiles, &self.kept, &self.moved_beside);
        let words = tiles.0.len();
        (0..words).for_each(|w| kept.add_word(w, Union { found, set: |f| &f.tiles }.word(w)));
        let Some(beside) = beside else { return };
        self.move_kept(beside);
        for w in 0..words {
            tiles.add_word(w, moved.word(w));
            kept.add_word(w, moved.word(w));
        }
    }

    /// Lets `beside` move vertices in the tiles kept for it.
    fn move_kept(&self, beside: MoveBeside<'_>) {
        let mut list = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        list.clear();
        list.extend((0..self.kept.0.len()).flat_map(|w| bits(self.kept.word(w)).map(move |bit| w as u32 * 64 + bit)));
        self.kept.clear();
        self.moved_beside.clear();
        beside(&list, &self.moved_beside);
    }

    /// There is no further round: what moves vertices beside sweeps has the last word.
    pub fn end(&self, worker: Worker<'_>, beside: Option<MoveBeside<'_>>) {
        if let (Some(beside), 0) = (beside, worker.id()) {
            self.move_kept(beside);
        }
        worker.sync();
    }

    /// The part of all blocks that the first round found something to move in.
    pub fn part(&self) -> f64 {
        self.beyond.load(Ordering::Relaxed) as f64 / self.list.len() as f64
    }

    /// The tiles in which something was moved, by some of the blocks of the list, or of all.
    fn find_tiles(
        &self,
        some: Range<usize>,
        all: bool,
        moved: &[u16],
        tiles: &impl Fn(usize, u16, &Marks),
        into: &Marks,
    ) {
        into.clear();
        let mut beyond = 0;
        for i in some {
            let b = if all { i } else { self.list[i].load(Ordering::Relaxed) as usize };
            beyond += usize::from(moved[b] != 0);
            tiles(b, moved[b], into);
        }
        if all {
            self.beyond.fetch_add(beyond, Ordering::Relaxed);
        }
    }

    /// The blocks with vertices in a worker's chunk of the tiles that all have found.
    fn find_blocks(&self, found: &[Seeker], id: usize) {
        let blocks = &found[id].blocks;
        blocks.clear();
        let near = |tile| self.web.row(tile).iter().for_each(|&near| blocks.add(near));
        Union { found, set: |f| &f.tiles }.chunk(id, |_, tile| near(tile));
    }

    /// Writes a worker's chunk of the blocks that all have found into the list.
    fn list_blocks(&self, found: &[Seeker], id: usize) {
        let write = |place: usize, block| self.list[place].store(block, Ordering::Relaxed);
        let count = Union { found, set: |f| &f.blocks }.chunk(id, write);
        if id == 0 {
            self.listed.store(count, Ordering::Relaxed);
        }
    }
}
