"""Desired states of the tests' plans, as functions of the present state."""

from apply.world import (
    ACCENT,
    BASE,
    BRAND,
    GAP,
    RED,
    SIZES,
    THEME,
    changed,
    new_variable,
    two_batches,
    with_variables,
    without,
)
from msgspec.structs import replace

from tokensync.plan.state import FileState, ModeState, ObjectValue


def edited(state):
    state = changed(state, GAP, name="space", description="between", values={"2:0": 12.0})
    return changed(state, ACCENT, values={"1:1": ObjectValue(alias=BASE), f"{BRAND}/1:1": RED})


def grown(state):
    return two_batches(with_variables(edited(state), new_variable("wide")))


def without_base(state):
    """Delete a variable that accent refers to, and give accent a colour."""
    return without(changed(state, ACCENT, values={"1:0": RED}), BASE)


def without_referred(state):
    """Delete a variable that accent still refers to."""
    return without(state, BASE)


def without_gap(state):
    return without(state, GAP)


def without_dark(state):
    theme, brand = state.collections[THEME], state.collections[BRAND]
    collections = {
        **state.collections,
        THEME: replace(theme, modes=theme.modes[:1]),
        BRAND: replace(brand, modes=brand.modes[:1]),
    }
    doomed = {theme.modes[1].ref, brand.modes[1].ref}
    kept = {
        ref: replace(each, values={mode: value for mode, value in each.values.items() if mode not in doomed})
        for ref, each in state.variables.items()
    }
    return FileState(collections, kept)


def without_sizes(state):
    return FileState(
        {ref: each for ref, each in state.collections.items() if ref != SIZES},
        {ref: each for ref, each in state.variables.items() if each.collection != SIZES},
    )


def without_theme(state):
    """Delete the root and with it Brand."""
    return FileState(
        {ref: each for ref, each in state.collections.items() if each.root != THEME},
        {ref: each for ref, each in state.variables.items() if each.collection != THEME},
    )


def without_brand(state):
    kept = {
        ref: replace(each, values={mode: value for mode, value in each.values.items() if "/" not in mode})
        for ref, each in state.variables.items()
    }
    return FileState({ref: each for ref, each in state.collections.items() if ref != BRAND}, kept)


def with_dim(state):
    """Add a mode to Theme with an override in Brand."""
    theme, brand = state.collections[THEME], state.collections[BRAND]
    own, of_brand = ModeState("mode:dim", "Dim"), ModeState("mode:brand/dim", "Dim", "mode:dim")
    collections = {
        **state.collections,
        THEME: replace(theme, name="Themes", modes=(*theme.modes, own)),
        BRAND: replace(brand, modes=(*brand.modes, of_brand)),
    }
    state = FileState(collections, state.variables)
    state = changed(state, BASE, values={"mode:dim": RED})
    return changed(state, ACCENT, values={"mode:dim": RED, "mode:brand/dim": ObjectValue(0, 0, 1, 1)})
