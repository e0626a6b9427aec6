"""The identifiers of tokens on a platform: by code syntax or else by the name template, without collisions."""

from __future__ import annotations

import os
import stat
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.naming.code_syntax import NAME, RESOURCE, code_syntax
from tokensync.generate.naming.rules import NAMELESS, NamingRules, ascii_path_words, ascii_words, path_words, words
from tokensync.generate.naming.templates import LIMITS, render
from tokensync.settings import NamingConfig
from tokensync.system.boundary import Flaw, is_within
from tokensync.system.disk import open_file
from tokensync.system.errors import ProblemsError
from tokensync.system.outlet import readable
from tokensync.system.problems import problem
from tokensync.tokens.paths import names as names_of_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tokensync.generate.naming.code_syntax import Patterns
    from tokensync.generate.naming.templates import Filters, Own
    from tokensync.system.problems import Problem
    from tokensync.tokens import Collection, FamilyKey, Token, TokenGraph, TokenKey


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
        raise ProblemsError([_located(each, folder, own) for each in stop.problems]) from None


def _located(problem: Problem, folder: str, own: Own) -> Problem:
    """Return a problem with the path of a user's template, which the sandbox does not know."""
    name, colon, line = problem.where.removeprefix("templates/").partition(":")
    is_own = any(path == name for path, _ in own)
    return problem._replace(where=f"{os.path.join(folder, name)}{colon}{line}") if is_own else problem


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
        for each in sorted(names) + [each for each in folders if os.path.islink(os.path.join(parent, each))]:
            path = os.path.join(parent, each)
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


__all__ = [
    "NamingRules",
    "collection_label",
    "in_order",
    "names_for",
    "names_read",
    "readable",
    "references_for",
    "rendered_bytes",
    "template_files",
    "texts_for",
    "token_label",
    "words",
]


_DEFAULTS = NamingConfig()
_NO_PATTERNS: Patterns = MappingProxyType({})

Identity = str | tuple["FamilyKey", str]
"""The identity of a name: the folded name, with the collection if names are unique per collection only."""


def in_order(tokens: Iterable[Token], graph: TokenGraph) -> list[Token]:
    """Return tokens sorted by collection, otherwise in their own order."""
    rank = {key: index for index, key in enumerate(graph.collections)}
    listed = list(tokens)
    ranks = [rank[token.key[:2]] for token in listed]
    if all(map(int.__le__, ranks, ranks[1:])):
        return listed
    return [listed[index] for index in sorted(range(len(listed)), key=ranks.__getitem__)]


def names_for(
    graph: TokenGraph,
    tokens: Iterable[Token],
    rules: NamingRules,
    templates: str | None = None,
    settings: NamingConfig = _DEFAULTS,
    patterns: Patterns = _NO_PATTERNS,
) -> tuple[dict[TokenKey, str], list[Problem]]:
    """Return the identifier of each token by a target's rules, in collection order.

    Identifiers are unique, or unique per collection for targets with nested names. ``tokens`` share one output;
    ``templates`` is the user's templates folder, and ``patterns`` read code syntax. Keywords of Swift and Kotlin have
    no back-ticks. Raises ProblemsError if the name template cannot be rendered.
    """
    naming = _Naming(graph, rules, templates, settings, patterns, [])
    listed = in_order(tokens, graph)
    unique = naming.unique(listed, *naming.first_choices(listed))
    return dict(zip([token.key for token in listed], unique, strict=True)), naming.problems


def references_for(
    graph: TokenGraph, names: Mapping[TokenKey, str], rules: NamingRules, patterns: Patterns = _NO_PATTERNS
) -> dict[TokenKey, str]:
    """Return the references to tokens in code: the code syntax if it is the token's name, else the name's own form."""
    syntax = code_syntax(rules, patterns)
    references = {}
    for key, name in names.items():
        text = syntax.text_of(graph.tokens[key])
        reading = syntax.read(text) if text else None
        references[key] = reading.reference if reading and reading.name == name else syntax.reference(name)
    return references


