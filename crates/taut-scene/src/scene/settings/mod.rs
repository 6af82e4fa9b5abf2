//! The sections of a scene file, each declared once.

mod body;
mod cap;
mod collider;
mod contact;
mod frame;
mod generate;
mod limit;
mod material;
mod output;
mod paint;
mod pin;
mod solver;
mod values;
mod world;

pub use body::{Cloth, ClothDamping, ClothRows, Initial, Jitter, Scramble, Solid, SolidRows, Spin};
pub use cap::{Cap, ShearCap, Weld};
pub use collider::{BoxShape, CapsuleShape, Collider, MeshShape, PlaneShape, Shape, SphereShape};
pub use contact::{CONTACT_BY_DEFAULT, Contact};
pub(crate) use frame::FileFrame;
pub use frame::{Unit, Up};
pub use generate::*;
pub use limit::{
    Bound, CslLimit, CslMethod, CslWay, EdgeLimit, EdgeRateLimit, FabricLimit, Fraction, Limit, RateLimit, SbdLimit,
    SizeLimit, StretchLimit,
};
pub use material::{ClothElastic, Continuum, ElasticDamping, FabricName, Links, SolidElastic, StretchShear};
pub use output::{Camera, Coloured, Output, Pictures};
pub use paint::{MapFile, Vary};
pub use pin::{
    Crease, Follow, FollowBy, Hold, Join, Leader, Motion, Pin, Pressure, Resize, Revolve, RigidMotion, Select,
    SelectBox, SelectSphere, SelectTable, Slide, Soft, Weight, Within,
};
pub use solver::{AlphaBeta, Auto, Global, Integrator, Newmark, Pbd, Plain, Solver};
pub use values::{AxisTurn, Colour, Each, Form, FormatName, Frames, GrainChoice, Precision, Turn};
pub use world::{About, Air, Drag, Start, StartFrom, Time, World};

section! {
    /// A scene: what there is, what happens to it and what is written. Lengths are in metres, y points up.
    pub struct Settings {
        /// What the scene is, for people.
        scene: About = About::default();
        /// How long, and how many frames.
        time: Time = Time::default();
        /// A phase before the first frame in which cloth comes to rest.
        start: Start = Start::default();
        /// The method that moves everything.
        solver: Solver = Solver::Auto(Auto::default());
        /// What holds everywhere.
        world: World = World::default();
        /// Wind and drag.
        air: Air = Air::default();
        /// Pieces of cloth.
        cloth: Vec<Cloth> = Vec::new();
        /// Soft bodies.
        solid: Vec<Solid> = Vec::new();
        /// Vertices that are held, or moved.
        pin: Vec<Pin> = Vec::new();
        /// Weights sewn on.
        weight: Vec<Weight> = Vec::new();
        /// Cloth that is joined to cloth: buttons, belts, straps.
        join: Vec<Join> = Vec::new();
        /// Folds that stay: pleats, creases, wrinkles.
        crease: Vec<Crease> = Vec::new();
        /// Air that presses on cloth.
        pressure: Vec<Pressure> = Vec::new();
        /// Contact of surfaces with each other, with themselves and with meshes.
        contact: Contact = Contact::default();
        /// Things that nothing enters.
        collider: Vec<Collider> = Vec::new();
        /// Strain limiters, in the order they act, and how far cloth may be stretched.
        limit: Vec<Limit> = Vec::new();
        /// How bodies differ from rest when the time begins.
        initial: Vec<Initial> = Vec::new();
        /// What is written.
        output: Output = Output::default();
        /// Where pictures are taken from.
        camera: Camera = Camera::default();
    }
}
