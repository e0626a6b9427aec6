"""The configuration: tokensync.toml, or ``[tool.tokensync]`` of pyproject.toml.

Precedence: option, ``TOKENSYNC_*`` variable, file, default. It contains no credentials.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from fnmatch import fnmatchcase
from posixpath import normpath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from tokensync.generate.targets import NAMES, is_target, plugged, target
from tokensync.normalize.mapping import slug
from tokensync.project.accepted import Accepted, can_be_accepted, keys_of, read_accepted
from tokensync.project.toml_text import Steps, nearest, toml_positions
from tokensync.settings import CodeSyntaxConfig, Config, LintConfig, ProblemLevels
from tokensync.system import plugins
from tokensync.system.boundary import Boundary, flaw_of, is_within, resolved_source, work_tree
from tokensync.system.disk import open_file
from tokensync.system.errors import DECODE_ERRORS, ConfigurationError, ProblemsError, UsageError
from tokensync.system.positions import CONFLICT, RESOLVE, conflict_in, line_and_column, pointer_of_error
from tokensync.system.problems import CODES, LEVELS, Level, Problem, problem
from tokensync.system.wording import NAME, shortened, suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from jsonschema import ValidationError


FILE_NAME = "tokensync.toml"
PYPROJECT = "pyproject.toml"
ALLOW_OUTSIDE_VARIABLE = "TOKENSYNC_ALLOW_OUTSIDE"
BASE_URL_VARIABLE = "TOKENSYNC_BASE_URL"
CONFIG_VARIABLE = "TOKENSYNC_CONFIG"
_READ_ON = "see docs/configuration.md"
_MOST_PATTERNS = 50
_TYPE_NAMES = {
    "object": "a table",
    "array": "an array",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
}
"""The TOML types, by their names in JSON Schema."""
_PYTHON_TYPE_NAMES = {
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    str: "a string",
    list: "an array",
    dict: "a table",
}


class InvalidSetting(NamedTuple):
    """The path of an invalid setting, the error, and the remedy."""

    steps: Steps
    what: str
    what_to_do: str = _READ_ON


def parse_config(raw: bytes, source: str) -> Config:
    """Return the configuration in TOML; ``source`` names the file in problems.

    Raises ConfigurationError with all errors.
    """
    document = _document(raw, source)
    try:
        config = msgspec.convert(document, Config)
    except msgspec.ValidationError as error:
        invalid = _schema_errors(document, "tokensync.schema.json") or [_decoder_error(document, error)]
    else:
        invalid = _invalid_names(config) or [
            *_invalid_rows(config),
            *_invalid_fonts(config),
            *_invalid_outputs(config),
            *_invalid_values(config),
        ]
        invalid += [InvalidSetting(("problems", *steps), *texts) for steps, *texts in _invalid_levels(config.problems)]
    if invalid:
        raise ConfigurationError(_problems(invalid, raw, source, "config-invalid"))
    return config


def _problems(invalid: Sequence[InvalidSetting], raw: bytes, source: str, code: str) -> list[Problem]:
    where = locator(raw, source)
    return [problem(code, where(steps), what, what_to_do) for steps, what, what_to_do in invalid]


def locator(raw: bytes, source: str) -> Callable[[Steps], str]:
    """Return a function from a setting's path to its location (``file:line:column (JSON pointer)``)."""
    from tokensync.system.positions import pointer_text

    positions = toml_positions(raw.decode("utf-8-sig"))

    def location(steps: Steps) -> str:
        position = nearest(positions, (*table_steps(source), *steps))
        line = f"{source}:{position[0]}:{position[1]}" if position else source
        return f"{line} ({pointer_text(steps)})" if steps else line

    return location


def _document(raw: bytes, source: str) -> Any:
    try:
        document: Any = toml_document(raw, source, "config-malformed", "correct the syntax")
    except ProblemsError as stop:
        raise ConfigurationError(stop.problems) from None
    if not table_steps(source):
        return document
    tool = document.get("tool")
    table = tool.get("tokensync") if isinstance(tool, dict) else None
    if table is None:
        what = "there is no table [tool.tokensync]"
        raise ConfigurationError([problem("config-invalid", source, what, "add the table, or select another file")])
    return table


