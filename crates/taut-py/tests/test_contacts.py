"""Contacts one by one."""

from __future__ import annotations

import numpy as np
import pytest

import taut

KEYS = {"bodies", "colliders", "vertices", "weights", "positions", "normals", "distances", "kept"}


def lying(params, steps=30):
    """Two sheets that fall on what is there."""
    rest, triangles = taut.limit.grid(5, 5)
    builder = taut.ModelBuilder()
    builder.add_cloth("lower", rest + [0, 0.01, 0], triangles)
    builder.add_cloth("upper", 0.5 * rest + [0, 0.02, 0], triangles)
    model = builder.build("f32")
    state = model.state()
    for _ in range(steps):
        taut.step(model, state, params)
    return model, state


def test_every_contact_is_where_its_arrays_say():
    table = taut.Collider.mesh([[-2, 0, -2], [2, 0, -2], [0, 0, 4]], [[0, 2, 1]])
    far = taut.Collider.sphere(0.1, [5, 5, 5]), taut.Collider.plane([0, -9, 0])
    params = taut.Params(contact=0.005, colliders=[far[0], table, far[1]])
    model, state = lying(params)
    found = state.contacts(params)
    assert set(found) == KEYS and len({len(array) for array in found.values()}) == 1
    bodies, colliders, vertices, weights = (found[name] for name in ("bodies", "colliders", "vertices", "weights"))
    # The lower sheet lies on the mesh, the second of the list; the upper one on the lower.
    on_table = np.any(colliders == 1, axis=1)
    assert set(colliders.ravel()) == {-1, 1} and set(bodies[on_table].max(axis=1)) == {0}
    touching = set(vertices[on_table][:, 0]) | set(vertices[on_table][:, 1:].ravel())
    assert {v for v in touching if v >= 0} == set(range(25))
    assert np.all(np.sort(bodies[~on_table], axis=1) == [0, 1]) and np.count_nonzero(~on_table) >= 25
    # The distance, from positions alone.
    x = state.positions.astype(float)
    between = np.einsum("mk,mkd->md", weights[~on_table], x[vertices[~on_table]])
    assert np.allclose(between, found["normals"][~on_table] * found["distances"][~on_table, None], atol=1e-7)
    assert np.allclose(np.linalg.norm(found["normals"], axis=1), 1)
    assert np.all(found["distances"] <= 1.1 * found["kept"])
    # What is half way is between heights of the two.
    assert np.all((found["positions"][~on_table, 1] > 0.001) & (found["positions"][~on_table, 1] < 0.02))
    fewer = state.contacts(params, reach=0.2)
    assert len(fewer["kept"]) < len(found["kept"])


def test_shapes_need_no_contact_between_surfaces():
    plane = taut.Collider.plane()
    params = taut.Params(colliders=[plane])
    model, state = lying(params)
    found = state.contacts(params)
    assert np.array_equal(np.sort(found["vertices"][:, 0]), np.arange(50)) and np.all(found["vertices"][:, 1:] == -1)
    assert np.array_equal(found["bodies"][:, 0], found["vertices"][:, 0] // 25)
    assert np.all(found["colliders"] == [-1, 0])
    assert np.all(found["normals"] == [0, 1, 0]) and np.allclose(found["distances"], plane.thickness, rtol=0.1)
    empty = state.contacts(taut.Params())
    assert empty["vertices"].shape == (0, 4) and empty["distances"].shape == (0,)
    with pytest.raises(taut.Error, match="reach"):
        state.contacts(params, reach=np.nan)
