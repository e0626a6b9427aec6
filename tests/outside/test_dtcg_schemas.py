"""Token files conform to DTCG's own JSON schemas, apart from the notations that docs/token-files.md lists."""

import json
import re
from pathlib import Path

import pytest
from dtcg.strategies import FILE, graphs
from hypothesis import HealthCheck, given, settings

from tokensync.dtcg import write

pytestmark = pytest.mark.outside
ROOT = Path(__file__).resolve().parent.parent.parent
FILES = sorted(
    path.relative_to(ROOT)
    for folder in (ROOT / "examples", ROOT / "tests" / "dtcg" / "goldens" / "everything")
    for pattern in ("*.tokens.json", "*.resolver.json")
    for path in folder.rglob(pattern)
)
ROOT_REFERENCE = re.compile(r"\{(.+)\.\$root\}")
LENGTH = '"lineHeight": {"value": 24, "unit": "px"}'
UNIT = '"unit": "em"'
TYPES = {each: f'"$type": "{each}"' for each in ("string", "css")}
TYPES |= dict.fromkeys(("fontStyle", "textCase", "textDecoration"), '"$type": "textCase"')
EXCEPTIONS = {*TYPES.values(), '"{theme.accent.$root}"', LENGTH, UNIT}
OTHERS = {
    "theme": {
        "ease": {"$type": "css", "$value": "ease-in-out"},
        "slant": {"$type": "fontStyle", "$value": "italic"},
        "case": {"$type": "textCase", "$value": "uppercase"},
        "line": {"$type": "textDecoration", "$value": "underline"},
        "spacing": {"$type": "dimension", "$value": {"value": -0.02, "unit": "em"}},
        "half": {"$type": "dimension", "$value": {"value": 50, "unit": "%"}},
    }
}
"""Notations that no example has."""


def without_root(value):
    """Return a ``$value`` whose references lead to groups, and whether any led to their own tokens."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        parts = [(name, *without_root(each)) for name, each in items]
        new = {name: each for name, each, _ in parts} if isinstance(value, dict) else [each for _, each, _ in parts]
        return new, any(found for *_, found in parts)
    match = ROOT_REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return (f"{{{match[1]}}}", True) if match else (value, False)


def without_exceptions(node, found):
    """Return a tree in which the notations of ``EXCEPTIONS`` are replaced; add each such token to ``found``."""
    if not isinstance(node, dict):
        return node
    if "$value" not in node:
        return {
            name: each if name[:1] == "$" and name != "$root" else without_exceptions(each, found)
            for name, each in node.items()
        }
    token = {**node}
    token["$value"], has_root = without_root(node["$value"])
    if has_root:
        found.append(('"{theme.accent.$root}"', node))
    if (notation := TYPES.get(node.get("$type"))) is not None:
        token["$type"] = "fontFamily"  # its values are texts, too
        found.append((notation, node))
    if node.get("$type") == "dimension" and type(token["$value"]) is dict and token["$value"]["unit"] in ("em", "%"):
        token["$value"] = {"value": 1, "unit": "px"}
        found.append((UNIT, node))
    if node.get("$type") == "typography" and type(token["$value"].get("lineHeight")) is dict:
        token["$value"] |= {"lineHeight": 1.5}
        found.append((LENGTH, node))
    return token


def checked(document, dtcg_problems):
    """Assert that a token file is valid but for the exceptions, which the schema refuses; return those."""
    found = []
    assert dtcg_problems(without_exceptions(document, found)) == []
    for _, token in found:
        assert dtcg_problems({"token": token}) != []
    return {notation for notation, _ in found}


@pytest.mark.parametrize("path", FILES, ids=str)
def test_written_files_are_valid(path, dtcg_problems):
    document = json.loads((ROOT / path).read_bytes())
    if path.name.endswith(".resolver.json"):
        assert dtcg_problems(document, resolver=True) == []
    else:
        checked(document, dtcg_problems)


def test_the_exceptions_are_those_that_the_documentation_lists(dtcg_problems):
    documents = [json.loads((ROOT / path).read_bytes()) for path in FILES if path.name.endswith(".tokens.json")]
    assert set().union(*(checked(each, dtcg_problems) for each in (*documents, OTHERS))) == EXCEPTIONS
    section = (
        (ROOT / "docs" / "token-files.md")
        .read_text("utf-8")
        .partition("### The JSON schema of DTCG")[2]
        .partition("\n## ")[0]
    )
    assert set(re.findall(r"^\| `(.+?)` \|", section, re.MULTILINE)) == EXCEPTIONS


@given(graphs())
@settings(max_examples=60, deadline=None, suppress_health_check=[*HealthCheck])
def test_the_files_of_any_graph_are_valid(dtcg_problems, graph):
    for path, content in write(graph, FILE):
        document = json.loads(content)
        if path.endswith(".resolver.json"):
            assert dtcg_problems(document, resolver=True) == [] or not graph.collections
        else:
            assert checked(document, dtcg_problems) <= EXCEPTIONS
