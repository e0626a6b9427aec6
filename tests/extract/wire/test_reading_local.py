"""Reading local responses."""

import json
import re

import pytest
from design_file import collection, color, composed, expression, extension, published, response, variable

from tokensync.extract.wire import VALUE_TYPES, WireObject, decode_values, json_parts, read_local, snapshot
from tokensync.system.errors import ProblemsError


def example():
    owner = collection("C:1", "Theme", ["Light"])
    made = [variable("V:1", "a", owner, "FLOAT", [1.5]), variable("V:2", "b", owner, "COLOR", [color()])]
    return response([owner], made)


def changed(path, value=...):
    """The example with another value at a pointer, or without that member; one member a line."""
    document = json.loads(example())
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return json.dumps(document, indent=1).encode()


def refused(raw, source):
    """Refuse a response for its shape, or else for its values."""
    snapshot("kit", raw, source=source).refuse_values()


def problems_of(raw, read=refused):
    with pytest.raises(ProblemsError) as caught:
        read(raw, "local.json")
    return caught.value.problems


V1 = ("meta", "variables", "V:1")
C1 = ("meta", "variableCollections", "C:1")
OVERRIDES = "#/meta/variableCollections/C:1/variableOverrides"


def test_members_come_in_the_responses_order_with_their_defaults():
    meta = read_local(example(), "local.json")[0]
    assert list(meta.variables) == ["V:1", "V:2"]
    assert decode_values(meta.variables["V:1"].raw_values) == {"m0": 1.5}
    assert decode_values(meta.variables["V:2"].raw_values) == {"m0": WireObject(r=0.0, g=0.0, b=0.0)}
    assert meta.variables["V:1"].deleted_but_referenced is False
    assert meta.variable_collections["C:1"].is_extension is False


def test_the_payload_alone_is_read_like_a_response():
    payload = json.dumps(json.loads(example())["meta"]).encode()
    assert read_local(payload, "x")[0].variables.keys() == read_local(example(), "x")[0].variables.keys()


def test_a_byte_order_mark_is_passed_over():
    assert len(read_local(b"\xef\xbb\xbf" + example(), "x")[0].variables) == 2


def test_every_form_of_a_value_is_read():
    owner = collection("C:1", "Theme", ["a", "b", "c", "d", "e", "f"])
    forms = [True, 2, "x", None, composed(color(), 50), expression(color(), {"type": "VARIABLE_ALIAS", "id": "V:2"})]
    read = read_local(response([owner], [variable("V:1", "a", owner, "COLOR", forms)]), "x")[0].variables["V:1"]
    flag, number, text, nothing, mixed, old = decode_values(read.raw_values).values()
    assert (flag, number, text, nothing) == (True, 2.0, "x", None)
    assert isinstance(mixed, WireObject)
    assert mixed.opacity == 50.0
    assert isinstance(old, WireObject)
    assert old.expression_arguments == (WireObject(r=0.0, g=0.0, b=0.0), WireObject(type="VARIABLE_ALIAS", id="V:2"))


def test_extended_collections_keep_their_parents_and_overrides():
    root = collection("C:1")
    brand = extension("C:2", "Brand", root, {"V:1": [color(), None]})
    read = read_local(response([root, brand], []), "x")[0].variable_collections["C:2"]
    assert read.is_extension
    assert read.parent_variable_collection_id == "C:1"
    assert [mode.parent_mode_id for mode in read.modes] == ["m0", "m1"]
    assert read.overrides_of("V:1")["C:2/m1"] is None


@pytest.mark.parametrize(
    ("raw", "place", "what"),
    [
        (b"", "1:1", "the file is empty"),
        (b" \n ", "2:2", "the file is empty"),
        (b'{"meta":\n {"var', "2:7", "truncated"),
        (b"<html>", "1:1", "not JSON"),
        (b'{"status": NaN}', "1:12", "not JSON"),
        ('{"meta": "é"}'.encode("utf-16"), "1:1", "UTF-16"),
        (b'{"meta": {"variables": {"V:1": {"id": "\xff"}}}}', "1:40", "not UTF-8"),
        (b'{"meta": {"variables": {}, "variableCollections": {}},\n"\xff": 1}', "2:2", "not UTF-8"),
    ],
)
def test_what_is_not_json_is_refused_with_line_and_column(raw, place, what):
    (problem,) = problems_of(raw)
    assert problem.code == "response-malformed"
    assert problem.where.startswith(f"local.json:{place}")
    assert what in problem.what


