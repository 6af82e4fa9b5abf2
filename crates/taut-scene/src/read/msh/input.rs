//! Numbers of a section, whether text or binary: the section parsers are written once.

use crate::read::Source;
use crate::read::budget::Budget;
use crate::read::bytes::Bytes;
use crate::read::error::{ReadError, Result};
use crate::read::text::Scanner;

/// A file of either kind. In a binary file only the section names and some counts are text.
pub(super) struct Input<'a> {
    pub scanner: Scanner<'a>,
    file: &'a str,
    bytes: &'a [u8],
    budget: Budget,
    /// The binary data of the current section; absent in text files.
    data: Option<Bytes<'a>>,
    /// Bytes of a count or node number in binary files of version 4.
    size_bytes: usize,
}

impl<'a> Input<'a> {
    pub fn new(source: &Source<'a>) -> Self {
        let Source { name: file, bytes, budget, .. } = *source;
        Self { scanner: Scanner::new(file, bytes), file, bytes, budget, data: None, size_bytes: 8 }
    }

    /// Refuses to hold more memory than the file may take, bytes.
    pub fn check_memory(&self, held: usize) -> Result<()> {
        self.budget.check(self.file, held)
    }

    pub fn is_binary(&self) -> bool {
        self.data.is_some()
    }

    /// Reads the number 1 that tells the byte order.
    pub fn start_binary(&mut self, size_bytes: usize) -> Result<()> {
        self.size_bytes = size_bytes;
        self.data = Some(Bytes::new(self.file, self.bytes, 0, false));
        self.begin_data();
        let data = self.data.as_mut().expect("just set");
        let one = data.i32("the byte order mark")?;
        data.big_endian = match one {
            1 => false,
            0x0100_0000 => true,
            _ => return Err(data.fail(format!("the byte order mark is {one:#x}, expected 1 in either byte order"))),
        };
        self.end_data();
        Ok(())
    }

    /// What follows the current line is data.
    pub fn begin_data(&mut self) {
        if let Some(data) = &mut self.data {
            self.scanner.next_line();
            *data = Bytes::new(self.file, self.bytes, self.scanner.offset(), data.big_endian);
        }
    }

    /// What follows the data is text.
    pub fn end_data(&mut self) {
        if let Some(data) = &self.data {
            self.scanner.jump(data.offset());
        }
    }

    /// A tag, a type or a small number.
    pub fn int(&mut self, what: &str) -> Result<i64> {
        match &mut self.data {
            Some(data) => data.i32(what).map(i64::from),
            None => self.scanner.integer(what),
        }
    }

    /// A node's or element's number in version 4.
    pub fn number(&mut self, what: &str) -> Result<i64> {
        match &mut self.data {
            Some(data) if self.size_bytes == 4 => data.u32(what).map(i64::from),
            // Numbers beyond i64 do not occur; wrapped, they match no node and are reported as such.
            Some(data) => data.u64(what).map(|n| n as i64),
            None => self.scanner.integer(what),
        }
    }

    /// A count in version 4, of things that take at least so many bytes each.
    pub fn count(&mut self, what: &str, least_text: usize, least_binary: usize) -> Result<usize> {
        let size_bytes = self.size_bytes;
        match &mut self.data {
            Some(data) => {
                let found = if size_bytes == 4 { data.u32(what)?.into() } else { data.u64(what)? };
                data.room_for(found, least_binary, what)
            }
            None => self.scanner.count(what, least_text),
        }
    }

    /// Checks that the rest of the section can hold so many things.
    pub fn room_for(&self, found: i64, least_binary: usize, what: &str) -> Result<usize> {
        match (&self.data, u64::try_from(found)) {
            (_, Err(_)) => Err(self.fail(format!("the number of {what} is {found}, expected 0 or more"))),
            (Some(data), Ok(found)) => data.room_for(found, least_binary, what),
            (None, Ok(found)) if found as usize <= self.scanner.remaining() / 2 + 1 => Ok(found as usize),
            (None, Ok(_)) => {
                Err(self.fail(format!("the file claims {found} {what}, too many for the bytes that follow")))
            }
        }
    }

    /// A coordinate.
    pub fn coordinate(&mut self, what: &str) -> Result<f64> {
        match &mut self.data {
            Some(data) => data.finite(true, what),
            None => self.scanner.number(what),
        }
    }

    /// A number without meaning to us.
    pub fn skip_float(&mut self, what: &str) -> Result<()> {
        match &mut self.data {
            Some(data) => data.take(8, what).map(|_| ()),
            None => self.scanner.expect_word(what).map(|_| ()),
        }
    }

    /// Goes behind the end of a section we do not know.
    pub fn skip_section(&mut self, name: &[u8]) -> Result<()> {
        let end = [b"$End", name].concat();
        let rest = &self.bytes[self.scanner.offset()..];
        if !self.is_binary() {
            while self.scanner.next_line() {
                if self.scanner.word() == Some(&end) {
                    return Ok(());
                }
            }
        } else if let Some(at) = rest.windows(end.len()).position(|window| window == end) {
            self.scanner.jump(self.scanner.offset() + at + end.len());
            return Ok(());
        }
        Err(self.scanner.fail(format!("the file ends before {}", String::from_utf8_lossy(&end))))
    }

    /// An error where the last number was read.
    pub fn fail(&self, message: impl Into<String>) -> ReadError {
        match &self.data {
            Some(data) => data.fail(message),
            None => self.scanner.fail(message),
        }
    }
}
