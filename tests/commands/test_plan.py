"""``tokensync plan``: output, withheld deletions and errors."""

import json
import os
import shlex
from pathlib import Path
from shutil import rmtree

import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, pulled_in, response, tokensync
from plan.plan_schema import faults

from tokensync.plan.plan import decoded

PLAN = Path(".tokensync/plan.json")
LIGHT, DARK = (Path(f"tokens/one/theme/{mode}.tokens.json") for mode in ("light", "dark"))
BLUE = {"colorSpace": "srgb", "components": [0, 0, 1], "hex": "#0000ff"}
RED = {"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000"}


@pytest.fixture
def project(folder):
    """A project with two colours, pulled and built."""
    pulled_in(folder, outputs=output("css", "web"))
    tokensync("-q", "build")
    return folder


def edit(path, change):
    """Change a token file as an editor would."""
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content["theme"])
    path.write_text(json.dumps(content), encoding="utf-8")


def recoloured(path=LIGHT, value=BLUE):
    edit(path, lambda theme: theme["slate"].update({"$value": value}))


def added(name, value=BLUE, **members):
    """Add a token in both modes."""
    for path in (LIGHT, DARK):
        edit(path, lambda theme: theme.update({name: {"$type": "color", "$value": value, **members}}))


def planned(path=PLAN):
    content = path.read_bytes()
    assert faults(content) == []
    (plan,) = decoded(content).plans
    return plan


class TestPlans:
    def test_without_an_edit_there_is_nothing_to_do(self, project):
        done = tokensync("plan", "--exit-code")
        assert done.output == "one (file key-one)\n  nothing to do\n"
        assert planned().operations == ()

    def test_missing_token_files_are_reported(self, project):
        rmtree("tokens")
        done = tokensync("plan")
        assert "there are no token files to plan from; tokensync pull writes them" in done.output
        assert planned().operations == ()

    def test_an_edit_is_shown_and_written_and_nothing_else_changes(self, project):
        recoloured()
        before = files_in(project)
        done = tokensync("plan")
        assert "  ~ slate\n      light  #112233 -> #0000ff\n" in done.output
        assert done.stderr.endswith("to apply the plan, run: tokensync apply\n")
        assert files_in(project) == before
        assert planned().counts.values_set == 1

    def test_the_exit_code_option_reports_changes(self, project):
        recoloured()
        tokensync("plan", code=0)
        tokensync("plan", "--exit-code", code=3)

    def test_the_plan_goes_where_it_is_wanted(self, project):
        recoloured()
        assert "tokensync apply plans/mine.json" in tokensync("plan", "-o", "plans/mine.json").stderr
        assert not PLAN.exists()
        assert planned(Path("plans/mine.json")).operations
        tokensync("apply", "plans/mine.json")
        tokensync("plan", "--exit-code")

    def test_a_file_that_is_not_a_plan_is_not_overwritten(self, project):
        tokensync("plan", "-o", "tokensync.toml", code=2)
        assert Path("tokensync.toml").read_text(encoding="utf-8").startswith("base_url")

    def test_a_plan_that_cannot_be_made_leaves_no_earlier_one_behind(self, project):
        recoloured()
        tokensync("plan")
        edit(LIGHT, lambda theme: theme["slate"].update({"$value": "{theme.nothing}"}))
        tokensync("plan", code=1)
        assert not PLAN.exists()
        assert "tokensync plan" in tokensync("apply", code=2).stderr

    def test_the_same_edit_gives_the_same_bytes(self, project):
        recoloured()
        added("accent")
        tokensync("plan")
        first = PLAN.read_bytes()
        tokensync("plan")
        assert PLAN.read_bytes() == first

    def test_json_is_the_plan_file(self, project):
        recoloured()
        for flags in (["--json"], ["--format", "json"]):
            shown = json.loads(tokensync("plan", *flags).output)
            assert shown == json.loads(PLAN.read_bytes())

    def test_markdown_is_on_stdout(self, project):
        recoloured()
        lines = tokensync("plan", "--format", "markdown").output.splitlines()
        assert lines[0] == "## Plan for `one`"
        assert "| changed | `slate` | light | <code>&#x23;112233</code> `rgb(17, 34, 51)` | `#0000ff` |" in lines

    def test_names_cannot_act_on_a_terminal(self, project):
        added("a\x1b[31mb\u202ec")
        for form in ("text", "markdown"):
            shown = tokensync("plan", "--format", form).output
            assert "\x1b" not in shown
            assert "\u202e" not in shown

    def test_several_files_have_a_plan_each(self, folder):
        project_in(folder, files=("one", "two"))
        for name in ("one", "two"):
            on_the_platform(COLORS, name)
        tokensync("-q", "pull")
        assert [each.file for each in _plans()] == ["one", "two"]
        assert [each.file for each in _plans("--file", "two")] == ["two"]


