"""The benchmarks measure what they say: processes, loads, round trips and injected faults."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
"""What a number passes on its way to CSS at most; lower it whenever the way gets shorter."""

FIXTURE = Path(__file__).parents[2] / "examples" / "quickstart" / "design.local.json"

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="a process's costs come from os.wait4")


def run(*arguments: str) -> str:
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def matched(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import matched

    return matched


def write_outputs(folder, css, xml="", swift=""):
    files = {"css/a.css": css, "android/values/a.xml": f"<resources>{xml}</resources>", "ios/a.swift": swift}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "android" / "values-night").mkdir()
    return str(folder)


@on_posix
def test_the_peak_of_a_process_is_its_own_and_not_that_of_the_benchmark(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from costs import Program

    ballast = bytearray(b"x") * (200 * 1024 * 1024)
    small = Program((sys.executable, "-c", "pass"), str(tmp_path)).run()
    large = Program((sys.executable, "-c", "bytearray(b'x') * (100 * 1024 * 1024)"), str(tmp_path)).run()
    assert small.peak < 60 * 1024 * 1024 < large.peak < len(ballast)


@on_posix
def test_a_failing_program_is_reported_with_its_output(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from costs import Program

    with pytest.raises(RuntimeError, match=r"ended with 3\nsome words"):
        Program((sys.executable, "-c", "print('some words'); raise SystemExit(3)"), str(tmp_path)).run()


@on_posix
def test_a_build_is_compared_with_its_floor_and_the_catalog_has_a_row_of_its_own():
    printed = run(BENCHMARKS / "run.py", "--only", "build", "--kinds", "layers", "--sizes", "200x2", "--rounds", "1")
    rows = re.findall(r"^\| layers, 200 x 2 \| ([^|]+) \| [\d.]+ \| ([\d,]+) \|", printed, re.MULTILINE)
    assert [name for name, _ in rows] == ["default", "asset catalog and Swift"]
    assert int(rows[0][1]) > int(rows[1][1]) > 50


@on_posix
def test_the_stages_of_a_build_are_counted_by_the_differences_of_processes(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import stages

    made = stages.stages(str(FIXTURE), str(tmp_path / "out"))
    assert sum(1 for _ in made) == len(stages.STAGES)
    assert (tmp_path / "out" / "css").is_dir()
    totals = iter(range(10, 1000, 10))
    monkeypatch.setattr(stages.Program, "count", lambda program: next(totals))
    assert set(stages.count("x.json", "out").values()) == {10}


@pytest.mark.outside
def test_style_dictionary_and_tokensync_declare_the_same_values():
    printed = run(BENCHMARKS / "run.py", "--only", "matched", "--sizes", "300x3", "--rounds", "1")
    assert re.findall(r"^\| (\w+), 300 x 3 \| 900, 600, 300 \|", printed, re.MULTILINE) == ["refs", "layers"]


def test_outputs_that_are_spelled_differently_and_mean_the_same_compare_as_equal(matched, tmp_path):
    ours = write_outputs(
        tmp_path / "ours",
        ':root {\n  --a: rgb(1 2 3 / 0.5);\n  --b: var(--a);\n  --c: "x";\n}\n'
        '[data-theme="theme-2"] {\n  --a: #000000;\n}\n',
        '<color name="a">#80010203</color><color name="b">@color/a</color>',
        "public static let a: Color = Color(.sRGB, red: 0.003921569, green: 0, blue: 1, opacity: 1)\n",
    )
    theirs = write_outputs(
        tmp_path / "theirs",
        ":root {\n  --a: rgba(1, 2, 3, 0.5); /** words */\n  --b: rgba(1, 2, 3, 0.5);\n  --c: 'x';\n}\n"
        '[data-theme="theme-2"] {\n  --a: #000000;\n  --b: #000000;\n}\n',
        '<color name="a">#80010203</color><color name="b">#80010203</color>',
        "    public static let a = Color(red: 0.004, green: 0.000, blue: 1.000, opacity: 1)\n",
    )
    assert matched.compare(ours, theirs) == (6, 4, 1)


@pytest.mark.parametrize(
    ("css", "words"),
    [(":root {\n  --a: 2px;\n}\n", "1 of 1"), (":root {\n  --a: 1px;\n  --b: 1px;\n}\n", "1 of 1"), ("", "1 of 1")],
)
def test_a_missing_or_another_value_stops_the_benchmark(matched, tmp_path, css, words):
    ours = write_outputs(tmp_path / "ours", ":root {\n  --a: 1px;\n}\n")
    theirs = write_outputs(tmp_path / "theirs", css)
    with pytest.raises(SystemExit, match=f"CSS, theme-1: {words} declarations differ"):
        matched.compare(ours, theirs)


LOAD = Path(__file__).parents[2] / "benchmarks" / "load.py"


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is what only POSIX has")
def test_mixed_requests_from_eight_threads_lose_no_write_and_survive_a_kill():
    command = [sys.executable, str(LOAD), "--requests", "300", "--kills", "2", "--seed", "3"]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    answered, written = (
        int(re.search(words, done.stdout)[1]) for words in (r"^(\d+) requests", r"(\d+) objects written")
    )
    assert answered > 250
    assert written > 25
    assert " of 5" not in done.stdout.split("answers: ")[1].splitlines()[0]
    assert "\n0 faults" in done.stdout


def test_the_ledger_reports_lost_changed_doubled_and_unrequested_objects(monkeypatch):
    monkeypatch.syspath_prepend(str(LOAD.parent))
    from loading.ledger import Item, Ledger

    kept, lost, unknown, refused, other = (Item("comment", "A", name) for name in "klurn")
    ledger = Ledger()
    for item in (kept, lost, unknown, refused):
        ledger.begin(item, "posted")
    ledger.answered(kept, "posted")
    ledger.answered(lost, "posted")
    ledger.refused(refused, "posted")
    assert ledger.faults({kept: "posted", lost: "posted"}) == []
    assert ledger.faults({kept: "posted", lost: "posted", unknown: "posted"}) == []
    assert len(ledger.faults({kept: "there twice", refused: "posted", other: "posted"})) == 4


@pytest.fixture
def waits(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import waits

    return waits


@on_posix
def test_everything_that_people_wait_for_has_a_row_with_its_seconds():
    printed = run(BENCHMARKS / "waits.py", "--uncounted", "--only", "one", "--sizes", "300x2")
    rows = re.findall(r"^\| ([^|]+?) \| ([\d.]+) \| - \|", printed, re.MULTILINE)
    seconds = {name: float(cost) for name, cost in rows}
    assert {"cold build", "--help", "pull, fresh clone", "check --staged, 5 edits"} <= seconds.keys()
    assert min(seconds.values()) > 0


@on_posix
def test_instructions_are_counted_alike_in_two_runs(waits, tmp_path, monkeypatch):
    if not waits.counter():
        pytest.skip("neither perf nor valgrind can count here")
    programs = [
        waits.Program((sys.executable, "-c", f"for number in range({end}): pass"), str(tmp_path))
        for end in (100_000, 100_000, 500_000)
    ]
    monkeypatch.setenv("PYTHONHASHSEED", "0")  # else hashes of texts are random, and so is how often they collide
    programs[0].run()  # compiles what Python itself lacks
    once, again, longer = (program.count() for program in programs)
    assert abs(once - again) < once / 10
    assert longer - once > 400_000


def test_a_row_over_its_budget_is_named(waits, monkeypatch, capsys):
    monkeypatch.setattr(waits, "BUDGETS", {"build": 2.0, "lint": 0.5})
    assert waits.over_budget({"build": 1900, "lint": 600}, 1000) == 1
    assert "| lint (exceeds its budget) | 0.60 | 0.50 |" in capsys.readouterr().out
