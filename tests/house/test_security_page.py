"""SECURITY.md: each sentence has tests or promises nothing, and what each setting and file of a checkout may choose."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import get_args

import msgspec
import pytest
import responses
import yaml
from commands.projects import project_in, quickstart_in, tokensync

from tokensync.project.configuration import FILE_NAME, PYPROJECT
from tokensync.project.connection import STATE_FOLDER
from tokensync.project.lock import LOCK
from tokensync.project.merging import CONFLICTS
from tokensync.project.outputs import MANIFEST
from tokensync.settings import Config

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
TESTS = sorted(set(re.findall(r"\btests/[\w/.]*\w", PAGE)))


sys.path.append(str(ROOT / "checks"))
import security_sentences  # noqa: E402

SENTENCES = [*security_sentences.sentences(PAGE)]
LISTS = security_sentences.lists()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def network():
    """Refuse every request, and record it."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


def tables(text):
    """Return the rows of each table as lists of cells, by the name of its first column."""
    found, rows = {}, None
    for line in text.splitlines():
        cells = [each.strip() for each in line.strip("|").split("|")]
        if not line.startswith("|"):
            rows = None
        elif rows is None:
            rows = found.setdefault(cells[0], [])
        elif not set(line) <= {"|", "-", " "}:
            rows.append(cells)
    return found


def settings(struct=Config, prefix=""):
    """Yield the dotted name of each setting that is not a table of others."""
    for each in msgspec.structs.fields(struct):
        inner = next((t for t in (each.type, *get_args(each.type)) if hasattr(t, "__struct_fields__")), None)
        name = prefix + each.encode_name
        if inner is None:
            yield name
        else:
            yield from settings(inner, f"{name}.")


def rows_of(column):
    return tables(PAGE)[column]


@pytest.mark.parametrize("path", TESTS)
def test_named_test_exists(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("column", ["promise", "setting", "file"])
def test_each_row_names_its_test(column):
    for row in rows_of(column):
        assert re.search(r"\btests/", row[-1]), row


def test_each_choice_is_of_a_known_kind_with_its_limits():
    for row in (*rows_of("setting"), *rows_of("file")):
        assert row[1] in ("allowed", "bounded", "refused"), row
        assert row[2] or row[1] == "refused", row


def test_each_setting_is_listed_once_and_no_other():
    listed = [name for row in rows_of("setting") for name in re.findall(r"`([$\w.]+)`", row[0])]
    assert sorted(listed) == sorted(settings())


def test_new_setting_would_be_missing():
    class More(Config, frozen=True, kw_only=True):
        plugins: tuple[str, ...] = ()

    assert set(settings(More)) - set(settings()) == {"plugins"}
    assert "outputs.include.paths" in set(settings())


@pytest.mark.parametrize("name", [FILE_NAME, PYPROJECT, LOCK, CONFLICTS, MANIFEST, f"{STATE_FOLDER}/"])
def test_each_file_of_a_project_is_listed(name):
    assert any(f"`{name}`" in row[0] for row in rows_of("file"))


def test_each_sentence_has_tests_or_promises_nothing():
    listed = [*LISTS.tested, *LISTS.no_promise]
    assert [sentence for sentence in SENTENCES if sentence not in listed] == []
    assert [sentence for sentence in listed if sentence not in SENTENCES] == []
    assert LISTS.tested.keys() & LISTS.no_promise.keys() == set()


def test_a_new_sentence_would_be_missing():
    page = PAGE.replace("- **Values.**", "- No template escapes. It never has. **Values.**")
    head = "| promise | tests |\n| --- | --- |\n"
    page = page.replace(head, f"{head}| Nobody lies. | x |\n")
    new = set(security_sentences.sentences(page)) - set(SENTENCES)
    assert new == {"No template escapes.", "It never has.", "Nobody lies."}


@pytest.mark.parametrize("sentence", LISTS.tested)
def test_the_tests_of_a_sentence_exist_and_are_about_it(sentence):
    assert LISTS.tested[sentence]
    for test in LISTS.tested[sentence]:
        path, name = test.split("::", 1)
        texts = security_sentences.names_of(ROOT / path)
        assert name in texts, test
        assert security_sentences.stems(sentence) & security_sentences.stems(texts[name]), test


def test_ci_tests_the_lowest_versions_and_looks_up_advisories_every_week():
    workflows = ROOT / ".github" / "workflows"
    runs = yaml.safe_load((workflows / "ci.yml").read_text("utf-8"))["jobs"]["lowest"]["steps"]
    assert any(step.get("run", "").startswith("make lowest") for step in runs)
    weekly = yaml.safe_load((workflows / "advisories.yml").read_text("utf-8"))
    ((schedule,),) = [triggers["schedule"] for triggers in (weekly[True],)]  # YAML 1.1 reads on as true
    assert re.fullmatch(r"\d+ \d+ \* \* \d", schedule["cron"])
    assert any("audit" in step.get("run", "") for step in weekly["jobs"]["audit"]["steps"])


@pytest.mark.parametrize("command", ["build --check", "format --check", "report"])
def test_the_checks_of_a_pull_request_need_no_token_and_send_no_request(folder, network, monkeypatch, command):
    project = quickstart_in(folder / "project")
    monkeypatch.chdir(project)
    monkeypatch.setenv("TOKENSYNC_BASE_URL", "figma")
    for name in ("FIGMA_TOKEN", "FIGMA_ACCESS_TOKEN", "FIGMA_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    tokensync(*command.split())
    assert len(network.calls) == 0


def test_a_setting_that_is_not_listed_stops_the_command(folder):
    project_in(folder, more='plugins = ["x"]')
    assert "plugins" in tokensync("pull", code=2).stderr


def test_no_file_of_a_checkout_sets_an_environment_variable(folder, network, monkeypatch):
    project_in(folder)
    config = folder / "tokensync.toml"
    config.write_text(config.read_text("utf-8").replace('"emulator:"', '"figma"'), encoding="utf-8")
    monkeypatch.setenv("TOKENSYNC_CREDENTIALS", str(folder / "logins"))
    for name in ("FIGMA_TOKEN", "FIGMA_ACCESS_TOKEN", "FIGMA_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    lines = "FIGMA_TOKEN=figd_canary\nTOKENSYNC_BASE_URL=https://example.org\n"
    for name in (".env", ".envrc", "tokensync.env", ".tokensync.env", ".flaskenv"):
        (folder / name).write_text(lines, encoding="utf-8")
    assert "FIGMA_ACCESS_TOKEN" in tokensync("pull", code=2).stderr
    assert len(network.calls) == 0


def test_the_options_that_permit_something_are_no_settings():
    words = {word for name in settings() for word in re.split(r"[._]", name)}
    assert words.isdisjoint({"force", "prune", "rebase", "outside"})
