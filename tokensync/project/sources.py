"""Token graphs from saved responses and from a project's token files."""

from __future__ import annotations

import os
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.normalize.graph import linked
from tokensync.normalize.mapping import (
    RESOLVED_TYPES,
    TypeRule,
    TypeRules,
    fitting_scopes,
    is_inferred,
    name_of_path,
)
from tokensync.normalize.numbers import types_in_code
from tokensync.project.configuration import AS_DECLARED, FILE_NAME, Levels, Project, locator
from tokensync.project.outputs import digest_of
from tokensync.settings import DefaultConfig, FileConfig
from tokensync.system.boundary import is_within
from tokensync.system.disk import content_of, relative_path
from tokensync.system.errors import UsageError, errors_among, stop_on_errors
from tokensync.system.problems import Problem, problem
from tokensync.system.token_files import named_files, texts_of
from tokensync.system.wording import argument, listed, shortened, suggestion
from tokensync.tokens.values import KEYWORDS, Alias, public_type, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.dtcg import Reading
    from tokensync.dtcg.assembly import LockedValue
    from tokensync.extract.wire import Snapshot
    from tokensync.project.lock import Lock
    from tokensync.system.stat_manifest import Recording
    from tokensync.tokens import TokenGraph

    Texts = Mapping[str, Mapping[str, bytes]]
    """The contents of token files by design file and path."""
    from tokensync.normalize.composites import Assembly
    from tokensync.normalize.mapping import ResolvedType
    from tokensync.tokens import Token, TokenKey


STRAYS = ("token-file-unread", "token-files-forgotten")
"""The codes of files in a tokens folder that are not read."""


class Source(NamedTuple):
    """A graph with its problems. ``assemblies`` tells how some tokens were assembled.

    ``digest`` is that of a project's token files.
    """

    graph: TokenGraph
    problems: tuple[Problem, ...]
    digest: str = ""
    assemblies: Mapping[TokenKey, Assembly] = {}


_ADVISE_RULES = ("number-unit-unknown", "ratio-as-length", "opacity-mixed")


def from_snapshot(
    local: str,
    published: str | None = None,
    *,
    only_published: bool = False,
    include_hidden: bool = True,
    levels: Levels = AS_DECLARED,
) -> Source:
    """Return the graph of a saved response, named after the response's file.

    Raises UsageError for an unreadable file, and ProblemsError for an invalid response and for problems that are errors
    by their ``levels``.
    """
    from tokensync.extract.wire import snapshot
    from tokensync.normalize.findings import findings
    from tokensync.normalize.graph import normalize
    from tokensync.normalize.mapping import TypeRules, slug
    from tokensync.normalize.numbers import unclear_numbers

    raw_local = read_file(local)
    raw_published = read_file(published) if published else None
    name = slug(os.path.basename(local).partition(".")[0], "file")
    responses = snapshot(name, raw_local, raw_published, source=local, published_source=published or "")
    omitted: tuple[Problem, ...] = ()
    if only_published or not include_hidden:
        from tokensync.extract.wire import withhold

        responses, omitted = withhold(responses, only_published=only_published, include_hidden=include_hidden)
    rules = TypeRules()
    graph, problems = normalize(responses, rules)
    del raw_local, responses  # frees the memory of a large response
    advised = (
        problem._replace(what_to_do=f"{problem.what_to_do} (rules apply to pulled token files, not with --snapshot)")
        if problem.code in _ADVISE_RULES
        else problem
        for problem in (*findings(graph), *unclear_numbers(graph, rules))
    )
    found = levels.applied((*omitted, *problems, *advised))
    stop_on_errors(found)
    return Source(graph, found)


def project_texts(project: Project, files: Sequence[str] = ()) -> Texts:
    """Return the contents of the token files of these design files (empty means all)."""
    return {file.name: texts_of(project.tokens_folder, file.name) for file in chosen_files(project, files)}


