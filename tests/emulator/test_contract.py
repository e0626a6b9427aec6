"""The contract: every row is answered as expected, and cites a sentence of the specification."""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from importlib import import_module

import pytest
from emulator import contract
from emulator.contract.promised import PROMISED
from emulator.contract.rows import Row, verify
from emulator.contract.sentences import SENTENCES
from emulator.contract.uncited import UNCITED

from tokensync.client.endpoints import ENDPOINTS
from tokensync.emulator.services import ROUTES

GROUPS = tuple(import_module(f"emulator.contract.{module.name}") for module in pkgutil.iter_modules(contract.__path__))
ROWS: tuple[Row, ...] = tuple(row for group in GROUPS for row in getattr(group, "ROWS", ()))
LIVE = tuple(row for row in ROWS if row.live)
CITED = {cited for row in ROWS for cited in row.cites}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_request_gets_the_status_body_and_message_of_its_row(row):
    verify(row)


def named(method, path):
    """``GET /v1/me``; parameters of a path are written as in the document, ``:file_key``."""
    written = re.sub(r"[<{](.+?)[>}]", r":\1", path)
    return f"{method} /{written.removeprefix('/')}"


ROUTED = {named(each.method, each.path): each for each in ROUTES}
CALLED = {named(each.method, each.path): each for each in ENDPOINTS}


@cache
def answered():
    """Return the statuses that rows expect of each endpoint, by its method and path.

    Of several endpoints that fit a row's path, the one with the fewest parameters is asked.
    """
    patterns = [(each, pattern(each.path)) for each in sorted(PROMISED, key=lambda each: each.path.count(":"))]
    statuses = {each.name: set() for each in PROMISED}
    for row in ROWS:
        path = row.request.path.partition("?")[0]
        fitting = (each for each, form in patterns if each.method == row.request.method and form.fullmatch(path))
        promise = next(fitting, None)
        if promise is not None:
            statuses[promise.name].add(row.status)
    return statuses


def pattern(path):
    return re.compile("/".join("[^/]+" if part.startswith(":") else re.escape(part) for part in path.split("/")))


class TestSentences:
    def test_each_is_written_once_with_its_subject(self):
        assert len(SENTENCES) == len(set(SENTENCES))
        assert [each for each in SENTENCES if not re.match(r"[A-Za-z ]+: \w", each)] == []

    def test_each_is_cited_by_a_row_or_has_a_reason_why_not(self):
        assert sorted(set(SENTENCES) - CITED - set(UNCITED)) == []

    def test_a_reason_is_of_a_sentence_that_no_row_cites(self):
        assert sorted(set(UNCITED) - set(SENTENCES)) == []
        assert sorted(set(UNCITED) & CITED) == []
        assert all(UNCITED.values())

    def test_a_row_cites_sentences_that_are_there(self):
        assert sorted(CITED - set(SENTENCES)) == []
        assert all(row.cites for row in ROWS)

    def test_the_groups_that_promise_behaviour_are_there(self):
        assert {each.partition(":")[0] for each in SENTENCES} >= {
            "variables",
            "webhooks",
            "errors",
            "limits",
            "versions",
        }


class TestEndpoints:
    def test_the_emulator_answers_each_that_is_promised(self):
        assert [each.name for each in PROMISED if each.name not in ROUTED] == []

    def test_the_client_calls_each_that_is_promised(self):
        assert [each.name for each in PROMISED if each.name not in CALLED] == []

    def test_there_are_no_others(self):
        promised = {each.name for each in PROMISED}
        assert set(CALLED) - promised == set()

    def test_the_list_has_the_order_of_the_document(self):
        assert [*CALLED] == [each.name for each in PROMISED]

    @pytest.mark.parametrize("promise", PROMISED, ids=lambda promise: promise.name)
    def test_both_tables_have_the_documented_scope_and_tier(self, promise):
        route, endpoint = ROUTED[promise.name], CALLED[promise.name]
        assert (route.scopes[:1], endpoint.scopes[:1]) == ((promise.scope,) * bool(promise.scope),) * 2
        assert promise.tier is None or route.tier == endpoint.tier == promise.tier
        assert route.tier == endpoint.tier
        assert (route.replaced_by is None) == (endpoint.replaced_by is None)

    @pytest.mark.parametrize("promise", PROMISED, ids=lambda promise: promise.name)
    def test_each_has_rows_for_its_success_and_every_error_that_is_listed(self, promise):
        assert {promise.success, *promise.errors} - answered()[promise.name] == set()
