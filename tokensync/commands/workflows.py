"""The workflows for GitHub and GitLab that ``tokensync init`` writes: the shipped examples, for one repository."""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from typing import Literal

from tokensync.commands.install_hook import quoted
from tokensync.project.configuration import FILE_NAME
from tokensync.project.connection import SNAPSHOT
from tokensync.system import resources
from tokensync.system.disk import content_of, spelled
from tokensync.system.errors import UsageError

Workflows = Literal["github", "ghes", "gitlab", "none"]
"""The services that there are workflows for; ghes is GitHub Enterprise Server."""

GITLAB = ".gitlab-ci.yml"
_GITHUB_WORKFLOWS = ("nightly-pull.yml", "plan.yml", "apply.yml")
_CAPTURES_WORKFLOW = "pull-captures.yml"
_CAPTURES = "design"
"""The folder of captures in the example."""
_GITLAB_JOBS = "tokensync.gitlab-ci.yml"


def workflow_files(
    workflows: Workflows, folder: str, top: str, base_url: str
) -> tuple[dict[str, bytes], list[tuple[str, str]]]:
    """Return the files of the workflows that are missing, and what a person has to add. Existing files stay.

    They are the shipped examples, with the default branch of the repository, and with the path of the configuration
    where the project is not at the top. Workflows that exist for another project need a step for this one.
    """
    prefix = prefix_of(folder, top)
    if workflows != "none" and base_url == "bridge:":
        what = "--workflows: runners have no editor with the plugin"
        raise UsageError(f'{what}; commit captures that it saves, with base_url = "snapshot:PATH", or omit --workflows')
    match workflows:
        case "github" | "ghes":
            branches = f"branches: [{_pattern(default_branch(top))}]"
            names = (_CAPTURES_WORKFLOW,) if base_url.startswith(SNAPSHOT) else _GITHUB_WORKFLOWS
            path = os.path.normpath(os.path.join(prefix, base_url.removeprefix(SNAPSHOT))).replace(os.sep, "/")
            found = {
                os.path.join(top, ".github", "workflows", f"tokensync-{name}"): _with_configuration(
                    _of_captures(_example(name, workflows), path).replace("branches: [main]", branches), prefix
                )
                for name in names
            }
        case "gitlab":
            jobs = _in_folder(resources.read_text("examples", "gitlab-ci", _GITLAB_JOBS), prefix)
            found = {os.path.join(top, "ci", _GITLAB_JOBS): jobs}
        case "none":
            return {}, []
    missing = {path: text.encode() for path, text in found.items() if not os.path.lexists(path)}
    if workflows != "gitlab":
        lacking = (
            path for path, text in found.items() if path not in missing and _lacks_step(content_of(path) or b"", text)
        )
        return missing, [(path, _step(found[path])) for path in lacking]
    path, entry = os.path.join(top, GITLAB), f"- local: /ci/{_GITLAB_JOBS}\n"
    present = content_of(path) or b""
    if not present:
        return {**missing, path: f"include:\n  {entry}".encode()}, []
    return missing, [] if _GITLAB_JOBS.encode() in present else [(path, entry)]


def _example(name: str, workflows: Workflows) -> str:
    """Return an example, changed as ``ghes.toml`` says for GitHub Enterprise Server."""
    workflow = resources.read_text("examples", "github-action", name)
    if workflows == "ghes":
        for change in tomllib.loads(resources.read_text("examples", "github-action", "ghes.toml"))["changes"]:
            workflow = re.sub(change["pattern"], change["text"].replace("\\", r"\\"), workflow)
    return workflow


def _of_captures(workflow: str, path: str) -> str:
    """Return the workflow that pulls captures for those of a path from the top of the work tree."""
    pattern = quoted(_escaped(path) + ("" if path.endswith(".json") else "/**"))
    escaped = path.replace("${{", "${{ '${{' }}")  # no expression
    workflow = workflow.replace(f"paths: [{_CAPTURES}/**]", f"paths: [{pattern}]")
    return workflow.replace(f"snapshot: {_CAPTURES}\n", f"snapshot: {quoted(escaped)}\n")


def _with_configuration(workflow: str, prefix: str) -> str:
    """Return a workflow whose steps name the configuration, unless it is at the top of the work tree."""
    if not prefix:
        return workflow
    path = f"{prefix}{FILE_NAME}".replace("${{", "${{ '${{' }}")  # no expression
    return re.sub(r"(?m)^( +)mode: \w+$", lambda mode: f"{mode[0]}\n{mode[1]}config: {quoted(path)}", workflow)


