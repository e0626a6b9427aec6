"""Writes docs/compare-web.md: tokens in our outputs for the web beside those of teams, Style Dictionary and Terrazzo.

The tokens, with the notes about them, are in compare_web.toml. The design files are the quickstart's, and saved
responses of figma/sds and GitHub's Primer in the folder that TOKENSYNC_CORPUS names. What the other programs write is
kept in build/compare-web and used again: delete that folder to run them anew, which takes minutes, because Terrazzo
resolves every combination of modes for JavaScript.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "compare-web.md"
BUILD = ROOT / "build" / "compare-web"
INSTALLED = ROOT / ".checkers"
CORPUS = Path(os.environ.get("TOKENSYNC_CORPUS") or ROOT.parent / "shared" / "corpus")
PLATFORMS = {"css": "CSS", "tailwind": "Tailwind CSS", "typescript": "TypeScript"}
TOOLS = {"tokensync": "tokensync", "team": "the team", "style-dictionary": "Style Dictionary", "terrazzo": "Terrazzo"}
LONGEST = 120
"""The most characters of a line of code; the end of a longer one is omitted."""
WIDTH = 132
"""The most characters of a line of prose."""
GENERATED = "\n<!-- From here on, made by `make compare-web`. -->\n"
_DECLARATION = re.compile(r"\s*(--[\w-]+)\s*:\s*(.*?);\s*(?:/\*.*\*/)?\s*$")
_CONTINUED = re.compile(r"^ *--[\w-]+:[^;{}]*;", re.MULTILINE)
"""A declaration, which may be on several lines."""
_EXPORT = re.compile(r"export (?:declare )?const (\w+)\b.*")


class Row(msgspec.Struct):
    """A token: collection and path with dots, our names in CSS and Tailwind, and what to say about the lines."""

    path: str
    css: str
    tailwind: str
    note: str


class Team(msgspec.Struct):
    """A design file: its responses, settings, the team's style sheets, the mode to show, and globs for Terrazzo."""

    title: str
    about: str
    responses: list[str]
    file: str
    naming: str
    options: str
    tailwind: str
    sheets: list[str]
    mode: str
    terrazzo: dict[str, list[str]]
    rows: list[Row]


class Line(NamedTuple):
    """A declaration of a file: the selectors around it, its name, and its text without comments."""

    selectors: str
    name: str
    text: str


def read_teams() -> dict[str, Team]:
    """Return the design files by short names."""
    return msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=dict[str, Team])