def toml_document(raw: bytes, source: str, code: str, to_do: str) -> dict[str, Any]:
    """Return a TOML document. Raises ProblemsError with a problem of this code for anything else."""
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except DECODE_ERRORS as error:  # not TOML, not UTF-8, or an integer with thousands of digits
        if (start := conflict_in(raw)) is not None:
            where = f"{source}:{line_and_column(raw, start)[0]}"
            raise ProblemsError([problem("conflict-marks", where, CONFLICT, RESOLVE.format("lines"))]) from None
        where, reason = error_location(raw, source, error)
        raise ProblemsError([problem(code, where, f"this is not valid TOML ({reason})", to_do)]) from None


def table_steps(source: str) -> Steps:
    """Return the path of the table that contains the configuration; empty if the whole file does."""
    return ("tool", "tokensync") if os.path.basename(source) == PYPROJECT else ()


_UNLOCATED = re.compile(rb"[0-9_]{4300,}|(?:[\[{][^\[\]{}]*){100,}")
"""An integer that Python does not convert, or deep nesting."""


def error_location(raw: bytes, source: str, error: Exception) -> tuple[str, str]:
    """Return the location of a decoding error, as far as its message has it, and the rest of the message."""
    if isinstance(error, UnicodeDecodeError):
        line, column = line_and_column(raw, error.start)
        return f"{source}:{line}:{column}", f"byte 0x{raw[error.start]:02x} is not UTF-8"
    reason = str(error) or "nested too deeply"
    position = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)", reason)
    if position is None:  # tomllib does not say where
        found = _UNLOCATED.search(raw)
        line = raw.count(b"\n", 0, found.start()) + 1 if found else 0
        return f"{source}:{line}" if found else source, reason
    line, column = (int(position[1]), int(position[2])) if position[1] else (raw.rstrip().count(b"\n") + 1, 1)
    return f"{source}:{line}:{column}", reason.replace(position[0], "" if position[1] else " at the end")


def _schema_errors(document: Any, *schema_path: str) -> list[InvalidSetting]:
    """Return all errors that a shipped JSON schema finds, where msgspec reports only the first.

    An integer with thousands of digits, which jsonschema cannot print, has no errors here.
    """
    import jsonschema

    from tokensync.system import resources

    schema = json.loads(resources.read_text("config", "schemas", *schema_path))
    try:
        found = list(jsonschema.Draft7Validator(schema).iter_errors(document))
    except ValueError:
        return []
    invalid: list[InvalidSetting] = []
    for error in filter(_is_reported, found):
        steps, value, limit = tuple(error.absolute_path), error.instance, error.validator_value
        if "propertyNames" in error.absolute_schema_path:
            steps = (*steps, value)
        match error.validator:
            case "additionalProperties":
                names = list(error.schema["properties"])
                invalid += [
                    InvalidSetting((*steps, name), f"unknown setting {name[:80]!r}", suggestion(name, names))
                    for name in value
                    if name not in names and not (steps == ("problems",) and _is_plugged(name))
                ]
            case "required":
                what = f"{error.message.removesuffix(' is a required property')} is missing"
                invalid.append(InvalidSetting(steps, what, "add it"))
            case "enum" | "anyOf":
                invalid.append(_unknown_value(steps, value, limit))
            case "type":
                invalid.append(_type_error(steps, value, [limit] if isinstance(limit, str) else limit))
            case "minLength":
                invalid.append(InvalidSetting(steps, "it is empty", "enter a value"))
            case "maxLength":
                what = f"{value!r:.80} has {len(value)} characters"
                invalid.append(InvalidSetting(steps, what, f"use at most {limit}"))
            case "minimum" | "maximum" | "exclusiveMinimum":
                size = "large" if error.validator == "maximum" else "small"
                invalid.append(
                    InvalidSetting(steps, f"{_toml(value):.80} is too {size}", f"use {_range(error.schema)}")
                )
            case "pattern":
                invalid.append(_pattern_error(steps, value, error.schema))
            case _:
                invalid.append(InvalidSetting(steps, shortened(error.message, 200)))
    return sorted(invalid, key=lambda each: [str(step).rjust(5, "0") for step in each.steps])


