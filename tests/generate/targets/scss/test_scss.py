"""The Sass partial: hostile names and texts, references to variables, and the lines that a change affects."""

import re

import pytest
import tinycss2
from generate.targets.changes import changed_lines, scheme_of
from generate.targets.hostile_graphs import hostile_graphs
from graphs import alias, collection, color, graph, token
from hypothesis import given

from tokensync.generate.naming import names_for
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate, naming_of, scss
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.css.texts import Notation
from tokensync.tokens import Theme

BLACK, WHITE, RED = color("#000000"), color("#ffffff"), color("#ff0000")


def text_of(token_graph, **options):
    ((path, content),) = generate(token_graph, OutputRequest(platform="scss", **options))[0]
    assert path == "_tokens.scss"
    return content.decode()


def variables(text):
    """Return the top-level variables in order; each is on one line, as is each comment."""
    head = text.partition('@use "sass:meta";\n\n')[2].partition("\n\n/// The default value of every token.")[0]
    lines = [each for each in head.split("\n") if not each.startswith("///")]
    actual = [re.fullmatch(r"(\$[\w-]+): (.*);", each) for each in lines]
    assert all(actual), lines
    return {each[1]: each[2] for each in actual}


@given(hostile_graphs())
def test_a_partial_of_hostile_texts_reads_back(token_graph):
    """Each token has a variable with its name; strings are unchanged and without interpolation."""
    actual = variables(text_of(token_graph))
    tokens = list(token_graph.tokens.values())
    names, _ = names_for(token_graph, tokens, naming_of("scss"))
    assert list(actual) == list(names.values())
    earlier = set()
    for each in tokens:
        text = actual[names[each.key]]
        assert not text.startswith("$") or text in earlier
        earlier.add(names[each.key])
        if each.type == "string" and not text.startswith("$"):
            assert re.search(r"(?<!\\)(?:\\\\)*#\{", text) is None
            (read,) = tinycss2.parse_component_value_list(text)
            assert read.value == re.sub("[\0\ud800-\udfff]", "\ufffd", each.values[0])


def test_a_variable_refers_only_to_those_declared_before_it():
    of = collection("Base")
    token_graph = graph(
        of, token(of, "one", alias("Base", "two")), token(of, "two", RED), token(of, "three", alias("Base", "two"))
    )
    assert variables(text_of(token_graph)) == {"$one": "#f00", "$two": "#f00", "$three": "$two"}


def test_a_theme_refers_to_a_variable_only_for_its_default_value():
    of = collection("Scheme", "Light", "Dark")
    token_graph = graph(
        of,
        token(of, "ink", BLACK, WHITE),
        token(of, "red", RED),
        token(of, "text", alias("Scheme", "ink")),
        token(of, "link", alias("Scheme", "ink"), alias("Scheme", "red")),
    )
    themes = text_of(token_graph).partition('"scheme/dark": (\n')[2].partition("  ),")[0]
    assert themes.split("\n") == ['    "ink": #fff,', '    "text": #fff,', '    "link": $red,', ""]


def test_tokens_do_not_have_the_names_of_the_maps():
    of = collection("Base")
    token_graph = graph(of, token(of, "tokens", RED), token(of, "themes", RED), token(of, "tokens token", RED))
    assert list(variables(text_of(token_graph))) == ["$tokens-token", "$themes-token", "$base-tokens-token"]


def test_a_theme_named_default_replaces_the_default_one():
    of = collection("Scheme", "Light", "Dark")
    token_graph = graph(of, token(of, "ink", BLACK, WHITE))
    text = text_of(token_graph, themes=(Theme("default", ((("design", "scheme"), 1),)),))
    assert re.findall(r'^  "default": .*$', text, re.MULTILINE) == ['  "default": (']


@pytest.mark.parametrize(
    ("text", "written"),
    [("#{$x}", '"\\#{$x}"'), ("\\#{$x}", '"\\\\\\#{$x}"'), ('"', '"\\""'), ("a\nb", '"a\\a b"'), ("#", '"#"')],
)
def test_strings_are_not_interpolated(text, written):
    assert scss.literals(Notation(CssOptions()))["string"](text) == written


@pytest.mark.parametrize(
    ("kind", "text", "written"),
    [
        ("family", '"Inter", serif', '("Inter", serif)'),
        ("family", '"Inter"', '"Inter"'),
        ("family", "$family", "$family"),
        ("string", '"a, b"', '"a, b"'),
        ("shadow", "0px 0px #000, 0px 1px #000", "(0px 0px #000, 0px 1px #000)"),
    ],
)
def test_a_list_with_commas_has_parentheses_within_a_map(kind, text, written):
    assert scss.in_map(kind, text) == written


def test_changing_one_variable_changes_only_its_line():
    assert changed_lines(text_of(scheme_of()), text_of(scheme_of(RED))) == ["-$accent: #000;", "+$accent: #f00;"]


def test_a_new_variable_adds_its_own_lines():
    lines = changed_lines(text_of(scheme_of()), text_of(scheme_of(added=("new",))))
    assert lines == ["+$new: #f00;", '+  "new": $new,']
