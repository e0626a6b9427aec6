"""A job of CI: its inputs and variables, the project, the repository, and the servers that it talks to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.action.branch import Target
from tokensync.action.hosting import Hosting
from tokensync.action.runner import Inputs, Runner, default_branch
from tokensync.project import connection
from tokensync.project.configuration import BASE_URL_VARIABLE, Project, load_project
from tokensync.system import outlet
from tokensync.system.disk import relative_paths
from tokensync.system.errors import UsageError
from tokensync.system.git import Repository, Server
from tokensync.system.outlet.findings import Finding, masked, workflow_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tokensync.system.outlet.markdown import Block
    from tokensync.system.problems import Problem

_ABOUT_THE_RUN = 2
"""The most annotations of one level about the run itself: the end of the token, an issue that was not written."""
_TOKEN_VARIABLES = ("FIGMA_OAUTH_TOKEN", "FIGMA_ACCESS_TOKEN", "FIGMA_TOKEN")


class Job(NamedTuple):
    """All that a mode needs. ``top`` is the top of the work tree, ``source`` the configuration's path below it."""

    inputs: Inputs
    runner: Runner
    project: Project
    repository: Repository
    variables: Mapping[str, str]
    source: str
    say: Callable[[str], None]
    sleep: Callable[[float], None]

    @property
    def files(self) -> tuple[str, ...]:
        """Return the names of the selected files; none means all."""
        return (self.inputs.file,) if self.inputs.file else ()

    @property
    def label(self) -> str:
        """Return what distinguishes this job from others of the repository: the configuration and the file."""
        return f"{self.source}, {self.inputs.file}" if self.inputs.file else self.source

    @property
    def top(self) -> str:
        """Return the top of the work tree."""
        return self.repository.top

    @property
    def branch(self) -> str:
        """Return the branch of the bot."""
        return self.inputs.branch or default_branch(self.source, self.inputs.file)

    def hosting(self) -> Hosting:
        """Return a client for the hosting service."""
        return hosting_of(self.inputs, self.variables)


class Result(NamedTuple):
    """The result of a mode: the exit code, the outputs and the parts of the summary."""

    code: int
    outputs: Mapping[str, str]
    summary: Sequence[Block]


def hosting_of(chosen: Inputs, variables: Mapping[str, str]) -> Hosting:
    """Return a client for the hosting service of the runner's environment."""
    api = variables.get("GITHUB_API_URL", "https://api.github.com")
    graphql = variables.get("GITHUB_GRAPHQL_URL") or f"{api}/graphql"
    first, *others = dict.fromkeys((chosen.app_token or chosen.github_token, chosen.github_token))
    return Hosting(api, graphql, variables.get("GITHUB_REPOSITORY", ""), first, *filter(None, others))


def job_of(
    chosen: Inputs,
    runner: Runner,
    variables: Mapping[str, str],
    say: Callable[[str], None],
    sleep: Callable[[float], None],
) -> Job:
    """Return the job of these inputs. Raises TokensyncError for an invalid configuration or repository."""
    _set_environment(chosen, uses_token=not runner.is_for_fork())
    project = load_project(chosen.config or None)
    repository = Repository(project.folder, project.source, "run it after actions/checkout", is_trusted=True)
    source = os.path.relpath(os.path.realpath(project.source), repository.top).replace(os.sep, "/")
    return Job(chosen, runner, project, repository, variables, source, say, sleep)


def _set_environment(chosen: Inputs, *, uses_token: bool) -> None:
    """Pass the token and the address to the client as it expects them, and hide what the runner does not know.

    The configuration of a fork must not choose what a token reads, so there is none in its runs, even if a repository
    passes secrets to them.
    """
    if chosen.token or not uses_token:
        for name in _TOKEN_VARIABLES:
            os.environ.pop(name, None)
    if chosen.token and uses_token:
        os.environ[_TOKEN_VARIABLES[-1]] = chosen.token
    if chosen.base_url and chosen.snapshot:
        raise UsageError("snapshot: base-url names another source; choose one of them")
    if address := f"{connection.SNAPSHOT}{os.path.abspath(chosen.snapshot)}" if chosen.snapshot else chosen.base_url:
        os.environ[BASE_URL_VARIABLE] = address
    if os.environ.get("GITHUB_ACTIONS") == "true":
        secrets = (chosen.token, chosen.github_token, chosen.app_token)
        outlet.write_commands(
            [masked(secret) for secret in secrets if len(secret) >= 8 and secret.isascii() and secret.isprintable()]
        )


