"""The search for the names of tokens in code, in the forms of each language."""

import json
import os
from pathlib import Path

import pytest
from commands.projects import output, project_in, tokensync

from tokensync.code.search import search_code
from tokensync.project.configuration import load_project
from tokensync.project.sources import from_project
from tokensync.system.errors import UsageError

NAMES = ("accent", "accent/muted", "text/primary", "shade/500")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app").mkdir()
    return tmp_path


def project_with(folder, *platforms, names=NAMES, code_syntax=None, more=()):
    outputs = "".join(output(each, f"out/{each}", *more) for each in platforms)
    project_in(folder, outputs=outputs)
    tree = {"theme": {}}
    for name in names:
        *groups, last = name.split("/")
        group = tree["theme"]
        for each in groups:
            group = group.setdefault(each, {})
        token = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}}
        if code_syntax and name in code_syntax:
            token["$extensions"] = {"com.figma.codeSyntax": code_syntax[name]}
        if any(each.startswith(f"{name}/") for each in names):
            group[last] = {"$root": token}
        else:
            group[last] = token
    path = folder / "tokens" / "one" / "theme" / "light.tokens.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(tree), encoding="utf-8")


def used(*paths):
    """Return the places of each token that code uses, by its name."""
    project = load_project()
    searched = search_code(project, from_project(project).graph, paths or ("app",))
    return {
        key.path.replace(".$root", "").replace(".", "/"): [(use.path, use.line) for use in uses]
        for key, uses in searched.uses.items()
    }


