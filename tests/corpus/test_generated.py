"""Responses made at random: whatever a valid response holds, the independent reading agrees with what is written."""

import json

import pytest
from corpus.agreement import compare
from corpus.building import OWN_ERROR, run_here
from corpus.oracle import read
from corpus.responses import Maker


@pytest.mark.parametrize("seed", range(60))
def test_a_random_response_agrees_with_its_raw_json(seed, tmp_path):
    path = tmp_path / "local.json"
    path.write_text(json.dumps(Maker(seed).make()), encoding="utf-8")
    done = run_here("build", "--snapshot", path, "-o", tmp_path / "out")
    assert done.code == 0, done.stderr
    assert OWN_ERROR not in done.stderr
    assert len(done.problems) == len(set(done.problems))
    assert compare(read(path), tmp_path / "out").disagreements == []
    assert run_here("build", "--snapshot", path, "-o", tmp_path / "out", "--check").code == 0
