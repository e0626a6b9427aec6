"""Cases of the Kotlin target: modes that are chosen individually, and values that depend on several of them."""

from generate.targets.composite_values import DASHES, LAYER, VALUES, composite_of, referring
from graphs import alias, collection, color, graph, token

from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets.compose import ComposeOptions, ComposeTheme
from tokensync.tokens import ComposedColor, DanglingAlias, Quantity, Theme, TokenGraph

RED, BLUE, BLACK, WHITE = color("#ff0000"), color("#1f6feb"), color("#000000"), color("#ffffff")


def crossing() -> TokenGraph:
    """Collections that refer to each other in both directions, and one with a single mode that depends on both."""
    scheme = collection("Scheme", "Light", "Dark")
    tone = collection("Tone", "Calm", "Vivid")
    parts = collection("Parts")
    return graph(
        scheme,
        tone,
        parts,
        token(scheme, "ink", BLACK, WHITE),
        token(scheme, "toned", alias("Tone", "accent"), BLUE),
        token(tone, "accent", BLUE, RED),
        token(tone, "line", alias("Scheme", "ink"), RED),
        token(tone, "strength", 40, 80, type="number", scopes=("OPACITY",)),
        token(tone, "wide", 40, 180, type="number", scopes=("OPACITY",)),
        token(scheme, "veil", ComposedColor(alias("Scheme", "ink"), alias("Tone", "strength"))),
        token(scheme, "mist", ComposedColor(alias("Scheme", "ink"), alias("Tone", "wide")), color("#ffffff", 0.5)),
        token(parts, "button", alias("Scheme", "toned")),
        token(parts, "fog", ComposedColor(alias("Scheme", "mist"), 50.0)),
        token(parts, "plain", RED),
    )


def literals() -> TokenGraph:
    """A literal for a reference to another notation, selected by the modes that it depends on."""
    size = collection("Size", "Small", "Medium", "Large")
    text = collection("Text", "Plain", "Huge")
    use = collection("Use")
    return graph(
        size,
        text,
        use,
        token(size, "four", 4, 4, 8, type="number"),
        token(text, "scale", alias("Size", "four"), 16, type="number"),
        token(use, "gap", alias("Size", "four"), type="dimension"),
        token(use, "size", alias("Text", "scale"), type="dimension", scopes=("FONT_SIZE",)),
    )


def cycles() -> TokenGraph:
    """References that form a cycle in some combination of modes are literals."""
    one = collection("One", "A", "B")
    other = collection("Other", "C", "D")
    return graph(
        one,
        other,
        token(one, "x", alias("Other", "y"), RED),
        token(other, "y", BLUE, alias("One", "x")),
        token(one, "z", alias("One", "x")),
    )


def absent() -> TokenGraph:
    """A token without a default value has no property; one without a value in another mode has the default value."""
    scheme = collection("Scheme", "Light", "Dark")
    return graph(
        scheme,
        token(scheme, "only dark", DanglingAlias("VariableID:1:1"), WHITE),
        token(scheme, "only light", WHITE, DanglingAlias("VariableID:1:1")),
        token(scheme, "on dark", BLACK, alias("Scheme", "only dark")),
    )


def composites() -> TokenGraph:
    """Every composite type, with literals, with references, and with parts that depend on a mode."""
    base = collection("Base")
    scheme = collection("Scheme", "Light", "Dark")
    return graph(
        base,
        scheme,
        *(token(base, name, composite_of(value), type=name) for name, value in VALUES.items()),
        token(base, "line", composite_of("solid"), type="strokeStyle"),
        token(base, "again", alias("Base", "shadow"), type="shadow"),
        token(base, "black", BLACK),
        token(base, "four", 4, type="dimension"),
        token(base, "share", 0.5, type="number"),
        token(base, "bold", 700, type="fontWeight"),
        token(base, "sans", "Inter", type="fontFamily"),
        token(base, "quick", Quantity(100.0, "ms"), type="duration"),
        token(base, "curve", composite_of([0, 0, 1, 1]), type="cubicBezier"),
        token(base, "dashes", composite_of(DASHES), type="strokeStyle"),
        token(base, "below", composite_of(LAYER), type="shadow"),
        token(base, "yes", True, type="boolean"),
        *(
            token(scheme, name, composite_of(value), referring(name, value), type=name)
            for name, value in VALUES.items()
        ),
    )


