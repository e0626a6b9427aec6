"""Read, write and remove files without following links. Writes are atomic. Errors name the file.

Links may come with a checkout, and a process may put one in place of a folder at any time. So a caller resolves the
links of a path, decides about the result (``system.boundary``) and passes that. The functions here open each folder
of the path in the one before it, and none that is a link. Where the system cannot do that (Windows), they compare the
path with its resolved form immediately before they use it.

Windows refuses to replace, remove or read a file that another program holds open, as virus scanners and editors do for
moments. So the functions try again for a few seconds, then raise HeldOpenError.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import BinaryIO, NoReturn, Self

_HAS_DESCRIPTORS = {os.open, os.mkdir, os.rename, os.rmdir, os.stat, os.unlink} <= os.supports_dir_fd
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = _NO_LINK | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", os.O_RDONLY)
"""The flags of folders. With O_PATH (Linux), they need not be readable."""
_OLD = _NO_LINK | os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_NEW = _NO_LINK | os.O_WRONLY | os.O_CREAT | os.O_EXCL
_TEMPORARY = ".tokensync-"
_IS_TEMPORARY = re.compile(r"\.tokensync-[0-9a-f]{16}").fullmatch
_ABANDONED = 10.0
"""The seconds after which a temporary file is that of a run that was killed. Others exist for moments."""
_CHUNK = 1 << 20
_HELD = frozenset((5, 32, 33))
"""Windows's ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION and ERROR_LOCK_VIOLATION."""
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 0.95)
"""The seconds between attempts on a file that is held open: 2.5 in total."""
_NAME_SURROGATE = 0x20000000
"""Windows's bit of reparse tags that lead elsewhere. Files of OneDrive have tags without it."""
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class HeldOpenError(PermissionError):
    """Windows refuses to change or read a file, most often because another program holds it open."""


def _is_held(error: OSError) -> bool:
    """Return whether another program may hold a file open. ``os.open`` sets no ``winerror``, only EACCES."""
    code = getattr(error, "winerror", None)
    if isinstance(error, HeldOpenError):
        return True
    return code in _HELD if code is not None else os.name == "nt" and error.errno == errno.EACCES


def when_released(
    action: Callable[_Arguments, _Result], *arguments: _Arguments.args, **options: _Arguments.kwargs
) -> _Result:
    """Call an action on a file, and again for a few seconds as long as another program holds the file open."""
    for pause in _PAUSES:
        try:
            return action(*arguments, **options)
        except OSError as error:
            if not _is_held(error):
                raise
        time.sleep(pause)
    try:
        return action(*arguments, **options)
    except OSError as error:
        if not _is_held(error):
            raise
        raise HeldOpenError(error.errno, error.strerror, error.filename) from None


