"""Names that no token has, and deprecated ones: found where they are certainly meant, and silence otherwise."""

import json
from pathlib import Path

import pytest
from commands.projects import output, project_in

from tokensync.code.checking import check_code
from tokensync.project.configuration import load_project
from tokensync.project.sources import from_project

PLATFORMS = ("css", "scss", "tailwind", "android", "compose", "ios", "typescript")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app").mkdir()
    project_in(tmp_path, outputs="".join(output(each, f"out/{each}") for each in PLATFORMS))
    return tmp_path


def tokens(names, prefix=()):
    """Write colours; the value of a name is ``$deprecated``, or an alias in braces with it."""
    tree = group = {}
    for each in ("theme", *prefix):
        group = group.setdefault(each, {})
    for name, about in names.items():
        *groups, last = name.split("/")
        parent = group
        for each in groups:
            parent = parent.setdefault(each, {})
        value, deprecated = about if isinstance(about, tuple) else (None, about)
        parent[last] = {"$type": "color", "$value": value or {"colorSpace": "srgb", "components": [1, 0, 0]}}
        if deprecated is not None:
            parent[last]["$deprecated"] = deprecated
    path = Path("tokens/one/theme/light.tokens.json")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(tree), encoding="utf-8")


NAMES = {"text/muted": None, "text/primary": None, "surface/raised": None}


def found(text, name="a.css", names=None, prefix=(), **others):
    """Return the written text and the remedy of each finding about names in a file of code."""
    tokens(names or NAMES, prefix)
    for path, content in {name: text, **others}.items():
        Path("app", path).write_text(content, encoding="utf-8")
    project = load_project()
    problems = check_code(project, from_project(project).graph, ["app"]).problems
    return [(each.names[0], each.what_to_do) for each in problems if each.code != "code-raw-value"]


@pytest.mark.parametrize(
    ("name", "text", "written", "suggestion"),
    [
        ("a.css", "a { color: var(--text-mutd) }", "--text-mutd", "--text-muted"),
        ("a.css", "a { color: var( --muted-text ) }", "--muted-text", "--text-muted"),
        ("a.css", "a { color: var(--textMuted) }", "--textMuted", "--text-muted"),
        ("a.css", "a { color: var(--text-mutd, red) }", "--text-mutd", "--text-muted"),
        ("a.vue", "<style>a { color: var(--text-mutd) }</style>", "--text-mutd", "--text-muted"),
        ("a.html", "<a style='color: var(--text-mutd)'>", "--text-mutd", "--text-muted"),
        ("a.tsx", "<a style={{ color: 'var(--text-mutd)' }}/>", "--text-mutd", "--text-muted"),
        ("a.tsx", '<a className="text-(--text-mutd)"/>', "--text-mutd", "--text-muted"),
        ("a.css", "a { color: theme(--color-text-mutd) }", "--color-text-mutd", "--color-text-muted"),
        ("a.scss", "a { color: $text-mutd }", "text-mutd", "text-muted"),
        ("a.tsx", '<a className="p-4 hover:bg-surface-rased/50"/>', "surface-rased", "surface-raised"),
        ("a.vue", '<template><a class="text-text-mutd"/></template>', "text-mutd", "text-muted"),
        ("a.kt", "val c = R.color.text_mutd", "text_mutd", "text_muted"),
        ("a.java", "int c = R.color.text_mutd;", "text_mutd", "text_muted"),
        ("a.xml", '<a b="@color/text_mutd"/>', "text_mutd", "text_muted"),
        ("a.swift", "let c = Tokens.tetMuted", "tetMuted", "textMuted"),
        ("a.kt", "val c = DesignTokens.theme.textMutd", "textMutd", "textMuted"),
        ("a.ts", "import { tokens } from './tokens';\nconst c = tokens.textMutd;", "textMutd", "textMuted"),
    ],
)
def test_a_misspelt_name_has_the_suggestion_in_its_form(name, text, written, suggestion):
    assert found(text, name) == [(written, f"write {suggestion}")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.css", "a { color: var(--text-muted) }"),
        ("a.css", "a { color: var(--brand) } /* var(--text-mutd) */"),
        ("a.css", "a { --text-mutd: red; color: var(--text-mutd) }"),
        ("a.css", "@property --text-mutd { syntax: '*' } a { color: var(--text-mutd) }"),
        ("a.css", "a { color: var(--text-muted, var(--text-mutd)) }"),
        ("a.tsx", "a.style.setProperty('--text-mutd', x); const b = 'var(--text-mutd)'"),
        ("a.tsx", "const b = `var(--text-mute${d})`"),
        ("a.md", "`var(--text-mutd)`"),
        ("a.scss", "@mixin a($text-mutd) { color: $text-mutd }"),
        ("a.scss", "$text-mutd: red; a { color: $text-mutd }"),
        ("a.scss", "@each $text-mutd, $b in $c { a { color: $text-mutd } }"),
        ("a.css", ".text-text-mutd { color: red } a { @apply text-text-mutd }"),
        ("a.tsx", '<a className="text-center border-dashed bg-slate-500 text-tiny"/>'),
        ("a.kt", "val c = android.R.color.text_mutd; val d = com.lib.R.color.text_mutd"),
        ("a.xml", '<r><color name="text_mutd">@android:color/white</color><a b="@color/text_mutd"/></r>'),
        ("a.swift", "enum Tokens {}\nextension Tokens { static let tetMuted = 1 }\nlet a = Tokens.tetMuted"),
        ("a.swift", 'let a = "Tokens.tetMuted" // Tokens.tetMuted'),
        ("a.swift", "let a = Tokens.self, b = Other.tetMuted, c = x.Tokens.tetMuted"),
        ("a.ts", "const tokens = lex(text);\nconst c = tokens.textMutd;"),
        ("a.css", "a { color: var(--x); width: var(--radix-popper-width) }"),
    ],
)
def test_a_name_that_may_be_something_else_is_no_finding(name, text):
    assert found(text, name) == []


