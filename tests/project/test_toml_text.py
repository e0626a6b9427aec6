"""The positions of keys and tables in TOML."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensync.project.toml_text import nearest, toml_positions

TEXT = '''# [not.a.table]
base_url = "figma" # key = 1
tokens = """
[outputs]
more = 1
"""

[[files]]
name = 'a'
  key = "k"

[[files]]
name = "b"
[themes."night, dark"]
color = "Dark"
[client]
read_timeout = 3
a.b."c d" = [
  1, # ]
  "]", { x = 1 },
]
after = 1
[[outputs]]
include = { paths = ["x"] }
[[outputs]]
[outputs.exclude]
paths = []
[ tool . tokensync ]
x = 1
'''


@pytest.mark.parametrize(
    ("steps", "position"),
    [
        (("base_url",), (2, 1)),
        (("tokens",), (3, 1)),
        (("files", 0), (8, 1)),
        (("files", 0, "key"), (10, 3)),
        (("files", 1, "name"), (13, 1)),
        (("themes", "night, dark"), (14, 1)),
        (("themes", "night, dark", "color"), (15, 1)),
        (("client", "a", "b", "c d"), (18, 1)),
        (("client", "after"), (22, 1)),
        (("outputs", 0, "include"), (24, 1)),
        (("outputs", 1, "exclude", "paths"), (27, 1)),
        (("tool", "tokensync", "x"), (29, 1)),
    ],
)
def test_keys_and_tables_have_their_positions(steps, position):
    assert toml_positions(TEXT)[steps] == position


def test_keys_in_strings_and_comments_are_ignored():
    assert ("outputs", "more") not in toml_positions(TEXT)
    assert ("more",) not in toml_positions(TEXT)
    assert ("not",) not in toml_positions(TEXT)


def test_value_without_a_position_has_that_of_its_nearest_parent():
    positions = toml_positions(TEXT)
    assert nearest(positions, ("outputs", 0, "include", "paths", 0)) == (24, 1)
    assert nearest(positions, ("outputs", 1, "platform")) == (25, 1)
    assert nearest(positions, ("nowhere",)) is None


def test_windows_line_ends_are_supported():
    assert toml_positions(TEXT.replace("\n", "\r\n"))["outputs", 1, "exclude", "paths"] == (27, 1)


NAMES = st.sampled_from(["a", "b", "c-d", '"e f"', "'g.h'"])
VALUES = st.sampled_from(
    ["1", '"x # ["', "'''\n[x]\ny = 1\n'''", "[\n 1,\n {z = 2}\n]", "{z = 1}", "1979-05-27", "-1.5"]
)
LINES = st.one_of(
    st.builds("{} = {}".format, NAMES, VALUES),
    st.builds("{}.{} = {}".format, NAMES, NAMES, VALUES),
    st.builds("[{}]".format, NAMES),
    st.builds("[[{}]]".format, NAMES),
    st.builds("[[{}.{}]]".format, NAMES, NAMES),
    st.sampled_from(["", "# x = 1"]),
)


def tables_of(value, steps=()):
    """Yield the path of each key and table outside arrays of values and inline tables."""
    for name, part in value.items():
        yield (*steps, name)
        if isinstance(part, dict) and part != {"z": 1}:
            yield from tables_of(part, (*steps, name))
        elif isinstance(part, list) and part and all(isinstance(each, dict) for each in part):
            for index, each in enumerate(part):
                yield from tables_of(each, (*steps, name, index))


@given(st.lists(LINES, max_size=8).map("\n".join))
def test_all_keys_of_any_document_have_a_position(text):
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    positions = toml_positions(text)
    assert [steps for steps in tables_of(document) if nearest(positions, steps) != positions.get(steps)] == []
