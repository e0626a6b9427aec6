"""``tokensync lint --fix``: what it writes, what it leaves, and what it says."""

import json
import subprocess
from pathlib import Path

import pytest
from commands.projects import COLORS, files_in, on_the_platform, project_in, quickstart_in, tokensync

from tokensync.commands import fixing
from tokensync.project.configuration import load_project
from tokensync.project.sources import from_project
from tokensync.tokens import DEFAULT_THEME, inferred_themes

DARK, LIGHT = Path("tokens/harbor/theme/dark.tokens.json"), Path("tokens/harbor/theme/light.tokens.json")
LITERAL = '{"colorSpace": "srgb", "components": [0.02745098, 0.050980393, 0.07058824], "hex": "#070d12"}'
OF_PRIMITIVE = '{"colorSpace": "srgb", "components": [0.23921569, 0.3019608, 0.36078432], "hex": "#3d4d5c"}'
PRIMITIVES = Path("tokens/harbor/primitives/value.tokens.json")
WIDE = '{"colorSpace": "display-p3", "components": [0, 1, 0], "hex": "#00fb29"}'
NEAREST = '{"colorSpace": "srgb", "components": [0, 0.9843137, 0.16078432], "hex": "#00fb29"}'
SETTINGS = '\n[lint]\nlayers = ["theme", "primitives"]\n'


def edit(path, before, after):
    text = path.read_text("utf-8")
    assert before in text
    path.write_bytes(text.replace(before, after, 1).encode())


@pytest.fixture
def project(folder):
    """A project with a literal that a primitive has, and with a scope that does not fit."""
    quickstart_in(folder / "harbor")
    return folder


@pytest.fixture
def flawed(project, monkeypatch):
    monkeypatch.chdir(project / "harbor")
    with Path("tokensync.toml").open("a", encoding="utf-8") as file:
        file.write(SETTINGS)
    edit(DARK, LITERAL, OF_PRIMITIVE)
    edit(LIGHT, '["FRAME_FILL", "SHAPE_FILL"]', '["FRAME_FILL", "GAP", "SHAPE_FILL"]')


def values():
    graph = from_project(load_project("tokensync.toml")).graph
    themes = (DEFAULT_THEME, *inferred_themes(graph.collections.values()))
    return [{key: graph.resolver(theme)(key) for key in graph.tokens} for theme in themes]


def tokens():
    return {path: text for path, text in files_in(Path()).items() if path.startswith("tokens/")}


