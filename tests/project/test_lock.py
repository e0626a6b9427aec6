"""The lock as the base of merges: one state, none, or two where git left a conflict in it."""

import pytest
from commands.projects import COLORS, files_in, on_the_platform, project_in, response, tokensync
from commands.test_pull import LIGHT_PATH, edit
from graphs import alias, collection, color, graph, key, token
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tokensync.project import lock as locks
from tokensync.project.lock import Lock, facts, read_lock, with_changes, write_lock
from tokensync.tokens import ComposedColor, Composite, DanglingAlias, Quantity, TokenGraph

RED, BLUE = color("#ff0000"), color("#0000ff", 0.5)
SHADOW = Composite('{"color":"{theme.a}"}', (("{theme.a}", key("Theme", "a")),))


def of_every_kind():
    theme = collection("Theme", "Light", "Dark", extensions=[("Brand", "Theme"), ("Region", "Brand")])
    values = {
        "color": (RED, BLUE, ComposedColor(alias("Theme", "a"), 48.0), DanglingAlias("VariableID:1:2")),
        "dimension": (4.0, Quantity(1.5, "rem"), alias("Theme", "b"), 0.1),
        "string": ("", "16rem", "[1]", "\u2028\n"),
        "boolean": (True, False),
        "shadow": (SHADOW, Composite("{}")),
    }
    return graph(
        theme,
        *(
            token(
                theme,
                name,
                *each,
                type=kind,
                id=f"V:{name}",
                description="é\n",
                hidden=True,
                code_syntax=(("WEB", "x"),),
            )
            for name, (kind, each) in zip("abcde", values.items(), strict=True)
        ),
    )


def written(folder, *graphs, file="design", code="k"):
    write_lock(str(folder), [facts(each, file, code) for each in graphs])
    return (folder / "tokensync.lock").read_text("utf-8")


def test_a_graph_comes_back_with_everything_but_its_order(folder):
    before = of_every_kind()
    written(folder, before)
    (again,) = Lock(str(folder)).graphs("design")
    assert facts(again, "design", "k") == facts(before, "design", "k")
    assert {each.key: each.values for each in again.tokens.values()}.keys() == before.tokens.keys()
    contexts = [each.context for each in again.collections["design", "theme"].modes]
    for each in again.tokens.values():
        by_context = dict(zip(contexts, each.values, strict=True))
        family = before.collections["design", "theme"]
        assert [by_context[mode.context] for mode in family.modes] == list(before.tokens[each.key].values)


def test_other_files_and_lines_that_are_no_facts_do_not_count(folder):
    text = written(folder, of_every_kind())
    (folder / "tokensync.lock").write_text(f'{text}["other","","","key","x"]\n[1]\nno fact\n', encoding="utf-8")
    lock = Lock(str(folder))
    assert len(lock.graphs("design")) == 1
    assert lock.keys("design") == {"k"}
    assert lock.keys("other") == {"x"}
    assert lock.graphs("none") == ()


@pytest.mark.parametrize("damage", [lambda lines: lines[:-5], lambda lines: lines.replace("[", "{", 1)])
def test_a_damaged_lock_says_in_which_line(folder, damage):
    lines = written(folder, of_every_kind())
    assert Lock(str(folder)).problems == ()
    path = folder / "tokensync.lock"
    path.write_text(damage(lines), encoding="utf-8")
    (found,) = Lock(str(folder)).problems
    number = int(found.where.removeprefix("tokensync.lock:"))
    assert path.read_text("utf-8").split("\n")[number - 1] + "\n" not in lines


def test_a_conflict_of_git_is_reported_and_is_no_damage(folder):
    lines = written(folder, of_every_kind())
    (folder / "tokensync.lock").write_text(f"{lines}<<<<<<< ours\n=======\n{lines}>>>>>>> theirs\n", encoding="utf-8")
    (found,) = Lock(str(folder)).problems
    assert (found.code, found.where) == ("lock-conflicted", f"tokensync.lock:{lines.count(chr(10)) + 1}")


