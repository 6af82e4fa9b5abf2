//! What a person reads in a terminal.

use std::fmt::{self, Debug, Display};

use super::{CommonInfo, Crossing, Findings, MOST_CROSSINGS, MeshInfo, SurfaceInfo, UvInfo, UvState, VolumeInfo};

impl Display for MeshInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Surface(info) => show_surface(info, f)?,
            Self::Volume(info) => show_volume(info, f)?,
        }
        let problems = self.problems();
        if problems.is_empty() {
            return writeln!(f, "  no problems found");
        }
        writeln!(
            f,
            "  {} found:",
            if problems.len() == 1 { "1 problem".into() } else { format!("{} problems", problems.len()) }
        )?;
        problems.iter().try_for_each(|problem| writeln!(f, "    - {problem}"))
    }
}

fn show_surface(info: &SurfaceInfo, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let common = &info.common;
    row(f, "triangles", format!("{}, {} vertices, {} edges", info.triangles, common.vertices, common.edges))?;
    show_size(common, f)?;
    row(f, "area", number(info.area))?;
    if let Some(volume) = info.volume {
        row(f, "volume", number(volume))?;
    }
    let boundary = match info.boundary_loops {
        0 if info.closed => "closed".into(),
        0 => "no edges".into(),
        1 => format!("open, 1 boundary loop of {} edges", info.boundary_edges),
        n => format!("open, {n} boundary loops with {} edges", info.boundary_edges),
    };
    row(f, "topology", format!("{}, {boundary}", parts(common.components)))?;
    show_edges(common, f)?;
    if let Some(angle) = info.min_angle_degrees {
        row(f, "smallest angle", format!("{angle:.2}°"))?;
    }
    row(f, "texture", describe_uv(&info.uv))?;
    show_groups(common, f)
}

fn show_volume(info: &VolumeInfo, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let common = &info.common;
    row(f, "tetrahedra", format!("{}, {} vertices, {} edges", info.tets, common.vertices, common.edges))?;
    show_size(common, f)?;
    row(f, "volume", number(info.volume))?;
    row(f, "outside", format!("{} triangles, area {}", info.boundary_triangles, number(info.area)))?;
    row(f, "topology", parts(common.components))?;
    show_edges(common, f)?;
    if let Some(angle) = info.min_dihedral_degrees {
        row(f, "smallest angle", format!("{angle:.2}° between faces"))?;
    }
    show_groups(common, f)
}

fn row(f: &mut fmt::Formatter<'_>, label: &str, value: String) -> fmt::Result {
    writeln!(f, "  {label:<15} {value}")
}

fn show_size(common: &CommonInfo, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Some(bounds) = common.bounds else { return row(f, "size", "none: no vertex has finite coordinates".into()) };
    let point = |p: [f64; 3]| p.map(number).join(", ");
    row(f, "size", bounds.size().map(number).join(" × "))?;
    row(f, "from, to", format!("({}), ({})", point(bounds.min), point(bounds.max)))
}

fn show_edges(common: &CommonInfo, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Some(e) = common.edge_lengths else { return Ok(()) };
    row(f, "edge lengths", format!("{} to {}, mean {}", number(e.min), number(e.max), number(e.mean)))
}

fn show_groups(common: &CommonInfo, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const SHOWN: usize = 8;
    if common.groups.is_empty() {
        return Ok(());
    }
    let mut shown: Vec<String> =
        common.groups.iter().take(SHOWN).map(|g| format!("{} ({} vertices)", g.name, g.vertices)).collect();
    if common.groups.len() > SHOWN {
        shown.push(format!("and {} more", common.groups.len() - SHOWN));
    }
    row(f, "groups", shown.join(", "))
}

fn parts(components: usize) -> String {
    if components == 1 { "1 part".into() } else { format!("{components} parts") }
}

