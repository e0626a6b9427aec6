"""A pull changes only the lines of tokens that changed on the platform."""

import json
import re
import shutil
import tempfile
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from commands.projects import files_in, project_in, pulled_in, tokensync
from design_file import alias, collection, color, variable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokensync.dtcg import formatting

PATHS = ("a", "a/x", "a/y", "b", "b/deep/z", "c", "d/one", "d/two", "e/f/g")
NEW_PATHS = ("a/new", "b/deep/new", "new", "c/under", "d/two/below")
HEAD = ("$schema", "$extensions")


def response_of(state):
    """Return a response with two collections; ``state`` lists (collection, number, name, value) in order."""
    collections = [collection("C:0", "One"), collection("C:1", "Two", modes=("Only",))]
    by_number = {number: name for _, number, name, _ in state}
    variables = {}
    for of, number, name, value in state:
        target = value[1] if isinstance(value, tuple) and value[1] in by_number else None
        content = alias(f"V:{target}") if target is not None else color(value / 255 if isinstance(value, int) else 0)
        variables[f"V:{number}"] = variable(f"V:{number}", name, collections[of], "COLOR", [content, content])
        collections[of]["variableIds"].append(f"V:{number}")
    meta = {"variables": variables, "variableCollections": {each["id"]: each for each in collections}}
    return json.dumps({"status": 200, "error": False, "meta": meta}).encode()


@st.composite
def states(draw):
    """A state of the platform, and the state after edits."""
    before = []
    for of in (0, 1):
        for path in draw(st.lists(st.sampled_from(PATHS), min_size=1, unique=True)):
            number = len(before)
            refers = number and draw(st.booleans())
            value = ("alias", draw(st.integers(0, number - 1))) if refers else draw(st.integers(0, 255))
            before.append((of, number, path, value))
    after = [*before]
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(after) - 1))
        of, number, name, value = after[at]
        edit = draw(st.sampled_from(["value", "rename", "delete", "add", "move"]))
        free = [each for each in (*PATHS, *NEW_PATHS) if (of, each) not in {(each[0], each[2]) for each in after}]
        if edit == "value" and isinstance(value, int):
            after[at] = (of, number, name, 255 - value)
        elif edit == "rename" and free:
            after[at] = (of, number, draw(st.sampled_from(free)), value)
        elif edit == "delete" and len(after) > 1 and ("alias", number) not in {each[3] for each in after}:
            del after[at]
        elif edit == "move":
            after.insert(draw(st.integers(0, len(after) - 1)), after.pop(at))
        elif edit == "add" and free:
            fresh = (of, 100 + len(after), draw(st.sampled_from(free)), 7)
            if fresh[1] not in {each[1] for each in after}:
                after.insert(at, fresh)
    return before, after


def addresses(state):
    """Return the address of each token in its file, by number; a token that is also a group is its ``$root``."""
    paths = {(of, name) for of, _, name, _ in state}
    found = {}
    for of, number, name, _ in state:
        is_root = any(each[0] == of and each[1].startswith(f"{name}/") for each in paths)
        found[number] = (("one", "two")[of], *name.split("/"), *(["$root"] if is_root else []))
    return found


def changed_addresses(before, after):
    """Return the addresses of tokens that changed, in both states. The text of an alias is its target's address."""
    old, new = addresses(before), addresses(after)

    def facts(state, of_state):
        target = {
            number: of_state.get(value[1]) if isinstance(value, tuple) else value for _, number, _, value in state
        }
        return {number: (of_state[number], target[number]) for _, number, _, _ in state}

    facts_before, facts_after = facts(before, old), facts(after, new)
    numbers = {n for n in old.keys() | new.keys() if facts_before.get(n) != facts_after.get(n)}
    return {of_state[n] for of_state in (old, new) for n in numbers if n in of_state}


def lines_of(text):
    """Return the lines of a canonical token file with the address of the token or group that each belongs to."""
    stack, found = [], []
    for line in text.splitlines():
        bare = line.rstrip(",")
        opened = re.fullmatch(r' *"((?:[^"\\]|\\.)*)": \{', bare)
        if opened:
            stack.append(json.loads(f'"{opened[1]}"'))
        steps = [*stack]
        while any(name[:1] == "$" and name != "$root" for name in steps):
            steps.pop()
        found.append((tuple(steps), bare))
        if bare.strip() == "}" and stack:
            stack.pop()
    return found


