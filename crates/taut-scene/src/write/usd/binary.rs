//! A layer in binary, the "crate" of version 0.8: values as they come, tables behind them. [`crate::read`] has the same
//! tables for reading. Values are not packed; tables are, by differences and blocks of LZ4 without repetitions.

use super::layer::{About, Attribute, Layer, Sampler, Value};
use crate::write::WriteError;
use crate::write::atomic::AtomicFile;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Signature, version, and room for where the list of sections is.
const HEAD: usize = 88;
const SECTIONS_AT: u64 = 16;

const IS_ARRAY: u64 = 1 << 63;
const IS_INLINED: u64 = 1 << 62;

/// Types of values, by their numbers.
const BOOL: u64 = 1;
const INT: u64 = 3;
const FLOAT: u64 = 8;
const DOUBLE: u64 = 9;
const STRING: u64 = 10;
const TOKEN: u64 = 11;
const VEC2F: u64 = 20;
const VEC3F: u64 = 24;
const DICTIONARY: u64 = 31;
const TOKEN_CHANGES: u64 = 32;
const PATH_CHANGES: u64 = 34;
const TOKENS: u64 = 41;
const SPECIFIER: u64 = 42;
const VARIABILITY: u64 = 44;
const TIME_SAMPLES: u64 = 46;
const TIMES: u64 = 48;

/// Kinds of specs, by their numbers.
const ATTRIBUTE: i32 = 1;
const PRIM: i32 = 6;
const ROOT: i32 = 7;
const RELATIONSHIP: i32 = 8;

/// Something at a path: a prim or an attribute.
struct Spec {
    kind: i32,
    name: String,
    children: Vec<usize>,
    properties: Vec<usize>,
    /// Names and values, in the order they came.
    fields: Vec<(String, u64)>,
    /// Where a relationship leads.
    target: Option<String>,
}

impl Spec {
    fn new(kind: i32, name: &str) -> Self {
        let (children, properties, fields) = (Vec::new(), Vec::new(), Vec::new());
        Spec { kind, name: name.to_owned(), children, properties, fields, target: None }
    }
}

pub(super) struct Binary {
    file: AtomicFile,
    length: u64,
    tokens: Vec<String>,
    known: HashMap<String, u32>,
    /// Tokens that are strings.
    strings: Vec<u32>,
    /// The first is the root.
    specs: Vec<Spec>,
    /// Prims that were begun and not ended.
    open: Vec<usize>,
    /// Where times are that were written before: the number of the first frame, how many, and their value.
    times: Option<(usize, usize, u64)>,
}

impl Binary {
    pub(super) fn create(dir: &Path, name: &str) -> Result<Self, WriteError> {
        let mut file = AtomicFile::create(dir, name)?;
        let mut head = b"PXR-USDC\0\x08\0\0\0\0\0\0".to_vec();
        head.resize(HEAD, 0);
        file.put(&head)?;
        let (tokens, known, strings) = (Vec::new(), HashMap::new(), Vec::new());
        let specs = vec![Spec::new(ROOT, "")];
        let mut layer = Binary { file, length: HEAD as u64, tokens, known, strings, specs, open: vec![0], times: None };
        // Names of attributes are told from others by a minus, which the first of all could not have.
        layer.token("");
        Ok(layer)
    }

    /// Adds bytes, and gives where they are.
    fn put_bytes(&mut self, bytes: &[u8]) -> Result<u64, WriteError> {
        let at = self.length;
        self.file.put(bytes)?;
        self.length += bytes.len() as u64;
        Ok(at)
    }

    fn token(&mut self, text: &str) -> u32 {
        // A zero ends a token.
        let text = text.replace('\0', " ");
        let next = self.tokens.len() as u32;
        let number = *self.known.entry(text.clone()).or_insert(next);
        if number == next {
            self.tokens.push(text);
        }
        number
    }

    fn string(&mut self, text: &str) -> u32 {
        let token = self.token(text);
        self.strings.push(token);
        self.strings.len() as u32 - 1
    }

    /// A list of numbers behind how many there are.
    fn counted(&mut self, count: usize, numbers: impl Iterator<Item = u32>) -> Result<u64, WriteError> {
        let mut bytes = (count as u64).to_le_bytes().to_vec();
        numbers.for_each(|number| bytes.extend(number.to_le_bytes()));
        self.put_bytes(&bytes)
    }

    fn token_list(&mut self, names: &[String]) -> Result<u64, WriteError> {
        let numbers: Vec<u32> = names.iter().map(|name| self.token(name)).collect();
        Ok(TOKENS << 48 | self.counted(numbers.len(), numbers.into_iter())?)
    }