def test_a_declaration_in_another_file_or_in_an_imported_package_counts():
    package = Path("node_modules/theme/dist/all.css")
    package.parent.mkdir(parents=True)
    package.write_text(":root { --text-mutd: red }", encoding="utf-8")
    text = "@import 'theme';\na { color: var(--text-mutd); background: var(--surface-rased) }"
    assert found(text, **{"b.scss": ":root { --surface-rased: red }"}) == []


def test_a_resource_that_is_a_file_of_its_name_is_declared():
    assert found('<a b="@color/text_mutd"/>', "a.xml", **{"text_mutd.xml": "<selector/>"}) == []


def test_the_prefix_of_all_tokens_makes_a_name_ours_unless_it_has_a_fallback(folder):
    project_in(folder, outputs=output("css", "out/css"))
    text = "a { color: var(--acme-nothing); background: var(--acme-own, red); margin: var(--other-nothing) }"
    assert found(text, prefix=("acme",)) == [("--acme-nothing", "write the name of a token, or declare it")]


DEPRECATED = {
    "text/muted": None,
    "text/quiet": ("{theme.text.muted}", True),
    "text/silent": "Use text.muted instead.",
    "text/faint": True,
}


@pytest.mark.parametrize(
    ("name", "text", "remedy"),
    [
        ("a.css", "a { color: var(--text-quiet) } /* --text-quiet */", "write --text-muted"),
        (
            "a.css",
            "a { color: var(--text-silent) }",
            "write --text-muted (its deprecation says: Use text.muted instead.)",
        ),
        ("a.css", "a { color: var(--text-faint) }", "use another token"),
        ("a.scss", "a { color: $text-quiet }", "write text-muted"),
        ("a.kt", "val c = R.color.text_quiet // R.color.text_quiet", "write text_muted"),
        ("a.xml", '<a b="@color/text_quiet"/>', "write text_muted"),
        ("a.swift", "let c = Tokens.textQuiet; let textQuiet = 1", "write textMuted"),
    ],
)
def test_a_deprecated_token_has_the_successor_that_the_graph_or_its_text_names(name, text, remedy):
    assert [to_do for _, to_do in found(text, name, DEPRECATED)] == [remedy]


def test_only_the_target_of_an_alias_is_written_for_a_deprecated_token():
    tokens(DEPRECATED)
    Path("app/a.css").write_text("a { color: var(--text-quiet); background: var(--text-silent) }", encoding="utf-8")
    project = load_project()
    checked = check_code(project, from_project(project).graph, ["app"], corrects=True)
    assert [edit.text for edits in checked.edits.values() for edit in edits] == ["--text-muted"]
