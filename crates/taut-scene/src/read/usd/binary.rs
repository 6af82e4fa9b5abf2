//! Binary USD, the "crate": tables of tokens, paths, fields and specs, and values that they point to.
//!
//! | section | what |
//! | --- | --- |
//! | `TOKENS`, `STRINGS` | texts; strings are numbers of tokens |
//! | `FIELDS` | pairs of a name (a token) and a value |
//! | `FIELDSETS` | lists of fields, each ended by ~0 |
//! | `PATHS` | a tree of names |
//! | `SPECS` | what is at a path: prim, attribute, relationship; and its list of fields |
//!
//! A value is a word of 64 bits: flags (list, in the word itself, packed), a type, and 48 bits of the value or of where
//! it is in the file.

use super::kind::{Kind, Number, half};
use super::packed;
use super::stage::{Attribute, Prim, Stage, Value};
use crate::read::Source;
use crate::read::budget::Budget;
use crate::read::bytes::Bytes;
use crate::read::error::{ReadError, Result};
use std::collections::HashMap;

pub(super) const MAGIC: &[u8] = b"PXR-USDC";

const IS_ARRAY: u64 = 1 << 63;
const IS_INLINED: u64 = 1 << 62;
const IS_PACKED: u64 = 1 << 61;
/// Shorter lists are never packed, whatever their flags say.
const LEAST_PACKED: usize = 16;
/// Prims at most: each has its own list of attributes.
const MOST_PRIMS: usize = 1 << 20;
/// Fields of one of them that are looked at.
const MOST_FIELDS: usize = 64;
/// Prims within prims at most.
const DEEPEST: usize = 100;

/// Kinds of specs that matter.
const ATTRIBUTE: i32 = 1;
const PRIM: i32 = 6;
const ROOT: i32 = 7;
const RELATIONSHIP: i32 = 8;

struct Crate<'a, 'b> {
    source: &'a Source<'a>,
    budget: &'b mut Budget,
    version: [u8; 3],
    tokens: Vec<String>,
    strings: Vec<u32>,
    fields: Vec<(u32, u64)>,
    /// Numbers of fields; u32::MAX ends a set.
    sets: Vec<u32>,
    paths: Vec<Path>,
}

/// The last name of a path and where it goes on upwards.
#[derive(Clone, Debug, Default)]
struct Path {
    parent: Option<usize>,
    name: usize,
    property: bool,
}

pub(super) fn read(source: &Source, budget: &mut Budget) -> Result<Stage> {
    let mut head = Bytes::new(source.name, source.bytes, MAGIC.len(), false);
    let version = head.take(8, "the version")?;
    let version = [version[0], version[1], version[2]];
    if version[0] != 0 || version[1] < 4 {
        let [a, b, c] = version;
        return Err(ReadError::file(
            source.name,
            format!("it is binary USD of version {a}.{b}.{c}, expected 0.4 or later"),
        ));
    }
    let mut found = Crate {
        source,
        budget,
        version,
        tokens: Vec::new(),
        strings: Vec::new(),
        fields: Vec::new(),
        sets: Vec::new(),
        paths: Vec::new(),
    };
    let sections = found.sections(head.i64("where its sections are listed")?)?;
    let section = |name: &str| {
        let at = sections.iter().find(|section| section.0 == name).map(|section| section.1);
        at.ok_or_else(|| ReadError::file(source.name, format!("it has no section {name}")))
    };
    found.read_tokens(section("TOKENS")?)?;
    found.read_strings(section("STRINGS")?)?;
    found.read_fields(section("FIELDS")?)?;
    found.read_sets(section("FIELDSETS")?)?;
    found.read_paths(section("PATHS")?)?;
    found.stage(section("SPECS")?)
}

