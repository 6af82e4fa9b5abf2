"""Constraints written in Python, in the step."""

from __future__ import annotations

import ctypes
import threading

import numpy as np
import pytest

import taut


def on_sphere(centre, radius):
    """c = |x − centre| − radius."""

    def rows(numbers, x):
        away = x[:, 0] - centre
        length = np.linalg.norm(away, axis=1)
        return length - radius, (away / length[:, None])[:, None]

    return rows


def spring(length):
    """c = |b − a| / length − 1 of pairs."""

    def rows(numbers, x):
        between = x[:, 1] - x[:, 0]
        size = np.linalg.norm(between, axis=1)
        unit = between / size[:, None] / length
        return size / length - 1, np.stack([-unit, unit], axis=1)

    return rows


def test_gradients_are_checked():
    assert taut.gradient_error(on_sphere(np.zeros(3), 1.0), [[0.3, 0.4, 0.9]], 0) < 1e-6

    def wrong(numbers, x):
        c, g = on_sphere(np.zeros(3), 1.0)(numbers, x)
        return c, 2 * g

    assert taut.gradient_error(wrong, [[0.3, 0.4, 0.9]], 0) > 0.3


def pendulum(rows=on_sphere(np.zeros(3), 1.0), **strength):
    """A bead of 0.2 kg on a sphere of 1 m, or on what else its rows say."""
    builder = taut.ModelBuilder()
    builder.add_vertices([[1.0, 0.0, 0.0]])
    builder.add_mass(0, 0.2)
    builder.add_constraint("bowl", [[0]], rows, **(strength or {"compliance": 0.0}))
    return builder.build("f64")


@pytest.mark.parametrize("strength", [{"compliance": 0.0}, {"stiffness": 1.0}], ids=["rigid", "projected"])
@pytest.mark.parametrize("solver", ["pbd", "newton"])
def test_a_bead_stays_on_its_sphere_and_swings_as_a_pendulum(strength, solver):
    model = pendulum(**strength)
    state = model.state()
    params = taut.Params(substeps=100 if solver == "pbd" else 40, iterations=2, solver=solver)
    speeds = []
    for _ in range(72):
        taut.step(model, state, params, 1 / 120)
        (position,), (velocity,) = state.positions, state.velocities
        assert abs(np.linalg.norm(position) - 1) < 2e-3
        speeds.append(np.linalg.norm(velocity))
    # From rest at the side it is at the bottom after 0.592 s, at √(2 g r) = 4.43 m/s.
    assert max(speeds) == pytest.approx(np.sqrt(2 * 9.81), rel=0.02)


def test_a_compliance_is_a_spring_constant():
    builder = taut.ModelBuilder()
    builder.add_vertices([[0, 0, 0], [0, -1, 0]])
    builder.add_mass(0, 1.0)
    builder.add_mass(1, 2.0)
    # Energy ½ c²/compliance with c the strain of 1 m: 1/compliance is 100 N/m times 1 m².
    builder.add_constraint("spring", [[0, 1]], spring(1.0), compliance=0.01, damping=0.2)
    model = builder.build("f64")
    state = model.state()
    state.pin([0])
    params = taut.Params(substeps=10, iterations=10)
    for _ in range(200):
        taut.step(model, state, params, 1 / 60)
    assert state.positions[1, 1] == pytest.approx(-1 - 2 * 9.81 / 100, abs=1e-5)


def test_it_takes_part_with_cloth_pins_and_one_sides(sheet):
    rest, triangles = sheet

    def above(numbers, x):
        gradients = np.zeros_like(x)
        gradients[:, 0, 1] = 1
        return x[:, 0, 1] + 0.2, gradients

    builder = taut.ModelBuilder()
    builder.add_cloth("sheet", rest, triangles)
    builder.add_constraint("floor", np.arange(81)[:, None], above, stiffness=1.0, side="at-least")
    model = builder.build("f64")
    state = model.state()
    state.pin(np.arange(9))
    for _ in range(90):
        taut.step(model, state, taut.Params(substeps=10), 1 / 60)
    heights = state.positions[:, 1]
    assert heights.min() > -0.2 - 1e-3 and heights.min() < -0.19
    assert np.allclose(state.positions[:9], rest[:9])


