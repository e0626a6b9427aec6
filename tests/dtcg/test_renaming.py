"""Renamed tokens and groups: the graph has the new names, and renaming back restores every byte."""

from __future__ import annotations

import json

import pytest
from dtcg.strategies import FILE, graphs, names, sound_graphs
from dtcg.test_round_trip import THOROUGH
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tokensync.dtcg import read, write
from tokensync.dtcg.layout import JsonText
from tokensync.dtcg.renaming import NewPath, defining_files, with_renamed_tokens
from tokensync.dtcg.spelling import OURS, ROOT, Spelling, path_of_pointer, pointer_of
from tokensync.tokens import Composite, TokenKey, targets
from tokensync.tokens.paths import encoded


def files_of(graph):
    return {each.path: each.content for each in write(graph, FILE)}


def renamed(files, graph, new):
    new_keys = {key: new.of(key) for key in graph.tokens if new.of(key) != key}
    return {**files, **with_renamed_tokens(files, graph, new.file, new_keys).contents}


def has_usual_references(graph):
    """Return whether the references in composites are addresses of their targets."""
    spelling = Spelling(graph.tokens)
    composites = (value for token in graph.tokens.values() for value in token.values if isinstance(value, Composite))
    for text, target in (pair for composite in composites for pair in composite.references):
        address = spelling.reference(target) if target in graph.tokens else ""
        if text not in (address, pointer_of(address[1:-1].split("."))):
            return False
    return True


def opposite(new):
    return new._replace(former=new.path, path=new.former)


@st.composite
def renamings(draw, graph):
    """Draw a local token or group of the graph, and a path that it can have instead."""
    own = [token.key for token in graph.tokens.values() if token.origin == "local" and token.key.file == FILE]
    assume(own)
    key = draw(st.sampled_from(own))
    steps = key.path.split(".")
    paths = {each.path for each in graph.tokens if each[:2] == key[:2]}
    groups = {".".join(path.split(".")[:end]) for path in paths for end in range(1, path.count(".") + 1)}
    depth = draw(st.integers(1, len(steps)))
    is_group = depth < len(steps)
    former = steps[:depth]
    origins = {graph.tokens[each].origin for each in graph.tokens if each[:2] == key[:2] and _within(each.path, former)}
    assume(not is_group or origins == {"local"})
    parent = draw(st.sampled_from([former[:-1], [], *(each.split(".") for each in sorted(groups))]))
    path = [*parent, *draw(st.lists(names.map(encoded), min_size=1, max_size=2))]
    if draw(st.integers(0, 5)) == 0 and groups:
        path = draw(st.sampled_from(sorted(groups))).split(".")
    assume(path != former and (not is_group or path[:depth] != former))
    taken = paths | groups if is_group else paths
    assume(".".join(path) not in taken)
    assume(not any(".".join(path[:end]) in paths for end in range(1, len(path))))
    is_root = not is_group and ".".join(former) in groups
    moves_into_group = not is_group and ".".join(path) in groups
    if moves_into_group:  # a group that would be empty is not one
        assume(sum(_within(each, path) for each in paths if each != key.path) > 0)
    new = NewPath(FILE, key.collection, tuple(former), tuple(path), is_group)
    return new._replace(
        former=(*new.former, *((ROOT,) if is_root else ())), path=(*new.path, *((ROOT,) if moves_into_group else ()))
    )


def _within(path, group):
    return path.split(".")[: len(group)] == list(group)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


def assert_extents(text, extent, value):
    """Assert that an extent, and each extent in it, contains the JSON of this value."""
    assert text.value(extent) == value
    if isinstance(value, dict):
        assert list(extent.members) == list(value)
        for name, member in extent.members.items():
            assert json.loads(text.text[member.start : member.end]) == name
            assert_extents(text, member.value, value[name])
    elif isinstance(value, list) and extent.elements is not None:
        for element, inner in zip(extent.elements, value, strict=True):
            assert_extents(text, element, inner)
    elif isinstance(value, list):
        assert not any(isinstance(each, str | dict | list) for each in value)


@given(JSON, st.sampled_from([None, 1]), st.booleans())
@example({"a": {"b": {"c": {"d": {"e": {"f": [["g"], {"h": {}}]}}}}}, "i": {"j": "}"}}, None, False)
def test_the_extents_of_a_text_contain_its_values(value, indent, is_escaped):
    text = json.dumps(value, indent=indent, ensure_ascii=is_escaped).encode("utf-8", "surrogatepass")
    read_text = JsonText(text)
    assert_extents(read_text, read_text.root, value)


@given(graphs() | sound_graphs(), st.data())
@settings(THOROUGH)
def test_renaming_gives_the_new_names_in_the_same_order_and_back_every_byte(graph, data):
    assume(has_usual_references(graph))
    new = data.draw(renamings(graph))
    files = files_of(graph)
    # A token whose value DTCG cannot express is an object without $value: no $root of its own.
    assume(ROOT not in new.former or defining_files(files, graph.collections[new.file, new.handle], new.former)[0])
    after = renamed(files, graph, new)
    result, problems = read(after, FILE)
    _, before = read(files, FILE)
    # A token whose value DTCG cannot express is an object without $value, and that cannot be the $root of a group.
    assume(ROOT not in (*new.former, *new.path) or all("$root is not a token" not in each.what for each in problems))
    assert sorted({each.code for each in problems}) == sorted({each.code for each in before})
    own = list(read(files, FILE)[0].tokens)
    assert [*result.tokens] == [new.of(key) for key in own]
    for key in own:
        token, then = graph.tokens[key], result.tokens[new.of(key)]
        assert (then.id, then.type, then.description, then.extensions) == (
            token.id,
            token.type,
            token.description,
            token.extensions,
        )
        for value, other in zip(token.values, then.values, strict=True):
            assert [new.of(each) for each in targets(value)] == [*targets(other)]
    assert renamed(after, result, opposite(new)) == files


