"""Merge files of tokensync as git's merge driver: token files, resolver documents and the lock.

A token file has the tokens of one mode, so a merge of its members is one by token and mode. It is the same for either
side: two branches that add a token lead to one order, whichever of them is merged first.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, Final, Literal

from tokensync.dtcg.formatting import in_present_layout, tree_of
from tokensync.dtcg.layout import resolver_file, token_file
from tokensync.dtcg.spelling import OURS, RESOLVER_SUFFIX
from tokensync.project.lock import LOCK, facts_of_lines
from tokensync.system.boundary import resolved_file
from tokensync.system.disk import open_file, replace_file
from tokensync.system.errors import ProblemsError
from tokensync.system.positions import CONFLICT, RESOLVE, Pointer, pointer_text
from tokensync.system.problems import Problem, problem

_ABSENT: Final = object()
_SIDES: Final = ("ours", "theirs")


def merged_text(path: str, base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, tuple[Problem, ...]]:
    """Return the merge of a file, in the layout of ours, and a problem for each conflict.

    Conflicts are between marks of git, and everything else is merged. ``base`` is empty if both sides have added the
    file. Raises ProblemsError if a text is not a JSON object.
    """
    trees = [tree_of(content, path) for content in (base or b"{}", ours, theirs)]
    texts = []
    for side in _SIDES:
        merge = _ThreeWay(side, has_lists=path.endswith(RESOLVER_SUFFIX))
        try:
            tree = merge.members((), *trees)
        except RecursionError:
            return _with_marks(ours, theirs), (problem("conflict-marks", path, CONFLICT, RESOLVE.format("tokens")),)
        text = resolver_file(tree) if path.endswith(RESOLVER_SUFFIX) else token_file(tree)
        texts.append(in_present_layout(ours, text, path))
        if not merge.conflicts:
            break
    if texts[0] == texts[-1]:
        return texts[0], ()
    what, to_do = "both branches changed this differently", RESOLVE.format("tokens")
    wheres = [f"{path} ({pointer_text(pointer)})" for pointer in merge.conflicts]
    return _with_marks(*texts), tuple(problem("conflict-marks", where, what, to_do) for where in wheres)


def _with_marks(ours: bytes, theirs: bytes) -> bytes:
    """Return two texts as one, with git's marks around each difference."""
    mine, other = (text.removesuffix(b"\n").split(b"\n") for text in (ours, theirs))
    repeated = {line for side in (mine, other) for line, count in Counter(side).items() if count > 1}
    lines: list[bytes] = []
    # Comparing repeated lines, such as the same name in many groups, takes quadratic time: first those between others.
    for own, their in _blocks(mine, other, repeated.__contains__):
        for left, right in _blocks(own, their, None):
            lines += left if left == right else (b"<<<<<<< ours", *left, b"=======", *right, b">>>>>>> theirs")
    return b"\n".join((*lines, b""))


def _blocks(
    mine: list[bytes], other: list[bytes], is_junk: Callable[[bytes], bool] | None
) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Yield the lines of two texts in blocks that are equal or differ."""
    if mine == other:
        yield mine, other
        return
    for _, start, end, from_, to in SequenceMatcher(is_junk, mine, other).get_opcodes():
        yield mine[start:end], other[from_:to]


class _ThreeWay:
    """A merge of JSON objects that takes one side of each conflict. ``conflicts`` are their pointers.

    With ``has_lists``, lists are merged by element.
    """

    def __init__(self, side: Literal["ours", "theirs"], *, has_lists: bool = False) -> None:
        self.conflicts: list[Pointer] = []
        self._side = side
        self._has_lists = has_lists

    def members(
        self, pointer: Pointer, base: Mapping[Any, Any], ours: Mapping[Any, Any], theirs: Mapping[Any, Any]
    ) -> dict[Any, Any]:
        """Return the merged members of an object, in an order that is the same for either side."""
        merged = {}
        for name in _joined_order(base, ours, theirs):
            value = self._member((*pointer, name), *(side.get(name, _ABSENT) for side in (base, ours, theirs)))
            if value is not _ABSENT:
                merged[name] = value
        return merged

    def _member(self, pointer: Pointer, base: Any, ours: Any, theirs: Any) -> Any:
        if _is_same(ours, theirs) or _is_same(base, theirs):
            return ours
        if _is_same(base, ours):
            return theirs
        if isinstance(ours, dict) and isinstance(theirs, dict) and pointer[-1] != "$value":
            former = base if isinstance(base, dict) else {}
            if _are_of_one_kind(former, ours, theirs):
                return self.members(pointer, former, ours, theirs) or _ABSENT
        if isinstance(ours, list) and isinstance(theirs, list) and self._has_lists:
            sides = (base if isinstance(base, list) else [], ours, theirs)
            elements = [{json.dumps(element): element for element in side} for side in sides]
            return list(self.members(pointer, *elements).values())
        # A hint about the order of tokens, which the next pull writes again.
        if pointer[:-1] == ("$extensions", OURS, "after"):
            return min(ours, theirs, key=repr)
        self.conflicts.append(pointer)
        return ours if self._side == "ours" else theirs


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values are written alike: Python's false equals 0, and it ignores the order of members."""
    if one is _ABSENT or other is _ABSENT:
        return one is other
    return one is other or (one == other and json.dumps(one) == json.dumps(other))


