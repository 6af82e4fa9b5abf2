//! USD as text: prims with attributes in braces, what is said about them in parentheses.

use super::stage::{Attribute, Prim, Stage, Value};
use crate::read::Source;
use crate::read::budget::{Budget, held};
use crate::read::error::{ReadError, Result, quote};

pub(super) const MAGIC: &[u8] = b"#usda";

/// Prims within prims, and lists within lists, at most.
const DEEPEST: usize = 100;

pub(super) fn read(source: &Source, budget: &mut Budget) -> Result<Stage> {
    let mut text = Text { source, at: 0, budget, stage: Stage::new("USD text") };
    text.metadata(|text, key, value| text.stage.say(key, value))?;
    text.body(None, 0, false)?;
    Ok(text.stage)
}

struct Text<'a, 'b> {
    source: &'a Source<'a>,
    at: usize,
    budget: &'b mut Budget,
    stage: Stage,
}

/// What one value is made of.
#[derive(Default)]
struct Raw {
    numbers: Vec<f64>,
    texts: Vec<String>,
    /// How many numbers stand together in the innermost parentheses.
    width: usize,
    list: bool,
    /// Whether it is said that there is none.
    none: bool,
}

impl Raw {
    /// As a type says.
    fn value(self, kind: &str) -> Value {
        let width = self.width.max(1);
        if self.none {
            return Value::Other;
        }
        if !self.texts.is_empty() {
            let mut texts = self.texts;
            return if self.list { Value::Texts(texts) } else { Value::Text(texts.swap_remove(0)) };
        }
        // Rows of a matrix are in parentheses of their own.
        let width = if kind.starts_with("matrix4d") { 16 } else { width };
        if kind.starts_with("int") || kind.starts_with("uint") || kind.starts_with("bool") {
            return Value::Ints(self.numbers.iter().map(|&x| x as i32).collect());
        }
        if kind.starts_with("token") || kind.starts_with("string") {
            return Value::Texts(Vec::new());
        }
        let double = kind.starts_with("double") || kind.starts_with("matrix") || kind.contains("3d") || !self.list;
        if double {
            Value::Doubles(width, self.numbers)
        } else {
            Value::Floats(width, self.numbers.iter().map(|&x| x as f32).collect())
        }
    }
}

