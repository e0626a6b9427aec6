"""Rename tokens, groups and modes in code: in the token files, the resolver document and the configuration.

Nothing is written before all new contents are known and valid. The configuration is written first, and what identifies
the renamed object last, so that an interrupted renaming can be repeated.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.dtcg.folder import foreign_files, read_folder, replace_files, with_edited_colors
from tokensync.dtcg.reading import is_token_file, read
from tokensync.dtcg.renaming import (
    NewPath,
    RenamedFiles,
    defining_files,
    renamed_modes,
    with_renamed_modes,
    with_renamed_tokens,
)
from tokensync.dtcg.spelling import ROOT
from tokensync.generate.targets import DEFAULTS, has_names
from tokensync.normalize.mapping import MODE, RESOLVED_TYPES, slug
from tokensync.plan.state import MODE_NAME_CHARACTERS
from tokensync.project.configuration import Project, parse_config, table_steps
from tokensync.project.configured_outputs import configured_themes, is_named, names_on_platforms, naming_by_platform
from tokensync.project.lock import Lock, locked_values
from tokensync.project.sources import chosen_files
from tokensync.project.toml_text import Part, key_text, parts_of, string_text, with_table, without_table
from tokensync.system.boundary import work_tree
from tokensync.system.disk import open_file, replace_file
from tokensync.system.errors import UsageError, errors_among, stop_on_errors
from tokensync.system.git import Repository
from tokensync.system.positions import replaced
from tokensync.system.token_files import files_of
from tokensync.system.wording import counted, listed, nearest, shortened, suggestion
from tokensync.tokens import Collection, FamilyKey, Token, TokenGraph, TokenKey, inferred_themes
from tokensync.tokens.paths import encoded, names, path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.dtcg.renaming import NewMode
    from tokensync.settings import MovedConfig
    from tokensync.system.problems import Problem


_UNREADABLE = ("tokens-malformed", "conflict-marks", "tokens-structure", "tokens-name-repeated")
"""Problems of files that cannot be edited."""


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
    """The token files of the project by design file, as they are, and the graphs that they contain.

    ``foreign`` are the graphs of resolver documents of other tools, which do not change. There are ``errors`` after an
    interrupted renaming, for example.
    """

    texts: Mapping[str, dict[str, bytes]]
    graphs: Mapping[str, TokenGraph]
    foreign: Mapping[str, TokenGraph]
    errors: Sequence[Problem]

    def absent(self, text: str, what: str, to_do: str) -> UsageError:
        """Return the error of an unknown name. Raises ProblemsError if the project has errors, which may be why."""
        stop_on_errors(self.errors)
        if self.foreign:
            to_do += f" (names in the resolver documents of other tools do not change: {listed([*self.foreign])})"
        return UsageError(f"{shortened(text)}: {what}; {to_do}")


def rename_token(project: Project, former: str, name: str, *, dry_run: bool = False) -> Renamed:
    """Rename a token, or a group with everything in it, and every reference to it, in all files of the project.

    Names are written as in messages (``theme/text/main``) or as in token files, without the collection if that is
    clear. The last name of a group's own token is ``$root``. A token can also be named by its id. Raises UsageError for
    an unknown name, a name that exists and one that is not valid, and ProblemsError if the project has errors.
    """
    state = _state(project)
    source = _source(state, former)
    path = _new_path(state, source, former, name)
    family = source.family
    graph = state.graphs[family.file]
    new_keys = {key: path.of(key) for key in graph.tokens if path.of(key) != key}
    renamed = {family.file: with_renamed_tokens(state.texts[family.file], graph, family.file, new_keys)}
    tokens = [graph.tokens[key] for key in new_keys]
    for file, other in state.graphs.items():
        if file != family.file:
            copies = _renamed_copies(other, tokens, path)
            if copies:
                renamed[file] = with_renamed_tokens(state.texts[file], other, file, copies)
    old, new_name = ("/".join(names(".".join(_plain(each)))) for each in (path.former, path.path))
    keys = {key: path.of(key) for graph in (*state.graphs.values(), *state.foreign.values()) for key in graph.tokens}
    configuration = TokenNames(project, keys, old, family.handle, is_group=source.is_group)
    text = configuration.text(new_name)
    without_id = [token for token in tokens if not token.id and not token.variable_key and token.type in RESOLVED_TYPES]
    is_recorded = bool(without_id) and _is_recorded(
        project, family.file, lambda graph: any(token.key in graph.tokens for token in without_id)
    )
    if without_id and (is_recorded or _has_moved(project, family.file, without_id)):
        entry = moved_entry("group" if source.is_group else "token", project, family, old, new_name)
        text = with_moved(project, text, entry, is_recorded=is_recorded)
    else:
        text = with_later_names(
            project, text, lambda entry: configuration.later(entry, new_name), _files(state, family)
        )
    labels = [f"{family.handle}/{each}" for each in (old, new_name)]
    new = _new_contents(project, state, renamed, text)
    _check_renamed(project, state, new, path, labels[1])
    return _written(project, new, labels, (*configuration.notes, *_names_kept(tokens)), dry_run=dry_run)


def _files(state: _State, family: Collection) -> tuple[str, ...]:
    """Return the files in ``[[moved]]`` entries about a collection; an empty one also means others with its handle."""
    handles = [handle for graph in (*state.graphs.values(), *state.foreign.values()) for _, handle in graph.collections]
    return (family.file, "") if handles.count(family.handle) == 1 else (family.file,)


def _is_recorded(project: Project, file: str, has: Callable[[TokenGraph], bool]) -> bool:
    """Return whether the lock or the last commit of git has an object, so that it may be on the platform by its name.

    The lock of an apply can wait on another branch, so an object that is only in a commit may have been applied.
    """
    if any(map(has, Lock(project.folder).graphs(file))):
        return True
    if work_tree(project.tokens_folder) is None:
        return False
    try:
        texts = Repository(project.tokens_folder, project.tokens_folder).files("HEAD", project.tokens_folder)
    except UsageError:  # such as an incomplete clone: an entry that is not necessary has no effect
        return True
    return has(read(texts, file)[0])


def _has_moved(project: Project, file: str, tokens: Iterable[Token]) -> bool:
    """Return whether a ``[[moved]]`` entry leads to one of these tokens, or there is no lock that could know it."""
    if not Lock(project.folder).graphs(file):
        return True
    moved = [moved for moved in project.config.moved if moved.file in ("", file)]
    paths = [(token.key.collection, "/".join(names(token.key.path)).split("/")) for token in tokens if moved]
    return any(
        each.collection == collection and path[: each.to.count("/") + 1] == each.to.split("/")
        for each in moved
        for collection, path in paths
    )


def _plain(steps: Sequence[str]) -> tuple[str, ...]:
    return tuple(step for step in steps if step != ROOT)


def rename_mode(project: Project, mode: str, name: str, *, dry_run: bool = False) -> Renamed:
    """Rename a mode, given as ``collection/mode``, in all files of the project.

    The mode's files, context and theme get the name in the form of handles. If the platform has renamed the mode
    already, the plan stays empty. Raises UsageError for an unknown mode or an unsuitable name, and ProblemsError if the
    project has errors.
    """
    state = _state(project)
    family, column = _mode(state, mode)
    former, new_slug = family.modes[column], _slug(name)
    is_current = name == new_slug == slug(former.name, MODE)
    name = former.name if is_current else name
    modes = renamed_modes(family, column, name, new_slug)
    texts = state.texts[family.file]
    renamed = with_renamed_modes(texts, family.file, family, modes)
    _check_mode_name(family, column, name, new_slug, renamed, texts)
    configuration = ModeNames(project, state.graphs.values(), family, modes)
    text = configuration.text()
    if not former.id:
        entry = moved_entry("mode", project, family, former.context, new_slug)
        is_recorded = _is_recorded(project, family.file, lambda graph: _has_mode(graph, family.key, former.context))
        text = with_moved(project, text, entry, is_recorded=is_recorded)
    else:
        text = with_later_names(project, text, configuration.later, _files(state, family))
    labels = [f"{family.handle}/{each}" for each in (former.context, new_slug)]
    new = _new_contents(project, state, {family.file: renamed}, text)
    return _written(project, new, labels, configuration.notes, dry_run=dry_run)


def _has_mode(graph: TokenGraph, key: FamilyKey, context: str) -> bool:
    return key in graph.collections and any(mode.context == context for mode in graph.collections[key].modes)


def _state(project: Project) -> _State:
    root = project.tokens_folder
    texts: dict[str, dict[str, bytes]] = {}
    foreign: dict[str, TokenGraph] = {}
    for each in chosen_files(project, ()):
        if foreign_files(root, each.name):
            foreign[each.name] = read_folder(root, each.name).graph
            continue
        texts[each.name] = {}
        for path in files_of(root, each.name):
            if is_token_file(path, each.name):
                with open_file(os.path.join(root, path)) as file:  # with its line ends
                    texts[each.name][path] = file.read()
    graphs: dict[str, TokenGraph] = {}
    problems: list[Problem] = []
    for name, of_file in texts.items():
        locked = locked_values(project.folder, name)
        graphs[name], found, *_ = read_folder(root, name, of_file, locked=locked)  # from the cache, if it is there
        problems += found
        if not any(problem.code in _UNREADABLE for problem in found):
            # The lock does not know the new names.
            texts[name] |= with_edited_colors(of_file, found, root, locked)
    errors = errors_among(problems)
    stop_on_errors([error for error in errors if error.code in _UNREADABLE])
    return _State(texts, graphs, foreign, errors)


def _mode(state: _State, text: str) -> tuple[Collection, int]:
    """Return the collection and the column of a mode. Raises UsageError for an unknown or ambiguous one."""
    plain = text.replace(" / ", "/")
    found: list[tuple[Collection, int]] = []
    by_present_name: list[tuple[Collection, int]] = []  # on the platform, in the form of handles
    known: list[str] = []
    for graph in state.graphs.values():
        for family in graph.collections.values():
            for column, mode in enumerate(family.modes):
                own = mode.collection == family.handle
                handles = (family.handle, family.name) if own else (mode.collection,)
                names = {f"{handle}/{each}" for handle in handles for each in (mode.context, mode.slug, mode.name)}
                names |= set() if own else {mode.context, f"{family.handle}/{mode.context}"}
                present = f"{handles[0]}/{slug(mode.name, MODE)}"
                if plain in names or plain in {f"{family.file}/{name}" for name in names}:
                    found.append((family, column))
                elif plain in (present, f"{family.file}/{present}"):
                    by_present_name.append((family, column))
                if own and family.origin == "local":
                    known.append(f"{family.handle}/{mode.context}")
    found = found or by_present_name
    if not found:
        raise state.absent(text, "no such mode", suggestion(plain, known))
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
    return slug(name, MODE)


def _check_mode_name(
    family: Collection, column: int, name: str, new_slug: str, renamed: RenamedFiles, texts: Mapping[str, bytes]
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


class _Source(NamedTuple):
    """A token or group to rename: its collection and its path. ``prefix`` is the part of its name before the path."""

    family: Collection
    path: str
    is_group: bool
    is_token: bool
    prefix: str


def _source(state: _State, text: str) -> _Source:
    """Return what a name means. Raises UsageError for an unknown or ambiguous one, with similar names."""
    spelled = text.replace(" / ", "/")
    is_root = spelled.endswith(("/$root", ".$root"))
    plain = spelled[: -len("/$root")] if is_root else spelled.rstrip("/")
    spellings = {plain.replace("/", "."), path_of(plain.split("/"))} if "/" in plain else {plain, path_of([plain])}
    found = _found(state.graphs.values(), spellings)
    if not found and (elsewhere := _found(state.foreign.values(), spellings)):
        what = f"the resolver document of {elsewhere[0].family.file} is another tool's"
        to_do = "rename it in these files, or with that tool"
        raise UsageError(f"{shortened(text)}: {what}, so tokensync only reads its files; {to_do}")
    source = _only(found, state, text, plain)
    if source.is_group and source.is_token:
        if plain == spelled:
            what = "a token and a group have this name"
            raise UsageError(f"{shortened(text)}: {what}; write {plain}/$root for the token, or {plain}/ for the group")
        return source._replace(is_group=not is_root, is_token=is_root)
    if is_root or (plain != spelled and not source.is_group):
        what = "it is a group without a token of its own" if source.is_group else "it is a token, not a group"
        raise UsageError(f"{shortened(text)}: {what}; write {plain}")
    return source._replace(is_token=False) if source.is_group else source


def _found(graphs: Iterable[TokenGraph], spellings: Iterable[str]) -> list[_Source]:
    """Return what these paths name, with the file and the collection if any does so."""
    found: dict[int, dict[FamilyKey, _Source]] = {}
    for graph in graphs:
        for token in graph.tokens.values():
            if token.id and token.id in spellings and token.origin == "local":
                family = graph.collection_of(token)
                return [_Source(family, token.key.path, is_group=False, is_token=True, prefix=f"{family.handle}.")]
        for family in graph.collections.values():
            for rank, prefix in enumerate((f"{family.file}.{family.handle}.", f"{family.handle}.", "")):
                for path in (spelling[len(prefix) :] for spelling in spellings if spelling.startswith(prefix)):
                    kinds = _kinds(graph, family, path) if family.origin == "local" else ()
                    if kinds:
                        source = _Source(family, path, "group" in kinds, "token" in kinds, prefix)
                        found.setdefault(rank, {}).setdefault(family.key, source)
    return [*found[min(found)].values()] if found else []


def _only(found: Sequence[_Source], state: _State, text: str, plain: str) -> _Source:
    if not found:
        if any(plain == each.handle for graph in state.graphs.values() for each in graph.collections.values()):
            raise state.absent(text, "it is a collection", "name a token or group in it")
        keys = [
            key for graph in state.graphs.values() for key, token in graph.tokens.items() if token.origin == "local"
        ]
        paths = [(key.collection, *names(key.path)) for key in keys]
        known = dict.fromkeys("/".join(path[:end]) for path in paths for end in range(2, len(path) + 1))
        similar = nearest(plain.replace(".", "/"), known)
        to_do = f"did you mean {similar}?" if similar else "tokensync tokens list shows all tokens"
        raise state.absent(text, "no such token or group", to_do)
    if len(found) > 1:
        choices = listed([f"{source.family.file}.{source.family.handle}.{source.path}" for source in found], 10)
        raise UsageError(f"{shortened(text)}: {len(found)} collections have it; use one of: {choices}")
    return found[0]


def _kinds(graph: TokenGraph, family: Collection, path: str) -> set[str]:
    """Return what is at a path: a token, a group, or both."""
    kinds = {"token"} if TokenKey(*family.key, path) in graph.tokens else set()
    if any(key[:2] == family.key and key.path.startswith(f"{path}.") for key in graph.tokens):
        kinds.add("group")
    return kinds


def _new_path(state: _State, source: _Source, former: str, text: str) -> NewPath:
    """Return the new path. Raises UsageError if the name is not valid, or if it exists."""
    family, graph = source.family, state.graphs[source.family.file]
    where = shortened(text)
    steps = _steps(source, text, state)
    own_kinds = _kinds(graph, family, source.path)
    is_root = source.is_token and "group" in own_kinds
    former_steps = (*source.path.split("."), *((ROOT,) if is_root else ()))
    path = ".".join(steps)
    if path == source.path:
        raise UsageError(f"{where}: it already has this name; write another")
    if source.is_group and f"{path}.".startswith(f"{source.path}."):
        raise UsageError(f"{where}: a group cannot be moved into itself; rename its tokens one by one")
    kinds = _kinds(graph, family, path)
    texts = state.texts[family.file]
    new_steps = (*steps, ROOT) if "group" in kinds and not source.is_group else steps
    # After an interrupted renaming, or one in a single file, no file has both names.
    in_files = defining_files(texts, family, former_steps, new_steps)
    if (kinds & ({"token", "group"} if source.is_group else {"token"})) and (
        in_files[0] & in_files[1] or not state.errors
    ):
        what = f"the collection {family.handle} already has a {'group' if 'group' in kinds else 'token'} of this name"
        raise UsageError(f"{where}: {what}; use another name")
    for end in range(1, len(steps)):
        group = ".".join(steps[:end])
        if "token" in _kinds(graph, family, group) and group != source.path:
            parent = "/".join(names(group))
            raise UsageError(f"{where}: {parent} is a token, which can contain no others; use another name")
    if not in_files[0]:
        what = f"no file contains {shortened(former)}: its group inherits it through $extends"
        raise UsageError(f"{where}: {what}; rename it in the group that it comes from")
    others = frozenset(
        key.path for key, token in graph.tokens.items() if key[:2] == family.key and token.origin != "local"
    )
    return NewPath(family.file, family.handle, former_steps, new_steps, source.is_group, others)


def _steps(source: _Source, text: str, state: _State) -> tuple[str, ...]:
    """Return the steps of a new name, which begins like the former one or within the collection."""
    family = source.family
    spelled = text.replace(" / ", "/")
    spelled = spelled.removesuffix("/") if source.is_group else spelled
    parts = spelled.split("/") if "/" in spelled else spelled.split(".")
    if parts[0] == family.file and source.prefix.startswith(f"{family.file}."):
        parts = parts[1:]
    graphs = state.graphs.values()
    others = {collection.handle for graph in graphs for collection in graph.collections.values()} - {family.handle}
    if len(parts) > 1 and parts[0] == family.handle and not _kinds(state.graphs[family.file], family, family.handle):
        parts = parts[1:]
    elif len(parts) > 1 and parts[0] in others and source.prefix:
        what = f"a variable cannot move from {family.handle} to another collection"
        raise UsageError(f"{shortened(text)}: {what}; begin the name with {family.handle}/")
    for part in parts:
        flaw = next((each for each in "{}." if each in part), "") or ("$" if part[:1] == "$" else "")
        if not part.strip() or flaw:
            what = f"a name cannot contain {flaw}" if flaw else "a name is empty"
            if flaw == "$":
                what = "a name cannot begin with $"
            raise UsageError(f"{shortened(text)}: {what}; correct it")
    return tuple(encoded(part) for part in parts)


def _renamed_copies(graph: TokenGraph, tokens: Sequence[Token], new: NewPath) -> dict[TokenKey, TokenKey]:
    """Return the new keys of a file's copies of a library's tokens that are renamed."""
    homes = {token.variable_key: token.key for token in tokens if token.variable_key}
    copies: dict[TokenKey, TokenKey] = {}
    for key, token in graph.tokens.items():
        home = homes.get(token.variable_key) if token.origin == "remote" else None
        if home is not None and home.path == key.path:
            copies[key] = key._replace(path=new.of(home).path)
    return copies


def _names_kept(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield a note about tokens whose identifiers come from code syntax, and so stay."""
    named = [token for token in tokens if token.code_syntax]
    if named:
        platforms = ",".join(dict.fromkeys(platform.lower() for token in named for platform, _ in token.code_syntax))
        what = "has its name in code" if len(named) == 1 else "have their names in code"
        yield (
            f"{counted(len(named), 'token')} {what} from code syntax, which does not change; "
            f"tokensync plan --code-syntax {platforms} changes it"
        )


