"""Whatever a snapshot holds: a clear problem with its place or harmless identifiers, no crash, no broken output."""

from __future__ import annotations

import copy
import json
import re
import time

import pytest
from corpus.building import OWN_ERROR, ROOT, bytes_under, run, run_here
from corpus.read_android import read_values, shown
from corpus.read_css import computed, read_css
from corpus.read_ios import followed, read_catalog, read_swift
from corpus.responses import alias, collection, color, response, small, variable

TEXTS = {
    "css breakout": 'a"; } body{',
    "css comment": "a */ body{color:red} /*",
    "css escapes": "\\22 ; } \\",
    "html": "</style><script>alert(1)</script>",
    "xml": "</string><string name='x'>&amp;]]>--><!--",
    "android reference": "@string/other",
    "android attribute": "?attr/colorPrimary",
    "apostrophe": "it's \"quoted\" \\' \\n \\u0041",
    "swift interpolation": '\\(x) \\u{41} """ #"',
    "swift comment": "*/ let x = 1 // /*",
    "jinja": "{{ 7*7 }}{% for x in y %}{# c #}",
    "path": "../../x",
    "windows path": "..\\..\\x:y|z?",
    "absolute path": "/etc/passwd",
    "dollar": "$x",
    "dollar root": "$root",
    "braces": "{a.b}",
    "dots": "a.b..c.",
    "percent": "100% %2E %zz",
    "newlines": "a\nb\r\nc\u2028d\u2029e\x0bf\x0cg\x85h",
    "tabs": "\ta\tb\t",
    "spaces": "  a  ",
    "right to left": "\u202ea\u200fb\u2066c\u061cd",
    "zero width": "a\u200bb\ufeffc\u00ad",
    "nul": "a\x00b",
    "controls": "".join(map(chr, range(1, 32))) + "\x7f",
    "noncharacters": "a\ufffeb\uffffc\U0001ffff",
    "long": "a" * 10_000,
    "long words": "word " * 2_000,
    "emoji": "🎨👩‍👩‍👧",
    "script": "日本語 عربى ไทย हिन्दी",
    "math letters": "𝒳²①Ⅷ",
    "sharp s and dotted i": "ẞß İı ŉ ǅ",
    "combining": "e\u0301\u0323o\u0308",
    "empty segments": "a//b",
    "slash": "/",
    "empty": "",
    "only signs": "---",
    "digits": "123",
    "device": "con",
    "device with extension": "nul.txt",
    "default": "default",
    "class": "class",
    "self": "self",
    "init": "init",
    "type": "Type",
    "underscore": "_",
    "true": "true",
    "dunder": "__proto__",
    "prototype": "constructor",
    "format": "%s %1$s {0}",
}
"""Texts that break naive generators, one or more for each kind of literal, name and path."""

PLAIN = re.compile(r"[^\x00-\x1f\x7f-\x9f\ufffe\uffff\u2028\u2029]*")
FILES = re.compile(
    r"tokensync\.outputs\.json|css/tokens\.css|android/values(-night)?/(colors|dimens|strings|bools|integers|numbers)\.xml"
    r"|ios/Tokens\.swift|ios/Tokens\.xcassets/([^/\\:*?\"<>|\x00-\x1f]+\.colorset/)?Contents\.json"
)


class Trial:
    """A folder of its own for one snapshot and its outputs."""

    def __init__(self, folder):
        self.folder = folder / "deep" / "work"
        self.folder.mkdir(parents=True)
        self.top = folder
        self.path = self.folder / "local.json"
        self.out = self.folder / "out"

    def build(self, document, *, runner=run_here):
        """Build a document or raw bytes, and hold the outcome against what every outcome must be."""
        raw = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.path.write_bytes(raw)
        done = runner("build", "--snapshot", self.path, "-o", self.out)
        assert done.code in (0, 1), done.stderr
        assert OWN_ERROR not in done.stderr, done.stderr
        assert "Traceback" not in done.stderr
        if done.code:
            errors = [line for line in done.problems if line.startswith("error:")]
            assert errors
            assert all("local.json" in line for line in errors), done.stderr[:2000]
            assert not self.out.exists(), "a failed build wrote something"
        else:
            well_formed(self.out)
        assert len(done.problems) == len(set(done.problems))
        stray = [each for each in self.top.rglob("*") if each.is_file() and self.out not in each.parents]
        assert stray == [self.path]
        return done


