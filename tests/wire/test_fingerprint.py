"""A fingerprint is computed in parts, and equals the digest of the whole canonical form."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensync.errors import ProblemsError
from tokensync.wire import fingerprint, snapshot

EMPTY = {"variables": {}, "variableCollections": {}}
scalars = st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4)
values = st.recursive(
    scalars | st.integers(-(2**70), 2**70),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def whole(raw):
    return hashlib.sha256(snapshot("design", raw).canonical()).hexdigest()


@given(st.dictionaries(st.text(max_size=3), values, max_size=4), st.booleans())
def test_a_fingerprint_is_the_digest_of_the_canonical_form(more, in_envelope):
    payload = {**more, **EMPTY}
    raw = json.dumps({"status": 200, "meta": payload} if in_envelope else payload, ensure_ascii=False)
    assert fingerprint("design", raw.encode("utf-8", "replace")) == whole(raw.encode("utf-8", "replace"))


@pytest.mark.parametrize("raw", [b"", b'{"meta":{"variables":{},"more":\xff}}', b'{"meta":{"variables":{}}} x'])
def test_invalid_json_is_refused(raw):
    with pytest.raises(ProblemsError):
        fingerprint("design", raw)


@pytest.mark.parametrize("raw", [b"[1]", b"2", b'{"meta":[1]}', b'{"meta":null}', b'{"meta":{}}', b"{}"])
def test_any_json_has_a_fingerprint(raw):
    payload = json.loads(raw)
    if isinstance(payload, dict):
        payload = payload.get("meta", payload)
    form = json.dumps([payload], separators=(",", ":"), sort_keys=True).encode()
    assert fingerprint("design", raw) == hashlib.sha256(form).hexdigest()
