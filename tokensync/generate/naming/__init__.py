"""The identifiers of tokens on a platform: by code syntax or else by the name template, without collisions.

Code syntax is a text as designers type it: the identifier is in one of the forms of config/code-syntax.toml, or in one
of the patterns of the configuration.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.naming.rules import (
    NAMELESS,
    NamingRules,
    ascii_path_words,
    ascii_words,
    camel,
    words,
    words_of_paths,
)
from tokensync.generate.naming.templates import LIMITS, LINE, NAMES, Filters, NamedToken, Own, render
from tokensync.settings import NamingConfig
from tokensync.system import resources
from tokensync.system.boundary import Flaw, is_within
from tokensync.system.disk import open_file
from tokensync.system.errors import ProblemsError
from tokensync.system.outlet import readable
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import shortened
from tokensync.tokens.paths import names as names_of_path
from tokensync.tokens.values import public_type

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from tokensync.generate.naming.rules import Words
    from tokensync.tokens import Collection as Family
    from tokensync.tokens import FamilyKey, Token, TokenGraph, TokenKey
    from tokensync.tokens.resolver import TokenIndex, TokenTable

    Patterns = Mapping[str, tuple[str, ...]]
    """The patterns of the configuration by the design tool's name for a platform."""


NAME = "{name}"
PATH = "{path}"
"""At the end of a pattern: all names of a path as members, as in ``Tokens.Control.height``."""
RESOURCE = "{resource}"
"""In a text to write: the type of Android's resource, such as ``dimen``."""
_WILDCARD = "*"
_LONGEST_TEXT = 500
"""The most characters of a code syntax that the configuration's patterns are compared with."""


