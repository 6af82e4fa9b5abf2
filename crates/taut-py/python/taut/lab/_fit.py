"""A fabric from measured curves.

taut's cloth is a St Venant–Kirchhoff membrane, for which the curves are known in closed form. In a pull by λ = 1 + e
the force per width is E(θ) λ (λ² − 1)/2 with 1/E(θ) = c⁴/E₁ + s⁴/E₂ + c²s² (1/G − 2ν/E₁), in a picture frame G sin γ cos γ, in pure
bending B κ. Each figure is then a line through its curve, by weighted least squares: a reading is taken to be off by a share of
itself, and by a share of the largest.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._svg import Panel, Series, page
from .._table import Table
from .._taut import Error
from ._curves import Curve, Fabric
from ._nonlinear import Rising, rising
from ._read import Measured, read

_USUAL = {"density": (0.2, "kg/m²"), "poisson": (0.3, ""), "shear": (40.0, "N/m"), "bend": (1e-5, "N·m")}


@dataclass(frozen=True)
class Figure:
    """One figure of the fabric."""

    value: float
    error: float
    """One standard deviation, in the unit of the value; nan if the data do not tell."""
    residual: float
    """Root mean square of what is left of the readings, as a share of them; nan for single values."""
    points: int
    source: str


@dataclass(frozen=True)
class Line:
    """A slope by weighted least squares, perhaps with an offset."""

    slope: float
    error: float
    offset: float
    offset_error: float
    residual: float
    points: int


def _line(t: NDArray[np.float64], y: NDArray[np.float64], *, offset: bool) -> Line:
    """y = offset + slope · t, each reading weighted by what it may be off by."""
    if len(t) == 0 or not np.any(t):
        raise Error("a curve has no reading away from its origin")
    weight = 1 / np.hypot(np.abs(y), 0.1 * np.max(np.abs(y)) + 1e-300)
    offset = offset and len(t) >= 5 and float(np.ptp(t)) > 0
    design = np.stack([t, np.ones_like(t)] if offset else [t], axis=1) * weight[:, None]
    solution, *_ = np.linalg.lstsq(design, y * weight, rcond=None)
    left = y * weight - design @ solution
    free = max(len(t) - design.shape[1], 0)
    variance = float(left @ left) / free if free else math.nan
    covariance = np.linalg.pinv(design.T @ design) * variance
    share = (y - (solution[0] * t + (solution[1] if offset else 0.0))) / np.maximum(np.abs(y), 0.1 * np.max(np.abs(y)))
    return Line(
        float(solution[0]),
        math.sqrt(covariance[0, 0]) if free else math.nan,
        float(solution[1]) if offset else 0.0,
        math.sqrt(covariance[1, 1]) if offset and free else 0.0,
        float(np.sqrt(np.mean(share**2))),
        len(t),
    )


def _pulled(e: NDArray[np.float64]) -> NDArray[np.float64]:
    """Force over modulus at an extension."""
    return (1 + e) * ((1 + e) ** 2 - 1) / 2


_LAWS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "tensile": _pulled,
    "shear": lambda angle: np.sin(angle) * np.cos(angle),
    "bend": lambda curvature: curvature,
}
"""Force, or moment, over modulus."""


def _knee(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    """Where a curve locks: the line through its first third meets that through its last, if that is three times as steep."""
    third = len(x) // 3
    if third < 2:
        return None
    order = np.argsort(y)
    x, y = x[order], y[order]
    # Extension over force: a curve that locks goes up beyond bounds the other way round.
    if np.ptp(y[:third]) <= 0 or np.ptp(y[-third:]) <= 0:
        return None
    (b0, a0), (b1, a1) = np.polyfit(y[:third], x[:third], 1), np.polyfit(y[-third:], x[-third:], 1)
    return float((a1 * b0 - a0 * b1) / (b0 - b1)) if b1 < b0 / 3 else None


def _folded(direction: float) -> float:
    """A direction in the first quarter."""
    degrees = direction % 180.0
    return 180.0 - degrees if degrees > 90.0 else degrees


@dataclass
class _Worker:
    """What is known so far."""

    measured: Measured
    figures: dict[str, Figure]
    unknown: list[str]
    panels: list[Panel]
    moduli: dict[float, Figure]
    rising: list[Rising]

    def put(self, name: str, line: Line, source: str) -> None:
        self.figures[name] = Figure(line.slope, line.error, line.residual, line.points, source)

    def single(self, name: str) -> None:
        """A value that was given as such."""
        if name in self.measured.values and name not in self.figures:
            value, source = self.measured.values[name]
            self.figures[name] = Figure(value, math.nan, math.nan, 1, source)

    def keep(self, test: str, direction: float, x: NDArray[np.float64], y: NDArray[np.float64], line: Line) -> None:
        """The curve itself, beside the law that a line was fitted of."""
        found = rising(test, direction, x, y, lambda at: line.offset + line.slope * _LAWS[test](at))
        if found is not None:
            self.rising.append(found)

    def curves(self, kind: str) -> list[Curve]:
        return [curve for curve in self.measured.curves if curve.kind == kind]

    def tensile(self) -> None:
        groups: dict[float, list[Curve]] = {}
        for curve in self.curves("tensile"):
            groups.setdefault(_folded(curve.direction), []).append(curve)
        series = []
        for direction, curves in sorted(groups.items()):
            x, y = np.concatenate([c.x for c in curves]), np.concatenate([c.y for c in curves])
            pulled = (x > 0) & (y > 0)
            if not np.any(pulled):
                self.unknown.append(f"the pull {direction:g}° from the weft has no reading above zero")
                continue
            x, y = x[pulled], y[pulled]
            knee = _knee(x, y)
            before = x <= 0.85 * knee if knee is not None and np.sum(x <= 0.85 * knee) >= 2 else np.ones(len(x), bool)
            line = _line(_pulled(x[before]), y[before], offset=False)
            source = ", ".join(sorted({c.source for c in curves if c.source})) or "tensile curve"
            self.moduli[direction] = Figure(line.slope, line.error, line.residual, line.points, source)
            self._way(direction, line, source, knee, float(x.max()))
            self._bent(direction, x[before], y[before])
            self.keep("tensile", direction, x, y, line)
            name = {0.0: "weft", 90.0: "warp"}.get(direction, f"{direction:g}°")
            to = np.linspace(0, x.max() if knee is None else knee, 40)
            series += [Series(name, 100 * x, y, dots=True), Series(name, 100 * to, line.slope * _pulled(to))]
        if series:
            self.panels.append(Panel("tensile", "extension, %", "force, N/m", series))

    def _way(self, direction: float, line: Line, source: str, knee: float | None, end: float) -> None:
        way = {0.0: "weft", 90.0: "warp"}.get(direction)
        if way is None:
            return
        self.put(way, line, source)
        name = f"limit_{way}"
        if knee is not None:
            self.figures[name] = Figure(knee, math.nan, math.nan, line.points, "knee of the tensile curve")
        elif name not in self.measured.values:
            self.unknown.append(
                f"{name}: the curve along the {way} ends at {100 * end:.3g} % without a knee; the limit is not below that"
            )

    def _bent(self, direction: float, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        """Says so if a curve is not of the shape that taut's is."""
        if len(x) < 4 or x.max() < 2 * x.min():
            return
        logs = np.log(_pulled(x)), np.log(y)
        (power, _), covariance = np.polyfit(*logs, 1, cov=True)
        if abs(power - 1) > max(0.1, 3 * math.sqrt(covariance[0, 0])):
            self.unknown.append(
                f"along {direction:g}° the force grows as the extension to the power {power:.2f}; a fabric of taut is linear up to its "
                "limit, and the modulus is a compromise over the whole curve, which is in `curves`"
            )

    def shear(self) -> None:
        curves = self.curves("shear")
        if curves:
            x, y = np.abs(np.concatenate([c.x for c in curves])), np.abs(np.concatenate([c.y for c in curves]))
            knee = _knee(x, y)
            before = x <= 0.85 * knee if knee is not None and np.sum(x <= 0.85 * knee) >= 2 else np.ones(len(x), bool)
            line = _line(_LAWS["shear"](x[before]), y[before], offset=True)
            self.keep("shear", 0.0, x, y, line)
            self.put("shear", line, ", ".join(sorted({c.source for c in curves if c.source})) or "shear curve")
            self._offset("shear", line, "N/m")
            to = np.linspace(0, x[before].max(), 40)
            fitted = line.offset + line.slope * _LAWS["shear"](to)
            series = [Series("shear", np.degrees(x), y, dots=True), Series("shear", np.degrees(to), fitted)]
            self.panels.append(Panel("shear", "angle, °", "force, N/m", series))
            if knee is not None:
                self.figures["limit_shear"] = Figure(math.tan(knee), math.nan, math.nan, len(x), "knee of the shear curve")
        self.single("shear")
        self.single("limit_shear")
        if "shear" not in self.figures:
            self._shear_from_bias()
        if "limit_shear" not in self.figures:
            self.unknown.append("limit_shear: no curve of shear with a knee; where the yarns lock is not known")

    def _offset(self, what: str, line: Line, unit: str) -> None:
        if abs(line.offset) > 3 * line.offset_error and abs(line.offset) > 0.05 * abs(line.slope):
            self.unknown.append(
                f"{what} begins at {line.offset:.3g} {unit}: friction between yarns, which a fabric of taut does not have"
            )

    def _between(self) -> tuple[float, Figure] | None:
        """The pull nearest to the bias, if there is one."""
        ways = [direction for direction in self.moduli if 20 <= direction <= 70]
        return min(((d, self.moduli[d]) for d in ways), key=lambda way: abs(way[0] - 45), default=None)

    def _shear_from_bias(self) -> None:
        way, weft, warp = self._between(), self.figures.get("weft"), self.figures.get("warp")
        if way is None or weft is None or warp is None:
            return
        direction, bias = way
        c2 = math.cos(math.radians(direction)) ** 2
        s2 = 1 - c2
        nu = self.figures["poisson"].value if "poisson" in self.figures else 0.0
        over = (1 / bias.value - c2**2 / weft.value - s2**2 / warp.value) / (c2 * s2) + 2 * nu / weft.value
        if over <= 0:
            self.unknown.append("shear: the pull on the bias is stiffer than the threads allow; G is not known from it")
            return
        value = 1 / over
        error = value**2 * bias.error / (bias.value**2 * c2 * s2)
        if "poisson" not in self.figures:
            # Half of what any ratio from 0 to 0.6 would change.
            error = math.hypot(0.0 if math.isnan(error) else error, value**2 * 0.3 / weft.value)
        self.figures["shear"] = Figure(value, error, bias.residual, bias.points, f"pull {direction:g}° from the weft")

    def poisson(self) -> None:
        found = []
        for curve in self.curves("tensile"):
            direction = _folded(curve.direction)
            if curve.across is None or direction not in (0.0, 90.0):
                continue
            along, across = (1 + curve.x) ** 2 - 1, (1 + curve.across) ** 2 - 1
            pulled = curve.x > 0
            if np.any(pulled):
                line = _line(along[pulled], -across[pulled], offset=False)
                weft, warp = self.figures.get("weft"), self.figures.get("warp")
                if direction == 0.0:
                    found.append((line.slope, line.error, line))
                elif weft is not None and warp is not None:
                    share = weft.value / warp.value
                    found.append((line.slope * share, line.error * share, line))
        if found:
            weights = np.array([1 / max(error, 1e-6) ** 2 if math.isfinite(error) else 1.0 for _, error, _ in found])
            value = float(np.average([value for value, _, _ in found], weights=weights))
            points = sum(line.points for _, _, line in found)
            residual = float(np.sqrt(np.mean([line.residual**2 for _, _, line in found])))
            error = 1 / math.sqrt(weights.sum())
            self.figures["poisson"] = Figure(value, error, residual, points, "extension across the pulls")

    def bend(self) -> None:
        series = []
        for way, wanted in (("weft", 0.0), ("warp", 90.0)):
            curves = [c for c in self.curves("bend") if _folded(c.direction) == wanted]
            if curves:
                x, y = np.abs(np.concatenate([c.x for c in curves])), np.abs(np.concatenate([c.y for c in curves]))
                line = _line(x, y, offset=True)
                self.keep("bend", wanted, x, y, line)
                self.put(f"bend_{way}", line, ", ".join(sorted({c.source for c in curves if c.source})) or "bending curve")
                self._offset(f"bend_{way}", line, "N")
                to = np.linspace(0, x.max(), 2)
                series += [Series(way, x, 1e3 * y, dots=True), Series(way, to, 1e3 * (line.offset + line.slope * to))]
            self.single(f"bend_{way}")
        if series:
            self.panels.append(Panel("bending", "curvature, 1/m", "moment, mN", series))


