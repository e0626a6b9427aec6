"""Merge token files with the platform, and write the plan that makes the platform equal to the token files."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from fnmatch import translate
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.commands.usage import DeletedUsage, ProjectFiles, deleted_usage
from tokensync.generate.targets import has_names, naming_of
from tokensync.normalize.mapping import RESOLVED_TYPES, name_of_path
from tokensync.plan.operations import CreateVariable, DeleteVariable, SetValue, UpdateVariable
from tokensync.plan.plan import Plan, PlanFile
from tokensync.plan.planning import Deletion, Narrowed, Planning, deletions, matching, narrowed, selected
from tokensync.plan.state import Ref, Refs, targets_of
from tokensync.project.applied_lock import progress_of, unfinished_apply
from tokensync.project.code_references import outputs_written_back, references_of_outputs, texts_to_write
from tokensync.project.configured_outputs import patterns_of
from tokensync.project.connection import has_writable_state, state_folder
from tokensync.project.merging import (
    desired_states,
    edited_styles,
    merged_file,
    refuse_conflicts,
    take_all,
    unchanged_files,
)
from tokensync.project.plan_files import check_plan_path, plan_path, sources_digest, write_plans
from tokensync.project.sources import (
    absent_files,
    chosen_files,
    default_of,
    other_files,
    read_tokens,
    rules_of,
    type_rule_problems,
)
from tokensync.system.disk import remove_file
from tokensync.system.errors import UsageError, stop_on_errors
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import argument, counted, listed, shortened, suggestion
from tokensync.tokens import CODE_SYNTAX_PLATFORMS, Token, TokenGraph, TokenKey
from tokensync.tokens.algorithms import closure, reverse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
    from typing import Literal

    from tokensync.apply.journal import Journal
    from tokensync.extract.client import Client
    from tokensync.generate.naming import CodeReferences
    from tokensync.plan.desired import Desired
    from tokensync.project.configuration import Project
    from tokensync.project.merging import MergedFile
    from tokensync.settings import OutputConfig


_NOTHING_TO_READ = "there are no token files to plan from; tokensync pull writes them"


class PlannedFile(NamedTuple):
    """A plan with what it was made from, its problems, and all deletions that it could contain."""

    merged: MergedFile
    code_syntax: Mapping[TokenKey, Mapping[str, str]]
    plan: Plan
    problems: tuple[Problem, ...]
    deletions: tuple[Deletion, ...]

    def is_for(self, merged: MergedFile, code_syntax: Mapping[TokenKey, Mapping[str, str]]) -> bool:
        """Return whether the same plan follows from this merge, with the settings and other token files of then."""
        return (
            self.code_syntax == code_syntax
            and (self.plan.file, self.plan.key) == (merged.file.name, merged.key)
            and self.plan.fingerprint == merged.snapshot.fingerprint()
            and bool(self.merged.ours.files) is bool(merged.ours.files)
            and (self.merged.theirs, self.merged.graph) == (merged.theirs, merged.graph)
            and self.merged.our_keys() == merged.our_keys()
        )


class Planned(NamedTuple):
    """The plans, the path that they were written to, and all problems."""

    file: PlanFile
    path: str
    problems: tuple[Problem, ...]
    files: tuple[PlannedFile, ...]

    @property
    def changes(self) -> bool:
        """Return whether any of the plans does something."""
        return any(plan.operations for plan in self.file.plans)


def make_plan(
    project: Project,
    client: Client,
    names: Sequence[str] = (),
    *,
    path: str | None = None,
    prune: bool | Sequence[str] = False,
    only: Sequence[str] = (),
    code_syntax: Sequence[str] = (),
    fills_only: bool = False,
    always: Literal["ours", "theirs"] | None = None,
    earlier: Planned | None = None,
    writes: bool = True,
    progress: Callable[[str], None] = lambda text: None,
) -> Planned:
    """Write the plan that brings the edits of token files to the platform, to ``.tokensync/plan.json`` or ``path``.

    Without ``writes``, nothing is written or removed, not even conflicts.
    ``prune`` are the names of deletions to carry out, or true for all; the others are held back. ``only`` are globs of
    the ``COLLECTION/PATH`` of tokens to change, besides what these need. ``code_syntax`` names
    some of ``CODE_SYNTAX_PLATFORMS``, which ``fills_only`` sets only where a token has none. ``always`` lets one side
    win where both changed the same thing. ``earlier`` are plans with the same settings and token files: those of files
    that have not changed are used again. Everything is checked before anything is written. Raises ConflictError for
    conflicts that nobody has settled, ProblemsError for what the platform would refuse, and UsageError for names of
    ``prune`` and patterns of ``only`` that select nothing.
    """
    target = ""
    if writes:
        if path is None:
            path = plan_path(project)
            if not has_writable_state(project, os.path.basename(path)):
                raise UsageError(f"{path}: the plan cannot be written there; write it elsewhere with -o FILE")
            state_folder(project)
        target = check_plan_path(project, path)
        with suppress(FileNotFoundError, NotADirectoryError):
            remove_file(target)  # an old plan must not remain if this one fails
    made_from = sources_digest(project)
    files = take_all(project, client, chosen_files(project, names), progress)
    merged = [] if code_syntax else unchanged_files(project, files)
    for taken in () if merged else files:
        journal = unfinished_apply(project, taken.file)
        merged.append(merged_file(project, taken, taken.file, always=always, unfinished=journal))
    problems = [problem for file in merged for problem in file.problems]
    problems += type_rule_problems(project, [file.taken for file in merged], [file.theirs for file in merged])
    for file in merged:
        if not file.ours.files and other_files(project, problems):
            problems.append(absent_files(project, file.file.name, problems))
    stop_on_errors(project.levels.applied(problems))
    _refuse_unmatched(only, [graph for file in merged for graph in (file.theirs, file.graph)])
    # Answers of the conflicts file hold until a pull has put them into the token files.
    refuse_conflicts(project, merged, write=writes and any(file.conflicts for file in merged))
    wanted, found = _wanted(project, merged, code_syntax, fills_only=fills_only)
    problems += found
    again = () if earlier is None or prune or only else earlier.files
    made = [*_all_planned(project, client, merged, wanted, prune=prune, only=only, earlier=again, progress=progress)]
    problems += (problem for file in made for problem in file.problems)
    _refuse_unknown(() if isinstance(prune, bool) else prune, made)
    reported = project.levels.applied(dict.fromkeys(problems))
    stop_on_errors(reported)
    return Planned(write_plans(target, [file.plan for file in made], made_from), path or "", reported, tuple(made))


_PLATFORMS = {platform.lower(): platform for platform in CODE_SYNTAX_PLATFORMS}


def _wanted(
    project: Project, merged: Iterable[MergedFile], asked: Sequence[str], *, fills_only: bool
) -> tuple[Mapping[TokenKey, Mapping[str, str]], tuple[Problem, ...]]:
    """Return the code syntax that is asked for, and that of new tokens by default, with problems."""
    graphs = [file.graph for file in merged]
    wanted, problems = _code_syntax(project, graphs, asked, fills_only=fills_only)
    new: dict[str, set[TokenKey]] = {}
    for graph in graphs if project.config.defaults else ():
        for key, token in graph.tokens.items():
            for platform in () if token.id else default_of(project, graph, token).code_syntax or ():
                new.setdefault(_PLATFORMS[platform], set()).add(key)
    for syntax, keys in new.items():
        more, found = _code_syntax(project, graphs, [syntax], fills_only=True, only=keys)
        wanted = {key: {**more.get(key, {}), **wanted.get(key, {})} for key in {**more, **wanted}}
        problems += found
    return wanted, problems


def _code_syntax(
    project: Project,
    graphs: Sequence[TokenGraph],
    asked: Sequence[str],
    *,
    fills_only: bool,
    only: Container[TokenKey] | None = None,
) -> tuple[Mapping[TokenKey, Mapping[str, str]], tuple[Problem, ...]]:
    """Return the code syntax, with names that are unique in all files; with ``fills_only`` only of tokens without it.

    ``only`` are the tokens that get one, if not all do. Other files have the state of their token files.
    """
    if not asked:
        return {}, ()
    from tokensync.normalize.graph import linked
    from tokensync.normalize.numbers import with_rules, with_types_in_code

    planned_files = {key[0] for graph in graphs for key in graph.collections}
    others = [read_tokens(project, file.name).graph for file in project.config.files if file.name not in planned_files]
    rules = rules_of(project, [*graphs, *others])
    graph = linked([*graphs, *(with_rules(other, rules) for other in others)])
    graph = with_types_in_code(graph, rules)
    if project.config.composites:  # code has no name for the parts of a token
        from tokensync.normalize.composites import assembled

        graph = assembled(graph, project.config.composites).graph
    wanted, found = code_syntaxes(project, graph, asked, only)
    if fills_only:
        present = {key: dict(token.code_syntax) for own in graphs for key, token in own.tokens.items()}
        wanted = {
            key: {platform: text for platform, text in texts.items() if not present.get(key, {}).get(platform)}
            for key, texts in wanted.items()
        }
    return wanted, found


def _all_planned(
    project: Project,
    client: Client,
    merged: Sequence[MergedFile],
    wanted: Mapping[TokenKey, Mapping[str, str]],
    *,
    prune: bool | Sequence[str],
    only: Sequence[str],
    earlier: Sequence[PlannedFile],
    progress: Callable[[str], None],
) -> Iterator[PlannedFile]:
    """Yield the plan of each file: an earlier one if it would be the same."""
    files = ProjectFiles(project, merged)
    for file in merged:
        progress(f"planning {file.file.name}")
        unfinished = unfinished_apply(project, file.file)
        same = None if unfinished is not None else next((plan for plan in earlier if plan.is_for(file, wanted)), None)
        yield same or _planned(project, client, file, files, wanted, prune=prune, only=only, unfinished=unfinished)


def _planned(
    project: Project,
    client: Client,
    merged: MergedFile,
    files: ProjectFiles,
    wanted: Mapping[TokenKey, Mapping[str, str]],
    *,
    prune: bool | Sequence[str],
    only: Sequence[str],
    unfinished: Journal | None,
) -> PlannedFile:
    if merged.ours.graph is merged.taken:  # one of ``unchanged_files``
        unchanged = Plan(file=merged.file.name, key=merged.key, fingerprint=merged.snapshot.fingerprint())
        return PlannedFile(merged, wanted, unchanged, (), ())
    converted, (before_refs, after_refs), labels, before, after, converting = desired_states(project, merged, wanted)
    every = deletions(before, after, labels)
    part = narrowed(before, after, labels, only) if only else None
    whole, after = after, after if part is None else part.after
    chosen = _chosen(prune, every, part)
    usage = deleted_usage(client, merged.file.key, merged.theirs, before, after) if chosen else DeletedUsage()
    planning = Planning(
        file=merged.file.name,
        key=merged.key,
        fingerprint=merged.snapshot.fingerprint(),
        labels=labels,
        where=_places(converted, merged, before_refs, after_refs, labels),
        prune=chosen,
        allow=project.config.allow,
        retyped=converted.retyped,
        used=usage.used,
        generated={after_refs.tokens[key]: texts for key, texts in wanted.items() if key in after_refs.tokens},
        referring=lambda: files.referring(merged.file.name, merged.theirs),
        notes=(
            *([] if unfinished is None else [_REPLACES.format(progress_of(unfinished), unfinished.folder)]),
            *converted.notes,
            *usage.notes,
            *(() if merged.ours.files else (_NOTHING_TO_READ,)),
        ),
    )
    made, problems = planning.plan(before, after)
    if part is not None:
        made = replace(made, notes=(*_of_part(part, made, planning.plan(before, whole)[0]), *made.notes))
    if project.config.code.paths:
        notes = _used_in_code(project, made, (merged.theirs, before_refs), (converted.graph, after_refs))
        made = replace(made, notes=(*made.notes, *notes))
    created = {key for key, ref in after_refs.tokens.items() if ref not in before.variables and ref in after.variables}
    problems = (*converting, *_renamed(merged, created), *problems, *edited_styles(merged))
    problems += tuple(_stale_targets(files, merged, converted.graph, after_refs, made))
    return PlannedFile(merged, wanted, made, problems, every)


def _stale_targets(
    files: ProjectFiles, merged: MergedFile, graph: TokenGraph, refs: Refs, plan: Plan
) -> Iterator[Problem]:
    """Yield a problem for each copy of a library token that the plan refers to and its library no longer has."""
    values = [operation.after for operation in plan.operations if isinstance(operation, SetValue)]
    created = (operation.variable for operation in plan.operations if isinstance(operation, CreateVariable))
    wanted = {*targets_of(*values, *(value for variable in created for value in variable.values.values()))}
    for key, token in graph.tokens.items():
        if token.origin != "remote" or refs.tokens.get(key) not in wanted:
            continue
        if library := files.gone(merged.file.name, graph.collection_of(token), token):
            what = f"a value is to refer to it, but {library} no longer has it"
            what_to_do = f"refer to another token, or restore it in {library} and pull"
            yield problem("library-token-gone", f"{key.collection} / {name_of_path(key.path)}", what, what_to_do)


def _used_in_code(
    project: Project, plan: Plan, before: tuple[TokenGraph, Refs], after: tuple[TokenGraph, Refs]
) -> tuple[str, ...]:
    """Return how much code uses the variables that a plan changes or deletes, and those that refer to them."""
    from tokensync.code.search import impact

    deleted = {operation.ref for operation in plan.operations if isinstance(operation, DeleteVariable)}
    changed = {operation.ref for operation in plan.operations if isinstance(operation, UpdateVariable)}
    changed |= {operation.variable for operation in plan.operations if isinstance(operation, SetValue)}
    found = impact(project, [_reached(*before, deleted), _reached(*after, changed - deleted)])
    return () if found is None else (str(found),)


def _reached(graph: TokenGraph, refs: Refs, changed: Container[Ref]) -> tuple[TokenGraph, Collection[TokenKey]]:
    """Return a graph and its tokens with these refs, with all that refer to them, directly or indirectly."""
    dependents = reverse(graph.references())
    own = [key for key, ref in refs.tokens.items() if ref in changed]
    return graph, closure(own, lambda key: dependents.get(key, ()))


def _chosen(prune: bool | Sequence[str], every: Sequence[Deletion], part: Narrowed | None) -> bool | Sequence[Deletion]:
    """Return the deletions to carry out, or true for all; with ``--only``, those of matching tokens."""
    if not prune or (prune is True and part is None):
        return bool(prune)
    wanted = every if prune is True else [deletion for name in prune for deletion in selected(every, name)]
    return [deletion for deletion in wanted if part is None or deletion.ref in part.chosen]


def _of_part(part: Narrowed, planned: Plan, whole: Plan) -> Iterator[str]:
    """Yield notes about what a plan of some tokens has beside them, and how many operations it leaves out."""
    if part.along:
        yield f"taken along, since the chosen tokens need it: {listed(part.along, _MOST_NAMES)}"
    if (rest := len(whole.operations) - len(planned.operations)) > 0:
        yield f"--only leaves out {counted(rest, 'other operation')}; a plan without it has them"


def _renamed(merged: MergedFile, created: Container[TokenKey]) -> Iterator[Problem]:
    """Yield a problem for each new token that would get another name, since the design file keeps one of that name.

    The next pull would take the other one for it.
    """
    for key, own in merged.our_keys().items():
        if own.path != key.path and key in created:
            what = f"the design file keeps its own {shortened(own.path)}, so this new one would be named {key.path}"
            to_do = "run tokensync pull --theirs, which writes both to the token files, or rename the new one"
            yield problem("plan-name-taken", merged.location_of(key, None), what, f"{to_do}, and make a new plan")


_REPLACES = (
    "an apply is carried out in part ({0}, {1}); this plan replaces the rest of it, so before you apply it, consider "
    "whether to continue the earlier one with tokensync apply --resume, or to reverse it with tokensync rollback {1}"
)
_MOST_NAMES = 10


def _instead_of_pattern(pattern: str, every: Sequence[Deletion], to_do: str) -> tuple[str, str]:
    """Return what is wrong with a pattern in place of a name, and what to do, which lists the names that match it.

    ``to_do`` is the advice if none does.
    """
    found = matching(every, pattern)
    names = tuple(dict.fromkeys(argument(deletion.name) for deletion in found))
    what = "names are taken literally, not as patterns"
    if not names:
        return f"{what}, and no deletion matches this one", to_do
    rest = f", and {counted(len(names) - _MOST_NAMES, 'more name')}"
    to_do = f"use --prune {' '.join(names[:_MOST_NAMES])}{rest if len(names) > _MOST_NAMES else ''}"
    group = pattern.rstrip("*").rstrip("/")
    if len(names) > 1 and selected(every, group) == found:
        to_do += f", or --prune {argument(group)} for all of them"
    return f"{what}; this one matches {counted(len(names), 'deletion')}", to_do


def _refuse_unknown(names: Sequence[str], files: Sequence[PlannedFile]) -> None:
    """Raise UsageError for names that select no deletion, each with the most similar name."""
    every = [deletion for file in files for deletion in file.deletions]
    unknown = [name for name in names if not selected(every, name)]
    if not unknown:
        return
    allowed = tuple(dict.fromkeys(argument(deletion.name) for deletion in every))
    present = {f"{key.collection}.{key.path}" for file in files for key in file.merged.ours.graph.tokens}
    lines: list[str] = []
    for name in unknown:
        plain = name.replace(" / ", "/").strip("/")
        what = "nothing with this name is missing from the token files"
        to_do = suggestion(plain.replace(".", "/"), allowed) if allowed else "nothing has to be deleted: remove --prune"
        if plain.replace("/", ".") in present:
            what, to_do = "the token files contain this token, so it is not deleted", "remove it there first"
        elif any(each in plain for each in "*?["):
            what, to_do = _instead_of_pattern(name, every, to_do)
        lines.append(f"--prune {shortened(name)}: {what}; {to_do}")
    raise UsageError("\n".join(lines))


def _refuse_unmatched(patterns: Sequence[str], graphs: Sequence[TokenGraph]) -> None:
    """Raise UsageError for patterns that match no token of the graphs, each with the most similar name."""
    if patterns:
        names = dict.fromkeys(f"{key.collection}/{name_of_path(key.path)}" for graph in graphs for key in graph.tokens)
        lines = [
            f"--only {shortened(pattern)}: no token has such a name; {suggestion(pattern, [*names])}"
            for pattern in patterns
            if not any(map(re.compile(translate(pattern)).match, names))
        ]
        if lines:
            raise UsageError("\n".join(lines))


def _places(
    converted: Desired, merged: MergedFile, before: Refs, after: Refs, labels: Mapping[Ref, str]
) -> Callable[[Ref, Ref | None], str]:
    """Return what locates a variable, its value in a mode, or a collection's mode in the token files.

    Objects that only the platform has are located by name.
    """

    @cache
    def keys() -> dict[Ref, TokenKey]:  # needed only to report a problem
        return {
            **{each: TokenKey(*key, "") for key, each in after.families.items()},
            **{each: TokenKey(*key, "") for (key, _), each in after.extensions.items()},
            **{each: key for key, each in before.tokens.items()},
            **{each: key for key, each in after.tokens.items()},
        }

    def place(ref: Ref, mode: Ref | None) -> str:
        key = keys().get(ref)
        family = None if key is None else converted.graph.collections.get(key[:2])
        refs = () if key is None else after.modes.get(key[:2], ())
        context = None if family is None or mode not in refs else family.modes[refs.index(mode)].context
        if key is None or (context is None and not key.path):
            return labels.get(ref, ref)
        return merged.location_of(key, context)

    return place


class CodeSyntaxes(NamedTuple):
    """The code syntax to set, by Figma's platform names, for tokens that do not have it yet."""

    wanted: Mapping[TokenKey, Mapping[str, str]]
    problems: tuple[Problem, ...]


