"""Measurements from CSV files, and from the tables of KES and FAST."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .._taut import Error
from ._curves import Curve

GF = 9.80665e-3
"""A gram of force, N."""
GF_PER_CM = GF / 0.01
"""gf/cm in N/m."""
GRAVITY = 9.80665
"""m/s², as the standards for textiles have it."""


@dataclass(frozen=True)
class Measured:
    """What was measured: curves, single values (SI, by the name of the fabric's figure), and what should be known of them."""

    curves: list[Curve] = field(default_factory=list)
    values: dict[str, tuple[float, str]] = field(default_factory=dict)
    """Value, and where it is from."""
    notes: list[str] = field(default_factory=list)

    def and_(self, other: Measured) -> Measured:
        """Both."""
        return Measured(self.curves + other.curves, {**self.values, **other.values}, self.notes + other.notes)


def _pair(name: str, value: object) -> tuple[float, float]:
    """A value along weft and along warp; one for both if there is one."""
    found = np.atleast_1d(np.asarray(value, dtype=float))
    if found.shape not in ((1,), (2,)) or not np.all(np.isfinite(found)) or np.any(found < 0):
        raise Error(f"{name} is {value!r}; expected a number of 0 or more, or two: (weft, warp)")
    return float(found[0]), float(found[-1])


def _known(table: Mapping[str, object], known: set[str], what: str) -> None:
    for key in table:
        if key not in known:
            raise Error(f"{what} has no parameter {key!r}; it has {', '.join(sorted(known))}")


def kes(table: Mapping[str, object], *, force: float = 500.0) -> Measured:
    """A table of the Kawabata system, in its own units; each a number, or (weft, warp).

    EMT (%, extension at ``force`` gf/cm), or LT and WT (gf·cm/cm²), from which EMT = 2 WT/(LT · force); G (gf/(cm·deg)), 2HG (gf/cm), B
    (gf·cm²/cm), 2HB (gf·cm/cm), T (mm, at 0.5 gf/cm²), W (mg/cm²). RT, 2HG5 and the parameters of compression and surface are
    taken note of and not used.
    """
    unused = {"RT", "2HG5", "LC", "WC", "RC", "MIU", "MMD", "SMD"}
    _known(table, {"EMT", "LT", "WT", "G", "2HG", "B", "2HB", "T", "W"} | unused, "KES")
    curves, values, notes = [], {}, []
    if "EMT" in table or {"LT", "WT"} <= set(table):
        if "EMT" in table:
            ends, source = _pair("EMT", table["EMT"]), f"EMT at {force:g} gf/cm"
        else:
            lt, wt = _pair("LT", table["LT"]), _pair("WT", table["WT"])
            weft, warp = (200 * w / (t * force) if t else math.nan for t, w in zip(lt, wt, strict=True))
            ends = (weft, warp)
            source = f"EMT from LT and WT at {force:g} gf/cm"
        for direction, end, way in ((0.0, ends[0], "weft"), (90.0, ends[1], "warp")):
            if not (math.isfinite(end) and end > 0):
                raise Error(f"EMT along the {way} is {end}; expected a percentage above 0")
            at = np.array([0.01 * end])
            curves.append(Curve("tensile", at, np.array([force * GF_PER_CM]), direction, None, source))
            values[f"limit_{way}"] = (0.01 * end, source + ", the last point of the table, taken as the limit")
    if "LT" in table:
        lt = _pair("LT", table["LT"])
        if min(lt) < 0.95:
            bent = min(lt)
            share = 0.5 ** (2 / bent - 1)
            notes.append(
                f"LT is {bent:g}: the force does not rise evenly; half of the extension takes about {share:.0%} of the force, "
                "and the modulus is the chord to the end of the test"
            )
    if "G" in table:
        weft, warp = _pair("G", table["G"])
        values["shear"] = (0.5 * (weft + warp) * GF_PER_CM * 180 / math.pi, "G, the slope between 0.5 and 2.5 degrees")
    if "B" in table:
        for way, rigidity in zip(("weft", "warp"), _pair("B", table["B"]), strict=True):
            values[f"bend_{way}"] = (rigidity * GF * 0.01, "B, the slope between 0.5 and 1.5 per cm")
    for name, what in (("2HG", "shear"), ("2HB", "bending")):
        if name in table and max(_pair(name, table[name])) > 0:
            notes.append(f"{name} says that {what} has a hysteresis; a fabric of taut has none")
    if "T" in table:
        values["thickness"] = (1e-3 * _pair("T", table["T"])[0], "T, at 0.5 gf/cm²")
    if "W" in table:
        values["density"] = (0.01 * _pair("W", table["W"])[0], "W")
    return Measured(curves, values, notes)


def fast(table: Mapping[str, object]) -> Measured:
    """A table of FAST, in its own units; each a number, or (weft, warp).

    E5, E20, E100 (%, extension at 5, 20 and 100 gf/cm), EB5 (%, on the bias at 5 gf/cm), C (mm, bending length), T2 (mm, at 2 gf/cm²), W
    (g/m²).
    """
    _known(table, {"E5", "E20", "E100", "EB5", "C", "T2", "T100", "W"}, "FAST")
    curves, values, notes = [], {}, []
    loads = {"E5": 5.0, "E20": 20.0, "E100": 100.0}
    given = [name for name in loads if name in table]
    for at, direction in ((0, 0.0), (1, 90.0)):
        x = np.array([0.01 * _pair(name, table[name])[at] for name in given])
        y = np.array([loads[name] * GF_PER_CM for name in given])
        read = x > 0
        if np.any(read):
            curves.append(Curve("tensile", x[read], y[read], direction, None, " ".join(given)))
        if len(given) and not np.all(read):
            notes.append(f"{', '.join(np.array(given)[~read])} read 0 % in one direction, which is left out")
    if "EB5" in table:
        x = np.array([0.01 * _pair("EB5", table["EB5"])[0]])
        curves.append(Curve("tensile", x, np.array([5 * GF_PER_CM]), 45.0, None, "EB5"))
    if "W" in table:
        density = 1e-3 * _pair("W", table["W"])[0]
        values["density"] = (density, "W")
        if "C" in table:
            for way, length in zip(("weft", "warp"), _pair("C", table["C"]), strict=True):
                values[f"bend_{way}"] = (density * GRAVITY * (1e-3 * length) ** 3, "bending length C: B = W g C³")
    elif "C" in table:
        notes.append("C, the bending length, says nothing of the rigidity without W")
    if "T2" in table:
        values["thickness"] = (1e-3 * _pair("T2", table["T2"])[0], "T2")
    return Measured(curves, values, notes)


_COLUMNS: dict[str, tuple[str, float]] = {
    "extension": ("extension", 1.0),
    "strain": ("extension", 1.0),
    "along": ("extension", 1.0),
    "extension_%": ("extension", 0.01),
    "extension_percent": ("extension", 0.01),
    "across": ("across", 1.0),
    "across_%": ("across", 0.01),
    "across_percent": ("across", 0.01),
    "force_n_per_m": ("force", 1.0),
    "force_n/m": ("force", 1.0),
    "force_gf_per_cm": ("force", GF_PER_CM),
    "force_gf/cm": ("force", GF_PER_CM),
    "angle_rad": ("angle", 1.0),
    "angle_deg": ("angle", math.pi / 180),
    "angle_degrees": ("angle", math.pi / 180),
    "curvature_per_m": ("curvature", 1.0),
    "curvature_1/m": ("curvature", 1.0),
    "curvature_per_cm": ("curvature", 100.0),
    "curvature_1/cm": ("curvature", 100.0),
    "moment_n": ("moment", 1.0),
    "moment_gf_cm_per_cm": ("moment", GF),
    "moment_gf·cm/cm": ("moment", GF),
    "direction": ("direction", 1.0),
    "direction_degrees": ("direction", 1.0),
}
_WAYS = {"weft": 0.0, "warp": 90.0, "bias": 45.0}
_ABSCISSA = {"extension": ("tensile", "force"), "angle": ("shear", "force"), "curvature": ("bend", "moment")}


def read(*paths: str | Path) -> Measured:
    """Measurements from CSV files: curves, or tables of KES or FAST.

    Curves: a header names the columns with their units, in any order: ``extension_%`` or ``extension``, ``angle_deg`` or
    ``angle_rad``, ``curvature_per_cm`` or ``curvature_per_m``; ``force_gf_per_cm`` or ``force_N_per_m``, ``moment_gf_cm_per_cm`` or
    ``moment_N``; and, if there are any, ``across_%`` and ``direction`` (weft, warp, bias or degrees). Tables: a first column of
    parameters, then one of values, or two called weft and warp. Lines that begin with # are left out.
    """
    found = Measured()
    for path in paths:
        text = Path(path).read_text(encoding="utf-8-sig")
        lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines)]
        if len(rows) < 2:
            raise Error(f"{path}: there is nothing in it but {len(rows)} line(s)")
        header = [cell.lower() for cell in rows[0]]
        found = found.and_(
            _curves(str(path), header, rows[1:]) if any(cell in _COLUMNS for cell in header) else _table(path, rows)
        )
    return found


