"""Public stylesheets as sources of a migration: counted by tinycss2's parser of blocks, and compared with JSON.

Open Props publishes the same tokens as CSS and as JSON. Its JSON is read by json alone.
"""

import json
import re

import pytest
from migrate.stylesheet_sources import lines_declared

from tokensync.migrate.readers.css import reader as css

pytestmark = pytest.mark.outside

SHEETS = {
    ("open-props", "src", "props.*.css"): 1_500,
    ("open-props", ".", "*.min.css"): 4_500,
    ("tailwindcss", ".", "theme.css"): 400,
}
"""The stylesheets of packages, with the least number of declarations in them."""


@pytest.mark.parametrize(("name", "folder", "pattern"), SHEETS)
def test_every_declaration_of_a_stylesheet_is_read_or_reported(package, name, folder, pattern):
    total = reported = 0
    for file in sorted((package(name) / folder).glob(pattern)):
        source = css.read({file.name: file.read_bytes()})
        assert source.read == len(lines_declared(file.read_text(encoding="utf-8"))), file.name
        total += source.read
        reported += sum(each.is_token for each in source.unread)
    print(f"{name}/{folder}/{pattern}: {total:,} declarations, {reported:,} of them reported")
    assert total >= SHEETS[name, folder, pattern]


@pytest.fixture(scope="module")
def open_props(package):
    """The default values of the package's stylesheets by custom property, with references as var()."""
    folder = package("open-props") / "src"
    imported = re.findall(r"@import '([^']+)'", (folder / "index.css").read_text(encoding="utf-8"))
    source = css.read({name: (folder / name).read_bytes() for name in ("index.css", *imported)})
    codes = {token.path: token.code_syntax[0][1] for _, token in source.tokens()}
    defaults = {name for theme in source.themes if theme.is_default for name in theme.sets}
    return {
        codes[token.path][4:-1]: re.sub(r"\{([^{}]+)\}", lambda found: codes[found[1]], plain(token.value))
        for each, token in source.tokens()
        if each.name in defaults
    }


def plain(value):
    """A value as one text without the notation of its format: quotes, spaces, zeros of numbers."""
    match value:
        case list():
            text = ",".join(f"{each:g}" if isinstance(each, float) else each for each in value)
        case int() | float():
            text = f"{value:g}"
        case _:
            text = str(value)
    text = re.sub(r"[\"']", "", " ".join(text.split()))
    text = re.sub(r"\s*([,()/])\s*", r"\1", text)
    text = re.sub(r"(?<![\w.#-])-?\d*\.\d+", lambda found: f"{float(found[0]):g}", text)
    return re.sub(r"^cubic-bezier\((.*)\)$", r"\1", text).lower()


def test_the_css_and_the_json_of_open_props_agree(open_props, package):
    content = json.loads((package("open-props") / "open-props.tokens.json").read_text(encoding="utf-8"))
    written = {name: each["$value"] for name, each in content.items()}
    shared = written.keys() & open_props.keys()
    found = {name: plain(open_props[name]) for name in shared}
    differing = {name: (found[name], plain(written[name])) for name in shared if found[name] != plain(written[name])}
    print(f"open-props: {len(written)} tokens in JSON, {len(open_props)} in CSS, {len(shared)} compared")
    assert differing == {}
    assert len(shared) > 450
    assert written.keys() - open_props.keys() == {"--gradient-space"}  # under @supports, so in no theme
