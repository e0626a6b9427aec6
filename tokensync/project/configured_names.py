"""Names of tokens and modes in the configuration: new names after a renaming, and ``[[moved]]`` entries."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tokensync.normalize.mapping import slug
from tokensync.project.configuration import table_steps
from tokensync.project.configured_outputs import is_named
from tokensync.project.toml_text import key_text, parts_of, string_text, with_table, without_table
from tokensync.system.errors import UsageError
from tokensync.system.positions import replaced
from tokensync.tokens import inferred_themes
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.dtcg.renaming import NewMode
    from tokensync.project.configuration import Project
    from tokensync.project.toml_text import Part
    from tokensync.settings import MovedConfig
    from tokensync.tokens import Collection, TokenGraph, TokenKey


class TokenNames:
    """The configuration's text after a token or group was renamed, and notes about globs that match other tokens now.

    ``keys`` are the new keys of all tokens by their former ones, and ``former`` is the former path in the collection
    ``handle``.
    """

    def __init__(
        self, project: Project, keys: Mapping[TokenKey, TokenKey], former: str, handle: str, *, is_group: bool
    ) -> None:
        self.notes: list[str] = []
        self._project = project
        self._former = former
        self._handle = handle
        self._is_group = is_group
        self._renamed = [
            ([_path(key) for key in pair], [f"{key.collection}/{_path(key)}" for key in pair])
            for pair in keys.items()
            if pair[0] != pair[1]
        ]
        self._others = [_path(key) for key, new in keys.items() if key == new]

    def text(self, new: str) -> str:
        """Return the new text. ``new`` is the new path."""
        text = self._project.text.decode("utf-8")
        shift = len(table_steps(self._project.source))
        edits: list[tuple[int, int, str]] = []
        for part in parts_of(text):
            edit = self._edit(part, part.steps[shift:], text, new)
            if edit is not None:
                edits.append((part.start, part.end, edit))
        return replaced(text, edits)

    def later(self, entry: MovedConfig, new: str) -> str | None:
        """Return what a ``[[moved]]`` entry's name becomes; None if it is that of something else."""
        if entry.kind not in ("token", "group") or entry.collection != self._handle:
            return None
        is_own = entry.to == self._former and (self._is_group or entry.kind == "token")
        is_inside = self._is_group and entry.to.startswith(f"{self._former}/")
        return f"{new}{entry.to[len(self._former) :]}" if is_own or is_inside else None

    def _edit(self, part: Part, steps: Sequence[str | int], text: str, new: str) -> str | None:
        config = self._project.config
        is_whole = True  # the name begins with the collection
        match part.kind, *steps:
            case "value", "lint", str(table), int(index), ("foreground" | "background" | "match") as member, int(
                number
            ):
                pattern = getattr(getattr(config.lint, table)[index], member)[number]
            case "value", "lint", "descriptions", int(number):
                pattern = config.lint.descriptions[number]
            case "value", "lint", "contrast", int(index), "backdrop":
                pattern = config.lint.contrast[index].backdrop
            case "value", "allow", int(index), "subject":
                pattern = config.allow[index].subject
            case "key", "problems", str(), str(pattern):
                pass
            case "value", "outputs", int(index), ("include" | "exclude") as choice, "paths", int(number):
                pattern, is_whole = getattr(config.outputs[index], choice).paths[number], False
            case "value", "types", int(index), "path":
                pattern, is_whole = config.types[index].path or "", False
            case _:
                return None
        before, after = (f"{self._handle}/{each}" if is_whole else each for each in (self._former, new))
        if pattern == before or (self._is_group and pattern.startswith(f"{before}/")):
            found = after + pattern[len(before) :]
            shared = not is_whole and any(fnmatchcase(other, pattern) for other in self._others)
            if not shared:
                return key_text(found) if part.kind == "key" else string_text(found)
            is_list = isinstance(steps[-1], int)
            if is_list:  # tokens of the former name stay in other collections
                return f"{string_text(pattern)}, {string_text(found)}"
        self._note(pattern, f"{self._project.source}:{text.count(chr(10), 0, part.start) + 1}", is_whole=is_whole)
        return None

    def _note(self, pattern: str, where: str, *, is_whole: bool) -> None:
        """Add a note if a glob that stays matches a renamed token by only one of its names."""
        for pair in self._renamed:
            before, after = pair[is_whole]
            if (matches := fnmatchcase(before, pattern)) is not fnmatchcase(after, pattern):
                one, other = (before, after) if matches else (after, before)
                verb = "matched" if matches else "matches"
                self.notes.append(f"{where}: {pattern} {verb} {one}, but not {other}; check it")
                return


def _path(key: TokenKey) -> str:
    return "/".join(names(key.path))