class _CodeSyntax(NamedTuple):
    """The parser of a platform's code syntax; see the head of config/code-syntax.toml.

    ``source`` is the table whose code syntax is read. ``configured`` are the patterns of the configuration, which come
    first. ``special`` are the names that ``usual`` cannot decide about: accessors, generic members, properties, and
    members of system colours.
    """

    source: Mapping[str, Any]
    comments: re.Pattern[str]
    configured: tuple[re.Pattern[str], ...]
    usual: re.Pattern[str]
    accessors: tuple[str, ...]
    generic: frozenset[str]
    properties: frozenset[str]
    special: frozenset[str]
    kinds: Mapping[str, int]
    word: re.Pattern[str]
    declared: str
    referred: str
    spelled: Callable[[str], str]
    system_colors: frozenset[str]

    def texts(self, table: TokenTable, tokens: Iterable[TokenIndex]) -> dict[TokenIndex, str]:
        """Return the raw code syntax of those of the tokens that have any for this platform."""
        column, platform = table.code_syntax, self.source["syntax"]
        return {
            index: text.strip()
            for index in tokens
            if column[index]
            for name, text in column[index]
            if name == platform and text and not text.isspace()
        }

    def names(self, texts: Sequence[str]) -> list[str | None]:
        """Return the identifier in each code syntax, as ``read`` does; most are of the usual form."""
        names: list[str | None] = []
        special, spelled, is_configured = self.special, self.spelled, bool(self.configured)
        before, _, after = self.declared.partition(NAME)
        for text, match in zip(texts, map(self.usual.fullmatch, texts), strict=True):
            if match and not is_configured and (name := match["name"]) not in special:
                names.append(f"{before}{spelled(name)}{after}")
            else:
                names.append(self.read(text))
        return names

    def read(self, text: str) -> str | None:
        """Return the identifier in a code syntax; None if it contains none."""
        if (name := self.read_by_configuration(text)) is not None:
            return name
        bare = self.without_comments(text)
        if self.is_of_system(bare):
            return None
        plain = self._without_accessors(bare)
        for form in self.source["patterns"]:
            if match := re.fullmatch(form, plain):
                name = match["name"]
                if match.re.groups > 1:  # "name" and "shade"
                    joint = self.source["shade"] or (
                        "_" if name[-1].isdigit() else ""
                    )  # gray2 and 500 are not gray2500
                    name = f"{name}{joint}{match['shade']}"
                elif name in self.generic or name in self.properties:
                    name = self._whole_name(name, plain[: match.start("name")])
                return self._declared(name)
        return None

    def read_by_configuration(self, text: str) -> str | None:
        """Return the identifier in a code syntax by a pattern of the configuration; None if none matches."""
        matches = (pattern.fullmatch(text) for pattern in self.configured if len(text) <= _LONGEST_TEXT)
        return next((self._declared(_joined(match["name"])) for match in matches if match), None)

    def is_of_system(self, text: str) -> bool:
        """Return whether a code syntax refers to the platform itself, as ``android.R.color.white`` does."""
        match = self._of_system(text)
        if match is None or (member := match.groupdict().get("member")) is None:
            return match is not None
        type_ = match["type"]
        types = ["UIColor" if type_ in ("UIColor", "NSColor") else "Color"]
        if type_ is None and (match["converted"] or member.startswith("system")):
            types.append("UIColor")
        return any(f"{type_}.{member}" in self.system_colors for type_ in types)

    def reason(self, text: str) -> str:
        """Return why a code syntax is not read."""
        if not self.is_of_system(text):
            return "contains no name"
        match = self._of_system(text)
        return str(self.source["theme" if match and match.groupdict().get("theme") else "owner"])

    def _of_system(self, text: str) -> re.Match[str] | None:
        return re.search(self.source["system"], self.without_comments(text), re.VERBOSE)

    def has_form(self, text: str) -> bool:
        """Return whether a pattern of the configuration could read a code syntax: it contains a possible name.

        Numbers, units and functions are none.
        """
        return bool(self.word.search(self._without_accessors(self.without_comments(text))))

    def reference(self, identifier: str) -> str:
        """Return the reference to an identifier in code, which is also its code syntax."""
        return self.referred.replace(NAME, identifier)

    def generic_member(self, text: str) -> str:
        """Return the last member of a code syntax that consists of members, if it is a generic one; else nothing."""
        plain = self._without_accessors(self.without_comments(text)).rstrip(";} ")
        member = plain.rpartition(".")[2].strip("`")
        return member if "." in plain and member in self.generic | self.properties else ""

    def without_comments(self, text: str) -> str:
        """Return a code syntax without the comments of any platform."""
        if "/*" in text or "//" in text or "<!--" in text:
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
        if not text.endswith(self.accessors):
            return text
        return text.removesuffix(next(filter(text.endswith, self.accessors)))

    def _whole_name(self, name: str, before: str) -> str:
        """Return the name of a text that ends in a generic member or a property; ``before`` is the text before it."""
        before = before.rstrip("`\"'")
        if before[-1:] not in (".", "/", "["):
            return name
        parts = before[:-1].split("/" if before[-1:] == "/" else ".")
        outer = [match[0] if (match := re.search(r"[^\W\d]\w*$", part.strip("`"))) else "" for part in parts]
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
        shade = self.source["shade"]
        return f"{whole}{shade}{name}" if shade else f"{whole}{name[:1].upper()}{name[1:]}"

    def _declared(self, name: str) -> str:
        return self.declared.replace(NAME, self.spelled(name))


def code_syntax(rules: NamingRules, patterns: Patterns) -> _CodeSyntax:
    """Return the parser of a target's code syntax, with the patterns of the configuration."""
    table = _tables()[rules.platform]
    source = _tables()[table.get("from", rules.platform)]
    return _code_syntax(rules, patterns.get(source["syntax"], ()))


