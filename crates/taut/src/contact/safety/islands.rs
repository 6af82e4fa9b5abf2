//! Sets of vertices that hang together.

/// Disjoint sets of 0 to n − 1 (union–find with path halving). A set is named after its least member.
pub(in crate::contact) struct Islands(Vec<u32>);

impl Islands {
    pub fn new(count: usize) -> Self {
        Islands((0..count as u32).collect())
    }

    /// The name of the set that `i` is in.
    pub fn of(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            let up = self.0[self.0[i as usize] as usize];
            self.0[i as usize] = up;
            i = up;
        }
        i
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
