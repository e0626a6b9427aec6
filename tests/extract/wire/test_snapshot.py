"""Snapshots: what they hold of responses, and their fingerprints."""

import hashlib
import json
import random

import msgspec
import pytest
from design_file import collection, published, response, variable
from hypothesis import given
from hypothesis import strategies as st

from tokensync.extract.wire import fingerprint, read_published, snapshot
from tokensync.system.errors import ProblemsError


def example(**members):
    owner = collection("C:1")
    made = [
        variable("V:1", "a", owner, "FLOAT", [1.5, 2], **members),
        variable("V:2", "b", owner, "STRING", ["x", "y"]),
    ]
    return owner, made


@pytest.mark.parametrize("member", ["resolvedType", "resolvedDataType"])
def test_both_spellings_of_a_published_type_are_read(member):
    owner, made = example()
    read = read_published(published(made, [owner], type_member=member), "x")
    assert [each.resolved_type for each in read.variables.values()] == ["FLOAT", "STRING"]


def test_local_and_published_variables_are_joined_by_key():
    owner, made = example()
    taken = snapshot("kit", response([owner], made), published(made[:1]))
    assert {key: each.name for key, each in taken.published_by_key().items()} == {made[0]["key"]: "a"}
    assert snapshot("kit", response([owner], made)).published_by_key() == {}


def shuffled(value, chance):
    if isinstance(value, dict):
        names = list(value)
        chance.shuffle(names)
        return {name: shuffled(value[name], chance) for name in names}
    return [shuffled(each, chance) for each in value] if isinstance(value, list) else value


def test_the_fingerprint_does_not_depend_on_the_order_of_members():
    owner, made = example()
    document = json.loads(response([owner], made))
    taken = snapshot("kit", json.dumps(document).encode())
    other = snapshot("kit", json.dumps(shuffled(document, random.Random(4)), indent=3).encode())
    assert other.raw_local != taken.raw_local
    assert other.fingerprint() == taken.fingerprint()


def test_the_fingerprint_does_not_depend_on_how_a_whole_number_is_written():
    owner, made = example()
    raw = response([owner], made)
    assert snapshot("kit", raw.replace(b'"m1": 2}', b'"m1": 2.0}')).fingerprint() == snapshot("kit", raw).fingerprint()


@pytest.mark.parametrize(
    "member", [{"description": "c"}, {"futureMember": {"deep": [1]}}, {"valuesByMode": {"m0": 1.25}}]
)
def test_any_other_content_has_another_fingerprint(member):
    plain, other = (snapshot("kit", response([owner], made)) for owner, made in (example(), example(**member)))
    assert plain.fingerprint() != other.fingerprint()


def test_publishing_leaves_the_fingerprint():
    owner, made = example()
    raw = response([owner], made)
    local, both = snapshot("kit", raw), snapshot("kit", raw, published(made))
    assert local.fingerprint() == both.fingerprint()


def test_the_fingerprint_is_the_same_in_every_run():
    raw = b'{"meta": {"variables": {}, "variableCollections": {}}}'
    assert snapshot("a", raw).fingerprint() == snapshot("b", raw).fingerprint()
    form = b'[{"variableCollections":{},"variables":{}}]'
    assert snapshot("a", raw).fingerprint() == hashlib.sha256(form).hexdigest()


def test_members_that_are_not_known_stay_in_the_raw_bytes():
    owner, made = example(futureMember={"deep": [1, "é"]})
    raw = response([owner], made)
    taken = snapshot("kit", raw)
    assert taken.raw_local == raw


