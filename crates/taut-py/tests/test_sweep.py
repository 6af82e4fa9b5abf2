"""Sweeps: every combination once, whoever dies, and nothing twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import taut
from taut.__main__ import main, split

SCENE = """
[time]
frames = 3
[[cloth]]
name = "sheet"
generate = { kind = "sheet", nx = 6, ny = 6 }
[[pin]]
body = "sheet"
select = "left"
"""


def computed(store: Path) -> list[str]:
    return [line.split()[0] for line in (store / "computed.log").read_text().splitlines()]


def test_a_sweep_has_every_combination_and_costs_nothing_the_second_time(tmp_path):
    scene = taut.Scene.parse(SCENE)
    values = {"cloth.sheet.density": [0.1, 0.2], "cloth.sheet.fabric": ["cotton", "denim", "cotton"]}
    seen = []
    first = taut.sweep(scene, values, store=tmp_path, processes=2, progress=lambda *at: seen.append(at))
    assert len(first) == 6 and first.computed == 4 and seen[-1] == (4, 4)
    assert first.table["cloth.sheet.fabric"][:3] == ["cotton", "denim", "cotton"]
    assert len(first.pictures) == 6 and all(png[:4] == b"\x89PNG" for png in first.pictures)
    assert len(set(first.table["hash"])) == 4 and len(set(computed(tmp_path))) == len(computed(tmp_path)) == 4
    # The same as the scene alone.
    alone = scene.copy().set("cloth.sheet.density", 0.2).set("cloth.sheet.fabric", "denim")
    *_, last = taut.simulate(alone)
    assert first.table["hash"][4] == last.hash
    assert first.results[4]["curves"]["time"] == pytest.approx([0, 1 / 60, 2 / 60, 3 / 60])
    again = taut.sweep(scene, values, store=tmp_path, processes=2)
    assert again.computed == 0 and again.table == first.table and len(computed(tmp_path)) == 4


def kill_one_when(condition, found: list[int]) -> threading.Thread:
    """Kills a child that computes, as soon as a condition holds."""

    def work():
        while not condition():
            time.sleep(0.002)
        children = [int(p) for p in Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()]
        spawned = [p for p in children if b"spawn_main" in Path(f"/proc/{p}/cmdline").read_bytes()]
        if spawned:
            os.kill(spawned[0], signal.SIGKILL)
            found.append(spawned[0])

    thread = threading.Thread(target=work)
    thread.start()
    return thread


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for its children in /proc")
def test_a_process_that_is_killed_costs_its_run_alone(tmp_path):
    scene = taut.Scene.parse(SCENE, {"time.frames": 60})
    values = {"cloth.sheet.density": [0.1 + 0.01 * at for at in range(10)]}
    found = []
    thread = kill_one_when(lambda: (tmp_path / "computed.log").exists(), found)
    done = taut.sweep(scene, values, store=tmp_path, processes=2)
    thread.join()
    assert found, "nobody was there to be killed"
    assert len(done) == 10 and len(set(computed(tmp_path))) == 10
    # Whoever was killed may just have been done with its run, and have been given no other.
    assert len(computed(tmp_path)) == 10


def test_what_cannot_be_swept_is_said(tmp_path):
    with pytest.raises(taut.SceneError, match="did you mean"):
        taut.sweep("hang", {"solver.substep": [1]}, store=tmp_path)
    for values in ({}, {"solver.substeps": []}, {"solver.substeps": "5"}, {"solver.substeps": 5}):
        with pytest.raises(taut.Error):
            taut.sweep("hang", values, store=tmp_path)
    # A scene whose mesh is not there fails in the process, and says what is wrong.
    text = SCENE.replace('generate = { kind = "sheet", nx = 6, ny = 6 }', 'mesh = "nowhere.obj"')
    with pytest.raises(taut.Error, match=r"nowhere\.obj"):
        taut.sweep(taut.Scene.parse(text, folder=str(tmp_path)), {"cloth.0.density": [0.1]}, store=tmp_path)


def test_the_command_line_is_the_same(tmp_path, capsys):
    (tmp_path / "scene.toml").write_text(SCENE)
    flags = ["sweep", str(tmp_path / "scene.toml"), "--vary", "cloth.0.density=0.1,0.2", "--out", str(tmp_path / "kept")]
    assert main([*flags, "--json", "--jobs", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["computed"] == 2 and [row[0] for row in found["rows"]] == [0.1, 0.2]
    assert main([*flags[:2], "--vary", "cloth.0.densty=1", "--quiet"]) == 2
    assert "did you mean" in capsys.readouterr().err
    assert split("[0, 1],\"a,b\", c") == ["[0, 1]", "\"a,b\"", "c"]


def test_the_program_finds_what_python_computed(program, tmp_path):
    (tmp_path / "scene.toml").write_text(SCENE)
    values = {"cloth.0.density": [0.1, 0.2], "solver.kind": ["pbd"]}
    ours = taut.sweep(taut.Scene(str(tmp_path / "scene.toml")), values, store=tmp_path / "kept", processes=1)
    flags = ["--vary", "cloth.0.density=0.1,0.2", "--vary", "solver.kind=pbd", "--out", "kept", "--json"]
    done = subprocess.run([program, "sweep", "scene.toml", *flags], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout)
    assert theirs["computed"] == 0 and theirs["columns"] == ours.table.columns
    for mine, row in zip(ours.table.rows, theirs["rows"], strict=True):
        numbers = [isinstance(value, (int, float)) for value in mine]
        assert [v for v, n in zip(mine, numbers, strict=True) if not n] == [v for v, n in zip(row, numbers, strict=True) if not n]
        # The program reads numbers to within the last digit.
        assert [v for v, n in zip(mine, numbers, strict=True) if n] == pytest.approx(
            [v for v, n in zip(row, numbers, strict=True) if n], rel=1e-14
        )


def test_a_cluster_with_a_worker_that_is_killed(tmp_path):
    distributed = pytest.importorskip("distributed")
    values = {"cloth.sheet.density": [0.1 + 0.01 * at for at in range(8)]}
    scene = taut.Scene.parse(SCENE, {"time.frames": 60})
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        pids = [worker.process.process.pid for worker in cluster.workers.values()]
        killed = []

        def progress(done, _):
            if done == 3 and not killed:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        done = taut.sweep(scene, values, store=tmp_path / "a", dask=cluster.scheduler_address, progress=progress)
    assert killed and len(done) == 8 and sorted(computed(tmp_path / "a")) == sorted(set(done.keys))
    assert taut.sweep(scene, values, store=tmp_path / "b", processes=1).table == done.table


def test_a_missing_cluster_is_said(tmp_path):
    try:
        import distributed  # noqa: F401
    except ImportError:
        with pytest.raises(taut.Error, match="pip install distributed"):
            taut.sweep("hang", {"solver.substeps": [1]}, store=tmp_path, dask="tcp://localhost:1")
    else:
        pytest.skip("it is installed")


