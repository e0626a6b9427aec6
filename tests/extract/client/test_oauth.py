"""OAuth through the client: authorization URLs, codes, refreshes, and one renewal of a token."""

import re
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from emulator.conftest import _close_emulators  # noqa: F401 - an autouse fixture
from emulator.oauth_apps import CALLBACK, SCOPES, Journey
from extract.client.answering import LOCAL, SECRET, SUCCESS

from tokensync.extract.client import Client, Credential
from tokensync.extract.client.authorization import begin
from tokensync.extract.client.endpoints import ENDPOINTS
from tokensync.system.errors import AccessError, NotFoundError, RequestError, ServerError, UsageError

REFUSED = {"status": 403, "error": True, "message": "Token expired"}


@pytest.fixture
def journey():
    return Journey()


@pytest.fixture
def authorization(journey):
    return begin(journey.client_id, CALLBACK, SCOPES)


def app_client(journey, **more):
    return Client("emulator:", Credential("oauth", journey.client_secret), wsgi=journey.emulator, **more)


def allowed(journey, authorization):
    """Return the code for a login, as the browser's form receives it."""
    parameters = dict(parse_qsl(urlsplit(authorization.address("figma")).query))
    return journey.code(**parameters)


class TestAuthorization:
    def test_state_and_verifier_are_new_each_time_and_long(self):
        drawn = [begin("id", CALLBACK, SCOPES) for _ in range(20)]
        for texts in ({each.state for each in drawn}, {each.verifier for each in drawn}):
            assert len(texts) == 20
            assert all(re.fullmatch(r"[A-Za-z0-9_-]{43,128}", each) for each in texts)

    def test_the_address_has_all_that_the_platform_asks_for_and_not_the_verifier(self, authorization):
        address = authorization.address("figma")
        assert address.startswith("https://www.figma.com/oauth?")
        assert parse_qs(urlsplit(address).query) == {
            "client_id": [authorization.client_id],
            "redirect_uri": [CALLBACK],
            "scope": [" ".join(SCOPES)],
            "state": [authorization.state],
            "response_type": ["code"],
            "code_challenge": [authorization.challenge],
            "code_challenge_method": ["S256"],
        }
        assert authorization.verifier not in address

    @pytest.mark.parametrize(
        ("base_url", "page"),
        [
            ("figma-gov", "https://www.figma-gov.com/oauth"),
            ("https://api.figma.com/", "https://www.figma.com/oauth"),
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000/oauth"),
            ("http://127.0.0.1:8000/gov", "http://127.0.0.1:8000/gov/oauth"),
        ],
    )
    def test_the_page_is_on_the_platforms_web_site_or_beside_its_api(self, authorization, base_url, page):
        assert authorization.address(base_url).partition("?")[0] == page

    def test_an_emulator_without_an_address_has_no_page(self, authorization):
        with pytest.raises(UsageError, match="serve it and give its address"):
            authorization.address("emulator:")

    def test_only_its_own_state_is_expected(self, authorization):
        assert authorization.expects(authorization.state)
        for other in ("", "x", authorization.state + "x", "ä", "\udcff", authorization.verifier):
            assert not authorization.expects(other)

    def test_it_does_not_show_its_secrets(self, authorization):
        assert authorization.state not in repr(authorization)
        assert authorization.verifier not in repr(authorization)


