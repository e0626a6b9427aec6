"""Edits token files as people do: the JSON alone, file by file, without a word of tokensync's."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

IDS, OURS = "com.figma.variableId", "org.tokensync"


class Location(NamedTuple):
    """A token in a file: the names of its groups and its own, and the object that it is."""

    names: tuple[str, ...]
    token: dict[str, Any]

    @property
    def extensions(self) -> dict[str, Any]:
        return self.token.get("$extensions", {})

    @property
    def is_plain(self) -> bool:
        """Whether its value is what stands there, and not what a composition or another file's variable comes to."""
        return "value" not in self.extensions.get(OURS, {})


class Files:
    """The token files of one design file; ``write`` puts edited ones back."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder / name
        self.contents = {
            path.relative_to(self.folder).as_posix(): json.loads(path.read_text(encoding="utf-8"))
            for path in sorted(self.folder.glob("*/*.tokens.json"))
            if not path.parent.name.startswith(".")
        }

    def write(self) -> None:
        for path, content in self.contents.items():
            text = json.dumps(content, ensure_ascii=False, indent=2)
            (self.folder / path).write_text(text, encoding="utf-8")

    def collections(self) -> dict[str, list[str]]:
        """The files of each collection that owns variables, the default mode's first; by handle."""
        by_name: dict[str, list[str]] = {}
        for path in self.contents:
            by_name.setdefault(path.partition("/")[0], []).append(path)
        roots = {}
        for handle, paths in by_name.items():
            default = [path for path in paths if any(IDS in each.extensions for each in self.tokens(path))]
            if default:
                roots[handle] = [*default, *(path for path in paths if path not in default)]
        return roots

    def tokens(self, path: str) -> Iterator[Location]:
        """Every token of a file."""
        pending: list[Location] = [Location((), self.contents[path])]
        while pending:
            names, group = pending.pop()
            if names and "$value" in group:
                yield Location(names, group)
            else:
                pending += [
                    Location((*names, name), each)
                    for name, each in group.items()
                    if isinstance(each, dict) and (name == "$root" or not name.startswith("$"))
                ]

    def text(self) -> str:
        """Return the complete text."""
        return json.dumps(self.contents, ensure_ascii=False)

    def holder(self, path: str, names: tuple[str, ...]) -> dict[str, Any] | None:
        """The group that a token stands in, if the file has it."""
        group = self.contents[path]
        for name in names[:-1]:
            group = group.get(name)
            if not isinstance(group, dict):
                return None
        return group


class Edits(NamedTuple):
    """What was edited: paths in the collection's group, by what was done to them."""

    value: str
    described: str
    renamed: tuple[str, str]
    scoped: str
    created: str


def edit(files: Files) -> Edits:
    """Another value in each of a collection's modes, another description and scope, another name, and a new token."""
    handle, paths = max(files.collections().items(), key=lambda pair: len(list(files.tokens(pair[1][0]))))
    text = files.text()
    places = [each for each in files.tokens(paths[0]) if each.is_plain and IDS in each.extensions]
    free = [each for each in places if f"{'.'.join(each.names)}" not in text and "$root" not in each.names]
    renamed = free[0]
    others = [each for each in places if each is not renamed]
    # What colours are composed of is shown in their values, too.
    simple = [each for each in (*free[1:], *others) if f'"{".".join(each.names)}"' not in text]
    valued = next(each for each in simple if each.token["$type"] in _VALUES)
    described = next(each for each in others if each is not valued)
    scoped = next(each for each in others if each.token["$type"] == "color" and each not in (valued, described))
    for path in paths:
        for each in files.tokens(path):
            if each.names == valued.names:
                each.token["$value"] = _VALUES[valued.token["$type"]]
    described.token["$description"] = "Said by hand"
    has_all = scoped.extensions.get("com.figma.scopes") == ["ALL_SCOPES"]
    scoped.extensions["com.figma.scopes"] = ["STROKE_COLOR"] if has_all else ["ALL_SCOPES"]
    new = f"{renamed.names[-1]}-renamed"
    for path in _family(files, handle):
        holder = files.holder(path, renamed.names)
        if holder and renamed.names[-1] in holder:
            holder[new] = holder.pop(renamed.names[-1])
    created: dict[str, Any] = {
        "$type": "color",
        "$value": {"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000"},
    }
    for path in paths:
        files.contents[path][handle]["made-by-hand"] = dict(created)
    return Edits(
        ".".join(valued.names),
        ".".join(described.names),
        (".".join(renamed.names), new),
        ".".join(scoped.names),
        f"{handle}.made-by-hand",
    )


def _family(files: Files, handle: str) -> list[str]:
    """The files whose outermost group is the collection's: its own, and its extensions'."""
    return [path for path, content in files.contents.items() if handle in content]


_VALUES: dict[str, Any] = {
    "color": {"colorSpace": "srgb", "components": [0, 1, 0], "hex": "#00ff00"},
    "dimension": {"value": 12.5, "unit": "px"},
}