def _plans(*arguments):
    tokensync("plan", *arguments)
    return decoded(PLAN.read_bytes()).plans


class TestDeletions:
    @pytest.fixture
    def without_muted(self, project):
        for path in (LIGHT, DARK):
            edit(path, lambda theme: theme.pop("text"))
        return project

    def test_they_are_something_to_review_for_plan_apply_and_status(self, without_muted):
        why = "nothing is applied, because 1 edit is held back; to plan it, too, run tokensync plan --prune"
        listed = "\n\nHeld back: applied only with --prune (1)\n  variable theme / text/muted\n"
        assert f"{why}{listed}" in tokensync("plan", "--exit-code", code=3).output
        assert tokensync("apply").stderr == f"one: {why}\n"
        held = "held back: applied only with --prune (1)\n    variable theme / text/muted\n"
        assert held in tokensync("status", code=3).output
        (file,) = json.loads(tokensync("status", "--json", code=3).output)["files"]
        assert file["held_back"] == ["variable theme / text/muted"]

    def test_pruning_carries_them_out(self, without_muted):
        done = tokensync("plan", "--prune", "--exit-code", code=3)
        assert "  - text/muted  deleted" in done.output
        tokensync("apply")
        tokensync("plan", "--prune", "--exit-code")

    @pytest.mark.parametrize(
        "arguments",
        [
            ("--prune", "theme/text"),
            ("--prune", "theme / text/muted", "--exit-code"),
            ("--prune=theme.text.muted",),
            ("--exit-code", "--prune", "variable theme / text/muted"),
            ("--prune", "theme/text", "theme/text/muted"),
            ("--prune", "theme/text", "--prune", "theme/text/muted"),
            ("--prune", "-q", "theme/text"),
        ],
    )
    def test_pruning_a_name_carries_out_only_that_one(self, without_muted, arguments):
        for path in (LIGHT, DARK):
            edit(path, lambda theme: theme.pop("slate"))
        done = tokensync("plan", *arguments, code=3 if "--exit-code" in arguments else 0)
        assert "  - text/muted  deleted" in done.output
        assert "Held back: applied only with --prune (1)\n  variable theme / slate\n" in done.output
        tokensync("apply", "-q")
        assert tokensync("plan").output.count("variable theme / ") == 1

    @pytest.mark.parametrize("arguments", [("--prune", "-o", "file.json"), ("-o", "file.json", "--prune")])
    def test_pruning_without_a_name_carries_out_all_and_takes_no_option_for_a_name(self, without_muted, arguments):
        for path in (LIGHT, DARK):
            edit(path, lambda theme: theme.pop("slate"))
        done = tokensync("plan", *arguments)
        assert done.output.count("  deleted\n") == 2
        assert planned(Path("file.json")).held_back == ()

    def test_a_name_that_selects_nothing_is_refused_with_the_nearest(self, without_muted):
        done = tokensync("plan", "--prune", "theme/texts/mutes", "--prune", "theme/text", "--prune", "", code=2)
        nothing = "nothing with this name is missing from the token files"
        assert done.stderr.splitlines()[-2:] == [
            f"error: --prune theme/texts/mutes: {nothing}; use theme/text/muted",
            f"error: --prune : {nothing}; use theme/text/muted",
        ]
        for name in ("text/muted", "text.muted", "text/mutd", "theme.text.mutd"):
            assert f"{name}: {nothing}; use theme/text/muted\n" in tokensync("plan", "--prune", name, code=2).stderr
        assert not PLAN.exists()
        tokensync("plan", "--prune", "theme/text/muted")

    def test_a_name_is_refused_if_nothing_is_missing_and_without_the_option(self, project):
        done = tokensync("plan", "--prune", "theme/slte", code=2)
        assert "nothing has to be deleted: remove --prune" in done.stderr
        done = tokensync("plan", "--prune", "theme/slate", code=2)
        assert "the token files contain this token, so it is not deleted; remove it there first" in done.stderr
        assert "name deletions after --prune" in tokensync("plan", "theme/slate", code=2).stderr

    @pytest.mark.parametrize("number", [2, 10, 13])
    def test_a_pattern_is_refused_with_the_names_that_it_matches(self, project, number):
        names = [f"text/a {at:02}" for at in range(number)]
        on_the_platform({"slate": COLORS["slate"], **dict.fromkeys([*names, "text x"], ("#000000", "#ffffff"))})
        tokensync("-q", "pull")
        for path in (LIGHT, DARK):
            edit(path, lambda theme: [theme.pop("text x"), *(theme["text"].pop(name[5:]) for name in names)])
        for pattern in ("theme/text/*", "theme/text/a ??", "variable theme / text/a [01]*"):
            stderr = tokensync("plan", "--prune", pattern, code=2).stderr
            what, _, to_do = stderr.splitlines()[-1].partition("; this one matches ")
            assert what == f"error: --prune {pattern}: names are taken literally, not as patterns"
            count, _, advice = to_do.partition("; use --prune ")
            assert count == f"{number} deletions"
            listed, _, rest = advice.partition(",")
            assert shlex.split(listed) == [f"theme/{name}" for name in names[:10]]
            more = " and 3 more names" if number == 13 else ""
            whole = " or --prune theme/text for all of them"
            assert rest == ",".join(filter(None, [more, whole if pattern == "theme/text/*" else ""]))
        assert "; use --prune 'theme/text x'\n" in tokensync("plan", "--prune", "theme/text ?", code=2).stderr
        nothing = tokensync("plan", "--prune", "them/*", code=2).stderr
        assert "names are taken literally, not as patterns, and no deletion matches this one; use " in nothing
        assert not PLAN.exists()
        done = tokensync("plan", "--prune", *shlex.split(listed))
        assert done.output.count("  deleted\n") == min(number, 10)

    def test_what_others_refer_to_needs_a_word_and_the_plan_shows_which(self, project):
        for path in (LIGHT, DARK):
            edit(path, lambda theme: (theme.pop("slate"), theme["text"]["muted"].update({"$value": BLUE})))
        tokensync("plan", "--prune")
        assert planned().unsafe == ()
        on_the_platform({**COLORS, "link": ("{slate}", "{slate}")})
        done = tokensync("plan", "--prune", "--ours")
        assert "delete referred: theme/slate: it is deleted, and theme / link refer" in done.output
        assert done.stderr.endswith("if you accept every finding, run: tokensync apply --force\n")
        tokensync("apply", code=4)
        tokensync("apply", "--force")

    def test_an_allowed_finding_is_marked_and_stops_nothing(self, folder):
        variables = {f"c{number}": ("#000000", "#111111") for number in range(10)}
        pulled_in(folder, variables)
        edit(LIGHT, lambda theme: [each.update({"$value": BLUE}) for each in theme.values()])
        shown = tokensync("plan").output
        assert "Unsafe: " in shown
        assert '    [[allow]]\n    finding = "change much"\n    subject = "theme"\n' in shown
        tokensync("apply", code=4)
        with Path("tokensync.toml").open("a", encoding="utf-8") as file:
            file.write('\n[[allow]]\nfinding = "change much"\nsubject = "theme"\n')
        assert "Allowed by the configuration\n  change much: theme: " in tokensync("plan").output
        tokensync("apply")

    @pytest.mark.parametrize(("share", "is_unsafe"), [(1.0, False), (0.9, True), (0.95, True)])
    def test_a_share_is_the_threshold_of_plan_and_apply(self, folder, share, is_unsafe):
        pulled_in(folder, {f"c{number}": ("#000000", "#111111") for number in range(10)})
        edit(LIGHT, lambda theme: [each.update({"$value": BLUE}) for each in theme.values()])
        with Path("tokensync.toml").open("a", encoding="utf-8") as file:
            file.write(f'\n[[allow]]\nfinding = "change much"\nsubject = "theme"\nshare = {share}\n')
        assert ("Unsafe: " in tokensync("plan").output) is is_unsafe
        tokensync("apply", code=4 if is_unsafe else 0)

    def test_below_the_share_there_is_no_finding(self, folder):
        pulled_in(folder, {f"c{number}": ("#000000", "#111111") for number in range(10)})
        edit(LIGHT, lambda theme: [theme[f"c{number}"].update({"$value": BLUE}) for number in range(9)])
        assert "Unsafe: " in tokensync("plan").output
        with Path("tokensync.toml").open("a", encoding="utf-8") as file:
            file.write('\n[[allow]]\nfinding = "change much"\nsubject = "theme"\nshare = 0.9\n')
        tokensync("plan")
        assert planned().findings == ()
        tokensync("apply")


