//! `[[cloth]]`, `[[solid]]` and `[[initial]]`.

use super::cap::Weld;
use super::contact::{FRICTION, THICKNESS};
use super::frame::{Unit, Up};
use super::generate::{GenerateSolid, GenerateSurface};
use super::material::{ClothElastic, FabricName, SolidElastic};
use super::paint::{MapFile, Vary};
use super::values::{BendingChoice, Colour, Each, Form, Frames, GrainChoice, RestChoice, Turn};
use crate::generate::Rotation;
use crate::scene::decode::Rule;
use crate::scene::track::Track;

const RATE: Rule = Rule::ANY.from(0.0).to(1e6).unit("1/s");
const SCALE: Rule = Rule::ANY.above(0.0).to(1e6);
const STRETCH: Rule = Rule::ANY.from(0.01).to(100.0);
const PLACE: Rule = Rule::ANY.from(-1e6).to(1e6).unit("m");
const ANGLE: Rule = Rule::ANY.from(-1e6).to(1e6).unit("degrees");

fn unstiff() -> taut::ClothStiffness {
    taut::ClothStiffness::default()
}

joined! {
    /// A piece of cloth.
    pub struct Cloth {
        /// What it is called, and its mesh.
        shape: ClothShape;
        /// Where it is.
        place: BodyPlace;
        /// What it is made of.
        material: ClothMaterial;
        /// What is painted on it.
        paint: ClothPaint;
        /// How it meets others, and its colour.
        surface: ClothSurface;
    }
}

section! {
    /// What is painted on a cloth.
    pub struct ClothPaint {
        /// Maps from files beside the scene; those of the mesh file are there without a word.
        maps: Vec<MapFile> = Vec::new();
        /// What varies with a map: stiffness, mass, rest lengths, limits. Of several all act.
        vary: Vec<Vary> = Vec::new();
    }
}

section! {
    /// Where a body is.
    pub struct BodyPlace {
        /// Factors along x, y and z, or one for all. Applied first.
        scale: Each<3> = Each([1.0; 3]) => SCALE;
        /// Angles around the x, y and z axis in turn, or { axis, degrees }. Applied after `scale`.
        rotate: Turn = Turn(Rotation::default()) => ANGLE;
        /// Where the mesh's origin goes. Applied last.
        translate: [f64; 3] = [0.0; 3] => PLACE;
    }
}

section! {
    /// What a cloth is called, and its mesh.
    pub struct ClothShape {
        /// What pins and messages call it; each body has its own name.
        name: String = "cloth".to_owned();
        /// A mesh file (OBJ, PLY, STL, glTF; also .gz) in the scene's folder. Give this or `generate`.
        mesh: Option<String> = None;
        /// Of a glTF file, the node or mesh with this name; all of them if not given.
        part: Option<String> = None;
        /// Which way is up in `mesh`.
        up: Up = Up::Y;
        /// The unit of lengths in `mesh`.
        unit: Unit = Unit::Metre;
        /// Makes one of vertices of `mesh` that are not further apart than this, or not at all. If not given: of those
        /// at exactly one place, unless three triangles would then share an edge.
        weld: Option<Weld> = None => Rule::ANY.from(0.0).to(1.0).unit("m");
        /// A mesh file with the same vertices in the same order, whose shape counts as unstretched; `mesh` is then
        /// only where
        /// the cloth begins.
        rest_mesh: Option<String> = None;
        /// A mesh made from a few numbers. Give this or `mesh`.
        generate: Option<GenerateSurface> = None;
    }
}

section! {
    /// What a cloth is made of.
    pub struct ClothMaterial {
        /// A fabric of the library: its mass and stiffness hold where `density` and `elastic` say nothing else.
        fabric: Option<FabricName> = None;
        /// Mass per area; 0.2 if neither this nor `fabric` is given.
        density: Option<f64> = None => Rule::ANY.above(0.0).to(1000.0).unit("kg/m²");
        /// Which form of the strain rows.
        form: Form = Form::Improved;
        /// Which way the weft runs: "uv", along the first texture coordinate, or a direction.
        grain: GrainChoice = GrainChoice(taut::Grain::default());
        /// The share of each kind of deformation that one projection removes.
        stiffness: ClothRows = ClothRows::default();
        /// Stiffness in physical units, independent of substeps and iterations. Takes the place of `form`, `stiffness`
        /// and `damping`.
        elastic: Option<ClothElastic> = None;
        /// What resists bending in cloth with `elastic` or `fabric`.
        bending: BendingChoice = BendingChoice::Hinges;
        /// What shape it wants to have.
        rest: RestChoice = RestChoice::Mesh;
        /// Lengths along weft and warp that count as unstretched, over those of the shape at rest.
        rest_stretch: Track<[f64; 2]> = Track::constant(taut::Cloth::default().rest_stretch) => STRETCH;
        /// How fast motion along each kind of deformation dies. Rigid motion is never damped.
        damping: ClothDamping = ClothDamping::default();
    }
}

