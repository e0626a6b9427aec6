"""Compilers that are not ours read modules and sheets of hostile graphs, and every string comes back as it was."""

import json
import re

import pytest
import tinycss2
from checkers import run
from generate.targets.hostile_graphs import hostile_examples, hostile_graphs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokensync.generate.naming import names_for
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate, naming_of
from tokensync.generate.targets.tailwind import TailwindOptions

pytestmark = pytest.mark.outside
FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
SEVERAL = st.lists(hostile_graphs(), min_size=8, max_size=8)
MANY = 96
"""Modules of hostile graphs that tsc reads at once."""

READ = """
const found = await Promise.all(names.map((name) => import(`./${name}/tokens.js`)));
const shown = (exported) => Object.entries(exported.tokens).map(([name, value]) => [name, value]);
console.log(JSON.stringify(found.map(shown)));
"""


def texts(token_graph):
    return [each.values[0] for each in token_graph.tokens.values() if each.type == "string"]


def names_of(token_graph, platform):
    return list(names_for(token_graph, list(token_graph.tokens.values()), naming_of(platform))[0].values())


def test_node_and_tsc_read_every_module(tsc):
    """All at once, each in a folder of its own: tsc takes seconds to start."""
    several = hostile_examples(MANY)
    files = {}
    for at, token_graph in enumerate(several):
        for path, content in generate(token_graph, OutputRequest(platform="typescript"))[0]:
            files[f"t{at}/{path}"] = content.decode()
        files[f"use{at}.ts"] = f'export {{ tokens, value, cssVariable }} from "./t{at}/tokens.js";\n'
    folder = tsc(files)
    names = json.dumps([f"t{at}" for at in range(len(several))])
    source = f"const names = {names};{READ}"
    actual = json.loads(run(["node", "--input-type=module", "--eval", source], cwd=folder))
    for token_graph, entries in zip(several, actual, strict=True):
        assert [name for name, _ in entries] == names_of(token_graph, "typescript")
        types = [each.type for each in token_graph.tokens.values()]
        assert [value for (_, value), type_ in zip(entries, types, strict=True) if type_ == "string"] == texts(
            token_graph
        )


@FEW
@given(SEVERAL)
def test_sass_reads_every_partial(sass, several):
    files, lines = {}, ['@use "sass:meta";']
    for at, token_graph in enumerate(several):
        ((_, content),) = generate(token_graph, OutputRequest(platform="scss"))[0]
        files[f"_t{at}.scss"] = content.decode()
        lines.insert(0, f'@use "t{at}";')
        lines.append(f".x{at} {{ @include t{at}.custom-properties(); }}")
        lines.append(
            f".y{at} {{ @each $name, $value in t{at}.$tokens {{ --#{{$name}}: #{{meta.inspect($value)}}; }} }}"
        )
    sheet = tinycss2.parse_stylesheet(sass("\n".join(lines), files), skip_whitespace=True)
    rules = {tinycss2.serialize(each.prelude).strip(): each for each in sheet}
    for at, token_graph in enumerate(several):
        assert list(declarations(rules[f".x{at}"])) == names_of(token_graph, "css")
        by_name = declarations(rules[f".y{at}"])
        assert list(by_name) == [each.replace("$", "--", 1) for each in names_of(token_graph, "scss")]
        types = [each.type for each in token_graph.tokens.values()]
        actual = [value for value, type_ in zip(by_name.values(), types, strict=True) if type_ == "string"]
        assert actual == [re.sub("[\0\ud800-\udfff]", "\ufffd", each) for each in texts(token_graph)]


@FEW
@given(hostile_graphs())
def test_tailwind_takes_every_theme(tailwind, token_graph):
    """Each property is in what Tailwind writes, and every string as it was."""
    ((_, content),) = generate(token_graph, OutputRequest(platform="tailwind", options=TailwindOptions(static=True)))[0]
    css = tailwind('@import "./theme.css";', {"theme.css": content.decode()})
    written = [each for rule in rules_within(css) for each in declarations(rule).items()]
    declared = re.sub(r"^@theme inline.*?^}$", "", content.decode(), flags=re.MULTILINE | re.DOTALL)
    assert [name for name, _ in written] == re.findall(r"^ +(--[\w-]+|color-scheme):", declared, re.MULTILINE)
    actual = [value for _, value in written if value is not None]
    assert {re.sub("[\0\ud800-\udfff]", "\ufffd", each) for each in texts(token_graph)} <= {*actual}


def rules_within(css):
    """The style rules of a sheet, those in layers and conditions too."""
    waiting = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    while waiting:
        rule = waiting.pop(0)
        if rule.type == "qualified-rule":
            yield rule
        elif rule.content is not None:
            waiting = [*tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True), *waiting]


def declarations(rule):
    """The string of each custom property that is one string; None for another value."""
    actual = {}
    for each in tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True):
        assert each.type == "declaration", each
        assert each.name not in actual
        parts = [part for part in each.value if part.type != "whitespace"]
        actual[each.name] = parts[0].value if len(parts) == 1 and parts[0].type == "string" else None
    return actual
