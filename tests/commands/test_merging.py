"""Conflicts of a pull: listed with all three sides and their locations, resolved by a flag or a file."""

import tomllib

import pytest
from commands.projects import COLORS, files_in, on_the_platform, project_in, pulled_in, tokensync
from commands.test_pull import LIGHT_PATH, edit

from tokensync.project.configuration import load_project
from tokensync.project.connection import connect
from tokensync.project.merging import merged_file
from tokensync.tokens import TokenKey

CONFLICTS = "tokensync.conflicts.toml"


@pytest.fixture
def project(folder):
    """A project in which slate in light differs between token files and platform."""
    pulled_in(folder)
    edit(folder, "#112233", "#102233")
    edit(folder, "0.06666667", "0.0627451")
    on_the_platform({**COLORS, "slate": ("#992233", "#445566")})
    return folder


def entries(project):
    return tomllib.loads((project / CONFLICTS).read_text("utf-8"))["conflict"]


def answer(project, side):
    path = project / CONFLICTS
    path.write_text(path.read_text("utf-8") + f'take = "{side}"\n', encoding="utf-8")


def shown_in(project):
    return "theirs" if "#992233" in (project / LIGHT_PATH).read_text("utf-8") else "ours"


class TestConflicts:
    def test_conflicts_exit_with_4_and_show_all_three_sides(self, project):
        before = files_in(project)
        stderr = tokensync("-q", "pull", code=4).stderr
        assert f"error: {LIGHT_PATH}:" in stderr
        assert "(#/theme/slate)" in stderr
        assert "in light was #112233, is #102233 in the token files and #992233 in Figma" in stderr
        after = files_in(project)
        assert {path for path in after if after[path] != before.get(path)} == {CONFLICTS}

    def test_colours_with_the_same_hexadecimal_digits_are_shown_exactly(self, project):
        edit(project, "0.0627451", "0.0625")
        on_the_platform({**COLORS, "slate": ("#102233", "#445566")})
        stderr = tokensync("-q", "pull", code=4).stderr
        (conflict,) = entries(project)
        assert len({conflict[side] for side in ("base", "ours", "theirs")}) == 3
        assert f"is {conflict['ours']} in the token files and {conflict['theirs']} in Figma" in stderr
        assert conflict["ours"].startswith("rgb(0.0625 ")

    def test_conflicts_whose_base_is_damaged_name_the_line_of_the_lock(self, project):
        lock = project / "tokensync.lock"
        lock.write_bytes(lock.read_bytes()[:-3])
        number = lock.read_bytes().count(b"\n") + 1
        assert f"error: tokensync.lock:{number}: " in tokensync("pull", code=4).stderr

    def test_a_dry_run_writes_no_conflicts_file(self, project):
        before = files_in(project)
        assert "#992233" in tokensync("-q", "pull", "--dry-run", code=4).stderr
        assert files_in(project) == before

    @pytest.mark.parametrize("side", ["ours", "theirs"])
    def test_a_flag_resolves_them(self, project, side):
        tokensync("-q", "pull", f"--{side}")
        assert shown_in(project) == side
        tokensync("-q", "pull")
        assert shown_in(project) == side

    @pytest.mark.parametrize("command", ["pull", "plan"])
    def test_both_sides_cannot_win(self, project, command):
        before = files_in(project)
        assert "are mutually exclusive" in tokensync(command, "--ours", "--theirs", code=2).stderr
        assert files_in(project) == before

    @pytest.mark.parametrize("side", ["ours", "theirs"])
    def test_an_entry_of_the_conflicts_file_resolves_them_and_is_removed(self, project, side):
        tokensync("-q", "pull", code=4)
        (entry,) = entries(project)
        assert (entry["token"], entry["member"], entry["base"]) == ("slate", "in light", "#112233")
        assert (entry["ours"], entry["theirs"]) == ("#102233", "#992233")
        assert entry["place"].startswith(f"{LIGHT_PATH}:")
        answer(project, side)
        tokensync("-q", "pull")
        assert shown_in(project) == side
        assert not (project / CONFLICTS).exists()

    def test_an_outdated_answer_resolves_nothing(self, project):
        tokensync("-q", "pull", code=4)
        answer(project, "theirs")
        on_the_platform({**COLORS, "slate": ("#aa2233", "#445566")})
        tokensync("-q", "pull", code=4)
        (entry,) = entries(project)
        assert "take" not in entry

    def test_an_answer_stays_while_others_are_missing(self, project):
        edit(project, '"#445566"', '"#405566"', ("tokens", "one", "theme", "dark.tokens.json"))
        edit(project, "0.26666668", "0.2509804", ("tokens", "one", "theme", "dark.tokens.json"))
        on_the_platform({**COLORS, "slate": ("#992233", "#995566")})
        tokensync("-q", "pull", code=4)
        assert [each["member"] for each in entries(project)] == ["in light", "in dark"]
        answer(project, "ours")
        assert "in dark" not in tokensync("-q", "pull", code=4).stderr
        assert [(each["member"], each.get("take")) for each in entries(project)] == [
            ("in dark", "ours"),
            ("in light", None),
        ]
        answer(project, "theirs")
        tokensync("-q", "pull")
        assert shown_in(project) == "theirs"
        assert not (project / CONFLICTS).exists()

    def test_a_flag_resolves_conflicts_without_an_entry(self, project):
        edit(project, '"#445566"', '"#405566"', ("tokens", "one", "theme", "dark.tokens.json"))
        edit(project, "0.26666668", "0.2509804", ("tokens", "one", "theme", "dark.tokens.json"))
        on_the_platform({**COLORS, "slate": ("#992233", "#995566")})
        tokensync("-q", "pull", code=4)
        answer(project, "theirs")
        tokensync("-q", "pull", "--ours")
        assert shown_in(project) == "ours"
        assert "#995566" in (project / "tokens" / "one" / "theme" / "dark.tokens.json").read_text("utf-8")

    def test_a_plan_keeps_the_answers_that_it_was_made_with(self, project):
        tokensync("-q", "plan", code=4)
        answer(project, "theirs")
        tokensync("-q", "plan")
        tokensync("-q", "pull")
        assert shown_in(project) == "theirs"

    @pytest.mark.parametrize(
        ("content", "line"),
        [
            ("[[conflict]\n", 1),
            ("#\n\udcff", 2),
            ('\n[[conflict]]\ntake = "mine"\n', 3),
            ("#\nconflict = 5\n", 2),
            ('[[conflict]]\nfile = {}\ntake = "ours"\n', 2),
            ("[[conflict]]\n\nmember = 1\n", 3),
            (f"\nconflict = {'[' * 5000}", 2),
            (f"\n\nx = {'9' * 5000}", 3),
        ],
    )
    def test_an_unreadable_conflicts_file_is_reported(self, project, content, line):
        (project / CONFLICTS).write_bytes(content.encode("utf-8", "surrogateescape"))
        message = tokensync("-q", "pull", code=1).stderr
        assert "conflicts-unreadable" in message
        assert f"{CONFLICTS}:{line}" in message

    def test_names_from_the_platform_cannot_break_the_file(self, folder):
        project_in(folder)
        name = 'a"\\\n\x7f\u2028[[x]]'
        on_the_platform({name: ("one", "two")})
        tokensync("-q", "pull")
        edit(folder, '"one"', '"mine"')
        on_the_platform({name: ('th"""ei\\rs', "two")})
        tokensync("-q", "pull", code=4)
        answer(folder, "theirs")
        tokensync("-q", "pull")
        assert not (folder / CONFLICTS).exists()


