"""The page is a well-formed document with the graph as data, whatever the design file contains."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import lxml.html
import pytest
from generate.targets.hostile_graphs import hostile_graphs
from graphs import alias, collection, color, graph, token
from hypothesis import given
from hypothesis import strategies as st
from report.subjects import HOSTILE, data_of, every_type, hostile, names_of, page_of

from tokensync.report import DEPRECATED, HIDDEN, ROOT, script_json
from tokensync.tokens import Theme
from tokensync.tokens.paths import names

EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Balance(HTMLParser):
    """Every element is closed in the order in which it was opened."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("token_graph", [every_type(), hostile(), graph()], ids=["types", "hostile", "empty"])
def test_the_page_has_the_same_elements_for_any_tokens(token_graph):
    balance = Balance()
    balance.feed(page_of(token_graph).decode("utf-8"))
    plain = Balance()
    plain.feed(page_of(graph()).decode("utf-8"))
    assert balance.open == []
    assert balance.seen == plain.seen


@given(hostile_graphs())
def test_design_files_cannot_change_the_structure_of_the_page(token_graph):
    balance, plain = Balance(), Balance()
    page = page_of(token_graph)
    balance.feed(page.decode("utf-8"))
    plain.feed(page_of(graph()).decode("utf-8"))
    assert balance.seen == plain.seen
    assert len(lxml.html.document_fromstring(page).xpath("//script")) == 2
    assert sorted(data_of(page)["description"].values()) == sorted(
        each.description for each in token_graph.tokens.values() if each.description
    )


def test_a_dangling_alias_is_shown_by_name():
    of = collection("Base")
    data = data_of(page_of(graph(of, token(of, "text", alias("Base", "gone/ink")))))
    assert data["values"] == [["d", "base.gone.ink"]]
    assert data["code"] == [-1]


@pytest.mark.parametrize("title", HOSTILE)
def test_a_hostile_title_is_text(title):
    page = page_of(every_type(), title=title)
    document = lxml.html.document_fromstring(page)
    assert len(document.xpath("//script")) == 2
    assert document.xpath("//title")[0].text == document.xpath("//h1")[0].text
    assert not document.xpath("//h1/*")


def test_the_page_fetches_no_resources_and_allows_only_its_own_style_and_script():
    page = page_of(every_type()).decode("utf-8")
    document = lxml.html.document_fromstring(page)
    (policy,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for element in ("style", "script"):
        (text,) = re.findall(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
        assert f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert not document.xpath("//@src | //@style | //@onclick | //@onload")
    assert document.xpath("//link/@href") == ["data:,"]
    assert "://" not in re.sub(r"http://www\.w3\.org/2000/svg", "", page)


def test_the_page_is_deterministic():
    assert page_of(every_type()) == page_of(every_type())
    assert not re.search(rb"20\d\d-\d\d-\d\d|/home/|\.py\b", page_of(every_type()))


@pytest.mark.parametrize("token_graph", [every_type(), hostile()], ids=["types", "hostile"])
def test_the_data_has_every_token_with_its_names(token_graph):
    data = data_of(page_of(token_graph))
    of_platform = dict(zip(data["platforms"], data["name"], strict=True))
    handles = [each["handle"] for each in data["collections"]]
    indices = {}
    for index, leaf in enumerate(data["leaf"]):
        group = data["groups"][data["group"][index]]
        path = tuple(group) if data["mark"][index] & ROOT else (*group, leaf)
        indices[handles[data["collection"][index]], path] = index
    assert len(indices) == len(token_graph.tokens)
    for key, each in token_graph.tokens.items():
        index = indices[key.collection, names(key.path)]
        assert data["types"][data["type"][index]][0] == each.type
        assert data["description"].get(str(index), "") == each.description
        assert data["deprecated"].get(str(index), False) == each.deprecated
        assert bool(data["mark"][index] & HIDDEN) == each.hidden
        assert bool(data["mark"][index] & DEPRECATED) == bool(each.deprecated)
        for platform, known in names_of(token_graph).items():
            assert of_platform[platform][index] == known[key]


def test_tokens_are_ordered_by_group_with_ungrouped_tokens_first():
    of = collection("Base")
    token_graph = graph(of, *(token(of, name, color("#000000")) for name in ("b/2", "a", "b/1", "c/x", "b/3")))
    data = data_of(page_of(token_graph))
    assert data["leaf"] == ["a", "2", "1", "3", "x"]


def test_a_token_with_the_name_of_a_group_belongs_to_it():
    of = collection("Base")
    token_graph = graph(of, *(token(of, name, color("#000000")) for name in ("b/2", "a", "b", "a/1")))
    data = data_of(page_of(token_graph))
    assert data["leaf"] == ["2", "b", "a", "1"]
    assert [data["groups"][each] for each in data["group"]] == [["b"], ["b"], ["a"], ["a"]]
    assert data["mark"] == [0, ROOT, ROOT, 0]


def test_distinct_values_are_stored_once_and_aliases_as_indices():
    of = collection("Base", "Light", "Dark")
    token_graph = graph(of, *(token(of, f"t{at}", color("#123456"), color("#ffffff")) for at in range(100)))
    data = data_of(page_of(token_graph))
    assert data["values"] == [["c", "#123456", "1"], ["c", "#ffffff", "1"]]
    assert data["code"] == [[-1, -2]] * 100


def test_configured_themes_are_one_choice():
    token_graph = every_type()
    assert data_of(page_of(token_graph))["axes"] == []
    night = Theme("night", ((("design", "theme"), 1), (("design", "size"), 1)))
    (axis,) = data_of(page_of(token_graph, themes=(night,)))["axes"]
    assert axis["contexts"] == [["default", []], ["night", [[1, 1], [2, 1]]]]


@given(st.recursive(st.text() | st.booleans(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_in_a_script_element_reads_back_as_it_was(value):
    text = script_json(value)
    assert "<" not in text
    assert text.encode("utf-8")
    document = lxml.html.document_fromstring(f"<html><body><script id='data'>{text}</script></body></html>")
    (script,) = document.xpath("//script")
    assert __import__("json").loads(script.text) == value


def test_the_page_grows_with_the_tokens_alone():
    def size(count, modes):
        of = collection("Base", *(f"m{at}" for at in range(modes)))
        several = (token(of, f"g{at // 10}/t{at}", *(color(f"#{at:06x}") for _ in range(modes))) for at in range(count))
        return len(page_of(graph(of, *several)))

    empty = len(page_of(graph()))
    small, large = size(500, 4) - empty, size(2000, 4) - empty
    assert large < 4.4 * small
    assert large / 2000 < 200
