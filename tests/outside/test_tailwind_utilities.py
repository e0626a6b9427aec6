"""The classes of a Tailwind theme in use: beside Tailwind's own, after ``cn()``, and in each theme."""

import json
import re
from collections import Counter
from itertools import pairwise, product
from random import Random

import pytest
from generate.targets.cases import CASES
from graphs import collection, graph, token
from outside.css_oracle import Oracle
from outside.css_themes import axes
from outside.test_tailwind import PREFIXED_SHEET, SHEET, renamed, utility

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.css.texts import Notation, output_of
from tokensync.generate.targets.tailwind import TailwindOptions
from tokensync.generate.targets.tailwind.render import CONDITIONS, KEYWORDS, names_of

pytestmark = pytest.mark.outside


@pytest.mark.parametrize("case", ["tailwind/combined", "tailwind/prefix", "tailwind/themes"])
def test_the_variant_dark_applies_where_the_theme_is_dark(case, tailwind, chromium):
    """In up to four contexts that alternate, on their own elements and within, in each appearance of the system."""
    graph_of_schemes, request = CASES[case]
    (file,) = generate(graph_of_schemes, request)[0]
    axis = "color-scheme" if case.endswith("themes") else "scheme"
    light = f'data-{axis}="light"'
    dark = 'class="dark"' if case.endswith("prefix") else f'data-{axis}="dark"'
    classes = ["tw:dark:z-[7]" if case.endswith("prefix") else "dark:z-[7]"]
    css = tailwind(PREFIXED_SHEET if case.endswith("prefix") else SHEET, {"theme.css": file.content.decode()}, classes)
    nestings = [(), *((mode,) for mode in (dark, light)), (dark, light), (light, dark), (dark, light, dark)]
    nestings += [(light, dark, light), (light, dark, light, dark), (dark, dark, light, light, dark)]
    html = ""
    for nesting in nestings:
        inside = f'<p class="{classes[0]}"></p>'
        for at, mode in enumerate(reversed(nesting)):
            attributes = mode if at else f"{mode} data-itself"
            inside = f"<div {attributes}>{inside}</div>"
        html += inside
    shown = """(name) => [...document.querySelectorAll("p, [data-itself]")].map((element) => {
      element.classList.add(name)
      return [getComputedStyle(element).zIndex, getComputedStyle(element).colorScheme]
    })"""
    with chromium(css, html) as page:
        for scheme, contrast in product(("light", "dark"), ("no-preference", "more")):
            page.emulate(scheme=scheme, contrast=contrast)
            rows = page.page.evaluate(shown, classes[0])
            assert len(rows) == 2 * len(nestings) - 1
            for index, scheme_of_element in rows:
                is_dark = scheme_of_element == "dark" or (scheme_of_element == "light dark" and scheme == "dark")
                assert (index == "7") == is_dark, rows


SIZED = (
    *("w", "min-w", "max-w", "basis", "h", "min-h", "max-h", "size", "block", "min-block", "max-block"),
    *("m", "mx", "p", "gap", "inset", "top", "translate", "translate-x", "space-x", "scroll-m", "indent", "columns"),
    *("border-spacing", "start", "end", "inset-x"),
)
STYLES = """() => [...document.querySelectorAll("p")].map((element) =>
  Object.fromEntries([...getComputedStyle(element)].filter((name) => !name.startsWith("--"))
    .map((name) => [name, getComputedStyle(element).getPropertyValue(name)])))"""


@pytest.mark.parametrize("prefix", ["", "tw"])
def test_a_size_takes_no_utility_of_tailwind(prefix, tailwind, chromium):
    """Sizes with all names of containers and of keywords: each class that Tailwind has without them stays the same."""
    of = collection("Base")
    names = [*CONDITIONS["container"], *sorted(KEYWORDS), "prose"]
    token_graph = graph(
        of, *(token(of, f"space/{name}", 7, type="dimension") for name in names), token(of, "full", 7, type="dimension")
    )
    (file,) = generate(token_graph, OutputRequest(platform="tailwind", options=TailwindOptions(prefix=prefix)))[0]
    before = f"{prefix}:" if prefix else ""
    classes = [f"{before}{size}-{name}" for size in SIZED for name in names]
    sheet = PREFIXED_SHEET if prefix else SHEET
    alone = tailwind(sheet, {"theme.css": ""}, classes)
    selectors = {each.replace("\\", "") for each in re.findall(r"\.((?:[\w-]|\\.)+)(?=[ :]*\{| >)", alone)}
    classes = [name for name in classes if name in selectors]
    assert len(classes) > 150
    html = "".join(f'<p class="{name}"></p>' for name in classes)
    with_theme = tailwind(sheet, {"theme.css": file.content.decode()}, [*classes, f"{before}p-md"])
    styles = []
    for css in (alone, with_theme):
        with chromium(css, f'{html}<p class="{before}p-md"></p>') as page:
            styles.append(page.page.evaluate(STYLES))
    assert styles[0][-1]["padding-top"] == "0px" and styles[1][-1]["padding-top"] == "7px"
    assert [
        name for name, own, other in zip(classes, *(each[:-1] for each in styles), strict=True) if own != other
    ] == []


