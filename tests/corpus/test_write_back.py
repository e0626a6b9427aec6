"""Real files, through the emulator: nothing to plan after a pull, and after an edit nothing but the edit."""

import json
import re

import pytest
from commands.projects import project_in, tokensync
from corpus.building import NO_CORPUS, each_corpus_file, published_of
from corpus.editing import Files, edit
from plan.plan_schema import faults


@pytest.fixture
def pulled(tmp_path, monkeypatch):
    """A project of one of the real files, as it is after the first pull."""

    def pull(response):
        if response is None:
            pytest.skip(NO_CORPUS)
        monkeypatch.chdir(project_in(tmp_path / "project"))
        published = published_of(response)
        tokensync("-q", "emulator", "seed", response, *([published] if published else []), "--key", "key-one")
        tokensync("-q", "pull")
        return tmp_path / "project"

    return pull


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.json"))}


def lines(before, after):
    """The lines that one side has and the other lacks, by file, whatever follows them."""

    def of(files, path):
        return {line.strip().rstrip(",") for line in files.get(path, b"").decode().splitlines()}

    return {
        path: (of(before, path) - of(after, path), of(after, path) - of(before, path))
        for path in {*before, *after}
        if before.get(path) != after.get(path)
    }


@each_corpus_file
def test_the_plan_after_a_pull_is_empty(pulled, response):
    folder = pulled(response)
    before = contents(folder / "tokens")
    tokensync("-q", "plan", "--exit-code")
    content = (folder / ".tokensync" / "plan.json").read_bytes()
    (plan,) = json.loads(content)["plans"]
    assert (plan["operations"], plan["findings"], plan["held_back"]) == ([], [], [])
    assert faults(content) == []
    tokensync("-q", "plan", "--exit-code", "--prune")
    assert contents(folder / "tokens") == before


@each_corpus_file
def test_edits_by_hand_come_back_and_no_other_lines_change(pulled, response):
    folder = pulled(response)
    files = Files(folder / "tokens", "one")
    edits = edit(files)
    files.write()
    tokensync("-q", "format")
    edited = contents(folder / "tokens")
    tokensync("-q", "plan", "--exit-code", code=3)
    content = (folder / ".tokensync" / "plan.json").read_bytes()
    assert faults(content) == []
    (plan,) = json.loads(content)["plans"]
    assert len(plan["batches"]) == 1
    assert plan["held_back"] == []
    counts = {name: count for name, count in plan["counts"].items() if count}
    assert counts["variables_created"] == 1
    assert counts["variables_updated"] == 4
    assert set(counts) == {"variables_created", "variables_updated", "values_set"}
    tokensync("-q", "apply", *(["--force"] if plan["findings"] else []))
    tokensync("-q", "plan", "--exit-code")
    tokensync("-q", "pull")
    for path, (gone, new) in lines(edited, contents(folder / "tokens")).items():
        summary = f"{path}\n{gone}\n{new}\n{edits}"
        # A new token has an id and scopes now; hints in the head keep the platform's order.
        hint = re.compile(r'"(?![$]|com\.)[^"]*": ("[^"]*"|null)')
        assert all(line.startswith('"org.tokensync": {') or hint.fullmatch(line) for line in gone), summary
        allowed = (
            '"com.figma.variableId": ',
            '"com.figma.scopes": [',
            '"org.tokensync": {',
            '"$extensions": {',
            '"after": {',
        )
        assert all(line.startswith(allowed) or hint.fullmatch(line) for line in new), summary
    tokensync("-q", "plan", "--exit-code")
    assert tokensync("-q", "pull", "--dry-run").code == 0
