#!/usr/bin/env python3.11
"""Opens what taut has written in the programs it was written for, and compares the numbers.

    cargo run --release --example write_all -- OUT
    python3.11 scripts/check_formats.py OUT

OUT is a folder with outputs of taut: any of *.pc2, *.mdd, scene.usda, scene.glb, obj/, ply/, scene.pvd and vtu/. Each
is read by another program (Blender as the Python package bpy, usd-core, meshio) and compared at three frames with
OUT/expected.json, or, if there is none, with the PLY or OBJ sequence. Prints a table; exits with 1 if anything
differs or could not be read, and with 2 if there is nothing to compare.

Needs Python 3.11 and nothing else: the packages go into a virtual environment in target/check_formats (--venv).
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import traceback
from pathlib import Path
from xml.etree import ElementTree

PACKAGES = ["bpy==5.0.1", "usd-core", "meshio"]
# What bpy loads from the system, by the names of Debian and Ubuntu.
LIBRARIES = "libxi6 libxxf86vm1 libxfixes3 libxrender1 libgl1 libegl1 libsm6 libice6 libxkbcommon0 libgomp1".split()
# Positions are a few metres and pass through 32-bit floats.
TOLERANCE = 2e-6
ROW = "ROW\t"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="a folder with outputs of taut")
    parser.add_argument("--venv", type=Path, default=Path(__file__).parents[1] / "target" / "check_formats")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return worker(args.worker, args.out)
    if not args.out.is_dir():
        print(f"{args.out} is not a folder", file=sys.stderr)
        return 2
    if sys.version_info[:2] != (3, 11):
        print("bpy 5.0 exists for Python 3.11 only: run this with python3.11", file=sys.stderr)
        return 2
    python = environment(args.venv)
    rows = []
    # One process each: bpy and usd-core both bring USD, and would load each other's libraries.
    for name in WORKERS:
        rows += run_worker(python, name, args.out)
    return report(rows)


def environment(venv):
    """A virtual environment with the packages; made once, then reused."""
    python = venv / "bin" / "python"
    done = venv / "packages.txt"
    if not (done.is_file() and done.read_text() == "\n".join(PACKAGES)):
        print(f"installing {', '.join(PACKAGES)} into {venv}", file=sys.stderr)
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        done.write_text("\n".join(PACKAGES))
    need_libraries(python)
    return python


def need_libraries(python):
    """bpy is Blender as a library and needs a few others, even without a screen."""
    probe = subprocess.run([str(python), "-c", "import bpy"], capture_output=True, text=True)
    if probe.returncode == 0:
        return
    install = ["apt-get", "install", "-y", "-qq", *LIBRARIES]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"bpy does not load; installing {' '.join(LIBRARIES)}", file=sys.stderr)
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(install, check=True)
        probe = subprocess.run([str(python), "-c", "import bpy"], capture_output=True, text=True)
        if probe.returncode == 0:
            return
    sys.exit(f"bpy does not load:\n{probe.stderr}\nOn Debian or Ubuntu: sudo {' '.join(install)}")


def run_worker(python, name, out):
    command = [str(python), __file__, "--worker", name, str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    rows = [json.loads(line.removeprefix(ROW)) for line in lines if line.startswith(ROW)]
    if done.returncode != 0:
        rows.append([name, "-", f"ended with {done.returncode}", None, False])
        print(done.stdout[-4000:], done.stderr[-4000:], sep="\n", file=sys.stderr)
    return rows


def report(rows):
    if not rows:
        print("nothing to check in this folder", file=sys.stderr)
        return 2
    table = [["reader", "file", "what", "largest difference", ""]]
    for reader, file, what, worst, ok in rows:
        table.append([reader, file, what, "" if worst is None else f"{worst:.1e}", "ok" if ok else "FAILED"])
    widths = [max(len(row[column]) for row in table) for column in range(5)]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    failed = sum(not row[4] for row in rows)
    print(f"\n{len(rows)} checks, {failed} failed")
    return 1 if failed else 0


class Checks:
    """Collects the rows of one reader."""

    def __init__(self, reader):
        self.reader = reader

    def row(self, file, what, worst, ok):
        print(ROW + json.dumps([self.reader, str(file), what, worst, bool(ok)]), flush=True)

    def same(self, file, what, found, expected):
        self.row(file, what, None, found == expected)
        if found != expected:
            print(f"{file}, {what}: found {str(found)[:200]}, expected {str(expected)[:200]}", file=sys.stderr)

    def close(self, file, what, found, expected, tolerance=TOLERANCE):
        """Several pairs of arrays of one kind, such as one for each frame."""
        import numpy as np

        worst = 0.0
        for f, e in zip(found, expected, strict=True):
            f, e = np.asarray(f, float), np.asarray(e, float)
            if f.shape != e.shape:
                self.row(file, f"{what}: shape {f.shape}, expected {e.shape}", None, False)
                return
            worst = max(worst, float(np.abs(f - e).max(initial=0.0)))
            if np.isnan(f).any():
                worst = float("inf")
        self.row(file, what, worst, worst <= tolerance)

    def guard(self, file, check, *args):
        """Runs a check on a file; an exception is a failed row."""
        try:
            check(self, *args)
        except Exception as error:
            traceback.print_exc()
            self.row(file, f"{type(error).__name__}: {error}"[:120].replace("\n", " "), None, False)


class Reference:
    """What the files must contain."""

    def __init__(self, out):
        path = out / "expected.json"
        if path.is_file():
            data = json.loads(path.read_text())
            self.fps, self.count, self.killed_at = data["fps"], data["frames"], data["killed_at"]
            self.objects, self.source = data["objects"], "json"
        else:
            self.from_sequence(out)
        self.frames = sorted(int(frame) for frame in self.objects[0]["frames"])

    def from_sequence(self, out):
        """Without a description, the plainest of the outputs is the measure of the others."""
        for self.source in ["ply", "obj"]:
            files = sorted((out / self.source).glob(f"*_[0-9]*.{self.source}"))
            if files:
                break
        else:
            sys.exit("there is neither expected.json nor an OBJ or PLY sequence to compare with")
        by_stem = {}
        for file in files:
            stem, frame = re.fullmatch(r"(.*)_(\d{4,})", file.stem).groups()
            by_stem.setdefault(stem, {})[int(frame)] = file
        self.count = max(max(frames) for frames in by_stem.values()) + 1
        self.killed_at = None
        usd = out / "scene.usda"
        found = re.search(r"timeCodesPerSecond = ([\d.]+)", usd.read_text()[:1000]) if usd.is_file() else None
        self.fps = float(found[1]) if found else 24.0
        self.objects = []
        for stem, files in by_stem.items():
            shown = {}
            for frame in {0, self.count // 2, self.count - 1}:
                points, surface = read_surface(files[frame])
                shown[str(frame)] = {"positions": points}
            self.objects.append({"name": None, "stem": stem, "frames": shown, "surface": surface})

    def positions(self, item, frame):
        return item["frames"][str(frame)]["positions"]

    def all_positions(self, item):
        return [self.positions(item, frame) for frame in self.frames]


def read_surface(file):
    """Points and triangles of an OBJ or PLY. (meshio takes no OBJ whose corners have their own coordinates.)"""
    if file.suffix == ".ply":
        import meshio

        mesh = meshio.read(file)
        return mesh.points.tolist(), mesh.cells_dict["triangle"].tolist()
    points, triangles = [], []
    for line in file.read_text().splitlines():
        kind, *words = line.split()
        if kind == "v":
            points.append([float(word) for word in words])
        elif kind == "f":
            triangles.append([int(word.split("/")[0]) - 1 for word in words])
    return points, triangles


# --- Blender -------------------------------------------------------------------------------------------------------


def check_blender(out, reference):
    checks = Checks("Blender")
    for item in reference.objects:
        for kind in ["pc2", "mdd"]:
            file = out / f"{item['stem']}.{kind}"
            if file.is_file():
                checks.guard(file.name, blender_cache, file, reference, item)
            killed = out / "killed" / file.name
            if killed.is_file() and reference.killed_at:
                checks.guard(f"killed/{file.name}", blender_killed, killed, reference, item)
    for name, check in [("scene.usda", blender_usd), ("scene.glb", blender_glb)]:
        if (out / name).is_file():
            checks.guard(name, check, out / name, reference)


def blender_reset(reference):
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = round(reference.fps)
    bpy.context.scene.render.fps_base = round(reference.fps) / reference.fps


def blender_positions(thing, frame):
    """Where Blender has the vertices of an object at a frame, all modifiers applied, in taut's axes."""
    import bpy
    import numpy as np

    bpy.context.scene.frame_set(frame)
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    local = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", local)
    matrix = np.array(evaluated.matrix_world, float)
    world = local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    evaluated.to_mesh_clear()
    # Blender is z up: (x, y, z) of taut is (x, −z, y) there.
    return np.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1)