def declared_by(css):
    """Return the properties that each class without a variant declares."""
    rules = re.findall(r"^ *\.((?:[\w-]|\\.)+) \{([^{}]*)\}", css, re.MULTILINE)
    return {
        name.replace("\\", ""): frozenset(re.findall(r"^ *([\w-]+):", declarations, re.MULTILINE))
        for name, declarations in rules
    }


PAIRS = 2_000


@pytest.mark.parametrize("prefix", ["", "tw"])
def test_tailwind_merge_keeps_what_the_later_class_does_not_set(subject, prefix, tailwind, tailwind_merge):
    """Pairs of classes of the theme and of Tailwind, from a seed: the first one goes if the second sets all it sets."""
    themed = renamed(subject, Oracle(subject.graph))
    files = subject.files("tailwind", TailwindOptions(prefix=prefix, merge=True))
    classes = Counter(utility(name) for name in themed if name.isascii())
    own = [
        "p-4",
        "p-px",
        "text-lg",
        "font-bold",
        "font-mono",
        "leading-6",
        "rounded",
        "bg-red-500",
        "border-2",
        "w-full",
    ]
    before = f"{prefix}:" if prefix else ""
    candidates = [f"{before}{name}" for name, number in classes.items() if number == 1] + [
        before + name for name in own
    ]
    sheet = PREFIXED_SHEET if prefix else SHEET
    css = tailwind(sheet, {"theme.css": files["theme.css"].decode()}, candidates)
    declared = declared_by(css)
    usable = sorted(name for name in candidates if declared.get(name) and ":" not in name.removeprefix(before))
    random = Random(7)
    pairs = [tuple(random.sample(usable, 2)) for _ in range(PAIRS)]
    pairs += [(first, second) for first, second in pairwise(usable) if declared[first] == declared[second]]
    merged = tailwind_merge(map(" ".join, pairs), json.loads(files["tailwind-merge.json"]))
    compared, differences = 0, []
    for (first, second), text in zip(pairs, merged, strict=True):
        if declared[first] <= declared[second]:
            expected = second
        elif declared[first].isdisjoint(declared[second]) and not (f"{before}leading" in first and "text-" in second):
            expected = f"{first} {second}"
        else:
            continue
        compared += 1
        if text != expected:
            differences.append(f"{first} {second}: {text}")
    print(subject.name, compared, "pairs of classes")
    assert differences == []
    assert compared > PAIRS // 2


def test_tailwind_merge_alone_drops_classes_of_the_theme(tailwind_merge):
    """So that the configuration is of use; where this fails, it no longer is."""
    assert tailwind_merge(["text-muted text-caption", "p-4 p-sm"]) == ["text-caption", "p-4 p-sm"]


