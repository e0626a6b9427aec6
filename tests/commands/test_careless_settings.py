"""Conflicting outputs, missing template folders, and endless templates."""

import os

import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, tokensync

from tokensync.naming.templates import Limits


@pytest.fixture
def build(folder):
    """Build a pulled project of two colours with these outputs, and return stderr."""
    project_in(folder)
    on_the_platform(COLORS)
    tokensync("-q", "pull")
    head = (folder / "tokensync.toml").read_text()

    def run(outputs, code=0):
        (folder / "tokensync.toml").write_text(head + outputs)
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
    assert "tokensync.toml (/outputs/0/templates): there is no folder" in stderr


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
    monkeypatch.setattr("tokensync.naming.LIMITS", Limits(size=1 << 20))
    stderr = build(own("x", template), code=1)
    assert "mine/x.j2" in stderr
    assert message in stderr
    assert "[template-failed]" in stderr
