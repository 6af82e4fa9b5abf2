//! The Python package's own tests, by `scripts/python.sh`: from the build that `cargo test` has just made.
//!
//! Without Python 3.11 or later on the machine there is nothing to test, and the test says so and passes; with
//! `TAUT_PYTHON=required`, as CI sets it, that is a failure. `TAUT_PYTHON=off` leaves it out.

use std::path::Path;
use std::process::Command;

const LIBRARY: &str = if cfg!(target_os = "macos") { "lib_taut.dylib" } else { "lib_taut.so" };

/// Whether there is a Python that the package is for.
fn python() -> bool {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let code = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    Command::new(python).args(["-c", code]).output().is_ok_and(|found| found.status.success())
}

#[test]
#[cfg(unix)]
fn the_python_package_passes_its_tests() {
    let wish = std::env::var("TAUT_PYTHON").unwrap_or_default();
    if wish == "off" || (wish != "required" && !python()) {
        println!("left out: no Python 3.11 or later with venv here, or TAUT_PYTHON=off");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Cargo has built the extension module beside this test, with the features that the whole workspace has.
    let library = std::env::current_exe().ok().and_then(|me| me.parent().map(|dir| dir.join(LIBRARY)));
    let mut script = Command::new(root.join("scripts/python.sh"));
    if let Some(library) = library.filter(|library| library.is_file()) {
        script.env("TAUT_PY_LIBRARY", library);
    }
    let done = script.arg("test").output().expect("scripts/python.sh can be run");
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (said(&done.stdout), said(&done.stderr));
    assert!(
        done.status.success(),
        "the Python package fails its tests, or its environment could not be made (numpy and pytest come \
         from PyPI once).\n\
         By itself: scripts/python.sh test\n\n{out}\n{err}"
    );
}
