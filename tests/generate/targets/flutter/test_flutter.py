"""Dart for Flutter: what a parser reads of it, the lines that a change affects, and hostile design files."""

import re
from itertools import product

import pytest
from generate.targets.cases import CASES
from generate.targets.cases_compose import crossing
from generate.targets.cases_flutter import MATERIAL
from generate.targets.cases_material import material
from generate.targets.changes import changed_lines
from generate.targets.composite_values import VALUES, composite_of
from generate.targets.hostile_graphs import TEXTS, hostile_graphs
from graphs import alias, collection, color, graph, key, token
from hypothesis import given
from hypothesis import strategies as st
from outside.dart_library import Library, Name, unescaped

from tokensync.generate.output import Resolution
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import code_references, generate
from tokensync.generate.targets.flutter import FlutterOptions
from tokensync.generate.targets.flutter import render as dart
from tokensync.project.configuration import typed_options
from tokensync.settings import FaceConfig, FontConfig
from tokensync.tokens import Theme

BLACK, WHITE = color("#000000"), color("#ffffff")
BODY = {**VALUES["typography"], "fontFamily": "Inter", "fontSize": {"value": 16, "unit": "px"}}
FLUTTER = [name for name in CASES if name.startswith("flutter/")]


def source_of(of, **rest):
    """Return the library of a graph."""
    ((_, content),) = generate(of, OutputRequest(platform="flutter", **rest))[0]
    return content


def all_modes(library, name="DesignTokens"):
    """Yield each choice of modes, as the entry of each field."""
    fields = library.fields(name)
    for entries in product(*(library.enumerations[enumeration] for enumeration in fields.values())):
        yield dict(zip(fields, entries, strict=True))


def check(content, name="DesignTokens"):
    """Read every member in every choice of modes; fail for what Dart would refuse."""
    library = Library(content)
    for class_, declared in library.classes.items():
        members = [*declared.fields, *declared.constants, *declared.methods]
        assert len(members) == len(set(members)), class_
        if class_ == name:
            continue
        for modes in all_modes(library, name):
            values = library.values(class_, modes)
            assert values.keys() == (declared.fields or declared.constants).keys()
            for member, value in values.items():
                assert type_of(value) == {**declared.types, **declared.fields}[member]
    return library


def type_of(value):
    """Return the Dart type of a value."""
    match value:
        case bool():
            return "bool"
        case float():
            return "double"
        case Name():
            return value.partition(".")[0]
        case str():
            return "String"
        case (called, *_) if isinstance(value, tuple):
            return called
        case []:
            return "List<String>"  # of a font family without a name
        case [first, *_]:
            return f"List<{type_of(first)}>"
        case {"duration": _, "delay": _, "curve": _}:
            return dart.TYPES["transition"]
    raise AssertionError(value)


@pytest.mark.parametrize("name", FLUTTER)
def test_a_parser_reads_every_golden_file(name):
    """Each member has a value of its declared type in each choice of modes."""
    graph_, request = CASES[name]
    ((_, content),) = generate(graph_, request)[0]
    options = request.options or FlutterOptions()
    check(content, options.name)


@pytest.mark.parametrize("name", FLUTTER)
def test_lines_have_at_most_80_columns(name):
    """Apart from comments, texts and identifiers, which cannot be split."""
    ((_, content),) = generate(*CASES[name])[0]
    lines = [line for line in content.decode().splitlines() if len(line) > 80 and not line.lstrip().startswith("//")]
    assert [line for line in lines if "aMemberWithAName" not in line and "'" not in line] == []


@given(hostile_graphs())
def test_hostile_design_files_are_no_code(of):
    check(source_of(of))


@given(TEXTS | st.text())
def test_a_text_is_the_same_in_dart(text):
    """Also with what would interpolate, end it, or turn the code around on a screen."""
    literal = dart.string(text)
    assert unescaped(literal) == text
    assert not re.search("[\n\r\u2028\u2029\u202a-\u202e\u2066-\u2069]", literal)


def test_values_follow_the_modes_of_several_collections():
    of = crossing()
    library = Library(source_of(of))
    families = {family.handle: family for family in of.collections.values()}
    for modes in all_modes(library):
        theme = Theme(
            "",
            tuple(
                (families[field].key, library.enumerations[library.fields()[field]].index(entry))
                for field, entry in modes.items()
            ),
        )
        values = library.values("PartsTokens", modes)
        for name in ("button", "fog", "plain"):
            literal = of.resolve(of.tokens[key("Parts", name)], theme)
            assert values[name] == ("Color", int(dart.color(literal)[6:-1], 16))