def modes_named_oddly() -> TokenGraph:
    """Modes and collections whose names are keywords, numbers, in other scripts, or similar."""
    tokens = collection("chosen", "1", "1.0", "object", "Größe", "日本語", "🎨", "!", "A b", "AB")
    alike = collection("Chosen tokens", "Object", "Other")
    return graph(
        tokens,
        alike,
        token(tokens, "tokens", *(float(at) for at in range(9)), type="number"),
        token(tokens, "ChosenMode", alias("chosen", "tokens"), type="number"),
        token(alike, "field", 1, 2, type="number"),
        token(alike, "value", alias("Chosen tokens", "field"), type="number"),
        token(alike, "Color", RED, BLUE),
        token(alike, "ink", alias("Chosen tokens", "Color")),
    )


def documented() -> TokenGraph:
    """Descriptions that could end a documentation comment."""
    of = collection("Base */ }")
    return graph(
        of,
        token(of, "plain", RED, description="The brand's main colour."),
        token(of, "lines", RED, description="First line.\r\n\r\nThird line.\u2028Fourth, @see nothing. [x]"),
        token(of, "end", RED, description="Ends */ here /* and // there $x ${y} {{ z }}"),
        token(of, "blank", RED, description=" \n "),
        token(of, "old", RED, deprecated=True),
        token(of, "older", alias("Base */ }", "old"), description="Grey.", deprecated='Use "plain". $x'),
    )


def grouped() -> TokenGraph:
    """Groups that are tokens, too, or differ in case, numbers, keywords, equal names, and a very deep path."""
    base = collection("Base")
    scheme = collection("Scheme", "Light", "Dark")
    deep = "/".join(f"g{at}" for at in range(12))
    return graph(
        base,
        scheme,
        token(base, "color/slate/500", BLUE, description="Slate."),
        token(base, "color/Slate/900", BLACK),
        token(base, "2xl", 48, type="dimension"),
        token(base, "object/class/val", 1, type="number", deprecated=True),
        token(base, "Color/Color", RED),
        token(base, "field/get", 2, type="number"),
        token(base, f"{deep}/gap", 4, type="dimension"),
        token(base, "text/body", composite_of(VALUES["typography"]), type="typography"),
        token(scheme, "border", alias("Base", "color/slate/500"), WHITE, description="Between things."),
        token(scheme, "border/strong", BLACK, alias("Scheme", "border")),
        token(scheme, "border/root", RED, BLUE),
        token(scheme, "borderStrong", WHITE, BLACK),
        token(scheme, "ink/root/x", RED),
        token(scheme, "ink", alias("Scheme", "border/strong")),
        token(scheme, "tokens/value/on", True, False, type="boolean"),
        token(scheme, "a/b c", 1, 2, type="number"),
        token(scheme, "a/b-c", 3, 4, type="number"),
        token(scheme, "veil", ComposedColor(alias("Scheme", "border"), 50.0)),
    )


def _two_schemes() -> TokenGraph:
    """Schemes of two collections."""
    scheme = collection("Scheme", "Light", "Dark", "Dim")
    size = collection("Size", "Cosy", "Dense")
    return graph(
        scheme,
        size,
        token(scheme, "ink", BLACK, WHITE, RED),
        token(size, "gap", 8, 4, type="dimension"),
    )


_THEMES = (
    Theme("day"),
    Theme("night", ((("design", "scheme"), 1),)),
    Theme("night, dense", ((("design", "scheme"), 1), (("design", "size"), 1))),
)


def _of(graph: TokenGraph, **rest: object) -> tuple[TokenGraph, OutputRequest]:
    return graph, OutputRequest(platform="compose", **rest)  # type: ignore[arg-type]


CASES = {
    "compose/values": (crossing(), OutputRequest(platform="compose", options=ComposeOptions(values=True))),
    "compose/crossing": _of(crossing()),
    "compose/previews": (
        composites(),
        OutputRequest(platform="compose", options=ComposeOptions(previews=True, letter_spacing="em")),
    ),
    "compose/nested": (grouped(), OutputRequest(platform="compose", options=ComposeOptions(groups="nested"))),
    "compose/literals": _of(literals()),
    "compose/cycles": _of(cycles()),
    "compose/absent": _of(absent()),
    "compose/composites": _of(composites()),
    "compose/odd-modes": _of(modes_named_oddly()),
    "compose/documented": _of(documented()),
    "compose/configured-themes": _of(_two_schemes(), themes=_THEMES),
    "compose/selection": _of(
        crossing(), include=Selection(collections=("Parts", "Tone")), exclude=Selection(themes=("tone/*",))
    ),
    "compose/options": _of(
        _two_schemes(),
        options=ComposeOptions(
            package="com.acme.object.tokens",
            name="Acme",
            visibility="internal",
            themes={
                "scheme/dark": ComposeTheme(appearance="none"),
                "scheme/dim": ComposeTheme(appearance="dark"),
                "size/dense": ComposeTheme(appearance="light"),
                "size/vast": ComposeTheme(appearance="light"),
            },
        ),
    ),
}
