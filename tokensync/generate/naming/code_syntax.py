"""Code syntax as designers type it: the identifier in a text, and the patterns of the configuration for more forms."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tokensync.system import resources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from tokensync.generate.naming.rules import NamingRules
    from tokensync.tokens import Token

    Patterns = Mapping[str, tuple[str, ...]]
    """The patterns of the configuration by the design tool's name for a platform."""

NAME = "{name}"
RESOURCE = "{resource}"
"""In a text to write: the type of Android's resource, such as ``dimen``."""
_WILDCARD = "*"
_LONGEST_TEXT = 500
"""The most characters of a code syntax that the configuration's patterns are compared with."""


class Reading(NamedTuple):
    """A parsed code syntax: the identifier, and the reference to it in code."""

    name: str
    reference: str


class CodeSyntax(NamedTuple):
    """The parser of a platform's code syntax; see the head of config/code-syntax.toml.

    ``own`` is true if the design tool has a code syntax for this very platform, so that its text is a reference.
    ``configured`` are the patterns of the configuration, which come first.
    """

    syntax: str
    owner: str
    theme: str
    comments: re.Pattern[str]
    configured: tuple[re.Pattern[str], ...]
    patterns: tuple[re.Pattern[str], ...]
    accessors: tuple[str, ...]
    generic: frozenset[str]
    properties: frozenset[str]
    kinds: Mapping[str, int]
    word: re.Pattern[str]
    system: re.Pattern[str] | None
    shade: str
    declared: str
    referred: str
    own: bool
    spelled: Callable[[str], str]
    system_colors: frozenset[str]

    def text_of(self, token: Token) -> str:
        """Return a token's raw code syntax for this platform, or an empty text."""
        for syntax, text in token.code_syntax:
            if syntax == self.syntax:
                return text.strip()
        return ""

    def read(self, text: str) -> Reading | None:
        """Parse a code syntax; return None if it contains no identifier."""
        if len(text) <= _LONGEST_TEXT:
            for pattern in self.configured:
                if match := pattern.fullmatch(text):
                    return Reading(self._declared(match["name"]), text)
        bare = self._without_comments(text)
        if self.is_of_system(bare):
            return None
        plain = self._without_accessors(bare)
        for pattern in self.patterns:
            if match := pattern.fullmatch(plain):
                is_name_alone = match.start("name") <= self.declared.index("{") and plain == bare
                name = match["name"]
                if pattern.groups > 1:  # "name" and "shade"
                    joint = self.shade or ("_" if name[-1].isdigit() else "")  # gray2 and 500 are not gray2500
                    name = f"{name}{joint}{match['shade']}"
                elif name in self.generic or name in self.properties:
                    name = self._whole_name(name, plain[: match.start("name")])
                name = self._declared(name)
                if self.own and not is_name_alone:
                    return Reading(name, bare.removesuffix(";").rstrip())
                return Reading(name, self.reference(name))
        return None

    def is_of_system(self, text: str) -> bool:
        """Return whether a code syntax refers to the platform itself, as ``android.R.color.white`` does."""
        match = self.system.search(self._without_comments(text)) if self.system else None
        if match is None or (member := match.groupdict().get("member")) is None:
            return match is not None
        type_ = match["type"]
        types = ["UIColor" if type_ in ("UIColor", "NSColor") else "Color"]
        if type_ is None and (match["converted"] or member.startswith("system")):
            types.append("UIColor")
        return any(f"{each}.{member}" in self.system_colors for each in types)

    def reason(self, text: str) -> str:
        """Return why a code syntax is not read."""
        if not self.is_of_system(text):
            return "contains no name"
        match = self.system.search(self._without_comments(text)) if self.system else None
        return self.theme if match and match.groupdict().get("theme") else self.owner

    def has_form(self, text: str) -> bool:
        """Return whether a pattern of the configuration could read a code syntax: it contains a possible name.

        Numbers, units and functions are none.
        """
        return bool(self.word.search(self._without_accessors(self._without_comments(text))))

    def reference(self, identifier: str) -> str:
        """Return the reference to an identifier in code, which is also its code syntax."""
        return self.referred.replace(NAME, identifier)

    def bare_name(self, identifier: str) -> str:
        """Return an identifier without the sigil of its declaration: ``accent`` for ``--accent``."""
        return identifier.removeprefix(self.declared.removesuffix(NAME))

    def generic_member(self, text: str) -> str:
        """Return the last member of a code syntax that consists of members, if it is a generic one; else nothing."""
        plain = self._without_accessors(self._without_comments(text)).rstrip(";} ")
        member = plain.rpartition(".")[2].strip("`")
        return member if "." in plain and member in self.generic | self.properties else ""

    def _without_comments(self, text: str) -> str:
        if "/*" in text or "//" in text or "<!--" in text:  # comments of any platform
            return self.comments.sub("", text).strip()
        return text

    def _without_accessors(self, text: str) -> str:
        """Return an expression without the members at its end that convert the token: ``.value``, ``.dp``."""
        plain = text.removesuffix(";").rstrip()
        end = "}" if plain.endswith("}") else ""  # of ${tokens.accent.value}
        plain = plain.removesuffix(end).rstrip()
        rest = self._without_accessor(self._without_accessor(plain))
        is_expression = rest[-1:].isalnum() or rest[-1:] in ("_", ")", "]", "`")
        return f"{rest}{end}" if rest != plain and is_expression else text

    def _without_accessor(self, text: str) -> str:
        return text.removesuffix(next((each for each in self.accessors if text.endswith(each)), ""))

    def _whole_name(self, name: str, before: str) -> str:
        """Return the name of a text that ends in a generic member or a property; ``before`` is the text before it."""
        before = before.rstrip("`\"'")
        if before[-1:] not in (".", "/", "["):
            return name
        parts = before[:-1].split("/" if before[-1:] == "/" else ".")
        outer = [match[0] if (match := re.search(r"[^\W\d]\w*$", each.strip("`"))) else "" for each in parts]
        return self._of_members(outer, name)

    def _of_members(self, outer: list[str], name: str) -> str:
        """Return the name of members: ``primary`` of theme.colors.primary.color, ``primaryMain`` of primary.main."""
        while len(outer) > 1 and f".{outer[-1]}" in self.accessors:
            outer = outer[:-1]
        if not outer or not (name in self.generic or name in self.properties):
            return name
        *first, group = outer
        if not group or group.lower() in self.kinds or first[-1:] == ["R"]:
            return name
        if not first and (name in self.generic or not group[0].islower()):
            return name
        whole = self._of_members(first, group)
        kind = self.kinds.get(name.lower())
        if kind is not None and kind in (self.kinds.get(each.lower()) for each in first):
            return whole
        return f"{whole}{self.shade}{name}" if self.shade else f"{whole}{name[:1].upper()}{name[1:]}"

    def _declared(self, name: str) -> str:
        return self.declared.replace(NAME, self.spelled(name))