def _check_renamed(project: Project, state: _State, new: _NewContents, path: NewPath, label: str) -> None:
    """Raise UsageError if other tokens change, too, or if identifiers collide."""
    from tokensync.normalize.graph import linked

    if state.errors:  # of an interrupted renaming: the state before is not known
        return
    keys = {path.of(key) for key in state.graphs[path.file].tokens}
    if others := [str(key) for key in new.graphs[path.file].tokens if key not in keys]:
        what = f"groups that extend others would get new tokens ({listed(others)})"
        raise UsageError(f"{label}: {what}; rename it by hand")
    naming = naming_by_platform(project)
    platforms = [each for each in naming if has_names(each)] or DEFAULTS
    before, after = (
        names_on_platforms(linked([*graphs.values(), *state.foreign.values()]), naming, platforms).problems
        for graphs in (state.graphs, new.graphs)
    )
    collisions = [problem for problem in after if problem.code == "identifier-collision" and problem not in before]
    if collisions and len(after) > len(before):
        raise UsageError(f"{label}: {collisions[0].where}: {collisions[0].what}; use another name")


class _NewContents(NamedTuple):
    """The new contents of the configuration and of the token files by design file, and the graphs in these."""

    configuration: bytes
    moved: bool
    renamed: Mapping[str, RenamedFiles]
    graphs: Mapping[str, TokenGraph]


