"""The pages of examples/web, built by the programs of their package.json, show the values of their token files."""

import json
import re
import runpy
from base64 import b64encode
from itertools import product

import pytest
from checkers import MODULES, ROOT, run

from tokensync.project.configuration import load_project
from tokensync.project.sources import from_project
from tokensync.tokens import Color, Composite, Theme, TokenKey

pytestmark = [pytest.mark.outside, pytest.mark.xdist_group("examples_web")]

PHOTOGRAPHER = runpy.run_path(str(ROOT / "checks" / "screenshot.py"))
PAGES = PHOTOGRAPHER["PAGES"]
WEB = ROOT / "examples" / "web"
EXPECTED = {
    "plain": {
        "body": {"background-color": "{theme/background}", "color": "{theme/foreground}"},
        "h1": {"color": "{theme/primary}", "font-family": "{base/font/display}", "font-weight": "{base/weight/strong}"},
        "main .card": {
            "background-color": "{theme/card}",
            "border-top-color": "{theme/border}",
            "border-top-left-radius": "{base/radius/xl}px",
            "box-shadow": "{theme/shade} 0px 4px 16px 0px",
            "padding-top": "{base/space/lg}px",
        },
        "main h2": {"color": "{theme/card-foreground}", "font-size": "22px", "line-height": "27.5px"},
        "main .caption": {"color": "{theme/muted-foreground}", "font-size": "13px", "line-height": "18.2px"},
        "main .badge": {"background-color": "{theme/accent}", "color": "{theme/accent-foreground}"},
        "main .badge.quiet": {"background-color": "{theme/secondary}", "color": "{theme/secondary-foreground}"},
        "main input": {"border-top-color": "{theme/input}", "box-shadow": "{theme/shade} 0px 1px 2px 0px"},
        "main button": {"background-color": "{theme/primary}", "color": "{theme/primary-foreground}"},
        "main .alarm": {"color": "{theme/destructive}"},
    },
    "tailwind": {
        "body": {"background-color": "{theme/background}", "color": "{theme/foreground}"},
        "h1": {"color": "{theme/primary}", "font-family": "{base/font/display}", "font-weight": "{base/weight/strong}"},
        "main [data-slot=card]": {
            "background-color": "{theme/card}",
            "border-top-color": "{theme/border}",
            "border-top-left-radius": "{base/radius/xl}px",
            "box-shadow": "{theme/shade} 0px 4px 16px 0px",
            "row-gap": "{base/space/md}px",  # instead of the component's own gap-6
        },
        # with the component's own leading-none, which a size does not replace
        "main [data-slot=card-title]": {
            "color": "{theme/card-foreground}",
            "font-size": "22px",
            "line-height": "22px",
        },
        # with the size of the theme instead of the component's own text-sm, and with the component's own colour
        "main [data-slot=card-description]": {
            "color": "{theme/muted-foreground}",
            "font-size": "13px",
            "line-height": "18.2px",
        },
        "main [data-slot=badge]": {"background-color": "{theme/accent}", "color": "{theme/accent-foreground}"},
        "main p [data-slot=badge]:last-child": {
            "background-color": "{theme/secondary}",
            "color": "{theme/secondary-foreground}",
        },
        "main [data-slot=input]": {
            "border-top-color": "{theme/input}",
            "border-top-left-radius": "{base/radius/md}px",
            "box-shadow": "{theme/shade} 0px 1px 2px 0px",
        },
        "main [data-slot=button]": {
            "background-color": "{theme/primary}",
            "color": "{theme/primary-foreground}",
            "padding-left": "{base/space/md}px",
        },
    },
    "react": {
        "body": {"background-color": "{theme/background}", "color": "{theme/foreground}"},
        "h1": {"color": "{theme/primary}", "font-family": "{base/font/display}", "font-weight": "{base/weight/strong}"},
        "main section": {
            "background-color": "{theme/card}",
            "border-top-color": "{theme/border}",
            "border-top-left-radius": "{base/radius/xl}px",
            "box-shadow": "{theme/shade} 0px 4px 16px 0px",
            "padding-top": "{base/space/lg}px",
        },
        "main h2": {"color": "{theme/card-foreground}", "font-size": "22px", "line-height": "27.5px"},
        "main p": {"color": "{theme/muted-foreground}", "font-size": "13px", "line-height": "18.2px"},
        "main button": {"border-top-color": "{theme/border}", "color": "{theme/card-foreground}"},
        "main button:disabled": {"background-color": "{theme/muted}", "color": "{theme/muted-foreground}"},
        "main button[aria-pressed=true]": {
            "background-color": "{theme/primary}",
            "border-top-color": "{theme/primary}",
            "border-top-left-radius": "{base/radius/md}px",
            "color": "{theme/primary-foreground}",
        },
        "main div + p": {"color": "{theme/destructive}"},
        "main div > p + div": {"background-color": "{theme/secondary}", "height": "{base/space/sm}px"},
        "main div > p + div > div": {"background-color": "{theme/primary}"},
    },
}
"""By page and selector, the computed values. Elements in ``main`` show its theme, and others that of the page."""

