"""No output is a command of a CI runner or a terminal, whatever names, texts, paths and responses contain."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import click
import msgspec
import pytest
import responses
from ci_runners import commands
from cli.hostile_project import BAD_SETTINGS, FILE_NAMES, MARKS, TOKENS, copied, make
from cli.hostile_runs import RUNS, SERVING
from cli.programs import environment, started
from click.shell_completion import get_completion_class
from corpus.building import OWN_ERROR

from tokensync.cli import main
from tokensync.cli.console import Console
from tokensync.extract.client.endpoints import ENDPOINTS
from tokensync.normalize.mapping import name_of_path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks for file names and terminals that only POSIX has")

FORMATS = ("--format", "--by")
"""Options that choose how an answer is shown, each of whose values is tried."""
REFUSED = {"status": 403, "err": "##[add-mask]tok\n::error::x", "message": "::error::x\r\n##[error]##vso[a.b]x"}


OURS = re.compile(r"\r?\x1b\[(?:[\d;]*m|K)|\r(?=\n|[|/\\-] )")
"""Colours, and the progress display."""
ANNOTATION = re.compile(
    r"::(?:error|warning|notice)(?: (?:file=[^:,]+,(?:line=\d+,)?(?:col=\d+,)?)?title=[a-z-]+)?::.*"
)
"""The only commands that tokensync prints, if they are asked for."""
BLANK = re.compile("[\ufe00-\ufe0f\u3164\u2800]")
"""Printable characters that show nothing."""


class Written(NamedTuple):
    code: int
    output: str
    stderr: str


def commands_below(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command by its words, except for the operations of ``api``, which have their own tests."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield " ".join((*path, name)), command
        if isinstance(command, click.Group) and name != "api":
            yield from commands_below(command, *path, name)


COMMANDS = dict(commands_below(main.tokensync))


def options_of(command: click.Command, *, is_first: bool) -> Iterator[tuple[str, ...]]:
    """Return the options that select the output format; with a command's first arguments, also that of its source."""
    for each in command.params:
        if "--json" in each.opts:
            yield ("--json",)
        for name in set(FORMATS).intersection(each.opts) if is_first or command.name != "migrate" else ():
            yield from ((name, choice) for choice in each.type.choices)


def read_to_end(descriptor: int, into: list[bytes]) -> None:
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # how a terminal ends
            part = b""
        if not part:
            break
        into.append(part)
    os.close(descriptor)


@contextmanager
def streams(*, terminal: bool) -> Iterator[list[list[bytes]]]:
    """Replace sys.stdout and sys.stderr by pipes or one terminal; yield the output, complete at the end."""
    pairs = [os.openpty()] if terminal else [os.pipe(), os.pipe()]
    read: list[list[bytes]] = [[] for _ in pairs]
    threads = [
        threading.Thread(target=read_to_end, args=(pair[0], parts)) for pair, parts in zip(pairs, read, strict=True)
    ]
    for thread in threads:
        thread.start()
    before = sys.stdin, sys.stdout, sys.stderr
    with ExitStack() as stack:
        opened = [stack.enter_context(open(pair[1], "w", encoding="utf-8")) for pair in pairs]
        sys.stdin, sys.stdout, sys.stderr = io.StringIO("::error::secret\n"), opened[0], opened[-1]
        try:
            yield read
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
    for thread in threads:
        thread.join()


def run(*arguments: str, terminal: bool = False) -> Written:
    """Run a command in this process; assert that no line is a command, nothing is unseen, and no error is internal."""
    with streams(terminal=terminal) as read:
        code = main.run(arguments)
    texts = [b"".join(parts).decode("utf-8") for parts in read]
    done = Written(code, texts[0], texts[-1])
    assert OWN_ERROR not in done.stderr
    assert "Traceback" not in done.stderr
    found = [line for text in texts for line in commands(text)]
    if "github" in arguments:
        found = [line for line in found if not ANNOTATION.fullmatch(line) or commands(line.lstrip(":"))]
    assert found == [], arguments
    assert [line for text in texts for line in unseen(text)] == [], arguments
    return done


