"""A thousand calls that make no sense, some of them at once: exceptions or results, never a crash.

In a process of its own, so that a crash is a failure and not the end of all tests. `scripts/python.sh` builds with overflow checks.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = '''
import faulthandler, gc, random, sys, threading, warnings
import numpy as np
import taut
faulthandler.enable()
warnings.simplefilter("ignore")
seed, count = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(seed)
nan, inf = float("nan"), float("inf")

def numbers(*shape, dtype=float):
    a = np.array([rng.choice([0, 1, -1, 0.5, 1e300, -1e30, nan, inf, 3]) for _ in range(int(np.prod(shape)))])
    with np.errstate(all="ignore"):
        return a.reshape(shape).astype(dtype)

def array():
    rest, triangles = taut.limit.grid(4, 4)
    return rng.choice([
        lambda: rest, lambda: triangles, lambda: rest.astype("f4"), lambda: rest[:, ::-1], lambda: rest.T, lambda: rest[:3],
        lambda: numbers(16, 3), lambda: numbers(16), lambda: numbers(0, 3), lambda: numbers(2, 2, 3), lambda: np.zeros((16, 3), "c16"),
        lambda: np.zeros((16, 3), object), lambda: np.array("x"), lambda: np.zeros((16, 3), "M8[s]"), lambda: [[0, 1, 2]], lambda: [[0, 1], [2]],
        lambda: [], lambda: "abc", lambda: None, lambda: 5, lambda: nan, lambda: -3, lambda: 2**70, lambda: [2**40] * 3, lambda: [-1, 0, 1], lambda: [3, 40, 900],
        lambda: np.zeros((10, 3), bool), lambda: object(), lambda: np.broadcast_to(0.5, (16, 3)), lambda: memoryview(b"abcdef"),
        lambda: np.arange(16), lambda: np.frombuffer(b"\\0" * 385, "u1")[1:].view("f8").reshape(16, 3), lambda: np.zeros((16, 3), ">f8"),
        lambda: rest.tolist(), lambda: np.ma.masked_array(rest, rest > 0), lambda: np.zeros((1, 1 << 20), "f4")[:, :48].reshape(16, 3),
    ])()

def thing():
    return rng.choice([array, array, lambda: rng.choice([0, 1, -1, 3, 7.5, nan, inf, 1e-300, 1e9, "f32", "zero", "csl", "", "denim", None, True,
        {}, {"weft": 1}, {"weft": nan}, {"x": "y"}, (1, 2), ("newmark", 2, 3), lambda *a: a, lambda n, x: (np.zeros(len(n)), x), 10**30, -10**30])])()

def soft(n, x):
    return x[:, 0, 1], np.tile([0.0, 1.0, 0.0], (len(n), 1, 1))

def model(dtype):
    b = taut.ModelBuilder()
    b.add_cloth("a", *taut.limit.grid(4, 4), fabric="denim")
    b.add_constraint("c", np.arange(16)[:, None], soft, compliance=1.0)
    return b, b.build(dtype)

pool = []
for dtype in ("f32", "f64"):
    b, m = model(dtype)
    plain = taut.ModelBuilder(); plain.add_cloth("a", *taut.limit.grid(4, 4)); p = plain.build(dtype)
    pool += [b, m, m.state(), m.state(), p, p.state(2), plain]
pool += [taut.Params(), taut.Params.fabric(), taut.Collider.sphere(0.1), taut.Collider.mesh(*taut.limit.grid(3, 3)),
         taut.limit.csl(*taut.limit.grid(4, 4), weft=0.1), taut.limit.area(*taut.limit.grid(4, 4))]
text = '[[cloth]]\\nname = "a"\\ngenerate = { kind = "sheet", nx = 3, ny = 3 }\\n'
pool += [taut.Scene.parse(text), taut.Simulation(taut.Scene.parse(text))]
functions = [taut.step, taut.limit.csl, taut.limit.sbd, taut.limit.edges, taut.limit.area, taut.limit.volume, taut.limit.rate, taut.Params,
             taut.Params.inextensible, taut.Params.fabric, taut.Collider.plane, taut.Collider.sphere, taut.Collider.capsule, taut.Collider.box,
             taut.Collider.mesh, taut.gradient_error, taut.Scene, taut.Simulation, taut.lab.Curve, taut.lab.kes, taut.lab.fast, taut.lab.fit,
             taut.view, taut.Table, taut._taut.Limiter, taut.Tape]
words = ["fabric", "density", "elastic", "uv", "base", "limits", "dt", "fixed", "masses", "weft", "compliance", "stiffness", "side", "gravity",
         "substeps", "solver", "colliders", "contact", "friction", "iterations", "tolerance", "threads", "dtype", "bodies", "damping"]
# What takes long by right: many threads, many iterations.
heavy = {"advance", "picture", "lab_report"}
tally = {"fine": 0, "raised": 0}
lock = threading.Lock()

def call():
    if rng.random() < 0.1:
        # One argument, so that it is looked at.
        state = rng.choice([o for o in pool if isinstance(o, taut.State)])
        return getattr(state, rng.choice(["pin", "unpin", "positions_into", "contacts"]))(array())
    arguments = [rng.choice([thing, thing, lambda: rng.choice(pool)])() for _ in range(rng.randrange(5))]
    named = {rng.choice(words): thing() for _ in range(rng.choice([0, 0, 0, 1, 2]))}
    if rng.random() < 0.3:
        target = rng.choice(functions)
        if target is taut.step and rng.random() < 0.7:
            arguments = [rng.choice([o for o in pool if isinstance(o, taut.Model)]), rng.choice([o for o in pool if isinstance(o, taut.State)]),
                         rng.choice([None, pool[14], taut.Params(substeps=1)]), rng.choice([1 / 60, nan, inf, -1, 0, 1e300, 1e-300, 1e-9])]
            named = {}
    else:
        owner = rng.choice(pool)
        name = rng.choice([n for n in dir(owner) if not n.startswith("__") and n not in heavy])
        if rng.random() < 0.3:
            setattr(owner, name, thing())
            return
        target = getattr(owner, name)
        if not callable(target):
            return
    result = target(*arguments, **named)
    if isinstance(result, (taut.Model, taut.State, taut.Params, taut.Collider)) and len(pool) < 60:
        pool.append(result)

def some(n):
    for _ in range(n):
        try:
            call()
            kind = "fine"
        except BaseException as error:
            kind = "raised"
            # A panic that nobody caught is none of Exception's.
            if isinstance(error, taut.InternalError) or type(error).__name__ == "PanicException":
                print("INTERNAL", error, file=sys.stderr)
                tally["internal"] = tally.get("internal", 0) + 1
        with lock:
            tally[kind] += 1
        if rng.random() < 0.02 and len(pool) > 24:
            pool.pop(rng.randrange(16, len(pool)))
            gc.collect()

some(count // 2)
threads = [threading.Thread(target=some, args=(count // 8,)) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
# What is left still works.
_, m = model("f64")
s = m.state()
taut.step(m, s, taut.Params(substeps=2), 1 / 60)
assert np.all(np.isfinite(s.positions))
print(tally)
'''


@pytest.mark.parametrize("seed", [1, 2])
def test_a_thousand_bad_calls_raise_and_do_not_crash(seed, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(seed), "1000"], capture_output=True, text=True, timeout=600, cwd=tmp_path
    )
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr[-4000:]}"
    tally = eval(done.stdout)
    assert tally["fine"] + tally["raised"] == 1000 and tally["raised"] > 300, tally
    assert "internal" not in tally, done.stderr[-4000:]
