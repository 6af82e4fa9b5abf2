"""A measured curve as it is, whatever its law: rising, through the readings, as knots of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rising:
    """A curve that never falls, linear between its knots."""

    test: str
    """"tensile", "shear" or "bend"."""
    direction: float
    """Degrees from the weft."""
    x: _Array
    y: _Array
    law: _Array
    """What the fitted fabric, which has one modulus, gives at the knots."""
    residual: float
    """Root mean square of the readings about the curve, as a share of them."""

    @property
    def slopes(self) -> _Array:
        """From the knot before, or the origin, to each knot: the modulus that the curve has there."""
        return np.asarray(np.diff(self.y, prepend=0.0) / np.diff(self.x, prepend=0.0), np.float64)

    @property
    def off(self) -> _Array:
        """How far the curve is from the law, as a share of the curve; of the largest tenth of it where that is more."""
        return np.asarray((self.law - self.y) / np.maximum(self.y, 0.1 * self.y.max()), np.float64)


def rising(test: str, direction: float, x: _Array, y: _Array, law: Callable[[_Array], _Array]) -> Rising | None:
    """The rising curve nearest to readings above zero (pools those that fall). None if they are fewer than two."""
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    kept = (x > 0) & (y > 0)
    x, y = x[kept], y[kept]
    # Blocks of readings: where they begin, and the sums over them.
    blocks: list[list[float]] = []
    for at, force in zip(x, y, strict=True):
        blocks.append([at, force, 1.0])
        while len(blocks) > 1 and any(_mean(blocks[-2], k) >= _mean(blocks[-1], k) for k in (0, 1)):
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    if len(blocks) < 2:
        return None
    knots, forces = (np.array([_mean(block, k) for block in blocks]) for k in (0, 1))
    left = y - np.interp(x, np.append(0.0, knots), np.append(0.0, forces))
    share = left / np.maximum(y, 0.1 * y.max())
    return Rising(test, direction, knots, forces, law(knots), float(np.sqrt(np.mean(share**2))))


def _mean(block: list[float], which: int) -> float:
    return block[which] / block[2]
