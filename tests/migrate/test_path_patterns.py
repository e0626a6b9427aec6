"""Patterns for paths."""

import time

import pytest

from tokensync.migrate.readers.path_patterns import alternatives, is_pattern, matches


@pytest.mark.parametrize(
    ("pattern", "path", "wanted"),
    [
        ("a.json", "a.json", True),
        ("*.json", "a.json", True),
        ("*.json", "x/a.json", False),
        ("**/*.json", "a.json", True),
        ("**/*.json", "x/y/a.json", True),
        ("x/**/a.json", "x/a.json", True),
        ("x/**/a.json", "y/a.json", False),
        ("x/**", "x/y/a.json", True),
        ("x/*/a.json", "x/y/z/a.json", False),
        ("a?.json", "ab.json", True),
        ("A.json", "a.json", False),
    ],
)
def test_a_pattern_matches_whole_paths(pattern, path, wanted):
    assert matches(pattern, path) is wanted


def test_many_wildcards_take_no_longer_than_a_moment():
    start = time.perf_counter()
    assert not matches("/".join(["**"] * 300 + ["x"]), "/".join(["a"] * 300))
    assert not matches("*a" * 40 + "b", "a" * 200)
    assert time.perf_counter() - start < 5


def test_braces_are_alternatives():
    assert alternatives("a/{b,c}.{json,yml}") == ["a/b.json", "a/b.yml", "a/c.json", "a/c.yml"]
    assert alternatives("a.json") == ["a.json"]
    assert len(alternatives("{a,b}" * 40)) < 64
    assert [is_pattern(each) for each in ("a.json", "*.json", "[ab].json")] == [False, True, True]
