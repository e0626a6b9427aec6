"""Reviews show a plan's operations by name, and names cannot break them."""

import re
import tomllib

import pytest
from ci_runners import commands
from forge_rules import read_in_text, read_on_page
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace
from report.planned import (
    BASE,
    BRAND,
    DARK,
    EVERYTHING,
    GAP,
    LABELS,
    LIGHT,
    MUTED,
    SOFT,
    SOFT_VARIABLE,
    THEME,
    alias,
    color,
    of,
)
from system.outlet.hostile_texts import FOREIGN

from tokensync.plan.operations import CreateVariable, DeleteVariable, SetValue, UpdateVariable
from tokensync.plan.plan import Finding, Plan, PlannedBatch
from tokensync.plan.review import allow_entry, markdown, size, text_lines
from tokensync.plan.state import ObjectValue
from tokensync.system.outlet import shown
from tokensync.system.outlet.markdown import code, plain

HOSTILE = [
    *("a|b", "`", "``` x", "a`b|c", "<script>alert(1)</script>", "<!--", "</details>", "| --- |", "a\nb", "\r\n# x"),
    *("@everyone", "#1", "https://example.invalid", "www.example.invalid", "[x](javascript:alert(1))", "![x](y)"),
    *("**bold**", "_x_", "~~x~~", "\\|", "a\\", "&lt;", ":smile:", "$x$", "- x", "1. x", "> x", "= x", "   ", " x "),
    *("\x1b[31m", "\u202eabc", "\x00", "日本 🎨", "x" * 5000),
    *("##[error]x", "a ##[add-mask]b", "##vso[task.prependpath]x", "##TeamCity[x]", "::error::x", "###[x](y)"),
]
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=30) | st.sampled_from(HOSTILE)


def text_of(plan: Plan, **options: bool) -> str:
    return "\n".join(each.text for each in text_lines(plan, **options))


