"""What teams meet at the service beside its specification: pictures, receivers, retired addresses, newer members."""

import gzip

import pytest
import requests
from emulator.oauth_apps import CALLBACK, Journey
from emulator.platform import GAP, KEY, NOW, Platform, response, start
from emulator.test_spaces import get, journal, post

from tokensync.emulator.endpoints import QUIRKS
from tokensync.emulator.tokens import SCOPES
from tokensync.emulator.webhooks import Reply
from tokensync.system.errors import UsageError
from tokensync.testing import running

DAY = 86_400
WEBHOOK = {"event_type": "LIBRARY_PUBLISH", "endpoint": "http://127.0.0.1:9/", "passcode": "open sesame"}
OF_TEAM = WEBHOOK | {"team_id": "1"}
URL = f"https://www.figma.com/design/{KEY}/Harbor?node-id=1-2"


def picture(platform):
    """Return the path of the picture of a node."""
    answer = platform.request("GET", f"/v1/images/{KEY}?ids=1:2")
    return answer.json["images"]["1:2"].removeprefix("https://emulator.invalid")


def refusal(answer):
    return answer.status_code, answer.json["message"]


class TestPictures:
    def test_a_request_with_a_token_is_400_since_the_address_is_signed(self, platform):
        path = picture(platform)
        assert platform.request("GET", path, headers={}).status_code == 200
        for headers in ({"X-Figma-Token": "figd_x"}, {"Authorization": "Bearer figu_x"}):
            assert platform.request("GET", path, headers=headers).status_code == 400

    def test_it_expires_after_30_days_by_the_clock(self, platform):
        path = picture(platform)
        platform.emulator.clock.advance(30 * DAY - 60)
        assert platform.request("GET", path, headers={}).status_code == 200
        platform.emulator.clock.advance(120)
        assert platform.request("GET", path, headers={}).status_code == 403
        assert platform.request("GET", picture(platform), headers={}).status_code == 200


class TestWebhooks:
    def deliver(self, *quirks):
        """Return (statuses of the requests, status of the webhook) after an endpoint answers 400 to an event."""
        replies, sent = [Reply(200), Reply(400)], []

        def send(url, payload):
            sent.append(replies.pop(0) if replies else Reply(200))
            return sent[-1]

        platform = Platform(start(clock=lambda: NOW, send=send, quirks=quirks))
        body = WEBHOOK | {"context": "file", "context_id": KEY}
        number = platform.request("POST", "/v2/webhooks", json=body).json["id"]
        platform.emulator.deliver_due()
        platform.emulator.publish(KEY)
        platform.emulator.settle(DAY)
        status = platform.request("GET", f"/v2/webhooks/{number}").json["status"]
        return [reply.status for reply in sent], status

    def test_after_a_400_an_event_is_not_sent_again(self):
        assert self.deliver() == ([200, 400], "ACTIVE")

    def test_it_can_pause_the_webhook(self):
        assert self.deliver("webhook-400-pauses") == ([200, 400], "PAUSED")

    def test_a_passcode_is_not_empty(self, platform):
        body = WEBHOOK | {"context": "file", "context_id": KEY, "passcode": ""}
        assert refusal(platform.request("POST", "/v2/webhooks", json=body)) == (400, "passcode is required")

    def test_team_id_alone_is_refused_with_the_name_of_what_replaces_it(self, platform):
        status, message = refusal(platform.request("POST", "/v2/webhooks", json=OF_TEAM))
        assert (status, "context_id" in message) == (400, True)

    def test_team_id_alone_can_be_accepted(self):
        platform = Platform(start(quirks=["webhook-team-id"]))
        created = platform.request("POST", "/v2/webhooks", json=OF_TEAM).json
        assert (created["context"], created["context_id"], created["team_id"]) == ("TEAM", "1", "1")


