"""Events: their causes, their subscribers and their payloads (6, and "Webhooks v2" of the public facts)."""

import pytest
from emulator.platform import BLUE, GAP, HTTPS, KEY, NOW, Platform, delete, new_variable, start, update, variables

from tokensync.emulator.webhooks import Reply
from tokensync.system.errors import UsageError

OK = Reply(200)
HALF_AN_HOUR = 1800
USER = {"id": "1000000000000000001", "handle": "owner"}


def webhook(platform, event_type="LIBRARY_PUBLISH", context="file", context_id=KEY, **more):
    """The id of a new webhook; its PING is delivered."""
    body = {
        "event_type": event_type,
        "context": context,
        "context_id": context_id,
        "endpoint": "https://example.com/hook",
        "passcode": "sesame",
        **more,
    }
    answer = platform.request("POST", "/v2/webhooks", json=body)
    assert answer.status_code == 200, answer.json
    platform.emulator.deliver_due()
    platform.sent.clear()
    return answer.json["id"]


def notifications(platform):
    """Return the payloads delivered since the last call."""
    platform.emulator.deliver_due()
    payloads = [payload for _, payload in platform.sent]
    platform.sent.clear()
    return payloads


def names(payload, verb, asset="variables"):
    return [each["name"] for each in payload[f"{verb}_{asset}"]]


class TestPublications:
    def test_created_modified_and_deleted_items_are_reported_once(self, platform):
        webhook(platform)
        platform.emulator.publish(KEY)
        (first,) = notifications(platform)
        assert {"blue/500", "gap"} <= set(names(first, "created"))
        assert names(first, "modified") == names(first, "deleted") == []
        platform.post(variables(update(GAP, description="x"), delete(BLUE), new_variable("fresh")))
        platform.emulator.publish(KEY, description="Spring")
        (second,) = notifications(platform)
        assert names(second, "created") == ["fresh"]
        assert names(second, "modified") == ["gap"]
        assert names(second, "deleted") == ["blue/500"]
        assert second["description"] == "Spring"
        assert second["triggered_by"].items() >= USER.items()
        assert set(second["library_item"]) == {"key", "name"}

    def test_publishing_without_changes_causes_no_event(self, platform):
        platform.emulator.publish(KEY)
        webhook(platform)
        platform.emulator.publish(KEY)
        assert notifications(platform) == []

    def test_each_kind_of_asset_is_an_event_of_its_own(self, platform):
        platform.emulator.libraries.add_component(KEY, "Button")
        platform.emulator.libraries.add_component_set(KEY, "Switch")
        platform.emulator.libraries.add_style(KEY, "Body", "TEXT")
        webhook(platform)
        platform.emulator.publish(KEY)
        components, styles, of_variables = notifications(platform)
        assert set(names(components, "created", "components")) == {"Button", "Switch"}
        assert names(styles, "created", "styles") == ["Body"]
        assert names(of_variables, "created", "components") == []
        assert "gap" in names(of_variables, "created")

    def test_a_publication_that_fails_is_no_event(self, platform):
        platform.emulator.files.branch(KEY, "Branch")
        webhook(platform, context="team", context_id="1")
        with pytest.raises(UsageError, match="a branch cannot be published"):
            platform.emulator.publish("Branch")
        assert notifications(platform) == []


class TestInactivity:
    def test_an_update_is_sent_half_an_hour_after_the_last_edit(self, platform):
        webhook(platform, "FILE_UPDATE")
        platform.post(variables(update(GAP, description="1")))
        platform.emulator.clock.advance(HALF_AN_HOUR - 1)
        platform.post(variables(update(GAP, description="2")))
        platform.emulator.clock.advance(HALF_AN_HOUR - 1)
        assert notifications(platform) == []
        platform.emulator.clock.advance(1)
        (update_,) = notifications(platform)
        assert update_ == {
            "event_type": "FILE_UPDATE",
            "file_key": KEY,
            "file_name": "Untitled",
            "passcode": "sesame",
            "timestamp": "2027-01-15T08:59:59.000Z",
            "webhook_id": "1",
        }
        platform.emulator.clock.advance(7 * 86_400)
        assert notifications(platform) == []

    def test_a_refused_request_is_no_edit(self, platform):
        webhook(platform, "FILE_UPDATE")
        assert platform.post(variables(update("VariableID:404:404", name="x"))).status_code == 400
        platform.emulator.clock.advance(HALF_AN_HOUR)
        assert notifications(platform) == []

    @pytest.mark.parametrize("status", ["ACTIVE", "PAUSED"])
    def test_a_new_webhook_receives_no_earlier_events(self, platform, status):
        if status == "PAUSED":
            webhook(platform, "FILE_UPDATE", status=status)
        platform.post(variables(update(GAP, description="1")))
        platform.emulator.clock.advance(HALF_AN_HOUR)
        if status == "PAUSED":
            platform.request("PUT", "/v2/webhooks/1", json={"status": "ACTIVE"})
        else:
            webhook(platform, "FILE_UPDATE")
        assert notifications(platform) == []
        platform.post(variables(update(GAP, description="2")))
        platform.emulator.clock.advance(HALF_AN_HOUR)
        assert len(notifications(platform)) == 1

    def test_an_edit_before_a_restart_is_sent_after_it(self, tmp_path):
        state = str(tmp_path / "state.sqlite")
        before = Platform(start(state, clock=lambda: NOW))
        webhook(before, "FILE_UPDATE", status="PAUSED")
        before.request("PUT", "/v2/webhooks/1", json={"status": "ACTIVE"})
        before.post(variables(update(GAP, description="1")))
        before.emulator.close()
        sent = []
        after = start(state, clock=lambda: NOW + HALF_AN_HOUR, send=lambda _, payload: sent.append(payload) or OK)
        assert after.deliver_due() == 1
        assert b"FILE_UPDATE" in sent[0]