impl<'a> Crate<'a, '_> {
    fn bytes(&self, at: u64) -> Result<Bytes<'a>> {
        let at = usize::try_from(at).ok().filter(|&at| at <= self.source.bytes.len());
        let at = at.ok_or_else(|| ReadError::file(self.source.name, "something of it lies beyond its end"))?;
        Ok(Bytes::new(self.source.name, self.source.bytes, at, false))
    }

    /// Takes memory for so many things.
    fn take(&mut self, count: usize, each: usize) -> Result<()> {
        let bytes = count.saturating_mul(each);
        self.budget.check(self.source.name, bytes)?;
        self.budget.hold(bytes);
        Ok(())
    }

    fn sections(&self, at: i64) -> Result<Vec<(String, u64)>> {
        let mut bytes = self.bytes(at as u64)?;
        let count = bytes.u64("the number of sections")?;
        let mut out = Vec::new();
        for _ in 0..bytes.room_for(count, 32, "sections")? {
            let name = bytes.take(16, "a section's name")?;
            let name = name.split(|&b| b == 0).next().unwrap_or_default();
            out.push((String::from_utf8_lossy(name).into_owned(), bytes.u64("where a section is")?));
            bytes.u64("a section's size")?;
        }
        Ok(out)
    }

    fn read_tokens(&mut self, at: u64) -> Result<()> {
        let mut bytes = self.bytes(at)?;
        let count = bytes.u64("the number of tokens")?;
        let size = usize::try_from(bytes.u64("the size of the tokens")?).unwrap_or(usize::MAX);
        let length = bytes.u64("the packed size of the tokens")?;
        let length = bytes.room_for(length, 1, "bytes of tokens")?;
        let packed = bytes.take(length, "the tokens")?;
        let plain = packed::unpack(self.source.name, packed, size, self.budget)?;
        // Each ends with a zero, so there are no more than bytes.
        if count > plain.len() as u64 {
            return Err(bytes.fail(format!("it claims {count} tokens in {} bytes", plain.len())));
        }
        self.take(plain.len(), 1)?;
        self.take(count as usize, size_of::<String>() + 16)?;
        let texts = plain.split(|&b| b == 0).take(count as usize);
        self.tokens = texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        Ok(())
    }

    fn read_strings(&mut self, at: u64) -> Result<()> {
        let mut bytes = self.bytes(at)?;
        let count = bytes.u64("the number of strings")?;
        let count = bytes.room_for(count, 4, "strings")?;
        self.take(count, 4)?;
        self.strings = (0..count).map(|_| bytes.u32("a string")).collect::<Result<_>>()?;
        Ok(())
    }

    /// The next numbers of a table, with room for them taken.
    fn column(&mut self, bytes: &mut Bytes, count: usize) -> Result<Vec<i32>> {
        self.take(count, 4)?;
        packed::ints(bytes, self.source.name, count, self.budget)
    }

    /// How many there are of something that takes at least two bits each.
    fn count(&self, bytes: &mut Bytes, what: &str) -> Result<usize> {
        let count = bytes.u64(what)?;
        // Packed to a two hundredth at the very best.
        bytes.room_for(count / 1024, 1, what)?;
        Ok(count as usize)
    }

    fn read_fields(&mut self, at: u64) -> Result<()> {
        let mut bytes = self.bytes(at)?;
        let count = self.count(&mut bytes, "the number of fields")?;
        let names = self.column(&mut bytes, count)?;
        let length = bytes.u64("the packed size of values")?;
        let length = bytes.room_for(length, 1, "bytes of values")?;
        let packed = bytes.take(length, "the values")?;
        let most = count.saturating_mul(8);
        let plain = if count == 0 { Vec::new() } else { packed::unpack(self.source.name, packed, most, self.budget)? };
        self.take(count, 16)?;
        let values = plain.as_chunks::<8>().0.iter().map(|raw| u64::from_le_bytes(*raw));
        self.fields = names.into_iter().map(|name| name as u32).zip(values).collect();
        Ok(())
    }

    fn read_sets(&mut self, at: u64) -> Result<()> {
        let mut bytes = self.bytes(at)?;
        let count = self.count(&mut bytes, "the number of sets of fields")?;
        self.sets = self.column(&mut bytes, count)?.into_iter().map(|field| field as u32).collect();
        Ok(())
    }

    /// A tree, each node of which is followed by its first child, or else by its next sibling; where it has both, a
    /// jump
    /// says where the sibling is.
    fn read_paths(&mut self, at: u64) -> Result<()> {
        let mut bytes = self.bytes(at)?;
        let count = self.count(&mut bytes, "the number of paths")?;
        let coded = self.count(&mut bytes, "the number of paths in the tree")?;
        let numbers = self.column(&mut bytes, coded)?;
        let names = self.column(&mut bytes, coded)?;
        let jumps = self.column(&mut bytes, coded)?;
        self.take(count, size_of::<Path>())?;
        self.paths = vec![Path::default(); count];
        let mut later: Vec<(usize, Option<usize>)> = vec![(0, None)];
        let mut left = coded;
        while let Some((mut at, mut parent)) = later.pop() {
            while at < coded {
                // Jumps that lead back would never end.
                left = left.checked_sub(1).ok_or_else(|| bytes.fail("its paths go round in circles"))?;
                let number = numbers[at] as usize;
                let path = self.paths.get_mut(number).ok_or_else(|| bytes.fail("a path has no place in its list"))?;
                *path = Path { parent, name: names[at].unsigned_abs() as usize, property: names[at] < 0 };
                let jump = jumps[at];
                let (child, sibling) = (jump > 0 || jump == -1, jump >= 0);
                if child && sibling {
                    later.push((at + jump as usize, parent));
                }
                if child {
                    parent = Some(number);
                }
                if !child && !sibling {
                    break;
                }
                at += 1;
            }
        }
        Ok(())
    }

    fn token(&self, number: usize) -> &str {
        self.tokens.get(number).map_or("", String::as_str)
    }

    /// The fields of the set that begins at a number.
    fn set(&self, first: usize) -> Vec<(String, u64)> {
        let numbers = self.sets.get(first..).unwrap_or_default().iter().take_while(|&&field| field != u32::MAX);
        let fields = numbers.filter_map(|&field| self.fields.get(field as usize));
        fields.take(MOST_FIELDS).map(|&(name, value)| (self.token(name as usize).to_owned(), value)).collect()
    }

    fn stage(&mut self, at: u64) -> Result<Stage> {
        let mut bytes = self.bytes(at)?;
        let count = self.count(&mut bytes, "the number of specs")?;
        let paths = self.column(&mut bytes, count)?;
        let sets = self.column(&mut bytes, count)?;
        let kinds = self.column(&mut bytes, count)?;
        let mut stage = Stage::new("USD binary");
        let specs = || (0..count).map(|at| (paths[at] as usize, sets[at] as usize, kinds[at]));
        for (_, set, _) in specs().filter(|spec| spec.2 == ROOT) {
            for (key, rep) in self.set(set) {
                stage.say(&key, &self.value(rep)?);
            }
        }
        let places = self.prims(&mut stage, specs().filter(|spec| spec.2 == PRIM))?;
        for (path, set, _) in specs().filter(|spec| matches!(spec.2, ATTRIBUTE | RELATIONSHIP)) {
            let Some(Path { parent: Some(owner), name, property: true }) = self.paths.get(path).cloned() else {
                continue;
            };
            let Some(&prim) = places.get(&owner) else { continue };
            let name = self.token(name).to_owned();
            let attribute = self.attribute(set)?;
            self.take(1, size_of::<Attribute>() + name.len() + 64)?;
            stage.prims[prim].attributes.insert(name, attribute);
        }
        Ok(stage)
    }

    /// Adds all prims, parents first. Gives for each path the number of the prim there.
    fn prims(
        &mut self,
        stage: &mut Stage,
        specs: impl Iterator<Item = (usize, usize, i32)>,
    ) -> Result<HashMap<usize, usize>> {
        let sets: HashMap<usize, usize> = specs.take(MOST_PRIMS).map(|(path, set, _)| (path, set)).collect();
        self.take(sets.len(), Prim::HELD)?;
        let mut order: Vec<(usize, usize)> = sets.keys().map(|&path| (self.depth(path), path)).collect();
        order.sort_unstable();
        if order.last().is_some_and(|last| last.0 > DEEPEST) {
            return Err(ReadError::file(self.source.name, "prims are too deep within each other"));
        }
        let mut places = HashMap::new();
        for (_, path) in order {
            let Some(at) = self.paths.get(path).cloned() else { continue };
            let parent = at.parent.and_then(|parent| places.get(&parent).copied());
            let mut prim = Prim { name: self.token(at.name).to_owned(), parent, ..Prim::default() };
            for (key, rep) in self.set(sets[&path]) {
                match key.as_str() {
                    "typeName" => prim.kind = self.value(rep)?.text().unwrap_or_default().to_owned(),
                    // 0 is `def`, 1 `over`, 2 `class`.
                    "specifier" => prim.defined = rep & 0xff == 0,
                    "active" => prim.defined &= rep & 0xff != 0,
                    "references" | "payload" | "variantSetNames" | "inheritPaths" => stage.refers = true,
                    _ => {}
                }
            }
            places.insert(path, stage.prims.len());
            stage.prims.push(prim);
        }
        Ok(places)
    }

    fn depth(&self, path: usize) -> usize {
        let up = |at: &usize| self.paths.get(*at).and_then(|path| path.parent);
        std::iter::successors(Some(path), up).take(DEEPEST + 1).count()
    }

    fn attribute(&mut self, set: usize) -> Result<Attribute> {
        let mut out = Attribute::default();
        for (key, rep) in self.set(set) {
            match key.as_str() {
                "default" | "targetPaths" => out.default = self.value(rep)?,
                "interpolation" => out.interpolation = self.value(rep)?.text().map(str::to_owned),
                "timeSamples" => out.samples = self.samples(rep)?,
                _ => {}
            }
        }
        Ok(out)
    }

    fn samples(&mut self, rep: u64) -> Result<Vec<(f64, Value)>> {
        let mut bytes = self.bytes(rep & PAYLOAD)?;
        self.jump(&mut bytes)?;
        let times = bytes.u64("the times of samples")?;
        let times = self.value(times)?.numbers();
        self.jump(&mut bytes)?;
        let count = bytes.u64("the number of samples")?;
        let count = bytes.room_for(count, 8, "samples")?;
        if count != times.len() {
            return Err(bytes.fail(format!("an attribute has {count} samples at {} times", times.len())));
        }
        self.take(count, size_of::<(f64, Value)>())?;
        let mut out = Vec::with_capacity(count);
        for time in times {
            let value = bytes.u64("a sample")?;
            if (value >> 48) as u8 != Kind::BLOCK {
                out.push((time, self.value(value)?));
            }
        }
        if !out.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(bytes.fail("samples are not in the order of their times"));
        }
        Ok(out)
    }

    /// Goes where the next number says, counted from there.
    fn jump(&self, bytes: &mut Bytes<'a>) -> Result<()> {
        let at = bytes.offset() as i64;
        let by = bytes.i64("how far on something is")?;
        *bytes = self.bytes(at.wrapping_add(by) as u64)?;
        Ok(())
    }

    /// A value out of its word.
    fn value(&mut self, rep: u64) -> Result<Value> {
        let Some(kind) = Kind::of((rep >> 48) as u8) else { return Ok(Value::Other) };
        let payload = rep & PAYLOAD;
        if rep & IS_ARRAY != 0 {
            return self.array(kind, payload, rep & IS_PACKED != 0);
        }
        if rep & IS_INLINED != 0 {
            return Ok(self.inlined(kind, payload as u32));
        }
        let mut bytes = self.bytes(payload)?;
        match kind {
            Kind::Tokens => {
                let count = bytes.u64("the number of tokens in a list")?;
                let count = bytes.room_for(count, 4, "tokens in a list")?;
                self.texts(&mut bytes, count, |found, number| found.token(number).to_owned())
            }
            Kind::Paths => self.list_of_paths(&mut bytes),
            Kind::Times => {
                let count = bytes.u64("the number of times")?;
                let count = bytes.room_for(count, 8, "times")?;
                self.numbers(Number::F64, 1, count, &mut bytes)
            }
            Kind::Numbers(number, width) => self.numbers(number, width, width, &mut bytes),
            Kind::Token | Kind::String => Ok(Value::Other),
        }
    }

    /// Texts that the next numbers stand for.
    fn texts(&mut self, bytes: &mut Bytes, count: usize, of: impl Fn(&Self, usize) -> String) -> Result<Value> {
        let mut out = Vec::new();
        for _ in 0..count {
            let number = bytes.u32("the number of a text")? as usize;
            let text = of(self, number);
            self.take(1, size_of::<String>() + text.len() + 16)?;
            out.push(text);
        }
        Ok(Value::Texts(out))
    }

    /// The first list of paths that a change of lists has: what is set, or added, or put before or behind.
    fn list_of_paths(&mut self, bytes: &mut Bytes) -> Result<Value> {
        let flags = bytes.u8("the flags of a list")?;
        if flags & 0b0110_0110 == 0 {
            return Ok(Value::Other);
        }
        let count = bytes.u64("the number of paths in a list")?;
        let count = bytes.room_for(count, 4, "paths in a list")?;
        self.texts(bytes, count, |found, number| {
            let names = std::iter::successors(found.paths.get(number), |path| found.paths.get(path.parent?));
            let names: Vec<&str> =
                names.take(64).filter(|path| path.parent.is_some()).map(|path| found.token(path.name)).collect();
            names.into_iter().rev().fold(String::new(), |path, name| path + "/" + name)
        })
    }

    fn inlined(&self, kind: Kind, payload: u32) -> Value {
        match kind {
            Kind::Token => Value::Text(self.token(payload as usize).to_owned()),
            Kind::String => {
                let token = self.strings.get(payload as usize).copied().unwrap_or(u32::MAX);
                Value::Text(self.token(token as usize).to_owned())
            }
            Kind::Numbers(Number::F32 | Number::F64, 1) => Value::Doubles(1, vec![f64::from(f32::from_bits(payload))]),
            Kind::Numbers(Number::F16, 1) => Value::Doubles(1, vec![f64::from(half(payload as u16))]),
            Kind::Numbers(_, 1) => Value::Ints(vec![payload as i32]),
            // The diagonal of a matrix, or all of a vector, by a byte each.
            Kind::Numbers(_, width) => {
                let bytes = payload.to_le_bytes().map(|b| f64::from(b as i8));
                match width {
                    16 => Value::Doubles(16, (0..16).map(|k| if k % 5 == 0 { bytes[k / 5] } else { 0.0 }).collect()),
                    width => Value::Doubles(width, bytes[..width.min(4)].to_vec()),
                }
            }
            Kind::Tokens | Kind::Paths | Kind::Times => Value::Other,
        }
    }

    fn array(&mut self, kind: Kind, payload: u64, packed: bool) -> Result<Value> {
        let (number, width) = match kind {
            Kind::Numbers(number, width) => (number, width),
            Kind::Token if payload == 0 => return Ok(Value::Texts(Vec::new())),
            Kind::Token => {
                let mut bytes = self.bytes(payload)?;
                let count = self.length(&mut bytes)?;
                let count = bytes.room_for(count, 4, "tokens in a list")?;
                return self.texts(&mut bytes, count, |found, number| found.token(number).to_owned());
            }
            _ => return Ok(Value::Other),
        };
        if payload == 0 {
            return Ok(number.value(width, Vec::new()));
        }
        let mut bytes = self.bytes(payload)?;
        let count = self.length(&mut bytes)?;
        if packed && count >= LEAST_PACKED as u64 {
            return self.packed(number, width, count, &mut bytes);
        }
        let count = bytes.room_for(count, number.size() * width, "numbers in a list")?;
        self.numbers(number, width, count * width, &mut bytes)
    }

    /// The length of a list.
    fn length(&self, bytes: &mut Bytes) -> Result<u64> {
        if self.version < [0, 5, 0] {
            bytes.u32("the rank of a list")?;
        }
        if self.version < [0, 7, 0] {
            Ok(bytes.u32("the length of a list")?.into())
        } else {
            bytes.u64("the length of a list")
        }
    }

    fn packed(&mut self, number: Number, width: usize, count: u64, bytes: &mut Bytes) -> Result<Value> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.take(count, 4)?;
        match (number, width) {
            (Number::I32, 1) => Ok(Value::Ints(packed::ints(bytes, self.source.name, count, self.budget)?)),
            (Number::F16 | Number::F32 | Number::F64, 1) => match bytes.u8("how a list is packed")? {
                b'i' => {
                    let whole = packed::ints(bytes, self.source.name, count, self.budget)?;
                    Ok(number.value(1, whole.into_iter().map(f64::from).collect()))
                }
                b't' => {
                    let entries = bytes.u32("the length of a table")?;
                    let entries = bytes.room_for(entries.into(), number.size(), "numbers in a table")?;
                    let table = self.numbers(number, 1, entries, bytes)?.numbers();
                    let which = packed::ints(bytes, self.source.name, count, self.budget)?;
                    let of = |at: i32| table.get(at as usize).copied().unwrap_or(f64::NAN);
                    Ok(number.value(1, which.into_iter().map(of).collect()))
                }
                other => Err(bytes.fail(format!("a list is packed in the way {other}, which is not known"))),
            },
            _ => Ok(Value::Other),
        }
    }

    fn numbers(&mut self, number: Number, width: usize, count: usize, bytes: &mut Bytes) -> Result<Value> {
        self.take(count, number.size().max(4))?;
        let raw = bytes.take(count * number.size(), "numbers")?;
        Ok(match number {
            Number::I32 => Value::Ints(raw.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect()),
            Number::U8 => Value::Ints(raw.iter().map(|&b| i32::from(b)).collect()),
            Number::F32 => {
                Value::Floats(width, raw.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
            }
            Number::F16 => {
                Value::Floats(width, raw.as_chunks::<2>().0.iter().map(|b| half(u16::from_le_bytes(*b))).collect())
            }
            Number::F64 => {
                Value::Doubles(width, raw.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
            }
        })
    }
}

const PAYLOAD: u64 = (1 << 48) - 1;
