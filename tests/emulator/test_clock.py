"""The emulator's clock, which all processes of a state share."""

import pytest
from emulator.platform import NOW, start

from tokensync.emulator.store import Clock, Store
from tokensync.system.errors import UsageError


def test_an_advance_is_seen_at_once_and_time_goes_on_from_there():
    now = NOW
    emulator = start(clock=lambda: now)
    assert emulator.clock() == NOW
    assert emulator.clock.advance(10_800) == NOW + 10_800
    now += 5
    assert emulator.clock() == NOW + 10_805


def test_a_clock_that_is_set_goes_on_from_there_and_may_go_back():
    now = NOW
    emulator = start(clock=lambda: now)
    emulator.clock.set(1_000.0)
    now += 2
    assert emulator.clock() == pytest.approx(1_002.0)


def test_another_process_of_the_same_state_sees_the_move_after_a_moment(tmp_path):
    path = str(tmp_path / "state.sqlite")
    elapsed = 0.0
    start(path)
    ours = Clock(Store(path), lambda: NOW, lambda: elapsed)
    theirs = Clock(Store(path), lambda: NOW, lambda: elapsed)
    assert (ours(), theirs()) == (NOW, NOW)
    ours.advance(60)
    assert (ours(), theirs()) == (NOW + 60, NOW)
    elapsed += 0.2
    assert theirs() == NOW + 60
    theirs.advance(60)
    assert theirs() == NOW + 120


def test_a_moved_clock_outlives_the_process(tmp_path):
    path = str(tmp_path / "state.sqlite")
    first = start(path, clock=lambda: NOW)
    first.clock.advance(3600)
    first.close()
    assert start(path, clock=lambda: NOW).clock() == NOW + 3600


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), 4e9])
def test_time_cannot_be_advanced_backwards_or_without_end(seconds):
    with pytest.raises(UsageError, match="advance the clock by 0 seconds to 100 years"):
        start().clock.advance(seconds)


@pytest.mark.parametrize("now", [-1.0, 4e11, 1e20, float("nan"), float("inf")])
def test_a_time_out_of_range_is_refused(now):
    with pytest.raises(UsageError, match="to a time from 1970 to 9000"):
        start().clock.set(now)


def test_time_cannot_be_advanced_past_the_last_year_in_steps():
    emulator = start(clock=lambda: NOW)
    emulator.clock.set(221_845_392_000.0 - 60)
    with pytest.raises(UsageError, match="to a time from 1970 to 9000"):
        emulator.clock.advance(61)
    assert emulator.clock() == pytest.approx(221_845_392_000.0 - 60)


def test_requests_and_tokens_go_by_the_moved_clock():
    emulator = start(clock=lambda: NOW)
    token = emulator.tokens.create(expires_in_days=1)
    emulator.clock.advance(86_401)
    assert emulator.tokens.of(token).expires < emulator.clock()
