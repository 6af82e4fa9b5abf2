//! `[[pin]]`: which vertices are held, and how they move.

use super::solver::Plain;
use crate::scene::decode::{Reader, Rule, Value};
use crate::scene::document::{Node, Tree};
use crate::scene::track::Track;
use serde_json::{Value as Json, json};

const PLACE: Rule = Rule::ANY.from(-1e6).to(1e6).unit("m");
const ANGLE: Rule = Rule::ANY.from(-1e6).to(1e6).unit("degrees");

section! {
    /// Vertices that are held, or moved.
    pub struct Pin {
        /// What messages call it.
        name: Option<String> = None;
        /// The name of a cloth or solid.
        body: String;
        /// Which of its vertices: the name of a group such as "top", "all", or a table.
        select: Select;
        /// How they move. Without it they stay where they are.
        motion: Option<Motion> = None;
        /// The collider that they move along with, before `motion`: its name, or a table that says how.
        follow: Option<Leader> = None;
        /// How firmly they are held.
        hold: Hold = Hold::Fast(Plain::default());
        /// When they are taken hold of, where they then are. `select` looks at where everything begins.
        from: f64 = 0.0 => Rule::ANY.from(0.0).unit("s");
        /// When they are let go; never if not given.
        until: Option<f64> = None => Rule::ANY.from(0.0).unit("s");
    }
}

variants! {
    /// How firmly pins hold.
    pub enum Hold default "fast" {
        /// Where they are told to be, and nowhere else.
        Fast(Plain) = "fast",
        /// By springs. Cloth only, as all that follows.
        Soft(Soft) = "soft",
        /// Not at all up to a distance, and then no further.
        Within(Within) = "within",
        /// At their distance from the surface of the collider that they follow, wherever on it.
        Slide(Slide) = "slide",
    }
}

section! {
    /// Springs that pull vertices to where they are told to be.
    pub struct Soft {
        /// How far they give, all together, under the weight of the whole cloth.
        give: f64 = 0.01 => Rule::ANY.from(1e-5).to(1e3).unit("m");
        /// The name of a map that is a factor on their strength, from 0 to 1.
        map: Option<String> = None;
    }
}

section! {
    /// Vertices may go anywhere not too far from where they are told to be.
    pub struct Within {
        /// How far they may go.
        distance: f64 => Rule::ANY.from(0.0).to(1e6).unit("m");
        /// The name of a map that is a factor on the distance, from 0 to 1.
        map: Option<String> = None;
        /// How far they may go towards the surface of the collider that they follow; as far as anywhere if not given.
        backstop: Option<f64> = None => Rule::ANY.from(0.0).to(1e6).unit("m");
    }
}

section! {
    /// Vertices stay at their distance from a surface.
    pub struct Slide {
        /// How far they may slide from where they are told to be.
        distance: f64 = 0.05 => Rule::ANY.from(0.0).to(1e6).unit("m");
    }
}

section! {
    /// Cloth that is joined to cloth: buttons, belts, straps. Each vertex is tied to the one nearest to it.
    pub struct Join {
        /// The name of a cloth.
        body: String;
        /// Which of its vertices, as for pins.
        select: Select;
        /// The name of the cloth that they are tied to, which may be the same.
        to: String;
        /// Which of its vertices they are tied to; all that are not tied themselves if not given.
        onto: Option<Select> = None;
        /// How far apart they may be; as far as they are at the beginning if not given. Surfaces that meet stay at
        /// least
        /// as far apart as they are thick.
        length: Option<f64> = None => Rule::ANY.from(0.0).to(1e6).unit("m");
        /// How far all of it gives under the weight of the cloth.
        give: f64 = 1e-4 => Rule::ANY.from(1e-6).to(1e3).unit("m");
        /// When it begins to hold.
        from: f64 = 0.0 => Rule::ANY.from(0.0).unit("s");
        /// When it opens; never if not given.
        until: Option<f64> = None => Rule::ANY.from(0.0).unit("s");
    }
}

