"""A design system of 12,000 tokens, the same on every machine: every type, long chains of aliases, composed colours, a
brand that extends the colours, axes that interact in both directions, and names that no platform likes.
"""

from collections.abc import Iterator
from random import Random

from graphs import FILE, alias, collection, color, graph, token

from tokensync.tokens import Alias, ComposedColor, Composite, Quantity, Token, TokenGraph, TokenKey, float32
from tokensync.tokens.composites import canonical
from tokensync.tokens.values import AS_TEXT

SIZE = 12_000
HUES = 300
STEPS = (50, 100, 200, 300, 400, 500, 600, 700)
ROLES = ("background", "foreground", "border", "icon")
STATES = ("rest", "hover", "pressed", "focus", "disabled")
LENGTH = ("WIDTH_HEIGHT",)
TEXT = ("FONT_SIZE",)
SHARE = ("OPACITY",)

WEIGHTS = ("Bold", "Semi Bold Italic", "EXTRA-LIGHT", "350", "Oblique", "demi_bold", "Black")

PALETTE = collection("Palette")
COLORS = collection("Color", "Light", "Dark", extensions=[("Harbor", "Color")])
TONE = collection("Tone", "Calm", "Vivid")
DENSITY = collection("Density", "Comfortable", "Compact")
VIEWPORT = collection("Viewport", "Phone", "Tablet", "Desktop")
LANGUAGE = collection("Language", "English", "Deutsch", "日本語")
TEXTS = collection("Type & motion")
EFFECTS = collection("Effects")
COMPONENTS = collection("Components")

HOSTILE = (
    "class",
    "default",
    "self",
    "100%",
    "1/2",
    "-start",
    "a b",
    "a  b",
    "a-b",
    "A-B",
    "a_b",
    'say "hi"',
    "it's",
    "back\\slash",
    "*/ end",
    "// line",
    "</style>",
    "{{ name }}",
    "${name}",
    "#{name}",
    "\\(name)",
    "$ref",
    "@color",
    "?attr",
    "Größe",
    "名前",
    "العربية",
    "😀",
    "e\u0301",
    "\u200b",
    "x" * 300,
    "tab\there",
    "line\nend",
    "constructor",
    "__proto__",
    "toString",
    "--double",
    "_",
    "0",
    "00",
)


def generated() -> TokenGraph:
    """The graph; the components fill it up to SIZE tokens."""
    random = Random(SIZE)
    before = [*palette(random), *tones(random), *colors(random), *lengths(random), *language(), *texts(random)]
    before += [*effects(random), *hostile(random)]
    rest = SIZE - len(before)
    families = (PALETTE, COLORS, TONE, DENSITY, VIEWPORT, LANGUAGE, TEXTS, EFFECTS, COMPONENTS)
    return graph(*families, *before, *components(random, before, rest))


def palette(random: Random) -> Iterator[Token]:
    """Literal colours, some of them translucent."""
    for hue in range(HUES):
        for step in STEPS:
            literal = color(f"#{random.randrange(1 << 24):06x}", 1.0 if step != 50 else random.random())
            yield token(PALETTE, f"hue-{hue}/{step}", literal)


def tones(random: Random) -> Iterator[Token]:
    """Colours that follow the tone; every third refers to a colour that follows the scheme."""
    for index in range(300):
        calm, vivid = step_of(random), step_of(random)
        yield token(TONE, f"accent/{index}", calm, alias("Color", f"base/{index}") if index % 3 == 0 else vivid)
    for index in range(20):
        yield token(TONE, f"strength/{index}", 40 + index, 80 + index / 8, type="number", scopes=SHARE)


def colors(random: Random) -> Iterator[Token]:
    """Colours by scheme and brand; some refer to the tone, some lay an opacity over another colour."""
    for index in range(400):
        harbor = (step_of(random), None) if index % 4 == 0 else (None, None)
        yield token(COLORS, f"base/{index}", step_of(random), step_of(random), *harbor)
    for index in range(200):
        light = alias("Tone", f"accent/{index + 1 if index % 3 == 0 else index}")
        yield token(COLORS, f"toned/{index}", light, step_of(random))
    for index in range(600):
        of = alias("Color", f"base/{index % 400}")
        strength = alias("Tone", f"strength/{index % 20}") if index % 5 == 0 else float(index % 101)
        yield token(COLORS, f"layer/{index}", ComposedColor(of, strength), of)
    for index in range(600):
        yield token(COLORS, f"role/{ROLES[index % 4]}/{index}", *[alias("Color", f"layer/{index}")] * 2)


