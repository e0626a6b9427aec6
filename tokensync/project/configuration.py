"""The configuration: tokensync.toml, or ``[tool.tokensync]`` of pyproject.toml.

Precedence: flag, ``TOKENSYNC_*`` variable, file, default. Credentials never come from here.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from posixpath import normpath
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct

from tokensync.boundary import Boundary, flaw_of, is_within, work_tree
from tokensync.disk import open_file
from tokensync.errors import ProblemsError, UsageError
from tokensync.problems import Problem, problem
from tokensync.settings import Config
from tokensync.targets import NAMES, target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

FILE_NAME = "tokensync.toml"
PYPROJECT = "pyproject.toml"
ALLOW_OUTSIDE_VARIABLE = "TOKENSYNC_ALLOW_OUTSIDE"
_LONGEST = 200  # characters of a message that repeats what it is about

_READ_ON = "see docs/configuration.md"

Steps = tuple[str | int, ...]
"""The names and indices that lead to a value; the n-th ``[[outputs]]`` is ``("outputs", n)``, from 0."""


class Fault(NamedTuple):
    """The names and indices that lead to a setting, what is wrong with it, and what to do."""

    steps: Steps
    what: str
    what_to_do: str = _READ_ON


def parse_config(raw: bytes, source: str) -> Config:
    """Return the configuration in these bytes; ``source`` names them in problems. Raises ProblemsError."""
    document = _document(raw, source)
    try:
        config = msgspec.convert(document, Config)
    except msgspec.ValidationError as fault:
        faults = _faults(document, "tokensync.schema.json") or [_fault_of_decoder(str(fault))]
    else:
        faults = _faults_of_names(config) or _faults_of_paths(config) + _faults_of_options(config)
    if faults:
        raise ProblemsError(located(faults, raw, source, "config-invalid"))
    return config


def located(faults: Sequence[Fault], raw: bytes, source: str, code: str) -> list[Problem]:
    """Make problems of faults in a configuration: each with the line and column of its setting."""
    where = locator(raw, source)
    return [problem(code, where(steps), what, what_to_do) for steps, what, what_to_do in faults]


def locator(raw: bytes, source: str) -> Callable[[Steps], str]:
    """Return what tells the line and column of each setting of a configuration, which is parsed once for them all."""
    from tokensync.positions import pointer_text

    positions = toml_positions(raw.decode("utf-8-sig"))

    def where(steps: Steps) -> str:
        position = nearest(positions, (*_table_steps(source), *steps))
        found = f"{source}:{position[0]}:{position[1]}" if position else source
        return f"{found} ({pointer_text(steps)})" if steps else found

    return where


def _document(raw: bytes, source: str) -> Any:
    try:
        document: Any = tomllib.loads(raw.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise ProblemsError([_malformed(raw, source, str(fault) or "nested too deeply")]) from None
    if not _table_steps(source):
        return document
    tool = document.get("tool")
    table = tool.get("tokensync") if isinstance(tool, dict) else None
    if table is None:
        what = "it has no table [tool.tokensync]"
        raise ProblemsError([problem("config-invalid", source, what, "add the table, or name another file")])
    return table


def _table_steps(source: str) -> Steps:
    """Return the table of a file that holds the configuration; nothing where it is the whole file."""
    return ("tool", "tokensync") if os.path.basename(source) == PYPROJECT else ()


def _malformed(raw: bytes, source: str, reason: str) -> Problem:
    position = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)", reason)
    where = source
    if position:
        line, column = (int(position[1]), int(position[2])) if position[1] else (raw.rstrip().count(b"\n") + 1, 1)
        where = f"{source}:{line}:{column}"
        reason = reason.replace(position[0], "" if position[1] else " at the end")
    return problem("config-malformed", where, f"this is not TOML ({reason})", "correct the syntax")


def _faults(document: Any, *schema_path: str) -> list[Fault]:
    """Return everything that a shipped schema finds: all faults at once, in better words than a decoder's."""
    import json

    import jsonschema

    from tokensync import resources

    schema = json.loads(resources.read_text("config", "schemas", *schema_path))
    found: list[Fault] = []
    for each in jsonschema.Draft7Validator(schema).iter_errors(document):
        steps = tuple(each.absolute_path)
        if each.validator == "additionalProperties":
            known = list(each.schema["properties"])
            found += [Fault((*steps, name), _unknown(name, known)) for name in each.instance if name not in known]
        elif each.validator == "pattern":
            wanted = each.schema.get("description", each.validator_value).rstrip(".")
            found.append(Fault(steps, f"{each.instance!r:.80} does not fit ({wanted[:1].lower()}{wanted[1:]})"))
        else:
            message = each.message if len(each.message) <= _LONGEST else f"{each.message[:_LONGEST]}…"
            found.append(Fault(steps, message))
    return sorted(found, key=lambda fault: [str(step).rjust(5, "0") for step in fault.steps])


