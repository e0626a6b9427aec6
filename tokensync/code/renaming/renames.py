"""Renames: the old and the new identifiers of tokens in code, as a file that ``migrate`` writes and people edit.

The file is TOML or JSON with a table for each platform, from an old identifier to the new one, or to a table that also
has the role of the rename, a note and what is known about the values. docs/migration-code.md documents it, and
config/schemas/renames.schema.json is its schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from msgspec import Struct, field

from tokensync.code.lexers import WORD_IN_TEXT
from tokensync.system.outlet.documents import in_toml
from tokensync.system.wording import quoted, shortened, suggestion
from tokensync.version import SITE

Platform = Literal["css", "android", "ios", "ts"]
Role = Literal["safe", "warn", "manual"]
"""``safe`` and ``warn`` renames are written, the latter with a finding; ``manual`` ones are only listed."""
Form = Literal["property", "variable", "resource", "member"]
"""A custom property of CSS, a variable of Sass, an Android resource, or a name of code with or without its owners."""

PLATFORMS: Final[tuple[Platform, ...]] = get_args(Platform)
ROLES: Final[tuple[Role, ...]] = get_args(Role)

_MEMBERS = {
    **dict.fromkeys(("to", "role", "note"), (str, "text")),
    **dict.fromkeys(("whole_color", "alias"), (bool, "true or false")),
}
_TABLES = f"a table for each platform: {', '.join(f'[{platform}]' for platform in PLATFORMS)}"
_EXAMPLES = {
    "css": "--color-background or $color-background",
    "android": "color/background, or Tokens.background for Kotlin",
    "ios": "background, or Color.background",
    "ts": "background, or tokens.background",
}
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|([^\n\r\f]))")
_RESOURCE = re.compile(r"(?:@|R\.)?([a-z]\w*)(?:/|(?<=\w)\.)([A-Za-z_][\w.]*)", re.ASCII)
_PROPERTY = re.compile(r"""--[^\x00-\x20"'`\\;{}<>\x7f]+""")
_NAME = r"(?:`(?=[^`\s.]*\w)[^`\s.]+`|[^\W\d]\w*|\$\w+)"
_MEMBER = re.compile(rf"\.?({_NAME}(?:\.{_NAME})*)")


class Rename(Struct, frozen=True):
    """A rename. ``old`` and ``new`` are names without escapes: ``--c-bg``, ``$c-bg``, ``color/c_bg``, ``Color.cBg``.

    ``whole_color`` is true if the old value was the parts of a colour, such as ``0 0% 100%``, and the new one is a
    whole colour. ``alias`` is false if the new name cannot read the old one, because their units differ.
    """

    platform: Platform
    form: Form
    old: str
    new: str
    role: Role = "safe"
    note: str = ""
    whole_color: bool = False
    alias: bool = True

    @property
    def owners(self) -> tuple[str, ...]:
        """Return the names before the last one of an old member: ``Color`` in ``Color.cBg``."""
        return tuple(self.old.split(".")[:-1]) if self.form == "member" else ()

    @property
    def is_plain(self) -> bool:
        """Return whether the old name is a word of prose without an owner, which code has for other things, too."""
        return self.form == "member" and "." not in self.old and not WORD_IN_TEXT.search(self.old)

    @property
    def can_alias(self) -> bool:
        """Return whether the new name can read the old one for a release."""
        return self.alias and not self.whole_color and self.role != "manual"


class InvalidRename(NamedTuple):
    """An invalid part of a renames file: the names that lead to it, what is wrong and what to do."""

    steps: tuple[str, ...]
    what: str
    what_to_do: str


