"""What pages, Tailwind and `cn()` make of a project's outputs, as `tokensync build` writes them from token files."""

import json
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.outside

SHEET = '@import "tailwindcss";\n@import "./theme.css";\n'
COMPUTED = "(names) => { const style = getComputedStyle(x); return names.map((name) => style.getPropertyValue(name)) }"


def px(value):
    return {"value": value, "unit": "px"}


def srgb(*components):
    return {"colorSpace": "srgb", "components": components, "alpha": 1}


def token(type_, value, *scopes):
    return {"$type": type_, "$value": value} | ({"$extensions": {"com.figma.scopes": scopes}} if scopes else {})


@pytest.fixture
def build(tmp_path):
    """Build one output of a collection with these tokens by their paths in each mode; return its files."""

    def run(platform, modes, *, collection="base", naming="{}", **options):
        for mode, tokens in modes.items():
            tree = {}
            for path, content in tokens.items():
                *groups, name = path.split("/")
                branch = tree
                for group in groups:
                    branch = branch.setdefault(group, {})
                branch[name] = content
            file = tmp_path / "tokens" / "ds" / collection / f"{mode}.tokens.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps({collection: tree}), encoding="utf-8")
        lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in options.items())
        (tmp_path / "tokensync.toml").write_text(
            f'[[files]]\nname = "ds"\nkey = "hB7rQ2mLkX94vTzWcYp1Nd"\n'
            f'[[outputs]]\nplatform = "{platform}"\npath = "{platform}"\nnaming = {naming}\n[outputs.options]\n{lines}',
            encoding="utf-8",
        )
        command = [sys.executable, "-m", "tokensync", "build"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        folder = tmp_path / platform
        return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}

    return run


@pytest.fixture
def computed(chromium):
    """The computed values of an element with the id x."""

    def read(css, html, *names):
        with chromium(css, html) as page:
            return page.page.evaluate(COMPUTED, names)

    return read


SHARED = {
    "color/body": token("color", srgb(1, 0, 0)),
    "text/body": token("dimension", px(13), "FONT_SIZE"),
    "border/body": token("dimension", px(3), "STROKE_FLOAT"),
    "shadow/body": token(
        "shadow", {**dict.fromkeys(("offsetX", "offsetY", "blur", "spread"), px(5)), "color": srgb(0, 0, 0)}
    ),
    "font/body": token("fontFamily", "Inter"),
    "weight/body": token("fontWeight", 650),
}
SHOWN = {
    "color/body": ("bg", "background-color", "rgb(255, 0, 0)"),
    "text/body": ("text", "font-size", "13px"),
    "border/body": ("border", "border-top-width", "3px"),
    "shadow/body": ("shadow", "box-shadow", "rgb(0, 0, 0) 5px 5px 5px 5px"),
    "font/body": ("font", "font-family", "Inter"),
    "weight/body": ("font", "font-weight", "650"),
}


def test_tokens_of_one_name_in_namespaces_of_one_utility_have_a_class_each(build, tailwind, computed):
    """`text-` is for colours and sizes, `font-` for families and weights, `border-` for colours and widths."""
    files = build("tailwind", {"value": SHARED}, static=True)
    names = re.findall(
        r"^ *--(?:color|text|border-width|shadow|font-weight|font)-([\w-]+?):", files["theme.css"], re.MULTILINE
    )
    beginnings = {beginning for beginning, _, _ in SHOWN.values()}
    classes = [f"{beginning}-{name}" for beginning in beginnings for name in dict.fromkeys(names)]
    css = tailwind(SHEET, files, classes)
    for path, (beginning, property_, value) in SHOWN.items():
        shown = [
            computed(css, f'<p id=x class="border-solid {name}">', property_)
            for name in classes
            if name.startswith(beginning)
        ]
        assert any(text.endswith(value) for (text,) in shown), path


