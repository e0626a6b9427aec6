"""The golden files of token files in goldens/, and the one-line diffs of small changes.

`python tests/dtcg/test_written_files.py` regenerates the golden files; review the diff before you commit it.
"""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from tokensync.dtcg import format_bytes, read, write
from tokensync.tokens import (
    Alias,
    Collection,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Extension,
    Mode,
    Quantity,
    Token,
    TokenGraph,
    TokenKey,
    float32,
)

CASES = Path(__file__).resolve().parent / "goldens"
FILE = "ds"
BLUE = Color(float32(0.12), float32(0.43), float32(0.92))
WHITE = Color(1.0, 1.0, 1.0)


def mode(slug, collection, name="", context="", **more):
    return Mode(name=name or slug.title(), collection=collection, slug=slug, context=context or slug, **more)


def key(collection, path, file=FILE):
    return TokenKey(file, collection, path)


def token(collection, path, kind, *values, **more):
    return Token(key=key(collection, path), type=kind, values=values, **more)


MODE_1 = mode("mode-1", "palette", "Mode 1", id="1:0")
PALETTE = Collection(file=FILE, handle="palette", name="Palette", modes=(MODE_1,), id="VC:1")
COLOR = Collection(
    file=FILE,
    handle="color",
    name="Color",
    modes=(
        mode("light", "color", id="2:0"),
        mode("dark", "color", id="2:1"),
        mode("dark", "brand", context="brand.dark", id="VC:3/2:1", parent=1),
    ),
    extensions=(Extension(handle="brand", name="Brand", parent="color", id="VC:3", default_mode=2),),
    default_mode=0,
    id="VC:2",
    collection_key="key-of-color",
    hidden=True,
)
LIBRARY = Collection(file=FILE, handle="library", name="Library", modes=(mode("value", "library"),), origin="remote")


def everything():
    """Return a graph with a token for each notation of values."""
    blue = key("palette", "blue.500")
    number, accent, text = key("palette", "size.4"), key("color", "accent"), key("color", "label.text")
    lost, there, back = key("color", "lost"), key("color", "round.there"), key("color", "round.back")
    over_accent, over_black = (
        ComposedColor(Alias(accent), 48.0),
        ComposedColor(Color(0.0, 0.0, 0.0, 0.5), Alias(number)),
    )
    return TokenGraph(
        (PALETTE, COLOR, LIBRARY),
        (
            Token(
                key=blue,
                type="color",
                values=(BLUE,),
                description="The “brand” blue.\nUse it well.",
                scopes=("ALL_FILLS",),
                code_syntax=(("ANDROID", "R.color.blue"), ("WEB", "var(--blue)")),
                id="VariableID:1:1",
                variable_key="k1",
                published=True,
            ),
            Token(key=number, type="number", values=(4.0,), hidden=True, deprecated="use size.5"),
            token("palette", "weight.bold", "fontWeight", 700.0),
            token("palette", "size.5", "number", float32(0.1), extensions='{"com.example":{"a":[1,2.5]}}'),
            token("palette", "font.sans", "fontFamily", Composite('["Inter","sans-serif"]')),
            token("palette", "time.fast", "duration", Quantity(120.0, "ms")),
            token("color", "accent", "color", Alias(blue), WHITE, Alias(key("library", "accent")), id="VariableID:2:1"),
            token("color", "accent.muted", "color", over_accent, over_black, None),
            token("color", "gap", "dimension", 8.0, Alias(number), None),
            token("color", "label.text", "string", "{not an alias}", "{", None),
            token("color", "label.again", "string", Alias(text), "x\u2028y\x07", None),
            token("color", "on", "boolean", True, Alias(key("color", "off")), None),
            token("color", "off", "boolean", False, False, True),
            token("color", "lost", "color", DanglingAlias("VariableID:9:9"), BLUE, None, deprecated=True),
            token("color", "lost.behind", "color", Alias(lost), Alias(lost), None),
            token("color", "round.there", "color", Alias(back), BLUE, None),
            token("color", "round.back", "color", Alias(there), BLUE, None),
            token("color", "wrong", "color", Alias(number), None, None),
            token("color", "elsewhere", "color", Alias(key("base", "x", file="other")), BLUE, None),
            token("color", "gone", "color", BLUE, BLUE, None, origin="deleted"),
            token("color", "%24odd%2Ename.é x", "number", 1.0, 2.0, 3.0),
            token("library", "accent", "color", BLUE, origin="remote"),
        ),
    )


def golden():
    return {
        path.relative_to(CASES / "everything").as_posix(): path.read_bytes()
        for path in (CASES / "everything").rglob("*.json")
    }


