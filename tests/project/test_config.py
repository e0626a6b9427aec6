"""The configuration: defaults, precedence, and the errors of invalid settings."""

import os
import sys
from pathlib import Path

import pytest
from commands.projects import work_tree_at

from tokensync.generate.targets import NAMES
from tokensync.project.configuration import load_project, parse_config
from tokensync.project.connection import project_for
from tokensync.settings import Config, Selection
from tokensync.system.errors import ProblemsError, UsageError

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
    return [(each.code, each.where, f"{each.what}; {each.what_to_do}") for each in caught.value.problems]


def test_empty_configuration_has_all_defaults():
    assert parse_config(b"", "tokensync.toml") == Config()
    assert Config().base_url == "figma"
    assert Config().tokens == "tokens"
    assert Config().extract.include_hidden is True


def test_all_tables_are_read():
    config = parse_config(WHOLE, "tokensync.toml")
    assert (config.base_url, config.tokens) == ("emulator:", "design/tokens")
    assert [(each.name, each.key) for each in config.files] == [("harbor", "abc")]
    assert config.themes == {"night": {"color": "Dark"}}
    assert [(each.type, each.path) for each in config.types] == [("number", "opacity/**")]
    assert (config.extract.only_published, config.client.read_timeout) == (True, 3)
    (output,) = config.outputs
    assert (output.platform, output.path, output.files) == ("css", "out", ("harbor",))
    assert (output.include, output.exclude) == (Selection(collections=("color",)), Selection(paths=("_*",)))


def test_byte_order_mark_and_windows_line_ends_are_allowed():
    assert parse_config(b"\xef\xbb\xbf" + WHOLE.replace(b"\n", b"\r\n"), "tokensync.toml").tokens == "design/tokens"


@pytest.mark.parametrize(
    ("raw", "where", "what"),
    [
        (b"a = ", "tokensync.toml:1:1", "Invalid value"),
        (b'\n\n[x\ny = 1"', "tokensync.toml:3:3", "Expected"),
        pytest.param(b"a = " + b"1" * 5000, "tokensync.toml:1", "digits", id="thousands of digits"),
        (b"a = \xff", "tokensync.toml:1:5", "not UTF-8"),
        pytest.param(b"a = " + b"[" * 100_000, "tokensync.toml:1", "not valid TOML", id="deep"),
    ],
)
def test_invalid_toml_is_reported_with_its_position(raw, where, what):
    ((code, location, message),) = problems_of(raw)
    assert (code, location) == ("config-malformed", where)
    assert what in message


def test_all_errors_are_reported_at_once_with_their_positions_and_remedies():
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
    problems = problems_of(text)
    assert {code for code, _, _ in problems} == {"config-invalid"}
    assert [(where, what) for _, where, what in problems] == [
        ("tokensync.toml:8:1 (#/client/attempts)", "0 is too small; use at least 1 and at most 20"),
        (
            "tokensync.toml:2:1 (#/colour)",
            f"unknown setting 'colour'; use one of {', '.join(Config.__struct_encode_fields__)}",
        ),
        ("tokensync.toml:4:1 (#/files/0)", "'key' is missing; add it"),
        (
            "tokensync.toml:5:1 (#/files/0/name)",
            "'Harbor' is not allowed (lower-case letters, digits and single hyphens,"
            ' and not a name that Windows reserves for devices); write "harbor"',
        ),
        ("tokensync.toml:16:1 (#/outputs/1/include/path)", "unknown setting 'path'; use paths"),
        (
            "tokensync.toml:14:1 (#/outputs/1/platform)",
            f"unknown value 'web'; use one of {', '.join(f'{chr(34)}{each}{chr(34)}' for each in NAMES)}",
        ),
        ("tokensync.toml:1:1 (#/tokens)", "it is empty; enter a value"),
    ]


def test_unknown_options_of_a_platform_are_reported_with_their_position():
    text = """[[outputs]]
platform = "ios"
path = "x"
[outputs.options]
no_such_option = true
"""
    ((_, where, what),) = problems_of(text)
    assert where == "tokensync.toml:5:1 (#/outputs/0/options/no_such_option)"
    assert what.startswith("unknown setting 'no_such_option'; use one of name, ")


def test_repeated_and_unknown_design_files_are_reported():
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
        ("tokensync.toml:5:1 (#/files/1/name)", "'a' is the name of two design files; rename one of them"),
        ("tokensync.toml:10:1 (#/outputs/0/files/1)", "unknown design file 'b'; use \"a\""),
        ("tokensync.toml:10:1 (#/outputs/0/files/2)", "unknown design file 'c'; use \"a\""),
    ]


