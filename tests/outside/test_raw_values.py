"""Raw values of published style sheets, as postcss reads them and Chromium takes them for colours, and fixes."""

from collections import Counter

import pytest
from checkers import MODULES, missing, node
from graphs import alias, collection, color, graph, token

from tokensync.code.files import parts
from tokensync.code.fitting import Fitting
from tokensync.code.raw_values import raw_values
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.project.configuration import load_project
from tokensync.system.positions import replaced
from tokensync.tokens import Quantity

pytestmark = pytest.mark.outside

SHEETS = {
    "open-props": ("src/**/*.css", 900),
    "tailwindcss": ("*.css", 250),
    "polished": ("docs/assets/*.css", 20),
    "@primer/primitives": ("dist/css/functional/themes/dark.css", 700),
    "@carbon/themes": ("**/*.scss", 300),
}
"""Packages with the globs of their style sheets, and the fewest colours that have to be in them."""
JUDGE = """candidates => {
  const style = document.body.style;
  return candidates.map(([property, text, isName]) => {
    if (/var\\(|^(--|color-mix)/.test(text) || !CSS.supports("color", text)) return false;
    style.color = text;
    const forms = ["red", "0 0 red", "linear-gradient(red, red)", "drop-shadow(0 0 red)"];
    const takes = !isName || (!property.startsWith("--") && forms.some(form => CSS.supports(property, form)));
    return takes && !/[ /,]0\\)$/.test(style.color.startsWith("rgba") ? style.color : "");
  });
}"""


@pytest.fixture(scope="module")
def candidates():
    return node("postcss-value-parser", "css_candidates.mjs")


def sheets(package):
    pattern, _ = SHEETS[package]
    folder = MODULES / package
    found = [path for path in sorted(folder.glob(pattern)) if "node_modules" not in path.relative_to(folder).parts]
    return found or missing(package, "`make verify` installs it")


def contained(inner, outer):
    """Return the ranges that are in none of the others."""
    return [(start, end) for start, end in inner if not any(first <= start and end <= last for first, last in outer)]


@pytest.mark.parametrize("package", SHEETS)
def test_every_color_of_a_published_style_sheet_is_found_and_nothing_else(package, candidates, chromium):
    texts = {str(path): path.read_text(encoding="utf-8") for path in sheets(package)}
    read = candidates(texts)
    asked = {(prop, written, written[0] != "#" and not call) for of in read.values() for _, prop, written, call in of}
    with chromium("") as page:
        outcomes = dict(zip(asked, page.page.evaluate(JUDGE, [*asked]), strict=True))
    missed, wrong, judged = Counter(), Counter(), 0
    for path, text in texts.items():
        has_names = not path.endswith(".scss")  # of which the judge cannot know what is a key, or a name in a function
        colors = [
            (at, at + len(written))
            for at, prop, written, call in read[path]
            if outcomes[prop, written, written[0] != "#" and not call] and (has_names or not written.isalpha())
        ]
        own = [
            (raw.start, raw.end)
            for part in parts(path, text)
            for raw in raw_values(part, text)
            if raw.type == "color" and not (raw.text.isalpha() and not (has_names and raw.use[:2] != "--"))
        ]
        judged += len(colors)
        missed.update(text[start:end] for start, end in contained(colors, own))
        wrong.update(text[start:end] for start, end in contained(own, colors))
    assert judged >= SHEETS[package][1]
    assert (missed, wrong) == ({}, {})


CODE = """
.a { color: #0969da; background: rgb(207 34 46); padding: 8px 3px; border: 2px solid #1f2328 }
.b { color: #1f2328; margin: calc(8px + 1px) -8px; box-shadow: 0 2px 8px #0969da80; transition: opacity 200ms }
.c { background: linear-gradient(#cf222e, white); outline: 1px solid hsl(212.1 92% 44.5%); font-weight: 600 }
"""
PROPERTIES = (
    "color background-color background-image padding margin border box-shadow transition outline font-weight".split()
)


def test_a_fix_changes_no_computed_style_in_any_theme(tmp_path, monkeypatch, chromium):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tokensync.toml").write_text(
        '[[files]]\nname = "one"\nkey = "key"\n[[outputs]]\nplatform = "css"\npath = "out"\n', encoding="utf-8"
    )
    base, theme = collection("Base"), collection("Theme", "Light", "Dark")
    known = graph(
        base,
        theme,
        token(base, "blue", color("#0969da")),
        token(base, "space/8", 8.0, type="dimension"),
        token(base, "duration/fast", Quantity(200, "ms"), type="duration"),
        token(base, "weight/strong", 600.0, type="fontWeight"),
        token(theme, "text/link", alias("Base", "blue")),
        token(theme, "text/default", color("#1f2328"), color("#ffffff")),
        token(theme, "danger", color("#cf222e")),
    )
    fitting, edits = Fitting(load_project(), known), []
    for part in parts("a.css", CODE):
        fits = ((raw, fitting.unambiguous(raw)) for raw in raw_values(part, CODE))
        edits += [(raw.start, raw.end, fit.reference) for raw, fit in fits if fit]
    fixed = replaced(CODE, edits)
    assert len(edits) == 7 and "#1f2328" in fixed and fixed.count("var(--danger)") == 2
    files, _ = generate(known, OutputRequest(platform="css"))
    tokens = files[0].content.decode("utf-8")
    html = "<body><p class='a'></p><p class='b'></p><p class='c'></p></body>"
    styles = []
    for code in (CODE, fixed):
        with chromium(tokens + code, html) as page:
            read = f"""[...document.querySelectorAll("p")].map(element => {PROPERTIES}.map(
                property => getComputedStyle(element).getPropertyValue(property)))"""
            of_themes = []
            for mode in ("light", "dark"):
                page.page.evaluate(f"document.documentElement.setAttribute('data-theme', '{mode}')")
                of_themes.append(page.page.evaluate(read))
            styles.append(of_themes)
    assert styles[0] == styles[1]
