"""Variable names and token paths, both ways: ``accent/base`` is ``accent.base``."""

from __future__ import annotations

from tokensync.tokens.paths import encoded, names, path_of


def path_of_name(name: str) -> str:
    """The token path of a variable's name; every name has one, and no two names share one."""
    if "." in name or "{" in name or "}" in name or "%" in name or "$" in name or "//" in name or not name.strip("/"):
        return path_of(name.split("/"))
    if name[0] == "/" or name[-1] == "/":
        return path_of(name.split("/"))
    return name.replace("/", ".")


def name_of_path(path: str) -> str:
    """The variable name of a token path: the inverse of ``path_of_name``."""
    return "/".join(names(path))


def path_of_id(identity: str) -> str:
    """A path for a variable of which only the id is known."""
    return encoded(identity)


def key_of_remote_id(identity: str) -> str:
    """The key in a remote object's id: ``VariableID:<key>/<n:n>`` (platform-facts section 3); empty for a local id."""
    key, slash, _ = identity.partition(":")[2].partition("/")
    return key if slash else ""