def test_repeated_fonts_are_reported():
    text = """[[fonts]]
family = "Inter"
faces = [{ weight = 400 }, { weight = 400, italic = true }, { weight = 400, italic = false }]
[[fonts]]
family = "inter"
"""
    assert [(where.partition(" ")[2], what) for _, where, what in problems_of(text)] == [
        ("(#/fonts/0/faces/2)", "two faces of 'Inter' have this weight and slant; remove one of them"),
        ("(#/fonts/1/family)", "'inter' is the family of two entries; write its faces into one entry"),
    ]


def test_a_list_of_families_is_refused_with_the_first_one():
    ((_, _, what),) = problems_of("[[fonts]]\nfamily = 'Source Sans 3, serif'")
    assert what.endswith('; write "Source Sans 3"')


@pytest.mark.parametrize(
    "member",
    [
        'family = "</style>"',
        'family = "A; } body { color: red"',
        "family = 'a\"b'",
        'family = "a, b"',
        'family = ""',
        'family = "A"\nstack = ["x\\ny"]',
        'family = "A"\nfaces = [{ file = "../../secret.ttf" }]',
        'family = "A"\nfaces = [{ file = "/etc/a.ttf" }]',
        'family = "A"\nfaces = [{ file = "a.exe" }]',
        'family = "A"\nfaces = [{ file = "a.ttf\\n" }]',
        'family = "A"\nfaces = [{ postscript = "A\\u0022)" }]',
        'family = "A"\nfaces = [{ weight = 0 }]',
        'family = "A"\nfaces = [{ weight = 650.5 }]',
    ],
)
def test_hostile_fonts_are_refused(member):
    ((code, where, _),) = problems_of(f"[[fonts]]\n{member}")
    assert code == "config-invalid"
    assert "#/fonts/0/" in where


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "0", '"3"', "1979-05-27"])
def test_invalid_timeouts_are_reported(value):
    ((code, where, _),) = problems_of(f"[client]\nread_timeout = {value}")
    assert code == "config-invalid"
    assert where == "tokensync.toml:2:1 (#/client/read_timeout)"


def test_float_for_an_integer_is_reported_with_the_integer():
    ((_, where, what),) = problems_of("[client]\nattempts = 5.0")
    assert where == "tokensync.toml:2:1 (#/client/attempts)"
    assert what == "expected an integer, found a float; write 5"


def test_long_values_are_shortened():
    ((_, _, what),) = problems_of(f"client = '{'x' * 5000}'")
    assert len(what) < 300


def test_pyproject_has_a_table(folder):
    assert parse_config(b"[tool.tokensync]\ntokens = 'x'", "pyproject.toml").tokens == "x"
    ((_, where, _),) = problems_of("[project]\nname = 'p'\n\n[tool.tokensync]\ntoken = 'x'", "pyproject.toml")
    assert where == "pyproject.toml:5:1 (#/token)"


@pytest.mark.parametrize("text", ["", "tool = 3", "[tool]\nruff = 1", "[tool.other]\nx = 1"])
def test_pyproject_without_the_table_is_reported(text):
    ((_, _, what),) = problems_of(text, "pyproject.toml")
    assert "[tool.tokensync]" in what


def test_pyproject_with_another_type_instead_of_the_table_is_reported():
    ((code, _, what),) = problems_of("[tool]\ntokensync = 3", "pyproject.toml")
    assert code == "config-invalid"
    assert what.startswith("expected a table, found an integer")


def test_nearest_configuration_of_the_parent_folders_is_used(folder, monkeypatch):
    (folder / "tokensync.toml").write_text("tokens = 'top'", encoding="utf-8")
    deep = folder / "a" / "b"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    project = load_project()
    assert project.tokens_folder == str(folder / "top")
    (folder / "a" / "pyproject.toml").write_text("# [tool.tokensync]\n", encoding="utf-8")
    assert load_project().config.tokens == "top"
    (folder / "a" / "pyproject.toml").write_text("[tool.tokensync]\ntokens = 'near'\n", encoding="utf-8")
    assert load_project().tokens_folder == str(folder / "a" / "near")
    (folder / "a" / "tokensync.toml").write_text("tokens = 'own'\n", encoding="utf-8")
    assert load_project().config.tokens == "own"


def test_missing_configuration_is_reported(folder, monkeypatch):
    monkeypatch.setattr("tokensync.project.configuration.configuration_in", lambda _: None)
    with pytest.raises(UsageError, match="--config"):
        load_project()


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes differ")
@pytest.mark.parametrize("make", [Path.mkdir, getattr(os, "mkfifo", None), lambda path: path.symlink_to("nowhere")])
def test_something_else_in_place_of_the_configuration_does_not_select_that_of_a_parent_folder(
    folder, monkeypatch, make
):
    (folder / "tokensync.toml").write_text("", encoding="utf-8")
    (folder / "below").mkdir()
    make(folder / "below" / "tokensync.toml")
    monkeypatch.chdir(folder / "below")
    with pytest.raises(UsageError, match=r"below/tokensync\.toml: (cannot read it|this is a folder, )"):
        load_project()


