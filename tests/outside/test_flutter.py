"""A generated Dart library, parsed and evaluated: each token comes to what the graph resolves it to, in every theme."""

import json
from decimal import Decimal
from itertools import chain

import pytest
from outside.compose_driver import bits
from outside.dart_library import Library, Name
from outside.expected import families, kind_of, same, value_of
from outside.themes import axes, pairs

from tokensync.generate.naming import names_for
from tokensync.generate.targets import naming_of
from tokensync.tokens import Composite, Theme, Unresolved, float32

pytestmark = pytest.mark.outside


OF_SYSTEM = ("system-ui", "-apple-system", "BlinkMacSystemFont")
"""Families of CSS that stand for the system's font, which a Flutter style has without a name."""


def themes_of(graph):
    """The default theme, each mode of each collection, and each two modes of collections that interact."""
    alone = [{axis.family: mode} for axis in axes(graph) for mode in range(len(axis.contexts))]
    together = [
        {one.family: first, other.family: second}
        for one, other in pairs(graph)
        for first in range(len(one.contexts))
        for second in range(len(other.contexts))
    ]
    return [{}, *alone, *together]


def expected(token, literal):
    """What ``outside.expected`` says, in Flutter's measures: pixels as float32, microseconds, families as names."""
    kind = kind_of(token)
    if isinstance(literal, Unresolved):
        return None
    if kind == "family":
        return ("families", tuple(families(literal)))
    if isinstance(literal, Composite):
        return COMPOSITES[kind](json.loads(literal.json)) if kind in COMPOSITES else None
    value = value_of(kind, literal)
    match value:
        case ("number", number, "rem"):
            return ("bits", bits(float32(float(number) * 16)))
        case ("number", number, "ms" | "s" as unit):
            return ("microseconds", round(number * (1_000 if unit == "ms" else 1_000_000)))
        case ("number", number, _) if token.type == "boolean":
            return ("boolean", bool(number))
        case ("number", number, _):
            return ("bits", bits(float(number)))
    return value


def length(value):
    number = value["value"] if isinstance(value, dict) else value
    is_rem = isinstance(value, dict) and value["unit"] == "rem"
    return bits(float32(number * (16 if is_rem else 1)))


def microseconds(value):
    return round(Decimal(str(value["value"])) * (1_000 if value["unit"] == "ms" else 1_000_000))


def color(value):
    assert value["colorSpace"] == "srgb", value
    return tuple(float(channel) for channel in (*value["components"], value.get("alpha", 1)))


def shadow(value):
    layers = value if isinstance(value, list) else [value]
    if any(layer.get("inset") for layer in layers):
        return None
    members = ("offsetX", "offsetY", "blur", "spread")
    return ("shadow", tuple((color(layer["color"]), *(length(layer[name]) for name in members)) for layer in layers))


def border(value):
    return ("border", color(value["color"]), length(value["width"])) if value["style"] == "solid" else None


def typography(value):
    size, height = value["fontSize"], value.get("lineHeight")
    if isinstance(height, dict):
        height = round(float(Decimal(str(height["value"])) / Decimal(str(size["value"]))), 4)
    weight = value.get("fontWeight")
    spacing = value.get("letterSpacing", 0)
    return (
        "typography",
        tuple(name for name in families(value["fontFamily"]) if name not in OF_SYSTEM),
        length(size),
        None if weight is None else bits(weight),
        length(spacing),
        None if height is None else bits(float32(height)),
    )


def gradient(value):
    return ("gradient", tuple((color(stop["color"]), bits(stop["position"])) for stop in value))


def curve(value):
    return ("curve", tuple(map(bits, value)))


def transition(value):
    return ("transition", microseconds(value["duration"]), microseconds(value["delay"]), curve(value["timingFunction"]))


COMPOSITES = {
    "shadow": shadow,
    "border": border,
    "typography": typography,
    "gradient": gradient,
    "transition": transition,
    "cubicBezier": curve,
}


def actual(value):
    """A value of the library in the same notation."""
    match value:
        case bool():
            return ("boolean", value)
        case float():
            return ("bits", bits(value))
        case ("Color", argb):
            return ("color", *channels(argb))
        case ("Duration", _):
            return ("microseconds", duration(value))
        case Name() if value == "Duration.zero":
            return ("microseconds", 0)
        case list() if not value or isinstance(value[0], str):
            return ("families", tuple(value))
        case Name():
            return ("bits", bits(float(value.rpartition("w")[2])))
        case str():
            return ("string", value)
    return actual_composite(value)


