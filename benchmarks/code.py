"""Measure `check --code` the first time, and the hook on ten changed files. The result is a Markdown table.

The files are made from a seed: four languages, 4 kB each, with names of tokens in most lines and some raw values.

    python benchmarks/code.py                  20,000 files
    python benchmarks/code.py --files 2000
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from random import Random
from typing import TYPE_CHECKING

from costs import Program
from run import HERE, MEBIBYTE, TOKENSYNC, in_memory, row, table

if TYPE_CHECKING:
    from collections.abc import Iterator

BYTES = 4096
CHANGED = 10
GOALS = "at most 60 s of processor time for 20,000 files of 4 kB, and 0.3 s for the hook"
CONFIG = '\n[code]\npaths = ["src"]\n'
LANGUAGES = {
    "css": (
        ".{word}-{n} {{ color: var(--text-{shade}); padding: var(--space-{size}) 0; }}\n",
        "  .{word}__{n}:hover {{ background: {color}; margin: {n}px auto; }} /* issue #{n} */\n",
    ),
    "tsx": (
        'export const {word}{n} = ({{ id }}: Props) => <div className="flex items-center {word}-{n}" id={{id}} />;\n',
        "  const style{n} = {{ color: '{color}', padding: {n}, label: 'a {word} of #{n}' }};\n",
    ),
    "kt": (
        "fun {word}{n}(context: Context) = context.getColor(R.color.text_{shade}) // {word}\n",
        "val color{n} = Color(0xFF{hex}) + {word}.padding({n}.dp)\n",
    ),
    "swift": (
        'let {word}{n} = Text("{word} {n}").foregroundColor(Tokens.text{Shade})\n',
        "let color{n} = UIColor(red: 0.{n}, green: 0.5, blue: 0.5, alpha: 1) // #{n}\n",
    ),
}
COLORS = 300
"""The number of colours of an old code base, which repeats them."""
WORDS = "card list header footer button dialog field menu panel table".split()


def lines(language: str, random: Random) -> Iterator[str]:
    """Yield lines of code without end; one in ten has raw values."""
    plain, raw = LANGUAGES[language]
    colors = [Random(number).randrange(1 << 24) for number in range(COLORS)]
    while True:
        shade = random.choice(("primary", "muted"))
        yield (raw if random.random() < 0.1 else plain).format(
            word=random.choice(WORDS),
            n=random.randrange(100, 999),
            shade=shade,
            Shade=shade.capitalize(),
            size=random.choice(("sm", "md")),
            color=f"#{random.choice(colors):06x}",
            hex=f"{random.choice(colors):06X}",
        )


def write(folder: str, number: int, random: Random) -> None:
    """Write so many files of code below a folder, a hundred in each of its folders."""
    languages = [*LANGUAGES]
    for index in range(number):
        language = languages[index % len(languages)]
        below = os.path.join(folder, f"part{index // 100}")
        os.makedirs(below, exist_ok=True)
        text = ""
        for line in lines(language, random):
            if len(text) + len(line) > BYTES:
                break
            text += line
        with open(os.path.join(below, f"file{index}.{language}"), "w", encoding="utf-8") as file:
            file.write(text)


def main() -> None:
    """Run the measurements."""
    parser = argparse.ArgumentParser(description="Measure the check of code.")
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=in_memory(), prefix="tokensync-benchmark-") as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
        project = os.path.join(folder, "project")
        shutil.copytree(os.path.join(HERE, "..", "examples", "quickstart"), project)
        with open(os.path.join(project, "tokensync.toml"), "a", encoding="utf-8") as file:
            file.write(CONFIG)
        source = os.path.join(project, "src")
        write(source, chosen.files, Random(chosen.seed))
        git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", project)
        for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "Start")):
            subprocess.run((*git, *command), check=True)
        print(f"Goal: {GOALS}.\n")
        table("run", "processor s", "wall s", "memory MB")
        first = Program((*TOKENSYNC, "check", "-q"), project).run()
        row(
            f"{chosen.files:,} files, first time", f"{first.processor:.1f}", f"{first.wall:.1f}", first.peak // MEBIBYTE
        )
        for index in range(CHANGED):
            language = [*LANGUAGES][index % len(LANGUAGES)]
            with open(os.path.join(source, "part0", f"file{index}.{language}"), "a", encoding="utf-8") as file:
                file.write(LANGUAGES[language][0].format(word="new", n=1, shade="primary", Shade="Primary", size="md"))
        subprocess.run((*git, "add", "-A"), check=True)
        hook = Program((*TOKENSYNC, "check", "--staged", "-q"), project)
        for name in ("the first time", "again"):
            cost = hook.run()
            what = f"hook, {CHANGED} changed files, {name}"
            row(what, f"{cost.processor:.2f}", f"{cost.wall:.2f}", cost.peak // MEBIBYTE)


if __name__ == "__main__":
    main()
