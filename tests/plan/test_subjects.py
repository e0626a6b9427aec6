"""The subjects and aspects of operations."""

from apply.wanted import edited, grown, with_dim, without_base, without_dark, without_theme
from apply.world import ACCENT, BASE, BRAND, GAP, THEME, design, two_batches
from design_file import graph_of
from msgspec.structs import replace

from tokensync.plan.differ import differences
from tokensync.plan.operations import Aspect, aspects_of, subjects
from tokensync.plan.state import state_of


def subjects_of(wanted):
    before = state_of(graph_of(design())[0])
    after = wanted(before)
    return subjects(differences(before, after), before, after)


def changed(wanted):
    before = state_of(graph_of(design())[0])
    return aspects_of(differences(before, wanted(before)))


def test_every_kind_of_operation_is_described_by_names():
    assert subjects_of(edited) == (
        "Theme / accent: its value in Dark",
        "Theme / accent: its value in Brand, Dark",
        "Sizes / gap: its name, description",
        "Sizes / gap: its value in Value",
    )
    assert subjects_of(two_batches) == ("collection Palette (new)", "collection Club (new)", "Palette / ink (new)")
    assert subjects_of(without_theme) == ("collection Theme (deleted)",)
    assert subjects_of(without_dark) == ("Theme: mode Dark (deleted)",)
    assert "Theme / base (deleted)" in subjects_of(without_base)
    assert {"collection Theme: its name", "Theme: mode Dim (new)"} <= set(subjects_of(with_dim))
    assert subjects_of(with_night) == ("Theme: the name of mode Dark",)


def with_night(state):
    """Rename a mode of Theme."""
    theme = state.collections[THEME]
    modes = tuple(replace(mode, name="Night") if mode.name == "Dark" else mode for mode in theme.modes)
    return state._replace(collections={**state.collections, THEME: replace(theme, modes=modes)})


def test_long_names_are_cut():
    def long(state):
        state = grown(state)
        palette = state.collections["collection:Palette"]
        return state._replace(collections={**state.collections, palette.ref: replace(palette, name="P" * 500)})

    assert all(len(each) < 140 for each in subjects_of(long))


def test_atoms_tell_members_and_values_apart():
    assert changed(edited) == {
        Aspect("value", ACCENT, "1:1"),
        Aspect("value", ACCENT, f"{BRAND}/1:1"),
        Aspect("variable", GAP, "name"),
        Aspect("variable", GAP, "description"),
        Aspect("value", GAP, "2:0"),
    }
    assert changed(without_dark) == {Aspect("mode", THEME, "1:1")}
    assert Aspect("variable", BASE) in changed(without_base)
