"""stylelint finds nothing twice, nothing unknown and nothing undefined in the style sheets."""

import pytest

pytestmark = pytest.mark.outside


def test_no_rule_about_mistakes_is_broken(subject, stylelint):
    for content in subject.files("css").values():
        stylelint(content.decode("utf-8"))
