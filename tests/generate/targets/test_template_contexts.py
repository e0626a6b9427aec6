"""The declared contexts of templates, as in docs/templates.md, equal those that they use and get."""

from __future__ import annotations

import sys
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from shutil import copytree

import msgspec
import pytest
from generate.targets.cases import CASES
from jinja2 import meta

from tokensync.generate import naming
from tokensync.generate.naming import names_for, sandbox
from tokensync.generate.naming import templates as environments
from tokensync.generate.targets import NAMED, NAMES, generate, naming_of
from tokensync.generate.targets.template import render
from tokensync.plan.comparing import Change, Difference
from tokensync.report import report_page
from tokensync.report.differences import page
from tokensync.system import resources

ROOT = Path(__file__).resolve().parents[3]
FILTERS = tuple((each.name, each.function) for each in render.FILTERS)


def check(name):
    """Import a script of checks/ as a module."""
    spec = spec_from_file_location(name, ROOT / "checks" / f"{name}.py")
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


contexts = check("template_contexts")
DECLARED = {each.path: each for each in contexts.templates()}
each_template = pytest.mark.parametrize("path", DECLARED)


def packaged():
    folder = Path(resources.path("templates"))
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.j2")}


def test_each_packaged_template_is_declared_and_no_other():
    assert set(DECLARED) == packaged()


@each_template
def test_a_template_uses_declared_names_only(path):
    environment = environments.environment(FILTERS)
    source = Path(resources.path("templates", path)).read_text(encoding="utf-8")
    used = meta.find_undeclared_variables(environment.parse(source)) - set(environment.globals)
    declared = {each.name for each in contexts.fields_of(DECLARED[path].context)}
    assert used <= declared


@each_template
def test_a_template_renders_the_declared_examples(path):
    example = contexts.example_of(DECLARED[path].context)
    assert msgspec.convert(contexts.variables_of(example), type(example)) == example
    text = naming.rendered_bytes(path, None, FILTERS, **contexts.variables_of(example)).decode()
    assert text.endswith("\n")


class Watched:
    """A template that gets its context from ``fitting``."""

    def __init__(self, template, fitting):
        self.template = template
        self.fitting = fitting

    def render(self, **context):
        return self.template.render(**self.fitting(context))

    def generate(self, **context):
        return self.template.generate(**self.fitting(context))


class Watching:
    """An environment that verifies the contexts of its templates."""

    def __init__(self, environment, seen):
        self.environment = environment
        self.seen = seen

    def get_template(self, path):
        return Watched(self.environment.get_template(path), partial(self.fitting, path))

    def fitting(self, path, context):
        """Return the context with its iterators read; it must have the declared names and types."""
        self.seen.add(path)
        declared = DECLARED[path].context
        context = {name: unrolled(value) for name, value in context.items()}
        assert set(context) == set(declared.__struct_fields__), path
        msgspec.convert(context, declared, strict=True)
        return context


def unrolled(value):
    """Return iterators, and sequences in them, as lists and tuples; rows with names keep these."""
    if isinstance(value, str | int | float | bool | dict) or value is None:
        return value
    several = [unrolled(each) for each in value]
    if hasattr(value, "_fields"):
        return type(value)(*several)  # templates of the target template take parts by their names
    return tuple(several) if isinstance(value, tuple) else several


@pytest.fixture
def seen(monkeypatch):
    """Record the rendered templates, and verify their contexts."""
    fields = set()
    real = environments.environment
    monkeypatch.setattr(environments, "environment", lambda *given: Watching(real(*given), fields))
    return fields


def test_contexts_of_golden_cases_have_the_declared_types(seen):
    """The golden cases render every template of a target."""
    for case in CASES.values():
        generate(*case)
    assert {path for path, each in DECLARED.items() if each.platform in NAMES} - seen == set()


def test_contexts_of_names_and_the_report_have_the_declared_types(seen, tmp_path, monkeypatch):
    """Templates of names are rendered where a user has them, here without a process of their own."""
    copytree(resources.path("templates", "codesyntax"), tmp_path / "codesyntax")
    monkeypatch.setattr(sandbox, "render", lambda _, *given: environments.render((), *given[:3], given[3].size))
    token_graph, _ = next(iter(CASES.values()))
    for platform in NAMED:
        names_for(token_graph, token_graph.tokens.values(), naming_of(platform), str(tmp_path))
    report_page(token_graph, {}, title="Tokens")
    painted = Change("in light", [1, 0, 0, 1], [0, 1, 0, 1])
    page([Difference("design", "theme", "accent", "changed", (painted,))], "lock", "tokens")
    assert {path for path, each in DECLARED.items() if each.platform not in NAMES} - seen == set()


def test_a_field_without_a_description_is_refused():
    class Silent(msgspec.Struct):
        rows: list[str]

    with pytest.raises(TypeError, match="rows: describe it with"):
        contexts.fields_of(Silent)


def test_the_page_is_current():
    assert check("template_pages").main(["--check"]) == 0
