"""Conflicting outputs, folders and files in their way, missing template folders, and endless templates."""

import os
import shutil

import pytest
from commands.projects import files_in, output, pulled_in, tokensync

from tokensync.generate.naming.templates import Limits


@pytest.fixture
def build(folder):
    """Build a pulled project of two colours with these outputs, and return stderr."""
    pulled_in(folder)
    head = (folder / "tokensync.toml").read_text("utf-8")

    def run(outputs, code=0):
        (folder / "tokensync.toml").write_text(head + outputs, encoding="utf-8")
        before = files_in(folder)
        stderr = tokensync("-q", "build", code=code).stderr
        if code:
            assert files_in(folder) == before
        return stderr

    return run


def own(path, template):
    """Return an output with one file, rendered by a template."""
    os.makedirs("mine", exist_ok=True)
    with open("mine/x.j2", "w", encoding="utf-8") as file:
        file.write(template)
    options = f'options = {{ files = [{{ template = "x.j2", path = "{path}" }}] }}'
    return output("template", ".", 'templates = "mine"', options)


def test_an_output_cannot_be_below_the_file_of_another_one(build):
    stderr = build(output("css", "web") + output("ios", "web/tokens.css/apple"), code=1)
    assert "web/tokens.css: one output writes this file, and another one writes files below it" in stderr


def test_no_output_is_written_over_the_list_of_outputs(build):
    assert "tokensync.outputs.json" in build(own("tokensync.outputs.json", "{}"), code=1)


@pytest.mark.parametrize("templates", ["mien", "mine/x.j2"])
def test_a_missing_templates_folder_is_reported(build, templates):
    own("x", "")
    stderr = build(output("css", "web", f'templates = "{templates}"'), code=2)
    assert "tokensync.toml:9:1 (#/outputs/0/templates): there is no folder" in stderr


@pytest.mark.parametrize("setting", ['path = "we\\u0000b"', 'path = "web"\ntemplates = "mi\\u0000ne"'])
def test_a_path_with_a_nul_character_is_reported(build, setting):
    stderr = build(f'[[outputs]]\nplatform = "css"\n{setting}\n', code=2)
    assert "not every system allows the character '\\x00' in a path" in stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_and_a_link_to_nothing_among_the_templates_are_not_waited_for(build):
    made = own("x", "x")
    os.mkfifo("mine/pipe")
    os.symlink("nowhere", "mine/link")
    build(made)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{% for each in [1] %}" * 25 + "{% endfor %}" * 25, "too many statically nested blocks"),
        ("{{ 'x' | center(10 ** 15) }}", "MemoryError"),
        ("{% for a in range(9999) %}{% for b in range(9999) %}{{ 'x' * 99 }}{% endfor %}{% endfor %}", "MiB"),
    ],
    ids=["nested", "large", "endless"],
)
def test_a_template_that_python_cannot_run_is_at_fault_itself(build, monkeypatch, template, message):
    monkeypatch.setattr("tokensync.generate.naming.LIMITS", Limits(size=1 << 20))
    stderr = build(own("x", template), code=1)
    assert "mine/x.j2" in stderr
    assert message in stderr
    assert "[template-failed]" in stderr


COMMANDS = (
    ("check",),
    ("build",),
    ("build", "--check"),
    ("build", "-o", "elsewhere"),
    ("lint",),
    ("format",),
    ("tokens", "list"),
    ("report", "-o", "x.html"),
    ("diff", "lock", "tokens"),
    ("pull",),
    ("plan",),
    ("status",),
)


@pytest.mark.parametrize("setting", ['path = "tokens/one"', 'path = "../../../../../../../../x"'])
def test_every_command_refuses_the_output_paths_that_a_build_refuses(build, setting):
    """Only commands that build looked at them."""
    build(f'[[outputs]]\nplatform = "css"\n{setting}\n', code=2)
    for command in COMMANDS:
        assert "(#/outputs/0/path)" in tokensync(*command, code=2).stderr


@pytest.mark.parametrize(
    "setting", ['[[moved]]\nkind = "token"\nfrom = "a"\nto = "b"\n', '[[files]]\nname = "x"\nkey = "/"\n']
)
def test_every_command_refuses_a_configuration_that_is_invalid_by_itself(build, setting):
    build(setting, code=2)
    for command in COMMANDS:
        assert "[config-invalid]" in tokensync(*command, code=2).stderr


