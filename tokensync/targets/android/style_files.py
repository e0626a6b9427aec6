"""``attrs.xml`` and ``styles.xml``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.request import OutputFile
from tokensync.naming import rendered_bytes
from tokensync.targets.android.qualifiers import ANY
from tokensync.targets.android.resources import ELEMENTS, comment_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.android.options import AndroidOptions
    from tokensync.targets.android.qualifiers import Qualifiers
    from tokensync.targets.android.styles import Styles

StyleRow = tuple[str, str, tuple[tuple[str, str], ...]]
"""(name, parent, items); an item is (attribute, text)."""


def files_of_styles(sheet: Sheet, styles: Styles, options: AndroidOptions) -> Iterator[OutputFile]:
    """``values/attrs.xml``, then ``styles.xml`` in each folder that has styles."""
    templates = sheet.request.templates
    of_folder: dict[Qualifiers, list[StyleRow]] = {}
    for style in styles.made():
        parent = style.parent.name if style.parent else options.style_parent if style.is_first else ""
        for qualifiers, items in style.folders.items():
            rows = tuple((sheet.names[place], text) for place, text in items.items())
            of_folder.setdefault(qualifiers, []).append((style.name, parent, rows))
    if not of_folder:
        return
    attributes = [
        (
            comment_of(sheet, place) if options.descriptions else "",
            sheet.names[place],
            ELEMENTS[sheet.kinds[place] or ""].format,
        )
        for place in styles.attributes
    ]
    content = rendered_bytes("android/attrs.xml.j2", templates, rows=attributes)
    yield OutputFile(f"{ANY.folder}/attrs.xml", content)
    for qualifiers, several in of_folder.items():
        content = rendered_bytes("android/styles.xml.j2", templates, rows=several)
        yield OutputFile(f"{qualifiers.folder}/styles.xml", content)
