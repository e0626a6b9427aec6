"""Outputs, summaries, annotations and issues of runs, within the limits of the runner."""

from __future__ import annotations

import datetime as dt
import json
import re
from pathlib import Path

import pytest
from action.github import BOT, Failure, git
from action.nights import Harbor
from action.runner_files import outputs_in
from action.test_nights import CHANGED
from ci_runners import commands
from commands.projects import COLORS
from hypothesis import given
from hypothesis import strategies as st

from tokensync.action import texts
from tokensync.action.runner import Runner, inputs
from tokensync.action.texts import wants_rebase
from tokensync.plan.comparing import Difference
from tokensync.system.errors import UsageError
from tokensync.system.outlet.findings import annotation
from tokensync.system.outlet.markdown import LARGEST, Block, document, plain, row, text
from tokensync.tokens import TokenKey

HOSTILE = ["a\nb", "a\r\nb<<EOF\nc=d", "EOF", "::error::x", "x=1", "<<", "", "##[add-mask]a", "\n", "tokensync-0"]


def runner_in(folder: Path) -> Runner:
    for name in ("output", "summary"):
        (folder / name).touch()
    names = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary", "RUNNER_TEMP": "temp"}
    return Runner({name: str(folder / path) for name, path in names.items()}, str(folder))


class TestOutputs:
    @pytest.mark.parametrize("value", [*HOSTILE, "x" * (2 << 20)])
    def test_every_value_arrives_and_adds_no_other_output(self, tmp_path, value):
        runner = runner_in(tmp_path)
        runner.output("plan", value)
        runner.output("changed", "false")
        found = outputs_in(tmp_path / "output")
        assert found == {
            "plan": "\n".join(value.splitlines()) if value.strip("\n") else found["plan"],
            "changed": "false",
        }

    def test_a_name_that_is_not_ours_is_refused(self, tmp_path):
        with pytest.raises(ValueError, match="a=b"):
            runner_in(tmp_path).output("a=b", "c")


