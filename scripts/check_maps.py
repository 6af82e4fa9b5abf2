#!/usr/bin/env python3.11
"""Paints maps in Blender, takes them through every format that carries them, runs taut on them, and measures on what is
written that they did what they say.

    python3.11 scripts/check_maps.py TAUT [OUT]

TAUT is the program. A sheet of 1 m, made and painted by Blender (the package bpy, in the environment that check_formats.py
makes): `_pin` is 1 along the top, `_limit` runs from 0 there to 1 at the hem, `_heavy` is 1 along the hem. It hangs
from `_pin`, with a limit along the warp from 1 % to 10 % by `_limit` and a load on `_heavy` that would stretch it by
half of its length. No edge may have more than its limit in any frame, and in every row but the one beside the pins
some edge must come within 0.15 percentage points of it. Prints a row for each format; exits with 1 if anything is not
as it should be.
"""

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import check_formats

SCENE = """
[time]
fps = 24
frames = 48
[contact]
on = false
[[cloth]]
name = "sheet"
mesh = "{file}"
elastic = {{ kind = "continuum", weft = 20, warp = 20, shear = 1 }}
vary = [{{ map = "{limit}", max_warp = ["1 %", "10 %"] }}]
[[pin]]
body = "sheet"
select = {{ map = "{pin}" }}
[[weight]]
body = "sheet"
select = {{ map = "{heavy}" }}
mass = 1.0
[output]
formats = ["pc2"]
"""
FILES = {"sheet.glb": "_{}", "sheet.ply": "_{}", "sheet.usdc": "_{}"}
CELLS = 16
# How much less than its limit the most stretched edge of a row may have, as a share of its length.
SHORT = 1.5e-3


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "--paint":
        return paint(Path(sys.argv[2]))
    taut = Path(sys.argv[1]).resolve()
    out = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="taut-maps-"))
    out.mkdir(parents=True, exist_ok=True)
    python = check_formats.environment(Path(__file__).parents[1] / "target" / "check_formats")
    subprocess.run([str(python), __file__, "--paint", str(out)], check=True, stdout=subprocess.DEVNULL)
    wrong = 0
    for file, names in FILES.items():
        row = check(taut, out, file, names)
        wrong += not row["ok"]
        print(json.dumps({"file": file, **row}))
    return 1 if wrong else 0


def paint(out):
    """Makes the sheet in Blender, upright along its z, and exports it."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    side = CELLS + 1
    points = [(i / CELLS, 0.0, j / CELLS) for j in range(side) for i in range(side)]
    corner = lambda i, j: j * side + i
    quads = [
        (corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)) for j in range(CELLS) for i in range(CELLS)
    ]
    mesh = bpy.data.meshes.new("Sheet")
    mesh.from_pydata(points, [], quads)
    layer = mesh.uv_layers.new(name="UVMap")
    for loop in mesh.loops:
        x, _, z = points[loop.vertex_index]
        layer.data[loop.index].uv = (x, z)
    painted = {"_pin": lambda x, z: float(z == 1.0), "_limit": lambda x, z: 1.0 - z, "_heavy": lambda x, z: float(z == 0.0)}
    for name, value in painted.items():
        attribute = mesh.attributes.new(name=name, type="FLOAT", domain="POINT")
        for vertex, (x, _, z) in enumerate(points):
            attribute.data[vertex].value = value(x, z)
    thing = bpy.data.objects.new("Sheet", mesh)
    bpy.context.scene.collection.objects.link(thing)
    bpy.ops.export_scene.gltf(filepath=str(out / "sheet.glb"), export_attributes=True, export_yup=True)
    bpy.ops.wm.ply_export(
        filepath=str(out / "sheet.ply"), export_attributes=True, export_uv=True, up_axis="Y", forward_axis="NEGATIVE_Z"
    )
    bpy.ops.wm.usd_export(filepath=str(out / "sheet.usdc"))
    return 0


def check(taut, out, file, names):
    """Runs one file and measures strain along the warp against the limit where it is."""
    called = {key: names.format(key) for key in ["pin", "limit", "heavy"]}
    scene, made = out / f"{file}.toml", out / f"{file}.out"
    scene.write_text(SCENE.format(file=file, **called))
    command = [str(taut), "run", str(scene), "--out", str(made), "--no-pictures", "--verify", "--threads", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return {"ok": False, "said": (done.stdout + done.stderr)[-600:]}
    points, faces = check_formats.read_surface(made / "sheet.obj")
    cache = (made / "sheet.pc2").read_bytes()
    count, frames = struct.unpack("<i", cache[16:20])[0], struct.unpack("<i", cache[28:32])[0]
    flat = struct.unpack(f"<{3 * count * frames}f", cache[32 : 32 + 12 * count * frames])
    at = lambda frame, vertex: flat[3 * (frame * count + vertex) : 3 * (frame * count + vertex) + 3]
    # Edges that run along y at rest are threads of the warp.
    edges = {tuple(sorted(pair)) for face in faces for pair in zip(face, [*face[1:], face[0]])}
    upright = [(a, b) for a, b in edges if abs(points[a][0] - points[b][0]) < 1e-6 < abs(points[a][1] - points[b][1])]
    top = max(point[1] for point in points)
    # A triangle has the mean of its corners: in the row of edges below (k - 1) / CELLS the limits of its triangles are
    # those a third and two thirds of the way down it. No edge may have more than the looser one; where the load is
    # beyond what the limit lets through, some edge of every row comes to the tighter one.
    reached = [0.0] * CELLS
    for frame in range(1, frames):
        for a, b in upright:
            row = round(CELLS * (top - max(points[a][1], points[b][1])))
            stretch = distance(at(frame, a), at(frame, b)) / distance(points[a], points[b]) - 1.0
            reached[row] = max(reached[row], stretch)
    limit = lambda down: 0.01 + 0.09 * down / CELLS
    beyond = max(most - limit(row + 2 / 3) for row, most in enumerate(reached))
    short = max(limit(row + 1 / 3) - most for row, most in enumerate(reached) if row > 0)
    row = {"vertices": count, "faces": len(faces), "beyond": beyond, "short": short, "reached": [reached[0], reached[-1]]}
    # The row beside the pins is held back further than it has to be.
    row["ok"] = count == len(points) and beyond < 1e-4 and short < SHORT and reached[0] > 0.5 * limit(0)
    return row


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


if __name__ == "__main__":
    sys.exit(main())
