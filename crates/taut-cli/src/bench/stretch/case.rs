//! The cloth that is measured, and how stretch is measured on it.

use crate::bench::clock;
use crate::fail::Failure;
use std::fmt::Display;
use taut::limit::{LimitSpec, StretchBounds};
use taut::measure::strains;
use taut::mesh::TriMesh;
use taut::{Cloth, ClothElasticity, ClothStiffness, ElasticDamping, Membrane, Model, ModelBuilder, State};
use taut_scene::generate::{SheetParams, SkirtParams, Tessellation, sheet, skirt};

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum What {
    /// A square metre, released flat, held at two corners.
    Hang,
    /// The same with weft and warp turned by 20°, in triangles instead of edges.
    Turned,
    /// The same in triangles of 5000 N/m along weft, which is level, and 50 N/m along warp.
    Soft,
    /// Held along one side, in the wind.
    Flag,
    /// Held at the waist.
    Skirt,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Mesh {
    /// Squares cut in two, in alternating directions.
    Regular,
    /// Scattered vertices, Delaunay.
    Irregular,
}

/// Cloth, and what is held of it.
pub struct Case {
    pub scene: What,
    mesh: Mesh,
    size: u32,
    pub model: Model<f32>,
    /// The same with 20,000 N/m every way, for solvers that need a physical stiffness, if asked for.
    pub elastic: Option<Model<f32>>,
    /// The same with the limit along what is to be held, where that is not all of it.
    pub bounded: Option<Model<f32>>,
    /// How long building the model took, s.
    pub seconds: f64,
    pub pins: Vec<u32>,
    pub triangles: usize,
    /// Ends, and length at rest.
    pub edges: Vec<([usize; 2], f64)>,
}

/// How far cloth is stretched, over its length at rest.
#[derive(Clone, Copy)]
pub struct Stretch {
    /// The most, along what is to be held.
    pub peak: f64,
    /// The mean of how far it is off, along what is to be held.
    pub mean: f64,
    /// The mean along what is soft, if anything is.
    pub soft: Option<f64>,
}

impl Case {
    pub fn new(scene: What, kind: Mesh, size: u32, implicit: bool, max_stretch: f64) -> Result<Self, Failure> {
        let tessellation = match kind {
            Mesh::Regular => Tessellation::Alternating,
            Mesh::Irregular => Tessellation::Irregular { seed: 1 },
        };
        let mesh = match scene {
            What::Skirt => skirt(&SkirtParams { around: size, along: size / 3, ..SkirtParams::default() }),
            _ => sheet(&SheetParams { nx: size, ny: size, tessellation, ..SheetParams::default() }),
        };
        let mesh = mesh.map_err(|e| failed(&e))?;
        let groups: &[&str] = match scene {
            What::Hang | What::Turned | What::Soft => &["top_left", "top_right"],
            What::Flag => &["left"],
            What::Skirt => &["waist"],
        };
        let mut pins: Vec<u32> = groups.iter().flat_map(|g| mesh.group(g).unwrap_or_default()).copied().collect();
        pins.sort_unstable();
        let none = ClothStiffness { weft: 0.0, warp: 0.0, shear: 0.0, area: 0.0, bend: 0.0, edge: 0.0 };
        let turned = taut::Grain::Uv([20f64.to_radians().cos(), 20f64.to_radians().sin(), 0.0]);
        let cloth = match scene {
            What::Hang | What::Flag | What::Skirt => {
                Cloth { stiffness: ClothStiffness { edge: 1.0, ..none }, ..Cloth::default() }
            }
            What::Turned => Cloth {
                grain: turned,
                stiffness: ClothStiffness { weft: 1.0, warp: 1.0, shear: 0.3, ..none },
                ..Cloth::default()
            },
            What::Soft => elastic(5000.0, 50.0, 5.0),
        };
        let start = clock();
        let model = build(&mesh, &cloth)?;
        let seconds = clock() - start;
        let bounded = (scene == What::Soft).then(|| {
            let mut model = model.clone();
            let weft = StretchBounds { weft: max_stretch, ..StretchBounds::NONE };
            model.set_limits(&[LimitSpec::stretch(weft)]).map(|()| model)
        });
        Ok(Case {
            scene,
            mesh: kind,
            size,
            model,
            elastic: implicit.then(|| build(&mesh, &elastic(2e4, 2e4, 5e3))).transpose()?,
            bounded: bounded.transpose().map_err(|e| failed(&e))?,
            seconds,
            pins,
            triangles: mesh.triangles.len(),
            edges: edges(&mesh),
        })
    }

    pub fn name(&self) -> String {
        format!("{}, {} vertices a side, {} triangles", self.kind(), self.size, self.triangles)
    }

    /// The name without the size.
    pub fn kind(&self) -> String {
        let scene = ["hang", "turned", "soft", "flag", "skirt"][self.scene as usize];
        let mesh = ["regular", "irregular"][self.mesh as usize];
        format!("{scene}, {mesh}")
    }

    /// What all cases have in common that differ in size only.
    pub fn family(&self) -> (What, Mesh) {
        (self.scene, self.mesh)
    }

    /// Elements that a sweep treats.
    pub fn elements(&self) -> usize {
        match self.scene {
            What::Hang | What::Flag | What::Skirt => self.edges.len(),
            What::Turned | What::Soft => self.triangles,
        }
    }

    /// Of every edge, or along weft and warp of every triangle, whichever the cloth is made of.
    pub fn stretch(&self, model: &Model<f32>, state: &State<f32>) -> Stretch {
        let held: Vec<f64> = match self.scene {
            What::Hang | What::Flag | What::Skirt => {
                let x = state.positions(model);
                self.edges.iter().map(|&(ends, rest)| distance(&x, ends) / rest - 1.0).collect()
            }
            What::Turned => strains(model, state).triangles.iter().flat_map(|t| [t[0], t[1]]).collect(),
            What::Soft => strains(model, state).triangles.iter().map(|t| t[0]).collect(),
        };
        let warp = |t: &[[f64; 4]]| t.iter().map(|t| t[1]).sum::<f64>() / t.len().max(1) as f64;
        Stretch {
            peak: held.iter().copied().fold(0.0, f64::max),
            mean: held.iter().map(|s| s.abs()).sum::<f64>() / held.len().max(1) as f64,
            soft: (self.scene == What::Soft).then(|| warp(&strains(model, state).triangles)),
        }
    }
}

fn failed(e: &dyn Display) -> Failure {
    Failure::Failed(e.to_string())
}

fn build(mesh: &TriMesh, cloth: &Cloth) -> Result<Model<f32>, Failure> {
    let mut builder = ModelBuilder::new();
    builder.add_cloth("cloth", mesh, cloth).map_err(|e| failed(&e))?;
    builder.build().map_err(|e| failed(&e))
}

/// Cloth with moduli in N/m that does not resist bending.
fn elastic(weft: f64, warp: f64, shear: f64) -> Cloth {
    let membrane = Membrane::StretchShear { weft, warp, shear };
    let elasticity = ClothElasticity { membrane, area: 0.0, bend: [0.0; 2], damping: ElasticDamping::default() };
    Cloth { elasticity: Some(elasticity), ..Cloth::default() }
}

fn edges(mesh: &TriMesh) -> Vec<([usize; 2], f64)> {
    let sides = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut ends: Vec<[usize; 2]> = sides.map(|[a, b]| [a.min(b) as usize, a.max(b) as usize]).collect();
    ends.sort_unstable();
    ends.dedup();
    ends.into_iter().map(|e| (e, distance(&mesh.positions, e))).collect()
}

fn distance(at: &[[f64; 3]], [a, b]: [usize; 2]) -> f64 {
    glam::DVec3::from(at[a]).distance(at[b].into())
}
