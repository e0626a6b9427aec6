"""What the quick paths load. Time is not measured here: it differs by machine, and a module that is loaded does not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUICKSTART = ROOT / "examples" / "quickstart" / "design.local.json"

ASKED_BY_MSGSPEC = {"typing_extensions"}  # where it happens to be installed; msgspec does without

LISTING = """
import json, sys
before = set(sys.modules)
from tokensync.cli.main import run
code = run({arguments!r})
sys.stderr.flush()
print(json.dumps({{"code": code, "modules": sorted(set(sys.modules) - before)}}))
"""


def loaded(*arguments, folder):
    """The modules that a command loads beyond those of a bare Python."""
    program = LISTING.format(arguments=list(arguments))
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
    )
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["code"] == 0, done.stderr
    return set(told["modules"])


def others(modules):
    """The top-level names that belong neither to Python nor to us."""
    return {name.split(".")[0] for name in modules} - set(sys.stdlib_module_names) - {"tokensync"}


def test_the_version_is_told_with_click_and_nothing_else(tmp_path):
    modules = loaded("--version", folder=tmp_path)
    assert others(modules) == {"click"}
    assert {name for name in modules if name.startswith("tokensync.")} <= {
        "tokensync.cli",
        "tokensync.cli.console",
        "tokensync.cli.main",
        "tokensync.cli.options",
        "tokensync.errors",
        "tokensync.outlet",
        "tokensync.version",
    }
    slow = {
        "asyncio",
        "email",
        "hashlib",
        "http",
        "importlib.metadata",
        "logging",
        "socket",
        "sqlite3",
        "ssl",
        "tomllib",
    }
    assert modules & slow == set()


@pytest.mark.skipif(not QUICKSTART.is_file(), reason="examples/quickstart is not there")
def test_a_build_from_a_saved_response_pays_for_decoding_and_templates_alone(tmp_path):
    modules = loaded("build", "--snapshot", str(QUICKSTART), "-o", "out", folder=tmp_path)
    assert others(modules) <= {"click", "jinja2", "markupsafe", "msgspec", *ASKED_BY_MSGSPEC}
    slow = {"email", "http.client", "importlib.metadata", "logging", "socket", "sqlite3", "ssl", "urllib.request"}
    assert modules & slow == set()
