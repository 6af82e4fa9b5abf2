//! Kinds of values that several sections use.

use crate::generate::Rotation;
use crate::scene::decode::{Reader, Rule, Value};
use crate::scene::document::{Node, Tree};
use crate::write;
use serde_json::{Value as Json, json};

choice! {
    /// Size of numbers.
    pub enum Precision {
        /// 32 bits: fast.
        F32 = "f32",
        /// 64 bits: for study.
        F64 = "f64",
    }
}

choice! {
    /// Which form of the strain rows (SBD).
    pub enum Form {
        /// Stretch is solved in one step, and shear is free of stretch.
        Improved = "improved",
        /// As a comparison.
        Plain = "plain",
    }
}

impl From<Form> for taut::StrainForm {
    fn from(form: Form) -> Self {
        match form {
            Form::Improved => taut::StrainForm::Improved,
            Form::Plain => taut::StrainForm::Plain,
        }
    }
}

choice! {
    /// What resists bending in cloth with `elastic` or `fabric`.
    pub enum BendingChoice {
        /// An angle at every edge, each on its own: quick; how stiff a sheet comes out depends on its mesh by up to a
        /// fifth.
        Hinges = "hinges",
        /// The three angles around every triangle together: strips along weft and warp have the rigidity given within 3
        /// %, on grids and scattered points.
        Patches = "patches",
    }
}

impl From<BendingChoice> for taut::Bending {
    fn from(choice: BendingChoice) -> Self {
        match choice {
            BendingChoice::Hinges => taut::Bending::Hinges,
            BendingChoice::Patches => taut::Bending::Patches,
        }
    }
}

choice! {
    /// What shape a cloth wants to have.
    pub enum RestChoice {
        /// That of its mesh.
        Mesh = "mesh",
        /// Flat, as its texture coordinates are, in metres: for a sewn garment, whose mesh is only where it begins.
        Uv = "uv",
    }
}

impl From<RestChoice> for taut::RestShape {
    fn from(choice: RestChoice) -> Self {
        match choice {
            RestChoice::Mesh => taut::RestShape::Mesh,
            RestChoice::Uv => taut::RestShape::Uv,
        }
    }
}

const LENGTH: Rule = Rule::ANY;

/// Several numbers, or one that stands for all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Each<const N: usize>(pub [f64; N]);

impl<const N: usize> Value for Each<N> {
    fn expected(rule: &Rule) -> String {
        let count = if N == 2 { "two" } else { "three" };
        format!("{}, or a list of {count}", f64::expected(rule))
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        match &node.tree {
            Tree::Array(items) if items.len() == N => <[f64; N]>::decode(reader, node, rule).map(Each),
            Tree::Integer(_) | Tree::Float(_) => f64::decode(reader, node, rule).map(|each| Each([each; N])),
            _ => {
                reader.unexpected(node, &Self::expected(rule), Vec::new());
                None
            }
        }
    }

    fn schema(rule: &Rule) -> Json {
        json!({ "anyOf": [f64::schema(rule), <[f64; N]>::schema(rule)] })
    }

    fn json(&self) -> Json {
        let first = self.0.first().copied().unwrap_or_default();
        if self.0.iter().all(|&each| each == first) { first.json() } else { self.0.json() }
    }
}

/// A rotation: angles around x, y and z in turn, or one around an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn(pub Rotation);

section! {
    /// A rotation around an axis through the origin.
    pub struct AxisTurn {
        /// The axis, of any length.
        axis: [f64; 3];
        /// The angle, counter-clockwise seen from the axis's tip.
        degrees: f64 => Rule::ANY.from(-1e6).to(1e6).unit("degrees");
    }
}

impl Value for Turn {
    fn expected(_: &Rule) -> String {
        "three angles in degrees (around x, y and z in turn), or { axis = [x, y, z], degrees = … }".into()
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        match &node.tree {
            Tree::Array(_) => {
                let degrees = <[f64; 3]>::decode(reader, node, rule)?;
                Some(Turn(Rotation::Euler { degrees }))
            }
            Tree::Table(_) => {
                let AxisTurn { axis, degrees } = AxisTurn::decode(reader, node, rule)?;
                direction(reader, node, axis)?;
                Some(Turn(Rotation::AxisAngle { axis, degrees }))
            }
            _ => {
                reader.unexpected(node, &Self::expected(rule), Vec::new());
                None
            }
        }
    }

    fn schema(rule: &Rule) -> Json {
        json!({ "anyOf": [<[f64; 3]>::schema(rule), AxisTurn::schema(rule)] })
    }

    fn json(&self) -> Json {
        match self.0 {
            Rotation::Euler { degrees } => degrees.json(),
            Rotation::AxisAngle { axis, degrees } => json!({ "axis": axis.json(), "degrees": degrees }),
        }
    }
}

