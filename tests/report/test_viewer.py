"""The viewer in headless Chromium: it reads responses and token files as the graph does, and nothing else happens."""

import json

import pytest
from corpus.building import CORPUS
from outside.graphs import QUICKSTART
from report.subjects import HOSTILE
from report.test_in_chromium import hexadecimal, opened, plain, themes_of

from tokensync.dtcg import read as dtcg_read
from tokensync.dtcg import write
from tokensync.project.sources import from_snapshot
from tokensync.report import viewer_page
from tokensync.tokens import Color, ComposedColor, Composite, Quantity, Theme, Unresolved, float32, shortest
from tokensync.tokens.paths import names

pytestmark = pytest.mark.outside


def read(page, path):
    """Give the page a file or a folder, and wait until it shows it."""
    page.set_input_files("#folder" if path.is_dir() else "#files", path)
    page.locator("#intro").wait_for(state="hidden")


def shown_values(page, token_graph, modes):
    """Return the page's literals by collection and path, in order: variables may have equal names."""
    families = {key: index for index, key in enumerate(token_graph.collections)}
    chosen = [[families[key], modes.get(key, each.default_mode)] for key, each in token_graph.collections.items()]
    script = """(chosen) => {
      graph.choose(chosen);
      const described = (token) => [data.collection[token], rows.pathNames(token), graph.literal(token)];
      return JSON.stringify(every.map(described));
    }"""
    values = {}
    for collection, path, literal in json.loads(page.evaluate(script, chosen)):
        values.setdefault((collection, tuple(path)), []).append(literal)
    return values


def is_shown(literal, value):
    """Return whether a literal of the page is the resolved value."""
    match value:
        case Composite():
            return literal[0] == "x" and plain(literal[1]) == plain(json.loads(value.json))
        case Unresolved():
            return literal[:2] == ["!", value.reason]
        case bool():
            return literal == ["b", value]
        case str():
            return literal[:2] == ["s", value]
        case Color():
            return (*literal[:2], float32(float(literal[2]))) == ("c", hexadecimal(value), value.alpha)
        case float():  # the page shows a weight that only a name tells as its text
            text = shortest(value)
            return literal in (["n", text], ["q", text, "px"]) or (literal[0], literal[2:]) == ("s", [text])
        case Quantity():
            return literal == ["q", shortest(value.number), value.unit]


def differences(page, token_graph, path_of):
    compared, differing = 0, []
    positions = {key: index for index, key in enumerate(token_graph.collections)}
    for modes in themes_of(token_graph):
        shown = shown_values(page, token_graph, modes)
        resolve = token_graph.resolver(Theme("", tuple(modes.items())))
        for key, token in token_graph.tokens.items():
            literal = shown[positions[key[:2]], path_of(token)].pop(0)
            compared += 1
            if not is_shown(literal, resolve(key)):
                differing.append(f"{key} in {modes}: {literal}, not {resolve(key)}")
        assert not any(shown.values())
    return compared, differing


RESPONSES = [QUICKSTART / "design.local.json", *sorted(CORPUS.glob("*local*.json"))]


@pytest.mark.parametrize("response", RESPONSES, ids=lambda path: path.name)
def test_a_response_has_the_values_of_the_graph_in_every_mode(response, browser, tmp_path):
    token_graph = from_snapshot(str(response)).graph
    payload = json.loads(response.read_bytes())
    variables = payload.get("meta", payload)["variables"]
    with opened(browser, viewer_page(), tmp_path) as page:
        read(page, response)
        compared, differing = differences(
            page, token_graph, lambda token: tuple(variables[token.id]["name"].split("/"))
        )
    assert differing == []
    assert compared >= len(variables)


def folder_of(token_graph, folder):
    """Write a graph's token files, and return the graph that tokensync reads from them."""
    (file,) = {key[0] for key in token_graph.collections}
    texts = write(token_graph, file)
    for path, content in texts:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return dtcg_read(dict(texts), file)[0]