def run_tokensync(name: str, team: Team, folder: Path) -> None:
    """Pull a team's responses into a project, and build its outputs."""
    for old in (".tokensync", "tokens", "tokensync"):
        shutil.rmtree(folder / old, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    outputs = (
        ("css", "css", team.naming, team.options),
        ("minified", "css", team.naming, f"{team.options} minify = true, light_dark = true"),
        ("tailwind", "tailwind", team.naming, team.options + team.tailwind),
        ("typescript", "typescript", "", ""),
    )
    text = f'base_url = "emulator:"\n\n[[files]]\nname = "{name}"\nkey = "ComparedDesignFile0001"\n{team.file}\n'
    for path, platform, naming, options in outputs:
        text += f'\n[[outputs]]\nplatform = "{platform}"\npath = "tokensync/{path}"\n{naming}\n'
        text += f"options = {{ {options.strip(' ,')} }}\n"
    (folder / "tokensync.toml").write_text(text, encoding="utf-8")
    for words in (["emulator", "seed", *map(str, responses_of(team))], ["pull"], ["build"]):
        subprocess.run([sys.executable, "-m", "tokensync", "-q", *words], cwd=folder, check=True)


def responses_of(team: Team) -> list[Path]:
    """Return the paths of a team's responses."""
    return [(ROOT if "/" in name else CORPUS) / name for name in team.responses]


def run_others(name: str, team: Team, folder: Path) -> None:
    """Build the team's token files with Style Dictionary and Terrazzo, if this has not been done."""
    if (folder / "terrazzo" / "typescript").is_dir():
        return
    resolver = str(folder / "tokens" / f"{name}.resolver.json")
    request = json.dumps({"resolver": resolver, "folder": str(folder), "tailwind": team.terrazzo})
    source = Path(__file__).with_suffix(".mjs").read_text(encoding="utf-8")
    command = ["node", "--input-type=module", "--eval", source]
    subprocess.run(command, cwd=INSTALLED, input=request, encoding="utf-8", check=True)


def files_of(tool: str, platform: str, team: Team, folder: Path) -> list[Path]:
    """Return the files that a program or a team has for a platform, those of the default modes first."""
    if tool == "team":
        paths = [ROOT / name for name in team.sheets] if platform == "css" else []
        files = [file for path in paths for file in (sorted(path.rglob("*.css")) if path.is_dir() else [path])]
    else:
        files = sorted(path for path in (folder / tool / platform).rglob("*") if path.suffix in (".css", ".js", ".ts"))
    return sorted(files, key=lambda path: path.stem not in ("tokens", "light"))


def lines_of(files: Iterable[Path]) -> Iterator[Line]:
    """Yield the declarations of style sheets and the exports of modules, whose selector is the file's suffix."""
    for file in files:
        selectors: list[str] = []
        text = _CONTINUED.sub(lambda match: match[0].replace("\n", " "), file.read_text(encoding="utf-8"))
        for line in text.splitlines():
            if declaration := _DECLARATION.match(line):
                value = re.sub(r"\s+", " ", declaration[2])
                yield Line(" ".join(selectors), declaration[1], f"{declaration[1]}: {value};")
            elif export := _EXPORT.match(line):
                yield Line(file.suffix, export[1], export[0].partition(" //")[0])
            elif line.rstrip().endswith("{"):
                selectors.append(line.strip(" {"))
            elif line.strip() == "}" and selectors:
                selectors.pop()


def letters(name: str) -> str:
    """Return the letters and digits of a name: what all programs keep of it."""
    return "".join(filter(str.isalnum, name)).lower()


def names_of(tool: str, platform: str, row: Row, team: Team) -> set[str]:
    """Return the names that a token can have, or their letters."""
    if tool in ("tokensync", "team"):
        return {letters(row.css)} if platform == "typescript" else {row.tailwind if platform == "tailwind" else row.css}
    path = row.path.removesuffix(".$root")
    if platform != "tailwind":
        return {letters(path), letters(row.path)}
    # of several globs for a namespace, Terrazzo takes only the last one's beginning off
    return {
        letters(namespace + name)
        for namespace, globs in team.terrazzo.items()
        for prefix in (glob.partition("*")[0] for glob in globs)
        if path.startswith(prefix)
        for name in (path, path.removeprefix(prefix))
    }


def shown_by(platform: str, names: set[str], mode: str, lines: list[Line]) -> Iterator[tuple[str, str]]:
    """Yield a token's line of the default modes, and that of the mode or of its type, with words for what it is."""
    declared = [line for line in lines if line.name in names or letters(line.name) in names]
    if not declared:
        return
    first, *rest = declared
    yield "", first.text
    if platform == "typescript":
        others = (line for line in rest if line.selectors != first.selectors)
    else:
        is_of_mode = re.compile(rf'[="-]{mode}"|: {mode}\)')
        others = (line for line in rest if line.text != first.text and is_of_mode.search(line.selectors))
    for line in others:
        yield "its type" if platform == "typescript" else mode, line.text
        return


def comparison(name: str, team: Team) -> Iterator[str]:
    """Yield the section of a team."""
    yield f"## {team.title}\n\n{filled(team.about)}\n"
    lines = {
        (tool, platform): list(lines_of(files_of(tool, platform, team, BUILD / name)))
        for tool in TOOLS
        for platform in PLATFORMS
    }
    missing: list[str] = []
    for row in team.rows:
        yield f"### `{row.path.partition('.')[2].removesuffix('.$root').replace('.', '/')}`\n\n```text"
        for platform, title in PLATFORMS.items():
            yield title
            for tool, author in TOOLS.items():
                names = names_of(tool, platform, row, team)
                shown = list(shown_by(platform, names, team.mode, lines[tool, platform]))
                missing += [f"{name}, {platform}: {row.path}"] if not shown and tool == "tokensync" else []
                for words, text in shown:
                    head = f"    {words}" if words else f"  {author}"
                    yield head.ljust(22) + (text if len(text) <= LONGEST else f"{text[:LONGEST]} ...")
        yield f"```\n\n{filled(row.note)}\n"
    if missing:
        raise SystemExit("\n".join(("compare_web.toml has names that our outputs do not have:", *missing)))


def filled(prose: str) -> str:
    """Break lines between words, but not in code."""
    bound = re.sub(r"`[^`]*`", lambda match: match[0].replace(" ", "\0"), prose)
    return textwrap.fill(bound, WIDTH, break_on_hyphens=False, break_long_words=False).replace("\0", " ")


def sizes(teams: dict[str, Team]) -> Iterator[str]:
    """Yield a table with the sizes of all files."""
    yield "| design file | output | tokensync | minified | the team | Style Dictionary | Terrazzo |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, team in teams.items():
        for platform, title in PLATFORMS.items():
            columns = [files_of(tool, platform, team, BUILD / name) for tool in TOOLS]
            minified = files_of("tokensync", "minified", team, BUILD / name) if platform == "css" else []
            cells = " | ".join(map(size_of, (columns[0], minified, *columns[1:])))
            yield f"| {team.title} | {title} | {cells} |"
    yield ""


def size_of(files: list[Path]) -> str:
    """Return the kB (1,000 bytes) of files, and those of each file after gzip."""
    contents = [file.read_bytes() for file in files]
    compressed = sum(len(gzip.compress(content, 9, mtime=0)) for content in contents)
    return f"{sum(map(len, contents)) / 1000:,.1f} / {compressed / 1000:,.1f}" if files else "-"


def main() -> int:
    """Write the page; 1 if a response or a package is missing."""
    teams = read_teams()
    needed = [path for team in teams.values() for path in responses_of(team)]
    missing = [str(path) for path in (*needed, INSTALLED / "node_modules" / "style-dictionary") if not path.exists()]
    if missing:
        print(f"missing: {', '.join(missing)}; see the first lines of checks/compare_web.py", file=sys.stderr)
        return 1
    for name, team in teams.items():
        run_tokensync(name, team, BUILD / name)
        run_others(name, team, BUILD / name)
    head = PAGE.read_text(encoding="utf-8").partition(GENERATED)[0]
    sections = (line for name, team in teams.items() for line in comparison(name, team))
    text = "\n".join([*sizes(teams), *sections])
    PAGE.write_text(f"{head}{GENERATED}\n{text.rstrip()}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