class Folders:
    """The open folders on the way to the last file: the next file needs only those that differ.

    Use it for a series of files. It follows no link, except one above the folders that are already open.
    """

    def __init__(self) -> None:
        self._chain: list[tuple[str, int]] = []
        self._checked = ""
        self._is_new = False  # a new folder in a new catalog is the first of many
        self._empty = ""  # the folder that was just created
        self._temporary = ""
        self._grown: list[str] = []  # the folders that new ones were created in
        self._cleaned: set[str] = set()

    def __enter__(self) -> Self:
        """Return this object; the end of the block closes the folders."""
        return self

    def close(self, *_: object) -> None:
        """Close all folders."""
        while self._chain:
            os.close(self._chain.pop()[1])

    __exit__ = close

    def entry(self, path: str, *, make: bool = False) -> tuple[str, int | None]:
        """Return the name and folder of a file, for functions with ``dir_fd``. Raises OSError for links.

        ``make`` creates missing folders, and removes from the folder what runs left in it when they were killed.
        """
        if not _HAS_DESCRIPTORS:
            path = os.path.abspath(path)
            self._check(os.path.dirname(path), make=make)
            if make:
                self._clean(os.path.dirname(path), None)
            return path, None
        if path[:1] != "/" or "//" in path or "/." in path or path[-1:] == "/":  # few paths: abspath is slow
            path = os.path.abspath(path)
        head, _, name = path.rpartition("/")
        head += "/"
        opened = self._chain
        while opened and not head.startswith(opened[-1][0]):
            os.close(opened.pop()[1])
        if not opened or opened[-1][0] != head:
            self._descend(head, make=make)
        if make and not self._is_new:
            self._clean(head, opened[-1][1])
        return name, opened[-1][1]

    def temporary(self, name: str, folder: int | None) -> tuple[int, str]:
        """Create a file beside a new entry, as ``temporary_file`` does, with the same name in each folder.

        Raises FileExistsError if there is an entry with that name.
        """
        if not self._chain or self._chain[-1][0] != self._empty:
            with suppress(FileNotFoundError):
                os.stat(name, dir_fd=folder, follow_symlinks=False)
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        self._empty = ""
        self._temporary = self._temporary or f"{_TEMPORARY}{os.urandom(8).hex()}"
        temporary = self._temporary if folder is not None else os.path.join(os.path.dirname(name), self._temporary)
        return os.open(temporary, _NEW, 0o666, dir_fd=folder), temporary

    def sync(self) -> None:
        """Flush the entries of created folders to disk: a power loss that took them would take their files, too."""
        while self._grown:
            sync_folder(self._grown.pop())

    def _clean(self, head: str, folder: int | None) -> None:
        if head in self._cleaned:
            return
        self._cleaned.add(head)
        top = head if folder is None else os.curdir
        with suppress(OSError):
            for path in (os.path.join(top, name) for name in _names_in(top, folder) if _IS_TEMPORARY(name)):
                if time.time() - os.stat(path, dir_fd=folder, follow_symlinks=False).st_ctime > _ABANDONED:
                    os.unlink(path, dir_fd=folder)

    def _descend(self, head: str, *, make: bool) -> None:
        """Open the folders from the innermost open one down to ``head``. All of them end with a slash."""
        if not self._chain:
            self._chain.append(("/", os.open("/", _FOLDER)))
        path, parent = self._chain[-1]
        for step in head[len(path) : -1].split("/") if path != head else ():
            try:
                if make and self._is_new:
                    self._create(step, parent)
                parent = self._opened(step, parent, make=make)
            except OSError as error:
                raise _named(error, path + step) from None
            above = path
            path += f"{step}/"
            self._chain.append((path, parent))
            if make and self._is_new:
                self._grown.append(above)
                self._empty = path

    def _opened(self, step: str, parent: int, *, make: bool) -> int:
        try:
            return os.open(step, _FOLDER, dir_fd=parent)
        except FileNotFoundError:
            if not make:
                raise
            self._create(step, parent)
            return os.open(step, _FOLDER, dir_fd=parent)
        except OSError:  # the error for a link differs between systems
            if stat.S_ISLNK(os.stat(step, dir_fd=parent, follow_symlinks=False).st_mode):
                raise _link_error(step) from None
            raise

    def _create(self, step: str, parent: int) -> None:
        """Create a folder, unless it is there."""
        try:
            os.mkdir(step, dir_fd=parent)
            self._is_new = True
        except FileExistsError:
            self._is_new = False

    def _check(self, folder: str, *, make: bool) -> None:
        if folder == self._checked:
            return
        if make:
            os.makedirs(folder, exist_ok=True)
        if os.path.normcase(os.path.realpath(folder)) != os.path.normcase(folder) and (link := _first_link(folder)):
            raise _link_error(link)
        self._checked = folder


class _Entry:
    """Opens the folders of a file for a block, within those that are open already. Errors name the whole path."""

    # An asset catalog has thousands of files: as a generator, this would take as long as a system call.
    def __init__(self, path: str, folders: Folders | None, *, make: bool = False) -> None:
        self._path = path
        self.folders = folders or Folders()
        self._closes = folders is None
        self._make = make

    def __enter__(self) -> tuple[str, int | None]:
        try:
            return self.folders.entry(self._path, make=self._make)
        except OSError as error:
            self.__exit__(None, error)
            raise

    def __exit__(self, kind: object, error: BaseException | None, _: object = None) -> None:
        if self._closes:
            self.folders.close()
        if isinstance(error, OSError):
            _raise_with(self._path, error)


def _raise_with(path: str, error: OSError) -> NoReturn:
    """Raise an error as one that names a path, unless it names a link."""
    if error.errno == errno.ELOOP and isinstance(error.filename, str) and os.path.isabs(error.filename):
        raise error
    raise _named(error, path) from error


