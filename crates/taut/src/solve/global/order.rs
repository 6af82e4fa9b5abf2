//! In which order to eliminate vertices, so that few blocks fill in.

use std::collections::BTreeSet;

/// Minimum degree on the quotient graph, with the approximate degrees of Amestoy, Davis and Duff ("An approximate
/// minimum degree ordering algorithm", 1996). `starts` and `columns` are a symmetric pattern. Ties go to the lower
/// number, so the result depends on nothing but the pattern.
///
/// An eliminated vertex becomes a clique of its neighbours; cliques that a new one contains are dead.
pub(super) fn minimum_degree(starts: &[u32], columns: &[u32]) -> Vec<u32> {
    let n = starts.len().saturating_sub(1);
    let mut graph = Quotient::new(starts, columns);
    let mut order = Vec::with_capacity(n);
    while let Some((_, pivot)) = graph.queue.pop_first() {
        order.push(pivot);
        let clique = graph.eliminate(pivot as usize);
        if clique.len() == graph.queue.len() {
            // What is left is one clique: any order is as good.
            order.extend(clique);
            break;
        }
        graph.update(pivot, clique);
    }
    order
}

struct Quotient {
    /// Neighbours of each vertex by edges that no clique covers.
    edges: Vec<Vec<u32>>,
    /// The cliques that each vertex is in, by the vertex whose elimination made them.
    cliques: Vec<Vec<u32>>,
    /// The members of each clique; empty when it is dead.
    members: Vec<Vec<u32>>,
    degrees: Vec<u32>,
    queue: BTreeSet<(u32, u32)>,
    /// Which vertices are in the newest clique.
    stamps: Vec<u32>,
    stamp: u32,
    /// How many members of a clique are not in the newest one, valid where the stamp is.
    outside: Vec<u32>,
    outside_stamps: Vec<u32>,
}

impl Quotient {
    fn new(starts: &[u32], columns: &[u32]) -> Self {
        let n = starts.len().saturating_sub(1);
        let row = |v: usize| &columns[starts[v] as usize..starts[v + 1] as usize];
        let edges: Vec<Vec<u32>> =
            (0..n).map(|v| row(v).iter().copied().filter(|&c| c as usize != v).collect()).collect();
        let degrees: Vec<u32> = edges.iter().map(|e| e.len() as u32).collect();
        Quotient {
            queue: degrees.iter().enumerate().map(|(v, &d)| (d, v as u32)).collect(),
            edges,
            degrees,
            cliques: vec![Vec::new(); n],
            members: vec![Vec::new(); n],
            stamps: vec![0; n],
            stamp: 0,
            outside: vec![0; n],
            outside_stamps: vec![0; n],
        }
    }

    /// The neighbours of `pivot`, stamped, in ascending order; the cliques that it was in die.
    fn eliminate(&mut self, pivot: usize) -> Vec<u32> {
        self.stamp += 1;
        self.stamps[pivot] = self.stamp;
        let mut clique = Vec::new();
        let mut lists = vec![core::mem::take(&mut self.edges[pivot])];
        for c in core::mem::take(&mut self.cliques[pivot]) {
            lists.push(core::mem::take(&mut self.members[c as usize]));
        }
        for v in lists.into_iter().flatten() {
            if self.stamps[v as usize] != self.stamp {
                self.stamps[v as usize] = self.stamp;
                clique.push(v);
            }
        }
        clique.sort_unstable();
        clique
    }

    /// Takes `clique`, made by `pivot`, into the graph, and its members' degrees anew.
    fn update(&mut self, pivot: u32, clique: Vec<u32>) {
        let (stamp, size) = (self.stamp, clique.len() as u32);
        for &v in &clique {
            let v = v as usize;
            let members = &self.members;
            self.cliques[v].retain(|&c| !members[c as usize].is_empty());
            let stamps = &self.stamps;
            self.edges[v].retain(|&u| stamps[u as usize] != stamp);
            for &c in &self.cliques[v] {
                let c = c as usize;
                if self.outside_stamps[c] != stamp {
                    (self.outside_stamps[c], self.outside[c]) = (stamp, self.members[c].len() as u32);
                }
                self.outside[c] -= 1;
            }
        }
        for &v in &clique {
            let at = v as usize;
            let outside = &self.outside;
            self.cliques[at].retain(|&c| outside[c as usize] > 0);
            let beyond: u32 = self.cliques[at].iter().map(|&c| outside[c as usize]).sum();
            let degree = (self.edges[at].len() as u32 + size - 1 + beyond).min(self.degrees[at] + size - 1);
            self.queue.remove(&(self.degrees[at], v));
            self.queue.insert((degree, v));
            self.degrees[at] = degree;
            self.cliques[at].push(pivot);
        }
        self.members[pivot as usize] = clique;
    }
}
