"""taut: cloth and soft bodies whose stretch you control.

Lengths are in m, masses in kg, times in s, moduli of cloth in N/m, its bending rigidity in N·m. Arrays of vertices are
(n, 3), in the order in which they were added.

A model of one's own::

    b = taut.ModelBuilder()
    b.add_cloth("sheet", vertices, triangles, fabric="denim")
    model = b.build("f32")
    state = model.state()
    state.pin([0, 40])
    for _ in range(60):
        report = taut.step(model, state, taut.Params.fabric(), 1 / 60)
    state.positions

A scene file, or one of the built-in scenes::

    scene = taut.Scene("drape")
    scene.set("solver.max_stretch", 0.01)
    for frame in taut.simulate(scene):
        frame.positions["cloth"]

Derivatives of what comes of it::

    tape = taut.Tape(model, state)
    tape.step(1 / 60)
    tape.gradients(positions=2 * (state.positions - wanted)).gravity

More: ``taut.limit`` (strain limiters behind any simulator), ``taut.lab`` (a textile laboratory, and fabrics from
measured curves), ``taut.paper`` (figures and tables of the papers), ``taut.sweep`` (many runs, on as many machines as
there are).
"""

from . import lab, limit
from ._papers import paper, papers
from ._scene import Frame, Run, Scene, run, simulate
from ._sweep import Sweep, sweep
from ._table import Table
from ._tape import Gradients, Tape
from ._taut import (
    BuildError,
    BusyError,
    CFunction,
    Collider,
    Error,
    InternalError,
    LimitError,
    LimitReport,
    Model,
    ModelBuilder,
    Params,
    SceneError,
    Simulation,
    State,
    StepError,
    StepReport,
    __version__,
    builtin_scenes,
    fabrics,
    gradient_error,
    step,
)
from ._view import View, view

__all__ = [
    "BuildError",
    "BusyError",
    "CFunction",
    "Collider",
    "Error",
    "Frame",
    "Gradients",
    "InternalError",
    "LimitError",
    "LimitReport",
    "Model",
    "ModelBuilder",
    "Params",
    "Run",
    "Scene",
    "SceneError",
    "Simulation",
    "State",
    "StepError",
    "StepReport",
    "Sweep",
    "Table",
    "Tape",
    "View",
    "__version__",
    "builtin_scenes",
    "fabrics",
    "gradient_error",
    "lab",
    "limit",
    "paper",
    "papers",
    "run",
    "simulate",
    "step",
    "sweep",
    "view",
]
