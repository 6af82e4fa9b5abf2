//! A TOML document as a tree of our own that knows where everything was written.
//!
//! The tree is owned and plain so that `--set` can change it before anything is decoded.

use super::error::{MOST_PROBLEMS, Problem, Span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub span: Span,
    pub tree: Tree,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    /// A date or time, which nothing in a scene is; kept to say so.
    Date(String),
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key of a table and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    /// Where the key was written.
    pub at: Span,
    pub node: Node,
}

impl Node {
    /// The entries, if it is a table.
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.tree {
            Tree::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value of a key, if it is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()?.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The elements of a list at the root, if there is one.
    pub fn list(&self, key: &str) -> &[Node] {
        match self.get(key).map(|node| &node.tree) {
            Some(Tree::Array(items)) => items,
            _ => &[],
        }
    }

    /// The text of the key `name`, by which elements of arrays are addressed.
    pub fn name(&self) -> Option<&str> {
        match self.get("name").map(|node| &node.tree) {
            Some(Tree::Text(name)) => Some(name),
            _ => None,
        }
    }

    /// The element of an array that `segment` addresses: by name, else by number from 0.
    pub fn element(items: &[Node], segment: &str) -> Option<usize> {
        let by_name = items.iter().position(|item| item.name() == Some(segment));
        by_name.or_else(|| segment.parse().ok().filter(|&at: &usize| at < items.len()))
    }

    /// The dotted path of an element of a list at the root: by its name if it can be, else by number.
    pub fn element_path(&self, list: &str, at: usize) -> String {
        let name = self.list(list).get(at).and_then(Node::name);
        match name.filter(|name| !name.is_empty() && !name.contains('.')) {
            Some(name) => format!("{list}.{name}"),
            None => format!("{list}.{at}"),
        }
    }

    /// Where the value at a dotted path was written, or else the nearest thing that contains it.
    pub fn locate(&self, path: &str) -> Span {
        let mut here = self;
        for segment in path.split('.') {
            let next = match &here.tree {
                Tree::Array(items) => Node::element(items, segment).map(|at| &items[at]),
                _ => here.get(segment),
            };
            match next {
                Some(node) => here = node,
                None => break,
            }
        }
        here.span
    }

    /// In words, for messages: `the text "abc"`, `1.5`, `a list of 3 values`.
    pub fn describe(&self) -> String {
        match &self.tree {
            Tree::Text(text) => format!("the text {}", quoted(text)),
            Tree::Integer(number) => number.to_string(),
            Tree::Float(number) => format!("{number:?}"),
            Tree::Bool(truth) => truth.to_string(),
            Tree::Date(date) => format!("the date {date}"),
            Tree::Array(items) if items.len() == 1 => "a list of one value".into(),
            Tree::Array(items) => format!("a list of {} values", items.len()),
            Tree::Table(_) => "a table".into(),
        }
    }
}

/// In quotes, with nothing a terminal could act on, and not longer than a person wants to read.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(60) {
        None => format!("{text:?}"),
        Some((at, _)) => format!("{:?}…", &text[..at]),
    }
}

/// The most memory that a text takes as a document, bytes, by the marks that values, lists and tables cannot do
/// without. Its parser
/// gives a table with one key room for eleven.
pub(crate) fn held_by(text: &str) -> u64 {
    const VALUE: u64 = 260;
    const LIST: u64 = 320;
    const TABLE: u64 = 1700;
    let (mut held, mut dots) = (text.len() as u64, 0);
    for byte in text.bytes() {
        match byte {
            b'{' => held += TABLE + VALUE,
            b'[' => held += LIST,
            b',' => held += VALUE,
            b'\n' => held += VALUE,
            // Each dot in a key is a table.
            b'=' | b']' => held += VALUE + TABLE * dots,
            _ => {}
        }
        match byte {
            b'.' => dots += 1,
            b'{' | b'[' | b',' | b'\n' | b'=' | b']' => dots = 0,
            _ => {}
        }
    }
    // A heading is a table, too.
    held + TABLE * text.lines().filter(|line| line.trim_start().starts_with('[')).count() as u64
}

