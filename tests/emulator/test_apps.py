"""OAuth apps: their settings and review states."""

import pytest
from emulator.oauth_apps import CALLBACK, SCOPES, Journey

from tokensync.system.errors import UsageError


@pytest.fixture
def journey():
    return Journey(publish=False)


def allowed(journey, user=None, **changes):
    return journey.decide(user=user, **changes).status_code == 303


class TestStates:
    def test_an_app_begins_as_a_private_draft(self, journey):
        app = journey.apps.of(journey.client_id)
        assert (app.state, app.visibility, app.team) == ("draft", "private", None)
        assert journey.apps.all() == (app,)

    def test_a_draft_works_only_for_its_creator_and_admins(self):
        journey = Journey(publish=False)
        admin = journey.emulator.people.create("admin", admin=True)
        other = journey.emulator.people.create("ben")
        journey.client_id, _ = journey.apps.create("Own", creator=journey.user, redirect_urls=[CALLBACK], scopes=SCOPES)
        assert allowed(journey) and allowed(journey, admin)
        answer = journey.decide(user=other)
        assert answer.status_code == 403
        assert "The app is draft: it does not work for this user" in answer.text

    def test_a_private_app_is_published_without_review_for_its_organization(self, journey):
        assert journey.apps.publish(journey.client_id) == "private"
        guest = journey.emulator.people.create("guest", account="guest")
        assert allowed(journey)
        assert not allowed(journey, guest)

    def test_a_teams_private_app_is_for_the_team(self):
        journey = Journey(publish=False)
        team = journey.emulator.places.create_team("Sails")
        journey.client_id, _ = journey.apps.create("Own", team=team, redirect_urls=[CALLBACK], scopes=SCOPES)
        journey.apps.publish(journey.client_id)
        assert allowed(journey)
        journey.emulator.sharing.set_team_role(team, journey.user, None)
        assert not allowed(journey)

    def test_an_approved_public_app_works_for_everyone(self):
        journey = Journey(publish=False, visibility="public")
        guest = journey.emulator.people.create("guest", account="guest")
        with pytest.raises(UsageError, match="incomplete; configure review_pages first"):
            journey.apps.submit(journey.client_id)
        journey.apps.configure(journey.client_id, review_pages=True)
        assert journey.apps.submit(journey.client_id) == "under review"
        assert not allowed(journey) and not allowed(journey, guest)
        assert journey.apps.approve(journey.client_id) == "public"
        assert allowed(journey) and allowed(journey, guest)

    def test_a_change_of_a_published_public_app_needs_approval_again(self):
        journey = Journey(publish=False, visibility="public")
        journey.apps.configure(journey.client_id, review_pages=True)
        journey.apps.submit(journey.client_id)
        journey.apps.approve(journey.client_id)
        assert journey.apps.configure(journey.client_id, name="Harbor") == "public"
        assert journey.apps.configure(journey.client_id, name="Pier") == "re-review"
        assert not allowed(journey)
        assert journey.apps.approve(journey.client_id) == "public"
        assert allowed(journey)

    def test_a_private_app_is_changed_without_a_review_unless_it_becomes_public(self, journey):
        journey.apps.publish(journey.client_id)
        assert journey.apps.configure(journey.client_id, name="Pier") == "private"
        assert journey.apps.configure(journey.client_id, visibility="public") == "draft"

    @pytest.mark.parametrize(
        ("visibility", "method"), [("private", "submit"), ("private", "approve"), ("public", "publish")]
    )
    def test_there_are_no_other_ways_between_states(self, visibility, method):
        journey = Journey(publish=False, visibility=visibility)
        journey.apps.configure(journey.client_id, review_pages=True)
        with pytest.raises(UsageError, match=f"a {visibility} app in state .draft. cannot become"):
            getattr(journey.apps, method)(journey.client_id)
        assert journey.apps.of(journey.client_id).state == "draft"

    def test_an_incomplete_configuration_is_stored_and_cannot_be_published(self, journey):
        app = journey.apps.create("Unfinished")
        with pytest.raises(UsageError, match="incomplete; configure redirect_urls, scopes first"):
            journey.apps.publish(app.client_id)
        journey.apps.configure(app.client_id, redirect_urls=[CALLBACK])
        assert journey.apps.of(app.client_id).redirect_urls == (CALLBACK,)

    def test_scopes_must_be_selected_before_the_app_is_used(self, journey):
        journey.client_id, _ = journey.apps.create("Unfinished", redirect_urls=[CALLBACK])
        assert "The app has no scopes" in journey.page().text


