"""Code syntax that is written back is what the outputs emit, and writing it changes no name."""

import json
import re
from pathlib import Path

import design_file
import pytest
from commands.projects import output, project_in, quickstart_in, tokensync
from corpus.building import each_corpus_file, published_of
from generate.targets.cases import CASES
from graphs import collection, color, graph, token
from msgspec.structs import replace

from tokensync.cli.console import lines_of
from tokensync.commands.plan import code_syntaxes
from tokensync.generate.naming import names_for
from tokensync.generate.targets import generate, naming_of
from tokensync.project.code_references import undeclared
from tokensync.project.configuration import load_project
from tokensync.project.configured_outputs import names_on_platforms, naming_by_platform, request_of
from tokensync.project.sources import from_project, from_snapshot
from tokensync.system.errors import ConfigurationError
from tokensync.tokens import CODE_SYNTAX_PLATFORMS, TokenGraph, TokenKey

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
    def test_a_text_is_what_code_writes_to_use_the_token(self, folder):
        found = code_syntaxes(project_with(folder, THREE), KIT, CODE_SYNTAX_PLATFORMS)
        texts = {key.path: dict(each) for key, each in found.wanted.items()}
        assert texts["accent.base"] == {
            "WEB": "var(--accent-base)",
            "ANDROID": "R.color.accent_base",
            "iOS": "Color.accentBase",
        }
        assert texts["accent base"]["WEB"] == "var(--theme-accent-base)"
        assert texts["label"] == {"WEB": "var(--label)", "ANDROID": "R.string.label", "iOS": "Tokens.label"}
        assert found.problems == ()

    def test_constants_nested_by_path_are_read_back(self, folder):
        """Whatever the groups are called, except where a group has the name twice."""
        before, _ = CASES["ios/nested-by-path"]
        project = project_with(folder, output("ios", "x", 'options = { nested = "path" }'))
        found = code_syntaxes(project, before, ("iOS",))
        texts = {key.path: of_token["iOS"] for key, of_token in found.wanted.items()}
        assert texts["type.init"] == "Tokens.Type_.`init`"
        assert texts["font.weight.strong"] == "Tokens.Font.Weight.strong"
        assert texts["button.color.size"] == "Tokens.Button.Color.size"
        assert texts["gray.500.hover"] == "Color.gray500Hover"
        after = with_texts(before, found.wanted)
        assert files_of(project, after) == files_of(project, before)
        assert [*undeclared(after, project.config.outputs, project)] == []
        assert {each.code for each in found.problems} <= {"identifier-collision"}

    def test_what_names_the_very_identifier_stays_as_it_was_written(self, folder):
        wanted = code_syntaxes(project_with(folder, THREE), KIT, CODE_SYNTAX_PLATFORMS).wanted
        texts = {key.path: dict(each) for key, each in wanted.items()}
        assert set(texts["gap"]) == {"ANDROID", "iOS"}
        assert "ANDROID" not in texts["class"]

    def test_what_is_no_identifier_is_refreshed(self, folder):
        wanted = code_syntaxes(project_with(folder, THREE), KIT, ("iOS",)).wanted
        assert wanted[TokenKey("design", "theme", "class")] == {"iOS": "Color.`class`"}

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
            ("compose", "ANDROID", "DesignTokens.theme.accentBase"),
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
            output("css", "x", """naming = { template = "{{ path | join('_') }}", prefix = "acme" }"""),
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

    def test_the_line_of_the_configuration_is_what_is_written(self, folder):
        """So is a template of the team: Dev Mode shows what the outputs declare."""
        made = graph(THEME, token(THEME, "bgColor/onEmphasis", color("#000000")))
        line = """naming = { template = "ds-{{ path | join('-') }}" }"""
        (texts,) = code_syntaxes(project_with(folder, output("css", "x", line)), made, ("WEB",)).wanted.values()
        assert texts["WEB"] == "var(--ds-bgColor-onEmphasis)"
        (folder / "own" / "codesyntax").mkdir(parents=True)
        template = "{% for token in tokens %}{{ token.path | pascal }}\n{% endfor %}"
        (folder / "own" / "codesyntax" / "android.j2").write_text(template, encoding="utf-8")
        project = project_with(folder, output("android", "x", 'templates = "own"'))
        (texts,) = code_syntaxes(project, made, ("ANDROID",)).wanted.values()
        assert texts["ANDROID"] == "R.color.BgColorOnEmphasis"

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
                assert texts["WEB"] == f"var({names[0][key]})"


def forms(**tables):
    """Return ``[code_syntax]`` tables from platform to the text to write."""
    return "".join(f"[code_syntax.{platform}]\nwrite = '{text}'\n" for platform, text in tables.items())