class TestBothSides:
    def test_what_only_the_platform_changed_stays(self, project):
        recoloured()
        on_the_platform({**COLORS, "slate": ("#112233", "#ffffff")})
        done = tokensync("plan")
        assert done.output.count("->") == 1
        tokensync("apply")
        tokensync("plan", "--exit-code")
        tokensync("-q", "pull")
        tokensync("plan", "--exit-code")
        assert '"#0000ff"' in LIGHT.read_text(encoding="utf-8")
        assert '"#ffffff"' in DARK.read_text(encoding="utf-8")

    def test_what_both_changed_is_a_conflict_that_one_side_can_win(self, project):
        recoloured()
        on_the_platform({**COLORS, "slate": ("#ffffff", "#445566")})
        done = tokensync("plan", code=4)
        assert "slate" in done.stderr
        assert not PLAN.exists()
        tokensync("plan", "--theirs", "--exit-code")
        assert "#ffffff -> #0000ff" in tokensync("plan", "--ours").output
        tokensync("apply")
        tokensync("plan", "--exit-code")


class TestFaults:
    def test_everything_that_the_platform_would_refuse_is_reported_with_its_location(self, project):
        added("dot%2Ename")
        added("loop", "{theme.loop}")
        done = tokensync("plan", code=1)
        assert "light.tokens.json" in done.stderr
        assert len([line for line in done.stderr.splitlines() if line.startswith("error: ")]) >= 2
        assert done.output == ""

    def test_an_unknown_scope_is_only_a_warning(self, project):
        added("accent", **{"$extensions": {"com.figma.scopes": ["TRANSFORM"]}})
        recoloured()
        done = tokensync("plan")
        assert 'the scope "TRANSFORM" is unknown' in done.stderr
        assert "[plan-scope-unknown]" in done.stderr
        assert (planned().counts.variables_created, planned().counts.values_set) == (1, 1)

    def test_a_token_may_have_the_scopes_that_the_platform_has_on_another_and_applies(self, folder):
        project_in(folder)
        answered = json.loads(response(COLORS))
        for each in answered["meta"]["variables"].values():
            each["scopes"] = ["TRANSFORM"]
        Path("one.json").write_text(json.dumps(answered), encoding="utf-8")
        tokensync("-q", "emulator", "seed", "one.json", "--key", "key-one", "-c", "tokensync.toml")
        tokensync("-q", "pull")
        added("copied", **{"$extensions": {"com.figma.scopes": ["TRANSFORM"]}})
        assert "plan-scope" not in tokensync("plan").stderr
        tokensync("apply")
        tokensync("pull")
        tokensync("plan", "--exit-code")

    def test_an_unknown_scope_is_sent_with_force_only(self, project):
        odd = json.loads(response(COLORS))
        for each in odd["meta"]["variables"].values():
            each["scopes"] = ["TRANSFORM"]
        Path("other.json").write_text(json.dumps(odd), encoding="utf-8")
        tokensync("-q", "emulator", "seed", "other.json", "--key", "other", "-c", "tokensync.toml")
        added("accent", **{"$extensions": {"com.figma.scopes": ["TRANSFORM"]}})
        assert "[plan-scope-unknown]" in tokensync("plan").stderr
        on_the_platform({**COLORS, "elsewhere": ("#123456", "#123456")})
        assert 'the scope "TRANSFORM" is unknown' in tokensync("apply", "--rebase", code=4).stderr
        tokensync("apply", "--rebase", "--force")

    def test_another_name_of_a_new_variable_is_an_edit_of_the_plan(self, project):
        added("accent")
        tokensync("-q", "plan")
        PLAN.write_text(
            PLAN.read_text(encoding="utf-8").replace('"name":"accent"', '"name":"ascent"'), encoding="utf-8"
        )
        assert "the plan was edited" in tokensync("apply", ".tokensync/plan.json", "--force", code=4).stderr

    def test_without_a_pull_the_platform_is_the_only_side(self, folder):
        project_in(folder)
        on_the_platform(COLORS)
        tokensync("plan", "--exit-code")


