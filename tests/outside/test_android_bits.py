"""The bits of dimensions and numbers in a resource table are those of the values, as precisely as the format can."""

import struct

import pytest
from generate.targets.cases import golden
from graphs import collection, graph, token
from outside.android_tools import DIMENSION, FLOAT, INTEGER, REFERENCE
from outside.test_android_in_aapt2 import day_and_night, expectations, pixels, resources_of

pytestmark = pytest.mark.outside

PLACES = (0, 7, 15, 23)
"""The bits of a fraction, by the radix of a dimension: TypedValue.COMPLEX_RADIX_23p0 and so on."""
UNITS = {1: "dp", 2: "sp"}
"""TypedValue.COMPLEX_UNIT_DIP and COMPLEX_UNIT_SP."""


def length_of(bits):
    """A length and its unit, as android.util.TypedValue.complexToFloat reads them: 24 bits with the sign, a radix."""
    (mantissa,) = struct.unpack(">i", struct.pack(">I", bits & 0xFFFFFF00))
    return mantissa / 256 / (1 << PLACES[bits >> 4 & 3]), UNITS.get(bits & 15)


def is_exact(value, typed):
    """Whether the bits are those of a value: the closest float, or a length to the last place that it has room for."""
    type_, bits = typed
    number = float(pixels(value))
    match type_:
        case _ if type_ == DIMENSION:
            length, unit = length_of(bits)
            places = next((places for places in reversed(PLACES) if abs(number) < 1 << (23 - places)), 0)
            return value[2] in ("px", "rem") and unit is not None and abs(length - number) < 2.0**-places
        case _ if type_ == FLOAT:
            return value[2] == "" and struct.pack(">I", bits) == struct.pack(">f", number)
        case _ if type_ == INTEGER:
            return value[2] == "" and struct.pack(">I", bits) == struct.pack(">i", round(number)) and number % 1 == 0
    return False


def shown(name, values, folders):
    for _ in range(100):
        of_name = values.get(name, {})
        typed = next((of_name[folder] for folder in folders if folder in of_name), None)
        if typed is None or typed[0] != REFERENCE:
            return typed
        name = typed[1]
    raise AssertionError(f"{name} is in a cycle")


def test_each_dimension_and_number_in_bits(subject, tmp_path, typed_values, counted):
    values = typed_values(subject.write("android", tmp_path))
    by_name = {name.partition("/")[2]: name for name in values}
    compared, differences = 0, []
    for folders, theme in day_and_night(subject.graph):
        for name, kind, value in expectations(subject.graph, theme):
            if value[0] != "number" or kind in ("boolean", "duration"):
                continue
            compared += 1
            typed = shown(by_name.get(name, name), values, folders)
            if typed is None or not is_exact(value, typed):
                differences.append(f"{folders[0]} {name}: expected {value}, found {typed}")
    what = "bits of dimensions and numbers, by default and at night"
    counted("android", what, subject.name, compared, differences)


@pytest.mark.parametrize("length", [0, 0.1, -0.5, 0.999, 1, 16.3, -300.7, 65_535.5, 70_000.25, 8_388_607])
def test_a_length_of_any_size_has_the_bits_that_a_device_reads(tmp_path, typed_values, length):
    of = collection("Base")
    values = typed_values(resources_of(graph(of, token(of, "gap", length, type="dimension")), tmp_path))
    assert is_exact(("number", length, "px"), values["dimen/gap"][""])


def test_a_length_beyond_the_bits_stays_on_its_side_of_zero(tmp_path, typed_values):
    of = collection("Base")
    lengths = {"pill": 33_554_432, "back": -33_554_432}
    tokens = graph(of, *(token(of, name, length, type="dimension") for name, length in lengths.items()))
    values = typed_values(resources_of(tokens, tmp_path))
    found = {name: length_of(values[f"dimen/{name}"][""][1]) for name in lengths}
    assert found == {"pill": (8_388_607, "dp"), "back": (-8_388_607, "dp")}


def test_a_shadow_is_the_elevation_of_its_largest_offset_or_that_of_materials_own(typed_values):
    values = typed_values(golden("android/elevations"))
    lengths = {
        (name.partition("/")[2], folder): length_of(typed[1])
        for name, by_folder in values.items()
        for folder, typed in by_folder.items()
        if typed[0] == DIMENSION
    }
    materials = {(f"level_{level}", ""): elevation for level, elevation in zip(range(1, 6), MATERIAL, strict=True)}
    others = {("card", ""): 10, ("card", "night"): 2.5, ("bar", ""): 4, ("ring", ""): 0, ("well", ""): 0}
    assert lengths == {where: (elevation, "dp") for where, elevation in (materials | others).items()}
    assert values["dimen/menu"] == {"": (REFERENCE, "dimen/card")}


MATERIAL = (1, 3, 6, 8, 12)
"""The elevations of the levels of Material 3, in dp."""
