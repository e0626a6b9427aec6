"""What Dev Mode shows compiles: each code syntax, and each text of ``plan --code-syntax``, with the default outputs."""

import re

import pytest
from corpus.building import NO_CORPUS
from outside.graphs import subject_of
from outside.swift_module import SwiftModule

from tokensync.generate.naming import names_for
from tokensync.generate.targets import naming_of
from tokensync.project.code_references import references_on_platforms, undeclared
from tokensync.project.configured_outputs import names_on_platforms
from tokensync.settings import OutputConfig
from tokensync.tokens import CODE_SYNTAX_PLATFORMS, DEFAULT_THEME, Unresolved

pytestmark = pytest.mark.outside

UNRESOLVED = {
    # the text, why nothing declares it, and what would
    ("quickstart", "iOS"): {
        ".controlHeight": "only colours are members of their type; Tokens.controlHeight is declared, and with .{name} "
        "in read of [code_syntax.ios] the declaration is the app's own"
    },
    ("synthetic", "ANDROID"): {"radiusSm": "a bare name; R.dimen.radius_sm is declared"},
    ("synthetic", "iOS"): {"radiusSm": "a bare name; Tokens.radiusSm is declared, and Color has no lengths"},
}
"""All code syntax of real design files that the default outputs do not declare."""
OUTPUTS = {
    "WEB": ("css", "tailwind", "typescript"),
    "ANDROID": ("android",),
    "iOS": ("ios",),
}
TEAMS = ("quickstart", "sds", "primer")
"""The design files whose code syntax counts for the share that may be unresolved."""


def code_syntax(subject, syntax):
    """The texts of the local tokens; those of the generated graph stand for hostile input, not for code."""
    tokens = [token for token in subject.graph.tokens.values() if token.origin == "local"]
    texts = (dict(token.code_syntax).get(syntax, "") for token in tokens if subject.name != "generated")
    return sorted({re.sub(r"/\*.*?\*/", "", text).strip() for text in texts} - {""})


def references(subject, platform):
    """What a plan writes for each token, which ``tokens list --names --json`` shows."""
    names = names_on_platforms(subject.graph, platforms=(platform,))
    of_tokens = references_on_platforms(subject.graph, names, None)
    return sorted({texts[platform] for texts in of_tokens.values() if platform in texts})


def check(subject, syntax, platform, what, unresolved, compared, counted):
    """Count, and fail for each text that is neither resolved nor listed."""
    known = UNRESOLVED.get((subject.name, syntax), {})
    differences = [f"{text} is not declared" for text in unresolved if text not in known]
    differences += [f"{text} is declared now" for text in known if text not in unresolved]
    counted(platform, what, subject.name, compared, differences)


def absent_in(page, texts):
    """The texts of CSS that are invalid on an element of the page; a bare property is what var() refers to."""
    script = """(texts) => texts.filter(([, value]) => {
        document.body.style.setProperty("--probe", value);
        return getComputedStyle(document.body).getPropertyValue("--probe") === "";
    }).map(([text]) => text)"""
    pairs = [[text, f"var({text})" if text.startswith("--") else text] for text in texts]
    return page.page.evaluate(script, pairs)


def without_default(subject):
    """The custom properties of tokens without a value in the default theme, in which they are to be invalid."""
    resolve = subject.resolver(DEFAULT_THEME)
    names, _ = names_for(subject.graph, subject.graph.tokens.values(), naming_of("css"))
    return {name for key, name in names.items() if isinstance(resolve(key), Unresolved)}


def missing_in(page, css, texts, absent):
    """The texts that are invalid on the page, or whose property is not declared, where it has no value by default."""
    properties = {text: set(re.findall(r"--[\w-]+", text)) for text in texts}
    declared = set(re.findall(r"(--[\w-]+):", css))
    undeclared_texts = [text for text in texts if not properties[text] <= declared]
    return undeclared_texts + absent_in(page, [text for text in texts if not properties[text] & absent])


def test_custom_properties_of_the_style_sheet(subject, chromium, counted):
    css = b"".join(subject.files("css").values()).decode()
    texts = [*code_syntax(subject, "WEB"), *references(subject, "css")]
    with chromium(css) as page:
        missing = missing_in(page, css, texts, without_default(subject))
    check(subject, "WEB", "css", "code syntax, and what a plan writes", missing, len(texts), counted)


def test_custom_properties_of_the_tailwind_theme(subject, chromium, tailwind, counted):
    """As code uses them: Tailwind leaves out variables that no style uses."""
    css = b"".join(subject.files("tailwind").values()).decode()
    texts = code_syntax(subject, "WEB")
    uses = " ".join(f".use{at} {{ color: {text} }}" for at, text in enumerate(texts))
    built = tailwind(f'@import "tailwindcss"; @import "./theme.css"; {uses}', {"theme.css": css})
    with chromium(built) as page:
        missing = missing_in(page, css, texts, without_default(subject))
    check(subject, "WEB", "tailwind", "code syntax, as a style uses it", missing, len(texts), counted)


@pytest.fixture(scope="module")
def module_of(tsc, esm):
    """Return the exports of a graph's module, after tsc has read an expression for each reference to a token."""

    def read(subject):
        files = {name: content.decode() for name, content in subject.files("typescript").items()}
        uses = "\n".join(f"export const use{at} = {text};" for at, text in enumerate(references(subject, "typescript")))
        return esm(tsc({**files, "use.ts": f'import {{ tokens }} from "./tokens.js";\n{uses}\n'}) / "tokens.js")

    return read


