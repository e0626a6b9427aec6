import pytest
import requests
from extract.client.answering import LOCAL, NOW, POST, SUCCESS, Waits

from tokensync.extract.client import Client, RetryPolicy
from tokensync.extract.client.responses import Answer, Lost, seconds_to_wait
from tokensync.system.errors import NetworkError, RateLimitedError, ServerError

HTTP_DATE_IN_20_SECONDS = "Mon, 21 Sep 2026 14:13:40 GMT"  # NOW is 14:13:20


def test_a_rate_limited_get_waits_as_long_as_reported_and_then_succeeds(client, platform, waits):
    platform.get(LOCAL, status=429, headers={"Retry-After": "7"})
    platform.get(LOCAL, body=SUCCESS)
    assert client.variables.local("KEY") == SUCCESS
    assert waits.slept == [7.5]  # the jitter comes on top
    assert waits.reported[0].reason == "rate limited"
    assert (waits.reported[0].attempt, waits.reported[0].attempts) == (2, 5)


def test_retry_after_may_be_a_date(client, platform, waits):
    platform.get(LOCAL, status=429, headers={"Retry-After": HTTP_DATE_IN_20_SECONDS})
    platform.get(LOCAL, body=SUCCESS)
    client.variables.local("KEY")
    assert waits.slept == [20.5]


def test_a_wait_over_the_cap_is_refused_with_the_time_to_retry(client, platform, waits, monkeypatch):
    headers = {"Retry-After": "396749", "X-Figma-Plan-Tier": "starter", "X-Figma-Rate-Limit-Type": "low"}
    platform.get(LOCAL, status=429, headers=headers, json={"status": 429, "err": "Rate limit exceeded"})
    with pytest.raises(RateLimitedError) as caught:
        client.variables.local("KEY")
    assert waits.slept == []
    assert caught.value.retry_after == 396749
    message = str(caught.value)
    assert message.startswith("GET api.figma.com/v1/files/KEY/variables/local: rate limited")
    assert "plan starter" in message
    assert "limit type low" in message
    assert "try again in 4 days 14 hours, at 2026-09-" in message
    assert "Dev or Full seat" in message


def test_the_cap_on_waits_is_configurable(platform, waits, credential):
    platform.get(LOCAL, status=429, headers={"Retry-After": "600"})
    platform.get(LOCAL, body=SUCCESS)
    client = Client("figma", credential, retry=RetryPolicy(longest_retry_after=600), clock=waits.clock)
    assert client.variables.local("KEY") == SUCCESS


@pytest.mark.parametrize(
    "value", ["soon", "-5", "1.5 s", "1.", "1e3", "nan", "\u0662", "", "Mon, 99 Foo 2026 99:99:99 GMT"]
)
def test_a_malformed_retry_after_is_answered_by_the_ordinary_backoff(value, client, platform, waits):
    platform.get(LOCAL, status=429, headers={"Retry-After": value.encode("utf-8").decode("latin-1")})
    platform.get(LOCAL, body=SUCCESS)
    client.variables.local("KEY")
    assert waits.slept == [0.5]


def test_an_absurd_retry_after_is_reported_without_a_date(client, platform):
    platform.get(LOCAL, status=429, headers={"Retry-After": "9" * 5000})
    with pytest.raises(RateLimitedError, match="no usable time"):
        client.variables.local("KEY")


def test_a_rate_limit_without_an_end_is_given_up_after_the_last_attempt(client, platform, waits):
    platform.get(LOCAL, status=429)
    with pytest.raises(RateLimitedError, match="after 5 attempts; wait a minute"):
        client.variables.local("KEY")
    assert len(waits.slept) == 4


def test_a_fraction_of_a_second_is_waited_for(client, platform, waits):
    platform.get(LOCAL, status=429, headers={"Retry-After": "2.5"})
    platform.get(LOCAL, body=SUCCESS)
    client.variables.local("KEY")
    assert waits.slept == [2.5 + 0.5]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_failure_is_retried_with_growing_waits(status, client, platform, waits):
    for _ in range(3):
        platform.get(LOCAL, status=status, body="<html>upstream</html>")
    platform.get(LOCAL, body=SUCCESS)
    assert client.variables.local("KEY") == SUCCESS
    assert waits.slept == [0.5, 1.0, 2.0]


def test_a_lasting_gateway_failure_ends_after_five_attempts(client, platform, waits):
    platform.get(LOCAL, status=503, body="<html><title>Down\x1b[31m</title></html>")
    with pytest.raises(ServerError) as caught:
        client.variables.local("KEY")
    assert len(platform.calls) == 5
    assert caught.value.status == 503
    assert str(caught.value).endswith('Figma failed (503 "Down [31m") after 5 attempts; try again later')


