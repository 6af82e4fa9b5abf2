"""What Python adds to a loop of steps: a sheet of 101 × 101 vertices, 600 steps, positions read after each.

    cargo build -p taut --example steps
    python overhead.py target/debug/examples/steps [rounds]

The same loop in Rust and in Python take turns; processor's seconds are compared, since others may want the machine, too. Both must end
in the same state.
"""

import resource
import statistics
import subprocess
import sys

import taut

STEPS = 600


def spent(who: int) -> float:
    """Seconds of a processor, of this process or of those it waited for."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def ours() -> str:
    """The loop, in Python; the hash of its end."""
    vertices, triangles = taut.limit.grid(101, 101)
    builder = taut.ModelBuilder()
    builder.add_cloth("sheet", vertices, triangles)
    model = builder.build("f32")
    state = model.state()
    state.pin([0, 100])
    params = taut.Params(substeps=5)
    for _ in range(STEPS):
        taut.step(model, state, params, 1 / 60)
        state.positions  # noqa: B018  (gathers them)
    return state.hash


def main() -> None:
    """Takes turns."""
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    ratios = []
    for _ in range(rounds):
        before = spent(resource.RUSAGE_CHILDREN)
        theirs = subprocess.run([program, str(STEPS)], check=True, capture_output=True, text=True).stdout.split()[1]
        rust, before = spent(resource.RUSAGE_CHILDREN) - before, spent(resource.RUSAGE_SELF)
        found = ours()
        python = spent(resource.RUSAGE_SELF) - before
        assert found == theirs, f"{found} is not {theirs}"
        ratios.append(python / rust)
        print(f"Rust {rust:.2f} s, Python {python:.2f} s, {100 * (python / rust - 1):+.1f} %", flush=True)
    print(f"median of {rounds}: {100 * (statistics.median(ratios) - 1):+.2f} %")


if __name__ == "__main__":
    main()