def _new_contents(project: Project, state: _State, renamed: Mapping[str, RenamedFiles], text: str) -> _NewContents:
    """Return all new contents. Raises ProblemsError if they have errors."""
    from tokensync.normalize.graph import linked

    raw = text.encode("utf-8")
    config = parse_config(raw, project.source)
    graphs: dict[str, TokenGraph] = {}
    problems: list[Problem] = []
    for file, texts in state.texts.items():
        new = renamed.get(file, RenamedFiles({}))
        after = {path: each for path, each in {**texts, **new.contents}.items() if path not in new.removed}
        graphs[file], found = read(after, file, shown_below=f"{project.tokens_folder.rstrip('/')}/")
        problems += found
    stop_on_errors(errors_among(problems))
    configured_themes(linked([*graphs.values(), *state.foreign.values()]), replace(project, config=config, text=raw))
    return _NewContents(raw, len(config.moved) > len(project.config.moved), renamed, graphs)


def _written(
    project: Project, new: _NewContents, labels: Sequence[str], notes: Iterable[str], *, dry_run: bool
) -> Renamed:
    """Write all new contents, unless ``dry_run``: the configuration, then the token files."""
    is_changed = new.configuration != project.text
    changed = [project.source] if is_changed else []
    removed: list[str] = []
    if is_changed and not dry_run:
        replace_file(os.path.realpath(project.source), new.configuration)
    for file, of_file in new.renamed.items():
        changed += (os.path.join(project.tokens_folder, path) for path in of_file.contents)
        removed += (os.path.join(project.tokens_folder, path) for path in of_file.removed)
        if not dry_run:
            replace_files(project.tokens_folder, file, of_file.contents, of_file.removed)
    changed, removed = ([project.shown(path) for path in paths] for paths in (changed, removed))
    return Renamed(labels[0], labels[1], tuple(changed), tuple(removed), new.moved, tuple(notes))


# --- names in the configuration ---------------------------------------------------------------------------------------


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
