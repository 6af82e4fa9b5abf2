//! First-fit colouring.

use std::collections::HashMap;

/// The elements of each colour, in an order that walks through memory. In one colour no vertex that an element moves is
/// touched by another; bit k of `moves` says whether elements move their vertex k or only look at it.
///
/// Indices are below `vertices`.
pub(super) fn colours<const V: usize>(elements: &[[u32; V]], vertices: usize, moves: u32) -> Vec<Vec<u32>> {
    let moved = |k: usize| moves & (1 << k) != 0;
    let mut order: Vec<u32> = (0..elements.len() as u32).collect();
    order.sort_by_key(|&e| ((0..V).filter(|&k| moved(k)).map(|k| elements[e as usize][k]).min(), e));
    // Where all vertices of all elements are moved, one table says it all.
    let all = (0..V).all(moved);
    let (mut touched, mut changed) = (Used::new(vertices), Used::new(if all { 0 } else { vertices }));
    let mut colours: Vec<Vec<u32>> = Vec::new();
    for e in order {
        let index = &elements[e as usize];
        let mut word = (0..V).map(|k| touched.full(index[k]) * u32::from(moved(k))).max().unwrap_or(0);
        let c = loop {
            let seen = |k: usize| if moved(k) { touched.word(index[k], word) } else { changed.word(index[k], word) };
            let taken = (0..V).fold(0, |taken, k| taken | seen(k));
            if taken != u64::MAX {
                break word as usize * 64 + taken.trailing_ones() as usize;
            }
            word += 1;
        };
        for k in 0..V {
            touched.take(index[k], c);
            if !all && moved(k) {
                changed.take(index[k], c);
            }
        }
        if c == colours.len() {
            colours.push(Vec::new());
        }
        colours[c].push(e);
    }
    colours
}

/// Which colours each vertex has seen: one word for nearly all, more for the few of high valence.
struct Used {
    first: Vec<u64>,
    /// Words beyond the first, by vertex and word: only those with a colour in them.
    more: HashMap<(u32, u32), u64>,
    /// For vertices of high valence, how many words are full.
    full: HashMap<u32, u32>,
}

impl Used {
    fn new(vertices: usize) -> Self {
        Used { first: vec![0; vertices], more: HashMap::new(), full: HashMap::new() }
    }

    fn word(&self, vertex: u32, word: u32) -> u64 {
        match word {
            0 => self.first[vertex as usize],
            _ => self.more.get(&(vertex, word)).copied().unwrap_or(0),
        }
    }

    fn full(&self, vertex: u32) -> u32 {
        if self.full.is_empty() { 0 } else { self.full.get(&vertex).copied().unwrap_or(0) }
    }

    fn take(&mut self, vertex: u32, colour: usize) {
        let (word, bit) = ((colour / 64) as u32, 1u64 << (colour % 64));
        let full = self.full(vertex);
        let seen =
            if word == 0 { &mut self.first[vertex as usize] } else { self.more.entry((vertex, word)).or_default() };
        *seen |= bit;
        if *seen == u64::MAX && full == word {
            self.full.insert(vertex, word + 1);
        }
    }
}