class Renames(Struct, frozen=True):
    """All renames, by what code calls them: properties without escapes, resources as fields of the class R."""

    all: tuple[Rename, ...]
    properties: Mapping[str, Rename] = field(default_factory=dict)
    variables: Mapping[str, Rename] = field(default_factory=dict)
    resources: Mapping[tuple[str, str], Rename] = field(default_factory=dict)
    members: Mapping[Platform, Mapping[str, list[Rename]]] = field(default_factory=dict)
    guarded: frozenset[Rename] = frozenset()
    """Renames whose old name is the new name of another: a second run would rename what the first one has written."""
    guarding: frozenset[Rename] = frozenset()
    """The renames with these new names."""

    @classmethod
    def of(cls, renames: Iterable[Rename]) -> Renames:
        """Return the tables of these renames. One to the same name only counts if its value is a whole colour now."""
        given = [(rename, rename.old != rename.new or rename.role == "manual") for rename in renames]
        every = tuple(rename for rename, is_change in given if is_change or rename.whole_color)
        kept = tuple(rename for rename, is_change in given if is_change)
        pairs = tuple(_chained(kept))
        members: dict[Platform, dict[str, list[Rename]]] = {}
        for rename in sorted(kept, key=lambda rename: -rename.old.count(".")):
            if rename.form == "member":
                members.setdefault(rename.platform, {}).setdefault(rename.old.rpartition(".")[2], []).append(rename)
        return cls(
            every,
            {rename.old: rename for rename in kept if rename.form == "property"},
            {as_variable(rename.old): rename for rename in kept if rename.form == "variable"},
            {in_code(rename.old): rename for rename in kept if rename.form == "resource"},
            members,
            frozenset(second for _, second in pairs),
            frozenset(first for first, _ in pairs),
        )


def as_variable(name: str) -> str:
    """Return the name of a Sass variable as Sass compares it: a hyphen equals an underscore."""
    return name.replace("_", "-")


def in_code(resource: str) -> tuple[str, str]:
    """Return the type and name of a resource as fields of the class R: dots are underscores."""
    kind, _, name = resource.partition("/")
    return kind, name.replace(".", "_")


def bare(name: str) -> str:
    """Return a name of code without the backticks of Kotlin and Swift."""
    return name.removeprefix(".").replace("`", "")


def unescaped(text: str) -> str:
    """Return an identifier of CSS without its escapes."""
    if "\\" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        if match[2]:
            return match[2]
        code = int(match[1], 16)
        return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else "\ufffd"

    return _ESCAPE.sub(character, text)


def escaped(name: str) -> str:
    """Return a custom property or variable as CSS writes it, with escapes for what is no part of an identifier."""
    return name[:1] + re.sub(r"[^\w\x80-\U0010ffff-]", lambda match: rf"\{ord(match[0]):x} ", name[1:], flags=re.ASCII)


def _chained(renames: Sequence[Rename]) -> Iterable[tuple[Rename, Rename]]:
    """Yield each rename with another one whose old name is its new name, or the end of it."""
    by_old = {(rename.platform, rename.form, rename.old): rename for rename in renames if rename.role != "manual"}
    for rename in by_old.values():
        names = bare(rename.new).split(".") if rename.form == "member" else [rename.new]
        for start in range(len(names)):
            found = by_old.get((rename.platform, rename.form, ".".join(names[start:])))
            if found is not None and found is not rename:
                yield rename, found


def read_renames(document: object) -> tuple[Renames, tuple[InvalidRename, ...]]:
    """Return the renames of a decoded file, and what is invalid in it."""
    if not isinstance(document, dict):
        return Renames(()), (InvalidRename((), "the file is no table of platforms", f"write {_TABLES}"),)
    found: list[Rename] = []
    invalid: list[InvalidRename] = []
    for platform, table in document.items():
        if platform == "$schema":
            continue
        if platform not in PLATFORMS:
            advice = suggestion(str(platform), PLATFORMS)
            invalid.append(InvalidRename((platform,), f"the platform {quoted(platform)} is unknown", advice))
        elif not isinstance(table, dict):
            invalid.append(InvalidRename((platform,), "this is no table of renames", f"write {_TABLES}"))
        else:
            for rename in (_rename(platform, old, value) for old, value in table.items()):
                found.append(rename) if isinstance(rename, Rename) else invalid.append(rename)
    invalid += _repeated(found)
    return Renames.of(found), tuple(invalid)


def _rename(platform: Platform, old: str, value: object) -> Rename | InvalidRename:
    table: Any = {"to": value} if isinstance(value, str) else value
    steps = (platform, old)
    if not isinstance(table, dict):
        return InvalidRename(steps, "the new name is no text", f'write "{old}" = "{_EXAMPLES[platform].split()[0]}"')
    if unknown := [name for name in table if name not in _MEMBERS]:
        what = f"the member {quoted(unknown[0])} is unknown"
        return InvalidRename((*steps, unknown[0]), what, suggestion(str(unknown[0]), [*_MEMBERS]))
    for name, (kind, what) in _MEMBERS.items():
        if name in table and not isinstance(table[name], kind):
            return InvalidRename((*steps, name), f"{quoted(table[name])} is no {what}", f"write {what}")
    role = table.get("role", "safe")
    if role not in ROLES:
        return InvalidRename((*steps, "role"), f"the role {quoted(role)} is unknown", suggestion(role, ROLES))
    if "to" not in table and role != "manual":
        return InvalidRename(steps, "there is no new name", 'add to = "...", or role = "manual"')
    checked = _checked(steps, platform, old, table, role)
    if isinstance(checked, InvalidRename) and isinstance(value, str):
        return checked._replace(steps=steps)
    return checked