def test_invalid_server_is_named_with_its_line(folder):
    (folder / "tokensync.toml").write_text('tokens = "t"\nbase_url = "emulatorr:"\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"tokensync\.toml:2:1 \(#/base_url\): not figma"):
        project_for(None, None)


def test_option_precedes_variable_and_variable_precedes_nearest_file(folder, monkeypatch):
    for name in ("flag", "variable", "tokensync"):
        (folder / f"{name}.toml").write_text(f"tokens = '{name}'", encoding="utf-8")
    assert load_project().config.tokens == "tokensync"
    monkeypatch.setenv("TOKENSYNC_CONFIG", str(folder / "variable.toml"))
    assert load_project().config.tokens == "variable"
    assert load_project("flag.toml").config.tokens == "flag"


def test_variable_precedes_file_and_file_precedes_default(folder, monkeypatch):
    (folder / "tokensync.toml").write_text("", encoding="utf-8")
    assert load_project().config.base_url == "figma"
    (folder / "tokensync.toml").write_text("base_url = 'figma-gov'", encoding="utf-8")
    assert load_project().config.base_url == "figma-gov"
    monkeypatch.setenv("TOKENSYNC_BASE_URL", "emulator:")
    assert load_project().config.base_url == "emulator:"


def test_folder_selects_the_configuration_in_it(folder):
    (folder / "pyproject.toml").write_text("[tool.tokensync]\ntokens = 'p'", encoding="utf-8")
    assert load_project(str(folder)).config.tokens == "p"
    (folder / "tokensync.toml").write_text("tokens = 't'", encoding="utf-8")
    assert load_project(str(folder)).config.tokens == "t"


def test_unreadable_configuration_is_a_usage_error(folder):
    with pytest.raises(UsageError, match=r"gone\.toml: cannot read it"):
        load_project("gone.toml")
    with pytest.raises(UsageError, match=r"tokensync\.toml: cannot read it"):
        load_project(str(folder))


def test_paths_are_relative_to_the_configuration(folder):
    work_tree_at(folder)
    (folder / "sub").mkdir()
    (folder / "sub" / "tokensync.toml").write_text("tokens = '../t'", encoding="utf-8")
    project = load_project("sub/tokensync.toml")
    assert project.tokens_folder == str(folder / "t")
    assert project.path("a", "b") == str(folder / "sub" / "a" / "b")


@pytest.mark.parametrize(
    ("setting", "what"),
    [
        ('attempts = "5"', "expected an integer, found a string; write 5"),
        ('attempts = "many"', "expected an integer, found a string; see docs/configuration.md"),
        ("attempts = true", "expected an integer, found a boolean; see docs/configuration.md"),
        ('read_timeout = "2.5"', "expected a number, found a string; write 2.5"),
        ("read_timeout = 1979-05-27", "expected a number, found a date or time; see docs/configuration.md"),
        ("longest_wait = -1", "-1 is too small; use at least 0 and at most 86400"),
        ("read_timeout = nan", "expected a number > 0.0; see docs/configuration.md"),
        pytest.param(
            f"attempts = 0x{'f' * 5000}", "Expected `int` <= 20; see docs/configuration.md", id="thousands of digits"
        ),
        ("read_timeout = 0", "0 is too small; use more than 0 and at most 86400"),
        ("Attempt = 3", "unknown setting 'Attempt'; use attempts"),
    ],
)
def test_remedy_rewrites_the_value(setting, what):
    ((_, _, message),) = problems_of(f"[client]\n{setting}")
    assert message == what


@pytest.mark.parametrize(
    ("setting", "what"),
    [
        ('include = { paths = "a" }', 'expected an array, found a string; write ["a"]'),
        ("include = { paths = [1] }", 'expected a string, found an integer; write "1"'),
        ('hidden = "false"', "expected true or false, found a string; write false"),
        ('unsupported = "warning"', "unknown value 'warning'; use \"warn\""),
        ('unsupported = "x"', 'unknown value \'x\'; use one of "ignore", "warn", "raise"'),
        ("options = { classes = true }", 'unknown value true; use one of "none", "font", "properties"'),
    ],
)
def test_remedy_of_an_output_rewrites_the_value(setting, what):
    ((_, _, message),) = problems_of(f'[[outputs]]\nplatform = "css"\npath = "x"\n{setting}')
    assert message == what


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[outputs]\n", "expected an array, found a table; write its header in double brackets, [[ ]]"),
        (
            "[[client]]\n",
            "expected a table, found an array; write it as one table, with a header in single brackets, [ ]",
        ),
    ],
)
def test_remedy_for_the_wrong_kind_of_header(text, what):
    ((_, _, message),) = problems_of(text)
    assert message == what


