"""Strain limiters behind any simulator.

A simulator computes velocities; a limiter changes them so that the positions they lead to respect limits on strain; the
simulator moves by those. Ten lines of somebody's own simulator get hard strain limits::

    keep = taut.limit.csl(rest, triangles, weft=0.05, warp=0.05, shear=0.2)
    ...
    velocities = keep(positions, velocities, dt, masses=masses, fixed=pinned)
    positions += dt * velocities

``keep.apply(...)`` gives a report as well, ``keep.apply_to_positions(...)`` works on candidate positions. Rest
positions are (n, 3) in m, velocities in m/s, dt in s, masses in kg (one for all, or (n,)). A limit is a number, 0.05
for five percent longer, or (least, most). Every limiter takes, by keyword, ``iterations`` (sweeps at most: 100, of
sizes 10), ``tolerance`` (strain that may be left: 1e-4, of sizes 0.02) and ``threads`` (1); those of weft and warp
also ``direction`` or ``pattern``: weft runs along ``direction`` laid into each triangle (x if not given), or along
the first coordinate of ``pattern``, (n, 2) in m. The momentum of what is free is kept. Results are new arrays: the
engine works on vertices of four numbers, place and inverse mass together, so that arrays of three are copied in and
out.
"""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ._taut import Error, Limiter, LimitReport

__all__ = ["LimitReport", "Limiter", "area", "csl", "edge_rate", "edges", "grid", "rate", "sbd", "volume"]

Limit = float | tuple[float, float] | None


class Sweeps(TypedDict, total=False):
    """How long a limiter works, and on how many threads."""

    iterations: int
    tolerance: float
    threads: int


class Grain(Sweeps, total=False):
    """The same, and where the weft runs."""

    direction: ArrayLike | None
    pattern: ArrayLike | None


def _limits(**given: Limit) -> dict[str, Any]:
    found = {name: limit for name, limit in given.items() if limit is not None}
    if not found:
        raise Error(f"there is nothing to limit; give at least one of {', '.join(given)}")
    return found


def _woven(
    kind: Any, rest: ArrayLike, triangles: ArrayLike, limits: dict[str, Any], how: Grain, jacobi: bool = False
) -> Limiter:
    """A limiter along weft and warp."""
    options: dict[str, Any] = {**how}
    return Limiter(kind, rest, triangles, limits=limits, weft=options.pop("direction", None), jacobi=jacobi, **options)


def csl(
    rest: ArrayLike,
    triangles: ArrayLike,
    *,
    weft: Limit = None,
    warp: Limit = None,
    shear: Limit = None,
    jacobi: bool = False,
    **how: Unpack[Grain],
) -> Limiter:
    """Continuum-based strain limiting: weft, warp and shear strain of triangles, each on its own.

    ``jacobi`` averages over vertices instead of going element by element. By keyword: direction, pattern, iterations,
    tolerance, threads.
    """
    return _woven("csl", rest, triangles, _limits(weft=weft, warp=warp, shear=shear), how, jacobi)


def sbd(
    rest: ArrayLike,
    triangles: ArrayLike,
    *,
    weft: Limit = None,
    warp: Limit = None,
    shear: Limit = None,
    **how: Unpack[Grain],
) -> Limiter:
    """The rows of Strain Based Dynamics as limits: stretch along weft and warp, and the cosine of the angle between.

    By keyword: direction, pattern, iterations, tolerance, threads.
    """
    return _woven("sbd", rest, triangles, _limits(weft=weft, warp=warp, shear=shear), how)


def rate(
    rest: ArrayLike,
    triangles: ArrayLike,
    *,
    weft: Limit = None,
    warp: Limit = None,
    shear: Limit = None,
    **how: Unpack[Grain],
) -> Limiter:
    """Rates of strain in 1/s: changes velocities that positions must not follow any more, after collisions (CSL §4.1).

    By keyword: direction, pattern, iterations, tolerance, threads.
    """
    return _woven("rate", rest, triangles, _limits(weft=weft, warp=warp, shear=shear), how)


def edges(rest: ArrayLike, elements: ArrayLike, *, most: Limit, **how: Unpack[Sweeps]) -> Limiter:
    """Lengths of edges, after Provot: elements are pairs (n, 2), or triangles (n, 3) whose sides are taken.

    By keyword: iterations, tolerance, threads.
    """
    return Limiter("edges", rest, elements, limits=_limits(edge=most), **how)


def edge_rate(rest: ArrayLike, elements: ArrayLike, *, most: Limit, **how: Unpack[Sweeps]) -> Limiter:
    """Rates of the strain of edges, 1/s. By keyword: iterations, tolerance, threads."""
    return Limiter("edge-rate", rest, elements, limits=_limits(edge=most), **how)


def _sized(how: Sweeps) -> Sweeps:
    """What sizes take: few, large rounds."""
    return {"iterations": 10, "tolerance": 0.02, **how}


def area(rest: ArrayLike, triangles: ArrayLike, *, size: Limit = 0.0, **how: Unpack[Sweeps]) -> Limiter:
    """Area Preserving Strain Limiting: areas of triangles, all at once. ``size``: relative change that is left alone.

    By keyword: iterations, tolerance (as a share of the size), threads.
    """
    return Limiter("area", rest, triangles, limits=_limits(size=size), **_sized(how))


def volume(rest: ArrayLike, tetrahedra: ArrayLike, *, size: Limit = 0.0, **how: Unpack[Sweeps]) -> Limiter:
    """The same for volumes of tetrahedra."""
    return Limiter("volume", rest, tetrahedra, limits=_limits(size=size), **_sized(how))


def grid(nx: int, ny: int, size: tuple[float, float] = (1.0, 1.0)) -> tuple[np.ndarray, np.ndarray]:
    """A sheet of nx × ny vertices in the plane y = 0, of a size in m, centred: vertices (n, 3) and triangles (m, 3).

    Weft runs along x. Here for examples and tests of one's own limits.
    """
    if nx < 2 or ny < 2:
        raise Error(f"the grid has {nx} × {ny} vertices; expected 2 or more each way")
    x, z = np.meshgrid(np.linspace(-0.5, 0.5, nx) * size[0], np.linspace(-0.5, 0.5, ny) * size[1])
    vertices = np.stack([x.ravel(), np.zeros(nx * ny), z.ravel()], axis=1)
    at = np.arange(nx * ny).reshape(ny, nx)
    a, b, c, d = at[:-1, :-1].ravel(), at[:-1, 1:].ravel(), at[1:, :-1].ravel(), at[1:, 1:].ravel()
    return vertices, np.concatenate([np.stack([a, c, b], 1), np.stack([b, c, d], 1)]).astype(np.uint32)
