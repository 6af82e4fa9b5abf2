//! How far something may go at most, or "off".

use super::limit::Fraction;
use crate::scene::decode::{Reader, Rule, Value, number};
use crate::scene::document::{Node, Tree};
use crate::scene::units;
use serde_json::{Value as Json, json};

/// How far cloth may be stretched at most: 0.01 is one percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cap {
    /// As far as it goes.
    Off,
    /// So far.
    At(f64),
}

const OFF: &str = "off";

impl Cap {
    /// As a number: ∞ if off.
    pub fn most(self) -> f64 {
        match self {
            Cap::Off => f64::INFINITY,
            Cap::At(most) => most,
        }
    }
}

/// Reads a cap: a number as the rule has it, "off", or text that `amount` makes a number of.
fn decode(
    reader: &mut Reader,
    node: &Node,
    rule: &Rule,
    expected: &str,
    amount: impl Fn(&str) -> Option<f64>,
) -> Option<Cap> {
    let found = match &node.tree {
        Tree::Text(text) if text.trim() == OFF => return Some(Cap::Off),
        Tree::Text(text) => amount(text),
        Tree::Integer(_) | Tree::Float(_) => return f64::decode(reader, node, rule).map(Cap::At),
        _ => None,
    };
    if found.is_none() {
        reader.unexpected(node, expected, Vec::new());
    }
    found.map(Cap::At)
}

impl Value for Cap {
    fn expected(rule: &Rule) -> String {
        format!("{}, or \"{OFF}\"", Fraction::expected(rule))
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        let amount = |text: &str| units::convert(text, rule.unit).filter(|most| rule.allows(*most));
        decode(reader, node, rule, &Self::expected(rule), amount)
    }

    fn schema(rule: &Rule) -> Json {
        json!({ "anyOf": [Fraction::schema(rule), { "const": OFF }] })
    }

    fn json(&self) -> Json {
        match self {
            Cap::Off => OFF.into(),
            Cap::At(most) => number(*most),
        }
    }
}

/// How far vertices may be apart that become one, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weld(pub Cap);

impl Value for Weld {
    fn expected(rule: &Rule) -> String {
        format!("{}, or \"{OFF}\"", f64::expected(rule))
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        decode(reader, node, rule, &Self::expected(rule), |_| None).map(Weld)
    }

    fn schema(rule: &Rule) -> Json {
        json!({ "anyOf": [f64::schema(rule), { "const": OFF }] })
    }

    fn json(&self) -> Json {
        self.0.json()
    }
}

/// How far cloth may be sheared at most: the tangent of the angle between its yarns and a right angle, as the limits of
/// fabrics are given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShearCap(pub Cap);

impl ShearCap {
    /// The cosine of the angle between the yarns: ∞ if off.
    pub fn cosine(self) -> f64 {
        match self.0 {
            Cap::Off => f64::INFINITY,
            Cap::At(tangent) => tangent.atan().sin(),
        }
    }
}

impl Value for ShearCap {
    fn expected(rule: &Rule) -> String {
        format!("{}, or text such as \"20 deg\", below 90, or \"{OFF}\"", f64::expected(rule))
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        let amount = |text: &str| {
            let degrees = units::convert(text, "degrees").filter(|degrees| (0.0..90.0).contains(degrees));
            degrees.map(|degrees| degrees.to_radians().tan())
        };
        decode(reader, node, rule, &Self::expected(rule), amount).map(ShearCap)
    }

    fn schema(rule: &Rule) -> Json {
        let angle = json!({ "type": "string", "pattern": "^[0-9.]+ *(deg|degrees|°|rad)$" });
        json!({ "anyOf": [f64::schema(rule), angle, { "const": OFF }] })
    }

    fn json(&self) -> Json {
        self.0.json()
    }
}