@pytest.fixture
def trial(tmp_path):
    return Trial(tmp_path)


def well_formed(out):
    """Read every output whole; follow every reference."""
    for name in bytes_under(out):
        assert FILES.fullmatch(name.replace("\\", "/")), name
    blocks = read_css(out / "css" / "tokens.css")
    for block in blocks:
        computed(blocks, [("root", ""), block.selector])
    day = read_values(out / "android" / "values")
    night = read_values(out / "android" / "values-night")
    for name in day:
        shown(name, day)
    for name in night:
        shown(name, night, day)
    constants = read_swift(out / "ios" / "Tokens.swift")
    colors = {name for name in constants if followed(name, constants).type == "Color"}
    assert set(read_catalog(out / "ios" / "Tokens.xcassets")) == {followed(each, constants).value for each in colors}


def declared(out):
    """How many tokens each platform declares by default."""
    return {
        len(read_css(out / "css" / "tokens.css")[0].declarations),
        len(read_values(out / "android" / "values")),
        len(read_swift(out / "ios" / "Tokens.swift")),
    }


def everywhere(text):
    """A response with the text in each place where a person can put one: 10 local variables, one of a library."""
    owner = collection(1, text, ["Light", text])
    plain = collection(2, "Plain", ["Light", "Dark"])
    values = [color(0.1, 0.2, 0.3), color(0.5, 0.6, 0.7)]
    ids = [f"VariableID:1:{at}" for at in range(2, 11)]
    variables = [
        variable(ids[0], owner, text, "COLOR", values),
        variable(ids[1], owner, f"group/{text}", "COLOR", values),
        variable(ids[2], owner, f"{text}/leaf", "FLOAT", [4, 8], description=text),
        variable(ids[3], plain, "string", "STRING", [text, f"{text}{text}"]),
        variable(ids[4], plain, "family", "STRING", [text, "Inter"], scopes=["FONT_FAMILY"]),
        variable(ids[5], plain, "alias", "COLOR", [alias(ids[0]), alias(ids[1])], description=text),
        variable(ids[6], plain, "syntax", "COLOR", values, codeSyntax=dict.fromkeys(("WEB", "ANDROID", "iOS"), text)),
        variable(
            ids[7],
            plain,
            "wrapped",
            "COLOR",
            values,
            codeSyntax={"WEB": f"var(--{text})", "ANDROID": f"R.color.{text}", "iOS": f"Color.{text}"},
        ),
        variable(ids[8], plain, text, "BOOLEAN", [True, False], codeSyntax={text: text}, scopes=[text or "ALL_SCOPES"]),
    ]
    library = collection(3, text, [text], remote=True, id=f"VariableCollectionId:{'a' * 40}/1:1")
    far = variable(f"VariableID:{'b' * 40}/1:2", library, text, "COLOR", [color(1, 0, 0)], description=text)
    borrowed = variable("VariableID:1:20", plain, "borrowed", "COLOR", [alias(far["id"]), alias(far["id"])])
    return response([owner, plain, library], [*variables, far, borrowed])


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_hostile_text_is_harmless_in_every_place(text, trial):
    done = trial.build(everywhere(text))
    assert done.code == 0, done.stderr[:2000]
    assert declared(trial.out) == {10}
    if PLAIN.fullmatch(text):
        light, dark = text, text + text
        blocks = read_css(trial.out / "css" / "tokens.css")
        assert computed(blocks, [("root", "")])["--string"] == ("string", light)
        assert computed(blocks, [("root", ""), ("data-plain", "dark")])["--string"] == ("string", dark)
        constants = read_swift(trial.out / "ios" / "Tokens.swift")
        assert constants["string"].value == light
        day = read_values(trial.out / "android" / "values")
        assert shown("string", day) == ("string", light)


def test_hostile_names_live_together(trial):
    """All of them in one collection, and beside each the same name in other letter case."""
    owner = collection(1, "Theme", ["Light", "Dark"])
    names = list(dict.fromkeys([*TEXTS.values(), *(each.upper() for each in TEXTS.values())]))
    variables = [
        variable(f"VariableID:1:{at}", owner, name, "COLOR", [color(0, 0, 0), color(1, 1, 1)])
        for at, name in enumerate(names)
    ]
    done = trial.build(response([owner], variables))
    assert done.code == 0, done.stderr[:2000]
    assert declared(trial.out) == {len(names)}