class TestOauth:
    @pytest.mark.parametrize(
        ("scope", "message"),
        [
            ("current_user:read webhooks:read", "Invalid scopes for app"),
            ("file_read files:read", "Cannot pass in both the file_read and files:read scopes"),
        ],
    )
    def test_refused_scopes_are_json(self, scope, message):
        journey = Journey()
        for answer in (journey.page(scope=scope), journey.decide(scope=scope)):
            assert answer.status_code == 400
            assert answer.json == {"error": True, "status": 400, "message": message, "i18n": None}

    def test_a_code_is_exchanged_and_refreshed_with_the_parameters_in_the_query(self):
        journey = Journey()

        def send(path, **query):
            return journey.platform.request("POST", path, headers=journey.basic(), query_string=query).json

        grant = {"grant_type": "authorization_code", "redirect_uri": CALLBACK, "code": journey.code()}
        issued = send("/v1/oauth/token", **grant)
        refresh = {"refresh_token": issued["refresh_token"]}
        tokens = [issued, send("/v1/oauth/refresh", **refresh)]
        tokens.append(send("/v1/oauth/token", grant_type="refresh_token", **refresh))
        assert len({token["access_token"] for token in tokens}) == 3
        statuses = [journey.me(token["access_token"]).status_code for token in tokens]
        assert statuses == [403, 403, 200]

    @pytest.mark.parametrize("name", ["token", "refresh"])
    def test_a_retired_address_names_the_one_of_today(self, platform, name):
        answer = platform.request("POST", f"/api/oauth/{name}", headers={}, data={})
        assert answer.status_code == 404
        assert f"https://api.figma.com/v1/oauth/{name}" in answer.json["message"]

    @pytest.mark.parametrize("path", ["token", "refresh"])
    def test_errors_of_tokens_have_the_member_i18n(self, platform, path):
        answer = platform.request("POST", f"/v1/oauth/{path}", headers={})
        assert answer.json.keys() == {"status", "error", "message", "i18n"}


class TestFiles:
    def test_a_depth_of_zero_is_a_node_without_its_children(self, platform):
        nodes = platform.request("GET", f"/v1/files/{KEY}/nodes?ids=0:1&depth=0").json["nodes"]
        assert nodes["0:1"]["document"]["children"] == []
        assert platform.request("GET", f"/v1/files/{KEY}/nodes?ids=0:1").json["nodes"]["0:1"]["document"]["children"]

    def test_the_time_of_the_last_change_has_whole_seconds(self, platform):
        assert platform.request("GET", f"/v1/files/{KEY}").json["lastModified"] == "2027-01-15T08:00:00Z"

    def test_a_file_that_is_missing_is_not_found(self, platform):
        answer = platform.request("GET", "/v1/files/Nowhere")
        assert (answer.status_code, answer.json["err"]) == (404, "Not found")

    @pytest.mark.parametrize(("quirks", "older"), [((), "before"), (("versions-reversed",), "after")])
    def test_older_versions_are_those_before_or_after_a_version(self, quirks, older):
        platform = Platform(start(clock=lambda: NOW, quirks=quirks))
        first, second = (platform.emulator.versions.save(KEY, name) for name in ("First", "Second"))
        page = platform.request("GET", f"/v1/files/{KEY}/versions?{older}={second}").json["versions"]
        assert [version["id"] for version in page] == [first]

    def test_json_is_compressed_for_clients_that_accept_gzip(self):
        with running() as platform:
            platform.seed(KEY, response())

            def answer(accepted):
                """Return the headers and the bytes of the body as they are sent."""
                headers = {"X-Figma-Token": platform.token, "Accept-Encoding": accepted}
                path = f"{platform.base_url}/v1/files/{KEY}/variables/local"
                with requests.get(path, headers=headers, stream=True, timeout=30) as received:
                    return received.headers, received.raw.read()

            plain, compressed = answer("identity, gzip;q=0"), answer("gzip, deflate, br")
            assert "Content-Encoding" not in plain[0]
            assert compressed[0]["Content-Encoding"] == "gzip"
            assert len(compressed[1]) < len(plain[1]) / 3
            assert gzip.decompress(compressed[1]) == plain[1]
            assert "Content-Encoding" not in get(platform.base_url, "/v1/me", platform.token).headers


