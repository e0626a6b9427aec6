"""An unreadable token file, and other files that depend on it."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tokensync.dtcg import read, read_folder
from tokensync.errors import ProblemsError


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
