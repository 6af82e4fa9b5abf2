//! The limit on stretch: sweeps that visit only what may be beyond it.
//!
//! A first sweep looks at everything. From then on only blocks are visited that have a vertex in a stretch of memory (a tile of
//! vertices) where something was moved in the round before.

use super::kernels::{Cells, Ground, LOOSE, Law, Limit, Links, Measure, Which};
use super::sheet::{Sheet, area};
use super::{AIM, HASTE, KAPPA, bytes_of};
use crate::lanes::{BLOCK, Place, Scalar, Shared, Vertex, Width};
use crate::pack::{Batch, Block, Loose};
use crate::team::{Worker, share};
use core::ops::Range;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use fearless_simd::Level as Cpu;

/// Vertices in a tile.
const TILE: usize = 8;
/// Lists of blocks shorter than this are not worth sharing.
const WORTH_SHARING: usize = 256;
/// Most workers that look for what a round touched: each has sets of its own for it.
const SEEKERS: usize = 8;

/// The elements under the limit. Blocks of cells are numbered after those of links.
#[derive(Debug)]
pub(crate) struct Bounds<T> {
    links: Batch<T, 2, 2, 0>,
    cells: Batch<T, 3, 6, 0>,
    colours: Vec<Range<usize>>,
    /// The blocks that have vertices in each tile.
    web: Rows,
    moved: Vec<u16>,
    list: Vec<u32>,
    /// By worker.
    found: Vec<Found>,
    listed: AtomicUsize,
    beyond: AtomicUsize,
}

impl<T> Default for Bounds<T> {
    fn default() -> Self {
        Bounds {
            links: Batch::default(),
            cells: Batch::default(),
            colours: Vec::new(),
            web: Rows::default(),
            moved: Vec::new(),
            list: Vec::new(),
            found: Vec::new(),
            listed: AtomicUsize::new(0),
            beyond: AtomicUsize::new(0),
        }
    }
}

/// Lists of numbers, one after another.
#[derive(Debug, Default)]
struct Rows {
    start: Vec<u32>,
    numbers: Vec<u32>,
}

impl Rows {
    fn of(pairs: &[(u32, u32)], rows: usize) -> Self {
        let mut start = vec![0u32; rows + 1];
        for (row, _) in pairs {
            start[*row as usize + 1] += 1;
        }
        for r in 0..rows {
            start[r + 1] += start[r];
        }
        Rows { start, numbers: pairs.iter().map(|p| p.1).collect() }
    }

    fn row(&self, row: u32) -> &[u32] {
        &self.numbers[self.start[row as usize] as usize..self.start[row as usize + 1] as usize]
    }
}

/// What one worker has found that a round touched.
#[derive(Debug)]
struct Found {
    tiles: Marks,
    blocks: Marks,
}

/// A set of numbers: a bit for each. One worker at a time writes it.
#[derive(Debug)]
struct Marks(Vec<AtomicU64>);

