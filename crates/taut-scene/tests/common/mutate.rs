//! Changes bytes at random, the same way every time.

/// Numbers without pattern: the generator of Knuth's MMIX.
pub struct Random(pub u64);

impl Random {
    /// A number below `end`, which is above 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// Words that mean something to some format.
const WORDS: [&[u8]; 16] = [
    b"-1",
    b"0",
    b"nan",
    b"1e308",
    b"4294967295",
    b"99999999999999999999",
    b"\n",
    b" ",
    b"[",
    b"{",
    b"]",
    b"=",
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"#",
];

/// Some seeds' offspring: bytes flipped, removed, repeated, exchanged for words, crossed with another seed.
pub fn mutate(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut out = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(6) {
        let (at, length) = (random.below(out.len() + 1), 1 + random.below(24));
        let end = (at + length).min(out.len());
        match random.below(6) {
            0 if at < out.len() => out[at] ^= 1 << random.below(8),
            1 => drop(out.drain(at..end)),
            2 => {
                let piece = out[at..end].to_vec();
                let to = random.below(out.len() + 1);
                out.splice(to..to, piece);
            }
            3 => drop(out.splice(at..end, WORDS[random.below(WORDS.len())].iter().copied())),
            4 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let to = (from + 4 * length).min(other.len());
                out.splice(at..at, other[from..to].iter().copied());
            }
            _ => out.truncate(at.max(out.len() / 2)),
        }
    }
    out
}