@pytest.mark.parametrize("response", RESPONSES, ids=lambda path: path.name)
def test_a_folder_of_token_files_has_the_values_of_the_graph_in_every_mode(response, browser, tmp_path):
    token_graph = folder_of(from_snapshot(str(response)).graph, tmp_path / "tokens")
    composed = {key for key, token in token_graph.tokens.items() if any(map(is_composed, token.values))}
    with opened(browser, viewer_page(), tmp_path) as page:
        read(page, tmp_path / "tokens")
        compared, differing = differences(page, token_graph, lambda token: names(token.key.path))
    assert [each for each in differing if not any(str(key) in each for key in composed)] == []
    assert compared >= len(token_graph.tokens)


def is_composed(value):
    return isinstance(value, ComposedColor)


def response_of(*names_of_variables, values=None):
    """Return a response with a collection of these variables."""
    modes = [{"modeId": "1:0", "name": names_of_variables[0]}, {"modeId": "1:1", "name": "Dark"}]
    collection = {"id": "C:1", "name": names_of_variables[0], "modes": modes, "defaultModeId": "1:0"}
    variables = {
        f"V:{index}": {
            "id": f"V:{index}",
            "name": name,
            "variableCollectionId": "C:1",
            "resolvedType": "STRING",
            "valuesByMode": {"1:0": name, "1:1": "x"} if values is None else values,
            "description": name,
            "codeSyntax": {"WEB": name},
            "scopes": [name],
        }
        for index, name in enumerate(names_of_variables)
    }
    return {"meta": {"variableCollections": {"C:1": collection}, "variables": variables}}


def saved(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_what_a_file_says_is_text_on_the_page(browser, tmp_path):
    path = saved(tmp_path, "<img src=x onerror=alert(1)>.json".replace("/", ""), response_of(*HOSTILE))
    with opened(browser, viewer_page(), tmp_path) as page:
        read(page, path)
        assert page.locator("main :is(script, img, b, iframe, svg)").count() == 0
        assert page.locator("#notes").text_content() == ""
        page.evaluate("chunks.forEach(draw)")
        assert page.locator(".row").count() == len(HOSTILE)
        assert page.title() == "<img src=x onerror=alert(1)>.json"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tree = {name.replace(".", "") or "x": {"$type": "string", "$value": name, "$description": name} for name in HOSTILE}
    saved(
        tmp_path / "tokens",
        "<b>.json",
        {**tree, "$extensions": {"__proto__": {"value": 7}}, "__proto__": {"$value": 1}},
    )
    with opened(browser, viewer_page(), tmp_path) as page:
        read(page, tmp_path / "tokens")
        assert page.locator("main :is(script, img, b, iframe, svg)").count() == 0
        assert page.locator(".row").count() == len(tree)


def cycle_of_extensions():
    """Return a response whose two collections extend each other and have modes with equal ids."""
    response = response_of("a", values={"1:0": "x"})
    collections = response["meta"]["variableCollections"]
    collections["C:2"] = {**collections["C:1"], "id": "C:2", "isExtension": True, "parentVariableCollectionId": "C:1"}
    collections["C:1"] |= {"isExtension": True, "parentVariableCollectionId": "C:2"}
    return response


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ("{", "saved.json: "),
        ("[1, 2]", "no tokens in these files"),
        ("null", "no tokens in these files"),
        ({"meta": {"variables": {"V:1": 7}, "variableCollections": {"C:1": None}}}, "no tokens in these files"),
        (response_of("a", values={"1:0": {"r": "red"}, "9:9": 1}), ""),
        ({"meta": {"variables": {"V:1": {"resolvedType": "__proto__"}}, "variableCollections": {}}}, "no tokens"),
        (cycle_of_extensions(), ""),
        ({"sets": 7, "modifiers": [], "resolutionOrder": [7, {"$ref": "#/sets/x"}]}, "no tokens in these files"),
        ({"sets": {"a": {"sources": [{"$ref": "../../../etc/passwd.json"}]}}}, "is not among the files"),
        ({"sets": {"a": {"sources": [{"$ref": "#/sets/a"}]}}}, ""),
        ({"a": {"$value": "{a}"}, "b": {"$extends": "{a}", "c": {"$type": "color", "$value": {"colorSpace": 7}}}}, ""),
    ],
)
def test_a_damaged_file_is_reported_and_breaks_nothing(content, note, browser, tmp_path):
    with opened(browser, viewer_page(), tmp_path) as page:
        page.set_input_files("#files", saved(tmp_path, "saved.json", content))
        page.wait_for_timeout(300)
        assert note in page.locator("#notes").text_content()
        read(page, QUICKSTART / "design.local.json")
        assert page.locator("#count").text_content() == "99 tokens"
        assert page.locator("#notes").text_content() == ""


