"""Answer ``build``, ``check``, ``lint`` and ``format`` immediately if no file has changed since a run was satisfied.

``build --staged`` builds only if ``check --staged`` is not satisfied, so it has the same answer.

A run that has compared all inputs and outputs saves a stat manifest in ``.tokensync/``: the size, modification time,
change time and inode of each file that it read and each folder that it listed. The next run compares these numbers
before it imports anything else. They are reliable for these reasons:

- Every change of a file or its metadata sets the change time (``st_ctime``), which no program can choose. The run stats
  each file before it reads it, and requires a change time in the past by the clock of the file system. So later changes
  are always visible, even within one tick of that clock.
- The manifest contains the change time of the configuration in nanoseconds and its own inode. The author of a checkout
  cannot predict them, so a manifest from a clone, copy or archive is invalid, and its paths are never accessed. The
  record of the last build stays valid when the configuration changes: it has the change time of
  ``.tokensync/.gitignore``.
- Links, ``TOKENSYNC_*`` variables, another version or path of tokensync, and another user or working folder invalidate
  the manifest.

The manifest of ``check --staged`` has the entries of the git index that the check read, with the ids of their blobs, in
place of inputs and outputs. Those of ``check`` and ``lint`` have the whole result, for runs with other options and for
warnings, which the ordinary run writes. In all other cases the ordinary run compares contents. On Windows ``st_ctime``
is the creation time and proves nothing, so every run is an ordinary one. This module imports only modules that Python
itself has already loaded.
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

    Numbers = tuple[int, int, int, int]
    """Size, modification time, change time and inode."""

    from tokensync.system.disk import Folders
    from tokensync.system.git_index import Entry

FOLDER = ".tokensync"
_COMMANDS = ("build", "check", "lint", "format")
_STAGED = "check --staged"
_FILES = {_STAGED: "staged.stat"} | {command: f"{command}.stat" for command in _COMMANDS}
_OF_PACKAGES = ("check.stat", "lint.stat")
"""Those that depend on which packages are installed, and so on where Python looks for them."""
_OUTPUTS = "outputs.stat"
"""The digests of tokensync.outputs.json, the input and the files of this user's last build of this checkout.