def _are_of_one_kind(base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """Return whether objects are merged by member: not a group and a token, nor a type and a value of another one."""
    if ("$value" in ours) != ("$value" in theirs):
        return False
    was, mine, other = ((side.get("$type"), side.get("$value")) for side in (base, ours, theirs))
    return mine[0] == other[0] or was in (mine, other)


def _joined_order(base: Mapping[Any, Any], ours: Mapping[Any, Any], theirs: Mapping[Any, Any]) -> list[Any]:
    """Return the names of both sides. Those of one side follow the name that they follow there."""
    both = ours.keys() & theirs.keys()
    was, mine, other = ([name for name in side if name in both] for side in (base, ours, theirs))
    shared = other if mine == was else mine if other == was else min(mine, other)
    following: dict[Any, list[list[Any]]] = {}
    for side in (ours, theirs):
        own: list[Any] = []
        following.setdefault(None, []).append(own)
        for name in side:
            if name in both:
                own = []
                following.setdefault(name, []).append(own)
            else:
                own.append(name)
    names: list[Any] = []
    for anchor in (None, *shared):
        names += () if anchor is None else (anchor,)
        names += (name for own in sorted(following.get(anchor, ())) for name in own)
    return names


def merge_file(base: str, ours: str, theirs: str, path: str, *, allow_outside: bool) -> None:
    """Replace the file ``ours`` with the merge of three versions. ``path`` is that of the file in the work tree.

    Raises ProblemsError for conflicts, and for a version that is invalid. The file then has git's marks: around each
    conflict, or around each difference.
    """
    contents = []
    for version in (base, ours, theirs):
        with open_file(version) as file:
            contents.append(file.read())
    target = resolved_file(ours, allow_outside=allow_outside)
    try:
        is_lock = os.path.basename(path) == LOCK
        content, problems = (_merged_lock if is_lock else merged_text)(path, *contents)
    except ProblemsError as stop:
        content, problems = _with_marks(*contents[1:]), stop.problems
    replace_file(target, content, text=True)
    if problems:
        raise ProblemsError(problems)


def _merged_lock(path: str, base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, tuple[Problem, ...]]:
    """Return the merge of a lock by fact. If there is a conflict, the versions are whole between the marks.

    A lock of marks has two bases, which a part of a version would not be.
    """
    versions: list[dict[tuple[str, ...], str]] = []
    for content in (base, ours, theirs):
        lines = content.decode("utf-8", "replace").removesuffix("\n").split("\n") if content else []
        facts = facts_of_lines(content)
        if len(facts) == len(lines):
            versions.append({fact[:4]: line for fact, line in zip(facts, lines, strict=True)})
    merge = _ThreeWay("ours")
    merged = merge.members((), *versions) if len(versions) == 3 else {}
    if not merged or merge.conflicts:
        what, to_do = "both branches changed the same facts", "tokensync pull merges both sides, and removes the marks"
        return _with_marks(ours, theirs), (problem("conflict-marks", path, what, to_do),)
    return "".join(f"{line}\n" for line in sorted(merged.values())).encode(), ()
