"""The lines about problems: equal ones share a line, and different ones never do."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensync.cli.console import lines_of
from tokensync.system.problems import CODES, Problem, problem


def texts(problems, **options):
    return [f"{each.severity}: {each.text}" for each in lines_of(problems, **options)]


def unfit(where, what="it does not fit", what_to_do="fix it"):
    return problem("token-value", where, what, what_to_do)


def test_five_hundred_equal_errors_are_one_line_with_the_first_three_places():
    errors = [unfit(f"tokens/kit/theme/light.tokens.json:{at}:5 (#/theme/a{at})") for at in range(1, 501)]
    places = ", ".join(f"{at}:5 (#/theme/a{at})" for at in range(1, 4))
    (line,) = lines_of(errors)
    assert line.text == (
        "tokens/kit/theme/light.tokens.json: it does not fit"
        f" (500 times: {places}, ... and 497 more); fix it [token-value]"
    )
    assert (line.severity, line.is_complete) == ("error", False)


def test_equal_errors_of_several_files_share_a_line_with_whole_places():
    errors = [unfit(f"tokens/kit/theme/{mode}.tokens.json:2:5 (#/theme/a)") for mode in ("dark", "light")]
    assert texts(errors) == [
        "error: tokens/kit/theme/dark.tokens.json:2:5 (#/theme/a): it does not fit"
        " (2 times: also tokens/kit/theme/light.tokens.json:2:5 (#/theme/a)); fix it [token-value]"
    ]


def test_warnings_of_a_collection_share_a_line_and_those_of_another_have_their_own():
    found = [
        problem("type-unsupported", f"{collection} / {name}", "android does not support it", "exclude it")
        for collection in ("Theme", "Brand")
        for name in ("a", "b/c")
    ]
    assert texts(found) == [
        "warning: Theme: android does not support it (2 times: a, b/c); exclude it [type-unsupported]",
        "warning: Brand: android does not support it (2 times: a, b/c); exclude it [type-unsupported]",
    ]


def test_different_advice_severity_or_text_is_never_merged():
    found = [
        unfit("a.json:1:1 (#/a)"),
        unfit("a.json:2:1 (#/b)", what="it is too long"),
        unfit("a.json:3:1 (#/c)", what_to_do="remove it"),
        unfit("a.json:4:1 (#/d)")._replace(severity="warning"),
    ]
    assert len(texts(found)) == 4


@pytest.mark.parametrize("severity", ["error", "warning", "note"])
@pytest.mark.parametrize("where", ["Theme / a{}", "C{0} / a", "a.json:{}:1 (#/a)", "file-{}.json"])
def test_different_problems_of_a_code_are_counted_after_ten(severity, where):
    found = [
        problem("identifier-collision", where.format(at), f"its name is a{at}", "rename it")._replace(severity=severity)
        for at in range(5_000)
    ]
    other = unfit("b.json:1:1 (#/b)")
    lines = list(lines_of([*found, other]))
    assert [each.text for each in lines[:11]] == [*map(str, found[:10]), str(other)]
    assert [each[:3] for each in lines[11:]] == [
        (severity, "4,990 more problems of this kind [identifier-collision]", False)
    ]
    assert texts(found[:11])[10:] == [f"{severity}: 1 more problem of this kind [identifier-collision]"]
    assert len(texts(found, everything=True)) == 5_000


def collision(at, collection="Theme", brief="tokens have the css name of another token, so their names were changed"):
    what = f"its css name --a{at} is the name of Base / a{at}"
    return problem("identifier-collision", f"{collection} / a{at}", what, "rename it", brief=brief)


def test_problems_of_a_collection_with_the_same_brief_share_a_line():
    """A name that two collections share printed a line for each token."""
    found = [collision(at) for at in range(500)] + [collision(0, "Other"), collision(0, brief="another")]
    lines = list(lines_of(found))
    assert [each.text for each in lines] == [
        "Theme: 500 tokens have the css name of another token, so their names were changed: a0, a1, a2, ... and 497 "
        "more; rename it [identifier-collision]",
        str(found[500]),
        str(found[501]),
    ]
    assert [each.is_complete for each in lines] == [False, True, True]
    assert lines[0].first is found[0]
    assert texts(found, everything=True) == [f"warning: {each}" for each in found]


def test_a_token_with_the_same_brief_in_two_outputs_counts_once():
    found = [collision(1), collision(1)._replace(what="another text"), collision(2)]
    assert [each.text for each in lines_of(found)] == [
        "Theme: 2 tokens have the css name of another token, so their names were changed: a1, a2; "
        "rename it [identifier-collision]"
    ]


def test_a_line_about_one_token_in_two_outputs_does_not_count_it():
    (line,) = lines_of([collision(1), collision(1)._replace(what="another text")])
    assert (line.text, line.is_complete) == (str(collision(1)), False)


def test_the_first_names_are_shown_and_all_in_the_full_list():
    names = [f"n{at}" for at in range(12)]
    found = problem("leaf-and-group", "Theme", "12 variables have the name of a group", "use $root", names)
    assert texts([found]) == [
        "note: Theme: 12 variables have the name of a group (n0, n1, n2, ... and 9 more); use $root [leaf-and-group]"
    ]
    full = f"note: Theme: 12 variables have the name of a group ({', '.join(names)}); use $root [leaf-and-group]"
    assert texts([found], everything=True) == [full]
    assert str(found) == full.removeprefix("note: ")


PLACES = st.one_of(
    st.builds("{} / {}".format, st.sampled_from("AB"), st.sampled_from(["x", "y / dark", "a.json:1:2"])),
    st.builds("{}.json:{}:1 (#/{})".format, st.sampled_from("ab"), st.integers(1, 3), st.sampled_from("xy / z")),
    st.sampled_from(["A", "B", "web/a.css", "tokensync.toml (/themes/a)"]),
)
PROBLEMS = st.lists(
    st.builds(
        Problem,
        st.sampled_from(["error", "warning"]),
        st.sampled_from(sorted(CODES)[:2]),
        PLACES,
        st.sampled_from(["w1", "w2"]),
        st.sampled_from(["d1", "d2"]),
        st.sampled_from([(), ("n",)]),
        st.just(""),
        st.just(""),
        st.just(False),
        st.just(()),
    ),
    max_size=40,
)


@given(PROBLEMS)
def test_no_line_joins_different_problems_and_none_is_lost(problems):
    distinct = set(problems)
    lines = list(lines_of(problems))
    kinds = {each._replace(where="") for each in distinct}
    shown = dict.fromkeys(((kind.severity, kind.code) for kind in kinds), 0)
    for kind in kinds:
        own = [line for line in lines if line.severity == kind.severity and _is_about(line.text, kind)]
        times, found = sum(map(_times, own)), sum(each._replace(where="") == kind for each in distinct)
        omits = any(_omitted(line, kind.severity, kind.code) for line in lines)
        assert times <= found if omits else times == found
        shown[kind.severity, kind.code] += times
    for (severity, code), times in shown.items():
        omitted = sum(_omitted(line, severity, code) for line in lines)
        assert times + omitted == sum((each.severity, each.code) == (severity, code) for each in distinct)
    assert len(lines) == len(set(lines))
    assert len(list(lines_of(problems, everything=True))) == len(distinct)


def _times(line):
    before, separator, _ = line.text.partition(" times: ")
    return int(before.rpartition("(")[2]) if separator else 1


def _omitted(line, severity, code):
    match = re.fullmatch(rf"([\d,]+) more problems? of this kind \[{code}\]", line.text)
    return int(match[1].replace(",", "")) if match and line.severity == severity else 0


def _is_about(text, kind):
    names = " (n)" if kind.names else ""
    end = f"; {kind.what_to_do} [{kind.code}]"
    return text.endswith(end) and f": {kind.what}{names}" in text and (names != "" or " (n)" not in text)
