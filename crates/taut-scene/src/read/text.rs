//! Words and numbers in text files, with line numbers.
//!
//! A word never includes the line break after it, so `line` is always the line of the word read last: errors
//! need no bookkeeping in the parsers.

use super::error::{ReadError, Result, quote};

/// Walks over the words of a text.
#[derive(Clone)]
pub(crate) struct Scanner<'a> {
    file: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u64,
    /// A byte that starts a comment where a word could start.
    comment: Option<u8>,
    /// Whether a backslash at the end of a line joins it with the next.
    continued: bool,
    /// Binary data came before: line numbers mean nothing any more, errors give byte offsets.
    past_binary: bool,
}

impl<'a> Scanner<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { file, bytes, at, line: 1, comment: None, continued: false, past_binary: false }
    }

    /// Treats everything from `mark` to the end of the line as a comment.
    pub fn with_comments(mut self, mark: u8) -> Self {
        self.comment = Some(mark);
        self
    }

    /// Joins lines that end in a backslash with the next.
    pub fn with_continuation(mut self) -> Self {
        self.continued = true;
        self
    }

    /// Where the next byte comes from.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The number of the line of the word read last.
    pub fn line_number(&self) -> u64 {
        self.line
    }

    /// Bytes not yet read.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Goes on after a stretch of binary data that someone else has read.
    pub fn jump(&mut self, offset: usize) {
        self.at = offset.min(self.bytes.len());
        self.past_binary = true;
    }

    /// The next word on this line.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte.is_ascii_whitespace() || (byte == b'\\' && self.line_joint().is_some()) {
                break;
            }
            self.at += 1;
        }
        (start < self.at).then(|| &self.bytes[start..self.at])
    }

    /// The next word, on this line or a later one.
    pub fn any_word(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(word) = self.word() {
                return Some(word);
            }
            if !self.next_line() {
                return None;
            }
        }
    }

    /// Goes to the start of the next line; false at the end of the file.
    pub fn next_line(&mut self) -> bool {
        loop {
            let rest = &self.bytes[self.at..];
            let Some(end) = rest.iter().position(|&b| b == b'\n') else {
                self.at = self.bytes.len();
                return false;
            };
            let joined = self.continued && ends_with_backslash(&rest[..end]);
            self.at += end + 1;
            self.line += 1;
            if !joined {
                return true;
            }
        }
    }

    /// Whether nothing more stands on this line.
    pub fn line_is_done(&mut self) -> bool {
        self.skip_blanks();
        self.bytes.get(self.at).is_none_or(|&b| b == b'\n')
    }

    /// What is left of this line, without blanks around it. Does not go on to the next line.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += end;
        rest[..end].trim_ascii()
    }

    /// The next word on this or a later line, or an error that says what is missing.
    pub fn expect_word(&mut self, what: &str) -> Result<&'a [u8]> {
        self.any_word().ok_or_else(|| self.fail(format!("the file ends where {what} is expected")))
    }

    /// The given word, on this or a later line.
    pub fn expect(&mut self, expected: &str) -> Result<()> {
        match self.any_word() {
            Some(word) if word.eq_ignore_ascii_case(expected.as_bytes()) => Ok(()),
            Some(word) => Err(self.fail(format!("found {}, expected \"{expected}\"", quote(word)))),
            None => Err(self.fail(format!("the file ends where \"{expected}\" is expected"))),
        }
    }

    /// A finite number on this or a later line.
    pub fn number(&mut self, what: &str) -> Result<f64> {
        let word = self.expect_word(what)?;
        self.to_number(word, what)
    }

    /// A finite number on this line.
    pub fn number_here(&mut self, what: &str) -> Result<f64> {
        let word = self.word().ok_or_else(|| self.fail(format!("the line ends where {what} is expected")))?;
        self.to_number(word, what)
    }

    /// A whole number on this or a later line.
    pub fn integer(&mut self, what: &str) -> Result<i64> {
        let word = self.expect_word(what)?;
        self.to_integer(word, what)
    }

    /// A number of things of which each takes at least `least_bytes` of the rest of the file, so that nobody
    /// allocates or loops by a count that the file cannot hold.
    pub fn count(&mut self, what: &str, least_bytes: usize) -> Result<usize> {
        let found = self.integer(&format!("the number of {what}"))?;
        let room = self.remaining() / least_bytes.max(1) + 1;
        match usize::try_from(found) {
            Ok(n) if n <= room => Ok(n),
            Ok(n) => Err(self.fail(format!(
                "the file claims {n} {what}, but only {} bytes follow, too few for that many",
                self.remaining()
            ))),
            Err(_) => Err(self.fail(format!("the number of {what} is {found}, expected 0 or more"))),
        }
    }

    /// A word as a finite number.
    pub fn to_number(&self, word: &[u8], what: &str) -> Result<f64> {
        match parse_number(word) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(self.fail(format!("{what} is {}, expected a finite number", quote(word)))),
            None => Err(self.fail(format!("{what} is {}, expected a number", quote(word)))),
        }
    }

    /// A word as a whole number.
    pub fn to_integer(&self, word: &[u8], what: &str) -> Result<i64> {
        parse_integer(word).ok_or_else(|| self.fail(format!("{what} is {}, expected a whole number", quote(word))))
    }

    /// An error at the word read last.
    pub fn fail(&self, message: impl Into<String>) -> ReadError {
        if self.past_binary {
            ReadError::byte(self.file, self.at, message)
        } else {
            ReadError::line(self.file, self.line, message)
        }
    }

    /// Skips blanks, comments and joined line ends, but no real line break.
    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte == b'\n' {
                return;
            } else if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if let (b'\\', Some(after)) = (byte, self.line_joint()) {
                self.at = after;
                self.line += 1;
            } else if Some(byte) == self.comment {
                let rest = &self.bytes[self.at..];
                self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            } else {
                return;
            }
        }
    }

    /// If a backslash stands here and joins this line with the next: where the next one starts.
    fn line_joint(&self) -> Option<usize> {
        match (self.continued, &self.bytes[self.at..]) {
            (true, [b'\\', b'\n', ..]) => Some(self.at + 2),
            (true, [b'\\', b'\r', b'\n', ..]) => Some(self.at + 3),
            _ => None,
        }
    }
}

fn ends_with_backslash(line: &[u8]) -> bool {
    line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\")
}

/// A decimal number with a point, whatever the locale; `nan` and `inf` are numbers here, too.
pub(crate) fn parse_number(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A whole number in decimal.
pub(crate) fn parse_integer(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
