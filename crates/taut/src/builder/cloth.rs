//! Cloth: triangles with strain, edges, hinges, faces.

use super::frames::{Material, Materials, RestShape, Unusable, inverse2, materials};
use super::links::LinkFinder;
use super::patches::{Bending, PatchSheet};
use super::{
    BuildError, ClothElasticity, Grain, Membrane, ModelBuilder, Oddity, StrainForm, check_number, check_rate,
    check_stiffness,
};
use crate::constraint::Loose;
use crate::lanes::V3;
use crate::levels::SlantedThread;
use crate::limit::StretchBounds;
use crate::mesh::TriMesh;
use crate::model::{Body, BodyKind};
use std::collections::{HashMap, HashSet};

/// How a cloth behaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Mass per area, kg/m².
    pub density: f64,
    /// Which way weft and warp run.
    pub grain: Grain,
    /// Which form of the strain rows.
    pub form: StrainForm,
    /// How strongly each row is held.
    pub stiffness: ClothStiffness,
    /// What shape it wants to have.
    pub rest: RestShape,
    /// The lengths along weft and warp that count as unstretched, over those of the shape at rest.
    pub rest_stretch: [f64; 2],
    /// How fast motion along each row dies.
    pub damping: ClothDamping,
    /// Stiffness in physical units. If given, `form`, `stiffness` and `damping` have no say.
    pub elasticity: Option<ClothElasticity>,
    /// What resists bending in cloth with an `elasticity`; what is projected always uses hinges.
    pub bending: Bending,
}

/// The part of each row's error that one projection removes, 0 to 1 (SBD Eq. 1). Depends on the number of
/// iterations and the time step, as it does in the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothStiffness {
    /// Stretch along weft.
    pub weft: f64,
    /// Stretch along warp.
    pub warp: f64,
    /// Angle between weft and warp.
    pub shear: f64,
    /// Area.
    pub area: f64,
    /// Angle between neighbouring triangles.
    pub bend: f64,
    /// Length of the mesh's edges: "edge based dynamics".
    pub edge: f64,
}

/// Damping rates along the rows, 1/s: after 1/rate seconds about a third of the motion within an element is left, if it
/// were alone. What many elements do together lives longer, a wave across n of them about n² times: rates of hundreds
/// calm it. Rigid motion is never damped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClothDamping {
    /// Stretch along weft.
    pub weft: f64,
    /// Stretch along warp.
    pub warp: f64,
    /// Angle between weft and warp.
    pub shear: f64,
    /// Area.
    pub area: f64,
    /// Angle between neighbouring triangles.
    pub bend: f64,
    /// Length of the mesh's edges.
    pub edge: f64,
}

impl Default for ClothStiffness {
    fn default() -> Self {
        ClothStiffness { weft: 1.0, warp: 1.0, shear: 1.0, area: 0.0, bend: 0.01, edge: 0.0 }
    }
}

impl Default for Cloth {
    fn default() -> Self {
        Cloth {
            density: 0.2,
            grain: Grain::default(),
            form: StrainForm::default(),
            stiffness: ClothStiffness::default(),
            rest: RestShape::default(),
            rest_stretch: [1.0, 1.0],
            damping: ClothDamping::default(),
            elasticity: None,
            bending: Bending::default(),
        }
    }
}

impl Cloth {
    /// The form of the strain rows its triangles get: `form`, or that of its elasticity.
    pub fn strain_form(&self) -> StrainForm {
        match self.elasticity.map(|e| e.membrane) {
            None => self.form,
            Some(Membrane::Continuum(_)) => StrainForm::Plain,
            Some(Membrane::StretchShear { .. } | Membrane::Links { .. }) => StrainForm::StretchShear,
        }
    }

    fn check(&self, body: &str) -> Result<(), BuildError> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        check_number(body, "density", self.density, "kg/m², above 0", positive(self.density))?;
        let (k, d) = (&self.stiffness, &self.damping);
        for (name, k) in [
            ("stiffness.weft", k.weft),
            ("stiffness.warp", k.warp),
            ("stiffness.shear", k.shear),
            ("stiffness.area", k.area),
            ("stiffness.bend", k.bend),
            ("stiffness.edge", k.edge),
        ] {
            check_stiffness(body, name, k)?;
        }
        for (name, d) in [
            ("damping.weft", d.weft),
            ("damping.warp", d.warp),
            ("damping.shear", d.shear),
            ("damping.area", d.area),
            ("damping.bend", d.bend),
            ("damping.edge", d.edge),
        ] {
            check_rate(body, name, d)?;
        }
        if let Some(elasticity) = &self.elasticity {
            elasticity.check(body)?;
        }
        for s in self.rest_stretch {
            check_number(body, "rest_stretch", s, "0.01 to 100", (0.01..=100.0).contains(&s))?;
        }
        let (Grain::Uv(direction) | Grain::Direction(direction)) = self.grain;
        let length = V3::from(direction).norm2().sqrt();
        check_number(body, "length of the grain direction", length, "above 0", positive(length))
    }
}

