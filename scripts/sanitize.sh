#!/usr/bin/env bash
# The modules with `unsafe` under AddressSanitizer (reads and writes beyond arrays, and after their end) and ThreadSanitizer (data
# races), and under Miri where that is installed: scripts/sanitize.sh [address] [thread] [miri]; all three if none is given.
# Needs a nightly toolchain (rustup toolchain install nightly); the sanitizers' run-time libraries come with it. Exit code 77: none.
# The standard library is the one that comes with Rust, which is not instrumented: what it does itself is not looked at.
set -uo pipefail
cd "$(dirname "$0")/.."
tools=("$@")
[[ ${#tools[@]} -gt 0 ]] || tools=(address thread miri)
host=$(rustc -vV | sed -n 's/^host: //p')
cargo +nightly --version || { echo "there is no nightly toolchain: rustup toolchain install nightly"; exit 77; }

# Arrays that workers share, the team, packing and sweeps, and a few whole steps on several threads with every lane
# width. Tests that simulate at length would take hours under a sanitizer, and the engine in both precisions to build.
features=(--no-default-features --features global)
unit=(lanes:: team:: constraint:: contact::bvh)
steps=(--test few_steps)

with() {
    local san=$1
    shift
    RUSTFLAGS="-Zsanitizer=$san -Cunsafe-allow-abi-mismatch=sanitizer" CARGO_TARGET_DIR="target/sanitize-$san" \
        CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_TEST_OPT_LEVEL=1 \
        cargo +nightly test --locked --target "$host" -p taut "${features[@]}" "$@"
}

failed=0 done=()
for tool in "${tools[@]}"; do
    echo "== $tool"
    case "$tool" in
        address | thread)
            with "$tool" --lib -- "${unit[@]}" && with "$tool" "${steps[@]}" || failed=1
            done+=("$tool") ;;
        miri)
            if cargo +nightly miri --version > /dev/null 2>&1; then
                # Crossbeam, below rayon, breaks the stricter rules of borrows, and keeps its collector to the end. Miri
                # varies the last bits of std's functions, so that a test of accuracy has nothing to say there.
                MIRIFLAGS="-Zmiri-tree-borrows -Zmiri-ignore-leaks" CARGO_TARGET_DIR=target/miri \
                    cargo +nightly miri test --locked -p taut --lib -- lanes:: team:: constraint:: --skip atan2 || failed=1
                done+=("miri")
            else
                echo "Miri is not installed, and was not run: rustup +nightly component add miri"
            fi ;;
        *) sed -n '2,5p' "$0"; exit 2 ;;
    esac
done
[[ ${#done[@]} -gt 0 ]] || exit 77
[[ "$failed" == 0 ]] && echo "nothing found by: ${done[*]}"
exit "$failed"
