"""Components, component sets and styles through the client, from the emulator and from unusual responses."""

import json
from contextlib import closing

import pytest
import responses

from tokensync.emulator import Emulator
from tokensync.extract.client import Client, Credential
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
    whole = list(library.components.of_team("1"))
    assert len(whole) == 40
    assert list(library.components.of_team("1", page_size=7)) == whole == list(library.components.of_file("Harbor"))


def test_a_variant_knows_its_set_and_a_style_its_type(library):
    sets = {each.node_id: each for each in library.component_sets.of_team("1")}
    variant = next(library.components.of_file("Harbor"))
    around = variant.containing_frame.component_set
    assert sets[around.node_id].name == around.name == "Button"
    assert {each.style_type for each in library.styles.of_file("Harbor")} == {"FILL", "TEXT", "EFFECT", "GRID"}
    assert sets[around.node_id].containing_frame.component_set is None


def test_one_is_read_by_its_key_and_an_unknown_key_is_reported(library):
    style = next(library.styles.of_team("1"))
    assert library.styles.get(style.key) == style
    with pytest.raises(NotFoundError, match="no such component set"):
        library.component_sets.get(style.key)


def test_pages_end_where_the_platform_names_a_cursor_after_the_last(client, platform):
    rows = [{"key": "a", "name": "first", "ofTomorrow": {}}, {"key": "b", "thumbnail_url": None}]
    for after, page in (("", rows), ("&after=9", [])):
        body = {"status": 200, "error": False, "meta": {"styles": page, "cursor": {"after": 9, "before": 1}}}
        platform.add(responses.GET, f"{ADDRESS}?page_size=1000{after}", json=body)
    assert [(each.key, each.name) for each in client.styles.of_team("7")] == [("a", "first"), ("b", "")]


@pytest.mark.parametrize("meta", [{}, {"styles": None}, {"styles": [{"name": "keyless"}]}, {"styles": [3]}])
def test_rows_of_another_shape_are_reported_and_no_traceback(client, platform, meta):
    platform.add(responses.GET, ADDRESS, body=json.dumps({"status": 200, "error": False, "meta": meta}))
    with pytest.raises(ServerError, match="the response differs from the documented one"):
        list(client.styles.of_team("7"))