section! {
    /// Air that presses on a cloth from one side.
    pub struct Pressure {
        /// The name of a cloth. Its triangles run counter-clockwise seen from the side that it is pushed to.
        body: String;
        /// What the air inside has more than that outside.
        pressure: Track<f64> => Rule::ANY.from(-1e6).to(1e6).unit("Pa");
        /// The name of a map that is a factor on it, from 0 to 1.
        map: Option<String> = None;
    }
}

section! {
    /// Folds that stay: pleats, creases, wrinkles.
    pub struct Crease {
        /// The name of a cloth.
        body: String;
        /// Which edges: those with both ends among these vertices, as for pins.
        select: Select;
        /// The angle between the two sides of an edge that is at rest, 0 if they are flat; positive is away from the
        /// side
        /// that triangles are seen counter-clockwise from. That of the mesh if not given.
        degrees: Option<f64> = None => Rule::ANY.from(-179.0).to(179.0).unit("degrees");
        /// The moment for each metre of the fold and each radian, beside what the fabric has.
        stiffness: f64 = 1e-3 => Rule::ANY.above(0.0).to(1e6).unit("N");
        /// Beyond this the angle at rest goes along and stays: plastic wrinkles. Never if not given.
        yields: Option<f64> = None => Rule::ANY.from(0.0).to(179.0).unit("degrees");
    }
}

section! {
    /// What pins move along with, and how. All but `collider` matters only to meshes that deform.
    pub struct Follow {
        /// The name of a collider.
        collider: String;
        /// How vertices go along with a skin that bends and stretches.
        by: FollowBy = FollowBy::Together;
        /// Names of parts of the collider (nodes, materials, bones, groups) that alone are followed; `*` stands for
        /// anything. All of it if empty.
        only: Vec<String> = Vec::new();
        /// How far around each vertex the skin counts, along the skin, if `by` is "blend"; a tenth of the
        /// collider's size if not given.
        radius: Option<f64> = None => Rule::ANY.above(0.0).to(1e6).unit("m");
    }
}

choice! {
    /// How pins go along with a skin that bends and stretches.
    pub enum FollowBy {
        /// Those that hang together, as one stiff piece that turns and moves as the skin under it does on the whole: a
        /// waistband keeps its lengths.
        Together = "together",
        /// Each as the skin around it does on the whole: what is held bends, and stretches a little where the skin
        /// does.
        Blend = "blend",
        /// Each with the triangle it is nearest to: what is held stretches as the skin does, and where neighbours are
        /// nearest to different limbs it is torn.
        Triangle = "triangle",
    }
}

impl Hold {
    /// The name of the map that it uses.
    pub(crate) fn map(&self) -> Option<&str> {
        match self {
            Hold::Soft(soft) => soft.map.as_deref(),
            Hold::Within(within) => within.map.as_deref(),
            Hold::Fast(_) | Hold::Slide(_) => None,
        }
    }
}

/// What pins move along with: the name of a collider, or a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Leader(pub Follow);

impl Value for Leader {
    fn expected(_: &Rule) -> String {
        "the name of a collider, or a table with collider, by, only or radius".into()
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        match &node.tree {
            Tree::Text(name) => {
                let (by, only) = (FollowBy::default(), Vec::new());
                Some(Leader(Follow { collider: name.clone(), by, only, radius: None }))
            }
            Tree::Table(_) => Follow::decode(reader, node, rule).map(Leader),
            _ => {
                reader.unexpected(node, &Self::expected(rule), Vec::new());
                None
            }
        }
    }

    fn schema(rule: &Rule) -> Json {
        json!({ "anyOf": [{ "type": "string" }, Follow::schema(rule)] })
    }

    fn json(&self) -> Json {
        Value::json(&self.0)
    }
}

section! {
    /// A weight sewn on: coins in a hem, a load in a tensile test. It makes vertices heavier, and nothing else.
    pub struct Weight {
        /// The name of a cloth or solid.
        body: String;
        /// Which of its vertices, as for pins.
        select: Select;
        /// Mass of them all together. Along a hem it is spread by length; single vertices get equal parts.
        mass: f64 => Rule::ANY.above(0.0).to(1e6).unit("kg");
    }
}

