"""Renamed modes and tokens: in token files, resolver document and configuration, as a whole or not at all."""

import json
import tomllib
from pathlib import Path

import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, pulled_in, quickstart_in, tokensync
from commands.test_plan_of_libraries import RED, app, project_of, remote
from design_file import alias

from tokensync.commands import renaming
from tokensync.dtcg import cache, read
from tokensync.dtcg import folder as folder_module

NIGHT = ("Light", "Night")
CSS = output(
    "css",
    "web",
    'include = { themes = ["*/dark", "theme/light"] } # both',
    'options = { themes = { "theme/dark" = { selector = ".dark" } } }',
)
SWIFT = output("ios", "ios", "exclude = { themes = ['theme/dark'] }", '[outputs.options.themes."theme/dark"] # here')


@pytest.fixture
def project(folder):
    """A project with the modes Light and Dark, pulled and built."""
    pulled_in(folder, outputs=CSS)
    tokensync("-q", "build")
    return folder


def sources_in(folder):
    """Return the files that people edit."""
    return {path: text for path, text in files_in(folder).items() if path.startswith(("tokens/", "tokensync.toml"))}


class TestRenamedOnThePlatform:
    @pytest.fixture
    def renamed(self, project):
        on_the_platform(COLORS, modes=NIGHT)
        return project

    def test_a_pull_says_so_once_and_names_the_command(self, renamed):
        notes = [each for each in tokensync("pull").stderr.splitlines() if "mode-name-former" in each]
        assert notes == [
            "note: Theme / Night: it was renamed from Dark, and token files and code still call it dark; "
            "to rename it there, run tokensync tokens rename-mode theme/dark Night [mode-name-former]"
        ]

    def test_a_build_says_so_too_and_keeps_the_former_name(self, renamed):
        tokensync("pull", "-q")
        Path("web/tokens.css").unlink()
        stderr = tokensync("build").stderr
        assert "note: Theme / Night: it was renamed, and token files and code still call it dark; " in stderr
        assert stderr.count("run tokensync tokens rename-mode theme/dark Night") == 1
        assert ".dark" in Path("web/tokens.css").read_text("utf-8")

    def test_a_mode_that_gets_its_former_name_back_was_renamed_too(self, renamed):
        tokensync("pull", "-q")
        on_the_platform(COLORS)
        (note,) = (each for each in tokensync("pull").stderr.splitlines() if "mode-name-former" in each)
        assert note.startswith("note: Theme / Dark: it was renamed from Night, and token files and code call it dark")
        assert "mode-name-former" not in tokensync("pull").stderr
        on_the_platform(COLORS, modes=NIGHT)
        tokensync("pull", "-q")
        tokensync("tokens", "rename-mode", "theme/dark", "Night")
        on_the_platform(COLORS)
        for command, what in (("pull", "it was renamed from Night"), ("build", "it was renamed")):
            stderr = tokensync(command).stderr
            assert f"note: Theme / Dark: {what}, and token files and code still call it night; " in stderr
            assert "run tokensync tokens rename-mode theme/night Dark" in stderr

    @pytest.mark.parametrize("modes", [("Light", "Blue"), ("Dark", "Light"), ("Blue", "Dark")])
    def test_light_and_dark_in_code_stay_what_they_were(self, folder, modes):
        names = {"css": "web", "ios": "ios", "android": "android"}
        pulled_in(folder, outputs="".join(output(platform, path) for platform, path in names.items()))
        tokensync("-q", "build")
        before = {path: files_in(folder / path) for path in names.values()}
        assert (folder / "android" / "values-night" / "colors.xml").exists()
        on_the_platform(COLORS, modes=modes)
        tokensync("-q", "pull")
        tokensync("-q", "build")
        assert {path: files_in(folder / path) for path in names.values()} == before

    def test_the_command_renames_it_in_code_and_nothing_is_left_to_do(self, renamed):
        tokensync("pull", "-q")
        done = tokensync("tokens", "rename-mode", "theme/dark", "Night")
        assert done.stderr.startswith("theme/dark is now theme/night\n")
        for command in (("plan", "--exit-code"), ("status",), ("format", "--check")):
            tokensync(*command)
        assert "nothing to do" in tokensync("pull").stderr
        assert "mode-name-former" not in tokensync("build").stderr
        assert not Path("tokens/one/theme/dark.tokens.json").exists()
        assert '"com.figma.modeName": "Night"' in Path("tokens/one/theme/night.tokens.json").read_text("utf-8")

    def test_the_name_in_the_form_of_a_file_keeps_the_platforms_spelling(self, renamed):
        tokensync("pull", "-q")
        tokensync("tokens", "rename-mode", "theme / Night", "night")
        tokensync("plan", "--exit-code")


