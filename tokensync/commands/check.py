"""Check a project offline: token files, lint rules and outputs; and the lint rules alone."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from tokensync.commands.build import build_source, names_by_case, record_inputs
from tokensync.generate.targets import NAMES
from tokensync.lint import Subject, lint, shown_key
from tokensync.project.accepted import ACCEPTED
from tokensync.project.configuration import AS_DECLARED, FILE_NAME, PYPROJECT, Levels, Project, locator
from tokensync.project.configured_outputs import configured_themes, targets_of_project
from tokensync.project.lock import LOCK, Lock
from tokensync.project.outputs import (
    CATALOG_SUFFIX,
    MANIFEST,
    UNTRACKED,
    first_generated,
    read_manifest,
    record_outputs,
    tracking_advice,
)
from tokensync.project.sources import (
    STRAYS,
    from_project,
    from_snapshot,
    misplaced,
    project_texts,
    record_strays,
    strays,
)
from tokensync.system import plugins, stat_manifest
from tokensync.system.boundary import is_within, work_tree
from tokensync.system.disk import content_of, relative_path, relative_paths
from tokensync.system.errors import ConfigurationError, ProblemsError, UsageError, errors_among
from tokensync.system.git import ATTRIBUTES, Repository, indexed, pathspecs
from tokensync.system.git_index import selected
from tokensync.system.outlet.findings import Finding
from tokensync.system.positions import CONFLICT, RESOLVE, conflict_in
from tokensync.system.problems import Problem, problem
from tokensync.system.stat_manifest import Recording, packed_index
from tokensync.system.wording import counted, design_findings

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.code.checking import CodeChecked
    from tokensync.project.outputs import File
    from tokensync.project.sources import Source, Texts
    from tokensync.project.staged import Staged
    from tokensync.tokens import TokenGraph

_REMEDIES = {
    LOCK: "run tokensync pull, which merges both sides",
    MANIFEST: "resolve the conflicts in the token files first, then run tokensync build, which writes it anew",
    ATTRIBUTES: RESOLVE.format("lines"),
    ACCEPTED: RESOLVE.format("lines"),
}


class Checked(NamedTuple):
    """The result of a check: the numbers of tokens and output files, the outdated paths, and all problems.

    ``findings`` are the problems and outdated files with their positions. ``source`` is the path of the configuration
    or response, relative to ``top``, the top of the work tree, as the paths of findings are. ``advice`` says how to
    bring outputs up to date, or what to do about errors in the index, with paths from the user's folder. ``files`` is
    None if outputs were not checked. ``staging`` says how to stage outputs, and ``waits`` that other changes have to be
    staged first. ``code_files`` is the number of checked files of code, None without code.
    """

    tokens: int
    files: int | None
    stale: tuple[str, ...]
    problems: tuple[Problem, ...]
    findings: tuple[Finding, ...] = ()
    source: str = ""
    top: str = ""
    advice: str = ""
    staging: str = ""
    waits: bool = False
    code_files: int | None = None

    @property
    def summary(self) -> str:
        """Return what was checked and what was found."""
        distinct = dict.fromkeys(self.problems)
        accepted = sum(problem.is_accepted for problem in distinct)
        severities = [each.severity for each in distinct if not (each.is_accepted or each.is_of_design)]
        found = [counted(severities.count(each), each) for each in ("error", "warning", "note") if each in severities]
        found += [of_design] if (of_design := design_findings(distinct)) else []
        found += [f"{accepted:,} accepted"] if accepted else []
        found += [f"{len(self.stale):,} not current"] if self.stale else []
        files = [] if self.files is None else [counted(self.files, "output file")]
        files += [] if self.code_files is None else [f"{counted(self.code_files, 'file')} of code"]
        first = ", ".join((counted(self.tokens, "token"), *files[:-1]))
        counts = " and ".join((first, *files[-1:]))
        return f"checked {counts}: {', '.join(found) or 'no problems'}"

    @property
    def portable_findings(self) -> tuple[Finding, ...]:
        """Return the findings with the paths in their texts relative to the top, so that they fit every machine."""
        return tuple(
            finding._replace(problem=finding.problem.rewritten(lambda text: relative_paths(text, self.top)))
            for finding in self.findings
        )

    @property
    def advice_on_notes(self) -> str:
        """Return how to see the notes of the summary that are not shown; an empty text if all are shown."""
        hidden = sum(not is_shown(problem) for problem in dict.fromkeys(self.problems))
        return f" (-v shows {'it' if hidden == 1 else 'them'})" if hidden else ""


_SHOWN_NOTES = ("mode-unregistered", "token-files-absent")
"""The codes of notes about files that may be missing or in the wrong place, which are shown without ``-v``."""


def is_shown(finding: Problem) -> bool:
    """Return whether a problem is shown without ``-v``."""
    is_minor = finding.severity == "note" and finding.code not in _SHOWN_NOTES
    return not (is_minor or finding.is_accepted or finding.is_of_design)


NOTHING = Checked(0, 0, (), ())
"""The result of a check of a commit without a configuration."""


class CodeCheck:
    """The check of a project's code, once its graph is known; ``checked`` is its result with ``files``."""

    def __init__(self, check: Callable[[TokenGraph], CodeChecked | None]) -> None:
        self._check = check
        self.checked: CodeChecked | None = None
        self.files = 0
        self.graph: TokenGraph | None = None

    def problems(self, graph: TokenGraph) -> tuple[Problem, ...]:
        """Check the code, and return what is found."""
        self.graph = graph
        self.checked = self._check(graph)
        self.files = self.checked.files if self.checked else 0
        return self.checked.problems if self.checked else ()