@given(states())
@settings(max_examples=20, deadline=None, suppress_health_check=[*HealthCheck])
def test_a_canonical_file_stays_canonical(tmp_path, states):
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        project_in(folder)
        old = pulled(folder, states[0])
        shutil.rmtree(folder / "tokens")
        new = pulled(folder, states[1])
        for path in old.keys() & new.keys():
            assert formatting.in_layout_of(old[path], new[path]) == new[path]
    shutil.rmtree(folder)


@given(states())
@settings(max_examples=20, deadline=None, suppress_health_check=[*HealthCheck])
def test_a_pull_changes_only_the_lines_of_changed_tokens(tmp_path, states):
    before, after = states
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        project_in(folder)
        old, new = (pulled(folder, state) for state in (before, after))
        listed = json.loads(tokensync("tokens", "list", "--json").output)
        assert [(each["collection"], each["path"]) for each in listed] == [
            (("one", "two")[of], name.replace("/", ".")) for of in (0, 1) for own, _, name, _ in after if own == of
        ]
    shutil.rmtree(folder)
    changed = changed_addresses(before, after)
    around = {address[:end] for address in changed for end in range(len(address))}
    for path in old.keys() & new.keys():
        first, second = lines_of(old[path].decode()), lines_of(new[path].decode())
        for tag, begin, end, start, stop in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
            for address, line in [*first[begin:end], *second[start:stop]] if tag != "equal" else []:
                is_group = address in around and re.fullmatch(r' *(".*": \{|\})', line)
                assert address in changed or address == () or is_group, (path, line)


LAYOUTS = {
    "four spaces": {"indent": 4},
    "tabs": {"indent": "\t"},
    "one line": {"separators": (",", ":")},
    "canonical, other order": None,
    "canonical": {},
}


def in_other_order(node):
    """Return a tree in which the members of each token and of each colour are in reverse."""
    if not isinstance(node, dict):
        return node
    members = [(name, in_other_order(each)) for name, each in node.items()]
    if "$value" in node or "colorSpace" in node:
        members.reverse()
    return dict(members)


def by_hand(text, layout, ends):
    """Return a token file in another layout, and the text of each token by its address."""
    if layout == "canonical":
        return text.replace("\n", ends), {}
    tree = in_other_order(json.loads(text))
    options = LAYOUTS[layout] or {"indent": 2}
    unit = options.get("indent")
    unit = " " * unit if isinstance(unit, int) else unit or ""

    def written(node):
        number = re.compile(r"(?<=[\[ ,])0(?=[,\]\s])|(?<=[\[ ,])1(?=[,\]\s])")
        return number.sub(lambda match: f"{match[0]}.0", json.dumps(node, **options))

    tokens = {}
    pending = [((name,), each) for name, each in tree.items() if name not in HEAD]
    while pending:
        address, node = pending.pop()
        if "$value" in node:
            block = f"{json.dumps(address[-1])}{':' if not unit else ': '}{written(node)}"
            tokens[address] = block.replace("\n", "\n" + unit * len(address)).replace("\n", ends)
        else:
            pending += [((*address, name), each) for name, each in node.items()]
    return f"{written(tree)}\n".replace("\n", ends), tokens


