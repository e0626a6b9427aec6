"""The configuration: tokensync.toml, or ``[tool.tokensync]`` of pyproject.toml.

Precedence: flag, ``TOKENSYNC_*`` variable, file, default. Credentials never come from here.
"""

from __future__ import annotations

import os
import re
import tomllib
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from tokensync.errors import ProblemsError, UsageError
from tokensync.problems import Problem, problem

FILE_NAME = "tokensync.toml"
PYPROJECT = "pyproject.toml"
_LONGEST = 200  # characters of a message that repeats what it is about

Steps = tuple[str | int, ...]
Fault = tuple[Steps, str]
"""The names and indices that lead to a setting, and what is wrong with it."""

# The same limits stand in config/schemas/tokensync.schema.json, which words what is wrong; a test holds both together.
Filled = Annotated[str, Meta(min_length=1)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Name = Annotated[
    str,
    Meta(pattern=r"^(?!(con|prn|aux|nul|com[0-9]|lpt[0-9])$)[a-z0-9]+(-[a-z0-9]+)*$(?!\n)", max_length=64),
]


class FileConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One design file: its name here, and its key or address."""

    name: Name
    key: Filled


class Selection(Struct, frozen=True, forbid_unknown_fields=True):
    """Globs that pick tokens by collection (handle or name), path (``a/b/c``) and theme name; empty means no say."""

    collections: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()


class OutputConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One ``[[outputs]]`` entry; ``path`` and ``templates`` are relative to the configuration file."""

    platform: Literal["css", "android", "ios"]
    path: Filled
    files: tuple[str, ...] = ()
    include: Selection = Selection()
    exclude: Selection = Selection()
    published: bool = False
    hidden: bool = True
    templates: str = ""


class TypeRuleConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One ``[[types]]`` rule; config/type-rules.toml explains the members."""

    type: Literal["color", "boolean", "string", "fontFamily", "number", "dimension", "fontWeight"]
    resolved_type: Literal["COLOR", "BOOLEAN", "STRING", "FLOAT"] | None = None
    scopes: tuple[str, ...] | None = None
    path: str | None = None
    collection: str | None = None


class ExtractConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """What a pull takes."""

    only_published: bool = False
    include_hidden: bool = True


class ClientConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """How patient the client is; times in seconds."""

    connect_timeout: Seconds = 10.0
    read_timeout: Seconds = 120.0
    attempts: Annotated[int, Meta(ge=1, le=20)] = 5
    longest_wait: Annotated[float, Meta(ge=0, le=86_400)] = 120.0


class Config(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole configuration with its defaults."""

    base_url: Filled = "figma"
    tokens: Filled = "tokens"
    files: tuple[FileConfig, ...] = ()
    themes: dict[Filled, dict[str, str]] = field(default_factory=dict)
    types: tuple[TypeRuleConfig, ...] = ()
    extract: ExtractConfig = ExtractConfig()
    client: ClientConfig = ClientConfig()
    outputs: tuple[OutputConfig, ...] = ()


class Project(Struct, frozen=True):
    """A configuration and the folder that its paths are relative to."""

    folder: str
    source: str
    config: Config

    def path(self, *parts: str) -> str:
        """A path of the project's, made absolute."""
        return os.path.normpath(os.path.join(self.folder, *parts))

    @property
    def tokens_folder(self) -> str:
        """Where the token files are."""
        return self.path(self.config.tokens)


def load_project(wanted: str | None = None) -> Project:
    """The configuration that ``wanted`` names, or that ``TOKENSYNC_CONFIG`` names, or that stands here or above.

    Raises UsageError when there is none and ProblemsError with everything that is wrong in it.
    """
    path = wanted or os.environ.get("TOKENSYNC_CONFIG") or _found_above(os.getcwd())
    if path is None:
        raise UsageError(f"{FILE_NAME}: there is none here or in a folder above; make one, or name it with --config")
    if os.path.isdir(path):
        path = _found_in(path) or os.path.join(path, FILE_NAME)
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except OSError as fault:
        raise UsageError(
            f"{path}: it cannot be read ({fault.strerror}); name the configuration with --config"
        ) from None
    folder = os.path.dirname(os.path.abspath(path))
    return Project(folder, path, _with_environment(parse_config(raw, path)))


def parse_config(raw: bytes, source: str) -> Config:
    """The configuration in these bytes; ``source`` names them in problems. Raises ProblemsError."""
    try:
        text = raw.decode("utf-8-sig")
        document: Any = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise ProblemsError([_malformed(raw, source, str(fault) or "nested too deeply")]) from None
    table: Steps = ("tool", "tokensync") if os.path.basename(source) == PYPROJECT else ()
    if table:
        tool = document.get("tool")
        document = tool.get("tokensync") if isinstance(tool, dict) else None
        if document is None:
            what = "it has no table [tool.tokensync]"
            raise ProblemsError([problem("config-invalid", source, what, "add the table, or name another file")])
    try:
        config = msgspec.convert(document, Config)
    except msgspec.ValidationError as fault:
        faults = _faults(document) or [_fault_of_decoder(str(fault))]
    else:
        faults = _faults_of_names(config)
    if faults:
        raise ProblemsError(_problems(faults, text, source, table))
    return config


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
        with open(path, "rb") as file:
            return re.search(rb"^\s*\[+\s*tool\s*\.\s*tokensync\b", file.read(), re.MULTILINE) is not None
    except OSError:
        return False


def _malformed(raw: bytes, source: str, told: str) -> Problem:
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)", told)
    where = source
    if place:
        line, column = (int(place[1]), int(place[2])) if place[1] else (raw.rstrip().count(b"\n") + 1, 1)
        where = f"{source}:{line}:{column}"
        told = told.replace(place[0], "" if place[1] else " at the end")
    return problem("config-malformed", where, f"this is not TOML ({told})", "mend the syntax")


