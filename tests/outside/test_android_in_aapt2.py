"""aapt2 compiles the generated resources, also those of hostile names and texts."""

import re
from decimal import Decimal

import pytest
from generate.targets.hostile_graphs import hostile_graphs
from hypothesis import given, settings
from outside.android_resources import REFERENCE, number, read, shown
from outside.expected import kind_of, same, showable, value_of
from outside.themes import systems, theme_of

from tokensync.generate.naming import names_for
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate, naming_of
from tokensync.project.configuration import typed_options
from tokensync.tokens import DEFAULT_THEME

pytestmark = pytest.mark.outside


def resources_of(token_graph, folder, **options):
    files, _ = generate(token_graph, OutputRequest(platform="android", options=typed_options("android", options)))
    for path, content in files:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder


def whole(dumped):
    """A text as aapt2 prints it: as the resource table keeps it, halves of surrogate pairs in three bytes each."""
    halves = dumped.encode("utf-8", "surrogateescape").decode("utf-8", "surrogatepass")
    return halves.encode("utf-16", "surrogatepass").decode("utf-16")


@settings(max_examples=30, deadline=None)
@given(hostile_graphs())
def test_hostile_resources_link_and_read_back(tmp_path_factory, aapt2, token_graph):
    linked = aapt2(resources_of(token_graph, tmp_path_factory.mktemp("styles"), brands="styles", layout="collections"))
    tokens = list(token_graph.tokens.values())
    names, _ = names_for(token_graph, tokens, naming_of("android"))
    resources = [key.partition("/")[2] for key in linked if not key.startswith(("attr/", "style/"))]
    assert sorted(resources) == sorted(names.values())
    for each in tokens:
        if each.type == "string":
            expected = re.sub("[\0\ud800-\udfff]", "\ufffd", each.values[0])
            assert whole(linked[f"string/{names[each.key]}"][""]) == f'"{expected}"'


@settings(max_examples=15, deadline=None)
@given(hostile_graphs())
def test_hostile_source_sets_link_over_the_main_one(tmp_path_factory, aapt2, token_graph):
    folder = resources_of(token_graph, tmp_path_factory.mktemp("sets"), brands="source-sets")
    main = folder / "main" / "res"
    for each in folder.glob("*/res"):
        aapt2(main, *({each} - {main}))


UNREPRESENTABLE = "[\0\ud800-\udfff]"
PIXELS = {"rem": 16}
UNITS = {"px": {"dp", "sp"}, "rem": {"dp", "sp"}, "": {""}}
SIGN_BITS = (24, 17, 9, 1)
"""Of a dimension, by the places of its fraction: 0, 7, 15 or 23."""

_SHOWN = re.compile(r"(-?\d+(?:\.\d+)?(?:e[+-]\d+)?)(\w*)")


def day_and_night(graph):
    """(names of the folders that apply, the theme that the system shows) for both."""
    by_scheme = {each.scheme: theme_of(modes, ()) for each, modes in systems(graph) if not each.contrast}
    return ((("notnight", ""), by_scheme["light"]), (("night", ""), by_scheme["dark"]))


def expectations(graph, theme):
    """(resource name, kind, value) of each local token that has one, and one by default: others have no resource."""
    local = [each for each in graph.tokens.values() if each.origin == "local"]
    names, _ = names_for(graph, local, naming_of("android"))
    resolve, usual = graph.resolver(theme), graph.resolver(DEFAULT_THEME)
    for token in local:
        value = value_of(kind_of(token), resolve(token.key))
        if value is not None and value_of(kind_of(token), usual(token.key)) is not None:
            yield names[token.key], kind_of(token), value


