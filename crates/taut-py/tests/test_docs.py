"""What the documentation shows is what happens."""

from __future__ import annotations

import re

import pytest
from conftest import REPOSITORY

import taut


def snippets(page: str) -> list[str]:
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("page", "least"), [("README.md", 5), ("docs/guide/python.md", 7)])
def test_snippets_run_one_after_another(page, least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = snippets(page)
    assert len(found) >= least
    names = {}
    for snippet in found:
        # Sweeps begin processes, which look for the file of `__main__`; here that is pytest's, and does no harm.
        exec(compile(snippet.replace('if __name__ == "__main__":', "if True:"), page, "exec"), names)


def test_everything_public_is_explained():
    for name in taut.__all__:
        if name != "__version__":
            assert (getattr(taut, name).__doc__ or "").strip(), name
    for kind in (taut.ModelBuilder, taut.Model, taut.State, taut.Params, taut.Collider, taut.StepReport, taut.Simulation):
        for name in (n for n in dir(kind) if not n.startswith("_")):
            assert (getattr(kind, name).__doc__ or "").strip(), f"{kind.__name__}.{name}"


def test_the_stub_names_what_there_is():
    stub = (REPOSITORY / "crates/taut-py/python/taut/_taut.pyi").read_text(encoding="utf-8")
    native = taut._taut
    for name in (n for n in dir(native) if not n.startswith("__")):
        assert re.search(rf"^(class|def) {name}\b", stub, re.MULTILINE), name
        thing = getattr(native, name)
        if isinstance(thing, type) and not issubclass(thing, Exception):
            body = re.search(rf"^class {name}\b.*?(?=^(?:class|def|@final)|\Z)", stub, re.MULTILINE | re.DOTALL).group()
            own = [n for n in vars(thing) if not n.startswith("__")]
            missing = [n for n in own if not re.search(rf"(def {n}\(|^    {n}:)", body, re.MULTILINE)]
            assert not missing, f"{name}: {missing}"
            known = re.findall(r"^    (?:def )?(\w+)[(:]", body, re.MULTILINE)
            assert not [n for n in known if not n.startswith("__") and n not in own], name
