"""Runs with nothing to do are answered from the stat manifest, exactly as the ordinary run would."""

import contextlib
import io
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import jinja2
import msgspec
import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, response, tokensync, work_tree_at
from corpus.building import ROOT, Done, run_here

from tokensync.generate.naming import sandbox, templates
from tokensync.project import outputs
from tokensync.system import resources, stat_manifest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="change times prove nothing there")

CURRENT = "all outputs are current\n"
OURS = '{"info": {"author": "tokensync", "version": 1}}'
OUTPUTS = output("css", "web", 'templates = "mine"') + output("android", "droid") + output("ios", "apple")
TOKENS = Path("tokens/one/theme")
CSS = Path("web/tokens.css")
CATALOG = Path("apple/Tokens.xcassets")
MANIFEST = Path(".tokensync/build.stat")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A pulled and built project in a git work tree, with a folder of templates of its own."""
    home = tmp_path_factory.mktemp("built")
    work_tree_at(home)
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("TOKENSYNC_", "FIGMA_")):
                patch.delenv(name)
        path = project_in(home / "project", outputs=OUTPUTS)
        patch.chdir(path)
        (path / "mine").mkdir()
        (path / "mine" / "notes.txt").write_text("no template\n", encoding="utf-8")
        on_the_platform(COLORS)
        tokensync("-q", "pull")
        tokensync("-q", "build")
    shutil.rmtree(path / ".tokensync")
    return home


@pytest.fixture
def project(folder, monkeypatch, built):
    """A copy of it, which one build on this machine found to be right; the working folder.

    Builds in this process render here too: what tests ask of templates is whether they changed.
    """
    monkeypatch.setattr(sandbox, "render", rendered_here)
    monkeypatch.setattr(stat_manifest, "_MARGIN", 0)  # a developer of tokensync has just changed it
    shutil.copytree(built, folder / "home")
    monkeypatch.chdir(folder / "home" / "project")
    wait_for_the_clock()
    assert " 0 written" in ordinary("build").stderr.replace("(", " ")
    wait_for_the_clock()
    return folder / "home" / "project"


@pytest.fixture
def known(project):
    """Record the project with both commands."""
    assert ordinary("build").stderr == CURRENT
    assert ordinary("format", "--check").code == 0
    assert at_once("build")
    assert at_once("format")
    return project


def rendered_here(own, name, filters, context, limits):
    return templates.render(own, name, filters, context, limits.size)


def wait_for_the_clock():
    """Wait for the next tick of the file system's clock; files of the current one are not recorded."""
    time.sleep(0.02)


def at_once(*arguments):
    """Return the output without the ordinary run; None if that is needed."""
    out, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(stderr):
        code = stat_manifest.answer([str(each) for each in arguments])
    return None if code is None else Done(code, out.getvalue(), stderr.getvalue())


def ordinary(*arguments):
    """Run a command that needs the ordinary run."""
    assert at_once(*arguments) is None
    return run_here(*arguments)


def run(*arguments):
    return at_once(*arguments) or run_here(*arguments)


def program(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "tokensync", *arguments],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        **more,
    )


def edit_unseen(path):
    """Change a byte, but neither size nor modification time."""
    before = path.stat()
    content = path.read_bytes()
    path.write_bytes(content[:-2] + b"X" + content[-1:])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace_by_link(path):
    path.rename("elsewhere")
    path.symlink_to(os.path.relpath("elsewhere", path.parent))


