"""``tokensync init --workflows`` writes workflows that fit the repository, and says what they still need."""

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from commands.test_init import ROOT, WRITTEN, files, git, put

from tokensync.cli.main import run

GITHUB = {f".github/workflows/tokensync-{each}.yml": each for each in ("nightly-pull", "plan", "apply")}


def test_the_workflows_for_github_are_the_examples(repository, capsys):
    put(repository, DOTgithub__workflows__testDOTyml="on: push\n")
    git("symbolic-ref", "HEAD", "refs/heads/main")
    assert run(["init", "--yes", "--workflows", "github"]) == 0
    assert set(files(repository)) == {*WRITTEN, *GITHUB, ".github/workflows/test.yml"}
    for path, name in GITHUB.items():
        assert (repository / path).read_bytes() == (ROOT / "examples/github-action" / f"{name}.yml").read_bytes()
    assert "replace the zeros after tokensync/tokensync@ by the commit of a release" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_the_journals_of_another_run_are_downloaded_by_the_command_line_of_github(repository, tmp_path):
    assert run(["init", "--yes", "--workflows", "github", "--for", "ghes"]) == 0
    text = files(repository)[".github/workflows/tokensync-apply.yml"]
    steps = yaml.safe_load(text)["jobs"]["apply"]["steps"]
    (step,) = [step for step in steps if step.get("if") == "inputs.journals != ''"]
    programs = tmp_path / "programs of the runner"
    programs.mkdir()
    (programs / "gh").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    (programs / "gh").chmod(0o755)
    variables = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "GITHUB_SERVER_URL": "https://github.example.com",
        "GITHUB_REPOSITORY": "acme/ferry",
        "RUNNER_TEMP": "/runner temp",
        "JOURNALS": "--help",
    }
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    done = subprocess.run(command, check=True, env=variables, capture_output=True, encoding="utf-8")
    assert done.stdout.splitlines() == [
        *("run", "download", "--repo", "github.example.com/acme/ferry", "--name", "tokensync-apply"),
        *("--dir", "/runner temp/tokensync-journals", "--", "--help"),
    ]


def test_the_server_is_of_workflows_for_github(repository, capsys):
    for options in ([], ["--workflows", "gitlab"]):
        assert run(["init", "--yes", *options, "--for", "ghes"]) == 2
        assert "--for: it selects the server of workflows for GitHub; add --workflows github" in capsys.readouterr().err
    assert files(repository) == {}


def test_every_change_for_enterprise_server_has_something_to_change():
    examples = [path.read_text("utf-8") for path in (ROOT / "examples/github-action").glob("*.yml")]
    changes = tomllib.loads((ROOT / "examples/github-action/ghes.toml").read_text("utf-8"))["changes"]
    assert [
        change["reason"] for change in changes if not any(re.search(change["pattern"], text) for text in examples)
    ] == []


def test_the_environments_that_are_left_to_create_are_those_of_the_workflows(repository, capsys):
    assert run(["init", "--yes", "--workflows", "github"]) == 0
    said = capsys.readouterr().err
    jobs = [job for path in GITHUB for job in yaml.safe_load(files(repository)[path])["jobs"].values()]
    assert {job["environment"] for job in jobs} == set(re.findall(r"design-files[-\w]*", said))
    assert said.rstrip().endswith("tokensync explain github-action")


def test_a_project_on_captures_gets_the_workflow_that_pulls_them(repository, capsys):
    git("symbolic-ref", "HEAD", "refs/heads/main")
    (repository / "packages/one").mkdir(parents=True)
    os.chdir("packages/one")
    assert run(["init", "--yes", "--base-url", "snapshot:design [1]", "--workflows", "github"]) == 0
    assert "create the environments" not in capsys.readouterr().err
    path = ".github/workflows/tokensync-pull-captures.yml"
    written = yaml.load(files(repository)[path], yaml.BaseLoader)
    example = yaml.load((ROOT / "examples/github-action/pull-captures.yml").read_bytes(), yaml.BaseLoader)
    step, own = (document["jobs"]["pull"]["steps"].pop()["with"] for document in (written, example))
    assert step == {"mode": "pull", "config": "packages/one/tokensync.toml", "snapshot": "packages/one/design [1]"}
    assert own == {"mode": "pull", "snapshot": "design"}
    assert written["on"]["push"].pop("paths") == ["packages/one/design \\[1\\]/**"]
    assert example["on"]["push"].pop("paths") == ["design/**"]
    assert written == example
    assert [path for path in files(repository) if "workflows" in path] == [path]