def unseen(output: str) -> list[str]:
    """Return the lines with characters that a terminal acts on or does not show, except for tokensync's own."""
    lines = OURS.sub("", output).split("\n")
    return [line for line in lines if not line.isprintable() or BLANK.search(line)]


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("TOKENSYNC_", "FIGMA_")):
                patch.delenv(name)
        patch.setenv("HOOK", "open sesame")
        return make(tmp_path_factory.mktemp("hostile") / "##[error]project")


@pytest.fixture
def copy(project, tmp_path):
    """A copy of the project for one test."""
    return copied(project, tmp_path / "::error::copy")


@pytest.fixture(scope="session")
def shared_copy(project, tmp_path_factory):
    """A copy for tests of the output of failing commands."""
    return copied(project, tmp_path_factory.mktemp("shared") / "::error::copy")


@pytest.fixture
def inside(copy, tmp_path, monkeypatch):
    return filling(copy, tmp_path, monkeypatch)


@pytest.fixture
def inside_shared(shared_copy, tmp_path, monkeypatch):
    return filling(shared_copy, tmp_path, monkeypatch)


def filling(copy, tmp_path, monkeypatch):
    """Make the copy the working folder; return a function that replaces placeholders of ids."""
    monkeypatch.chdir(copy)
    for name, value in {"HOOK": "x", "TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)
    for name in ("XDG_CONFIG_HOME", "APPDATA"):  # where auth login keeps what it is given
        monkeypatch.setenv(name, str(tmp_path / "settings"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    ids = json.loads((copy / "ids.json").read_text(encoding="utf-8"))

    def filled(arguments: Sequence[str]) -> list[str]:
        receipts = sorted((copy / ".tokensync").glob("**/receipt.json"))
        known = {**ids, "receipt": str(receipts[0]) if receipts else ""}
        return [re.sub(r"<(\w+)>", lambda match: known[match[1]], each) for each in arguments]

    return filled


@pytest.fixture
def documents(monkeypatch):
    """Return JSON results before they are written."""
    arguments = []
    write = Console.json

    def json_(self: Console, document: object) -> None:
        arguments.append(msgspec.json.decode(msgspec.json.encode(document)))
        write(self, document)

    monkeypatch.setattr(Console, "json", json_)
    return arguments


class TestTheReader:
    @pytest.mark.parametrize("mark", MARKS)
    def test_it_finds_a_command_in_each_name_as_it_is(self, mark):
        assert commands(mark)
        assert commands(f"first\n{mark}\nlast")

    def test_it_finds_what_a_terminal_acts_on(self):
        assert all(unseen(each) for each in ("a\x1b]0;x\x07", "a\x1b[2J", "\x9b35m", "a\rb", "\u202ea", "a\u3164"))
        assert unseen("\x1b[31ma\x1b[0m\r\n\r| a\x1b[K\r\x1b[K") == []

    @pytest.mark.parametrize("line", ["## x", "# #[x]", "a ::error::x", ":: x", "::x", "##x[y]", "#\\x23[error]x"])
    def test_it_finds_no_commands_in_other_lines(self, line):
        assert commands(line) == []


class TestEveryCommand:
    def test_each_is_run_here(self):
        assert COMMANDS.keys() == RUNS.keys() | SERVING

    @pytest.mark.parametrize("name", RUNS)
    def test_it_writes_no_command_of_a_runner(self, name, inside, documents):
        with answering(200, json={"id": "1", "handle": "::error::x", "email": "##[error]x"}):
            for arguments in RUNS[name].before:
                assert run(*inside(arguments)).code == 0
            for number, arguments in enumerate(RUNS[name].arguments):
                typed = [*name.split(), *inside(arguments)]
                for more in ((), *options_of(COMMANDS[name], is_first=not number)):
                    documents.clear()
                    done = run(*typed, *more)
                    assert number or more or done.code in RUNS[name].ends, done
                    if documents:
                        assert [json.loads(done.output)] == documents
                        assert done.output.replace("\n", "").isprintable()
                run(*typed, terminal=True)

    @pytest.mark.parametrize("name", COMMANDS)
    def test_usage_errors_contain_no_commands(self, name, inside_shared):
        assert run(*name.split(), "--##[error]x", "::error::x").code == 2
        run(*name.split(), *FILE_NAMES, *FILE_NAMES)
        run(*name.split(), "--help")
        if any("--config" in each.opts for each in COMMANDS[name].params):
            run(*name.split(), "-c", BAD_SETTINGS)
            run(*name.split(), "-c", "::error::x.toml", terminal=True)


class TestJson:
    def test_names_and_texts_equal_those_of_the_platform(self, inside):
        def rows(variables: dict[str, dict[str, object]]) -> dict[str, tuple[object, ...]]:
            return {each["id"]: (each["name"], each["description"], each["codeSyntax"]) for each in variables.values()}

        with open("local.json", encoding="utf-8") as file:
            saved = json.load(file)["meta"]["variables"]
        answered = json.loads(run("api", "variables", "local", "--file", "one").output)["meta"]
        assert rows(answered["variables"]) == rows(saved)
        assert {each["name"] for each in answered["variableCollections"].values()} == set(MARKS)
        listed = json.loads(run("tokens", "list", "--snapshot", "local.json", "--json").output)
        names = {row["id"]: name_of_path(row["path"]) for row in listed if not row["remote"]}
        assert names == {each["id"]: each["name"] for each in saved.values()}

    def test_paths_are_those_of_the_files(self, inside):
        path = "\x1b##[error]\u202e.tokens.json"
        (first, *_) = sorted(Path(TOKENS).glob("one/*/*.tokens.json"))
        Path(path).write_bytes(first.read_bytes())
        done = json.loads(run("format", "--json", path, str(first)).output)
        assert done["files"] == [path, str(first)]
        assert json.loads(run("build", "--json", "--force").output)["folder"] == os.getcwd()


class TestServers:
    @pytest.mark.parametrize("name", [each for each in RUNS if not each.startswith("emulator")])
    @pytest.mark.parametrize("answer", [{"json": REFUSED}, {"body": "::error::x\n##[error]x"}], ids=["json", "text"])
    def test_refused_requests_print_no_commands(self, name, answer, inside_shared, monkeypatch):
        monkeypatch.setenv("TOKENSYNC_BASE_URL", "https://api.figma.com")
        monkeypatch.setenv("FIGMA_TOKEN", "figd_x")
        with answering(403, **answer):
            for arguments in RUNS[name].arguments[:1]:
                run(*name.split(), *inside_shared(arguments))

    @pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
    def test_an_answer_of_any_endpoint_is_written_as_the_same_document(self, endpoint, folder, monkeypatch):
        monkeypatch.setenv("FIGMA_TOKEN", "figd_x")
        values = {
            "text": "##[error]x",
            "list": "::error::x",
            "number": "1",
            "boolean": "true",
            "json": '{"##[error]": 1}',
        }
        typed = ["api", *endpoint.name.split()]
        for each in endpoint.parameters:
            if each.required:
                value = "KEY" if each.name.endswith("file_key") else values[each.kind]
                value = "not in the answer" if each.secret else value  # it would be hidden there
                typed += [f"--{each.name.replace('_', '-')}", value]
        document = {"meta": {mark: [mark, {mark: mark}] for mark in MARKS}, "\x7f\x9b\u202e\u2028\U000e0041": "日本 🎨"}
        with answering(200, json=document):
            done = run(*typed)
        if not endpoint.for_browsers:
            assert done.code == 0, done
            assert json.loads(done.output) == document
            assert done.output.replace("\n", "").isprintable()
        with answering(400, json=REFUSED):
            run(*typed)


@contextmanager
def answering(status: int, **answer: object) -> Iterator[None]:
    """Answer every request with the same response."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        for method in ("GET", "POST", "PUT", "DELETE"):
            mock.add(method, re.compile("https?://.*"), status=status, **answer)
        yield


OTHERS = """
import logging, os, sys, threading, warnings
import click
from tokensync.__main__ import main
from tokensync.project import configuration

def parse(*_):
    logging.getLogger("tokensync").warning("::error::log")
    warnings.warn("\\n##[error]warning")
    click.echo("##vso[a.b]click", err=True)
    sys.stderr.write("#")
    sys.stderr.write("#[error]pieces\\n")
    thread = threading.Thread(target=lambda: {}["::error::thread ##[error]"])
    thread.start()
    thread.join()
    raise RuntimeError("##[error]x\\n::error::y")

configuration.parse_config = parse
main()
"""


class TestPrograms:
    """What only a process of its own shows."""

    def test_tracebacks_and_library_output_contain_no_commands(self, folder):
        (folder / "tokensync.toml").write_text("", encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", OTHERS, "build"],
            env=environment(TOKENSYNC_DEBUG="1", PYTHONWARNINGS="default"),
            check=False,
            capture_output=True,
            encoding="utf-8",
        )
        for word in ("error::log", "[error]warning", "[a.b]click", "[error]pieces", "error::thread", "error::y"):
            assert word in done.stderr
        assert "Traceback" in done.stderr
        assert commands(done.stdout + done.stderr) == []
        assert done.returncode == 1

    def test_a_listener_breaks_its_own_lines_and_leaves_those_of_the_user_s_command(self, folder):
        program = folder / "##[error]program"
        program.write_text(f"#!{sys.executable}\nprint('::notice::of the user')\n", encoding="utf-8")
        program.chmod(0o755)
        arguments = ("webhooks", "listen", "--port", "0", "--passcode-env", "HOOK", "--", "./##[error]program")
        with started(*arguments, env=environment(HOOK="x")) as process:
            endpoint = json.loads(process.stdout.readline())["endpoint"]
            for event in ("PING", "##[error]x", "FILE_DELETE"):
                body = json.dumps({"passcode": "x", "event_type": event, "file_key": "::error::x"}).encode()
                with suppress(urllib.error.HTTPError), urllib.request.urlopen(endpoint, body, timeout=30):
                    pass
            stderr = ""
            while "program: done" not in stderr:
                stderr += (line := process.stderr.readline().decode("utf-8"))
                assert line
            process.send_signal(signal.SIGINT)
            output, more = process.communicate(timeout=30)
            assert commands(output.decode("utf-8")) == ["::notice::of the user"]
            assert commands(stderr + more.decode("utf-8")) == []

    def test_watch_and_emulator_print_no_commands(self, project, tmp_path, monkeypatch):
        monkeypatch.chdir(copied(project, tmp_path / "copy"))
        serving = ("emulator", "serve", "--port", "0", "--seed", "local.json", "--key", "key-one")
        with started("build", "--watch", "--force") as watch, started(*serving) as serve:
            lines = b""
            while b" tokens, " not in lines:
                lines += (line := watch.stderr.readline())
                assert line
            first_line = serve.stdout.readline()
            assert json.loads(first_line)["file_keys"] == ["key-one"]
            for process, before in ((watch, lines), (serve, first_line)):
                process.send_signal(signal.SIGINT)
                output, stderr = process.communicate(timeout=30)
                assert commands((before + output + stderr).decode("utf-8")) == []

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_completion_scripts_are_those_of_click(self, folder, shell):
        completion = get_completion_class(shell)(main.tokensync, {}, "tokensync", "_TOKENSYNC_COMPLETE")
        done = subprocess.run(
            [sys.executable, "-m", "tokensync"],
            env=environment(_TOKENSYNC_COMPLETE=f"{shell}_source"),
            check=False,
            capture_output=True,
        )
        assert done.stdout.decode("utf-8").strip() == completion.source().strip()
        typed = {"COMP_WORDS": "tokensync ##[error]x ::error::", "COMP_CWORD": "2"}
        done = subprocess.run(
            [sys.executable, "-m", "tokensync"],
            env=environment(_TOKENSYNC_COMPLETE=f"{shell}_complete", **typed),
            check=False,
            capture_output=True,
        )
        assert commands((done.stdout + done.stderr).decode("utf-8")) == []