COMPUTED = """([expected, main]) => {
  const element = document.querySelector("main")
  if (main) element.dataset.theme = main
  else delete element.dataset.theme
  return Object.entries(expected).flatMap(([selector, values]) => Object.keys(values).map((property) =>
    [selector, property, getComputedStyle(document.querySelector(selector)).getPropertyValue(property)]))
}"""
CORNERS = """async ([width, height]) => {
  const image = document.querySelector("img")
  await image.decode()
  const canvas = Object.assign(document.createElement("canvas"), {width: 2 * width, height: 2 * height})
  const context = canvas.getContext("2d")
  context.drawImage(image, 0, 0)
  const corners = [[0, 0], [width, 0], [0, height], [width, height]]
  return [[image.naturalWidth, image.naturalHeight],
    corners.map(([x, y]) => `rgb(${[...context.getImageData(x, y, 1, 1).data].slice(0, 3).join(", ")})`)]
}"""


@pytest.fixture(scope="module")
def built(package, tmp_path_factory):
    for name in json.loads((WEB / "package.json").read_text("utf-8"))["devDependencies"]:
        package(name)
    folder = tmp_path_factory.mktemp("web") / "pages"
    PHOTOGRAPHER["build_pages"](folder)
    return folder


@pytest.fixture(scope="module")
def computed():
    """Return a text with the computed values of the tokens in braces, in a theme."""
    graph = from_project(load_project(WEB), []).graph
    contexts = {key: [mode.context for mode in of.modes] for key, of in graph.collections.items()}

    def value(name, theme):
        modes = ((key, names.index(theme[key[1]])) for key, names in contexts.items() if key[1] in theme)
        handle, _, path = name.replace("/", ".").partition(".")
        (file,) = {file for file, _ in contexts}
        match graph.resolver(Theme("", tuple(modes)))(TokenKey(file, handle, path)):
            case Color(red, green, blue, alpha):
                channels = ", ".join(str(round(255 * channel)) for channel in (red, green, blue))
                return f"rgb({channels})" if alpha == 1 else f"rgba({channels}, {alpha:g})"
            case Composite(families):
                return ", ".join(json.loads(families))
            case number:
                return f"{number:g}"

    return lambda text, theme: re.sub(r"\{(.*?)\}", lambda match: value(match[1], theme), text)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_the_values_of_its_theme(name, built, computed, browser):
    """In each season, in each theme by choice and by the system, and with each theme within each."""
    page = browser.chromium.new_page(reduced_motion="reduce")
    page.goto((built / name / "index.html").as_uri())
    page.add_style_tag(content="* { transition: none !important }")
    page.locator("main").wait_for()
    compared, differences = 0, []
    states = product(("winter", "summer"), ("light", "dark"), ("", "light", "dark"), ("", "light", "dark"))
    for season, system, chosen, within in states:
        page.emulate_media(color_scheme=system)
        page.locator("select[data-axis=season]").select_option(season)
        page.locator("select[data-axis=theme]").select_option(chosen or "system")
        outer = {"season": season, "theme": chosen or system}
        inner = {**outer, "theme": within or outer["theme"]}
        for selector, shown, quoted in page.evaluate(COMPUTED, [EXPECTED[name], within]):
            expected = computed(EXPECTED[name][selector][shown], inner if selector.startswith("main") else outer)
            actual = quoted.replace('"', "")
            compared += 1
            # Tailwind's shadow is the last one of a list, after its transparent rings
            if actual != expected and not (shown == "box-shadow" and actual.endswith(f", {expected}")):
                differences.append(f"{outer} {within} {selector} {shown}: {actual}, not {expected}")
    page.close()
    print(name, compared, "computed values")
    assert differences == []


@pytest.mark.parametrize("name", PAGES)
def test_the_picture_of_a_page_has_the_colours_of_each_theme(name, computed, browser):
    """The corner of each part is the background, which a picture of other token files would not have."""
    page = browser.chromium.new_page()
    picture = (ROOT / "docs" / "images" / f"web-{name}.png").read_bytes()
    page.set_content(f'<img src="data:image/png;base64,{b64encode(picture).decode()}">')
    width, height = PAGES[name]
    size, corners = page.evaluate(CORNERS, [width, height])
    page.close()
    assert size == [2 * width, 2 * height]
    assert corners == [computed("{theme/background}", theme) for theme in PHOTOGRAPHER["THEMES"]]


def test_the_pages_have_correct_types(built):
    run(["node", MODULES / "typescript" / "bin" / "tsc", "--noEmit", "--project", built])


def test_the_packages_are_those_that_are_checked():
    package = json.loads((WEB / "package.json").read_text("utf-8"))
    locked = json.loads((ROOT / "checks" / "package.json").read_text("utf-8"))["dependencies"]
    wanted = package["dependencies"] | package["devDependencies"]
    assert wanted == {name: locked[name] for name in wanted}
