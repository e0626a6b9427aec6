"""Android resources: qualifiers, hostile texts, the lines that a change affects, and edge cases of kinds."""

import re

import pytest
from corpus.read_android import string
from generate.targets.android_devices import read_folders
from generate.targets.changes import changed_lines
from generate.targets.composite_values import VALUES, composite_of
from generate.targets.hostile_graphs import hostile_graphs
from graphs import alias, collection, color, graph, token
from hypothesis import given
from lxml import etree

from tokensync.generate.naming import names_for
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate, naming_of
from tokensync.generate.targets.android.qualifiers import ANY, best, merged, qualifiers, suits
from tokensync.project.configuration import parse_config, typed_options
from tokensync.system.errors import ProblemsError
from tokensync.tokens import ComposedColor, Quantity

BLACK, WHITE, RED, BLUE = color("#000000"), color("#ffffff"), color("#ff0000"), color("#0000ff")
LONG = "mcc310-mnc004-de-rAT-ldrtl-sw600dp-w720dp-h1024dp-large-long-round-widecg-highdr-land-watch-night-xhdpi"


def files_of(token_graph, **options):
    files, _ = generate(token_graph, OutputRequest(platform="android", options=typed_options("android", options)))
    return {path: content.decode() for path, content in files}


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("", "values"),
        ("night", "values-night"),
        (
            "mcc310-mnc004-de-rAT-ldrtl-sw600dp-w720dp-h1024dp-large-long-round-widecg-highdr-land-watch-night-xhdpi",
            None,
        ),
        ("b+sr+Latn-night-v31", None),
        ("car", "values-car"),
        ("es-rUS", None),
    ],
)
def test_qualifiers_are_read_as_they_are_written(text, folder):
    assert qualifiers(text).folder == (folder or f"values-{text}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("night-sw600dp", "requires another order of these qualifiers; write 'sw600dp-night'"),
        ("sw600", "'sw600' is not an Android resource qualifier"),
        ("night-notnight", "'night' and 'notnight' are qualifiers of the same dimension"),
        ("tablet", "'tablet' is not an Android resource qualifier"),
        ("night ", "'night ' is not an Android resource qualifier"),
        ("values-night", "'values' is not an Android resource qualifier"),
        ("de-rde", "'rde' is not an Android resource qualifier|'de' and 'rde' are"),
        ("-night", "'' is not an Android resource qualifier"),
        ("640x480", "'640x480' is not an Android resource qualifier"),
    ],
)
def test_an_invalid_qualifier_is_reported_with_the_reason(text, message):
    with pytest.raises(ValueError, match=message):
        qualifiers(text)


def test_a_wrong_qualifier_is_a_problem_of_the_configuration_with_its_location():
    text = """\
[[outputs]]
platform = "android"
path = "res"
[outputs.options.themes."density/tablet"]
qualifier = "night-sw600dp"
"""
    with pytest.raises(ProblemsError) as raised:
        parse_config(text.encode(), "tokensync.toml")
    (problem,) = raised.value.problems
    where = "tokensync.toml:5:1 (#/outputs/0/options/themes/density~1tablet/qualifier)"
    assert (problem.code, problem.where) == ("config-invalid", where)
    assert "sw600dp-night" in problem.what


@pytest.mark.parametrize(
    ("folders", "device", "expected"),
    [
        # The example of the documentation, "How Android finds the best-matching resource".
        (["", "en", "fr-rCA", "en-port", "en-notouch-12key", "port-ldpi", "port-notouch-12key"], "", "en-port"),
        (["", "sw600dp", "night"], "sw600dp-night", "sw600dp"),
        (["", "sw600dp", "sw840dp"], "sw900dp", "sw840dp"),
        (["", "sw600dp"], "sw599dp", ""),
        (["w600dp", "h900dp"], "w700dp-h1000dp", "h900dp"),
        (["w600dp-h500dp", "w800dp"], "w900dp-h600dp", "w600dp-h500dp"),
        (["", "de", "de-rAT"], "de-rAT", "de-rAT"),
        (["", "de", "de-rAT"], "de-rCH", "de"),
        (["", "sr", "b+sr+Latn"], "b+sr+Latn+RS", "b+sr+Latn"),
        (["", "small"], "normal", ""),
        (["", "small"], "small", "small"),
        (["", "large", "xlarge"], "large", "large"),
        (["", "normal"], "large", "normal"),
        (["", "xhdpi"], "xxhdpi", "xhdpi"),
        (["", "xhdpi"], "ldpi", ""),
        (["hdpi", "xxhdpi"], "xhdpi", "xxhdpi"),
        (["", "xhdpi", "anydpi"], "xhdpi", "anydpi"),
        (["", "keysexposed", "keyssoft"], "keyssoft", "keyssoft"),
        (["", "keysexposed"], "keyssoft", "keysexposed"),
        (["", "v21", "v31"], "v30", "v21"),
        (["night"], "notnight", None),
    ],
)
def test_a_device_uses_the_folder_that_android_chooses(folders, device, expected):
    device_qualifiers = qualifiers(device or "en-rGB-port-hdpi-notouch-12key")
    chosen = best(map(qualifiers, folders), device_qualifiers)
    assert (None if chosen is None else chosen.text) == expected


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("night", "sw600dp", "sw600dp-night"),
        ("sw600dp", "sw840dp", "sw840dp"),
        ("de", "de-rAT", "de-rAT"),
        ("de-rAT", "de-rCH", None),
        ("night", "notnight", None),
        ("hdpi", "xhdpi", None),
        ("v31", "", "v31"),
    ],
)
def test_merged_qualifiers_match_the_devices_of_both_folders(one, other, both):
    for first, second in ((one, other), (other, one)):
        actual = merged(qualifiers(first), qualifiers(second))
        assert (None if actual is None else actual.text) == both
        assert actual is None or (suits(qualifiers(first), actual) and suits(qualifiers(second), actual))


