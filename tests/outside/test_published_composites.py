"""Shadows and text styles that teams publish, of groups of variables and of styles in their design files.

Chromium computes both sides. GitHub's saved file has the values of release 10 of its package. The emulator serves the
variables and styles of figma/sds, as the team's own scripts have saved them.
"""

import json
import re

import pytest
from checkers import ROOT
from corpus.building import CORPUS
from outside.graphs import response_of

from tokensync.commands.build import build_project
from tokensync.commands.pull import pull
from tokensync.emulator import Emulator
from tokensync.extract.client import Client, Credential
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.normalize.composites import assembled
from tokensync.project.configuration import load_project, parse_config

pytestmark = pytest.mark.outside

WHAT = "shadows and text styles that the team publishes"
WHOLE = "custom properties of the team's own style sheet"
RELEASE = "primer-primitives-10"
FAMILIES = """-apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif, "Apple Color \
Emoji", "Segoe UI Emoji\""""
CODE = "ui-monospace, SFMono-Regular, SF Mono, Menlo, Consolas, Liberation Mono, monospace"
PARTS = "{offsetX,offsetY,blur,spread,color}"
RULES = f"""
[[composites]]
type = "shadow"
match = "shadow/inset/{PARTS}"
members = {{ inset = true }}

[[composites]]
type = "shadow"
match = "button/*/shadow/selected/{PARTS}"
members = {{ inset = true }}

[[composites]]
type = "shadow"
match = "*/{PARTS}"
layers = true

[[composites]]
type = "typography"
match = "text/code*/{{size,weight,lineHeight}}"
name = "text/code*/shorthand"
members = {{ fontFamily = "{CODE}" }}
keep = true

[[composites]]
type = "typography"
match = "text/*/{{size,weight,lineHeight}}"
name = "text/*/shorthand"
members = {{ fontFamily = '{FAMILIES}' }}
keep = true

[[composites]]
type = "typography"
match = "text/*/{{size,weight,lineHeight}}/*"
name = "text/*/shorthand/*"
members = {{ fontFamily = '{FAMILIES}', fontWeight = "{{text/*/weight}}" }}
keep = true

[[outputs]]
platform = "css"
path = "css"
naming = {{ template = "{{{{ path | join('-') }}}}" }}
"""
SHADOWS = 14
TEXT_STYLES = 10
"""All but that of inline code, whose size is in em, which a variable cannot be."""
BORDERS = ("--shadow-floating-large", "--shadow-floating-medium", "--shadow-floating-xlarge")
BUTTONS = ("danger-shadow-selected", "default-shadow-resting", "outline-shadow-selected", "primary-shadow-selected")
OTHER_IN_FILE = {
    **{("light", name): "the border is translucent in the file" for name in BORDERS},
    ("light", "--shadow-floating-legacy"): "the file has no such shadow in light modes",
    **{("dark", f"--button-{name}"): "an invisible shadow is transparent in the file" for name in BUTTONS},
}
"""The published values that the design file does not have, by mode and name."""

COMPUTED = """([pairs]) => {
  const probe = document.createElement("i");
  document.body.append(probe);
  const rows = pairs.map(([property, value, ...longhands]) => {
    probe.style.cssText = `${property}: ${value}`;
    return longhands.map((longhand) => getComputedStyle(probe).getPropertyValue(longhand));
  });
  probe.remove();
  return rows;
}"""
FONT = ("font-style", "font-weight", "font-size", "line-height", "font-family")


def computed(page, questions):
    """The computed values of properties."""
    return [rounded(values) for values in page.page.evaluate(COMPUTED, [questions])]


def question(name):
    """The property that a custom property of GitHub's is for, its value, and the properties to read."""
    return ["font", f"var({name})", *FONT] if "shorthand" in name else ["box-shadow", f"var({name})", "box-shadow"]


def rounded(values):
    """Pixels to a tenth, since the team rounds line heights to four digits, and families without quotes and case."""
    return tuple(
        re.sub(r"[\d.]+(?=px)", lambda number: f"{float(number[0]):.1f}", value).replace('"', "").lower()
        for value in values
    )


def published_sheet(folder):
    """The published style sheets, in one."""
    css = folder / "dist" / "css"
    names = [*css.glob("base/**/*.css"), css / "functional/typography/typography.css"]
    names += [css / "functional/themes" / f"{mode}.css" for mode in ("light", "dark")]
    return "\n".join(path.read_text(encoding="utf-8") for path in names)


