"""Run every command at the highest verbosity with credentials that can be recognized, and search for them everywhere.

The credentials: a personal token, a plan token, the client secret, access token and refresh token of an OAuth app, the
passcode of a webhook, a proxy's password, a wrong token, the tokens of the embedded emulator and the token of a job of
the Action. The places: stdout and stderr, all files below the project, the home and the temporary folder, the command
lines of all processes and the environments of other programs while a command runs, and requests to servers that may get
no credential. The forms are those of ``canary/needles.py``. The result is a Markdown table, with exit code 1 for
findings. Needs Linux.

    python benchmarks/canaries.py                           everything, about five minutes
    python benchmarks/canaries.py --short                   the commands that use credentials
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import ExitStack, closing, contextmanager, suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, quote, urlsplit

import requests

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(CHECKOUT, "tests")]

import prepared  # noqa: E402
from canary.needles import Finding, Search  # noqa: E402
from canary.watching import Processes, recorded  # noqa: E402
from cli import every_command, logging_in  # noqa: E402
from cli.programs import environment, started  # noqa: E402
from commands.projects import DESIGN, QUICKSTART  # noqa: E402
from run import row, table  # noqa: E402

from tokensync.emulator import Emulator  # noqa: E402
from tokensync.emulator.server import Server  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from wsgiref.types import WSGIEnvironment

KEY = "hB7rQ2mLkX94vTzWcYp1Nd"
WRONG = "figd_Zq8Lr5Xw2Tn7Bk4Vm9Hs6Jd3"
PASSCODE = "Yw3Kp9Rt6Nz2Qx8Gm5Cv7Hb4"
PROXY_PASSWORD = "Mv4Ht8Ds2Wk6Jb9Lx3Pf7Gn5"  # noqa: S105 - not the password of a proxy that exists
SEED = ("emulator", "seed", "-q", *map(str, DESIGN))
EMULATED = re.compile(r"emulator|demo")
PRINTS_TOKENS = re.compile(r"emulator (tokens|apps|serve|records)|api oauth|demo")
"""Commands that print the tokens that they create; those of ``auth`` do not."""
CONNECTED = (
    *("pull", "status", "plan", "usage", "tokens unused", "logs", "logs texts accent", "files --team 1"),
    *("files layers harbor", "files styles harbor", "diff remote tokens", "doctor --probe harbor", "webhooks list"),
    *("dev-resources link --file harbor --node 1:2 --url https://example.org", "api users me", "auth status"),
    *(f"api variables local --file {KEY}", "api activity-logs list --all", "apply", "apply --resume"),
    "webhooks create --team 1 --endpoint https://example.org/ --passcode-env HOOK",
)
"""Commands that send requests, for servers that refuse, redirect and repeat what they get."""
SHORT = ("pull", "doctor --probe harbor", "api users me")


class Result(NamedTuple):
    """A run: its name and exit code, the number of places that were searched, their bytes, and the findings."""

    name: str
    code: str
    places: int
    bytes: int
    findings: tuple[Finding, ...]


class Scene:
    """A project, a home and a temporary folder, and the search of what runs leave in them."""

    def __init__(self, root: Path, search: Search, processes: Processes) -> None:
        self.root, self.search, self.processes = root, search, processes
        self.project, self.home, self.temp = root / "project", root / "home", root / "temp"
        for folder in (self.home, self.temp):
            folder.mkdir()
        shutil.copytree(QUICKSTART, self.project, ignore=shutil.ignore_patterns(".tokensync"))
        with (self.project / "tokensync.toml").open("a", encoding="utf-8") as config:
            config.write("\n[client]\nsettling_time = 1\nattempts = 2\n")
        self.private: dict[Path, tuple[str, ...]] = {}
        """The files of mode 0600 that may have credentials, and their names."""
        self.foreign: list[tuple[str, list[bytes], tuple[str, ...]]] = []
        """The names of servers, their requests, and the credentials that they may get."""
        self.plan_token = ""
        self.runners: set[bytes] = set()
        """Programs that a runner starts with credentials, such as the shell of a step."""
        self._lines: set[bytes] = set()
        self._stamps: dict[Path, tuple[int, int]] = {}

    def variables(self, **more: str) -> dict[str, str]:
        """Return the environment of a run."""
        folders = {"HOME": str(self.home), "TMPDIR": str(self.temp), "XDG_CONFIG_HOME": str(self.home / ".config")}
        return environment(**folders, NO_PROXY="", **more)

    def run(
        self,
        *arguments: str,
        name: str = "",
        stdin: bytes = b"",
        printed: Iterable[str] = (),
        **more: str,
    ) -> Result:
        """Run a command, and search everything. Its output may have the credentials ``printed``."""
        try:
            done = subprocess.run(
                [*prepared.command(), "-v", *arguments],
                check=False,
                cwd=self.project,
                env=self.variables(**more),
                input=stdin,
                capture_output=True,
                timeout=60,
            )
            streams, code = {"stdout": done.stdout, "stderr": done.stderr}, str(done.returncode)
        except subprocess.TimeoutExpired as stopped:
            streams, code = {"stdout": stopped.stdout or b"", "stderr": stopped.stderr or b""}, "stopped"
        return self.searched(name or " ".join(arguments), streams, printed, code)

    def searched(
        self, name: str, streams: dict[str, bytes], printed: Iterable[str] = (), code: object = "stopped"
    ) -> Result:
        """Search the streams of a run, and what it has changed."""
        before, findings, places = self.search.bytes, list[Finding](), len(streams)
        for stream, content in streams.items():
            findings += self.search.within(content, stream, allowed=printed)
        for path in self._changed():
            places += 1
            allowed = self._allowed(path)
            findings += self.search.file(path, allowed)
        lines = self.processes.command_lines - self._lines
        self._lines |= lines
        for line in lines:
            findings += self.search.within(line, f"the command line {line[:60]!r}")
        for program, environments in self.processes.environments.items():
            for variables in environments - self._lines if program not in self.runners else ():
                self._lines.add(variables)
                findings += self.search.within(variables, f"the environment of {program.decode()}")
                places += 1
        for server, received, allowed in self.foreign:
            for request in received:
                places += 1
                findings += self.search.within(request, f"a request to {server}", allowed=allowed)
            received.clear()
        return Result(name, str(code), places + len(lines), self.search.bytes - before, tuple(findings))

    def _changed(self) -> Iterator[Path]:
        """Yield the files and folders that are new, or have changed."""
        for path in sorted(self.root.rglob("*")):
            with suppress(FileNotFoundError):
                status = path.lstat()
                stamp = status.st_mtime_ns, status.st_size
                if self._stamps.get(path) != stamp and not stat.S_ISSOCK(status.st_mode):
                    self._stamps[path] = stamp
                    yield path

    def _allowed(self, path: Path) -> tuple[str, ...]:
        """Return the credentials that a file may have: none, if others could read it."""
        names = next((names for private, names in self.private.items() if path.is_relative_to(private)), ())
        if not names and path.name.startswith("emulator.sqlite"):
            names = ("embedded",)
        return names if path.is_file() and stat.S_IMODE(path.stat().st_mode) == 0o600 else ()


def repeating(environ: WSGIEnvironment) -> bytes:
    """Return a text with the credentials of a request, in the forms that SECURITY.md names."""
    secret = environ.get("HTTP_X_FIGMA_TOKEN") or environ.get("HTTP_AUTHORIZATION", "").rpartition(" ")[2]
    forms = (secret, quote(secret, safe=""), escape(secret), json.dumps(secret)[1:-1], _base64(secret))
    return " ".join((*forms, f"https://example.org/?token={secret}")).encode()


def _base64(text: str) -> str:
    from base64 import b64encode

    return b64encode(text.encode()).decode()


def _refusal(status: str, environ: WSGIEnvironment) -> tuple[str, list[tuple[str, str]], bytes]:
    body = {"status": int(status[:3]), "error": True, "message": f"Invalid token {repeating(environ).decode()}"}
    return status, [("Content-Type", "application/json")], json.dumps(body).encode()


def every_run(scene: Scene, base: dict[str, str]) -> Iterator[Result]:
    """Run each command of the command line with arguments that make it print something."""
    for name, _ in every_command.commands():
        if name in ("emulator serve", "webhooks listen", "bridge", "mcp", "auth login"):
            continue  # they wait, and are run below
        arguments = every_command.ARGUMENTS.get(name, "").replace("key-one", KEY).split()
        settings = {} if EMULATED.match(name) else {**base, **_hook(name)}
        printed = ("embedded",) if PRINTS_TOKENS.match(name) else ()
        yield scene.run(*name.split(), *arguments, printed=printed, **settings)


def _hook(words: str) -> dict[str, str]:
    """Return the variable with the passcode for commands that name it. Others cannot know that it is a secret."""
    return {"HOOK": PASSCODE} if words.startswith("webhooks") else {}


def connected_runs(scene: Scene, base: dict[str, str], runs: Sequence[str], collector: str) -> Iterator[Result]:
    """Run what sends requests against servers that refuse, redirect, repeat credentials, and fail."""
    servers = {
        "403 that repeats the token": lambda environ: _refusal("403 Forbidden", environ),
        "400 that repeats the token": lambda environ: _refusal("400 Bad Request", environ),
        "500 page that repeats the token": lambda environ: (
            "500 Internal Server Error",
            [("Content-Type", "text/html")],
            b"<title>" + repeating(environ) + b"</title>",
        ),
        "200 that repeats the token": lambda environ: (
            "200 OK",
            [("Content-Type", "application/json")],
            b'{"meta": {"variables": {"' + repeating(environ) + b'": {}}, "variableCollections": {}}}',
        ),
        "redirect to another host": lambda environ: (
            "307 Temporary Redirect",
            [("Location", f"{collector}/{environ.get('HTTP_X_FIGMA_TOKEN', '')}")],
            b"",
        ),
        "no JSON": lambda environ: ("200 OK", [("Content-Type", "text/html")], repeating(environ)),
    }
    for server, answer in servers.items():
        with recorded(answer) as application:
            settings = {**base, "TOKENSYNC_BASE_URL": application.base_url, "TOKENSYNC_DEBUG": "1"}
            for words in runs:
                yield scene.run(*words.split(), name=f"{words}; {server}", **settings, **_hook(words))
    for kind, token in (("wrong token", WRONG), ("plan token", scene.plan_token)):
        for words in runs:
            settings = {**base, "FIGMA_TOKEN": token}
            yield scene.run(*words.split(), name=f"{words}; {kind}", **settings, **_hook(words))
    with recorded(lambda environ: ("407 Proxy", [], repr(environ).encode())) as proxy:
        scene.foreign.append(("the proxy", proxy.requests, ("proxy password",)))
        address = proxy.base_url.replace("//", f"//user:{PROXY_PASSWORD}@")
        for words in runs[:3]:
            settings = {**base, "TOKENSYNC_BASE_URL": "figma", "HTTPS_PROXY": address}
            yield scene.run(*words.split(), name=f"{words}; proxy with a password", **settings)


def logins(scene: Scene, search: Search, short: bool = False) -> Iterator[Result]:
    """Log in by token and with OAuth, use, renew, list and remove the logins."""
    with logging_in.platform(scene.root) as platform:
        platform.emulator.seed(KEY, DESIGN[0].read_bytes(), DESIGN[1].read_bytes())
        personal = platform.emulator.default_token
        search.add({"personal token of a login": personal, "client secret": platform.client_secret})
        names = ("personal token of a login", "client secret", "access token", "refresh token")
        scene.private[platform.credentials] = (*names, "wrong token")
        settings = {**platform.settings, "TOKENSYNC_DEBUG": "1"}
        settings.pop("TOKENSYNC_OAUTH_CLIENT_SECRET")
        yield scene.run("auth", "login", "--token", stdin=personal.encode(), **settings)
        yield scene.run("auth", "status", "--json", **settings)
        for more in ((), ("--offline",)):
            yield scene.run(
                "auth", "login", "--token", *more, stdin=WRONG.encode(), name="auth login --token; wrong", **settings
            )
        yield scene.run("auth", "logout", **settings)
        with platform.login("-v") as login:
            shown = requests.get(logging_in_response(platform, login.address), timeout=30).content
            code, stderr = login.ended()
        (file,) = platform.credentials.iterdir()
        stored = json.loads(file.read_bytes())
        search.add({"access token": stored["token"], "refresh token": stored["refresh_token"]})
        yield scene.searched("auth login with OAuth", {"stderr": stderr.encode(), "page": shown}, code=code)
        platform.clock.now += 91 * 86400
        for words in ("pull", "auth status", "doctor", "auth logout") if not short else ("pull", "auth logout"):
            yield scene.run(*words.split(), name=f"{words}; login with OAuth", **settings)
            for stored_file in platform.credentials.iterdir():
                stored = json.loads(stored_file.read_bytes())
                search.add({"access token": stored["token"]})


def logging_in_response(platform: logging_in.Platform, address: str) -> str:
    """Return the redirect URL after the user has allowed access."""
    page = urlsplit(address)
    form = {**dict(parse_qsl(page.query)), "user": platform.user, "decision": "allow"}
    origin = f"{page.scheme}://{page.netloc}"
    url = f"{origin}{page.path}"
    answer = requests.post(url, data=form, headers={"Origin": origin}, allow_redirects=False, timeout=30)
    return answer.headers["Location"]


def listening(scene: Scene, base: dict[str, str]) -> Iterator[Result]:
    """Receive events with the right and a wrong passcode; the command writes what it gets."""
    script = "import os, sys; open('got', 'a').write(repr(dict(os.environ)) + sys.stdin.read())"
    command = ("webhooks", "listen", "--passcode-env", "HOOK", "--port", "0", "--", sys.executable, "-c", script)
    variables = scene.variables(**base, HOOK=PASSCODE)
    with started("-v", *command, env=variables, cwd=scene.project) as process:
        endpoint = process.stdout.readline().decode().strip().rpartition(" ")[2]
        for passcode in (PASSCODE, WRONG, PASSCODE[:-1]):
            event = {"event_type": "PING", "passcode": passcode, "timestamp": "2026-11-30T00:00:00Z", "webhook_id": "1"}
            with suppress(requests.RequestException):
                requests.post(endpoint, json=event, timeout=10)
        process.terminate()
        stdout, stderr = process.communicate(timeout=30)
    yield scene.searched("webhooks listen", {"stdout": stdout, "stderr": stderr})


def crashes(scene: Scene, base: dict[str, str]) -> Iterator[Result]:
    """Let a plug-in fail while it holds a client: its message has every repr, and a traceback is printed."""
    package = scene.root / "packages"
    metadata = package / "plugged_canary-1.dist-info"
    metadata.mkdir(parents=True)
    (package / "plugged_canary.py").write_text(
        "import click\n@click.command('canary')\ndef entry():\n"
        "    from tokensync.project.configuration import load_project\n"
        "    from tokensync.project.connection import connect\n"
        "    with connect(load_project(None)) as client:\n"
        "        session = client._session\n"
        "        raise RuntimeError(f'{client!r} {session!r} {session._credential!r} {session._transport!r}')\n",
        encoding="utf-8",
    )
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged-canary\nVersion: 1\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(
        "[tokensync.commands]\ncanary = plugged_canary:entry\n", encoding="utf-8"
    )
    for debug in ("", "1"):
        settings = {**base, "PYTHONPATH": os.pathsep.join((CHECKOUT, str(package))), "TOKENSYNC_DEBUG": debug}
        variables = scene.variables() | settings
        done = subprocess.run(
            [sys.executable, "-m", "tokensync", "-v", "canary"],
            check=False, cwd=scene.project, env=variables, capture_output=True, timeout=60,
        )  # fmt: skip
        yield scene.searched(
            f"a plug-in that fails{'; traceback' * bool(debug)}",
            {"out": done.stdout, "err": done.stderr},
            (),
            done.returncode,
        )


def write_back(scene: Scene, base: dict[str, str], *, failing: str) -> Iterator[Result]:
    """Edit, plan, apply with a failure, resume, roll back."""
    yield scene.run("pull", **base)
    yield scene.run("tokens", "rename", "theme.accent.tint", "renamed", **base)
    yield scene.run("plan", "--review", "review.md", "--json", **base)
    yield scene.run("plan", "--format", "markdown", **base)
    yield scene.run("plan", "--script", "script.js", name="plan --script", **base)
    yield scene.run("apply", name="apply; server that fails", **{**base, "TOKENSYNC_BASE_URL": failing})
    yield scene.run("apply", "--resume", "--json", **base)
    receipts = sorted((scene.project / ".tokensync" / "applies").glob("*"))
    if receipts:
        receipt = os.path.relpath(receipts[-1], scene.project)
        yield scene.run("rollback", receipt, **base)
        yield scene.run("apply", f"{receipt}/rollback.json", "--force", name="apply of the rollback", **base)
    yield scene.run("report", "--viewer", **base)
    yield scene.run("check", "--format", "sarif", **base)
    yield scene.run("pull", "--snapshot-out", "raw", **base)


def waiting(scene: Scene, base: dict[str, str]) -> Iterator[Result]:
    """Start what waits for others, and stop it: the emulator, the bridge and the server for agents."""
    for command, printed in (("emulator serve --port 0", ("embedded", "served")), ("bridge", ()), ("mcp", ())):
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
        with started(
            "-v", *command.split(), env=scene.variables(**base), cwd=scene.project, stdin=subprocess.PIPE
        ) as process:
            with suppress(subprocess.TimeoutExpired):
                process.communicate(json.dumps(hello).encode() + b"\n", timeout=3)
            process.terminate()
            stdout, stderr = process.communicate(timeout=30)
        yield scene.searched(command, {"stdout": stdout, "stderr": stderr}, printed)


def action(scene: Scene, search: Search) -> Iterator[Result]:
    """Run the steps of the Action in the modes pull, plan and check; a mask is the only line with a token."""
    import pytest
    from action import github
    from action.nights import Harbor
    from action.runner_files import run_steps

    search.add({"token of the Action": WRONG[::-1], "token of the job": github.TOKEN})
    patch = pytest.MonkeyPatch()
    scene.runners.add(b"bash")
    with tempfile.TemporaryDirectory(dir=scene.temp) as folder, github.served(Path(folder)) as hosting:
        patch.setenv("HOME", str(scene.home))
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
            patch.setenv(name, "Kim")
        for name in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
            patch.setenv(name, "kim@example.com")
        harbor = Harbor(hosting, Path(folder), patch, None)
        for mode in ("pull", "check", "drift"):
            clone = harbor.clone()
            harbor.here(clone)
            inputs = {"mode": mode, "token": WRONG[::-1]}
            codes, outputs, log = run_steps(harbor.variables(clone, ""), clone, inputs)
            rest = "\n".join(line for line in log.split("\n") if not line.startswith("::add-mask::"))
            streams = {"log": rest.encode(), "outputs": json.dumps(outputs).encode()}
            scene.private[Path(folder)] = ("embedded",)
            yield scene.searched(f"action: {mode}", streams, code=codes[-1])
    patch.undo()


@contextmanager
def scenes(folder: str) -> Iterator[tuple[Scene, Search, dict[str, str], str, str]]:
    """Yield the scene, the search, the environment, and the addresses of a collector and of a server that fails."""
    from tokensync.emulator.faults import Faults, script_of

    with ExitStack() as stack:
        emulator = stack.enter_context(closing(Emulator()))
        emulator.seed(KEY, DESIGN[0].read_bytes(), DESIGN[1].read_bytes())
        served = stack.enter_context(Server(emulator))
        rule = {"method": "POST", "status": 500}
        failing = stack.enter_context(Server(Faults(emulator, script_of([rule], "canaries"))))
        collector = stack.enter_context(recorded(lambda environ: ("200 OK", [], b"{}")))
        personal, plan = emulator.default_token, emulator.tokens.create(kind="plan")
        credentials = {
            "personal token": personal,
            "plan token": plan,
            "passcode": PASSCODE,
            "proxy password": PROXY_PASSWORD,
            "wrong token": WRONG,
        }
        search = Search(credentials)
        processes = stack.enter_context(Processes())
        scene = Scene(Path(folder), search, processes)
        scene.plan_token = plan
        scene.foreign.append(("a host that is not permitted", collector.requests, ()))
        base = {"FIGMA_TOKEN": personal, "TOKENSYNC_BASE_URL": served.base_url}
        scene.run(*SEED)
        search.add({"embedded": embedded_token(scene.project)})
        yield scene, search, base, collector.base_url, failing.base_url


def embedded_token(project: Path) -> str:
    """Return the token of the emulator in a project."""
    with closing(sqlite3.connect(project / ".tokensync" / "emulator.sqlite")) as connection:
        (token,) = connection.execute("SELECT secret FROM tokens LIMIT 1").fetchone()
    return str(token)


def results(folder: str, *, short: bool) -> Iterator[Result]:
    """Yield all runs."""
    with scenes(folder) as (scene, search, base, collector, failing):
        yield scene.searched("setting up", {}, code="")
        yield from write_back(scene, base, failing=failing)
        yield from logins(scene, search, short)
        yield from listening(scene, base)
        yield from crashes(scene, base)
        yield from connected_runs(scene, base, SHORT if short else CONNECTED, collector)
        if not short:
            yield from waiting(scene, base)
            yield from every_run(scene, base)
            yield from action(scene, search)


def main() -> int:
    """Print the table; return 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="only the commands that use credentials")
    options = parser.parse_args()
    found: list[Finding] = []
    total = Result("all", "", 0, 0, ())
    table("command", "exit code", "places searched", "bytes", "findings")
    with tempfile.TemporaryDirectory() as folder:
        for result in results(folder, short=options.short):
            row(result.name.replace("|", r"\|"), result.code, result.places, f"{result.bytes:,}", len(result.findings))
            for finding in result.findings:
                print(f"{finding.credential} ({finding.form}): {finding.place}", flush=True)
            found += result.findings
            total = total._replace(places=total.places + result.places, bytes=total.bytes + result.bytes)
    row("**all**", "", total.places, f"{total.bytes:,}", len(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
