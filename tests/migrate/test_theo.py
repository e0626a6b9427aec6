"""Theo's files as sources: one oddity each, with the sets and tokens that it has to give."""

import pytest
from migrate.read_sources import documents, sets_of, themes_of, token, unread_of

from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import propose
from tokensync.migrate.readers import theo
from tokensync.migrate.readers.source_files import recognize


def read(files):
    source = theo.read(documents(files))
    assert source.read == sum(len(each.tokens) for each in source.sets) + sum(each.is_token for each in source.unread)
    return source


YAML = """\
global:
  type: color
  category: background
aliases:
  BLUE: '#00f'
  SKY: {value: "{!BLUE}", meta: x}
  gap: 4px
props:
  bg:\t
    value: "{!SKY}"
    comment: text
  10:
    value: {!BLUE}
  shade:
    value: "rgba( {! BLUE }, .5)"
  gap:
    value: "{!gap}"
    type: size
  empty:
    type: color
  bare: 3
"""


def test_props_and_aliases_are_tokens():
    source = read({"a.yml": YAML})
    assert sets_of(source) == {
        "a.yml": {
            "BLUE": "#00f",
            "SKY": "{BLUE}",
            "aliases.gap": "4px",
            "bg": "{SKY}",
            "10": "{BLUE}",
            "shade": "rgba( {BLUE}, .5)",
            "gap": "{aliases.gap}",
        }
    }
    assert unread_of(source) == dict.fromkeys(
        ["a.yml:19 empty", "a.yml:21 bare"], "the prop has no value; write an object with a value"
    )
    assert themes_of(source) == {"/a*": {"a.yml": "enabled"}}


def test_global_members_are_those_of_each_prop_unless_it_has_its_own():
    source = read({"a.yml": YAML})
    found = token(source, "bg")
    assert (found.type, found.description, dict(found.extensions)) == ("color", "text", {"category": "background"})
    assert (str(found.at), token(source, "gap").type, token(source, "BLUE").type) == ("a.yml:9", "size", "")
    assert token(source, "SKY").extensions == {"meta": "x"}


def test_props_can_be_a_list():
    props = [{"name": "A", "value": 1}, {"name": "B", "value": ["{!x}", 2]}]
    source = read({"a.json": {"props": props, "aliases": {"x": 3}}})
    assert sets_of(source) == {"a.json": {"x": 3, "A": 1, "B": ["{x}", 2]}}
    assert str(token(source, "B").at) == "a.json:7"


def test_imports_come_before_the_files_that_import_them():
    files = {
        "a.json": {
            "imports": ["./parts/z.json", "b.json", "gone.json", "../up.json"],
            "props": {"p": {"value": "{!x}"}},
        },
        "b.json": {"imports": ["a.json"], "aliases": {"x": 1}},
        "parts/z.json": {"imports": ["../b.json"], "aliases": {"y": {"value": "{!x}"}}},
        "index.json": {"imports": ["a.json"]},
    }
    source = read(files)
    assert list(themes_of(source)["/tokens*"]) == ["b.json", "parts/z.json", "a.json"]
    assert unread_of(source) == {
        "- a.json:5": "the import 'gone.json' is not in this source; give the folder that has both",
        "- a.json:6": "the import '../up.json' is not in this source; give the folder that has both",
    }


def test_three_hundred_imports_are_read_once_each():
    files = {f"parts/{at}.json": {"props": {f"p{at}": {"value": at}}} for at in range(300)}
    source = read({"index.json": {"imports": list(files)}, "again.json": {"imports": list(files)}, **files})
    assert (source.read, len(source.sets), source.unread) == (300, 300, ())


def test_files_that_give_names_other_values_are_collections():
    files = {
        "aliases.json": {"aliases": {"base": "16px"}},
        "apps.json": {"imports": ["aliases.json"], "props": {"gap": {"value": "16px"}, "tap": {"value": "44px"}}},
        "web.json": {"imports": ["aliases.json"], "props": {"gap": {"value": "2rem"}, "line": {"value": "{!base}"}}},
        "list.json": {"props": {"row": {"value": "1px"}}},
    }
    source = read(files)
    assert themes_of(source) == {
        "/tokens*": {"aliases.json": "enabled", "list.json": "enabled"},
    }
    converted = convert(source, propose(source), "file")
    assert converted.ledger.counts.tokens_migrated == source.read == 6
    values = {f"{key.collection}/{key.path}": token.values for key, token in converted.graph.tokens.items()}
    assert (values["apps-json/gap"], values["web-json/gap"]) == ((16.0,), (32.0,))


def test_an_alias_with_two_values_is_reported():
    source = read({"a.json": {"aliases": {"x": 1}}, "b.json": {"aliases": {"x": 2, "y": 1}}})
    (reason,) = unread_of(source).values()
    assert reason == "the alias 'x' has another value in a.json:3; the last one counts for references"


def test_a_file_may_replace_what_it_imports():
    props = [{name: {"value": at} for name in names} for at, names in enumerate(("xyz", "xuv"))]
    files = {"a.json": {"props": props[0]}, "b.json": {"imports": ["a.json"], "props": props[1]}}
    assert themes_of(read(files)) == {"/tokens*": {"a.json": "enabled", "b.json": "enabled"}}


def test_light_and_dark_files_are_modes():
    files = {f"{mode}.json": {"props": {"p": {"value": mode}}} for mode in ("light", "dark")}
    assert list(themes_of(read(files))) == ["theme/dark", "theme/light*"]


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ({"props": {"a": {"value": 1}}}, True),
        ({"props": [{"name": "a", "value": 1}]}, True),
        ({"aliases": {"a": 1}}, True),
        ({"imports": []}, True),
        ({"props": {"a": {"b": {"value": 1}}}}, False),
        ({"aliases": {"a": {"value": 1}}, "b": {"value": 1}}, False),
        ({"a": {"value": 1}}, False),
        ({"props": {"a": {"value": 1}}, "b": {"c": {"value": 1}}}, False),
        ([], False),
    ],
)
def test_theo_is_recognized_by_props_and_aliases(content, wanted):
    assert theo.recognized(documents({"a.json": content})) is wanted


def test_a_list_of_props_is_no_set_of_tokens_studio(tmp_path):
    for each in documents({"a.json": {"imports": ["b.json"]}, "b.json": {"props": [{"name": "x", "value": 1}]}}):
        (tmp_path / each.path).write_text(each.text, encoding="utf-8")
    assert recognize(str(tmp_path)).format.name == "theo"
