"""Fabrics, and curves of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _taut
from .._papers import Outcome
from .._taut import Error

KINDS = ("tensile", "shear", "bend")


@dataclass(frozen=True)
class Fabric:
    """A cloth by its figures, in SI units."""

    name: str
    density: float
    """kg/m²"""
    weft: float
    """Young's modulus times thickness along the weft, N/m"""
    warp: float
    """The same along the warp, N/m"""
    poisson: float
    """Contraction along the warp over extension along the weft"""
    shear: float
    """Shear modulus, N/m"""
    bend: tuple[float, float]
    """Bending rigidity along weft and warp, N·m"""
    limits: tuple[float, float, float] | None = None
    """Strain along weft and warp, and the tangent of the shear angle, at which it hardly gives any more"""

    @property
    def elastic(self) -> dict[str, Any]:
        """For ``ModelBuilder.add_cloth(..., density=fabric.density, elastic=fabric.elastic)``."""
        return {
            "weft": self.weft,
            "warp": self.warp,
            "poisson": self.poisson,
            "shear": self.shear,
            "bend": list(self.bend),
        }

    def toml(self) -> str:
        """The lines of a scene's ``[[cloth]]``, and the ``[[limit]]`` that goes with it."""
        e = ", ".join(f"{key} = {value!r}" for key, value in self.elastic.items())
        text = f"density = {self.density!r}\nelastic = {{ {e} }}\n"
        if self.limits is not None:
            weft, warp, tangent = self.limits
            bounds = [("weft", weft), ("warp", warp), ("shear", math.sin(math.atan(tangent)))]
            known = "\n".join(f"{name} = {value!r}" for name, value in bounds if math.isfinite(value))
            text += f'\n[[limit]]\nkind = "stretch"\n{known}\n' if known else ""
        return text

    def modulus(self, degrees: float) -> float:
        """Young's modulus in a direction from the weft, N/m: 1/E = c⁴/E₁ + s⁴/E₂ + c²s² (1/G − 2ν/E₁)."""
        c2, s2 = math.cos(math.radians(degrees)) ** 2, math.sin(math.radians(degrees)) ** 2
        between = 1 / self.shear - 2 * self.poisson / self.weft
        return 1 / (c2 * c2 / self.weft + s2 * s2 / self.warp + c2 * s2 * between)

    def native(self) -> dict[str, Any]:
        """As the extension module wants it."""
        return {
            "name": self.name,
            "density": self.density,
            "weft": self.weft,
            "warp": self.warp,
            "poisson": self.poisson,
            "shear": self.shear,
            "bend": self.bend,
            "limits": self.limits if self.limits and all(map(math.isfinite, self.limits)) else None,
        }


def fabric(name: str) -> Fabric:
    """A fabric of the library, by name or alias."""
    for known, f in _taut.fabrics().items():
        if name == known or name in f["aliases"]:
            bend, limits = (f["bend_weft"], f["bend_warp"]), (f["limit_weft"], f["limit_warp"], f["limit_shear"])
            return Fabric(known, f["density"], f["weft"], f["warp"], f["poisson"], f["shear"], bend, limits)
    raise Error(f"there is no fabric {name!r}; there are {', '.join(_taut.fabrics())}")


def _cloth(of: Fabric | str) -> tuple[Fabric, Any]:
    if isinstance(of, Fabric):
        return of, of.native()
    found = fabric(of)
    return found, found.name