def system_modes(text, brightness, *, high):
    """Return what `forBrightness` takes instead of each mode of the scheme."""
    branch = text.partition(f"(Brightness.{brightness}, {str(high).lower()}) =>")[2].partition("_ =>")[0]
    return dict(re.findall(r"Mode\.(\w+) =>\s+\w+\.(\w+),", branch))


@pytest.mark.parametrize("brightness", ["light", "dark"])
@pytest.mark.parametrize("high", [False, True])
def test_modes_follow_the_system_in_each_brand_and_keep_their_contrast(brightness, high):
    text = source_of(material(), options=MATERIAL).decode()
    (modes,) = Library(text.encode()).enumerations.values()
    taken = system_modes(text, brightness, high=high)
    for mode in modes:
        brand, words = ("islander", mode[8:]) if mode.startswith("islander") else ("", mode)
        contrast = "HighContrast" if high else re.sub("^(light|dark)", "", words, flags=re.IGNORECASE)
        wanted = f"{brand}{brightness.capitalize()}{contrast}"
        assert taken.get(mode, mode) == wanted[0].lower() + wanted[1:]


def test_modes_without_contrast_need_no_parameter_for_it():
    assert "forBrightness(Brightness brightness) {" in source_of(CASES["flutter/brands"][0]).decode()


def test_equal_choices_have_equal_tokens():
    """Values of several choices are constants, as equal lists are only equal if they are the same."""
    text = source_of(crossing()).decode()
    chosen = text.partition("static PartsTokens of(")[2].partition("\n  }\n")[0]
    assert re.findall(r"(\w+) Color\(", chosen) == ["const"] * chosen.count("Color(")
    assert "return other is PartsTokens && listEquals(other._values, _values);" in text
    assert "other.tone == tone;" in text.partition("final class DesignTokens {")[2]


INTER = FontConfig(family="Inter", stack=("Inter", "Inter Emoji", "Roboto"), faces=(FaceConfig(file="Inter-VF.ttf"),))


@pytest.mark.parametrize(
    ("fonts", "package", "names"),
    [
        ((), None, "fontFamily: 'Inter',"),
        ((INTER,), None, "fontFamily: 'Inter', fontFamilyFallback: ['Inter Emoji', 'Roboto'],"),
        (
            (INTER, FontConfig(family="inter emoji")),
            "acme",
            "fontFamily: 'packages/acme/Inter', fontFamilyFallback: ['packages/acme/Inter Emoji', 'Roboto'],",
        ),
    ],
)
def test_fonts_of_a_package_are_the_first_family_and_the_configured_ones(fonts, package, names):
    """The parameter `package` of TextStyle renames every fallback: https://github.com/flutter/flutter/issues/53241."""
    text = dart.composite_text("typography", dart.Fonts(fonts, package), composite_of(BODY))
    assert text.startswith(f"TextStyle({names} fontSize: 16.0,")


@pytest.mark.parametrize(
    ("weight", "fonts", "written"),
    [
        (600, (), "fontWeight: FontWeight.w600"),
        (600, (INTER,), "fontWeight: FontWeight.w600, fontVariations: [FontVariation('wght', 600.0)]"),
        (600, (FontConfig(family="Inter", faces=(FaceConfig(weight=600),)),), "fontWeight: FontWeight.w600"),
        (650, (), "fontWeight: FontWeight.w700, fontVariations: [FontVariation('wght', 650.0)]"),
    ],
)
def test_a_variable_font_has_each_weight_also_before_flutter_sets_it_itself(weight, fonts, written):
    """From 3.41 on, it does: https://docs.flutter.dev/release/breaking-changes/font-weight-variation."""
    text = dart.composite_text("typography", dart.Fonts(fonts), composite_of({**BODY, "fontWeight": weight}))
    assert f" {written}, letterSpacing" in text


def test_a_reference_to_a_constant_is_kept_and_others_are_values():
    text = source_of(CASES["flutter/members"][0]).decode()
    assert "class_: Color(0xFFFFFFFF)" in text
    base, other = collection("Base"), collection("Other")
    text = source_of(graph(base, other, token(base, "ink", BLACK), token(other, "text", alias("Base", "ink")))).decode()
    assert "static const Color text = BaseTokens.ink;" in text


