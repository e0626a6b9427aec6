"""Long texts, lists, counts and suggestions in messages."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tokensync.system.problems import Problem

NAME = 60
"""The most characters of a name in messages."""

_RATIO_OF_SLIPS = 0.75  # "$tpe" or "$typo" beside "$type"

OMITTED = "..."
"""What stands for the details that a brief text leaves out."""


def shortened(text: str, longest: int = NAME) -> str:
    """Return at most ``longest`` characters of a text, with an ellipsis at the end of a shortened one."""
    return text if len(text) <= longest else f"{text[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"


def quoted(value: object, longest: int = 40) -> str:
    """Return the beginning of a value in quotes, for messages."""
    try:
        text = str(value)
    except RecursionError:
        text = "a deeply nested value"
    return repr(text[:longest])


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return ``a, b, c``, or for more than ``most`` names ``a, b, c and 2 more``."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def listed_once(names: Sequence[str], most: int = 10) -> str:
    """Return ``a; b`` without duplicates, or for more than ``most`` texts ``a; b; and 2 more``."""
    unique = tuple(dict.fromkeys(names))
    more = f"; and {len(unique) - most} more" if len(unique) > most else ""
    return "; ".join(unique[:most]) + more


def counted(number: int, noun: str) -> str:
    """Return ``1 token``, ``1,200 tokens`` or ``2 aliases``."""
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def design_findings(problems: Iterable[Problem]) -> str:
    """Return the number of findings about the design file in words; an empty text if there are none."""
    number = sum(problem.is_of_design for problem in dict.fromkeys(problems))
    return f"{counted(number, 'finding')} about the design file" if number else ""


def argument(text: str) -> str:
    """Return a text as one argument of a command to copy: in quotes if a shell would split or expand it.

    On Windows, these are double quotes, which cmd.exe, PowerShell and Git Bash know; those of PowerShell expand some.
    """
    from shlex import quote

    quoted = quote(text)
    is_double = os.name == "nt" and quoted != text and not {*'"$`'} & {*text} and text[-1:] != "\\"
    return f'"{text}"' if is_double else quoted


def arguments(texts: Iterable[str]) -> str:
    """Return the arguments of a command to copy, with blanks between them."""
    return " ".join(map(argument, texts))


def extras() -> dict[str, dict[str, str]]:
    """Return the versions of the packages of each extra that this machine can have, ``""`` for a missing one."""
    import re
    import sys
    from importlib import metadata

    installed = {str(each.name).lower(): each for each in metadata.distributions()}
    found: dict[str, dict[str, str]] = {}
    for requirement in (installed["tokensync"].requires or ()) if "tokensync" in installed else ():
        name, extra = requirement.partition(">")[0], re.search(r"extra == .(\w+)", requirement)
        limit = re.search(r"python_version < .3\.(\d+)", requirement)
        is_for_here = (not limit or sys.version_info < (3, int(limit[1]))) and (
            "sys_platform == 'linux'" not in requirement or sys.platform == "linux"
        )
        if extra and is_for_here:
            found.setdefault(extra[1], {})[name] = installed[name].version if name in installed else ""
    return found


def install_command(*packages: str) -> str:
    """Return the command that adds packages to the environment in which tokensync is installed."""
    import sys

    # Environments of pipx and `uv tool` contain these files, and have no pip of their own.
    if os.path.exists(os.path.join(sys.prefix, "pipx_metadata.json")):
        return f"pipx inject {arguments([os.path.basename(sys.prefix), *packages])}"
    receipt = os.path.join(sys.prefix, "uv-receipt.toml")
    return _uv_command(receipt, packages) if os.path.exists(receipt) else f"python -m pip install {arguments(packages)}"


def _uv_command(receipt: str, packages: Iterable[str]) -> str:
    """Return the command that installs a tool of uv again with further packages: it replaces the environment."""
    import tomllib

    with open(receipt, "rb") as file:
        requirements = tomllib.load(file)["tool"]["requirements"]
    own = next(requirement for requirement in requirements if requirement["name"] == "tokensync")
    source = next((own[each] for each in ("editable", "directory", "path", "url") if each in own), "tokensync")
    extras = f"[{','.join(own['extras'])}]" if "extras" in own else ""
    others = [requirement["name"] for requirement in requirements if requirement is not own]
    words = [word for name in (*others, *packages) for word in ("--with", name)] + ["--editable"] * ("editable" in own)
    return f"uv tool install {arguments([*words, source + extras])}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to this one, without regard to case; None if none is similar."""
    from difflib import get_close_matches

    by_folded = {each[:NAME].casefold(): each for each in known if each[:1] != "$"}
    similar = get_close_matches(name[:NAME].casefold(), by_folded, 1)
    return by_folded[similar[0]] if similar else None


def mistyped(name: str, known: Iterable[str]) -> str | None:
    """Return the known name of which this one differs by a slip: a letter more or less, another letter, or the order.

    Unlike ``nearest``, this is strict enough for errors: a name that somebody chose does not count.
    """
    from difflib import SequenceMatcher

    folded = name[:NAME].casefold()
    for candidate in known:
        other = candidate.casefold()
        ratio = SequenceMatcher(None, folded, other).ratio() if abs(len(folded) - len(other)) <= 1 else 0
        if ratio >= _RATIO_OF_SLIPS or sorted(folded) == sorted(other):
            return candidate
    return None


class SimilarNames:
    """Finds the nearest names for the first of many unknown ones; comparing all of them would take minutes."""

    _remaining_comparisons = 50_000  # a second

    def nearest(self, name: str, known: Collection[str]) -> str | None:
        """Return what ``nearest`` does; None, too, if that would take too many comparisons."""
        if len(known) > self._remaining_comparisons:
            return None
        self._remaining_comparisons -= len(known)
        return nearest(name, known)

    def path(self, tree: Mapping[str, Any], steps: Sequence[str]) -> tuple[str, ...] | None:
        """Return the path of a tree that these steps misspell: at each level, that name or the most similar one."""
        node: Any = tree
        found: list[str] = []
        for step in steps:
            members = node if isinstance(node, dict) else {}
            name = step if step in members else self.nearest(step, members)
            if name is None:
                return None
            found.append(name)
            node = members[name]
        return tuple(found)


def suggestion(name: str, allowed: Sequence[str], *, quoted: bool = False, most: int = 20) -> str:
    """Return the remedy for an unknown name: use the most similar allowed one, or one of them, ``most`` at most.

    The first parts of an allowed name, before a slash, may be missing.
    """
    import json
    from difflib import get_close_matches

    if not allowed:
        return "remove it"
    forms: dict[str, list[str]] = {}
    for each in dict.fromkeys(allowed):
        parts = each.lower().split("/")
        for start in range(len(parts)):
            forms.setdefault("/".join(parts[start:]).strip(), []).append(each)
    similar = get_close_matches(name[:NAME].lower(), forms, 1)
    names = forms[similar[0]] if similar else [*dict.fromkeys(allowed)]
    texts = [json.dumps(name, ensure_ascii=False) if quoted else name for name in names]
    return f"use {texts[0]}" if len(texts) == 1 else f"use one of {listed(texts, most)}"