class TestPlaces:
    def test_a_token_is_found_in_the_file_of_the_mode_that_is_asked_for(self, project):
        loaded = load_project(None)
        with connect(loaded) as client:
            merged = merged_file(loaded, client, loaded.config.files[0])
        key = TokenKey("one", "theme", "text.muted")
        path, line, rest = merged.location_of(key, "dark").split(":")
        assert path.endswith("one/theme/dark.tokens.json")
        assert rest.endswith("(#/theme/text/muted)")
        assert '"muted"' in (project / path).read_text("utf-8").splitlines()[int(line) - 1]
        assert "light.tokens.json:" in merged.location_of(key, None)
        assert merged.location_of(TokenKey("one", "theme", "none"), None) == "one / theme / none"


class TestLockWithGitConflict:
    @pytest.fixture
    def conflicted(self, folder):
        """A project in sync, in whose lock git has left a conflict between two equal sides."""
        pulled_in(folder)
        lock = folder / "tokensync.lock"
        text = lock.read_text("utf-8")
        lock.write_text(f"<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> theirs\n", encoding="utf-8")
        return text

    @pytest.mark.parametrize("verb", ["status", "plan", "pull --dry-run"])
    def test_each_command_that_merges_reports_the_conflict(self, conflicted, verb):
        done = tokensync(*verb.split(), "-v", code=3 if verb == "status" else 0)
        assert "tokensync.lock:1: git has left a conflict here" in done.stderr

    def test_check_reports_it_once_as_an_error(self, conflicted):
        stderr = tokensync("check", code=5).stderr
        assert stderr.count("tokensync.lock:1") == 1

    @pytest.mark.parametrize("edited", [True, False])
    def test_apply_refuses_and_writes_nothing(self, conflicted, folder, edited):
        if edited:
            edit(folder, "0.06666667", "0.0627451")
            edit(folder, "#112233", "#102233")
        tokensync("plan")
        before = files_in(folder)
        assert "run tokensync pull" in tokensync("apply", code=4).stderr
        assert files_in(folder) == before

    def test_a_dry_run_leaves_the_conflict(self, conflicted, folder):
        before = files_in(folder)
        tokensync("pull", "--dry-run")
        assert files_in(folder) == before

    def test_pull_resolves_it(self, conflicted, folder):
        said = tokensync("pull").stderr
        assert "tokensync.lock:1: git had left a conflict here, and this pull has merged both sides; commit" in said
        assert (folder / "tokensync.lock").read_text("utf-8") == conflicted
        assert "lock-conflicted" not in tokensync("status", "-v").stderr
        tokensync("plan")
        tokensync("apply")