def test_hostile_mode_and_collection_names_live_together(trial):
    owners, variables = [], []
    texts = list(TEXTS.values())
    for at in range(0, len(texts), 10):
        owner = collection(at + 1, texts[at], [*texts[at : at + 10], *(each.upper() for each in texts[at : at + 10])])
        values = list(range(len(owner["modes"])))
        variables.append(variable(f"VariableID:{at + 1}:2", owner, f"size/{at}", "FLOAT", values))
        owners.append(owner)
    done = trial.build(response(owners, variables))
    assert done.code == 0, done.stderr[:2000]
    selectors = [each.selector for each in read_css(trial.out / "css" / "tokens.css")]
    assert len(selectors) == len(set(selectors)) == 1 + sum(len(each["modes"]) for each in owners)


@pytest.mark.parametrize("text", ["a\\ud800b", "\\udfff", "\\udc00\\ud800"], ids=repr)
def test_a_lone_surrogate_escape_is_refused_or_replaced(text, trial):
    raw = json.dumps(everywhere("@@@")).replace("@@@", text).encode()
    done = trial.build(raw)
    if done.code == 0:
        assert declared(trial.out) == {10}


# bytes that are no response

WHOLE = json.dumps(small()).encode()
REFUSED = {
    "empty": b"",
    "space": b" \n ",
    "text": b"<!doctype html><title>502 Bad Gateway</title>",
    "truncated early": WHOLE[:1],
    "truncated": WHOLE[: len(WHOLE) // 2],
    "truncated late": WHOLE[:-1],
    "truncated in a string": WHOLE[: WHOLE.index(b"accent") + 3],
    "two documents": WHOLE + WHOLE,
    "a comma too many": WHOLE[:-1] + b",}",
    "not utf-8": WHOLE.replace(b"accent", b"acc\xff\xfe"),
    "utf-16": WHOLE.decode().encode("utf-16"),
    "not a number": WHOLE.replace(b": 4,", b": NaN,"),
    "infinity": WHOLE.replace(b": 4,", b": Infinity,"),
    "too large": WHOLE.replace(b": 4,", b": 1e400,"),
    "a very long number": WHOLE.replace(b": 4,", b": " + b"9" * 5_000 + b","),
    "null": b"null",
    "number": b"12",
    "string": b'"meta"',
    "array": b"[]",
    "object": b"{}",
    "error answer": b'{"status": 403, "error": true, "message": "Invalid scope"}',
    "other error answer": b'{"status": 404, "err": "Not found"}',
    "meta null": b'{"status": 200, "error": false, "meta": null}',
    "meta empty": b'{"status": 200, "error": false, "meta": {}}',
    "deep array": b"[" * 200_000,
    "deep array, closed": b"[" * 200_000 + b"]" * 200_000,
    "deep object": b'{"a":' * 200_000,
    "deep value": WHOLE.replace(b": 4,", b": " + b"[" * 200_000 + b"]" * 200_000 + b","),
    "deep unknown member": WHOLE.replace(b'"status"', b'"x": ' + b"[" * 200_000 + b"]" * 200_000 + b', "status"'),
}


@pytest.mark.parametrize("raw", REFUSED.values(), ids=REFUSED)
def test_bytes_that_are_no_response_are_refused_with_their_place(raw, trial):
    done = trial.build(raw)
    assert done.code == 1
    assert len(done.problems) <= 3


@pytest.mark.parametrize("name", ["deep array, closed", "truncated", "too large"])
def test_the_program_itself_shows_no_traceback(name, trial):
    assert trial.build(REFUSED[name], runner=run).code == 1


def test_an_error_answer_that_was_saved_is_told_in_its_own_words(trial):
    done = trial.build(REFUSED["error answer"])
    assert "Invalid scope" in done.stderr
    assert "403" in done.stderr


def test_the_place_of_a_wrong_value_is_its_line_or_pointer(trial):
    text = json.dumps(small(), indent=2).replace('"resolvedType": "FLOAT"', '"resolvedType": 12', 1)
    line = next(at for at, each in enumerate(text.splitlines(), 1) if '"resolvedType": 12' in each)
    done = trial.build(text.encode())
    assert done.code == 1
    assert f"local.json:{line}:" in done.stderr or "/meta/variables/VariableID:1:3/resolvedType" in done.stderr


def test_a_number_that_is_no_float32_is_left_out_with_a_word(trial):
    done = trial.build(WHOLE.replace(b": 4,", b": 1e300,"))
    assert any("space/sm" in line for line in done.problems)
    if done.code == 0:
        assert declared(trial.out) == {4}


def test_a_byte_order_mark_is_read_past_or_told_of(trial):
    done = trial.build(b"\xef\xbb\xbf" + WHOLE)
    if done.code == 0:
        assert declared(trial.out) == {5}


def test_a_folder_or_a_missing_file_is_told_of(tmp_path):
    for path in (tmp_path, tmp_path / "missing.json"):
        done = run_here("build", "--snapshot", path, "-o", tmp_path / "out")
        assert done.code in (1, 2)
        assert str(path) in done.stderr
        assert OWN_ERROR not in done.stderr
        assert not (tmp_path / "out").exists()


def test_a_member_that_stands_twice_is_refused_or_read_as_one(trial):
    raw = WHOLE.replace(b'"name": "label"', b'"name": "label", "name": "other"')
    assert raw != WHOLE
    done = trial.build(raw)
    if done.code == 0:
        assert declared(trial.out) == {5}


# shapes that no server sends

ABSENT = object()
PUT_IN = [ABSENT, None, True, 0, -1.5, "x", [], {}, [None], {"x": None}]


def places(node, above=()):
    """Every place of a document, as a tuple of keys and indexes."""
    for key, each in node.items() if isinstance(node, dict) else enumerate(node):
        yield (*above, key)
        if isinstance(each, dict | list):
            yield from places(each, (*above, key))


def changed(document, place, value):
    """A copy of the document with another value in a place, or without it."""
    document = copy.deepcopy(document)
    holder = document
    for key in place[:-1]:
        holder = holder[key]
    if value is ABSENT:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return document


def shaped():
    """A response with each kind of member once: an extension, an override, a composed colour, a remote variable."""
    root = collection(1, "Theme", ["Light"])
    mode = {"modeId": "e/9:0", "name": "Light", "parentModeId": "9:0"}
    first = variable("V:1", root, "a", "COLOR", [color(0, 0, 0)], codeSyntax={"WEB": "--a"})
    composed = {"color": alias("V:1"), "opacity": 50}
    second = variable("V:2", root, "b", "COLOR", [composed])
    brand = collection(2, "Brand", []) | {
        "modes": [mode],
        "defaultModeId": "e/9:0",
        "isExtension": True,
        "parentVariableCollectionId": root["id"],
        "rootVariableCollectionId": root["id"],
        "variableOverrides": {"V:1": {"e/9:0": alias("V:2")}},
    }
    brand["variableOverrides"]["V:1"]["e/9:0"] = color(1, 1, 1)
    return response([root, brand], [first, second])


PLACES = sorted(places(shaped()), key=repr)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: "/".join(map(str, place)))
def test_any_wrong_shape_is_refused_with_its_place_or_read_harmlessly(place, tmp_path):
    for number, value in enumerate(PUT_IN):
        trial = Trial(tmp_path / str(number))
        done = trial.build(changed(shaped(), place, value))
        if done.code:
            assert re.search(r"local\.json(:\d+:\d+|.*/|: )", done.stderr), done.stderr


