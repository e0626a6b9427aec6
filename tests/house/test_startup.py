"""What the quick paths load. Time is not measured here: it differs by machine, and a module that is loaded does not."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands.projects import COLORS, on_the_platform, output, project_in, tokensync

ROOT = Path(__file__).resolve().parents[2]
QUICKSTART = ROOT / "examples" / "quickstart" / "design.local.json"

ASKED_BY_MSGSPEC = {"typing_extensions"}  # where it happens to be installed; msgspec does without

LISTING = """
import json, sys
before = set(sys.modules)
sys.argv[1:] = {arguments!r}
from tokensync.__main__ import main
try:
    main()
except SystemExit as end:
    code = end.code
sys.stderr.flush()
print(json.dumps({{"code": code, "modules": sorted(set(sys.modules) - before)}}))
"""


def loaded(*arguments, folder):
    """The modules that a command loads beyond those of a bare Python."""
    program = LISTING.format(arguments=list(arguments))
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
    )
    document = json.loads(done.stdout.splitlines()[-1])
    assert document["code"] == 0, done.stderr
    return set(document["modules"])


def others(modules):
    """The top-level names that belong neither to Python nor to us."""
    return {name.split(".")[0] for name in modules} - set(sys.stdlib_module_names) - {"tokensync"}


AT_ONCE = {"tokensync", "tokensync.__main__", "tokensync.system", "tokensync.system.stat_manifest", "tokensync.version"}


def test_the_version_is_printed_without_other_imports(tmp_path):
    assert loaded("--version", folder=tmp_path) <= AT_ONCE


def test_the_command_line_itself_loads_only_click(tmp_path):
    modules = loaded("-q", "--version", folder=tmp_path)
    assert others(modules) == {"click"}
    slow = {"asyncio", "email", "http", "importlib.metadata", "logging", "socket", "sqlite3", "ssl"}
    assert modules & slow == set()


@pytest.mark.skipif(sys.platform == "win32", reason="change times prove nothing there")
def test_a_current_project_is_reported_without_other_imports(tmp_path, monkeypatch):
    from tokensync.system import stat_manifest

    monkeypatch.setattr(stat_manifest, "_MARGIN", 0)  # a developer of tokensync has just changed it
    for name in os.environ:
        if name.startswith("TOKENSYNC_"):
            monkeypatch.delenv(name)
    project = project_in(tmp_path / "project", outputs=output("css", "web"))
    monkeypatch.chdir(project)
    on_the_platform(COLORS)
    for command in ("pull", "build"):
        tokensync("-q", command)
    time.sleep(0.02)  # files of this very tick of the file system's clock are not recorded
    for command in ("build", "format"):
        tokensync("-q", command)
        assert loaded(command, "--check", folder=project) <= AT_ONCE


@pytest.mark.skipif(sys.platform == "win32" or shutil.which("git") is None, reason="needs git and change times")
def test_the_check_of_an_unchanged_commit_loads_only_what_reads_the_index(tmp_path, monkeypatch):
    from commands.repositories import repository_in

    from tokensync.system import stat_manifest

    monkeypatch.setattr(stat_manifest, "_MARGIN", 0)
    for name in [each for each in os.environ if each.startswith("TOKENSYNC_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    project = repository_in(tmp_path / "project")
    time.sleep(0.02)
    tokensync("-q", "check", "--staged")
    for command in ("check", "build"):
        assert loaded(command, "--staged", folder=project) <= AT_ONCE | {"tokensync.system.git_index"}


@pytest.mark.skipif(not QUICKSTART.is_file(), reason="examples/quickstart is not there")
def test_a_build_from_a_saved_response_pays_for_decoding_and_templates_alone(tmp_path):
    modules = loaded("build", "--snapshot", str(QUICKSTART), "-o", "out", folder=tmp_path)
    assert others(modules) <= {"click", "jinja2", "markupsafe", "msgspec", *ASKED_BY_MSGSPEC}
    slow = {"email", "http.client", "importlib.metadata", "logging", "socket", "sqlite3", "ssl", "urllib.request"}
    assert modules & slow == set()


OF_CLIENT_AND_EMULATOR = ("certifi", "charset_normalizer", "idna", "requests", "urllib3", "werkzeug")

WITHOUT = """
import sys
sys.modules.update(dict.fromkeys({packages!r}))
sys.argv[1:] = {arguments!r}
from tokensync.__main__ import main
main()
"""


def without_client_and_emulator(*arguments, folder):
    """Run a command in an environment that has only the packages of the core."""
    program = WITHOUT.format(packages=OF_CLIENT_AND_EMULATOR, arguments=list(arguments))
    return subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "TOKENSYNC_DEBUG": ""},
    )


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory):
    return shutil.copytree(QUICKSTART.parent, tmp_path_factory.mktemp("core") / "quickstart")


@pytest.mark.parametrize(
    "command",
    ["build --check", "build --force", "check", "format --check", "lint", "tokens list", "diff lock tokens", "report"],
)
def test_commands_without_the_platform_need_neither_the_client_nor_the_emulator(command, quickstart):
    done = without_client_and_emulator(*command.split(), folder=quickstart)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["plan", "pull", "status", "demo"])
def test_a_package_that_is_not_installed_is_named_with_the_command_to_install_it(command, quickstart):
    done = without_client_and_emulator(command, folder=quickstart)
    advice = r"error: (requests|werkzeug): this package is not installed; run `python -m pip install \1`\n"
    assert (done.returncode, bool(re.search(advice, done.stderr))) == (1, True), done.stderr
