"""Sync many design files under the platform's rate limits, on the emulator with a simulated clock.

Each command runs as a process of its own would: with a new client, which knows nothing of earlier requests. A minute
passes between two commands. The result is a Markdown table. ``least`` is the time that the rate limits alone require
for the requests that were answered: without it, the command would take no simulated time.

    python benchmarks/libraries.py                          200 files, full seat and viewer
    python benchmarks/libraries.py --files 50
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from run import row, table

from tokensync.commands.apply import Applier
from tokensync.commands.plan import make_plan
from tokensync.commands.pull import pull
from tokensync.commands.status import status
from tokensync.emulator import Emulator
from tokensync.emulator.dispatch import HIGH_RATES, LOW_RATES, Rate
from tokensync.extract.client import Client, Clock, Credential
from tokensync.project.configuration import load_project

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

FILES = 200
FIGMA = "https://api.figma.com"
_NOW = 1_800_000_000.0
_MINUTE = 60.0
TIERS = {("GET", "local"): 2, ("GET", "published"): 2, ("POST", "variables"): 3}
"""The tiers of the requests that the commands send (Figma REST API: Rate limits)."""


class SimulatedClock:
    """A clock that only waits advance."""

    def __init__(self) -> None:
        self.now = _NOW

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Advance the clock."""
        self.now += seconds

    def of_client(self) -> Clock:
        """Return this clock as a client's. Backoff has its mean jitter."""
        return Clock(now=self, elapsed=self, sleep=self.sleep, random=lambda: 0.5)


class Sent(NamedTuple):
    """The requests of a command: those that were answered by tier, and those over a limit."""

    answered: Mapping[int, int]
    limited: int

    def least(self, rates: Mapping[int, Rate], *, is_full: bool) -> float:
        """Return the seconds that the limits require: as many requests as a bucket holds, then one for each that leaks.

        A bucket that ``is_full`` holds none.
        """
        waits = (
            (count - (0 if is_full else rates[tier].requests)) * rates[tier].seconds / rates[tier].requests
            for tier, count in self.answered.items()
        )
        return max(0.0, *waits)


