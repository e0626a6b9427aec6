"""The iOS output: the files that a change affects, hostile design files, options, and the names of a theme's types."""

import json
import re
import unicodedata

import pytest
from generate.targets.cases import CASES
from generate.targets.cases_ios import HIDING, HIDING_OPTIONS, combined, contrast, devices, groups, hidden, hiding
from generate.targets.composite_values import VALUES, composite_of
from generate.targets.hostile_graphs import hostile_graphs
from graphs import alias, collection, color, graph, key, token
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from outside.swift_module import SwiftModule
from outside.swift_names import of_type
from outside.swift_values import Catalog, Look, Seen, colorsets, seen_everywhere

from tokensync.generate.output import Resolution
from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets import code_references, generate
from tokensync.generate.targets.ios import IosOptions, IosTheme
from tokensync.tokens import DEFAULT_THEME, Color, ComposedColor, Theme, TokenGraph, float32
from tokensync.tokens.values import AS_TEXT

DARK, HIGH = Look(dark=True), Look(contrast=True)
EVERYTHING = ("swiftui", "uikit", "themes")
OPTIONS = st.sampled_from(
    [
        IosOptions(),
        IosOptions(also=EVERYTHING),
        IosOptions(also=EVERYTHING, nested="path", groups="path", namespace=True),
        IosOptions(also=EVERYTHING, colors="swift", weights="number", access="internal", color_space="display-p3"),
        IosOptions(also=("themes",), nested="collection", groups="collection", namespace=True, name="Design"),
    ]
)


def built(token_graph, **options):
    files, problems = generate(token_graph, OutputRequest(platform="ios", options=IosOptions(**options)))
    return dict(files), problems


def seen(files, look, structs=None, name="Tokens"):
    return Seen(SwiftModule(files, name), Catalog(colorsets(files)), look, structs)