impl ModelBuilder {
    /// Adds a cloth with vertices of its own. Returns the number of its first vertex.
    pub fn add_cloth(&mut self, name: &str, mesh: &TriMesh, cloth: &Cloth) -> Result<u32, BuildError> {
        self.or_nothing(|builder| {
            let base = builder.add_vertices(&mesh.positions)?;
            builder.cloth_on(name, base, mesh, &Fabrics { cloth, each: &[] })?;
            Ok(base)
        })
    }

    /// Adds a cloth whose triangles differ: what each is made of, by the numbers of the mesh, or nothing for all alike,
    /// and how far each may be stretched beside what limiters say of the whole, or nothing.
    ///
    /// Triangles may differ in density, rest stretch, damping and in the numbers of their stiffness; grain, form, kind
    /// of elasticity and of bending are those of `cloth`. Across an edge bends the mean of the two triangles. Springs
    /// ([`Membrane::Links`]) and bending by patches are those of `cloth` everywhere.
    pub fn add_cloth_of(
        &mut self,
        name: &str,
        mesh: &TriMesh,
        cloth: &Cloth,
        each: &[Cloth],
        limits: Vec<StretchBounds>,
    ) -> Result<u32, BuildError> {
        for (list, found) in [("materials", each.len()), ("limits", limits.len())] {
            if found != 0 && found != mesh.triangles.len() {
                let (body, expected) = (name.to_owned(), mesh.triangles.len());
                return Err(BuildError::Length { body, list, found, expected });
            }
        }
        for bounds in &limits {
            bounds.check()?;
        }
        self.or_nothing(|builder| {
            let base = builder.add_vertices(&mesh.positions)?;
            builder.cloth_on(name, base, mesh, &Fabrics { cloth, each })?;
            if let Some(body) = builder.bodies.last_mut() {
                body.limits = limits;
            }
            Ok(base)
        })
    }

    /// Adds a cloth onto existing vertices: vertex i of the mesh is vertex `base` + i. Its rest shape is theirs; the
    /// mesh's own positions are not looked at.
    pub fn add_cloth_on(&mut self, name: &str, base: u32, mesh: &TriMesh, cloth: &Cloth) -> Result<(), BuildError> {
        self.or_nothing(|builder| builder.cloth_on(name, base, mesh, &Fabrics { cloth, each: &[] }))
    }

