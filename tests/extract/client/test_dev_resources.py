"""Dev resources through the client."""

import json

import pytest

from tokensync.emulator import Emulator
from tokensync.extract.client import Client, Credential
from tokensync.extract.client.endpoints import BY_NAME
from tokensync.extract.client.groups import ChangedDevResource, NewDevResource
from tokensync.system.errors import NotFoundError

BUTTON = NewDevResource("Button", "https://example.com/button", "Harbor", "1:2")


@pytest.fixture
def client():
    emulator = Emulator()
    emulator.files.create("Harbor")
    with Client("emulator:", Credential("personal", emulator.default_token), wsgi=emulator) as client:
        yield client
    emulator.close()


def test_attached_resources_are_listed(client):
    (created,) = client.dev_resources.create([BUTTON]).links_created
    assert client.dev_resources.list("Harbor") == (created,)
    assert (created.name, created.url, created.file_key, created.node_id) == ("Button", BUTTON.url, "Harbor", "1:2")


def test_only_links_on_the_named_nodes_are_listed(client):
    client.dev_resources.create([BUTTON, NewDevResource("Docs", "https://example.com/docs", "Harbor", "3:4")])
    assert [each.name for each in client.dev_resources.list("Harbor", ["3:4", "9:9"])] == ["Docs"]


def test_failed_items_are_reported_beside_the_others(client):
    done = client.dev_resources.create([BUTTON, BUTTON])
    assert len(done.links_created) == 1
    (failed,) = done.errors
    assert (failed.file_key, failed.node_id) == ("Harbor", "1:2")
    assert "same url" in failed.error


def test_a_change_leaves_other_members_unchanged(client):
    (created,) = client.dev_resources.create([BUTTON]).links_created
    done = client.dev_resources.update(
        [ChangedDevResource(created.id, name="New"), ChangedDevResource("none", url="x")]
    )
    assert done.links_updated == (created.id,)
    assert [each.id for each in done.errors] == ["none"]
    (now,) = client.dev_resources.list("Harbor")
    assert (now.name, now.url) == ("New", BUTTON.url)


def test_ids_are_read_from_a_response_with_complete_links(credential):
    """As the published types have it."""

    def other_platform(environ, start_response):
        start_response("200 OK", [("Content-Type", "application/json")])
        return [b'{"links_updated": [{"id": "7", "name": "n", "url": "u", "file_key": "k", "node_id": "1:2"}]}']

    with Client("emulator:", credential, wsgi=other_platform) as client:
        assert client.dev_resources.update([ChangedDevResource("7", name="n")]).links_updated == ("7",)


def test_a_link_is_removed_by_its_id(client):
    (created,) = client.dev_resources.create([BUTTON]).links_created
    answer = client.call(BY_NAME["dev-resources delete"], file_key="Harbor", dev_resource_id=created.id)
    assert json.loads(answer) == {"status": 200, "error": False}
    assert client.dev_resources.list("Harbor") == ()
    with pytest.raises(NotFoundError, match="no such dev resource"):
        client.call(BY_NAME["dev-resources delete"], file_key="Harbor", dev_resource_id=created.id)
