"""What aapt2 lets pass is found by checks of our own, each of which can fail."""

import pytest
from outside.android_resources import faults
from outside.graphs import subject_of


def resources(folder, body, qualifier=""):
    values = folder / f"values{qualifier}"
    values.mkdir()
    (values / "all.xml").write_text(f"<resources>{body}</resources>", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<color name="a">@color/a</color>', "refers to itself"),
        ('<color name="a">@color/b</color><color name="b">@color/a</color>', "refers to itself"),
        ('<color name="c">#FF000000</color><dimen name="a">@color/c</dimen>', "refers to another type"),
        ('<dimen name="a">4</dimen>', "a dimension without a unit"),
        ('<item name="a" type="dimen" format="float">4dp</item>', "no number"),
        ('<dimen name="a">4dp</dimen><item name="b" type="dimen" format="float">@dimen/a</item>', "a plain number"),
        ('<color name="a">@color/b</color>', "refers to nothing"),
    ],
)
def test_a_fault_is_found(tmp_path, body, fault):
    (problem,) = {each.split(": ", 1)[1].split(" by way")[0] for each in faults(resources(tmp_path, body))}
    assert fault in problem


def test_a_cycle_that_only_the_night_closes_is_found(tmp_path):
    resources(tmp_path, '<color name="a">@color/b</color><color name="b">#FF000000</color>')
    resources(tmp_path, '<color name="b">@color/a</color>', "-night")
    assert faults(tmp_path) == ["values-night color/b: refers to itself by way of color/b"]


def test_valid_resources_have_no_faults(tmp_path):
    resources(
        tmp_path,
        '<dimen name="a">4.5dp</dimen><dimen name="b">@dimen/a</dimen><color name="c">#FF000000</color>'
        '<item name="d" type="dimen" format="float">-0.5</item>'
        '<item name="e" type="dimen" format="float">@dimen/d</item>',
    )
    assert faults(tmp_path) == []


@pytest.mark.parametrize("name", ["moon", "primer", "sds", "synthetic", "quickstart", "generated"])
def test_generated_resources_have_no_faults(name, tmp_path):
    assert faults(subject_of(name).write("android", tmp_path)) == []