section! {
    /// Vertices that fulfil everything that is given.
    pub struct SelectTable {
        /// The name of a vertex group of the mesh.
        group: Option<String> = None;
        /// The name of a painted map, or of a group or material, which is 1 inside and 0 outside: where it is above
        /// `above` and below `below`; above 0.5 if neither is given.
        map: Option<String> = None;
        /// With `map`: where it is above this.
        above: Option<f64> = None;
        /// With `map`: where it is below this.
        below: Option<f64> = None;
        /// Vertex numbers, from 0, in the mesh's order.
        indices: Option<Vec<u32>> = None;
        /// Those in a box.
        within_box as "box": Option<SelectBox> = None;
        /// Those in a sphere.
        sphere: Option<SelectSphere> = None;
        /// The one nearest to each of these points.
        nearest: Option<Vec<[f64; 3]>> = None => PLACE;
        /// Every nth of what the others leave, in the mesh's order, beginning with the first.
        every: u32 = 1 => Rule::ANY.from(1.0);
    }
}

section! {
    /// A box with edges along the axes, in the world.
    pub struct SelectBox {
        /// The corner with the smallest coordinates.
        min: [f64; 3] => PLACE;
        /// The corner with the largest coordinates.
        max: [f64; 3] => PLACE;
    }
}

section! {
    /// A sphere in the world.
    pub struct SelectSphere {
        /// Its middle.
        centre: [f64; 3] => PLACE;
        /// Its radius.
        radius: f64 => Rule::ANY.above(0.0).unit("m");
    }
}

/// Which vertices of a body.
#[derive(Clone, Debug, PartialEq)]
// A scene has a handful of these; boxing one would only make them harder to match.
#[allow(clippy::large_enum_variant)]
pub enum Select {
    /// All of them.
    All,
    /// Those that fulfil everything that is given.
    Where(SelectTable),
}

impl Select {
    fn group(name: String) -> Self {
        let group = Some(name);
        let (map, above, below) = (None, None, None);
        let (indices, within_box, sphere, nearest) = (None, None, None, None);
        Select::Where(SelectTable { group, map, above, below, indices, within_box, sphere, nearest, every: 1 })
    }
}

impl Value for Select {
    fn expected(_: &Rule) -> String {
        "the name of a group, \"all\", or a table with group, map, indices, box, sphere, nearest or every".into()
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        match &node.tree {
            Tree::Text(text) if text == "all" => Some(Select::All),
            Tree::Text(text) => Some(Select::group(text.clone())),
            Tree::Table(_) => SelectTable::decode(reader, node, rule).map(Select::Where),
            _ => {
                reader.unexpected(node, &Self::expected(rule), Vec::new());
                None
            }
        }
    }

    fn schema(rule: &Rule) -> Json {
        json!({ "anyOf": [{ "type": "string" }, SelectTable::schema(rule)] })
    }

    fn json(&self) -> Json {
        match self {
            Select::All => "all".into(),
            Select::Where(table) => Value::json(table),
        }
    }
}

section! {
    /// A motion: `scale`, then `rotate`, then `translate`, each over time.
    pub struct Motion {
        /// Drawing together or apart.
        scale: Option<Resize> = None;
        /// A turn.
        rotate: Option<Revolve> = None;
        /// A way from where it was.
        translate: Track<[f64; 3]> = Track::constant([0.0; 3]) => PLACE;
    }
}

section! {
    /// A motion of something that keeps its size: `rotate`, then `translate`, each over time.
    pub struct RigidMotion {
        /// A turn.
        rotate: Option<Revolve> = None;
        /// A way from where it was.
        translate: Track<[f64; 3]> = Track::constant([0.0; 3]) => PLACE;
    }
}

section! {
    /// Factors along the axes.
    pub struct Resize {
        /// The point that stays.
        about: [f64; 3] = [0.0; 3] => PLACE;
        /// Factors along x, y and z.
        factor: Track<[f64; 3]> => Rule::ANY.from(-1e3).to(1e3);
    }
}

section! {
    /// A turn around an axis.
    pub struct Revolve {
        /// A point on the axis.
        about: [f64; 3] = [0.0; 3] => PLACE;
        /// The axis, of any length.
        axis: [f64; 3] = [0.0, 1.0, 0.0];
        /// The angle, counter-clockwise seen from the axis's tip.
        degrees: Track<f64> => ANGLE;
    }
}
