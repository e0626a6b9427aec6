"""The problems that targets report, worded in one module so that outputs that share a problem report it once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.composites import TYPES, color_of, composite
from tokensync.mapping import name_of_path
from tokensync.naming import collection_label, readable, token_label
from tokensync.problems import problem
from tokensync.tokens import DEFAULT_THEME, Color, Composite, Unresolved
from tokensync.tokens.composites import decoded, parts_of
from tokensync.tokens.values import AS_TEXT, is_outside
from tokensync.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Collection as Sized
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.problems import Problem
    from tokensync.settings import Unsupported
    from tokensync.tokens import Collection, FamilyKey, Resolved, Theme, Token, TokenGraph, TokenKey, Value

_SHOWN = 5
_OTHER_OUTPUT = "build another output"


def omitted(graph: TokenGraph, key: TokenKey, result: Resolved, theme: Theme, platform: str) -> Problem:
    """Return the problem of a token without a value in the theme, or with one that the platform does not support."""
    label = token_label(graph, key)
    if isinstance(result, Unresolved):
        what, what_to_do = _reason(key, result)
    elif graph.tokens[key].type in TYPES and composite(result, graph.tokens[key].type) is None:
        what = f"{platform} cannot show its value as a {readable(graph.tokens[key].type)}"
        return problem(
            "type-unsupported", label, what, "complete the value; sizes and durations in it must not be negative"
        )
    elif isinstance(result, Composite) or graph.tokens[key].type not in _PLAIN_TYPES:
        what = f"{platform} does not support tokens of type {readable(graph.tokens[key].type)}"
        return problem("type-unsupported", label, what, "exclude it, or write it by hand")
    else:
        what, what_to_do = _reason(key, Unresolved("mismatch", str(key)))
    return problem("unresolved-value", f"{label} / {_mode_name(graph, key, theme)}", what, what_to_do)


def without_default(graph: TokenGraph, key: TokenKey, result: Resolved, platform: str) -> Problem:
    """Return the problem of a token with values in other themes but no default value; ``result`` has the reason."""
    reason, advice = "its default value is not supported there", "change that value"
    if isinstance(result, Unresolved):
        reason, advice = _reason(key, result)
    where = f"{token_label(graph, key)} / {_mode_name(graph, key, DEFAULT_THEME)}"
    what = f"{reason}, and {platform} needs a default value, so the values of other modes are omitted too"
    return problem("default-value-absent", where, what, advice)


_PLAIN_TYPES = frozenset(("color", "dimension", "number", "fontWeight", AS_TEXT, "string", "fontFamily", "boolean"))


def _reason(key: TokenKey, result: Unresolved) -> tuple[str, str]:
    own = result.at == str(key)
    at = readable(result.at)
    match result.reason:
        case "dangling":
            return f"it refers to {at}, which does not exist", "restore that variable, or give the token another value"
        case "cycle":
            return f"its aliases form a cycle at {at}", "give one token of the cycle a value of its own"
        case "absent" if own:
            return "it has no value there", "give it one"
        case "absent":
            return f"it refers to {at}, which has no value there", "give that token a value"
        case _:
            return "it refers to a value of another type" + (
                "" if own else f" at {at}"
            ), "refer to a token of its own type"


def _mode_name(graph: TokenGraph, key: TokenKey, theme: Theme) -> str:
    family = graph.collections[key[:2]]
    chosen: Mapping[FamilyKey, int] = dict(theme.modes)
    return readable(family.modes[chosen.get(key[:2], family.default_mode)].name)


def unrepresentable(graph: TokenGraph, key: TokenKey, characters: str, platform: str) -> Problem:
    """Return the problem of a text with characters that the platform's strings cannot contain."""
    what = f"its text contains {readable(characters)}, which {platform} cannot hold"
    return problem("character-unrepresentable", token_label(graph, key), what, "remove it from the text")


