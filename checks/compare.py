"""Writes docs/compare-web.md and docs/compare-native.md: tokens in our outputs beside those of teams and other tools.

The tokens, with the notes about them, are in compare_web.toml and compare_native.toml. The design files are the
quickstart's and, for the web, saved responses of figma/sds and GitHub's Primer in the folder that TOKENSYNC_CORPUS
names. What the other programs write is kept in build/compare and used again: delete that folder to run them anew,
which takes minutes, because Terrazzo resolves every combination of modes for JavaScript. Programs that no package
registry has do not run here: their lines are in compare_native.toml, with the source of each.
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
NATIVE_PAGE = ROOT / "docs" / "compare-native.md"
DATA = Path(__file__).parent
BUILD = ROOT / "build" / "compare"
QUICKSTART = tuple(
    ROOT / "examples" / "quickstart" / f"design.{part}.json" for part in ("local", "published", "styles")
)
INSTALLED = ROOT / ".checkers"
CORPUS = Path(os.environ.get("TOKENSYNC_CORPUS") or ROOT.parent / "shared" / "corpus")
PLATFORMS = {"css": "CSS", "tailwind": "Tailwind CSS", "typescript": "TypeScript"}
TOOLS = {"tokensync": "tokensync", "team": "the team", "style-dictionary": "Style Dictionary", "terrazzo": "Terrazzo"}
LONGEST = 120
"""The most characters of a line of code; the end of a longer one is omitted."""
WIDTH = 132
"""The most characters of a line of prose."""
GENERATED = "\n<!-- From here on, made by `make compare`. -->\n"
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
    return msgspec.toml.decode((DATA / "compare_web.toml").read_bytes(), type=dict[str, Team])


def run_tokensync(name: str, team: Team, folder: Path) -> None:
    """Pull a team's responses into a project, and build its outputs."""
    outputs = (
        ("css", "css", team.naming, team.options),
        ("minified", "css", team.naming, f"{team.options} minify = true, light_dark = true"),
        ("tailwind", "tailwind", team.naming, team.options + team.tailwind),
        ("typescript", "typescript", "", ""),
    )
    text = f'[[files]]\nname = "{name}"\nkey = "ComparedDesignFile0001"\n{team.file}\n'
    for path, platform, naming, options in outputs:
        text += f'\n[[outputs]]\nplatform = "{platform}"\npath = "tokensync/{path}"\n{naming}\n'
        text += f"options = {{ {options.strip(' ,')} }}\n"
    pull(text, responses_of(team), folder)
    tokensync(folder, "build")


