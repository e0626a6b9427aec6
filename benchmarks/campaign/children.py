"""Runs ``tokensync`` commands in processes that can be killed at any step, without starting Python anew for each.

A ``Nursery`` forks a process that has everything imported and no threads; that one forks a child a command. The child
runs the real command line. Two things of its world are not real: time, which sleeping moves on and which all children
share, and the steps (a file forced to disk or put in place, a request sent, an answer heard), at one of which it may be
killed, as by a power failure: what was not forced to disk is then torn.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import random
import signal
import struct
import sys
import time
import traceback
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_OFFSET = struct.Struct("d")  # seconds that all sleeping took together, and by which the time of day is set
_STEPS = struct.Struct("i")  # steps of the last child
_LABEL = struct.Struct("64s")  # the step at which it was killed
_AT_OFFSET, _AT_STEPS, _AT_LABEL, _AT_SET, _AT_JUMP = 0, 8, 16, 80, 88
_IMPORTS = (
    "tokensync.bridge.cli",
    "tokensync.cli.plan",
    "tokensync.cli.pull",
    "tokensync.commands.apply",
    "tokensync.commands.plan",
    "tokensync.commands.pull",
    "tokensync.commands.rollback",
    "tokensync.extract.client.session",
    "tokensync.extract.wire",
    "tokensync.dtcg",
    "tokensync.normalize.graph",
    "requests",
    "jsonschema",
)
real_time, real_monotonic, real_sleep = time.time, time.monotonic, time.sleep


class Done(NamedTuple):
    """How a command ended. ``code`` is negative for a signal; ``steps`` counts those taken, ``step`` names the last."""

    code: int
    output: str
    steps: int
    step: str


class Nursery:
    """A process that forks others. Make it before any thread starts."""

    def __init__(self, scratch: str, *, largest_body: int) -> None:
        os.makedirs(scratch)
        self._scratch = scratch
        self._shared = mmap.mmap(-1, mmap.PAGESIZE)
        to_child, of_parent = os.pipe(), os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(to_child[1])
            os.close(of_parent[0])
            _serve(to_child[0], of_parent[1], self._shared, largest_body)
        os.close(to_child[0])
        os.close(of_parent[1])
        self._orders = os.fdopen(to_child[1], "w", encoding="utf-8")
        self._reports = os.fdopen(of_parent[0], encoding="utf-8")

    def now(self) -> float:
        """Return the children's time, in seconds since 1970."""
        return real_time() + float(_OFFSET.unpack_from(self._shared, _AT_OFFSET)[0])

    def pass_time(self, seconds: float) -> None:
        """Let it be later for the children."""
        passed = _OFFSET.unpack_from(self._shared, _AT_OFFSET)[0]
        _OFFSET.pack_into(self._shared, _AT_OFFSET, passed + seconds)

    def set_clock(self, by: float, and_later: float = 0.0) -> None:
        """Set the children's time of day, but not their monotonic clock, and a second time while a child sleeps."""
        _OFFSET.pack_into(self._shared, _AT_SET, by)
        _OFFSET.pack_into(self._shared, _AT_JUMP, and_later)

    def run(
        self,
        folder: str,
        *arguments: str,
        kill_at: int = 0,
        torn: bool = False,
        boot: str = "",
        born: Callable[[int], None] = lambda _: None,
    ) -> Done:
        """Run ``tokensync`` with these arguments in a folder. ``born`` receives the id of its process.

        With ``kill_at`` it is killed at that step, counted from 1; ``torn`` then cuts what was not forced to disk.
        ``boot`` replaces the id of the machine's boot.
        """
        log = os.path.join(self._scratch, "output")
        order = {"folder": folder, "arguments": arguments, "kill_at": kill_at, "torn": torn, "log": log, "boot": boot}
        print(json.dumps(order), file=self._orders, flush=True)
        born(int(self._reports.readline()))
        code = int(self._reports.readline())
        with open(log, encoding="utf-8", errors="replace") as file:
            output = file.read()
        label = _LABEL.unpack_from(self._shared, _AT_LABEL)[0].rstrip(b"\0").decode()
        return Done(code, output, _STEPS.unpack_from(self._shared, _AT_STEPS)[0], label)

    def close(self) -> None:
        """End the process."""
        self._orders.close()
        os.waitpid(self._pid, 0)


def _serve(orders: int, reports: int, shared: mmap.mmap, largest_body: int) -> None:
    """Serve orders until the parent closes the pipe."""
    try:
        _bend_time(shared)
        _import_all()
        _shrink_bodies(largest_body)
        with os.fdopen(orders, encoding="utf-8") as source, os.fdopen(reports, "w", encoding="utf-8") as sink:
            for line in source:
                order = json.loads(line)
                pid = os.fork()
                if pid == 0:
                    os._exit(_live(order, shared))
                print(pid, file=sink, flush=True)
                _, status = os.waitpid(pid, 0)
                print(os.waitstatus_to_exitcode(status), file=sink, flush=True)
    except BaseException:  # noqa: BLE001 - reported; its parent notices that it is gone
        traceback.print_exc()
    os._exit(0)