section! {
    /// How a cloth meets others, and its colour.
    pub struct ClothSurface {
        /// Which layer of clothes it is: in a start phase, what begins beneath a layer with a lower number, or inside a
        /// body, comes out, the lowest first. Layers with the same number leave each other alone.
        layer: u32 = 0 => Rule::ANY.from(0.0).to(1000.0);
        /// The distance kept from other surfaces: each of two brings half of its own. 0: it meets none. If not
        /// given, that of `fabric`, or else of `[contact]`.
        thickness: Option<f64> = None => THICKNESS;
        /// Friction coefficient against surfaces of its kind; two kinds meet with the geometric mean. If
        /// not given, that of `fabric`, or else of `[contact]`.
        friction: Option<f64> = None => FRICTION;
        /// Whether it meets itself.
        self_collision: bool = true;
        /// Colour in pictures.
        colour: Option<Colour> = None;
    }
}

section! {
    /// The share of each kind of deformation that one projection removes, 0 to 1.
    pub struct ClothRows + Default {
        /// Stretch along the weft.
        weft: f64 = unstiff().weft => Rule::SHARE;
        /// Stretch along the warp.
        warp: f64 = unstiff().warp => Rule::SHARE;
        /// Angle between weft and warp.
        shear: f64 = unstiff().shear => Rule::SHARE;
        /// Area.
        area: f64 = unstiff().area => Rule::SHARE;
        /// Angle between neighbouring triangles.
        bend: f64 = unstiff().bend => Rule::SHARE;
        /// Length of the mesh's edges.
        edge: f64 = unstiff().edge => Rule::SHARE;
    }
}

section! {
    /// Damping rates: after 1/rate seconds about a third of the motion within an element is left. Waves across many
    /// elements live far longer: rates of hundreds calm them.
    pub struct ClothDamping + Default {
        /// Stretch along the weft.
        weft: f64 = 0.0 => RATE;
        /// Stretch along the warp.
        warp: f64 = 0.0 => RATE;
        /// Angle between weft and warp.
        shear: f64 = 0.0 => RATE;
        /// Area.
        area: f64 = 0.0 => RATE;
        /// Angle between neighbouring triangles.
        bend: f64 = 0.0 => RATE;
        /// Length of the mesh's edges.
        edge: f64 = 0.0 => RATE;
    }
}

impl ClothMaterial {
    /// The engine's parameters.
    pub fn params(&self) -> taut::Cloth {
        let (k, d) = (&self.stiffness, &self.damping);
        taut::Cloth {
            density: self
                .density
                .or(self.fabric.map(|f| f.0.figures.density.value))
                .unwrap_or(taut::Cloth::default().density),
            grain: self.grain.0,
            form: self.form.into(),
            stiffness: taut::ClothStiffness {
                weft: k.weft,
                warp: k.warp,
                shear: k.shear,
                area: k.area,
                bend: k.bend,
                edge: k.edge,
            },
            rest: self.rest.into(),
            rest_stretch: self.rest_stretch.at(0.0),
            damping: taut::ClothDamping {
                weft: d.weft,
                warp: d.warp,
                shear: d.shear,
                area: d.area,
                bend: d.bend,
                edge: d.edge,
            },
            elasticity: match (&self.elastic, self.fabric) {
                (Some(elastic), _) => Some(elastic.into()),
                (None, fabric) => fabric.map(|f| f.0.into()),
            },
            bending: self.bending.into(),
        }
    }
}

joined! {
    /// A soft body of tetrahedra.
    pub struct Solid {
        /// What it is called, and its mesh.
        shape: SolidShape;
        /// Where it is.
        place: BodyPlace;
        /// What it is made of.
        material: SolidMaterial;
        /// How it meets others, and its colour.
        surface: SolidSurface;
    }
}

section! {
    /// What a soft body is called, and its mesh.
    pub struct SolidShape {
        /// What pins and messages call it; each body has its own name.
        name: String = "solid".to_owned();
        /// A mesh file with tetrahedra (Gmsh .msh, TetGen .node/.ele, VTK; also .gz) in the scene's folder. Give this
        /// or `generate`.
        mesh: Option<String> = None;
        /// A mesh made from a few numbers. Give this or `mesh`.
        generate: Option<GenerateSolid> = None;
    }
}

