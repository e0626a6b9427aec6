"""Components, component sets and styles through the client, from the emulator and from unusual responses."""

import json
from contextlib import closing

import pytest
import responses

from tokensync.emulator import Emulator
from tokensync.extract.client import Client, Credential
from tokensync.extract.client.endpoints import BY_NAME
from tokensync.system.errors import NotFoundError, ServerError

ADDRESS = "https://api.figma.com/v1/teams/7/styles"


@pytest.fixture
def library():
    with closing(Emulator(clock=lambda: 1_800_000_000.0)) as emulator:
        emulator.files.create("Harbor", name="Harbor")
        emulator.libraries.sample("Harbor", components=40)
        emulator.publish("Harbor")
        with Client("emulator:", Credential("personal", emulator.default_token, "here"), wsgi=emulator) as instance:
            yield instance


def test_a_team_is_read_page_by_page(library):
    whole = list(library.rows(BY_NAME["components team"], team_id="1"))
    assert len(whole) == 40
    by_pages = list(library.rows(BY_NAME["components team"], team_id="1", page_size=7))
    assert by_pages == whole == list(library.rows(BY_NAME["components file"], file_key="Harbor"))


def test_one_is_read_by_its_key_and_an_unknown_key_is_reported(library):
    style = next(library.rows(BY_NAME["styles team"], team_id="1"))
    assert json.loads(library.call(BY_NAME["styles get"], key=style["key"]))["meta"] == style
    with pytest.raises(NotFoundError, match="no such component set"):
        library.call(BY_NAME["component-sets get"], key=style["key"])


def test_pages_end_where_the_platform_names_a_cursor_after_the_last(client, platform):
    rows = [{"key": "a", "name": "first", "ofTomorrow": {}}, {"key": "b", "thumbnail_url": None}]
    for after, page in (("", rows), ("?after=9", [])):
        body = {"status": 200, "error": False, "meta": {"styles": page, "cursor": {"after": 9, "before": 1}}}
        platform.add(responses.GET, f"{ADDRESS}{after}", json=body)
    assert list(client.rows(BY_NAME["styles team"], team_id="7")) == rows


@pytest.mark.parametrize("meta", [{}, {"styles": None}])
def test_rows_of_another_shape_are_reported_and_no_traceback(client, platform, meta):
    platform.add(responses.GET, ADDRESS, body=json.dumps({"status": 200, "error": False, "meta": meta}))
    with pytest.raises(ServerError, match="the response differs from the documented one"):
        list(client.rows(BY_NAME["styles team"], team_id="7"))
