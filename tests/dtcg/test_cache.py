"""Graphs of large folders are remembered in the user's cache folder, if nobody else can write there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec
import pytest
from dtcg.strategies import FILE, graphs, sound_graphs
from dtcg.test_plain_tokens import CASE, FILES, THOROUGH, damaged
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tokensync.dtcg import cache, folder, outputs_of, read, read_folder, write, write_folder
from tokensync.tokens import Alias, Collection, Color, Mode, Token, TokenGraph, TokenKey

posix = pytest.mark.skipif(os.name == "nt", reason="Windows keeps a profile to its user by other means")


@pytest.fixture(autouse=True)
def entries(tmp_path, monkeypatch):
    """An empty cache folder, for folders of any size; entries are below it."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setattr(cache, "LEAST", 0)
    monkeypatch.delenv("CI", raising=False)
    return home / "tokensync"


@pytest.fixture
def parsed(monkeypatch):
    """The readings that parsed token files."""
    readings = []

    def counted(*arguments, **options):
        readings.append(arguments)
        return read(*arguments, **options)

    monkeypatch.setattr(folder, "read", counted)
    return readings


def graph(*values, name="Color", token_type="number"):
    modes = tuple(Mode(name=f"Mode {n}", collection="color", slug=f"m{n}", context=f"m{n}") for n in range(len(values)))
    family = Collection(file=FILE, handle="color", name=name, modes=modes)
    return TokenGraph([family], [Token(key=TokenKey(FILE, "color", "a"), type=token_type, values=values)])


@pytest.fixture
def tokens(tmp_path):
    """A tokens folder in a project."""
    root = tmp_path / "project" / "tokens"
    write_folder(str(root), FILE, write(graph(1.0, 2.0), FILE))
    return str(root)


def test_a_folder_that_did_not_change_is_parsed_once(tokens, parsed, entries):
    first, second = read_folder(tokens, FILE), read_folder(tokens, FILE)
    assert first == second
    assert first.graph == graph(1.0, 2.0)
    assert len(parsed) == len(list(entries.iterdir())) == 1


@pytest.mark.parametrize("path", ["color/m0.tokens.json", "color/m2.tokens.json", ".remote/color/m0.tokens.json"])
def test_another_content_or_another_name_is_parsed(tokens, parsed, path):
    read_folder(tokens, FILE)
    of_file = Path(tokens, FILE)
    place = of_file / path
    place.parent.mkdir(parents=True, exist_ok=True)
    text = (of_file / "color" / "m1.tokens.json").read_bytes()
    place.write_bytes(text.replace(b'"a"', b'"b"'))
    reading = read_folder(tokens, FILE)
    assert len(parsed) == 2
    assert (reading.graph, reading.problems) == read(reading.files, FILE, shown_below=f"{tokens}/")


def test_a_folder_with_an_error_is_parsed_each_time(tokens, parsed, entries):
    Path(tokens, FILE, "color", "m0.tokens.json").write_text("{", encoding="utf-8")
    assert read_folder(tokens, FILE).problems == read_folder(tokens, FILE).problems != ()
    assert len(parsed) == 2
    assert list(entries.iterdir()) == []


def test_notes_are_cached_without_the_path_of_the_folder(tokens, parsed):
    path = Path(tokens, FILE, "color", "m2.tokens.json")
    path.write_text('{"color": {"a": {"$type": "number", "$value": 3}}}', encoding="utf-8")
    notes = read_folder(tokens, FILE).problems
    assert ("mode-unregistered", f"{path}:1:1 (#)") in [(note.code, note.where) for note in notes]
    copy = Path(tokens).rename(Path(tokens).parent / "moved")
    moved = [note.rewritten(lambda text: text.replace(tokens, str(copy))) for note in notes]
    assert [*read_folder(str(copy), FILE).problems] == moved
    assert len(parsed) == 1


def test_notes_below_a_relative_path_are_not_cached_because_it_may_be_part_of_a_word(tokens, parsed, monkeypatch):
    Path(tokens, FILE, "color", "m2.tokens.json").write_text("{}", encoding="utf-8")
    monkeypatch.chdir(Path(tokens).rename(Path(tokens).parent / "e").parent)
    assert read_folder("e", FILE).problems == read_folder("e", FILE).problems != ()
    assert len(parsed) == 2