def _is_reported(error: Any) -> bool:
    """Return whether an error is one for people: a value of a wrong type is not an allowed value, either."""
    if error.validator == "type":
        return "enum" not in error.schema
    return error.validator != "enum" or not _is_plugged_platform(error)


def _type_error(steps: Steps, value: Any, types: Sequence[str]) -> InvalidSetting:
    expected = " or ".join(_TYPE_NAMES[type_] for type_ in types)
    actual = _PYTHON_TYPE_NAMES.get(type(value), "a date or time")
    remedy = _READ_ON
    if isinstance(value, dict) and "array" in types:
        remedy = "write its header in double brackets, [[ ]]"
    elif isinstance(value, list) and "object" in types:
        remedy = "write it as one table, with a header in single brackets, [ ]"
    elif (rewritten := _rewritten(value, types)) is not None:
        remedy = f"write {_toml(rewritten)}"
    return InvalidSetting(steps, f"expected {expected}, found {actual}", remedy)


def _rewritten(value: Any, types: Sequence[str]) -> Any:
    """Return a short value as one of these types; None if it cannot be converted."""
    if isinstance(value, float) and value.is_integer() and "integer" in types:
        return int(value)
    if isinstance(value, (bool, int, float)) and "string" in types:
        return text if len(text := _toml(value)) <= NAME else None
    if not isinstance(value, str) or len(value) > NAME:
        return None
    if "array" in types:
        return [value]
    try:
        parsed = tomllib.loads(f"value = {value.strip().removesuffix('px')}")["value"]
    except tomllib.TOMLDecodeError:
        return None
    kinds = {"integer": (int,), "number": (int, float), "boolean": (bool,)}
    return parsed if type(parsed) in [kind for type_ in types for kind in kinds.get(type_, ())] else None


def _toml(value: Any) -> str:
    """Return a string, number, boolean or array of strings as TOML; these look the same in JSON."""
    return json.dumps(value, ensure_ascii=False)


def _unknown_value(steps: Steps, value: Any, allowed: Sequence[str | Mapping[str, Any]]) -> InvalidSetting:
    """Return the error of a value that is not one of ``allowed``: texts, or schemas of texts and of a number."""
    schemas = [each for each in allowed if not isinstance(each, str)]
    if schemas:
        texts = [_toml(text) for schema in schemas for text in schema.get("enum", ())]
        number = next(_range(schema) for schema in schemas if "enum" not in schema)
        return InvalidSetting(steps, f"unknown value {_toml(value):.80}", f"use {', '.join(texts)}, or {number}")
    texts = [each for each in allowed if isinstance(each, str)]
    shown = _toml(value) if isinstance(value, bool) else repr(value)
    return InvalidSetting(steps, f"unknown value {shown:.80}", suggestion(str(value), texts, quoted=True))


def _range(schema: Mapping[str, Any]) -> str:
    smallest, above, largest = (schema.get(each) for each in ("minimum", "exclusiveMinimum", "maximum"))
    low = f"at least {smallest}" if above is None else f"more than {above}"
    return low if largest is None else f"{low} and at most {largest}"


def _pattern_error(steps: Steps, value: str, schema: Mapping[str, Any]) -> InvalidSetting:
    description = schema.get("description", "").rstrip(".")
    what = f"{value!r:.80} is not allowed"
    if description:
        what += f" ({description[:1].lower()}{description[1:]})"
    words = slug(value, "").split("-")
    forbids_characters = schema["pattern"].startswith("^[^")
    beginning = re.match(schema["pattern"].partition("$")[0], value) if forbids_characters else None
    text = beginning[0].strip() if beginning else ""
    candidates = (text, "-".join(words), "_".join(words), "".join(word[:1].upper() + word[1:] for word in words))
    valid = [candidate for candidate in candidates if candidate and re.search(schema["pattern"], candidate)]
    return InvalidSetting(steps, what, f"write {_toml(valid[0])}" if valid else _READ_ON)


