"""Comparisons: empty for equal content only, and complete: the differences turn the first graph into the second."""

import pytest
from graphs import alias, color
from hypothesis import given
from msgspec.structs import replace
from plan.merges import ACCENT, SIZE, TEXT, design, edited
from plan.pairs import pairs

from tokensync.extract.wire import snapshot
from tokensync.normalize.graph import normalize
from tokensync.normalize.mapping import path_of_name
from tokensync.plan.comparing import compare
from tokensync.settings import MovedConfig
from tokensync.tokens import Color, ComposedColor, Composite, DanglingAlias, TokenGraph

EMPTY = TokenGraph((), ())


def graph_of(library):
    return normalize(snapshot("file", library.response()))[0]


@given(pairs())
def test_a_state_does_not_differ_from_itself(pair):
    for library in (pair.before, pair.after):
        assert compare(graph_of(library), graph_of(library)) == ((), ())


def content(graph):
    """Return the members of each collection and token: beside an empty graph, all of them are new."""
    return {
        (each.collection, each.token): {member: after for member, _, after in each.changes}
        for each in compare(EMPTY, graph)[0]
    }


class Renaming:
    """The new names of collections and modes, found by their ids, and of tokens, as the differences tell them."""

    def __init__(self, before, after, differences):
        self.handles, self.contexts = {}, {}
        for old, new in ((one, other) for one in before.collections.values() for other in after.collections.values()):
            if old.id == new.id:
                self.handles[old.handle] = new.handle
                at = {mode.id: mode.context for mode in new.modes}
                self.contexts[old.handle] = {mode.context: at.get(mode.id, mode.context) for mode in old.modes}
                handles = {each.id: each.handle for each in new.extensions}
                self.handles.update((each.handle, handles.get(each.id, each.handle)) for each in old.extensions)
        self.names = {}
        for each in differences:
            for member, old, new in each.changes:
                if each.token and each.kind == "changed" and member == "name":
                    self.names[each.collection, old] = new

    def subject(self, handle, token):
        new = self.handles.get(handle, handle)
        return new, self.names.get((new, token), token)

    def member(self, handle, member):
        kind, space, name = member.partition(" ")
        names = self.handles if kind == "extension" else self.contexts.get(handle, {})
        return f"{kind}{space}{names.get(name, name)}" if kind in ("in", "mode", "extension") else member

    def value(self, handle, member, value):
        """Return a JSON value with the new names of what it refers to."""
        if member == "default mode":
            return self.contexts.get(handle, {}).get(value, value)
        if not isinstance(value, dict):
            return value
        match value:
            case {"alias": [file, collection, path]}:
                paths = {
                    path_of_name(old): path_of_name(new)
                    for (at, old), new in self.names.items()
                    if at == self.handles.get(collection, collection)
                }
                return {"alias": [file, self.handles.get(collection, collection), paths.get(path, path)]}
            case {"follows": context}:
                return {**value, "follows": self.contexts.get(handle, {}).get(context, context)}
            case {"extends": parent}:
                contexts = self.contexts.get(handle, {})
                new = {**value, "extends": self.handles.get(parent, parent)}
                default = value.get("default mode")
                return new if default is None else {**new, "default mode": contexts.get(default, default)}
        return {name: self.value(handle, "", each) for name, each in value.items()}


@given(pairs())
def test_the_differences_lead_from_the_first_state_to_the_second(pair):
    before, after = graph_of(pair.before), graph_of(pair.after)
    differences, _ = compare(before, after)
    renaming = Renaming(before, after, differences)
    gone, lost = {}, set()
    for each in differences:  # the tokens of a collection follow it, and a lost one may have the name of another
        if each.kind == "gone":
            lost |= set() if each.token else {each.collection}
            gone[each.collection in lost, each.collection, each.token] = each
    state = {}
    for (handle, token), members in content(before).items():
        is_lost = handle in lost and handle not in renaming.handles
        removed = gone.pop((is_lost, renaming.handles.get(handle, handle), token), None)
        if removed is None:
            state[renaming.subject(handle, token)] = {
                renaming.member(handle, member): renaming.value(handle, member, value)
                for member, value in members.items()
            }
        else:
            assert all(each.after is None for each in removed.changes)
            assert {each.member: each.before for each in removed.changes} == {
                renaming.member(handle, member): value if token else renaming.value(handle, member, value)
                for member, value in members.items()
            }
    assert gone == {}
    for each in differences:
        if each.kind != "gone":
            members = state.setdefault((each.collection, each.token), {})
            assert (each.kind == "new") == (members == {})
            members.update((member, new) for member, _, new in each.changes)
            for member in [member for member, value in members.items() if value is None]:
                del members[member]
    assert state == content(after)


