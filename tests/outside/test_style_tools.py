"""vanilla-extract, StyleX and Panda compile the packaged templates; Chromium computes what the graph has in each theme.

The styles refer to the custom properties of the CSS output, so they are right wherever that is: on the root, on an
element, and in a theme inside another. ``storybook-design-token`` lists the tokens of its template.
"""

import json
import re
from itertools import permutations

import pytest
from checkers import MODULES, node, node_program, run, written
from generate.targets.composite_values import composite_of, px
from graphs import alias, collection, color, graph, token
from outside.css_oracle import ROOT, Oracle
from outside.css_themes import axes, theme_of
from outside.graphs import Subject, subject_of
from outside.page import unescaped
from outside.test_target_pages import blocks, configured
from outside.themes import systems

from tokensync.generate.naming import in_order, names_for
from tokensync.generate.targets import naming_of
from tokensync.generate.targets.template import TemplateFile, TemplateOptions
from tokensync.tokens import Unresolved

pytestmark = pytest.mark.outside

MOST_NESTED = 4
"""Ordered pairs of an axis' contexts, one inside the other."""
MOST_COMPARED = 500
"""Tokens that styles use, spread over all; the tools read every one."""


@pytest.fixture(scope="module")
def vanilla_extract():
    """The style sheet that vanilla-extract's plugin of esbuild makes of a ``.css.ts`` file of a folder."""
    ask = node("@vanilla-extract/esbuild-plugin", "compile_vanilla_extract.mjs")

    def compile_styles(folder, entry):
        (folder / "node_modules").symlink_to(MODULES, target_is_directory=True)
        written(folder, {"package.json": '{"name": "app"}'})  # class names are made of it
        return ask({"folder": str(folder), "entry": entry})

    return compile_styles


@pytest.fixture(scope="module")
def stylex():
    """The style sheet that StyleX's plugin of Babel makes of modules of a folder, and the code of the last one."""
    ask = node("@stylexjs/babel-plugin", "compile_stylex.mjs")

    def compile_styles(folder, *entries):
        answer = ask({"folder": str(folder), "entries": entries})
        return answer["css"], answer["code"]

    return compile_styles


@pytest.fixture(scope="module")
def panda():
    """The style sheet that Panda's command makes of a folder with its configuration."""
    program = node_program("@pandacss/dev")

    def compile_styles(folder):
        (folder / "node_modules").symlink_to(MODULES, target_is_directory=True)
        command = [program, MODULES / "@pandacss" / "dev" / "bin.js", "cssgen", "--silent", "--outfile", "out.css"]
        run(command, cwd=folder)
        return (folder / "out.css").read_text(encoding="utf-8")

    return compile_styles


@pytest.fixture(scope="module")
def storybook_addon():
    """The categories that the addon ``storybook-design-token`` finds in the style sheets of a folder."""
    ask = node("storybook-design-token", "read_storybook.mjs")
    return lambda folder: ask({"folder": str(folder)})


def write(subject, template, path):
    """Write the file of a packaged template."""
    options = TemplateOptions(files=(TemplateFile(template=template, path=path.name),))
    subject.write("template", path.parent, options)


