"""The kinds of values that targets write: a new type is a row of values and its CSS, and web targets follow."""

import pytest

from tokensync.generate.output import PLAIN_KINDS
from tokensync.generate.targets import json, react_native, scss, typescript
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.css import literals as css
from tokensync.generate.targets.css.texts import Notation
from tokensync.generate.targets.template.render import LITERALS
from tokensync.tokens.values import KEYWORDS, LITERAL_CLASSES

SCSS = scss.literals(Notation(CssOptions()))
CSS_TEXTS = {"hex_colors": False, "numeric_lengths": False, "numeric_durations": False}


def test_css_writes_every_type_with_literals():
    kinds = {PLAIN_KINDS.get("keyword" if each in KEYWORDS else each, each) for each in LITERAL_CLASSES}
    assert kinds - {"fontWeight", "fontFamily"} <= css.LITERALS.keys()


@pytest.mark.parametrize(
    "literals",
    [
        typescript.literals(**CSS_TEXTS),
        react_native.literals(()),
        SCSS,
        json.literals(exact=True),
        LITERALS["css"],
        LITERALS["json"],
    ],
    ids=["typescript", "react-native", "scss", "json", "template with CSS", "template with JSON"],
)
def test_web_targets_write_every_kind_that_css_writes(literals):
    assert css.LITERALS.keys() | css.COMPOSITES.keys() <= literals.keys()
