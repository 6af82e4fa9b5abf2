#!/usr/bin/env python3
"""Writes THIRD-PARTY.md: the crates that are compiled into `taut`, the viewer, the page and the Python package, with their licences.

    scripts/licences.py            writes the page, from `cargo metadata` and the packages' own files
    scripts/licences.py --check    fails if the page does not fit Cargo.lock; reads these two files only

Where a crate may be had under one of several licences, the first of PREFERRED is taken. Macros, build scripts and tests' crates
are not in what is shipped, and are left out.
"""

import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "THIRD-PARTY.md")
PLATFORMS = ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc", "wasm32-unknown-unknown"]
PREFERRED = ["MIT", "Apache-2.0", "Zlib", "BSD-3-Clause", "BSD-2-Clause", "ISC", "BSL-1.0", "Unicode-3.0"]
PREFERRED += ["OFL-1.1", "Ubuntu-font-1.0"]
# Data in a crate that has a licence of its own.
DATA = {"notosans": ["OFL-1.1"]}
# Licences whose text is the same for all, but for who holds the copyright.
COMMON = {"MIT": "LICENSE-MIT", "Apache-2.0": "LICENSE-APACHE"}

HEAD = """# Third-party crates

<!-- Written by scripts/licences.py; do not edit. -->

What is compiled into `taut`, its viewer, its page and its Python package on any platform, with the licence that each is taken under. Copyright lines are those of the
crates' own licence files; where a crate comes without one, its authors are named.

Pictures are lettered in Noto Sans (Copyright 2012 Google Inc.), from the crate notosans. Its font files name the Apache License 2.0, the crate's folder has
the SIL Open Font License 1.1 beside them; both texts are below.

"""


def metadata(platform):
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--features", "taut-cli/view"]
    command += ["--filter-platform", platform]
    for more in (["--offline"], []):
        done = subprocess.run(command + more, cwd=ROOT, capture_output=True, text=True)
        if done.returncode == 0:
            return json.loads(done.stdout)
    sys.exit(done.stderr)


def shipped():
    """Packages that the program and the Python package are linked from, by name and version."""
    found = {}
    for platform in PLATFORMS:
        data = metadata(platform)
        packages = {package["id"]: package for package in data["packages"]}
        nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
        stack = [package["id"] for package in data["packages"] if package["name"] in ("taut-cli", "taut-py")]
        seen = set()
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            for link in nodes[at]["deps"]:
                macro = any("proc-macro" in target["kind"] for target in packages[link["pkg"]]["targets"])
                if not macro and any(kind["kind"] is None for kind in link["dep_kinds"]):
                    stack.append(link["pkg"])
        for at in seen:
            package = packages[at]
            if package["source"]:
                found[package["name"], package["version"]] = package
    return found


def taken(expression):
    """The licences that a crate is taken under, of those it offers."""
    parts = []
    for part in re.split(r"\s+AND\s+", expression.replace("/", " OR ")):
        offers = [offer.strip(" ()") for offer in re.split(r"\s+OR\s+", part)]
        fits = [wanted for wanted in PREFERRED if wanted in offers]
        if not fits:
            sys.exit(f"no licence of {expression!r} is one that deny.toml allows")
        parts.append(fits[0])
    return parts


