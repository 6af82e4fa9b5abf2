//! Checkpoints: the state of a run at a frame, from which it can go on.
//!
//! Little-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `TAUTCHKP` |
//! | 4 | version |
//! | 4 | number of arrays |
//! | 8 | hash of the scene's text |
//! | 8 | frame: the next one to compute |
//! | 8 | time, s, double |
//! | per array | name length (4), name (UTF-8), kind (1), number of elements (8), elements |
//! | 8 | hash of all bytes before |
//!
//! What the arrays mean is up to whoever stores them; the file only promises that they come back bit by bit.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::WriteError;
use super::atomic::write_atomic;
use super::hash::hash64;
use crate::read::load_regular;

const MAGIC: &[u8; 8] = b"TAUTCHKP";
const VERSION: u32 = 1;
const HEADER_LEN: usize = 40;

/// Numbers or bytes under a name.
#[derive(Clone, Debug)]
pub enum Array {
    /// Anything.
    Bytes(Vec<u8>),
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// 32-bit integers.
    U32(Vec<u32>),
    /// 64-bit integers.
    U64(Vec<u64>),
}

/// A kind of array that a checkpoint can hold.
pub trait Element: Sized {
    /// Wraps values of this kind.
    fn wrap(values: Vec<Self>) -> Array;
    /// The values, if they are of this kind.
    fn unwrap(array: Array) -> Option<Vec<Self>>;
}

/// The one list of kinds: what a kind is called in [`Array`], its type, and its number in the file.
macro_rules! kinds {
    ($($kind:ident $type:ty = $code:literal),*) => {
        impl Array {
            fn code(&self) -> u8 {
                match self { $(Self::$kind(_) => $code),* }
            }

            fn len(&self) -> usize {
                match self { $(Self::$kind(values) => values.len()),* }
            }

            fn put(&self, out: &mut Vec<u8>) {
                match self { $(Self::$kind(values) => out.extend(values.iter().flat_map(|v| v.to_le_bytes()))),* }
            }

            /// Bytes per element; `None` for an unknown kind.
            fn width(code: u8) -> Option<usize> {
                match code { $($code => Some(size_of::<$type>()),)* _ => None }
            }

            fn get(code: u8, bytes: &[u8]) -> Option<Self> {
                match code {
                    $($code => {
                        let elements = bytes.as_chunks::<{ size_of::<$type>() }>().0;
                        Some(Self::$kind(elements.iter().map(|b| <$type>::from_le_bytes(*b)).collect()))
                    })*
                    _ => None,
                }
            }
        }

        $(impl Element for $type {
            fn wrap(values: Vec<Self>) -> Array {
                Array::$kind(values)
            }

            fn unwrap(array: Array) -> Option<Vec<Self>> {
                match array { Array::$kind(values) => Some(values), _ => None }
            }
        })*
    };
}

kinds!(Bytes u8 = 0, F32 f32 = 1, F64 f64 = 2, U32 u32 = 3, U64 u64 = 4);

/// The state of a run.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The hash of the scene's text, see [`hash64`].
    pub scene: u64,
    /// The next frame to compute.
    pub frame: u64,
    /// The time reached, s.
    pub time: f64,
    arrays: Vec<(String, Array)>,
    /// Where it was read from, for errors.
    path: PathBuf,
}

impl Checkpoint {
    /// An empty checkpoint.
    pub fn new(scene: u64, frame: u64, time: f64) -> Self {
        Self { scene, frame, time, arrays: Vec::new(), path: PathBuf::new() }
    }

    /// Stores values under a name; they replace any of the same name.
    pub fn put<T: Element>(&mut self, name: &str, values: Vec<T>) {
        self.arrays.retain(|(taken, _)| taken != name);
        self.arrays.push((name.into(), T::wrap(values)));
    }

    /// Takes out the values under a name; it is an error if there are none, or of another kind.
    pub fn take<T: Element>(&mut self, name: &str) -> Result<Vec<T>, CheckpointError> {
        let Some(at) = self.arrays.iter().position(|(found, _)| found == name) else {
            return Err(self.unusable(format!("it has no array {name:?}")));
        };
        let (_, array) = self.arrays.swap_remove(at);
        T::unwrap(array).ok_or_else(|| self.unusable(format!("array {name:?} is of another kind than expected")))
    }

    /// An error about what it holds.
    pub(crate) fn unusable(&self, message: String) -> CheckpointError {
        CheckpointError { path: self.path.clone(), fault: Fault::Content(message) }
    }

