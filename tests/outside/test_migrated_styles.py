"""Chromium uses the custom properties of a style sheet, and of the outputs after its migration: the same values.

Each property that can use a custom property is asked for its computed value. A value that none can use is no value.
"""

import json
import re
from pathlib import Path

import pytest

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import propose
from tokensync.migrate.readers import dtcg_files
from tokensync.migrate.readers.css import reader as css
from tokensync.migrate.readers.source_files import read_source, recognize

pytestmark = pytest.mark.outside

USED = (Path(__file__).parent / "used.js").read_text(encoding="utf-8")
PROPERTIES = """color width margin-left z-index opacity font-family font-weight font-size line-height letter-spacing
    transition-duration transition-timing-function box-shadow background-image border border-style border-radius filter
    animation grid-template-columns aspect-ratio transform content text-transform background-size""".split()


def used(chromium, sheet, names, **attributes):
    """The computed values of the properties that can use each name; None for a name that nothing declares."""
    with chromium(sheet) as page:
        found = page.page.evaluate(USED, [names, PROPERTIES, attributes])
    return {name: None if each is None else _meant(dict(each)) for name, each in zip(names, found, strict=True)}


def _meant(values):
    """The value of the property that is meant: words of colours and lists of fonts can name animations, too."""
    is_list = "," in values.get("font-family", "")
    meant = "color" if "color" in values else "font-family" if is_list else ""
    return {meant: values[meant]} if meant else values


def migrated(text):
    """The ledger of a style sheet's migration, and the CSS that is generated from its tokens."""
    return of_source(css.read({"a.css": text.encode()}))


def of_source(source):
    converted = convert(source, propose(source), "file")
    files, _ = generate(converted.graph, OutputRequest(platform="css"))
    return converted.ledger, files[0].content.decode()


def names_in(text):
    return [*dict.fromkeys(re.findall(r"(?<![\w-])(--[\w-]+)\s*:", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))]


def test_values_that_only_css_can_read_are_the_same_in_use(chromium):
    text = """:root {
        --ink: 210 17% 98%; --share: 40%; --sum: calc(var(--share) + 2%); --space: -0.02em; --ease: ease-in-out;
        --gradient: linear-gradient(hsl(var(--ink) / 50%), hsl(var(--ink) / var(--share)), hsl(var(--ink)));
        --curve: cubic-bezier(.2, 0, 0, 1); --all: opacity 1s var(--curve); --fluid: clamp(1rem, 2vw, 3rem);
        --light: inset 0 -.5px 0 0 #fff, 0 0 1px red; --shadow: 0 1px 2px hsl(var(--ink) / .5), var(--light) }"""
    ledger, output = migrated(text)
    names = names_in(text)
    before, after = used(chromium, text, names), used(chromium, output, names)
    assert ledger.counts.tokens_reported == 0
    assert {name for name in names if before[name] != after[name]} == {"--ink"}  # the parts of a colour became one
    assert {name for name in names if not after[name]} == set()


def test_names_of_open_props_have_the_values_that_the_ledger_counts(chromium, package):
    text = (package("open-props") / "open-props.min.css").read_text(encoding="utf-8")
    ledger, output = migrated(text)
    names = names_in(text)
    before, after = used(chromium, text, names), used(chromium, output, names)
    of_page = [name for name in names if before[name] is not None]
    equal = [name for name in of_page if before[name] == after[name]]
    print(f"open-props: {len(equal)} of {len(of_page)} names have the same values")
    assert (ledger.counts.names_kept, ledger.counts.names) == (len(equal), len(of_page)) == (595, 603)


def test_names_of_carbon_have_the_values_that_the_package_publishes(chromium, package, esm):
    """The white theme joins the words of its names with hyphens, and the others nest them."""
    ledger, output = of_source(dtcg_files.read(read_source(str(package("@carbon/themes") / "src" / "dtcg")).documents))
    assert (ledger.counts.tokens_read, ledger.counts.tokens_migrated) == (1_487, 1_487)
    published = esm(package("@carbon/themes") / "es" / "index.js")
    for theme in ("white", "g10", "g90", "g100"):
        colors = {
            "--" + re.sub(r"(?<=[a-z])(?=[A-Z\d])|(?<=\d)(?=[A-Z])", "-", name).lower(): value
            for name, value in published[theme].items()
            if isinstance(value, str) and name != "colorScheme"
        }
        text = f":root {{ {'; '.join(map(': '.join, colors.items()))} }}"
        before = used(chromium, text, [*colors])
        after = used(chromium, output, [*colors], **{"data-theme": theme})
        assert {name for name in colors if before[name] != after[name]} == set()
        assert len(colors) >= 234


