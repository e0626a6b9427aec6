"""A compiler of Swift builds the output as an app and as a package, in any language mode and isolation, and runs it.

Where Xcode is, it has the true SwiftUI, UIKit and AppKit. Elsewhere it has stand-ins (outside/swift_stubs) that declare
what generated files use of them: what the compiler makes of these files shows, and nothing of what Apple's code does.
"""

import json

import pytest
from checkers import Refused
from generate.targets.cases import CASES, golden
from generate.targets.cases_ios import HIDING_OPTIONS, contrast, hiding
from generate.targets.composite_values import VALUES, composite_of
from graphs import collection, color, graph, token
from msgspec import structs
from outside.graphs import subject_of

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.ios import IosOptions
from tokensync.tokens import DanglingAlias

pytestmark = pytest.mark.outside

ALSO = ("themes", "swiftui", "uikit")
OUTPUTS = {
    "default": IosOptions(),
    "everything": IosOptions(also=ALSO),
    "without-catalog": IosOptions(also=ALSO, colors="swift", color_space="display-p3"),
    "nested-by-path": IosOptions(also=(*ALSO, "list"), nested="path"),
}
SWIFT_6 = ("-swift-version", "6")
MAIN_ACTOR = (*SWIFT_6, "-default-isolation", "MainActor")


def sources(files):
    return {path: content.decode() for path, content in files.items() if path.endswith(".swift")}


@pytest.mark.parametrize("output", OUTPUTS)
def test_an_app_compiles_it(subject, swiftc, output):
    swiftc(sources(subject.files("ios", OUTPUTS[output])), *SWIFT_6)


@pytest.mark.parametrize("system", ["UIKit", "AppKit"])
@pytest.mark.parametrize("isolation", [(), ("-default-isolation", "MainActor")], ids=["nonisolated", "MainActor"])
@pytest.mark.parametrize("version", ["5", "6"])
def test_any_app_compiles_it(swiftc, version, isolation, system):
    for options in OUTPUTS.values():
        files = sources(subject_of("quickstart").files("ios", options))
        swiftc(files, "-swift-version", version, *isolation, system=system)


INTERNAL_IMPORTS = ("-enable-upcoming-feature", "InternalImportsByDefault")
OFF_THE_MAIN_ACTOR = """
import SwiftUI
import UIKit

nonisolated func measured() -> (CGFloat, [Color], UIColor, CGFloat) {
    let theme = TokensTheme(density: DensityCompactTokens())
    let shadow = TokenShadow(layers: [.init(color: .harborAccent, x: 0, y: 1, blur: 2, spread: 0, isInset: false)])
    return (Tokens.space2xs, shadow.layers.map(\\.color), .harborAccent, theme.controlPadding)
}
"""