def _checked(
    steps: tuple[str, ...], platform: Platform, old: str, table: Mapping[str, Any], role: Role
) -> Rename | InvalidRename:
    to = table.get("to", "")
    read, read_to = _identifier(platform, old), _identifier(platform, to)
    for text, identifier, where in ((old, read, steps), (to, read_to, (*steps, "to"))):
        if identifier is None and not (where[2:] and role == "manual"):
            what = f"{quoted(text)} is no identifier of {platform}"
            return InvalidRename(where, what, f"write a name such as {_EXAMPLES[platform]}")
    form, name = read or ("member", old)
    new_form, new = read_to or (form, to)
    if new_form != form and role != "manual":
        what = f"{quoted(old)} is a {form} and {quoted(to)} is a {new_form}, so this is more than a new name"
        return InvalidRename(steps, what, 'set role = "manual", and change the code by hand')
    if form == "resource" and new.partition("/")[0] != name.partition("/")[0] and role != "manual":
        what = f"{quoted(old)} and {quoted(to)} are resources of two types"
        written = f"{name.partition('/')[0]}/{new.partition('/')[2]}"
        return InvalidRename(steps, what, f"write {shortened(written, 200)}")
    if new_form == "member" and new:
        new = to.removeprefix(".")  # with its backticks
        owner = "" if "." in new else name.rpartition(".")[0]
        new = f"{owner}.{new}" if owner else new
    whole_color, alias = bool(table.get("whole_color", False)), bool(table.get("alias", True))
    return Rename(platform, form, name, new, role, str(table.get("note", "")), whole_color, alias)


def _identifier(platform: Platform, text: str) -> tuple[Form, str] | None:
    """Return the form of an identifier, and its name without escapes; None if it is not one."""
    if platform == "css":
        if re.fullmatch(r"\$(?=\W*\w)[^\s\"'(){};:,#$]+", text):
            return "variable", text
        name = unescaped(text)
        return ("property", name) if _PROPERTY.fullmatch(name) else None
    if platform == "android" and (match := _RESOURCE.fullmatch(text)) and ("/" in text or text.startswith("R.")):
        return "resource", f"{match[1]}/{match[2]}"
    found = _MEMBER.fullmatch(text)
    return ("member", bare(found[1])) if found else None


def _repeated(renames: Sequence[Rename]) -> Iterable[InvalidRename]:
    """Yield old names that code does not tell from another one, such as ``$a-b`` and ``$a_b``."""
    seen: dict[tuple[str, ...], Rename] = {}
    for rename in renames:
        name = as_variable(rename.old) if rename.form == "variable" else rename.old
        key = (rename.platform, *(in_code(name) if rename.form == "resource" else (name,)))
        first = seen.setdefault(key, rename)
        if first.new != rename.new or first.role != rename.role:
            what = f"{quoted(rename.old)} is the same identifier as {quoted(first.old)}"
            yield InvalidRename((rename.platform, rename.old), what, "remove one of them")


def renames_document(renames: Iterable[Rename]) -> str:
    """Return a renames file as TOML, with the renames of each platform in their order."""
    lines = [f'"$schema" = "{SITE}schemas/renames.schema.json"', ""] if SITE else []
    every = tuple(renames)
    for platform in PLATFORMS:
        own = [rename for rename in every if rename.platform == platform]
        lines += ["", f"[{platform}]"] if own else []
        lines += [f"{in_toml(rename.old)} = {_value(rename)}" for rename in own]
    return "\n".join((*lines, ""))


def _value(rename: Rename) -> str:
    members = [f"to = {in_toml(rename.new)}"] if rename.new else []
    members += [f'role = "{rename.role}"'] if rename.role != "safe" else []
    members += [f"note = {in_toml(rename.note)}"] if rename.note else []
    members += ["whole_color = true"] if rename.whole_color else []
    members += ["alias = false"] if not rename.alias else []
    return in_toml(rename.new) if members == [f"to = {in_toml(rename.new)}"] else f"{{ {', '.join(members)} }}"


RENAMES = "tokensync.renames.toml"
"""The file of renames that ``tokensync migrate code`` reads."""
