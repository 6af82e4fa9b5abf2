//! MP4 through ffmpeg, where it is installed.

use crate::picture::Picture;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Why there is no film. Never a reason to fail a run: say it and go on.
#[derive(Debug)]
pub enum Mp4Error {
    /// There is no ffmpeg on this machine's search path.
    NoFfmpeg,
    /// ffmpeg started but did not succeed; what it said last.
    Ffmpeg(String),
    /// Frames could not be handed over.
    Io(io::Error),
}

impl fmt::Display for Mp4Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Mp4Error::NoFfmpeg => write!(f, "no MP4 was written: ffmpeg was not found; install it and run again"),
            Mp4Error::Ffmpeg(said) => write!(f, "no MP4 was written: ffmpeg failed: {said}"),
            Mp4Error::Io(error) => write!(f, "no MP4 was written: {error}"),
        }
    }
}

impl std::error::Error for Mp4Error {}

/// Hands frames to ffmpeg one by one.
pub struct Mp4Writer {
    child: Child,
    width: usize,
    height: usize,
}

impl Mp4Writer {
    /// Starts ffmpeg, which writes H.264 to `path` (replacing what is there). Give it a name of your own and move
    /// the file when [`Mp4Writer::finish`] succeeds.
    pub fn start(path: &Path, width: usize, height: usize, frames_per_second: f64) -> Result<Mp4Writer, Mp4Error> {
        Mp4Writer::start_with("ffmpeg".as_ref(), path, width, height, frames_per_second)
    }

    fn start_with(
        program: &OsStr,
        path: &Path,
        width: usize,
        height: usize,
        frames_per_second: f64,
    ) -> Result<Mp4Writer, Mp4Error> {
        let size = format!("{width}x{height}");
        let rate = format!("{:.4}", frames_per_second.clamp(0.01, 1000.0));
        let mut command = Command::new(program);
        command.args(["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"]);
        command.args(["-s", &size, "-r", &rate, "-i", "-", "-an"]);
        // Players want even sizes and 4:2:0. The matrix must be converted as well as named: sRGB is BT.709.
        let filter = "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv";
        command.args(["-vf", filter, "-c:v", "libx264", "-preset", "medium", "-crf", "18"]);
        command.args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]);
        command.args(["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]).arg(path);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        match spawned {
            Ok(child) => Ok(Mp4Writer { child, width, height }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Mp4Error::NoFfmpeg),
            Err(error) => Err(Mp4Error::Io(error)),
        }
    }

    /// Adds a frame. An error is final; [`Mp4Writer::finish`] then tells what ffmpeg said.
    pub fn push(&mut self, frame: &Picture) -> Result<(), Mp4Error> {
        if (frame.width(), frame.height()) != (self.width, self.height) {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "a frame has another size");
            return Err(Mp4Error::Io(error));
        }
        match &mut self.child.stdin {
            Some(pipe) => pipe.write_all(frame.bytes()).map_err(Mp4Error::Io),
            None => Err(Mp4Error::Ffmpeg("it has ended".into())),
        }
    }

    /// Ends the film and waits until it is written.
    pub fn finish(mut self) -> Result<(), Mp4Error> {
        drop(self.child.stdin.take());
        let mut said = String::new();
        if let Some(stderr) = &mut self.child.stderr {
            stderr.take(1 << 16).read_to_string(&mut said).map_err(Mp4Error::Io)?;
        }
        let status = self.child.wait().map_err(Mp4Error::Io)?;
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        match (status.success(), last) {
            (true, _) => Ok(()),
            (false, Some(line)) => Err(Mp4Error::Ffmpeg(line.trim().into())),
            (false, None) => Err(Mp4Error::Ffmpeg(status.to_string())),
        }
    }
}

impl Drop for Mp4Writer {
    /// An abandoned film must not leave ffmpeg waiting for frames.
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // Ended already after `finish`; then both do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Rgb;

    #[test]
    fn missing_ffmpeg_is_said_clearly() {
        let started = Mp4Writer::start_with("no-such-program-here".as_ref(), Path::new("x.mp4"), 8, 8, 25.0);
        let message = started.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.contains("ffmpeg was not found"), "{message}");
    }

    #[test]
    #[cfg(unix)]
    fn a_failing_program_is_an_error_not_a_panic() {
        let mut writer = Mp4Writer::start_with("false".as_ref(), Path::new("x.mp4"), 64, 64, 25.0).unwrap();
        let frame = Picture::filled(64, 64, Rgb::hex(0));
        // The pipe breaks once the program is gone; until then frames vanish in its buffer.
        for _ in 0..100 {
            if writer.push(&frame).is_err() {
                break;
            }
        }
        assert!(matches!(writer.finish(), Err(Mp4Error::Ffmpeg(_))));
    }
}
