"""The documents of files: their values, the lines of these, and what cannot be read."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from optional import needs_json5

from tokensync.migrate.readers.documents import document_of
from tokensync.system.errors import UsageError
from tokensync.system.positions import line_and_column, offsets


def content_of(path, text):
    document, unread = document_of(path, text if isinstance(text, bytes) else text.encode())
    return (None if document is None else document.content), [(each.at.line, each.reason) for each in unread]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("{}[]:,\"'\\/* a\n", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('{}:a,"\\\n', max_size=4), inner, max_size=3),
    max_leaves=12,
)


def pointers_of(node, pointer=()):
    yield pointer
    for step, each in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from pointers_of(each, (*pointer, step))


@given(JSON, st.sampled_from([None, 1]))
def test_the_lines_of_all_values_are_those_of_another_scanner(value, indent):
    text = "\n" + json.dumps(value, indent=indent)
    document, unread = document_of("a.json", text.encode())
    assert unread == []
    raw = text.encode()
    pointers = list(pointers_of(value))
    wanted = offsets(raw, pointers)
    assert [document.line(each) for each in pointers] == [line_and_column(raw, wanted[each])[0] for each in pointers]


@needs_json5
def test_lines_of_json5_are_found_behind_comments_and_single_quotes():
    text = "// {\n{ a: { /* {\n*/ 'b c': { \"d\": [1,\n{ x: 2 }] },\n }, }\n"
    document, unread = document_of("a.json", text.encode())
    assert unread == []
    assert document.content == {"a": {"b c": {"d": [1, {"x": 2}]}}}
    pointers = [(), ("a",), ("a", "b c"), ("a", "b c", "d", 1, "x"), ("a", "missing")]
    assert [document.line(each) for each in pointers] == [2, 2, 3, 4, 2]
    assert document.at(document.content["a"]["b c"]) == ("a.json", 3)


@needs_json5
def test_a_missing_comma_is_reported_with_its_line_and_the_rest_is_read():
    content, unread = content_of("tokens.json", '{\n "a": {"$value": 1}\n "b": {"$value": 2},\n "c": [1 2]\n}')
    assert content == {"a": {"$value": 1}, "b": {"$value": 2}, "c": [1, 2]}
    assert [line for line, _ in unread] == [3, 4]
    assert all("a comma is missing" in reason for _, reason in unread)


@needs_json5
def test_a_file_with_other_mistakes_is_unread_with_the_line_of_the_mistake():
    content, ((line, reason),) = content_of("tokens.json", '{\n "a": 1,\n "b" 2\n}')
    assert content is None
    assert (line, reason) == (3, "Expected colon near character 17, found '2'; correct the JSON")


@needs_json5
@pytest.mark.parametrize("text", ['{"a": 1, "b": 2, "a": 3}', "{a: 1, b: 2, 'a': 3}", "a: 1\nb: 2\na: 3"])
def test_a_repeated_name_is_reported_not_lost_in_silence(text):
    path = "a.json" if text.startswith("{") else "a.yaml"
    content, unread = content_of(path, text)
    assert content == {"a": 3, "b": 2}
    assert ["repeated in one object" in reason for _, reason in unread] == [True]


@needs_json5
def test_numbers_that_json_does_not_have_are_texts():
    text = "{a: NaN, b: [-Infinity], c: 0x10}"
    assert content_of("a.json5", text) == ({"a": "NaN", "b": ["-Infinity"], "c": 16}, [])
    content, ((line, reason),) = content_of("a.json", '{"a":\n1e400}')
    assert (content, line, "too large" in reason) == ({"a": "Infinity"}, 2, True)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_part_of_the_text(encoding):
    assert content_of("a.json", '{"ä": 1}'.encode(encoding)) == ({"ä": 1}, [])


@needs_json5
@pytest.mark.parametrize(
    ("path", "raw", "line", "reason"),
    [
        ("a.json", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", 1, "Git LFS"),
        ("a.json", b'{\n"a": "\xff"}', 2, "not UTF-8"),
        ("a.json", b"", 1, "No JSON data found"),
        ("a.json", b'<<<<<<< ours\n{"a": 1}\n', 1, "conflict marks"),
        ("a.json", b"[" * 5000 + b"]" * 5000, 1, "nested deeper"),
        ("a.json", b"[" * 40000, 1, ""),
        ("a.yaml", b"a: [" * 300, 1, ""),
        ("a.yaml", b"a: &a [*a]", 1, "contains its own alias"),
        ("a.yaml", b"a: 1\nb: {c", 2, "correct the YAML"),
        ("a.yaml", b"a: 1\n\tb: 2\n", 2, "correct the YAML"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_has_a_line_and_a_reason(path, raw, line, reason):
    document, unread = document_of(path, raw)
    assert document is None
    assert (unread[-1].at.line, reason in unread[-1].reason) == (line, True), unread


YAML = """\
a:\t1
10: x
on: on
no: No
b: 010
c: 1:30
e: {a.b}
f: {!ALIAS}
g: !ALIAS
h: &x {p: 1}
i: *x
j:
  <<: *x
  q: [1, 2.5, .5, 1e3, 0x10, ~, True]
