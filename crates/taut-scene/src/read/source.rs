//! Where bytes come from: one file in memory, the files it refers to, gzip around either.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::Memory;
use super::budget::Budget;
use super::error::{ReadError, Result};

/// The largest file a reader takes, as it is on disk, in bytes.
pub const MAX_FILE_BYTES: u64 = 2 << 30;

/// Loads a file that another file refers to, by the relative name it uses. The caller decides what may be
/// reached: a folder on disk ([`Folder`]), an archive, what a person dropped on a web page, or nothing.
pub type Files<'a> = dyn Fn(&str) -> io::Result<Vec<u8>> + 'a;

/// The bytes of a file, with what a reader needs to know about where they come from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The file's name, for errors and for its extension.
    pub name: &'a str,
    /// The whole file, compressed or not.
    pub bytes: &'a [u8],
    /// Loads the files it refers to.
    pub files: &'a Files<'a>,
    /// What reading it may take.
    pub(crate) budget: Budget,
}

impl<'a> Source<'a> {
    /// A file that stands alone.
    pub fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        Self::with_files(name, bytes, &no_files)
    }

    /// A file that may refer to others.
    pub fn with_files(name: &'a str, bytes: &'a [u8], files: &'a Files<'a>) -> Self {
        Self { name, bytes, files, budget: Budget::new(Memory::default(), bytes.len()) }
    }

    /// The same file, which may take so much memory on top of what its size allows.
    pub(crate) fn with_memory(self, memory: Memory) -> Self {
        Self { budget: Budget::new(memory, self.bytes.len()), ..self }
    }

    /// The name without folders.
    pub(crate) fn file_name(&self) -> &'a str {
        self.name.rsplit(['/', '\\']).next().unwrap_or(self.name)
    }

    /// The last part of the name in lower case, without `.gz`.
    pub(crate) fn extension(&self) -> String {
        let name = self.file_name().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        name.rsplit_once('.').map(|(_, extension)| extension.to_owned()).unwrap_or_default()
    }

    /// Loads and unpacks a file that this one refers to. Gives its bytes, which the budget then holds.
    pub(crate) fn load(&self, name: &str, budget: &mut Budget) -> Result<Vec<u8>> {
        let loaded = (self.files)(name).map_err(|e| ReadError::file(name, format!("cannot be read: {e}")))?;
        unpack_owned(name, loaded, budget)
    }
}

/// Unpacks a file that was loaded, which the budget then holds.
pub(crate) fn unpack_owned(name: &str, loaded: Vec<u8>, budget: &mut Budget) -> Result<Vec<u8>> {
    let stored = loaded.len();
    budget.add_file(stored);
    Ok(match unpack(name, &loaded, budget)? {
        Cow::Owned(unpacked) => {
            budget.release(stored);
            unpacked
        }
        Cow::Borrowed(_) => loaded,
    })
}

fn no_files(_: &str) -> io::Result<Vec<u8>> {
    Err(io::Error::new(io::ErrorKind::NotFound, "no other files are at hand"))
}

/// A folder whose files, and whose subfolders' files, may be read, and nothing outside.
///
/// Absolute names, `..` and symbolic links that lead out are refused.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The folder to stay in.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root: PathBuf = root.into();
        // The folder of a bare file name is "", which the file system does not know.
        Self { root: if root.as_os_str().is_empty() { ".".into() } else { root } }
    }

    /// Reads a file by its name relative to the folder.
    pub fn load(&self, name: &str) -> io::Result<Vec<u8>> {
        let refused = || io::Error::new(io::ErrorKind::PermissionDenied, "it lies outside the folder");
        let relative = Path::new(name);
        if !relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(refused());
        }
        let path = self.root.join(relative).canonicalize()?;
        if !path.starts_with(self.root.canonicalize()?) {
            return Err(refused());
        }
        load_file(&path)
    }
}

/// Reads a whole regular file of at most [`MAX_FILE_BYTES`].
pub(crate) fn load_file(path: &Path) -> io::Result<Vec<u8>> {
    load_regular(path, MAX_FILE_BYTES)
}

