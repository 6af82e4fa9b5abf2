//! Where bytes come from: one file in memory, the files it refers to, gzip around either.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::error::{ReadError, Result};

/// The largest file a reader takes, before and after decompression, in bytes. A few megabytes of gzip can
/// unpack to terabytes; this is where that ends.
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
}

impl<'a> Source<'a> {
    /// A file that stands alone.
    pub fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        Self { name, bytes, files: &no_files }
    }

    /// A file that may refer to others.
    pub fn with_files(name: &'a str, bytes: &'a [u8], files: &'a Files<'a>) -> Self {
        Self { name, bytes, files }
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

    /// Loads and unpacks a file that this one refers to. Gives its bytes.
    pub(crate) fn load(&self, name: &str) -> Result<Vec<u8>> {
        let loaded = (self.files)(name).map_err(|e| ReadError::file(name, format!("cannot be read: {e}")))?;
        Ok(match unpack(name, &loaded, MAX_FILE_BYTES)? {
            Cow::Owned(unpacked) => unpacked,
            Cow::Borrowed(_) => loaded,
        })
    }
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

/// Reads a whole file of at most [`MAX_FILE_BYTES`].
pub(crate) fn load_file(path: &Path) -> io::Result<Vec<u8>> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(io::Error::other(format!("it is larger than {MAX_FILE_BYTES} bytes")));
    }
    Ok(bytes)
}

/// The content of a file, unpacked if it is gzip and as it is otherwise.
pub(crate) fn unpack<'a>(name: &str, bytes: &'a [u8], max_bytes: u64) -> Result<Cow<'a, [u8]>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut unpacked = Vec::new();
    let read = flate2::read::MultiGzDecoder::new(bytes).take(max_bytes + 1).read_to_end(&mut unpacked);
    if unpacked.len() as u64 > max_bytes {
        return Err(ReadError::file(name, format!("unpacks to more than {max_bytes} bytes")));
    }
    match read {
        Ok(_) => Ok(Cow::Owned(unpacked)),
        Err(e) => {
            let message =
                format!("the gzip data is damaged or ends early, after {} unpacked bytes: {e}", unpacked.len());
            Err(ReadError::file(name, message))
        }
    }
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
        assert_eq!(unpack("a.gz", &bomb, 1 << 20).unwrap().len(), 1 << 20);
        let error = unpack("a.gz", &bomb, (1 << 20) - 1).unwrap_err();
        assert_eq!(error.to_string(), "a.gz: unpacks to more than 1048575 bytes");
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
