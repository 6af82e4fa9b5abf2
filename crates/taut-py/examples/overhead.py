"""What Python adds to a loop of steps: a sheet of 101 × 101 vertices, 600 steps, positions read after each.

    cargo build --release -p taut --example steps
    python overhead.py target/release/examples/steps [rounds]

The same loop in Rust and in Python take turns, 20 steps at a time, each in a process that waits while the other works;
what is compared is the processor's time of each turn, as Linux counts it to the nanosecond. A busy machine disturbs
single turns, and both alike: the median of the ratios of all pairs of turns says what Python adds. Both must end in the
same state.
"""

import statistics
import subprocess
import sys
from pathlib import Path

import taut

STEPS, TURN = 600, 20


def spent(process: int | str) -> int:
    """Nanoseconds that the first thread of a process has been on a processor."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0])


def rounds(program: str, into: bool) -> tuple[list[float], list[int], list[int]]:
    """600 steps of both, in turns: the ratio of each pair of turns, and the times of each."""
    vertices, triangles = taut.limit.grid(101, 101)
    builder = taut.ModelBuilder()
    builder.add_cloth("sheet", vertices, triangles)
    model = builder.build("f32")
    state = model.state()
    state.pin([0, 100])
    params, positions = taut.Params(substeps=5), state.positions
    times: tuple[list[int], list[int]] = ([], [])
    with subprocess.Popen([program, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as rust:
        assert rust.stdin is not None and rust.stdout is not None
        for _ in range(STEPS // TURN):
            before = spent(rust.pid)
            print(TURN, file=rust.stdin, flush=True)
            theirs = rust.stdout.readline().split()[1]
            times[0].append(spent(rust.pid) - before)
            before = spent("self")
            for _ in range(TURN):
                taut.step(model, state, params, 1 / 60)
                if into:
                    state.positions_into(positions)
                else:
                    positions = state.positions
            times[1].append(spent("self") - before)
            assert state.hash == theirs, f"{state.hash} is not {theirs}"
        rust.stdin.close()
    return [b / a for a, b in zip(*times, strict=True)], *times


def main() -> None:
    """Both ways to read positions."""
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    for into, name in ((False, "state.positions"), (True, "positions_into")):
        ratios, least = [], []
        for _ in range(count):
            found, rust, python = rounds(program, into)
            ratios += found
            # Of each turn of 20 steps the quickest in all rounds.
            least.append((rust, python))
        best = [sum(map(min, zip(*(pair[which] for pair in least), strict=True))) for which in (0, 1)]
        quarters = statistics.quantiles(ratios, n=4)
        print(
            f"{name}: Python adds {100 * (quarters[1] - 1):+.2f} % (median of {len(ratios)} pairs of turns; quarters "
            f"{100 * (quarters[0] - 1):+.1f} to {100 * (quarters[2] - 1):+.1f} %); by the quickest turns "
            f"{100 * (best[1] / best[0] - 1):+.2f} %; Rust {best[0] / STEPS / 1e6:.2f} ms a step"
        )


if __name__ == "__main__":
    main()
