//! Vectors, sizes, and what all kinds of meshes have in common.

use std::collections::HashMap;

use glam::DVec3;
use taut::mesh::Group;

use super::adjacency::Sets;
use super::{Bounds, CommonInfo, EdgeLengths, Findings, group_infos};

/// The angle between two vectors, degrees. Two-argument, so that tiny angles keep their digits.
pub(super) fn angle_degrees(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b)).to_degrees()
}

/// The corners of a cell.
pub(super) fn corners<const N: usize>(positions: &[[f64; 3]], cell: [u32; N]) -> [DVec3; N] {
    cell.map(|v| positions[v as usize].into())
}

/// Cells whose indices are in range, with their numbers; the others are noted.
pub(super) fn usable_cells<const N: usize>(
    cells: &[[u32; N]],
    vertices: usize,
    bad: &mut Findings<usize>,
) -> Vec<(usize, [u32; N])> {
    let mut usable = Vec::with_capacity(cells.len());
    for (i, cell) in cells.iter().enumerate() {
        if cell.iter().all(|&v| (v as usize) < vertices) {
            usable.push((i, *cell));
        } else {
            bad.add(i);
        }
    }
    usable
}

/// Fills in what depends on vertices, edges (each once) and cells.
pub(super) fn describe<const N: usize>(
    info: &mut CommonInfo,
    positions: &[[f64; 3]],
    edges: &[[u32; 2]],
    cells: &[(usize, [u32; N])],
    groups: &[Group],
) {
    info.vertices = positions.len();
    info.edges = edges.len();
    info.bounds = bounds(positions);
    info.edge_lengths = edge_lengths(positions, edges);
    info.groups = group_infos(groups);
    info.units_hint = info.bounds.and_then(|bounds| units_hint(&bounds));
    info.axes_hint = info.bounds.and_then(|bounds| axes_hint(&bounds));
    let mut parts = Sets::new(positions.len());
    let mut is_used = vec![false; positions.len()];
    for (_, cell) in cells {
        for &vertex in cell {
            is_used[vertex as usize] = true;
            parts.join(cell[0], vertex);
        }
    }
    let mut places = HashMap::new();
    for (i, position) in positions.iter().enumerate() {
        let vertex = i as u32;
        if !DVec3::from(*position).is_finite() {
            info.not_finite.add(vertex);
        } else if places.insert(position.map(|x| (x + 0.0).to_bits()), vertex).is_some() {
            info.duplicate_positions.add(vertex);
        }
        if !is_used[i] {
            info.unreferenced.add(vertex);
        } else if parts.find(vertex) == vertex {
            info.components += 1;
        }
    }
}

fn bounds(positions: &[[f64; 3]]) -> Option<Bounds> {
    let mut finite = positions.iter().map(|&p| DVec3::from(p)).filter(|p| p.is_finite());
    let first = finite.next()?;
    let (min, max) = finite.fold((first, first), |(min, max), p| (min.min(p), max.max(p)));
    Some(Bounds { min: min.into(), max: max.into() })
}

fn edge_lengths(positions: &[[f64; 3]], edges: &[[u32; 2]]) -> Option<EdgeLengths> {
    let length = |e: &[u32; 2]| {
        let [from, to] = corners(positions, *e);
        from.distance(to)
    };
    let (mut min, mut max, mut sum, mut n) = (f64::INFINITY, 0.0_f64, 0.0, 0);
    for length in edges.iter().map(length).filter(|l| l.is_finite()) {
        min = min.min(length);
        max = max.max(length);
        sum += length;
        n += 1;
    }
    (n > 0).then(|| EdgeLengths { min, mean: sum / f64::from(n), max })
}

/// What stands on z = 0, slender, and lies across y = 0: in many files z is up, here y is.
pub(crate) fn axes_hint(bounds: &Bounds) -> Option<String> {
    let [x, y, z] = bounds.size();
    let tall = z > 1.5 * y && z > 1.5 * x;
    let stands = bounds.min[2].abs() < 0.05 * z;
    let across = (bounds.min[1] + bounds.max[1]).abs() < 0.5 * y;
    let hint = "stands on z = 0 and is tall along z: if z is up in its file, `up = \"z\"` sets it upright";
    (tall && stands && across).then(|| hint.to_owned())
}

/// Guesses the unit from the size: bodies, garments and soft objects are between a few centimetres and a few metres.
pub(crate) fn units_hint(bounds: &Bounds) -> Option<String> {
    let size = bounds.size().into_iter().fold(0.0, f64::max);
    let advice = |unit: &str, key: &str| {
        Some(format!("its largest extent is {size:.4}: probably {unit}, which `unit = \"{key}\"` makes metres of"))
    };
    match size {
        s if s <= 0.0 || !s.is_finite() => None,
        s if s < 0.01 => Some(format!("its largest extent is {s:.3e}: very small if the unit is metres")),
        s if s <= 5.0 => None,
        s if s < 20.0 => advice("decimetres (or a large object in metres)", "dm"),
        s if s < 400.0 => advice("centimetres", "cm"),
        s if s < 10_000.0 => advice("millimetres", "mm"),
        s => Some(format!("its largest extent is {s:.3e}: very large if the unit is metres")),
    }
}
