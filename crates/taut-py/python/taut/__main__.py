"""``python -m taut sweep``: the same as ``taut sweep``, and on clusters."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from . import Error, Scene, __version__, sweep


def split(text: str) -> list[str]:
    """Splits at commas that are not inside brackets or quotes."""
    parts, depth, quote = [""], 0, ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "[{":
            depth += 1
        elif c in "]}":
            depth -= 1
        if c == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def value(text: str) -> Any:
    """A number, a bool or a list as TOML has it; else a text."""
    import tomllib

    try:
        return tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        return text


def _vary(text: str) -> tuple[str, list[Any]]:
    key, mark, values = text.partition("=")
    if not mark or not key.strip() or not values.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form KEY=VALUE,VALUE,…")
    return key.strip(), [value(part) for part in split(values)]


def main(arguments: list[str] | None = None) -> int:
    """The program. Ends with 0 if all is done, 1 if a run failed, 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m taut", description="Cloth and soft bodies whose stretch you control.")
    parser.add_argument("--version", action="version", version=__version__)
    jobs = parser.add_subparsers(dest="job", required=True)
    job = jobs.add_parser("sweep", help="run a scene with every combination of values")
    job.add_argument("scene", help="a scene file, or the name of a built-in scene")
    job.add_argument("--vary", metavar="KEY=A,B,…", action="append", type=_vary, required=True, help="repeatable")
    job.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="a change for all runs; repeatable")
    job.add_argument("--out", metavar="DIR", default="out/sweep", help="folder of the results (out/sweep)")
    job.add_argument("--frames", type=int, help="frames after the first; the scene's own if not given")
    job.add_argument("--precision", choices=["f32", "f64"])
    job.add_argument("--jobs", type=int, help="processes; as many as there are cores if not given")
    job.add_argument("--dask", metavar="ADDRESS", help="a dask scheduler, such as tcp://host:8786")
    job.add_argument("--json", action="store_true", help="the table as JSON")
    job.add_argument("--quiet", action="store_true")
    args = parser.parse_args(arguments)

    def progress(done: int, all_runs: int) -> None:
        print(f"\r{done} of {all_runs} runs", end="\n" if done == all_runs else "", file=sys.stderr, flush=True)

    try:
        scene = Scene(args.scene, sets=args.set)
        say = None if args.quiet or args.json else progress
        options = {"store": args.out, "frames": args.frames, "precision": args.precision, "dask": args.dask}
        done = sweep(scene, dict(args.vary), processes=args.jobs, progress=say, **options)
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if args.json:
        print(json.dumps({"columns": done.table.columns, "rows": done.table.rows, "computed": done.computed}))
    elif not args.quiet:
        print(done)
    return 0


if __name__ == "__main__":
    sys.exit(main())