@dataclass(frozen=True)
class Curve:
    """A measured curve, in SI units.

    | kind | x | y |
    | --- | --- | --- |
    | "tensile" | extension as a fraction | force per width, N/m |
    | "shear" | shear angle, rad | shear force per width, N/m |
    | "bend" | curvature, 1/m | moment per width, N |

    ``direction`` is in degrees from the weft (90: the warp; of shear curves it says nothing); ``across`` is the extension across the
    pull, if it was measured.
    """

    kind: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    direction: float = 0.0
    across: NDArray[np.float64] | None = None
    source: str = field(default="", compare=False)
    """Where it is from, for reports."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise Error(f"kind is {self.kind!r}; expected one of {', '.join(KINDS)}")
        for name in ("x", "y", "across"):
            value = getattr(self, name)
            if value is None:
                continue
            array = np.asarray(value, dtype=float)
            if array.ndim != 1 or not np.all(np.isfinite(array)):
                raise Error(f"{name} of a {self.kind} curve must be finite numbers in one dimension")
            if name != "x" and len(array) != len(self.x):
                raise Error(f"{name} of a {self.kind} curve has {len(array)} values; expected {len(self.x)}")
            object.__setattr__(self, name, array)
        if not math.isfinite(self.direction):
            raise Error(f"direction is {self.direction}; expected degrees")

    @property
    def curve(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """x and y."""
        return self.x, self.y

    @property
    def slope(self) -> float:
        """Of the line through the origin that fits best, in the unit of y over x."""
        return float(self.x @ self.y / (self.x @ self.x)) if np.any(self.x) else math.nan

    def noisy(self, share: float, seed: int = 0) -> Curve:
        """The same with each y, and each ``across``, off by a normal share of itself: what a machine would read."""
        random = np.random.default_rng(seed)

        def off(v: NDArray[np.float64]) -> NDArray[np.float64]:
            return v * (1 + share * random.standard_normal(len(v)))

        across = None if self.across is None else off(self.across)
        return Curve(self.kind, self.x, off(self.y), self.direction, across, self.source)


def tensile(
    of: Fabric | str,
    *,
    direction: float = 0.0,
    forces: ArrayLike | None = None,
    limits: bool = False,
    cells: int = 4,
) -> Curve:
    """Pulls a strip of 5 cm along a direction (degrees from the weft); force per width (N/m) over extension.

    Without ``forces`` (N/m) there are 15 up to one percent, or with ``limits`` to beyond the fabric's own.
    """
    cloth, native = _cloth(of)
    if forces is None:
        end = 0.01
        if limits:
            if cloth.limits is None:
                raise Error(f"{cloth.name} has no limits")
            along = {0.0: cloth.limits[0], 90.0: cloth.limits[1]}.get(direction % 180.0)
            s2 = abs(math.sin(2 * math.radians(direction)))
            turned = math.sqrt(1 + s2 * math.sin(math.atan(cloth.limits[2]))) - 1
            end = 1.6 * (turned if along is None else along)
        forces = np.arange(1, 16) / 15 * end * cloth.modulus(direction)
    found = np.array(_taut.lab_pull(native, direction, np.asarray(forces, float).tolist(), cells, limits)).reshape(-1, 4)
    return Curve("tensile", found[:, 1], found[:, 0], direction, found[:, 2], f"tensile test of {cloth.name}")


def shear(of: Fabric | str, *, degrees: float = 8.0, points: int = 8, cells: int = 6) -> Curve:
    """Shears a square in a picture frame up to an angle; force per width (N/m) over the angle (rad)."""
    cloth, native = _cloth(of)
    found = np.array(_taut.lab_shear(native, degrees, points, cells))
    return Curve("shear", found[:, 0], found[:, 1], 0.0, None, f"picture frame of {cloth.name}")


def bend(
    of: Fabric | str,
    *,
    direction: float = 0.0,
    angles: Sequence[float] = (10.0, 20.0, 30.0, 40.0),
    length: float = 0.02,
    cells: int = 12,
) -> Curve:
    """Bends a strip of a free length (m) to arcs of some angles (degrees); moment per width (N) over curvature (1/m)."""
    cloth, native = _cloth(of)
    found = np.array(_taut.lab_bend(native, direction, length, list(angles), cells)).reshape(-1, 2)
    return Curve("bend", found[:, 0], found[:, 1], direction, None, f"pure bending of {cloth.name}")


def cantilever(of: Fabric | str, *, direction: float = 0.0, cells: int = 40) -> dict[str, float]:
    """The cantilever of ASTM D1388: overhang (m), and rigidity by the standard's rule and the exact curve (N·m)."""
    _, native = _cloth(of)
    overhang, standard, exact = _taut.lab_cantilever(native, direction, cells)
    return {"overhang": overhang, "standard": standard, "exact": exact}


def report(test: str, of: Fabric | str, *, cells: int | None = None) -> Outcome:
    """A whole test ("tensile", "shear", "bend", "drape", "swing") with tables, charts and pictures, as ``taut lab`` makes it."""
    _, native = _cloth(of)
    return Outcome(_taut.lab_report(test, native, cells))