def texts_at(project: Project, state: str, files: Sequence[str] = ()) -> Texts:
    """Return the contents of the token files of these design files (empty means all) at ``git:REVISION``.

    Raises UsageError, which names the state, for an unknown revision, and for one without token files of a design file.
    """
    from tokensync.dtcg.reading import is_token_file
    from tokensync.system.git import Repository

    contents = Repository(project.folder, state).files(state.removeprefix("git:"), project.tokens_folder)
    texts: dict[str, dict[str, bytes]] = {}
    for file in chosen_files(project, files):
        named = named_files(contents.get(f"{file.name}.resolver.json", b""))
        texts[file.name] = {
            path: content.replace(b"\r\n", b"\n")
            for path, content in contents.items()
            if path in named or is_token_file(path, file.name)
        }
        if not texts[file.name]:
            raise UsageError(f"{state}: no token files of {file.name}; name a revision that has them")
    return texts


def project_digest(texts: Texts) -> str:
    """Return the digest of the files that are read, including files without tokens."""
    parts: list[bytes] = []
    for name, of_file in texts.items():
        named = named_files(of_file.get(f"{name}.resolver.json", b""))
        for path, content in of_file.items():
            if path in named or _is_usual(path):
                parts += (path.encode("utf-8", "surrogateescape"), content)
    return digest_of(parts)


def from_project(
    project: Project,
    files: Sequence[str] = (),
    *,
    required: Sequence[str] = (),
    texts: Texts | None = None,
    digest: str = "",
) -> Source:
    """Return the graph of the token files of these design files (empty means all) for outputs.

    It has the tokens that ``[[composites]]`` rules assemble. ``texts`` are the contents of the files, if already read,
    and ``digest`` is theirs, if known. The digest of the source includes that of the lock if it decides about a colour
    or about defaults.
    Raises ProblemsError for invalid token files, if one of the ``required`` design files (empty means all) has no token
    files, and for problems that are errors by their levels.
    """
    from tokensync.normalize.findings import findings
    from tokensync.normalize.graph import linked
    from tokensync.normalize.numbers import with_rules, with_types_in_code
    from tokensync.project.lock import conflicts_of_lock
    from tokensync.tokens import with_exact_colors

    graphs: list[TokenGraph] = []
    problems: list[Problem] = [*conflicts_of_lock(project.folder), *strays(project)]
    foreign: set[str] = set()
    texts = project_texts(project, files) if texts is None else texts
    for name, of_file in texts.items():
        reading = read_tokens(project, name, of_file)
        if not reading.files and (not required or name in required):
            problems.append(absent_files(project, name, [*problems, *reading.problems]))
        graphs.append(reading.graph)
        problems += reading.problems
        if reading.is_foreign:
            foreign.add(name)
    stop_on_errors(project.levels.applied(problems))
    rules = rules_of(project, graphs)
    graph = with_defaults(project, with_exact_colors(linked(graphs), partial(is_in_display_p3, project)))
    graph = with_rules(graph, rules)
    graph = with_types_in_code(graph, rules)
    assemblies: Mapping[TokenKey, Assembly] = {}
    if project.config.composites:
        from tokensync.normalize.composites import assembled

        is_whole = len(texts) == len(project.config.files)
        graph, assemblies, of_rules = assembled(graph, project.config.composites, is_whole=is_whole)
        where = locator(project.text, project.source)
        problems += (problem(code, where(("composites", rule)), *text) for rule, code, *text in of_rules)
    found = project.levels.applied((*dict.fromkeys(problems), *findings(graph, foreign)))
    stop_on_errors(found)
    digest = digest or project_digest(texts)
    if project.config.defaults or any(problem.code == "color-edited" for problem in problems):
        from tokensync.project.lock import LOCK

        digest = digest_of((digest.encode(), content_of(os.path.join(project.folder, LOCK)) or b""))
    return Source(graph, found, digest, assemblies)


def absent_files(project: Project, name: str, found: Sequence[Problem]) -> Problem:
    """Return the problem of a design file without token files; ``found`` are those of other files of the folder."""
    where = os.path.join(project.tokens_folder, name)
    if path := misplaced(project, name):
        tokens = os.path.relpath(os.path.dirname(path), project.folder).replace(os.sep, "/")
        what = f"there are no token files here, but there is {project.shown(path)}"
        to_do = f'set tokens = "{tokens}" in {os.path.basename(project.source)}, or run tokensync pull --file {name}'
        return problem("token-files-absent", where, what, to_do)
    folder = os.path.basename(project.tokens_folder)
    others = other_files(project, found)
    if not others:
        return problem(
            "token-files-absent", where, "there are no token files", f"run tokensync pull --file {name} first"
        )
    what = f"there are no token files here, but there {'is' if len(others) == 1 else 'are'} {listed(others)}"
    source = others[0] if len(others) == 1 else os.path.commonpath(others) or "."
    to_do = (
        f"run tokensync migrate {argument(source)} --to {name} to make variables and token files of them, put DTCG "
        f"2025.10 files at {folder}/{name}/COLLECTION/MODE.tokens.json, name them in a resolver document "
        f"{folder}/{name}.resolver.json, or run tokensync pull --file {name}"
    )
    return problem("token-files-absent", where, what, to_do)


