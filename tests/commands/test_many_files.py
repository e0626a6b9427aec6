"""Projects of many design files: the platform's rate limits, with a simulated clock, and failures of single files."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from tokensync.commands.apply import resume_applies
from tokensync.commands.pull import IncompletePull
from tokensync.emulator.faults import Faults, script_of
from tokensync.extract.client.responses import REQUESTS_A_MINUTE
from tokensync.project.lock import read_lock
from tokensync.system.errors import AccessError, RequestError, ServerError

COUNT = 60
"""Design files: a pull has more requests than Figma accepts in a minute."""


@pytest.fixture
def libraries(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    import libraries

    return libraries


@pytest.fixture
def four(libraries, folder):
    """A project of four files on the emulator."""
    four = libraries.Libraries(folder, 4, "full")
    with closing(four.emulator):
        yield four


def faulty(libraries, **rule):
    """Let the platform of a project answer some requests with a fault."""
    libraries.counted._application = Faults(libraries.emulator, script_of([rule], "a test"), libraries.clock.sleep)


def present(libraries):
    return sorted(path.name for path in Path(libraries.project.tokens_folder).iterdir() if path.is_dir())


@pytest.mark.parametrize("number", range(4))
def test_many_files_keep_within_the_rate_limits_and_take_little_longer_than_these(libraries, folder, number):
    case = libraries.CASES[number]
    for command, sent, seconds, least in libraries.measured(case, COUNT, folder):
        is_known = case.name == "full seat" or (case.account == "full" and case.pause == 0 and command == "pull")
        assert sent.limited == (0 if is_known else 1), command  # no response but a 429 says what the limit is
        assert least > 0
        assert seconds <= 1.2 * least, command


def test_the_client_s_limits_are_those_of_the_emulator():
    from tokensync.emulator.dispatch import HIGH_RATES, LOW_RATES, PLAN_NAMES

    rates = {"low": LOW_RATES, **{PLAN_NAMES[plan]: rates for plan, rates in HIGH_RATES.items()}}
    in_minutes = {
        name: tuple(rate.requests if rate.seconds == 60 else 0 for _, rate in sorted(tiers.items()))
        for name, tiers in rates.items()
    }
    assert in_minutes == REQUESTS_A_MINUTE


@pytest.mark.parametrize("status", [403, 404, 413, 500, 503])
def test_a_file_that_the_platform_refuses_leaves_the_others_pulled(four, status):
    faulty(four, path="*/library-1/*", status=status)
    with four.client() as client, pytest.raises(IncompletePull) as caught:
        four.pull(client)
    assert caught.value.exit_code == 1
    assert "/v1/files/library-1/variables/local: " in str(caught.value)
    assert str(caught.value).endswith("1 of 4 files: not pulled; to try again, run tokensync pull --file library-1")
    assert present(four) == ["library-0", "library-2", "library-3"]
    assert [file.name for file in caught.value.pulled.files] == present(four)


@pytest.mark.parametrize(
    "body",
    [b"<p>", b'{"status": 200, "error": false, "meta": {"variables": 1, "variableCollections": {}}}', b'{"meta": {}'],
)
def test_a_file_with_an_invalid_response_leaves_the_others_pulled(four, body):
    answered = four.counted._application

    def application(environ, start_response):
        if "library-2/variables/local" not in environ["PATH_INFO"]:
            return answered(environ, start_response)
        start_response("200 OK", [("Content-Type", "application/json")])
        return [body]

    four.counted._application = application
    with four.client() as client, pytest.raises(IncompletePull, match="--file library-2"):
        four.pull(client)
    assert present(four) == ["library-0", "library-1", "library-3"]


def test_a_refused_token_is_not_tried_with_the_other_files(four):
    four.emulator.tokens.revoke(four.emulator.default_token)
    with four.client() as client, pytest.raises(AccessError):
        four.pull(client)
    assert sum(four.counted.taken().answered.values()) == 1


def test_a_platform_that_is_out_of_order_is_asked_about_two_files_only(four):
    faulty(four, status=503)
    with four.client() as client, pytest.raises(ServerError):
        four.pull(client)
    assert sum(four.counted.taken().answered.values()) == 2 * 5  # attempts


def test_an_apply_that_fails_at_one_file_is_completed_without_repeating_a_request(four):
    with four.client() as client:
        four.pull(client)
        four.edit()
        four.plan(client)
        faulty(four, method="POST", path="*/library-2/*", status=400)
        with pytest.raises(RequestError):
            four.apply(client)
        four.counted._application = four.emulator
        four.counted.taken()
        resumed = resume_applies(four.applier(client))
        four.plan(client)
        four.apply(client)
    assert [applied.file for applied in resumed] == ["library-2"]
    assert four.counted.taken().answered[3] == 2  # library-2 and library-3
    assert read_lock(four.project.folder).keys() == set(four.names)
    for name in four.names:
        local = json.loads(four.local(name))["meta"]["variables"]
        assert [list(variable["valuesByMode"].values()) for variable in local.values()] == [
            [{"r": 0.25, "g": 0.5, "b": 0.5, "a": 1}]
        ]
