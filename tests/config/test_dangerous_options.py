"""Values of options that would break what is generated are told at their place, before anything is written."""

from __future__ import annotations

import pytest

from tokensync.config import parse_config
from tokensync.errors import ProblemsError


def told(platform, option, value):
    """What is told of an option, without its place; nothing when it is taken."""
    lines = ("[[outputs]]", f'platform = "{platform}"', 'path = "x"', "[outputs.options]", f"{option} = {value}")
    try:
        parse_config("\n".join(lines).encode(), "tokensync.toml")
    except ProblemsError as error:
        (found,) = error.problems
        assert found.code == "config-invalid"
        assert found.where.startswith("tokensync.toml:")
        return found.what
    return ""


@pytest.mark.parametrize(
    "value",
    [
        *('"}"', '"/*"', '".module // x"', "'\"a'", '"a; b"', '".module, x"', '"f(a"', '"a)"', '"(]"', '"#if x"'),
        *('"a\\u0000b"', '"a\\u2028b"', '"a\\nb"', '" a"', '""'),
    ],
)
def test_the_expression_of_a_bundle_stays_within_itself(value):
    assert told("ios", "bundle", value)


@pytest.mark.parametrize(
    "value",
    ['".main"', '"Bundle(for: Anchor.self)"', "'Bundle(identifier: \"a//b;\") ?? .main'", '"{ Bundle.module }()"'],
)
def test_a_bundle_may_be_any_expression(value):
    assert told("ios", "bundle", value) == ""


@pytest.mark.parametrize("name", ["Self", "Any", "Type", "Color", "String", "CGFloat", "TokenShadow", "CON"])
def test_swifts_own_names_are_not_given_to_the_enum(name):
    assert name in told("ios", "name", f'"{name}"')


@pytest.mark.parametrize("module", ["class", "a.in", "a..b", "a.", ".", "a b", ""])
def test_a_module_to_import_is_one(module):
    assert told("ios", "imports", f'["UIKit", "{module}"]')


@pytest.mark.parametrize("name", ["String", "Float", "Boolean", "Unit", "Suppress", "TokenShadow"])
def test_kotlins_own_names_are_not_given_to_the_object(name):
    assert name in told("compose", "name", f'"{name}"')


@pytest.mark.parametrize("package", ["kotlin", "java.lang", "kotlin.time"])
def test_the_languages_packages_are_not_added_to(package):
    assert package in told("compose", "package", f'"{package}"')
