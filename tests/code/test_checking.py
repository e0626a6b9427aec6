"""Findings about code and their corrections: certain ones are written, once, and nothing else of the text changes."""

import json
import os
import sys
from pathlib import Path

import pytest
from commands.projects import output, project_in, tokensync

from tokensync.code.checking import check_code, write_fixes
from tokensync.commands.check import check_project, code_of
from tokensync.project.configuration import load_project
from tokensync.project.sources import from_project

COLORS = {"text/primary": (0, 0, 1), "surface/page": (1, 1, 1)}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app").mkdir()
    project_in(tmp_path, outputs=output("css", "out/css"))
    for mode in ("light", "dark"):
        tree = {"theme": {}}
        for name, components in {**COLORS, "text/brand": (0, 1, 0) if mode == "light" else (1, 0, 0)}.items():
            group, last = name.split("/")
            value = {"$type": "color", "$value": {"colorSpace": "srgb", "components": components}}
            tree["theme"].setdefault(group, {})[last] = value
        tree["theme"]["text"]["old"] = {"$type": "color", "$value": "{theme.text.primary}", "$deprecated": True}
        path = tmp_path / "tokens/one/theme" / f"{mode}.tokens.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(tree), encoding="utf-8")
    tokensync("-q", "build")
    return tmp_path


def check():
    project = load_project()
    return check_code(project, from_project(project).graph, ["app"], corrects=True)


def fixed(text, name="a.css"):
    """Return a file of code after its certain findings are corrected, and assert that a second run changes nothing."""
    path = Path("app", name)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    first = check()
    write_fixes(first)
    second = check()
    assert not second.edits
    assert len(second.problems) == len(first.problems) - sum(first.fixed.values())
    after = path.read_bytes()
    return after if isinstance(text, bytes) else after.decode()


def test_a_value_that_is_equal_in_every_theme_is_replaced_and_one_that_is_not_stays():
    text = "a { color: #00f; } /* #00f */\nb { color: #0f0; background: url(#00f); }\n#00f { color: red }\n"
    assert fixed(text) == text.replace("color: #00f", "color: var(--text-primary)")


@pytest.mark.parametrize(
    "text",
    [
        "chart.setOption({ series: [{ itemStyle: { color: '#00f' } }] })",  # a canvas
        "elements.create('card', { style: { base: { color: '#00f' } } })",  # another document
        "const style = { base: { color: '#00f' } }; elements.create('card', { style })",
        "L.geoJSON(area, { style: { color: '#00f' } })",
        "new Map(element, { styles: [{ stylers: [{ color: '#00f' }] }] })",
        "import { View } from 'react-native'\nconst a = <View style={{ color: '#00f' }}/>",
        "<meta name='theme-color' content='#0000ff'/>",
        "<Icon color='#00f'/>",
    ],
)
def test_a_colour_is_reported_and_not_written_where_custom_properties_may_have_no_meaning(text):
    assert fixed(text, "a.tsx") == text
    assert [found.code for found in check().problems] == ["code-raw-value"]


def test_styles_that_an_element_has_are_written():
    text = "const styles = { a: { color: '#00f' } }\nconst A = () => <p style={styles.a}/>"
    assert fixed(text, "a.tsx") == text.replace("#00f", "var(--text-primary)")


def test_findings_on_one_long_line_share_its_text():
    Path("app/a.css").write_text("a{color:#0f0}" * 500, encoding="utf-8")
    project = load_project()
    findings = check_project(project, code=code_of(project, ("app",))).findings
    assert len({id(found.text) for found in findings if found.problem.code == "code-raw-value"}) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has file names that are no UTF-8")
@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_a_file_name_that_is_no_text_is_no_failure(form):
    Path("app", os.fsdecode(b"\xff.css")).write_text("a { color: #0f0 }", encoding="utf-8")
    result = tokensync("check", "--code", "app", "--format", form)
    assert result.code == 0
    assert "code-raw-value" in result.output


