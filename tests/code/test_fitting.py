"""The tokens that fit a raw value: by type, use and value in every theme, and what may be written without a person."""

import pytest
from commands.projects import output, project_in
from graphs import alias, collection, color, graph, token

from tokensync.code.files import parts
from tokensync.code.fitting import Fitting
from tokensync.code.raw_values import raw_values
from tokensync.project.configuration import load_project
from tokensync.tokens import Composite, Quantity


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


BASE = collection("Base")
THEME = collection("Theme", "Light", "Dark")
SCALE = collection("Scale")
TOKENS = (
    token(BASE, "gray/900", color("#1f2328")),
    token(BASE, "gray/0", color("#ffffff")),
    token(BASE, "blue", color("#0969da")),
    token(BASE, "secret", color("#123456"), hidden=True),
    token(THEME, "text/default", alias("Base", "gray/900"), alias("Base", "gray/0")),
    token(THEME, "text/on-accent", alias("Base", "gray/0")),
    token(THEME, "background/accent", alias("Base", "blue")),
    token(THEME, "text/link", alias("Base", "blue")),
    token(THEME, "border/accent", alias("Base", "blue"), scopes=("STROKE_COLOR",)),
    token(THEME, "danger", color("#cf222e")),
    token(THEME, "old", color("#cf222e"), deprecated=True),
    token(SCALE, "space/8", 8.0, type="dimension", scopes=("GAP",)),
    token(SCALE, "space/16", Quantity(1, "rem"), type="dimension"),
    token(SCALE, "radius/8", 8.0, type="dimension"),
    token(SCALE, "font/weight/strong", 600.0, type="fontWeight"),
    token(SCALE, "font/family/text", Composite('["Inter","sans-serif"]'), type="fontFamily"),
    token(SCALE, "line-height/text", 1.5, type="number"),
    token(SCALE, "opacity/disabled", 40.0, type="number", scopes=("OPACITY",)),
    token(SCALE, "duration/fast", Quantity(200, "ms"), type="duration"),
)


def fitting_for(folder, *platforms, more=""):
    project_in(folder, outputs="".join(output(each, f"out/{each}") for each in platforms or ("css",)), more=more)
    return Fitting(load_project(), graph(BASE, THEME, SCALE, *TOKENS))


def raw(text, path="a.css"):
    """Return the only raw value of a declaration, or of a file."""
    text = f"a {{ {text} }}" if path == "a.css" else text
    (found,) = [raw for part in parts(path, text) for raw in raw_values(part, text)]
    return found


def fits(fitting, text, path="a.css"):
    """Return the names of the tokens that fit, with what distinguishes them."""
    return [
        "/".join(fit.key.names)
        + (f" {fit.distance:g}" if fit.distance else "")
        + "".join(f" -{n}" for n in fit.differs)
        for fit in fitting.fits(raw(text, path))
    ]


@pytest.mark.parametrize(
    ("text", "expected", "written"),
    [
        ("color: #0969DA", "text/link|blue", "var(--text-link)"),
        ("background: rgb(9 105 218)", "background/accent|blue", "var(--background-accent)"),
        ("border-color: #0969daff", "border/accent|blue", "var(--border-accent)"),
        ("color: #1f2328", "text/default -theme/dark|gray/900", None),
        ("background: #1f2328", "gray/900", "var(--gray-900)"),
        ("color: #123456", "secret", None),
        ("outline-color: #cf222e", "danger", "var(--danger)"),
        ("--link-text: #0969da", "text/link|blue", "var(--text-link)"),
        ("--anything: #0969da", "background/accent|text/link|border/accent|blue", None),
        ("--danger: #cf222e", "danger", None),
        ("padding: 8px", "space/8", "var(--space-8)"),
        ("border-radius: 8px", "radius/8", "var(--radius-8)"),
        ("border-width: 8px", "", None),
        ("width: 8px", "space/8", None),
        ("gap: 1rem", "space/16", "var(--space-16)"),
        ("gap: 16px", "space/16", None),
        ("font-weight: 600", "font/weight/strong", "var(--font-weight-strong)"),
        ("font-family: inter, sans-serif", "font/family/text", "var(--font-family-text)"),
        ("line-height: 1.5", "line-height/text", "var(--line-height-text)"),
        ("opacity: 1.5", "", None),
        ("opacity: .4", "opacity/disabled", "var(--opacity-disabled)"),
        ("transition-duration: .2s", "duration/fast", "var(--duration-fast)"),
        ("color: #1f232880", "", None),
    ],
)
def test_the_token_of_a_value_and_use_fits_and_only_one_that_is_equal_everywhere_is_written(
    folder, text, expected, written
):
    fitting = fitting_for(folder)
    assert fits(fitting, text) == [each for each in expected.split("|") if each]
    certain = fitting.unambiguous(raw(text))
    assert (certain and certain.reference) == written