Also the numbers and the digest of each output that a build has read, so that the next one need not.
"""
IGNORE, IGNORE_ALL = ".gitignore", b"*\n"
"""The file that keeps git from tracking the folder, and its content."""
_CONFIGURATIONS = ("tokensync.toml", "pyproject.toml")
_FORMAT = b"tokensync stat manifest 3\n"
_SECTIONS = 9
_NUMBERS = 4
"""Size, modification time, change time and inode of each path."""
_LARGEST = 64 << 20
_AT_ONCE = 1024
_ENOUGH_FOR_TWO = 8192
"""The least number of paths for two processes."""
_MARGIN = 10 * 10**9
"""The least age in nanoseconds of a change on another file system, or to a file read before this run."""
PUSHED = ("PRE_COMMIT_TO_REF", "PRE_COMMIT_LOCAL_BRANCH")
"""The variables in which hook managers name a commit to check instead of the index."""
COMMIT_IS_CURRENT = "the outputs of the commit are current"
"""What ``build --staged`` says if there is nothing to build."""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def answer(arguments: list[str]) -> int | None:
    """Print the result of the ordinary run and return its exit code, or None if the ordinary run is necessary."""
    if "_TOKENSYNC_COMPLETE" in os.environ:  # a shell asks for completions
        return None
    if arguments == ["--version"]:
        return _print(f"tokensync {__version__}", sys.stdout)
    words = [argument for argument in arguments if argument not in ("-q", "--quiet", "--no-color")]
    if not words or words[0] not in _COMMANDS:
        return None
    if "--staged" in words:
        text = _current_staged(words)
    elif any(word != "--check" or words[0] in ("check", "lint") for word in words[1:]):
        return None
    else:
        manifest = current(words[0])
        text = manifest.text if manifest else None
    if not text:  # the result has more than one line
        return None
    return 0 if "-q" in arguments or "--quiet" in arguments else _print(text, sys.stderr)


def _current_staged(words: list[str]) -> str | None:
    """Return the recorded answer of ``check --staged``, or what ``build --staged`` says if there is one."""
    if any(map(os.environ.get, PUSHED)):
        return None
    command, *others = (word for word in words if word != "--staged")
    config = others[1] if len(others) == 2 and others[0] in ("-c", "--config") else ""
    if command not in ("build", "check") or (others and not config):
        return None
    manifest = current(_STAGED, config)
    if manifest is None:
        return None
    return COMMIT_IS_CURRENT if command == "build" else manifest.text


def current(command: str, config: str = "") -> "Manifest | None":
    """Return the manifest of a command in the working folder, with this ``--config``, if it is still valid."""
    if not _is_possible():
        return None
    try:
        here = os.getcwd()
        folder = _project_above(here, _FILES[command]) if not config else _folder_of(config)
        where = os.path.join(FOLDER, _FILES[command])
        manifest = _read(folder, where, f"{here} {config}") if folder is not None else None
        if folder is None or manifest is None:
            return None
        if folder != here:
            for paths in (manifest.absent, manifest.present, manifest.folders, manifest.paths):
                paths[:] = [os.path.join(os.fsencode(folder), path) for path in paths]
        same = (
            not any(map(os.path.lexists, manifest.absent))
            and all(map(os.path.lexists, manifest.present))
            and all(S_ISDIR(os.lstat(path).st_mode) for path in manifest.folders)
            and (not manifest.index or _is_index_unchanged(folder, manifest.index))
            and _are_unchanged(manifest.paths, manifest.numbers)
        )
    except (OSError, OverflowError, ValueError):
        return None
    return manifest if same else None


def _folder_of(config: str) -> str:
    real = os.path.realpath(config)
    return real if os.path.isdir(real) else os.path.dirname(real)


def packed_index(paths: "Iterable[bytes]", folders: "Iterable[bytes]", entries: "Iterable[Entry]") -> bytes:
    """Return the entries of a git index that a check read, and which ones it read, for ``Recording.save``."""
    from tokensync.system.git_index import packed

    parts = b"\0".join(sorted(paths)), b"".join(folder + b"\0" for folder in folders), packed(entries)
    return b";".join(part.hex().encode() for part in parts)


def _is_index_unchanged(folder: str, recorded: bytes) -> bool:
    """Return whether the git index of a folder still has the entries of ``packed_index``."""
    from tokensync.system.git_index import entries_of, index_path, packed, selected

    top = folder
    while not os.path.lexists(os.path.join(top, ".git")):
        top, below = os.path.dirname(top), top
        if top == below:
            return False
    try:
        with open(index_path(top, os.environ), "rb") as file:
            entries = entries_of(file.read())
    except FileNotFoundError:
        entries = []  # nothing was added to a new repository
    paths, folders, expected = (bytes.fromhex(each.decode()) for each in recorded.split(b";"))
    chosen = {*paths.split(b"\0")}, tuple(folders.split(b"\0")[:-1])
    return entries is not None and packed(selected(entries, *chosen)) == expected


def last_build(folder: str) -> "Manifest | None":
    """Return the manifest that this user's last build of all outputs recorded here.

    Its text has the digests of the output manifest, the input and the files. They prove that the committed output
    manifest is the build's own, and not that of a branch.
    """
    try:
        return _read(folder, os.path.join(FOLDER, _OUTPUTS), folder) if _is_possible() else None
    except (OSError, OverflowError, ValueError):
        return None


def _is_possible() -> bool:
    """Return whether change times are reliable here, and results depend on files only."""
    return os.name == "posix" and not any(name.startswith("TOKENSYNC_") for name in os.environ)


def _project_above(folder: str, name: str) -> str | None:
    """Return the nearest folder with a manifest, up to the nearest configuration."""
    while not os.path.lexists(os.path.join(folder, FOLDER, name)):
        parent = os.path.dirname(folder)
        if parent == folder or os.path.lexists(os.path.join(folder, _CONFIGURATIONS[0])):
            return None
        folder = parent
    return folder


class Manifest:
    """The answer of a run, what it found absent, present, folders and files, the index that it read, and its result.

    ``numbers`` has those of all files.
    """

    def __init__(self, sections: list[bytes], numbers: memoryview) -> None:
        self.text = sections[0].decode("ascii")
        paths = (section.split(b"\0") if section else [] for section in sections[1:5])
        self.absent, self.present, self.folders, self.paths = paths
        self.index, self.result, self._digests = sections[5:]
        self.numbers = numbers

    def contents(self, folder: str) -> "dict[str, tuple[Numbers, str]]":
        """Return the numbers and the digest of each file with a recorded content, by its path below a folder."""
        paths = [os.path.join(folder, os.fsdecode(path)) for path in self.paths]
        numbers = zip(*[iter(self.numbers.tolist())] * _NUMBERS, strict=True)
        digests = self._digests.decode("ascii").split(" ")
        rows = zip(paths, numbers, digests, strict=False)
        return {path: (numbers_of_file, digest) for path, numbers_of_file, digest in rows if digest}


def _read(folder: str, name: str, here: str) -> "Manifest | None":
    """Return a manifest written here; None for any other, of which only the first section is read.

    Raises OSError and ValueError for invalid files.
    """
    descriptor = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        circumstances = _circumstances(folder, here, descriptor, name)
        size = os.fstat(descriptor).st_size
        if circumstances is None or size > _LARGEST:
            return None
        content = os.read(descriptor, size)
    finally:
        os.close(descriptor)
    start = len(_FORMAT) + 8
    end = start + int.from_bytes(content[len(_FORMAT) : start], "little")
    expected = circumstances + b"\0\0"
    if not content.startswith(_FORMAT) or not content.startswith(expected, start) or end > len(content):
        return None
    sections = content[start:end].split(b"\0\0")
    if len(sections) != _SECTIONS:
        return None
    manifest = Manifest(sections[1:], memoryview(content)[end:])
    if len(manifest.numbers) != 8 * _NUMBERS * len(manifest.paths):
        return None
    manifest.numbers = manifest.numbers.cast("q")
    return manifest


def _circumstances(folder: str, here: str, descriptor: int, of: str) -> bytes | None:
    """Return the required start of the manifest ``of``: facts of this machine, this program and a file of the project.

    Return None if they prove nothing: for links, another user's manifest, and change times without small fractions,
    which could be guessed.
    """
    state = os.lstat(os.path.join(folder, FOLDER))
    own = os.fstat(descriptor)
    path = os.path.join(folder, _CONFIGURATIONS[0])
    name = _CONFIGURATIONS[0 if os.path.lexists(path) else 1]
    if os.path.basename(of) in (_OUTPUTS, _FILES[_STAGED]):
        name = os.path.join(FOLDER, IGNORE)
    config = os.lstat(os.path.join(folder, name))
    user = os.geteuid()
    if not (S_ISDIR(state.st_mode) and S_ISREG(own.st_mode) and S_ISREG(config.st_mode) and own.st_uid == user):
        return None
    if config.st_ctime_ns % 1_000_000 == 0:
        return None
    facts = (
        *(__version__, _PACKAGE, sys.hexversion, user, here, folder, name),
        *(state.st_dev, state.st_ino, own.st_dev, own.st_ino),
        *(config.st_dev, *numbers_of(config)),
        *(filter(None, sys.path) if os.path.basename(of) in _OF_PACKAGES else ()),
    )
    return b"\0".join(os.fsencode(str(fact)) for fact in facts)


def numbers_of(status: os.stat_result) -> "Numbers":
    """Return what is compared of the status of a path."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _are_unchanged(paths: list[bytes], numbers: memoryview) -> bool:
    if len(paths) < _ENOUGH_FOR_TWO:
        return _compare(paths, numbers, 0, len(paths))
    middle = len(paths) // 2
    # System calls take nearly all of the time: 60 ms for 25,000 paths in one process.
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
    """Compare in batches, and stop at the first difference: inputs come first."""
    for at in range(start, end, _AT_ONCE):
        found = [
            number
            for each in map(os.lstat, paths[at : min(at + _AT_ONCE, end)])
            for number in (each.st_size, each.st_mtime_ns, each.st_ctime_ns, each.st_ino)
        ]
        if found != numbers[_NUMBERS * at : _NUMBERS * at + len(found)].tolist():
            return False
    return True


