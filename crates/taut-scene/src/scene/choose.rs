//! Reading one of several: what [`choice!`] and [`variants!`] have in common.

use super::decode::Reader;
use super::document::{Entry, Node, Tree};
use super::suggest::did_you_mean;

/// The one that a text names.
pub(crate) fn named<T: Copy>(
    reader: &mut Reader,
    node: &Node,
    expected: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Option<T> {
    let Tree::Text(text) = &node.tree else {
        reader.unexpected(node, expected, Vec::new());
        return None;
    };
    let found = all.iter().copied().find(|&one| name(one) == text);
    if found.is_none() {
        let help = did_you_mean(text, all.iter().map(|&one| name(one)));
        reader.unexpected(node, expected, help.into_iter().collect());
    }
    found
}

/// The kind that a table or text names, and the table's entries.
pub(crate) fn kind<'a>(
    reader: &mut Reader,
    node: &'a Node,
    expected: &str,
    kinds: &[&'static str],
    default: Option<&'static str>,
) -> Option<(&'static str, &'a [Entry])> {
    match &node.tree {
        Tree::Text(_) => Some((named(reader, node, expected, kinds, |kind| kind)?, &[])),
        Tree::Table(entries) => {
            let kind = match (node.get("kind"), default) {
                (Some(kind), _) => {
                    let expected = super::decode::one_of(kinds);
                    reader.within("kind", |reader| named(reader, kind, &expected, kinds, |kind| kind))?
                }
                (None, Some(default)) => default,
                (None, None) => {
                    let path = reader.path();
                    let expected = super::decode::one_of(kinds);
                    reader.report(node.span, format!("`{path}` lacks the key `kind`; expected {expected}"), Vec::new());
                    return None;
                }
            };
            Some((kind, entries))
        }
        _ => {
            reader.unexpected(node, expected, Vec::new());
            None
        }
    }
}
