"""Limiters behind simulators that are not taut's."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import taut

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_a_limiter_holds_its_limit_and_keeps_momentum(sheet):
    rest, triangles = sheet
    random = np.random.default_rng(1)
    velocities = random.standard_normal(rest.shape)
    masses = 0.5 + random.random(len(rest))
    keep = taut.limit.csl(rest, triangles, weft=0.05, warp=0.05, shear=0.1, iterations=2000)
    after, report = keep.apply(rest, velocities, 0.1, masses=masses)
    assert report.before["weft"] > 0.1 and report.converged and report.after["weft"] <= 1e-4
    assert np.allclose(masses @ after, masses @ velocities)
    # Measured here, not by the limiter: U₁₁ is 1.05 at most and U₁₂ 0.1, so that no thread is longer than |(1.05, 0.1)|.
    ends = rest + 0.1 * after
    along = np.linalg.norm(np.diff(ends.reshape(9, 9, 3), axis=1), axis=2) / 0.125 - 1
    assert along.max() <= np.hypot(1.05, 0.1) - 1 + 1e-3


@pytest.mark.parametrize(
    "make",
    [
        lambda r, t: taut.limit.sbd(r, t, weft=0.02, warp=0.02, iterations=3000),
        lambda r, t: taut.limit.csl(r, t, weft=0.02, warp=0.02, jacobi=True, iterations=9000),
        lambda r, t: taut.limit.edges(r, t, most=0.02, iterations=3000),
        lambda r, t: taut.limit.area(r, t, iterations=200, tolerance=0.02),
    ],
    ids=["sbd", "csl-jacobi", "edges", "area"],
)
def test_every_limiter_pulls_a_stretched_sheet_back(sheet, make):
    rest, triangles = sheet
    keep = make(rest, triangles)
    pulled = rest * [1.3, 1, 1.1]
    after, report = keep.apply_to_positions(pulled)
    assert report.converged
    corners = after[triangles]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    assert area.max() <= (0.125**2 / 2) * 1.06


def test_what_is_fixed_stays(sheet):
    rest, triangles = sheet
    keep = taut.limit.csl(rest, triangles, weft=0.02, warp=0.02)
    fixed = np.zeros(81, bool)
    fixed[:9] = True
    velocities = np.where(fixed[:, None], 0.0, [0, -5.0, 0])
    after = keep(rest, velocities, 1 / 60, fixed=fixed)
    assert np.array_equal(after[fixed], velocities[fixed]) and not np.array_equal(after, velocities)
    masses = np.where(fixed, np.inf, 1.0)
    assert np.array_equal(keep(rest, velocities, 1 / 60, masses=masses), after)


def test_volumes_of_a_squeezed_box_come_back():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    tets = [[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]]
    keep = taut.limit.volume(corners, tets, iterations=100, tolerance=1e-3)
    after, report = keep.apply_to_positions(corners * [1, 0.7, 1])
    assert report.converged
    edges = after[np.array(tets)][:, 1:] - after[np.array(tets)][:, :1]
    assert np.allclose(np.abs(np.linalg.det(edges)) / 6, 1 / 6, rtol=2e-3)


def test_rates_of_strain(sheet):
    rest, triangles = sheet
    keep = taut.limit.rate(rest, triangles, weft=(-1.0, 1.0), warp=(-1.0, 1.0), iterations=1000)
    velocities = rest * [5.0, 0, 0]
    after, report = keep.apply(rest, velocities, 0.0)
    assert report.before["weft"] == pytest.approx(4.0) and report.after["weft"] <= 1e-3
    across = np.diff(after[:, 0].reshape(9, 9), axis=1) / 0.125
    assert across.max() <= 1.01


def test_nothing_to_limit_is_said(sheet):
    with pytest.raises(taut.Error, match="nothing to limit"):
        taut.limit.csl(*sheet)
    with pytest.raises(taut.LimitError, match="weft limit is -0.1; expected a band that contains 0"):
        taut.limit.csl(*sheet, weft=-0.1)
    with pytest.raises(taut.Error, match="dt is 0; expected s, above 0"):
        taut.limit.csl(*sheet, weft=0.1)(sheet[0], sheet[0], 0.0)


def test_the_example_behind_springs_stretches_without_and_not_with_a_limit():
    said = runpy.run_path(str(EXAMPLES / "limit_behind_springs.py"))
    free, held = said["simulate"](None), said["simulate"](0.05)
    assert free > 0.2 and held <= 0.0505


def test_the_example_behind_mujoco():
    pytest.importorskip("mujoco")
    said = runpy.run_path(str(EXAMPLES / "limit_behind_mujoco.py"))
    free, held = said["simulate"](None), said["simulate"](0.02)
    assert free > 0.03 and held <= 0.0202
