"""Plan files: existing files that a plan must not overwrite."""

from pathlib import Path

import msgspec
import pytest
from commands.projects import COLORS, files_in, on_the_platform, project_in, tokensync


@pytest.fixture
def project(folder):
    project_in(folder)
    on_the_platform({**COLORS, "label": ("a word", "another")})
    tokensync("pull")
    return folder


@pytest.mark.parametrize("path", ["tokens/one/theme/light.tokens.json", "tokens/one.resolver.json", "tokensync.lock"])
def test_plan_does_not_overwrite_a_file_of_the_project(project, path):
    assert Path(path).is_file()
    before = files_in(project)
    assert f"{path}:1: this is not a plan" in tokensync("plan", "-o", path, code=2).stderr
    assert files_in(project) == before


class TestOrigin:
    """``apply`` without a file carries out a plan of the present token files only."""

    @pytest.fixture
    def planned(self, project):
        edit("a word", "a thing")
        tokensync("-q", "plan")
        return project

    def test_plan_of_the_present_files_is_applied(self, planned):
        assert tokensync("apply").stderr.startswith("one: applied in 1 request")

    @pytest.mark.parametrize(
        ("path", "content"),
        [
            ("tokens/one/theme/dark.tokens.json", None),
            ("tokens/one/theme/sepia.tokens.json", "{}"),
            ("tokensync.lock", ""),
            ("tokensync.conflicts.toml", "# an answer\n"),
        ],
    )
    def test_plan_of_other_files_is_refused(self, planned, path, content):
        if content is None:
            Path(path).unlink()
        else:
            Path(path).write_text(content, encoding="utf-8")
        refused(planned)

    def test_plan_is_refused_when_its_edit_is_taken_back(self, planned):
        edit("a thing", "a word")
        refused(planned)
        assert "the token files, tokensync.lock or the settings are not those" in tokensync("apply", code=4).stderr

    @pytest.mark.parametrize("option", ["--force", "--rebase"])
    def test_no_option_permits_it(self, planned, option):
        edit("a thing", "a word")
        refused(planned, option)

    def test_plan_of_other_settings_is_refused(self, planned):
        config = Path("tokensync.toml")
        config.write_text(
            config.read_text("utf-8") + '[[allow]]\nfinding = "delete used"\nsubject = "*"\n', encoding="utf-8"
        )
        refused(planned)

    def test_plan_without_a_digest_is_refused(self, planned):
        path = Path(".tokensync/plan.json")
        path.write_bytes(msgspec.json.encode(msgspec.json.decode(path.read_bytes()) | {"made_from": ""}))
        refused(planned)

    def test_timeouts_line_ends_and_comments_do_not_count(self, planned):
        config = Path("tokensync.toml")
        config.write_text(f"{config.read_text('utf-8')}# faster\n[client]\nattempts = 1\n", encoding="utf-8")
        for path in Path("tokens").rglob("*.json"):
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        tokensync("apply")

    def test_named_file_is_a_reviewed_plan(self, planned):
        Path(".tokensync/plan.json").rename("reviewed.json")
        edit("a thing", "a word")
        assert tokensync("apply", "reviewed.json").stderr.startswith("one: applied in 1 request")

    def test_reversal_of_an_apply_is_applied(self, planned):
        tokensync("apply")
        (receipt,) = Path(".tokensync/applies").glob("*/receipt.json")
        tokensync("rollback", receipt)
        assert tokensync("apply").stderr.startswith("one: applied in 1 request")


def edit(old, new):
    """Replace a word in a token file."""
    path = Path("tokens/one/theme/light.tokens.json")
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8", newline="\n")


def refused(project, *options):
    """Apply the default plan, and assert that no apply began."""
    assert "make a new plan with tokensync plan" in tokensync("apply", *options, code=4).stderr
    assert not (project / ".tokensync" / "applies").exists()
