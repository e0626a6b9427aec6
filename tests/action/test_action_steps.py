"""The steps of action.yml, run in order with the runner's files, and what linters say about it."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from action.github import TOKEN, git
from action.runner_files import ACTION, evaluated
from action.runner_files import run_steps as steps_of
from action.test_nights import CHANGED
from ci_runners import commands
from commands.projects import files_in, tokensync
from corpus.building import ROOT, run_here

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the environment is prepared with links")


def run_steps(
    harbor, folder: Path, inputs: dict[str, str], started=lambda process: None, **more: str
) -> tuple[list[int], dict[str, str], str]:
    """Run the steps of the action in a job of a harbor."""
    return steps_of(harbor.variables(folder, ""), folder / harbor.below, inputs, started, **more)


def prepared(harbor):
    folder = harbor.clone()
    harbor.here(folder)
    return folder


def test_the_steps_open_a_pull_request_and_set_the_outputs(harbor, github):
    harbor.seed(CHANGED)
    codes, outputs, log = run_steps(harbor, prepared(harbor), {"mode": "pull"})
    assert codes == [0, 0], log
    (pull,) = github.open_pulls()
    assert outputs["changed"] == "true"
    assert outputs["conflicts"] == "0"
    assert outputs["pull-request"].endswith(f"/pull/{pull['number']}")
    assert "Semantic version" in Path(outputs["summary"]).read_text(encoding="utf-8")
    codes, outputs, _ = run_steps(harbor, prepared(harbor), {"mode": "pull"})
    assert (codes, outputs["changed"], len(github.pulls)) == ([0, 0], "true", 1)


def test_the_steps_of_a_workflow_for_enterprise_server_use_its_addresses(harbor, github, tmp_path):
    git(tmp_path, "init", "-q", str(tmp_path / "company"))
    written = ("init", tmp_path / "company", "--yes", "--base-url", "figma", "--workflows", "github", "--for", "ghes")
    assert run_here(*written).code == 0
    path = tmp_path / "company/.github/workflows/tokensync-nightly-pull.yml"
    (step,) = [
        step
        for step in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]["pull"]["steps"]
        if step["uses"].startswith("tokensync/")
    ]
    inputs = {name: evaluated(value, {"secrets.FIGMA_TOKEN": "figd_read"}) for name, value in step["with"].items()}
    harbor.seed(CHANGED)
    own = {"GITHUB_GRAPHQL_URL": github.url.replace("/api/v3", "/api/graphql")}
    codes, outputs, log = run_steps(harbor, prepared(harbor), inputs, **own)
    assert codes == [0, 0], log
    assert outputs["pull-request"]
    assert "POST /api/graphql" in github.requests
    assert "POST /graphql" not in github.requests


def test_modules_of_the_checkout_are_never_imported(harbor, github):
    harbor.seed(CHANGED)
    folder = prepared(harbor)
    hostile = f"open({str(harbor.folder / 'ran')!r}, 'w')\n"
    for name in (
        "click.py",
        "sitecustomize.py",
        "usercustomize.py",
        "pip/__main__.py",
        "tokensync/__init__.py",
        "json.py",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(hostile, encoding="utf-8")
    (folder / "evil.pth").write_text("import sitecustomize\n", encoding="utf-8")
    codes, _, log = run_steps(harbor, folder, {"mode": "pull"}, PYTHONPATH=str(folder), PYTHONSTARTUP="click.py")
    assert codes == [0, 0], log
    assert not (harbor.folder / "ran").exists()
    assert len(github.open_pulls()) == 1


def test_a_mode_that_does_not_exist_fails_with_the_list(harbor):
    codes, _, log = run_steps(harbor, prepared(harbor), {"mode": "push"})
    assert codes == [0, 2]
    assert "::error::mode: 'push' is not one of pull, check, plan, apply, drift" in log


def test_secrets_are_masked_and_are_in_no_text_of_a_run(harbor):
    harbor.seed(CHANGED)
    secret = "figd_secret_of_the_design_team"
    codes, outputs, log = run_steps(harbor, prepared(harbor), {"mode": "pull", "token": secret})
    assert codes == [0, 0], log
    masks = [each for each in commands(log) if "add-mask" in each]
    assert f"::add-mask::{secret}" in masks
    assert f"::add-mask::{TOKEN}" in masks
    rest = "\n".join(each for each in log.split("\n") if each not in masks)
    assert secret not in rest + json.dumps(outputs)
    assert TOKEN not in rest + json.dumps(outputs)


def test_a_killed_apply_keeps_its_journals_and_says_how_to_continue(harbor):
    folder = prepared(harbor)
    path = folder / "tokens/one/theme/light.tokens.json"
    path.write_text(path.read_text("utf-8").replace("#112233", "#aabbcc"), encoding="utf-8")
    path.write_text(
        path.read_text("utf-8").replace("[0.06666667, 0.13333334, 0.2]", "[0.6666667, 0.73333335, 0.8]"),
        encoding="utf-8",
    )
    tokensync("-q", "plan")
    command = [sys.executable, ROOT / "tests/apply/killing.py", "2", "after", "apply"]
    killed = subprocess.run(command, check=False, capture_output=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert killed.returncode == -signal.SIGKILL
    processes = []

    def started(process):
        processes.append(process)
        if len(processes) == 2:  # the apply itself; the first step only computes a key
            os.killpg(process.pid, signal.SIGKILL)
            (packages,) = folder.parent.glob(f"{folder.name}-runner/tokensync-environment/lib/*/site-packages")
            (packages / "tokensync.pth").write_text(f"{ROOT}\n", encoding="utf-8")

    codes, _, log = run_steps(harbor, folder, {"mode": "apply"}, started)
    assert codes == [0, -signal.SIGKILL]
    kept = folder.parent / f"{folder.name}-runner" / "tokensync-results" / "applies"
    journals = files_in(folder / ".tokensync/applies")
    (before,) = [each for each in journals if each.endswith("/before.json")]
    del journals[before]
    found = files_in(kept)
    assert found.pop(before.replace("before.json", "touched.json"))
    assert found == journals
    assert "::warning::one: the apply is unfinished; run this workflow by hand with journals: 7" in log


class TestAction:
    def test_every_run_step_names_its_shell_and_takes_inputs_from_the_environment(self):
        steps = [each for each in ACTION["runs"]["steps"] if "run" in each]
        assert all(each["shell"] == "bash" for each in steps)
        assert not any("${{" in each["run"] for each in steps)
        assert not any(name in each["run"] for each in steps for name in ("GITHUB_ENV", "GITHUB_PATH", "eval"))

    def test_the_program_itself_gets_the_signal_of_a_cancelled_job(self):
        last = [
            each["run"].splitlines()[-1] for each in ACTION["runs"]["steps"] if "-m tokensync" in each.get("run", "")
        ]
        assert len(last) == 2
        assert all(each.startswith("exec ") for each in last)

    def test_every_input_reaches_the_program(self):
        (step,) = [each for each in ACTION["runs"]["steps"] if each.get("id") == "run"]
        passed = {value for name, value in step["env"].items()}
        own = {"python", "cache"}  # of the steps that install the program
        assert passed == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"].keys() - own}

    def test_every_action_is_pinned_with_its_version(self):
        text = (ROOT / "action.yml").read_text(encoding="utf-8")
        used = re.findall(r"uses: (.*)", text)
        assert used
        assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each) for each in used)


def _wheel(folder: Path, text: str) -> str:
    """Write a wheel with one module, and return the digest of the file."""
    folder.mkdir(exist_ok=True)
    path = folder / "cached-1.0-py3-none-any.whl"
    info = "cached-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("cached.py", text)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: cached\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "cached.py,,\n")
    return hashlib.sha256(path.read_bytes()).hexdigest()


class TestCache:
    """Any workflow of the default branch can save what a hit restores."""

    @pytest.fixture
    def install(self, tmp_path):
        """Return a function that runs the installation with the locked digest of a wheel."""
        (step,) = [each for each in ACTION["runs"]["steps"] if each.get("id") == "install"]

        def install(digest):
            requirements = tmp_path / "action/requirements/runtime.txt"
            requirements.parent.mkdir(parents=True, exist_ok=True)
            requirements.write_text(f"cached==1.0 --hash=sha256:{digest}\n", encoding="utf-8")
            variables = {"PYTHON": sys.executable, "GITHUB_ACTION_PATH": str(tmp_path / "action"), "RUNNER_OS": "Linux"}
            command = ["bash", "-e", "-c", step["run"]]
            return subprocess.run(
                command,
                check=False,
                cwd=tmp_path,
                env={**os.environ, **variables},
                capture_output=True,
                encoding="utf-8",
            )

        return install

    @pytest.mark.campaign
    def test_a_wheel_with_the_locked_hash_is_installed_into_a_new_environment_each_time(self, install, tmp_path):
        digest = _wheel(tmp_path / "tokensync-wheels", "value = 1\n")
        done = install(digest)
        assert done.returncode == 0, done.stderr
        (packages,) = tmp_path.glob("tokensync-environment/lib/*/site-packages")
        assert (packages / "cached.py").exists()
        (packages / "evil.pth").write_text("import os\n", encoding="utf-8")
        assert install(digest).returncode == 0
        assert not (packages / "evil.pth").exists()

    @pytest.mark.campaign
    def test_a_wheel_of_the_cache_that_somebody_replaced_is_refused(self, install, tmp_path):
        digest = _wheel(tmp_path / "tokensync-wheels", "value = 1\n")
        _wheel(tmp_path / "tokensync-wheels", "value = 'evil'\n")
        assert install(digest).returncode != 0
        assert not list(tmp_path.glob("tokensync-environment/lib/*/site-packages/cached.py"))

    def test_only_wheels_are_cached(self):
        (cache,) = [each for each in ACTION["runs"]["steps"] if "actions/cache@" in each.get("uses", "")]
        assert cache["with"]["path"] == "${{ runner.temp }}/tokensync-wheels"

    def test_nothing_is_restored_unless_a_workflow_asks_for_it(self):
        (cache,) = [each for each in ACTION["runs"]["steps"] if "actions/cache@" in each.get("uses", "")]
        assert cache["if"] == "inputs.cache == 'true'"
        assert ACTION["inputs"]["cache"]["default"] == "false"
        for path in (ROOT / "examples/github-action").glob("*.yml"):
            assert "cache:" not in path.read_text(encoding="utf-8")


def test_an_installed_python_runs_the_action_without_setup_python():
    steps = ACTION["runs"]["steps"]
    (setup,) = [each for each in steps if "setup-python" in each.get("uses", "")]
    assert setup["if"] == "inputs.python == ''"
    contexts = {"inputs.python": "/opt/python3"}, {"steps.python.outputs.python-path": "/cached/python3"}
    for context, expected in zip(contexts, ("/opt/python3", "/cached/python3"), strict=True):
        found = [evaluated(each["env"]["PYTHON"], context) for each in steps if "PYTHON" in each.get("env", {})]
        assert found == [expected] * 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"config": "no.toml"},
            "no.toml: cannot read it (No such file or directory); set the input config to its path",
        ),
        ({"file": "two"}, "file: two: no such file is configured; "),
        ({"base-url": "figmaa"}, "base-url: not figma, figma-gov, emulator: or an https:// URL; use one of these"),
        ({"snapshot": "no"}, "snapshot: no: no saved response, and no export of variables; "),
    ],
)
def test_a_wrong_input_is_reported_by_its_name(harbor, given, message):
    codes, _, log = run_steps(harbor, prepared(harbor), {"mode": "apply", **given})
    assert codes == [0, 2]
    (annotation,) = [each for each in commands(log) if each.startswith("::error")]
    assert annotation.startswith(f"::error::{message}")
    assert not any(word in log for word in ("--config", "--file", "base_url:"))


def test_a_branch_that_git_does_not_accept_is_a_wrong_input(harbor, github):
    harbor.seed(CHANGED)
    night = harbor.night(TOKENSYNC_ACTION_BRANCH="design tokens")
    assert (night.code, github.pulls) == (2, [])
    assert night.error == "branch: git accepts no branch named 'design tokens'; correct the input"


@pytest.mark.parametrize(
    "path", ["tokens/one/theme/light.tokens.json", "tokensync.toml", "packages/a/tokensync.toml", "tokensync.lock"]
)
def test_a_merge_that_can_change_the_plan_starts_the_apply(path):
    workflow = yaml.safe_load((ROOT / "examples/github-action/apply.yml").read_text(encoding="utf-8"))
    triggers = workflow[True]  # YAML 1.1 reads the key "on" as true
    assert any(fnmatch.fnmatchcase(path, each) for each in triggers["push"]["paths"])


def test_the_job_works_in_a_shallow_clone_of_a_monorepo(github, tmp_path, monkeypatch, capsys):
    from action.nights import Harbor

    harbor = Harbor(github, tmp_path, monkeypatch, capsys, below="packages/tokens")
    harbor.seed(CHANGED)
    night = harbor.night(folder=harbor.clone(depth=1))
    assert night.code == 0, night.error
    changed = git(github.bare, "diff", "--name-only", "main", harbor.branch).split("\n")
    assert "packages/tokens/web/tokens.css" in changed
    assert all(each.startswith("packages/tokens/") for each in changed)
    harbor.seed({**CHANGED, "slate": ("#99aabb", "#445566")})
    assert harbor.night(folder=harbor.clone(depth=1)).code == 0
    assert len(github.pulls) == 1
    assert shutil.which("git")