    /// The names of the arrays it holds.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.arrays.iter().map(|(name, _)| name.as_str())
    }

    /// Writes the checkpoint as the file `name` in `dir`, whole or not at all.
    pub fn write(&self, dir: &Path, name: &str) -> Result<PathBuf, WriteError> {
        write_atomic(dir, name, &self.to_bytes())
    }

    /// Reads a checkpoint of the scene with this hash.
    pub fn read(path: &Path, scene: u64) -> Result<Self, CheckpointError> {
        let fail = |fault| CheckpointError { path: path.into(), fault };
        let bytes = load_regular(path, u64::MAX).map_err(|e| fail(Fault::Io(e)))?;
        let mut checkpoint = Self::from_bytes(&bytes).map_err(fail)?;
        if checkpoint.scene != scene {
            return Err(fail(Fault::OtherScene));
        }
        checkpoint.path = path.into();
        Ok(checkpoint)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.extend((self.arrays.len() as u32).to_le_bytes());
        out.extend(self.scene.to_le_bytes());
        out.extend(self.frame.to_le_bytes());
        out.extend(self.time.to_le_bytes());
        for (name, array) in &self.arrays {
            out.extend((name.len() as u32).to_le_bytes());
            out.extend(name.as_bytes());
            out.push(array.code());
            out.extend((array.len() as u64).to_le_bytes());
            array.put(&mut out);
        }
        out.extend(hash64(&out).to_le_bytes());
        out
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, Fault> {
        let mut cursor = Cursor(bytes);
        if cursor.take(MAGIC.len())? != MAGIC {
            return Err(Fault::NotOne);
        }
        // Before the hash: another version may well have another one.
        let version = cursor.u32()?;
        if version != VERSION {
            return Err(Fault::Version(version));
        }
        if bytes.len() < HEADER_LEN + 8 {
            return Err(Fault::Damaged);
        }
        let (body, hash) = bytes.split_at(bytes.len() - 8);
        if hash64(body).to_le_bytes() != hash {
            return Err(Fault::Damaged);
        }
        cursor = Cursor(&body[12..]);
        let count = cursor.u32()?;
        let mut checkpoint = Self::new(cursor.u64()?, cursor.u64()?, f64::from_bits(cursor.u64()?));
        for _ in 0..count {
            checkpoint.arrays.push(cursor.array()?);
        }
        if cursor.0.is_empty() { Ok(checkpoint) } else { Err(Fault::Damaged) }
    }
}

/// What is left to read. Nothing is allocated that the file does not have.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Fault::Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, Fault> {
        self.take(4)?.try_into().map(u32::from_le_bytes).map_err(|_| Fault::Damaged)
    }

    fn u64(&mut self) -> Result<u64, Fault> {
        self.take(8)?.try_into().map(u64::from_le_bytes).map_err(|_| Fault::Damaged)
    }

    fn array(&mut self) -> Result<(String, Array), Fault> {
        let name_len = self.u32()? as usize;
        let name = str::from_utf8(self.take(name_len)?).map_err(|_| Fault::Damaged)?.to_owned();
        let code = self.take(1)?[0];
        let width = Array::width(code).ok_or(Fault::Damaged)?;
        let count = usize::try_from(self.u64()?).map_err(|_| Fault::Damaged)?;
        let bytes = self.take(count.checked_mul(width).ok_or(Fault::Damaged)?)?;
        Ok((name, Array::get(code, bytes).ok_or(Fault::Damaged)?))
    }
}

/// Why a checkpoint cannot be used.
#[derive(Debug)]
pub struct CheckpointError {
    path: PathBuf,
    fault: Fault,
}

#[derive(Debug)]
enum Fault {
    Io(io::Error),
    NotOne,
    Version(u32),
    Damaged,
    OtherScene,
    Content(String),
}

impl CheckpointError {
    /// The file it is about.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is simply no such file.
    pub fn is_missing(&self) -> bool {
        matches!(&self.fault, Fault::Io(e) if e.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "checkpoint {}: ", self.path.display())?;
        match &self.fault {
            Fault::Io(e) => write!(f, "cannot read it: {e}"),
            Fault::NotOne => write!(f, "it is not a checkpoint of taut"),
            Fault::Version(found) => write!(f, "it has version {found}; this taut reads version {VERSION}"),
            Fault::Damaged => write!(f, "it is damaged or incomplete"),
            Fault::OtherScene => write!(f, "it belongs to another scene, or the scene has changed since"),
            Fault::Content(message) => write!(f, "{message}"),
        }
    }
}

