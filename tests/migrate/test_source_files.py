"""The files of a source: which are read, within which limits, and which patterns name them."""

import io
import json
import os
import sys
import time
import zipfile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokensync.migrate.readers import source_files
from tokensync.migrate.readers.source_files import alternatives, matches, read_source, recognize
from tokensync.system.errors import UsageError


def written(folder, files):
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(folder)


def reasons(reading):
    return {str(each.at): each.reason for each in reading.unread}


FILES = {
    "z.json": "{}",
    "a/b.tokens.json": "{}",
    "a/c.css": ":root {}",
    "a/.hidden.json": "{}",
    "node_modules/x.json": "{}",
}


def test_a_folder_is_read_in_the_order_of_its_paths(tmp_path):
    reading = read_source(written(tmp_path, {**FILES, "readme.md": "", "package.json": "{}"}))
    assert [(each.path, each.name, each.kind) for each in reading.documents] == [
        ("a/b.tokens.json", "b", "json"),
        ("a/c.css", "c", "text"),
        ("z.json", "z", "json"),
    ]
    assert reading.unread == ()


def test_a_zip_is_read_as_its_folder(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        for path, text in FILES.items():
            file.writestr(path, text)
        file.writestr("../out.json", "{}")
    reading = read_source(str(tmp_path / "a.zip"))
    assert [each.path for each in reading.documents] == ["a/b.tokens.json", "a/c.css", "z.json"]
    assert reasons(reading) == {"../out.json:1": "the path leads out of the zip; unpack it, and give the folder"}


def test_a_zip_that_unpacks_to_more_than_the_limit_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(source_files, "LARGEST", 1 << 10)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.json", '"' + "x" * (1 << 20) + '"')
        file.writestr("b.json", "{}")
    raw = (tmp_path / "a.zip").read_bytes()
    size = (1 << 20) + 2
    (tmp_path / "b.zip").write_bytes(raw.replace(size.to_bytes(4, "little"), (9).to_bytes(4, "little")))
    for name in ("a.zip", "b.zip"):
        reading = read_source(str(tmp_path / name))
        assert [each.path for each in reading.documents] == ["b.json"]
        assert list(reasons(reading)) == ["a.json:1"]


@pytest.mark.parametrize("cut", [10, 60])
def test_a_damaged_zip_is_an_error_of_ours(tmp_path, cut):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("a.json", "{}" * 20)
    (tmp_path / "a.zip").write_bytes(buffer.getvalue()[:cut])
    with pytest.raises(UsageError, match=r"a\.zip: is not a complete zip"):
        read_source(str(tmp_path / "a.zip"))


@pytest.mark.skipif(sys.platform == "win32", reason="links need a permission there")
def test_links_are_reported_and_not_followed(tmp_path):
    outside = tmp_path / "outside"
    folder = tmp_path / "tokens"
    written(outside, {"a.json": "{}"})
    written(folder, {"own.json": "{}"})
    os.symlink(outside, folder / "linked")
    os.symlink(outside / "a.json", folder / "a.json")
    os.symlink(outside / "missing", folder / "picture.png")
    os.symlink("itself", folder / "itself")
    reading = read_source(str(folder))
    assert [each.path for each in reading.documents] == ["own.json"]
    assert list(reasons(reading)) == ["a.json:1", "linked:1"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are files of POSIX systems")
def test_a_pipe_in_a_folder_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "a.json")
    written(tmp_path, {"b.json": "{}"})
    assert [each.path for each in read_source(str(tmp_path)).documents] == ["b.json"]
    with pytest.raises(UsageError, match="pipe"):
        read_source(str(tmp_path / "a.json"))


def test_limits_of_number_and_size_leave_the_other_files(tmp_path, monkeypatch):
    folder = written(tmp_path, {f"{name}.json": "[1, 2]" for name in "abcd"})
    monkeypatch.setattr(source_files, "MOST_FILES", 3)
    monkeypatch.setattr(source_files, "LARGEST_IN_ALL", 12)
    reading = read_source(folder)
    assert [each.path for each in reading.documents] == ["a.json", "b.json"]
    assert [each.at.file for each in reading.unread] == ["c.json", "d.json"]


def test_a_file_is_read_with_the_files_that_it_names(tmp_path):
    imports = [f"./parts/{at}.json" for at in range(300)]
    files = dict.fromkeys(imports, '{"aliases": {}}') | {"other.json": "{}", "parts/deep/x.yml": "a: 1"}
    files["props.json"] = json.dumps({"imports": [*imports, "./gone.json", "../up.json"], "source": ["parts/**/*.yml"]})
    written(tmp_path, files)
    reading = read_source(str(tmp_path / "props.json"))
    assert len(reading.documents) == 302
    assert {each.path for each in reading.documents} >= {"props.json", "parts/299.json", "parts/deep/x.yml"}
    assert reading.unread == ()


def test_stylesheets_that_have_to_be_compiled_are_named_by_language(tmp_path):
    folder = written(tmp_path, {"a.less": "@a: 1px;", "b/c.LESS": "", "d.sass": "$a: 1px", "e.styl": "", "f.css": ""})
    found = {
        "a.less:1": "not read: 2 stylesheets in Less: a.less, b/c.LESS; compile them, and give the CSS",
        "d.sass:1": "not read: 1 stylesheet in indented Sass: d.sass; compile it, and give the CSS",
        "e.styl:1": "not read: 1 stylesheet in Stylus: e.styl; compile it, and give the CSS",
    }
    assert reasons(read_source(folder)) == found
    assert found["d.sass:1"] == reasons(read_source(str(tmp_path / "d.sass")))["d.sass:1"]
    with pytest.raises(UsageError, match="in indented Sass: d.sass; compile it, and give the CSS$"):
        recognize(str(tmp_path / "d.sass"))


@pytest.mark.parametrize(("token_type", "others"), [("borderRadius", ("tokens-studio",)), ("size", ())])
def test_sets_without_themes_that_may_be_of_tokens_studio_are_read_and_the_other_format_named(
    tmp_path, token_type, others
):
    files = {f"{name}.json": json.dumps({name: {"a": {"value": "4", "type": token_type}}}) for name in ("base", "web")}
    found = recognize(written(tmp_path, files))
    assert (found.format.name, found.others) == ("style-dictionary", others)
    assert recognize(str(tmp_path), "tokens-studio").others == ()


def test_modules_of_a_programming_language_are_named_since_tokens_may_be_in_them(tmp_path):
    reading = read_source(written(tmp_path, {"a.json": "{}", "b.ts": "", "c.js": "", "types.d.ts": ""}))
    assert list(reasons(reading).values()) == [
        "not read: 2 files of a programming language: b.ts, c.js; if tokens are in them, export these as JSON"
    ]


@pytest.mark.parametrize("name", ["missing.json", "empty"])
def test_nothing_to_read_is_an_error_with_advice(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=rf"{name}: .*; (?:correct the path|give the folder)"):
        read_source(str(tmp_path / name))


PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


@given(st.binary(max_size=60), st.integers(0, 300), st.sampled_from(PACKED))
@example(bytes(3) + b"\x08" + bytes(17) + b"'", 0, zipfile.ZIP_STORED)
@example(b"", 0, zipfile.ZIP_LZMA)
@example(bytes(10), 131, zipfile.ZIP_STORED)
def test_any_bytes_in_a_zip_are_read_or_reported(tmp_path_factory, damage, at, kind):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as file:
        file.writestr("a/b.json", json.dumps({"a": {"$value": 1}}))
        file.writestr("c.yaml", "a: 1")
    raw = buffer.getvalue()
    path = tmp_path_factory.mktemp("zip") / "x.zip"
    path.write_bytes(raw[:4] + raw[4 : 4 + at] + damage + raw[4 + at + len(damage) :])
    try:
        reading = read_source(str(path))
    except UsageError as error:
        assert str(path.name) in str(error)  # noqa: PT017 - either outcome is right
    else:
        assert reading.documents or reading.unread


@pytest.mark.parametrize(
    ("pattern", "path", "wanted"),
    [
        ("a.json", "a.json", True),
        ("*.json", "a.json", True),
        ("*.json", "x/a.json", False),
        ("**/*.json", "a.json", True),
        ("**/*.json", "x/y/a.json", True),
        ("x/**/a.json", "x/a.json", True),
        ("x/**/a.json", "y/a.json", False),
        ("x/**", "x/y/a.json", True),
        ("x/*/a.json", "x/y/z/a.json", False),
        ("a?.json", "ab.json", True),
        ("A.json", "a.json", False),
    ],
)
def test_a_pattern_matches_whole_paths(pattern, path, wanted):
    assert matches(pattern, path) is wanted


def test_many_wildcards_take_no_longer_than_a_moment():
    start = time.perf_counter()
    assert not matches("/".join(["**"] * 300 + ["x"]), "/".join(["a"] * 300))
    assert not matches("*a" * 40 + "b", "a" * 200)
    assert time.perf_counter() - start < 5


def test_braces_are_alternatives():
    assert alternatives("a/{b,c}.{json,yml}") == ["a/b.json", "a/b.yml", "a/c.json", "a/c.yml"]
    assert alternatives("a.json") == ["a.json"]
    assert len(alternatives("{a,b}" * 40)) < 64
