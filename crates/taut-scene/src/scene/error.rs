//! What is wrong with a scene, shown the way compilers do: the place, the line, what was found and what would do.

use std::fmt::{self, Write as _};

/// A place in a scene file, or in a `--set`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    /// 0 for the file, n for the nth `--set`.
    pub source: usize,
    /// The first byte.
    pub start: usize,
    /// One after the last byte.
    pub end: usize,
}

impl Span {
    pub fn new(source: usize, range: std::ops::Range<usize>) -> Self {
        Span { source, start: range.start, end: range.end }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    /// Where, if it is anywhere in particular.
    pub span: Option<Span>,
    /// What was found and what was expected.
    pub message: String,
    /// What may help, a line each.
    pub help: Vec<String>,
}

/// What a scene was read from, kept for messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sources {
    /// The file's name, as the user gave it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The `--set` arguments.
    pub sets: Vec<String>,
}

/// Why a scene cannot be used. Displays every problem with its place, ready for a terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    sources: Sources,
    problems: Vec<Problem>,
}

/// More would scroll the first ones away.
const MOST_SHOWN: usize = 20;

/// More are not looked for: a file with a million wrong lines must not take a million messages.
pub(crate) const MOST_PROBLEMS: usize = 200;

impl SceneError {
    pub(crate) fn new(sources: &Sources, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| problem.span);
        problems.dedup();
        problems.truncate(MOST_PROBLEMS);
        SceneError { sources: sources.clone(), problems }
    }

    /// A problem with the file as a whole.
    pub(crate) fn whole(name: &str, message: String, help: Vec<String>) -> Self {
        let sources = Sources { name: name.to_owned(), ..Sources::default() };
        SceneError { sources, problems: vec![Problem { span: None, message, help }] }
    }

    /// How many problems there are; more than 200 are not counted.
    pub fn count(&self) -> usize {
        self.problems.len()
    }

    /// Each problem in one line, `file:line:column: what`, for editors and logs.
    pub fn lines(&self) -> Vec<String> {
        let line = |problem: &Problem| match self.place(problem.span) {
            Some(place) => format!("{place}: {}", problem.message),
            None => format!("{}: {}", self.sources.name, problem.message),
        };
        self.problems.iter().map(|problem| printable(&line(problem))).collect()
    }

    fn source(&self, span: Span) -> &str {
        match span.source {
            0 => &self.sources.text,
            set => self.sources.sets.get(set - 1).map_or("", String::as_str),
        }
    }

    /// `file:line:column`, or which `--set`.
    fn place(&self, span: Option<Span>) -> Option<String> {
        let span = span?;
        if span.source > 0 {
            return Some(format!("--set {}", printable(self.source(span))));
        }
        let (line, column, _) = locate(&self.sources.text, span.start);
        Some(format!("{}:{line}:{column}", self.sources.name))
    }

    /// The place, the line and a caret under what is meant.
    fn excerpt(&self, out: &mut String, span: Span) -> fmt::Result {
        let (number, column, line) = locate(self.source(span), span.start);
        let label = if span.source == 0 { number.to_string() } else { String::new() };
        let pad = " ".repeat(label.len());
        let (shown, before) = window(line, column - 1);
        let length = self.source(span).get(span.start..span.end).map_or(1, |meant| {
            let first_line = meant.split('\n').next().unwrap_or("");
            first_line.trim_end().chars().count()
        });
        let room = shown.chars().count().saturating_sub(before).max(1);
        let carets = "^".repeat(length.clamp(1, room));
        writeln!(out, "{pad}--> {}", self.place(Some(span)).unwrap_or_default())?;
        writeln!(out, "{pad} |")?;
        writeln!(out, "{label} | {shown}")?;
        writeln!(out, "{pad} | {}{carets}", " ".repeat(before))
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        for problem in self.problems.iter().take(MOST_SHOWN) {
            writeln!(out, "error: {}", problem.message)?;
            let pad = match problem.span {
                Some(span) => {
                    self.excerpt(&mut out, span)?;
                    if span.source == 0 { locate(&self.sources.text, span.start).0.to_string().len() } else { 0 }
                }
                None if self.sources.name.is_empty() => 0,
                None => {
                    writeln!(out, "--> {}", self.sources.name)?;
                    0
                }
            };
            for help in &problem.help {
                writeln!(out, "{} = {help}", " ".repeat(pad))?;
            }
            out.push('\n');
        }
        match self.problems.len() {
            0 | 1 => {}
            all if all > MOST_SHOWN => {
                let more = if all >= MOST_PROBLEMS { " or more" } else { "" };
                writeln!(out, "{all}{more} problems in {}; the first {MOST_SHOWN} are shown", self.sources.name)?;
            }
            all => writeln!(out, "{all} problems in {}", self.sources.name)?,
        }
        f.write_str(&harmless(out.trim_end()))
    }
}

impl std::error::Error for SceneError {}

/// The line (from 1), the column in characters (from 1) and the text of the line that byte `at` is in.
fn locate(text: &str, at: usize) -> (usize, usize, &str) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    let line = text[..start].matches('\n').count() + 1;
    (line, text[start..at].chars().count() + 1, text[start..end].trim_end_matches('\r'))
}

/// The part of a line around a column that fits a terminal, made harmless, and how many characters are before the
/// column in it.
fn window(line: &str, column: usize) -> (String, usize) {
    const WIDTH: usize = 100;
    let count = line.chars().count();
    if count <= WIDTH {
        return (printable(line), column.min(count));
    }
    let first = column.saturating_sub(WIDTH / 2).min(count.saturating_sub(WIDTH));
    let part: String = line.chars().skip(first).take(WIDTH).collect();
    let (left, right) = (if first > 0 { "…" } else { "" }, if first + WIDTH < count { "…" } else { "" });
    (format!("{left}{}{right}", printable(&part)), column.saturating_sub(first) + left.chars().count())
}

/// Text for people, of several lines perhaps, with one harmless character for each control character: names in a file
/// must not command the terminal.
pub fn harmless(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// The same of one line.
fn printable(line: &str) -> String {
    line.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}
