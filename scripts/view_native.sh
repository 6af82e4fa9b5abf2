#!/usr/bin/env bash
# Opens the real window without a display, by Mesa's software drivers, and takes pictures of five scenes and of the window:
# scripts/view_native.sh FOLDER. Needs (Debian): xvfb mesa-vulkan-drivers libgl1-mesa-dri xdotool imagemagick; `install` as the
# second argument installs them.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mkdir -p "$1" && cd "$1" && pwd)
[ "${2:-}" != install ] || apt-get install -y xvfb mesa-vulkan-drivers libgl1-mesa-dri xdotool imagemagick libxkbcommon-x11-0 libxcursor1 libxi6
taut=${TAUT:-${CARGO_TARGET_DIR:-target}/release/taut}
[ -x "$taut" ] || cargo build --release -p taut-cli --features view

export DISPLAY=:${VIEW_DISPLAY:-97} XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
Xvfb "$DISPLAY" -screen 0 1400x900x24 >/dev/null 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
sleep 1

# scene, frame, colours
while read -r scene frame heat; do
    "$taut" view "$scene" --heat "$heat" --size 1200x760 --picture "$out/$scene-$heat.png" --at "$frame"
    colours=$(identify -format %k "$out/$scene-$heat.png")
    echo "$scene at frame $frame in $heat: $colours colours"
    [ "$colours" -gt 500 ] || { echo "the picture of $scene is empty"; exit 1; }
done <<'SCENES'
drape 90 cloth
hang 60 warp
flag 120 cloth
limits 90 use
jelly 60 stretch
SCENES

# The whole window, and a hand in it: play, pull, pause.
"$taut" view hang --size 1280x800 &
window=$!
sleep 12
# Without a window manager nothing gives it the keyboard.
xdotool search --name '^taut: ' windowfocus
import -window root "$out/window-before.png"
xdotool mousemove 420 420 sleep 0.2 mousedown 1
for step in 1 2 3 4 5 6 7 8 9 10; do xdotool mousemove_relative -- 12 -14 sleep 0.15; done
import -window root "$out/window-pulled.png"
xdotool mouseup 1 sleep 0.2 key 3 sleep 1 key space sleep 1
import -window root "$out/window-after.png"

# The dialog that opens files, and the wheel at its farthest.
xdotool key o sleep 6
import -window root "$out/window-open.png"
xdotool key Escape sleep 0.5 mousemove 420 420
for step in $(seq 40); do xdotool click 5; done
sleep 2
import -window root "$out/window-far.png"
kill -0 $window && kill $window

# Frames of this one take seconds: the window answers all the same, and stop means stop.
cat > "$out/heavy.toml" <<'SCENE'
[time]
fps = 24
frames = 100
[solver]
kind = "pbd"
substeps = 1500
[[cloth]]
name = "heavy"
generate = { kind = "sheet", nx = 120, ny = 120, centre = [0, 1, 0] }
[[pin]]
body = "heavy"
select = { group = "top" }
SCENE
"$taut" view "$out/heavy.toml" --size 1280x800 &
window=$!
sleep 14
xdotool search --name '^taut: ' windowfocus sleep 0.5 key space sleep 1
import -window root "$out/heavy-stopped.png"
xdotool key 3 sleep 12
import -window root "$out/heavy-later.png"
kill -0 $window && kill $window
compare -metric AE "$out/window-before.png" "$out/window-pulled.png" null: 2>&1 | sed 's/$/ pixels changed by the hand\n/' || true