def code_syntax(rules: NamingRules, patterns: Patterns) -> CodeSyntax:
    """Return the parser of a target's code syntax, with the patterns of the configuration."""
    table = _tables()[rules.platform]
    source = _tables()[table.get("from", rules.platform)]
    return _code_syntax(rules, patterns.get(source["syntax"], ()))


@cache
def _code_syntax(rules: NamingRules, patterns: tuple[str, ...]) -> CodeSyntax:
    table = _tables()[rules.platform]
    source = _tables()[table.get("from", rules.platform)]
    return CodeSyntax(
        source["syntax"],
        source.get("owner", ""),
        source.get("theme", ""),
        re.compile("|".join(source["comments"]), re.DOTALL | re.MULTILINE),
        tuple(_compiled(each, source["name"], source["member"]) for each in patterns),
        tuple(re.compile(each) for each in source["patterns"]),
        tuple(f".{each}" for each in source["accessors"]),
        frozenset(_tables()["generic"]),
        frozenset(_tables()["properties"]),
        {name: at for at, names in enumerate(_tables()["kinds"]) for name in names},
        re.compile(rf"(?<![\w#])(?!\d)(?:{source['name']})(?![\w(])"),
        re.compile(source["system"], re.VERBOSE) if "system" in source else None,
        source["shade"],
        table["identifier"],
        table["reference"],
        source is table,
        rules.respell,
        rules.system_colors,
    )