impl Marks {
    fn new(count: usize) -> Self {
        Marks((0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn add(&self, number: u32) {
        let word = &self.0[number as usize / 64];
        word.store(word.load(Ordering::Relaxed) | 1 << (number % 64), Ordering::Relaxed);
    }

    fn clear(&self) {
        self.0.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }
}

/// All numbers in sets of the same size, for several workers to go through.
#[derive(Clone, Copy)]
struct Union<'a> {
    found: &'a [Found],
    set: fn(&Found) -> &Marks,
}

impl Union<'_> {
    fn word(self, w: usize) -> u64 {
        self.found.iter().fold(0, |all, found| all | (self.set)(found).0[w].load(Ordering::Relaxed))
    }

    /// Hands out the numbers of one share of `of`, ascending, with each number's place among all. Returns how many there are in all.
    fn share(self, id: usize, mut f: impl FnMut(usize, u32)) -> usize {
        let words = (self.set)(&self.found[0]).0.len();
        let total = (0..words).map(|w| self.word(w).count_ones() as usize).sum();
        // Whole words: that with a share's first number is the share's.
        let mine = share(0..total, id, self.found.len());
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

impl<T: Scalar> Bounds<T> {
    /// `pins` are the held vertices, ascending: what is between them alone is where it is.
    pub(super) fn new(sheet: &Sheet, pins: &[u32]) -> Self {
        let spare = sheet.vertices() as u32;
        let fixed = |corners: &[u32]| corners.iter().all(|v| pins.binary_search(v).is_ok());
        let links: Vec<Loose<2, 2, 0>> = sheet
            .links
            .iter()
            .filter(|(ends, _)| !fixed(ends))
            .map(|&(index, l)| Loose { index, rest: [l * l, l], stiffness: [], damping: [], elastic: None })
            .collect();
        let linked = sheet.linked();
        let cells: Vec<Loose<3, 6, 0>> = (0..sheet.triangles.len())
            .filter(|&t| !linked[t])
            .filter_map(|t| cell(sheet.triangles[t], &sheet.edges[t], sheet.held[t], fixed))
            .collect();
        let (links, cells) = (Batch::pack(&links, spare), Batch::pack(&cells, spare));
        let first = links.blocks.len();
        let blocks = first + cells.blocks.len();
        let after = |c: &Range<usize>| first + c.start..first + c.end;
        let colours = links.colours.iter().cloned().chain(cells.colours.iter().map(after)).collect();
        let mut pairs = pairs_of(&links, 0);
        pairs.extend(pairs_of(&cells, first as u32));
        pairs.sort_unstable();
        pairs.dedup();
        let tiles = sheet.vertices() / TILE + 1;
        Bounds {
            links,
            cells,
            colours,
            web: Rows::of(&pairs, tiles),
            moved: vec![0; blocks],
            list: vec![0; blocks],
            found: (0..SEEKERS).map(|_| Found { tiles: Marks::new(tiles), blocks: Marks::new(blocks) }).collect(),
            listed: AtomicUsize::new(0),
            beyond: AtomicUsize::new(0),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let web = bytes_of(&self.web.start) + bytes_of(&self.web.numbers);
        let lists = bytes_of(&self.moved) + bytes_of(&self.list);
        let found: usize = self.found.iter().map(|f| bytes_of(&f.tiles.0) + bytes_of(&f.blocks.0)).sum();
        bytes_of(&self.links.blocks) + bytes_of(&self.cells.blocks) + web + lists + found
    }

    /// Elements.
    pub(super) fn count(&self) -> usize {
        self.links.count + self.cells.count
    }

    pub(super) fn desk(&mut self, max_stretch: f64) -> Desk<'_, T> {
        let Bounds { links, cells, colours, web, moved, list, found, listed, beyond } = self;
        Desk {
            links,
            cells,
            colours,
            web,
            found,
            listed,
            beyond,
            moved: Shared::new(moved),
            list: Shared::new(list),
            max_stretch,
        }
    }
}

/// A triangle's stretch rows, of directions that are held and that corners have a say in which are not `fixed`.
fn cell(
    index: [u32; 3],
    edges: &[[f64; 2]; 2],
    held: [bool; 2],
    fixed: impl Fn(&[u32]) -> bool,
) -> Option<Loose<3, 6, 0>> {
    let [[a, b], [c, d]] = *edges;
    let over = 1.0 / (a * d - b * c);
    let rows = [[d * over, -b * over], [-c * over, a * over]];
    let free = |[r, s]: [f64; 2]| {
        let parts = [-r - s, r, s].map(f64::abs);
        let most = parts.iter().copied().fold(0.0, f64::max);
        (0..3).any(|k| parts[k] > 0.01 * most && !fixed(&[index[k]]))
    };
    let most = [0, 1].map(|k| if held[k] && free(rows[k]) { 1.0 } else { LOOSE });
    let [[p, q], [r, s]] = rows;
    let rest = [p, q, r, s, most[0], most[1]];
    let some = area(edges) > 0.0 && most != [LOOSE; 2];
    some.then_some(Loose { index, rest, stiffness: [], damping: [], elastic: None })
}

/// The tiles of each block's vertices, with the block's number.
fn pairs_of<T: Scalar, const V: usize, const P: usize>(batch: &Batch<T, V, P, 0>, first: u32) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (b, block) in batch.blocks.iter().enumerate() {
        for lane in (0..BLOCK).filter(|&l| batch.source[b][l] != u32::MAX) {
            for places in &block.places {
                pairs.push((tile_of::<T>(places[lane]), first + b as u32));
            }
        }
    }
    pairs
}

fn tile_of<T: Scalar>(place: Place) -> u32 {
    (place.index::<Vertex<T>>() / TILE) as u32
}

/// The tiles of those elements of a block that moved something.
fn each_tile<T: Scalar, const V: usize, const P: usize>(
    block: &Block<T, V, P, 0>,
    mut lanes: u16,
    mut f: impl FnMut(u32),
) {
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        block.places.iter().for_each(|places| f(tile_of::<T>(places[lane])));
        lanes &= lanes - 1;
    }
}

/// The limit during a step.
pub(crate) struct Desk<'a, T> {
    links: &'a Batch<T, 2, 2, 0>,
    cells: &'a Batch<T, 3, 6, 0>,
    colours: &'a [Range<usize>],
    web: &'a Rows,
    found: &'a [Found],
    listed: &'a AtomicUsize,
    /// Blocks that the first sweep found something to move in.
    beyond: &'a AtomicUsize,
    moved: Shared<'a, u16>,
    list: Shared<'a, u32>,
    max_stretch: f64,
}

