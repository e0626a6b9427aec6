"""Projects in which something is wrong, and which checks have to say so, by what their pages promise.

``red`` has the letters of the checks that have to fail (``CHECKS``), ``reported`` those that have to say something else
than in the healthy state and may succeed. All others have to succeed: it is not their promise. The sources are
docs/exit-codes.md, docs/lint.md, docs/hooks.md, docs/code.md, docs/audit.md, docs/reliability.md and docs/merging.md.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

from commands.projects import output, tokensync
from commands.repositories import git
from commands.scenes import AFTER, BEFORE, Killed, _edit, _pulled, _seed
from corpus.building import run_here

from tokensync.apply.journal import Journal
from tokensync.dtcg import folder as token_folder
from tokensync.testing import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

CHECKS = {
    "c": "check",
    "s": "check --staged",
    "n": "check --changed HEAD~1",
    "a": "action",
    "b": "build --check",
    "l": "lint",
    "f": "format --check",
    "t": "status",
    "p": "plan --exit-code",
    "d": "diff tokens remote",
    "r": "pull --dry-run",
    "u": "audit hand",
    "o": "doctor",
}
"""The checks by their letters; ``action`` is the GitHub Action in its mode ``check``."""
LIGHT, DARK = "tokens/one/theme/light.tokens.json", "tokens/one/theme/dark.tokens.json"
CSS, CONFIG, LOCK = "out/css/tokens.css", "tokensync.toml", "tokensync.lock"


class State(NamedTuple):
    """What is wrong in a project, how it gets there from the healthy one, and which checks see it."""

    name: str
    make: Callable[[], AbstractContextManager[None] | None]
    red: str = ""
    reported: str = ""


def healthy() -> None:
    """Make a repository with two commits, in which token files, outputs, lock and design file agree."""
    _pulled('[code]\npaths = ["src"]\n', output("css", "out/css") + output("json", "out/json"))
    Path("src").mkdir()
    Path("src/page.css").write_text(".a { color: var(--slate); }\n", encoding="utf-8")
    Path("hand").mkdir()
    by_hand = [line for line in _text(CSS).splitlines() if "tokensync" not in line]
    Path("hand/theme.css").write_text("\n".join(by_hand), encoding="utf-8")
    tokensync("format", "-q")
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "one")
    Path("README.md").write_text("A shop.\n", encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "two")


def _replaced(path: str, old: str, new: str) -> None:
    text = Path(path).read_text("utf-8")
    assert old in text, f"{old} is not in {path}"
    Path(path).write_text(text.replace(old, new, 1), encoding="utf-8")


def _stage() -> None:
    git("add", "-A")


def _edited_token() -> None:
    _edit("#112233", "#abcdef")
    _stage()


def _edited_and_built() -> None:
    _edit("#112233", "#abcdef")
    tokensync("build", "-q")
    _stage()


def _built_but_not_staged() -> None:
    _edited_token()
    tokensync("build", "-q")


def _edited_output() -> None:
    _replaced(CSS, "--slate: #", "--slate: #a")
    _stage()


def _removed_output() -> None:
    shutil.rmtree("out/json")
    _stage()


def _output_removed_from_disk() -> None:
    shutil.rmtree("out/json")


def _ignored_outputs() -> None:
    Path(".gitignore").write_text("out/\n", encoding="utf-8")
    git("rm", "-rq", "--cached", "out")
    _stage()


def _untracked_tokens() -> None:
    git("rm", "-q", "--cached", DARK)


def _no_syntax() -> None:
    _replaced(LIGHT, "{", "{{")
    _stage()


def _no_value() -> None:
    _replaced(LIGHT, '"components": [', '"components": ["x", ')
    _stage()


def _broken_alias() -> None:
    _replaced(LIGHT, "{theme.slate}", "{theme.slat}")
    _stage()


def _cycle() -> None:
    text = re.sub(r'("slate": \{\s*"\$type": "color",\s*"\$value": )\{[^}]*\}', r'\1"{theme.text.muted}"', _text(LIGHT))
    assert text != _text(LIGHT)
    Path(LIGHT).write_text(text, encoding="utf-8")
    _stage()


def _text(path: str) -> str:
    return Path(path).read_text("utf-8")


def _marks(path: str) -> Callable[[], None]:
    def make() -> None:
        text = _text(path)
        Path(path).write_text(f"<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n", encoding="utf-8")
        _stage()

    return make


def _missing_mode() -> None:
    os.remove(DARK)
    _stage()


def _folder_in_place() -> None:
    os.remove(DARK)
    os.mkdir(DARK)


def _unformatted() -> None:
    _replaced(LIGHT, "{\n", "{  \n\n")
    _stage()


def _conflict() -> None:
    _edited_and_built()
    _seed(AFTER)
    tokensync("pull", "-q", code=4)


def _half_applied() -> None:
    _edited_and_built()
    tokensync("plan", "-q")
    record = Journal.record

    def dying(journal: Journal, step: object) -> None:
        record(journal, step)  # type: ignore[arg-type]
        if len(journal.records) == 2:
            raise Killed

    with mock.patch.object(Journal, "record", dying):
        _killed("apply", "-q")


def _half_pulled() -> None:
    _seed({**AFTER, "slate": ("#992233", "#995566")})
    write = token_folder.replace_file

    def dying(path: str, *arguments: object, **options: object) -> None:
        if path.endswith("light.tokens.json"):
            raise Killed
        write(path, *arguments, **options)  # type: ignore[arg-type]

    with mock.patch.object(token_folder, "replace_file", dying):
        _killed("pull", "-q")


def _killed(*arguments: str) -> None:
    try:
        run_here(*arguments)
    except Killed:
        return
    raise AssertionError(f"{arguments} was not killed")


def _drift() -> None:
    _seed(AFTER)


def _deleted_on_the_platform() -> None:
    _seed({name: values for name, values in BEFORE.items() if name != "gap"})


def _without_lock() -> None:
    os.remove(LOCK)
    _stage()


def _damaged_lock() -> None:
    _replaced(LOCK, '"slate"', "slate")
    _stage()


def _old_lock() -> None:
    before = Path(LOCK).read_bytes()
    _seed(AFTER)
    tokensync("pull", "-q")
    tokensync("build", "-q")
    Path(LOCK).write_bytes(before)
    _stage()


def _newer_lock() -> None:
    text = _text(LOCK).replace('"format",[1,', '"format",[99,')
    assert text != _text(LOCK), _text(LOCK)[:200]
    Path(LOCK).write_text(text, encoding="utf-8")
    _stage()


def _damaged_list() -> None:
    _replaced("tokensync.outputs.json", "{", "[")
    _stage()


def _configured(old: str, new: str) -> Callable[[], None]:
    def make() -> None:
        _replaced(CONFIG, old, new)
        _stage()

    return make


def _empty_configuration() -> None:
    Path(CONFIG).write_bytes(b"")
    _stage()


def _broken_template() -> None:
    Path("mine/css").mkdir(parents=True)
    Path("mine/css/tokens.css.j2").write_text("{% for x in %}", encoding="utf-8")
    _configured('path = "out/css"', 'path = "out/css"\ntemplates = "mine"')()


def _low_contrast() -> None:
    rule = '[[lint.contrast]]\nforeground = ["slate"]\nbackground = ["slate"]\nminimum = "AA"\n[[outputs]]'
    _configured("[[outputs]]", rule)()


def _raw_value() -> None:
    Path("src/page.css").write_text(".a { color: #112233; }\n", encoding="utf-8")
    _stage()


def _raw_value_as_error() -> None:
    _configured("[code]", '[problems]\ncode-raw-value = "error"\n[code]')()
    _raw_value()


def _unknown_name() -> None:
    Path("src/page.css").write_text(".a { color: var(--text-mutd); }\n", encoding="utf-8")
    _stage()


def _accepted_then_changed() -> None:
    _raw_value_as_error()
    tokensync("check", "--accept", "before 2027", "-q")
    Path("src/page.css").write_text(".a { background: #445566; }\n", encoding="utf-8")
    _stage()


def _shallow() -> None:
    git("clone", "-q", "--depth", "1", f"file://{os.getcwd()}", "../shallow")
    shutil.copytree(".tokensync", "../shallow/.tokensync")
    os.chdir("../shallow")


def _expired_token() -> AbstractContextManager[None]:
    @contextmanager
    def served() -> Iterator[None]:
        with running(state=".tokensync/emulator.sqlite") as platform:
            _replaced(CONFIG, '"emulator:"', f'"{platform.base_url}"')
            token = platform.emulator.tokens.create(expires_in_days=1)
            platform.emulator.clock.advance(86_400 * 2)
            with mock.patch.dict(os.environ, FIGMA_ACCESS_TOKEN=token):
                _stage()
                yield

    return served()


def _nobody_answers() -> None:
    _configured('"emulator:"', '"http://127.0.0.1:9"')()
    _replaced(CONFIG, "[client]\n", "[client]\nconnect_timeout = 1\n")
    _stage()


OFFLINE, ONLINE = "csnabl", "tpdr"
"""The checks that read the token files without the design file, and those that read both."""
STATES = (
    State("healthy", lambda: None),
    State("a token is edited, and the outputs are not built", _edited_token, "csnab" + "tpd" + "u"),
    State("a token is edited and built, and nothing is planned", _edited_and_built, "tpd" + "u"),
    State("outputs are built, and not staged", _built_but_not_staged, "s" + "tpd" + "u"),
    State("an output is edited", _edited_output, "csnab"),
    State("an output is removed", _removed_output, "csnab"),
    State("an output is removed from disk only", _output_removed_from_disk, "cnab"),
    State("git ignores the outputs", _ignored_outputs, "s"),
    State("a token file is not staged", _untracked_tokens, "s"),
    State("a token file has no syntax", _no_syntax, OFFLINE + ONLINE + "f" + "u"),
    State("a token has an invalid value", _no_value, OFFLINE + ONLINE + "f" + "u"),
    State("an alias leads nowhere", _broken_alias, OFFLINE + ONLINE + "u"),
    State("aliases are a cycle", _cycle, "csnab" + "tpd", "r"),
    State("a token file has conflict marks", _marks(LIGHT), OFFLINE + ONLINE + "f" + "u"),
    State("a mode is missing", _missing_mode, OFFLINE + ONLINE + "u"),
    State("a folder is in place of a token file", _folder_in_place, "cnabl" + ONLINE + "f" + "u"),
    State("a token file is not in canonical form", _unformatted, "f"),
    State("a conflict is not resolved", _conflict, ONLINE + "u"),
    State("an apply is half done", _half_applied, "tpd" + "u"),
    State("a pull is half done", _half_pulled, ONLINE + "cnab" + "u"),
    State("the design file has changed", _drift, "td", "r"),
    State("a variable is deleted in the design file", _deleted_on_the_platform, "td", "r"),
    State("the lock is missing", _without_lock, ""),
    State("the lock has a line that is no fact", _damaged_lock, "", "ctp"),
    State("the lock is one of an earlier pull", _old_lock, "u"),
    State("the lock is of a newer tokensync", _newer_lock, OFFLINE + ONLINE + "fu"),
    State("the lock has conflict marks", _marks(LOCK), "csna" + "t"),
    State("the list of outputs is damaged", _damaged_list, "", "csnab"),
    State("the configuration is empty", _empty_configuration, OFFLINE + ONLINE + "fu" + "o"),
    State("a setting is unknown", _configured("[client]", "[client]\ntimeout = 3"), OFFLINE + ONLINE + "fu" + "o"),
    State("the key is of no file", _configured("key-one", "key-none"), ONLINE),
    State("a theme names no mode", _configured("[code]", '[themes.night]\ntheme = "Night"\n[code]'), OFFLINE + "u"),
    State("a template is broken", _broken_template, "csnab"),
    State("the contrast is too low", _low_contrast, "csnal"),
    State("code has a raw value", _raw_value, "", "csna"),
    State("code has a raw value, which is an error", _raw_value_as_error, "csna"),
    State("code has a name that no token has", _unknown_name, "csna"),
    State("code has another raw value than the accepted one", _accepted_then_changed, "csna"),
    State("the clone is shallow", _shallow, "n"),
    State("the token has expired", _expired_token, ONLINE),
    State("nobody answers", _nobody_answers, ONLINE),
)