def code_syntaxes(
    project: Project, graph: TokenGraph, asked: Sequence[str], only: Container[TokenKey] | None = None
) -> CodeSyntaxes:
    """Return what ``asked`` (of ``CODE_SYNTAX_PLATFORMS``) should say in a graph of all of the project's files.

    ``only`` are the tokens to consider, if not all. Code syntax that already contains the identifier is not changed. If
    a platform has several outputs, the first one that declares a token provides the name, and the text that refers to
    it. Names that could not be read back are reported and not written. Outputs whose names would change are also
    reported, because all outputs of one kind read the same code syntax.
    """
    from tokensync.generate.output import Resolution

    wanted: dict[TokenKey, dict[str, str]] = {}
    problems: list[Problem] = []
    used: list[OutputConfig] = []
    resolution = Resolution(graph)
    project.check_paths("templates")
    for syntax in asked:
        outputs = outputs_written_back(project, syntax)
        used += outputs
        identifiers: dict[TokenKey, str] = {}
        for config in outputs:
            identifiers = {**_identifiers(project, graph, config), **identifiers}
        identifiers = {key: name for key, name in identifiers.items() if only is None or key in only}
        references = references_of_outputs(resolution, outputs, project)
        for key, text in _texts(project, graph, identifiers, references, syntax, problems):
            wanted.setdefault(key, {})[syntax] = text
    changed = {key: _with_code_syntax(graph.tokens[key], texts) for key, texts in wanted.items()}
    problems += _changed_names(project, graph, graph.replaced(changed), used)
    return CodeSyntaxes(wanted, tuple(dict.fromkeys(problems)))