def _decoder_error(document: Any, error: msgspec.ValidationError) -> InvalidSetting:
    """Return the error of a value that only msgspec refuses: a float for an integer, or ``nan``."""
    what = str(error).partition(" - at `$")[0]
    steps = pointer_of_error(error)
    value = document
    for step in steps:
        value = value[step]
    if isinstance(value, float) and value.is_integer():
        return _type_error(steps, value, ["integer"])
    return InvalidSetting(steps, re.sub("^Expected `float`", "expected a number", what))


def _invalid_names(config: Config) -> list[InvalidSetting]:
    """Return repeated and unknown names, and keys that refer to no design file, which the schema cannot find."""
    invalid: list[InvalidSetting] = []
    names = [file.name for file in config.files]
    for index, name in enumerate(names):
        if name in names[:index]:
            what = f"{name!r} is the name of two design files"
            invalid.append(InvalidSetting(("files", index, "name"), what, "rename one of them"))
    for index, output in enumerate(config.outputs):
        if not is_target(output.platform):
            invalid.append(_unknown_value(("outputs", index, "platform"), output.platform, (*NAMES, *plugged())))
        for position, name in enumerate(output.files):
            if name not in names:
                invalid.append(_unknown_file(("outputs", index, "files", position), name, names))
    for index, file in enumerate(config.files):
        if not _PLAIN_KEY.fullmatch(file.key):
            from tokensync.extract.client.addresses import flaw_of_file

            if (flaw := flaw_of_file(file.key)) is not None:
                invalid.append(InvalidSetting(("files", index, "key"), *flaw))
    return invalid


def _unknown_file(steps: Steps, name: str, names: Sequence[str]) -> InvalidSetting:
    remedy = suggestion(name, names, quoted=True) if names else "add it to [[files]]"
    return InvalidSetting(steps, f"unknown design file {name!r:.80}", remedy)


_PLAIN_KEY = re.compile("[A-Za-z0-9]{1,128}")


def _invalid_rows(config: Config) -> Iterator[InvalidSetting]:
    """Yield the rows of tables that can have no effect."""
    for index, entry in enumerate(config.allow):
        if entry.share < 1 and entry.finding != "change much":
            yield InvalidSetting(("allow", index, "share"), 'only "change much" has a threshold', "remove it")
    for index, each in enumerate(config.moved):
        if each.kind != "collection" and not each.collection:
            what = f"'collection' is missing, which a {each.kind} needs"
            yield InvalidSetting(("moved", index), what, f"add the handle of the collection of {each.to!r:.80}")
        if each.kind == "collection" and each.collection:
            yield InvalidSetting(("moved", index, "collection"), "a collection is in no other collection", "remove it")
        if each.from_ == each.to:
            what = f"{each.to!r:.80} is both the former and the present name"
            yield InvalidSetting(("moved", index, "from"), what, "enter the former name, or remove the entry")
    names = [file.name for file in config.files]
    for table, files in (
        ("moved", [moved.file for moved in config.moved]),
        ("allow", [allow.file for allow in config.allow]),
    ):
        for index, name in enumerate(files):
            if name and name not in names:
                yield _unknown_file((table, index, "file"), name, names)
    yield from _idle_rules(config.lint)


def _idle_rules(lint: LintConfig) -> Iterator[InvalidSetting]:
    for table in ("contrast", "naming", "scales", "vision"):
        for index, entry in enumerate(getattr(lint, table)):
            for member in ("foreground", "background", "match"):
                if getattr(entry, member, None) == ():
                    what, to_do = "it is empty", "name the tokens by globs for COLLECTION/PATH"
                    yield InvalidSetting(("lint", table, index, member), what, to_do)
            for members in (("case", "names"), ("step", "values")):
                if not any(getattr(entry, member, True) for member in members):
                    what = f"it has neither {members[0]} nor {members[1]}"
                    yield InvalidSetting(("lint", table, index), what, f"add {members[0]} or {members[1]}")


