"""The order of renamings, by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tokensync.plan.batches import Renaming, renamings

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
            assert step.is_temporary or step.name == wanted[step.ref]
            now[step.ref] = step.name
        betweens = [step.ref for step in group if step.is_temporary and step.ref in wanted]
        assert all(now[ref] == wanted[ref] for ref in betweens), before_group
    for ref, name in wanted.items():  # the others find their names free at any time
        assert now[ref] == name or name not in now.values()
        now[ref] = name
    for name in made:
        assert name not in now.values()
    assert len(set(now.values())) == len(now)


@given(st.permutations([*"abcd"]), st.integers(30, 40))
def test_a_temporary_name_is_no_longer_than_allowed(names: list[str], length: int) -> None:
    held = {name: name * length for name in "abcd"}
    wanted = {ref: held[name] for ref, name in zip(held, names, strict=True) if ref != name}
    for group in renamings(held, wanted, [], [], longest=40):
        assert all(len(step.name) <= 40 for step in group)


def test_a_name_that_somebody_keeps_ends_no_less() -> None:
    """An invalid plan, which the platform would refuse, must not cause an endless loop."""
    groups = renamings({"x": "a", "y": "a", "z": "b"}, {"x": "b", "z": "a"}, ["a"], [])
    assert {step.ref for group in groups for step in group} == {"x", "z"}


def test_a_long_line_of_names_moves_up_without_any_name_in_between() -> None:
    count = 5000
    held = {f"v{n}": f"n{n}" for n in range(count)}
    groups = renamings(held, {f"v{n}": f"n{n + 1}" for n in range(count)}, [], [])
    assert [step for group in groups for step in group] == [
        Renaming(f"v{n}", f"n{n + 1}") for n in reversed(range(count))
    ]