def _number(path: object, line: int, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Error(f"{path}: line {line} has {cell!r} where a number is expected")
    return value


def _curves(path: str, header: list[str], rows: list[list[str]]) -> Measured:
    known = {_COLUMNS[name][0]: (at, _COLUMNS[name][1]) for at, name in enumerate(header) if name in _COLUMNS}
    kinds = [name for name in _ABSCISSA if name in known]
    if len(kinds) != 1 or _ABSCISSA[kinds[0]][1] not in known:
        pairs = "; ".join(f"{x} and {y}" for x, (_, y) in _ABSCISSA.items())
        raise Error(f"{path}: the columns {', '.join(header)} are of no one kind of curve; expected {pairs}")
    kind, ordinate = _ABSCISSA[kinds[0]]
    groups: dict[float, list[list[float]]] = {}
    for line, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise Error(f"{path}: line {line} has {len(row)} values; expected {len(header)}")

        def cell(name: str, row: list[str] = row, line: int = line) -> float:
            at, unit = known[name]
            return unit * _number(path, line, row[at])

        direction = 0.0
        if "direction" in known:
            text = row[known["direction"][0]]
            direction = _WAYS[text.lower()] if text.lower() in _WAYS else _number(path, line, text)
        across = cell("across") if "across" in known else math.nan
        groups.setdefault(direction, []).append([cell(kinds[0]), cell(ordinate), across])
    curves = []
    for direction, points in groups.items():
        x, y, across = np.array(points).T
        curves.append(Curve(kind, x, y, direction, across if "across" in known else None, Path(path).name))
    return Measured(curves)


def _table(path: object, rows: list[list[str]]) -> Measured:
    header = [cell.lower() for cell in rows[0]]
    order: Callable[[list[float]], object] = lambda v: v[0] if len(v) == 1 else tuple(v)  # noqa: E731
    if "weft" in header and "warp" in header:
        at = [header.index("weft"), header.index("warp")]
    elif len(header) >= 2:
        at = [1]
    else:
        raise Error(f"{path}: expected a column of parameters and one of values, or weft and warp")
    table = {}
    for line, row in enumerate(rows[1:], 2):
        if len(row) <= max(at):
            raise Error(f"{path}: line {line} has {len(row)} values; expected {len(header)}")
        table[row[0].upper()] = order([_number(path, line, row[k]) for k in at])
    return fast(table) if {"E5", "E20", "E100", "EB5", "C"} & set(table) else kes(table)
