"""Styles and components of a library are nodes, too: clients read what a style looks like from its node."""

from __future__ import annotations

from emulator.platform import KEY, Platform


def test_the_nodes_of_published_styles_show_what_they_look_like():
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


def test_a_node_that_is_nothing_is_null():
    assert Platform().request("GET", f"/v1/files/{KEY}/nodes?ids=9:9").json["nodes"] == {"9:9": None}
