"""TIMING and EASING variables as durations and curves, and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from tokensync.normalize.motion import curve_of, duration, easing_of, is_easing, motion_values, seconds_of
from tokensync.tokens import Composite, Quantity, float32


def read(kind, value):
    """Return the value of a variable in one mode; None if its form is unknown."""
    values = motion_values(kind, Raw(json.dumps({"m": value}).encode()))
    return values and values["m"]


def curve(x1, y1, x2, y2):
    return {"x1": x1, "y1": y1, "x2": x2, "y2": y2}


def custom(*points):
    return {"type": "CUSTOM_CUBIC_BEZIER", "easingFunctionCubicBezier": curve(*points)}


def spring(kind, bounce, **more):
    return {"type": kind, "easingFunctionSpring": {"bounce": bounce, **more}}


@pytest.mark.parametrize(
    ("seconds", "milliseconds"),
    [(0.30000001192092896, 300), (0, 0), (1.5, 1500), (0.000123456, 0.123456), (1 / 3, 333.333), (-0.2, -200)],
)
def test_a_timing_is_a_duration_in_milliseconds_with_six_digits(seconds, milliseconds):
    assert read("TIMING", seconds) == Quantity(float32(milliseconds), "ms")


@given(st.floats(-1e6, 1e6, width=32))
def test_what_is_written_of_a_duration_is_read_back(seconds):
    milliseconds = duration(seconds)
    assert duration(seconds_of(milliseconds)) == milliseconds


@pytest.mark.parametrize(
    ("easing", "points"),
    [
        (custom(0.20000000298023224, 0, 0, 1), "[0.2,0,0,1]"),
        ({"type": "EASE_OUT"}, "[0,0,0.58,1]"),
        ({"type": "EASE_OUT_BACK", "easingFunctionCubicBezier": curve(0.45, 1.45, 0.8, 1)}, "[0.45,1.45,0.8,1]"),
        ({"type": "EASE_IN", "easingFunctionCubicBezier": curve(0.5, 0, 1, 1)}, "[0.5,0,1,1]"),
        (
            {"easingType": "EASE_IN", "bezierValues": {"p1x": 0.42, "p1y": 0, "p2x": 1, "p2y": 1}},
            "[0.42,0,1,1]",
        ),
        ({"bezierValues": {"p1x": 0, "p1y": -2, "p2x": 1, "p2y": 3}, "springValues": None}, "[0,-2,1,3]"),
    ],
    ids=str,
)
def test_an_easing_with_a_curve_is_its_four_numbers(easing, points):
    assert read("EASING", easing) == Composite(points)


@pytest.mark.parametrize(
    "easing",
    [{"type": "HOLD"}, {"type": "GENTLE"}, {"type": "SLOW"}, spring("CUSTOM_SPRING", 0.5), spring("CUSTOM_SPRING", 0)],
    ids=str,
)
def test_springs_and_holds_stay_the_object_of_the_platform(easing):
    value = read("EASING", easing)
    assert json.loads(value.json) == easing
    assert json.loads(easing_of(value)) == easing


def test_a_named_spring_needs_no_bounce():
    assert read("EASING", spring("QUICK", 0.4226497411727905)) == read("EASING", {"type": "QUICK"})
    assert read("EASING", spring("QUICK", 0.5)) is None


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("TIMING", True),
        ("TIMING", "200ms"),
        ("TIMING", None),
        ("TIMING", 1e39),
        ("TIMING", {"type": "LINEAR"}),
        ("EASING", 0.5),
        ("EASING", [0, 0, 1, 1]),
        ("EASING", "EASE_IN"),
        ("EASING", {"type": "WOBBLE"}),
        ("EASING", {"type": "WOBBLE", "easingFunctionCubicBezier": curve(0.5, 0, 1, 1)}),
        ("EASING", {"type": "CUSTOM_SPRING"}),
        ("EASING", {"type": "CUSTOM_CUBIC_BEZIER"}),
        ("EASING", custom(1.5, 0, 1, 1)),
        ("EASING", custom(0, "0", 1, 1)),
        ("EASING", {**custom(0, 0, 1, 1), "steps": 3}),
        ("EASING", {"type": "HOLD", "steps": 3}),
        ("EASING", spring("CUSTOM_SPRING", 2)),
        ("EASING", spring("CUSTOM_SPRING", True)),
        ("EASING", spring("CUSTOM_SPRING", 0.5, mass=1)),
        ("EASING", {"easingType": 7, "bezierValues": {"p1x": 0, "p1y": 0, "p2x": 1, "p2y": 1}}),
        ("EASING", {"bezierValues": {"p1x": 0, "p1y": 0, "p2x": 1, "p2y": 1}, "springValues": {"mass": 1}}),
        ("EASING", {"type": "VARIABLE_ALIAS", "id": 7}),
    ],
    ids=str,
)
def test_an_unknown_form_is_not_read(kind, value):
    assert read(kind, value) is None


@pytest.mark.parametrize(
    ("points", "easing"),
    [
        ("[0.42,0,1,1]", {"type": "EASE_IN"}),
        ("[0,0,1,1]", {"type": "LINEAR"}),
        ("[0.2,0,0,1]", custom(0.2, 0, 0, 1)),
        ("[0.20, 0.0, 0, 1]", custom(0.2, 0, 0, 1)),
    ],
)
def test_a_curve_is_written_with_its_name_if_it_has_one(points, easing):
    text = easing_of(Composite(points))
    assert json.loads(text) == easing
    assert is_easing(text)
    assert curve_of(text) == Composite(json.dumps(json.loads(points.replace("0.0", "0")), separators=(",", ":")))


@pytest.mark.parametrize(
    "text", ['["Inter"]', "[0,0,1]", "[2,0,1,1]", '{"type":"WOBBLE"}', "nonsense", '"{a.b}"', "[0,0,1,true]"]
)
def test_what_is_no_easing_is_not_written(text):
    assert easing_of(Composite(text)) is None
    assert not is_easing(text)
    assert curve_of(text) == Composite(text)


def test_a_null_is_no_override_and_no_value_of_a_mode():
    both = Raw(b'{"a": 0.5, "b": null}')
    assert motion_values("TIMING", both, are_overrides=True) == {"a": Quantity(500.0, "ms")}
    assert motion_values("TIMING", both) is None