def equal_values(chromium, output, cases):
    """How many names in all cases have the values of the package, and how many names its page has."""
    equal = total = 0
    for sheet, own, chosen in cases:
        names = names_in(sheet)
        before, after = used(chromium, sheet, names, **own), used(chromium, output, names, **chosen)
        of_page = [name for name in names if before[name] is not None]
        total += len(of_page)
        equal += sum(before[name] == after[name] for name in of_page)
    return equal, total


def sheet_of(values):
    return f":root {{ {'; '.join(f'--{name}: {value}' for name, value in values.items())} }}"


def polaris(folder):
    source = folder / "dist" / "css" / "styles.css"
    text = source.read_text(encoding="utf-8")
    others = ("light-mobile", "light-high-contrast-experimental", "dark-experimental")
    themed = [(text, {"class": f"p-theme-{name}"}, {"data-appearance": name}) for name in others]
    return source, [(text, {}, {}), *themed]


def f36_css(folder):
    source = folder / "dist" / "css"
    sheets = [path.read_text(encoding="utf-8") for path in sorted(source.rglob("*.css")) if path.name != "index.css"]
    return source, [("\n".join(sheets), {}, {})]


def f36_json(folder):
    source = folder / "dist" / "json"
    values = {}
    for path in sorted(source.rglob("*.json")):
        values |= json.loads(path.read_bytes())
    return source, [(sheet_of(values), {}, {})]


def cloudscape(folder):
    source = folder / "index-visual-refresh.json"
    cases = []
    for mode in ("light", "dark"):
        values = {}
        for name, token in json.loads(source.read_bytes())["tokens"].items():
            value = token["$value"]
            if isinstance(value, dict):
                value = next((value[each] for each in (mode, "comfortable", "default") if each in value), None)
            if isinstance(value, str | int | float):
                values[f"tokens-{re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '-', name).lower()}"] = value
        cases.append((sheet_of(values), {}, {"data-theme": mode}))
    return source, cases


def spectrum(folder):
    source = folder / "dist" / "css" / "index.css"
    text = source.read_text(encoding="utf-8")
    return source, [
        (
            text,
            {"class": f"spectrum spectrum--{mode} spectrum--medium"},
            {"data-appearance": mode, "data-theme-2": "medium"},
        )
        for mode in ("light", "dark")
    ]


ROWS = {
    "@shopify/polaris-tokens 9.4.2, CSS": (polaris, 1_808, 1_808),
    "@contentful/f36-tokens 6.3.1, CSS": (f36_css, 281, 281),
    "the same, JSON": (f36_json, 281, 281),
    "@cloudscape-design/design-tokens 3.0.110, DTCG": (cloudscape, 1_086, 1_130),
    "@spectrum-css/tokens 16.0.2, CSS": (spectrum, 3_515, 4_252),
}
"""The rows of docs/migration.md, how many of their values are equal, and of how many."""


@pytest.mark.parametrize("row", ROWS)
def test_a_package_keeps_as_many_values_as_its_row_in_the_documentation_says(chromium, package, row):
    read, equal, total = ROWS[row]
    name = row.rpartition(" ")[0].partition(" ")[0]
    source, cases = read(package("@contentful/f36-tokens" if name == "the" else name))
    _, output = of_source(recognize(str(source)).source)
    assert equal_values(chromium, output, cases) == (equal, total)
    page = (Path(__file__).parents[2] / "docs" / "migration.md").read_text(encoding="utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith(f"| {row} |"))
    assert line.split(" | ")[3] in {f"{equal:,} of {total:,}", *([f"{equal:,}"] if equal == total else [])}
