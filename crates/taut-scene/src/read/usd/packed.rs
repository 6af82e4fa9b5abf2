//! What binary USD is packed with: LZ4 blocks, and whole numbers as differences of one, two or four bytes.

use crate::read::budget::Budget;
use crate::read::bytes::Bytes;
use crate::read::error::{ReadError, Result};

/// Unpacks a list of blocks of LZ4 that comes to no more than `most` bytes.
pub(super) fn unpack(file: &str, packed: &[u8], most: usize, budget: &Budget) -> Result<Vec<u8>> {
    budget.check(file, most)?;
    let mut out = Vec::with_capacity(most);
    let mut bytes = Bytes::new(file, packed, 0, false);
    match bytes.u8("the number of blocks")? {
        0 => block(file, &packed[1..], most, &mut out)?,
        blocks => {
            for _ in 0..blocks {
                let length = bytes.i32("the length of a block")?;
                let length = usize::try_from(length).map_err(|_| bytes.fail("a block has a negative length"))?;
                block(file, bytes.take(length, "a block")?, most, &mut out)?;
            }
        }
    }
    Ok(out)
}

/// One block: runs of bytes, each followed by a repetition of what came before.
fn block(file: &str, packed: &[u8], most: usize, out: &mut Vec<u8>) -> Result<()> {
    let mut bytes = Bytes::new(file, packed, 0, false);
    let start = out.len();
    let long = |bytes: &mut Bytes, short: u8| -> Result<usize> {
        let mut length = usize::from(short);
        if short == 15 {
            loop {
                let more = bytes.u8("a length in a packed block")?;
                length += usize::from(more);
                if more < 255 {
                    break;
                }
            }
        }
        Ok(length)
    };
    let full = || ReadError::file(file, "a packed block holds more than it says");
    while bytes.remaining() > 0 {
        let token = bytes.u8("a packed block")?;
        let literal = long(&mut bytes, token >> 4)?;
        let taken = bytes.take(literal, "a packed block")?;
        if out.len() + literal > most {
            return Err(full());
        }
        out.extend_from_slice(taken);
        if bytes.remaining() == 0 {
            break;
        }
        let back = usize::from(bytes.u16("a distance in a packed block")?);
        let length = long(&mut bytes, token & 15)? + 4;
        if back == 0 || back > out.len() - start {
            return Err(ReadError::file(file, "a packed block repeats what was not there"));
        }
        if out.len() + length > most {
            return Err(full());
        }
        for _ in 0..length {
            out.push(out[out.len() - back]);
        }
    }
    Ok(())
}

/// The next `count` whole numbers, which are packed behind their length in bytes.
pub(super) fn ints(bytes: &mut Bytes, file: &str, count: usize, budget: &Budget) -> Result<Vec<i32>> {
    let length = bytes.u64("the length of packed numbers")?;
    let length = bytes.room_for(length, 1, "bytes of packed numbers")?;
    let packed = bytes.take(length, "packed numbers")?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let most = count.saturating_mul(4).saturating_add(4 + count.div_ceil(4));
    budget.check(file, most.saturating_add(count.saturating_mul(4)))?;
    let plain = unpack(file, packed, most, budget)?;
    let mut head = Bytes::new(file, &plain, 0, false);
    let common = head.i32("the most frequent difference")?;
    let codes = head.take(count.div_ceil(4), "the widths of packed numbers")?;
    let (mut out, mut last) = (Vec::with_capacity(count), 0i32);
    for at in 0..count {
        let what = "a packed number";
        let difference = match (codes[at / 4] >> (2 * (at % 4))) & 3 {
            0 => common,
            1 => i32::from(head.i8(what)?),
            2 => i32::from(head.i16(what)?),
            _ => head.i32(what)?,
        };
        last = last.wrapping_add(difference);
        out.push(last);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::budget::Memory;

    fn roomy() -> Budget {
        Budget::new(Memory::default(), 0)
    }

    #[test]
    fn repetitions_may_overlap_what_they_make() {
        // One byte, then twelve repetitions of it, then two bytes.
        let packed = [0, 0x18, b'a', 1, 0, 0x20, b'b', b'c'];
        assert_eq!(unpack("a", &packed, 64, &roomy()).unwrap(), b"aaaaaaaaaaaaabc");
        let said = unpack("a", &packed, 8, &roomy()).unwrap_err().to_string();
        assert!(said.contains("more than it says"), "{said}");
        let said = unpack("a", &[0, 0x14, b'a', 2, 0], 64, &roomy()).unwrap_err().to_string();
        assert!(said.contains("what was not there"), "{said}");
    }

    #[test]
    fn numbers_are_sums_of_differences() {
        // 5 twice by the frequent difference of 5, then −100 by a byte, 300 by two, 100000 by four.
        let mut plain = 5i32.to_le_bytes().to_vec();
        plain.extend([0b1001_0000, 0b11]);
        plain.extend((-110i8).to_le_bytes());
        plain.extend(400i16.to_le_bytes());
        plain.extend(99_700i32.to_le_bytes());
        let mut packed = vec![0, (plain.len() as u8) << 4];
        packed[1] = 0xd0;
        assert_eq!(plain.len(), 13);
        packed.extend(&plain);
        let mut file = (packed.len() as u64).to_le_bytes().to_vec();
        file.extend(&packed);
        let read = ints(&mut Bytes::new("a", &file, 0, false), "a", 5, &roomy()).unwrap();
        assert_eq!(read, [5, 10, -100, 300, 100_000]);
    }
}