def misplaced(project: Project, file: str = "") -> str:
    """Return the resolver document of a design file (empty means any) in another folder: ``tokens`` may be mistyped."""
    from tokensync.dtcg.strays import files_of_project

    names = {f"{file}.resolver.json"} if file else {f"{each.name}.resolver.json" for each in project.config.files}
    return next((path for path in files_of_project(project.folder) if os.path.basename(path) in names), "")


def other_files(project: Project, found: Sequence[Problem]) -> list[str]:
    """Return the files of a project that look like token files but are not read; ``found`` are their problems, if any.

    Paths are relative to the folder that has the tokens folder.
    """
    from tokensync.dtcg import near_files

    below = os.path.dirname(project.tokens_folder)
    strays = [relative_path(problem.where, below) for problem in found if problem.code in STRAYS]
    return strays or [*near_files(project.folder)]


def strays(project: Project, texts: Texts | None = None) -> tuple[Problem, ...]:
    """Return the problems of token files that are not read: those of the tokens folder, and others in the project.

    With ``texts``, include files in the folders of design files.
    """
    from tokensync.dtcg import strays_beside, strays_elsewhere, strays_in

    folder, names = project.tokens_folder, [file.name for file in project.config.files]
    is_shared = is_within(project.folder, folder)
    problems: list[Problem] = []
    with suppress(OSError), os.scandir(folder) as entries:
        own = {*names, *(f"{name}.resolver.json" for name in names)}
        if any(entry.name not in own and entry.name[:1] != "." for entry in entries):
            problems += strays_beside(folder, names, is_shared=is_shared)
    if os.path.isdir(folder) and not is_shared:
        place = project.shown(project.path(project.config.tokens, names[0] if names else "FILE"))
        problems += strays_elsewhere(project.folder, place, *_places_of_others(project))
    for name, of_file in (texts or {}).items():
        if not all(_is_usual(path) for path in of_file):
            problems += strays_in(folder, name, of_file)
    return tuple(problems)


def _places_of_others(project: Project) -> tuple[set[str], tuple[str, ...]]:
    """Return the folders and files without strays of other folders, and the names of files in other projects."""
    outputs = {project.path(output.path) for output in project.config.outputs}
    saved = project.config.base_url.removeprefix("snapshot:")
    outputs |= {project.path(saved)} if saved != project.config.base_url else set()
    return outputs | {project.tokens_folder, project.path(project.config.tokens)}, (FILE_NAME, ".git")


def record_strays(project: Project, recording: Recording) -> None:
    """Record the folders in which ``strays`` would find a new file."""
    from tokensync.dtcg.strays import searched_folders

    if is_within(project.folder, project.tokens_folder):
        recording.listing(project.tokens_folder)
        return
    recording.tree(project.tokens_folder, ".json")
    for path, _ in searched_folders(project.folder, *_places_of_others(project)):
        recording.listing(path)


def unlisted_modes(project: Project, texts: Texts) -> tuple[Problem, ...]:
    """Return the problems of the modes that the resolver documents of design files do not list."""
    problems: tuple[Problem, ...] = ()
    for name, of_file in texts.items():
        if any(
            f'"{path}"'.encode() not in of_file.get(f"{name}.resolver.json", b"") for path in of_file if "/" in path
        ):
            from tokensync.dtcg import unlisted_in

            problems += unlisted_in(project.tokens_folder, name, of_file)
    return problems


def _is_usual(path: str) -> bool:
    """Return whether a path is that of a token file of tokensync, or of a resolver document."""
    steps = path.split("/")
    depth = 4 if len(steps) > 1 and steps[1][:1] == "." else 3
    return path.endswith(".resolver.json" if len(steps) == 1 else ".tokens.json") and len(steps) in (1, depth)