class TestExchange:
    def test_a_code_becomes_tokens_of_the_user(self, journey, authorization):
        code = allowed(journey, authorization)
        with app_client(journey) as client:
            grant = client.oauth.exchange(authorization, code, journey.client_secret)
        assert (grant.user_id_string, grant.expires_in) == (journey.user, 90 * 86400)
        assert journey.me(grant.access_token).status_code == 200
        assert grant.access_token not in repr(grant) and grant.refresh_token not in repr(grant)

    def test_another_verifier_an_old_code_and_a_used_code_are_reported(self, journey, authorization):
        code = allowed(journey, authorization)
        with app_client(journey) as client:
            other = authorization._replace(verifier="w" * 43)
            with pytest.raises(RequestError, match=r'"Invalid code_verifier".*; log in again'):
                client.oauth.exchange(other, code, journey.client_secret)
            client.oauth.exchange(authorization, code, journey.client_secret)
            with pytest.raises(RequestError, match=r'valid once and for 30 seconds .*"Code was used already"'):
                client.oauth.exchange(authorization, code, journey.client_secret)
            late = allowed(journey, authorization)
            journey.now += 30
            with pytest.raises(RequestError, match='"Code expired"'):
                client.oauth.exchange(authorization, late, journey.client_secret)

    def test_a_wrong_secret_is_reported_and_not_shown(self, journey, authorization):
        with app_client(journey) as client, pytest.raises(AccessError) as caught:
            client.oauth.exchange(authorization, allowed(journey, authorization), "guess-guess")
        assert "did not accept the client id and the client secret" in str(caught.value)
        assert "guess-guess" not in str(caught.value)

    def test_the_token_endpoints_get_the_app_and_no_access_token(self, platform):
        body = {"access_token": "a", "token_type": "bearer", "expires_in": 1}
        platform.post("https://api.figma.com/v1/oauth/token", json=body)
        with Client("figma", Credential("personal", SECRET)) as client:
            client.oauth.refresh("id", "secret", "refresh me")
        (call,) = platform.calls
        assert call.request.headers["Authorization"] == "Basic aWQ6c2VjcmV0"
        assert "X-Figma-Token" not in call.request.headers
        assert call.request.headers["Content-Type"] == "application/x-www-form-urlencoded"
        assert parse_qs(call.request.body.decode()) == {
            "grant_type": ["refresh_token"],
            "refresh_token": ["refresh me"],
        }

    def test_secrets_that_a_server_repeats_are_hidden(self, platform):
        body = {"status": 400, "error": True, "message": "no code c0de-c0de for s3cr3t-s3cr3t"}
        platform.post("https://api.figma.com/v1/oauth/token", json=body, status=400)
        credential = Credential("oauth", "s3cr3t-s3cr3t", others=("c0de-c0de",))
        with Client("figma", credential) as client, pytest.raises(RequestError) as caught:
            client.oauth.exchange(begin("id", CALLBACK, SCOPES), "c0de-c0de", "s3cr3t-s3cr3t")
        assert "no code [hidden] for [hidden]" in str(caught.value)

    def test_an_app_s_id_and_secret_are_sent_as_utf_8(self, platform):
        platform.post("https://api.figma.com/v1/oauth/token", json={"access_token": "a", "expires_in": 5})
        with Client("figma", Credential("oauth", SECRET)) as client:
            client.oauth.refresh("\N{GREEK SMALL LETTER ALPHA}", "\N{ZERO WIDTH SPACE}", "r")
        (call,) = platform.calls
        assert call.request.headers["Authorization"] == "Basic zrE64oCL"

    @pytest.mark.parametrize("repeated", ["Basic aWQ6czNjcjN0LXMzY3IzdA==", "c0/de", "code=c0%2Fde", "v3rifier"])
    def test_other_secrets_of_a_request_are_hidden_as_well(self, platform, repeated):
        platform.post("https://api.figma.com/v1/oauth/token", json={"err": f"refused: {repeated} !"}, status=400)
        login = begin("id", CALLBACK, SCOPES)._replace(verifier="v3rifier")
        with Client("figma", Credential("oauth", SECRET)) as client, pytest.raises(RequestError) as caught:
            client.oauth.exchange(login, "c0/de", "s3cr3t-s3cr3t")
        assert re.search(r"refused: (Basic |code=)?\[hidden\] !", str(caught.value))

    def test_an_answer_without_a_token_is_reported(self, platform):
        platform.post("https://api.figma.com/v1/oauth/token", json={"token_type": "bearer"})
        with Client("figma", Credential("oauth", SECRET)) as client, pytest.raises(ServerError, match="access_token"):
            client.oauth.refresh("id", "secret", "r")

    def test_where_the_newer_path_does_not_refresh_the_older_one_is_asked(self, platform):
        platform.post("https://api.figma.com/v1/oauth/token", json={"err": "grant_type"}, status=400)
        platform.post("https://api.figma.com/v1/oauth/refresh", json={"access_token": "a", "expires_in": 5})
        with Client("figma", Credential("oauth", SECRET)) as client:
            assert client.oauth.refresh("id", "secret", "r").expires_in == 5
        assert parse_qs(platform.calls[1].request.body.decode()) == {"refresh_token": ["r"]}

    def test_a_platform_without_the_endpoints_is_reported(self, platform):
        for path in ("token", "refresh"):
            platform.post(f"https://api.figma.com/v1/oauth/{path}", json={"err": "Not found"}, status=404)
        with (
            Client("figma", Credential("oauth", SECRET)) as client,
            pytest.raises(NotFoundError, match="check base_url"),
        ):
            client.oauth.refresh("id", "secret", "r")

    @pytest.mark.parametrize(
        "odd",
        [{"access_token": token} for token in ("", "a b", "a\n", "a\r\nX-Evil: 1", "é", None, 5, ["a"])]
        + [{"expires_in": seconds} for seconds in (-1, 10**11, 10**400, 0.5, "90", None)],
        ids=str,
    )
    def test_an_invalid_token_or_expiry_is_a_server_error(self, platform, odd):
        platform.post("https://api.figma.com/v1/oauth/token", json={"access_token": "new", "expires_in": 90} | odd)
        with (
            Client("figma", Credential("oauth", SECRET)) as client,
            pytest.raises(ServerError, match="the response differs from the documented one"),
        ):
            client.oauth.refresh("id", "secret", "r")

    def test_the_page_for_people_is_not_asked_from_here(self):
        (page,) = (each for each in ENDPOINTS if each.name == "oauth authorize")
        values = {each.name: "x" for each in page.parameters}
        with pytest.raises(UsageError, match="use tokensync auth login"):
            page.request(values)


