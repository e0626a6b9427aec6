"""What a device finds in text styles: before API 28, from then on, and in text views of Material Components."""

import struct

import pytest
from checkers import written
from generate.targets.cases_android import letter_spacings
from generate.targets.composite_values import VALUES, composite_of, px
from graphs import collection, graph, token
from outside.android_tools import DIMENSION, FLOAT, REFERENCE
from outside.test_android_in_aapt2 import resources_of
from outside.test_android_material import items_of

pytestmark = pytest.mark.outside

SIZE, STYLE = "0x01010095", "0x01010097"
FAMILY, SPACING = "0x010103ac", "0x010104b6"
LINE_HEIGHT, WEIGHT = "0x0101057f", "0x01010585"
"""Attributes of android.R.attr; the last two are known from API 28 on."""
EARLY = ""
"""Android 5 to 8.1, from whose values aapt2 takes away what these devices do not know."""
BOLD = "0x00000001"
STYLES = {
    "strong": {"fontWeight": 700, "lineHeight": px(24), "letterSpacing": px(-0.2)},
    "light": {"fontWeight": 300, "lineHeight": 1.5, "letterSpacing": px(0)},
}


@pytest.fixture(scope="module")
def styles(tmp_path_factory, aapt2):
    """The items of each style before API 28, and from then on."""
    base = collection("Base")
    body = VALUES["typography"] | {"fontSize": px(16), "fontFamily": ["Inter", "sans-serif"]}
    tokens = [token(base, name, composite_of(body | parts), type="typography") for name, parts in STYLES.items()]
    app = tmp_path_factory.mktemp("app")
    written(app, {"values/attrs.xml": '<resources><attr name="lineHeight" format="dimension"/></resources>'})
    resources = resources_of(graph(base, *tokens), tmp_path_factory.mktemp("text"), line_height="material")
    linked = aapt2(app, resources)
    return {
        name: {
            version: items_of(linked[f"style/TextAppearance.{name.capitalize()}"][version]) for version in ("", "v28")
        }
        for name in STYLES
    }


def test_a_bold_style_is_bold_before_devices_know_weights(styles):
    assert styles["strong"][EARLY][STYLE] == BOLD
    assert WEIGHT not in styles["strong"][EARLY]
    assert styles["strong"]["v28"][WEIGHT] == "700"
    assert STYLE not in styles["light"][EARLY]
    assert styles["light"]["v28"][WEIGHT] == "300"


def test_a_line_height_is_that_of_material_text_views_on_every_device(styles):
    for of_version in styles.values():
        assert of_version[EARLY]["lineHeight"] == "24.000000sp"
        assert LINE_HEIGHT not in of_version[EARLY]
        assert of_version["v28"][LINE_HEIGHT] == of_version["v28"]["lineHeight"] == "24.000000sp"


def test_letter_spacing_is_a_share_of_the_size_and_the_family_one_that_devices_have(styles):
    for name, spacing in {"strong": -0.0125, "light": 0}.items():
        for version in (EARLY, "v28"):
            items = styles[name][version]
            assert float(items[SPACING]) == pytest.approx(spacing, abs=1e-6)
            assert items[SIZE] == "16.000000sp"
            assert items[FAMILY] == '"sans-serif"'


def test_a_letter_spacing_token_is_what_the_attribute_takes_if_its_text_styles_have_one_size(
    typed_values, tmp_path_factory
):
    """Others are lengths, which `android:letterSpacing` would refuse."""
    resources = resources_of(letter_spacings(), tmp_path_factory.mktemp("spacing"), brands="styles")
    actual = {name: values[""] for name, values in typed_values(resources).items() if name.startswith("dimen/")}
    kind, bits = actual["dimen/primitive"]
    assert (kind, struct.unpack("<f", struct.pack("<I", bits))) == (FLOAT, (pytest.approx(-0.0125),))
    assert actual["dimen/tight"] == (REFERENCE, "dimen/primitive")
    lengths = {name for name, (kind, _) in actual.items() if kind == DIMENSION}
    assert lengths == {f"dimen/{name}" for name in ("size", "two_sizes", "dense", "unused", "also_a_gap")}