def names_of(subject):
    """The names in TypeScript and in CSS of each token that has a value by default."""
    graph = subject.graph
    declared = [each for each in in_order(graph.tokens.values(), graph) if each.origin == "local"]
    resolve = subject.resolver(theme_of(graph, {}, ()))
    valued = [each for each in declared if not isinstance(resolve(each.key), Unresolved)]
    css, _ = names_for(graph, declared, naming_of("css"))
    names, _ = names_for(graph, declared, naming_of("typescript"))
    used = valued[:: len(valued) // MOST_COMPARED + 1]
    return {names[each.key]: css[each.key] for each in used}


def compared(subject, chromium, css, properties, classes=None):
    """Compare properties with tokens: ``properties`` has the name of a token's custom property for each property."""
    oracle = Oracle(subject.graph)
    sources = dict(zip(oracle.kinds, oracle.sources, strict=True))
    oracle.kinds = {name: oracle.kinds[of] for name, of in properties.items()}
    oracle.sources = [sources[of] for of in properties.values()]
    with chromium(f"{subject.files('css')['tokens.css'].decode()}\n{css}") as page:
        for system in systems(subject.graph)[:2]:
            placements = [(ROOT,)]
            for axis in axes(subject.graph):
                placements += [(each,) for each in axis.choices()]
                nested = list(permutations(axis.choices(), 2))
                placements += [(ROOT, *each) for each in nested[:: len(nested) // MOST_NESTED + 1]]
            oracle.compare(page, system, [classed(each, classes) for each in placements])
    return oracle.compared, oracle.differences


def classed(placement, classes):
    """A placement whose last element has these classes."""
    *outer, (attributes, chosen) = placement
    return (*outer, ({**attributes, "class": classes} if classes else attributes, chosen))


def outs_of(names):
    """The tokens in the order of properties ``--out-0``, ``--out-1``, ... that show their values."""
    return {f"--out-{at}": name for at, name in enumerate(names)}


def test_vanilla_extract_styles_have_the_values_of_each_theme(subject, vanilla_extract, chromium, counted, tmp_path):
    write(subject, "vanilla-extract/contract.css.ts.j2", tmp_path / "contract.css.ts")
    names = names_of(subject)
    entries = ",\n".join(f'"{out}": vars.{name}' for out, name in outs_of(names).items())
    use = f"""import {{ globalStyle }} from "@vanilla-extract/css";
import {{ vars }} from "./contract.css.ts";
globalStyle("*", {{ vars: {{ {entries} }} }});
"""
    (tmp_path / "use.css.ts").write_text(use, encoding="utf-8")
    css = vanilla_extract(tmp_path, "use.css.ts")
    result = compared(subject, chromium, css, dict(zip(outs_of(names), names.values(), strict=True)))
    counted("template", "properties of vanilla-extract, each theme and nested", subject.name, *result)


def test_the_example_of_the_page_uses_the_contract(vanilla_extract, tmp_path):
    output, options = configured(blocks("template", "toml")[1], "template")
    subject_of("quickstart").write(output.platform, tmp_path / "tokens", options)
    (tmp_path / "hint.css.ts").write_text(*blocks("template", "ts"), encoding="utf-8")
    css = vanilla_extract(tmp_path, "hint.css.ts")
    assert re.findall(r"^  (.*);$", css, re.MULTILINE) == ["color: var(--text-muted)", "padding: var(--space-sm)"]


def test_stylex_styles_have_the_values_of_each_theme(subject, stylex, chromium, counted, tmp_path):
    write(subject, "stylex/tokens.stylex.js.j2", tmp_path / "tokens.stylex.js")
    names = names_of(subject)
    entries = ",\n".join(f'"{out}": tokens.{name}' for out, name in outs_of(names).items())
    use = f"""import * as stylex from "@stylexjs/stylex";
import {{ tokens }} from "./tokens.stylex.js";
const styles = stylex.create({{ all: {{ {entries} }} }});
export const classes = stylex.props(styles.all).className;
"""
    (tmp_path / "use.js").write_text(use, encoding="utf-8")
    css, code = stylex(tmp_path, "tokens.stylex.js", "use.js")
    classes = re.search(r'className: "([^"]*)"', code)[1]
    result = compared(subject, chromium, css, dict(zip(outs_of(names), names.values(), strict=True)), classes)
    counted("template", "properties of StyleX, each theme and nested", subject.name, *result)


PANDA = """import { defineConfig } from "@pandacss/dev";
import tokens from "./preset";
export default defineConfig({
  eject: true,
  presets: ["@pandacss/preset-base", tokens],
  include: ["./use.ts"],
  outdir: "styled-system",
  preflight: false,
});
"""


def test_panda_styles_have_the_values_of_each_theme(subject, panda, chromium, counted, tmp_path):
    write(subject, "panda/preset.ts.j2", tmp_path / "preset.ts")
    written(tmp_path, {"panda.config.ts": PANDA, "use.ts": ""})
    css = panda(tmp_path)
    of_css = {*names_of(subject).values()}
    declared = re.findall(r"^ +(--[^:]+): var\((--[^)]+)\)", css, re.MULTILINE)
    properties = {unescaped(name): of for name, of in declared if of in of_css}
    referred = {*re.findall(r'(?:value|base): "var\(([^)]+)\)"', (tmp_path / "preset.ts").read_text(encoding="utf-8"))}
    assert {*properties.values()} == of_css & referred
    result = compared(subject, chromium, css, properties)
    counted("template", "properties of Panda CSS, each theme and nested", subject.name, *result)


SCHEME = collection("Scheme", "Light", "Dark")
SIZES = collection("Sizes")
TEXTS = collection("Texts")
HEADING = {
    "fontFamily": ["Bitter", "serif"],
    "fontSize": px(24),
    "fontWeight": 700,
    "letterSpacing": px(-0.5),
    "lineHeight": 1.25,
    "textCase": "uppercase",
}
HOSTILE = "Text. */ } @presenter Nonsense @tokens None ${x} \\"
SMALL = Subject(
    "small",
    graph(
        SCHEME,
        SIZES,
        TEXTS,
        token(SCHEME, "ink", color("#16212b"), color("#ffffff"), description=HOSTILE),
        token(SCHEME, "ink/muted", alias("Scheme", "ink"), color("#cccccc"), deprecated="Use ink. */"),
        token(SIZES, "gap/md", 12.0, type="dimension", scopes=("GAP",)),
        token(SIZES, "card-radius", 8.0, type="dimension"),
        token(SIZES, "odd", 3.0, type="dimension", code_syntax=(("WEB", "var(--__proto__)"),)),
        token(SIZES, "2", 2.0, type="dimension"),
        token(SIZES, "größe", 5.0, type="dimension"),
        token(TEXTS, "heading", composite_of(HEADING), type="typography"),
        token(TEXTS, "label", '</style> "{x}" ${y} \\ */', type="string"),
    ),
)


def test_panda_has_utilities_text_styles_and_conditions_for_themes(panda, tmp_path):
    write(SMALL, "panda/preset.ts.j2", tmp_path / "preset.ts")
    use = """import { css } from "./styled-system/css";
css({ textStyle: "heading", color: "ink-muted", p: "gap-md", rounded: "card-radius", m: "größe", pl: "2" });
css({ _onSchemeDark: { bg: "ink" }, pr: "__proto__" });
"""
    written(tmp_path, {"panda.config.ts": PANDA, "use.ts": use})
    lines = {each.strip().removesuffix(";") for each in panda(tmp_path).splitlines()}
    expected = {
        "color: var(--colors-ink-muted)",
        "padding: var(--spacing-gap-md)",
        "border-radius: var(--radii-card-radius)",
        "margin: var(--spacing-größe)",
        "padding-left: var(--spacing-2)",
        "padding-right: var(--spacing-__proto__)",
        '[data-scheme="dark"] .onSchemeDark\\:bg_ink {',
        "font: var(--heading)",
        "letter-spacing: var(--heading-letter-spacing)",
        "text-transform: var(--heading-text-transform)",
    }
    assert expected - lines == set()


TYPES = {"strict": True, "noEmit": True, "module": "nodenext", "target": "es2022", "types": [], "skipLibCheck": True}


def test_style_tools_accept_the_types_of_their_templates(tmp_path):
    templates = {
        "vanilla-extract/contract.css.ts.j2": "contract.css.ts",
        "stylex/tokens.stylex.js.j2": "tokens.stylex.ts",
        "panda/preset.ts.j2": "preset.ts",
    }
    listed = tuple(TemplateFile(template=template, path=path) for template, path in templates.items())
    files = SMALL.files("template", TemplateOptions(files=listed))
    use = """
import { style } from "@vanilla-extract/css";
import { create, type VarGroup } from "@stylexjs/stylex";
import { vars } from "./contract.css.js";
import { tokens } from "./tokens.stylex.js";
export const plain = style({ color: vars.inkMuted, padding: vars.gapMd, margin: vars._2 });
export const styles = create({ all: { color: tokens.ink, fontSize: tokens.headingFontSize } });
// @ts-expect-error
export const unknown = vars.inkk;
// @ts-expect-error
export const unknown2 = tokens.inkk;
"""
    written(tmp_path, {path: content.decode("utf-8") for path, content in files.items()} | {"use.ts": use})
    written(tmp_path, {"package.json": '{"type": "module"}', "tsconfig.json": json.dumps({"compilerOptions": TYPES})})
    (tmp_path / "node_modules").symlink_to(MODULES, target_is_directory=True)
    run([node_program("typescript"), MODULES / "typescript" / "bin" / "tsc", "--project", tmp_path])


def test_parts_of_text_styles_are_properties_of_the_style_sheet():
    """Both tools refer to each property that the CSS output declares, and to no other."""
    declared = {*re.findall(r"^  (--[^:]+):", SMALL.files("css")["tokens.css"].decode("utf-8"), re.MULTILINE)}
    for template in ("stylex/tokens.stylex.js.j2", "vanilla-extract/contract.css.ts.j2"):
        options = TemplateOptions(files=(TemplateFile(template=template, path="a"),))
        text = SMALL.files("template", options)["a"].decode("utf-8")
        referred = re.findall(r': "(?:var\()?(?:--)?([^")]+)\)?",$', text, re.MULTILINE)
        assert {f"--{name}" for name in referred} == declared
    assert "--heading-text-transform" in declared


def test_storybook_lists_each_token_with_its_presenter(subject, storybook_addon, counted, tmp_path):
    write(subject, "storybook/tokens.css.j2", tmp_path / "tokens.css")
    listed = {each["name"]: each for category in storybook_addon(tmp_path) for each in category["tokens"]}
    css = (tmp_path / "tokens.css").read_text(encoding="utf-8")
    values = dict(re.findall(r"^  (--[^:]+): (.*?);(?: /\* .* \*/)?$", css, re.MULTILINE))
    assert {*names_of(subject).values()} <= listed.keys()
    kinds = Oracle(subject.graph).kinds
    presenters = {"color": {"Color"}, "family": {"FontFamily"}, "weight": {"FontWeight"}, "string": {None}}
    differences = [name for name, each in listed.items() if each["rawValue"] != values[name]]
    differences += [
        name
        for name, each in listed.items()
        if each.get("presenter") not in presenters.get(kinds[name], {each.get("presenter")})
    ]
    counted("template", "values and presenters in Storybook", subject.name, len(listed), differences)


def test_storybook_takes_no_instructions_from_descriptions(storybook_addon, tmp_path):
    write(SMALL, "storybook/tokens.css.j2", tmp_path / "tokens.css")
    categories = storybook_addon(tmp_path)
    assert [each["name"] for each in categories] == ["Scheme", "Sizes", "Texts"]
    assert {each["name"]: each.get("presenter") for category in categories for each in category["tokens"]} == {
        **dict.fromkeys(("--ink", "--ink-muted"), "Color"),
        **dict.fromkeys(("--gap-md", "--__proto__", "--2", "--größe"), "Spacing"),
        "--card-radius": "BorderRadius",
        **dict.fromkeys(("--heading", "--label")),
    }
