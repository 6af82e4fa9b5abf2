//! `[[collider]]`: rigid things that nothing enters.

use super::pin::Motion;
use super::values::{Colour, Turn};
use crate::generate::Rotation;
use crate::scene::decode::Rule;

const LENGTH: Rule = Rule::ANY.above(0.0).to(1e6).unit("m");

section! {
    /// A rigid thing that nothing enters.
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
        motion: Option<Motion> = None;
        /// Friction coefficient: 0 for ice, about 0.3 for cloth on wood, 1 for rubber.
        friction: f64 = 0.3 => Rule::ANY.from(0.0).to(100.0);
        /// The distance that is kept from its surface.
        thickness: f64 = 0.002 => Rule::ANY.from(0.0).to(1.0).unit("m");
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
