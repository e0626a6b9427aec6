"""``build --watch``: a build after each change; errors do not end it."""

from pathlib import Path

import pytest
from commands.projects import DESIGN, pulled_in, response, tokensync

from tokensync.commands import build


def watched(paths, changes):
    """Return the number of runs during these changes, one between two polls."""
    runs = []
    pending = list(changes)

    def again():
        if pending:
            pending.pop(0)()
            return True
        return False

    build.watch(paths, lambda: runs.append(1), again=again, interval=0)
    return len(runs)


def test_it_runs_once_at_first_and_once_for_each_change(folder):
    one = folder / "tokens" / "one.json"
    one.parent.mkdir()
    one.write_text("1", encoding="utf-8")
    changes = [
        lambda: None,
        lambda: one.write_text("22", encoding="utf-8"),
        lambda: (folder / "tokens" / "two.json").write_text("2", encoding="utf-8"),
        lambda: None,
        one.unlink,
    ]
    assert watched([str(folder / "tokens")], changes) == 4


def test_watching_waits_for_a_missing_file(folder):
    later = folder / "later.json"
    assert watched([str(later)], [lambda: None, lambda: later.write_text("1", encoding="utf-8")]) == 2


def test_a_build_goes_on_after_a_fault_and_ctrl_c_ends_it_well(folder, monkeypatch):
    saved = Path("local.json")
    saved.write_bytes(b"{")
    looks = []

    def between_looks(seconds):
        looks.append(seconds)
        if len(looks) == 1:
            saved.write_bytes(response({"a": ("#000000", "#ffffff")}))
        elif len(looks) == 2:
            saved.unlink()
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr(build.time, "sleep", between_looks)
    stderr = tokensync("build", "--snapshot", saved, "-o", "out", "--watch").stderr
    first, second, third, fourth = (line.split(":")[0] for line in stderr.splitlines() if not line.startswith("note"))
    assert (first, second, third, fourth) == ("error", "out", "error", "stopped")


def test_a_change_of_the_configuration_counts(folder, monkeypatch):
    from commands.projects import output, project_in

    pulled_in(folder, outputs=output("css", "a"))

    def between_looks(seconds):
        if (folder / "b").exists():
            raise KeyboardInterrupt
        project_in(folder, outputs=output("css", "b"))

    monkeypatch.setattr(build.time, "sleep", between_looks)
    tokensync("build", "--watch")
    assert not (folder / "a").exists()


@pytest.mark.parametrize("flag", ["--check", "--json"])
def test_a_watch_neither_checks_nor_answers_in_json(folder, flag):
    tokensync("build", "--snapshot", DESIGN[0], "-o", "out", "--watch", flag, code=2)