def _first_link(path: str) -> str:
    """Return the first link or junction on the way to a folder; empty if the path only has another form.

    Mapped drives, drives of ``subst`` and short names have one, and they do not come with a checkout.
    """
    drive, below = os.path.splitdrive(path)
    current = drive + os.sep
    for step in filter(None, below.split(os.sep)):
        current = os.path.join(current, step)
        status = os.lstat(current)
        if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) & _NAME_SURROGATE:
            return current
    return ""


def _link_error(path: str) -> OSError:
    return OSError(errno.ELOOP, "this is a link, which could redirect reads and writes", path)


def _named(error: OSError, path: str) -> OSError:
    """Return a copy of an error that names another path."""
    return (HeldOpenError if _is_held(error) else OSError)(error.errno, error.strerror, path)


def content_of(path: str, folders: Folders | None = None) -> bytes | None:
    """Return the content of a text file with LF line ends, since git may convert them; None if it does not exist."""
    try:
        descriptor, size = _opened_file(path, folders)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        content = os.read(descriptor, size + 1)
        while len(content) != size and (more := os.read(descriptor, _CHUNK)):  # it is just being written
            content += more
            size = -1
    finally:
        os.close(descriptor)
    return content.replace(b"\r\n", b"\n") if b"\r" in content else content


def open_file(path: str, folders: Folders | None = None) -> BinaryIO:
    """Open a regular file for reading. Raises OSError for a link, and for a pipe or device, which could never end."""
    return os.fdopen(_opened_file(path, folders)[0], "rb")


