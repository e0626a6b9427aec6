"""Comments on files, and documents with their nodes and versions."""

import struct
import zlib

import pytest
from emulator.platform import BLUE, DARK, GAP, KEY, LABEL, NOW, SHOWN, THEME, Platform, start, update, variables

from tokensync.system.errors import UsageError

FILE = f"/v1/files/{KEY}"


def node(id_, *children, **more):
    return {"id": id_, "name": id_, "type": "FRAME", "children": [*children], **more}


DOCUMENT = {
    "id": "0:0",
    "name": "Document",
    "type": "DOCUMENT",
    "children": [
        node(
            "0:1",
            node("1:1", node("1:2", size={"x": 1}, fillGeometry=[], pluginData={"7": {"a": "b"}}), node("1:3")),
            node("2:1", fills=[{"type": "IMAGE", "imageRef": "abc/d"}, {"type": "SOLID"}], componentId="9:1"),
        ),
        node("0:2", sharedPluginData={"space": {"a": "b"}}, styles={"fill": "9:2"}),
    ],
}


@pytest.fixture
def drawn(platform):
    platform.emulator.files.set_document(KEY, DOCUMENT)
    return platform


def get(platform, path, **more):
    answer = platform.request("GET", path, **more)
    assert answer.status_code == 200, answer.json
    return answer.json


def ids(tree):
    return [tree["id"], *(id_ for child in tree.get("children", ()) for id_ in ids(child))]


class TestTheSamplePage:
    def test_it_has_a_frame_a_collection_and_a_layer_a_variable(self, platform):
        (page,) = get(platform, FILE)["document"]["children"]
        frames = {each["name"]: [layer["name"] for layer in each["children"]] for each in page["children"]}
        assert frames == {
            "Primitives": ["blue/500", "gap", "muted", "label", "shown"],
            "Theme": ["accent", "link", "odd.name{x}", "gone"],
        }

    @pytest.mark.parametrize(
        ("variable", "bound"),
        [
            (BLUE, {"fills": [BLUE]}),
            (GAP, {"itemSpacing": GAP}),
            (LABEL, {"characters": LABEL}),
            (SHOWN, {"visible": SHOWN}),
        ],
    )
    def test_a_layer_is_bound_by_the_scopes_of_its_variable(self, platform, variable, bound):
        def alias(id_):
            return {"type": "VARIABLE_ALIAS", "id": id_}

        id_ = variable.removeprefix("VariableID:")
        layer = get(platform, f"{FILE}/nodes?ids={id_}")["nodes"][id_]["document"]
        expected = {name: [alias(x) for x in to] if isinstance(to, list) else alias(to) for name, to in bound.items()}
        assert layer["boundVariables"] == expected

    @pytest.mark.parametrize(
        ("type_", "scope", "kind", "members"),
        [
            ("COLOR", "TEXT_FILL", "TEXT", ["fills"]),
            ("COLOR", "STROKE_COLOR", "RECTANGLE", ["strokes"]),
            ("COLOR", "EFFECT_COLOR", "RECTANGLE", ["effects"]),
            ("FLOAT", "CORNER_RADIUS", "RECTANGLE", ["rectangleCornerRadii"]),
            ("FLOAT", "STROKE_FLOAT", "RECTANGLE", ["individualStrokeWeights"]),
            ("FLOAT", "OPACITY", "RECTANGLE", ["opacity"]),
            ("FLOAT", "EFFECT_FLOAT", "RECTANGLE", ["effects"]),
            ("FLOAT", "FONT_SIZE", "TEXT", ["fontSize"]),
            ("FLOAT", "ALL_SCOPES", "RECTANGLE", ["size"]),
            ("STRING", "FONT_FAMILY", "TEXT", ["fontFamily"]),
        ],
    )
    def test_every_kind_of_scope_has_its_layer(self, platform, type_, scope, kind, members):
        new = {
            "action": "CREATE",
            "name": "new",
            "variableCollectionId": THEME,
            "resolvedType": type_,
            "scopes": [scope],
        }
        platform.post(variables(new))
        page = get(platform, FILE)["document"]["children"][0]
        layer = page["children"][1]["children"][-1]
        assert (layer["name"], layer["type"], list(layer["boundVariables"])) == ("new", kind, members)

    def test_a_frame_shows_the_second_mode_of_its_collection(self, platform):
        primitives, theme = get(platform, FILE)["document"]["children"][0]["children"]
        assert theme["explicitVariableModes"] == {THEME: DARK}
        assert "explicitVariableModes" not in primitives

    def test_the_sample_is_the_same_until_a_variable_changes(self, platform):
        first = platform.request("GET", FILE).data
        assert platform.request("GET", FILE).data == first
        platform.post(variables(update(GAP, name="space")))
        second = get(platform, FILE)
        assert "space" in str(second)
        assert int(second["version"]) == 2

    def test_ids_are_not_repeated(self, platform):
        node_ids = ids(get(platform, FILE)["document"])
        assert len(node_ids) == len(set(node_ids))