impl std::error::Error for CheckpointError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::testing::TempDir;
    use std::fs;

    fn sample() -> Checkpoint {
        let mut checkpoint = Checkpoint::new(hash64(b"scene"), 17, 0.7083333);
        checkpoint.put("positions", vec![0.1_f64, f64::NAN, -0.0]);
        checkpoint.put("multipliers", vec![1.5_f32, f32::INFINITY]);
        checkpoint.put("colours", vec![1_u32, u32::MAX]);
        checkpoint.put("seed", vec![u64::MAX]);
        checkpoint.put("notes", b"anything".to_vec());
        checkpoint.put::<f32>("empty", Vec::new());
        checkpoint
    }

    #[test]
    fn everything_comes_back_bit_by_bit() {
        let dir = TempDir::new("checkpoint_round");
        let path = sample().write(dir.path(), "run.ckpt").unwrap();
        let mut back = Checkpoint::read(&path, hash64(b"scene")).unwrap();
        assert_eq!((back.frame, back.time), (17, 0.7083333));
        let positions: Vec<u64> = back.take::<f64>("positions").unwrap().iter().map(|v| v.to_bits()).collect();
        assert_eq!(positions, [0.1_f64, f64::NAN, -0.0].map(f64::to_bits));
        assert_eq!(back.take::<f32>("multipliers").unwrap(), [1.5, f32::INFINITY]);
        assert_eq!(back.take::<u32>("colours").unwrap(), [1, u32::MAX]);
        assert_eq!(back.take::<u64>("seed").unwrap(), [u64::MAX]);
        assert_eq!(back.take::<u8>("notes").unwrap(), b"anything");
        assert!(back.take::<f32>("empty").unwrap().is_empty());
        assert!(back.take::<f32>("empty").unwrap_err().to_string().contains("no array \"empty\""));
        assert_eq!(back.names().count(), 0);
    }

    #[test]
    fn an_array_of_another_kind_is_an_error() {
        let mut checkpoint = sample();
        let message = checkpoint.take::<f32>("positions").unwrap_err().to_string();
        assert!(message.contains("\"positions\" is of another kind"), "{message}");
    }

    #[test]
    fn the_last_of_a_name_wins() {
        let mut checkpoint = sample();
        checkpoint.put("seed", vec![3_u32]);
        let mut back = Checkpoint::from_bytes(&checkpoint.to_bytes()).unwrap();
        assert_eq!(back.take::<u32>("seed").unwrap(), [3]);
        assert!(back.take::<u64>("seed").is_err());
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_found() {
        let bytes = sample().to_bytes();
        for len in 0..bytes.len() {
            assert!(Checkpoint::from_bytes(&bytes[..len]).is_err(), "{len} bytes");
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Checkpoint::from_bytes(&flipped).is_err(), "bit {bit}");
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert!(Checkpoint::from_bytes(&longer).is_err());
    }

    #[test]
    fn lengths_beyond_the_file_are_refused_even_with_a_right_hash() {
        let mut body = sample().to_bytes();
        body.truncate(body.len() - 8);
        // The length of the first name, then the number of elements in the first array.
        for (at, width) in [(HEADER_LEN, 4), (HEADER_LEN + 4 + 9 + 1, 8)] {
            let mut bad = body.clone();
            bad[at..at + width].fill(0xff);
            bad.extend(hash64(&bad).to_le_bytes());
            assert!(matches!(Checkpoint::from_bytes(&bad), Err(Fault::Damaged)));
        }
    }

    #[test]
    fn errors_name_the_file_and_the_reason() {
        let dir = TempDir::new("checkpoint_errors");
        let path = sample().write(dir.path(), "run.ckpt").unwrap();
        let good = fs::read(&path).unwrap();
        let message = |bytes: &[u8], scene: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let message = Checkpoint::read(&path, hash64(scene)).unwrap_err().to_string();
            assert!(message.contains("run.ckpt"), "{message}");
            message
        };
        assert!(message(&good, b"other").contains("another scene"));
        assert!(message(&good[..50], b"scene").contains("damaged or incomplete"));
        assert!(message(b"PK\x03\x04 something else", b"scene").contains("not a checkpoint"));
        let mut newer = good.clone();
        newer[8] = 2;
        assert!(message(&newer, b"scene").contains("version 2; this taut reads version 1"));
        fs::remove_file(&path).unwrap();
        assert!(Checkpoint::read(&path, 0).unwrap_err().is_missing());
    }
}
