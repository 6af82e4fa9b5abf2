//! Pictures of cloth, plain and as maps.

use crate::Done;
use crate::scenes::{Alone, Running};
use std::path::Path;
use taut::mesh::TriMesh;
use taut_render::export::{SheetOptions, contact_sheet, png};
use taut_render::{
    Camera, Framing, Item, Legend, Markers, Material, Picture, Renderer, Rgb, Scale, Scene3, Values, palette,
};

/// A mesh at a moment.
#[derive(Clone)]
pub struct Shot {
    pub positions: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// A collider to be seen with it.
    pub beside: Option<TriMesh>,
}

impl Shot {
    pub fn of(cloth: &Running) -> Self {
        Shot { positions: cloth.state.positions(&cloth.model), triangles: cloth.mesh.triangles.clone(), beside: None }
    }

    pub fn alone(cloth: &Alone) -> Self {
        Shot { positions: cloth.positions.clone(), triangles: cloth.mesh.triangles.clone(), beside: None }
    }

    /// The cloth, coloured by a number for each triangle if there are any.
    pub fn draw(&self, camera: &Camera, size: [usize; 2], map: Option<(&[f64], Scale)>, pins: &[[f64; 3]]) -> Picture {
        let item = Item::new(&self.positions, &self.triangles, Material::cloth(palette::cloth(0)));
        let smooth = map.map(|(values, scale)| (self.at_vertices(values), scale));
        let item = match &smooth {
            Some((values, scale)) => item.with_field(Values::PerVertex(values), *scale),
            None => item,
        };
        let beside =
            self.beside.iter().map(|m| Item::new(&m.positions, &m.triangles, Material::solid(palette::plaster())));
        let markers = vec![Markers { points: pins.to_vec(), radius: 0.012, colour: palette::signal() }];
        let scene = Scene3 { items: beside.chain([item]).collect(), markers, floor: None };
        Renderer::new(size[0], size[1]).with_threads(1).render(&scene, camera)
    }

    /// The mean of what is around each vertex: pictures are small, and triangles smaller.
    fn at_vertices(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![[0.0; 2]; self.positions.len()];
        for (t, value) in self.triangles.iter().zip(values) {
            for &v in t {
                sums[v as usize][0] += value;
                sums[v as usize][1] += 1.0;
            }
        }
        sums.iter().map(|[sum, n]| sum / f64::max(*n, 1.0)).collect()
    }
}

/// Looks at all points from a direction.
pub fn camera(points: &[[f64; 3]], direction: [f64; 3], aspect: f64) -> Camera {
    Camera::fitting(points, &Framing { direction, aspect, margins: [0.04; 4], ..Framing::default() })
}

/// An empty cell with a colour bar.
pub fn legend(label: &str, scale: Scale, size: [usize; 2]) -> Picture {
    let mut picture = Picture::filled(size[0], size[1], Rgb::hex(0xffffff));
    Legend::percent(label, scale).draw(&mut picture);
    picture
}

pub fn save(folder: &Path, name: &str, pictures: &[(Picture, String)], columns: usize, cell_width: usize) -> Done {
    let sheet = contact_sheet(pictures, &SheetOptions { columns, cell_width, ..SheetOptions::default() });
    png(std::fs::File::create(folder.join(name))?, &sheet)?;
    Ok(())
}
