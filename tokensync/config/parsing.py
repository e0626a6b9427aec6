"""The text of a configuration to its settings, and everything that is wrong in it."""

from __future__ import annotations

import os
import re
import tomllib
from posixpath import normpath
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.boundary import flaw_of
from tokensync.errors import ProblemsError
from tokensync.problems import Problem, problem
from tokensync.settings import Config
from tokensync.targets import NAMES, target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from msgspec import Struct

PYPROJECT = "pyproject.toml"
_LONGEST = 200  # characters of a message that repeats what it is about

_READ_ON = "see docs/configuration.md"

Steps = tuple[str | int, ...]


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
    from tokensync.places import pointer_text
    from tokensync.toml_places import nearest, toml_places

    places = toml_places(raw.decode("utf-8-sig"))

    def where(steps: Steps) -> str:
        place = nearest(places, (*_table(source), *steps))
        found = f"{source}:{place[0]}:{place[1]}" if place else source
        return f"{found} ({pointer_text(steps)})" if steps else found

    return where


def _document(raw: bytes, source: str) -> Any:
    try:
        document: Any = tomllib.loads(raw.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise ProblemsError([_malformed(raw, source, str(fault) or "nested too deeply")]) from None
    if not _table(source):
        return document
    tool = document.get("tool")
    table = tool.get("tokensync") if isinstance(tool, dict) else None
    if table is None:
        what = "it has no table [tool.tokensync]"
        raise ProblemsError([problem("config-invalid", source, what, "add the table, or name another file")])
    return table


def _table(source: str) -> Steps:
    """Return the table of a file that holds the configuration; nothing where it is the whole file."""
    return ("tool", "tokensync") if os.path.basename(source) == PYPROJECT else ()


def _malformed(raw: bytes, source: str, told: str) -> Problem:
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)", told)
    where = source
    if place:
        line, column = (int(place[1]), int(place[2])) if place[1] else (raw.rstrip().count(b"\n") + 1, 1)
        where = f"{source}:{line}:{column}"
        told = told.replace(place[0], "" if place[1] else " at the end")
    return problem("config-malformed", where, f"this is not TOML ({told})", "mend the syntax")


def _faults(document: Any, *schema_path: str) -> list[Fault]:
    """Return everything that a shipped schema finds: the words are better than a decoder's, and all faults are told."""
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


def _fault_of_decoder(told: str) -> Fault:
    """Return what the schema takes and the structs do not: a float for an integer, or a number that is none."""
    what, _, path = told.partition(" - at `$")
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
