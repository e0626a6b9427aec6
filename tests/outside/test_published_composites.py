"""Shadows and text styles that teams publish, assembled by rules from the variables of their design files.

Chromium computes both. GitHub's saved file has the values of release 10 of its package.
"""

import json
import re

import pytest
from corpus.building import CORPUS

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.normalize.composites import assembled
from tokensync.project.configuration import parse_config

pytestmark = pytest.mark.outside

WHAT = "shadows and text styles that the team publishes"
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
  const rows = pairs.map(([property, name, ...longhands]) => {
    probe.style.cssText = `${property}: var(${name})`;
    return longhands.map((longhand) => getComputedStyle(probe).getPropertyValue(longhand));
  });
  probe.remove();
  return rows;
}"""
FONT = ("font-style", "font-weight", "font-size", "line-height", "font-family")


def computed(page, names):
    """The computed values of shadows and text styles by name; None for a property that is not there."""
    questions = [["font", name, *FONT] if "shorthand" in name else ["box-shadow", name, "box-shadow"] for name in names]
    return dict(zip(names, map(rounded, page.page.evaluate(COMPUTED, [questions])), strict=True))


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
            expected, found = computed(published, names), computed(own, names)
        for name in names:
            if found[name] != expected[name]:
                if (mode, name) in OTHER_IN_FILE:
                    other.add((mode, name))
                else:
                    differences.append(f"{mode} {name}: {found[name]} is {expected[name]} in the package")
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
