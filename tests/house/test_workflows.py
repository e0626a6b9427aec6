"""The project's workflows, and those of the examples, pin what they run and grant only what it needs."""

import json
import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
import yaml
from corpus.building import run_here

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROGRAMS = Path(sysconfig.get_path("scripts"))
CHECKOUT = re.search(r"actions/checkout@\w{40}", (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))[0]


def ran(program, *arguments):
    return subprocess.run(
        [str(PROGRAMS / program), *map(str, arguments)], check=False, capture_output=True, encoding="utf-8"
    )


def audited(*paths):
    """The identifiers of what zizmor finds, by the options of `make check`."""
    options = ("--offline", "--no-progress", "--quiet", "--strict-collection", "--persona=auditor")
    done = ran("zizmor", *options, "--no-exit-codes", "--format=json-v1", *paths)
    assert done.returncode == 0, done.stderr
    return {finding["ident"] for finding in json.loads(done.stdout)}


def workflow(steps, *, on="push:", job=""):
    """A workflow without a finding, but for the steps and the members of its job that are passed."""
    return (
        f"name: Planted\non:\n  {on}\npermissions: {{}}\n"
        "concurrency:\n  group: planted\n  cancel-in-progress: true\n"
        "jobs:\n  planted:\n    name: Planted\n    runs-on: ubuntu-latest\n    timeout-minutes: 5\n"
        f"{job}    steps:\n{steps}"
    )


PLANTED = {
    "artipacked": workflow(f"      - uses: {CHECKOUT} # v7.0.1\n"),
    "adhoc-packages": workflow("      - run: npm install left-pad\n"),
    "bot-conditions": workflow(
        "      - run: make\n", on="pull_request_target:", job="    if: github.actor == 'dependabot[bot]'\n"
    ),
    "cache-poisoning": workflow(
        "      - uses: actions/cache@"
        + "0" * 40
        + " # v5.0.0\n        with:\n          path: .venv\n          key: venv\n",
        on='push: {tags: ["v*"]}',
    ),
    "github-env": workflow(
        '      - run: echo "NAME=$NAME" >> "$GITHUB_ENV"\n        env:\n          NAME: ${{ github.head_ref }}\n',
        on="pull_request_target:",
    ),
    "secrets-outside-env": workflow("      - run: make\n        env:\n          TOKEN: ${{ secrets.TOKEN }}\n"),
    "template-injection": workflow("      - run: echo ${{ github.event.issue.title }}\n", on="issues:"),
    "unpinned-uses": workflow(
        "      - uses: actions/checkout@v7\n        with:\n          persist-credentials: false\n"
    ),
}


def test_zizmor_finds_nothing():
    assert audited(ROOT / ".github") == set()


@pytest.mark.parametrize("fault", PLANTED)
def test_zizmor_finds_a_planted_fault(fault, tmp_path):
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (folder / "planted.yml").write_text(PLANTED[fault], "utf-8")
    assert fault in audited(folder)


def test_zizmor_finds_nothing_in_the_workflow_that_the_faults_are_planted_in(tmp_path):
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (folder / "planted.yml").write_text(workflow("      - run: make\n"), "utf-8")
    assert audited(folder) == set()


def test_zizmor_refuses_a_workflow_that_it_cannot_read(tmp_path):
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (folder / "planted.yml").write_text("name: Planted\non: push\njobs: []\n", "utf-8")
    done = ran("zizmor", "--offline", "--no-progress", "--quiet", "--strict-collection", folder)
    assert done.returncode != 0


def test_jactionlint_finds_nothing():
    done = ran("jactionlint", "--shellcheck=", *WORKFLOWS)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("original", "planted"),
    [
        ("needs: [test, inspect]", "needs: [test, inspects]"),
        ("runs-on: ubuntu-latest", "run-on: ubuntu-latest"),
        ("${GITHUB_REF_NAME#v}", "${{ github.event.head_commit.message }}"),
        ("timeout-minutes: 20", "timeout-minutes: soon"),
    ],
)
def test_jactionlint_finds_a_planted_fault(original, planted, tmp_path):
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    assert original in release
    broken = tmp_path / "release.yml"
    broken.write_text(release.replace(original, planted, 1), "utf-8")
    assert ran("jactionlint", "--shellcheck=", broken).returncode != 0


def jobs(name):
    import yaml

    return yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8"))["jobs"]


def test_only_the_job_that_publishes_can_prove_who_it_is_and_runs_no_command():
    found = jobs("release")
    writing = {name for name, job in found.items() if any(level == "write" for level in job["permissions"].values())}
    assert writing == {"publish"}
    assert found["publish"]["permissions"] == {"id-token": "write", "attestations": "write"}
    assert found["publish"]["environment"] == "release"
    assert all("run" not in step for step in found["publish"]["steps"])