_UNITS = {
    "density": "kg/m²",
    "thickness": "m",
    "weft": "N/m",
    "warp": "N/m",
    "poisson": "",
    "shear": "N/m",
    "bend_weft": "N·m",
    "bend_warp": "N·m",
    "limit_weft": "",
    "limit_warp": "",
    "limit_shear": "",
}


class Fit:
    """A fabric from measurements.

    ``fabric`` is ready for models and scenes; ``values`` is a table of figures with their standard errors and the
    residuals of the readings; ``curves`` is a table of the measured curves themselves, linear or not: at each knot x
    and y in the units of `Curve`, the slope to it from the knot before, what the fabric gives there, how far that is
    off as a share, and the residual of the readings about the curve. A fabric of taut has one modulus each way and
    cannot follow such a curve; this says by how much not. ``unknown`` says what the data cannot tell and what was taken
    instead. ``plot()`` draws data and fit as SVG.
    """

    def __init__(self, name: str, worker: _Worker) -> None:
        self.figures: dict[str, Figure] = worker.figures
        self.unknown: list[str] = worker.unknown
        self.measured: Measured = worker.measured
        self._panels = worker.panels
        self.fabric = self._fabric(name)
        rows = []
        for key, unit in _UNITS.items():
            if key in self.figures:
                f = self.figures[key]
                rows.append([key, f.value, unit, _or_none(f.error), _or_none(f.residual), f.points, f.source])
        self.curves = Table(
            ["test", "direction", "x", "y", "slope", "fabric", "off", "residual"],
            [
                [c.test, c.direction, *map(float, knot), c.residual]
                for c in worker.rising
                for knot in zip(c.x, c.y, c.slopes, c.law, c.off, strict=True)
            ],
            f"{name}: measured curves",
        )
        self.values = Table(["figure", "value", "unit", "error", "residual", "points", "from"], rows, name)

    def _assumed(self, key: str, usual: float, unit: str, why: str) -> float:
        if key in self.figures:
            return self.figures[key].value
        self.unknown.append(f"{key}: {why}; {usual:.4g}{' ' + unit if unit else ''} is assumed")
        return usual

    def _fabric(self, name: str) -> Fabric:
        known = [self.figures[way].value for way in ("weft", "warp") if way in self.figures]
        if not known:
            raise Error("there is no pull along weft or warp to find a modulus from")
        same = sum(known) / len(known)
        weft = self._assumed("weft", same, "N/m", "no pull along the weft; that of the warp")
        warp = self._assumed("warp", same, "N/m", "no pull along the warp; that of the weft")
        usual, unit = _USUAL["poisson"]
        # A ratio that a membrane can have: ν² E₂/E₁ below 1.
        most = 0.95 * math.sqrt(weft / warp)
        poisson = self._assumed("poisson", min(usual, 0.5 * most), unit, "no extension across a pull")
        if abs(poisson) > most:
            self.unknown.append(f"poisson: {poisson:.3g} is more than a membrane can have; {most:.3g} is taken")
            poisson = math.copysign(most, poisson)
        shear = self._assumed("shear", *_USUAL["shear"], "neither shear nor a pull on the bias was measured")
        bends = [self.figures[key].value for key in ("bend_weft", "bend_warp") if key in self.figures]
        usual = sum(bends) / len(bends) if bends else _USUAL["bend"][0]
        why = "no bending along it" if bends else "no bending was measured"
        bend = (self._assumed("bend_weft", usual, "N·m", why), self._assumed("bend_warp", usual, "N·m", why))
        density = self._assumed("density", *_USUAL["density"], "the weight was not given")

        def limit(way: str) -> float:
            found = self.figures.get(f"limit_{way}")
            return math.inf if found is None else found.value

        limits = (limit("weft"), limit("warp"), limit("shear"))
        return Fabric(name, density, weft, warp, poisson, shear, bend, limits if min(limits) < math.inf else None)

    def plot(self) -> str:
        """Data as dots and the fit as lines, as SVG."""
        return page(self._panels)

    def __repr__(self) -> str:
        lines = [repr(self.values), *(f"not known: {sentence}" for sentence in self.unknown)]
        return "\n".join(lines + [f"note: {note}" for note in self.measured.notes])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{html.escape(text)}</li>" for text in self.unknown + self.measured.notes)
        return f"{self.plot()}{self.values._repr_html_()}<ul>{items}</ul>"


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def fit(
    data: Measured | Curve | Iterable[Curve] | str | Path,
    *,
    name: str = "fitted",
    density: float | None = None,
    values: Mapping[str, float] | None = None,
) -> Fit:
    """A fabric from curves, from tables of KES and FAST (``lab.kes``, ``lab.fast``), or from a CSV file.

    density in kg/m²; ``values`` are figures that are known otherwise, by name (weft, warp, shear in N/m, poisson, bend_weft, bend_warp in
    N·m, limit_weft, limit_warp, limit_shear). They take the place of what the curves say.
    """
    if isinstance(data, (str, Path)):
        data = read(data)
    elif isinstance(data, Curve):
        data = Measured([data])
    elif not isinstance(data, Measured):
        curves = list(data)
        wrong = next((c for c in curves if not isinstance(c, Curve)), None)
        if wrong is not None:
            raise Error(f"data has a {type(wrong).__name__}; expected taut.lab.Curve")
        data = Measured(curves)
    given: dict[str, Any] = dict(values or {})
    if density is not None:
        given["density"] = density
    figures = {}
    for key, value in given.items():
        if key not in _UNITS:
            raise Error(f"there is no figure {key!r}; there are {', '.join(_UNITS)}")
        if not (isinstance(value, (int, float)) and math.isfinite(value) and (value > 0 or key == "poisson")):
            raise Error(f"{key} is {value!r}; expected a number above 0")
        figures[key] = Figure(float(value), math.nan, math.nan, 0, "given")
    worker = _Worker(data, {}, [], [], {}, [])
    worker.tensile()
    for way in ("weft", "warp"):
        worker.single(way)
    worker.poisson()
    worker.single("poisson")
    worker.shear()
    worker.bend()
    for key in ("density", "thickness", "limit_weft", "limit_warp"):
        worker.single(key)
    worker.figures.update(figures)
    worker.unknown[:] = [text for text in worker.unknown if text.split(":")[0] not in figures]
    return Fit(name, worker)
