"""Numbers in a project: their types by rules, aliases and names, and how opacities are written."""

import json
import tomllib
from pathlib import Path

import pytest
from commands.projects import files_in, output, project_in, tokensync
from design_file import alias, collection, color, key_of, response, variable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokensync.extract.wire import snapshot
from tokensync.normalize.graph import normalize
from tokensync.normalize.mapping import TypeRule, TypeRules
from tokensync.normalize.numbers import unclear_numbers

ANY = ["ALL_SCOPES"]


def number(index, name, owner, *values, scopes=ANY, **more):
    return variable(f"VariableID:1:{index}", name, owner, "FLOAT", values, scopes=scopes, **more)


def text(index, name, owner, *values):
    return variable(f"VariableID:1:{index}", name, owner, "STRING", values)


def base(name="Base"):
    return collection("VariableCollectionId:1:1", name)


def seed(owner, *variables, more=(), key="key-one"):
    Path("local.json").write_bytes(response([owner, *more], list(variables)))
    tokensync("-q", "emulator", "seed", "local.json", "--key", key)
    Path("local.json").unlink()


def depths(owner):
    return [
        number(1, "depth/a", owner, 4, 8),
        number(2, "depth/b", owner, 16, 16),
        number(3, "card", owner, alias("VariableID:1:1"), alias("VariableID:1:2")),
        number(4, "columns", owner, 4, 12),
        variable("VariableID:1:5", "depth/ink", owner, "COLOR", [color(), color()]),
    ]


def css(folder):
    """Return the first declaration of each property."""
    found = {}
    for line in (folder / "css" / "tokens.css").read_text("utf-8").splitlines():
        name, colon, value = line.strip().partition(": ")
        if colon and name.startswith("--"):
            found.setdefault(name, value.removesuffix(";"))
    return found


MOTION = '[[types]]\ntype = "duration"\npath = "motion/*"'


class TestDurations:
    @pytest.fixture
    def timed(self, folder):
        """A project with numbers that a rule makes durations, after a pull."""
        outputs = [output(each, each) for each in ("css", "android", "ios", "compose", "json", "typescript", "scss")]
        project_in(folder, outputs="\n".join(outputs))
        owner = base()
        seed(
            owner,
            number(1, "motion/fast", owner, 120, 0),
            number(2, "motion/slow", owner, alias("VariableID:1:1"), 400),
            number(3, "delay", owner, alias("VariableID:1:2"), 50),
            number(4, "columns", owner, 4, 12),
            number(5, "motion/columns", owner, alias("VariableID:1:4"), 3),
        )
        add(MOTION)
        tokensync("-q", "pull")
        tokensync("-q", "build")
        return folder

    def test_outputs_have_the_unit_also_of_numbers_that_refer_to_durations(self, timed):
        found = css(timed)
        assert found["--motion-fast"] == "120ms"
        assert (found["--motion-slow"], found["--delay"]) == ("var(--motion-fast)", "var(--motion-slow)")
        assert (found["--columns"], found["--motion-columns"]) == ("4", "var(--columns)")
        text = (timed / "css" / "tokens.css").read_text("utf-8")
        for line in ("--motion-fast: 0ms;", "--motion-slow: 400ms;", "--delay: 50ms;"):
            assert line in text
        by_platform = {
            "android": '<integer name="motion_fast">120</integer>',
            "ios": "TimeInterval = 0.12",
            "compose": "120.milliseconds",
            "json": '"unit": "ms"',
            "typescript": "120ms",
            "scss": "$motion-fast: 120ms",
        }
        for platform, expected in by_platform.items():
            texts = (each.read_text("utf-8") for each in (timed / platform).rglob("*") if each.is_file())
            assert any(expected in each for each in texts), platform

    def test_token_files_and_the_platform_keep_numbers(self, timed):
        document = json.loads(Path("tokens/one/base/light.tokens.json").read_text("utf-8"))
        assert (document["base"]["motion"]["fast"]["$type"], document["base"]["motion"]["fast"]["$value"]) == (
            "number",
            120,
        )
        assert "nothing to do" in tokensync("plan", "--exit-code").output
        assert "120ms" in tokensync("tokens", "why", "motion.fast").output

    def test_a_rule_takes_effect_at_the_next_build_in_its_unit(self, timed):
        text = Path("tokensync.toml").read_text("utf-8")
        Path("tokensync.toml").write_text(text.replace(MOTION, f'{MOTION}\nunit = "s"'), encoding="utf-8")
        tokensync("build", "--check", code=3)
        tokensync("-q", "build")
        assert css(timed)["--motion-fast"] == "120s"
        Path("tokensync.toml").write_text(text.replace(MOTION, ""), encoding="utf-8")
        tokensync("-q", "build")
        assert css(timed)["--motion-fast"] == "120"

    def test_a_number_that_refers_to_another_one_is_reported(self, timed):
        stderr = tokensync("pull", "-v").stderr
        assert (
            "1 of the 3 matching variables refers to variables that are not durations, and cannot be durations "
            "(motion/columns); add a rule for these variables [type-rule-unfit]"
        ) in stderr
        add('[[types]]\ntype = "duration"\npath = "columns"')
        assert "[type-rule-unfit]" not in tokensync("pull", "-v").stderr

    def test_code_syntax_names_the_resource_of_the_duration(self, timed):
        add('[code_syntax.android]\nwrite = "R.{resource}.{name}"')
        assert "R.integer.motion_fast" in tokensync("plan", "--code-syntax", "android", "-v").output

    @pytest.mark.parametrize(
        ("rule", "message"),
        [
            ('type = "duration"\nunit = "percent"', 'percent is not a unit of a duration; write "ms" or "s"'),
            ('type = "number"\nunit = "ms"', "ms is not a unit of a number; write"),
            ('type = "dimension"\nunit = "ms"', 'ms is not a unit of a dimension; write "rem"'),
        ],
    )
    def test_a_unit_that_the_type_cannot_have_is_an_error(self, timed, rule, message):
        add(f"[[types]]\n{rule}")
        assert message in tokensync("build", code=2).stderr