@pytest.mark.parametrize("components", ["[0, 0, 0]", "[1, 1, 1]"])
def test_a_colour_that_the_lock_decides_about_is_parsed_each_time(tokens, parsed, components):
    path = Path(tokens, FILE, "color", "m0.tokens.json")
    value = f'{{"colorSpace": "srgb", "components": {components}, "hex": "#112233"}}'
    path.write_text(f'{{"color": {{"a": {{"$type": "color", "$value": {value}}}}}}}', encoding="utf-8")
    Path(tokens, FILE, "color", "m1.tokens.json").unlink()
    Path(tokens, f"{FILE}.resolver.json").unlink()
    before = [Color(0.0, 0.0, 0.0), Color(1.0, 1.0, 1.0)]
    first, second = (read_folder(tokens, FILE, locked=lambda *_, color=color: color) for color in before)
    assert first.graph != second.graph
    assert len(parsed) == 2


def test_a_small_folder_is_parsed_each_time(tokens, parsed, entries, monkeypatch):
    monkeypatch.setattr(cache, "LEAST", 1 << 20)
    read_folder(tokens, FILE)
    read_folder(tokens, FILE)
    assert len(parsed) == 2
    assert not entries.exists()


def test_the_cache_can_be_turned_off(tokens, entries, monkeypatch):
    monkeypatch.setenv("TOKENSYNC_CACHE", "off")
    read_folder(tokens, FILE)
    assert not entries.exists()


def test_a_ci_job_keeps_nothing(tokens, entries, monkeypatch):
    monkeypatch.setenv("CI", "true")
    read_folder(tokens, FILE)
    assert not entries.exists()


def test_other_code_of_the_same_version_parses_again(tokens, parsed, monkeypatch):
    read_folder(tokens, FILE)
    monkeypatch.setattr(cache, "program_digest", lambda: "changed")
    read_folder(tokens, FILE)
    assert len(parsed) == 2


@pytest.mark.parametrize("content", [b"", b"\x90", b"\xc1", b"{}", b"cut", b"\xff" * 100])
def test_a_damaged_entry_is_no_entry(tokens, parsed, entries, content):
    read_folder(tokens, FILE)
    (entry,) = entries.iterdir()
    entry.write_bytes(entry.read_bytes()[:-9] if content == b"cut" else content)
    assert read_folder(tokens, FILE).graph == graph(1.0, 2.0)
    assert len(parsed) == 2
    read_folder(tokens, FILE)
    assert len(parsed) == 2  # the second reading replaced it


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": [(9, -2), (-2, -3)]},
        {"rows": [(-40, -2), (-2, -3)]},
        {"rows": [(-2, -3)]},
        {"rows": [(-2,), (-2, -3)]},
        {"literals": [2.0, 2.0, 3.0]},
        {"weights": {0: "no weight"}},
    ],
)
def test_an_entry_whose_codes_are_of_no_literal_or_token_is_no_entry(tokens, parsed, entries, changes):
    new = with_aliases(A=("B", 1.0), B=(2.0, 3.0))
    rewritten(tokens, new)
    for entry in entries.iterdir():
        columns = msgspec.msgpack.decode(entry.read_bytes()[32:], type=cache._Columns)
        payload = msgspec.msgpack.encode(replace(columns, **changes))
        entry.write_bytes(hashlib.sha256(payload).digest() + payload)
    assert read_folder(tokens, FILE).graph == new
    assert len(parsed) == 2


@pytest.mark.parametrize("position", range(0, 400, 7))
def test_an_entry_with_a_flipped_bit_is_no_entry(tokens, parsed, entries, position):
    new = with_aliases(A=("B", 1.0), B=(2.0, 3.0))
    rewritten(tokens, new)
    for entry in entries.iterdir():
        content = bytearray(entry.read_bytes())
        content[position % len(content)] ^= 1
        entry.write_bytes(content)
    assert read_folder(tokens, FILE).graph == new
    assert len(parsed) == 2
    assert rewritten(tokens, new) == []


@posix
def test_an_entry_is_for_its_user_alone(tokens, entries):
    read_folder(tokens, FILE)
    (entry,) = entries.iterdir()
    assert (entries.stat().st_mode & 0o777, entry.stat().st_mode & 0o777) == (0o700, 0o600)


