"""Renamed modes and tokens: in token files, resolver document and configuration, as a whole or not at all."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, quickstart_in, tokensync

from tokensync.commands import renaming

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
    project_in(folder, outputs=CSS)
    on_the_platform(COLORS)
    tokensync("-q", "pull")
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
            "note: Theme / Night: token files and code still call this mode dark; "
            "to rename it there, run tokensync tokens rename-mode theme/dark Night [mode-name-former]"
        ]

    def test_a_build_says_so_too_and_keeps_the_former_name(self, renamed):
        tokensync("pull", "-q")
        Path("web/tokens.css").unlink()
        assert tokensync("build").stderr.count("run tokensync tokens rename-mode theme/dark Night") == 1
        assert ".dark" in Path("web/tokens.css").read_text()

    def test_the_command_renames_it_in_code_and_nothing_is_left_to_do(self, renamed):
        tokensync("pull", "-q")
        done = tokensync("tokens", "rename-mode", "theme/dark", "Night")
        assert done.stderr.startswith("theme/dark is now theme/night\n")
        for command in (("plan", "--exit-code"), ("status",), ("format", "--check")):
            tokensync(*command)
        assert "nothing to do" in tokensync("pull").stderr
        assert "mode-name-former" not in tokensync("build").stderr
        assert not Path("tokens/one/theme/dark.tokens.json").exists()
        assert '"com.figma.modeName": "Night"' in Path("tokens/one/theme/night.tokens.json").read_text()

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
        before = Path("tokensync.toml").read_text()
        on_the_platform(COLORS)
        tokensync("-q", "pull")
        tokensync("tokens", "rename-mode", "theme/dark", "Night")
        expected = before.replace('"*/dark", ', '"*/dark", "theme/night", ')
        expected = expected.replace('"theme/dark"', '"theme/night"').replace("'theme/dark'", '"theme/night"')
        assert Path("tokensync.toml").read_text() == expected
        tokensync("build")

    @pytest.mark.parametrize(("written", "after"), [("dark", "night"), ("Dark", "Night")])
    def test_themes_name_the_mode_as_before(self, folder, written, after):
        themes = f'[themes]\nevening = {{ theme = "{written}" }} # the dark one\nother.theme = "light"\n'
        project_in(folder, outputs=output("css", "web"), more=themes)
        text = Path("tokensync.toml").read_text().replace(themes, "") + themes
        Path("tokensync.toml").write_text(text)
        on_the_platform(COLORS)
        tokensync("-q", "pull")
        tokensync("tokens", "rename-mode", "theme/dark", "Night")
        assert Path("tokensync.toml").read_text() == text.replace(f'"{written}" }}', f'"{after}" }}')
        tokensync("build")

    def test_a_mode_without_an_id_gets_an_entry_that_keeps_its_identity(self, project):
        path = Path("tokens/one/theme/dark.tokens.json")
        content = json.loads(path.read_text())
        del content["$extensions"]["org.tokensync"]["mode"]["id"]
        path.write_text(json.dumps(content))
        before = sources_in(project)
        tokensync("tokens", "rename-mode", "theme/dark", "Night")
        (entry,) = tomllib.loads(Path("tokensync.toml").read_text())["moved"]
        assert entry == {"kind": "mode", "collection": "theme", "from": "dark", "to": "night"}
        assert "  modes: 1 changed\n" in tokensync("plan").output
        tokensync("tokens", "rename-mode", "theme/night", "Dark")
        assert sources_in(project) == before

    def test_extensions_follow(self, folder):
        quickstart_in(folder / "q")
        tokensync("tokens", "rename-mode", "theme/dark", "Night", "-c", "q/tokensync.toml")
        resolver = json.loads(Path("q/tokens/harbor.resolver.json").read_text())["modifiers"]["theme"]
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
            path.write_text(path.read_text().replace('"mode": {"id": "', '"mode": {"former": "'))
        with Path("tokensync.toml").open("a") as file:
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
        path.write_text(path.read_text().replace("{theme.slate}", "{theme.slat}"))
        before = files_in(project)
        done = tokensync("tokens", "rename-mode", "theme/dark", "Night", code=1)
        assert "did you mean {theme.slate}?" in done.stderr
        assert files_in(project) == before


class TestRenamedInOneFile:
    COMMANDS = ("build", "plan", "pull", "status", "tokens list", "tokens unused --offline", "report", "usage")

    @pytest.mark.parametrize(("path", "other"), [("light", "dark"), ("dark", "light")])
    def test_every_command_stops_with_the_same_words_and_both_places(self, project, path, other):
        edited = Path(f"tokens/one/theme/{path}.tokens.json")
        edited.write_text(edited.read_text().replace('"muted": {', '"quiet": {'))
        names = {path: "quiet", other: "muted"}
        pair = f"theme/text/{names['dark']} theme/text/{names['light']}"
        for command in (*self.COMMANDS, "diff lock tokens", "pull --dry-run", "plan --json", "build --check"):
            done = tokensync(*command.split(), code=1)
            (error,) = (each for each in done.stderr.splitlines() if each.startswith("error: "))
            dark, light = (f"tokens/one/theme/{mode}.tokens.json:" for mode in ("dark", "light"))
            assert error.startswith(f"error: {dark}")
            assert (
                f"(#/theme/text/{names['dark']}): it is not in the file of the default mode, which has {light}" in error
            )
            assert f"(#/theme/text/{names['light']}) instead; use one name in all files: " in error
            assert error.endswith(
                f"run tokensync tokens rename {pair}, or the same with the names exchanged [token-in-one-mode]"
            )

    def test_every_command_names_the_nearest_token_for_a_misspelled_alias(self, project):
        edited = Path("tokens/one/theme/light.tokens.json")
        edited.write_text(edited.read_text().replace("{theme.slate}", "{theme.slat}"))
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
