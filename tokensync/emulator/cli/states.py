"""Open and seed the emulator."""

from __future__ import annotations

import os
import re
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from tokensync.emulator.services.variables.publishing import Seed
from tokensync.project.sources import read_file
from tokensync.system.boundary import flaw_of_link
from tokensync.system.errors import DECODE_ERRORS, ProblemsError, UsageError
from tokensync.system.problems import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.emulator import Emulator
    from tokensync.emulator.faults import Script
    from tokensync.project.configuration import Project


def read_seeds(
    paths: Sequence[str],
    keys: Sequence[str] = (),
    *,
    spare_keys: bool = False,
    report: Callable[[Sequence[Problem]], None] = lambda problems: None,
) -> tuple[Seed, ...]:
    """Return the design files in saved responses.

    A response of published variables belongs to the local response before it, and so does a list of styles. ``keys``
    are the files' keys in order, and must all be used unless ``spare_keys``. Without a key, the response's name is the
    key: ``harbor.local.json`` is ``harbor``. ``report`` receives warnings. Raises UsageError for a key of two files.
    """
    from tokensync.extract.wire import whole_characters

    seeds: list[Seed] = []
    for path in paths:
        content, problems = whole_characters(read_file(path), path)
        report(problems)
        if _is_published(content):
            if not seeds or seeds[-1].published is not None:
                raise UsageError(
                    f"{path}: it contains published variables; give the local response of the same file before it"
                )
            seeds[-1] = seeds[-1]._replace(published=content, published_source=path)
        elif seeds and content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
            seeds[-1] = seeds[-1]._replace(styles=content, styles_source=path)
        else:
            name = os.path.basename(path).partition(".")[0]
            key = keys[len(seeds)] if len(seeds) < len(keys) else re.sub(r"[^A-Za-z0-9_-]+", "-", name) or "file"
            if any(seed.key == key for seed in seeds):
                raise UsageError(
                    f"{path}: another response already has the file key {key}; set the key of each file with --key"
                )
            seeds.append(Seed(key, name, content, None, path))
    if len(keys) > len(seeds) and not spare_keys:
        raise UsageError(
            f"--key {keys[len(seeds)]}: no response for this key; give as many keys as local responses ({len(seeds)})"
        )
    return tuple(seeds)


def add_sample_libraries(emulator: Emulator, seeds: Sequence[Seed]) -> None:
    """Publish a sample library in seeded files without components and styles.

    A saved response contains only variables, but many clients read components or styles first.
    """
    for seed in seeds:
        if not emulator.libraries.keys(seed.key):
            emulator.libraries.sample(seed.key, published=True)


def _is_published(content: bytes) -> bool:
    """Return whether a response has published variables, which have a subscribed_id and no values."""
    import msgspec

    try:
        document = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"))
    except DECODE_ERRORS:
        return False
    meta = document.get("meta", document) if isinstance(document, dict) else None
    if not isinstance(meta, dict):
        return False
    members = [entry for kind in ("variables", "variableCollections") for entry in _entries(meta.get(kind))]
    return bool(members) and all(
        isinstance(member, dict) and "subscribed_id" in member and "valuesByMode" not in member for member in members
    )


def _entries(mapping: object) -> list[object]:
    return list(mapping.values()) if isinstance(mapping, dict) else []


def set_clock(emulator: Emulator, moment: str) -> None:
    """Set the emulator's clock to ``moment``: ISO 8601, by default in UTC, or Unix seconds.

    Renews the default token from that time. Raises UsageError for any other text.
    """
    emulator.clock.set(_seconds(moment))
    emulator.tokens.default()


def read_faults(path: str | None) -> Script | None:
    """Return the script of faults in a file, or None without a path."""
    if path is None:
        return None
    from tokensync.emulator import faults

    try:
        text = read_file(path).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    return faults.read(text, path)


def _seconds(moment: str) -> float:
    try:
        if moment.replace(".", "", 1).isdecimal():
            return float(moment)
        parsed = datetime.fromisoformat(moment)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        what = "not a time; write it as 2026-03-01T12:00:00Z or in seconds since 1970"
        raise UsageError(f"--clock {moment}: {what}") from None


def checked_state(path: str | None) -> str | None:
    """Return the path of a state file from the command line.

    Raises ProblemsError for a link of a checkout, through which the emulator would write elsewhere.
    """
    from tokensync.project.configuration import outside_is_allowed

    if path and (flaw := flaw_of_link(path, allow_outside=outside_is_allowed())):
        raise ProblemsError([problem("path-refused", path, flaw.what, "use the path that it leads to")])
    return path


@contextmanager
def open_emulator(state: str | None, config: str | None) -> Iterator[Emulator]:
    """Yield the emulator with the state file ``state``, by default the one in the project's ``.tokensync/``.

    The state may be open in another process that serves it; each process sees the other's changes.
    """
    from tokensync.emulator import Emulator
    from tokensync.project.configuration import load_project

    if state is not None:
        with closing(Emulator(checked_state(state))) as emulator:
            yield emulator
        return
    with embedded(load_project(config, checks_paths=False)) as emulator:
        yield emulator


def embedded(project: Project) -> AbstractContextManager[Emulator]:
    """Return a context manager with the project's emulator, which stores its state in ``.tokensync/``."""
    from tokensync.project.connection import embedded_emulator

    return cast("AbstractContextManager[Emulator]", embedded_emulator(project))


def file_key(emulator: Emulator, file: str, configured: Mapping[str, str] | None = None) -> str:
    """Return the key of a file that is a key, a URL, a configured name or a name in the emulator.

    ``configured`` maps configured names to keys. Raises UsageError for an ambiguous name.
    """
    if file in emulator.files.keys():  # noqa: SIM118 - not a dictionary
        return file
    if "/" in file:
        from tokensync.extract.client import parse_file

        return parse_file(file).working_key
    if configured and file in configured:
        return configured[file]
    named = emulator.files.keys_of(file)
    if len(named) > 1:
        raise UsageError(f"{file}: {len(named)} files have this name; use a key: {', '.join(named)}")
    return named[0] if named else file


def configured_keys(state: str | None, config: str | None) -> dict[str, str]:
    """Return the keys of the project's files by name; empty for an explicit state file."""
    from tokensync.project.configuration import load_project
    from tokensync.project.connection import configured

    if state is not None:
        return {}
    return {
        name: reference.working_key for name, reference in configured(load_project(config, checks_paths=False)).items()
    }
