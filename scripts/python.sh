#!/usr/bin/env bash
# The Python package: builds it, tests it, packs it. Needs Python 3.11 or later with venv, and PyPI once.
#   scripts/python.sh [test] [pytest's arguments]   from the build that `cargo test` makes, too: quick when that is there
#   scripts/python.sh wheel                         wheel and sdist in target/wheels, installed and tested in a fresh environment
#   scripts/python.sh env                           the environment alone; prints its interpreter
set -euo pipefail
cd "$(dirname "$0")/.."
job=${1:-test}
[ $# -gt 0 ] && shift
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/python"
target=$(cd "$target" && pwd)
home=$target/python
python=${PYTHON:-python3}

# An environment with packages; made once, and anew if the list changes.
environment() { # folder, packages …
    local dir=$1
    shift
    local want="$("$python" -c 'import sys; print(sys.version)') $*"
    if [ "$(cat "$dir/made-of" 2>/dev/null)" != "$want" ]; then
        rm -rf "$dir"
        "$python" -m venv "$dir"
        "$dir/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
        printf '%s' "$want" >"$dir/made-of"
    fi
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed; PYTHON=… names one" >&2; exit 1; }

# The package as it would be installed, from the build in the usual profile; or from a library that is built already.
stage() {
    local library=${TAUT_PY_LIBRARY:-}
    if [ -z "$library" ]; then
        cargo build --quiet -p taut-py
        library=$target/debug/lib_taut.so
        [ -f "$library" ] || library=$target/debug/lib_taut.dylib
    fi
    mkdir -p "$home/site/taut"
    # Sources that are gone must not linger.
    find "$home/site/taut" -name '*.py*' -delete
    cp -R crates/taut-py/python/taut/. "$home/site/taut/"
    cp "$library" "$home/site/taut/_taut.abi3.so.new"
    mv "$home/site/taut/_taut.abi3.so.new" "$home/site/taut/_taut.abi3.so"
}

case $job in
env)
    environment "$home/venv" numpy pytest
    echo "$home/venv/bin/python"
    ;;
test)
    environment "$home/venv" numpy pytest
    stage
    [ $# -gt 0 ] || set -- -q -m "not slow"
    PYTHONPATH=$home/site exec "$home/venv/bin/python" -m pytest --rootdir crates/taut-py -c crates/taut-py/pyproject.toml \
        -p no:cacheprovider crates/taut-py/tests "$@"
    ;;
wheel)
    environment "$home/build" maturin
    rm -f "$target"/wheels/taut-*
    "$home/build/bin/maturin" build --quiet --manifest-path crates/taut-py/Cargo.toml --out "$target/wheels" --profile "${PROFILE:-release}"
    "$home/build/bin/maturin" sdist --manifest-path crates/taut-py/Cargo.toml --out "$target/wheels"
    rm -rf "$home/fresh"
    "$python" -m venv "$home/fresh"
    "$home/fresh/bin/python" -m pip install --quiet --disable-pip-version-check pytest "$target"/wheels/taut-*.whl
    (cd "$home" && "$home/fresh/bin/python" -m pytest --rootdir "$OLDPWD/crates/taut-py" -c "$OLDPWD/crates/taut-py/pyproject.toml" -q \
        -p no:cacheprovider -m "not slow" "$OLDPWD/crates/taut-py/tests")
    # The last line goes into the summary of proofs: no folder of this machine.
    (cd "$target/wheels" && ls -l taut-*)
    ;;
*)
    echo "scripts/python.sh knows test, wheel and env, not '$job'" >&2
    exit 2
    ;;
esac