@posix
@pytest.mark.parametrize("which", ["cache folder", "folder of entries", "entry"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_what_others_may_write_is_not_believed(tokens, parsed, entries, which, mode):
    read_folder(tokens, FILE)
    (entry,) = entries.iterdir()
    place = {"cache folder": entries.parent, "folder of entries": entries, "entry": entry}[which]
    place.chmod(place.stat().st_mode | mode)
    read_folder(tokens, FILE)
    assert len(parsed) == 2


@posix
def test_what_belongs_to_another_user_is_not_believed(tokens, parsed, entries, monkeypatch):
    read_folder(tokens, FILE)
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    read_folder(tokens, FILE)
    assert len(parsed) == 2


@posix
def test_a_link_in_place_of_the_folder_is_not_followed(tokens, parsed, entries, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    entries.symlink_to(tmp_path / "elsewhere")
    read_folder(tokens, FILE)
    read_folder(tokens, FILE)
    assert len(parsed) == 2
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_cache_folder_in_the_checkout_is_not_used(tokens, parsed, tmp_path, monkeypatch):
    inside = tmp_path / "project" / ".cache"
    inside.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(inside))
    monkeypatch.setenv("LOCALAPPDATA", str(inside))
    read_folder(tokens, FILE)
    read_folder(tokens, FILE)
    assert len(parsed) == 2
    assert list(inside.iterdir()) == []


def test_without_a_home_nothing_is_remembered(tokens, entries, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(gone / "cache"))
    assert read_folder(tokens, FILE).graph == graph(1.0, 2.0)
    assert not gone.exists()


def test_the_entries_that_were_not_used_for_longest_are_removed(tokens, entries, monkeypatch):
    names = []
    for number in range(4):
        write_folder(tokens, FILE, write(graph(1.0, float(number)), FILE))
        read_folder(tokens, FILE)
        (fresh,) = {each.name for each in entries.iterdir()} - set(names)
        names.append(fresh)
        os.utime(entries / fresh, (number, number))
    monkeypatch.setattr(cache, "_MOST", sum((entries / name).stat().st_size for name in names[1:]) + 10)
    os.utime(entries / names[0])  # used again
    write_folder(tokens, FILE, write(graph(1.0, 9.0), FILE))
    read_folder(tokens, FILE)
    left = {each.name for each in entries.iterdir()}
    assert names[0] in left
    assert names[1] not in left
    assert names[2] not in left
    assert len(left) == 3


def rewritten(root, new):
    """Write a graph as a pull does, and return the codes of the problems that reading it reports."""
    outputs = outputs_of(root, FILE, new)
    write_folder(root, FILE, outputs.files)
    return [each.code for each in read_folder(root, FILE).problems]


def with_aliases(**values):
    """Return a graph of numbers with these names and values; the name of a token as a value is an alias."""
    (family,) = graph(1.0, 2.0).collections.values()
    keys = {name: TokenKey(FILE, family.handle, name) for name in values}
    return TokenGraph(
        [family],
        [
            Token(
                key=keys[name], type="number", values=tuple(Alias(keys[each]) if each in keys else each for each in own)
            )
            for name, own in values.items()
        ],
    )


def test_written_files_are_read_if_references_moved_to_another_mode(tokens):
    rest = {"A": ("B", "B"), "B": (2.0, "C")}
    assert rewritten(tokens, with_aliases(**rest, C=("A", 3.0))) == []
    assert rewritten(tokens, with_aliases(**rest, C=(3.0, "A"))) == ["token-cycle"]


def test_a_graph_that_cannot_be_cached_does_not_get_the_entry_of_the_previous_graph(tokens):
    assert rewritten(tokens, graph("Hello", "World", token_type="string")) == []
    new = graph("\ud800", "World", token_type="string")
    assert rewritten(tokens, new) == ["tokens-text"]
    assert read_folder(tokens, FILE).graph == graph("\ufffd", "World", token_type="string")


def same_when_remembered(files, file):
    made, problems = read(files, file)
    if not problems:
        try:
            entry = cache._encoded(made, file)
        except UnicodeEncodeError:  # half of a character, which JSON escapes
            return False
        again, _ = cache._decoded(entry, file)
        assert again == made
        assert [list(map(type, each.values)) for each in again.tokens.values()] == [
            list(map(type, each.values)) for each in made.tokens.values()
        ]
    return not problems


@given(graphs() | sound_graphs(), st.data())
@THOROUGH
def test_any_graph_is_remembered_as_it_was_read(graph, data):
    files = {each.path: each.content for each in write(graph, FILE)}
    same_when_remembered(files, FILE)
    same_when_remembered(damaged(data.draw, files), FILE)


def test_every_kind_of_value_is_remembered():
    assert CASE.exists()
    assert same_when_remembered(FILES, "ds")