_STEP = re.compile(r"uses: tokensync/tokensync@.*\n( +)with:\n(?:\1 .*\n?)+")
"""The step of a workflow that runs the action, from its second line on if it has an id."""


def _step(workflow: str) -> str:
    """Return the step of a workflow that runs the action, without its id, which another step has."""
    found = _STEP.search(workflow)
    if found is None:
        raise ValueError(workflow)
    return f"- {found[0].replace(found[1], '  ')}"


def _lacks_step(present: bytes, workflow: str) -> bool:
    """Return whether a workflow that runs the action does so for other projects only."""
    own = re.search(r"config: .*", _step(workflow))
    steps = [match[0] for match in _STEP.finditer(present.decode("utf-8", "replace"))]
    return bool(steps) and not any(own[0] in step if own else "config: " not in step for step in steps)


def runs_elsewhere(folder: str, top: str) -> bool:
    """Return whether the jobs for GitLab run in the folder of another project."""
    jobs, prefix = (
        (content_of(os.path.join(top, "ci", _GITLAB_JOBS)) or b"").decode("utf-8", "replace"),
        prefix_of(folder, top),
    )
    return quoted(f"cd -- {shlex.quote(prefix)}") not in jobs if prefix else "'cd -- " in jobs


def copying(folder: str, top: str) -> tuple[str, ...]:
    """Return what to do where the jobs for GitLab run in the folder of another project."""
    return (
        f"ci/{_GITLAB_JOBS} runs in another folder: copy it, include the copy, and give its jobs other names,",
        f"a BRANCH of their own, and cd -- {shlex.quote(prefix_of(folder, top) or './')} as their folder",
    )


def default_branch(top: str) -> str:
    """Return the default branch of a repository: that of its origin, or else the current one; main without git."""
    from tokensync.system.git import Repository

    try:
        return Repository(top, "--workflows", "install git").default_branch() or "main"
    except UsageError:
        return "main"


def _pattern(branch: str) -> str:
    """Return the pattern of workflows that matches a branch, as a YAML scalar."""
    escaped = _escaped(branch)
    return escaped if re.fullmatch(r"[A-Za-z][\w./-]*", branch, re.ASCII) else quoted(escaped)


def _escaped(text: str) -> str:
    """Return the pattern of workflows that matches only a text."""
    return re.sub(r"[*?+\[\]!\\]", r"\\\g<0>", text)


def _in_folder(jobs: str, prefix: str) -> str:
    """Return jobs whose commands run in a folder of the work tree, with the paths of its artifacts from the top."""
    if not prefix:
        return jobs
    jobs = re.sub(
        r"(?m)^( +)(- export PATH=.*)$",
        lambda line: f"{line[0]}\n{line[1]}- {quoted(f'cd -- {shlex.quote(prefix)}')}",
        jobs,
    )

    def below(paths: re.Match[str]) -> str:
        return f"paths: [{', '.join(quoted(prefix + each.strip()) for each in paths[1].split(','))}]"

    return re.sub(r"paths: \[(.*)\]", below, jobs)


def to_finish(workflows: Workflows, folder: str, top: str, *, has_key: bool, base_url: str = "") -> Iterator[str]:
    """Yield what is left to do for workflows: they cannot name a release, secrets and environments by themselves."""
    if workflows != "none" and not has_key:
        name = f"{prefix_of(folder, top)}{FILE_NAME}"
        yield f'in {name}, set base_url = "figma", and key to the URL of the design file (runners have no emulator),'
    match workflows:
        case "github" | "ghes":
            yield "replace the zeros after tokensync/tokensync@ by the commit of a release,"
            if workflows == "ghes":
                yield "make it and the other actions available on your server,"
            if not base_url.startswith(SNAPSHOT):
                yield "create the environments design-files-read and design-files-write with FIGMA_TOKEN:"
            yield "tokensync explain github-action"
        case "gitlab":
            yield "write ci/tokensync.txt as tokensync explain github-action describes, and"
            yield f"set the variables that ci/{_GITLAB_JOBS} names"


def prefix_of(folder: str, top: str) -> str:
    """Return the path of a folder from the top of the work tree, with a slash at the end; empty for the top."""
    path = spelled(top, os.path.relpath(folder, top).replace(os.sep, "/"))
    return "" if path == "." else f"{path}/"
