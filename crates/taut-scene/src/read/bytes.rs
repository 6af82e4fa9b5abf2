//! Numbers in binary files, of either byte order, never past the end.

use super::error::{ReadError, Result};

/// Walks over binary data.
#[derive(Clone)]
pub(crate) struct Bytes<'a> {
    file: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Whether numbers have their most significant byte first.
    pub big_endian: bool,
}

macro_rules! numbers {
    ($($name:ident $type:ty;)*) => {$(
        pub fn $name(&mut self, what: &str) -> Result<$type> {
            let raw = self.array(what)?;
            Ok(if self.big_endian { <$type>::from_be_bytes(raw) } else { <$type>::from_le_bytes(raw) })
        }
    )*};
}

impl<'a> Bytes<'a> {
    /// Starts at a byte of a file. Offsets in errors count from the start of `bytes`.
    pub fn new(file: &'a str, bytes: &'a [u8], at: usize, big_endian: bool) -> Self {
        Self { file, bytes, at: at.min(bytes.len()), big_endian }
    }

    numbers! { u8 u8; i8 i8; u16 u16; i16 i16; u32 u32; i32 i32; u64 u64; i64 i64; f32 f32; f64 f64; }

    /// Where the next byte comes from.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Bytes not yet read.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `length` bytes.
    pub fn take(&mut self, length: usize, what: &str) -> Result<&'a [u8]> {
        if length > self.remaining() {
            let left = self.remaining();
            return Err(self.fail(format!("the file ends within {what}: it needs {length} bytes, {left} are left")));
        }
        let taken = &self.bytes[self.at..self.at + length];
        self.at += length;
        Ok(taken)
    }

    /// A finite number.
    pub fn finite(&mut self, double: bool, what: &str) -> Result<f64> {
        let at = self.at;
        let value = if double { self.f64(what)? } else { f64::from(self.f32(what)?) };
        if value.is_finite() {
            return Ok(value);
        }
        Err(ReadError::byte(self.file, at, format!("{what} is {value}, expected a finite number")))
    }

    /// Checks that `count` things of at least `least_bytes` each fit into the rest of the file.
    pub fn room_for(&self, count: u64, least_bytes: usize, what: &str) -> Result<usize> {
        let fits = count.checked_mul(least_bytes as u64).is_some_and(|total| total <= self.remaining() as u64);
        if fits && let Ok(count) = usize::try_from(count) {
            return Ok(count);
        }
        let left = self.remaining();
        Err(self.fail(format!("the file claims {count} {what}, but only {left} bytes follow, too few for that many")))
    }

    /// An error at the next byte.
    pub fn fail(&self, message: impl Into<String>) -> ReadError {
        ReadError::byte(self.file, self.at, message)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut raw = [0; N];
        raw.copy_from_slice(self.take(N, what)?);
        Ok(raw)
    }
}