section! {
    /// What a soft body is made of.
    pub struct SolidMaterial {
        /// Mass per volume.
        density: f64 = taut::Solid::default().density => Rule::ANY.above(0.0).to(100_000.0).unit("kg/m³");
        /// Which form of the strain rows.
        form: Form = Form::Improved;
        /// Which way the material's three axes run: "mesh", "world", "ring", "surface", or a direction for the first.
        frames: Frames = Frames::Mesh;
        /// The share of each kind of deformation that one projection removes.
        stiffness: SolidRows = SolidRows::default();
        /// Stiffness in physical units, independent of substeps and iterations. Takes the place of `form`, `stiffness`
        /// and `damping`.
        elastic: Option<SolidElastic> = None;
        /// Lengths along the three axes that count as unstretched, over those of the mesh; or one for all.
        rest_stretch: Each<3> = Each(taut::Solid::default().rest_stretch) => STRETCH;
        /// How fast deformation within an element dies; waves across many elements live far longer. Rigid motion is
        /// never damped.
        damping: f64 = taut::Solid::default().damping => RATE;
    }
}

section! {
    /// How a soft body meets others, and its colour.
    pub struct SolidSurface {
        /// The distance kept from other surfaces: each of two brings half of its own. 0: it meets none. If not
        /// given, that of `[contact]`.
        thickness: Option<f64> = None => THICKNESS;
        /// Friction coefficient against surfaces of its kind; two kinds meet with the geometric mean. If
        /// not given, that of `[contact]`.
        friction: Option<f64> = None => FRICTION;
        /// Whether it meets itself.
        self_collision: bool = true;
        /// Colour in pictures.
        colour: Option<Colour> = None;
    }
}

section! {
    /// The share of each kind of deformation that one projection removes, 0 to 1.
    pub struct SolidRows + Default {
        /// Stretch along the material's three axes, or one for all.
        stretch: Each<3> = Each(taut::SolidStiffness::default().stretch) => Rule::SHARE;
        /// Shear between axes 1 and 2, 1 and 3, 2 and 3, or one for all.
        shear: Each<3> = Each(taut::SolidStiffness::default().shear) => Rule::SHARE;
        /// Volume. This turns elements back that are inside out.
        volume: f64 = taut::SolidStiffness::default().volume => Rule::SHARE;
    }
}

impl SolidMaterial {
    /// The engine's parameters.
    pub fn params(&self) -> taut::Solid {
        let k = &self.stiffness;
        taut::Solid {
            density: self.density,
            form: self.form.into(),
            stiffness: taut::SolidStiffness { stretch: k.stretch.0, shear: k.shear.0, volume: k.volume },
            rest_stretch: self.rest_stretch.0,
            damping: self.damping,
            elasticity: self.elastic.as_ref().map(Into::into),
        }
    }
}

section! {
    /// How a body differs from rest when the time begins.
    pub struct Initial {
        /// The name of a cloth or solid.
        body: String;
        /// Factors along x, y and z by which it is stretched about its middle, or one for all.
        stretch: Each<3> = Each([1.0; 3]) => Rule::ANY.from(-100.0).to(100.0);
        /// Puts every vertex somewhere at random.
        scramble: Option<Scramble> = None;
        /// Moves every vertex a little, at random.
        jitter: Option<Jitter> = None;
        /// Velocity of all its vertices.
        velocity: [f64; 3] = [0.0; 3] => Rule::ANY.from(-1e5).to(1e5).unit("m/s");
        /// Rotation about its middle.
        spin: Option<Spin> = None;
    }
}

section! {
    /// Random places within the box around the body.
    pub struct Scramble {
        /// Another seed gives other places.
        seed: u32 = 1;
        /// How far vertices go from where they were (0) to where they are thrown (1).
        amount: f64 = 1.0 => Rule::SHARE;
    }
}

section! {
    /// Small random displacements: where a scene could fall to either side, another seed shows the other.
    pub struct Jitter {
        /// Another seed gives other displacements.
        seed: u32 = 1;
        /// How far a vertex goes along each axis, at most.
        amount: f64 => Rule::ANY.from(0.0).to(1e3).unit("m");
    }
}

section! {
    /// Rotation about a body's middle.
    pub struct Spin {
        /// The axis, of any length.
        axis: [f64; 3] = [0.0, 1.0, 0.0];
        /// How fast.
        degrees_per_second: f64 => Rule::ANY.from(-1e6).to(1e6).unit("degrees/s");
    }
}
