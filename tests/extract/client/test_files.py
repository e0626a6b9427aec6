"""Files, versions and comments through the client, from the emulator over HTTP."""

import json
from contextlib import closing

import pytest
from commands.projects import COLORS, response

from tokensync.emulator import Emulator
from tokensync.emulator.server import Server
from tokensync.extract.client import Client, Credential
from tokensync.extract.client.endpoints import BY_NAME
from tokensync.system.errors import NotFoundError, RequestError


@pytest.fixture(params=[()])
def emulator(request):
    with closing(Emulator(quirks=request.param)) as instance:
        instance.seed("main", response(COLORS), name="Library")
        yield instance


@pytest.fixture
def asking(emulator):
    with (
        Server(emulator) as server,
        Client(server.base_url, Credential("personal", emulator.default_token, "a test")) as instance,
    ):
        yield instance


def test_a_file_is_a_tree_with_the_bindings_of_its_layers(asking):
    content = asking.files.content("main")
    (page,) = content.document.children
    (frame,) = page.children
    assert (content.name, page.type, frame.name) == ("Library", "CANVAS", "Theme")
    first = frame.children[0]
    assert first.bound_variables == {"fills": [{"type": "VARIABLE_ALIAS", "id": "VariableID:1:10"}]}
    assert frame.explicit_variable_modes == {"VariableCollectionId:1:1": "1:1"}
    assert asking.files.content("main", depth=1).document.children[0].children == ()


def test_nodes_are_read_by_their_ids(asking):
    nodes = asking.files.nodes("main", ("1:10", "9:9"))
    assert [(id_, node.name) for id_, node in nodes.items()] == [("1:10", "slate")]


def test_a_file_that_is_too_large_is_reported(emulator, asking):
    emulator.files.set_largest_answer(500)
    with pytest.raises(RequestError, match="Request too large"):
        asking.files.content("main")


@pytest.mark.parametrize("emulator", [(), ("versions-reversed",)], indirect=True)
def test_versions_are_read_page_by_page(emulator, asking):
    for number in range(60):
        emulator.versions.save("main", f"v{number}")
    versions = list(asking.rows(BY_NAME["versions list"], file_key="main"))
    assert [each["label"] for each in versions] == [f"v{number}" for number in reversed(range(60))]


def test_comments_and_reactions_go_there_and_back(asking):
    comment = json.loads(
        asking.call(BY_NAME["comments post"], file_key="main", message="Hello", client_meta={"x": 1, "y": 2})
    )
    (listed,) = next(asking.pages(BY_NAME["comments list"], file_key="main"))["comments"]
    assert listed == comment
    with pytest.raises(NotFoundError, match="no such comment"):
        asking.call(BY_NAME["comments reactions"], file_key="main", comment_id="9")


def test_oembed_describes_a_file(asking):
    document = json.loads(asking.call(BY_NAME["oembed read"], url="https://www.figma.com/design/main/x", maxwidth=400))
    assert (document["title"], document["width"], document["height"]) == ("Library", 400, 450)
