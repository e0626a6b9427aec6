"""Run the command line as a process, to test streams, signals and terminals."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

import prepared
from corpus.building import ROOT

COMMAND = (sys.executable, "-m", "tokensync")


def environment(**more: str) -> dict[str, str]:
    """Return the environment without the user's settings and with these; output is buffered, as by default.

    It is UTF-8, unless the tests themselves run without the UTF-8 mode.
    """
    settings = ("TOKENSYNC_", "FIGMA_", "PYTHONUNBUFFERED")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
    return {"PYTHONUTF8": "1", **kept, "PYTHONPATH": str(ROOT), **more}


def run(*arguments: object, command: Sequence[str] = COMMAND, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Run to the end, and assert that there is no traceback."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment(), **options}
    done = subprocess.run([*command, *map(str, arguments)], check=False, timeout=60, **options)
    assert b"Traceback" not in (done.stderr or b""), done.stderr
    assert b"Exception ignored" not in (done.stderr or b""), done.stderr
    return done


def run_prepared(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Run in a fork of a process that has imported tokensync, which is faster."""
    return run(*arguments, command=prepared.command(), **options)


@contextlib.contextmanager
def started(
    *arguments: object, command: Sequence[str] = COMMAND, **options: object
) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a process; kill it at the end of the block unless it has ended."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment(), **options}
    if sys.platform != "win32":
        options["preexec_fn"] = _obey_ctrl_c
    process = subprocess.Popen([*command, *map(str, arguments)], **options)
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process unless it has ended, and close its streams."""
    if process.poll() is None:
        process.kill()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    process.wait()


def _obey_ctrl_c() -> None:
    """Restore the default handler of SIGINT, which background commands of a shell ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def on_a_terminal(*arguments: object, **more: str) -> tuple[int, str]:
    """Run with all streams on one terminal (POSIX), and return the exit code and the output."""
    import pty

    ours, theirs = pty.openpty()
    settings = {"TERM": "xterm-256color", "COLUMNS": "100", **more}
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**settings)
    )
    os.close(theirs)
    shown = b""
    deadline = time.monotonic() + 60
    try:
        while time.monotonic() < deadline:
            if select.select([ours], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):
                    part = os.read(ours, 65536)
                    shown += part
                    if part:
                        continue
                break
            if process.poll() is not None:
                break
        os.close(ours)
        return process.wait(timeout=10), shown.decode("utf-8")
    finally:
        end(process)
