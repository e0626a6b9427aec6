"""Libraries: published components and styles, and the nodes that use them."""

import pytest
from emulator.platform import HTTPS, KEY, NOW, Platform, start

from tokensync.emulator.services import libraries
from tokensync.system.errors import UsageError

FILE = "Harbor"
DAY = 86400


def listed(platform, path, **more):
    answer = platform.request("GET", path, base_url=HTTPS, **more)
    assert answer.status_code == 200, answer.json
    return answer.json["meta"]


def names(platform, kind="components"):
    return [each["name"] for each in listed(platform, f"/v1/files/{FILE}/{kind}")[kind]]


def test_a_draft_is_shown_once_it_is_published_and_its_changes_once_more(platform):
    libraries = platform.emulator.libraries
    key = libraries.add_style(FILE, "surface/page", "FILL", description="Behind everything")
    assert names(platform, "styles") == []
    platform.emulator.publish(FILE)
    shown = listed(platform, f"/v1/styles/{key}")
    assert (shown["name"], shown["style_type"], shown["description"]) == ("surface/page", "FILL", "Behind everything")
    libraries.change(key, name="surface/base")
    assert names(platform, "styles") == ["surface/page"]
    platform.emulator.publish(FILE)
    assert names(platform, "styles") == ["surface/base"]
    libraries.drop(key)
    assert names(platform, "styles") == ["surface/base"]
    platform.emulator.publish(FILE)
    assert names(platform, "styles") == []
    assert platform.request("GET", f"/v1/styles/{key}").status_code == 404


def test_only_changed_items_get_a_new_time_of_update():
    now = NOW
    platform = Platform(start(clock=lambda: now))
    libraries = platform.emulator.libraries
    still, changing = libraries.add_component(FILE, "Still"), libraries.add_component(FILE, "Changing")
    platform.emulator.publish(FILE)
    now += DAY
    libraries.change(changing, description="Newer")
    platform.emulator.publish(FILE)
    shown = listed(platform, f"/v1/files/{FILE}/components")["components"]
    times = {each["name"]: (each["created_at"], each["updated_at"]) for each in shown}
    assert times["Still"][0] == times["Still"][1] == times["Changing"][0] < times["Changing"][1]
    assert listed(platform, f"/v1/components/{still}")["updated_at"] == times["Still"][1]


def test_publishing_reports_created_modified_and_deleted_items_by_kind(platform):
    emulator = platform.emulator
    gone = emulator.libraries.add_component(FILE, "Gone")
    other = emulator.libraries.add_component(FILE, "Other")
    emulator.publish(FILE)
    emulator.libraries.drop(gone)
    emulator.libraries.change(other, name="Renamed")
    style = emulator.libraries.add_style(FILE, "body", "TEXT")
    user = emulator.people.all()[0].id
    with emulator._store.writing() as connection:
        changes = libraries.publish(connection, 1, user, NOW)
        again = libraries.publish(connection, 1, user, NOW)
    assert changes["component"] == ((), ({"key": other, "name": "Renamed"},), ({"key": gone, "name": "Gone"},))
    assert changes["style"] == (({"key": style, "name": "body"},), (), ())
    assert set(again.values()) == {libraries.Changes()}


def test_a_variant_names_the_set_around_it_by_both_names(platform):
    libraries = platform.emulator.libraries
    around = libraries.add_component_set(FILE, "Button", page="Controls")
    key = libraries.add_component(FILE, "State=Rest", component_set=around, page="Controls", frame="Buttons")
    platform.emulator.publish(FILE)
    frame = listed(platform, f"/v1/components/{key}")["containing_frame"]
    assert (frame["pageName"], frame["name"]) == ("Controls", "Buttons")
    assert frame["containingComponentSet"] == frame["containingStateGroup"]
    assert frame["containingComponentSet"]["name"] == "Button"
    assert frame["containingComponentSet"]["nodeId"] == listed(platform, f"/v1/component_sets/{around}")["node_id"]


def test_cursors_stand_for_neither_page_and_lead_both_ways(platform):
    platform.emulator.libraries.sample(FILE, components=7)
    platform.emulator.publish(FILE)
    path = "/v1/teams/1/components?page_size=3"
    first = listed(platform, path)
    second = listed(platform, f"{path}&after={first['cursor']['after']}")
    third = listed(platform, f"{path}&after={second['cursor']['after']}")
    keys = [each["key"] for page in (first, second, third) for each in page["components"]]
    assert len(keys) == len(set(keys)) == 7
    cursors = [set(page["cursor"]) for page in (first, second, third)]
    assert cursors == [{"after"}, {"after", "before"}, {"before"}]
    assert listed(platform, f"{path}&before={third['cursor']['before']}") == second
    assert listed(platform, f"{path}&before={second['cursor']['before']}") == first
    assert listed(platform, f"{path}&after=999999") == {"components": [], "cursor": {}}