def _print(text: str, stream: "TextIO | None") -> int | None:
    """Write a line and return 0; return None for a closed or failing stream."""
    if stream is None or stream.closed:
        return None
    try:
        stream.write(text + "\n")
        stream.flush()
    except OSError:  # a closed pipe or a full disk, which the ordinary run reports
        return None
    return 0


class Recording:
    """A record of the files of a run, which becomes a stat manifest if everything is up to date.

    Record each path before you read its content. A recording that proves nothing, or in a folder that is not writable,
    has no effect.
    """

    def __init__(self, command: str, folder: str, config: bytes, *, option: str = "") -> None:
        """Record for a project: its folder with links resolved, and the content of its configuration.

        ``option`` is the value of ``--config``. For ``check --staged``, the configuration is that of the git index.

        Without a command, ``save`` writes the digests for ``last_build``.
        """
        self._name = _FILES.get(command, _OUTPUTS)
        self._folder = folder
        self._config = config
        self._option = option
        self._descriptor = -1
        self._temporary = ""
        self._opened: Folders | None = None
        self._state: int | None = None
        self._circumstances: bytes | None = None
        self._device = self._clock = 0
        self._absent: list[str] = []
        self._present: list[str] = []
        self._folders: dict[str, None] = {}
        self._paths: dict[str, Numbers] = {}
        self._digests: dict[str, str] = {}
        self._is_valid = False

    def __enter__(self) -> "Self":
        """Read the clock of the file system, and record the configuration."""
        try:
            if _is_possible():
                self._begin()
        except OSError:
            self._is_valid = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: "TracebackType | None"
    ) -> None:
        """Remove the temporary file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        if self._temporary:
            try:
                os.unlink(self._temporary, dir_fd=self._state)
            except OSError:  # the folder was removed
                self._temporary = ""
        if self._opened is not None:
            self._opened.close()

    def _begin(self) -> None:
        from tokensync.system.disk import Folders, create_file, temporary_file

        state = os.path.join(self._folder, FOLDER)
        if not os.path.lexists(state):
            create_file(os.path.join(state, IGNORE), IGNORE_ALL, whole=True)
        self._opened = Folders()
        name, self._state = self._opened.entry(os.path.join(state, self._name), make=True)
        self._descriptor, self._temporary = temporary_file(name, self._state)
        os.utime(self._descriptor, ns=(0, 0))
        own = os.fstat(self._descriptor)
        self._device, self._clock = own.st_dev, own.st_ctime_ns
        here = self._folder if self._name == _OUTPUTS else os.getcwd()
        fact = here if self._name == _OUTPUTS else f"{here} {self._option}"
        self._circumstances = _circumstances(self._folder, fact, self._descriptor, self._name)
        # Without change times, a file system returns the modification time, which programs can set.
        self._is_valid = self._circumstances is not None and self._clock > _MARGIN
        if self._name not in (_OUTPUTS, _FILES[_STAGED]):  # the former has digests of what was read
            self._record_configurations(here)
        self._record_work_tree()

    def _record_configurations(self, here: str) -> None:
        """Record the configuration, and the absence of a nearer one."""
        first, second = (os.path.join(self._folder, name) for name in _CONFIGURATIONS)
        path = first if os.path.lexists(first) else second
        self.file(path)
        with open(path, "rb") as file:
            self._is_valid &= file.read() == self._config
        if path == second:
            self._absent.append(first)
        while here != self._folder:
            self._absent.append(os.path.join(here, _CONFIGURATIONS[0]))
            self.optional(os.path.join(here, _CONFIGURATIONS[1]))
            here, below = os.path.dirname(here), here
            if here == below:  # not the nearest configuration
                self._is_valid = False
                return

    def _record_work_tree(self) -> None:
        """Record the top of the git work tree, which limits the paths of a configuration."""
        from tokensync.system.boundary import work_tree

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
        """Record that a path does not exist."""
        self._absent.append(path)
        self._is_valid &= not os.path.lexists(path)

    def optional(self, path: str) -> None:
        """Record a file, or that it does not exist."""
        if os.path.lexists(path):
            self.file(path)
        else:
            self.absent(path)

    def file(self, path: str, is_expected: "Callable[[int], bool]" = S_ISREG) -> None:
        """Record a file before its content is read."""
        try:
            self._record_parents(path)
            self._record(path, is_expected)
        except OSError:
            self._is_valid = False

    def content(self, path: str, status: os.stat_result, digest: str) -> None:
        """Record the digest of a file that was read after it had this status, unless a change could be invisible."""
        if status.st_ctime_ns < self._limit(status):
            self._paths[path] = numbers_of(status)
            self._digests[path] = digest

    def tree(self, path: str, suffix: str = "") -> None:
        """Record a folder, all folders below it and their files with a suffix."""
        try:
            self._record_parents(path)
            self._walk(path, suffix)
        except OSError:
            self._is_valid = False

    def listing(self, path: str) -> None:
        """Record which entries a folder has."""
        self.file(path, S_ISDIR)

    def packages(self) -> None:
        """Record the folders in which packages are installed: another one may add rules."""
        for path in filter(os.path.isdir, sys.path):
            self.listing(os.path.realpath(path))

    def discard(self) -> None:
        """Discard the recording: not everything is up to date."""
        self._is_valid = False

    def save(self, text: str, index: bytes = b"", result: bytes = b"") -> None:
        """Write the manifest with the command's answer, after it has compared everything; ``index`` is packed.

        ``result`` is JSON, which contains no zero byte.
        """
        if not text.isascii() or not text.isprintable() or "::" in text or "##" in text:  # the last two need escapes
            return
        try:
            self._record_package()
            if self._is_valid and self._circumstances is not None:
                with os.fdopen(os.dup(self._descriptor), "wb") as file:
                    digests = " ".join([self._digests.get(path, "") for path in self._paths])
                    file.write(self._content(self._circumstances, text, index, result, digests.encode()))
                os.replace(self._temporary, self._name, src_dir_fd=self._state, dst_dir_fd=self._state)
                self._temporary = ""
        except (OSError, OverflowError):
            return

    def _record_package(self) -> None:
        """Record tokensync itself and the packages that shape values, which were read before this run began."""
        from tokensync.system import resources

        self._clock -= _MARGIN
        self._walk(resources.path("templates"))
        self._walk(resources.path("config"))
        for path in resources.code_files():
            self._record(path, S_ISREG)

    def _content(self, circumstances: bytes, text: str, *parts: bytes) -> bytes:
        from array import array

        paths = map(self._joined, (self._absent, self._present, self._folders, self._paths))
        head = b"\0\0".join((circumstances, text.encode("ascii"), *paths, *parts))
        numbers = array("q", [number for path in self._paths.values() for number in path])
        return b"".join((_FORMAT, len(head).to_bytes(8, "little"), head, numbers.tobytes()))

    def _joined(self, paths: "Iterable[str]") -> bytes:
        prefix = os.path.join(self._folder, "")
        return b"\0".join(os.fsencode(path.removeprefix(prefix)) for path in paths)

    def _record_parents(self, path: str) -> None:
        """Record that each parent below the project's folder is a folder and not a link."""
        prefix = os.path.join(self._folder, "")
        if path.startswith(prefix):
            while len(path := os.path.dirname(path)) > len(prefix) and path not in self._folders:
                self._folders[path] = None
                self._is_valid &= S_ISDIR(os.lstat(path).st_mode)

    def _walk(self, folder: str, suffix: str = "") -> None:
        pending = [folder]
        while pending and self._is_valid:
            each = pending.pop()
            self._record(each, S_ISDIR)
            with os.scandir(each) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    elif entry.name.endswith(suffix):
                        self._record(entry.path, S_ISREG)

    def _record(self, path: str, is_expected: "Callable[[int], bool]") -> None:
        status = os.lstat(path)
        self._is_valid &= is_expected(status.st_mode) and status.st_ctime_ns < self._limit(status)
        self._paths[path] = numbers_of(status)

    def _limit(self, status: os.stat_result) -> int:
        return self._clock if status.st_dev == self._device else self._clock - _MARGIN