@given(states(), st.sampled_from([*LAYOUTS]), st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(max_examples=20, deadline=None, suppress_health_check=[*HealthCheck])
def test_a_pull_keeps_the_text_of_unchanged_tokens_in_any_layout(tmp_path, states, layout, ends, has_end):
    before, after = states
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        project_in(folder)
        tokens = {}
        for path, text in pulled(folder, before).items():
            other, tokens[path] = by_hand(text.decode(), layout, ends)
            (folder / "tokens" / path).write_bytes((other if has_end else other.rstrip()).encode())
        edited = files_in(folder / "tokens")
        tokensync("-q", "pull")
        assert files_in(folder / "tokens") == edited
        new = pulled(folder, after)
        listed = tokensync("tokens", "list", "--json").output
        tokensync("-q", "pull")
        assert {path: (folder / "tokens" / path).read_bytes() for path in new} == new
        tokensync("-q", "format")
        formatted = {path: (folder / "tokens" / path).read_bytes() for path in new}
        tokensync("-q", "pull")
        assert {path: (folder / "tokens" / path).read_bytes() for path in new} == formatted
        assert tokensync("tokens", "list", "--json").output == listed
    shutil.rmtree(folder)
    changed = changed_addresses(before, after)
    for path in new:
        assert new[path].endswith(b"\n") == has_end or path not in tokens
        for address, block in tokens.get(path, {}).items():
            assert address in changed or block.encode() in new[path], (path, address)


def test_a_new_mode_is_added_to_a_resolver_document_in_another_layout(folder):
    pulled_in(folder, {"a": ("#000000", "#ffffff")})
    path = folder / "tokens" / "one.resolver.json"
    path.write_text(path.read_text("utf-8").replace('"name"', '"name" '), encoding="utf-8")
    dim = {"$extensions": {"com.figma.modeName": "Dim"}, "theme": {}}
    (folder / "tokens" / "one" / "theme" / "dim.tokens.json").write_text(json.dumps(dim), encoding="utf-8")
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    text = path.read_text("utf-8")
    assert '"name" :' in text
    assert '"dim": [' in text
    tokensync("-q", "pull")
    assert path.read_text("utf-8") == text


def test_an_array_on_several_lines_can_be_new():
    present, content = b'{"x": 1, "z": 2}', b'{\n  "x": 1,\n  "y": [\n    {"a": 1},\n    {"b": 2}\n  ],\n  "z": 2\n}\n'
    text = formatting.in_layout_of(present, content)
    assert json.loads(text) == json.loads(content)
    assert text.startswith(b'{"x": 1, "y": [')


def test_a_file_without_a_line_end_at_its_end_keeps_none(folder):
    project_in(folder)
    pulled(folder, [(0, 0, "a/x", 1), (0, 1, "b", 2)])
    path = folder / "tokens" / "one/one/light.tokens.json"
    path.write_bytes(path.read_bytes().rstrip())
    texts = [pulled(folder, [(0, 0, "a/x", 1), (0, 1, "b", 3)])["one/one/light.tokens.json"] for _ in range(2)]
    assert texts[0] == texts[1] == texts[0].rstrip()


def test_a_changed_value_changes_its_lines_of_a_file_in_another_layout(folder):
    project_in(folder)
    files = pulled(folder, [(0, 0, "a/x", 1), (0, 1, "b", 2)])
    path = "one/one/light.tokens.json"
    text, _ = by_hand(files[path].decode(), "canonical, other order", "\r\n")
    (folder / "tokens" / path).write_bytes(text.encode())
    new = pulled(folder, [(0, 0, "a/x", 1), (0, 1, "b", 3)])[path].decode()
    lines = [line for line in new.splitlines(keepends=True) if line not in text.splitlines(keepends=True)]
    assert [line.partition(":")[0].strip() for line in lines] == ['"hex"', '"components"']


def pulled(folder, state):
    (folder / "state.json").write_bytes(response_of(state))
    tokensync("-q", "emulator", "seed", "--key", "key-one", "state.json")
    tokensync("-q", "pull")
    return {path: text for path, text in files_in(folder / "tokens").items() if path.endswith(".tokens.json")}


def test_the_order_is_in_the_head_of_the_file_and_never_names_another_collection(folder):
    project_in(folder)
    names = [(0, 0, "a/x", 1), (0, 1, "b", 2), (0, 2, "a/y", 3), (1, 3, "c/x", 4), (1, 4, "d", 5), (1, 5, "c/y", 6)]
    files = pulled(folder, names)
    heads = {path: json.loads(text)["$extensions"]["org.tokensync"].get("after") for path, text in files.items()}
    assert heads["one/one/light.tokens.json"] == {"b": "a.x"}
    assert heads["one/two/only.tokens.json"] == {"d": "c.x"}
    assert heads["one/one/dark.tokens.json"] is None
    listed = json.loads(tokensync("tokens", "list", "--json").output)
    assert [each["path"] for each in listed] == ["a.x", "b", "a.y", "c.x", "d", "c.y"]


FOREIGN = st.dictionaries(st.sampled_from(["z", "a", "m"]), st.sampled_from([1, "two", [3], {"q": 4, "b": 5}]))


def rearranged(draw, node, name=""):
    """Return a part of a resolver document with its members, and those of other people, in any order.

    The order of contexts is that of modes.
    """
    if not isinstance(node, dict):
        return [rearranged(draw, each) for each in node] if isinstance(node, list) else node
    members = [(key, rearranged(draw, each, key)) for key, each in node.items()]
    if name == "contexts":
        return dict(members)
    if name not in ("", "sets", "modifiers"):
        members += [("description", "by hand")] * draw(st.booleans())
        members += [("$extensions", draw(FOREIGN))] * draw(st.booleans())
    return dict(draw(st.permutations(members)))


@given(st.data(), st.sampled_from([None, 2, 4, "\t", "canonical"]), st.sampled_from(["\n", "\r\n"]))
@settings(deadline=None, suppress_health_check=[*HealthCheck])
def test_a_pull_without_changes_keeps_every_byte_of_a_resolver_document(pulled_thrice, data, layout, ends):
    path, text = pulled_thrice
    tree = rearranged(data.draw, json.loads(text), "document")
    if layout == "canonical":
        edited = formatting.resolver_file(tree).decode()
        lines = edited.splitlines()
        edited = "\n".join((lines[0], *data.draw(st.permutations(lines[1:4])), *lines[4:], ""))
    else:
        edited = json.dumps(tree, indent=layout, ensure_ascii=False)
    edited = edited.replace("\n", ends).encode()
    path.write_bytes(edited)
    tokensync("-q", "pull")
    assert path.read_bytes() == edited
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def pulled_thrice(folder):
    project_in(folder)
    (folder / "state.json").write_bytes(response_of([(0, 0, "a/x", 1), (1, 1, "b", 2)]))
    tokensync("-q", "emulator", "seed", "--key", "key-one", "state.json")
    tokensync("-q", "pull")
    path = folder / "tokens/one.resolver.json"
    return path, path.read_text("utf-8")


def test_a_new_collection_adds_its_lines_to_a_resolver_document_and_changes_no_others(folder):
    project_in(folder)
    pulled(folder, [(0, 0, "a/x", 1)])
    path = folder / "tokens/one.resolver.json"
    state = json.loads(response_of([(0, 0, "a/x", 1), (1, 1, "b", 2)]))
    two = state["meta"]["variableCollections"].pop("C:1")
    added = state["meta"]["variables"].pop("V:1")
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
    tokensync("-q", "emulator", "seed", "--key", "key-one", "state.json")
    tokensync("-q", "pull")
    tree = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({"description": "mine", **dict(reversed(tree.items()))}, indent=4), encoding="utf-8")
    before = path.read_text("utf-8").replace(",", "").splitlines()
    state["meta"]["variableCollections"]["C:1"], state["meta"]["variables"]["V:1"] = two, added
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
    tokensync("-q", "emulator", "seed", "--key", "key-one", "state.json")
    tokensync("-q", "pull")
    after = path.read_text("utf-8").replace(",", "").splitlines()
    edits = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    assert [tag for tag, *_ in edits if tag != "equal"] == ["insert", "insert"]
    assert '"#/sets/two"' in path.read_text("utf-8")


def test_members_in_another_order_stay_so_if_they_are_on_lines_of_their_own(folder):
    project_in(folder)
    state = [(0, 0, "a/x", 1), (0, 1, "b", 2), (0, 2, "c", 3)]
    pulled(folder, state)
    path = folder / "tokens/one/one/light.tokens.json"
    edited = re.sub(r'( *"\$type": .*\n)( *"\$value": .*\n)', r"\2\1", path.read_text("utf-8"))
    path.write_text(edited, encoding="utf-8")
    tokensync("-q", "pull")
    assert path.read_text("utf-8") == edited
    pulled(folder, [*state[:2], (0, 2, "c", 200)])
    before, after = edited.splitlines(), path.read_text("utf-8").splitlines()
    changed = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    assert [line.partition(":")[0].strip() for pair in changed for line in pair] == ['"$value"', '"$value"']
