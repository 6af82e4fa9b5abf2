//! Pictures of surfaces, plain and as maps.

use taut_render::export::{SheetOptions, contact_sheet};
use taut_render::{
    Bounds, Camera, Framing, Item, Legend, Markers, Material, Picture, Renderer, Rgb, Scale, Scene3, Values, Wireframe,
    palette,
};
use taut_scene::simulation::{ObjectKind, Simulation};

/// A surface at a moment.
#[derive(Clone)]
pub struct Part {
    pub positions: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    pub material: Material,
    /// Numbers at its vertices, and their colours.
    pub map: Option<(Vec<f64>, Scale)>,
    pub wireframe: bool,
}

impl Part {
    pub fn new(positions: Vec<[f64; 3]>, triangles: &[[u32; 3]], material: Material) -> Self {
        Part { positions, triangles: triangles.to_vec(), material, map: None, wireframe: false }
    }

    pub fn cloth(positions: Vec<[f64; 3]>, triangles: &[[u32; 3]]) -> Self {
        Part::new(positions, triangles, Material::cloth(palette::cloth(0)))
    }

    /// The same, coloured by a number for each triangle: the mean of what is around each vertex, for pictures are small and
    /// triangles smaller.
    pub fn mapped(&self, values: &[f64], scale: Scale) -> Self {
        let mut sums = vec![[0.0; 2]; self.positions.len()];
        for (t, value) in self.triangles.iter().zip(values) {
            for &v in t {
                sums[v as usize][0] += value;
                sums[v as usize][1] += 1.0;
            }
        }
        let means = sums.iter().map(|[sum, n]| sum / f64::max(*n, 1.0)).collect();
        Part { map: Some((means, scale)), ..self.clone() }
    }

    fn item(&self) -> Item<'_> {
        let item = Item::new(&self.positions, &self.triangles, self.material);
        let item = match &self.map {
            Some((values, scale)) => item.with_field(Values::PerVertex(values), *scale),
            None => item,
        };
        if self.wireframe { item.with_wireframe(Wireframe::default()) } else { item }
    }
}

/// Everything in a scene: its objects first, then what can be seen of its colliders but planes.
pub fn parts(simulation: &Simulation) -> Vec<Part> {
    let colour = |[r, g, b]: [u8; 3]| Rgb::hex(u32::from(r) << 16 | u32::from(g) << 8 | u32::from(b));
    let objects = simulation.objects().iter().enumerate().map(|(at, object)| {
        let colour = colour(object.colour.0);
        let cloth = object.kind == ObjectKind::Cloth;
        let material = if cloth { Material::cloth(colour) } else { Material::soft_body(colour) };
        Part::new(simulation.positions(at), &object.surface, material)
    });
    let seen = simulation.colliders().iter().enumerate().filter(|(_, collider)| collider.visible && !collider.plane);
    let colliders = seen.map(|(at, collider)| {
        let material = Material::solid(collider.colour.map_or_else(palette::plaster, |c| colour(c.0)));
        Part::new(simulation.collider_positions(at), &collider.mesh.triangles, material)
    });
    objects.chain(colliders).collect()
}

/// From where, and how large.
#[derive(Clone, Copy)]
pub struct View {
    pub camera: Camera,
    pub size: [usize; 2],
}

impl View {
    /// Looks at all points from a direction.
    pub fn of(points: &[[f64; 3]], direction: [f64; 3], size: [usize; 2]) -> Self {
        let aspect = size[0] as f64 / size[1] as f64;
        let framing = Framing { direction, aspect, margins: [0.04; 4], ..Framing::default() };
        View { camera: Camera::fitting(points, &framing), size }
    }

    /// Looks at a box.
    pub fn framed(min: [f64; 3], max: [f64; 3], direction: [f64; 3], size: [usize; 2]) -> Self {
        let framing = Framing { direction, aspect: size[0] as f64 / size[1] as f64, ..Framing::default() };
        View { camera: Camera::framed(&Bounds { min, max }, &framing), size }
    }

    /// Draws surfaces, with red balls where something is held.
    pub fn draw(&self, parts: &[Part], pins: &[[f64; 3]]) -> Picture {
        let markers = vec![Markers { points: pins.to_vec(), radius: 0.012, colour: palette::signal() }];
        let scene = Scene3 { items: parts.iter().map(Part::item).collect(), markers, floor: None };
        Renderer::new(self.size[0], self.size[1]).with_threads(1).render(&scene, &self.camera)
    }

    /// An empty picture with a colour bar.
    pub fn legend(&self, label: &str, scale: Scale) -> Picture {
        let mut picture = self.blank();
        Legend::percent(label, scale).draw(&mut picture);
        picture
    }

    /// An empty picture.
    pub fn blank(&self) -> Picture {
        Picture::filled(self.size[0], self.size[1], Rgb::hex(0xffffff))
    }
}

/// Captioned pictures in rows.
pub fn sheet(pictures: &[(Picture, String)], columns: usize, cell_width: usize) -> Picture {
    contact_sheet(pictures, &SheetOptions { columns, cell_width, ..SheetOptions::default() })
}