def _faults(document: Any) -> list[Fault]:
    """Everything that the shipped schema finds: the words are better than a decoder's, and all faults are told."""
    import json

    import jsonschema

    from tokensync import resources

    schema = json.loads(resources.read_text("config", "schemas", "tokensync.schema.json"))
    found: list[Fault] = []
    for each in jsonschema.Draft7Validator(schema).iter_errors(document):
        steps = tuple(each.absolute_path)
        if each.validator == "additionalProperties":
            known = list(each.schema["properties"])
            found += [((*steps, name), _unknown(name, known)) for name in each.instance if name not in known]
        elif each.validator == "pattern":
            found.append((steps, f"{each.instance!r:.80} does not fit ({each.schema['description']})"))
        else:
            found.append((steps, each.message if len(each.message) <= _LONGEST else f"{each.message[:_LONGEST]}…"))
    return sorted(found, key=lambda fault: [str(step).rjust(5, "0") for step in fault[0]])


def _fault_of_decoder(told: str) -> Fault:
    """What the schema takes and the structs do not: a float for an integer, or a number that is none."""
    what, _, path = told.partition(" - at `$")
    steps = re.findall(r"\.(\w+)|\[(\d+)\]", path)
    return tuple(name or int(index) for name, index in steps), what


def _unknown(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    alike = get_close_matches(name, known, 1)
    return f"{name[:80]!r} is no setting" + (f", but {alike[0]!r} is" if alike else "")


def _faults_of_names(config: Config) -> list[Fault]:
    """What the shape cannot tell: names that have to be unique or known."""
    faults: list[Fault] = []
    names = [each.name for each in config.files]
    for index, name in enumerate(names):
        if name in names[:index]:
            faults.append((("files", index, "name"), f"{name!r} is the name of two files"))
    for index, output in enumerate(config.outputs):
        if unknown := sorted(set(output.files) - set(names)):
            faults.append((("outputs", index, "files"), f"no file is called {', '.join(unknown)}"))
    return faults


def _problems(faults: list[Fault], text: str, source: str, table: Steps) -> list[Problem]:
    from tokensync.places import pointer_text
    from tokensync.toml_places import nearest, toml_places

    places = toml_places(text)
    problems: list[Problem] = []
    for steps, what in faults:
        place = nearest(places, (*table, *steps))
        where = f"{source}:{place[0]}:{place[1]}" if place else source
        where = f"{where} ({pointer_text(steps)})" if steps else where
        problems.append(problem("config-invalid", where, what, "see docs/configuration.md"))
    return problems
