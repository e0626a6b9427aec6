"""Custom properties of any value, as an element computes them: every var() replaced by what it refers to."""

from __future__ import annotations

import tinycss2


def computed_texts(text, *attributes):
    """Each custom property of the root element, which has these attributes as (name, value), as one text.

    At-rules do not count. Blank space is one blank, and none after a parenthesis.
    """
    declared = {}
    for selector, declarations in _rules(text):
        if selector == ":root" or selector in {f'[{name}="{value}"]' for name, value in attributes}:
            declared.update(declarations)
    return {name: " ".join(_substituted(value, declared, (name,)).split()) for name, value in declared.items()}


def _rules(text):
    for rule in tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True):
        assert rule.type in ("qualified-rule", "at-rule"), rule
        if rule.type == "qualified-rule":
            declarations = {}
            for each in tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True):
                assert each.type == "declaration", each
                assert each.name not in declarations, each.name
                declarations[each.name] = each.value
            yield tinycss2.serialize(rule.prelude).strip(), declarations


def _substituted(values, declared, way):
    written = []
    for each in values:
        assert each.type != "error", each.message
        if each.type == "function" and each.lower_name == "var":
            (argument,) = [inner for inner in each.arguments if inner.type not in ("whitespace", "comment")]
            assert argument.value in declared, f"{way[-1]} refers to {argument.value}, which is not there"
            assert argument.value not in way, f"{argument.value} comes back to itself"
            written.append(_substituted(declared[argument.value], declared, (*way, argument.value)).strip())
        elif each.type == "function":
            inner = _substituted(each.arguments, declared, way)
            written.append(f"{each.name}({inner})")
        else:
            written.append(each.serialize())
    return "".join(written)
