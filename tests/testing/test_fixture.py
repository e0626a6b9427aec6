"""The public fixture, as a user's own tests have it."""

import json
import os
import re
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

USER_TESTS = """
import pytest
import requests


def me(platform, **more):
    return requests.get(f"{platform.base_url}/v1/me", headers={"X-Figma-Token": platform.token}, timeout=30, **more)


def test_it_answers(tokensync_emulator):
    assert me(tokensync_emulator).json()["handle"] == "owner"
    assert [str(request) for request in tokensync_emulator.requests] == ["GET /v1/me 200"]


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


@pytest.mark.tokensync_emulator(strict=True)
def test_it_refuses_what_it_does_not_know(tokensync_emulator):
    assert me(tokensync_emulator, params={"colour": "red"}).status_code == 400


@pytest.mark.parametrize("host", ["api.figma.com", "figma.com", "API.figma-gov.com."])
def test_it_keeps_tests_from_the_real_service(tokensync_emulator, host):
    with pytest.raises(requests.ConnectionError, match="must not reach the real service"):
        requests.get(f"https://{host}/v1/me", timeout=5)


def test_a_module_and_a_session_have_platforms_of_their_own(
    tokensync_emulator, tokensync_emulator_module, tokensync_emulator_session
):
    platforms = [tokensync_emulator, tokensync_emulator_module, tokensync_emulator_session]
    assert len({platform.token for platform in platforms}) == 3
    tokensync_emulator_session.emulator.files.create("Harbor")
    assert [list(platform.emulator.files.keys()) for platform in platforms] == [[], [], ["Harbor"]]
    tokensync_emulator_session.reset()
    assert list(tokensync_emulator_session.emulator.files.keys()) == []
    assert me(tokensync_emulator_session).ok
"""


