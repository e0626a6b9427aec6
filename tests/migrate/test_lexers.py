"""The lexers read any text: every character once, in order, in time linear in the text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from migrate.codemods import codemod

from tokensync.code.lexers import LANGUAGES, language_of, tokens
from tokensync.system.positions import replaced

PIECES = (
    *"/* */ // \" ' ` ${ } { ( ) [ ] < </ > /> #{ # \\ \\( -- $ @{ url( ; : , = . @ ? <!-- --> <![CDATA[ ]]>".split(),
    *('"""', '#"', '"#', "$$", "\n", "\r\n", "\n  ", " ", "\ufeff", "\0", "é", "\udcff", "/[", "\\63 ", "1e", "!"),
    *("--c-bg", "$c-bg", "cBg", "R.color.c_bg", "@color/c_bg", "Tokens.aB", "var(--c-bg)", "<a b=", "return", "--c-"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
RENAMES = {
    "css": {"--c-bg": "--color-background", "$c-bg": "$color-background"},
    "android": {"color/c_bg": "color/background", "cBg": "newBackground", "Tokens.aB": "Tokens.aC"},
    "ios": {"cBg": "newBackground", "Tokens.aB": "Other.aC"},
    "ts": {"cBg": "newBackground", "Tokens.aB": "Other.x.aC"},
}
SUFFIXES = ("css", "scss", "sass", "less", "ts", "tsx", "kt", "java", "swift", "xml", "vue", "md")


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=TEXTS)
def test_each_character_is_in_one_token_at_most_and_only_spaces_and_sigils_are_in_none(language, text):
    at = 0
    for _, start, end in tokens(text, language):
        assert at <= start < end
        assert set(text[at:start]) <= set(" \r\n\0`$<")
        at = end
    assert set(text[at:]) <= set(" \r\n\0`")


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(text=TEXTS)
def test_only_names_change_and_a_second_run_changes_nothing(suffix, text):
    prepared = codemod(**RENAMES)
    done = prepared.rewrite(f"a.{suffix}", text)
    old = {"--c-bg", "\\--c-bg", "--\\63 -bg", "\\--\\63 -bg", "$c-bg", "cBg", "c_bg", "Tokens", "aB", "Tokens.aB"}
    assert {text[each.start : each.end] for each in done.edits if "." not in each.text} <= old
    new = replaced(text, done.edits)
    assert prepared.rewrite(f"a.{suffix}", new).edits == ()
    assert new.count("\n") >= text.count("\n") - sum(text[each.start : each.end].count("\n") for each in done.edits)


def test_a_part_of_a_text_is_read_alone():
    text = "<style>a { b: url(</style>"
    assert [text[start:end] for _, start, end in tokens(text, "css", 7, 18)] == ["a", "{", "b", ":", "url("]


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.CSS", "css"),
        ("a.module.scss", "scss"),
        ("x/a.kts", "kotlin"),
        ("a.mjs", "tsx"),
        ("a.d.ts", "ts"),
        ("css", ""),
    ],
)
def test_the_end_of_a_name_tells_the_language(path, language):
    assert language_of(path) == language


HOSTILE = (
    "/*",
    '"',
    "'\\",
    "`${",
    "{",
    "}",
    "#",
    '##"',
    "url(",
    "=/[",
    "<a ",
    "</",
    "<!--",
    "--\\a",
    "$",
    "a.",
    "\n ",
    "(",
)


def seconds(act):
    """The time of the process."""
    start = time.process_time()
    act()
    return time.process_time() - start


def is_linear(prepared, path, short, long):
    """Whether a text of eight times the length takes less than three times as long as that, in one of three runs."""
    for _ in range(3):
        few, many = (seconds(lambda text=text: prepared.rewrite(path, text)) for text in (short, long))
        if many < 0.02 or many < 24 * few:
            return True
    return False


@pytest.mark.parametrize("suffix", ["css", "sass", "tsx", "kt", "swift", "xml", "vue"])
def test_hostile_texts_take_time_linear_in_their_length(suffix):
    prepared = codemod(**RENAMES)
    for each in HOSTILE:
        short, long = (each * (length // len(each)) + "--c-bg c_bg" for length in (5_000, 40_000))
        assert is_linear(prepared, f"a.{suffix}", short, long), each


def test_the_time_is_linear_in_the_text():
    prepared = codemod(css={f"--old-{number}": f"--new-{number}" for number in range(1000)})
    rule = ".a-{0} > b {{ --old-{0}: 1px; color: var(--old-{0}, #fff); background: url(x.png) }} /* --old-{0} */\n"
    short, long = ("".join(rule.format(number % 1000) for number in range(count)) for count in (250, 2000))
    assert is_linear(prepared, "a.css", short, long)
    assert len(prepared.rewrite("a.css", long).edits) == 4000