def blender_with_cache(file, reference, mode):
    """The rest mesh with the cache on it, as a person would set it up."""
    import bpy

    blender_reset(reference)
    bpy.ops.wm.obj_import(filepath=str(file.with_suffix(".obj")))
    thing = bpy.context.selected_objects[0]
    modifier = thing.modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format = file.suffix[1:].upper()
    modifier.filepath = str(file.resolve())
    modifier.time_mode = mode
    modifier.frame_start = 0
    return thing


def blender_cache(checks, file, reference, item):
    thing = blender_with_cache(file, reference, "FRAME")
    found = [blender_positions(thing, frame) for frame in reference.frames]
    checks.close(file.name, f"positions at frames {reference.frames}", found, reference.all_positions(item))


def blender_killed(checks, file, reference, item):
    """A cache that was never finished: the full frames are right, and the last one holds."""
    last = reference.killed_at - 1
    name = f"killed/{file.name}"
    thing = blender_with_cache(file, reference, "FRAME")
    found = [blender_positions(thing, frame) for frame in [0, last]]
    expected = [reference.positions(item, frame) for frame in [0, last]]
    checks.close(name, f"positions at frames {[0, last]}", found, expected)
    # By frame number an MDD has nothing to show there; by time it has, see the notes in mdd.rs.
    thing = blender_with_cache(file, reference, "TIME" if file.suffix == ".mdd" else "FRAME")
    checks.close(name, "last full frame holds", [blender_positions(thing, reference.count - 1)], expected[1:])