def of_collection(graph, **members):
    """Return the graph with other members of its collection Theme."""
    families = [replace(each, **members) if each.name == "Theme" else each for each in graph.collections.values()]
    return TokenGraph(families, graph.tokens.values())


def of_mode(graph, column, **members):
    theme = next(each for each in graph.collections.values() if each.name == "Theme")
    modes = [replace(mode, **members) if at == column else mode for at, mode in enumerate(theme.modes)]
    return of_collection(graph, modes=tuple(modes))


def of_extension(graph, **members):
    theme = next(each for each in graph.collections.values() if each.name == "Theme")
    return of_collection(graph, extensions=tuple(replace(each, **members) for each in theme.extensions))


RED, BLUE = [1, 0, 0, 1], [0, 0, 1, 1]
TARGET = {"alias": ["design", "theme", "accent.base"]}


@pytest.mark.parametrize(
    ("after", "of", "change"),
    [
        (edited(design(), ACCENT, values={0: color("#0000ff")}), "theme / accent/base", {"in light": (RED, BLUE)}),
        (edited(design(), SIZE, values=(1.0,)), "size / gap", {"in value": (4, 1)}),
        (edited(design(), SIZE, values=(True,)), "size / gap", {"in value": (4, True)}),
        (edited(design(), ACCENT, description=""), "theme / accent/base", {"description": ("Accent", None)}),
        (edited(design(), ACCENT, type="string"), "theme / accent/base", {"type": ("color", "string")}),
        (
            edited(design(), SIZE, scopes=("GAP", "WIDTH_HEIGHT")),
            "size / gap",
            {"scopes": (["GAP"], ["GAP", "WIDTH_HEIGHT"])},
        ),
        (
            edited(design(), SIZE, code_syntax=(("WEB", "--gap"),)),
            "size / gap",
            {"code syntax": (None, {"WEB": "--gap"})},
        ),
        (edited(design(), SIZE, hidden=True), "size / gap", {"hidden": (None, True)}),
        (edited(design(), SIZE, deprecated="Use space."), "size / gap", {"deprecated": (None, "Use space.")}),
        (edited(design(), SIZE, extensions='{"a":1}'), "size / gap", {"extensions": (None, '{"a":1}')}),
        (
            edited(design(), TEXT, values={0: DanglingAlias("V:9")}),
            "theme / text",
            {"in light": (TARGET, {"dangling": "V:9"})},
        ),
        (
            edited(design(), TEXT, values={1: ComposedColor(alias("Theme", "accent/base"), 40.0)}),
            "theme / text",
            {"in dark": ([1, 1, 1, 1], {"color": TARGET, "opacity": 40})},
        ),
        (
            edited(design(), TEXT, values={3: Color(0.0, 0.0, 1.0, 1.0)}),
            "theme / text",
            {"in brand.dark": (None, BLUE)},
        ),
        (edited(design(), ACCENT, values={3: None}), "theme / accent/base", {"in brand.dark": ([1, 1, 1, 1], None)}),
        (of_collection(design(), name="Farbe", handle="theme"), "theme", {"name": ("Theme", "Farbe")}),
        (of_collection(design(), hidden=True), "theme", {"hidden": (False, True)}),
        (of_collection(design(), default_mode=1), "theme", {"default mode": ("light", "dark")}),
        (of_mode(design(), 1, name="Night"), "theme", {"mode dark": ({"name": "Dark"}, {"name": "Night"})}),
        (
            of_extension(design(), name="Other"),
            "theme",
            {
                "extension brand": (
                    {"name": "Brand", "hidden": False, "extends": "theme", "default mode": "brand.light"},
                    {"name": "Other", "hidden": False, "extends": "theme", "default mode": "brand.light"},
                )
            },
        ),
        (
            of_extension(design(), hidden=True),
            "theme",
            {
                "extension brand": (
                    {"name": "Brand", "hidden": False, "extends": "theme", "default mode": "brand.light"},
                    {"name": "Brand", "hidden": True, "extends": "theme", "default mode": "brand.light"},
                )
            },
        ),
    ],
)
def test_each_member_counts(after, of, change):
    assert changes(design(), after) == {("changed", of): change}


