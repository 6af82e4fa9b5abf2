//! Where panels start: as the pattern says, drawn in and blown up as far as it takes for nothing to intersect.

use super::crossings::Crossings;
use super::dress::Figure;
use super::height::Lift;
use super::pattern::Pattern;
use super::sewn::SewnMesh;
use glam::DVec3;
use taut::mesh::TriMesh;

/// How large panels start, over their size: smaller ones leave more room between them.
const SIZES: [f64; 5] = [1.0, 0.85, 0.7, 0.55, 0.4];
/// Rounds of blowing up, and how far a vertex goes in each, m.
const ROUNDS: usize = 80;
const PUSH: f64 = 0.01;

/// Places panels around a figure such that nothing intersects. Notes what was done, or what still intersects: that is
/// pulled apart as it is sewn, if it can be.
pub fn place_around(pattern: &Pattern, sewn: &mut SewnMesh, figure: &Figure) -> Vec<String> {
    let (lifts, mut notes) = pattern.lifts(&figure.girths);
    lift(sewn, &lifts);
    let mut best: Option<(usize, Vec<[f64; 3]>, Crossings, f64)> = None;
    for size in SIZES {
        draw_in(sewn, size);
        let (found, moved) = blow_up(sewn, figure);
        let count = found.count();
        if best.as_ref().is_none_or(|(least, ..)| count < *least) {
            best = Some((count, sewn.mesh.positions.clone(), found, moved));
        }
        if count == 0 {
            break;
        }
    }
    let Some((_, positions, found, moved)) = best else { return notes };
    sewn.mesh.positions = positions;
    if moved > 0.0 {
        notes.push(format!(
            "panels start up to {:.0} cm further out than the pattern says: the body is there",
            100.0 * moved
        ));
    }
    let name = |t: u32| &pattern.panels[sewn.panels[t as usize] as usize].name;
    if let Some([t, _]) = found.body.first() {
        let at = sewn.mesh.positions[sewn.mesh.triangles[*t as usize][0] as usize];
        let place = format!("({:.2}, {:.2}, {:.2})", at[0], at[1], at[2]);
        let (many, panel) = (found.body.len(), name(*t));
        notes.push(format!("{many} triangles start inside of the body, the first of panel {panel:?} at {place}"));
    }
    if let Some([t, u]) = found.own.first() {
        let (many, a, b) = (found.own.len(), name(*t), name(*u));
        notes.push(format!("{many} pairs of triangles intersect at the start, the first of {a:?} with {b:?}"));
    }
    notes
}

/// Moves panels up, where a body is narrower.
fn lift(sewn: &mut SewnMesh, lifts: &[Lift]) {
    let mut done = vec![false; sewn.places.len()];
    for (t, flat) in sewn.mesh.uv_triangles.iter().enumerate() {
        for &uv in flat {
            let place = &mut sewn.places[uv as usize];
            if !std::mem::replace(&mut done[uv as usize], true) {
                place[1] += lifts[sewn.panels[t] as usize].at(place[1]);
            }
        }
    }
}

/// Panels of a part of their size around their middles, seams between them.
fn draw_in(sewn: &mut SewnMesh, size: f64) {
    let mesh = &mut sewn.mesh;
    let panels = mesh.groups.len();
    let mut middles = vec![(DVec3::ZERO, 0.0); panels];
    let mut panel_of = vec![usize::MAX; sewn.places.len()];
    let mut vertex_of = vec![u32::MAX; sewn.places.len()];
    for (t, flat) in mesh.uv_triangles.iter().enumerate() {
        for (&uv, &vertex) in flat.iter().zip(&mesh.triangles[t]) {
            panel_of[uv as usize] = sewn.panels[t] as usize;
            vertex_of[uv as usize] = vertex;
        }
    }
    for (uv, place) in sewn.places.iter().enumerate().filter(|(uv, _)| panel_of[*uv] < panels) {
        let (sum, count) = &mut middles[panel_of[uv]];
        (*sum, *count) = (*sum + DVec3::from(*place), *count + 1.0);
    }
    let mut sums = vec![(DVec3::ZERO, 0.0); mesh.positions.len()];
    for (uv, place) in sewn.places.iter().enumerate().filter(|(uv, _)| panel_of[*uv] < panels) {
        let (sum, count) = middles[panel_of[uv]];
        let middle = sum / count;
        let (at, times) = &mut sums[vertex_of[uv] as usize];
        (*at, *times) = (*at + middle + (DVec3::from(*place) - middle) * size, *times + 1.0);
    }
    for (to, (sum, times)) in mesh.positions.iter_mut().zip(sums) {
        if times > 0.0 {
            *to = (sum / times).into();
        }
    }
}

/// Moves what intersects the body outwards, as the body and the garment face there, until nothing does. Tells what is
/// left, and how far the farthest vertex went, m.
fn blow_up(sewn: &mut SewnMesh, figure: &Figure) -> (Crossings, f64) {
    let start = sewn.mesh.positions.clone();
    let mut found = figure.crossings(&sewn.mesh);
    for _ in 0..ROUNDS {
        if found.body.is_empty() {
            break;
        }
        let mesh = &mut sewn.mesh;
        let mut push = vec![DVec3::ZERO; mesh.positions.len()];
        for [t, of_body] in &found.body {
            mesh.triangles[*t as usize].iter().for_each(|&v| push[v as usize] += figure.normal(*of_body));
        }
        let own = smooth(&mesh.triangles, &normals(mesh));
        for v in (0..push.len()).filter(|v| push[*v] != DVec3::ZERO) {
            let way = push[v].normalize_or_zero() + own[v].normalize_or_zero();
            let to = DVec3::from(mesh.positions[v]) + PUSH * way.normalize_or_zero();
            // As the engine will have them.
            mesh.positions[v] = [to.x, to.y, to.z].map(|x| f64::from(x as f32));
        }
        found = figure.crossings(&sewn.mesh);
    }
    let way = |(a, b): (&[f64; 3], &[f64; 3])| DVec3::from(*a).distance(DVec3::from(*b));
    let moved = start.iter().zip(&sewn.mesh.positions).map(way).fold(0.0, f64::max);
    (found, moved)
}

/// For each vertex the sum of the normals of its triangles.
fn normals(mesh: &TriMesh) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; mesh.positions.len()];
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| DVec3::from(mesh.positions[v as usize]));
        let normal = (b - a).cross(c - a).normalize_or_zero();
        t.iter().for_each(|&v| out[v as usize] += normal);
    }
    out
}

/// The sum over the triangles around each vertex.
fn smooth(triangles: &[[u32; 3]], of: &[DVec3]) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; of.len()];
    for t in triangles {
        let sum: DVec3 = t.iter().map(|&v| of[v as usize]).sum();
        t.iter().for_each(|&v| out[v as usize] += sum);
    }
    out
}