def test_a_damaged_line_beside_a_conflict_of_git_is_reported_too(folder):
    lines = written(folder, of_every_kind())
    (folder / "tokensync.lock").write_text(f"<<<<<<< ours\n=======\n{lines}>>>>>>> theirs\n{{\n", encoding="utf-8")
    assert [each.code for each in Lock(str(folder)).problems] == ["lock-conflicted", "lock-unreadable"]


def test_a_conflict_of_git_makes_two_states(folder):
    one = of_every_kind()
    other = TokenGraph(
        one.collections.values(),
        [replace(each, description="other") if each.key.path == "a" else each for each in one.tokens.values()],
    )
    mine, theirs = written(folder, one).splitlines(True), written(folder, other, code="branch").splitlines(True)
    shared = [line for line in mine if line in theirs]
    text = [
        *shared,
        "<<<<<<< HEAD\n",
        *(line for line in mine if line not in shared),
        "||||||| base\n",
        '["design","theme","zzz","type","color"]\n',
        "=======\n",
        *(line for line in theirs if line not in shared),
        ">>>>>>> branch\n",
    ]
    (folder / "tokensync.lock").write_text("".join(text), encoding="utf-8")
    lock = Lock(str(folder))
    assert lock.keys("design") == {"k", "branch"}
    first, second = lock.graphs("design")
    assert facts(first, "design", "k") == facts(one, "design", "k")
    assert facts(second, "design", "k") == facts(other, "design", "k")


class TestKeys:
    @pytest.fixture
    def moved(self, folder):
        """A project with an edit, whose configuration names a copy of the file by now, in which ids have shifted."""
        project_in(folder)
        on_the_platform(COLORS)
        tokensync("-q", "pull")
        edit(folder, "#112233", "#102233")
        edit(folder, "0.06666667", "0.0627451")
        copied = response({"before": ("#000000", "#000000"), **COLORS}).replace(b"0000000", b"f000000")
        path = folder / "copy.json"
        path.write_bytes(copied)
        tokensync("-q", "emulator", "seed", path, "--key", "key-copy", "-c", "tokensync.toml")
        path.unlink()
        config = folder / "tokensync.toml"
        config.write_text(config.read_text("utf-8").replace("key-one", "key-copy"), encoding="utf-8")
        return folder

    def test_ids_of_another_file_do_not_count_where_names_do(self, moved):
        tokensync("-q", "pull")
        text = (moved / LIGHT_PATH).read_text("utf-8")
        assert "#102233" in text
        assert text.count('"hex"') == 2  # slate as it was edited, and what is new there
        assert '["one","","","key","key-copy"]\n' in (moved / "tokensync.lock").read_text("utf-8")
        before = files_in(moved)
        assert "nothing to do" in tokensync("pull").stderr
        assert files_in(moved) == before


@pytest.mark.parametrize(
    "line",
    [
        b'["one","theme","","mode dim",["Dim","1:2",["theme"],null]]',
        b'["one","theme","","mode dim",["Dim","1:2","theme",[[]]]]',
        b'["one","theme","","extension x",["X","1:2","k",1,"theme"]]',
        b'["one","theme","","hidden","no"]',
        b'["one","theme","slate","type",5]',
        b'["one","theme","slate","scopes",{"a":1}]',
        b'["one","theme","slate","scopes",[[]]]',
        b'["one","theme","slate","code syntax",["WEB"]]',
        b'["one","theme","slate","deprecated",[]]',
        b'["one","theme","slate","in light",["x",0,0,1]]',
        b'["one","theme","slate","in light",[0,0,1]]',
        b'["one","theme","slate","in light",{"alias":["one","theme"]}]',
        b'["one","theme","slate","in light",{"color":[0,0,0,1],"opacity":[[]]}]',
        b'["one","theme","slate","in light",{"composite":"{}","references":{"a":["b"]}}]',
        b'["one","theme","slate","in light",1' + b"0" * 400 + b"]",
    ],
)
def test_a_line_whose_value_has_no_form_of_a_fact_is_reported_and_ignored(tmp_path, line):
    good = b'["one","theme","","name","Theme"]\n'
    (tmp_path / "tokensync.lock").write_bytes(good + line + b"\n")
    lock = Lock(str(tmp_path))
    (graph,) = lock.graphs("one")
    assert not graph.tokens
    assert [each.where for each in lock.problems] == ["tokensync.lock:2"]
    assert read_lock(str(tmp_path))["one"].every_side == {good.decode().strip()}


