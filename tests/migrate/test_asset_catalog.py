"""Color sets of asset catalogs: one oddity each, the wanted tokens by hand, counts by json."""

import json
from pathlib import PurePosixPath

import coloraide
import pytest
from migrate.stylesheet_sources import notes, reasons, tables, themes
from optional import needs_json5

from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import propose
from tokensync.migrate.readers import asset_catalog
from tokensync.migrate.source import Location, Source

X = "App/Colors.xcassets/x.colorset/Contents.json"
NAMESPACE = b'{"info": {"version": 1}, "properties": {"provides-namespace": true}}'
FOLDER = b'{"info": {"version": 1}}'


def color(*components: object, space: str = "srgb", alpha: object = "1.000") -> dict:
    names = ("red", "green", "blue") if len(components) == 3 else ("white",)
    return {"color-space": space, "components": {**dict(zip(names, components, strict=True)), "alpha": alpha}}


def entry(what: dict | None, *appearances: tuple[str, str], **members: str) -> dict:
    found: dict = {"idiom": "universal", **{name.replace("_", "-"): value for name, value in members.items()}}
    if what is not None:
        found["color"] = what
    if appearances:
        found["appearances"] = [{"appearance": name, "value": value} for name, value in appearances]
    return found


def contents(*entries: object) -> bytes:
    return json.dumps({"colors": list(entries), "info": {"author": "xcode", "version": 1}}, indent=2).encode()


def read_set(*entries: object) -> Source:
    return asset_catalog.read({X: contents(*entries)})


WHITE, BLACK = color("1.000", "1.000", "1.000"), color("0.000", "0.000", "0.000")
WANTED_WHITE = {"colorSpace": "srgb", "components": [1.0, 1.0, 1.0], "alpha": 1.0}
WANTED_BLACK = {"colorSpace": "srgb", "components": [0.0, 0.0, 0.0], "alpha": 1.0}

COMPONENTS = {
    "fractions": (color("0.200", "0.400", "1.000"), "srgb", [0.2, 0.4, 1.0], 1.0),
    "hexadecimal": (color("0x33", "0x66", "0xFF"), "srgb", [0.2, 0.4, 1.0], 1.0),
    "bytes": (color("51", "102", "255"), "srgb", [0.2, 0.4, 1.0], 1.0),
    "mixed": (color("0x33", "0.4", "255"), "srgb", [0.2, 0.4, 1.0], 1.0),
    "numbers": (color(0.2, 0.4, 1, alpha=0.5), "srgb", [0.2, 0.4, 1.0], 0.5),
    "ones": (color("1", "0", "1"), "srgb", [1.0, 0.0, 1.0], 1.0),
    "a byte of one": (color("1", "0", "255"), "srgb", [1 / 255, 0.0, 1.0], 1.0),
    "an exponent": (color("2e-1", "0.4", "1.0"), "srgb", [0.2, 0.4, 1.0], 1.0),
    "a wide gamut": (color("1.000", "0.000", "0.000", space="display-p3"), "display-p3", [1.0, 0.0, 0.0], 1.0),
    "extended": (color("0.2", "0.4", "1.0", space="extended-srgb"), "srgb", [0.2, 0.4, 1.0], 1.0),
    "linear": (color("0.2", "0.4", "1.0", space="extended-linear-srgb"), "srgb-linear", [0.2, 0.4, 1.0], 1.0),
    "alpha": (color("0.2", "0.4", "1.0", alpha="0.15"), "srgb", [0.2, 0.4, 1.0], 0.15),
    "alpha of one": (color("51", "102", "255", alpha="1"), "srgb", [0.2, 0.4, 1.0], 1.0),
    "gray at an end": (color("1.000", space="gray-gamma-22"), "srgb", [1.0, 1.0, 1.0], 1.0),
}


@pytest.mark.parametrize(("written", "space", "components", "alpha"), COMPONENTS.values(), ids=COMPONENTS)
def test_components_are_read_in_every_notation_of_xcode(written, space, components, alpha):
    (token,) = read_set(entry(written)).sets[0].tokens
    assert token.value["colorSpace"] == space
    assert token.value["components"] == pytest.approx(components)
    assert token.value["alpha"] == alpha
    assert (token.type, token.at, token.code_syntax) == ("color", Location(X, 3), (("iOS", 'Color("x")'),))


