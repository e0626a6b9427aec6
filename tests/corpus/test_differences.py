"""``tokensync diff A A`` is empty for real and for random responses."""

import json

import pytest
from corpus.building import each_corpus_file, run_here
from corpus.responses import Maker


def no_differences(path):
    done = run_here("diff", path, path)
    assert (done.code, done.output) == (0, ""), done.stderr


@each_corpus_file
def test_a_real_response_does_not_differ_from_itself(response):
    no_differences(response)


@pytest.mark.parametrize("seed", range(200, 230))
def test_a_random_response_does_not_differ_from_itself(seed, tmp_path):
    path = tmp_path / "local.json"
    path.write_text(json.dumps(Maker(seed).make()), encoding="utf-8")
    no_differences(path)
