"""Gradients against central differences of whole simulations."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import taut

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

VALUES = {"weft": 60.0, "warp": 40.0, "poisson": 0.25, "shear": 20.0, "bend": 2e-3, "density": 0.3}
STEPS = 4


def floor(rows, x):
    """Heights above a curved floor, which cloth below it is pushed out of."""
    gradients = np.zeros_like(x)
    gradients[:, 0, 1] = 1
    gradients[:, 0, 0] = 2 * x[:, 0, 0]
    return x[:, 0, 1] + 0.01 + x[:, 0, 0] ** 2, gradients


def build(weft, warp, poisson, shear, bend, density, damping=0.0):
    rest, triangles = taut.limit.grid(4, 4)
    builder = taut.ModelBuilder()
    elastic = {"weft": weft, "warp": warp, "poisson": poisson, "shear": shear, "bend": bend, "damping": damping}
    builder.add_cloth("sheet", rest, triangles, density=density, elastic=elastic)
    builder.add_constraint("floor", np.arange(4, 16)[:, None], floor, compliance=0.02, side="at-least")
    return builder.build("f64")


def run(damping=0.0, values=VALUES, places=0.0, speeds=0.0, gravity=(0.0, -9.81, 0.5), pin=0.0):
    """Four steps of a sheet that hangs from two corners, one of which is moved in the second; and L of them."""
    model = build(**values, damping=damping)
    state = model.state()
    rng = np.random.default_rng(5)
    state.positions = model.rest_positions + rng.normal(size=(16, 3)) * 0.02 + places
    state.velocities = rng.normal(size=(16, 3)) + speeds
    state.pin([0, 3])
    tape = taut.Tape(model, state, taut.Tape.params(gravity=gravity))
    by_place, by_speed = rng.normal(size=(2, STEPS, 16, 3))
    found = 0.0
    for at in range(STEPS):
        if at == 1:
            state.move_pins([3], [model.rest_positions[3] + np.array([0.05, 0.02, 0.0]) + pin])
        tape.step(1 / 30)
        found += np.sum(by_place[at] * state.positions) + np.sum(by_speed[at] * state.velocities)
    return found, tape, (by_place, by_speed)


def along(direction, by, **options):
    """How L changes along an option, by central differences."""
    (name, _), = direction.items()
    ahead, behind = (run(**{name: side * by * direction[name]}, **options)[0] for side in (1, -1))
    return (ahead - behind) / (2 * by)


@pytest.mark.parametrize("damping", [0.0, 0.005])
def test_gradients_are_those_of_differences(damping):
    _, tape, given = run(damping)
    # The floor holds some of it up, and must take part.
    assert np.any(floor(None, tape.state.positions[4:, None])[0] < 0)
    g = tape.gradients(*given)
    rng = np.random.default_rng(6)
    some = rng.normal(size=(16, 3))
    free = np.ones((16, 1))
    free[[0, 3]] = 0
    # The places that pins begin with count as well, and so do velocities of what is free.
    assert np.sum(g.positions * some) == pytest.approx(along({"places": some}, 1e-6, damping=damping), rel=1e-5)
    assert np.sum(g.velocities * some) == pytest.approx(along({"speeds": some * free}, 1e-5, damping=damping), rel=1e-5)
    assert np.all(g.velocities[[0, 3]] == 0)
    to = np.array([0.3, -0.5, 0.8])
    assert g.pins[1, 3] @ to == pytest.approx(along({"pin": to}, 1e-6, damping=damping), rel=1e-5)
    changed = [run(damping, gravity=np.array([0.0, -9.81, 0.5]) + side * 1e-4 * to)[0] for side in (1, -1)]
    assert g.gravity @ to == pytest.approx((changed[0] - changed[1]) / 2e-4, rel=1e-5)


@pytest.mark.parametrize("damping", [0.0, 0.005])
def test_gradients_by_the_material(damping):
    _, tape, given = run(damping)
    found = tape.gradients(*given).material(lambda **values: build(**values, damping=damping), VALUES)
    for name, value in VALUES.items():
        ahead, behind = (run(damping, {**VALUES, name: value * (1 + side * 1e-5)})[0] for side in (1, -1))
        assert found[name] == pytest.approx((ahead - behind) / (2e-5 * value), rel=2e-5), name
    assert len(found) == 6


def test_without_scipy_it_is_the_same(monkeypatch):
    _, tape, given = run()
    as_it_is = tape.gradients(*given)
    import sys

    for name in ("scipy.sparse", "scipy.sparse.linalg"):
        monkeypatch.setitem(sys.modules, name, None)
    dense = tape.gradients(*given)
    assert np.allclose(dense.positions, as_it_is.positions, rtol=1e-9, atol=1e-12)
    monkeypatch.setattr(taut._tape, "_MOST_DENSE", 10)
    with pytest.raises(taut.Error, match="pip install scipy"):
        tape.gradients(*given)


def test_steps_that_are_not_of_the_kind_are_told(sheet):
    rest, triangles = sheet
    builder = taut.ModelBuilder()
    builder.add_cloth("sheet", rest, triangles, fabric="cotton")
    model = builder.build("f64")
    # A ball stops it; iterations are too few; it is of single precision; its substeps are too many.
    ball = taut.Collider.sphere(0.2, [0, -0.21, 0])
    for params in (taut.Tape.params(colliders=[ball]), taut.Tape.params(solver="newton-cg", iterations=2)):
        state = model.state()
        state.pin([0])
        tape = taut.Tape(model, state, params)
        for _ in range(3):
            tape.step(1 / 30)
        with pytest.raises(taut.Error, match=r"step \d lacks .* m/s"):
            tape.gradients(state.positions)
    with pytest.raises(taut.Error, match="no steps yet"):
        taut.Tape(model, model.state()).gradients(rest)
    tape = taut.Tape(model, model.state())
    tape.step()
    with pytest.raises(taut.Error, match=r"positions has the shape \(2, 3\)"):
        tape.gradients(np.zeros((2, 3)))
    with pytest.raises(taut.Error, match="not finite"):
        tape.gradients(np.full((81, 3), np.nan))
    with pytest.raises(taut.Error, match='need one of "f64"'):
        single = builder.build("f32")
        taut.Tape(single, single.state())
    with pytest.raises(taut.Error, match="substeps=1"):
        taut.Tape(model, model.state(), taut.Params())


def test_a_tangent_is_checked(denim):
    rest = denim.rest_positions
    with pytest.raises(taut.Error, match=r"expected \(81, 3\)"):
        denim.tangent(rest[1:])
    with pytest.raises(taut.Error, match=r"velocities\[2\]"):
        wrong = np.zeros((81, 3))
        wrong[2, 1] = np.inf
        denim.tangent(rest, wrong)
    found = denim.tangent(rest)
    assert np.abs(found["forces"]).max() < 1e-9 and found["damping"].shape == (0, 3, 3)
    assert found["pairs"].max() == 80 and found["stiffness"].shape == (len(found["pairs"]), 3, 3)


def test_the_example_finds_moduli_from_motion():
    said = runpy.run_path(str(EXAMPLES / "fit_by_gradients.py"))
    assert said["main"]() == pytest.approx(said["TRUE"], rel=0.01)
