"""Install the check of commits as a hook of git, beside the hooks and hook managers that a repository has."""

from __future__ import annotations

import os
import re
import shlex
import site
import sys
from typing import NamedTuple

from tokensync.boundary import is_within, work_tree
from tokensync.disk import content_of, replace_file, shown_path
from tokensync.errors import UsageError
from tokensync.git import Repository
from tokensync.project.configuration import FILE_NAME

_START, _END = "# tokensync: the check of the commit, by tokensync install-hook", "# tokensync: end"
_BLOCK = re.compile(f"{_START}\n.*?{_END}\n", re.DOTALL)
_SHELL = re.compile(r"#! ?(?:/usr)?/bin/(?:env +)?(?:ba|da|k|z)?sh\b")
_PRE_COMMIT = (".pre-commit-config.yaml", "prek.toml")
_LEFTHOOK = tuple(
    f"{dot}lefthook{local}.{kind}"
    for dot in ("", ".")
    for local in ("", "-local")
    for kind in ("yml", "yaml", "toml", "json")
)
_CALLS = re.compile(r"tokensync-check|\btokensync['\"]? (?:-c [^ ]+ )?check --staged")


class Installed(NamedTuple):
    """What was done, and the lines that the user has to add to a file if nothing was."""

    message: str
    to_add: tuple[str, ...] = ()


def install_hook(config: str | None = None) -> Installed:
    """Install the hook of the working folder's repository; ``config`` is passed on to the check.

    A hook of git gets the path of this Python, because graphical clients have another PATH. A hook that is committed
    calls ``tokensync``. Raises UsageError outside of a work tree.
    """
    top = work_tree(os.getcwd())
    if top is None:
        raise UsageError("install-hook: this folder is not in a git work tree; run git init first")
    option = _option(config, top)
    call = shlex.join(("tokensync", "check", "--staged", *option))
    for names, lines in ((_PRE_COMMIT, _for_pre_commit(call)), (_LEFTHOOK, _for_lefthook(call))):
        for name in names:
            content = content_of(os.path.join(top, name))
            if content is not None:
                return _managed(name, content, lines)
    folder, is_named = Repository(top, "install-hook", "repair the repository").hooks()
    if is_named and os.path.basename(folder) == "_" and is_within(folder, top):  # husky's own files
        folder = os.path.dirname(folder)
    if is_named and not is_within(os.path.realpath(folder), top):
        lines = (f"{call} || exit $?",)
        return Installed(
            f"{folder}: core.hooksPath is outside of this repository; add this line to its pre-commit", lines
        )
    block = f"{call} || exit $?\n" if is_named else _absolute_call(option)
    return _in_shell(os.path.join(os.path.realpath(folder), "pre-commit"), f"{_START}\n{block}{_END}\n")


def _option(config: str | None, top: str) -> tuple[str, ...]:
    """Return the option that names the configuration, unless it is at the top, where git runs hooks."""
    path = os.path.realpath(config or os.getcwd())
    if not is_within(path, top):
        raise UsageError(f"-c {config}: it is not in the git work tree {top}; name a configuration in it")
    while config is None and path != top and not os.path.lexists(os.path.join(path, FILE_NAME)):
        path = os.path.dirname(path)
    if os.path.isdir(path):
        path = os.path.join(path, FILE_NAME)
    return () if path == os.path.join(top, FILE_NAME) else ("-c", os.path.relpath(path, top).replace(os.sep, "/"))


def _managed(name: str, content: bytes, lines: tuple[str, ...]) -> Installed:
    """Return what to add to the configuration of a hook manager, whose comments and layout are its author's."""
    if _CALLS.search(content.decode("utf-8", "replace")):
        return Installed(f"{name} has the hook: nothing to do")
    return Installed(f"{name}: add these lines", lines)


def _for_pre_commit(call: str) -> tuple[str, ...]:
    return (
        "  - repo: local",
        "    hooks:",
        "      - id: tokensync-check",
        "        name: tokensync check",
        f"        entry: {call}",
        "        language: system",
        "        stages: [pre-commit, pre-merge-commit, pre-push, manual]",
        "        always_run: true",
        "        pass_filenames: false",
    )


def _for_lefthook(call: str) -> tuple[str, ...]:
    return ("pre-commit:", "  commands:", "    tokensync:", f"      run: {call}")


def _absolute_call(option: tuple[str, ...]) -> str:
    """Return shell commands that call this Python."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    is_isolated = not (site.ENABLE_USER_SITE and is_within(package, site.getusersitepackages()))
    python = shlex.quote(sys.executable.replace(os.sep, "/"))
    gone = shlex.quote(f"tokensync: {sys.executable} is gone; run tokensync install-hook again")
    options = "-I" if is_isolated else "-P"  # never the modules of the checkout, in which git runs hooks
    words = shlex.join((options, "-m", "tokensync", "check", "--staged", *option))
    return f"[ -x {python} ] || {{ echo {gone} >&2; exit 1; }}\n{python} {words} || exit $?\n"


def _in_shell(path: str, block: str) -> Installed:
    """Write the block into a hook: as a new script, in place of an older block, or at the start of a script."""
    shown = shown_path(path)
    content = content_of(path)
    text = "#!/bin/sh\n" if content is None else content.decode("utf-8", "surrogateescape")
    if block in text:
        return Installed(f"{shown} has the hook: nothing to do")
    if found := _BLOCK.search(text):
        new = text[: found.start()] + block + text[found.end() :]
    elif _CALLS.search(text):
        return Installed(f"{shown} calls tokensync check --staged: nothing to do")
    elif not _SHELL.match(text) and text.startswith("#!"):
        lines = tuple(block.splitlines()[1:-1])
        return Installed(f"{shown}: it is not a shell script; add a call of these commands", lines)
    else:
        first, rest = text.split("\n", 1) if text.startswith("#!") else ("#!/bin/sh", text)
        new = f"{first}\n{block}{rest}"
    replace_file(path, new.encode("utf-8", "surrogateescape"), executable=True)
    return Installed(f"{shown}: every commit is checked now" if content is None else f"{shown}: added the check")