SHOWN_BY = {
    # the property that the class of a namespace shows, and a class of Tailwind's own for the same one
    "border-width": ("border-top-width", "border-2"),
    "color": ("background-color", "bg-red-500"),
    "ease": ("transition-timing-function", "ease-in"),
    "font": ("font-family", "font-mono"),
    "font-weight": ("font-weight", "font-thin"),
    "leading": ("line-height", "leading-6"),
    "opacity": ("opacity", "opacity-20"),
    "radius": ("border-top-left-radius", "rounded"),
    "spacing": ("padding-top", "p-4"),
    "text": ("font-size", "text-lg"),
    "tracking": ("letter-spacing", "tracking-wide"),
    "transition-duration": ("transition-duration", "duration-75"),
    "text-color": ("color", "text-red-500"),
    "background-color": ("background-color", "bg-red-500"),
    "border-color": ("border-top-color", "border-red-500"),
}
BEGINNINGS = {"text-color": "text-", "background-color": "bg-", "border-color": "border-"}
DIFFERING = """([rows, attributes]) => {
  let around = document.body
  for (const each of attributes) {
    const element = document.createElement("div")
    for (const [name, value] of Object.entries(each)) element.setAttribute(name, value)
    around.append(element)
    around = element
  }
  const pairs = rows.map(([name, property, value, width]) => {
    const [by_class, by_style] = ["p", "p"].map((tag) => around.appendChild(document.createElement(tag)))
    by_class.className = name
    if (innerWidth >= width) {
      by_style.style.borderStyle = "solid"
      by_style.style.setProperty(property, value)
    }
    return [name, property, by_class, by_style]
  })
  return pairs.filter(([name, property, by_class, by_style]) =>
    getComputedStyle(by_class).getPropertyValue(property) !== getComputedStyle(by_style).getPropertyValue(property)
  ).map(([name, property, one, other]) => [name, getComputedStyle(one).getPropertyValue(property),
    getComputedStyle(other).getPropertyValue(property)])
}"""
WIDTHS = (500, 800, 1500)
"""The widths of viewports, below and above breakpoints."""


def of_css(text):
    """Return CSS with other names of properties: an opacity has another unit in the css output."""
    return re.sub(r"(?<![\w-])--(?=\w)", "--css-", text)


def classes_of(subject, theme):
    """Return rows of classes: the class, the property that shows it, another class for it, and the token's value."""
    sheet = output_of(subject.resolution, OutputRequest(platform="tailwind"), Notation(CssOptions()))
    names = names_of(sheet)
    declared = re.findall(r"^ +(--[\w-]+):", theme, re.MULTILINE)
    classes = Counter(utility(name) for name in names.themed.values())
    rows = []
    for index, name in names.themed.items():
        space = names.spaces[index]
        if not name.isascii() or f"--{name}" not in declared:
            continue
        value = of_css(f"var({sheet.names[index]})")
        if space in SHOWN_BY and classes[utility(name)] == 1:
            rows.append((utility(name), *SHOWN_BY[space], value))
        if index in names.roles:
            role = next(role for role in BEGINNINGS if names.roles[index].startswith(f"{role}-"))
            class_ = BEGINNINGS[role] + names.roles[index].removeprefix(f"{role}-")
            rows.append((class_, *SHOWN_BY[role], value))
    return rows


def with_modifiers_and_variants(rows, theme, random):
    """Yield classes such as ``bg-x/37`` and ``lg:bg-x``, with the property, its value, and a viewport's least width."""
    for name, shown, _, value in rows:
        if "color" in shown:
            share = random.randrange(1, 100)
            mix = f"color-mix(in oklab, {value} var(--opacity-{share}, {share}%), transparent)"
            yield f"{name}/{share}", shown, mix, 0
    screens = {name: f"{rem}rem" for name, rem in CONDITIONS["breakpoint"].items()}
    screens |= dict(re.findall(r"^ +--breakpoint-([a-z]+): (\S+);", theme, re.MULTILINE))
    for name, shown, _, value in random.sample(rows, min(len(rows), 300)):
        screen = random.choice([*screens])
        yield f"{screen}:{name}", shown, value, float(screens[screen].removesuffix("rem")) * 16


