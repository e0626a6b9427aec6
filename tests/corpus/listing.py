"""Holds ``tokens list --json`` against the independent reading of the response."""

from __future__ import annotations

from corpus.oracle import Reading, targets, unresolved
from corpus.oracle_names import matches
from corpus.oracle_values import byte, kind, single

MEMBERS = {
    *("file", "collection", "path", "type", "names", "values", "aliases"),
    *("id", "key", "description", "hidden", "remote", "deleted"),
}
PLATFORMS = ("css", "android", "ios")


def listing_disagreements(reading: Reading, rows: list[dict]) -> list[str]:
    """Return a message for each row member that differs from the response."""
    lines: list[str] = []

    def same(what: str, expected: object, there: object) -> None:
        if expected != there:
            lines.append(f"{what}: expected {expected!r}, found {there!r}")

    same("ids", sorted(reading.variables), sorted(each["id"] for each in rows))
    live = [each for each in rows if not each["remote"] and not each["deleted"]]
    same("live ids", [each["id"] for each in reading.declared], [each["id"] for each in live])
    for row in rows:
        variable = reading.variables[row["id"]]
        name = variable["name"]
        same(f"{name}: members", MEMBERS, set(row))
        for member, expected in _facts(reading, variable).items():
            same(f"{name}: {member}", expected, row[member])
        themes = _themes(reading)
        same(f"{name}: themes", list(themes), list(row["values"]))
        for theme, choice in themes.items():
            value = reading.resolver(choice)(row["id"])
            same(f"{name} in {theme}", expected_value(variable, value), comparable(row["values"][theme]))
        expected_aliases, there = _aliases(reading, variable), _targets(rows, row["aliases"])
        same(f"{name}: aliases", expected_aliases.keys(), there.keys())
        for mode in expected_aliases.keys() & there.keys():
            if expected_aliases[mode] not in there[mode]:
                same(f"{name}: alias in {mode}", expected_aliases[mode], there[mode])
    for row in live:
        for platform in PLATFORMS:
            expected = reading.names(platform)[row["id"]]
            there = row["names"][platform].removeprefix("--").strip("`")
            if not matches(expected, there):
                same(f"{row['path']}: {platform} name", expected, there)
        decoded = row["path"].split(".")
        name = reading.variables[row["id"]]["name"]
        if name.count("/") and not set(name) & set(".{}%$") and "//" not in name and name.strip("/") == name:
            same(f"{name}: path", name.split("/"), decoded)
    return lines


def _facts(reading: Reading, variable: dict) -> dict[str, object]:
    return {
        "key": variable["key"],
        "description": variable["description"],
        "hidden": variable["hiddenFromPublishing"],
        "remote": variable["remote"],
        "deleted": not variable["remote"] and reading.is_deleted(variable["id"]),
        "type": {"percentage": "number"}.get(kind(variable), kind(variable)),
        "collection": reading.handle_of(variable["id"]),
    }


def _themes(reading: Reading) -> dict[str, dict[str, int]]:
    return {"default": {}} | {name: {family["id"]: at} for name, (family, at) in reading.themes().items()}


def _aliases(reading: Reading, variable: dict) -> dict[str, str]:
    """The id that each mode's own value is an alias to."""
    items = {}
    for mode in reading.family_of[variable["variableCollectionId"]]["modes"]:
        overrides = (mode["in"].get("variableOverrides") or {}).get(variable["id"], {})
        raw = (variable["valuesByMode"] if mode["parent"] is None else overrides).get(mode["id"])
        if isinstance(raw, dict) and raw.get("type") == "VARIABLE_ALIAS":
            items[mode["context"]] = targets(raw)[0]
    return items


def _targets(rows: list[dict], aliases: dict[str, str]) -> dict[str, list[str]]:
    """The ids that each alias of a row may name: those at the path, or the id of one that is not in the response."""
    ids: dict[str, list[str]] = {}
    for row in rows:
        ids.setdefault(f"{row['collection']}.{row['path']}", []).append(row["id"])
    return {mode: ids.get(target, [target]) for mode, target in aliases.items()}


def expected_value(variable: dict, value: object) -> object:
    """The JSON of a resolved value, numbers as float32; None for one that does not resolve."""
    if unresolved(value):
        return None
    if kind(variable) == "color":
        digits = "".join(f"{byte(each):02x}" for each in value[:3])
        alpha = {} if value[3] == 1 else {"alpha": single(value[3])}
        return {"colorSpace": "srgb", "components": list(value[:3]), **alpha, "hex": f"#{digits}"}
    return {"value": value, "unit": "px"} if kind(variable) == "dimension" else value


def comparable(items: object) -> object:
    """What was found, its numbers as float32."""
    match items:
        case bool() | str() | None:
            return items
        case dict():
            return {name: comparable(each) for name, each in items.items()}
        case list():
            return [comparable(each) for each in items]
        case _:
            return single(items)