class TestRaising:
    def test_a_deletion_is_also_sent_to_webhooks_for_updates(self, platform):
        webhook(platform, "FILE_UPDATE")
        webhook(platform, "FILE_DELETE")
        webhook(platform, "FILE_COMMENT")
        assert platform.emulator.events.file_delete(KEY) == 2
        payloads = notifications(platform)
        assert [each["webhook_id"] for each in payloads] == ["1", "2"]
        assert {each["event_type"] for each in payloads} == {"FILE_DELETE"}
        assert payloads[0]["triggered_by"].items() >= USER.items()

    def test_events_of_versions_comments_and_statuses_have_their_fields(self, platform):
        for kind in ("FILE_VERSION_UPDATE", "FILE_COMMENT", "DEV_MODE_STATUS_UPDATE"):
            webhook(platform, kind, "team", "1")
        link = {"name": "Button", "url": "https://example.com/b", "file_key": KEY, "node_id": "1:2"}
        platform.request("POST", "/v1/dev_resources", json={"dev_resources": [link]})
        reader = platform.emulator.people.create("reader")
        events = platform.emulator.events
        assert events.file_version(KEY, description="Done", user=reader) == 1
        assert events.file_comment(KEY, "Nice", mentions=(reader,)) == 1
        assert events.dev_status(KEY, "COMPLETED", message="Built") == 1
        version, comment, status = notifications(platform)
        assert (version["description"], version["version_id"]) == ("Done", "1")
        assert version["triggered_by"]["handle"] == "reader"
        assert comment["comment"] == [{"text": "Nice"}, {"mention": reader}]
        assert [each["id"] for each in comment["mentions"]] == [reader]
        assert comment["comment_id"].isdecimal()
        assert (status["node_id"], status["status"], status["change_message"]) == ("1:2", "COMPLETED", "Built")
        assert [each["url"] for each in status["related_links"]] == ["https://example.com/b"]

    def test_a_publication_of_names_and_an_update_need_no_edit(self, platform):
        webhook(platform)
        webhook(platform, "FILE_UPDATE")
        assert platform.emulator.events.library_publish(KEY, asset="styles", deleted=("Body",)) == 1
        assert platform.emulator.events.file_update(KEY) == 1
        publication, update_ = notifications(platform)
        assert names(publication, "deleted", "styles") == ["Body"]
        assert update_["event_type"] == "FILE_UPDATE"

    @pytest.mark.parametrize(
        ("raised", "message"),
        [
            (lambda events: events.file_update("nothing"), "no such file"),
            (lambda events: events.file_delete(KEY, user="404"), "no such user"),
            (lambda events: events.dev_status(KEY, "DONE"), "unknown status"),
            (lambda events: events.library_publish(KEY, asset="fonts", created=("a",)), "no kind of asset"),
            (lambda events: events.library_publish(KEY), "name at least one item"),
        ],
    )
    def test_an_event_of_a_missing_object_is_a_usage_error(self, platform, raised, message):
        with pytest.raises(UsageError, match=message):
            raised(platform.emulator.events)


class TestContexts:
    def test_a_folder_hears_of_files_in_folders_below_it(self, platform):
        around = platform.emulator.places.create_folder("Around", access="invite")
        inside = platform.emulator.places.create_folder("Inside", parent=around)
        other = platform.emulator.places.create_folder("Other")
        for folder in (around, inside, other):
            webhook(platform, "FILE_DELETE", "project", folder)
        webhook(platform, "FILE_DELETE", "team", "1")
        platform.emulator.files.move(KEY, inside)
        platform.emulator.events.file_delete(KEY)
        assert [each["webhook_id"] for each in notifications(platform)] == ["1", "2"]

    def test_a_team_is_not_notified_about_another_one(self, platform):
        team = platform.emulator.places.create_team("Others")
        webhook(platform, "FILE_DELETE", "team", team)
        platform.emulator.events.file_delete(KEY)
        assert notifications(platform) == []


def test_the_app_of_an_oauth_token_is_the_client_of_a_webhook(platform):
    token = platform.emulator.tokens.create(
        kind="oauth", scopes=("webhooks:read", "webhooks:write"), permission="owner"
    )
    body = {
        "event_type": "FILE_UPDATE",
        "context": "team",
        "context_id": "1",
        "endpoint": "http://127.0.0.1:9/",
        "passcode": "open sesame",
    }
    headers = {"Authorization": f"Bearer {token}"}
    answer = platform.client.post("/v2/webhooks", json=body, headers=headers, base_url=HTTPS)
    assert answer.json["client_id"] == platform.emulator.tokens.of(token).app