class TestSummary:
    @pytest.mark.parametrize("more", [-2, -1, 0, 1])
    def test_it_stays_below_the_limit_and_is_cut_at_a_row_with_a_count(self, tmp_path, more):
        runner = runner_in(tmp_path)
        wide = row(plain("ü日本" * 50))
        rows = tuple(wide for _ in range((1 << 20) // (len(wide.encode()) + 1) + more))
        runner.summary([Block((text("<details>"),), rows, tail=(text("</details>"),))])
        written = (tmp_path / "summary").read_bytes()
        assert 900_000 < len(written) < 1 << 20
        lines = written.decode().rstrip("\n").split("\n")
        assert lines[-1] == "</details>"
        assert lines[-2].startswith("… and ")
        assert set(lines[1:-3]) == {wide}

    def test_what_earlier_parts_of_the_step_wrote_counts(self, tmp_path):
        runner = runner_in(tmp_path)
        (tmp_path / "summary").write_bytes(b"x" * 1_000_000)
        runner.summary([Block(rows=tuple(plain("a") for _ in range(100_000)))])
        assert len((tmp_path / "summary").read_bytes()) < 1 << 20

    @pytest.mark.parametrize("size", [1_048_574, 1_048_575, 1_048_576, 1_048_577])
    @pytest.mark.parametrize("letters", ["a" * 99, "日" * 33, "🎨" * 24], ids=["narrow", "wide", "astral"])
    def test_several_summaries_of_one_step_stay_below_the_limit_and_count_each_omitted_row(
        self, tmp_path, size, letters
    ):
        runner = runner_in(tmp_path)
        wide = row(plain(letters))
        missing = size - 7_000 * (len(wide.encode()) + 1) - 21
        padding = (*(plain("x" * 1_999),) * (missing // 2_000), plain("x" * (missing % 2_000 - 1)))
        blocks = [Block((text("<details>"),), (wide,) * 7_000, tail=(text("</details>"),)), Block(rows=padding)]
        assert len(document(blocks, 2 << 20, lambda each: len(each.encode())).encode()) == size
        path, start = tmp_path / "summary", 0
        for _ in range(4):
            runner.summary(blocks)
            written = path.read_bytes()
            own = written[start:].decode().splitlines()
            counts = re.findall(r"(?m)^… and ([\d,]+) more$|^… and .* with ([\d,]+) rows?$", "\n".join(own))
            omitted = sum(int(each.replace(",", "")) for pair in counts for each in pair if each)
            shown = own.count(wide) + sum(each.startswith("x") for each in own)
            assert shown + omitted == 7_000 + len(padding)
            assert own.count("<details>") == own.count("</details>")
            start = len(written)
        assert start < 1 << 20

    def test_it_begins_on_a_line_of_its_own_after_other_output_of_the_step(self, tmp_path):
        runner = runner_in(tmp_path)
        (tmp_path / "summary").write_bytes(b"no line end")
        runner.summary([Block((text("## Title"),))])
        assert (tmp_path / "summary").read_text(encoding="utf-8") == "no line end\n\n## Title\n"

    def test_sentences_that_do_not_fit_are_counted(self, tmp_path):
        runner = runner_in(tmp_path)
        runner.summary([texts.title("tokensync pull failed", "a"), texts.lines(*("é" * 999 for _ in range(3_000)))])
        written = (tmp_path / "summary").read_text(encoding="utf-8")
        shown = written.count("é" * 999)
        assert shown > 400
        assert written.endswith(f"… and {3_000 - shown:,} more\n")

    @given(st.integers(0, 3_000), st.lists(st.text(max_size=20), max_size=60))
    def test_a_document_never_has_more_bytes_than_allowed(self, largest, rows):
        def measure(written: str) -> int:
            return len(written.encode())

        assert measure(document([Block(rows=tuple(map(plain, rows)))], largest, measure)) <= largest


class TestBodies:
    def test_many_themes_and_platforms_leave_space_for_what_the_body_has_to_say(self):
        platforms = tuple(texts.Platform("android" * 500, 1, 1, 1) for _ in range(40))
        reach = texts.Impact(
            frozenset([TokenKey("one", "theme", "blue")]),
            tuple((f"theme {each} {'ü' * 90}", 1) for each in range(4_000)),
            platforms,
        )
        changed = [Difference("one", "theme", "blue", "new", ())]
        blocks = texts.changes(changed, reach)
        body = texts.pull_body("a", blocks, fingerprint="f" * 64, branch="b", has_app=False, has_lock=False)
        assert len(body) <= LARGEST
        assert "Reaches 1 token, also" in body
        assert "and 3,980 more" in body
        assert "blue" in body
        assert "<!-- tokensync:rebase -->" in body
        assert "f" * 64 in body

    @pytest.mark.parametrize(("count", "expected"), [(1, "the 1 operation below"), (3, "the 3 operations below")])
    def test_counts_agree_with_their_nouns(self, count, expected):
        assert f"Merging applies exactly {expected} (" in texts.plan_comment(text("x"), (), "f" * 64, count)

    def test_pull_requests_and_runs_are_links(self):
        url = "https://github.example/o/n"
        shown = document([texts.linked(url, "Result: opened #3", f"It waits in a pull request: {url}/pull/4")])
        assert f"opened [&#x23;3]({url}/pull/3)" in shown
        assert f"]({url}/pull/4)" in shown
        assert "<code>" not in shown
        assert f"]({url}/actions/runs/7)" in texts.failure("pull", "a", "b", f"{url}/actions/runs/7")
        assert "](" not in document([texts.linked("file:///a) [b](c", "opened #3")])


class TestInputs:
    def test_a_switch_is_true_or_false(self):
        assert inputs({"TOKENSYNC_ACTION_SIGN": "True"}).sign
        with pytest.raises(UsageError, match="sign: 'yes' is neither true nor false"):
            inputs({"TOKENSYNC_ACTION_SIGN": "yes"})

    def test_failures_are_reported_by_default_where_nobody_watches(self):
        assert inputs({"GITHUB_EVENT_NAME": "schedule"}).report
        assert not inputs({"GITHUB_EVENT_NAME": "workflow_dispatch"}).report
        assert not inputs({"GITHUB_EVENT_NAME": "schedule", "TOKENSYNC_ACTION_REPORT": "false"}).report


class TestIssues:
    def test_a_failed_night_opens_one_issue_and_the_next_green_one_closes_it(self, harbor, github):
        failure = Failure("GET", "/pulls$", 403, {"message": "Resource not accessible by integration"})
        for _ in range(2):
            github.failures.append(failure)
            assert harbor.night().code == 1
        (issue,) = github.issues.values()
        assert issue["title"] == "tokensync: pull fails (tokensync.toml)"
        assert len(github.comments[issue["number"]]) == 1
        assert harbor.night().code == 0
        assert issue["state"] == "closed"
        assert harbor.night().code == 0
        assert len(github.comments[issue["number"]]) == 2

    def test_an_invalid_configuration_is_reported_too(self, harbor, github):
        harbor.commit("tokensync.toml", "base_url = 3\n")
        assert harbor.night().code == 2
        (issue,) = github.issues.values()
        assert "base" in issue["body"]

    def test_the_title_of_an_issue_has_at_most_256_characters(self, harbor, github):
        folder = "/".join(["a" * 99] * 3)
        for _ in range(2):
            assert harbor.night(TOKENSYNC_ACTION_CONFIG=f"{folder}/tokensync.toml").code == 2
        (issue,) = github.issues.values()
        assert len(issue["title"]) == 256

    def test_an_issue_of_somebody_else_with_the_same_title_is_left_alone(self, harbor, github):
        title = "tokensync: pull fails (tokensync.toml)"
        github.issues[900] = {"number": 900, "title": title, "state": "open", "user": {"login": "eve"}, "body": ""}
        assert harbor.night().code == 0
        assert github.issues[900]["state"] == "open"

    @pytest.mark.parametrize(("days", "announced"), [(14, True), (15, False), (0, True), (-3, True)])
    def test_the_end_of_a_token_is_announced_once_from_14_days_before(self, harbor, github, days, announced):
        day = (dt.datetime.now(dt.UTC).date() + dt.timedelta(days=days)).isoformat()
        for _ in range(2):
            night = harbor.night(TOKENSYNC_ACTION_TOKEN_EXPIRES=day)
            assert night.code == 0
            assert ("it expires on" in night.output) == announced
        assert [each["title"] for each in github.issues.values()] == (
            [f"tokensync: the Figma token expires on {day}"] if announced else []
        )

    def test_a_wrong_day_is_refused(self, harbor, github):
        night = harbor.night(TOKENSYNC_ACTION_TOKEN_EXPIRES="soon")
        assert night.code == 2
        assert "YYYY-MM-DD" in night.error
        (issue,) = github.issues.values()
        assert "YYYY-MM-DD" in issue["body"]
        assert "could not be written" not in night.output

    def test_a_conflict_is_counted_and_reported(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.edit_token("#ddeeff")
        night = harbor.night()
        assert (night.code, night.outputs["conflicts"], night.outputs["changed"]) == (4, "1", "true")
        (issue,) = github.issues.values()
        assert issue["user"]["login"] == BOT
        assert "1a2b3c" in issue["body"]


@pytest.mark.parametrize("below", ["", "packages/our tokens"])
class TestPaths:
    """Paths are relative to the checkout wherever somebody reads them, who does not know the runner's folders."""

    def harbor(self, github, tmp_path, monkeypatch, capsys, below):
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        return Harbor(github, tmp_path, monkeypatch, capsys, below)

    def text_of(self, markdown):
        """Return the text that a reader sees."""
        return re.sub(r"&#x(\w+);", lambda match: chr(int(match[1], 16)), re.sub("</?code>", "", markdown))

    def test_of_errors(self, github, tmp_path, monkeypatch, capsys, below):
        harbor = self.harbor(github, tmp_path, monkeypatch, capsys, below)
        path = f"{below}/tokens/one/theme/light.tokens.json".lstrip("/")
        head = harbor.commit(path, '{"theme": {"x": {"$type": "color", "$value": "{missing}"}}}\n')
        event = {"pull_request": {"number": 3, "head": {"sha": head}}}
        nights = {
            mode: harbor.night(mode, event=event, GITHUB_EVENT_NAME=name)
            for mode, name in (("pull", "schedule"), ("check", "pull_request"), ("plan", "pull_request"))
        }
        (issue,), (comment,) = github.issues.values(), github.comments[3]
        log = Path(nights["check"].outputs["sarif"]).read_text("utf-8")
        texts = [issue["body"], comment["body"], log, *(text for each in nights.values() for text in each[2:5:2])]
        for each in texts:
            assert path in self.text_of(each)
            assert "/job-" not in self.text_of(each)

    def test_of_merge_conflicts_which_are_annotated_where_they_are(self, github, tmp_path, monkeypatch, capsys, below):
        harbor = self.harbor(github, tmp_path, monkeypatch, capsys, below)
        harbor.edit_token("#aabbcc")
        harbor.seed({**COLORS, "slate": ("#4d5e6f", "#445566")})
        night = harbor.night()
        path = f"{below}/tokens/one/theme/light.tokens.json".lstrip("/")
        position = re.search(r"(?m)^::error file=(.*),line=(\d+),col=\d+,title=merge-conflict::(.*)$", night.output)
        assert position[1] == path
        source = git(github.bare, "show", f"main:{path}").split("\n")
        assert '"slate": {' in source[int(position[2]) - 1]
        assert position[3].startswith("in light was #112233, is #aabbcc in the token files and #4d5e6f in Figma")
        (issue,) = github.issues.values()
        for each in (night.error, night.summary, issue["body"]):
            assert path in self.text_of(each)
            assert "/job-" not in self.text_of(each)


def test_an_annotation_has_the_line_ends_of_its_message():
    assert annotation("error", "one\ntwo\r") == "::error::one%0Atwo\\r"
    assert annotation("error", "one\n::error::two") == "::error::one%0A:\\x3aerror::two"


class TestOtherModes:
    def test_check_annotates_with_paths_from_the_top_and_writes_sarif(self, github, tmp_path, monkeypatch, capsys):
        harbor = Harbor(github, tmp_path, monkeypatch, capsys, below="packages/tokens")
        path = "packages/tokens/tokens/one/theme/light.tokens.json"
        harbor.commit(path, '{"theme": {"x": {"$type": "color", "$value": "{missing}"}}}\n')
        night = harbor.night("check", GITHUB_EVENT_NAME="pull_request")
        assert night.code == 5
        assert f"file={path},line=1" in night.output
        log = json.loads(Path(night.outputs["sarif"]).read_text(encoding="utf-8"))
        places = [each["locations"][0]["physicalLocation"] for each in log["runs"][0]["results"]]
        assert path in {each["artifactLocation"]["uri"] for each in places}

    def test_annotations_about_the_run_do_not_push_the_count_of_findings_out(self, harbor):
        wrong = {f"n{each}": {"$type": "color", "$value": "{missing}"} for each in range(30)}
        harbor.commit("tokens/one/theme/light.tokens.json", json.dumps({"theme": wrong}))
        expiry = dt.datetime.now(dt.UTC).date().isoformat()
        night = harbor.night("check", GITHUB_EVENT_NAME="pull_request", TOKENSYNC_ACTION_TOKEN_EXPIRES=expiry)
        for level in ("error", "warning", "notice"):
            assert len([each for each in commands(night.output) if each.startswith(f"::{level}")]) <= 10
        shown = [each for each in commands(night.output) if each.startswith("::error file")]
        assert len(shown) == 7
        assert re.search(r"(?m)^::error::(\d+) more, of (\d+) in total", night.output)

    def test_a_check_without_findings_advises_nothing_and_annotates_nothing(self, harbor):
        night = harbor.night("check")
        assert (night.code, night.outputs["changed"]) == (0, "false")
        assert json.loads(night.outputs["matrix"]) == {"file": ["one"]}
        assert "tokensync build" not in night.summary
        assert commands(night.output) == []

    def test_a_project_with_too_many_files_for_a_matrix_is_checked(self, harbor, github):
        text = (harbor.work / "tokensync.toml").read_text("utf-8")
        more = "".join(f'\n[[files]]\nname = "more{each}"\nkey = "More{each}"\n' for each in range(256))
        harbor.commit("tokensync.toml", text + more)
        night = harbor.night("check")
        assert (night.code, night.error) == (5, "")  # there are no token files of the others
        assert night.outputs["sarif"]
        assert "matrix" not in night.outputs
        assert "::warning::tokensync.toml: 257 files are configured" in night.output

    def test_check_names_outdated_outputs(self, harbor):
        harbor.commit("web/tokens.css", "a {}\n/* tokensync */\n")
        night = harbor.night("check")
        assert (night.code, night.outputs["changed"]) == (3, "true")
        assert "tokensync build" in night.summary

    def test_drift_reports_differences_and_writes_nothing(self, harbor, github):
        assert harbor.night("drift").code == 0
        harbor.seed(CHANGED)
        night = harbor.night("drift")
        assert (night.code, night.outputs["changed"]) == (3, "true")
        assert "1 change in the design file" in night.summary
        assert github.pulls == []

    def test_drift_is_in_sync_exactly_if_status_is(self, harbor):
        lock = (harbor.work / "tokensync.lock").read_text("utf-8")
        harbor.commit("tokensync.lock", f"<<<<<<< ours\n{lock}=======\n{lock}>>>>>>> theirs\n")
        night = harbor.night("drift")
        assert (night.code, night.outputs["changed"]) == (3, "true")
        assert "git has left a conflict" in night.summary


def test_names_from_a_design_file_forge_nothing_in_log_body_and_commit(harbor, github):
    from action.nights import BRANCH

    names = (
        "##[error]x",
        "::set-output name=a::b",
        "@team",
        "fixes 1",
        "[skip ci]",
        "<!-- tokensync:rebase -->",
        "[x]",
    )
    harbor.seed({**COLORS, **{f"n{number}/{each}": ("#010203", "#010203") for number, each in enumerate(names)}})
    night = harbor.night()
    assert night.code == 0, night.error
    assert commands(night.output) == [
        each for each in commands(night.output) if each.startswith(("::warning", "::notice"))
    ]
    (pull,) = github.open_pulls()
    message = git(github.bare, "show", "-s", "--format=%B", BRANCH)
    parsed = git(github.bare, "interpret-trailers", "--parse", input=message)
    assert [line.split(":")[0] for line in parsed.split("\n")] == [
        "Tokensync-Kind",
        "Tokensync-Tree",
        "Tokensync-Fingerprint",
        "Tokensync-Config",
    ]
    for each in (message, pull["body"], pull["title"]):
        assert "[skip ci]" not in each
        assert "@team" not in each
    assert not wants_rebase(pull["body"])
    assert harbor.night().code == 0
    assert git(github.bare, "check-ref-format", f"refs/heads/{BRANCH}") == ""