@pytest.mark.parametrize("access", ["public", "internal"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_modules_with_internal_imports_compile_it(swiftc, output, access):
    files = sources(subject_of("quickstart").files("ios", structs.replace(OUTPUTS[output], access=access)))
    swiftc(files, *SWIFT_6, *INTERNAL_IMPORTS)
    swiftc({**files, "Other.swift": "import SwiftUI\n\npublic let page = Color.red\n"})


def test_code_off_the_main_actor_reads_tokens_of_an_app_whose_default_is_the_main_actor(swiftc):
    files = sources(subject_of("quickstart").files("ios", OUTPUTS["everything"]))
    files |= sources({"TokensStyles.swift": (golden("ios/fonts") / "TokensStyles.swift").read_bytes()})
    swiftc({**files, "Layout.swift": OFF_THE_MAIN_ACTOR}, *MAIN_ACTOR)


@pytest.mark.parametrize("oldest", ["5.9", "6.0"])
def test_older_compilers_get_no_keywords_that_they_do_not_know(swiftc, oldest):
    files = sources(subject_of("quickstart").files("ios", structs.replace(OUTPUTS["everything"], swift=oldest)))
    swiftc(files, *MAIN_ACTOR)
    text = "".join(files.values())
    assert "nonisolated " not in text
    assert ("public import" in text) is (oldest == "6.0")


def golden_sources(name):
    return {each.name: each.read_text(encoding="utf-8") for each in golden(name).glob("*.swift")}


@pytest.mark.parametrize("name", [each for each in CASES if each.startswith("ios/")])
def test_an_app_of_the_main_actor_compiles_each_golden_case(swiftc, name):
    swiftc(golden_sources(name), *MAIN_ACTOR, "-package-name", "app")


@pytest.mark.parametrize("is_dark", [False, True], ids=["in-no-mode", "in-dark-only"])
def test_themes_compile_when_composites_have_no_default_value(swiftc, is_dark):
    """The types of the themes' members, which are nil, are those that constants would have."""
    of, gone = collection("Scheme", "Light", "Dark"), DanglingAlias("VariableID:9:9")
    tokens = [
        token(of, name, gone, composite_of(value) if is_dark else gone, type=name) for name, value in VALUES.items()
    ]
    files, _ = generate(graph(of, *tokens), OutputRequest(platform="ios", options=IosOptions(also=ALSO)))
    swiftc(sources(dict(files)), *SWIFT_6)


@pytest.mark.parametrize("isolation", [(), ("-default-isolation", "MainActor")], ids=["nonisolated", "MainActor"])
@pytest.mark.parametrize("version", ["5", "6"])
@pytest.mark.parametrize("colors", ["catalog", "swift"])
def test_references_to_deprecated_tokens_do_not_warn(swiftc, colors, version, isolation):
    token_graph, request = CASES["ios/deprecated-in-themes"]
    options = structs.replace(request.options, colors=colors)
    files, _ = generate(token_graph, structs.replace(request, options=options))
    swiftc(sources(dict(files)), "-swift-version", version, *isolation)


@pytest.mark.parametrize("version", ["5", "6"])
@pytest.mark.parametrize("name", [each for each in CASES if "nested-by-path" in each])
def test_groups_may_have_the_names_of_types_and_keywords(swiftc, name, version):
    """A group called Color hides that of SwiftUI in the whole enum, and one in a group the outer group."""
    swiftc(golden_sources(name), "-swift-version", version, *INTERNAL_IMPORTS)


NESTED = """
import SwiftUI

let strong: Font.Weight = Tokens.Font.Weight.strong
let accent: Color = Tokens.Color.Bg.accent
print(Tokens.Type_.`init`, Tokens.Button.Color.size, Tokens.SwiftUi.Tokens_.string, Tokens.One.Two.Three.Four.fiveSix)
print(Tokens.Color.Bg.accent == Tokens.Color.Bg.controlColorBgAccent, strong == .bold)
"""


def test_constants_are_nested_by_the_groups_of_their_paths(swift_app):
    files = golden_sources("ios/nested-by-path-without-catalog")
    assert swift_app({**files, "main.swift": NESTED}, *SWIFT_6).splitlines() == ["16.0 8.0 Depart 1.0", "false true"]


MAINS = {
    "UIKit": """
import SwiftUI
import UIKit

nonisolated let color = UIColor(Tokens.all)

@Sendable nonisolated func show() {
    for contrast in [UIAccessibilityContrast.normal, .high] {
        for style in [UIUserInterfaceStyle.light, .dark] {
            print(color.resolvedColor(with: UITraitCollection(style, contrast)))
        }
    }
}
""",
    "AppKit": """
import AppKit
import SwiftUI

nonisolated let color = NSColor(Tokens.all)

@Sendable nonisolated func show() {
    for contrast in [false, true] {
        NSWorkspace.shared.accessibilityDisplayShouldIncreaseContrast = contrast
        for name in [NSAppearance.Name.aqua, .darkAqua] {
            print(color.resolved(in: NSAppearance(name)))
        }
    }
}
""",
}
RENDER = """
let done = DispatchSemaphore(value: 0)
Thread.detachNewThread { @Sendable in
    show()
    done.signal()
}
done.wait()
"""
"""Shows the colours on a thread of its own, as SwiftUI's renderer does."""


def app_of(token_graph, system, **options):
    files, _ = generate(token_graph, OutputRequest(platform="ios", options=IosOptions(**options)))
    return {**sources(dict(files)), "main.swift": MAINS[system] + RENDER}


@pytest.mark.parametrize("system", MAINS)
def test_the_renderers_thread_gets_the_colour_of_each_appearance(swift_app, system):
    shown = swift_app(app_of(contrast(), system, colors="swift", swift="6.0"), *MAIN_ACTOR, system=system)
    blue, white, black, silver = [0x1F / 255, 0x6F / 255, 0xEB / 255, 1], [1] * 4, [0, 0, 0, 1], [0.8, 0.8, 0.8, 1]
    assert [pytest.approx(json.loads(each), abs=1e-6) for each in shown.splitlines()] == [blue, white, black, silver]


@pytest.mark.parametrize("system", MAINS)
def test_the_renderers_thread_traps_in_a_closure_of_the_main_actor(swift_app, system):
    """So the test before this one would fail without @Sendable."""
    files = app_of(contrast(), system, colors="swift", swift="6.0")
    files["TokensSupport.swift"] = files["TokensSupport.swift"].replace("{ @Sendable ", "{ ")
    with pytest.raises(Refused, match="closure #1 in static TokensSupport"):
        swift_app(files, *MAIN_ACTOR, system=system)


@pytest.mark.parametrize(
    ("options", "green"),
    [({"profile": "display-p3"}, [0, 1, 0, 1]), ({"color_space": "display-p3"}, [0.458407, 0.985264, 0.29829, 1])],
)
def test_the_numbers_of_a_display_p3_file_mean_that_space_in_an_app(swift_app, options, green):
    """`color_space` is for a file in sRGB, whose colours stay the same."""
    of = collection("Base")
    files, _ = generate(
        graph(of, token(of, "green", color("#00ff00"))),
        OutputRequest(platform="ios", options=IosOptions(colors="swift", **options)),
    )
    main = "import SwiftUI\n\nprint(Tokens.green)\n"
    space, *channels = json.loads(swift_app({**sources(dict(files)), "main.swift": main}, *SWIFT_6))
    assert (space, channels) == ("display-p3", pytest.approx(green, abs=1e-4))


def test_the_bundle_of_an_app_is_the_app(swift_app):
    files, _ = generate(contrast(), OutputRequest(platform="ios"))
    main = "import Foundation\n\nprint(Bundle.tokensBundle.bundlePath == Bundle.main.bundlePath)\n"
    assert swift_app({**sources(dict(files)), "main.swift": main}, *SWIFT_6) == "true\n"


def test_tokens_may_have_the_names_that_the_bundle_is_found_by(swiftc):
    of = collection("Bundle", "Light", "Dark")
    names = ("tokensBundle", "Bundle", "TokensBundleAnchor", "Foundation", "module")
    colors = (color("#000000"), color("#ffffff"))
    token_graph = graph(of, *(token(of, each, *colors, code_syntax=(("iOS", each),)) for each in names))
    for nested in ("none", "collection", "path"):
        options = IosOptions(also=ALSO, nested=nested, imports=("Foundation",))
        files, _ = generate(token_graph, OutputRequest(platform="ios", options=options))
        anchor = "tokensBundleAnchor" if nested == "path" else "TokensBundleAnchor"  # a path has no code syntax
        assert f"static var {anchor}: Color" in sources(dict(files))["Tokens.swift"]
        swiftc(sources(dict(files)), *MAIN_ACTOR)


@pytest.mark.parametrize("options", HIDING_OPTIONS)
def test_names_that_expressions_use_compile(swiftc, options):
    files, _ = generate(hiding(), OutputRequest(platform="ios", options=IosOptions(**options)))
    swiftc(sources(dict(files)), *SWIFT_6)


COLORED = """
import SwiftUI

func styled(_ style: some ShapeStyle) -> Color? { style as? Color }

let inferred = Color.harborAccent
let optional: Color? = .harborAccent
let list: [Color] = [.harborAccent, .textPrimary]
let chosen = optional == nil ? .red : Color.textPrimary
print([inferred, optional, list[0], styled(.harborAccent)].allSatisfy { $0 == Tokens.harborAccent })
print([list[1], chosen, styled(.textPrimary)].allSatisfy { $0 == Tokens.textPrimary })
"""


def test_a_member_of_shape_style_is_one_of_color(swift_app):
    files = sources(subject_of("quickstart").files("ios", IosOptions(colors="swift")))
    assert "extension Color" not in files["Color+Tokens.swift"]
    assert swift_app({**files, "main.swift": COLORED}, *SWIFT_6) == "true\ntrue\n"


def test_an_app_shows_a_list_of_all_tokens(swift_app):
    files = sources(subject_of("quickstart").files("ios", IosOptions(also=("list",))))
    main = """
import SwiftUI

for entry in TokensList.all where entry.path.hasPrefix("control/") {
    print(entry.id, entry.value)
}
print(TokensList.all.count, TokensList.all.filter { $0.value is Color }.count)
"""
    *first, counts = swift_app({**files, "main.swift": main}, *SWIFT_6, *INTERNAL_IMPORTS).splitlines()
    assert first[:2] == ["Density/control/height 48.0", "Density/control/padding 16.0"]
    listed, colors = map(int, counts.split())
    assert listed == "".join(files.values()).count("    public static ") - 1
    assert colors == files["Tokens.swift"].count(": Color { ")


GROWING = """
import SwiftUI
import UIKit

for style in [Tokens.body, Tokens.bodyStrong, Tokens.code] {
    print(style.font.shown, "|", style.uiFont)
}
"""


def test_a_text_style_grows_with_the_configured_style_of_the_system(swift_app):
    """The first matching glob counts."""
    options = IosOptions(dynamic_type={"body/*": "headline", "b*": "title", "**": "largeTitle"}, also=ALSO)
    token_graph, request = CASES["ios/fonts"]
    files, _ = generate(token_graph, structs.replace(request, options=options))
    shown = swift_app({**sources(dict(files)), "main.swift": GROWING}, *SWIFT_6).splitlines()
    assert [line.split(" | ") for line in shown] == [
        ["Inter-SemiBold 16.0 title", "Inter-SemiBold as title1 16.0"],
        ["Inter-BoldItalic 16.0 headline", "Inter-BoldItalic as headline 16.0"],
        ["SourceCodeVF 16.0 largeTitle 600", "SourceCodeVF as largeTitle 16.0"],
    ]


@pytest.mark.parametrize("nested", ["none", "collection", "path"])
def test_names_of_generated_types_and_keywords_compile(swiftc, nested):
    """In a theme, members are also cases of an enum, where `init` or `self` could mean something else."""
    of = collection("Self", "One", "Two")
    names = "TokensTheme TokensList TokensEntry SelfTokens SelfTokensColor SelfOneTokens value body Self self init Type"
    words = ["rawValue", "hashValue", "none", "some", "default", "Protocol", *names.split()]
    colors = (color("#000000"), color("#ffffff"))
    token_graph = graph(
        of, *(token(of, f"t{at}", *colors, code_syntax=(("iOS", f"Tokens.{word}"),)) for at, word in enumerate(words))
    )
    options = IosOptions(also=(*ALSO, "list"), nested=nested)
    files, _ = generate(token_graph, OutputRequest(platform="ios", options=options))
    swiftc(sources(dict(files)), *MAIN_ACTOR)


STYLED = """
import SwiftUI
import UIKit

for style in [Tokens.body, Tokens.bodyStrong, Tokens.code, Tokens.labelSmall] {
    print(style.font(size: 20).shown, "|", style.font.shown, "|", style.lineSpacing, "|", style.uiFont)
}
let view = Text("Depart").textStyle(Tokens.body).shadow(TokenShadow(layers: []))
"""


def test_a_text_style_is_a_font_that_follows_the_text_size(swift_app):
    """A font file has its own weight; a line of every font of the stand-ins is 1.25 times as high as its size."""
    files, _ = generate(*CASES["ios/fonts"])
    shown = swift_app({**sources(dict(files)), "main.swift": STYLED}, *SWIFT_6).splitlines()
    assert [line.split(" | ") for line in shown] == [
        ["Inter-SemiBold 20.0", "Inter-SemiBold 16.0 callout", "4.0", "Inter-SemiBold as callout 16.0"],
        ["Inter-BoldItalic 20.0", "Inter-BoldItalic 16.0 callout", "4.0", "Inter-BoldItalic as callout 16.0"],
        ["SourceCodeVF 20.0 600", "SourceCodeVF 16.0 callout 600", "4.0", "SourceCodeVF as callout 16.0"],
        ["system 20.0 400 default 400", "system 11.0 400 default 400", "0.0", "system as caption2 11.0"],
    ]