def actual_composite(value):
    match value:
        case ("TextStyle", style):
            variations = [each for _, name, each in style.get("fontVariations", ()) if name == "wght"]
            named = style.get("fontWeight")
            weight = bits(variations[0]) if variations else bits(float(named.rpartition("w")[2])) if named else None
            names = (*([style["fontFamily"]] if "fontFamily" in style else ()), *style.get("fontFamilyFallback", ()))
            height = bits(style["height"]) if "height" in style else None
            leading = None if height is None else "TextLeadingDistribution.even"
            assert style.get("leadingDistribution") == leading
            if variations:
                distances = {f"FontWeight.w{named}": abs(variations[0] - named) for named in range(100, 1000, 100)}
                assert distances[named] == min(distances.values())
            return ("typography", names, bits(style["fontSize"]), weight, bits(style["letterSpacing"]), height)
        case ("LinearGradient", members):
            return (
                "gradient",
                tuple(
                    (channels(color), bits(stop))
                    for (_, color), stop in zip(members["colors"], members["stops"], strict=True)
                ),
            )
        case ("BorderSide", members):
            return ("border", channels(members["color"][1]), bits(members["width"]))
        case ("Cubic", *handles):
            return ("curve", tuple(map(bits, handles)))
        case {"duration": lasting, "delay": delay, "curve": (_, *handles)}:
            return ("transition", duration(lasting), duration(delay), ("curve", tuple(map(bits, handles))))
        case [("BoxShadow", _), *_]:
            return ("shadow", tuple(layer(each) for _, each in value))
    raise AssertionError(value)


def layer(members):
    _, x, y = members["offset"]
    return (channels(members["color"][1]), *map(bits, (x, y, members["blurRadius"], members["spreadRadius"])))


def channels(argb):
    return tuple(byte / 255 for byte in (argb >> 16 & 255, argb >> 8 & 255, argb & 255, argb >> 24))


def duration(value):
    if value == "Duration.zero":
        return 0
    ((unit, number),) = value[1].items()
    return number * {"microseconds": 1, "milliseconds": 1_000}[unit]


def equal(wanted, got):
    """Whether values are equal: a single family is a text, and two stops stand for one."""
    if wanted[0] == "families" and got == ("string", wanted[1][0]):
        return len(wanted[1]) == 1
    if wanted[0] == "gradient" and len(wanted[1]) == 1:
        wanted = ("gradient", wanted[1] * 2)
    return close(wanted, got)


def close(wanted, got):
    """Whether values are equal, colours within a byte; they can be parts of others."""
    if isinstance(wanted, tuple) and isinstance(got, tuple) and len(wanted) == len(got):
        return same(wanted, got) or all(map(close, wanted, got))
    return wanted == got or (isinstance(wanted, float) and isinstance(got, float) and same((wanted,), (got,)))


def classes_of(graph, library, names):
    """The class of each family: both are in the same order, and a family without a value has none."""
    declared = dict.fromkeys(key[:2] for key in names)
    waiting = [name for name in library.classes if name.endswith("Tokens") and name != "DesignTokens"]
    found = {}
    for family in (key for key in graph.collections if key in declared):
        own = {names[key] for key in names if key[:2] == family}
        members = waiting and (library.classes[waiting[0]].fields or library.classes[waiting[0]].constants)
        if members and own.issuperset(members):
            found[family] = waiting.pop(0)
    assert not waiting
    return found


def entries(graph, library, modes):
    """The entries of the chosen modes: those of an enumeration begin with the default mode."""
    several = [each for each in graph.collections.values() if each.origin == "local" and len(each.modes) > 1]
    chosen = {}
    for family, (field, enumeration) in zip(several, library.fields().items(), strict=True):
        default = family.default_mode
        order = [default, *(mode for mode in range(len(family.modes)) if mode != default)]
        chosen[field] = library.enumerations[enumeration][order.index(modes.get(family.key, default))]
    return chosen


def lacks_a_value(graph, token, resolver):
    modes = [(key, mode) for key, family in graph.collections.items() for mode in range(len(family.modes))]
    several = chain(((mode,) for mode in modes), ((one, other) for one in modes for other in modes))
    return any(expected(token, resolver(Theme("", theme))(token.key)) is None for theme in several)


def test_each_token_equals_the_graph_in_every_theme_and_pair(subject, counted):
    graph = subject.graph
    (content,) = subject.files("flutter").values()
    library = Library(content)
    local = [each for each in graph.tokens.values() if each.origin == "local"]
    names, _ = names_for(graph, local, naming_of("flutter"))
    classes = classes_of(graph, library, names)
    compared, differences = 0, []
    for modes in themes_of(graph):
        resolve = subject.resolver(Theme("", tuple(modes.items())))
        chosen = entries(graph, library, modes)
        values = {family: library.values(name, chosen) for family, name in classes.items()}
        for key, name in names.items():
            token = graph.tokens[key]
            wanted = expected(token, resolve(key))
            if wanted is None:
                continue
            if name not in values.get(key[:2], ()):
                assert lacks_a_value(graph, token, subject.resolver), f"{name} has no member"
                continue
            compared += 1
            got = actual(values[key[:2]][name])
            if not equal(wanted, got):
                differences.append(f"{modes}: {key}: {got} is not {wanted}")
    counted("flutter", "values, each theme and pair of axes", subject.name, compared, differences)