def pytest_alone(folder, *arguments, **environment):
    """Run pytest as a user of tokensync does, whose plug-in is loaded by itself."""
    command = [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-W", "error"]
    command += ["-p", "no:cacheprovider", "-p", "no:schemathesis"]  # the latter is of this project and slow to load
    return subprocess.run(
        [*command, *arguments],
        check=False,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        timeout=120,
        encoding="utf-8",
    )


@needs_cryptography
def test_a_users_own_tests_pass_with_it(tmp_path):
    nested = tmp_path / "tests" / "inner"
    nested.mkdir(parents=True)
    (nested / "conftest.py").touch()
    (nested / "test_mine.py").write_text(USER_TESTS, encoding="utf-8")
    done = pytest_alone(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "9 passed" in done.stdout


MARKED = """
import pytest
import requests

pytestmark = pytest.mark.tokensync_emulator(strict=True)


@pytest.mark.tokensync_emulator(rate_limits=True)
def test_it(tokensync_emulator):
    headers = {"X-Figma-Token": tokensync_emulator.token}
    answer = requests.get(f"{tokensync_emulator.base_url}/v1/me?colour=red", headers=headers, timeout=30)
    assert answer.status_code == 400
    own, server = tokensync_emulator.own.name, tokensync_emulator.base_url.partition("/_space/")[0]
    assert requests.delete(f"{server}/_emulator/spaces/{own}", timeout=30).status_code == 200
"""


def test_markers_add_up_and_a_test_may_remove_its_own_space(tmp_path):
    (tmp_path / "test_marked.py").write_text(MARKED, encoding="utf-8")
    done = pytest_alone(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


ISOLATED = """
import random
import pytest
import requests

late = []
random_order = random.Random(7).sample(range(200), 200)


def ask(platform, method, path, token=None, **more):
    headers = {"X-Figma-Token": token or platform.token}
    return requests.request(method, platform.base_url + path, headers=headers, timeout=30, **more).status_code


@pytest.mark.parametrize("number", random_order)
def test_nothing_of_another_test_is_seen(tokensync_emulator, tokensync_emulator_session, number):
    while late:
        assert late.pop()() in (403, 404)  # what a thread of an earlier test sends after its end
    emulator, shared = tokensync_emulator.emulator, tokensync_emulator_session
    assert list(emulator.files.keys()) == list(shared.emulator.files.keys()) == []
    emulator.files.create("Harbor")
    shared.emulator.files.create("Shared")
    comments = "/v1/files/Harbor/comments"
    for token, status in ((tokensync_emulator.token, 200), (shared.token, 403), ("figd_emulator_abcabcdefg", 403)):
        assert ask(tokensync_emulator, "POST", comments, token, json={"message": str(number)}) == status
    requests_seen = [str(request) for request in tokensync_emulator.requests]
    assert requests_seen == [f"POST {comments} {status}" for status in (200, 403, 403)]
    assert shared.requests == []
    shared.reset()
    late.append(lambda: ask(tokensync_emulator, "POST", comments, json={"message": "late"}))
"""


def test_two_hundred_tests_of_several_processes_share_nothing(tmp_path):
    (tmp_path / "test_isolated.py").write_text(ISOLATED, encoding="utf-8")
    done = pytest_alone(tmp_path, "-n", "2")
    assert "200 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("rate_limit=True", "has no option rate_limit; use rate_limits"),
        ("True", "takes named options only"),
        ("now='x'", "now of tokensync_emulator is 'x'; write a time in Unix seconds, such as 1_800_000_000"),
        ("faults='x'", "faults of tokensync_emulator is 'x'; write a list of rules, such as "),
        ("state=5", "state of tokensync_emulator is 5; write the path of a file"),
        ("tls=1", "tls of tokensync_emulator is 1; write True or False"),
    ],
)
def test_a_wrong_marker_stops_the_run_and_names_the_right_form(tmp_path, marker, message):
    text = f"import pytest\n@pytest.mark.tokensync_emulator({marker})\ndef test_it(tokensync_emulator): pass\n"
    (tmp_path / "test_mine.py").write_text(text, encoding="utf-8")
    done = pytest_alone(tmp_path)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert message in done.stderr


def test_a_failed_test_shows_the_requests_that_it_sent(tmp_path):
    text = """import requests
def test_it(tokensync_emulator):
    requests.get(tokensync_emulator.base_url + "/v1/file/abc/variable/local", timeout=30)
    assert False
"""
    (tmp_path / "test_mine.py").write_text(text, encoding="utf-8")
    nearest = "no such endpoint; nearest: GET /v1/files/<file_key>/variables/local"
    assert f"GET /v1/file/abc/variable/local 404 ({nearest})" in pytest_alone(tmp_path).stdout


SHARED = """
import pytest, requests

@pytest.fixture
def ask(tokensync_emulator_module, tokensync_emulator_session):
    for platform in (tokensync_emulator_module, tokensync_emulator_session):
        requests.get(platform.base_url + "/v1/me", timeout=30)
    return lambda path: requests.get(tokensync_emulator_session.base_url + path, timeout=30)

def test_first(ask):
    ask("/v1/first")
    assert False

def test_second(ask):
    ask("/v1/second")
    assert False

def test_silent(tokensync_emulator_session):
    assert False

def test_unaware():
    assert False
"""


def test_a_failed_test_shows_its_own_requests_to_a_platform_of_its_session_or_module(tmp_path):
    (tmp_path / "test_mine.py").write_text(SHARED, encoding="utf-8")
    output = pytest_alone(tmp_path, "-rN").stdout
    shown = output.split("the last requests of tokensync_emulator")[1:]
    paths = [re.findall(r"^GET (\S+)|^(none)$", part, re.MULTILINE) for part in shown]
    assert [sorted(path or none for path, none in part) for part in paths] == [
        ["/v1/first", "/v1/me", "/v1/me"],
        ["/v1/me", "/v1/me", "/v1/second"],
        ["none"],
    ], output


IN_ONE_PROCESS = """
import pytest, socket
before = socket.getaddrinfo
code = pytest.main(["-q", "-p", "no:cacheprovider"])
print("restored", code == 0 and socket.getaddrinfo is before)
"""
ENDING_FIRST = """
def test_module(tokensync_emulator_module): pass

def test_session(tokensync_emulator_session): pass
"""
AFTER_IT = """
import socket, pytest

def test_the_session_goes_on():
    with pytest.raises(ConnectionRefusedError, match="must not reach the real service"):
        socket.getaddrinfo("api.figma.com", 443)
"""


def test_the_real_service_is_refused_until_the_last_platform_ends_and_not_after_it(tmp_path):
    (tmp_path / "test_a.py").write_text(ENDING_FIRST, encoding="utf-8")
    (tmp_path / "test_b.py").write_text(AFTER_IT, encoding="utf-8")
    command = [sys.executable, "-c", IN_ONE_PROCESS]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, timeout=60, encoding="utf-8")
    assert done.stdout.endswith("restored True\n"), done.stdout + done.stderr


def test_the_plugin_can_be_switched_off(tmp_path):
    (tmp_path / "test_mine.py").write_text("def test_it(tokensync_emulator): pass\ndef test_other(): pass\n", "utf-8")
    done = pytest_alone(tmp_path, "-p", "no:tokensync")
    assert "fixture 'tokensync_emulator' not found" in done.stdout
    assert "1 passed, 1 error" in done.stdout


def test_a_platform_runs_where_pytest_is_not_installed():
    code = """import sys
sys.modules["pytest"] = None
from tokensync.testing import running
with running() as platform: print(platform.token[:14])
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, timeout=60, encoding="utf-8")
    assert done.stdout == "figd_emulator_\n", done.stderr


def test_the_plugin_imports_nothing_of_tokensync_until_a_test_uses_it():
    code = "import sys, tokensync.pytest_plugin; print(*sorted(name for name in sys.modules if 'tokensync' in name))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60, encoding="utf-8")
    assert done.stdout == "tokensync tokensync.pytest_plugin tokensync.version\n"


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