@pytest.mark.parametrize(
    ("raw", "column"),
    [
        (b"[" * 200_000, 101),
        (b'{"meta":' * 200_000, 801),
        (b'{"x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", 106),
    ],
    ids=["arrays", "objects", "closed, in a member that is not read"],
)
def test_endless_nesting_is_refused_at_the_place_where_it_gets_too_deep(raw, column):
    (problem,) = problems_of(raw)
    assert problem.code == "response-malformed"
    assert "nested" in problem.what
    assert problem.where == f"local.json:1:{column}"


@pytest.mark.parametrize(
    ("path", "value", "pointer", "what"),
    [
        (("meta",), None, "#/meta", "expected an object, got null"),
        (("meta",), [], "#/meta", "expected an object, got an array"),
        (("meta", "variables"), ..., "#/meta", '"variables" is missing'),
        (("meta", "variables"), [], "#/meta/variables", "expected an object, got an array"),
        (V1, 3, "#/meta/variables/V:1", "expected an object, got a number"),
        ((*V1, "name"), ..., "#/meta/variables/V:1", '"name" is missing'),
        ((*V1, "name"), 7, "#/meta/variables/V:1/name", "expected a string, got a number"),
        ((*V1, "scopes"), "GAP", "#/meta/variables/V:1/scopes", "expected an array, got a string"),
        ((*V1, "scopes"), ["GAP", 1], "#/meta/variables/V:1/scopes/1", "expected a string, got a number"),
        ((*V1, "remote"), "no", "#/meta/variables/V:1/remote", "expected true or false, got a string"),
        ((*V1, "codeSyntax"), {"WEB": 1}, "#/meta/variables/V:1/codeSyntax/WEB", "expected a string, got a number"),
        ((*V1, "valuesByMode"), [], "#/meta/variables/V:1/valuesByMode", "expected an object, got an array"),
        ((*V1, "valuesByMode", "m0"), [1], "#/meta/variables/V:1/valuesByMode/m0", "got an array"),
        ((*V1, "valuesByMode", "m0"), {"r": "x"}, "#/meta/variables/V:1/valuesByMode/m0/r", "got a string"),
        ((*C1, "modes"), ..., "#/meta/variableCollections/C:1", '"modes" is missing'),
        ((*C1, "modes", 0, "name"), 1, "#/meta/variableCollections/C:1/modes/0/name", "got a number"),
        ((*C1, "variableOverrides"), {"V:1": {"m": []}}, f"{OVERRIDES}/V:1/m", "got an array"),
        ((*C1, "id"), "C:2", "#/meta/variableCollections/C:1/id", "differs from the key of this object"),
        ((*V1, "id"), "V:2", "#/meta/variables/V:1/id", "differs from the key of this object"),
    ],
)
def test_a_wrong_shape_is_refused_at_its_line_and_pointer(path, value, pointer, what):
    raw = changed(path, value)
    (problem,) = problems_of(raw)
    assert problem.code == "response-shape"
    place = re.fullmatch(r"local\.json:(\d+):(\d+) \((#.*)\)", problem.where)
    assert place
    assert place[3] == pointer
    assert what in problem.what
    line = raw.decode().splitlines()[int(place[1]) - 1]
    name = pointer.rpartition("/")[2]
    assert name.isdigit() or f'"{name}"' in line


@pytest.mark.parametrize("number", [b"1e400", b"-1e400", b"9" * 400, b"9" * 5000], ids=len)
def test_a_number_out_of_range_is_refused_at_its_place(number):
    raw = example().replace(b"1.5", number)
    (problem,) = problems_of(raw)
    assert "valuesByMode/m0" in problem.where
    assert "out of range" in problem.what


def test_every_problem_of_a_response_is_reported_at_once():
    document = json.loads(example())
    document["meta"]["variables"]["V:1"].update(name=1, scopes=2, valuesByMode={"m0": [], "m1": []})
    document["meta"]["variables"]["V:2"]["key"] = None
    document["meta"]["variableCollections"]["C:1"]["modes"][0] = {}
    pointers = [each.where.partition("(#")[2] for each in problems_of(json.dumps(document).encode())]
    assert pointers == [
        "/meta/variables/V:1/name)",
        "/meta/variables/V:1/valuesByMode/m0)",
        "/meta/variables/V:1/valuesByMode/m1)",
        "/meta/variables/V:1/scopes)",
        "/meta/variables/V:2/key)",
        "/meta/variableCollections/C:1/modes/0)",
        "/meta/variableCollections/C:1/modes/0)",
    ]


def test_more_than_fifty_faults_are_counted():
    owner = collection("C:1")
    made = [variable(f"V:{number}", number, owner, "FLOAT", [1]) for number in range(80)]
    problems = problems_of(response([owner], made))
    assert len(problems) == 51
    assert problems[-1].what == "30 more errors of this kind"


@pytest.mark.parametrize(
    "answer",
    [
        {"status": 403, "err": "Invalid token"},
        {"status": 403, "error": True, "message": "Invalid token"},
        {"status": 403, "error": True, "message": "Invalid token", "meta": None},
        {"message": "Invalid token"},
    ],
)
def test_an_error_response_is_reported_as_such(answer):
    (problem,) = problems_of(json.dumps(answer).encode())
    assert problem.code == "response-is-error"
    assert "Invalid token" in problem.what
    assert "None" not in problem.what


def test_a_document_of_another_kind_is_refused():
    (problem,) = problems_of(b'{"document": {}}')
    assert problem.code == "response-shape"


def test_a_published_response_instead_of_a_local_one_is_reported_as_such():
    owner = collection("C:1")
    (problem,) = problems_of(published([variable("V:1", "a", owner, "FLOAT", [1])]))
    assert "published" in problem.what


EASING = {"id": "V:9", "name": "ease", "variableCollectionId": "C:1", "resolvedType": "EASING", "valuesByMode": {}}


def with_easing(**members):
    """The example with a variable of an unknown type, and an extension that overrides it and the number."""
    document = json.loads(example())
    document["meta"]["variables"]["V:9"] = {**EASING, **members}
    brand = extension("C:2", "Brand", collection("C:1", "Theme", ["Light"]), {"V:1": [2], "V:9": [["any"]]})
    brand["variableOverrides"]["V:gone"] = ["any"]
    document["meta"]["variableCollections"]["C:2"] = brand
    return document


ODD_MEMBERS = [
    {"valuesByMode": {"m0": {"easingType": 7, "bezierValues": {"x1": 0}}}},
    {"valuesByMode": {"m0": [1, [2]], "m1": {"opacity": "x"}}},
    {"valuesByMode": [1]},
    {"valuesByMode": None},
    {"scopes": None, "codeSyntax": [1], "description": {}, "key": 7, "hiddenFromPublishing": "no", "remote": []},
]


@pytest.mark.parametrize("members", ODD_MEMBERS, ids=str)
def test_a_variable_of_an_unknown_type_may_hold_anything(members):
    document = with_easing(**members)
    for each in (document, document["meta"]):
        meta = read_local(json.dumps(each).encode(), "local.json")[0]
        assert meta.variables["V:9"].resolved_type not in VALUE_TYPES
        assert (meta.variables["V:9"].name, meta.variables["V:9"].resolved_type) == ("ease", "EASING")
        assert decode_values(meta.variables["V:1"].raw_values) == {"m0": 1.5}
        assert meta.variable_collections["C:2"].overrides_of("V:1") == {"C:2/m0": 2.0}


def test_it_may_even_lack_its_values():
    document = with_easing()
    del document["meta"]["variables"]["V:9"]["valuesByMode"]
    meta = read_local(json.dumps(document).encode(), "local.json")[0]
    assert bytes(meta.variables["V:9"].raw_values) == b"{}"
    assert not meta.variables["V:9"].remote


@pytest.mark.parametrize("members", ODD_MEMBERS, ids=str)
def test_it_hides_no_fault_of_others_and_is_none_itself(members):
    document = with_easing(**members)
    document["meta"]["variables"]["V:1"]["valuesByMode"]["m0"] = []
    document["meta"]["variables"]["V:2"]["scopes"] = "GAP"
    document["meta"]["variableCollections"]["C:2"]["variableOverrides"]["V:2"] = {"C:2/m0": {"r": "red"}}
    pointers = [each.where.partition("(#")[2] for each in problems_of(json.dumps(document).encode())]
    assert pointers == [
        "/meta/variables/V:1/valuesByMode/m0)",
        "/meta/variables/V:2/scopes)",
        "/meta/variableCollections/C:2/variableOverrides/V:2/C:2~1m0/r)",
    ]


@pytest.mark.parametrize("member", ["id", "name", "variableCollectionId", "resolvedType"])
@pytest.mark.parametrize("value", [7, ...])
def test_what_every_variable_says_is_needed_of_it_too(member, value):
    document = with_easing(scopes=None)
    held = document["meta"]["variables"]["V:9"]
    if value is ...:
        del held[member]
    else:
        held[member] = value
    faults = [each.where for each in problems_of(json.dumps(document).encode())]
    assert any("V:9" in each for each in faults)


def test_a_value_that_is_not_utf_8_is_refused_at_its_place():
    (problem,) = problems_of(example().replace(b"1.5", b'"\xff"'))
    assert problem.code == "response-malformed"
    assert "not UTF-8" in problem.what
    assert problem.where.startswith("local.json:1:")


@pytest.mark.parametrize(
    ("text", "members", "targets"),
    [
        (b'{"m": {"b": 1.0, "a": [0.5, 1e400]}}', {"m": '{"a":[0.5,null],"b":1}'}, ()),
        (b'{"m": [{"type": "VARIABLE_ALIAS", "id": "V:1"}], "n": 1}', None, ("V:1",)),
        (b'{"m": {"x": {"type": "VARIABLE_ALIAS", "id": "V:2", "y": {"type": "VARIABLE_ALIAS"}}}}', None, ("V:2",)),
        (b'{"m": ' + b"9" * 5000 + b"}", {"m": "9" * 5000}, ()),
        (b'{"m": "\xff"}', {"m": '"\ufffd"'}, ()),
        (b"[1]", {}, ()),
        (b"null", {}, ()),
    ],
)
def test_opaque_json_is_split_into_members_and_alias_targets(text, members, targets):
    found, leading = json_parts(text)
    assert leading == targets
    assert members is None or found == members
