"""The texts of the bot: job summaries, bodies of pull requests, comments and issues, and what they count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.plan.review import blocks as plan_blocks
from tokensync.report.differences import blocks
from tokensync.system.outlet.markdown import (
    Block,
    Markdown,
    code,
    commit,
    document,
    group,
    header,
    link,
    number,
    plain,
    row,
    text,
)
from tokensync.system.wording import counted, listed, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokensync.commands.tokens import Row
    from tokensync.plan.comparing import Difference
    from tokensync.plan.plan import Plan
    from tokensync.system.problems import Problem
    from tokensync.tokens import TokenKey

_EMPTY: Final = text("")
_MOST_PROBLEMS: Final = 200
_MOST_THEMES: Final = 20
_REBASE: Final = "<!-- tokensync:rebase -->"
"""Marks the box in the body of a pull request that asks for a new commit on the current base."""


class Platform(NamedTuple):
    """The numbers of identifiers on a platform that are removed, added, or have other values."""

    name: str
    removed: int
    added: int
    changed: int


class Impact(NamedTuple):
    """What a change reaches: tokens with other values, also through aliases; themes; identifiers on each platform.

    ``code`` says in words what code uses them; it is empty if the configuration names no code.
    """

    tokens: frozenset[TokenKey] = frozenset()
    themes: tuple[tuple[str, int], ...] = ()
    platforms: tuple[Platform, ...] = ()
    code: str = ""


def impact(before: Sequence[Row], after: Sequence[Row]) -> Impact:
    """Return what the change from some tokens to others reaches, by their resolved values in every theme."""
    old = {row.token.key: row for row in before}
    new = {row.token.key: row for row in after}
    themes: dict[str, int] = {}
    changed = set()
    for key in {**old, **new}:
        values = old[key].values if key in old else {}
        others = new[key].values if key in new else {}
        for theme in {**values, **others}:
            if theme not in values or theme not in others or values[theme] != others[theme]:
                changed.add(key)
                themes[theme] = themes.get(theme, 0) + 1
    platforms = []
    for platform in {name: None for token in (*before, *after) for name in token.names}:
        own = {name: key for key, each in old.items() if (name := each.names.get(platform))}
        others_own = {name: key for key, each in new.items() if (name := each.names.get(platform))}
        kept = own.keys() & others_own.keys()
        counts = (len(own) - len(kept), len(others_own) - len(kept), sum(others_own[name] in changed for name in kept))
        if any(counts):
            platforms.append(Platform(platform, *counts))
    return Impact(frozenset(changed), tuple(themes.items()), tuple(platforms))


def changes(differences: Sequence[Difference], reach: Impact, *, rebuilds: bool = False) -> list[Block]:
    """Return the parts of a text about changes of tokens: the version, what they reach, and the table.

    ``rebuilds`` is whether files are written anew although no token changes.
    """
    if not differences:
        none = text("No token changes.")
        again = text("The generated files are written again from the same tokens, because they were out of date.")
        return [Block((again if rebuilds else none, _EMPTY))]
    head, table = blocks(differences)
    return [head, _reach(reach), table]


def _reach(reach: Impact) -> Block:
    themes = listed([f"{shortened(name)} ({count:,})" for name, count in reach.themes], _MOST_THEMES)
    sentence = text(
        "Reaches {}, also through aliases, in these themes: {}",
        plain(counted(len(reach.tokens), "token")),
        plain(themes or "none"),
    )
    head = (sentence, _EMPTY, *((plain(f"{reach.code[:1].upper()}{reach.code[1:]}."), _EMPTY) if reach.code else ()))
    if not reach.platforms:
        return Block(head)
    rows = tuple(
        row(plain(platform.name), number(platform.removed), number(platform.added), number(platform.changed))
        for platform in reach.platforms
    )
    titles = header("platform", "identifiers removed", "added", "with other values")
    return Block((*head, *titles), rows, tail=(_EMPTY,))


def problems(found: Iterable[Problem]) -> list[Block]:
    """Return a table of problems."""
    distinct = tuple(dict.fromkeys(problem for problem in found if not problem.is_accepted))
    if not distinct:
        return []
    rows = tuple(
        row(plain(each.severity), code(each.where), plain(f"{each.what}; {each.what_to_do}"), code(each.code))
        for each in distinct[:_MOST_PROBLEMS]
    )
    head = (_EMPTY, *header("level", "where", "what to do", "code"))
    return [Block(head, rows, more=len(distinct) - len(rows))]


def title(heading: str, subject: str) -> Block:
    """Return the heading of a text."""
    return Block((text("## {} ({})", plain(heading), code(subject)), _EMPTY))


def lines(*sentences: str) -> Block:
    """Return paragraphs."""
    return Block(rows=tuple(group((plain(sentence), _EMPTY)) for sentence in sentences))


def linked(repository: str, *sentences: str) -> Block:
    """Return paragraphs of our own in which numbers and addresses of pull requests are links."""
    return Block(rows=tuple(group((_with_links(repository, sentence), _EMPTY)) for sentence in sentences))


def _with_links(repository: str, sentence: str) -> Markdown:
    shown, position = text(""), 0
    for match in re.finditer(r"#([0-9]+)|https?://[^\s]+/pull/[0-9]+", sentence):
        url = f"{repository}/pull/{match[1]}" if match[1] else match[0]
        shown = text("{}{}{}", shown, plain(sentence[position : match.start()]), link(match[0], url))
        position = match.end()
    return text("{}{}", shown, plain(sentence[position:]))


def pull_body(
    source: str,
    parts: Sequence[Block],
    *,
    fingerprint: str,
    branch: str,
    has_app: bool,
    has_lock: bool,
    has_changes: bool = True,
) -> Markdown:
    """Return the body of the pull request. It contains no time, so equal changes have equal bodies."""
    intro = text("This pull request is from tokensync, for {}.", code(source))
    if has_changes:
        intro = text("{} It brings changes of the design files into code.", intro)
    lock = text("It records in tokensync.lock what the last apply has written to the design files.")
    checks = (
        text("Checks run automatically, because a GitHub App opened this pull request.")
        if has_app
        else text(
            "**Checks wait for you:** GitHub does not start workflows for the token of a workflow by itself. Someone "
            "with write access has to press *Approve workflows to run* below, again after each update. Pass the token "
            "of a GitHub App as `app-token` to avoid this."
        )
    )
    foot = (
        _EMPTY,
        text("- Merge it to accept the changes. Close it to refuse exactly these changes; others will come again."),
        text("- Commits of yours on {} are never overwritten: tokensync then stops and says so.", code(branch)),
        text("- [ ] <!-- tokensync:rebase --> Make this commit again on the current base in the next run."),
        _EMPTY,
        text("Fingerprint of the changes: {}", code(fingerprint)),
    )
    head = Block((intro, _EMPTY, *((lock, _EMPTY) if has_lock else ()), checks, _EMPTY))
    return document([head, *parts, Block(foot)])


def wants_rebase(body: str) -> bool:
    """Return whether somebody has ticked the box in the body of a pull request."""
    return any(each.lower().lstrip("-* ").startswith("[x]") and _REBASE in each for each in body.splitlines())


def foreign_comment(mark: Markdown, branch: str, commits: Sequence[tuple[str, str]]) -> Markdown:
    """Return the comment that names the commits of others, by id and first line."""
    rows = tuple(text("- {} {}", commit(id_), code(subject)) for id_, subject in commits)
    head = (
        mark,
        text("tokensync leaves the branch {} as it is, because these commits are not its own:", code(branch)),
        _EMPTY,
    )
    foot = (
        _EMPTY,
        text("Merge or close this pull request, or remove the commits from the branch. tokensync then goes on."),
    )
    return document([Block(head, rows, foot)])


def plan_comment(mark: Markdown, plans: Sequence[Plan], fingerprint: str, operations: int) -> Markdown:
    """Return the comment with plans, which begins with its marker."""
    if operations:
        note = text(
            "Merging applies exactly the {} below (fingerprint {}). If the plan differs then, nothing is applied.",
            plain(counted(operations, "operation")),
            code(fingerprint),
        )
    else:
        note = text("Merging changes nothing in the design files.")
    return document([Block((mark, note, _EMPTY)), *reviews(plans)])


def failure(mode: str, source: str, message: str, run_url: str) -> Markdown:
    """Return the body of the issue or comment about a run that failed."""
    rows = tuple(text("- {}", plain(splitline)) for splitline in message.splitlines() if splitline.strip())
    head = (text("The mode {} failed for {}:", code(mode), code(source)), _EMPTY)
    foot = (
        _EMPTY,
        text("Log: {}", link(run_url, run_url)),
        _EMPTY,
        text("This issue is closed by the next run that succeeds."),
    )
    return document([Block(head, rows, foot)])


def note(*sentences: str) -> Markdown:
    """Return a short comment."""
    return document([lines(*sentences)])


def reviews(plans: Sequence[Plan]) -> list[Block]:
    """Return the parts of the reviews of plans."""
    return [part for plan in plans for part in plan_blocks(plan)]


def refusal(mark: Markdown, what: str, reasons: Sequence[str]) -> Markdown:
    """Return a comment, which begins with its marker, about something that was not done."""
    return document([Block((mark, plain(what), _EMPTY), tuple(text("- {}", plain(reason)) for reason in reasons))])