def test_what_it_raises_gets_to_who_stepped_and_nothing_has_happened():
    calls = []

    def rows(numbers, x):
        calls.append(len(numbers))
        if len(calls) > 3:
            raise KeyError("no such row")
        return on_sphere(np.zeros(3), 1.0)(numbers, x)

    model = pendulum(rows)
    state = model.state()
    before, time = state.hash, state.time
    with pytest.raises(KeyError, match="no such row"):
        taut.step(model, state, taut.Params(substeps=20), 1 / 60)
    assert (state.hash, state.time) == (before, time)


@pytest.mark.parametrize("wrong", [lambda n, x: (np.zeros(3), x), lambda n, x: None, lambda n, x: (x, x), lambda: 0])
def test_wrong_answers_are_exceptions(wrong):
    model = pendulum(wrong)
    with pytest.raises((taut.Error, TypeError, ValueError)):
        taut.step(model, model.state(), taut.Params(substeps=1), 1 / 60)


def test_a_function_that_looks_at_its_own_state_is_told_no():
    box = {}

    def rows(numbers, x):
        box["state"].positions
        return on_sphere(np.zeros(3), 1.0)(numbers, x)

    model = pendulum(rows)
    box["state"] = model.state()
    with pytest.raises(taut.BusyError):
        taut.step(model, box["state"], None, 1 / 60)


def test_threads_with_constraints_of_their_own_get_their_own_exceptions():
    found = {}

    def run(name):
        def rows(numbers, x):
            raise RuntimeError(name)

        model = pendulum(rows)
        try:
            taut.step(model, model.state())
        except RuntimeError as error:
            found[name] = str(error)

    threads = [threading.Thread(target=run, args=(str(at),)) for at in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == {str(at): str(at) for at in range(8)}


SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_uint32),
    *[ctypes.POINTER(ctypes.c_double)] * 3,
)


def in_c(code=0):
    """The sphere behind an address, with its radius in the data; and what it was called with."""
    radius, calls = ctypes.c_double(1.0), []

    def rows(data, count, arity, numbers, x, values, gradients):
        calls.append((count, arity, numbers[0]))
        r = ctypes.cast(data, ctypes.POINTER(ctypes.c_double))[0]
        at = np.ctypeslib.as_array(x, (count, arity, 3))
        c, g = on_sphere(np.zeros(3), r)(None, at)
        np.ctypeslib.as_array(values, (count,))[:] = c
        np.ctypeslib.as_array(gradients, (count, arity, 3))[:] = g
        return code

    function = SIGNATURE(rows)
    address = ctypes.cast(function, ctypes.c_void_p).value
    return taut.CFunction(address, ctypes.addressof(radius), owner=(function, radius)), calls


@pytest.mark.parametrize("strength", [{"compliance": 1e-4}, {"stiffness": 0.8}], ids=["soft", "projected"])
@pytest.mark.parametrize("solver", ["pbd", "newton"])
def test_a_function_in_c_does_what_the_same_in_python_does(solver, strength):
    function, calls = in_c()
    params = taut.Params(substeps=5, iterations=3, solver=solver)
    hashes = []
    for rows in (function, on_sphere(np.zeros(3), 1.0)):
        model = pendulum(rows, **strength)
        state = model.state(threads=2)
        for _ in range(10):
            taut.step(model, state, params)
        hashes.append(state.hash)
    assert hashes[0] == hashes[1] and calls
    assert {arity for _, arity, _ in calls} == {1} and {number for _, _, number in calls} == {0}
    assert taut.gradient_error(function, [[0.3, 0.4, 0.9]], 0) < 1e-6


def test_a_function_in_c_that_fails_ends_the_step():
    function, _ = in_c(code=7)
    model = pendulum(function)
    state = model.state()
    before = state.hash
    with pytest.raises(taut.Error, match="'bowl' returned 7"):
        taut.step(model, state)
    assert state.hash == before
    with pytest.raises(taut.Error, match="address is 0"):
        taut.CFunction(0)
    for wrong in (-1, 1.5, "rows", None, 2**70):
        with pytest.raises((TypeError, OverflowError)):
            taut.CFunction(wrong)