class TestCodeSyntax:
    def test_it_is_filled_in_and_settles_and_the_names_stay(self, project):
        css = files_in(project)["web/tokens.css"]
        shown = tokensync("plan", "--code-syntax", "web,android,ios", "--exit-code", code=3).output
        for line in ('WEB      "var(--text-muted)"', 'ANDROID  "R.color.text_muted"', 'iOS      "Color.textMuted"'):
            assert f"code syntax {line}" in shown
        tokensync("apply", "--force")
        tokensync("plan", "--exit-code")
        tokensync("plan", "--code-syntax", "web,android,ios", "--exit-code")
        tokensync("-q", "pull")
        assert (
            '"com.figma.codeSyntax": {"ANDROID": "R.color.text_muted", "WEB": "var(--text-muted)"'
            in LIGHT.read_text("utf-8")
        )
        tokensync("plan", "--exit-code")
        tokensync("plan", "--code-syntax", "web,android,ios", "--exit-code")
        tokensync("-q", "build")
        assert files_in(project)["web/tokens.css"] == css

    def test_new_and_renamed_tokens_get_theirs_in_the_same_plan(self, project):
        added("accent")
        for path in (LIGHT, DARK):
            edit(path, lambda theme: theme.update({"quiet": theme["text"].pop("muted")}))
        tokensync("plan", "--code-syntax", "WEB, ios")
        tokensync("apply", "--force")
        tokensync("-q", "pull")
        syntax = {
            name: each["$extensions"]["com.figma.codeSyntax"]
            for name, each in json.loads(LIGHT.read_text("utf-8"))["theme"].items()
            if "$extensions" in each
        }
        assert syntax["accent"] == {"WEB": "var(--accent)", "iOS": "Color.accent"}
        assert syntax["quiet"] == {"WEB": "var(--quiet)", "iOS": "Color.quiet"}

    def test_names_that_would_change_by_being_written_stop_the_plan(self, project):
        with Path("tokensync.toml").open("a", encoding="utf-8") as file:
            file.write('naming = { prefix = "acme", code_syntax = "extend" }\n')
        done = tokensync("plan", "--code-syntax", "web", code=1)
        assert "[code-syntax-unstable]" in done.stderr
        assert not PLAN.exists()


@pytest.mark.parametrize("path", [os.devnull, "."])
def test_a_plan_replaces_files_only(project, path):
    """A device may never end (/dev/zero), and a plan would be put in its place."""
    assert f"{path}: this is not a file" in tokensync("plan", "-o", path, code=2).stderr
