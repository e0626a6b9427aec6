"""The example of a plug-in, installed as a package: a target, a rule, a reader, a command and a scheme of base_url."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from cli.programs import COMMAND, environment
from commands.projects import COLORS, on_the_platform, output, project_in, quickstart_in, response
from corpus.building import ROOT

PACKAGE = ROOT / "examples" / "plugin"


def installed(source, target):
    """Install a package without an index, beside the environment of the tests."""
    install = ("-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--target")
    subprocess.run([sys.executable, *install, str(target), str(source)], check=True)
    return target


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    source = shutil.copytree(PACKAGE, tmp_path_factory.mktemp("source") / "plugin")
    return installed(source, tmp_path_factory.mktemp("installed"))


@pytest.fixture
def run(plugin, folder, monkeypatch):
    """Run a command with the plug-in installed; its exit code, its output and its messages."""

    def run_command(*arguments, code=0, packages=(plugin,), **settings):
        path = os.pathsep.join(map(str, (ROOT, *packages)))
        done = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            check=False,
            capture_output=True,
            encoding="utf-8",
            env=environment(PYTHONPATH=path, **{f"TOKENSYNC_{name.upper()}": each for name, each in settings.items()}),
        )
        assert "Traceback" not in done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run_command


def package(folder, group, name, text):
    """Write a package with one entry point, as it is when it is installed."""
    module = f"plugged_{name}"
    metadata = folder / f"{module}-1.dist-info"
    metadata.mkdir(parents=True)
    (folder / f"{module}.py").write_text(text, encoding="utf-8")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: plugged-{name}\nVersion: 1\n", encoding="utf-8")
    entry_points = f"[tokensync.{group}]\n{name} = {module}:entry\n"
    (metadata / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    return folder


def test_the_target_is_built_as_the_built_in_ones(run, folder, monkeypatch):
    monkeypatch.chdir(quickstart_in(folder / "harbor"))
    with open("tokensync.toml", "a", encoding="utf-8") as file:
        file.write(output("dart", "lib", 'options = { class_name = "Harbor" }'))
    run("build")
    text = (folder / "harbor" / "lib" / "theme_dark.dart").read_text(encoding="utf-8")
    assert "abstract final class HarborThemeDark {" in text
    assert "  static const colorSlate0 = Color(0xFFFFFFFF);" in text
    run("build", "--check")
    (folder / "harbor" / "lib" / "theme_dark.dart").unlink()
    assert "lib/theme_dark.dart" in run("check", code=3).stderr


def test_another_version_of_the_target_makes_its_outputs_anew(run, plugin, folder, monkeypatch):
    monkeypatch.chdir(quickstart_in(folder / "harbor"))
    with open("tokensync.toml", "a", encoding="utf-8") as file:
        file.write(output("dart", "lib"))
    run("build")
    newer = shutil.copytree(plugin, folder / "newer")
    module = newer / "tokensync_dart" / "target.py"
    # of another size: Python knows a module that it has compiled by its size and the second of its change
    module.write_text(module.read_text("utf-8").replace("static const", "static late final"), encoding="utf-8")
    assert "lib/default.dart" in run("build", "--check", code=3, packages=(newer,)).stderr


def test_options_and_platforms_of_plug_ins_are_checked(run, folder):
    project_in(folder, outputs=output("dart", "lib", "options = { class = 'A' }"))
    assert "class" in run("build", code=2).stderr
    project_in(folder, outputs=output("dart", "lib", "options = 3"), more='[problems]\ngroup-depth = "loud"\n')
    assert "unknown" not in run("build", code=2).stderr.replace("unknown value 'loud'", "")
    project_in(folder, outputs=output("drat", "lib"))
    assert 'use "dart"' in run("build", code=2).stderr
    assert "dart" in run("build", "--snapshot", "x.json", "--platform", "drat", code=2).stderr


def test_the_rule_reports_with_a_level_of_its_own(run, folder):
    colors = {"a/b/c/d/e": ("#112233", "#445566")}
    deep = folder / "deep.local.json"
    deep.write_bytes(response(colors))
    assert "its name has 5 parts; use at most 4 [group-depth]" in run("lint", "--snapshot", deep).stderr
    project_in(folder, more='[problems]\ngroup-depth = "error"\n', outputs=output("css", "web"))
    run("emulator", "seed", deep)
    run("pull")
    assert "error" in run("lint", code=5).stderr
    assert "unknown problem code" in run("lint", code=2, packages=()).stderr


def test_a_check_notices_that_python_finds_another_package(run, folder):
    deep = folder / "deep.local.json"
    deep.write_bytes(response({"a/b/c/d/e": ("#112233", "#445566")}))
    project_in(folder, outputs=output("css", "web"))
    run("emulator", "seed", deep)
    run("pull")
    run("build")
    for command in ("check", "lint"):
        assert "no problems" in run(command, packages=()).stderr
        assert (folder / ".tokensync" / f"{command}.stat").is_file()
        assert "[group-depth]" in run(command).stderr


def test_an_entry_point_can_be_an_attribute_of_a_class(run, folder):
    rule = "    def entry(subject):\n        yield Problem('warning', 'deep', 'there', 'it is deep', 'do it')\n"
    text = f"from tokensync import Problem\nclass Rules:\n    @staticmethod\n{rule}"
    packages = package(folder / "packages", "lint", "deep", text)
    names = packages / "plugged_deep-1.dist-info" / "entry_points.txt"
    names.write_text(names.read_text(encoding="utf-8").replace(":entry", ":Rules.entry"), encoding="utf-8")
    (folder / "a.local.json").write_bytes(response(COLORS))
    assert "it is deep" in run("lint", "--snapshot", "a.local.json", packages=(packages,)).stderr


def test_the_reader_recognizes_its_files_and_they_are_migrated(run, folder):
    (folder / "colors.json").write_text(
        json.dumps({"palette": {"sand": "#f5e9d0", "sea": "#135577"}}), encoding="utf-8"
    )
    project_in(folder, outputs=output("css", "web"))
    done = run("migrate", "colors.json", "--offline")
    assert "palettes" in done.stdout
    assert "2 tokens read: 2 migrated, 0 reported" in done.stdout
    assert run("migrate", "colors.json", "--format", "palette", "--propose").stdout


def test_the_command_is_listed_and_reads_the_graph_through_the_library(run, folder, monkeypatch):
    monkeypatch.chdir(quickstart_in(folder / "harbor"))
    assert "  contrast " in run("--help").stdout
    lines = run("contrast", "theme/text/muted", "theme/status/warning-surface").stdout.splitlines()
    assert [line.split()[0] for line in lines[:1]] == ["default"]
    assert len(lines) > 3
    assert "no such token" in run("contrast", "theme/nothing", "theme/text/muted", code=2).stderr


def test_the_scheme_of_base_url_answers_in_this_process(run, folder):
    project_in(folder, outputs=output("css", "web"))
    (folder / "key-one.local.json").write_bytes(response(COLORS))
    (folder / "key-one.published.json").write_bytes(response({}))
    text = (folder / "tokensync.toml").read_text(encoding="utf-8")
    (folder / "tokensync.toml").write_text(text.replace("emulator:", f"recorded:{folder.as_posix()}"), encoding="utf-8")
    assert "2 tokens" in run("pull").stderr
    assert "not figma, figma-gov, emulator: or an https:// URL" in run("pull", packages=(), code=2).stderr


def test_the_emulator_has_no_address(run, folder):
    project_in(folder, outputs=output("css", "web"))
    done = run("pull", code=2, packages=(), base_url="emulator:pa55word")
    assert done.stderr == "error: base_url: the emulator has no address; write emulator:\n"


def test_doctor_names_the_packages_of_plug_ins(run):
    shown = run("doctor").stdout
    assert "contrast of tokensync-dart" in shown
    assert "plug-ins" not in run("doctor", packages=()).stdout


def test_a_built_in_name_is_never_replaced(run, folder, monkeypatch):
    monkeypatch.chdir(quickstart_in(folder / "harbor"))
    other = package(folder / "other", "commands", "build", "raise SystemExit('the plug-in ran')")
    run("build", "--check", packages=(other,))


def test_two_packages_with_one_name_are_refused_by_name(run, plugin, folder):
    other = package(folder / "other", "commands", "contrast", "entry = None")
    done = run("contrast", "a", "b", packages=(plugin, other), code=2)
    assert "both have contrast in tokensync.commands; uninstall one of them" in done.stderr
    assert "plugged-contrast" in done.stderr
    assert "tokensync-dart" in done.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import no_such_module", "does not load (ModuleNotFoundError: No module named 'no_such_module')"),
        ("def entry(subject):\n    raise KeyError('x')", "failed (KeyError: 'x')"),
        (
            "import tokensync\ndef entry(subject):\n    yield tokensync.Problem('error', 'other', '', '', '')",
            "its problem has the code 'other'; use broken",
        ),
    ],
)
def test_a_plug_in_that_fails_is_named(run, folder, monkeypatch, text, reason):
    monkeypatch.chdir(quickstart_in(folder / "harbor"))
    done = run("lint", packages=(package(folder / "other", "lint", "broken", text),), code=2)
    assert done.stderr.startswith("error: plugged-broken: its broken")
    assert reason in done.stderr


TARGET = """import tokensync, msgspec
class Options(msgspec.Struct):
    pass
