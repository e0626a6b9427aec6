"""Graphs for the page, and what it should say of them."""

from __future__ import annotations

import json

import lxml.html
from graphs import alias, collection, color, graph, token

from tokensync.report import report_page
from tokensync.tokens import (
    ComposedColor,
    Composite,
    DanglingAlias,
    Quantity,
    Token,
    shortest,
)

HOSTILE = (
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "<!--<script>",
    "'\"><b>bold</b>",
    "\u202egnirts\u202c",
    "a\0b\ud800c\ufffed\x85e\u2028f",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:document.title='taken'",
    "url(https://example.invalid/x)",
    "__proto__",
    "constructor",
    "&lt;&amp;",
    "x" * 10_000,
)


def every_type():
    """A token of each type, aliases between collections, and values that there are none of."""
    base = collection("Base")
    themed = collection("Theme", "Light", "Dark", extensions=[("Theme / Brand", "Theme")])
    size = collection("Size", "Wide", "Narrow")
    layer = {"color": "{base.ink}", "offsetX": 0, "offsetY": 0, "blur": 0, "spread": 0}
    layer |= {
        name: {"value": number, "unit": "px"}
        for name, number in (("offsetX", 0), ("offsetY", 4), ("blur", 12), ("spread", -2))
    }
    return graph(
        base,
        themed,
        size,
        token(base, "ink", color("#16212b")),
        token(base, "veil", color("#16212b", 0.4)),
        token(base, "share", 50, type="number", scopes=("OPACITY",)),
        token(base, "step/1", 4, type="dimension"),
        token(base, "step/2", Quantity(1.5, "rem"), type="dimension"),
        token(base, "ratio", 1.5, type="number"),
        token(base, "bold", 650, type="fontWeight"),
        token(base, "face", "Source Sans 3, sans-serif", type="fontFamily"),
        token(base, "faces", Composite('["Bitter","serif"]'), type="fontFamily"),
        token(base, "greeting", "Ahoy", type="string"),
        token(base, "empty", "", type="string"),
        token(base, "on", True, type="boolean"),
        token(base, "pause", Quantity(200, "ms"), type="duration"),
        token(base, "ease", Composite("[0.2,0,0,1]"), type="cubicBezier"),
        token(
            base, "lift", Composite(json.dumps(layer), (("{base.ink}", token(base, "ink", None).key),)), type="shadow"
        ),
        token(base, "lost", DanglingAlias("VariableID:9:9")),
        token(base, "ring/a", alias("Base", "ring/b")),
        token(base, "ring/b", alias("Base", "ring/a")),
        token(base, "wrong", alias("Base", "greeting")),
        token(themed, "text", alias("Base", "ink"), color("#ffffff"), None, color("#ffeedd"), description="Body copy."),
        token(themed, "shade", *[ComposedColor(alias("Theme", "text"), alias("Base", "share"))] * 2, hidden=True),
        token(themed, "none", None, None, None, None, deprecated="Use text."),
        token(size, "gap", alias("Base", "step/1"), 2, type="dimension"),
        token(size, "label", alias("Theme", "shade"), alias("Theme", "text")),
    )


def hostile():
    """Every hostile text as a name, a string, a description, a mode and a collection."""
    parts = []
    for index, text in enumerate(HOSTILE):
        of = collection(f"{index}{text}", text, f"{text}2")
        parts += [
            of,
            token(of, f"{text}/s", text, f"{text}!", type="string", description=text, deprecated=text or True),
            token(of, f"{text}/f", text, type="fontFamily"),
            token(of, f"{text}/c", color("#123456"), code_syntax=(("WEB", text),)),
            token(of, f"{text}/d", DanglingAlias(text)),
        ]
    return graph(*parts)


def names_of(made):
    """Made-up names on two platforms."""
    live = [key for key, each in made.tokens.items() if each.origin == "local"]
    return {"css": {key: f"--{key.path}" for key in live}, "ios": {key: key.path.title() for key in live}}


def page_of(made, **rest):
    return report_page(made, names_of(made), **{"title": "Tokens", **rest})


def data_of(page):
    """The data of a page, as an HTML parser finds it."""
    (script,) = lxml.html.document_fromstring(page).xpath("//script[@id='data']")
    return json.loads(script.text)


def expected_text(of: Token, value) -> str:
    """What the page says of a resolved value that is a number, a quantity or a boolean."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return shortest(value) + ("px" if of.type == "dimension" else "%" if of.is_percentage else "")
        case Quantity():
            return f"{shortest(value.number)}{value.unit}"
    raise TypeError(type(value).__name__)


ODD = ("null", "7", '"x"', "[]", "{}", "[[]]", "[null]", '{"color":7}', '[{"color":{"hex":"url(x)"}}]', '{"value":[]}')
COMPOSITE_TYPES = (
    *("shadow", "border", "gradient", "typography", "transition", "cubicBezier", "strokeStyle", "fontFamily"),
    *("unheard", "constructor"),
)


def odd_composites():
    """Composites whose JSON is not what their type asks for."""
    of = collection("Odd")
    return graph(
        of,
        *(
            token(of, f"{kind}/{index}", Composite(text), type=kind)
            for kind in COMPOSITE_TYPES
            for index, text in enumerate(ODD)
        ),
    )