def read_tokens(
    project: Project, file: str, texts: Mapping[str, bytes] | None = None, *, like: TokenGraph | None = None
) -> Reading:
    """Read the token files of a design file, as ``dtcg.read_folder`` does, with the values in the project's lock.

    ``like`` is the file's graph on the platform. Token files may refer to all library tokens in it, and have only those
    that something referred to at the last pull.
    """
    from tokensync.dtcg import present_files, read_folder

    @cache
    def values() -> LockedValue:
        from tokensync.project.lock import locked_values

        return locked_values(project.folder, file)

    def reading_of(texts: Mapping[str, bytes] | None) -> Reading:
        located = lambda *where: values()(*where)  # noqa: E731, PLW0108
        return read_folder(project.tokens_folder, file, texts, like=like, locked=located)

    reading = reading_of(texts)
    if like is None or all(problem.code != "token-reference" for problem in reading.problems):
        return reading
    present = present_files(project.tokens_folder, file) if texts is None else texts
    again = reading_of({**present, **_library_texts(file, like, reading)})
    return again if len(errors_among(again.problems)) < len(errors_among(reading.problems)) else reading


def _library_texts(file: str, graph: TokenGraph, reading: Reading) -> dict[str, bytes]:
    """Return the token files of all library collections of a graph, without those with another handle in a reading."""
    from tokensync.dtcg import write
    from tokensync.tokens import TokenGraph as Graph

    handles = {collection.id: collection.handle for collection in reading.graph.collections.values()}
    taken = {*handles.values()}
    libraries = {
        key: collection
        for key, collection in graph.collections.items()
        if collection.origin == "remote"
        and handles.get(collection.id, collection.handle) == collection.handle
        and (collection.id in handles or collection.handle not in taken)
    }
    tokens = (token for token in graph.tokens.values() if token.origin == "remote" and token.key[:2] in libraries)
    texts = write(Graph(libraries.values(), tokens), file)
    return {output.path: output.content for output in texts if "/.remote/" in output.path}


def graph_of(project: Project, snapshot: Snapshot) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the graph of a file of the platform, with types by the project's rules, and its problems.

    A rule also finds a collection by the name that it had at the last pull, which the token files tell.
    """
    from tokensync.normalize.graph import normalize

    rules = rules_of(project)
    graph, problems = normalize(snapshot, rules)
    names = {each.id: each.name for each in graph.collections.values() if each.origin == "local"}
    patterns = [rule.collection for rule in rules.own if rule.collection is not None]
    if all(any(fnmatchcase(name, pattern) for name in names.values()) for pattern in patterns):
        return graph, problems
    in_files = read_tokens(project, snapshot.file, like=graph).graph.collections.values()
    present = rules.with_present_names(
        (collection.handle, names[collection.id]) for collection in in_files if collection.id in names
    )
    return (graph, problems) if present is rules else normalize(snapshot, present)


def write_edited_colors(project: Project, file: str) -> None:
    """Write the colours of a design file that the lock decides about, so that the lock may change."""
    from tokensync.dtcg import write_edited_colors
    from tokensync.project.lock import locked_values

    write_edited_colors(project.tokens_folder, file, locked_values(project.folder, file))


def is_in_display_p3(project: Project, file: str) -> bool:
    """Return whether an output says that the components of a design file's colours are in Display P3."""
    return any(
        output.options.get("profile") == "display-p3" and (not output.files or file in output.files)
        for output in project.config.outputs
    )


def chosen_files(project: Project, names: Sequence[str]) -> tuple[FileConfig, ...]:
    """Return the configured design files with these names (empty means all). Raises UsageError for unknown names."""
    configured = {file.name: file for file in project.config.files}
    if not configured:
        raise UsageError(f"{project.source}: no design file is configured; add a [[files]] table with name and key")
    for name in names:
        if name not in configured:
            what = f"--file {name}: no such file is configured"
            raise UsageError(f"{what}; {suggestion(name, tuple(configured))}")
    return tuple(configured[name] for name in names) if names else project.config.files