def _bend_time(shared: mmap.mmap) -> None:
    def sleep(seconds: float) -> None:
        passed = _OFFSET.unpack_from(shared, _AT_OFFSET)[0]
        _OFFSET.pack_into(shared, _AT_OFFSET, passed + seconds)
        (jump,) = _OFFSET.unpack_from(shared, _AT_JUMP)
        if jump:
            _OFFSET.pack_into(shared, _AT_SET, _OFFSET.unpack_from(shared, _AT_SET)[0] + jump)
            _OFFSET.pack_into(shared, _AT_JUMP, 0.0)
        real_sleep(min(seconds, 0.002))

    time.time = lambda: (
        real_time() + _OFFSET.unpack_from(shared, _AT_OFFSET)[0] + _OFFSET.unpack_from(shared, _AT_SET)[0]
    )
    time.monotonic = lambda: real_monotonic() + _OFFSET.unpack_from(shared, _AT_OFFSET)[0]
    time.sleep = sleep


def _import_all() -> None:
    from importlib import import_module

    for name in _IMPORTS:
        import_module(name)


def _shrink_bodies(largest: int) -> None:
    """Let every plan be of many batches: the limit stands in modules, and in the defaults of functions."""
    from tokensync.plan.state import BODY_BYTES

    for name, module in list(sys.modules.items()):
        for each in list(vars(module).values()) if name.startswith("tokensync.plan") else ():
            defaults = getattr(each, "__kwdefaults__", None) or {}
            defaults.update({name: largest for name, value in defaults.items() if value == BODY_BYTES})


def _live(order: dict[str, Any], shared: mmap.mmap) -> int:
    """Run one command, in the child."""
    with open(order["log"], "w", encoding="utf-8") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.chdir(order["folder"])
    Steps(shared, order["kill_at"], torn=order["torn"]).watch()
    if order["boot"]:
        from tokensync.extract.client.responses import Clock

        Clock.__new__.__defaults__ = (*(Clock.__new__.__defaults__ or ())[:-1], lambda: order["boot"])
    sys.argv = ["tokensync", *order["arguments"]]
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - the process ends before it would close
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    try:
        from tokensync.__main__ import main

        code = main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - reported, and checked by the campaign
        traceback.print_exc()
        code = 70
    sys.stdout.flush()
    sys.stderr.flush()
    return code or 0


class Steps:
    """Counts the steps of this process and ends it at one."""

    def __init__(self, shared: mmap.mmap, kill_at: int, *, torn: bool) -> None:
        self._shared = shared
        self._kill_at = kill_at
        self._torn = torn
        self._step_number = 0
        self._forced: dict[int, int] = {}
        _STEPS.pack_into(shared, _AT_STEPS, 0)
        _LABEL.pack_into(shared, _AT_LABEL, b"")

    def watch(self) -> None:
        """Report every step from now on."""
        from tokensync.extract.client.groups import Variables

        for root, _, names in os.walk(".tokensync"):
            for name in names:
                with contextlib.suppress(OSError):
                    status = os.stat(os.path.join(root, name))
                    self._forced[status.st_ino] = status.st_size
        os.fsync = self._forcing(os.fsync)  # type: ignore[assignment]
        os.replace = self._wrapped("replace", os.replace)
        Variables.post = self._wrapped("post", Variables.post)  # type: ignore[method-assign]
        Variables.local = self._wrapped("read", Variables.local)  # type: ignore[method-assign]

    def _wrapped(self, what: str, done: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            location = what
            if what == "replace":
                location = f"replace {os.path.basename(str(arguments[1]))[:24]}"
            self._step(f"before {location}")
            result = done(*arguments, **named)
            self._step(f"after {location}")
            return result

        return call

    def _forcing(self, done: Callable[[int], None]) -> Callable[[int], None]:
        def call(descriptor: int) -> None:
            self._step("before fsync", descriptor)
            done(descriptor)
            status = os.fstat(descriptor)
            self._forced[status.st_ino] = status.st_size
            self._step("after fsync")

        return call

    def _step(self, label: str, descriptor: int | None = None) -> None:
        self._step_number += 1
        _STEPS.pack_into(self._shared, _AT_STEPS, self._step_number)
        if self._step_number == self._kill_at:
            _LABEL.pack_into(self._shared, _AT_LABEL, label.encode()[:64])
            if self._torn and descriptor is not None:
                with contextlib.suppress(OSError):
                    status = os.fstat(descriptor)
                    kept = self._forced.get(status.st_ino, 0)
                    os.ftruncate(
                        descriptor, random.Random(self._step_number).randint(min(kept, status.st_size), status.st_size)
                    )
            os.kill(os.getpid(), signal.SIGKILL)