class TestMe:
    def test_each_fault_of_a_token_has_its_own_message(self, platform):
        create = platform.emulator.tokens.create
        expired = create(scopes=("current_user:read",))
        platform.emulator.tokens.set_expiry(expired, 0)
        secrets = ("figd_dead", create(scopes=("file_variables:read",)), expired, create(kind="plan"))
        answers = [platform.request("GET", "/v1/me", headers={"X-Figma-Token": secret}) for secret in secrets]
        assert {answer.status_code for answer in answers} == {403}
        assert [answer.json["err"].partition(":")[0].partition(" with")[0] for answer in answers] == [
            "Invalid token",
            "Invalid scope(s)",
            "Token expired",
            "This endpoint cannot be used",
        ]

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "/v1/me"),
            ("GET", f"/v1/oembed?url={URL}"),
            ("POST", f"/v1/files/{KEY}/comments"),
            ("POST", f"/v1/files/{KEY}/variables"),
            ("POST", "/v1/code_connect"),
        ],
    )
    def test_a_plan_access_token_is_refused_where_the_documentation_says(self, platform, method, path):
        token = platform.emulator.tokens.create(kind="plan", scopes=SCOPES, admin=True, permission="owner")
        assert platform.get(token=token).status_code == 200
        answer = platform.request(method, path, token=token, json={})
        assert answer.status_code == 403
        assert answer.json["message"].startswith(("This endpoint cannot be used with a plan", "Invalid scope(s)"))

    def test_a_missing_token_is_401_or_403_if_that_is_asked_for(self, platform):
        assert platform.request("GET", "/v1/me", headers={}).status_code == 401
        quirky = Platform(start(quirks=["missing-token-403"]))
        assert quirky.request("GET", "/v1/me", headers={}).status_code == 403

    def test_a_path_with_two_slashes_is_another_one(self):
        with running() as platform:
            assert get(platform.base_url, "//v1/me", platform.token).status_code == 404


class TestCodeConnect:
    def send(self, platform, method, body, path="/v1/code_connect"):
        answer = platform.request(method, path, json=body)
        assert answer.status_code == 200, answer.json
        return answer.json["meta"]

    def test_nodes_are_published_and_deleted_one_by_one(self, platform):
        good = {"figmaNode": URL, "label": "React"}
        elsewhere = {"figmaNode": URL.replace("1-2", "9-9"), "label": "React"}
        published = self.send(platform, "POST", [good | {"template": "x"}, elsewhere])
        assert published == {
            "success": False,
            "published_count": 1,
            "failed_count": 1,
            "published_nodes": [good],
            "failed_nodes": [elsewhere | {"reason": "Node not found"}],
        }
        counts = [self.send(platform, "DELETE", {"nodes_to_delete": [good]})["deleted_count"] for _ in range(2)]
        assert counts == [1, 0]

    def test_a_body_that_is_no_list_of_nodes_is_400(self, platform):
        for body in ({}, [1], [{"figmaNode": 1, "label": "React"}]):
            assert platform.request("POST", "/v1/code_connect", json=body).status_code == 400

    def test_its_data_is_the_document_with_components(self, platform):
        answer = platform.request("GET", f"/v1/code_connect/{KEY}/cli_data?ids=1:2")
        assert {"document", "components", "componentSets"} <= set(answer.json)

    def test_similar_names_have_vectors_that_are_near(self, platform):
        path = f"/v1/code_connect/name_embeddings?file_key={KEY}"
        button, buttons, slider = self.send(platform, "POST", ["Button", "Buttons", "Slider"], path)["embeddings"]

        def product(one, other):
            return sum(first * second for first, second in zip(one, other, strict=True))

        assert product(button, buttons) > product(button, slider)


def test_a_newer_member_of_a_change_is_accepted_and_listed():
    with running() as platform:
        platform.seed(KEY, response())
        change = {"action": "UPDATE", "id": GAP, "description": "d", "ofTomorrow": 1}
        path = f"/v1/files/{KEY}/variables"
        answer = post_variables(platform, path, {"variables": [change], "later": []})
        assert answer.status_code == 200
        (entry,) = journal(platform.base_url, unknown=1)
        assert entry["unknown"] == ["member /variables/0/ofTomorrow", "member /later"]


def post_variables(platform, path, body):
    import requests

    return requests.post(platform.base_url + path, json=body, headers={"X-Figma-Token": platform.token}, timeout=30)


def test_a_space_has_quirks_of_its_own_and_an_unknown_one_is_named():
    with running() as platform:
        quirky = post(platform.base_url, "spaces", {"quirks": ["missing-token-403"]})
        assert get(quirky["base_url"], "/v1/me").status_code == 403
        assert get(platform.base_url, "/v1/me").status_code == 401
        message = post(platform.base_url, "spaces", {"quirks": ["nonsense"]}, 400)["message"]
        assert all(name in message for name in ("nonsense", *QUIRKS))
    with pytest.raises(UsageError, match="nonsense"):
        start(quirks=["nonsense"])