def add(text):
    with Path("tokensync.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")


@pytest.fixture
def project(folder):
    """A project with numbers whose unit is unknown, after a pull and a build."""
    project_in(folder, outputs=output("css", "css"))
    owner = base()
    seed(owner, *depths(owner))
    tokensync("-q", "pull")
    tokensync("-q", "build")
    return folder


RULE = '[[types]]\ntype = "dimension"\nresolved_type = "FLOAT"\ncollection = "Base"\npath = "depth/*"'


class TestTypesOfTexts:
    CURVE = '[[types]]\ntype = "cubicBezier"\npath = "*easing*"'
    TEXTS = '[[types]]\ntype = "duration"\npath = "motion/*"'

    @pytest.fixture
    def moving(self, folder):
        """A project with curves and durations that the design file holds as texts, after a pull."""
        outputs = [output(each, each) for each in ("css", "android", "ios", "compose", "json", "typescript", "scss")]
        project_in(folder, outputs="\n".join(outputs))
        owner = base()
        seed(
            owner,
            text(1, "easing/standard", owner, "cubic-bezier(0.2, 0.0, 0, 1.0)", "cubic-bezier(0.3,0,1,1)"),
            text(2, "easing/in", owner, alias("VariableID:1:1"), alias("VariableID:1:1")),
            text(3, "easing/odd", owner, "ease-out </style>", "cubic-bezier(2, 0, 0, 1)"),
            text(4, "motion/short", owner, "70ms", ".2s"),
            text(5, "motion/odd", owner, "soon", "70ms"),
            text(8, "half", owner, alias("VariableID:1:4"), "soon"),
            text(6, "motion/enter/duration", owner, "70ms", "90ms"),
            text(7, "motion/enter/easing", owner, alias("VariableID:1:1"), alias("VariableID:1:1")),
        )
        add(self.CURVE)
        add(self.TEXTS)
        tokensync("-q", "pull")
        tokensync("-q", "build")
        return folder

    def test_outputs_have_curves_and_durations_also_of_texts_that_refer_to_them(self, moving):
        found = css(moving)
        assert found["--easing-standard"] == "cubic-bezier(0.2, 0, 0, 1)"
        assert (found["--easing-in"], found["--motion-short"]) == ("var(--easing-standard)", "70ms")
        content = (moving / "css" / "tokens.css").read_text("utf-8")
        assert "--easing-standard: cubic-bezier(0.3, 0, 1, 1);" in content
        assert "--motion-short: 0.2s;" in content
        assert "CubicBezierEasing(0.2f, 0f, 0f, 1f)" in (moving / "compose" / "BaseTokens.kt").read_text("utf-8")
        assert "70.milliseconds" in (moving / "compose" / "BaseTokens.kt").read_text("utf-8")

    def test_a_composite_is_assembled_of_them(self, moving):
        add('[[composites]]\ntype = "transition"\nmatch = "motion/*/{duration,easing}"')
        tokensync("-q", "build")
        assert css(moving)["--motion-enter"] == "70ms var(--easing-standard) 0ms"

    def test_a_text_that_is_css_has_no_quotes_for_the_web(self, moving):
        text = Path("tokensync.toml").read_text("utf-8")
        rule = '[[types]]\ntype = "css"\npath = "easing/*"'
        Path("tokensync.toml").write_text(text.replace(self.CURVE, rule), encoding="utf-8")
        tokensync("-q", "build")
        found = css(moving)
        assert found["--easing-standard"] == "cubic-bezier(0.2, 0.0, 0, 1.0)"
        assert found["--easing-in"] == "var(--easing-standard)"
        assert found["--easing-odd"].startswith('"ease-out')
        assert (
            '1 of the 3 matching variables has texts that are not values of CSS and stay strings (easing/odd "ease-out '
            '</style>"); write "uppercase", or narrow the path of the rule [type-rule-unfit]'
        ) in tokensync("-v", "pull").stderr

    def test_token_files_and_the_platform_keep_texts(self, moving):
        document = json.loads(Path("tokens/one/base/light.tokens.json").read_text("utf-8"))
        assert document["base"]["easing"]["standard"]["$value"] == "cubic-bezier(0.2, 0.0, 0, 1.0)"
        assert "nothing to do" in tokensync("plan", "--exit-code").output

    def test_other_texts_stay_strings_and_are_reported(self, moving):
        assert css(moving)["--easing-odd"].startswith('"ease-out')
        assert css(moving)["--motion-odd"] == '"soon"'
        assert "Base / half / light: it refers to a value of another type" in tokensync("-v", "build").stderr
        reported = tokensync("-v", "pull").stderr
        has = "of the {} matching variables has texts that are not {} and stay strings ({}); write {}"
        for expected in (
            has.format(
                4, "curves", 'easing/odd "ease-out </style>"', '"cubic-bezier(0.2, 0, 0, 1)", or narrow the path'
            ),
            has.format(
                4, "durations", 'motion/odd "soon"', '"200ms", or narrow the path of the rule [type-rule-unfit]'
            ),
        ):
            assert expected in reported


