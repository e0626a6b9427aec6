"""What the documentation shows is what its commands print."""

import re
import shutil
import subprocess
import sys

import pytest
from shown_commands import ROOT, differences, fits, shown_in

PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if page.is_file()]
PAGES_WITH_COMMANDS = [page for page in PAGES if "\n```console" in page.read_text(encoding="utf-8")]

posix = pytest.mark.skipif(sys.platform == "win32", reason="the pages show a POSIX shell")

ALL_PAGES = [*PAGES, *sorted((ROOT / "examples").glob("*/README.md"))]
UNIX = "awk|cat|cp|curl|cut|export|eval|grep|head|ls|mv|printf|rm|sed|source|tail|wc"
ONE_SHELL = re.compile(rf"&&|\|\||\$\(|\$\?|[|] *\w|\\$|<<|^[A-Z_]+=|\b(?:{UNIX})\s", re.MULTILINE)
"""What Windows PowerShell 5.1 or the command prompt do not understand."""
NAMED = "POSIX shell"


def pasted(text):
    """The commands that readers paste, whatever shell they have: blocks that name none, and those that are run."""
    for language, block in re.findall(r"^```(sh|console)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        lines = block.splitlines()
        commands = lines if language == "sh" else [each.command for each in shown_in(f"```console\n{block}```\n")]
        yield from (each.partition("  #")[0].replace("git grep ", "git ") for each in commands)


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_are_for_every_shell_unless_the_page_names_one(page):
    text = page.read_text(encoding="utf-8")
    named = NAMED in text and page.name not in ("installing.md", "index.md") and page != ROOT / "README.md"
    assert named or [each for each in pasted(text) if ONE_SHELL.search(each)] == []


@pytest.mark.parametrize(
    "command",
    [
        "a && b",
        "sed -i s/a/b/ c",
        "git log | head -3",
        'echo "$(pwd)"',
        "export A=1",
        "A=1 tokensync pull",
        "a \\\n  b",
    ],
)
def test_a_command_for_one_shell_is_found(command):
    assert [each for each in pasted(f"```console\n$ {command}\n```\n") if ONE_SHELL.search(each)]
    assert [each for each in pasted(f"```sh\n{command}\n```\n") if ONE_SHELL.search(each)]
    assert list(pasted(f"```bash\n{command}\n```\n")) == []


SAMPLE = """\
Some words.

```console
$ echo one && echo two
one
two
$ printf 'a\\nb\\nc\\n'
a
...
$ folder=$(pwd) && cd / && \\
  cd "$folder"
$ false # exits 1
$ echo $?
1
```

```sh
$ not run
```
"""


@posix
@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_each_command_prints_the_output_on_the_page(page, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    actual = differences(page.read_text(encoding="utf-8"), tmp_path)
    assert not actual, "\n\n".join(actual)


@pytest.mark.parametrize(
    "page",
    [
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "examples").glob("*/README.md")),
    ],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_each_file_that_a_page_points_to_exists(page):
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    mentions = re.findall(r"\b(?:docs/[\w/-]+\.md|[A-Z]{4,}\.md)\b(?!\.\w)", text)
    absent = [name for name in links if not (page.parent / name).exists()]
    absent += [name for name in mentions if not (ROOT / name).exists()]
    assert absent == []


def test_commands_and_their_output_are_found_in_console_blocks_only():
    shown = shown_in(SAMPLE)
    assert [each.line for each in shown] == [4, 7, 10, 12, 13]
    assert shown[0].output == ["one", "two"]
    assert shown[2].command == 'folder=$(pwd) && cd / && \\\n  cd "$folder"'
    assert shown[3].code == 1


@posix
def test_the_recorded_terminal_shows_what_the_demo_prints():
    """With the colours and times that checks/terminal_picture.py gives it; ``--check`` writes nothing."""
    compared = subprocess.run([sys.executable, "checks/terminal_picture.py", "--check"], cwd=ROOT, check=False)
    assert compared.returncode == 0


@posix
def test_a_page_that_is_true_has_no_differences(tmp_path):
    assert differences(SAMPLE, tmp_path) == []


@posix
def test_another_output_another_code_and_a_command_never_reached_are_differences(tmp_path):
    page = "```console\n$ echo one\ntwo\n$ (exit 3)\n$ exit 0\n$ echo three\nthree\n```\n"
    first, second, third, fourth = differences(page, tmp_path)
    assert first == "line 2: $ echo one\n--- the page shows\ntwo\n--- it prints\none"
    assert second.startswith("line 4: $ (exit 3)\nexits 3, not 0")
    assert third.endswith("was not reached")
    assert fourth.endswith("was not reached")


@posix
def test_the_tokensync_of_this_checkout_is_run(tmp_path):
    from tokensync import __version__

    assert differences(f"```console\n$ tokensync --version\ntokensync {__version__}\n```\n", tmp_path) == []


@pytest.mark.parametrize(
    ("shown", "printed", "wanted"),
    [
        (["a", "...", "c"], ["a", "b", "b", "c"], True),
        (["a", "...", "c"], ["a", "c"], True),
        (["..."], [], True),
        (["a", "..."], ["b"], False),
        (["a"], ["a", "b"], False),
        (["a.c"], ["abc"], False),
        ([], ["a"], False),
    ],
)
def test_dots_alone_on_a_line_stand_for_any_number_of_lines(shown, printed, wanted):
    assert fits(shown, printed) is wanted
