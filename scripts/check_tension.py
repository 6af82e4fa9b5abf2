#!/usr/bin/env python3
"""How far cloth is stretched, measured on the files that `taut run --formats pc2` writes. Shares no code with taut, and
needs nothing but Python: reads NAME.obj (the mesh at rest, with texture coordinates) and NAME.pc2 (where its vertices
are in every frame).

    check_tension.py DIR NAME [--limit 0.01] [--shear 0.4] [--any 0.05] [--edge 0.01] [--shorter 0.02] [--held FILE] [--frames]

Weft runs where the first texture coordinate grows, warp across it in the triangle. A cloth whose grain is a direction,
or whose lengths at rest are not those of the mesh, says so in comments of NAME.obj (`# taut weft: …`,
`# taut rest stretch: …`), and which triangles a polygon is computed as if that is no fan (`# taut split: …`, the face's
number and vertices). Prints one JSON object:

    weft, warp, any, edge   the largest tension, length over rest length - 1, along threads, along the direction that is
                            stretched most, and of edges; with frame, place (m) and triangle or vertices
    shorter                 the largest compression along threads, 1 - length over rest length
    shear                   the largest cosine of the angle between weft and warp (their lengths' product counts as 1/4 at least)
    beyond                  what is beyond a limit by more than 1 % of it: frames, and the largest share of triangles
    held                    what lies between vertices of --held alone, which nothing can move: how many, and how far

Exit code 1 if anything is beyond a limit by more than 1 % of it, 2 if files cannot be read or judged. The first frame,
the start as given, is not judged."""
import argparse
import array
import json
import math
import struct
import sys
from pathlib import Path

SLACK = 1.01
# What 32 bits make of an edge's length: a limit of nothing cannot be met to the last digit.
ROUNDING = 2e-5
# A pattern stretched by more than this in one direction over the other is none; if more than a quarter of all triangles
# have such coordinates, none is trusted.
UNEVEN = 8.0
# A corner whose part in a length is below this share of the largest has no say in it.
SAY = 0.01


class Unreadable(Exception):
    """Files that cannot be judged."""


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def times(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a):
    return math.sqrt(dot(a, a))


def unit(a):
    length = norm(a)
    return times(a, 1 / length) if length > 0 else None