LAYOUTS = {
    "tabs": lambda tree: json.dumps(tree, indent="\t"),
    "one line": json.dumps,
    "three spaces": lambda tree: json.dumps(tree, indent=3, ensure_ascii=False),
    "Windows": lambda tree: json.dumps(tree, indent=2).replace("\n", "\r\n"),
}
NUMBER = {"$type": "number", "$value": 1}
SHADOW = {
    "color": "{theme.text.main}",
    "offsetX": {"value": 0, "unit": "px"},
    "offsetY": {"value": 0, "unit": "px"},
    "blur": {"value": 0, "unit": "px"},
    "spread": {"value": 0, "unit": "px"},
}
COLOR = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [0, 0, 0]}}
THEME = {
    "$description": "{theme.text.main} stays here",
    "text": {"$description": "a group", "main": COLOR, "loud": {"$type": "color", "$value": "{theme.text.main}"}},
    "more": {"$extends": "{theme.text}", "own": {"$type": "color", "$ref": "#/theme/text/main"}},
    "link": {"$type": "color", "$value": {"$ref": "#/theme/text/main"}, "$description": "{theme.text.main}"},
    "shadow": {"$type": "shadow", "$value": SHADOW},
    "part": {"$type": "number", "$value": {"$ref": "#/theme/text/main/$value/components/0"}},
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("former", "path", "is_group"),
    [
        ("link", "a/b", False),
        ("text", "words", True),
        ("text", "new.words", True),
        ("shadow", "effects.shadow", False),
        ("text.loud", "loud", False),
        ("link", "text", False),
    ],
)
def test_every_kind_of_reference_and_any_layout(layout, former, path, is_group):
    steps = tuple(path.split("."))
    new = NewPath("ds", "theme", tuple(former.split(".")), (*steps, ROOT) if path == "text" else steps, is_group)
    other = {"base": {"it": {"$type": "color", "$value": "{theme.text.main}"}}}
    paths = {"ds/theme/value.tokens.json": {"theme": THEME}, "ds/base/value.tokens.json": other}
    if path == "text":  # a group that extends it would get the token, too, which the command refuses
        paths["ds/theme/value.tokens.json"] = {"theme": {name: each for name, each in THEME.items() if name != "more"}}
    files = {path: LAYOUTS[layout](tree).encode() for path, tree in paths.items()}
    graph, problems = read(files, "ds")
    assert problems == ()
    after = renamed(files, graph, new)
    result, problems = read(after, "ds")
    assert problems == ()
    expected = {new.of(key) for key in graph.tokens}
    if former == "text.loud":  # the group that extends it loses it, too
        expected -= {TokenKey("ds", "theme", "more.loud")}
    assert set(result.tokens) == expected
    text = after["ds/theme/value.tokens.json"].decode()
    assert json.loads(text)["theme"]["$description"] == "{theme.text.main} stays here"
    assert text.count("\n") > 10 or layout == "one line"
    assert renamed(after, result, opposite(new)) == files


@given(st.lists(names.map(encoded) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_a_json_pointer_names_the_steps_that_it_was_made_of(steps):
    pointer = pointer_of(steps)
    assert path_of_pointer(pointer) == tuple(steps)
    assert not any(each.isspace() for each in pointer)


@pytest.mark.parametrize("name", ["a/b", "a~b", "a\u0085b", "a\u2028b", "a%2Fb"])
def test_a_json_pointer_of_another_file_follows_a_token_with_any_name(name):
    pointer = pointer_of(["base", name, "$value"])
    files = {
        "ds/base/value.tokens.json": json.dumps({"base": {name: NUMBER}}).encode(),
        "ds/theme/value.tokens.json": json.dumps({"theme": {"it": {"$type": "number", "$ref": pointer}}}).encode(),
    }
    graph, problems = read(files, "ds")
    assert problems == ()
    new = NewPath("ds", "base", (name,), ("new",), is_group=False)
    after = renamed(files, graph, new)
    assert json.loads(after["ds/theme/value.tokens.json"])["theme"]["it"]["$ref"] == "#/base/new/$value"
    assert renamed(after, read(after, "ds")[0], opposite(new)) == files


def test_hints_are_in_the_head_of_one_file_only():
    """Only the first file with hints is read, so a second set in another file would be dead text."""
    remote = {"$extensions": {OURS: {"after": {"far": "group.x"}}}, "base": {"far": NUMBER}}
    local = {"base": {"group": {"x": NUMBER}, "b": NUMBER, "c": NUMBER}}
    files = {
        "ds/.remote/base/value.tokens.json": json.dumps(remote).encode(),
        "ds/base/value.tokens.json": json.dumps(local).encode(),
    }
    graph, _ = read(files, "ds")
    assert [key.path for key in graph.tokens] == ["group.x", "far", "b", "c"]
    after = renamed(files, graph, NewPath("ds", "base", ("c",), ("group", "c"), is_group=False))
    assert b"after" not in after["ds/.remote/base/value.tokens.json"]
    assert [key.path for key in read(after, "ds")[0].tokens] == ["group.x", "far", "b", "group.c"]
