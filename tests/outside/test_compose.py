"""Kotlin compiles the output with Compose itself; run, each token comes to what the graph resolves it to."""

import re

import pytest
from checkers import written
from generate.targets.cases import CASES
from generate.targets.cases_compose import composites, crossing
from generate.targets.cases_ios import deprecated
from generate.targets.hostile_graphs import hostile_examples
from graphs import collection, token
from graphs import graph as graph_of
from outside.compose_driver import MAIN, Program, expected, printed
from outside.expected import same
from outside.graphs import subjects_of
from outside.kotlin_compiler import STRICT
from outside.themes import axes, pairs

from tokensync.generate.naming import names_for
from tokensync.generate.notation import TYPES
from tokensync.generate.output import Resolution
from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets import code_references, generate, naming_of
from tokensync.generate.targets.compose import ComposeOptions
from tokensync.generate.targets.compose import literals as kotlin
from tokensync.tokens import Theme

pytestmark = pytest.mark.outside


def all_themes(graph):
    """The default theme, each mode of each collection, and each two modes of collections that interact."""
    alone = [{axis.family: mode} for axis in axes(graph) for mode in range(len(axis.contexts))]
    together = [
        {one.family: first, other.family: second}
        for one, other in pairs(graph)
        for first in range(len(one.contexts))
        for second in range(len(other.contexts))
    ]
    return [{}, *alone, *together]


def printed_at_once(kotlinc, programs, *, common=False):
    """What each program prints, by its name: all are compiled together, which is faster."""
    sources = {path: text for name, files in programs.items() for path, text in in_package(files, name).items()}
    calls = "".join(f'    println("{BEFORE}{name}")\n    {name}.main()\n' for name in programs)
    answer = kotlinc({**sources, "Main.kt": f"fun main() {{\n{calls}}}\n"}, MAIN, common=common)
    return dict(each.split("\n", 1) for each in answer.split(BEFORE)[1:])


BEFORE = "\f"
"""Stands before the name of a program; the texts of tokens are printed as numbers."""


NESTED = OutputRequest(platform="compose", options=ComposeOptions(groups="nested"))


def program_of(subject, form):
    """The program that reads the output of a graph in this form, and the files of the output."""
    if form == "flat":
        files = {name: content.decode() for name, content in subject.files("compose").items()}
        return Program(subject.graph, files), files
    files = files_of(subject.graph, NESTED)
    references = code_references(Resolution(subject.graph), NESTED, exact=True)
    return Program(subject.graph, files, {key: texts[0] for key, texts in references.items()}), files


@pytest.fixture(scope="module", params=["flat", "nested"])
def printed_by(request, kotlinc):
    """The form of the outputs, and what the program of each graph prints."""
    programs = {}
    for subject in subjects_of(request):
        program, files = program_of(subject, request.param)
        programs[subject.name] = {**files, **program.sources(all_themes(subject.graph))}
    return request.param, printed_at_once(kotlinc, programs, common=True)


@pytest.mark.xdist_group("compose")
def test_each_token_equals_the_graph_in_every_theme_and_pair(subject, printed_by, counted):
    form, printed_texts = printed_by
    graph = subject.graph
    program, _ = program_of(subject, form)
    themes = all_themes(graph)
    compared, differences = 0, []
    actual = list(printed(printed_texts[subject.name]))
    assert len(actual) == len(themes)
    for modes, values in zip(themes, actual, strict=True):
        resolve = subject.resolver(Theme("", tuple(modes.items())))
        for tokens in program.tokens.values():
            for each in tokens:
                wanted = expected(each, resolve(each.key))
                if wanted is None:
                    continue
                compared += 1
                if not same(wanted, values[program.names[each.key]]):
                    differences.append(f"{modes}: {each.key}: {values[program.names[each.key]]} is not {wanted}")
    what = "values, each theme and pair of axes" if form == "flat" else "values of nested groups, each theme and pair"
    counted("compose", what, subject.name, compared, differences)


HOSTILE = 60
"""Outputs of hostile graphs that are compiled at once."""


def in_package(files, name):
    """The files as those of another package, in a folder of their own."""
    return {
        f"{name}/{path}": re.sub(r"^package .*$", f"package {name}", text, flags=re.MULTILINE)
        for path, text in files.items()
    }


def files_of(graph, request):
    return {each.path: each.content.decode() for each in generate(graph, request)[0]}


RESOURCES = """package com.acme.app
public object R {
    public object font {
        public const val inter_regular: Int = 1
        public const val inter_semibold: Int = 2
        public const val inter_bolditalic: Int = 3
    }
}
"""
"""The class that Android's build makes for the font files of an app."""


