#!/usr/bin/env bash
# Draws the pictures of the viewer's gallery: one tile for each built-in scene, in one PNG. Needs ImageMagick.
set -euo pipefail
cd "$(dirname "$0")/.."
taut=${TAUT:-${CARGO_TARGET_DIR:-target}/release/taut}
[ -x "$taut" ] || cargo build --release -p taut-cli
tiles=$(mktemp -d)
trap 'rm -r "$tiles"' EXIT
"$taut" scenes --json | python3 -c 'import json,sys; print("\n".join(s["name"] for s in json.load(sys.stdin)))' >crates/taut-view/assets/gallery.txt
while read -r name; do
    "$taut" render "$name" --frame "${FRAME:-75}" --size 320x240 --out "$tiles/$name.png" --quiet
    convert "$tiles/$name.png" -resize 160x120 "$tiles/$name.ppm"
done <crates/taut-view/assets/gallery.txt
montage $(sed "s|.*|$tiles/&.ppm|" crates/taut-view/assets/gallery.txt) -tile 6x -geometry 160x120+0+0 "$tiles/all.ppm"
convert "$tiles/all.ppm" +dither -colors 200 -define png:color-type=3 crates/taut-view/assets/gallery.png
