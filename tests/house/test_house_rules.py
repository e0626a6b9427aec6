"""The check of the house rules."""

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
    (message,) = RULES["traces"](Path("a.py"), f"first\n{line}\n")
    assert message.startswith("a.py:2: contains ")


@pytest.mark.parametrize("line", ["GET /v1/work/x", "a/tmp/b", "todo_list = []", "the design of a button"])
def test_similar_text_is_not_a_trace(line):
    assert list(RULES["traces"](Path("a.py"), line)) == []


@pytest.mark.parametrize(
    ("line", "word", "replacement"),
    [
        ("# a comment is told", "told", "reported"),
        ("def test_a_problem_is_told_once():", "told", "reported"),
        ("Aliases go in a circle.", "circle", "cycle"),
        ("what it has no more", "has no more", "no longer"),
        ("Whoever wrote it", "Whoever", "anyone who"),
        ("verdict = found", "verdict", "outcome"),
    ],
)
def test_a_banned_word_is_found_with_its_line_and_replacement(line, word, replacement):
    (message,) = RULES["banned_words"](Path("a.py"), f"first\n{line}\n")
    assert message == f'a.py:2: "{word}" (say "{replacement}")'


@pytest.mark.parametrize(
    "line", ['"plan-circle": Code()', '{"verdict": 1}', "amended", "it has no more than two", 'id="told"', "encircled"]
)
def test_similar_text_is_not_a_banned_word(line):
    assert list(RULES["banned_words"](Path("a.py"), line)) == []


def test_a_long_function_is_found():
    text = "def short():\n    pass\n\ndef long():\n" + "    pass\n" * 60
    assert [each.split(":")[1] for each in RULES["long_functions"](Path("a.py"), text)] == ["4"]


@pytest.mark.parametrize(
    "name", ["utils.py", "a/common.py", "tests/test_helpers.py", "a/misc/b.py", "a/color_utils.py"]
)
def test_a_name_without_meaning_is_found(name):
    words = RULES["empty_words"](Path(name))
    assert words


@pytest.mark.parametrize("name", ["base_url.py", "tests/test_base_url.py", "common_mark.py", "a/naming.py"])
def test_a_name_with_other_words_is_accepted(name):
    assert not RULES["empty_words"](Path(name))


@pytest.mark.parametrize(
    "line",
    [
        "import subprocess",
        "    from subprocess import run",
        "os.execv(program, arguments)",
        "os.popen('x')",
        "import multiprocessing",
        "os.replace(a, b)",
        "descriptor = os.open(path, flags)",
        "os.makedirs(folder)",
        "with open(path, 'wb') as file:",
        'open(path, "x")',
        "shutil.rmtree(folder)",
        "Path(path).write_text(text)",
        "import tempfile",
    ],
)
def test_a_program_or_a_write_past_the_module_for_it_is_found(line):
    (message,) = RULES["reserved_calls"](Path("tokensync/commands/build2.py"), f"first\n{line}\n")
    assert message.startswith("tokensync/commands/build2.py:2: ")


@pytest.mark.parametrize(
    "line", ["with open(path, 'rb') as file:", "open_file(path)", "os.path.isfile(a)", "store.open(1)"]
)
def test_a_read_is_no_write(line):
    assert list(RULES["reserved_calls"](Path("tokensync/x.py"), line)) == []


@pytest.mark.parametrize(
    "line",
    [
        '      - run: echo "TAG=$GITHUB_REF_NAME" >> $GITHUB_ENV',
        '          echo "$RUNNER_TEMP/bin" >> "${GITHUB_PATH}"',
        "          Add-Content $env:GITHUB_ENV $name",
        "          cat file >> ${{ github.env }}",
        "          echo '::set-env name=TAG::1'",
    ],
)
def test_a_workflow_that_sets_variables_of_later_steps_is_found(line):
    (message,) = RULES["changes_of_later_steps"](Path("release.yml"), f"steps:\n{line}\n")
    assert message.startswith("release.yml:2: writes variables of later steps")


@pytest.mark.parametrize(
    "line", ['echo "changed=true" >> "$GITHUB_OUTPUT"', "environment: release # not $GITHUB_ENV", "${{ env.PATH }}"]
)
def test_a_workflow_may_use_variables_of_its_own_step(line):
    assert list(RULES["changes_of_later_steps"](Path("release.yml"), line)) == []


def test_the_rule_about_later_steps_covers_a_release(monkeypatch, tmp_path):
    (tmp_path / "release.yml").write_text('run: echo "TAG=$GITHUB_REF_NAME" >> "$GITHUB_ENV"\n')
    monkeypatch.setitem(RULES["broken_rules"].__globals__, "ROOT", tmp_path)
    assert len(list(RULES["broken_rules"](Path("release.yml")))) == 1
