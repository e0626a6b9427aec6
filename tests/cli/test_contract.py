"""Common behaviour of all commands: global options, exit codes, streams, no tracebacks."""

import json
import os
import sys

import click
import pytest
from commands.projects import COLORS, DESIGN, on_the_platform, output, project_in, quickstart_in, tokensync

from tokensync import __version__
from tokensync.cli import main
from tokensync.cli.main import COMMANDS

SUBCOMMANDS = [
    *("api", "api variables", "api variables local", "emulator openapi"),
    *("build", "demo", "format", "pull", "report", "emulator", "emulator serve", "emulator seed"),
    *("plan", "apply", "rollback", "status", "files", "files layers", "emulator files", "emulator files create"),
    *("tokens", "tokens list", "tokens show", "tokens why", "tokens dependents"),
]


@pytest.fixture
def harbor(folder, monkeypatch):
    monkeypatch.chdir(quickstart_in(folder / "harbor"))
    return folder / "harbor"


def groups(group, *path):
    """Yield every group of commands by its words."""
    context = click.Context(group, info_name="tokensync")
    commands = {name: group.get_command(context, name) for name in group.list_commands(context)}
    yield path
    for name, command in commands.items():
        if isinstance(command, click.Group):
            yield from groups(command, *path, name)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("builds", "tokensync: No such command 'builds'. Did you mean build? Try"),
        ("tokens lst", "tokensync tokens: No such command 'lst'. Did you mean list? Try"),
        ("api variable", "tokensync api: No such command 'variable'. Did you mean variables? Try"),
        ("api variables locl", "tokensync api variables: No such command 'locl'. Did you mean local? Try"),
        ("push", "tokensync: No such command 'push'. Did you mean plan, then apply? Try"),
        ("import", "tokensync: No such command 'import'. Did you mean migrate, or pull? Try"),
        ("help", "tokensync: No such command 'help'. Did you mean --help, or explain? Try"),
        ("xyzzy", "tokensync: No such command 'xyzzy'. Try"),
    ],
)
def test_an_unknown_command_is_answered_with_similar_ones(words, message):
    assert message in tokensync(*words.split(), code=2).stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("build all", "tokensync build: Got unexpected extra argument (all). Try 'tokensync build --help'.\n"),
        ("build --jsn", "tokensync build: No such option '--jsn'. Did you mean '--json'? Try 'tokensync build"),
        ("tokens why", "tokensync tokens why: Missing argument 'TOKEN'. Try 'tokensync tokens why --help'.\n"),
    ],
)
def test_each_sentence_of_a_usage_error_ends(words, message):
    assert message in tokensync(*words.split(), code=2).stderr


@pytest.mark.parametrize("words", ["build --file", "tokens list -q --snapshot", "-v emulator seed --key"])
def test_an_option_without_its_value_is_reported_with_its_command(words):
    path = " ".join(each for each in words.split() if each[0] != "-")
    option = words.split()[-1]
    message = f"tokensync {path}: Option '{option}' requires an argument. Try 'tokensync {path} --help'.\n"
    assert message in tokensync(*words.split(), code=2).stderr


class TestHelp:
    @pytest.mark.parametrize("command", SUBCOMMANDS)
    @pytest.mark.parametrize("flag", ["-h", "--help"])
    def test_every_command_explains_itself_on_stdout(self, command, flag):
        done = tokensync(*command.split(), flag)
        assert done.output.startswith(f"Usage: tokensync {command} ")
        assert done.stderr == ""

    def test_every_command_is_in_the_list(self):
        listed = tokensync("--help").output.partition("Commands:")[2]
        names = [line.split()[0] for line in listed.strip().splitlines()]
        assert names == sorted(COMMANDS)

    @pytest.mark.parametrize("name", COMMANDS)
    def test_the_line_of_a_command_in_the_list_is_the_first_of_its_help(self, name):
        command = main.tokensync.get_command(click.Context(main.tokensync), name)
        assert COMMANDS[name][1] == command.get_short_help_str(100)

    @pytest.mark.parametrize("path", tuple(groups(main.tokensync)), ids=" ".join)
    def test_the_list_of_commands_fits_in_80_columns(self, path, monkeypatch):
        monkeypatch.setenv("COLUMNS", "80")
        shown = tokensync(*path, "--help").output
        listed = shown.partition("Commands:\n")[2].splitlines()
        assert listed
        assert [line for line in listed if line.endswith("...") or len(line) > 80] == []

    def test_the_version_is_printed(self):
        assert tokensync("--version").output == f"tokensync {__version__}\n"


