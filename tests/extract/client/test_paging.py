"""Pagination, also from a platform with undocumented responses."""

import json
from itertools import count

import pytest

from tokensync.extract.client import Client, Credential, endpoints, session
from tokensync.system.errors import ServerError

KEY = "KEY"
PAGED = [each for each in endpoints.ENDPOINTS if each.paging is not None]
ODD = [None, True, 7, "text", "http://[", [], [1], {}, {"a": 1}]


def answering(page):
    """Return a platform that answers every request with this page, or with a function of the request's number."""
    numbers = count()

    def application(_, start_response):
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps(page(next(numbers)) if callable(page) else page).encode()]

    return Client("figma", Credential("personal", "figd_secret", "FIGMA_TOKEN"), wsgi=application)


def read(endpoint, page):
    values = {each.name: "1" for each in endpoint.parameters if each.required}
    with answering(page) as client:
        return list(client.rows(endpoint, **values))


def pages_of(endpoint, rows):
    """Return a strategy for pages with rows in the right position and odd values elsewhere."""
    for odd in ODD:
        page = dict.fromkeys(("meta", "pagination", "cursor", "next_page", "has_more"), odd)
        inner = page
        for name in endpoint.paging.items[:-1]:
            inner[name] = dict.fromkeys(("cursor", "next_page", "has_more"), odd)
            inner = inner[name]
        inner[endpoint.paging.items[-1]] = rows
        yield page


@pytest.mark.parametrize("endpoint", PAGED, ids=lambda each: each.name)
@pytest.mark.parametrize("rows", [None, True, 7, "text", {"a": 1}, {}], ids=repr)
def test_rows_that_are_not_a_list_are_reported(endpoint, rows):
    for page in pages_of(endpoint, rows):
        with pytest.raises(ServerError, match=r"differs from the documented one|no meta object"):
            read(endpoint, page)


@pytest.mark.parametrize("endpoint", PAGED, ids=lambda each: each.name)
def test_a_next_page_of_another_shape_is_no_page_or_reported(endpoint):
    pages = []
    for page in pages_of(endpoint, [{"id": "1"}]):
        try:
            pages.append(read(endpoint, page))
        except ServerError as error:
            pages.append(str(error).partition(": ")[2].partition(";")[0])
    again = "the pagination repeats a page"
    assert [each for each in pages if each not in ([{"id": "1"}], again)] == []


def test_cursors_that_go_round_in_a_cycle_are_reported():
    def page(number):
        return {"webhooks": [{"id": str(number)}], "pagination": {"next_page": "AB"[number % 2]}}

    with pytest.raises(ServerError, match="the pagination repeats a page"):
        read(endpoints.BY_NAME["webhooks list"], page)


def test_a_list_without_end_is_reported(monkeypatch):
    monkeypatch.setattr(session, "_MOST_PAGES", 20)
    with pytest.raises(ServerError, match="the list has more than 20 pages; narrow the request, or report a bug"):
        read(
            endpoints.BY_NAME["webhooks list"],
            lambda number: {"webhooks": [], "pagination": {"next_page": str(number)}},
        )
