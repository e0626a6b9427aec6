"""-o, and --review of plan: the file gets the bytes that stdout would get on a system of UTF-8 and LF."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import click
import pytest
from cli.two_scripts import prepared, project, written
from commands.projects import tokensync

from tokensync.cli import main

__all__ = ["prepared", "project"]

COMMANDS = {
    **{f"diff lock tokens --format {form}": "-o" for form in ("text", "markdown", "message", "json", "html")},
    **{f"plan --format {form}": "--review" for form in ("text", "markdown", "json")},
    **{f"check --format {form}": "-o" for form in ("sarif", "github", "json")},
    **{f"lint --format {form}": "--out" for form in ("sarif", "github", "json")},
    **dict.fromkeys(("tokens list", "tokens list --json", "tokens show x→y", "tokens why x→y --json"), "-o"),
    **dict.fromkeys(("status", "status --json", "api variables local --file one", "files layers one --json"), "-o"),
}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "result"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_file_gets_the_bytes_of_stdout(project, file, command):
    code, plain, _ = written(command, "utf-8", newline="\n")
    for encoding in ("utf-8", "cp1252"):
        again, stdout, _ = written(f"{command} {COMMANDS[command]} {file}", encoding)
        assert (again, stdout) == (code, b"")
        assert file.read_bytes() == plain
        file.write_bytes(b"a former result, which is longer" * 100)


def test_a_command_that_fails_before_it_has_a_result_leaves_the_file_as_it_is(project, file):
    file.write_text("former", encoding="utf-8")
    done = tokensync("diff", "lock", "nothing", "--json", "-o", file, code=2)
    assert file.read_text(encoding="utf-8") == "former"
    assert json.loads(done.output)["error"]["exit_code"] == 2


@pytest.mark.parametrize("form", ["sarif", "github"])
def test_problems_that_end_a_check_are_in_the_file_too(project, file, form, tmp_path):
    config = tmp_path / "wrong.toml"
    config.write_text("output = 1", encoding="utf-8")
    done = tokensync("check", "-c", config, "--format", form, "-o", file, code=2)
    assert done.output == ""
    assert "wrong.toml" in file.read_text(encoding="utf-8")


def test_no_command_has_an_option_twice():
    def commands(command, path):
        context = click.Context(command)
        yield path, [name for each in command.params for name in (*each.opts, *each.secondary_opts)]
        for name in command.list_commands(context) if isinstance(command, click.Group) else ():
            yield from commands(command.get_command(context, name), f"{path} {name}")

    found = dict(commands(main.tokensync, "tokensync"))
    assert len(found) > 100
    assert {path: names for path, names in found.items() if len(names) != len(set(names))} == {}


def test_a_folder_in_its_place_is_named(project, tmp_path):
    done = tokensync("tokens", "list", "-o", tmp_path, code=2)
    assert f"{tmp_path}: this is a folder; name a file in it" in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
def test_a_pipe_gets_the_result_and_stays_a_pipe(project, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as threads:
        read = threads.submit(pipe.read_bytes)
        tokensync("tokens", "list", "--json", "-o", str(pipe))
        assert read.result().startswith(b"[")
    assert pipe.is_fifo()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("plan -o", 2, "this is not a file; select another path"),
        ("report --force -o", 1, "a pipe or device, not a file"),
    ],
)
def test_a_pipe_is_not_replaced_by_a_plan_or_report(project, tmp_path, command, code, words):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = tokensync(*command.split(), str(pipe), code=code)
    assert words in done.stderr.lower()
    assert pipe.is_fifo()
