"""``tokensync init --names-from`` proposes the naming that gives tokens the names in code."""

import json
import tomllib

import pytest
from commands.projects import output, pulled_in, tokensync
from design_file import collection as design_collection
from design_file import color, response, variable
from graphs import collection, graph, token
from graphs import color as literal

from tokensync.commands.proposed_names import proposed_names
from tokensync.system.errors import UsageError

NAMES = ("bgColor/accent-emphasis", "bgColor/muted", "space/gray/500", "gray/2xl", "fgColor/onEmphasis")


def tokens(*names, code_syntax=()):
    """A graph with these tokens in the collection *My modes*."""
    of = collection("My modes")
    syntax = dict(zip(names, code_syntax, strict=False))
    return graph(
        of,
        *(
            token(of, name, literal("#000000"), code_syntax=(("WEB", syntax[name]),) if name in syntax else ())
            for name in names
        ),
    )


def lines(made, path):
    """The proposals as (matches, line)."""
    return [(each.matches, each.line) for each in proposed_names(made, str(path)).proposals]


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        (
            "a.css",
            ":root { --bgColor-accent-emphasis: red; --bgColor-muted: red; --space-gray-500: red; --gray-2xl: red }",
            "{{ path | join('-') }}",
        ),
        ("a.css", "--ds-bg-color-muted:#000;--ds-gray-2xl:#000;--ds-space-gray-500:#000;", "ds-{{ path | kebab }}"),
        ("a.css", "--bg-color-muted:#000;--space-gray500:#000;", "{{ path | kebab('joined') }}"),
        ("a.css", "--bg-color-muted:#000;--gray-2-xl:#000;", "{{ path | kebab('apart') }}"),
        ("a.css", "--bgColor-accentEmphasis:#000;--gray-2xl:#000;", "{{ path | map('camel') | join('-') }}"),
        ("a.scss", "$bg_color_muted: #000;\n$gray_2xl: #000;", "{{ path | snake }}"),
        (
            "a.xml",
            '<color name="ds_bg_color_muted">#000</color><dimen name="ds_gray_2xl">1dp</dimen>',
            "ds_{{ path | snake }}",
        ),
        ("A.kt", "val BgColorMuted = Color(1)\n  val Gray2xl: Color = 1", "{{ path | pascal }}"),
        ("A.swift", "static let dsBgColorMuted: Color = x\nvar dsGray2xl = 1", "ds{{ path | pascal }}"),
        ("a.ts", "export const BG_COLOR_MUTED = 1;\n  SPACE_GRAY_500: '#000',", "{{ path | constant }}"),
    ],
)
def test_the_best_proposal_is_the_spelling_of_the_code(tmp_path, file, text, line):
    """Case, separators, a prefix, the collection, and numbers apart or joined; all names of the file match."""
    (tmp_path / file).write_text(text, encoding="utf-8")
    proposed = proposed_names(tokens(*NAMES), str(tmp_path / file))
    best = proposed.proposals[0]
    assert (best.line, best.matches) == (f'naming = {{ template = "{line}" }}', proposed.names)


@pytest.mark.parametrize(
    ("second", "parts"),
    [("other-modes", "((handle,) + path)"), ("other", "((handle.split('-')[0],) + path)"), ("", "path[1:]")],
)
def test_the_collection_or_its_first_word_can_be_in_names(tmp_path, second, parts):
    """And so can all groups but the outermost one."""
    mine, other = collection("My modes"), collection("Other modes")
    made = graph(
        mine, other, token(mine, "a/bg/page", literal("#000000")), token(other, "b/fg/page", literal("#000000"))
    )
    names = {"other-modes": "my-modes-a-bg-page", "other": "my-a-bg-page", "": "bg-page"}[second]
    others = f"{second}-b-fg-page" if second else "fg-page"
    (tmp_path / "a.css").write_text(f"--{names}:red;--{others}:red", encoding="utf-8")
    assert lines(made, tmp_path / "a.css")[0] == (2, f'naming = {{ template = "{{{{ {parts} | kebab }}}}" }}')


