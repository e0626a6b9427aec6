"""Rename modes in code: in the token files, the resolver document and the configuration.

Nothing is written before all new contents are known and valid. The configuration is written first, and what identifies
the renamed object last, so that an interrupted renaming can be repeated.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.disk import open_file, replace_file
from tokensync.dtcg.folder import replace_files
from tokensync.dtcg.reading import is_token_file, read
from tokensync.dtcg.renaming import RenamedFiles, renamed_modes, with_renamed_modes
from tokensync.errors import UsageError, errors_among, stop_on_errors
from tokensync.mapping import slug
from tokensync.plan.state import MODE_NAME_CHARACTERS
from tokensync.positions import replaced
from tokensync.project.configuration import PYPROJECT, parse_config
from tokensync.project.configured_outputs import configured_themes, is_named
from tokensync.project.sources import chosen_files
from tokensync.project.toml_text import key_text, parts_of, string_text, with_table, without_table
from tokensync.token_files import files_of
from tokensync.tokens import TokenGraph, inferred_themes
from tokensync.wording import shortened, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.dtcg.renaming import NewMode
    from tokensync.problems import Problem
    from tokensync.project.configuration import Project
    from tokensync.project.toml_text import Part
    from tokensync.tokens import Collection


class Renamed(NamedTuple):
    """The result of a renaming: the former and new names, and the changes below the project's folder.

    ``changed`` and ``removed`` are paths. ``moved`` is true if a ``[[moved]]`` entry was added. ``notes`` are hints.
    """

    former: str
    name: str
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    moved: bool
    notes: tuple[str, ...]


class _State(NamedTuple):
    """The token files of the project by design file, as they are, and the graphs that they contain."""

    texts: Mapping[str, dict[str, bytes]]
    graphs: Mapping[str, TokenGraph]


def rename_mode(project: Project, mode: str, name: str, *, dry_run: bool = False) -> Renamed:
    """Rename a mode, given as ``collection/mode``, in all files of the project.

    The mode's files, context and theme get the name in the form of handles. If the platform has renamed the mode
    already, the plan stays empty. Raises UsageError for an unknown mode or an unsuitable name, and ProblemsError if the
    project has errors.
    """
    state = _state(project)
    family, column = _mode(state, mode)
    former, new_slug = family.modes[column], _slug(name)
    is_current = name == new_slug == slug(former.name, "mode")
    name = former.name if is_current else name
    modes = renamed_modes(family, column, name, new_slug)
    texts = state.texts[family.file]
    renamed = with_renamed_modes(texts, family.file, family, modes)
    _check_mode_name(family, column, name, new_slug, renamed, texts)
    configuration = _ConfigurationEdit(project, state, family, modes)
    text = configuration.text()
    if not former.id:
        entries = _moved("mode", project, family, former.context, new_slug)
        text = _with_moved(project, text, entries)
    return _written(
        project,
        {family.file: renamed},
        state,
        text,
        dry_run=dry_run,
        former=f"{family.handle}/{former.context}",
        name=f"{family.handle}/{new_slug}",
        notes=configuration.notes,
    )


def _state(project: Project) -> _State:
    root = project.tokens_folder
    texts: dict[str, dict[str, bytes]] = {}
    for each in chosen_files(project, ()):
        texts[each.name] = {}
        for path in files_of(root, each.name):
            if is_token_file(path, each.name):
                with open_file(os.path.join(root, path)) as file:  # with its line ends
                    texts[each.name][path] = file.read()
    return _State(texts, {name: read(of_file, name)[0] for name, of_file in texts.items()})


def _mode(state: _State, text: str) -> tuple[Collection, int]:
    """Return the collection and the column of a mode. Raises UsageError for an unknown or ambiguous one."""
    plain = text.replace(" / ", "/")
    found: list[tuple[Collection, int]] = []
    known: list[str] = []
    for graph in state.graphs.values():
        for family in graph.collections.values():
            for column, mode in enumerate(family.modes):
                own = mode.collection == family.handle
                handles = (family.handle, family.name) if own else (mode.collection,)
                names = {f"{handle}/{each}" for handle in handles for each in (mode.context, mode.slug, mode.name)}
                if plain in names or plain in {f"{family.file}/{each}" for each in names}:
                    found.append((family, column))
                if own and family.origin == "local":
                    known.append(f"{family.handle}/{mode.context}")
    if not found:
        raise UsageError(f"{shortened(text)}: no such mode; {suggestion(plain, known)}")
    # An interrupted renaming leaves two files of one mode, and the name may be that of both.
    exact = [each for each in found if plain.endswith(f"/{each[0].modes[each[1]].context}")] or found
    files = list(dict.fromkeys(family.file for family, _ in exact))
    if len(files) > 1:
        choices = " or ".join(f"{file}/{plain}" for file in files)
        raise UsageError(f"{shortened(text)}: {len(files)} files have this mode; name one as {choices}")
    family, column = exact[0]
    mode = family.modes[column]
    if mode.collection != family.handle:
        root = column
        while (parent := family.modes[root].parent) is not None:
            root = parent
        to_do = f"rename {family.handle}/{family.modes[root].context}, which includes it"
        raise UsageError(f"{shortened(text)}: it has the name of the mode that it extends; {to_do}")
    return family, column


def _slug(name: str) -> str:
    if not name.strip() or len(name) > MODE_NAME_CHARACTERS:
        what = "the name is empty" if not name.strip() else f"the name has {len(name)} characters"
        raise UsageError(f"{shortened(name)}: {what}; use 1 to {MODE_NAME_CHARACTERS} characters")
    return slug(name, "mode")


def _check_mode_name(
    family: Collection,
    column: int,
    name: str,
    new_slug: str,
    renamed: RenamedFiles,
    texts: Mapping[str, bytes],
) -> None:
    """Raise UsageError if another mode has the name, or if the platform decides about it."""
    former = family.modes[column]
    where = f"{family.handle}/{former.context}"
    if family.origin != "local" and name != former.name:
        what = "the collection belongs to another file, which decides about its modes' names"
        raise UsageError(f"{where}: {what}; rename the mode there")
    others = [each for index, each in enumerate(family.modes) if index != column and each.collection == family.handle]
    for other in others:
        is_same_mode = other.slug == new_slug and other.id == former.id and other.name in (name, former.name)
        if (other.name == name or other.context == new_slug) and not is_same_mode:
            raise UsageError(f"{where}: {family.handle}/{other.context} has the name {shortened(name)}; use another")
    for path in renamed.contents:
        if path in texts and path not in renamed.removed and texts[path] != renamed.contents[path]:
            is_new = path.rpartition("/")[2].startswith(f"{new_slug}.") and new_slug != former.slug
            if is_new:
                raise UsageError(f"{path}: another mode has this file; use another name than {shortened(name)}")


class _ConfigurationEdit:
    """The configuration's text after modes were renamed: ``[themes]``, and the themes that outputs name."""

    def __init__(self, project: Project, state: _State, family: Collection, modes: Sequence[NewMode]) -> None:
        self.notes: list[str] = []
        self._project = project
        self._family = family
        self._modes = modes
        self._themes: dict[str, str] = {}  # new names of themes by their former names
        contexts = {each.former_context: each.context for each in modes}
        collections = [each for graph in state.graphs.values() for each in graph.collections.values()]
        for theme in inferred_themes(collections) if not project.config.themes else ():
            ((key, column),) = theme.modes
            context = family.modes[column].context if key == family.key else ""
            if context in contexts:
                self._themes[theme.name] = theme.name.removesuffix(context) + contexts[context]

    def text(self) -> str:
        """Return the new text."""
        text = self._project.text.decode("utf-8")
        shift = len(_table_steps(self._project))
        edits = (self._edit(each, each.steps[shift:], text) for each in parts_of(text))
        return replaced(text, (edit for edit in edits if edit is not None))

    def _edit(self, part: Part, steps: Sequence[str | int], text: str) -> tuple[int, int, str] | None:
        new: str | None = None
        match part.kind, *steps:
            case "value", "themes", _, str(collection) if is_named(self._family, collection):
                value = self._project.config.themes.get(str(steps[1]), {}).get(collection, "")
                new = self._new_mode(value, collection)
                new = None if new is None else string_text(new)
            case "key", "outputs", int(), "options", "themes", str(theme) if theme in self._themes:
                new = key_text(self._themes[theme])
            case "value", "outputs", int(output), ("include" | "exclude") as choice, "themes", int(index):
                patterns = getattr(self._project.config.outputs[output], choice).themes
                return self._glob_edit(patterns, index, part, text)
        return None if new is None else (part.start, part.end, new)

    def _new_mode(self, value: str, collection: str) -> str | None:
        """Return what a theme has to call a renamed mode of this collection; None for other modes."""
        for mode in self._modes:
            if value == mode.former_context:
                return mode.context
            handles = (mode.handle, *(self._names_of(mode.handle)))
            if collection in handles or (mode is self._modes[0] and collection.endswith(f"/{mode.handle}")):
                if value == mode.former_slug:
                    return mode.slug
                if slug(value, "mode") == slug(mode.former_name, "mode") or slug(value, "mode") == mode.former_slug:
                    return mode.name
        return None

    def _names_of(self, handle: str) -> Iterator[str]:
        if handle == self._family.handle:
            yield self._family.name
        yield from (each.name for each in self._family.extensions if each.handle == handle)

    def _glob_edit(self, patterns: Sequence[str], index: int, part: Part, text: str) -> tuple[int, int, str] | None:
        """Return the edit of one of the globs for themes, after which the list matches the same modes as before."""
        pattern = patterns[index]
        others = [each for at, each in enumerate(patterns) if at != index and each not in self._themes]
        for old, new in self._themes.items():
            matches = [(fnmatchcase(old, each), fnmatchcase(new, each)) for each in others]
            if pattern == old:
                if (False, True) not in matches:
                    return part.start, part.end, string_text(new)
                before = text[: part.start].rstrip()  # another glob matches the new name
                return (len(before) - 1, part.end, "") if before.endswith(",") else None
            gained = fnmatchcase(new, pattern) and not any(fnmatchcase(old, each) for each in patterns)
            if gained:
                where = f"{self._project.source}:{text.count(chr(10), 0, part.start) + 1}"
                self.notes.append(f"{where}: {pattern} did not match {old}, but matches {new}; check it")
        lost = [
            string_text(new)
            for old, new in self._themes.items()
            if old not in patterns
            and next((each for each in patterns if fnmatchcase(old, each)), None) == pattern
            and not any(fnmatchcase(new, each) for each in patterns)
        ]
        return (part.end, part.end, "".join(f", {each}" for each in lost)) if lost else None


