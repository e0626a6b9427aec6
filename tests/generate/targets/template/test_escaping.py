"""The filters of the user's own templates: readers of each language return the same text."""

import json
import re

import lxml.etree
import pytest
import tinycss2
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tokensync.generate.targets.template.render import FILTERS

FILTER = {each.name: each.function for each in FILTERS}
NASTY = [
    "",
    '"',
    "'",
    "\\",
    "$x ${y} \\(z)",
    "*/ /* //",
    "</script>",
    "a\nb\r\nc\td",
    "\0\x1b\x7f\x85",
    "\u202e\u2066",
    "\ufeff",
]
texts = st.text() | st.lists(st.sampled_from(NASTY)).map("".join)


def every_text(test):
    for each in (*NASTY, "x" * 10_000, "`" * 3 + "|", "- a", "1. b", "# c", "  d  ", "\ud800", "\u2028"):
        test = example(each)(test)
    return given(texts)(test)


def whole(text):
    """Return the text with U+FFFD for lone surrogates."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


@every_text
def test_json_reads_back(text):
    assert json.loads(FILTER["json"](text)) == text


@every_text
def test_a_css_string_reads_back(text):
    (token,) = tinycss2.parse_component_value_list(FILTER["css_string"](text))
    assert (token.type, token.value) == ("string", whole(text).replace("\0", "\ufffd"))


@every_text
def test_a_javascript_string_reads_back_as_json_does(text):
    assert json.loads(FILTER["js_string"](text)) == text


@every_text
def test_a_dart_string_reads_back(text):
    written = FILTER["dart_string"](text)
    assert re.fullmatch(r"'(?:[^'\\$\x00-\x1f]|\\[nrt\\'$]|\\u\{[0-9a-f]{1,6}\})*'", written)
    named = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", "$": "$"}
    back = re.sub(
        r"\\(?:u\{([0-9a-f]+)\}|(.))", lambda each: chr(int(each[1], 16)) if each[1] else named[each[2]], written[1:-1]
    )
    assert back == whole(text)


@every_text
def test_xml_reads_back_in_text_and_in_an_attribute(text):
    written = FILTER["xml"](text)
    root = lxml.etree.fromstring(f'<a b="{written}">{written}</a>'.encode())
    expected = re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)
    assert (root.text or "") == expected
    assert root.get("b") == expected


@pytest.mark.parametrize("name", ["kotlin_string", "swift_string", "dart_string"])
def test_a_string_of_kotlin_swift_or_dart_is_one_literal(name, request):
    parse = request.getfixturevalue(name.removesuffix("_string"))
    declaration = {"kotlin_string": "val a = {}\n", "swift_string": "let a = {}\n", "dart_string": "const a = {};\n"}[
        name
    ]
    for text in (*NASTY, "x" * 500, "\ud800"):
        assert parse(declaration.format(FILTER[name](text)).encode())


def table(cell):
    """Return the second cell of a table as a Markdown reader renders it."""
    page = MarkdownIt("commonmark").enable("table").render(f"| a | b | c |\n| --- | --- | --- |\n| x | {cell} | y |\n")
    return lxml.etree.fromstring(f"<r>{page}</r>".encode()).xpath("//tbody/tr/td")


def on_one_line(text):
    """Return the words of the text's lines, as from the filter ``comment_lines``."""
    return " ".join(FILTER["comment_lines"](text)).split()


readable = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn", "Co"])) | st.sampled_from(NASTY[:8])


@given(readable)
@example("a|b\\|c")
@example("[x](y) <b> &amp; *z* ~~q~~ `c`")
@example("1. a")
@example("- a")
def test_markdown_is_one_cell_that_reads_back(text):
    cells = table(FILTER["markdown"](text))
    assert len(cells) == 3
    assert not [each for each in cells[1].iter() if each is not cells[1]]
    assert (cells[1].text or "").split() == on_one_line(text)


@given(readable)
@example("a|b")
@example("`")
@example("``x`")
def test_markdown_code_is_one_cell_that_reads_back(text):
    cells = table(FILTER["markdown_code"](text))
    assert len(cells) == 3
    assert "".join(cells[1].itertext()).split() == on_one_line(text)


@every_text
def test_lines_cannot_begin_or_end_a_comment(text):
    for line in FILTER["comment_lines"](text):
        assert "*/" not in line
        assert "/*" not in line
        assert line.isprintable()


def test_a_colour_in_eight_digits_has_its_opacity_first():
    assert FILTER["argb"]({"hex": "#1f6feb", "alpha": 0.5}) == "801F6FEB"


def test_each_filter_has_a_description():
    for each in FILTERS:
        assert each.about.endswith("."), each.name
