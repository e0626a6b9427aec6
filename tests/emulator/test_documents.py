"""A file's layers: the page made up from its variables, a document that was set, and what of it a request gets."""

import struct
import zlib

import pytest
from emulator.platform import BLUE, DARK, GAP, KEY, LABEL, SHOWN, THEME, update, variables

from tokensync.errors import UsageError

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
            assert platform.request("GET", path).status_code == 404
