"""`dart format`, with Dart's own parser, reads what is generated for Flutter and leaves every line as it is.

Flutter itself is in no registry. Where it is installed, it analyses the example and the golden files.
"""

import difflib
import shutil

import pytest
from checkers import Refused, run
from examples.test_quickstart import ROOT, tokensync
from generate.targets.cases import CASES
from generate.targets.composite_values import VALUES, composite_of
from generate.targets.hostile_graphs import hostile_graphs
from graphs import collection, color, graph, token
from hypothesis import given
from outside.dart_library import RESERVED as NO_IDENTIFIERS

from tokensync.generate.material import Material
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.flutter import RESERVED, FlutterOptions

pytestmark = pytest.mark.outside

EXAMPLE = ROOT / "examples" / "flutter"
FLUTTER = [name for name in CASES if name.startswith("flutter/")]
VERSIONS = ("3.8.0", "3.11.0")
"""The oldest language version with today's style, and a later one."""


def library(graph, request=None):
    ((_, content),) = generate(graph, request or OutputRequest(platform="flutter"))[0]
    return content.decode()


def changed(before, after):
    """The lines of a library that `dart format` writes otherwise."""
    compared = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in compared if line.startswith("-") and not line.startswith("---")]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", FLUTTER)
def test_golden_files_are_formatted(dart_format, name, version):
    source = library(*CASES[name])
    assert changed(source, dart_format(source, language_version=version)) == []


def test_the_library_of_each_design_file_is_formatted_in_projects_of_wider_lines_too(dart_format, subject, counted):
    if subject.name == "generated":
        counted("flutter", "lines as formatted", subject.name, 0, [])
        pytest.skip("names of two hundred letters do not fit on any line")
    source = library(subject.graph)
    differences = changed(source, dart_format(source, line_width=120))
    counted("flutter", "lines as formatted", subject.name, len(source.splitlines()), differences)


SHORT_NAMES = ["Tokens", "DesignTokens", "AcmeDesignTokens"]
LONG = ["Typography Scale", "Device", "Theme", "Brand", "Semantic Colors"]


@pytest.mark.parametrize("name", SHORT_NAMES)
def test_lines_that_fit_are_not_broken_and_others_are(dart_format, name):
    """Members of contexts, comparisons, hash codes and texts; the head of a class with 21 letters is two lines."""
    for handles in (["UI", "Size"], ["Theme", "Space"], ["Primitive", "Color Primitives"], LONG):
        families = [collection(handle, "Light", "Dark") for handle in handles]
        short = [token(of, "ink", color("#000000"), color("#ffffff")) for of in families]
        text = token(families[0], "text", "word " * 20, "other " * 20, type="string")
        request = OutputRequest(platform="flutter", options=FlutterOptions(name=name))
        source = library(graph(*families, *short, text), request)
        assert changed(source, dart_format(source)) == []


def test_references_of_roles_are_formatted_if_their_line_is_too_long(dart_format):
    of = collection("Color scheme", "Light", "Dark")
    styles = collection("Typography of Material", "Small", "Large")
    role = "md/sys/color/on-tertiary-fixed-variant-foreground"
    body = "md/sys/typescale/of/all/screens/and/windows/body-medium"
    style = composite_of(VALUES["typography"])
    large = composite_of({**VALUES["typography"], "fontWeight": 700})
    paths = {"onTertiaryFixedVariant": role, "bodyMedium": body}
    tokens = [token(of, role, color("#000000"), color("#ffffff")), token(styles, body, style, large, type="typography")]
    options = FlutterOptions(material=Material(roles=paths))
    source = library(graph(of, styles, *tokens), OutputRequest(platform="flutter", options=options))
    assert "onTertiaryFixedVariant:\n" in source
    assert "bodyMedium:\n" in source
    assert changed(source, dart_format(source)) == []


@given(hostile_graphs())
def test_dart_parses_the_library_of_a_hostile_design_file(dart_format, graph):
    dart_format(library(graph))


def test_the_screen_of_the_example_is_formatted(dart_format):
    source = (EXAMPLE / "lib" / "main.dart").read_text(encoding="utf-8")
    assert changed(source, dart_format(source)) == []


def test_flutter_analyses_the_example_and_finds_no_error_in_golden_files(tmp_path):
    flutter = shutil.which("flutter")
    if flutter is None:
        pytest.skip("Flutter is not on the path, and no registry of `make verify` has it")
    app = shutil.copytree(EXAMPLE, tmp_path / "app", ignore=shutil.ignore_patterns("tokens.outputs.json"))
    tokensync(app, "build")
    run([flutter, "analyze"], cwd=app)
    for name in FLUTTER:
        (app / "lib" / f"{name.rpartition('/')[2].replace('-', '_')}.dart").write_bytes(library(*CASES[name]).encode())
    run([flutter, "analyze", "--no-fatal-infos", "--no-fatal-warnings"], cwd=app)


def test_dart_refuses_no_name_but_reserved_ones(dart_format):
    def is_refused(word):
        members = f"final int {word}; const A({{required this.{word}}}); A of(A a) => A({word}: a.{word} ?? {word});"
        try:
            dart_format(f"enum B {{ {word} }} final class A {{ {members} }}")
        except Refused:
            return True
        return False

    refused = {word for word in RESERVED | NO_IDENTIFIERS if is_refused(word)}
    assert {"class", "default", "in"} <= refused <= RESERVED & NO_IDENTIFIERS


def test_what_is_no_dart_is_refused(dart_format):
    with pytest.raises(Refused, match="Expected a class member"):
        dart_format("class A { final int default; }")
