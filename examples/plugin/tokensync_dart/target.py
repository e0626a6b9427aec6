"""The target ``dart``: a class of constants for each theme, with the colours and numbers of all tokens."""

import re

import msgspec

import tokensync


class DartOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a dart output."""

    class_name: str = "Tokens"


TARGET = tokensync.Target("dart", "Dart constants", DartOptions)


def render(resolution, request):
    """Return the files of an output, and the problems of tokens that Dart cannot have."""
    options = request.options or DartOptions()
    graph = resolution.graph
    tokens = [token for token in tokensync.declared_tokens(graph, request) if token.type in ("color", "dimension")]
    themes = (tokensync.Theme("default"), *tokensync.declared_themes(graph, request))
    files, problems = [], []
    for theme in themes:
        values = tokensync.resolve(graph, theme)
        lines = []
        for token in tokens:
            literal = dart_literal(values[token.key])
            if literal is None:
                what = "its value has no form in Dart"
                problems.append(
                    tokensync.Problem("warning", "dart-unsupported", str(token.key), what, "exclude the token")
                )
            else:
                lines.append(f"  static const {camel_case(token.key.names)} = {literal};")
        name = options.class_name + "".join(word.capitalize() for word in re.findall(r"[a-zA-Z0-9]+", theme.name))
        body = "\n".join(lines)
        text = f"import 'dart:ui';\n\nabstract final class {name} {{\n{body}\n}}\n"
        path = re.sub(r"[^a-z0-9]+", "_", theme.name.lower()).strip("_")
        files.append(tokensync.OutputFile(f"{path}.dart", text.encode()))
    return files, problems


def dart_literal(value):
    """Return a colour or a number in Dart, or None for a value that it does not have."""
    match value:
        case tokensync.Color():
            channels = (value.alpha, value.red, value.green, value.blue)
            return f"Color(0x{''.join(f'{round(channel * 255):02X}' for channel in channels)})"
        case float():
            return f"{value:.10g}"
    return None


def camel_case(names):
    """Return the names of a token as one identifier. Only letters and digits remain: names come from a design file."""
    first, *rest = re.findall(r"[a-zA-Z0-9]+", " ".join(names)) or ["token"]
    name = first.lower() + "".join(word.capitalize() for word in rest)
    return f"n{name}" if name[0].isdigit() else name
