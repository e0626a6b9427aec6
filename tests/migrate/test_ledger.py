"""The lines of the ledger as problems: what to do about each, and which of them share a line."""

import pytest

from tokensync.cli.console import lines_of
from tokensync.migrate.conversion.ledger import Count, Ledger, Line
from tokensync.migrate.source import Location


def problems(*lines, kind="reported"):
    found = [Line(kind, Location("a.json", number), f"t{number}", each) for number, each in enumerate(lines, 1)]
    return Ledger(Count(0, 0, 0, 0, 0, 0, 0, 0), tuple(found)).problems()


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("it has no value in the mode Dark of 'Mode'", 'add it, or set missing = "first" for the collection'),
        ("the mapping skips it", "remove it from skip in the mapping"),
        ("no theme and no collection of the mapping has its set 'x'", "sets of a collection"),
        ("its values have different types: number in A, boolean in B", "[types] of the mapping"),
        ("'#12345' looks like a colour, and cannot be read as one", 'the type "string" in [types] of the mapping'),
        ("variables cannot hold a gradient", "keep it in code"),
        ("variables cannot hold a shadow; y: it refers to {gone}", "correct the file, or keep it in code"),
        ("'50%' depends on where it is used, and a variable holds pixels in Dark", "keep it in code"),
        ("the file is not UTF-8; convert it to UTF-8", "convert it to UTF-8"),
        ("it refers to {gone}, and there is no such token", "correct the file, or change the mapping"),
    ],
)
def test_a_reported_token_has_a_remedy_for_its_reason(reason, remedy):
    (problem,) = problems(reason)
    assert remedy in problem.what_to_do
    assert problem.what == reason.removesuffix(f"; {remedy}")


@pytest.mark.parametrize(
    ("one", "other", "brief"),
    [
        ("it refers to {a}", "it refers to {b.c}", "it refers to {...}"),
        ("the value is calculated from '{a} * 2'", "the value is calculated from '{b} / 3'", "calculated from '...'"),
        (
            "oklch(0.9 0.1 2 / 1) is outside of sRGB, so the closest colour, #00ff00",
            "oklch(0.8 0.2 4) is outside of sRGB, so the closest colour, #12ab34",
            "... is outside of sRGB, so the closest colour, ...",
        ),
        ("b.css:3 gives the same value", "b.css:14 gives the same value", "... gives the same value"),
        (
            "Figma gets the first of the fonts Inter, Arial; code gets all of them",
            "Figma gets the first of the fonts Fira Code, serif; code gets all of them",
            "Figma gets the first of the fonts ...; code gets all of them",
        ),
    ],
)
def test_reasons_that_differ_in_values_and_places_share_a_line(one, other, brief):
    first, second = problems(one, other, kind="changed")
    assert first.brief == second.brief
    assert brief in first.brief


def test_a_conversion_has_a_remedy_only_where_checking_does_not_help():
    refused, other = problems("variables cannot hold 'url(x)'", "a; b", kind="changed")
    assert refused.what_to_do == "keep it in code"
    assert (other.what, other.what_to_do) == ("a; b", "check the value")


def test_reasons_about_other_collections_do_not_share_a_line():
    one, other = problems("it has no value in the mode A of 'Mode'", "it has no value in the mode A of 'Density'")
    assert one.brief != other.brief


def test_a_line_about_similar_reasons_shows_the_first_value():
    found = problems("'light-dark(#fff, #000)' is not a colour", "'#12' is not a colour", "'#13' is not a colour")
    (line,) = lines_of(found)
    assert "'light-dark(#fff, #000)' is not a colour (3 similar ones: 1 (#/t1), 2 (#/t2), 3 (#/t3))" in line.text
    assert not line.is_complete
