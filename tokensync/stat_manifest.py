"""Answer ``build`` and ``format`` at once when no file changed since everything was found to be current.

A run that has compared the content of all inputs and outputs keeps a stat manifest in ``.tokensync/``: the size, the
times of the last modification and of the last change, and the inode of each file that it read and of each folder that
it listed. The next run compares these numbers before it imports anything else. It believes them for these reasons:

- Every change of a file or of its metadata sets the change time (``st_ctime``), which no program can choose. Each file
  was looked at before its content was read, and counts only if its change time was already past by the clock of the
  file system. So a later change always shows, also one within the same tick of that clock.
- The manifest holds the change time of the configuration in nanoseconds and inodes of its own. Whoever writes a
  checkout cannot foresee them, so a manifest that comes with a clone, a copy or an archive never counts, and no path
  in it is looked at.
- A link anywhere, a variable ``TOKENSYNC_*``, another version or place of tokensync, another user or working folder:
  then the manifest does not count.

Anything unexpected leads to the ordinary run, which compares contents. On Windows ``st_ctime`` is the time of creation
and proves nothing, so there every run is an ordinary one. Importing this module loads nothing that Python has not
loaded by itself.
"""

import os
import sys
from stat import S_ISDIR, S_ISREG

from tokensync.version import __version__

TYPE_CHECKING = False  # typing itself takes several milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType
    from typing import Self, TextIO

FOLDER = ".tokensync"
_FILES = {"build": "build.stat", "format": "format.stat"}
_OUTPUTS = "outputs.stat"
"""What the last build of this checkout by this user wrote into tokensync.outputs.json, as a digest."""
_CONFIGURATIONS = ("tokensync.toml", "pyproject.toml")
_FORMAT = b"tokensync stat manifest 1\n"
_SECTIONS = 6
_NUMBERS = 4
"""Size, modification time, change time and inode of each path."""
_LARGEST = 64 << 20
_AT_ONCE = 1024
_ENOUGH_FOR_TWO = 8192
"""As many paths are compared by two processes."""
_MARGIN = 10 * 10**9
"""Nanoseconds since the last change of a file that has another clock, or that was read before this run began."""
_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def answer(arguments: list[str]) -> int | None:
    """Say what the ordinary run would say and return its exit code; return None when the ordinary run is needed."""
    if "_TOKENSYNC_COMPLETE" in os.environ:  # a shell asks for completions
        return None
    if arguments == ["--version"]:
        return _say(f"tokensync {__version__}", sys.stdout)
    named = [each for each in arguments if each not in ("-q", "--quiet", "--no-color")]
    if not named or named[0] not in _FILES or any(each != "--check" for each in named[1:]):
        return None
    text = current(named[0])
    if text is None:
        return None
    return 0 if "-q" in arguments or "--quiet" in arguments else _say(text, sys.stderr)


def current(command: str) -> str | None:
    """Return the recorded answer of a command in the working folder when it still holds."""
    if not _is_possible():
        return None
    try:
        here = os.getcwd()
        folder = _project_above(here, _FILES[command])
        content = _read(folder, os.path.join(FOLDER, _FILES[command]), here) if folder is not None else None
        if folder is None or content is None:
            return None
        text, absent, present, folders, paths, numbers = content
        if folder != here:
            above = os.fsencode(folder)
            absent, present, folders, paths = (
                [os.path.join(above, path) for path in section] for section in (absent, present, folders, paths)
            )
        same = (
            not any(map(os.path.lexists, absent))
            and all(map(os.path.lexists, present))
            and all(S_ISDIR(os.lstat(path).st_mode) for path in folders)
            and _are_unchanged(paths, numbers)
        )
    except (OSError, OverflowError, ValueError):
        return None
    return text if same else None