def test_typescript_has_each_token_and_each_custom_property(subject, module_of, counted):
    variables = set(module_of(subject)["cssVariables"].values())
    texts = code_syntax(subject, "WEB")
    missing = [text for text in texts if not variables & set(re.findall(r"--[\w-]+", text))]
    compared = len(texts) + len(references(subject, "typescript"))
    check(subject, "WEB", "typescript", "code syntax, and references", missing, compared, counted)


def in_functions(expressions):
    """Kotlin that reads each expression; methods of the JVM have a limit of their size."""
    parts = [expressions[at : at + 200] for at in range(0, len(expressions), 200)]
    return "\n".join(f"fun use{at}() = listOf<Any?>({', '.join(part)})" for at, part in enumerate(parts))


def test_android_resources_exist(subject, tmp_path, aapt2, kotlinc, counted):
    linked = {key.replace(".", "_") for key in aapt2(subject.write("android", tmp_path))}
    texts = [*code_syntax(subject, "ANDROID"), *references(subject, "android")]
    missing = [text for text in texts if not {"/".join(each) for each in resources_in(text)} & linked]
    of_types = {}
    for key in sorted(linked):
        of_types.setdefault(key.partition("/")[0], []).append(f"const val {key.partition('/')[2]} = 0")
    objects = "\n".join(f"object `{name}` {{\n{chr(10).join(lines)}\n}}" for name, lines in of_types.items())
    uses = [text for text in texts if text.startswith("R.") and text not in missing]
    if subject.name != "generated":  # kotlinc takes long, and the names are those of aapt2
        kotlinc({"R.kt": f"object R {{\n{objects}\n}}\n{in_functions(uses)}\n"})
    check(subject, "ANDROID", "android", "code syntax, and what a plan writes", missing, len(texts), counted)


def resources_in(text):
    return re.findall(r"(?:\bR\.|@)(\w+)[./](\w+)", text)


def test_compose_has_each_property(subject, kotlinc, counted):
    texts = references(subject, "compose")
    if subject.name == "generated":
        texts = []  # it takes kotlinc minutes, and test_compose.py reads the same properties
    else:
        files = {name: content.decode() for name, content in subject.files("compose").items()}
        uses = re.sub(r"^fun", "@androidx.compose.runtime.Composable fun", in_functions(texts), flags=re.MULTILINE)
        kotlinc({**files, "Use.kt": f"import design.tokens.*\n{uses}\n"})
    counted("compose", "references", subject.name, len(texts), [])


def declared_in_swift(subject):
    """The expressions that a parser finds declarations for, with and without the type that a context implies."""
    module = SwiftModule(subject.files("ios"))
    # Members of ShapeStyle where Self == Color are those of Color, too: test_swift_compiles_each_expression.
    colors = {f"{type_}{name}" for name in module.extended.get("ShapeStyle", {}) for type_ in ("Color.", ".")}
    return colors | {f"Tokens.{name}" for name in module.constants}


def test_swift_declares_each_expression(subject, counted):
    declared = declared_in_swift(subject)
    texts = [*code_syntax(subject, "iOS"), *references(subject, "ios")]
    missing = [text for text in texts if text.replace("`", "") not in declared]
    check(subject, "iOS", "ios", "code syntax, and what a plan writes", missing, len(texts), counted)


def test_swift_compiles_each_expression(subject, swiftc):
    texts = [*code_syntax(subject, "iOS"), *references(subject, "ios")]
    known = UNRESOLVED.get((subject.name, "iOS"), {})
    lines = [
        f"public let use{at}{': Color' if text.startswith('.') else ''} = {text}"
        for at, text in enumerate(texts)
        if text not in known
    ]
    files = {path: content.decode() for path, content in subject.files("ios").items() if path.endswith(".swift")}
    swiftc({**files, "Use.swift": "\n".join(("import SwiftUI", *lines, ""))}, "-swift-version", "6")


def test_the_problem_names_what_the_compilers_do_not_find(subject):
    """With the option that would declare it, or the text that is declared."""
    if subject.name == "generated":
        return
    outputs = [OutputConfig(platform=each, path=each) for several in OUTPUTS.values() for each in several]
    problems = list(undeclared(subject.graph, outputs, None))
    for syntax in CODE_SYNTAX_PLATFORMS:
        of_syntax = [str(each) for each in problems if f" {syntax} code syntax" in str(each)]
        unresolved = UNRESOLVED.get((subject.name, syntax), {})
        assert len(of_syntax) == len(unresolved)
        assert all(any(repr(text) in each for each in of_syntax) for text in unresolved)


def test_at_most_a_twentieth_is_unresolved():
    subjects = [subject_of(name) for name in TEAMS]
    assert subjects, NO_CORPUS
    texts = sum(len(code_syntax(subject, syntax)) for subject in subjects for syntax in CODE_SYNTAX_PLATFORMS)
    unresolved = sum(len(each) for (name, _), each in UNRESOLVED.items() if name in TEAMS)
    assert texts > 400
    assert unresolved <= texts / 20
