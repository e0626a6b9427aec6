"""Bytes that are no response are refused with their place: no traceback, nothing written."""

import json

import pytest
from corpus.building import OWN_ERROR, run, run_here
from corpus.responses import small
from corpus.trial import declared

WHOLE = json.dumps(small()).encode()
REFUSED = {
    "empty": b"",
    "space": b" \n ",
    "text": b"<!doctype html><title>502 Bad Gateway</title>",
    "truncated early": WHOLE[:1],
    "truncated": WHOLE[: len(WHOLE) // 2],
    "truncated late": WHOLE[:-1],
    "truncated in a string": WHOLE[: WHOLE.index(b"accent") + 3],
    "two documents": WHOLE + WHOLE,
    "a comma too many": WHOLE[:-1] + b",}",
    "not utf-8": WHOLE.replace(b"accent", b"acc\xff\xfe"),
    "utf-16": WHOLE.decode().encode("utf-16"),
    "not a number": WHOLE.replace(b": 4,", b": NaN,"),
    "infinity": WHOLE.replace(b": 4,", b": Infinity,"),
    "too large": WHOLE.replace(b": 4,", b": 1e400,"),
    "a very long number": WHOLE.replace(b": 4,", b": " + b"9" * 5_000 + b","),
    "null": b"null",
    "number": b"12",
    "string": b'"meta"',
    "array": b"[]",
    "object": b"{}",
    "error answer": b'{"status": 403, "error": true, "message": "Invalid scope"}',
    "other error answer": b'{"status": 404, "err": "Not found"}',
    "meta null": b'{"status": 200, "error": false, "meta": null}',
    "meta empty": b'{"status": 200, "error": false, "meta": {}}',
    "deep array": b"[" * 200_000,
    "deep array, closed": b"[" * 200_000 + b"]" * 200_000,
    "deep object": b'{"a":' * 200_000,
    "deep value": WHOLE.replace(b": 4,", b": " + b"[" * 200_000 + b"]" * 200_000 + b","),
    "deep unknown member": WHOLE.replace(b'"status"', b'"x": ' + b"[" * 200_000 + b"]" * 200_000 + b', "status"'),
}


@pytest.mark.parametrize("raw", REFUSED.values(), ids=REFUSED)
def test_invalid_bytes_are_refused_with_their_location(raw, trial):
    done = trial.build(raw)
    assert done.code == 1
    assert len(done.problems) <= 3


@pytest.mark.parametrize("name", ["deep array, closed", "truncated", "too large"])
def test_the_program_itself_shows_no_traceback(name, trial):
    assert trial.build(REFUSED[name], runner=run).code == 1


def test_a_saved_error_response_is_reported_with_its_own_message(trial):
    done = trial.build(REFUSED["error answer"])
    assert "Invalid scope" in done.stderr
    assert "403" in done.stderr


def test_the_location_of_a_wrong_value_is_its_line_or_pointer(trial):
    text = json.dumps(small(), indent=2).replace('"resolvedType": "FLOAT"', '"resolvedType": 12', 1)
    line = next(at for at, each in enumerate(text.splitlines(), 1) if '"resolvedType": 12' in each)
    done = trial.build(text.encode())
    assert done.code == 1
    assert f"local.json:{line}:" in done.stderr or "/meta/variables/VariableID:1:3/resolvedType" in done.stderr


def test_a_number_outside_float32_is_omitted_with_a_problem(trial):
    done = trial.build(WHOLE.replace(b": 4,", b": 1e300,"))
    assert any("space/sm" in line for line in done.problems)
    if done.code == 0:
        assert declared(trial.out) == {4}


def test_a_byte_order_mark_is_skipped_or_reported(trial):
    done = trial.build(b"\xef\xbb\xbf" + WHOLE)
    if done.code == 0:
        assert declared(trial.out) == {5}


def test_a_folder_or_a_missing_file_is_reported(tmp_path):
    for path in (tmp_path, tmp_path / "missing.json"):
        done = run_here("build", "--snapshot", path, "-o", tmp_path / "out")
        assert done.code in (1, 2)
        assert str(path) in done.stderr
        assert OWN_ERROR not in done.stderr
        assert not (tmp_path / "out").exists()


def test_a_member_that_stands_twice_is_refused_or_read_as_one(trial):
    raw = WHOLE.replace(b'"name": "label"', b'"name": "label", "name": "other"')
    assert raw != WHOLE
    done = trial.build(raw)
    if done.code == 0:
        assert declared(trial.out) == {5}


@pytest.mark.parametrize("raw", [b"", b"{", REFUSED["error answer"], REFUSED["deep array, closed"]], ids=len)
def test_an_invalid_published_response_is_refused_with_its_location(raw, tmp_path):
    (tmp_path / "local.json").write_bytes(WHOLE)
    published = tmp_path / "published.json"
    published.write_bytes(raw)
    done = run_here("build", "--snapshot", tmp_path / "local.json", "--published", published, "-o", tmp_path / "out")
    assert done.code == 1
    assert OWN_ERROR not in done.stderr
    assert "published.json" in done.stderr
    assert not (tmp_path / "out").exists()
