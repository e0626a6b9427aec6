"""stylelint-config-standard has nothing to say about the style sheets of any case, response or option."""

import re
from collections import Counter

import pytest
from generate.targets.cases import CASES
from outside.graphs import subject_of

from tokensync.generate.targets import generate
from tokensync.generate.targets.css import CssOptions

pytestmark = pytest.mark.outside

OPTIONS = {
    "default": CssOptions(),
    "switches": CssOptions(form="switches"),
    "oklch": CssOptions(colors="oklch", layer="tokens", property=True, classes="font"),
    "by theme": CssOptions(split="theme", light_dark=True, comments="all"),
    "by collection": CssOptions(split="collection", profile="display-p3", fallbacks=True, classes="properties"),
}
HEAD = re.compile(r"^/\* stylelint-disable .*\*/\n", re.MULTILINE)
SWITCHED_OFF = {"custom-property-pattern", "selector-class-pattern", "number-max-precision"}
"""The rules about names, and the one about decimals, of which a chroma has five."""


def test_cases_of_all_options_have_no_findings(stylelint_standard):
    sheets = {
        f"{name}/{path}": content.decode("utf-8")
        for name, case in CASES.items()
        if name.startswith("css/")
        for path, content in generate(*case)[0]
    }
    findings = stylelint_standard(sheets)
    assert len(findings) >= 40
    assert {path: texts for path, texts in findings.items() if texts} == {}


@pytest.mark.parametrize("name", ["quickstart", "primer", "moon", "sds", "synthetic"])
def test_responses_have_no_findings_and_without_the_head_only_those_about_names_and_decimals(
    name, stylelint_standard, capsys
):
    sheets = {
        f"{form}/{path}": content.decode("utf-8")
        for form, options in OPTIONS.items()
        for path, content in subject_of(name).files("css", options).items()
    }
    findings = stylelint_standard(sheets)
    bare = stylelint_standard({path: HEAD.sub("", css) for path, css in sheets.items()})
    rules = Counter(rule for texts in bare.values() for text in texts for rule in re.findall(r"\(([\w-]+)\)$", text))
    with capsys.disabled():
        print(f" {len(sheets)} files, {sum(map(len, findings.values()))} findings, without the head {dict(rules)}")
    assert {path: texts for path, texts in findings.items() if texts} == {}
    assert {*rules} <= SWITCHED_OFF
    assert not any(
        "(number-max-precision)" in text for path, texts in bare.items() if "oklch" not in path for text in texts
    )


def test_a_finding_is_seen(stylelint_standard):
    (findings,) = stylelint_standard({"x.css": ":root {\n  --x: #ffffff;\n}\n"}).values()
    assert [re.findall(r"\(([\w-]+)\)$", text) for text in findings] == [["color-hex-length"]]