def _invalid_fonts(config: Config) -> Iterator[InvalidSetting]:
    """Yield repeated families, and repeated faces of one family."""
    families = [font.family.casefold() for font in config.fonts]
    for index, font in enumerate(config.fonts):
        if families[index] in families[:index]:
            what = f"{font.family!r:.80} is the family of two entries"
            yield InvalidSetting(("fonts", index, "family"), what, "write its faces into one entry")
        faces = [(face.weight, face.italic) for face in font.faces]
        for position, face in enumerate(faces):
            if face in faces[:position]:
                what = f"two faces of {font.family!r:.80} have this weight and slant"
                yield InvalidSetting(("fonts", index, "faces", position), what, "remove one of them")


_UNITS = {"number": ("opacity", "percent", "fraction"), "dimension": ("rem",), "duration": ("ms", "s")}


def _invalid_values(config: Config) -> Iterator[InvalidSetting]:
    """Yield units, rules for composites, and patterns and texts for code syntax that cannot be right."""
    for index, rule in enumerate(config.types):
        allowed = _UNITS.get(rule.type, ())
        if rule.unit is not None and rule.unit not in allowed:
            to_do = f"write {' or '.join(map(_toml, allowed))}" if allowed else "remove it"
            yield InvalidSetting(("types", index, "unit"), f"{rule.unit} is not a unit of a {rule.type}", to_do)
    if config.composites:
        from tokensync.normalize.composites import flaws

        for index, composite in enumerate(config.composites):
            for steps, what, to_do in flaws(composite):
                yield InvalidSetting(("composites", index, *steps), what, to_do)
    if config.code_syntax == CodeSyntaxConfig():
        return
    from tokensync.generate.naming import pattern_flaw, written_flaw

    for syntax, table in config.code_syntax.by_platform().items():
        platform = syntax.lower()
        if len(table.read) > _MOST_PATTERNS:
            what = f"there are {len(table.read)} patterns"
            yield InvalidSetting(("code_syntax", platform, "read"), what, f"use at most {_MOST_PATTERNS}")
        for index, pattern in enumerate(table.read):
            if (flaw := pattern_flaw(pattern, syntax)) is not None:
                yield InvalidSetting(("code_syntax", platform, "read", index), *flaw)
        if table.write and (flaw := written_flaw(table.write, syntax)):
            yield InvalidSetting(("code_syntax", platform, "write"), *flaw)


def _paths(config: Config) -> list[tuple[Steps, str]]:
    paths: list[tuple[Steps, str]] = [(("tokens",), config.tokens)]
    for index, output in enumerate(config.outputs):
        paths.append((("outputs", index, "path"), output.path))
        if output.templates:
            paths.append((("outputs", index, "templates"), output.templates))
    return paths


def typed_options(platform: str, table: Mapping[str, Any]) -> Struct:
    """Return options as the struct of their target. Raises msgspec.ValidationError for invalid ones."""
    return msgspec.convert(table, target(platform).options)


def _invalid_outputs(config: Config) -> list[InvalidSetting]:
    """Return the paths that are not valid on every operating system, and invalid options."""
    invalid = [
        InvalidSetting(steps, f"{path!r:.200}: {flaw.what}", flaw.what_to_do)
        for steps, path in _paths(config)
        if normpath(path) != "." and (flaw := flaw_of(normpath(path), climbs=True))
    ]
    for index, output in enumerate(config.outputs):
        try:
            options = typed_options(output.platform, output.options)
            find_errors = getattr(options, "faults", tuple)  # errors that no schema can find
            errors = [InvalidSetting(*error) for error in find_errors()]
        except msgspec.ValidationError as error:
            errors = []
            if output.platform in NAMES:  # the options of a plug-in's target have no schema
                errors = _schema_errors(output.options, "options", f"{output.platform}.schema.json")
            errors = errors or [_decoder_error(output.options, error)]
        invalid += [error._replace(steps=("outputs", index, "options", *error.steps)) for error in errors]
    return invalid


