"""An unreadable token file, and other files that depend on it."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tokensync.dtcg import read, read_folder
from tokensync.system.errors import ProblemsError


def link(path):
    path.symlink_to("elsewhere")


def test_the_consequences_of_an_unreadable_file_are_not_reported():
    collection = {"collection": {"name": "Theme"}, "extensions": {"brand": {"name": "Brand", "parent": "theme"}}}
    token = {"theme": {"size": {"$type": "number", "$value": 1}}}
    light = json.dumps({"$extensions": {"org.tokensync": collection}, **token})
    brand = json.dumps({"$extensions": {"org.tokensync": {"mode": {"parent": "light"}}}, **token}).encode()

    def codes(text):
        files = {"kit/theme/light.tokens.json": text.encode(), "kit/brand/light.tokens.json": brand}
        return [each.code for each in read(files, "kit")[1]]

    assert codes(light) == []
    assert codes(light.replace("1}", "<<<<<<< HEAD}")) == ["tokens-malformed"]


NUMBER = {"$type": "number", "$value": 1}
THEME = {"theme": {"size": NUMBER, "gap": {"$type": "number", "$value": "{base.one}"}}}
KIT = {
    "kit/base/value.tokens.json": {"base": {"one": NUMBER}},
    "kit/theme/dark.tokens.json": THEME,
    "kit/theme/light.tokens.json": {"$extensions": {"org.tokensync": {"collection": {"default": "light"}}}, **THEME},
}


def faults_with(path, tree):
    """Return (path, code, pointer) of each problem after a file has got another content."""
    files = {each: json.dumps(content).encode() for each, content in {**KIT, path: tree}.items()}
    found = (each for each in read(files, "kit")[1])
    return [(each.where.partition(":")[0], each.code, each.where.partition("#")[2].rstrip(")")) for each in found]


@pytest.mark.parametrize("path", sorted(KIT))
def test_the_consequences_of_a_misnamed_root_group_are_not_reported(path):
    assert faults_with(path, KIT[path]) == []
    misnamed = {("x" if name[:1] != "$" else name): each for name, each in KIT[path].items()}
    assert faults_with(path, misnamed) == [(path, "tokens-root-group", "/x")]


def test_a_foreign_group_before_the_collection_s_group_is_the_second_one():
    path = "kit/theme/light.tokens.json"
    assert faults_with(path, {"vendor": {"$x": 1}, **KIT[path]}) == [(path, "tokens-root-group", "/vendor")]


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes differ")
@pytest.mark.parametrize("path", ["kit/theme/light.tokens.json", "kit.resolver.json"])
@pytest.mark.parametrize(
    ("make", "what"), [(Path.mkdir, "a folder"), (getattr(os, "mkfifo", None), "a pipe"), (link, "a link")]
)
def test_something_else_in_the_place_of_a_token_file_is_named(tmp_path, path, make, what):
    (tmp_path / "kit" / "theme").mkdir(parents=True)
    make(tmp_path / path)
    with pytest.raises(ProblemsError, match=rf"{re.escape(path)}: this is {what}"):
        read_folder(str(tmp_path), "kit")


@pytest.mark.parametrize(
    ("member", "shown"),
    [
        ('"$type": DEEP, "$value": 1', "a deeply nested value"),
        ('"$type": "color", "$value": {"colorSpace": DEEP}', "the colour space [[[[[["),
    ],
)
def test_a_value_that_is_too_deep_to_print_is_a_problem(member, shown):
    deep = "[" * 5000 + "]" * 5000
    text = f'{{"theme": {{"size": {{{member.replace("DEEP", deep)}}}}}}}'
    _, problems = read({"kit/theme/light.tokens.json": text.encode()}, "kit")
    assert any(shown in each.what for each in problems)
    assert all(len(each.what) < 200 for each in problems)
