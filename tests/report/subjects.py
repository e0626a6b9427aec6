"""Graphs for the page, and the expected content."""

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
    """Return a graph with tokens of each type, aliases between collections, and missing values."""
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
    """Return a graph with every hostile text as a name, string, description, mode and collection."""
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


def names_of(token_graph):
    """Return invented names on two platforms."""
    live = [key for key, each in token_graph.tokens.items() if each.origin == "local"]
    return {"css": {key: f"--{key.path}" for key in live}, "ios": {key: key.path.title() for key in live}}


def page_of(token_graph, **rest):
    return report_page(token_graph, names_of(token_graph), **{"title": "Tokens", **rest})


def data_of(page):
    """Return the data of a page, read by an HTML parser."""
    (script,) = lxml.html.document_fromstring(page).xpath("//script[@id='data']")
    return json.loads(script.text)


def expected_text(of: Token, value) -> str:
    """Return the text of a resolved number, quantity or boolean on the page."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            is_opacity = of.scopes in (("OPACITY",), ("COLOR_OPACITY",)) or "opacity" in of.key.path.lower().split(".")
            is_percentage = of.type == "number" and is_opacity and value > 1
            return shortest(value) + ("px" if of.type == "dimension" else "%" if is_percentage else "")
        case Quantity():
            return f"{shortest(value.number)}{value.unit}"
    raise TypeError(type(value).__name__)


ODD = ("null", "7", '"x"', "[]", "{}", "[[]]", "[null]", '{"color":7}', '[{"color":{"hex":"url(x)"}}]', '{"value":[]}')
COMPOSITE_TYPES = (
    *("shadow", "border", "gradient", "typography", "transition", "cubicBezier", "strokeStyle", "fontFamily"),
    *("unheard", "constructor"),
)


def odd_composites():
    """Return a graph with composites that do not match their types."""
    of = collection("Odd")
    return graph(
        of,
        *(
            token(of, f"{kind}/{index}", Composite(text), type=kind)
            for kind in COMPOSITE_TYPES
            for index, text in enumerate(ODD)
        ),
    )
