"""Start other programs. No other module does.

A checkout must not choose a program, and a program must not get secrets that it does not need: access tokens, the
variables of a CI job, proxies with passwords. So a program has an absolute path outside of the checkout, and its
environment consists of variables that its caller lists. Its stdin is empty unless the caller gives it content. Only the
programs that the user chose, the command of webhooks, the browser and those of a keyring, inherit all variables but
credentials.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager

from tokensync.system.boundary import is_within

TimedOut = subprocess.TimeoutExpired
Process = subprocess.Popen
Completed = subprocess.CompletedProcess

_START = re.compile(r"LANG|LC_ALL|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|SYSTEMROOT", re.IGNORECASE)
"""The variables that a program may need to start."""
CLIENT_SECRET_VARIABLE = "TOKENSYNC_OAUTH_CLIENT_SECRET"  # noqa: S105 - the variable's name
_CREDENTIAL = re.compile(
    r"FIGMA_.*|TOKENSYNC_(.*_)?(SECRET|TOKEN|PASSCODE)"
    r"|(GITHUB|GH)_(ENTERPRISE_)?TOKEN|ACTIONS_(RUNTIME|ID_TOKEN_REQUEST)_TOKEN",
    re.IGNORECASE,
)
"""The variables with credentials of the platform, of tokensync itself, and of a job of CI."""


def environment(listed: re.Pattern[str] = _START) -> dict[str, str]:
    """Return the environment variables of this process whose whole names match."""
    return {name: value for name, value in os.environ.items() if listed.fullmatch(name)}


def inherited_environment(secret: str = "", passed: Container[str] = ()) -> dict[str, str]:
    """Return the environment of a program that the user chose: this process's, without credentials.

    ``secret`` is the name of another variable to omit. Those in ``passed`` are kept.
    """
    return {
        name: value
        for name, value in os.environ.items()
        if name in passed or not (name == secret or _CREDENTIAL.fullmatch(name))
    }


@contextmanager
def without_credentials() -> Iterator[None]:
    """Remove credentials from the environment, for libraries that start programs."""
    complete = dict(os.environ)
    try:
        for name in complete.keys() - inherited_environment().keys():
            os.environ.pop(name, None)
        yield
    finally:
        os.environ.update(complete)


def browse(address: str) -> bool:
    """Open an address in the user's browser, without credentials. Return whether that succeeded."""
    import webbrowser

    try:
        with without_credentials():
            return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False


def program(name: str, checkout: str) -> str | None:
    """Return the path of a program on the PATH.

    Ignore those in the checkout, whose links are resolved, and in the working folder, where Windows looks first.
    """
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        found = shutil.which(os.path.join(folder, name)) if os.path.isabs(folder) else None
        if found and not any(is_within(os.path.realpath(each), checkout) for each in (folder, found)):
            return found
    return None


@contextmanager
def scratch_folder() -> Iterator[str]:
    """Yield a new temporary folder for files that a program writes, and remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="tokensync-") as folder:
        yield os.path.realpath(folder)


def run(
    command: Sequence[str],
    variables: Mapping[str, str],
    content: bytes = b"",
    *,
    captured: bool = True,
    seconds: float | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program with this environment and this content as its stdin. ``captured`` keeps its output.

    Raises OSError if it cannot be started, and TimedOut, after ending it, if it takes longer.
    """
    return subprocess.run(  # noqa: S603 - a list of arguments, without a shell
        list(command), input=content, env=dict(variables), capture_output=captured, timeout=seconds, check=False
    )


def start(command: Sequence[str], variables: Mapping[str, str]) -> Process[bytes]:
    """Start a program with this environment and pipes for its stdin, stdout and stderr."""
    return subprocess.Popen(  # noqa: S603 - a list of arguments, without a shell
        list(command), env=dict(variables), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
