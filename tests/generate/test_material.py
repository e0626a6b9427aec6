"""Roles of Material: which token fills each, in which order the sources count, and what is reported."""

import pytest
from generate.targets.composite_values import VALUES, composite_of
from graphs import collection, color, graph, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.project.configuration import parse_config, typed_options
from tokensync.system.errors import ProblemsError

WHITE = color("#ffffff")


def android(text):
    return (("ANDROID", text),)


def filled(*tokens, **options):
    """The items of the theme in XML, and the problems without the one about unfilled roles."""
    request = OutputRequest(platform="android", options=typed_options("android", {"material": options}))
    files, problems = generate(graph(*tokens), request)
    lines = next(content for path, content in files if path == "values/material.xml").decode().splitlines()
    items = dict(line.strip()[len('<item name="') : -len("</item>")].split('">') for line in lines if "<item" in line)
    return items, [each for each in problems if each.code != "material-roles-unfilled"]


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("primary", "colorPrimary"),
        ("md/sys/color/on-primary", "colorOnPrimary"),
        ("md.sys.color.surface-container-high", "colorSurfaceContainerHigh"),
        ("Schemes/On Primary Container", "colorOnPrimaryContainer"),
        ("M3/sys/inverse-on-surface", "colorOnSurfaceInverse"),
        ("Color/Roles/Background", "android:colorBackground"),
        ("primaryFixedDim", "colorPrimaryFixedDim"),
        ("primary-foreground", "colorOnPrimary"),
        ("foreground", "colorOnBackground"),
        ("card-foreground", None),
        ("button/primary", None),
        ("primary/40", None),
        ("palettes/primary", None),
    ],
)
def test_a_name_is_a_role_alone_or_after_groups_of_roles(name, attribute):
    of = collection("Base")
    items, problems = filled(of, token(of, name, WHITE), names=True)
    assert list(items) == ([attribute] if attribute else [])
    assert problems == []


def test_text_styles_and_corners_fill_roles_by_their_names():
    of = collection("Base")
    body = composite_of({**VALUES["typography"], "fontSize": {"value": 16, "unit": "px"}})
    items, _ = filled(
        of,
        token(of, "md/sys/typescale/body-large", body, type="typography"),
        token(of, "Title/Medium", body, type="typography"),
        token(of, "radius/extra-small", 4, type="dimension"),
        token(of, "space/small", 8, type="dimension"),
        names=True,
    )
    assert items["textAppearanceBodyLarge"] == "@style/TextAppearance.MdSysTypescaleBodyLarge"
    assert items["textAppearanceTitleMedium"] == "@style/TextAppearance.TitleMedium"
    assert items["cornerSize"] == "@dimen/radius_extra_small"
    assert "shapeAppearanceCornerSmall" not in items


def test_the_mapping_counts_more_than_code_syntax_and_that_more_than_names():
    of = collection("Base")
    tokens = (
        of,
        token(of, "primary", WHITE),
        token(of, "brand", WHITE, code_syntax=android("MaterialTheme.colorScheme.primary")),
        token(of, "accent/base", WHITE),
    )
    assert filled(*tokens, names=True)[0] == {"colorPrimary": "@color/brand"}
    assert filled(*tokens, names=True, roles={"primary": "accent/*"})[0] == {"colorPrimary": "@color/accent_base"}
    assert filled(*tokens, names=True, roles={"primary": ""})[0] == {}


def test_code_syntax_that_names_a_role_is_no_problem_if_the_token_fills_it():
    of = collection("Base")
    syntax = {"surface": "?attr/colorSurface", "sunken": "R.attr.colorSurfaceDim"}
    tokens = [token(of, name, WHITE, code_syntax=android(text)) for name, text in syntax.items()]
    items, problems = filled(of, *tokens)
    assert items == {"colorSurface": "@color/surface", "colorSurfaceDim": "@color/sunken"}
    assert problems == []
    _, problems = generate(graph(of, *tokens), OutputRequest(platform="android"))
    assert [each.code for each in problems] == ["code-syntax-unusable"] * 2


def test_several_tokens_for_a_role_are_reported_with_the_line_that_decides():
    of, other = collection("Base"), collection("Other")
    items, (problem,) = filled(of, other, token(of, "primary", WHITE), token(other, "sys/primary", WHITE), names=True)
    assert items == {"colorPrimary": "@color/primary"}
    assert (problem.code, problem.where) == ("material-role-contested", "android / Material / primary")
    assert problem.what == "Base / primary fills it, although Other / sys/primary could, too"
    assert 'roles = { primary = "base/primary" }' in problem.what_to_do


def test_a_collection_before_the_path_distinguishes_tokens_of_the_same_path():
    of, other = collection("Base"), collection("Other")
    tokens = of, other, token(of, "primary", WHITE), token(other, "primary", color("#000000"))
    values = {}
    for path in ("primary", "base/primary", "other/primary"):
        items, problems = filled(*tokens, roles={"primary": path})
        values[path] = items["colorPrimary"]
        reported = [f"{each.what}; {each.what_to_do}" for each in problems if each.code == "material-role-contested"]
        assert reported == [CONTESTED] * (path == "primary")
    assert values["primary"] == values["base/primary"] != values["other/primary"]


CONTESTED = (
    "primary stands for Base / primary, Other / primary, of which the first fills it; "
    "name only one, such as base/primary"
)


def test_a_path_that_no_token_of_the_kind_has_is_reported_with_the_closest_one():
    of = collection("Base")
    tokens = of, token(of, "accent/base", WHITE), token(of, "accent/size", 4, type="dimension")
    items, (problem,) = filled(*tokens, roles={"primary": "accent/size"})
    assert items == {}
    assert problem.what == "no color of the output has the path accent/size"
    assert problem.what_to_do == "name one such as accent/base"


def test_names_of_roles_are_proposed_until_the_option_adopts_them():
    of = collection("Base")
    tokens = [token(of, "on-primary", WHITE), token(of, "sys/on-primary", WHITE), token(of, "surface", WHITE)]
    items, (problem,) = filled(of, *tokens)
    assert items == {}
    assert problem.code == "material-roles-possible"
    assert problem.what == "2 tokens have the name of a role"
    assert problem.names == ("Base / on-primary as onPrimary", "Base / surface as surface")


@pytest.mark.parametrize("names", [False, True])
def test_a_role_that_a_token_fills_or_is_proposed_for_is_not_listed_as_unfilled(names):
    of = collection("Base")
    request = OutputRequest(platform="android", options=typed_options("android", {"material": {"names": names}}))
    _, problems = generate(graph(of, token(of, "on-primary", WHITE)), request)
    (unfilled,) = [each for each in problems if each.code == "material-roles-unfilled"]
    assert unfilled.what == "no token fills 53 of 54 roles; Material's own values are used"
    assert "onPrimary" not in unfilled.names


def test_an_unknown_role_is_a_problem_of_the_configuration_with_the_closest_one():
    text = '[[outputs]]\nplatform = "compose"\npath = "a"\n[outputs.options.material.roles]\nonPrimry = "accent"\n'
    with pytest.raises(ProblemsError) as raised:
        parse_config(text.encode(), "tokensync.toml")
    (problem,) = raised.value.problems
    assert problem.where == "tokensync.toml:5:1 (#/outputs/0/options/material/roles/onPrimry)"
    assert "'onPrimary'" in problem.what
