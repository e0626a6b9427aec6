"""The house rules that no linter knows: meaningful module names, small files and functions, plain words, nothing put
off, no trace of the machine a file was written on, no package index.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent

EMPTY_NAMES = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}
"""Module names without a meaning."""

LONGEST_TEST_FILE = 600
"""Lines."""

LONGEST_FUNCTION = 60
"""Lines, docstring included: a screen."""

SOURCES = {".py", ".mjs", ".j2", ".toml"}
PROSE = {".md", ".txt", ".yml", ".yaml", ".json", ".xml", ".css", ".swift", "", ".cfg"}

# Each is written in two parts, so that this file keeps the rules too.
TRACES = {
    "something put off": r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b",
    "a path of one machine": r"(?<![\w.])/(?:wo"
    + r"rk|ro"
    + r"ot|tmp|home/\w+|Use"
    + r"rs/\w+)/|\b[A-Z]:\\Use"
    + r"rs",
    "a package index": r"pypi\." + r"org|python" + r"hosted|registry\.np" + r"mjs|npm" + r"js\.com|deb\.deb" + r"ian",
    "a page that does not ship": r"\bDES" + r"IGN(?:\.md| section)",
}
"""Patterns that may not match a line, by what they find."""

LATER_STEPS = re.compile(r"GITHUB_(?:ENV|PATH)\b|\bgithub\.(?:env|path)\b|::(?:set-env|add-path)\b", re.IGNORECASE)
"""The ways in which a step of a workflow sets variables and the PATH of later steps."""

BANNED_WORDS = {
    r"(?<![\"#])told": "reported",
    r"befalls?": "affects",
    r"mend(?:s|ed|ing)?": "fix",
    r"whereabouts": "location",
    r"whoever": "anyone who",
    r"(?<!\")verdicts?": "outcome",  # the JSON member is part of an interface
    r"(?<![-\"])circles?": "cycle",  # the problem code is part of an interface
    r"(?:has|have|is|are) no more(?! than)": "no longer",
    r"tells? of": "reports",
    r"says? of it": "describes",
    r"(?:is|are) none of": "is not one of",
    r"of (?:its|their) own accord": "automatically",
}
"""Words that a reader has to guess at, and the plain word to use instead. ``_`` separates words too."""

_CHANGES = "open|replace|renames?|unlink|remove(?:dirs)?|rmdir|mkdir|makedirs|(?:sym)?link|truncate|chmod|mkfifo"
RESERVED_CALLS = {
    "starts a program": (
        r"^\s*(?:import|from) (?:subprocess|multiprocessing|pty|pexpect)\b"
        r"|\bos\.(?:system|popen|startfile|exec[lv]\w*|spawn\w+|posix_spawn\w*)\b|\bcreate_subprocess_\w+",
        {"system/child.py"},
    ),
    "changes files without system.disk": (
        rf"\bos\.(?:{_CHANGES})\(|^\s*(?:import|from) tempfile\b|\bshutil\.(?:copy|move|rmtree|unpack)\w*"
        r"|(?<![\w.])open\([^)]*[\"'][rb]*[wax+]|\.write_(?:text|bytes)\(",
        {
            "system/disk.py",
            "system/child.py",  # in a new temporary folder
            "system/stat_manifest.py",  # in a folder that disk opened
            "extract/client/credentials.py",  # in the user's own configuration folder
            "dtcg/cache.py",  # in the user's own cache
            "emulator/server.py",  # in a new temporary folder
            "system/outlet/streams.py",  # the null device
            "commands/build.py",  # a pipe
        },
    ),
}
"""Calls that only some modules of the package may contain: the patterns and these modules."""

STATES_BANNED_WORDS = ("checks/house_rules.py", "tests/house/test_house_rules.py")


def files() -> Iterator[Path]:
    """Yield the files that git tracks, or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    for name in sorted(set(filter(None, listed.split("\0")))):
        if (ROOT / name).is_file():
            yield Path(name)


