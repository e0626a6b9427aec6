"""The order of names and of aliases, by themselves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tokensync.plan.alias_order import alias_order
from tokensync.plan.batches.names import Renaming, renamings

NAMES = [f"n{number}" for number in range(8)]


@given(st.data())
def test_every_step_of_renamings_finds_its_name_free(data: st.DataObject) -> None:
    held = dict(enumerate(data.draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=6))))
    refs = {f"v{index}": name for index, name in held.items()}
    going = data.draw(st.sets(st.sampled_from([*refs]))) if refs else set()
    staying = [ref for ref in refs if ref not in going]
    names = data.draw(st.permutations(NAMES))
    wanted = {ref: name for ref, name in zip(staying, names, strict=False) if name != refs[ref]}
    kept = {refs[ref] for ref in staying if ref not in wanted}
    wanted = {ref: name for ref, name in wanted.items() if name not in kept}
    while lost := [ref for ref, name in wanted.items() if any(refs[o] == name for o in staying if o not in wanted)]:
        for ref in lost:
            del wanted[ref]
    final = {ref: wanted.get(ref, refs[ref]) for ref in staying}
    made = data.draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3))
    made = [name for name in made if name not in final.values()]

    groups = renamings(refs, wanted, made, [ref for ref in refs if ref in going])
    now = dict(refs)
    for group in groups:
        before_group = dict(now)
        for step in group:
            assert step.name not in now.values()
            assert step.between or step.name == wanted[step.ref]
            now[step.ref] = step.name
        betweens = [step.ref for step in group if step.between and step.ref in wanted]
        assert all(now[ref] == wanted[ref] for ref in betweens), before_group
    for ref, name in wanted.items():  # the others find their names free at any time
        assert now[ref] == name or name not in now.values()
        now[ref] = name
    for name in made:
        assert name not in now.values()
    assert len(set(now.values())) == len(now)


def test_a_name_that_somebody_keeps_ends_no_less() -> None:
    """No sound plan asks for it; the platform would refuse the request, and nothing hangs."""
    groups = renamings({"x": "a", "y": "a", "z": "b"}, {"x": "b", "z": "a"}, ["a"], [])
    assert {step.ref for group in groups for step in group} == {"x", "z"}


def test_a_long_line_of_names_moves_up_without_any_name_in_between() -> None:
    count = 5000
    held = {f"v{n}": f"n{n}" for n in range(count)}
    groups = renamings(held, {f"v{n}": f"n{n + 1}" for n in range(count)}, [], [])
    assert [step for group in groups for step in group] == [
        Renaming(f"v{n}", f"n{n + 1}") for n in reversed(range(count))
    ]


EDGES = st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=3))


@given(EDGES)
def test_what_a_variable_refers_to_has_a_smaller_number_or_the_same_in_a_circle(edges: dict[int, list[int]]) -> None:
    names = {str(source): [str(each) for each in targets] for source, targets in edges.items()}

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        ahead = [*names.get(start, ())]
        while ahead:
            if (one := ahead.pop()) not in found:
                found.add(one)
                ahead += names.get(one, ())
        return found

    number = alias_order(names, lambda ref: names.get(ref, ()))
    assert number.keys() == {*names, *(each for targets in names.values() for each in targets)}
    for source, targets in names.items():
        for target in targets:
            assert (number[target] == number[source]) is (source in reached(target) or source == target)
            assert number[target] <= number[source]


def test_a_chain_of_aliases_has_any_length_and_keeps_the_given_order_otherwise() -> None:
    count = 100_000
    number = alias_order(["b", "0", "a"], lambda ref: [str(int(ref) + 1)] if ref.isdigit() and int(ref) < count else [])
    assert number["0"] == count + 1
    assert number["b"] < number["0"] < number["a"]