    fn cloth_on(&mut self, name: &str, base: u32, mesh: &TriMesh, fabrics: &Fabrics) -> Result<(), BuildError> {
        fabrics.check(name)?;
        let cloth = fabrics.cloth;
        let triangles = self.checked_triangles(name, base, mesh)?;
        let Materials { qs, unusable, slants } =
            materials(mesh, self.positions.get(base as usize..).unwrap_or_default(), cloth.grain, cloth.rest);
        match unusable {
            Unusable::Some(bad) => self.warn(name, Oddity::NoGrain, &bad),
            Unusable::Scrambled(bad) => self.warn(name, Oddity::ScrambledGrain, &bad),
        }
        let kept = self.usable_triangles(name, &triangles, &qs)?;
        let form = cloth.strain_form();
        let elements = self.add_strain(form, &triangles, &qs, &kept, fabrics);
        for &t in &kept {
            let mass = twice_area(&qs[t]) / 6.0 * fabrics.of(t).density;
            for v in triangles[t] {
                self.masses[v as usize] += mass;
            }
            self.faces.push(Loose::bare(triangles[t], [1.0]));
        }
        let slanted = slants.into_iter().filter(|(t, _)| kept.binary_search(t).is_ok());
        self.slanted.extend(slanted.filter_map(|(t, [weft, warp])| {
            let [p, q, r, s] = inverse2(&qs[t])?;
            // At rest as long as what it is made of is.
            let [along_weft, along_warp] = fabrics.of(t).rest_stretch;
            let [weft, warp] = [weft / along_weft, warp / along_warp];
            Some(SlantedThread { corners: triangles[t], along: [weft * p + warp * r, weft * q + warp * s] })
        }));
        let edges = edges_of(&triangles, &kept);
        self.add_edges(&triangles, &edges, &qs, fabrics);
        self.add_hinges(name, base, &triangles, &edges, &qs, fabrics);
        if let Some(ClothElasticity { membrane: Membrane::Links { stretch, shear, bend }, damping, .. }) =
            cloth.elasticity
        {
            let links = LinkFinder { triangles: &triangles, sides: &edges, qs: &qs };
            for (kind, list) in links.all().into_iter().enumerate() {
                let k = [stretch, shear, bend][kind];
                let gamma = [damping.stretch, damping.shear, damping.bend][kind];
                let list = list.into_iter().map(|(pair, along)| (pair, rest_stretch(along, cloth)));
                self.springs_between(name, list, k, gamma);
            }
        }
        self.bodies.push(Body {
            name: name.to_owned(),
            base,
            triangles,
            tets: Vec::new(),
            limits: Vec::new(),
            contact: Vec::new(),
            strained: kept.iter().map(|&t| t as u32).collect(),
            strains: self.next_strains(BodyKind::Cloth, elements.len()),
            elements,
            kind: BodyKind::Cloth,
            form,
        });
        Ok(())
    }

    /// The triangles in the model's vertex numbers, all in range. Also checks the mesh's own consistency.
    fn checked_triangles(&self, name: &str, base: u32, mesh: &TriMesh) -> Result<Vec<[u32; 3]>, BuildError> {
        let length = |list, found: usize, expected: usize| {
            if found == expected {
                Ok(())
            } else {
                Err(BuildError::Length { body: name.to_owned(), list, found, expected })
            }
        };
        if !mesh.uv_triangles.is_empty() {
            length("uv_triangles", mesh.uv_triangles.len(), mesh.triangles.len())?;
        }
        let own = mesh.positions.len();
        let mut out = Vec::with_capacity(mesh.triangles.len());
        for (number, t) in mesh.triangles.iter().enumerate() {
            if let Some(&vertex) = t.iter().find(|&&v| v as usize >= own) {
                let body = name.to_owned();
                return Err(BuildError::Index { body, element: "triangle", number, vertex, vertices: own });
            }
            let moved = t.map(|v| v.saturating_add(base));
            self.check_index(name, "triangle", number, &moved)?;
            out.push(moved);
        }
        Ok(out)
    }