def outputs_digest(folder: str) -> str | None:
    """Return the digest of the manifest of outputs that a build wrote here; None where no build did.

    Only by this does a build that writes know that the committed manifest is its own, and not that of a branch that
    changed an output and the digest of it together.
    """
    if not _is_possible():
        return None
    try:
        content = _read(folder, os.path.join(FOLDER, _OUTPUTS), folder)
    except (OSError, OverflowError, ValueError):
        return None
    return content[0] if content else None


def _is_possible() -> bool:
    """Return whether change times prove anything here, and nothing but files decides what a command does."""
    return os.name == "posix" and not any(name.startswith("TOKENSYNC_") for name in os.environ)


def _project_above(folder: str, name: str) -> str | None:
    """Return the nearest folder with a manifest, at most as far up as the nearest configuration."""
    while not os.path.lexists(os.path.join(folder, FOLDER, name)):
        above = os.path.dirname(folder)
        if above == folder or os.path.lexists(os.path.join(folder, _CONFIGURATIONS[0])):
            return None
        folder = above
    return folder


def _read(
    folder: str, name: str, here: str
) -> tuple[str, list[bytes], list[bytes], list[bytes], list[bytes], memoryview] | None:
    """Return the sections of a manifest that was made here; None for every other one, unread beyond its first section.

    Raises OSError and ValueError for what is no manifest.
    """
    descriptor = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        circumstances = _circumstances(folder, here, descriptor)
        size = os.fstat(descriptor).st_size
        if circumstances is None or size > _LARGEST:
            return None
        content = os.read(descriptor, size)
    finally:
        os.close(descriptor)
    begun = len(_FORMAT) + 8
    end = begun + int.from_bytes(content[len(_FORMAT) : begun], "little")
    expected = circumstances + b"\0\0"
    if not content.startswith(_FORMAT) or not content.startswith(expected, begun) or end > len(content):
        return None
    sections = content[begun:end].split(b"\0\0")
    if len(sections) != _SECTIONS:
        return None
    absent, present, folders, paths = (section.split(b"\0") if section else [] for section in sections[2:])
    if len(content) - end != 8 * _NUMBERS * len(paths):
        return None
    return sections[1].decode("ascii"), absent, present, folders, paths, memoryview(content)[end:].cast("q")


def _circumstances(folder: str, here: str, descriptor: int) -> bytes | None:
    """Return what a manifest must begin with: facts of this machine, this program and the project's configuration.

    None when they prove nothing: for links, a manifest of somebody else, and change times without small fractions,
    which could be guessed.
    """
    state = os.lstat(os.path.join(folder, FOLDER))
    own = os.fstat(descriptor)
    path = os.path.join(folder, _CONFIGURATIONS[0])
    name = _CONFIGURATIONS[0 if os.path.lexists(path) else 1]
    config = os.lstat(os.path.join(folder, name))
    user = os.geteuid()
    if not (S_ISDIR(state.st_mode) and S_ISREG(own.st_mode) and S_ISREG(config.st_mode) and own.st_uid == user):
        return None
    if config.st_ctime_ns % 1_000_000 == 0:
        return None
    facts = (
        *(__version__, _PACKAGE, sys.hexversion, user, here, folder, name),
        *(state.st_dev, state.st_ino, own.st_dev, own.st_ino),
        *(config.st_dev, *_numbers(config)),
    )
    return b"\0".join(os.fsencode(str(fact)) for fact in facts)


