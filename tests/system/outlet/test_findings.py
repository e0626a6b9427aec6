"""Findings as code frames, SARIF and annotations of GitHub Actions: what their readers get back is what was written."""

import io
import json
import re
import sys
from urllib.parse import unquote

import pytest
from ci_runners import commands
from hypothesis import given
from hypothesis import strategies as st

from tokensync.system import outlet
from tokensync.system.outlet import Outlet, findings
from tokensync.system.outlet.characters import visible
from tokensync.system.outlet.findings import Finding, frame, sarif, workflow_commands
from tokensync.system.problems import problem

PATHS = ("a b.json", "a#b.json", "a%20b.json", "a[b].json", "c:/x.json", "c:x.json", "größe.json", "a?b&c,d.json")
MESSAGES = ("{0}", "{color.a} and }", "[x](javascript:1)", "a\\[b]\\", "a\nb", "50 % of ::error::x", "##[error]x")
PARTS = (*"%:,\r\n[](){}\\#= aé\U0001f3a8\x1b\u202e", "::error::", "##[", "##vso[")
HOSTILE = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


def finding(what="it is wrong", path="tokens/a.json", line=3, column=2, text=' "a": 1', code="contrast-low"):
    return Finding(problem(code, f"{path}:{line}:{column} (#/a)", what, "correct it"), path, line, column, text)


def plain_text(message):
    """Read a plain text message as SARIF 3.11.5 and 3.11.6 say, without arguments."""
    assert not re.search(r"(?<!\{)\{(?:\{\{)*\d+\}", message)
    text = re.sub(r"\{\{|\}\}", lambda match: match[0][0], message)
    assert not re.search(r"(?<!\\)(?:\\\\)*\[[^\]]*(?<!\\)(?:\\\\)*\]\(", text)
    return re.sub(r"\\([\\\[\]])", r"\1", text)


def read_command(command):
    """Read a workflow command as the runner does: name, properties and data."""
    match = re.fullmatch(r"::(\w+)(?: ([^\n\r]*?))?::([^\n\r]*)", command)
    assert match
    properties = dict(part.partition("=")[::2] for part in (match[2] or "").split(",") if part)
    for name, value in properties.items():
        for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            value = value.replace(escape, character)  # noqa: PLW2901 - one step after another
        properties[name] = value
    data = match[3].replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
    return match[1], properties, data