class ModeNames:
    """The configuration's text after modes were renamed: ``[themes]``, and the themes that outputs name."""

    def __init__(
        self, project: Project, graphs: Iterable[TokenGraph], family: Collection, modes: Sequence[NewMode]
    ) -> None:
        self.notes: list[str] = []
        self._project = project
        self._family = family
        self._modes = modes
        self._themes: dict[str, str] = {}  # new names of themes by their former names
        contexts = {mode.former_context: mode.context for mode in modes}
        collections = [collection for graph in graphs for collection in graph.collections.values()]
        for theme in inferred_themes(collections) if not project.config.themes else ():
            ((key, column),) = theme.modes
            context = family.modes[column].context if key == family.key else ""
            if context in contexts:
                self._themes[theme.name] = theme.name.removesuffix(context) + contexts[context]

    def text(self) -> str:
        """Return the new text."""
        text = self._project.text.decode("utf-8")
        shift = len(table_steps(self._project.source))
        edits = (self._edit(part, part.steps[shift:], text) for part in parts_of(text))
        return replaced(text, (edit for edit in edits if edit is not None))

    def later(self, entry: MovedConfig) -> str | None:
        """Return what a ``[[moved]]`` entry's name becomes; None if it is that of something else."""
        for mode in self._modes if entry.kind == "mode" else ():
            if mode.handle == entry.collection:
                names = {mode.former_name: mode.name, mode.former_slug: mode.slug, mode.former_context: mode.context}
                return names.get(entry.to)
        return None

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
        yield from (extension.name for extension in self._family.extensions if extension.handle == handle)

    def _glob_edit(self, patterns: Sequence[str], index: int, part: Part, text: str) -> tuple[int, int, str] | None:
        """Return the edit of one of the globs for themes, after which the list matches the same modes as before."""
        pattern = patterns[index]
        others = [each for at, each in enumerate(patterns) if at != index and each not in self._themes]
        for old, new in self._themes.items():
            matches = [(fnmatchcase(old, other), fnmatchcase(new, other)) for other in others]
            if pattern == old:
                if (False, True) not in matches:
                    return part.start, part.end, string_text(new)
                before = text[: part.start].rstrip()  # another glob matches the new name
                return (len(before) - 1, part.end, "") if before.endswith(",") else None
            gained = fnmatchcase(new, pattern) and not any(fnmatchcase(old, pattern) for pattern in patterns)
            if gained:
                where = f"{self._project.source}:{text.count(chr(10), 0, part.start) + 1}"
                self.notes.append(f"{where}: {pattern} did not match {old}, but matches {new}; check it")
        lost = [
            string_text(new)
            for old, new in self._themes.items()
            if old not in patterns
            and next((pattern for pattern in patterns if fnmatchcase(old, pattern)), None) == pattern
            and not any(fnmatchcase(new, pattern) for pattern in patterns)
        ]
        return (part.end, part.end, "".join(f", {each}" for each in lost)) if lost else None


def moved_entry(kind: str, project: Project, family: Collection, former: str, new: str) -> dict[str, str]:
    """Return the entries of ``[[moved]]``; they name the file if there are several."""
    file = {"file": family.file} if len(project.config.files) > 1 else {}
    return {"kind": kind, "collection": family.handle, "from": former, "to": new, **file}


def with_moved(project: Project, text: str, entries: dict[str, str], *, is_recorded: bool) -> str:
    """Return the configuration with a ``[[moved]]`` entry, and without the opposite one, which it takes back.

    If the former name is not recorded anywhere, and so cannot be on the platform, the opposite entry is only removed.
    """
    header = (*table_steps(project.source), "moved")
    opposite = {**entries, "from": entries["to"], "to": entries["from"]}
    if (shorter := without_table(text, header, opposite)) != text:
        if not is_recorded:
            return shorter
        text = shorter
    own = (moved for moved in project.config.moved if moved.kind == entries["kind"])
    if any(
        (moved.collection, moved.from_, moved.to, moved.file or entries.get("file", ""))
        == (entries["collection"], entries["from"], entries["to"], entries.get("file", ""))
        for moved in own
    ):
        return text
    parts = list(parts_of(text))
    if any(part.kind == "entry" and part.steps == header for part in parts):
        table = ", ".join(f"{key} = {string_text(value)}" for key, value in entries.items())
        where = f"{project.source} (/moved)"
        raise UsageError(f"{where}: this is not an array of tables; write it as [[moved]], or add {{ {table} }} to it")
    return with_table(text, header, entries)


def with_later_names(
    project: Project, text: str, later: Callable[[MovedConfig], str | None], files: Container[str]
) -> str:
    """Return the configuration with ``[[moved]]`` entries that lead to the names after a renaming.

    ``later`` returns the new name of an entry's object, or None if it keeps its name; it is called for entries with
    these ``files``. An entry whose object gets its former name back is removed.
    """
    header = (*table_steps(project.source), "moved")
    edits: list[tuple[int, int, str]] = []
    reverted: list[MovedConfig] = []
    for part in parts_of(text):
        match part.kind, *part.steps[len(header) - 1 :]:
            case "value", "moved", int(index), "to":
                entry = project.config.moved[index]
                name = later(entry) if entry.file in files else None
                if name == entry.from_:
                    reverted.append(entry)
                elif name is not None:
                    edits.append((part.start, part.end, string_text(name)))
    text = replaced(text, edits)
    for moved in reverted:
        file = {"file": moved.file} if moved.file else {}
        entries = {"kind": moved.kind, "collection": moved.collection, "from": moved.from_, "to": moved.to, **file}
        text = without_table(text, header, entries)
    return text