class TestADocumentThatWasSet:
    def test_geometry_and_plugin_data_are_omitted_unless_requested(self, drawn):
        assert ids(get(drawn, FILE)["document"]) == ["0:0", "0:1", "1:1", "1:2", "1:3", "2:1", "0:2"]
        layer = get(drawn, f"{FILE}/nodes?ids=1:2")["nodes"]["1:2"]["document"]
        assert {"size", "fillGeometry", "pluginData"} & set(layer) == set()
        whole = get(drawn, f"{FILE}/nodes?ids=1:2&geometry=paths&plugin_data=7")["nodes"]["1:2"]["document"]
        assert {"size", "fillGeometry", "pluginData"} <= set(whole)
        page = get(drawn, f"{FILE}?plugin_data=shared")["document"]["children"][1]
        assert page["sharedPluginData"] == {"space": {"a": "b"}}

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("depth=1", ["0:0", "0:1", "0:2"]),
            ("depth=2", ["0:0", "0:1", "1:1", "2:1", "0:2"]),
            ("ids=1:1", ["0:0", "0:1", "1:1", "1:2", "1:3"]),
            ("ids=1:3, 0:2", ["0:0", "0:1", "1:1", "1:3", "0:2"]),
            ("ids=1:1&depth=2", ["0:0", "0:1", "1:1"]),
            ("ids=9:9", ["0:0"]),
        ],
    )
    def test_ids_and_depth_cut_the_tree(self, drawn, query, expected):
        assert ids(get(drawn, f"{FILE}?{query}")["document"]) == expected

    def test_ids_may_be_written_as_in_links_to_a_layer(self, drawn):
        assert list(get(drawn, f"{FILE}/nodes?ids=1-2,1:3,x-y")["nodes"]) == ["1:2", "1:3", "x-y"]
        assert list(get(drawn, f"/v1/images/{KEY}?ids=1-2")["images"]) == ["1:2"]

    def test_a_node_at_the_maximum_depth_has_empty_children(self, drawn):
        page = get(drawn, f"{FILE}?depth=1")["document"]["children"][0]
        assert page["children"] == []

    def test_depth_counts_from_each_node(self, drawn):
        nodes = get(drawn, f"{FILE}/nodes?ids=0:1,1:2&depth=1")["nodes"]
        assert {id_: ids(each["document"]) for id_, each in nodes.items()} == {
            "0:1": ["0:1", "1:1", "2:1"],
            "1:2": ["1:2"],
        }

    def test_a_saved_answer_includes_the_items_of_its_layers(self, platform):
        saved = {
            "document": DOCUMENT,
            "components": {"9:1": {"key": "c", "name": "Button"}, "9:9": {"key": "unused"}},
            "styles": {"9:2": {"key": "s", "name": "Fill"}},
            "schemaVersion": 14,
            "unknown": 1,
        }
        platform.emulator.files.set_document(KEY, saved)
        whole = get(platform, FILE)
        assert (set(whole["components"]), set(whole["styles"]), whole["schemaVersion"]) == ({"9:1"}, {"9:2"}, 14)
        part = get(platform, f"{FILE}/nodes?ids=2:1")["nodes"]["2:1"]
        assert (set(part["components"]), set(part["styles"])) == ({"9:1"}, set())

    def test_the_images_in_its_fills_are_named(self, drawn):
        images = get(drawn, f"{FILE}/images")["meta"]["images"]
        assert list(images) == ["abc/d"]
        assert drawn.request("GET", images["abc/d"].removeprefix("https://emulator.invalid"), headers={}).data

    def test_a_branch_starts_with_it_and_names_its_main_file(self, drawn):
        drawn.emulator.files.branch(KEY, "branch")
        branch = get(drawn, "/v1/files/branch")
        assert branch["mainFileKey"] == KEY
        assert branch["document"] == get(drawn, FILE)["document"]
        assert [each["key"] for each in get(drawn, FILE + "?branch_data=true")["branches"]] == ["branch"]

    def test_a_version_preserves_the_document(self, drawn):
        version = drawn.emulator.versions.save(KEY, "Before")
        drawn.emulator.files.set_document(KEY, None)
        assert len(get(drawn, FILE)["document"]["children"]) == 1
        old = get(drawn, f"{FILE}?version={version}")
        assert (old["version"], len(old["document"]["children"])) == (version, 2)

    @pytest.mark.parametrize(
        "document",
        [
            {"id": "0:0", "type": "FRAME"},
            {"type": "DOCUMENT"},
            {"id": "0:0", "type": "DOCUMENT", "children": [{"id": "0:0", "type": "CANVAS"}]},
            {"id": "0:0", "type": "DOCUMENT", "children": 5},
            {"id": "0:0", "type": "DOCUMENT", "children": ["x"]},
            {"document": 5},
        ],
        ids=["a-frame", "no-id", "an-id-twice", "no-array", "no-node", "no-object"],
    )
    def test_an_invalid_document_is_a_usage_error(self, platform, document):
        with pytest.raises(UsageError, match="document: "):
            platform.emulator.files.set_document(KEY, document)