def texts(package):
    """The package's licence files: name and content."""
    folder = os.path.dirname(package["manifest_path"])
    names = [name for name in os.listdir(folder) if re.match(r"(?i)(licen[cs]e|copying|notice|copyright|ofl|ufl)", name)]
    names += [os.path.relpath(path, folder) for path in glob.glob(os.path.join(folder, "**", "*OFL*"), recursive=True)]
    names += [os.path.relpath(path, folder) for path in glob.glob(os.path.join(folder, "**", "UFL*"), recursive=True)]
    found = {}
    for name in sorted(set(names)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                found[name] = file.read().replace("\r\n", "\n").strip()
    return found


def copyrights(package, licence):
    """Who holds the copyright, by the licence files of the package."""
    lines = []
    for name, text in texts(package).items():
        if licence == "MIT" and re.search(r"(?i)apache|notice|zlib", name):
            continue
        for line in text.splitlines():
            line = line.strip(" \t#*>/")
            # Not what a licence says about copyright, nor a form to be filled in.
            claim = re.match(r"(?i)(copyright|©|\(c\))", line) and re.search(r"[0-9]{4}|\(c\)|©", line)
            if claim and not re.search(r"[{\[]", line) and line not in lines:
                lines.append(line)
    return lines or [", ".join(package["authors"]) or f"the authors of {package['name']}"]


def wanted_text(package, licence):
    """The file of a package that holds a licence other than the common ones."""
    marks = {
        "Zlib": "zlib|freely, subject to the following",
        "BSD-3-Clause": "Neither the name",
        "BSD-2-Clause": "Redistributions in binary form",
        "ISC": "ISC|with or without fee",
        "Unicode-3.0": "UNICODE LICENSE V3",
        "OFL-1.1": "SIL OPEN FONT LICENSE",
        "Ubuntu-font-1.0": "UBUNTU FONT LICENCE",
        "BSL-1.0": "Boost Software License",
    }
    for text in texts(package).values():
        if re.search(marks[licence], text, re.IGNORECASE):
            return text
    return None


def page():
    found = shipped()
    text = HEAD + "| crate | version | licence | offered under |\n| --- | --- | --- | --- |\n"
    under = {}
    for (name, version), package in sorted(found.items()):
        parts = taken(package["license"]) + DATA.get(name, [])
        text += f"| {name} | {version} | {' and '.join(parts)} | {package['license']} |\n"
        for part in parts:
            under.setdefault(part, []).append(package)
    for licence in PREFERRED:
        if licence not in under:
            continue
        text += f"\n## {licence}\n"
        if licence in COMMON:
            if licence == "MIT":
                text += "\n| crate | |\n| --- | --- |\n"
                for package in under[licence]:
                    lines = [line.replace("<", "&lt;") for line in copyrights(package, licence)]
                    text += f"| {package['name']} | {'<br>'.join(lines)} |\n"
            with open(os.path.join(ROOT, COMMON[licence]), encoding="utf-8") as file:
                body = re.sub(r"(?im)^copyright \(c\).*\n\n?", "", file.read()).strip()
            text += f"\n```text\n{body}\n```\n"
            continue
        groups = {}
        for package in under[licence]:
            groups.setdefault(wanted_text(package, licence) or "", []).append(package["name"])
        for body, names in groups.items():
            none = "the package has no text of its own; the licence is the one of that name at spdx.org."
            text += f"\n{', '.join(names)}:\n\n" + (f"```text\n{body}\n```\n" if body else f"{none}\n")
    notices = [(p["name"], body) for p in found.values() for name, body in texts(p).items() if name.upper().startswith("NOTICE")]
    for name, body in sorted(notices):
        text += f"\n## Notice of {name}\n\n```text\n{body}\n```\n"
    rest = sorted(f"{name} {version}" for name, version in locked() if (name, version) not in found)
    text += "\n## Not shipped\n\nIn Cargo.lock for macros, build scripts, tests and other platforms: " + ", ".join(rest) + ".\n"
    return text


def locked():
    """Packages in Cargo.lock that are not ours."""
    with open(os.path.join(ROOT, "Cargo.lock"), encoding="utf-8") as file:
        packages = file.read().split("[[package]]")[1:]
    field = lambda package, key: re.search(rf'^{key} = "(.*)"$', package, re.MULTILINE)
    return {(field(p, "name").group(1), field(p, "version").group(1)) for p in packages if field(p, "source")}


def check():
    try:
        with open(PAGE, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    table, _, rest = text.partition("\n## Not shipped\n")
    told = {tuple(row) for row in re.findall(r"^\| ([\w-]+) \| ([0-9][^ |]*) \| ", table, re.MULTILINE)}
    told |= {tuple(row) for row in re.findall(r"([\w-]+) ([0-9][\w.+-]*?)[,.]?(?=[ \n])", rest.partition(": ")[2])}
    wrong = [f"{name} {version} is in Cargo.lock, not in THIRD-PARTY.md" for name, version in sorted(locked() - told)]
    wrong += [f"{name} {version} is in THIRD-PARTY.md, not in Cargo.lock" for name, version in sorted(told - locked())]
    if wrong:
        print("\n".join(wrong + ["Run scripts/licences.py."]))
    return 1 if wrong else 0


def main():
    if "--check" in sys.argv[1:]:
        return check()
    text = page()
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
