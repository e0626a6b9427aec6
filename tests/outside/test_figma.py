"""The files of Figma's import of variables, as Terrazzo, another reader of DTCG, reads them."""

import json
import re

import pytest
from bridge.read_export import rounded, tokens_of

from tokensync.tokens import Color, Composite, Quantity, Theme
from tokensync.tokens.paths import names
from tokensync.tokens.values import AS_TEXT

pytestmark = pytest.mark.outside


def expected(value):
    """What Terrazzo should say of a literal."""
    match value:
        case Color():
            return tuple(map(rounded, (value.red, value.green, value.blue, value.alpha)))
        case bool():
            return int(value)
        case Quantity(number=number, unit="rem"):
            return rounded(number * 16)
        case Composite():  # fonts, of which a variable holds the first
            return json.loads(value.json)[0]
    return rounded(value) if isinstance(value, float) else value


def read(value):
    if isinstance(value, dict):
        channels = (channel or 0 for channel in value["components"])
        return tuple(map(rounded, (*channels, value.get("alpha", 1))))
    return rounded(value) if isinstance(value, int | float) else value


def without_prototypes(group):
    """The group without what JavaScript takes for another object's members."""
    return {
        name: without_prototypes(member) if isinstance(member, dict) else member
        for name, member in group.items()
        if name not in ("__proto__", "constructor", "toString")
    }


def file_name(collection, mode):
    return re.sub(r'[/\\:*?"<>|\x00-\x1f\x7f]+', "-", f"{collection}.{mode}").strip(" .") + ".tokens.json"


def test_terrazzo_reads_each_variable_in_every_mode(subject, terrazzo, counted, tmp_path):
    graph, compared, differences = subject.graph, 0, []
    folder = subject.write("figma", tmp_path)
    for key, family in graph.collections.items():
        own = {"/".join(names(token.key.path)): token for token in graph.tokens.values() if token.key[:2] == key}
        for column, mode in enumerate(family.modes):
            path = folder / file_name(family.name, mode.name)
            if family.origin != "local" or mode.collection != family.handle or not path.is_file():
                continue
            document = without_prototypes(json.loads(path.read_bytes()))
            path.write_text(json.dumps(document), "utf-8")
            found = terrazzo(tokens=path)["tokens"]
            written = dict(tokens_of(document, ()))
            ids = {name: name for name in written} | {each.replace(".", "/"): each for each in found}
            for name in written:
                token = own[name]
                wanted = subject.resolver(Theme("", ((key, column),)))(token.key)
                if token.type == AS_TEXT:
                    continue  # the graph has the number of the weight
                shown = found[ids[name]]["value"]
                compared += 1
                is_zero = wanted == 0 and isinstance(shown, str)  # Terrazzo leaves an alias of 0 as it is
                if read(shown) != expected(wanted) and not is_zero:
                    differences.append(f"{path.name}: {name}: {shown!r} is not {wanted!r}")
    counted("figma", "values of each variable in every mode", subject.name, compared, differences)