def test_a_length_whose_rule_says_rem_is_one_in_code(folder):
    outputs = [output(each, each) for each in ("css", "compose")]
    project_in(folder, outputs="\n".join(outputs))
    owner = base()
    seed(
        owner,
        number(1, "type/body", owner, 1, 1.25),
        number(2, "caption", owner, alias("VariableID:1:1"), 12),
        number(3, "type/ratio", owner, 1.5, 2),
    )
    add('[[types]]\ntype = "dimension"\nunit = "rem"\npath = "type/body"')
    assert "[type-rule" not in tokensync("-v", "pull").stderr
    tokensync("-q", "build")
    assert css(folder)["--type-body"] == "1rem"
    assert css(folder)["--caption"] == "var(--type-body)"
    assert "1.25rem" in (folder / "css" / "tokens.css").read_text("utf-8")
    assert "20.dp" in (folder / "compose" / "BaseTokens.kt").read_text("utf-8")
    assert "nothing to do" in tokensync("plan", "--exit-code").output


class TestRules:
    def test_a_rule_takes_effect_at_the_next_build(self, project):
        assert css(project)["--depth-a"] == "4"
        before = files_in(Path("tokens"))
        add(RULE)
        tokensync("-q", "build", "--check", code=3)
        tokensync("-q", "build")
        assert {name: css(project)[name] for name in ("--depth-a", "--depth-b", "--card", "--columns")} == {
            "--depth-a": "4px",
            "--depth-b": "16px",
            "--card": "var(--depth-a)",
            "--columns": "4",
        }
        assert files_in(Path("tokens")) == before

    def test_a_plan_sends_nothing_because_of_a_rule_and_the_next_pull_writes_the_types(self, project):
        add(RULE)
        assert "nothing to do" in tokensync("plan", "--exit-code").output
        tokensync("-q", "pull")
        tokens = json.loads(Path("tokens/one/base/light.tokens.json").read_text("utf-8"))["base"]
        assert tokens["depth"]["a"] == {
            **tokens["depth"]["a"],
            "$type": "dimension",
            "$value": {"value": 4, "unit": "px"},
        }
        assert tokens["card"]["$type"] == "dimension"
        assert tokens["columns"]["$type"] == "number"
        assert "nothing to do" in tokensync("plan", "--exit-code").output
        tokensync("-q", "build")
        assert css(project)["--depth-a"] == "4px"

    def test_a_rule_for_weights_and_texts_takes_effect_at_the_next_build(self, folder):
        project_in(folder, outputs=output("css", "css"))
        owner = base()
        texts = [("bold", "Bold", ANY), ("italic", "Bold", ["FONT_STYLE"]), ("odd", "Condensed", ANY)]
        seed(
            owner,
            *(
                variable(f"VariableID:1:{index}", name, owner, "STRING", [text, text], scopes=scopes)
                for index, (name, text, scopes) in enumerate(texts)
            ),
            number(9, "number", owner, 600, 700),
        )
        tokensync("-q", "pull")
        add('[[types]]\ntype = "string"\npath = "italic"')
        add('[[types]]\ntype = "fontWeight"\npath = "*"')
        tokensync("-q", "build")
        found = css(folder)
        assert {name: found[f"--{name}"] for name in ("bold", "italic", "odd", "number")} == {
            "bold": "700",
            "italic": '"Bold"',
            "odd": '"Condensed"',
            "number": "600",
        }
        rows = json.loads(tokensync("tokens", "list", "--json").output)
        assert {each["path"]: each["type"] for each in rows}["number"] == "fontWeight"

    def test_a_rule_that_goes_takes_its_effect_along(self, project):
        configured = Path("tokensync.toml").read_text("utf-8")
        add(RULE)
        tokensync("-q", "pull")
        Path("tokensync.toml").write_text(configured, encoding="utf-8")
        tokensync("-q", "pull")
        tokensync("-q", "build")
        assert css(project)["--depth-a"] == "4"

    def test_a_type_that_a_person_wrote_stays_without_a_rule_and_yields_to_one(self, project):
        for mode in ("light", "dark"):
            path = Path(f"tokens/one/base/{mode}.tokens.json")
            document = json.loads(path.read_text("utf-8"))
            token = document["base"]["depth"]["a"]
            token |= {"$type": "dimension", "$value": {"value": token["$value"], "unit": "px"}}
            path.write_text(json.dumps(document), encoding="utf-8")
        tokensync("-q", "pull")
        tokensync("-q", "build")
        assert css(project)["--depth-a"] == "4px"
        assert css(project)["--depth-b"] == "16"
        add(RULE.replace("dimension", "number"))
        tokensync("-q", "build")
        assert css(project)["--depth-a"] == "4"

    def test_a_length_in_rem_stays_one_whatever_the_rule(self, project):
        path = Path("tokens/one/base/light.tokens.json")
        document = json.loads(path.read_text("utf-8"))
        document["base"]["depth"]["a"] |= {"$type": "dimension", "$value": {"value": 1, "unit": "rem"}}
        path.write_text(json.dumps(document), encoding="utf-8")
        dark = Path("tokens/one/base/dark.tokens.json")
        document = json.loads(dark.read_text("utf-8"))
        document["base"]["depth"]["a"] = {"$type": "dimension", "$value": {"value": 2, "unit": "rem"}}
        dark.write_text(json.dumps(document), encoding="utf-8")
        add(RULE.replace("dimension", "number"))
        tokensync("-q", "build")
        assert css(project)["--depth-a"] == "1rem"


