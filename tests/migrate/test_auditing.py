"""The tokens that code has by hand against a graph: seeded drifts in generated code, and code as teams write it."""

import shutil
from collections import Counter

import pytest
from graphs import alias, collection, color, graph, token
from migrate import drifts

from tokensync.migrate.auditing import audit
from tokensync.migrate.evaluation.themes import themes_of
from tokensync.migrate.readers import programs
from tokensync.project.configuration import load_project
from tokensync.project.sources import from_project
from tokensync.system.errors import UsageError

SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.campaign) for seed in range(2, 22))]

PALETTE = collection("Palette")
THEME = collection("Theme", "Light", "Dark")
DESIGN = graph(
    PALETTE,
    THEME,
    token(PALETTE, "blue/500", color("#1155cc")),
    token(PALETTE, "blue/200", color("#99bbff")),
    token(PALETTE, "space/small", 8, type="dimension"),
    token(PALETTE, "space/large", 24, type="dimension"),
    token(PALETTE, "radius/small", 4, type="dimension"),
    token(PALETTE, "weight/strong", 600, type="fontWeight"),
    token(THEME, "text/accent", alias("Palette", "blue/500"), alias("Palette", "blue/200")),
    token(THEME, "text/muted", color("#667788"), color("#aabbcc")),
)


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    drifts.project(folder)
    return folder


def audited(folder, monkeypatch):
    monkeypatch.chdir(folder)
    project = load_project(str(folder / "tokensync.toml"))
    return audit(from_project(project).graph, project, [f"code/{name}" for name in drifts.LINES], unread=[])


def test_generated_code_is_equal_on_every_platform(generated, monkeypatch):
    for each in audited(generated, monkeypatch):
        assert {row.outcome for row in each.rows} == {"equal"}, each.path
        assert {row.key for row in each.rows} == set(drifts.tokens().tokens)


@pytest.mark.parametrize("seed", SEEDS)
def test_fifty_drifts_are_found_and_nothing_else(generated, tmp_path, monkeypatch, seed):
    folder = tmp_path / "drifted"
    shutil.copytree(generated, folder)
    made = drifts.drift(folder, seed, 50)
    rows = [row for each in audited(folder, monkeypatch) for row in each.rows]
    missed, others = drifts.found_in(rows, made)
    print(f"seed {seed}: {Counter(one.kind for one in made)} in {len(rows):,} tokens")
    assert len(made) == 50
    assert not missed
    assert not others


def rows_of(folder, design=DESIGN, **files):
    """The rows that differ, by name in code, of files at paths with two underscores for a dot."""
    for name, text in files.items():
        path = folder / name.replace("__", ".")
        path.write_text(text, encoding="utf-8")
    (found,) = audit(design, None, [str(folder)], unread=[])
    return {row.name: row for row in found.rows if row.outcome != "equal"}


def outcomes(rows):
    return {name: row.outcome for name, row in rows.items()}


CSS = """
:root {
  --app-blue-500: #1155cc; --app-blue-200: #99bbff;
  --app-space-small: 0.5rem; --app-space-large: 24px; --app-radius-small: 4px;
  --app-weight-strng: 600;
  --app-text-accent: var(--app-blue-500);
  --app-color-text-muted: #667788;
}
.dark { --app-text-accent: var(--app-blue-200); --app-color-text-muted: #aabbcc; }
"""


def test_names_with_a_prefix_and_words_for_types_are_those_of_tokens(tmp_path):
    assert outcomes(rows_of(tmp_path, app__css=CSS)) == {"--app-weight-strng": "renamed"}


def test_a_mode_without_its_value_is_different_there_only(tmp_path):
    rows = rows_of(tmp_path, app__css=CSS.replace(" --app-color-text-muted: #aabbcc;", ""))
    (change,) = rows["--app-color-text-muted"].changes
    assert change.member == "in Dark"


def test_what_refers_to_a_different_token_is_not_reported_again(tmp_path):
    rows = rows_of(tmp_path, app__css=CSS.replace("#1155cc", "#1155cd"))
    assert set(rows) == {"--app-blue-500", "--app-weight-strng"}


def test_a_reference_to_another_token_is_reported(tmp_path):
    rows = rows_of(tmp_path, app__css=CSS.replace("var(--app-blue-200)", "var(--app-blue-500)"))
    (change,) = rows["--app-text-accent"].changes
    assert change.member == "in Dark"


def test_modes_that_the_design_file_lacks_are_named_and_not_compared(tmp_path):
    (tmp_path / "app.css").write_text(CSS + "@media print { :root { --app-color-text-muted: #000; } }", "utf-8")
    (found,) = audit(DESIGN, None, [str(tmp_path)], unread=[])
    assert found.without == ("print",)
    assert [row.name for row in found.rows if row.outcome == "different"] == []


def test_two_values_in_one_mode_are_a_difference(tmp_path):
    rows = rows_of(tmp_path, app__css=CSS + ":root { --app-color-text-muted: #667799; }")
    assert rows["--app-color-text-muted"].outcome == "different"


def test_what_only_one_side_has_is_named(tmp_path):
    text = CSS.replace("--app-radius-small: 4px;", "").replace("24px", "24px; --app-page-inset: 96px")
    assert outcomes(rows_of(tmp_path, app__css=text)) == {
        "--app-weight-strng": "renamed",
        "--app-page-inset": "only in code",
        "--radius-small": "only in the design file",
    }


def test_a_token_that_has_no_value_in_a_mode_is_not_equal(tmp_path):
    cycle = graph(
        THEME,
        token(THEME, "first", color("#111111"), alias("Theme", "second")),
        token(THEME, "second", color("#222222"), alias("Theme", "first")),
        token(THEME, "third", color("#333333"), color("#444444")),
    )
    text = ":root { --first: #111111; --second: #222222; --third: #333333 } .dark { --first: #555; --third: #444444 }"
    assert outcomes(rows_of(tmp_path, cycle, app__css=text)) == {"--first": "not compared", "--second": "not compared"}