class Project(Struct, frozen=True):
    """A configuration and the folder that its paths are relative to.

    ``allow_outside`` means that the user permits paths outside the git work tree. ``text`` is the content of the file.
    ``base_url_in_file`` means that the file chose ``base_url``, not the user.
    ``tokens_folder`` is the folder of the token files with links resolved: a link that is changed later has no effect.
    """

    folder: str
    source: str
    config: Config
    allow_outside: bool = False
    text: bytes = b""
    tokens_folder: str = ""
    base_url_in_file: bool = False
    accepted: Accepted = {}
    is_strict: bool = False

    def path(self, *parts: str) -> str:
        """Return the absolute path of a path in the configuration."""
        return os.path.normpath(os.path.join(self.folder, *parts))

    def shown(self, text: str) -> str:
        """Return a location without the project's folder, so that it is the same on every machine."""
        return text.removeprefix(os.path.join(self.folder, ""))

    @property
    def levels(self) -> Levels:
        """Return the levels of ``[problems]``, and the accepted findings."""
        return Levels(self.config.problems, os.path.join(self.folder, ""), self.accepted, self.is_strict)

    @property
    def boundary(self) -> Boundary:
        """Return the permitted locations of outputs and templates."""
        project, tokens = self.folder, self.tokens_folder
        top = work_tree(project)
        if top is not None and not is_within(project, top):  # a link has taken the place of the folder
            top = None
        name = "the git work tree" if top else "the project"
        if is_within(project, tokens):  # outputs may be next to the token files, so exclude only these
            names = [end for file in self.config.files for end in (file.name, f"{file.name}.resolver.json")]
            folders = tuple(os.path.join(tokens, name) for name in names)
        else:
            folders = (tokens,)
        return Boundary(top or project, name, folders, self.allow_outside)

    def check_paths(self, *settings: Literal["tokens", "path", "templates"]) -> None:
        """Raise an error for paths outside the boundary: of token files, outputs or their templates.

        It is a ConfigurationError if a path is wrong as it is written or a folder of templates is missing, and a
        ProblemsError if only links lead out.
        """
        self.refuse_paths(*settings)
        missing = [
            InvalidSetting(
                steps,
                f"there is no folder {path!r:.200}",  # if it were ignored, a typing error would disable all templates
                f"create {self.shown(self.path(path))!r:.200}, or correct or remove the setting",
            )
            for steps, path in _paths(self.config)
            if steps[-1] == "templates" and "templates" in settings and not os.path.isdir(self.path(path))
        ]
        if missing:
            raise ConfigurationError(_problems(missing, self.text, self.source, "config-invalid"))

    def refuse_paths(self, *settings: str, as_written: bool = False) -> None:
        """Raise an error as ``check_paths`` for paths outside the boundary.

        ``as_written`` ignores them if only links lead out.
        """
        boundary = self.boundary
        invalid: list[InvalidSetting] = []
        is_written_so = False
        for steps, path in _paths(self.config):
            if steps[-1] in settings:
                is_tokens = steps == ("tokens",)
                limits = boundary._replace(tokens=()) if is_tokens else boundary
                if flaw := limits.flaw(self.tokens_folder if is_tokens else self.path(path)):
                    invalid.append(InvalidSetting(steps, f"{path!r:.200}: {flaw.what}", flaw.what_to_do))
                    is_written_so |= os.path.realpath(self.path(path)) == self.path(path)
        if invalid and (is_written_so or not as_written):
            problems = _problems(invalid, self.text, self.source, "path-refused")
            raise ConfigurationError(problems) if is_written_so else ProblemsError(problems)


class NoConfiguration(UsageError):
    """No configuration was found in the working folder and its parents, and none was named."""