def test_a_deprecated_alias_is_replaced_by_its_target():
    assert fixed("a { color: var(--text-old) }") == "a { color: var(--text-primary) }"


def test_line_ends_marks_and_bytes_that_are_no_text_stay():
    text = b"\xef\xbb\xbfa { color: #00f }\r\n/* \xff */\r\n"
    assert fixed(text) == text.replace(b"#00f", b"var(--text-primary)")


def test_findings_that_are_switched_off_accepted_or_ignored_are_not_corrected():
    Path("tokensync.toml").write_text(
        Path("tokensync.toml").read_text("utf-8") + '[problems]\ncode-raw-value = {"app/b.css" = "ignore"}\n', "utf-8"
    )
    Path("app/b.css").write_text("a { color: #00f }", encoding="utf-8")
    Path("app/c.css").write_text("a { color: #00f }", encoding="utf-8")
    tokensync("check", "--code", "app", "--accept", "Known.")
    off = "a { color: #00f } /* tokensync-disable-line: a reason */"
    assert fixed(off) == off
    assert {Path("app", each).read_text("utf-8") for each in ("b.css", "c.css")} == {"a { color: #00f }"}


def test_a_file_that_somebody_has_changed_meanwhile_stays_and_is_named(folder):
    path = Path("app/a.css")
    path.write_text("a { color: #00f }", encoding="utf-8")
    checked = check()
    path.write_text("b { a: b; color: #00f }", encoding="utf-8")
    assert write_fixes(checked) == "fixed 0 findings in 0 files of code; changed since they were read: app/a.css"
    assert path.read_text("utf-8") == "b { a: b; color: #00f }"


def test_an_interrupted_correction_restores_all_files(monkeypatch):
    for name in ("a.css", "b.css"):
        Path("app", name).write_text("a { color: #00f }", encoding="utf-8")
    checked = check()
    from tokensync.system import disk

    real, calls = disk.replace_file, []

    def replace_file(path, content, *more):
        calls.append(path)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(path, content, *more)

    monkeypatch.setattr(disk, "replace_file", replace_file)
    with pytest.raises(KeyboardInterrupt):
        write_fixes(checked)
    assert {Path("app", each).read_text("utf-8") for each in ("a.css", "b.css")} == {"a { color: #00f }"}


def test_the_command_reports_what_it_has_corrected_and_what_is_left():
    Path("app/a.css").write_text("a { color: #00f; background: #0f0 }", encoding="utf-8")
    done = tokensync("check", "--code", "app", "--fix")
    assert "fixed 1 finding in 1 file of code" in done.stderr
    assert "     1 | a { color: var(--text-primary); background: #0f0 }\n" in done.stderr


@pytest.mark.parametrize("text", ["\x00#fff", "a { color: #ff", "/* tokensync-disable-", "var(--", "\ud800"[:0] + "@{"])
@pytest.mark.parametrize("name", ["a.css", "a.vue", "a.tsx", "a.kt", "a.swift", "a.xml", "a.html", "a.scss"])
def test_broken_code_is_read_without_an_error(name, text):
    Path("app", name).write_text(text, encoding="utf-8")
    check()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.css", "a { color: var(--" + "a" * 200_000 + ") }"),
        ("a.css", "a { color: var(--text-primry) }\n" * 4_000),
        ("a.css", "/* tokensync-disable-line: x */\n" * 20_000),
        ("a.ts", "import " * 50_000 + "tokens.x " * 20_000 + "'var(--text-primry)'"),
        ("a.css", "@import 'theme" + "(" * 100_000 + "';a { color: var(--text-primry) }"),
        ("a.css", "@import '/proc/kcore'; @import '/dev/zero'; a { color: var(--text-primry) }"),
    ],
)
def test_long_texts_take_time_that_grows_with_their_length(name, text):
    Path("app", name).write_text(text, encoding="utf-8")
    check()
