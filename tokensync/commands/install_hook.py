"""Install the check of commits as a hook of git, beside the hooks and hook managers that a repository has."""

from __future__ import annotations

import os
import re
import shlex
import site
import sys
from collections.abc import Iterator
from typing import NamedTuple

from tokensync.project.configuration import FILE_NAME, PYPROJECT, configuration_in
from tokensync.project.toml_text import string_text
from tokensync.system.boundary import is_within, work_tree
from tokensync.system.disk import content_of, replace_file, shown_path, spelled
from tokensync.system.errors import UsageError
from tokensync.system.git import Repository

_START, _END = "# tokensync: the check of the commit, by tokensync install-hook", "# tokensync: end"
_BLOCK = re.compile(f"{_START}\n.*?{_END}\n", re.DOTALL)
_ABSENT = "tokensync: it is not on the PATH of this hook; install it, or add its folder to PATH"
_PRESENT = (
    f"command -v tokensync >/dev/null || {{ echo '{_ABSENT} (for husky, in ~/.config/husky/init.sh)' >&2; exit 1; }}"
)
"""The line of a committed hook that says what to do if there is no tokensync. Graphical clients have another PATH."""
_SHELL = re.compile(r"#! ?(?:/usr)?/bin/(?:env +)?(?:ba|da|k|z)?sh\b")
_PRE_COMMIT, _PREK = ".pre-commit-config.yaml", "prek.toml"
_LEFTHOOK = tuple(
    f"{dot}lefthook{local}.{kind}"
    for dot in ("", ".")
    for local in ("", "-local")
    for kind in ("yml", "yaml", "toml", "json")
)
_SCRIPTS = ("pre-commit", "pre-merge-commit")
"""The hooks that check commits. git runs the second one for a merge without conflicts, and not the first."""
_ITEM = re.compile(r"^\s*-\s+(?=\w+\s*:)|^\s*\[\[|\{(?=\s*\w+\s*[:=])", re.MULTILINE)
"""The start of an entry in the configuration of a hook manager."""
_CALL = re.compile(r"""(.*?)\btokensync['"]?\s+((?:-c\s+\S+\s+)?check\b.*--staged.*)""")
_CHANGE = re.compile(r"""\bcd\s+(?:'([^']+)'|"([^"]+)"|([^\s'"&;|]+))\s*(?:&&|;)""")
_CONFIG = re.compile(
    r"""(?:^|[\s'"\[])(?:-c|--config)(?:=|['"]?[\s,]+(?:-\s+)?)(?:'((?:[^']|'')+)'|"([^"]+)"|([^\s'"\],]+))"""
)

_PRE_COMMIT_CALL = re.compile(r"""^(?!\s*#).*(?:\b(?:pre-commit|prek)['"]? run\b|\bhook-impl\b)""", re.MULTILINE)
_LEFTHOOK_CALL = re.compile(r"""^(?!\s*#).*lefthook['"]? run\b""", re.MULTILINE)
"""What the scripts of hook managers call."""
_SAMPLE = re.compile(r"^(?!\s*#).*hooks/pre-commit\b", re.MULTILINE)
"""The call of ``pre-commit`` in git's own sample of a ``pre-merge-commit`` hook."""


class Installed(NamedTuple):
    """What was done, and the lines that the user has to add to a file if something is left to do."""

    messages: tuple[str, ...]
    to_add: tuple[str, ...] = ()


def install_hook(config: str | None = None) -> Installed:
    """Install the hooks of the working folder's repository; ``config`` is passed on to the check.

    The configuration of a hook manager counts only if git runs the hook manager. A hook of git gets the path of this
    Python, because graphical clients have another PATH. A hook that is committed calls ``tokensync``. Raises UsageError
    outside of a work tree.
    """
    top = work_tree(os.getcwd())
    if top is None:
        raise UsageError("install-hook: this folder is not in a git work tree; run git init first")
    path = _configuration(config, top)
    call = shlex.join(("tokensync", "check", "--staged", *_option(path)))
    folder, is_named = Repository(top, "install-hook", "repair the repository").hooks()
    if is_named and os.path.basename(folder) == "_" and is_within(folder, top):  # husky's own files
        folder = os.path.dirname(folder)
    folder = os.path.realpath(folder)
    manager = next(_managers(top, folder), None)
    if manager is not None and manager.runs:
        return _managed(manager, path, call)
    if is_named and not is_within(folder, top):
        lines = (f"{call} || exit $?",)
        scripts = " and ".join(_SCRIPTS)
        return Installed(
            (f"{folder}: core.hooksPath is outside of this repository; add this line to its {scripts}",), lines
        )
    done = _in_scripts(folder, top, path, is_absolute=not is_named)
    if manager is None:
        return done
    what = f"{manager.name}: git does not run it here; to run all its hooks, run {manager.command}"
    return done._replace(messages=(*done.messages, what))


