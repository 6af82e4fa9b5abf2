"""Scenes, and frames of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from . import _taut
from ._taut import Error, Simulation


def toml_value(value: Any) -> str:
    """A value as a scene file writes it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if number != number:
            return "nan"
        return repr(number) if abs(number) != float("inf") else ("inf" if number > 0 else "-inf")
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(str(k))} = {toml_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(toml_value(v) for v in value) + "]"
    raise Error(f"a value is {type(value).__name__}; expected a number, a text, a bool, a list or a dict")


class Scene(_taut.Scene):
    """A scene: a TOML file in SI units by path, a built-in scene by name, or a text.

    ``Scene("drape")``, ``Scene("walk.toml", {"time.frames": 10})``, ``Scene.parse(text)``. Anything wrong is a
    ``SceneError`` that names the line and what would do. In a notebook a scene shows as a view that can be turned.
    """

    def __new__(cls, which: str, changes: Mapping[str, Any] | None = None, **native: Any) -> Self:
        sets = [f"{key}={toml_value(value)}" for key, value in (changes or {}).items()]
        return super().__new__(cls, str(which), sets=[*native.pop("sets", []), *sets], **native)

    @classmethod
    def parse(
        cls,
        text: str,
        changes: Mapping[str, Any] | None = None,
        *,
        name: str = "scene.toml",
        folder: str | None = None,
    ) -> Scene:
        """A scene from its text. Files that it names are looked for in ``folder``."""
        return cls(name, changes, text=text, folder=folder)

    def set(self, key: str, value: Any) -> Scene:
        """Changes a value by its dotted path (``"cloth.sheet.density"``, lists by name or number). Returns the scene."""
        self._change([f"{key}={toml_value(value)}"])
        return self

    def settings(self) -> dict[str, Any]:
        """Everything it says, defaults filled in."""
        found: dict[str, Any] = json.loads(self._json())
        return found

    def copy(self) -> Scene:
        """The same scene, to be changed on its own."""
        return Scene(self.name, text=self.text, folder=self.folder, sets=self.sets)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.name, self.text, self.folder, self.sets)

    def __repr__(self) -> str:
        changes = f", changed by {self.sets}" if self.sets else ""
        return f"Scene({self.title!r}{changes})"

    def _repr_html_(self) -> str:
        from ._view import view

        return view(self)._repr_html_()


def _again(name: str, text: str, folder: str | None, sets: list[str]) -> Scene:
    return Scene(name, text=text, folder=folder, sets=sets)


class Frame:
    """A frame of a simulation: arrays of its own, which stay as they are when the simulation goes on."""

    def __init__(self, simulation: Simulation, report: Mapping[str, Any] | None) -> None:
        names = simulation.names
        self.number: int = simulation.frame
        """0 is the beginning."""
        self.time: float = simulation.time
        """s."""
        self.positions: dict[str, NDArray[np.float64]] = {name: simulation.positions(name) for name in names}
        """By body: (n, 3), m."""
        self.velocities: dict[str, NDArray[np.float64]] = {name: simulation.velocities(name) for name in names}
        """By body: (n, 3), m/s."""
        self.report: dict[str, Any] = dict(report or {})
        """What computing it took and met."""
        self.hash: str = simulation.hash
        """A fingerprint of all positions and velocities, as ``taut run`` writes it."""
        self._metrics = simulation._metrics()
        self._simulation = simulation

    @property
    def metrics(self) -> dict[str, Any]:
        """Strains, tension, energies (J) and momenta, as in ``metrics.jsonl``."""
        found: dict[str, Any] = json.loads(self._metrics)
        return found

    @property
    def fields(self) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Strain fields by body and name. Only as long as the simulation is at this frame."""
        if self._simulation.frame != self.number:
            raise Error(f"the simulation is at frame {self._simulation.frame}; fields of frame {self.number} are gone")
        return self._simulation.fields()

    def __repr__(self) -> str:
        return f"Frame({self.number}, at {self.time:.4f} s)"


def simulate(
    scene: Scene | str,
    *,
    frames: int | None = None,
    precision: str | None = None,
    threads: int = 1,
) -> Iterator[Frame]:
    """Frames of a scene, one after another, the beginning first; as many as it asks for, or ``frames`` after the first.

    precision: "f32", "f64", or what the scene says. Other threads of Python go on while a frame is computed.
    """
    simulation = Simulation(scene if isinstance(scene, Scene) else Scene(scene), precision, threads)
    last = simulation.frames if frames is None else frames
    if last < 0:
        raise Error(f"frames is {last}; expected 0 or more")

    def each() -> Iterator[Frame]:
        yield Frame(simulation, None)
        while simulation.frame < last:
            report = simulation.advance()
            yield Frame(simulation, report)

    return each()


def run(
    scene: Scene | str,
    *,
    frames: int | None = None,
    precision: str | None = None,
    threads: int = 1,
    pictures: int = 4,
) -> Run:
    """Simulates a scene to its end: the last frame, curves over time, and some pictures. Shows itself in a notebook."""
    simulation = Simulation(scene if isinstance(scene, Scene) else Scene(scene), precision, threads)
    last = simulation.frames if frames is None else frames
    shots = {round(last * at / max(pictures - 1, 1)) for at in range(pictures)} if pictures > 0 else set()
    series: list[dict[str, Any]] = []
    images: list[tuple[int, bytes]] = []
    report: dict[str, Any] | None = None
    while True:
        series.append(json.loads(simulation._metrics()))
        if simulation.frame in shots:
            images.append((simulation.frame, simulation.picture(480, 360)))
        if simulation.frame >= last:
            return Run(simulation, series, images, report)
        report = simulation.advance()


class Run:
    """A scene that was simulated: ``frame`` (the last), ``curves`` (arrays over time) and ``pictures`` (frame, PNG bytes)."""

    def __init__(
        self,
        simulation: Simulation,
        series: list[dict[str, Any]],
        images: list[tuple[int, bytes]],
        report: dict[str, Any] | None,
    ) -> None:
        self.simulation = simulation
        self.frame = Frame(simulation, report)
        self.pictures = images

        def column(f: Callable[[dict[str, Any]], float | None]) -> NDArray[np.float64]:
            return np.array([np.nan if f(m) is None else f(m) for m in series], dtype=float)

        self.curves: dict[str, NDArray[np.float64]] = {
            "time": column(lambda m: m["time"]),
            "weft": column(lambda m: m["strain"]["weft"]["max"]),
            "warp": column(lambda m: m["strain"]["warp"]["max"]),
            "shear": column(lambda m: m["strain"]["shear"]["max"]),
            "kinetic": column(lambda m: m["energy"]["kinetic"]),
            "potential": column(lambda m: m["energy"]["potential"]),
            "elastic": column(lambda m: m["energy"]["elastic"]),
        }

    @property
    def hash(self) -> str:
        """The fingerprint of its last frame."""
        return self.frame.hash

    def __repr__(self) -> str:
        return f"Run({self.frame.number} frames, {self.frame.time:.3f} s, hash {self.hash})"

    def _repr_html_(self) -> str:
        from ._view import run_html

        return run_html(self)
