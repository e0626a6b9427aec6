"""Differences as text, Markdown and a page."""

import json
import re
import subprocess
import sys

import lxml.html
import pytest
from forge_rules import read_in_text, read_on_page
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from system.outlet.hostile_texts import FOREIGN

from tokensync.plan.changes import inner_rows
from tokensync.plan.comparing import Change, Difference
from tokensync.report.differences import advice, counts, in_counts, in_words, lines, markdown, message, page

RED, BLUE = [1, 0, 0, 1], [0, 0, 1, 0.5]


def alias(path):
    return {"alias": ["design", "theme", path]}


@pytest.mark.parametrize(
    ("member", "before", "after", "text"),
    [
        ("in dark", RED, BLUE, "#ff0000 -> #0000ff80"),
        ("in dark", RED, alias("accent"), "#ff0000 -> {theme.accent}"),
        ("in dark", {"color": alias("accent"), "opacity": 40}, RED, "{theme.accent} at 40 % -> #ff0000"),
        ("in dark", {"dangling": "VariableID:1:2"}, RED, "{VariableID:1:2} (does not exist) -> #ff0000"),
        ("in dark", [0.5, 0.2, 0.2, 1], [0.5001, 0.2, 0.2, 1], "rgb(0.5 0.2 0.2 / 1) -> rgb(0.5001 0.2 0.2 / 1)"),
        ("in dark", {"color": {"dangling": "1:2"}, "opacity": 40}, RED, "{1:2} (does not exist) at 40 % -> #ff0000"),
        ("in dark", None, 16, "added 16"),
        ("in dark", "a" * 200, "b" * 200, f'"{"a" * 60}…" -> "{"b" * 60}…"'),
        ("description", "a" * 200 + "b", "a" * 200 + "c", f'"…{"a" * 12}b" -> "…{"a" * 12}c"'),
        ("description", "Old.", None, 'removed "Old."'),
        ("hidden", False, True, "hidden from publishing"),
        ("hidden", None, True, "hidden from publishing"),
        ("hidden", True, None, "no longer hidden from publishing"),
        ("hidden", True, False, "no longer hidden from publishing"),
        ("deprecated", None, True, "deprecated"),
        ("deprecated", True, "Use ink.", 'deprecated: "Use ink."'),
        ("deprecated", "Use ink.", "Use tide.", 'deprecated: "Use ink." -> "Use tide."'),
        ("deprecated", "Use ink.", None, "no longer deprecated"),
        ("scopes", ["GAP", "OPACITY"], ["FONT_SIZE", "GAP"], "removed OPACITY; added FONT_SIZE"),
        ("scopes", None, ["FONT_SIZE", "GAP"], "added FONT_SIZE, GAP"),
        ("scopes", ["ALL_SCOPES"], None, "removed ALL_SCOPES"),
        ("code syntax", {"WEB": "a", "iOS": "b"}, {"WEB": "c", "iOS": "b"}, 'WEB "a" -> "c"'),
        ("code syntax", {"WEB": "a"}, {"WEB": "a", "iOS": "b"}, 'iOS added "b"'),
        ("code syntax", {"WEB": "a", "iOS": "b"}, {"WEB": "a"}, 'iOS removed "b"'),
        ("code syntax", None, {"WEB": "a", "iOS": "b"}, 'added WEB "a", iOS "b"'),
        ("extensions", {"com.x": {"a": 1}}, {"com.x": {"a": 2, "b": True}}, "com.x.a 1 -> 2; com.x.b added true"),
        ("mode night", {"name": "Night"}, {"name": "Dusk"}, '"Night" -> "Dusk"'),
        ("mode night", {"name": "N", "follows": "a"}, {"name": "N", "follows": "b"}, 'follows "a" -> "b"'),
        ("mode night", {"name": "N", "follows": "a"}, {"name": "N"}, 'no longer follows "a"'),
        ("mode night", None, {"name": "Night", "follows": "dark"}, 'added "Night", follows "dark"'),
        (
            "extension ferry",
            None,
            {"name": "Ferry", "hidden": True, "extends": "theme"},
            'added "Ferry", hidden from publishing, extends "theme"',
        ),
        (
            "extension ferry",
            {"name": "Ferry", "hidden": True, "extends": "theme"},
            {"name": "Ship", "hidden": False, "extends": "theme"},
            '"Ferry" -> "Ship"; no longer hidden from publishing',
        ),
    ],
)
def test_a_change_shows_only_the_parts_that_differ(member, before, after, text):
    assert in_words(Change(member, before, after)) == text