def test_a_project_on_the_bridge_gets_no_workflows(repository, capsys):
    configured = ["init", "--yes", "--base-url", "bridge:", "--key", "aBcDeFgH1234567890"]
    assert run([*configured, "--workflows", "github"]) == 2
    assert "--workflows: runners have no editor with the plugin; commit captures" in capsys.readouterr().err
    assert files(repository) == {}


def branches_of_apply(folder):
    text = (folder / ".github/workflows/tokensync-apply.yml").read_text("utf-8")
    return yaml.load(text, yaml.BaseLoader)["on"]["push"]["branches"]


@pytest.mark.parametrize("branch", ["trunk", "release/2.x", "it's+#1"])
def test_apply_runs_for_the_default_branch_of_the_repository(repository, branch):
    git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    run(["init", "--yes", "--workflows", "github"])
    assert branches_of_apply(repository) == [branch.replace("+", "\\+")]


@pytest.mark.parametrize(("origin", "expected"), [("trunk", "trunk"), ("", "master")])
def test_the_branch_that_somebody_works_on_is_not_the_default_branch(repository, origin, expected):
    git("checkout", "-q", "-b", "master")
    git("commit", "-q", "--allow-empty", "-m", "Start")
    git("checkout", "-q", "-b", "feature")
    if origin:
        git("update-ref", f"refs/remotes/origin/{origin}", "HEAD")
        git("symbolic-ref", "refs/remotes/origin/HEAD", f"refs/remotes/origin/{origin}")
    run(["init", "--yes", "--workflows", "github"])
    assert branches_of_apply(repository) == [expected]


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_workflows_of_a_project_on_the_emulator_say_what_they_need(repository, capsys, service):
    needs = 'in tokensync.toml, set base_url = "figma", and key to the URL of the design file'
    run(["init", "--yes", "--workflows", service])
    assert needs in capsys.readouterr().err
    for path in files(repository):
        if service in path or path.startswith("ci/"):
            (repository / path).unlink()
    run(["init", "--workflows", service])
    assert needs in capsys.readouterr().err
    (repository / "tokensync.toml").unlink()
    run(["init", "--yes", "--key", "aBcDeFgH1234567890", "--workflows", service])
    assert needs not in capsys.readouterr().err


def test_no_workflow_has_a_date_that_nobody_knows(repository):
    run(["init", "--yes", "--workflows", "github"])
    for path in GITHUB:
        steps = [each for job in yaml.safe_load(files(repository)[path])["jobs"].values() for each in job["steps"]]
        assert all("token-expires" not in each.get("with", {}) for each in steps)


@pytest.mark.parametrize("first", ["packages/one", "."])
def test_workflows_of_another_project_get_a_step_for_this_one(repository, capsys, first):
    for each in ("packages/one", "packages/two"):
        (repository / each).mkdir(parents=True)
    run(["init", first, "--yes", "--workflows", "github"])
    before = files(repository)
    capsys.readouterr()
    assert run(["init", "packages/two", "--yes", "--workflows", "github", "--json"]) == 0
    added = json.loads(capsys.readouterr().out)["to_add"]
    assert {path: files(repository)[path] for path in before if path in GITHUB} == {
        path: before[path] for path in GITHUB
    }
    assert [os.path.relpath(each["path"], repository) for each in added] == list(GITHUB)
    for each, name in zip(added, GITHUB.values(), strict=True):
        (step,) = yaml.safe_load(each["text"])
        assert step["uses"].startswith("tokensync/tokensync@")
        assert step["with"]["config"] == "packages/two/tokensync.toml"
        assert step["with"]["mode"] == name.removeprefix("nightly-")
        path = repository / os.path.relpath(each["path"], repository)
        text = path.read_text("utf-8")
        path.write_text(text + "".join(f"      {line}\n" for line in each["text"].splitlines()), "utf-8")
    assert run(["init", "packages/two", "--workflows", "github"]) == 0
    assert "nothing to do" in capsys.readouterr().err
    assert run(["init", first, "--workflows", "github"]) == 0
    assert "nothing to do" in capsys.readouterr().err


