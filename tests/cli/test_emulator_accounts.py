"""``emulator apps`` and ``emulator tokens``, verified by an emulator with the same state."""

import json
import urllib.error
import urllib.request

import pytest
from cli.test_emulator import served
from commands.projects import tokensync

STATE = ("--state", "state.sqlite")
CALLBACK = "http://127.0.0.1:7000/callback"


def emulator(*arguments, code=0):
    return tokensync("emulator", *arguments, *STATE, code=code)


def created(*arguments):
    return json.loads(emulator("apps", "create", "Harbor", "--json", *arguments).output)


def listed(what):
    return json.loads(emulator(what, "list", "--json").output)


class TestApps:
    def test_a_private_app_from_draft_to_published(self, folder):
        draft = created("--redirect-url", CALLBACK, "--scope", "current_user:read")
        (app,) = listed("apps")
        assert (app["client_id"], app["state"], app["redirect_urls"]) == (draft["client_id"], "draft", [CALLBACK])
        assert emulator("apps", "publish", draft["client_id"]).output == "private\n"
        assert listed("apps")[0]["state"] == "private"

    def test_a_public_app_through_its_reviews(self, folder):
        app = created("--visibility", "public")["client_id"]
        assert (
            "incomplete; configure redirect_urls, scopes, review_pages"
            in emulator("apps", "submit", app, code=2).stderr
        )
        settings = ("--redirect-url", CALLBACK, "--scope", "current_user:read", "--review-pages")
        assert emulator("apps", "configure", app, *settings).output == "draft\n"
        assert emulator("apps", "submit", app).output == "under review\n"
        assert emulator("apps", "approve", app).output == "public\n"
        assert emulator("apps", "configure", app, "--name", "Pier").output == "re-review\n"

    def test_the_secret_is_shown_once(self, folder):
        app = created()
        assert len(app["client_secret"]) == 40
        for arguments in (["apps", "list"], ["apps", "list", "--json"], ["apps", "configure", app["client_id"]]):
            done = emulator(*arguments)
            assert app["client_secret"] not in done.output + done.stderr

    def test_an_unknown_app_is_a_usage_error(self, folder):
        for verb in ("publish", "submit", "approve", "configure"):
            assert "no such app" in emulator("apps", verb, "none", code=2).stderr

    def test_a_state_is_required_without_a_project(self, folder):
        assert "tokensync.toml" in tokensync("emulator", "apps", "list", code=2).stderr


class TestTokens:
    def test_a_token_of_each_kind_with_scopes_and_expiry(self, folder):
        for kind in ("personal", "oauth", "plan"):
            secret = emulator("tokens", "create", "--kind", kind, "--scope", "files:read", "--expires-in-days", "5")
            (token,) = (each for each in listed("tokens") if each["token"] == secret.output.strip())
            assert (token["kind"], token["scopes"]) == (kind, ["files:read"])
        assert "91 days is more than the 90" in emulator("tokens", "create", "--expires-in-days", "91", code=2).stderr

    def test_a_legacy_token_has_no_scopes(self, folder):
        token = json.loads(emulator("tokens", "create", "--legacy", "--json").output)
        assert token["scopes"] is None
        emulator("tokens", "create", "--legacy", "--scope", "files:read", code=2)

    def test_responses_of_a_served_emulator_follow_each_change(self, folder):
        secret = emulator("tokens", "create", "--scope", "current_user:read").output.strip()

        def ask():
            request = urllib.request.Request(f"{server['base_url']}/v1/me", headers={"X-Figma-Token": secret})
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return answer.status
            except urllib.error.HTTPError as error:
                with error:
                    return json.load(error)["message"]

        with served(*STATE) as (_, server):
            assert ask() == 200
            emulator("tokens", "change", secret, "--expires-in-days", "0")
            assert ask() == "Token expired"
            emulator("tokens", "change", secret, "--expires-in-days", "1", "--scope", "files:read", "--admin")
            assert ask() == 200
            emulator("tokens", "change", secret, "--scope", "webhooks:read")
            assert "This endpoint requires the current_user:read scope" in ask()
            emulator("tokens", "revoke", secret)
            assert ask() == "Invalid token"

    @pytest.mark.parametrize(
        "arguments",
        [
            ["revoke", "none"],
            ["change", "none"],
            ["change", "none", "--file", "Harbor"],
            ["create", "--account", "captain"],
            ["create", "--permission", "captain"],
            ["create", "--user", "77"],
        ],
    )
    def test_unknown_names_are_usage_errors(self, folder, arguments):
        emulator("tokens", *arguments, code=2)

    def test_a_permission_may_be_on_one_file(self, folder):
        secret = emulator("tokens", "create", "--permission", "none").output.strip()
        emulator("tokens", "change", secret, "--permission", "viewer", "--file", "Harbor")
        emulator("tokens", "change", secret, "--permission", "captain", "--file", "Harbor", code=2)
