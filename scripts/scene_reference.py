#!/usr/bin/env python3
"""Writes docs/reference/scene.md, all keys of scene files, from the schema that the program prints.

    taut schema | scripts/scene_reference.py            writes the page
    taut schema | scripts/scene_reference.py --check    fails if the page is not what would be written
"""

import json
import os
import sys

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "reference", "scene.md")

HEAD = """# Scene files, key by key

<!-- Written by `taut schema | scripts/scene_reference.py`; do not edit. -->

A scene is a TOML file. `[name]` is a table that a scene has once, `[[name]]` one of which it may have many. Every key has a
default unless it says *required*; a dash means that nothing is set if it is not given. Lengths are in metres, angles in degrees, times in
seconds, masses in kilograms; units are in brackets. y points up. `taut schema` prints the same for editors, and `taut check SCENE` finds keys that
do not exist.

Where a key takes a table with a `kind`, the word alone does if the kind's other keys may have their defaults: `shape = "plane"`.
"""

# Tables in the order of a scene that is written by hand.
ORDER = ["scene", "time", "start", "world", "air", "solver", "cloth", "solid", "initial", "pin", "weight", "join", "crease"]
ORDER += ["pressure", "collider", "contact", "limit", "output", "camera"]


def number(value):
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text.replace("1e+06", "1e6").replace("1e+15", "1e15")


def span(schema):
    """The range of a number."""
    low, high = schema.get("minimum"), schema.get("maximum")
    above = schema.get("exclusiveMinimum")
    if above is not None:
        return f" above {number(above)}" + (f", to {number(high)}" if high is not None else "")
    if low is not None and high is not None:
        return f", ±{number(high)} at most" if low == -high else f", {number(low)} to {number(high)}"
    return f", {number(low)} or more" if low is not None else ""


def is_keyframes(schema):
    return {"keys", "cyclic"} <= set(schema.get("properties", {}))


def choices(schema):
    return schema.get("anyOf") or schema.get("oneOf") or []


def variants(schema):
    """The tables with a `kind` that a value may be."""
    return [choice for choice in choices(schema) if "kind" in choice.get("properties", {})]


def said(schema):
    """The description of a value, with those of the words it may be, if these are few."""
    words = schema.get("description", "")
    options = choices(schema) or choices(schema.get("items", {}))
    if options and len(options) <= 12 and all("const" in option for option in options):
        for option in options:
            words += f" `\"{option['const']}\"`: {option.get('description', '')}"
    return words


def plain_object(schema):
    return "properties" in schema and not is_keyframes(schema)


