#!/bin/sh
# Runs every fuzz target for some seconds (60 if not given) from the committed seeds, within 2 GB of memory:
#
#     scripts/fuzz.sh [SECONDS] [TARGET...]
#
# With cargo-fuzz installed the inputs are guided by what they reach; else a plain random mutator on stable Rust takes
# its place. What is found is kept in fuzz/artifacts, and becomes a regression test.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -gt 0 ] && shift
targets=${*:-obj ply stl gltf msh tetgen vtk cache scene frames pattern dxf maps usd alembic}
guided=no
if command -v cargo-fuzz >/dev/null 2>&1; then guided=yes; fi
if [ "$guided" = no ]; then
    echo "cargo-fuzz is not installed: inputs are random"
    cargo build --release -p taut-scene --example fuzz
    ulimit -v 2097152 2>/dev/null || true
fi
failed=
for target in $targets; do
    if [ "$guided" = yes ]; then
        # What is found on the way stays out of the committed seeds.
        mkdir -p "fuzz/found/$target"
        RUSTC_BOOTSTRAP=1 cargo fuzz run "$target" "fuzz/found/$target" "fuzz/corpus/$target" -- \
            -max_len=8192 -rss_limit_mb=2048 -timeout=10 -max_total_time="$seconds" || failed="$failed $target"
    else
        "${CARGO_TARGET_DIR:-target}/release/examples/fuzz" "$target" "$seconds" || failed="$failed $target"
    fi
done
if [ -n "$failed" ]; then
    echo "found something:$failed; see fuzz/artifacts"
    exit 1
fi
echo "nothing found"