def blender_meshes():
    import bpy

    return [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]


def blender_usd(checks, file, reference):
    import bpy

    blender_reset(reference)
    bpy.ops.wm.usd_import(filepath=str(file.resolve()))
    checks.same(file.name, "number of meshes", len(blender_meshes()), len(reference.objects))
    for thing, item in paired(blender_meshes(), reference, "identifier"):
        found = [blender_positions(thing, frame) for frame in reference.frames]
        checks.close(file.name, f"{thing.name}: positions", found, reference.all_positions(item))


def blender_glb(checks, file, reference):
    import bpy
    import numpy as np

    blender_reset(reference)
    bpy.ops.import_scene.gltf(filepath=str(file.resolve()))
    checks.same(file.name, "number of meshes", len(blender_meshes()), len(reference.objects))
    for thing, item in paired(blender_meshes(), reference, "name"):
        # A GLB has only the vertices of the surface, and those on seams several times: find who is who at first.
        surface = np.unique(np.array(item["surface"]))
        first = np.array(reference.positions(item, reference.frames[0]))[surface]
        at_first = blender_positions(thing, reference.frames[0])
        match = np.array([np.abs(first - point).max(axis=1).argmin() for point in at_first])
        checks.same(file.name, f"{thing.name}: all vertices there", len(np.unique(match)), len(surface))
        found = [blender_positions(thing, frame) for frame in reference.frames]
        expected = [np.array(positions)[surface][match] for positions in reference.all_positions(item)]
        checks.close(file.name, f"{thing.name}: positions", found, expected)


def paired(things, reference, key, name_of=lambda thing: thing.name):
    """Each mesh with its reference: by name, or in the order of names if the reference has only files."""
    named = {item.get(key): item for item in reference.objects}
    if None in named:
        items = sorted(reference.objects, key=lambda item: item["stem"])
        return list(zip(sorted(things, key=name_of), items, strict=True))
    return [(thing, named[name_of(thing)]) for thing in things]


# --- usd-core ------------------------------------------------------------------------------------------------------


def check_usd(out, reference):
    checks = Checks("usd-core")
    if (out / "scene.usda").is_file():
        checks.guard("scene.usda", usd_stage, out / "scene.usda", reference)


