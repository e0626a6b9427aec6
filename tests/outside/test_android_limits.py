"""aapt2 reads what stands at the limits of Android's resources as it was written."""

import pytest
from checkers import Refused, written
from graphs import collection, graph, token
from outside.test_android_in_aapt2 import resources_of

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate

pytestmark = pytest.mark.outside

INFINITE = 33_554_432
"""What browsers make of ``infinity * 1px``, and so the radius of a pill in some design files."""


def test_a_length_beyond_the_bits_of_a_dimension_is_the_largest_one(tmp_path, aapt2):
    of = collection("Base")
    lengths = {"pill": INFINITE, "back": -INFINITE, "largest": 8_388_607}
    tokens = graph(of, *(token(of, name, length, type="dimension") for name, length in lengths.items()))
    linked = aapt2(resources_of(tokens, tmp_path))
    values = {name: linked[f"dimen/{name}"][""] for name in lengths}
    assert values["pill"] == values["largest"] == "8388607.000000dp"
    # The dump shows the sign as one more bit: -8388607 is 8388609 of 24 bits.
    assert values["back"] == "8388609.000000dp"
    _, problems = generate(tokens, OutputRequest(platform="android"))
    assert [each.code for each in problems] == ["value-too-large"] * 2


@pytest.mark.parametrize(
    ("letter", "count", "is_written"), [("é", 16_383, True), ("é", 16_384, False), ("🎨", 5_462, False)]
)
def test_a_text_that_aapt2_would_replace_is_omitted(tmp_path, aapt2, letter, count, is_written):
    text = letter * count
    of = collection("Base")
    tokens = graph(of, token(of, "some", "a", type="string"), token(of, "page", text, type="string"))
    linked = aapt2(resources_of(tokens, tmp_path))
    assert linked.get("string/page") == ({"": f'"{text}"'} if is_written else None)
    _, problems = generate(tokens, OutputRequest(platform="android"))
    assert [each.code for each in problems] == ([] if is_written else ["value-too-large"])


def test_a_text_in_two_languages_can_be_translated_and_links_with_percent_signs(tmp_path, aapt2):
    """Lint allows no translatable="false" below a language, and aapt2 no two % in a translatable format."""
    language = collection("Language", "English", "Deutsch")
    tokens = graph(
        language,
        token(language, "sale", "%s off, %s left", "%s billiger, noch %s", type="string"),
        token(language, "brand", "Acme", "Acme", type="string"),
    )
    folder = resources_of(tokens, tmp_path, themes={"language/deutsch": {"qualifier": "de"}})
    assert aapt2(folder)["string/sale"] == {"": '"%s off, %s left"', "de": '"%s billiger, noch %s"'}
    assert "translatable" not in (folder / "values-de" / "strings.xml").read_text(encoding="utf-8")
    lines = (folder / "values" / "strings.xml").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "translatable" in line] == [
        '    <string name="brand" translatable="false">Acme</string>'
    ]


def test_the_end_of_a_cdata_section_in_a_text_survives_the_resource_merger(tmp_path, aapt2, merged_resources):
    """It writes &gt; as >, so what XML does not allow has to be escaped otherwise."""
    of = collection("Base")
    folder = resources_of(graph(of, token(of, "odd", "a ]]> b ]]]>> c", type="string")), tmp_path / "written")
    assert aapt2(merged_resources(folder))["string/odd"][""] == '"a ]]> b ]]]>> c"'
    plain = written(
        tmp_path / "plain", {"values/a.xml": '<resources><string name="odd">a ]]&gt; b</string></resources>'}
    )
    with pytest.raises(Refused, match="not well-formed"):
        aapt2(merged_resources(plain))