@pytest.mark.usefixtures("flawed")
class TestFix:
    def test_it_changes_these_two_lines_and_no_value_in_any_theme(self):
        before, resolved = tokens(), values()
        done = tokensync("lint", "--fix")
        assert "sunken): #3d4d5c is now {primitives.color.slate.700}\n" in done.stderr
        assert "page): the scopes are now FRAME_FILL, SHAPE_FILL\n" in done.stderr
        expected = dict(before)
        dark, light = (path.as_posix() for path in (DARK, LIGHT))
        expected[dark] = before[dark].replace(OF_PRIMITIVE.encode(), b'"{primitives.color.slate.700}"', 1)
        expected[light] = before[light].replace(b'"FRAME_FILL", "GAP", "SHAPE_FILL"', b'"FRAME_FILL", "SHAPE_FILL"', 1)
        assert tokens() == expected
        assert values() == resolved
        assert "literal-repeated" not in tokensync("-v", "lint").stderr

    def test_a_second_run_changes_nothing(self):
        tokensync("lint", "--fix")
        before = tokens()
        assert json.loads(tokensync("lint", "--fix", "--json").output)["fixes"] == []
        assert tokens() == before

    def test_json_has_the_fixes_and_the_changed_files(self):
        result = json.loads(tokensync("lint", "--fix", "--json").output)
        assert len(result["fixes"]) == 2
        assert result["changed"] == [DARK.as_posix(), LIGHT.as_posix()]
        assert "scopes-unfit" not in {each["code"] for each in result["problems"]}

    def test_the_layout_and_the_line_ends_stay(self):
        edit(DARK, '"$type": "color",\n        "$value": {"colorSpace"', '"$type":   "color", "$value": {"colorSpace"')
        DARK.write_bytes(DARK.read_bytes().replace(b"\n", b"\r\n"))
        before = DARK.read_bytes()
        tokensync("lint", "--fix")
        assert DARK.read_bytes() == before.replace(OF_PRIMITIVE.encode(), b'"{primitives.color.slate.700}"', 1)

    @pytest.mark.parametrize("wide", [(DARK,), (PRIMITIVES,), (DARK, PRIMITIVES)])
    def test_colours_outside_of_srgb_are_equal_only_if_outputs_have_them_alike(self, wide):
        """A variable has the nearest one in sRGB, and outputs have it as the token files have it."""
        for path in (DARK, PRIMITIVES):
            edit(path, OF_PRIMITIVE, WIDE if path in wide else NEAREST)
        before = DARK.read_text("utf-8")
        tokensync("lint", "--fix")
        fixed = before.replace(WIDE, '"{primitives.color.slate.700}"', 1) if len(wide) == 2 else before
        assert DARK.read_text("utf-8") == fixed

    def test_accepted_findings_stay(self):
        tokensync("check", "--accept", "It is meant.", code=3)
        before = DARK.read_bytes()
        tokensync("lint", "--fix")
        assert DARK.read_bytes() == before

    def test_an_override_of_an_extension_is_fixed_in_its_own_file(self):
        path = Path("tokens/harbor/theme-islander/light.tokens.json")
        text = path.read_text("utf-8")
        literal = text[text.index('{"colorSpace"') : text.index("}", text.index('{"colorSpace"')) + 1]
        edit(path, literal, OF_PRIMITIVE)
        tokensync("lint", "--fix")
        assert path.read_text("utf-8") == text.replace(literal, '"{primitives.color.slate.700}"', 1)

    @pytest.mark.parametrize("settings", ['[problems]\nliteral-repeated = "ignore"\n', ""])
    def test_what_is_not_reported_stays(self, settings):
        if settings:
            edit(Path("tokensync.toml"), SETTINGS, SETTINGS + settings)
        else:
            edit(Path("tokensync.toml"), SETTINGS, "\n")
        before = DARK.read_bytes()
        tokensync("lint", "--fix")
        assert DARK.read_bytes() == before

    def test_two_primitives_with_the_colour_are_a_choice_that_stays(self):
        primitives = json.loads(PRIMITIVES.read_text("utf-8"))
        primitives["primitives"]["color"]["slate"]["800"]["$value"] = json.loads(OF_PRIMITIVE)
        PRIMITIVES.write_text(json.dumps(primitives, indent=2), encoding="utf-8")
        before = DARK.read_bytes()
        done = tokensync("-v", "lint", "--fix")
        assert "refer to primitives / color/slate/700, primitives / color/slate/800, with this value" in done.stderr
        assert DARK.read_bytes() == before

    def test_a_scope_that_would_leave_none_stays(self):
        edit(LIGHT, '["FRAME_FILL", "GAP", "SHAPE_FILL"]', '["GAP"]')
        before = LIGHT.read_bytes()
        assert "[scopes-unfit]" in tokensync("lint", "--fix").stderr
        assert LIGHT.read_bytes() == before

    def test_all_files_are_written_or_none(self, monkeypatch):
        before = tokens()
        replace = fixing.replace_files

        def failing(contents, top):
            broken = dict.fromkeys(contents, None)  # fails at the second file
            broken[next(iter(contents))] = next(iter(contents.values()))
            replace(broken, top)

        monkeypatch.setattr(fixing, "replace_files", failing)
        with pytest.raises(TypeError):
            fixing.fix_project(load_project("tokensync.toml"))
        assert tokens() == before

    def test_a_fix_that_would_change_a_value_is_refused(self, monkeypatch):
        before = tokens()
        monkeypatch.setattr(fixing, "_are_equal", lambda *_: False)
        assert "a fix would change more than it should" in tokensync("lint", "--fix", code=2).stderr
        assert tokens() == before

    def test_a_file_with_changes_that_are_not_committed_is_named(self):
        def git(*arguments):
            identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false")
            subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)

        git("init")
        git("add", "tokensync.toml", "tokens")
        git("commit", "-m", "a")
        edit(LIGHT, "Behind everything.", "Behind everything else.")
        done = tokensync("lint", "--fix")
        named = [line for line in done.stderr.splitlines() if "not committed" in line]
        assert named == [f"{LIGHT.as_posix()}: it also has changes that are not committed"]

    def test_a_saved_response_cannot_be_fixed(self):
        assert "remove --fix or --snapshot" in tokensync("lint", "--fix", "--snapshot", "a.json", code=2).stderr


@pytest.mark.parametrize(("option", "fixed"), [((), ["one", "two"]), (("--file", "two"), ["two"])])
def test_each_design_file_has_themes_of_its_own(folder, option, fixed, monkeypatch):
    project_in(folder, files=("one", "two"))
    monkeypatch.chdir(folder)
    for name in ("one", "two"):
        on_the_platform(COLORS, name)
    tokensync("pull")
    paths = {name: Path(f"tokens/{name}/theme/light.tokens.json") for name in ("one", "two")}
    before = {name: path.read_bytes() for name, path in paths.items()}
    for path in paths.values():
        edit(path, '["ALL_SCOPES"]', '["ALL_SCOPES", "GAP"]')
    tokensync("lint", "--fix", *option)
    assert [name for name, path in paths.items() if path.read_bytes() == before[name]] == fixed
