//! Texture coordinates: are they a pattern that weft and warp can follow?

use taut::mesh::TriMesh;

use super::adjacency::{Side, sorted_sides};
use super::geometry::corners;
use super::{Findings, UvInfo, UvState};

/// A scale within this factor of the median counts as the same.
const NEAR: f64 = 1.25;
/// A scale beyond this factor of the median counts as unrelated.
const FAR: f64 = 4.0;

pub(super) fn inspect(mesh: &TriMesh) -> UvInfo {
    let mut info = UvInfo {
        state: UvState::Missing,
        degenerate: Findings::default(),
        flipped: Findings::default(),
        scale: None,
        near_median: 0.0,
        far_from_median: 0.0,
        anisotropy: None,
        seams: 0.0,
    };
    if mesh.uvs.is_empty() && mesh.uv_triangles.is_empty() {
        return info;
    }
    let is_broken = mesh.uv_triangles.len() != mesh.triangles.len()
        || mesh.uv_triangles.iter().flatten().any(|&i| i as usize >= mesh.uvs.len())
        || mesh.triangles.iter().flatten().any(|&i| i as usize >= mesh.positions.len())
        || mesh.uvs.iter().flatten().any(|x| !x.is_finite());
    if is_broken {
        info.state = UvState::Broken;
        return info;
    }
    let scales = edge_scales(mesh, &mut info);
    info.anisotropy = anisotropy(mesh);
    info.seams = seams(mesh);
    judge(&mut info, scales);
    info
}

/// The median ratio of largest to smallest stretch from pattern to mesh.
fn anisotropy(mesh: &TriMesh) -> Option<f64> {
    let ratio = |(triangle, uv_triangle): (&[u32; 3], &[u32; 3])| {
        let p = corners(&mesh.positions, *triangle);
        let uv = uv_triangle.map(|v| mesh.uvs[v as usize]);
        let [a, b] = [1, 2].map(|k| [uv[k][0] - uv[0][0], uv[k][1] - uv[0][1]]);
        let [e, f] = [1, 2].map(|k| p[k] - p[0]);
        // How positions change along u and v, both times the pattern's double area, which cancels in the ratio.
        let (along_u, along_v) = (b[1] * e - a[1] * f, a[0] * f - b[0] * e);
        let (uu, uv, vv) = (along_u.length_squared(), along_u.dot(along_v), along_v.length_squared());
        let (mean, spread) = ((uu + vv) / 2.0, ((uu - vv) / 2.0).hypot(uv));
        ((mean + spread) / (mean - spread).max(0.0)).sqrt()
    };
    let ratios = mesh.triangles.iter().zip(&mesh.uv_triangles).map(ratio);
    let mut ratios: Vec<f64> = ratios.filter(|r| r.is_finite()).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

/// The share of edges between two triangles that have different coordinates on either side.
fn seams(mesh: &TriMesh) -> f64 {
    let triangles: Vec<_> = mesh.triangles.iter().copied().enumerate().collect();
    let sides = sorted_sides(&triangles);
    let coordinates = |side: &Side, end: usize| {
        mesh.uvs[mesh.uv_triangles[side.triangle as usize][usize::from(side.corners[end])] as usize]
    };
    let (mut shared, mut cut) = (0_u32, 0_u32);
    for meeting in sides.chunk_by(|a, b| a.edge == b.edge) {
        if let [a, b] = meeting {
            shared += 1;
            cut += u32::from((0..2).any(|end| coordinates(a, end) != coordinates(b, end)));
        }
    }
    f64::from(cut) / f64::from(shared.max(1))
}

/// Mesh length per pattern length of each triangle side; infinite where the pattern has none.
fn edge_scales(mesh: &TriMesh, info: &mut UvInfo) -> Vec<f64> {
    let mut scales = Vec::with_capacity(3 * mesh.triangles.len());
    for (i, (triangle, uv_triangle)) in mesh.triangles.iter().zip(&mesh.uv_triangles).enumerate() {
        let points = corners(&mesh.positions, *triangle);
        let uvs = uv_triangle.map(|v| mesh.uvs[v as usize]);
        let [u, v] = [1, 2].map(|k| [uvs[k][0] - uvs[0][0], uvs[k][1] - uvs[0][1]]);
        let double_area = u[0] * v[1] - u[1] * v[0];
        let mut longest = 0.0_f64;
        for k in 0..3 {
            let (from, to) = (k, (k + 1) % 3);
            let on_mesh = points[to].distance(points[from]);
            let on_pattern = (uvs[to][0] - uvs[from][0]).hypot(uvs[to][1] - uvs[from][1]);
            longest = longest.max(on_pattern);
            // Edges without length on the mesh say nothing about the pattern.
            if on_mesh > 0.0 && on_mesh.is_finite() {
                scales.push(on_mesh / on_pattern);
            }
        }
        if double_area.abs() <= super::surface::FLAT * longest * longest {
            info.degenerate.add(i);
        } else if double_area < 0.0 {
            info.flipped.add(i);
        }
    }
    scales
}

fn judge(info: &mut UvInfo, mut scales: Vec<f64>) {
    if scales.is_empty() {
        info.state = UvState::Broken;
        return;
    }
    scales.sort_unstable_by(f64::total_cmp);
    let median = scales[scales.len() / 2];
    let share = |factor: f64| {
        let within = scales.iter().filter(|&&s| s >= median / factor && s <= median * factor).count();
        within as f64 / scales.len() as f64
    };
    if !median.is_finite() {
        // More than half of all edges have no length on the pattern.
        info.far_from_median = 1.0;
        info.state = UvState::Scrambled;
        return;
    }
    info.scale = Some(median);
    info.near_median = share(NEAR);
    info.far_from_median = 1.0 - share(FAR);
    // A known scrambled garment has 25% far, an anisotropy of 8 and 80% seams; unwraps for painting stay well below.
    let is_scrambled = info.far_from_median > 0.2 || info.anisotropy.is_none_or(|a| a > 4.0) || info.seams > 0.5;
    info.state = if info.near_median > 0.8 {
        UvState::Consistent
    } else if is_scrambled {
        UvState::Scrambled
    } else {
        UvState::Distorted
    };
}