def test_a_note_about_other_names_is_not_given_for_numbered_files_and_own_contexts(folder):
    project_in(folder)
    on_the_platform({"slate": ("#112233",) * 3}, modes=("Dark", "Dark", "$"))
    assert "mode-name-former" not in tokensync("pull").stderr


class TestRenamedInCode:
    def test_the_plan_is_one_new_name(self, project):
        tokensync("tokens", "rename-mode", "theme/dark", "Midnight sun")
        done = tokensync("plan")
        assert "  modes: 1 changed\n" in done.output
        assert '      name  "Dark" -> "Midnight sun"\n' in done.output
        assert Path("tokens/one/theme/midnight-sun.tokens.json").exists()
        tokensync("apply", "-q")
        assert "nothing to do" in tokensync("pull").stderr
        tokensync("plan", "--exit-code")

    def test_the_configuration_changes_only_where_the_mode_or_its_theme_is_named(self, folder):
        project_in(folder, outputs=CSS + SWIFT)
        before = Path("tokensync.toml").read_text("utf-8")
        on_the_platform(COLORS)
        tokensync("-q", "pull")
        tokensync("tokens", "rename-mode", "theme/dark", "Night")
        expected = before.replace('"*/dark", ', '"*/dark", "theme/night", ')
        expected = expected.replace('"theme/dark"', '"theme/night"').replace("'theme/dark'", '"theme/night"')
        assert Path("tokensync.toml").read_text("utf-8") == expected
        tokensync("build")

    @pytest.mark.parametrize(("written", "after"), [("dark", "night"), ("Dark", "Night")])
    def test_themes_name_the_mode_as_before(self, folder, written, after):
        themes = f'[themes]\nevening = {{ theme = "{written}" }} # the dark one\nother.theme = "light"\n'
        project_in(folder, outputs=output("css", "web"), more=themes)
        text = Path("tokensync.toml").read_text("utf-8").replace(themes, "") + themes
        Path("tokensync.toml").write_text(text, encoding="utf-8")
        on_the_platform(COLORS)
        tokensync("-q", "pull")
        tokensync("tokens", "rename-mode", "theme/dark", "Night")
        assert Path("tokensync.toml").read_text("utf-8") == text.replace(f'"{written}" }}', f'"{after}" }}')
        tokensync("build")

    def test_a_mode_without_an_id_gets_an_entry_that_keeps_its_identity(self, project):
        path = Path("tokens/one/theme/dark.tokens.json")
        content = json.loads(path.read_text("utf-8"))
        del content["$extensions"]["org.tokensync"]["mode"]["id"]
        path.write_text(json.dumps(content), encoding="utf-8")
        before = sources_in(project)
        tokensync("tokens", "rename-mode", "theme/dark", "Night")
        (entry,) = tomllib.loads(Path("tokensync.toml").read_text("utf-8"))["moved"]
        assert entry == {"kind": "mode", "collection": "theme", "from": "dark", "to": "night"}
        assert "  modes: 1 changed\n" in tokensync("plan").output
        tokensync("tokens", "rename-mode", "theme/night", "Dark")
        assert sources_in(project) == before

    def test_extensions_follow(self, folder):
        quickstart_in(folder / "q")
        tokensync("tokens", "rename-mode", "theme/dark", "Night", "-c", "q/tokensync.toml")
        resolver = json.loads(Path("q/tokens/harbor.resolver.json").read_text("utf-8"))["modifiers"]["theme"]
        assert list(resolver["contexts"]) == ["light", "night", "theme-islander.light", "theme-islander.night"]
        assert not list(Path("q").rglob("dark.tokens.json"))
        assert len(list(Path("q").rglob("night.tokens.json"))) == 2
        tokensync("build", "-c", "q/tokensync.toml")

    def test_renaming_back_restores_every_byte(self, project):
        before = sources_in(project)
        for path in before:  # another layout, with the line ends of Windows
            text = before[path]
            spaced = json.dumps(json.loads(text), indent=3).encode() if path.endswith(".json") else text
            Path(path).write_bytes(spaced.replace(b"\n", b"\r\n"))
        changed = sources_in(project)
        tokensync("tokens", "rename-mode", "theme/dark", "Night")
        assert sources_in(project).keys() != changed.keys()
        tokensync("tokens", "rename-mode", "theme/night", "Dark")
        assert sources_in(project) == changed

    def test_a_dry_run_shows_the_files_and_writes_nothing(self, project):
        before = files_in(project)
        done = tokensync("tokens", "rename-mode", "theme/dark", "Night", "--dry-run")
        assert "theme/dark would become theme/night\n" in done.stderr
        assert "    tokens/one/theme/night.tokens.json\n" in done.stderr
        assert files_in(project) == before

    @pytest.mark.parametrize("after", range(6))
    @pytest.mark.parametrize("has_id", [True, False])
    def test_an_interrupted_renaming_is_finished_by_the_next(self, folder, monkeypatch, after, has_id):
        quickstart_in(folder / "q")
        monkeypatch.chdir("q")
        path = Path("tokens/harbor/theme/dark.tokens.json")
        if not has_id:
            path.write_bytes(path.read_bytes().replace(b'"mode": {"id": "', b'"mode": {"former": "'))
        with Path("tokensync.toml").open("a", encoding="utf-8") as file:
            file.write('options = { themes = { "theme/dark" = { appearance = "dark" } } }\n')
        start = files_in(Path())
        arguments = ("tokens", "rename-mode", "theme/dark", "Night")
        tokensync(*arguments)
        expected = files_in(Path())
        for each in {*expected, *start}:
            Path(each).unlink(missing_ok=True)
        for each, text in start.items():
            Path(each).write_bytes(text)
        with pytest.MonkeyPatch.context() as patch:
            _stop_after(patch, after)
            with pytest.raises(KeyboardInterrupt):
                renaming.rename_mode(renaming_project(), "theme/dark", "Night")
        tokensync(*arguments)
        assert files_in(Path()) == expected

    @pytest.mark.parametrize(
        ("mode", "name", "message"),
        [
            ("theme/drak", "Night", "theme/drak: no such mode; use theme/dark"),
            ("theme/dark", "Light", "theme/dark: theme/light has the name Light; use another"),
            ("theme/dark", "LIGHT!", "theme/dark: theme/light has the name LIGHT!; use another"),
            ("theme/dark", " ", "the name is empty; use 1 to 40 characters"),
            ("theme/dark", "x" * 41, "the name has 41 characters; use 1 to 40 characters"),
        ],
    )
    def test_an_unsuitable_name_changes_nothing(self, project, mode, name, message):
        before = files_in(project)
        assert message in tokensync("tokens", "rename-mode", mode, name, code=2).stderr
        assert files_in(project) == before

    def test_errors_of_the_project_stop_it(self, project):
        path = Path("tokens/one/theme/light.tokens.json")
        path.write_text(path.read_text("utf-8").replace("{theme.slate}", "{theme.slat}"), encoding="utf-8")
        before = files_in(project)
        done = tokensync("tokens", "rename-mode", "theme/dark", "Night", code=1)
        assert "did you mean {theme.slate}?" in done.stderr
        assert files_in(project) == before


