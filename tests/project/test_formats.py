"""State files of a newer tokensync are refused, with the version that reads them."""

import json
from pathlib import Path

import pytest
from commands.projects import COLORS, on_the_platform, project_in, tokensync

from tokensync.system.formats import NewerFormatError, refuse_newer_document, refuse_newer_lines
from tokensync.version import __version__

NEWER_LINE = '["","","","format",[2,"9.1.0"]]\n'
CSS = '[[outputs]]\nplatform = "css"\npath = "css"\n'


@pytest.fixture
def project(folder):
    project_in(folder)
    config = folder / "tokensync.toml"
    config.write_text(f"{config.read_text(encoding='utf-8')}\n{CSS}", encoding="utf-8")
    on_the_platform({**COLORS, "label": ("a word", "another")})
    tokensync("-q", "pull")
    tokensync("-q", "build")
    edit("a word", "a thing")
    tokensync("-q", "plan")
    return folder


def edit(old, new):
    path = Path("tokens/one/theme/light.tokens.json")
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8", newline="\n")


def with_members(path, **members):
    """Replace members of the JSON object in a file, or in its first line."""
    first, newline, rest = path.read_text(encoding="utf-8"), "", ""
    if path.suffix == ".jsonl":
        first, newline, rest = first.partition("\n")
    document = json.loads(first)
    assert set(members) <= set(document)
    path.write_text(json.dumps({**document, **members}) + newline + rest, encoding="utf-8")


def refused(path, *arguments):
    stderr = tokensync(*arguments, code=2).stderr
    assert f"{path}" in stderr
    assert "tokensync 9.1.0 wrote it in format 2" in stderr
    assert "install tokensync 9.1.0 or newer" in stderr


@pytest.mark.parametrize(
    "command", [("status",), ("pull",), ("plan",), ("apply", "--rebase", ".tokensync/plan.json"), ("build",)], ids=str
)
def test_a_newer_lock_is_refused(project, command):
    lock = project / "tokensync.lock"
    text = lock.read_text(encoding="utf-8")
    own, _, facts = text.partition("\n")
    assert own == f'["","","","format",[1,"{__version__}"]]'
    lock.write_text(NEWER_LINE + facts, encoding="utf-8")
    before = lock.read_bytes()
    refused("tokensync.lock", *command)
    assert lock.read_bytes() == before


@pytest.mark.parametrize("place", [0, 20, 40, 300_000])
def test_a_newer_line_in_a_long_lock_is_refused_wherever_it_is(project, place):
    lock = project / "tokensync.lock"
    text = lock.read_text(encoding="utf-8")
    start = f'{text}["one","","","'
    filler = "x" * (256 * 1024 - len(start.encode()) - len('",1]\n') - 20 + place)
    lock.write_text(f'{start}{filler}",1]\n{NEWER_LINE}', encoding="utf-8", newline="\n")
    refused("tokensync.lock", "build")


@pytest.mark.parametrize("command", [("build",), ("build", "--check"), ("check",)], ids=str)
def test_a_newer_manifest_is_refused(project, command):
    edit("a thing", "a third")  # not what was built
    with_members(project / "tokensync.outputs.json", format=2, since="9.1.0")
    refused("tokensync.outputs.json", *command)


def test_a_newer_plan_is_refused_and_not_replaced(project):
    with_members(project / ".tokensync" / "plan.json", version=2, made_by="tokensync 9.1.0")
    refused("plan.json", "apply")
    refused("plan.json", "plan")


def test_a_newer_journal_is_refused(project):
    tokensync("-q", "apply")
    (folder,) = (project / ".tokensync" / "applies").iterdir()
    receipt = json.loads((folder / "receipt.json").read_text(encoding="utf-8"))
    assert (receipt["version"], receipt["made_by"]) == (1, f"tokensync {__version__}")
    with_members(folder / "journal.jsonl", version=2, made_by="tokensync 9.1.0")
    for receipt in (folder, folder / "receipt.json"):
        refused("journal.jsonl", "rollback", receipt)
    edit("a thing", "a third")
    tokensync("-q", "plan", code=2)


def test_a_newer_record_of_migrations_is_refused(project):
    Path("source.json").write_text('{"base": {"$type": "number", "$value": 4}}', encoding="utf-8")
    Path("tokensync.migrations.lock").write_text(NEWER_LINE, encoding="utf-8")
    refused("tokensync.migrations.lock", "migrate", "source.json", "--to", "one")


def test_files_of_this_format_and_damaged_ones_are_no_newer_ones():
    refuse_newer_lines("lock", b'["","","","format",[1,"0.2.0"]]\n["","","","format",[]]\n', 1)
    for content in (b"", b"{", b"[]", b'{"version": "2"}', b'{"format": 1}', b"\xff"):
        refuse_newer_document("file", content, 1)


def test_a_side_of_a_git_conflict_may_be_newer():
    content = f"<<<<<<< ours\n=======\n{NEWER_LINE}>>>>>>> theirs\n".encode()
    with pytest.raises(NewerFormatError, match="reads formats up to 1"):
        refuse_newer_lines("lock", content, 1)