class TestUsage:
    @pytest.mark.parametrize(
        "arguments",
        [
            ["nothing"],
            ["build", "--nothing"],
            ["build", "--platform", "web"],
            ["tokens", "nothing"],
            ["tokens", "show"],
            ["emulator", "seed"],
            ["emulator", "serve", "--port", "65536"],
            ["build", "--snapshot", DESIGN[0]],
            ["build", "--snapshot", DESIGN[0], "-o", "out", "-c", "tokensync.toml"],
            ["build", "--published", DESIGN[1]],
            ["build", "--snapshot", "nowhere.json", "-o", "out"],
            ["build"],
            ["pull"],
            ["plan"],
            ["plan", "--code-syntax", "web,flash"],
            ["plan", "--code-syntax", ""],
            ["plan", "--format", "html"],
            ["-c", "nowhere.toml", "build"],
        ],
        ids=lambda arguments: " ".join(map(str, arguments))[:40],
    )
    def test_it_is_2_and_one_line_on_stderr(self, folder, arguments):
        done = tokensync(*arguments, code=2)
        assert done.output == ""
        assert len(done.stderr.splitlines()) == 1
        assert done.stderr.startswith("error: ")

    def test_a_group_without_a_command_shows_its_help(self, folder):
        for group in ((), ("tokens",), ("emulator",)):
            done = tokensync(*group, code=2)
            assert "Usage: tokensync" in done.output + done.stderr

    def test_typed_text_cannot_control_the_terminal(self, folder):
        for arguments in (["\x1b[31mred"], ["--\x1b[31m"], ["build", "-c", "\x1b[31m"], ["tokens", "show", "\x1b[31m"]):
            assert "\x1b" not in tokensync(*arguments, code=2).stderr


class TestSharedOptions:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (["-q", "build"], ["build", "-q"]),
            (["--quiet", "pull", "--dry-run"], ["pull", "--dry-run", "--quiet"]),
            (["-v", "build"], ["build", "-v"]),
            (["-c", "tokensync.toml", "build"], ["build", "-c", "tokensync.toml"]),
            (["--file", "harbor", "format"], ["format", "--file", "harbor"]),
            (["--json", "tokens", "list"], ["tokens", "list", "--json"]),
            (["--json", "build", "--check"], ["build", "--check", "--json"]),
            (["--no-color", "tokens", "why", "scrim"], ["tokens", "why", "scrim", "--no-color"]),
        ],
        ids=" ".join,
    )
    def test_they_mean_the_same_before_and_after_the_command(self, harbor, before, after):
        tokensync("-q", "emulator", "seed", *DESIGN)
        first, second = tokensync(*before), tokensync(*after)
        assert first == second

    def test_several_files_may_be_named_before(self, folder):
        project_in(folder, files=("one", "two", "three"))
        for name in ("one", "two"):
            on_the_platform(COLORS, name)
        done = tokensync("--file", "one", "--file", "two", "pull")
        assert [line.split(":")[0] for line in done.stderr.splitlines() if " in 1 collection" in line] == ["one", "two"]

    def test_quiet_shows_errors_only(self, harbor):
        tokensync("-q", "emulator", "seed", *DESIGN)
        for command in ("pull", "build", "build --check", "format", "format --check"):
            assert tokensync("-q", *command.split()) == (0, "", "")
        assert tokensync("-q", "build", "--platform", "nothing", code=2).stderr
        dark = harbor / "tokens" / "harbor" / "theme" / "dark.tokens.json"
        dark.write_text(dark.read_text("utf-8").replace("{theme.accent.$root}", "{theme.nowhere}"), encoding="utf-8")
        problems = tokensync("-q", "pull", code=1).stderr.splitlines()
        assert problems
        assert all(line.startswith("error: ") for line in problems)

    def test_verbose_names_every_file(self, harbor):
        (harbor / "code" / "web" / "tokens.css").unlink()
        assert "written: code/web/tokens.css\n" in tokensync("-v", "build").stderr

    @pytest.mark.parametrize(
        "command",
        [
            *("pull", "build", "build --check", "format", "plan", "plan --format markdown"),
            *("tokens list", "tokens show scrim", "tokens why scrim"),
        ],
    )
    def test_json_is_all_there_is_on_stdout(self, harbor, command):
        tokensync("-q", "emulator", "seed", *DESIGN)
        json.loads(tokensync(*command.split(), "--json").output)

    @pytest.mark.parametrize("command", ["pull", "build", "format", "build --check"])
    def test_without_json_only_results_are_on_stdout(self, harbor, command):
        tokensync("-q", "emulator", "seed", *DESIGN)
        assert tokensync(*command.split()).output == ""