class TestDiff:
    @pytest.mark.parametrize(("scope", "value"), [("FONT_WEIGHT", 700), ("GAP", {"value": 70, "unit": "px"})])
    @pytest.mark.parametrize("name", ["heading", "columns", "weight", "size"])
    def test_an_alias_that_became_a_literal_is_no_difference_after_its_plan_was_applied(
        self, folder, scope, value, name
    ):
        project_in(folder)
        owner = base()
        target = alias("VariableID:1:1")
        seed(owner, number(1, "strong", owner, 50, 60, scopes=[scope]), number(2, name, owner, target, target))
        tokensync("-q", "pull")
        for mode in ("light", "dark"):
            path = Path(f"tokens/one/base/{mode}.tokens.json")
            document = json.loads(path.read_text("utf-8"))
            document["base"][name]["$value"] = value
            path.write_text(json.dumps(document), encoding="utf-8")
        tokensync("diff", "tokens", "remote", code=3)
        tokensync("-q", "plan")
        tokensync("-q", "apply")
        tokensync("plan", "--exit-code")
        for other in ("remote", "lock"):
            assert tokensync("diff", "tokens", other).output == tokensync("diff", other, "tokens").output == ""

    def test_of_token_files_a_type_is_a_difference(self, project):
        Path("before").mkdir()
        Path("tokens").rename("before/tokens")
        add(RULE)
        tokensync("-q", "pull")
        lines = tokensync("diff", "before/tokens", "tokens", code=3).output.splitlines()
        assert lines[:2] == ["~ base / depth/a", '    type: "number" -> "dimension"']