def has_token(job: Job) -> bool:
    """Return whether there is a token for the design files. A platform in this process needs none."""
    is_embedded = connection.server_of(job.project).in_process and not job.runner.is_for_fork()
    return is_embedded or any(os.environ.get(name, "").strip() for name in _TOKEN_VARIABLES)


def refuse_without_token(job: Job) -> None:
    """Raise UsageError if there is no token for the design files."""
    if job.runner.is_for_fork():
        raise UsageError(f"{job.inputs.mode}: it does not run for pull requests of forks; use the mode check for them")
    if not has_token(job):
        raise UsageError(
            "token: the input is empty; store the access token as a secret of this name, and check that the job may "
            "read it (environments and forks)"
        )


def base_name(job: Job) -> str:
    """Return the branch that this run is for; empty for tags and pull requests."""
    is_branch = job.variables.get("GITHUB_REF_TYPE", "branch") == "branch"
    is_pull = job.runner.event_name.startswith("pull_request")
    return job.variables.get("GITHUB_REF_NAME", "") if is_branch and not is_pull else ""


def server_of(job: Job) -> Server:
    """Return the repository on the server of the runner's environment."""
    url = job.variables.get("GITHUB_SERVER_URL", "https://github.com").rstrip("/")
    scheme = url.partition("://")[0]
    if scheme not in ("https", "file") and not url.startswith(("http://127.0.0.1:", "http://localhost:")):
        raise UsageError(f"GITHUB_SERVER_URL: {url!r:.100} is not an https:// address; run this in GitHub Actions")
    repository = job.variables.get("GITHUB_REPOSITORY", "")
    return Server(f"{url}/{repository}", job.inputs.app_token or job.inputs.github_token)


def target_of(job: Job, hosting: Hosting) -> Target:
    """Return where this job proposes changes. Raises UsageError for runs that are not for a branch."""
    base = base_name(job)
    if not base:
        raise UsageError(
            f"{job.inputs.mode}: it runs for branches only; start it by schedule, push or workflow_dispatch"
        )
    if base == job.branch:
        raise UsageError(f"branch: {base} is the branch that this run is for; start it on the default branch")
    return Target(
        job.repository,
        server_of(job),
        hosting,
        job.branch,
        base,
        job.repository.commit_id("HEAD"),
        job.label,
        config=job.source,
        has_app=bool(job.inputs.app_token),
        sign=job.inputs.sign,
    )


def shown(text: str, top: str) -> str:
    """Return a text without the folder of the runner in which the checkout is."""
    return relative_paths(relative_paths(text, top))


def from_top(problems: Iterable[Problem], top: str) -> tuple[Problem, ...]:
    """Return problems whose paths are relative to the top of the checkout."""
    return tuple(problem.rewritten(lambda text: shown(text, top)) for problem in problems)


def annotate(findings: Iterable[Finding], top: str) -> None:
    """Write errors and warnings as annotations; notes, and findings about the design file, are in the summary."""
    serious = (finding for finding in findings if finding.problem.severity != "note")
    kept = [finding for finding in serious if not finding.problem.is_of_design]
    problems = from_top((finding.problem for finding in kept), top)
    relative = (each._replace(problem=problem) for each, problem in zip(kept, problems, strict=True))
    outlet.write_commands(workflow_commands(relative, _ABOUT_THE_RUN, "the job summary lists them"))


def annotate_problems(problems: Iterable[Problem], top: str) -> None:
    """Find the positions of errors and warnings, and write them as annotations."""
    from tokensync.commands.check import failed

    if found := [problem for problem in problems if problem.severity != "note"]:
        annotate(failed(found).findings, top)