def test_changing_a_literal_changes_its_line_alone():
    scheme = collection("Scheme", "Light", "Dark")
    before, after = (
        source_of(graph(scheme, token(scheme, "ink", BLACK, dark), token(scheme, "paper", WHITE, BLACK)))
        for dark in (WHITE, color("#123456"))
    )
    assert changed_lines(before.decode(), after.decode()) == [
        "-    ink: Color(0xFFFFFFFF),",
        "+    ink: Color(0xFF123456),",
    ]


def test_modes_beyond_the_most_combinations_are_reported():
    """Seven collections of three modes in one value would be 2,187 literals."""
    families = [collection(f"C{at}", "A", "B", "C") for at in range(7)]
    values = [BLACK, WHITE]
    tokens = [token(families[0], "x", *values, BLACK)]
    tokens += [token(family, "x", *values, alias(f"C{at}", "x")) for at, family in enumerate(families[1:])]
    files, problems = generate(graph(*families, *tokens), OutputRequest(platform="flutter"))
    Library(files[0].content)
    assert {each.code for each in problems} == {"theme-unsupported"}
    assert all("in members that depend on many collections" in each.what for each in problems)


def test_code_reads_constants_by_their_class_and_themes_by_the_context():
    base, scheme = collection("Base"), collection("Scheme", "Light", "Dark")
    of = graph(base, scheme, token(base, "ink", BLACK), token(scheme, "text", alias("Base", "ink"), WHITE))
    for exact in (False, True):
        references = code_references(Resolution(of), OutputRequest(platform="flutter"), exact=exact)
        assert references == {
            key("Base", "ink"): ("BaseTokens.ink",),
            key("Scheme", "text"): ("context.schemeTokens.text",),
        }


def test_materials_roles_are_filled_by_rules_code_syntax_and_names():
    library = Library(source_of(material(), options=MATERIAL))
    assert "toColorScheme" in library.classes["DesignTokens"].methods
    text = source_of(material(), options=MATERIAL).decode()
    for role in ("primary: scheme.accentBase", "error: scheme.danger", "surfaceTint: scheme.accentBase"):
        assert f"      {role},\n" in text
    assert "textTheme: TextTheme(bodyLarge: BaseTokens.typescaleBodyLarge)," in text


@pytest.mark.parametrize(
    ("names", "made"),
    [
        (("primary",), "defaults ?? ColorScheme.fromSeed( seedColor: BaseTokens.primary, brightness: brightness, ),"),
        (("error",), "defaults ?? ThemeData(brightness: brightness).colorScheme,"),
    ],
)
def test_material_makes_roles_without_tokens_from_primary(names, made):
    of = collection("Base")
    text = source_of(graph(of, *(token(of, name, WHITE) for name in names)), options=MATERIAL).decode()
    assert made in " ".join(text.split())


def test_a_role_that_flutter_names_otherwise_has_its_name():
    text = source_of(material("inverse-on-surface", "background"), options=MATERIAL).decode()
    assert "onInverseSurface: scheme.mdSysColorInverseOnSurface," in text
    assert "surface: scheme.mdSysColorSurface," in text
    assert "      background: " not in text


def test_a_role_has_the_token_of_the_deprecated_one_that_it_replaces():
    of = collection("Base")
    names = ("background", "onBackground", "surfaceVariant")
    files, problems = generate(
        graph(of, *(token(of, name, WHITE) for name in names)), OutputRequest(platform="flutter", options=MATERIAL)
    )
    roles = ("surface: BaseTokens.background", "onSurface: BaseTokens.onBackground")
    assert all(f"      {role},\n" in files[0].content.decode() for role in roles)
    assert "      surfaceContainerHighest: BaseTokens.surfaceVariant,\n" in files[0].content.decode()
    (unfilled,) = [each for each in problems if each.code == "material-roles-unfilled"]
    assert {"surface", "onSurface", "surfaceContainerHighest", "surfaceTint", *names}.isdisjoint(unfilled.names)


def test_options_that_dart_cannot_have_are_faults():
    options = typed_options("flutter", {"name": "Color", "material": {"roles": {"primry": "a", "small": "b"}}})
    assert list(options.faults()) == [
        (("material", "roles", "primry"), "Material has no role 'primry'; write one like 'primary'"),
        (("material", "roles", "small"), "Flutter has no theme of corners, so no token fills 'small'; remove it"),
        (("name",), "'Color' is a type that the generated Dart uses; choose another name"),
    ]