@pytest.mark.parametrize("form", ["blocks", "inline"])
def test_each_utility_shows_its_token_in_each_theme(subject, form, tailwind, chromium, tailwind_merge):
    """The token of the css output: alone, after a class of Tailwind's own within ``cn()``, with modifiers and variants.

    Modifiers, and variants in viewports of several widths, are drawn from a seed.
    """
    random = Random(3)
    files = subject.files("tailwind", TailwindOptions(merge=True, form=form))
    theme = files["theme.css"].decode().partition("@layer theme")[0]
    rows = classes_of(subject, theme)
    rows = random.sample(rows, min(len(rows), 1_500))
    merged = tailwind_merge([f"{own} {name}" for name, _, own, _ in rows], json.loads(files["tailwind-merge.json"]))
    tested = [(name, shown, value, 0) for name, shown, _, value in rows]
    tested += [(name, shown, value, 0) for name, (_, shown, _, value) in zip(merged, rows, strict=True)]
    tested += with_modifiers_and_variants(rows, theme, random)
    css = tailwind(SHEET, {"theme.css": files["theme.css"].decode()}, [name for name, *_ in tested])
    css += of_css(subject.files("css")["tokens.css"].decode())
    single = [each[0] for axis in axes(subject.graph) for each in axis.choices()]
    placements = [[], *([each] for each in random.sample(single, min(len(single), 6)))]
    placements += [random.choices(single, k=3) for _ in range(3)] if single else []
    number, differences = Counter(), []
    with chromium(f"{css} * {{ transition-property: none }}") as page:
        for scheme, width, placement in product(("light", "dark"), WIDTHS, placements):
            page.emulate(scheme=scheme)
            page.page.set_viewport_size({"width": width, "height": 600})
            of_width = tested if width == WIDTHS[1] else [row for row in tested if row[3]]
            differing = page.page.evaluate(DIFFERING, [of_width, placement])
            differences += [(scheme, width, placement, *row) for row in differing]
            number.update(bool(row[3]) for row in of_width)
    print(subject.name, form, number.total(), "computed styles compared,", number[True], "of variants")
    assert differences == []


OWN = (
    "w-full w-screen w-fit w-1/2 w-4 h-full h-4 size-4 size-6 min-w-0 min-w-full m-auto mx-auto m-4 p-0.5 p-4 "
    "gap-2 space-x-4 inset-0 top-4 columns-3 z-10 order-2 max-w-md max-w-2xl max-w-full max-w-none "
    "max-w-screen-lg basis-full grid-cols-3 col-span-2 text-center text-left text-wrap text-ellipsis text-current "
    "bg-fixed bg-cover bg-center bg-none border-solid border-collapse border-2 border-x border-current outline-2 "
    "ring-2 rounded-none opacity-50 opacity-0 duration-150 delay-75 aspect-video aspect-square scale-95 rotate-45 "
    "translate-x-4 line-clamp-3 list-disc object-cover underline-offset-4 stroke-2 fill-current cursor-pointer "
    "will-change-transform tracking-normal leading-none grow scroll-m-4 indent-4 blur-none "
    "shadow-none transition-none flex-1 shrink-0 origin-top"
).split()


@pytest.mark.parametrize("form", ["blocks", "inline"])
def test_no_class_of_tailwind_changes(subject, form, tailwind, chromium):
    """Unless a token has its name, as ``spacing-4``."""
    sheet = output_of(subject.resolution, OutputRequest(platform="tailwind"), Notation(CssOptions()))
    names = names_of(sheet)
    replaced = {utility(name) for name in names.themed.values()}
    sizes = {name.removeprefix("spacing-") for name in names.themed.values()} - {*KEYWORDS, *CONDITIONS["container"]}
    (theme,) = subject.files("tailwind", TailwindOptions(form=form)).values()
    html = "".join(f'<p class="{name}"></p>' for name in OWN)
    styles = []
    for css in ("", theme.decode()):
        with chromium(tailwind(SHEET, {"theme.css": css}, OWN), html) as page:
            styles.append(page.page.evaluate(STYLES))
    kept = [name for name in OWN if name not in replaced and name.rpartition("-")[2] not in sizes]
    assert len(kept) > len(OWN) // 2
    changed = [
        name
        for name, own, other in zip(OWN, *styles, strict=True)
        if name in kept and {**own, "color-scheme": ""} != {**other, "color-scheme": ""}
    ]
    print(subject.name, form, sum(map(len, styles[0])), "computed styles that must not change,", len(kept), "classes")
    assert changed == []


def test_a_page_has_the_tokens_that_it_uses(subject, tailwind, minify):
    """In the form inline: two utilities of Primer, with nine modes, and what Tailwind itself needs."""
    (theme,) = subject.files("tailwind", TailwindOptions(form="inline")).values()
    colors = re.findall(r"^ +--color-([a-z-]+):", theme.decode(), re.MULTILINE)
    sheet = '@import "tailwindcss";\n@import "./theme.css";'
    alone, *_ = minify([tailwind(sheet, {"theme.css": ""}, ["p-4"])], [])
    page, *_ = minify([tailwind(sheet, {"theme.css": theme.decode()}, [f"bg-{colors[0]}", f"text-{colors[-1]}"])], [])
    print(subject.name, len(page), "bytes for two utilities,", len(alone), "of Tailwind alone")
    assert len(page) < 12_000 or subject.name in ("moon", "generated")