def test_a_member_that_is_not_known_and_no_json_is_a_problem_once_it_is_looked_at():
    raw = b'{"meta": {"variables": {}, "variableCollections": {}}, "more": "\xff"}'
    try:
        taken = snapshot("kit", raw)
    except ProblemsError:
        return
    with pytest.raises(ProblemsError, match="response-malformed"):
        taken.fingerprint()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (rb"\ud83c\udfa8", "\U0001f3a8"),
        (rb"\uD800 and more", "\ufffd and more"),
        (rb"\udfa8\ud83c", "\ufffd\ufffd"),
        (rb"\ud83c\ud83c\udfa8", "\ufffd\U0001f3a8"),
        (rb"\\ud800", "\\ud800"),
        (rb"\\\ud800\"", '\\\ufffd"'),
    ],
)
def test_half_of_a_surrogate_pair_is_read_as_u_fffd(text, read):
    owner, made = example(description="TEXT")
    taken = snapshot("kit", response([owner], made).replace(b"TEXT", text))
    assert taken.local.variables["V:1"].description == read
    assert [each.code for each in taken.problems] == ["response-text"] * ("\ufffd" in read)
    assert snapshot("kit", taken.raw_local).problems == ()
    assert taken.fingerprint()


def test_problems_name_the_source_else_the_file():
    with pytest.raises(ProblemsError, match=r"^saved\.json:1:1"):
        snapshot("kit", b"", source="saved.json")
    with pytest.raises(ProblemsError, match=r"^kit \(local variables\):1:1"):
        snapshot("kit", b"")
    with pytest.raises(ProblemsError, match=r"^kit \(published variables\):1:1"):
        snapshot("kit", b'{"meta": {"variables": {}, "variableCollections": {}}}', b"")


def test_a_published_response_of_the_wrong_shape_is_refused_with_its_place():
    raw = b'{"meta": {"variables": {"V:1": {"id": "V:1", "name": "a"}}, "variableCollections": {}}}'
    with pytest.raises(ProblemsError, match=r'published\.json:1:\d+ \(#/meta/variables/V:1\): "key" is missing'):
        read_published(raw, "published.json")


def test_an_error_response_to_published_variables_is_reported_as_such():
    with pytest.raises(ProblemsError, match="response-is-error"):
        read_published(b'{"status": 400, "err": "a branch has no published variables"}', "published.json")


def test_a_published_variable_of_an_unknown_type_is_no_fault_beside_a_real_one():
    owner, made = example()
    document = json.loads(published(made, [owner], type_member="resolvedType"))
    document["meta"]["variables"]["V:1"]["resolvedType"] = "EASING"
    document["meta"]["variables"]["V:2"]["name"] = 7
    with pytest.raises(ProblemsError) as caught:
        read_published(json.dumps(document).encode(), "x")
    (problem,) = caught.value.problems
    assert "#/meta/variables/V:2/name" in problem.where


def test_values_that_cannot_be_decoded_are_reported_before_the_published_response():
    _, made = example()
    made[0]["valuesByMode"]["m0"] = []
    with pytest.raises(ProblemsError) as caught:
        snapshot("kit", response([collection("C:1")], made), b"[")
    (problem,) = caught.value.problems
    assert problem.where.startswith("kit (local variables)")


EMPTY = {"variables": {}, "variableCollections": {}}
scalars = st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4)
values = st.recursive(
    scalars | st.integers(-(2**70), 2**70),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def whole(raw):
    """Return the digest of the payload, decoded as a whole, with sorted members."""
    decoder = msgspec.json.Decoder(float_hook=lambda text: int(n) if (n := float(text)).is_integer() else n)
    document = decoder.decode(raw)
    return hashlib.sha256(msgspec.json.encode([document.get("meta", document)], order="sorted")).hexdigest()


@given(st.dictionaries(st.text(max_size=3), values, max_size=4), st.booleans())
def test_a_fingerprint_is_the_digest_of_the_payload_with_sorted_members(more, in_envelope):
    payload = {**more, **EMPTY}
    raw = json.dumps({"status": 200, "meta": payload} if in_envelope else payload, ensure_ascii=False)
    assert fingerprint("design", raw.encode("utf-8", "replace")) == whole(raw.encode("utf-8", "replace"))


@pytest.mark.parametrize(
    "raw", [b"", b'{"meta":{"variables":{},"more":\xff}}', b'{"meta":{"variables":{}}} x', b"[1]", b'{"meta":null}']
)
def test_what_is_no_payload_is_refused(raw):
    with pytest.raises(ProblemsError):
        fingerprint("design", raw)
