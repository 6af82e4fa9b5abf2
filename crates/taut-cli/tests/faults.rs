//! Runs that something happens to: a disk that is full, a folder that cannot be written to or vanishes. The error says
//! what and where,
//! and what was whole stays so. `scripts/check_faults.py` does the same for longer, with kills.
#![cfg(unix)]

mod common;

use common::{Place, Said};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Waits for something that comes soon, whatever else the machine does.
fn wait_for(what: &str, mut there: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !there() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what} does not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_folder_that_vanishes_ends_the_run_with_its_name() {
    let place = Place::new("vanish");
    let flags = ["run", "scene.toml", "--out", "o", "--frames", "1000000", "--checkpoint", "0.01", "--no-pictures"];
    let mut child = place.command(&flags).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("a frame", || std::fs::metadata(place.path("o/metrics.jsonl")).is_ok_and(|m| m.len() > 5000));
    // A file may appear while the others are removed.
    wait_for("an empty folder", || std::fs::remove_dir_all(place.path("o")).is_ok() || !place.path("o").exists());
    wait_for("the end", || child.try_wait().unwrap().is_some());
    let said = Said(child.wait_with_output().unwrap());
    assert_eq!(said.code(), Some(1), "{}", said.err());
    assert!(
        said.err().contains("cannot create o/checkpoint.bin") && said.err().contains("No such file"),
        "{}",
        said.err()
    );
    assert!(!place.path("o").exists(), "the folder is not made again");
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named_at_once() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new("readonly");
    let locked = place.path("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    // Whoever may do everything, may write there, too; nobody may here.
    let all_powerful = std::fs::write(locked.join("probe"), "").is_ok();
    let out = if all_powerful { "/proc/self/taut" } else { "locked" };
    let said = place.taut(&["run", "scene.toml", "--out", out]);
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(said.code(), Some(1), "{}", said.err());
    assert!(said.err().starts_with("error: cannot ") && said.err().contains(out), "{}", said.err());
}

#[test]
fn a_disk_without_room_loses_nothing_that_was_whole() {
    let place = Place::new("full");
    let flags =
        ["run", "scene.toml", "--json", "--no-pictures", "--formats", "pc2", "--frames", "120", "--checkpoint", "0"];
    let whole = place.taut(&[&flags[..], &["--out", "whole"]].concat()).json();
    // No file may grow beyond some kilobytes, as if the disk were full then.
    let limited = "trap '' XFSZ; ulimit -f 96; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", limited, "sh", env!("CARGO_BIN_EXE_taut")]).args(flags).args(["--out", "o"]);
    let said = Said(command.current_dir(place.path(".")).output().unwrap());
    assert_eq!(said.code(), Some(1), "{}", said.err());
    assert!(said.err().starts_with("error: cannot write o/") && said.err().contains("os error"), "{}", said.err());
    let cache = std::fs::read(place.path("o/sheet.pc2")).unwrap();
    let count = u32::from_le_bytes(cache[28..32].try_into().unwrap()) as usize;
    assert!(count > 2 && count < 121 && cache.len() >= 32 + count * 81 * 12, "{count} frames are whole");
    let resumed = place.taut(&[&flags[..], &["--out", "o", "--resume"]].concat()).json();
    assert_eq!(resumed["state_hash"], whole["state_hash"]);
    let read = |dir: &str| std::fs::read(place.path(dir).join("sheet.pc2")).unwrap();
    assert!(read("o") == read("whole"), "the caches differ");
}

/// What a run says that is told to stop some time after it has begun to write.
fn stopped_after(place: &Place, flags: &[&str], wait: Duration) -> Said {
    let mut child = place.command(flags).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("the first file", || place.path("o/metrics.jsonl").exists());
    std::thread::sleep(wait);
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    wait_for("the end", || child.try_wait().unwrap().is_some());
    Said(child.wait_with_output().unwrap())
}

#[test]
fn a_stop_does_not_wait_for_a_frame_that_takes_long() {
    let place = Place::new("stop");
    let heavy =
        ["--set", "solver.substeps=10000", "--set", "cloth.0.generate.nx=200", "--set", "cloth.0.generate.ny=200"];
    let flags = ["run", "scene.toml", "--out", "o", "--frames", "9", "--no-pictures", "--threads", "1"];
    // On a busy machine it may still be before the frame.
    for wait in [1, 5, 20] {
        let said = stopped_after(&place, &[&flags[..], &heavy].concat(), Duration::from_secs(wait));
        assert_eq!(said.code(), Some(1), "{}", said.err());
        if !said.err().contains("stopped after frame 0") {
            let expected = "error: stopped within frame 1 of 9; go on with: taut run scene.toml --out o";
            return assert!(said.err().contains(expected), "{}", said.err());
        }
    }
    panic!("no frame has begun");
}
