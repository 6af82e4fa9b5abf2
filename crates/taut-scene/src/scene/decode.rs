//! From the document's tree to typed settings.
//!
//! A section of a scene file is declared once, with the macros of [`macros`](super::macros): its keys with their types,
//! defaults, rules and documentation. Reading, the JSON schema and the reference all come from that declaration, by
//! way of the two traits here.

use super::document::{Entry, Node, Tree, quoted};
use super::error::{MOST_PROBLEMS, Problem, Span};
use super::suggest::did_you_mean;
use super::units;
use serde_json::{Value as Json, json};

/// What a number may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rule {
    pub unit: &'static str,
    pub min: f64,
    pub max: f64,
    /// Whether `min` itself is not allowed.
    pub above: bool,
}

impl Rule {
    /// Any number.
    pub const ANY: Rule = Rule { unit: "", min: f64::NEG_INFINITY, max: f64::INFINITY, above: false };
    /// A share from 0 to 1.
    pub const SHARE: Rule = Rule::ANY.from(0.0).to(1.0);

    pub const fn unit(self, unit: &'static str) -> Rule {
        Rule { unit, ..self }
    }
    pub const fn from(self, min: f64) -> Rule {
        Rule { min, ..self }
    }
    pub const fn above(self, min: f64) -> Rule {
        Rule { min, above: true, ..self }
    }
    pub const fn to(self, max: f64) -> Rule {
        Rule { max, ..self }
    }

    pub fn allows(&self, number: f64) -> bool {
        number.is_finite() && number <= self.max && if self.above { number > self.min } else { number >= self.min }
    }

    /// ` from 0 to 1 m` and the like, to follow "a number".
    fn words(&self) -> String {
        let range = match (self.min.is_finite(), self.max.is_finite(), self.above) {
            (false, false, _) => String::new(),
            (true, false, false) => format!(" of at least {}", short(self.min)),
            (true, false, true) => format!(" above {}", short(self.min)),
            (false, true, _) => format!(" up to {}", short(self.max)),
            (true, true, false) => format!(" from {} to {}", short(self.min), short(self.max)),
            (true, true, true) => format!(" above {} and up to {}", short(self.min), short(self.max)),
        };
        let unit = if self.unit.is_empty() { String::new() } else { format!(", in {}", self.unit) };
        format!("{range}{unit}")
    }

    fn schema(&self, kind: &str) -> Json {
        let mut schema = json!({ "type": kind });
        if self.min.is_finite() {
            schema[if self.above { "exclusiveMinimum" } else { "minimum" }] = number(self.min);
        }
        if self.max.is_finite() {
            schema["maximum"] = number(self.max);
        }
        schema
    }
}

/// A bound as people write it: 1e6 rather than 1000000.
fn short(bound: f64) -> String {
    if bound != 0.0 && !(1e-3..1e5).contains(&bound.abs()) { format!("{bound:e}") } else { bound.to_string() }
}

/// A number as people write it: 1 rather than 1.0.
pub(crate) fn number(value: f64) -> Json {
    if value.fract() == 0.0 && value.abs() < 1e15 { json!(value as i64) } else { json!(value) }
}

/// Something that can be the value of a key.
pub(crate) trait Value: Sized {
    /// What is expected, in words that follow "expected".
    fn expected(rule: &Rule) -> String;
    /// Reads a value, or reports why not.
    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self>;
    /// Its JSON schema.
    fn schema(rule: &Rule) -> Json;
    /// The value as a scene file would have it; `Null` for one that is not written.
    fn json(&self) -> Json;
}

/// A table whose keys are declared.
pub(crate) trait Section: Sized {
    /// What the section is about.
    const ABOUT: &'static str;
    /// The keys' names.
    fn keys() -> Vec<&'static str>;
    /// The keys.
    fn fields() -> Vec<Field>;
    /// Reads the keys it knows.
    fn parse(reader: &mut Reader, entries: &[Entry], at: Span) -> Option<Self>;
    /// Reads the keys it knows and reports the others, but for the key `tag`, which its owner has read.
    fn read(reader: &mut Reader, entries: &[Entry], tag: Option<&str>, at: Span) -> Option<Self> {
        let parsed = Self::parse(reader, entries, at);
        reader.unknown(entries, &tag.into_iter().chain(Self::keys()).collect::<Vec<_>>());
        parsed
    }
    /// As a scene file would have it.
    fn json(&self) -> Json;
}

/// A key of a section.
pub(crate) struct Field {
    pub name: &'static str,
    pub doc: &'static str,
    pub rule: Rule,
    /// What holds if the key is not written; nothing if it must be.
    pub default: Option<Json>,
    pub schema: Json,
}

