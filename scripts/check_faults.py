#!/usr/bin/env python3
"""Kills runs of taut at random moments and looks at what they leave; fills a small disk under one; takes a folder away.

    scripts/check_faults.py path/to/taut [--kills 200] [--seed N]

After every kill, each file that stands under its final name is whole as far as it says so itself, and the run goes on with --resume; when
it is through, its results are those of a run that nobody disturbed, byte by byte. The small disk needs the right to mount one, and is
left out without it. Exit code 0 if everything held.
"""

import argparse
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SCENE = """
[time]
fps = 60
frames = 90
[solver]
substeps = 4
[[cloth]]
name = "sheet"
generate = { kind = "sheet", nx = 15, ny = 15, centre = [0, 1, 0] }
[[pin]]
body = "sheet"
select = "left"
[output]
formats = FORMATS
pictures = { every = 30, size = [160, 120] }
"""
VERTICES = 225
# What depends on time, or on how often the run was taken up.
CHANGING = {"metrics.jsonl", "checkpoint.bin", "report.html", "taut.json", ".taut.lock"}


def fail(message):
    print(f"FAILED: {message}")
    sys.exit(1)


def whole(path):
    """Why a file is not whole, or None."""
    with open(path, "rb") as file:
        data = file.read()
    name = os.path.basename(path)
    if name.endswith(".tmp") or name.endswith(".spool") or name == ".taut.lock":
        return None
    if name.endswith(".pc2"):
        magic, version, points, _, _, samples = struct.unpack("<12siiffi", data[:32])
        good = magic == b"POINTCACHE2\0" and points == VERTICES and len(data) >= 32 + samples * points * 12
        return None if good else f"{samples} samples promised in {len(data)} bytes"
    if name.endswith(".mdd"):
        slots, points = struct.unpack(">ii", data[:8])
        times = struct.unpack(f">{slots}f", data[8 : 8 + 4 * slots])
        # A sample that is not there yet lies at the end of time.
        done = sum(1 for at in times if at < 3e38)
        room = (len(data) - 8 - 4 * slots) // (12 * points)
        good = points == VERTICES and room >= done and list(times[:done]) == sorted(times[:done])
        return None if good else f"{done} samples promised, room for {room}"
    if name.endswith(".glb"):
        return None if struct.unpack("<I", data[8:12])[0] == len(data) else "its length is another"
    if name.endswith(".abc"):
        # The sixth byte says that all of it was written.
        return None if data[:6] == b"Ogawa\xff" else "it is not closed"
    if name.endswith(".usda"):
        return None if data.rstrip().endswith(b"}") else "it is cut off"
    if name.endswith(".png"):
        return None if data.endswith(b"IEND\xaeB`\x82") else "it is cut off"
    if name.endswith(".gif"):
        return None if data.endswith(b";") else "it is cut off"
    if name.endswith(".html"):
        return None if data.rstrip().endswith(b"</html>") else "it is cut off"
    if name == "taut.json":
        json.loads(data)
    if name == "metrics.jsonl":
        lines = data.split(b"\n")[:-1]
        frames = [json.loads(line)["frame"] for line in lines]
        return None if frames == list(range(len(frames))) else "frames are missing"
    return None


def check_folder(folder):
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            try:
                wrong = whole(path)
            except Exception as error:  # whatever cannot be read is not whole
                wrong = repr(error)
            if wrong:
                fail(f"{path}: {wrong}")


def files(folder):
    """What must be the same however often a run was killed."""
    out = {}
    for base, _, names in os.walk(folder):
        for name in names:
            if name not in CHANGING:
                path = os.path.join(base, name)
                with open(path, "rb") as file:
                    out[os.path.relpath(path, folder)] = file.read()
    return out


def formats(taut):
    """Every format that the program writes, as its schema says."""
    schema = json.loads(subprocess.run([taut, "schema"], capture_output=True, text=True, check=True).stdout)
    return [each["const"] for each in schema["properties"]["output"]["properties"]["formats"]["items"]["oneOf"]]


def run(taut, place, out, *flags, **options):
    command = [taut, "run", "scene.toml", "--out", out, "--quiet", "--json", "--checkpoint", "0.02", *flags]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, **options)


