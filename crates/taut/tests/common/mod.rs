//! What several tests share.
#![allow(dead_code)]

use taut::Solver;
use taut::internals::lanes::V3;
use taut::mesh::{TetMesh, TriMesh};

/// Every solver, Gauss–Seidel in three ways.
pub fn solvers() -> impl Iterator<Item = Solver> {
    let others = [(1.0, true), (1.4, false)].map(|(relaxation, block)| Solver::GaussSeidel { relaxation, block });
    Solver::ALL.into_iter().chain(others)
}

/// Seeded numbers (SplitMix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [lo, hi).
    pub fn within(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn vector(&mut self, size: f64) -> V3<f64> {
        V3::new(self.within(-size, size), self.within(-size, size), self.within(-size, size))
    }
}

/// A 1 m sheet of n × n vertices in the xz-plane, diagonals alternating, UVs in metres.
pub fn sheet(n: usize) -> TriMesh {
    let at = |i: usize| i as f64 / (n - 1) as f64;
    let id = |i: usize, j: usize| (j * n + i) as u32;
    let mut mesh = TriMesh::default();
    for j in 0..n {
        for i in 0..n {
            mesh.positions.push([at(i), 0.0, at(j)]);
            mesh.uvs.push([at(i), at(j)]);
        }
    }
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i, j + 1), id(i + 1, j + 1));
            if (i + j) % 2 == 0 {
                mesh.triangles.extend([[a, c, b], [b, c, d]]);
            } else {
                mesh.triangles.extend([[a, d, b], [a, c, d]]);
            }
        }
    }
    mesh.uv_triangles = mesh.triangles.clone();
    mesh
}

/// A bar of nx × ny × nz unit-`h` cubes, six tetrahedra each.
pub fn bar(nx: usize, ny: usize, nz: usize, h: f64) -> TetMesh {
    let id = |i: usize, j: usize, k: usize| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
    let mut mesh = TetMesh::default();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                mesh.positions.push([i as f64 * h, j as f64 * h, k as f64 * h]);
            }
        }
    }
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let v = |a: usize, b: usize, c: usize| id(i + a, j + b, k + c);
                // Six paths from corner to corner along the axes.
                for [p, q] in [
                    [v(1, 0, 0), v(1, 1, 0)],
                    [v(1, 1, 0), v(0, 1, 0)],
                    [v(0, 1, 0), v(0, 1, 1)],
                    [v(0, 1, 1), v(0, 0, 1)],
                    [v(0, 0, 1), v(1, 0, 1)],
                    [v(1, 0, 1), v(1, 0, 0)],
                ] {
                    mesh.tets.push([v(0, 0, 0), p, q, v(1, 1, 1)]);
                }
            }
        }
    }
    mesh
}