class TestForms:
    @pytest.mark.parametrize(
        ("platform", "syntax", "form", "path", "text"),
        [
            ("css", "WEB", "--{name}", "accent.base", "--accent-base"),
            ("css", "WEB", "var(--{name})", "accent.base", "var(--accent-base)"),
            ("css", "WEB", "${name}", "accent.base", "$accent-base"),
            ("css", "WEB", "tokens.{name}", "label", "tokens.label"),
            ("scss", "WEB", "${name}", "accent.base", "$accent-base"),
            ("android", "ANDROID", "R.{resource}.{name}", "accent.base", "R.color.accent_base"),
            ("android", "ANDROID", "R.{resource}.{name}", "gap", "R.dimen.gap"),
            ("android", "ANDROID", "@{resource}/{name}", "label", "@string/label"),
            ("compose", "ANDROID", "AppTheme.{name}", "accent.base", "AppTheme.accentBase"),
            ("ios", "iOS", ".{name}", "accent.base", ".accentBase"),
            ("ios", "iOS", "DS.token(.{name})", "accent.base", "DS.token(.accentBase)"),
        ],
    )
    def test_the_configured_form_is_written_and_read_back(self, folder, platform, syntax, form, path, text):
        key = {"WEB": "web", "ANDROID": "android", "iOS": "ios"}[syntax]
        project = project_with(folder, output(platform, "x") + forms(**{key: form}))
        found = code_syntaxes(project, KIT, (syntax,))
        assert found.wanted[TokenKey("design", "theme", path)][syntax] == text
        assert found.problems == ()
        after = with_texts(KIT, found.wanted)
        assert code_syntaxes(project, after, (syntax,)).wanted == {}

    def test_an_invalid_form_is_an_error_of_the_configuration(self, folder):
        tables = "[code_syntax.ios]\nwrite = 'DS.{resource}.{name}'\nread = ['DS.x']\n"
        with pytest.raises(ConfigurationError) as caught:
            project_with(folder, tables)
        problems = [f"{each.where.partition('(')[2]} {each.what}" for each in caught.value.problems]
        assert problems == [
            "#/code_syntax/ios/read/0) 'DS.x' must contain {name} once",
            "#/code_syntax/ios/write) 'DS.{resource}.{name}' contains {resource}, which only Android has",
        ]

    def test_patterns_name_tokens_in_builds_and_lists(self, folder):
        tables = "[code_syntax.ios]\nread = ['ds(*, {name})']\n"
        kit = graph(THEME, token(THEME, "a", color("#000000"), code_syntax=(("iOS", "ds(Color, accent)"),)))
        project = project_with(folder, output("ios", "x") + tables)
        files, problems = generate(kit, request_of(project.config.outputs[0], kit, project))
        assert not problems
        assert any(b"accent" in each.content for each in files)
        names = names_on_platforms(kit, naming_by_platform(project), ["ios"])
        assert [*names.identifiers["ios"].values()] == ["accent"]