@given(hostile_graphs())
def test_hostile_texts_read_back_under_all_options(token_graph):
    """Each file is XML with one element per token, and one attribute per token that varies; strings are unchanged."""
    for brands in ("none", "styles", "source-sets"):
        files = files_of(token_graph, brands=brands, layout="collections")
        for content in files.values():
            etree.fromstring(content.encode())
        values, _ = read_folders(files.items() if brands != "source-sets" else [])
        if brands == "none":
            tokens = list(token_graph.tokens.values())
            names, _ = names_for(token_graph, tokens, naming_of("android"))
            assert sorted(values[""]) == sorted(names.values())
            for each in tokens:
                if each.type == "string":
                    expected = re.sub("[\0\ud800-\udfff]", "\ufffd", each.values[0])
                    assert string(values[""][names[each.key]]) == expected


def scheme_of(accent=BLACK, *, added=(), night=WHITE):
    scheme = collection("Scheme", "Light", "Dark", "Brand B")
    return graph(
        scheme,
        token(scheme, "accent", accent, night, RED),
        token(scheme, "link", alias("Scheme", "accent")),
        token(scheme, "other", RED),
        *(token(scheme, each, RED) for each in added),
    )


@pytest.mark.parametrize("brands", ["none", "styles", "source-sets"])
def test_changing_one_variable_changes_only_its_line(brands):
    before, after = files_of(scheme_of(), brands=brands), files_of(scheme_of(BLUE), brands=brands)
    assert before.keys() == after.keys()
    (lines,) = [changed_lines(before[path], after[path]) for path in before if before[path] != after[path]]
    assert lines == ['-    <color name="accent">#FF000000</color>', '+    <color name="accent">#FF0000FF</color>']


def test_changing_a_night_value_changes_only_that_folder():
    before, after = files_of(scheme_of()), files_of(scheme_of(night=RED))
    assert [path for path in before if before[path] != after[path]] == ["values-night/colors.xml"]
    assert files_of(scheme_of(night=BLACK)).keys() == {"values/colors.xml"}


def test_a_new_variable_adds_its_own_lines():
    before, after = files_of(scheme_of(), brands="styles"), files_of(scheme_of(added=("new",)), brands="styles")
    changed = {path: changed_lines(before[path], after[path]) for path in before if before[path] != after[path]}
    assert changed == {"values/colors.xml": ['+    <color name="new_">#FFFF0000</color>']}


def test_a_weight_that_is_a_fraction_in_a_combination_of_modes_is_a_number():
    """In each mode of its own family it is an integer."""
    one, two = collection("One", "Light", "Dark"), collection("Two", "Light", "Dark")
    token_graph = graph(
        one,
        two,
        token(one, "weight", 400, alias("Two", "any"), type="fontWeight"),
        token(two, "any", 500, 450.5, type="number"),
    )
    files = files_of(token_graph)
    assert '<item name="weight" type="dimen" format="float">400</item>' in files["values/numbers.xml"]
    assert "values/integers.xml" not in files


@pytest.mark.parametrize(
    ("wait", "text"),
    [
        (Quantity(200.0, "ms"), "200"),
        (Quantity(0.25, "s"), "250"),
        (Quantity(1.5, "ms"), "2"),
        (Quantity(3e6, "s"), None),
    ],
)
def test_a_duration_is_whole_milliseconds(wait, text):
    of = collection("Base")
    files = files_of(graph(of, token(of, "wait", wait, type="duration")))
    assert (f">{text}<" in files["values/integers.xml"]) if text else files == {}


@pytest.mark.parametrize("brands", ["none", "styles", "source-sets"])
def test_a_token_with_an_unsupported_default_value_is_omitted_from_every_folder(brands):
    """The default duration is out of the range of integers; those at night and in a brand are not."""
    scheme = collection("Scheme", "Light", "Dark", "Brand B")
    waits = (Quantity(3e6, "s"), Quantity(200.0, "ms"), Quantity(100.0, "ms"))
    token_graph = graph(scheme, token(scheme, "wait", *waits, type="duration"))
    options = typed_options("android", {"brands": brands})
    files, problems = generate(token_graph, OutputRequest(platform="android", options=options))
    assert files == ()
    (problem,) = [each for each in problems if each.code == "default-value-absent"]
    assert (problem.where, problem.what_to_do) == ("Scheme / wait / Light", "change that value")


