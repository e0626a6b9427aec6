"""Chromium uses the custom properties of a style sheet, and of the outputs after its migration: the same values.

Each property that can use a custom property is asked for its computed value. A value that none can use is no value.
"""

import re
from pathlib import Path

import pytest

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import propose
from tokensync.migrate.readers import dtcg_files
from tokensync.migrate.readers.css import reader as css
from tokensync.migrate.readers.source_files import read_source

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
