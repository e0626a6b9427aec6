"""``tokensync init`` detects a project, asks little, writes all files or none, and never overwrites."""

import json
import os
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
from design_file import collection, color, response, variable

from tokensync.cli.main import run
from tokensync.project.configuration import load_project
from tokensync.system import disk, resources
from tokensync.system.wording import argument

ROOT = Path(__file__).resolve().parent.parent.parent
SAVED = ROOT / "examples" / "quickstart" / "design.local.json"
DRIVER = 'git config merge.tokensync.driver "tokensync merge-file %O %A %B %P"'
WRITTEN = {".gitattributes", ".gitignore", ".pre-commit-config.yaml", "tokensync.toml"}


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
    assert (repository / "tokensync.toml").read_text("utf-8").startswith("# All settings: tokensync explain config")
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


def test_a_second_run_says_for_which_platforms_there_is_no_output(repository, capsys):
    run(["init", "--yes", "--platform", "css"])
    capsys.readouterr()
    run(["init", "--yes", "--platform", "css", "--platform", "ios"])
    shown = capsys.readouterr().err
    assert (
        'tokensync.toml has no output for ios, and init does not edit it; add [[outputs]] with platform = "ios"'
        in shown
    )
    assert "no output for css" not in shown


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


@pytest.mark.parametrize(
    ("base_url", "steps"),
    [
        (
            "bridge:",
            ["tokensync bridge --install figma-plugin", "tokensync bridge", "tokensync pull # in another terminal"],
        ),
        ("snapshot:design", ["tokensync pull"]),
        ("figma-gov", ["tokensync auth login --token", "tokensync pull"]),
        ("emulator:", ["tokensync emulator seed RESPONSE.json", "tokensync pull"]),
    ],
)
def test_another_source_than_the_api_is_configured_with_the_steps_that_it_needs(repository, capsys, base_url, steps):
    assert run(["init", "--yes", "--key", "abc123", "--base-url", base_url, "--no-hook", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["next"] == [*steps, "tokensync build", DRIVER]
    assert configured(repository)["base_url"] == base_url
    assert configured(repository)["files"][0]["key"] == "abc123"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--base-url", "bridge:"], "--base-url bridge: the plugin works on one file; name its URL with --key, too"),
        (["--base-url", "ftp://x"], "--base-url: not figma, figma-gov, emulator: or an https:// URL"),
    ],
)
def test_a_source_that_cannot_work_is_refused(repository, capsys, options, message):
    assert run(["init", "--yes", *options]) == 2
    assert message in capsys.readouterr().err
    assert files(repository) == {}


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
        [("android", "app/src/main/tokens-res")],
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
        [("flutter", "lib/tokens")],
    ),
    "React Native": (
        {
            "packageDOTjson": REACT_NATIVE,
            "ios__FerryDOTxcodeproj__x": "",
            "android__app__buildDOTgradle": "android {\n}",
        },
        [("react-native", "styles")],
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


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"src__aDOTts": ""}, ["src/tokens", "src/css", "src/typescript", "code/ios"]),
        ({"src__styles__aDOTcss": ""}, ["src/styles", "src/css", "src/typescript", "code/ios"]),
        ({}, ["styles", "code/css", "code/typescript", "code/ios"]),
    ],
)
def test_more_platforms_of_a_web_project_are_where_its_compiler_reads(repository, texts, expected):
    put(repository, packageDOTjson='{"devDependencies": {"vite": "7", "tailwindcss": "4"}}', **texts)
    chosen = ("tailwind", "css", "typescript", "ios")
    assert run(["init", "--yes", *(word for platform in chosen for word in ("--platform", platform))]) == 0
    assert [path for _, path in outputs(repository)] == expected