def test_a_change_of_a_composite_shows_the_part_that_differs():
    before, after = ({"composite": json.dumps({"width": 1, "style": style})} for style in ("solid", "dashed"))
    assert in_words(Change("in dark", before, after)) == 'style "solid" -> "dashed"'


def test_a_change_of_a_list_shows_the_items_that_differ():
    before, after = ({"composite": json.dumps(layers)} for layers in ([{"blur": 1}], [{"blur": 2}, {"blur": 4}]))
    assert in_words(Change("in dark", before, after)) == '[0].blur 1 -> 2; [1] added {"blur": 4}'


def test_an_item_that_is_inserted_before_others_is_one_difference():
    layers = [{"blur": 1}, {"blur": 2}, {"blur": 3}]
    before, after = ({"composite": json.dumps(each)} for each in (layers, [{"blur": 9}, *layers[:2]]))
    assert in_words(Change("in dark", before, after)) == '[0] added {"blur": 9}; [2] removed {"blur": 3}'


def test_true_is_not_1():
    assert in_words(Change("extensions", {"a": 1}, {"a": True})) == "a 1 -> true"


SCALARS = st.none() | st.integers(-2, 2) | st.sampled_from([1.0, 0.5]) | st.sampled_from("ab")
OBJECTS = st.dictionaries(
    st.sampled_from(["x", "y", "z"]),
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("uvw"), inner)),
)


def same(before, after):
    """Whether two values are the same JSON: 1 is 1.0, but not true."""
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(same(before[name], after[name]) for name in before)
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(same, before, after))
    return before == after


def paths_of_changes(before, after, path=""):
    """The paths at which two objects differ."""
    for name in {**before, **after}:
        inner = f"{path}.{name}".removeprefix(".")
        if name not in before or name not in after:
            yield inner
        elif isinstance(before[name], dict) and isinstance(after[name], dict):
            yield from paths_of_changes(before[name], after[name], inner)
        elif not same(before[name], after[name]):
            yield inner


@given(OBJECTS, OBJECTS)
def test_the_members_that_differ_are_those_whose_json_differs(before, after):
    expected = {name for name in {*before, *after} if not (name in before and name in after)}
    expected |= {name for name in before.keys() & after.keys() if not same(before[name], after[name])}
    assert {re.split(r"[.\[]", row.what)[0] for row in inner_rows(before, after)} == expected


@given(*[st.dictionaries(st.sampled_from("xyz"), st.dictionaries(st.sampled_from("uvw"), SCALARS))] * 2)
def test_the_parts_that_differ_are_found_at_every_depth(before, after):
    rows = inner_rows(before, after)
    assert {row.what for row in rows} == {*paths_of_changes(before, after)}
    assert all(row.before != row.after for row in rows)


def composite(value):
    return {"composite": json.dumps(value)}


def pixels(number):
    return {"value": number, "unit": "px"}


TYPOGRAPHY = {"fontFamily": ["Inter", "Arial"], "fontSize": pixels(14), "fontWeight": 400, "lineHeight": 1.5}
SHADOW = {"color": {"colorSpace": "srgb", "components": [0, 0, 0], "alpha": 0.5}, "blur": pixels(2), "inset": False}
GRADIENT = [{"color": "{theme.accent}", "position": 0}, {"color": "{theme.soft}", "position": 1}]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (TYPOGRAPHY, {**TYPOGRAPHY, "fontSize": pixels(16)}, "fontSize 14px -> 16px"),
        (
            TYPOGRAPHY,
            {**TYPOGRAPHY, "fontFamily": ["Inter"], "lineHeight": 1.25},
            'fontFamily[1] removed "Arial"; lineHeight 1.5 -> 1.25',
        ),
        (SHADOW, {**SHADOW, "blur": {"value": 0.5, "unit": "rem"}}, "blur 2px -> 0.5rem"),
        (SHADOW, {**SHADOW, "color": "{theme.ink}"}, 'color #00000080 -> "{theme.ink}"'),
        ([{"a": 1}], [{"a": 1}, {"b": [0, 0, 1, 1]}], '[1] added {"b": [0, 0, 1, 1]}'),
        ([SHADOW, SHADOW], [SHADOW, {**SHADOW, "inset": True}], "[1].inset false -> true"),
        (GRADIENT, [GRADIENT[0], {**GRADIENT[1], "position": 0.5}], "[1].position 1 -> 0.5"),
        ([0.4, 0, 0.2, 1], [0.4, 0, 1, 1], "[2] 0.2 -> 1"),
        ({"curve": [0, 0, 1, 1], "x": 1}, {"curve": [0, 0, 0, 1], "x": 1}, "curve[2] 1 -> 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_only_what_differs_inside_a_composite_value_is_shown(before, after, words):
    found = Difference("design", "theme", "a", "changed", (Change("in dark", composite(before), composite(after)),))
    assert f"    in dark: {words}" in lines([found])
    assert f"  * in dark: {words}" in message([found]).splitlines()
    page_text = " ".join(lxml.html.fromstring(page([found], "a", "b")).text_content().split())
    assert words in page_text
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown([found], "a", "b"))
    assert words in " ".join(lxml.html.fromstring(rendered).text_content().split())