    fn value(&mut self, value: &Value) -> Result<u64, WriteError> {
        let inlined = |kind: u64, payload: u32| kind << 48 | IS_INLINED | u64::from(payload);
        Ok(match value {
            Value::Bool(is) => inlined(BOOL, u32::from(*is)),
            Value::Token(text) => inlined(TOKEN, self.token(text)),
            Value::Double(number) if f64::from(*number as f32) == *number => {
                inlined(DOUBLE, (*number as f32).to_bits())
            }
            Value::Double(number) => DOUBLE << 48 | self.put_bytes(&number.to_le_bytes())?,
            Value::Ints(list) => self.array(INT, list.len(), list.iter().map(|x| x.to_le_bytes()))?,
            Value::Floats(width, list) => {
                let kind = [FLOAT, VEC2F, VEC3F][width.clamp(&1, &3) - 1];
                self.array(kind, list.len() / width, list.iter().map(|x| x.to_le_bytes()))?
            }
        })
    }

    fn array(&mut self, kind: u64, count: usize, numbers: impl Iterator<Item = [u8; 4]>) -> Result<u64, WriteError> {
        if count == 0 {
            return Ok(kind << 48 | IS_ARRAY);
        }
        let mut bytes = (count as u64).to_le_bytes().to_vec();
        numbers.for_each(|number| bytes.extend(number));
        Ok(kind << 48 | IS_ARRAY | self.put_bytes(&bytes)?)
    }

    fn say(&mut self, spec: usize, key: &str, value: u64) {
        self.specs[spec].fields.push((key.to_owned(), value));
    }

    fn here(&self) -> usize {
        self.open.last().copied().unwrap_or(0)
    }

    /// The attribute of a name in the prim that is open, made if it is new.
    fn attribute(&mut self, attribute: Attribute) -> Result<usize, WriteError> {
        let prim = self.here();
        let known = self.specs[prim].properties.iter().find(|&&at| self.specs[at].name == attribute.name);
        if let Some(&at) = known {
            return Ok(at);
        }
        let at = self.specs.len();
        self.specs.push(Spec::new(ATTRIBUTE, attribute.name));
        self.specs[prim].properties.push(at);
        let kind = self.value(&Value::Token(attribute.kind))?;
        self.say(at, "typeName", kind);
        if attribute.uniform {
            self.say(at, "variability", VARIABILITY << 48 | IS_INLINED | 1);
        }
        if let Some(interpolation) = attribute.interpolation {
            let value = self.value(&Value::Token(interpolation))?;
            self.say(at, "interpolation", value);
        }
        Ok(at)
    }

    /// The time codes of frames; of the same ones those that are there.
    fn times(&mut self, first: usize, frames: usize) -> Result<u64, WriteError> {
        if let Some((.., value)) = self.times.filter(|times| (times.0, times.1) == (first, frames)) {
            return Ok(value);
        }
        let mut bytes = (frames as u64).to_le_bytes().to_vec();
        (first..first + frames).for_each(|code| bytes.extend((code as f64).to_le_bytes()));
        let value = TIMES << 48 | self.put_bytes(&bytes)?;
        self.times = Some((first, frames, value));
        Ok(value)
    }

    /// Every spec in the order of a tree, each with how far its next sibling is.
    fn in_order(&self) -> Vec<(usize, i32)> {
        let mut out: Vec<(usize, i32)> = Vec::new();
        self.order(0, false, &mut out);
        out
    }

    /// 0: a sibling follows; −1: children do; −2: neither; above 0: both, and the sibling comes so much later.
    fn order(&self, at: usize, sibling: bool, out: &mut Vec<(usize, i32)>) {
        let below: Vec<usize> = self.specs[at].children.iter().chain(&self.specs[at].properties).copied().collect();
        let place = out.len();
        out.push((at, if sibling { 0 } else { -2 }));
        for (number, &child) in below.iter().enumerate() {
            self.order(child, number + 1 < below.len(), out);
        }
        if !below.is_empty() {
            out[place].1 = if sibling { (out.len() - place) as i32 } else { -1 };
        }
    }

    /// The path of every spec, by its number in the tree's order.
    fn paths(&self, order: &[(usize, i32)]) -> HashMap<String, u32> {
        let mut number = vec![0; self.specs.len()];
        (0..).zip(order).for_each(|(at, spec)| number[spec.0] = at);
        let mut out = HashMap::new();
        let mut waiting = vec![(0, String::new())];
        while let Some((at, path)) = waiting.pop() {
            for &child in &self.specs[at].children {
                waiting.push((child, format!("{path}/{}", self.specs[child].name)));
            }
            out.insert(path, number[at]);
        }
        out
    }

