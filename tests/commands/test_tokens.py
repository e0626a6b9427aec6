"""``tokensync tokens``: queries of the graph."""

import json
from pathlib import Path

import pytest
from commands.projects import COLORS, DESIGN, on_the_platform, project_in, quickstart_in, response, tokensync

from tokensync.generate.targets import NAMED


@pytest.fixture
def harbor(folder, monkeypatch):
    monkeypatch.chdir(quickstart_in(folder / "harbor"))


def set_naming(settings):
    """Give the first output, which is CSS, these settings."""
    configuration = Path("tokensync.toml")
    text = configuration.read_text(encoding="utf-8")
    configuration.write_text(text.replace('"css"', f'"css"\nnaming = {{ {settings} }}', 1), encoding="utf-8")


@pytest.fixture
def two_files(folder):
    project_in(folder, files=("one", "two"))
    on_the_platform(COLORS, "one")
    on_the_platform(COLORS, "two")
    tokensync("-q", "pull")


class TestNames:
    @pytest.mark.parametrize(
        "name",
        [
            "text/muted",
            "text.muted",
            "theme.text.muted",
            "theme/text/muted",
            "theme / text/muted",
            "harbor.theme.text.muted",
            "VariableID:8:6",
        ],
    )
    def test_a_token_is_found_by_path_handle_file_and_id(self, harbor, name):
        assert tokensync("tokens", "show", name).output.startswith("theme / text/muted  (color, local)\n")

    @pytest.mark.parametrize(
        "name",
        [
            *("var(--harbor-accent)", "--harbor-accent", "var(--harbor-accent, #13748a)", "$harbor-accent"),
            *("--color-harbor-accent", "tokens.harborAccent", "R.color.harbor_accent", "@color/harbor_accent"),
            *("com.harbor.R.color.harbor_accent", "DesignTokens.theme.harborAccent", "harborAccent"),
            *("Color.harborAccent", ".harborAccent", "Tokens.harborAccent", 'Color("harborAccent")'),
            *("Theme.colors.harborAccent", "colorResource(R.color.harbor_accent)"),
        ],
    )
    def test_a_token_is_found_by_each_name_that_code_has_for_it(self, harbor, name):
        for command in ("show", "why", "dependents"):
            assert (
                tokensync("tokens", command, "--", name).output == tokensync("tokens", command, "theme/accent").output
            )

    def test_a_custom_property_is_no_option(self, harbor):
        assert tokensync("tokens", "show", "--harbor-accent").output.startswith("theme / accent ")
        assert "--jsn" in tokensync("tokens", "show", "--jsn", code=2).stderr

    def test_names_follow_the_options_of_the_outputs(self, harbor):
        configuration = Path("tokensync.toml")
        text = configuration.read_text(encoding="utf-8")
        options = 'path = "code/ios"\noptions = { name = "Harbor", nested = "collection" }\n'
        configuration.write_text(text.replace('path = "code/ios"', options), encoding="utf-8")
        assert tokensync("tokens", "show", "Harbor.Typography.fontCode").output.startswith("typography / font/code")

    @pytest.mark.parametrize(
        ("name", "nearest"),
        [
            ("--harbor-acent", "--harbor-accent"),
            ("R.color.harbr_accent", "R.color.harbor_accent"),
            ("Color.harborAccen", "Color.harborAccent"),
        ],
    )
    def test_the_nearest_name_in_code_is_suggested(self, harbor, name, nearest):
        assert f"{name}: no such token; did you mean {nearest}?" in tokensync("tokens", "why", name, code=2).stderr

    def test_a_name_in_code_of_two_tokens_is_asked_back(self, two_files):
        configuration = Path("tokensync.toml")
        text = configuration.read_text(encoding="utf-8")
        outputs = "".join(
            f'[[outputs]]\nplatform = "css"\npath = "{name}"\nfiles = ["{name}"]\n' for name in ("one", "two")
        )
        configuration.write_text(text + outputs, encoding="utf-8")
        asked = tokensync("tokens", "why", "var(--text-muted)", code=2).stderr
        assert "2 tokens have this name; use one of: one.theme.text.muted, two.theme.text.muted" in asked

    def test_a_name_with_dots_is_found_as_the_editor_spells_it(self, folder):
        (folder / "a.json").write_bytes(response({"size/1.5": ("#000000", "#ffffff")}))
        for name in ("size/1.5", "size.1%2E5", "theme/size/1.5"):
            assert tokensync("tokens", "why", name, "--snapshot", "a.json", "--theme", "default").output.startswith(
                "default: #000000\n"
            )

    @pytest.mark.parametrize("command", ["show", "why", "dependents"])
    @pytest.mark.parametrize(
        ("name", "kind", "number"),
        [
            ("theme/text", "group", 3),
            ("theme.text", "group", 3),
            ("theme / text", "group", 3),
            ("harbor/theme/text", "group", 3),
            ("text", "group", 3),
            ("theme/text/", "group", 3),
            ("theme", "collection", 24),
        ],
    )
    def test_a_group_is_called_one_with_its_tokens_and_the_command_that_lists_them(
        self, harbor, command, name, kind, number
    ):
        error = tokensync("tokens", command, name, code=2).stderr
        assert f"{name}: this is a {kind} with {number} tokens, not a token; name one of them (theme/" in error
        shown = f"'{name}'" if " " in name else name
        assert error.endswith(f"or list them with tokensync tokens list {shown}\n")
        listed = json.loads(tokensync("tokens", "list", name, "--json").output)
        assert len(listed) == number
        assert tokensync("tokens", "list", name).stderr == f"{number} tokens\n"

    def test_a_list_of_a_token_or_of_nothing(self, harbor):
        assert [each["path"] for each in json.loads(tokensync("tokens", "list", "text/muted", "--json").output)] == [
            "text.muted"
        ]
        assert "nope: no such token" in tokensync("tokens", "list", "nope", code=2).stderr

    def test_similar_names_are_suggested_whatever_their_case(self, harbor):
        assert "did you mean text/muted?" in tokensync("tokens", "show", "Txt/Muted", code=2).stderr
        assert "did you mean text.muted?" in tokensync("tokens", "show", "Txt.Muted", code=2).stderr
        assert "did you mean theme/text/muted" in tokensync("tokens", "show", "them/text/muted", code=2).stderr

    def test_the_nearest_name_is_suggested_first(self, project):
        assert "did you mean theme/text/muted or" in tokensync("tokens", "show", "theme/text/mutd", code=2).stderr

    @pytest.mark.parametrize("name", ["", "/", ".", "x" * 20000, "\x1b[31m", "%", "a" * 300 + "/b"])
    def test_every_query_has_a_result(self, harbor, name):
        assert "no such token" in tokensync("tokens", "show", name, code=2).stderr

    def test_a_suggestion_among_absurdly_long_names_takes_no_time(self, folder):
        (folder / "a.json").write_bytes(response({f"{'ab' * 5000}{n}": ("#000000", "#ffffff") for n in range(50)}))
        tokensync("tokens", "show", "ab" * 5000, "--snapshot", "a.json", code=2)

    def test_a_name_of_several_tokens_is_asked_back_with_names_of_each(self, two_files):
        stderr = tokensync("tokens", "why", "slate", code=2).stderr
        assert "2 tokens have this name; use one of: one.theme.slate, two.theme.slate" in stderr
        tokensync("tokens", "why", "two.theme.slate")
        tokensync("tokens", "dependents", "slate", code=2)
        tokensync("tokens", "why", "slate", "--file", "two")

    def test_showing_shows_them_all(self, two_files):
        assert tokensync("tokens", "show", "slate").output.count("theme / slate  (color, local)") == 2


