"""The check of the house rules notices what it is there for."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RULES = runpy.run_path(str(ROOT / "checks" / "house_rules.py"))


@pytest.mark.parametrize(
    "line",
    [
        "# TO" + "DO: later",
        "path = '/ho" + "me/somebody/file'",
        "cd /tm" + "p/x",
        "index = 'https://py" + "pi.org/simple'",
        "as DES" + "IGN section 4 says",
    ],
)
def test_a_trace_is_found_with_its_line(line):
    (found,) = RULES["traces"](Path("a.py"), f"first\n{line}\n")
    assert found.startswith("a.py:2: holds ")


@pytest.mark.parametrize("line", ["GET /v1/work/x", "a/tmp/b", "todo_list = []", "the design of a button"])
def test_what_only_looks_like_a_trace_is_left_alone(line):
    assert list(RULES["traces"](Path("a.py"), line)) == []


def test_a_long_function_is_found():
    text = "def short():\n    pass\n\ndef long():\n" + "    pass\n" * 60
    assert [each.split(":")[1] for each in RULES["long_functions"](Path("a.py"), text)] == ["4"]


@pytest.mark.parametrize(
    "name", ["utils.py", "a/common.py", "tests/test_helpers.py", "a/misc/b.py", "a/color_utils.py"]
)
def test_a_name_that_says_nothing_is_found(name):
    words = RULES["empty_words"](Path(name))
    assert words


@pytest.mark.parametrize("name", ["base_url.py", "tests/test_base_url.py", "common_mark.py", "a/naming.py"])
def test_a_name_that_holds_such_a_word_beside_others_is_left_alone(name):
    assert not RULES["empty_words"](Path(name))
