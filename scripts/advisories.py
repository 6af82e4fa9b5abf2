#!/usr/bin/env python3
"""Compares what the program is made of with the advisories in scripts/advisories.toml; needs no network.

    scripts/advisories.py          ends with 1 if an advisory applies that nobody has accepted, or a crate was left out
    scripts/advisories.py --test   tries the comparison itself
"""

import os
import re
import subprocess
import sys
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SNAPSHOT = os.path.join(ROOT, "scripts", "advisories.toml")


def numbers(version):
    """A version as three numbers; what follows - or + is left out."""
    found = [int(part) for part in re.split(r"[-+]", version)[0].split(".")]
    return tuple(found + [0] * (3 - len(found)))


def within(version, span):
    """Whether a version is in a span such as `>= 0.9.20` or `>= 0.7.4, < 0.8.0`."""
    tests = {">=": lambda a, b: a >= b, "<": lambda a, b: a < b, "=": lambda a, b: a == b}
    for part in span.split(","):
        sign, bound = re.fullmatch(r"\s*(>=|<|=)\s*([0-9.]+)\s*", part).groups()
        if not tests[sign](numbers(version), numbers(bound)):
            return False
    return True


def crates():
    """Name and version of every crate that the program without its window is linked from on Linux."""
    command = ["cargo", "tree", "--locked", "-p", "taut-cli", "-e", "normal", "--prefix", "none"]
    command += ["--target", "x86_64-unknown-linux-gnu"]
    for more in (["--offline"], []):
        done = subprocess.run(command + more, cwd=ROOT, capture_output=True, text=True)
        if done.returncode == 0:
            words = (line.split() for line in done.stdout.splitlines() if line.strip())
            return sorted({(word[0], word[1].removeprefix("v")) for word in words if not word[0].startswith("taut")})
    sys.exit(done.stderr)


def judge(used, snapshot):
    """What is wrong, and what was accepted: sentences."""
    wrong, accepted = [], []
    for name, version in used:
        if name not in snapshot["looked_up"]:
            wrong.append(f"{name} {version}: nobody has looked up its advisories")
    for advisory in snapshot["advisory"]:
        for name, version in used:
            if name != advisory["crate"] or any(within(version, span) for span in advisory["safe"]):
                continue
            where = advisory.get("accepted")
            said = f"{name} {version}: {advisory['id']}, {advisory['about']}"
            (accepted if where else wrong).append(f"{said}; accepted, see {where}" if where else said)
    return wrong, accepted


def test():
    advisory = {"id": "R", "crate": "a", "about": "", "safe": [">= 1.2.3, < 2", "< 0.9"]}
    snapshot = {"looked_up": ["a"], "advisory": [advisory]}
    for version, fits in [("1.2.3", 1), ("1.10.0", 1), ("2.0.0", 0), ("0.8.9", 1), ("0.9.0", 0), ("1.2.2+x-1.3", 0)]:
        assert (judge([("a", version)], snapshot)[0] == []) == bool(fits), version
    assert judge([("b", "1.0.0")], snapshot)[0] == ["b 1.0.0: nobody has looked up its advisories"]
    advisory |= {"safe": [], "accepted": "here"}
    assert judge([("a", "1.0.0")], snapshot)[0] == [] and judge([("a", "1.0.0")], snapshot)[1]


def main():
    if "--test" in sys.argv:
        return test()
    with open(SNAPSHOT, "rb") as file:
        snapshot = tomllib.load(file)
    used = crates()
    wrong, accepted = judge(used, snapshot)
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    words = f"{len(used)} crates, advisories up to {snapshot['newest']}: {len(wrong)} to look at"
    print("; ".join([words, *accepted]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