def test_a_theme_of_an_unknown_collection_is_a_finding_of_both_checks_and_stops_the_rest(build):
    """It depends on the token files, so it is no usage error; lint failed with 1."""
    build('[themes.a]\nthemex = "Light"\n' + output("css", "web"), code=1)
    for command in COMMANDS[:8]:
        code = 5 if command[0] in ("check", "lint") else 0 if command[0] == "format" else 1
        assert ("[theme-unknown-collection]" in tokensync(*command, code=code).stderr) == bool(code)


class TestSelections:
    """Globs of ``include`` and ``exclude`` that match nothing, which had no effect in silence."""

    @pytest.mark.parametrize(
        ("setting", "found"),
        [
            (
                'include = { collections = ["themex", "theme"] }',
                "warning: tokensync.toml:9:1 (#/outputs/0/include/collections/0): 'themex' matches no collection; "
                "use theme [selection-unmatched]",
            ),
            (
                'include = { paths = ["azure/*", "slat?"] }',
                "warning: tokensync.toml:9:1 (#/outputs/0/include/paths/0): 'azure/*' matches no token; "
                "correct it, or remove it [selection-unmatched]",
            ),
            (
                'include = { themes = ["drak", "*/dark"] }',
                "warning: tokensync.toml:9:1 (#/outputs/0/include/themes/0): 'drak' matches no theme; "
                "use theme/dark [selection-unmatched]",
            ),
            (
                'exclude = { paths = ["_*"] }',
                "note: tokensync.toml:9:1 (#/outputs/0/exclude/paths/0): '_*' matches no token; "
                "correct it, or remove it [selection-unmatched]",
            ),
            ('include = { collections = ["Theme"], paths = ["slate"] }\nexclude = { themes = ["*d*"] }', ""),
        ],
    )
    def test_each_is_reported_with_its_place(self, build, setting, found):
        build(output("css", "web", setting))
        for command in (("-v", "build"), ("-v", "build", "--check"), ("-v", "check")):
            os.path.exists("web/tokens.css") and os.unlink("web/tokens.css")
            stderr = tokensync(*command, code=0 if command == ("-v", "build") else 3).stderr
            assert [line for line in stderr.splitlines() if "selection-unmatched" in line] == [found][: bool(found)]

    def test_only_the_files_of_the_output_count(self, build):
        build(output("css", "web", 'files = ["one"]\ninclude = { paths = ["slate", "nowhere"] }'))
        os.unlink("web/tokens.css")
        assert "'nowhere' matches no token" in tokensync("build").stderr


class TestObstacles:
    @pytest.fixture
    def project(self, folder):
        pulled_in(folder, outputs=output("css", "web") + output("android", "droid") + output("ios", "apple"))
        tokensync("-q", "build")
        return folder

    def test_all_folders_and_files_in_the_way_of_outputs_are_named_before_anything_is_written(self, project):
        shutil.rmtree(project / "apple")
        (project / "apple").write_text("x", encoding="utf-8")
        (project / "web/tokens.css").unlink()
        (project / "web/tokens.css").mkdir()
        (project / "droid/values/colors.xml").write_text("<!-- changed -->", encoding="utf-8")
        before = files_in(project)
        for arguments in (("build",), ("build", "--force"), ("build", "--check"), ("check",)):
            done = tokensync(*arguments, code=5 if arguments == ("check",) else 1)
            errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
            to_do = "move or remove it, or choose another path for the output [path-refused]"
            assert errors == [
                f"error: web/tokens.css: this is a folder, and the output is a file; {to_do}",
                f"error: apple: this is a file, and outputs need a folder here; {to_do}",
            ]
        assert files_in(project) == before

    @pytest.mark.parametrize(
        ("name", "command"),
        [("tokensync.outputs.json", "build"), ("tokensync.lock", "pull"), ("page.html", "report -o page.html")],
    )
    def test_a_folder_in_place_of_another_file_is_named_with_the_remedy(self, project, name, command):
        (project / name).unlink(missing_ok=True)
        (project / name).mkdir()
        done = tokensync(*command.split(), code=1)
        what = "this is a folder, and a file has to be here; move or remove it, or choose another path"
        assert done.stderr.splitlines()[-1] == f"error: {name}: {what}"

    def test_a_file_in_place_of_a_folder_above_a_file_is_named(self, project):
        (project / "pages").write_text("x", encoding="utf-8")
        done = tokensync("report", "-o", "pages/more/page.html", code=1)
        what = "this is a file, and a folder has to be here; move or remove it, or choose another path"
        assert done.stderr.splitlines()[-1] == f"error: pages: {what}"