def load_project(path: str | None = None, *, allow_outside: bool = False, checks_paths: bool = True) -> Project:
    """Return the project at ``path`` (a file or folder), at ``TOKENSYNC_CONFIG``, or in the nearest parent folder.

    ``allow_outside``, or ``TOKENSYNC_ALLOW_OUTSIDE=1``, permits paths outside the git work tree. A caller without
    ``checks_paths`` uses no files of the project. Raises NoConfiguration, UsageError for an unreadable one,
    ConfigurationError with all errors in it, and ProblemsError for links that lead out.
    """
    path = path or os.environ.get(CONFIG_VARIABLE)
    folder = "" if path else os.getcwd()
    while not path and (path := configuration_in(folder)) is None and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    if path is None:
        what = f"{FILE_NAME}: not found in this folder or its parents"
        raise NoConfiguration(f"{what}; create it, or select a configuration with --config")
    if os.path.isdir(path):
        inside = configuration_in(path)
        if inside is None and os.path.basename(os.path.normpath(path)) == FILE_NAME:
            what = f"{path}: this is a folder, and the configuration is a file of this name"
            raise UsageError(f"{what}; move or remove the folder, or select a configuration with --config")
        path = inside or os.path.join(path, FILE_NAME)
    allow_outside = allow_outside or outside_is_allowed()
    folder, source = resolved_source(path, allow_outside=allow_outside)
    try:
        with open_file(source) as file:
            raw = file.read()
    except OSError as error:
        raise UsageError(f"{path}: cannot read it ({error.strerror}); select a configuration with --config") from None
    config = parse_config(raw, path)
    base_url = os.environ.get(BASE_URL_VARIABLE)
    if base_url:
        config = msgspec.structs.replace(config, base_url=base_url)
    tokens = os.path.realpath(os.path.join(folder, config.tokens))
    project = Project(folder, path, config, allow_outside, raw, tokens, not base_url, read_accepted(folder))
    if checks_paths:
        project.refuse_paths("tokens", "path", "templates", as_written=True)
        project.refuse_paths("tokens")
    return project


def outside_is_allowed() -> bool:
    """Return whether ``TOKENSYNC_ALLOW_OUTSIDE`` permits paths outside the git work tree.

    Raises UsageError for a value other than 1 and 0, which would silently have no effect.
    """
    value = os.environ.get(ALLOW_OUTSIDE_VARIABLE, "")
    if value not in ("", "0", "1"):
        what = f"{ALLOW_OUTSIDE_VARIABLE}: invalid value {value!r:.80}"
        raise UsageError(f"{what}; set it to 1 to permit paths outside the git work tree, or to 0")
    return value == "1"


def configuration_in(folder: str) -> str | None:
    """Return the path of the configuration in a folder, or None."""
    path = os.path.join(folder, FILE_NAME)
    if os.path.lexists(path):  # a pipe or a broken link must not select the configuration of a parent folder
        return path
    pyproject = os.path.join(folder, PYPROJECT)
    return pyproject if os.path.isfile(pyproject) and _has_table(pyproject) else None


def _has_table(path: str) -> bool:
    try:
        with open_file(os.path.realpath(path)) as file:
            return re.search(rb"^\s*\[+\s*tool\s*\.\s*tokensync\b", file.read(), re.MULTILINE) is not None
    except PermissionError:
        return True  # it may have one, and opening it reports the error
    except OSError:
        return False


# --- levels of problems ----------------------------------------------------------------------------------------------


_IN_FILE = r"(?s)(.+?)(?::[0-9]+)*(?: \(#?(/.*)\))?"
"""The path of a place in a file, and its JSON pointer."""
_HANDLE = r"(.*) \((?:[^ ()/]+/)?([^ ()/]+)\)"
"""The name and the handle of a collection whose name occurs twice."""