def test_jobs_for_gitlab_that_run_in_another_folder_are_not_called_done(repository, capsys):
    for each in ("one", "two"):
        (repository / each).mkdir()
        run(["init", each, "--yes"])
    run(["init", "one", "--workflows", "gitlab"])
    for again, expected in (("one", "nothing to do"), ("two", "cd -- two/ as their folder")):
        capsys.readouterr()
        assert run(["init", again, "--workflows", "gitlab"]) == 0
        assert expected in capsys.readouterr().err


def test_workflows_of_a_project_below_the_top_name_its_configuration(repository, capsys):
    folder = repository / "packages" / "it's ${{ secrets.X }}"
    folder.mkdir(parents=True)
    git("symbolic-ref", "HEAD", "refs/heads/main")
    assert run(["init", str(folder), "--yes", "--workflows", "github"]) == 0
    for path, name in GITHUB.items():
        jobs, examples = (
            yaml.safe_load(each.read_text("utf-8"))["jobs"]
            for each in (repository / path, ROOT / "examples/github-action" / f"{name}.yml")
        )
        own = [each for job in jobs.values() for each in job["steps"] if each.get("uses", "").startswith("tokensync/")]
        assert own
        for each in own:
            config = each["with"].pop("config")
            assert config == "packages/it's ${{ '${{' }} secrets.X }}/tokensync.toml"
        assert jobs == examples


def test_the_jobs_for_gitlab_are_included_and_run_in_the_folder_of_the_project(repository, capsys):
    (repository / "packages" / "our tokens").mkdir(parents=True)
    assert run(["init", "packages/our tokens", "--yes", "--workflows", "gitlab"]) == 0
    assert yaml.safe_load((repository / ".gitlab-ci.yml").read_text("utf-8")) == {
        "include": [{"local": "/ci/tokensync.gitlab-ci.yml"}]
    }
    jobs, examples = (
        yaml.safe_load(each.read_text("utf-8"))
        for each in (
            repository / "ci" / "tokensync.gitlab-ci.yml",
            ROOT / "examples" / "gitlab-ci" / "tokensync.gitlab-ci.yml",
        )
    )
    assert jobs[".tokensync"]["before_script"].pop() == "cd -- 'packages/our tokens/'"
    changed = {name for name in jobs if jobs[name] != examples[name]}
    assert changed == {name for name in jobs if "artifacts" in jobs[name]}
    for name in changed:
        assert jobs[name]["artifacts"]["paths"] == [
            f"packages/our tokens/{each}" for each in examples[name]["artifacts"]["paths"]
        ]


def test_a_pipeline_that_exists_stays_and_the_include_is_shown(repository, capsys):
    (repository / ".gitlab-ci.yml").write_text("test:\n  script: [make]\n", encoding="utf-8")
    assert run(["init", "--yes", "--workflows", "gitlab", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [each["text"] for each in printed["to_add"]] == ["- local: /ci/tokensync.gitlab-ci.yml\n"]
    assert (repository / ".gitlab-ci.yml").read_text("utf-8") == "test:\n  script: [make]\n"


def test_workflows_are_added_to_a_configured_project_and_replace_nothing(repository, capsys):
    run(["init", "--yes"])
    assert not (repository / ".github").exists()
    path = next(iter(GITHUB))
    put(repository, **{path.replace(".", "DOT").replace("/", "__"): "on: push\n"})
    assert run(["init", "--workflows", "github"]) == 0
    assert (repository / path).read_text("utf-8") == "on: push\n"
    assert set(files(repository)) == {*WRITTEN, *GITHUB}
    capsys.readouterr()
    assert run(["init", "--workflows", "github"]) == 0
    assert "nothing to do" in capsys.readouterr().err


@pytest.mark.parametrize("is_configured", [False, True])
def test_workflows_need_a_git_work_tree(folder, capsys, is_configured):
    if is_configured:
        run(["init", "--yes"])
    assert run(["init", "--yes", "--workflows", "github"]) == 2
    assert "run git init first, or omit --workflows" in capsys.readouterr().err
    assert not (folder / ".github").exists()