/// Collects problems while reading, and knows the path of what is being read.
#[derive(Default)]
pub(crate) struct Reader {
    pub problems: Vec<Problem>,
    path: Vec<String>,
    /// The keys of all kinds of what is being read at this depth of the path.
    kinds: (usize, Kinds),
}

/// Kinds of a table, each with its keys.
pub(crate) type Kinds = Vec<(&'static str, Vec<&'static str>)>;

impl Reader {
    /// The dotted path of what is being read, as `--set` would have it.
    pub fn path(&self) -> String {
        self.path.join(".")
    }

    pub fn report(&mut self, span: Span, message: String, help: Vec<String>) {
        if !self.full() {
            self.problems.push(Problem { span: Some(span), message, help });
        }
    }

    /// Whether there are so many problems that nobody wants more.
    pub fn full(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    /// Says what was found in place of what.
    pub fn unexpected(&mut self, node: &Node, expected: &str, help: Vec<String>) {
        let message = format!("`{}` is {}; expected {expected}", self.path(), node.describe());
        self.report(node.span, message, help);
    }

    /// Does something one step down the path.
    pub fn within<R>(&mut self, segment: &str, work: impl FnOnce(&mut Self) -> R) -> R {
        self.path.push(segment.to_owned());
        let result = work(self);
        self.path.pop();
        result
    }

    /// Does something to a table that might be of other kinds.
    pub fn among<R>(&mut self, kinds: Kinds, work: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.kinds, (self.path.len(), kinds));
        let result = work(self);
        self.kinds = before;
        result
    }

    /// The kinds of the table being read that know a key.
    fn kinds_with(&self, key: &str) -> Vec<&'static str> {
        let here = self.kinds.1.iter().filter(|_| self.kinds.0 == self.path.len());
        here.filter(|(_, keys)| keys.contains(&key)).map(|(kind, _)| *kind).collect()
    }

    /// Reads a key, or takes its default. With neither, reports that it is missing.
    #[inline(never)]
    pub fn field<T: Value>(
        &mut self,
        entries: &[Entry],
        (name, doc, rule): (&str, &str, &Rule),
        default: Option<T>,
        at: Span,
    ) -> Option<T> {
        let Some(entry) = entries.iter().find(|entry| entry.key == name) else {
            if default.is_none() {
                let (path, expected) = (self.path(), T::expected(rule));
                // A doc of one word would only repeat the key.
                let about = Some(format!("{name}: {}", first_sentence(doc))).filter(|_| doc.contains(' '));
                let message = format!("`{path}` lacks the key `{name}`; expected {expected}");
                self.report(at, message, about.into_iter().collect());
            }
            return default;
        };
        // What could not be read has been reported; the default lets the rest be checked too.
        self.within(name, |reader| T::decode(reader, &entry.node, rule)).or(default)
    }

    /// Reports keys that nobody knows.
    pub fn unknown(&mut self, entries: &[Entry], known: &[&str]) {
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            if self.full() {
                return;
            }
            let here = if self.path.is_empty() { "the scene".to_owned() } else { format!("`{}`", self.path()) };
            let message = format!("unknown key {} in {here}", ticked(&entry.key));
            let mut help: Vec<String> = did_you_mean(&entry.key, known.iter().copied()).into_iter().collect();
            let kinds = self.kinds_with(&entry.key);
            if !kinds.is_empty() {
                help.insert(0, format!("it is a key of `kind` = {}", one_of(&kinds)));
            }
            help.push(format!("known keys: {}", known.join(", ")));
            self.report(entry.at, message, help);
        }
    }
}

/// In backticks, and harmless.
pub(crate) fn ticked(name: &str) -> String {
    let quoted = quoted(name);
    format!("`{}`", quoted.replacen('"', "", 1).replacen('"', "", 1))
}

/// The first sentence of a doc comment.
pub(crate) fn first_sentence(doc: &str) -> &str {
    doc.find(". ").map_or(doc, |at| &doc[..at]).trim_end_matches('.')
}

/// "`a`, `b` or `c`".
pub(crate) fn one_of(names: &[&str]) -> String {
    let ticked: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match ticked.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => ticked.concat(),
    }
}

impl<S: Section> Value for S {
    fn expected(_: &Rule) -> String {
        let names: Vec<_> = Self::keys();
        format!("a table with the keys {}", names.join(", "))
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        match &node.tree {
            Tree::Table(entries) => Self::read(reader, entries, None, node.span),
            _ => {
                reader.unexpected(node, &Self::expected(rule), Vec::new());
                None
            }
        }
    }

    fn schema(_: &Rule) -> Json {
        super::schema::of_section::<S>(None)
    }

    fn json(&self) -> Json {
        Section::json(self)
    }
}