TOKENS = {
    "DTCG files": {"tokens__colorDOTtokensDOTjson": '{"a": {"$type": "color", "$value": "#fff"}}'},
    "Tokens Studio files": {"tokens__$themesDOTjson": "[]"},
    "a Style Dictionary project": {"configDOTjson": '{"source": [], "platforms": {}}'},
    "token files of an older format": {"tokens__colorDOTjson": '{"a": {"value": "#fff"}}'},
    "a Terrazzo project": {"terrazzoDOTconfigDOTjs": ""},
}


SINGLE = {
    "Tokens Studio files": '{"a": {"b": {"value": "#fff", "type": "color"}}, "$themes": [], "$metadata": {}}',
    "DTCG files": '{"a": {"$type": "color", "$value": "#fff"}}',
    "token files of an older format": '{"a": {"value": "#fff"}}',
}


@pytest.mark.parametrize("form", SINGLE)
def test_a_single_file_of_tokens_in_the_top_folder_is_found(repository, form, capsys):
    put(repository, tokensDOTjson=SINGLE[form])
    assert run(["init", "--yes"]) == 0
    found = re.findall(r"^Found +(.*?) \(tokens\.json\)", capsys.readouterr().err, re.MULTILINE)
    assert found == [form]


def test_a_large_file_of_tokens_studio_is_found_by_its_last_members(repository, capsys):
    colors = {f"blue-{number}": {"value": "#0000ff", "type": "color"} for number in range(5000)}
    themes = [{"name": f"theme {number}", "selectedTokenSets": {}} for number in range(5000)]
    put(repository, tokensDOTjson=json.dumps({"a": colors, "$themes": themes}))
    assert run(["init", "--yes"]) == 0
    assert "Found     Tokens Studio files (tokens.json)" in capsys.readouterr().err


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
    assert "#f00" in (repository / "code" / "css" / "tokens.css").read_text("utf-8")


def test_an_output_is_never_in_the_tokens_folder(repository):
    put(repository, packageDOTjson="{}", src__tokens__acmeDOTresolverDOTjson="{}")
    assert run(["init", "--yes"]) == 0
    assert configured(repository)["tokens"] == "src/tokens"
    assert outputs(repository) == [("css", "generated/css")]
    load_project().check_paths("tokens", "path")


def test_a_saved_response_of_published_variables_is_no_start(repository, capsys):
    shutil.copy(SAVED.with_name("design.published.json"), repository / "a.published.json")
    shutil.copy(SAVED, repository / "saved.json")
    assert run(["init", "--yes"]) == 0
    assert "tokensync emulator seed saved.json" in capsys.readouterr().err


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


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on the path")
def test_the_commands_that_init_names_work_in_a_shell_where_it_was_run(repository, capsys):
    folder = repository / "our tokens"
    folder.mkdir()
    shutil.copy(SAVED, folder / "my saved $(x).json")
    assert run(["init", "our tokens", "--yes", "--no-hook", "--json"]) == 0
    commands = json.loads(capsys.readouterr().out)["next"]
    assert commands[:2] == [f"cd {argument('our tokens')}", "tokensync emulator seed 'my saved $(x).json'"]
    program = f'tokensync() {{ "{sys.executable}" -m tokensync -q "$@"; }}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(["bash", "-e", "-c", "\n".join([program, *commands])], check=True, env=environment)
    assert (folder / "code" / "css" / "tokens.css").is_file()


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
    return subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, encoding="utf-8").stdout


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
        "packages/it's odd/.gitignore",
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


def test_git_ignores_the_temporary_files_of_a_run_that_was_killed(repository):
    (repository / ".gitignore").write_text("dist/", encoding="utf-8")
    run(["init", "--yes"])
    assert (repository / ".gitignore").read_text("utf-8").splitlines()[::2] == ["dist/", ".tokensync-*"]
    (repository / ".tokensync-0123456789abcdef").touch()
    assert ".tokensync-" not in git("status", "--porcelain")


