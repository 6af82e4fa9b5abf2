//! The container of Alembic: a tree of groups, whose leaves are data. [`crate::write`] has the bytes in a table.

use super::property::{Header, Shape};
use crate::read::Source;
use crate::read::budget::Budget;
use crate::read::bytes::Bytes;
use crate::read::error::{ReadError, Result};

pub(super) const MAGIC: &[u8] = b"Ogawa";
const IS_DATA: u64 = 1 << 63;
/// Bytes before every sample by which equal ones are known.
const KEY: usize = 16;

/// Where a group is in the file; 0 for one without children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group(pub u64);

/// What a child of a group is.
#[derive(Clone, Copy, Debug)]
enum Child {
    Group(Group),
    Data(u64),
}

/// Times of samples: so many of them, which come again after a while, s.
#[derive(Clone, Debug)]
struct Sampling {
    cycle: f64,
    times: Vec<f64>,
}

impl Sampling {
    /// The time of a sample, s.
    fn at(&self, sample: usize) -> f64 {
        let each = self.times.len().max(1);
        self.times.get(sample % each).copied().unwrap_or(0.0) + self.cycle * (sample / each) as f64
    }
}

pub(super) struct Archive<'a> {
    pub source: &'a Source<'a>,
    pub budget: Budget,
    pub top: Group,
    /// Objects so far.
    pub visited: usize,
    samplings: Vec<Sampling>,
    /// What headers refer to by number.
    texts: Vec<String>,
}

impl<'a> Archive<'a> {
    pub fn open(source: &'a Source<'a>) -> Result<Self> {
        let mut head = Bytes::new(source.name, source.bytes, 8, false);
        if source.bytes.get(5) != Some(&0xff) {
            return Err(ReadError::file(source.name, "it was not written to its end"));
        }
        let root = Group(head.u64("where the root is")?);
        let mut archive = Archive {
            source,
            budget: source.budget,
            top: Group(0),
            visited: 0,
            samplings: Vec::new(),
            texts: Vec::new(),
        };
        archive.top = archive.child_group(root, 2)?.ok_or_else(|| head.fail("it has no top object"))?;
        let mut bytes = archive.child_data(root, 4)?;
        while bytes.remaining() > 0 {
            bytes.u32("the most samples")?;
            let (cycle, count) = (bytes.f64("the time of a cycle")?, bytes.u32("the number of times")?);
            let count = bytes.room_for(count.into(), 8, "times")?;
            let times = (0..count).map(|_| bytes.f64("a time")).collect::<Result<Vec<f64>>>()?;
            archive
                .samplings
                .push(Sampling { cycle: if cycle.is_finite() && cycle < 1e9 { cycle } else { 0.0 }, times });
        }
        let mut bytes = archive.child_data(root, 5)?;
        archive.texts.push(String::new());
        while bytes.remaining() > 0 {
            let length = bytes.u8("the length of a text")?;
            archive.texts.push(String::from_utf8_lossy(bytes.take(length.into(), "a text")?).into_owned());
        }
        Ok(archive)
    }