impl Value for f64 {
    fn expected(rule: &Rule) -> String {
        format!("a number{}", rule.words())
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        let value = match node.tree {
            Tree::Integer(whole) => whole as f64,
            Tree::Float(value) => value,
            _ => {
                reader.unexpected(node, &Self::expected(rule), number_help(node, rule));
                return None;
            }
        };
        if !rule.allows(value) {
            reader.unexpected(node, &Self::expected(rule), Vec::new());
            return None;
        }
        Some(value)
    }

    fn schema(rule: &Rule) -> Json {
        rule.schema("number")
    }

    fn json(&self) -> Json {
        number(*self)
    }
}

/// For a number that was written as text.
fn number_help(node: &Node, rule: &Rule) -> Vec<String> {
    let Tree::Text(text) = &node.tree else { return Vec::new() };
    match (units::convert(text, rule.unit), text.trim().parse::<f64>()) {
        (Some(value), _) => {
            vec![format!("numbers are written without their unit; this is {value} {}", rule.unit).trim_end().to_owned()]
        }
        (None, Ok(value)) if value.is_finite() => vec![format!("numbers are written without quotes: {value}")],
        _ => Vec::new(),
    }
}

impl Value for u32 {
    fn expected(rule: &Rule) -> String {
        format!("a whole number{}", rule.words())
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        let value = match node.tree {
            Tree::Integer(value) => u32::try_from(value).ok().filter(|&value| rule.allows(f64::from(value))),
            _ => None,
        };
        if value.is_none() {
            reader.unexpected(node, &Self::expected(rule), number_help(node, rule));
        }
        value
    }

    fn schema(rule: &Rule) -> Json {
        let least = if rule.min.is_finite() { rule.min } else { 0.0 };
        rule.from(least).schema("integer")
    }

    fn json(&self) -> Json {
        json!(self)
    }
}

impl Value for bool {
    fn expected(_: &Rule) -> String {
        "true or false".into()
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        if let Tree::Bool(truth) = node.tree {
            return Some(truth);
        }
        reader.unexpected(node, &Self::expected(rule), Vec::new());
        None
    }

    fn schema(_: &Rule) -> Json {
        json!({ "type": "boolean" })
    }

    fn json(&self) -> Json {
        json!(self)
    }
}

impl Value for String {
    fn expected(_: &Rule) -> String {
        "text in quotes".into()
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        if let Tree::Text(text) = &node.tree {
            return Some(text.clone());
        }
        reader.unexpected(node, &Self::expected(rule), Vec::new());
        None
    }

    fn schema(_: &Rule) -> Json {
        json!({ "type": "string" })
    }

    fn json(&self) -> Json {
        json!(self)
    }
}

impl<T: Value> Value for Option<T> {
    fn expected(rule: &Rule) -> String {
        T::expected(rule)
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        T::decode(reader, node, rule).map(Some)
    }

    fn schema(rule: &Rule) -> Json {
        T::schema(rule)
    }

    fn json(&self) -> Json {
        self.as_ref().map_or(Json::Null, T::json)
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    fn expected(rule: &Rule) -> String {
        let count = ["none", "one", "two", "three", "four"].get(N).map_or(N.to_string(), ToString::to_string);
        format!("a list of {count}, each {}", T::expected(rule))
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        match &node.tree {
            Tree::Array(items) if items.len() == N => elements(reader, items, rule)?.try_into().ok(),
            _ => {
                reader.unexpected(node, &Self::expected(rule), Vec::new());
                None
            }
        }
    }

    fn schema(rule: &Rule) -> Json {
        json!({ "type": "array", "items": T::schema(rule), "minItems": N, "maxItems": N })
    }

    fn json(&self) -> Json {
        self.iter().map(T::json).collect()
    }
}

impl<T: Value> Value for Vec<T> {
    fn expected(rule: &Rule) -> String {
        format!("a list, each {}", T::expected(rule))
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        match &node.tree {
            Tree::Array(items) => elements(reader, items, rule),
            Tree::Table(_) => {
                let path = reader.path();
                let help = format!("write [[{path}]] in double brackets: there may be several");
                reader.unexpected(node, "a list of tables", vec![help]);
                None
            }
            _ => {
                reader.unexpected(node, &Self::expected(rule), Vec::new());
                None
            }
        }
    }

    fn schema(rule: &Rule) -> Json {
        json!({ "type": "array", "items": T::schema(rule) })
    }

    fn json(&self) -> Json {
        self.iter().map(T::json).collect()
    }
}

/// All elements, or nothing if one of them cannot be read. All are tried.
#[inline(never)]
fn elements<T: Value>(reader: &mut Reader, items: &[Node], rule: &Rule) -> Option<Vec<T>> {
    let mut out = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let segment = item.name().map_or_else(|| at.to_string(), str::to_owned);
        out.push(reader.within(&segment, |reader| T::decode(reader, item, rule)));
    }
    out.into_iter().collect()
}