def kills(taut, place, count):
    begun = time.monotonic()
    reference = run(taut, place, "whole")
    if reference.returncode != 0:
        fail(reference.stderr)
    length = time.monotonic() - begun
    state, expected = json.loads(reference.stdout)["state_hash"], files(os.path.join(place, "whole"))
    folder = os.path.join(place, "killed")
    done = finished = since = 0
    # After the last kill, and now and then before, a run may end: on a busy machine none would by chance.
    while done < count or since:
        command = [taut, "run", "scene.toml", "--out", "killed", "--quiet", "--json", "--checkpoint", "0.02", "--resume"]
        child = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        patience = None if since >= 20 or done >= count else random.uniform(0.0, 0.8 * length)
        try:
            said, errors = child.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            done += 1
            since += 1
            check_folder(folder)
            continue
        if child.returncode != 0:
            fail(f"after {done} kills: {errors}")
        finished += 1
        since = 0
        if json.loads(said)["state_hash"] != state:
            fail(f"after {done} kills the state is another")
        found = files(folder)
        for name in sorted(set(expected) | set(found)):
            if expected.get(name) != found.get(name):
                fail(f"after {done} kills {name} is another")
        shutil.rmtree(folder)
    print(f"{done} kills, {finished} runs taken to their end: all whole, all the same")
    return state


def two_runs(taut, place, state):
    """A second run on a folder is refused while the first is at it, and disturbs nothing."""
    command = [taut, "run", "scene.toml", "--out", "shared", "--quiet", "--json"]
    first = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lock = os.path.join(place, "shared", ".taut.lock")
    while not os.path.exists(lock) and first.poll() is None:
        time.sleep(0.002)
    first.send_signal(signal.SIGSTOP)
    second = run(taut, place, "shared")
    first.send_signal(signal.SIGCONT)
    said, errors = first.communicate()
    if second.returncode == 0:
        fail("two runs work on one folder")
    if first.returncode != 0 or json.loads(said)["state_hash"] != state:
        fail(f"a second run disturbed the first: {errors}")
    print(f"a second run: {second.stderr.strip().splitlines()[0]}")


def small_disk(taut, place, state):
    disk = os.path.join(place, "disk")
    os.mkdir(disk)
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", disk]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        print("no right to mount a small disk: left out")
        return
    try:
        full = run(taut, place, "disk/o", "--no-pictures")
        if full.returncode != 1 or "No space left on device" not in full.stderr or "cannot " not in full.stderr:
            fail(f"a full disk gives {full.returncode}: {full.stderr}")
        check_folder(os.path.join(disk, "o"))
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        more = run(taut, place, "disk/o", "--no-pictures", "--resume")
        if more.returncode != 0 or json.loads(more.stdout)["state_hash"] != state:
            fail(f"a run does not go on after the disk was full: {more.stderr}")
        print(f"a full disk: {full.stderr.strip()}; went on when there was room")
        before = files(os.path.join(disk, "o"))
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        closed = run(taut, place, "disk/o", "--no-pictures", "--frames", "95", "--resume")
        if closed.returncode != 1 or "Read-only file system" not in closed.stderr:
            fail(f"a disk that cannot be written to gives {closed.returncode}: {closed.stderr}")
        if files(os.path.join(disk, "o")) != before:
            fail("a run on a disk that cannot be written to has changed something")
        print(f"a disk that cannot be written to: {closed.stderr.strip()}")
    finally:
        subprocess.run(["umount", disk])


def vanished(taut, place):
    folder = os.path.join(place, "gone")
    command = [taut, "run", "scene.toml", "--out", "gone", "--quiet", "--checkpoint", "0.02", "--frames", "1000000"]
    command += ["--no-pictures", "--formats", "pc2"]
    child = subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, text=True)
    while not os.path.exists(os.path.join(folder, "checkpoint.bin")):
        if child.poll() is not None:
            fail(f"a run ended before its folder was taken away: {child.stderr.read()}")
        time.sleep(0.01)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    _, errors = child.communicate(timeout=60)
    if child.returncode != 1 or "cannot " not in errors:
        fail(f"a folder that vanished gives {child.returncode}: {errors}")
    print(f"a folder that vanished: {errors.strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("taut")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random.seed(args.seed)
    taut = os.path.abspath(args.taut)
    known = formats(taut)
    with tempfile.TemporaryDirectory(prefix="taut-faults-") as place:
        with open(os.path.join(place, "scene.toml"), "w") as file:
            file.write(SCENE.replace("FORMATS", json.dumps(known)))
        print(f"all formats: {', '.join(known)}")
        state = kills(taut, place, args.kills)
        two_runs(taut, place, state)
        small_disk(taut, place, state)
        vanished(taut, place)
    print("everything held")


if __name__ == "__main__":
    main()