def test_references_from_two_folders_do_not_form_a_cycle():
    """Two tokens are aliases of each other in one folder each; where both apply, they have no value."""
    one, two = collection("One", "A", "B"), collection("Two", "C", "D")
    token_graph = graph(
        one,
        two,
        token(one, "x", BLACK, alias("Two", "y")),
        token(two, "y", WHITE, alias("One", "x")),
    )
    themes = {"one/b": {"qualifier": "sw600dp"}, "two/d": {"qualifier": "land"}}
    values, _ = read_folders(files_of(token_graph, themes=themes).items())
    assert values == {}


def test_folders_that_android_also_uses_for_other_devices_are_complete():
    """A device of medium density would otherwise use the folder of its language only."""
    language, screen = collection("Language", "English", "Deutsch"), collection("Screen", "Plain", "Fine")
    token_graph = graph(
        language,
        screen,
        token(language, "label", "a", alias("Screen", "fine"), type="string"),
        token(screen, "fine", "a", "b", type="string"),
        token(screen, "veil", ComposedColor(BLACK, alias("Screen", "share"))),
        token(screen, "share", 50, 20, type="number", scopes=("OPACITY",)),
    )
    themes = {"language/deutsch": {"qualifier": "de"}, "screen/fine": {"qualifier": "xhdpi"}}
    values, _ = read_folders(files_of(token_graph, themes=themes).items())
    assert values["de"]["label"] == "@string/fine"
    assert values["de-xhdpi"]["label"] == "@string/fine"
    assert values["xhdpi"]["label"] == "a"


def test_brands_of_two_collections_have_unique_names():
    one, two = collection("Scheme", "Plain", "Main", "2xl"), collection("Density", "Plain", "Main")
    token_graph = graph(one, two, token(one, "x", BLACK, WHITE, RED), token(two, "y", BLACK, WHITE))
    sets = {path.split("/")[0] for path in files_of(token_graph, brands="source-sets")}
    assert sets == {"main", "schemeMain", "scheme2xl", "densityMain"}
    styles = files_of(token_graph, brands="styles", styles="Acme.Theme")["values/styles.xml"]
    assert re.findall('style name="([^"]*)"', styles) == [
        "Acme.Theme.Scheme",
        "Acme.Theme.Scheme.Main",
        "Acme.Theme.Scheme.2xl",
        "Acme.Theme.Density",
        "Acme.Theme.Density.Main",
    ]


def test_conflicting_and_unknown_themes_are_reported():
    token_graph = scheme_of()
    themes = {
        "scheme/dark": {"qualifier": "land"},
        "scheme/brand-b": {"qualifier": "land"},
        "scheme/none": {"qualifier": "land"},
    }
    options = typed_options("android", {"themes": themes})
    _, problems = generate(token_graph, OutputRequest(platform="android", options=options))
    assert [(each.code, each.where) for each in problems if each.code != "theme-unsupported"] == [
        ("theme-unknown", "scheme/none"),
        ("theme-contested", "scheme/brand-b"),
    ]


def test_the_folder_of_any_device_has_no_qualifiers():
    assert (ANY.text, ANY.folder) == ("", "values")


def test_text_styles_follow_source_sets_but_not_overlays():
    scheme = collection("Scheme", "Plain", "Loud")
    body = {**VALUES["typography"], "fontWeight": 400}
    token_graph = graph(
        scheme,
        token(scheme, "body", composite_of(body), composite_of({**body, "fontWeight": 700}), type="typography"),
        token(scheme, "ink", BLACK, RED),
    )
    sets = files_of(token_graph, brands="source-sets", text="dp")
    assert (
        '<item name="android:textFontWeight" tools:targetApi="28">700</item>'
        in sets["loud/res/values/text_appearances.xml"]
    )
    assert '<item name="android:textSize">16dp</item>' in sets["main/res/values/text_appearances.xml"]
    files, problems = generate(
        token_graph, OutputRequest(platform="android", options=typed_options("android", {"brands": "styles"}))
    )
    assert b"body" not in dict(files)["values/attrs.xml"]
    (problem,) = problems
    what = "android does not support 1 mode in text styles"
    assert (problem.code, problem.what, problem.names) == ("theme-unsupported", what, ("Loud",))


def test_names_of_text_styles_have_capitals_and_keep_underscores_where_two_would_be_equal():
    of = collection("Text")
    styles = {"body/large": "body_large", "label/1": "label_1", "label1": "label1"}
    tokens = [token(of, name, composite_of(VALUES["typography"]), type="typography") for name in styles]
    again = token(of, "title", alias("Text", "label/1"), type="typography")
    files = files_of(graph(of, *tokens, again), text_appearances="Acme.TextAppearance")
    names = re.findall(
        '<style name="Acme.TextAppearance.([^"]+)" parent="([^"]*)"', files["values/text_appearances.xml"]
    )
    assert names == [
        ("BodyLarge", ""),
        ("label_1", ""),
        ("label1", ""),
        ("Title", "Acme.TextAppearance.label_1"),
    ]
