"""An Android output's sheet: which resource each token is, and how its literals and references are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.android.resources import ELEMENTS
from tokensync.generate.literals import android, composites_android
from tokensync.generate.sheet import Sheet
from tokensync.tokens import Unresolved

if TYPE_CHECKING:
    from tokensync.config.options.android import AndroidOptions
    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.tokens import Resolved

_KINDS = {
    "color": "color",
    "length": "dp",
    "number": "number",
    "percentage": "percentage",
    "weight": "integer",
    "string": "string",
    "family": "string",
    "boolean": "boolean",
    "duration": "milliseconds",
    "typography": "text-style",
}


def android_sheet(resolution: Resolution, request: OutputRequest, options: AndroidOptions) -> Sheet:
    """The sheet, every token's kind settled for all themes."""
    sheet = Sheet(
        resolution,
        request,
        naming="android",
        kinds={**_KINDS, "text-length": options.text},
        literals={**android.LITERALS, "text-style": composites_android.text_style},
        references={kind: (element.reference, "") for kind, element in ELEMENTS.items() if element.reference},
        unrepresentable=android.UNREPRESENTABLE,
    )
    _settle_weights(sheet)
    return sheet


def _settle_weights(sheet: Sheet) -> None:
    """A font weight that is not whole in each mode of its family cannot be an integer resource: it is a number."""
    for place in sheet.declared:
        if sheet.kinds[place] == "integer":
            key = sheet.tokens[place].key
            modes = range(len(sheet.graph.collections[key[:2]].modes))
            if not all(_is_whole(sheet.resolution.alone(key[:2], mode)(key)) for mode in modes):
                sheet.kinds[place] = "number"


def _is_whole(value: Resolved) -> bool:
    """Whether it can be an integer; what is unresolved has no say."""
    if isinstance(value, float):
        return value == value // 1 and abs(value) <= android.LARGEST_INTEGER
    return isinstance(value, Unresolved)