    /// Says of all specs what is in them, and where relationships lead.
    fn complete(&mut self, order: &[(usize, i32)]) -> Result<(), WriteError> {
        let paths = self.paths(order);
        for at in 0..self.specs.len() {
            let names = |of: &[usize]| of.iter().map(|&child| self.specs[child].name.clone()).collect::<Vec<_>>();
            let (children, properties) = (names(&self.specs[at].children), names(&self.specs[at].properties));
            for (key, list) in [("primChildren", children), ("properties", properties)] {
                if !list.is_empty() {
                    let value = self.token_list(&list)?;
                    self.say(at, key, value);
                }
            }
            if let Some(target) = self.specs[at].target.take() {
                // A list that is set as a whole.
                let mut bytes = vec![0b11];
                bytes.extend(1u64.to_le_bytes());
                bytes.extend(paths.get(&target).copied().unwrap_or(0).to_le_bytes());
                let value = PATH_CHANGES << 48 | self.put_bytes(&bytes)?;
                self.say(at, "targetPaths", value);
            }
        }
        Ok(())
    }

    /// The names and values of all fields, the sets of them, and where the set of each spec begins.
    fn field_tables(&mut self, order: &[(usize, i32)]) -> (Vec<i32>, Vec<u8>, Vec<i32>, Vec<i32>) {
        let (mut names, mut values, mut sets, mut firsts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &(spec, _) in order {
            firsts.push(sets.len() as i32);
            for (name, value) in std::mem::take(&mut self.specs[spec].fields) {
                sets.push(names.len() as i32);
                names.push(self.token(&name) as i32);
                values.extend(value.to_le_bytes());
            }
            sets.push(-1);
        }
        (names, values, sets, firsts)
    }

    /// The last name of a spec's path as a token, negative for what is no prim.
    fn element(&mut self, spec: usize) -> i32 {
        let name = self.specs[spec].name.clone();
        let sign = if matches!(self.specs[spec].kind, ATTRIBUTE | RELATIONSHIP) { -1 } else { 1 };
        sign * self.token(&name) as i32
    }

    /// All texts, and which of them are strings.
    fn text_tables(&self) -> [Vec<u8>; 2] {
        let plain: Vec<u8> = self.tokens.iter().flat_map(|token| token.bytes().chain([0])).collect();
        let tokens = packed(&plain);
        let head = [self.tokens.len(), plain.len(), tokens.len()].map(|x| (x as u64).to_le_bytes());
        let strings: Vec<u8> = self.strings.iter().flat_map(|token| token.to_le_bytes()).collect();
        let many = (self.strings.len() as u64).to_le_bytes();
        [[head.as_flattened(), &tokens].concat(), [&many[..], &strings].concat()]
    }

    /// Writes the tables and the list of them.
    fn put_tables(&mut self) -> Result<(), WriteError> {
        let order = self.in_order();
        self.complete(&order)?;
        let (names, values, sets, firsts) = self.field_tables(&order);
        let elements: Vec<i32> = order.iter().map(|&(spec, _)| self.element(spec)).collect();
        let kinds: Vec<i32> = order.iter().map(|&(spec, _)| self.specs[spec].kind).collect();
        let jumps: Vec<i32> = order.iter().map(|&(_, jump)| jump).collect();
        let numbers: Vec<i32> = (0..order.len() as i32).collect();
        let count = |list: &[i32]| (list.len() as u64).to_le_bytes();
        let many = count(&numbers);
        let reps = packed(&values);
        let size = (reps.len() as u64).to_le_bytes();
        let [tokens, strings] = self.text_tables();
        let tree = [&many[..], &many, &packed_ints(&numbers), &packed_ints(&elements), &packed_ints(&jumps)];
        let specs = [&many[..], &packed_ints(&numbers), &packed_ints(&firsts), &packed_ints(&kinds)];
        let sections: [(&str, Vec<u8>); 6] = [
            ("TOKENS", tokens),
            ("STRINGS", strings),
            ("FIELDS", [&count(&names)[..], &packed_ints(&names), &size, &reps].concat()),
            ("FIELDSETS", [&count(&sets)[..], &packed_ints(&sets)].concat()),
            ("PATHS", tree.concat()),
            ("SPECS", specs.concat()),
        ];
        let mut list = (sections.len() as u64).to_le_bytes().to_vec();
        for (name, bytes) in sections {
            let at = self.put_bytes(&bytes)?;
            let mut called = name.as_bytes().to_vec();
            called.resize(16, 0);
            list.extend(called);
            list.extend(at.to_le_bytes());
            list.extend((bytes.len() as u64).to_le_bytes());
        }
        let at = self.put_bytes(&list)?;
        self.file.put_at(SECTIONS_AT, &at.to_le_bytes())
    }
}

impl Layer for Binary {
    fn head(&mut self, said: &[(&str, Value)]) -> Result<(), WriteError> {
        for (key, value) in said {
            let value = self.value(value)?;
            self.say(0, key, value);
        }
        Ok(())
    }