/// Reports a vector that points nowhere.
pub(super) fn direction(reader: &mut Reader, node: &Node, vector: [f64; 3]) -> Option<()> {
    let length = vector.iter().map(|c| c * c).sum::<f64>().sqrt();
    if length > 1e-9 && length < 1e9 {
        return Some(());
    }
    let message = format!("`{}` has the axis {vector:?}, which points nowhere", reader.path());
    reader.report(node.span, message, Vec::new());
    None
}

/// Which way the weft runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainChoice(pub taut::Grain);

impl Value for GrainChoice {
    fn expected(_: &Rule) -> String {
        "\"uv\" (weft along the first texture coordinate), or the direction of the weft as three numbers".into()
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        match &node.tree {
            Tree::Text(text) if text == "uv" => Some(GrainChoice(taut::Grain::default())),
            Tree::Array(_) => {
                let vector = <[f64; 3]>::decode(reader, node, rule)?;
                direction(reader, node, vector)?;
                Some(GrainChoice(taut::Grain::Direction(vector)))
            }
            _ => {
                reader.unexpected(node, &Self::expected(rule), Vec::new());
                None
            }
        }
    }

    fn schema(_: &Rule) -> Json {
        json!({ "anyOf": [{ "const": "uv" }, <[f64; 3]>::schema(&LENGTH)] })
    }

    fn json(&self) -> Json {
        match self.0 {
            taut::Grain::Uv(_) => "uv".into(),
            taut::Grain::Direction(direction) => direction.json(),
        }
    }
}

/// Which way the axes of a soft body's material run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Frames {
    /// As the file or generator has them; the world's axes where it has none.
    Mesh,
    /// The world's axes.
    World,
    /// Around the body's own vertical axis: along the ring, radial, up.
    Ring,
    /// Along the body's surface: two tangents and the normal.
    Surface,
    /// The first axis along this direction.
    Along([f64; 3]),
}

const FRAME_NAMES: [(&str, Frames); 4] =
    [("mesh", Frames::Mesh), ("world", Frames::World), ("ring", Frames::Ring), ("surface", Frames::Surface)];

impl Value for Frames {
    fn expected(_: &Rule) -> String {
        "\"mesh\", \"world\", \"ring\", \"surface\", or a direction as three numbers".into()
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        let expected = Self::expected(rule);
        if let Tree::Array(_) = node.tree {
            let vector = <[f64; 3]>::decode(reader, node, rule)?;
            direction(reader, node, vector)?;
            return Some(Frames::Along(vector));
        }
        crate::scene::choose::named(reader, node, &expected, &FRAME_NAMES, |(name, _)| name).map(|(_, frames)| frames)
    }

    fn schema(_: &Rule) -> Json {
        json!({ "anyOf": [{ "enum": FRAME_NAMES.map(|(name, _)| name) }, <[f64; 3]>::schema(&LENGTH)] })
    }

    fn json(&self) -> Json {
        match self {
            Frames::Along(direction) => direction.json(),
            known => FRAME_NAMES.iter().find(|(_, frames)| frames == known).map_or(Json::Null, |(name, _)| json!(name)),
        }
    }
}

/// A colour: red, green and blue as a screen has them, 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

impl Value for Colour {
    fn expected(_: &Rule) -> String {
        "a colour such as \"#c2452d\"".into()
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        let colour = match &node.tree {
            Tree::Text(text) => hex(text),
            _ => None,
        };
        if colour.is_none() {
            reader.unexpected(node, &Self::expected(rule), Vec::new());
        }
        colour.map(Colour)
    }

    fn schema(_: &Rule) -> Json {
        json!({ "type": "string", "pattern": "^#[0-9a-fA-F]{6}$" })
    }

    fn json(&self) -> Json {
        let [r, g, b] = self.0;
        json!(format!("#{r:02x}{g:02x}{b:02x}"))
    }
}

fn hex(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let at = |k: usize| u8::from_str_radix(&digits[k..k + 2], 16).ok();
    Some([at(0)?, at(2)?, at(4)?])
}

/// The name of a file format for animations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatName(pub &'static str);

impl Value for FormatName {
    fn expected(_: &Rule) -> String {
        let names: Vec<_> = write::FORMATS.iter().map(|format| format.name).collect();
        crate::scene::decode::one_of(&names)
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        let names: Vec<_> = write::FORMATS.iter().map(|format| format.name).collect();
        crate::scene::choose::named(reader, node, &Self::expected(rule), &names, |name| name).map(FormatName)
    }

    fn schema(_: &Rule) -> Json {
        let each = |format: &write::Format| json!({ "const": format.name, "description": format.about });
        json!({ "oneOf": write::FORMATS.iter().map(each).collect::<Vec<_>>() })
    }

    fn json(&self) -> Json {
        json!(self.0)
    }
}
