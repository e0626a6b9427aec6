"""Read and write files atomically: a crash leaves the old or the new file. Errors name the file."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO


def content_of(path: str) -> bytes | None:
    """Return the content of a text file with LF line ends, since git may convert them; None if it does not exist."""
    try:
        with open_file(path) as file:
            content = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return content.replace(b"\r\n", b"\n") if b"\r" in content else content


def open_file(path: str) -> BinaryIO:
    """Open a regular file for reading. Raise OSError for a pipe or device, which could block or never end."""
    flags = (getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK"))  # the last one for pipes
    descriptor = os.open(path, sum(flags, os.O_RDONLY))
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "a pipe or device, not a file", path)


def replace_file(path: str, content: bytes | Iterable[bytes], *, durable: bool = True, private: bool = False) -> None:
    """Replace a file atomically: write a temporary file, fsync it if ``durable``, and rename it.

    ``content`` is the content, or an iterable of its parts.

    A ``private`` file is never readable by others, not even temporarily (mode 0600).
    """
    with _naming(path):
        descriptor, temporary = tempfile.mkstemp(prefix=".tokensync-", dir=os.path.realpath(os.path.dirname(path)))
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.writelines((content,) if isinstance(content, bytes) else content)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            if not private:  # mkstemp's own mode is 0600
                os.chmod(temporary, _mode_of(path))
            os.replace(temporary, path)
            if durable:
                sync_folder(os.path.dirname(path))
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise


def sync_folder(folder: str) -> None:
    """Flush a folder's entries to disk. Do nothing where folders cannot be opened (Windows)."""
    with suppress(OSError):
        descriptor = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def create_file(path: str, content: bytes) -> None:
    """Create a new file without fsync; remove it if writing fails. Do not follow links."""
    # An asset catalog has thousands of files, and file objects would double the time of the system calls.
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            remaining = memoryview(content)
            while remaining:
                remaining = remaining[os.write(descriptor, remaining) :]
        except BaseException:
            with suppress(OSError):
                os.unlink(path)
            raise
        finally:
            os.close(descriptor)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def shown_path(path: str) -> str:
    """Return a path relative to the working folder if it is below it."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # on another drive
        return path
    return path if relative.startswith(os.pardir) else relative


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Let an OSError name this file rather than a temporary one or none."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def _mode_of(path: str) -> int:
    """Return the permissions of an existing file, or those of a new one."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