WIDE = {
    "slate": ("#112233", "#445566"),
    "text/muted": ("{slate}", "{slate}"),
    "text/loud": ("{text/muted}", "#000000"),
    "line": ("{text/loud}", "{slate}"),
    "accent": ("{line}", "{line}"),
    "accent/base": ("{accent}", "#ff0000"),
}


class TestRenamedTokens:
    @pytest.fixture
    def wide(self, folder):
        pulled_in(folder, WIDE, outputs=output("css", "web"))
        tokensync("-q", "build")
        return folder

    @pytest.mark.parametrize(
        ("old", "new", "shown"),
        [
            ("theme/text/muted", "theme/text/quiet", ['"text/muted" -> "text/quiet"']),
            ("text.muted", "text.quiet", ['"text/muted" -> "text/quiet"']),
            ("theme / text/muted", "text/quiet", ['"text/muted" -> "text/quiet"']),
            ("one.theme.slate", "one.theme.stone", ['"slate" -> "stone"']),
            ("theme/text", "theme/words", ['"text/loud" -> "words/loud"', '"text/muted" -> "words/muted"']),
            ("theme/text/", "deep/er", ['"text/loud" -> "deep/er/loud"', '"text/muted" -> "deep/er/muted"']),
            ("slate", "text/base", ['"slate" -> "text/base"']),
            ("text/loud", "loud", ['"text/loud" -> "loud"']),
            ("slate", "text", ['"slate" -> "text"']),
            ("theme/accent/$root", "theme/brand", ['"accent" -> "brand"']),
            ("theme/accent/", "theme/brand", ['"accent" -> "brand"', '"accent/base" -> "brand/base"']),
        ],
    )
    def test_the_plan_has_new_names_and_nothing_else_and_renaming_back_restores_every_byte(self, wide, old, new, shown):
        before = sources_in(wide)
        css = Path("web/tokens.css").read_text("utf-8")
        tokensync("tokens", "rename", old, new)
        tokensync("format", "--check")
        done = tokensync("plan")
        assert sorted(each.strip().removeprefix("name  ") for each in done.output.splitlines() if "->" in each) == shown
        assert f"variables: {len(shown)} changed\n" in done.output
        tokensync("build", "-q")
        built = Path("web/tokens.css").read_text("utf-8")
        assert built != css and built.count(";") == css.count(";")
        back = {"text": "theme/text/$root", "theme/brand": new + "/" * old.endswith("/")}.get(new, new)
        tokensync("tokens", "rename", back, old.removesuffix("/$root"))
        assert sources_in(wide) == before

    def test_only_the_new_token_files_are_decoded_if_the_present_ones_are_cached(
        self, wide, monkeypatch, tmp_path_factory
    ):
        home = tmp_path_factory.mktemp("cache")
        home.chmod(0o700)
        for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
            monkeypatch.setenv(name, str(home))
        monkeypatch.delenv("CI", raising=False)
        monkeypatch.setattr(cache, "LEAST", 0)
        tokensync("-q", "tokens", "list")
        decoded = []
        for module in (renaming, folder_module):
            monkeypatch.setattr(module, "read", lambda *args, **named: decoded.append(args) or read(*args, **named))
        tokensync("tokens", "rename", "theme/text", "theme/words")
        assert [b'"words"' in files["one/theme/light.tokens.json"] for files, _ in decoded] == [True]

    def test_an_apply_and_a_pull_leave_nothing_to_do(self, wide):
        tokensync("tokens", "rename", "theme/text/muted", "theme/words/quiet")
        tokensync("plan", "-q")
        tokensync("apply", "-q")
        before = sources_in(wide)
        assert "nothing to do" in tokensync("pull").stderr
        assert sources_in(wide) == before
        tokensync("plan", "--exit-code")

    def test_a_token_with_an_id_needs_no_entry_and_one_without_gets_one(self, wide):
        before = Path("tokensync.toml").read_text("utf-8")
        tokensync("tokens", "rename", "theme/slate", "theme/stone")
        assert Path("tokensync.toml").read_text("utf-8") == before
        path = Path("tokens/one/theme/light.tokens.json")
        content = json.loads(path.read_text("utf-8"))
        for name in ("muted", "loud"):
            del content["theme"]["text"][name]["$extensions"]
        path.write_text(json.dumps(content), encoding="utf-8")
        sources = sources_in(wide)
        tokensync("tokens", "rename", "theme/text/muted", "theme/text/quiet")
        assert tomllib.loads(Path("tokensync.toml").read_text("utf-8"))["moved"] == [
            {"kind": "token", "collection": "theme", "from": "text/muted", "to": "text/quiet"}
        ]
        tokensync("tokens", "rename", "theme/text/quiet", "theme/text/muted")
        assert sources_in(wide) == sources
        done = tokensync("tokens", "rename", "theme/text", "theme/words", "--json")
        assert json.loads(done.output)["moved"] is True
        assert tomllib.loads(Path("tokensync.toml").read_text("utf-8"))["moved"] == [
            {"kind": "group", "collection": "theme", "from": "text", "to": "words"}
        ]
        assert "variables: 3 changed\n" in tokensync("plan").output

    def test_a_token_that_was_never_on_the_platform_gets_no_entry(self, wide):
        path = Path("tokens/one/theme/light.tokens.json")
        content = json.loads(path.read_text("utf-8"))
        content["theme"]["fresh"] = {"a": {"$type": "color", "$value": "#ff0000"}}
        path.write_text(json.dumps(content), encoding="utf-8")
        before = Path("tokensync.toml").read_text("utf-8")
        tokensync("tokens", "rename", "theme/fresh/a", "theme/fresh/b")
        tokensync("tokens", "rename", "theme/fresh", "theme/new")
        assert Path("tokensync.toml").read_text("utf-8") == before
        assert "+ new/b" in tokensync("plan").output

    def test_a_second_renaming_of_a_token_without_an_id_continues_its_entry(self, wide):
        path = Path("tokens/one/theme/light.tokens.json")
        content = json.loads(path.read_text("utf-8"))
        del content["theme"]["text"]["muted"]["$extensions"]
        path.write_text(json.dumps(content), encoding="utf-8")
        tokensync("tokens", "rename", "theme/text/muted", "theme/text/quiet")
        tokensync("tokens", "rename", "theme/text/quiet", "theme/text/still")
        assert 'text/muted" -> "text/still' in tokensync("plan").output

    def test_every_setting_that_names_the_token_gets_its_new_name(self, wide):
        config = Path("tokensync.toml")
        settings = """
[[types]]
type = "color"
resolved_type = "COLOR"
path = "text/muted" # the quiet one

[[allow]]
finding = "delete used"
subject = "theme/text/muted"

[problems]
modes-equal = { "theme/text/*" = "ignore", "theme/text/muted" = "note" }

[[lint.contrast]]
foreground = ["theme/text/muted", "theme/t*t/muted", 'theme/text/loud']
background = ["theme/slate"]
backdrop = "theme/text/muted"

[lint]
descriptions = ["theme/text/muted"]

[[lint.naming]]
match = ["theme/text/muted"]
names = ["text", "*"]

[[outputs]]
platform = "scss"
path = "scss"
include = { paths = ["text/muted", "slate"] }
exclude = { paths = ["text/m?ted"] }
"""
        config.write_text(config.read_text("utf-8") + settings, encoding="utf-8")
        before = config.read_text("utf-8")
        done = tokensync("tokens", "rename", "theme/text/muted", "theme/text/quiet")
        assert config.read_text("utf-8") == before.replace('"text/muted"', '"text/quiet"').replace(
            '"theme/text/muted"', '"theme/text/quiet"'
        )
        lines = [
            f"tokensync.toml:{before[: before.index(each)].count(chr(10)) + 1}" for each in ("theme/t*t", "text/m?")
        ]
        assert (
            f"{lines[0]}: theme/t*t/muted matched theme/text/muted, but not theme/text/quiet; check it" in done.stderr
        )
        assert f"{lines[1]}: text/m?ted matched text/muted, but not text/quiet; check it" in done.stderr
        tokensync("tokens", "rename", "theme/text/quiet", "theme/text/muted")
        assert config.read_text("utf-8") == before
        tokensync("tokens", "rename", "theme/text", "theme/words")
        new = config.read_text("utf-8")
        assert "theme/text/" not in new
        assert 'include = { paths = ["words/muted", "slate"] }' in new
        assert '"theme/words/*" = "ignore"' in new
        assert "theme/t*t/muted" in new

    def test_a_path_of_two_collections_keeps_its_former_name_for_the_other_one(self, folder):
        project_in(folder, outputs=output("css", "web", 'include = { paths = ["a/x"] }'))
        token = {"$type": "number", "$value": 1}
        for handle in ("one", "two"):
            path = Path(f"tokens/one/{handle}/value.tokens.json")
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps({handle: {"a": {"x": token}}}), encoding="utf-8")
        tokensync("tokens", "rename", "one/a/x", "one/a/y")
        assert 'paths = ["a/x", "a/y"]' in Path("tokensync.toml").read_text("utf-8")

    def test_a_name_from_code_syntax_stays_and_that_is_said(self, wide):
        path = Path("tokens/one/theme/light.tokens.json")
        content = json.loads(path.read_text("utf-8"))
        content["theme"]["slate"]["$extensions"]["com.figma.codeSyntax"] = {"WEB": "var(--ink)"}
        path.write_text(json.dumps(content), encoding="utf-8")
        done = tokensync("tokens", "rename", "theme/slate", "theme/stone")
        assert "1 token has its name in code from code syntax, which does not change" in done.stderr
        assert "tokensync plan --code-syntax web changes it\n" in done.stderr

    def test_a_dry_run_shows_the_files_and_writes_nothing(self, wide):
        before = files_in(wide)
        done = tokensync("tokens", "rename", "theme/slate", "theme/stone", "--dry-run")
        assert done.stderr == (
            "theme/slate would become theme/stone\n"
            "  would change 2 files\n    tokens/one/theme/dark.tokens.json\n    tokens/one/theme/light.tokens.json\n"
        )
        assert files_in(wide) == before

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("theme/slat", "x", "theme/slat: no such token or group; did you mean theme/slate?"),
            ("theme/txt", "x", "theme/txt: no such token or group; did you mean theme/text?"),
            ("theme", "x", "theme: it is a collection; name a token or group in it"),
            ("theme/slate", "theme/line", "the collection theme already has a token of this name; use another name"),
            ("theme/text", "theme/accent", "the collection theme already has a group of this name; use another name"),
            ("theme/slate", "theme/slate", "theme/slate: it already has this name; write another"),
            ("theme/slate", "theme/line/x", "theme/line/x: line is a token, which can contain no others"),
            ("theme/text", "theme/text/old", "a group cannot be moved into itself"),
            ("theme/slate", "theme//x", "theme//x: a name is empty; correct it"),
            ("theme/slate", "theme/a.b", "theme/a.b: a name cannot contain .; correct it"),
            ("theme/slate", "{x}", "{x}: a name cannot contain {; correct it"),
            ("theme/slate", "$x", "$x: a name cannot begin with $; correct it"),
            ("theme/accent", "theme/x", "write theme/accent/$root for the token, or theme/accent/ for the group"),
            ("theme/text/$root", "theme/x", "it is a group without a token of its own; write theme/text"),
            ("theme/slate/", "theme/x", "it is a token, not a group; write theme/slate"),
            ("theme/slate", "theme/text-muted", "use another name"),
        ],
    )
    def test_an_unsuitable_name_changes_nothing(self, wide, old, new, message):
        before = files_in(wide)
        assert message in tokensync("tokens", "rename", old, new, code=2).stderr
        assert files_in(wide) == before

    def test_a_name_that_renames_tokens_of_an_extending_group_is_refused(self, wide):
        for path in Path("tokens").rglob("*.tokens.json"):
            content = json.loads(path.read_text("utf-8"))
            base = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [0, 0, 0]}}
            content["theme"] |= {"base": {"one": base}, "more": {"$extends": "{theme.base}"}}
            path.write_text(json.dumps(content), encoding="utf-8")
        before = files_in(wide)
        done = tokensync("tokens", "rename", "theme/base/one", "theme/base/two", code=2)
        assert "groups that extend others would get new tokens (theme / more/two); rename it by hand" in done.stderr
        done = tokensync("tokens", "rename", "theme/more/one", "theme/more/two", code=2)
        assert "its group inherits it through $extends; rename it in the group that it comes from" in done.stderr
        assert files_in(wide) == before
        tokensync("tokens", "rename", "theme/base", "theme/basis")
        assert '"$extends": "{theme.basis}"' in Path("tokens/one/theme/light.tokens.json").read_text("utf-8")

    @pytest.mark.parametrize(("old", "new"), [("theme/text/muted", "theme/text/quiet"), ("theme/text", "theme/a/b")])
    @pytest.mark.parametrize("after", range(4))
    @pytest.mark.parametrize("has_id", [True, False])
    def test_an_interrupted_renaming_is_finished_by_the_next(self, wide, old, new, after, has_id):
        if not has_id:
            path = Path("tokens/one/theme/light.tokens.json")
            content = json.loads(path.read_text("utf-8"))
            for each in content["theme"]["text"].values():
                del each["$extensions"]
            path.write_text(json.dumps(content, indent=1), encoding="utf-8")
        start = sources_in(wide)
        tokensync("tokens", "rename", old, new)
        expected = sources_in(wide)
        for each, text in start.items():
            Path(each).write_bytes(text)
        after = min(after, sum(start[each] != expected[each] for each in start) - 1)
        with pytest.MonkeyPatch.context() as patch:
            _stop_after(patch, after)
            with pytest.raises(KeyboardInterrupt):
                renaming.rename_token(renaming_project(), old, new)
        tokensync("tokens", "rename", old, new)
        assert sources_in(wide) == expected

    @pytest.mark.parametrize("mode", ["light", "dark"])
    @pytest.mark.parametrize("exchanged", [False, True])
    def test_a_name_in_one_file_only_is_made_that_of_all(self, wide, mode, exchanged):
        path = Path(f"tokens/one/theme/{mode}.tokens.json")
        text = path.read_text("utf-8")
        quiet = text.replace('"muted": {', '"quiet": {').replace("{theme.text.muted}", "{theme.text.quiet}")
        path.write_text(quiet, encoding="utf-8")
        pair = ("theme/text/muted", "theme/text/quiet")
        tokensync("tokens", "rename", *(reversed(pair) if exchanged else pair))
        if exchanged:
            assert path.read_text("utf-8") == text
        tokensync("build")
        assert tokensync("plan").output.count("->") == (0 if exchanged else 1)