def _identifiers(project: Project, graph: TokenGraph, config: OutputConfig) -> dict[TokenKey, str]:
    from tokensync.generate.naming import names_for
    from tokensync.generate.target import declared_tokens
    from tokensync.project.configured_outputs import request_of

    project.check_paths("templates")
    request = request_of(config, graph, project)
    declared = declared_tokens(graph, request)
    rules = naming_of(config.platform)
    return names_for(graph, declared, rules, request.templates, request.naming, request.patterns)[0]


def _texts(
    project: Project,
    graph: TokenGraph,
    identifiers: Mapping[TokenKey, str],
    references: CodeReferences,
    syntax: str,
    problems: list[Problem],
) -> Iterator[tuple[TokenKey, str]]:
    """Yield the new text of each token, except tokens that already have a valid text or cannot have one."""
    from tokensync.generate.naming import names_read, token_label
    from tokensync.system.outlet import readable

    types = {*RESOLVED_TYPES, "duration"}  # the latter by a rule; a variable holds it as a number
    tokens = {key: graph.tokens[key] for key in references if graph.tokens[key].type in types}
    platform = outputs_written_back(project, syntax)[0].platform
    rules, patterns = naming_of(platform), patterns_of(project)
    has = names_read(rules, {key: dict(token.code_syntax).get(syntax, "") for key, token in tokens.items()}, patterns)
    lacking = {key: name for key, name in identifiers.items() if key in tokens and has[key] != name}
    texts = texts_to_write(project, graph, syntax, lacking, references)
    read_back = names_read(rules, texts, patterns)
    for key, name in lacking.items():
        if read_back[key] == name:
            yield key, texts[key]
            continue
        what = f"its {platform} name {readable(name)} would not be read back from code syntax"
        to_do = "rename it, or give it a code syntax by hand"
        problems.append(problem("code-syntax-unwritable", token_label(graph, key), what, to_do))