def test_golden_files_and_hostile_outputs_compile(kotlinc):
    """Whatever names, texts, descriptions and code syntax there are; all at once, each in a package of its own."""
    outputs = {
        name.replace("/", "_").replace("-", "_"): case for name, case in CASES.items() if name.startswith("compose/")
    }
    for groups in ("flat", "nested"):
        options = ComposeOptions(groups=groups, previews=True)
        outputs[f"deprecated_{groups}"] = (deprecated(), OutputRequest(platform="compose", options=options))
    actual = hostile_examples(HOSTILE, derandomize=True)
    outputs |= {f"hostile{at}": (graph, OutputRequest(platform="compose")) for at, graph in enumerate(actual)}
    types = files_of(*CASES["compose/modifiers"])["DesignTokensTypes.kt"]
    sources = {"R.kt": RESOURCES, "Types.kt": types}
    for package, output in outputs.items():
        sources |= in_package(files_of(*output), package)
    kotlinc(sources, "", *STRICT)


def test_two_outputs_of_different_collections_share_a_package_and_its_types(kotlinc):
    sources = {}
    for name, types in (("base", None), ("scheme", "design.tokens")):
        options = ComposeOptions(name=f"{name.capitalize()}Design", types=types)
        request = OutputRequest(platform="compose", include=Selection(collections=(name,)), options=options)
        sources |= {f"{name}/{path}": text for path, text in files_of(composites(), request).items()}
    main = "public fun main() { println(SchemeDesignValues().scheme.shadow == BaseDesign.base.shadow) }\n"
    assert (
        kotlinc({**sources, "Main.kt": f"package design.tokens\n{main}"}, "design.tokens.MainKt", *STRICT) == "true\n"
    )


def test_ktlint_finds_nothing_in_golden_files(ktlint, tmp_path):
    for name in CASES:
        if name.startswith("compose/"):
            written(tmp_path / name, files_of(*CASES[name]))
    ktlint(tmp_path)


PROVIDED = """package design.tokens
import androidx.compose.runtime.Composable
import scene.composed
@Composable fun shown() = println(listOf(DesignTokens.scheme.ink, DesignTokens.parts.button)
    .joinToString(" ") { (it.value shr 32).toString(16) })
fun main() {
    composed { shown() }
    for (dark in listOf(false, true)) composed(dark) {
        ProvideDesignTokens {
            shown()
            ProvideDesignTokens(DesignTokens.chosen.copy(tone = ToneMode.Vivid)) { shown() }
        }
    }
    composed(dark = true) { shown() }
}
"""


BRANDED = """package design.tokens
import androidx.compose.runtime.Composable
import scene.composed
@Composable fun shown() = println(listOf(DesignTokens.scheme.accent, DesignTokens.scheme.text)
    .joinToString(" ") { (it.value shr 32).toString(16) })
fun main() {
    for (dark in listOf(false, true)) composed(dark) {
        ProvideDesignTokens { shown() }
        ProvideDesignTokens(DesignTokensTheme.system(scheme = SchemeMode.BrandBLight)) { shown() }
        ProvideDesignTokens(DesignTokensTheme(scheme = SchemeMode.BrandBLight)) { shown() }
        ProvideDesignTokens(DesignTokensTheme.system(scheme = SchemeMode.BrandBDark)) { shown() }
    }
}
"""


SHADOWED = """package design.tokens
import androidx.compose.ui.Modifier
import androidx.compose.ui.draw.DrawnShadow
import androidx.compose.ui.graphics.RectangleShape
fun main() {
    val layers = DesignTokens.style.shadow.layers
    val shadow = TokenShadow(layers + layers.map { it.copy(x = it.y) })
    Modifier.shadow(shadow, RectangleShape).foldIn(Unit) { _, element ->
        val (kind, _, it) = element as DrawnShadow
        println("$kind ${it.offset.x.value} ${it.radius.value} ${it.spread.value}")
    }
}
"""
"""Draws the two layers of the golden shadow twice, the second time with another offset."""


@pytest.fixture(scope="module")
def printed_of_cases(kotlinc):
    """What the programs of the tests below print."""
    programs = {"composites": equalities(), "long": long_text(), "provided": provided(), "branded": branded()}
    programs["many"] = many()
    programs["shadowed"] = {**files_of(*CASES["compose/modifiers"]), "Main.kt": SHADOWED}
    return printed_at_once(kotlinc, programs)


