"""Runs the commands that a page of documentation shows, and compares what they print with what the page shows.

A block fenced with ```console is run, line by line as a reader would type it: a line that starts with ``$ `` is a
command (one that ends with a backslash goes on in the next), the lines below it are what it prints. ``...`` alone on a
line stands for any number of lines. A command has to end with 0, or with N where it ends with the comment
``# exits N``. ``<!-- $ command -->`` outside a block is run, too: it does what the text asks the reader to do. Blocks
fenced with anything else are not run.

All blocks of a page run one after the other in one shell, in a folder that holds a copy of the examples. ``tokensync``
is this checkout; ``make demo`` runs what it runs in the Makefile.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

import prepared

ROOT = Path(__file__).resolve().parent.parent
OURS = ("TOKENSYNC_", "FIGMA_", "PYTEST_")


class Shown(NamedTuple):
    line: int
    command: str
    output: list[str]

    @property
    def code(self):
        match = re.search(r"# exits (\d+)$", self.command)
        return int(match[1]) if match else 0


def shown_in(page: str) -> list[Shown]:
    """Return the commands of a page's console blocks, with their lines."""
    commands, inside, continued = [], False, False
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("```"):
            inside, continued = line.strip() == "```console", False
        elif not inside:
            if line.startswith("<!-- $ "):
                commands.append(Shown(number, line[len("<!-- $ ") :].removesuffix(" -->"), []))
        elif continued:
            commands[-1] = commands[-1]._replace(command=commands[-1].command + "\n" + line)
            continued = line.endswith("\\")
        elif line.startswith("$ "):
            commands.append(Shown(number, line[2:], []))
            continued = line.endswith("\\")
        elif commands and line.strip():
            commands[-1].output.append(line.rstrip())
        elif commands and commands[-1].output:
            commands[-1].output.append("")
    return [each._replace(output=without_blank_end(each.output)) for each in commands]


def without_blank_end(lines):
    lines = list(lines)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def run(shown: list[Shown], folder: Path) -> list[tuple[int, list[str]]]:
    """Run the commands; return exit code and output lines of each, both streams together."""
    programs = folder / ".programs"
    programs.mkdir()
    ours = shlex.join(prepared.command())
    write_program(programs / "tokensync", f'exec {ours} "$@"')
    demo = f'[ "$*" = demo ] && exec {ours} demo'
    write_program(programs / "make", f'{demo}\necho "not run here: make $*"; exit 97')
    mark = "----- shown command"
    ending = f'printf "\\n%s %s\\n" "{mark}" "$status"'
    script = ["status=0"]
    for each in shown:
        # The status of one command is the `$?` that the next one sees.
        script += [f"echo '{mark}'", '(exit "$status")', each.command, "status=$?", ending]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    environment |= {
        "COLUMNS": "100",
        "HOME": str(folder),
        "NO_COLOR": "1",
        "PATH": os.pathsep.join([str(programs), environment["PATH"]]),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        ["sh", "-c", "\n".join(script)],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        cwd=folder,
        env=environment,
        timeout=300,
    )
    runs = re.findall(rf"^{mark}\n(.*?)\n{mark} (\d+)\n", done.stdout, re.DOTALL | re.MULTILINE)
    return [(int(code), without_blank_end(line.rstrip() for line in text.split("\n"))) for text, code in runs]


def write_program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


def fits(shown: list[str], printed: list[str]) -> bool:
    """Return whether printed lines match the page, where ``...`` matches any number of lines."""
    pattern = "".join("(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def differences(page: str, folder: Path) -> list[str]:
    """Return the differences between a page and the output of its commands, a paragraph each."""
    shown = shown_in(page)
    problems = []
    ran = run(shown, folder)
    for each, (code, printed) in zip(shown, ran, strict=False):
        if code != each.code:
            problems.append(
                f"line {each.line}: $ {each.command}\nexits {code}, not {each.code}:\n" + "\n".join(printed)
            )
        elif not fits(each.output, printed):
            wanted, got = "\n".join(each.output), "\n".join(printed)
            problems.append(f"line {each.line}: $ {each.command}\n--- the page shows\n{wanted}\n--- it prints\n{got}")
    problems += [f"line {each.line}: $ {each.command}\nwas not reached" for each in shown[len(ran) :]]
    return problems