def usd_stage(checks, file, reference):
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(str(file))
    checks.same(file.name, "metres per unit", UsdGeom.GetStageMetersPerUnit(stage), 1.0)
    checks.same(file.name, "up axis", UsdGeom.GetStageUpAxis(stage), "Y")
    checks.same(file.name, "time codes per second", stage.GetTimeCodesPerSecond(), reference.fps)
    span = [stage.GetStartTimeCode(), stage.GetEndTimeCode()]
    checks.same(file.name, "first and last frame", span, [0.0, reference.count - 1.0])
    meshes = [UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    checks.same(file.name, "number of meshes", len(meshes), len(reference.objects))
    for mesh, item in paired(meshes, reference, "identifier", lambda mesh: mesh.GetPrim().GetName()):
        usd_mesh(checks, file, reference, mesh, item)


def usd_mesh(checks, file, reference, mesh, item):
    import numpy as np
    from pxr import UsdGeom

    name = mesh.GetPrim().GetName()
    at = reference.frames
    points = [np.array(mesh.GetPointsAttr().Get(frame)) for frame in at]
    checks.close(file.name, f"{name}: positions", points, reference.all_positions(item))
    surface = np.array(item["surface"])
    indices = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    checks.same(file.name, f"{name}: faces", indices.tolist(), surface.tolist())
    counts = np.array(mesh.GetFaceVertexCountsAttr().Get())
    valid = UsdGeom.Mesh.ValidateTopology(mesh.GetFaceVertexIndicesAttr().Get(), counts.tolist(), len(points[0]))
    checks.same(file.name, f"{name}: topology is valid", valid[0] if isinstance(valid, tuple) else valid, True)
    extents = [np.array(mesh.GetExtentAttr().Get(frame)) for frame in at]
    boxes = [np.array([np.min(p, axis=0), np.max(p, axis=0)]) for p in reference.all_positions(item)]
    checks.close(file.name, f"{name}: extent", extents, boxes)
    api = UsdGeom.PrimvarsAPI(mesh)
    if item.get("uvs"):
        corners = np.array(item["uvs"])[np.array(item["uv_triangles"]).ravel()]
        checks.close(file.name, f"{name}: texture coordinates", [api.GetPrimvar("st").ComputeFlattened()], [corners])
    expected = [item["frames"][str(frame)] for frame in at]
    if mesh.GetVelocitiesAttr().HasAuthoredValue() and "velocities" in expected[0]:
        found = [mesh.GetVelocitiesAttr().Get(frame) for frame in at]
        checks.close(file.name, f"{name}: velocities", found, [e["velocities"] for e in expected])
    for field in expected[0].get("fields", {}):
        primvar = api.GetPrimvar(field)
        if primvar.HasValue():
            found = [primvar.Get(frame) for frame in at]
            checks.close(file.name, f"{name}: {field}", found, [e["fields"][field] for e in expected])


# --- meshio --------------------------------------------------------------------------------------------------------


def check_meshio(out, reference):
    checks = Checks("meshio")
    for kind, reader in [("obj", "plain text"), ("ply", "meshio")]:
        if (out / kind).is_dir() and reference.source != kind:
            for item in reference.objects:
                Checks(reader).guard(f"{kind}/{item['stem']}_*.{kind}", meshio_surface, out, reference, item, kind)
    if (out / "scene.pvd").is_file():
        checks.guard("scene.pvd", meshio_list, out, reference)
        for item in reference.objects:
            checks.guard(f"vtu/{item['stem']}_*.vtu", meshio_grid, out, reference, item)


def files_of(out, reference, item, kind):
    return [out / kind / f"{item['stem']}_{frame:04}.{kind}" for frame in reference.frames]


def meshio_surface(checks, out, reference, item, kind):
    file = f"{kind}/{item['stem']}_*.{kind}"
    meshes = [read_surface(path) for path in files_of(out, reference, item, kind)]
    checks.close(file, "positions", [points for points, _ in meshes], reference.all_positions(item))
    checks.same(file, "faces", meshes[0][1], item["surface"])


def meshio_list(checks, out, reference):
    entries = ElementTree.parse(out / "scene.pvd").getroot().findall("./Collection/DataSet")
    checks.same("scene.pvd", "entries", len(entries), reference.count * len(reference.objects))
    checks.same("scene.pvd", "files exist", all((out / e.get("file")).is_file() for e in entries), True)
    times = [float(entry.get("timestep")) for entry in entries if entry.get("part") == "0"]
    checks.close("scene.pvd", "times", [times], [[frame / reference.fps for frame in range(reference.count)]])


def meshio_grid(checks, out, reference, item):
    import meshio

    file = f"vtu/{item['stem']}_*.vtu"
    meshes = [meshio.read(path) for path in files_of(out, reference, item, "vtu")]
    exact = 1e-15 if reference.source == "json" else TOLERANCE
    checks.close(file, "positions", [mesh.points for mesh in meshes], reference.all_positions(item), exact)
    kind, cells = ("tetra", item["tets"]) if item.get("tets") else ("triangle", item["surface"])
    if "tets" in item or kind in meshes[0].cells_dict:
        checks.same(file, f"cells of kind {kind}", meshes[0].cells_dict[kind].tolist(), cells)
    expected = [item["frames"][str(frame)] for frame in reference.frames]
    if "velocities" in expected[0]:
        found = [mesh.point_data["velocity"] for mesh in meshes]
        checks.close(file, "velocity", found, [e["velocities"] for e in expected], exact)
    for field in expected[0].get("fields", {}):
        found = [mesh.point_data[field] if field in mesh.point_data else mesh.cell_data[field][0] for mesh in meshes]
        checks.close(file, field, found, [e["fields"][field] for e in expected], exact)


WORKERS = {"Blender": check_blender, "usd-core": check_usd, "meshio": check_meshio}


def worker(name, out):
    WORKERS[name](out, Reference(out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
