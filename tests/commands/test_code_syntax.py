"""Code syntax that is written back is what the outputs emit, and writing it changes no name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from commands.projects import output, project_in, quickstart_in
from corpus.building import each_corpus_file, published_of
from graphs import collection, color, graph, token
from msgspec.structs import replace

from tokensync.commands.plan import code_syntaxes
from tokensync.naming import references_for
from tokensync.project.configuration import load_project
from tokensync.project.configured_outputs import request_of
from tokensync.project.sources import from_project, from_snapshot
from tokensync.targets import generate, naming_of
from tokensync.tokens import CODE_SYNTAX_PLATFORMS, TokenGraph, TokenKey

if TYPE_CHECKING:
    from pathlib import Path

THREE = output("css", "web") + output("android", "android") + output("ios", "ios")


def with_texts(before: TokenGraph, wanted) -> TokenGraph:
    """Return the graph after applying and pulling the code syntax."""
    tokens = [
        replace(each, code_syntax=tuple(sorted({**dict(each.code_syntax), **wanted.get(each.key, {})}.items())))
        for each in before.tokens.values()
    ]
    return TokenGraph(before.collections.values(), tokens)


def files_of(project, of) -> dict[str, bytes]:
    """Return all output files of a graph."""
    return {
        f"{at}/{file.path}": file.content
        for at, config in enumerate(project.config.outputs)
        for file in generate(of, request_of(config, of, project))[0]
    }


def project_with(folder: Path, outputs: str):
    return load_project(str(project_in(folder, outputs=outputs, files=("design",)) / "tokensync.toml"))


THEME = collection("Theme", "Light", "Dark")
KIT = graph(
    THEME,
    token(THEME, "accent/base", color("#112233")),
    token(THEME, "accent base", color("#445566")),
    token(THEME, "gap", 4, type="dimension", code_syntax=(("WEB", "var(--gap) /* p-4 */"),)),
    token(THEME, "class", color("#000000"), code_syntax=(("ANDROID", "R.color.klass"), ("iOS", "9 lives"))),
    token(THEME, "label", "Hello", type="string"),
    token(THEME, "shadow", color("#000000"), type="shadow"),
)


class TestTexts:
    def test_web_is_a_var_and_the_others_are_names(self, folder):
        found = code_syntaxes(project_with(folder, THREE), KIT, CODE_SYNTAX_PLATFORMS)
        texts = {key.path: dict(each) for key, each in found.wanted.items()}
        assert texts["accent.base"] == {"WEB": "var(--accent-base)", "ANDROID": "accent_base", "iOS": "accentBase"}
        assert texts["accent base"]["WEB"] == "var(--theme-accent-base)"
        assert texts["label"]["ANDROID"] == "label"
        assert found.problems == ()

    def test_what_names_the_very_identifier_stays_as_it_was_written(self, folder):
        wanted = code_syntaxes(project_with(folder, THREE), KIT, CODE_SYNTAX_PLATFORMS).wanted
        texts = {key.path: dict(each) for key, each in wanted.items()}
        assert set(texts["gap"]) == {"ANDROID", "iOS"}
        assert "ANDROID" not in texts["class"]

    def test_what_is_no_identifier_is_refreshed(self, folder):
        wanted = code_syntaxes(project_with(folder, THREE), KIT, ("iOS",)).wanted
        assert wanted[TokenKey("design", "theme", "class")] == {"iOS": "class"}

    def test_only_requested_platforms_are_planned(self, folder):
        wanted = code_syntaxes(project_with(folder, THREE), KIT, ("ANDROID",)).wanted
        assert {platform for each in wanted.values() for platform in each} == {"ANDROID"}

    def test_what_is_no_variable_has_none(self, folder):
        wanted = code_syntaxes(project_with(folder, THREE), KIT, CODE_SYNTAX_PLATFORMS).wanted
        assert TokenKey("design", "theme", "shadow") not in wanted

    def test_without_an_output_the_default_names_count(self, folder):
        wanted = code_syntaxes(project_with(folder, ""), KIT, ("WEB",)).wanted
        assert wanted[TokenKey("design", "theme", "accent.base")] == {"WEB": "var(--accent-base)"}

    @pytest.mark.parametrize(
        ("platform", "syntax", "text"),
        [
            ("scss", "WEB", "$accent-base"),
            ("typescript", "WEB", "var(--accent-base)"),
            ("compose", "ANDROID", "accentBase"),
        ],
    )
    def test_the_names_are_those_of_the_output_that_there_is(self, folder, platform, syntax, text):
        wanted = code_syntaxes(project_with(folder, output(platform, "x")), KIT, (syntax,)).wanted
        assert wanted[TokenKey("design", "theme", "accent.base")] == {syntax: text}

    def test_what_the_output_leaves_out_is_left_alone(self, folder):
        project = project_with(folder, output("css", "x", 'include = { paths = ["accent*"] }'))
        assert {key.path for key in code_syntaxes(project, KIT, ("WEB",)).wanted} == {"accent.base", "accent base"}

    def test_of_two_outputs_the_first_names_what_both_declare(self, folder):
        outputs = output("css", "a", 'include = { paths = ["gap"] }', 'naming = { prefix = "one" }') + output(
            "css", "b"
        )
        found = code_syntaxes(project_with(folder, outputs), KIT, ("WEB",))
        assert found.wanted[TokenKey("design", "theme", "label")] == {"WEB": "var(--label)"}


class TestNamesAreStable:
    @pytest.mark.parametrize(
        "outputs",
        [
            THREE,
            output("css", "x", 'naming = { prefix = "acme", suffix = "token" }'),
            output("css", "x", 'naming = { code_syntax = "ignore" }'),
            output("scss", "x"),
            output("typescript", "x"),
            output("compose", "x"),
        ],
    )
    def test_the_outputs_are_the_same_bytes_afterwards_and_nothing_is_wanted_any_more(self, folder, outputs):
        project = project_with(folder, outputs)
        found = code_syntaxes(project, KIT, CODE_SYNTAX_PLATFORMS)
        assert found.problems == ()
        after = with_texts(KIT, found.wanted)
        assert files_of(project, after) == files_of(project, KIT)
        again = code_syntaxes(project, after, CODE_SYNTAX_PLATFORMS)
        assert (again.wanted, again.problems) == ({}, ())

    def test_extending_what_was_written_would_go_on_for_ever_and_is_an_error(self, folder):
        project = project_with(folder, output("css", "x", 'naming = { prefix = "acme", code_syntax = "extend" }'))
        (found,) = code_syntaxes(project, KIT, ("WEB",)).problems
        assert (found.severity, found.code) == ("error", "code-syntax-unstable")
        assert "/outputs/0" in found.where

    def test_an_output_whose_names_would_change_is_reported(self, folder):
        outputs = output("css", "a", 'naming = { prefix = "acme" }') + output("scss", "b")
        (found,) = code_syntaxes(project_with(folder, outputs), KIT, ("WEB",)).problems
        assert (found.severity, found.code) == ("warning", "code-syntax-renames")
        assert "/outputs/1" in found.where
        assert "$accent-base becomes $acme-accent-base" in found.what

    def test_a_name_that_cannot_be_code_syntax_is_reported(self, folder):
        project = project_with(folder, output("ios", "x", 'templates = "own"'))
        (folder / "own" / "codesyntax").mkdir(parents=True)
        (folder / "own" / "codesyntax" / "ios.j2").write_text("क्षमा\n", encoding="utf-8")
        found = code_syntaxes(project, graph(THEME, token(THEME, "pardon", color("#000000"))), ("iOS",))
        assert found.wanted == {}
        assert [each.code for each in found.problems] == ["code-syntax-unwritable"]

    def test_the_quickstart_is_named_as_its_files_are(self, folder):
        project = load_project(str(quickstart_in(folder / "harbor") / "tokensync.toml"))
        before = from_project(project).graph
        found = code_syntaxes(project, before, CODE_SYNTAX_PLATFORMS)
        after = with_texts(before, found.wanted)
        made = files_of(project, before)
        assert files_of(project, after) == made
        css = b"".join(content for path, content in made.items() if path.startswith("0/")).decode()
        declared = set(re.findall(r"^\s*(--[\w-]+):", css, re.MULTILINE))
        written = {each["WEB"] for each in found.wanted.values() if "WEB" in each}
        assert len(written) > 50
        assert {text.removeprefix("var(").removesuffix(")") for text in written} <= declared

    @each_corpus_file
    def test_every_real_file_keeps_its_names(self, folder, response):
        if response is None:
            return
        source = from_snapshot(str(response), str(published_of(response)) if published_of(response) else None)
        project = project_with(folder, THREE)
        found = code_syntaxes(project, source.graph, CODE_SYNTAX_PLATFORMS)
        after = with_texts(source.graph, found.wanted)
        names = {}
        for at, config in enumerate(project.config.outputs):
            from tokensync.commands.plan import _identifiers

            names[at] = _identifiers(project, source.graph, config)
            assert _identifiers(project, after, config) == names[at]
        assert code_syntaxes(project, after, CODE_SYNTAX_PLATFORMS).wanted == {}
        for key, texts in found.wanted.items():
            if "WEB" in texts:
                assert texts["WEB"] == references_for(after, {key: names[0][key]}, naming_of("css"))[key]
