"""CSS custom properties as names: ``--text-muted``."""

import re

from tokensync.naming.rules import NAMELESS, NamingRules, cut

_NOT_IN_A_NAME = re.compile(r"[^\w-]+")


def property_name(name: str) -> str:
    """Return a custom property's name, ``--`` and all; letters and digits of any script stay."""
    body = _NOT_IN_A_NAME.sub("-", name.removeprefix("--"))
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    return f"--{cut(body, '-')}"


NAMING = NamingRules(
    "css", valid=re.compile(r"--(?=[-_]*[^\W_])[\w-]{1,200}"), repair=property_name, separator="-", sigil="--"
)
