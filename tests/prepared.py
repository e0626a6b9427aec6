"""Runs tokensync in processes that have its modules loaded: loading them takes longer than most commands do (Linux).

``prepared.py serve SOCKET`` listens there, and forks for each command. ``prepared.py ask SOCKET ARGUMENTS`` is one: it
hands over its folder, environment, arguments and streams, and ends with the exit code of the fork. So a command is a
process with a folder, an environment and streams of its own, as if it were typed in a shell.

This does not show what Python does as it starts (load modules, read its own variables, find closed streams), nor what
signals do: they end the waiting process, and the command is killed then. Tests of those start ``python -m tokensync``.
"""

import atexit
import io
import marshal
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 1 << 17
"""Bytes of a message: a folder, an environment and arguments."""


@cache
def command(*user):
    """Return the shell command for ``tokensync``, without its arguments; ``user`` is one that starts it as a user."""
    if sys.platform != "linux":
        return [*user, sys.executable, "-m", "tokensync"]
    folder = tempfile.mkdtemp(prefix="prepared-", dir=os.environ.get("TMPDIR", "/tmp"))  # tests have their own one
    os.chmod(folder, 0o777 if user else 0o700)
    path = os.path.join(folder, "socket")
    serving = [*user, sys.executable, __file__, "serve", path]
    server = subprocess.Popen(serving, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def end():
        server.stdin.close()
        server.wait()
        server.stdout.close()
        os.rmdir(folder)

    atexit.register(end)
    assert server.stdout.readline() == b"ready\n"
    return [sys.executable, "-I", "-S", __file__, "ask", path]


def ask(path, arguments):
    """Run a command in the prepared process; return its exit code."""
    described = marshal.dumps((os.getcwd(), arguments, dict(os.environ)))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(path)
        socket.send_fds(connection, [described], [0, 1, 2])
        return connection.recv(1)[0]


def serve(path):
    """Load tokensync and carry out commands, until stdin is closed."""
    import gc
    import pkgutil
    import select
    from importlib import import_module

    sys.path[0] = str(ROOT)
    import tokensync

    for module in pkgutil.walk_packages(tokensync.__path__, "tokensync."):
        with suppress(ImportError):  # what only Windows has
            import_module(module.name)
    gc.freeze()
    ended, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writer)  # a byte a process that ends
    running = {}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        listener.listen(64)
        print("ready", flush=True)
        while 0 not in (ready := select.select([listener, ended, 0, *running.values()], [], [])[0]):
            if listener in ready:
                connection, _ = listener.accept()
                running[carry_out(connection, listener)] = connection
            for process, connection in running.items():
                if connection in ready:  # the requesting process was killed
                    os.kill(process, signal.SIGKILL)
            if ended in ready:
                os.read(ended, 1024)
                for process, connection in list(running.items()):
                    if (status := os.waitpid(process, os.WNOHANG))[0]:
                        with suppress(BrokenPipeError):
                            connection.send(bytes([os.waitstatus_to_exitcode(status[1]) & 255]))
                        running.pop(process).close()
    os.unlink(path)


def carry_out(connection, listener):
    """Start the command that is asked for; returns the number of its process."""
    described, streams, _, _ = socket.recv_fds(connection, LONGEST, 3)
    process = os.fork()
    if not process:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        connection.close()
        listener.close()
        be(streams, *marshal.loads(described))
    for stream in streams:
        os.close(stream)
    return process


def be(streams, folder, arguments, environment):
    """Become the command, and exit."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [str(ROOT / "tokensync" / "__main__.py"), *arguments]
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8"),
        io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8", line_buffering=os.isatty(1)),
        io.TextIOWrapper(io.BufferedWriter(io.FileIO(2, "w", closefd=False)), "utf-8", "backslashreplace", None, True),
    )
    code = 1
    try:
        from tokensync.__main__ import main

        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:  # noqa: BLE001 - as Python itself does at last
        sys.excepthook(*sys.exc_info())
    atexit._run_exitfuncs()
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    if sys.argv[1] == "ask":
        sys.exit(ask(sys.argv[2], sys.argv[3:]))
    serve(sys.argv[2])