def test_near_values_come_with_their_distance(folder):
    fitting = fitting_for(folder)
    assert fits(fitting, "color: #0868d9") == ["text/link 0.37"]
    assert fits(fitting, "padding: 9px") == ["space/8 1"]
    assert fits(fitting, "transition-duration: 196ms") == ["duration/fast 4"]
    assert fits(fitting, "padding: 6px") == fits(fitting, "border-radius: 9.5px") == []
    assert fits(fitting, "padding: 11px") == fits(fitting, "color: #00ff00") == fits(fitting, "font-weight: 500") == []
    assert fitting.unambiguous(raw("padding: 9px")) is None


def test_a_reference_has_the_form_of_its_code(folder):
    fitting = fitting_for(folder, "css", "scss", "tailwind", "typescript")
    cases = {
        ("a.scss", "a { color: #0969da }"): "var(--text-link)",
        ("a.scss", "$text-color: #0969da;"): "$text-link",
        ("a.less", "a { padding: 8px }"): "var(--space-8)",
        ("a.html", "<p style='padding: 8px'>"): "var(--space-8)",
        ("a.tsx", "<p style={{ color: '#0969da' }}/>"): "'var(--text-link)'",
        ("a.tsx", "<p style={{ padding: 8 }}/>"): '"var(--space-8)"',
        ("a.tsx", "<p style={{ transition: `all 200ms` }}/>"): "var(--duration-fast)",
        ("a.tsx", "const a = 'hover:text-[#0969da]'"): "text-link",
        ("a.tsx", "const a = 'bg-[#0969da]/50'"): "bg-accent",
        ("a.tsx", "const a = 'p-[8px]'"): "p-8",
        ("a.tsx", "const a = 'rounded-t-[8px]'"): "rounded-t-8",
        ("a.tsx", "const a = '[color:#0969da]'"): "[color:var(--text-link)]",
        ("a.tsx", "const a = 'duration-[200ms]'"): "duration-fast",
    }
    for (path, text), expected in cases.items():
        assert next(fit.reference for fit in fitting.fits(raw(text, path))) == expected, text
    without_theme = fitting_for(folder)
    assert (
        without_theme.fits(raw("const a = 'text-[#0969da]'", "a.tsx"))[0].reference == "text-[color:var(--text-link)]"
    )
    assert without_theme.fits(raw("const a = 'p-[8px]'", "a.tsx"))[0].reference == "p-[var(--space-8)]"
    constants = fitting_for(folder, "typescript")
    found = constants.fits(raw("<p style={{ color: '#0969da' }}/>", "a.tsx"))[0]
    assert found.reference == "tokens.textLink"
    assert constants.unambiguous(raw("<p style={{ color: '#0969da' }}/>", "a.tsx")) is None  # it needs an import


def test_a_value_that_code_computes_with_is_replaced_only_by_a_variable_that_the_file_can_read(folder):
    both = fitting_for(folder, "css", "scss")
    computed = raw("a { color: darken(#0969da, 5%) }", "a.scss")
    assert both.unambiguous(computed) is None
    assert both.unambiguous(computed, "$a: $text-link;").reference == "$text-link"
    assert fitting_for(folder).unambiguous(computed) is None


def test_the_themes_of_the_configuration_decide_where_a_token_differs(folder):
    themes = '[themes.night]\nTheme = "Dark"\n'
    assert fits(fitting_for(folder, more=""), "color: #1f2328")[0] == "text/default -theme/dark"
    project_in(folder, outputs=output("css", "out") + themes)
    assert (
        fits(Fitting(load_project(), graph(BASE, THEME, SCALE, *TOKENS)), "color: #1f2328")[0] == "text/default -night"
    )
