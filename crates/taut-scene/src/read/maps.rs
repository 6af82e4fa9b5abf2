//! Painted maps: a number for every vertex, from a mesh file or from a list beside it.

use super::error::{ReadError, Result, count, quote};
use super::text::parse_number;

/// A number for every vertex of a surface, with the name it has in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Its name. Channels of colours and vectors are maps of their own: `COLOR_0.r`.
    pub name: String,
    /// By vertex; they need not be finite.
    pub values: Vec<f32>,
}

/// Maps of one file at most: each takes memory for every vertex.
pub(super) const MOST_MAPS: usize = 32;

impl Map {
    /// The smallest and the largest of its numbers; nothing without any that is one.
    pub fn range(&self) -> Option<[f32; 2]> {
        let numbers = self.values.iter().copied().filter(|value| !value.is_nan());
        numbers.fold(None, |range, value| {
            let [low, high] = range.unwrap_or([value; 2]);
            Some([low.min(value), high.max(value)])
        })
    }

    /// Whether it says how things look, and may be there for that alone.
    pub fn is_colour(&self) -> bool {
        let name = &self.name;
        name.starts_with("COLOR_") || matches!(name.as_str(), "red" | "green" | "blue" | "alpha" | "flags")
    }
}

/// The map of a name: that very name, or else the first that differs only in capitals and underscores at its beginning,
/// which programs add on their own.
pub fn find<'a>(maps: &'a [Map], name: &str) -> Option<&'a Map> {
    let plain = |name: &str| name.trim_start_matches('_').to_lowercase();
    let loose = || maps.iter().find(|map| plain(&map.name) == plain(name));
    maps.iter().find(|map| map.name == name).or_else(loose)
}

/// Maps under construction: columns that are as long as there are vertices.
#[derive(Default)]
pub(super) struct Columns {
    maps: Vec<Map>,
    rows: usize,
}

impl Columns {
    /// The number of the map of a name, made if it is new; nothing if there are too many.
    pub fn id(&mut self, name: &str) -> Option<usize> {
        if let Some(known) = self.maps.iter().position(|map| map.name == name) {
            return Some(known);
        }
        (self.maps.len() < MOST_MAPS).then(|| {
            self.maps.push(Map { name: name.to_owned(), values: vec![0.0; self.rows] });
            self.maps.len() - 1
        })
    }

    /// Adds rows of zeros.
    pub fn grow(&mut self, rows: usize) {
        self.rows += rows;
        self.maps.iter_mut().for_each(|map| map.values.resize(self.rows, 0.0));
    }

    /// Sets a number.
    pub fn set(&mut self, map: usize, row: usize, value: f32) {
        self.maps[map].values[row] = value;
    }

    /// A number.
    pub fn get(&self, map: usize, row: usize) -> f32 {
        self.maps[map].values[row]
    }

    /// Bytes of memory that they take.
    pub fn held(&self) -> usize {
        self.maps.iter().map(|map| super::budget::held(&map.values) + map.name.capacity()).sum()
    }

    /// The maps, and none of them twice.
    pub fn finish(self) -> Vec<Map> {
        self.maps
    }

    /// The maps so far.
    pub fn maps(&self) -> &[Map] {
        &self.maps
    }
}

/// A list of numbers out of a file beside a scene: NPY, or text with a number for every vertex on a line of its own. Of
/// several columns, parted by commas, semicolons or blanks, the one that the first line calls `column`, or else the
/// first.
pub fn read_list(file: &str, bytes: &[u8], column: Option<&str>) -> Result<Vec<f32>> {
    if bytes.starts_with(NPY) { read_npy(file, bytes) } else { read_csv(file, bytes, column) }
}

/// The parts of a line, one after the other: a line may be as long as its file.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    let separators: &[char] = if line.contains([',', ';']) { &[',', ';'] } else { &[' ', '\t'] };
    line.split(separators).map(|part| part.trim().trim_matches('"')).filter(|part| !part.is_empty())
}