def test_equal_values_are_no_rename_if_two_names_are_as_similar(tmp_path):
    twins = graph(
        PALETTE,
        token(PALETTE, "edge/a", 3, type="dimension"),
        token(PALETTE, "edge/b", 3, type="dimension"),
    )
    rows = rows_of(tmp_path, twins, app__css=":root { --edge-c: 3px; }")
    assert outcomes(rows)["--edge-c"] == "only in code"


SCSS = """
$blue-500: #1155cc; $blue-200: #99bbff; $weight-strong: 600;
$spaces: (small: 8px, large: 24px);
$space-small: map-get($spaces, small); $space-large: 24px; $radius-small: 4px;
$themes: (
  light: (text-accent: #1155cc, text-muted: #667788),
  dark: (text-accent: #99bbff, text-muted: #aabbcd),
);
"""


def test_modes_in_maps_of_scss_are_modes(tmp_path):
    rows = rows_of(tmp_path, _app__scss=SCSS)
    assert {name for name, row in rows.items() if row.outcome == "different"} == {"themes.text-muted"}


KOTLIN = """
package team.ui

import androidx.compose.ui.graphics.Color

object Palette {
    val blue500 = Color(0xFF1155CC)
    val blue200 = Color(red = 0x99, green = 0xBB, blue = 0xFF)
    internal val spaceSmall: Dp = 8.dp
    val spaceLarge = 24.dp // wide
    val radiusSmall = 4.dp
    val weightStrong = FontWeight.W600
}

sealed class AppColors(val textAccent: Color, val textMuted: Color)

object LightColors {
    val textAccent = Palette.blue500
    val textMuted = Color(0xFF667788)
}

object DarkColors {
    val textAccent get() = Palette.blue200
    val textMuted = Color(0xFFAABBCD)
}

class Screen { fun show() { val spaceLarge = 3.dp; "${Palette.blue500}" } }
class Model { val retries = 3; val title = "text" }
"""


def test_constants_of_kotlin_are_compared_and_others_are_no_tokens(tmp_path):
    rows = rows_of(tmp_path, Theme__kt=KOTLIN)
    assert outcomes(rows) == {"textMuted": "different"}
    assert [change.member for change in rows["textMuted"].changes] == ["in Dark"]


SWIFT = """
import SwiftUI

extension Color {
    static let blue500 = Color(red: 17 / 255.0, green: 0.3333333, blue: 0.8)
    static let blue200 = Color(hex: "#99BBFF")
    static let ownBlue = Color("ownBlue")
}

enum Space {
    static let small: CGFloat = 8
    static let large: CGFloat = 25
}
enum Radius { static let small: CGFloat = 4 }
enum Weight { static let strong: Font.Weight = .semibold }

struct DarkTheme {
    static var textAccent: Color { .blue200 }
    var textMuted: Color { Color(hex: 0xAABBCC) }
}

struct LightTheme {
    static var textAccent: Color { return Color.blue500 }
    let textMuted = UIColor(red: 102.0/255.0, green: 119/255, blue: 136/255, alpha: 1)
}

final class Cell { let inset: CGFloat = 3; func draw() { let large = 7 } }
"""


def test_constants_of_swift_are_compared(tmp_path):
    rows = rows_of(tmp_path, Theme__swift=SWIFT)
    assert outcomes(rows) == {"Space.large": "different"}


SCRIPT = """
export const palette = { blue: { 500: '#1155cc', 200: "#99bbff" } } as const;
export const space = Object.freeze({ small: 8, "large": "1.5rem" });
export const radiusSmall = '4px', weightStrong = 600;
export const light = { text: { accent: palette.blue[500], muted: '#667788' } };
export default { dark: { text: { accent: "#99bbff", muted: "#aabbcd" } } };
function local() { const blue500 = "#000000"; return `${blue500}`; }
"""


def test_constants_of_scripts_are_compared(tmp_path):
    rows = rows_of(tmp_path, theme__ts=SCRIPT)
    assert {name for name, row in rows.items() if row.outcome == "different"} == {"text.muted"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.kt", KOTLIN),
        ("a.swift", SWIFT),
        ("a.ts", SCRIPT),
        ("a.kt", "object A { val b = {{{(" * 40),
        ("a.js", "}])" * 9),
    ],
)
def test_every_beginning_of_a_program_is_read(name, text):
    for end in range(0, len(text), 7):
        source = programs.read({name: text[:end].encode()})
        assert all(theme.reading(path) for theme in themes_of(source) for path in theme.own)


@pytest.mark.parametrize(
    "text",
    ["a: {b: 1, " * 20_000, "x = [" * 20_000, "export const a = {" * 20_000, "9" * 5_000],
    ids=["members", "lists", "constants", "digits"],
)
def test_deep_and_long_programs_are_read(text):
    source = programs.read({"a.ts": f"export const top = {{{text}".encode(), "a.kt": f"val a = {text}".encode()})
    assert all(theme.reading(path) for theme in themes_of(source) for path in theme.own)


def test_token_files_of_others_are_compared_by_words(tmp_path):
    text = '{"blue": {"500": {"$type": "color", "$value": "#1155cd"}, "200": {"$type": "color", "$value": "#99bbff"}}}'
    rows = rows_of(tmp_path, palette__json=text)
    assert {name for name, row in rows.items() if row.outcome == "different"} == {"blue.500"}


def test_a_path_without_tokens_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(UsageError, match="it has no tokens"):
        audit(DESIGN, None, [str(tmp_path)], unread=[])
