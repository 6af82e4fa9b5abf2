//! VTU (unstructured grids of VTK, for ParaView) per object and frame, and a PVD that lists them with their times.
//!
//! This is the format for study: everything is kept in double precision, fields on triangles and tetrahedra as cell
//! data, velocities and fields on vertices as point data. Arrays are base64 within the XML, each behind its length.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::atomic::{inside, write_atomic};
use super::sequence::{Part, Sequence};
use super::{Clip, FieldOn, Format, Frame, FrameWriter, Holds, WriteError};

pub(crate) const FORMAT: Format = Format {
    name: "vtu",
    about: "VTK grids with all fields in double precision, for ParaView",
    holds: Holds::All,
    files: "scene.pvd and vtu/NAME_0000.vtu, vtu/NAME_0001.vtu…",
    names: |_| vec![INDEX.into()],
    spool: None,
    check: super::anything,
    open,
};

const INDEX: &str = "scene.pvd";
const TRIANGLE: u8 = 5;
const TETRAHEDRON: u8 = 10;

struct Vtu {
    clip: Arc<Clip>,
    dir: PathBuf,
    grids: Sequence,
    /// The time of each frame, s.
    times: Vec<f64>,
}

fn open(clip: &Arc<Clip>, dir: &Path, start: usize) -> Result<Box<dyn FrameWriter>, WriteError> {
    let times = if start == 0 { Vec::new() } else { read_times(dir, start)? };
    let grids = Sequence::open(clip, dir, start, "vtu", encode)?;
    Ok(Box::new(Vtu { clip: clip.clone(), dir: dir.into(), grids, times }))
}

impl FrameWriter for Vtu {
    fn frame(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.grids.frame(frame)?;
        self.times.push(frame.time);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        self.write_index().map(|_| ())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<PathBuf>, WriteError> {
        self.sync()?;
        let mut paths = vec![self.dir.join(INDEX)];
        paths.extend(Box::new(self.grids).finish()?);
        Ok(paths)
    }
}

impl Vtu {
    fn write_index(&self) -> Result<PathBuf, WriteError> {
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n",
        );
        for (frame, time) in self.times.iter().enumerate() {
            for (part, object) in self.clip.objects().iter().enumerate() {
                let (name, file) = (escaped(&object.name), escaped(&self.grids.name(part, frame)));
                let _ = writeln!(
                    text,
                    "<DataSet timestep=\"{time}\" part=\"{part}\" name=\"{name}\" file=\"vtu/{file}\"/>"
                );
            }
        }
        text += "</Collection>\n</VTKFile>\n";
        write_atomic(&self.dir, INDEX, text.as_bytes())
    }
}

/// Finds the times of the first `count` frames in the list an earlier run left.
fn read_times(dir: &Path, count: usize) -> Result<Vec<f64>, WriteError> {
    let path = inside(dir, INDEX)?;
    let text = fs::read_to_string(&path).map_err(WriteError::io("open", &path))?;
    let of_first_object = |line: &str| {
        let (time, rest) = line.strip_prefix("<DataSet timestep=\"")?.split_once('"')?;
        rest.starts_with(" part=\"0\"").then(|| time.parse().ok())?
    };
    let times: Vec<f64> = text.lines().filter_map(of_first_object).take(count).collect();
    if times.len() < count {
        return Err(WriteError::resume(&path, format!("it lists {} frames, {count} are needed", times.len())));
    }
    Ok(times)
}

fn encode(part: &Part) -> Vec<u8> {
    let info = &part.clip.objects()[part.object];
    let cells = info.triangles.len() + info.tets.len();
    let mut out = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">\n<UnstructuredGrid>\n",
    );
    let _ = writeln!(out, "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{cells}\">", info.rest.len());
    out += "<Points>\n";
    doubles(&mut out, "Points", 3, part.frame.positions.as_flattened().iter().copied());
    out += "</Points>\n<Cells>\n";
    put_cells(&mut out, &info.triangles, &info.tets);
    out += "</Cells>\n<PointData>\n";
    if info.velocities {
        doubles(&mut out, "velocity", 3, part.frame.velocities.as_flattened().iter().copied());
    }
    let fields = || info.fields.iter().zip(part.frame.fields);
    for (field, values) in fields().filter(|(field, _)| field.on == FieldOn::Vertices) {
        doubles(&mut out, &field.name, 1, values.iter().copied());
    }
    out += "</PointData>\n<CellData>\n";
    // A body may have both kinds of cells; where a field does not apply it has no value.
    let missing = |count: usize| std::iter::repeat_n(f64::NAN, count);
    for (field, values) in fields() {
        let values = values.iter().copied();
        match field.on {
            FieldOn::Vertices => {}
            FieldOn::Triangles => doubles(&mut out, &field.name, 1, values.chain(missing(info.tets.len()))),
            FieldOn::Tets => doubles(&mut out, &field.name, 1, missing(info.triangles.len()).chain(values)),
        }
    }
    out += "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
    out.into_bytes()
}

