"""Views for notebooks: a page of its own, without a server and without a library."""

from __future__ import annotations

import html
import json
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._scene import Scene
from ._svg import Panel, Series, page
from ._taut import Error, Model, Simulation, State

if TYPE_CHECKING:
    from ._scene import Run

_COLOURS = ((0.55, 0.12, 0.10), (0.13, 0.33, 0.53), (0.20, 0.45, 0.30), (0.60, 0.45, 0.15))
_GREY = (0.62, 0.60, 0.57)


def _packed(array: Any, dtype: str) -> str:
    return b64encode(np.ascontiguousarray(array, dtype=dtype).tobytes()).decode()


class View:
    """Meshes over some frames, to be turned with the mouse and played. ``html()`` is a page of its own."""

    def __init__(self, title: str, frames_per_second: float = 30.0) -> None:
        self.title = title
        self.rate = frames_per_second
        self.meshes: list[dict[str, Any]] = []
        self.frames = 1

    def add(self, triangles: Any, positions: list[Any], colour: tuple[float, float, float]) -> View:
        """Adds a surface: triangles (m, 3), and for each frame positions (n, 3) in m. One frame is for all."""
        triangles = np.asarray(triangles).reshape(-1, 3)
        positions = [np.asarray(p, dtype=float).reshape(-1, 3) for p in positions]
        count = len(positions[0]) if positions else 0
        if any(len(p) != count for p in positions):
            raise Error("the frames of a surface differ in their number of vertices")
        if len(triangles) and (triangles.min() < 0 or triangles.max() >= count):
            raise Error(f"a triangle is of vertex {triangles.max()}, but there are {count} vertices")
        if not all(np.all(np.isfinite(p)) for p in positions):
            raise Error("positions are not finite")
        self.frames = max(self.frames, len(positions))
        self.meshes.append({"triangles": triangles, "positions": positions, "colour": list(colour)})
        return self

    def data(self) -> str:
        """The meshes as JSON, arrays as base64 of little-endian numbers."""
        meshes = [
            {
                "triangles": _packed(mesh["triangles"], "<u4"),
                "positions": [_packed(p, "<f4") for p in mesh["positions"]],
                "colour": mesh["colour"],
            }
            for mesh in self.meshes
        ]
        return json.dumps({"title": self.title, "rate": self.rate, "frames": self.frames, "meshes": meshes})

    def html(self) -> str:
        """A page that needs nothing else, to be kept or sent."""
        template = (Path(__file__).parent / "view.html").read_text(encoding="utf-8")
        # No text in the data may end the script that it is in.
        data = self.data().replace("</", "<\\/")
        return template.replace("{{title}}", html.escape(self.title)).replace("{{data}}", data)

    def save(self, path: str | Path) -> None:
        """Writes the page."""
        Path(path).write_text(self.html(), encoding="utf-8")

    def _repr_html_(self) -> str:
        source = html.escape(self.html(), quote=True)
        return f'<iframe style="width:100%;height:480px;border:0" srcdoc="{source}"></iframe>'

    def __repr__(self) -> str:
        return f"View({self.title!r}, {self.frames} frames)"


def _of_scene(scene: Scene, frames: int, every: int, precision: str | None) -> View:
    simulation = Simulation(scene, precision)
    names = simulation.names
    shots: dict[str, list[Any]] = {name: [simulation.positions(name)] for name in names}
    fixed = simulation.colliders()
    moving: list[list[Any]] = [[collider["positions"]] for collider in fixed]
    while simulation.frame < frames:
        simulation.advance()
        if simulation.frame % every == 0 or simulation.frame == frames:
            for name in names:
                shots[name].append(simulation.positions(name))
            for list_, collider in zip(moving, simulation.colliders(), strict=True):
                list_.append(collider["positions"])
    shown = View(scene.title, scene.settings()["time"]["fps"] / every)
    for at, name in enumerate(names):
        shown.add(simulation.object(name)["triangles"], shots[name], _COLOURS[at % len(_COLOURS)])
    for collider, positions in zip(fixed, moving, strict=True):
        if not collider["plane"]:
            still = all(np.array_equal(positions[0], p) for p in positions)
            shown.add(collider["triangles"], positions[:1] if still else positions, _GREY)
    return shown


def view(what: Scene | str | State, model: Model | None = None, *, frames: int = 0, every: int = 2, precision: str | None = None) -> View:
    """A view of a scene at its beginning, or of its first ``frames``, one in ``every``; or of a state and its model."""
    if isinstance(what, State):
        if model is None:
            raise Error("a view of a state needs its model: view(state, model)")
        shown = View("state")
        for at, body in enumerate(model.bodies):
            shown.add(body["triangles"], [what.positions], _COLOURS[at % len(_COLOURS)])
        return shown
    if frames < 0 or every < 1:
        raise Error(f"frames is {frames} and every is {every}; expected 0 or more, and 1 or more")
    return _of_scene(what if isinstance(what, Scene) else Scene(what), frames, every, precision)


def run_html(run: Run) -> str:
    """Pictures and curves of a run."""
    images = "".join(
        f'<figure style="margin:4px"><img style="width:240px" alt="frame {frame}" '
        f'src="data:image/png;base64,{b64encode(data).decode()}"><figcaption>frame {frame}</figcaption></figure>'
        for frame, data in run.pictures
    )
    time = run.curves["time"]
    strain = [Series(name, time, 100 * run.curves[name]) for name in ("weft", "warp", "shear")]
    energy = [Series(name, time, run.curves[name] - run.curves[name][0]) for name in ("kinetic", "potential", "elastic")]
    charts = page([Panel("largest strain", "time, s", "%", strain), Panel("energy", "time, s", "J", energy)], wide=380)
    text = html.escape(f"{run.frame.number} frames, {run.frame.time:.3f} s, hash {run.hash}")
    return f'<div style="display:flex;flex-wrap:wrap">{images}</div>{charts}<p>{text}</p>'