class TestOverwriting:
    """What a designer wrote is replaced only if somebody confirms it."""

    @pytest.fixture
    def project(self, folder):
        project_in(folder, outputs=output("android", "x"))
        owner = design_file.collection("VariableCollectionId:1:1", "Theme")
        made = {
            "accent": {"ANDROID": "android.R.color.white"},
            "card": {},
            "ink": {"ANDROID": "R.color.deep_ink", "WEB": "var(--ink)"},
        }
        variables = [
            design_file.variable(
                f"VariableID:1:{number}", name, owner, "COLOR", [design_file.color()] * 2, codeSyntax=texts
            )
            for number, (name, texts) in enumerate(made.items())
        ]
        (folder / "local.json").write_bytes(design_file.response([owner], variables))
        tokensync("-q", "emulator", "seed", "local.json", "--key", "key-one")
        tokensync("-q", "pull")
        return folder

    def plan(self):
        tokensync("-q", "plan", "--code-syntax", "android")
        (plan,) = json.loads(Path(".tokensync/plan.json").read_text("utf-8"))["plans"]
        return plan

    def test_each_variable_is_a_finding_with_both_texts(self, project):
        (finding,) = self.plan()["findings"]
        assert finding == {
            "kind": "overwrite code syntax",
            "subject": "theme/accent",
            "what": "its code syntax is replaced: ANDROID 'android.R.color.white' becomes 'R.color.accent'",
            "allowed": False,
        }

    def test_an_apply_needs_an_option_of_its_own(self, project):
        shown = tokensync("plan", "--code-syntax", "android")
        assert "To allow all of them, run tokensync apply --overwrite-code-syntax, or add" in shown.output
        assert shown.stderr.endswith("run: tokensync apply --overwrite-code-syntax\n")
        for options in ((), ("--force",)):
            refused = tokensync("apply", *options, code=4).stderr
            assert "overwrite code syntax theme/accent" in refused
            assert f"apply it with {' '.join((*options, '--overwrite-code-syntax'))} to allow" in refused
        tokensync("-q", "apply", "--overwrite-code-syntax")
        assert "nothing to do" in tokensync("plan", "--code-syntax", "android").output

    def test_the_pull_after_the_apply_writes_it_into_the_token_files(self, project):
        self.plan()
        tokensync("-q", "apply", "--overwrite-code-syntax")
        assert "nothing to do" in tokensync("plan").output
        assert "behind" in tokensync("status", code=3).output
        tokensync("-q", "pull")
        text = Path("tokens/one/theme/light.tokens.json").read_text("utf-8")
        assert '{"ANDROID": "R.color.accent"}' in text
        assert '{"ANDROID": "R.color.deep_ink", "WEB": "var(--ink)"}' in text
        assert "in sync" in tokensync("status").output
        assert "nothing to do" in tokensync("plan").output
        assert "code-syntax-unusable" not in tokensync("-v", "build").stderr

    def test_a_rollback_before_the_pull_restores_what_the_designer_wrote(self, project):
        self.plan()
        tokensync("-q", "apply", "--overwrite-code-syntax")
        (receipt,) = Path(".tokensync/applies").glob("*/receipt.json")
        tokensync("-q", "rollback", str(receipt))
        tokensync("-q", "apply")
        assert "nothing to do" in tokensync("pull").stderr
        assert "android.R.color.white" in Path("tokens/one/theme/light.tokens.json").read_text("utf-8")
        assert "nothing to do" in tokensync("plan").output

    def test_filling_many_and_overwriting_one_are_confirmed_apart(self, project):
        owner = design_file.collection("VariableCollectionId:1:1")
        texts = [{"ANDROID": "android.R.color.white"}, *[{}] * 11]
        variables = [
            design_file.variable(
                f"VariableID:1:{number}", f"t{number}", owner, "COLOR", [design_file.color()] * 2, codeSyntax=text
            )
            for number, text in enumerate(texts)
        ]
        Path("local.json").write_bytes(design_file.response([owner], variables))
        tokensync("-q", "emulator", "seed", "local.json", "--key", "key-one")
        tokensync("-q", "pull", "--theirs")
        assert [each["kind"] for each in self.plan()["findings"]] == ["change much", "overwrite code syntax"]
        refused = tokensync("apply", "--force", code=4).stderr
        assert "overwrite code syntax theme/t0" in refused
        assert "change much" not in refused
        assert "change much" in tokensync("apply", "--overwrite-code-syntax", code=4).stderr
        tokensync("-q", "apply", "--force", "--overwrite-code-syntax")

    def test_an_entry_of_the_configuration_allows_it(self, project):
        with Path("tokensync.toml").open("a", encoding="utf-8") as file:
            file.write('\n[[allow]]\nfinding = "overwrite code syntax"\nsubject = "theme/*"\n')
        assert self.plan()["findings"][0]["allowed"] is True
        tokensync("-q", "apply")

    def test_an_edit_of_a_token_file_is_no_finding(self, project):
        path = Path("tokens/one/theme/light.tokens.json")
        path.write_text(path.read_text("utf-8").replace("R.color.deep_ink", "R.color.ink"), encoding="utf-8")
        tokensync("-q", "plan")
        (plan,) = json.loads(Path(".tokensync/plan.json").read_text("utf-8"))["plans"]
        assert plan["findings"] == [] and len(plan["operations"]) == 1

    def test_a_build_shows_the_raw_text_that_it_does_not_read(self, project):
        (line,) = (each for each in tokensync("-v", "build").stderr.splitlines() if "[code-syntax-unusable]" in each)
        assert line.startswith(
            "warning: Theme / accent: its ANDROID code syntax 'android.R.color.white' refers to a resource or colour "
            "of Android itself, not of the app, so it becomes accent; correct it in the design file or by tokensync"
        )