def whole(text):
    """Return the text with U+FFFD for lone surrogates."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


@given(hostile_graphs(), OPTIONS)
def test_hostile_graphs_are_declared_once_and_read_back(token_graph, options):
    files, problems = generate(token_graph, OutputRequest(platform="ios", options=options))
    files = dict(files)
    assert len(problems) == len(set(problems))
    for path in files:
        assert re.fullmatch(r"[^\0/\\:]+(/[^\0/\\:]+)*", path)
        assert all(len(part.encode()) <= 255 for part in path.split("/"))
    assert len({unicodedata.normalize("NFC", path).casefold() for path in files}) == len(files)
    assert seen_everywhere(files, options.name)
    module = SwiftModule(files, options.name)
    assert len(module.constants) == len(token_graph.tokens)
    deprecated = sum(each.deprecated is not False for each in token_graph.tokens.values())  # may have two members
    assert not module.members or 0 <= len(module.members) - len(token_graph.tokens) <= deprecated
    shown = Seen(module, Catalog(colorsets(files)))
    resolve = token_graph.resolver(DEFAULT_THEME)
    references = code_references(Resolution(token_graph), OutputRequest(platform="ios", options=options))
    for one in token_graph.tokens.values():
        constant = next(each for each in references[one.key] if each.startswith(f"{options.name}."))
        name = constant.replace("`", "").removeprefix(f"{options.name}.")
        declared = module.constants[name]
        if one.type in ("string", "fontFamily"):
            assert shown.constant(name) == ("string", whole(resolve(one.key)))
        reason = one.deprecated if isinstance(one.deprecated, bool) else whole(one.deprecated)
        assert declared.deprecated == (reason or False)
        assert bool(declared.documentation) <= bool(one.description.strip())


def with_value(token_graph, name, *values):
    """Return the graph with other values for the token with that name."""
    tokens = [
        token(token_graph.collections[key[:2]], name, *values, type=each.type) if key.path == name else each
        for key, each in token_graph.tokens.items()
    ]
    return TokenGraph(token_graph.collections.values(), tokens)


def changed(before, after):
    """Return the number of changed lines by path."""
    assert set(before) == set(after)
    lines = {
        path: (before[path].splitlines(), after[path].splitlines()) for path in before if before[path] != after[path]
    }
    return {path: sum(one != other for one, other in zip(*both, strict=True)) for path, both in lines.items()}


def test_changing_one_colour_changes_its_colorset_and_those_that_follow_it():
    of = collection("Base")
    parts = [
        token(of, "ink", color("#000000")),
        token(of, "text", alias("Base", "ink")),
        token(of, "page", color("#ffffff")),
    ]
    before = graph(of, *parts)
    actual = changed(
        built(before, also=EVERYTHING)[0], built(with_value(before, "ink", color("#112233")), also=EVERYTHING)[0]
    )
    catalog = "Tokens.xcassets/%s.colorset/Contents.json"
    assert actual == {catalog % "ink": 3, catalog % "text": 3}


def test_changing_one_number_of_a_mode_changes_one_line():
    of = collection("Density", "Cosy", "Dense")
    before = graph(
        of, token(of, "gap", 8, 4, type="dimension"), token(of, "inset", alias("Density", "gap"), type="dimension")
    )
    options = {"also": ("themes",)}
    dense = changed(built(before, **options)[0], built(with_value(before, "gap", 8, 2), **options)[0])
    assert dense == {"DensityTokens.swift": 1}
    cosy = changed(built(before, **options)[0], built(with_value(before, "gap", 6, 4), **options)[0])
    assert cosy == {"Tokens.swift": 1}


def test_members_follow_the_choices_made_of_two_collections():
    """Brand and scheme refer to each other; every combination equals the graph."""
    files, _ = built(combined(), also=("themes",))
    actual = {
        (scheme, brand): seen(files, Look(), {"scheme": f"Scheme{scheme}Tokens", "brand": f"Brand{brand}Tokens"})
        for scheme in ("Light", "Dark")
        for brand in ("Harbor", "Island")
    }
    white, black, red = ("color", 1, 1, 1, 1), ("color", 0, 0, 0, 1), ("color", 1, 0, 0, 1)
    assert actual["Light", "Island"].member("link") == red
    assert actual["Dark", "Island"].member("link") == white
    assert actual["Light", "Island"].member("ink") == black
    assert actual["Dark", "Island"].member("ink") == white
    assert actual["Dark", "Harbor"].member("ink") == black
    assert actual["Light", "Island"].member("veil") == ("color", 1, 0, 0, 0.5)
    assert actual["Dark", "Island"].member("veil") == ("color", 1, 1, 1, 0.2)


@pytest.mark.parametrize("percentage", [150, -20])
def test_an_opacity_is_clamped_in_every_theme(percentage):
    """A factor above 1 would make a translucent colour more opaque, and the graph clamps it."""
    scheme, shares = collection("Scheme", "One", "Two"), collection("Shares", "Few", "Many")
    token_graph = graph(
        scheme,
        shares,
        token(shares, "share", 50, percentage, type="number", scopes=("OPACITY",)),
        token(scheme, "base", color("#1f6feb", 0.5), color("#ff0000", 0.5)),
        token(scheme, "referred", ComposedColor(alias("Scheme", "base"), alias("Shares", "share"))),
        token(scheme, "written", ComposedColor(alias("Scheme", "base"), float(percentage))),
    )
    theme = Theme("", ((scheme.key, 1), (shares.key, 1)))
    files, _ = built(token_graph, also=("themes",))
    actual = seen(files, Look(), {"scheme": "SchemeTwoTokens", "shares": "SharesManyTokens"})
    for name in ("referred", "written"):
        expected_value = token_graph.resolve(token_graph.tokens[key("Scheme", name)], theme)
        assert actual.member(name)[4] == pytest.approx(expected_value.alpha)


def test_a_choice_that_follows_the_system_also_has_the_systems_numbers():
    files, _ = built(combined(), also=("themes",))
    assert [float(seen(files, look).member("share")[1]) for look in (Look(), DARK)] == [0.4, 0.2]


@pytest.mark.parametrize("name", ["get", "set", "willSet", "did-set", "mutating", "init", "self"])
def test_a_choice_does_not_have_the_name_of_an_accessor(swift, name):
    of = collection(name, "Light", "Dark")
    files, _ = built(graph(of, token(of, "ink", 1.0, 2.0, type="number")), also=("themes",))
    source = files["TokensTheme.swift"].decode()
    swift(source)
    assert not re.search(r"\{ (get|set|willSet|didSet|mutating)\b", source)


@pytest.mark.parametrize("options", HIDING_OPTIONS)
def test_nothing_hides_what_the_generated_expressions_use(options):
    files, problems = built(hiding(), **options)
    module = SwiftModule(files)  # which refuses keywords without back-ticks, such as an enum Self
    names = {
        each.rpartition(".")[2] for each in (*module.constants, *module.members, *module.extended.get("ShapeStyle", ()))
    }
    if options["nested"] != "path" or options["also"]:  # constants nested by path are called double, and so on
        assert {f"{each}Token" for each in HIDING} <= names
    assert names.isdisjoint(HIDING)
    assert "self" not in module.choices
    assert len([each for each in problems if each.code == "identifier-collision"]) == len(HIDING)
    if options["nested"] == "collection":
        enums = re.findall(r"enum (\w+) \{", files["Tokens.swift"].decode())
        assert enums == ["Tokens", "SelfTokens", "TokensSupportTokens"]


def test_omitted_tokens_can_be_referred_to():
    _, request = CASES["ios/hidden-in-themes"]
    files, _ = generate(hidden(), request)
    two = seen(dict(files), Look(), {"core": "CoreTwoTokens"})
    assert two.member("text")[1:4] == pytest.approx((0x1F / 255, 0x6F / 255, 0xEB / 255))
    assert two.member("veil")[4] == pytest.approx(0.6)
    assert float(two.member("plainShare")[1]) == 60
    assert two.member("weight") == ("weight", 700)


def test_a_weight_that_refers_to_a_text_without_a_named_weight_is_a_number():
    of = collection("Type")
    token_graph = graph(
        of,
        token(of, "plain", "350", type="string"),
        token(of, "fine", alias("Type", "plain"), type=AS_TEXT),
        token(of, "bold", "Bold", type=AS_TEXT),
    )
    files, problems = generate(token_graph, OutputRequest(platform="ios"))
    source = dict(files)["Tokens.swift"].decode()
    assert "fine: CGFloat = 350" in source
    assert "bold: CGFloat = 700" in source
    assert problems == ()


def test_the_weights_of_a_group_have_one_type():
    of = collection("Type", "Calm", "Loud")
    weights = {"text/plain": (400, 400), "text/strong": (700, 650), "title/plain": (400, 400), "alone": (700, 700)}
    files = files_of(graph(of, *(token(of, name, *each, type="fontWeight") for name, each in weights.items())))
    assert dict(re.findall(r"let (\w+): ([\w.]+) =", files["Tokens.swift"])) == {
        "textPlain": "CGFloat",
        "textStrong": "CGFloat",
        "titlePlain": "Font.Weight",
        "alone": "Font.Weight",
    }


def test_a_text_style_refers_to_a_weight_that_is_a_number():
    token_graph, request = CASES["ios/composite-references"]
    texts = []
    for weights in ("named", "number"):
        files, _ = generate(token_graph, structs.replace(request, options=IosOptions(weights=weights)))
        texts.append(re.findall(r"\bweight: (\w+)", dict(files)["Tokens.swift"].decode()))
    assert texts == [["700"], ["bold"]]


def test_each_appearance_shows_its_colour_with_a_minimum_of_entries():
    files, _ = built(contrast())
    sets = colorsets(files)
    assert {name: len(each["colors"]) for name, each in sets.items()} == {
        "all": 4,
        "none": 1,
        "scheme": 2,
        "contrast": 2,
        "both": 2,
        "alike": 3,
    }
    both = Look(dark=True, contrast=True)
    assert [Catalog(sets).color("alike", each)[1] for each in (DARK, HIGH, both)] == [0, 0, 0]
    assert Catalog(sets).color("both", both)[1] == 0


@pytest.mark.parametrize("colors", ["catalog", "swift"])
def test_the_numbers_of_a_display_p3_file_stay_in_that_space(colors):
    of = collection("Base")
    lime = Color(0.0, float32(0.9857637), float32(0.15974244), 1.0, "display-p3 0 1 0")
    files, _ = built(graph(of, token(of, "red", RED), token(of, "lime", lime)), colors=colors, profile="display-p3")
    if colors == "swift":
        channels = re.findall(r"red: ([.0-9]+), green: ([.0-9]+), blue: ([.0-9]+)", files["Tokens.swift"].decode())
        assert files["Tokens.swift"].decode().count("(.displayP3,") == 2
    else:
        spaces_and_channels = [each["colors"][0]["color"] for each in colorsets(files).values()]
        assert {each["color-space"] for each in spaces_and_channels} == {"display-p3"}
        channels = [[each["components"][name] for name in ("red", "green", "blue")] for each in spaces_and_channels]
    texts = {"0x00": "0", "0xFF": "1", "0.000": "0", "1.000": "1"}
    assert sorted(tuple(texts.get(part, part) for part in each) for each in channels) == [
        ("0", "1", "0"),
        ("1", "0", "0"),
    ]


def test_a_colour_of_eight_bits_is_written_as_a_designer_reads_it():
    of = collection("Base")
    files, _ = built(graph(of, token(of, "brand", color("#1f6feb", 0.5)), token(of, "between", Color(0.0, 1.0, 0.5))))
    shown = {name: each["colors"][0]["color"]["components"] for name, each in colorsets(files).items()}
    assert shown["brand"] == {"red": "0x1F", "green": "0x6F", "blue": "0xEB", "alpha": "0.500"}
    assert shown["between"] == {"red": "0.000", "green": "1.000", "blue": "0.500", "alpha": "1.000"}


@pytest.mark.parametrize("space", ["srgb", "display-p3"])
def test_each_component_has_a_decimal_point(space):
    """Xcode reads a component without a point as a byte: "1" would be 1/255."""
    of = collection("Base")
    shades = [Color(0.0, 1.0, 0.5), Color(float32(1 / 255), float32(1e-7), float32(0.1), float32(0.25))]
    token_graph = graph(of, *(token(of, f"shade {at}", each) for at, each in enumerate(shades)))
    files, _ = built(token_graph, color_space=space)
    texts = [
        text
        for document in colorsets(files).values()
        for entry in document["colors"]
        for text in entry["color"]["components"].values()
    ]
    assert len(texts) == 8
    assert all(re.fullmatch(r"[01]\.[0-9]{3,}", each) for each in texts), texts
    if space == "srgb":
        assert {"0.000", "1.000", "0.500", "0.250", "0.0000001", "0.003921569"} <= set(texts)
        assert Catalog(colorsets(files)).color("shade0", Look()) == ("color", 0, 1, 0.5, 1)


@pytest.mark.parametrize("colors", ["catalog", "swift"])
@pytest.mark.parametrize("make", [combined, contrast, hidden])
def test_closures_that_the_system_stores_are_sendable(swift, make, colors):
    """SwiftUI calls them on another thread, where a closure of the main actor (the default in some targets) traps."""
    files, _ = built(make(), also=EVERYTHING, colors=colors)
    kept = []
    for path, content in files.items():
        for closure in of_type(swift(content), "lambda_literal") if path.endswith(".swift") else ():
            called = closure.parent.parent.children[0].text.decode()
            if not called.endswith((".map", ".flatMap")):  # which call it at once
                kept.append((path, called, closure.children[1].text.decode()))
    assert kept == [("TokensSupport.swift", each, "@Sendable") for each in ("NSColor", "UIColor")]


def test_devices_show_their_own_entries():
    files, problems = generate(*CASES["ios/devices"])
    catalog = Catalog(colorsets(dict(files)))
    grey, black, white = (0x77 / 255,) * 3, (0, 0, 0), (1, 1, 1)
    assert catalog.color("surface", Look(idiom="ipad"))[1:4] == pytest.approx(grey, abs=1e-6)
    assert catalog.color("surface", Look(dark=True, idiom="ipad"))[1:4] == pytest.approx(grey, abs=1e-6)
    assert catalog.color("surface", Look(idiom="tv"))[1:4] == black
    assert [catalog.color("surface", each)[1:4] for each in (Look(), DARK)] == [white, black]
    assert [each.code for each in problems] == ["theme-unknown", "theme-unsupported"]


def test_modes_of_excluded_themes_are_not_reported():
    token_graph = devices()
    output_request = OutputRequest(platform="ios", options=IosOptions(colors="swift"))
    assert "theme-unsupported" in {each.code for each in generate(token_graph, output_request)[1]}
    without = structs.replace(output_request, exclude=Selection(themes=("*",)))
    assert "theme-unsupported" not in {each.code for each in generate(token_graph, without)[1]}


def test_a_theme_can_be_excluded_from_appearances_despite_its_name():
    files, _ = built(contrast(), themes={"scheme/dark": IosTheme(appearance="none")})
    catalog = Catalog(colorsets(files))
    assert catalog.color("scheme", DARK) == catalog.color("scheme", Look())


def test_a_namespace_is_part_of_a_colours_name():
    files, _ = built(groups(), groups="collection", namespace=True)
    assert set(colorsets(files)) == {
        *("BrandColours/textOnAccentStrong", "BrandColours/textMuted", "BrandColours/page", "Components/buttonLabel")
    }
    assert 'Color("BrandColours/page", bundle: .tokensBundle)' in files["Tokens.swift"].decode()
    info = {"author": "tokensync", "version": 1}
    folders = {path: json.loads(each) for path, each in files.items() if path.endswith("/Contents.json")}
    symbols = {"generate-swift-asset-symbol-extensions": "disabled"}
    assert folders["Tokens.xcassets/Contents.json"] == {"info": info, "properties": symbols}
    namespace = {"info": info, "properties": {"provides-namespace": True}}
    assert folders["Tokens.xcassets/BrandColours/Contents.json"] == namespace


@pytest.mark.parametrize(
    ("also", "is_off"), [((), False), (("themes",), False), (("swiftui",), True), (("uikit",), True)]
)
def test_the_catalog_turns_the_members_of_xcode_off_where_swift_declares_the_same_ones(also, is_off):
    files, _ = built(groups(), also=also)
    root = json.loads(files["Tokens.xcassets/Contents.json"])
    assert (root.get("properties") == {"generate-swift-asset-symbol-extensions": "disabled"}) is is_off


def test_comments_have_the_values_of_colours_if_wanted():
    token_graph = graph(
        of := collection("Scheme", "Light", "Dark"),
        token(of, "page", color("#ffffff"), color("#0d1117"), description="Behind everything."),
        token(of, "veil", color("#1f6feb", 0.5), color("#1f6feb", 0.5)),
    )
    files, _ = built(token_graph, comments="value")
    constants = files["Tokens.swift"].decode()
    assert (
        "    /// Behind everything.\n    ///\n    /// #FFFFFF, dark: #0D1117\n    public static var page" in constants
    )
    assert "    /// #1F6FEB at 50 %\n    public static var veil" in constants
    assert "    /// #1F6FEB at 50 %\n    public static var veil" in files["Color+Tokens.swift"].decode()


def test_colours_with_the_same_symbol_in_xcode_are_reported():
    of = collection("Base")
    names = ("text", "text/color", "color", "buttoncolor", "button", "card_number", "card/number/image")
    files, problems = built(graph(of, *(token(of, name, color("#000000")) for name in names)))
    assert {"textColor", "color", "buttoncolor"} <= colorsets(files).keys()
    reported = [each for each in problems if each.code == "asset-symbol"]
    assert [each.where for each in reported] == ["Base / text/color", "Base / card/number/image"]
    assert "the assets text and textColor" in reported[0].what
    assert [each for each in built(graph(of, token(of, "color", RED)), colors="swift")[1] if each.code] == []


SYMBOLS = {
    "AccentColor": "accent",
    "CLR_LAUNCH_SCREEN_COLOR": "CLR_LAUNCH_SCREEN",
    "GradientColor3": "gradientColor3",
    "TrackerDateLabelTextColor": "trackerDateLabelText",
    "accent_color1": "accentColor1",
    "backgroundImage": "background",
    "btn_color": "btn",
    "btn_color_disable": "btnColorDisable",
    "color": "color",
    "colorSurface": "colorSurface",
    "emoji_1": "emoji1",
    "hint_text_color": "hintText",
    "icon_more_arrow": "iconMoreArrow",
    "mainBackgroundColor": "mainBackground",
    "mainBackgroundColor2": "mainBackgroundColor2",
    "textBlue": "textBlue",
    "textColor": "text",
    "widget_bg_color": "widgetBg",
}
"""Names of assets, and the symbols in files GeneratedAssetSymbols.swift of public apps, which Xcode 15 and 16 wrote."""


def test_the_symbols_of_assets_are_those_that_xcode_writes():
    """An asset with the name of the symbol has it, too, so each second one is reported; none of the others are."""

    def reported(*names):
        of = collection("Base")
        tokens = [token(of, f"t{at}", RED, code_syntax=(("iOS", name),)) for at, name in enumerate(names)]
        files, problems = built(graph(of, *tokens))
        assert set(colorsets(files)) == set(names)
        return [each.where for each in problems if each.code == "asset-symbol"]

    assert reported(*SYMBOLS) == []
    for asset, symbol in SYMBOLS.items():
        if asset.lower() != symbol.lower():  # others would be one folder
            assert reported(asset, symbol) == ["Base / t1"], asset


def test_a_colour_is_a_member_by_default_under_the_name_of_its_constant():
    files, _ = built(groups())
    text = files["Color+Tokens.swift"].decode()
    assert text.count("    public static var page: Color { Tokens.page }\n") == 1
    assert "Color+Tokens.swift" not in built(groups(), also=("themes",))[0]


def test_a_long_chain_of_groups_does_not_make_a_path_too_long():
    of = collection("Base")
    files, _ = built(graph(of, token(of, "/".join("group" * 30 for _ in range(2000)), color("#000000"))), groups="path")
    assert max(map(len, files)) < 600


def test_devices_are_left_to_the_catalog():
    """Swift cannot query the device when it displays a colour, so device themes are reported."""
    _, problems = built(devices(), colors="swift", themes={"device/tablet": IosTheme(idiom="ipad")})
    assert any("Tablet" in str(each) for each in problems)


RED, BLUE = color("#ff0000"), color("#0000ff")


def files_of(token_graph, **options):
    files, _ = generate(token_graph, OutputRequest(platform="ios", options=IosOptions(**options)))
    return {path: content.decode() for path, content in files if path.endswith(".swift")}


@pytest.mark.parametrize(
    ("extension", "struct"),
    [("Theme / Islander", "ThemeIslanderLightTokens"), ("Islander", "ThemeIslanderLightTokens")],
)
def test_a_struct_does_not_repeat_the_name_of_its_collection(extension, struct):
    theme = collection("Theme", "Light", "Dark", extensions=[(extension, "Theme")])
    token_graph = graph(theme, token(theme, "accent", RED, BLUE, BLUE, RED))
    assert f"public struct {struct}: ThemeTokens" in files_of(token_graph, also=("themes",))["ThemeTokens.swift"]


@pytest.mark.parametrize(("access", "wanted"), [("public", 6), ("package", 6), ("internal", 0)])
def test_an_app_can_make_its_own_values_of_the_types(access, wanted):
    """Swift's implicit initialiser is internal, so other modules need an explicit one."""
    of = collection("Base")
    token_graph = graph(of, token(of, "low", composite_of(VALUES["shadow"]), type="shadow"))
    styles = files_of(token_graph, access=access)["TokensStyles.swift"]
    assert len(re.findall(rf"^ +{access} init\(", styles, re.MULTILINE)) == wanted
    assert (styles.count(" init(layers:") == 1) is bool(wanted)


def test_a_member_with_literals_for_a_cycle_is_optional_only_where_it_has_no_value():
    """The combination of choices forms a cycle, so both members are literals without references to missing values."""
    tone, size = collection("Tone", "Soft", "Loud"), collection("Size", "Small", "Large")
    token_graph = graph(
        tone,
        size,
        token(tone, "first", alias("Size", "gone"), alias("Size", "second"), type="number"),
        token(size, "second", 2, alias("Tone", "first"), type="number"),
        token(size, "gone", 3, None, type="number"),
        token(tone, "follower", alias("Size", "gone"), 5, type="number"),
    )
    files = files_of(token_graph, also=("themes",))
    types = dict(re.findall(r"var (\w+): (CGFloat\??) ", files["TokensTheme.swift"]))
    assert types == {"first": "CGFloat", "second": "CGFloat?", "gone": "CGFloat?", "follower": "CGFloat?"}
    assert "case .first: return 2\n" in files["ToneTokens.swift"]