class Reference:
    def __init__(self, schema):
        self.schema, self.sections, self.seen = schema, [], {}

    def kind_of(self, schema, path):
        """What a value may be, in words. Tables with a `kind` get a section, and a link to it."""
        if is_keyframes(schema):
            return "[keyframes](#keyframes)"
        found = variants(schema)
        if found:
            return f"one of [`{self.section(found, path)}`](#{anchor(self.section(found, path))})"
        if choices(schema):
            words = []
            for choice in choices(schema):
                word = self.kind_of(choice, path)
                if word not in words:
                    words.append(word)
            if all("const" in choice for choice in choices(schema)) and len(words) > 12:
                return "one of [many names](fabrics.md)" if path.endswith(".fabric") else "a name"
            return (", or " if any("," in word for word in words) else " or ").join(words)
        if "const" in schema:
            return f"`{json.dumps(schema['const'], ensure_ascii=False)}`"
        if schema.get("type") == "array":
            items = schema.get("items", {})
            few = schema.get("minItems")
            if few is not None and few == schema.get("maxItems"):
                return f"{few} {'integers' if items.get('type') == 'integer' else 'numbers'}{span(items)}"
            return f"list of {self.kind_of(items, path)}"
        if plain_object(schema):
            keys = ", ".join(f"{key}{'' if key in schema.get('required', []) else '?'}" for key in schema["properties"])
            return f"`{{ {keys} }}`"
        if "pattern" in schema:
            for mark, words in (("#", "colour, `\"#rrggbb\"`"), ("deg", "angle as text, `\"20 deg\"`"), ("%/s", "text, `\"20 %/s\"`"), ("%", "text, `\"4 %\"`")):
                if mark in schema["pattern"]:
                    return words
            return "text"
        if "enum" in schema:
            return " or ".join(f"`{json.dumps(value, ensure_ascii=False)}`" for value in schema["enum"])
        names = {"number": "number", "integer": "integer", "string": "text", "boolean": "`true`, `false`"}
        return names[schema["type"]] + span(schema)

    def section(self, found, path):
        """The name of the section about some kinds; it is written once, wherever the same kinds are asked for."""
        key = json.dumps(found, sort_keys=True)
        if key not in self.seen:
            self.seen[key] = path
            self.sections.append((path, found))
        return self.seen[key]

    def rows(self, properties, required, prefix, path):
        for key in sorted(properties, key=lambda key: (key not in required, key != "name", list(properties).index(key))):
            schema = properties[key]
            name = f"{prefix}{key}"
            if key == "kind" and "const" in schema:
                continue
            if plain_object(schema):
                yield name, "table", "—", schema.get("description", "")
                yield from self.rows(schema["properties"], schema.get("required", []), f"{name}.", f"{path}.{key}")
                continue
            default = "*required*" if key in required else "—"
            if "default" in schema:
                default = f"`{json.dumps(schema['default'], ensure_ascii=False)}`"
            yield name, self.kind_of(schema, f"{path}.{key}"), default, said(schema)
            for choice in choices(schema):
                if plain_object(choice) and not variants(schema):
                    yield from self.rows(choice["properties"], choice.get("required", []), f"{name}.", f"{path}.{key}")

    def table(self, properties, required, path):
        rows = list(self.rows(properties, required, "", path))
        if not rows:
            return ""
        lines = ["| key | value | default | |", "| --- | --- | --- | --- |"]
        for name, kind, default, words in rows:
            cells = (f"`{name}`", kind, default, words)
            lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
        return "\n".join(lines) + "\n"

    def kinds(self, found, path):
        """Kinds of a table; those with the same keys together."""
        groups = {}
        for choice in found:
            table = self.table(choice["properties"], choice.get("required", []), path)
            groups.setdefault(table, []).append(choice)
        text = ""
        for table, members in groups.items():
            for choice in members:
                name = choice.get("title") or choice["properties"]["kind"]["const"]
                first = " This is what `kind` is if it is not given." if "kind" not in choice.get("required", []) else ""
                text += f"\n`kind = \"{name}\"`: {choice.get('description', '')}{first}\n"
            text += f"\n{table}" if table else ""
        return text

    def page(self):
        page = HEAD
        names = [name for name in ORDER if name in self.schema["properties"]]
        names += [name for name in self.schema["properties"] if name not in names]
        for name in names:
            schema = self.schema["properties"][name]
            many = schema.get("type") == "array"
            body = schema["items"] if many else schema
            self.sections = []
            page += f"\n## {'[[' + name + ']]' if many else '[' + name + ']'}\n{schema.get('description', '')}\n"
            if variants(body):
                page += self.kinds(variants(body), name)
            else:
                page += "\n" + self.table(body["properties"], body.get("required", []), name)
            while self.sections:
                path, found = self.sections.pop(0)
                page += f"\n### {path}\n{self.kinds(found, path)}"
        frames = find_keyframes(self.schema)
        page += "\n## Keyframes\nA value that changes with time: `{ keys = [{ time = 0, value = 1 }, { time = 2, value = 3 }] }`.\n\n"
        page += "| key | value | default | |\n| --- | --- | --- | --- |\n"
        page += "| `keys` | list of `{ time, value }` | *required* | Times in seconds, ascending, and the value at each. |\n"
        for key in ("interpolation", "cyclic"):
            schema = frames["properties"][key]
            page += f"| `{key}` | {self.kind_of(schema, key)} | `{json.dumps(schema['default'])}` | {said(schema)} |\n"
        return page


def anchor(path):
    return path.replace(".", "").lower()


def find_keyframes(schema):
    if isinstance(schema, dict):
        if is_keyframes(schema):
            return schema
        schema = list(schema.values())
    if isinstance(schema, list):
        return next(filter(None, map(find_keyframes, schema)), None)
    return None


def main():
    page = Reference(json.load(sys.stdin)).page()
    if "--check" in sys.argv[1:]:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != page:
                print("docs/reference/scene.md is not what `taut schema | scripts/scene_reference.py` writes", file=sys.stderr)
                return 1
        return 0
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
