"""Reading the configuration."""

from __future__ import annotations

import os

import pytest
from commands.projects import work_tree_at

from tokensync.errors import ProblemsError, UsageError
from tokensync.project.configuration import load_project, parse_config
from tokensync.settings import Config, Selection
from tokensync.targets import NAMES

WHOLE = b"""
base_url = "emulator:"
tokens = "design/tokens"

[[files]]
name = "harbor"
key = "abc"

[themes.night]
color = "Dark"

[[types]]
type = "number"
path = "opacity/**"

[extract]
only_published = true

[client]
read_timeout = 3

[[outputs]]
platform = "css"
path = "out"
files = ["harbor"]
include = { collections = ["color"] }
[outputs.exclude]
paths = ["_*"]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in [each for each in os.environ if each.startswith("TOKENSYNC_")]:
        monkeypatch.delenv(name)
    return tmp_path


def problems_of(raw, source="tokensync.toml"):
    with pytest.raises(ProblemsError) as caught:
        parse_config(raw if isinstance(raw, bytes) else raw.encode(), source)
    return [(each.code, each.where, each.what) for each in caught.value.problems]


def test_an_empty_configuration_is_all_defaults():
    assert parse_config(b"", "tokensync.toml") == Config()
    assert Config().base_url == "figma"
    assert Config().tokens == "tokens"
    assert Config().extract.include_hidden is True


def test_every_table_is_read():
    config = parse_config(WHOLE, "tokensync.toml")
    assert (config.base_url, config.tokens) == ("emulator:", "design/tokens")
    assert [(each.name, each.key) for each in config.files] == [("harbor", "abc")]
    assert config.themes == {"night": {"color": "Dark"}}
    assert [(each.type, each.path) for each in config.types] == [("number", "opacity/**")]
    assert (config.extract.only_published, config.client.read_timeout) == (True, 3)
    (output,) = config.outputs
    assert (output.platform, output.path, output.files) == ("css", "out", ("harbor",))
    assert (output.include, output.exclude) == (Selection(collections=("color",)), Selection(paths=("_*",)))


def test_a_byte_order_mark_and_windows_line_ends_are_no_fault():
    assert parse_config(b"\xef\xbb\xbf" + WHOLE.replace(b"\n", b"\r\n"), "tokensync.toml").tokens == "design/tokens"


@pytest.mark.parametrize(
    ("raw", "where", "what"),
    [
        (b"a = ", "tokensync.toml:1:1", "Invalid value"),
        (b'\n\n[x\ny = 1"', "tokensync.toml:3:3", "Expected"),
        (b"a = \xff", "tokensync.toml", "utf-8"),
        (b"a = " + b"[" * 100_000, "tokensync.toml", "not TOML"),
    ],
)
def test_what_is_not_toml_is_refused_with_its_place(raw, where, what):
    ((code, place, told),) = problems_of(raw)
    assert (code, place) == ("config-malformed", where)
    assert what in told


def test_all_faults_are_told_at_once_each_at_its_place():
    text = """tokens = ""
colour = "x"

[[files]]
name = "Harbor"

[client]
attempts = 0

[[outputs]]
platform = "css"
path = "out"
[[outputs]]
platform = "web"
path = "out"
include = { path = ["x"] }
"""
    found = problems_of(text)
    assert {code for code, _, _ in found} == {"config-invalid"}
    assert [(where, what) for _, where, what in found] == [
        ("tokensync.toml:8:1 (#/client/attempts)", "0 is less than the minimum of 1"),
        ("tokensync.toml:2:1 (#/colour)", "'colour' is no setting"),
        ("tokensync.toml:4:1 (#/files/0)", "'key' is a required property"),
        (
            "tokensync.toml:5:1 (#/files/0/name)",
            "'Harbor' does not fit (lower-case letters, digits and single hyphens,"
            " and not a name that Windows keeps for devices)",
        ),
        ("tokensync.toml:16:1 (#/outputs/1/include/path)", "'path' is no setting, but 'paths' is"),
        ("tokensync.toml:14:1 (#/outputs/1/platform)", f"'web' is not one of {list(NAMES)}"),
        ("tokensync.toml:1:1 (#/tokens)", "'' should be non-empty"),
    ]


def test_options_that_the_platform_has_not_are_told_at_their_place():
    text = """[[outputs]]
platform = "ios"
path = "x"
[outputs.options]
no_such_option = true
"""
    assert [(where, what) for _, where, what in problems_of(text)] == [
        ("tokensync.toml:5:1 (#/outputs/0/options/no_such_option)", "'no_such_option' is no setting"),
    ]


def test_two_files_of_one_name_and_an_unknown_file_are_told():
    text = """[[files]]
