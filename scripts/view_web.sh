#!/usr/bin/env bash
# Builds the viewer as a static page: scripts/view_web.sh [FOLDER]; the folder (target/web if not given) can be put on any web
# server. Needs rustup's target wasm32-unknown-unknown; where that cannot be fetched, Debian's rustc-web, cargo-web, rust-web-src
# and lld-19. And wasm-bindgen of the version in Cargo.lock, which this script builds once if it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-target/web}
target=${CARGO_TARGET_DIR:-target}
version=$(grep -A1 '^name = "wasm-bindgen"$' Cargo.lock | sed -n 's/version = "\(.*\)"/\1/p')

bindgen=${WASM_BINDGEN:-$(command -v wasm-bindgen || true)}
if [ -z "$bindgen" ] || [ "$("$bindgen" --version)" != "wasm-bindgen $version" ]; then
    bindgen=$target/tools/bin/wasm-bindgen
    # With --locked it does not build.
    [ -x "$bindgen" ] || cargo install wasm-bindgen-cli --version "$version" --root "$target/tools"
fi

flags="-C target-feature=+simd128"
# Size matters more than speed in all that others wrote: the engine is ours.
args=(--config 'profile.release.package."*".opt-level="s"' --lib --release -p taut-view --features window --target wasm32-unknown-unknown
    --crate-type cdylib)
export CARGO_PROFILE_RELEASE_PANIC=abort CARGO_PROFILE_RELEASE_STRIP=true
if rustup target add wasm32-unknown-unknown 2>/dev/null; then
    RUSTFLAGS=$flags cargo rustc "${args[@]}"
else
    RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc RUSTFLAGS="$flags -C linker=wasm-ld-19" \
        /usr/bin/cargo rustc -Zbuild-std=std,panic_abort "${args[@]}"
fi

mkdir -p "$out"
"$bindgen" --target web --no-typescript --out-dir "$out" "$target/wasm32-unknown-unknown/release/taut_view.wasm"
cp crates/taut-view/web/index.html crates/taut-view/web/worker.js "$out/"
size() {
    printf '%s: %s bytes, %s by gzip' "$1" "$(wc -c <"$out/$1")" "$(gzip -9c "$out/$1" | wc -c)"
    if command -v brotli >/dev/null; then printf ', %s by brotli' "$(brotli -q 9 -c "$out/$1" | wc -c)"; fi
    echo
}
size taut_view_bg.wasm
size taut_view.js