@cache
def _code_syntax(rules: NamingRules, patterns: tuple[str, ...]) -> _CodeSyntax:
    table = _tables()[rules.platform]
    source = _tables()[table.get("from", rules.platform)]
    members = (color.rpartition(".")[2] for color in rules.system_colors)
    return _CodeSyntax(
        source,
        re.compile("|".join(source["comments"]), re.DOTALL | re.MULTILINE),
        tuple(_compiled(pattern, source["name"], source["member"]) for pattern in patterns),
        re.compile(source["usual"]),
        tuple(f".{each}" for each in source["accessors"]),
        frozenset(_tables()["generic"]),
        frozenset(_tables()["properties"]),
        frozenset((*source["accessors"], *_tables()["generic"], *_tables()["properties"], *members)),
        {name: at for at, names in enumerate(_tables()["kinds"]) for name in names},
        re.compile(rf"(?<![\w#])(?!\d)(?:{source['name']})(?![\w(])"),
        table["identifier"],
        table.get("reference", NAME),
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
    if pattern.endswith(PATH):
        return re.compile(rf"{re.escape(pattern.removesuffix(PATH))}(?P<name>(?:{name}\.)*`?{name}`?)")
    before, after = (
        "".join(f"{member}*+" if each == _WILDCARD else re.escape(each) for each in part)
        for part in pattern.split(NAME)
    )
    return re.compile(f"{before}(?P<name>{name}){after}")


def _joined(name: str) -> str:
    """Return one name for members, which only ``PATH`` matches."""
    return camel([word for member in name.split(".") for word in words(member)]) if "." in name else name.strip("`")


def _flaw_of_text(text: str, syntax: str) -> tuple[str, str] | None:
    """Return what is wrong if a text is not printable or does not contain the placeholder once, and the remedy."""
    if not text.isprintable():
        return f"{text!r:.80} contains a character that is not printable", "remove it"
    if text.count(NAME) == 1:
        return None
    what = f"{text!r:.80} must contain {NAME} once"
    if NAME in text:
        return what, f"keep only one {NAME}"
    filled, count = re.subn(r"\{(?!resource\})[^{}]*\}", NAME, text, count=1)
    if not count:
        table = next(table for table in _tables().values() if isinstance(table, dict) and table.get("syntax") == syntax)
        matches = (re.fullmatch(each, text) for each in table["patterns"])
        match = next(filter(None, matches), None)
        filled = f"{text[: match.start('name')]}{NAME}{text[match.end('name') :]}" if match else ""
    to_do = f"write {NAME} where the name is"
    return what, f"{to_do}: {filled}" if filled and len(filled) <= _LONGEST_TEXT else to_do


def pattern_flaw(pattern: str, syntax: str) -> tuple[str, str] | None:
    """Return what is wrong with a pattern of the configuration, and the remedy; None if it is valid.

    ``syntax`` is the design tool's name for its platform.
    """
    if (flaw := _flaw_of_text(pattern, syntax)) is not None:
        return flaw
    for at, character in enumerate(pattern):
        if character == _WILDCARD and _joins(pattern, at):
            what = f"in {pattern!r:.80}, a {_WILDCARD} does not stand for a whole member"
            return what, f"put a dot or another separator before and after each {_WILDCARD}"
    return None


def written_flaw(text: str, syntax: str) -> tuple[str, str] | None:
    """Return what is wrong with a text to write code syntax from, and the remedy; None if it is valid."""
    flaw = _flaw_of_text(text, syntax)
    if flaw is None and RESOURCE in text and syntax != "ANDROID":
        return f"{text!r:.80} contains {RESOURCE}, which only Android has", "remove it"
    return flaw


def _joins(pattern: str, at: int) -> bool:
    """Return whether a wildcard is next to a letter, digit, hyphen, underscore, name or wildcard."""
    around = (pattern[at - 1] if at else ".", pattern[at + 1] if at + 1 < len(pattern) else ".")
    return (
        any(each.isalnum() or each in "_-*" for each in around)
        or pattern[:at].endswith(NAME)
        or pattern[at + 1 :].startswith(NAME)
    )


_LARGEST = 4 << 20
"""The most bytes of a template."""
_LARGEST_IN_ALL = 64 << 20
"""The most bytes of all templates of a folder."""


def rendered_bytes(name: str, folder: str | None, filters: Filters = (), /, **context: object) -> bytes:
    """Render a template as UTF-8. Raises ProblemsError (``template-failed``) for errors of the template.

    With a user's ``folder``, render in a sandbox process (``tokensync.generate.naming.sandbox``).
    """
    if folder is None:
        return render((), name, filters, context, LIMITS.size)
    from tokensync.generate.naming import sandbox

    own = template_files(folder)
    try:
        return sandbox.render(own, name, filters, context, LIMITS)
    except ProblemsError as stop:
        raise ProblemsError([_located(problem, folder, own) for problem in stop.problems]) from None


def _located(problem: Problem, folder: str, own: Own) -> Problem:
    """Return a problem with the path of a user's template, which the sandbox does not know."""
    name, colon, line = problem.where.removeprefix("templates/").partition(":")
    is_own = any(path == name for path, _ in own)
    return problem._replace(where=f"{os.path.join(folder, name)}{colon}{line}") if is_own else problem


def _rendered_line(line: str, where: str, tokens: Sequence[NamedToken], platform: str) -> str:
    """Render a template of the configuration for each token, in the sandbox process. Raises as ``rendered_bytes``."""
    from tokensync.generate.naming import sandbox

    own = ((NAMES, LINE.replace("<line>", line).encode("utf-8", "surrogatepass")),)
    try:
        return sandbox.render(own, NAMES, (), {"tokens": tokens, "platform": platform}, LIMITS).decode()
    except ProblemsError as stop:
        filters = "kebab, snake, camel, pascal, constant and join"
        to_do = f"correct it; it can use {', '.join(NamedToken._fields)} and platform, and the filters {filters}"
        problems = [problem._replace(where=where, what_to_do=to_do) for problem in stop.problems]
        raise ProblemsError(problems) from None


def template_files(folder: str) -> Own:
    """Read the templates of a user's folder, sorted by their paths in it. Ignore broken links and special files.

    Raises ProblemsError for a link out of the folder: through it, a checkout could publish private files.
    """
    top = os.path.realpath(folder)
    templates: list[tuple[str, bytes]] = []
    problems = []
    size = 0
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names) + [folder for folder in folders if os.path.islink(os.path.join(parent, folder))]:
            path = os.path.join(parent, name)
            flaw = _flaw_of_template(path, top)
            if flaw:
                problems.append(problem("path-refused", path, *flaw))
            elif os.path.isfile(path):
                with open_file(os.path.realpath(path)) as file:
                    text = file.read(_LARGEST)
                templates.append((os.path.relpath(path, folder).replace(os.sep, "/"), text))
                size += len(text)
                if size > _LARGEST_IN_ALL:
                    what = f"its files are larger than {_LARGEST_IN_ALL >> 20} MiB together"
                    raise ProblemsError(
                        [problem("path-refused", folder, what, "move files that are not templates elsewhere")]
                    )
    if problems:
        raise ProblemsError(problems)
    return tuple(sorted(templates))


