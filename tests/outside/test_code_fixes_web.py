"""Chromium computes the same styles of a page in every theme before and after ``check --fix`` corrects its code."""

import json
import re
from pathlib import Path

import pytest
from commands.projects import output, project_in, tokensync

pytestmark = pytest.mark.outside

COLOR = {"colorSpace": "srgb"}
TOKENS = {
    "text": {"default": ("#1f2328", "#f0f6fc"), "link": ("#0969da", "#0969da"), "danger": ("#cf222e", "#cf222e")},
    "surface": {"page": ("#ffffff", "#0d1117"), "note": ("#fff8c5", "#fff8c5")},
    "border": {"strong": ("#59636e", "#59636e")},
}
PAGE = """<style>
body { color: #1f2328; background: #fff }
a { color: #0969da; text-decoration-color: rgb(9, 105, 218) }
a:not(#fff8c5) { border-bottom: 2px solid #59636e }
.note { background: linear-gradient(#fff8c5, #fff8c5); box-shadow: 0 1px 2px #59636e; --local: #cf222e }
.note b { color: var(--local) } /* #cf222e */
@media (min-width: 1px) { .wide { background-color: #FFF8C5; outline: 1px solid #ABCDEF } }
</style>
<body><p class="note wide" style="color: #cf222e">See <a id="fff8c5" href="#0969da">#0969da</a> <b>bold</b></p>
<p style="border-color: #59636e; background: url(#0969da)">plain</p></body>"""
COMPUTED = """theme => {
  document.documentElement.setAttribute("data-theme", theme);
  return [...document.querySelectorAll("body, body *")].map(element => {
    const style = getComputedStyle(element);
    return [...style].filter(name => !name.startsWith("--")).map(name => `${name}: ${style[name]}`);
  });
}"""


def components(text):
    return [int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def computed(chromium, html, theme):
    sheet = Path("out/css/tokens.css").read_text(encoding="utf-8")
    body = html.partition("</style>")[2]
    with chromium(sheet, body) as page:
        own = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
        page.page.evaluate(
            "css => { const e = document.createElement('style'); e.textContent = css; document.head.append(e) }", own
        )
        return page.page.evaluate(COMPUTED, theme)


def test_a_corrected_page_has_the_same_computed_styles_in_every_theme(tmp_path, monkeypatch, chromium):
    monkeypatch.chdir(tmp_path)
    project_in(tmp_path, outputs=output("css", "out/css"))
    for number, mode in enumerate(("light", "dark")):
        tree = {
            group: {
                name: {"$type": "color", "$value": COLOR | {"components": components(values[number])}}
                for name, values in of.items()
            }
            for group, of in TOKENS.items()
        }
        path = tmp_path / "tokens/one/theme" / f"{mode}.tokens.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"theme": tree}), encoding="utf-8")
    tokensync("-q", "build")
    page = Path("app/page.html")
    page.parent.mkdir()
    page.write_text(PAGE, encoding="utf-8")
    before = {theme: computed(chromium, PAGE, theme) for theme in ("light", "dark")}
    tokensync("check", "-q", "--code", "app", "--fix")
    fixed = page.read_text(encoding="utf-8")
    assert fixed.count("var(--text-link)") == 2 and fixed.count("var(--border-strong)") >= 2
    assert all(kept in fixed for kept in ("color: #1f2328", ":not(#fff8c5)", 'href="#0969da">#0969da<', "url(#0969da)"))
    assert {theme: computed(chromium, fixed, theme) for theme in before} == before
    tokensync("check", "-q", "--code", "app", "--fix")
    assert page.read_text(encoding="utf-8") == fixed
