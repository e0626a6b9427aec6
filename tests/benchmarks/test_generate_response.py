"""The made responses are what the benchmark says they are: valid, deterministic, deep, of every type."""

from __future__ import annotations

import importlib.util
import json
import struct
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parents[2] / "benchmarks" / "generate_response.py"
SIZE = (1_200, 4)


def _load() -> Any:
    specification = importlib.util.spec_from_file_location("generate_response", SOURCE)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


generate_response = _load()


@pytest.fixture(scope="module")
def meta() -> dict[str, Any]:
    return dict(json.loads(generate_response.response(*SIZE))["meta"])


def _aliases(value: Any) -> list[str]:
    if not isinstance(value, dict):
        return []
    if value.get("type") == "VARIABLE_ALIAS":
        return [value["id"]]
    return [each for part in ("color", "opacity") if part in value for each in _aliases(value[part])]


def _targets(variable: dict[str, Any]) -> set[str]:
    return {each for value in variable["valuesByMode"].values() for each in _aliases(value)}


def test_the_same_size_and_seed_give_the_same_bytes() -> None:
    assert generate_response.response(*SIZE) == generate_response.response(*SIZE)
    assert generate_response.response(*SIZE) != generate_response.response(*SIZE, seed=2)


def test_ids_keys_and_names_are_consistent_and_distinct(meta: dict[str, Any]) -> None:
    variables, collections = meta["variables"], meta["variableCollections"]
    assert len(variables) == SIZE[0]
    assert all(identifier == record["id"] for identifier, record in (variables | collections).items())
    assert len({record["key"] for record in variables.values()}) == len(variables)
    assert len({record["name"] for record in variables.values()}) == len(variables)
    listed = [each for collection in collections.values() for each in collection["variableIds"]]
    assert listed == list(variables)
    for collection in collections.values():
        assert collection["defaultModeId"] == collection["modes"][0]["modeId"]
        assert all(variables[each]["variableCollectionId"] == collection["id"] for each in collection["variableIds"])


def test_every_variable_has_a_value_in_each_mode_of_its_collection(meta: dict[str, Any]) -> None:
    for variable in meta["variables"].values():
        modes = meta["variableCollections"][variable["variableCollectionId"]]["modes"]
        assert len(modes) == SIZE[1]
        assert list(variable["valuesByMode"]) == [mode["modeId"] for mode in modes]


def test_aliases_point_at_variables_of_their_type_without_cycles_six_deep(meta: dict[str, Any]) -> None:
    variables = meta["variables"]
    depths: dict[str, int] = {}

    def depth(identifier: str, above: tuple[str, ...] = ()) -> int:
        assert identifier not in above, "a cycle"
        if identifier not in depths:
            targets = _targets(variables[identifier])
            depths[identifier] = max((depth(each, (*above, identifier)) + 1 for each in targets), default=0)
        return depths[identifier]

    assert max(map(depth, variables)) == generate_response.DEEPEST_CHAIN
    for variable in variables.values():
        for value in variable["valuesByMode"].values():
            opacity = _aliases(value.get("opacity")) if isinstance(value, dict) else []
            assert all(variables[each]["resolvedType"] == "FLOAT" for each in opacity)
            base = [each for each in _aliases(value) if each not in opacity]
            assert all(variables[each]["resolvedType"] == variable["resolvedType"] for each in base)


def test_every_type_and_kind_of_value_is_there(meta: dict[str, Any]) -> None:
    variables = meta["variables"].values()
    types = Counter(variable["resolvedType"] for variable in variables)
    assert set(types) == {"COLOR", "FLOAT", "STRING", "BOOLEAN"}
    values = [value for variable in variables for value in variable["valuesByMode"].values()]
    assert any(isinstance(value, dict) and "opacity" in value for value in values)
    assert 0.3 < sum(bool(variable["codeSyntax"]) for variable in variables) / len(variables) < 0.5
    assert 0.2 < sum(bool(variable["description"]) for variable in variables) / len(variables) < 0.4


def test_layers_refer_to_the_layer_below_only_and_have_modes_in_the_middle() -> None:
    text = generate_response.response(1_200, 3, kind="layers")
    meta = json.loads(text)["meta"]
    layer_of = {each["id"]: each["name"] for each in meta["variableCollections"].values()}
    modes = {each["name"]: len(each["modes"]) for each in meta["variableCollections"].values()}
    assert modes == {"Primitives": 1, "Semantic": 3, "Component": 1}
    below = {"Primitives": set(), "Semantic": {"Primitives"}, "Component": {"Semantic"}}
    for variable in meta["variables"].values():
        layer = layer_of[variable["variableCollectionId"]]
        assert len(variable["valuesByMode"]) == modes[layer]
        opacities = {
            each
            for value in variable["valuesByMode"].values()
            if isinstance(value, dict)
            for each in _aliases(value.get("opacity"))
        }
        reached = {layer_of[meta["variables"][each]["variableCollectionId"]] for each in _targets(variable) - opacities}
        assert reached == below[layer]


@pytest.mark.parametrize("kind", list(generate_response.KINDS))
def test_a_plain_response_has_only_values_that_dtcg_can_express(kind: str) -> None:
    text = "".join(generate_response.chunks(1_200, 2, kind=kind, plain=True))
    variables = json.loads(text)["meta"]["variables"].values()
    assert {variable["resolvedType"] for variable in variables} == {"COLOR", "FLOAT", "STRING"}
    assert not any("OPACITY" in scope for variable in variables for scope in variable["scopes"])
    values = [value for variable in variables for value in variable["valuesByMode"].values()]
    assert not any(isinstance(value, dict) and "opacity" in value for value in values)
    assert not any("{" in value for value in values if isinstance(value, str))


def test_many_collections_have_two_modes_each_and_refer_to_the_next_one() -> None:
    meta = json.loads("".join(generate_response.collections(30)))["meta"]
    assert [len(each["modes"]) for each in meta["variableCollections"].values()] == [2] * 30
    aliases = [each for variable in meta["variables"].values() for each in _targets(variable)]
    assert len(aliases) == 29
    assert set(aliases) <= set(meta["variables"])


def test_numbers_are_32_bit_floats_as_the_platform_sends_them(meta: dict[str, Any]) -> None:
    def numbers(value: Any) -> list[float]:
        if isinstance(value, dict):
            return [each for part in value.values() for each in numbers(part)]
        return [value] if isinstance(value, float) else []

    seen = [each for variable in meta["variables"].values() for each in numbers(variable["valuesByMode"])]
    assert seen
    assert all(struct.unpack("<f", struct.pack("<f", each))[0] == each for each in seen)


def test_a_large_response_keeps_to_the_platforms_limits() -> None:
    plan = generate_response.plan(50_000, 10)
    assert sum(map(len, plan.variables)) == 50_000
    assert max(map(len, plan.variables)) <= 5_000
    names = [name for _, _, name in plan.collections]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("size", [(50_000, 41), (50_000, 0), (10, 4)])
def test_a_size_that_the_platform_does_not_allow_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"modes|variables"):
        generate_response.plan(*size)


def test_the_smallest_size_is_complete_too() -> None:
    small = json.loads(generate_response.response(generate_response.FEWEST_VARIABLES, 1))["meta"]["variables"]
    assert {variable["resolvedType"] for variable in small.values()} == {"COLOR", "FLOAT", "STRING", "BOOLEAN"}
    assert max(len(_targets(variable)) for variable in small.values()) >= 1