def code(name, text):
    path = Path("app", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


SNIPPETS = [
    ("css", "a.css", "a { color: var(--text-primary); }", {"text/primary"}),
    ("css", "a.css", "a { color: var( --accent-muted , #fff ) }", {"accent/muted"}),
    ("css", "a.css", "a { color: var(--accent-muted-2); --x-text-primary: 1; }", set()),
    ("css", "a.css", "/* accent, text-primary, $accent */", set()),
    ("css", "a.tsx", "el.style.getPropertyValue('--accent')", {"accent"}),
    ("css", "a.tsx", "const c = `var(--accent-${kind})`", {"accent/muted"}),
    ("css", "a.tsx", 'const c = "--text-" + kind', {"text/primary"}),
    ("css", "a.vue", "<p class='bg-(--accent) p-[var(--shade-500)]'>", {"accent", "shade/500"}),
    ("scss", "a.scss", "a { color: tokens.$text-primary; b: $accent-muted2 }", {"text/primary"}),
    ("scss", "a.scss", 'a { color: map.get($tokens, "accent-muted") }', {"accent/muted"}),
    (
        "tailwind",
        "a.html",
        '<p class="hover:bg-accent-muted/50 md:text-text-primary">',
        {"accent/muted", "text/primary"},
    ),
    ("tailwind", "a.html", '<p class="bg-muted">', set()),
    ("android", "A.kt", "colorResource(R.color.text_primary)", {"text/primary"}),
    ("android", "A.java", "ContextCompat.getColor(this, R.color.accent)", {"accent"}),
    (
        "android",
        "a.xml",
        '<View android:background="@color/accent" app:tint="?attr/accent_muted"/>',
        {"accent", "accent/muted"},
    ),
    ("android", "A.kt", 'getIdentifier("accent", "color", packageName)', {"accent"}),
    ("android", "A.kt", "val accent = 1 // the accent", set()),
    ("android", "a.css", ".x { background: R.color.accent }", set()),
    ("compose", "A.kt", "Text(color = AppTheme.colors.textPrimary)", {"text/primary"}),
    ("compose", "A.kt", "import com.acme.Tokens.accent", {"accent"}),
    ("compose", "A.kt", "val accent = 1", set()),
    ("flutter", "a.dart", "color: context.themeTokens.textPrimary", {"text/primary"}),
    ("flutter", "A.kt", "DesignTokens.accent", set()),
    ("ios", "A.swift", "view.tintColor = Tokens.accent", {"accent"}),
    (
        "ios",
        "A.swift",
        'Color("accentMuted"); Text(x).tint(.textPrimary)',
        {"accent/muted", "text/primary"},
    ),
    ("ios", "A.swift", "let accentuate = 1; let accent = 2", set()),
    ("typescript", "a.ts", 'import { accent, textPrimary } from "./tokens"', {"accent", "text/primary"}),
    ("typescript", "a.ts", "tokens.shade500 + accents", {"shade/500"}),
    ("react-native", "a.tsx", "const { accent } = useTokens();", {"accent"}),
    ("react-native", "A.kt", "val accent = 1", set()),
    ("json", "a.js", 'tokens["accent-muted"]', {"accent/muted"}),
    ("template", "a.dart", "Tokens.accent + textPrimary; accentMuted2; accent", {"accent", "text/primary"}),
    ("template", "a.rb", "token 'text/primary'; token \"accent.muted\"", {"text/primary", "accent/muted"}),
]


@pytest.mark.parametrize(("platform", "name", "text", "expected"), SNIPPETS)
def test_names_are_found_in_the_forms_of_their_language_and_no_others(folder, platform, name, text, expected):
    more = ('options = { package = "a.b" }',) if platform == "compose" else ()
    if platform == "template":
        (folder / "mine").mkdir()
        more = ('templates = "mine"', 'options = { files = [{ template = "x.j2", path = "x.dart" }] }')
    project_with(folder, platform, more=more)
    code(name, f"\n{text}\n")
    found = used()
    assert set(found) == expected
    assert {place for places in found.values() for place in places} <= {(os.path.join("app", name), 2)}


def test_names_in_code_syntax_are_found_although_no_output_uses_them(folder):
    syntax = {"WEB": "theme.colors.fg", "ANDROID": "R.color.fg_default", "iOS": "DS.Color.foreground"}
    project_with(folder, "css", code_syntax={"text/primary": syntax}, more=('naming = { code_syntax = "ignore" }',))
    assert set(_found("a.tsx", "theme.colors.fg")) == {"text/primary"}
    assert set(_found("a.tsx", "theme.colors.fgMuted")) == set()
    assert set(_found("a.xml", "@color/fg_default")) == {"text/primary"}
    assert set(_found("a.swift", "x = DS.Color.foreground")) == {"text/primary"}


def _found(name, text):
    for each in Path("app").iterdir():
        each.unlink()
    code(name, text)
    return used()


def test_constants_are_found_that_are_nested_by_path(folder):
    project_with(folder, "ios", more=('options = { nested = "path", name = "DS" }',))
    assert set(_found("a.swift", "x = DS.Text.primary.opacity(0.5)")) == {"text/primary"}
    assert set(_found("a.swift", "x = DS.Text.primaryInverse; y = Text.primary")) == set()


def test_a_prefix_is_part_of_the_name(folder):
    project_with(folder, "css", more=('naming = { prefix = "acme" }',))
    code("a.css", "a { color: var(--accent); b: var(--acme-text-primary) }")
    assert set(used()) == {"text/primary"}


def test_what_tokensync_wrote_is_no_code(folder):
    project_with(folder, "css", "scss", "android", "ios", "json", "tailwind", "typescript")
    tokensync("build", "-q")
    tokensync("report", "-q")
    code("a.css", "a { color: var(--accent) }")
    code("copied/tokens.css", Path("out/css/tokens.css").read_text(encoding="utf-8"))
    Path("saved.json").write_text(
        '{"meta": {"variables": {}, "variableCollections": {"x": "var(--text-primary)"}}}', encoding="utf-8"
    )
    assert used(".") == {"accent": [(os.path.join(".", "app", "a.css"), 1)]}
    assert used("out", "app") == {"accent": [(os.path.join("app", "a.css"), 1)]}


def test_a_manifest_of_the_checkout_cannot_hide_code(folder):
    project_with(folder, "css")
    code("a.css", "a { color: var(--accent) }")
    entry = {"path": "a.css", "platform": "css", "output": "0" * 64}
    code("tokensync.outputs.json", json.dumps({"outputs": [entry]}))
    assert set(used()) == {"accent"}


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege there")
def test_packages_links_binaries_and_large_files_are_not_searched(folder):
    project_with(folder, "css")
    text = "a { color: var(--accent) }"
    for path in ("node_modules/x/a.css", ".git/a.css", "Pods/a.css"):
        code(path, text)
    code("b.css", "a { color: var(--text-primary) }")
    Path("app/binary.css").write_bytes(b"\0" + text.encode())
    Path("app/large.css").write_bytes(text.encode() + b" " * (4 << 20))
    Path("elsewhere").mkdir()
    Path("elsewhere/a.css").write_text(text, encoding="utf-8")
    Path("app/link").symlink_to("../elsewhere")
    Path("app/link.css").symlink_to("../elsewhere/a.css")
    assert set(used()) == {"text/primary"}
    done = tokensync("tokens", "unused", "--offline", "--code", "app")
    assert "app/large.css: larger than 4 MiB" in done.stderr
    assert set(used("app", "elsewhere")) == {"text/primary", "accent"}


def test_a_missing_path_and_a_folder_without_code_are_refused(folder):
    project_with(folder, "css")
    with pytest.raises(UsageError, match="no such file or folder"):
        used("nowhere")
    with pytest.raises(UsageError, match="there is no code"):
        used("app")
    assert "--code nowhere" in tokensync("tokens", "unused", "--offline", "--code", "nowhere", code=2).stderr
