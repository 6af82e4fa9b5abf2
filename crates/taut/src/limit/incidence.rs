//! Which corners of elements meet at each vertex.

/// The corners at each vertex, in ascending order.
#[derive(Clone, Debug)]
pub(super) struct Incidence {
    /// Where each vertex's corners begin in `corners`; one more at the end.
    start: Vec<u32>,
    corners: Vec<u32>,
}

impl Incidence {
    /// From pairs of a corner and its vertex, below `vertices`.
    pub fn new(vertices: usize, corners: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut start = vec![0u32; vertices + 2];
        for (_, v) in corners.clone() {
            start[v as usize + 2] += 1;
        }
        for v in 2..start.len() {
            start[v] += start[v - 1];
        }
        let mut list = vec![0; start[vertices + 1] as usize];
        for (corner, v) in corners {
            let next = &mut start[v as usize + 1];
            list[*next as usize] = corner;
            *next += 1;
        }
        start.pop();
        Incidence { start, corners: list }
    }

    /// Those at one vertex.
    pub fn at(&self, vertex: usize) -> &[u32] {
        &self.corners[self.start[vertex] as usize..self.start[vertex + 1] as usize]
    }
}
