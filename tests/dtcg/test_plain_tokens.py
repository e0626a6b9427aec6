"""The fast path for plain tokens returns the same graph and problems as the full checks."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from dtcg.strategies import FILE, graphs, sound_graphs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokensync.dtcg import assembly, document, read, write
from tokensync.tokens import Alias, Collection, Color, Mode, Token, TokenGraph, TokenKey

CASE = Path(__file__).resolve().parent / "goldens" / "everything"
FILES = {path.relative_to(CASE).as_posix(): path.read_bytes() for path in sorted(CASE.rglob("*.json"))}
THOROUGH = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
STRANGE = [
    *(None, True, False, 0, 1, -1.5, 1e39, 400, "", "x", "{", "{color.a}", "#/color/a", [], {}, ["a"], "bold"),
    *({"$ref": "#/color/a"}, {"$value": 1, "$type": "number"}, {"$type": "color"}, {"value": True, "unit": "px"}),
    *("\ud800", {"\ud800": "x"}, {"WEB": "\ud800"}, {"ios": "x", "web": "y", "ANDROID": "z"}),
    *({"value": 1, "unit": "px"}, {"value": {"alias": "color.a"}}, {"key": 1}, {"after": "color.a"}),
    {"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000"},
    {"colorSpace": "srgb", "components": [True, 0, 0], "hex": "#ff0000"},
    {"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000", "alpha": -0.0},
    {"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#00ff00"},
    {"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000", "name": "red"},
]
MEMBERS = [
    *("$type", "$value", "$ref", "$description", "$deprecated", "$extends", "$extensions", "$root", "$other"),
    *("a", "a.b", "", "{x}", "com.figma", "com.figma.type", "com.figma.variableId", "com.figma.scopes"),
    *("com.figma.codeSyntax", "com.figma.hiddenFromPublishing", "com.figma.aliasData", "org.tokensync", "com.example"),
    "\ud800",
    *("value", "after", "key", "type", "text", "published", "deprecated", "hex", "alpha", "unit"),
]


@contextmanager
def all_checks():
    """Disable the fast path."""
    with (
        mock.patch.object(document, "plain_document", return_value=None),
        mock.patch.dict(assembly.PLAIN_TYPES, clear=True),
    ):
        yield


def same_either_way(files, file):
    graph, problems = read(files, file)
    with all_checks():
        careful, careful_problems = read(files, file)
    assert problems == careful_problems
    assert list(graph.tokens) == list(careful.tokens)
    assert graph == careful


def containers(tree):
    """Yield every non-empty object and array of a tree."""
    pending = [tree]
    while pending:
        each = pending.pop()
        if isinstance(each, dict | list) and each:
            yield each
            pending += each.values() if isinstance(each, dict) else each


def damaged(draw, files):
    """Return the files with some members replaced, removed or added."""
    files = dict(files)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(sorted(files)))
        tree = json.loads(files[path])
        places = list(containers(tree))
        if not places:  # an earlier round has removed all of it
            continue
        where = draw(st.sampled_from(places))
        member = draw(st.sampled_from(list(where) if isinstance(where, dict) else range(len(where))))
        strange = json.loads(json.dumps(draw(st.sampled_from(STRANGE))))
        match draw(st.sampled_from(["replace", "remove", "add"])):
            case "remove":
                del where[member]
            case "add" if isinstance(where, dict):
                where[draw(st.sampled_from(MEMBERS))] = strange
            case _:
                where[member] = strange
        files[path] = json.dumps(tree).encode()
    return files


@given(graphs() | sound_graphs(), st.data())
@THOROUGH
def test_the_fast_path_reads_any_folder_like_the_full_checks(graph, data):
    files = {each.path: each.content for each in write(graph, FILE)}
    same_either_way(files, FILE)
    same_either_way(damaged(data.draw, files), FILE)


@given(st.data())
@THOROUGH
def test_the_fast_path_reads_a_damaged_folder_like_the_full_checks(data):
    same_either_way(FILES, "ds")
    same_either_way(damaged(data.draw, FILES), "ds")


def plain_graph(tokens):
    modes = tuple(Mode(name=each, collection="color", slug=each, context=each) for each in ("dark", "light"))
    family = Collection(file=FILE, handle="color", name="Color", modes=modes, default_mode=1)
    keys = [TokenKey(FILE, "color", f"group-{number % 7}.t{number}") for number in range(tokens)]
    values = [
        (Alias(keys[number - 7]),) * 2
        if number % 3 and number >= 7
        else (Color(number % 128 / 128, 0.0, 1.0), Color(0.0, 0.0, 0.0))
        for number in range(tokens)
    ]
    return TokenGraph(
        [family], [Token(key=key, type="color", values=each) for key, each in zip(keys, values, strict=True)]
    )


def test_written_literals_and_references_take_the_fast_path():
    graph = plain_graph(70)
    files = {each.path: each.content for each in write(graph, FILE)}
    with mock.patch.object(assembly.Assembly, "_token", side_effect=AssertionError("read with all checks")):
        again, problems = read(files, FILE)
    assert (again, problems) == (graph, ())


def test_a_plain_token_costs_few_calls():
    """With all checks, reading takes fifteen times as long as decoding the JSON."""
    calls = []
    for number in (700, 2100):
        files = {each.path: each.content for each in write(plain_graph(number), FILE)}
        counted = [0]

        def count(_frame, event, _argument, counted=counted):
            counted[0] += event == "call"

        sys.setprofile(count)
        try:
            read(files, FILE)
        finally:
            sys.setprofile(None)
        calls.append(counted[0])
    assert (calls[1] - calls[0]) / 1400 < 16  # 70 with all checks