class TestNote:
    def test_one_note_per_collection_has_the_rule_to_paste(self, folder):
        project_in(folder, outputs=output("css", "css"))
        owner = base()
        seed(owner, *depths(owner))
        lines = tokensync("-v", "pull").stderr.splitlines()
        (at,) = (index for index, each in enumerate(lines) if each.endswith("[number-unit-unknown]"))
        assert lines[at].startswith("note: Base: the unit of 2 variables is unknown, so they stay numbers (depth/a,")
        snippet = "\n".join(lines[at + 1 : at + 6])
        assert snippet == RULE
        add(snippet)
        done = tokensync("-v", "pull")
        assert "[number-unit-unknown]" not in done.stderr
        assert "[type-rule" not in done.stderr
        tokensync("-q", "build")
        assert css(folder)["--card"] == "var(--depth-a)"

    def test_a_note_about_a_saved_response_says_that_its_rule_needs_a_pull(self, folder):
        owner = base()
        mixed = (number(7, "opacity/low", owner, 0.5, 0.5), number(8, "opacity/high", owner, 50, 50))
        Path("saved.json").write_bytes(response([owner], [*depths(owner), *mixed]))
        done = tokensync("-v", "build", "--snapshot", "saved.json", "-o", "out")
        lines = [each for each in done.stderr.splitlines() if each.endswith(("unit-unknown]", "[opacity-mixed]"))]
        assert len(lines) == 2
        assert all(" (rules apply to pulled token files, not with --snapshot) [" in each for each in lines)

    def test_a_rule_of_type_number_confirms_that_they_are_none(self, project):
        add(RULE.replace("dimension", "number"))
        done = tokensync("-v", "pull")
        assert "[number-unit-unknown]" not in done.stderr
        assert "[type-rule" not in done.stderr

    def test_numbers_whose_type_is_known_are_not_listed(self, folder):
        project_in(folder)
        owner = base()
        seed(owner, number(1, "size/s", owner, 4, 8), number(2, "opacity/a", owner, 40, 50))
        assert "[number-unit-unknown]" not in tokensync("-v", "pull").stderr

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["depth", "[a]", "a*b?", 'quo"te', "back\\slash", "scale-1", "é", "\x7f", "a-b"]),
                st.sampled_from(["x", "y-1", "y-2", "[*]", "'", "gap", "ratio", ""]),
                st.sampled_from([ANY, ["GAP"], ["OPACITY"]]),
            ),
            min_size=1,
            unique_by=lambda each: each[:2],
        ),
        st.sampled_from(["Base", "[Base] *", 'B"ase']),
    )
    def test_the_rules_are_valid_and_leave_no_note_and_change_nothing_else(self, parts, name):
        owner = base(name)
        variables = [
            number(index, "/".join(filter(None, (group, leaf))), owner, 4, 8, scopes=scopes)
            for index, (group, leaf, scopes) in enumerate(parts)
        ]
        raw = response([owner], variables)
        graph, _ = normalize(snapshot("kit", raw, None))
        notes = [*unclear_numbers(graph, TypeRules())]
        rules = [TypeRule(**rule) for each in notes for rule in tomllib.loads(each.snippet)["types"]]
        if len(rules) >= 12:
            return  # only the first rules are shown
        after, _ = normalize(snapshot("kit", raw, None), TypeRules(rules))
        assert [*unclear_numbers(after, TypeRules(rules))] == []
        known = {
            graph.table.keys[index]
            for index, number in TypeRules().numbers(graph.table).items()
            if number.source != "nothing"
        }
        assert all(after.tokens[key].type == graph.tokens[key].type for key in known)
        assert all(after.tokens[key].type == "dimension" for key in graph.tokens.keys() - known)