class Mesh:
    """A mesh at rest, from an OBJ file."""

    def __init__(self, path):
        self.points, self.coords, self.triangles, self.corners = [], [], [], []
        faces, splits = [], {}
        self.along, self.from_uv, self.rest = None, True, (1.0, 1.0)
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if line.startswith("# taut weft:"):
                values = line.split(":", 1)[1]
                self.from_uv = "texture" in values
                self.along = tuple(float(word) for word in values.split()[-3:])
            elif line.startswith("# taut rest stretch:"):
                self.rest = tuple(float(word) for word in words[-2:])
            elif line.startswith("# taut split:"):
                face, *numbers = (int(word) - 1 for word in line.split(":", 1)[1].split())
                splits[face] = list(zip(*[iter(numbers)] * 3))
            elif words[:1] == ["v"]:
                self.points.append(tuple(float(word) for word in words[1:4]))
            elif words[:1] == ["vt"]:
                self.coords.append(tuple(float(word) for word in words[1:3]))
            elif words[:1] == ["f"]:
                parts = [word.split("/") for word in words[1:]]
                uvs = [int(part[1]) - 1 if len(part) > 1 and part[1] else -1 for part in parts]
                faces.append([(int(part[0]) - 1, uv) for part, uv in zip(parts, uvs)])
        for number, face in enumerate(faces):
            fan = [(face[0], face[k], face[k + 1]) for k in range(1, len(face) - 1)]
            known = dict(reversed(face))
            made = [[(vertex, known[vertex]) for vertex in three] for three in splits.get(number, [])] or fan
            for three in made:
                self.triangles.append(tuple(vertex for vertex, _ in three))
                uv = tuple(uv for _, uv in three)
                self.corners.append(uv if min(uv) >= 0 else None)

    def axes(self, number):
        """Unit vectors along weft and warp of a triangle, by its texture coordinates; None if they say nothing."""
        if not self.from_uv or self.corners[number] is None:
            return None
        a, b, c = (self.coords[k] for k in self.corners[number])
        x0, x1, x2 = (self.points[k] for k in self.triangles[number])
        p, q = sub(x1, x0), sub(x2, x0)
        u1, v1, u2, v2 = b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]
        det = u1 * v2 - u2 * v1
        if det == 0:
            return None
        tu = tuple((p[k] * v2 - q[k] * v1) / det for k in range(3))
        tv = tuple((q[k] * u1 - p[k] * u2) / det for k in range(3))
        uu, vv, uv = dot(tu, tu), dot(tv, tv), dot(tu, tv)
        spread = math.sqrt(0.25 * (uu - vv) ** 2 + uv * uv)
        most, least = 0.5 * (uu + vv) + spread, 0.5 * (uu + vv) - spread
        if not math.isfinite(most) or least <= 0 or most >= least * UNEVEN * UNEVEN:
            return None
        weft = unit(tu)
        return weft, unit(sub(tv, times(weft, dot(weft, tv))))

    def axes_along(self, number):
        """The same by the direction that the file names; None where that stands on the triangle."""
        if self.along is None:
            return None
        x0, x1, x2 = (self.points[k] for k in self.triangles[number])
        normal = unit(cross(sub(x1, x0), sub(x2, x0)))
        if normal is None:
            return None
        laid = sub(self.along, times(normal, dot(normal, self.along)))
        if dot(laid, laid) <= 1e-4 * dot(self.along, self.along):
            return None
        weft = unit(laid)
        return weft, cross(normal, weft)


def rest_of(mesh):
    """For each triangle with an area its corners, the map from two sides to weft and warp, and whether those are known;
    what is left out; and where the grain was found."""
    found = [mesh.axes(t) for t in range(len(mesh.triangles))]
    bad = sum(axes is None for axes in found)
    grain = "texture coordinates"
    if bad * 4 > len(found):
        found, grain = [None] * len(found), "the direction that the file names"
    rows, flat, unknown, seen = [], 0, 0, set()
    for t, (a, b, c) in enumerate(mesh.triangles):
        p, q = sub(mesh.points[b], mesh.points[a]), sub(mesh.points[c], mesh.points[a])
        normal = cross(p, q)
        size = dot(p, p) + dot(q, q)
        key = tuple(sorted((a, b, c)))
        if len(set(key)) < 3 or key in seen or norm(normal) <= 1e-7 * size:
            flat += 1
            continue
        seen.add(key)
        axes = found[t] or mesh.axes_along(t)
        known = axes is not None
        unknown += not known
        if not known:
            weft = unit(p)
            axes = (weft, cross(unit(normal), weft))
        weft, warp = axes
        p, q = (dot(weft, p), dot(warp, p)), (dot(weft, q), dot(warp, q))
        det = p[0] * q[1] - p[1] * q[0]
        s, u = mesh.rest if known else (1.0, 1.0)
        # Columns of [p q]^-1: what weft and warp are of the two sides.
        first = (q[1] / det / s, -p[1] / det / s)
        second = (-q[0] / det / u, p[0] / det / u)
        lengths = [math.hypot(x * s, y * u) for x, y in (p, q, (q[0] - p[0], q[1] - p[1]))]
        rows.append((t, (a, b, c), first, second, known, lengths))
    return rows, flat, unknown, grain


def free(part, corners, held):
    """Whether a corner that is not held has a say in a length."""
    parts = [abs(-part[0] - part[1]), abs(part[0]), abs(part[1])]
    return any(size > SAY * max(parts) and vertex not in held for size, vertex in zip(parts, corners))


