"""Styles and components of a library are nodes, too: clients read what a style looks like from its node."""

from emulator.platform import KEY, Platform


def test_the_nodes_of_published_styles_have_their_appearance():
    platform = Platform()
    library = platform.emulator.libraries
    for name, kind in (("text/strong", "FILL"), ("body", "TEXT"), ("low", "EFFECT"), ("columns", "GRID")):
        library.add_style(KEY, name, kind)
    platform.emulator.publish(KEY)
    styles = platform.request("GET", f"/v1/files/{KEY}/styles").json["meta"]["styles"]
    ids = ",".join(each["node_id"] for each in styles)
    nodes = platform.request("GET", f"/v1/files/{KEY}/nodes?ids={ids}").json["nodes"]
    shown = {each["name"]: nodes[each["node_id"]]["document"] for each in styles}
    assert shown["text/strong"]["fills"][0]["type"] == "SOLID"
    assert shown["body"]["style"]["fontFamily"] == "Inter"
    assert shown["low"]["effects"][0]["type"] == "DROP_SHADOW"
    assert shown["columns"]["layoutGrids"][0]["count"] == 12
    assert all(name == node["name"] for name, node in shown.items())


def walked(node, path=()):
    """Each node of a tree by its name, with the names of what it lies in."""
    yield (*path, node["name"]), node
    for child in node.get("children", ()):
        yield from walked(child, (*path, node["name"]))


class TestInTheTreeOfLayers:
    def file(self, platform, query=""):
        return platform.request("GET", f"/v1/files/{KEY}{query}").json

    def test_components_lie_in_their_set_frame_and_page(self):
        platform = Platform()
        library = platform.emulator.libraries
        button = library.add_component_set(KEY, "Button", page="Controls", frame="Buttons")
        library.add_component(KEY, "State=Rest", component_set=button)
        library.add_component(KEY, "Icon")
        file = self.file(platform)
        layers = dict(walked(file["document"]))
        rest = layers["Document", "Controls", "Buttons", "Button", "State=Rest"]
        icon = layers["Document", "Page 1", "Icon"]
        assert [each["name"] for each in file["document"]["children"]] == ["Page 1", "Controls"]
        assert (rest["type"], icon["type"]) == ("COMPONENT", "COMPONENT")
        (set_id,) = file["componentSets"]
        assert file["componentSets"][set_id]["key"] == button
        assert file["components"][rest["id"]]["componentSetId"] == set_id
        assert "componentSetId" not in file["components"][icon["id"]]

    def test_each_style_is_used_by_a_layer(self):
        platform = Platform()
        library = platform.emulator.libraries
        keys = [library.add_style(KEY, "strong", "FILL"), library.add_style(KEY, "body", "TEXT")]
        file = self.file(platform)
        styles = [(each["key"], each["styleType"]) for each in file["styles"].values()]
        assert styles == [(keys[0], "FILL"), (keys[1], "TEXT")]
        layers = dict(walked(file["document"]))
        fill, text = file["styles"]
        assert layers["Document", "Styles", "strong"]["styles"] == {"fill": fill}
        assert layers["Document", "Styles", "body"]["styles"] == {"text": text}

    def test_a_subtree_lists_only_the_items_in_it(self):
        platform = Platform()
        platform.emulator.libraries.sample(KEY)
        first = next(iter(self.file(platform)["components"]))
        assert list(self.file(platform, f"?ids={first}")["components"]) == [first]
        assert self.file(platform, "?depth=1")["components"] == {}

    def test_deleted_items_are_not_drawn(self):
        platform = Platform()
        key = platform.emulator.libraries.add_component(KEY, "Icon")
        assert self.file(platform)["components"] != {}
        platform.emulator.libraries.drop(key)
        assert self.file(platform)["components"] == {}

    def test_ids_are_not_repeated(self):
        platform = Platform()
        platform.emulator.libraries.sample(KEY, components=40)
        ids = [node["id"] for _, node in walked(self.file(platform)["document"])]
        assert len(ids) == len(set(ids))

    def test_published_items_name_their_page(self):
        platform = Platform()
        platform.emulator.libraries.sample(KEY, published=True)
        pages = {each["id"]: each["name"] for each in self.file(platform, "?depth=1")["document"]["children"]}
        listed = platform.request("GET", f"/v1/files/{KEY}/components").json["meta"]["components"]
        assert {(each["containing_frame"]["pageId"], each["containing_frame"]["pageName"]) for each in listed} <= {
            *pages.items()
        }
        assert listed


def test_a_missing_node_is_null():
    assert Platform().request("GET", f"/v1/files/{KEY}/nodes?ids=9:9").json["nodes"] == {"9:9": None}
