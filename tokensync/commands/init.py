"""Set up a project: examine its folder, and write a configuration, git attributes, a hook's entry and workflows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from textwrap import indent
from typing import NamedTuple

from tokensync.commands.install_hook import checked_configurations, hook_entry
from tokensync.commands.workflows import Workflows, copying, prefix_of, runs_elsewhere, to_finish, workflow_files
from tokensync.normalize.mapping import slug
from tokensync.project.configuration import (
    FILE_NAME,
    NoConfiguration,
    configuration_in,
    load_project,
    outside_is_allowed,
    parse_config,
)
from tokensync.project.connection import EMULATOR, SNAPSHOT
from tokensync.project.lock import LOCK
from tokensync.project.merging import CONFLICTS
from tokensync.project.outputs import MANIFEST
from tokensync.project.toml_text import string_text
from tokensync.system.boundary import flaw_of, resolved_folder, work_tree
from tokensync.system.disk import open_file, replace_files, shown_path
from tokensync.system.errors import TokensyncError, UsageError
from tokensync.system.git import ATTRIBUTES
from tokensync.system.stat_manifest import IGNORE
from tokensync.system.wording import argument
from tokensync.version import SITE

BRIDGE = "bridge:"
HOOKS = ".pre-commit-config.yaml"
ENTERPRISE = "Figma's variables API requires an Enterprise organization, and a full seat to write"
WITHOUT = "without it, use --base-url bridge: (a plugin of tokensync) or --base-url snapshot:PATH (saved by it)"
_MOST_ENTRIES = 20_000
_MOST_LEVELS = 6
_READ = 1 << 16
"""The most bytes of a file that are examined."""
_READ_OF_TOKENS = 1 << 25
"""The same for a file with all tokens: other tools write what identifies their format after the tokens."""
_WEB = ("css", "tailwind", "react-native", "scss", "typescript")
"""The platforms of a package.json; ``examine`` suggests one of the first three."""
_SKIPPED = frozenset(
    "node_modules bower_components build dist out target Pods DerivedData vendor venv __pycache__ coverage".split()
)
_GENERATED = frozenset({"android", "ios", "macos", "linux", "windows", "web"})
"""The folders that Flutter and React Native generate for each system in a project of theirs."""

DRIVER = 'git config merge.tokensync.driver "tokensync merge-file %O %A %B %P"'
"""Each user runs it, because a checkout must not name commands that git runs."""


class Output(NamedTuple):
    """An output: platform, path, options as TOML, the file that suggests it, the line for its names, and a comment."""

    platform: str
    path: str
    options: str = ""
    found: str = ""
    naming: str = ""
    comment: str = ""


class ExistingTokens(NamedTuple):
    """Token files that exist already: their format, the path of the first one, and what to do with them."""

    form: str
    path: str
    advice: str


class Surroundings(NamedTuple):
    """What is in a folder: suggested outputs, token files, and the tokens folder and file names that fit them.

    ``names`` are the design files that resolver documents in the tokens folder are for. ``responses`` are saved
    responses of the platform.
    """

    folder: str
    outputs: tuple[Output, ...]
    existing: tuple[ExistingTokens, ...]
    tokens: str
    names: tuple[str, ...]
    responses: tuple[str, ...]

    @property
    def top(self) -> str | None:
        """Return the top of the git work tree, or None."""
        return work_tree(self.folder)


class Choices(NamedTuple):
    """What the user has chosen. ``key`` is the key or URL of the design file, or empty.

    ``base_url`` is that of the configuration. Without it, that is Figma's API with a key, else the emulator.
    """

    key: str
    outputs: tuple[Output, ...]
    hook: bool
    workflows: Workflows = "none"
    base_url: str = ""


class SetUp(NamedTuple):
    """The result: the written paths, the texts that the user has to add to existing files, and the next commands."""

    written: tuple[str, ...] = ()
    to_add: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()


def existing_configuration(folder: str | None) -> str | None:
    """Return the configuration of a folder or, without one, the nearest configuration; None if there is none.

    Raises as ``load_project`` for an invalid configuration, and UsageError if there is no such folder.
    """
    if folder is not None:
        if not os.path.isdir(folder):
            raise UsageError(f"{folder}: no such folder; create it first, or name another one")
        if configuration_in(folder) is None:
            return None
    try:
        return load_project(folder).source
    except NoConfiguration:
        return None


def suggested_name(key: str, surroundings: Surroundings) -> str:
    """Return a name for a design file: the one of token files, or that in its URL, or that of the folder."""
    if surroundings.names:
        return surroundings.names[0]
    steps = [each for each in key.partition("?")[0].split("/") if each]
    named = steps[-1] if len(steps) > 3 and "://" in key else os.path.basename(surroundings.folder)
    return _name(named) or "design"


def _name(text: str) -> str:
    """Return a text as the name of a design file; empty if nothing is left."""
    words = re.sub(r"[^a-z0-9]+", "-", slug(text, "design").encode("ascii", "ignore").decode()).strip("-")
    return words[:40].strip("-")


def examine(folder: str) -> Surroundings:
    """Examine the files of a folder. Build results, dependencies, hidden folders and links are not examined."""
    folder = resolved_folder(folder, allow_outside=outside_is_allowed())
    paths = list(_paths(folder))
    foreign = tuple(
        f"{os.path.dirname(path)}/".removeprefix("/") + name + "/"
        for path in paths
        if os.path.basename(path) in ("pubspec.yaml", "package.json")
        and re.search(rb'^flutter:|sdk: flutter|"(react-native|expo)"\s*:', _start(folder, path), re.MULTILINE)
        for name in _GENERATED
    )
    own = [path for path in paths if not path.startswith(foreign)] if foreign else paths
    outputs = tuple(output for output in _outputs(folder, own) if flaw_of(output.path) is None)
    documents = [path for path in paths if path.endswith(".resolver.json") and os.path.isfile(f"{folder}/{path}")]
    tokens = os.path.dirname(documents[0]) or "." if documents else ""
    names = tuple(
        stem
        for document in documents
        if (os.path.dirname(document) or ".") == tokens
        and (stem := os.path.basename(document).removesuffix(".resolver.json")) == _name(stem)
    )
    if not names or (flaw_of(tokens) and tokens != "."):
        names = ()
        is_free = not any(path.startswith("tokens/") for path in paths)
        tokens = "tokens" if is_free else free_folder(folder)
    outputs = tuple(
        output._replace(path=f"generated/{output.platform}") if f"{output.path}/".startswith(f"{tokens}/") else output
        for output in outputs or (Output("css", "code/css"),)
    )
    responses = tuple(path for path in paths if path.endswith(".json") and _is_response(_start(folder, path)))
    return Surroundings(folder, outputs, tuple(_existing(folder, paths)), tokens, names, responses)


def free_folder(folder: str, *preferred: str) -> str:
    """Return the name of a folder for token files that does not exist in a folder."""
    names = (*preferred, "design-tokens", "figma-tokens", "tokensync")
    return next((name for name in names if not os.path.lexists(f"{folder}/{name}")), "tokensync-tokens")


def _paths(folder: str) -> Iterator[str]:
    """Yield the relative paths of files, and of folders that are Xcode projects, those in the upper folders first."""
    pending = [("", 0)]
    entries = 0
    while pending and entries < _MOST_ENTRIES:
        within, level = pending.pop(0)
        try:
            with os.scandir(os.path.join(folder, within)) as found:
                listed = sorted(found, key=lambda each: each.name)
        except OSError:
            continue
        for entry in listed:
            entries += 1
            path = f"{within}{entry.name}"
            if entry.is_symlink() or entry.name[:1] == ".":
                continue
            if entry.is_file() or entry.name.endswith(".xcodeproj"):
                yield path
            elif entry.is_dir() and entry.name not in _SKIPPED and level < _MOST_LEVELS:
                pending.append((f"{path}/", level + 1))


def _start(folder: str, path: str, most: int = _READ) -> bytes:
    """Return the start of a file; empty if it cannot be read."""
    try:
        with open_file(os.path.join(folder, path)) as file:
            return file.read(most)
    except OSError:
        return b""


def _is_response(content: bytes) -> bool:
    """Return whether a file is a response with values: published variables have ``subscribed_id`` instead."""
    if b'"subscribed_id"' in content:
        return False
    return b'"meta"' in content and re.search(rb'"VariableID:|"VariableCollectionId:', content) is not None


def _outputs(folder: str, paths: Sequence[str]) -> Iterator[Output]:
    """Yield an output for each kind of project, for the first project of its kind."""
    names: dict[str, list[str]] = {}
    for path in paths:
        names.setdefault(os.path.basename(path), []).append(path)
    if packages := names.get("package.json"):
        yield _web_output(folder, packages)
    for path in [*names.get("build.gradle.kts", ()), *names.get("build.gradle", ())]:
        if output := _android_output(folder, path):
            yield output
            break
    projects = [*names.get("Package.swift", ()), *(path for path in paths if path.endswith(".xcodeproj"))]
    if projects:
        yield _ios_output(folder, projects[0])
    for path in names.get("pubspec.yaml", ())[:1]:
        yield Output("flutter", _below(path, "lib/tokens"), found=path)


def _below(path: str, *steps: str) -> str:
    """Return a path beside another path."""
    return "/".join((*filter(None, [os.path.dirname(path)]), *steps))


def _web_output(folder: str, packages: Sequence[str]) -> Output:
    """Return the output for a package: in a workspace, for the package of tokens, or else the first one."""
    text = {package: _start(folder, package) for package in packages}
    is_workspace = b'"workspaces"' in text[packages[0]] or os.path.exists(f"{folder}/pnpm-workspace.yaml")
    members = [package for package in packages if os.path.dirname(package)] if is_workspace else []
    of_tokens = (each for each in members if re.search(r"(?i)token|theme|style|design|\bui\b", os.path.dirname(each)))
    path = next(of_tokens, (members or packages)[0])
    content = b"".join(text[each] for each in {path, packages[0]})
    if re.search(rb'"(react-native|expo)"\s*:', content):
        platform = "react-native"
    else:
        version = re.search(rb'"tailwindcss"\s*:\s*"[^0-9"]*([0-9]+)?', content)
        platform = "tailwind" if version and int(version[1] or 4) >= 4 else "css"
    has = [each for each in ("src/styles", "src", "styles") if os.path.isdir(os.path.join(folder, _below(path, each)))]
    return Output(platform, _below(path, {"src": "src/tokens"}.get(has[0], has[0]) if has else "styles"), found=path)


def _android_output(folder: str, path: str) -> Output | None:
    content = _start(folder, path)
    if not re.search(rb"com\.android\.(application|library)|plugins\.android|^\s*android\s*\{", content, re.MULTILINE):
        return None
    if not re.search(rb"apply\s+false", content) and b"compose" in content.lower():
        java = os.path.isdir(os.path.join(folder, _below(path, "src/main/java")))
        source = _below(path, "src/main", "java" if java else "kotlin")
        namespace = re.search(rb"""namespace\s*=?\s*["']([A-Za-z_][A-Za-z0-9_.]*)["']""", content)
        package = f"{namespace[1].decode()}.tokens" if namespace else "design.tokens"
        return Output("compose", f"{source}/{package.replace('.', '/')}", f"package = {json.dumps(package)}", path)
    if re.search(rb"apply\s+false", content):  # the plugins of all modules, in the root
        return None
    # A folder of its own, since apps have files such as colors.xml.
    add = 'In build.gradle.kts: android { sourceSets["main"].res.srcDirs("src/main/res", "src/main/tokens-res") }'
    return Output("android", _below(path, "src/main/tokens-res"), found=path, comment=add)


def _ios_output(folder: str, path: str) -> Output:
    if path.endswith(".xcodeproj"):
        own = _below(path, os.path.basename(path).removesuffix(".xcodeproj"))
        return Output(
            "ios", f"{own}/Tokens" if os.path.isdir(f"{folder}/{own}") else _below(path, "Tokens"), found=path
        )
    sources = os.path.join(folder, _below(path, "Sources"))
    targets = sorted(os.listdir(sources)) if os.path.isdir(sources) else []
    target = next((each for each in targets if os.path.isdir(f"{sources}/{each}") and each[:1] != "."), "DesignTokens")
    options = 'name = "DesignTokens"' if target == "Tokens" else ""
    return Output("ios", _below(path, "Sources", target), options, path)


_IMPORT = "tokensync migrate {path} --to FILE makes variables and token files of them"
_FORMATS = (
    (r"\.resolver\.json$", b"", "a resolver document", "build, tokens, report and diff read it where it is"),
    (r"\.tokens(\.json)?$", b"", "DTCG files", "list them in a resolver document: tokensync explain token-files"),
    (r"(^|/)\$(themes|metadata)\.json$", b"", "Tokens Studio files", _IMPORT),
    (r"(^|/)(sd|style-dictionary)\.config\.\w+$", b"", "a Style Dictionary project", _IMPORT),
    (r"(^|/)config\.json$", b'"platforms"', "a Style Dictionary project", _IMPORT),
    (r"(^|/)terrazzo\.config\.\w+$", b"", "a Terrazzo project", "its DTCG files stay as they are"),
    (r"(^|/)tokens\.json$", b'"$themes"', "Tokens Studio files", ""),
    (r"(^|/)tokens\.json$", b'"$metadata"', "Tokens Studio files", ""),
    (r"(^|/)tokens\.json$", b'"studio.tokens"', "Tokens Studio files", ""),
    (r"(^|/)((design-)?tokens?/.*|tokens)\.json$", b'"$value"', "DTCG files", ""),
    (r"(^|/)((design-)?tokens?/.*|tokens)\.json$", b'"value"', "token files of an older format", _IMPORT),
)
"""The formats of token files: a pattern of paths, a part of their content, a name, and what to do with them."""


def _existing(folder: str, paths: Sequence[str]) -> Iterator[ExistingTokens]:
    """Yield the formats of existing token files. The files that a resolver document lists are part of it."""
    found: dict[str, ExistingTokens] = {}
    advice = {form: text for _, _, form, text in _FORMATS if text}
    for path in paths:
        content: bytes | None = None
        for pattern, part, form, _ in _FORMATS:
            if not re.search(pattern, path):
                continue
            if part and content is None:
                content = _start(folder, path, _READ_OF_TOKENS)
            if part in (content or b""):
                source = argument(path if path == "tokens.json" else os.path.dirname(path) or ".")
                found.setdefault(form, ExistingTokens(form, path, advice[form].format(path=source)))
                break
    if "a resolver document" in found:
        found.pop("DTCG files", None)
    yield from found.values()


def output_for(platform: str, surroundings: Surroundings) -> Output:
    """Return the output for a platform that the user has chosen: the suggested one, or one in the folder ``code``.

    Those of a web project are beside the suggested one, in the folder that its compiler reads.
    """
    known = {output.platform: output for output in surroundings.outputs}
    beside = [os.path.dirname(known[web].path) for web in _WEB if web in known and known[web].found]
    folder = beside[0] if beside and platform in _WEB else ""
    return known.get(platform) or Output(platform, f"{folder or 'code'}/{platform}")


def set_up(surroundings: Surroundings, choices: Choices) -> SetUp:
    """Write the files that are missing, all of them or none. Existing files only get additional lines."""
    folder, top = surroundings.folder, surroundings.top
    name = suggested_name(choices.key, surroundings)
    configuration = configuration_text(surroundings, choices, name)
    contents = {}
    to_add: list[tuple[str, str]] = []
    if top is not None:
        contents[os.path.join(folder, ATTRIBUTES)] = with_attributes(_content(os.path.join(folder, ATTRIBUTES)))
        contents[os.path.join(folder, IGNORE)] = _with_ignored(_content(os.path.join(folder, IGNORE)))
        files, to_add = _of_repository(folder, top, choices.base_url, hook=choices.hook, workflows=choices.workflows)
        contents |= files
    contents[os.path.join(folder, FILE_NAME)] = configuration.encode()
    changed = {path: content for path, content in contents.items() if content != _content(path)}
    replace_files(changed, top or folder)
    commands = [*_commands(surroundings, choices)]
    if top is not None:
        has_key = bool(choices.key or choices.base_url)
        commands += to_finish(choices.workflows, folder, top, has_key=has_key, base_url=choices.base_url)
    return SetUp(tuple(changed), tuple(to_add), tuple(commands))


def add(source: str, *, hook: bool, workflows: Workflows) -> SetUp:
    """Add the hook and workflows of a configured project to its repository. Raises UsageError outside of git."""
    project = load_project(source)
    top = work_tree(project.folder)
    if top is None:
        option = "--hook" if hook else "--workflows"
        raise UsageError(f"{project.folder}: not in a git work tree; run git init first, or omit {option}")
    base_url = project.config.base_url
    contents, to_add = _of_repository(project.folder, top, base_url, hook=hook, workflows=workflows)
    changed = {path: content for path, content in contents.items() if content != _content(path)}
    replace_files(changed, top)
    finish: tuple[str, ...] = ()
    if workflows == "gitlab" and runs_elsewhere(project.folder, top):
        finish = copying(project.folder, top)
    if changed or to_add:
        finish += tuple(to_finish(workflows, project.folder, top, has_key=base_url != EMULATOR, base_url=base_url))
    return SetUp(tuple(changed), tuple(to_add), finish)


def _of_repository(
    folder: str, top: str, base_url: str, *, hook: bool, workflows: Workflows
) -> tuple[dict[str, bytes], list[tuple[str, str]]]:
    """Return the contents of the files with the hook and workflows, and what a person has to add to such files."""
    contents, to_add = workflow_files(workflows, folder, top, base_url)
    if hook:
        path = os.path.join(top, HOOKS)
        own = f"{prefix_of(folder, top)}{FILE_NAME}"
        text = with_hook(_content(path), own)
        if text is None:
            return contents, [(path, hook_entry(own)), *to_add]
        return {path: text, **contents}, to_add
    return contents, to_add


def _content(path: str) -> bytes:
    """Return the content of a file; empty if it does not exist. Raises OSError for a link."""
    try:
        with open_file(path) as file:
            return file.read()
    except FileNotFoundError:
        return b""


def configuration_text(surroundings: Surroundings, choices: Choices, name: str) -> str:
    """Return the text of the configuration. Raises ConfigurationError for outputs that cannot be configured."""
    lines = [f"#:schema {SITE}schemas/tokensync.schema.json"] if SITE else []
    lines += ["# All settings: tokensync explain configuration", "", f"# {ENTERPRISE}."]
    names = [name] if choices.key else surroundings.names or (name,)
    if choices.base_url:
        kind = "captures of the plugin: *Save a capture*" if choices.base_url.startswith(SNAPSHOT) else ""
        kind = "Figma's editor, by its plugin: run tokensync bridge" if choices.base_url == BRIDGE else kind
        lines.append(f"base_url = {string_text(choices.base_url)}{kind and f' # {kind}'}")
    elif choices.key:
        lines.append('base_url = "figma" # "figma-gov" for Figma for Government')
    else:
        lines += [
            '# Without it, set base_url = "bridge:", for a plugin in the editor, or "snapshot:PATH" for what it saves.',
            '# With it, set base_url = "figma". Both need the URL of the file as key.',
            f'base_url = "{EMULATOR}" # Figma\'s API, emulated on this machine',
        ]
    lines.append(f"tokens = {string_text(surroundings.tokens)} # the folder of the token files")
    for each in names:
        key = choices.key or each
        comment = "the file's key, or its URL" if choices.key else "any name for the emulator; later the file's URL"
        lines += ["", "[[files]]", f"name = {string_text(each)}", f"key = {string_text(key)} # {comment}"]
    for output in choices.outputs:
        lines += ["", "[[outputs]]", f"platform = {string_text(output.platform)}", f"path = {string_text(output.path)}"]
        lines += [f"options = {{ {output.options} }}"] if output.options else []
        lines += [output.naming] if output.naming else []
        lines += [f"# {output.comment}"] if output.comment else []
        lines.append(f"# All options: tokensync explain {output.platform}")
    lines += _composite_rules(surroundings)
    text = "\n".join(lines) + "\n"
    parse_config(text.encode(), FILE_NAME)
    return text


def _composite_rules(surroundings: Surroundings) -> Iterator[str]:
    """Yield the rules that make composite tokens of groups of variables in a saved response, as comments."""
    from tokensync.lint.composites import proposals
    from tokensync.project.sources import from_snapshot

    for path in surroundings.responses[:1]:
        with suppress(TokensyncError):  # a pull reports what is wrong with the response
            for proposal in proposals(from_snapshot(os.path.join(surroundings.folder, path)).graph):
                count = f"{len(proposal.groups)} groups of variables"
                yield from ("", f"# One {proposal.type} for each of {count}:")
                yield from (f"# {line}" for line in proposal.lines.splitlines())


def with_attributes(content: bytes) -> bytes:
    """Return git attributes with those of tokensync's files; lines that have the same pattern stay as they are."""
    wanted = {
        "*.tokens.json": "text eol=lf merge=tokensync",
        "*.resolver.json": "text eol=lf merge=tokensync",
        LOCK: "text eol=lf merge=tokensync linguist-generated",
        MANIFEST: "text eol=lf linguist-generated",
    }
    known = {line.split()[0] for line in content.decode("utf-8", "replace").splitlines() if line.split()}
    missing = [f"{pattern} {attributes}" for pattern, attributes in wanted.items() if pattern not in known]
    if not missing:
        return content
    return _appended(content, ["# tokensync: the same line ends on every system, and merges by token", *missing])


def _with_ignored(content: bytes) -> bytes:
    """Return git's list of ignored files with conflicts, and the temporary files that a killed run may leave."""
    missing = [pattern for pattern in (".tokensync-*", CONFLICTS) if pattern.encode() not in content.split()]
    if not missing:
        return content
    return _appended(content, ["# tokensync: temporary files of a run that was killed, and conflicts", *missing])


def _appended(content: bytes, lines: Sequence[str]) -> bytes:
    """Return a text with more lines, in its own line ends."""
    end = b"\r\n" if b"\r\n" in content else b"\n"
    before = content if not content or content.endswith(b"\n") else content + end
    return before + b"".join(line.encode() + end for line in lines)


def with_hook(content: bytes, path: str) -> bytes | None:
    """Return hooks with an entry for a configuration added as the last one; None if this needs a person.

    The list of repositories has to be the last member of the document. An entry for the same configuration stays.
    """
    text = content.decode("utf-8", "replace")
    entry = hook_entry(path)
    if path in checked_configurations(text):
        return content
    keys = list(re.finditer(r"^([A-Za-z_]+):(.*)$", text, re.MULTILINE))
    if not keys:
        if re.search(r"^(?!---\s*$)[^#\s]", text, re.MULTILINE):
            return None
        return _appended(content, ["repos:", *indent(entry, "  ").splitlines()])
    last = keys[-1]
    items = re.findall(r"^( *)- ", text[last.end() :], re.MULTILINE)
    has_more = re.search(r"^(---|\.\.\.)", text[last.end() :], re.MULTILINE)
    if last[1] != "repos" or last[2].partition("#")[0].strip() or has_more:
        return None
    return _appended(content, indent(entry, items[0] if items else "  ").splitlines())


def has_hook(surroundings: Surroundings) -> bool:
    """Return whether the hooks of the work tree have the entry for this project."""
    top = surroundings.top
    if top is None:
        return False
    content = _content(os.path.join(top, HOOKS))
    return bool(content) and with_hook(content, f"{prefix_of(surroundings.folder, top)}{FILE_NAME}") == content


def _commands(surroundings: Surroundings, choices: Choices) -> Iterator[str]:
    """Yield the commands that lead from the configuration to the first outputs."""
    if surroundings.folder != os.path.realpath("."):
        yield f"cd {argument(shown_path(surroundings.folder))}"
    if choices.base_url == BRIDGE:
        yield "tokensync bridge --install figma-plugin"
        yield "tokensync bridge"
        yield "tokensync pull # in another terminal"
    elif choices.base_url.startswith(SNAPSHOT):
        yield "tokensync pull"
    elif choices.key and choices.base_url != EMULATOR:
        yield "tokensync auth login --token"
        yield "tokensync pull"
    elif surroundings.responses:
        yield f"tokensync emulator seed {argument(surroundings.responses[0])}"
        yield "tokensync pull"
    elif not surroundings.names:
        yield "tokensync emulator seed RESPONSE.json"
        yield "tokensync pull"
    yield "tokensync build"
    if choices.hook and surroundings.top is not None:
        yield "pre-commit install"
    if surroundings.top is not None:
        yield DRIVER
