"""Many runs of a scene, on as many machines as there are.

A run is a pure function of a scene and its changes. Its result is a file whose name says all that it depends on, so that
a worker that dies costs the run it was at, and a sweep that is repeated costs nothing.
"""

from __future__ import annotations

import html
import itertools
import json
import multiprocessing
import os
import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from . import _taut
from ._scene import Scene
from ._table import Table
from ._taut import Error

ATTEMPTS = 3
"""How often a run is tried whose worker dies."""


@dataclass(frozen=True)
class Job:
    """One run: what a worker needs to know, and nothing else."""

    key: str
    scene: Scene
    precision: str | None
    frames: int | None
    store: str


def compute(job: Job) -> dict[str, Any]:
    """Runs a job, unless its result is there; keeps it, and returns it. The same on this machine and on any other."""
    path = Path(job.store) / f"{job.key}.json"
    known = load(path)
    if known is not None:
        return known
    text, picture = _taut.sweep_run(job.scene, job.precision, job.frames)
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path.with_suffix(".png"), picture)
    _write(path, text.encode())
    # One line for each run that was computed, by whom: short enough to be appended at once.
    with (path.parent / "computed.log").open("a") as log:
        log.write(f"{job.key} {os.getpid()}\n")
    found: dict[str, Any] = json.loads(text)
    return found


