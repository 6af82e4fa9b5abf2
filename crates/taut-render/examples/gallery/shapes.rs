//! Procedural surfaces that look like cloth.

use std::f64::consts::{PI, TAU};
use taut_render::{Item, Material};

/// A triangle mesh.
pub struct Mesh {
    pub positions: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    pub fn item(&self, material: Material) -> Item<'_> {
        Item::new(&self.positions, &self.triangles, material)
    }
}

/// A grid of quads over (u, v) in the unit square, cut in triangles along alternating diagonals.
fn grid(columns: usize, rows: usize, at: impl Fn(f64, f64) -> [f64; 3]) -> Mesh {
    let mut positions = Vec::with_capacity(columns * rows);
    for r in 0..rows {
        for c in 0..columns {
            positions.push(at(c as f64 / (columns - 1) as f64, r as f64 / (rows - 1) as f64));
        }
    }
    let mut triangles = Vec::new();
    for r in 0..rows - 1 {
        for c in 0..columns - 1 {
            let a = (r * columns + c) as u32;
            let [b, d, e] = [a + 1, a + columns as u32, a + columns as u32 + 1];
            let split = if (r + c) % 2 == 0 { [[a, d, e], [a, e, b]] } else { [[a, d, b], [b, d, e]] };
            triangles.extend(split);
        }
    }
    Mesh { positions, triangles }
}

/// A square cloth over a ball of radius 0.4 at height 0.5: it follows the ball from the top, then falls in
/// folds that grow towards the hem.
pub fn drape(count: usize) -> Mesh {
    grid(count, count, |u, v| {
        let (x, z) = ((u - 0.5) * 1.7, (v - 0.5) * 1.7);
        let along = x.hypot(z);
        let turn = z.atan2(x);
        let radius = 0.412;
        let leave = radius * 1.5;
        if along <= leave {
            let angle = along / radius;
            return [radius * angle.sin() * turn.cos(), 0.5 + radius * angle.cos(), radius * angle.sin() * turn.sin()];
        }
        let fallen = along - leave;
        let rim = radius * 1.5f64.sin();
        let depth = 0.155 * (1.0 - (-3.2 * fallen).exp()) * fallen.min(0.35) / 0.35;
        let fold = (8.0 * turn + 0.6 * (2.0 * turn).sin()).sin() + 0.28 * (15.0 * turn + 1.0).sin();
        let out = rim + 0.16 * fallen + depth * 1.15 * fold;
        let drop = 0.5 + radius * 1.5f64.cos() - fallen * (0.93 - 0.04 * fold);
        let hem = 0.012 + 0.012 * (5.0 * turn).sin().abs();
        // What would go below the floor spreads out on it instead.
        let (out, drop) = if drop < hem { (out + 0.6 * (hem - drop), hem) } else { (out, drop) };
        [out * turn.cos(), drop, out * turn.sin()]
    })
}

/// A round table's cloth, 1.1 m across on a top of 0.7 m at height 0.75.
pub fn tablecloth(count: usize) -> Mesh {
    grid(count, count, |u, v| {
        let (x, z) = ((u - 0.5) * 1.3, (v - 0.5) * 1.3);
        let (along, turn) = (x.hypot(z), z.atan2(x));
        let (rim, bend) = (0.42, 0.02);
        let past = along - rim;
        if past <= 0.0 {
            return [x, 0.75, z];
        }
        let folds = (9.0 * turn + 0.8 * (3.0 * turn).sin()).sin();
        let wave = 0.11 * (past / 0.3).min(1.3).powf(1.4) * folds * (1.0 + 0.25 * (4.0 * turn + 2.0).sin());
        let angle = (past / bend).min(PI / 2.0);
        let hang = (past - bend * PI / 2.0).max(0.0);
        let out = rim + bend * angle.sin() + 0.20 * hang + wave;
        let y = 0.75 - bend * (1.0 - angle.cos()) - hang * (0.95 - 0.2 * wave.abs());
        [out * turn.cos(), y, out * turn.sin()]
    })
}

/// A flag 1.2 m by 0.8 m with its pole at x = 0, at a time in seconds.
pub fn flag(columns: usize, rows: usize, time: f64) -> Mesh {
    grid(columns, rows, |u, v| {
        let phase = 9.5 * u - 6.0 * time + 1.1 * v + 0.6 * (3.0 * v + 1.3 * time).sin();
        let swing = 0.11 * u.powf(0.8) * phase.sin() + 0.035 * u * (2.3 * phase + 2.0 * v).sin();
        let sag = 0.10 * u * u;
        [1.2 * u * (1.0 - 0.08 * u), 1.0 - 0.8 * v - sag + 0.03 * u * (phase * 0.7).cos(), swing]
    })
}

/// A made-up strain on the flag: stretched near the pole, wavering along it.
pub fn flag_strain(flag: &Mesh) -> Vec<f64> {
    let strain = |p: &[f64; 3]| {
        let near = (-2.5 * p[0]).exp();
        0.05 * near * (0.6 + 0.8 * (p[1] - 0.6).abs()) + 0.3 * p[2] * (1.0 - near) - 0.008
    };
    flag.positions.iter().map(strain).collect()
}

pub fn torus(large: f64, small: f64, around: usize, across: usize) -> Mesh {
    let mesh = grid(around + 1, across + 1, |u, v| {
        let ((s, c), (t, d)) = ((u * TAU).sin_cos(), (v * TAU).sin_cos());
        let squash = 1.0 + 0.05 * (3.0 * u * TAU).sin();
        let out = large + small * squash * d;
        [out * c, small * (1.0 + t * 0.94), out * s]
    });
    // The last row and column are the first: shading must not see a seam.
    let first = |v: u32| {
        let (row, column) = (v as usize / (around + 1) % across, v as usize % (around + 1) % around);
        (row * (around + 1) + column) as u32
    };
    Mesh { triangles: mesh.triangles.iter().map(|t| t.map(first)).collect(), ..mesh }
}

pub fn sphere(centre: [f64; 3], radius: f64, rings: usize) -> Mesh {
    grid(2 * rings + 1, rings + 1, |u, v| {
        let ((s, c), (t, d)) = ((u * TAU).sin_cos(), (v * PI).sin_cos());
        [centre[0] + radius * t * c, centre[1] + radius * d, centre[2] - radius * t * s]
    })
}

pub fn cuboid(centre: [f64; 3], half: [f64; 3]) -> Mesh {
    let corner = |k: usize| std::array::from_fn(|i| centre[i] + if k >> i & 1 == 1 { half[i] } else { -half[i] });
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh { positions: (0..8).map(corner).collect(), triangles }
}

pub fn area(mesh: &Mesh, triangle: &[u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
    let [u, v]: [[f64; 3]; 2] = [b, c].map(|p| std::array::from_fn(|i| p[i] - a[i]));
    let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    0.5 * cross.iter().map(|c| c * c).sum::<f64>().sqrt()
}
