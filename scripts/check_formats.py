#!/usr/bin/env python3.11
"""Opens what taut has written in the programs it was written for, and compares the numbers.

    cargo run --release --example write_all -- OUT
    python3.11 scripts/check_formats.py OUT

OUT is a folder with outputs of taut: any of *.pc2, *.mdd, scene.abc, scene.usda, scene.usdc, scene.glb, obj/, ply/, scene.pvd and vtu/. Each
is read by another program (Blender as the Python package bpy, usd-core, alembic3d, meshio) and compared at three frames with
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

PACKAGES = ["bpy==5.0.1", "usd-core", "meshio", "alembic3d"]
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
            self.first = data.get("first", 0)
        else:
            self.from_sequence(out)
        self.frames = sorted(int(frame) for frame in self.objects[0]["frames"])
        for item in self.objects:
            polygons(item)

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
        self.first = min(min(frames) for frames in by_stem.values())
        self.count = max(max(frames) for frames in by_stem.values()) + 1 - self.first
        self.killed_at = None
        usd = out / "scene.usda"
        found = re.search(r"timeCodesPerSecond = ([\d.]+)", usd.read_text()[:1000]) if usd.is_file() else None
        self.fps = float(found[1]) if found else 24.0
        self.objects = []
        for stem, files in by_stem.items():
            shown = {}
            for frame in {0, self.count // 2, self.count - 1}:
                points, surface = read_surface(files[self.first + frame])
                shown[str(frame)] = {"positions": points}
            self.objects.append({"name": None, "stem": stem, "frames": shown, "surface": surface})

    def positions(self, item, frame):
        return item["frames"][str(frame)]["positions"]

    def all_positions(self, item):
        return [self.positions(item, frame) for frame in self.frames]


def polygons(item):
    """Adds the faces of an object as the file that it came from has them."""
    if not item.get("face_ends"):
        item["faces"], item["uv_faces"] = item["surface"], item.get("uv_triangles")
        item["of_triangle"] = list(range(len(item["surface"])))
        return
    spans = list(zip([0, *item["face_ends"]], item["face_ends"]))
    item["faces"] = [item["face_corners"][a:b] for a, b in spans]
    item["uv_faces"] = [item["face_uvs"][a:b] for a, b in spans]
    item["of_triangle"] = item["face_of_triangle"]


def flat(lists):
    return [number for row in lists for number in row]


def of_faces(item, values):
    """Values of triangles as values of faces: the mean. Those of vertices stay."""
    import numpy as np

    if len(values) != len(item["of_triangle"]):
        return np.array(values)
    count = np.bincount(item["of_triangle"], minlength=len(item["faces"]))
    return np.bincount(item["of_triangle"], weights=values, minlength=len(item["faces"])) / count


def read_surface(file):
    """Points and faces of an OBJ or PLY. (meshio takes no OBJ whose corners have their own coordinates.)"""
    if file.suffix == ".ply":
        import meshio

        mesh = meshio.read(file)
        return mesh.points.tolist(), [row for block in mesh.cells for row in block.data.tolist()]
    points, faces = [], []
    for line in file.read_text().splitlines():
        kind, *words = line.split()
        if kind == "v":
            points.append([float(word) for word in words])
        elif kind == "f":
            faces.append([int(word.split("/")[0]) - 1 for word in words])
    return points, faces


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
    usd = [("scene.usda", blender_usd), ("scene.usdc", blender_usd)]
    for name, check in [*usd, ("scene.abc", blender_abc), ("scene.glb", blender_glb)]:
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
    modifier.frame_start = reference.first
    return thing


def blender_cache(checks, file, reference, item):
    thing = blender_with_cache(file, reference, "FRAME")
    found = [blender_positions(thing, reference.first + frame) for frame in reference.frames]
    checks.close(file.name, f"positions at frames {reference.frames}", found, reference.all_positions(item))
    blender_mesh(checks, f"{item['stem']}.obj", thing, item)


def blender_killed(checks, file, reference, item):
    """A cache that was never finished: the full frames are right, and the last one holds."""
    last = reference.killed_at - 1
    name = f"killed/{file.name}"
    thing = blender_with_cache(file, reference, "FRAME")
    found = [blender_positions(thing, reference.first + frame) for frame in [0, last]]
    expected = [reference.positions(item, frame) for frame in [0, last]]
    checks.close(name, f"positions at frames {[0, last]}", found, expected)
    # By frame number an MDD has nothing to show there; by time it has, see the notes in mdd.rs.
    thing = blender_with_cache(file, reference, "TIME" if file.suffix == ".mdd" else "FRAME")
    # The times of an MDD begin at 0 s, whatever the number of the first frame is.
    first = 0 if file.suffix == ".mdd" else reference.first
    thing.modifiers[0].frame_start = first
    checks.close(name, "last full frame holds", [blender_positions(thing, first + reference.count - 1)], expected[1:])


def blender_meshes():
    import bpy

    return [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]


def blender_usd(checks, file, reference):
    import bpy

    blender_reset(reference)
    bpy.ops.wm.usd_import(filepath=str(file.resolve()))
    checks.same(file.name, "number of meshes", len(blender_meshes()), len(reference.objects))
    for thing, item in paired(blender_meshes(), reference, "identifier"):
        found = [blender_positions(thing, reference.first + frame) for frame in reference.frames]
        checks.close(file.name, f"{thing.name}: positions", found, reference.all_positions(item))
        blender_mesh(checks, file.name, thing, item)


def blender_abc(checks, file, reference):
    import bpy
    import numpy as np

    blender_reset(reference)
    bpy.ops.wm.alembic_import(filepath=str(file.resolve()), as_background_job=False)
    checks.same(file.name, "number of meshes", len(blender_meshes()), len(reference.objects))
    for thing, item in paired(blender_meshes(), reference, "abc"):
        found = [blender_positions(thing, reference.first + frame) for frame in reference.frames]
        checks.close(file.name, f"{thing.name}: positions", found, reference.all_positions(item))
        blender_mesh(checks, file.name, thing, item)
        frame = reference.frames[1]
        expected = item["frames"][str(frame)].get("velocities")
        if expected is not None:
            found = blender_velocities(thing, reference.first + frame)
            checks.close(file.name, f"{thing.name}: velocities", [found], [np.array(expected)], 1e-4)


def blender_velocities(thing, frame):
    """What Blender takes for motion blur, m/s, in taut's axes."""
    import bpy
    import numpy as np

    bpy.context.scene.frame_set(frame)
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    attribute = evaluated.data.attributes["velocity"]
    values = np.empty(len(attribute.data) * 3, np.float32)
    attribute.data.foreach_get("vector", values)
    local = values.reshape(-1, 3)
    return np.stack([local[:, 0], local[:, 2], -local[:, 1]], axis=1)


