"""Options that would break the generated code are reported with their location."""

import pytest

from tokensync.errors import ProblemsError
from tokensync.project.configuration import parse_config


def error_of(platform, option, value):
    """Return the error of an option; empty if it is valid."""
    lines = ("[[outputs]]", f'platform = "{platform}"', 'path = "x"', "[outputs.options]", f"{option} = {value}")
    try:
        parse_config("\n".join(lines).encode(), "tokensync.toml")
    except ProblemsError as error:
        (problem,) = error.problems
        assert problem.code == "config-invalid"
        assert problem.where.startswith("tokensync.toml:")
        return problem.what
    return ""


@pytest.mark.parametrize(
    "value",
    [
        *('"}"', '"/*"', '".module // x"', "'\"a'", '"a; b"', '".module, x"', '"f(a"', '"a)"', '"(]"', '"#if x"'),
        *('"a\\u0000b"', '"a\\u2028b"', '"a\\nb"', '" a"', '""'),
    ],
)
def test_unsafe_bundle_expressions_are_reported(value):
    assert error_of("ios", "bundle", value)


@pytest.mark.parametrize(
    "value",
    ['".main"', '"Bundle(for: Anchor.self)"', "'Bundle(identifier: \"a//b;\") ?? .main'", '"{ Bundle.module }()"'],
)
def test_bundle_can_be_any_safe_expression(value):
    assert error_of("ios", "bundle", value) == ""


@pytest.mark.parametrize("name", ["Self", "Any", "Type", "Color", "String", "CGFloat", "TokenShadow", "CON"])
def test_enum_cannot_have_a_name_of_swift(name):
    assert name in error_of("ios", "name", f'"{name}"')


@pytest.mark.parametrize("module", ["class", "a.in", "a..b", "a.", ".", "a b", ""])
def test_invalid_module_names_are_reported(module):
    assert error_of("ios", "imports", f'["UIKit", "{module}"]')


@pytest.mark.parametrize("name", ["String", "Float", "Boolean", "Unit", "Suppress", "TokenShadow"])
def test_object_cannot_have_a_name_of_kotlin(name):
    assert name in error_of("compose", "name", f'"{name}"')


@pytest.mark.parametrize("package", ["kotlin", "java.lang", "kotlin.time"])
def test_package_cannot_be_one_of_the_language(package):
    assert package in error_of("compose", "package", f'"{package}"')


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
def test_invalid_selectors_are_reported(platform, option, selector):
    value = f'"{selector}"'
    assert error_of(platform, option, value if option == "root" else f'{{ "a/b" = {{ selector = {value} }} }}')


@pytest.mark.parametrize(
    "selector",
    [
        *(":root, :host", "html.dark > body", "*|*", "svg|a", "&.x", '[data-a="b, {c"] ~ .d', ":is(.a, [b='c)']) + e"),
        *("::slotted(x)", ":host-context(.dark)", ".größe", ".md\\:dark", "--x", "a:not(:has(> b))", "#a.b"),
    ],
)
def test_valid_selectors_are_accepted(selector):
    assert error_of("css", "root", f"'''{selector}'''".replace("\\\\", "\\")) == ""


@pytest.mark.parametrize("layer", ["initial", "a.unset", "Inherit", "revert-layer.b"])
def test_layer_cannot_have_the_name_of_a_css_wide_keyword(layer):
    assert error_of("css", "layer", f'"{layer}"')