def _fault_of_decoder(reason: str) -> Fault:
    """Return what the schema takes and the structs do not: a float for an integer, or a number that is none."""
    what, _, path = reason.partition(" - at `$")
    steps = re.findall(r"\.(\w+)|\[(\d+)\]", path)
    return Fault(tuple(name or int(index) for name, index in steps), what)


def _unknown(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    alike = get_close_matches(name, known, 1)
    return f"{name[:80]!r} is no setting" + (f", but {alike[0]!r} is" if alike else "")


def _faults_of_names(config: Config) -> list[Fault]:
    """Return what the shape cannot tell: names that have to be unique or known."""
    faults: list[Fault] = []
    names = [each.name for each in config.files]
    for index, name in enumerate(names):
        if name in names[:index]:
            faults.append(Fault(("files", index, "name"), f"{name!r} is the name of two files"))
    for index, output in enumerate(config.outputs):
        if output.platform not in NAMES:
            faults.append(Fault(("outputs", index, "platform"), f"{output.platform!r:.80} is not one of {list(NAMES)}"))
        if unknown := sorted(set(output.files) - set(names)):
            faults.append(Fault(("outputs", index, "files"), f"no file is called {', '.join(unknown)}"))
    return faults


def _faults_of_paths(config: Config) -> list[Fault]:
    """Find texts that no system, or only some, can use as a path."""
    return [
        Fault(steps, f"{path!r:.200}: {flaw.what}", flaw.what_to_do)
        for steps, path in paths_in(config)
        if normpath(path) != "." and (flaw := flaw_of(normpath(path), climbs=True))
    ]


def paths_in(config: Config) -> list[tuple[Steps, str]]:
    """List the folders that a configuration names: of token files, outputs and templates."""
    paths: list[tuple[Steps, str]] = [(("tokens",), config.tokens)]
    for index, output in enumerate(config.outputs):
        paths.append((("outputs", index, "path"), output.path))
        if output.templates:
            paths.append((("outputs", index, "templates"), output.templates))
    return paths


def typed_options(platform: str, table: Mapping[str, Any]) -> Struct:
    """Return options as the struct of their target. Raises msgspec.ValidationError for what does not fit."""
    return msgspec.convert(table, target(platform).options)


def _faults_of_options(config: Config) -> list[Fault]:
    """Return what does not fit the options of an output's platform."""
    faults: list[Fault] = []
    for index, output in enumerate(config.outputs):
        try:
            options = typed_options(output.platform, output.options)
            find = getattr(options, "faults", tuple)  # what no schema can tell
            found = [Fault(*each) for each in find()]
        except msgspec.ValidationError as fault:
            found = _faults(output.options, "options", f"{output.platform}.schema.json")
            found = found or [_fault_of_decoder(str(fault))]
        faults += [each._replace(steps=("outputs", index, "options", *each.steps)) for each in found]
    return faults


class Project(Struct, frozen=True):
    """A configuration and the folder that its paths are relative to.

    ``allow_outside`` is the user's word that these may lead out of the git work tree; ``text`` is the file as read.
    """

    folder: str
    source: str
    config: Config
    allow_outside: bool = False
    text: bytes = b""

    def path(self, *parts: str) -> str:
        """Return a path of the project's, made absolute."""
        return os.path.normpath(os.path.join(self.folder, *parts))

    def shown(self, text: str) -> str:
        """Return a position without the project's folder before it: the same on every machine."""
        return text.removeprefix(os.path.join(self.folder, ""))

    @property
    def tokens_folder(self) -> str:
        """Return where the token files are."""
        return self.path(self.config.tokens)

    @property
    def boundary(self) -> Boundary:
        """Return where outputs and templates may be."""
        top = work_tree(self.folder)
        name = "the git work tree" if top else "the project"
        project = os.path.realpath(self.folder)
        tokens = os.path.realpath(self.tokens_folder)
        if is_within(project, tokens):  # then only the token files themselves are not for outputs
            names = [end for each in self.config.files for end in (each.name, f"{each.name}.resolver.json")]
            folders = tuple(os.path.join(tokens, name) for name in names)
        else:
            folders = (tokens,)
        return Boundary(top or project, name, folders, self.allow_outside)

    def refuse_strays(self, *settings: str) -> None:
        """Raise ProblemsError for paths that a checkout may not choose: of ``tokens``, or the ``path`` of outputs and
        their ``templates``, all of these settings at once.
        """
        boundary = self.boundary
        faults: list[Fault] = []
        for steps, path in paths_in(self.config):
            if steps[-1] in settings:
                bounds = boundary._replace(tokens=()) if steps == ("tokens",) else boundary
                if flaw := bounds.flaw(self.path(path)):
                    faults.append(Fault(steps, f"{path!r:.200}: {flaw.what}", flaw.what_to_do))
        if faults:
            raise ProblemsError(located(faults, self.text, self.source, "path-refused"))


def load_project(wanted: str | None = None, *, allow_outside: bool = False) -> Project:
    """Return the configuration that ``wanted`` names, or that ``TOKENSYNC_CONFIG`` names, or that stands here or above.

    ``allow_outside``, or ``TOKENSYNC_ALLOW_OUTSIDE=1``, lets its paths lead out of the git work tree. Raises UsageError
    when there is none and ProblemsError with everything that is wrong in it.
    """
    path = wanted or os.environ.get("TOKENSYNC_CONFIG") or _found_above(os.getcwd())
    if path is None:
        raise UsageError(f"{FILE_NAME}: there is none here or in a folder above; make one, or name it with --config")
    if os.path.isdir(path):
        path = _found_in(path) or os.path.join(path, FILE_NAME)
    try:
        with open_file(path) as file:
            raw = file.read()
    except OSError as fault:
        raise UsageError(
            f"{path}: it cannot be read ({fault.strerror}); name the configuration with --config"
        ) from None
    folder = os.path.realpath(os.path.dirname(path))  # so that "..", in the text and for the system, is one position
    config = _with_environment(parse_config(raw, path))
    project = Project(folder, path, config, allow_outside or outside_is_allowed(), raw)
    project.refuse_strays("tokens")
    return project


def outside_is_allowed() -> bool:
    """Return whether the user's environment allows paths of a checkout to lead out of its git work tree.

    Raises UsageError for a value that is neither 1 nor 0: whoever set it would wait for its effect in vain.
    """
    value = os.environ.get(ALLOW_OUTSIDE_VARIABLE, "")
    if value not in ("", "0", "1"):
        raise UsageError(f"{ALLOW_OUTSIDE_VARIABLE}: {value!r:.80} is neither 1 nor 0; set it to 1 to allow that")
    return value == "1"


def _with_environment(config: Config) -> Config:
    base_url = os.environ.get("TOKENSYNC_BASE_URL")
    return msgspec.structs.replace(config, base_url=base_url) if base_url else config


def _found_above(folder: str) -> str | None:
    while (path := _found_in(folder)) is None:
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return path


def _found_in(folder: str) -> str | None:
    path = os.path.join(folder, FILE_NAME)
    if os.path.isfile(path):
        return path
    pyproject = os.path.join(folder, PYPROJECT)
    return pyproject if os.path.isfile(pyproject) and _has_table(pyproject) else None


def _has_table(path: str) -> bool:
    try:
        with open_file(path) as file:
            return re.search(rb"^\s*\[+\s*tool\s*\.\s*tokensync\b", file.read(), re.MULTILINE) is not None
    except OSError:
        return False


_LEXEME = re.compile(
    r"""
    (?P<comment>\#[^\n]*) | (?P<space>[^\S\n]+)
    | (?P<text>\"{3}(?:[^\\]|\\.)*?\"{3,5} | '{3}.*?'{3,5} | "(?:[^"\\\n]|\\.)*" | '[^'\n]*')
    | (?P<mark>[\[\]{}=.\n]) | (?P<bare>[^\s\#"'\[\]{}=.]+)
    """,
    re.DOTALL | re.VERBOSE,
)


def toml_positions(text: str) -> dict[Steps, tuple[int, int]]:
    """Return the line and column, both from 1, of every table and of every key outside arrays and inline tables."""
    positions: dict[Steps, tuple[int, int]] = {}
    table: Steps = ()
    lengths: dict[Steps, int] = {}
    for line, column, brackets, names in _statements(text):
        if brackets:
            table = _table_of(names, brackets == 2, lengths)
            steps = table
        else:
            steps = (*table, *names)
        for length in range(1, len(steps) + 1):
            positions.setdefault(steps[:length], (line, column))
    return positions


def nearest(positions: Mapping[Steps, tuple[int, int]], steps: Steps) -> tuple[int, int] | None:
    """Return the position of a value, or of the nearest one around it that has one; None for the text as a whole."""
    for length in range(len(steps), 0, -1):
        if position := positions.get(steps[:length]):
            return position
    return None


def _table_of(names: list[str], is_array: bool, lengths: dict[Steps, int]) -> Steps:
    """Return the steps of a table's header; within an array of tables it belongs to the last one so far."""
    steps: Steps = ()
    for name in names[:-1]:
        steps = (*steps, name)
        if steps in lengths:
            steps = (*steps, lengths[steps] - 1)
    steps = (*steps, names[-1])
    if is_array:
        lengths[steps] = lengths.get(steps, 0) + 1
        steps = (*steps, lengths[steps] - 1)
    return steps


def _statements(text: str) -> Iterator[tuple[int, int, int, list[str]]]:
    """Yield each header and each key: line, column, how many brackets it opens with (0 for a key), and its names."""
    line, line_start, depth = 1, 0, 0
    position = (0, 0)
    names: list[str] = []
    brackets, in_value = 0, False
    for lexeme in _LEXEME.finditer(text):
        kind, part = lexeme.lastgroup, lexeme[0]
        if part == "\n" and depth == 0:
            names, brackets, in_value = [], 0, False
        elif in_value:
            depth += (part in ("[", "{")) - (part in ("]", "}")) if kind == "mark" else 0
        elif kind in ("bare", "text") or part == "[":
            if not names and not brackets:
                position = (line, lexeme.start() - line_start + 1)
            if part == "[":
                brackets += 1
            else:
                names.append(_name(part))
        elif part in ("=", "]") and names:
            yield *position, brackets, names
            in_value = True
            depth = max(brackets - 1, 0)  # the second bracket of an array of tables closes after this
        if newlines := part.count("\n"):
            line += newlines
            line_start = lexeme.start() + part.rindex("\n") + 1


def _name(written: str) -> str:
    if written.startswith("'"):
        return written[1:-1]
    if written.startswith('"'):
        try:
            return str(json.loads(written))
        except ValueError:  # an escape that TOML has and JSON has not
            return written[1:-1]
    return written