def rendered(text: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").render(text)


def seen(page: str) -> str:
    """Return the visible text of a page."""
    bare = re.sub(r"<[^>]*>", "", page)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        bare = bare.replace(entity, character)
    return bare.strip("\n")


class TestText:
    def test_every_operation_is_shown_by_name(self):
        text = text_of(EVERYTHING)
        for expected in (
            'new collection "Size" with mode "Value"',
            'new collection "B", which extends theme in mode "Light", hidden from publishing',
            'name       "Brand" -> "Islander"',
            'collection "Old" is deleted',
            'new mode "Dim"',
            'name  "Dark" -> "Night"',
            'mode "Sepia" is deleted',
            "+ accent/soft  color",
            "{theme.accent.base} at 40 %",
            'description      "Quiet words"',
            "ALL_SCOPES -> TEXT_FILL",
            'code syntax WEB  "var(--old)" -> "var(--text-muted)"',
            "- accent/old  deleted",
            "#0b6e7a -> {theme.text.muted}",
            "#00000080",
            "16 -> 16.5",
            "#ffffff -> inherited from the extended mode",
        ):
            assert expected in text
        assert not re.search(r"VariableID:|\b1:\d\b", text)

    def test_a_new_and_a_changed_hidden_variable_read_the_same(self):
        hidden = CreateVariable(variable=replace(SOFT_VARIABLE, hidden=True))
        assert re.search(r"^ +published +no$", text_of(of(hidden)), re.MULTILINE)
        changed = UpdateVariable(ref=GAP, hidden=(False, True))
        assert re.search(r"^ +published +yes -> no$", text_of(of(changed)), re.MULTILINE)

    def test_counts_findings_withheld_deletions_and_requests_are_shown(self):
        text = text_of(EVERYTHING)
        assert "variables: 1 new, 3 changed, 1 deleted; styles: 1 new, 1 changed, 1 deleted; 4 values set" in text
        assert "Unsafe: apply refuses" in text
        assert "delete referred: theme/accent/old: 2 variables refer to it" in text
        assert "Allowed by the configuration\n  delete mode: theme/Sepia" in text
        assert "applied only with --prune (1)\n  theme / accent/unused" in text
        assert "2 requests, 1.2 MB in total" in text
        assert "2. 1 operation, 820 bytes: an extension follows the modes of its parent" in text

    def test_an_empty_plan_has_no_requests(self):
        assert text_of(of()) == "harbor (file k)\n  nothing to do"

    def test_a_plan_of_one_request_is_marked_as_atomic(self):
        plan = replace(
            of(DeleteVariable(ref=GAP, name="gap", collection=THEME, digest="")), batches=(PlannedBatch(9, 1),)
        )
        assert text_of(plan).endswith("1 request, 9 bytes. Figma applies it completely or not at all.")

    def test_a_rollback_plan_shows_what_it_reverses(self):
        assert "rolls back the apply that the receipt 2026-01/a records" in text_of(
            replace(of(), rollback_of="2026-01/a")
        )

    def test_long_lists_are_cut_and_counted_and_deletions_come_first(self):
        gone = DeleteVariable(ref="gone", name="gone", collection=THEME, digest="")
        values = [SetValue(variable=f"v{at}", mode=LIGHT, before=1, after=2) for at in range(100)]
        labels = {f"v{at}": f"theme / v{at}" for at in range(100)} | {"gone": "theme / gone"}
        plan = of(*values, gone, **labels)
        plan = replace(plan, held_back=tuple(map(str, range(70))))
        cut, whole = text_of(plan), text_of(plan, everything=True)
        assert "theme  (100 changed, 1 deleted)\n  - gone" in cut
        assert "... and 61 changed (-v shows all)" in cut
        assert "... and 30 more (-v shows all)" in cut
        assert cut.count("~ v") == 39
        assert whole.count("~ v") == 100
        assert "... and" not in whole

    def test_values_are_aligned_as_they_are_shown(self):
        values = (SetValue(variable=GAP, mode=mode, before=1, after=2) for mode in ("m1", "##[error]m2"))
        lines = [shown(line) for line in text_of(of(*values)).splitlines() if " -> " in line]
        assert [line.index("1 -> 2") for line in lines] == [6 + len("#\\x23[error]m2") + 2] * 2

    def test_a_variable_of_very_many_modes_is_cut_and_counted(self):
        plan = of(*(SetValue(variable=GAP, mode=f"m{at}", before=1, after=2) for at in range(60)))
        assert "... and 36 more (-v shows all)" in text_of(plan)


class TestValues:
    @pytest.mark.parametrize(
        ("before", "after", "expected"),
        [
            (color("#112233"), color("#112233", 0.5), "#112233 -> #11223380"),
            (ObjectValue(0.1, 0.2, 0.3, 1), ObjectValue(0.1001, 0.2, 0.3, 1), "rgb(0.1 0.2 0.3 / 1) -> rgb(0.1001 "),
            (0.8999999761581421, 0.5, "0.9 -> 0.5"),
            (True, False, "true -> false"),
            ("Inter", "", '"Inter" -> ""'),
            (alias("nowhere"), alias(BASE), "{nowhere} (does not exist) -> {theme.accent.base}"),
            (
                ObjectValue(color=alias(BASE), opacity=40),
                ObjectValue(color=color("#000000"), opacity=alias(GAP)),
                "{theme.accent.base} at 40 % -> #000000 at {theme.gap}",
            ),
        ],
        ids=lambda value: value if isinstance(value, str) else None,
    )
    def test_different_values_read_differently(self, before, after, expected):
        assert expected in text_of(of(SetValue(variable=BASE, mode=LIGHT, before=before, after=after)))

    def test_only_the_part_of_a_composed_colour_that_differs_is_shown(self):
        before, after = (ObjectValue(color=alias(BASE), opacity=opacity) for opacity in (40, 60))
        plan = of(SetValue(variable=BASE, mode=LIGHT, before=before, after=after))
        assert "light: opacity  40 % -> 60 %" in text_of(plan)
        assert "| changed | `accent/base` | light: opacity | `40 %` | `60 %` |" in markdown(plan)

    def test_the_difference_of_long_texts_is_shown(self):
        before = "word " * 100 + "old ending" + " word" * 100
        after = before.replace("old", "new")
        text = text_of(of(UpdateVariable(ref=BASE, description=(before, after))))
        assert "old ending" in text
        assert "new ending" in text
        assert max(map(len, text.splitlines())) < 200

    @given(TEXTS, TEXTS)
    def test_different_texts_never_read_the_same(self, before, after):
        if before != after:
            text = text_of(of(UpdateVariable(ref=BASE, description=(before, after))), everything=True)
            (line,) = [each for each in text.split("\n") if each.startswith("      description")]
            first, _, second = line.partition(" -> ")
            assert first.removeprefix("      description  ") != second


class TestAllowEntries:
    @given(TEXTS.filter(bool))
    def test_they_are_toml_that_names_just_this_finding(self, subject):
        import fnmatch

        lines = "\n".join(allow_entry(Finding("delete mode", subject, "it goes")))
        (entry,) = tomllib.loads(lines)["allow"]
        assert entry["finding"] == "delete mode"
        assert fnmatch.fnmatchcase(subject, entry["subject"])
        assert "`" not in lines
        assert commands(lines) == []
        assert shown(lines.replace("\n", "")) == lines.replace("\n", "")


class TestMarkdown:
    def test_it_has_the_content_of_the_text(self):
        page = seen(rendered(markdown(EVERYTHING)))
        for expected in (
            'new collection "Size"',
            "Islander",
            "{theme.accent.base} at 40 %",
            "16.5",
            "Unsafe",
            "820 bytes",
        ):
            assert expected in page

    def test_details_are_folded_and_closed(self):
        text = markdown(EVERYTHING)
        assert (
            text.count("<details>") == text.count("</details>") == len(re.findall(r"^</details>$", text, re.MULTILINE))
        )

    @pytest.mark.parametrize("name", HOSTILE, ids=ascii)
    def test_names_cannot_break_out_of_their_markup(self, name):
        hostile = replace(SOFT_VARIABLE, name=name, description=name, values={LIGHT: name, DARK: alias(BASE)})
        plan = replace(
            of(
                CreateVariable(variable=hostile),
                UpdateVariable(ref=MUTED, name=("a", name)),
                **{BASE: f"theme / {name}"},
            ),
            findings=(Finding("delete referred", f"theme/{name}", f"{name} refers to it"),),
            held_back=(name,),
            notes=(name,),
            batches=(PlannedBatch(1, 1, name), PlannedBatch(1, 1, name)),
        )
        text = markdown(plan)
        tame = rendered(text.replace("\\u", "u"))
        expected = rendered(markdown(EVERYTHING))
        tags = set(re.findall(r"</?(\w+)", tame))
        assert tags <= set(re.findall(r"</?(\w+)", expected)) | {"code", "ol", "li", "wbr"}
        rows = re.findall(r"<tr>(.*?)</tr>", tame, re.DOTALL)
        assert {row.count("<td>") or row.count("<th>") for row in rows} <= {3, 5}
        assert commands(text) == []

    @given(TEXTS)
    def test_a_text_is_shown_verbatim(self, text):
        from tokensync.system.outlet import readable

        for spell in (code, plain):
            spelled = spell(text)
            assert "\n" not in spelled
            assert commands(f"- {spelled}") == []
            wanted = readable(text) if spell is code else None
            table = rendered(f"| a |\n| --- |\n| {spelled}. |\n")
            cell = re.search(r"<td>(.*)\.</td>", table, re.DOTALL)
            assert cell
            if wanted is not None:
                assert re.sub(r"\s+", " ", seen(cell[1])) == re.sub(r"\s+", " ", wanted)

    def test_a_long_review_fits_a_comment_and_counts_the_omitted_lines(self):
        values = [
            SetValue(variable=f"v{at}", mode=f"m{mode}", before="x" * 50, after="y" * 50)
            for at in range(3000)
            for mode in range(3)
        ]
        plan = of(*values, **{f"v{at}": f"theme / v{at}" for at in range(3000)})
        text = markdown(plan)
        assert 64_000 < len(text) <= 65_536
        assert f"… and {3000 - text.count('| changed |'):,} more\n\n</details>" in text
        both = markdown(plan, plan)
        assert 64_000 < len(both) <= 65_536
        assert both.count("## Plan for") == both.count("\n</details>\n") == both.count(" more\n\n</details>") == 2

    @pytest.mark.parametrize("size", [65_535, 65_536, 65_537])
    def test_a_review_is_whole_up_to_the_limit_of_a_comment(self, size):
        def review(padding):
            texts = ["x" * (10 + min(25, max(0, padding - 25 * at))) for at in range(900)]
            values = [SetValue(variable=f"v{at}", mode="m", before="a", after=text) for at, text in enumerate(texts)]
            return markdown(of(*values, **{f"v{at}": f"theme / v{at}" for at in range(900)}))

        text = review(size - len(review(0)))
        assert ("more\n\n</details>" not in text) == (size <= 65_536)
        assert len(text) == size or (size > 65_536 and 65_000 < len(text) <= 65_536)
        assert text.count("| changed |") + (0 if size <= 65_536 else int(re.search(r"and (\d+) more", text)[1])) == 900

    def test_many_modes_of_a_token_and_many_collections_are_counted(self):
        modes = of(*(SetValue(variable=GAP, mode=f"m{at}", before=1, after=2) for at in range(5000)))
        assert "| … and 4,976 more |" in markdown(modes)
        values = [SetValue(variable=f"v{at}", mode="m", before=1, after=2) for at in range(3000)]
        text = markdown(of(*values, **{f"v{at}": f"{'c' * 80}{at} / v" for at in range(3000)}))
        assert len(text) <= 65_536
        assert text.count("<details>") == text.count("\n</details>\n")
        assert re.search(r"\n… and [\d,]+ more parts with [\d,]+ rows\n$", text)

    @pytest.mark.parametrize("name", FOREIGN, ids=ascii)
    def test_no_name_means_anything_to_a_forge(self, name):
        variable = replace(SOFT_VARIABLE, name=name, description=name, values={LIGHT: name, DARK: alias(BASE)})
        plan = replace(
            of(CreateVariable(variable=variable), **{BASE: f"{name} / {name}"}),
            file=name,
            rollback_of=name,
            findings=(Finding(name, name, name), Finding(name, name, name, allowed=True)),
            held_back=(name,),
            notes=(name,),
            batches=(PlannedBatch(1, 1, name), PlannedBatch(1, 1, name)),
        )
        text = markdown(plan)
        assert read_in_text(text) == []
        assert read_on_page(rendered(text)) == []

    def test_it_names_no_id_where_there_is_a_label(self):
        assert SOFT not in markdown(EVERYTHING)
        assert THEME not in markdown(replace(EVERYTHING, key="k"))
        assert BRAND in LABELS


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (4_194_304, "4.2 MB"), (999_960, "1.0 MB")],
)
def test_sizes_are_shown_in_powers_of_a_thousand(count, words):
    assert size(count) == words