fn read_csv(file: &str, bytes: &[u8], column: Option<&str>) -> Result<Vec<f32>> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let mut lines = lines.peekable();
    let head = lines.peek().map_or("", |(_, line)| line);
    let named = parts(head).any(|part| parse_number(part.as_bytes()).is_none());
    let at = match column {
        None => 0,
        Some(name) => parts(head)
            .position(|part| part == name)
            .filter(|_| named)
            .ok_or_else(|| ReadError::file(file, no_column(name, head, named)))?,
    };
    let mut out = Vec::new();
    for (number, line) in lines.skip(usize::from(named)) {
        let line_number = number as u64 + 1;
        let found = parts(line).nth(at).ok_or_else(|| {
            let there = count(parts(line).count(), "number", "numbers");
            ReadError::line(file, line_number, format!("found {there}, expected {}", at + 1))
        })?;
        let value = parse_number(found.as_bytes()).ok_or_else(|| {
            ReadError::line(file, line_number, format!("found {}, expected a number", quote(found.as_bytes())))
        })?;
        out.push(value as f32);
    }
    Ok(out)
}

/// Says which columns there are, the first of many.
fn no_column(name: &str, head: &str, named: bool) -> String {
    let some: Vec<String> = parts(head).take(20).map(|part| part.chars().take(40).collect()).collect();
    let more = if parts(head).nth(20).is_some() { ", …" } else { "" };
    let known =
        if named { format!("its columns: {}{more}", some.join(", ")) } else { "its first line names none".into() };
    format!("there is no column {}; {known}", quote(name.as_bytes()))
}

const NPY: &[u8] = b"\x93NUMPY";

