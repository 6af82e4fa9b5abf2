//! `[[collider]]`: things that nothing enters.

use super::contact::{FRICTION, THICKNESS};
use super::frame::{Unit, Up};
use super::generate::GenerateSurface;
use super::pin::RigidMotion;
use super::values::{Colour, Each, Turn};
use crate::generate::Rotation;
use crate::scene::decode::Rule;

const LENGTH: Rule = Rule::ANY.above(0.0).to(1e6).unit("m");

section! {
    /// A thing that nothing enters.
    pub struct Collider {
        /// What pins and messages call it.
        name: Option<String> = None;
        /// Its shape.
        shape: Shape;
        /// Angles around the x, y and z axis in turn, or { axis, degrees }.
        rotate: Turn = Turn(Rotation::default()) => Rule::ANY.from(-1e6).to(1e6).unit("degrees");
        /// Where its middle is.
        translate: [f64; 3] = [0.0; 3] => Rule::ANY.from(-1e6).to(1e6).unit("m");
        /// How it moves; it keeps its size.
        motion: Option<RigidMotion> = None;
        /// The name of another collider that it moves along with, after its own `motion`: a shin with its thigh.
        follow: Option<String> = None;
        /// Friction coefficient: 0 for ice, about 0.3 for cloth on wood, 1 for rubber.
        friction: f64 = 0.3 => FRICTION;
        /// The distance that is kept from its surface.
        thickness: f64 = 0.002 => THICKNESS;
        /// Whether pictures show it.
        visible: bool = true;
        /// Colour in pictures.
        colour: Option<Colour> = None;
    }
}

variants! {
    /// The shape of a collider.
    pub enum Shape {
        /// Everything below a plane: a floor, or turned, a wall.
        Plane(PlaneShape) = "plane",
        /// A ball.
        Sphere(SphereShape) = "sphere",
        /// A rod with round ends, along y.
        Capsule(CapsuleShape) = "capsule",
        /// A box.
        Box(BoxShape) = "box",
        /// A surface of triangles, closed or open, that may deform.
        Mesh(MeshShape) = "mesh",
    }
}

section! {
    /// A plane through its middle; free space is on the side of its own +y.
    pub struct PlaneShape {
        /// How large pictures show it; it has no end.
        size: f64 = 4.0 => LENGTH;
    }
}

section! {
    /// A ball.
    pub struct SphereShape {
        /// Radius.
        radius: f64 => LENGTH;
    }
}

section! {
    /// A rod with round ends, along its own y axis.
    pub struct CapsuleShape {
        /// Radius.
        radius: f64 => LENGTH;
        /// Length of the straight part.
        length: f64 => Rule::ANY.from(0.0).to(1e6).unit("m");
    }
}

section! {
    /// A box.
    pub struct BoxShape {
        /// Extent along its own x, y and z.
        size: [f64; 3] => LENGTH;
    }
}

section! {
    /// A surface of triangles from a file or made from a few numbers. Both its sides are solid. Only bodies with a
    /// thickness meet it.
    pub struct MeshShape {
        /// A mesh file of any format in the scene's folder; with an animation (glTF) it moves, and so does a sequence
        /// of files such as "walk_####.obj". Give this or `generate`.
        mesh: Option<String> = None;
        /// Of a glTF file, the node or mesh with this name; all of them if not given.
        part: Option<String> = None;
        /// Which way is up in `mesh`.
        up: Up = Up::Y;
        /// The unit of lengths in `mesh`.
        unit: Unit = Unit::Metre;
        /// Names of parts (nodes, materials, bones, groups) that are left out, as if they were not there: arms that
        /// hang inside a skirt. `*` stands for anything.
        without: Vec<String> = Vec::new();
        /// Of a glTF file, the animation with this name alone; if not given the first, together with all that move
        /// nothing which one before them moves.
        animation: Option<String> = None;
        /// A point cache (PC2, MDD) in the scene's folder that moves the vertices of `mesh`.
        cache: Option<String> = None;
        /// Frames in a second of a sequence, or of a cache that counts in frames.
        fps: f64 = 24.0 => Rule::ANY.from(1.0).to(10_000.0).unit("1/s");
        /// When its animation begins.
        start: f64 = 0.0 => Rule::ANY.from(-1e6).to(1e6).unit("s");
        /// How fast it plays: twice as fast by 2.
        speed: f64 = 1.0 => Rule::ANY.above(0.0).to(1000.0);
        /// Whether its animation begins anew whenever it has ended.
        repeat as "loop": bool = false;
        /// A mesh made from a few numbers. Give this or `mesh`.
        generate: Option<GenerateSurface> = None;
        /// Factors along its own x, y and z, or one for all. Applied first.
        scale: Each<3> = Each([1.0; 3]) => Rule::ANY.above(0.0).to(1e6);
    }
}