@cache
def _tables() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(resources.read_text("config", "code-syntax.toml"))


def _compiled(pattern: str, name: str, member: str) -> re.Pattern[str]:
    """Return a pattern of the configuration as a regular expression.

    A wildcard takes all characters of a member and gives none back, so that matching takes linear time.
    """
    before, after = (
        "".join(f"{member}*+" if each == _WILDCARD else re.escape(each) for each in part)
        for part in pattern.split(NAME)
    )
    return re.compile(f"{before}(?P<name>{name}){after}")


def _flaw_of_placeholder(text: str, syntax: str) -> tuple[str, str] | None:
    """Return what is wrong if a text does not contain the placeholder once, and a remedy with the text itself."""
    if text.count(NAME) == 1:
        return None
    what = f"{text!r:.80} must contain {NAME} once"
    if NAME in text:
        return what, f"keep only one {NAME}"
    filled, count = re.subn(r"\{(?!resource\})[^{}]*\}", NAME, text, count=1)
    if not count:
        table = next(each for each in _tables().values() if isinstance(each, dict) and each.get("syntax") == syntax)
        matches = (re.fullmatch(each, text) for each in table["patterns"])
        match = next(filter(None, matches), None)
        filled = f"{text[: match.start('name')]}{NAME}{text[match.end('name') :]}" if match else ""
    to_do = f"write {NAME} where the name is"
    return what, f"{to_do}: {filled}" if filled and len(filled) <= _LONGEST_TEXT else to_do


def pattern_flaw(pattern: str, syntax: str) -> tuple[str, str] | None:
    """Return what is wrong with a pattern of the configuration, and the remedy; None if it is valid.

    ``syntax`` is the design tool's name for its platform.
    """
    shown = f"{pattern!r:.80}"
    if (flaw := _flaw_of_placeholder(pattern, syntax)) is not None:
        return flaw
    if any(not each.isprintable() for each in pattern):
        return f"{shown} contains a character that is not printable", "remove it"
    for at, character in enumerate(pattern):
        if character == _WILDCARD and _joins(pattern, at):
            what = f"in {shown}, a {_WILDCARD} does not stand for a whole member"
            return what, f"put a dot or another separator before and after each {_WILDCARD}"
    return None


def written_flaw(text: str, syntax: str) -> tuple[str, str] | None:
    """Return what is wrong with a text to write code syntax from, and the remedy; None if it is valid."""
    shown = f"{text!r:.80}"
    if (flaw := _flaw_of_placeholder(text, syntax)) is not None:
        return flaw
    if RESOURCE in text and syntax != "ANDROID":
        return f"{shown} contains {RESOURCE}, which only Android has", "remove it"
    if any(not each.isprintable() for each in text):
        return f"{shown} contains a character that is not printable", "remove it"
    return None


def _joins(pattern: str, at: int) -> bool:
    """Return whether a wildcard is next to a letter, digit, hyphen, underscore, name or wildcard."""
    around = (pattern[at - 1] if at else ".", pattern[at + 1] if at + 1 < len(pattern) else ".")
    return (
        any(each.isalnum() or each in "_-*" for each in around)
        or pattern[:at].endswith(NAME)
        or pattern[at + 1 :].startswith(NAME)
    )
