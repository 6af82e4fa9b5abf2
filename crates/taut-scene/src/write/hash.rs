//! A 64-bit hash for telling files and scenes apart, and for finding damage. Not for secrets.
//!
//! Every word is mixed in by steps that can be undone, so two inputs of equal length that differ in one word never
//! share a hash. The result is part of file formats: it must not change.

/// A running hash. Feeding two slices is not the same as feeding their concatenation.
#[derive(Clone, Copy, Debug)]
pub struct Hash64(u64);

impl Default for Hash64 {
    fn default() -> Self {
        // The first digits of π.
        Self(0x243f_6a88_85a3_08d3)
    }
}

impl Hash64 {
    /// Mixes in a slice: its length, then its bytes eight at a time, the last word filled up with zeros.
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.word(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self
    }

    /// Mixes in one number.
    pub fn word(&mut self, word: u64) {
        // An odd multiplier (2⁶⁴ over the golden ratio) can be undone, and so can the shift.
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 29;
    }

    /// The hash of everything so far.
    pub fn finish(&self) -> u64 {
        let mut end = *self;
        end.word(0);
        end.0
    }
}

/// The hash of one slice, such as the text of a scene.
pub fn hash64(bytes: &[u8]) -> u64 {
    Hash64::default().update(bytes).finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_hash_is_frozen() {
        assert_eq!(hash64(b""), 0x4cb0_a81f_32fe_83a9);
        assert_eq!(hash64(b"taut simulates cloth"), 0xc2e2_4a31_441b_6d2b);
    }

    #[test]
    fn close_inputs_differ() {
        let base = [0x55_u8; 41];
        let mut seen = HashSet::from([hash64(&base), hash64(&base[..40]), hash64(b""), hash64(&[0]), hash64(&[0, 0])]);
        assert_eq!(seen.len(), 5);
        for bit in 0..41 * 8 {
            let mut flipped = base;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(hash64(&flipped)), "bit {bit}");
        }
    }
}
