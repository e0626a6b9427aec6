"""What is asked of the platform, and what options leave out."""

import pytest
from design_file import collection, graph_of, published, response, variable, what_of

from tokensync.extract.wire import extract, snapshot, withhold
from tokensync.system.errors import ProblemsError, UsageError


def example():
    owner = collection("C:1")
    made = [
        variable("V:1", "plain", owner, "FLOAT", [1, 1]),
        variable("V:2", "hidden", owner, "FLOAT", [2, 2], hiddenFromPublishing=True),
        variable("V:3", "new", owner, "FLOAT", [3, 3]),
        variable("V:4", "deleted", owner, "FLOAT", [4, 4], deletedButReferenced=True),
        variable("V:5", "remote", owner, "FLOAT", [5, 5], remote=True, hiddenFromPublishing=True),
    ]
    return response([owner], made), published(made[:2])


class Platform:
    """Stands for a client: answers both reads from bytes."""

    def __init__(self, local, published):
        self.answers = {"local": local, "published": published}
        self.asked = []
        self.variables = self

    def local(self, file):
        self.asked.append(("local", file))
        return self.answers["local"]

    def published(self, file):
        self.asked.append(("published", file))
        return self.answers["published"]


def test_both_responses_of_the_file_are_asked_for():
    platform = Platform(*example())
    taken = extract(platform, "kit", "abc123")
    assert platform.asked == [("local", "abc123"), ("published", "abc123")]
    assert (taken.file, taken.raw_local, taken.raw_published) == ("kit", *example())


def test_an_invalid_response_is_reported_with_the_name_of_the_file():
    with pytest.raises(ProblemsError, match=r"kit \(published variables\):1:1"):
        extract(Platform(example()[0], b"<html>"), "kit", "abc123")


def test_by_default_nothing_is_left_out():
    taken, problems = withhold(snapshot("kit", *example()))
    assert taken.withheld == frozenset()
    assert problems == ()


def test_hidden_variables_are_left_out_on_request_and_named():
    taken, (problem,) = withhold(snapshot("kit", *example()), include_hidden=False)
    assert taken.withheld == {"V:2"}
    assert (problem.severity, problem.code, problem.where) == ("note", "variable-withheld", "kit")
    assert what_of(problem) == "1 variable is hidden from publishing (hidden)"


def test_unpublished_variables_are_left_out_on_request_and_named():
    taken, (problem,) = withhold(snapshot("kit", *example()), only_published=True)
    assert taken.withheld == {"V:3"}
    assert what_of(problem) == "1 variable is not published (new)"


def test_many_left_out_are_counted_and_named():
    owner = collection("C:1")
    made = [variable(f"V:{at}", f"a{at}", owner, "FLOAT", [1], hiddenFromPublishing=True) for at in range(8)]
    _, (problem,) = withhold(snapshot("kit", response([owner], made)), include_hidden=False)
    assert what_of(problem) == "8 variables are hidden from publishing (a0, a1, a2, a3, a4, a5, a6, a7)"


def test_only_published_needs_the_published_response():
    with pytest.raises(UsageError, match="--published"):
        withhold(snapshot("kit", example()[0]), only_published=True)


def test_what_is_withheld_stays_in_the_graph_without_being_local():
    graph, _ = graph_of(*example(), include_hidden=False)
    assert {each.key.path: each.origin for each in graph.tokens.values()} == {
        "plain": "local",
        "hidden": "withheld",
        "new": "local",
        "deleted": "deleted",
        "remote": "remote",
    }


def test_local_tokens_know_whether_they_are_published_once_that_was_asked():
    graph, _ = graph_of(*example())
    assert {each.key.path: each.published for each in graph.tokens.values()} == {
        "plain": True,
        "hidden": True,
        "new": False,
        "deleted": None,
        "remote": None,
    }
    unasked, _ = graph_of(example()[0])
    assert {each.published for each in unasked.tokens.values()} == {None}
