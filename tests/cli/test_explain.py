"""``tokensync explain``: the documentation, offline."""

import re
from pathlib import Path

import pytest
from commands.projects import tokensync

from tokensync.system.problems import CODES

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))


def test_it_lists_every_page_with_its_title():
    rows = [re.split(r" {2,}", line) for line in tokensync("explain").output.splitlines()]
    assert rows == sorted([page.stem, page.read_text("utf-8").splitlines()[0].strip("# ")] for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_it_prints_each_page_without_what_only_programs_read(page):
    shown = tokensync("explain", page.stem).output
    assert shown.startswith("# ")
    assert re.search(r"<!-- |<a id", shown) is None
    text = re.sub(r"<a id=[^>]*></a>", "", page.read_text("utf-8"))
    escaped = re.compile(r"<!--|::|##\[")  # comments are left out, and commands of a CI runner are escaped
    assert [line for line in text.splitlines() if line not in shown and not escaped.search(line)] == []


@pytest.mark.parametrize("code", CODES)
def test_it_says_what_each_code_means_and_whether_its_level_can_change(code):
    first, _, meaning, _, level = tokensync("explain", code).output.splitlines()
    assert first == f"{code} ({CODES[code].severity})"
    assert meaning == f"{CODES[code].meaning} {CODES[code].outcome}"
    assert ("cannot change" in level) == (len(CODES[code].levels) == 1)


def test_no_topic_has_the_name_of_a_code():
    assert {page.stem for page in PAGES} & set(CODES) == set()
    assert len({page.stem for page in PAGES}) == len(PAGES)


def test_another_topic_is_answered_with_the_nearest_one():
    assert "run tokensync explain hooks" in tokensync("explain", "hoks", code=2).stderr
    assert "tokensync explain lists the topics" in tokensync("explain", "xyzzy", code=2).stderr
