//! Feeds a fuzz target with offspring of its seeds, for as long as wanted, on stable Rust and without a fuzzer: random,
//! not guided by
//! what it reaches. `scripts/fuzz.sh` takes the guided one where it is installed.
//!
//!     cargo run --release -p taut-scene --example fuzz -- obj 60

#[path = "../tests/common/mutate.rs"]
mod mutate;
#[path = "../../../fuzz/src/lib.rs"]
mod targets;

use mutate::{Random, mutate};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// An input that takes longer than this is a finding.
const SLOW: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (name, seconds) = match &args[..] {
        [name, seconds] => (name.as_str(), seconds.parse().unwrap_or(60.0)),
        _ => {
            let names: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
            eprintln!("usage: fuzz TARGET SECONDS, with one of {}", names.join(", "));
            return ExitCode::from(2);
        }
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let files = std::fs::read_dir(root.join("corpus").join(name)).into_iter().flatten().flatten();
    let mut paths: Vec<_> = files.map(|entry| entry.path()).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().filter_map(|path| std::fs::read(path).ok()).collect();
    if seeds.is_empty() {
        eprintln!("there are no seeds for {name:?} in {}", root.join("corpus").display());
        return ExitCode::from(2);
    }
    let start = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |d| d.as_nanos() as u64);
    let (mut random, begun, mut count) = (Random(start), Instant::now(), 0_u64);
    while begun.elapsed().as_secs_f64() < seconds {
        let bytes = mutate(&seeds, &mut random);
        let single = spent(begun);
        let sound = std::panic::catch_unwind(|| targets::run(name, &bytes)).is_ok();
        count += 1;
        if !sound || spent(begun).saturating_sub(single) > SLOW {
            let dir = root.join("artifacts").join(name);
            let path = dir.join(format!("finding-{start:x}-{count}"));
            let kept = std::fs::create_dir_all(&dir).and_then(|()| std::fs::write(&path, &bytes));
            let what = if sound { "takes longer than 10 s" } else { "panics" };
            eprintln!("{name}: {what}: {} ({kept:?})", path.display());
            return ExitCode::FAILURE;
        }
    }
    println!("{name}: {count} inputs in {:.0} s, nothing found", begun.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

/// Time that this thread has worked, where the system tells: others on the machine are no finding. Else by the clock.
fn spent(begun: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let worked = told.and_then(|text| text.split(' ').next()?.parse().ok()).map(Duration::from_nanos);
    worked.unwrap_or_else(|| begun.elapsed())
}