class TestRenewal:
    def renewing(self, platform, *fresh):
        answers = iter(fresh)
        requests = []

        def renew(refused):
            requests.append(refused.secret)
            return next(answers, None)

        return requests, Client("figma", Credential("oauth", "old-token"), renew=renew)

    @pytest.mark.parametrize(("status", "message"), [(401, "whatever"), (403, "Token expired"), (403, "Invalid token")])
    def test_a_refused_token_is_replaced_once_and_the_request_sent_again(self, platform, status, message):
        platform.get(LOCAL, json={"status": status, "err": message}, status=status)
        platform.get(LOCAL, body=SUCCESS)
        platform.get(LOCAL, body=SUCCESS)
        requests, client = self.renewing(platform, Credential("oauth", "new-token"))
        client.variables.local("KEY")
        client.variables.local("KEY")
        assert requests == ["old-token"]
        sent = [call.request.headers["Authorization"] for call in platform.calls]
        assert sent == ["Bearer old-token", "Bearer new-token", "Bearer new-token"]

    def test_a_batch_of_variables_is_not_sent_again_but_the_token_is_replaced(self, platform):
        url = LOCAL.removesuffix("/local")
        platform.post(url, json=REFUSED, status=403)
        platform.post(url, body=SUCCESS)
        _, client = self.renewing(platform, Credential("oauth", "new-token"))
        with pytest.raises(AccessError) as caught:
            client.variables.post("KEY", b'{"variables": []}')
        assert (caught.value.token_renewed, len(platform.calls)) == (True, 1)
        client.variables.post("KEY", b'{"variables": []}')
        assert platform.calls[1].request.headers["Authorization"] == "Bearer new-token"

    def test_a_second_token_that_is_refused_is_not_replaced_again(self, platform):
        platform.get(LOCAL, json=REFUSED, status=403)
        fresh = [Credential("oauth", f"new-{number}") for number in range(5)]
        requests, client = self.renewing(platform, *fresh)
        with pytest.raises(AccessError, match="expired"):
            client.variables.local("KEY")
        assert (len(requests), len(platform.calls)) == (1, 2)

    @pytest.mark.parametrize(
        "message",
        [
            "Invalid scope(s): a:b. This endpoint requires the file_variables:read scope",
            "This endpoint cannot be used with an OAuth token",
            "Limited by Figma plan",
        ],
    )
    def test_another_refusal_is_not_the_tokens_fault(self, platform, message):
        platform.get(LOCAL, json={"status": 403, "err": message}, status=403)
        requests, client = self.renewing(platform, Credential("oauth", "new-token"))
        with pytest.raises(AccessError):
            client.variables.local("KEY")
        assert requests == []

    def test_without_another_token_the_refusal_is_reported(self, platform):
        platform.get(LOCAL, json=REFUSED, status=403)
        requests, client = self.renewing(platform)
        with pytest.raises(AccessError, match="expired"):
            client.variables.local("KEY")
        assert requests == ["old-token"]

    def test_a_stored_login_is_reported_to_log_in_again(self, platform):
        platform.get(LOCAL, json=REFUSED, status=403)
        client = Client("figma", Credential("oauth", SECRET, "the stored login"))
        with pytest.raises(AccessError, match="log in again with tokensync auth login"):
            client.variables.local("KEY")
