#!/usr/bin/env bash
# Makes the archive of a release for Linux x86-64, and looks over what would be published.
#   scripts/release.sh                   builds, packs and checks; the tree must be clean. Nothing is uploaded
#   scripts/release.sh --dirty           the same from a tree with changes, to try it
#   scripts/release.sh --program FILE    packs a program that is built already
#   scripts/release.sh --verify          also compiles every package as crates.io would, which takes long
# Everything goes to target/release-VERSION: the archive, SHA256SUMS, packages.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
dirty="" program="" verify="--no-verify"
while [[ $# -gt 0 ]]; do
    case "$1" in
        --dirty) dirty="--allow-dirty" ;;
        --verify) verify="" ;;
        --program) program="$2"; shift ;;
        *) sed -n '2,7p' "$0"; exit 2 ;;
    esac
    shift
done
fail() { echo "release: $*" >&2; exit 1; }

version="$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)"
[[ -n "$dirty" || -z "$(git status --porcelain)" ]] || fail "the tree has changes; commit them, or try with --dirty"
grep -q "^## $version" CHANGELOG.md || fail "CHANGELOG.md has no section for $version"
python3 scripts/licences.py --check
python3 scripts/check_links.py
out="target/release-$version"
rm -rf "$out"
mkdir -p "$out"

echo "== crates, in the order they are published"
# `cargo publish --workspace` knows the order; by hand it is this.
for crate in taut taut-scene taut-render taut-studio taut-lab taut-papers taut-view taut-cli; do
    cargo package --list -p "$crate" $dirty 2> /dev/null | sed "s|^|$crate/|" >> "$out/packages.txt"
    echo "$crate: $(grep -c "^$crate/" "$out/packages.txt") files"
done
# shellcheck disable=SC2086
cargo publish --workspace --dry-run $verify $dirty

# Static where Rust has the target: such a program runs on any Linux of the last ten years.
target="x86_64-unknown-linux-musl"
if [[ -z "$program" ]]; then
    if ! rustup target list --installed 2> /dev/null | grep -qx "$target" && ! rustup target add "$target"; then
        target="x86_64-unknown-linux-gnu"
        echo "no target for static programs: rustup target add x86_64-unknown-linux-musl failed. This one needs the glibc of this machine, or a newer one."
    fi
    echo "== building for $target"
    cargo build --release --locked -p taut-cli --target "$target"
    program="${CARGO_TARGET_DIR:-target}/$target/release/taut"
elif ldd "$program" 2> /dev/null | grep -q "=>"; then
    target="x86_64-unknown-linux-gnu"
fi

echo "== packing"
name="taut-$version-$target"
mkdir -p "$out/$name"
cp "$program" "$out/$name/taut"
strip "$out/$name/taut"
cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE THIRD-PARTY.md SECURITY.md ARCHITECTURE.md CONTRIBUTING.md "$out/$name/"
cp -r docs "$out/$name/docs"
cp -r crates/taut-scene/scenes "$out/$name/scenes"
# The same bytes from the same commit and program: names in order, one time, no owner.
tar --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
    -C "$out" -cf - "$name" | gzip -9n > "$out/$name.tar.gz"
rm -r "${out:?}/$name"
(cd "$out" && sha256sum -- *.tar.gz > SHA256SUMS)

echo "== trying it"
trial="$(mktemp -d)"
trap 'rm -rf "$trial"' EXIT
tar -C "$trial" -xzf "$out/$name.tar.gz"
(cd "$out" && sha256sum --check --quiet SHA256SUMS)
[[ "$("$trial/$name/taut" --version)" == "taut $version" ]] || fail "the program is not of version $version"
# Who has the archive alone follows the README; only the sources are elsewhere.
while read -r link; do
    [[ "$link" == crates/* || -e "$trial/$name/$link" ]] || fail "README.md points at $link, which the archive has not"
done < <(grep -oE '\]\([^)#:]+' "$trial/$name/README.md" | cut -c3- | sort -u)
(cd "$trial" && "./$name/taut" run "$name/scenes/hang.toml" --frames 3 --no-pictures --threads 1 --quiet)
[[ -s "$trial/out/hang/taut.json" ]] || fail "the program wrote nothing"
ls -l "$out"
echo "$out/$name.tar.gz"
