"""Tests of one group share a worker, so that what they share is made once."""

import re
import subprocess
import sys

TESTS = """
import pytest

@pytest.mark.xdist_group("one group")
@pytest.mark.parametrize("number", range(8))
def test_of_the_group(number):
    pass
"""


def test_a_group_runs_on_one_worker(tmp_path):
    (tmp_path / "test_group.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    # Plugins that come with what other tests use would take most of the time.
    without = [f"-pno:{plugin}" for plugin in ("cacheprovider", "schemathesis", "anyio", "hypothesispytest")]
    options = ("-v", "-n", "2", "--dist", "loadgroup", *without)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    passed = re.findall(r"^\[(gw\d)\].* PASSED", done.stdout, re.MULTILINE)
    assert len(passed) == 8, done.stdout
    assert len(set(passed)) == 1