def _numbers(found: os.stat_result) -> tuple[int, int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _are_unchanged(paths: list[bytes], numbers: memoryview) -> bool:
    if len(paths) < _ENOUGH_FOR_TWO:
        return _compare(paths, numbers, 0, len(paths))
    middle = len(paths) // 2
    # Nearly all of the time is the system's, a file at a time: 60 ms for 25,000 paths in one process.
    child = os.fork()
    if not child:
        same = False
        try:
            same = _compare(paths, numbers, middle, len(paths))
        finally:
            os._exit(0 if same else 1)
    try:
        same = _compare(paths, numbers, 0, middle)
    finally:
        _, status = os.waitpid(child, 0)
    return same and status == 0


def _compare(paths: list[bytes], numbers: memoryview, start: int, end: int) -> bool:
    """Compare a few at a time, so that an input that changed, which comes first, ends it."""
    for at in range(start, end, _AT_ONCE):
        found = [
            number
            for each in map(os.lstat, paths[at : min(at + _AT_ONCE, end)])
            for number in (each.st_size, each.st_mtime_ns, each.st_ctime_ns, each.st_ino)
        ]
        if found != numbers[_NUMBERS * at : _NUMBERS * at + len(found)].tolist():
            return False
    return True


def _say(text: str, stream: "TextIO | None") -> int | None:
    """Write a line; the ordinary run is for a stream that the caller closed."""
    if stream is None or stream.closed:
        return None
    try:
        stream.write(text + "\n")
        stream.flush()
    except OSError:  # the reader went away, or the disk is full: the ordinary run says so
        return None
    return 0


class Recording:
    """Collects what a run looks at, to keep it as the stat manifest of a command when all was current.

    Each path is to be given before its content is read. A recording that turns out to prove nothing goes on without
    effect, and so does one in a folder that cannot be written.
    """

    def __init__(self, command: str, folder: str, config: bytes) -> None:
        """Prepare for a project: its folder with all links resolved, and its configuration as it was read.

        Without a command, what is kept is the digest for ``outputs_digest``.
        """
        self._name = _FILES.get(command, _OUTPUTS)
        self._folder = folder
        self._config = config
        self._descriptor = -1
        self._temporary = ""
        self._circumstances: bytes | None = None
        self._device = self._clock = 0
        self._absent: list[str] = []
        self._present: list[str] = []
        self._folders: dict[str, None] = {}
        self._paths: dict[str, tuple[int, int, int, int]] = {}
        self._holds = False

    def __enter__(self) -> "Self":
        """Ask the file system what time it is, and look at the configuration."""
        try:
            if _is_possible():
                self._begin()
        except OSError:
            self._holds = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: "TracebackType | None"
    ) -> None:
        """Leave no temporary file behind."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        if self._temporary:
            try:
                os.unlink(self._temporary)
            except OSError:  # somebody removed the folder
                return

    def _begin(self) -> None:
        import tempfile

        state = os.path.join(self._folder, FOLDER)
        if not os.path.lexists(state):
            os.mkdir(state)
            with open(os.path.join(state, ".gitignore"), "xb") as file:
                file.write(b"*\n")
        if not S_ISDIR(os.lstat(state).st_mode):
            return
        self._descriptor, self._temporary = tempfile.mkstemp(prefix=".tokensync-", dir=state)
        os.utime(self._temporary, ns=(0, 0))
        own = os.fstat(self._descriptor)
        self._device, self._clock = own.st_dev, own.st_ctime_ns
        here = self._folder if self._name == _OUTPUTS else os.getcwd()
        self._circumstances = _circumstances(self._folder, here, self._descriptor)
        # A file system that keeps no change times lets a program choose the only time that there is.
        self._holds = self._circumstances is not None and self._clock > _MARGIN
        self._look_for_configurations(here)
        self._look_for_work_trees()

    def _look_for_configurations(self, here: str) -> None:
        """Record the configuration, and that there is no nearer one."""
        first, second = (os.path.join(self._folder, name) for name in _CONFIGURATIONS)
        path = first if os.path.lexists(first) else second
        self.file(path)
        with open(path, "rb") as file:
            self._holds &= file.read() == self._config
        if path == second:
            self._absent.append(first)
        while here != self._folder:
            self._absent.append(os.path.join(here, _CONFIGURATIONS[0]))
            self.optional(os.path.join(here, _CONFIGURATIONS[1]))
            here, below = os.path.dirname(here), here
            if here == below:  # another configuration than the nearest one
                self._holds = False
                return

    def _look_for_work_trees(self) -> None:
        """Record where the git work tree begins, which bounds the paths of a configuration."""
        from tokensync.boundary import work_tree

        folder, top = self._folder, work_tree(self._folder)
        while folder != top:
            self.absent(os.path.join(folder, ".git"))
            folder, below = os.path.dirname(folder), folder
            if folder == below:
                return
        git = os.path.join(folder, ".git")
        if os.path.isfile(git):
            self.file(git)
        else:
            self._present.append(os.path.join(git, "HEAD"))

    def absent(self, path: str) -> None:
        """Record that nothing is there."""
        self._absent.append(path)
        self._holds &= not os.path.lexists(path)

    def optional(self, path: str) -> None:
        """Record a file, or that it is not there."""
        if os.path.lexists(path):
            self.file(path)
        else:
            self.absent(path)

    def file(self, path: str) -> None:
        """Record a file, whose content may be read after this only."""
        try:
            self._look_on_the_way(path)
            self._look(path, S_ISREG)
        except OSError:
            self._holds = False

    def tree(self, path: str, suffix: str = "") -> None:
        """Record a folder, all folders below it and all of their files with this suffix."""
        try:
            self._look_on_the_way(path)
            self._walk(path, suffix)
        except OSError:
            self._holds = False

    def drop(self) -> None:
        """Keep nothing: not everything was current."""
        self._holds = False

    def keep(self, text: str) -> None:
        """Write the manifest: the command has compared everything, and says just this, unless it is to be quiet."""
        if not text.isascii() or not text.isprintable() or "::" in text or "##" in text:  # the last two are escaped
            return
        try:
            self._look_at_package()
            if self._holds and self._circumstances is not None:
                with os.fdopen(os.dup(self._descriptor), "wb") as file:
                    file.write(self._content(self._circumstances, text))
                os.replace(self._temporary, os.path.join(self._folder, FOLDER, self._name))
                self._temporary = ""
        except (OSError, OverflowError):
            return

    def _look_at_package(self) -> None:
        """Record tokensync itself; it was read before this run could look at it."""
        from tokensync import resources

        self._clock -= _MARGIN
        self._walk(resources.path("templates"))
        self._walk(resources.path("config"))
        self._walk(_PACKAGE, ".py", with_folders=False)  # Python itself adds folders for what it compiled

    def _content(self, circumstances: bytes, text: str) -> bytes:
        from array import array

        parts = map(self._joined, (self._absent, self._present, self._folders, self._paths))
        head = b"\0\0".join((circumstances, text.encode("ascii"), *parts))
        numbers = array("q", [number for each in self._paths.values() for number in each])
        return b"".join((_FORMAT, len(head).to_bytes(8, "little"), head, numbers.tobytes()))

    def _joined(self, paths: "Iterable[str]") -> bytes:
        above = os.path.join(self._folder, "")
        return b"\0".join(os.fsencode(path.removeprefix(above)) for path in paths)

    def _look_on_the_way(self, path: str) -> None:
        """Record that each step below the project's folder is a folder and no link."""
        above = os.path.join(self._folder, "")
        if path.startswith(above):
            while len(path := os.path.dirname(path)) > len(above) and path not in self._folders:
                self._folders[path] = None
                self._holds &= S_ISDIR(os.lstat(path).st_mode)

    def _walk(self, folder: str, suffix: str = "", *, with_folders: bool = True) -> None:
        waiting = [folder]
        while waiting and self._holds:
            each = waiting.pop()
            if with_folders:
                self._look(each, S_ISDIR)
            with os.scandir(each) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif entry.name.endswith(suffix):
                        self._look(entry.path, S_ISREG)

    def _look(self, path: str, is_expected: "Callable[[int], bool]") -> None:
        found = os.lstat(path)
        limit = self._clock if found.st_dev == self._device else self._clock - _MARGIN
        self._holds &= is_expected(found.st_mode) and found.st_ctime_ns < limit
        self._paths[path] = _numbers(found)