/// Four digits that matter.
pub(crate) fn number(x: f64) -> String {
    let size = x.abs();
    if size != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{x:.3e}");
    }
    let digits = if size >= 1000.0 || size == 0.0 { 0 } else { 3 - size.log10().floor() as i32 };
    let text = format!("{x:.*}", digits.max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

fn describe_uv(uv: &UvInfo) -> String {
    let scale = uv.scale.map(number).unwrap_or_default();
    match uv.state {
        UvState::Missing => "no coordinates".into(),
        UvState::Broken => "coordinates that do not fit the mesh".into(),
        UvState::Scrambled => {
            let [near, seams] = [uv.near_median, uv.seams].map(|share| 100.0 * share);
            format!("scrambled coordinates: {near:.0}% of edges agree in scale, {seams:.0}% are seams")
        }
        UvState::Distorted => {
            format!("distorted coordinates, about {scale} per pattern unit: directions may be usable")
        }
        UvState::Consistent => format!("consistent coordinates, {scale} per pattern unit"),
    }
}

/// One sentence for each kind of defect, worst first.
pub(super) fn problems(info: &MeshInfo) -> Vec<String> {
    let mut list = Problems::default();
    match info {
        MeshInfo::Surface(info) => surface_problems(info, &mut list),
        MeshInfo::Volume(info) => volume_problems(info, &mut list),
    }
    list.0
}

#[derive(Default)]
struct Problems(Vec<String>);

impl Problems {
    fn add<T: Debug>(&mut self, findings: &Findings<T>, one: &str, many: &str) {
        if findings.count == 0 {
            return;
        }
        let shown: Vec<String> = findings.first.iter().map(|example| format!("{example:?}")).collect();
        let more = if findings.count > shown.len() { ", …" } else { "" };
        let what = if findings.count == 1 { one } else { many };
        self.0.push(format!("{} {what}: {}{more}", findings.count, shown.join(", ")));
    }
}

fn surface_problems(info: &SurfaceInfo, list: &mut Problems) {
    let common = &info.common;
    list.add(&common.not_finite, "vertex is not a finite point", "vertices are not finite points");
    list.add(&common.bad_indices, "triangle has an index out of range", "triangles have indices out of range");
    list.add(&info.degenerate_triangles, "triangle has no area", "triangles have no area");
    list.add(&info.duplicate_triangles, "triangle repeats another", "triangles repeat others");
    list.add(&info.non_manifold_edges, "edge has more than two triangles", "edges have more than two triangles");
    list.add(&info.non_manifold_vertices, "vertex joins sheets in a point", "vertices join sheets in a point");
    crossing_problems(&info.intersections, list);
    let one = "edge has triangles that face opposite ways";
    list.add(&info.inconsistent_edges, one, "edges have triangles that face opposite ways");
    if info.volume.is_some_and(|v| v < 0.0) {
        list.0.push("the mesh is inside out: its triangles face inwards".into());
    }
    common_problems(common, list);
    uv_problems(info, list);
}

fn uv_problems(info: &SurfaceInfo, list: &mut Problems) {
    let uv = &info.uv;
    match uv.state {
        UvState::Broken => list.0.push("texture coordinates do not fit the mesh".into()),
        UvState::Scrambled => list.0.push("texture coordinates are scrambled: weft and warp cannot follow them".into()),
        _ => {
            list.add(&uv.degenerate, "triangle has no area on the pattern", "triangles have no area on the pattern");
            // Patterns are often mirrored whole or in part; only a few against the many are suspicious.
            let few = uv.flipped.count * 20 < info.triangles;
            if few {
                list.add(&uv.flipped, "triangle is flipped on the pattern", "triangles are flipped on the pattern");
            }
        }
    }
}

fn volume_problems(info: &VolumeInfo, list: &mut Problems) {
    let common = &info.common;
    list.add(&common.not_finite, "vertex is not a finite point", "vertices are not finite points");
    list.add(&common.bad_indices, "tetrahedron has an index out of range", "tetrahedra have indices out of range");
    list.add(&info.inverted, "tetrahedron is inverted", "tetrahedra are inverted");
    list.add(&info.degenerate_tets, "tetrahedron has no volume", "tetrahedra have no volume");
    list.add(&info.duplicate_tets, "tetrahedron repeats another", "tetrahedra repeat others");
    let one = "face has more than two tetrahedra";
    list.add(&info.non_manifold_faces, one, "faces have more than two tetrahedra");
    crossing_problems(&info.intersections, list);
    common_problems(common, list);
}

fn crossing_problems(intersections: &Findings<Crossing>, list: &mut Problems) {
    let many = match intersections.count >= MOST_CROSSINGS {
        true => "pairs of triangles and more intersect",
        false => "pairs of triangles intersect",
    };
    list.add(intersections, "pair of triangles intersects", many);
}

fn common_problems(common: &CommonInfo, list: &mut Problems) {
    list.add(&common.unreferenced, "vertex is not used", "vertices are not used");
    let one = "vertex is exactly where another is";
    list.add(&common.duplicate_positions, one, "vertices are exactly where others are");
    list.0.extend(common.units_hint.clone());
    list.0.extend(common.axes_hint.as_ref().map(|hint| format!("it {hint}")));
}
