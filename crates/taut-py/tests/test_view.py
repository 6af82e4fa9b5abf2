"""What notebooks show."""

from __future__ import annotations

import base64
import json
import re

import numpy as np
import pytest

import taut


def test_a_view_holds_the_meshes_and_needs_nothing_else(tmp_path):
    scene = taut.Scene("drape", {"cloth.0.generate.nx": 6, "cloth.0.generate.ny": 6})
    shown = taut.view(scene, frames=4, every=2)
    page = shown.html()
    data = json.loads(re.search(r"const data = (\{.*\});\n", page).group(1).replace("<\\/", "</"))
    assert data["frames"] == 3 and len(data["meshes"]) >= 2
    places = np.frombuffer(base64.b64decode(data["meshes"][0]["positions"][-1]), "<f4").reshape(-1, 3)
    *_, last = taut.simulate(scene, frames=4)
    assert np.array_equal(places, last.positions["cloth"].astype("f4"))
    corners = np.frombuffer(base64.b64decode(data["meshes"][0]["triangles"]), "<u4")
    assert corners.max() == len(places) - 1
    # Nothing is fetched from anywhere.
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|import\s*\(|fetch\(|XMLHttpRequest""", page)
    shown.save(tmp_path / "view.html")
    assert (tmp_path / "view.html").stat().st_size == len(page.encode())
    assert "<iframe" in scene._repr_html_() and "srcdoc" in shown._repr_html_()


def test_a_title_cannot_break_out():
    shown = taut.View("</script><b>").add([[0, 1, 2]], [np.eye(3)], (1, 0, 0))
    assert "</script><b>" not in shown.html()


def test_a_state_is_shown_with_its_model(denim):
    shown = taut.view(denim.state(), denim)
    assert len(shown.meshes) == 1 and shown.frames == 1
    with pytest.raises(taut.Error, match="needs its model"):
        taut.view(denim.state())


def test_meshes_are_checked():
    with pytest.raises(taut.Error, match="of vertex 3"):
        taut.View("x").add([[0, 1, 3]], [np.eye(3)], (1, 0, 0))
    with pytest.raises(taut.Error, match="not finite"):
        taut.View("x").add([[0, 1, 2]], [np.eye(3) * np.nan], (1, 0, 0))


def test_a_run_shows_pictures_and_curves():
    page = taut.run("hang", frames=2, pictures=2)._repr_html_()
    assert page.count("data:image/png") == 2 and page.count("<path") > 6 and "kinetic" in page
