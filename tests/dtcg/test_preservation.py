"""Foreign members of any token files are put back, whatever names, values and modes the graph has."""

from __future__ import annotations

import json

from dtcg.strategies import FILE, graphs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tokensync.dtcg import Previous, format_bytes, read, write
from tokensync.dtcg.writing import write_edits
from tokensync.tokens import TokenGraph, targets

THOROUGH = settings(max_examples=20, deadline=None, suppress_health_check=[*HealthCheck])
MEMBERS = ("$description", "$comment", "$odd", "$extensions/com.example", "$extensions/org.tokensync/team")


def nodes_of(tree):
    """Return the file, groups and tokens of a token file's tree."""
    nodes, pending = [tree], [each for name, each in tree.items() if name[:1] != "$"]
    while pending:
        node = pending.pop()
        nodes.append(node)
        if "$value" not in node:
            pending += (each for name, each in node.items() if name == "$root" or name[:1] != "$")
    return nodes


@st.composite
def files_with_members(draw, graph):
    """Return the token files of a graph with foreign members in the canonical layout, and their values."""
    files, markers = dict(write(graph, FILE)), []
    for path in [each for each in files if each.endswith(".tokens.json")]:
        tree = json.loads(files[path])
        for node in draw(st.lists(st.sampled_from(nodes_of(tree)), max_size=4)):
            *outer, name = draw(st.sampled_from(MEMBERS)).split("/")
            is_token = "$value" in node or "value" in node.get("$extensions", {}).get("org.tokensync", {})
            if is_token and name == "$description":
                continue  # in the default mode's file, the graph holds it
            owner = node
            for each in outer:
                owner = owner.setdefault(each, {})
            if name not in owner:
                markers.append(f"marker {len(markers)}")
                owner[name] = markers[-1]
        files[path] = format_bytes(json.dumps(tree).encode(), path)
    return files, markers


def preserved(files, graph, keys):
    before, _ = read(files, FILE)
    written = write_edits(graph, FILE, Previous(before, files, lambda: keys))
    return dict(written.files), written.problems


@given(st.data())
@THOROUGH
def test_files_of_an_unchanged_graph_do_not_change(data):
    files, _ = data.draw(files_with_members(data.draw(graphs())))
    graph, problems = read(files, FILE)
    assert [each for each in problems if each.severity == "error"] == []
    assert preserved(files, graph, {key: key for key in graph.tokens}) == (files, ())


@given(st.data())
@THOROUGH
def test_members_of_deleted_tokens_are_named_and_all_others_stay(data):
    files, markers = data.draw(files_with_members(data.draw(graphs())))
    graph, _ = read(files, FILE)
    referred = {target for token in graph.tokens.values() for value in token.values for target in targets(value)}
    free = [key for key in graph.tokens if key not in referred]
    gone = data.draw(st.lists(st.sampled_from(free), unique=True)) if free else []
    rest = TokenGraph(graph.collections.values(), [token for key, token in graph.tokens.items() if key not in gone])
    after, problems = preserved(files, rest, {key: key for key in rest.tokens})
    text = b"".join(after.values()).decode()
    lost = [marker for marker in markers if f'"{marker}"' not in text]
    assert [str(each) for each in problems if each.code != "tokens-member-removed"] == []
    assert len(lost) <= sum(each.what.count(", ") for each in problems), (lost, problems)
    assert all(format_bytes(content, path) == content for path, content in after.items())


@given(st.data())
@THOROUGH
def test_edited_files_have_the_graph_that_was_wanted(data):
    files, _ = data.draw(files_with_members(data.draw(graphs())))
    graph, problems = read(files, FILE)
    assert [each for each in problems if each.severity == "error"] == []
    tokens = dict(graph.tokens)
    for key in data.draw(st.lists(st.sampled_from([*tokens]), max_size=3)) if tokens else ():
        others = [value for token in tokens.values() if token.type == tokens[key].type for value in token.values]
        literals = [value for value in others if value is not None and not targets(value)]
        values = (
            data.draw(st.sampled_from(literals)) if value is not None and literals else value
            for value in tokens[key].values
        )
        tokens[key] = replace(tokens[key], values=tuple(values))
    wanted = TokenGraph(graph.collections.values(), tokens.values())
    if data.draw(st.booleans()):
        files = {path: json.dumps(json.loads(content), indent="\t").encode() for path, content in files.items()}
    after, _ = preserved(files, wanted, {key: key for key in tokens})
    result = read(after, FILE)[0]
    plain = [replace(token, notations=()) for token in wanted.tokens.values()]
    assert [replace(token, notations=()) for token in result.tokens.values()] == plain
