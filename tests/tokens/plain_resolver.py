"""A reference resolver of aliases, recursive and for one token at a time: slow, but obviously correct.

It uses types and values, without columns, indices or caches.
"""

from tokensync.tokens import (
    Alias,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Quantity,
    Unresolved,
    composed,
)
from tokensync.tokens.composites import filled
from tokensync.tokens.values import AS_TEXT, weight_of

LITERALS = {
    "color": Color,
    "dimension": float | Quantity,
    "duration": Quantity,
    "number": float,
    "fontWeight": float,
    "string": str,
    "fontFamily": str | Composite,
    "boolean": bool,
}


def written(graph, token, theme):
    """What stands in the mode that the theme chooses, or in the nearest parent that has something."""
    family = graph.collections[token.key[:2]]
    mode = dict(theme.modes).get(family.key, family.default_mode)
    while mode is not None and token.values[mode] is None:
        mode = family.modes[mode].parent
    return None if mode is None else token.values[mode]


def resolved(graph, key, theme):
    """The literal that a token shows, or why it shows none."""
    literal = _text(graph, key, theme, ())
    if isinstance(literal, str) and key in graph.tokens and graph.tokens[key].type == AS_TEXT:
        return weight_of(literal)
    return literal


def _text(graph, key, theme, above):
    """As ``resolved``, but the text of a weight that is kept as text."""
    token = graph.tokens.get(key)
    if token is None:
        return Unresolved("dangling", str(key))
    if key in above:
        return Unresolved("cycle", str(key))
    found = _literal(graph, written(graph, token, theme), token, theme, (*above, key))
    if isinstance(found, Unresolved):
        return found
    if token.type == AS_TEXT:
        fits = isinstance(found, str) and weight_of(found) is not None
    else:
        fits = isinstance(found, LITERALS.get(token.type, object))
        fits = fits and not (isinstance(found, bool) and token.type != "boolean")
    return found if fits else Unresolved("mismatch", str(key))


def _literal(graph, value, token, theme, above):
    match value:
        case None:
            return Unresolved("absent", str(token.key))
        case Alias(target=target):
            return _text(graph, target, theme, above)
        case DanglingAlias(reference=reference):
            return Unresolved("dangling", reference)
        case ComposedColor(color=color, opacity=opacity):
            base, share = (_literal(graph, each, token, theme, above) for each in (color, opacity))
            for each in (base, share):
                if isinstance(each, Unresolved):
                    return each
            if isinstance(base, Color) and isinstance(share, float):
                return composed(base, share)
            return Unresolved("mismatch", str(token.key))
        case Composite(references=references) if references:
            return filled(value, token.type, lambda each: resolved(graph, each, theme), token.key)
    return value