class TestOlderProjects:
    AS_BEFORE = '[[types]]\ntype = "number"\nresolved_type = "FLOAT"\nscopes = ["ALL_SCOPES"]\n'
    """With this rule a pull writes token files as versions did that read no names."""

    def test_the_next_pull_changes_the_lines_of_tokens_with_another_type_only(self, folder):
        project_in(folder, more=self.AS_BEFORE)
        owner = base()
        seed(owner, number(1, "size/s", owner, 4, 8), number(2, "count", owner, 4, 8))
        tokensync("-q", "pull")
        Path("tokensync.toml").write_text(
            Path("tokensync.toml").read_text("utf-8").replace(self.AS_BEFORE, ""), encoding="utf-8"
        )
        before = json.loads(Path("tokens/one/base/dark.tokens.json").read_text("utf-8"))
        assert "nothing to do" in tokensync("plan", "--exit-code").output
        tokensync("-q", "pull")
        before["base"]["size"]["s"] = {"$type": "dimension", "$value": {"value": 8, "unit": "px"}}
        assert json.loads(Path("tokens/one/base/dark.tokens.json").read_text("utf-8")) == before
        assert before["base"]["count"] == {"$type": "number", "$value": 8}


class TestFiles:
    def test_an_alias_of_a_length_in_another_file_is_a_length(self, folder):
        """The response of the first file does not have the variable that its remote variable refers to."""
        project_in(folder, files=("one", "two"), outputs=output("css", "css"))
        library = collection("VariableCollectionId:2:1", "Library", ["Only"])
        inner = variable("VariableID:2:2", "inner", library, "FLOAT", [4], scopes=["GAP"])
        outer = variable("VariableID:2:1", "outer", library, "FLOAT", [alias("VariableID:2:2")])
        seed(library, outer, inner, key="key-two")
        remote = collection(f"VariableCollectionId:{key_of('lib')}/2:1", "Library", ["Only"], remote=True)
        copy_id = f"VariableID:{outer['key']}/2:1"
        copy = {
            **variable(copy_id, "outer", remote, "FLOAT", [alias(f"VariableID:{inner['key']}/2:2")]),
            "key": outer["key"],
        }
        owner = base()
        seed(owner, number(1, "a", owner, alias(copy_id), alias(copy_id)), copy, more=[remote])
        tokensync("-q", "pull")
        before = files_in(Path("tokens"))
        types = {each["path"]: each["type"] for each in json.loads(tokensync("tokens", "list", "--json").output)}
        assert types == dict.fromkeys(("a", "outer", "inner"), "dimension")
        tokensync("-q", "build")
        assert css(folder)["--a"] == "var(--outer)"
        assert css(folder)["--outer"] == "var(--inner)"
        tokensync("-q", "pull", "--file", "one")
        assert files_in(Path("tokens")) == before