def step_of(random: Random):
    return alias("Palette", f"hue-{random.randrange(HUES)}/{random.choice(STEPS)}")


def lengths(random: Random) -> Iterator[Token]:
    """Lengths: the viewport's refer to the density's, and some of the density's to the viewport's."""
    for index in range(300):
        values = (float32(random.choice((0, 1, 4, 8, 12.5, 16, 0.1, 24, 33.333, -2))) for _ in DENSITY.modes)
        yield token(DENSITY, f"space/{index}", *values, type="dimension", scopes=LENGTH)
    for index in range(300):
        values = (float32(random.randrange(1, 4000) / random.choice((1, 2, 8, 10, 100))) for _ in VIEWPORT.modes)
        yield token(VIEWPORT, f"text/{index}", *values, type="dimension", scopes=TEXT if index % 2 else LENGTH)
    for index in range(300):
        near = alias("Density", f"space/{index}")
        far = (float(index), near, alias("Density", f"space/{(index * 7) % 300}"))
        yield token(VIEWPORT, f"gap/{index}", *far, type="dimension", scopes=LENGTH)
    for index in range(0, 300, 2):
        compact = float32(index / 4)
        yield token(
            DENSITY, f"inset/{index}", alias("Viewport", f"text/{index}"), compact, type="dimension", scopes=LENGTH
        )


def language() -> Iterator[Token]:
    """Texts in three languages, with what the escaping functions have to carry."""
    marks = (
        '"',
        "'",
        "\\",
        "\n",
        "\t",
        "*/",
        "</style>",
        "${x}",
        "#{$x}",
        "\\(x)",
        "@",
        "?",
        "%",
        "\u2028",
        "😀",
        "{}",
    )
    for index in range(600):
        mark = marks[index % len(marks)]
        texts = (f"Save {index} {mark}", f"{mark}Speichern {index}", f"保存 {index}{mark} " if index % 7 else "")
        yield token(LANGUAGE, f"label/{index}", *texts, type="string")


def texts(random: Random) -> Iterator[Token]:
    """The types that depend on no axis."""
    families = ("Inter", "Inter, sans-serif", '"Söhne Breit", serif', "serif", "Comic Sans MS, ui-rounded, system-ui")
    for index in range(100):
        yield token(TEXTS, f"family/{index}", families[index % len(families)], type="fontFamily")
        if index % 3 == 1:
            text = WEIGHTS[index % len(WEIGHTS)]
            yield token(TEXTS, f"weight/{index}", text, type=AS_TEXT, scopes=("FONT_STYLE",))
        else:
            yield token(TEXTS, f"weight/{index}", float(1 + index * 9), type="fontWeight", scopes=("FONT_WEIGHT",))
        yield token(TEXTS, f"ratio/{index}", float32(random.uniform(-3, 3)), type="number")
        yield token(TEXTS, f"count/{index}", float32(10.0 ** (index % 12)), type="number")
        yield token(TEXTS, f"opacity/{index}", float32(index + 0.1), type="number", scopes=SHARE)
        yield token(TEXTS, f"enabled/{index}", index % 3 == 0, type="boolean")
        yield token(TEXTS, f"time/{index}", Quantity(index * 25.0, "ms" if index % 2 else "s"), type="duration")
        yield token(TEXTS, f"measure/{index}", Quantity(index / 8, "rem"), type="dimension", scopes=LENGTH)