def _configuration(config: str | None, top: str) -> str:
    """Return the path of the configuration from the top of the work tree, with ``/``."""
    path = os.path.realpath(config or os.getcwd())
    if not is_within(path, top):
        raise UsageError(f"-c {config}: it is not in the git work tree {top}; name a configuration in it")
    while config is None and path != top and configuration_in(path) is None:
        path = os.path.dirname(path)
    if os.path.isdir(path):
        path = configuration_in(path) or os.path.join(path, FILE_NAME)
    return spelled(top, os.path.relpath(path, top).replace(os.sep, "/"))


def _option(path: str) -> tuple[str, ...]:
    """Return the option that names the configuration, unless it is at the top, where git runs hooks."""
    return () if path in (FILE_NAME, PYPROJECT) else ("-c", path)


def checked_configurations(text: str) -> set[str]:
    """Return the paths of the configurations that a script, or the configuration of a hook manager, checks.

    They start at the top of the work tree, and ``tokensync.toml`` stands for the configuration there.
    """
    found = set()
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for item in _ITEM.split("\n".join(lines)):
        calls = [(_folder(each[0]), _words(each[1])) for each in _CALL.findall(item)]
        if calls or re.search(r"\bid\b.*\btokensync-check\b", item):
            args = item.partition("args")[2]
            named = [(folder, _CONFIG.search(each) or _CONFIG.search(args)) for folder, each in calls or [("", args)]]
            paths = (os.path.normpath(f"{folder}{_normal(each) if each else FILE_NAME}") for folder, each in named)
            found |= {path.replace(os.sep, "/") for path in paths}
    return found


def _folder(command: str) -> str:
    """Return the folder that a command changes to before it calls tokensync, with a ``/``; empty for none."""
    return "".join(f"{''.join(each)}/" for each in _CHANGE.findall(command))


def _words(line: str) -> str:
    """Return the words of a command of a shell up to the next command, quoted as in YAML."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split, words.commenters = True, ""
    found = []
    try:
        for word in words:
            if set(word) <= set("|&;()<>"):
                break
            found += word.split("=", 1)
    except ValueError:  # it is part of a quoted text
        return line
    return " ".join(map(quoted, found))


def _normal(match: re.Match[str]) -> str:
    path = os.path.normpath(match[1].replace("''", "'") if match[1] else match[2] or match[3]).replace(os.sep, "/")
    if not path.endswith(".toml"):
        path = f"{path}/{FILE_NAME}".removeprefix("./")
    return FILE_NAME if path == PYPROJECT else path


class _Manager(NamedTuple):
    """A hook manager: its configuration, the command that installs it, and whether git runs it before commits."""

    name: str
    content: str
    command: str
    runs: bool
    runs_before_merges: bool


def _managers(top: str, folder: str) -> Iterator[_Manager]:
    """Yield the hook managers that the repository has a configuration of."""
    for names, called in (((_PRE_COMMIT, _PREK), _PRE_COMMIT_CALL), (_LEFTHOOK, _LEFTHOOK_CALL)):
        for name in names:
            content = content_of(os.path.join(top, name))
            if content is None:
                continue
            scripts = [_text(os.path.join(folder, script)) or "" for script in _SCRIPTS]
            is_prek = name == _PREK or "prek" in scripts[0].lower()
            program = "lefthook" if name in _LEFTHOOK else "prek" if is_prek else "pre-commit"
            runs, runs_before_merges = (called.search(script) is not None for script in scripts)
            yield _Manager(name, content.decode("utf-8", "replace"), f"{program} install", runs, runs_before_merges)


def _text(script: str) -> str | None:
    """Return the text of a hook, or of the file that it is a link to; None if there is no such hook."""
    content = content_of(os.path.realpath(script))
    return None if content is None else content.decode("utf-8", "surrogateescape")


def _is_linked(script: str) -> bool:
    beside = os.path.join(os.path.dirname(script), _SCRIPTS[0])
    return script != beside and os.path.islink(script) and os.path.realpath(script) == os.path.realpath(beside)


def _managed(manager: _Manager, path: str, call: str) -> Installed:
    """Return what to add to the configuration of a hook manager, whose comments and layout are its author's."""
    merges = ""
    if not manager.runs_before_merges and manager.name not in _LEFTHOOK:
        merges = f"; to check merges too, run {manager.command} --hook-type pre-merge-commit"
    if path in checked_configurations(manager.content):
        return Installed((f"{manager.name}: the check is there, nothing to do{merges}",))
    if manager.name == _PREK:
        lines: tuple[str, ...] = tuple(_for_prek(call))
    elif manager.name in _LEFTHOOK:
        lines = tuple(
            line for each in _SCRIPTS for line in (f"{each}:", "  commands:", "    tokensync:", f"      run: {call}")
        )
    else:
        lines = tuple(f"  {line}" for line in hook_entry(path).splitlines())
    return Installed((f"{manager.name}: add these lines{merges}",), lines)


