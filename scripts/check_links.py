#!/usr/bin/env python3
"""Checks that what the documentation points at is there.

    scripts/check_links.py              every Markdown file of the repository, and paths into docs/ that sources name
    scripts/check_links.py --site DIR   every page of a site that scripts/site.sh has built

Files and headings are looked up; addresses on the web are not, for nothing here needs a network. In docs/ every page must
be listed in SUMMARY.md, and every picture shown somewhere. Exit code 0: all is there; 1: what is not is printed.
"""

import argparse
import html.parser
import os
import re
import subprocess
import sys
import unicodedata
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Sources whose mentions of docs/ are looked at.
SOURCES = (".rs", ".toml", ".py", ".sh", ".mjs", ".yml", ".html", ".txt")
PICTURES = (".png", ".svg", ".gif", ".jpg")

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)")
ATTRIBUTE = re.compile(r"<(?:img|a)\b[^>]*?\b(?:src|href)\s*=\s*\"([^\"]+)\"")
ANCHOR = re.compile(r"<a\b[^>]*?\b(?:id|name)\s*=\s*\"([^\"]+)\"")
MENTION = re.compile(r"\bdocs/[A-Za-z0-9_./-]*[A-Za-z0-9_]\.(?:md|png|svg|gif|jpg)\b")


def tracked():
    """Files of the repository, those not yet added too; what .gitignore names is left out."""
    command = ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
    return sorted(name for name in set(names) if name and os.path.isfile(os.path.join(ROOT, name)))


def slug(heading, seen):
    """The anchor of a heading, as GitHub and mdBook make it."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "").strip().lower()
    kept = (c for c in heading if c in " -_" or unicodedata.category(c)[0] in "LN")
    text = "".join("-" if c == " " else c for c in kept)
    count = seen.get(text, 0)
    seen[text] = count + 1
    return text if count == 0 else f"{text}-{count}"


def plain_lines(text):
    """Lines with their numbers, without fenced code, and with code in a line blanked."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (fence is None or line.strip().startswith(fence)):
            fence = mark.group(1)[:3] if fence is None else None
            continue
        if fence is None:
            yield number, line, re.sub(r"(`+)(?:(?!\1).)*?\1(?!`)", lambda found: " " * len(found.group(0)), line)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


class Markdown:
    """Links and anchors of a page."""

    def __init__(self, name):
        self.anchors, self.links, seen = set(), [], {}
        for number, line, plain in plain_lines(read(name)):
            heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
            if heading:
                self.anchors.add(slug(heading.group(1), seen))
            self.anchors.update(ANCHOR.findall(plain))
            for pattern in (LINK, ATTRIBUTE, REFERENCE):
                self.links += [(number, target) for target in pattern.findall(plain)]


def on_the_web(target):
    return re.match(r"[a-z][a-z0-9+.-]*:", target) is not None or target.startswith("//")


def check_repository():
    names = tracked()
    pages = {name: Markdown(name) for name in names if name.endswith(".md")}
    known = set(names)
    folders = {os.path.dirname(name) for name in names}
    wrong, used, web = [], set(), 0
    for name, page in pages.items():
        for number, target in page.links:
            if on_the_web(target):
                web += 1
                continue
            path, _, anchor = target.partition("#")
            aim = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(path))) if path else name
            used.add(aim)
            if aim.startswith("..") or aim not in known and aim not in folders:
                wrong.append(f"{name}:{number}: {target}: there is no such file")
            elif anchor and aim in pages and urllib.parse.unquote(anchor) not in pages[aim].anchors:
                wrong.append(f"{name}:{number}: {target}: {aim} has no such heading")
    for name in names:
        if name.endswith(SOURCES) and not name.startswith("docs/") and name != "scripts/check_links.py":
            for number, line in enumerate(read(name).splitlines(), 1):
                wrong += [f"{name}:{number}: {aim}: there is no such file" for aim in MENTION.findall(line) if aim not in known]
    listed = {os.path.normpath(os.path.join("docs", target)) for _, target in pages["docs/SUMMARY.md"].links}
    wrong += [
        f"{name}: not in docs/SUMMARY.md"
        for name in pages
        if name.startswith("docs/") and name not in listed and name != "docs/SUMMARY.md"
    ]
    wrong += [
        f"{name}: shown on no page"
        for name in names
        if name.startswith("docs/") and name.endswith(PICTURES) and name not in used
    ]
    links = sum(len(page.links) for page in pages.values())
    print(f"{len(pages)} pages, {links} links ({web} to the web, not looked at): {len(wrong)} wrong")
    return wrong


class Page(html.parser.HTMLParser):
    """Links and anchors of a page of the site."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("id", "name") and value:
                self.anchors.add(value)
            if value and ((tag in ("a", "link") and key == "href") or (tag in ("img", "script") and key == "src")):
                self.links.append((self.getpos()[0], value))


def check_site(folder):
    pages = {}
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(place, name)
                pages[os.path.relpath(path, folder)] = Page(path)
    # The page for what is not found is served from anywhere, the one for printing repeats all others.
    pages = {name: page for name, page in pages.items() if name not in ("404.html", "print.html", "toc.html")}
    wrong = []
    for name, page in sorted(pages.items()):
        for number, target in page.links:
            if on_the_web(target):
                continue
            path, _, anchor = target.partition("#")
            path = urllib.parse.unquote(path.partition("?")[0])
            aim = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if not os.path.exists(os.path.join(folder, aim)):
                wrong.append(f"{name}:{number}: {target}: there is no such file")
            elif anchor and aim in pages and urllib.parse.unquote(anchor) not in pages[aim].anchors:
                wrong.append(f"{name}:{number}: {target}: {aim} has no such heading")
    print(f"{len(pages)} pages of the site: {len(wrong)} wrong links")
    return wrong if pages else [f"{folder}: no pages"]


def main():
    parser = argparse.ArgumentParser(description="Checks that what the documentation points at is there.")
    parser.add_argument("--site", metavar="DIR", help="a built site instead of the repository")
    arguments = parser.parse_args()
    wrong = check_site(arguments.site) if arguments.site else check_repository()
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
