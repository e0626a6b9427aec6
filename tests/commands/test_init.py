"""``tokensync init`` detects a project, asks little, writes all files or none, and never overwrites."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml

from tokensync import disk, resources
from tokensync.cli.main import run
from tokensync.project.configuration import load_project

ROOT = Path(__file__).resolve().parent.parent.parent
SAVED = ROOT / "examples" / "quickstart" / "design.local.json"
WRITTEN = {".gitattributes", ".pre-commit-config.yaml", "tokensync.toml"}


@pytest.fixture
def repository(folder):
    subprocess.run(["git", "init", "-q"], check=True)
    return folder


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def put(folder, **texts):
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("DOT", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def configured(folder):
    return tomllib.loads((folder / "tokensync.toml").read_text("utf-8"))


def outputs(folder):
    return [(each["platform"], each["path"]) for each in configured(folder)["outputs"]]


def test_init_without_a_terminal_names_the_flag_and_writes_nothing(repository, capsys):
    assert run(["init"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert files(repository) == {}


def test_init_writes_a_valid_configuration_git_attributes_and_a_hook(repository, capsys):
    assert run(["init", "--yes"]) == 0
    assert set(files(repository)) == WRITTEN
    schema = json.loads(resources.read_text("config", "schemas", "tokensync.schema.json"))
    jsonschema.validate(configured(repository), schema)
    assert (repository / "tokensync.toml").read_text("utf-8").startswith(f"#:schema {schema['$id']}\n")
    load_project()
    printed = capsys.readouterr().err
    assert "Enterprise" in printed
    assert "tokensync emulator seed RESPONSE.json" in printed


def test_a_second_run_has_nothing_to_do(repository, capsys):
    run(["init", "--yes"])
    before = files(repository)
    for again in (
        ["init"],
        ["init", "--yes"],
        ["init", "."],
        ["init", "--hook"],
        ["init", "--yes", "--platform", "ios"],
    ):
        capsys.readouterr()
        assert run(again) == 0
        assert "nothing to do" in capsys.readouterr().err
    assert files(repository) == before


def test_a_folder_without_git_gets_a_configuration_only(folder, capsys):
    assert run(["init", "--yes"]) == 0
    assert set(files(folder)) == {"tokensync.toml"}
    assert run(["init", "--yes", "--hook"]) == 2
    assert "git init" in capsys.readouterr().err


def test_the_key_and_name_come_from_the_url(repository, capsys):
    url = "https://www.figma.com/design/aBcDeFgH1234567890/Harbor-Design?node-id=1-2"
    assert run(["init", "--yes", "--key", url, "--platform", "scss", "--platform", "ios", "--no-hook"]) == 0
    assert configured(repository)["files"] == [{"name": "harbor-design", "key": url}]
    assert configured(repository)["base_url"] == "figma"
    assert [each for each, _ in outputs(repository)] == ["scss", "ios"]
    assert not (repository / ".pre-commit-config.yaml").exists()
    assert "tokensync auth login --token" in capsys.readouterr().err


def test_a_misplaced_token_is_refused_and_not_repeated(repository, capsys):
    assert run(["init", "--yes", "--key", "figd_secretsecret"]) == 2
    assert "secretsecret" not in capsys.readouterr().err
    assert files(repository) == {}


REACT_NATIVE = '{"dependencies": {"react-native": "0.80"}}'
PROJECTS = {
    "nothing": ({}, [("css", "code/css")]),
    "a web application": ({"packageDOTjson": "{}", "src__aDOTjs": ""}, [("css", "src/tokens")]),
    "folders of styles": ({"packageDOTjson": "{}", "src__styles__aDOTcss": ""}, [("css", "src/styles")]),
    "Tailwind 4": ({"packageDOTjson": '{"devDependencies": {"tailwindcss": "^4.1"}}'}, [("tailwind", "styles")]),
    "Tailwind 3": ({"packageDOTjson": '{"devDependencies": {"tailwindcss": "^3.4"}}'}, [("css", "styles")]),
    "a workspace": (
        {
            "packageDOTjson": '{"workspaces": ["packages/*"]}',
            "packages__app__packageDOTjson": "{}",
            "packages__design-tokens__packageDOTjson": "{}",
        },
        [("css", "packages/design-tokens/styles")],
    ),
    "Android": (
        {
            "buildDOTgradleDOTkts": 'plugins { id("com.android.application") apply false }',
            "app__buildDOTgradle": "android {\n}",
        },
        [("android", "app/src/main/res")],
    ),
    "Compose": (
        {
            "app__buildDOTgradleDOTkts": 'android {\n  namespace = "com.acme.ferry"\n  composeOptions {}\n}',
        },
        [("compose", "app/src/main/kotlin/com/acme/ferry/tokens")],
    ),
    "a library for the JVM": ({"buildDOTgradle": "apply plugin: 'java'"}, [("css", "code/css")]),
    "a Swift package": ({"PackageDOTswift": "", "Sources__Theme__aDOTswift": ""}, [("ios", "Sources/Theme")]),
    "an Xcode project": (
        {"FerryDOTxcodeproj__projectDOTpbxproj": "", "Ferry__aDOTswift": ""},
        [("ios", "Ferry/Tokens")],
    ),
    "Flutter": (
        {"pubspecDOTyaml": "flutter:\n  sdk: flutter\n", "android__app__buildDOTgradle": "android {\n}"},
        [("json", "assets/tokens")],
    ),
    "React Native": (
        {
            "packageDOTjson": REACT_NATIVE,
            "ios__FerryDOTxcodeproj__x": "",
            "android__app__buildDOTgradle": "android {\n}",
        },
        [("typescript", "styles")],
    ),
    "dependencies only": ({"node_modules__x__packageDOTjson": "{}"}, [("css", "code/css")]),
}


@pytest.mark.parametrize("name", PROJECTS)
def test_each_kind_of_project_suggests_its_outputs(repository, name):
    texts, expected = PROJECTS[name]
    put(repository, **texts)
    before = files(repository)
    assert run(["init", "--yes"]) == 0
    assert outputs(repository) == expected
    after = files(repository)
    assert {path: after[path] for path in before} == before
    load_project()


TOKENS = {
    "DTCG files": {"tokens__colorDOTtokensDOTjson": '{"a": {"$type": "color", "$value": "#fff"}}'},
    "Tokens Studio files": {"tokens__$themesDOTjson": "[]"},
    "a Style Dictionary project": {"configDOTjson": '{"source": [], "platforms": {}}'},
    "token files of an older format": {"tokens__colorDOTjson": '{"a": {"value": "#fff"}}'},
    "a Terrazzo project": {"terrazzoDOTconfigDOTjs": ""},
}


@pytest.mark.parametrize("form", TOKENS)
def test_existing_token_files_are_named_and_left_alone(repository, form, capsys):
    put(repository, **TOKENS[form])
    before = files(repository)
    assert run(["init", "--yes"]) == 0
    assert re.search(rf"^Found +{re.escape(form)} \(", capsys.readouterr().err, re.MULTILINE)
    assert {path: content for path, content in files(repository).items() if path not in WRITTEN} == before
    if any(path.startswith("tokens/") for path in before):
        assert configured(repository)["tokens"] == "design-tokens"


def test_a_resolver_document_can_be_built_at_once(repository, capsys):
    document = {
        "version": "2025.10",
        "sets": {"base": {"sources": [{"$ref": "base.json"}]}},
        "resolutionOrder": [{"$ref": "#/sets/base"}],
    }
    put(
        repository,
        design__acmeDOTresolverDOTjson=json.dumps(document),
        design__baseDOTjson='{"a": {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}}}',
    )
    assert run(["init", "--yes"]) == 0
    assert configured(repository)["tokens"] == "design"
    assert [each["name"] for each in configured(repository)["files"]] == ["acme"]
    assert "seed" not in capsys.readouterr().err
    assert run(["build", "-q"]) == 0
    assert "#ff0000" in (repository / "code" / "css" / "tokens.css").read_text("utf-8")


def test_an_output_is_never_in_the_tokens_folder(repository):
    put(repository, packageDOTjson="{}", src__tokens__acmeDOTresolverDOTjson="{}")
    assert run(["init", "--yes"]) == 0
    assert configured(repository)["tokens"] == "src/tokens"
    assert outputs(repository) == [("css", "generated/css")]
    load_project().check_paths("tokens", "path")


def test_the_commands_that_init_names_lead_to_code(repository, capsys):
    shutil.copy(SAVED, repository / "saved.json")
    assert run(["init", "--yes", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {os.path.basename(each) for each in result["written"]} == WRITTEN
    assert result["next"][0] == "tokensync emulator seed saved.json"
    for each in result["next"][:3]:
        assert run([*each.split()[1:], "-q"]) == 0
    assert (repository / "code" / "css" / "tokens.css").is_file()
    assert run(["check"]) == 0


def hook(folder):
    (entry,) = (
        each
        for repo in yaml.safe_load((folder / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
        for each in repo["hooks"]
        if each["id"] == "tokensync-check"
    )
    return entry


def git(*arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    return subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, text=True).stdout


def test_the_next_commits_pass_the_hook_and_a_careless_one_does_not(repository, capsys):
    shutil.copy(SAVED, repository / "saved.json")
    run(["init", "--yes"])
    words = hook(repository)["entry"].split()[1:]
    git("add", "-A")
    assert run(words) == 0
    git("commit", "-q", "-m", "Set up tokensync")
    for arguments in (["emulator", "seed", "saved.json"], ["pull", "-q"], ["build", "-q"]):
        run(arguments)
    git("add", "-A")
    assert run(words) == 0
    git("commit", "-q", "-m", "Pull the tokens")
    git("rm", "-q", "code/css/tokens.css")
    assert run(words) == 3


def test_a_project_below_the_top_of_the_repository_is_named_in_the_hook(repository, monkeypatch):
    (repository / "packages" / "it's odd").mkdir(parents=True)
    monkeypatch.chdir(repository / "packages" / "it's odd")
    run(["init", "--yes", "--platform", "css"])
    assert set(files(repository)) == {
        ".pre-commit-config.yaml",
        "packages/it's odd/.gitattributes",
        "packages/it's odd/tokensync.toml",
    }
    entry = hook(repository)
    assert entry["args"] == ["--config", "packages/it's odd/tokensync.toml"]
    (repository / "other").mkdir()
    assert run(["init", str(repository / "other"), "--yes"]) == 0
    hooks = yaml.safe_load((repository / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert [each["hooks"][0]["args"][1] for each in hooks] == [entry["args"][1], "other/tokensync.toml"]


EXISTING_HOOKS = {
    "indented": "# ours\nrepos:\n  - repo: https://example.com/a\n    rev: v1\n    hooks:\n      - id: a\n",
    "flush, without a last line end": "fail_fast: true\nrepos:\n- repo: meta\n  hooks:\n  - id: identity",
    "with CRLF": "repos:\r\n  - repo: https://example.com/a\r\n    rev: v1\r\n    hooks:\r\n      - id: a\r\n",
    "empty": "",
}


@pytest.mark.parametrize("name", EXISTING_HOOKS)
def test_the_hook_is_added_to_existing_hooks(repository, name):
    path = repository / ".pre-commit-config.yaml"
    path.write_bytes(EXISTING_HOOKS[name].encode())
    before = yaml.safe_load(EXISTING_HOOKS[name]) or {"repos": []}
    assert run(["init", "--yes"]) == 0
    assert path.read_bytes().startswith(EXISTING_HOOKS[name].encode())
    after = yaml.safe_load(path.read_text("utf-8"))
    assert after["repos"][:-1] == before["repos"]
    assert {**after, "repos": 0} == {**before, "repos": 0}
    assert after["repos"][-1]["hooks"][0]["entry"] == "tokensync check --staged"
    assert (b"\r\n" in path.read_bytes()) == ("CRLF" in name)
    assert b"\n\n" not in path.read_bytes().replace(b"\r", b"")


@pytest.mark.parametrize("entry", ["tokensync check --staged -c b/tokensync.toml", "tokensync format"])
def test_an_entry_of_another_project_or_command_does_not_check_this_one(repository, entry):
    path = repository / ".pre-commit-config.yaml"
    path.write_text(f"repos:\n  - repo: local\n    hooks:\n      - id: x\n        entry: {entry}\n", encoding="utf-8")
    assert run(["init", "--yes"]) == 0
    hooks = [each["hooks"][0]["entry"] for each in yaml.safe_load(path.read_text("utf-8"))["repos"]]
    assert hooks == [entry, "tokensync check --staged"]


UNUSUAL_HOOKS = [
    "repos: []\n",
    "repos: [{repo: local, hooks: []}]\n",
    "repos:\n  - repo: local\n    hooks: []\nci:\n  a: b\n",
    "- a\n",
]


@pytest.mark.parametrize("text", UNUSUAL_HOOKS)
def test_hooks_in_another_form_stay_and_the_entry_is_shown(repository, text, capsys):
    (repository / ".pre-commit-config.yaml").write_text(text, encoding="utf-8")
    assert run(["init", "--yes"]) == 0
    assert (repository / ".pre-commit-config.yaml").read_text("utf-8") == text
    assert "entry: tokensync check" in capsys.readouterr().err


def test_git_attributes_get_only_the_missing_lines(repository):
    (repository / ".gitattributes").write_text("*.png binary\ntokensync.lock merge=ours", encoding="utf-8")
    run(["init", "--yes"])
    lines = (repository / ".gitattributes").read_text("utf-8").splitlines()
    assert lines[:2] == ["*.png binary", "tokensync.lock merge=ours"]
    assert [each.split()[0] for each in lines[3:]] == ["*.tokens.json", "*.resolver.json", "tokensync.outputs.json"]


@pytest.mark.parametrize("interrupted", range(3))
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupt_leaves_nothing_half_written(repository, monkeypatch, interrupted, error):
    put(repository, DOTgitattributes="*.png binary\n")
    before = files(repository)
    replaced = []
    replace = disk.replace_file

    def failing(path, content, **options):
        replace(path, content, **options)
        replaced.append(path)
        if len(replaced) == interrupted + 1:
            raise error

    monkeypatch.setattr(disk, "replace_file", failing)
    assert run(["init", "--yes"]) == (130 if error is KeyboardInterrupt else 1)
    assert len(replaced) >= interrupted + 1
    assert files(repository) == before
    monkeypatch.setattr(disk, "replace_file", replace)
    assert run(["init", "--yes"]) == 0
    assert set(files(repository)) == WRITTEN


def test_links_in_place_of_files_are_not_followed(repository, tmp_path_factory, capsys):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "file"
    elsewhere.write_text("kept\n", encoding="utf-8")
    (repository / ".gitattributes").symlink_to(elsewhere)
    assert run(["init", "--yes"]) == 1
    assert "this is a link" in capsys.readouterr().err
    assert elsewhere.read_text("utf-8") == "kept\n"
    assert not (repository / "tokensync.toml").exists()


def test_names_in_a_checkout_cannot_forge_configuration(repository):
    put(repository, **{'Sources__a"\n[x]__aDOTswift': "", "PackageDOTswift": ""})
    assert run(["init", "--yes"]) == 0
    assert outputs(repository) == [("css", "code/css")]


def test_an_invalid_configuration_is_reported_and_kept(repository, capsys):
    put(repository, tokensyncDOTtoml="files = 3\n")
    assert run(["init", "--yes"]) == 2
    assert "tokensync.toml:1" in capsys.readouterr().err
    assert set(files(repository)) == {"tokensync.toml"}


def test_the_hook_can_be_added_to_a_configured_project(repository, capsys):
    run(["init", "--yes", "--no-hook"])
    assert run(["init", "--hook"]) == 0
    assert hook(repository)["entry"] == "tokensync check --staged"


GITHUB = {f".github/workflows/tokensync-{each}.yml": each for each in ("nightly-pull", "plan", "apply")}


def test_the_workflows_for_github_are_the_examples(repository, capsys):
    put(repository, DOTgithub__workflows__testDOTyml="on: push\n")
    git("symbolic-ref", "HEAD", "refs/heads/main")
    assert run(["init", "--yes", "--workflows", "github"]) == 0
    assert set(files(repository)) == {*WRITTEN, *GITHUB, ".github/workflows/test.yml"}
    for path, name in GITHUB.items():
        assert (repository / path).read_bytes() == (ROOT / "examples/github-action" / f"{name}.yml").read_bytes()
    assert "replace the zeros after tokensync/tokensync@ by the commit of a release" in capsys.readouterr().err


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
    (repository / ".gitlab-ci.yml").write_text("test:\n  script: [make]\n")
    assert run(["init", "--yes", "--workflows", "gitlab", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [each["text"] for each in printed["to_add"]] == ["- local: /ci/tokensync.gitlab-ci.yml\n"]
    assert (repository / ".gitlab-ci.yml").read_text() == "test:\n  script: [make]\n"


def test_workflows_are_added_to_a_configured_project_and_replace_nothing(repository, capsys):
    run(["init", "--yes"])
    assert not (repository / ".github").exists()
    path = next(iter(GITHUB))
    put(repository, **{path.replace(".", "DOT").replace("/", "__"): "on: push\n"})
    assert run(["init", "--workflows", "github"]) == 0
    assert (repository / path).read_text() == "on: push\n"
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


def test_a_folder_that_does_not_exist_is_a_usage_error(repository, capsys):
    assert run(["init", "absent", "--yes"]) == 2
    assert "no such folder" in capsys.readouterr().err


def talk(folder, answers):
    """Run init on a terminal and type the answers; return what the terminal shows and the exit code."""
    process, terminal = pty.fork()
    if process == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
        os.chdir(folder)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb", "NO_COLOR": "1"}
        os.execve(sys.executable, [sys.executable, "-m", "tokensync", "init"], environment)
    shown = b""
    answered = 0
    pending = list(answers)
    try:
        while piece := os.read(terminal, 4096):
            shown += piece
            if shown.endswith(b": ") and len(shown) > answered:
                answered = len(shown)
                os.write(terminal, pending.pop(0) if pending else b"\x04")
    except OSError:  # the end, on Linux
        pass
    os.close(terminal)
    return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test_init_asks_three_questions_on_a_terminal(repository):
    put(repository, packageDOTjson="{}")
    shown, code = talk(repository, [b"nonsense of mine\n", b"abc123\n", b"css, ios\n", b"n\n"])
    assert code == 0, shown
    assert "Enterprise" in shown
    assert "a file key consists of" in shown
    assert configured(repository)["files"][0]["key"] == "abc123"
    assert [each for each, _ in outputs(repository)] == ["css", "ios"]
    assert not (repository / ".pre-commit-config.yaml").exists()


def test_enter_alone_chooses_the_defaults(repository):
    shown, code = talk(repository, [b"\n", b"\n", b"\n"])
    assert code == 0, shown
    assert set(files(repository)) == WRITTEN
    assert configured(repository)["base_url"] == "emulator:"


def test_ctrl_c_at_a_question_writes_nothing(repository):
    shown, code = talk(repository, [b"abc123\n", b"\x03"])
    assert code == 130, shown
    assert files(repository) == {}