name = "a"
key = "1"
[[files]]
name = "a"
key = "2"
[[outputs]]
platform = "ios"
path = "x"
files = ["a", "b", "c"]
"""
    assert [(where, what) for _, where, what in problems_of(text)] == [
        ("tokensync.toml:5:1 (#/files/1/name)", "'a' is the name of two files"),
        ("tokensync.toml:10:1 (#/outputs/0/files)", "no file is called b, c"),
    ]


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "0", '"3"', "1979-05-27"])
def test_a_time_that_is_none_is_refused(value):
    ((code, where, _),) = problems_of(f"[client]\nread_timeout = {value}")
    assert code == "config-invalid"
    assert where == "tokensync.toml:2:1 (#/client/read_timeout)"


def test_a_count_with_a_fraction_is_refused_at_its_place():
    ((_, where, what),) = problems_of("[client]\nattempts = 5.0")
    assert where == "tokensync.toml:2:1 (#/client/attempts)"
    assert what == "Expected `int`, got `float`"


def test_a_long_value_is_not_repeated_whole():
    ((_, _, what),) = problems_of(f"client = '{'x' * 5000}'")
    assert len(what) < 300


def test_pyproject_has_its_own_table(folder):
    assert parse_config(b"[tool.tokensync]\ntokens = 'x'", "pyproject.toml").tokens == "x"
    ((_, where, _),) = problems_of("[project]\nname = 'p'\n\n[tool.tokensync]\ntoken = 'x'", "pyproject.toml")
    assert where == "pyproject.toml:5:1 (#/token)"


@pytest.mark.parametrize("text", ["", "tool = 3", "[tool]\nruff = 1", "[tool.other]\nx = 1"])
def test_a_pyproject_without_the_table_is_told(text):
    ((_, _, what),) = problems_of(text, "pyproject.toml")
    assert "[tool.tokensync]" in what


def test_the_table_may_be_no_table():
    ((code, _, what),) = problems_of("[tool]\ntokensync = 3", "pyproject.toml")
    assert (code, what) == ("config-invalid", "3 is not of type 'object'")


def test_the_nearest_configuration_above_is_found(folder, monkeypatch):
    (folder / "tokensync.toml").write_text("tokens = 'top'")
    deep = folder / "a" / "b"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    project = load_project()
    assert project.tokens_folder == str(folder / "top")
    (folder / "a" / "pyproject.toml").write_text("# [tool.tokensync]\n")
    assert load_project().config.tokens == "top"
    (folder / "a" / "pyproject.toml").write_text("[tool.tokensync]\ntokens = 'near'\n")
    assert load_project().tokens_folder == str(folder / "a" / "near")
    (folder / "a" / "tokensync.toml").write_text("tokens = 'own'\n")
    assert load_project().config.tokens == "own"


def test_without_any_configuration_it_says_so(folder, monkeypatch):
    monkeypatch.setattr("tokensync.project.configuration._found_above", lambda _: None)
    with pytest.raises(UsageError, match="--config"):
        load_project()


def test_a_flag_comes_before_the_variable_and_the_variable_before_what_is_found(folder, monkeypatch):
    for name in ("flag", "variable", "tokensync"):
        (folder / f"{name}.toml").write_text(f"tokens = '{name}'")
    assert load_project().config.tokens == "tokensync"
    monkeypatch.setenv("TOKENSYNC_CONFIG", str(folder / "variable.toml"))
    assert load_project().config.tokens == "variable"
    assert load_project("flag.toml").config.tokens == "flag"


def test_the_variable_comes_before_the_file_and_the_file_before_the_default(folder, monkeypatch):
    (folder / "tokensync.toml").write_text("")
    assert load_project().config.base_url == "figma"
    (folder / "tokensync.toml").write_text("base_url = 'figma-gov'")
    assert load_project().config.base_url == "figma-gov"
    monkeypatch.setenv("TOKENSYNC_BASE_URL", "emulator:")
    assert load_project().config.base_url == "emulator:"


def test_a_folder_stands_for_the_configuration_in_it(folder):
    (folder / "pyproject.toml").write_text("[tool.tokensync]\ntokens = 'p'")
    assert load_project(str(folder)).config.tokens == "p"
    (folder / "tokensync.toml").write_text("tokens = 't'")
    assert load_project(str(folder)).config.tokens == "t"


def test_a_configuration_that_cannot_be_read_is_a_usage_error(folder):
    with pytest.raises(UsageError, match=r"gone\.toml: it cannot be read"):
        load_project("gone.toml")
    with pytest.raises(UsageError, match=r"tokensync\.toml: it cannot be read"):
        load_project(str(folder))


def test_paths_are_relative_to_the_configuration(folder):
    work_tree_at(folder)
    (folder / "sub").mkdir()
    (folder / "sub" / "tokensync.toml").write_text("tokens = '../t'")
    project = load_project("sub/tokensync.toml")
    assert project.tokens_folder == str(folder / "t")
    assert project.path("a", "b") == str(folder / "sub" / "a" / "b")