def read_file(path: str) -> bytes:
    """Return the content of a file or pipe from the command line. Raises UsageError if it is unreadable."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        if os.path.isdir(path):
            raise UsageError(f"{path}: this is a folder; {_file_in(path)}") from None
        raise UsageError(f"{path}: cannot read it ({error.strerror}); check the path and its permissions") from None


def _file_in(folder: str) -> str:
    """Return the advice to name a file of a folder, as ``pull --snapshot-out`` writes them."""
    found = sorted(
        (each for each in os.listdir(folder) if each.endswith(".json")), key=lambda each: "local" not in each
    )
    return f"name a file in it, such as {os.path.join(folder, found[0])}" if found else "name a file with a response"


# --- defaults --------------------------------------------------------------------------------------------------------


def default_of(project: Project, graph: TokenGraph, token: Token) -> DefaultConfig:
    """Return the settings of ``[[defaults]]`` for the variable of a token, as one entry."""
    family, kind = graph.collection_of(token), RESOLVED_TYPES.get(token.type)
    if kind is None or token.origin != "local":
        return DefaultConfig()
    name = name_of_path(token.key.path)
    entries = [
        entry
        for entry in project.config.defaults
        if fnmatchcase(name, entry.path)
        and (fnmatchcase(family.name, entry.collection) or fnmatchcase(family.handle, entry.collection))
    ]
    return DefaultConfig(
        scopes=next(filter(None, (fitting_scopes(kind, entry.scopes) for entry in entries)), ()),
        hidden=next((entry.hidden for entry in entries if entry.hidden is not None), None),
        code_syntax=next((entry.code_syntax for entry in entries if entry.code_syntax is not None), ()),
    )


def with_defaults(project: Project, graph: TokenGraph, lock: Lock | None = None) -> TokenGraph:
    """Return the graph of token files with the defaults for members that tokens do not have.

    They are for new variables. Other tokens get the members that they have in the lock; without a lock, those of tokens
    with an id stay as they are. ``lock`` is that of the project, if the caller has already opened it.
    """
    if not project.config.defaults:
        return graph
    from tokensync.project.lock import Lock

    lock = lock or Lock(project.folder)
    known: dict[TokenKey | tuple[str, str], Token] = {}
    for base in chain.from_iterable(map(lock.graphs, {key[0] for key in graph.collections})):
        for token in base.tokens.values():
            known[token.key] = token
            if token.id:
                known[token.key.file, token.id] = token
    changed: dict[TokenKey, Token] = {}
    for key, token in graph.tokens.items():
        default = default_of(project, graph, token)
        source = known.get((key.file, token.id)) or known.get(key) or (token if token.id else default)
        if default.scopes and not token.scopes:
            changed[key] = replace(token, scopes=source.scopes)
        if default.hidden is not None and source.hidden:
            changed[key] = replace(changed.get(key, token), hidden=True)
    return graph.replaced(changed)


def without_defaults(project: Project, graph: TokenGraph, before: Callable[[TokenKey], Token | None]) -> TokenGraph:
    """Return a graph as token files write it: without members that are the default, unless a token had them before."""
    changed: dict[TokenKey, Token] = {}
    for key, token in graph.tokens.items() if project.config.defaults else ():
        default, was = default_of(project, graph, token), before(key)
        if set(token.scopes) == {*default.scopes} and not (was and was.scopes):
            changed[key] = replace(token, scopes=())
        if default.hidden and token.hidden and not (was and was.hidden):
            changed[key] = replace(changed.get(key, token), hidden=False)
    return graph.replaced(changed)


# --- type rules ------------------------------------------------------------------------------------------------------


def rules_of(project: Project, in_files: Iterable[TokenGraph] = ()) -> TypeRules:
    """Return the project's type rules, followed by the built-in ones.

    In the graphs ``in_files``, collections have the handles of token files, so rules find them by former names, too.
    """
    rules = TypeRules(
        tuple(
            TypeRule(
                type=rule.type,
                unit=rule.unit or "",
                resolved_type=rule.resolved_type,
                scopes=rule.scopes,
                path=rule.path,
                collection=rule.collection,
            )
            for rule in project.config.types
        )
    )
    if all(rule.collection is None for rule in rules.own):
        return rules
    return rules.with_present_names(
        (each.handle, each.name) for graph in in_files for each in graph.collections.values() if each.origin == "local"
    )


def type_rule_problems(
    project: Project, graphs: Sequence[TokenGraph], in_files: Sequence[TokenGraph]
) -> Iterator[Problem]:
    """Yield the problems of rules without effect, and of variables that match a rule but cannot have its type.

    ``graphs`` are the platform's state of the design files, and ``in_files`` those with the handles of token files. If
    some files are missing, a rule that matches nothing is not a problem: it may match in these files.
    """
    rules = rules_of(project, in_files).own
    if not rules:
        return
    variables = [
        _Variable(token, RESOLVED_TYPES[token.type], name_of_path(token.key.path), graph.collection_of(token).name)
        for graph in graphs
        for token in graph.tokens.values()
        if token.origin != "absent" and token.type in RESOLVED_TYPES and not graph.collection_of(token).is_of_styles
    ]
    is_whole = len(graphs) == len(project.config.files)
    with_units = types_in_code(linked(graphs), TypeRules(rules))
    problems = [
        (index, *texts)
        for index, rule in enumerate(rules)
        for texts in _problems(rule, rules, index, variables, with_units, is_whole=is_whole)
    ]
    if problems:
        where = locator(project.text, project.source)
        yield from (problem(code, where(("types", index)), what, to_do) for index, code, what, to_do in problems)


class _Variable(NamedTuple):
    """The properties of a variable that rules match, and its token."""

    token: Token
    resolved_type: ResolvedType
    name: str
    collection: str

    def matches(self, rule: TypeRule) -> bool:
        return rule.matches(self.resolved_type, self.token.scopes, self.name, self.collection)

    def is_decided_by(self, rule: TypeRule) -> bool:
        return rule.type_for(self.resolved_type) is not None and self.matches(rule)

    def is_changed(self, rule: TypeRule, without: TypeRules) -> bool:
        """Return whether the rule decides what ``without`` it would follow from aliases and names, or differently."""
        if self.resolved_type == "FLOAT" and is_inferred(self.token.scopes):
            other = without.own_rule("FLOAT", self.token.scopes, self.name, self.collection)
            return other is None or other.type != rule.type
        other_type = without.type_of(self.resolved_type, self.token.scopes, self.name, self.collection)
        return other_type != rule.type_for(self.resolved_type)


def _problems(
    rule: TypeRule,
    rules: Sequence[TypeRule],
    index: int,
    variables: Sequence[_Variable],
    with_units: Container[TokenKey],
    *,
    is_whole: bool,
) -> Iterator[tuple[str, str, str]]:
    """Yield the code, error and remedy of each problem of a rule; ``with_units`` have a type or unit in code only."""
    contradiction = _contradiction(rule)
    if contradiction is not None:
        yield "type-rule-unused", *contradiction
        return
    matched = [variable for variable in variables if variable.matches(rule)]
    unfit = [variable for variable in matched if not variable.is_decided_by(rule)]
    decided = [variable for variable in matched if variable.is_decided_by(rule)]
    undecided = [variable for variable in decided if not any(map(variable.is_decided_by, rules[:index]))]
    without = TypeRules((*rules[:index], *rules[index + 1 :]))
    is_in_code_only = bool(rule.unit) or rule.is_in_code
    changed = [variable for variable in undecided if is_in_code_only or variable.is_changed(rule, without)]
    refused = [variable for variable in changed if variable.token.type != rule.type_for(variable.resolved_type)]
    if unfit:
        types = " and ".join(dict.fromkeys(variable.resolved_type for variable in unfit))
        what = f"{_some(unfit, matched, 'is', 'are')} {types} and cannot be {rule.type} ({_names(unfit)})"
        yield "type-rule-unfit", what, _remedy(rule, unfit[0].resolved_type, has_others=bool(decided))
    if refused:
        types = " and ".join(dict.fromkeys(variable.token.public_type for variable in refused))
        reason = f"{_some(refused, matched, 'has', 'have')} values that are not font weights"
        stays = "stays" if len(refused) == 1 else "stay"
        what = f"{reason} and {stays} {types} ({_names(refused, with_values=True)})"
        yield "type-rule-unfit", what, "correct the values, or narrow the path of the rule"
    unread = [variable for variable in undecided if rule.is_in_code and variable.token.key not in with_units]
    aliases = [variable for variable in unread if any(isinstance(value, Alias) for value in variable.token.values)]
    noun = {"duration": "durations", "css": "values of CSS"}.get(rule.type, "curves")
    if aliases:
        refer = _some(aliases, matched, "refers", "refer")
        what = f"{refer} to variables that are not {noun}, and cannot be {noun} ({_names(aliases)})"
        yield "type-rule-unfit", what, "add a rule for these variables"
    texts = [variable for variable in unread if variable not in aliases]
    if texts:
        names = _names(texts, with_values=True)
        what = f"{_some(texts, matched, 'has', 'have')} texts that are not {noun} and stay strings ({names})"
        yield "type-rule-unfit", what, f"write {_TEXTS[rule.type]}, or narrow the path of the rule"
    if unfit or changed:
        return
    if not matched:
        if is_whole:
            yield "type-rule-unused", *_why_nothing_matches(rule, variables)
    elif not undecided:
        yield "type-rule-unused", f"an earlier rule decides the type of {_all(matched)}", "move it before that rule"
    else:
        yield "type-rule-unused", f"without it, {_all(matched)} would have the same type", "remove it"


_TEXTS = {"duration": '"200ms"', "cubicBezier": '"cubic-bezier(0.2, 0, 0, 1)"', "css": '"uppercase"'}


def _contradiction(rule: TypeRule) -> tuple[str, str] | None:
    """Return the error and remedy of a rule that can never match; None for other rules."""
    if rule.resolved_type is not None and rule.type_for(rule.resolved_type) is None:
        fitting = " or ".join(f'"{type_}"' for type_ in _resolved_types(rule))
        return f"no {rule.resolved_type} variable can be {rule.type}", f"write resolved_type = {fitting}"
    if rule.scopes == ():
        return "an empty list of scopes matches no variable", "add scopes, or remove the setting"
    return None


def _why_nothing_matches(rule: TypeRule, variables: Sequence[_Variable]) -> tuple[str, str]:
    """Return the error and remedy of a rule that matches no variable of the project."""
    for member in ("resolved_type", "scopes", "path", "collection"):
        value = getattr(rule, member)
        alone = TypeRule(type=rule.type, **{member: value})
        if value is not None and not any(variable.matches(alone) for variable in variables):
            text = ", ".join(value) if isinstance(value, tuple) else value
            collections = sorted({variable.collection for variable in variables})
            remedy = suggestion(text, collections, quoted=True) if member == "collection" else f"correct the {member}"
            return f"no variable matches its {member} ({shortened(text)})", remedy
    return "no variable matches all of its conditions", "correct them, or remove it"


def _remedy(rule: TypeRule, resolved_type: str, *, has_others: bool) -> str:
    possible = _resolved_types(rule)
    if has_others:
        return f'add resolved_type = "{possible[0]}"' if len(possible) == 1 else "narrow its path"
    names = (name for name, resolved in RESOLVED_TYPES.items() if resolved == resolved_type and name not in KEYWORDS)
    types = dict.fromkeys(map(public_type, names))
    fitting = " or ".join(f'"{type_}"' for type_ in types)
    return f"write type = {fitting}, or correct its conditions"


def _resolved_types(rule: TypeRule) -> list[str]:
    return [each for each in ("COLOR", "FLOAT", "STRING", "BOOLEAN") if rule.type_for(each) is not None]


def _some(some: Sequence[_Variable], matched: Sequence[_Variable], singular: str, plural: str) -> str:
    """Return the subject and verb of a sentence about some of the matching variables."""
    if len(some) == len(matched):
        return f"{_all(matched)} {singular}"
    return f"{len(some)} of the {len(matched)} matching variables {singular if len(some) == 1 else plural}"


def _all(matched: Sequence[_Variable]) -> str:
    return "the matching variable" if len(matched) == 1 else f"each of the {len(matched)} matching variables"


def _names(variables: Sequence[_Variable], *, with_values: bool = False) -> str:
    def name(variable: _Variable) -> str:
        values = (value for value in variable.token.values if isinstance(value, str) and weight_of(value) is None)
        text = next(values, None) if with_values else None
        return shortened(variable.name) + ("" if text is None else f' "{shortened(text)}"')

    return listed(list(map(name, variables)))
