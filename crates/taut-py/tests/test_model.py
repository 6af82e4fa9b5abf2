"""Models, states and steps."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import taut


def test_what_falls_falls_as_bodies_fall(sheet):
    builder = taut.ModelBuilder()
    builder.add_cloth("sheet", *sheet)
    model = builder.build("f64")
    state = model.state()
    params = taut.Params(substeps=10)
    for _ in range(30):
        taut.step(model, state, params, 1 / 60)
    # Implicit Euler in n substeps of h: g h² n (n + 1)/2.
    h, n = 1 / 600, 300
    assert np.allclose(state.positions - sheet[0], [0, -9.81 * h * h * n * (n + 1) / 2, 0], atol=1e-9)
    assert np.allclose(state.velocities, [0, -9.81 * 0.5, 0], atol=1e-9)
    assert state.time == pytest.approx(0.5)


def test_arrays_are_of_the_models_dtype_and_in_its_order(sheet):
    for dtype, kind in (("f32", np.float32), ("f64", np.float64)):
        builder = taut.ModelBuilder()
        first = builder.add_cloth("a", *sheet, fabric="cotton")
        second = builder.add_cloth("b", sheet[0] + [0, 1, 0], sheet[1], fabric="cotton")
        model = builder.build(dtype)
        state = model.state()
        assert (first, second) == (0, 81) and model.vertices == 162
        assert state.positions.dtype == kind and state.positions.shape == (162, 3)
        assert np.array_equal(state.positions[81:], (sheet[0] + [0, 1, 0]).astype(kind))
        assert model.bodies[1]["base"] == 81 and model.bodies[1]["triangles"].min() == 81
        assert model.rest_positions.base is model and not model.rest_positions.flags.writeable
        # A square metre of 0.1503 kg/m², twice.
        assert model.masses.sum() == pytest.approx(2 * 0.1503)
        out = np.zeros((162, 3), dtype=np.float64)
        state.positions_into(out)
        assert np.array_equal(out, state.positions)
        assert np.allclose(np.abs(state.normals), [0, 1, 0])


def test_a_view_of_rest_positions_outlives_its_model(sheet):
    builder = taut.ModelBuilder()
    builder.add_cloth("sheet", *sheet)
    rest = builder.build("f64").rest_positions
    assert np.array_equal(rest, sheet[0])


def test_a_weight_on_a_spring_hangs_where_hooke_says():
    builder = taut.ModelBuilder()
    builder.add_vertices([[0, 0, 0], [0, -1, 0]])
    builder.add_mass(0, 1.0)
    builder.add_mass(1, 2.0)
    builder.add_springs([[0, 1]], stiffness=100.0, damping=0.05)
    model = builder.build("f64")
    state = model.state()
    state.pin(0)
    params = taut.Params(solver="newton", substeps=4, iterations=20, tolerance=1e-12)
    for _ in range(600):
        taut.step(model, state, params, 1 / 60)
    # m g = k e.
    assert state.positions[1, 1] == pytest.approx(-1 - 2 * 9.81 / 100, abs=1e-6)
    # The row is e over the length of 1 m, so that the multiplier is the force times 1 m.
    (rows,) = state.multipliers().values()
    assert rows.shape == (1, 1) and abs(rows[0, 0]) == pytest.approx(2 * 9.81, rel=1e-5)
    assert state.totals()["elastic"] == pytest.approx(0.5 * 100 * 0.1962**2, rel=1e-5)


def test_pins_hold_move_and_let_go(denim, sheet):
    state, params = denim.state(), taut.Params.fabric()
    corners = [0, 8]
    state.pin(corners)
    assert state.pinned.sum() == 2
    to = sheet[0][corners] + [0, 0.01, 0]
    state.move_pins(corners, to)
    taut.step(denim, state, params, 1 / 60)
    assert np.allclose(state.positions[corners], to)
    state.unpin(corners)
    taut.step(denim, state, params, 1 / 60)
    assert not np.allclose(state.positions[corners], to, atol=1e-6)
    with pytest.raises(taut.Error, match="vertex 3 is not pinned"):
        state.move_pins([3], [[0, 0, 0]])


def test_cloth_rests_on_a_ball_and_is_within_its_limits(denim):
    state = denim.state()
    ball = taut.Collider.sphere(0.3, [0, -0.31, 0])
    params = taut.Params.fabric(colliders=[ball], contact=0.004)
    reports = [taut.step(denim, state, params, 1 / 60) for _ in range(40)]
    assert reports[-1].contacts > 0 or reports[-1].contact["pairs"] > 0
    distance = np.linalg.norm(state.positions - [0, -0.31, 0], axis=1)
    assert distance.min() > 0.3 - 1e-6
    limit = taut.fabrics()["denim"]["limit_weft"]
    assert state.strains()["sheet"]["weft"].max() <= 1.01 * limit
    assert reports[-1].missed is None and reports[-1].used <= 1.01


def test_limits_on_a_model_hold_and_can_be_changed(sheet):
    builder = taut.ModelBuilder()
    builder.add_cloth("sheet", *sheet, elastic={"weft": 20, "warp": 20, "shear": 5}, density=0.3)
    free = builder.build("f64")
    held = free.with_limits([("stretch", {"weft": 0.02, "warp": 0.02})])
    worst = {}
    for name, model in (("free", free), ("held", held)):
        state = free.state()
        state.pin(np.arange(9))
        for _ in range(60):
            taut.step(model, state, taut.Params.fabric(), 1 / 60)
        worst[name] = state.strains()["sheet"]["warp"].max()
    assert worst["free"] > 0.05 and worst["held"] <= 0.0202


def test_the_same_bits_for_any_number_of_threads_and_after_restoring(denim):
    params = taut.Params.fabric(substeps=2)

    def run(state, steps):
        state.pin([0])
        for _ in range(steps):
            taut.step(denim, state, params, 1 / 60)
        return state

    one, two = run(denim.state(1), 6), run(denim.state(2), 6)
    assert one.hash == two.hash
    numbers, time, copy = one.numbers(), one.time, one.copy()
    later = run(one, 3).hash
    fresh = denim.state()
    fresh.restore(numbers, time)
    assert run(fresh, 3).hash == later == run(copy, 3).hash


def test_errors_are_the_engines_own(sheet):
    builder = taut.ModelBuilder()
    with pytest.raises(taut.BuildError, match=r"'sheet': density is -1; expected kg/m², above 0"):
        builder.add_cloth("sheet", *sheet, density=-1)
    with pytest.raises(taut.Error, match="did you mean `denim`"):
        builder.add_cloth("sheet", *sheet, fabric="denmi")
    with pytest.raises(taut.BuildError, match="the model has no vertices"):
        builder.build()
    with pytest.raises(taut.BuildError, match="triangle 0 refers to vertex 9"):
        builder.add_cloth("sheet", np.zeros((3, 3)), [[0, 1, 9]])
    with pytest.raises(taut.Error, match=r"vertices has the shape \(81, 2\); expected \(n, 3\)"):
        builder.add_cloth("sheet", sheet[0][:, :2], sheet[1])
    assert builder.vertices == 0
    builder.add_cloth("sheet", *sheet)
    model = builder.build()
    other = builder.build()
    with pytest.raises(taut.StepError, match="its state was made for another model"):
        taut.step(other, model.state())
    with pytest.raises(taut.StepError, match="its time step cannot be computed with"):
        taut.step(model, model.state(), None, float("nan"))


def test_other_threads_go_on_while_a_step_is_made(sheet):
    builder = taut.ModelBuilder()
    builder.add_cloth("sheet", *taut.limit.grid(101, 101), fabric="denim")
    model = builder.build("f32")
    state, params = model.state(), taut.Params(substeps=100)
    seen, done = [], threading.Event()

    def work():
        try:
            taut.step(model, state, params, 1 / 60)
        finally:
            done.set()

    thread = threading.Thread(target=work)
    thread.start()
    count = 0
    while not done.wait(0.0005):
        count += 1
        try:
            state.positions
        except taut.BusyError as error:
            seen.append(error)
    thread.join()
    # Python counted while the step was under way, and was told why the state was not to be had.
    assert count > 10 and seen
    assert state.positions.shape == (10201, 3)


def test_states_of_one_model_step_side_by_side(denim):
    params = taut.Params.fabric()
    alone = denim.state()
    for _ in range(5):
        taut.step(denim, alone, params)
    states = [denim.state() for _ in range(4)]

    def run(state):
        for _ in range(5):
            taut.step(denim, state, params)

    threads = [threading.Thread(target=run, args=(state,)) for state in states]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert {state.hash for state in states} == {alone.hash}