def _flaw_of_template(path: str, top: str) -> Flaw | None:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        real = os.path.realpath(path)
        if not is_within(real, top):
            return Flaw(f"a link leads out of the templates, to {real}", "put the file itself there")
        if os.path.isdir(path):
            return Flaw("a link leads to a folder, and is not followed", "put the folder itself there")
    if os.path.isfile(path) and os.path.getsize(path) > _LARGEST:
        return Flaw(f"it is larger than {_LARGEST >> 20} MiB", "move files that are not templates elsewhere")
    return None


_SIGN = re.compile(r"[^\w\s.,/-]")
"""A character of a name that is neither in words nor between them, such as that of ``50%`` and ``+2``."""
_DEFAULTS = NamingConfig()
_NO_PATTERNS: Patterns = MappingProxyType({})

Identity = str | tuple["FamilyKey", str]
"""The identity of a name: the folded name, with the collection if names are unique per collection only."""


def in_order(tokens: Iterable[Token], graph: TokenGraph) -> list[Token]:
    """Return tokens sorted by collection, otherwise in their own order."""
    rank = {key: index for index, key in enumerate(graph.collections)}
    return sorted(tokens, key=lambda token: rank[token.key[:2]])


def names_for(
    graph: TokenGraph,
    tokens: Iterable[Token],
    rules: NamingRules,
    templates: str | None = None,
    settings: NamingConfig = _DEFAULTS,
    patterns: Patterns = _NO_PATTERNS,
) -> tuple[dict[TokenKey, str], list[Problem]]:
    """Return the identifier of each token by a target's rules, in collection order, and problems; see ``Naming``."""
    naming = Naming(graph, rules, templates, settings, patterns, [])
    listed = {graph.table.indices[token.key]: token.key for token in in_order(tokens, graph)}
    return dict(zip(listed.values(), naming.names([*listed]).values(), strict=True)), naming.problems


