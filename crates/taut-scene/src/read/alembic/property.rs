//! Properties of Alembic: headers that say what each is, and numbers of every kind.

use super::ogawa::{Archive, Group};
use crate::read::bytes::Bytes;
use crate::read::error::Result;
use crate::read::sampled::On;
use glam::{DMat4, DVec3};

/// Whether a property has others in it, a few numbers, or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Compound,
    Scalar,
    Array,
}

/// Kinds of numbers, by their number in headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number(u32);

impl Number {
    pub fn size(self) -> usize {
        [1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8].get(self.0 as usize).copied().unwrap_or(0)
    }

    pub fn read(self, bytes: &mut Bytes) -> Result<f64> {
        let what = "a number";
        Ok(match self.0 {
            0 | 1 => bytes.u8(what)?.into(),
            2 => bytes.i8(what)?.into(),
            3 => bytes.u16(what)?.into(),
            4 => bytes.i16(what)?.into(),
            5 => bytes.u32(what)?.into(),
            6 => bytes.i32(what)?.into(),
            7 => bytes.u64(what)? as f64,
            8 => bytes.i64(what)? as f64,
            10 => bytes.f32(what)?.into(),
            11 => bytes.f64(what)?,
            _ => {
                bytes.take(self.size(), what)?;
                f64::NAN
            }
        })
    }
}

/// What a property is.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub name: String,
    pub group: Group,
    pub shape: Shape,
    pub number: Number,
    /// Numbers that belong together.
    pub extent: usize,
    /// Which of the file's times it has.
    pub sampling: u32,
    /// The first sample that differs from the one before.
    pub first_changed: u32,
    meta: String,
}

impl Header {
    pub fn is_number(&self) -> bool {
        self.number.size() > 0
    }

    /// What has a number each.
    pub fn scope(&self) -> Option<On> {
        let scope = self.meta.split(';').find_map(|part| part.strip_prefix("geoScope="))?;
        Some(match scope {
            "con" => On::Mesh,
            "uni" => On::Faces,
            "fvr" => On::Corners,
            _ => On::Vertices,
        })
    }
}

/// Properties side by side.
pub(super) struct Properties {
    pub headers: Vec<Header>,
}

/// Bits of a header.
const HAS_SAMPLING: u32 = 0x100;
const HAS_CHANGES: u32 = 0x200;
const CONSTANT: u32 = 0x800;
/// Properties side by side, at most.
const MOST: usize = 1 << 12;

impl Properties {
    pub fn read(archive: &Archive, group: Group) -> Result<Self> {
        let count = archive.count(group)?;
        let mut headers = Vec::new();
        if count < 2 {
            return Ok(Properties { headers });
        }
        let mut bytes = archive.child_data(group, count - 1)?;
        for at in 0..(count - 1).min(MOST) {
            if bytes.remaining() == 0 {
                break;
            }
            let info = bytes.u32("what a property is")?;
            let hint = (info >> 2) & 3;
            let shape = match info & 3 {
                0 => Shape::Compound,
                1 => Shape::Scalar,
                _ => Shape::Array,
            };
            let (mut sampling, mut first_changed) = (0, 1);
            if shape != Shape::Compound {
                archive.sized(&mut bytes, hint)?;
                if info & HAS_CHANGES != 0 {
                    first_changed = archive.sized(&mut bytes, hint)?;
                    archive.sized(&mut bytes, hint)?;
                }
                if info & HAS_SAMPLING != 0 {
                    sampling = archive.sized(&mut bytes, hint)?;
                }
                first_changed = if info & CONSTANT != 0 { 0 } else { first_changed.max(1) };
            }
            let name = archive.name(&mut bytes, hint)?;
            let meta = match info >> 20 & 255 {
                255 => archive.name(&mut bytes, hint)?,
                number => archive.text(number).to_owned(),
            };
            let Some(group) = archive.child_group(group, at)? else { continue };
            let (number, extent) = (Number(info >> 4 & 15), (info >> 12 & 255) as usize);
            headers.push(Header { name, group, shape, number, extent, sampling, first_changed, meta });
        }
        Ok(Properties { headers })
    }

    pub fn find(&self, name: &str) -> Option<&Header> {
        self.headers.iter().find(|header| header.name == name)
    }

    /// The properties in one.
    pub fn compound(&self, archive: &Archive, name: &str) -> Result<Option<Properties>> {
        let inner = self.find(name).filter(|header| header.shape == Shape::Compound);
        inner.map(|header| Properties::read(archive, header.group)).transpose()
    }
}

/// The matrix of one operation of a transform; its numbers are complete.
pub(super) fn operation(kind: u8, numbers: &[f64]) -> DMat4 {
    let three = || DVec3::new(numbers[0], numbers[1], numbers[2]);
    let radians = |at: usize| numbers[at].to_radians();
    match kind {
        0 => DMat4::from_scale(three()),
        1 => DMat4::from_translation(three()),
        2 => DMat4::from_axis_angle(three().normalize_or(DVec3::Y), radians(3)),
        3 => DMat4::from_cols_array(&std::array::from_fn(|k| numbers[k])),
        4 => DMat4::from_rotation_x(radians(0)),
        5 => DMat4::from_rotation_y(radians(0)),
        _ => DMat4::from_rotation_z(radians(0)),
    }
}