def blender_mesh(checks, name, thing, item):
    """The mesh itself: polygons and their corners, texture coordinates, materials."""
    import numpy as np

    mesh = thing.data
    found = [list(polygon.vertices) for polygon in mesh.polygons]
    checks.same(name, f"{thing.name}: faces corner by corner", found, [list(face) for face in item["faces"]])
    if item.get("uvs"):
        checks.same(name, f"{thing.name}: has texture coordinates", len(mesh.uv_layers), 1)
        found = np.empty(len(mesh.loops) * 2, np.float32)
        mesh.uv_layers[0].data.foreach_get("uv", found)
        expected = np.array(item["uvs"])[flat(item["uv_faces"])]
        checks.close(name, f"{thing.name}: texture coordinates", [found.reshape(-1, 2)], [expected])
    if item.get("materials"):
        of = [mesh.materials[polygon.material_index].name.split(".")[0] for polygon in mesh.polygons]
        expected = [None] * len(of)
        for material, faces in item["materials"].items():
            for face in faces:
                expected[face] = material
        checks.same(name, f"{thing.name}: materials", of, expected)


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
    for name in ["scene.usda", "scene.usdc"]:
        if (out / name).is_file():
            checks.guard(name, usd_stage, out / name, reference)


def usd_stage(checks, file, reference):
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(str(file))
    checks.same(file.name, "metres per unit", UsdGeom.GetStageMetersPerUnit(stage), 1.0)
    checks.same(file.name, "up axis", UsdGeom.GetStageUpAxis(stage), "Y")
    checks.same(file.name, "time codes per second", stage.GetTimeCodesPerSecond(), reference.fps)
    span = [stage.GetStartTimeCode(), stage.GetEndTimeCode()]
    first = float(reference.first)
    checks.same(file.name, "first and last frame", span, [first, first + reference.count - 1])
    meshes = [UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    checks.same(file.name, "number of meshes", len(meshes), len(reference.objects))
    for mesh, item in paired(meshes, reference, "identifier", lambda mesh: mesh.GetPrim().GetName()):
        usd_mesh(checks, file, reference, mesh, item)


def usd_mesh(checks, file, reference, mesh, item):
    import numpy as np
    from pxr import UsdGeom

    name = mesh.GetPrim().GetName()
    at = [reference.first + frame for frame in reference.frames]
    points = [np.array(mesh.GetPointsAttr().Get(frame)) for frame in at]
    checks.close(file.name, f"{name}: positions", points, reference.all_positions(item))
    indices = np.array(mesh.GetFaceVertexIndicesAttr().Get())
    checks.same(file.name, f"{name}: corners", indices.tolist(), flat(item["faces"]))
    counts = np.array(mesh.GetFaceVertexCountsAttr().Get())
    checks.same(file.name, f"{name}: faces", counts.tolist(), [len(face) for face in item["faces"]])
    valid = UsdGeom.Mesh.ValidateTopology(mesh.GetFaceVertexIndicesAttr().Get(), counts.tolist(), len(points[0]))
    checks.same(file.name, f"{name}: topology is valid", valid[0] if isinstance(valid, tuple) else valid, True)
    extents = [np.array(mesh.GetExtentAttr().Get(frame)) for frame in at]
    boxes = [np.array([np.min(p, axis=0), np.max(p, axis=0)]) for p in reference.all_positions(item)]
    checks.close(file.name, f"{name}: extent", extents, boxes)
    api = UsdGeom.PrimvarsAPI(mesh)
    if item.get("uvs"):
        corners = np.array(item["uvs"])[flat(item["uv_faces"])]
        checks.close(file.name, f"{name}: texture coordinates", [api.GetPrimvar("st").ComputeFlattened()], [corners])
    expected = [item["frames"][str(frame)] for frame in reference.frames]
    if mesh.GetVelocitiesAttr().HasAuthoredValue() and "velocities" in expected[0]:
        found = [mesh.GetVelocitiesAttr().Get(frame) for frame in at]
        checks.close(file.name, f"{name}: velocities", found, [e["velocities"] for e in expected])
    for field in expected[0].get("fields", {}):
        primvar = api.GetPrimvar(field)
        if primvar.HasValue():
            found = [primvar.Get(frame) for frame in at]
            checks.close(file.name, f"{name}: {field}", found, [of_faces(item, e["fields"][field]) for e in expected])
    if item.get("materials"):
        from pxr import UsdShade

        subsets = UsdShade.MaterialBindingAPI(mesh).GetMaterialBindSubsets()
        found = {subset.GetPrim().GetName(): list(subset.GetIndicesAttr().Get()) for subset in subsets}
        checks.same(file.name, f"{name}: materials", found, item["materials"])


# --- alembic3d -----------------------------------------------------------------------------------------------------


def check_alembic(out, reference):
    checks = Checks("alembic3d")
    if (out / "scene.abc").is_file():
        checks.guard("scene.abc", alembic_archive, out / "scene.abc", reference)


def alembic_archive(checks, file, reference):
    from alembic3d.Abc import IArchive
    from alembic3d.AbcGeom import IPolyMesh, IXform

    top = IArchive(str(file)).getTop()
    checks.same(file.name, "number of objects", top.getNumChildren(), len(reference.objects))
    transforms = [top.getChild(number) for number in range(top.getNumChildren())]
    for transform, item in paired(transforms, reference, "abc", lambda thing: thing.getName()):
        schema = IXform(top, transform.getName()).getSchema()
        checks.same(file.name, f"{transform.getName()}: does not move", schema.isConstantIdentity(), True)
        alembic_mesh(checks, file, reference, IPolyMesh(transform, transform.getChild(0).getName()), item)


def alembic_mesh(checks, file, reference, mesh, item):
    import numpy as np
    from alembic3d.Abc import ISampleSelector
    from alembic3d.AbcGeom import IFloatGeomParam

    name, schema = mesh.getName(), mesh.getSchema()
    checks.same(file.name, f"{name}: samples", schema.getNumSamples(), reference.count)
    at = [ISampleSelector((reference.first + frame) / reference.fps) for frame in reference.frames]
    samples = [schema.getValue(time) for time in at]
    vectors = lambda values: np.array([tuple(value) for value in values])
    points = [vectors(sample.getPositions()) for sample in samples]
    checks.close(file.name, f"{name}: positions", points, reference.all_positions(item), 1e-6)
    # Alembic winds the other way.
    corners = flat([list(reversed(face)) for face in item["faces"]])
    checks.same(file.name, f"{name}: corners", list(samples[0].getFaceIndices()), corners)
    checks.same(file.name, f"{name}: faces", list(samples[0].getFaceCounts()), [len(face) for face in item["faces"]])
    expected = [item["frames"][str(frame)] for frame in reference.frames]
    if "velocities" in expected[0] and samples[0].getVelocities():
        found = [vectors(sample.getVelocities()) for sample in samples]
        checks.close(file.name, f"{name}: velocities", found, [e["velocities"] for e in expected])
    if item.get("uvs"):
        uvs = vectors(schema.getUVsParam().getExpandedValue(at[0]).getVals())
        corners = flat([list(reversed(face)) for face in item["uv_faces"]])
        checks.close(file.name, f"{name}: texture coordinates", [uvs], [np.array(item["uvs"])[corners]])
    fields = schema.getArbGeomParams()
    for field in expected[0].get("fields", {}) if fields.valid() else []:
        if fields.getPropertyHeader(field) is None:
            continue
        param = IFloatGeomParam(fields, field)
        found = [list(param.getExpandedValue(time).getVals()) for time in at]
        checks.close(file.name, f"{name}: {field}", found, [of_faces(item, e["fields"][field]) for e in expected])
    found = {set_name: list(schema.getFaceSet(set_name).getSchema().getValue().getFaces()) for set_name in schema.getFaceSetNames()}
    if reference.source == "json":
        checks.same(file.name, f"{name}: materials", found, item.get("materials") or {})


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
    return [out / kind / f"{item['stem']}_{reference.first + frame:04}.{kind}" for frame in reference.frames]


def meshio_surface(checks, out, reference, item, kind):
    file = f"{kind}/{item['stem']}_*.{kind}"
    meshes = [read_surface(path) for path in files_of(out, reference, item, kind)]
    checks.close(file, "positions", [points for points, _ in meshes], reference.all_positions(item))
    checks.same(file, "faces", meshes[0][1], [list(face) for face in item["faces"]])


def meshio_list(checks, out, reference):
    entries = ElementTree.parse(out / "scene.pvd").getroot().findall("./Collection/DataSet")
    checks.same("scene.pvd", "entries", len(entries), reference.count * len(reference.objects))
    checks.same("scene.pvd", "files exist", all((out / e.get("file")).is_file() for e in entries), True)
    times = [float(entry.get("timestep")) for entry in entries if entry.get("part") == "0"]
    checks.close("scene.pvd", "times", [times], [[frame / reference.fps for frame in range(reference.count)]])


def divides(triangles, polygons):
    """Whether triangles are those of polygons in their order: two fewer than corners for each, of its corners alone."""
    of = [set(polygon) for polygon in polygons for _ in polygon[2:]]
    return len(triangles) == len(of) and all(set(t) <= polygon for t, polygon in zip(triangles, of))


def meshio_grid(checks, out, reference, item):
    import meshio

    file = f"vtu/{item['stem']}_*.vtu"
    meshes = [meshio.read(path) for path in files_of(out, reference, item, "vtu")]
    exact = 1e-15 if reference.source == "json" else TOLERANCE
    checks.close(file, "positions", [mesh.points for mesh in meshes], reference.all_positions(item), exact)
    kind, cells = ("tetra", item["tets"]) if item.get("tets") else ("triangle", item["surface"])
    if "tets" in item or kind in meshes[0].cells_dict:
        found = meshes[0].cells_dict[kind].tolist()
        if kind == "triangle" and any(len(face) > 3 for face in cells):
            checks.same(file, "triangles are parts of the polygons", divides(found, cells), True)
        else:
            checks.same(file, f"cells of kind {kind}", found, cells)
    expected = [item["frames"][str(frame)] for frame in reference.frames]
    if "velocities" in expected[0]:
        found = [mesh.point_data["velocity"] for mesh in meshes]
        checks.close(file, "velocity", found, [e["velocities"] for e in expected], exact)
    for field in expected[0].get("fields", {}):
        found = [mesh.point_data[field] if field in mesh.point_data else mesh.cell_data[field][0] for mesh in meshes]
        checks.close(file, field, found, [e["fields"][field] for e in expected], exact)


WORKERS = {"Blender": check_blender, "usd-core": check_usd, "alembic3d": check_alembic, "meshio": check_meshio}


def worker(name, out):
    WORKERS[name](out, Reference(out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
