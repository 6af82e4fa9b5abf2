//! Which triangles meet at which edges.

/// Disjoint sets of numbers; the root of a set is its smallest member.
pub(super) struct Sets {
    parents: Vec<u32>,
}

impl Sets {
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    pub fn find(&mut self, mut x: u32) -> u32 {
        while self.parents[x as usize] != x {
            let grandparent = self.parents[self.parents[x as usize] as usize];
            self.parents[x as usize] = grandparent;
            x = grandparent;
        }
        x
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}

/// One side of a triangle: its two vertices in ascending order, and where it comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    pub edge: [u32; 2],
    /// Which of the usable triangles.
    pub triangle: u32,
    /// Its corner at the lower vertex, and the one at the higher.
    pub corners: [u8; 2],
}

impl Side {
    /// Whether the triangle runs from the lower vertex to the higher.
    pub fn is_forward(&self) -> bool {
        (self.corners[0] + 1) % 3 == self.corners[1]
    }

    /// The number of the triangle's corner at the lower (0) or higher (1) vertex, counted over all triangles.
    pub fn corner(&self, end: usize) -> u32 {
        3 * self.triangle + u32::from(self.corners[end])
    }
}

/// All sides, those of one edge next to each other.
pub(super) fn sorted_sides(triangles: &[(usize, [u32; 3])]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (i, (_, triangle)) in triangles.iter().enumerate() {
        for from in 0..3_u8 {
            let to = (from + 1) % 3;
            let (a, b) = (triangle[from as usize], triangle[to as usize]);
            let (edge, corners) = if a < b { ([a, b], [from, to]) } else { ([b, a], [to, from]) };
            sides.push(Side { edge, triangle: i as u32, corners });
        }
    }
    sides.sort_unstable();
    sides
}
