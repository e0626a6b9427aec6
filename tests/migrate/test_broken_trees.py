"""No tree, however broken, ends in an exception of Python or in a token that is neither read nor reported."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensync.migrate.readers import dtcg_files, figma_export, style_dictionary, theo
from tokensync.migrate.readers.documents import document_of
from tokensync.system.errors import UsageError

READERS = (dtcg_files, figma_export, style_dictionary, theo)
NAMES = """
    $value $type $ref $root $extends $extensions $description $deprecated value type sets alpha a b a.b light dark
    default props aliases imports global name source include version resolutionOrder modifiers contexts sources
    colorSpace components color comment mode modify com.figma com.figma.modeName com.figma.variableId
    com.figma.aliasData targetVariableName targetVariableSetName com.figma.codeSyntax com.figma.scopes WEB
    org.primer.overrides studio.tokens org.tokensync key --a
""".split()
TEXTS = """
    {a} {a.b} {a.$root} {a.value} {a {b.{a}} {!a} #/a #/a/$value #/a/$value/0 #/b/$value/color #/ # b.json#/a #/sets/a
    b.json ../c.json #fff 4px rgba({a},.5) var(--a) var(--b) 2025.10 color number dimension shadow 1 Mode M S a/b
    #/modifiers/a
""".split()
SCALARS = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, 1, -1, 0.5, 1e300, 10**30])
    | st.sampled_from([*TEXTS, "", "{ a }", "\ud800"])
)
KEYS = st.sampled_from([*NAMES, ""])
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)
TOKEN = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("$value", "value", "$type", "$extensions", "sets", "alpha", "a", "$root"), TREES)
)
FILES = st.dictionaries(
    st.sampled_from(["a.json", "b.json", "light.json", "dark.json", "x/a.json", "x/dark/b.json", "r.resolver.json"]),
    st.dictionaries(KEYS, TOKEN | TREES, max_size=5) | TREES,
    min_size=1,
    max_size=4,
)


def checked(reader, documents):
    reader.recognized(documents)
    try:
        source = reader.read(documents)
    except UsageError as error:
        assert "several resolver documents" in str(error)  # noqa: PT017 - the only reason to stop
        return
    names = [each.name for each in source.sets]
    assert len(names) == len(set(names))
    assert source.read == sum(len(each.tokens) for each in source.sets) + sum(each.is_token for each in source.unread)
    assert all(name in names for each in source.themes for name in each.sets)
    known = {each.path for each in documents}
    places = [token.at for _, token in source.tokens()] + [each.at for each in source.unread]
    assert all(place.file in known and place.line >= 1 for place in places)
    assert all(each.reason for each in source.unread)
    assert all(isinstance(name, str) for _, token in source.tokens() for name in token.name)
    enabled = {name for each in source.themes for name, role in each.sets.items() if role == "enabled"}
    assert {each.name for each in source.sets if each.tokens} <= enabled
    groups = {each.group for each in source.themes}
    assert all(sum(each.is_default for each in source.themes if each.group == group) == 1 for group in groups)


@pytest.mark.parametrize("reader", READERS)
@given(files=FILES)
def test_any_files_are_read_or_reported(reader, files):
    documents = [document_of(path, json.dumps(content).encode())[0] for path, content in sorted(files.items())]
    checked(reader, [each for each in documents if each is not None])


@pytest.mark.parametrize("reader", READERS)
def test_a_reference_in_a_list_without_a_token_is_reported(reader):
    document, _ = document_of("a.json", b'{"$root": {"$value": 1}, "value": [{"$ref": "{a}"}], "b": {"value": 1}}')
    checked(reader, [document])


@pytest.mark.parametrize("reader", READERS)
def test_deep_trees_are_read(reader):
    content = {"$value": "#fff", "value": "#fff"}
    for _ in range(95):
        content = {"a": content}
    for extra in ({}, {"$extends": "{a.a}"}, {"$extensions": {"com.figma.modeName": "M"}}):
        document, _ = document_of("a.json", json.dumps({**content, **extra}).encode())
        checked(reader, [document])