def _table_steps(project: Project) -> tuple[str, ...]:
    return ("tool", "tokensync") if os.path.basename(project.source) == PYPROJECT else ()


def _moved(kind: str, project: Project, family: Collection, former: str, new: str) -> dict[str, str]:
    """Return the entries of ``[[moved]]``; they name the file if there are several."""
    file = {"file": family.file} if len(project.config.files) > 1 else {}
    return {"kind": kind, "collection": family.handle, "from": former, "to": new, **file}


def _with_moved(project: Project, text: str, entries: dict[str, str]) -> str:
    """Return the configuration with a ``[[moved]]`` entry, or without the opposite one, which it takes back."""
    header = (*_table_steps(project), "moved")
    opposite = {**entries, "from": entries["to"], "to": entries["from"]}
    if (shorter := without_table(text, header, opposite)) != text:
        return shorter
    own = (each for each in project.config.moved if each.kind == entries["kind"])
    if any(
        (each.collection, each.from_, each.to, each.file or entries.get("file", ""))
        == (entries["collection"], entries["from"], entries["to"], entries.get("file", ""))
        for each in own
    ):
        return text
    parts = list(parts_of(text))
    if any(each.kind == "entry" and each.steps == header for each in parts):
        table = ", ".join(f"{key} = {string_text(value)}" for key, value in entries.items())
        where = f"{project.source} (/moved)"
        raise UsageError(f"{where}: this is not an array of tables; write it as [[moved]], or add {{ {table} }} to it")
    return with_table(text, header, entries)


