"""Sass variables and maps."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta, Struct

from tokensync.generate import Target
from tokensync.naming.rules import NAMELESS, NamingRules, cut

RESERVED = frozenset(("$themes", "$tokens"))
"""The names of an output's maps, which variables of tokens cannot have."""

_NOT_IN_A_NAME = re.compile(r"[^\w-]+")


def variable_name(name: str) -> str:
    """Return a variable's name, with ``$``; it does not start with a digit, hyphen or underscore (private in Sass)."""
    body = _NOT_IN_A_NAME.sub("-", name.removeprefix("$")).lstrip("-_")
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isascii() and not body[0].isalpha():
        body = f"{NAMELESS}-{body}"
    if f"${body}" in RESERVED:
        body = f"{body}-{NAMELESS}"
    return f"${cut(body, '-')}"


def as_sass_compares(name: str) -> str:
    """Return the name as Sass compares variables, with hyphens for underscores."""
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
    """The options of an scss output."""

    maps: Annotated[
        bool,
        Meta(
            description="Write maps of tokens and themes, and their functions, after the variables; themes need them."
        ),
    ] = True


TARGET = Target("scss", "Sass variables and maps", ScssOptions, naming=NAMING, syntax="WEB")