def changes(before, after, moved=()):
    """Return {(kind, subject): {member: (before, after)}}."""
    differences, problems = compare(before, after, moved)
    assert problems == ()
    return {
        (each.kind, each.subject): {member: (old, new) for member, old, new in each.changes} for each in differences
    }


def test_the_default_mode_of_an_extension_is_content_unless_a_side_does_not_know_it():
    one, other, unknown = (of_extension(design(), default_mode=at) for at in (2, 3, 0))
    ((difference,), _) = compare(one, other)
    extension = {"name": "Brand", "hidden": False, "extends": "theme"}
    assert difference.changes == (
        (
            "extension brand",
            {**extension, "default mode": "brand.light"},
            {**extension, "default mode": "brand.dark"},
        ),
    )
    assert compare(one, one) == compare(one, unknown) == compare(unknown, other) == ((), ())


def test_what_the_platform_assigns_is_no_content():
    after = of_extension(of_mode(of_collection(design(), id="C:7", collection_key="k"), 1, id="7:7"), id="X:7")
    assert changes(design(), edited(after, SIZE, id="V:7", variable_key="k7", published=True)) == {}


def test_a_renamed_mode_is_one_change_and_its_values_are_compared():
    after = of_mode(design(), 1, name="Night", slug="night", context="night")
    after = edited(after, ACCENT, values={1: color("#ff0000")})
    assert changes(design(), after) == {
        ("changed", "theme"): {"mode night": ({"name": "Dark"}, {"name": "Night"})},
        ("changed", "theme / accent/base"): {"in night": (BLUE, RED)},
    }


def test_a_renamed_target_is_no_change_of_its_aliases():
    tokens = [
        replace(each, key=each.key._replace(path="brand")) if each.key == ACCENT else each
        for each in edited(design(), TEXT, values={0: alias("Theme", "brand")}).tokens.values()
    ]
    after = TokenGraph(design().collections.values(), tokens)
    assert changes(design(), after) == {("changed", "theme / brand"): {"name": ("accent/base", "brand")}}


def without_ids(graph):
    return TokenGraph(
        graph.collections.values(), (replace(each, id="", variable_key="") for each in graph.tokens.values())
    )


def test_tokens_without_ids_are_followed_by_moved_entries():
    after = TokenGraph(
        design().collections.values(),
        (
            replace(each, key=each.key._replace(path="space")) if each.key == SIZE else each
            for each in without_ids(design()).tokens.values()
        ),
    )
    entry = MovedConfig(kind="token", from_="gap", to="space", collection="size")
    assert set(changes(design(), after)) == {("new", "size / space"), ("gone", "size / gap")}
    assert changes(design(), after, [entry]) == {("changed", "size / space"): {"name": ("gap", "space")}}


def test_composites_are_compared_by_their_targets_too():
    one = Composite('{"color":"{theme.text}"}', (("{theme.text}", TEXT),))
    before = edited(design(), ACCENT, type="shadow", values=(one,) * 4)
    after = edited(before, ACCENT, values=(Composite(one.json, (("{theme.text}", SIZE),)),) * 4)
    assert set(changes(before, after)[("changed", "theme / accent/base")]) == {
        "in light",
        "in dark",
        "in brand.light",
        "in brand.dark",
    }
