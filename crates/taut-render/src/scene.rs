//! What is in the picture: meshes with their materials, markers, a floor, and the look of it all.

use crate::camera::{Bounds, Camera};
use crate::colour::{Rgb, palette};
use crate::map::Scale;

/// How a surface takes the light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Colour where triangles turn counter-clockwise.
    pub front: Rgb,
    /// Colour of the other side.
    pub back: Rgb,
    /// Strength of the pale rim that fibres give cloth, 0 to 1.
    pub sheen: f32,
    /// Strength of the soft highlight, 0 to 1.
    pub gloss: f32,
    /// Edges where faces meet at more than this angle stay sharp, degrees. None: everything is smooth.
    pub crease_degrees: Option<f32>,
}

impl Material {
    /// Matt woven cloth; the back is a paler shade of the front.
    pub fn cloth(front: Rgb) -> Material {
        let pale = front.mix(Rgb::linear(0.75, 0.73, 0.70), 0.22);
        Material { front, back: pale, sheen: 0.35, gloss: 0.06, crease_degrees: None }
    }

    /// A solid with sharp edges kept sharp, for colliders.
    pub fn solid(colour: Rgb) -> Material {
        Material { front: colour, back: colour * 0.6, sheen: 0.0, gloss: 0.10, crease_degrees: Some(35.0) }
    }

    /// A smooth soft body, slightly glossy.
    pub fn soft_body(colour: Rgb) -> Material {
        Material { front: colour, back: colour * 0.6, sheen: 0.10, gloss: 0.30, crease_degrees: None }
    }
}

impl Default for Material {
    fn default() -> Material {
        Material::cloth(palette::indigo())
    }
}

/// Numbers on a mesh.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// One for each vertex, interpolated.
    PerVertex(&'a [f64]),
    /// One for each triangle, flat.
    PerFace(&'a [f64]),
}

/// A heat map: numbers and the scale that colours them.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The numbers. Where they are missing or NaN the mesh is grey.
    pub values: Values<'a>,
    /// Their colours.
    pub scale: Scale,
}

/// Lines along the triangles' edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wireframe {
    /// Colour of the lines.
    pub colour: Rgb,
    /// Width, pixels.
    pub width: f32,
    /// 0 to 1.
    pub opacity: f32,
}

impl Default for Wireframe {
    fn default() -> Wireframe {
        Wireframe { colour: palette::ink() * 0.5, width: 1.0, opacity: 0.45 }
    }
}

/// One mesh to draw. Triangles with a vertex that is missing or not finite are left out.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Vertex positions, m.
    pub positions: &'a [[f64; 3]],
    /// Vertex indices, counter-clockwise seen from the front.
    pub triangles: &'a [[u32; 3]],
    /// How it takes the light.
    pub material: Material,
    /// Colours from numbers, in place of the material's.
    pub field: Option<Field<'a>>,
    /// Lines along the edges.
    pub wireframe: Option<Wireframe>,
}

impl<'a> Item<'a> {
    /// A mesh with a material.
    pub fn new(positions: &'a [[f64; 3]], triangles: &'a [[u32; 3]], material: Material) -> Item<'a> {
        Item { positions, triangles, material, field: None, wireframe: None }
    }

    /// The same, coloured by numbers.
    pub fn with_field(self, values: Values<'a>, scale: Scale) -> Item<'a> {
        Item { field: Some(Field { values, scale }), ..self }
    }

    /// The same, with its edges drawn.
    pub fn with_wireframe(self, wireframe: Wireframe) -> Item<'a> {
        Item { wireframe: Some(wireframe), ..self }
    }
}

/// Small balls, for pins and other points worth seeing.
#[derive(Clone, Debug)]
pub struct Markers {
    /// Where, m.
    pub points: Vec<[f64; 3]>,
    /// Radius, m.
    pub radius: f64,
    /// Colour.
    pub colour: Rgb,
}

/// A level floor that takes shadows and fades into the backdrop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Its y coordinate, m.
    pub height: f64,
    /// Distance between grid lines, m; None for a plain floor.
    pub grid: Option<f64>,
}

/// Everything in the picture.
#[derive(Clone, Debug, Default)]
pub struct Scene3<'a> {
    /// The meshes.
    pub items: Vec<Item<'a>>,
    /// The markers.
    pub markers: Vec<Markers>,
    /// The floor, if any.
    pub floor: Option<Floor>,
}

impl Scene3<'_> {
    /// The box around all meshes and markers.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        self.items.iter().for_each(|item| bounds.include(item.positions));
        self.markers.iter().for_each(|markers| bounds.include(&markers.points));
        bounds
    }
}

/// Where the main light comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Light {
    /// Turns with the camera: degrees to the viewer's left and above the horizon.
    FromViewer {
        /// Degrees to the left of the viewer.
        left: f64,
        /// Degrees above the horizon.
        up: f64,
    },
    /// A fixed direction in the world, pointing to the light; any length.
    World([f64; 3]),
}

/// The look of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Backdrop at the top of the picture.
    pub top: Rgb,
    /// Backdrop at the bottom.
    pub bottom: Rgb,
    /// Where the main light comes from.
    pub light: Light,
    /// Half the angle the main light spans, degrees: how soft shadows are. The sun has 0.27.
    pub softness_degrees: f64,
    /// Brightness of the main light.
    pub key: f32,
    /// Brightness of the light from all around.
    pub ambient: f32,
    /// How strongly corners and folds darken, 0 to 1.
    pub occlusion: f32,
    /// How dark shadows on the floor are, 0 to 1.
    pub floor_shadow: f32,
}

impl Style {
    /// A pale studio.
    pub fn studio() -> Style {
        Style {
            top: Rgb::hex(0xdde1e6),
            bottom: Rgb::hex(0xf3f2f0),
            light: Light::FromViewer { left: 38.0, up: 48.0 },
            softness_degrees: 4.0,
            key: 0.92,
            ambient: 0.42,
            occlusion: 1.0,
            floor_shadow: 0.9,
        }
    }

    /// A dark studio, for dark pages and slides.
    pub fn dark() -> Style {
        Style { top: Rgb::hex(0x1b1e23), bottom: Rgb::hex(0x30343a), floor_shadow: 1.0, ..Style::studio() }
    }

    /// The direction to the light, in the world.
    pub(crate) fn light_direction(&self, camera: &Camera) -> [f64; 3] {
        match self.light {
            Light::World(direction) => direction,
            Light::FromViewer { left, up } => {
                let back = camera.basis().z_axis;
                let turn = back.x.atan2(back.z) - left.to_radians();
                let (rise, level) = up.to_radians().sin_cos();
                [turn.sin() * level, rise, turn.cos() * level]
            }
        }
    }
}

impl Default for Style {
    fn default() -> Style {
        Style::studio()
    }
}