def test_one_changed_part_of_a_composed_colour_is_shown_alone():
    before = {"color": alias("accent"), "opacity": 40}
    assert in_words(Change("in dark", before, {**before, "opacity": 60})) == "opacity 40 % -> 60 %"
    assert in_words(Change("in dark", before, {**before, "color": RED})) == "color {theme.accent} -> #ff0000"
    both = "{theme.accent} at 40 % -> #ff0000 at 60 %"
    assert in_words(Change("in dark", before, {"color": RED, "opacity": 60})) == both


def test_deepdiff_is_imported_only_for_composite_values():
    script = """
import sys
from tokensync.plan.comparing import Change
from tokensync.report.differences import in_words
in_words(Change("in dark", [1, 0, 0, 1], [0, 0, 1, 1]))
in_words(Change("code syntax", {"WEB": "a"}, {"WEB": "b"}))
assert "deepdiff" not in sys.modules
in_words(Change("in dark", {"composite": '{"a": 1}'}, {"composite": '{"a": 2}'}))
assert "deepdiff" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


HOSTILE = Difference(
    "design", "theme", 'a|b`c<img src=x onerror="x">\n# d', "changed", (Change("in dark", "<b>", "|"),)
)


def test_names_cannot_break_out_of_their_lines():
    assert len(list(lines([HOSTILE]))) == 2


def test_names_cannot_break_out_of_their_cells():
    rows = [line for line in markdown([HOSTILE], "a", "b").splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)
    assert "<img" not in "".join(rows)


def test_names_are_escaped_on_the_page():
    document = lxml.html.fromstring(page([HOSTILE], "<script>", "b"))
    assert document.xpath("//img | //script | //b") == []
    assert 'onerror="x"' in document.text_content()


def test_the_page_shows_swatches_of_colours():
    text = page([Difference("design", "theme", "a", "changed", (Change("in dark", RED, BLUE),))], "a", "b")
    assert re.findall(r"background: (#\w+)", text) == ["#ff0000", "#0000ff80"]


def test_two_equal_states_have_no_differences():
    assert "No differences." in markdown([], "a", "b")
    assert "<p>no differences.</p>" in page([], "a", "b")


def test_a_message_has_counts_and_changes():
    differences = [
        Difference("design", "theme", "soft", "new", (Change("in dark", None, RED),)),
        Difference(
            "design", "theme", "accent", "changed", (Change("in dark", RED, BLUE), Change("hidden", False, True))
        ),
        Difference("design", "old", "", "gone", ()),
    ]
    assert message(differences) == (
        "Update design tokens: 1 token added, 1 changed; 1 collection removed\n"
        "\n"
        "+ theme / soft\n"
        "~ theme / accent\n"
        "  * in dark: #ff0000 -> #0000ff80\n"
        "  * hidden from publishing\n"
        "- old\n"
    )
    assert message([]) == "Update design tokens: no changes"


@pytest.mark.parametrize("name", FOREIGN, ids=ascii)
def test_no_name_means_anything_to_a_forge(name):
    difference = Difference(
        name, name, name, "changed", (Change(f"in {name}", name, f"{name}!"), Change("x", None, name))
    )
    source = markdown([difference], name, name)
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(source)
    assert read_in_text(source) == read_in_text(message([difference])) == read_on_page(page) == []


def test_long_markdown_and_messages_are_cut_at_whole_rows_with_a_count():
    changes = tuple(Change(f"in mode {at}", "x" * 50, "日" * 50) for at in range(30))
    differences = [Difference("design", "theme", f"token {at}", "changed", changes) for at in range(1100)]
    text = markdown(differences, "a", "b")
    assert 60_000 < len(text) <= 65_536
    assert text.endswith(f"\n\n… and {1100 - text.count('| changed |'):,} more\n")
    assert text.count("| … and 6 more |") == text.count("| changed |")
    said = message(differences)
    assert said.endswith(f"\n… and {1100 - said.count('~ '):,} more\n")
    assert said.count("  * … and 6 more\n") == said.count("~ ")
    assert len(said.splitlines()[0]) <= 72


def token(name, kind, *changes, collection="theme"):
    return Difference("design", collection, name, kind, changes)


def test_the_tokens_of_a_new_or_removed_collection_are_counted():
    found = [
        Difference("design", "base", "", "new", (Change("name", None, "Base"),)),
        token("a", "new", Change("in value", None, 1), collection="base"),
        token("x", "changed", Change("in light", 1, 2)),
        token("y", "gone", Change("in light", 1, None)),
        Difference("design", "theme", "", "gone", (Change("name", "Former theme", None),)),
        *(token(name, "gone", Change("in light", 1, None)) for name in "pqr"),
    ]
    assert list(lines(found)) == [
        "+ base (1 token)",
        "~ theme / x",
        "    in light: 1 -> 2",
        "- theme / y",
        "- theme (3 tokens)",
    ]
    assert "`base (1 token)`" in markdown(found, "a", "b")
    assert "- theme (3 tokens)" in message(found)
    assert list(lines(found, everything=True)) == [
        "+ base (1 token)",
        '    name: "Base"',
        "+ base / a",
        "    in value: 1",
        "~ theme / x",
        "    in light: 1 -> 2",
        "- theme / y",
        "    in light: 1",
        "- theme (3 tokens)",
        '    name: "Former theme"',
        *(line for name in "pqr" for line in (f"- theme / {name}", "    in light: 1")),
    ]


@pytest.mark.parametrize(("kind", "said"), [("new", "added"), ("gone", "removed")])
def test_the_values_of_a_new_or_removed_mode_are_counted(kind, said):
    def change(member, value):
        return Change(member, None, value) if kind == "new" else Change(member, value, None)

    found = [
        Difference("design", "theme", "", "changed", (change("mode night", {"name": "Night"}),)),
        token("a", "changed", change("in night", 1)),
        token("b", "changed", change("in night", 2), Change("in light", 1, 2)),
    ]
    assert list(lines(found)) == [
        "~ theme",
        f'    mode night: {said} "Night" (2 values)',
        "~ theme / b",
        "    in light: 1 -> 2",
    ]
    assert [*lines(found, everything=True)][:4] == [
        "~ theme",
        f'    mode night: {said} "Night" (2 values)',
        "    a in night: 1",
        "    b in night: 2",
    ]


def changed(*changes):
    return Difference("design", "theme", "a", "changed", changes)


@pytest.mark.parametrize(
    ("differences", "version"),
    [
        ([], "none"),
        ([changed(Change("in dark", RED, BLUE))], "patch (1 token changed)"),
        ([changed(Change("description", None, "New."))], "patch (1 token changed)"),
        ([Difference("design", "theme", "a", "new", ())], "minor (1 token added)"),
        ([changed(Change("mode night", None, {"name": "Night"}))], "minor (1 mode added)"),
        ([Difference("design", "theme", "a", "gone", ())], "major (1 token removed)"),
        ([changed(Change("mode night", {"name": "Night"}, None))], "major (1 mode removed)"),
        ([changed(Change("name", "a", "b"), Change("in dark", RED, BLUE))], "major (1 token renamed)"),
        ([changed(Change("mode night", {"name": "Night"}, {"name": "Dusk"}))], "major (1 mode renamed)"),
        ([changed(Change("code syntax", {"WEB": "a"}, {"WEB": "b"}))], "major (1 token renamed)"),
        ([changed(Change("type", "number", "dimension"))], "major (1 token given another type)"),
        (
            [changed(Change("in dark", RED, BLUE)), Difference("design", "theme", "b", "gone", ())] * 2,
            "major (2 tokens removed)",
        ),
        (
            [Difference("design", "theme", "", "changed", (Change("extension a", {"name": "A"}, None),))],
            "major (1 collection removed)",
        ),
        ([Difference("design", "theme", "", "changed", (Change("name", "A", "B"),))], "major (1 collection renamed)"),
    ],
)
def test_the_version_follows_from_the_worst_difference(differences, version):
    assert str(advice(differences)) == version
    assert ("Semantic version" in markdown(differences, "a", "b")) == bool(differences)


def test_each_colour_is_code_of_its_own_so_that_forges_show_a_swatch():
    table = markdown([changed(Change("in dark", [0.1, 0.2, 0.9, 1], BLUE))], "a", "b")
    assert "| `#1a33e5` → `#0000ff80` |" in table
    table = markdown([changed(Change("in dark", [0, 0, 0, 1], [0.2, 0.4, 0.6, 1]))], "a", "b")
    black, blue = "<code>&#x23;000000</code> `rgb(0, 0, 0)`", "<code>&#x23;336699</code> `rgb(51, 102, 153)`"
    assert f"| {black} → {blue} |" in table, "digits alone would be the number of an issue"
    assert read_in_text(table) == read_on_page(table) == []


def test_new_and_removed_tokens_are_listed_with_their_values():
    values = (
        Change("name", None, "a"),
        Change("in light", None, BLUE),
        Change("in dark", None, {"alias": ["d", "b", "c"]}),
    )
    gone = Difference("design", "theme", "b", "gone", (Change("in light", 16, None),))
    table = markdown([Difference("design", "theme", "a", "new", values), gone], "a", "b").splitlines()
    assert table[-3:] == [
        "| added | `theme / a` | in light | `#0000ff80` |",
        "|  |  | in dark | `{b.c}` |",
        "| removed | `theme / b` | in light | `16` |",
    ]


COUNTED = [
    Difference("design", "base", "", "new", (Change("name", None, "Base"),)),
    *(token(name, "new", Change("in value", None, 1), collection="base") for name in "ab"),
    Difference("design", "theme", "", "changed", (Change("mode night", None, {"name": "Night"}),)),
    token("only at night", "changed", Change("in night", None, 1)),
    token("also by day", "changed", Change("in night", None, 2), Change("in light", 1, 2)),
    token("fresh", "new", Change("in light", None, 1), Change("in night", None, 2)),
    token("former", "gone", Change("in light", 1, None)),
    Difference("design", "old", "", "gone", ()),
    *(token(name, "gone", Change("in value", 1, None), collection="old") for name in "pqr"),
]
SENTENCE = "3 tokens added, 4 removed, 1 changed; 1 mode added; 1 collection added, 1 removed"


def listed(texts, sign):
    """The number of tokens in lines with this sign: those of a whole collection, or one."""
    own = [each.removeprefix(sign) for each in texts if each.startswith(sign)]
    whole = [re.search(r"\((\d+) tokens?\)", each) for each in own]
    return sum(int(count[1]) if count else " / " in each for each, count in zip(own, whole, strict=True))


def test_every_format_has_the_same_counts():
    assert counts(COUNTED) == {
        "tokens": {"added": 3, "removed": 4, "changed": 1},
        "modes": {"added": 1, "removed": 0, "changed": 0},
        "collections": {"added": 1, "removed": 1, "changed": 0},
    }
    assert in_counts(COUNTED) == SENTENCE
    assert f"\n\n{SENTENCE}.\n\n" in markdown(COUNTED, "a", "b")
    assert f"<p>{SENTENCE}.</p>" in page(COUNTED, "a", "b")
    subject, _, said, *_ = message(COUNTED).splitlines()
    assert subject == "Update design tokens: 3 tokens added, 4 removed, 1 changed; 1 mode added"
    assert len(subject) <= 72
    assert said == SENTENCE


def test_the_counts_are_those_of_the_listed_tokens():
    for texts in (list(lines(COUNTED)), message(COUNTED).splitlines()):
        assert [listed(texts, sign) for sign in ("+ ", "- ", "~ ")] == [3, 4, 1]
    everything = [each for each in lines(COUNTED, everything=True) if " tokens)" not in each]
    assert [listed(everything, sign) for sign in ("+ ", "- ", "~ ")] == [3, 4, 1]
    rows = [re.findall(r"[^|`]+", each) for each in markdown(COUNTED, "a", "b").splitlines()]
    cells = [f"{row[0].strip()} {row[2]}" for row in rows if len(row) > 2]
    assert [listed(cells, f"{verb} ") for verb in ("added", "removed", "changed")] == [3, 4, 1]


def test_no_count_is_cut_in_the_subject_of_a_commit():
    many = [
        token(f"{kind} {at}", kind, Change("in light", 1, 2))
        for kind in ("new", "gone", "changed")
        for at in range(10_000)
    ]
    subject, _, sentence, *_ = message(many).splitlines()
    assert subject == "Update design tokens: 10,000 tokens added, 10,000 removed"
    assert sentence == "10,000 tokens added, 10,000 removed, 10,000 changed"