class TestUndeclared:
    """A note for each kind of code syntax that no output declares, with what would."""

    def problems(self, folder, outputs, **syntax):
        kit = graph(
            THEME,
            *(
                token(THEME, f"accent{at}", color("#000000"), code_syntax=((platform, text),))
                for platform, texts in syntax.items()
                for at, text in enumerate(texts)
            ),
            token(THEME, "gap", 4, type="dimension", code_syntax=(("iOS", ".gap"),) if "iOS" in syntax else ()),
        )
        project = project_with(folder, outputs)
        return [f"{each.what}; {each.what_to_do}" for each in undeclared(kit, project.config.outputs, project)]

    @pytest.mark.parametrize(
        ("platform", "options", "syntax", "texts", "advice"),
        [
            ("css", "", "WEB", ["$one", "$two"], 'add an output with platform = "scss"'),
            ("scss", "", "WEB", ["var(--one)"], 'add an output with platform = "css"'),
            ("css", "", "WEB", ["tokens.one"], 'add an output with platform = "typescript"'),
            ("css", "", "WEB", ["theme.colors.one"], "add the form to read in [code_syntax.web]"),
            ("compose", "", "ANDROID", ["R.color.one"], 'add an output with platform = "android"'),
            ("android", "", "ANDROID", ["?attr/one"], 'the option brands = "styles" of the android output'),
            ("compose", "", "ANDROID", ["Acme.theme.one"], 'the option name = "Acme" of the compose output'),
            ("compose", "", "ANDROID", ["MaterialTheme.colorScheme.one"], "the form to read in [code_syntax.android]"),
            ("ios", 'also = ["themes"]', "iOS", ["Color.one"], 'the option also = ["themes", "swiftui"] of the ios'),
            ("ios", "", "iOS", ["UIColor.one"], 'the option also = ["swiftui", "uikit"] of the ios output'),
            ("ios", "", "iOS", ["Theme.one"], 'the option name = "Theme" of the ios output'),
            ("ios", "", "iOS", ["Theme.colors.one"], "add the form to read in [code_syntax.ios]"),
        ],
    )
    def test_it_says_what_would_declare_it(self, folder, platform, options, syntax, texts, advice):
        outputs = output(platform, "x", f"options = {{ {options} }}" if options else "")
        problems = self.problems(folder, outputs, **{syntax: texts})
        (about,) = (each for each in problems if texts[0] in each)
        assert advice in about
        assert (f"of {len(texts)} tokens" in about) is (len(texts) > 1)

    @pytest.mark.parametrize(
        ("outputs", "syntax", "text"),
        [
            (output("css", "x"), "WEB", "var(--one) /* .one */"),
            (output("tailwind", "x"), "WEB", "bg-(--one)"),
            (output("scss", "x"), "WEB", "tokens.$one"),
            (output("android", "x"), "ANDROID", "colorResource(id = R.color.one)"),
            (output("android", "x"), "ANDROID", "@com.acme:color/one"),
            (output("ios", "x"), "iOS", ".one.opacity(0.5)"),
            (output("ios", "x"), "iOS", 'Color("one")'),
            (output("ios", "x"), "iOS", "Tokens.one"),
            (output("css", "x"), "iOS", "Theme.colors.one"),
            (output("ios", "x") + '[code_syntax.ios]\nread = ["Theme.colors.{name}"]\n', "iOS", "Theme.colors.one"),
        ],
    )
    def test_what_is_declared_or_not_built_here_is_no_problem(self, folder, outputs, syntax, text):
        assert not [each for each in self.problems(folder, outputs, **{syntax: [text]}) if "one" in each]

    def test_a_length_is_no_member_of_its_type(self, folder):
        (about,) = self.problems(folder, output("ios", "x"), iOS=["Color.one"])
        assert about.startswith("no output declares its iOS code syntax '.gap'; write a text that is declared")


def test_a_generic_last_member_is_named_where_it_collides():
    texts = {"a": "palette.main", "b": "palette2.main", "c": "theme.text.main"}
    kit = graph(
        THEME, *(token(THEME, name, color("#000000"), code_syntax=(("WEB", text),)) for name, text in texts.items())
    )
    names, problems = names_for(kit, kit.tokens.values(), naming_of("css"))
    assert [*names.values()] == ["--main", "--b", "--text-main"]
    (found,) = problems
    assert (found.code, found.where) == ("identifier-collision", "Theme / b")
    assert "its code syntax 'palette2.main' ends in the generic member main" in found.what


def test_a_line_about_several_collisions_names_the_generic_last_member():
    texts = ["palette.main", "palette2.main", "palette3.main", "palette4.main", "a.default", "b.default"]
    tokens = [token(THEME, f"t{at}", color("#000000"), code_syntax=(("WEB", text),)) for at, text in enumerate(texts)]
    _, problems = names_for(graph(THEME, *tokens), tokens, naming_of("css"))
    lines = [each.text for each in lines_of(problems)]
    (shared,) = (each for each in lines if "Theme: 3 tokens have " in each)
    assert "so their names were changed (their code syntax ends in the generic member main): t1, t2, t3;" in shared
    assert sum("ends in the generic member default" in each for each in lines) == 1