class entry:
    TARGET = tokensync.Target("odd", "odd files", Options)
    def render(resolution, request):
        assert isinstance(request.options, Options)
        return {result}
"""


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ('[tokensync.OutputFile("../a.txt", b"")], []', "the path '../a.txt': the path contains '..'"),
        ('[tokensync.OutputFile("a\\x00.txt", b"")], []', "not every system allows the character"),
        ('[tokensync.OutputFile("a.txt", "text")], []', "the content of a.txt is str, not bytes"),
        ('[], [tokensync.Problem("error", "other", "", "", "")]', "its problem has the code 'other'; use odd-..."),
        ('[], [tokensync.Problem("fatal", "odd-one", "", "", "")]', "'fatal' is no severity"),
        ('[], [tokensync.Problem("error", 5, None, "", None)]', "is no Problem with five texts"),
        ("exit(7)", "failed (SystemExit: 7)"),
    ],
)
def test_what_a_target_may_not_give_is_refused_and_nothing_is_written(run, folder, result, reason):
    (folder / "one.local.json").write_bytes(response(COLORS))
    odd = package(folder / "other", "targets", "odd", TARGET.format(result=result))
    done = run("build", "--snapshot", "one.local.json", "--platform", "odd", "-o", "out", packages=(odd,), code=2)
    assert done.stderr.startswith("error: plugged-odd: its odd failed")
    assert reason in done.stderr
    assert not (folder / "out").exists()


def test_the_problems_of_a_target_have_levels(run, folder):
    result = '[], [tokensync.Problem("warning", "odd-one", "here", "odd", "look")]'
    odd = package(folder / "other", "targets", "odd", TARGET.format(result=result))
    project_in(folder)
    on_the_platform(COLORS)
    project_in(folder, outputs=output("odd", "out"), more='[problems]\nodd-one = "error"\n')
    run("pull", packages=(odd,))
    assert "error: here: odd; look [odd-one]" in run("build", packages=(odd,), code=1).stderr


@pytest.mark.parametrize(
    ("group", "command", "text"),
    [
        ("commands", ("odd",), "entry = 5"),
        ("commands", ("odd",), "import click\n@click.command()\ndef entry():\n    raise KeyError('x')"),
        ("connections", ("pull",), "def entry(address, state):\n    raise KeyError('x')"),
        (
            "readers",
            ("migrate", "a.json", "--offline"),
            "class entry:\n    LABEL, recognized, read = 'x', len, len",
        ),
    ],
)
def test_every_kind_of_plug_in_that_fails_is_named(run, folder, group, command, text):
    (folder / "a.json").write_text("{}", encoding="utf-8")
    project_in(folder, outputs=output("css", "web"))
    odd = package(folder / "other", group, "odd", text)
    done = run(*command, packages=(odd,), code=2, base_url="odd:" if group == "connections" else "emulator:")
    assert done.stderr.startswith("error: plugged-odd: ")


def test_a_checkout_cannot_add_a_plug_in(run, folder, monkeypatch):
    """Neither by its own metadata, nor by a configuration that names one of its modules."""
    monkeypatch.chdir(quickstart_in(folder / "harbor"))
    package(folder / "harbor", "lint", "evil", "raise SystemExit('the checkout ran')")
    (folder / "harbor" / "pyproject.toml").write_text(
        '[project]\nname = "tokensync"\n[project.entry-points."tokensync.lint"]\nevil = "plugged_evil:entry"\n',
        encoding="utf-8",
    )
    run("lint", packages=())
    run("check", packages=())
