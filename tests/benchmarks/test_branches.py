"""The table of branches counts what a test takes, and the list has what it does not."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEST = """
from tokensync.system.boundary import flaw_of


def test_paths():
    assert flaw_of("a/b") is None
"""


def test_a_branch_is_taken_or_listed(tmp_path):
    path = tmp_path / "test_names.py"
    path.write_text(TEST, "utf-8")
    program = [sys.executable, str(ROOT / "benchmarks/branches.py"), "-n", "0", str(path)]
    done = subprocess.run(program, capture_output=True, timeout=300, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {cells[1].strip(): cells[2:4] for line in done.stdout.splitlines() if len(cells := line.split("|")) == 6}
    assert rows.keys() >= {"normalize", "plan", "apply", "escaping", "boundary"}
    number, taken = (int(cell.replace(",", "")) for cell in rows["boundary"])
    missing = [line for line in done.stdout.splitlines() if line.startswith("tokensync/system/") and " -> " in line]
    of_outlet = [line for line in missing if line.startswith("tokensync/system/outlet/")]
    assert 0 < taken == number - (len(missing) - len(of_outlet))
