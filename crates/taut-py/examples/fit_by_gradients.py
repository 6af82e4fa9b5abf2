"""A fabric from how it moves: the moduli of a strip are found from positions alone, by gradients of the simulation.

A strip hangs from one end and swings; somebody recorded where its vertices were. From a guess that is wrong by a factor
of two, BFGS brings the simulated motion to the recorded one, each turn with one simulation and one pass backwards.
"""

import numpy as np

import taut

STEPS, DT = 12, 1 / 30
TRUE = {"warp": 30.0, "bend": 4e-3}


def build(warp: float, bend: float) -> taut.Model:
    """A strip of 3 × 9 vertices, held at its first row."""
    vertices, triangles = taut.limit.grid(3, 9, (0.1, 0.6))
    builder = taut.ModelBuilder()
    elastic = {"weft": 30.0, "warp": warp, "shear": 12.0, "poisson": 0.2, "bend": bend}
    builder.add_cloth("strip", vertices, triangles, density=0.4, elastic=elastic)
    return builder.build("f64")


def simulate(values: dict[str, float]) -> tuple[taut.Tape, np.ndarray]:
    """The tape, and positions after each step."""
    model = build(**values)
    state = model.state()
    state.pin([0, 1, 2])
    tape = taut.Tape(model, state)
    frames = []
    for _ in range(STEPS):
        tape.step(DT)
        frames.append(state.positions)
    return tape, np.array(frames)


def loss(logarithms: np.ndarray, names: list[str], seen: np.ndarray) -> tuple[float, np.ndarray]:
    """Squares of distances in mm², and their derivatives by the logarithms of values."""
    values = dict(zip(names, map(float, np.exp(logarithms)), strict=True))
    tape, frames = simulate(values)
    away = 1e3 * (frames - seen)
    slopes = tape.gradients(positions=2e3 * away).material(build, values)
    return float(np.sum(away**2)), np.array([slopes[name] * values[name] for name in names])


def fit(seen: np.ndarray, guess: dict[str, float], turns: int = 25) -> dict[str, float]:
    """Quasi-Newton steps (BFGS) with halving."""
    names = list(guess)
    at = np.log([guess[name] for name in names])
    value, slope = loss(at, names, seen)
    inverse = np.eye(len(names)) * 0.3 / np.linalg.norm(slope)
    for _ in range(turns):
        way, length = -inverse @ slope, 1.0
        way *= min(1.0, 0.7 / np.max(np.abs(way)))
        while True:
            there, found = loss(at + length * way, names, seen)
            if there < value or length < 1e-3:
                break
            length *= 0.5
        if there >= value:
            break
        s, y = length * way, found - slope
        if s @ y > 0:
            turn = np.eye(len(names)) - np.outer(s, y) / (s @ y)
            inverse = turn @ inverse @ turn.T + np.outer(s, s) / (s @ y)
        at, value, slope = at + s, there, found
        if value < 1e-6:
            break
    return dict(zip(names, map(float, np.exp(at)), strict=True))


def main() -> dict[str, float]:
    """Of what swings freely only moduli over density can be told: the density is known."""
    recorded = simulate(TRUE)[1]
    return fit(recorded, {"warp": 60.0, "bend": 2e-3})


if __name__ == "__main__":
    for name, value in main().items():
        print(f"{name}: {value:.6g}, in truth {TRUE[name]:.6g}")
