"""A seeded part of ``make fuzz`` and ``make wrong-green``, and what they have found."""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import re
import sys
import warnings
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
CASES = 1_500
DEEP = b"[" * 900 + b"]" * 900
FOUND = (
    ("styles of a capture", b'[{"key": "a", "name": "b", "type": ["TEXT"], "node": ["1:1"]}]'),
    ("renames", b'[css]\n"--a" = { to = "--b", role' + b"x" * 70_000 + b" = 1 }\n"),
    ("renames", b'[android]\n"color' + b"9" * 5000 + b'/a" = "string/a"\n'),
    ("links", b'[[links]]\nnode = "1:1"\nu' + b"9" * 5000 + b' = "a"\n'),
    ("migrate: CSS", b"@media " + b"(" * 700 + b")" * 700 + b" { :root { --a: 1px } }"),
    ("migrate: YAML", b"a: " + b"[" * 20_000),
    ("template of names", b"{{ w" + b"9" * 5000 + b" }}"),
    ("template of names", b"{{ words" + b" -" * 2500 + b"|}}"),
    ("migrate: CSS", b"@custom-media --a (b), (" + DEEP + b");\n@media (--a) { html { --c: 1px } }"),
    ("migrate: Theo", b'{"props": {"A": {"value": 1e999, "category": ' + b"9" * 5000 + b', "type": "size"}}}'),
    ("owner of a lock", DEEP),
    ("emulator: faults", b"x" * 70_000 + b" = 1"),
    ("call of an agent", b'["dependents", {"token": "slate", "cursor": 1.0}]'),
    ("code: .scss", b".a { color: rgba(#112233, .0.5) }"),
)
"""Contents that were not refused as they should be, by the names of their readers."""


def _loaded(name):
    sys.path.insert(0, str(BENCHMARKS))
    specification = importlib.util.spec_from_file_location(f"campaign_{name}", BENCHMARKS / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def kept():
    """Restore what a campaign changes in its process."""
    folder, path = os.getcwd(), list(sys.path)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        for name in ("TOKENSYNC_CACHE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA"):
            patch.setenv(name, os.environ.get(name, ""))
        yield
    os.chdir(folder)
    sys.path[:] = path


@pytest.mark.skipif(sys.platform == "win32", reason="the campaign needs POSIX")
def test_what_is_read_is_accepted_or_refused_with_a_message(kept, tmp_path):
    fuzz = _loaded("fuzz")
    readers = fuzz._readers(argparse.Namespace(body=""), tmp_path)
    by_name = {reader.body.name: reader for reader in readers}
    for name, content in FOUND:
        assert by_name[name].run(content).how != "failed", name
    for name in ("resolver document", "resolver document of another tool"):
        for part in (rb'(?<="default": )"\w+"', rb'(?<="\$ref": )"#/[^"]*"'):
            content = re.sub(part, DEEP, by_name[name].examples[0].content, count=1)
            assert DEEP in content
            assert by_name[name].run(content).how != "failed", name
    for reader in readers:
        for content in reader.body.expansions:
            assert fuzz._apart(reader, content)[0].how != "failed", reader.body.name
    rows = fuzz._work(
        fuzz.turns(readers), argparse.Namespace(seed=7, cases=CASES, workers=1, minutes=0), 0, 0, bytearray(8)
    )
    assert sum(row["cases"] for row in rows.values()) == CASES
    assert not any(row["failed"] for row in rows.values()), rows


@pytest.mark.skipif(sys.platform == "win32", reason="the campaign needs POSIX")
def test_each_check_sees_what_it_promises_to_see(kept, tmp_path):
    wrong_green = _loaded("wrong_green")
    chosen = [wrong_green.STATES[0], *random.Random(7).sample(wrong_green.STATES[1:], 5)]
    rows = wrong_green.cells_of(chosen, tmp_path)
    assert not [(name, check, cell) for name, cells in rows.items() for check, cell in cells.items() if cell.wrong]


def test_a_check_that_sees_nothing_is_wrong(kept, tmp_path):
    """The table is not green because nothing can be wrong in it."""
    wrong_green = _loaded("wrong_green")
    blind = wrong_green.State("nothing happens", lambda: None, "c", "s")
    cells = wrong_green.cells_of([blind], tmp_path)["nothing happens"]
    assert cells["c"].wrong == "WRONG: red is promised"
    assert cells["s"].wrong == "WRONG: it says what it says of a healthy project"
    assert cells["b"].wrong == ""