def test_primers_shadows_and_text_styles_are_those_that_the_team_publishes(subject, package, chromium, counted, capsys):
    if subject.name != "primer":
        counted("css", WHAT, subject.name, 0, [])
        return
    config = parse_config(RULES.encode(), "tokensync.toml")
    graph = assembled(subject.graph, config.composites).graph
    (sheet,), _ = generate(graph, OutputRequest(platform="css", naming=config.outputs[0].naming))
    theirs = published_sheet(package(RELEASE))
    names = sorted({name for name in re.findall(r"(--[\w-]+):", theirs) if re.search("shadow|text-.*-shorthand", name)})
    names.remove("--text-codeInline-shorthand")
    assert len(names) == SHADOWS + TEXT_STYLES
    differences, other = [], set()
    for mode in ("light", "dark"):
        with (
            chromium(sheet.content.decode("utf-8"), f"<html data-mode={mode}><body></body></html>") as own,
            chromium(
                theirs, f"<html data-color-mode={mode} data-{mode}-theme={mode}><body></body></html>"
            ) as published,
        ):
            questions = [*map(question, names)]
            rows = zip(names, computed(own, questions), computed(published, questions), strict=True)
        for name, found, expected in rows:
            if found != expected and (mode, name) in OTHER_IN_FILE:
                other.add((mode, name))
            elif found != expected:
                differences.append(f"{mode} {name}: {found} is {expected} in the package")
    compared = 2 * len(names) - len(other)
    with capsys.disabled():
        print(f"\nPrimer: {compared - len(differences)} of {2 * len(names)} published shadows and text styles")
    assert other == OTHER_IN_FILE.keys()
    counted("css", WHAT, subject.name, compared, differences)


def test_the_file_itself_has_other_values_than_the_package(package):
    """Read from the response and the style sheet by themselves, so that no fault of ours can be among them."""
    path = next(iter(CORPUS.glob("primer-local.json")), None)
    if path is None:
        pytest.skip("the saved response is not here")
    meta = json.loads(path.read_bytes())["meta"]
    modes = {
        collection["name"]: {mode["name"].split()[0]: mode["modeId"] for mode in reversed(collection["modes"])}
        for collection in meta["variableCollections"].values()
        if not collection["remote"]
    }["mode"]
    alphas = {
        variable["name"]: {mode: variable["valuesByMode"][modes[mode]] for mode in ("light", "dark")}
        for variable in meta["variables"].values()
        if "shadow" in variable["name"] and variable["name"].endswith("/color") and not variable["remote"]
    }
    for size in ("large", "medium", "xlarge"):
        assert alphas[f"shadow/floating/{size}/1/color"]["light"]["a"] == 0.5
    assert alphas["shadow/floating/legacy/1/color"]["light"] == {"r": 1, "g": 1, "b": 1, "a": 1}
    for name in BUTTONS:
        assert alphas[f"button/{name.replace('-', '/')}/color"]["dark"]["a"] == 0
    sheet = published_sheet(package(RELEASE))
    assert len(re.findall(r"--shadow-floating-(?:large|medium|xlarge): 0px 0px 0px 1px #d1d9e0,", sheet)) == 6
    assert len(re.findall(r"--button-[\w-]+: 0px 0px 0px 0px #000000;", sheet)) == 8


# --- figma/sds -------------------------------------------------------------------------------------------------------

PUBLISHED = ROOT / "tests" / "outside" / "published"
KEY = "key-of-sds"
SDS = """
[[files]]
name = "sds"
key = "key-of-sds"
styles = ["text", "effect"]

[[types]]
type = "dimension"
path = "scale-*"

[[fonts]]
family = "Inter"
stack = ["Inter", "sans-serif"]

[[fonts]]
family = "Noto Serif"
stack = ["Noto Serif", "serif"]

[[fonts]]
family = "Roboto Mono"
stack = ["Roboto Mono", "monospace"]

[[outputs]]
platform = "css"
path = "css"
naming.template = "sds-{{ {'typography': 'font', 'shadow': 'effects-shadows'}.get(type) or BLUR }}-{{ path | kebab }}"
""".replace("BLUR", "'effects-' ~ ('' if leaf == 'Layer' else 'backdrop-') ~ 'filter'")
"""The names of variables are those of their code syntax."""
OTHER_IN_SHEET = {
    **{
        f"--sds-effects-shadows-drop-shadow-{number}": "the team's script does not put the highest layer first"
        for number in (200, 300, 400, 500)
    },
    **{
        f"--sds-typography-weight-{name}-italic": "100 italic, for example, which is no value of font-weight"
        for name in "thin extralight light regular medium semibold bold extra-bold black".split()
    },
    "--sds-typography-body-font-style-italic": "it refers to one of these",
}
"""The properties whose values are others in the team's style sheet."""


