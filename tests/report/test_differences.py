"""Differences as text, Markdown and a page."""

import json
import re

import lxml.html
import pytest
from forge_rules import read_in_text, read_on_page
from markdown_it import MarkdownIt
from outlet.hostile_texts import FOREIGN

from tokensync.plan.comparing import Change, Difference
from tokensync.report.differences import advice, in_words, lines, markdown, message, page

RED, BLUE = [1, 0, 0, 1], [0, 0, 1, 0.5]


def alias(path):
    return {"alias": ["design", "theme", path]}


@pytest.mark.parametrize(
    ("member", "before", "after", "text"),
    [
        ("in dark", RED, BLUE, "#ff0000 -> #0000ff80"),
        ("in dark", RED, alias("accent"), "#ff0000 -> {theme.accent}"),
        ("in dark", {"color": alias("accent"), "opacity": 40}, RED, "{theme.accent} at 40 % -> #ff0000"),
        ("in dark", {"dangling": "VariableID:1:2"}, RED, "{VariableID:1:2}, which does not exist -> #ff0000"),
        ("in dark", [0.5, 0.2, 0.2, 1], [0.5001, 0.2, 0.2, 1], "rgb(0.5 0.2 0.2 / 1) -> rgb(0.5001 0.2 0.2 / 1)"),
        ("in dark", None, 16, "added: 16"),
        ("description", "Old.", None, 'removed: "Old."'),
        ("hidden", False, True, "false -> true"),
        ("scopes", ["GAP", "OPACITY"], ["FONT_SIZE", "GAP"], "removed OPACITY, added FONT_SIZE"),
        ("code syntax", {"WEB": "a", "iOS": "b"}, {"WEB": "c", "iOS": "b"}, 'value of WEB changed from "a" to "c"'),
        ("code syntax", {"WEB": "a"}, {"WEB": "a", "iOS": "b"}, 'item iOS ("b") added to dictionary'),
    ],
)
def test_a_change_shows_only_the_parts_that_differ(member, before, after, text):
    assert in_words(Change(member, before, after)) == text


def test_a_change_of_a_composite_shows_the_part_that_differs():
    before, after = ({"composite": json.dumps({"width": 1, "style": style})} for style in ("solid", "dashed"))
    assert in_words(Change("in dark", before, after)) == 'value of style changed from "solid" to "dashed"'


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
    assert "No\ndifferences" in page([], "a", "b").replace(" differences", "\ndifferences")


def test_a_message_has_counts_and_changes():
    differences = [
        Difference("design", "theme", "soft", "new", (Change("in dark", None, RED),)),
        Difference(
            "design", "theme", "accent", "changed", (Change("in dark", RED, BLUE), Change("hidden", False, True))
        ),
        Difference("design", "old", "", "gone", ()),
    ]
    assert message(differences) == (
        "Update design tokens: 1 added, 1 removed, 1 changed\n"
        "\n"
        "+ theme / soft\n"
        "~ theme / accent\n"
        "  * in dark: #ff0000 -> #0000ff80\n"
        "  * hidden: false -> true\n"
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
    differences = [Difference("design", "theme", f"token {at}", "changed", changes) for at in range(5000)]
    text = markdown(differences, "a", "b")
    assert 60_000 < len(text) <= 65_536
    assert text.endswith(f"\n\n… and {5000 - text.count('| changed |'):,} more\n")
    assert text.count("| … and 6 more |") == text.count("| changed |")
    said = message(differences)
    assert said.endswith(f"\n… and {5000 - said.count('~ '):,} more\n")
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
    assert len(list(lines(found, everything=True))) == 2 * len(found)


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
        f'    mode night: {said}: "Night" (2 values)',
        "~ theme / b",
        "    in light: 1 -> 2",
    ]
    assert f"    in night: {said}: 1" in lines(found, everything=True)


def changed(*changes):
    return Difference("design", "theme", "a", "changed", changes)


@pytest.mark.parametrize(
    ("differences", "version"),
    [
        ([], "none"),
        ([changed(Change("in dark", RED, BLUE))], "patch (1 changed)"),
        ([changed(Change("description", None, "New."))], "patch (1 changed)"),
        ([Difference("design", "theme", "a", "new", ())], "minor (1 added)"),
        ([changed(Change("mode night", None, {"name": "Night"}))], "minor (1 added)"),
        ([Difference("design", "theme", "a", "gone", ())], "major (1 removed)"),
        ([changed(Change("mode night", {"name": "Night"}, None))], "major (1 removed)"),
        ([changed(Change("name", "a", "b"), Change("in dark", RED, BLUE))], "major (1 renamed)"),
        ([changed(Change("mode night", {"name": "Night"}, {"name": "Dusk"}))], "major (1 renamed)"),
        ([changed(Change("code syntax", {"WEB": "a"}, {"WEB": "b"}))], "major (1 renamed)"),
        ([changed(Change("type", "number", "dimension"))], "major (1 retyped)"),
        (
            [changed(Change("in dark", RED, BLUE)), Difference("design", "theme", "b", "gone", ())] * 2,
            "major (2 removed, 2 changed)",
        ),
    ],
)
def test_the_version_follows_from_the_worst_difference(differences, version):
    assert str(advice(differences)) == version
    assert ("Semantic version" in markdown(differences, "a", "b")) == bool(differences)


def test_each_colour_is_code_of_its_own_so_that_forges_show_a_swatch():
    table = markdown([changed(Change("in dark", [0.1, 0.2, 0.9, 1], BLUE))], "a", "b")
    assert "| `#1a33e5` → `#0000ff80` |" in table
