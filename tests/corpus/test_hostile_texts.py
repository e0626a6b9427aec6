"""Whatever a person can type into a design file becomes a harmless identifier or string, in every place."""

import json
import re

import pytest
from corpus.building import ROOT, run
from corpus.read_android import read_values, shown
from corpus.read_css import ROOT as ROOT_RULE
from corpus.read_css import computed, read_css
from corpus.read_ios import read_swift
from corpus.responses import alias, collection, color, response, variable
from corpus.trial import declared

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


def everywhere(text):
    """Return a response with the text in each position that a user can edit: 10 local variables, one of a library."""
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
def test_a_hostile_text_is_harmless_everywhere(text, trial):
    done = trial.build(everywhere(text))
    assert done.code == 0, done.stderr[:2000]
    assert declared(trial.out) == {10}
    if PLAIN.fullmatch(text):
        light, dark = text, text + text
        blocks = read_css(trial.out / "css" / "tokens.css")
        in_css = [each.replace("</style", "\ufffd/style") for each in (light, dark)]  # minifiers remove its escapes
        assert computed(blocks, [("root", "")])["--string"] == ("string", in_css[0])
        assert computed(blocks, [("root", ""), ("data-plain", "dark")])["--string"] == ("string", in_css[1])
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
    blocks = read_css(trial.out / "css" / "tokens.css")
    chosen = [selector for block in blocks for selector in block.selectors if selector != (frozenset((ROOT_RULE,)),)]
    assert len(chosen) == len(set(chosen)) == sum(len(each["modes"]) for each in owners)


@pytest.mark.parametrize("text", ["a\\ud800b", "\\udfff", "\\udc00\\ud800"], ids=repr)
def test_a_lone_surrogate_escape_is_refused_or_replaced(text, trial):
    raw = json.dumps(everywhere("@@@")).replace("@@@", text).encode()
    done = trial.build(raw)
    if done.code == 0:
        assert declared(trial.out) == {10}


def test_the_folder_of_this_checkout_stays_clean(trial):
    before = {each.name for each in ROOT.iterdir()}
    trial.build(everywhere("../../x"), runner=run)
    assert {each.name for each in ROOT.iterdir()} == before