def test_a_team_lists_the_visible_published_items_of_its_files(platform):
    emulator = platform.emulator
    team = emulator.places.create_team("Elsewhere")
    emulator.files.create("Other", folder=emulator.places.create_folder("Libraries", team=team))
    emulator.files.create("Secret", folder=emulator.places.create_folder("More", team=team))
    for key in ("Other", "Secret", FILE):
        emulator.libraries.add_component(key, f"Of {key}")
        emulator.publish(key)
    token = emulator.tokens.create(scopes=("team_library_content:read",))
    emulator.tokens.permit(token, "Secret", None)
    shown = listed(platform, f"/v1/teams/{team}/components", token=token)["components"]
    assert [each["name"] for each in shown] == ["Of Other"]
    assert len(listed(platform, f"/v1/teams/{team}/components")["components"]) == 2


def test_a_user_outside_a_team_sees_only_shared_items_of_its_listing(platform):
    emulator = platform.emulator
    emulator.libraries.add_component(FILE, "Shared")
    emulator.publish(FILE)
    token = emulator.tokens.create(scopes=("team_library_content:read",))
    emulator.sharing.set_team_role("1", emulator.tokens.of(token).user, None)
    refused = platform.request("GET", "/v1/teams/1/components", token=token)
    assert (refused.status_code, refused.json["message"]) == (403, "Insufficient team permissions")
    emulator.tokens.permit(token, FILE, "viewer")
    assert len(listed(platform, "/v1/teams/1/components", token=token)["components"]) == 1


def test_a_sample_has_the_same_keys_every_time():
    first, second = Platform(), Platform()
    assert first.emulator.libraries.sample(FILE) == second.emulator.libraries.sample(FILE)
    assert first.emulator.libraries.sample(FILE) == second.emulator.libraries.sample(FILE)
    assert len(first.emulator.libraries.keys(FILE, "component")) == 12


def test_an_invalid_library_item_is_a_usage_error(platform):
    emulator = platform.emulator
    emulator.files.branch(FILE, "Twig")
    emulator.files.create("Other")
    elsewhere = emulator.libraries.add_component_set("Other", "Set")
    key = emulator.libraries.add_component(FILE, "Once")
    emulator.libraries.drop(key)
    for wrong, words in (
        (lambda: emulator.libraries.add_component("Twig", "x"), "a branch publishes nothing"),
        (lambda: emulator.libraries.add_component("Nowhere", "x"), "no such file"),
        (lambda: emulator.libraries.add_component(FILE, "x", component_set=elsewhere), "not a component set of Harbor"),
        (lambda: emulator.libraries.add_component(FILE, "Once"), "already has a component with this name"),
        (lambda: emulator.libraries.add_style(FILE, "x", "PAINT"), "no style type 'PAINT'"),
        (lambda: emulator.libraries.add_style(FILE, " ", "FILL"), "must not be empty"),
        (lambda: emulator.libraries.add_style(FILE, "x", "FILL", description="\udcff"), "not UTF-8"),
        (lambda: emulator.libraries.change(elsewhere, name="\udcff"), "not UTF-8"),
        (lambda: emulator.libraries.change(key, name="x"), "deleted in its file"),
        (lambda: emulator.libraries.drop("none"), "no such component, component set or style"),
        (lambda: emulator.libraries.keys(FILE, "widget"), "no kind 'widget'"),
    ):
        with pytest.raises(UsageError, match=words):
            wrong()


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


def node_of(platform, key):
    (style,) = (
        each for each in platform.request("GET", f"/v1/files/{KEY}/styles").json["meta"]["styles"] if each["key"] == key
    )
    nodes = platform.request("GET", f"/v1/files/{KEY}/nodes?ids={style['node_id']}").json["nodes"]
    return style, nodes[style["node_id"]]["document"]


def test_a_style_has_the_value_and_the_bindings_that_it_is_given():
    platform = Platform()
    library = platform.emulator.libraries
    bound = {"fontSize": [{"type": "VARIABLE_ALIAS", "id": "VariableID:1:3"}]}
    value = {"style": {"fontFamily": "Bitter", "fontSize": 22.0}, "boundVariables": bound}
    key = library.add_style(KEY, "title", "TEXT", value=value)
    platform.emulator.publish(KEY)
    _, node = node_of(platform, key)
    assert (node["style"], node["boundVariables"], node["characters"]) == (value["style"], bound, "title")


def test_a_changed_value_is_a_change_that_a_publication_shows():
    platform = Platform()
    key = platform.emulator.libraries.add_style(KEY, "low", "EFFECT")
    platform.emulator.publish(KEY)
    before, _ = node_of(platform, key)
    platform.emulator.clock.advance(60)
    platform.emulator.libraries.change(key, value={"effects": []})
    platform.emulator.publish(KEY)
    after, node = node_of(platform, key)
    assert node["effects"] == []
    assert after["updated_at"] > before["updated_at"]


def test_a_value_has_only_members_of_a_styles_node():
    library = Platform().emulator.libraries
    with pytest.raises(UsageError, match="give an object of boundVariables, effects, fills, layoutGrids, style"):
        library.add_style(KEY, "low", "EFFECT", value={"shadow": []})
    key = library.add_component(KEY, "Icon")
    with pytest.raises(UsageError, match="only a style has a value"):
        library.change(key, value={"fills": []})


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
