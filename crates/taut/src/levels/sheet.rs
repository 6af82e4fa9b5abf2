//! What of a model is to be held: triangles, their shape at rest, and along which directions.

use super::substeps::SubstepControl;
use super::{Inextensibility, RestModel};
use crate::constraint::{Batch, Packed, Visit};
use crate::element::{Element, Quantity, RestShape};
use crate::lanes::Scalar;
use crate::limit::{BoundedEdge, BoundedTriangle, RestTriangle, StretchBounds};

/// The triangles of all cloth in a model, in the model's vertex numbers.
pub(super) struct RestSheet {
    /// Corners.
    pub triangles: Vec<[u32; 3]>,
    /// x1 − x0 and x2 − x0 at rest, in weft and warp, m.
    pub edges: Vec<[[f64; 2]; 2]>,
    /// Whether it is held along weft and along warp.
    pub held: Vec<[bool; 2]>,
    /// Edges that are held as such: ends, length at rest (m).
    pub links: Vec<([u32; 2], f64)>,
    /// Masses by vertex, kg.
    pub mass: Vec<f64>,
    /// How to step it.
    pub substeps: SubstepControl,
    /// What may be stretched so far only, held or not.
    pub bounded: Vec<BoundedTriangle>,
    pub bounded_edges: Vec<BoundedEdge>,
}

/// A triangle is held along a direction if the weight of the cloth, hung up by as much of its border as it is long,
/// this many times over stretches it by less than the limit.
pub(super) const MARGIN: f64 = 4.0;
/// Where no limit says how stiff is stiff.
pub(super) const USUAL_LIMIT: f64 = 0.01;
/// The least stiffness of projection (the part of a row's error that a sweep removes) that counts as held.
pub(super) const LEAST_STIFFNESS: f64 = 0.5;

impl RestSheet {
    pub fn of<T: Scalar>(model: &RestModel<'_, T>, settings: &Inextensibility, gravity: [f64; 3]) -> Self {
        let mut gather = GatherCloth { found: Vec::new(), links: Vec::new() };
        model.elements.for_each(&mut gather);
        let GatherCloth { found, links } = gather;
        let mass = model.in_order(model.masses);
        let pull = gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
        // What is stretched less than this by its own weight may as well not be stretched at all, however far it may
        // be.
        let limit = if settings.max_stretch > 0.0 { settings.max_stretch.min(USUAL_LIMIT) } else { USUAL_LIMIT };
        let total: f64 = found.iter().map(|f| area(&f.edges)).sum();
        let mut cloth: Vec<u32> = found.iter().flat_map(|f| f.corners).collect();
        cloth.sort_unstable();
        cloth.dedup();
        let heavy: f64 = cloth.iter().map(|&v| mass[v as usize]).sum();
        let weight = heavy * if pull > 0.0 { pull } else { 9.81 };
        // Force per width, N/m: the whole weight on an edge as long as the cloth.
        let load = weight / total.sqrt().max(1e-30);
        let stiff = |modulus: f64| modulus * limit >= MARGIN * load;
        let mut linked = vec![false; mass.len()];
        for ([a, b], _) in &links {
            (linked[*a as usize], linked[*b as usize]) = (true, true);
        }
        let by_links = |t: &[u32; 3]| t.iter().all(|&v| linked[v as usize]);
        let bounded = bounded_triangles(model, &found, settings.max_stretch, by_links);
        let bounded_edges = bounded_edges(&bounded, &links, settings);
        let mut sheet = RestSheet {
            triangles: Vec::new(),
            edges: Vec::new(),
            held: Vec::new(),
            links,
            mass,
            substeps: SubstepControl::STIFF,
            bounded,
            bounded_edges,
        };
        let (mut rates, mut soft) = (0.0, 0.0);
        for f in found {
            let all = by_links(&f.corners);
            let held = f.modulus.map(|m| all || stiff(m));
            let most = (0..2).filter(|&k| !held[k]).map(|k| f.modulus[k]).fold(0.0, f64::max);
            if most > 0.0 {
                // Waves over the edges of the triangle, 1/s: √(E/ρ) over the side of a square of two of it.
                let a = area(&f.edges);
                rates += a * (most * total / heavy.max(1e-300)).sqrt() / (2.0 * a).sqrt().max(1e-300);
                soft += a;
            }
            sheet.triangles.push(f.corners);
            sheet.edges.push(f.edges);
            sheet.held.push(held);
        }
        if soft > 0.0 {
            sheet.substeps = SubstepControl::soft(rates / soft);
        }
        if !sheet.held.iter().any(|h| h[0] || h[1]) {
            sheet.triangles.clear();
        }
        sheet
    }

    /// All triangles, whatever holds them.
    pub fn all<T: Scalar>(model: &RestModel<'_, T>) -> Self {
        let mut gather = GatherCloth { found: Vec::new(), links: Vec::new() };
        model.elements.for_each(&mut gather);
        RestSheet {
            triangles: gather.found.iter().map(|f| f.corners).collect(),
            edges: gather.found.iter().map(|f| f.edges).collect(),
            held: vec![[true; 2]; gather.found.len()],
            links: gather.links,
            mass: model.in_order(model.masses),
            substeps: SubstepControl::STIFF,
            bounded: Vec::new(),
            bounded_edges: Vec::new(),
        }
    }

