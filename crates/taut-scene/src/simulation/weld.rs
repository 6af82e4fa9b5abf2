//! Vertices that are at one place become one: a garment whose seams were not welded hangs together again.

use crate::read::{Given, Map};
use std::collections::HashMap;
use taut::mesh::TriMesh;

/// Makes one of vertices that are not further apart than a distance (m) from the first of them. Returns how many went
/// away, and keeps for `given` which became which.
pub(super) fn weld(mesh: &mut TriMesh, maps: &mut [Map], given: &mut Given, distance: f64) -> usize {
    let cell = |p: &[f64; 3]| {
        p.map(|x| if distance > 0.0 { (x / distance).floor() as i64 } else { (x + 0.0).to_bits() as i64 })
    };
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let mut kept: Vec<u32> = Vec::new();
    let mut to = Vec::with_capacity(mesh.positions.len());
    for (vertex, p) in (0..).zip(&mesh.positions) {
        let here = cell(p);
        let around: Vec<[i64; 3]> = if distance > 0.0 { neighbourhood(here) } else { vec![here] };
        let near = |&at: &u32| apart(&mesh.positions[kept[at as usize] as usize], p) <= distance;
        let known = around.iter().filter_map(|c| cells.get(c)).flatten().copied().filter(near).min();
        to.push(known.unwrap_or_else(|| {
            cells.entry(here).or_default().push(kept.len() as u32);
            kept.push(vertex);
            kept.len() as u32 - 1
        }));
    }
    let gone = mesh.positions.len() - kept.len();
    if gone == 0 {
        return 0;
    }
    given.weld(&to, &mesh.triangles, &mesh.uv_triangles);
    mesh.triangles.iter_mut().flatten().for_each(|v| *v = to[*v as usize]);
    for group in &mut mesh.groups {
        group.vertices.iter_mut().for_each(|v| *v = to[*v as usize]);
        group.vertices.sort_unstable();
        group.vertices.dedup();
    }
    mesh.positions = kept.iter().map(|&v| mesh.positions[v as usize]).collect();
    maps.iter_mut().for_each(|map| map.values = kept.iter().map(|&v| map.values[v as usize]).collect());
    gone
}

/// Makes one of vertices that are exactly at one place, and says so; leaves everything as it is where that would make
/// an edge of three triangles: layers that lie on each other are no seam.
pub(super) fn weld_seams(name: &str, mesh: &mut TriMesh, maps: &mut [Map], given: &mut Given) -> Option<String> {
    let (all, crowded) = (mesh.positions.len(), crowded_edges(mesh));
    let (mut sewn, mut its_maps, mut its_given) = (mesh.clone(), maps.to_vec(), given.clone());
    let gone = weld(&mut sewn, &mut its_maps, &mut its_given, 0.0);
    if gone == 0 || crowded_edges(&sewn) > crowded {
        return None;
    }
    (*mesh, *given) = (sewn, its_given);
    maps.clone_from_slice(&its_maps);
    Some(format!(
        "{name:?}: {gone} of its {all} vertices are exactly where others are and became one with them: its seams are \
         sewn; `weld = \"off\"` keeps them apart"
    ))
}

/// Edges of more than two triangles.
fn crowded_edges(mesh: &TriMesh) -> usize {
    let mut sides: HashMap<[u32; 2], u32> = HashMap::new();
    for &[a, b, c] in &mesh.triangles {
        [[a, b], [b, c], [c, a]].iter().for_each(|&[a, b]| *sides.entry([a.min(b), a.max(b)]).or_default() += 1);
    }
    sides.values().filter(|&&count| count > 2).count()
}

fn apart(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt()
}

/// A cell and those around it.
fn neighbourhood([x, y, z]: [i64; 3]) -> Vec<[i64; 3]> {
    let along = |k: i64, shift: i64| k.saturating_add(shift % 3 - 1);
    let number = 0..27_i64;
    number.map(|n| [along(x, n / 9), along(y, n / 3), along(z, n)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taut::mesh::Group;

    /// Two triangles that share an edge in space and not in the file.
    fn soup(gap: f64) -> TriMesh {
        TriMesh {
            positions: vec![
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [1.0 + gap, 0.0, 0.0],
                [1.0, 1.0, 0.0],
                [-0.0, 1.0, gap],
            ],
            triangles: vec![[0, 1, 2], [3, 4, 5]],
            groups: vec![Group { name: "right".into(), vertices: vec![1, 3, 4] }],
            ..TriMesh::default()
        }
    }

    #[test]
    fn what_is_at_one_place_becomes_one() {
        let mut maps = [Map { name: "a".into(), values: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0] }];
        let mut mesh = soup(0.0);
        let mut given = Given::default();
        assert_eq!(weld(&mut mesh, &mut maps, &mut given, 0.0), 2);
        assert_eq!((&given.vertices[..], &given.corners[..]), (&[0, 1, 2, 1, 3, 2][..], &[0, 1, 2, 3, 4, 5][..]));
        assert_eq!(mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
        assert_eq!((&maps[0].values[..], &mesh.groups[0].vertices[..]), (&[0.0, 1.0, 2.0, 4.0][..], &[1, 3][..]));
        assert_eq!(weld(&mut mesh, &mut maps, &mut given, 0.0), 0);
    }

    #[test]
    fn seams_are_sewn_and_layers_are_not() {
        let mut mesh = soup(0.0);
        let said = weld_seams("shirt", &mut mesh, &mut [], &mut Given::default());
        assert!(said.is_some_and(|said| said.contains("2 of its 6 vertices")));
        assert_eq!(mesh.positions.len(), 4);
        assert_eq!(weld_seams("shirt", &mut mesh, &mut [], &mut Given::default()), None, "nothing is left to do");
        // The same sheet twice.
        let mut double = mesh.clone();
        double.positions.extend_from_slice(&mesh.positions);
        double.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v + 4)));
        let before = double.clone();
        assert_eq!(weld_seams("pillow", &mut double, &mut [], &mut Given::default()), None);
        assert_eq!(double.positions, before.positions);
    }

    #[test]
    fn what_is_near_becomes_one_if_that_is_asked_for() {
        for (distance, gone) in [(0.0, 0), (0.9e-4, 0), (1.1e-4, 2), (0.5, 2)] {
            let mut mesh = soup(1e-4);
            assert_eq!(weld(&mut mesh, &mut [], &mut Given::default(), distance), gone, "{distance}");
        }
        // Far out a cell has no number of its own.
        let mut far = soup(0.0);
        far.positions.iter_mut().for_each(|p| p[0] += 1e300);
        weld(&mut far, &mut [], &mut Given::default(), 1e-300);
    }
}
