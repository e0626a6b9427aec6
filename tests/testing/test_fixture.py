"""The public fixture, as a user's own tests have it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from emulator.platform import KEY, response
from optional import needs_cryptography

from tokensync.system.errors import UsageError
from tokensync.testing import running

ROOT = Path(__file__).parents[2]

CONFTEST = 'pytest_plugins = ["tokensync.testing"]\n'
USER_TESTS = """
import pytest
import requests


def me(platform, **more):
    return requests.get(f"{platform.base_url}/v1/me", headers={"X-Figma-Token": platform.token}, timeout=30, **more)


def test_it_answers(tokensync_emulator):
    assert me(tokensync_emulator).json()["handle"] == "owner"


@pytest.mark.tokensync_emulator(rate_limits=True, now=1_800_000_000)
def test_it_limits(tokensync_emulator):
    assert [me(tokensync_emulator).status_code for _ in range(151)] == [200] * 150 + [429]
    tokensync_emulator.emulator.clock.advance(60)
    assert me(tokensync_emulator).status_code == 200


@pytest.mark.tokensync_emulator(tls=True)
def test_it_speaks_https(tokensync_emulator):
    assert tokensync_emulator.base_url.startswith("https://")
    assert me(tokensync_emulator, verify=tokensync_emulator.certificate).ok


@pytest.mark.tokensync_emulator(faults=[{"path": "/v1/me", "nth": 1, "status": 503}])
def test_it_fails_on_request(tokensync_emulator):
    assert [me(tokensync_emulator).status_code for _ in range(2)] == [503, 200]
"""


@needs_cryptography
def test_a_users_own_tests_pass_with_it(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_mine.py").write_text(USER_TESTS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-markers", "-W", "error", "."]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, check=False, cwd=tmp_path, env=alone, capture_output=True, timeout=120, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout


@pytest.mark.parametrize("kind", ["document", "bytes", "path", "text path"])
def test_a_file_is_seeded_with_a_response_of_any_form(tmp_path, kind):
    path = tmp_path / "local.json"
    path.write_text(json.dumps(response()), encoding="utf-8")
    given = {"document": response(), "bytes": path.read_bytes(), "path": path, "text path": str(path)}[kind]
    with running() as platform:
        platform.seed(KEY, given)
        url = f"{platform.base_url}/v1/files/{KEY}/variables/local"
        answer = requests.get(url, headers={"X-Figma-Token": platform.token}, timeout=30)
    assert answer.json() == response()


@needs_cryptography
def test_tokensync_itself_uses_it_through_its_environment(tmp_path):
    with running(tls=True) as platform:
        platform.seed(KEY, response())
        command = [sys.executable, "-m", "tokensync", "api", "variables", "local", f"--file-key={KEY}"]
        environment = {**os.environ, **platform.environment, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            command, check=False, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8"
        )
    assert done.returncode == 0, done.stderr
    assert "blue/500" in done.stdout


def test_what_cannot_be_seeded_or_scripted_says_so(tmp_path):
    with running() as platform, pytest.raises(UsageError, match="not readable"):
        platform.seed(KEY, tmp_path / "absent.json")
    with pytest.raises(UsageError, match="faults: not a fault script"), running(faults={"rules": [{}]}):
        pass
