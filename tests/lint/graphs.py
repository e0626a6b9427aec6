"""Small graphs, and what the rules find in them."""

from tokensync.lint import Subject, lint
from tokensync.settings import LintConfig
from tokensync.tokens import Alias, Collection, Color, Mode, Token, TokenGraph, TokenKey, float32

WHITE = Color(1, 1, 1)
BLACK = Color(0, 0, 0)


def color(text, alpha=1.0):
    return Color(*(float32(int(text[at : at + 2], 16) / 255) for at in (1, 3, 5)), float32(alpha))


def collection(handle, *modes, **more):
    modes = modes or ("value",)
    columns = tuple(Mode(name=each.title(), collection=handle, slug=each, context=each) for each in modes)
    return Collection(file="one", handle=handle, name=handle.title(), modes=columns, **more)


def key(name):
    handle, _, path = name.partition("/")
    return TokenKey("one", handle, path.replace("/", "."))


def token(name, *values, type_="color", **more):
    made = (Alias(key(each)) if isinstance(each, str) and "/" in each else each for each in values)
    return Token(key=key(name), type=type_, values=tuple(made), **more)


def found(collections, tokens, themes=(), **settings):
    subject = Subject(TokenGraph(collections, tokens), LintConfig(**settings), themes=themes)
    return lint(subject)


def codes(*arguments, **settings):
    return [each.code for each in found(*arguments, **settings)]