def test_a_renamed_token_of_a_library_is_renamed_in_the_files_that_use_it(folder):
    project_of(app=app(alias(remote(RED)), alias(remote(RED))))
    before = sources_in(folder)
    tokensync("tokens", "rename", "core/red", "core/warm/crimson")
    text = Path("tokens/app/app/value.tokens.json").read_text("utf-8")
    assert text.count("{core.warm.crimson}") == 2 and "{core.red}" not in text
    assert '"crimson"' in Path("tokens/app/.remote/core/light.tokens.json").read_text("utf-8")
    done = tokensync("plan")
    assert 'name  "red" -> "warm/crimson"' in done.output
    assert done.output.count("->") == 1 and "app (file AppFile456)\n  nothing to do" in done.output
    tokensync("tokens", "rename", "core/warm/crimson", "core/red")
    assert sources_in(folder) == before


class TestRenamedInOneFile:
    COMMANDS = ("build", "plan", "pull", "status", "tokens list", "tokens unused --offline", "report", "usage")
    OTHERS = ("diff lock tokens", "pull --dry-run", "plan --json", "build --check", "check", "lint")

    @pytest.mark.parametrize(("path", "other"), [("light", "dark"), ("dark", "light")])
    def test_every_command_stops_with_the_same_words_and_both_places(self, project, path, other):
        edited = Path(f"tokens/one/theme/{path}.tokens.json")
        edited.write_text(edited.read_text("utf-8").replace('"muted": {', '"quiet": {'), encoding="utf-8")
        names = {path: "quiet", other: "muted"}
        pair = f"theme/text/{names['dark']} theme/text/{names['light']}"
        errors = set()
        for command in (*self.COMMANDS, *self.OTHERS):
            done = tokensync(*command.split(), code=5 if command == "check" else 1)
            (error,) = (each for each in done.stderr.splitlines() if each.startswith("error: "))
            errors.add(error)
            dark, light = (f"tokens/one/theme/{mode}.tokens.json:" for mode in ("dark", "light"))
            assert error.startswith(f"error: {dark}")
            assert (
                f"(#/theme/text/{names['dark']}): it is not in the file of the default mode, which has {light}" in error
            )
            assert f"(#/theme/text/{names['light']}) instead; use one name in all files: " in error
            assert error.endswith(
                f"run tokensync tokens rename {pair}, or the same with the names exchanged [token-in-one-mode]"
            )
        assert len(errors) == 1

    def test_a_renamed_group_is_one_error_with_the_same_words_in_every_command(self, project):
        for mode in ("light", "dark"):
            path = Path(f"tokens/one/theme/{mode}.tokens.json")
            tree = json.loads(path.read_text("utf-8"))
            text = tree["theme"].pop("text")
            text["new"] = {"$type": "color", "$value": text["muted"]["$value"]}
            tree["theme"]["words" if mode == "dark" else "text"] = text
            path.write_text(json.dumps(tree), encoding="utf-8")
        errors = set()
        for command in (*self.COMMANDS, "build --check", "check", "lint"):
            done = tokensync(*command.split(), code=5 if command == "check" else 1)
            (error,) = (each for each in done.stderr.splitlines() if each.startswith("error: "))
            errors.add(error)
        (error,) = errors
        assert "(#/theme/words): 2 tokens of this group are not in the file of the default mode" in error
        tokensync("tokens", "rename", "theme/words", "theme/text")
        tokensync("-q", "build")

    def test_every_command_names_the_nearest_token_for_a_misspelled_alias(self, project):
        edited = Path("tokens/one/theme/light.tokens.json")
        edited.write_text(edited.read_text("utf-8").replace("{theme.slate}", "{theme.slat}"), encoding="utf-8")
        for command in self.COMMANDS:
            done = tokensync(*command.split(), code=1)
            assert "no such token: {theme.slat}; did you mean {theme.slate}? [token-reference]\n" in done.stderr


def renaming_project():
    from tokensync.project.configuration import load_project

    return load_project("tokensync.toml")


def _stop_after(patch, writes):
    """Interrupt the command after some files are written or removed."""
    from tokensync.dtcg import folder

    done = []

    def counting(function):
        def counted(*arguments, **options):
            if len(done) == writes:
                raise KeyboardInterrupt
            done.append(1)
            return function(*arguments, **options)

        return counted

    for module, name in ((renaming, "replace_file"), (folder, "replace_file"), (folder, "remove_file")):
        patch.setattr(module, name, counting(getattr(module, name)))