CodeReferences = dict["TokenKey", tuple[str, ...]]
"""The texts that refer to each token in the code of a platform; the first is the one to write."""


def code_references_for(names: Mapping[TokenKey, str], rules: NamingRules) -> CodeReferences:
    """Return the reference to each identifier, and the identifier itself if it has a sigil: ``--accent``."""
    syntax = code_syntax(rules, _NO_PATTERNS)
    has_sigil = syntax.declared != NAME
    return {
        key: tuple(dict.fromkeys((syntax.reference(name), *((name,) if has_sigil else ()))))
        for key, name in names.items()
    }


_EXPRESSION = r"""--[\w-]+ | \$[\w-]+ | "[^"]+" | [@?](?:[\w.]+:)?\w+/\w+ | \.?`?[^\W\d]\w*`?(?:\.`?[^\W\d]\w*`?)*"""


def references_in(text: str) -> Iterator[str]:
    """Yield what may refer to tokens in a text of code: ``--accent`` in ``var(--accent)``.

    Names that contain a package are without it, and of members that follow one another, each beginning is one, too:
    ``Color.accent`` and ``Color.accent.opacity``.
    """
    for match in re.finditer(_EXPRESSION, text, re.VERBOSE):
        reference = match[0].replace("`", "")
        if reference[0] in "@?":
            yield reference[0] + reference[1:].rpartition(":")[2]
        elif reference[0] in '-$"':
            yield reference
        else:
            members = re.sub(r"^.*\b(?=R\.)", "", reference).split(".")
            yield from (".".join(members[:end]) for end in range(len(members), 0, -1) if members[end - 1])


def texts_for(
    form: str, names: Mapping[TokenKey, str], rules: NamingRules, resources: Mapping[TokenKey, str]
) -> dict[TokenKey, str]:
    """Return the code syntax of each identifier in the configuration's form; ``resources`` are Android's types."""
    sigil = code_syntax(rules, _NO_PATTERNS).declared.removesuffix(NAME)
    return {
        key: form.replace(RESOURCE, resources.get(key, "")).replace(NAME, name.removeprefix(sigil))
        for key, name in names.items()
    }


def names_read(
    rules: NamingRules, texts: Mapping[TokenKey, str], patterns: Patterns = _NO_PATTERNS
) -> dict[TokenKey, str | None]:
    """Return the identifier in each raw code syntax, by a target's rules; None if there is none."""
    names = code_syntax(rules, patterns).names([text.strip() for text in texts.values()])
    return {key: rules.identifier(name) if name else None for key, name in zip(texts, names, strict=True)}


@lru_cache(maxsize=2)  # the outputs of one build ask for the same table
def words_of_table(table: TokenTable, *, is_ascii: bool) -> list[Words]:
    """Return the words of the path of each token, by token index."""
    if not is_ascii:
        return words_of_paths(table.paths)
    is_plain = "%" not in (text := "".join(table.paths)) and text.isascii()
    return words_of_table(table, is_ascii=False) if is_plain else [*map(ascii_path_words, table.paths)]


_MOST_COMPARED = 12
"""About the most tokens whose names are compared with those of code syntax."""


