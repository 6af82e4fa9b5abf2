"""Gradients: derivatives of what comes of converged steps, by the adjoint method.

A step of implicit Euler over h ends at positions x with M (x − x₀ − h v₀ − h² g)/h² = f(x, v) and v = (x − x₀)/h at all
vertices that are free. What a number L of the end changes by then takes one linear system for each step, backwards:
(M/h² + K + D/h)ᵀ μ = ∂L/∂x + ∂L/∂v/h with K = −∂f/∂x and D = −∂f/∂v, whatever the number of things it is
differentiated by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._taut import Error, Model, Params, State, StepReport, step

_Array = NDArray[np.float64]

_MOST_DENSE = 6000
"""Unknowns at most without scipy: a dense matrix of these takes 288 MB."""

_CONVERGED = 1e-6
"""Lacking velocity at which a step counts as converged, in m/s or over the largest velocity."""


@dataclass(frozen=True)
class _Step:
    """One step as it was."""

    h: float
    gravity: _Array
    start: _Array
    """Positions, m."""
    speed: _Array
    """Velocities at the start, m/s."""
    end: _Array
    free: NDArray[np.bool_]

    @property
    def velocity(self) -> _Array:
        """Of the end, m/s."""
        return (self.end - self.start) / self.h

    @property
    def acceleration(self) -> _Array:
        """What is left for elastic forces to do, m/s²."""
        return (self.end - self.start - self.h * self.speed) / self.h**2 - self.gravity


def _matrix(pairs: NDArray[np.uint32], blocks: _Array, count: int) -> Any:
    """Blocks as a matrix of 3 count rows: scipy's, sparse, or a dense one."""
    at = 3 * pairs.astype(np.int64)[:, :, None] + np.arange(3)
    rows, columns = np.broadcast_arrays(at[:, 0, :, None], at[:, 1, None, :])
    shape = (3 * count, 3 * count)
    try:
        from scipy.sparse import coo_array  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        if shape[0] > _MOST_DENSE:
            raise Error(f"{count} vertices are too many for gradients without scipy; pip install scipy") from None
        dense = np.zeros(shape)
        np.add.at(dense, (rows.ravel(), columns.ravel()), blocks.ravel())
        return dense
    return coo_array((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=shape).tocsr()


def _solve(matrix: Any, right: _Array) -> _Array:
    """matrix⁻¹ right."""
    try:
        if isinstance(matrix, np.ndarray):
            found = np.linalg.solve(matrix, right)
        else:
            from scipy.sparse.linalg import splu  # type: ignore[import-not-found, import-untyped, unused-ignore]

            found = splu(matrix.tocsc()).solve(right)
    except (np.linalg.LinAlgError, RuntimeError) as error:
        raise Error(f"a step has no derivative: {error}") from None
    if not np.all(np.isfinite(found)):
        raise Error("a step has no derivative: its system is singular")
    return np.asarray(found, dtype=np.float64)


class Gradients:
    """Derivatives of a number L of the steps of a tape, in the unit of L over that of what it is differentiated by.

    positions, velocities (n, 3): by those that the tape began with. gravity (3,). masses (n,): by those of vertices,
    in kg. pins (steps, n, 3): by where each step puts the vertices that are held in it; those that it does not move
    hand theirs on to the step before, and to ``positions``. ``material(...)``: by whatever a model is built from.
    """

    positions: _Array
    velocities: _Array
    gravity: _Array
    masses: _Array
    pins: _Array

    def __init__(self, steps: list[_Step], model: Model, by_positions: _Array, by_velocities: _Array) -> None:
        self._steps, self._model = steps, model
        self._forces = np.zeros_like(by_positions)
        self.pins = np.zeros_like(by_positions)
        self.gravity = np.zeros(3)
        self.masses = np.zeros(model.vertices)
        a, b = np.zeros((model.vertices, 3)), np.zeros((model.vertices, 3))
        for number in reversed(range(len(steps))):
            a, b = self._back(number, a + by_positions[number], b + by_velocities[number])
        self.positions, self.velocities = a, b

    def _back(self, number: int, a: _Array, b: _Array) -> tuple[_Array, _Array]:
        """From the derivatives by the end of a step to those by its start."""
        at, masses = self._steps[number], self._model.masses
        h, count = at.h, len(masses)
        tangent = self._model.tangent(at.end, at.velocity)
        self._check(number, tangent["forces"])
        k = _matrix(tangent["pairs"], tangent["stiffness"], count)
        damped = len(tangent["damping"]) > 0
        d = _matrix(tangent["pairs"], tangent["damping"], count) / h if damped else 0.0 * k
        free = np.repeat(at.free, 3)
        inertia = np.repeat(masses, 3)
        # The columns of all vertices: what is held is given.
        rows = (k + d)[free]
        total = (a + b / h).ravel()
        mu = np.zeros(3 * count)
        if np.any(free):
            system = rows[:, free] + _diagonal(inertia[free] / h**2, rows)
            mu[free] = _solve(system.T, total[free])
        held = np.where(free, 0.0, total - rows.T @ mu[free]).reshape(-1, 3)
        start = (inertia * mu / h**2 + d[free].T @ mu[free]).reshape(-1, 3) - b / h
        pull = mu.reshape(-1, 3)
        self._forces[number] = pull
        self.pins[number] = held
        self.gravity += masses @ pull
        self.masses -= np.sum(pull * at.acceleration, axis=1)
        stays = ~at.free & np.all(at.end == at.start, axis=1)
        return start + np.where(stays[:, None], held, 0.0), masses[:, None] * pull / h

    def _check(self, number: int, forces: _Array) -> None:
        at, masses = self._steps[number], self._model.masses[:, None]
        lacking = np.abs(at.acceleration - forces / np.where(masses > 0, masses, 1.0))[at.free] * at.h
        most, speed = float(np.max(lacking, initial=0.0)), float(np.max(np.abs(at.velocity), initial=1.0))
        if most > _CONVERGED * speed:
            raise Error(
                f"step {number} lacks {most:.2g} m/s of what its equations ask for: it did not converge (see "
                "Tape.params), or something moved it that a tape does not know: contact, limits on strain, air, "
                "what is projected"
            )

    def material(self, build: Callable[..., Model], values: Mapping[str, float]) -> dict[str, float]:
        """By what a model is built from: ``build(**values)`` makes it.

        Fabric, density, rest shape: whatever changes forces and masses. How these change is found by building models a
        little to both sides of each value; nothing is simulated again.
        """
        return {name: self._along(build, dict(values), name) for name in values}

    def _along(self, build: Callable[..., Model], values: dict[str, float], name: str) -> float:
        value = float(values[name])
        by = 1e-4 * abs(value) if value != 0.0 else 1e-6
        models = [build(**{**values, name: value + side * by}) for side in (1, -1)]
        if any(model.vertices != self._model.vertices for model in models):
            raise Error(f"models of another {name} have another number of vertices")
        found = 0.0
        for at, mu in zip(self._steps, self._forces, strict=True):
            ahead, behind = (model.tangent(at.end, at.velocity)["forces"] for model in models)
            heavier = (models[0].masses - models[1].masses)[:, None]
            found += float(np.sum(mu * (ahead - behind - heavier * at.acceleration)))
        return found / (2 * by)

    def __repr__(self) -> str:
        return f"Gradients({len(self._steps)} steps, {self._model.vertices} vertices)"


def _diagonal(values: _Array, like: Any) -> Any:
    if isinstance(like, np.ndarray):
        return np.diag(values)
    from scipy.sparse import diags_array  # type: ignore[import-not-found, import-untyped, unused-ignore]

    return diags_array(values)


class Tape:
    """Steps a state, and differentiates what came of it.

    ::

        tape = taut.Tape(model, state)                  # a model of "f64"
        for _ in range(20):
            tape.step(1 / 60)
        g = tape.gradients(positions=2 * (state.positions - wanted))     # of |positions − wanted|² at the end
        g.velocities, g.gravity, g.material(build, {"weft": 120.0})

    What it knows: implicit Euler with one substep a step, everything with a physical stiffness and damping (fabrics,
    moduli, soft bodies, springs, constraints of your own with a compliance), pins that stay or move, gravity.
    Constraints with a side are frozen: those that act go on acting. Steps that do anything else (contact, limits on
    strain, air, what is projected) raise an `Error` when they are differentiated.

    Linear systems are solved by scipy if it is installed; without it models may have 2,000 vertices.
    """

    def __init__(self, model: Model, state: State, params: Params | None = None) -> None:
        self.model, self.state = model, state
        self.params_used = Tape.params() if params is None else params
        self._steps: list[_Step] = []
        if model.dtype != "f64":
            raise Error(f'the model is of "{model.dtype}"; gradients need one of "f64"')
        if self.params_used.substeps != 1 or self.params_used.integrator != "implicit-euler":
            raise Error('a tape takes Params with substeps=1 and integrator="implicit-euler", as of Tape.params()')

    @staticmethod
    def params(**values: Any) -> Params:
        """Params for steps that converge: Newton's method, one substep, 200 iterations at most, to 1e-10 m/s."""
        usual = {"solver": "newton", "substeps": 1, "iterations": 200, "tolerance": 1e-10}
        return Params(**{**usual, **values})

    def step(self, dt: float = 1 / 60) -> StepReport:
        """Steps the state by `dt` seconds, and keeps what derivatives need: three arrays."""
        start, speed = self._vectors()
        free = ~self.state.pinned
        report = step(self.model, self.state, self.params_used, dt)
        gravity = np.asarray(self.params_used.gravity, dtype=np.float64)
        self._steps.append(_Step(dt, gravity, start, speed, self._vectors()[0], free))
        return report

    def _vectors(self) -> tuple[_Array, _Array]:
        return np.asarray(self.state.positions, np.float64), np.asarray(self.state.velocities, np.float64)

    def __len__(self) -> int:
        return len(self._steps)

    def gradients(self, positions: ArrayLike | None = None, velocities: ArrayLike | None = None) -> Gradients:
        """Derivatives of a number L from those by positions (1/m) and velocities (s/m).

        Of the end, (n, 3), or after each step, (steps, n, 3).
        """
        by_positions, by_velocities = self._each("positions", positions), self._each("velocities", velocities)
        return Gradients(list(self._steps), self.model, by_positions, by_velocities)

    def _each(self, name: str, given: ArrayLike | None) -> _Array:
        steps, count = len(self._steps), self.model.vertices
        if steps == 0:
            raise Error("the tape has no steps yet")
        out = np.zeros((steps, count, 3))
        if given is None:
            return out
        array = np.asarray(given, dtype=np.float64)
        if array.shape == (count, 3):
            out[-1] = array
        elif array.shape == out.shape:
            out[:] = array
        else:
            raise Error(f"{name} has the shape {array.shape}; expected ({count}, 3) or ({steps}, {count}, 3)")
        if not np.all(np.isfinite(out)):
            raise Error(f"{name} has numbers that are not finite")
        return out

    def __repr__(self) -> str:
        return f"Tape({len(self._steps)} steps, {self.model.vertices} vertices)"