def test_each_resource_by_day_and_at_night(subject, tmp_path, aapt2, counted):
    linked = aapt2(subject.write("android", tmp_path))
    by_name = {key.partition("/")[2]: key for key in linked}
    assert len(by_name) == len(linked), "a name stands for two resources"
    compared, differences = 0, []
    looks = [(folders, list(expectations(subject.graph, theme))) for folders, theme in day_and_night(subject.graph)]
    names = [{name for name, _, _ in expected} for _, expected in looks]
    complete = set.intersection(*names)
    # A device would show the value of the other look for a token without one.
    assert not {name for name in set.union(*names) - complete if name in by_name}
    for folders, expected in looks:
        for name, kind, value in expected:
            if kind == "duration" or name not in complete:
                continue
            compared += 1
            actual = dump_of(by_name.get(name, name), linked, folders)
            if actual is None or not shows(kind, value, actual):
                differences.append(f"{folders[0]} {name}: expected {value}, found {actual}")
    counted("android", "resources by default and at night", subject.name, compared, differences)


def dump_of(key, linked, folders):
    """What aapt2 shows for a resource where these folders apply, references followed."""
    for _ in range(100):
        values = linked.get(key, {})
        text = next((values[each] for each in folders if each in values), None)
        reference = REFERENCE.fullmatch(text or "")
        if reference is None:
            return text
        key = f"{reference[1]}/{reference[2]}"
    raise AssertionError(f"{key} is in a cycle")


def shows(kind, value, actual):
    """Whether a line of the dump is that value."""
    match kind:
        case "color":
            alpha, *channels = (each / 255 for each in bytes.fromhex(actual.removeprefix("#")))
            return same(value, ("color", *channels, alpha))
        case "boolean":
            return actual == ("true" if value[1] else "false")
        case "string":
            return actual == f'"{showable(value[1], UNREPRESENTABLE)}"'
        case "family":
            return actual == f'"{family_of(value[1])}"'
    match = _SHOWN.fullmatch(actual)
    return match is not None and match[2] in UNITS[value[2]] and near(pixels(value), Decimal(match[1]))


_FAMILIES = {
    "sans-serif": "sans-serif,system-ui,-apple-system,BlinkMacSystemFont,Roboto,SF Pro,SF Pro Text,SF Pro Display",
    "serif": "serif,ui-serif,Noto Serif",
    "monospace": "monospace,ui-monospace,SF Mono",
    "cursive": "cursive",
}
DEVICE_FAMILIES = {name.casefold(): android for android, names in _FAMILIES.items() for name in names.split(",")}
"""The families of /system/etc/fonts.xml, by the names that CSS and design files have for them."""


def family_of(names):
    """The one family that ``android:fontFamily`` takes: the first that devices have, or else the first."""
    known = [DEVICE_FAMILIES[name.casefold()] for name, _ in names if name.casefold() in DEVICE_FAMILIES]
    return next(iter(known), showable(names[0][0], UNREPRESENTABLE))


def pixels(value):
    return value[1] * PIXELS.get(value[2], 1)


def near(expected, actual):
    """Within the precision of the dump: a dimension has 24 bits, whose sign it shows as if it were one more of them."""
    wrapped = [actual - (1 << bits) for bits in SIGN_BITS] if expected < 0 <= actual else []
    return any(abs(expected - each) <= Decimal("1e-4") * max(1, abs(expected)) for each in (actual, *wrapped))


def test_each_decimal_as_written(subject, tmp_path, counted):
    everything = read(subject.write("android", tmp_path))
    by_name = {key[1]: key for values in everything.values() for key in values}
    compared, differences = 0, []
    for folders, theme in day_and_night(subject.graph):
        values = [everything.get(each, {}) for each in folders]
        for name, kind, value in expectations(subject.graph, theme):
            if value[0] != "number" or kind in ("boolean", "duration"):
                continue
            compared += 1
            actual = number(shown(by_name[name], *values)[1].text) if name in by_name else None
            exact = None if actual is None else (actual[1] == pixels(value), actual[2] in UNITS[value[2]])
            if exact != (True, True):
                differences.append(f"{folders[0]} {name}: expected {value}, found {actual}")
    counted("android", "decimals as written, by default and at night", subject.name, compared, differences)
