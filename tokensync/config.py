"""The configuration: tokensync.toml, or ``[tool.tokensync]`` of pyproject.toml.

Precedence: flag, ``TOKENSYNC_*`` variable, file, default. Credentials never come from here.
"""

from __future__ import annotations

import os
import tomllib
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from tokensync.errors import ProblemsError, UsageError
from tokensync.problems import Problem, problem

FILE_NAME = "tokensync.toml"
PYPROJECT = "pyproject.toml"

# The same limits stand in config/schemas/tokensync.schema.json, which words what is wrong; a test holds both together.
Filled = Annotated[str, Meta(min_length=1)]
Seconds = Annotated[float, Meta(gt=0)]


class FileConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One design file: its name here, and its key or address."""

    name: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
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
    options: dict[str, Any] = field(default_factory=dict)


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
    longest_wait: Annotated[float, Meta(ge=0)] = 120.0


class Config(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole configuration with its defaults."""

    base_url: Filled = "figma"
    tokens: Filled = "tokens"
    files: tuple[FileConfig, ...] = ()
    themes: dict[str, dict[str, str]] = field(default_factory=dict)
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
        path = os.path.join(path, FILE_NAME)
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except OSError as fault:
        raise UsageError(f"{path}: it cannot be read ({fault.strerror}); name the configuration with --config") from None
    folder = os.path.dirname(os.path.abspath(path))
    return Project(folder, path, _with_environment(parse_config(raw, path)))


def parse_config(raw: bytes, source: str) -> Config:
    """The configuration in these bytes; ``source`` names them in problems. Raises ProblemsError."""
    try:
        document = tomllib.loads(raw.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        what = f"this is not TOML ({str(fault) or 'nested too deeply'})"
        raise ProblemsError([problem("config-malformed", source, what, "mend the syntax")]) from None
    if os.path.basename(source) == PYPROJECT:
        document = document.get("tool", {}).get("tokensync", {})
    try:
        config = msgspec.convert(document, Config)
    except msgspec.ValidationError as fault:
        raise ProblemsError(_faults(document, source, str(fault))) from None
    if problems := _faults_of_names(config, source):
        raise ProblemsError(problems)
    return config


def _with_environment(config: Config) -> Config:
    base_url = os.environ.get("TOKENSYNC_BASE_URL")
    return msgspec.structs.replace(config, base_url=base_url) if base_url else config


def _found_above(folder: str) -> str | None:
    while True:
        path = os.path.join(folder, FILE_NAME)
        if os.path.isfile(path):
            return path
        pyproject = os.path.join(folder, PYPROJECT)
        if os.path.isfile(pyproject) and _has_table(pyproject):
            return pyproject
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _has_table(path: str) -> bool:
    with open(path, "rb") as file:
        return b"[tool.tokensync" in file.read()


def _faults(document: dict[str, Any], source: str, told: str) -> list[Problem]:
    """Everything that the shipped schema finds: the words are its own, and better than "first error at"."""
    import json

    import jsonschema

    from tokensync import resources

    schema = json.loads(resources.read_text("config", "schemas", "tokensync.schema.json"))
    validator = jsonschema.Draft7Validator(schema)
    faults = sorted(validator.iter_errors(document), key=lambda each: [str(part) for part in each.absolute_path])
    problems = [_fault(source, list(each.absolute_path), each.message) for each in faults]
    return problems or [_fault(source, [], told)]


def _faults_of_names(config: Config, source: str) -> list[Problem]:
    """What the shape cannot tell: names that have to be unique or known."""
    problems: list[Problem] = []
    names = [each.name for each in config.files]
    for index, name in enumerate(names):
        if name in names[:index]:
            problems.append(_fault(source, ["files", index, "name"], f"{name!r} is the name of two files"))
    for index, output in enumerate(config.outputs):
        unknown = sorted(set(output.files) - set(names))
        if unknown:
            problems.append(_fault(source, ["outputs", index, "files"], f"no file is called {', '.join(unknown)}"))
    return problems


def _fault(source: str, pointer: list[str | int], what: str) -> Problem:
    where = f"{source} (/{'/'.join(str(each) for each in pointer)})" if pointer else source
    return problem("config-invalid", where, what, "see docs/configuration.md")
