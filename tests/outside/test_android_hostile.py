"""Whatever names, texts and descriptions there are, aapt2 links the resources, and every string reads back."""

import re

import pytest
from hypothesis import given, settings
from targets.hostile_graphs import hostile_graphs

from tokensync.generate import OutputRequest
from tokensync.naming import names_for
from tokensync.project.configuration import typed_options
from tokensync.targets import generate, naming_of

pytestmark = pytest.mark.outside


def resources_of(token_graph, folder, **options):
    files, _ = generate(token_graph, OutputRequest(platform="android", options=typed_options("android", options)))
    for path, content in files:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder


def whole(dumped):
    """A text as aapt2 prints it: as the resource table keeps it, halves of surrogate pairs in three bytes each."""
    halves = dumped.encode("utf-8", "surrogateescape").decode("utf-8", "surrogatepass")
    return halves.encode("utf-16", "surrogatepass").decode("utf-16")


@settings(max_examples=30, deadline=None)
@given(hostile_graphs())
def test_hostile_resources_link_and_read_back(tmp_path_factory, aapt2, token_graph):
    linked = aapt2(resources_of(token_graph, tmp_path_factory.mktemp("styles"), brands="styles", layout="collections"))
    tokens = list(token_graph.tokens.values())
    names, _ = names_for(token_graph, tokens, naming_of("android"))
    resources = [key.partition("/")[2] for key in linked if not key.startswith(("attr/", "style/"))]
    assert sorted(resources) == sorted(names.values())
    for each in tokens:
        if each.type == "string":
            expected = re.sub("[\0\ud800-\udfff]", "\ufffd", each.values[0])
            assert whole(linked[f"string/{names[each.key]}"][""]) == f'"{expected}"'


@settings(max_examples=15, deadline=None)
@given(hostile_graphs())
def test_hostile_source_sets_link_over_the_main_one(tmp_path_factory, aapt2, token_graph):
    folder = resources_of(token_graph, tmp_path_factory.mktemp("sets"), brands="source-sets")
    main = folder / "main" / "res"
    for each in folder.glob("*/res"):
        aapt2(main, *({each} - {main}))
