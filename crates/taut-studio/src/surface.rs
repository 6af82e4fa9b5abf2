//! Pictures of surfaces, plain and as maps.

use crate::heat::vertex_means;
use taut_render::{
    Bounds, Camera, Framing, Item, Legend, Markers, Material, Picture, Renderer, Rgb, Scale, Scene3, Values, Wireframe,
    palette,
};
use taut_scene::scene::settings::Colour;
use taut_scene::simulation::{Object, ObjectKind, Simulation};

/// A surface at a moment.
#[derive(Clone)]
pub struct Surface {
    /// Where its vertices are, m.
    pub positions: Vec<[f64; 3]>,
    /// Counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// How it takes the light.
    pub material: Material,
    /// Numbers at its vertices, and their colours.
    pub map: Option<(Vec<f64>, Scale)>,
    /// Whether the edges of triangles are drawn.
    pub wireframe: bool,
}

impl Surface {
    /// A plain surface.
    pub fn new(positions: Vec<[f64; 3]>, triangles: &[[u32; 3]], material: Material) -> Self {
        Surface { positions, triangles: triangles.to_vec(), material, map: None, wireframe: false }
    }

    /// A cloth in the first of the usual colours.
    pub fn cloth(positions: Vec<[f64; 3]>, triangles: &[[u32; 3]]) -> Self {
        Surface::new(positions, triangles, Material::cloth(palette::cloth(0)))
    }

    /// The same, coloured by a number for each triangle.
    pub fn mapped(&self, values: &[f64], scale: Scale) -> Self {
        let means = vertex_means(self.positions.len(), self.triangles.iter().map(|t| &t[..]), values);
        Surface { map: Some((means, scale)), ..self.clone() }
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
pub fn surfaces(simulation: &Simulation) -> Vec<Surface> {
    let objects = simulation.objects().iter().enumerate();
    let objects =
        objects.map(|(at, object)| Surface::new(simulation.positions(at), &object.surface, material(object, false)));
    let seen = simulation.colliders().iter().enumerate().filter(|(_, collider)| collider.visible && !collider.plane);
    let colliders = seen.map(|(at, collider)| {
        let material = Material::solid(collider.colour.map_or_else(palette::plaster, rgb));
        Surface::new(simulation.collider_positions(at), &collider.mesh.triangles, material)
    });
    objects.chain(colliders).collect()
}

/// What an object looks like; beside heat maps, grey.
pub(crate) fn material(object: &Object, grey: bool) -> Material {
    let colour = if grey { palette::plaster() } else { rgb(object.colour) };
    match object.kind {
        ObjectKind::Cloth => Material::cloth(colour),
        ObjectKind::Solid => Material::soft_body(colour),
    }
}

/// A scene's colour as pictures have it.
pub fn rgb(colour: Colour) -> Rgb {
    let [r, g, b] = colour.0.map(u32::from);
    Rgb::hex(r << 16 | g << 8 | b)
}

/// From where surfaces are seen, and how large.
#[derive(Clone, Copy)]
pub struct Framed {
    /// From where.
    pub camera: Camera,
    /// Width and height, pixels.
    pub size: [usize; 2],
}

impl Framed {
    /// Looks at all points from a direction.
    pub fn of(points: &[[f64; 3]], direction: [f64; 3], size: [usize; 2]) -> Self {
        let aspect = size[0] as f64 / size[1] as f64;
        let framing = Framing { direction, aspect, margins: [0.04; 4], ..Framing::default() };
        Framed { camera: Camera::fitting(points, &framing), size }
    }

    /// Looks at a box.
    pub fn around(min: [f64; 3], max: [f64; 3], direction: [f64; 3], size: [usize; 2]) -> Self {
        let framing = Framing { direction, aspect: size[0] as f64 / size[1] as f64, ..Framing::default() };
        Framed { camera: Camera::framed(&Bounds { min, max }, &framing), size }
    }

    /// Draws surfaces, with red balls where something is held.
    pub fn draw(&self, surfaces: &[Surface], pins: &[[f64; 3]]) -> Picture {
        let markers = vec![Markers { points: pins.to_vec(), radius: 0.012, colour: palette::signal() }];
        let scene = Scene3 { items: surfaces.iter().map(Surface::item).collect(), markers, floor: None };
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