    /// The triangles that have an area and do not repeat another.
    fn usable_triangles(
        &mut self,
        name: &str,
        triangles: &[[u32; 3]],
        qs: &[Material],
    ) -> Result<Vec<usize>, BuildError> {
        let (mut flat, mut twice, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen = HashSet::with_capacity(triangles.len());
        for (t, triangle) in triangles.iter().enumerate() {
            let mut sorted = *triangle;
            sorted.sort_unstable();
            let distinct = sorted[0] < sorted[1] && sorted[1] < sorted[2];
            if !distinct || inverse2(&qs[t]).is_none() {
                flat.push(t);
            } else if !seen.insert(sorted) {
                twice.push(t);
            } else {
                kept.push(t);
            }
        }
        self.warn(name, Oddity::NoArea, &flat);
        self.warn(name, Oddity::DuplicateTriangle, &twice);
        if kept.is_empty() {
            let body = name.to_owned();
            return Err(BuildError::NothingLeft { body, element: "triangle", given: triangles.len() });
        }
        Ok(kept)
    }

    /// Strain elements for the kept triangles; returns their numbers.
    fn add_strain(
        &mut self,
        form: StrainForm,
        triangles: &[[u32; 3]],
        qs: &[Material],
        kept: &[usize],
        fabrics: &Fabrics,
    ) -> core::ops::Range<u32> {
        let list = match form {
            StrainForm::Improved => &mut self.loose.triangles,
            StrainForm::Plain => &mut self.loose.plain_triangles,
            StrainForm::StretchShear => &mut self.loose.stretch_shear_triangles,
        };
        let projected = if fabrics.cloth.elasticity.is_some() { 0.0 } else { 1.0 };
        let first = list.len() as u32;
        list.extend(kept.iter().filter_map(|&t| {
            let b = inverse2(&qs[t])?;
            let cloth = fabrics.of(t);
            let (k, d) = (&cloth.stiffness, &cloth.damping);
            Some(Loose {
                index: triangles[t],
                rest: [b[0], b[1], b[2], b[3], cloth.rest_stretch[0], cloth.rest_stretch[1]],
                stiffness: [k.weft, k.warp, k.shear, k.area].map(|k| k * projected),
                damping: [d.weft, d.warp, d.shear, d.area].map(|d| d * projected),
                elastic: cloth.elasticity.map(|e| e.triangle(0.5 * twice_area(&qs[t]), cloth.rest_stretch)),
            })
        }));
        first..list.len() as u32
    }

    fn add_edges(&mut self, triangles: &[[u32; 3]], edges: &[MeshEdge], qs: &[Material], fabrics: &Fabrics) {
        if fabrics.all(|c| c.elasticity.is_some() || c.stiffness.edge == 0.0 && c.damping.edge == 0.0) {
            return;
        }
        for side in edges {
            let [a, b] = side.ends.map(|v| V3::from(self.positions[v as usize]));
            let t = side.triangles[0];
            let cloth = fabrics.of(t);
            let along = material_edge(triangles[t], &qs[t], side.ends);
            let length = match cloth.rest {
                RestShape::Mesh => (b - a).norm2().sqrt(),
                RestShape::Uv => along[0].hypot(along[1]),
            };
            self.loose.edges.push(Loose {
                index: side.ends,
                rest: [1.0 / length, rest_stretch(along, cloth)],
                stiffness: [cloth.stiffness.edge],
                damping: [cloth.damping.edge],
                elastic: None,
            });
        }
    }

    /// A hinge on every edge with two triangles, at rest as the cloth is; or patches, if the cloth asks for them.
    fn add_hinges(
        &mut self,
        name: &str,
        base: u32,
        triangles: &[[u32; 3]],
        edges: &[MeshEdge],
        qs: &[Material],
        fabrics: &Fabrics,
    ) {
        let crowded: Vec<usize> = edges.iter().filter(|s| s.count > 2).map(|s| (s.ends[0] - base) as usize).collect();
        self.warn(name, Oddity::NonManifoldEdge, &crowded);
        let cloth = fabrics.cloth;
        let idle = |cloth: &Cloth| match &cloth.elasticity {
            Some(e) => e.bend == [0.0; 2],
            None => cloth.stiffness.bend == 0.0 && cloth.damping.bend == 0.0,
        };
        if fabrics.all(idle) {
            return;
        }
        if let (Some(elasticity), Bending::Patches) = (&cloth.elasticity, cloth.bending) {
            let flat = cloth.rest == RestShape::Uv;
            return self.add_patches(&PatchSheet { triangles, qs, sides: edges, flat }, elasticity);
        }
        let projected = if cloth.elasticity.is_some() { 0.0 } else { 1.0 };
        for side in edges.iter().filter(|s| s.count == 2) {
            let [t1, t2] = side.triangles;
            let [a, b] = [t1, t2].map(|t| apex_across(triangles[t], side.ends));
            let (Some(a), Some(b)) = (a, b) else { continue };
            // The first triangle runs along the edge from x0 to x1, so that its normal is e × a.
            let [mut x0, mut x1] = side.ends;
            let at = |v: u32| triangles[t1].iter().position(|&u| u == v).unwrap_or(0);
            if (at(x0) + 1) % 3 != at(x1) {
                (x0, x1) = (x1, x0);
            }
            if a == b {
                continue;
            }
            let index = [x0, x1, a, b];
            let rest = match cloth.rest {
                RestShape::Mesh => rest_angle(index.map(|v| V3::from(self.positions[v as usize]))),
                RestShape::Uv => 0.0,
            };
            let sides = [t1, t2].map(|t| fabrics.of(t));
            let mean = |of: fn(&Cloth) -> f64| 0.5 * (of(sides[0]) + of(sides[1]));
            let elastic = across(sides).map(|e| {
                let edge = material_edge(triangles[t1], &qs[t1], [x0, x1]);
                let l = edge[0].hypot(edge[1]);
                let areas = 0.5 * (twice_area(&qs[t1]) + twice_area(&qs[t2]));
                e.hinge(l, areas, [-edge[1] / l, edge[0] / l])
            });
            self.loose.hinges.push(Loose {
                index,
                rest: [rest],
                stiffness: [mean(|c| c.stiffness.bend) * projected],
                damping: [mean(|c| c.damping.bend) * projected],
                elastic,
            });
        }
    }
}

/// What each triangle of a cloth is made of.
struct Fabrics<'a> {
    cloth: &'a Cloth,
    /// Empty if all are alike.
    each: &'a [Cloth],
}