def load(path: Path) -> dict[str, Any] | None:
    """A result that is there, whole and of the name it has."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("key") == path.stem else None


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _serve(tasks: Connection) -> None:
    """A worker process: jobs in, results out."""
    while True:
        try:
            job = tasks.recv()
        except EOFError:
            return
        try:
            tasks.send((True, compute(job)))
        except Exception as error:  # noqa: BLE001  (who asked gets it, whatever it is)
            tasks.send((False, f"{type(error).__name__}: {error}"))


class _Worker:
    def __init__(self) -> None:
        # Not a fork: a copy of a process with threads may hold locks for ever.
        context = multiprocessing.get_context("spawn")
        self.tasks, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | None = None

    def give(self, job: Job) -> None:
        self.job = job
        self.tasks.send(job)

    def stop(self) -> None:
        self.tasks.close()
        self.process.join(5)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join()


def _by_processes(jobs: Sequence[Job], processes: int) -> Iterator[tuple[Job, dict[str, Any]]]:
    """Results as they come. A process that dies is replaced, and its run is given to another."""
    todo, tries = list(reversed(jobs)), dict.fromkeys((job.key for job in jobs), 0)
    workers: list[_Worker] = []
    try:
        while todo or any(worker.job for worker in workers):
            while todo and len([w for w in workers if w.job]) < processes:
                idle = next((w for w in workers if w.job is None), None)
                if idle is None:
                    idle = _Worker()
                    workers.append(idle)
                job = todo.pop()
                tries[job.key] += 1
                try:
                    idle.give(job)
                except OSError:
                    idle.job = None
                    workers.remove(idle)
                    _again(job, tries, todo)
            busy = [worker for worker in workers if worker.job]
            for ready in wait([worker.tasks for worker in busy]):
                worker = next(w for w in busy if w.tasks is ready)
                given, worker.job = worker.job, None
                assert given is not None
                try:
                    fine, result = worker.tasks.recv()
                except (EOFError, OSError):
                    worker.stop()
                    workers.remove(worker)
                    _again(given, tries, todo)
                    continue
                if not fine:
                    raise Error(f"run {given.key} of {given.scene!r}: {result}")
                yield given, result
    finally:
        for worker in workers:
            worker.stop()


def _again(job: Job, tries: Mapping[str, int], todo: list[Job]) -> None:
    if tries[job.key] >= ATTEMPTS:
        raise Error(f"run {job.key} of {job.scene!r} has ended {ATTEMPTS} workers")
    todo.append(job)


def _by_dask(jobs: Sequence[Job], address: Any) -> Iterator[tuple[Job, dict[str, Any]]]:
    """The same on a cluster. Results are fetched as they come, so that one that dies later takes none along."""
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise Error("a sweep on a cluster needs dask.distributed: pip install distributed") from error
    own = not isinstance(address, Client)
    client = Client(address) if own else address  # type: ignore[no-untyped-call, unused-ignore]
    try:
        by_key = {job.key: job for job in jobs}
        futures = client.map(compute, jobs, key=[f"taut-{job.key}" for job in jobs], retries=ATTEMPTS - 1)
        for future, result in as_completed(futures, with_results=True):  # type: ignore[no-untyped-call, unused-ignore]
            yield by_key[future.key.removeprefix("taut-")], result
            future.release()
    finally:
        if own:
            client.close()


class Sweep:
    """What came of a sweep: ``table`` (a row for each run), ``results`` (with curves over time), ``pictures``, ``computed``."""

    def __init__(self, jobs: list[Job], changes: list[dict[str, Any]], results: dict[str, Any], computed: int) -> None:
        self.keys = [job.key for job in jobs]
        self.changes = changes
        self.results: list[dict[str, Any]] = [results[key] for key in self.keys]
        """For each run its summary, curves over time and warnings."""
        self.store = jobs[0].store if jobs else ""
        """The folder of the results."""
        self.computed = computed
        """How many runs had to be made; the others were there."""
        names = list(changes[0]) if changes else []
        summary = list(self.results[0]["summary"]) if self.results else []
        rows = [
            [*(_cell(change[name]) for name in names), *(result["summary"][name] for name in summary)]
            for change, result in zip(changes, self.results, strict=True)
        ]
        self.table = Table(names + summary, rows)
        """The changes of each run, and what it came to."""

    @property
    def pictures(self) -> list[bytes]:
        """The last frame of each run, PNG."""
        return [(Path(self.store) / f"{key}.png").read_bytes() for key in self.keys]

    def __len__(self) -> int:
        return len(self.keys)

    def __repr__(self) -> str:
        return f"{self.table!r}\n{len(self)} runs, {self.computed} of them computed now, in {self.store}"

    def _repr_html_(self) -> str:
        cells = []
        for change, key in list(zip(self.changes, self.keys, strict=True))[:60]:
            picture = b64encode((Path(self.store) / f"{key}.png").read_bytes()).decode()
            text = html.escape(", ".join(f"{name} = {value}" for name, value in change.items()))
            image = f'<img style="width:100%" alt="{text}" src="data:image/png;base64,{picture}">'
            cells.append(f"<figure style='margin:4px;width:200px'>{image}<figcaption>{text}</figcaption></figure>")
        return f"<div style='display:flex;flex-wrap:wrap'>{''.join(cells)}</div>{self.table._repr_html_()}"


def _cell(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool)) or value is None else json.dumps(value)


def sweep(
    scene: Scene | str,
    values: Mapping[str, Sequence[Any]],
    *,
    store: str | Path | None = None,
    frames: int | None = None,
    precision: str | None = None,
    processes: int | None = None,
    dask: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Runs a scene with every combination of values: ``sweep("hang", {"solver.substeps": [5, 20], "cloth.0.density": [0.1, 0.2]})``.

    On this machine by ``processes`` (as many as there are cores), each on one thread; or on a cluster with ``dask`` (a
    ``distributed.Client``, or its scheduler's address), whose workers have taut installed and see the folder ``store``. Results are in
    ``store``, ``out/sweep`` if not given; what is there is not computed again. ``progress(done, all)`` is called as runs end.
    """
    base = scene if isinstance(scene, Scene) else Scene(scene)
    if not values:
        raise Error("there is nothing to vary; give a dict of keys and lists of values")
    for key, choices in values.items():
        if isinstance(choices, (str, bytes)) or not isinstance(choices, Sequence) or len(choices) == 0:
            raise Error(f"the values of {key!r} are {choices!r}; expected a list")
    if processes is not None and processes < 1:
        raise Error(f"processes is {processes}; expected 1 or more")
    folder = str(Path(store if store is not None else Path("out") / "sweep").resolve())
    changes = [dict(zip(values, choice, strict=True)) for choice in itertools.product(*values.values())]
    jobs = []
    for change in changes:
        changed = base.copy()
        for key, value in change.items():
            changed.set(key, value)
        jobs.append(Job(_taut.sweep_key(changed, precision, frames), changed, precision, frames, folder))
    results: dict[str, dict[str, Any]] = {}
    for job in jobs:
        known = load(Path(folder) / f"{job.key}.json")
        if known is not None:
            results[job.key] = known
    missing = list({job.key: job for job in jobs if job.key not in results}.values())
    all_runs = len({job.key for job in jobs})
    if missing:
        runs = _by_dask(missing, dask) if dask is not None else _by_processes(missing, processes or os.cpu_count() or 1)
        for job, result in runs:
            results[job.key] = result
            if dask is not None:
                _keep(job, result)
            if progress is not None:
                progress(len(results), all_runs)
    return Sweep(jobs, changes, results, len(missing))


def _keep(job: Job, result: dict[str, Any]) -> None:
    """What came from a machine that does not see the folder is kept here, too; its picture stayed there."""
    path = Path(job.store) / f"{job.key}.json"
    if load(path) is None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, json.dumps(result).encode())
