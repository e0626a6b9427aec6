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
from tokensync.generate.targets.tailwind.names import CONDITIONS, KEYWORDS, names_of

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
  const pairs = rows.map(([name, property, value]) => {
    const [by_class, by_style] = ["p", "p"].map((tag) => around.appendChild(document.createElement(tag)))
    by_class.className = name
    by_style.style.borderStyle = "solid"
    by_style.style.setProperty(property, value)
    return [name, property, by_class, by_style]
  })
  return pairs.filter(([name, property, by_class, by_style]) =>
    getComputedStyle(by_class).getPropertyValue(property) !== getComputedStyle(by_style).getPropertyValue(property)
  ).map(([name, property, one, other]) => [name, getComputedStyle(one).getPropertyValue(property),
    getComputedStyle(other).getPropertyValue(property)])
}"""


def test_each_utility_shows_its_variable_in_each_theme(subject, tailwind, chromium, tailwind_merge):
    """Alone, after a class of Tailwind's own within ``cn()``, and with a random modifier such as ``/37``."""
    random = Random(3)
    sheet = output_of(subject.resolution, OutputRequest(platform="tailwind"), Notation(CssOptions()))
    names = names_of(sheet)
    files = subject.files("tailwind", TailwindOptions(merge=True))
    declared = re.findall(r"^ +(--[\w-]+):", files["theme.css"].decode().partition("@layer theme")[0], re.MULTILINE)
    classes = Counter(utility(name) for name in names.themed.values())
    rows = []
    for index, name in names.themed.items():
        space = names.spaces[index]
        if not name.isascii() or f"--{name}" not in declared:
            continue
        if space in SHOWN_BY and classes[utility(name)] == 1:
            rows.append((utility(name), *SHOWN_BY[space], f"var({sheet.names[index]})"))
        if index in names.roles:
            role = next(role for role in BEGINNINGS if names.roles[index].startswith(f"{role}-"))
            class_ = BEGINNINGS[role] + names.roles[index].removeprefix(f"{role}-")
            rows.append((class_, *SHOWN_BY[role], f"var({sheet.names[index]})"))
    rows = random.sample(rows, min(len(rows), 1_500))
    merged = tailwind_merge([f"{own} {name}" for name, _, own, _ in rows], json.loads(files["tailwind-merge.json"]))
    tested = [(name, shown, value) for name, shown, _, value in rows]
    tested += [(name, shown, value) for name, (_, shown, _, value) in zip(merged, rows, strict=True)]
    for name, shown, _, value in rows:
        if "color" in shown:
            share = random.randrange(1, 100)
            tested.append(
                (
                    f"{name}/{share}",
                    shown,
                    f"color-mix(in oklab, {value} var(--opacity-{share}, {share}%), transparent)",
                )
            )
    css = tailwind(SHEET, {"theme.css": files["theme.css"].decode()}, [name for name, _, _ in tested])
    single = [each[0] for axis in axes(subject.graph) for each in axis.choices()]
    placements = [[], *([each] for each in random.sample(single, min(len(single), 6)))]
    placements += [random.choices(single, k=3) for _ in range(3)] if single else []
    differences = []
    with chromium(f"{css} * {{ transition-property: none }}") as page:
        for scheme in ("light", "dark"):
            page.emulate(scheme=scheme)
            for placement in placements:
                differing = page.page.evaluate(DIFFERING, [tested, placement])
                differences += [(scheme, placement, *row) for row in differing]
    print(subject.name, 2 * len(placements) * len(tested), "computed styles compared")
    assert differences == []
