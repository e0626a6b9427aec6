"""The rooms' import contract: it holds, it would notice a breach, and the dependencies are those that are imported."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tokensync"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EMULATOR_MAY_IMPORT = {"config", "disk", "emulator", "errors", "positions", "problems", "resources", "serving"}


def imports(path):
    """Every module that a file names in an import, wherever it stands, with its first two parts."""
    package = ("tokensync", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")[:2]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            before = package[: len(package) - node.level + 1] if node.level else ()
            module = (*before, *(node.module or "").split("."))
            if module == ("tokensync",):
                yield from (("tokensync", alias.name) for alias in node.names)
            else:
                yield module[:2]


def lint(folder):
    """Return the output of import-linter for the contract of a pyproject.toml beside a tokensync package."""
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [shutil.which(program) or program, "--no-cache", "--no-logo"],
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"},
    )


def test_the_contract_is_kept():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("tokens/__init__.py", "tokensync.commands"),  # upwards
        ("dtcg/__init__.py", "tokensync.generate"),  # a sibling
        ("emulator/__init__.py", "tokensync.client"),
        ("emulator/__init__.py", "tokensync.wire"),
        ("generate/__init__.py", "tokensync.wire"),
    ],
)
def test_a_breach_is_noticed(tmp_path, importer, imported):
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    for path in PACKAGE.rglob("*.py"):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(f"import {imported}\n" if path == PACKAGE / importer else "")
    done = lint(tmp_path)
    assert "1 broken" in done.stdout or "2 broken" in done.stdout, done.stdout + done.stderr


def test_no_two_files_import_each_other():
    """Imports for the type checker and those within functions count."""
    graph = grimp.build_graph("tokensync", exclude_type_checking_imports=False, cache_dir=None)
    order = TopologicalSorter({each: graph.find_modules_directly_imported_by(each) for each in graph.modules})
    order.prepare()  # raises CycleError


def test_the_emulator_does_not_import_the_reader_of_platform_responses():
    rooms = {
        (path.name, module[1])
        for path in (PACKAGE / "emulator").rglob("*.py")
        for module in imports(path)
        if module[0] == "tokensync" and module[1:] != ("__version__",)
    }
    assert {edge for edge in rooms if edge[1] not in EMULATOR_MAY_IMPORT} == set()


def test_the_dependencies_are_the_imported_packages():
    imported = {module[0] for path in PACKAGE.rglob("*.py") for module in imports(path)}
    project = PROJECT["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    declared = {line.split(">=")[0].split("[")[0] for line in (*project["dependencies"], *extras)}
    assert imported - set(sys.stdlib_module_names) - {"tokensync"} == declared
