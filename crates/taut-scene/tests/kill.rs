//! Kills a process that writes point caches, at random moments, and looks at what it left behind.
//!
//! The readers here are strict and know nothing of the writers: they accept a frame only if the file's own marks say
//! that it is there, and then every number must be right.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use taut_scene::write::{Clip, Frame, FrameWriter, ObjectFrame, ObjectInfo, Setup, format, mdd};

const KILLS: usize = 20;
const DIR_VARIABLE: &str = "TAUT_KILL_TEST_DIR";
const PLAN_VARIABLE: &str = "TAUT_KILL_TEST_FRAMES";
/// Frames the victim plans: as many as can come, or far fewer, so that some kills fall into the growing of an MDD
/// table.
const PLANS: [usize; 2] = [500, 8];
const STEMS: [&str; 2] = ["large", "small"];
const VERTICES: [usize; 2] = [6000, 7];
const FORMATS: [&str; 2] = ["pc2", "mdd"];

/// Whole numbers, so that 32-bit floats hold them exactly.
fn point(frame: usize, vertex: usize) -> [f64; 3] {
    [frame as f64, vertex as f64, ((frame * 31 + vertex * 7) % 4096) as f64]
}

fn time(frame: usize) -> f64 {
    frame as f64 * 0.25
}

fn clip(planned_frames: usize) -> Arc<Clip> {
    let object = |(name, count): (&str, usize)| ObjectInfo {
        name: name.into(),
        rest: (0..count).map(|vertex| point(0, vertex)).collect(),
        triangles: vec![[0, 1, 2]],
        ..Default::default()
    };
    let objects = STEMS.into_iter().zip(VERTICES).map(object).collect();
    Clip::new(Setup { objects, fps: 4.0, planned_frames, ..Default::default() }).unwrap()
}

fn open(dir: &Path, planned: usize, start: usize) -> Vec<Box<dyn FrameWriter>> {
    FORMATS.iter().map(|name| format(name).unwrap().open(&clip(planned), dir, start).unwrap()).collect()
}

fn write_frame(writers: &mut [Box<dyn FrameWriter>], index: usize) {
    let positions = VERTICES.map(|count| (0..count).map(|vertex| point(index, vertex)).collect::<Vec<_>>());
    let objects = positions.each_ref().map(|positions| ObjectFrame { positions, ..Default::default() });
    for writer in writers {
        writer.frame(&Frame { index, time: time(index), objects: &objects }).unwrap();
    }
}

/// The child: not a test of its own, but the victim of the one below.
#[test]
fn victim() {
    let Some(dir) = std::env::var_os(DIR_VARIABLE) else { return };
    let planned = std::env::var(PLAN_VARIABLE).unwrap().parse().unwrap();
    let mut writers = open(Path::new(&dir), planned, 0);
    (0..100_000).for_each(|frame| write_frame(&mut writers, frame));
}

/// The full frames of a cache, compared number by number.
fn check_frames(path: &Path, data: &[u8], count: usize, vertices: usize, float: fn([u8; 4]) -> f32) {
    assert!(data.len() >= count * vertices * 12, "{}: {count} frames promised, not there", path.display());
    let floats: Vec<f32> = data[..count * vertices * 12].as_chunks().0.iter().map(|b| float(*b)).collect();
    for (at, found) in floats.as_chunks::<3>().0.iter().enumerate() {
        let expected = point(at / vertices, at % vertices).map(|v| v as f32);
        assert_eq!(*found, expected, "{}: frame {}, vertex {}", path.display(), at / vertices, at % vertices);
    }
}

/// How many bytes of a frame stand behind the full ones. Zeros are reserve.
fn in_progress(behind: &[u8]) -> usize {
    behind.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1)
}

fn read_pc2(path: &Path, vertices: usize) -> (usize, usize) {
    let bytes = fs::read(path).unwrap();
    let word = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    assert_eq!((word(12), word(16) as usize), (1, vertices));
    assert_eq!((word(20), word(24)), (0_f32.to_bits() as i32, 1_f32.to_bits() as i32));
    let count = word(28) as usize;
    check_frames(path, &bytes[32..], count, vertices, f32::from_le_bytes);
    (count, in_progress(&bytes[32 + count * vertices * 12..]))
}