def test_remedy_for_an_unknown_platform_is_the_most_similar_one():
    ((_, _, what),) = problems_of('[[outputs]]\nplatform = "Tailwnd"\npath = "x"')
    assert what == "unknown value 'Tailwnd'; use \"tailwind\""


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("file/KEY", "not a URL of figma.com; use the file's key, KEY"),
        (
            "https://example.com/design/abcDEF123/Name?node-id=1",
            "not a URL of figma.com; use the file's key, abcDEF123",
        ),
        ("https://www.figma.com/team/design/abcDEF123", "a page of figma.com, but not a file; use the file's key, abc"),
        ("   ", "no file; use the file's key, or its URL from the browser"),
        ("abc def", "a file key consists of 1 to 128 letters, digits, - and _; use the file's key, or its URL"),
        ("figd_abcdef", "looks like an access token, not a file; use the file's key, or its URL"),
        ("file/figd_abcdef", "not a URL of figma.com; use the file's key, or its URL"),
        ("https://www.figma.com/files/team/1", "a page of figma.com, but not a file; use the file's key, or its URL"),
    ],
)
def test_a_key_that_is_none_is_refused_offline_with_the_key_that_it_contains(key, what):
    ((code, where, message),) = problems_of(f'[[files]]\nname = "a"\nkey = "{key}"')
    assert (code, where) == ("config-invalid", "tokensync.toml:3:1 (#/files/0/key)")
    assert message.startswith(what)
    assert "figd_abcdef" not in message


@pytest.mark.parametrize("key", ["abc", "a-b_c", "https://www.figma.com/design/abc/Name", "abc/branch/def", " abc "])
def test_keys_and_addresses_are_accepted(key):
    assert parse_config(f'[[files]]\nname = "a"\nkey = "{key}"'.encode(), "tokensync.toml").files[0].key == key


FILES = '[[files]]\nname = "harbor"\nkey = "abc"\n'
MOVED = FILES + '[[moved]]\nkind = "{}"\nfrom = "{}"\nto = "{}"\n{}'
ALLOWED = FILES + '[[allow]]\nfinding = "delete mode"\nsubject = "x"\nfile = "harbour"\n'


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        *(
            (
                MOVED.format(kind, "a", "b", ""),
                "4:1 (#/moved/0)",
                f"'collection' is missing, which a {kind} needs; add the handle of the collection of 'b'",
            )
            for kind in ("token", "group", "mode")
        ),
        (
            MOVED.format("collection", "a", "b", 'collection = "c"'),
            "8:1 (#/moved/0/collection)",
            "a collection is in no other collection; remove it",
        ),
        (
            MOVED.format("collection", "a", "a", ""),
            "6:1 (#/moved/0/from)",
            "'a' is both the former and the present name; enter the former name, or remove the entry",
        ),
        (
            MOVED.format("collection", "a", "b", 'file = "harbour"'),
            "8:1 (#/moved/0/file)",
            "unknown design file 'harbour'; use \"harbor\"",
        ),
        (ALLOWED, "7:1 (#/allow/0/file)", "unknown design file 'harbour'; use \"harbor\""),
        (
            '[[allow]]\nfinding = "delete used"\nsubject = "*"\nshare = 0.5',
            "4:1 (#/allow/0/share)",
            'only "change much" has a threshold; remove it',
        ),
        (
            '[[lint.contrast]]\nforeground = []\nbackground = ["a/*"]',
            "2:1 (#/lint/contrast/0/foreground)",
            "it is empty; name the tokens by globs for COLLECTION/PATH",
        ),
        (
            "[[lint.vision]]\nmatch = []",
            "2:1 (#/lint/vision/0/match)",
            "it is empty; name the tokens by globs for COLLECTION/PATH",
        ),
        (
            '[[lint.naming]]\nmatch = ["a/*"]',
            "1:1 (#/lint/naming/0)",
            "it has neither case nor names; add case or names",
        ),
        (
            '[[lint.scales]]\nmatch = ["a/*"]\nstep = 0',
            "1:1 (#/lint/scales/0)",
            "it has neither step nor values; add step or values",
        ),
    ],
)
def test_a_row_that_can_have_no_effect_is_refused(text, where, what):
    assert problems_of(text) == [("config-invalid", f"tokensync.toml:{where}", what)]
