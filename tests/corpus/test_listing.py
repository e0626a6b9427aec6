"""``tokens list --snapshot FILE --json`` agrees with the independent reading of the same file."""

import json

import pytest
from corpus.building import each_corpus_file, published_of, run, run_here
from corpus.listing import listing_disagreements
from corpus.oracle import read
from corpus.responses import Maker


@each_corpus_file
def test_the_listing_of_a_real_response_agrees_with_its_raw_json(response):
    """Ids, keys, names, paths, types, flags, values in every theme and aliases in every mode."""
    published = published_of(response)
    more = ["--published", published] if published else []
    done = run("tokens", "list", "--snapshot", response, *more, "--json")
    assert done.code == 0, done.stderr
    assert listing_disagreements(read(response), json.loads(done.output)) == []


@pytest.mark.parametrize("seed", range(100, 130))
def test_the_listing_of_a_random_response_agrees_with_its_raw_json(seed, tmp_path):
    path = tmp_path / "local.json"
    path.write_text(json.dumps(Maker(seed).make()), encoding="utf-8")
    done = run_here("tokens", "list", "--snapshot", path, "--json")
    assert done.code == 0, done.stderr
    assert listing_disagreements(read(path), json.loads(done.output)) == []