@pytest.mark.parametrize(
    ("current", "before", "after", "expected"),
    [
        ("a1 b1 c1", "a1 b1", "a2 b1 d4", "a2 b1 c1 d4"),
        ("a3 b1", "a1 b1", "a2", "a3"),
        ("b1", "a1 b1", "a2 b1", "b1"),
        ("a2 b1", "a1 b1", "a2 b1", "a2 b1"),
        ("", "", "a1", "a1"),
    ],
)
def test_the_changes_between_two_locks_are_taken_unless_the_fact_was_changed_itself(current, before, after, expected):
    def lock(text):
        facts = [(each[0], each[1]) for each in text.split()]
        return "".join(f'["one","theme","{name}","in light",{value}]\n' for name, value in facts).encode()

    assert with_changes(lock(current), lock(before), lock(after)) == lock(expected)


@pytest.mark.parametrize(
    ("current", "before", "after", "expected"),
    [
        ("c1", "", "b1", "c1"),
        ("c1", "a1", "b1", "c1"),
        ("a1", "a1", "b1", "b1"),
        ("a1", "", "a1 b2", "a1 b2"),
    ],
)
def test_a_name_between_two_renamings_does_not_come_back(current, before, after, expected):
    def tokens(text):
        lines = [f'["one","theme","{name}",{rest}]\n' for name, number in text.split() for rest in token(number)]
        return "".join(sorted(lines)).encode()

    def token(number):
        return (f'"id","V:{number}"', f'"in light",{number}')

    def modes(text):
        lines = [f'["one","theme","","mode {name}",["M","{number}","theme",null]]\n' for name, number in text.split()]
        lines += [f'["one","theme","slate","in {name}",{number}]\n' for name, number in text.split()]
        return "".join(sorted(lines)).encode()

    for lock in (tokens, modes):
        assert with_changes(lock(current), lock(before), lock(after)) == lock(expected)


@given(st.data())
def test_lines_that_are_not_decoded_are_facts(data):
    lines = sorted(facts(of_every_kind(), "one", "k"))
    line = data.draw(st.sampled_from(lines)).encode()
    at = data.draw(st.integers(0, len(line)))
    with_more = line[:at] + data.draw(
        st.sampled_from([b"", b'"', b",", b"\\", b"\x01", b"0", b"1e999", b"\n", b"]", b"}"])
    )
    damaged = with_more + line[at + data.draw(st.integers(0, 2)) :]
    decoded = locks._USUAL.sub(b"", damaged + b"\n").split(b"\n")
    for part in damaged.split(b"\n"):
        assert part in decoded or locks._fact(part) is not None


def test_most_lines_are_not_decoded(tmp_path):
    theme = collection("Theme", "Light", "Dark")
    tokens = (token(theme, name, RED, alias("Theme", "a"), id=name, description="é") for name in "abcdefghij")
    write_lock(str(tmp_path), [facts(graph(theme, *tokens), "one", "k")])
    content = (tmp_path / "tokensync.lock").read_bytes()
    assert len(locks._USUAL.sub(b"", content)) < len(content) / 5
    assert Lock(str(tmp_path)).problems == ()
    (tmp_path / "tokensync.lock").write_bytes(b'["one","t","\xff","type","color"]\n')
    assert [each.code for each in Lock(str(tmp_path)).problems] == ["lock-unreadable"]