/// Triangles first, then tetrahedra. Indices fit 32 bits since every clip's do; the offsets need not.
fn put_cells(out: &mut String, triangles: &[[u32; 3]], tets: &[[u32; 4]]) {
    let corners = triangles.as_flattened().iter().chain(tets.as_flattened());
    array(out, "Int32", "connectivity", 1, corners.map(|i| i.to_le_bytes()));
    let after_triangles = triangles.len() as i64 * 3;
    let offsets = (1..=triangles.len() as i64).map(|n| n * 3);
    let offsets = offsets.chain((1..=tets.len() as i64).map(|n| after_triangles + n * 4));
    array(out, "Int64", "offsets", 1, offsets.map(i64::to_le_bytes));
    let types = std::iter::repeat_n(TRIANGLE, triangles.len()).chain(std::iter::repeat_n(TETRAHEDRON, tets.len()));
    array(out, "UInt8", "types", 1, types.map(u8::to_le_bytes));
}

fn doubles(out: &mut String, name: &str, components: usize, values: impl Iterator<Item = f64>) {
    array(out, "Float64", name, components, values.map(f64::to_le_bytes));
}

fn array<const N: usize>(
    out: &mut String,
    kind: &str,
    name: &str,
    components: usize,
    items: impl Iterator<Item = [u8; N]>,
) {
    let mut data = vec![0; 8];
    items.for_each(|item| data.extend_from_slice(&item));
    let length = data.len() as u64 - 8;
    data[..8].copy_from_slice(&length.to_le_bytes());
    let _ = write!(out, "<DataArray type=\"{kind}\" Name=\"{}\" ", escaped(name));
    // Said only where there are several: some readers take "1" for a table of one column.
    if components > 1 {
        let _ = write!(out, "NumberOfComponents=\"{components}\" ");
    }
    *out += "format=\"binary\">";
    base64(out, &data);
    *out += "</DataArray>\n";
}

/// Base64 with padding, RFC 4648.
fn base64(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = |[a, b, c]: [u8; 3]| {
        let word = u32::from_be_bytes([0, a, b, c]) as usize;
        [18, 12, 6, 0].map(|shift| DIGITS[word >> shift & 63])
    };
    // Filled in place: pushing characters to a string one by one took most of the time of writing a file.
    let mut text = vec![b'='; bytes.len().div_ceil(3) * 4];
    let (words, rest) = bytes.as_chunks::<3>();
    let places = text.as_chunks_mut::<4>().0;
    places.iter_mut().zip(words).for_each(|(place, word)| *place = digits(*word));
    if !rest.is_empty() {
        let mut last = [0; 3];
        last[..rest.len()].copy_from_slice(rest);
        // Six bits per digit: one byte needs two of them, two bytes three; the padding stays.
        places[words.len()][..=rest.len()].copy_from_slice(&digits(last)[..=rest.len()]);
    }
    *out += &String::from_utf8_lossy(&text);
}