def provided():
    return {**files_of(crossing(), OutputRequest(platform="compose")), "Main.kt": PROVIDED}


def branded():
    return {**files_of(*CASES["compose/brands"]), "Main.kt": BRANDED}


@pytest.mark.xdist_group("compose cases")
def test_a_brand_follows_the_system_unless_its_mode_is_chosen_outright(printed_of_cases):
    """Each system: the default modes, the brand that follows, its light mode, and its dark mode asked of the system."""
    light, dark = "ff1f6feb ff000000", "ffffffff ffffffff"
    brand, brand_in_dark = "ffff0000 ff000000", "ffffffff ffffffff"
    in_light, in_dark = [light, brand, brand, brand_in_dark], [dark, brand_in_dark, brand, brand_in_dark]
    assert printed_of_cases["branded"].split("\n")[:-1] == in_light + in_dark


@pytest.mark.xdist_group("compose cases")
def test_the_provider_follows_the_system_and_the_chosen_modes(printed_of_cases):
    """Outside of it the default modes hold."""
    light, vivid, dark = "ff000000 ff1f6feb", "ff000000 ffff0000", "ffffffff ff1f6feb"
    assert printed_of_cases["provided"].split("\n")[:-1] == [light, light, vivid, dark, dark, light]


def equalities():
    """A program that says of each composite value in each mode whether it equals the one without references."""
    graph = composites()
    files = files_of(graph, OutputRequest(platform="compose"))
    checks = []
    names, _ = names_for(graph, graph.tokens.values(), naming_of("compose"))
    for entry, theme in (("Light", Theme("")), ("Dark", Theme("", ((("design", "scheme"), 1),)))):
        for each in composite_tokens(graph):
            literal = kotlin.composite_text(each.type, graph.resolve(each, theme))
            values = f"DesignTokensValues(DesignTokensTheme(SchemeMode.{entry}))"
            read = f"{values}.{each.key.collection}.{names[each.key]}"
            checks.append(f'    println("{each.key.path} ${{{read} == {literal}}}")\n')
    imports = "".join(
        sorted({line for text in files.values() for line in text.splitlines(True) if line.startswith("import ")})
    )
    return {**files, "Main.kt": f"package design.tokens\n{imports}fun main() {{\n{''.join(checks)}}}\n"}


def composite_tokens(graph):
    return [each for each in graph.tokens.values() if each.type in TYPES]


@pytest.mark.xdist_group("compose cases")
def test_composites_equal_the_graph(printed_of_cases):
    """A value with references in it equals the one without, in each mode."""
    answer = printed_of_cases["composites"].split()
    assert answer[::2] == [each.key.path for each in composite_tokens(composites())] * 2
    assert set(answer[1::2]) == {"true"}, answer


@pytest.mark.xdist_group("compose cases")
def test_a_modifier_draws_every_layer_of_a_shadow_the_topmost_over_the_others(printed_of_cases):
    """What is behind the content is drawn in the order of the modifiers, what is over it in the opposite one."""
    layers = ["drop 1.0", "drop 0.0", "inner 0.0", "inner 1.0"]
    assert printed_of_cases["shadowed"].splitlines() == [f"{layer} 2.0 -1.0" for layer in layers]


LONG = "日本" * 20_000


def long_text():
    of = collection("Base")
    files = files_of(graph_of(of, token(of, "a", LONG, type="string")), OutputRequest(platform="compose"))
    main = "package design.tokens\nfun main() { println(BaseTokens.a.length); println(BaseTokens.a.hashCode()) }\n"
    return {**files, "Main.kt": main}


@pytest.mark.xdist_group("compose cases")
def test_a_text_longer_than_a_constant_of_the_jvm_compiles(printed_of_cases):
    """It is 65,535 bytes at most."""
    answer = printed_of_cases["long"].split()
    assert answer[0] == "40000"


MANY = 260
"""Collections: more than a constructor of the JVM has parameters for."""


def many():
    several = [collection(f"c{at}", "A", "B") for at in range(MANY)]
    tokens = [token(each, "gap", 4, 8, type="dimension") for each in several]
    main = "package design.tokens\nfun main() { println(DesignTokensValues().c0.gap.value) }\n"
    return {**files_of(graph_of(*several, *tokens), OutputRequest(platform="compose")), "Main.kt": main}


@pytest.mark.xdist_group("compose cases")
def test_a_class_with_a_choice_for_very_many_collections_can_be_loaded(printed_of_cases):
    """The others are in their default modes, which is reported."""
    assert printed_of_cases["many"] == "4.0\n"