def _written(
    project: Project,
    renamed: Mapping[str, RenamedFiles],
    state: _State,
    text: str,
    *,
    dry_run: bool,
    former: str,
    name: str,
    notes: Sequence[str],
) -> Renamed:
    """Check all new contents and write them, unless ``dry_run``: the configuration, then the token files."""
    raw = text.encode("utf-8")
    config = parse_config(raw, project.source)
    graphs: list[TokenGraph] = []
    problems: list[Problem] = []
    for file, texts in state.texts.items():
        new = renamed.get(file, RenamedFiles({}))
        after = {path: each for path, each in {**texts, **new.contents}.items() if path not in new.removed}
        graph, found = read(after, file, shown_below=f"{project.tokens_folder.rstrip('/')}/")
        graphs.append(graph)
        problems += found
    stop_on_errors(errors_among(problems))
    from tokensync.normalize import linked

    configured_themes(linked(graphs), replace(project, config=config, text=raw))
    changed = [project.source] if raw != project.text else []
    removed: list[str] = []
    for new in renamed.values():
        changed += (os.path.join(project.tokens_folder, path) for path in new.contents)
        removed += (os.path.join(project.tokens_folder, path) for path in new.removed)
    if not dry_run:
        if raw != project.text:
            replace_file(os.path.realpath(project.source), raw)
        for file, new in renamed.items():
            replace_files(project.tokens_folder, file, new.contents, new.removed)
    return Renamed(
        former,
        name,
        tuple(map(project.shown, changed)),
        tuple(map(project.shown, removed)),
        len(config.moved) > len(project.config.moved),
        tuple(notes),
    )