@pytest.mark.parametrize("prefix", ["", "acme"])
def test_a_prefix_of_names_leaves_their_namespaces(prefix, build, tailwind, computed):
    tokens = {
        "breakpoint/md": token("dimension", px(700)),
        "color/body": token("color", srgb(1, 0, 0)),
        "radius/full": token("dimension", px(7), "CORNER_RADIUS"),
    }
    files = build("tailwind", {"value": tokens}, naming=f'{{ prefix = "{prefix}" }}')
    css = tailwind(SHEET, files, ["bg-body", "rounded-full", "md:flex"])
    names = ("background-color", "border-top-left-radius", "display")
    assert "43.75rem" in css
    assert computed(css, '<p id=x class="bg-body rounded-full md:flex">', *names) == ["rgb(255, 0, 0)", "7px", "flex"]


@pytest.mark.parametrize("platform", ["css", "tailwind"])
def test_controls_are_dark_on_a_dark_page(platform, build, tailwind, computed):
    modes = {
        "light": {"ink": token("color", srgb(0, 0, 0))},
        "dark": {"ink": token("color", srgb(1, 1, 1))},
    }
    (css,) = build(platform, modes, collection="theme").values()
    if platform == "tailwind":
        css = tailwind(SHEET, {"theme.css": css}, ["bg-ink"])
    html = '<html data-theme="dark"><body><input id=x style="appearance: auto; background: field">'
    (background,) = computed(css, html, "background-color")
    assert background != "rgb(255, 255, 255)"


def test_a_text_style_has_the_line_height_of_a_variable_in_pixels(build, computed):
    style = {"fontFamily": "Inter", "fontSize": px(13), "fontWeight": 400, "letterSpacing": px(0)}
    tokens = {
        "line-height": token("dimension", px(18), "LINE_HEIGHT"),
        "caption": token("typography", {**style, "lineHeight": "{base.line-height}", "fontStyle": "italic"}),
    }
    css = build("css", {"value": tokens})["tokens.css"] + "#x { font: var(--caption) }"
    assert computed(css, "<p id=x>", "font-size", "line-height", "font-style") == ["13px", "18px", "italic"]


def test_typescript_names_properties_that_tailwinds_page_declares(build, tailwind, esm, chromium, tmp_path):
    modes = {
        mode: {
            "text/muted": token("color", srgb(share, 0, 0)),
            "space/md": token("dimension", px(16), "GAP"),
            "weight/strong": token("fontWeight", 650),
        }
        for mode, share in (("light", 0), ("dark", 1))
    }
    theme = build("tailwind", modes, collection="theme", static=True)
    build("typescript", modes, collection="theme")
    read = "import('./typescript/tokens.js').then((all) => console.log(JSON.stringify(all.cssVariables)))"
    names = json.loads(subprocess.run(["node", "-e", read], cwd=tmp_path, capture_output=True, check=True).stdout)
    with chromium(tailwind(SHEET, theme, ["p-md"])) as page:
        assert len(names) == 3
        (texts,) = page.texts([*names.values()], [[{}]])
        assert "" not in texts, dict(zip(names, texts, strict=True))


def test_a_dot_between_digits_is_that_of_tailwinds_scale(build, tailwind, computed):
    files = build("tailwind", {"value": {"space/0%2E5": token("dimension", px(3), "GAP")}})
    assert computed(tailwind(SHEET, files, ["p-0.5"]), '<p id=x class="p-0.5">', "padding-top") == ["3px"]


def test_a_palette_can_be_the_only_one(build, tailwind, computed):
    files = build("tailwind", {"value": {"slate/500": token("color", srgb(1, 0, 0))}}, reset=["color"])
    css = tailwind(SHEET, files, ["bg-slate-400", "bg-slate-500"])
    shown = [computed(css, f"<p id=x class=bg-slate-{step}>", "background-color") for step in (400, 500)]
    assert shown == [["rgba(0, 0, 0, 0)"], ["rgb(255, 0, 0)"]]


def test_a_size_with_the_name_of_a_keyword_leaves_tailwinds_classes(build, tailwind, computed):
    files = build(
        "tailwind", {"value": {f"space/{name}": token("dimension", px(7), "GAP") for name in ("full", "auto", "md")}}
    )
    css = tailwind(SHEET, files, ["w-full", "max-w-md", "mx-auto", "p-md"])
    html = '<div style="width: 1000px"><p id=x class="w-full max-w-md mx-auto p-md">'
    assert computed(css, html, "width", "max-width", "margin-left", "padding-top") == ["448px", "448px", "276px", "7px"]