class Counted:
    """An application that counts the requests to another by tier and status."""

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application
        self._answered: Counter[int] = Counter()
        self._limited = 0

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, and count it."""
        statuses: list[str] = []

        def started(status: str, headers: list[tuple[str, str]], *_: object) -> object:
            statuses.append(status)
            return start_response(status, headers)

        answer = list(self._application(environ, started))  # type: ignore[arg-type]
        if statuses[-1].startswith("429"):
            self._limited += 1
        else:
            self._answered[TIERS[environ["REQUEST_METHOD"], environ["PATH_INFO"].rpartition("/")[2]]] += 1
        return answer

    def taken(self) -> Sent:
        """Return the requests since the last call."""
        sent = Sent(dict(self._answered), self._limited)
        self._answered, self._limited = Counter(), 0
        return sent


class Libraries:
    """A project of many design files on the emulator, which enforces its rate limits."""

    def __init__(self, folder: str, count: int, account: str) -> None:
        self.clock = SimulatedClock()
        self.emulator = Emulator(clock=self.clock, rate_limits=True)
        self.emulator.tokens.set_account(self.emulator.default_token, account)
        self.counted = Counted(self.emulator)
        self.rates = LOW_RATES if account == "view" else HIGH_RATES["enterprise"]
        self.names = [f"library-{number}" for number in range(count)]
        for number, name in enumerate(self.names):
            self.emulator.seed(name, _response(number))
            self.emulator.publish(name)
        tables = "".join(f'[[files]]\nname = "{name}"\nkey = "{name}"\n' for name in self.names)
        Path(folder, "tokensync.toml").write_text(tables, encoding="utf-8")
        self.project = load_project(os.path.join(folder, "tokensync.toml"))

    def client(self, base_url: str = FIGMA) -> Client:
        """Return the client of a new process."""
        credential = Credential("personal", self.emulator.default_token, "the benchmark")
        return Client(base_url, credential, wsgi=self.counted, clock=self.clock.of_client())

    def pull(self, client: Client) -> None:
        """Pull all files."""
        pull(self.project, client)

    def status(self, client: Client) -> None:
        """Compare all files."""
        status(self.project, client)

    def plan(self, client: Client) -> None:
        """Plan the edits of all files."""
        self._planned = make_plan(self.project, client).file.plans

    def apply(self, client: Client) -> None:
        """Apply the plans of all files."""
        applier = self.applier(client)
        for plan in self._planned:
            applier.apply(plan)

    def applier(self, client: Client) -> Applier:
        """Return what applies plans."""
        return Applier(self.project, client, clock=self.clock.of_client(), writes_rollback=False)

    def local(self, name: str) -> bytes:
        """Return the variables of a file on the platform."""
        with self.client() as client:
            return client.variables.local(name)

    def edit(self) -> None:
        """Change a value in the token files of each design file."""
        for name in self.names:
            for path in Path(self.project.tokens_folder, name).rglob("*.tokens.json"):
                path.write_text(path.read_text("utf-8").replace("0.5", "0.25", 1), "utf-8")


def _response(number: int) -> bytes:
    """Return the variables of a small design file, whose ids and keys no other file has."""
    collection, mode, variable = f"VariableCollectionId:{number + 1}:1", f"{number + 1}:0", f"VariableID:{number + 1}:2"
    common = {"remote": False, "hiddenFromPublishing": False}
    variables = {
        variable: {
            **common,
            "id": variable,
            "name": "accent",
            "key": f"{number:040x}",
            "variableCollectionId": collection,
            "resolvedType": "COLOR",
            "valuesByMode": {mode: {"r": 0.5, "g": 0.5, "b": 0.5, "a": 1}},
            "description": "",
            "scopes": ["ALL_SCOPES"],
            "codeSyntax": {},
        }
    }
    collections = {
        collection: {
            **common,
            "id": collection,
            "name": f"Theme {number}",
            "key": f"c{number:039x}",
            "modes": [{"modeId": mode, "name": "Light"}],
            "defaultModeId": mode,
            "variableIds": [variable],
        }
    }
    meta = {"variables": variables, "variableCollections": collections}
    return json.dumps({"status": 200, "error": False, "meta": meta}).encode()


class Case(NamedTuple):
    """Commands that are measured, with the seconds before each of them, in which the buckets drain."""

    name: str
    account: str = "full"
    base_url: str = FIGMA
    pause: float = _MINUTE
    commands: tuple[str, ...] = ("pull", "status", "plan", "apply")


CASES = (
    Case("full seat"),
    Case("full seat, at once after another command", pause=0.0, commands=("pull", "status", "plan")),
    Case("full seat, another server", base_url="https://figma.example.org", commands=("pull",)),
    Case("view seat", account="view", commands=("pull", "status")),
)


class Timed(NamedTuple):
    """A command: its requests, simulated seconds, and those that the limits require."""

    command: str
    sent: Sent
    seconds: float
    least: float


def measured(case: Case, count: int, folder: str) -> Iterator[Timed]:
    """Yield the commands of a case in a new project in this folder."""
    libraries = Libraries(folder, count, case.account)
    with closing(libraries.emulator):
        for command in case.commands:
            libraries.clock.sleep(case.pause)
            if command == "plan":
                libraries.edit()
            libraries.counted.taken()
            started = libraries.clock.now
            with libraries.client(case.base_url) as client:
                getattr(libraries, command)(client)
            sent = libraries.counted.taken()
            is_full = not case.pause and command != case.commands[0]
            yield Timed(command, sent, libraries.clock.now - started, sent.least(libraries.rates, is_full=is_full))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=FILES)
    options = parser.parse_args()
    table("case", "command", "answered", "429", "simulated s", "least s", "ratio")
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            for command, sent, seconds, least in measured(case, options.files, folder):
                ratio = f"{seconds / least:.2f}" if least else ""
                answered = sum(sent.answered.values())
                row(case.name, command, answered, sent.limited, f"{seconds:.0f}", f"{least:.0f}", ratio)
    return 0


if __name__ == "__main__":
    sys.exit(main())