def _opened_file(path: str, folders: Folders | None) -> tuple[int, int]:
    """Return the descriptor and size of a regular file."""
    with _Entry(path, folders) as (name, folder):
        if not _HAS_DESCRIPTORS:
            if os.path.islink(name):
                raise _link_error(path)
            if os.path.isdir(name):  # which Windows does not tell from a file that is held open
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        try:
            descriptor = when_released(os.open, name, _OLD, dir_fd=folder)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):  # FreeBSD has the latter
                raise _link_error(path) from None
            raise
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return descriptor, status.st_size
    os.close(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise _special_error(path)


def _special_error(path: str) -> OSError:
    return OSError(errno.EINVAL, "a pipe or device, not a file", path)


def _is_special(status: os.stat_result) -> bool:
    """Return whether a path is that of a pipe, device or socket."""
    return not any(is_kind(status.st_mode) for is_kind in (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK))


def status_of(path: str) -> os.stat_result:
    """Return the status of a file. Raises OSError for links on the way to it."""
    with _Entry(path, None) as (name, folder):
        return when_released(os.stat, name, dir_fd=folder, follow_symlinks=False)


def replace_file(
    path: str,
    content: bytes | Iterable[bytes],
    *,
    durable: bool = True,
    private: bool = False,
    executable: bool = False,
    text: bool = False,
    folders: Folders | None = None,
) -> None:
    """Replace a file atomically: write a temporary file, fsync it if ``durable``, and rename it.

    ``content`` is the content, or an iterable of its parts. A link in place of the file is replaced, and a pipe or
    device is an OSError. Missing folders are created, and flushed to disk with a ``durable`` file. A ``text`` gets the
    line ends of the file it replaces, which git may have converted. A ``private`` file is never readable by others, not
    even temporarily (mode 0600). Those who may read an ``executable`` file may run it.
    """
    with nullcontext(folders) if folders else Folders() as within, _Entry(path, within, make=True) as (name, folder):
        with suppress(FileNotFoundError):
            if _is_special(os.stat(name, dir_fd=folder, follow_symlinks=False)):
                raise _special_error(path)
        descriptor, temporary = temporary_file(name, folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                parts = (content,) if isinstance(content, bytes) else content
                if text and _has_crlf(name, folder):
                    parts = (b"".join(parts).replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),)
                file.writelines(parts)
                if not private and hasattr(os, "fchmod"):  # Windows has no such permissions
                    mode = _mode_of(name, folder)
                    os.fchmod(file.fileno(), mode | (mode & 0o444) >> 2 if executable else mode)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            when_released(os.replace, temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            if durable:
                _sync(os.path.dirname(name) or os.curdir, folder)
                within.sync()
        except BaseException:
            with suppress(OSError):
                when_released(os.unlink, temporary, dir_fd=folder)
            raise


def write_result(path: str, content: bytes) -> None:
    """Write to a pipe or device that a user has named, such as one of the shell; replace a file, without fsync."""
    if os.path.exists(path) and _is_special(os.stat(path)):
        with open(path, "wb") as special:
            special.write(content)
    else:
        replace_file(path, content, durable=False)


def replace_files(contents: Mapping[str, bytes], top: str) -> None:
    """Replace several files in order, or none: an error or an interrupt restores all of them.

    New folders below ``top`` that the files needed are removed then, too.
    """
    former = {path: _bytes_of(path) for path in contents}
    started: list[str] = []
    try:
        for path, content in contents.items():
            started.append(path)
            replace_file(path, content)
    except BaseException:
        for path in reversed(started):
            content_before = former[path]
            if content_before is not None:
                replace_file(path, content_before)
            else:
                with suppress(FileNotFoundError, NotADirectoryError):
                    remove_file(path, top)
        raise


def _bytes_of(path: str) -> bytes | None:
    """Return the content of a file as it is; None if it does not exist."""
    with suppress(FileNotFoundError, NotADirectoryError), open_file(path) as file:
        return file.read()
    return None


def temporary_file(name: str, folder: int | None) -> tuple[int, str]:
    """Create a file beside an entry of ``Folders``. Return its descriptor, for writing, and its name."""
    temporary = os.path.join(os.path.dirname(name), f"{_TEMPORARY}{os.urandom(8).hex()}")
    return os.open(temporary, _NEW, 0o600, dir_fd=folder), temporary


def sync_folder(folder: str) -> None:
    """Flush a folder's entries to disk. Do nothing where folders cannot be opened (Windows)."""
    with suppress(OSError), Folders() as folders:
        _sync(*folders.entry(folder))


def _sync(name: str, folder: int | None) -> None:
    with suppress(OSError):
        descriptor = os.open(name, _NO_LINK | os.O_RDONLY, dir_fd=folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def create_file(
    path: str, content: bytes, folders: Folders | None = None, *, private: bool = False, whole: bool = False
) -> None:
    """Create a new file, and its missing folders, without fsync; remove the file if writing fails.

    ``private``: only this user can read it. ``whole``: it gets its name when it is complete, for a run may be killed.
    Raises FileExistsError if something is there.
    """
    # An asset catalog has thousands of files: file objects and context managers would double the time of system calls.
    within = folders or Folders()
    try:
        name, folder = within.entry(path, make=True)
        if whole:
            descriptor, written = within.temporary(name, folder)
        else:  # a removed file keeps its name until other programs close it
            descriptor = when_released(os.open, name, _NEW, 0o600 if private else 0o666, dir_fd=folder)
            written = name
        try:
            try:
                done = os.write(descriptor, content)
                while done < len(content):
                    done += os.write(descriptor, memoryview(content)[done:])
            finally:
                os.close(descriptor)
            if whole:
                when_released(os.replace, written, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                when_released(os.unlink, written, dir_fd=folder)
            raise
    except OSError as error:
        _raise_with(path, error)
    finally:
        if folders is None:
            within.close()


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Yield a new folder that only this user can use, with links resolved; remove it with its content at the end."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="tokensync-", ignore_cleanup_errors=True) as folder:
        yield os.path.realpath(folder)


def append_descriptor(path: str) -> int:
    """Open a file for reading and writing, and create it if it is missing."""
    with _Entry(path, None) as (name, folder):
        return when_released(os.open, name, _NO_LINK | os.O_RDWR | os.O_CREAT, 0o666, dir_fd=folder)


def make_folder(path: str) -> None:
    """Create a folder and its missing parents, if it does not exist."""
    with Folders() as folders:
        folders.entry(os.path.join(path, "file"), make=True)


def remove_file(path: str, top: str | None = None, folders: Folders | None = None) -> None:
    """Remove a file or link and, below the folder ``top``, its folders that are empty then."""
    with nullcontext(folders) if folders else Folders() as within:
        with _Entry(path, within) as (name, folder):
            when_released(os.unlink, name, dir_fd=folder)
        path = os.path.abspath(path)
        while top is not None and (path := os.path.dirname(path)).startswith(os.path.join(top, "")):
            with _Entry(path, within) as (name, folder):
                try:
                    when_released(os.rmdir, name, dir_fd=folder)
                except OSError:  # not empty
                    return


def respell(
    top: str, former: str, path: str, folders: Folders | None = None, *, may: Callable[[str], bool] = lambda _: True
) -> None:
    """Rename a file to ``path``, which differs in case alone, on a file system that ignores case.

    Both paths are below ``top``, with ``/``. Folders on the way that differ are renamed if ``may`` permits it.
    """
    above = top
    for step, name in zip(former.split("/"), path.split("/"), strict=True):
        present = os.path.join(above, step)
        above = os.path.join(above, name)
        if step != name and (not os.path.isdir(present) or may(present)):
            _respell_step(present, name, folders)


def _respell_step(path: str, name: str, folders: Folders | None) -> None:
    with nullcontext(folders) if folders else Folders() as within, _Entry(path, within) as (former, folder):
        parent = os.path.dirname(former)
        if name in _names_in(parent or os.curdir, folder):
            return
        wanted, third = os.path.join(parent, name), os.path.join(parent, f"{_TEMPORARY}{os.urandom(8).hex()}")
        _rename(former, wanted, folder)
        if name in _names_in(parent or os.curdir, folder):
            return
        _rename(former, third, folder)  # to some file systems, the direct way is none
        try:
            _rename(third, wanted, folder)
        except BaseException:
            with suppress(OSError):
                _rename(third, former, folder)
            raise


def _rename(former: str, name: str, folder: int | None) -> None:
    when_released(os.replace, former, name, src_dir_fd=folder, dst_dir_fd=folder)


def _names_in(path: str, folder: int | None) -> list[str]:
    descriptor = None if folder is None else os.open(path, _NO_LINK | os.O_RDONLY, dir_fd=folder)
    try:
        return os.listdir(path if descriptor is None else descriptor)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def spelled(top: str, path: str) -> str:
    """Return a path below a folder, with ``/``, as the disk spells it, on a file system that ignores case."""
    if not is_same_file(os.path.join(top, path), os.path.join(top, path.swapcase())):
        return path
    found: list[str] = []
    for step in path.split("/"):
        names = os.listdir(os.path.join(top, *found))
        alike = (name for name in names if folded(name) == folded(step))
        found.append(step if step in names else next(alike, step))
    return "/".join(found)


def folded(path: str) -> str:
    """Return a path as file systems compare paths that ignore case, or the composition of letters (macOS)."""
    if path.isascii():
        return path.casefold()
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def is_same_file(path: str, other: str) -> bool:
    """Return whether two spellings of a path lead to one file, as on a file system that ignores case."""
    if folded(path) != folded(other):
        return False
    try:
        one, two = os.lstat(path), os.lstat(other)
    except (OSError, ValueError):
        return False
    return os.path.samestat(one, two)


def is_writable(path: str) -> bool:
    """Return whether this process may write an existing file or into a folder. Windows tells it of files only."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def shown_path(path: str) -> str:
    """Return a path relative to the working folder if it is below it."""
    relative = relative_path(path, os.curdir)
    return path if relative.startswith(os.pardir) else relative


def relative_path(path: str, folder: str) -> str:
    """Return a path relative to a folder; the path itself if it is on another drive."""
    try:
        return os.path.relpath(path, folder)
    except ValueError:
        return path


def relative_paths(text: str, folder: str = "") -> str:
    """Return the text with absolute paths below a folder (default: the working folder) made relative to it."""
    try:
        start = re.escape(os.path.join(folder or os.getcwd(), ""))
    except OSError:  # the working folder was deleted
        return text
    return re.sub(rf"(?<![^\s(\"'=]){start}(?=[^\s])", "", text)


def _has_crlf(name: str, folder: int | None) -> bool:
    """Return whether the first line of a file ends with CRLF."""
    with suppress(OSError):
        descriptor = os.open(name, _OLD, dir_fd=folder)
        try:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return os.read(descriptor, _CHUNK).partition(b"\n")[0].endswith(b"\r")
        finally:
            os.close(descriptor)
    return False


def _mode_of(name: str, folder: int | None) -> int:
    """Return the permissions of an existing file, or those of a new one."""
    with suppress(FileNotFoundError):
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISREG(mode):
            return mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