/// Text for an XML attribute. Characters that XML cannot hold become spaces.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::testing::{Fixture, TempDir};

    fn decode(text: &str) -> Vec<u8> {
        let digit = |c: u8| match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => 0,
            _ => panic!("{c} is no base64 digit"),
        };
        let pad = text.bytes().rev().take_while(|&c| c == b'=').count();
        let words = text.as_bytes().as_chunks::<4>();
        assert!(words.1.is_empty() && pad < 3);
        let mut bytes: Vec<u8> = words
            .0
            .iter()
            .flat_map(|word| {
                let [_, a, b, c] = word.iter().fold(0, |sum, &c| sum << 6 | u32::from(digit(c))).to_be_bytes();
                [a, b, c]
            })
            .collect();
        bytes.truncate(bytes.len() - pad);
        bytes
    }

    /// The bytes of the named array, behind a length that must be right.
    fn bytes_of(text: &str, section: &str, name: &str, kind: &str, components: usize) -> Vec<u8> {
        let (_, text) = text.split_once(&format!("<{section}>\n")).unwrap();
        let (text, _) = text.split_once(&format!("</{section}>\n")).unwrap();
        let several = if components > 1 { format!("NumberOfComponents=\"{components}\" ") } else { String::new() };
        let tag = format!("<DataArray type=\"{kind}\" Name=\"{name}\" {several}format=\"binary\">");
        let (_, text) = text.split_once(&tag).unwrap_or_else(|| panic!("no {tag} in {section}"));
        let bytes = decode(text.split_once("</DataArray>").unwrap().0);
        let (length, bytes) = bytes.split_first_chunk().unwrap();
        assert_eq!(u64::from_le_bytes(*length), bytes.len() as u64);
        bytes.to_vec()
    }

    fn doubles_of(text: &str, section: &str, name: &str, components: usize) -> Vec<f64> {
        let bytes = bytes_of(text, section, name, "Float64", components);
        bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect()
    }

    fn corners_of(text: &str) -> Vec<i32> {
        let bytes = bytes_of(text, "Cells", "connectivity", "Int32", 1);
        bytes.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b)).collect()
    }

    fn offsets_of(text: &str) -> Vec<i64> {
        let bytes = bytes_of(text, "Cells", "offsets", "Int64", 1);
        bytes.as_chunks().0.iter().map(|b| i64::from_le_bytes(*b)).collect()
    }

    fn written(fixture: &Fixture) -> Vec<String> {
        let dir = TempDir::new("vtu");
        let paths = fixture.write("vtu", dir.path(), 0..2).unwrap();
        paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }

    #[test]
    fn base64_matches_the_rfc() {
        let encoded = |text: &str| {
            let mut out = String::new();
            base64(&mut out, text.as_bytes());
            out
        };
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (len, expected) in expected.into_iter().enumerate() {
            assert_eq!(encoded(&"foobar"[..len]), expected);
            assert_eq!(decode(expected), "foobar".as_bytes()[..len]);
        }
    }

    #[test]
    fn a_surface_comes_back_with_its_strains() {
        let fixture = Fixture::quad();
        let text = &written(&fixture)[2];
        assert!(text.contains("NumberOfPoints=\"4\" NumberOfCells=\"2\""));
        assert_eq!(doubles_of(text, "Points", "Points", 3), fixture.positions(0, 1).as_flattened());
        assert_eq!(corners_of(text), [0, 1, 2, 2, 1, 3]);
        assert_eq!(offsets_of(text), [3, 6]);
        assert_eq!(bytes_of(text, "Cells", "types", "UInt8", 1), [5, 5]);
        for (field, name) in ["weft", "warp", "shear", "area"].iter().enumerate() {
            let expected = [0, 1].map(|triangle| Fixture::value(field, triangle, 1));
            assert_eq!(doubles_of(text, "CellData", name, 1), expected);
        }
        assert_eq!(doubles_of(text, "PointData", "velocity", 3)[3..6], [0.0, 6.0, 0.0]);
    }

    #[test]
    fn tetrahedra_stay_tetrahedra() {
        let text = &written(&Fixture::tets())[1];
        assert_eq!(corners_of(text), [0, 1, 2, 3, 4, 1, 3, 2]);
        assert_eq!(offsets_of(text), [4, 8]);
        assert_eq!(bytes_of(text, "Cells", "types", "UInt8", 1), [10, 10]);
        assert_eq!(doubles_of(text, "CellData", "volume", 1), [0.0, 0.01]);
        assert_eq!(doubles_of(text, "PointData", "heat", 1).len(), 5);
    }

    #[test]
    fn a_field_has_no_value_where_it_does_not_apply() {
        let mut fixture = Fixture::tets();
        fixture.setup.objects[0].triangles = vec![[0, 2, 1]];
        fixture.setup.objects[0].fields.push(super::super::FieldInfo { name: "weft".into(), on: FieldOn::Triangles });
        let text = &written(&fixture)[1];
        assert_eq!(offsets_of(text), [3, 7, 11]);
        assert_eq!(bytes_of(text, "Cells", "types", "UInt8", 1), [5, 10, 10]);
        let (weft, volume) = (doubles_of(text, "CellData", "weft", 1), doubles_of(text, "CellData", "volume", 1));
        assert!(weft[0] == 0.2 && weft[1].is_nan() && weft[2].is_nan());
        assert!(volume[0].is_nan() && volume[1..] == [0.0, 0.01]);
    }

    #[test]
    fn the_list_has_every_file_with_its_time() {
        let mut fixture = Fixture::both();
        fixture.setup.objects[0].name = "a\"<&>\u{1}".into();
        let expected = format!(
            "<DataSet timestep=\"{time}\" part=\"0\" name=\"a&quot;&lt;&amp;&gt; \" file=\"vtu/a______0001.vtu\"/>\n\
             <DataSet timestep=\"{time}\" part=\"1\" name=\"body\" file=\"vtu/body_0001.vtu\"/>\n",
            time = Fixture::time(1)
        );
        let list = &written(&fixture)[0];
        assert!(list.contains(&expected), "{list}");
        assert_eq!(list.matches("<DataSet").count(), 4);
    }
}