class TestAnswers:
    def test_why_follows_every_alias_and_groups_themes_that_agree(self, harbor):
        output = tokensync("tokens", "why", "text/muted").output
        assert output.startswith(
            "default, theme/light, density/comfortable, density/compact: #6b7d8d\n"
            "  theme / text/muted            in light  {primitives.color.slate.500}\n"
            "  primitives / color/slate/500  in value  #6b7d8d\n"
            "theme/dark: #b1bec9\n"
        )

    def test_an_unknown_theme_is_reported_with_the_known_ones(self, harbor):
        assert "use one of default, theme/light" in tokensync("tokens", "why", "scrim", "--theme", "x", code=2).stderr

    def test_why_combines_themes_as_json_outputs_name_them(self, harbor):
        def shown(*themes):
            options = [part for theme in themes for part in ("--theme", theme)]
            return tokensync("tokens", "why", "scrim", *options).output.partition("\n")[0]

        dense = shown("theme/dark", "density/compact")
        assert dense == shown("theme/dark + density/compact") == shown("theme/dark", "default", "density/compact")
        assert dense.startswith("theme/dark + density/compact: ")

    @pytest.mark.parametrize(
        ("themes", "message"),
        [
            (("theme/dark", "theme/light"), "another mode of theme than theme/dark, and only one can apply"),
            (("theme/drak",), "--theme theme/drak: no such theme; use theme/dark"),
            (("dark",), "--theme dark: no such theme; use theme/dark"),
            (("Drak",), "--theme Drak: no such theme; use theme/dark"),
            (("theme/dark + theme/drak",), "--theme theme/drak: no such theme; use theme/dark"),
        ],
    )
    def test_themes_that_cannot_apply_are_refused(self, harbor, themes, message):
        options = [part for theme in themes for part in ("--theme", theme)]
        assert message in tokensync("tokens", "why", "scrim", *options, code=2).stderr

    def test_why_follows_a_cycle_once(self, folder):
        (folder / "a.json").write_bytes(response({"a": ("{b}", "{b}"), "b": ("{a}", "{a}")}))
        output = tokensync("tokens", "why", "a", "--snapshot", "a.json", "--theme", "default").output
        assert output.startswith("default: no value (cycle")
        assert output.count("in light") == 2

    def test_dependents_stand_below_what_they_refer_to(self, folder):
        chain = {
            "a": ("#000000", "#ffffff"),
            "b": ("{a}", "{a}"),
            "c": ("{b}", "{a}"),
            "d": ("{c}", "{c}"),
            "e": ("{a}",) * 2,
        }
        (folder / "a.json").write_bytes(response(chain))
        output = tokensync("tokens", "dependents", "a", "--snapshot", "a.json").output
        assert output == "theme / b\ntheme / c\n  theme / d\ntheme / e\n"
        found = json.loads(tokensync("tokens", "dependents", "a", "--snapshot", "a.json", "--json").output)
        assert [(each["path"], each["distance"]) for each in found] == [("b", 1), ("c", 1), ("e", 1), ("d", 2)]

    def test_dependents_in_a_cycle_are_listed_once(self, folder):
        (folder / "a.json").write_bytes(response({"a": ("{b}", "{b}"), "b": ("{a}", "{a}")}))
        assert tokensync("tokens", "dependents", "a", "--snapshot", "a.json").output == "theme / b\n"

    def test_a_token_without_dependents_is_reported(self, harbor):
        done = tokensync("tokens", "dependents", "scrim")
        assert (done.output, done.stderr.splitlines()[-1]) == ("", "no token refers to theme / scrim")

    def test_show_prints_names_and_declared_and_resolved_values(self, harbor):
        output = tokensync("tokens", "show", "accent").output
        for line in ("  android      harbor_accent", "    theme-islander.light  {primitives.color.coral.500}"):
            assert f"{line}\n" in output

    def test_lengths_have_their_unit_where_they_are_written_too(self, harbor):
        steps = [line.split()[-1] for line in tokensync("tokens", "why", "control/padding").output.splitlines()[:4]]
        assert steps == ["16px", "{density.space.md}", "{primitives.size.16}", "16px"]
        output = tokensync("tokens", "show", "control/border-width").output
        assert "    comfortable  1.5px\n    compact      1px\n" in output

    def test_the_list_is_an_array_with_the_members_that_are_promised(self, harbor):
        (first, *others) = json.loads(tokensync("tokens", "list", "--json").output)
        assert set(first) == {
            *("file", "collection", "path", "type", "names", "values", "aliases"),
            *("id", "key", "description", "hidden", "remote", "deleted"),
        }
        assert set(first["names"]) == {"css", "android", "ios"}
        assert len(others) == 104

    def test_all_names_of_a_token_stand_side_by_side(self, harbor):
        header, *lines = tokensync("tokens", "list", "--names").output.splitlines()
        names = ["CSS", "SCSS", "TYPESCRIPT", "ANDROID", "COMPOSE", "IOS", "FLUTTER"]
        assert header.split() == ["COLLECTION", "TOKEN", *names, "NAMED", "BY"]
        (accent,) = (line.split() for line in lines if line.split()[1] == "accent/tint")
        assert accent[2:] == [
            *("--harbor-accent-tint", "$harbor-accent-tint", "harborAccentTint"),
            *("harbor_accent_tint", "harborAccentTint", "harborAccentTint", "harborAccentTint"),
            *("code", "syntax"),
        ]

    def test_an_output_that_has_the_names_of_another_platform_shows_them_there(self, harbor):
        named = (
            '\n[[outputs]]\nplatform = "react-native"\npath = "app"\nnaming = { template = "{{ path | camel }}X" }\n'
        )
        config = Path("tokensync.toml")
        config.write_text(config.read_text("utf-8") + named, encoding="utf-8")
        listed = json.loads(tokensync("tokens", "list", "--names", "--json").output)
        assert {each["names"]["typescript"] for each in listed} >= {"colorSlate50X", "harborAccentTint"}

    def test_all_names_for_a_program_come_with_their_references(self, harbor):
        listed = json.loads(tokensync("tokens", "list", "--names", "--json").output)
        (accent,) = (each for each in listed if each["path"] == "accent.tint")
        assert list(accent["names"]) == list(accent["references"]) == list(NAMED)
        assert accent["references"] == {
            "css": "var(--harbor-accent-tint)",
            "scss": "$harbor-accent-tint",
            "typescript": "tokens.harborAccentTint",
            "android": "R.color.harbor_accent_tint",
            "compose": "DesignTokens.theme.harborAccentTint",
            "ios": "Color.harborAccentTint",
            "flutter": "context.themeTokens.harborAccentTint",
        }

    def test_references_are_what_a_plan_writes(self, harbor):
        Path("tokensync.toml").write_text(
            Path("tokensync.toml").read_text(encoding="utf-8") + '[code_syntax.ios]\nwrite = "DS.{name}.token"\n',
            encoding="utf-8",
        )
        listed = json.loads(tokensync("tokens", "list", "--names", "--json").output)
        references = {each["names"]["ios"]: each["references"]["ios"] for each in listed}
        assert references["textMuted"] == "DS.textMuted.token"

    def test_each_name_says_what_gave_it(self, harbor):
        """Code syntax, the line of the configuration, a template of the team or ours, or a collision."""
        tokens = Path("tokens/harbor/primitives/value.tokens.json")
        document = json.loads(tokens.read_text(encoding="utf-8"))
        document["primitives"]["color"]["Slate"] = {"50": {"$type": "number", "$value": 1}}
        tokens.write_text(json.dumps(document), encoding="utf-8")
        set_naming("template = '{{ path | kebab }}'")
        (Path("own") / "codesyntax").mkdir(parents=True)
        Path("own/codesyntax/ios.j2").write_text('{{ rows | lines("%s", words="pascal") }}', encoding="utf-8")
        config = Path("tokensync.toml")
        config.write_text(
            config.read_text("utf-8").replace('platform = "ios"', 'platform = "ios"\ntemplates = "own"'),
            encoding="utf-8",
        )
        listed = json.loads(tokensync("tokens", "list", "--names", "--json").output)
        reasons = {each["path"]: each["named_by"] for each in listed}
        assert set(reasons["accent.tint"].values()) == {"code syntax"}
        assert reasons["color.Slate.50"]["css"] == "collision"
        assert reasons["color.slate.50"] == {
            **dict.fromkeys(NAMED, "packaged template"),
            "css": "naming.template",
            "ios": "your template",
        }
        lines = tokensync("tokens", "list", "color/slate/100", "--names").output.splitlines()
        assert "naming.template: css; packaged template: scss, " in lines[1]

    def test_names_are_those_of_the_projects_outputs(self, harbor):
        set_naming('prefix = "acme"')
        assert "  css          --acme-color-slate-50\n" in tokensync("tokens", "show", "color/slate/50").output
        tokensync("build")
        assert "  --acme-color-slate-50: " in Path("code/web/tokens.css").read_text(encoding="utf-8")

    def test_a_collision_stops_a_build_that_asks_for_it(self, harbor):
        tokens = Path("tokens/harbor/primitives/value.tokens.json")
        document = json.loads(tokens.read_text(encoding="utf-8"))
        colors = document["primitives"]["color"]
        colors["Slate"] = {"50": {"$type": "number", "$value": 1}}
        tokens.write_text(json.dumps(document), encoding="utf-8")
        assert "[identifier-collision]" in tokensync("build", "-v").stderr
        set_naming('collisions = "raise"')
        assert "[identifier-collision]" in tokensync("build", code=1).stderr

    def test_odd_things_are_counted_and_shown_when_wanted(self, harbor):
        assert "(1 note; -v shows it)" in tokensync("tokens", "list", "--snapshot", DESIGN[0]).stderr
        assert "leaf-and-group" in tokensync("tokens", "list", "--snapshot", DESIGN[0], "-v").stderr
        assert tokensync("-q", "tokens", "list", "--snapshot", DESIGN[0]).stderr == ""

    def test_the_list_of_no_token_is_empty(self, folder):
        Path("a.json").write_bytes(response({}))
        done = tokensync("tokens", "list", "--snapshot", "a.json")
        assert done.output == ""
        assert "0 tokens" in done.stderr
        assert json.loads(tokensync("tokens", "list", "--snapshot", "a.json", "--json").output) == []

    def test_options_that_exclude_each_other_are_refused(self, harbor):
        tokensync("tokens", "list", "--snapshot", DESIGN[0], "--file", "harbor", code=2)
        tokensync("tokens", "list", "--published", DESIGN[1], code=2)
