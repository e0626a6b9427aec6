"""The computed values of custom properties on an element, with every var() replaced by its target."""

import tinycss2


def computed_texts(text, *attributes):
    """Each custom property of the root element, which has these attributes as (name, value), as one text.

    At-rules do not count. Blank space is one blank, and none after a parenthesis.
    """
    declared = {}
    for selector, declarations in _rules(text):
        own = {":root", *(form for name, value in attributes for form in (f"[{name}]", f'[{name}="{value}"]'))}
        if own.intersection(each.strip() for each in selector.split(",")):
            declared.update(declarations)
    values = {name: _substituted(value, declared, (name,)) for name, value in declared.items()}
    return {name: " ".join(text.split()) for name, text in values.items() if text is not None}


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
    """Return the text with each var() replaced; None when one of them has no value."""
    written = []
    for each in values:
        assert each.type != "error", each.message
        text = each.serialize()
        if each.type == "ident" and each.value == "initial":
            return None
        if each.type == "function" and each.lower_name == "var":
            name, *fallback = [inner for inner in each.arguments if inner.type not in ("whitespace", "comment")]
            assert name.value in declared, f"{way[-1]} refers to {name.value}, which does not exist"
            assert name.value not in way, f"{name.value} comes back to itself"
            text = _substituted(declared[name.value], declared, (*way, name.value))
            if text is None and fallback:
                after = each.arguments[each.arguments.index(fallback[0]) + 1 :]
                text = _substituted(after, declared, way)
            text = None if text is None else text.strip()
        elif each.type == "function":
            inner = _substituted(each.arguments, declared, way)
            text = None if inner is None else f"{each.name}({inner})"
        if text is None:
            return None
        written.append(text)
    return "".join(written)
