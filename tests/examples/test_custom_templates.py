"""The example of own templates makes exactly what is committed beside it, and each file is what its language takes."""

import re
import shutil
import sys

import pytest
import tinycss2
from examples.test_quickstart import ROOT, files_of, tokensync
from markdown_it import MarkdownIt
from shown_commands import differences

EXAMPLE = ROOT / "examples" / "custom-templates"
WRITTEN_BY_HAND = ("README.md", "tokensync.toml", "tokens", "templates")


@pytest.fixture
def project(tmp_path):
    """The project without its outputs, built anew."""
    for name in WRITTEN_BY_HAND:
        source = EXAMPLE / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name)
        else:
            shutil.copyfile(source, tmp_path / name)
    done = tokensync(tmp_path, "build")
    assert done.code == 0, done.stderr
    assert "warning" not in done.stderr
    return tmp_path


def test_the_build_makes_exactly_the_files_that_are_committed(project):
    expected, actual = files_of(EXAMPLE), files_of(project)
    assert sorted(actual) == sorted(expected)
    assert [path for path, content in expected.items() if actual[path] != content] == []


def test_a_fresh_clone_is_current_and_a_changed_template_is_noticed(tmp_path):
    clone = tmp_path / "clone"
    shutil.copytree(EXAMPLE, clone)
    checked = tokensync(clone, "build", "--check")
    assert checked.code == 0, checked.stderr
    assert tokensync(clone, "format", "--check").code == 0
    template = clone / "templates" / "docs" / "collection.md.j2"
    template.write_bytes(template.read_bytes() + b"\nLast line.\n")
    checked = tokensync(clone, "build", "--check")
    assert checked.code == 3
    assert "docs/palette.md" in checked.stderr
    assert "app/lib/tokens.dart" not in checked.stderr


def test_the_replaced_template_is_the_one_that_is_used():
    css = (EXAMPLE / "web" / "tokens.css").read_text(encoding="utf-8")
    assert "\n/* The tokens of the Beacon Museum." in css
    assert "\n\t--surface: var(--granite-100);\n" in css
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    assert "error" not in {each.type for each in rules}


def test_each_theme_is_an_instance_with_every_field_of_the_class(dart):
    source = (EXAMPLE / "app" / "lib" / "tokens.dart").read_text(encoding="utf-8")
    assert dart(source)
    declared = re.findall(r"^  final (\S+|List<String>) (\w+);$", source, re.MULTILINE)
    fields = [name for _, name in declared]
    assert len(fields) == 18
    assert re.findall(r"^    required this\.(\w+),$", source, re.MULTILINE) == fields
    instances = re.findall(r"static const (\w+) = BeaconTokens\._\(\n(.*?)\n  \);", source, re.DOTALL)
    assert [name for name, _ in instances] == ["day", "night"]
    literals = {
        "Color": r"Color\(0x[0-9A-F]{8}\)",
        "double": r"\d+\.\d+",
        "Duration": r"Duration\(milliseconds: \d+\)",
        "FontWeight": r"FontWeight\.w[1-9]00",
        "List<String>": r"<String>\['[^']+'(, '[^']+')*\]",
        "String": r"'(?:[^'\\$]|\\.)*'",
    }
    for _, body in instances:
        members = re.findall(r"^    (\w+): (.*),$", body, re.MULTILINE)
        assert [name for name, _ in members] == fields
        for (kind, name), (_, text) in zip(declared, members, strict=True):
            assert re.fullmatch(literals[kind], text), (name, text)


def test_a_packaged_template_lists_every_token_of_the_style_sheet():
    sheets = [EXAMPLE / "web" / "tokens.css", EXAMPLE / "web" / "storybook" / "tokens.css"]
    declared = [set(re.findall(r"^\s+(--[\w-]+): ", each.read_text(encoding="utf-8"), re.MULTILINE)) for each in sheets]
    assert declared[0] == declared[1]
    assert len(declared[1]) == 18


def test_each_collection_has_a_page_whose_tables_are_whole():
    for name, tables in (("palette", [12]), ("theme", [6, 6])):
        page = (EXAMPLE / "docs" / f"{name}.md").read_text(encoding="utf-8")
        shown = MarkdownIt("commonmark").enable("table").render(page)
        assert [each.count("<tr>") for each in re.findall(r"<tbody>.*?</tbody>", shown, re.DOTALL)] == tables
        assert not re.search(r"^<p>\|", shown, re.MULTILINE)


@pytest.mark.skipif(sys.platform == "win32", reason="the page shows a POSIX shell")
def test_the_commands_of_the_page_run_as_shown(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "examples" / "custom-templates")
    actual = differences((EXAMPLE / "README.md").read_text(encoding="utf-8"), tmp_path)
    assert not actual, "\n\n".join(actual)
