"""Values of options that would break what is generated are told at their place, before anything is written."""

from __future__ import annotations

import pytest

from tokensync.errors import ProblemsError
from tokensync.project.configuration import parse_config


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


@pytest.mark.parametrize(
    "selector",
    [
        "::",
        "a,,b",
        "a, ",
        "> a",
        "a >",
        "a > > b",
        "12",
        "$x",
        "%",
        "!",
        "<x",
        ".1",
        "a:",
        "#",
        "a b}",
        "'x'",
        "a(",
        "x//",
    ],
)
@pytest.mark.parametrize(("platform", "option"), [("css", "root"), ("css", "themes"), ("tailwind", "themes")])
def test_a_selector_is_one(platform, option, selector):
    value = f'"{selector}"'
    assert told(platform, option, value if option == "root" else f'{{ "a/b" = {{ selector = {value} }} }}')


@pytest.mark.parametrize(
    "selector",
    [
        *(":root, :host", "html.dark > body", "*|*", "svg|a", "&.x", '[data-a="b, {c"] ~ .d', ":is(.a, [b='c)']) + e"),
        *("::slotted(x)", ":host-context(.dark)", ".größe", ".md\\:dark", "--x", "a:not(:has(> b))", "#a.b"),
    ],
)
def test_a_selector_may_be_any(selector):
    assert told("css", "root", f"'''{selector}'''".replace("\\\\", "\\")) == ""


@pytest.mark.parametrize("layer", ["initial", "a.unset", "Inherit", "revert-layer.b"])
def test_a_layer_has_no_name_that_every_property_takes_as_a_value(layer):
    assert told("css", "layer", f'"{layer}"')