def theme(*variables_of, modes=("Light", "Dark"), **more):
    """A response of one collection; each argument is (name, type, values, members)."""
    owner = collection(1, "Theme", list(modes), **more)
    made = [
        variable(f"VariableID:1:{at}", owner, name, kind, values, **members)
        for at, (name, kind, values, members) in enumerate(variables_of)
    ]
    return response([owner], made)


def test_a_variable_that_refers_to_itself_is_left_out(trial):
    document = theme(("a", "FLOAT", [alias("VariableID:1:0"), 3], {}), ("b", "FLOAT", [1, 2], {}))
    done = trial.build(document)
    assert done.code == 0
    assert declared(trial.out) == {1}
    assert any("Theme" in line and "a" in line for line in done.problems)


def test_a_cycle_of_ten_thousand_aliases_is_left_out_in_linear_time(trial):
    size = 10_000
    ring = [(f"a/{at}", "FLOAT", [alias(f"VariableID:1:{(at + 1) % size}")] * 2, {}) for at in range(size)]
    document = theme(*ring, ("b", "FLOAT", [1, 2], {}))
    start = time.perf_counter()
    done = trial.build(document)
    assert time.perf_counter() - start < 10
    assert done.code == 0
    assert declared(trial.out) == {1}
    assert len(done.problems) >= 1


