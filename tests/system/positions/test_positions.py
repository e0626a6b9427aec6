"""Positions in JSON text."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensync.system import positions
from tokensync.system.errors import DECODE_ERRORS
from tokensync.system.positions import decoded, line_and_column, line_of_error, lines_and_columns, offsets, pointer_text

TEXT = """{
  "a": 1,
  "é~/": {"b": [10, {"c": "x\\"}"}, [], 30]},
  "last": null
}
""".encode()


def locate(text, pointer):
    return line_and_column(text, offsets(text, (pointer,))[pointer])


@pytest.mark.parametrize(
    ("pointer", "position"),
    [
        ((), (1, 1)),
        (("a",), (2, 8)),
        (("é~/",), (3, 10)),
        (("é~/", "b", 0), (3, 17)),
        (("é~/", "b", 1, "c"), (3, 27)),
        (("é~/", "b", 3), (3, 40)),
        (("last",), (4, 11)),
    ],
)
def test_a_pointer_is_found_at_its_value(pointer, position):
    assert locate(TEXT, pointer) == position


def test_a_pointer_to_a_missing_value_locates_its_nearest_parent():
    assert locate(TEXT, ("é~/", "nothing", "at all")) == locate(TEXT, ("é~/",))


def test_the_last_of_repeated_names_counts():
    assert locate(b'{"a": 1,\n "a": 2}', ("a",)) == (2, 7)


def test_columns_count_characters_and_lines_end_with_a_newline():
    assert line_and_column("é\r\nñx".encode(), 6) == (2, 2)
    assert line_and_column(b"ab", 99) == (1, 3)
    assert line_and_column(b"ab", -1) == (1, 1)


@given(st.text("é\nx€\r"), st.lists(st.integers(-2, 60)))
def test_many_offsets_give_the_same_positions_as_one_at_a_time(text, requested):
    raw = text.encode()
    starts = [len(text[:end].encode()) for end in range(len(text) + 1)]
    inside = [each if each < 0 or each > len(raw) else max(at for at in starts if at <= each) for each in requested]
    found = lines_and_columns(raw, inside)
    for offset in inside:
        before = raw[: max(offset, 0)].decode()
        assert found[offset] == (before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)


def test_a_pointer_is_written_as_in_rfc_6901():
    assert pointer_text(()) == "#"
    assert pointer_text(("a/b", "m~n", 0)) == "#/a~1b/m~0n/0"


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b'{"a', b'{"a":', b'{"a": [1, 2', b"]]}}::,,", b'{"a" 1}', b'{1: 2, "a": 3', b"\xff\xfe", b'"\\'],
)
def test_malformed_text_has_positions_too(text):
    line, column = locate(text, ("a", 0, "b"))
    assert line == 1
    assert column >= 1


def test_deeply_nested_text_has_positions_too():
    text = b'{"a":' * 200_000
    assert locate(text, ("a",) * 3) == (1, 16)
    assert locate(b"[" * 200_000, (0, 0)) == (1, 3)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def _pointers(value, pointer=()):
    yield pointer, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in members:
        yield from _pointers(inner, (*pointer, step))


@given(json_values, st.sampled_from([None, 1]), st.randoms())
def test_the_decoder_and_the_scan_find_the_same_offsets(value, indent, random):
    text = json.dumps(value, indent=indent).replace('"a"', '"b"')  # now and then, a name is repeated
    at = random.randrange(len(text) + 1)
    damaged = text[:at] + random.choice(["", ",", "}", '"', "0"]) + text[at + random.randrange(2) :]
    for content in (text.encode(), damaged.encode()):
        wanted = [pointer for pointer, _ in _pointers(value)]
        expected = positions._requested(wanted)
        positions._scan(content, expected)
        assert offsets(content, wanted) == {pointer: expected.nearest(pointer) for pointer in wanted}


def test_well_formed_text_is_not_scanned(monkeypatch):
    monkeypatch.setattr(positions, "_scan", None)
    assert locate(TEXT, ("é~/", "b", 1, "c")) == (3, 27)


@given(json_values, st.sampled_from([None, 1]))
def test_every_value_of_any_json_is_found_where_it_starts(value, indent):
    text = json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "surrogatepass")
    values = dict(_pointers(value))
    starts = offsets(text, values)
    for pointer, inner in values.items():
        assert json.JSONDecoder().raw_decode(text[starts[pointer] :].decode())[0] == inner


class Inner(msgspec.Struct):
    number: int = 0


class Outer(msgspec.Struct):
    name: str = ""
    inner: tuple[Inner, ...] = ()
    by_name: dict[str, Inner] = {}


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{\n"name": "x\xff"}', 2),
        (b'{\n"unknown": {"a":\n"x\xff"}}', 3),
        (b'{\n\n"\xffname": "x"}', 3),
        (b'{\n"inner": [\n{"number": 1},\n{"number": "x"}]}', 4),
        (b'{\n"by_name": {\n"a": {"number": "x"}}}', 2),
        (b'{\n"name": "x",\n@}', 3),
        (b'{\n"name":\n"x', 3),
        (b'{\n"name": "x",\n"unknown": [\n' + b"[" * 100_000 + b"\n", 4),
    ],
)
def test_an_error_is_located_at_its_line(content, line):
    with pytest.raises(DECODE_ERRORS) as stop:
        decoded(content, Outer)
    assert line_of_error(content, stop.value) == line