class TestOpacities:
    @pytest.fixture
    def opacities(self, folder):
        project_in(folder, outputs=output("css", "css"))
        owner = base()
        seed(
            owner,
            number(1, "opacity/a", owner, 40, 60),
            number(2, "faded", owner, alias("VariableID:1:1"), alias("VariableID:1:1")),
            number(3, "soft", owner, 0.4, 0.5, scopes=["OPACITY"]),
        )
        tokensync("-q", "pull")
        tokensync("-q", "build")
        return folder

    def test_percentages_are_divided_by_100_and_fractions_stay(self, opacities):
        found = css(opacities)
        assert (found["--opacity-a"], found["--faded"], found["--soft"]) == ("0.4", "var(--opacity-a)", "0.4")

    def test_opacity_in_the_middle_of_a_name_changes_no_number_until_the_rule_of_the_note_is_pasted(self, folder):
        project_in(folder, outputs="\n".join(output(each, each) for each in ("css", "json", "typescript", "compose")))
        owner = base()
        seed(owner, number(1, "opacity-checkerboard/square-size", owner, 4, 4), number(2, "opacity/50", owner, 50, 50))
        lines = tokensync("-v", "pull").stderr.splitlines()
        (at,) = (index for index, each in enumerate(lines) if each.endswith("[number-unit-unknown]"))
        tokensync("-q", "build")
        assert css(folder) == {"--opacity-checkerboard-square-size": "4", "--opacity-50": "0.5"}
        for platform in ("json", "typescript", "compose"):
            texts = (each.read_text("utf-8") for each in (folder / platform).rglob("*") if each.is_file())
            assert not any("0.04" in each for each in texts), platform
        add("\n".join(lines[at + 1 : at + 6]))
        assert "[number-unit-unknown]" not in tokensync("-v", "pull").stderr
        tokensync("-q", "build")
        assert css(folder)["--opacity-checkerboard-square-size"] == "4px"

    def test_why_shows_what_is_written(self, opacities):
        assert "0.4 in code, from 40 %" in tokensync("tokens", "why", "faded").output
        assert "in code" not in tokensync("tokens", "why", "soft").output
        (default, *_) = json.loads(tokensync("tokens", "why", "opacity.a", "--json").output)
        assert (default["value"], default["in_code"]) == (40, 0.4)

    def test_write_back_gives_back_what_came_in(self, opacities):
        assert "nothing to do" in tokensync("plan", "--exit-code").output
        path = Path("tokens/one/base/light.tokens.json")
        path.write_text(path.read_text("utf-8").replace("40", "30"), encoding="utf-8")
        assert "light  40 -> 30" in tokensync("plan").output

    def test_a_rule_chooses(self, opacities):
        add('[[types]]\ntype = "number"\npath = "opacity/*"\nunit = "fraction"')
        add('[[types]]\ntype = "number"\npath = "soft"\nunit = "percent"')
        tokensync("-q", "build")
        found = css(opacities)
        assert (found["--opacity-a"], found["--soft"]) == ("40", "0.004")

    def test_a_mixture_is_a_warning_until_a_rule_chooses(self, opacities):
        (line,) = (each for each in tokensync("-v", "pull").stderr.splitlines() if "[opacity-mixed]" in each)
        assert "fractions (soft 0.5), and others are percentages (opacity/a 60)" in line
        add('[[types]]\ntype = "number"\npath = "soft"\nunit = "fraction"')
        assert "[opacity-mixed]" not in tokensync("-v", "pull").stderr

    def test_values_on_both_sides_of_1_are_a_warning(self, folder):
        project_in(folder)
        owner = base()
        seed(owner, number(1, "opacity/a", owner, 0.4, 40))
        (line,) = (each for each in tokensync("-v", "pull").stderr.splitlines() if "[opacity-mixed]" in each)
        assert "1 opacity has values below and above 1, so it is read as percentages (opacity/a 0.4, 40)" in line
