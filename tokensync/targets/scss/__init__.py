"""Sass variables and maps."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta, Struct

from tokensync.generate.request import Target
from tokensync.naming.rules import NAMELESS, NamingRules, cut

RESERVED = frozenset(("$themes", "$tokens"))
"""The maps of an output: a token's variable cannot be called as they are."""

_NOT_IN_A_NAME = re.compile(r"[^\w-]+")


def variable_name(name: str) -> str:
    """Return a variable's name, ``$`` and all. A digit cannot come first, nor a hyphen or underscore (private)."""
    body = _NOT_IN_A_NAME.sub("-", name.removeprefix("$")).lstrip("-_")
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isascii() and not body[0].isalpha():
        body = f"{NAMELESS}-{body}"
    if f"${body}" in RESERVED:
        body = f"{body}-{NAMELESS}"
    return f"${cut(body, '-')}"


def as_sass_compares(name: str) -> str:
    """Return the name as Sass compares variables: an underscore is a hyphen."""
    return name.replace("_", "-")


NAMING = NamingRules(
    "scss",
    valid=re.compile(r"\$[^\W\d_][\w-]{0,199}"),
    repair=variable_name,
    reserved=RESERVED,
    fold=as_sass_compares,
    separator="-",
    sigil="$",
)


class ScssOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """``maps`` tells whether the maps of tokens and themes, and what looks them up, follow the variables."""

    maps: Annotated[
        bool,
        Meta(
            description="Whether the maps of tokens and themes follow the variables; without them there are no themes."
        ),
    ] = True


TARGET = Target("scss", "Sass variables and maps", ScssOptions, naming=NAMING, syntax="WEB")
