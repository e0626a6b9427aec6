"""The filter that writes rows as lines, in packaged templates and in those of a user."""

import re

import pytest

from tokensync.generate.naming import rendered_bytes
from tokensync.system.errors import ProblemsError

ROWS = [("", "a", "1"), ("first", "b", "50%"), ("", "c", "{0}")]


@pytest.fixture
def rendered(tmp_path):
    def render(template, **context):
        (tmp_path / "own.j2").write_text(template, encoding="utf-8")
        return rendered_bytes("own.j2", str(tmp_path), **context).decode()

    return render


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('lines("%s|%s=%s")', "|a=1\nfirst|b=50%\n|c={0}\n"),
        ('lines("%s", 2)', "1\n50%\n{0}\n"),
        ('lines("%s %s %s", 1, 2, 1)', "a 1 a\nb 50% b\nc {0} c\n"),
        ('lines("%s: %s", 1, 2, note="# %s")', "a: 1\n# first\nb: 50%\nc: {0}\n"),
    ],
)
def test_each_row_is_a_line_of_the_form(rendered, call, expected):
    assert rendered(f"{{{{ rows | {call} }}}}\n", rows=ROWS) == expected


def test_rows_without_a_note_have_no_line_before_them(rendered):
    assert rendered('{{ rows | lines("%s", 1, note="# %s") }}\n', rows=[("", "a"), ("", "b")]) == "a\nb\n"


def test_rows_that_are_lists_keep_their_notes(rendered):
    assert rendered('{{ rows | lines("%s", 1, note="# %s") }}\n', rows=[["x", "a"], ["", "b"]]) == "# x\na\nb\n"


def test_no_rows_are_no_text(rendered):
    assert rendered('[{{ rows | lines("%s", 1, note="# %s") }}{{ rows | lines("%s") }}]', rows=[]) == "[]"


def test_a_loop_and_the_filter_write_the_same(rendered):
    loop = '{% for note, name, value in rows %}\n{{ "%s: %s;" % (name, value) }}\n{% endfor %}\n'
    assert rendered(loop, rows=ROWS) == rendered('{{ rows | lines("%s: %s;", 1, 2) }}\n', rows=ROWS)


@pytest.mark.parametrize("words", ["kebab", "snake", "camel", "pascal"])
def test_a_loop_and_the_filter_join_words_alike(rendered, words):
    rows = [(("accent", "base"), ("theme",), "color"), (("50",), (), "number"), ((), (), "")]
    loop = f"{{% for words, collection, type in rows %}}\n--{{{{ words | {words} }}}}\n{{% endfor %}}\n"
    assert rendered(loop, rows=rows) == rendered(f'{{{{ rows | lines("--%s", words="{words}") }}}}\n', rows=rows)


@pytest.mark.parametrize("call", ['lines("%s")', 'lines("%s", 9)', "lines(7)", "lines()"])
def test_a_form_that_does_not_fit_the_rows_is_a_problem_with_its_line(rendered, call, tmp_path):
    with pytest.raises(ProblemsError, match=rf"{re.escape(str(tmp_path / 'own.j2'))}:2: .*correct the template"):
        rendered(f"\n{{{{ rows | {call} }}}}\n", rows=ROWS)


def test_the_form_reaches_no_attribute_of_a_part(rendered):
    assert rendered('{{ rows | lines("{0.__class__} %s", 1) }}\n', rows=ROWS[:1]) == "{0.__class__} a\n"


def test_a_text_is_no_rows_and_the_message_names_the_filter_for_it(rendered):
    with pytest.raises(ProblemsError, match="lines writes rows; use comment_lines for the lines of a text"):
        rendered("/// {{ text | lines }}", text="Behind everything.")


@pytest.mark.parametrize("expression", ["rows", "rows[0]", "rows | list", "{'a': 1}"])
def test_what_python_would_print_with_brackets_is_a_problem(rendered, expression):
    with pytest.raises(ProblemsError, match="it prints a list or a row; print its parts in a loop, or join them"):
        rendered(f"/// {{{{ {expression} }}}}", rows=ROWS)