def texts_for(
    form: str, names: Mapping[TokenKey, str], rules: NamingRules, resources: Mapping[TokenKey, str]
) -> dict[TokenKey, str]:
    """Return the code syntax of each identifier in the configuration's form; ``resources`` are Android's types."""
    syntax = code_syntax(rules, _NO_PATTERNS)
    return {
        key: form.replace(RESOURCE, resources.get(key, "")).replace(NAME, syntax.bare_name(name))
        for key, name in names.items()
    }


def names_read(
    rules: NamingRules, texts: Mapping[TokenKey, str], patterns: Patterns = _NO_PATTERNS
) -> dict[TokenKey, str | None]:
    """Return the identifier in each raw code syntax, by a target's rules; None if there is none."""
    syntax = code_syntax(rules, patterns)
    readings = {key: syntax.read(text.strip()) if text.strip() else None for key, text in texts.items()}
    return {key: rules.identifier(reading.name) if reading else None for key, reading in readings.items()}


class _Naming(NamedTuple):
    """The naming of one graph by one platform's rules and templates."""

    graph: TokenGraph
    rules: NamingRules
    templates: str | None
    settings: NamingConfig
    patterns: Patterns
    problems: list[Problem]

    def first_choices(self, tokens: Sequence[Token]) -> tuple[list[str], set[int]]:
        """Return each token's name before collisions, and the indices of those named by code syntax."""
        ignored = self.settings.code_syntax == "ignore"
        candidates = () if ignored else [(index, token) for index, token in enumerate(tokens) if token.code_syntax]
        if not candidates:
            return self.spelled(tokens), set()
        syntax = code_syntax(self.rules, self.patterns)
        from_syntax: dict[int, str] = {}
        unusable: list[tuple[int, str]] = []
        for index, token in candidates:
            if text := syntax.text_of(token):
                if reading := syntax.read(text):
                    from_syntax[index] = reading.name
                else:
                    unusable.append((index, text))
        if self.settings.code_syntax == "extend":
            before, after = map(self.rules.words, (self.settings.prefix, self.settings.suffix))
            usable = [self.rules.between(before, name, after) for name in from_syntax.values()]
        else:
            usable = self.rules.identifiers(from_syntax.values())
        chosen = dict(zip(from_syntax, usable, strict=True))
        others = iter(self.spelled([token for index, token in enumerate(tokens) if index not in from_syntax]))
        names = [chosen[index] if index in chosen else next(others) for index in range(len(tokens))]
        for index, text in unusable:
            self._report_unusable(tokens[index], text, names[index])
        return names, set(from_syntax)

    def spelled(self, tokens: Sequence[Token], *, with_collection: bool = False) -> list[str]:
        """Return the names from the template, optionally with the words of the collection handle first."""
        if not tokens:
            return []
        of_path, of_name = (ascii_path_words, ascii_words) if self.rules.ascii else (path_words, words)
        nameless = (NAMELESS,)
        rows = [
            (of_path(token.key.path) or nameless, of_name(token.key.collection), token.public_type) for token in tokens
        ]
        if with_collection:
            rows = [((*handle, *path), handle, type_) for path, handle, type_ in rows]
        if self.settings.prefix or self.settings.suffix:
            before, after = map(self.rules.words, (self.settings.prefix, self.settings.suffix))
            rows = [((*before, *path, *after), handle, type_) for path, handle, type_ in rows]
        name = f"codesyntax/{self.rules.platform}.j2"
        text = rendered_bytes(name, self.templates, rows=rows).decode()
        lines = text.removesuffix("\n").split("\n")
        if len(lines) != len(rows):
            from tokensync.system.errors import ProblemsError

            what = f"the template renders {len(lines)} lines for {len(rows)} tokens"
            raise ProblemsError((problem("template-failed", f"templates/{name}", what, "write one line for each row"),))
        return self.rules.identifiers(map(str.strip, lines))

    def unique(self, tokens: Sequence[Token], names: list[str], written: set[int]) -> list[str]:
        """Return unique names; the first of equal ones is unchanged. ``written`` holds indices of code syntax."""
        folded: list[Identity] = list(map(self.rules.fold, names))
        if self.rules.nested:
            folded = [(token.key[:2], str(each)) for token, each in zip(tokens, folded, strict=True)]
        if len(set(folded)) == len(names):
            return names
        count = Counter(folded)
        unique = list(names)
        contested = [index for index, each in enumerate(folded) if count[each] > 1]
        alternatives = self._alternatives(tokens, contested, written)
        owners: dict[Identity, int] = {}
        numbers: dict[str, int] = {}
        for index, name in enumerate(names):
            if folded[index] not in owners:
                owners[folded[index]] = index
                continue
            token, first = tokens[index], tokens[owners[folded[index]]]
            choices = alternatives(index)
            free = next((each for each in choices if self._identity(token, each) not in owners), None)
            while free is None:
                number = numbers[choices[-1]] = numbers.get(choices[-1], 1) + 1
                numbered = self.rules.identifier(f"{choices[-1]}{self.rules.separator}{number}")
                free = None if self._identity(token, numbered) in owners else numbered
            unique[index] = free
            owners[self._identity(token, free)] = index
            self._report_collision(token, first, name, free, is_written=index in written)
        return unique

    def _identity(self, token: Token, name: str) -> Identity:
        """Return the identity that no other token may share."""
        folded = self.rules.fold(name)
        return (token.key[:2], folded) if self.rules.nested else folded

    def _alternatives(
        self, tokens: Sequence[Token], contested: list[int], written: set[int]
    ) -> Callable[[int], list[str]]:
        """Return a function from a token's index to its alternative names, the best first."""
        from_syntax = [index for index in contested if index in written]
        plain = dict(zip(from_syntax, self.spelled([tokens[index] for index in from_syntax]), strict=True))
        several = [tokens[index] for index in contested]
        longer = dict(zip(contested, self.spelled(several, with_collection=True), strict=True))

        def of(index: int) -> list[str]:
            if index not in longer:  # an earlier token has its name as an alternative
                longer[index] = self.spelled([tokens[index]], with_collection=True)[0]
                if index in written:
                    plain[index] = self.spelled([tokens[index]])[0]
            return [plain[index], longer[index]] if index in plain else [longer[index]]

        return of

    def _report_collision(self, token: Token, first: Token, original: str, name: str, *, is_written: bool) -> None:
        where, other = token_label(self.graph, token.key), token_label(self.graph, first.key)
        what = f"its {self.rules.platform} name {readable(original)} is the name of {other}, so it is {readable(name)}"
        to_do = "give one of the two another code syntax or name"
        brief = f"its {self.rules.platform} name is that of an earlier token, so it has another one"
        syntax = code_syntax(self.rules, self.patterns)
        text = syntax.text_of(token)
        if is_written and (member := syntax.generic_member(text)):
            what += f" (its code syntax {readable(text)!r} ends in the generic member {member})"
            to_do = "write a code syntax with a name of its own"
            brief += f" (its code syntax ends in the generic member {member})"
        finding = problem("identifier-collision", where, what, to_do, brief=brief)
        self.problems.append(finding._replace(severity="error") if self.settings.collisions == "raise" else finding)

    def _report_unusable(self, token: Token, text: str, name: str) -> None:
        syntax = code_syntax(self.rules, self.patterns)
        reason = syntax.reason(text)
        what = f"its {syntax.syntax} code syntax {readable(text)!r} {reason}, so it becomes {readable(name)}"
        brief = f"its {syntax.syntax} code syntax {reason}, so its own name is used"
        platform = syntax.syntax.lower()
        to_do = f"correct it in the design file or by tokensync plan --code-syntax {platform}"
        if syntax.has_form(text):
            to_do += f", or add its form to [code_syntax.{platform}]"
        where = token_label(self.graph, token.key)
        self.problems.append(problem("code-syntax-unusable", where, what, to_do, brief=brief))


def token_label(graph: TokenGraph, key: TokenKey) -> str:
    """Return ``Collection / group/token``."""
    family = graph.collections.get((key.file, key.collection))
    collection = collection_label(graph, family) if family else readable(key.collection)
    return f"{collection} / {readable('/'.join(names_of_path(key.path)))}"


def collection_label(graph: TokenGraph, family: Collection) -> str:
    """Return the name of a collection, with its handle if another collection of the graph has the same name."""
    return f"{readable(family.name)}{graph.distinction(family)}"
