//! Numbers that belong together.

/// Disjoint sets of 0 to n − 1 (union–find with path halving). A set is named after its least member.
pub(crate) struct DisjointSets(Vec<u32>);

impl DisjointSets {
    pub fn new(count: usize) -> Self {
        DisjointSets((0..count as u32).collect())
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

    /// The name of every number's set.
    pub fn names(mut self) -> Vec<u32> {
        (0..self.0.len() as u32).map(|i| self.of(i)).collect()
    }
}

/// Lists of numbers, one for each row, one after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grouped {
    /// Where each row's numbers begin; one more at the end.
    start: Vec<u32>,
    numbers: Vec<u32>,
}

impl Grouped {
    /// From pairs of a row, below `rows`, and a number: each row's in the order of the pairs.
    pub fn new(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut start = vec![0u32; rows + 2];
        for (row, _) in pairs.clone() {
            start[row as usize + 2] += 1;
        }
        for row in 2..start.len() {
            start[row] += start[row - 1];
        }
        let mut numbers = vec![0; start[rows + 1] as usize];
        for (row, number) in pairs {
            let next = &mut start[row as usize + 1];
            numbers[*next as usize] = number;
            *next += 1;
        }
        start.pop();
        Grouped { start, numbers }
    }

    /// The numbers of one row.
    pub fn row(&self, row: u32) -> &[u32] {
        &self.numbers[self.start[row as usize] as usize..self.start[row as usize + 1] as usize]
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&*self.start) + size_of_val(&*self.numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_numbers_in_order() {
        let pairs = [(2, 7), (0, 5), (2, 3), (0, 9)];
        let lists = Grouped::new(4, pairs.into_iter());
        let rows: Vec<&[u32]> = (0..4).map(|row| lists.row(row)).collect();
        assert_eq!(rows, [&[5, 9][..], &[], &[7, 3], &[]]);
    }

    #[test]
    fn sets_are_named_after_their_least() {
        let mut sets = DisjointSets::new(6);
        for (a, b) in [(5, 3), (3, 1), (4, 2)] {
            sets.join(a, b);
        }
        assert_eq!(sets.names(), [0, 1, 2, 1, 2, 1]);
    }
}