k: "10"
\t
n:\t"x"\t# comment
"""


def test_yaml_is_read_as_javascript_reads_it():
    content, unread = content_of("a.yaml", YAML)
    assert unread == []
    assert content == {
        "a": 1, "10": "x", "on": "on", "no": "No", "b": 10, "c": "1:30", "e": "{a.b}", "f": "{!ALIAS}", "g": "!ALIAS",
        "h": {"p": 1}, "i": {"p": 1}, "j": {"p": 1, "q": [1, 2.5, 0.5, 1000, 16, None, True]}, "k": "10", "n": "x",
    }  # fmt: skip
    assert list(map(type, content["j"]["q"])) == [int, float, float, float, int, type(None), bool]


def test_lines_of_yaml_are_those_of_names():
    document, _ = document_of("a.yml", YAML.encode())
    assert [document.line(each) for each in [("a",), ("j",), ("j", "q"), ("i", "p"), ("n",)]] == [1, 12, 14, 10, 17]
    assert document.at(document.content["j"]) == ("a.yml", 12)


def test_a_color_that_yaml_takes_for_a_comment_is_reported():
    content, ((line, reason),) = content_of("a.yaml", "x: 1\na: #fff\nb: # a comment\n")
    assert content == {"x": 1, "a": None, "b": None}
    assert (line, reason) == (2, "'#fff' is a comment in YAML, so the value is empty; put it in quotes")


def test_aliases_cannot_multiply_the_values_of_yaml():
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += (f"{chr(98 + at)}: &{chr(98 + at)} [{', '.join(['*' + chr(97 + at)] * 9)}]" for at in range(12))
    content, ((line, reason),) = content_of("a.yaml", "\n".join(lines))
    assert content is None
    assert (line, "more than 200,000 values" in reason) == (6, True)


@pytest.mark.parametrize(("package", "path", "text"), [("pyjson5", "a.json", "{a: 1}"), ("yaml", "a.yaml", "a: 1")])
def test_a_missing_package_is_named_with_the_command_to_install_it(monkeypatch, package, path, text):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match=rf"{path}: .*; run `python -m pip install py"):
        document_of(path, text.encode())
    assert document_of("plain.json", b"{}")[1] == []


def test_json_is_migrated_without_the_packages_of_other_formats(tmp_path):
    (tmp_path / "tokens.json").write_text('{"red": {"$type": "color", "$value": "#ff0000"}}', encoding="utf-8")
    program = """
import sys
sys.modules.update(dict.fromkeys(("defusedxml", "pyjson5", "tinycss2", "yaml")))
sys.argv[1:] = ["migrate", "tokens.json", "--to", "brand"]
from tokensync.__main__ import main
main()
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", cwd=tmp_path, env=environment)
    assert (done.returncode, "1 token read: 1 migrated" in done.stdout) == (0, True), done.stderr


MARKS = "{}[]:,\"'/*\\ \n\t#&!|>-?%@`a1.eE+xu0~<"


@needs_json5
@given(st.text(MARKS, max_size=40), st.sampled_from(["a.json", "a.yaml", "a.css", "a"]))
def test_any_text_is_a_document_or_has_a_reason(text, path):
    document, unread = document_of(path, text.encode())
    assert document is not None or unread
    lines = text.count("\n") + 1
    assert all(1 <= each.at.line <= lines and each.reason for each in unread)
    if document is not None and isinstance(document.content, dict):
        assert all(1 <= document.line((name,)) <= lines for name in document.content)
