"""64 runs on a cluster of two worker processes, one of which is killed half way; then the same by processes.

    pip install distributed
    python sweep_with_a_killed_worker.py [folder]

Says how many runs there are, how many were computed, whether any was computed twice, and whether the two tables are the same.
"""

import os
import signal
import sys
import tempfile
from pathlib import Path

from distributed import LocalCluster

import taut

VALUES = {
    "solver.max_stretch": [0.005, 0.01, 0.02, 0.05],
    "cloth.sheet.fabric": ["cotton", "denim", "jersey", "silk-habotai"],
    "cloth.sheet.generate.nx": [5, 7, 9, 11],
}
SMALL = {"time.frames": 20, "cloth.sheet.generate.ny": 7}


def main() -> int:
    """Ends with 1 if anything is not as it should be."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="taut-sweep-"))
    scene = taut.Scene("hang", SMALL)
    killed = []
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        pids = [worker.process.process.pid for worker in cluster.workers.values()]

        def progress(done: int, runs: int) -> None:
            if done >= runs // 2 and not killed:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])
                print(f"{done} of {runs} runs are done; worker {pids[0]} is killed")

        found = taut.sweep(scene, VALUES, store=folder / "dask", dask=cluster.scheduler_address, progress=progress)
    computed = (folder / "dask" / "computed.log").read_text().split()[::2]
    again = taut.sweep(scene, VALUES, store=folder / "processes", processes=2)
    repeated = taut.sweep(scene, VALUES, store=folder / "dask")
    twice = len(computed) - len(set(computed))
    same = found.table == again.table == repeated.table
    print(f"{len(found)} results, {len(set(computed))} runs computed, {twice} of them twice; repeated: {repeated.computed}")
    print(f"the tables of cluster and processes are {'the same' if same else 'NOT the same'}")
    return 0 if killed and len(found) == 64 and twice == 0 and same and repeated.computed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