    fn begin(&mut self, kind: &str, name: &str, about: About) -> Result<(), WriteError> {
        let at = self.specs.len();
        self.specs.push(Spec::new(PRIM, name));
        let parent = self.here();
        self.specs[parent].children.push(at);
        self.open.push(at);
        self.say(at, "specifier", SPECIFIER << 48 | IS_INLINED);
        let kind = self.value(&Value::Token(kind))?;
        self.say(at, "typeName", kind);
        if let Some(api) = about.api {
            // A list whose items come before others.
            let mut bytes = vec![0b10_0000];
            bytes.extend(1u64.to_le_bytes());
            bytes.extend(self.token(api).to_le_bytes());
            let value = TOKEN_CHANGES << 48 | self.put_bytes(&bytes)?;
            self.say(at, "apiSchemas", value);
        }
        if let Some(title) = about.title {
            let (key, text) = (self.string("name"), self.string(title));
            let mut bytes = 1u64.to_le_bytes().to_vec();
            bytes.extend(key.to_le_bytes());
            // The value comes right behind where it says it is.
            bytes.extend(8i64.to_le_bytes());
            bytes.extend((STRING << 48 | IS_INLINED | u64::from(text)).to_le_bytes());
            let value = DICTIONARY << 48 | self.put_bytes(&bytes)?;
            self.say(at, "customData", value);
        }
        Ok(())
    }

    fn put(&mut self, attribute: Attribute, value: Value) -> Result<(), WriteError> {
        let at = self.attribute(attribute)?;
        let value = self.value(&value)?;
        self.say(at, "default", value);
        Ok(())
    }

    fn samples(
        &mut self,
        attribute: Attribute,
        first: usize,
        frames: usize,
        sample: Sampler,
    ) -> Result<(), WriteError> {
        let at = self.attribute(attribute)?;
        let mut values = Vec::with_capacity(frames);
        for frame in 0..frames {
            values.push(self.value(&sample(frame)?)?);
        }
        let mut bytes = 8i64.to_le_bytes().to_vec();
        bytes.extend(self.times(first, frames)?.to_le_bytes());
        bytes.extend(8i64.to_le_bytes());
        bytes.extend((frames as u64).to_le_bytes());
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        let value = TIME_SAMPLES << 48 | self.put_bytes(&bytes)?;
        self.say(at, "timeSamples", value);
        Ok(())
    }

    fn relation(&mut self, name: &str, path: &str) -> Result<(), WriteError> {
        let (prim, at) = (self.here(), self.specs.len());
        self.specs.push(Spec { target: Some(path.to_owned()), ..Spec::new(RELATIONSHIP, name) });
        self.specs[prim].properties.push(at);
        self.say(at, "variability", VARIABILITY << 48 | IS_INLINED | 1);
        Ok(())
    }

    fn end(&mut self) -> Result<(), WriteError> {
        self.open.pop();
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<PathBuf, WriteError> {
        self.put_tables()?;
        self.file.commit()
    }
}

/// Bytes as one block of LZ4 that repeats nothing.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0, (bytes.len().min(15) as u8) << 4];
    if bytes.len() >= 15 {
        let mut left = bytes.len() - 15;
        while left >= 255 {
            out.push(255);
            left -= 255;
        }
        out.push(left as u8);
    }
    out.extend(bytes);
    out
}

/// Whole numbers as differences, each as wide as it has to be, behind their length in bytes.
fn packed_ints(list: &[i32]) -> Vec<u8> {
    let mut last = 0i32;
    let differences: Vec<i32> = list.iter().map(|&x| x.wrapping_sub(std::mem::replace(&mut last, x))).collect();
    // By far the most frequent one in tables that count.
    let common = 1i32;
    let (mut codes, mut wide) = (vec![0u8; list.len().div_ceil(4)], Vec::new());
    for (at, &d) in differences.iter().enumerate() {
        let code = match (i8::try_from(d), i16::try_from(d)) {
            _ if d == common => 0,
            (Ok(d), _) => {
                wide.extend(d.to_le_bytes());
                1
            }
            (_, Ok(d)) => {
                wide.extend(d.to_le_bytes());
                2
            }
            _ => {
                wide.extend(d.to_le_bytes());
                3
            }
        };
        codes[at / 4] |= code << (2 * (at % 4));
    }
    let block = packed(&[&common.to_le_bytes()[..], &codes, &wide].concat());
    [&(block.len() as u64).to_le_bytes()[..], &block].concat()
}