def inlined(graph: TokenGraph, collection: FamilyKey, targets: Sequence[TokenKey]) -> Problem:
    """Return the problem of references to another file's collection; ``targets`` has one token per reference."""
    family = graph.collections[collection]
    where = collection_label(graph, family)
    number = counted(len(targets), "reference")
    verb = "is written as a literal" if len(targets) == 1 else "are written as literals"
    what = f"{number} to its {family.origin} tokens {verb}"
    what_to_do = "configure its file as one of [[files]] to keep them as references"
    if family.origin != "remote":
        what_to_do = "refer to live tokens to keep them as references"
    elif local_file := _local_file(graph, family):
        names = [readable(name_of_path(each.path)) for each in dict.fromkeys(targets)]
        missing = ", ".join(names) if len(names) <= _SHOWN else "tokens of these names"
        what = f"{readable(local_file)} has no {missing}, so references to it are written as literals ({len(targets)})"
        what_to_do = f"refer to other tokens, or restore it in {readable(local_file)} and pull"
        return problem("remote-inlined", where, what, what_to_do, names if len(names) > _SHOWN else ())
    return problem("remote-inlined", where, what, what_to_do)


def _local_file(graph: TokenGraph, remote: Collection) -> str:
    """Return the graph's file that a remote collection belongs to; an empty text when it belongs to another."""
    same = (
        each.file
        for each in graph.collections.values()
        if each.origin == "local" and each.collection_key == remote.collection_key != ""
    )
    return next(same, "")


def colors_converted(
    tokens: Iterable[Token], graph: TokenGraph, platform: str, settings: Sequence[tuple[str, str]]
) -> Iterator[Problem]:
    """Yield the problem of an output that has only the closest sRGB colours of tokens with colours outside of sRGB.

    ``settings`` are those with which the output would have the colours themselves.
    """
    wide = [each.key for each in tokens if any(_is_wide(value, each.type) for value in each.values)]
    if wide:
        shown = listed([token_label(graph, key) for key in wide], _SHOWN)
        what = f"{platform} contains the closest sRGB colour for {counted(len(wide), 'token')} outside of sRGB: {shown}"
        to_do = " or ".join(f'{name} = "{value}"' for name, value in settings)
        to_do = (
            f"set the option {to_do} to write the colours themselves"
            if to_do
            else "write a colour in sRGB if the difference matters"
        )
        yield problem("color-converted", readable(graph.collections[wide[0][:2]].name), what, to_do)


def _is_wide(value: Value | None, token_type: str) -> bool:
    """Return whether a value has a colour outside of sRGB."""
    if type(value) is Color:
        return is_outside(value)
    if type(value) is not Composite or value.json.count('"colorSpace"') == value.json.count('"colorSpace":"srgb"'):
        return False
    parts = (each.json for each in parts_of(token_type, decoded(value.json)) if each.type == "color")
    return any(isinstance(each, dict) and is_outside(color_of(each)) for each in parts if "$ref" not in each)


def modes_unsupported(
    graph: TokenGraph, key: FamilyKey, modes: Sized[int], platform: str, but: str = "", remedy: str = _OTHER_OUTPUT
) -> Problem:
    """Return the problem of modes that the output does not support, apart from the exception in ``but``."""
    family = graph.collections[key]
    extensions = {each.handle: f"{each.name} / " for each in family.extensions}
    several = [family.modes[each] for each in modes]
    names = [readable(f"{extensions.get(each.collection, '')}{each.name}") for each in several]
    noun, pronoun = ("mode", "it") if len(names) == 1 else ("modes", "them")
    if len(names) <= _SHOWN:
        what = f"{platform} does not support the {noun} {', '.join(names)}{but}"
        return problem("theme-unsupported", collection_label(graph, family), what, f"{remedy} if you need {pronoun}")
    what = f"{platform} does not support {len(names)} modes{but}"
    return problem("theme-unsupported", collection_label(graph, family), what, f"{remedy} if you need {pronoun}", names)


def unknown_theme(name: str, themes: Iterable[Theme], platform: str) -> Problem:
    """Return the problem of a theme that the options name and the output does not have."""
    what = f"the options of this {platform} output name it, but the output has no such theme"
    choices = ", ".join(readable(each.name) for each in themes) or "none"
    return problem("theme-unknown", readable(name), what, f"name one of its themes: {choices}")


_CONFIGURABLE = frozenset(("type-unsupported", "theme-unsupported"))


def as_configured(problems: Iterable[Problem], policy: Unsupported) -> Iterator[Problem]:
    """Yield each problem once; ``ignore`` drops unsupported types and themes, and ``raise`` makes them errors."""
    for each in dict.fromkeys(problems):
        if each.code not in _CONFIGURABLE or policy == "warn":
            yield each
        elif policy == "raise":
            yield each._replace(severity="error")
