#!/usr/bin/env python3
"""Copies docs/ and book.toml to a folder from which mdbook builds a site that is whole on its own.

    scripts/stage_site.py FOLDER

Pages of docs/ may point at files elsewhere in the repository. Those are copied into `repository/` beside the pages, and the
links are turned there: pages as pages, folders as the name alone, everything else as it is.
"""

import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_links import LINK, ROOT, on_the_web, plain_lines  # noqa: E402

# Files of the repository that are pages of the site, too.
CARRIED = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "THIRD-PARTY.md"]


def staged(path):
    """Where a file of the repository is in the site. mdbook has a page for what its summary lists only, and takes README.md for an index."""
    if path in CARRIED:
        return "repository/" + path.replace("README.md", "READ-ME.md")
    return f"repository/{path.removesuffix('.md')}.txt" if path.endswith(".md") else f"repository/{path}"


def turned(text, origin, place, copies):
    """A page with its links as they are in the site: `origin` is its path in the repository, `place` its path in the site."""
    lines = text.splitlines(keepends=True)
    for number, line, plain in plain_lines(text):
        # Code was blanked by spaces, so that places in the line are the same.
        for found in reversed(list(LINK.finditer(plain))):
            path, mark, anchor = found.group(1).partition("#")
            if on_the_web(found.group(1)) or not path:
                continue
            aim = os.path.normpath(os.path.join(os.path.dirname(origin), path))
            start, end = found.span(1)
            if os.path.isdir(os.path.join(ROOT, aim)):
                target = None
            elif aim.startswith("docs/"):
                target = aim.removeprefix("docs/")
            else:
                target = staged(aim)
                copies.add(aim)
            if target is None:
                # A folder has no page: its name is left, without a link.
                label = line[found.start() : found.end()]
                line = line[: found.start()] + re.match(r"!?\[(.*)\]\(", label).group(1) + line[found.end() :]
            else:
                line = line[:start] + os.path.relpath(target, os.path.dirname(place) or ".") + mark + anchor + line[end:]
        lines[number - 1] = line if line.endswith("\n") else line + "\n"
    return "".join(lines)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(folder):
    source = os.path.join(folder, "docs")
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(os.path.join(ROOT, "docs"), source)
    shutil.copy(os.path.join(ROOT, "book.toml"), os.path.join(folder, "book.toml"))
    copies = set(CARRIED)
    for place, _, names in os.walk(source):
        for name in names:
            if name.endswith(".md"):
                page = os.path.relpath(os.path.join(place, name), source)
                write(os.path.join(source, page), turned(read(f"docs/{page}"), f"docs/{page}", page, copies))
    done = set()
    while copies - done:
        path = min(copies - done)
        done.add(path)
        target = os.path.join(source, staged(path))
        if path in CARRIED:
            write(target, turned(read(path), path, staged(path), copies))
        else:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), target)
    summary = read("docs/SUMMARY.md")
    listed = "".join(f"- [{path.removesuffix('.md').capitalize()}]({staged(path)})\n" for path in CARRIED)
    summary = turned(summary, "docs/SUMMARY.md", "SUMMARY.md", set())
    write(os.path.join(source, "SUMMARY.md"), f"{summary}\n# The repository\n\n{listed}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