def read_cache(path):
    data = path.read_bytes()
    if data[:12] != b"POINTCACHE2\0" or len(data) < 32:
        raise Unreadable(f"{path} is no PC2 file")
    _, count, _, _, frames = struct.unpack("<iiffi", data[12:32])
    values = array.array("f")
    values.frombytes(data[32:32 + 12 * count * frames])
    if sys.byteorder == "big":
        values.byteswap()
    if len(values) < 3 * count * frames:
        raise Unreadable(f"{path} is cut off")
    return count, frames, values


class Peak:
    """The largest of something, and where."""

    def __init__(self):
        self.value, self.where = -1.0, {}

    def json(self):
        return {"max": self.value, **self.where} if self.value > -1.0 else None


def beyond(value, limit):
    return limit is not None and not (value <= limit * SLACK or value <= limit + ROUNDING)


def measure(rows, count, frames, values, held, limits, first, each):
    """Everything about all frames from `first` on."""
    kinds = ("weft", "warp", "shear", "any", "edge", "shorter")
    most, most_held = {k: Peak() for k in kinds}, {k: Peak() for k in kinds}
    triangles = []
    for t, corners, u, v, known, lengths in rows:
        all_held = all(c in held for c in corners)
        sides = [corners[i] in held and corners[j] in held for i, j in ((0, 1), (0, 2), (1, 2))]
        still = (not free(u, corners, held), not free(v, corners, held), all_held, all_held)
        triangles.append((t, corners, u, v, known, lengths, still, sides))
    history, frames_beyond, worst_share, worst_frame, held_beyond = [], 0, 0.0, None, 0
    for frame in range(first, frames):
        x = values[3 * count * frame:3 * count * (frame + 1)]
        now, now_held = dict.fromkeys(kinds, -1.0), dict.fromkeys(kinds, -1.0)
        many = 0
        for t, (a, b, c), u, v, known, lengths, still, sides in triangles:
            ax, ay, az = x[3 * a], x[3 * a + 1], x[3 * a + 2]
            px, py, pz = x[3 * b] - ax, x[3 * b + 1] - ay, x[3 * b + 2] - az
            qx, qy, qz = x[3 * c] - ax, x[3 * c + 1] - ay, x[3 * c + 2] - az
            fx, fy, fz = u[0] * px + u[1] * qx, u[0] * py + u[1] * qy, u[0] * pz + u[1] * qz
            gx, gy, gz = v[0] * px + v[1] * qx, v[0] * py + v[1] * qy, v[0] * pz + v[1] * qz
            ff, gg = fx * fx + fy * fy + fz * fz, gx * gx + gy * gy + gz * gz
            fg = fx * gx + fy * gy + fz * gz
            largest = math.sqrt(0.5 * (ff + gg) + math.sqrt(0.25 * (ff - gg) ** 2 + fg * fg)) - 1
            edges = (math.sqrt(px * px + py * py + pz * pz) / lengths[0] - 1,
                     math.sqrt(qx * qx + qy * qy + qz * qz) / lengths[1] - 1,
                     math.sqrt((qx - px) ** 2 + (qy - py) ** 2 + (qz - pz) ** 2) / lengths[2] - 1)
            # A side between two held vertices sets how far its triangle is stretched.
            pulled = any(still_side and beyond(edge, limits["any"]) for still_side, edge in zip(sides, edges))
            numbers = [("any", largest, still[3] or pulled)]
            if known:
                weft, warp = math.sqrt(ff), math.sqrt(gg)
                # In triangles squeezed to half their size the angle says little.
                cosine = abs(fg) / max(weft * warp, 0.25)
                numbers += [("weft", weft - 1, still[0]), ("warp", warp - 1, still[1]), ("shear", cosine, still[2])]
                numbers += [("shorter", 1 - weft, still[0]), ("shorter", 1 - warp, still[1])]
            numbers += [("edge", edge, side) for edge, side in zip(edges, sides)]
            far = False
            for kind, value, is_held in numbers:
                if not math.isfinite(value):
                    value = math.inf
                peak = (most_held if is_held else most)[kind]
                these = now_held if is_held else now
                these[kind] = max(these[kind], value)
                if value > peak.value:
                    peak.value = value
                    middle = [(x[3 * a + k] + x[3 * b + k] + x[3 * c + k]) / 3 for k in range(3)]
                    peak.where = {"frame": frame, "triangle": t, "at": middle}
                if beyond(value, limits[kind]):
                    far = far or not is_held
                    held_beyond += is_held
            many += far
        frames_beyond += many > 0
        share = many / max(len(triangles), 1)
        if many and share >= worst_share:
            worst_share, worst_frame = share, frame
        if each:
            history.append({"frame": frame, "beyond": many, **{k: v for k, v in now.items() if v > -1.0}})
    out = {kind: most[kind].json() for kind in kinds}
    out["beyond"] = {"frames": frames_beyond, "share": worst_share, "worst_frame": worst_frame}
    out["held"] = {
        "vertices": len(held),
        "triangles": sum(all(c in held for c in corners) for _, corners, *_ in triangles),
        "beyond": held_beyond,
        **{kind: most_held[kind].json() for kind in kinds},
    }
    if each:
        out["each"] = history
    return out


