"""The public names of the package."""

import pkgutil
import re
import subprocess
import sys

import pytest
from commands.projects import COLORS, DESIGN, QUICK_TO_SETTLE, on_the_platform, output, project_in, quickstart_in
from commands.projects import tokensync as run
from corpus.building import ROOT

import tokensync


def test_all_is_sorted_and_is_what_is_exported():
    assert tokensync.__all__ == sorted(set(tokensync.__all__))
    assert set(tokensync.__all__) == {*tokensync._HOMES, "__version__"}
    assert set(tokensync.__all__) <= set(dir(tokensync))


@pytest.mark.parametrize("name", tokensync.__all__)
def test_each_public_name_exists_and_has_a_docstring(name):
    value = getattr(tokensync, name)
    assert value.__doc__


def test_no_public_name_is_that_of_a_module_that_would_hide_it():
    modules = {each.name for each in pkgutil.iter_modules(tokensync.__path__)}
    assert modules.isdisjoint(tokensync.__all__)


@pytest.mark.parametrize("first", ["names", "modules"])
def test_names_and_modules_can_be_imported_in_any_order(first):
    """A submodule becomes an attribute of its package when it is imported, and would replace a function."""
    names = "values = [getattr(tokensync, name) for name in sorted(tokensync.__all__, reverse={})]"
    modules = "[importlib.import_module(f'tokensync.{each}') for each in tokensync._HOMES.values()]"
    steps = [names.format(True), modules] if first == "names" else [modules, names.format(True)]
    last = names.format(False)
    check = "assert all(not isinstance(each, types.ModuleType) for each in values), values"
    program = "\n".join(("import importlib, tokensync, types", *steps, last, check))
    subprocess.run([sys.executable, "-c", program], check=True)


def test_another_name_is_an_attribute_error_as_everywhere():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tokensync.nothing


def test_importing_the_package_imports_no_submodules():
    program = "import sys, tokensync; print([name for name in sys.modules if name.startswith('tokensync.')])"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, encoding="utf-8")
    assert done.stdout.strip() == "['tokensync.version']"


def test_the_main_workflow_runs_without_the_command_line(folder):
    project_in(folder, outputs=output("css", "web"))
    on_the_platform(COLORS)
    project = tokensync.load_project("tokensync.toml")
    with tokensync.connect(project) as client:
        pulled = tokensync.pull(project, client)
    built = tokensync.build_project(project)
    assert (pulled.files[0].tokens, built.written.changed) == (2, ("web/tokens.css",))
    with pytest.raises(tokensync.TokensyncError):
        tokensync.load_project("nowhere.toml")


def test_an_edit_is_planned_applied_and_taken_back_without_the_command_line(folder):
    project_in(folder, outputs=output("css", "web"), more=QUICK_TO_SETTLE)
    on_the_platform(COLORS)
    project = tokensync.load_project("tokensync.toml")
    with tokensync.connect(project) as client:
        tokensync.pull(project, client)
        path = folder / "tokens" / "one" / "theme" / "light.tokens.json"
        path.write_text(path.read_text("utf-8").replace("#112233", "#112234"), encoding="utf-8")
        assert {each.severity for each in tokensync.check_project(project).problems} == {"note"}
        assert tokensync.lint_project(project).problems == ()
        planned = tokensync.make_plan(project, client)
        (operation,) = planned.file.plans[0].operations
        assert operation.variable == "VariableID:1:10"
        (applied,) = tokensync.apply_plan(project, client)
        graph = tokensync.load_graph(project)
        (slate,) = (key for key in graph.tokens if key.names == ("slate",))
        assert tokensync.resolve(graph)[slate].blue * 255 == pytest.approx(0x34)
        assert [theme.name for theme in tokensync.themes_of(project, graph)] == ["default", "theme/light", "theme/dark"]
        assert tokensync.rollback_plan(project, client, applied.receipt).plan.operations
        tokensync.apply_plan(project, client, force=True)


def test_tokens_of_another_format_are_migrated_without_the_command_line(folder):
    project_in(folder, outputs=output("css", "web"))
    (folder / "old.css").write_text(":root { --sand: #f5e9d0; --sea: #135577 }", encoding="utf-8")
    done = tokensync.migrate_tokens("old.css", is_offline=True)
    assert (done.name, done.converted.ledger.counts.tokens_migrated) == ("one", 2)


def test_the_programs_of_the_documentation_run(folder, monkeypatch, capsys):
    monkeypatch.chdir(quickstart_in(folder / "harbor"))
    run("emulator", "seed", *DESIGN)
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    programs = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(programs) == 4
    names = {}
    for program in programs:
        exec(program, names)
    assert "theme/dark: " in capsys.readouterr().out