def effects(random: Random) -> Iterator[Token]:
    """The composite types: their parts refer to colours by scheme and tone, and to lengths by viewport and density."""
    curve = [0.2, 0, 0.4, 1]
    for index in range(40):
        ink = {"colorSpace": "srgb", "components": [index / 40, 0.5, 0.25], "alpha": 0.5}
        toned = refer("color", f"toned/{index}")
        size, weight = refer("viewport", f"text/{index * 2 + 1}"), refer("type-motion", f"weight/{index}")
        text_family = refer("type-motion", f"family/{index}")
        wait = refer("type-motion", f"time/{index}")
        layer = {"offsetX": px(0), "offsetY": px(index), "blur": px(index / 2), "spread": px(-1)}
        width = px(index / 4)
        yield composed("shadow", index, [{**layer, "color": toned}, {**layer, "color": ink, "inset": True}], toned)
        yield composed("border", index, {"color": toned, "width": width, "style": "dotted"}, toned)
        letters = {"letterSpacing": px(-0.25), "lineHeight": 1.5}
        style = {**letters, "fontFamily": text_family, "fontSize": size, "fontWeight": weight}
        yield composed("typography", index, style, text_family, size, weight)
        yield composed("gradient", index, [{"color": toned, "position": 0}, {"color": ink, "position": 0.625}], toned)
        timing = {"duration": {"value": 200, "unit": "ms"}, "delay": wait, "timingFunction": curve}
        yield composed("transition", index, timing, wait)
        yield composed("cubicBezier", index, [random.random(), -1, 0.5, 2.5])
        dashes = {"dashArray": [px(4), size], "lineCap": "round"}
        yield composed("strokeStyle", index, dashes if index % 2 else "double", *([size] if index % 2 else ()))


def px(number: float) -> dict[str, object]:
    return {"value": number, "unit": "px"}


def refer(collection_handle: str, name: str) -> str:
    """A reference within a composite, in DTCG's words."""
    return f"{{{collection_handle}.{name.replace('/', '.')}}}"


def many_modes(modes: int = 40, size: int = 5_000) -> TokenGraph:
    """A palette, roles that choose between four of its colours in each mode, and components that refer to roles."""
    random = Random(1)
    palette, theme = collection("Palette"), collection("Theme", *(f"Mode {mode}" for mode in range(modes)))
    colors, roles = size // 5, size // 2
    tokens = [token(palette, f"color/{at}", color(f"#{random.randrange(1 << 24):06x}")) for at in range(colors)]
    for at in range(roles):
        choices = [alias("Palette", f"color/{random.randrange(colors)}") for _ in range(4)]
        tokens.append(token(theme, f"role/{at}", *random.choices(choices, k=modes)))
    targets = [alias("Theme", f"role/{random.randrange(roles)}") for _ in range(size - colors - roles)]
    components = (token(theme, f"component/{at}", *[target] * modes) for at, target in enumerate(targets))
    return graph(palette, theme, *tokens, *components)


def composed(type_: str, index: int, value: object, *references: str) -> Token:
    """A composite token of these references, in the order in which its canonical JSON has them."""
    text = canonical(value)
    parts = ((each, each.strip("{}").partition(".")) for each in sorted(references, key=text.index))
    origins = tuple((each, TokenKey(FILE, handle, path)) for each, (handle, _, path) in parts)
    return token(EFFECTS, f"{type_}/{index}", Composite(text, origins), type=type_)


def hostile(random: Random) -> Iterator[Token]:
    """Names of every kind, as tokens and as groups; code syntax that is no name."""
    for at, name in enumerate(HOSTILE):
        own = {"code_syntax": (("ANDROID", name), ("WEB", f"var(--{name})"), ("iOS", name))} if at % 4 == 0 else {}
        literal = color(f"#{random.randrange(1 << 24):06x}")
        yield token(COMPONENTS, f"odd/{name}", literal, description=f"{name} */ --> ''' \u2028", **own)
        yield token(COMPONENTS, f"{name}/odd", alias("Color", f"role/background/{at * 4}"))
    yield token(COMPONENTS, "odd/string", "".join(map(chr, range(1, 0x250))), type="string")
    yield token(COMPONENTS, "odd/long", "long " * 2_000, type="string")
    yield token(COMPONENTS, "odd/families", Composite('["A, B","C\\"D","serif"]'), type="fontFamily")


def components(random: Random, before: list[Token], wanted: int) -> Iterator[Token]:
    """Tokens of components, which refer to all others and to each other: a part of them in chains of eight."""
    targets = [each for each in before if each.key.collection != COMPONENTS.handle]
    previous = None
    for index in range(wanted):
        target = previous if previous is not None and index % 8 else random.choice(targets)
        name = f"component-{index // 20}/{STATES[index % 5]}/{target.public_type}-{index}"
        previous = previous_token = token(COMPONENTS, name, Alias(target.key), type=target.type, scopes=target.scopes)
        yield previous_token
