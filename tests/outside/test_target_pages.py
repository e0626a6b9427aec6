"""Each code block of docs/targets/ is compiled or run, with the quickstart's outputs where it uses tokens."""

import json
import plistlib
import re
import tomllib
from pathlib import Path

import pytest
from generate.targets.cases import CASES
from generate.targets.composite_values import BLACK, VALUES, composite_of, px
from graphs import collection, color, graph, key, token
from jsonschema import Draft202012Validator
from msgspec.structs import replace
from outside.graphs import subject_of
from outside.swift_module import SwiftModule

from tokensync.cli.main import tokensync
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.compose import ComposeOptions
from tokensync.generate.targets.ios import IosOptions
from tokensync.generate.targets.json import JsonOptions
from tokensync.generate.targets.scss import ScssOptions
from tokensync.generate.targets.tailwind import TailwindOptions
from tokensync.generate.targets.typescript import TypescriptOptions
from tokensync.project.configuration import parse_config, typed_options
from tokensync.settings import FaceConfig, FontConfig
from tokensync.tokens import Composite

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "targets"
BLOCKS = {
    page.stem: re.findall(r"^ *```(\w+)\n(.*?)^ *```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    for page in sorted(PAGES.glob("*.md"))
}
FONTS = (
    FontConfig(
        family="Inter",
        faces=(
            FaceConfig(weight=400, file="Inter-Regular.ttf"),
            FaceConfig(weight=600, file="Inter-SemiBold.ttf"),
        ),
    ),
)
JUDGED = {
    # The first section by test_android_page, Kotlin of the others by test_examples_android.
    "android": "xml console toml console kotlin xml xml kotlin xml xml toml toml xml toml xml kotlin kotlin toml",
    "compose": "kotlin console toml console kotlin kotlin kotlin kotlin kotlin kotlin toml kotlin toml kotlin",
    "css": "css html css json toml toml css",
    "figma": "toml text",
    "flutter": "console toml console dart dart dart dart dart toml",  # commands by examples/test_flutter
    "ios": "swift toml swift toml text swift swift toml xml swift toml swift swift swift",  # see test_ios_page
    "json": "json python toml",
    "react-native": "js tsx tsx toml",
    "scss": "scss scss scss scss scss toml",
    "tailwind": "css css html css js toml",
    "template": "toml jinja dart toml ts",  # the last two by outside/test_style_tools.py
    "typescript": "js ts ts toml",
}
"""The languages of the blocks of each page, each of which a test of this file judges."""


def blocks(page, language):
    return [text for each, text in BLOCKS[page] if each == language]


def quickstart(platform, options=None):
    return {path: content.decode() for path, content in subject_of("quickstart").files(platform, options).items()}


def assert_excerpt(block, generated):
    """Assert that the lines of a block are lines of a generated file, in this order."""
    lines = iter([each.strip() for each in generated.splitlines()])
    for line in filter(None, map(str.strip, block.splitlines())):
        assert line in lines, line


def test_each_block_of_each_page_is_judged():
    assert {page: " ".join(language for language, _ in parts) for page, parts in BLOCKS.items()} == JUDGED


def configured(block, page):
    """The output of a block, with its options; a block without ``[[outputs]]`` has options only."""
    lines = block if block.startswith("[[outputs]]") else f'[[outputs]]\nplatform = "{page}"\npath = "a"\n\n{block}'
    text = f'base_url = "emulator:"\n\n[[files]]\nname = "harbor"\nkey = "key-one"\n\n{lines}'
    (output,) = parse_config(text.encode(), "tokensync.toml").outputs
    return output, typed_options(output.platform, output.options)


@pytest.mark.parametrize(("page", "block"), [(page, text) for page in BLOCKS for text in blocks(page, "toml")])
def test_each_configuration_is_valid(page, block):
    output, options = configured(block, page)
    assert output.platform == page
    assert not hasattr(options, "faults") or list(options.faults()) == []


def test_the_document_follows_the_schema_and_the_script_reads_it(tmp_path, monkeypatch):
    (document,), (script,) = blocks("json", "json"), blocks("json", "python")
    files = quickstart("json", JsonOptions(schema=True))
    (schema,) = (json.loads(text) for path, text in files.items() if path.endswith("schema.json"))
    Draft202012Validator(schema).validate(json.loads(document))
    (tmp_path / "tokens.json").write_text(document, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {"json": json, "Path": Path}
    exec(script, names)
    assert names["dark"] == {"text-muted": "#b1bec9"}


def test_the_files_of_the_import_have_the_names_on_the_page():
    (listing,) = blocks("figma", "text")
    assert set(listing.split()) <= {f"figma/{path}" for path in quickstart("figma")}


def test_the_template_renders_what_the_page_shows(tmp_path):
    (template,), (shown,) = blocks("template", "jinja"), blocks("template", "dart")
    _, options = configured(blocks("template", "toml")[0], "template")
    (tmp_path / "flutter").mkdir()
    (tmp_path / "flutter" / "tokens.dart.j2").write_text(template, encoding="utf-8")
    of = collection("Base")
    token_graph = graph(of, token(of, "accent", color("#b86e00")), token(of, "veil", color("#14181c", 0.4)))
    request = OutputRequest(platform="template", templates=str(tmp_path), options=options)
    ((path, content),) = generate(token_graph, request)[0]
    assert (path, content.decode()) == ("tokens.dart", shown)


def test_an_app_lists_the_fonts_of_the_font_map():
    *_, fonts, _ = blocks("ios", "toml")
    (listed,) = blocks("ios", "xml")
    files = plistlib.loads(f"<plist><dict>{listed}</dict></plist>".encode())["UIAppFonts"]
    faces = tomllib.loads(fonts)["fonts"][0]["faces"]
    assert [f"{face['postscript']}.ttf" for face in faces] == files


def test_scripts_of_a_development_server_run_builds():
    (package,) = blocks("css", "json")
    scripts = " ".join(json.loads(package)["scripts"].values())
    commands = re.findall(r"tokensync (\w+)((?: --\w+)*)", scripts)
    assert [name for name, _ in commands] == ["build", "build"]
    for name, options in commands:
        assert tokensync.get_command(None, name).make_context(name, options.split())


@pytest.mark.parametrize("block", blocks("android", "kotlin") + blocks("compose", "kotlin"))
def test_each_block_of_kotlin_can_be_read(kotlin, block):
    kotlin(block)


def test_what_is_shown_of_outputs_is_in_those_of_the_quickstart():
    assert_excerpt(blocks("scss", "scss")[0], quickstart("scss")["_tokens.scss"])
    assert_excerpt(blocks("typescript", "js")[0], quickstart("typescript")["tokens.js"])
    assert_excerpt(blocks("react-native", "js")[0], quickstart("react-native")["tokens.js"])
    assert_excerpt(blocks("compose", "kotlin")[2], quickstart("compose")["ThemeTokens.kt"])
    files = quickstart("ios", IosOptions(also=("themes",)))
    assert_excerpt(blocks("ios", "swift")[6], files["DensityTokens.swift"])
    _, material = configured(blocks("android", "toml")[3], "android")
    theme = blocks("android", "xml")[6].partition("\n")[2]
    assert_excerpt(theme, quickstart("android", material)["values/material.xml"])
    colors = blocks("android", "xml")[0].partition("\n")[2]
    assert_excerpt(colors, quickstart("android")["values/colors.xml"])


def test_what_is_shown_of_text_styles_is_in_outputs_of_such_styles():
    compose = styled("compose", ComposeOptions(resources="com.acme.app"))
    *_, style, fonts, shadow, _, _ = blocks("compose", "kotlin")
    assert_excerpt(style.replace("FontFamily.SansSerif", "DesignTokensFonts.inter"), compose["ThemeTokens.kt"])
    assert "fontFamily = FontFamily.SansSerif," in styled("compose")["ThemeTokens.kt"]
    assert_excerpt(fonts, compose["DesignTokensFonts.kt"])
    for name in re.findall(r"DesignTokens\.theme\.(\w+)", shadow):
        assert f"val {name}: " in compose["ThemeTokens.kt"]
    assert_excerpt(blocks("android", "xml")[3], styled("android", fonts=())["values/text_appearances.xml"])


def styled(platform, options=None, fonts=FONTS):
    """The outputs of the tokens that the pages' text styles and shadows have."""
    of = collection("Theme")
    lengths = (token(of, name, 16, type="dimension", scopes=scopes) for name, scopes in LENGTHS.items())
    size = Composite(json.dumps(STRONG), (("{size.body}", key("Theme", "size/body")),))
    strong = token(of, "body/strong", size, type="typography")
    raised = token(of, "raised", composite_of(VALUES["shadow"]), type="shadow")
    token_graph = graph(of, *lengths, strong, raised, token(of, "surface", color("#ffffff")))
    files, _ = generate(token_graph, OutputRequest(platform=platform, options=options, fonts=fonts))
    return {path: content.decode() for path, content in files}


LENGTHS = {"size/body": ("FONT_SIZE",), "control/padding": ("GAP",)}
STRONG = {
    "fontFamily": ["Inter", "sans-serif"],
    "fontSize": "{size.body}",
    "fontWeight": 650,
    "letterSpacing": {"value": -0.2, "unit": "px"},
    "lineHeight": {"value": 24, "unit": "px"},
}


def test_swift_names_tokens_of_the_quickstart_with_the_types_that_it_says():
    module = SwiftModule(
        {path: text.encode() for path, text in quickstart("ios", IosOptions(also=("themes",))).items()}
    )
    first, _, _, _, _, view, *_ = blocks("ios", "swift")
    used = re.findall(r"\((\w+)\.(\w+)\) *(?:// (CGFloat|Font\.Weight|from the catalog))?", first + view)
    assert len(used) == 5
    for start, name, said in used:
        declared = {"Tokens": module.constants, "theme": module.members}[start][name]
        assert declared.type == {"from the catalog": "Color"}.get(said, said or declared.type), name
    structs = re.findall(r"\w+: (\w+)\(\)", view)
    assert {*structs} <= module.structs.keys()
    assert re.findall(r"`(\w+Tokens)` is a brand", (PAGES / "ios.md").read_text(encoding="utf-8"))[0] in module.structs


@pytest.mark.outside
def test_a_themed_screen_of_an_app_compiles(swiftc):
    """The quickstart's text styles are styles of the design file, which a response about variables does not have."""
    _, options = configured(blocks("ios", "toml")[0], "ios")
    styles = (ROOT / "examples" / "quickstart" / "code" / "ios" / "TokensStyles.swift").read_text(encoding="utf-8")
    title = 'extension Tokens { static let typeTitle = TokenTextStyle(families: ["Inter"], size: 20) }'
    swift = {path: text for path, text in quickstart("ios", options).items() if path.endswith(".swift")}
    files = {**swift, "TokensStyles.swift": styles, "Title.swift": title, "App.swift": blocks("ios", "swift")[1]}
    swiftc(files, "-swift-version", "6", "-default-isolation", "MainActor")


CORE_TEXT = """
typealias CFURL = URL
enum CTFontManagerScope { case process }
@discardableResult func CTFontManagerRegisterFontsForURL(_: CFURL, _: CTFontManagerScope, _: [Int]?) -> Bool { true }
extension Bundle { static let module = Bundle.main }
"""


@pytest.mark.outside
def test_swift_compiles(swiftc):
    first, _, _, styles, fonts, view, _, own = blocks("ios", "swift")
    declared, _, shown = view.partition("\n}\n")
    main = f"import SwiftUI\n{declared}\n}}\n"
    for at, expression in enumerate((first, shown)):
        main += f"@MainActor func view{at}() -> some View {{\n{expression}}}\n"
    files = quickstart("ios", IosOptions(also=("swiftui", "themes")))
    swift = {path: text for path, text in files.items() if path.endswith(".swift")}
    swiftc({**swift, "Views.swift": f"{main}{own}"}, "-swift-version", "6")
    swiftc({"main.swift": fonts.replace("import CoreText", CORE_TEXT)}, "-swift-version", "6")
    main = f"import SwiftUI\n@MainActor func view() -> some View {{\n{styles}}}\n"
    swift = {path: text for path, text in styled("ios").items() if path.endswith(".swift")}
    swiftc({**swift, "Views.swift": main}, "-swift-version", "6")


COMPOSE_IMPORTS = """import androidx.compose.foundation.layout.*
import androidx.compose.material3.*
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
"""


@pytest.mark.outside
def test_compose_compiles(kotlinc):
    first, _, _, nested, *_, material, system = blocks("compose", "kotlin")
    main = f"package design.tokens\n\n{COMPOSE_IMPORTS}@Composable fun Shown() {{\n{nested}}}\n"
    kotlinc({**quickstart("compose", ComposeOptions(groups="nested")), "Main.kt": main}, common=True)
    several = enumerate((first, material, system))
    shown = "".join(f"@Composable fun Shown{at}() {{\n{block}}}\n" for at, block in several)
    main = f"package design.tokens\n\n{COMPOSE_IMPORTS}{shown}"
    _, options = configured(blocks("compose", "toml")[1], "compose")
    kotlinc({**quickstart("compose", options), "Main.kt": main})


def test_dart_is_what_the_quickstart_has(dart):
    screen, part, theme, function, style = blocks("flutter", "dart")
    for source in (screen, f"final part = {part.rstrip()};", theme, function, f"class Styles {{\n{style}}}"):
        dart(source)
    ((_, material),) = quickstart("flutter", typed_options("flutter", {"material": {}})).items()
    assert_excerpt(theme, material)
    assert_excerpt(style, styled("flutter", fonts=())["design_tokens.dart"])
    for method in re.findall(r"\b(?:light|dark|modes)\.(\w+)\(", screen + function):
        assert f" {method}(" in material
    for collection_, name in re.findall(r"\b(theme|density)\.(\w+)", screen):
        assert re.search(rf"class {collection_.capitalize()}Tokens (?s:.)*?\n  final \w+ {name};", material), name
    for enumeration, entry in re.findall(r"(\w+TokensMode)\.(\w+)", part):
        assert re.search(rf"enum {enumeration} {{[^}}]*\b{entry}\b", material)


@pytest.mark.outside
def test_css_is_accepted_and_applies(lightningcss, chromium):
    example, switches, classes = blocks("css", "css")
    for css in (example, switches, classes):
        assert lightningcss(css)
    value = "(name) => getComputedStyle(document.querySelector('section') ?? document.body).getPropertyValue(name)"
    with chromium(example) as page:
        for scheme, expected in (("light", "#13748a"), ("dark", "#7cc6d3")):
            page.emulate(scheme=scheme)
            assert page.page.evaluate(value, "--border-focus") == expected
    mixed = f":root {{ --main: red; --deep: blue; --_theme-light: initial; --_theme-dark: ; }} {switches}"
    for attribute, expected in (("", "red"), (" data-theme=dark", "blue")):
        with chromium(mixed, f"<section{attribute}></section>") as page:
            assert page.page.evaluate(value, "--fill").strip() == expected
    (html,) = blocks("css", "html")
    with chromium(quickstart("css")["tokens.css"], html) as page:
        assert page.page.evaluate(value, "--harbor-accent").split()[-1] == "#f2876b"
        aside = value.replace("section", "aside")
        assert page.page.evaluate(aside, "--space-sm") == "8px"


@pytest.mark.outside
def test_scss_variables_are_properties_and_can_be_set(sass):
    (color, style), settable = blocks("scss", "scss")[3].split("\n", 1), ScssOptions(defaults=True)
    assert_excerpt(color, quickstart("scss", ScssOptions(variables="properties"))["_tokens.scss"])
    graph_of_styles, request = CASES["scss/text-styles"]
    properties = replace(request, options=ScssOptions(variables="properties"))
    assert_excerpt(style, generate(graph_of_styles, properties)[0][0].content.decode())
    css = sass(f"{blocks('scss', 'scss')[4]}.x {{ color: tokens.$harbor-accent }}", quickstart("scss", settable))
    assert css == ".x {\n  color: #b3261e;\n}"


@pytest.mark.outside
def test_scss_compiles(sass):
    css = sass(blocks("scss", "scss")[1], {"_tokens.scss": quickstart("scss")["_tokens.scss"]})
    assert ".always-dark {\n  color: #b1bec9;\n}" in str(css)
    (partial,) = generate(*CASES["scss/text-styles"])[0]
    css = sass(f'@use "tokens";\n{blocks("scss", "scss")[2]}', {"_tokens.scss": partial.content.decode()})
    assert [line.strip() for line in css.splitlines() if "line-height" in line] == [
        "line-height: 24px;",
        "line-height: 18px;",
    ]


@pytest.mark.outside
def test_typescript_compiles_and_runs(tsc, esm, tmp_path):
    script, shown = blocks("typescript", "js")[0], blocks("typescript", "ts")[0]
    declared = (
        "declare const chart: { color: string };\n"
        "declare const button: { style: { padding: string; background: string } };\n"
        "declare function matchMedia(query: string): { matches: boolean };\n"
    )
    tsc({**quickstart("typescript"), "page.ts": declared + shown})
    (tmp_path / "tokens.mjs").write_text(script, encoding="utf-8")
    assert "tokens" in str(esm(tmp_path / "tokens.mjs"))
    page = (PAGES / "typescript.md").read_text(encoding="utf-8")
    (_, constant), (call, union), (reference, text) = re.findall(r"`(\S+)` is\s`(.+?)`", page)[:3]
    use = f"export const size: {constant} = spaceSm;\nexport const accent: {union} = {call};\n"
    use = (
        f'import {{ cssVariable, spaceSm, value }} from "./tokens.js";\n{use}export const name: {text} = {reference};\n'
    )
    tsc({**quickstart("typescript"), "use.ts": use})


@pytest.mark.outside
def test_react_native_accepts_each_screen(react_native):
    """The second one is a part of a screen, with tokens of composites in place of the quickstart's."""
    composites = {
        f"composites/{each.path}": each.content.decode() for each in generate(*CASES["react-native/composites"])[0]
    }
    screen, part = blocks("react-native", "tsx")
    head = (
        'import { Animated, Easing, Text, View } from "react-native";\n'
        'import { shadow, transition, typography } from "./composites/tokens.js";\n'
        "declare const opacity: Animated.Value;\n"
    )
    react_native({**quickstart("react-native"), **composites, "screen.tsx": screen, "part.tsx": head + part})


@pytest.mark.outside
def test_the_objects_of_typescript_are_what_the_page_says(tsc, esm):
    of = collection("Base")
    zero = {"value": 0, "unit": "px"}
    layer = {"color": BLACK, "offsetX": zero, "offsetY": px(2), "blur": px(4), "spread": zero}
    token_graph = graph(
        of,
        token(of, "shadow/card", composite_of(layer), type="shadow"),
        token(of, "ease/out", composite_of([0, 0, 0.58, 1]), type="cubicBezier"),
    )
    options = TypescriptOptions(composites="object", dimensions="number", colors="hex")
    files, _ = generate(token_graph, OutputRequest(platform="typescript", options=options))
    shown = re.findall(r"tokens\.(\w+); // (.+?): (.+)", blocks("typescript", "ts")[1])
    assert len(shown) == 2
    use = 'import { tokens, type CubicBezier, type ShadowLayer } from "./tokens.js";\n'
    for name, type_, value in shown:
        use += f"export const {name}: {type_} = tokens.{name};\nexport const {name}Shown: {type_} = {value};\n"
    actual = esm(tsc({**{path: content.decode() for path, content in files}, "use.ts": use}) / "use.js")
    assert [actual[name] for name, _, _ in shown] == [actual[f"{name}Shown"] for name, _, _ in shown]


@pytest.mark.outside
def test_tailwind_makes_the_utilities(tailwind):
    theme, entry, inline = blocks("tailwind", "css")
    classes = re.findall(r'class="([^"]+)"', blocks("tailwind", "html")[0])[0].split()
    for css, used in ((theme, classes), (inline, ["text-muted"])):
        built = tailwind(entry, {"tokens/theme.css": css}, used)
        assert [each for each in used if f".{each} {{" not in built] == []


@pytest.mark.outside
def test_tailwind_merge_takes_the_configuration(tailwind_merge):
    """The script of the page imports a file of the output, which tailwind-merge reads."""
    (script,) = blocks("tailwind", "js")
    scheme = collection("Base")
    scopes = {"space/sm": ("GAP",), "caption": ("FONT_SIZE",)}
    sizes = [token(scheme, name, 4, type="dimension", scopes=scopes[name]) for name in scopes]
    files, _ = generate(graph(scheme, *sizes), OutputRequest(platform="tailwind", options=TailwindOptions(merge=True)))
    (path,) = re.findall(r'from "\./tokens/(.+)";', script)
    merged = tailwind_merge(["text-muted text-caption", "p-4 p-sm"], json.loads(dict(files)[path]))
    assert merged == ["text-muted text-caption", "p-sm"]


@pytest.mark.outside
def test_android_compiles(aapt2, tmp_path):
    colors, _, _, _, elevation, styles, _ = blocks("android", "xml")
    attributes = "".join(f'<attr name="{name}" format="color"/>' for name in ("accent", "button"))
    values = f'<resources>{attributes}<color name="accent">#FF000000</color>{styles}</resources>'
    (tmp_path / "values").mkdir()
    (tmp_path / "values" / "colors.xml").write_text(colors, encoding="utf-8")
    (tmp_path / "values" / "styles.xml").write_text(values, encoding="utf-8")
    (tmp_path / "values" / "dimens.xml").write_text(elevation, encoding="utf-8")
    linked = aapt2(tmp_path)
    assert {"color/harbor_accent", "style/ThemeOverlay.Scheme.BrandBEu"} <= linked.keys()
    assert linked["dimen/elevation_card"] == {"": "6.000000dp"}
    of, card = collection("Theme"), VALUES["shadow"][0] | {"offsetY": px(4), "blur": px(8), "spread": px(3)}
    tokens = graph(of, token(of, "elevation/card", composite_of(card), type="shadow"))
    request = OutputRequest(platform="android", options=typed_options("android", {"shadows": "elevation"}))
    ((_, written),) = generate(tokens, request)[0]
    assert_excerpt(elevation.partition("\n")[2], written.decode())
