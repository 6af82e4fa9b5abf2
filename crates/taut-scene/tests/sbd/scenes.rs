//! The scenes of the Strain Based Dynamics paper, for tests and for the pictures.
#![allow(dead_code)]

use taut::mesh::TetMesh;
use taut::{
    Cloth, ClothDamping, ClothStiffness, Model, ModelBuilder, Params, Scratch, Solid, SolidStiffness, State,
    StrainForm, step,
};
use taut_scene::generate::rng::SplitMix64;
use taut_scene::generate::{Plane, SheetParams, Tessellation, TorusParams, sheet, torus};

pub const DT: f64 = 1.0 / 60.0;

/// A model and where it is.
pub struct Running {
    pub model: Model<f32>,
    pub state: State<f32>,
    pub params: Params,
    scratch: Scratch<f32>,
}

impl Running {
    pub fn new(model: Model<f32>, params: Params) -> Self {
        Running { state: State::new(&model), model, params, scratch: Scratch::new(1) }
    }

    pub fn run(&mut self, frames: usize) {
        for _ in 0..frames {
            step(&self.model, &mut self.state, &mut self.scratch, &self.params, DT);
        }
    }
}

/// Fig. 3: cloth of an irregular mesh hung by its upper corners; stiffness of weft, warp and shear.
pub fn figure_3(weft: f64, warp: f64, shear: f64) -> Running {
    let tessellation = Tessellation::Irregular { seed: 3 };
    let params =
        SheetParams { width: 1.2, height: 0.8, nx: 37, ny: 25, plane: Plane::Xy, tessellation, ..Default::default() };
    let mesh = sheet(&params).unwrap();
    let stiffness = ClothStiffness { weft, warp, shear, ..ClothStiffness::default() };
    let damping = ClothDamping { weft: 1.0, warp: 1.0, shear: 1.0, bend: 1.0, ..ClothDamping::default() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("cloth", &mesh, &Cloth { stiffness, damping, ..Cloth::default() }).unwrap();
    let mut running = Running::new(builder.build().unwrap(), Params::default());
    for group in ["top_left", "top_right"] {
        for &v in mesh.group(group).unwrap() {
            running.state.pin(&running.model, v);
        }
    }
    running
}

/// §3.4: a sheet stretched both ways; after `iterations` in one go, the mean stretch left.
pub fn remaining_stretch(form: StrainForm, tessellation: Tessellation, stretch: f64, iterations: u32) -> f64 {
    let n = 21;
    let mesh = sheet(&SheetParams { nx: n, ny: n, tessellation, ..Default::default() }).unwrap();
    let stiffness = ClothStiffness { shear: 0.5, bend: 0.0, ..ClothStiffness::default() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("cloth", &mesh, &Cloth { form, stiffness, ..Cloth::default() }).unwrap();
    let params = Params { gravity: [0.0; 3], substeps: 1, iterations, ..Params::default() };
    let mut running = Running::new(builder.build().unwrap(), params);
    for v in 0..running.model.vertices() as u32 {
        let [x, y, z] = running.state.position(&running.model, v);
        running.state.set_position(&running.model, v, [stretch * x, y, stretch * z]);
    }
    running.run(1);
    let [weft, warp, ..] = taut::measure::strains(&running.model, &running.state).cloth();
    0.5 * (weft.mean + warp.mean)
}

pub fn ring() -> TetMesh {
    torus(&TorusParams::default()).unwrap()
}

/// Fig. 4 (a)–(d): every vertex of a torus thrown to a random place in its bounding box.
pub fn figure_4_tangle(seed: u64) -> Running {
    let mesh = ring();
    let mut builder = ModelBuilder::new();
    builder.add_solid("torus", &mesh, &Solid::default()).unwrap();
    let params = Params { gravity: [0.0; 3], ..Params::default() };
    let mut running = Running::new(builder.build().unwrap(), params);
    let (mut lo, mut hi) = ([f64::MAX; 3], [f64::MIN; 3]);
    for p in &mesh.positions {
        for k in 0..3 {
            (lo[k], hi[k]) = (lo[k].min(p[k]), hi[k].max(p[k]));
        }
    }
    let mut rng = SplitMix64::new(seed);
    for v in 0..running.model.vertices() as u32 {
        let place = core::array::from_fn(|k| rng.range(lo[k], hi[k]));
        running.state.set_position(&running.model, v, place);
    }
    running
}

/// Fig. 4 (e)–(h): a torus upright, held at its top, hanging under gravity.
pub fn figure_4_hang(stiffness: SolidStiffness) -> Running {
    let mut mesh = ring();
    // Upright: the ring in the xy-plane.
    let turn = |p: [f64; 3]| [p[0], p[2], -p[1]];
    for p in &mut mesh.positions {
        *p = turn(*p);
    }
    for frame in &mut mesh.frames {
        *frame = frame.map(turn);
    }
    let mut builder = ModelBuilder::new();
    builder.add_solid("torus", &mesh, &Solid { stiffness, damping: 2.0, ..Solid::default() }).unwrap();
    let mut running = Running::new(builder.build().unwrap(), Params::default());
    for (v, p) in mesh.positions.iter().enumerate() {
        if p[1] > 0.33 {
            running.state.pin(&running.model, v as u32);
        }
    }
    running
}