def test_a_gray_is_close_to_that_of_coloraide():
    (token,) = read_set(entry(color("0.500", space="gray-gamma-22"))).sets[0].tokens
    linear = coloraide.Color("srgb-linear", [0.5**2.2] * 3).convert("srgb")
    assert token.value["components"] == pytest.approx(linear.coords(), abs=1e-6)


def test_components_out_of_range_are_a_colour_of_css_that_others_can_convert():
    (token,) = read_set(entry(color("1.1", "-0.2", "0.0", space="extended-srgb"))).sets[0].tokens
    assert token.value == "color(srgb 1.1 -0.2 0 / 1)"
    assert coloraide.Color(token.value).coords() == pytest.approx([1.1, -0.2, 0])


REPORTED = {
    "no colour": (entry(None), "no colour was chosen for it"),
    "a system colour": (entry({"platform": "ios", "reference": "labelColor"}), "labelColor is a colour of the system"),
    "no components": (entry({"color-space": "srgb"}), "its colour has no colour space or no components"),
    "an unknown space": (entry(color("0", "0", "0", space="cmyk")), "the colour space 'cmyk' is unknown"),
    "a missing component": (
        entry({"color-space": "srgb", "components": {"red": "0"}}),
        "its component 'green' is missing",
    ),
    "a text": (entry(color("a", "0", "0")), "its component 'a' is not a number"),
    "a byte too large": (entry(color("256", "0", "0")), "its component 256 is more than 255"),
    "an alpha too large": (entry(color("0", "0", "0", alpha="2")), "its alpha is 2, which is not between 0 and 1"),
    "infinity": (entry(color(float("inf"), 0, 0)), "its component 'Infinity' is not a number"),
    "a boolean": (entry(color(True, 0, 0)), "its component 'red' is missing"),
    "no object": ("x", "the entry is not an object"),
    "an appearance without a name": (
        entry(WHITE, ("", "dark")),
        "one of its appearances, idioms or gamuts has no name",
    ),
    "appearances that are no list": ({**entry(WHITE), "appearances": {}}, "its appearances are not a list of objects"),
}


@needs_json5
@pytest.mark.parametrize(("written", "reason"), REPORTED.values(), ids=REPORTED)
def test_entries_without_a_colour_are_reported_with_their_line(written, reason):
    source = read_set(entry(WHITE), written)
    assert reasons(source)["x"].startswith(reason)
    lines = contents(entry(WHITE), written).decode().splitlines()
    assert source.unread[0].at.line > lines.index("    },") + 1
    assert tables(source) == {"base": {"x": WANTED_WHITE}}
    assert source.read == 2


DARK, HIGH = ("luminosity", "dark"), ("contrast", "high")


def test_appearances_are_modes_and_their_combinations_too():
    source = read_set(entry(WHITE), entry(BLACK, DARK), entry(WHITE, HIGH), entry(BLACK, DARK, HIGH))
    assert tables(source) == {
        "appearance + contrast/light": {"x": WANTED_WHITE},
        "appearance + contrast/dark": {"x": WANTED_BLACK},
        "appearance + contrast/high": {"x": WANTED_WHITE},
        "appearance + contrast/dark high": {"x": WANTED_BLACK},
    }
    assert list(themes(source)) == [
        "appearance + contrast: light",
        "appearance + contrast: dark",
        "appearance + contrast: high",
        "appearance + contrast: dark high",
    ]


MODES = [
    ({"idiom": "ipad"}, "idiom", "default", "ipad"),
    ({"display_gamut": "display-P3"}, "gamut", "default", "display-P3"),
    ({"idiom": "universal", "subtype": "mac-catalyst"}, "subtype", "default", "mac-catalyst"),
]


@pytest.mark.parametrize(("members", "dimension", "default", "mode"), MODES)
def test_devices_and_gamuts_are_modes(members, dimension, default, mode):
    source = read_set(entry(WHITE), entry(BLACK, **members))
    assert tables(source) == {f"{dimension}/{default}": {"x": WANTED_WHITE}, f"{dimension}/{mode}": {"x": WANTED_BLACK}}


def test_light_is_the_default_and_replaces_any():
    source = read_set(entry(WHITE), entry(BLACK, ("luminosity", "light")), entry(BLACK, DARK))
    assert tables(source) == {"appearance/light": {"x": WANTED_BLACK}, "appearance/dark": {"x": WANTED_BLACK}}
    assert reasons(source) == {"x": f"{X}:{line_of_second()} replaces it in the same mode"}