def test_a_release_is_published_only_after_its_tests_and_its_inspection():
    found = jobs("release")
    assert set(found["publish"]["needs"]) == {"test", "inspect"}
    assert found["inspect"]["needs"] == "build"
    assert "needs" not in found["build"], "nothing of another job is there when the release is built"


def test_what_is_published_is_attested_by_the_workflow_and_for_the_index():
    attest, publish = jobs("release")["publish"]["steps"][1:]
    assert attest["uses"].startswith("actions/attest-build-provenance@")
    assert attest["with"] == {"subject-path": "dist/*"}
    assert publish["with"] == {"attestations": True, "verify-metadata": True}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_workflow_restores_a_cache(path):
    text = path.read_text("utf-8")
    assert "actions/cache" not in text
    assert not re.search(r"^ +cache:", text, re.MULTILINE)
    for job in jobs(path.stem).values():
        for step in job["steps"]:
            if "actions/setup-node" in step.get("uses", ""):
                assert step["with"]["package-manager-cache"] is False


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


@pytest.mark.parametrize(
    ("server", "programs"),
    [
        ("github.com", (ZIZMOR, ACTIONLINT)),
        # Such a server has only runners of its own, which zizmor's auditor reports, and only version 3 of artifacts.
        ("ghes", (ZIZMOR[:-1], (*ACTIONLINT, "--ignore=is too old to run on GitHub Actions"))),
    ],
    ids=["github.com", "ghes"],
)
def test_the_linters_find_nothing_in_workflows_of_a_project_in_a_folder(tmp_path, server, programs):
    folder = tmp_path / "packages" / "our tokens"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for options in (("github", "--for", server), ("gitlab",)):
        assert run_here("init", folder, "--yes", "--workflows", *options).code == 0
    workflows = sorted((tmp_path / ".github" / "workflows").iterdir())
    assert len(workflows) == 3
    for program in (*programs, WORKFLOW_SCHEMA):
        assert passes(program, *workflows)
    assert passes(GITLAB_SCHEMA, tmp_path / "ci" / GITLAB.name, tmp_path / ".gitlab-ci.yml")


class Nightly:
    """The repository, the work tree and the environment of the scheduled job of the GitLab example."""

    branch = "refs/heads/tokensync/pull"
    url = "https://tokensync:glpat-example@gitlab.example/acme/ferry.git"
    receiver = 'receive() { git receive-pack "$@"; code=$?; cat > /dev/null; return $code; }; receive'
    """Reads all that git sends, as a server does over HTTP.

    A push that sends no commit still writes its push options, and then the end of them. Without a reader of the second
    write, which git receive-pack does not wait for, SIGPIPE ends the push before it has said why it sent nothing.
    """

    def __init__(self, folder):
        job = yaml.safe_load(GITLAB.read_text("utf-8"))["tokensync pull"]
        self.steps = "\n".join(job["script"])
        self.bare, self.tree, programs = folder / "bare.git", folder / "tree", folder / "programs"
        programs.mkdir()
        (programs / "tokensync").write_text(
            '#!/bin/sh\n[ "$1" = diff ] && echo "Update tokens" || echo new > tokens\n', encoding="utf-8"
        )
        (programs / "tokensync").chmod(0o755)
        self.environment = {
            **os.environ,
            **job["variables"],
            "PATH": f"{programs}:{os.environ['PATH']}",
            "TOKENSYNC_PUSH": "glpat-example",
            "CI_SERVER_HOST": "gitlab.example",
            "CI_PROJECT_PATH": "acme/ferry",
            "CI_DEFAULT_BRANCH": "main",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": f"url.{self.bare}.insteadOf",
            "GIT_CONFIG_VALUE_0": self.url,
            "GIT_CONFIG_KEY_1": f"remote.{self.url}.receivepack",
            "GIT_CONFIG_VALUE_1": self.receiver,
        }
        subprocess.run(["git", "init", "-q", "--bare", self.bare], check=True)
        self.git(self.bare, "config", "receive.advertisePushOptions", "true")
        self.commits("refs/heads/main", ["person@example.com"])
        subprocess.run(["git", "clone", "-q", "--branch", "main", self.bare, self.tree], check=True)

    def git(self, folder, *arguments, **options):
        command = ["git", "-C", folder, *arguments]
        return subprocess.run(command, check=True, capture_output=True, **options, encoding="utf-8").stdout.strip()

    def commits(self, ref, committers, start=""):
        """Add a commit of each committer to a branch, and return the last one."""
        start = f"from {start}\n" if start else ""
        stream = "".join(
            f"commit {ref}\ncommitter x <{each}> {1_700_000_000 + number} +0000\ndata 0\n\n{start * (not number)}"
            f"M 100644 inline file\ndata {len(str(number))}\n{number}\n"
            for number, each in enumerate(committers)
        )
        self.git(self.bare, "fast-import", "--quiet", "--force", input=stream)
        return self.git(self.bare, "rev-parse", ref)

    def night(self, steps=""):
        """Run the steps of the job as a runner does, on a fresh checkout of the default branch."""
        self.git(self.tree, "reset", "-q", "--hard", "origin/main")
        self.git(self.tree, "clean", "-q", "-d", "-x", "--force")
        command = ["bash", "-c", f"set -eo pipefail\n{steps or self.steps}"]
        return subprocess.run(
            command, cwd=self.tree, env=self.environment, capture_output=True, check=False, encoding="utf-8"
        )