/// NumPy's own format: one dimension, or others of 1.
fn read_npy(file: &str, bytes: &[u8]) -> Result<Vec<f32>> {
    let fail = |message: String| ReadError::file(file, message);
    let cut = || fail("the file ends within its header".into());
    let (length, start) = match bytes.get(6).ok_or_else(cut)? {
        1 => (u32::from(u16::from_le_bytes(bytes.get(8..10).and_then(|b| b.try_into().ok()).ok_or_else(cut)?)), 10),
        _ => (u32::from_le_bytes(bytes.get(8..12).and_then(|b| b.try_into().ok()).ok_or_else(cut)?), 12),
    };
    let header = bytes.get(start..start + length as usize).ok_or_else(cut)?;
    let header = String::from_utf8_lossy(header);
    let field = |name: &str| header.split(&format!("'{name}':")).nth(1).map(str::trim_start);
    let kind = field("descr").and_then(|text| text.split('\'').nth(1)).unwrap_or_default();
    let shape = field("shape").and_then(|text| text.strip_prefix('(')?.split(')').next()).unwrap_or_default();
    let sizes: Vec<usize> = shape.split(',').filter_map(|size| size.trim().parse().ok()).collect();
    let rows = sizes.iter().try_fold(1_usize, |all, &size| all.checked_mul(size)).unwrap_or(usize::MAX);
    if sizes.iter().filter(|&&size| size != 1).count() > 1 {
        return Err(fail(format!("its shape is ({shape}), expected one number for every vertex")));
    }
    let size = match kind {
        "<f8" | "<i8" | "<u8" => 8,
        "<f4" | "<i4" | "<u4" => 4,
        "<i2" | "<u2" => 2,
        "|b1" | "|u1" | "|i1" => 1,
        _ => {
            return Err(fail(format!(
                "its numbers are {}, expected little-endian ones such as '<f4'",
                quote(kind.as_bytes())
            )));
        }
    };
    let body = &bytes[start + length as usize..];
    if rows.checked_mul(size) != Some(body.len()) {
        return Err(fail(format!("it claims {rows} numbers of {size} bytes, but {} bytes follow", body.len())));
    }
    let number = |raw: &[u8]| -> f32 {
        let four = || [raw[0], raw[1], raw[2], raw[3]];
        let eight = || [raw[0], raw[1], raw[2], raw[3], raw[4], raw[5], raw[6], raw[7]];
        match kind {
            "<f8" => f64::from_le_bytes(eight()) as f32,
            "<i8" => i64::from_le_bytes(eight()) as f32,
            "<u8" => u64::from_le_bytes(eight()) as f32,
            "<f4" => f32::from_le_bytes(four()),
            "<i4" => i32::from_le_bytes(four()) as f32,
            "<u4" => u32::from_le_bytes(four()) as f32,
            "<i2" => f32::from(i16::from_le_bytes([raw[0], raw[1]])),
            "<u2" => f32::from(u16::from_le_bytes([raw[0], raw[1]])),
            "|i1" => f32::from(raw[0] as i8),
            _ => f32::from(raw[0]),
        }
    };
    Ok(body.chunks_exact(size).map(number).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(bytes: &[u8], column: Option<&str>) -> String {
        read_list("a", bytes, column).unwrap_err().to_string()
    }

    #[test]
    fn lists_of_text_are_read_with_and_without_names() {
        assert_eq!(read_list("a", b"0.5\n1\n\n-2e-1\n", None).unwrap(), [0.5, 1.0, -0.2]);
        let table = b"# made by hand\nname;pin;soft\n1;0;0.25\n2;1;0.5\n";
        assert_eq!(read_list("a", table, Some("soft")).unwrap(), [0.25, 0.5]);
        assert_eq!(read_list("a", table, None).unwrap(), [1.0, 2.0]);
        assert_eq!(read_list("a", b"", None).unwrap(), [0.0; 0]);
        assert!(said(table, Some("sot")).ends_with("there is no column \"sot\"; its columns: name, pin, soft"));
        assert!(said(b"1\n2\n", Some("pin")).contains("its first line names none"));
        assert_eq!(said(b"1\nx\n", None), "a:2: found \"x\", expected a number");
        assert_eq!(said(b"a,b\n1\n", Some("b")), "a:2: found 1 number, expected 2");
    }

    fn npy(kind: &str, shape: &str, body: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}\n");
        let mut out = NPY.to_vec();
        out.extend([1, 0]);
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(body);
        out
    }

    #[test]
    fn arrays_of_numpy_are_read_in_every_type_and_cut_nowhere() {
        let floats: Vec<u8> = [0.5_f32, 2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(read_list("a", &npy("<f4", "2,", &floats), None).unwrap(), [0.5, 2.0]);
        let doubles: Vec<u8> = [0.5_f64, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let whole = npy("<f8", "2, 1", &doubles);
        assert_eq!(read_list("a", &whole, None).unwrap(), [0.5, -2.0]);
        assert_eq!(read_list("a", &npy("|b1", "3,", &[1, 0, 1]), None).unwrap(), [1.0, 0.0, 1.0]);
        assert!(said(&npy("<f4", "2, 2", &floats), None).contains("its shape is (2, 2)"));
        assert!(said(&npy(">f4", "2,", &floats), None).contains("its numbers are \">f4\""));
        assert!(said(&npy("<f4", "3,", &floats), None).contains("it claims 3 numbers of 4 bytes, but 8 bytes follow"));
        (6..whole.len()).for_each(|length| assert!(read_list("a", &whole[..length], None).is_err(), "{length}"));
    }

    #[test]
    fn names_are_found_as_people_write_them() {
        let map = |name: &str| Map { name: name.into(), values: vec![1.0, f32::NAN, -2.0] };
        let maps = [map("_PIN"), map("pin"), map("Soft")];
        assert_eq!(find(&maps, "pin").unwrap().name, "pin");
        assert_eq!(find(&maps, "_Pin").unwrap().name, "_PIN");
        assert_eq!(find(&maps, "_soft").unwrap().name, "Soft");
        assert!(find(&maps, "sof").is_none());
        assert_eq!(maps[0].range(), Some([-2.0, 1.0]));
    }
}
