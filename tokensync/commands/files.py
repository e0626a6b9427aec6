"""Writes files so that a crash leaves the old one or the new one, never half of one."""

from __future__ import annotations

import os
import tempfile


def replace_file(path: str, content: bytes, *, durable: bool = True) -> None:
    """Put ``content`` at ``path``: a temporary file beside it, fsync (when ``durable``), then replace."""
    folder = os.path.dirname(path) or "."
    descriptor, temporary = tempfile.mkstemp(prefix=".tokensync-", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(temporary, _mode_of(path))
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode_of(path: str) -> int:
    """The permissions of the file that is replaced, or those that a new file gets."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