/// Positions that a limit moves.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a, T> {
    pub x: Shared<'a, Vertex<T>>,
    pub free: Shared<'a, Vertex<T>>,
    pub width: Width,
    pub cpu: Cpu,
    /// How much velocity a displacement of x over x̃ means, times the substep's length.
    pub gain: f64,
    /// The substep's part of the step.
    pub part: f64,
}

impl<T: Scalar> Desk<'_, T> {
    /// Brings every element within the limit, in at most `rounds`. Returns how many it took, and whether that was enough.
    pub fn pass(&self, worker: Worker<'_>, places: Places<'_, T>, rounds: u32) -> (u32, bool) {
        if self.colours.is_empty() || self.max_stretch <= 0.0 {
            return (0, true);
        }
        let kappa = KAPPA.min(HASTE * places.part);
        let mut law = self.law(kappa, places);
        if worker.id == 0 {
            self.beyond.store(0, Ordering::Relaxed);
        }
        for colour in self.colours {
            self.run(Which::All(worker.share(colour.clone())), &law, places);
            worker.sync();
        }
        let (mut done, mut count) = (1, self.moved.len());
        loop {
            self.collect(worker, count, done == 1);
            worker.sync();
            count = self.listed.load(Ordering::Relaxed);
            if done == 1 {
                // Over cloth that nothing else holds, where nearly all is beyond the limit, velocities would grow without bound.
                let part = self.beyond.load(Ordering::Relaxed) as f64 / self.moved.len() as f64;
                law = self.law(kappa * (2.0 - 2.0 * part).clamp(0.0, 1.0), places);
            }
            if count == 0 || done >= rounds {
                return (done, count == 0);
            }
            self.round(worker, count, &law, places);
            done += 1;
        }
    }

    fn law(&self, kappa: f64, places: Places<'_, T>) -> Law {
        Law {
            // Rounding must not push what has just been brought to the limit over it.
            top: 1.0 + 0.95 * self.max_stretch,
            goal: 1.0 + AIM * self.max_stretch,
            still: 1.0 - kappa / places.gain.max(1e-3),
        }
    }

    /// One round over the list.
    fn round(&self, worker: Worker<'_>, count: usize, law: &Law, places: Places<'_, T>) {
        // SAFETY: the list was written before all met; nobody writes it until they meet again.
        let list = unsafe { self.list.first(count) };
        let shared = count >= WORTH_SHARING;
        if shared || worker.id == 0 {
            for colour in self.colours {
                let start = list.partition_point(|&b| (b as usize) < colour.start);
                let end = list.partition_point(|&b| (b as usize) < colour.end);
                let mine = if shared { worker.share(start..end) } else { start..end };
                self.run(Which::These(&list[mine]), law, places);
                if shared {
                    worker.sync();
                }
            }
        }
        worker.sync();
    }

    /// Treats blocks of one colour.
    fn run(&self, which: Which<'_>, law: &Law, places: Places<'_, T>) {
        let first = self.links.blocks.len();
        let number = match &which {
            Which::All(range) => range.start,
            Which::These(list) => list.first().map_or(0, |&b| b as usize),
        };
        let Places { x, free, width, cpu, .. } = places;
        let ground = Ground { x, free, moved: self.moved };
        // SAFETY: vertices are in range and appear once in a colour: the builder's promise; every block has its mark. Workers have
        // disjoint blocks of a colour and meet before the next.
        unsafe {
            if number < first {
                T::run(width, cpu, Limit::<Links, T, 2, 2>::new(&self.links.blocks, 0, which, *law, ground));
            } else {
                T::run(width, cpu, Limit::<Cells, T, 3, 6>::new(&self.cells.blocks, first, which, *law, ground));
            }
        }
    }

    /// Lists the blocks that the last round over a list of `count`, or the first sweep over all, may have stretched.
    fn collect(&self, worker: Worker<'_>, count: usize, all: bool) {
        let seekers = if count >= WORTH_SHARING { worker.of.min(SEEKERS) } else { 1 };
        let found = &self.found[..seekers];
        let seek = |work: &dyn Fn(usize)| {
            if worker.id < seekers {
                work(worker.id);
            }
            if seekers > 1 {
                worker.sync();
            }
        };
        seek(&|id| self.find_tiles(share(0..count, id, seekers), all, &found[id].tiles));
        seek(&|id| self.find_blocks(found, id));
        seek(&|id| self.list_blocks(found, id));
    }

    /// The tiles in which something was moved, by some of the blocks of the list, or of all.
    fn find_tiles(&self, some: Range<usize>, all: bool, tiles: &Marks) {
        tiles.clear();
        // SAFETY: nobody writes either before all have met again.
        let (list, moved) = unsafe { (self.list.first(self.list.len()), self.moved.first(self.moved.len())) };
        let first = self.links.blocks.len();
        let mut beyond = 0;
        for i in some {
            let b = if all { i } else { list[i] as usize };
            beyond += usize::from(moved[b] != 0);
            match self.links.blocks.get(b) {
                Some(block) => each_tile(block, moved[b], |tile| tiles.add(tile)),
                None => each_tile(&self.cells.blocks[b - first], moved[b], |tile| tiles.add(tile)),
            }
        }
        if all {
            self.beyond.fetch_add(beyond, Ordering::Relaxed);
        }
    }

    /// The blocks with vertices in a worker's share of the tiles that all have found.
    fn find_blocks(&self, found: &[Found], id: usize) {
        let blocks = &found[id].blocks;
        blocks.clear();
        let near = |tile| self.web.row(tile).iter().for_each(|&near| blocks.add(near));
        Union { found, set: |f| &f.tiles }.share(id, |_, tile| near(tile));
    }

    /// Writes a worker's share of the blocks that all have found into the list.
    fn list_blocks(&self, found: &[Found], id: usize) {
        // SAFETY: numbers of blocks are places of the list, each of which one worker writes; nobody reads it before all have met.
        let write = |place: usize, block| unsafe { self.list.write(Place::new::<u32>(place as u32), block) };
        let count = Union { found, set: |f| &f.blocks }.share(id, write);
        if id == 0 {
            self.listed.store(count, Ordering::Relaxed);
        }
    }

    /// The largest stretch of this worker's share of the elements.
    pub fn stretch(&self, worker: Worker<'_>, places: Places<'_, T>) -> f64 {
        let mut most = 0.0;
        let Places { x, width, cpu, .. } = places;
        let links = &self.links.blocks[worker.share(0..self.links.blocks.len())];
        let cells = &self.cells.blocks[worker.share(0..self.cells.blocks.len())];
        // SAFETY: the builder's vertices are in range, and nobody moves them until all workers have measured and met.
        unsafe {
            T::run_cold(width, cpu, Measure::<Links, T, 2, 2>::new(links, x, &mut most));
            T::run_cold(width, cpu, Measure::<Cells, T, 3, 6>::new(cells, x, &mut most));
        }
        (most - 1.0).max(0.0)
    }
}