class TestScopes:
    def test_organization_scopes_are_given_by_admins_of_enterprise_organizations(self):
        journey = Journey(scopes=("org:discovery_read",))
        admin = journey.emulator.people.create("admin", admin=True)
        refused = journey.decide(scope="org:discovery_read")
        assert refused.status_code == 403
        assert "Only organization admins of Enterprise organizations" in refused.text
        assert allowed(journey, admin, scope="org:discovery_read")

    def test_an_admin_of_a_smaller_plan_cannot_give_them(self):
        journey = Journey(publish=False)
        team = journey.emulator.places.create_team("Sails", plan="professional")
        admin = journey.emulator.people.create("admin", admin=True)
        scopes = ("org:discovery_read",)
        journey.client_id, _ = journey.apps.create("Own", team=team, redirect_urls=[CALLBACK], scopes=scopes)
        assert not allowed(journey, admin, scope=scopes[0])

    def test_the_legacy_scope_gives_a_token_without_scopes(self):
        journey = Journey(scopes=("file_read",))
        token = journey.exchange(journey.code(scope="file_read")).json["access_token"]
        assert journey.emulator.tokens.of(token).scopes is None
        assert journey.platform.get(headers={"Authorization": f"Bearer {token}"}).status_code == 200

    def test_public_apps_cannot_have_scopes_of_folder_lists(self, journey):
        for scope in ("folders:read", "projects:read", "project_metadata:read"):
            with pytest.raises(UsageError, match=f"{scope} cannot be used with public apps"):
                journey.apps.create("Public", visibility="public", scopes=[scope])
            journey.apps.configure(journey.client_id, scopes=[scope])
            with pytest.raises(UsageError, match=f"{scope} cannot be used with public apps"):
                journey.apps.configure(journey.client_id, visibility="public")
        journey.apps.configure(journey.client_id, scopes=["folder_metadata:read"], visibility="public")


class TestSettings:
    @pytest.mark.parametrize(
        "url",
        [
            "https://harbor.example/callback",
            "https://harbor.example:8443/a?b=c",
            "http://127.0.0.1:8000/",
            "http://localhost/x",
            "http://[::1]:8000/",
            "com.example.harbor:/callback",
        ],
    )
    def test_redirect_urls_are_https_or_this_machines_or_of_an_apps_own_scheme(self, journey, url):
        journey.apps.configure(journey.client_id, redirect_urls=[url])
        assert journey.page(redirect_uri=url).status_code == 200

    @pytest.mark.parametrize(
        "url",
        [
            "http://harbor.example/",
            "https://harbor.example/#there",
            "https://ann@harbor.example/",
            "https://harbor.example/a b",
            "https://harbor.example;script-src/",
            "https:///x",
            "javascript:alert(1)",
            "data:text/html,x",
            "/callback",
            "",
        ],
    )
    def test_an_unsafe_redirect_url_is_refused(self, journey, url):
        with pytest.raises(UsageError, match="redirect_urls: .* is not allowed; use an https:// address"):
            journey.apps.configure(journey.client_id, redirect_urls=[url])

    @pytest.mark.parametrize(
        "wrong",
        [
            lambda journey: journey.apps.create(" "),
            lambda journey: journey.apps.create("x", team="77"),
            lambda journey: journey.apps.create("x", creator="77"),
            lambda journey: journey.apps.create("x", visibility="secret"),
            lambda journey: journey.apps.create("x", scopes=["read:everything"]),
            lambda journey: journey.apps.create("x", scopes=["org:developer_log_read"]),
            lambda journey: journey.apps.configure("none", name="x"),
            lambda journey: journey.apps.publish("none"),
            lambda journey: journey.apps.of("none"),
        ],
    )
    def test_a_state_that_the_platform_does_not_have_cannot_be_set(self, journey, wrong):
        with pytest.raises(UsageError, match=r"; (use|give|create)"):
            wrong(journey)
        assert len(journey.apps.all()) == 1