def pull(settings: str, responses: Iterable[Path], folder: Path) -> None:
    """Pull responses from the emulator into a new project with these settings."""
    for old in (".tokensync", "tokens", "tokensync"):
        shutil.rmtree(folder / old, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokensync.toml").write_text(f'base_url = "emulator:"\n\n{settings}', encoding="utf-8")
    tokensync(folder, "emulator", "seed", *map(str, responses))
    tokensync(folder, "pull")


def tokensync(folder: Path, *words: str) -> None:
    """Run a command of tokensync."""
    subprocess.run([sys.executable, "-m", "tokensync", "-q", *words], cwd=folder, check=True)


def responses_of(team: Team) -> list[Path]:
    """Return the paths of a team's responses."""
    return [(ROOT if "/" in name else CORPUS) / name for name in team.responses]


def run_others(name: str, team: Team, folder: Path) -> None:
    """Build the team's token files with Style Dictionary and Terrazzo, if this has not been done."""
    if not (folder / "terrazzo" / "typescript").is_dir():
        run_node(name, folder, team.terrazzo)


def run_node(name: str, folder: Path, tailwind: dict[str, list[str]] | None) -> None:
    """Build a project's token files with the programs of compare.mjs."""
    resolver = str(folder / "tokens" / f"{name}.resolver.json")
    request = json.dumps({"resolver": resolver, "folder": str(folder), "tailwind": tailwind})
    source = (DATA / "compare.mjs").read_text(encoding="utf-8")
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


NATIVE = {"ios": "iOS", "android": "Android", "compose": "Compose", "flutter": "Flutter"}
NATIVE_TOOLS = {
    "tokensync": "tokensync",
    "style-dictionary": "Style Dictionary",
    "terrazzo": "Terrazzo",
    "exfig": "ExFig",
    "builder": "Theme Builder",
}
DURATION = {"motion": {"quick": {"$type": "duration", "$value": {"value": 200, "unit": "ms"}}}}
"""A token that is added to the quickstart's primitives, which have no duration."""
FOLDERS = {"default": "", "values": "", "values-night": "dark", "theme.dark": "dark", "density.compact": "compact"}
"""The labels of files in these folders; those of other modes are not shown."""
SWIFT = ("Tokens.swift", "Color+Tokens.swift", "StyleDictionary.swift")
LABELS = ("", "member", "catalog", "dark", "compact")
LONGEST_BLOCK = 14
"""Lines."""
_NAMED = {
    "ios": re.compile(r"\b(?:let|var|func) (\w+)\b"),
    "android": re.compile(r'<\w+ (?:type="\w+" )?name="([\w.]+)"'),
    "compose": re.compile(r"\bval (\w+)\b|^ +(\w+) = "),
    "flutter": re.compile(r"\bconst (?:\w+ )?(\w+) =|^ +(\w+): "),
}
"""The name in the first line of a declaration."""
_MODE = re.compile(r"^ *(?:/\*\*|///) .*\b[Tt]he mode (.+?)\.")
_COMMENT_BEHIND = re.compile(r" *(?:/\*\*.*\*/|<!--.*-->)$")
_COMPONENTS = re.compile(r'"appearances"|"components" : \{[^}]*\}')


class NativeRow(msgspec.Struct):
    """A token.

    ``name`` is ours, with other names in ``names`` by platform. ``merged`` has whose line a reviewer would take, and
    ``recorded`` the lines of programs that do not run here, by platform, program and label.
    """

    title: str
    path: str
    name: str
    merged: dict[str, str]
    note: str
    names: dict[str, str] = {}
    recorded: dict[str, dict[str, dict[str, str]]] = {}


class Native(msgspec.Struct):
    """The settings of our outputs, and the tokens."""

    settings: str
    rows: list[NativeRow]


def read_native() -> Native:
    """Return what the page of native outputs compares."""
    return msgspec.toml.decode((DATA / "compare_native.toml").read_bytes(), type=Native)


def run_natively(native: Native, folder: Path) -> None:
    """Pull the quickstart into a project, add a duration to its token files, and build the native outputs."""
    pull(native.settings, QUICKSTART, folder)
    path = folder / "tokens" / "harbor" / "primitives" / "value.tokens.json"
    tokens = json.loads(path.read_bytes())
    tokens["primitives"] |= DURATION
    path.write_text(json.dumps(tokens, indent=2), encoding="utf-8")
    tokensync(folder, "build")


def native_lines_of(tool: str, platform: str, folder: Path) -> Iterator[Line]:
    """Yield the declarations of a program's files for a platform, whose selector is the label of their mode."""
    parent = folder / tool / platform
    for path in native_files_of(parent):
        label = FOLDERS.get(path.parent.name, "member" if path.name.startswith("Color+") else "")
        lines = path.read_text(encoding="utf-8").splitlines()
        for at, line in enumerate(lines):
            if mode := _MODE.match(line):
                label = mode[1].lower()
            elif declared := _NAMED[platform].search(line):
                yield Line(label, next(filter(None, declared.groups())), block_at(lines, at))
    for path in sorted(parent.rglob("*.colorset/Contents.json")):
        label = "catalog"
        for match in _COMPONENTS.finditer(path.read_text(encoding="utf-8")):
            if match[0] == '"appearances"':
                label = "dark"
            else:
                yield Line(label, path.parent.stem, re.sub(r"\s+", " ", match[0]))


def native_files_of(parent: Path) -> list[Path]:
    """Return the files with tokens, those of the default modes first; other Swift selects modes at run time."""
    files = [path for path in parent.rglob("*") if path.suffix in (".xml", ".kt", ".dart") or path.name in SWIFT]
    shown = [path for path in files if path.parent == parent or path.parent.name in FOLDERS]
    return sorted(shown, key=lambda path: (bool(FOLDERS.get(path.parent.name)), path.name.startswith("Color+"), path))


def block_at(lines: list[str], at: int) -> str:
    """Return a declaration: the lines up to where its brackets and its element are closed."""
    block: list[str] = []
    for line in lines[at:]:
        if block and is_complete("\n".join(block)) and not line.strip().startswith("get()"):
            break
        block.append(_COMMENT_BEHIND.sub("", line))
    return textwrap.dedent("\n".join(block))


def is_complete(text: str) -> bool:
    """Return whether all brackets and styles are closed."""
    opened = sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
    return opened <= 0 and text.count("<style") == text.count("</style")


def natively_shown(tool: str, platform: str, row: NativeRow, lines: Iterable[Line]) -> dict[str, str]:
    """Return a token's declarations by label; the empty one is that of the default modes."""
    if tool in (recorded := row.recorded.get(platform, {})):
        return recorded[tool]
    name = letters(row.path if tool == "style-dictionary" else row.names.get(platform, row.name))
    shown: dict[str, str] = {}
    for line in lines:
        label = line.selectors if shown else ""
        if name and letters(line.name) == name and line.text not in shown.values() and label in LABELS:
            shown.setdefault(label, line.text)
    return shown


def native_comparison(native: Native, folder: Path) -> Iterator[str]:
    """Yield a table of whose lines would be merged, and a section for each token."""
    yield f"| token | {' | '.join(NATIVE.values())} |\n| --- |{' --- |' * len(NATIVE)}"
    for row in native.rows:
        yield f"| {row.title} | {' | '.join(row.merged.get(platform, '-') for platform in NATIVE)} |"
    lines = {
        (tool, platform): list(native_lines_of(tool, platform, folder))
        for tool in ("tokensync", "style-dictionary")
        for platform in NATIVE
    }
    for row in native.rows:
        yield f"\n## {row.title}\n\n```text"
        for platform, title in NATIVE.items():
            parts = [
                part
                for tool, author in NATIVE_TOOLS.items()
                for part in shown_parts(author, natively_shown(tool, platform, row, lines.get((tool, platform), ())))
            ]
            yield from (title, *parts) if parts else ()
        yield f"```\n\n{filled(row.note)}"


def shown_parts(author: str, shown: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a block for what a program has, each behind its author or label."""
    for label, text in shown.items():
        first, *rest = text.splitlines()
        rest = [*rest[: LONGEST_BLOCK - 1], *(["..."] if len(rest) >= LONGEST_BLOCK else [])]
        head = f"    {label}" if label else f"  {author}"
        for start, line in ((head, first), *(("", line) for line in rest)):
            yield start.ljust(22) + (line if len(line) <= LONGEST else f"{line[:LONGEST]} ...")


def main() -> int:
    """Write the pages; 1 if a package is missing, or a response, without which only the native page is written."""
    if not (INSTALLED / "node_modules" / "style-dictionary").is_dir():
        print("Style Dictionary is missing: run `make verify`, which installs it", file=sys.stderr)
        return 1
    native, folder = read_native(), BUILD / "native"
    run_natively(native, folder)
    run_node("harbor", folder, None)
    write_below(NATIVE_PAGE, native_comparison(native, folder))
    teams = read_teams()
    missing = [str(path) for team in teams.values() for path in responses_of(team) if not path.exists()]
    if missing:
        print(f"missing: {', '.join(missing)}; see the first lines of checks/compare.py", file=sys.stderr)
        return 1
    for name, team in teams.items():
        run_tokensync(name, team, BUILD / name)
        run_others(name, team, BUILD / name)
    sections = (line for name, team in teams.items() for line in comparison(name, team))
    write_below(PAGE, [*sizes(teams), *sections])
    return 0


def write_below(page: Path, lines: Iterable[str]) -> None:
    """Replace what was generated below the head of a page, which people write."""
    head = page.read_text(encoding="utf-8").partition(GENERATED)[0]
    text = "\n".join(lines)
    page.write_text(f"{head}{GENERATED}\n{text.rstrip()}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