def line_of_second() -> int:
    lines = contents(entry(WHITE), entry(BLACK, ("luminosity", "light"))).decode().splitlines()
    return [number for number, line in enumerate(lines, 1) if line == "    {"][1]


def test_a_missing_appearance_is_not_filled():
    files = {
        X: contents(entry(WHITE), entry(BLACK, DARK)),
        X.replace("/x.", "/y."): contents(entry(BLACK, DARK)),
        X.replace("/x.", "/z."): contents(entry(WHITE)),
    }
    assert tables(asset_catalog.read(files)) == {
        "base": {"z": WANTED_WHITE},
        "appearance/light": {"x": WANTED_WHITE},
        "appearance/dark": {"x": WANTED_BLACK, "y": WANTED_BLACK},
    }


def test_namespaces_are_groups_and_other_folders_are_not():
    catalog = PurePosixPath("A.xcassets")
    files = {
        str(catalog / "Contents.json"): FOLDER,
        str(catalog / "Brand/Contents.json"): NAMESPACE,
        str(catalog / "Brand/Deep/Contents.json"): FOLDER,
        str(catalog / "Brand/Deep/a.colorset/Contents.json"): contents(entry(WHITE)),
        str(catalog / "Plain/b.colorset/Contents.json"): contents(entry(WHITE)),
        "Odd name.colorset/Contents.json": contents(entry(WHITE)),
        "Sub/B.xcassets/Contents.json": NAMESPACE,
        "Sub/B.xcassets/c.colorset/Contents.json": contents(entry(WHITE)),
    }
    source = asset_catalog.read(files)
    assert [(token.name, token.code_syntax) for _, token in source.tokens()] == [
        (("Brand", "a"), (("iOS", 'Color("Brand/a")'),)),
        (("b",), (("iOS", 'Color("b")'),)),
        (("Odd name",), ()),
        (("c",), (("iOS", 'Color("c")'),)),
    ]


def test_a_name_in_two_catalogs_is_reported_unless_its_colours_are_equal():
    other = X.replace("Colors", "Other")
    equal = asset_catalog.read({X: contents(entry(WHITE)), other: contents(entry(WHITE))})
    counts = convert(equal, propose(equal), "file").ledger.counts
    assert (counts.tokens_read, counts.tokens_migrated, reasons(equal)) == (2, 2, {})
    source = asset_catalog.read({X: contents(entry(WHITE)), other: contents(entry(BLACK))})
    assert reasons(source) == {"x": "App/Other.xcassets/x.colorset/Contents.json:3 replaces it in the same mode"}
    assert source.read == 2


BROKEN = {
    "cut off": b'{"colors": [',
    "empty": b"",
    "a list": b"[]",
    "no colors": b'{"info": {}}',
    "an empty list": b'{"colors": []}',
    "not UTF-8": b"\xff\xff\xff",
    "LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:0",
    "deep": b'{"colors": ' + b"[" * 5000,
}


@needs_json5
@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_broken_files_are_reported_and_the_others_read(content):
    good = X.replace("/x.", "/y.")
    source = asset_catalog.read({X: content, good: contents(entry(WHITE))})
    assert tables(source) == {"base": {"y": WANTED_WHITE}}
    assert [each.at.file for each in source.unread] == [X]
    assert source.read == 1


@needs_json5
def test_every_entry_is_a_token_or_reported():
    """Entries are counted by json, over all oddities of this page."""
    written = [each for each, *_ in COMPONENTS.values()]
    files = {X.replace("/x.", f"/c{number}."): contents(entry(each)) for number, each in enumerate(written)}
    files |= {X.replace("/x.", f"/r{number}."): contents(each) for number, (each, _) in enumerate(REPORTED.values())}
    counted = sum(len(json.loads(content)["colors"]) for content in files.values())
    assert asset_catalog.read(files).read == counted == len(COMPONENTS) + len(REPORTED)


def test_only_color_sets_are_recognized():
    assert asset_catalog.recognized({X: b""})
    assert not asset_catalog.recognized({X.replace("colorset", "imageset"): b"{}", "Contents.json": b"{}"})
    assert notes(asset_catalog.read({"a.json": b"{}"})) == {}
