"""The names of a theme's structs, and the initialisers of its types."""

import re

import pytest
from graphs import alias, collection, color, graph, token
from targets.composite_values import VALUES, composite_of

from tokensync.generate import OutputRequest
from tokensync.targets import generate
from tokensync.targets.ios import IosOptions

RED, BLUE = color("#ff0000"), color("#0000ff")


def files_of(token_graph, **options):
    files, _ = generate(token_graph, OutputRequest(platform="ios", options=IosOptions(**options)))
    return {path: content.decode() for path, content in files if path.endswith(".swift")}


@pytest.mark.parametrize(
    ("extension", "struct"),
    [("Theme / Islander", "ThemeIslanderLightTokens"), ("Islander", "ThemeIslanderLightTokens")],
)
def test_a_struct_does_not_repeat_the_name_of_its_collection(extension, struct):
    theme = collection("Theme", "Light", "Dark", extensions=[(extension, "Theme")])
    token_graph = graph(theme, token(theme, "accent", RED, BLUE, BLUE, RED))
    assert f"public struct {struct}: ThemeTokens" in files_of(token_graph, also=("themes",))["ThemeTokens.swift"]


@pytest.mark.parametrize(("access", "wanted"), [("public", 6), ("package", 6), ("internal", 0)])
def test_an_app_can_make_its_own_values_of_the_types(access, wanted):
    """Swift's implicit initialiser is internal, so other modules need an explicit one."""
    of = collection("Base")
    token_graph = graph(of, token(of, "low", composite_of(VALUES["shadow"]), type="shadow"))
    styles = files_of(token_graph, access=access)["TokensStyles.swift"]
    assert len(re.findall(rf"^ +{access} init\(", styles, re.MULTILINE)) == wanted
    assert ("init(" in styles) is bool(wanted)


def test_a_member_with_literals_for_a_cycle_is_optional_only_where_it_has_no_value():
    """The combination of choices forms a cycle, so both members are literals without references to missing values."""
    tone, size = collection("Tone", "Soft", "Loud"), collection("Size", "Small", "Large")
    token_graph = graph(
        tone,
        size,
        token(tone, "first", alias("Size", "gone"), alias("Size", "second"), type="number"),
        token(size, "second", 2, alias("Tone", "first"), type="number"),
        token(size, "gone", 3, None, type="number"),
        token(tone, "follower", alias("Size", "gone"), 5, type="number"),
    )
    files = files_of(token_graph, also=("themes",))
    types = dict(re.findall(r"var (\w+): (CGFloat\??) ", files["TokensTheme.swift"]))
    assert types == {"first": "CGFloat", "second": "CGFloat?", "gone": "CGFloat?", "follower": "CGFloat?"}
    assert "func first(in theme: TokensTheme) -> CGFloat { 2 }" in files["ToneTokens.swift"]