def _changed_names(
    project: Project, before: TokenGraph, after: TokenGraph, used: Collection[OutputConfig]
) -> Iterator[Problem]:
    """Yield the outputs whose names would change with the code syntax; ``used`` are the outputs that it comes from."""
    from tokensync.generate.naming import token_label
    from tokensync.system.outlet import readable

    for at, config in enumerate(project.config.outputs):
        if not has_names(config.platform):
            continue
        names, then = (_identifiers(project, graph, config) for graph in (before, after))
        changed = [key for key, name in names.items() if then[key] != name]
        if changed:
            first = changed[0]
            example = f"{token_label(before, first)}: {readable(names[first])} becomes {readable(then[first])}"
            what = f"{len(changed)} names of this {config.platform} output change with the new code syntax ({example})"
            where = f"{project.source} (/outputs/{at})"
            if config in used:
                to_do = 'set naming = { code_syntax = "keep" }, so that code syntax contains the complete name'
                yield problem("code-syntax-unstable", where, what, to_do)
            else:
                to_do = "use the same naming in all outputs that read this code syntax, or accept the new names"
                yield problem("code-syntax-renames", where, what, to_do)


def _with_code_syntax(token: Token, texts: Mapping[str, str]) -> Token:
    return replace(token, code_syntax=tuple(sorted({**dict(token.code_syntax), **texts}.items())))