def test_a_chain_of_ten_thousand_aliases_is_followed(trial):
    size = 10_000
    chain = [(f"a/{at}", "FLOAT", [alias(f"VariableID:1:{at + 1}")] * 2, {}) for at in range(size)]
    trial.path.write_text(json.dumps(theme(*chain, ("b", "FLOAT", [1, 2], {}))))
    done = run_here("build", "--snapshot", trial.path, "-o", trial.out, "--platform", "css")
    assert done.code == 0, done.stderr
    blocks = read_css(trial.out / "css" / "tokens.css")
    assert computed(blocks, [("root", "")])["--a-0"] == ("number", "1")
    assert computed(blocks, [("root", ""), ("data-theme", "dark")])["--a-0"] == ("number", "2")


def test_composed_colours_in_both_spellings_are_resolved(trial):
    base, share = alias("VariableID:1:0"), alias("VariableID:1:1")
    expression = {
        "type": "VARIABLE_EXPRESSION",
        "expressionFunction": "COMPOSE_COLOR",
        "expressionArguments": [base, 50],
    }
    document = theme(
        ("base", "COLOR", [color(1, 0, 0)] * 2, {}),
        ("share", "FLOAT", [48, 12], {"scopes": ["COLOR_OPACITY"]}),
        (
            "composed",
            "COLOR",
            [{"color": base, "opacity": share}, {"color": color(0, 0, 1, 0.5), "opacity": share}],
            {},
        ),
        ("expressed", "COLOR", [expression, expression], {}),
    )
    assert trial.build(document).code == 0
    found = computed(read_css(trial.out / "css" / "tokens.css"), [("root", ""), ("data-theme", "dark")])
    assert found["--composed"] == ("color", "rgb(0 0 255 / 0.06)")
    assert found["--expressed"] == ("color", "rgb(255 0 0 / 0.5)")


BROKEN_COLORS = {
    "no opacity": {"color": alias("VariableID:1:0")},
    "opacity text": {"color": alias("VariableID:1:0"), "opacity": "50"},
    "opacity of a colour": {"color": alias("VariableID:1:0"), "opacity": alias("VariableID:1:0")},
    "opacity dangling": {"color": alias("VariableID:1:0"), "opacity": alias("VariableID:9:9")},
    "two literals": {"color": color(1, 0, 0), "opacity": 50},
    "colour of a number": {"color": alias("VariableID:1:1"), "opacity": 50},
    "nested": {"color": {"color": alias("VariableID:1:0"), "opacity": 50}, "opacity": 50},
    "expression unknown": {"type": "VARIABLE_EXPRESSION", "expressionFunction": "MIX", "expressionArguments": []},
    "expression of one": {
        "type": "VARIABLE_EXPRESSION",
        "expressionFunction": "COMPOSE_COLOR",
        "expressionArguments": [alias("VariableID:1:0")],
    },
    "expression of many": {
        "type": "VARIABLE_EXPRESSION",
        "expressionFunction": "COMPOSE_COLOR",
        "expressionArguments": [alias("VariableID:1:0")] * 3,
    },
    "no green": {"r": 0, "b": 0},
    "text": {"r": "0", "g": 0, "b": 0},
    "alias without id": {"type": "VARIABLE_ALIAS"},
    "alias to a number": {"type": "VARIABLE_ALIAS", "id": 12},
    "alias to nothing": {"type": "VARIABLE_ALIAS", "id": ""},
    "alias and colour": {"type": "VARIABLE_ALIAS", "id": "VariableID:1:0", "r": 0, "g": 0, "b": 0},
    "unknown type": {"type": "SOMETHING_NEW", "id": "VariableID:1:0"},
    "number": 12,
    "string": "#ff0000",
    "boolean": True,
    "out of range": {"r": 1.5, "g": -0.5, "b": 0, "a": 7},
    "huge": {"r": 1e39, "g": 0, "b": 0},
}