fn read_mdd(path: &Path, vertices: usize) -> (usize, usize) {
    let bytes = fs::read(path).unwrap();
    let word = |at: usize| i32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let slots = word(0);
    assert!(slots > 0 && word(4) == vertices, "{}", path.display());
    let (times, data) = bytes[8..].split_at(slots * 4);
    let times: Vec<f32> = times.as_chunks().0.iter().map(|b| f32::from_be_bytes(*b)).collect();
    let count = times.iter().position(|&t| t == mdd::UNWRITTEN).unwrap_or(slots);
    for (frame, &found) in times.iter().enumerate() {
        assert_eq!(found, if frame < count { time(frame) as f32 } else { mdd::UNWRITTEN }, "{}", path.display());
    }
    check_frames(path, data, count, vertices, f32::from_be_bytes);
    (count, in_progress(&data[count * vertices * 12..]))
}

fn read(path: &Path, vertices: usize) -> (usize, usize) {
    if path.extension().unwrap() == "pc2" { read_pc2(path, vertices) } else { read_mdd(path, vertices) }
}

fn caches(dir: &Path) -> Vec<(PathBuf, usize)> {
    let of = |format| STEMS.iter().zip(VERTICES).map(move |(stem, count)| (format!("{stem}.{format}"), count));
    FORMATS.iter().flat_map(of).map(|(name, count)| (dir.join(name), count)).collect()
}

/// Starts the victim, waits until it writes and then a little, and kills it the hard way.
fn run_and_kill(dir: &Path, planned: usize, wait: Duration) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "victim", "--test-threads=1"])
        .env(DIR_VARIABLE, dir)
        .env(PLAN_VARIABLE, planned.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while !caches(dir).iter().all(|(path, _)| path.exists()) {
        assert!(begin.elapsed() < Duration::from_secs(60), "the victim does not write");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(wait);
    assert!(child.try_wait().unwrap().is_none(), "the victim ended by itself");
    // SIGKILL on Unix: no handler, no destructor, no flush.
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn caches_are_readable_up_to_the_last_full_frame_and_can_be_continued() {
    let root = std::env::temp_dir().join(format!("taut-kill-{}", std::process::id()));
    let mut random = 0x1234_5678_9abc_def1_u64;
    let (mut frames, mut tails) = (Vec::new(), 0);
    for kill in 0..KILLS {
        let dir = root.join(kill.to_string());
        fs::create_dir_all(&dir).unwrap();
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        run_and_kill(&dir, PLANS[kill % 2], Duration::from_micros((random >> 33) % 60_000));

        let found: Vec<(usize, usize)> = caches(&dir).iter().map(|(path, vertices)| read(path, *vertices)).collect();
        let full = found.iter().map(|f| f.0).min().unwrap();
        assert!(found.iter().all(|f| f.0 <= full + 1), "one cache is far ahead: {found:?}");
        tails += found.iter().filter(|f| f.1 > 0).count();
        frames.push(full);

        // On from the last frame that all have, or from one before it, with another plan.
        let start = full - full.min(kill % 3);
        let mut writers = open(&dir, start + kill % 5 + 1, start);
        (start..start + 2).for_each(|frame| write_frame(&mut writers, frame));
        writers.into_iter().for_each(|writer| assert_eq!(writer.finish().unwrap().len(), 4));
        for (path, vertices) in caches(&dir) {
            assert_eq!(read(&path, vertices), (start + 2, 0), "{}", path.display());
        }
        let left = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name());
        let left: Vec<_> = left.filter(|name| name.to_string_lossy().ends_with(".tmp")).collect();
        assert!(left.is_empty(), "{left:?}");
        fs::remove_dir_all(&dir).unwrap();
    }
    fs::remove_dir_all(&root).unwrap();
    println!("full frames after each kill: {frames:?}; {tails} files ended within a frame");
    assert!(frames.iter().any(|&n| n > 8), "the kills came too early to say anything: {frames:?}");
}