class Literals:
    """The values of variables in the default modes of a response."""

    def __init__(self, response):
        self.meta = json.loads(response)["meta"]

    def __getitem__(self, value):
        while isinstance(value, dict) and value.get("type") == "VARIABLE_ALIAS":
            variable = self.meta["variables"][value["id"]]
            mode = self.meta["variableCollections"][variable["variableCollectionId"]]["defaultModeId"]
            value = variable["valuesByMode"][mode]
        return value


def node_of(style, literals):
    """The members of a style's node in answers of the API, from what the team's plugin has saved."""
    if style["type"] == "EFFECT":
        return {"effects": style["effects"]}
    bound = {name: value for name, value in style.items() if isinstance(value, dict)}
    values = {name: literals[alias] for name, alias in bound.items()}
    values |= {"lineHeightPx": 1.2 * values["fontSize"], "lineHeightUnit": "INTRINSIC_%", "letterSpacing": 0}
    if "fontStyle" in bound:
        values |= {"italic": True, "fontWeight": 400}
    return {"style": values, "boundVariables": {name: [alias] for name, alias in bound.items()}}


def sheet_of_sds(response, folder):
    """The style sheet after a pull of the team's file with its styles, and a build."""
    emulator, literals = Emulator(), Literals(response)
    emulator.seed(KEY, response)
    for style in json.loads((PUBLISHED / "figma-sds-styles.json").read_bytes()):
        if "type" in style:  # the other one is a paint style, for which the team writes nothing
            value = node_of(style, literals)
            emulator.libraries.add_style(KEY, style["name"], style["type"], value=value)
    emulator.clock.advance(60)
    emulator.publish(KEY)
    source = folder / "tokensync.toml"
    source.write_text(SDS, encoding="utf-8")
    credential = Credential("personal", emulator.default_token, "a test")
    with Client("https://emulator.invalid", credential, wsgi=emulator) as client:
        pull(load_project(str(source)), client)
    build_project(load_project(str(source)))
    return (folder / "css" / "tokens.css").read_text(encoding="utf-8")


def question_of_sds(name):
    """What ``question`` returns, for a property of figma/sds."""
    if name.startswith("--sds-font-"):
        return ["font", f"var({name})", *FONT]
    part = re.fullmatch("--sds-typography-(?:.*-)?(family|weight|size|style|scale)(?:-.*)?", name)
    properties = {
        "--sds-effects-shadows-": "box-shadow",
        "--sds-effects-backdrop-filter-": "backdrop-filter",
        "--sds-effects-filter-": "filter",
        "--sds-color-": "color",
        "--sds-size-": "margin-left",
        "--sds-typography-": "font-size" if part and part[1] == "scale" else f"font-{part and part[1]}",
    }
    property_ = next(property_ for start, property_ in properties.items() if name.startswith(start))
    return [property_, f"var({name})", property_]


def with_blurs(questions):
    """The questions for our style sheet, in which a blur is its radius."""
    return [
        [property_, f"blur({value})" if property_.endswith("filter") else value, *read]
        for property_, value, *read in questions
    ]


def test_the_style_sheet_of_figma_sds(subject, chromium, counted, capsys, tmp_path):
    """Of 364 properties, 350 are equal by name and computed value; the others are in ``OTHER_IN_SHEET``.

    A blur is a length here, and a call of ``blur()`` there.
    """
    if subject.name != "sds":
        counted("css", WHOLE, subject.name, 0, [])
        return
    sheet = sheet_of_sds(response_of("sds").read_bytes(), tmp_path)
    theirs = (PUBLISHED / "figma-sds.css").read_text(encoding="utf-8")
    names = sorted({*re.findall(r"(--[\w-]+):", theirs)})
    assert len(names) == 364
    missing = {*names} - {*re.findall(r"(--[\w-]+):", sheet)}
    assert not missing
    compared, differences = 0, []
    questions = [question_of_sds(name) for name in names if name not in OTHER_IN_SHEET]
    for scheme in ("light", "dark"):
        with chromium(sheet) as own, chromium(theirs) as published:
            for page in (own, published):
                page.emulate(scheme=scheme)
            values = computed(own, with_blurs(questions)), computed(published, questions)
        compared += len(questions)
        for (_, text, *_), found, expected in zip(questions, *values, strict=True):
            if found != expected:
                differences.append(f"{scheme} {text}: {found} is {expected} in the team's style sheet")
    layered = [question_of_sds(name) for name in OTHER_IN_SHEET if "drop-shadow" in name]
    with chromium(sheet) as own, chromium(theirs) as published:
        for (ours,), (reference,) in zip(computed(own, layered), computed(published, layered), strict=True):
            assert re.split(", (?=rgb)", ours) == re.split(", (?=rgb)", reference)[::-1]
    with capsys.disabled():
        print(f"\nfigma/sds: {len(names) - len(missing)} of {len(names)} names, {len(questions)} equal values")
    counted("css", WHOLE, subject.name, compared, differences)
