"""The TypeScript module: hostile names and texts, and the lines that a change affects."""

import json
import re

import pytest
from generate.targets.changes import changed_lines, scheme_of
from generate.targets.hostile_graphs import hostile_graphs
from graphs import collection, color, graph, token
from hypothesis import given

from tokensync.generate.naming import names_for
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate, naming_of
from tokensync.generate.targets import typescript as javascript
from tokensync.tokens import Color, Quantity

BLACK, WHITE, RED = color("#000000"), color("#ffffff"), color("#ff0000")


def files_of(token_graph, **options):
    files, _ = generate(token_graph, OutputRequest(platform="typescript", **options))
    return {path: content.decode() for path, content in files}


def constants(text):
    """Return the constants with JSON values, in order; each is on one line."""
    pairs = re.findall(r"^export const (\w+) = (?!/)(.*);$", text, re.MULTILINE)
    return {name: json.loads(value) for name, value in pairs}


def properties(text, name):
    """Return the properties of an exported object in order; each is on one line with a JSON value."""
    body = text.partition(f"export const {name} = /* @__PURE__ */ Object.freeze({{\n")[2].partition("\n});")[0]
    lines = [re.fullmatch(r"  (\S+?|\"(?:[^\"\\]|\\.)*\"): (.*),", each) for each in body.split("\n")]
    assert all(lines), body
    return {(json.loads(each[1]) if each[1][0] == '"' else each[1]): json.loads(each[2]) for each in lines}


def whole(value):
    """Return a value for comparison; numbers may differ by rounding."""
    return value if not isinstance(value, float) else pytest.approx(value, rel=1e-6)


@given(hostile_graphs())
def test_a_module_of_hostile_texts_reads_back(token_graph):
    """Each token has one line with its name as the key; strings and numbers are unchanged."""
    files = files_of(token_graph)
    declared = constants(files["tokens.js"])
    tokens = list(token_graph.tokens.values())
    names, _ = names_for(token_graph, tokens, naming_of("typescript"))
    assert list(declared) == list(names.values())
    for each in tokens:
        if each.type in ("string", "number", "boolean"):
            assert declared[names[each.key]] == whole(each.values[0])
    variables = properties(files["tokens.js"], "cssVariables")
    assert list(variables.values()) == list(names_for(token_graph, tokens, naming_of("css"))[0].values())


@given(hostile_graphs())
def test_texts_cannot_end_a_comment_of_the_types(token_graph):
    """Without its comments, the interface has one member per line and no other content."""
    text = files_of(token_graph)["tokens.d.ts"]
    body = text.partition("export interface Tokens {\n")[2].partition("\n}\n")[0]
    bare = re.sub(r"  /\*\*(?:[^*]|\*(?!/))*\*/\n", "", f"{body}\n").splitlines()
    assert len(bare) == len(token_graph.tokens)
    literal = r'"(?:[^"\\]|\\.)*"|-?[\d.]+|true|false|string|number'
    assert all(re.fullmatch(rf"  readonly \w+: (?:{literal})(?: \| (?:{literal}))*;", each) for each in bare)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("accent", "accent"),
        ("größe", '"größe"'),
        ("a-b", '"a-b"'),
        ("1", '"1"'),
        ("__proto__", '["__proto__"]'),
        ('"', '"\\""'),
        ("\u2028", '"\\u2028"'),
        ("</script>", '"\\u003c/script>"'),
    ],
)
def test_a_key_is_bare_where_it_can_be(name, key):
    assert javascript.key(name) == key


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        (" \n ", []),
        ("a */ b", ["a *\\/ b"]),
        ("@a b @c d@e", ["\\@a b \\@c d@e"]),
        ("a\r\nb\u2028c\x07d", ["a", "b", "c d"]),
    ],
)
def test_a_comment_has_no_end_and_no_tag(text, lines):
    assert javascript.comment(text) == lines


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Color(0.0, 0.5, 1.0), '"#0080ff"'),
        (Color(0.0, 0.5, 1.0, 0.5), '"#0080ff80"'),
        (Color(0.0, 0.5, 1.0, 0.0), '"#0080ff00"'),
        (1.0, None),
    ],
)
def test_a_colour_in_hexadecimals_has_its_alpha_last(value, text):
    assert javascript.hex_color(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(Quantity(1.5, "s"), "1500"), (Quantity(0.1, "ms"), "0.1"), (Quantity(1.0, "px"), None)]
)
def test_a_duration_counts_milliseconds(value, text):
    assert javascript.milliseconds(value) == text


def test_changing_one_variable_changes_only_its_lines_and_those_of_its_dependants():
    before, after = files_of(scheme_of()), files_of(scheme_of(RED))
    assert changed_lines(before["tokens.js"], after["tokens.js"]) == [
        '-export const accent = "#000000";',
        '-export const link = "#000000";',
        '+export const accent = "#ff0000";',
        '+export const link = "#ff0000";',
    ]
    changed = changed_lines(before["tokens.d.ts"], after["tokens.d.ts"])
    assert len(changed) == 8
    assert all("accent" in line or "link" in line for line in changed)


def test_a_new_variable_adds_its_own_lines():
    before, after = files_of(scheme_of()), files_of(scheme_of(added=("new",)))
    constant = '+export const new_ = "#ff0000";'
    assert changed_lines(before["tokens.js"], after["tokens.js"]) == [constant, "+  new_,", '+  new_: "--new",']
    assert changed_lines(before["tokens.d.ts"], after["tokens.d.ts"]) == [
        '+export declare const new_ = "#ff0000";',
        '+  readonly new_: "#ff0000";',
        '+  readonly new_: "--new";',
    ]


NAMED = {"value": "value_", "tokens": "tokens_", "css/variable": "cssVariable_", "values": "values"}


def test_a_token_named_as_another_export_gets_an_underscore():
    """Each constant has a line of its own, so two of one name would be a syntax error."""
    of = collection("Base")
    text = files_of(graph(of, *(token(of, name, RED) for name in NAMED)))["tokens.js"]
    assert list(constants(text)) == list(NAMED.values())


@pytest.mark.parametrize(
    ("texts", "type_"),
    [
        (['"4px"', '"8px"', '"4px"'], '"4px" | "8px"'),
        (["100", "400"], "100 | 400"),
        ([f'"{number}px"' for number in range(30)], "`${number}px`"),
        ([f'"{number}.5rem"' for number in range(-9, 9)] + ['"0px"'], "`${number}px` | `${number}rem`"),
        ([f'"#0000{number}"' for number in range(10, 30)], "`#${string}`"),
        ([f'"rgb(0 0 0 / 0.{number})"' for number in range(9)], "string"),
        ([*map(str, range(60)), "undefined"], "number | undefined"),
    ],
)
def test_the_type_of_many_values_is_wider_than_their_literals(texts, type_):
    assert javascript.union(texts) == type_
