"""How a variable is named on each platform: an independent reading of the naming rules. Nothing of tokensync."""

import re
import unicodedata
from itertools import count

PLATFORMS = {"css": "WEB", "android": "ANDROID", "ios": "iOS"}
LONGEST = 200
KEPT = 191

KOTLIN_AND_JAVA = frozenset(
    """abstract as assert boolean break byte case catch char class const continue default do double else enum extends
    false final finally float for fun goto if implements import in instanceof int interface is long native new null
    object package private protected public return short static strictfp super switch synchronized this throw throws
    transient true try typealias typeof val var void volatile when while""".split()
)
SWIFT = frozenset(
    """associatedtype class deinit enum extension fileprivate func import init inout internal let open operator private
    precedencegroup protocol public rethrows static struct subscript typealias var break case catch continue default
    defer do else fallthrough for guard if in repeat return throw switch where while Any as await false is nil self Self
    super throws true try""".split()
)


def words(name: str) -> list[str]:
    """The words of a variable name, lower-cased: split at every sign that is no letter or digit, at camel humps and
    where an acronym ends, not between letters and digits."""
    actual: list[str] = []
    for run in _runs(unicodedata.normalize("NFC", name)):
        start = 0
        for at in range(1, len(run)):
            before, here, after = run[at - 1], run[at], run[at + 1 : at + 2]
            hump = before.islower() and here.isupper()
            acronym_end = before.isupper() and here.isupper() and after.islower()
            if hump or acronym_end:
                actual.append(run[start:at].lower())
                start = at
        actual.append(run[start:].lower())
    return actual


def _runs(name: str) -> list[str]:
    runs, current = [], ""
    for sign in name:
        if unicodedata.category(sign)[0] in "LN":
            current += sign
        elif current:
            runs.append(current)
            current = ""
    return [*runs, current] if current else runs


def ascii_words(words_in: list[str]) -> list[str]:
    """Words for Android: accents dropped, other letters as ``u`` and their code point."""
    ascii_parts = []
    for word in words_in:
        text = ""
        for sign in unicodedata.normalize("NFKD", word):
            if sign.isascii():
                text += sign
            elif not unicodedata.combining(sign):
                text += f"u{ord(sign):x}"
        ascii_parts.append(text.lower())
    return ascii_parts


def template_name(platform: str, words_in: list[str]) -> str:
    """The name that the packaged templates make of words."""
    if platform == "css":
        return _cut("-".join(words_in) or "token", "-")
    if platform == "android":
        return _cut(_not_digit_first("_".join(each for each in ascii_words(words_in) if each) or "token"), "_")
    first, *rest = words_in or ["token"]
    return _cut(_not_digit_first(first + "".join(each[:1].upper() + each[1:] for each in rest)), "_")


def _not_digit_first(name: str) -> str:
    return f"_{name}" if name[0].isnumeric() else name


def _cut(name: str, joint: str) -> str:
    return name if len(name) <= LONGEST else f"{name[:KEPT]}{joint}........"


def syntax_name(platform: str, variable: dict) -> str | None:
    """The identifier that the designer's code syntax names, or None when there is none that is usable.

    What is read: a custom property alone or in ``var()``, a variable of Sass or Less, a bare name, members joined by
    dots, a resource of Android with or without the call that fetches it, and a colour of iOS made from its name.
    """
    text = (variable.get("codeSyntax") or {}).get(PLATFORMS[platform])
    if not isinstance(text, str):
        return None
    text = re.sub(r"\s*(/\*.*?\*/|//.*)\s*$", "", text.strip(), flags=re.DOTALL).strip()
    reader = {"css": _web_name, "android": _android_name, "ios": _ios_name}[platform]
    return reader(text)


def _web_name(text: str) -> str | None:
    match = re.fullmatch(r"(?:var\(\s*)?--([\w-]+)\s*(?:,.*)?\)?;?", text)
    match = match or re.fullmatch(r"[$@]?([^\W\d][\w-]*);?", text)
    return (match and match[1]) or _last_member(text, "-")


def _android_name(text: str) -> str | None:
    fetched = re.fullmatch(r"[\w.]+\((?:\w+, *|id *= *)?([\w.]+)\)", text)
    text = fetched[1] if fetched and "R." in text else text
    match = re.fullmatch(r"[@?](?:\w+/)?([A-Za-z_]\w*)", text, flags=re.ASCII)
    return match[1] if match else _last_member(text, "_", flags=re.ASCII)


def _ios_name(text: str) -> str | None:
    match = re.fullmatch(r"(?:UI|NS)?(?:Color|Image)\((?:named: *)?\"(?:[^\"]*/)?(\w+)\"[^\"]*\)!?", text)
    match = match or re.fullmatch(r"(?:UI|NS)?Color\((?:\w+: *)?\.(\w+)\)", text)
    return _last_member(match[1] if match else text, "", flags=re.ASCII)


def _last_member(text: str, joint: str, flags: int = 0) -> str | None:
    """The last of several members joined by dots; one that is a number follows the one before it."""
    members = [each.strip("`") for each in re.sub(r"\[[\"']?(\w+)[\"']?\]$", r".\1", text).lstrip(".").split(".")]
    number = members.pop() if members[-1].isdigit() and len(members) > 1 else ""
    if not all(re.fullmatch(r"[^\W\d]\w*", each, flags=flags) for each in members):
        return None
    name = members[-1]
    return f"{name}{joint or '_' * name[-1].isdigit()}{number}" if number else name


def resolve_names(
    platform: str, tokens: list[dict], handles: dict[str, str]
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The name of each declared variable by id, and the collisions as (first id, second id).

    ``tokens`` stand in output order; ``handles`` is each one's collection handle by variable id.
    """
    taken: dict[str, str] = {}
    names: dict[str, str] = {}
    collisions = []
    for variable in tokens:
        candidates = _candidates(platform, variable, handles[variable["id"]])
        name = next(candidates)
        if _same(platform, name) in taken:
            collisions.append((taken[_same(platform, name)], variable["id"]))
            name = next(each for each in candidates if _same(platform, each) not in taken)
        taken[_same(platform, name)] = variable["id"]
        names[variable["id"]] = name
    return names, collisions


def _candidates(platform: str, variable: dict, handle: str):
    joint = "-" if platform == "css" else "_"
    syntax = syntax_name(platform, variable)
    if syntax:
        yield _legal(platform, syntax)
    own = words(variable["name"])
    yield _legal(platform, template_name(platform, own))
    qualified = template_name(platform, words(handle) + own)
    yield _legal(platform, qualified)
    for number in count(2):
        yield _legal(platform, f"{qualified}{joint}{number}")


def _legal(platform: str, name: str) -> str:
    return f"{name}_" if platform == "android" and name in KOTLIN_AND_JAVA else name


def _same(platform: str, name: str) -> str:
    return name.casefold() if platform == "ios" else name


def matches(expected: str, actual: str) -> bool:
    """Whether a found name is the expected one; the digest of a shortened name may differ."""
    if not expected.endswith("........"):
        return expected == actual
    return actual.startswith(expected[: KEPT + 1]) and re.fullmatch(r"[0-9a-f]{8}", actual[KEPT + 1 :]) is not None