class Levels(NamedTuple):
    """The levels of problem codes, and the accepted findings; ``folder`` is the prefix of the project's paths.

    With ``is_strict``, warnings are errors, except those that only a change of the design file removes.
    """

    table: ProblemLevels
    folder: str = ""
    accepted: Accepted = MappingProxyType({})
    is_strict: bool = False

    def applied(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return the problems with their configured severity, without ignored ones; accepted ones are notes.

        A problem that an option of an output has made an error stays one. Applying levels twice changes nothing.
        """
        found = [*self._applied(problems)] if self.table else [*problems]
        for at, each in enumerate(found) if self.accepted or self.is_strict else ():
            keys = keys_of(each, self.folder) if self.accepted and can_be_accepted(each) else ()
            if keys and all(key in self.accepted for key in keys):
                found[at] = each._replace(severity="note", is_accepted=True)
            elif self.is_strict and each.severity == "warning" and not each.is_of_design:
                found[at] = each._replace(severity="error")
        return tuple(found)

    def decisive(self) -> ProblemLevels:
        """Return the part of the table that decides whether outputs are written, and with what content."""
        return {
            code: levels
            for code, levels in self.table.items()
            if "error" in ((levels,) if isinstance(levels, str) else levels.values())
            or (code in CODES and CODES[code].severity == "error")
        }

    def _applied(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        for finding in problems:
            levels = self.table.get(finding.code)
            if levels is None or (finding.code in CODES and finding.severity != CODES[finding.code].severity):
                yield finding
                continue
            level: Level | None = levels if isinstance(levels, str) else self._level_at(finding.where, levels)
            if level != "ignore":
                yield finding if level is None else finding._replace(severity=level)

    def _level_at(self, where: str, levels: Mapping[str, Level]) -> Level | None:
        """Return the level of the first glob that matches a place or something that contains it."""
        places = _places(where.removeprefix(self.folder))
        return next((level for glob, level in levels.items() if any(fnmatchcase(each, glob) for each in places)), None)


AS_DECLARED = Levels({})
"""Every code has its own severity."""


def _places(where: str) -> list[str]:
    """Return what a place is and what contains it: a file, or collections, groups and tokens as ``theme/text/muted``.

    Collections have their name and their handle.
    """
    collection, *rest = where.split(" / ")
    if rest:
        named = re.fullmatch(_HANDLE, collection)
        names = named.groups() if named else (collection, slug(collection, ""))
        return [prefix for name in dict.fromkeys(names) for prefix in _prefixes((name, *"/".join(rest).split("/")))]
    match = re.fullmatch(_IN_FILE, where)
    path, pointer = match.groups() if match else (where, None)
    steps = [each.replace("~1", "/").replace("~0", "~") for each in (pointer or "").split("/")[1:]]
    return [path.replace(os.sep, "/"), slug(path, ""), *_prefixes(steps)]


def _prefixes(steps: Iterable[str]) -> list[str]:
    prefixes: list[str] = []
    for step in steps:
        prefixes.append(f"{prefixes[-1]}/{step}" if prefixes else step)
    return prefixes


def _is_plugged_platform(error: ValidationError) -> bool:
    """Return whether a schema, which lists the built-in platforms, refuses the platform of a plug-in."""
    return error.absolute_path[-1] == "platform" and error.instance in plugged()


def _is_plugged(code: str) -> bool:
    """Return whether a code is that of a plug-in: the name of a rule, or of a target with a hyphen and more."""
    return code in plugins.entries("lint") or code.partition("-")[0] in plugged()


def _invalid_levels(table: ProblemLevels) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield the path below ``[problems]``, the error and the remedy of each unknown code or impossible level."""
    for code, levels in table.items():
        if code not in CODES and not _is_plugged(code):
            known = (*CODES, *plugins.entries("lint"))
            yield (code,), f"unknown problem code {shortened(code)!r}", suggestion(code, known)
            continue
        allowed = CODES[code].levels if code in CODES else LEVELS
        for steps, level in (
            [((), levels)] if isinstance(levels, str) else [((glob,), each) for glob, each in levels.items()]
        ):
            if level not in allowed:
                fixed = CODES[code].severity
                what = f"the level of {code} cannot be {level!r}"
                remedy = f"use {' or '.join(map(repr, allowed))}"
                if len(allowed) == 1:
                    remedy = f"remove it: {code} is always {'an error' if fixed == 'error' else f'a {fixed}'}"
                yield (code, *steps), what, remedy