/// Reads a whole regular file of at most so many bytes. Anything else that a name can stand for (a folder, a pipe, a
/// device) is
/// refused: it may never end, or never begin.
pub fn load_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    let too_large = || io::Error::other(format!("it is larger than {most} bytes"));
    if length > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// Opens a regular file, once: what it is, is asked of what was opened, not of the name.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    // A pipe that nobody writes to would keep us waiting before it could be looked at.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path).map_err(|error| match path.is_dir() {
        true => io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"),
        false => error,
    })?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if !found.is_file() {
        let message = "it is a pipe, a device or the like, expected a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(file)
}

/// How much is unpacked at a time, bytes.
const PIECE: usize = 1 << 16;

/// The content of a file, unpacked if it is gzip, and as it is otherwise. What is unpacked, the budget then holds.
pub(crate) fn unpack<'a>(name: &str, bytes: &'a [u8], budget: &mut Budget) -> Result<Cow<'a, [u8]>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut decoder = flate2::read::MultiGzDecoder::new(bytes);
    let mut unpacked = Vec::new();
    loop {
        let done = unpacked.len();
        budget.check(name, done + PIECE)?;
        if unpacked.capacity() < done + PIECE {
            // By half, not twofold, and never beyond what is allowed.
            unpacked.reserve_exact((done / 2).max(PIECE).min(budget.left() - done));
        }
        unpacked.resize(done + PIECE, 0);
        let read = decoder.read(&mut unpacked[done..]);
        unpacked.truncate(done + read.as_ref().map_or(0, |&count| count));
        match read {
            Ok(0) => break,
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => {
                let message = format!("the gzip data is damaged or ends early, after {done} unpacked bytes: {e}");
                return Err(ReadError::file(name, message));
            }
        }
    }
    budget.hold(unpacked.capacity());
    Ok(Cow::Owned(unpacked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(content).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn gzip_stops_at_the_limit() {
        let bomb = gzip(&vec![0; 1 << 20]);
        assert!(bomb.len() < 4096);
        let mut budget = Budget::new(Memory(2 << 20), bomb.len());
        assert_eq!(unpack("a.gz", &bomb, &mut budget).unwrap().len(), 1 << 20);
        assert!(budget.left() < 2 << 20, "what was unpacked is held");
        let error = unpack("a.gz", &bomb, &mut Budget::new(Memory(1 << 19), bomb.len())).unwrap_err().to_string();
        assert!(
            error.starts_with("a.gz: reading it takes more than ") && error.contains("which is 512.0 KB"),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_opened() {
        let root = std::env::temp_dir().join(format!("taut-regular-{}", std::process::id()));
        std::fs::create_dir_all(&root).unwrap();
        let pipe = root.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let said = |path: &Path| load_regular(path, 10).unwrap_err().to_string();
        // Nobody writes to the pipe: opening it as usual would wait for ever.
        assert!(said(&pipe).contains("expected a regular file"), "{}", said(&pipe));
        assert!(said(Path::new("/dev/zero")).contains("expected a regular file"));
        assert!(said(&root).contains("it is a folder"));
        std::fs::write(root.join("long"), [0; 11]).unwrap();
        assert_eq!(said(&root.join("long")), "it is larger than 10 bytes");
        // A link to a file is a file; one to a pipe is a pipe.
        std::os::unix::fs::symlink(root.join("long"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(&pipe, root.join("link to pipe")).unwrap();
        assert_eq!(load_regular(&root.join("link"), 11).unwrap().len(), 11);
        assert!(Folder::new(&root).load("link to pipe").is_err());
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn folder_keeps_readers_inside() {
        let root = std::env::temp_dir().join(format!("taut-folder-{}", std::process::id()));
        std::fs::create_dir_all(root.join("in/sub")).unwrap();
        std::fs::write(root.join("secret"), "s").unwrap();
        std::fs::write(root.join("in/sub/a"), "a").unwrap();
        let folder = Folder::new(root.join("in"));
        assert_eq!(folder.load("sub/a").unwrap(), b"a");
        let outside = root.join("secret").to_string_lossy().into_owned();
        for name in ["../secret", "sub/../../secret", outside.as_str()] {
            assert_eq!(folder.load(name).unwrap_err().kind(), io::ErrorKind::PermissionDenied, "{name}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join("secret"), root.join("in/link")).unwrap();
            assert_eq!(folder.load("link").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        }
        assert!(folder.load("sub").is_err());
        std::fs::remove_dir_all(root).unwrap();
    }
}
