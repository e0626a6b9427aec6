"""Texts of the type css: outputs for the web write them as they are, and nothing else of a token file becomes code."""

import pytest
from dtcg.test_reading_edited_files import problem_of
from graphs import alias, collection, graph, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate

BASE = collection("Base", "Value")
TEXTS = graph(
    BASE,
    token(BASE, "fluid", "max(1rem, 2vw)", type="css"),
    token(BASE, "ratio", "16/9", type="css"),
    token(BASE, "same", alias("Base", "fluid"), type="css"),
)


def generated(platform):
    files, problems = generate(TEXTS, OutputRequest(platform=platform))
    return b"\n".join(content for _, content in files).decode(), problems


WRITTEN = {
    "css": ["--fluid: max(1rem, 2vw);", "--ratio: 16/9;", "--same: var(--fluid);"],
    "tailwind": ["--fluid: max(1rem, 2vw);", "--ratio: 16/9;"],
    "scss": ['$fluid: #{"max(1rem, 2vw)"};', '$ratio: #{"16/9"};', "$same: $fluid;"],
    "typescript": ['fluid: "max(1rem, 2vw)"'],
    "json": ['"type": "css"', '"value": "max(1rem, 2vw)"'],
}


@pytest.mark.parametrize(("platform", "lines"), WRITTEN.items(), ids=WRITTEN)
def test_outputs_for_the_web_write_a_text_of_css_without_quotation_marks(platform, lines):
    text, problems = generated(platform)
    assert [line for line in lines if line not in text] == []
    assert not problems


@pytest.mark.parametrize("platform", ["android", "compose", "ios"])
def test_native_outputs_omit_a_text_of_css_and_say_so(platform):
    assert {problem.code for problem in generated(platform)[1]} == {"type-unsupported"}


HOSTILE = [
    "red; color: blue",
    "red } body { color: red",
    "red /* comment",
    "red // comment",
    "url(https://example.com/x.png)",
    "image-set(x)",
    "</style>",
    "a) + (b",
    "calc(1px",
    "red !important",
    "\\72 ed",
    '"text"',
    "#{x} y",
    "red\nblue",
    "@import x",
    "$x",
    " red",
    "",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_that_would_be_more_than_a_value_is_refused(text):
    found = problem_of({"$type": "css", "$value": text})
    assert "keywords, numbers and functions of CSS" in found.what
    assert found.severity == "error"
