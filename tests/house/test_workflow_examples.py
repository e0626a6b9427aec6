"""The action and the workflows in examples/ pass the linters, and each linter finds a planted fault. No network."""

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(sysconfig.get_path("scripts"))
ACTION = ROOT / "action.yml"
EXAMPLES = sorted((ROOT / "examples" / "github-action").glob("*.yml"))
GITLAB = ROOT / "examples" / "gitlab-ci" / "tokensync.gitlab-ci.yml"
ZIZMOR = ("zizmor", "--quiet", "--offline", "--no-progress", "--strict-collection", "--persona=auditor")
ACTIONLINT = ("jactionlint", "--shellcheck=", "--ignore=is not found in the repository")
ACTION_SCHEMA = ("check-jsonschema", "--builtin-schema", "vendor.github-actions")
WORKFLOW_SCHEMA = ("check-jsonschema", "--builtin-schema", "vendor.github-workflows")
GITLAB_SCHEMA = ("check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci")


def passes(program, *paths):
    command = [str(PROGRAMS / program[0]), *program[1:], *map(str, paths)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("program", "paths"),
    [
        (ZIZMOR, (ACTION, *EXAMPLES)),
        (ACTIONLINT, EXAMPLES),
        (ACTION_SCHEMA, (ACTION,)),
        (WORKFLOW_SCHEMA, EXAMPLES),
        (GITLAB_SCHEMA, (GITLAB,)),
    ],
    ids=["zizmor", "jactionlint", "action", "workflows", "gitlab"],
)
def test_a_linter_finds_nothing(program, paths):
    assert passes(program, *paths)


@pytest.mark.parametrize(
    ("program", "path", "original", "planted"),
    [
        (ZIZMOR, ACTION, '"$python" -I -m tokensync action', 'echo "${{ inputs.config }}"'),
        (ZIZMOR, ACTION, "runs:\n", "run:\n"),
        (ZIZMOR, EXAMPLES[0], "persist-credentials: false", "persist-credentials: true"),
        (ZIZMOR, EXAMPLES[0], "permissions: {}", "permissions: write-all"),
        (ACTIONLINT, EXAMPLES[0], "queue: max", "queue: most"),
        (ACTIONLINT, EXAMPLES[0], "runs-on: ubuntu-latest", "run-on: ubuntu-latest"),
        (ACTION_SCHEMA, ACTION, "shell: bash", "shells: bash"),
        (WORKFLOW_SCHEMA, EXAMPLES[0], "runs-on: ubuntu-latest", "run-on: ubuntu-latest"),
        (GITLAB_SCHEMA, GITLAB, "when: always", "when: perhaps"),
    ],
)
def test_a_linter_finds_a_planted_fault(program, path, original, planted, tmp_path):
    text = path.read_text("utf-8")
    assert original in text
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / path.name).write_text(text, "utf-8")
    assert passes(program, folder / path.name)
    (folder / path.name).write_text(text.replace(original, planted, 1), "utf-8")
    assert not passes(program, folder / path.name)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
class TestExamples:
    def test_it_has_only_the_permissions_that_a_job_names(self, path):
        workflow = yaml.safe_load(path.read_text("utf-8"))
        assert workflow["permissions"] == {}
        assert all("permissions" in job and "timeout-minutes" in job for job in workflow["jobs"].values())

    def test_no_run_cancels_one_that_waits(self, path):
        concurrency = yaml.safe_load(path.read_text("utf-8"))["concurrency"]
        assert concurrency.get("queue") == "max" or concurrency.get("cancel-in-progress") is True

    def test_actions_are_pinned_and_secrets_are_in_environments(self, path):
        text = path.read_text("utf-8")
        used = re.findall(r"\buses: (.*)", text)
        assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each) for each in used)
        for job in yaml.safe_load(text)["jobs"].values():
            assert "secrets." not in str(job) or "environment" in job

    def test_it_passes_inputs_that_the_action_has(self, path):
        inputs = yaml.safe_load(ACTION.read_text("utf-8"))["inputs"]
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
            for step in job["steps"]:
                if step.get("uses", "").startswith("tokensync/"):
                    assert step["with"].keys() <= inputs.keys()
                    assert step["with"]["mode"] in ("pull", "check", "plan", "apply", "drift")