class Naming(NamedTuple):
    """The naming of one graph by a target's rules; it collects problems.

    ``templates`` is the user's templates folder, and ``patterns`` read code syntax.
    """

    graph: TokenGraph
    rules: NamingRules
    templates: str | None
    settings: NamingConfig
    patterns: Patterns
    problems: list[Problem]

    def names(self, tokens: Sequence[TokenIndex]) -> dict[TokenIndex, str]:
        """Return the identifier of each token of one output; the tokens are in collection order.

        Identifiers are unique, or unique per collection for targets with nested names. Keywords of Swift and Kotlin
        have no back-ticks. Raises ProblemsError if the name template cannot be rendered.
        """
        return self.unique(*self.first_choices(tokens))

    def reasons(self, tokens: Sequence[TokenIndex]) -> dict[TokenIndex, str]:
        """Return what gives each token its name, as people read it: code syntax, a template, or a collision."""
        first, written = self.first_choices(tokens)
        template = "your template" if self._has_own_file() else "packaged template"
        template = "naming.template" if self.settings.template else template
        reasons = {index: "code syntax" if index in written else template for index in first}
        names = self.unique(first, written)
        return {index: reasons[index] if name == first[index] else "collision" for index, name in names.items()}

    def first_choices(self, tokens: Sequence[TokenIndex]) -> tuple[dict[TokenIndex, str], Collection[TokenIndex]]:
        """Return each token's name before collisions, and the tokens named by code syntax."""
        if self.settings.code_syntax == "ignore" or not any(self.graph.table.code_syntax):
            return dict(zip(tokens, self.spelled(tokens), strict=True)), ()
        syntax = code_syntax(self.rules, self.patterns)
        texts = syntax.texts(self.graph.table, tokens)
        from_syntax = {index: name for index, name in zip(texts, syntax.names([*texts.values()]), strict=True) if name}
        if self.settings.code_syntax == "extend":
            before, after = map(self.rules.words, (self.settings.prefix, self.settings.suffix))
            usable = [self.rules.between(before, name, after) for name in from_syntax.values()]
        else:
            usable = self.rules.identifiers(from_syntax.values())
        others = [index for index in tokens if index not in from_syntax]
        names = dict.fromkeys(tokens, "")
        names.update(zip(from_syntax, usable, strict=True))
        names.update(zip(others, self.spelled(others), strict=True))
        for index, text in texts.items():
            if index not in from_syntax:
                self._report_unusable(index, text, names[index])
        if others and not self.settings.template and self._has_other_case(usable):
            self._report_case([*from_syntax], others, names)
        return names, from_syntax.keys()

    def spelled(self, tokens: Sequence[TokenIndex], *, with_collection: bool = False) -> list[str]:
        """Return the names from the template, optionally with the words of the collection handle first."""
        if not tokens:
            return []
        if template := self.settings.template:
            where = f"naming.template {shortened(template, 100)!r}"
            facts = self.facts(tokens, with_collection=with_collection)
            text = _rendered_line(template, where, facts, self.rules.platform)
        elif self._has_own_file():
            where = f"templates/codesyntax/{self.rules.platform}.j2"
            text = self._rendered_file(tokens, with_collection=with_collection)
        else:  # as the packaged template does, in a sixth of the time
            return self.rules.spelled(self._words(tokens, with_collection=with_collection))
        lines = text.removesuffix("\n").split("\n")
        if len(lines) != len(tokens):
            what = f"the template renders {len(lines)} lines for {len(tokens)} tokens"
            raise ProblemsError((problem("template-failed", where, what, "write one line for each row"),))
        return self.rules.from_lines(lines) if template else self.rules.identifiers(map(str.strip, lines))

    def _has_own_file(self) -> bool:
        file = os.path.join("codesyntax", f"{self.rules.platform}.j2")
        return self.templates is not None and os.path.isfile(os.path.join(self.templates, file))

    def _words(self, tokens: Sequence[TokenIndex], *, with_collection: bool) -> Iterable[Words]:
        """Return the words of each token's name, after those of its collection if asked."""
        of_table, families = words_of_table(self.graph.table, is_ascii=self.rules.ascii), self.graph.table.families
        spelled: Iterable[Words] = [of_table[index] or (NAMELESS,) for index in tokens]
        if with_collection:
            handles = {family: self.rules.words(family[1]) for family in self.graph.collections}
            spelled = [(*handles[families[index]], *path) for index, path in zip(tokens, spelled, strict=True)]
        if self.settings.prefix or self.settings.suffix:
            before, after = map(self.rules.words, (self.settings.prefix, self.settings.suffix))
            spelled = [(*before, *path, *after) for path in spelled]
        return spelled

    def _rendered_file(self, tokens: Sequence[TokenIndex], *, with_collection: bool) -> str:
        """Render the user's name template of the platform."""
        from tokensync.generate.naming.sandbox import Later

        table, platform = self.graph.table, self.rules.platform
        handles = {family: self.rules.words(family[1]) for family in self.graph.collections}
        types = {name: public_type(name) for name in set(table.types)}
        spelled = self._words(tokens, with_collection=with_collection)
        rows = [
            (path, handles[table.families[index]], types[table.types[index]])
            for index, path in zip(tokens, spelled, strict=True)
        ]
        facts = Later(lambda: self.facts(tokens, with_collection=with_collection))
        template = f"codesyntax/{platform}.j2"
        return rendered_bytes(template, self.templates, rows=rows, tokens=facts, platform=platform).decode()

    def facts(self, tokens: Sequence[TokenIndex], *, with_collection: bool = False) -> list[NamedToken]:
        """Return the rows of tokens with everything that a name can consist of."""
        table = self.graph.table
        rows = []
        for index in tokens:
            family = self.graph.collections[table.families[index]]
            *group, leaf = map(self._on_one_line, names_of_path(table.paths[index]))
            handle = self._on_one_line(family.handle)
            if with_collection:
                group.insert(0, handle)
            path = tuple(filter(None, (self.settings.prefix, *group, leaf, self.settings.suffix)))
            spelled = tuple([word for name in path for word in self.rules.words(name)]) or (NAMELESS,)
            row = NamedToken(
                path=path or (NAMELESS,),
                words=spelled,
                leaf=leaf,
                group=tuple(group),
                collection=self._on_one_line(family.name),
                handle=handle,
                mode=self._on_one_line(family.modes[family.default_mode].name),
                type=public_type(table.types[index]),
                scopes=table.scopes[index],
            )
            rows.append(row)
        return rows

    def _on_one_line(self, name: str) -> str:
        """Return a name as it is written, but without line breaks, and in ASCII where the target needs that."""
        if self.rules.ascii and not name.isascii():
            return " ".join(ascii_words(name))
        return name.replace("\n", " ")

    def unique(self, names: dict[TokenIndex, str], written: Collection[TokenIndex]) -> dict[TokenIndex, str]:
        """Return unique names; of equal ones, the first is unchanged. ``written`` holds the tokens with code syntax.

        A path with a sign comes after those without: ``x/50`` keeps the name that ``x/50%`` would have, too.
        """
        folded: list[Identity] = list(map(self.rules.fold, names.values()))
        if self.rules.nested:
            folded = list(map(self._identity, names, names.values()))
        if len(set(folded)) == len(names):
            return names
        count = Counter(folded)
        unique = dict(names)
        contested = [index for index, identity in zip(names, folded, strict=True) if count[identity] > 1]
        alternatives = self._alternatives(contested, written)
        paths = self.graph.table.paths
        signed = {
            index for index in contested if index not in written and _SIGN.search("".join(names_of_path(paths[index])))
        }
        of_signed = {identity for index, identity in zip(names, folded, strict=True) if index in signed}
        backwards = zip(reversed(names), reversed(folded), strict=True)
        owners = {identity: index for index, identity in backwards if identity in of_signed and index not in signed}
        numbers: dict[str, int] = {}
        for (index, name), identity in zip(names.items(), folded, strict=True):
            if owners.setdefault(identity, index) == index:
                continue
            if index not in alternatives:  # an earlier token has its name as an alternative
                alternatives |= self._alternatives([index], written)
            choices = alternatives[index]
            free = next((choice for choice in choices if self._identity(index, choice) not in owners), None)
            while free is None:
                number = numbers[choices[-1]] = numbers.get(choices[-1], 1) + 1
                numbered = self.rules.identifier(f"{choices[-1]}{self.rules.separator}{number}")
                free = None if self._identity(index, numbered) in owners else numbered
            unique[index] = free
            owners[self._identity(index, free)] = index
            self._report_collision(index, owners[identity], name, free, is_written=index in written)
        return unique

    def _identity(self, token: TokenIndex, name: str) -> Identity:
        """Return the identity that no other token may share."""
        folded = self.rules.fold(name)
        return (self.graph.table.families[token], folded) if self.rules.nested else folded

    def _alternatives(
        self, tokens: Sequence[TokenIndex], written: Collection[TokenIndex]
    ) -> dict[TokenIndex, tuple[str, ...]]:
        """Return the alternative names of tokens, the best first."""
        rows = zip(tokens, self.spelled(tokens), self.spelled(tokens, with_collection=True), strict=True)
        return {index: (plain, longer) if index in written else (longer,) for index, plain, longer in rows}

    def _report_collision(
        self, token: TokenIndex, first: TokenIndex, original: str, name: str, *, is_written: bool
    ) -> None:
        keys = self.graph.table.keys
        where, other = token_label(self.graph, keys[token]), token_label(self.graph, keys[first])
        what = f"its {self.rules.platform} name {readable(original)} is the name of {other}, so it is {readable(name)}"
        to_do = "give one of them another code syntax or name"
        brief = f"tokens have the {self.rules.platform} name of another token, so their names were changed"
        syntax = code_syntax(self.rules, self.patterns)
        text = syntax.texts(self.graph.table, (token,)).get(token, "")
        if is_written and (member := syntax.generic_member(text)):
            what += f" (its code syntax {readable(text)!r} ends in the generic member {member})"
            to_do = "write a code syntax with a name of its own"
            brief += f" (their code syntax ends in the generic member {member})"
        finding = problem("identifier-collision", where, what, to_do, brief=brief)
        self.problems.append(finding._replace(severity="error") if self.settings.collisions == "raise" else finding)

    def _has_other_case(self, names: Collection[str]) -> bool:
        """Return whether names are not in the usual case of the target, in which most code syntax is."""
        if self.rules.capitals:
            return any("_" in name or name[0].isupper() for name in names)
        text = "".join(names)
        if text.isascii():  # as below, in a tenth of the time
            return text != text.lower() or text == text.upper()
        return not text.islower()

    def _report_case(
        self, written: Sequence[TokenIndex], others: Sequence[TokenIndex], names: Mapping[TokenIndex, str]
    ) -> None:
        """Report the line that spells the other names as code syntax does, if there is one and they differ."""
        from tokensync.generate.naming.proposals import best_line

        written, others = (tokens[:: len(tokens) // _MOST_COMPARED + 1] for tokens in (written, others))
        line = best_line(self.facts(written), self.rules, [names[index] for index in written])
        for index, name in zip(others, line.names(self.facts(others), self.rules) if line else (), strict=False):
            if name != names[index]:
                first, other = readable(names[written[0]]), readable(names[index])
                what = f"code syntax gives names such as {first}, and the template such as {other}"
                to_do = f'to have {readable(name)}, write naming = {{ template = "{line}" }} in the output'
                self.problems.append(problem("naming-mixed", f"{self.rules.platform} names", what, to_do))
                return

    def _report_unusable(self, token: TokenIndex, text: str, name: str) -> None:
        syntax = code_syntax(self.rules, self.patterns)
        reason, platform = syntax.reason(text), syntax.source["syntax"]
        what = f"its {platform} code syntax {readable(text)!r} {reason}, so it becomes {readable(name)}"
        brief = f"its {platform} code syntax {reason}, so its own name is used"
        to_do = f"correct it in the design file or by tokensync plan --code-syntax {platform.lower()}"
        if syntax.has_form(text):
            to_do += f", or add its form to [code_syntax.{platform.lower()}]"
        if reason == syntax.source.get("theme"):
            to_do = "set the option material of the output, so that it fills the role, or correct it in the design file"
        where = token_label(self.graph, self.graph.table.keys[token])
        self.problems.append(problem("code-syntax-unusable", where, what, to_do, brief=brief))


def token_label(graph: TokenGraph, key: TokenKey) -> str:
    """Return ``Collection / group/token``."""
    family = graph.collections.get((key.file, key.collection))
    collection = collection_label(graph, family) if family else readable(key.collection)
    return f"{collection} / {readable('/'.join(names_of_path(key.path)))}"


def collection_label(graph: TokenGraph, family: Family) -> str:
    """Return the name of a collection, with its handle if another collection of the graph has the same name."""
    return f"{readable(family.name)}{graph.distinction(family)}"
