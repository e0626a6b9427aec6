"""What the rules find in three public design files: frozen counts, so that a rule that becomes noise is noticed."""

from collections import Counter

import pytest
from corpus.building import CORPUS, NO_CORPUS

from tokensync.extract.wire import snapshot
from tokensync.lint import Subject, lint
from tokensync.normalize.graph import normalize
from tokensync.settings import LintConfig, NamePatternConfig, ScaleConfig, VisionConfig

LAYERS = {"primer": ("mode", "base-size"), "sds": ("color", "color-primitives"), "moon": ("corner-radius", "global")}


@pytest.fixture(scope="module", params=[*LAYERS])
def design(request):
    """A name and its graph."""
    path = next(CORPUS.glob(f"{request.param}-local*.json"), None)
    if path is None:
        pytest.skip(NO_CORPUS)
    return request.param, normalize(snapshot("design", path.read_bytes(), None))[0]


def counts(design, **settings):
    return Counter(each.code for each in lint(Subject(design[1], LintConfig(**settings))))


def test_without_settings_the_findings_are_few(design):
    assert (
        counts(design)
        == {
            "primer": {"scopes-all": 48, "alias-deep": 2, "composites-possible": 1},
            "sds": {"code-syntax-missing": 1, "modes-equal": 1},
            "moon": {},
        }[design[0]]
    )


def test_declared_layers_add_what_they_say(design):
    found = counts(design, layers=LAYERS[design[0]], aliases_only=LAYERS[design[0]][:1]) - counts(design)
    assert (
        found
        == {
            "primer": {"literal-in-layer": 1_697, "primitive-unused": 7},
            "sds": {"literal-in-layer": 12, "primitive-unused": 24},
            "moon": {"primitive-unused": 7},
        }[design[0]]
    )


def test_near_colours_are_few_below_a_distance_of_one(design):
    found = [counts(design, near_colors=limit)["colors-near"] for limit in (1.0, 2.0)]
    assert found == {"primer": [0, 0], "sds": [5, 8], "moon": [0, 0]}[design[0]]


def test_rules_that_would_be_noise_need_their_setting(design):
    everything = {
        "descriptions": ("*",),
        "naming": (NamePatternConfig(match=("*",), case="kebab"),),
        "scales": (ScaleConfig(match=("*",), step=4),),
    }
    noise = {
        code: counts(design, **everything)[code] for code in ("description-missing", "name-pattern", "number-off-scale")
    }
    assert list(noise.values()) == {"primer": [843, 334, 43], "sds": [296, 0, 12], "moon": [171, 78, 14]}[design[0]]


def test_even_a_theme_for_people_with_a_deficiency_has_colours_that_they_hardly_tell_apart(design):
    if design[0] != "primer":
        pytest.skip("only this design file has such a theme")
    pair = ("mode/fgColor/danger", "mode/fgColor/attention")
    (alike,) = [
        each
        for each in lint(Subject(design[1], LintConfig(vision=(VisionConfig(match=pair),))))
        if each.code == "colors-indistinct"
    ]
    assert "1.97 from mode / fgColor/attention with deuteranopia in mode/dark-protanopia-deuteranopia" in alike.names