class TestPictures:
    def test_a_png_is_as_large_as_the_layer_times_the_scale(self, platform):
        address = get(platform, f"/v1/images/{KEY}?ids=1:2&scale=0.5")["images"]["1:2"]
        answer = platform.request("GET", address.removeprefix("https://emulator.invalid"), headers={})
        assert answer.content_type == "image/png"
        assert struct.unpack(">II", answer.data[16:24]) == (40, 40)
        start = answer.data.index(b"IDAT") + 4
        assert len(zlib.decompress(answer.data[start : answer.data.index(b"IEND") - 8])) == 41 * 40

    @pytest.mark.parametrize(
        ("format_", "content_type", "start"),
        [
            ("jpg", "image/jpeg", b"\xff\xd8\xff"),
            ("svg", "image/svg+xml", b"<svg "),
            ("pdf", "application/pdf", b"%PDF-"),
        ],
    )
    def test_every_format_begins_as_it_should(self, platform, format_, content_type, start):
        address = get(platform, f"/v1/images/{KEY}?ids=1:2&format={format_}")["images"]["1:2"]
        answer = platform.request("GET", address.removeprefix("https://emulator.invalid"), headers={})
        assert answer.content_type.partition(";")[0] == content_type
        assert answer.data.startswith(start)

    def test_an_unknown_image_is_404(self, platform):
        for path in ("/pictures/nowhere/x.png", f"/pictures/{KEY}/x.gif", f"/pictures/{KEY}/x"):
            answer = platform.request("GET", f"{path}?expires={int(NOW) + 60}", headers={})
            assert answer.status_code == 404


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
