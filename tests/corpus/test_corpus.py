"""The independent reading of a real or random response agrees with all that is written, listed and compared."""

import json
import re
from collections import Counter
from functools import cache, lru_cache
from itertools import permutations

import pytest
from corpus.agreement import ambiguous_families, attributes, compare
from corpus.building import OWN_ERROR, TOP, build_arguments, bytes_under, each_corpus_file, published_of, run, run_here
from corpus.listing import listing_disagreements
from corpus.oracle import read, unresolved
from corpus.oracle_values import css_value
from corpus.read_css import DARK, ROOT, Sheet, alike, read_css
from corpus.responses import Maker

reading_of = cache(read)
blocks_of = lru_cache(maxsize=1)(read_css)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A build of each response, made once."""
    known = {}

    def of(response):
        if response not in known:
            out = tmp_path_factory.mktemp("built") / "out"
            known[response] = (run(*build_arguments(response, out)), out)
        return known[response]

    return of


@each_corpus_file
def test_a_real_response_builds_for_all_three_platforms(response, built):
    done, out = built(response)
    assert done.code == 0, done.stderr
    assert {each.name for each in out.iterdir()} == TOP


@each_corpus_file
def test_each_oddity_is_reported_once_and_never_as_an_error(response, built):
    done, _ = built(response)
    assert OWN_ERROR not in done.stderr
    assert "Traceback" not in done.stderr
    assert [line for line, times in Counter(done.problems).items() if times > 1] == []
    assert [line for line in done.problems if not line.startswith(("warning:", "note:"))] == []


@each_corpus_file
def test_no_oddity_is_reported_under_two_codes(response, built):
    """A variable without a value in a mode is reported once."""
    done, _ = built(response)
    codes = {}
    for line in done.problems:
        if match := re.fullmatch(r"warning: (.+ / .+) / [^/]+: it refers to (.+?), .* \[([a-z-]+)\]", line):
            codes.setdefault(match.group(1, 2), set()).add(match[3])
    assert {where: actual for where, actual in codes.items() if len(actual) > 1} == {}


@each_corpus_file
def test_the_outputs_agree_with_the_raw_json(response, built):
    """Names, order, counts and values of CSS in every theme, of Android by day and night, of iOS in light and dark."""
    _, out = built(response)
    comparison = compare(reading_of(response), out)
    assert comparison.disagreements == []
    assert comparison.counts["css value"] == shown_values(comparison.reading)


def shown_values(reading):
    """Return the number of values in CSS: by default and in each theme on three kinds of element, day and night."""
    families = [each for each in reading.switching() if reading.redeclared(each)]
    chosen = [{family["id"]: at} for family in families for at in range(len(family["modes"]))]
    return sum(
        times * sum(not unresolved(reading.resolver({**usual, **choice})(each["id"])) for each in reading.declared)
        for usual in ({}, reading.night())
        for choice, times in [({}, 1), *((each, 3) for each in chosen)]
    )


@each_corpus_file
def test_every_variable_without_a_value_is_reported(response, built):
    done, _ = built(response)
    reading = reading_of(response)
    default = reading.resolver({})
    silent = [
        each["name"]
        for each in reading.declared
        if unresolved(default(each["id"])) and not any(mentions(line, each["name"]) for line in done.problems)
    ]
    assert silent == []


@each_corpus_file
def test_every_collision_is_reported_with_both_names(response, built):
    done, _ = built(response)
    reading = reading_of(response)
    lines = [line for line in done.problems if "[identifier-collision]" in line]
    for platform in ("css", "android", "ios"):
        for first, second in reading.collisions(platform):
            names = [reading.variables[each]["name"] for each in (first, second)]
            assert any(all(mentions(line, name) for name in names) for line in lines), (platform, names)
    assert bool(lines) == any(reading.collisions(each) for each in ("css", "android", "ios"))


@each_corpus_file
def test_every_family_without_a_clear_dark_mode_is_reported(response, built):
    done, _ = built(response)
    lines = [line for line in done.problems if "[dark-mode-ambiguous]" in line]
    assert len(lines) == len(ambiguous_families(reading_of(response)))


@each_corpus_file
def test_building_twice_writes_the_same_bytes(response, built, tmp_path):
    _, out = built(response)
    assert run(*build_arguments(response, tmp_path / "again")).code == 0
    assert bytes_under(tmp_path / "again") == bytes_under(out)


@each_corpus_file
def test_check_passes_right_after_a_build_and_not_after_a_touch(response, tmp_path):
    out = tmp_path / "out"
    arguments = build_arguments(response, out)
    assert run_here(*arguments).code == 0
    before = bytes_under(out)
    assert run_here(*arguments, "--check").code == 0
    for touched in ("css/tokens.css", "ios/Tokens.xcassets/Contents.json"):
        path = out / touched
        path.write_bytes(path.read_bytes() + b"\n")
        assert run_here(*arguments, "--check").code == 3, touched
        assert path.read_bytes() == before[str(path.relative_to(out))] + b"\n", "--check wrote a file"
        path.write_bytes(before[str(path.relative_to(out))])
        assert run_here(*arguments, "--check").code == 0
    (out / "android" / "values" / "colors.xml").unlink(missing_ok=True)
    assert run_here(*arguments, "--check").code == 3


def mentions(line, name):
    """Whether a line names a variable: as the platform spells it, or as a path."""
    loose = re.sub(r"[./\s]+", " ", line)
    return re.sub(r"[./\s]+", " ", name) in loose


@pytest.mark.parametrize("holding", [(), (DARK,)], ids=["day", "night"])
@each_corpus_file
def test_modes_of_two_families_agree_with_the_raw_json_on_one_element_and_nested_both_ways(response, holding, built):
    """Each mode of each family with the last mode of every other: the root element's, and each within the other."""
    _, out = built(response)
    reading = reading_of(response)
    sheet = Sheet(blocks_of(out / "css" / "tokens.css"), holding)
    usual = reading.night() if holding else {}
    wrong = []
    for one, other in permutations(reading.switching(), 2):
        last = len(other["modes"]) - 1
        for at in range(len(one["modes"])):
            first, second = attributes(reading, one, at), attributes(reading, other, last)
            resolve = reading.resolver({**usual, one["id"]: at, other["id"]: last})
            expected = shown_under(reading, resolve)
            for path in ([[ROOT, *first, *second]], [[ROOT, *first], second], [[ROOT, *second], first]):
                actual = differing(expected, sheet.computed(*path))
                wrong += [(one["name"], at, other["name"], len(path), each) for each in actual]
    assert wrong == []


def shown_under(reading, resolve):
    """The id of each variable that has a value, its custom property, and the value that CSS must show."""
    names = reading.names("css")
    values = ((each, resolve(each["id"])) for each in reading.declared)
    return [
        (each["id"], f"--{names[each['id']]}", css_value(each, value))
        for each, value in values
        if not unresolved(value)
    ]


def differing(expected, actual):
    """The ids of variables whose computed value is not the expected one."""
    return [id_ for id_, name, value in expected if not alike(actual.get(name), value)]


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