def test_no_line_is_proposed_where_the_default_names_fit(tmp_path):
    """The proposal says so with an empty line; fewer matches come after it."""
    (tmp_path / "a.css").write_text("--bg-color-muted: red; --gray-2xl: red", encoding="utf-8")
    assert lines(tokens(*NAMES), tmp_path / "a.css")[0] == (2, "")


def test_code_syntax_is_ignored_only_where_the_code_does_not_follow_it(tmp_path):
    """Code syntax that says other names than the code costs a setting."""
    made = tokens(*NAMES, code_syntax=("--a", "--b"))
    (tmp_path / "a.css").write_text("--bgColor-accent-emphasis: red; --bgColor-muted: red", encoding="utf-8")
    line = """naming = { template = "{{ path | join('-') }}", code_syntax = "ignore" }"""
    assert lines(made, tmp_path / "a.css")[0] == (2, line)
    (tmp_path / "a.css").write_text("--a: red; --b: red; --fgColor-onEmphasis: red", encoding="utf-8")
    assert lines(made, tmp_path / "a.css")[0] == (3, """naming = { template = "{{ path | join('-') }}" }""")


def test_names_of_no_known_spelling_give_no_proposal(tmp_path):
    (tmp_path / "a.css").write_text("--quite-different: red", encoding="utf-8")
    assert lines(tokens(*NAMES), tmp_path / "a.css") == []


@pytest.mark.parametrize(
    ("file", "text", "what"),
    [
        ("a.py", "x = 1", "no known language; name a file that ends in .css, .scss"),
        ("a.css", "a{}", "it declares no names"),
    ],
)
def test_a_file_without_names_is_a_usage_error(tmp_path, file, text, what):
    (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=what):
        proposed_names(tokens(*NAMES), str(tmp_path / file))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("file", "text"), [("a.css", "-"), ("a.ts", "\n"), ("a.xml", "<color ")])
def test_the_time_to_read_a_file_is_linear_in_its_size(tmp_path, file, text):
    (tmp_path / file).write_text(text * 1_000_000, encoding="utf-8")
    with pytest.raises(UsageError, match="it declares no names"):
        proposed_names(tokens(*NAMES), str(tmp_path / file))


def test_an_existing_project_gets_the_line_printed_and_stays_as_it_is(folder):
    """With the line, the build has the names of the file."""
    pulled_in(folder, outputs=output("css", "out"))
    (folder / "team.css").write_text(":root { --SLATE: red; --TEXT_MUTED: red }", encoding="utf-8")
    config = folder / "tokensync.toml"
    before = config.read_text("utf-8")
    document = json.loads(tokensync("init", "--names-from", "team.css", "--json").output)
    line = """naming = { template = "{{ path | constant }}" }"""
    assert document["written"] == []
    assert document["names"]["platform"] == "css"
    assert document["names"]["proposals"][0] == {"matches": 2, "line": line}
    assert f"2 tokens: {line}\n" in tokensync("init", "--names-from", "team.css").stderr
    assert config.read_text("utf-8") == before
    config.write_text(f"{before}{line}\n", encoding="utf-8")
    tokensync("build")
    assert "  --TEXT_MUTED: var(--SLATE);" in (folder / "out" / "tokens.css").read_text("utf-8")


def test_a_new_project_with_a_saved_response_gets_the_line(repository):
    """In the output of the platform; others stay without it."""
    theme = design_collection("VariableCollectionId:1:1")
    ink = variable("VariableID:1:2", "bgColor/onEmphasis", theme, "COLOR", (color(), color()))
    (repository / "saved.json").write_bytes(response([theme], [ink]))
    (repository / "team.css").write_text("--bgColor-onEmphasis: red", encoding="utf-8")
    tokensync("init", "--yes", "--names-from", "team.css", "--platform", "css", "--platform", "ios")
    css, ios = tomllib.loads((repository / "tokensync.toml").read_text("utf-8"))["outputs"]
    assert css["naming"] == {"template": "{{ path | join('-') }}"}
    assert "naming" not in ios


def test_a_new_project_without_tokens_has_to_pull_first(folder):
    (folder / "team.css").write_text("--a: red", encoding="utf-8")
    done = tokensync("init", "--yes", "--names-from", "team.css", code=2)
    assert "then tokensync pull, then init --names-from team.css" in done.stderr
    assert not (folder / "tokensync.toml").exists()