def main():
    parser = argparse.ArgumentParser(description="How far written cloth is stretched.", epilog=__doc__.split("\n")[0])
    parser.add_argument("dir", type=Path, help="the folder of a run")
    parser.add_argument("name", help="the cloth: NAME.obj and NAME.pc2")
    parser.add_argument("--limit", type=float, help="largest tension along weft and warp, 0.01 is one percent")
    parser.add_argument("--weft", type=float, help="along the weft alone")
    parser.add_argument("--warp", type=float, help="along the warp alone")
    parser.add_argument("--shear", type=float, help="largest cosine of the angle between weft and warp")
    parser.add_argument("--any", type=float, help="largest tension along any direction")
    parser.add_argument("--edge", type=float, help="largest tension of edges")
    parser.add_argument("--shorter", type=float, help="largest compression along weft and warp")
    parser.add_argument("--held", type=Path, help="a file with numbers of held vertices, from 0")
    parser.add_argument("--first", type=int, default=1, help="the first frame to judge")
    parser.add_argument("--frames", action="store_true", help="also the numbers of every frame")
    flags = parser.parse_args()
    limits = {
        "weft": flags.limit if flags.weft is None else flags.weft,
        "warp": flags.limit if flags.warp is None else flags.warp,
        "shear": flags.shear,
        "any": flags.any,
        "edge": flags.edge,
        "shorter": flags.shorter,
    }
    try:
        mesh = Mesh(flags.dir / f"{flags.name}.obj")
        count, frames, values = read_cache(flags.dir / f"{flags.name}.pc2")
        held = set()
        if flags.held:
            lines = flags.held.read_text(encoding="utf-8").splitlines()
            held = {int(word) for line in lines for word in line.split("#")[0].split()}
    except (OSError, ValueError, IndexError, Unreadable) as error:
        print(json.dumps({"error": str(error)}))
        return 2
    if count != len(mesh.points):
        print(json.dumps({"error": f"{len(mesh.points)} vertices at rest, {count} in the cache"}))
        return 2
    rows, flat, unknown, grain = rest_of(mesh)
    out = {"frames": frames, "vertices": count, "triangles": len(rows), "left_out": flat}
    out["grain"] = grain if unknown < len(rows) else "unknown: neither texture coordinates nor a direction in the file"
    out["without_grain"] = unknown
    out.update(measure(rows, count, frames, values, held, limits, flags.first, flags.frames))
    out["limits"] = {kind: limit for kind, limit in limits.items() if limit is not None}
    print(json.dumps(out))
    threads = any(limits[kind] is not None for kind in ("weft", "warp", "shear", "shorter"))
    if threads and unknown == len(rows):
        return 2
    return 1 if out["beyond"]["frames"] else 0


if __name__ == "__main__":
    sys.exit(main())
