"""Rate limits (Figma REST API: Rate limits): tiers, plans, seats and the answer 429."""

import math

import pytest
from emulator.platform import KEY, NOW, OPENED, Platform, update, variables

from tokensync.emulator import Emulator

CHANGE = variables(update("VariableID:1:3", description="d"))


class Moving:
    """A clock that stands still until it is advanced."""

    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Moving()


@pytest.fixture
def platform(clock):
    OPENED.append(Emulator(clock=clock, rate_limits=True))
    return Platform(OPENED[-1])


def spent(ask, most=1000):
    """Return the number of requests before the first 429, and that answer."""
    for number in range(most):
        answer = ask()
        if answer.status_code == 429:
            return number, answer
    return most, None


def test_rate_limits_are_off_by_default():
    assert spent(Platform().get, 300) == (300, None)


def test_tier_2_of_a_full_seat_on_enterprise_is_100_a_minute(platform, clock):
    count, answer = spent(platform.get)
    assert count == 100
    assert answer.json == {"status": 429, "error": True, "message": "Rate limit exceeded"}
    assert answer.headers["Retry-After"] == "1"
    assert answer.headers["X-Figma-Plan-Tier"] == "enterprise"
    assert answer.headers["X-Figma-Rate-Limit-Type"] == "high"
    assert answer.headers["X-Figma-Upgrade-Link"].startswith("https://")


def test_a_success_has_no_headers_of_limits(platform):
    assert not [name for name, _ in platform.get().headers if name.startswith(("X-Figma", "Retry"))]


def test_the_bucket_leaks_evenly_and_is_empty_after_a_minute(platform, clock):
    spent(platform.get)
    clock.now += 0.5
    assert platform.get().status_code == 429
    clock.now += 0.1
    assert platform.get().status_code == 200
    assert platform.get().status_code == 429
    clock.now += 60
    assert spent(platform.get)[0] == 100


def test_a_request_after_the_stated_wait_is_answered(platform, clock):
    for _ in range(5):
        _, answer = spent(platform.get)
        clock.now += int(answer.headers["Retry-After"])
        assert platform.get().status_code == 200


def test_tiers_are_counted_apart(platform):
    assert spent(platform.get)[0] == 100
    assert spent(lambda: platform.post(CHANGE))[0] == 150


def test_a_refused_write_changes_nothing(platform):
    spent(lambda: platform.post(CHANGE))
    before = platform.get().data
    assert platform.post(variables(update("VariableID:1:3", description="later"))).status_code == 429
    assert platform.get().data == before


@pytest.mark.parametrize(
    ("plan", "named", "requests"),
    [("organization", "org", 50), ("professional", "pro", 25), ("starter", "starter", 25)],
)
def test_the_plan_of_the_file_applies(platform, plan, named, requests):
    platform.emulator.files.set_plan(KEY, plan)
    count, answer = spent(platform.get)  # 403, since variables are for Enterprise, and counted all the same
    assert (count, answer.headers["X-Figma-Plan-Tier"]) == (requests, named)
    platform.emulator.files.set_plan(KEY, "enterprise")
    assert platform.get().status_code == 200


@pytest.mark.parametrize("account", ["view", "collab", "guest"])
def test_seats_without_editing_have_low_limits_on_every_plan(platform, account):
    platform.emulator.tokens.set_account(platform.emulator.default_token, account)
    count, answer = spent(platform.get)
    assert count == 5
    assert (answer.headers["Retry-After"], answer.headers["X-Figma-Rate-Limit-Type"]) == ("12", "low")


def test_tokens_of_one_user_share_a_limit_and_users_do_not(platform):
    tokens = platform.emulator.tokens
    user = tokens.of(platform.emulator.default_token).user
    second, other = tokens.create(user=user), tokens.create()
    assert spent(platform.get)[0] == 100
    assert platform.get(token=second).status_code == 429
    assert platform.get(token=other).status_code == 200


def test_an_oauth_token_has_a_limit_beside_its_users_personal_ones(platform):
    tokens = platform.emulator.tokens
    oauth = tokens.create(kind="oauth", user=tokens.of(platform.emulator.default_token).user)
    spent(platform.get)
    assert platform.get(headers={"Authorization": f"Bearer {oauth}"}).status_code == 200


def test_a_plan_token_has_its_own_limit_for_every_seat(platform):
    tokens = platform.emulator.tokens
    first, second = (tokens.create(kind="plan", account="full") for _ in range(2))
    assert spent(lambda: platform.get(token=first))[0] == 100
    assert platform.get(token=second).status_code == 200


def test_an_invalid_token_or_scope_is_reported_before_the_rate_limit(platform):
    spent(platform.get)
    assert platform.get(token="nobody's").status_code == 403
    assert platform.get(headers={}).status_code == 401
    platform.emulator.tokens.set_scopes(platform.emulator.default_token, ["file_variables:write"])
    assert platform.get().status_code == 403


def test_six_a_month_come_back_one_in_five_days(clock):
    from tokensync.emulator.dispatch import RateLimits
    from tokensync.emulator.endpoints import Refusal
    from tokensync.emulator.people import User
    from tokensync.emulator.tokens import PERSONAL, Token

    limits = RateLimits()
    token, user = Token("s", PERSONAL, (), 0.0, "1", "t", None), User("1", "u", "", "full", False, None)
    for _ in range(6):
        limits.take(token, user, "starter", 1, clock.now)
    with pytest.raises(Refusal) as caught:
        limits.take(token, user, "starter", 1, clock.now)
    days = int(dict(caught.value.headers)["Retry-After"]) / 86400
    assert math.isclose(days, 5)
    limits.take(token, user, "enterprise", 1, clock.now)
    limits.take(token, user, "starter", 1, clock.now + days * 86400)


def test_the_client_waits_for_the_stated_time_and_is_answered(platform, clock):
    from tokensync.extract.client import Client, Credential
    from tokensync.extract.client.responses import Clock

    waits = []

    def sleep(seconds):
        waits.append(seconds)
        clock.now += seconds

    spent(platform.get)
    moving = Clock(now=clock, elapsed=clock, sleep=sleep, random=lambda: 0.0)
    credential = Credential("personal", platform.emulator.default_token, "the test")
    with Client("https://emulator.invalid", credential, wsgi=platform.emulator, clock=moving) as us:
        us.variables.local(KEY)
    assert waits == [1]