impl Fabrics<'_> {
    fn of(&self, triangle: usize) -> &Cloth {
        self.each.get(triangle).unwrap_or(self.cloth)
    }

    fn all(&self, is: impl Fn(&Cloth) -> bool) -> bool {
        is(self.cloth) && self.each.iter().all(is)
    }

    fn check(&self, body: &str) -> Result<(), BuildError> {
        self.cloth.check(body)?;
        let kind = |cloth: &Cloth| cloth.elasticity.map(|e| core::mem::discriminant(&e.membrane));
        for (number, cloth) in self.each.iter().enumerate() {
            cloth.check(body)?;
            let same = cloth.strain_form() == self.cloth.strain_form() && kind(cloth) == kind(self.cloth);
            check_number(body, "material of triangle", number as f64, "one of the cloth's own kind", same)?;
        }
        Ok(())
    }
}

/// How cloth with an elasticity bends between two triangles: as the mean of both.
fn across([a, b]: [&Cloth; 2]) -> Option<ClothElasticity> {
    let (a, b) = (a.elasticity?, b.elasticity?);
    let mut mean = a;
    mean.bend = core::array::from_fn(|k| 0.5 * (a.bend[k] + b.bend[k]));
    mean.damping.bend = 0.5 * (a.damping.bend + b.damping.bend);
    Some(mean)
}

/// The corner of a triangle that is not on the edge `ends`.
pub(super) fn apex_across(triangle: [u32; 3], ends: [u32; 2]) -> Option<u32> {
    triangle.into_iter().find(|v| !ends.contains(v))
}

/// The angle of a hinge, by the element's own row.
pub(super) fn rest_angle([x0, x1, x2, x3]: [V3<f64>; 4]) -> f64 {
    use crate::element::{Element, Hinge};
    let mut values = crate::element::RowValues::<1>::default();
    Hinge::rows(&[0.0], &mut [x1 - x0, x2 - x0, x3 - x0], &mut values);
    values.0[0]
}

fn twice_area(q: &Material) -> f64 {
    (q[0][0] * q[1][1] - q[0][1] * q[1][0]).abs()
}

/// The vector from one vertex of a triangle to another, in the material's axes.
pub(super) fn material_edge(triangle: [u32; 3], q: &Material, ends: [u32; 2]) -> [f64; 2] {
    let at = |v: u32| match triangle.iter().position(|&u| u == v) {
        Some(k) if k > 0 => q[k - 1],
        _ => [0.0; 2],
    };
    let [a, b] = ends.map(at);
    [b[0] - a[0], b[1] - a[1]]
}

/// The length that counts as unstretched of a line along `along` in the material's axes, over its length.
fn rest_stretch(along: [f64; 2], cloth: &Cloth) -> f64 {
    let ([u, v], [s, t]) = (along, cloth.rest_stretch);
    let length = u.hypot(v);
    if length > 0.0 && cloth.rest_stretch != [1.0; 2] { (s * u).hypot(t * v) / length } else { 1.0 }
}

/// An edge of a mesh and the triangles at it.
pub(super) struct MeshEdge {
    pub ends: [u32; 2],
    /// The first two.
    pub triangles: [usize; 2],
    /// How many there are.
    pub count: usize,
}

/// All edges of the kept triangles, in the order in which the triangles first name them.
fn edges_of(triangles: &[[u32; 3]], kept: &[usize]) -> Vec<MeshEdge> {
    let mut sides: Vec<MeshEdge> = Vec::new();
    let mut number: HashMap<[u32; 2], usize> = HashMap::with_capacity(kept.len() * 2);
    for &t in kept {
        let [a, b, c] = triangles[t];
        for (i, j) in [(a, b), (b, c), (c, a)] {
            let ends = [i.min(j), i.max(j)];
            let n = *number.entry(ends).or_insert_with(|| {
                sides.push(MeshEdge { ends, triangles: [t; 2], count: 0 });
                sides.len() - 1
            });
            if sides[n].count == 1 {
                sides[n].triangles[1] = t;
            }
            sides[n].count += 1;
        }
    }
    sides
}
