"""Comments and versions beyond the rows of the contract: who, where, in what order, and what webhooks hear of them."""

import pytest
from emulator.platform import KEY, NOW, Platform, start

from tokensync.errors import UsageError

COMMENTS = f"/v1/files/{KEY}/comments"
SCOPES = ("file_comments:read", "file_comments:write")


def post(platform, body, path=COMMENTS, **more):
    return platform.request("POST", path, json=body, **more)


def listed(platform):
    return platform.request("GET", COMMENTS + "?as_md=true").json["comments"]


def test_a_comment_comes_back_as_it_was_made(platform):
    comment = post(platform, {"message": "Hello", "client_meta": {"node_id": "1:2", "node_offset": {"x": 1, "y": 2.5}}})
    assert comment.status_code == 200
    assert listed(platform) == [comment.json]
    assert comment.json["client_meta"] == {"node_id": "1:2", "node_offset": {"x": 1, "y": 2.5}}
    assert comment.json["created_at"] == "2027-01-15T08:00:00.000Z"
    assert (comment.json["parent_id"], comment.json["resolved_at"], comment.json["order_id"]) == ("", None, "1")


@pytest.mark.parametrize(
    "position",
    [
        {"x": 1, "y": 2},
        {"x": 1, "y": 2, "region_width": 3, "region_height": 4},
        {"x": 1, "y": 2, "region_width": 3, "region_height": 4, "comment_pin_corner": "bottom-left"},
        {"node_id": "1:2", "node_offset": {"x": 1, "y": 2}},
        {"node_id": "1:2", "node_offset": {"x": 1, "y": 2}, "region_width": 3, "region_height": 4},
    ],
    ids=["point", "region", "region-with-pin", "point-of-node", "region-of-node"],
)
def test_it_may_stand_at_a_point_or_in_a_region(platform, position):
    assert post(platform, {"message": "m", "client_meta": position}).json["client_meta"] == position


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"message": 5}',
        b'{"message": "m", "client_meta": 5}',
        b'{"message": "m", "client_meta": {"x": 1}}',
        b'{"message": "m", "client_meta": {"x": 1, "y": true}}',
        b'{"message": "m", "client_meta": {"x": 1, "y": 2, "comment_pin_corner": "middle"}}',
        b'{"message": "m", "client_meta": {"node_id": "1:2", "node_offset": 5}}',
    ],
)
def test_an_invalid_body_is_400(platform, body):
    assert platform.request("POST", COMMENTS, data=body).status_code == 400
    assert listed(platform) == []


def test_a_reply_is_to_a_comment_and_goes_with_it(platform):
    root = post(platform, {"message": "root"}).json["id"]
    reply = post(platform, {"message": "reply", "comment_id": root}).json
    assert reply["parent_id"] == root
    refused = post(platform, {"message": "no", "comment_id": reply["id"]})
    assert refused.json["message"] == "comment_id must be of a comment that is no reply itself"
    assert platform.request("DELETE", f"{COMMENTS}/{root}").json == {"status": 200, "error": False}
    assert listed(platform) == []
    assert post(platform, {"message": "next"}).json["id"] not in (root, reply["id"])


def test_a_comment_of_another_file_is_not_found(platform):
    platform.emulator.files.create("other")
    id_ = post(platform, {"message": "m"}).json["id"]
    assert platform.request("DELETE", f"/v1/files/other/comments/{id_}").status_code == 404
    assert post(platform, {"message": "m", "comment_id": id_}, "/v1/files/other/comments").status_code == 404


def test_a_reaction_counts_once_a_user(platform):
    reactions = f"{COMMENTS}/{post(platform, {'message': 'm'}).json['id']}/reactions"
    viewer = platform.emulator.tokens.create(scopes=SCOPES, permission="viewer")
    for token in (None, None, viewer):
        assert post(platform, {"emoji": ":heart:"}, reactions, token=token).status_code == 200
    shown = platform.request("GET", reactions).json["reactions"]
    assert [(each["user"]["handle"], each["emoji"]) for each in shown] == [("owner", ":heart:"), ("user-2", ":heart:")]
    assert platform.request("DELETE", reactions + "?emoji=:heart:", token=viewer).status_code == 200
    assert [each["user"]["handle"] for each in listed(platform)[0]["reactions"]] == ["owner"]


def test_the_editor_comments_and_resolves(platform):
    id_ = platform.emulator.comments.add(KEY, "In the editor")
    platform.emulator.comments.add(KEY, "A reply", reply_to=id_)
    platform.emulator.comments.resolve(KEY, id_)
    assert [each["resolved_at"] for each in listed(platform)] == ["2027-01-15T08:00:00.000Z", None]
    with pytest.raises(UsageError, match=f"comment 9: no such comment on {KEY}"):
        platform.emulator.comments.resolve(KEY, "9")
    with pytest.raises(UsageError, match=f"comment 9: no such comment on {KEY}"):
        platform.emulator.comments.add(KEY, "m", reply_to="9")


def test_versions_are_paged_in_both_directions():
    now = NOW
    platform = Platform(start(clock=lambda: now))
    for number in range(5):
        now += 60
        platform.emulator.versions.save(KEY, f"v{number}")

    def page(path):
        answer = platform.request("GET", path.removeprefix("https://emulator.invalid")).json
        return [each["label"] for each in answer["versions"]], answer["pagination"]

    labels, first = page(f"/v1/files/{KEY}/versions?page_size=2")
    assert (labels, set(first)) == (["v4", "v3"], {"next_page"})
    labels, second = page(first["next_page"])
    assert (labels, set(second)) == (["v2", "v1"], {"next_page", "prev_page"})
    labels, last = page(second["next_page"])
    assert (labels, set(last)) == (["v0"], {"prev_page"})
    assert page(last["prev_page"])[0] == ["v2", "v1"]
    assert page(second["prev_page"])[0] == ["v4", "v3"]
    assert page(f"/v1/files/{KEY}/versions?page_size=1000")[0] == ["v4", "v3", "v2", "v1", "v0"]


@pytest.mark.parametrize("query", ["page_size=0", "page_size=x", "before=1&after=1", "after=99"])
def test_an_invalid_page_is_400(platform, query):
    assert platform.request("GET", f"/v1/files/{KEY}/versions?{query}").status_code == 400


def test_webhooks_hear_of_comments_and_of_named_versions(platform):
    for event in ("FILE_COMMENT", "FILE_VERSION_UPDATE"):
        body = {"event_type": event, "context": "file", "context_id": KEY, "endpoint": "https://r", "passcode": "p"}
        assert post(platform, body, "/v2/webhooks").status_code == 200
    comment = post(platform, {"message": "Look"}).json
    platform.emulator.versions.save(KEY)
    version = platform.emulator.versions.save(KEY, "Named", "why")
    platform.emulator.deliver_due()
    events = {each["event_type"]: each for _, each in platform.sent if each["event_type"] != "PING"}
    assert len(platform.sent) == 4
    assert events["FILE_COMMENT"]["comment_id"] == comment["id"]
    assert events["FILE_COMMENT"]["comment"] == [{"text": "Look"}]
    assert events["FILE_VERSION_UPDATE"]["version_id"] == version
    assert events["FILE_VERSION_UPDATE"]["description"] == "why"