def hook_entry(path: str) -> str:
    """Return the entry of the hook for a configuration, at a path from the top of the work tree, as YAML.

    It runs for every commit, because a hook manager does not report deleted files.
    """
    arguments = f"\n      args: [--config, {quoted(path)}]" if _option(path) else ""
    return f"""\
- repo: local
  hooks:
    - id: tokensync-check
      name: tokensync check
      entry: tokensync check --staged{arguments}
      language: system
      always_run: true
      pass_filenames: false
      stages: [pre-commit, pre-merge-commit, pre-push, manual]
"""


def quoted(text: str) -> str:
    """Return a text as a single-quoted YAML scalar."""
    return f"'{text.replace(chr(39), chr(39) * 2)}'"


def _for_prek(call: str) -> Iterator[str]:
    yield from ("[[repos]]", 'repo = "local"', "", "[[repos.hooks]]")
    yield from ('id = "tokensync-check"', 'name = "tokensync check"', f"entry = {string_text(call)}")
    yield from ('language = "system"', "always_run = true", "pass_filenames = false")
    yield 'stages = ["pre-commit", "pre-merge-commit", "pre-push", "manual"]'


def _block(paths: list[str], *, is_absolute: bool) -> str:
    """Return the lines that check these configurations, with this Python or, in a committed script, ``tokensync``."""
    calls = [("check", "--staged", *_option(path)) for path in paths]
    if not is_absolute:
        lines = [f"{shlex.join(('tokensync', *call))} || exit $?\n" for call in calls]
        return f"{_START}\n{_PRESENT}\n{''.join(lines)}{_END}\n"
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    is_isolated = not (site.ENABLE_USER_SITE and is_within(package, site.getusersitepackages()))
    python = shlex.quote(sys.executable.replace(os.sep, "/"))
    gone = shlex.quote(f"tokensync: {sys.executable} is gone; run tokensync install-hook again")
    options = "-I" if is_isolated else "-P"  # never the modules of the checkout, in which git runs hooks
    lines = [f"{python} {shlex.join((options, '-m', 'tokensync', *call))} || exit $?\n" for call in calls]
    return f"{_START}\n[ -x {python} ] || {{ echo {gone} >&2; exit 1; }}\n{''.join(lines)}{_END}\n"


def _in_scripts(folder: str, top: str, path: str, *, is_absolute: bool) -> Installed:
    """Write the block into the scripts: new ones, in place of an older block, or at the start of a script."""
    outcomes: dict[str, list[str]] = {}
    to_add: tuple[str, ...] = ()
    for name in _SCRIPTS:
        script = os.path.join(folder, name)
        before = _text(script)
        text = before or ""
        found = _BLOCK.search(text)
        own = checked_configurations(found[0]) if found else set()
        paths = [each for each in sorted(own - {path}) if _exists(top, each)]
        block = _block(sorted({*paths, path}), is_absolute=is_absolute)
        if found:
            new = text[: found.start()] + block + text[found.end() :]
        elif (
            path in checked_configurations(text) or _is_linked(script) or (name != _SCRIPTS[0] and _SAMPLE.search(text))
        ):
            new = text
        elif (obstacle := _obstacle(script, text)) is not None:
            outcomes.setdefault(f"{obstacle}; add a call of these commands", []).append(shown_path(script))
            to_add = tuple(block.splitlines()[1:-1])
            continue
        else:
            first, rest = text.split("\n", 1) if text.startswith("#!") else ("#!/bin/sh", text)
            new = f"{first}\n{block}{rest}"
        outcome = "every commit and merge is checked now" if before is None else "added the check"
        outcomes.setdefault("the check is there, nothing to do" if new == before else outcome, []).append(
            shown_path(script)
        )
        if new != before:
            replace_file(script, new.encode("utf-8", "surrogateescape"), executable=True)
    return Installed(tuple(f"{' and '.join(scripts)}: {each}" for each, scripts in outcomes.items()), to_add)


def _obstacle(script: str, text: str) -> str | None:
    """Return why no lines can be added to a hook; None if they can."""
    if os.path.islink(script):
        return f"it is a link to {shown_path(os.path.realpath(script))}"
    is_other = text.startswith("#!") and not _SHELL.match(text)
    return "it is not a shell script" if is_other or "\0" in text else None


def _exists(top: str, path: str) -> bool:
    return any(os.path.lexists(os.path.join(top, each)) for each in ((path,) if _option(path) else (path, PYPROJECT)))
