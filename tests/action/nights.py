"""A repository with tokens, a clone for each night, and what a run of the action leaves."""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

from action.github import APP_TOKEN, REPOSITORY, TOKEN, GitHub, git
from action.runner_files import outputs_in
from commands.projects import COLORS, copied, on_the_platform, output, project_in, tokensync

from tokensync.action.running import run
from tokensync.system.errors import TokensyncError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BRANCH = "tokensync/pull"


class Night(NamedTuple):
    """The result of a run: exit code, outputs, summary, message of the error and standard output."""

    code: int
    outputs: dict[str, str]
    summary: str
    error: str
    output: str
    results: Path


class Harbor:
    """A repository on a server whose design file is on an emulator, and jobs that run the action."""

    def __init__(self, github: GitHub, folder: Path, monkeypatch: Any, capsys: Any, below: str = "") -> None:
        self.github = github
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.below = below
        self.branch = "-".join(filter(None, (BRANCH, re.sub("[^a-z]+", "-", below))))
        self.state = folder / "emulator"
        self.slept: list[float] = []
        self._number = 0
        self.work = folder / "kim"
        copied(self.work, ("harbor", below), self._start)
        self._save_state(self.work / below)
        self.here(self.work / below)
        git(self.work, "push", "-q", str(github.bare), "HEAD:main")

    def _start(self) -> None:
        """Commit a project that is pulled and built."""
        project = self.work / self.below
        project.mkdir(parents=True)
        git(self.work, "init", "-q")
        project_in(project, outputs=output("css", "web"), more="[client]\nsettling_time = 1\n")
        self.seed(COLORS)
        self.here(project)
        tokensync("-q", "pull")
        tokensync("-q", "build")
        (self.work / "README.md").write_text("# Harbor\n", encoding="utf-8")
        git(self.work, "add", "-A")
        git(self.work, "commit", "-q", "-m", "Start")

    def here(self, folder: Path) -> None:
        """Change to a folder, with the platform's state in it."""
        state = folder / ".tokensync"
        state.mkdir(exist_ok=True)
        if self.state.exists():
            for each in self.state.iterdir():
                shutil.copy(each, state / each.name)
        self._monkeypatch.chdir(folder)

    def _save_state(self, folder: Path) -> None:
        self.state.mkdir(exist_ok=True)
        for each in (folder / ".tokensync").glob("emulator.sqlite*"):
            shutil.copy(each, self.state / each.name)

    def seed(self, variables: dict[str, tuple[str, ...]], **options: Any) -> None:
        """Put variables on the platform, as a designer does."""
        folder = self.work / self.below
        self.here(folder)
        on_the_platform(variables, **options)
        self._save_state(folder)

    def commit(self, path: str, content: str | None, branch: str = "main", message: str = "Edit") -> str:
        """Commit a file to a branch as a colleague; None deletes it."""
        git(self.work, "fetch", "-q", str(self.github.bare), branch if self.github.tip(branch) else "main")
        git(self.work, "checkout", "-q", "-f", "-B", f"work-{branch.replace('/', '-')}", "FETCH_HEAD")
        if content is None:
            (self.work / path).unlink()
        else:
            (self.work / path).parent.mkdir(parents=True, exist_ok=True)
            (self.work / path).write_text(content, encoding="utf-8")
        git(self.work, "add", "-A")
        git(self.work, "add", "-f", "-A", "--", path)
        git(self.work, "commit", "-q", "-m", message)
        git(self.work, "push", "-q", "-f", str(self.github.bare), f"HEAD:{branch}")
        return git(self.work, "rev-parse", "HEAD")

    def edit_token(self, value: str, branch: str = "main", mode: str = "light") -> str:
        """Change the colour of ``slate`` in a theme in the token files."""
        git(self.work, "fetch", "-q", str(self.github.bare), "main" if not self.github.tip(branch) else branch)
        path = f"{self.below}/tokens/one/theme/{mode}.tokens.json".lstrip("/")
        document = json.loads(git(self.work, "show", f"FETCH_HEAD:{path}"))
        token = document["theme"]["slate"]
        token["$value"] = {"colorSpace": "srgb", "components": [int(value[at : at + 2], 16) / 255 for at in (1, 3, 5)]}
        token["$value"]["hex"] = value
        if not self.github.tip(branch):
            git(self.work, "push", "-q", str(self.github.bare), f"FETCH_HEAD:refs/heads/{branch}")
        return self.commit(path, json.dumps(document, indent=2) + "\n", branch)

    def clone(self, branch: str = "main", depth: int | None = None) -> Path:
        """Return a new checkout."""
        self._number += 1
        folder = self.folder / f"job-{self._number}"
        shallow = [f"--depth={depth}"] if depth else []
        git(self.folder, "clone", "-q", *shallow, "-b", branch, self.github.bare.as_uri(), str(folder))
        return folder

    def variables(self, folder: Path, mode: str, **more: str) -> dict[str, str]:
        """Return the variables of a job in GitHub Actions."""
        files = folder.parent / f"{folder.name}-runner"
        files.mkdir(exist_ok=True)
        for name in ("output", "summary", "event.json"):
            (files / name).touch()
        (files / "event.json").write_text("{}", encoding="utf-8")
        return {
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SERVER_URL": self.github.bare.parent.parent.as_uri(),
            "GITHUB_API_URL": self.github.url,
            "GITHUB_EVENT_NAME": "schedule",
            "GITHUB_EVENT_PATH": str(files / "event.json"),
            "GITHUB_OUTPUT": str(files / "output"),
            "GITHUB_STEP_SUMMARY": str(files / "summary"),
            "GITHUB_REF_TYPE": "branch",
            "GITHUB_REF_NAME": "main",
            "GITHUB_RUN_ID": "7",
            "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/.github/workflows/{mode}.yml@refs/heads/main",
            "RUNNER_TEMP": str(files),
            "TOKENSYNC_ACTION_MODE": mode,
            "TOKENSYNC_ACTION_GITHUB_TOKEN": TOKEN,
            **({"TOKENSYNC_ACTION_CONFIG": f"{self.below}/tokensync.toml"} if self.below else {}),
            **more,
        }

    def night(self, mode: str = "pull", *, folder: Path | None = None, event: Any = None, **more: str) -> Night:
        """Run a mode in a new checkout of main."""
        folder = folder or self.clone()
        variables = self.variables(folder, mode, **more)
        files = folder.parent / f"{folder.name}-runner"
        if event is not None:
            (files / "event.json").write_text(json.dumps(event), encoding="utf-8")
        self.here(folder / self.below)
        self._monkeypatch.chdir(folder)
        self._capsys.readouterr()
        code, error = 0, ""
        try:
            code = run(variables, lambda text: None, sleep=self.slept.append)
        except TokensyncError as stop:
            code, error = stop.exit_code, str(stop)
        self._save_state(folder / self.below)
        summary = (files / "summary").read_text(encoding="utf-8")
        results = files / "tokensync-results"
        return Night(code, outputs_in(files / "output"), summary, error, self._capsys.readouterr().out, results)

    def with_app(self) -> dict[str, str]:
        """Return the input of the token of an App."""
        return {"TOKENSYNC_ACTION_APP_TOKEN": APP_TOKEN}


def files_at(github: GitHub, revision: str) -> Iterator[str]:
    """Yield the paths of the files of a commit on the server."""
    yield from git(github.bare, "ls-tree", "-r", "--name-only", revision).split("\n")


os.environ.setdefault("GIT_CONFIG_NOSYSTEM", "1")