impl<'a> Text<'a, '_> {
    fn fail(&self, message: impl Into<String>) -> ReadError {
        let before = &self.source.bytes[..self.at.min(self.source.bytes.len())];
        ReadError::line(self.source.name, 1 + before.iter().filter(|&&b| b == b'\n').count() as u64, message)
    }

    /// The next byte that is neither blank nor of a comment.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.source.bytes.get(self.at)? {
                b'#' => self.at += self.source.bytes[self.at..].iter().take_while(|&&b| b != b'\n').count(),
                b if b.is_ascii_whitespace() || b == b';' => self.at += 1,
                b => return Some(b),
            }
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, after: &str) -> Result<()> {
        if self.eat(byte) {
            return Ok(());
        }
        let rest = &self.source.bytes[self.at.min(self.source.bytes.len())..];
        let found = quote(&rest[..rest.len().min(12)]);
        Err(self.fail(format!("found {found} after {after}, expected \"{}\"", char::from(byte))))
    }

    /// Letters, digits and what names are joined with; types may be lists.
    fn word(&mut self) -> &'a str {
        self.run(b"_:.[]!+-")
    }

    /// Letters, digits and some others.
    fn run(&mut self, others: &[u8]) -> &'a str {
        self.peek();
        let rest = &self.source.bytes[self.at.min(self.source.bytes.len())..];
        let inside = |b: &&u8| b.is_ascii_alphanumeric() || others.contains(b) || **b >= 0x80;
        let length = rest.iter().take_while(inside).count();
        self.at += length;
        std::str::from_utf8(&rest[..length]).unwrap_or("")
    }

    /// A text in quotes of any kind, in angle brackets or between at signs.
    fn quoted(&mut self) -> Result<String> {
        let open = self.peek().unwrap_or(0);
        let close = if open == b'<' { b'>' } else { open };
        let rest = &self.source.bytes[self.at..];
        let marks = if matches!(open, b'"' | b'\'' | b'@') && rest.starts_with(&[open; 3]) { 3 } else { 1 };
        let (mut end, mut out) = (marks, Vec::new());
        loop {
            let left =
                rest.get(end..).filter(|left| !left.is_empty()).ok_or_else(|| self.fail("a text does not end"))?;
            if left[0] == close && (marks == 1 || left.starts_with(&[close; 3])) {
                break;
            }
            if left[0] == b'\\' && left.len() > 1 && open != b'@' {
                end += 1;
            }
            out.push(rest[end]);
            end += 1;
        }
        self.at += end + marks;
        self.hold(out.len() + size_of::<String>())?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    fn hold(&mut self, bytes: usize) -> Result<()> {
        self.budget.check(self.source.name, bytes)?;
        self.budget.hold(bytes);
        Ok(())
    }

    /// A value of a type.
    fn value(&mut self, kind: &str) -> Result<Value> {
        let mut raw = Raw::default();
        self.raw(&mut raw, 0)?;
        self.hold(held(&raw.numbers))?;
        Ok(raw.value(kind))
    }

    fn raw(&mut self, raw: &mut Raw, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(self.fail("lists are too deep within each other"));
        }
        match self.peek() {
            Some(b'[') => {
                raw.list = true;
                self.many(raw, b']', depth)
            }
            Some(b'(') => {
                let before = raw.numbers.len();
                self.many(raw, b')', depth)?;
                raw.width = raw.numbers.len() - before;
                Ok(())
            }
            Some(b'{') => self.skip_braces(),
            Some(b'"' | b'\'' | b'<' | b'@') => {
                let text = self.quoted()?;
                raw.texts.push(text);
                Ok(())
            }
            _ => {
                let word = self.run(b"_:.+-");
                match word.parse::<f64>() {
                    Ok(number) => raw.numbers.push(number),
                    Err(_) if word == "true" || word == "false" => raw.numbers.push(f64::from(word == "true")),
                    Err(_) if word == "None" => raw.none = true,
                    Err(_) if word.is_empty() => return Err(self.fail("expected a value")),
                    Err(_) => raw.texts.push(word.to_owned()),
                }
                if raw.numbers.len() == raw.numbers.capacity() {
                    self.budget.check(self.source.name, held(&raw.numbers))?;
                }
                Ok(())
            }
        }
    }

    fn many(&mut self, raw: &mut Raw, close: u8, depth: usize) -> Result<()> {
        self.at += 1;
        while !self.eat(close) {
            if self.peek().is_none() {
                return Err(self.fail("a list does not end"));
            }
            self.raw(raw, depth + 1)?;
            self.eat(b',');
        }
        Ok(())
    }

    /// Goes over everything up to the brace that closes the next one.
    fn skip_braces(&mut self) -> Result<()> {
        self.expect(b'{', "an equals sign")?;
        let mut open = 1usize;
        while open > 0 {
            match self.peek() {
                None => return Err(self.fail("a brace is not closed")),
                Some(b'"' | b'\'' | b'@') => {
                    self.quoted()?;
                    continue;
                }
                Some(b'{') => open += 1,
                Some(b'}') => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
        Ok(())
    }

    /// What is said in parentheses, if there are any.
    fn metadata(&mut self, mut each: impl FnMut(&mut Self, &str, &Value)) -> Result<()> {
        if !self.eat(b'(') {
            return Ok(());
        }
        while !self.eat(b')') {
            match self.peek() {
                None => return Err(self.fail("a parenthesis is not closed")),
                Some(b'"' | b'\'') => drop(self.quoted()?),
                _ => {
                    let mut key = self.word();
                    if matches!(key, "prepend" | "append" | "add" | "delete" | "reorder") {
                        key = self.word();
                    }
                    if key.is_empty() {
                        return Err(self.fail("expected a name in parentheses"));
                    }
                    if self.eat(b'=') {
                        let value = self.value("")?;
                        // A reference may have more to say behind it.
                        each(self, key, &value);
                    } else {
                        each(self, key, &Value::Other);
                    }
                }
            }
        }
        Ok(())
    }

    /// Prims and attributes up to a closing brace, or to the end of the file.
    fn body(&mut self, parent: Option<usize>, depth: usize, braced: bool) -> Result<()> {
        if depth > DEEPEST {
            return Err(self.fail("prims are too deep within each other"));
        }
        loop {
            match self.peek() {
                None if braced => return Err(self.fail("a brace is not closed")),
                None => return Ok(()),
                Some(b'}') if braced => {
                    self.at += 1;
                    return Ok(());
                }
                _ => {}
            }
            let word = self.word();
            match word {
                "def" | "over" | "class" => self.prim(word == "def", parent, depth)?,
                "variantSet" => {
                    self.stage.refers = true;
                    self.quoted()?;
                    self.expect(b'=', "a variant set")?;
                    self.skip_braces()?;
                }
                "reorder" => {
                    self.word();
                    self.expect(b'=', "what is put in order")?;
                    self.value("")?;
                }
                "" => return Err(self.fail("expected the name of a type, \"def\", \"over\" or \"class\"")),
                _ => self.attribute(word, parent)?,
            }
        }
    }

    fn prim(&mut self, defined: bool, parent: Option<usize>, depth: usize) -> Result<()> {
        let kind = self.word().to_owned();
        let name = self.quoted()?;
        self.hold(Prim::HELD + kind.len())?;
        let at = self.stage.prims.len();
        self.stage.prims.push(Prim { name, parent, kind, defined, ..Prim::default() });
        self.metadata(|text, key, value| match key {
            "references" | "payload" | "inherits" | "variants" => text.stage.refers = true,
            "active" if value.numbers() == [0.0] => text.stage.prims[at].defined = false,
            _ => {}
        })?;
        self.expect(b'{', "the name of a prim")?;
        self.body(Some(at), depth + 1, true)
    }

    /// `[custom] [uniform] TYPE NAME[.timeSamples] [= VALUE] [(…)]`.
    fn attribute(&mut self, first: &'a str, parent: Option<usize>) -> Result<()> {
        let mut kind = first;
        while matches!(kind, "custom" | "uniform" | "varying" | "config" | "prepend" | "append" | "add" | "delete") {
            kind = self.word();
        }
        let full = self.word();
        if full.is_empty() {
            return Err(self.fail(format!("expected a name after {}", quote(kind.as_bytes()))));
        }
        let (name, what) = full.rsplit_once('.').unwrap_or((full, ""));
        let mut found = Attribute::default();
        if self.eat(b'=') {
            match what {
                "timeSamples" => found.samples = self.samples(kind)?,
                "" => found.default = self.value(kind)?,
                _ => drop(self.value("")?),
            }
        }
        if let (Value::Text(path), "rel") = (&found.default, kind) {
            found.default = Value::Texts(vec![path.clone()]);
        }
        self.metadata(|_, key, value| {
            if key == "interpolation" {
                found.interpolation = value.text().map(str::to_owned);
            }
        })?;
        let Some(parent) = parent else { return Err(self.fail("an attribute stands outside of every prim")) };
        self.hold(size_of::<Attribute>() + name.len() + 64)?;
        let known = self.stage.prims[parent].attributes.entry(name.to_owned()).or_default();
        if found.default != Value::Other {
            known.default = found.default;
        }
        if !found.samples.is_empty() {
            known.samples = found.samples;
        }
        known.interpolation = found.interpolation.or(known.interpolation.take());
        Ok(())
    }

    fn samples(&mut self, kind: &str) -> Result<Vec<(f64, Value)>> {
        self.expect(b'{', "samples")?;
        let mut out: Vec<(f64, Value)> = Vec::new();
        while !self.eat(b'}') {
            // A word may hold colons, so the one behind the time is cut off.
            let word = self.word();
            let time = word.trim_end_matches(':').parse::<f64>().ok().filter(|time| time.is_finite());
            let time = time.ok_or_else(|| self.fail(format!("the time of a sample is {}", quote(word.as_bytes()))))?;
            if !word.ends_with(':') {
                self.expect(b':', "the time of a sample")?;
            }
            let value = self.value(kind)?;
            if out.last().is_some_and(|last| last.0 >= time) {
                return Err(self.fail("samples are not in the order of their times"));
            }
            self.hold(size_of::<(f64, Value)>())?;
            if value != Value::Other {
                out.push((time, value));
            }
            self.eat(b',');
        }
        Ok(out)
    }
}
