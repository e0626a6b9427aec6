"""Reads and writes files: a crash leaves the old one or the new one, never half of one. Faults name the file."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO


def content_of(path: str) -> bytes | None:
    """Return the bytes of a file of ours, None when it is not there; line ends that git changed on checkout do not
    count.
    """
    try:
        with open_file(path) as file:
            content = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return content.replace(b"\r\n", b"\n") if b"\r" in content else content


def open_file(path: str) -> BinaryIO:
    """Open a file to read it. Raises OSError for a pipe or a device, whose content may never come or never end."""
    flags = (getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK"))  # the last for a pipe's sake
    descriptor = os.open(path, sum(flags, os.O_RDONLY))
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "it is no file, but a pipe or a device", path)


def replace_file(path: str, content: bytes, *, durable: bool = True, private: bool = False) -> None:
    """Put ``content`` at ``path``: a temporary file beside it, fsync (when ``durable``), then replace.

    A ``private`` one is never readable by others, not even for a moment (mode 0600).
    """
    with _naming(path):
        descriptor, temporary = tempfile.mkstemp(prefix=".tokensync-", dir=os.path.realpath(os.path.dirname(path)))
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            if not private:  # mkstemp's own mode is 0600
                os.chmod(temporary, _mode_of(path))
            os.replace(temporary, path)
            if durable:
                keep_folder(os.path.dirname(path))
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise


def keep_folder(folder: str) -> None:
    """Have the system keep on disk which files a folder has; where it cannot be opened (Windows), nothing."""
    with suppress(OSError):
        descriptor = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def create_file(path: str, content: bytes) -> None:
    """Make a file that is not there yet, without fsync; a write that fails leaves none. Links are not followed."""
    # An asset catalog has thousands of files, so the system is called directly: file objects cost as much again.
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        except BaseException:
            with suppress(OSError):
                os.unlink(path)
            raise
        finally:
            os.close(descriptor)
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, path) from fault


def shown_path(path: str) -> str:
    """Return a path as the reader knows it: from the working folder, when it is below it."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # on another drive
        return path
    return path if relative.startswith(os.pardir) else relative


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """A fault of the system names the file that was wanted, not a temporary one, or none (a full disk)."""
    try:
        yield
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, path) from fault


def _mode_of(path: str) -> int:
    """Return the permissions of the file that is replaced, or those that a new file gets."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