def broken_rules(name: Path) -> Iterator[str]:
    """Yield a message for each rule that a file breaks."""
    if name.suffix == ".py" and empty_words(name):
        yield f"{name}: the name has no meaning; name the module for its content"
    raw = (ROOT / name).read_bytes()
    if name.suffix not in SOURCES | PROSE or name.name == "LICENSE":
        return
    if b"\r" in raw:
        yield f"{name}: has carriage returns; end lines with a line feed"
    if raw and not raw.endswith(b"\n"):
        yield f"{name}: ends without a line feed; add it"
    text = raw.decode("utf-8")
    yield from traces(name, text)
    if name.suffix in {".yml", ".yaml"}:
        yield from changes_of_later_steps(name, text)
    golden = "goldens" in name.parts
    plain = name.as_posix().startswith(STATES_BANNED_WORDS)
    if name.suffix in {".py", ".md", ".j2", ".toml"} and not golden and not plain:
        yield from banned_words(name, text)
    if name.suffix in SOURCES and not golden and name.parts[0] == "tests" and text.count("\n") > LONGEST_TEST_FILE:
        yield f"{name}: has {text.count(chr(10))} lines, over {LONGEST_TEST_FILE}; split it by meaning"
    if name.suffix == ".py" and not golden:
        yield from long_functions(name, text)
        yield from unnamed_encodings(name, text)
    if name.suffix == ".py" and name.parts[0] == "tokensync":
        yield from reserved_calls(name, text)


def empty_words(name: Path) -> set[str]:
    """Return the meaningless words of a module's path."""
    stem = name.stem.removeprefix("test_").lstrip("_")
    return EMPTY_NAMES & {stem, stem.rpartition("_")[2], *name.parts[:-1]}


def traces(name: Path, text: str) -> Iterator[str]:
    """Yield a message for each line with text that no file may contain."""
    for number, line in enumerate(text.splitlines(), 1):
        for what, pattern in TRACES.items():
            if match := re.search(pattern, line):
                yield f"{name}:{number}: contains {what} ({match[0]}); remove it"


def changes_of_later_steps(name: Path, text: str) -> Iterator[str]:
    """Yield a message for each line of a workflow that can set variables of later steps, such as PATH or NODE_OPTIONS.

    A name of a branch or tag may contain what follows it in such a file, and zizmor checks few workflows for it.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if LATER_STEPS.search(line.partition(" #")[0]):
            yield f"{name}:{number}: writes variables of later steps; write an output, and pass it on with env:"


def banned_words(name: Path, text: str) -> Iterator[str]:
    """Yield a message for each banned word, with its replacement."""
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, replacement in BANNED_WORDS.items():
            for match in re.finditer(rf"(?i)(?<![^\W_])(?:{pattern})(?![^\W_])", line):
                yield f'{name}:{number}: "{match[0]}" (say "{replacement}")'


def reserved_calls(name: Path, text: str) -> Iterator[str]:
    """Yield a message for each call that the module leaves to another one."""
    for what, (pattern, modules) in RESERVED_CALLS.items():
        if name.relative_to("tokensync").as_posix() not in modules:
            for number, line in enumerate(text.splitlines(), 1):
                if match := re.search(pattern, line):
                    yield f"{name}:{number}: {what} ({match[0].strip()}); use system.child or system.disk"


def long_functions(name: Path, text: str) -> Iterator[str]:
    """Yield a message for each function that does not fit a screen."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LONGEST_FUNCTION:
                location = f"{name}:{node.lineno}: {node.name}"
                yield f"{location} has {lines} lines, over {LONGEST_FUNCTION}; split it by meaning"


def unnamed_encodings(name: Path, text: str) -> Iterator[str]:
    """Yield a message for each text file that is opened in the system's encoding: a code page on Windows."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or "encoding" in {each.arg for each in node.keywords}:
            continue
        match node.func, node.args:
            case (ast.Attribute(attr="read_text"), []) | (ast.Attribute(attr="write_text"), [_]):
                is_text = True
            case (ast.Name("open"), [_]) | (ast.Attribute(ast.Name("os"), "fdopen"), [_]):
                is_text = "mode" not in {each.arg for each in node.keywords}
            case (ast.Name("open") | ast.Attribute(ast.Name("os"), "fdopen"), [_, ast.Constant(str(mode))]) | (
                ast.Attribute(attr="open"),
                [ast.Constant(str(mode))],
            ):
                is_text = bool(re.fullmatch(r"[rwxa]\+?t?", mode))
            case ast.Attribute(ast.Name("subprocess")), _:
                is_text = "text" in {each.arg for each in node.keywords}
            case _:
                is_text = False
        if is_text:
            yield f"{name}:{node.lineno}: opens a text without its encoding; name it"


def main() -> int:
    """Print every broken rule; return 1 if there is one."""
    messages = [message for name in files() for message in broken_rules(name)]
    for message in messages:
        print(message, file=sys.stderr)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
