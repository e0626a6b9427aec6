"""The authorization page, codes, and the tokens that they become(Figma REST API: Authentication)."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from emulator.oauth_apps import CALLBACK, CHALLENGE, ORIGIN, SCOPES, VERIFIER, Journey
from emulator.platform import NOW, Platform, start

DAY = 86400


@pytest.fixture
def journey():
    return Journey()


def status_and_message(answer):
    assert answer.json["error"] is True
    assert answer.json["status"] == answer.status_code
    return answer.status_code, answer.json["message"]


class TestPage:
    def test_it_names_the_app_its_scopes_and_the_users_and_has_two_buttons(self, journey):
        page = journey.page()
        assert page.status_code == 200
        assert page.content_type == "text/html; charset=utf-8"
        for text in ("Harbor asks for access", *SCOPES, "ann (full)", "owner (full, admin)", ">Allow<", ">Reject<"):
            assert text in page.text
        assert "<script" not in page.text

    def test_the_page_cannot_be_framed_and_runs_no_scripts(self, journey):
        headers = journey.page().headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script" not in policy and "unsafe" not in policy
        assert "form-action 'self' http://127.0.0.1:7000;" in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["Cache-Control"] == "no-store"

    def test_the_name_of_an_app_is_escaped(self):
        journey = Journey()
        journey.apps.configure(journey.client_id, name="<b onclick='x'>\"", description="<script>alert(1)</script>")
        page = journey.page(state='"><script>alert(2)</script>').text
        assert "<b " not in page and "<script" not in page
        assert "&lt;b onclick=" in page

    @pytest.mark.parametrize(
        ("changes", "what"),
        [
            ({"client_id": "nobody's"}, "Invalid client_id"),
            ({"client_id": None}, "Invalid client_id"),
            ({"redirect_uri": "https://elsewhere.example/"}, "not a registered redirect URL"),
            ({"redirect_uri": CALLBACK + "/"}, "not a registered redirect URL"),
            ({"redirect_uri": None}, "not a registered redirect URL"),
            ({"response_type": "token"}, "response_type must be code"),
            ({"response_type": None}, "response_type must be code"),
            ({"state": None}, "state is required"),
            ({"state": ""}, "state is required"),
            ({"scope": None}, "scope is required"),
            ({"scope": " , "}, "scope is required"),
            ({"code_challenge": CHALLENGE, "code_challenge_method": "plain"}, "code_challenge_method must be S256"),
            ({"code_challenge": "short"}, "code_challenge must be a SHA-256"),
        ],
    )
    def test_a_request_that_is_not_as_it_should_be_gets_a_page_that_leads_nowhere(self, journey, changes, what):
        for answer in (journey.page(**changes), journey.decide(**changes)):
            assert answer.status_code == 400
            assert what in answer.text
            assert "Location" not in answer.headers
            assert "<form" not in answer.text

    def test_scopes_are_separated_by_spaces_or_commas_and_may_be_fewer_than_the_apps(self, journey):
        for text in (" ".join(SCOPES), ",".join(SCOPES), ", ".join(SCOPES), SCOPES[0]):
            assert journey.page(scope=text).status_code == 200

    def test_the_government_deployment_has_the_same_paths(self, journey):
        assert journey.page("/gov").status_code == 200
        code = journey.code()
        answer = journey.send("/gov/v1/oauth/token", grant_type="authorization_code", redirect_uri=CALLBACK, code=code)
        assert answer.status_code == 200
        token = answer.json["access_token"]
        assert journey.platform.request("GET", "/gov/v1/me", headers={"Authorization": f"Bearer {token}"}).json["id"]
        assert journey.platform.request("GET", "/government/v1/me", headers={}).status_code == 404


class TestDecision:
    def test_allowing_calls_back_with_code_and_the_unchanged_state(self, journey):
        answer = journey.decide(state="ä & =?")
        assert answer.status_code == 303
        address = urlsplit(answer.headers["Location"])
        assert answer.headers["Location"].startswith(CALLBACK + "?")
        assert set(parse_qs(address.query)) == {"code", "state"}
        assert parse_qs(address.query)["state"] == ["ä & =?"]

    def test_a_redirect_url_keeps_its_own_query(self):
        url = "https://harbor.example/callback?tenant=7"
        journey = Journey(redirect_urls=[url])
        location = journey.decide(redirect_uri=url).headers["Location"]
        assert set(parse_qs(urlsplit(location).query)) == {"tenant", "code", "state"}

    def test_rejecting_sends_no_callback(self, journey):
        answer = journey.decide("reject")
        assert answer.status_code == 200
        assert "Rejected" in answer.text
        assert "Location" not in answer.headers

    @pytest.mark.parametrize(
        "headers",
        [
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": "http://emulator.invalid"},
            {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ],
    )
    def test_another_sites_form_is_refused(self, journey, headers):
        answer = journey.decide(headers=headers)
        assert (answer.status_code, "Location" in answer.headers) == (403, False)

    def test_a_decision_and_a_user_have_to_be_there(self, journey):
        assert journey.decide("perhaps").status_code == 400
        assert journey.decide(user="nobody").status_code == 400


class TestCode:
    def test_it_becomes_an_access_token_and_a_refresh_token_of_the_user(self, journey):
        answer = journey.exchange()
        body = answer.json
        assert set(body) == {"user_id_string", "user_id", "access_token", "token_type", "expires_in", "refresh_token"}
        assert body["user_id_string"] == journey.user == str(body["user_id"])
        assert (body["token_type"], body["expires_in"]) == ("bearer", 90 * DAY)
        assert answer.headers["Cache-Control"] == "no-store"
        assert journey.me(body["access_token"]).json["handle"] == "ann"

    def test_its_token_has_exactly_the_requested_scopes(self, journey):
        token = journey.exchange(journey.code(scope="current_user:read")).json["access_token"]
        assert journey.emulator.tokens.of(token).scopes == ("current_user:read",)
        answer = journey.platform.get(headers={"Authorization": f"Bearer {token}"})
        assert answer.json["message"].endswith("This endpoint requires the file_variables:read scope")

    def test_it_lives_for_30_seconds(self, journey):
        first, second = journey.code(), journey.code()
        journey.now += 29.9
        assert journey.exchange(first).status_code == 200
        journey.now += 0.1
        assert status_and_message(journey.exchange(second)) == (400, "Code expired")

    def test_it_is_good_for_one_exchange(self, journey):
        code = journey.code()
        assert journey.exchange(code).status_code == 200
        assert status_and_message(journey.exchange(code)) == (400, "Code was used already")

    def test_a_refused_exchange_does_not_use_it_up(self, journey):
        code = journey.code()
        assert status_and_message(journey.exchange(code, redirect_uri="https://x.example")) == (
            400,
            "redirect_uri is not the one of the authorization",
        )
        assert journey.exchange(code).status_code == 200

    def test_it_belongs_to_one_app(self, journey):
        code = journey.code()
        journey.client_id, journey.client_secret = journey.apps.create("Other")
        assert status_and_message(journey.exchange(code)) == (400, "Invalid code")

    def test_its_redirect_url_has_to_be_registered_still(self, journey):
        code = journey.code()
        journey.apps.configure(journey.client_id, redirect_urls=["https://harbor.example/"])
        assert status_and_message(journey.exchange(code)) == (
            400,
            "redirect_uri is not a registered redirect URL of the app",
        )

    @pytest.mark.parametrize(
        ("form", "message"),
        [
            ({"code": "none"}, "Invalid code"),
            ({"code": ""}, "code is required"),
            ({"redirect_uri": None}, "redirect_uri is required"),
            ({"grant_type": None}, "grant_type is required"),
            ({"grant_type": "password"}, "grant_type must be authorization_code or refresh_token"),
            ({"code": "\0ä"}, "Invalid code"),
        ],
    )
    def test_a_form_that_is_not_as_it_should_be_is_400(self, journey, form, message):
        assert status_and_message(journey.exchange(**form)) == (400, message)


class TestVerifier:
    def test_the_one_that_the_challenge_was_made_from_is_needed(self, journey):
        code = journey.code(code_challenge=CHALLENGE, code_challenge_method="S256")
        assert status_and_message(journey.exchange(code)) == (400, "code_verifier is required")
        for wrong in ("w" * 43, CHALLENGE, "ä" * 43, VERIFIER + "v"):
            assert status_and_message(journey.exchange(code, code_verifier=wrong)) == (400, "Invalid code_verifier")
        assert journey.exchange(code, code_verifier=VERIFIER).status_code == 200

    def test_the_method_may_go_without_saying(self, journey):
        assert journey.exchange(journey.code(code_challenge=CHALLENGE), code_verifier=VERIFIER).status_code == 200

    def test_a_verifier_without_a_challenge_is_refused_as_a_downgrade(self, journey):
        assert status_and_message(journey.exchange(code_verifier=VERIFIER))[0] == 400


class TestAppsCredentials:
    def test_client_credentials_are_required_and_compared(self, journey):
        code = journey.code()
        required = "Basic authorization with client id and client secret is required"
        assert status_and_message(journey.exchange(code, headers={})) == (401, required)
        assert status_and_message(journey.exchange(code, headers={"Authorization": "Bearer x"})) == (401, required)
        wrong = "Invalid client id or client secret"
        for headers in (journey.basic("guess"), journey.basic(""), {"Authorization": "Basic ?"}):
            answer = journey.exchange(code, headers=headers)
            assert status_and_message(answer) == (401, wrong)
            assert answer.headers["WWW-Authenticate"].startswith("Basic ")
        assert journey.exchange(code).status_code == 200

    def test_the_secret_is_not_in_the_state(self, tmp_path):
        path = tmp_path / "state.sqlite"
        emulator = start(str(path))
        app = emulator.apps.create("Harbor")
        emulator.close()
        stored = b"".join(each.read_bytes() for each in tmp_path.iterdir())
        assert app.client_id.encode() in stored
        assert app.client_secret.encode() not in stored

    def test_the_body_is_a_form(self, journey):
        form = {"grant_type": "refresh_token", "refresh_token": "x"}
        request = journey.platform.request
        answer = request(
            "POST", "/v1/oauth/token", headers=journey.basic(), data=json.dumps(form), content_type="application/json"
        )
        assert status_and_message(answer) == (400, "Content-Type must be application/x-www-form-urlencoded")
        for data, message in (
            (b"\xff", "Request body must be a URL-encoded form"),
            (b"grant_type=%ff", "Request body must be a URL-encoded form"),
            (b"&".join([b"a=1"] * 200), "Request body must be a URL-encoded form"),
            (b"grant_type=refresh_token&grant_type=x", "grant_type is given more than once"),
        ):
            answer = request(
                "POST",
                "/v1/oauth/token",
                headers=journey.basic(),
                data=data,
                content_type="application/x-www-form-urlencoded",
            )
            assert status_and_message(answer) == (400, message)


class TestRefresh:
    @pytest.mark.parametrize(
        ("path", "form"), [("/v1/oauth/token", {"grant_type": "refresh_token"}), ("/v1/oauth/refresh", {})]
    )
    def test_it_gives_a_new_token_any_number_of_times_and_voids_the_one_before(self, journey, path, form):
        first = journey.exchange().json
        tokens = [first["access_token"]]
        for _ in range(3):
            answer = journey.send(path, refresh_token=first["refresh_token"], **form)
            assert set(answer.json) == {"access_token", "token_type", "expires_in"}
            assert ("Deprecation" in answer.headers) is (path == "/v1/oauth/refresh")
            assert status_and_message(journey.me(tokens[-1])) == (403, "Invalid token")
            tokens.append(answer.json["access_token"])
            assert journey.me(tokens[-1]).status_code == 200
        assert len(set(tokens)) == 4

    def test_the_deprecated_path_names_its_replacement(self, journey):
        answer = journey.send("/v1/oauth/refresh", refresh_token=journey.exchange().json["refresh_token"])
        assert answer.headers["Link"] == '</v1/oauth/token>; rel="successor-version"'

    def test_it_keeps_the_scopes_and_starts_90_days_anew(self, journey):
        first = journey.exchange(journey.code(scope="current_user:read")).json
        journey.now += 90 * DAY
        assert status_and_message(journey.me(first["access_token"])) == (403, "Token expired")
        again = journey.send("/v1/oauth/refresh", refresh_token=first["refresh_token"]).json["access_token"]
        token = journey.emulator.tokens.of(again)
        assert (token.scopes, token.expires) == (("current_user:read",), NOW + 180 * DAY)

    def test_a_missing_refresh_token_or_one_of_another_app_is_refused(self, journey):
        token = journey.exchange().json["refresh_token"]
        assert status_and_message(journey.send("/v1/oauth/refresh", refresh_token="")) == (
            400,
            "refresh_token is required",
        )
        assert status_and_message(journey.send("/v1/oauth/refresh", refresh_token="none")) == (
            400,
            "Invalid refresh token",
        )
        journey.client_id, journey.client_secret = journey.apps.create("Other")
        assert status_and_message(journey.send("/v1/oauth/refresh", refresh_token=token)) == (
            400,
            "Invalid refresh token",
        )

    def test_another_exchange_voids_the_tokens_of_this_app_and_user_and_of_no_other(self, journey):
        ben = journey.emulator.people.create("ben")
        first, of_ben = journey.exchange().json, journey.exchange(journey.code(user=ben)).json
        second = journey.exchange().json
        assert journey.me(first["access_token"]).status_code == 403
        assert journey.send("/v1/oauth/refresh", refresh_token=first["refresh_token"]).status_code == 400
        assert journey.me(second["access_token"]).json["handle"] == "ann"
        assert journey.me(of_ben["access_token"]).json["handle"] == "ben"


def test_a_platform_without_apps_authorizes_no_one():
    platform = Platform()
    assert platform.request("GET", "/oauth", headers={}).status_code == 400