def code_of(
    project: Project,
    paths: Sequence[str] = (),
    since: str | None = None,
    *,
    corrects: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> CodeCheck | None:
    """Return the check of the code at these paths, or at those of the configuration; None if neither names any.

    It judges the lines since a revision if one is given, and looks for corrections with ``corrects``. ``progress``
    receives the current step. Raises UsageError for paths that lead out.
    """
    option = "--code " if paths else f"{project.source}: [code] paths: "
    paths = tuple(map(os.path.abspath, paths)) or _configured_code(project)
    if not paths:
        return None
    lines = None
    if since:
        repository = Repository(os.path.realpath(project.folder), f"--changed {since}", "name another revision")
        added = repository.added_lines(repository.common_ancestor(repository.commit_id(since)))
        lines = {os.path.join(repository.top, *path.split("/")): own.lines for path, own in added.items()}

    from tokensync.code.checking import check_code

    others = _configured_code(project)
    check = partial(check_code, lines=lines, others=others, corrects=corrects, option=option, progress=progress)
    return CodeCheck(lambda graph: check(project, graph, paths))


def _code_of_staged(staged: Staged) -> CodeCheck | None:
    """Return the check of the new lines of the index's code; None if the project has no code."""
    paths = _configured_code(staged.project)
    if not paths:
        return None

    def check(graph: TokenGraph) -> CodeChecked | None:
        from tokensync.code.files import has_language

        lines = staged.copy_code(paths, has_language)
        if not lines:
            return None
        from tokensync.code.checking import check_code

        others = [staged.real(path) for path in paths]
        return check_code(staged.project, graph, [*filter(os.path.exists, paths)], lines=lines, others=others)

    return CodeCheck(check)


def _configured_code(project: Project) -> tuple[str, ...]:
    """Return the paths of the configuration. Raises UsageError for those that lead out of the work tree."""
    boundary = project.boundary
    for path in project.config.code.paths:
        if not (boundary.is_open or is_within(os.path.realpath(project.path(path)), boundary.top)):
            what = f"{project.source}: [code] paths: {path} is not in {boundary.name}"
            raise UsageError(f"{what}; name a path in it, or pass --allow-outside")
    return tuple(map(project.path, project.config.code.paths))


def check_project(project: Project, recording: Recording | None = None, code: CodeCheck | None = None) -> Checked:
    """Check the token files, the lint rules, the outputs and the code of a project, and write nothing.

    All problems are returned, also errors. If token files have errors, nothing that depends on them is checked.
    ``recording`` receives the result for ``recalled``, and each path that it depends on, before its content is read.
    ``code`` is the check of its code, by default of that in the configuration.
    """
    code = code or code_of(project)
    if recording and code is not None:
        recording.discard()
        recording = None
    index = _record_outputs(project, recording) if recording else b""
    found = _checked(project, project.folder, code)
    checked = _located(found, project.source, project.folder, _advice(project, work_tree(project.folder)))
    # a build repairs outdated outputs, and fails for the same errors of token files
    advice = (found.advice or _advice(project)) if checked.stale else ""
    checked = checked._replace(advice=advice, code_files=code.files if code else None)
    if recording:
        _save(checked, recording, index)
    return checked


def recalled(command: str) -> Checked | None:
    """Return the result that the last ``check`` or ``lint`` in the working folder recorded, if it is still valid."""
    manifest = stat_manifest.current(command)
    return msgspec.json.decode(manifest.result, type=Checked) if manifest else None


def _record_inputs(project: Project, recording: Recording) -> None:
    record_inputs(project, recording)
    record_strays(project, recording)
    recording.packages()


def _record_outputs(project: Project, recording: Recording) -> bytes:
    """Record what a check reads, and return the entries of the git index that it depends on."""
    _record_inputs(project, recording)
    root, top = os.path.realpath(project.folder), work_tree(project.folder)
    for name in (MANIFEST, ATTRIBUTES):
        recording.optional(os.path.join(root, name))
    record_outputs(root, "", recording)
    if top is None:
        return b""
    below = "" if root == top else f"{os.path.relpath(root, top)}/".replace(os.sep, "/")
    listed = [f"{below}{entry.path}" for entry in read_manifest(root).outputs]
    paths = frozenset(os.fsencode(path) for path in (f"{below}{MANIFEST}", *listed))
    folders = tuple(os.fsencode(f"{path}/") for path in listed if path.endswith(CATALOG_SUFFIX))
    if os.path.lexists(os.path.join(root, MANIFEST.swapcase())):  # names in another case are reported
        folders = (b"",)
    entries = indexed(top, os.environ)
    if entries is None:
        recording.discard()
    return packed_index(paths, folders, selected(entries or (), paths, folders))


_OF_OTHER_FILES = (*STRAYS, "resolver-unused", "token-files-absent")
"""The codes of problems with texts that depend on files that are not recorded."""


def _save(checked: Checked, recording: Recording, index: bytes = b"") -> None:
    """Record a result without errors and outdated outputs."""
    others = any(problem.code in _OF_OTHER_FILES for problem in checked.problems)
    if checked.stale or others or errors_among(checked.problems) or plugins.entries("lint"):
        return
    is_line = not any(map(is_shown, checked.problems))
    with suppress(UnicodeEncodeError):  # of a path
        text = f"{checked.summary}{checked.advice_on_notes}" if is_line else ""
        recording.save(text, index, msgspec.json.encode(checked))


def _advice(project: Project, folder: str | None = None) -> str:
    return f"run tokensync build{_option(project.source, folder)}, and commit what it writes"


def check_staged(config: str | None = None, *, is_strict: bool = False) -> Checked | None:
    """Check the project of the next commit, as the git index has it. Return None if it has no configuration.

    Before a push, check the last commit that is pushed, which pre-commit and prek name.
    If nothing is found that stops a commit, a stat manifest answers the next check of the same files of the index.
    Raises as ``staged_project``.
    """
    from tokensync.project.staged import pushed_revision, shown, staged_project

    with staged_project(config, pushed_revision()) as staged:
        if staged is None:
            return None
        project = replace(staged.project, is_strict=is_strict)
        if staged.unmerged:
            return _unmerged(staged)
        code = _code_of_staged(staged)
        found = _checked(project, staged.real(project.folder), code, staged.copy_outputs)
        ignored = _ignored(staged, found.stale) if found.stale else {}
        at_top = staged._replace(user_folder=staged.real_top)
        checked = _located(found, project.source, project.folder, _advice_of_staged(at_top, ignored))
        advice = _advice_of_staged(staged, ignored) if found.stale else ""
        checked = checked._replace(top=staged.real_top, advice=advice, code_files=code.files if code else None)
        if errors_among(checked.problems) and (checked.waits or not checked.stale):
            errors = (each.path for each in checked.findings if each.problem.severity == "error" and each.path)
            checked = checked._replace(advice=_correction(staged, [os.path.join(staged.top, each) for each in errors]))
        checked = checked._replace(
            staging=f"{_permission(staged, ignored)}{_staging(staged)}",
            waits=bool(staged.unstaged or staged.untracked or staged.outputs_aside),
            problems=tuple(shown(problem, staged.top, staged.real_top) for problem in checked.problems),
            findings=tuple(
                each._replace(problem=shown(each.problem, staged.top, staged.real_top)) for each in checked.findings
            ),
        )
        if staged.commit:
            then = " && git commit, and push again"
            return checked._replace(advice=f"{checked.advice}{then}" if checked.advice else "")
        outputs = staged.project.config.outputs
        is_plugged = plugins.entries("lint") or not all(output.platform in NAMES for output in outputs)
        if not (checked.stale or errors_among(checked.problems) or is_plugged):
            of_code = code.checked.problems if code and code.checked else ()
            rest = checked._replace(problems=tuple(finding for finding in checked.problems if finding not in of_code))
            text = f"{rest.summary}{rest.advice_on_notes}"
            index = packed_index(*staged.selection, staged.entries)
            with Recording("check --staged", staged.real(project.folder), b"", option=config or "") as recording:
                if code is None:
                    recording.save(text, index)
                elif (
                    not any(map(is_shown, rest.problems))
                    and code.graph
                    and not stat_manifest.current("check --staged", config or "")
                ):
                    from tokensync.code.new_lines import remembered

                    relative = (os.path.relpath(path, staged.top) for path in _configured_code(project))
                    paths = [path.replace(os.sep, "/") for path in relative]
                    recording.save("", index, remembered(project, code.graph, text, code.files, paths))
        return checked


def _advice_of_staged(staged: Staged, ignored: Mapping[str, str]) -> str:
    command = f"{_permission(staged, ignored)}{_running('build', staged)} && {_staging(staged)}"
    first = [_of_ignored_tokens(staged)] if staged.ignored else []
    untracked = [each for each in staged.untracked if each not in staged.ignored]
    if staged.unstaged or untracked:
        stash = f"git stash --keep-index{' --include-untracked' if untracked else ''}"
        tokens = staged.project.tokens_folder
        paths = [os.path.join(staged.top, *path.split("/")) for path in (*staged.unstaged, *untracked)]
        inputs = _listed(staged, (tokens if is_within(path, tokens) else path for path in paths))
        what = f"some changes of {inputs} are not staged; stage or stash them first"
        first.append(f"{what} (git add {inputs}, or {stash})")
    return f"{'; '.join(first)}, then {command}" if first else command


def _of_ignored_tokens(staged: Staged) -> str:
    """Return what to do about token files that git ignores."""
    first, rule = next(iter(staged.ignored.items()))
    count = len(staged.ignored)
    path = _listed(staged, (os.path.join(staged.top, first),))
    tokens = _listed(staged, (staged.project.tokens_folder,))
    it, others = ("them", " and others") if count > 1 else ("it", "")
    what = f"git ignores {counted(count, 'token file')} ({path}{others}), and a build reads {it}"
    return f"{what}: remove {_rule(staged, rule)} and run git add {tokens}, or move {it} out of {tokens}"


def _rule(staged: Staged, rule: str) -> str:
    return relative_paths(rule, staged.user_folder)


def _running(command: str, staged: Staged) -> str:
    return f"tokensync {command}{_option(staged.real(staged.project.source), staged.user_folder)}"


def _ignored(staged: Staged, stale: Sequence[str]) -> dict[str, str]:
    """Return the outputs that git ignores, from the top, with its rules."""
    paths = [os.path.relpath(os.path.join(staged.project.folder, each), staged.top) for each in (*stale, MANIFEST)]
    return Repository(staged.real_top, "--staged").ignored([path.replace(os.sep, "/") for path in paths])


def _permission(staged: Staged, found: Mapping[str, str]) -> str:
    """Return what to do about outputs that git ignores, up to the command that stages outputs."""
    if not found:
        return "run "
    path, rule = next(iter(found.items()))
    first, is_one = _listed(staged, (os.path.join(staged.top, path),)), len(found) == 1
    what = f"git ignores {counted(len(found), 'output')} ({first}{'' if is_one else ' and others'})"
    return f"{what}, and a check of commits needs {'it' if is_one else 'them'}: remove {_rule(staged, rule)}, and run "


def _staging(staged: Staged, *more: str) -> str:
    project = staged.project
    outputs = (*(project.path(each.path) for each in project.config.outputs), os.path.join(project.folder, MANIFEST))
    is_partial = os.path.basename(os.environ.get("GIT_INDEX_FILE", "")).startswith("next-index-")  # git commit PATH...
    then = ", and name these paths in git commit, too" if is_partial else ""
    return f"git add {_listed(staged, (*more, *outputs))}{then}"


def _listed(staged: Staged, paths: Iterable[str]) -> str:
    """Return paths as arguments of a command in the user's folder."""
    relative = (relative_path(staged.real(path), staged.user_folder).replace(os.sep, "/") for path in paths)
    return pathspecs(dict.fromkeys(relative))


def _unmerged(staged: Staged) -> Checked:
    """Return the result for an index with files that git has not merged."""
    project = staged.project
    paths = [os.path.join(staged.top, *each.split("/")) for each in staged.unmerged]
    outputs = tuple(project.path(output.path) for output in project.config.outputs)
    problems = []
    for path in paths:
        is_output = any(is_within(path, output) for output in outputs)
        to_do = "run tokensync build, which writes it anew" if is_output else _remedy(path)
        problems.append(problem("conflict-marks", staged.real(path), "git has not merged this file", to_do))
    checked = _located(Checked(0, None, (), tuple(problems)), staged.real(project.source), staged.real(project.folder))
    return checked._replace(
        advice=_correction(staged, [path for path in paths if not any(is_within(path, output) for output in outputs)])
    )


def _correction(staged: Staged, paths: Sequence[str]) -> str:
    """Return what to do about errors in these files of the index."""
    project = staged.project
    tokens, lock = project.tokens_folder, os.path.join(project.folder, LOCK)
    edited = [path for path in paths if os.path.basename(path) not in (LOCK, MANIFEST)]
    if lock in paths or os.path.join(project.folder, MANIFEST) in paths or staged.unmerged:
        commands = [*([_running("pull", staged)] if lock in paths else []), _running("build", staged)]
        sources = [
            *([lock] if lock in paths else []),
            tokens,
            *(each for each in edited if not is_within(each, tokens)),
        ]
        command = " && ".join((*commands, _staging(staged, *sources)))
        return f"resolve the conflicts in {_listed(staged, edited)}, then run {command}" if edited else f"run {command}"
    if not os.path.lexists(staged.real(tokens)):
        folder = _listed(staged, (tokens,))
        return (
            f"run git checkout HEAD -- {folder}, which restores the token files"
            if _is_committed(staged, tokens)
            else f"run {_running('pull', staged)} && git add {folder}"
        )
    others = [each for each in edited if not is_within(each, tokens)]
    first = f"{_of_ignored_tokens(staged)}; then " if staged.ignored else ""
    return f"{first}correct these files, and run git add {_listed(staged, (tokens, *others))}"


def _is_committed(staged: Staged, folder: str) -> bool:
    try:
        return bool(Repository(staged.real_top, "--staged").files("HEAD", staged.real(folder)))
    except UsageError:  # there is no commit yet
        return False


def _checked(
    project: Project,
    folder: str,
    code: CodeCheck | None = None,
    find_current: Callable[[Sequence[File]], Container[str]] = lambda _: (),
) -> Checked:
    """Return the result for a project whose folder in the work tree is ``folder``.

    ``find_current`` is that of ``build_source``.
    """
    from tokensync.dtcg import near_files
    from tokensync.normalize.findings import renamed_modes

    texts = project_texts(project)
    is_empty = not (any(texts.values()) or strays(project) or any(near_files(project.folder)) or misplaced(project))
    if is_empty and not any(os.path.lexists(os.path.join(project.folder, each)) for each in (LOCK, MANIFEST)):
        return Checked(0, 0, (), (_without_tokens(project),))
    marks = list(_conflict_marks(project, texts))
    try:
        source = from_project(project, texts=texts)
    except ProblemsError as stop:
        marked = {mark.where.rpartition(":")[0] for mark in marks}
        others = (each for each in stop.problems if not any(each.where.startswith(f"{path}:") for path in marked))
        return Checked(0, 0, (), (*marks, *others))
    locked = (
        problem for problem in Lock(project.folder).problems if problem.code != "lock-conflicted"
    )  # it is one of the marks
    damages = project.levels.applied((*locked, *renamed_modes(source.graph)))
    source = source._replace(problems=tuple(each for each in source.problems if each.code != "lock-conflicted"))
    problems = [*marks, *damages, *source.problems]
    tokens = source.graph.table.origins.count("local")
    try:
        problems += _linted(project, source, texts)
        problems += code.problems(source.graph) if code else ()
        if not project.config.outputs:
            return Checked(tokens, 0, (), tuple(problems))
        targets = targets_of_project(project, (), (), source.digest, elsewhere=False)
        boundary, levels = project.boundary, project.levels
        built = build_source(
            source, targets, project.folder, project, boundary, levels, check=True, find_current=find_current
        )
    except ConfigurationError:  # a path that is not permitted as it is written is no finding, as for build
        raise
    except ProblemsError as stop:
        return Checked(tokens, 0, (), tuple(dict.fromkeys((*problems, *stop.problems))))
    problems += (*built.problems, *names_by_case(project, folder))
    if built.untracked:
        path = built.untracked
        advice = f"{path}: {UNTRACKED}; {tracking_advice(path, path)}"
        return Checked(tokens, built.files, (MANIFEST,), tuple(dict.fromkeys(problems)), advice=advice)
    return Checked(tokens, built.files, built.stale, tuple(dict.fromkeys(problems)))


def _without_tokens(project: Project) -> Problem:
    """Return a note before the first pull, and an error if there are outputs, whose tokens are gone."""
    project.check_paths("path")
    code, where = "token-files-absent", project.tokens_folder
    generated = first_generated(project.path(output.path) for output in project.config.outputs)
    if not generated:
        absent = problem(code, where, "there are no token files yet", "run tokensync pull")
        return absent._replace(severity="note")
    what = f"there are no token files, but tokensync wrote {project.shown(generated)} from some"
    to_do = f"restore them, correct tokens in {os.path.basename(project.source)}, or run tokensync pull"
    return problem(code, where, what, to_do)


def lint_project(project: Project, files: Sequence[str] = (), recording: Recording | None = None) -> Checked:
    """Return what the lint rules find in the token files. Raises ProblemsError for token files with errors.

    ``recording`` is that of ``check_project``.
    """
    if recording:
        _record_inputs(project, recording)
    texts = project_texts(project, files)
    source = from_project(project, files, texts=texts)
    conflicts = (problem for problem in source.problems if problem.code == "lock-conflicted")
    try:
        found = _linted(project, source, texts)
    except ProblemsError as stop:  # a theme, as for a check
        found = stop.problems
    checked = Checked(source.graph.table.origins.count("local"), None, (), (*conflicts, *found))
    checked = _located(checked, project.source, project.folder)
    if recording and not any(problem.code in _OF_OTHER_FILES for problem in source.problems):
        _save(checked, recording)
    return checked


def lint_snapshot(local: str, published: str | None = None, levels: Levels = AS_DECLARED) -> Checked:
    """Return what the lint rules find in a saved response, without settings. Raises as ``from_snapshot`` does."""
    graph = from_snapshot(local, published, levels=levels).graph
    checked = Checked(graph.table.origins.count("local"), None, (), levels.applied(lint(Subject(graph))))
    return _located(checked, local, os.path.dirname(os.path.abspath(local)))


_IN_FILE = re.compile(r"(.+?)(?::(\d+))?(?::(\d+))?(?: \([#/].*\))?", re.DOTALL)
"""The path, line and column of a location."""


def _located(checked: Checked, source: str, folder: str, advice: str = "") -> Checked:
    """Return a result with its findings. ``folder`` is that of outputs, and ``source`` the file that was checked.

    ``advice`` says how to bring outputs up to date, with paths from the top of the work tree.
    """
    top = work_tree(folder) or os.path.realpath(folder)
    lines: dict[str, list[str]] = {}
    what = "this is not what the token files and the configuration give"
    if checked.advice:  # the manifest is current, and git does not track it
        what, advice = UNTRACKED, checked.advice.rpartition(f"{UNTRACKED}; ")[2]
    stale = (problem("output-stale", os.path.join(folder, path), what, advice) for path in checked.stale)
    findings = tuple(_finding(problem, top, lines) for problem in (*checked.problems, *stale))
    return checked._replace(findings=findings, source=_below(source, top) or "", top=top, advice="")


def failed(problems: Sequence[Problem]) -> Checked:
    """Return the result of a check that the problems of a configuration or a response stopped."""
    match = _IN_FILE.fullmatch(problems[0].where)
    source = match[1] if match else problems[0].where
    folder = os.path.dirname(os.path.abspath(source))
    if work_tree(folder) is None and is_within(folder, os.getcwd()):  # paths are then those of the working folder
        folder = os.getcwd()
    return _located(Checked(0, 0, (), tuple(problems)), source, folder)


def _option(source: str, folder: str | None = None) -> str:
    """Return the option that selects a configuration in a folder, unless commands find it from there."""
    folder = folder or os.getcwd()
    source = os.path.abspath(source)
    is_default = os.path.basename(source) in (FILE_NAME, PYPROJECT) and is_within(folder, os.path.dirname(source))
    is_below = is_within(source, folder) or is_within(source, os.getcwd())
    below = relative_path(source, folder) if is_below else source
    return "" if is_default else f" -c {shlex.quote(below)}"


def _finding(each: Problem, top: str, lines: dict[str, list[str]]) -> Finding:
    """Return a problem with its position, if its location is that of a file in the work tree."""
    match = _IN_FILE.fullmatch(each.where)
    path = os.path.abspath(match[1]) if match else ""
    below = _below(path, top) if path else None
    if match is None or below is None or not (match[2] or os.path.lexists(path) or each.code == "output-stale"):
        return Finding(each)
    line, column = int(match[2] or 0), int(match[3] or 0)
    if line and path not in lines:
        try:
            lines[path] = (content_of(path) or b"").decode("utf-8", "replace").split("\n")
        except OSError:
            lines[path] = []
    text = lines[path][line - 1] if line and line <= len(lines[path]) else ""
    return Finding(each, below, line, column, text)


def _below(path: str, top: str) -> str | None:
    """Return a path relative to the top of the work tree with ``/``; None if it is not below it."""
    path = os.path.abspath(path)
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return os.path.relpath(real, top).replace(os.sep, "/") if is_within(real, top) else None


def _linted(project: Project, source: Source, texts: Texts) -> tuple[Problem, ...]:
    return project.levels.applied(lint(subject_of(project, source, texts)))


def subject_of(project: Project, source: Source, texts: Texts) -> Subject:
    """Return what the lint rules read of a project. Raises ProblemsError for unknown names in its themes."""
    from tokensync.dtcg.reading import Finder

    files = {path: content for of_file in texts.values() for path, content in of_file.items()}
    find = Finder(source.graph, files, f"{project.tokens_folder.rstrip('/')}/").place
    where = locator(project.text, project.source)
    return Subject(
        source.graph,
        project.config.lint,
        themes=configured_themes(source.graph, project),
        location_of=lambda key, context: find(key, context) or shown_key(key, context),
        location_of_setting=lambda *steps: where(steps),
    )


def _conflict_marks(project: Project, texts: Texts) -> Iterator[Problem]:
    """Yield the files in which git has left the marks of a conflict."""
    for path, content in _files_of_ours(project, texts):
        if (start := conflict_in(content)) is not None:
            line = content.count(b"\n", 0, start) + 1
            yield problem("conflict-marks", f"{path}:{line}", CONFLICT, _remedy(path))


def _remedy(path: str) -> str:
    """Return how to resolve a conflict of git in a file."""
    return _REMEDIES.get(os.path.basename(path), RESOLVE.format("tokens"))


def _files_of_ours(project: Project, texts: Mapping[str, Mapping[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    for name in (LOCK, MANIFEST):
        path = os.path.join(project.folder, name)
        yield path, content_of(path) or b""
    attributes = os.path.join(project.folder, ATTRIBUTES)
    content = content_of(attributes) if os.path.isfile(attributes) and not os.path.islink(attributes) else None
    if content is not None and (LOCK.encode() in content or b".tokens.json" in content):  # tokensync init wrote it
        yield attributes, content
    for of_file in texts.values():
        for path, content in of_file.items():
            yield os.path.join(project.tokens_folder, path), content