def test_a_maintenance_window_longer_than_the_cap_is_reported_at_once(client, platform, waits):
    platform.get(LOCAL, status=503, headers={"Retry-After": "7200"})
    with pytest.raises(ServerError, match="try again in 2 hours"):
        client.variables.local("KEY")
    assert waits.slept == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 501])
def test_other_failures_are_not_retried(status, client, platform, waits):
    platform.get(LOCAL, status=status)
    with pytest.raises(Exception, match=str(status)):
        client.variables.local("KEY")
    assert len(platform.calls) == 1


@pytest.mark.parametrize(
    "fault",
    [
        requests.ConnectionError("reset"),
        requests.exceptions.ConnectTimeout(),
        requests.exceptions.ReadTimeout(),
        requests.exceptions.ChunkedEncodingError(),
        requests.exceptions.ProxyError(),
        ConnectionResetError(),
    ],
    ids=lambda fault: type(fault).__name__,
)
def test_a_get_outlives_a_dropped_connection(fault, client, platform, waits):
    platform.get(LOCAL, body=fault)
    platform.get(LOCAL, body=SUCCESS)
    assert client.variables.local("KEY") == SUCCESS
    assert len(waits.reported) == 1


def test_a_truncated_body_is_fetched_again(client, platform, waits):
    platform.get(LOCAL, body=SUCCESS[:-3])
    platform.get(LOCAL, body=SUCCESS)
    assert client.variables.local("KEY") == SUCCESS
    assert waits.reported[0].reason == "the JSON of the response is incomplete"


def test_a_failure_with_a_success_status_counts_as_a_failure(client, platform, waits):
    platform.get(LOCAL, json={"status": 503, "error": True, "message": "busy"})
    platform.get(LOCAL, body=SUCCESS)
    assert client.variables.local("KEY") == SUCCESS


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_post_is_never_repeated_after_a_failure_status(status, client, platform, waits):
    platform.post(POST, status=status, headers={"Retry-After": "1"})
    with pytest.raises((RateLimitedError, ServerError)) as caught:
        client.variables.post("KEY", b"{}")
    assert len(platform.calls) == 1
    assert waits.slept == []
    assert caught.value.outcome_unknown is (status != 429)


@pytest.mark.parametrize(
    "fault", [requests.ConnectionError(), requests.exceptions.ReadTimeout()], ids=["reset", "slow"]
)
def test_a_post_without_a_response_is_never_repeated_and_its_outcome_is_reported_as_unknown(fault, client, platform):
    platform.post(POST, body=fault)
    with pytest.raises(NetworkError, match="read the variables before you repeat it") as caught:
        client.variables.post("KEY", b"{}")
    assert len(platform.calls) == 1
    assert caught.value.outcome_unknown


def test_a_post_that_never_left_has_a_known_outcome(client, platform):
    platform.post(POST, body=requests.exceptions.ConnectTimeout())
    with pytest.raises(NetworkError, match="no connection within 10 seconds") as caught:
        client.variables.post("KEY", b"{}")
    assert not caught.value.outcome_unknown


def test_a_post_whose_success_is_incomplete_has_an_unknown_outcome(client, platform):
    platform.post(POST, body=SUCCESS[:-1])
    with pytest.raises(NetworkError) as caught:
        client.variables.post("KEY", b"{}")
    assert caught.value.outcome_unknown


def test_the_jitter_is_full_and_the_backoff_is_capped():
    policy = RetryPolicy(attempts=100, first=1, longest_backoff=8)
    lost = Lost("gone")
    assert [seconds_to_wait(policy, attempt, lost, None, 1.0) for attempt in (1, 2, 3, 4, 5, 99)] == [1, 2, 4, 8, 8, 8]
    assert seconds_to_wait(policy, 3, lost, None, 0.25) == 1.0
    assert seconds_to_wait(policy, 3, lost, None, 0.0) == 0.0
    assert seconds_to_wait(policy, 100, lost, None, 0.5) is None
    assert seconds_to_wait(policy, 1, Answer(501, {}, b""), None, 0.5) is None


def test_one_attempt_means_no_retry(platform, credential):
    waits = Waits()
    platform.get(LOCAL, status=503)
    with pytest.raises(ServerError):
        Client("figma", credential, retry=RetryPolicy(attempts=1), clock=waits.clock).variables.local("KEY")
    assert waits.slept == []
    assert waits.clock.now() == NOW
