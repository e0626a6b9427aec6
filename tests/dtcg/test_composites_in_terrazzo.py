"""Composite tokens as another DTCG reader, Terrazzo, reads them."""

from __future__ import annotations

import json

import pytest
from dtcg.test_composite_references import ENDS_JSON, FILE, PLACES, VALUE, graph_of, put
from generate.targets.composite_values import ENDS

from tokensync.dtcg import write

pytestmark = pytest.mark.outside


def test_terrazzo_reads_a_multiple_where_the_line_height_of_a_text_style_is_a_length(terrazzo, tmp_path):
    style = {**VALUE["typography"], "fontSize": "{base.four}", "lineHeight": "{base.four}", "fontStyle": "italic"}
    graph, problems = graph_of({"it": {"$type": "typography", "$value": style}, **ENDS_JSON})
    assert problems == ()
    for path, content in write(graph, FILE):
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    read = terrazzo(tokens=tmp_path / FILE / "base" / "value.tokens.json")
    found = read["tokens"]["base.it"]["value"]
    assert (found["lineHeight"], found["fontSize"]) == (1, {"value": 4, "unit": "px"})
    assert "fontStyle" not in found


def test_terrazzo_follows_references_in_braces(terrazzo, tmp_path):
    """Exceptions are inset, which DTCG has no type for, and the dashes of a border, which Terrazzo does not resolve."""
    tokens = {
        f"it-{number}": {"$type": dtcg_type, "$value": put(VALUE[dtcg_type], path, f"{{base.{ENDS[part_type]}}}")}
        for number, (dtcg_type, path, part_type) in enumerate(PLACES)
        if part_type != "boolean" and path[:2] != ("style", "dashArray")
    }
    graph, problems = graph_of({**tokens, **ENDS_JSON})
    assert problems == ()
    for path, content in write(graph, FILE):
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    read = terrazzo(tokens=tmp_path / FILE / "base" / "value.tokens.json")
    for name, token in tokens.items():
        found = read["tokens"][f"base.{name}"]
        assert found["type"] == token["$type"]
        assert "{base." not in json.dumps(found["value"])
