"""``python -m tokensync`` imports no module of the working folder, which a checkout fills."""

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import yaml
from commands.projects import COLORS, output, project_in, response

ROOT = Path(__file__).resolve().parents[2]

HOSTILE = """
import os, sys
with open({sentinel!r}, "a", encoding="utf-8") as file:
    file.write(__name__ + "\\n")
raise ImportError("a module of the checkout")
"""

RUNS = [
    ["--version"],
    ["-q", "--version"],
    ["api", "--list"],
    ["auth", "status", "--base-url", "http://127.0.0.1:1"],
    ["build", "--snapshot", "one.json", "-o", "out"],
    ["emulator", "seed", "one.json", "--key", "key-one"],
    ["pull"],
    ["build"],
    ["format"],
    ["report", "-o", "report"],
    ["plan"],
    ["apply"],
    ["diff", "tokens", "remote"],
]


def run(folder, *arguments):
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("FIGMA_", "TOKENSYNC_"))}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        check=False,
        env=environment,
        encoding="utf-8",
    )


def imported_by_python_itself(folder):
    """Return the modules that ``python -m`` imports before the first line of any package."""
    (folder / "probe.py").write_text("import sys\nprint(*sys.modules)\n", encoding="utf-8")
    return {name.partition(".")[0] for name in run(folder, "-m", "probe").stdout.split()}


def names():
    """Return the top-level modules of Python and of all installed packages, except tokensync."""
    installed = importlib.metadata.packages_distributions()
    return {name for name in {*sys.stdlib_module_names, *installed} if name.isidentifier()} - {"tokensync"}


@pytest.fixture
def checkout(tmp_path):
    """Return a project, and the sentinel that its modules write to, half of them modules and half packages."""
    clean = tmp_path / "clean"
    clean.mkdir()
    project = project_in(tmp_path / "project", outputs=output("css", "web"))
    (project / "one.json").write_bytes(response(COLORS))
    sentinel = tmp_path / "sentinel"
    text = HOSTILE.format(sentinel=str(sentinel))
    for number, name in enumerate(sorted(names() - imported_by_python_itself(clean))):
        if number % 2:
            (project / name).mkdir()
        (project / (f"{name}/__init__.py" if number % 2 else f"{name}.py")).write_text(text, encoding="utf-8")
    return project, sentinel


def test_no_command_imports_one(checkout):
    project, sentinel = checkout
    assert (project / "click.py").exists() or (project / "click").exists()
    for arguments in RUNS:
        done = run(project, "-m", "tokensync", *arguments)
        assert done.returncode in (0, 1 if arguments[0] == "auth" else 3), (arguments, done.stderr)
        assert "Traceback" not in done.stderr
    assert not sentinel.exists()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")
def test_no_hook_of_a_hook_manager_imports_one(checkout):
    project, sentinel = checkout
    for arguments in (["init", "-q"], ["add", "-A", "-f"]):
        subprocess.run(["git", *arguments], cwd=project, check=True, capture_output=True)
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert len(hooks) == 3
    for hook in hooks:
        program, *arguments = hook["entry"].split()
        files = ["tokens/one.resolver.json"] if "files" in hook else []
        done = run(project, "-m", program, *arguments, *files)
        assert done.returncode in (0, 1, 2, 5), done.stderr
        assert "Traceback" not in done.stderr
    assert not sentinel.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the server is stopped by a signal")
def test_the_emulator_imports_none_while_it_serves(checkout):
    project, sentinel = checkout
    (project / ".env").write_text(f"PYTHONPATH={project}\n", encoding="utf-8")
    command = [sys.executable, "-m", "tokensync", "emulator", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            started = json.loads(server.stdout.readline())
            request = urllib.request.Request(
                f"{started['base_url']}/v1/me", headers={"X-Figma-Token": started["token"]}
            )
            with urllib.request.urlopen(request, timeout=60) as response:
                assert response.status == 200
        finally:
            server.terminate()  # a command in the background of a shell ignores SIGINT
    assert not sentinel.exists()


def test_they_would_be_imported_without_the_protection(checkout):
    project, sentinel = checkout
    run(project, "-c", "import tokensync.cli.main")
    assert sentinel.read_text("utf-8").splitlines()[0] in names()


def test_import_path_of_the_user_is_kept(checkout, monkeypatch):
    """With -P or PYTHONSAFEPATH, Python puts no working folder there, so nothing may be removed."""
    project, sentinel = checkout
    for options in (["-P"], ["-I"], []):
        done = run(project, *options, "-m", "tokensync", "-q", "--version")
        assert done.stdout.startswith("tokensync "), done.stderr
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert run(ROOT.parent, "-m", "tokensync", "--version").returncode == 0
    assert not sentinel.exists()


def test_source_tree_runs_from_itself():
    """``tokensync`` itself comes from the working folder there; its modules are found by its own path."""
    done = run(ROOT, "-m", "tokensync", "api", "--list")
    assert done.returncode == 0, done.stderr
    program = "import runpy; runpy.run_module('tokensync', run_name='__main__', alter_sys=True)"
    assert run(ROOT, "-c", f"import sys; sys.argv[1:] = ['--version']; {program}").returncode == 0