class TestConfiguration:
    def test_it_is_found_in_a_parent_folder(self, harbor, monkeypatch):
        monkeypatch.chdir(harbor / "code" / "web")
        tokensync("build", "--check")

    def test_the_environment_names_it_and_a_flag_wins(self, folder, monkeypatch):
        quickstart_in(folder / "harbor")
        monkeypatch.setenv("TOKENSYNC_CONFIG", "harbor/tokensync.toml")
        tokensync("build", "--check")
        tokensync("build", "--check", "-c", "nowhere.toml", code=2)
        monkeypatch.setenv("TOKENSYNC_CONFIG", "nowhere.toml")
        tokensync("build", "--check", "-c", "harbor")

    @pytest.mark.parametrize(
        "text",
        [
            "[[",
            "files = 1",
            "tool = 5",
            'base_url = ""',
            "\x00",
            'nothing = "known"',
            "a = " + "[" * 5000,
            '[[outputs]]\nplatform = "web"\npath = "x"',
        ],
        ids=lambda text: text[:12],
    )
    def test_an_invalid_configuration_exits_with_2_and_its_location(self, folder, text):
        (folder / "tokensync.toml").write_text(text, encoding="utf-8")
        for command in ("build", "pull", "format", "tokens list"):
            assert "tokensync.toml" in tokensync(*command.split(), code=2).stderr

    @pytest.mark.parametrize(
        "url", ["http://example.org", "ftp://x", "https://www.figma.com", "https://u:p@api.figma.com"]
    )
    def test_an_invalid_base_url_is_a_usage_error(self, folder, monkeypatch, url):
        project_in(folder)
        monkeypatch.setenv("TOKENSYNC_BASE_URL", url)
        monkeypatch.setenv("FIGMA_TOKEN", "figd_secret")
        stderr = tokensync("pull", code=2).stderr
        assert "figd_secret" not in stderr

    def test_a_folder_given_as_a_response_is_reported(self, folder):
        assert (
            "this is a folder; name a file with a response"
            in tokensync("build", "--snapshot", folder, "-o", "out", code=2).stderr
        )


class TestErrorsAsJson:
    @pytest.mark.parametrize(
        ("words", "code", "start"),
        [
            ("diff nowhere tokens --json", 2, "nowhere: no such file or folder"),
            ("diff nowhere tokens --format json", 2, "nowhere: no such file or folder"),
            ("diff nowhere tokens --format=json", 2, "nowhere: no such file or folder"),
            ("apply --json", 2, ".tokensync/plan.json: there is no plan"),
            ("tokens why nothing --json", 2, "nothing: no such token"),
            ("--json bananas", 2, "tokensync: No such command"),
            ("build --json --no-such-option", 2, "tokensync build: No such option"),
        ],
    )
    def test_a_program_gets_the_message_and_the_exit_code(self, harbor, words, code, start):
        done = tokensync(*words.split(), code=code)
        error = json.loads(done.output)["error"]
        assert (error["exit_code"], error["problems"]) == (code, [])
        assert error["message"].startswith(start)
        assert f"error: {error['message']}" in done.stderr

    def test_it_gets_every_problem(self, harbor):
        config = harbor / "tokensync.toml"
        config.write_text(config.read_text("utf-8") + "surprise = 1\n[more]\n", encoding="utf-8")
        done = tokensync("build", "--json", code=2)
        error = json.loads(done.output)["error"]
        assert done.stderr.splitlines() == [f"error: {line}" for line in error["message"].splitlines()]
        assert [(each["code"], each["severity"]) for each in error["problems"]] == [("config-invalid", "error")] * 2
        assert all("tokensync.toml:" in each["where"] for each in error["problems"])

    def test_nothing_is_added_to_a_result(self, harbor):
        (harbor / "code/web/tokens.css").write_text("", encoding="utf-8")
        assert "error" not in json.loads(tokensync("build", "--check", "--json", code=3).output)

    def test_others_get_the_text_only(self, harbor):
        assert tokensync("diff", "nowhere", "tokens", code=2).output == ""

    def test_a_comment_gets_the_message_too(self, harbor):
        assert "nowhere: no such file" in tokensync("diff", "nowhere", "tokens", "--format", "markdown", code=2).output


class TestInternalErrors:
    def test_a_failure_of_the_emulator_state_is_not_an_internal_error(self, harbor, monkeypatch):
        import sqlite3

        def broken(*_, **__):
            raise sqlite3.OperationalError("disk I/O error")

        monkeypatch.setattr("tokensync.emulator.services.variables.publishing.seed", broken)
        stderr = tokensync("emulator", "seed", *DESIGN, code=1).stderr
        assert "emulator.sqlite: not usable as the emulator's state (disk I/O error)" in stderr

    @pytest.mark.skipif(sys.platform == "win32", reason="there, the command line is text")
    @pytest.mark.parametrize(
        "arguments", [["emulator", "files", "user"], ["emulator", "publish"], ["webhooks", "delete"]]
    )
    def test_an_undecodable_argument_is_not_an_internal_error(self, harbor, arguments, capsys):
        from tokensync.cli.main import run

        assert run([*arguments, os.fsdecode(b"a\xff")]) == 2
        assert "error: command line: an argument is not valid UTF-8" in capsys.readouterr().err

    def test_they_are_one_line_that_asks_for_a_report(self, folder, monkeypatch, capsys):
        from tokensync.cli.main import run

        project_in(folder, outputs=output("css", "web"))
        monkeypatch.setattr("tokensync.project.configuration.parse_config", lambda *_: 1 / 0)
        assert run(["build"]) == 1
        assert "internal error (ZeroDivisionError" in capsys.readouterr().err
        monkeypatch.setenv("TOKENSYNC_DEBUG", "1")
        with pytest.raises(ZeroDivisionError):
            run(["build"])
