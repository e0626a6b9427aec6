"""Springs and holds of motion variables: linear() for the web, and nothing where a platform has no springs."""

import re
from itertools import pairwise

import pytest
from graphs import alias, collection, graph, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.css.springs import easing
from tokensync.tokens import Composite

BASE = collection("Base", "Value")
HOLD = Composite('{"type":"HOLD"}')


def spring(bounce):
    return Composite(f'{{"easingFunctionSpring":{{"bounce":{bounce}}},"type":"CUSTOM_SPRING"}}')


def points(text):
    """Return the (time, way) pairs of a linear(), both from 0 to 1."""
    parts = [part.split() for part in re.fullmatch(r"linear\((.*)\)", text)[1].split(", ")]
    assert (parts[0], parts[-1]) == (["0"], ["1"])
    return [(0.0, 0.0), *((float(time.rstrip("%")) / 100, float(way)) for way, time in parts[1:-1]), (1.0, 1.0)]


def moved(bounce, steps=20_000):
    """Return the way of a damped spring at rest over its segment, by integration of its equation of motion."""
    from math import log, sqrt

    ratio = 1 - bounce
    frequency = -log(0.00075 * sqrt(1 - ratio**2)) / ratio
    way, speed, time, ways = 0.0, 0.0, 1 / steps, [0.0]
    for _ in range(steps):
        speed += (frequency**2 * (1 - way) - 2 * ratio * frequency * speed) * time
        way += speed * time
        ways.append(way)
    return ways


@pytest.mark.parametrize("bounce", [0.05, 0.25, 0.5, 0.8, 0.9])
def test_a_spring_moves_as_a_damped_oscillator_does(bounce):
    drawn, ways = points(easing(spring(bounce))), moved(bounce)
    for (start, low), (end, high) in pairwise(drawn):
        for share in (0, 0.25, 0.5, 0.75):
            time = start + (end - start) * share
            assert low + (high - low) * share == pytest.approx(ways[round(time * 20_000)], abs=0.02)


@pytest.mark.parametrize("bounce", [0, 0.005, 0.01, 0.3, 0.69381, 0.95, 1])
def test_the_points_of_a_spring_are_in_order_and_few(bounce):
    drawn = points(easing(spring(bounce)))
    assert all(one[0] < other[0] for one, other in pairwise(drawn))
    assert len(drawn) < 400
    assert (max(way for _, way in drawn) > 1) is (bounce > 0.01)


def test_a_named_spring_is_that_of_its_bounce():
    for name, bounce in (("GENTLE", 0.25), ("SLOW", 0)):
        assert easing(Composite(f'{{"type":"{name}"}}')) == easing(spring(bounce))


@pytest.mark.parametrize("text", ["[0,0,1,1]", '{"type":"WOBBLE"}', "null", '["Inter"]'])
def test_other_values_are_no_springs(text):
    assert easing(Composite(text)) is None


TOKENS = graph(
    BASE,
    token(BASE, "bounce", spring(0.3), type="cubicBezier"),
    token(BASE, "jump", HOLD, type="cubicBezier"),
    token(BASE, "same", alias("Base", "bounce"), type="cubicBezier"),
)


@pytest.mark.parametrize(
    ("platform", "lines"),
    {
        "css": ["--bounce: linear(0, ", "--jump: step-end;", "--same: var(--bounce);"],
        "tailwind": ["--bounce: linear(0, ", "--jump: step-end;"],
        "scss": ["$bounce: linear(0, ", "$jump: step-end;", "$same: $bounce;"],
        "typescript": ['bounce = "linear(0, ', 'jump = "step-end"'],
        "json": ['{"easingFunctionSpring": {"bounce": 0.3}, "type": "CUSTOM_SPRING"}', '{"type": "HOLD"}'],
    }.items(),
)
def test_outputs_for_the_web_have_springs(platform, lines):
    files, problems = generate(TOKENS, OutputRequest(platform=platform))
    text = b"\n".join(content for _, content in files).decode()
    assert [line for line in lines if line not in text] == []
    assert not problems


@pytest.mark.parametrize("platform", ["android", "compose", "ios", "react-native"])
def test_other_outputs_say_that_they_have_none(platform):
    _, problems = generate(TOKENS, OutputRequest(platform=platform))
    assert {problem.code for problem in problems} == {"type-unsupported"}
    assert all("has no springs and holds" in problem.what for problem in problems)