/// Parses a whole file. Text that is not TOML gives every place where it is not.
pub(crate) fn parse(text: &str) -> Result<Node, Vec<Problem>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut problems: Vec<Problem> = errors.iter().take(MOST_PROBLEMS).map(|error| syntax(error, 0)).collect();
    let span = Span { source: 0, start: 0, end: 0 };
    let tree = Tree::Table(entries(table.get_ref(), 0, &mut problems));
    if problems.is_empty() { Ok(Node { span, tree }) } else { Err(problems) }
}

/// Parses one value, as `--set` number `source` (from 1) has it from byte `offset` on. Text that is no TOML value is
/// taken as it stands, so that nobody has to quote quotes on a command line.
pub(crate) fn parse_value(text: &str, source: usize, offset: usize) -> Result<Node, Vec<Problem>> {
    let shift = |span: Span| Span { start: span.start + offset, end: span.end + offset, ..span };
    let bare = !text.starts_with(['"', '\'', '[', '{']);
    match DeValue::parse(text) {
        Ok(value) => {
            let mut problems = Vec::new();
            let node = shifted(convert(&value, source, &mut problems), &shift);
            problems.iter_mut().for_each(|p: &mut Problem| p.span = p.span.map(shift));
            if problems.is_empty() { Ok(node) } else { Err(problems) }
        }
        Err(_) if bare && !text.is_empty() => {
            let span = Span { source, start: offset, end: offset + text.len() };
            Ok(Node { span, tree: Tree::Text(text.to_owned()) })
        }
        Err(error) => {
            let mut problem = syntax(&error, source);
            problem.span = problem.span.map(shift);
            Err(vec![problem])
        }
    }
}

fn syntax(error: &toml::de::Error, source: usize) -> Problem {
    let span = error.span().map(|range| Span { source, start: range.start, end: range.end });
    let message = error.message().trim().replace('\n', ", ");
    let help = match message.as_str() {
        "duplicate key" => {
            Some("a key or table of this name is there already; of a list of tables each is in [[double brackets]]")
        }
        _ if message.starts_with("string values must be quoted") => {
            Some("text and numbers with a unit are in quotes: \"1 %\"")
        }
        _ => None,
    };
    Problem {
        span,
        message: format!("this is not TOML: {message}"),
        help: help.into_iter().map(str::to_owned).collect(),
    }
}

fn entries(table: &DeTable, source: usize, problems: &mut Vec<Problem>) -> Vec<Entry> {
    let mut out: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            at: Span::new(source, key.span()),
            node: convert(value, source, problems),
        })
        .collect();
    // The parser sorts by name; people read from top to bottom.
    out.sort_by_key(|entry| entry.at.start);
    out
}

fn convert(value: &Spanned<DeValue>, source: usize, problems: &mut Vec<Problem>) -> Node {
    let span = Span::new(source, value.span());
    let tree = match value.get_ref() {
        DeValue::String(text) => Tree::Text(text.to_string()),
        DeValue::Boolean(truth) => Tree::Bool(*truth),
        DeValue::Datetime(date) => Tree::Date(date.to_string()),
        DeValue::Float(number) => Tree::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Tree::Integer(number),
            Err(_) => {
                let message = format!("the number {} has too many digits", quoted(number.as_str()).trim_matches('"'));
                problems.push(Problem { span: Some(span), message, help: Vec::new() });
                Tree::Integer(0)
            }
        },
        DeValue::Array(items) => Tree::Array(items.iter().map(|item| convert(item, source, problems)).collect()),
        DeValue::Table(table) => Tree::Table(entries(table, source, problems)),
    };
    Node { span, tree }
}

fn shifted(node: Node, shift: &impl Fn(Span) -> Span) -> Node {
    let tree = match node.tree {
        Tree::Array(items) => Tree::Array(items.into_iter().map(|item| shifted(item, shift)).collect()),
        Tree::Table(entries) => {
            let moved = |e: Entry| Entry { at: shift(e.at), node: shifted(e.node, shift), ..e };
            Tree::Table(entries.into_iter().map(moved).collect())
        }
        scalar => scalar,
    };
    Node { span: shift(node.span), tree }
}