@pytest.fixture
def nightly(tmp_path):
    return Nightly(tmp_path)


@pytest.mark.parametrize("place", ["last", "first"])
def test_the_nightly_pull_for_gitlab_never_overwrites_a_commit_of_a_colleague(nightly, place):
    bot, colleague = nightly.environment["BOT"], "colleague@example.com"
    committers = [bot] * 4_000  # more than a pipe holds, so that an early exit of its reader ends git log each time
    committers[-1 if place == "last" else 0] = colleague
    theirs = nightly.commits(nightly.branch, committers, "refs/heads/main")
    for _ in range(5):
        done = nightly.night()
        assert done.returncode == 4, done.stderr
        assert "commits that are not from tokensync" in done.stderr
        assert nightly.git(nightly.bare, "rev-parse", nightly.branch) == theirs


def test_the_nightly_pull_for_gitlab_creates_its_branch_and_replaces_its_own_commits(nightly):
    assert nightly.night().returncode == 0
    first = nightly.git(nightly.bare, "rev-parse", nightly.branch)
    again = nightly.night()
    assert (again.returncode, "has these changes already" in again.stdout) == (0, True)
    bot = nightly.environment["BOT"]
    nightly.commits(nightly.branch, [bot] * 2, "refs/heads/main")
    assert nightly.night().returncode == 0
    replaced = nightly.git(nightly.bare, "rev-parse", nightly.branch)
    assert nightly.git(nightly.bare, "diff", first, replaced) == ""


@pytest.mark.parametrize("exists", [True, False])
def test_the_nightly_pull_for_gitlab_pushes_only_onto_the_commit_that_it_read(nightly, exists):
    if exists:
        nightly.commits(nightly.branch, [nightly.environment["BOT"]], "refs/heads/main")
    colleagues = nightly.commits("refs/heads/colleague", ["colleague@example.com"], "refs/heads/main")
    update = f'git -C "{nightly.bare}" update-ref {nightly.branch} {colleagues}\ngit push '
    done = nightly.night(nightly.steps.replace("git push ", update))
    assert done.returncode != 0
    assert "stale info" in done.stderr, done
    assert nightly.git(nightly.bare, "rev-parse", nightly.branch) == colleagues


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
class TestExamples:
    def test_it_has_only_the_permissions_that_a_job_names(self, path):
        workflow = yaml.safe_load(path.read_text("utf-8"))
        assert workflow["permissions"] == {}
        assert all("permissions" in job and "timeout-minutes" in job for job in workflow["jobs"].values())

    def test_no_run_cancels_an_apply_that_waits(self, path):
        concurrency = yaml.safe_load(path.read_text("utf-8"))["concurrency"]
        apply = yaml.safe_load((path.parent / "apply.yml").read_text("utf-8"))["concurrency"]
        assert (concurrency.get("queue") == "max") == (concurrency["group"] == apply["group"])

    def test_actions_are_pinned_and_secrets_are_in_environments(self, path):
        text = path.read_text("utf-8")
        used = re.findall(r"\buses: (.*)", text)
        assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each) for each in used)
        for job in yaml.safe_load(text)["jobs"].values():
            assert "secrets." not in str(job) or "environment" in job

    def test_a_step_for_a_github_app_runs_only_where_there_is_one(self, path):
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
            for step in job["steps"]:
                if "create-github-app-token" in step.get("uses", ""):
                    (variable,) = re.findall(r"vars\.\w+", step["with"]["client-id"])
                    assert step["if"] == f"{variable} != ''"

    def test_it_passes_inputs_that_the_action_has(self, path):
        inputs = yaml.safe_load(ACTION.read_text("utf-8"))["inputs"]
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
            for step in job["steps"]:
                if step.get("uses", "").startswith("tokensync/"):
                    assert step["with"].keys() <= inputs.keys()
                    assert step["with"]["mode"] in ("pull", "check", "plan", "apply", "drift")