@pytest.mark.parametrize("interrupted", range(4))
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


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_in_place_of_files_are_not_followed(repository, tmp_path_factory, capsys):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "file"
    elsewhere.write_text("kept\n", encoding="utf-8")
    (repository / ".gitattributes").symlink_to(elsewhere)
    assert run(["init", "--yes"]) == 1
    assert "this is a link" in capsys.readouterr().err
    assert elsewhere.read_text("utf-8") == "kept\n"
    assert not (repository / "tokensync.toml").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no file has such a name there")
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


def test_a_folder_that_does_not_exist_is_a_usage_error(repository, capsys):
    assert run(["init", "absent", "--yes"]) == 2
    assert "no such folder" in capsys.readouterr().err


def talk(folder, answers):
    """Run init on a terminal and type the answers; return what the terminal shows and the exit code."""
    pty = pytest.importorskip("pty", reason="Windows has other terminals", exc_type=ImportError)
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
    assert "tailwind, react-native, figma, flutter) [css]" in shown.replace("\r\n", "")
    assert configured(repository)["files"][0]["key"] == "abc123"
    assert [each for each, _ in outputs(repository)] == ["css", "ios"]
    assert not (repository / ".pre-commit-config.yaml").exists()


def test_enter_alone_chooses_the_defaults(repository):
    shown, code = talk(repository, [b"\n", b"\n", b"\n"])
    assert code == 0, shown
    assert set(files(repository)) == WRITTEN
    assert configured(repository)["base_url"] == "emulator:"


def test_the_enterprise_sentence_is_shown_once(repository):
    shown, _ = talk(repository, [b"\n", b"\n", b"\n"])
    assert shown.replace("\r\n", " ").count("requires an Enterprise") == 1


def test_init_does_not_ask_for_what_the_folder_has(repository):
    (repository / ".pre-commit-config.yaml").write_text(
        "repos:\n  - repo: local\n    hooks:\n      - id: tokensync-check\n        entry: tokensync check --staged\n",
        encoding="utf-8",
    )
    shutil.copy(SAVED, repository / "saved.json")
    shown, code = talk(repository, [b"\n"])
    assert code == 0, shown
    assert "URL or key" not in shown
    assert "Add a pre-commit hook" not in shown
    assert shown.replace("\r\n", " ").count("requires an Enterprise") == 1
    assert "tokensync emulator seed saved.json" in shown


def test_init_asks_for_a_hook_when_only_another_project_has_one(repository):
    (repository / "packages" / "one").mkdir(parents=True)
    (repository / "packages" / "two").mkdir()
    run(["init", "packages/one", "--yes"])
    shown, code = talk(repository / "packages" / "two", [b"\n", b"\n", b"n\n"])
    assert code == 0, shown
    assert "Add a pre-commit hook" in shown


def test_ctrl_c_at_a_question_writes_nothing(repository):
    shown, code = talk(repository, [b"abc123\n", b"\x03"])
    assert code == 130, shown
    assert shown.splitlines()[-1] == "error: interrupted"
    assert files(repository) == {}


def test_rules_for_groups_of_variables_are_written_as_comments(repository):
    owner = collection("VariableCollectionId:1:1", "Theme", ["Light"])
    parts = {"x": 0, "y": 2, "blur": 4, "color": color()}
    names = [(f"shadow/{group}/{part}", value) for group in ("a", "b") for part, value in parts.items()]
    variables = [
        variable(f"VariableID:1:{at}", name, owner, "FLOAT" if isinstance(value, int) else "COLOR", [value])
        for at, (name, value) in enumerate(names)
    ]
    (repository / "design.local.json").write_bytes(response([owner], variables))
    assert run(["init", "--yes"]) == 0
    text = (repository / "tokensync.toml").read_text(encoding="utf-8")
    rule = '# [[composites]]\n# type = "shadow"\n# match = "shadow/*/{x,y,blur,color}"\n'
    assert f"\n# One shadow for each of 2 groups of variables:\n{rule}" in text
    (repository / "tokensync.toml").write_text(text.replace(rule, rule.replace("# ", "")), encoding="utf-8")
    assert load_project().config.composites[0].match == "shadow/*/{x,y,blur,color}"
