"""Library analytics through the client."""

import json
from contextlib import closing

import pytest
from emulator.platform import ACCENT, GAP, KEY, NOW, response

from tokensync.emulator import Emulator
from tokensync.emulator.server import Server
from tokensync.extract.client import Client, Credential
from tokensync.extract.client.endpoints import BY_NAME
from tokensync.extract.client.groups import NOT_VISIBLE
from tokensync.system.errors import AccessError, RequestError


@pytest.fixture
def emulator():
    with closing(Emulator(clock=lambda: NOW)) as instance:
        instance.seed(KEY, json.dumps(response()).encode())
        instance.publish(KEY)
        instance.files.create("App", name="App")
        for id_, count in ((GAP, 3), (ACCENT, 8)):
            instance.analytics.use(KEY, "variable", f"key-of-{id_}", "App", count)
            instance.analytics.act(KEY, "variable", f"key-of-{id_}", insertions=count, days_ago=8)
            instance.analytics.act(KEY, "variable", f"key-of-{id_}", detachments=1, days_ago=15)
        yield instance


def client_of(emulator, token=None):
    return Client("emulator:", Credential("personal", token or emulator.default_token, "here"), wsgi=emulator)


def test_usages_and_actions_of_variables_are_rows(emulator):
    with client_of(emulator) as client:
        used = list(client.analytics.variable_usages(KEY))
        assert [(each.variable_key, each.usages, each.files_using, each.variable_type) for each in used] == [
            (f"key-of-{ACCENT}", 8, 1, "COLOR"),
            (f"key-of-{GAP}", 3, 1, "FLOAT"),
        ]
        acted = list(client.analytics.variable_actions(KEY))
        assert {(each.week, each.insertions, each.detachments) for each in acted} == {
            ("2027-01-03", 8, 0),
            ("2027-01-03", 3, 0),
            ("2026-12-27", 0, 1),
        }
        assert list(client.analytics.variable_actions(KEY, start_date="2027-01-09")) == acted[:2]
        (team,) = client.analytics.variable_actions_by_team(KEY, end_date="2026-12-27")
        assert (team.team_name, team.detachments) == ("Design system", 2)


def test_files_that_the_token_may_not_see_have_one_row(emulator):
    token = emulator.tokens.create(scopes=("library_analytics:read",))
    emulator.tokens.permit(token, "App", None)
    with client_of(emulator, token) as client:
        (hidden,) = client.analytics.variable_usages_by_file(KEY)
    assert (hidden.file_name, hidden.usages) == (NOT_VISIBLE, 11)


def test_a_branch_is_asked_about_by_its_main_file_and_an_unknown_library_is_reported(emulator):
    emulator.files.branch(KEY, "Twig")
    with client_of(emulator) as client:
        url = f"https://www.figma.com/design/{KEY}/branch/Twig/Name"
        assert len(list(client.analytics.variable_usages(url))) == 2
        with pytest.raises(RequestError, match="Library file not found"):
            list(client.analytics.variable_usages("Nowhere"))


def test_pages_are_followed_over_real_http(emulator):
    emulator.libraries.sample(KEY, components=1002)
    emulator.publish(KEY)
    for key in emulator.libraries.keys(KEY, "component"):
        emulator.analytics.use(KEY, "component", key, "App", 1)
    credential = Credential("personal", emulator.default_token, "here")
    with Server(emulator) as server, Client(server.base_url, credential) as client:
        assert len(list(client.analytics.variable_usages(KEY))) == 2
        assert len(list(client.rows(BY_NAME["components team"], team_id="1"))) == 1002
        pages = list(client.pages(BY_NAME["analytics component-usages"], library_file_key=KEY, group_by="component"))
    assert [len(page["rows"]) for page in pages] == [1000, 2]


def test_a_missing_scope_is_named(emulator):
    token = emulator.tokens.create(scopes=("file_variables:read",))
    with client_of(emulator, token) as client, pytest.raises(AccessError, match="library_analytics:read"):
        list(client.analytics.variable_usages(KEY))
