//! `--set key=value`: changes to the document before it is decoded.

use super::decode::ticked;
use super::document::{Entry, Node, Tree, parse_value};
use super::error::{Problem, Span};
use super::suggest::did_you_mean;

/// Applies the `--set` with this number (from 1) to a document.
///
/// The path is dotted: `time.fps`, `cloth.flag.stiffness.warp` or `cloth.0.density`. Elements of lists are addressed by
/// name or by number from 0; a segment with dots in it is put in quotes. The value is a TOML value, or else text.
pub(crate) fn apply(root: &mut Node, text: &str, source: usize) -> Result<(), Vec<Problem>> {
    let Some((path, value)) = text.split_once('=') else {
        let span = Span { source, start: 0, end: text.len() };
        let message = "this lacks an `=`; expected key=value, such as cloth.0.density=0.3".to_owned();
        return Err(vec![Problem { span: Some(span), message, help: Vec::new() }]);
    };
    let trimmed = value.trim();
    let offset = text.len() - value.trim_start().len();
    let segments = split(path, source)?;
    let value = parse_value(trimmed, source, offset)?;
    let (last, way) = segments.split_last().ok_or_else(Vec::new)?;
    let mut here = root;
    for (depth, segment) in way.iter().enumerate() {
        let empty = || Node { span: segment.span, tree: Tree::Table(Vec::new()) };
        here = step(here, segment, &segments[..depth], empty)?;
    }
    let to = step(here, last, way, || value.clone())?;
    *to = value;
    Ok(())
}

/// One part of a path and where it is.
struct Segment {
    text: String,
    span: Span,
}

/// The parts of a dotted path, if it is one.
pub(crate) fn segments(path: &str) -> Option<Vec<String>> {
    Some(split(path, 0).ok()?.into_iter().map(|segment| segment.text).collect())
}

/// The parts of a dotted path.
fn split(path: &str, source: usize) -> Result<Vec<Segment>, Vec<Problem>> {
    let mut segments = Vec::new();
    let (mut start, mut text, mut quote) = (0, String::new(), None);
    for (at, c) in path.char_indices().chain([(path.len(), '.')]) {
        match (quote, c) {
            (None, '.') => {
                segments.push(Segment { text: text.trim().to_owned(), span: Span { source, start, end: at } });
                (start, text) = (at + 1, String::new());
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open && at < path.len() => quote = None,
            _ => text.push(c),
        }
    }
    match segments.iter().find(|segment| segment.text.is_empty()) {
        None if !segments.is_empty() => Ok(segments),
        empty => {
            let span = empty.map_or(Span { source, start: 0, end: path.len() }, |segment| segment.span);
            let message = "a part of this path is empty; expected names with dots between, such as time.fps".to_owned();
            Err(vec![Problem { span: Some(span), message, help: Vec::new() }])
        }
    }
}

/// The value one step further, which is made if it is a key that its table does not have yet.
fn step<'a>(
    here: &'a mut Node,
    segment: &Segment,
    way: &[Segment],
    make: impl FnOnce() -> Node,
) -> Result<&'a mut Node, Vec<Problem>> {
    let (described, name) = (here.describe(), ticked(&segment.text));
    let path = || ticked(&way.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join("."));
    match &mut here.tree {
        Tree::Table(entries) => {
            let at = entries.iter().position(|entry| entry.key == segment.text).unwrap_or_else(|| {
                entries.push(Entry { key: segment.text.clone(), at: segment.span, node: make() });
                entries.len() - 1
            });
            Ok(&mut entries[at].node)
        }
        Tree::Array(items) => match Node::element(items, &segment.text) {
            Some(at) => Ok(&mut items[at]),
            None => {
                let message = format!("{} has no element {name}", path());
                Err(vec![Problem { span: Some(segment.span), message, help: element_help(items, &segment.text) }])
            }
        },
        _ => {
            let message = format!("{} is {described}, so it has no {name}", path());
            Err(vec![Problem { span: Some(segment.span), message, help: Vec::new() }])
        }
    }
}

/// Which elements there are, by the names that address them.
fn element_help(items: &[Node], typed: &str) -> Vec<String> {
    let names: Vec<&str> = items.iter().filter_map(Node::name).collect();
    let mut help: Vec<String> = did_you_mean(typed, names).into_iter().collect();
    let label = |(at, item): (usize, &Node)| item.name().map_or_else(|| at.to_string(), str::to_owned);
    let labels: Vec<String> = items.iter().enumerate().map(label).take(20).collect();
    help.push(if labels.is_empty() { "it is empty".into() } else { format!("its elements: {}", labels.join(", ")) });
    help
}