    pub fn vertices(&self) -> usize {
        self.mass.len()
    }

    /// Whether a triangle is held by its edges.
    pub fn linked(&self) -> Vec<bool> {
        let mut linked = vec![false; self.mass.len()];
        for ([a, b], _) in &self.links {
            (linked[*a as usize], linked[*b as usize]) = (true, true);
        }
        self.triangles.iter().map(|t| t.iter().all(|&v| linked[v as usize])).collect()
    }
}

/// The triangles that have bounds. `by_links` says which have edges that are held on all sides: cloth of edges alone is
/// asked to keep their lengths.
fn bounded_triangles<T: Scalar>(
    model: &RestModel<'_, T>,
    found: &[FoundTriangle],
    max_stretch: f64,
    by_links: impl Fn(&[u32; 3]) -> bool,
) -> Vec<BoundedTriangle> {
    let edges_alone = |f: &FoundTriangle| f.modulus == [0.0; 2] && by_links(&f.corners);
    let bounded = |f: &FoundTriangle| BoundedTriangle {
        rest: RestTriangle { vertices: f.corners, edges: f.edges },
        bounds: model.bounds_of(f.corners, if edges_alone(f) { 0.0 } else { max_stretch }),
    };
    found.iter().map(bounded).filter(|t| t.bounds != StretchBounds::NONE).collect()
}

/// Sides of triangles whose edges have a bound, and links if cloth has one along its threads; each once, with the least
/// bound.
fn bounded_edges(
    triangles: &[BoundedTriangle],
    links: &[([u32; 2], f64)],
    settings: &Inextensibility,
) -> Vec<BoundedEdge> {
    let mut edges = Vec::new();
    let none = f64::INFINITY;
    for t in triangles.iter().filter(|t| t.bounds.edge < none || t.bounds.edge_shorter < 1.0) {
        let ([a, b], [i, j, k]) = (t.rest.edges, t.rest.vertices);
        for (ends, by) in [([i, j], a), ([i, k], b), ([j, k], [b[0] - a[0], b[1] - a[1]])] {
            edges.push((
                [ends[0].min(ends[1]), ends[0].max(ends[1])],
                by[0].hypot(by[1]),
                [t.bounds.edge, t.bounds.edge_shorter],
            ));
        }
    }
    if settings.max_stretch > 0.0 {
        edges
            .extend(links.iter().map(|&([a, b], length)| ([a.min(b), a.max(b)], length, [settings.max_stretch, none])));
    }
    edges.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.2[0].total_cmp(&b.2[0])));
    edges.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.2[1] = kept.2[1].min(next.2[1]);
        }
        same
    });
    edges.into_iter().map(|(ends, length, [most, shorter])| BoundedEdge { ends, length, most, shorter }).collect()
}

/// Of a triangle from its edges, m².
pub(super) fn area(edges: &[[f64; 2]; 2]) -> f64 {
    0.5 * (edges[0][0] * edges[1][1] - edges[0][1] * edges[1][0]).abs()
}

struct FoundTriangle {
    corners: [u32; 3],
    edges: [[f64; 2]; 2],
    /// Along weft and warp, N/m; infinite where projected.
    modulus: [f64; 2],
}

struct GatherCloth {
    found: Vec<FoundTriangle>,
    links: Vec<([u32; 2], f64)>,
}

impl<T: Scalar> Visit<T> for GatherCloth {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        for e in batch.elements() {
            match (E::shape(&e.rest()), &e.vertices()[..]) {
                (RestShape::Edge(length), &[a, b]) if modulus::<E, T, V, D, P, R>(&e, 0, 1.0) == f64::INFINITY => {
                    self.links.push(([a, b], length));
                }
                (RestShape::Triangle(edges), &[a, b, c]) => {
                    let mut along = [0.0; 2];
                    for (r, row) in E::ROWS.iter().enumerate() {
                        if let Quantity::Stretch(axis) = row.quantity {
                            along[axis] = modulus::<E, T, V, D, P, R>(&e, r, area(&edges));
                        }
                    }
                    self.found.push(FoundTriangle { corners: [a, b, c], edges, modulus: along });
                }
                _ => {}
            }
        }
    }
}

/// What row `r` of an element of this `size` (m, m², m³) resists strain with, force per unit of it; infinite where it
/// is projected.
pub(super) fn modulus<E, T, const V: usize, const D: usize, const P: usize, const R: usize>(
    e: &Packed<'_, T, V, P, R>,
    r: usize,
    size: f64,
) -> f64
where
    T: Scalar,
    E: Element<V, D, P, R>,
{
    if E::PROJECTED && e.stiffness(r) >= LEAST_STIFFNESS {
        return f64::INFINITY;
    }
    // U = ½ c²/compliance is ½ modulus · size · strain², and c is `scale` times the strain.
    let scale = E::ROWS[r].scale;
    e.compliance(r).map_or(0.0, |compliance| scale * scale / (compliance * size))
}