def add(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def append(path, text):
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


INPUTS = {
    "a setting": lambda: append(Path("tokensync.toml"), 'options = { prefix = "x" }\n'),
    "a token": lambda: edit_unseen(TOKENS / "light.tokens.json"),
    "a token file more": lambda: add(TOKENS / "night.tokens.json", "{}"),
    "a token file less": (TOKENS / "dark.tokens.json").unlink,
    "a folder of token files more": lambda: add(TOKENS.parent / "more" / "light.tokens.json", "{}"),
    "the resolver document": lambda: add(Path("tokens/one.resolver.json"), "{"),
    "a template": lambda: append(Path("mine/notes.txt"), "more\n"),
    "a template more": lambda: add(Path("mine/css/tokens.css.j2"), "/* mine */\n"),
    "the list of outputs": lambda: append(Path("tokensync.outputs.json"), "\n"),
    "no git work tree": lambda: shutil.rmtree("../.git"),
    "a nearer git work tree": lambda: work_tree_at(Path()),
    "a configuration less": lambda: Path("tokensync.toml").rename("other.toml"),
}
RESULTS = {
    "an output": lambda: append(CSS, "\n"),
    "an output, its size and time kept": lambda: edit_unseen(CSS),
    "an output less": CSS.unlink,
    "an output touched": lambda: os.utime(CSS),
    "an output replaced by an equal file": lambda: shutil.copy2(CSS, "x") and os.replace("x", CSS),
    "an output behind a link": lambda: replace_by_link(CSS),
    "a folder behind a link": lambda: replace_by_link(Path("web")),
    "a file of a catalog": lambda: append(CATALOG / "Contents.json", " "),
    "a colour less": lambda: shutil.rmtree(next(CATALOG.glob("**/*.colorset"))),
    "a colour of ours more": lambda: add(CATALOG / "new.colorset" / "Contents.json", OURS),
    "one inside of a colour": lambda: add(next(CATALOG.glob("**/*.colorset")) / "new" / "Contents.json", OURS),
}


class TestBuild:
    @pytest.mark.parametrize(
        "arguments", ["build", "build --check", "-q build", "build -q --check", "--no-color build"]
    )
    def test_the_second_run_prints_the_same_from_the_manifest(self, project, arguments):
        first = ordinary(*arguments.split())
        assert (first.code, first.output) == (0, "")
        assert at_once(*arguments.split()) == first

    def test_a_build_and_a_check_know_it_from_each_other(self, project):
        ordinary("build", "--check")
        assert at_once("build").stderr == at_once("build", "--check").stderr == CURRENT

    def test_a_build_repairs_an_output_that_was_edited(self, known):
        append(CSS, ":root { --x: red }\n")
        wait_for_the_clock()
        assert ordinary("build", "--check").stderr.startswith(f"not current: {CSS.as_posix()}\n")
        assert "1 written" in ordinary("build").stderr
        assert "--x" not in CSS.read_text("utf-8")

    def test_a_build_that_wrote_files_leaves_the_comparison_to_the_next_run(self, known):
        CSS.unlink()
        assert "1 written" in ordinary("build").stderr
        wait_for_the_clock()
        assert ordinary("build").stderr == CURRENT
        assert at_once("build")

    @pytest.mark.parametrize("change", [*INPUTS, *RESULTS])
    def test_after_a_change_the_ordinary_run_is_needed(self, known, change):
        {**INPUTS, **RESULTS}[change]()
        assert at_once("build") is None
        assert at_once("build", "--check") is None

    @pytest.mark.parametrize(
        "options",
        [
            *(
                "-o out",
                "--platform css",
                "-c tokensync.toml",
                "--file one",
                "--json",
                "-v",
                "--force",
                "--snapshot x -o out",
            ),
            *("--allow-outside", "--watch", "--help", "extra"),
        ],
    )
    def test_with_other_options_the_ordinary_run_is_needed_and_leaves_no_manifest(self, project, options):
        Path("x").write_bytes(response(COLORS))
        if options != "--watch":
            ordinary("build", *options.split())
        assert not MANIFEST.exists()
        ordinary("build")
        assert at_once("build", *options.split()) is None

    def test_an_outdated_manifest_is_not_recorded(self, project):
        listed = Path("tokensync.outputs.json")
        listed.write_text(listed.read_text("utf-8").replace('"css"', '"scss"'), encoding="utf-8")
        wait_for_the_clock()
        assert ordinary("build", "--check").code == 3
        assert at_once("build", "--check") is None

    def test_a_subfolder_has_an_entry_of_its_own(self, known, monkeypatch):
        monkeypatch.chdir("web")
        assert ordinary("build").stderr == f"{known}: {CURRENT}"
        assert at_once("build").stderr == f"{known}: {CURRENT}"
        Path("tokensync.toml").write_text("", encoding="utf-8")
        assert at_once("build") is None
        Path("tokensync.toml").unlink()
        monkeypatch.chdir("..")
        assert at_once("build") is None

    def test_a_configuration_in_pyproject_counts_until_there_is_a_nearer_one(self, known):
        text = Path("tokensync.toml").read_text("utf-8").replace("[[", "[[tool.tokensync.")
        Path("tokensync.toml").unlink()
        Path("pyproject.toml").write_text("[tool.tokensync]\n" + text, encoding="utf-8")
        wait_for_the_clock()
        assert ordinary("build").stderr == CURRENT
        assert at_once("build")
        Path("tokensync.toml").write_text("", encoding="utf-8")
        assert at_once("build") is None


class TestFormat:
    def test_the_second_run_prints_the_same_from_the_manifest(self, project):
        first = ordinary("format", "--check")
        assert at_once("format", "--check") == at_once("format") == first

    @pytest.mark.parametrize("change", [each for each in INPUTS if "token" in each])
    def test_after_a_change_of_the_token_files_the_ordinary_run_is_needed(self, known, change):
        INPUTS[change]()
        assert at_once("format") is None

    def test_files_that_are_not_canonical_are_not_recorded(self, known):
        append(TOKENS / "light.tokens.json", "\n\n")
        assert ordinary("format", "--check").code == 3
        wait_for_the_clock()
        assert ordinary("format").stderr.startswith("formatted 1 of")
        assert ordinary("format").code == 0

    def test_files_or_folders_that_are_named_need_the_ordinary_run(self, known):
        assert at_once("format", "tokens") is None
        assert at_once("format", "--file", "one") is None


class TestTrust:
    @pytest.mark.parametrize(
        "name", ["TOKENSYNC_CONFIG", "TOKENSYNC_ALLOW_OUTSIDE", "TOKENSYNC_BASE_URL", "TOKENSYNC_NEW"]
    )
    def test_a_variable_of_ours_needs_the_ordinary_run(self, known, monkeypatch, name):
        monkeypatch.setenv(name, "tokensync.toml")
        assert at_once("build") is None
        MANIFEST.unlink()
        run_here("build")
        assert not MANIFEST.exists()

    def test_another_version_or_location_of_tokensync_needs_the_ordinary_run(self, known, monkeypatch):
        with monkeypatch.context() as patch:
            patch.setattr(stat_manifest, "__version__", "9.9")
            assert at_once("build") is None
        with monkeypatch.context() as patch:
            patch.setattr(stat_manifest, "_PACKAGE", "/other/tokensync")
            assert at_once("build") is None
        assert at_once("build")

    @pytest.mark.parametrize("changed", ["templates/css/tokens.css.j2", "templates/css/new.j2", "config/new.toml"])
    def test_a_packaged_template_or_rule_that_changed_needs_the_ordinary_run(
        self, project, monkeypatch, tmp_path_factory, changed
    ):
        shipped = tmp_path_factory.mktemp("shipped")
        for name in ("templates", "config"):
            shutil.copytree(ROOT / name, shipped / name)
        monkeypatch.setattr(resources, "ROOT", str(shipped))
        wait_for_the_clock()
        ordinary("build")
        assert at_once("build")
        (shipped / changed).write_text("x", encoding="utf-8")
        assert at_once("build") is None

    def test_tokensync_itself_is_recorded_file_by_file(self, known):
        content = MANIFEST.read_bytes()
        rooms = [
            path
            for path in (ROOT / "tokensync").iterdir()
            if path.name not in ("action", "bridge", "emulator", "mcp", "migrate")
        ]
        assert all(os.fsencode(path) in content for room in rooms for path in room.rglob("*.py"))

    def test_code_that_changed_without_a_new_version_builds_again(self, project, tmp_path_factory):
        installed = tmp_path_factory.mktemp("installed")
        folders = (ROOT / "tokensync", ROOT / "templates", ROOT / "config")
        for folder in (*folders, *(Path(module.__file__).parent for module in (jinja2, msgspec))):
            shutil.copytree(folder, installed / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
        modules = [
            installed / path for path in ("tokensync/normalize/mapping.py", "jinja2/filters.py", "msgspec/json.py")
        ]
        for path in modules:
            path.write_bytes(path.read_bytes() + b"# as released\n")
        start = (
            "from tokensync import __main__; from tokensync.system import stat_manifest;"
            " stat_manifest._MARGIN = 0; __main__.main()"
        )

        def build():
            wait_for_the_clock()
            command = [sys.executable, "-c", start, "build"]
            environment = {**os.environ, "PYTHONPATH": str(installed)}
            return subprocess.run(command, check=True, capture_output=True, encoding="utf-8", env=environment).stderr

        build()
        assert build() == CURRENT
        for path in modules:
            edit_unseen(path)
            assert "unchanged" in build()
            assert build() == CURRENT

    def test_a_copy_never_counts_even_at_the_same_path(self, known, monkeypatch):
        shutil.copytree(known, known.parent / "copy", symlinks=True)
        monkeypatch.chdir(known.parent / "copy")
        assert at_once("build") is None
        known.rename(known.parent / "original")
        (known.parent / "copy").rename(known)
        monkeypatch.chdir(known)
        assert at_once("build") is None

    def test_files_of_a_copied_manifest_are_not_examined(self, known, monkeypatch):
        content = MANIFEST.read_bytes()
        MANIFEST.rename("moved")
        MANIFEST.write_bytes(content)
        lstat, seen = os.lstat, []
        monkeypatch.setattr(os, "lstat", lambda path, **more: seen.append(str(path)) or lstat(path, **more))
        assert stat_manifest.current("build") is None
        names = {os.path.relpath(each, known) for each in seen}
        assert names <= {".tokensync", "tokensync.toml", os.path.relpath(MANIFEST)}

    def test_a_damaged_one_is_ignored(self, known):
        content = MANIFEST.read_bytes()
        sizes = random.Random(1).sample(range(len(content)), 60)
        for damaged in (*(content[:size] for size in sizes), content + b"\0" * 8, b"\0" * len(content), b""):
            os.truncate(MANIFEST, 0)  # the file stays the same one
            MANIFEST.write_bytes(damaged)
            assert at_once("build") is None
        MANIFEST.write_bytes(content)
        assert at_once("build")
        os.truncate(MANIFEST, (64 << 20) + 1)
        assert at_once("build") is None

    def test_a_folder_instead_of_the_manifest_is_ignored(self, known):
        MANIFEST.rename("moved")
        MANIFEST.symlink_to("../moved")
        assert at_once("build") is None
        MANIFEST.unlink()
        os.mkfifo(MANIFEST)
        assert at_once("build") is None
        MANIFEST.unlink()
        MANIFEST.mkdir()
        assert ordinary("build").stderr == CURRENT
        assert not list(Path(".tokensync").glob(".tokensync-*"))

    def test_no_manifest_is_written_through_a_link_or_into_a_file(self, project):
        shutil.rmtree(".tokensync")
        Path(".tokensync").symlink_to("mine")
        assert "(0 written" in ordinary("build").stderr
        assert sorted(os.listdir("mine")) == ["notes.txt"]
        Path(".tokensync").unlink()
        Path(".tokensync").write_text("", encoding="utf-8")
        assert "(0 written" in ordinary("build").stderr
        assert Path(".tokensync").read_text("utf-8") == ""

    def test_a_new_state_folder_is_ignored_by_git(self, project):
        ordinary("build")
        assert Path(".tokensync/.gitignore").read_text("utf-8") == "*\n"
        assert at_once("build")

    def test_unreliable_change_times_require_an_ordinary_run(self, known, monkeypatch):
        with monkeypatch.context() as patch:
            patch.setattr(os, "name", "nt")
            assert stat_manifest.current("build") is None
        MANIFEST.unlink()
        monkeypatch.setattr(stat_manifest, "_MARGIN", 1 << 62)  # a clock that shows the time that a program chose
        assert ordinary("build").stderr == CURRENT
        assert not MANIFEST.exists()


class TestRaces:
    def test_a_file_that_has_just_changed_is_not_recorded(self, project, monkeypatch):
        utime = os.utime

        def and_save(path, **more):
            utime(path, **more)  # from here on the file system's time counts
            CSS.write_bytes(CSS.read_bytes())

        monkeypatch.setattr(os, "utime", and_save)
        assert ordinary("build").stderr == CURRENT
        assert not MANIFEST.exists()

    @pytest.mark.parametrize("path", [CSS, TOKENS / "light.tokens.json", Path("mine/notes.txt")])
    def test_an_edit_after_a_file_was_compared_shows(self, project, monkeypatch, path):
        save = stat_manifest.Recording.save
        monkeypatch.setattr(stat_manifest.Recording, "save", lambda *given: (edit_unseen(path), save(*given)))
        assert ordinary("build").stderr == CURRENT
        assert MANIFEST.exists()
        assert at_once("build") is None

    def test_an_edit_of_the_configuration_after_it_was_read_shows(self, project, monkeypatch):
        enter = stat_manifest.Recording.__enter__

        def edited(self):
            append(Path("tokensync.toml"), "# more\n")
            wait_for_the_clock()
            return enter(self)

        monkeypatch.setattr(stat_manifest.Recording, "__enter__", edited)
        assert ordinary("build").stderr == CURRENT
        assert not MANIFEST.exists()

    def test_runs_at_the_same_time_leave_one_manifest_that_counts(self, project):
        command = [sys.executable, "-m", "tokensync", "-q", "build"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        running = [subprocess.Popen(command, env=environment) for _ in range(4)]
        try:
            assert [each.wait(60) for each in running] == [0, 0, 0, 0]
        finally:
            for each in running:
                each.kill()
        run("build")
        assert at_once("build")
        assert not list(Path(".tokensync").glob(".tokensync-*"))


class TestProgram:
    @pytest.mark.parametrize(
        "arguments", [("build",), ("build", "--check", "-q"), ("format", "--check"), ("--version",)]
    )
    def test_both_ways_write_the_same_bytes(self, project, arguments):
        first, second = program(*arguments), program(*arguments)
        assert first.returncode == second.returncode == 0
        assert (second.stdout, second.stderr) == (first.stdout, first.stderr)
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "tokensync", *arguments],
                check=False,
                stdout=full,
                stderr=full,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
        assert done.returncode == (0 if "-q" in arguments else 1)

    @pytest.mark.parametrize(("changed", "message"), [(None, CURRENT), ("tokensync.toml", "None"), (CATALOG, "None")])
    def test_many_files_are_compared_by_two_processes(self, known, changed, message):
        if changed:
            os.utime(changed)
        text = (
            "from tokensync.system import stat_manifest as each; each._ENOUGH_FOR_TWO = 1\n"
            "print(getattr(each.current('build'), 'text', None), end='')"
        )
        done = subprocess.run(
            [sys.executable, "-c", text], check=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
        assert done.stdout.decode() == message.strip()


CHANGES = [*INPUTS.values(), *RESULTS.values()]
COMMANDS = ["build", "build --check", "format", "format --check", "build --platform css", "build --json --check"]
COMMANDS += ["check", "check --json", "lint"]


@pytest.mark.parametrize("seed", range(3))
def test_after_any_change_between_runs_the_result_is_that_of_a_project_without_manifests(project, monkeypatch, seed):
    chance = random.Random(seed)
    answered = 0
    backup = project.parent / "backup"
    shutil.copytree(project, backup, symlinks=True)
    for _ in range(25):
        kind = chance.random()
        if kind < 0.2:
            with contextlib.suppress(OSError, StopIteration):
                chance.choice(CHANGES)()
        elif kind < 0.45:  # all is well again
            restore(backup, project)
            monkeypatch.chdir(project)
        wait_for_the_clock()
        command = chance.choice(COMMANDS).split()
        twin = project.parent / "twin"
        shutil.copytree(project, twin, symlinks=True)
        monkeypatch.chdir(twin)
        monkeypatch.chdir(project)
        believed = stat_manifest.last_build(str(project))
        monkeypatch.chdir(twin)
        with monkeypatch.context() as patch:  # a copy of the record itself counts no more than one of the manifests
            for module in (stat_manifest, outputs):
                patch.setattr(module, "last_build", lambda _, value=believed: value)
            expected = ordinary(*command), files_in(twin)
        monkeypatch.chdir(project)
        first = at_once(*command)
        answered += first is not None
        done = first or run_here(*command)
        assert plain(done, project) == plain(expected[0], twin)
        assert files_in(project) == expected[1]
        shutil.rmtree(twin)
    assert answered


def restore(backup, project):
    if not (project.parent / ".git").exists():
        work_tree_at(project.parent)
    for name in os.listdir(project):
        if name != ".tokensync":
            path = project / name
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    shutil.copytree(backup, project, symlinks=True, dirs_exist_ok=True, ignore=lambda *_: [".tokensync"])


def plain(done, folder):
    return done.code, *(each.replace(str(folder), "FOLDER") for each in done[1:])


def test_a_new_level_of_a_problem_takes_effect(known):
    configuration = known / "tokensync.toml"
    text = configuration.read_text("utf-8")
    configuration.write_text(
        f'{text}\n[problems]\nunresolved-value = "error"\nleaf-and-group = "ignore"\n', encoding="utf-8"
    )
    assert at_once("build") is None
    ordinary("build")
    wait_for_the_clock()
    assert ordinary("build").stderr == CURRENT
    assert at_once("build")
    configuration.write_text(f'{text}\n[problems]\nleaf-and-grup = "ignore"\n', encoding="utf-8")
    assert at_once("build") is None
    assert "unknown problem code 'leaf-and-grup'; use leaf-and-group" in run_here("build").stderr