def test_a_file_can_be_dropped_and_another_one_replaces_it(browser, tmp_path):
    drop = """([name, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name));
      dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
    }"""
    files = [
        ("one.json", response_of("ink", "tide")),
        ("two.json", {"a": {"b": {"$type": "color", "$value": "#abcdef80"}}}),
    ]
    with opened(browser, viewer_page(), tmp_path) as page:
        for name, content in files:
            page.evaluate(drop, [name, json.dumps(content)])
            page.locator("h1", has_text=name).wait_for()
        assert page.locator(".leaf").all_text_contents() == ["b"]
        assert page.locator(".value .copy").all_text_contents() == ["#abcdef 50.2%"]
        assert page.get_by_role("button", name="All collections").text_content() == "All collections1"


def test_files_of_a_folder_that_share_tokens_are_modes_without_a_resolver_document(browser, tmp_path):
    folder = tmp_path / "tokens"
    color = {"$type": "color", "bg": {"$value": "#ffffff"}, "ink": {"$value": "{base.black}"}}
    saved(folder, "theme/light.json", {"theme": color})
    saved(folder, "theme/dark.json", {"theme": {**color, "bg": {"$value": "{base.black}"}}})
    saved(folder, "base.tokens.json", {"base": {"black": {"$type": "color", "$value": "#000000"}}})
    with opened(browser, viewer_page(), tmp_path) as page:
        read(page, folder)
        assert set(page.locator("h2").all_text_contents()) >= {"theme", "base"}
        page.get_by_role("radio", name="light", exact=True).check(force=True)
        texts = page.locator(".row:has(.leaf:text-is('bg')) .value > .copy").all_text_contents()
        page.get_by_role("radio", name="dark", exact=True).check(force=True)
        texts += page.locator(".row:has(.leaf:text-is('bg')) .value > .copy").all_text_contents()
        assert texts == ["#ffffff", "#000000"]


def test_a_composite_and_a_later_set_follow_their_references(browser, tmp_path):
    folder = tmp_path / "tokens"
    shadow = {"color": "{ink}", "offsetX": "{gap}", "offsetY": {"value": 2, "unit": "px"}}
    tree = {
        "ink": {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}},
        "gap": {"$type": "dimension", "$value": {"value": 4, "unit": "px"}},
        "lift": {"$type": "shadow", "$value": [shadow]},
    }
    saved(folder, "base.json", tree)
    saved(folder, "dark.json", {"ink": {"$type": "color", "$value": "#00ff00"}})
    contexts = {"light": [], "dark": [{"$ref": "dark.json"}]}
    resolver = {"sets": {"base": {"sources": [{"$ref": "base.json"}]}}, "modifiers": {"mode": {"contexts": contexts}}}
    saved(folder, "x.resolver.json", resolver)
    with opened(browser, viewer_page(), tmp_path) as page:
        read(page, folder)
        page.get_by_role("radio", name="dark", exact=True).check(force=True)
        values = dict(
            zip(
                page.locator(".leaf").all_text_contents(),
                page.locator(".value > .copy").all_text_contents(),
                strict=True,
            )
        )
        assert values["lift"] == "4px 2px 0 0 #00ff00"


def test_the_viewer_has_the_policy_of_the_report_and_asks_for_nothing(browser, tmp_path):
    with opened(browser, viewer_page(), tmp_path, offline=True) as page:
        policy = page.locator("meta[http-equiv]").get_attribute("content")
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy
        assert page.locator("#intro").is_visible()
        read(page, QUICKSTART / "design.local.json")
        assert page.locator("#count").text_content() == "99 tokens"
