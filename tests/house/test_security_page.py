"""SECURITY.md names existing tests, and what each setting and file of a checkout may choose."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from tokensync.project.configuration import FILE_NAME, PYPROJECT
from tokensync.project.connection import STATE_FOLDER
from tokensync.project.lock import LOCK
from tokensync.project.merging import CONFLICTS
from tokensync.project.outputs import MANIFEST
from tokensync.settings import Config

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
TESTS = sorted(set(re.findall(r"\btests/[\w/.]*\w", PAGE)))


def tables(text):
    """Return the rows of each table as lists of cells, by the name of its first column."""
    found, rows = {}, None
    for line in text.splitlines():
        cells = [each.strip() for each in line.strip("|").split("|")]
        if not line.startswith("|"):
            rows = None
        elif rows is None:
            rows = found.setdefault(cells[0], [])
        elif not set(line) <= {"|", "-", " "}:
            rows.append(cells)
    return found


def settings(struct=Config, prefix=""):
    """Yield the dotted name of each setting that is not a table of others."""
    for each in msgspec.structs.fields(struct):
        inner = next((t for t in (each.type, *get_args(each.type)) if hasattr(t, "__struct_fields__")), None)
        name = prefix + each.encode_name
        if inner is None:
            yield name
        else:
            yield from settings(inner, f"{name}.")


def rows_of(column):
    return tables(PAGE)[column]


@pytest.mark.parametrize("path", TESTS)
def test_named_test_exists(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("column", ["promise", "setting", "file"])
def test_each_row_names_its_test(column):
    for row in rows_of(column):
        assert re.search(r"\btests/", row[-1]), row


def test_each_choice_is_of_a_known_kind_with_its_limits():
    for row in (*rows_of("setting"), *rows_of("file")):
        assert row[1] in ("allowed", "bounded", "refused"), row
        assert row[2] or row[1] == "refused", row


def test_each_setting_is_listed_once_and_no_other():
    listed = [name for row in rows_of("setting") for name in re.findall(r"`([$\w.]+)`", row[0])]
    assert sorted(listed) == sorted(settings())


def test_new_setting_would_be_missing():
    class More(Config, frozen=True, kw_only=True):
        plugins: tuple[str, ...] = ()

    assert set(settings(More)) - set(settings()) == {"plugins"}
    assert "outputs.include.paths" in set(settings())


@pytest.mark.parametrize("name", [FILE_NAME, PYPROJECT, LOCK, CONFLICTS, MANIFEST, f"{STATE_FOLDER}/"])
def test_each_file_of_a_project_is_listed(name):
    assert any(f"`{name}`" in row[0] for row in rows_of("file"))
