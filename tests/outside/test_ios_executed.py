"""Swift compiles the output to a program; run, each constant and member comes to what the graph resolves it to.

SwiftUI and UIKit are stand-ins (outside/swift_stubs). The program prints the names of a catalog's colours; their
components are read from the colour sets, since nothing here compiles catalogs.
"""

import re

import pytest
from outside.compose_driver import lacks_a_value
from outside.graphs import Subject, subject_of
from outside.swift_driver import Program
from outside.swift_values import Look
from outside.test_ios import OPTIONS, Output, expected_of
from outside.themes import systems

pytestmark = pytest.mark.outside


class Executed(Output):
    """The files of a graph's output, and what a program of them printed."""

    def __init__(self, subject, options, swift_app):
        super().__init__(subject, options)
        appearances = [appearance for appearance, _ in systems(self.graph)]
        looks = [Look(appearance.scheme == "dark", bool(appearance.contrast)) for appearance in appearances]
        themes = [structs for _, _, structs in self.choices(appearances[0], with_pairs=True)]
        program = Program(self.module, looks, themes)
        files = subject.files("ios", options).items()
        sources = {path: content.decode() for path, content in files if path.endswith(".swift")}
        text = swift_app({**sources, "main.swift": program.source()}, "-Onone", "-swift-version", "6")
        self.printed = program.printed(text, self.catalog)

    def seen(self, look):
        return self.printed[look]

    def absent(self):
        """The names of tokens that have a value in every mode, but no constant, or no member that follows the modes."""
        for key, name in self.names.items():
            token = self.graph.tokens[key]
            is_constant = self.constant_names.get(key) in self.module.constants
            is_there = is_constant and (not self.reach[key] or name in self.module.members)
            if not is_there and expected_of(token, self.usual(key)) and not lacks_a_value(self.graph, token):
                yield name


@pytest.mark.parametrize("output", OPTIONS)
def test_each_value_that_a_program_prints_equals_the_graph(subject, output, swift_app, counted):
    executed = Executed(subject, OPTIONS[output], swift_app)
    assert [*executed.absent()] == []
    executed.compare_all(with_pairs=True)
    row = "values of a program, each pair of axes and appearance"
    counted("ios", row, subject.name, executed.compared, executed.differences)


BREAKING = {
    "Tokens.swift": ("opacityHover: CGFloat = 0.08", "opacityHover: CGFloat = 0.09"),
    "DensityTokens.swift": ("case .controlHeight: return 36", "case .controlHeight: return 37"),
    "ThemeTokens.swift": ("opacity(0.125)", "opacity(0.5)"),
    "UIColor+Tokens.swift": ('token("borderStrong")', 'token("border")'),
}


class Broken(Subject):
    """A graph whose output has a wrong value in each of these files."""

    def files(self, platform, options=None):
        files = super().files(platform, options)
        for path, (right, wrong) in BREAKING.items():
            assert right in files[path].decode()
            files[path] = files[path].replace(right.encode(), wrong.encode(), 1)
        return files


def test_a_wrong_value_in_each_file_differs(swift_app):
    """One of a constant, of a density, of colours in a theme, and of an extension."""
    executed = Executed(Broken("quickstart", subject_of("quickstart").graph), OPTIONS["catalog"], swift_app)
    executed.compare_all(with_pairs=True)
    wrong = {re.search(r" (\w+): expected", difference)[1] for difference in executed.differences}
    assert wrong == {"opacityHover", "controlHeight", "shadow", "borderStrong"}