@pytest.mark.parametrize("value", BROKEN_COLORS.values(), ids=BROKEN_COLORS)
def test_a_malformed_colour_is_refused_or_left_out_with_a_word(value, trial):
    document = theme(
        ("base", "COLOR", [color(1, 0, 0)] * 2, {}),
        ("number", "FLOAT", [1, 2], {}),
        ("broken", "COLOR", [value, value], {}),
    )
    done = trial.build(document)
    if done.code == 0:
        assert declared(trial.out) <= {2, 3}
        if declared(trial.out) == {2}:
            assert any("broken" in line for line in done.problems)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("FLOAT", "12"),
        ("FLOAT", True),
        ("FLOAT", color(0, 0, 0)),
        ("STRING", 12),
        ("STRING", False),
        ("BOOLEAN", 1),
        ("BOOLEAN", "true"),
        ("BOOLEAN", None),
        ("FLOAT", alias("VariableID:1:0")),
        ("STRING", alias("VariableID:1:0")),
        ("EASING", {"x1": 0}),
        ("TIMING", 200),
        ("EASING", alias("VariableID:1:0")),
    ],
    ids=str,
)
def test_a_value_that_does_not_fit_its_type_is_told_of(kind, value, trial):
    document = theme(("base", "COLOR", [color(1, 0, 0)] * 2, {}), ("other", kind, [value, value], {}))
    done = trial.build(document)
    assert done.problems
    if done.code == 0:
        assert declared(trial.out) == {1}
        assert any("other" in line for line in done.problems)


ODD = {
    "no modes": ({"modes": []}, {}),
    "unknown default mode": ({"defaultModeId": "7:7"}, {}),
    "a mode twice": ({"modes": [{"modeId": "9:0", "name": "Light"}] * 2}, {}),
    "variableIds of nothing": ({"variableIds": ["VariableID:9:9", "VariableID:1:0", "VariableID:1:0"]}, {}),
    "no variableIds": ({"variableIds": []}, {}),
    "another id": ({"id": "VariableCollectionId:8:8"}, {}),
    "unknown collection": ({}, {"variableCollectionId": "VariableCollectionId:8:8"}),
    "unknown modes": ({}, {"valuesByMode": {"7:7": 1}}),
    "no values": ({}, {"valuesByMode": {}}),
    "id of another": ({}, {"id": "VariableID:1:1"}),
    "name of another": ({}, {"name": "b"}),
    "remote in a local collection": ({}, {"remote": True}),
    "local in a remote collection": ({"remote": True}, {}),
    "unknown scopes": ({}, {"scopes": ["A", "B", "A"]}),
    "code syntax of a platform to come": ({}, {"codeSyntax": {"WINDOWS": "x", "WEB": ""}}),
    "extension of itself": (
        {
            "isExtension": True,
            "parentVariableCollectionId": "VariableCollectionId:1:1",
            "rootVariableCollectionId": "x",
        },
        {},
    ),
    "extension of nothing": ({"isExtension": True, "parentVariableCollectionId": "nowhere"}, {}),
    "extension without parent": ({"isExtension": True}, {}),
}


@pytest.mark.parametrize(("of_collection", "of_variable"), ODD.values(), ids=ODD)
def test_facts_that_do_not_fit_together_have_an_outcome(of_collection, of_variable, trial):
    document = theme(("a", "FLOAT", [1, 2], {}), ("b", "FLOAT", [3, 4], {}))
    (owner,) = document["meta"]["variableCollections"].values()
    owner |= of_collection
    document["meta"]["variables"]["VariableID:1:0"] |= of_variable
    trial.build(document)


def test_a_collection_that_extends_in_a_circle_has_an_outcome(trial):
    owners = []
    for number, parent in ((1, 2), (2, 1)):
        owner = collection(number, f"C{number}", ["Light"], isExtension=True, variableOverrides={})
        owner["parentVariableCollectionId"] = f"VariableCollectionId:{parent}:1"
        owner["modes"][0]["parentModeId"] = "9:0"
        owners.append(owner)
    made = variable("VariableID:1:2", owners[0], "a", "FLOAT", [1])
    trial.build(response(owners, [made]))


def test_a_snapshot_without_variables_builds_nothing_much(trial):
    done = trial.build(response([], []))
    assert done.code in (0, 1)


def test_the_folder_of_this_checkout_stays_clean(trial):
    before = {each.name for each in ROOT.iterdir()}
    trial.build(everywhere("../../x"), runner=run)
    assert {each.name for each in ROOT.iterdir()} == before