    fn bytes(&self, at: u64) -> Result<Bytes<'a>> {
        let at = usize::try_from(at).ok().filter(|&at| at <= self.source.bytes.len());
        let at = at.ok_or_else(|| ReadError::file(self.source.name, "something of it lies beyond its end"))?;
        Ok(Bytes::new(self.source.name, self.source.bytes, at, false))
    }

    /// How many children a group has.
    pub fn count(&self, group: Group) -> Result<usize> {
        if group.0 == 0 {
            return Ok(0);
        }
        let mut bytes = self.bytes(group.0)?;
        let count = bytes.u64("the number of children")?;
        bytes.room_for(count, 8, "children")
    }

    fn child(&self, group: Group, at: usize) -> Result<Option<Child>> {
        if at >= self.count(group)? {
            return Ok(None);
        }
        let place = self.bytes(group.0 + 8 + 8 * at as u64)?.u64("a child")?;
        Ok(Some(if place & IS_DATA != 0 { Child::Data(place & !IS_DATA) } else { Child::Group(Group(place)) }))
    }

    pub fn child_group(&self, group: Group, at: usize) -> Result<Option<Group>> {
        Ok(match self.child(group, at)? {
            Some(Child::Group(group)) => Some(group),
            _ => None,
        })
    }

    /// The bytes of a child; none if it has none.
    pub fn child_data(&self, group: Group, at: usize) -> Result<Bytes<'a>> {
        let none = Bytes::new(self.source.name, &[], 0, false);
        match self.child(group, at)? {
            Some(Child::Data(place)) if place != 0 => {
                let mut bytes = self.bytes(place)?;
                let length = bytes.u64("the length of data")?;
                let length = bytes.room_for(length, 1, "bytes")?;
                let start = bytes.offset();
                Ok(Bytes::new(self.source.name, &self.source.bytes[..start + length], start, false))
            }
            _ => Ok(none),
        }
    }

    /// The objects in an object, with their names.
    pub fn children(&mut self, object: Group) -> Result<Vec<(Group, String)>> {
        let count = self.count(object)?;
        let mut out = Vec::new();
        if count < 2 {
            return Ok(out);
        }
        let mut headers = self.child_data(object, count - 1)?;
        // Behind the names come two hashes.
        for at in 1..count - 1 {
            if headers.remaining() <= 32 {
                break;
            }
            let name = self.name(&mut headers, 2)?;
            if headers.u8("what an object is")? == 255 {
                let length = headers.u32("the length of a text")?;
                headers.take(length as usize, "a text")?;
            }
            if let Some(group) = self.child_group(object, at)? {
                self.take(1, 64 + name.len())?;
                out.push((group, name));
            }
        }
        Ok(out)
    }

    /// The next name, whose length is 1, 2 or 4 bytes wide.
    pub fn name(&self, bytes: &mut Bytes, hint: u32) -> Result<String> {
        let length = self.sized(bytes, hint)?;
        Ok(String::from_utf8_lossy(bytes.take(length as usize, "a name")?).into_owned())
    }

    /// The next number, 1, 2 or 4 bytes wide.
    pub fn sized(&self, bytes: &mut Bytes, hint: u32) -> Result<u32> {
        let what = "a number of a header";
        Ok(match hint {
            0 => bytes.u8(what)?.into(),
            1 => bytes.u16(what)?.into(),
            _ => bytes.u32(what)?,
        })
    }

    pub fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }

    /// Takes memory for so many things.
    fn take(&mut self, count: usize, each: usize) -> Result<()> {
        let bytes = count.saturating_mul(each);
        self.budget.check(self.source.name, bytes)?;
        self.budget.hold(bytes);
        Ok(())
    }

    /// The bytes of every sample of a property that is stored, with their times, s.
    fn stored(&mut self, header: &Header) -> Result<Vec<(f64, Bytes<'a>)>> {
        let each = if header.shape == Shape::Array { 2 } else { 1 };
        let sampling = self.samplings.get(header.sampling as usize).cloned();
        let stored = self.count(header.group)? / each;
        self.take(stored, 64)?;
        let mut out = Vec::new();
        for at in 0..stored {
            let mut bytes = self.child_data(header.group, each * at)?;
            if bytes.remaining() > 0 {
                bytes.take(KEY, "the key of a sample")?;
            }
            // What does not change is stored once; else what is stored begins with the first that changes.
            let number = if at == 0 { 0 } else { header.first_changed as usize + at - 1 };
            out.push((sampling.as_ref().map_or(0.0, |sampling| sampling.at(number)), bytes));
        }
        // What was the same for a while was so until the sample before it changed.
        if header.first_changed > 1 && out.len() > 1 {
            let held = sampling.as_ref().map_or(0.0, |sampling| sampling.at(header.first_changed as usize - 1));
            let first = (held, out[0].1.clone());
            out.insert(1, first);
        }
        let increasing = out.is_sorted_by(|a, b| a.0 < b.0) && out.iter().all(|sample| sample.0.is_finite());
        out.truncate(if increasing { usize::MAX } else { 1 });
        Ok(out)
    }

    /// The numbers of every sample of a property, s.
    pub fn samples_of(&mut self, header: &Header) -> Result<Vec<(f64, Vec<f64>)>> {
        let mut out = Vec::new();
        for (time, mut bytes) in self.stored(header)? {
            let count = bytes.remaining() / header.number.size().max(1);
            self.take(count, 8)?;
            out.push((time, (0..count).map(|_| header.number.read(&mut bytes)).collect::<Result<Vec<f64>>>()?));
        }
        Ok(out)
    }

    /// The points of every sample of a property, s.
    pub fn points_of(&mut self, header: &Header) -> Result<Vec<(f64, Vec<[f32; 3]>)>> {
        let mut out = Vec::new();
        for (time, mut bytes) in self.stored(header)? {
            let count = bytes.remaining() / (3 * header.number.size().max(1));
            self.take(count, 12)?;
            let mut points = vec![[0.0; 3]; count];
            for x in points.as_flattened_mut() {
                *x = header.number.read(&mut bytes)? as f32;
            }
            out.push((time, points));
        }
        Ok(out)
    }
}