def test_every_notation_is_written_like_the_golden_files():
    assert {path: content.decode() for path, content in write(everything(), FILE)} == {
        path: content.decode() for path, content in golden().items()
    }


def test_the_golden_files_are_read_as_the_graph_they_were_written_from():
    graph, problems = read(golden(), FILE)
    assert problems == ()
    assert graph == everything()


@pytest.mark.outside
def test_terrazzo_reads_the_golden_files_in_every_context(terrazzo):
    read_by_terrazzo = terrazzo(resolver=CASES / "everything" / "ds.resolver.json")
    shown = {name: each["value"] for name, each in read_by_terrazzo["tokens"].items()}
    assert read_by_terrazzo["permutations"] == 3
    assert shown["color.accent"]["components"] == [0.12, 0.43, 0.92]
    assert shown["color.label.again"] == "%7Bnot an alias}"
    assert shown["color.on"] == 1
    assert "color.lost" not in shown


def changed_lines(before, after):
    """Return the numbers of removed and added lines between the token files of two graphs."""
    old, new = dict(write(before, FILE)), dict(write(after, FILE))
    removed = added = 0
    for path in old.keys() | new.keys():
        for line in difflib.unified_diff(
            old.get(path, b"").decode().splitlines(), new.get(path, b"").decode().splitlines(), n=0
        ):
            removed += line.startswith("-") and not line.startswith("---")
            added += line.startswith("+") and not line.startswith("+++")
    return removed, added


def with_token(graph, token):
    tokens = dict(graph.tokens)
    tokens[token.key] = token
    return TokenGraph(graph.collections.values(), tokens.values())


def test_a_changed_value_changes_one_line():
    graph = everything()
    blue, gap = graph.tokens[key("palette", "weight.bold")], graph.tokens[key("color", "gap")]
    assert changed_lines(graph, with_token(graph, replace(blue, values=(300.0,)))) == (1, 1)
    assert changed_lines(graph, with_token(graph, replace(gap, values=(9.0, *gap.values[1:])))) == (1, 1)
    there = graph.tokens[key("color", "round.there")]
    assert changed_lines(graph, with_token(graph, replace(there, values=(there.values[0], WHITE, None)))) == (1, 1)
    accent = graph.tokens[key("color", "accent")]
    other = Alias(key("palette", "blue.500"))
    assert changed_lines(graph, with_token(graph, replace(accent, values=(*accent.values[:2], other)))) == (1, 1)


def test_a_changed_description_changes_one_line():
    graph = everything()
    blue = graph.tokens[key("palette", "blue.500")]
    assert changed_lines(graph, with_token(graph, replace(blue, description="Other"))) == (1, 1)


def test_an_added_token_adds_its_lines_and_changes_at_most_two_hints():
    graph = everything()
    tokens = list(graph.tokens.values())
    for place in range(
        2, 7
    ):  # in its collection, after the first token of its group, which says where the group stands
        fresh = Token(key=key("palette", "size.new"), type="number", values=(1.0,))
        grown = TokenGraph(graph.collections.values(), [*tokens[:place], fresh, *tokens[place:]])
        assert read(dict(write(grown, FILE)), FILE)[0] == grown
        removed, added = changed_lines(graph, grown)
        assert removed <= 2, place
        assert added <= 4 + 3 + 3 + removed, place


def test_a_token_added_at_the_end_of_its_group_adds_only_its_lines():
    graph = everything()
    fresh = Token(key=key("library", "new"), type="number", values=(1.0,), origin="remote")
    grown = TokenGraph(graph.collections.values(), [*graph.tokens.values(), fresh])
    removed, added = changed_lines(graph, grown)
    assert (removed, added) == (0, 4)


def test_a_file_contains_only_its_own_tokens():
    assert [path for path, _ in write(everything(), "other")] == ["other.resolver.json"]


def test_formatting_preserves_the_meaning_and_unknown_members():
    text = (
        '{"b": {"$extensions": {"z": 1, "org.tokensync": {}, "com.figma.scopes": []}, "$value": 1.0, '
        '"$odd": [1e2, 1E-7], "$type": "number"}, '
        '"$description": "\\u00e9\\u2028\\ufffd", "a": {"x": {}, "$root": {"$value": -0.0}}}'
    )
    formatted = format_bytes(text.encode())
    assert json.loads(formatted) == json.loads(text)
    assert format_bytes(formatted) == formatted
    assert formatted.decode() == (CASES / "formatted.tokens.json").read_text(encoding="utf-8")


if __name__ == "__main__":
    for name, content in write(everything(), FILE):
        target = CASES / "everything" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