class TestSarif:
    @pytest.mark.parametrize("path", PATHS)
    def test_a_reader_decodes_the_same_path_which_no_reader_takes_for_another(self, path):
        (run,) = sarif([finding(path=path)])["runs"]
        location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert unquote(location["uri"]) == path
        assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", location["uri"])
        assert ":" not in location["uri"]

    @pytest.mark.parametrize("message", MESSAGES)
    def test_a_reader_decodes_the_same_text(self, message):
        (run,) = sarif([finding(message)])["runs"]
        assert plain_text(run["results"][0]["message"]["text"]) == f"{visible(message)}; correct it"

    @given(st.text("a日\U0001f3a8", max_size=20), st.integers(0, 25))
    def test_a_column_is_that_of_the_text_in_utf_16(self, text, column):
        before = text[: max(column - 1, 0)]
        longer = len(before.encode("utf-16-le")) // 2 - len(before)
        assert finding(column=column, text=text).utf_16_column == column + longer

    def test_columns_of_many_findings_in_a_long_line_take_little_time(self):
        line = "日" * 2 * 10**6
        found = [finding(column=10**6 + each, text=line) for each in range(5_000)]
        assert sum(each.utf_16_column - each.column for each in found) == 0

    def test_columns_count_utf_16_code_units(self):
        (run,) = sarif([finding(column=4, text="\U0001f3a8\U0001f3a8a: 1")])["runs"]
        region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
        assert region == {"startLine": 3, "startColumn": 6}

    def test_five_thousand_results_are_kept_errors_first_and_the_rest_is_counted(self):
        notes = [finding(f"note {number}", code="limit-near") for number in range(6_000)]
        (run,) = sarif([*notes, finding("error")])["runs"]
        assert len(run["results"]) == 5_000
        assert run["results"][0]["level"] == "error"
        (notification,) = run["invocations"][0]["toolExecutionNotifications"]
        assert notification["message"]["text"] == "1,001 of 6,001 results are omitted"

    def test_fingerprints_survive_new_lines_and_values_and_are_never_equal(self):
        def prints(*findings):
            (run,) = sarif(findings)["runs"]
            return [each["partialFingerprints"]["tokensync/v1"] for each in run["results"]]

        before = prints(finding("contrast is 3.95 on #fff"), finding("it is twice"), finding("it is twice", column=9))
        after = prints(
            finding("contrast is 4.1 on #eee", line=9), finding("it is twice"), finding("it is twice", column=9)
        )
        assert before == after
        assert len(set(before)) == 3

    def test_a_finding_outside_of_files_is_in_the_default_file_with_its_place_in_the_text(self):
        outside = Finding(problem("layer-order-unclear", "theme, primitives", "both ways", "add layers"))
        (run,) = sarif([outside], "tokensync.toml")["runs"]
        (result,) = run["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "tokensync.toml"
        assert result["message"]["text"].startswith("theme, primitives: both ways")

    def test_every_rule_has_a_level_and_an_address_of_its_own_on_the_page_of_problems(self, monkeypatch):
        monkeypatch.setattr(findings, "SITE", "https://docs.example/")
        (run,) = sarif([finding(), finding(code="limit-near")])["runs"]
        rules = run["tool"]["driver"]["rules"]
        assert [each["helpUri"].partition("#")[2] for each in rules] == [each["id"] for each in rules]
        assert [rules[each["ruleIndex"]]["id"] for each in run["results"]] == [
            each["ruleId"] for each in run["results"]
        ]
        assert [each["defaultConfiguration"]["level"] for each in rules] == ["error", "note"]


class TestAnnotations:
    @pytest.mark.parametrize("path", PATHS)
    def test_the_runner_reads_the_position_as_it_was_written(self, path):
        (command,) = workflow_commands([finding(path=path, column=4, text="\U0001f3a8ab: 1")])
        name, properties, data = read_command(command)
        assert name == "error"
        assert properties == {"file": path, "line": "3", "col": "5", "title": "contrast-low"}
        assert data == "it is wrong; correct it"

    @given(HOSTILE, HOSTILE)
    def test_no_text_adds_a_line_a_property_or_a_command(self, what, path):
        (command,) = workflow_commands([finding(what, path=path or "a")])
        name, properties, data = read_command(command)
        assert name == "error"
        assert set(properties) == {"file", "line", "col", "title"}
        assert commands(data.replace("::", "")) == []
        assert "##[" not in command
        assert "##vso" not in command

    def test_ten_of_each_level_are_written_and_the_last_one_counts_the_rest(self):
        many = [finding(f"number {number}") for number in range(25)]
        few = [finding(f"number {number}", code="limit-near") for number in range(10)]
        read = [read_command(each) for each in workflow_commands([*few, *many])]
        assert [name for name, _, _ in read] == ["error"] * 10 + ["notice"] * 10
        assert read[9] == ("error", {}, "16 more, of 25 in total; with -v, the log lists them")

    def test_other_annotations_of_a_step_can_have_a_part_of_the_ten(self):
        read = [
            read_command(each)
            for each in workflow_commands(
                [finding(f"number {number}") for number in range(9)], 2, "the summary lists them"
            )
        ]
        assert len(read) == 8
        assert read[7] == ("error", {}, "2 more, of 9 in total; the summary lists them")

    def test_a_message_is_cut_where_the_runner_cuts_it(self):
        (command,) = workflow_commands([finding("%" * 5000)])
        assert read_command(command)[2] == "%" * 4095 + "…"

    def test_only_the_outlet_for_commands_writes_them_unbroken_and_always_on_a_line_of_their_own(self, monkeypatch):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="")
        monkeypatch.setattr(sys, "stdout", Outlet(stream))
        (command,) = workflow_commands([finding("größer")])
        sys.stdout.write("::error::x\nfirst")
        outlet.write_commands([command])
        sys.stdout.write("::error::x\n")
        sys.stdout.flush()
        written = stream.buffer.getvalue().decode("utf-8").split("\n")
        assert [commands(each) != [] for each in written] == [False, False, True, False, False]
        assert written[2] == command


class TestFrames:
    def test_the_caret_is_below_the_column_also_after_wide_letters_and_tabs(self):
        source, caret = frame(finding(column=4, text='\t日"a": 1'))
        assert source.endswith('3 |     日"a": 1')
        assert caret.index("^") == len("     3 |     ") + 2 + 1

    def test_a_long_line_is_cut_around_the_column_and_hostile_text_is_escaped(self):
        source, caret = frame(finding(column=300, text="a" * 299 + "\x1b##[error]" + "b" * 300))
        assert len(source) < 150
        assert source[caret.index("^") :].startswith("\\x1b#\\x23[error]")

    def test_there_is_none_without_a_line(self):
        assert frame(Finding(problem("layer-order-unclear", "a, b", "both ways", "add layers"))) == ()


def test_documents_are_json():
    assert json.loads(json.dumps(sarif([finding()])))["version"] == "2.1.0"
